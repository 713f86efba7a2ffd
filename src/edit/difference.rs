//! Which elements of two lists are the same, so that a changed list is edited where it differs.

use std::ops::Range;

use syntax::tree::Node;

/// An element of the old list, of the new list, or of both, by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paired {
    Both(usize, usize),
    Removed(usize),
    Added(usize),
}

/// The fields that identify a map in a list, the most specific first.
const IDENTITIES: [&str; 6] = ["name", "mountPath", "containerPort", "port", "key", "type"];

/// The largest table that is computed to find the longest common subsequence; larger lists are compared in order.
const MAX_TABLE: usize = 1 << 20;

/// The elements of both lists in the order of the text: equal ones first, then those with the same name, then those in
/// the same place.
pub(super) fn paired(old: &[Node], new: &[Node]) -> Vec<Paired> {
    let mut pairs = Vec::new();
    let equal = common(old, new, (0..old.len(), 0..new.len()), &|a, b| a == b);
    between(&equal, (0..old.len(), 0..new.len()), &mut |gap| {
        let alike = common(old, new, gap.clone(), &is_alike);
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

/// The longest common subsequence of two ranges.
fn common(
    old: &[Node],
    new: &[Node],
    (a, b): Gap,
    same: &dyn Fn(&Node, &Node) -> bool,
) -> Vec<(usize, usize)> {
    let is_same = |at: &(usize, usize)| same(&old[at.0], &new[at.1]);
    let mut pairs: Vec<_> = a.clone().zip(b.clone()).take_while(is_same).collect();
    let (a, b) = (a.start + pairs.len()..a.end, b.start + pairs.len()..b.end);
    let after: Vec<_> = a.clone().rev().zip(b.clone().rev()).take_while(is_same).collect();
    let (a, b) = (a.start..a.end - after.len(), b.start..b.end - after.len());
    let width = b.len() + 1;
    if (a.len() + 1).saturating_mul(width) <= MAX_TABLE {
        // The length of the longest common subsequence of what follows each position.
        let mut lengths = vec![0_u32; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                lengths[i * width + j] = match same(&old[a.start + i], &new[b.start + j]) {
                    true => lengths[(i + 1) * width + j + 1] + 1,
                    false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if same(&old[a.start + i], &new[b.start + j]) {
                pairs.push((a.start + i, b.start + j));
                (i, j) = (i + 1, j + 1);
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend(after.into_iter().rev());
    pairs
}

/// What identifies a map in a list; `None` for other values.
fn identity(node: &Node) -> Option<(&'static str, &Node)> {
    let map = node.as_map()?;
    IDENTITIES.iter().find_map(|key| Some((*key, map.get(key)?)))
}

fn is_alike(a: &Node, b: &Node) -> bool {
    identity(a).is_some_and(|own| identity(b) == Some(own))
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
