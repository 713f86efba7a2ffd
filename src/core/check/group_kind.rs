//! The types of objects, each kept once for many objects.

use std::sync::Arc;

use compact_str::CompactString;

/// The type of an object.
#[derive(PartialEq, Eq)]
pub(super) struct GroupKind {
    /// Today's group.
    pub group: CompactString,
    pub kind: CompactString,
}

/// The types that were met, so that many objects of one type share it.
#[derive(Default)]
pub(super) struct Kinds(Vec<Arc<GroupKind>>);

impl Kinds {
    /// How many types are looked at, the last ones first.
    const LOOKED_AT: usize = 16;

    pub(super) fn get(&mut self, group: &str, kind: &str) -> Arc<GroupKind> {
        let mut known = self.0.iter().rev().take(Self::LOOKED_AT);
        if let Some(known) = known.find(|known| known.kind == kind && known.group == group) {
            return Arc::clone(known);
        }
        let new = Arc::new(GroupKind { group: group.into(), kind: kind.into() });
        self.0.push(Arc::clone(&new));
        new
    }
}
