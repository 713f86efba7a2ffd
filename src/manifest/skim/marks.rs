//! Where in a text lines end and words stand, found for all of it at once.

use fearless_simd::dispatch;
use fearless_simd::prelude::*;

use crate::manifest::lanes::{Chunk, LANES, level};

/// How many chunks' marks are kept to be used again: those of 1 MiB.
const KEPT: usize = (1 << 20) / LANES;

/// What stands where in a text.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Those of the text, and behind them those of longer texts that were looked at before.
    chunks: Vec<Marked>,
    /// How many of them are the text's.
    used: usize,
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
    /// Bytes that may open quotes, flow collections and block scalars, and those of anchors, tags and the like. Most
    /// empty maps are not among them: they are complete.
    pub openers: u64,
    /// Bytes of which plain keys and values are made that can be nothing else: letters, digits and `-./_`.
    pub words: u64,
}

/// What is seen of a line at a glance.
#[derive(Clone, Copy)]
pub struct Seen {
    /// How many bytes it has, without its end.
    pub length: usize,
    /// How many blanks it starts with.
    pub column: usize,
}

impl Marked {
    /// The line that starts where the marks do; nothing when it goes beyond them.
    #[inline]
    pub fn line(&self) -> Option<Seen> {
        let inked = self.inside(!self.blanks);
        (self.newlines != 0).then(|| Seen {
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
    /// Looks at `text`, and forgets about the one before.
    pub fn mark(&mut self, text: &[u8]) {
        dispatch!(level(), simd => mark_text(simd, text, self));
    }

    /// Gives the memory back that a long text took.
    pub fn keep_if_small(&mut self) {
        if self.chunks.len() > KEPT {
            *self = Self::default();
        }
    }

    fn used(&self) -> &[Marked] {
        &self.chunks[..self.used]
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
        let Some([near, far]) = self.marks.used().get(first..first + 2) else { return Marked::default() };
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
        for (number, pair) in self.marks.used().windows(2).enumerate().skip(first) {
            let found = pair[0].newlines & !indented(pair, column) & !before;
            if found != 0 {
                return Some(number * LANES + found.trailing_zeros() as usize + 1 - self.start);
            }
            before = 0;
        }
        None
    }

    /// Passes over lines from the one that starts at `at` on, as long as they begin with `column` blanks, at least one,
    /// and no word of theirs starts with what may open something. Returns where the next line starts.
    pub fn skip_plain(self, at: usize, column: usize) -> usize {
        if ((!self.at(at).blanks).trailing_zeros() as usize) < column.min(LANES - 1) {
            return at;
        }
        let at = self.start + at;
        let (first, mut before) = (at / LANES, !(!0 << (at % LANES)));
        let mut line = at;
        let mut blank_before = 0;
        for (number, pair) in self.marks.used().windows(2).enumerate().skip(first) {
            let near = &pair[0];
            let opening = near.openers & (near.blanks << 1 | blank_before) & !near.newlines;
            let last = near.newlines & !indented(pair, column);
            let stop = (opening | last) & !before;
            // The ends of the lines that are passed over: up to the first one behind which a line is not, or before
            // what opens something.
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

/// Which bytes of the first chunk `column` blanks follow, as far as the second tells; of more than 63, so many count.
#[inline]
fn indented(pair: &[Marked], column: usize) -> u64 {
    let [near, far] = [pair[0].blanks, pair[1].blanks];
    (1..=column.min(LANES - 1)).fold(!0, |bits, ahead| bits & (near >> ahead | far << (LANES - ahead)))
}

#[inline(always)]
fn mark_text<S: Simd>(simd: S, text: &[u8], marks: &mut Marks) {
    let (full, rest) = text.as_chunks::<LANES>();
    // One more behind the last, so that there is always a next one; what stands there are blanks.
    let nothing = Marked { blanks: !0, ..Marked::default() };
    marks.used = full.len() + 2;
    if marks.chunks.len() < marks.used {
        marks.chunks.resize(marks.used, nothing);
    }
    let mut unusual = 0;
    for (bytes, marked) in full.iter().zip(&mut marks.chunks) {
        *marked = mark(Chunk::of(simd, bytes), &mut unusual);
    }
    marks.chunks[full.len()] = mark(Chunk::padded(simd, rest), &mut unusual);
    marks.chunks[full.len() + 1] = nothing;
    marks.plain = unusual == 0;
}

/// What stands where in a chunk; bits for its unusual bytes are set in `unusual`.
#[inline(always)]
fn mark<S: Simd>(chunk: Chunk<S>, unusual: &mut u64) -> Marked {
    let lowered = chunk.lowered();
    let newlines = chunk.equal(b'\n');
    // All brackets and braces, tabs, and for the sake of speed some harmless neighbours: # $ % ( )
    let openers = lowered.within(b'!', b'*') | lowered.within(b'>', b'?') | lowered.within(b'{', b'}');
    let words = lowered.within(b'a', b'z') | chunk.within(b'-', b'9') | chunk.within(b'_', b'_');
    // Empty maps at the end of a line, of which managedFields are full.
    let empty = chunk.equal(b'{') & chunk.equal(b'}') >> 1 & newlines >> 2;
    let openers = openers.to_bitmask() & !(empty | empty << 1);
    *unusual |= !(chunk.within(b' ', 0x7e).to_bitmask() | newlines);
    Marked { newlines, blanks: chunk.equal(b' '), openers, words: words.to_bitmask() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines with blanks before them and openers in them.
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
            let mut marks = Marks::default();
            marks.mark(&[whole.as_bytes(), b"  a\n\"b\n"].concat());
            marks.mark(whole.as_bytes());
            let part = marks.part(before.len());
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let is_left = |line: &&&str| column_of(line) < column;
            let opens = |line: &&&str| {
                let line = line.strip_suffix("{}\n").unwrap_or(line);
                let mut blank = false;
                line.bytes().any(|byte| std::mem::replace(&mut blank, byte == b' ') && b"#\"{}&*|".contains(&byte))
            };
            let skipped = lines.iter().take_while(|line| !is_left(line) && !opens(line));
            let skipped = skipped.map(|line| line.len()).sum::<usize>();
            // Empty maps that two chunks share are stopped at.
            let stopped = part.skip_plain(0, column);
            prop_assert!(stopped == skipped || text[stopped..].contains("{}\n"), "{stopped} {skipped} {text:?}");
            let left = lines.iter().skip(1).position(|line| is_left(&line)).map(|at| at + 1);
            let left = left.map(|at| lines[..at].iter().map(|line| line.len()).sum::<usize>());
            prop_assert_eq!(part.next_left(0, column), left);
        }
    }
}
