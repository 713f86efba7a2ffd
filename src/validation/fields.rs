//! The fields of a custom resource that its schema does not know: those the API server would drop, and refuses
//! under strict validation (apiextensions, schema/pruning).

use std::fmt::Write;

use crate::manifest::tree::{Entry, Node, Span, Value};

/// How many unknown fields of one object are told of: with more, the schema is not the object's.
const MAX_UNKNOWN: usize = 100;

/// The fields that every object has, whatever its schema says.
const OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Calls `found` with the place and the path of each field of `object` that `schema` does not know, up to a
/// limit.
pub(super) fn unknown(object: &Node, schema: &Node, found: &mut dyn FnMut(Span, String)) {
    let mut walk = Walk { path: Vec::new(), left: MAX_UNKNOWN, found };
    walk.object(object, schema, true);
}

/// One step of a path.
#[derive(Clone, Copy)]
enum Step<'t> {
    Key(&'t str),
    Index(usize),
}

struct Walk<'t, 'f> {
    path: Vec<Step<'t>>,
    left: usize,
    found: &'f mut dyn FnMut(Span, String),
}

impl<'t> Walk<'t, '_> {
    fn node(&mut self, node: &'t Node, schema: &Node) {
        match &node.value {
            Value::Map(_) => self.object(node, schema, is_set(schema, "x-kubernetes-embedded-resource")),
            Value::Seq(items) => {
                let Some(schema) = schema.get("items") else { return };
                for (index, item) in items.iter().enumerate() {
                    self.step(Step::Index(index), item, schema);
                }
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => {}
        }
    }

    /// A map that is an object of Kubernetes if `whole`, whose type and metadata are then no matter of the
    /// schema.
    fn object(&mut self, node: &'t Node, schema: &Node, whole: bool) {
        // `additionalProperties: true` allows everything. A map where something else is wanted is another
        // mistake.
        if schema.as_map().is_none()
            || schema.get("type").and_then(Node::as_str).is_some_and(|name| name != "object")
        {
            return;
        }
        let preserves = is_set(schema, "x-kubernetes-preserve-unknown-fields");
        let properties = schema.get("properties");
        let additional = schema.get("additionalProperties").filter(|node| node.as_bool() != Some(false));
        for Entry { key, key_span, value } in node.as_map().into_iter().flatten() {
            let known = properties.and_then(|properties| properties.get(key)).or(additional);
            match known {
                _ if whole && OBJECT.contains(&key.as_str()) => {}
                Some(schema) => self.step(Step::Key(key), value, schema),
                None if preserves => {}
                None => self.report(Step::Key(key), *key_span),
            }
        }
    }

    fn step(&mut self, step: Step<'t>, node: &'t Node, schema: &Node) {
        self.path.push(step);
        self.node(node, schema);
        self.path.pop();
    }

    fn report(&mut self, last: Step<'t>, span: Span) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let mut path = String::new();
        for step in self.path.iter().chain([&last]) {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => write!(path, ".{key}").expect("impossible: a String"),
                Step::Index(index) => write!(path, "[{index}]").expect("impossible: a String"),
            }
        }
        (self.found)(span, path);
    }
}

fn is_set(schema: &Node, key: &str) -> bool {
    schema.get(key).and_then(Node::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::tree;

    const SCHEMA: &str = "
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string}
              size: {x-kubernetes-int-or-string: true}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
              limits: {type: object, additionalProperties: {type: object, properties: {max: {type: integer}}}}
              any: {type: object, additionalProperties: true}
              none: {type: object, additionalProperties: false, properties: {a: {type: string}}}
              free:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {strict: {type: object, properties: {a: {type: string}}}}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                properties: {spec: {type: object}}
    ";

    #[track_caller]
    fn check(object: &str, paths: &[&str]) {
        let mut found = Vec::new();
        unknown(&tree(object), &tree(SCHEMA), &mut |_, path| found.push(path));
        assert_eq!(found, paths, "{object}");
    }

    #[test]
    fn fields_without_a_property_are_unknown() {
        check("{apiVersion: a, kind: b, metadata: {name: a}, spec: {color: x, size: 3}}", &[]);
        check("{stauts: {}, spec: {colour: x}}", &["stauts", "spec.colour"]);
        check(
            "{spec: {parts: [{name: a}, {nmae: b, metadata: {}}]}}",
            &["spec.parts[1].nmae", "spec.parts[1].metadata"],
        );
    }

    #[test]
    fn free_maps_have_any_key_and_known_values() {
        check("{spec: {limits: {a: {max: 1}, b: {min: 1}}}}", &["spec.limits.b.min"]);
        check("{spec: {any: {x: {z: 1}}}}", &[]);
        check("{spec: {none: {a: a, b: b}}}", &["spec.none.b"]);
    }

    #[test]
    fn preserved_fields_are_known_but_not_within_known_ones() {
        check("{spec: {free: {x: {z: 1}, strict: {a: a, b: b}}}}", &["spec.free.strict.b"]);
    }

    #[test]
    fn an_object_within_has_type_and_metadata() {
        check(
            "{spec: {template: {apiVersion: v1, kind: Pod, metadata: {x: y}, spec: {}, data: {}}}}",
            &["spec.template.data"],
        );
    }

    #[test]
    fn a_value_of_another_type_is_another_matter() {
        check("{spec: {color: {a: b}, parts: {a: b}, limits: [1]}}", &[]);
        check("{spec: null}", &[]);
    }

    #[test]
    fn not_all_of_too_many_are_told() {
        let many: Vec<String> = (0..200).map(|number| format!("k{number}: 1")).collect();
        let mut count = 0;
        unknown(&tree(&format!("{{{}}}", many.join(", "))), &tree(SCHEMA), &mut |_, _| count += 1);
        assert_eq!(count, MAX_UNKNOWN);
    }
}
