//! Where in a text lines end and words stand, found for all of it at once.

use fearless_simd::dispatch;
use fearless_simd::prelude::*;

use crate::manifest::lanes::{Chunk, LANES, level};

/// What stands where in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    chunks: Vec<Marked>,
    /// Whether all bytes are printable ASCII or ends of lines.
    plain: bool,
}

/// What stands where in a part of a text.
#[derive(Clone, Copy)]
pub struct PartMarks<'m> {
    marks: &'m Marks,
    /// Where the part starts in the text.
    start: usize,
}

/// What stands where in a stretch of [`LANES`] bytes, as bits of which the lowest stands for the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// The ends of lines.
    pub newlines: u64,
    /// Blanks.
    pub blanks: u64,
    /// Bytes that may open quotes, flow collections and block scalars, and those of anchors, tags and the like.
    pub openers: u64,
    /// Bytes of which plain keys and values are made that can be nothing else: letters, digits and `-./_`.
    pub words: u64,
}

/// What is seen of a line at a glance.
#[derive(Clone, Copy)]
pub struct Line {
    /// How many bytes it has, without its end.
    pub length: usize,
    /// How many blanks it starts with.
    pub column: usize,
}

impl Marked {
    /// The line that starts where the marks do; nothing when it goes beyond them.
    #[inline]
    pub fn line(&self) -> Option<Line> {
        let inked = self.inside(!self.blanks);
        (self.newlines != 0).then(|| Line {
            length: self.newlines.trailing_zeros() as usize,
            column: (inked | self.newlines).trailing_zeros() as usize,
        })
    }

    /// Those of `bits` that are inside the first line, which ends here.
    #[inline]
    pub fn inside(&self, bits: u64) -> u64 {
        bits & self.newlines.wrapping_sub(1) & !self.newlines
    }

    /// Where the word ends that starts at the offset `start`, which is one of the marks'.
    #[inline]
    pub fn word_end(&self, start: usize) -> usize {
        start + (!(self.words >> start)).trailing_zeros() as usize
    }
}

impl Marks {
    /// Looks at `text`.
    pub fn of(text: &[u8]) -> Self {
        dispatch!(level(), simd => marks(simd, text))
    }

    /// Whether all bytes are printable ASCII or ends of lines.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Those of the part that starts at `start` of the text.
    pub fn part(&self, start: usize) -> PartMarks<'_> {
        PartMarks { marks: self, start }
    }
}

impl PartMarks<'_> {
    /// Whether all bytes of the whole text are printable ASCII or ends of lines.
    pub fn is_plain(self) -> bool {
        self.marks.plain
    }

    /// What stands at `at` of the part and behind, and behind the part.
    #[inline]
    pub fn at(self, at: usize) -> Marked {
        let at = self.start + at;
        let (first, offset) = (at / LANES, at % LANES);
        let Some([near, far]) = self.marks.chunks.get(first..first + 2) else { return Marked::default() };
        let both = |near: u64, far: u64| near >> offset | far << 1 << (LANES - 1 - offset);
        Marked {
            newlines: both(near.newlines, far.newlines),
            blanks: both(near.blanks, far.blanks),
            openers: both(near.openers, far.openers),
            words: both(near.words, far.words),
        }
    }

    /// Where the next line behind `at` starts that does not begin with `column` blanks; one that begins with more
    /// than 62 may also be found.
    pub fn next_left(self, at: usize, column: usize) -> Option<usize> {
        let at = self.start + at;
        let (first, mut before) = (at / LANES, !(!0 << (at % LANES)));
        for (number, pair) in self.marks.chunks.windows(2).enumerate().skip(first) {
            let [near, far] = [pair[0].blanks, pair[1].blanks];
            let indented = (1..=column.min(LANES - 1))
                .fold(!0, |bits, ahead| bits & (near >> ahead | far << (LANES - ahead)));
            let found = pair[0].newlines & !indented & !before;
            if found != 0 {
                return Some(number * LANES + found.trailing_zeros() as usize + 1 - self.start);
            }
            before = 0;
        }
        None
    }
}

#[inline(always)]
fn marks<S: Simd>(simd: S, text: &[u8]) -> Marks {
    let (full, rest) = text.as_chunks::<LANES>();
    // One more behind the last, so that there is always a next one.
    let mut chunks = vec![Marked::default(); full.len() + 2];
    let mut unusual = 0;
    for (bytes, marked) in full.iter().zip(&mut chunks) {
        *marked = mark(Chunk::of(simd, bytes), &mut unusual);
    }
    chunks[full.len()] = mark(Chunk::padded(simd, rest), &mut unusual);
    Marks { chunks, plain: unusual == 0 }
}

/// What stands where in a chunk; bits for its unusual bytes are set in `unusual`.
#[inline(always)]
fn mark<S: Simd>(chunk: Chunk<S>, unusual: &mut u64) -> Marked {
    let lowered = chunk.lowered();
    let newlines = chunk.equal(b'\n');
    // All brackets and braces, tabs, and for the sake of speed some harmless neighbours: # $ % ( )
    let openers = lowered.within(b'!', b'*') | lowered.within(b'>', b'?') | lowered.within(b'{', b'}');
    let words = lowered.within(b'a', b'z') | chunk.within(b'-', b'9') | chunk.within(b'_', b'_');
    *unusual |= !(chunk.within(b' ', 0x7e).to_bitmask() | newlines);
    Marked { newlines, blanks: chunk.equal(b' '), openers: openers.to_bitmask(), words: words.to_bitmask() }
}
