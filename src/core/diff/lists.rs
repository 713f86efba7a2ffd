//! Which elements of two lists are the same element.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::value::{Ignored, digests};
use syntax::tree::{Node, Value};
use text::difference;

/// The fields that identify an element of a list, the first that does: the merge keys of Kubernetes' types
/// (`x-kubernetes-list-map-keys`), and `id`.
const KEYS: [&str; 10] =
    ["name", "key", "id", "type", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey"];

/// An element of the old list, an element of the new list, or one of both, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    Both(usize, usize),
    Old(usize),
    New(usize),
}

/// The elements of two lists, in the order of the old one; new ones follow the element that they follow in the new list.
pub(super) struct Pairs {
    pub pairs: Vec<Pair>,
    /// The field that identifies the elements; `None` if they are paired by position.
    pub key: Option<&'static str>,
    /// Whether elements of both lists have another order.
    pub reordered: bool,
}

impl Pairs {
    /// Pairs the elements by a field that identifies them in both lists; otherwise equal ones, and the rest by position.
    pub fn of(old: &[Node], new: &[Node]) -> Self {
        let by_key =
            || KEYS.iter().find_map(|key| Some((*key, identities(old, key)?, identities(new, key)?)));
        match by_key().filter(|_| !(old.is_empty() || new.is_empty())) {
            Some((key, old, new)) => Self::by_key(key, &old, &new),
            None => Self { pairs: by_position(old, new), key: None, reordered: false },
        }
    }

    fn by_key(key: &'static str, old: &[String], new: &[String]) -> Self {
        let places = |keys: &[String]| -> HashMap<String, usize> { keys.iter().cloned().zip(0..).collect() };
        let (old_places, new_places) = (places(old), places(new));
        // The new elements after each old one; those before all of them follow `None`.
        let mut following: HashMap<Option<usize>, Vec<Pair>> = HashMap::new();
        let (mut before, mut reordered) = (None, false);
        for (at, key) in new.iter().enumerate() {
            match old_places.get(key) {
                Some(&place) => {
                    reordered |= before > Some(place);
                    before = Some(place);
                }
                None => following.entry(before).or_default().push(Pair::New(at)),
            }
        }
        let mut pairs = following.remove(&None).unwrap_or_default();
        for (at, key) in old.iter().enumerate() {
            pairs.push(new_places.get(key).map_or(Pair::Old(at), |&place| Pair::Both(at, place)));
            pairs.extend(following.remove(&Some(at)).unwrap_or_default());
        }
        Self { pairs, key: Some(key), reordered }
    }
}

/// The value of `key` in each element; `None` unless all are maps that have it, as different strings or numbers.
fn identities(elements: &[Node], key: &str) -> Option<Vec<String>> {
    let identity = |element: &Node| match &element.get(key)?.value {
        Value::String(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    };
    let found: Vec<String> = elements.iter().map(identity).collect::<Option<_>>()?;
    let different: HashSet<&String> = found.iter().collect();
    (different.len() == found.len()).then_some(found)
}

/// Pairs equal elements, and those between them by position.
fn by_position(old: &[Node], new: &[Node]) -> Vec<Pair> {
    let digests = |elements: &[Node]| -> Vec<[u64; 1]> {
        elements.iter().map(|element| digests(element, [&Ignored::default()])).collect()
    };
    let mut pairs = Vec::new();
    for op in difference::operations(&digests(old), &digests(new), Instant::now() + difference::PATIENCE) {
        let (old, new) = (op.old_range(), op.new_range());
        let both = old.len().min(new.len());
        pairs.extend(old.clone().zip(new.clone()).map(|(old, new)| Pair::Both(old, new)));
        pairs.extend(old.skip(both).map(Pair::Old));
        pairs.extend(new.skip(both).map(Pair::New));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::yaml;

    fn elements(text: &str) -> Vec<Node> {
        let root = yaml::parse(text.as_bytes()).expect("YAML").expect("a document").root;
        match root.value {
            Value::Seq(elements) => elements,
            _ => Vec::new(),
        }
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[Pair], reordered: bool) {
        let found = Pairs::of(&elements(old), &elements(new));
        assert_eq!((&found.pairs[..], found.reordered), (expected, reordered));
    }

    #[test]
    fn elements_with_names_are_paired_by_name() {
        use Pair::{Both, New, Old};
        check(
            "[{name: a}, {name: b}]",
            "[{name: c}, {name: a}, {name: d}]",
            &[New(0), Both(0, 1), New(2), Old(1)],
            false,
        );
        check(
            "[{name: a}, {name: b}, {name: c}]",
            "[{name: b}, {name: c}, {name: a}]",
            &[Both(0, 2), Both(1, 0), Both(2, 1)],
            true,
        );
    }

    #[test]
    fn other_elements_are_paired_by_value_and_position() {
        use Pair::{Both, New, Old};
        check("[a, b, c]", "[a, x, c, d]", &[Both(0, 0), Both(1, 1), Both(2, 2), New(3)], false);
        check("[a, b, c]", "[b, c]", &[Old(0), Both(1, 0), Both(2, 1)], false);
        check("[{name: a}, {name: a}]", "[{name: a}]", &[Both(0, 0), Old(1)], false);
        check("[]", "[{name: a}]", &[New(0)], false);
    }
}
