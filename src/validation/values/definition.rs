//! CustomResourceDefinitions (apiextensions-apiserver, apis/apiextensions/validation).

use super::field_error::ErrorList;
use super::structural;
use crate::at::At;
use policy::Rules;
use syntax::tree::Node;

/// The annotation that approves of a kind in a group of the Kubernetes project.
const APPROVAL: &str = "api-approved.kubernetes.io";

/// ValidateCustomResourceDefinition.
///
/// *Compatibility* (definition-fields): an error is at the field that is written; the server names some fields as its own version
/// of the definition has them.
pub(super) fn definition(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
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
    if versions.items().filter(|version| version.get("storage").is_true()).count() != 1 {
        errors.invalid(&versions, "must have exactly one version marked as storage version");
    }
    for version in versions.items() {
        let schema = version.get("schema");
        let schema = schema.get("openAPIV3Schema");
        let before = errors.count;
        structural::check(&schema, errors);
        if errors.count == before {
            // The server compiles the rules of a structural schema alone.
            Rules::errors(schema.node).into_iter().for_each(|error| errors.expression(&schema, error));
        }
        version.get("selectableFields").items().for_each(|field| selectable(&field, schema.node, errors));
    }
}

/// ValidateCustomResourceSelectableFields.
fn selectable(field: &At<'_, '_>, schema: &Node, errors: &mut ErrorList<'_>) {
    let path = field.get("jsonPath");
    let Some(steps) = path.text().strip_prefix('.') else { return };
    let found = steps.split('.').try_fold(schema, |schema, step| schema.get("properties")?.get(step));
    match found.map(|schema| schema.get("type").and_then(Node::as_str)) {
        None => errors.invalid(&path, "is an invalid path: does not refer to a valid field"),
        Some(Some("string" | "boolean" | "integer")) => {}
        Some(_) => errors.invalid(
            &path,
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
    }
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

/// ValidateCustomResourceDefinitionSubresources.
pub(super) fn scale(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let paths: [(&str, &[&str], &str); 3] = [
        ("specReplicasPath", &[".spec."], "should be a json path under .spec"),
        ("statusReplicasPath", &[".status."], "should be a json path under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "should be a json path under either .spec or .status"),
    ];
    for (field, starts, words) in paths {
        let path = at.get(field);
        if !path.text().is_empty() && !starts.iter().any(|start| path.text().starts_with(start)) {
            errors.invalid(&path, words);
        }
    }
}

/// validateSimpleJSONPath.
pub(super) fn simple_path(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !at.text().is_empty() && !at.text().starts_with('.') {
        errors.invalid(at, "must be a simple json path starting with .");
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
        let start = At::start(&object);
        definition(&start, &mut ErrorList::new(&mut add, &object));
        assert_eq!(found, expected, "{spec}");
    }

    const SCHEMA: &str = "schema: {openAPIV3Schema: {type: object}}";

    #[test]
    fn a_definition_has_a_name_and_a_group() {
        check("scope: Namespaced", &[]);
        check(
            "names: {plural: bs, kind: A, listKind: A}",
            &["metadata.name: Invalid value: must be spec.names.plural+\".\"+spec.group"],
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
        let versions = |first, second| format!("versions: [{first}, {second}]");
        check(&versions(version("v1", true), version("v2", false)), &[]);
        let expected =
            "spec.versions: Invalid value: must have exactly one version marked as storage version";
        check(&versions(version("v1", true), version("v2", true)), &[expected]);
        check("versions: []", &[expected]);
    }

    #[test]
    fn selectable_fields_are_scalars_of_the_schema() {
        let schema = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}";
        let fields =
            "[{jsonPath: .spec.a}, {jsonPath: .spec}, {jsonPath: .spec.b}, {jsonPath: .metadata.name}]";
        let at = "spec.versions[0].selectableFields";
        let unknown = "Invalid value: is an invalid path: does not refer to a valid field";
        check(
            &format!("versions: [{{name: v1, storage: true, {schema}, selectableFields: {fields}}}]"),
            &[
                &format!(
                    "{at}[1].jsonPath: Invalid value: must point to a field of type string, boolean or integer. Enum \
                     string fields and strings with formats are allowed."
                ),
                &format!("{at}[2].jsonPath: {unknown}"),
                &format!("{at}[3].jsonPath: {unknown}"),
            ],
        );
    }
}
