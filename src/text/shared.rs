//! Values that many objects have in common, each kept once.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, PoisonError};

use super::hash::{HashSet, RandomState};

/// How many threads rarely wait for each other.
const SHARDS: usize = 16;

/// Values of which equal ones are kept once. Threads add to them at the same time.
#[derive(Debug)]
pub struct Shared<T: ?Sized> {
    shards: [Mutex<HashSet<Arc<T>>>; SHARDS],
    hasher: RandomState,
}

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self { shards: Default::default(), hasher: RandomState::default() }
    }
}

impl<T: ?Sized + Hash + Eq> Shared<T> {
    /// The value that is kept of those that equal this one.
    pub fn get<V: Borrow<T> + Into<Arc<T>>>(&self, value: V) -> Arc<T> {
        let shard = self.hasher.hash_one(value.borrow()) as usize % SHARDS;
        let mut known = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(value.borrow()) {
            return Arc::clone(known);
        }
        let value = value.into();
        known.insert(Arc::clone(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one() {
        let texts = Shared::<str>::default();
        assert!(Arc::ptr_eq(&texts.get("a"), &texts.get("a")));
        assert!(!Arc::ptr_eq(&texts.get("a"), &texts.get("b")));
        let lists = Shared::<[u8]>::default();
        assert!(Arc::ptr_eq(&lists.get(vec![1, 2]), &lists.get(vec![1, 2])));
    }
}
