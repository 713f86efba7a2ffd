//! Dumps of one cluster that are in one input, so that their objects are merged.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use manifest::source::{Part, Source};

/// The maximum number of parts that are compared. The many files of a directory are not as many dumps.
const MAX_PARTS: usize = 64;

/// How many objects entries of a directory have in common if they are dumps of one cluster.
const MANY: usize = 10;

/// Hashes with a random key, so that collisions cannot be constructed.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The hash of the path of a part.
pub fn part(path: &str) -> u64 {
    KEY.hash_one(path)
}

/// Compares the live objects of the parts of an input, while they are read.
#[derive(Debug, Default)]
pub struct Merged {
    /// The parts; empty if there is nothing to compare.
    parts: Vec<Part>,
    /// The numbers of the parts, by the hashes of their paths.
    numbers: HashMap<u64, usize>,
    /// How many objects each part has.
    counts: Vec<usize>,
    /// The parts that have an object, as bits, and its `resourceVersion` in the first of them.
    held: HashMap<u128, (u64, u64)>,
    /// What two parts have in common.
    common: HashMap<(usize, usize), Common>,
}

/// What two parts have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Common {
    objects: usize,
    /// How many of the objects have changed.
    changed: usize,
}

impl Merged {
    /// For the objects of `sources`.
    pub fn of(sources: &[Source]) -> Self {
        let mut merged = Self::default();
        for source in sources {
            let number = merged.parts.len();
            merged.numbers.entry(part(&source.part.path)).or_insert_with(|| {
                merged.parts.push(source.part.clone());
                number
            });
            if merged.parts.len() > MAX_PARTS {
                return Self::default();
            }
        }
        if merged.parts.len() < 2 {
            return Self::default();
        }
        merged.counts = vec![0; merged.parts.len()];
        merged
    }

    /// Adds a state of an object, with the hashes of the part and of the object, and its `resourceVersion`.
    pub fn add(&mut self, part: u64, object: u128, resource_version: u64) {
        let Some(&part) = self.numbers.get(&part) else { return };
        let (bits, version) = self.held.entry(object).or_insert((0, resource_version));
        if *bits & 1 << part != 0 {
            return;
        }
        for other in (0..self.parts.len()).filter(|other| *bits & 1 << other != 0) {
            let common = self.common.entry((other, part)).or_default();
            common.objects += 1;
            common.changed += usize::from(*version != resource_version);
        }
        *bits |= 1 << part;
        self.counts[part] += 1;
    }

    /// The paths of the dumps of one cluster, in the order of the input.
    ///
    /// Two inputs that the user named have objects in common if they are of one cluster, and at least one of these has
    /// changed since. Within a dump, a few objects may be in several files or directories: entries of a directory are dumps
    /// only if many objects, and most of each, are the same.
    pub fn dumps(self) -> Vec<Arc<str>> {
        let mut is_dump = vec![false; self.parts.len()];
        for (&(one, other), &Common { objects, changed }) in &self.common {
            let [least, most] =
                [self.counts[one].min(self.counts[other]), self.counts[one].max(self.counts[other])];
            let is_alike = objects >= MANY && objects * 2 >= most && (changed > 0 || objects < least);
            let is_named = self.parts[one].named && self.parts[other].named;
            if is_alike || is_named && changed > 0 {
                (is_dump[one], is_dump[other]) = (true, true);
            }
        }
        self.parts
            .into_iter()
            .zip(is_dump)
            .filter_map(|(part, is_dump)| is_dump.then_some(part.path))
            .collect()
    }
}
