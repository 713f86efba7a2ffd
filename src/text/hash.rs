//! Maps and sets with a fast hasher, which is seeded in every process, so no input can be made for it to collide; values that
//! are kept once; and a hash that is the same in every version of the program.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU64;

pub use foldhash::fast::RandomState;
pub use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A hash of bytes that does not depend on the process, nor on the version of the program (FNV-1a, 64 bits).
pub fn stable(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Makes hashes that stand for texts of which only equality matters, such as uids.
#[derive(Debug, Default)]
pub struct TextHashes(RandomState);

impl TextHashes {
    /// The hash of a text; `None` if it is empty.
    pub fn of(&self, text: &str) -> Option<NonZeroU64> {
        (!text.is_empty()).then(|| NonZeroU64::MIN.saturating_add(self.0.hash_one(text)))
    }
}

/// Values that are kept once, and known by their numbers.
#[derive(Debug)]
pub struct Interned<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        // Memory ends before the numbers do.
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// The value with this number; `None` if there is none.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }
}

/// Numbers by parts of hashes, in eight bytes each. What is found may be of another key: whoever asks compares the keys.
#[derive(Debug, Default)]
pub struct ByHash {
    state: RandomState,
    /// Sorted.
    entries: Vec<Entry>,
    /// For each value of the first bits of a hash, where its entries begin, and at last the number of entries.
    starts: Vec<u32>,
}

/// Half of a hash, and a number that was added with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u64);

impl Entry {
    fn new(hash: u64, number: u32) -> Self {
        Self(hash & !u64::from(u32::MAX) | u64::from(number))
    }

    /// The number.
    pub fn number(self) -> u32 {
        self.0 as u32
    }

    /// Whether it is of this hash, as far as it knows.
    fn is_alike(self, other: Self) -> bool {
        self.0 >> u32::BITS == other.0 >> u32::BITS
    }
}

/// How many entries begin with the same bits.
const TOGETHER: usize = 4;

impl ByHash {
    /// The hash of a key.
    pub fn hash(&self, key: impl Hash) -> u64 {
        self.state.hash_one(key)
    }

    /// Adds a number, to be found once [`Self::sort`] was called.
    pub fn add(&mut self, key: impl Hash, number: u32) {
        self.entries.push(Entry::new(self.state.hash_one(key), number));
    }

    /// Makes what was added known.
    pub fn sort(&mut self) {
        self.entries.sort_unstable();
        let count = (self.entries.len() / TOGETHER).next_power_of_two();
        self.starts = Vec::with_capacity(count + 1);
        for (at, entry) in self.entries.iter().enumerate() {
            while self.starts.len() <= first_bits(entry.0, count) {
                self.starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        self.starts.resize(count + 1, u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
    }

    /// The entries of a key, and perhaps of others, by their numbers.
    pub fn get(&self, key: impl Hash) -> &[Entry] {
        let hash = self.state.hash_one(key);
        let at = first_bits(hash, self.starts.len().saturating_sub(1));
        let near = match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start as usize..end as usize],
            _ => &[],
        };
        let start = near.partition_point(|entry| *entry < Entry::new(hash, 0));
        let end = near.partition_point(|entry| *entry <= Entry::new(hash, u32::MAX));
        &near[start..end]
    }

    /// The numbers of each key that was added more than once; `key` is that of a number.
    pub fn repeated<K: Ord>(&self, key: impl Fn(u32) -> K) -> impl Iterator<Item = Vec<u32>> {
        let alike = self.entries.chunk_by(|a, b| a.is_alike(*b)).filter(|alike| alike.len() > 1);
        alike.flat_map(move |alike| {
            let mut numbers: Vec<u32> = alike.iter().map(|entry| entry.number()).collect();
            numbers.sort_by_cached_key(|number| key(*number));
            let of_key = numbers.chunk_by(|a, b| key(*a) == key(*b)).filter(|numbers| numbers.len() > 1);
            of_key.map(<[u32]>::to_vec).collect::<Vec<_>>()
        })
    }
}

/// The number that the first bits of a hash are, below a power of two.
fn first_bits(hash: u64, count: usize) -> usize {
    match count {
        0 | 1 => 0,
        count => (hash >> (u64::BITS - count.trailing_zeros())) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_in_order() {
        for count in [0, 1, 3, 100, 1000] {
            let mut numbers = ByHash::default();
            (0..count).rev().for_each(|number| numbers.add(number % 40, number));
            numbers.sort();
            for key in 0..40 {
                let found = numbers.get(key).iter().map(|entry| entry.number());
                let expected: Vec<u32> = (0..count).filter(|number| number % 40 == key).collect();
                assert_eq!(found.filter(|number| number % 40 == key).collect::<Vec<_>>(), expected);
            }
            let repeated = numbers.repeated(|number| number % 40);
            assert_eq!(repeated.count(), count.saturating_sub(40).min(40) as usize);
        }
    }

    #[test]
    fn keys_with_the_same_hash_are_not_one_key() {
        struct Alike;
        impl Hash for Alike {
            fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
        }
        let mut numbers = ByHash::default();
        (0..8).for_each(|number| numbers.add(Alike, number));
        numbers.sort();
        assert_eq!(numbers.repeated(|number| number % 5).collect::<Vec<_>>(), [[0, 5], [1, 6], [2, 7]]);
    }
}
