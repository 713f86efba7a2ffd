//! Custom resources, whose fields are those of the OpenAPI schema in their definition.

use super::hint;
use super::shape::{FieldSchema, Schema, Shape};
use crate::at::At;
use crate::values::{self, FieldError};
use kinds::fields::Scalar;
use syntax::tree::Node;
use text::spelling;

/// The schema of a part of a custom resource (apiextensions, schema/pruning and schema/validation).
#[derive(Clone, Copy)]
pub(in super::super) struct Custom<'s> {
    /// `None` if there is no schema.
    schema: Option<&'s Node>,
    /// Whether it is a whole object, whose type and metadata the schema does not describe.
    whole: bool,
    /// Whether unknown fields are preserved.
    preserves: bool,
    /// Whether it has a status subresource, so that the server drops the status of new objects.
    drops_status: bool,
}

impl<'s> Custom<'s> {
    /// An object whose version has this schema.
    pub(in super::super) fn of_object(schema: &'s Node, drops_status: bool) -> Self {
        Self { whole: true, drops_status, ..Self::new(Some(schema)) }
    }

    fn new(schema: Option<&'s Node>) -> Self {
        let set = |key| schema.is_some_and(|schema| schema.is_true(key));
        Self {
            schema,
            whole: set("x-kubernetes-embedded-resource"),
            preserves: set("x-kubernetes-preserve-unknown-fields"),
            drops_status: false,
        }
    }

    fn get(self, key: &str) -> Option<&'s Node> {
        self.schema?.get(key)
    }

    fn type_name(self) -> &'s str {
        self.get("type").and_then(Node::as_str).unwrap_or_default()
    }

    fn properties(self) -> impl Iterator<Item = &'s str> {
        let properties = self.get("properties").and_then(Node::as_map);
        properties.into_iter().flatten().map(|entry| entry.key.as_str())
    }
}

impl Schema for Custom<'_> {
    fn shape(self) -> Shape<Self> {
        if self.schema.is_some_and(|schema| schema.is_true("x-kubernetes-int-or-string")) {
            // Any number; its keywords have the rule.
            return Shape::Any;
        }
        match self.type_name() {
            "string" => Shape::Scalar(Scalar::String),
            "boolean" => Shape::Scalar(Scalar::Bool),
            "number" => Shape::Scalar(Scalar::Number),
            "integer" if self.get("format").and_then(Node::as_str) == Some("int32") => {
                Shape::Scalar(Scalar::Int32)
            }
            "integer" => Shape::Scalar(Scalar::Int64),
            "array" => {
                let item = Self::new(self.get("items"));
                // A list that preserves fields also preserves them in its items.
                Shape::List(Self { preserves: self.preserves || item.preserves, ..item })
            }
            "object" => Shape::Object,
            // A schema without a type, or `true`, only restricts the properties that it names.
            _ if self.get("properties").or_else(|| self.get("additionalProperties")).is_some() => {
                Shape::Object
            }
            _ => Shape::Any,
        }
    }

    fn field(self, key: &str) -> FieldSchema<Self> {
        if self.whole && values::custom::OBJECT.contains(&key) {
            // That of the whole object is checked for all kinds.
            let is_within =
                self.schema.is_some_and(|schema| schema.is_true("x-kubernetes-embedded-resource"));
            return if is_within && key == "metadata" { FieldSchema::Metadata } else { FieldSchema::Free };
        }
        let additional = || self.get("additionalProperties").filter(|node| node.as_bool() != Some(false));
        let property = self.get("properties").and_then(|properties| properties.get(key)).or_else(additional);
        match property {
            Some(schema) if schema.as_map().is_some() => FieldSchema::Known(Self::new(Some(schema))),
            Some(_) => FieldSchema::Free,
            None if self.preserves => FieldSchema::Free,
            None => FieldSchema::Unknown,
        }
    }

    fn takes_null(self, field: &str) -> bool {
        let nullable = self.get("properties").and_then(|all| all.get(field)?.get("nullable"));
        nullable.and_then(Node::as_bool).unwrap_or_default()
    }

    fn is_nullable(self) -> bool {
        self.schema.is_some_and(|schema| schema.is_true("nullable"))
    }

    fn required(self, is_set: &dyn Fn(&str) -> bool, missing: &mut dyn FnMut(&str)) {
        let required = self.get("required").and_then(Node::as_seq).unwrap_or_default();
        for name in required.iter().filter_map(Node::as_str) {
            let has_default =
                || self.get("properties").and_then(|all| all.get(name)?.get("default")).is_some();
            let is_given =
                is_set(name) || has_default() || self.whole && values::custom::OBJECT.contains(&name);
            if !is_given {
                missing(name);
            }
        }
    }

    fn refused(self, at: &At<'_, '_>, root: &Node, found: &mut dyn FnMut(FieldError)) {
        let Some(schema) = self.schema else { return };
        values::custom::check(at, schema, root, found);
        if self.whole {
            values::custom::check_names(at, schema, root, found);
        }
    }

    fn fills_null(self) -> bool {
        false
    }

    fn drops_status(self) -> bool {
        self.drops_status
    }

    fn mistyped(self, at: &At<'_, '_>, found: &'static str) -> String {
        // Go's JSON and OpenAPI have the same names for types, except for bool.
        let found = if found == "bool" { "boolean" } else { found };
        let wanted = match self.shape() {
            Shape::Any => "integer,string",
            _ => self.type_name(),
        };
        // kube-openapi, validation/errors, invalid type; it quotes the name of the type instead of the value.
        format!("{at}: Invalid value: {found:?}: {at} in body must be of type {wanted}: {found:?}")
    }

    fn meant(self, key: &str) -> Option<String> {
        spelling::only(key, self.properties()).map(str::to_owned)
    }

    fn hint(self, _: &At<'_, '_>, key: &str, _: &Node) -> Option<String> {
        hint::did_you_mean(key, self.properties())
    }
}
