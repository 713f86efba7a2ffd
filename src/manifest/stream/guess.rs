//! Large Lists whose items are cut by the threads that process them.
//!
//! Where an item ends depends on all text before it, so a block can only be cut after the one before it. To let several
//! threads cut, a block may end at a guess: before the last text in it that looks like the start of an item. The thread
//! that processes the block cuts it. The guess is right if the last item ends exactly there and if the guess before it
//! was right. Otherwise, the text of the block and of those after it is taken back, and the rest of the List is cut in
//! order.

use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::{memchr, memchr_iter, memmem};

use super::{Block, Blocks, Piece};
use crate::manifest::json;
use crate::manifest::json::kyaml::Cutting;
use crate::manifest::list::{Items, Notation};
use crate::manifest::simd::line_ends;
use crate::manifest::yaml::index::Index;
use crate::manifest::yaml::list::{self, ListEnd};

/// How far from the end of a block the start of an item is looked for, in bytes.
const NEAR: usize = 64 << 10;

/// The maximum length of the text that looks like the start of an item, in bytes.
const MAX_MARK: usize = 256;

/// Whether a guess is right, once that is known.
type Verdict = Arc<OnceLock<bool>>;

/// The guess at the end of a block.
#[derive(Debug)]
pub(super) struct Guess {
    verdict: Verdict,
    /// The verdict on the guess before it; `None` if the block certainly begins with an item.
    previous: Option<Verdict>,
    notation: Notation,
}

impl Drop for Guess {
    /// Releases the threads that wait for a block that is never cut.
    fn drop(&mut self) {
        let _ = self.verdict.set(false);
    }
}

/// A block that may have to be taken back.
pub(super) struct Guessed {
    verdict: Verdict,
    bytes: Arc<Vec<u8>>,
    /// The line on which it starts, 1-based.
    line: usize,
    /// The length of the part of the List before it, in bytes.
    preceding_len: usize,
}

impl Block {
    /// Cuts the items of a block that ends at a guess, and waits until the blocks before it have been cut; does nothing
    /// for other blocks. Returns whether the guesses were right: if not, later blocks repeat the text.
    pub fn cut(&mut self) -> bool {
        let Some(guess) = self.guess.take() else { return true };
        let cut = cut(guess.notation, &self.bytes);
        let is_right = cut.is_some() && guess.previous.as_ref().is_none_or(|previous| *previous.wait());
        let _ = guess.verdict.set(is_right);
        if let Some((ranges, index)) = cut {
            let pieces =
                Arc::get_mut(&mut self.pieces).expect("impossible: a block is cut before it is cloned");
            if let [Ok(Piece { items: Some(items), .. })] = &mut pieces[..] {
                (items.ranges, items.index) = (ranges, index);
            }
        }
        is_right
    }
}

impl Blocks {
    /// Lets blocks end at guesses. A thread must then [cut](Block::cut) its block before it asks for another one;
    /// otherwise it may wait for itself.
    pub fn with_guesses(mut self) -> Self {
        self.guessing = true;
        self
    }

    /// A block of items up to a guess, with their content in the column `indent`; `None` if no item can be guessed. Then
    /// all guesses have been reviewed, and the next items have to be cut in order.
    pub(super) fn guessed_block(&mut self, indent: usize) -> io::Result<Option<Block>> {
        self.review(|verdict| verdict.get());
        let Some(end) = self.guess()? else {
            self.review(|verdict| Some(verdict.wait()));
            return Ok(None);
        };
        let Some(open) = &mut self.list else { return Ok(None) };
        let rest = self.rest.split_off(end);
        let bytes = std::mem::replace(&mut self.rest, rest);
        let (notation, line, preceding_len) = (open.list.notation(), self.line, open.len);
        self.line += line_ends(&bytes);
        open.len += bytes.len();
        let items = Items::new(Arc::clone(&open.list), Vec::new(), indent, None);
        let (range, syntax, number) = (0..bytes.len(), notation.syntax(), self.number);
        let block = self.block(bytes, vec![Ok(Piece { range, syntax, line, number, items: Some(items) })]);
        let verdict = Verdict::default();
        let previous = self.guesses.back().map(|guessed| Arc::clone(&guessed.verdict));
        let guess = Guess { verdict: Arc::clone(&verdict), previous, notation };
        self.guesses.push_back(Guessed { verdict, bytes: Arc::clone(&block.bytes), line, preceding_len });
        Ok(Some(Block { guess: Some(Arc::new(guess)), ..block }))
    }

    /// Reads a block's worth of text, and guesses where an item starts in it.
    fn guess(&mut self) -> io::Result<Option<usize>> {
        let want = self.size.saturating_sub(self.rest.len());
        let Some(Some(mark)) = self.list.as_ref().map(|open| open.mark.clone()) else { return Ok(None) };
        // Items that are too large are refused where they are cut in order.
        if self.ended || want == 0 || self.size > self.limit {
            return Ok(None);
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let read = self.read_more(want, &mut bytes);
        self.rest = bytes;
        read?;
        Ok(mark.last_in(&self.rest).filter(|_| !self.ended))
    }

    /// Forgets the blocks whose guesses are right, as far as `verdict` says so, or takes back the others.
    fn review(&mut self, verdict: impl Fn(&OnceLock<bool>) -> Option<&bool>) {
        while let Some(first) = self.guesses.front() {
            match verdict(&first.verdict) {
                None => return,
                Some(true) => drop(self.guesses.pop_front()),
                Some(false) => self.take_back(),
            }
        }
    }

    /// Takes back the text from the first block on, whose guess was wrong. The next block does not depend on when that
    /// is noticed.
    fn take_back(&mut self) {
        let (Some(first), Some(open)) = (self.guesses.pop_front(), &mut self.list) else { return };
        (self.line, open.len, open.mark) = (first.line, first.preceding_len, None);
        let mut text: Vec<u8> = Vec::new();
        self.guesses.drain(..).for_each(|guessed| text.extend_from_slice(&guessed.bytes));
        text.append(&mut self.rest);
        self.taken_back.read_to_end(&mut text).expect("impossible: memory can be read");
        if self.ended {
            (self.reader, self.ended) = (Box::new(&[][..]), false);
        }
        (self.rest, self.taken_back) = (first.bytes.to_vec(), Cursor::new(text));
    }
}

/// What the start of an item of a List probably looks like.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    notation: Notation,
    text: Vec<u8>,
}

impl Mark {
    /// The mark of the items in `text`, which begins with an item's line or inside the array of items; `None` if there
    /// is none.
    pub(super) fn of(notation: Notation, text: &[u8]) -> Option<Self> {
        let text = match notation {
            Notation::Block => {
                let dash = text.iter().position(|byte| *byte != b' ')?;
                [b"\n", &text[..dash], b"- "].concat()
            }
            // Indentation usually sets items apart from the objects inside them; without any, a second key does.
            Notation::Flow | Notation::Json => {
                let item = &text[memchr(b'{', text)?..];
                let mut colons = memchr_iter(b':', item);
                let first = colons.next()?;
                let end = if item[..first].contains(&b'\n') { first } else { colons.next()? };
                item[..end].to_vec()
            }
        };
        (text.len() <= MAX_MARK).then_some(Self { notation, text })
    }

    /// The offset at which a block would end before the last mark in `text`; `None` if there is no such mark, or a
    /// separator, which ends the document.
    fn last_in(&self, text: &[u8]) -> Option<usize> {
        if self.notation != Notation::Json && memmem::find(text, b"\n---").is_some() {
            return None;
        }
        let near = text.len().saturating_sub(NEAR);
        memmem::FinderRev::new(&self.text)
            .rfind_iter(&text[near..])
            .find_map(|at| self.end(&text[..near + at]))
    }

    /// The offset of the end of the item before a mark in `text`, which ends there; `None` if there is no such item.
    fn end(&self, text: &[u8]) -> Option<usize> {
        if self.notation == Notation::Block {
            return Some(text.len() + 1);
        }
        let with_comma = text.trim_ascii_end();
        let item = with_comma.strip_suffix(b",")?.trim_ascii_end();
        Some(if self.notation == Notation::Json { item.len() } else { with_comma.len() })
            .filter(|end| *end > 0)
    }
}

/// The items of `text`, with the index that was used; `None` if it does not certainly end with an item.
fn cut(notation: Notation, text: &[u8]) -> Option<(Vec<Range<usize>>, Option<Index>)> {
    let (cut, index) = match notation {
        Notation::Block => {
            let dash = text.iter().position(|byte| *byte != b' ')?;
            let (cut, index) = list::cut(text, dash, true);
            let is_right = cut.rest == ListEnd::Ended && !list::may_end(text);
            return is_right.then_some((cut.items, Some(index)));
        }
        Notation::Flow => (Cutting::of(text).cut, None),
        Notation::Json => {
            simdutf8::basic::from_utf8(text).ok()?;
            (json::list::cut(text, false), None)
        }
    };
    (cut.rest == ListEnd::Unread && cut.end == text.len()).then_some((cut.items, index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::source::Source;

    /// The texts of the items of a stream of many lines, and how many blocks were taken back. Up to `ahead` blocks are
    /// read before the first of them is cut.
    fn read(stream: &[u8], ahead: usize) -> (Vec<String>, usize) {
        let source = Source::memory("s", stream);
        let mut blocks = Blocks::open(&source).unwrap().with_size(100).with_guesses();
        let (mut items, mut taken_back) = (Vec::new(), 0);
        loop {
            let mut uncut = Vec::new();
            // Near its end, the stream waits for the guesses.
            while uncut.is_empty() || uncut.len() < ahead && blocks.line + 40 < line_ends(stream) {
                let Some(block) = blocks.next_block().unwrap() else { break };
                uncut.push(block);
            }
            if uncut.is_empty() {
                return (items, taken_back);
            }
            for mut block in uncut {
                if !block.cut() {
                    taken_back += 1;
                    continue;
                }
                for document in block.documents(&source) {
                    let document = document.unwrap();
                    let text = |item: &Range<usize>| {
                        String::from_utf8_lossy(&document.text[item.clone()]).into_owned()
                    };
                    items.extend(document.items.iter().flat_map(|items| &items.ranges).map(text));
                }
            }
        }
    }

    /// Checks the items of a stream, and how many blocks are taken back.
    #[track_caller]
    fn check(stream: &str, ahead: usize, expected: &[&str], expected_back: usize) {
        let (items, taken_back) = read(stream.as_bytes(), ahead);
        assert!(items == expected, "{} items", items.len());
        assert_eq!(taken_back, expected_back);
    }

    #[test]
    fn blocks_of_a_list_end_where_an_item_starts() {
        let item = "  - kind: Pod\n    spec:\n    - a\n";
        let list = format!("items:\n{}kind: PodList\n", item.repeat(40));
        check(&list, 4, &[item; 40], 0);
        let item = "{\n  kind: \"Pod\", spec: [{\n    a: 1 }] }";
        let list = format!("# a List\n{{items: [{}], kind: PodList}}\n", format!("{item},\n").repeat(40));
        check(&list, 4, &[item; 40], 0);
    }

    #[test]
    fn a_wrong_guess_is_taken_back_with_those_after_it() {
        let item = "{\n  kind: \"Pod\", spec: 1 }";
        let trap = "{\n  spec: 1, # }, {\n  kind: \"Pod\", a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10 }";
        let items = [&[item; 21][..], &[trap], &[item; 40]].concat();
        let list = format!("# a List\n{{items: [{}], kind: PodList}}\n", items.join(",\n"));
        check(&list, 1, &items, 1);
        check(&list, 4, &items, 4);
    }

    #[test]
    fn a_list_may_end_before_a_guess() {
        let item = "{\n\"kind\": \"Pod\"}";
        let list = format!("{{\"items\": [{}], \"kind\": \"PodList\"}}\n", [item; 20].join(",\n"));
        check(&list.repeat(4), 1, &[item; 80], 3);
    }

    #[test]
    fn objects_inside_an_item_do_not_look_like_one() {
        let item = "{\"kind\":\"Pod\",\"metadata\":{\"a\":[{\"kind\":\"b\"},{\"kind\":\"c\"}]}}";
        let list = format!("{{\"items\":[{}],\"kind\":\"PodList\"\n{:\n>99}}}", [item; 40].join(" ,"), "");
        check(&list, 1, &[item; 40], 0);
    }

    #[test]
    fn an_item_that_is_not_utf_8_is_mended() {
        let item = "{\n\"kind\": \"Pod\",\n\"spec\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
        let stream = format!("{{\"items\": [{}], \"kind\": \"PodList\"}}", [item; 40].join(",\n"));
        let at = stream[..1000].rfind("aaa").unwrap();
        let broken = [&stream.as_bytes()[..at], b"\xff", &stream.as_bytes()[at + 1..]].concat();
        let (items, taken_back) = read(&broken, 4);
        assert_eq!((items.len(), taken_back), (40, 3));
        assert_eq!(items.iter().filter(|item| item.contains("a\u{fffd}a")).count(), 1);
    }
}
