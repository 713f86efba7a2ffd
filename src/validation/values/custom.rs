//! The keywords of OpenAPI schemas of custom resources that restrict values (apiextensions-apiserver,
//! apiserver/validation, and kube-openapi, validation/validate).
//!
//! Values are not shown. Without the feature `where`, patterns are not evaluated.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::rc::Rc;

use super::field_error::{ErrorList, FieldError, Reason};
use crate::at::{At, NULL};
use selector::validation;
use syntax::tree::{Entry, Map, Node, Value};
use text::format;
use text::pattern::{self, Regex};

/// The fields that every object has, whatever its schema says.
pub const OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The nesting of `oneOf` and its relatives up to which they are evaluated.
const MAX_DEPTH: usize = 16;

/// Calls `found` with what a schema refuses in a value of the right type, but not further down.
pub(crate) fn check(at: &At<'_, '_>, schema: &Node, root: &Node, found: &mut dyn FnMut(FieldError)) {
    keywords(at, schema, &mut ErrorList::new(found, root), 0);
}

/// Checks the names of an object, which are all that its schema may restrict of its metadata.
pub(crate) fn check_names(at: &At<'_, '_>, schema: &Node, root: &Node, found: &mut dyn FnMut(FieldError)) {
    let Some(restricted) = schema.at("properties.metadata.properties") else { return };
    let metadata = at.get("metadata");
    let mut errors = ErrorList::new(found, root);
    for name in ["name", "generateName"] {
        let at = metadata.get(name);
        if let Some(schema) = restricted.get(name).filter(|_| at.is_set()) {
            keywords(&at, schema, &mut errors, 0);
        }
    }
}

fn text<'s>(schema: &'s Node, key: &str) -> Option<&'s str> {
    schema.get(key).and_then(Node::as_str)
}

fn size(schema: &Node, key: &str) -> Option<usize> {
    schema.get(key).and_then(Node::as_int).and_then(|number| usize::try_from(number).ok())
}

fn number(node: &Node) -> Option<f64> {
    match node.value {
        #[expect(clippy::cast_precision_loss, reason = "Go compares as floats, too")]
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// The restrictions of one level.
fn keywords(at: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>, depth: usize) {
    let node = at.node;
    // The server has dropped what is null and must not be.
    if is_dropped(node, schema) {
        return;
    }
    if schema.is_true("x-kubernetes-int-or-string")
        && !node.is_null()
        && node.as_str().is_none()
        && !number(node).is_some_and(|number| number.fract() == 0.0)
    {
        mistyped(at, "integer,string", errors);
    }
    if let Some(values) = schema.get("enum").and_then(Node::as_seq)
        && !values.contains(node)
    {
        let shown: Vec<&str> = values.iter().filter_map(Node::as_str).collect();
        errors.unsupported(at, &shown);
    }
    match &node.value {
        Value::String(value) => of_text(at, value, schema, errors),
        Value::Int(_) | Value::Float(_) => of_number(at, schema, errors),
        Value::Seq(items) => of_list(at, items, schema, errors),
        Value::Map(map) => {
            let body = |words: String| format!("{at} in body should have {words} properties");
            if size(schema, "minProperties").is_some_and(|least| properties(map, schema) < least) {
                errors.invalid(at, body(format!("at least {}", size(schema, "minProperties").unwrap_or(0))));
            }
            if let Some(most) = size(schema, "maxProperties").filter(|most| map.len() > *most) {
                errors.add(at, Reason::TooMany, format!("{}: must have at most {most} items", map.len()));
            }
            if schema.is_true("x-kubernetes-embedded-resource") {
                embedded(at, errors);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    if depth < MAX_DEPTH {
        junctors(at, schema, errors, depth);
    }
}

/// An object within another one (apiextensions, schema/objectmeta/validation.go, validateEmbeddedResource).
fn embedded(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let [version, kind, metadata] = ["apiVersion", "kind", "metadata"].map(|name| at.get(name));
    for field in [&version, &kind].into_iter().filter(|field| field.text().is_empty()) {
        errors.required(field, "");
    }
    if version.text().matches('/').count() > 1 {
        errors.invalid(&version, "unexpected GroupVersion string");
    }
    if !kind.text().is_empty() {
        errors.all_invalid(&kind, super::formats::kind(kind.text()));
    }
    let name = metadata.get("name");
    errors.all_invalid(&name, validation::path_segment_name(name.text()));
    super::formats::labels(&metadata.get("labels"), errors);
}

/// Whether the server drops the value before it validates: it is null, and its schema has no `nullable` (apiextensions,
/// schema/defaulting, PruneNonNullableNullsWithoutDefaults).
fn is_dropped(value: &Node, schema: &Node) -> bool {
    value.is_null() && !schema.is_true("nullable")
}

/// The number of properties that the server does not drop.
fn properties(map: &Map, schema: &Node) -> usize {
    let of = |key: &str| {
        let own = schema.get("properties").and_then(|all| all.get(key));
        own.or_else(|| schema.get("additionalProperties"))
    };
    let is_kept = |entry: &&Entry| of(&entry.key).is_none_or(|schema| !is_dropped(&entry.value, schema));
    map.iter().filter(is_kept).count()
}

fn mistyped(at: &At<'_, '_>, expected: &str, errors: &mut ErrorList<'_>) {
    errors.invalid(at, format!("{at} in body must be of type {expected}"));
}

fn of_text(at: &At<'_, '_>, value: &str, schema: &Node, errors: &mut ErrorList<'_>) {
    if let Some(most) =
        size(schema, "maxLength").filter(|most| value.len() > *most && value.chars().count() > *most)
    {
        errors.add(at, Reason::TooLong, format!("may not be more than {most} bytes"));
    }
    if let Some(least) = size(schema, "minLength").filter(|least| value.chars().count() < *least) {
        errors.invalid(at, format!("{at} in body should be at least {least} chars long"));
    }
    let differs = |regex: Rc<Regex>| !regex.is_match(value);
    let is_broken = |pattern: &&str| pattern::compiled(pattern, |_| ()).is_some_and(differs);
    if let Some(pattern) = text(schema, "pattern").filter(is_broken) {
        errors.invalid(at, format!("{at} in body should match '{pattern}'"));
    }
    if let Some(format) = text(schema, "format").filter(|name| !format::has(name, value)) {
        mistyped(at, format, errors);
    }
}

fn of_number(at: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>) {
    let Some(value) = number(at.node) else { return };
    let bound = |key: &str| schema.get(key).and_then(number);
    let limits = [
        ("minimum", "exclusiveMinimum", "greater", Ordering::Greater),
        ("maximum", "exclusiveMaximum", "less", Ordering::Less),
    ];
    for (key, exclusive, words, wanted) in limits {
        let Some(limit) = bound(key) else { continue };
        let or_equal = if schema.is_true(exclusive) { "" } else { " or equal to" };
        let order = value.partial_cmp(&limit);
        if order != Some(wanted) && (or_equal.is_empty() || order != Some(Ordering::Equal)) {
            errors.invalid(at, format!("{at} in body should be {words} than{or_equal} {limit}"));
        }
    }
    if let Some(factor) = bound("multipleOf").filter(|factor| *factor > 0.0 && !is_multiple(value, *factor)) {
        errors.invalid(at, format!("{at} in body should be a multiple of {factor}"));
    }
}

fn of_list(at: &At<'_, '_>, items: &[Node], schema: &Node, errors: &mut ErrorList<'_>) {
    if let Some(most) = size(schema, "maxItems").filter(|most| items.len() > *most) {
        errors.add(at, Reason::TooMany, format!("{}: must have at most {most} items", items.len()));
    }
    if let Some(least) = size(schema, "minItems").filter(|least| items.len() < *least) {
        errors.invalid(at, format!("{at} in body should have at least {least} items"));
    }
    let list_type = text(schema, "x-kubernetes-list-type");
    let keys: Vec<&str> = match list_type {
        Some("map") => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Node::as_seq).unwrap_or_default();
            keys.iter().filter_map(Node::as_str).collect()
        }
        Some("set") => Vec::new(),
        _ if schema.is_true("uniqueItems") => Vec::new(),
        _ => return,
    };
    let default = |key: &str| schema.get("items")?.get("properties")?.get(key)?.get("default");
    let mut seen: HashSet<(usize, Vec<&Node>)> = HashSet::with_capacity(at.len());
    for item in at.items() {
        let values = match list_type {
            Some("map") => {
                let value = |key: &&str| item.node.get(key).or_else(|| default(key)).unwrap_or(&NULL);
                (0, keys.iter().map(value).collect())
            }
            // A server decodes 1 and 1.0 to values of different types, which are never equal.
            _ => {
                let is_number = matches!(item.node.value, Value::Int(_) | Value::Float(_));
                let length = item.node.span.end - item.node.span.start;
                (if is_number { length } else { 0 }, vec![item.node])
            }
        };
        if !seen.insert(values) {
            errors.duplicate(&item);
        }
    }
}

/// Whether the quotient is whole, as go-openapi computes it.
fn is_multiple(value: f64, factor: f64) -> bool {
    let quotient = if factor < 1.0 { value * (1.0 / factor) } else { value / factor };
    (quotient - quotient.round()).abs() < 1e-9
}

/// `allOf`, `anyOf`, `oneOf` and `not`.
fn junctors(at: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>, depth: usize) {
    let list = |key: &str| schema.get(key).and_then(Node::as_seq).filter(|list| !list.is_empty());
    let problems = |branch: &Node| {
        let mut problems = Vec::new();
        let mut found = |refused| problems.push(refused);
        whole(at, branch, &mut ErrorList::new(&mut found, errors.root), depth + 1);
        problems
    };
    let mut all = Vec::new();
    let words = |rule: &str| format!("{:?} must validate {rule}", at.to_string());
    for branch in list("allOf").unwrap_or_default() {
        all.extend(problems(branch));
    }
    if !all.is_empty() {
        errors.invalid(at, words("all the schemas (allOf)"));
    }
    if let Some(branches) = list("anyOf") {
        let found: Vec<Vec<FieldError>> = branches.iter().map(problems).collect();
        if found.iter().all(|problems| !problems.is_empty()) {
            errors.invalid(at, words("at least one schema (anyOf)"));
            all.extend(found.into_iter().next().unwrap_or_default());
        }
    }
    if let Some(branches) = list("oneOf") {
        let found: Vec<Vec<FieldError>> = branches.iter().map(problems).collect();
        match found.iter().filter(|problems| problems.is_empty()).count() {
            1 => {}
            0 => {
                errors.invalid(at, words("one and only one schema (oneOf). Found none valid"));
                all.extend(found.into_iter().next().unwrap_or_default());
            }
            count => {
                let rule = format!("one and only one schema (oneOf). Found {count} valid alternatives");
                errors.invalid(at, words(&rule));
            }
        }
    }
    if let Some(branch) = schema.get("not").filter(|branch| branch.as_map().is_some())
        && problems(branch).is_empty()
    {
        errors.invalid(at, format!("{:?} must not validate the schema (not)", at.to_string()));
    }
    all.into_iter().for_each(|refused| (errors.found)(refused));
}

/// What a schema refuses in its default value, to the end of it.
pub(super) fn check_default(at: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>) {
    let mut all = Vec::new();
    let start = at.as_start();
    let mut found = |refused| all.push(refused);
    let mut below = ErrorList::new(&mut found, errors.root);
    whole(&start, schema, &mut below, 0);
    for refused in all {
        let separator = if refused.path.is_empty() || refused.path.starts_with('[') { "" } else { "." };
        errors.count += 1;
        (errors.found)(FieldError { path: format!("{at}{separator}{}", refused.path), ..refused });
    }
}

/// All restrictions of a branch, to the end of the value.
fn whole(at: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>, depth: usize) {
    if let Some(expected) = text(schema, "type")
        && !at.node.is_null()
        && !is_of_type(at.node, expected)
    {
        mistyped(at, expected, errors);
    }
    keywords(at, schema, errors, depth);
    let required = schema.get("required").and_then(Node::as_seq).unwrap_or_default();
    for name in required.iter().filter_map(Node::as_str) {
        if at.node.as_map().is_some_and(|map| map.get(name).is_none()) {
            errors.required(&at.get(name), "");
        }
    }
    if depth >= MAX_DEPTH {
        return;
    }
    let properties = schema.get("properties").and_then(Node::as_map);
    for entry in properties.into_iter().flatten() {
        let field = at.get(&entry.key);
        if field.is_set() {
            whole(&field, &entry.value, errors, depth + 1);
        }
    }
    if let Some(additional) = schema.get("additionalProperties") {
        let is_other = |key: &str| properties.is_none_or(|map| map.get(key).is_none());
        for entry in at.map().iter().filter(|entry| is_other(&entry.key)) {
            whole(&at.field(entry), additional, errors, depth + 1);
        }
    }
    if let Some(items) = schema.get("items") {
        for item in at.items() {
            whole(&item, items, errors, depth + 1);
        }
    }
}

fn is_of_type(node: &Node, expected: &str) -> bool {
    match expected {
        "string" => node.as_str().is_some(),
        "boolean" => node.as_bool().is_some(),
        "integer" => node.as_int().is_some(),
        "number" => number(node).is_some(),
        "array" => node.as_seq().is_some(),
        "object" => node.as_map().is_some(),
        _ => true,
    }
}
