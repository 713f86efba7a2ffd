//! CustomResourceDefinitions (apiextensions-apiserver, apis/apiextensions/validation). The server checks its own version of
//! them, in which a field that all versions have in common is a field of the spec, so that messages name it there.

use std::collections::HashSet;

use super::admission::{client_url, review_versions};
use super::at::At;
use super::field_error::{ErrorList, Function, Reason};
use super::structural;
use policy::Rules;
use selector::validation;
use syntax::tree::Node;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[("definition", definition)];

/// The annotation that approves of a kind in a group of the Kubernetes project.
const APPROVAL: &str = "api-approved.kubernetes.io";

/// The maximum number of selectable fields of a version.
const MAX_SELECTABLE: usize = 8;

/// ValidateCustomResourceDefinition.
fn definition(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (spec, metadata) = (at.get("spec"), at.get("metadata"));
    let (group, names, versions) = (spec.get("group"), spec.get("names"), spec.get("versions"));
    let name = metadata.get("name");
    if name.text() != format!("{}.{}", names.node_text("plural"), group.text()) && !name.text().is_empty() {
        errors.invalid(&name, "must be spec.names.plural+\".\"+spec.group");
    }
    if !group.text().is_empty() && !group.text().contains('.') {
        errors.invalid(&group, "should be a domain with at least one dot");
    }
    approval(group.text(), &metadata.get("annotations"), errors);
    let list_kind = names.get("listKind");
    if !list_kind.text().is_empty() && list_kind.text() == names.node_text("kind") {
        errors.invalid(&list_kind, "kind and listKind may not be the same");
    }
    let preserves = spec.get("preserveUnknownFields");
    if preserves.is_true() {
        let words = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                     instead";
        errors.invalid(&preserves, words);
    }
    check_versions(&spec, &versions, errors);
    stored_versions(at, &versions, errors);
    conversion(&spec.get("conversion"), preserves.is_true(), errors);
    each_of(&spec, "schema", "validation", &mut |at, version| {
        let schema = at.get("openAPIV3Schema");
        if schema.is_set() {
            let has_status = match version {
                Some(version) => has_status(version),
                None => versions.items().any(|version| has_status(version.node)),
            };
            let before = errors.count;
            structural::check(&schema, has_status, errors);
            if errors.count == before {
                // The server compiles the rules of a structural schema alone.
                Rules::errors(schema.node).into_iter().for_each(|error| errors.expression(&schema, error));
            }
        }
    });
    each_of(&spec, "subresources", "subresources", &mut |at, _| scale(at, errors));
    each_of(&spec, "additionalPrinterColumns", "additionalPrinterColumns", &mut |at, _| {
        at.items().for_each(|column| check_column(&column, errors));
    });
    each_of(&spec, "selectableFields", "selectableFields", &mut |at, version| {
        let version = version.or_else(|| versions.node.as_seq()?.first());
        selectable(at, version.and_then(|version| version.at("schema.openAPIV3Schema")), errors);
    });
}

/// Calls `found` with the field of each version and the version; once, with the name of the field in the spec, if all
/// versions have the same value.
fn each_of(spec: &At<'_, '_>, field: &str, in_spec: &str, found: &mut dyn FnMut(&At<'_, '_>, Option<&Node>)) {
    let versions = spec.get("versions");
    let Some(first) = versions.items().next() else { return };
    if versions.items().all(|version| version.get(field).node == first.get(field).node) {
        found(&first.get(field).moved(spec, in_spec), None);
    } else {
        versions.items().for_each(|version| found(&version.get(field), Some(version.node)));
    }
}

fn has_status(version: &Node) -> bool {
    version.at("subresources.status").is_some_and(|status| !status.is_null())
}

/// validateAPIApproval.
fn approval(group: &str, annotations: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let is_in = |domain: &str| {
        group.strip_suffix(domain).is_some_and(|start| start.is_empty() || start.ends_with('.'))
    };
    if !is_in("k8s.io") && !is_in("kubernetes.io") {
        return;
    }
    let text = annotations.node_text(APPROVAL);
    let annotation = annotations.key(APPROVAL);
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    let words = format!("protected groups must have approval annotation {APPROVAL:?}");
    let is_url =
        || text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    if text.is_empty() {
        errors.required(&annotation, &format!("{words}, {see}"));
    } else if !text.starts_with("unapproved") && !is_url() {
        let forms = "with either a URL or a reason starting with \"unapproved\"";
        errors.invalid(&annotation, format!("{words} {forms}, {see}"));
    }
}

/// validateCustomResourceDefinitionSpec, about versions.
fn check_versions(spec: &At<'_, '_>, versions: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let mut seen = HashSet::new();
    let mut is_unique = true;
    for (index, version) in versions.items().enumerate() {
        let name = version.get("name");
        if name.is_set() {
            is_unique &= seen.insert(version.node_text("name"));
            let messages = validation::dns1035_label(name.text()).join(",");
            if !messages.is_empty() {
                errors.invalid(&name, messages.as_str());
                if index == 0 && !name.text().is_empty() {
                    errors.invalid(&name.moved(spec, "version"), messages);
                }
            }
        }
        deprecation(&version, errors);
        let schema = version.get("schema");
        let schema = schema.get("openAPIV3Schema");
        if !schema.is_set() {
            errors.required(&schema, "");
        }
    }
    if !is_unique {
        errors.invalid(versions, "must contain unique version names");
    }
    if versions.items().filter(|version| version.get("storage").is_true()).count() != 1 {
        errors.invalid(versions, "must have exactly one version marked as storage version");
    }
}

/// validateDeprecationWarning.
fn deprecation(version: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let warning = version.get("deprecationWarning");
    let Some(text) = warning.node.as_str() else { return };
    if !version.get("deprecated").is_true() {
        return errors.invalid(&warning, "can only be set for deprecated versions");
    }
    if text.len() > 256 {
        errors.invalid(&warning, "must be <= 256 characters long");
    }
    if text.is_empty() {
        errors.invalid(&warning, "must not be an empty string");
    }
    if let Some((at, _)) = text.char_indices().find(|(_, character)| character.is_control()) {
        let words = "must only contain printable UTF-8 characters; non-printable character found at index";
        errors.invalid(&warning, format!("{words} {at}"));
    }
}

/// ValidateCustomResourceDefinitionStoredVersions, of the status that the server fills in.
fn stored_versions(at: &At<'_, '_>, versions: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let status = at.below("status");
    let stored = versions.moved(&status, "storedVersions");
    let mut names = versions.items().filter(|version| version.get("storage").is_true());
    match names.next() {
        None => errors.invalid(&stored, "must have at least one stored version"),
        Some(_) => names.for_each(|version| {
            errors.invalid(&stored, format!("must have the storage version {}", version.node_text("name")));
        }),
    }
}

/// validateCustomResourceConversion.
fn conversion(at: &At<'_, '_>, preserves_unknown: bool, errors: &mut ErrorList<'_>) {
    if !at.is_set() {
        return;
    }
    let (strategy, webhook) = (at.get("strategy"), at.get("webhook"));
    let client = webhook.get("clientConfig");
    let versions = webhook.get("conversionReviewVersions");
    let (client, versions) =
        (client.moved(at, "webhookClientConfig"), versions.moved(at, "conversionReviewVersions"));
    if strategy.text().is_empty() {
        if strategy.is_set() {
            errors.required(&strategy, "");
        }
    } else if !matches!(strategy.text(), "None" | "Webhook") {
        errors.unsupported(&strategy, &["None", "Webhook"]);
    }
    if preserves_unknown && strategy.text() != "None" {
        errors.invalid(&strategy, "must be None if spec.preserveUnknownFields is true");
    }
    if strategy.text() != "Webhook" {
        let words = "should not be set when strategy is not set to Webhook";
        if client.is_set() {
            errors.forbidden(&client, words);
        }
        if versions.len() > 0 {
            errors.forbidden(&versions, words);
        }
        return;
    }
    let (url, service) = (client.get("url"), client.get("service"));
    if !client.is_set() {
        errors.required(&client, "required when strategy is set to Webhook");
    } else if url.is_set() == service.is_set() {
        errors.required(&client, "exactly one of url or service is required");
    } else if url.is_set() {
        client_url(&url, errors);
    }
    if versions.len() == 0 {
        errors.required(&versions, "");
    } else {
        review_versions(&versions, errors);
    }
}

/// ValidateCustomResourceDefinitionSubresources.
fn scale(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let scale = at.get("scale");
    if !scale.is_set() {
        return;
    }
    let paths: [(&str, &[&str], &str); 3] = [
        ("specReplicasPath", &[".spec."], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ];
    for (field, starts, words) in paths {
        let path = scale.get(field);
        if path.text().is_empty() {
            // The walk of the types reports the other two if they are missing.
            if path.is_set() && field != "labelSelectorPath" {
                errors.required(&path, "");
            }
        } else if is_simple_path(&path, errors) && !starts.iter().any(|start| path.text().starts_with(start))
        {
            errors.invalid(&path, words);
        }
    }
}

/// ValidateCustomResourceColumnDefinition.
fn check_column(column: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const TYPES: &str = "must be one of boolean,date,integer,number,string";
    const FORMATS: &str = "must be one of byte,date,date-time,double,float,int32,int64,password";
    let (name, of_type) = (column.get("name"), column.get("type"));
    let (format, path) = (column.get("format"), column.get("jsonPath"));
    if name.is_set() && name.text().is_empty() {
        errors.required(&name, "");
    }
    if of_type.is_set() && of_type.text().is_empty() {
        errors.required(&of_type, TYPES);
    } else if !of_type.text().is_empty() && !is_listed(TYPES, of_type.text()) {
        errors.invalid(&of_type, TYPES);
    }
    if !format.text().is_empty() && !is_listed(FORMATS, format.text()) {
        errors.invalid(&format, FORMATS);
    }
    let path = path.moved(column, "JSONPath");
    if !path.text().is_empty() {
        is_simple_path(&path, errors);
    } else if path.is_set() {
        errors.required(&path, "");
    }
}

/// Whether a message that ends with a list has the word in it.
fn is_listed(message: &str, word: &str) -> bool {
    message.rsplit(' ').next().is_some_and(|list| list.split(',').any(|known| known == word))
}

/// validateSimpleJSONPath: reports a path that is none.
fn is_simple_path(path: &At<'_, '_>, errors: &mut ErrorList<'_>) -> bool {
    let is_simple = path.text().starts_with('.');
    if !is_simple {
        errors.invalid(path, "must be a simple json path starting with .");
    }
    is_simple
}

/// ValidateCustomResourceSelectableFields.
fn selectable(at: &At<'_, '_>, schema: Option<&Node>, errors: &mut ErrorList<'_>) {
    let mut seen = HashSet::new();
    for field in at.items() {
        let path = field.get("jsonPath");
        if path.text().is_empty() {
            if path.is_set() {
                errors.required(&path, "");
            }
            continue;
        }
        let Some(schema) = schema.filter(|schema| !schema.is_null()) else { continue };
        let (steps, found) = match structural::field_at(path.text(), schema, false) {
            Ok(found) => found,
            Err(error) => {
                errors.invalid(&path, format!("is an invalid path: {error}"));
                continue;
            }
        };
        if steps.first().is_some_and(|step| step == "metadata") {
            errors.invalid(&path, "must not point to fields in metadata");
        }
        let of_type = found.get("type").and_then(Node::as_str);
        if !matches!(of_type, Some("string" | "boolean" | "integer")) {
            let words = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                         formats are allowed.";
            errors.invalid(&path, words);
        }
        if !seen.insert(steps) {
            errors.duplicate(&path);
        }
    }
    if seen.len() > MAX_SELECTABLE {
        let words = format!("{}: must have at most {MAX_SELECTABLE} items", seen.len());
        errors.add(at, Reason::TooMany, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::FieldError;
    use testing::tree;

    /// What is refused of a definition with this version in the place of the only one.
    #[track_caller]
    fn check(spec: &str, expected: &[&str]) {
        let mut object = tree(
            "{metadata: {name: as.ex.io}, spec: {group: ex.io, scope: Cluster, names: {plural: as, kind: A},
              versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object,
                properties: {spec: {type: object, properties: {a: {type: string}, b: {type: object}}}}}}}]}}",
        );
        let of_spec = object.as_map_mut().and_then(|map| map.get_mut("spec")?.as_map_mut()).expect("a spec");
        for entry in tree(&format!("{{{spec}}}")).as_map().expect("a map") {
            of_spec.remove(&entry.key);
            of_spec.insert(&*entry.key, entry.key_span, entry.value.clone());
        }
        let mut found = Vec::new();
        let mut add = |FieldError { path, reason, detail, .. }: FieldError| {
            found.push(format!("{path}: {reason}: {detail}").trim_end_matches(": ").to_owned());
        };
        let start = At::start(&object, object.span, false);
        definition(&start, &mut ErrorList::new(&mut add, &object));
        assert_eq!(found, expected, "{spec}");
    }

    const SCHEMA: &str = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, \
        properties: {a: {type: string}, b: {type: object}}}}}}";

    #[test]
    fn a_definition_has_a_name_and_a_group() {
        check("scope: Namespaced", &[]);
        check(
            "names: {plural: bs, kind: A, listKind: A}",
            &[
                "metadata.name: Invalid value: must be spec.names.plural+\".\"+spec.group",
                "spec.names.listKind: Invalid value: kind and listKind may not be the same",
            ],
        );
        check(
            "names: {plural: as.ex, kind: A}, group: io",
            &["spec.group: Invalid value: should be a domain with at least one dot"],
        );
        check(
            "names: {plural: as, kind: A}, group: x.k8s.io",
            &[
                "metadata.name: Invalid value: must be spec.names.plural+\".\"+spec.group",
                "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have \
                 approval annotation \"api-approved.kubernetes.io\", see \
                 https://github.com/kubernetes/enhancements/pull/1111",
            ],
        );
    }

    #[test]
    fn one_of_several_versions_is_stored() {
        let version = |name: &str, storage: bool| {
            format!("{{name: {name}, served: true, storage: {storage}, {SCHEMA}}}")
        };
        let versions = |first, second| format!("versions: [{}, {}]", first, second);
        check(&versions(version("v1", true), version("v2", false)), &[]);
        check(
            &versions(version("v1", true), version("v1", true)),
            &[
                "spec.versions: Invalid value: must contain unique version names",
                "spec.versions: Invalid value: must have exactly one version marked as storage version",
                "status.storedVersions: Invalid value: must have the storage version v1",
            ],
        );
        check(
            "versions: []",
            &[
                "spec.versions: Invalid value: must have exactly one version marked as storage version",
                "status.storedVersions: Invalid value: must have at least one stored version",
            ],
        );
        check(
            "versions: [{name: v1, storage: true, deprecationWarning: old}]",
            &[
                "spec.versions[0].deprecationWarning: Invalid value: can only be set for deprecated versions",
                "spec.versions[0].schema.openAPIV3Schema: Required value",
            ],
        );
    }

    #[test]
    fn what_all_versions_have_is_a_field_of_the_spec() {
        let columns = "additionalPrinterColumns: [{name: a, type: str, jsonPath: spec}]";
        let version = format!("storage: true, {SCHEMA}, {columns}");
        let of_spec = [
            "spec.additionalPrinterColumns[0].type: Invalid value: must be one of boolean,date,integer,number,string",
            "spec.additionalPrinterColumns[0].JSONPath: Invalid value: must be a simple json path starting with .",
        ];
        check(&format!("versions: [{{name: v1, {version}}}]"), &of_spec);
        let of_version = of_spec.map(|message| message.replace("spec.add", "spec.versions[0].add"));
        let other = format!("{{name: v2, {SCHEMA}}}");
        check(&format!("versions: [{{name: v1, {version}}}, {other}]"), &[&of_version[0], &of_version[1]]);
    }

    #[test]
    fn selectable_fields_are_few_scalars() {
        let fields = |paths: &str| {
            let fields: Vec<String> =
                paths.split(' ').map(|path| format!("{{jsonPath: {path:?}}}")).collect();
            format!(
                "versions: [{{name: v1, storage: true, {SCHEMA}, selectableFields: [{}]}}]",
                fields.join(", ")
            )
        };
        check(&fields(".spec.a"), &[]);
        let at = "spec.selectableFields";
        check(
            &fields(".spec.a .spec.a .spec.b .spec.c .spec['a'] .metadata.name spec.a"),
            &[
                &format!("{at}[1].jsonPath: Duplicate value"),
                &format!(
                    "{at}[2].jsonPath: Invalid value: must point to a field of type string, boolean or integer. Enum \
                     string fields and strings with formats are allowed."
                ),
                &format!(
                    "{at}[3].jsonPath: Invalid value: is an invalid path: does not refer to a valid field"
                ),
                &format!(
                    "{at}[4].jsonPath: Invalid value: is an invalid path: array notation is not allowed"
                ),
                &format!(
                    "{at}[5].jsonPath: Invalid value: is an invalid path: does not refer to a valid field"
                ),
                &format!(
                    "{at}[6].jsonPath: Invalid value: is an invalid path: expected [ or . but got: spec"
                ),
            ],
        );
    }

    #[test]
    fn conversion_is_none_or_by_a_webhook() {
        check("conversion: {strategy: None}", &[]);
        check(
            "conversion: {strategy: none}",
            &["spec.conversion.strategy: Unsupported value: supported values: \"None\", \"Webhook\""],
        );
        check(
            "conversion: {strategy: Webhook}",
            &[
                "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
                "spec.conversion.conversionReviewVersions: Required value",
            ],
        );
        check(
            "conversion: {strategy: None, webhook: {clientConfig: {}, conversionReviewVersions: [v1]}}",
            &[
                "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
                "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to \
                 Webhook",
            ],
        );
    }

    #[test]
    fn subresources_are_at_paths_of_spec_and_status() {
        let scale = "subresources: {scale: {specReplicasPath: .status.a, statusReplicasPath: status, labelSelectorPath: .a}}";
        check(
            &format!("versions: [{{name: v1, storage: true, {SCHEMA}, {scale}}}]"),
            &[
                "spec.subresources.scale.specReplicasPath: Invalid value: should be a json path under .spec",
                "spec.subresources.scale.statusReplicasPath: Invalid value: must be a simple json path starting with .",
                "spec.subresources.scale.labelSelectorPath: Invalid value: should be a json path under either .spec or \
                 .status",
            ],
        );
    }
}
