//! OpenAPI schemas of custom resources, as far as they fill in defaults.

use crate::manifest::tree::Node;

/// The schema of the value of `key` in a map of `schema`; nothing when it says nothing about that key.
pub(super) fn property<'s>(schema: &'s Node, key: &str) -> Option<&'s Node> {
    match schema.get("properties") {
        Some(properties) => properties.get(key),
        None => schema.get("additionalProperties"),
    }
}

/// The value at a dotted path of `object` as the API would have it: where a map of the object lacks a key, or
/// has a null that `schema` does not allow, the schema's default counts. Nothing when there is neither. A map
/// is returned as it stands, without defaults inside.
pub fn at_or_default<'a>(object: &'a Node, schema: Option<&'a Node>, path: &str) -> Option<&'a Node> {
    let mut here = (object, schema);
    for key in path.split('.') {
        let (node, schema) = here;
        let map = node.as_map()?;
        let named =
            schema.and_then(|schema| schema.get("properties")).and_then(|properties| properties.get(key));
        let child = schema.and_then(|schema| property(schema, key));
        let value = match map.get(key) {
            Some(value) if !is_unwanted_null(value, child) => Some(value),
            Some(value) => default(child).or(Some(value)),
            None => default(named),
        };
        here = (value?, child);
    }
    Some(here.0)
}

fn default(schema: Option<&Node>) -> Option<&Node> {
    schema?.get("default")
}

fn is_unwanted_null(node: &Node, schema: Option<&Node>) -> bool {
    let nullable =
        || schema.and_then(|schema| schema.get("nullable")).and_then(Node::as_bool).unwrap_or(false);
    node.is_null() && !nullable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::node;

    const SCHEMA: &str = "
        properties:
          spec:
            default: {a: 1}
            properties:
              a: {default: 2}
              b: {default: {}, properties: {c: {default: x}}}
              maybe: {default: 3, nullable: true}
          status:
            properties: {phase: {default: new}}
          items:
            items: {default: d, properties: {port: {default: 80}}}
          limits:
            additionalProperties: {default: 9, properties: {unit: {default: m}}}
    ";

    #[track_caller]
    fn check_at(object: &str, path: &str, value: Option<&str>) {
        assert_eq!(at_or_default(&node(object), Some(&node(SCHEMA)), path), value.map(node).as_ref());
    }

    #[test]
    fn a_default_counts_where_an_existing_map_lacks_the_key() {
        check_at("{spec: {}}", "spec.a", Some("2"));
        check_at("{spec: {a: 5}}", "spec.a", Some("5"));
        check_at("{}", "spec.a", Some("1"));
        check_at("{}", "spec.maybe", Some("3"));
        check_at("{spec: {}}", "spec.b.c", Some("x"));
        check_at("{}", "status.phase", None);
        check_at("{status: {}}", "status.phase", Some("new"));
        check_at("{spec: 5}", "spec.a", None);
        check_at("{spec: {}}", "spec.z", None);
        check_at("{limits: {}}", "limits.x", None);
        check_at("{limits: {x: {}}}", "limits.x.unit", Some("m"));
    }

    #[test]
    fn a_default_counts_where_the_schema_does_not_allow_null() {
        check_at("{spec: {a: null}}", "spec.a", Some("2"));
        check_at("{spec: {maybe: null}}", "spec.maybe", Some("null"));
        check_at("{limits: {x: null}}", "limits.x", Some("9"));
        check_at("{status: null}", "status", Some("null"));
    }
}
