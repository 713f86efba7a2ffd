//! The index of a text: its line endings, words and indicators, found for the whole text at once.
//!
//! Each 64 bytes of the text have a few bit masks, whose lowest bit stands for the first byte. Readers use them instead
//! of examining each byte.

use fearless_simd::dispatch;
use fearless_simd::prelude::*;

use memchr::memchr3_iter;

use super::reason::{Certain, Reason};
use crate::simd::{Chunk, LANES, level};

/// How many chunks' masks are kept for reuse: those of 1 MiB.
const KEPT: usize = (1 << 20) / LANES;

/// The bit masks of a text.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The masks of the text, possibly followed by others of a longer text before.
    chunks: Vec<Bits>,
    /// How many of them belong to the text.
    used: usize,
    /// Whether all bytes are printable ASCII or line endings.
    plain: bool,
}

/// The bit masks of a part of a text.
#[derive(Clone, Copy)]
pub struct View<'m> {
    /// The masks of the whole text.
    chunks: &'m [Bits],
    /// The offset of the part in the text.
    start: usize,
    /// Whether all bytes of the text are printable ASCII or line endings.
    plain: bool,
}

/// The bit masks of 64 bytes; the lowest bit stands for the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// Line feeds.
    pub newlines: u64,
    /// Blanks.
    pub blanks: u64,
    /// Bytes that may begin quotes, flow collections, block scalars, anchors, tags and the like. Most empty maps are
    /// left out, because they are complete.
    pub indicators: u64,
    /// Bytes that plain keys and values consist of, and that mean nothing else: letters, digits and `-./_`.
    pub words: u64,
}

/// The extent of a line.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Its length in bytes, without the line ending.
    pub length: usize,
    /// The number of blanks at its start.
    pub column: usize,
}

impl Bits {
    /// The line that starts at the first byte; `None` if it does not end within these bytes.
    #[inline]
    pub fn line(&self) -> Option<Extent> {
        let inked = self.inside(!self.blanks);
        (self.newlines != 0).then(|| Extent {
            length: self.newlines.trailing_zeros() as usize,
            column: (inked | self.newlines).trailing_zeros() as usize,
        })
    }

    /// The `bits` within the first line, which ends within these bytes.
    #[inline]
    pub fn inside(&self, bits: u64) -> u64 {
        bits & self.newlines.wrapping_sub(1) & !self.newlines
    }

    /// The offset after the word at `start`; both are offsets in these bytes.
    #[inline]
    pub fn word_end(&self, start: usize) -> usize {
        start + (!(self.words >> start)).trailing_zeros() as usize
    }
}

impl Index {
    /// Indexes `text`, replacing the previous index.
    pub fn mark(&mut self, text: &[u8]) {
        dispatch!(level(), simd => mark_text(simd, text, self));
    }

    /// Releases the memory used for a long text.
    pub fn keep_if_small(&mut self) {
        if self.chunks.len() > KEPT {
            *self = Self::default();
        }
    }

    fn used(&self) -> &[Bits] {
        &self.chunks[..self.used]
    }

    /// Whether all bytes are printable ASCII or line endings.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The text of this index, if none of its bytes makes reading by lines uncertain: it is valid UTF-8 without control
    /// characters, lone carriage returns, byte order marks and line breaks that only YAML 1.1 knows.
    ///
    /// # Errors
    ///
    /// [`Reason::Characters`]
    pub fn certain<'t>(&self, bytes: &'t [u8]) -> Certain<&'t str> {
        let text = simdutf8::basic::from_utf8(bytes).map_err(|_| Reason::Characters)?;
        if self.plain || is_certain(text) { Ok(text) } else { Err(Reason::Characters) }
    }

    /// The lines before the first one of which the index is not certain.
    pub fn certain_lines<'t>(&self, bytes: &'t [u8]) -> &'t str {
        self.certain(bytes).unwrap_or_else(|_| {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            let length = lines.take_while(|line| certain(line).is_some()).map(<[u8]>::len).sum();
            std::str::from_utf8(&bytes[..length]).unwrap_or_default()
        })
    }

    /// The masks of the part that starts at `start` of the text.
    pub fn part(&self, start: usize) -> View<'_> {
        View { chunks: self.used(), start, plain: self.plain }
    }
}

impl View<'_> {
    /// Whether all bytes of the whole text are printable ASCII or line endings.
    pub fn is_plain(self) -> bool {
        self.plain
    }

    /// The masks of the 64 bytes from `at` of the part on, which may extend beyond the part.
    #[inline(always)]
    pub fn at(self, at: usize) -> Bits {
        let at = self.start + at;
        let (first, offset) = (at / LANES, at % LANES);
        let Some([near, far]) = self.chunks.get(first..first + 2) else { return Bits::default() };
        let both = |near: u64, far: u64| near >> offset | far << 1 << (LANES - 1 - offset);
        Bits {
            newlines: both(near.newlines, far.newlines),
            blanks: both(near.blanks, far.blanks),
            indicators: both(near.indicators, far.indicators),
            words: both(near.words, far.words),
        }
    }

    /// The offset of the first line after `at` that does not begin with `column` blanks, or simply of the next line if
    /// `column` is 64 or more; `None` if there is none.
    pub fn next_left(self, at: usize, column: usize) -> Option<usize> {
        let at = self.start + at;
        let (first, mut before) = (at / LANES, !(!0 << (at % LANES)));
        for (number, pair) in self.chunks.windows(2).enumerate().skip(first) {
            let found = pair[0].newlines & !indented(pair, column) & !before;
            if found != 0 {
                return Some(number * LANES + found.trailing_zeros() as usize + 1 - self.start);
            }
            before = 0;
        }
        None
    }

    /// Skips lines, starting with the one at `at`, as long as they begin with `column` blanks, at least one, and none
    /// of their words begins with an indicator. Returns the offset of the next line.
    pub fn skip_plain(self, at: usize, column: usize) -> usize {
        if ((!self.at(at).blanks).trailing_zeros() as usize) < column {
            return at;
        }
        let at = self.start + at;
        let (first, mut before) = (at / LANES, !(!0 << (at % LANES)));
        let mut line = at;
        let mut blank_before = 0;
        for (number, pair) in self.chunks.windows(2).enumerate().skip(first) {
            let near = &pair[0];
            let opening = near.indicators & (near.blanks << 1 | blank_before) & !near.newlines;
            let last = near.newlines & !indented(pair, column);
            let stop = (opening | last) & !before;
            // The line endings up to the first one that is not followed by such a line, or before an indicator.
            let ended = near.newlines & !before & (stop ^ stop.wrapping_sub(1)) & !opening;
            if ended != 0 {
                line = (number + 1) * LANES - ended.leading_zeros() as usize;
            }
            if stop != 0 {
                break;
            }
            (before, blank_before) = (0, near.blanks >> (LANES - 1));
        }
        line - self.start
    }
}

/// The text, if none of its bytes makes reading it uncertain, as for [`Index::certain`].
pub fn certain(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok().filter(|text| is_certain(text))
}

fn is_certain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut followers = bytes.iter().skip(1);
    let mut controls = bytes.iter().map(|&byte| (byte, followers.next())).map(|(byte, next)| match byte {
        b'\r' => next == Some(&b'\n'),
        b'\t' | b'\n' => true,
        byte => byte >= b' ' && byte != 0x7f,
    });
    let breaks = |at: usize| {
        let c = text[at..].chars().next();
        matches!(
            c,
            Some('\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        )
    };
    controls.all(|harmless| harmless) && !memchr3_iter(0xc2, 0xe2, 0xef, bytes).any(breaks)
}

/// The bytes of the first chunk that are followed by `column` blanks, as far as the second chunk shows; none if
/// `column` is 64 or more.
#[inline]
fn indented(pair: &[Bits], column: usize) -> u64 {
    let [near, far] = [pair[0].blanks, pair[1].blanks];
    let all = if column < LANES { !0 } else { 0 };
    (1..=column.min(LANES - 1)).fold(all, |bits, ahead| bits & (near >> ahead | far << (LANES - ahead)))
}

#[inline(always)]
fn mark_text<S: Simd>(simd: S, text: &[u8], index: &mut Index) {
    let (full, rest) = text.as_chunks::<LANES>();
    // Another chunk of blanks after the last one, so that every chunk has a successor.
    let nothing = Bits { blanks: !0, ..Bits::default() };
    index.used = full.len() + 2;
    if index.chunks.len() < index.used {
        index.chunks.resize(index.used, nothing);
    }
    let mut unusual = 0;
    for (bytes, bits) in full.iter().zip(&mut index.chunks) {
        *bits = mark(Chunk::of(simd, bytes), &mut unusual);
    }
    index.chunks[full.len()] = mark(Chunk::padded(simd, rest), &mut unusual);
    index.chunks[full.len() + 1] = nothing;
    index.plain = unusual == 0;
}

/// The masks of a chunk; bytes that are not plain are added to `unusual`.
#[inline(always)]
fn mark<S: Simd>(chunk: Chunk<S>, unusual: &mut u64) -> Bits {
    let lowered = chunk.lowered();
    let newlines = chunk.equal(b'\n');
    // All brackets, braces and tabs and, because this is faster, some harmless neighbours: # $ % ( )
    let indicators = lowered.within(b'!', b'*') | lowered.within(b'>', b'?') | lowered.within(b'{', b'}');
    let words = lowered.within(b'a', b'z') | chunk.within(b'-', b'9') | chunk.within(b'_', b'_');
    // Empty maps at the end of a line, which are frequent in managedFields.
    let empty = chunk.equal(b'{') & chunk.equal(b'}') >> 1 & newlines >> 2;
    let indicators = indicators.to_bitmask() & !(empty | empty << 1);
    *unusual |= !(chunk.within(b' ', 0x7e).to_bitmask() | newlines);
    Bits { newlines, blanks: chunk.equal(b' '), indicators, words: words.to_bitmask() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines with leading blanks and with indicators.
    fn text() -> impl Strategy<Value = String> {
        let line = ("[ ]{0,5}", "[a:#\"{}&*|]{0,3}", "([ ][ab\"]{1,30}){0,3}", "[ ]{0,2}\n");
        prop::collection::vec(line.prop_map(|(a, b, c, d)| a + &b + &c + &d), 0..12)
            .prop_map(|lines| lines.concat())
    }

    fn column_of(line: &str) -> usize {
        line.len() - line.trim_start_matches(' ').len()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lines_are_passed_over_as_one_by_one(before in text(), text in text(), column in 1..4_usize) {
            let whole = before.clone() + &text;
            let mut index = Index::default();
            index.mark(&[whole.as_bytes(), b"  a\n\"b\n"].concat());
            index.mark(whole.as_bytes());
            let part = index.part(before.len());
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let is_left = |line: &&&str| column_of(line) < column;
            let opens = |line: &&&str| {
                let line = line.strip_suffix("{}\n").unwrap_or(line);
                let mut blank = false;
                line.bytes().any(|byte| std::mem::replace(&mut blank, byte == b' ') && b"#\"{}&*|".contains(&byte))
            };
            let skipped = lines.iter().take_while(|line| !is_left(line) && !opens(line));
            let skipped = skipped.map(|line| line.len()).sum::<usize>();
            // It stops at empty maps that extend over two chunks.
            let stopped = part.skip_plain(0, column);
            prop_assert!(stopped == skipped || text[stopped..].contains("{}\n"), "{stopped} {skipped} {text:?}");
            let left = lines.iter().skip(1).position(|line| is_left(&line)).map(|at| at + 1);
            let left = left.map(|at| lines[..at].iter().map(|line| line.len()).sum::<usize>());
            prop_assert_eq!(part.next_left(0, column), left);
        }
    }
}
