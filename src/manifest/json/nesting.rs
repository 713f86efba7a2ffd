//! Where values in JSON end, by matching brackets and quotes.

use fearless_simd::dispatch;
use fearless_simd::prelude::*;

use super::scan::{self, blanks};
use crate::manifest::simd::{Chunk, LANES, level, parity};
use crate::manifest::yaml::quoted::closing;

/// The complete objects at the start of a text. If the text grows, no part of it is scanned twice.
#[derive(Debug, Default)]
pub struct Values {
    /// The offset after the last complete object; 0 if there is none.
    pub end: usize,
    /// The incomplete object after that.
    open: Option<Nesting>,
}

impl Values {
    /// Continues with `text`, which begins with the previous text.
    pub fn advance(&mut self, text: &[u8]) {
        loop {
            let nesting = match &mut self.open {
                Some(nesting) => nesting,
                None => {
                    let at = blanks(text, self.end);
                    if text.get(at) != Some(&b'{') {
                        return;
                    }
                    self.open.insert(Nesting::at(at + 1))
                }
            };
            let Some(end) = nesting.end::<false>(text, b'{', b'}') else { return };
            (self.end, self.open) = (end, None);
        }
    }
}

/// The offset after the value that starts at `at`; `None` if it is incomplete.
pub(super) fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' if text.get(at + 1) == Some(&b'}') => Some(at + 2),
        b'{' => nested_end::<false>(text, at + 1, b'{', b'}'),
        b'[' => nested_end::<false>(text, at + 1, b'[', b']'),
        b'"' => closing(&text[at..], b'"').map(|length| at + length),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            text[at..].iter().position(ends).filter(|length| *length > 0).map(|length| at + length)
        }
    }
}

/// As [`value_end`], but also `None` if a string has a control character. In a text of several lines, this reveals a
/// missing quote.
pub(super) fn sound_value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' => nested_end::<true>(text, at + 1, b'{', b'}'),
        b'[' => nested_end::<true>(text, at + 1, b'[', b']'),
        _ => value_end(text, at).filter(|end| text[at..*end].iter().all(|&byte| byte >= b' ')),
    }
}

/// The offset after the bracket that closes the one before `at`. Brackets of the other type are balanced inside, unless
/// the text is invalid. If `SOUND`, the result is also `None` if a string has a control character.
fn nested_end<const SOUND: bool>(text: &[u8], at: usize, open: u8, close: u8) -> Option<usize> {
    Nesting::at(at).end::<SOUND>(text, open, close)
}

/// Which bytes of a text are in strings, chunk by chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strings {
    /// Whether the next chunk begins inside a string: all bits or none, one for each byte of a chunk.
    inside: u64,
    /// Whether its first byte is escaped by a backslash before it.
    escaping: bool,
}

impl Strings {
    /// The bytes of the next chunk that are in strings, with the opening quotes but without the closing ones, and the
    /// quotes of both sorts.
    #[inline(always)]
    pub(super) fn next<S: Simd>(&mut self, chunk: Chunk<S>) -> (u64, u64) {
        let backslashes = chunk.equal(b'\\');
        let mut quotes = chunk.equal(b'"');
        if self.escaping || backslashes != 0 {
            let escaped;
            (escaped, self.escaping) = escaped_by(backslashes, self.escaping);
            quotes &= !escaped;
        }
        let strings = parity(quotes) ^ self.inside;
        self.inside = if strings >> (LANES - 1) == 0 { 0 } else { !0 };
        (strings, quotes)
    }
}

/// The nesting at a position in a text.
#[derive(Clone, Copy, Debug)]
pub struct Nesting {
    at: usize,
    depth: u32,
    strings: Strings,
}

impl Nesting {
    /// The position right after an opening bracket.
    pub fn at(at: usize) -> Self {
        Self { at, depth: 1, strings: Strings::default() }
    }

    /// The offset after the `close` bracket that ends the inside. If the text ends first, a later call continues at the
    /// same position of a longer text. If `SOUND`, the result is also `None` if a string has a control character.
    pub fn end<const SOUND: bool>(&mut self, text: &[u8], open: u8, close: u8) -> Option<usize> {
        dispatch!(level(), simd => self.end_with::<SOUND, _>(simd, text, open, close))
    }

    #[inline(always)]
    fn end_with<const SOUND: bool, S: Simd>(
        &mut self,
        simd: S,
        text: &[u8],
        open: u8,
        close: u8,
    ) -> Option<usize> {
        while let Some(bytes) = text.get(self.at..).and_then(|rest| rest.first_chunk()) {
            match self.step::<SOUND, S>(Chunk::of(simd, bytes), open, close) {
                Step::On => self.at += LANES,
                Step::End(offset) => return Some(self.at + offset),
                Step::Unsound => return None,
            }
        }
        // The last chunk is scanned again when the text has grown.
        let mut last = *self;
        match last.step::<SOUND, S>(Chunk::at(simd, text, self.at), open, close) {
            Step::End(offset) => Some(self.at + offset),
            Step::On | Step::Unsound => None,
        }
    }

    /// Scans the next chunk.
    #[inline(always)]
    fn step<const SOUND: bool, S: Simd>(&mut self, chunk: Chunk<S>, open: u8, close: u8) -> Step {
        let (strings, _) = self.strings.next(chunk);
        let control = if SOUND { chunk.within(0, b' ' - 1).to_bitmask() & strings } else { 0 };
        let before_control = control.wrapping_sub(1) & !control;
        let opening = chunk.equal(open) & !strings;
        let closing = chunk.equal(close) & !strings & before_control;
        if let Some(offset) = scan::close(&mut self.depth, opening, closing) {
            return Step::End(offset + 1);
        }
        if control == 0 { Step::On } else { Step::Unsound }
    }
}

/// The result of scanning a chunk inside a bracket.
enum Step {
    /// Everything is inside.
    On,
    /// The end is after this many bytes.
    End(usize),
    /// A string with a control character.
    Unsound,
}

/// The bytes of a chunk that are escaped by its `backslashes`; `first` means that the first one is escaped by the
/// previous chunk. Also returns whether the first byte of the next chunk is escaped.
fn escaped_by(mut backslashes: u64, first: bool) -> (u64, bool) {
    let mut escaped = u64::from(first);
    backslashes &= !escaped;
    while backslashes != 0 {
        let next = backslashes.trailing_zeros() + 1;
        if next as usize == LANES {
            return (escaped, true);
        }
        escaped |= 1 << next;
        // An escaped backslash does not escape.
        backslashes &= !(1 << next) & (backslashes - 1);
    }
    (escaped, false)
}
