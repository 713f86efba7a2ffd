//! The fields at which two objects differ, with their values.

use super::lists::{Pair, Pairs};
use syntax::emit::json;
use syntax::tree::{Map, Node, Value};
use text::go;

/// A field that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its JSONPath: `.spec.replicas`, `.metadata.labels['app.kubernetes.io/name']`,
    /// `.spec.template.spec.containers[?(@.name=="web")].image`. Elements that no field identifies have their index in the
    /// old list, or in the new one if they are not in the old one.
    pub path: String,
    /// Its value in the first object; `None` if that lacks it.
    pub old: Option<Node>,
    /// Its value in the second object.
    pub new: Option<Node>,
}

/// The differences of two pruned objects, in the order of the first. If elements of a list have another order, that is a
/// difference of what identifies them: `.containers[*].name`.
pub fn differences(old: &Node, new: &Node) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(old, new, &mut String::new(), &mut found);
    found
}

fn compare(old: &Node, new: &Node, path: &mut String, found: &mut Vec<Difference>) {
    match (&old.value, &new.value) {
        (Value::Map(old), Value::Map(new)) => compare_maps(old, new, path, found),
        (Value::Seq(old), Value::Seq(new)) => compare_lists(old, new, path, found),
        _ if old == new => (),
        _ => push(Some(old), Some(new), path, found),
    }
}

fn compare_maps(old: &Map, new: &Map, path: &mut String, found: &mut Vec<Difference>) {
    let length = path.len();
    for entry in old {
        push_key(path, &entry.key);
        match new.get(&entry.key) {
            Some(other) => compare(&entry.value, other, path, found),
            None => push(Some(&entry.value), None, path, found),
        }
        path.truncate(length);
    }
    for entry in new.iter().filter(|entry| old.get(&entry.key).is_none()) {
        push_key(path, &entry.key);
        push(None, Some(&entry.value), path, found);
        path.truncate(length);
    }
}

fn compare_lists(old: &[Node], new: &[Node], path: &mut String, found: &mut Vec<Difference>) {
    let length = path.len();
    let Pairs { pairs, key, reordered } = Pairs::of(old, new);
    if let Some(key) = key.filter(|_| reordered) {
        let keys = |elements: &[Node]| {
            Node::new(Value::Seq(elements.iter().filter_map(|element| element.get(key)).cloned().collect()))
        };
        path.push_str(&format!("[*].{key}"));
        push(Some(&keys(old)), Some(&keys(new)), path, found);
        path.truncate(length);
    }
    for pair in pairs {
        let (at, element) = match pair {
            Pair::Both(at, _) | Pair::Old(at) => (at, &old[at]),
            Pair::New(at) => (at, &new[at]),
        };
        match key.and_then(|key| Some((key, element.get(key)?))) {
            Some((key, identity)) => path.push_str(&format!("[?(@.{key}=={})]", json::text(identity))),
            None => path.push_str(&format!("[{at}]")),
        }
        match pair {
            Pair::Both(at, other) => compare(&old[at], &new[other], path, found),
            Pair::Old(at) => push(Some(&old[at]), None, path, found),
            Pair::New(at) => push(None, Some(&new[at]), path, found),
        }
        path.truncate(length);
    }
}

fn push(old: Option<&Node>, new: Option<&Node>, path: &str, found: &mut Vec<Difference>) {
    let path = if path.is_empty() { "." } else { path };
    found.push(Difference { path: path.to_owned(), old: old.cloned(), new: new.cloned() });
}

fn push_key(path: &mut String, key: &str) {
    let is_plain =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/'));
    if is_plain {
        path.push('.');
        path.push_str(key);
    } else {
        path.push_str(&format!("['{}']", go::printable(&key.replace('\\', "\\\\").replace('\'', "\\'"))));
    }
}
