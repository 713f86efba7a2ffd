//! The API's defaults for fields that a printed column or a selectable field reads (Kubernetes,
//! pkg/apis/*/v1/defaults.go, and the strategies that set an initial status).
//!
//! Table cells and field selectors see these; text that is passed on does not.

use compact_str::CompactString;

use syntax::tree::{Node, Span, Value};

/// The default of a field.
#[derive(Debug)]
pub struct FieldDefault {
    pub(super) path: &'static str,
    of: Of,
    value: Filled,
}

/// The values that a default replaces. Go distinguishes an absent field from an empty one only by a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// An absent one, and null.
    Pointer,
    /// Also zero and the empty string, list and map.
    Value,
}

/// A default, or a function that computes it.
#[derive(Debug)]
pub enum Filled {
    /// A constant.
    With(Node),
    /// The value of another field.
    From(&'static str),
    /// The result of the function, which reads the field at the path of the object; `None` if there is none.
    By(&'static str, fn(&Node) -> Option<&Node>),
}

/// The default among `rows` for the value at the dotted `path` of `object`, which is absent, null, of another type, zero
/// or empty; `None` if there is no default in this case.
///
/// `asked` is called with the paths of the fields that are read.
pub(super) fn default<'a>(
    rows: &'static [FieldDefault],
    path: &str,
    object: &'a Node,
    asked: &dyn Fn(&str),
) -> Option<&'a Node> {
    let row = rows.iter().find(|row| row.path == path)?;
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

/// Whether Go considers a value as not set in a field that is not a pointer: zero, or an empty string, list or map.
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

/// The default of a field that is not a pointer in Go.
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

/// A value without a position in a text.
pub(super) const fn node(value: Value) -> Node {
    Node { value, span: Span { start: 0, end: 0 } }
}
