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

use super::defaults::{Constant, constants, is_zero};
use super::fields::{Field, Scalar, Shape, TypeId};
use super::release::Release;
use super::{Scope, built_in};
use build::insert;
use syntax::gvk;
use syntax::tree::{Map, Node, Value};

pub use pod::request_limits;
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

    /// The object as it is held. What the server would refuse, because it has another type, stays as it is.
    pub fn held(&self, object: &Node) -> Node {
        let Some(map) = object.as_map() else { return object.clone() };
        let mut map = self.typed_map(map, self.of);
        for key in ["apiVersion", "kind"] {
            if let Some(value) = object.get(key) {
                insert(&mut map, key, value.clone());
            }
        }
        let had_status = map.get("status").is_some();
        strategy::prepare(self.of.get(), &mut map, self.is_namespaced, self.stage);
        let mut map = self.filled(map, self.of);
        strategy::finish(self.of.get(), &mut map, had_status, self.stage);
        Node { value: Value::Map(map), span: object.span }
    }

    /// The value that Go decodes: without what the type does not have, nulls, and zeros that are the same as nothing.
    fn typed(&self, node: &Node, shape: &Shape) -> Node {
        let value = match (shape, &node.value) {
            (Shape::Struct(id), Value::Map(map)) => Value::Map(self.typed_map(map, *id)),
            (Shape::List(item), Value::Seq(items)) => {
                Value::Seq(items.iter().map(|node| self.typed_item(node, item)).collect())
            }
            (Shape::Map(item), Value::Map(map)) => {
                let mut typed = Map::new();
                for entry in map {
                    typed.insert(entry.key.clone(), entry.key_span, self.typed_item(&entry.value, item));
                }
                Value::Map(typed)
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
    fn typed_item(&self, node: &Node, shape: &Shape) -> Node {
        match (&node.value, shape) {
            (Value::Null, Shape::Any) => node.clone(),
            // Storing it makes empty bytes of it.
            (Value::Null, Shape::Scalar(Scalar::Base64)) if self.stage != Stage::Stored => node.clone(),
            (Value::Null, Shape::Struct(_)) => Node { value: Value::Map(Map::new()), span: node.span },
            (Value::Null, Shape::List(_) | Shape::Map(_)) => node.clone(),
            (Value::Null, Shape::Scalar(scalar)) => Node { value: scalar::zero(*scalar), span: node.span },
            _ => self.typed(node, shape),
        }
    }

    fn typed_map(&self, map: &Map, id: TypeId) -> Map {
        let of = id.get();
        let mut typed = Map::new();
        for entry in map {
            let Some(field) = of.field_in(&entry.key, self.release) else { continue };
            if entry.value.is_null() || strategy::is_off(of, field.name) {
                continue;
            }
            let value = self.typed(&entry.value, &shape_of(field, id, &entry.value));
            let is_collection = matches!(value.value, Value::Seq(_) | Value::Map(_));
            if field.is_pointer || is_collection || !is_zero(&value) {
                typed.insert(entry.key.clone(), entry.key_span, value);
            }
        }
        typed
    }

    /// With the defaults of the type and of what is below, in the order of the type's fields.
    fn filled(&self, mut map: Map, id: TypeId) -> Map {
        let of = id.get();
        for Constant { field, value, .. } in constants(of.group(), of.name) {
            if map.get(field).is_none() && of.field_in(field, self.release).is_some() {
                insert(&mut map, field, value.clone());
            }
        }
        dependent::fill(of, &mut map);
        let mut filled = Map::new();
        for field in of.fields_in(self.release) {
            let span = map.entry(field.name).map(|entry| entry.key_span).unwrap_or_default();
            let value = match map.remove(field.name) {
                Some(node) => {
                    let shape = shape_of(field, id, &node);
                    self.filled_below(node, &shape)
                }
                None if field.is_always && field.is_pointer => Node::new(Value::Null),
                None if field.is_always => self.zero(&field.shape),
                None => match &field.shape {
                    // Something within may have a default.
                    Shape::Struct(_) if !field.is_pointer => self.zero(&field.shape),
                    _ => continue,
                },
            };
            let is_empty = match &value.value {
                Value::Map(map) => map.is_empty() && !field.is_pointer,
                Value::Seq(items) => items.is_empty(),
                _ => false,
            };
            match &field.shape {
                Shape::List(_) | Shape::Map(_) if is_empty && field.is_always => {
                    filled.insert(field.name, span, self.stage.empty(value));
                }
                _ if is_empty && !field.is_always => (),
                _ => _ = filled.insert(field.name, span, value),
            }
        }
        filled
    }

    fn filled_below(&self, node: Node, shape: &Shape) -> Node {
        let value = match (shape, node.value) {
            (Shape::Struct(id), Value::Map(map)) => Value::Map(self.filled(map, *id)),
            (Shape::List(item), Value::Seq(items)) if has_structs(item) => {
                Value::Seq(items.into_iter().map(|node| self.filled_below(node, item)).collect())
            }
            (Shape::Map(item), Value::Map(mut map)) if has_structs(item) => {
                for value in map.values_mut() {
                    let node = std::mem::replace(value, Node::new(Value::Null));
                    *value = self.filled_below(node, item);
                }
                Value::Map(map)
            }
            (_, value) => value,
        };
        Node { value, span: node.span }
    }

    /// What is written for a field that is not set.
    fn zero(&self, shape: &Shape) -> Node {
        Node::new(match shape {
            Shape::Struct(id) => Value::Map(self.filled(Map::new(), *id)),
            Shape::Scalar(scalar) => scalar::zero(*scalar),
            Shape::List(_) | Shape::Map(_) | Shape::Any => Value::Null,
        })
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
