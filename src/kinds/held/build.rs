//! Reads and builds maps and lists that are not in a text.

use syntax::tree::{Map, Node, Span, Value};

/// Sets a key that is not in a text.
pub fn insert(map: &mut Map, key: &str, value: Node) {
    map.insert(key, Span::default(), value);
}

/// Sets a key that is not there, and returns its value.
pub fn default<'m>(map: &'m mut Map, key: &str, value: impl FnOnce() -> Node) -> Option<&'m mut Node> {
    if map.get(key).is_none() {
        insert(map, key, value());
    }
    map.get_mut(key)
}

/// The map at a key, which is made if it is not there; `None` if the key has another value.
pub fn map_at<'m>(map: &'m mut Map, key: &str) -> Option<&'m mut Map> {
    default(map, key, || Node::map([]))?.as_map_mut()
}

/// The value at a dotted path.
pub fn at<'m>(map: &'m Map, path: &str) -> Option<&'m Node> {
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    let node = map.get(key)?;
    if rest.is_empty() { Some(node) } else { node.at(rest) }
}

pub fn text_of<'m>(map: &'m Map, key: &str) -> &'m str {
    map.get(key).and_then(Node::as_str).unwrap_or_default()
}

pub fn list(items: impl IntoIterator<Item = Node>) -> Node {
    Node::new(Value::Seq(items.into_iter().collect()))
}

pub fn int(number: i64) -> Node {
    Node::new(Value::Int(number))
}

pub fn bool(truth: bool) -> Node {
    Node::new(Value::Bool(truth))
}

pub fn is_empty(node: Option<&Node>) -> bool {
    match node.map(|node| &node.value) {
        Some(Value::Seq(items)) => items.is_empty(),
        Some(Value::Map(map)) => map.is_empty(),
        Some(Value::Null) | None => true,
        Some(_) => false,
    }
}
