//! The tree to which both YAML and JSON are parsed: values as kubectl reads them, keys in the order of the text, and
//! the span of every node.
//!
//! Equality is that of values, as Kubernetes sees it: neither spans nor the order of keys matter.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::mem;

use compact_str::CompactString;
use smallvec::SmallVec;

/// A range of bytes in the parsed text, 0-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A value and its span in the text.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The span of its text. Values from an alias or a merge key have the span of the anchored text.
    pub span: Span,
}

/// A JSON value as Kubernetes decodes it.
///
/// A number without a fraction that an `i64` holds is an [`Value::Int`], whether written `3`, `3.0` or
/// `0x3` (apimachinery, util/json); all others are floats.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, or a key without a value.
    Null,
    /// `true` or `false`, which can also be spelled `yes`, `on`, `n` ... in YAML 1.1.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number; never NaN or infinite, which are errors to kubectl.
    Float(f64),
    /// Text.
    String(CompactString),
    /// A list.
    Seq(Vec<Node>),
    /// A map.
    Map(Map),
}

/// A map in the order of its text. Keys are unique: if the text repeats a key, the last value counts, in the position
/// of the first.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<Entry>,
    /// The [`likeness`] bits of all keys, and perhaps of some that were removed, so that most keys that the map does not
    /// have are known without comparing any.
    alike: u64,
    /// The index of each key; `None` in a map with few keys, of which a linear search is faster than hashing.
    places: Option<Box<Places>>,
}

/// The index of each key of a map.
type Places = HashMap<CompactString, usize>;

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key as text: `y: 1` has the key `true`.
    pub key: CompactString,
    /// The span of the key, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Map {
    /// Room for this many keys is allocated at first.
    const MOSTLY: usize = 5;

    /// From this many keys on, their indexes are kept.
    const MANY: usize = 32;

    /// A map without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `key`; `None` if the map does not have it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of `key` for modification; `None` if the map does not have it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let at = self.place(key)?;
        Some(&mut self.entries[at].value)
    }

    /// The entry of `key`; `None` if the map does not have it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.place(key).map(|at| &self.entries[at])
    }

    fn place(&self, key: &str) -> Option<usize> {
        match &self.places {
            _ if self.alike & likeness(key) == 0 => None,
            Some(places) => places.get(key).copied(),
            None => self.entries.iter().position(|entry| entry.key == key),
        }
    }

    /// Sets `key`. If the map already has it, replaces its value and both spans, and returns the entry. This takes constant
    /// time, however many keys there are.
    pub fn insert(&mut self, key: impl Into<CompactString>, key_span: Span, value: Node) -> Option<&Entry> {
        let key = key.into();
        if let Some(at) = self.place(&key) {
            let entry = &mut self.entries[at];
            (entry.key_span, entry.value) = (key_span, value);
            return Some(entry);
        }
        if self.entries.capacity() == 0 {
            self.entries.reserve(Self::MOSTLY);
        }
        self.alike |= likeness(&key);
        self.entries.push(Entry { key, key_span, value });
        if self.places.is_some() || self.entries.len() == Self::MANY {
            let places = self.places.get_or_insert_default();
            let unplaced = self.entries.iter().enumerate().skip(places.len());
            places.extend(unplaced.map(|(at, entry)| (entry.key.clone(), at)));
        }
        None
    }

    /// Removes `key` and returns its value; `None` if the map does not have it.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.place(key)?;
        self.places = None;
        Some(self.entries.remove(at).value)
    }

    /// Gives the entry of `from` the key `to`. Its place and its spans remain. Returns whether the map has `from` and not `to`.
    pub fn rename(&mut self, from: &str, to: impl Into<CompactString>) -> bool {
        let to = to.into();
        let Some(at) = self.place(from).filter(|_| self.place(&to).is_none()) else { return false };
        self.alike |= likeness(&to);
        self.places = None;
        self.entries[at].key = to;
        true
    }

    /// Removes the keys for which `keep` is false, all in one go.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Node) -> bool) {
        self.entries.retain_mut(|entry| keep(&entry.key, &mut entry.value));
        self.places = self.placed();
    }

    /// The index of each key if there are many.
    fn placed(&self) -> Option<Box<Places>> {
        let places = || self.entries.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
        (self.entries.len() >= Self::MANY).then(|| Box::new(places()))
    }

    /// The same keys with the values that `value` gives them, without those that get none.
    pub fn filter_map(&self, mut value: impl FnMut(&Entry) -> Option<Node>) -> Self {
        let mut map = Self { entries: Vec::with_capacity(self.len()), alike: self.alike, places: None };
        for entry in self {
            if let Some(value) = value(entry) {
                map.entries.push(Entry { key: entry.key.clone(), key_span: entry.key_span, value });
            }
        }
        map.places = map.placed();
        map
    }

    /// The entries, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The values for modification, in the order of the text.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }

    /// The keys, with their values for modification, in the order of the text.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (&str, &mut Node)> {
        self.entries.iter_mut().map(|entry| (entry.key.as_str(), &mut entry.value))
    }

    /// The entries, sorted bytewise by key.
    pub fn by_key(&self) -> SmallVec<[&Entry; 16]> {
        let mut entries: SmallVec<[&Entry; 16]> = self.iter().collect();
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        entries
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// One of 64 bits for a key: keys with different bits are different, so most keys of a map need not be compared with
/// those before them.
#[inline]
pub(super) fn likeness(key: &str) -> u64 {
    let last = key.as_bytes().last().map_or(0, |&byte| usize::from(byte));
    1 << ((key.len() + 11 * last) % 64)
}

impl IntoIterator for Map {
    type Item = Entry;
    type IntoIter = std::vec::IntoIter<Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Node {
    /// A node that is not in a text.
    pub const fn new(value: Value) -> Self {
        Self { value, span: Span { start: 0, end: 0 } }
    }

    /// A string that is not in a text.
    pub fn text(text: &str) -> Self {
        Self::new(Value::String(text.into()))
    }

    /// A map that is not in a text.
    pub fn map<'k>(entries: impl IntoIterator<Item = (&'k str, Node)>) -> Self {
        let mut map = Map::new();
        for (key, node) in entries {
            map.insert(key, Span::default(), node);
        }
        Self::new(Value::Map(map))
    }

    /// The value of `key`; `None` if this is not a map or does not have it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    /// The node at a dotted path such as `spec.template.metadata`; `None` if it is missing. Keys cannot contain dots.
    pub fn at(&self, path: &str) -> Option<&Node> {
        // Keys are short, so splitting byte by byte is faster than a search made for long texts.
        path.as_bytes().split(|byte| *byte == b'.').try_fold(self, |node, key| {
            let entry = node.as_map()?.iter().find(|entry| entry.key.as_bytes() == key)?;
            Some(&entry.value)
        })
    }

    /// The node at a dotted path for modification, as for [`Node::at`].
    pub fn at_mut(&mut self, path: &str) -> Option<&mut Node> {
        path.split('.').try_fold(self, |node, key| node.as_map_mut()?.get_mut(key))
    }

    /// The text of a key; empty if this is no map with a text there.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key).and_then(Self::as_str).unwrap_or_default()
    }

    /// Whether this is a map in which a key is true.
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Self::as_bool) == Some(true)
    }

    /// The string; `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number; `None` for other values.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The boolean; `None` for other values.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(yes) => Some(yes),
            _ => None,
        }
    }

    /// The items of the list; `None` for other values.
    pub fn as_seq(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The map; `None` for other values.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items of the list for modification; none for other values.
    pub fn items_mut(&mut self) -> &mut [Node] {
        match &mut self.value {
            Value::Seq(items) => items,
            _ => &mut [],
        }
    }

    /// The map for modification; `None` for other values.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// What is directly below, each with its key, or with `[]` if it is an item of a list.
    pub fn children(&self) -> impl Iterator<Item = (&str, &Self)> {
        let entries = self.as_map().into_iter().flatten().map(|entry| (&*entry.key, &entry.value));
        entries.chain(self.as_seq().into_iter().flatten().map(|item| ("[]", item)))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Whether Go considers the value as not set in a field that is not a pointer: null, 0, false, or an empty text, list or map.
    pub fn is_zero(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Bool(truth) => !truth,
            Value::Int(number) => *number == 0,
            Value::Float(number) => *number == 0.0,
            Value::String(text) => text.is_empty(),
            Value::Seq(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
        }
    }

    /// The type of the value as Go's JSON decoder calls it in errors: `null`, `bool`, `number`, `string`, `array`,
    /// `object`.
    pub fn json_type(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Float(_) => "number",
            Value::String(_) => "string",
            Value::Seq(_) => "array",
            Value::Map(_) => "object",
        }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Seq(a), Self::Seq(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            _ => false,
        }
    }
}

// A float is never NaN.
impl Eq for Node {}
impl Eq for Value {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::String(text) => text.hash(state),
            Self::Seq(items) => items.hash(state),
            // Maps are equal in any order of their keys.
            Self::Map(map) => {
                map.by_key().iter().for_each(|entry| (&entry.key, &entry.value).hash(state));
            }
        }
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        // Equal maps usually have the same order of keys. Otherwise they are sorted, which is fast for maps of any
        // size.
        if self.len() != other.len() {
            return false;
        }
        let Some((own, _)) = self.iter().zip(other).find(|(a, b)| a.key != b.key) else {
            return self.iter().zip(other).all(|(a, b)| a.value == b.value);
        };
        if other.get(&own.key).is_none() {
            return false;
        }
        let (a, b) = (self.by_key(), other.by_key());
        a.iter().zip(&b).all(|(a, b)| a.key == b.key) && a.iter().zip(&b).all(|(a, b)| a.value == b.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i64) -> Node {
        Node::new(Value::Int(value))
    }

    #[test]
    fn a_repeated_key_gets_the_last_value_at_the_first_place() {
        for keys in [3, 31, 32, 33, 1000] {
            let mut map = Map::new();
            for key in 0..keys {
                assert!(map.insert(key.to_string(), Span::default(), number(key)).is_none());
            }
            for key in 0..keys {
                assert!(map.insert(key.to_string(), Span::default(), number(-key)).is_some());
            }
            let read: Vec<(String, Option<i64>)> =
                map.iter().map(|entry| (entry.key.to_string(), entry.value.as_int())).collect();
            assert_eq!(read, (0..keys).map(|key| (key.to_string(), Some(-key))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_large_map_finds_its_keys_whatever_is_done_to_it() {
        for keys in [10, 100] {
            let mut map = Map::new();
            for key in 0..keys {
                map.insert(key.to_string(), Span::default(), number(key));
            }
            let get = |map: &Map, key: i64| map.get(&key.to_string()).and_then(Node::as_int);
            assert_eq!((get(&map, 7), get(&map, keys)), (Some(7), None));
            assert_eq!(map.remove("3").as_ref().and_then(Node::as_int), Some(3));
            map.insert("new", Span::default(), number(-1));
            map.insert("8", Span::default(), number(-8));
            if let Some(node) = map.get_mut("9") {
                *node = number(-9);
            }
            assert_eq!(
                (get(&map, 3), get(&map, 4), get(&map, 8), get(&map, 9)),
                (None, Some(4), Some(-8), Some(-9))
            );
            assert_eq!(map.get("new").and_then(Node::as_int), Some(-1));
        }
    }

    #[test]
    fn equal_maps_may_differ_in_order() {
        let map = |keys: &[&str]| {
            let mut map = Map::new();
            for key in keys {
                map.insert((*key).to_owned(), Span::default(), number(1));
            }
            map
        };
        assert_eq!(map(&["a", "b", "c"]), map(&["c", "a", "b"]));
        assert_ne!(map(&["a", "b"]), map(&["a", "c"]));
        assert_ne!(map(&["a", "b"]), map(&["a"]));
    }
}
