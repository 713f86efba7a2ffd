//! Pairs of objects that identities alone do not give.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{Digest, Digests, Identity};
use crate::relation::generated::without_hash;
use syntax::head::Head;

impl Identity {
    /// The identity without the hash in the name, of an object that kustomize names after its contents; `None` of others.
    pub fn generated(head: &Head<'_>, namespace: &str) -> Option<Self> {
        let stem = without_hash(head.kind, head.name?)?;
        Some(Self::of(&Head { name: Some(stem), ..head.clone() }, namespace))
    }
}

/// Gives objects of `new` the identities of those of `old` that they are compared with. Returns these by the identities
/// that follow from the objects themselves.
pub fn pair(old: &Digests, new: &mut Digests) -> HashMap<Identity, Identity> {
    let mut renamed = pair_repeated(old, new);
    renamed.extend(pair_only(old, new, |digest| digest.generated));
    renamed.extend(pair_only(old, new, |digest| digest.unplaced));
    let moved: Vec<(Identity, Digest)> =
        renamed.iter().filter_map(|(own, paired)| Some((*paired, new.remove(own)?))).collect();
    new.extend(moved);
    renamed
}

/// Manifests that say the same name: those with equal values, then the others in the order of the inputs.
fn pair_repeated(old: &Digests, new: &Digests) -> HashMap<Identity, Identity> {
    let names =
        old.keys().chain(new.keys()).filter(|identity| identity.2 > 0).map(|identity| identity.first());
    let names: HashSet<Identity> = names.collect();
    let manifests = |digests: &Digests, name: Identity| -> Vec<(Identity, u64)> {
        let numbered = (0..).map(|number| Identity(name.0, name.1, number));
        numbered.map_while(|identity| Some((identity, digests.get(&identity)?.value))).collect()
    };
    let mut renamed = HashMap::new();
    for name in names {
        let mut open = manifests(old, name);
        let mut free = open.len()..;
        let mut others = Vec::new();
        let mut by_value = grouped(open.iter().rev().map(|(identity, value)| (*value, *identity)));
        for (identity, value) in manifests(new, name) {
            match by_value.get_mut(&value).and_then(Vec::pop) {
                Some(equal) => {
                    open.retain(|(identity, _)| *identity != equal);
                    renamed.insert(identity, equal);
                }
                None => others.push(identity),
            }
        }
        let mut open = open.into_iter().map(|(identity, _)| identity);
        for identity in others {
            let next = || {
                Identity(
                    name.0,
                    name.1,
                    free.next().and_then(|number| number.try_into().ok()).unwrap_or(u32::MAX),
                )
            };
            renamed.insert(identity, open.next().unwrap_or_else(next));
        }
    }
    renamed
}

/// Objects that only one input has, by another identity, if there is one on each side.
fn pair_only(
    old: &Digests,
    new: &Digests,
    other_identity: fn(&Digest) -> Option<Identity>,
) -> HashMap<Identity, Identity> {
    let only = |digests: &Digests, others: &Digests| {
        let only = digests.iter().filter(|(identity, _)| identity.2 == 0 && !others.contains_key(identity));
        grouped(only.filter_map(|(identity, digest)| Some((other_identity(digest)?, *identity))))
    };
    let (removed, added) = (only(old, new), only(new, old));
    let one =
        |(name, added): (&Identity, &Vec<Identity>)| match (removed.get(name).map(Vec::as_slice), &added[..])
        {
            (Some(&[old]), &[new]) => Some((new, old)),
            _ => None,
        };
    added.iter().filter_map(one).collect()
}

fn grouped<K: Hash + Eq, V>(pairs: impl Iterator<Item = (K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    pairs.for_each(|(key, value)| groups.entry(key).or_default().push(value));
    groups
}
