//! Maps and sets with a fast hasher, which is seeded in every process, so no input can be made for it to collide; values that
//! are kept once; and a hash that is the same in every version of the program.

use std::hash::Hash;

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
