//! Paths through the value of a text: to an object in it, and to values in that; and setting keys of maps of strings there.

use edit::refusal::Refused;
use manifest::object::Member;
use syntax::syntax::Form;
use syntax::tree::{Map, Node, Span, Value};

/// The keys under which Lists and Tables have their elements; a top-level array has none.
const LISTS: [&str; 2] = ["items", "rows"];

/// The object at this path in the tree of a text of this form. An item in block style is the only one of a list.
pub(super) fn target<'n>(root: &'n mut Node, form: Form, path: &[Member]) -> Option<&'n mut Node> {
    fn element(node: &mut Node, number: usize) -> Option<&mut Node> {
        match &mut node.value {
            Value::Seq(elements) => elements.get_mut(number),
            _ => None,
        }
    }
    let start = match form {
        Form::Document => root,
        Form::Item { .. } => element(root, 0)?,
    };
    path.iter().try_fold(start, |node, step| match *step {
        Member::Object => node.as_map_mut()?.get_mut("object"),
        Member::Item(number) => match LISTS.iter().find(|key| node.get(key).is_some()) {
            Some(key) => element(node.as_map_mut()?.get_mut(key)?, number),
            None => element(node, number),
        },
    })
}

/// Sets a key of a map, and keeps the span of a value that it had.
pub(crate) fn put(map: &mut Map, key: &str, value: Node) {
    match map.get_mut(key) {
        Some(old) => old.value = value.value,
        None => _ = map.insert(key, Span::default(), value),
    }
}

/// The map at a path, whose missing or null parts become maps; `None` if one of them is something else.
pub(super) fn made<'n>(node: &'n mut Node, path: &[&str]) -> Option<&'n mut Map> {
    if node.is_null() {
        node.value = Value::Map(Map::new());
    }
    let map = node.as_map_mut()?;
    let Some((first, rest)) = path.split_first() else { return Some(map) };
    if map.get(first).is_none() {
        map.insert(*first, Span::default(), Node::new(Value::Null));
    }
    made(map.get_mut(first)?, rest)
}

/// The refusal of an object in which something at this position is no map.
pub(super) fn not_a_map(at: usize, what: &str) -> Refused {
    Refused::new(at, format!("not edited: {what} is not a map"))
}

/// Sets a key of the map at `path`; missing or null parents become maps.
pub(super) fn set(object: &mut Node, path: &[&str], key: &str, value: &str) {
    if let Some(map) = made(object, path) {
        map.insert(key, Span::default(), Node::text(value));
    }
}

/// Removes a key of the map at `path`, and those enclosing maps that become empty and for which [`goes_when_empty`] is
/// true. Returns whether the innermost map becomes empty.
pub(super) fn remove(object: &mut Node, path: &[&str], key: &str, text: &[u8]) -> bool {
    let around = Style::of(object, text);
    let Some(map) = object.as_map_mut() else { return false };
    match path {
        [] => {
            map.remove(key);
        }
        [first, rest @ ..] => {
            let child = map.get_mut(first);
            let own = child.as_deref().map_or(Style::Block, |child| Style::of(child, text));
            let emptied = child.is_some_and(|child| remove(child, rest, key, text));
            if emptied && goes_when_empty(first, rest, own, around) {
                map.remove(first);
            }
        }
    }
    map.is_empty()
}

/// How a map is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Block,
    Flow,
    /// A flow map with blanks after its `{` and with its `}` on the line of its last entry, as written by filling a
    /// `{}` in a flow map.
    Filled,
}

impl Style {
    /// That of a map in this text.
    pub(super) fn of(map: &Node, text: &[u8]) -> Self {
        let own = text.get(map.span.start..map.span.end).unwrap_or_default();
        let Some(inner) = own.strip_prefix(b"{").and_then(|own| own.strip_suffix(b"}")) else {
            return if own.starts_with(b"{") { Self::Flow } else { Self::Block };
        };
        let mut end = inner.iter().rev().take_while(|byte| byte.is_ascii_whitespace());
        match inner.first().is_some_and(u8::is_ascii_whitespace) && !end.any(|byte| *byte == b'\n') {
            true => Self::Filled,
            false => Self::Flow,
        }
    }
}

/// Whether a map that a removal leaves empty is removed as well. This is so for the map of the key and for `metadata`
/// if they are blocks. A flow map in a block stays as `{}`, because it must have been `{}` before: a new map in a block
/// would be a block. In a flow map, the map of the key is removed unless it looks like a filled `{}`.
pub(super) fn goes_when_empty(name: &str, rest: &[&str], own: Style, around: Style) -> bool {
    match rest {
        [] => own == Style::Block || own == Style::Flow && around != Style::Block,
        _ => name == "metadata" && own == Style::Block,
    }
}
