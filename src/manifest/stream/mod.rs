//! Cuts a stream into documents before they are parsed, exactly where kubectl cuts it.
//!
//! A stream is read in blocks, which are runs of complete documents or of items of a large List. Memory use is thus
//! limited by the block size and by the largest document or item. Blocks do not wait for slow input: a block ends with
//! the last complete document that has arrived. The boundaries of documents do not depend on those of blocks.
//!
//! *Compatibility* (errors-in-files): kubectl drops the rest of a file after an error; here, the rest is read.

use self::arriving::Stream;
use super::compression::{self, Decoder};
use super::document::{Document, Syntax};
use super::list::Items;
pub use super::source::{MAX_COMPRESSED_DOCUMENT, MAX_DOCUMENT};
use super::source::{Pass, Source};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use syntax::error::{Error, ErrorKind, Place};
use syntax::json::scan::blanks;
use syntax::simd::line_ends;

pub mod arriving;
mod json;
mod list;
mod open_list;
mod sniff;
mod unbroken;
mod words;
mod yaml;

use open_list::OpenList;
use sniff::{SNIFF, UTF8_BOM, sniffed, utf16};
pub use unbroken::unbroken;
use words::Between;

/// How much of a stream is read at once, in bytes: little enough to stay in the cache of one core while it is cut and
/// skimmed.
const BLOCK: usize = 512 << 10;

/// The initial capacity for a stream whose length is not known yet, in bytes: enough to read most files without
/// reallocation.
const ROOM: usize = 16 << 10;

/// The length of the longest word that is found in text that is not cut into documents, in bytes.
const LONGEST_WORD: usize = 64;

/// How many bytes show whether and how a stream is compressed.
const SIGNATURE: usize = 8;

/// A block with its source, or the error that ends the reading of the source.
pub type BlockOf<'s> = Result<(Block, &'s Source), Error>;

/// A run of complete documents, or of items of a large List. Clones share the text.
#[derive(Clone, Debug)]
pub struct Block {
    bytes: Arc<Vec<u8>>,
    pieces: Arc<Vec<Result<Piece, Error>>>,
    /// The text of the source before the bytes.
    skipped_prefix: Vec<u8>,
    /// The number of bytes that are not in the source.
    synthetic_len: usize,
    /// Whether the source has another encoding, so that the bytes differ from it.
    decoded: bool,
    /// Whether aliases may make a document much larger than its text.
    unfolds: bool,
    /// Whether the bytes are compressed in the source.
    compressed: bool,
    /// The number of bytes of the stream before it, after decompression and decoding.
    offset: u64,
}

#[derive(Debug)]
struct Piece {
    range: Range<usize>,
    syntax: Syntax,
    line: usize,
    number: usize,
    items: Option<Items>,
}

impl Block {
    /// The bytes that were read: documents and everything between them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part of the source that the block stands for, in two pieces. Those of all blocks together are the source.
    ///
    /// The first piece belongs to no document: a byte order mark, or the beginning of a List that is read item by item. The
    /// second one is the block without the beginning that the rest of such a List was given.
    pub fn source_text(&self) -> [&[u8]; 2] {
        [&self.skipped_prefix, &self.bytes[self.synthetic_len..]]
    }

    /// The length of the [part of the source](Block::source_text) in bytes.
    pub fn source_len(&self) -> usize {
        self.source_text().map(<[u8]>::len).iter().sum()
    }

    /// The offset in the part of the source of the byte at `at` of the block; `None` if the source does not have it.
    pub fn source_offset(&self, at: usize) -> Option<usize> {
        Some(self.skipped_prefix.len() + at.checked_sub(self.synthetic_len)?)
    }

    /// Whether the bytes were decoded from an encoding other than UTF-8, or had invalid UTF-8 replaced.
    pub fn is_decoded(&self) -> bool {
        self.decoded
    }

    /// Whether aliases may make a document much larger than its text, so that no other document should be read at the
    /// same time.
    pub fn unfolds(&self) -> bool {
        self.unfolds
    }

    /// Whether the bytes are compressed in the source.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The offset of a document of this block in its bytes.
    pub fn start_of(&self, document: &Document<'_>) -> usize {
        document.text.as_ptr() as usize - self.bytes.as_ptr() as usize
    }

    /// Whether its items may need the type of a List whose type has not been read yet.
    pub fn awaits_type(&self) -> bool {
        self.items().any(|items| !items.list.is_known())
    }

    /// Whether an item that was read lacks a type, while the type of its List was unknown. The block must then be read
    /// again once it is known.
    pub fn lacks_type(&self) -> bool {
        self.items().any(Items::lacks_type)
    }

    fn items(&self) -> impl Iterator<Item = &Items> {
        self.pieces.iter().flatten().filter_map(|piece| piece.items.as_ref())
    }

    /// A copy of the block in which ranges of its bytes are replaced. The ranges are in order, do not overlap, and do
    /// not cross the boundaries of documents.
    pub fn spliced(&self, splices: &[(Range<usize>, Vec<u8>)]) -> Block {
        let mut bytes = Vec::with_capacity(self.bytes.len() + splices.len() * 64);
        let mut copied = 0;
        for (range, text) in splices {
            bytes.extend_from_slice(&self.bytes[copied..range.start]);
            bytes.extend_from_slice(text);
            copied = range.end;
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        let mut splices = splices.iter().peekable();
        let (mut added, mut removed) = (0, 0);
        let mut moved = |at: usize, is_start: bool| {
            // What is inserted where a document starts is a part of it.
            let is_before =
                |range: &Range<usize>| range.end < at || range.end == at && !(is_start && range.is_empty());
            while let Some((range, text)) = splices.next_if(|(range, _)| is_before(range)) {
                added += text.len();
                removed += range.len();
            }
            at + added - removed
        };
        let mut end = None;
        let pieces = self.pieces.iter().map(|piece| {
            let Piece { range, items, syntax, line, number } = piece.as_ref().map_err(Error::clone)?;
            let start = moved(range.start, end.replace(range.end) != Some(range.start));
            let items = items.as_ref().map(|items| {
                let item = |item: &Range<usize>| {
                    moved(range.start + item.start, false)..moved(range.start + item.end, false)
                };
                let ranges = items.ranges.iter().map(item).map(|item| item.start - start..item.end - start);
                Items::new(Arc::clone(&items.list), ranges.collect(), None)
            });
            let range = start..moved(range.end, false);
            Ok(Piece { range, items, syntax: *syntax, line: *line, number: *number })
        });
        Block { pieces: Arc::new(pieces.collect()), bytes: Arc::new(bytes), ..self.clone() }
    }

    /// The documents and the errors between them, in the order of the stream.
    pub fn documents<'t>(
        &'t self,
        source: &'t Source,
    ) -> impl Iterator<Item = Result<Document<'t>, Error>> + use<'t> {
        self.pieces.iter().map(move |piece| {
            let Piece { range, syntax, line, number, items } = piece.as_ref().map_err(Error::clone)?;
            let (text, items) = (&self.bytes[range.clone()], items.as_ref());
            let offset = self.offset.wrapping_add(range.start as u64);
            let mut document = Document::new(text, *syntax, source).at(*line, *number);
            (document.items, document.offset) = (items, offset);
            Ok(document)
        })
    }
}

/// The blocks of a source.
pub struct Blocks {
    source: Source,
    reader: Box<dyn Stream>,
    pass: Pass,
    /// Why the stream cannot be read any further. It is returned after everything that was read before.
    failed: Option<io::Error>,
    /// Whether the stream is compressed.
    compressed: bool,
    /// Whether the stream has been read to its end.
    ended: bool,
    /// How much is read at once, in bytes.
    size: usize,
    /// The maximum size of a document in bytes.
    limit: usize,
    /// The bytes that belong to the next block.
    rest: Vec<u8>,
    state: State,
    /// The number of bytes of the stream in the blocks so far.
    offset: u64,
    cut: Splitter,
    /// The properties of the next block's bytes.
    skipped_prefix: Vec<u8>,
    synthetic_len: usize,
    decoded: bool,
}

/// What precedes the part of a YAML stream that is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing: this is the start of the stream.
    Nothing,
    /// A separator, unless its line is the first of the text.
    Separator,
    /// An invalid separator, which makes the document unreadable.
    Damage,
    /// The items of a List, the rest of which follows.
    Items,
    /// The rewritten beginning of the document, which is read as a whole.
    Start,
    /// The rewritten beginning of a document whose fields before the items are repeated after them.
    Repeated,
}

/// What comes next in a stream.
#[derive(Debug)]
enum State {
    Start,
    /// The text of a YAML stream.
    Yaml(Before),
    /// Items of a YAML List.
    Items,
    /// The values of a JSON stream, after this many others.
    Json {
        values: usize,
    },
    /// Prose between values or documents.
    Words {
        between: Between,
        /// Whether it is inside the logs of a container.
        in_logs: bool,
    },
    /// Items of a JSON List after this many values; `first` if no item has been read.
    JsonItems {
        first: bool,
        values: usize,
    },
    /// The rest of a JSON List after its items; the List is among the values.
    JsonTail {
        values: usize,
    },
    /// Text that cannot be read, because of the error before it.
    Unreadable,
    /// Text that is not cut into documents.
    Text,
    Done,
}

impl Blocks {
    /// Opens `source`, which may be read again, and decompresses it if necessary.
    pub fn open(source: &Source) -> io::Result<Self> {
        Ok(Self::of(source, source.open(Pass::Earlier)?, Pass::Earlier))
    }

    /// The blocks of `source`, which are read from `reader`.
    pub fn of(source: &Source, reader: Box<dyn Stream>, pass: Pass) -> Self {
        Self {
            source: source.clone(),
            reader,
            pass,
            failed: None,
            compressed: false,
            ended: false,
            size: BLOCK,
            limit: source.max_document,
            rest: Vec::with_capacity(ROOM),
            state: State::Start,
            offset: 0,
            cut: Splitter {
                name: Arc::clone(&source.name),
                json_only: source.json_only,
                line: 1,
                number: 0,
                pieces: Vec::new(),
                list: None,
            },
            skipped_prefix: Vec::new(),
            synthetic_len: 0,
            decoded: false,
        }
    }

    /// Sets whether the reader decompresses the source.
    pub fn compressed(mut self, compressed: bool) -> Self {
        if compressed {
            (self.compressed, self.limit) = (true, self.limit.min(MAX_COMPRESSED_DOCUMENT));
        }
        self
    }

    /// Sets about how many bytes are read at once. The boundaries of documents do not depend on it.
    pub fn with_size(mut self, size: usize) -> Self {
        self.size = size;
        self
    }

    /// Whether all of the stream has been read, so that the next block, if any, is available at once.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Appends up to `want` bytes to `bytes`: fewer if the stream ends or if no more has arrived. Returns how many; none if
    /// the stream breaks off in what `bytes` already had.
    ///
    /// # Errors
    ///
    /// `bytes` is too large without containing the end of a document. Errors of the reader are returned later, after
    /// everything that was read; an incomplete document or item before such an error is dropped.
    fn read(&mut self, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let before = bytes.len();
        let want = want.min((self.limit + 1).saturating_sub(before));
        while !self.ended && bytes.len() < before + want && (bytes.len() == before || self.reader.is_ready())
        {
            self.ended = match self.reader.read_some(before + want - bytes.len(), bytes) {
                Ok(ended) => ended,
                Err(error) => {
                    if !compression::is_after_the_end(&error) {
                        bytes.truncate(unbroken(bytes));
                    }
                    self.failed = Some(if self.compressed { compression::damaged(&error) } else { error });
                    true
                }
            };
        }
        if bytes.len() > self.limit {
            let (line, limit) = (self.cut.line, self.limit >> 20);
            return Err(io::Error::other(format!("the document at line {line} has more than {limit} MiB")));
        }
        Ok(bytes.len().saturating_sub(before))
    }

    /// Reads more of a stream that continues: reserves the capacity at once, to avoid repeated reallocation. What
    /// a short rest of the last block leaves free is too little: blocks of a few bytes each would cost far more than their
    /// text.
    fn read_more(&mut self, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        if !self.ended && bytes.capacity() - bytes.len() < ROOM.min(want) {
            bytes.reserve_exact(want);
        }
        let want = want.min(bytes.capacity() - bytes.len());
        self.read(want, bytes)
    }

    /// The next run of documents; `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// The stream cannot be read, or a document is larger than [`MAX_DOCUMENT`]; nothing can be read after that.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        if let State::Start = self.state {
            self.start()?;
        }
        match std::mem::replace(&mut self.state, State::Done) {
            State::Start | State::Done => self.failed.take().map_or(Ok(None), Err),
            State::Yaml(before) => self.yaml_block(before).map(Some),
            State::Items => self.items_block().map(Some),
            State::Json { values } => self.json_block(values).map(Some),
            State::Words { between, in_logs } => self.words_block(between, in_logs, false).map(Some),
            State::JsonItems { first, values } => self.json_items_block(first, values).map(Some),
            State::JsonTail { values } => self.json_tail(values).map(Some),
            State::Unreadable | State::Text => self.uncut_block(),
        }
    }

    /// A block of all text that has arrived. If its words matter, the next one begins with its end, which may have half a word.
    fn uncut_block(&mut self) -> io::Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        if !self.ended && bytes.len() < self.size {
            self.read(self.size, &mut bytes)?;
        }
        if bytes.is_empty() {
            return self.failed.take().map_or(Ok(None), Err);
        }
        self.state = State::Unreadable;
        if self.pass == Pass::Text {
            self.state = State::Text;
            let overlap = if self.ended { 0 } else { LONGEST_WORD };
            self.rest = bytes[bytes.len().saturating_sub(overlap)..].to_vec();
        }
        Ok(Some(self.block(bytes)))
    }

    /// Skips prose, which is reported once, when `is_first`.
    fn words_block(&mut self, between: Between, in_logs: bool, is_first: bool) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let (mut end, mut left) = words::words(&bytes, between, in_logs, self.ended);
        while end == 0 && left.is_some() && !self.ended {
            let want = bytes.len().max(self.size);
            self.read_more(want, &mut bytes)?;
            (end, left) = words::words(&bytes, between, in_logs, self.ended);
        }
        self.rest = bytes.split_off(end);
        let cut = &mut self.cut;
        let start = if is_first { blanks(&bytes, 0) } else { 0 };
        cut.advance(&bytes[..start]);
        if is_first {
            cut.pieces.push(Err(Error::new(cut.place(), ErrorKind::Words)));
        }
        cut.advance(&bytes[start..]);
        self.state = match left {
            Some(in_logs) => State::Words { between, in_logs },
            None => match between {
                Between::Values(values) => State::Json { values },
                Between::Documents => State::Yaml(Before::Separator),
            },
        };
        Ok(self.block(bytes))
    }

    /// Reads the beginning of the stream, decodes it, and determines its syntax.
    fn start(&mut self) -> io::Result<()> {
        let mut start = std::mem::take(&mut self.rest);
        self.read(self.size.max(SIGNATURE), &mut start)?;
        if compression::is_compressed(&start) {
            let rest = std::mem::replace(&mut self.reader, Box::new(&[][..]));
            self.reader = Box::new(Decoder::new(std::mem::take(&mut start), rest));
            (self.compressed, self.ended) = (true, false);
            self.limit = self.limit.min(MAX_COMPRESSED_DOCUMENT);
            self.read(self.size.max(SIGNATURE), &mut start)?;
        }
        let is_blank = |start: &[u8]| start.len() < SNIFF && sniffed(start).is_none();
        while !self.ended && (start.len() < UTF8_BOM.len() || is_blank(&start)) {
            self.read(SNIFF, &mut start)?;
        }
        if utf16(&start).is_some() {
            while !self.ended {
                self.read(usize::MAX, &mut start)?;
            }
        }
        self.rest = start;
        if self.rest.starts_with(UTF8_BOM) {
            self.rest.drain(..UTF8_BOM.len());
            self.skipped_prefix.extend_from_slice(UTF8_BOM);
            while !self.ended && is_blank(&self.rest) {
                let mut rest = std::mem::take(&mut self.rest);
                self.read(SNIFF, &mut rest)?;
                self.rest = rest;
            }
        } else if let Some(decode) = utf16(&self.rest) {
            self.decoded = true;
            let units = self.rest[2..].chunks(2).map(|unit| decode([unit[0], *unit.get(1).unwrap_or(&0)]));
            self.rest = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect::<String>()
                .into_bytes();
        }
        let json = sniffed(&self.rest) == Some('{');
        self.state = match (self.pass, json) {
            (Pass::Text, _) => State::Text,
            (_, true) => State::Json { values: 0 },
            (_, false) => State::Yaml(Before::Nothing),
        };
        Ok(())
    }

    /// The next block, with the pieces that were cut from its `bytes`.
    fn block(&mut self, bytes: Vec<u8>) -> Block {
        let (skipped_prefix, synthetic_len) =
            (std::mem::take(&mut self.skipped_prefix), std::mem::take(&mut self.synthetic_len));
        let offset = self.offset.wrapping_add(skipped_prefix.len() as u64).wrapping_sub(synthetic_len as u64);
        self.offset = offset.wrapping_add(bytes.len() as u64);
        let (bytes, pieces) = (Arc::new(bytes), Arc::new(std::mem::take(&mut self.cut.pieces)));
        Block {
            bytes,
            pieces,
            skipped_prefix,
            synthetic_len,
            decoded: self.decoded,
            unfolds: false,
            compressed: self.compressed,
            offset,
        }
    }
}

impl Drop for Blocks {
    /// A List whose end is never read gives its items no type.
    fn drop(&mut self) {
        self.cut.drop_list();
    }
}

/// Cuts the text of blocks, and counts lines and documents.
struct Splitter {
    /// The name of the source.
    name: Arc<str>,
    /// Whether text that begins as JSON has to be JSON.
    json_only: bool,
    /// The line on which the text that has not been cut starts, 1-based.
    line: usize,
    /// The number of documents before that text.
    number: usize,
    /// The pieces of the next block.
    pieces: Vec<Result<Piece, Error>>,
    /// The large List whose items have been read, but not its end.
    list: Option<OpenList>,
}

impl Splitter {
    /// Adds the document at `range`, unless it has no content, and counts its lines.
    fn piece(&mut self, bytes: &[u8], range: Range<usize>, syntax: Syntax) {
        let text = &bytes[range.clone()];
        if has_content(text) {
            self.number += 1;
            let (line, number) = (self.line, self.number);
            self.pieces.push(Ok(Piece { range, syntax, line, number, items: None }));
        }
        self.advance(text);
    }

    /// Reads `text`, the part of a List after its items, and counts its lines.
    fn list_tail(&mut self, text: &[u8]) {
        if let Some(open) = self.list.take()
            && let Err((kind, at)) = open.list.read_tail(text, open.is_one_line(self.line))
        {
            let place = match kind {
                ErrorKind::KindMissing { .. } => open.list.place.clone(),
                _ => Place { line: Some(self.line + line_ends(&text[..at])), ..self.place() },
            };
            self.pieces.push(Err(Error::in_text(text, at, place, kind)));
        }
        self.advance(text);
    }

    /// Gives up the open List, if there is one: it gives its items no type.
    fn drop_list(&mut self) {
        if let Some(open) = self.list.take() {
            open.list.settle(None);
        }
    }

    fn advance(&mut self, text: &[u8]) {
        self.line += line_ends(text);
    }

    /// The place of the next line.
    fn place(&self) -> Place {
        Place { source: Arc::clone(&self.name), line: Some(self.line), document: Some(self.number) }
    }
}

/// Whether a document contains more than blanks and the separator before the first document.
fn has_content(text: &[u8]) -> bool {
    !text.strip_prefix(b"---").unwrap_or(text).trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_item_of_json_is_lost_when_its_text_is_mended() {
        let source = Source::memory("s.json", b"{\"items\": [a\xff, {}, \xff, 5]}");
        for size in [1, 8, 1 << 20] {
            let mut blocks = Blocks::open(&source).unwrap().with_size(size);
            let blocks: Vec<Block> = std::iter::from_fn(|| blocks.next_block().unwrap()).collect();
            let items = blocks.iter().flat_map(|block| block.documents(&source)).filter_map(|document| {
                let document = document.ok()?;
                let text = |range: &Range<usize>| {
                    String::from_utf8_lossy(&document.text[range.clone()]).into_owned()
                };
                Some(document.items?.ranges.iter().map(text).collect::<Vec<_>>())
            });
            let items: Vec<String> = items.flatten().collect();
            assert_eq!(items, ["a\u{fffd}", "{}", "\u{fffd}", "5"], "in blocks of {size}");
        }
    }

    /// A document's text, syntax, line and number, or an error's message.
    type Read = Result<(Vec<u8>, Syntax, usize, usize), String>;

    /// The contents of a stream's blocks.
    fn read(stream: &[u8], size: usize) -> Vec<Read> {
        let source = Source::memory("s.yaml", stream);
        let mut blocks = Blocks::open(&source).unwrap().with_size(size);
        let mut read = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            read.extend(block.documents(&source).map(|document| match document {
                Ok(Document { text, syntax, line, number, .. }) => {
                    Ok((text.to_owned(), syntax, line, number))
                }
                Err(error) => Err(error.to_string()),
            }));
        }
        read
    }

    /// Checks the documents as `LINE:TEXT`, and the messages of errors.
    #[track_caller]
    fn check(stream: impl AsRef<[u8]>, expected: &[&str]) {
        let shown = |document: Read| match document {
            Ok((text, _, line, _)) => format!("{line}:{}", String::from_utf8_lossy(&text)),
            Err(message) => message,
        };
        let documents: Vec<String> = read(stream.as_ref(), BLOCK).into_iter().map(shown).collect();
        assert_eq!(documents, expected);
    }

    #[test]
    fn separator_lines_cut_a_stream() {
        check("a: 1\n---\nb: 2\n", &["1:a: 1\n", "3:b: 2\n"]);
        check(
            "a: 1\n--- # c\nb: 2\n---\t\nc: 3\n---# c\nd: 4",
            &["1:a: 1\n", "3:b: 2\n", "5:c: 3\n", "7:d: 4"],
        );
        check("a: 1\r\n---\r\nb: 2\r\n", &["1:a: 1\r\n", "3:b: 2\r\n"]);
        check("a: 1\n---", &["1:a: 1\n"]);
    }

    #[test]
    fn what_has_no_end_is_an_error_before_it_fills_the_memory() {
        let endless = ["-".repeat(5 << 20), "a: 1\n".repeat(1 << 20), "{\"a\": 1,\n".repeat(1 << 20)];
        for stream in endless.map(|stream| format!("{:SNIFF$}\n---\n{stream}", "#")) {
            let source = Source::memory("s.yaml", stream.as_bytes());
            let mut blocks = Blocks::open(&source).unwrap().with_size(1 << 10);
            blocks.limit = 3 << 20;
            let error = std::iter::from_fn(|| blocks.next_block().transpose()).find_map(Result::err);
            assert_eq!(error.unwrap().to_string(), "the document at line 2 has more than 3 MiB");
        }
    }

    #[test]
    fn a_stream_that_breaks_off_ends_before_its_last_document() {
        struct Broken(&'static [u8]);
        impl io::Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.0.is_empty() { Err(io::Error::other("gone")) } else { self.0.read(buffer) }
            }
        }
        impl Stream for Broken {}
        for size in 1..40 {
            let stream = Box::new(Broken(b"a: 1\n---\nb: [1,\n  2, 3"));
            let mut blocks =
                Blocks::of(&Source::memory("a.yaml", b""), stream, Pass::Earlier).with_size(size);
            let mut text = Vec::new();
            let error = loop {
                match blocks.next_block() {
                    Ok(Some(block)) => text.extend_from_slice(block.bytes()),
                    Ok(None) => panic!("not the end"),
                    Err(error) => break error,
                }
            };
            assert_eq!(
                (String::from_utf8_lossy(&text).trim_end(), &*error.to_string()),
                ("a: 1", "gone"),
                "{size}"
            );
        }
    }

    #[test]
    fn separators_count_inside_scalars_and_not_when_indented() {
        check("a: |\n  b\n---\n  c\n", &["1:a: |\n  b\n", "4:  c\n"]);
        check("a: 1\n ---\nb: 2\n", &["1:a: 1\n ---\nb: 2\n"]);
    }

    #[test]
    fn blank_documents_are_left_out() {
        check("", &[]);
        check(" \n\n", &[]);
        check("---\n---\n\n---\na: 1\n---\n", &["5:a: 1\n"]);
    }

    #[test]
    fn a_stream_of_separators_is_read_in_large_blocks() {
        let source = Source::memory("s.yaml", &b"---\n".repeat(1 << 20));
        let mut blocks = Blocks::open(&source).unwrap();
        let count = std::iter::from_fn(|| blocks.next_block().unwrap()).count();
        assert!(count < 300, "{count} blocks of 4 MiB");
    }

    #[test]
    fn dashes_that_separate_nothing_are_content() {
        check(" ---\n", &["1: ---\n"]);
        check("---\n ---\n", &["1:---\n ---\n"]);
    }

    #[test]
    fn blank_documents_are_not_counted() {
        let read = read(b"---\n---\na: 1\n---\n\n---\nb: 2\n", BLOCK);
        let numbers: Vec<usize> = read.into_iter().flatten().map(|(.., number)| number).collect();
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn a_separator_before_all_documents_belongs_to_the_first() {
        check("---\na: 1\n", &["1:---\na: 1\n"]);
    }

    #[test]
    fn a_broken_separator_costs_the_document_before_it() {
        check(
            "a: 1\n---foo\nb: 2\n---\nc: 3\n",
            &["s.yaml:2 (document 1): invalid Yaml document separator: foo", "5:c: 3\n"],
        );
    }

    #[test]
    fn byte_order_marks_are_taken_away_and_utf_16_is_decoded() {
        check("\u{feff}a: 1\n", &["1:a: 1\n"]);
        let units = || "\u{feff}a: \u{fc}\n---\nb: 2\n".encode_utf16();
        let documents = ["1:a: \u{fc}\n", "3:b: 2\n"];
        check(units().flat_map(u16::to_le_bytes).collect::<Vec<_>>(), &documents);
        check(units().flat_map(u16::to_be_bytes).collect::<Vec<_>>(), &documents);
    }

    #[test]
    fn a_brace_at_the_start_makes_a_stream_of_json_values() {
        check("{\"a\":1}{\"b\":2}\n\n{\"c\":3}", &["1:{\"a\":1}", "1:{\"b\":2}", "3:{\"c\":3}"]);
        check("# c\n{\"a\":1}\n", &["1:# c\n{\"a\":1}\n"]);
    }

    #[test]
    fn json_values_are_read_as_they_come() {
        for end in ["", "{]", "{\"a\": \"\u{fffd}\"}\n\n"] {
            let stream = format!("{{{:SNIFF$}}}{}{end}", "", "{\"a\": 1}\n{\"b\": [{}]} ".repeat(1_000));
            let source = Source::memory("s.json", stream.as_bytes());
            let mut blocks = Blocks::open(&source).unwrap().with_size(64);
            assert!(std::iter::from_fn(|| blocks.next_block().unwrap()).count() > 10);
            let (documents, whole) = (read(stream.as_bytes(), 64), read(stream.as_bytes(), BLOCK));
            assert!(documents == whole, "{} documents, {} as a whole", documents.len(), whole.len());
        }
    }

    #[test]
    fn words_between_json_values_are_one_error_and_hide_no_value() {
        let logs = "==== START logs for container a of pod b/c ====\n{\"a\": 1}\n---\n==== END logs for container a of pod b/c ====\n";
        let stream = format!(
            "{{\"a\": 1}}\n{logs}{logs}{{\"b\": 2}}\nCluster info dumped to standard output\n{{\"c\": 3}}"
        );
        let words = |line: usize| format!("s.yaml:{line} (document 1): this is text, not a document");
        let documents = [
            "1:{\"a\": 1}",
            &words(2),
            "10:{\"b\": 2}",
            &words(11).replace("document 1", "document 2"),
            "12:{\"c\": 3}",
        ];
        check(&stream, &documents);
        for size in [1, 7, 40, 100] {
            assert_eq!(read(stream.as_bytes(), size), read(stream.as_bytes(), BLOCK), "{size}");
        }
    }

    #[test]
    fn logs_between_yaml_documents_are_one_error_and_hide_no_document() {
        let log = |text: &str| {
            format!(
                "==== START logs for container a of pod b/c ====\n{text}==== END logs for container a of pod b/c ====\n"
            )
        };
        let logs = log("kind: Pod\n---\n- a\n---broken\n") + &log("") + &log("no line end");
        let stream = format!(
            "a: 1\n{logs}---\nb: 2\n--- # c\nitems:\n- c: 3\n{logs}Cluster info dumped to standard output\nd: 4\n{logs}"
        );
        let words = |line: usize, document: usize| {
            format!("s.yaml:{line} (document {document}): this is text, not a document")
        };
        let documents = [
            "1:a: 1\n",
            &words(2, 1),
            "13:b: 2\n",
            "15:items:\n- c: 3\n",
            &words(17, 3),
            "28:d: 4\n",
            &words(29, 4),
        ];
        check(&stream, &documents);
        for size in [1, 7, 40, 100] {
            assert_eq!(read(stream.as_bytes(), size), read(stream.as_bytes(), BLOCK), "{size}");
        }
        check(&logs, &[&words(1, 0)]);
    }

    #[test]
    fn headings_between_yaml_documents_are_one_error_each() {
        let words = |line: usize, document: usize| {
            format!("s.yaml:{line} (document {document}): this is text, not a document")
        };
        let stream = "=== pods ===\na: 1\n== services\nNo resources found in shop namespace\n\nb: |\n  ==\n=======\n---\nc: =\n";
        check(stream, &[&words(1, 0), "2:a: 1\n", &words(3, 1), "6:b: |\n  ==\n", &words(8, 2), "10:c: =\n"]);
        for size in [1, 7, 40] {
            assert_eq!(read(stream.as_bytes(), size), read(stream.as_bytes(), BLOCK), "{size}");
        }
    }

    #[test]
    fn what_is_not_json_after_one_value_is_yaml() {
        check("{a: 1}\n---\nb: 2\n", &["1:{a: 1}\n", "3:b: 2\n"]);
        check("{\"a\":1}\n---\nb: 2\n", &["1:{\"a\":1}", "3:b: 2\n"]);
        check(
            "{\"a\":1}\n{\"b\":2}\n---\nc: 3\n",
            &["1:{\"a\":1}", "2:{\"b\":2}", "s.yaml:3 (document 3): json: invalid number"],
        );
    }

    /// Streams made of pieces that affect where they are cut.
    fn stream() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(
            &[
                "a: 1\n",
                "---\n",
                "---",
                "--- # c\n",
                "---\r\n",
                "---foo\n",
                "\n",
                " \n",
                "x",
                "\r\n",
                "--",
                "-",
                " ",
                "# c\n",
                "a: |\n  b\n",
                "{}",
                "{\"a\": 1}\n",
                "\u{feff}",
                "\u{fc}",
                "...\n",
            ][..],
        );
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_size_of_the_blocks_does_not_matter(stream in stream(), size in 1_usize..40) {
            let stream = format!("{:SNIFF$}\n{stream}", "");
            prop_assert_eq!(read(stream.as_bytes(), size), read(stream.as_bytes(), BLOCK));
        }

        #[test]
        fn between_documents_stand_separators_and_blanks_only(stream in stream(), size in 1_usize..40) {
            // A text that begins with a comment is not JSON.
            let stream = format!("#\n{stream}");
            let documents = read(stream.as_bytes(), size);
            prop_assume!(documents.iter().all(Result::is_ok));
            let lines: Vec<&str> = stream.split_inclusive('\n').collect();
            let dropped = |line: &&str| line.trim().is_empty() || line.starts_with("---");
            let mut next = 0;
            for (document, _, line, _) in documents.into_iter().flatten() {
                prop_assert!(lines[next..line - 1].iter().all(dropped), "{stream:?}");
                let count = document.split_inclusive(|&byte| byte == b'\n').count();
                next = line - 1 + count;
                prop_assert_eq!(lines[line - 1..next].concat().into_bytes(), document, "{:?}", stream);
            }
            prop_assert!(lines[next..].iter().all(dropped), "{stream:?}");
        }

        #[test]
        fn no_bytes_stop_the_cut(bytes in prop::collection::vec(any::<u8>(), 0..100), size in 1_usize..40) {
            read(&bytes, size);
        }
    }
}
