//! Objects by their identities: group, kind, namespace and name.

use std::hash::BuildHasher;

use super::subject::CheckedObject;
use text::hash::{HashMap, HashMapExt, RandomState};

/// All objects by their identities, in a few bytes each.
pub(super) struct Identities {
    state: RandomState,
    /// The first object with each hash of an identity.
    first: HashMap<u64, u32>,
    /// For each object, the next one with the same hash.
    next: Vec<u32>,
    /// The objects of each identity that occurs more than once, in the order of the input.
    repeated: Vec<Vec<usize>>,
}

/// No object.
const NONE: u32 = u32::MAX;

impl Identities {
    /// The identities of all objects that have names.
    pub(super) fn of(subjects: &[CheckedObject]) -> Self {
        let mut identities = Self {
            state: RandomState::default(),
            first: HashMap::with_capacity(subjects.len()),
            next: vec![NONE; subjects.len()],
            repeated: Vec::new(),
        };
        // From the last object on, so that the first one becomes the first of its chain.
        for (number, subject) in subjects.iter().enumerate().rev().filter(|(_, one)| !one.name.is_empty()) {
            let hash = identities.state.hash_one(subject.identity());
            let place = u32::try_from(number).unwrap_or(NONE);
            if let Some(next) = identities.first.insert(hash, place) {
                identities.next[number] = next;
            }
        }
        identities.repeated = identities.find_repeated(subjects);
        identities
    }

    fn find_repeated(&self, subjects: &[CheckedObject]) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = Vec::new();
        let heads = self.first.values().filter(|&&first| self.next[first as usize] != NONE);
        for &head in heads {
            // These almost always have one identity.
            let mut members: Vec<usize> = self.chain(head).collect();
            while let Some(&first) = members.first() {
                let identity = subjects[first].identity();
                let (same, others): (Vec<_>, Vec<_>) =
                    members.into_iter().partition(|&other| subjects[other].identity() == identity);
                found.extend(Some(same).filter(|same| same.len() > 1));
                members = others;
            }
        }
        found.sort_unstable();
        found
    }

    fn chain(&self, head: u32) -> impl Iterator<Item = usize> {
        let there = |number: u32| Some(number).filter(|&number| number != NONE);
        std::iter::successors(there(head), move |&number| there(self.next[number as usize]))
            .map(|number| number as usize)
    }

    /// The objects with an identity, in the order of the input.
    pub(super) fn named<'s>(
        &'s self,
        identity: [&'s str; 4],
        subjects: &'s [CheckedObject],
    ) -> impl Iterator<Item = usize> + 's {
        let head = self.first.get(&self.state.hash_one(identity)).copied().unwrap_or(NONE);
        self.chain(head).filter(move |&number| subjects[number].identity() == identity)
    }

    /// The objects of each identity that occurs more than once.
    pub(super) fn repeated(&self) -> impl Iterator<Item = &[usize]> {
        self.repeated.iter().map(Vec::as_slice)
    }
}
