//! What the API server fills in where a manifest says nothing, as far as a printed column or a selectable
//! field reads it (Kubernetes, pkg/apis/*/v1/defaults.go, and the strategies that set a first status).
//!
//! Table cells and field selectors see these; text that is handed on never does.

use compact_str::CompactString;

use super::Kind;
use crate::manifest::tree::{Node, Span, Value};

/// The default of a field.
#[derive(Debug)]
pub struct FieldDefault {
    pub(super) path: &'static str,
    of: Of,
    value: Filled,
}

/// Which values a default replaces. Go tells an absent field from an empty one only by a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// An absent one, and null.
    Pointer,
    /// Also zero and the empty text, list and map.
    Value,
}

/// A default, or how to find it.
#[derive(Debug)]
pub enum Filled {
    /// Always the same.
    With(Node),
    /// The value of another field.
    From(&'static str),
    /// What the function takes from the object, of which it reads the field at the path; `None` if it has nothing to say.
    By(&'static str, fn(&Node) -> Option<&Node>),
}

impl Kind {
    /// What the API makes of the value at `path`, which is dotted, of `object`, which is absent, null, of another type,
    /// or zero or empty; `None` if it has no default for that.
    ///
    /// Of the object, the fields are read of which `asked` is told.
    pub fn default<'a>(&self, path: &str, object: &'a Node, asked: &dyn Fn(&str)) -> Option<&'a Node>
    where
        Self: 'static,
    {
        let row = self.defaults.iter().find(|row| row.path == path)?;
        if row.of == Of::Pointer && object.at(path).is_some_and(is_zero) {
            return None;
        }
        match &row.value {
            Filled::With(node) => Some(node),
            Filled::From(path) => {
                asked(path);
                object.at(path)
            }
            Filled::By(path, find) => {
                asked(path);
                find(object)
            }
        }
    }
}

/// Whether a value is what Go takes for none in a field that isn't a pointer: zero, or an empty text, list or map.
pub fn is_zero(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => text.is_empty(),
        Value::Int(number) => *number == 0,
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Null | Value::Bool(_) | Value::Float(_) => false,
    }
}

/// The default of a field that is a pointer in Go.
pub(super) const fn pointer(path: &'static str, value: Filled) -> FieldDefault {
    FieldDefault { path, of: Of::Pointer, value }
}

/// The default of a field that isn't.
pub(super) const fn value(path: &'static str, value: Filled) -> FieldDefault {
    FieldDefault { path, of: Of::Value, value }
}

pub(super) const fn text(text: &'static str) -> Filled {
    Filled::With(node(Value::String(CompactString::const_new(text))))
}

pub(super) const fn int(number: i64) -> Filled {
    Filled::With(node(Value::Int(number)))
}

pub(super) const fn bool(truth: bool) -> Filled {
    Filled::With(node(Value::Bool(truth)))
}

/// A value that has no place in any text.
pub(super) const fn node(value: Value) -> Node {
    Node { value, span: Span { start: 0, end: 0 } }
}
