//! Copies of an object: dumps often hold an object both in a list and in a file of its own, and watches hold each of
//! its states. The newest copy is the object; one that was deleted is none.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::io;
use std::sync::LazyLock;

use manifest::object::Object;
use syntax::head::Head;
use text::hash::{HashMap, HashSet, RandomState};

/// Hashes with random keys, so that collisions cannot be constructed.
static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);

fn hash(identity: [&str; 4]) -> u128 {
    let [low, high] = &*KEYS;
    u128::from(low.hash_one(identity)) | u128::from(high.hash_one(identity)) << u64::BITS
}

/// A state of an object in a cluster, and in which source it is. Unlike identities, which manifests have too, it tells
/// objects of one name apart by their `uid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectState {
    /// A hash of its `uid`, kind, namespace and name, too long for two objects to share one.
    hash: u128,
    /// The number of the state; 0 if it is missing or not a number.
    resource_version: u64,
    /// Whether it is the last state, in an event that tells of the deletion.
    is_deleted: bool,
    /// A hash of the name of the source.
    source: u64,
}

impl ObjectState {
    /// The state of an object; `None` if it has no `uid`, as in manifests written by hand.
    pub fn of(object: &Object<'_>) -> Option<Self> {
        // In made-up manifests, different objects may have the same uid.
        let Head { uid, kind, namespace, name, resource_version, .. } = *object.head;
        let uid = uid?;
        // The API server's copy of a static pod has a uid of its own, and names the one that the kubelet knows.
        let mirrored = object.mirrored();
        let uid = mirrored.as_deref().unwrap_or(uid);
        let (namespace, name) = (namespace.unwrap_or_default(), name.unwrap_or_default());
        Some(Self {
            hash: hash([uid, kind, namespace, name]),
            resource_version: resource_version.and_then(|text| text.parse().ok()).unwrap_or(0),
            is_deleted: object.is_deleted,
            source: KEYS[0].hash_one(&*object.document.source.name),
        })
    }

    /// The number of the state; 0 if it is missing or not a number.
    pub fn resource_version(&self) -> u64 {
        self.resource_version
    }
}

/// The states of objects, added while they are read for the only time.
#[derive(Debug, Default)]
pub struct Copies {
    /// The newest state of each object: its `resourceVersion` and its number here.
    newest: HashMap<u128, (u64, usize)>,
    /// The numbers of states that are not the newest, or are of deleted objects.
    left_out: HashSet<usize>,
    /// The number of states.
    count: usize,
}

impl Copies {
    /// Adds a state, in the order of the input, and returns its number.
    pub fn add(&mut self, state: ObjectState) -> usize {
        let ObjectState { hash, resource_version, is_deleted, .. } = state;
        let number = self.count;
        self.count += 1;
        if is_deleted {
            self.left_out.insert(number);
        }
        match self.newest.entry(hash) {
            Entry::Vacant(entry) => drop(entry.insert((resource_version, number))),
            Entry::Occupied(mut entry) => {
                let (newest, last) = *entry.get();
                let is_newer = resource_version >= newest;
                if is_newer {
                    entry.insert((resource_version, number));
                }
                self.left_out.insert(if is_newer { last } else { number });
            }
        }
        number
    }

    /// Adds an object that has no copies.
    pub fn add_other(&mut self) {
        self.count += 1;
    }

    /// Whether the state with this number is the object, as far as states have been added.
    pub fn is_object(&self, number: usize) -> bool {
        !self.left_out.contains(&number)
    }
}

/// How a command keeps its results while they wait, which may be one for each object of the input.
pub trait Hold<T> {
    /// A result that waits.
    type Held;

    /// Makes a result small; `None` if there is nothing in it.
    ///
    /// # Errors
    ///
    /// It cannot be written to a temporary file.
    fn hold(&mut self, result: T) -> io::Result<Option<Self::Held>>;

    /// The result as it was.
    ///
    /// # Errors
    ///
    /// The temporary file cannot be read.
    fn resume(&mut self, held: Self::Held) -> io::Result<T>;
}

/// Keeps results as they are.
#[derive(Clone, Copy, Debug)]
pub struct AsTheyAre;

impl<T> Hold<T> for AsTheyAre {
    type Held = T;

    fn hold(&mut self, result: T) -> io::Result<Option<T>> {
        Ok(Some(result))
    }

    fn resume(&mut self, held: T) -> io::Result<T> {
        Ok(held)
    }
}

/// What is kept of objects until all states of them are known.
#[derive(Debug)]
pub struct Newest<T> {
    /// With the numbers of the states, if there may be others.
    objects: Vec<(T, Option<usize>)>,
    copies: Copies,
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self { objects: Vec::new(), copies: Copies::default() }
    }
}

impl<T> Newest<T> {
    /// Adds an object in the order of the input; `None` is the state of one without copies.
    pub fn add(&mut self, object: T, state: Option<ObjectState>) {
        let number = state.map(|state| self.copies.add(state));
        self.objects.push((object, number));
    }

    /// The objects, without their older copies and those that were deleted.
    pub fn objects(self) -> impl Iterator<Item = T> {
        let Self { objects, copies } = self;
        let is_object = move |state: Option<usize>| state.is_none_or(|state| copies.is_object(state));
        objects.into_iter().filter_map(move |(object, state)| is_object(state).then_some(object))
    }
}

/// Objects that are shown as they are read, from sources that can be read only once. If an object is in several
/// sources, the first one counts, with each state in it, as in a watch.
#[derive(Debug, Default)]
pub struct StreamedCopies {
    /// The source of each object.
    sources: HashMap<u128, u64>,
}

impl StreamedCopies {
    /// Adds a state. Returns whether it is shown.
    pub fn add(&mut self, state: ObjectState) -> bool {
        *self.sources.entry(state.hash).or_insert(state.source) == state.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(uid: &str, resource_version: u64, source: u64) -> ObjectState {
        let hash = hash([uid, "Pod", "", "a"]);
        ObjectState { hash, resource_version, is_deleted: false, source }
    }

    #[test]
    fn the_newest_state_is_the_object() {
        let mut copies = Copies::default();
        let states = [("1", 5), ("2", 1), ("1", 5), ("1", 7), ("1", 6)];
        let numbers = states.map(|(uid, version)| copies.add(state(uid, version, 0)));
        assert_eq!(numbers.map(|number| copies.is_object(number)), [false, true, false, true, false]);
        copies.add(ObjectState { is_deleted: true, ..state("2", 2, 0) });
        assert_eq!([1, 5].map(|number| copies.is_object(number)), [false, false]);
    }

    #[test]
    fn in_a_stream_every_state_of_one_source_is_shown() {
        let mut copies = StreamedCopies::default();
        assert!(copies.add(state("1", 5, 0)));
        assert!(copies.add(state("1", 6, 0)));
        assert!(!copies.add(state("1", 7, 1)));
    }
}
