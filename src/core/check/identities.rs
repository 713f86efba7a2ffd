//! Objects by their identities: group, kind, namespace and name.

use super::subject::CheckedObject;
use text::hash::ByHash;

/// All objects by their identities, in a few bytes each.
pub(super) struct Identities {
    all: ByHash,
    /// The objects of each identity that occurs more than once, in the order of the input.
    repeated: Vec<Vec<usize>>,
}

impl Identities {
    /// The identities of all objects that have names.
    pub(super) fn of(subjects: &[CheckedObject]) -> Self {
        let mut all = ByHash::default();
        for (number, subject) in (0..).zip(subjects).filter(|(_, one)| !one.name.is_empty()) {
            all.add(subject.identity(), number);
        }
        all.sort();
        let numbers = |alike: Vec<u32>| alike.into_iter().map(|number| number as usize).collect();
        let mut repeated: Vec<Vec<usize>> =
            all.repeated(|number| subjects[number as usize].identity()).map(numbers).collect();
        repeated.sort_unstable();
        Self { all, repeated }
    }

    /// The objects with an identity, in the order of the input.
    pub(super) fn named<'s>(
        &'s self,
        identity: [&'s str; 4],
        subjects: &'s [CheckedObject],
    ) -> impl Iterator<Item = usize> + 's {
        let named = self.all.get(identity).iter().map(|entry| entry.number() as usize);
        named.filter(move |&number| subjects[number].identity() == identity)
    }

    /// The objects of each identity that occurs more than once.
    pub(super) fn repeated(&self) -> impl Iterator<Item = &[usize]> {
        self.repeated.iter().map(Vec::as_slice)
    }
}
