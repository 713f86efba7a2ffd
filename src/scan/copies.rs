//! Copies of an object: dumps often hold an object both in a list and in a file of its own, and watches hold each of
//! its states.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use memchr::memmem::Finder;

use super::{Scan, ToolFiles};
use crate::manifest::head::Head;
use crate::manifest::object::Object;
use crate::manifest::source::Source;

static UID: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"uid"));

/// A hash with random keys, so that collisions cannot be constructed.
fn hash(identity: [&str; 4]) -> u128 {
    static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::new(), RandomState::new()]);
    let [low, high] = &*KEYS;
    u128::from(low.hash_one(identity)) | u128::from(high.hash_one(identity)) << u64::BITS
}

/// The identity of an object in a cluster, and the number of its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// A hash of its `uid`, kind, namespace and name, too long for two objects to share one.
    hash: u128,
    /// The number of the state; 0 if it is missing or not a number.
    resource_version: u64,
    /// The name of the source.
    source: Arc<str>,
}

impl Identity {
    /// The identity of an object; `None` if it has no `uid`, as in manifests written by hand.
    pub fn of(object: &Object<'_>) -> Option<Self> {
        // Few manifests have a uid; for those without, nothing else is read.
        let part = object.part();
        UID.find(&object.document.text[part.start..part.end])?;
        let read = object.with_metadata()?;
        let metadata = read.get("metadata")?;
        let text =
            |key: &str| metadata.get(key).and_then(|node| node.as_str()).filter(|text| !text.is_empty());
        let resource_version = text("resourceVersion").and_then(|text| text.parse().ok()).unwrap_or(0);
        let source = Arc::clone(&object.document.source.name);
        // In made-up manifests, different objects may have the same uid.
        let Head { kind, namespace, name, .. } = *object.head;
        let (namespace, name) = (namespace.unwrap_or_default(), name.unwrap_or_default());
        let hash = hash([text("uid")?, kind, namespace, name]);
        Some(Self { hash, resource_version, source })
    }

    /// The number of the state; 0 if it is missing or not a number.
    pub fn resource_version(&self) -> u64 {
        self.resource_version
    }
}

/// The copies of objects in several files, except the newest. Several states of an object in one file or pipe are not
/// copies but a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(HashSet<(u128, Arc<str>)>);

impl LeftOut {
    /// Finds the copies in `sources`, which are read if there can be any. Sources that can be read only once are
    /// skipped.
    pub fn find(sources: &[Source]) -> Self {
        let can_be_there = sources.len() > 1 || sources.iter().any(Source::may_be_archive);
        if !can_be_there || sources.iter().any(|source| source.size().is_none()) {
            return Self::default();
        }
        let mut newest: HashMap<u128, (u64, Arc<str>)> = HashMap::new();
        let mut left_out = HashSet::new();
        let visit = |object: &Object<'_>, found: &mut Vec<Identity>| found.extend(Identity::of(object));
        Scan::of(sources).tool_files(ToolFiles::Kept).objects(visit, |found| {
            for Identity { hash, resource_version, source } in found {
                match newest.entry(hash) {
                    Entry::Vacant(entry) => drop(entry.insert((resource_version, source))),
                    Entry::Occupied(mut entry) if entry.get().1 != source => {
                        let older = if resource_version > entry.get().0 {
                            entry.insert((resource_version, source)).1
                        } else {
                            source
                        };
                        left_out.insert((hash, older));
                    }
                    Entry::Occupied(mut entry) => {
                        let (newest, _) = entry.get_mut();
                        *newest = resource_version.max(*newest);
                    }
                }
            }
        });
        Self(left_out)
    }

    /// Whether an object is one of them.
    pub fn has(&self, object: &Object<'_>) -> bool {
        let is_one = |Identity { hash, source, .. }| self.0.contains(&(hash, source));
        !self.0.is_empty() && Identity::of(object).is_some_and(is_one)
    }
}

/// The objects that were counted, on any thread.
#[derive(Debug, Default)]
pub struct Distinct(Mutex<HashSet<u128>>);

impl Distinct {
    /// Whether no copy or other state of this object was counted before.
    pub fn is_new(&self, object: &Object<'_>) -> bool {
        let hashes = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Identity::of(object).is_none_or(|Identity { hash, .. }| hashes().insert(hash))
    }
}

/// What to do with an object that may have occurred before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// It occurs for the first time.
    First,
    /// It is a newer state of the object at this place.
    Newer(usize),
    /// It is a copy that is left out.
    Copy,
}

/// The objects that occurred.
#[derive(Debug, Default)]
pub struct Copies {
    /// The newest state of each, by hash, with its source and place.
    newest: HashMap<u128, (u64, Arc<str>, usize)>,
    /// The number of copies left out.
    pub left_out: usize,
}

impl Copies {
    /// Adds an object that would be shown at `place`: of several states, the newest is kept, at the place of the first.
    pub fn add(&mut self, identity: Option<Identity>, place: usize) -> Occurrence {
        let Some(Identity { hash, resource_version, source }) = identity else { return Occurrence::First };
        match self.newest.entry(hash) {
            Entry::Vacant(entry) => {
                entry.insert((resource_version, source, place));
                Occurrence::First
            }
            Entry::Occupied(mut entry) => {
                self.left_out += 1;
                let (newest, _, place) = entry.get_mut();
                if resource_version > *newest {
                    *newest = resource_version;
                    Occurrence::Newer(*place)
                } else {
                    Occurrence::Copy
                }
            }
        }
    }

    /// Adds an object that is shown at once: if it occurs in several sources, the first counts, with each state in it.
    /// Returns whether it is shown.
    pub fn add_streamed(&mut self, identity: Option<Identity>) -> bool {
        let Some(Identity { hash, resource_version, source }) = identity else { return true };
        match self.newest.entry(hash) {
            Entry::Vacant(entry) => {
                entry.insert((resource_version, source, 0));
                true
            }
            Entry::Occupied(entry) => {
                let is_shown = entry.get().1 == source;
                self.left_out += usize::from(!is_shown);
                is_shown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(uid: &str, resource_version: u64, source: &str) -> Option<Identity> {
        Some(Identity { hash: hash([uid, "Pod", "", "a"]), resource_version, source: source.into() })
    }

    #[test]
    fn the_newest_state_comes_at_the_place_of_the_first() {
        let mut copies = Copies::default();
        assert_eq!(copies.add(identity("1", 5, "a"), 0), Occurrence::First);
        assert_eq!(copies.add(None, 1), Occurrence::First);
        assert_eq!(copies.add(identity("1", 5, "b"), 2), Occurrence::Copy);
        assert_eq!(copies.add(identity("1", 7, "a"), 2), Occurrence::Newer(0));
        assert_eq!(copies.add(identity("1", 6, "a"), 2), Occurrence::Copy);
        assert_eq!(copies.left_out, 3);
    }

    #[test]
    fn in_a_stream_every_state_of_one_source_comes() {
        let mut copies = Copies::default();
        assert!(copies.add_streamed(identity("1", 5, "a")));
        assert!(copies.add_streamed(identity("1", 6, "a")));
        assert!(!copies.add_streamed(identity("1", 7, "b")));
        assert!(copies.add_streamed(None));
        assert_eq!(copies.left_out, 1);
    }
}
