//! What the structural schemas of custom resources make of objects: defaults, and fields that are dropped.

use std::collections::HashMap;

use syntax::tree::{Map, Node, Span, Value};

/// The schema of the value of `key` in a map of `schema`; `None` if there is none.
pub(super) fn property<'s>(schema: &'s Node, key: &str) -> Option<&'s Node> {
    match schema.get("properties") {
        Some(properties) => properties.get(key),
        None => schema.get("additionalProperties"),
    }
}

/// The value at a dotted path of `object` with the API's defaults: if a map of the object does not have a key, or has a
/// null that `schema` does not allow, the schema's default counts. `None` if there is neither. A map is returned
/// unchanged, without defaults inside.
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

/// Whether `schema` has any defaults.
pub fn has_defaults(schema: &Node) -> bool {
    schema.children().any(|(key, value)| key == "default" || has_defaults(value))
}

/// Adds the defaults of `schema` to `node`: only to existing maps, then to added values (apiextensions,
/// defaulting.Default).
pub fn apply_defaults(node: &mut Node, schema: &Node) {
    Filler { left: MAX_FILLED }.apply(node, schema);
}

/// The maximum number of values that [`apply_defaults`] adds. Otherwise, a large default for the elements of a long
/// list would outgrow both texts; no API server would accept such an object.
const MAX_FILLED: usize = 100_000;

/// Adds defaults up to the limit.
struct Filler {
    /// How many more values may be added.
    left: usize,
}

impl Filler {
    fn apply(&mut self, node: &mut Node, schema: &Node) {
        match &mut node.value {
            Value::Map(map) => *map = self.filled(std::mem::take(map), schema),
            Value::Seq(items) => {
                if let Some(schema) = schema.get("items") {
                    items.iter_mut().for_each(|item| self.fill(item, schema));
                }
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => {}
        }
    }

    fn filled(&mut self, map: Map, schema: &Node) -> Map {
        let properties = || schema.get("properties").and_then(Node::as_map).into_iter().flatten();
        let additional = schema.get("additionalProperties");
        let mut missing: HashMap<&str, &Node> =
            properties().map(|property| (property.key.as_str(), &property.value)).collect();
        let mut filled = Map::default();
        for mut entry in map {
            if let Some(schema) = missing.remove(entry.key.as_str()).or(additional) {
                self.fill(&mut entry.value, schema);
            }
            filled.insert(entry.key, entry.key_span, entry.value);
        }
        for property in properties().filter(|property| missing.contains_key(property.key.as_str())) {
            if let Some(mut value) = self.default(&property.value) {
                self.apply(&mut value, &property.value);
                filled.insert(property.key.clone(), Span::default(), value);
            }
        }
        filled
    }

    /// Replaces a null that `schema` does not allow by the default, and continues inside.
    fn fill(&mut self, node: &mut Node, schema: &Node) {
        if is_unwanted_null(node, Some(schema))
            && let Some(default) = self.default(schema)
        {
            *node = default;
        }
        self.apply(node, schema);
    }

    /// The default of `schema`; `None` if it has none or the limit is reached.
    fn default(&mut self, schema: &Node) -> Option<Node> {
        let default = default(Some(schema))?;
        self.left = self.left.saturating_sub(size(default));
        (self.left > 0).then(|| default.clone())
    }
}

/// Drops what a server does not store: fields that `schema` does not have, and nulls that it does not allow and for which it
/// has no default (apiextensions-apiserver, pkg/apiserver/schema/pruning and defaulting,
/// PruneNonNullableNullsWithoutDefaults).
pub fn prune(object: &mut Node, schema: &Node) {
    prune_value(object, Some(schema), true);
}

/// `is_object` is whether the value is a whole object, whose head and metadata are not in its schema.
fn prune_value(node: &mut Node, schema: Option<&Node>, is_object: bool) {
    let is_set = |key: &str| schema.and_then(|schema| schema.get(key)?.as_bool()) == Some(true);
    let keeps_all = is_set("x-kubernetes-preserve-unknown-fields");
    let is_object = is_object || is_set("x-kubernetes-embedded-resource");
    let below = |key: &str| schema.and_then(|schema| schema.get(key));
    match &mut node.value {
        Value::Map(map) => {
            map.retain(|key, value| {
                if is_object && matches!(key, "apiVersion" | "kind" | "metadata") {
                    return true;
                }
                let named = below("properties").and_then(|properties| properties.get(key));
                let Some(of) = named.or_else(|| below("additionalProperties")) else { return keeps_all };
                let keeps = !is_unwanted_null(value, Some(of)) || default(Some(of)).is_some();
                if keeps {
                    prune_value(value, of.as_map().map(|_| of), false);
                }
                keeps
            });
        }
        Value::Seq(items) => match below("items") {
            None if keeps_all => (),
            of => items.iter_mut().for_each(|item| prune_value(item, of, false)),
        },
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => {}
    }
}

/// The number of values in `node`, including itself.
fn size(node: &Node) -> usize {
    1 + node.children().map(|(_, value)| size(value)).sum::<usize>()
}

fn default(schema: Option<&Node>) -> Option<&Node> {
    schema?.get("default")
}

fn is_unwanted_null(node: &Node, schema: Option<&Node>) -> bool {
    node.is_null() && !schema.is_some_and(|schema| schema.is_true("nullable"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::tree;

    #[test]
    fn what_a_schema_does_not_have_is_dropped() {
        let schema = tree(
            "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, n: {nullable: true}, \
              d: {default: 1}, open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {o: {type: object}}}, \
              pod: {type: object, x-kubernetes-embedded-resource: true}, \
              list: {type: array, items: {type: object, properties: {k: {type: string}}}}, \
              map: {type: object, additionalProperties: {type: object, properties: {k: {type: string}}}}}}}}",
        );
        let mut object = tree(
            "{apiVersion: x/v1, kind: A, metadata: {name: a, labels: {b: c}}, other: 1, spec: {a: null, n: null, d: null, x: 1, \
              open: {y: {z: 1}, o: {p: 1}}, pod: {kind: Pod, metadata: {name: p}, spec: {}}, list: [{k: a, x: 1}, y], \
              map: {m: {k: b, x: 2}}}}",
        );
        prune(&mut object, &schema);
        assert_eq!(
            object,
            tree(
                "{apiVersion: x/v1, kind: A, metadata: {name: a, labels: {b: c}}, spec: {n: null, d: null, \
                  open: {y: {z: 1}, o: {}}, pod: {kind: Pod, metadata: {name: p}}, list: [{k: a}, y], map: {m: {k: b}}}}"
            )
        );
    }

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
        assert_eq!(at_or_default(&tree(object), Some(&tree(SCHEMA)), path), value.map(tree).as_ref());
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

    #[track_caller]
    fn check_defaults(object: &str, filled: &str) {
        let mut object = tree(object);
        apply_defaults(&mut object, &tree(SCHEMA));
        assert_eq!(object, tree(filled));
    }

    #[test]
    fn defaults_fill_existing_maps_and_what_was_filled_in() {
        check_defaults("{}", "{spec: {a: 1, b: {c: x}, maybe: 3}}");
        check_defaults("{spec: {}}", "{spec: {a: 2, b: {c: x}, maybe: 3}}");
        check_defaults("{spec: {b: {c: y}, z: 1}}", "{spec: {b: {c: y}, z: 1, a: 2, maybe: 3}}");
        check_defaults("{spec: 5, status: {}}", "{spec: 5, status: {phase: new}}");
    }

    #[test]
    fn defaults_replace_nulls_that_the_schema_does_not_allow() {
        check_defaults("{spec: {a: null, maybe: null}}", "{spec: {a: 2, b: {c: x}, maybe: null}}");
        check_defaults("{spec: 5, status: {other: null}}", "{spec: 5, status: {other: null, phase: new}}");
    }

    #[test]
    fn defaults_reach_into_lists_and_free_maps() {
        check_defaults(
            "{spec: 5, items: [{}, {port: 1}, null]}",
            "{spec: 5, items: [{port: 80}, {port: 1}, d]}",
        );
        check_defaults("{spec: 5, limits: {x: null, y: {}}}", "{spec: 5, limits: {x: 9, y: {unit: m}}}");
    }

    #[test]
    fn defaults_follow_the_text_and_keep_its_order() {
        let mut object = tree("{spec: {z: 1, maybe: 1, a: 1}}");
        apply_defaults(&mut object, &tree(SCHEMA));
        let spec = object.get("spec").and_then(Node::as_map).expect("a map");
        assert_eq!(spec.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), ["z", "maybe", "a", "b"]);
    }

    #[test]
    fn defaults_do_not_outgrow_what_a_server_would_take() {
        let large = format!("{{items: {{properties: {{a: {{default: [{}]}}}}}}}}", "0,".repeat(999));
        let mut list = tree(&format!("[{}]", "{},".repeat(1000)));
        apply_defaults(&mut list, &tree(&large));
        let filled = list.as_seq().expect("a list").iter().filter(|item| item.get("a").is_some()).count();
        assert_eq!(filled, MAX_FILLED / 1000 - 1);
    }

    #[test]
    fn one_path_reads_as_after_all_defaults() {
        let schema = tree(SCHEMA);
        for object in [
            "{}",
            "{spec: {}}",
            "{spec: null}",
            "{spec: {a: null, maybe: null, b: {}}}",
            "{spec: 5, status: {}}",
            "{limits: {x: null, y: {}}}",
        ] {
            let object = tree(object);
            let mut filled = object.clone();
            apply_defaults(&mut filled, &schema);
            for path in
                ["spec.a", "spec.b.c", "spec.maybe", "status.phase", "limits.x", "limits.y.unit", "n.o"]
            {
                assert_eq!(
                    at_or_default(&object, Some(&schema), path),
                    filled.at(path),
                    "{path} of {object:?}"
                );
            }
        }
    }
}
