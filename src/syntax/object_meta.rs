//! The types of the fields of metadata. kubectl decodes the metadata of an object (cli-runtime,
//! resource/metadata_decoder.go), so one with a field of another type is an error.

use super::error_kind::ErrorKind;
use super::tree::{Node, Span, Value};
use super::yaml::cursor::is_text;
use super::yaml::scalar::{self, Scalar};
use text::format::is_time;

/// The type of a field, which may also be null.
#[derive(Debug)]
pub enum Type {
    /// Any type: a field that ObjectMeta does not have, or raw JSON.
    Any,
    /// A string; its Go type.
    Text(&'static str),
    /// A 64-bit integer.
    Int,
    /// A boolean.
    Bool,
    /// An RFC 3339 time.
    Time,
    /// A list of values of a type; its Go type.
    List(&'static str, &'static Type),
    /// A map with these fields, and others of a type; its Go type.
    Map(&'static str, &'static [Field], &'static Type),
}

/// A field: its key, its path as Go names it, and its type.
type Field = (&'static str, &'static str, Type);

pub const STRING: Type = Type::Text("string");
const STRINGS: Type = Type::Map("map[string]string", &[], &STRING);
const UID: Type = Type::Text("types.UID");

/// Metadata (apimachinery, meta/v1/types.go, ObjectMeta).
pub static METADATA: Type = Type::Map(
    "v1.ObjectMeta",
    &[
        ("name", "ObjectMeta.metadata.name", STRING),
        ("generateName", "ObjectMeta.metadata.generateName", STRING),
        ("namespace", "ObjectMeta.metadata.namespace", STRING),
        ("labels", "ObjectMeta.metadata.labels", STRINGS),
        ("annotations", "ObjectMeta.metadata.annotations", STRINGS),
        ("creationTimestamp", "ObjectMeta.metadata.creationTimestamp", Type::Time),
        ("uid", "ObjectMeta.metadata.uid", UID),
        ("resourceVersion", "ObjectMeta.metadata.resourceVersion", STRING),
        ("selfLink", "ObjectMeta.metadata.selfLink", STRING),
        ("generation", "ObjectMeta.metadata.generation", Type::Int),
        ("deletionTimestamp", "ObjectMeta.metadata.deletionTimestamp", Type::Time),
        ("deletionGracePeriodSeconds", "ObjectMeta.metadata.deletionGracePeriodSeconds", Type::Int),
        ("finalizers", "ObjectMeta.metadata.finalizers", Type::List("[]string", &STRING)),
        ("ownerReferences", "ObjectMeta.metadata.ownerReferences", Type::List("[]v1.OwnerReference", &OWNER)),
        (
            "managedFields",
            "ObjectMeta.metadata.managedFields",
            Type::List("[]v1.ManagedFieldsEntry", &MANAGER),
        ),
    ],
    &Type::Any,
);

static OWNER: Type = Type::Map(
    "v1.OwnerReference",
    &[
        ("apiVersion", "OwnerReference.metadata.ownerReferences.apiVersion", STRING),
        ("kind", "OwnerReference.metadata.ownerReferences.kind", STRING),
        ("name", "OwnerReference.metadata.ownerReferences.name", STRING),
        ("uid", "OwnerReference.metadata.ownerReferences.uid", UID),
        ("controller", "OwnerReference.metadata.ownerReferences.controller", Type::Bool),
        ("blockOwnerDeletion", "OwnerReference.metadata.ownerReferences.blockOwnerDeletion", Type::Bool),
    ],
    &Type::Any,
);

static MANAGER: Type = Type::Map(
    "v1.ManagedFieldsEntry",
    &[
        ("manager", "ManagedFieldsEntry.metadata.managedFields.manager", STRING),
        ("operation", "ManagedFieldsEntry.metadata.managedFields.operation", STRING),
        ("apiVersion", "ManagedFieldsEntry.metadata.managedFields.apiVersion", STRING),
        ("time", "ManagedFieldsEntry.metadata.managedFields.time", Type::Time),
        ("fieldsType", "ManagedFieldsEntry.metadata.managedFields.fieldsType", STRING),
        ("subresource", "ManagedFieldsEntry.metadata.managedFields.subresource", STRING),
    ],
    &Type::Any,
);

impl Type {
    /// The type of a field of a map.
    #[inline]
    pub fn field(&self, key: &str) -> &'static Type {
        match self {
            Self::Map(_, fields, other) => {
                fields.iter().find(|(field, ..)| *field == key).map_or(*other, |(_, _, field)| field)
            }
            _ => &Self::Any,
        }
    }

    /// Whether a scalar with this text, quoted or plain, certainly has the type.
    #[inline]
    pub fn admits(&self, text: &str, is_quoted: bool) -> bool {
        if let Self::Any = self {
            return true;
        }
        if is_quoted || is_text(text) {
            return matches!(self, Self::Text(_)) || matches!(self, Self::Time) && is_time(text);
        }
        match scalar::resolve(text) {
            Scalar::Null => true,
            Scalar::Int(_) => matches!(self, Self::Int),
            Scalar::Bool(_) => matches!(self, Self::Bool),
            _ => false,
        }
    }

    /// Checks the value of the field at `path`.
    ///
    /// # Errors
    ///
    /// Go's decoder would reject it, or a value in it; the span is that of the value.
    pub fn check(&self, path: &'static str, node: &Node) -> Result<(), (ErrorKind, Span)> {
        let expected = match (self, &node.value) {
            (_, Value::Null)
            | (Self::Any, _)
            | (Self::Text(_), Value::String(_))
            | (Self::Int, Value::Int(_))
            | (Self::Bool, Value::Bool(_)) => return Ok(()),
            (Self::Time, Value::String(text)) if is_time(text) => return Ok(()),
            (Self::Time, Value::String(_)) => return Err((ErrorKind::Time(path), node.span)),
            (Self::List(_, of), Value::Seq(elements)) => {
                return elements.iter().try_for_each(|node| of.check(path, node));
            }
            (Self::Map(_, fields, other), Value::Map(map)) => {
                return map.iter().try_for_each(|entry| {
                    let field = fields.iter().find(|(key, ..)| *key == entry.key);
                    let (path, of) = field.map_or((path, *other), |(_, path, of)| (*path, of));
                    of.check(path, &entry.value)
                });
            }
            (Self::Text(name) | Self::List(name, _) | Self::Map(name, ..), _) => name,
            (Self::Time, _) => "string",
            (Self::Int, _) => "int64",
            (Self::Bool, _) => "bool",
        };
        Err((ErrorKind::Field { field: path, found: node.json_type(), expected }, node.span))
    }
}
