//! Objects that are read again when they are needed: from their file or, where a file cannot be read from the middle
//! (pipes, archives, compressed and recoded files), from an unnamed temporary file.

use std::fs::File;
use std::io::{self, Write};
use std::slice;

use super::document::{Document, Form, Syntax};
use super::flatten::cut_items;
use super::list::Parent;
use super::object::Object;
use super::objects::objects;
use super::once::{read_at, temporary_file};
use super::source::Source;
use super::stream::Block;
use syntax::emit;
use syntax::error::Error;

/// What the text of an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// A document.
    Document(Syntax),
    /// An item of a List in braces.
    Braces(Syntax),
    /// An item of a List in block style, with its dash in this column.
    Block { dash: u32 },
}

/// Where the text of an object is.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The offset of its first byte.
    at: u64,
    /// Its length in bytes.
    length: u32,
    /// The index of its source.
    source: u32,
    /// Whether it is in the file of its source rather than in the temporary file.
    in_file: bool,
    /// The line of the source on which it starts, 1-based.
    line: u32,
    /// The number of its document in the source, 1-based.
    number: u32,
    kept: Kept,
}

/// An object of a block, before the place of the block in its source is known.
#[derive(Debug)]
pub struct Located {
    text: LocatedText,
    line: u32,
    number: u32,
    kept: Kept,
}

/// Where the text of an object of a block is.
#[derive(Debug)]
enum LocatedText {
    /// The offset in the source from the place of the block, and the length.
    InFile(u64, u32),
    /// The text itself.
    Copied(Vec<u8>),
}

impl Located {
    /// The place of `object`, which was read from `block`. `is_regular` says whether its source is a regular file, which
    /// can be read again from any place.
    ///
    /// # Errors
    ///
    /// The text is only kept as a tree, and cannot be parsed.
    pub fn of(object: &Object<'_>, block: &Block, is_regular: bool) -> Result<Self, Error> {
        let (document, part) = (object.document, object.part());
        let (line, number) = (capped(document.line), capped(document.number));
        let stands_alone = part.path.is_empty() && part.blank.is_empty();
        // The type that a document takes from its path is in no text.
        if !stands_alone || object.is_document() && object.inherits {
            let text = LocatedText::Copied(emit::json::text(object.value()?).into_bytes());
            return Ok(Self { text, line, number, kept: Kept::Document(Syntax::Json) });
        }
        let kept = match part.form {
            Form::Item { dash } => Kept::Block { dash: capped(dash) },
            Form::Document if object.is_document() => Kept::Document(document.syntax),
            Form::Document => Kept::Braces(document.syntax),
        };
        let is_as_written = is_regular && !block.is_compressed() && !block.is_decoded();
        let (text, bytes) = (document.text.as_ptr_range(), block.bytes().as_ptr_range());
        let is_of_block = bytes.start <= text.start && text.end <= bytes.end;
        let is_as_written = is_as_written && is_of_block;
        let start = is_as_written.then(|| block.start_of(&document) + part.start);
        let text = match start.and_then(|start| block.source_offset(start)) {
            Some(at) => LocatedText::InFile(at as u64, capped(part.end - part.start)),
            None => LocatedText::Copied(document.text[part.start..part.end].to_vec()),
        };
        let line = match object.is_document() {
            true => line,
            false => capped(object.place().line.unwrap_or(document.line)),
        };
        Ok(Self { text, line, number, kept })
    }
}

/// A number of lines, or a length that [`MAX_DOCUMENT`](super::stream::MAX_DOCUMENT) limits.
fn capped(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The texts of objects, in their files and in one temporary file.
#[derive(Debug, Default)]
pub struct Texts {
    sources: Vec<Source>,
    /// The offset in the last source of the next block.
    next_block: u64,
    copies: Option<File>,
    copied: u64,
}

impl Texts {
    /// Begins the next source. Its blocks and their objects are added in order.
    pub fn begin(&mut self, source: Source) {
        self.sources.push(source);
        self.next_block = 0;
    }

    /// The source that was begun last.
    pub fn last(&self) -> Option<&Source> {
        self.sources.last()
    }

    /// Goes on to the next block of the source, `length` bytes of the source later.
    pub fn advance(&mut self, length: u64) {
        self.next_block += length;
    }

    /// Adds an object of the current block. Returns its place.
    ///
    /// # Errors
    ///
    /// The temporary file cannot be written.
    pub fn add(&mut self, located: Located) -> io::Result<Spot> {
        let Located { text, line, number, kept } = located;
        let source = capped(self.sources.len().saturating_sub(1));
        let (at, length, in_file) = match text {
            LocatedText::InFile(at, length) => (self.next_block + at, length, true),
            LocatedText::Copied(text) => (self.copy(&text)?, capped(text.len()), false),
        };
        Ok(Spot { at, length, source, in_file, line, number, kept })
    }

    /// Adds a text that is in no source, a document in JSON. Returns its place.
    ///
    /// # Errors
    ///
    /// The temporary file cannot be written.
    pub fn add_json(&mut self, text: String) -> io::Result<Spot> {
        // Nothing gives it a namespace or a name.
        if self.last().is_none_or(|last| !last.name.is_empty()) {
            self.begin(Source::memory("", b""));
        }
        let (text, kept) = (LocatedText::Copied(text.into_bytes()), Kept::Document(Syntax::Json));
        self.add(Located { text, line: 1, number: 1, kept })
    }

    fn copy(&mut self, text: &[u8]) -> io::Result<u64> {
        let file = match &mut self.copies {
            Some(file) => file,
            None => self.copies.insert(temporary_file()?),
        };
        file.write_all(text)?;
        let at = self.copied;
        self.copied += text.len() as u64;
        Ok(at)
    }

    /// A reader of the objects. Each thread has its own.
    pub fn reader(&self) -> Reader<'_> {
        Reader { texts: self, file: None, bytes: Vec::new() }
    }
}

/// Reads objects again.
pub struct Reader<'t> {
    texts: &'t Texts,
    /// The file that was read last, with the index of its source.
    file: Option<(u32, File)>,
    bytes: Vec<u8>,
}

impl<'t> Reader<'t> {
    /// The name of the source of a text.
    pub fn source(&self, spot: Spot) -> &'t str {
        self.texts.sources.get(spot.source as usize).map_or("", |source| &source.name)
    }

    /// Calls `visit` with the object at `spot`, which is of this type, or with the error of reading it. If the file has
    /// changed, it may be another object, or there may be none or several.
    pub fn read(
        &mut self,
        spot: Spot,
        (api_version, kind): (&str, &str),
        visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
    ) {
        let Some(source) = self.texts.sources.get(spot.source as usize) else { return };
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.resize(spot.length as usize, 0);
        if let Err(error) = self.fill(spot, source, &mut bytes) {
            self.bytes = bytes;
            return visit(Err(source.error(error)));
        }
        let (syntax, item) = match spot.kept {
            Kept::Document(syntax) => (syntax, None),
            Kept::Braces(syntax) => (syntax, Some(Form::Document)),
            Kept::Block { dash } => (Syntax::Yaml, Some(Form::Item { dash: dash as usize })),
        };
        let document = Document::new(&bytes, syntax, source).at(spot.line as usize, spot.number as usize);
        match item {
            None => objects(document, visit),
            Some(form) => {
                let list = format!("{kind}List");
                let (parent, whole) = (Parent::typed(api_version, &list), 0..bytes.len());
                cut_items(document, Some(parent), slice::from_ref(&whole), form, None, visit);
            }
        }
        self.bytes = bytes;
    }

    fn fill(&mut self, spot: Spot, source: &Source, bytes: &mut [u8]) -> io::Result<()> {
        if !spot.in_file {
            let copies = self.texts.copies.as_ref().ok_or(io::ErrorKind::NotFound)?;
            return fill_at(copies, spot.at, bytes);
        }
        if self.file.as_ref().is_none_or(|(index, _)| *index != spot.source) {
            let path = source.path().ok_or(io::ErrorKind::NotFound)?;
            self.file = Some((spot.source, File::open(path)?));
        }
        match &self.file {
            Some((_, file)) => fill_at(file, spot.at, bytes),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Fills `bytes` with those of the file at this offset.
fn fill_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match read_at(file, at, bytes)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}
