//! A large List between its first item and its end.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::list::ListType;
use syntax::list::MAX_IMPLICIT_KEY;
use syntax::yaml::full::is_of_anchor_name;

/// A large List whose end has not been read yet.
#[derive(Debug)]
pub(super) struct OpenList {
    pub(super) list: Arc<ListType>,
    /// How much of the List has been read, in bytes.
    pub(super) len: usize,
    /// The items that others may refer to.
    pub(super) anchored: AnchoredItems,
}

/// The last items with anchors of each name.
#[derive(Debug, Default)]
pub(super) struct AnchoredItems {
    /// The number of the last item with an anchor of this name.
    numbers: HashMap<Vec<u8>, usize>,
    /// The items by their numbers, and how many of their names no later one has.
    items: BTreeMap<usize, (usize, Vec<u8>)>,
    count: usize,
}

impl AnchoredItems {
    pub(super) fn add(&mut self, item: &[u8]) {
        let number = self.count;
        self.count += 1;
        for at in memchr::memchr_iter(b'&', item) {
            let name = &item[at + 1..];
            let name = &name[..name.iter().position(|byte| !is_of_anchor_name(*byte)).unwrap_or(name.len())];
            let last = if name.is_empty() { None } else { self.numbers.insert(name.to_vec(), number) };
            if last == Some(number) || name.is_empty() {
                continue;
            }
            self.items.entry(number).or_insert_with(|| (0, item.to_vec())).0 += 1;
            if let Some(last) = last
                && let Some((names, _)) = self.items.get_mut(&last)
            {
                *names -= 1;
                if *names == 0 {
                    self.items.remove(&last);
                }
            }
        }
    }

    /// The items as text.
    pub(super) fn texts(&self) -> Vec<Cow<'_, str>> {
        self.items.values().map(|(_, item)| String::from_utf8_lossy(item)).collect()
    }
}

impl OpenList {
    /// Whether all of it may be a key, if what follows is on this line.
    pub(super) fn is_one_line(&self, line: usize) -> bool {
        self.list.place.line == Some(line) && self.len <= MAX_IMPLICIT_KEY
    }
}
