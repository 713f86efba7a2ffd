//! Replacements in a text.

use std::ops::Range;

/// A range of bytes in a text, and their replacement.
pub type Splice = (Range<usize>, Vec<u8>);

/// Puts splices in the order of the text: what is inserted before a range that is replaced comes before it.
pub fn sort(splices: &mut [Splice]) {
    splices.sort_by_key(|(range, _)| (range.start, range.end));
}

/// Applies `splices` to the text; `None` if they overlap.
pub fn splice(text: &[u8], mut splices: Vec<Splice>) -> Option<Vec<u8>> {
    sort(&mut splices);
    let mut spliced = Vec::with_capacity(text.len() + 64 * splices.len());
    let mut copied = 0;
    for (range, new) in splices {
        spliced.extend_from_slice(text.get(copied..range.start)?);
        spliced.extend_from_slice(&new);
        copied = range.end;
    }
    spliced.extend_from_slice(text.get(copied..)?);
    Some(spliced)
}

/// The splice, shifted by `by` bytes.
pub fn moved((range, text): Splice, by: usize) -> Splice {
    (by + range.start..by + range.end, text)
}

/// The splice that turns `old` into `new`, without their common beginning and end.
pub fn trimmed(old: &[u8], mut new: Vec<u8>) -> Splice {
    let common = |(a, b): &(&u8, &u8)| a == b;
    let before = old.iter().zip(&new).take_while(common).count();
    let after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(common).count();
    new.truncate(new.len() - after);
    new.drain(..before);
    (before..old.len() - after, new)
}
