//! A stream cut into documents, before any parsing, exactly where kubectl cuts it.
//!
//! A stream is read in blocks, each a run of whole documents, so that memory is bounded by the block size and
//! the largest document. The cut is by lines (apimachinery, util/yaml/decoder.go): a line that starts with
//! `---` separates, whatever it stands in, and may hold nothing else but a comment. A stream whose first
//! character is `{` is a sequence of JSON values.
//!
//! *Compatibility*: kubectl drops the rest of a file after an error; here what follows is read.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem};
use serde_json::value::RawValue;

use super::error::{Error, ErrorKind, Place};
use super::source::Source;
use super::yaml;

/// How much of a stream is read at once, in bytes.
const BLOCK: usize = 1 << 20;

/// How far the first character is looked for that tells JSON from YAML, in bytes.
const SNIFF: usize = 4096;

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// YAML, which a JSON text inside a YAML stream is too.
    Yaml,
    /// One JSON value of a JSON stream.
    Json,
}

/// A document: a slice of its stream, and where that stands.
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
        Error { place: self.place(offset), kind }
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
}

#[derive(Debug)]
struct Piece {
    range: Range<usize>,
    syntax: Syntax,
    line: usize,
    number: usize,
}

impl Block {
    /// The documents, and what is wrong between them, in the order of the stream.
    pub fn documents<'t>(
        &'t self,
        source: &'t Source,
    ) -> impl Iterator<Item = Result<Document<'t>, Error>> + use<'t> {
        self.pieces.iter().map(move |piece| {
            let Piece { range, syntax, line, number } = piece.as_ref().map_err(Error::clone)?;
            let text = &self.bytes[range.clone()];
            Ok(Document { text, syntax: *syntax, source, line: *line, number: *number })
        })
    }
}

/// The blocks of a source.
pub struct Blocks<'s> {
    source: &'s Source,
    reader: Box<dyn Read + Send + 's>,
    /// How much is read at once, in bytes.
    size: usize,
    /// What was read and belongs to the next block.
    rest: Vec<u8>,
    state: State,
    /// The line on which `rest` starts, 1-based.
    line: usize,
    /// The documents before `rest`.
    number: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// Within a YAML stream; `damaged` when a broken separator has spoilt the document that is being read.
    Yaml {
        first: bool,
        damaged: bool,
    },
    Json,
    Done,
}

impl<'s> Blocks<'s> {
    /// Opens `source`.
    pub fn open(source: &'s Source) -> io::Result<Self> {
        let reader = source.open()?;
        Ok(Self { source, reader, size: BLOCK, rest: Vec::new(), state: State::Start, line: 1, number: 0 })
    }

    /// The next run of documents; nothing at the end of the stream.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        if self.state == State::Start {
            self.start()?;
        }
        match self.state {
            State::Start | State::Done => Ok(None),
            State::Yaml { first, damaged } => self.yaml_block(first, damaged).map(Some),
            State::Json => {
                self.reader.read_to_end(&mut self.rest)?;
                self.state = State::Done;
                Ok(Some(self.json_block()))
            }
        }
    }

    /// Reads the start of the stream, undoes its encoding and finds out what it is written in.
    fn start(&mut self) -> io::Result<()> {
        self.reader.by_ref().take(self.size.max(SNIFF) as u64).read_to_end(&mut self.rest)?;
        if self.rest.starts_with(UTF8_BOM) {
            self.rest.drain(..UTF8_BOM.len());
        } else if let Some(decode) = utf16(&self.rest) {
            self.reader.read_to_end(&mut self.rest)?;
            let units = self.rest[2..].chunks(2).map(|unit| decode([unit[0], *unit.get(1).unwrap_or(&0)]));
            self.rest = char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect::<String>()
                .into_bytes();
        }
        let sniffed = String::from_utf8_lossy(&self.rest[..self.rest.len().min(SNIFF)]);
        let json = sniffed.trim_start().starts_with('{');
        self.state = if json { State::Json } else { State::Yaml { first: true, damaged: false } };
        Ok(())
    }

    fn yaml_block(&mut self, first: bool, damaged: bool) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        loop {
            let read = self.reader.by_ref().take(want as u64).read_to_end(&mut bytes)?;
            if read < want {
                self.state = State::Done;
                break;
            }
            if let Some(cut) = last_separator(&bytes, searched) {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                break;
            }
            // The last line may still become a separator.
            searched = bytes.len().saturating_sub(8);
            want = bytes.len().max(self.size);
        }
        let mut cut =
            Cutter { source: self.source, line: self.line, number: self.number, pieces: Vec::new() };
        let damaged = cut.yaml(&bytes, 0, first, damaged);
        if self.state == State::Done {
            // Nothing follows.
        } else {
            self.state = State::Yaml { first: false, damaged };
        }
        (self.line, self.number) = (cut.line, cut.number);
        Ok(Block { pieces: cut.pieces, bytes })
    }

    fn json_block(&mut self) -> Block {
        let mut bytes = std::mem::take(&mut self.rest);
        if let Cow::Owned(text) = String::from_utf8_lossy(&bytes) {
            bytes = text.into_bytes();
        }
        let mut cut =
            Cutter { source: self.source, line: self.line, number: self.number, pieces: Vec::new() };
        cut.json(&bytes);
        Block { pieces: cut.pieces, bytes }
    }
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
    /// Cuts YAML from `start` on; `first` says that this is the start of the stream, `damaged` that a broken
    /// separator stands before it. Returns whether one spoilt the last document, which goes on after the text.
    fn yaml(&mut self, bytes: &[u8], start: usize, first: bool, mut damaged: bool) -> bool {
        let mut from = start;
        let separators = memmem::find_iter(&bytes[start..], b"\n---").map(|at| start + at + 1);
        let leading = bytes[start..].starts_with(b"---").then_some(start);
        for at in leading.into_iter().chain(separators) {
            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            let rest = String::from_utf8_lossy(&bytes[at + 3..end]);
            let rest = rest.trim();
            let broken = !(rest.is_empty() || rest.starts_with('#'));
            if first && at == start && !broken {
                continue; // The line before all documents belongs to the first one, as in kubectl.
            }
            if broken {
                self.advance(&bytes[from..at]);
                self.number += usize::from(!damaged && !bytes[from..at].trim_ascii().is_empty());
                let place = Place {
                    source: self.source.name.clone(),
                    line: Some(self.line),
                    document: Some(self.number.max(1)),
                };
                self.pieces.push(Err(Error { place, kind: ErrorKind::Separator(rest.to_owned()) }));
            } else {
                self.piece(bytes, from..at, Syntax::Yaml, damaged);
            }
            damaged = broken;
            from = (end + 1).min(bytes.len());
            self.advance(&bytes[at..from]);
        }
        self.piece(bytes, from..bytes.len(), Syntax::Yaml, damaged);
        damaged
    }

    fn json(&mut self, bytes: &[u8]) {
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
        let mut from = 0;
        let mut count = 0;
        while let Some(value) = values.next() {
            let error = match value {
                Ok(value) => {
                    let end = values.byte_offset();
                    let start = end - value.get().len();
                    self.advance(&bytes[from..start]);
                    self.piece(bytes, start..end, Syntax::Json, false);
                    (from, count) = (end, count + 1);
                    continue;
                }
                Err(error) => error,
            };
            // Up to one value, what is not JSON is read as YAML (kubectl since 1.33); where that fails too
            // at the very start, the text was meant to be JSON.
            let number = self.number;
            let pieces = self.pieces.len();
            let line = self.line;
            if count <= 1 {
                self.yaml(bytes, from, count == 0, false);
            }
            let meant = count > 1
                || count == 0 && self.pieces.get(pieces).is_some_and(|piece| !is_yaml_map(bytes, piece));
            if meant {
                self.pieces.truncate(pieces);
                (self.line, self.number) = (line, number + 1);
                let place = Place {
                    source: self.source.name.clone(),
                    line: Some(error.line()), // A JSON stream is one block, so its lines are the source's.
                    document: Some(self.number),
                };
                self.pieces.push(Err(Error { place, kind: ErrorKind::JsonStream(Arc::new(error)) }));
            }
            return;
        }
    }

    /// Adds the document at `range`, unless it is blank or `damaged`, and counts its lines.
    fn piece(&mut self, bytes: &[u8], range: Range<usize>, syntax: Syntax, damaged: bool) {
        let text = &bytes[range.clone()];
        if !damaged && !text.trim_ascii().is_empty() {
            self.number += 1;
            self.pieces.push(Ok(Piece { range, syntax, line: self.line, number: self.number }));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A document's text, syntax, line and number, or an error's message.
    type Read = Result<(Vec<u8>, Syntax, usize, usize), String>;

    /// What the blocks of a stream hold.
    fn read(stream: &[u8], size: usize) -> Vec<Read> {
        let source = Source::memory("s.yaml", stream);
        let mut blocks = Blocks::open(&source).unwrap();
        blocks.size = size;
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
    fn separators_count_inside_scalars_and_not_when_indented() {
        check("a: |\n  b\n---\n  c\n", &["1:a: |\n  b\n", "4:  c\n"]);
        check("a: 1\n ---\nb: 2\n", &["1:a: 1\n ---\nb: 2\n"]);
    }

    #[test]
    fn blank_documents_are_left_out() {
        check("", &[]);
        check(" \n\n", &[]);
        check("---\n---\n\n---\na: 1\n---\n", &["1:---\n", "5:a: 1\n"]);
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
        let document = Document { text, syntax: Syntax::Yaml, source: &source, line: 10, number: 2 };
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
