//! The selectable fields in OpenAPI documents, of which a server publishes one for all kinds or one for each group and
//! version.

use std::sync::Arc;

use super::definition::Version;
use syntax::gvk::GroupVersionKind;
use syntax::tree::{Map, Node, Span, Value};

/// The extension with which a schema lists selectable fields. A document without this word is skipped.
pub const SELECTABLE_FIELDS: &str = "x-kubernetes-selectable-fields";

/// The kinds whose schemas list selectable fields, with their versions.
pub(super) fn kinds(document: &Node) -> impl Iterator<Item = (GroupVersionKind<'_>, Version)> {
    let schemas = ["components.schemas", "definitions"].into_iter().filter_map(|path| document.at(path));
    let schemas = schemas.filter_map(Node::as_map).flat_map(Map::iter).map(|entry| &entry.value);
    schemas.filter_map(|schema| {
        let fields = schema.get(SELECTABLE_FIELDS)?.as_seq()?;
        // A schema with several kinds is shared by them, like that of DeleteOptions.
        let [kind] = schema.get("x-kubernetes-group-version-kind")?.as_seq()? else { return None };
        let text = |key| kind.get(key).and_then(Node::as_str);
        let gvk = GroupVersionKind { group: text("group")?, version: text("version")?, kind: text("kind")? };
        let selectable_fields = fields.iter().filter_map(path).map(str::to_owned).collect();
        Some((gvk, Version { selectable_fields, ..version(gvk.version, schema.clone()) }))
    })
}

/// A served version of which only the schema is known.
pub(super) fn version(name: &str, schema: Node) -> Version {
    let (name, schema) = (name.to_owned(), Some(Arc::new(schema)));
    Version { name, served: true, schema, ..Version::default() }
}

/// A schema in JSON Schema's words as a definition has it: `oneOf` an integer and a string is `x-kubernetes-int-or-string`.
pub(super) fn structural(mut schema: Node) -> Node {
    let mut pending = vec![&mut schema];
    while let Some(node) = pending.pop() {
        match &mut node.value {
            Value::Map(map) => {
                let is_either = map.get("type").is_none()
                    && ["oneOf", "anyOf"].iter().any(|key| map.get(key).is_some_and(is_integer_or_string));
                if is_either {
                    map.insert("x-kubernetes-int-or-string", Span::default(), Node::new(Value::Bool(true)));
                    ["oneOf", "anyOf"].iter().for_each(|key| drop(map.remove(key)));
                } else {
                    pending.extend(map.values_mut());
                }
            }
            Value::Seq(items) => pending.extend(items),
            _ => (),
        }
    }
    schema
}

fn is_integer_or_string(branches: &Node) -> bool {
    let branches = branches.as_seq().unwrap_or_default();
    let mut types: Vec<&str> =
        branches.iter().filter_map(|branch| branch.get("type").and_then(Node::as_str)).collect();
    types.sort_unstable();
    types == ["integer", "string"]
        && branches.iter().all(|branch| branch.as_map().is_some_and(|map| map.len() == 1))
}

/// The path of a selectable field, which definitions call `jsonPath`.
fn path(field: &Node) -> Option<&str> {
    field.get("fieldPath").or_else(|| field.get("jsonPath")).and_then(Node::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::{WIDGETS, catalog};
    use crate::catalog::{Catalog, fields};
    use crate::view::testing::tree;

    fn document(schemas: &str) -> Node {
        tree(&format!("{{openapi: 3.0.0, components: {{schemas: {{{schemas}}}}}}}"))
    }

    fn schema(name: &str, group: &str, version: &str, kind: &str, path: &str) -> String {
        format!(
            "{name}: {{type: object, x-kubernetes-group-version-kind: [{{group: '{group}', version: {version}, \
             kind: {kind}}}], {SELECTABLE_FIELDS}: [{{{path}}}]}}"
        )
    }

    #[track_caller]
    fn check_fields(catalog: &Catalog, kind: &str, version: &str, expected: &[&str]) {
        let resource = catalog.of("shop.example.com/v1", kind).expect("a known kind");
        assert_eq!(fields::supported(resource, version)[2..], *expected);
    }

    #[test]
    fn schemas_tell_the_selectable_fields_of_each_version() {
        let mut catalog = Catalog::new();
        let first = schema("a", "shop.example.com", "v1beta1", "Gizmo", "fieldPath: spec.old");
        catalog.learn_openapi(&document(&first));
        let second = schema("a", "shop.example.com", "v1", "Gizmo", "jsonPath: .spec.new");
        catalog.learn_openapi(&tree(&format!("{{swagger: '2.0', definitions: {{{second}}}}}")));
        check_fields(&catalog, "Gizmo", "v1", &["spec.new"]);
        check_fields(&catalog, "Gizmo", "v1beta1", &["spec.old"]);
        let resource = catalog.of("shop.example.com/v1", "Gizmo").expect("a known kind");
        assert_eq!(resource.qualified(), "gizmos.shop.example.com");
        assert_eq!(resource.api_version().as_deref(), Some("shop.example.com/v1"));
    }

    #[test]
    fn a_definition_tells_more_than_a_schema() {
        let schema = schema("a", "shop.example.com", "v1", "Widget", "fieldPath: spec.other");
        let mut catalog = catalog(&[WIDGETS]);
        catalog.learn_openapi(&document(&schema));
        check_fields(&catalog, "Widget", "v1", &["spec.color", "spec.size", "spec.shiny"]);

        let mut catalog = Catalog::new();
        catalog.learn_openapi(&document(&schema));
        check_fields(&catalog, "Widget", "v1", &["spec.other"]);
        catalog.learn_definition(&tree(WIDGETS)).expect("a definition");
        check_fields(&catalog, "Widget", "v1", &["spec.color", "spec.size", "spec.shiny"]);
    }

    #[test]
    fn built_in_kinds_are_known_better() {
        let mut catalog = Catalog::new();
        catalog.learn_openapi(&document(&schema("a", "apps", "v1", "Deployment", "fieldPath: spec.x")));
        let deployments = catalog.of("apps/v1", "Deployment").expect("a known kind");
        assert_eq!(fields::supported(deployments, "v1"), ["metadata.name", "metadata.namespace"]);
    }

    #[test]
    fn what_is_malformed_teaches_nothing() {
        for text in [
            "{openapi: 3.0.0}",
            "{openapi: 3.0.0, components: {schemas: []}}",
            "{openapi: 3.0.0, definitions: {a: {x-kubernetes-selectable-fields: {}}}}",
            "{openapi: 3.0.0, definitions: {a: {x-kubernetes-selectable-fields: []}}}",
        ] {
            assert_eq!(kinds(&tree(text)).count(), 0, "{text}");
        }
    }
}
