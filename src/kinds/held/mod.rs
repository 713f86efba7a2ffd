//! The object as a server holds it after creation: with the types of its kind, canonical values and the API's defaults.
//!
//! Go decodes an object into a struct and writes that again: unknown fields and nulls are gone, and so are zero and empty
//! values of fields that are no pointers, unless they are always written. `kinds/fields.txt` says which these are. Between
//! the two, defaults are filled in ([`defaults`](crate::defaults), `dependent.rs`), and the strategy of the kind changes what it likes
//! (`strategy.rs`). What only a cluster makes is left out.

pub mod allocated;
pub(crate) mod build;
mod dependent;
pub mod made_up;
mod pod;
mod scalar;
mod strategy;

use std::borrow::Cow;
use std::sync::LazyLock;

use super::fields::{Field, PerType, Scalar, Shape, TypeId};
use super::release::Release;
use super::{Scope, built_in};
use build::{default, insert};
use dependent::Defaults;
use syntax::fields::Fields;
use syntax::gvk;
use syntax::tree::{Map, Node, Value};

pub use pod::{request_limits, requested};
pub use strategy::{Stage, prepare_custom};

/// Fills in objects of a kind in a version.
#[derive(Clone, Copy, Debug)]
pub struct Holder {
    of: TypeId,
    is_namespaced: bool,
    release: Release,
    stage: Stage,
}

impl Holder {
    /// For the objects of a kind; `None` if `release` does not have it.
    pub fn new(api_version: &str, kind: &str, release: Release, stage: Stage) -> Option<Self> {
        let of = TypeId::of_kind(api_version, kind).filter(|id| id.get().releases.has(release))?;
        let (group, _) = gvk::split_api_version(api_version);
        let is_namespaced = built_in::find(group, kind).is_none_or(|kind| kind.scope == Scope::Namespaced);
        Some(Self { of, is_namespaced, release, stage })
    }

    /// The object as it is held, with these fields at least. What the server would refuse, because it has another type, stays as
    /// it is.
    pub fn held(&self, object: &Node, fields: Fields<'_>) -> Node {
        let Some(map) = object.as_map() else { return object.clone() };
        let mut map = self.typed_map(map, self.of, fields);
        for key in ["apiVersion", "kind"] {
            if let Some(value) = object.get(key) {
                insert(&mut map, key, value.clone());
            }
        }
        let had_status = map.get("status").is_some();
        let is_managed = fields.asks(&["metadata", "managedFields"]);
        strategy::prepare(self.of.get(), &mut map, self.is_namespaced, is_managed, self.stage);
        self.fill(&mut map, self.of, fields);
        strategy::finish(self.of.get(), &mut map, had_status, self.stage);
        Node { value: Value::Map(map), span: object.span }
    }

    /// The value that Go decodes: without what the type does not have, nulls, and zeros that are the same as nothing.
    fn typed(&self, node: &Node, shape: &Shape, fields: Fields<'_>) -> Node {
        let value = match (shape, &node.value) {
            (Shape::Struct(id), Value::Map(map)) => Value::Map(self.typed_map(map, *id, fields)),
            (Shape::List(item), Value::Seq(items)) => {
                let item = |node| self.typed_item(node, item, fields.of_items());
                Value::Seq(items.iter().map(item).collect())
            }
            (Shape::Map(item), Value::Map(map)) => {
                Value::Map(map.filter_map(|entry| Some(self.typed_item(&entry.value, item, Fields::ALL))))
            }
            (Shape::Scalar(scalar), value) => match scalar::canonical(*scalar, value) {
                Some(value) => value,
                None => return node.clone(),
            },
            _ => return node.clone(),
        };
        Node { value, span: node.span }
    }

    /// An item of a list or the value of a key, which is zero if it is null.
    fn typed_item(&self, node: &Node, shape: &Shape, fields: Fields<'_>) -> Node {
        match (&node.value, shape) {
            (Value::Null, Shape::Any | Shape::List(_) | Shape::Map(_)) => node.clone(),
            // Storing it makes empty bytes of it.
            (Value::Null, Shape::Scalar(Scalar::Base64)) if self.stage != Stage::Stored => node.clone(),
            (Value::Null, Shape::Struct(_)) => Node { value: Value::Map(Map::new()), span: node.span },
            (Value::Null, Shape::Scalar(scalar)) => Node { value: scalar::zero(*scalar), span: node.span },
            _ => self.typed(node, shape, fields),
        }
    }

    fn typed_map(&self, map: &Map, id: TypeId, fields: Fields<'_>) -> Map {
        let of = id.get();
        let fields = dependent::needed(of, fields);
        map.filter_map(|entry| {
            let field = of.field_in(&entry.key, self.release)?;
            let below = below(field, fields)?;
            if entry.value.is_null() || strategy::is_off(of, field.name) {
                return None;
            }
            let value = self.typed(&entry.value, &shape_of(field, id, &entry.value), below);
            let is_collection = matches!(value.value, Value::Seq(_) | Value::Map(_));
            (field.is_pointer || is_collection || !value.is_zero()).then_some(value)
        })
    }

    /// Fills in the defaults of the type and of what is below.
    fn fill(&self, map: &mut Map, id: TypeId, fields: Fields<'_>) {
        static DEFAULTS: LazyLock<PerType<Defaults>> = LazyLock::new(PerType::default);
        let of = id.get();
        let fields = dependent::needed(of, fields);
        DEFAULTS.of(id, || Defaults::of(of)).fill(map);
        for field in of.held(self.release).filter(|field| below(field, fields).is_some()) {
            default(map, field.name, || Node::new(zero(field)));
        }
        map.retain(|key, node| {
            let Some(field) = of.field_in(key, self.release) else { return false };
            let Some(below) = below(field, fields) else { return false };
            self.fill_below(node, &shape_of(field, id, node), below);
            let is_empty = match &node.value {
                Value::Map(map) => map.is_empty() && !field.is_pointer,
                Value::Seq(items) => items.is_empty(),
                _ => false,
            };
            if is_empty && field.is_always && matches!(field.shape, Shape::List(_) | Shape::Map(_)) {
                self.stage.empty(node);
            }
            !is_empty || field.is_always
        });
    }

    fn fill_below(&self, node: &mut Node, shape: &Shape, fields: Fields<'_>) {
        match (shape, &mut node.value) {
            (Shape::Struct(id), Value::Map(map)) => self.fill(map, *id, fields),
            (Shape::List(item), Value::Seq(items)) if has_structs(item) => {
                items.iter_mut().for_each(|node| self.fill_below(node, item, fields.of_items()));
            }
            (Shape::Map(item), Value::Map(map)) if has_structs(item) => {
                map.values_mut().for_each(|node| self.fill_below(node, item, Fields::ALL));
            }
            _ => (),
        }
    }
}

/// What is written for a field that is not set.
fn zero(field: &Field) -> Value {
    match &field.shape {
        _ if field.is_always && field.is_pointer => Value::Null,
        Shape::Struct(_) => Value::Map(Map::new()),
        Shape::Scalar(scalar) => scalar::zero(*scalar),
        Shape::List(_) | Shape::Map(_) | Shape::Any => Value::Null,
    }
}

/// The fields that are needed of the value of a field; `None` if it is not needed. Scalars always are: others may depend on them.
/// Of a struct that is left out if it is empty, all is needed.
fn below<'f>(field: &Field, fields: Fields<'f>) -> Option<Fields<'f>> {
    match &field.shape {
        Shape::Scalar(_) => Some(Fields::ALL),
        Shape::Struct(_) if field.is_pointer || field.is_always => fields.of(field.name),
        Shape::List(_) => fields.of(field.name),
        _ => fields.of(field.name).map(|_| Fields::ALL),
    }
}

/// The shape of a field with a value. A schema within a schema may also be a boolean or a list, so that it has no type.
fn shape_of<'f>(field: &'f Field, owner: TypeId, value: &Node) -> Cow<'f, Shape> {
    let is_schema = matches!(field.name, "items" | "additionalProperties" | "additionalItems")
        && owner.get().name == "JSONSchemaProps";
    match is_schema && value.as_map().is_some() {
        true => Cow::Owned(Shape::Struct(owner)),
        false => Cow::Borrowed(&field.shape),
    }
}

fn has_structs(shape: &Shape) -> bool {
    matches!(shape.innermost(), Shape::Struct(_))
}

#[cfg(test)]
mod tests {
    use super::made_up::Variant;
    use super::*;
    use syntax::fields::{FieldSet, ITEMS};
    use syntax::json;

    /// Calls `check` with the path of each field of a type, those of structs within and of items included.
    fn each_path(of: TypeId, path: &mut Vec<&'static str>, check: &mut dyn FnMut(&[&str])) {
        for field in of.get().fields() {
            let depth = path.len();
            path.push(field.name);
            check(path);
            path.extend(matches!(field.shape, Shape::List(_)).then_some(ITEMS));
            if let Shape::Struct(id) = field.shape.innermost()
                && !matches!(field.shape, Shape::Map(_))
                && path.len() < 6
            {
                each_path(*id, path, check);
            }
            path.truncate(depth);
        }
    }

    /// The values at the end of a path, of every item that it goes through.
    fn values<'n>(node: Option<&'n Node>, path: &[&str]) -> Vec<Option<&'n Node>> {
        match path {
            [] => vec![node],
            [ITEMS, rest @ ..] => {
                let items = node.and_then(Node::as_seq).unwrap_or_default();
                items.iter().flat_map(|item| values(Some(item), rest)).collect()
            }
            [key, rest @ ..] => values(node.and_then(|node| node.get(key)), rest),
        }
    }

    #[test]
    fn a_field_that_is_asked_for_is_that_of_the_whole_object() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/conformance/held.jsonl");
        let mut count = 0;
        for row in std::fs::read_to_string(path).expect("the recording").lines() {
            let row = json::parse(row.as_bytes()).expect("JSON").root;
            let sent = row.get("sent").expect("an object");
            let text = |key| sent.get(key).and_then(Node::as_str).expect("a text");
            for stage in [Stage::Stored, Stage::Admitted(Variant::One)] {
                let holder = Holder::new(text("apiVersion"), text("kind"), Release::KNOWN, stage);
                let Some(holder) = holder else { continue };
                let whole = holder.held(sent, Fields::ALL);
                each_path(holder.of, &mut Vec::new(), &mut |path| {
                    let mut fields = FieldSet::default();
                    fields.add(path.iter().copied());
                    let fields = Fields::only(&fields);
                    // Managers are known of a whole object.
                    if fields.asks(&["metadata", "managedFields"]) {
                        return;
                    }
                    let held = holder.held(sent, fields);
                    let are = |node, end| -> Vec<bool> {
                        values(Some(node), &path[..end]).iter().map(Option::is_some).collect()
                    };
                    for end in 1..=path.len() {
                        assert_eq!(are(&held, end), are(&whole, end), "{path:?} {sent:?}");
                    }
                    assert_eq!(values(Some(&held), path), values(Some(&whole), path), "{path:?} {sent:?}");
                    count += 1;
                });
            }
        }
        assert!(count > 10_000, "{count}");
    }
}
