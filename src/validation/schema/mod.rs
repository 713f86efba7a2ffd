//! Checks the fields of an object against the schema of its kind: unknown fields, values of the wrong type, and missing
//! fields.
//!
//! One walk serves built-in kinds ([`BuiltIn`]) and custom resources ([`Custom`]), which implement [`Schema`].

mod built_in;
mod custom;
mod hint;
pub(super) mod scalar;
mod shape;

use super::values::FieldError;
use super::violation::{Correction, Unplaced, Violation};
use crate::at::At;
use kinds::fields::Scalar;
use syntax::tree::{Node, Value};

pub(super) use built_in::BuiltIn;
pub(super) use custom::Custom;
use shape::{FieldSchema, Schema, Shape};

/// The maximum number of findings about one object: with more, the schema does not belong to the object.
const MAX_REFUSALS: usize = 100;

/// Calls `found` with the problems of `object` according to `schema`, up to a limit.
pub(super) fn check<S: Schema>(object: &Node, schema: S, found: &mut dyn FnMut(Unplaced)) {
    let drops_status = schema.drops_status();
    Walk::new(object, drops_status, found).value(&At::start(object), schema);
}

/// Checks the fields and types of the metadata of an object, which are the same for all kinds.
pub(super) fn check_metadata(object: &Node, found: &mut dyn FnMut(Unplaced)) {
    let start = At::start(object);
    let metadata = start.get("metadata");
    Walk::new(object, false, found).value(&metadata, BuiltIn::metadata());
}

struct Walk<'t, 'f> {
    /// The whole object.
    root: &'t Node,
    /// How many findings may follow.
    left: usize,
    /// Whether the server drops the status of new objects.
    drops_status: bool,
    is_in_status: bool,
    found: &'f mut dyn FnMut(Unplaced),
}

impl<'t, 'f> Walk<'t, 'f> {
    fn new(root: &'t Node, drops_status: bool, found: &'f mut dyn FnMut(Unplaced)) -> Self {
        Self { root, left: MAX_REFUSALS, drops_status, is_in_status: false, found }
    }

    fn value<S: Schema>(&mut self, at: &At<'_, 't>, schema: S) {
        let node = at.node;
        // For Go's decoder, null in a list is an empty struct.
        let is_filled = at.is_item() && schema.fills_null();
        if (!node.is_null() || schema.is_nullable() || is_filled) && !self.is_in_status {
            schema.refused(at, self.root, &mut |refused| {
                let FieldError { span, is_key, path, reason, detail, text, expression } = refused;
                if self.left > 0 {
                    self.left -= 1;
                    let problem = match expression {
                        Some(error) => Violation::Expression(*error),
                        None => Violation::Refused { path, reason, detail, text },
                    };
                    (self.found)(Unplaced { is_key, ..Unplaced::new(span, problem) });
                }
            });
        }
        match (schema.shape(), &node.value) {
            (Shape::Object, Value::Null) if is_filled => self.object(at, schema),
            // For Go's decoder, null is a field that is not set.
            (Shape::Any, _) | (_, Value::Null) => {}
            (Shape::Scalar(scalar), _) => {
                if let Err(refused) = scalar::check(scalar, node) {
                    let is_plain = matches!(scalar, Scalar::Base64)
                        && self.root.get("kind").and_then(Node::as_str) == Some("Secret");
                    let hint = is_plain.then(|| "plain text goes under stringData".to_owned());
                    let is_type = matches!(refused, scalar::Refused::Type(_));
                    let correction = is_type.then_some(Correction::Scalar(scalar));
                    let message = match refused {
                        scalar::Refused::Type(found) => schema.mistyped(at, found),
                        scalar::Refused::Text(words) => format!("{at:#}: {words}"),
                    };
                    // All such words are shorter than `true`.
                    let is_word = matches!(scalar, Scalar::String)
                        && matches!(node.value, Value::Bool(_))
                        && node.span.end - node.span.start < 4;
                    let problem = mistyped(message, node, is_word);
                    self.report(at, Unplaced { hint, correction, ..Unplaced::new(at.span, problem) });
                }
            }
            (Shape::List(item), Value::Seq(_)) => at.items().for_each(|at| self.value(&at, item)),
            (Shape::Map(value), Value::Map(_)) => at.entries().for_each(|(_, at)| self.value(&at, value)),
            (Shape::Object, Value::Map(_)) => self.object(at, schema),
            (shape @ (Shape::List(_) | Shape::Map(_) | Shape::Object), value) => {
                let message = schema.mistyped(at, node.json_type());
                let lacks_dash = matches!((shape, value), (Shape::List(_), Value::Map(_)));
                let hint = lacks_dash.then(|| "a list is needed; is a - missing?".to_owned());
                self.report(at, Unplaced::new(at.span, mistyped(message, node, false)).with_hint(hint));
            }
        }
    }

    fn object<S: Schema>(&mut self, owner: &At<'_, 't>, schema: S) {
        let map = owner.map();
        for entry in map {
            let (key, at) = (&entry.key, owner.field(entry));
            let is_status = owner.is_start() && key == "status";
            self.is_in_status |= is_status;
            match schema.field(key) {
                FieldSchema::Known(schema) => self.value(&at, schema),
                FieldSchema::Metadata => self.value(&at, BuiltIn::metadata()),
                FieldSchema::Free => {}
                FieldSchema::Unknown if self.left == 0 => {}
                FieldSchema::Unknown => {
                    let hint = schema.hint(owner, key, self.root);
                    let meant = schema.meant(key).filter(|meant| map.get(meant).is_none());
                    let correction = meant.map(Correction::Key);
                    let problem = Violation::Unknown(format!("{at:#}"));
                    self.report(&at, Unplaced { hint, correction, ..Unplaced::new(at.span, problem) });
                }
            }
            self.is_in_status &= !is_status;
        }
        if !self.is_in_status {
            let is_set =
                |key: &str| map.get(key).is_some_and(|node| !node.is_null() || schema.takes_null(key));
            schema.required(&is_set, &mut |field| {
                // Reported at the key of the map that does not have it.
                let missing = Violation::Missing(owner.get(field).to_string());
                self.report(owner, Unplaced::new(owner.span, missing));
            });
        }
    }

    fn report(&mut self, at: &At<'_, '_>, found: Unplaced) {
        let is_unknown = matches!(found.problem, Violation::Unknown(_));
        let is_dropped = self.drops_status && self.is_in_status && !is_unknown;
        if self.left > 0 && !is_dropped {
            self.left -= 1;
            (self.found)(Unplaced { is_key: at.is_key, ..found });
        }
    }
}

fn mistyped(message: String, node: &Node, is_word: bool) -> Violation {
    // `{NAME}` of a template is a map for YAML, and `<name of the disk>` in brackets is a list.
    let in_braces = || {
        let mut entries = node.as_map()?.iter();
        let only = entries.next().filter(|entry| entry.value.is_null() && entries.len() == 0)?;
        Some(format!("{{{}}}", only.key))
    };
    let in_brackets = || match node.as_seq()? {
        [only] => only.as_str().filter(|text| text.contains(' ')).map(|text| format!("<{text}>")),
        _ => None,
    };
    let text = node.as_str().map(str::to_owned).or_else(in_braces).or_else(in_brackets);
    Violation::Mistyped { message, text, is_word }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinds::release::Release;
    use testing::tree;

    /// Checks the findings, each with its hint in brackets.
    #[track_caller]
    fn check_all<S: Schema>(object: &str, schema: S, expected: &[&str]) {
        let mut found = Vec::new();
        check(&tree(object), schema, &mut |Unplaced { problem, hint, .. }| {
            // The tests of `values` are about these.
            if matches!(problem, Violation::Refused { .. }) {
                return;
            }
            let hint = hint.map(|hint| format!(" [{hint}]")).unwrap_or_default();
            found.push(format!("{problem}{hint}").replace("strict decoding error: ", ""));
        });
        assert_eq!(found, expected, "{object}");
    }

    #[track_caller]
    fn check_kind(api_version: &str, kind: &str, fields: &str, expected: &[&str]) {
        let schema = BuiltIn::of_kind(api_version, kind, Release::KNOWN).expect("a kind");
        let object = format!("{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: a}}, {fields}}}");
        check_all(&object, schema, expected);
    }

    #[test]
    fn fields_that_no_struct_has_are_unknown() {
        check_kind("v1", "Pod", "spec: {containers: [{name: a, image: b}]}", &[]);
        check_kind(
            "v1",
            "Pod",
            "spec: {containers: [{name: a, imagee: b}]}",
            &["unknown field \"spec.containers[0].imagee\" [did you mean image?]"],
        );
        check_kind(
            "v1",
            "Service",
            "spec: {prots: []}",
            &["unknown field \"spec.prots\" [did you mean ports?]"],
        );
    }

    #[test]
    fn an_unknown_field_may_be_one_of_another_place() {
        check_kind(
            "apps/v1",
            "DaemonSet",
            "spec: {replicas: 3, selector: {}, template: {spec: {containers: []}}}",
            &["unknown field \"spec.replicas\" [replicas is a field of the spec of a Deployment]"],
        );
        check_kind(
            "apps/v1",
            "Deployment",
            "spec: {containers: [], selector: {}, template: {spec: {containers: []}}}",
            &["unknown field \"spec.containers\" [containers is a field of spec.template.spec]"],
        );
        check_kind(
            "v1",
            "ConfigMap",
            "stringData: {a: b}",
            &["unknown field \"stringData\" [stringData is a field of a Secret]"],
        );
        check_kind(
            "v1",
            "ConfigMap",
            "annotations: {a: b}",
            &["unknown field \"annotations\" [annotations is a field of metadata]"],
        );
        // The nearest place comes first, and metadata that is far away is none.
        let pod =
            "spec: {containers: [], replicas: 1, volumes: [{name: a, livenessProbe: {}, namespace: b}]}";
        check_kind(
            "apps/v1",
            "Deployment",
            &format!("spec: {{selector: {{}}, template: {{{pod}}}}}"),
            &[
                "unknown field \"spec.template.spec.replicas\" [replicas is a field of spec]",
                "unknown field \"spec.template.spec.volumes[0].livenessProbe\" \
                 [livenessProbe is a field of spec.template.spec.containers[]]",
                "unknown field \"spec.template.spec.volumes[0].namespace\"",
            ],
        );
        check_kind(
            "networking.k8s.io/v1",
            "Ingress",
            "spec: {defaultBackend: {name: a, port: 80}, http: []}",
            &[
                "unknown field \"spec.defaultBackend.name\" [name is a field of spec.defaultBackend.service]",
                "unknown field \"spec.defaultBackend.port\" [port is a field of spec.defaultBackend.service]",
                "unknown field \"spec.http\" [http is a field of spec.rules[]]",
            ],
        );
    }

    #[test]
    fn values_of_another_type_are_refused_in_the_words_of_go() {
        check_kind(
            "v1",
            "ReplicationController",
            "spec: {replicas: three}",
            &[
                "json: cannot unmarshal string into Go struct field ReplicationControllerSpec.spec.replicas of type int32",
            ],
        );
        check_kind(
            "v1",
            "Pod",
            "spec: {containers: [{name: a, env: [{name: B, value: 1}]}]}",
            &[
                "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string \
             (spec.containers[0].env[0].value)",
            ],
        );
        check_kind(
            "v1",
            "ConfigMap",
            "data: [a]",
            &["json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string"],
        );
        check_kind(
            "v1",
            "ConfigMap",
            "data: {a: true}",
            &["json: cannot unmarshal bool into Go struct field ConfigMap.data of type string (data.a)"],
        );
        check_kind(
            "v1",
            "Pod",
            "spec: {containers: {name: a}}",
            &[
                "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container [a list is needed; is a - missing?]",
            ],
        );
        check_kind(
            "v1",
            "Pod",
            "spec: {containers: [{name: a, livenessProbe: {httpGet: {port: true}}}]}",
            &[
                "json: cannot unmarshal bool into Go value of type int32 (spec.containers[0].livenessProbe.httpGet.port)",
            ],
        );
        check_kind(
            "v1",
            "Secret",
            "data: {a: x}",
            &["data.a: illegal base64 data at input byte 0 [plain text goes under stringData]"],
        );
    }

    #[test]
    fn fields_that_must_be_set_are_missing() {
        check_kind(
            "apps/v1",
            "Deployment",
            "spec: {template: {spec: {containers: []}}}",
            &["spec.selector: Required value"],
        );
        check_kind(
            "apps/v1",
            "Deployment",
            "spec: null",
            &["spec.selector: Required value", "spec.template.spec.containers: Required value"],
        );
        check_kind("v1", "Pod", "status: {conditions: [{}]}", &["spec.containers: Required value"]);
        check_kind("v1", "Namespace", "status: {}", &[]);
        check_kind(
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "roleRef: {name: a}",
            &["roleRef.kind: Required value"],
        );
    }

    #[test]
    fn a_null_is_a_field_that_is_not_set() {
        check_kind("v1", "Pod", "spec: {containers: [{name: a, env: null, stdin: null}]}", &[]);
        // In a list, it is a struct without fields.
        let missing = ["spec.containers[0].name: Required value"];
        check_kind("v1", "Pod", "spec: {containers: [null]}", &missing);
    }

    const SCHEMA: &str = "
        type: object
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: {type: string}
              size: {x-kubernetes-int-or-string: true}
              count: {type: integer, format: int32}
              parts: {type: array, items: {type: object, properties: {name: {type: string}}}}
              limits: {type: object, additionalProperties: {type: object, properties: {max: {type: integer}}}}
              any: {type: object, additionalProperties: true}
              none: {type: object, additionalProperties: false, properties: {a: {type: string}}}
              free:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties: {strict: {type: object, properties: {a: {type: string}}}}
              list:
                type: array
                x-kubernetes-preserve-unknown-fields: true
                items: {type: object, properties: {a: {type: string}}}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                properties: {spec: {type: object}}
    ";

    #[track_caller]
    fn check_custom(spec: &str, expected: &[&str]) {
        let object =
            format!("{{apiVersion: a/v1, kind: b, metadata: {{name: a}}, spec: {{color: x, {spec}}}}}");
        check_all(&object, Custom::of_object(&tree(SCHEMA), false), expected);
    }

    #[test]
    fn fields_without_a_property_are_unknown() {
        check_custom("size: 3", &[]);
        check_custom("colour: x", &["unknown field \"spec.colour\" [did you mean color?]"]);
        check_custom(
            "parts: [{name: a}, {nmae: b, metadata: {}}]",
            &[
                "unknown field \"spec.parts[1].nmae\" [did you mean name?]",
                "unknown field \"spec.parts[1].metadata\"",
            ],
        );
    }

    #[test]
    fn free_maps_have_any_key_and_known_values() {
        check_custom("limits: {a: {max: 1}, b: {min: 1}}", &["unknown field \"spec.limits.b.min\""]);
        check_custom("any: {x: {z: 1}}", &[]);
        check_custom("none: {a: a, b: b}", &["unknown field \"spec.none.b\""]);
    }

    #[test]
    fn preserved_fields_are_known_but_not_within_known_ones() {
        check_custom(
            "free: {x: {z: 1}, strict: {a: a, bcd: b}}",
            &["unknown field \"spec.free.strict.bcd\""],
        );
        check_custom("list: [{a: a, b: b}]", &[]);
    }

    #[test]
    fn an_object_within_has_type_and_metadata() {
        check_custom(
            "template: {apiVersion: v1, kind: Pod, metadata: {name: a, x: y}, spec: {}, data: {}}",
            &["unknown field \"spec.template.metadata.x\"", "unknown field \"spec.template.data\""],
        );
    }

    #[test]
    fn values_of_another_type_are_refused_in_the_words_of_openapi() {
        let of_type = |field: &str, wanted: &str, found: &str| {
            format!(
                "spec.{field}: Invalid value: \"{found}\": spec.{field} in body must be of type {wanted}: \"{found}\""
            )
        };
        check_custom("count: a", &[&of_type("count", "integer", "string")]);
        let list = of_type("parts", "array", "object") + " [a list is needed; is a - missing?]";
        check_custom("parts: {a: b}", &[&list]);
        check_custom("limits: [1]", &[&of_type("limits", "object", "array")]);
        // The keywords of the schema refuse this one; their messages leave out the value.
        let object = "{apiVersion: a/v1, kind: b, metadata: {name: a}, spec: {color: x, size: true}}";
        let mut refused = Vec::new();
        check(&tree(object), Custom::of_object(&tree(SCHEMA), false), &mut |Unplaced { problem, .. }| {
            refused.push(problem.to_string());
        });
        let message = "spec.size: Invalid value: spec.size in body must be of type integer,string";
        assert_eq!(refused, [message]);
    }

    #[test]
    fn required_properties_are_missing_where_their_map_is_there() {
        check_all(
            "{apiVersion: a/v1, kind: b, spec: {size: 1}}",
            Custom::of_object(&tree(SCHEMA), false),
            &["spec.color: Required value"],
        );
        check_all("{apiVersion: a/v1, kind: b}", Custom::of_object(&tree(SCHEMA), false), &[]);
    }

    /// Calls `visit` with the object after replacing a list by a map or the reverse, for each of them, and with the new
    /// type.
    fn each_replaced(object: &Node, visit: &mut dyn FnMut(&Node, &[String], &str)) {
        fn at<'n>(node: &'n mut Node, path: &[String]) -> &'n mut Node {
            path.iter().fold(node, |node, step| match &mut node.value {
                Value::Seq(items) => &mut items[step.parse::<usize>().expect("an index")],
                Value::Map(map) => map.get_mut(step).expect("a key"),
                _ => unreachable!("a path"),
            })
        }
        fn paths(node: &Node, path: &[String], found: &mut Vec<Vec<String>>) {
            let mut below = |step: String, node| paths(node, &[path, &[step]].concat(), found);
            match &node.value {
                Value::Map(map) => map.iter().for_each(|entry| below(entry.key.to_string(), &entry.value)),
                Value::Seq(items) => {
                    items.iter().enumerate().for_each(|(at, node)| below(at.to_string(), node))
                }
                _ => return,
            }
            found.push(path.to_vec());
        }
        let mut found = Vec::new();
        paths(object, &[], &mut found);
        for path in found.iter().filter(|path| !path.is_empty()) {
            let mut object = object.clone();
            let node = at(&mut object, path);
            *node = if node.as_seq().is_some() { tree("{a: b}") } else { tree("[a]") };
            let found = node.json_type();
            visit(&object, path, found);
        }
    }

    #[test]
    fn a_map_for_a_list_and_a_list_for_a_map_are_refused_at_every_level() {
        let apps = include_str!("../../../fixtures/kinds/apps.yaml");
        let core = include_str!("../../../fixtures/kinds/core.yaml");
        let mut count = 0;
        for document in [apps, core].into_iter().flat_map(|text| text.split("---\n")) {
            let object = tree(document);
            let field = |name: &str| object.get(name).and_then(Node::as_str).unwrap_or_default();
            let schema =
                BuiltIn::of_kind(field("apiVersion"), field("kind"), Release::KNOWN).expect("a kind");
            each_replaced(&object, &mut |object, path, found| {
                let mut messages = Vec::new();
                check(object, schema, &mut |unplaced| messages.push(unplaced.problem.to_string()));
                let words = format!("cannot unmarshal {found} into Go");
                // Types that decode their own text have messages of their own.
                let is_refused =
                    |message: &String| message.contains(&words) || message.contains("quantities must match");
                assert!(messages.iter().any(is_refused), "{path:?} of {document}: {messages:?}");
                count += 1;
            });
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn a_schema_that_is_wrong_judges_as_far_as_it_can_be_read() {
        let object = "{apiVersion: a/v1, kind: b, metadata: {name: a}, spec: {color: x, parts: [{a: b}]}}";
        for (schema, expected) in [
            ("a text", &[][..]),
            ("[a, b]", &[]),
            ("{type: object, properties: [spec]}", &["unknown field \"spec\""]),
            ("{type: object, properties: {spec: nothing}}", &[]),
            (
                "{type: [object], properties: {spec: {type: 5, properties: 6}}}",
                &["unknown field \"spec.color\"", "unknown field \"spec.parts\""],
            ),
            ("{type: object, required: {spec: true}, additionalProperties: 5}", &[]),
            (
                "{properties: {spec: {required: [[], 5, size], additionalProperties: true}}}",
                &["spec.size: Required value"],
            ),
            (
                "{properties: {spec: {properties: {color: {$ref: '#'}, parts: {type: array, items: [5]}}}}}",
                &[],
            ),
        ] {
            check_all(object, Custom::of_object(&tree(schema), false), expected);
        }
    }

    #[test]
    fn not_all_of_too_many_are_reported() {
        let many: Vec<String> = (0..200).map(|number| format!("k{number}: 1")).collect();
        let mut count = 0;
        let object = tree(&format!("{{{}}}", many.join(", ")));
        check(&object, Custom::of_object(&tree(SCHEMA), false), &mut |_| count += 1);
        assert_eq!(count, MAX_REFUSALS);
    }
}
