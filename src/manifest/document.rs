//! A stream cut into documents, before any parsing, exactly where kubectl cuts it.
//!
//! A stream is read in blocks, each a run of whole documents, so that memory is bounded by the block size and
//! the largest document. The cut is by lines (apimachinery, util/yaml/decoder.go): a line that starts with
//! `---` separates, whatever it stands in, and may hold nothing else but a comment. A stream whose first
//! character is `{` is a sequence of JSON values.
//!
//! *Compatibility*: kubectl drops the rest of a file after an error; here what follows is read.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::error::{Error, ErrorKind, Place};
use super::head::Head;
use super::json;
use super::json_list::{self, ListStart};
use super::source::Source;
use super::yaml;
use super::yaml::head::{Skimmed, skim};
use super::yaml::index::Index;
use super::yaml::list::{self, Rest};

/// How much of a stream is read at once, in bytes: so little that it stays in a core's own cache while it is cut and
/// skimmed.
const BLOCK: usize = 512 << 10;

/// How much room is made for a stream before its length is known, in bytes: enough for most files, which are
/// then read without moving what was read.
const ROOM: usize = 16 << 10;

/// How far the first character is looked for that tells JSON from YAML, in bytes.
const SNIFF: usize = 4096;

/// How large one document may be, or one item of a List that is read item by item, in bytes: 1 GiB. What a cluster
/// stores has 1.5 MiB at most, so that this stops nothing but endless input, before it fills the memory.
pub const MAX_DOCUMENT: usize = 1 << 30;

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// YAML, which a JSON text inside a YAML stream is too.
    Yaml,
    /// One JSON value of a JSON stream.
    Json,
}

/// The items of a List that is too large to be read as a whole: a run of them, as they stand in the text.
#[derive(Clone, Debug)]
pub struct Items {
    /// The List's `apiVersion`; empty if it stands behind the items.
    pub api_version: String,
    /// The List's `kind`; empty if it stands behind the items.
    pub kind: String,
    /// Where the items stand in the text.
    pub ranges: Vec<Range<usize>>,
    /// The column of the items' content in YAML, two behind the dash; 0 in JSON.
    pub indent: usize,
    /// What stands where in the text, if that is known from cutting it.
    pub marks: Option<Index>,
}

/// A document, or a run of the items of a large List: a slice of its stream, and where that stands.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    /// The text, without the separators around it. The first document of a stream keeps a `---` line before it.
    pub text: &'t [u8],
    /// What it is written in.
    pub syntax: Syntax,
    /// Where it comes from.
    pub source: &'t Source,
    /// The line of the source on which the text starts, 1-based.
    pub line: usize,
    /// The document's number in the source, 1-based.
    pub number: usize,
    /// The items if the text is a run of them and no document.
    pub items: Option<&'t Items>,
}

impl Document<'_> {
    /// The line of the source on which the byte at `offset` of the text stands, 1-based.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line + memchr_iter(b'\n', &self.text[..offset.min(self.text.len())]).count()
    }

    /// The place of the byte at `offset` of the text.
    pub fn place(&self, offset: usize) -> Place {
        let source = self.source.name.clone();
        Place { source, line: Some(self.line_of(offset)), document: Some(self.number) }
    }

    /// An error about the byte at `offset` of the text.
    pub fn error(&self, offset: usize, kind: ErrorKind) -> Error {
        Error::in_text(self.text, offset, self.place(offset), kind)
    }

    /// The offset of the first line that is neither blank nor a comment nor a separator; 0 when there is none.
    pub fn content(&self) -> usize {
        let mut at = 0;
        for line in self.text.split_inclusive(|&byte| byte == b'\n') {
            let trimmed = line.trim_ascii();
            if !(trimmed.is_empty() || trimmed[0] == b'#' || line.starts_with(b"---")) {
                return at + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            }
            at += line.len();
        }
        0
    }
}

/// A run of whole documents.
#[derive(Debug)]
pub struct Block {
    bytes: Vec<u8>,
    pieces: Vec<Result<Piece, Error>>,
    /// What stands before the bytes and is not among them.
    lead: Vec<u8>,
    /// How many of the bytes are not in the source.
    invented: usize,
    /// Whether the bytes are not those of the source, which is in another encoding.
    decoded: bool,
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
    /// What was read: the documents and all that stands between them. With [`Block::lead`] before each and
    /// without what is invented, the bytes of all blocks are the source.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What stands in the source before the bytes and belongs to no document: a byte order mark, the head of a
    /// List that is read item by item.
    pub fn lead(&self) -> &[u8] {
        &self.lead
    }

    /// How many of the first bytes are not in the source: the head that the rest of a List was given.
    pub fn invented(&self) -> usize {
        self.invented
    }

    /// Whether the bytes were decoded from another encoding than UTF-8, or mended where they broke it.
    pub fn is_decoded(&self) -> bool {
        self.decoded
    }

    /// Where a document of this block starts in its bytes.
    pub fn start_of(&self, document: &Document<'_>) -> usize {
        document.text.as_ptr() as usize - self.bytes.as_ptr() as usize
    }

    /// The block with each range of its bytes replaced by a text, as long as no document is cut by that. The
    /// ranges are in order, without overlaps.
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
        let mut moved = |at: usize| {
            while let Some((range, text)) = splices.next_if(|(range, _)| range.end <= at) {
                added += text.len();
                removed += range.len();
            }
            at + added - removed
        };
        let pieces = self.pieces.iter().map(|piece| {
            let Piece { range, items, syntax, line, number } = piece.as_ref().map_err(Error::clone)?;
            let start = moved(range.start);
            let items = items.as_ref().map(|items| {
                let item =
                    |item: &Range<usize>| moved(range.start + item.start)..moved(range.start + item.end);
                let ranges = items.ranges.iter().map(item).map(|item| item.start - start..item.end - start);
                let (api_version, kind) = (items.api_version.clone(), items.kind.clone());
                Items { api_version, kind, ranges: ranges.collect(), indent: items.indent, marks: None }
            });
            let range = start..moved(range.end);
            Ok(Piece { range, items, syntax: *syntax, line: *line, number: *number })
        });
        let (lead, invented, decoded) = (self.lead.clone(), self.invented, self.decoded);
        Block { pieces: pieces.collect(), bytes, lead, invented, decoded }
    }

    /// The documents, and what is wrong between them, in the order of the stream.
    pub fn documents<'t>(
        &'t self,
        source: &'t Source,
    ) -> impl Iterator<Item = Result<Document<'t>, Error>> + use<'t> {
        self.pieces.iter().map(move |piece| {
            let Piece { range, syntax, line, number, items } = piece.as_ref().map_err(Error::clone)?;
            let (text, items) = (&self.bytes[range.clone()], items.as_ref());
            Ok(Document { text, syntax: *syntax, source, line: *line, number: *number, items })
        })
    }
}

/// The blocks of a source.
pub struct Blocks<'s> {
    source: &'s Source,
    reader: Box<dyn Read + Send + 's>,
    /// Whether nothing is left to be read.
    ended: bool,
    /// How much is read at once, in bytes.
    size: usize,
    /// How large a document may be, in bytes: [`MAX_DOCUMENT`].
    limit: usize,
    /// What was read and belongs to the next block.
    rest: Vec<u8>,
    state: State,
    /// The line on which `rest` starts, 1-based.
    line: usize,
    /// The documents before `rest`.
    number: usize,
    /// What the next block says of its bytes.
    lead: Vec<u8>,
    invented: usize,
    decoded: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// Within a YAML stream.
    Yaml(Before),
    /// Within the items of a YAML List.
    Items {
        api_version: String,
        kind: String,
        dash: usize,
    },
    /// Within a JSON stream of which so many values were read.
    Json {
        values: usize,
    },
    /// Within the items of a JSON List, behind so many values; `first` when none was read yet.
    JsonItems {
        list: ListStart,
        first: bool,
        values: usize,
    },
    /// Behind the items of a JSON List, which counts among the values.
    JsonTail {
        values: usize,
    },
    Done,
}

/// What stands before the text of a YAML stream that is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing: this is the start of the stream.
    Nothing,
    /// A separator, or its line is the first of the text.
    Separator,
    /// A broken separator, which spoils the document.
    Damage,
    /// The items of a List, the rest of which follows.
    Items,
    /// The document's own start, rewritten: it is read as a whole.
    Start,
}

impl<'s> Blocks<'s> {
    /// Opens `source`.
    pub fn open(source: &'s Source) -> io::Result<Self> {
        let reader = source.open()?;
        let (rest, state, lead) = (Vec::with_capacity(ROOM), State::Start, Vec::new());
        let (ended, size, limit, line, number) = (false, BLOCK, MAX_DOCUMENT, 1, 0);
        let (invented, decoded) = (0, false);
        Ok(Self { source, reader, ended, size, limit, rest, state, line, number, lead, invented, decoded })
    }

    /// Reads about `size` bytes at once. Where documents start and end does not depend on it.
    pub fn with_size(self, size: usize) -> Self {
        Self { size, ..self }
    }

    /// Reads up to `want` bytes to the end of `bytes`. Returns how many: fewer only where the stream ends.
    ///
    /// # Errors
    ///
    /// The stream cannot be read, or `bytes`, in which no end of a document was found so far, become too many.
    fn read(&mut self, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let want = want.min((self.limit + 1).saturating_sub(bytes.len()));
        let read = self.reader.by_ref().take(want as u64).read_to_end(bytes)?;
        self.ended = read < want;
        if bytes.len() > self.limit {
            let (line, limit) = (self.line, self.limit >> 20);
            return Err(io::Error::other(format!("the document at line {line} has more than {limit} MiB")));
        }
        Ok(read)
    }

    /// As [`Blocks::read`], of a stream that goes on: room is made at once, so that what was read is not moved again
    /// and again.
    fn read_more(&mut self, want: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        if !self.ended {
            bytes.reserve_exact(want);
        }
        self.read(want, bytes)
    }

    /// Reads all that is left to the end of `bytes`.
    fn read_all(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.read(usize::MAX, bytes).map(drop)
    }

    /// The next run of documents; nothing at the end of the stream.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        if self.state == State::Start {
            self.start()?;
        }
        match std::mem::replace(&mut self.state, State::Done) {
            State::Start | State::Done => Ok(None),
            State::Yaml(before) => self.yaml_block(before).map(Some),
            State::Items { api_version, kind, dash } => self.items_block(api_version, kind, dash).map(Some),
            State::Json { values } => self.json_block(values).map(Some),
            State::JsonItems { list, first, values } => self.json_items_block(list, first, values).map(Some),
            State::JsonTail { values } => self.json_tail(values).map(Some),
        }
    }

    /// Reads the start of the stream, undoes its encoding and finds out what it is written in.
    fn start(&mut self) -> io::Result<()> {
        let mut start = std::mem::take(&mut self.rest);
        self.read(self.size.max(SNIFF), &mut start)?;
        if utf16(&start).is_some() {
            self.read_all(&mut start)?;
        }
        self.rest = start;
        if self.rest.starts_with(UTF8_BOM) {
            self.rest.drain(..UTF8_BOM.len());
            self.lead.extend_from_slice(UTF8_BOM);
        } else if let Some(decode) = utf16(&self.rest) {
            self.decoded = true;
            let units = self.rest[2..].chunks(2).map(|unit| decode([unit[0], *unit.get(1).unwrap_or(&0)]));
            self.rest = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect::<String>()
                .into_bytes();
        }
        let sniffed = String::from_utf8_lossy(&self.rest[..self.rest.len().min(SNIFF)]);
        let json = sniffed.trim_start().starts_with('{');
        self.state = if json { State::Json { values: 0 } } else { State::Yaml(Before::Nothing) };
        Ok(())
    }

    fn yaml_block(&mut self, before: Before) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let mut complete = false;
        loop {
            let read = self.read_more(want, &mut bytes)?;
            if read < want {
                complete = true;
                break;
            }
            if let Some(cut) = last_separator(&bytes, searched) {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                break;
            }
            let may_be_list = searched == 0 && matches!(before, Before::Nothing | Before::Separator);
            if let Some((state, items)) = may_be_list.then(|| self.large_list(&bytes)).flatten() {
                return Ok(self.start_items(bytes, state, items));
            }
            // The last line may still become a separator.
            searched = bytes.len().saturating_sub(8);
            want = bytes.len().max(self.size);
        }
        let mut cut = self.cutter();
        let before = cut.yaml(&bytes, 0, before);
        if !complete {
            self.state = State::Yaml(before);
        }
        (self.line, self.number) = (cut.line, cut.number);
        Ok(self.block(bytes, cut.pieces))
    }

    /// How to go on where `bytes`, which hold no separator behind their first line, start a List whose items can
    /// be read one by one; with it, where the first one starts. The first item has to have a type, or the List
    /// to say its kind before: otherwise the List is read as a whole.
    fn large_list(&self, bytes: &[u8]) -> Option<(State, usize)> {
        let start = if bytes.starts_with(b"---") { memchr(b'\n', bytes)? + 1 } else { 0 };
        let text = &bytes[start..memrchr(b'\n', bytes)? + 1];
        let list = list::list_start(text)?;
        let mut head = Head::default();
        let (cut, _) = list::cut(&text[list.items..], list.dash, false);
        let first = cut.items.into_iter().next()?;
        let item = &text[list.items..][first];
        let typed = skim(item, list.dash + 2, &mut head) == Skimmed::Object && !head.api_version.is_empty();
        let (api_version, kind) = (list.api_version.to_owned(), list.kind.to_owned());
        let state = State::Items { api_version, kind, dash: list.dash };
        (typed || !list.kind.is_empty()).then_some((state, start + list.items))
    }

    /// Passes over the head of a List and goes on with its items.
    fn start_items(&mut self, bytes: Vec<u8>, state: State, items: usize) -> Block {
        self.line += memchr_iter(b'\n', &bytes[..items]).count();
        self.number += 1;
        self.rest = bytes;
        self.lead.extend(self.rest.drain(..items));
        self.state = state;
        self.block(Vec::new(), Vec::new())
    }

    /// As many items of a List as are there as a whole, at least one.
    fn items_block(&mut self, api_version: String, kind: String, dash: usize) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let (cut, marks, complete) = loop {
            let read = self.read_more(want, &mut bytes)?;
            // A separator ends the document, whatever it stands in.
            let separator = memmem::find(&bytes, b"\n---").map(|at| at + 1);
            let complete = read < want || separator.is_some();
            let end = match (separator, complete) {
                (Some(separator), _) => separator,
                (None, true) => bytes.len(),
                (None, false) => memrchr(b'\n', &bytes).map_or(0, |at| at + 1),
            };
            let (cut, marks) = list::cut(&bytes[..end], dash, complete);
            if complete || !cut.items.is_empty() {
                break (cut, marks, complete);
            }
            want = bytes.len();
        };
        self.rest = bytes.split_off(cut.end);
        let lines = memchr_iter(b'\n', &bytes).count();
        let items = Items { api_version, kind, ranges: cut.items, indent: dash + 2, marks };
        let (line, number) = (self.line, self.number);
        self.line += lines;
        // What is said of the next block is not said of this one.
        let (lead, invented) = (std::mem::take(&mut self.lead), std::mem::take(&mut self.invented));
        self.state = match cut.rest {
            Rest::Unread => {
                State::Items { api_version: items.api_version.clone(), kind: items.kind.clone(), dash }
            }
            Rest::Ended | Rest::Followed => State::Yaml(Before::Items),
            Rest::Uncertain => self.rest_of_list(&items, complete),
        };
        let range = 0..bytes.len();
        let piece = Piece { range, syntax: Syntax::Yaml, line, number, items: Some(items) };
        Ok(Block { bytes, pieces: vec![Ok(piece)], lead, invented, decoded: self.decoded })
    }

    /// Makes the rest of a List a List of its own, to be read as a whole.
    fn rest_of_list(&mut self, items: &Items, complete: bool) -> State {
        debug_assert!(complete, "uncertain items are read to the end of the document first");
        let kind = if items.kind.is_empty() { "List" } else { &items.kind };
        let head = format!("kind: {kind}\napiVersion: {}\nitems:\n", items.api_version);
        self.line = self.line.saturating_sub(3);
        self.number -= 1;
        self.invented = head.len();
        self.rest.splice(..0, head.into_bytes());
        State::Yaml(Before::Start)
    }

    fn block(&mut self, bytes: Vec<u8>, pieces: Vec<Result<Piece, Error>>) -> Block {
        let (lead, invented) = (std::mem::take(&mut self.lead), std::mem::take(&mut self.invented));
        Block { bytes, pieces, lead, invented, decoded: self.decoded }
    }

    fn cutter(&self) -> Cutter<'s> {
        Cutter { source: self.source, line: self.line, number: self.number, pieces: Vec::new() }
    }

    fn json_block(&mut self, values: usize) -> io::Result<Block> {
        // What is not yet read is known to be much: then it may be a List to be read item by item.
        let mut bytes = std::mem::take(&mut self.rest);
        if self.read(1, &mut bytes)? > 0
            && json_list::values_end(&bytes) == 0
            && let Some(list) = json_list::list_start(&bytes)
        {
            let items = list.items;
            return Ok(self.start_items(bytes, State::JsonItems { list, first: true, values }, items));
        }
        // Whole values go their way while the rest is read, as long as all are JSON.
        while !self.ended {
            let end = json_list::values_end(&bytes);
            let mut cut = self.cutter();
            let mut count = values;
            if end > 0 && cut.json_values(&bytes[..end], &mut count).is_none() {
                self.rest = bytes.split_off(end);
                self.state = State::Json { values: count };
                (self.line, self.number) = (cut.line, cut.number);
                return Ok(self.block(bytes, cut.pieces));
            }
            let want = bytes.len().max(self.size);
            self.read(want, &mut bytes)?;
        }
        if let Some(text) = mended(&bytes) {
            bytes = text;
            self.decoded = true;
        }
        let mut cut = self.cutter();
        cut.json(&bytes, values);
        Ok(self.block(bytes, cut.pieces))
    }

    /// As many items of a JSON List as are there as a whole, at least one.
    fn json_items_block(&mut self, list: ListStart, first: bool, values: usize) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let mut cut;
        loop {
            let read = self.read_more(want, &mut bytes)?;
            cut = json_list::cut(&bytes, first);
            if read < want || !cut.items.is_empty() || cut.rest != Rest::Unread {
                break;
            }
            want = bytes.len();
        }
        self.rest = bytes.split_off(cut.end);
        if let Some(text) = mended(&bytes) {
            bytes = text;
            self.decoded = true;
            cut.items = json_list::cut(&bytes, first).items;
        }
        let mut pieces = Vec::new();
        let (range, number) = (0..bytes.len(), self.number);
        let (api_version, kind) = (list.api_version.clone(), list.kind.clone());
        let broken = cut.rest == Rest::Uncertain || cut.items.is_empty() && cut.rest == Rest::Unread;
        // What stands before the rest of the array, for the reason why it cannot be read.
        let before: &[u8] = if first && cut.items.is_empty() { b"[" } else { b"[0" };
        let items = Items { api_version, kind, ranges: cut.items, indent: 0, marks: None };
        pieces.push(Ok(Piece { range, syntax: Syntax::Json, line: self.line, number, items: Some(items) }));
        self.line += memchr_iter(b'\n', &bytes).count();
        self.state = match cut.rest {
            Rest::Followed | Rest::Ended => State::JsonTail { values: values + 1 },
            // It breaks off, or holds something else than values with commas between them.
            Rest::Unread | Rest::Uncertain if broken => {
                pieces.push(Err(self.broken_json(before)));
                State::Done
            }
            Rest::Unread | Rest::Uncertain => State::JsonItems { list, first: false, values },
        };
        Ok(self.block(bytes, pieces))
    }

    /// Passes over what stands behind the items of a JSON List, and goes on with the stream.
    fn json_tail(&mut self, values: usize) -> io::Result<Block> {
        #[derive(serde::Deserialize)]
        struct Tail {
            // A second key of that name is an error to serde.
            #[serde(rename = "items")]
            _items: IgnoredAny,
        }
        const HEAD: &[u8] = b"{\"items\":[]";
        let mut bytes = std::mem::take(&mut self.rest);
        let mut end = json_list::object_end(&bytes);
        while end.is_none() && self.read(self.size, &mut bytes)? > 0 {
            end = json_list::object_end(&bytes);
        }
        self.rest = bytes.split_off(end.unwrap_or(bytes.len()));
        let text = [HEAD, &bytes].concat();
        let pieces = match serde_json::from_slice::<Tail>(&text) {
            Ok(_) => Vec::new(),
            Err(_) => vec![Err(self.broken_json(&text))],
        };
        self.line += memchr_iter(b'\n', &bytes).count();
        self.state = State::Json { values };
        Ok(self.block(bytes, pieces))
    }

    /// What serde_json says about `text`, which starts on the current line, and the rest.
    fn broken_json(&self, text: &[u8]) -> Error {
        let text = [text, &self.rest].concat();
        let error = serde_json::from_slice::<IgnoredAny>(&text).err();
        let line = self.line - 1 + error.as_ref().map_or(1, serde_json::Error::line);
        let place = Place { source: self.source.name.clone(), line: Some(line), document: Some(self.number) };
        match error {
            Some(error) => {
                let at = json::offset_of(&error, &text);
                Error::in_text(&text, at, place, ErrorKind::JsonStream(Arc::new(error)))
            }
            None => Error::new(place, ErrorKind::ListTail),
        }
    }
}

/// The text with U+FFFD for whatever is not UTF-8, as Go reads JSON; nothing when all of it is.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let broken = simdutf8::basic::from_utf8(bytes).is_err();
    broken.then(|| String::from_utf8_lossy(bytes).into_owned().into_bytes())
}

/// How a UTF-16 stream's units are read; nothing when it does not start with a UTF-16 byte order mark.
fn utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Where the last line starts, at or after `from`, that separates documents and is there as a whole; nothing
/// when there is none behind the start of the text.
fn last_separator(bytes: &[u8], from: usize) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(found) = memmem::rfind(&bytes[from..end], b"\n---") {
        let line = from + found + 1;
        if memchr(b'\n', &bytes[line..]).is_some() {
            return Some(line);
        }
        end = from + found;
    }
    None
}

/// Cuts the text of one block, counting lines and documents.
struct Cutter<'s> {
    source: &'s Source,
    line: usize,
    number: usize,
    pieces: Vec<Result<Piece, Error>>,
}

impl Cutter<'_> {
    /// Cuts YAML from `start` on, where `before` stands before it. Returns what stands before the text that
    /// follows.
    fn yaml(&mut self, bytes: &[u8], start: usize, mut before: Before) -> Before {
        let mut from = start;
        let separators = memmem::find_iter(&bytes[start..], b"\n---").map(|at| start + at + 1);
        let leading = bytes[start..].starts_with(b"---").then_some(start);
        for at in leading.into_iter().chain(separators) {
            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            let rest = String::from_utf8_lossy(&bytes[at + 3..end]);
            let rest = rest.trim();
            let broken = !(rest.is_empty() || rest.starts_with('#'));
            if before == Before::Nothing && at == start && !broken {
                continue; // The line before all documents belongs to the first one, as in kubectl.
            }
            if broken {
                self.advance(&bytes[from..at]);
                let spoilt = before != Before::Damage && !bytes[from..at].trim_ascii().is_empty();
                self.number += usize::from(spoilt);
                let place = Place {
                    source: self.source.name.clone(),
                    line: Some(self.line),
                    document: Some(self.number.max(1)),
                };
                let kind = ErrorKind::Separator(rest.to_owned());
                self.pieces.push(Err(Error::in_text(bytes, at + 3, place, kind)));
            } else {
                self.yaml_piece(bytes, from..at, before);
            }
            before = if broken { Before::Damage } else { Before::Separator };
            from = (end + 1).min(bytes.len());
            self.advance(&bytes[at..from]);
        }
        self.yaml_piece(bytes, from..bytes.len(), before);
        before
    }

    fn yaml_piece(&mut self, bytes: &[u8], range: Range<usize>, before: Before) {
        match before {
            Before::Nothing | Before::Separator | Before::Start => self.piece(bytes, range, Syntax::Yaml),
            Before::Damage => self.advance(&bytes[range]),
            Before::Items => {
                if !list::is_list_tail(&bytes[range.clone()]) {
                    let place = Place {
                        source: self.source.name.clone(),
                        line: Some(self.line),
                        document: Some(self.number),
                    };
                    self.pieces.push(Err(Error::new(place, ErrorKind::ListTail)));
                }
                self.advance(&bytes[range]);
            }
        }
    }

    /// Cuts JSON values, of which `count` were read before, up to the first that is none. Returns why, and where
    /// the last one before it ends.
    fn json_values(&mut self, bytes: &[u8], count: &mut usize) -> Option<(serde_json::Error, usize)> {
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
        let mut from = 0;
        while let Some(value) = values.next() {
            let value = match value {
                Ok(value) => value.get(),
                Err(error) => return Some((error, from)),
            };
            let end = values.byte_offset();
            let start = end - value.len();
            self.advance(&bytes[from..start]);
            self.piece(bytes, start..end, Syntax::Json);
            (from, *count) = (end, *count + 1);
        }
        None
    }

    /// Cuts the rest of a JSON stream of which `count` values were read before.
    fn json(&mut self, bytes: &[u8], mut count: usize) {
        let line_before = self.line - 1;
        let Some((error, from)) = self.json_values(bytes, &mut count) else { return };
        // Up to one value, what is not JSON is read as YAML (kubectl since 1.33); where that fails too
        // at the very start, the text was meant to be JSON.
        let (number, pieces, line) = (self.number, self.pieces.len(), self.line);
        if count <= 1 {
            self.yaml(bytes, from, if count == 0 { Before::Nothing } else { Before::Separator });
        }
        let meant = count > 1
            || count == 0 && self.pieces.get(pieces).is_some_and(|piece| !is_yaml_map(bytes, piece));
        if meant {
            self.pieces.truncate(pieces);
            (self.line, self.number) = (line, number + 1);
            let place = Place {
                source: self.source.name.clone(),
                line: Some(line_before + error.line()),
                document: Some(self.number),
            };
            let at = json::offset_of(&error, bytes);
            let kind = ErrorKind::JsonStream(Arc::new(error));
            self.pieces.push(Err(Error::in_text(bytes, at, place, kind)));
        }
    }

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

    fn advance(&mut self, text: &[u8]) {
        self.line += memchr_iter(b'\n', text).count();
    }
}

fn is_yaml_map(bytes: &[u8], piece: &Result<Piece, Error>) -> bool {
    piece.as_ref().is_ok_and(|piece| yaml::parse(&bytes[piece.range.clone()]).is_ok())
}

/// Whether there is more in a document than blanks, and the separator before all documents.
fn has_content(text: &[u8]) -> bool {
    !text.strip_prefix(b"---").unwrap_or(text).trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A document's text, syntax, line and number, or an error's message.
    type Read = Result<(Vec<u8>, Syntax, usize, usize), String>;

    /// What the blocks of a stream hold.
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
        for (end, broken) in [("", false), ("{]", true), ("{\"a\": \"\u{fffd}\"}\n\n", false)] {
            let stream = format!("{{{:SNIFF$}}}{}{end}", "", "{\"a\": 1}\n{\"b\": [{}]} ".repeat(1_000));
            let source = Source::memory("s.json", stream.as_bytes());
            let mut blocks = Blocks::open(&source).unwrap().with_size(64);
            assert!(std::iter::from_fn(|| blocks.next_block().unwrap()).count() > 10);
            let (mut documents, mut whole) = (read(stream.as_bytes(), 64), read(stream.as_bytes(), BLOCK));
            if broken {
                // serde_json's own words count lines and columns from the start of the block.
                let place = |error: &str| error.split(" at line ").next().map(str::to_owned);
                let errors = [documents.pop(), whole.pop()].map(|last| place(&last.unwrap().unwrap_err()));
                assert_eq!(errors[0], errors[1]);
            }
            assert!(documents == whole, "{} documents, {} as a whole", documents.len(), whole.len());
        }
    }

    #[test]
    fn what_is_not_json_after_one_value_is_yaml() {
        check("{a: 1}\n---\nb: 2\n", &["1:{a: 1}\n", "3:b: 2\n"]);
        check("{\"a\":1}\n---\nb: 2\n", &["1:{\"a\":1}", "3:b: 2\n"]);
        check(
            "{\"a\":1}\n{\"b\":2}\n---\nc: 3\n",
            &["1:{\"a\":1}", "2:{\"b\":2}", "s.yaml:3 (document 3): json: invalid number at line 3 column 2"],
        );
    }

    #[test]
    fn a_line_is_counted_from_the_start_of_the_source() {
        let source = Source::stdin();
        let text = b"# c\n\n---\n  a: 1\n";
        let document =
            Document { text, syntax: Syntax::Yaml, source: &source, line: 10, number: 2, items: None };
        assert_eq!(document.content(), 11);
        assert_eq!(document.line_of(document.content()), 13);
        assert_eq!(document.line_of(usize::MAX), 14);
        assert_eq!(document.place(0).to_string(), "STDIN:10 (document 2)");
    }

    /// Streams of pieces that matter to the cut.
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
            // Whatever follows a comment is no JSON.
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
