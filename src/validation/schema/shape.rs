//! What the walk asks of a schema.

use crate::at::At;
use crate::values::FieldError;
use kinds::fields::Scalar;
use syntax::tree::Node;

/// The schema of a part of an object.
pub(crate) trait Schema: Copy {
    /// The type of the value.
    fn shape(self) -> Shape<Self>;

    /// The schema of `key` in a map that is a [`Shape::Object`].
    fn field(self, key: &str) -> FieldSchema<Self>;

    /// Whether null is a value of this field. In other fields it is as if the field were missing.
    fn takes_null(self, _field: &str) -> bool {
        false
    }

    /// Whether the rules for values are about null, too.
    fn is_nullable(self) -> bool {
        false
    }

    /// Calls `missing` with the relative path of each required field that is not set.
    fn required(self, is_set: &dyn Fn(&str) -> bool, missing: &mut dyn FnMut(&str));

    /// The server's message about a value of the wrong type. `found` is the JSON type of the value.
    fn mistyped(self, at: &At<'_, '_>, found: &'static str) -> String;

    /// Calls `found` with what the rules for values refuse in a value of the object `root`, but not further down.
    fn refused(self, at: &At<'_, '_>, root: &Node, found: &mut dyn FnMut(FieldError));

    /// Whether null in a list is a map without fields.
    fn fills_null(self) -> bool;

    /// Whether the server drops the status of new objects.
    fn drops_status(self) -> bool;

    /// The only field here of which `key` can be a misspelling; `None` if there is none or more than one.
    fn meant(self, key: &str) -> Option<String>;

    /// A suggestion for an unknown field; `None` if there is none.
    fn hint(self, at: &At<'_, '_>, key: &str, root: &Node) -> Option<String>;
}

/// The type of a value.
pub(crate) enum Shape<S> {
    /// Anything.
    Any,
    /// A scalar.
    Scalar(Scalar),
    /// A list of these.
    List(S),
    /// A map from any key to these.
    Map(S),
    /// A map whose keys the schema names.
    Object,
}

/// The schema of a key.
pub(crate) enum FieldSchema<S> {
    /// The key has this schema.
    Known(S),
    /// The metadata of an object within the object.
    Metadata,
    /// The key may have any value.
    Free,
    /// The field does not exist.
    Unknown,
}
