//! Which elements of two lists are the same, so that a changed list is edited where it differs.

use std::hash::Hash;
use std::ops::Range;
use std::time::Instant;

use syntax::tree::Node;
use text::difference::{self, DiffOp};

/// An element of the old list, of the new list, or of both, by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paired {
    Both(usize, usize),
    Removed(usize),
    Added(usize),
}

/// The fields that identify a map in a list, the most specific first.
const IDENTITIES: [&str; 6] = ["name", "mountPath", "containerPort", "port", "key", "type"];

/// The elements of both lists in the order of the text: equal ones first, then those with the same name, then those in
/// the same place.
pub(super) fn paired(old: &[Node], new: &[Node]) -> Vec<Paired> {
    let mut pairs = Vec::new();
    let equal = common(old, new, (0..old.len(), 0..new.len()), |element| element);
    between(&equal, (0..old.len(), 0..new.len()), &mut |gap| {
        let alike = common(old, new, gap.clone(), likeness);
        let mut inner = Vec::new();
        between(&alike, gap, &mut |gap| in_order(old, new, gap, &mut inner));
        inner.extend(alike);
        pairs.extend(inner);
    });
    pairs.extend(equal);
    pairs.sort_unstable();
    all(&pairs, old.len(), new.len())
}

/// Pairs the elements of a gap that may become each other, in order.
fn in_order(old: &[Node], new: &[Node], (a, b): Gap, pairs: &mut Vec<(usize, usize)>) {
    let may_change = |(a, b): &(usize, usize)| match (identity(&old[*a]), identity(&new[*b])) {
        (None, None) => true,
        (Some(a), Some(b)) => a.0 == b.0,
        _ => false,
    };
    let is_certain = a.len() == b.len();
    pairs.extend(a.zip(b).filter(|pair| is_certain && may_change(pair)));
}

type Gap = (Range<usize>, Range<usize>);

/// Calls `visit` with the ranges between the pairs, which are in order.
fn between(pairs: &[(usize, usize)], (a, b): Gap, visit: &mut dyn FnMut(Gap)) {
    let (mut from_a, mut from_b) = (a.start, b.start);
    for &(at_a, at_b) in pairs.iter().chain([&(a.end, b.end)]) {
        if from_a < at_a && from_b < at_b {
            visit((from_a..at_a, from_b..at_b));
        }
        (from_a, from_b) = (at_a + 1, at_b + 1);
    }
}

/// The pairs of elements of two ranges that have the same key, as many as can be in order.
fn common<'n, K: Eq + Hash>(
    old: &'n [Node],
    new: &'n [Node],
    (a, b): Gap,
    key: impl Fn(&'n Node) -> K,
) -> Vec<(usize, usize)> {
    let keys = |elements: &'n [Node]| elements.iter().map(&key).collect::<Vec<K>>();
    let (old, new) = (keys(&old[a.clone()]), keys(&new[b.clone()]));
    let operations = difference::operations(&old, &new, Instant::now() + difference::PATIENCE);
    let equal = operations.into_iter().filter(|operation| matches!(operation, DiffOp::Equal { .. }));
    let pairs = equal.flat_map(|equal| equal.old_range().zip(equal.new_range()));
    pairs.map(|(old, new)| (a.start + old, b.start + new)).collect()
}

/// What identifies a map in a list; `None` for other values.
fn identity(node: &Node) -> Option<(&'static str, &Node)> {
    let map = node.as_map()?;
    IDENTITIES.iter().find_map(|key| Some((*key, map.get(key)?)))
}

/// What elements that are alike have in common. What nothing identifies is only like itself.
fn likeness(element: &Node) -> Result<(&'static str, &Node), *const Node> {
    identity(element).ok_or(std::ptr::from_ref(element))
}

/// All elements, given the pairs in order.
fn all(pairs: &[(usize, usize)], old: usize, new: usize) -> Vec<Paired> {
    let mut all = Vec::with_capacity(old.max(new));
    let (mut a, mut b) = (0, 0);
    for &(at_a, at_b) in pairs.iter().chain([&(old, new)]) {
        all.extend((a..at_a).map(Paired::Removed));
        all.extend((b..at_b).map(Paired::Added));
        if at_a < old && at_b < new {
            all.push(Paired::Both(at_a, at_b));
        }
        (a, b) = (at_a + 1, at_b + 1);
    }
    all
}
