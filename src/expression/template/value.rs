//! The values in templates: those of an object, and the results of functions.

use std::rc::Rc;

use syntax::tree::{self, Map, Node};

/// A value as Go's reflection sees it, in a template executed with an object decoded from JSON.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// The zero `reflect.Value`: a missing key of a map, `nil`, or a null at the end of a pipeline.
    Invalid,
    /// An `interface {}`: a value within a map or list. Null is the nil interface.
    Interface(&'a Node),
    Bool(bool),
    /// `int`: numbers in templates, indexes and lengths.
    Int(i64),
    /// `int64`: integers in objects.
    Int64(i64),
    /// `uint8`: bytes of strings.
    Byte(u8),
    Float(f64),
    String(Text<'a>),
    List(&'a [Node]),
    Map(&'a Map),
}

/// The text of a string, which in Go need not be UTF-8.
#[derive(Clone, Debug)]
pub(super) enum Text<'a> {
    Borrowed(&'a [u8]),
    Owned(Rc<[u8]>),
}

/// The null within lists and maps: the result of indexing a map with a missing key.
static NULL: Node = Node { value: tree::Value::Null, span: tree::Span { start: 0, end: 0 } };

impl Text<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl<'a> Value<'a> {
    pub(super) const NULL: Self = Self::Interface(&NULL);

    pub(super) fn string(text: Vec<u8>) -> Self {
        Self::String(Text::Owned(text.into()))
    }

    /// The value of `node`, without the interface around it.
    pub(super) fn of(node: &'a Node) -> Self {
        match &node.value {
            tree::Value::Null => Self::Invalid,
            tree::Value::Bool(yes) => Self::Bool(*yes),
            tree::Value::Int(number) => Self::Int64(*number),
            tree::Value::Float(number) => Self::Float(*number),
            tree::Value::String(text) => Self::String(Text::Borrowed(text.as_bytes())),
            tree::Value::Seq(items) => Self::List(items),
            tree::Value::Map(map) => Self::Map(map),
        }
    }

    /// The value within an interface, or any other value itself (indirectInterface).
    pub(super) fn elem(self) -> Self {
        match self {
            Self::Interface(node) => Self::of(node),
            other => other,
        }
    }

    /// Whether this is a nil interface.
    pub(super) fn is_nil_interface(&self) -> bool {
        matches!(self, Self::Interface(node) if node.is_null())
    }

    pub(super) fn is_valid(&self) -> bool {
        !matches!(self, Self::Invalid)
    }

    /// Go's name of the type; `None` if the value has none.
    pub(super) fn type_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Invalid => return None,
            Self::Interface(_) => "interface {}",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Int64(_) => "int64",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::String(_) => "string",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
        })
    }

    /// The value in messages, which must not show the contents of objects: as Go shows values without text of their own
    /// (reflect.Value.String).
    pub(super) fn described(&self) -> String {
        format!("<{} Value>", self.type_name().unwrap_or("invalid"))
    }

    /// Whether the value is true for `if`: not zero, empty or missing (template.IsTrue).
    pub(super) fn is_true(&self) -> bool {
        match self.clone().elem() {
            Self::Invalid | Self::Interface(_) => false,
            Self::Bool(yes) => yes,
            Self::Int(number) | Self::Int64(number) => number != 0,
            Self::Byte(number) => number != 0,
            Self::Float(number) => number != 0.0,
            Self::String(text) => !text.bytes().is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(map) => !map.is_empty(),
        }
    }

    /// An integer of any type.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) | Self::Int64(number) => Some(*number),
            Self::Byte(number) => Some(i64::from(*number)),
            _ => None,
        }
    }
}
