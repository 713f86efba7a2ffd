//! Pairs of objects that identities alone do not give.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{Digest, Digests, Identity};
use crate::relation::generated::without_hash;
use manifest::names::{Affixes, is_kept};
use syntax::head::Head;

impl Identity {
    /// The identity without the hash in the name, of an object that kustomize names after its contents, and without what is around
    /// the names of its input; `None` of others.
    pub fn generated(head: &Head<'_>, namespace: &str, around: &Affixes) -> Option<Self> {
        let stem = without_hash(head.kind, head.name?)?;
        let name = Some(own_name(around, head.kind, stem));
        Some(Self::of(&Head { name, ..head.clone() }, namespace))
    }
}

/// A name without what is around it in an input.
pub fn own_name<'n>(around: &Affixes, kind: &str, name: &'n str) -> &'n str {
    let own = name.strip_prefix(&*around.prefix).unwrap_or(name);
    let own = own.strip_suffix(&*around.suffix).unwrap_or(own);
    if is_kept(kind) { name } else { own }
}

/// What all names of an input begin and end with, of the kinds to whose names kustomizations add something; `None` if it has none.
#[derive(Clone, Debug, Default)]
pub struct CommonAffixes(Option<Affixes>);

impl CommonAffixes {
    /// Adds the name of an object.
    pub fn add(&mut self, head: &Head<'_>) {
        if let Some(name) = head.name.filter(|_| !is_kept(head.kind)) {
            let name = without_hash(head.kind, name).unwrap_or(name);
            self.shorten(name, name);
        }
    }

    /// Adds the names of other objects.
    pub fn merge(&mut self, other: Self) {
        if let Some(Affixes { prefix, suffix, .. }) = other.0 {
            self.shorten(&prefix, &suffix);
        }
    }

    /// Keeps what a name begins with, and what it, or another one, ends with.
    fn shorten(&mut self, start: &str, end: &str) {
        let Some(Affixes { prefix, suffix, .. }) = &mut self.0 else {
            self.0 = Some(Affixes { prefix: start.to_owned(), suffix: end.to_owned(), ..Affixes::default() });
            return;
        };
        prefix.truncate(common(prefix.chars(), start.chars()));
        suffix.drain(..suffix.len() - common(suffix.chars().rev(), end.chars().rev()));
    }

    /// The prefixes and suffixes, each set apart by a hyphen, by which the names of two inputs differ; `None` if by none.
    pub fn differences(&self, other: &Self) -> Option<[Affixes; 2]> {
        let (one, other) = (self.0.as_ref()?, other.0.as_ref()?);
        let shared = common(one.prefix.chars().rev(), other.prefix.chars().rev());
        let prefixes = [one, other].map(|own| {
            let (own, rest) = own.prefix.split_at(own.prefix.len() - shared);
            own.to_owned() + if rest.starts_with('-') { "-" } else { "" }
        });
        let shared = common(one.suffix.chars(), other.suffix.chars());
        let suffixes = [one, other].map(|own| {
            let (rest, own) = own.suffix.split_at(shared);
            (if rest.ends_with('-') { "-" } else { "" }).to_owned() + own
        });
        let kept = |texts: [String; 2], is_set_apart: fn(&str) -> bool| {
            let is_affix = |text: &String| text.is_empty() || text.len() > 1 && is_set_apart(text);
            if texts.iter().all(is_affix) { texts } else { Default::default() }
        };
        let [prefix, other_prefix] = kept(prefixes, |text| text.ends_with('-'));
        let [suffix, other_suffix] = kept(suffixes, |text| text.starts_with('-'));
        let around = |prefix, suffix| Affixes { prefix, suffix, ..Affixes::default() };
        let (one, other) = (around(prefix, suffix), around(other_prefix, other_suffix));
        (one != other).then_some([one, other])
    }
}

/// How many bytes two texts have in common at their beginning, or at their end.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// Gives objects of `new` the identities of those of `old` that they are compared with. Returns these by the identities
/// that follow from the objects themselves.
pub fn pair(old: &Digests, new: &mut Digests) -> HashMap<Identity, Identity> {
    let mut renamed = pair_repeated(old, new);
    renamed.extend(pair_only(old, new, |digest| digest.generated));
    renamed.extend(pair_only(old, new, |digest| digest.unplaced));
    rename(new, &renamed);
    renamed
}

/// Of inputs that have nothing in common, as two apps, pairs the objects that are the only ones of their kinds, if there are
/// several, as [`pair`] does: a single object may have been replaced by another one.
pub fn pair_strangers(old: &Digests, new: &mut Digests) -> HashMap<Identity, Identity> {
    if new.keys().any(|identity| old.contains_key(identity)) {
        return HashMap::new();
    }
    let renamed = pair_only(old, new, |digest| Some(Identity(digest.kind.into(), 0, 0)));
    if renamed.len() < 2 {
        return HashMap::new();
    }
    rename(new, &renamed);
    renamed
}

fn rename(digests: &mut Digests, renamed: &HashMap<Identity, Identity>) {
    let moved: Vec<(Identity, Digest)> =
        renamed.iter().filter_map(|(own, paired)| Some((*paired, digests.remove(own)?))).collect();
    digests.extend(moved);
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
