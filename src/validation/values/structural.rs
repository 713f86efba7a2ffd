//! The schemas of custom resources: that they are structural (apiextensions-apiserver, apiserver/schema), and what
//! CustomResourceDefinitions forbid in them (apis/apiextensions/validation), as far as definitions written by hand break it.
//! What only a generator of definitions could get wrong is left to the server.

use super::custom;
use super::field_error::ErrorList;
use crate::at::At;
use syntax::tree::{Node, Value};
use text::pattern;

/// The types of values.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The keywords with lists of schemas.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Keywords that no schema may have.
const FORBIDDEN: [&str; 7] =
    ["id", "$schema", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// The reasons of rules.
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks the schema of a version (validateCustomResourceDefinitionValidation).
pub(super) fn check(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !is_schema(at) {
        return;
    }
    let nullable = at.get("nullable");
    if nullable.is_true() {
        errors.forbidden(&nullable, "nullable cannot be true at the root");
    }
    let before = errors.count;
    structural(at, Level::Root, errors);
    each_branch(at, &mut |branch| complete(branch, at, errors));
    if errors.count == before {
        defaults(at, true, errors);
    }
    keywords(at, errors);
}

/// Where a schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Calls `found` with the schemas of `allOf`, `anyOf`, `oneOf` and `not`.
fn each_branch(at: &At<'_, '_>, found: &mut dyn FnMut(&At<'_, '_>)) {
    for list in LISTS {
        at.get(list).items().for_each(|branch| found(&branch));
    }
    let not = at.get("not");
    if not.is_set() {
        found(&not);
    }
}

/// Whether this is a schema, of which null is an empty one; the walk of the types reports anything else.
fn is_schema(at: &At<'_, '_>) -> bool {
    matches!(at.node.value, Value::Map(_) | Value::Null)
}

/// validateStructuralInvariants.
fn structural(at: &At<'_, '_>, level: Level, errors: &mut ErrorList<'_>) {
    if !is_schema(at) {
        return;
    }
    let of_type = at.get("type");
    let (items, additional) = (at.get("items"), at.get("additionalProperties"));
    let properties = at.get("properties");
    let preserves = at.get("x-kubernetes-preserve-unknown-fields");
    let is_int_or_string = at.get("x-kubernetes-int-or-string").is_true();
    if of_type.text() == "array" && !items.is_set() {
        errors.required(&items, "must be specified");
    }
    if items.is_set() {
        structural(&items, Level::Item, errors);
    }
    for (_, property) in properties.entries() {
        structural(&property, Level::Field, errors);
    }
    if additional.is_set() && level == Level::Root {
        errors.forbidden(&additional, "must not be used at the root");
    }
    if additional.node.as_map().is_some() {
        structural(&additional, Level::Field, errors);
    }
    let first = at.node.get("allOf").and_then(Node::as_seq).and_then(<[Node]>::first);
    values(at, is_int_or_string_pattern(at.node), first.is_some_and(is_int_or_string_pattern), errors);
    if of_type.text().is_empty() && !is_int_or_string && !preserves.is_true() && !at.get("$ref").is_set() {
        errors.required(
            &of_type,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if level == Level::Root && !matches!(of_type.text(), "" | "object") {
        errors.invalid(&of_type, "must be object at the root");
    }
    let embedded = at.get("x-kubernetes-embedded-resource");
    for other in [&preserves, &embedded] {
        if is_int_or_string && other.is_true() {
            errors.invalid(other, "must be false if x-kubernetes-int-or-string is true");
        }
    }
    if embedded.is_true() {
        if additional.is_set() {
            errors.forbidden(&additional, "must not be used if x-kubernetes-embedded-resource is set");
        }
        if !preserves.is_true() && properties.map().is_empty() {
            let words = "must not be empty if x-kubernetes-embedded-resource is true without \
                         x-kubernetes-preserve-unknown-fields";
            errors.required(&properties, words);
        }
    }
    if level == Level::Root && restricts_metadata(properties.key("metadata").node) {
        let words = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        errors.forbidden(&properties.key("metadata"), words);
    }
}

/// Whether the schema of the metadata of an object says more than its names (validateStructuralMetadataInvariants).
fn restricts_metadata(schema: &Node) -> bool {
    schema.as_map().into_iter().flatten().any(|entry| match &*entry.key {
        "type" | "default" => false,
        "properties" => {
            let mut names = entry.value.as_map().into_iter().flatten();
            names.any(|entry| !matches!(&*entry.key, "name" | "generateName"))
        }
        _ => !entry.value.is_zero(),
    })
}

/// Whether `anyOf` allows integers and strings, as `x-kubernetes-int-or-string` requires.
fn is_int_or_string_pattern(schema: &Node) -> bool {
    let branches = schema.get("anyOf").and_then(Node::as_seq).unwrap_or_default();
    let is_type = |branch: &Node, name: &str| {
        branch.get("type").and_then(Node::as_str) == Some(name)
            && branch.as_map().is_some_and(|map| map.len() == 1)
    };
    matches!(branches, [first, second] if is_type(first, "integer") && is_type(second, "string"))
}

/// validateValueValidation. `skips_any`: `anyOf` is that of an integer or a string; `skips_first`: that of the first of
/// `allOf` is.
fn values(at: &At<'_, '_>, skips_any: bool, skips_first: bool, errors: &mut ErrorList<'_>) {
    for list in LISTS.into_iter().filter(|list| *list != "anyOf" || !skips_any) {
        for (index, branch) in at.get(list).items().enumerate() {
            nested(&branch, list == "allOf" && skips_first && index == 0, errors);
        }
    }
    let (not, pattern) = (at.get("not"), at.get("pattern"));
    if not.is_set() {
        nested(&not, false, errors);
    }
    if pattern::is_invalid(pattern.text()) {
        errors.invalid(&pattern, "must be a valid regular expression, but isn't");
    }
}

/// Keywords that are only allowed outside of `allOf` and its relatives, with what they must be instead.
const OUTER: [(&str, &str); 11] = [
    ("type", "empty"),
    ("default", "undefined"),
    ("title", "empty"),
    ("description", "empty"),
    ("nullable", "false"),
    ("x-kubernetes-preserve-unknown-fields", "false"),
    ("x-kubernetes-embedded-resource", "false"),
    ("x-kubernetes-int-or-string", "false"),
    ("x-kubernetes-list-map-keys", "empty"),
    ("x-kubernetes-list-type", "undefined"),
    ("x-kubernetes-map-type", "undefined"),
];

/// validateNestedValueValidation.
fn nested(at: &At<'_, '_>, skips_any: bool, errors: &mut ErrorList<'_>) {
    values(at, skips_any, false, errors);
    let (items, properties) = (at.get("items"), at.get("properties"));
    if items.is_set() {
        nested(&items, false, errors);
    }
    for (_, property) in properties.entries() {
        nested(&property, false, errors);
    }
    for (key, expected) in OUTER {
        let value = at.get(key);
        if if expected == "undefined" { value.is_set() } else { !value.is_zero() } {
            errors.forbidden(&value, format!("must be {expected} to be structural"));
        }
    }
    let additional = at.get("additionalProperties");
    if additional.is_true() || additional.node.as_map().is_some() {
        errors.forbidden(&additional, "must be undefined to be structural");
    }
    let rules = at.get("x-kubernetes-validations");
    if rules.len() > 0 {
        errors.forbidden(&rules, "must be empty to be structural");
    }
    if properties.map().get("metadata").is_some() {
        errors.forbidden(&properties.key("metadata"), "must not be specified in a nested context");
    }
}

/// validateNestedValueValidationCompleteness: the fields that a branch is about are fields of the schema.
fn complete(branch: &At<'_, '_>, schema: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !schema.is_set() {
        return errors.required(schema, &format!("because it is defined in {branch}"));
    }
    each_branch(branch, &mut |below| complete(below, schema, errors));
    let items = branch.get("items");
    if items.is_set() {
        complete(&items, &schema.get("items"), errors);
    }
    for (name, property) in branch.get("properties").entries() {
        complete(&property, &schema.get("properties").key(name), errors);
    }
}

/// ValidateDefaults: default values are values of their schema.
fn defaults(at: &At<'_, '_>, is_resource: bool, errors: &mut ErrorList<'_>) {
    let is_resource = is_resource || at.get("x-kubernetes-embedded-resource").is_true();
    let default = at.get("default");
    if default.is_set() {
        if has_unknown(default.node, at.node, is_resource) {
            errors.invalid(&default, "must not have unknown fields");
        }
        custom::check_default(&default, at.node, errors);
    }
    let items = at.get("items");
    if items.is_set() {
        defaults(&items, false, errors);
    }
    for (name, property) in at.get("properties").entries() {
        // Defaults in metadata are checked as part of whole metadata.
        if !(is_resource && custom::OBJECT.contains(&name)) {
            defaults(&property, false, errors);
        }
    }
}

/// Whether the server would drop a field of a value.
fn has_unknown(value: &Node, schema: &Node, is_resource: bool) -> bool {
    let below = |value: &Node, schema: &Node| {
        has_unknown(value, schema, schema.is_true("x-kubernetes-embedded-resource"))
    };
    if let (Some(items), Some(schema)) = (value.as_seq(), schema.get("items")) {
        return items.iter().any(|item| below(item, schema));
    }
    let additional = schema.get("additionalProperties");
    value.as_map().into_iter().flatten().any(|entry| {
        let property = schema.get("properties").and_then(|all| all.get(&entry.key));
        match property.or(additional) {
            Some(schema) if schema.as_map().is_some() => below(&entry.value, schema),
            Some(schema) if property.is_none() && schema.as_bool() == Some(false) => true,
            Some(_) => false,
            None => {
                let is_kept = schema.is_true("x-kubernetes-preserve-unknown-fields")
                    || is_resource && custom::OBJECT.contains(&&*entry.key);
                !is_kept
            }
        }
    })
}

/// ValidateCustomResourceDefinitionOpenAPISchema, without expressions.
fn keywords(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let of_type = at.get("type");
    if !of_type.text().is_empty() && !TYPES.contains(&of_type.text()) {
        errors.unsupported(&of_type, &TYPES);
    }
    for key in FORBIDDEN {
        let value = at.get(key);
        // Empty ones of these are as good as missing for Go.
        let is_optional = matches!(key, "id" | "patternProperties" | "definitions");
        if value.is_set() && !(is_optional && value.is_zero()) {
            errors.forbidden(&value, format!("{key} is not supported"));
        }
    }
    let (items, additional) = (at.get("items"), at.get("additionalProperties"));
    let properties = at.get("properties");
    if items.len() > 0 {
        errors.forbidden(&items, "items must be a schema object and not an array");
    }
    let unique = at.get("uniqueItems");
    if unique.is_true() {
        errors.forbidden(
            &unique,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        );
    }
    if additional.is_set() && !additional.is_true() && !properties.map().is_empty() {
        errors.forbidden(&additional, "additionalProperties and properties are mutual exclusive");
    }
    let preserves = at.get("x-kubernetes-preserve-unknown-fields");
    if preserves.node.as_bool() == Some(false) {
        errors.invalid(&preserves, "must be true or undefined");
    }
    lists(at, errors);
    for item in at.get("x-kubernetes-validations").items() {
        if item.node_text("rule").trim().is_empty() {
            errors.required(&item.get("rule"), "rule is not specified");
        }
        let reason = item.get("reason");
        if reason.node.as_str().is_some_and(|reason| !REASONS.contains(&reason)) {
            errors.unsupported(&reason, &REASONS);
        }
    }
    if additional.node.as_map().is_some() {
        keywords(&additional, errors);
    }
    for (_, property) in properties.entries() {
        keywords(&property, errors);
    }
    each_branch(at, &mut |branch| keywords(branch, errors));
    if items.node.as_map().is_some() {
        keywords(&items, errors);
    }
}

/// The types of lists and maps.
fn lists(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (of_type, items) = (at.get("type"), at.get("items"));
    let (list_type, map_type) = (at.get("x-kubernetes-list-type"), at.get("x-kubernetes-map-type"));
    for (keyword, expected, known) in
        [(&map_type, "object", &["atomic", "granular"][..]), (&list_type, "array", &["atomic", "set", "map"])]
    {
        let name = if expected == "array" { "list" } else { "map" };
        if !keyword.is_set() {
            continue;
        }
        if of_type.text() != expected {
            let words = format!("must be {expected} if x-kubernetes-{name}-type is specified");
            if of_type.text().is_empty() {
                errors.required(&of_type, &words);
            } else {
                errors.invalid(&of_type, words);
            }
        }
        if !known.contains(&keyword.text()) {
            errors.unsupported(keyword, known);
        }
    }
    let keys = at.get("x-kubernetes-list-map-keys");
    if list_type.text() == "set" {
        // Values are compared as wholes: those of maps have to say so, those of lists may not say otherwise.
        let (of_list, of_map) = (items.get("x-kubernetes-list-type"), items.get("x-kubernetes-map-type"));
        let part = match items.node_text("type") {
            "object" if of_map.text() != "atomic" => Some(of_map),
            "array" if of_list.is_set() && of_list.text() != "atomic" => Some(of_list),
            _ => None,
        };
        if let Some(part) = part {
            errors.invalid(&part, "must be atomic as item of a list with x-kubernetes-list-type=set");
        }
    }
    if list_type.text() == "map" {
        map_keys(&keys, &items, errors);
    }
}

/// The keys of a list of type map.
fn map_keys(keys: &At<'_, '_>, items: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if keys.len() == 0 {
        errors.required(keys, "must not be empty if x-kubernetes-list-type is map");
    }
    if !items.is_set() {
        return errors.required(items, "must have a schema if x-kubernetes-list-type is map");
    }
    if items.node.as_map().is_none() {
        return errors.invalid(items, "must only have a single schema if x-kubernetes-list-type is map");
    }
    if items.node_text("type") != "object" {
        return errors
            .invalid(&items.get("type"), "must be object if parent array's x-kubernetes-list-type is map");
    }
    let (properties, required) = (items.get("properties"), items.get("required"));
    for (index, key) in keys.texts().enumerate() {
        if keys.texts().take(index).any(|other| other == key) {
            errors.invalid(keys, "must not contain duplicate entries");
        }
        if properties.map().get(key).is_none() {
            errors.invalid(keys, "entries must all be names of item properties");
            continue;
        }
        let property = properties.key(key);
        if !required.texts().any(|name| name == key) && !property.get("default").is_set() {
            let words = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.required(&property.get("default"), words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::FieldError;
    use testing::tree;

    fn refused(schema: &str) -> Vec<String> {
        let object = tree(schema);
        let mut found = Vec::new();
        let mut add = |FieldError { path, reason, detail, .. }: FieldError| {
            found.push(format!("{path}: {reason}: {detail}").trim_end_matches(": ").to_owned());
        };
        let start = At::start(&object);
        check(&start, &mut ErrorList::new(&mut add, &object));
        found
    }

    /// What is refused of the schema of a property `a`.
    #[track_caller]
    fn check_property(schema: &str, expected: &[&str]) {
        let found = refused(&format!("{{type: object, properties: {{a: {schema}}}}}"));
        let expected: Vec<String> =
            expected.iter().map(|message| format!("properties[a]{message}")).collect();
        assert_eq!(found, expected, "{schema}");
    }

    #[test]
    fn every_schema_has_a_type() {
        check_property("{}", &[".type: Required value: must not be empty for specified object fields"]);
        check_property("null", &[".type: Required value: must not be empty for specified object fields"]);
        check_property("{type: array}", &[".items: Required value: must be specified"]);
        check_property(
            "{type: array, items: {}}",
            &[".items.type: Required value: must not be empty for specified array items"],
        );
        check_property(
            "{type: any}",
            &[
                ".type: Unsupported value: supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \
               \"string\"",
            ],
        );
        check_property("{x-kubernetes-int-or-string: true}", &[]);
        check_property(
            "{x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}",
            &[
                ".x-kubernetes-preserve-unknown-fields: Invalid value: must be false if x-kubernetes-int-or-string is true",
            ],
        );
        check_property(
            "{type: object, x-kubernetes-embedded-resource: true}",
            &[
                ".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without \
                 x-kubernetes-preserve-unknown-fields",
            ],
        );
        check_property("{x-kubernetes-preserve-unknown-fields: true}", &[]);
        assert_eq!(refused("{}"), ["type: Required value: must not be empty at the root"]);
        assert_eq!(refused("{type: string}"), ["type: Invalid value: must be object at the root"]);
    }

    #[test]
    fn branches_only_restrict_values() {
        check_property(
            "{type: object, properties: {b: {type: string}}, anyOf: [{required: [b]}, {properties: {b: {enum: [c]}}}]}",
            &[],
        );
        check_property(
            "{type: string, not: {type: string, description: a, nullable: true}}",
            &[
                ".not.type: Forbidden: must be empty to be structural",
                ".not.description: Forbidden: must be empty to be structural",
                ".not.nullable: Forbidden: must be false to be structural",
            ],
        );
        let pattern = "anyOf: [{type: integer}, {type: string}]";
        check_property(&format!("{{x-kubernetes-int-or-string: true, {pattern}}}"), &[]);
        check_property(&format!("{{x-kubernetes-int-or-string: true, allOf: [{{{pattern}}}]}}"), &[]);
        assert_eq!(
            refused("{type: object, oneOf: [{properties: {b: {minLength: 1}}}]}"),
            ["properties[b]: Required value: because it is defined in oneOf[0].properties[b]"]
        );
    }

    #[test]
    fn keywords_that_contradict_each_other_are_forbidden() {
        check_property(
            "{type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}",
            &[".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
        );
        check_property(
            "{type: object, x-kubernetes-preserve-unknown-fields: false}",
            &[".x-kubernetes-preserve-unknown-fields: Invalid value: must be true or undefined"],
        );
        check_property("{$ref: x}", &[".$ref: Forbidden: $ref is not supported"]);
        check_property(
            "{type: array, items: {type: string}, uniqueItems: true}",
            &[
                ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ],
        );
        assert_eq!(refused("{type: object, $schema: x}"), ["$schema: Forbidden: $schema is not supported"]);
        assert_eq!(
            refused("{type: object, properties: {metadata: {type: object, required: [name]}}}"),
            [
                "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata \
              is implicitly specified"
            ]
        );
        let metadata = "{type: object, properties: {kind: {type: string}, metadata: {type: object, properties: \
                        {name: {type: string}}}}}";
        assert_eq!(refused(metadata), [""; 0]);
    }

    #[test]
    fn sets_have_whole_values() {
        let set = |items: &str| format!("{{type: array, x-kubernetes-list-type: set, items: {{{items}}}}}");
        check_property(&set("type: string"), &[]);
        check_property(&set("type: object, x-kubernetes-map-type: atomic"), &[]);
        check_property(&set("type: array, items: {type: string}"), &[]);
        let words = "Invalid value: must be atomic as item of a list with x-kubernetes-list-type=set";
        check_property(&set("type: object"), &[&format!(".items.x-kubernetes-map-type: {words}")]);
        check_property(
            &set("type: array, items: {type: string}, x-kubernetes-list-type: set"),
            &[&format!(".items.x-kubernetes-list-type: {words}")],
        );
    }

    #[test]
    fn lists_of_type_map_have_keys() {
        let list = |rest: &str, items: &str| {
            format!("{{type: array, x-kubernetes-list-type: map, {rest} items: {{type: object, {items}}}}}")
        };
        check_property(
            &list("", "properties: {b: {type: string}}"),
            &[
                ".x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
            ],
        );
        let keys = "x-kubernetes-list-map-keys: [b],";
        check_property(&list(keys, "required: [b], properties: {b: {type: string}}"), &[]);
        check_property(
            &list(keys, "properties: {b: {type: string}}"),
            &[
                ".items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must \
               have a default or be a required property",
            ],
        );
        check_property(
            &list(keys, "properties: {c: {type: string}}"),
            &[".x-kubernetes-list-map-keys: Invalid value: entries must all be names of item properties"],
        );
        check_property(
            "{type: string, x-kubernetes-list-type: other}",
            &[
                ".type: Invalid value: must be array if x-kubernetes-list-type is specified",
                ".x-kubernetes-list-type: Unsupported value: supported values: \"atomic\", \"map\", \"set\"",
            ],
        );
    }

    #[test]
    fn defaults_are_values_of_their_schema() {
        check_property("{type: integer, minimum: 1, default: 1}", &[]);
        check_property(
            "{type: integer, minimum: 5, default: 3}",
            &[".default: Invalid value:  in body should be greater than or equal to 5"],
        );
        check_property(
            "{type: object, properties: {b: {type: integer}}, default: {b: x, c: 1}}",
            &[
                ".default: Invalid value: must not have unknown fields",
                ".default.b: Invalid value: b in body must be of type integer",
            ],
        );
    }

    #[test]
    fn patterns_are_those_of_go() {
        for good in ["^[a-z]+$", "a{", "[[]", r"\Qa\E", r"\/"] {
            check_property(&format!("{{type: string, pattern: '{good}'}}"), &[]);
        }
        for bad in ["(?=x)", "(", ")", "*"] {
            let message = ".pattern: Invalid value: must be a valid regular expression, but isn't";
            check_property(&format!("{{type: string, pattern: '{bad}'}}"), &[message]);
        }
    }
}
