//! A step of an edit: one key of a map that is set or removed.

use syntax::tree::{Node, Value};

use super::tree;

/// The position of a key, and its value if that is text.
pub(super) type Current<'n> = (usize, Option<&'n str>);

/// A step of a path through any values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Key(String),
    Element(usize),
}

impl Segment {
    /// The value at a path.
    pub fn find<'n>(node: &'n Node, path: &[Self]) -> Option<&'n Node> {
        path.iter().try_fold(node, |node, segment| match (segment, &node.value) {
            (Self::Key(key), Value::Map(map)) => map.get(key),
            (Self::Element(at), Value::Seq(elements)) => elements.get(*at),
            _ => None,
        })
    }

    fn find_mut<'n>(node: &'n mut Node, path: &[Self]) -> Option<&'n mut Node> {
        path.iter().try_fold(node, |node, segment| match (segment, &mut node.value) {
            (Self::Key(key), Value::Map(map)) => map.get_mut(key),
            (Self::Element(at), Value::Seq(elements)) => elements.get_mut(*at),
            _ => None,
        })
    }
}

/// A key of a map of an object that is to be set or removed.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The path from the object to what `path` starts from; empty for the object itself. If not, the key must exist, and
    /// only its text is replaced.
    pub base: Vec<Segment>,
    /// The path from there to the map.
    pub path: Vec<&'static str>,
    /// The key.
    pub key: String,
    /// Its new value; `None` if it is to be removed.
    pub value: Option<String>,
    /// Whether another value is a conflict, unless it may be overwritten.
    pub guarded: bool,
    /// Whether the map is a workload's selector.
    pub is_selector: bool,
}

impl Step {
    /// Replaces the text of an existing key.
    pub fn replacing(base: Vec<Segment>, key: &str, value: String) -> Self {
        let (path, key, value) = (Vec::new(), key.to_owned(), Some(value));
        Self { base, path, key, value, guarded: false, is_selector: false }
    }

    /// Whether only the object's own metadata matters.
    pub fn is_in_metadata(&self) -> bool {
        self.path.first() == Some(&"metadata")
    }

    /// The current position and value of the key.
    pub fn current<'n>(&self, object: &'n Node) -> Option<Current<'n>> {
        let base = Segment::find(object, &self.base)?;
        let map = self.path.iter().try_fold(base, |node, key| node.get(key))?.as_map()?;
        map.entry(&self.key).map(|entry| (entry.key_span.start, entry.value.as_str()))
    }

    /// The existing value of the key if it differs, with the position of the key.
    pub fn conflict<'n>(&self, current: Option<Current<'n>>) -> Option<(usize, &'n str)> {
        let wanted = self.value.as_deref().filter(|_| self.guarded)?;
        let (at, value) = current?;
        value.filter(|value| *value != wanted).map(|value| (at, value))
    }

    /// Whether the step changes the object.
    pub fn changes(&self, current: Option<Current<'_>>) -> bool {
        match (current, &self.value) {
            (Some((_, value)), Some(wanted)) => value != Some(wanted),
            (None, None) => false,
            _ => true,
        }
    }

    /// Applies the step to the object, which was read from `text`. Maps that become empty are removed, up to `metadata`
    /// if that is a block.
    pub fn apply(&self, object: &mut Node, text: &[u8]) {
        let Some(object) = Segment::find_mut(object, &self.base) else { return };
        match &self.value {
            Some(value) => tree::set(object, &self.path, &self.key, value),
            None => {
                tree::remove(object, &self.path, &self.key, text);
            }
        }
    }
}
