//! The differences between two inputs, object by object: compared by value ([`value`]), shown as the fields that differ
//! ([`paths`]) or in the text of the first input ([`text`], [`hunks`]).
//!
//! Objects are paired by group, kind, namespace and name, across versions of the group. If an input has several copies
//! of an object that a server keeps, the one with the highest resourceVersion counts, or the last of equal ones. Manifests
//! that say the same name are several objects: equal ones are paired first, the others in the order of the inputs. A
//! ConfigMap or Secret that kustomize names after its contents is paired with the one that replaces it, and an object of an
//! unknown kind that says no namespace with a live one in none.

pub mod hunks;
mod lists;
pub mod live;
mod pairs;
pub mod paths;
pub mod text;
pub mod value;

use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

use ::text::hash::{HashMap, HashMapExt};
pub use pairs::{CommonAffixes, own_name, pair, pair_strangers};
use syntax::gvk;
use syntax::head::Head;

/// The identity of an object in a cluster, across versions of its group, as a hash: 128 bits, so that no two objects share
/// it; and how many manifests of that identity come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(u64, u64, u32);

impl Identity {
    /// The identity of the object with this head, which is in `namespace`.
    pub fn of(head: &Head<'_>, namespace: &str) -> Self {
        let (group, _) = gvk::split_api_version(head.api_version);
        let hash = |seed: u8| {
            let mut hasher = DefaultHasher::new();
            let name = head.name.or(head.generate_name);
            (seed, gvk::successor(group, head.kind), head.kind, namespace, name).hash(&mut hasher);
            hasher.finish()
        };
        Self(hash(0), hash(1), 0)
    }

    /// The identity of the first object that is called so.
    pub fn first(self) -> Self {
        Self(self.0, self.1, 0)
    }
}

/// How many manifests of each identity an input has so far.
#[derive(Debug, Default)]
pub struct Occurrences(HashMap<Identity, u32>);

impl Occurrences {
    /// The identity of the next object with `identity`. Objects with a resourceVersion are copies of one object.
    pub fn next(&mut self, identity: Identity, resource_version: u64) -> Identity {
        if resource_version > 0 {
            return identity;
        }
        let before = self.0.entry(identity).or_default();
        let numbered = Identity(identity.0, identity.1, *before);
        *before += 1;
        numbered
    }
}

/// The data kept for each object of an input while the other one is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Digest {
    /// The hash of its text, if that alone says its value.
    pub text: Option<u64>,
    /// The hash of its value.
    pub value: u64,
    /// The hash of its value without [`live::fields`]; `None` if the object is not live: it has no uid.
    pub live_value: Option<u64>,
    /// Its state: of several copies, that with the highest number counts.
    pub resource_version: u64,
    /// The length of its text in bytes.
    pub length: u64,
    /// The hash of its value without what admission sets where it is absent, if it has such fields.
    pub sent_value: Option<u64>,
    /// Its identity without the hash in its name, if kustomize named it after its contents.
    pub generated: Option<Identity>,
    /// Its identity in no namespace, if it says none and nothing is known of the scope of its kind.
    pub unplaced: Option<Identity>,
    /// The hash of the namespaces into which each of the objects that apply it puts it; 0 if these do not differ in that.
    pub applied: u64,
    /// Whether a cluster makes it by itself.
    pub is_made: bool,
    /// Whether the kustomization beside its file lists other files and not this one.
    pub is_unlisted: bool,
    /// Its kind, as a number.
    pub kind: u32,
    /// Its number in the input.
    pub number: u64,
}

/// The objects of an input.
pub type Digests = HashMap<Identity, Digest>;

/// Adds an object; only one of several copies is kept.
pub fn add(digests: &mut Digests, identity: Identity, new: Digest) {
    digests
        .entry(identity)
        .and_modify(|known| {
            if new.resource_version >= known.resource_version {
                *known = Digest { number: known.number, ..new };
            }
        })
        .or_insert(new);
}

/// How an object differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is in both inputs, with different values.
    Changed,
    /// It is only in the second input.
    Added,
    /// It is only in the first input.
    Removed,
}

impl Change {
    /// The sign before a name.
    pub fn sign(self) -> char {
        match self {
            Self::Changed => '~',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

/// `changed`, `added`, `removed`
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        })
    }
}

/// Whether two objects have the same value. A field that admission sets counts if both have it.
fn is_same(one: &Digest, other: &Digest) -> bool {
    let sent = |digest: &Digest| digest.sent_value.unwrap_or(digest.value);
    one.value == other.value
        || one.sent_value.is_some() != other.sent_value.is_some() && sent(one) == sent(other)
}

/// The objects that differ, first those of the first input in its order, then those only in the second; and the number
/// of equal objects, by the number of their kind.
pub fn compare(old: &Digests, new: &Digests) -> (Vec<(Identity, Change)>, HashMap<u32, u64>) {
    let mut found = Vec::new();
    let mut same = HashMap::new();
    for (identity, digest) in old {
        match new.get(identity) {
            Some(other) if is_same(digest, other) => *same.entry(digest.kind).or_default() += 1,
            Some(_) => found.push((false, digest.number, *identity, Change::Changed)),
            None => found.push((false, digest.number, *identity, Change::Removed)),
        }
    }
    let added = new.iter().filter(|(identity, _)| !old.contains_key(identity));
    found.extend(added.map(|(identity, digest)| (true, digest.number, *identity, Change::Added)));
    found.sort_unstable();
    (found.into_iter().map(|(_, _, identity, change)| (identity, change)).collect(), same)
}
