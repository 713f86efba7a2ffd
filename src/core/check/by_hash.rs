//! Objects by the hashes of what they are looked up by, in a few bytes each.

use std::hash::{BuildHasher, Hash};

use text::hash::RandomState;

/// Numbers by hashes. Their keys are random, so that of a million objects two have one hash in one of ten million runs.
#[derive(Default)]
pub(super) struct ByHash {
    state: RandomState,
    /// Sorted.
    entries: Vec<Entry>,
    /// For each value of the first bits of a hash, where its entries begin, and at last the number of entries.
    starts: Vec<u32>,
}

/// A hash, and a number that was added with it.
pub(super) type Entry = (u64, u32);

/// How many entries begin with the same bits.
const TOGETHER: usize = 4;

impl ByHash {
    /// Adds a number, to be found once [`Self::sort`] was called.
    pub(super) fn add(&mut self, key: impl Hash, number: u32) {
        self.entries.push((self.state.hash_one(key), number));
    }

    pub(super) fn sort(&mut self) {
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
    pub(super) fn get(&self, key: impl Hash) -> &[Entry] {
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
    pub(super) fn repeated(&self) -> impl Iterator<Item = Vec<u32>> {
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
