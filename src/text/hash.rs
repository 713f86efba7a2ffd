//! Maps and sets with a fast hasher, which is seeded in every process, so no input can be made for it to collide; values that
//! are kept once; and a hash that is the same in every version of the program.

use std::hash::{BuildHasher, Hash};

pub use foldhash::fast::RandomState;
pub use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A hash of bytes that does not depend on the process, nor on the version of the program (FNV-1a, 64 bits).
pub fn stable(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
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

/// Numbers by hashes. Their keys are random, so that of a million objects two have one hash in one of ten million runs.
#[derive(Debug, Default)]
pub struct ByHash {
    state: RandomState,
    /// Sorted.
    entries: Vec<Entry>,
    /// For each value of the first bits of a hash, where its entries begin, and at last the number of entries.
    starts: Vec<u32>,
}

/// A hash, and a number that was added with it.
pub type Entry = (u64, u32);

/// How many entries begin with the same bits.
const TOGETHER: usize = 4;

impl ByHash {
    /// The hash of a key.
    pub fn hash(&self, key: impl Hash) -> u64 {
        self.state.hash_one(key)
    }

    /// Adds a number, to be found once [`Self::sort`] was called.
    pub fn add(&mut self, key: impl Hash, number: u32) {
        self.entries.push((self.state.hash_one(key), number));
    }

    /// Makes what was added known.
    pub fn sort(&mut self) {
        self.entries.sort_unstable();
        let count = (self.entries.len() / TOGETHER).next_power_of_two();
        self.starts = Vec::with_capacity(count + 1);
        for (at, (hash, _)) in self.entries.iter().enumerate() {
            while self.starts.len() <= first_bits(*hash, count) {
                self.starts.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        self.starts.resize(count + 1, u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
    }

    /// The entries with the hash of a key, by their numbers.
    pub fn get(&self, key: impl Hash) -> &[Entry] {
        let hash = self.state.hash_one(key);
        let at = first_bits(hash, self.starts.len().saturating_sub(1));
        let near = match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.entries[start as usize..end as usize],
            _ => &[],
        };
        let start = near.partition_point(|(other, _)| *other < hash);
        let end = near.partition_point(|(other, _)| *other <= hash);
        &near[start..end]
    }

    /// The numbers of each hash that was added more than once.
    pub fn repeated(&self) -> impl Iterator<Item = Vec<u32>> {
        let alike = self.entries.chunk_by(|(a, _), (b, _)| a == b).filter(|alike| alike.len() > 1);
        alike.map(|alike| alike.iter().map(|(_, number)| *number).collect())
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
                let expected: Vec<u32> = (0..count).filter(|number| number % 40 == key).collect();
                assert_eq!(numbers.get(key).iter().map(|(_, number)| *number).collect::<Vec<_>>(), expected);
            }
            assert_eq!(numbers.repeated().count(), count.saturating_sub(40).min(40) as usize);
        }
    }
}
