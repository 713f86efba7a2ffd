//! The entries of objects in braces: those of JSON, or of [KYAML](super::kyaml), which is JSON with bare keys, comments
//! and an optional comma after the last entry.

use std::marker::PhantomData;
use std::ops::Range;

use super::nesting::sound_value_end;
use super::scan::{blanks, plain_end};
use crate::object_meta::Type;
use text::format::is_time;

/// The syntax of objects.
pub trait Grammar {
    /// Whether a comma may follow the last entry.
    const LAST_COMMA: bool;

    /// The offset of the first token from `at` on.
    fn token(text: &[u8], at: usize) -> usize;

    /// The key that starts at `at`, and the offset of its value.
    fn key(text: &[u8], at: usize) -> Option<(Range<usize>, usize)>;

    /// The range of the text of the string without escapes that starts at `at`, and the offset of the string's end.
    fn string(text: &[u8], at: usize) -> Option<(Range<usize>, usize)>;

    /// The offset after the value that starts at `at`.
    fn value_end(text: &[u8], at: usize) -> Option<usize>;
}

/// JSON.
#[derive(Debug)]
pub struct Json;

impl Grammar for Json {
    const LAST_COMMA: bool = false;

    #[inline]
    fn token(text: &[u8], at: usize) -> usize {
        blanks(text, at)
    }

    #[inline]
    fn key(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        let (key, end) = quoted(text, at)?;
        Some((key, blanks(text, expect(text, blanks(text, end), b':')?)))
    }

    #[inline]
    fn string(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        quoted(text, at)
    }

    #[inline]
    fn value_end(text: &[u8], at: usize) -> Option<usize> {
        sound_value_end(text, at)
    }
}

/// The range of a string in quotes, and the offset after it; `None` if it has escapes or is not one.
#[inline]
pub(super) fn quoted(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let start = expect(text, at, b'"')?;
    let end = plain_end(text, start);
    Some((start..end, expect(text, end, b'"')?))
}

/// The offset after `byte`, if it is at `at`.
#[inline]
pub(super) fn expect(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    (text.get(at) == Some(&byte)).then_some(at + 1)
}

/// The entries of an object that is being read. The functions return `None` if the text is not as requested.
pub(super) struct Entries<'t, G> {
    text: &'t [u8],
    /// The text as UTF-8. Checking it as a whole is faster than checking each string.
    valid: &'t str,
    /// The offset at which to continue: after an entry, or at the value of the last key.
    pub(super) at: usize,
    /// The offset of the last key.
    pub(super) key: usize,
    /// Whether no entry has been read yet.
    first: bool,
    grammar: PhantomData<G>,
}

impl<'t, G: Grammar> Entries<'t, G> {
    /// The entries of the object that starts at `at`.
    pub(super) fn open(valid: &'t str, at: usize) -> Option<Self> {
        let text = valid.as_bytes();
        Some(Self { text, valid, at: expect(text, at, b'{')?, key: at, first: true, grammar: PhantomData })
    }

    /// The next key, whose value must be read or skipped next; `Some(None)` after the last entry.
    pub(super) fn next(&mut self) -> Option<Option<&'t str>> {
        if self.ends(b'}')? {
            return Some(None);
        }
        self.key = self.at;
        let key;
        (key, self.at) = G::key(self.text, self.at)?;
        self.valid.get(key).map(Some)
    }

    /// Goes to the next entry or element, or after the bracket that ends them. Returns whether they end.
    fn ends(&mut self, close: u8) -> Option<bool> {
        let is_first = std::mem::take(&mut self.first);
        self.at = G::token(self.text, self.at);
        let comma = !is_first && self.text.get(self.at) == Some(&b',');
        if comma {
            self.at = G::token(self.text, self.at + 1);
        }
        if self.text.get(self.at) == Some(&close) && (!comma || G::LAST_COMMA) {
            self.at += 1;
            return Some(true);
        }
        (is_first || comma).then_some(false)
    }

    /// Reads a string without escapes, or `Some(None)` for null.
    pub(super) fn string(&mut self) -> Option<Option<&'t str>> {
        if self.null() {
            return Some(None);
        }
        let string;
        (string, self.at) = G::string(self.text, self.at)?;
        self.valid.get(string).map(Some)
    }

    /// Skips a value if it is null. Returns whether it was.
    fn null(&mut self) -> bool {
        let null = self.text.get(self.at..self.at + 4) == Some(b"null");
        self.at += if null { 4 } else { 0 };
        null
    }

    /// Skips a value of this type or null.
    pub(super) fn skip_typed(&mut self, of: &Type) -> Option<()> {
        match of {
            Type::Any => self.skip(),
            Type::Text(_) if self.text.get(self.at) == Some(&b'"') => self.skip(),
            Type::Text(_) => self.string().map(drop),
            Type::Time => self.string()?.is_none_or(is_time).then_some(()),
            Type::Int | Type::Bool => {
                let start = self.at;
                self.skip()?;
                of.admits(self.valid.get(start..self.at)?, false).then_some(())
            }
            Type::List(_, of) => self.elements(|list| list.skip_typed(of)),
            Type::Map(..) => self.nested(|map, key| map.skip_typed(of.field(key))),
        }
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        self.at = G::value_end(self.text, self.at)?;
        Some(())
    }

    /// Calls `read` with each key of an object, to read or skip its value. Accepts null as an empty object.
    pub(super) fn nested(&mut self, mut read: impl FnMut(&mut Self, &'t str) -> Option<()>) -> Option<()> {
        if self.null() {
            return Some(());
        }
        let mut entries = Self::open(self.valid, self.at)?;
        while let Some(key) = entries.next()? {
            read(&mut entries, key)?;
        }
        self.at = entries.at;
        Some(())
    }

    /// Calls `read` at each element of a list, to read or skip it. Accepts null as an empty list.
    fn elements(&mut self, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.null() {
            return Some(());
        }
        let at = expect(self.text, self.at, b'[')?;
        let mut list = Self { at, first: true, ..*self };
        while !list.ends(b']')? {
            read(&mut list)?;
        }
        self.at = list.at;
        Some(())
    }
}
