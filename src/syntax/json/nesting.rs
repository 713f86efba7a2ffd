//! Where values in JSON and KYAML end, by matching brackets and quotes.

use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use memchr::memchr;

use super::scan::{self, blanks};
use crate::simd::{Chunk, LANES, level, parity};
use crate::yaml::quoted::closing;

/// The complete objects at the start of a text. If the text grows, no part of it is scanned twice.
#[derive(Debug, Default)]
pub struct Values {
    /// The offset after the last complete object; 0 if there is none.
    pub end: usize,
    /// The incomplete object after that.
    open: Option<Inside>,
}

impl Values {
    /// Continues with `text`, which begins with the previous text.
    pub fn advance(&mut self, text: &[u8]) {
        loop {
            let inside = match &mut self.open {
                Some(inside) => inside,
                None => {
                    let at = blanks(text, self.end);
                    if text.get(at) != Some(&b'{') {
                        return;
                    }
                    self.open.insert(Inside::at(at + 1))
                }
            };
            let End::At(end) = inside.end::<0>(text, b'{') else { return };
            (self.end, self.open) = (end, None);
        }
    }
}

/// The offset after the value that starts at `at`; `None` if it is incomplete.
pub(super) fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' | b'[' | b'"' => nested_end::<0>(text, at),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            text[at..].iter().position(ends).filter(|length| *length > 0).map(|length| at + length)
        }
    }
}

/// The end of a value; `None` if it does not end, or if a string has a control character. In a text of several lines, this
/// reveals a missing quote.
pub(super) fn sound_value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' | b'[' => nested_end::<CONTROLS>(text, at),
        _ => value_end(text, at).filter(|end| text[at..*end].iter().all(|&byte| byte >= b' ')),
    }
}

/// The offset after the quote or the bracket that closes the one at `at`.
pub(super) fn nested_end<const LOOK: u8>(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        b'"' => closing(&text[at..], b'"').map(|length| at + length),
        b'{' if text.get(at + 1) == Some(&b'}') => Some(at + 2),
        open => match Inside::at(at + 1).end::<LOOK>(text, open) {
            End::At(end) => Some(end),
            End::Unread | End::Uncertain => None,
        },
    }
}

/// Which bytes of a text are in strings, chunk by chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Strings {
    /// Whether the next chunk begins inside a string: all bits or none, one for each byte of a chunk.
    inside: u64,
    /// Whether its first byte is escaped by a backslash before it.
    escaping: bool,
}

impl Strings {
    /// The bytes of the next chunk that are in strings, with the opening quotes but without the closing ones, and the
    /// quotes of both sorts.
    #[inline(always)]
    fn next<S: Simd>(&mut self, chunk: Chunk<S>) -> (u64, u64) {
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

/// Besides brackets and strings, [`Inside::end`] looks for control characters in strings, which make the end uncertain.
pub(super) const CONTROLS: u8 = 1;

/// For comments, in which brackets do not count.
pub(super) const COMMENTS: u8 = 2;

/// For everything that could hide a bracket or end the document in a text that may be any YAML.
pub(super) const FOREIGN: u8 = 4;

/// The inside of a bracket, as far as it has been scanned.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// The offset at which to continue.
    at: usize,
    depth: u32,
    strings: Strings,
    /// The end of the last comment, and whether a quote right after it opens a string.
    after_comment: (usize, bool),
    /// Whether [`FOREIGN`] bytes were looked for and one was neither printable ASCII nor a line ending.
    pub(super) unusual: bool,
}

/// The end of the inside of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After the bracket that closes it.
    At(usize),
    /// Not in this text.
    Unread,
    /// Only the full parser can tell.
    Uncertain,
}

impl Inside {
    /// The inside that starts at `at`, right after the bracket.
    pub fn at(at: usize) -> Self {
        Self { at, depth: 1, strings: Strings::default(), after_comment: (at, true), unusual: false }
    }

    /// The end of the inside: each `open` bracket needs a closing one; brackets of the other type are balanced inside,
    /// unless the text is invalid. `LOOK` is what else is looked for. If the text ends first, a later call continues at
    /// the same position of a longer text.
    pub fn end<const LOOK: u8>(&mut self, text: &[u8], open: u8) -> End {
        dispatch!(level(), simd => self.end_with::<LOOK, _>(simd, text, open))
    }

    #[inline(always)]
    fn end_with<const LOOK: u8, S: Simd>(&mut self, simd: S, text: &[u8], open: u8) -> End {
        // In ASCII, `}` follows `{` after one other character, and so does `]` follow `[`.
        let close = open + 2;
        let mut now = *self;
        loop {
            let rest = text.get(now.at..).unwrap_or_default();
            let chunk =
                rest.first_chunk().map_or_else(|| Chunk::padded(simd, rest), |rest| Chunk::of(simd, rest));
            let is_last = rest.len() < LANES;
            if is_last {
                // It is scanned again when the text has grown.
                *self = now;
            }
            let (strings, quotes) = now.strings.next(chunk);
            let comments = if LOOK & COMMENTS != 0 { chunk.equal(b'#') & !strings } else { 0 };
            let controls =
                if LOOK & CONTROLS != 0 { chunk.within(0, b' ' - 1).to_bitmask() & strings } else { 0 };
            // The part of the chunk that matters: up to a comment or a control character.
            let stop = comments | controls;
            let mut part = stop.wrapping_sub(1) & !stop;
            let opening = chunk.equal(open) & !strings & part;
            let end = scan::close(&mut now.depth, opening, chunk.equal(close) & !strings & part);
            if LOOK & FOREIGN != 0 {
                part &= end.map_or(!0, |end| !0 >> (LANES - 1 - end));
                if !now.is_certain(text, chunk, part, strings, quotes) {
                    return End::Uncertain;
                }
            }
            if let Some(end) = end {
                self.unusual = now.unusual;
                return End::At(now.at + end + 1);
            }
            if controls != 0 {
                return End::Uncertain;
            }
            if comments == 0 {
                if is_last {
                    return End::Unread;
                }
                now.at += LANES;
                continue;
            }
            let comment = now.at + comments.trailing_zeros() as usize;
            if !matches!(text[comment - 1], b' ' | b'\n') {
                return End::Uncertain;
            }
            let Some(length) = memchr(b'\n', &text[comment..]) else { return End::Unread };
            let (at, opens) = (comment + length, now.opens(text, comment));
            now.unusual |= text[comment..at].iter().any(|byte| !matches!(byte, b' '..=b'~'));
            now = Self { at, strings: Strings::default(), after_comment: (at, opens), ..now };
            *self = now;
        }
    }

    /// Whether `part` of a chunk is unambiguous: its `quotes` open strings, and outside `strings` nothing could hide a
    /// bracket or end the document. Items may share anchors, so an anchor or alias is left to the parser.
    #[inline(always)]
    fn is_certain<S: Simd>(
        &mut self,
        text: &[u8],
        chunk: Chunk<S>,
        part: u64,
        strings: u64,
        quotes: u64,
    ) -> bool {
        let newlines = chunk.equal(b'\n');
        self.unusual |= !(chunk.within(b' ', b'~').to_bitmask() | newlines) & part != 0;
        // Tags, anchors, aliases and single quotes, and some harmless neighbours.
        let foreign = (chunk.within(b'!', b'!') | chunk.within(b'&', b'*')).to_bitmask() & !strings & part;
        if foreign != 0 {
            return false;
        }
        let starts = newlines << 1 | u64::from(text[self.at - 1] == b'\n');
        let markers = starts & chunk.within(b'-', b'.').to_bitmask();
        let mut opening = quotes & strings & part;
        while opening != 0 {
            if !self.opens(text, self.at + opening.trailing_zeros() as usize) {
                return false;
            }
            opening &= opening - 1;
        }
        markers & part == 0
    }

    /// Whether a quote at `at` opens a string, because it is not in a plain scalar.
    #[inline(always)]
    fn opens(&self, text: &[u8], at: usize) -> bool {
        let (comment, opens) = self.after_comment;
        let before = &text[comment..at];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r')).count();
        match &before[..before.len() - blanks] {
            [] => opens,
            [.., b',' | b'{' | b'['] | [.., b'"', b':'] => true,
            // After a plain key, a colon without a blank is part of the scalar.
            [.., b':'] => blanks > 0,
            _ => false,
        }
    }
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
