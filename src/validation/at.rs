//! A position in an object while it is checked.

use std::fmt;

use syntax::tree::{Entry, Map, Node, Span, Value};

/// What a missing field is.
pub(super) static NULL: Node = Node { value: Value::Null, span: Span { start: 0, end: 0 } };

/// One step down.
#[derive(Clone, Copy)]
enum Step<'a> {
    /// The object.
    Start,
    /// A field.
    Field(&'a str),
    /// A key of a map with arbitrary keys.
    Key(&'a str),
    /// An item of a list, 0-based.
    Index(usize),
}

/// A value, which may be missing, with its path. It is displayed as the server's validation writes paths, `spec.ports[0].name`
/// and `data[a]`; with `#`, as its decoder writes them: `data.a`.
#[derive(Clone, Copy)]
pub(super) struct At<'a, 't> {
    above: Option<&'a At<'a, 't>>,
    step: Step<'a>,
    /// The span of its key, or of the nearest key above it.
    pub span: Span,
    /// Whether the span is that of a key.
    pub is_key: bool,
    /// The value; null if it is missing.
    pub node: &'t Node,
}

impl<'a, 't> At<'a, 't> {
    /// An object.
    pub(super) fn start(node: &'t Node) -> Self {
        Self { above: None, step: Step::Start, span: node.span, is_key: false, node }
    }

    /// The value as one with an empty path.
    pub(super) fn as_start(&self) -> Self {
        Self { above: None, step: Step::Start, ..*self }
    }

    pub(super) fn is_start(&self) -> bool {
        matches!(self.step, Step::Start)
    }

    pub(super) fn is_item(&self) -> bool {
        matches!(self.step, Step::Index(_))
    }

    /// The field with this name.
    pub(super) fn get<'b>(&'b self, name: &'b str) -> At<'b, 't> {
        match self.node.as_map().and_then(|map| map.entry(name)) {
            Some(entry) => self.field(entry),
            None => At { node: &NULL, ..self.below(name) },
        }
    }

    /// The field of this entry.
    pub(super) fn field<'b>(&'b self, Entry { key, key_span, value }: &'t Entry) -> At<'b, 't> {
        At { above: Some(self), step: Step::Field(key), span: *key_span, is_key: true, node: value }
    }

    /// The value under another name, which some messages of Kubernetes have for it.
    pub(super) fn called<'b>(&'b self, name: &'b str) -> At<'b, 't> {
        At { step: Step::Field(name), ..*self }
    }

    /// The value as the field `name` of `above`, where the server has it after a conversion.
    pub(super) fn moved<'b>(&self, above: &'b At<'b, 't>, name: &'b str) -> At<'b, 't> {
        At { span: self.span, is_key: self.is_key, node: self.node, ..above.below(name) }
    }

    /// The value as the item `index` of the list `above`, where the server has it after a conversion.
    pub(super) fn moved_into<'b>(&self, above: &'b At<'b, 't>, index: usize) -> At<'b, 't> {
        At { step: Step::Index(index), ..self.moved(above, "") }
    }

    /// The value of a key of a map with arbitrary keys.
    pub(super) fn key<'b>(&'b self, name: &'b str) -> At<'b, 't> {
        At { step: Step::Key(name), ..self.get(name) }
    }

    /// A part of the path that is not a value: the same value, one step further.
    pub(super) fn below<'b>(&'b self, name: &'b str) -> At<'b, 't> {
        At { above: Some(self), step: Step::Field(name), ..*self }
    }

    /// The items of a list.
    pub(super) fn items<'b>(&'b self) -> impl Iterator<Item = At<'b, 't>> {
        let items = self.node.as_seq().unwrap_or_default().iter().enumerate();
        items.map(move |(index, node)| At {
            above: Some(self),
            step: Step::Index(index),
            span: node.span,
            is_key: false,
            node,
        })
    }

    /// The entries of a map with arbitrary keys.
    pub(super) fn entries<'b>(&'b self) -> impl Iterator<Item = (&'b str, At<'b, 't>)> {
        let of = |entry: &'t Entry| At { step: Step::Key(&entry.key), ..self.field(entry) };
        self.map().iter().map(move |entry| (entry.key.as_str(), of(entry)))
    }

    /// The names of the fields on the way, without items and keys: `spec`, `containers`, `image`.
    pub(super) fn fields(&self) -> Vec<&'a str> {
        let mut fields = self.above.map(At::fields).unwrap_or_default();
        if let Step::Field(name) = self.step {
            fields.push(name);
        }
        fields
    }

    /// The map; an empty one if it is none.
    pub(super) fn map(&self) -> &'t Map {
        static EMPTY: std::sync::LazyLock<Map> = std::sync::LazyLock::new(Map::new);
        self.node.as_map().unwrap_or(&EMPTY)
    }

    /// How many items the list has; 0 for anything else.
    pub(super) fn len(&self) -> usize {
        self.node.as_seq().map_or(0, <[Node]>::len)
    }

    /// The text; empty if there is none.
    pub(super) fn text(&self) -> &'t str {
        self.node.as_str().unwrap_or_default()
    }

    /// The text of a field; empty if there is none.
    pub(super) fn node_text(&self, name: &str) -> &'t str {
        self.node.text_of(name)
    }

    /// The texts of a list.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.node.as_seq().unwrap_or_default().iter().filter_map(Node::as_str)
    }

    /// The integer; `None` if it is not one.
    pub(super) fn int(&self) -> Option<i64> {
        self.node.as_int()
    }

    pub(super) fn is_true(&self) -> bool {
        self.node.as_bool() == Some(true)
    }

    /// Whether the value is there and not null.
    pub(super) fn is_set(&self) -> bool {
        !self.node.is_null()
    }

    /// Whether the field is as good as missing for Go.
    pub(super) fn is_zero(&self) -> bool {
        self.node.is_zero()
    }
}

impl fmt::Display for At<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_first = self.above.is_none_or(At::is_start);
        if let Some(above) = self.above {
            above.fmt(f)?;
        }
        match self.step {
            Step::Start => Ok(()),
            Step::Field(name) if is_first => f.write_str(name),
            Step::Field(name) => write!(f, ".{name}"),
            Step::Key(key) if f.alternate() => write!(f, ".{key}"),
            Step::Key(key) => write!(f, "[{key}]"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}
