//! A position in a YAML document that moves forward through its block structure. Only this module defines lines, their
//! indentation and keys, where a scalar ends and whether it continues, the extent of quotes, flow collections and block
//! scalars, and where comments are.
//!
//! The cursor goes line by line over the [index](super::index) of the text, and reads only what is requested: a
//! [skipped](Cursor::skip_value) value costs almost nothing. All positions are byte offsets.
//!
//! It *declines*, with a [`Reason`], whatever it is not certain of: anchors, aliases, tags, merge keys, explicit keys,
//! tabs in indentation, and all errors. Then [`super::full`] reads the document, or reports the error. Whatever the
//! cursor accepts, it reads as kubectl's YAML reader does (goyaml, scannerc.go); tests compare it with `full`.
//!
//! Columns are 0-based and count bytes.

mod open_scalars;
mod scalars;
mod skip;

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::index::{Bits, Extent, View};
use super::marker;
use super::quoted::{closing, unquoted};
pub use super::reason::{Certain, Reason};
use super::scalar::{self, Scalar};
use crate::simd::LANES;
use crate::syntax::Form;
use open_scalars::OpenScalars;

/// The rest of a line that is neither blank nor a comment.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The column at which it starts.
    pub column: usize,
    /// The offset at which it starts. The line itself starts `column` bytes before.
    pub start: usize,
    /// The offset of its end, without the line ending.
    pub end: usize,
}

/// A key of a block map.
#[derive(Debug)]
pub struct Key<'t> {
    /// The key as text: `y: 1` has the key `true`.
    pub text: Cow<'t, str>,
    /// Its range, quotes included.
    pub span: Range<usize>,
}

/// A value.
#[derive(Debug)]
pub enum Item<'t> {
    /// A missing value, which is null, and the offset at which it would be.
    Missing(usize),
    /// A plain scalar, which may span several lines: its text and its range.
    Plain(Cow<'t, str>, Range<usize>),
    /// A quoted or block scalar: its text and its range.
    Text(Cow<'t, str>, Range<usize>),
    /// The offset of a flow collection, which has not been read: `flow` reads it, and [`Cursor::end_flow`] continues
    /// after it.
    Flow(usize),
    /// A block map.
    Map {
        /// The column of its keys.
        column: usize,
        /// The offset of the first one.
        start: usize,
    },
    /// A block sequence.
    Seq {
        /// The column of its dashes.
        column: usize,
        /// The offset of the first one.
        start: usize,
    },
}

/// What a text may have that concerns other text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Whether there may be an anchor.
    pub anchors: bool,
    /// Whether there may be an alias.
    pub aliases: bool,
}

/// A position in a document; see the module.
pub struct Cursor<'t, 'i> {
    text: &'t str,
    view: View<'i>,
    /// Whether the text has tabs.
    tabs: bool,
    form: Form,
    /// The offset of the next line.
    at: usize,
    /// The rest of the current line; `None` if the next line has not been read.
    line: Option<Line>,
    /// The offset of the first line on which a plain scalar from above cannot continue.
    floor: usize,
    /// The minimum column of lines in skipped quotes and flow collections; see [`Cursor::within`].
    least: usize,
    /// The offset of a line that was examined ahead, and its bits.
    ahead: (usize, Bits),
    /// What items of a List that are being skipped have; `None` if it is declined.
    references: Option<Cell<References>>,
    /// The result of the last search for the beginning of a plain scalar above a skipped line.
    scalars: OpenScalars,
}

/// An entry of a block map whose value is a scalar on the line of the key.
#[derive(Clone, Copy)]
pub struct LineEntry<'t> {
    /// The key, which is plain.
    pub key: &'t str,
    /// The offset of the key.
    pub start: usize,
    /// The scalar's text, without its quotes.
    pub text: &'t str,
    /// The offset of the scalar, quotes included.
    value: usize,
    /// Whether the scalar is quoted, and so always a string.
    pub is_quoted: bool,
}

impl<'t> LineEntry<'t> {
    /// The key and its range.
    #[inline(always)]
    pub fn key(&self) -> Key<'t> {
        Key { text: Cow::Borrowed(self.key), span: self.start..self.start + self.key.len() }
    }

    /// The range of the scalar, quotes included.
    #[inline(always)]
    pub fn span(&self) -> Range<usize> {
        self.value..self.value + self.text.len() + 2 * usize::from(self.is_quoted)
    }
}

impl<'t, 'i> Cursor<'t, 'i> {
    /// A cursor at the start of `text`, which has this form, and whose index is `view`.
    pub fn new(text: &'t str, view: View<'i>, form: Form) -> Self {
        let tabs = !view.is_plain() && memchr(b'\t', text.as_bytes()).is_some();
        Self {
            text,
            view,
            tabs,
            form,
            at: 0,
            line: None,
            floor: 0,
            least: form.column(),
            ahead: (usize::MAX, Bits::default()),
            references: None,
            scalars: OpenScalars::default(),
        }
    }

    /// Begins to skip the items of a List, whose content is at the column `least`. Skipped values with lines that start
    /// before it are declined, because they prevent an item from being read on its own. Anchors, aliases, tags, merge
    /// keys and redacted values are not: they do not affect where an item ends.
    pub(super) fn enter_items(&mut self, least: usize) {
        (self.least, self.references) = (least, Some(Cell::default()));
    }

    /// What the items skipped since the last call have.
    pub(super) fn take_references(&mut self) -> References {
        self.references.as_ref().map(Cell::take).unwrap_or_default()
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// The offset of the first line of which nothing has been read; the end of the text after the last line.
    pub fn line_start(&self) -> usize {
        self.line.map_or(self.at.min(self.text.len()), |line| line.start - line.column)
    }

    /// The extent of the line that starts at `at`, from its bits if they reach far enough.
    #[inline]
    fn extent(&self, bits: &Bits, at: usize) -> Extent {
        match bits.line() {
            Some(extent) if at + extent.length < self.text.len() => extent,
            _ => self.far_extent(at),
        }
    }

    /// The extent of a line that is longer than its bits, or is the last one and has no line ending.
    fn far_extent(&self, at: usize) -> Extent {
        let rest = &self.bytes()[at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let column = rest[..length].iter().take_while(|&&byte| byte == b' ').count();
        Extent { length, column }
    }

    /// The end of a line's content, before a carriage return.
    fn content_end(&self, start: usize, end: usize) -> usize {
        if end > start && self.bytes()[end - 1] == b'\r' { end - 1 } else { end }
    }

    /// Reads the first line with content, and returns the root.
    pub fn root(&mut self) -> Certain<Item<'t>> {
        match self.form {
            Form::Document => self.start_document()?,
            Form::Item { .. } => self.start_item()?,
        }
        let Some(line) = self.peek()? else { return Err(Reason::Root) };
        let is_directive = self.form == Form::Document && line.column > 0 && self.bytes()[line.start] == b'%';
        if line.column < self.form.column() || is_directive {
            return Err(Reason::Root);
        }
        self.nested_at(line, None)
    }

    /// Skips the marker at the start of a document, if there is one.
    fn start_document(&mut self) -> Certain<()> {
        let Some(line) = self.any_line()? else { return Ok(()) };
        let rest = self.rest(line);
        if line.column == 0 && is_marker(rest, "---") {
            return Ok(());
        }
        let has_content = rest.strip_prefix("---").is_some_and(|rest| rest.starts_with([' ', '\t']));
        if line.column == 0 && (has_content || rest.starts_with("...")) {
            return Err(Reason::Root);
        }
        self.line = Some(line);
        Ok(())
    }

    /// Reads the line with the dash of an item. To what follows it, the dash is a blank.
    fn start_item(&mut self) -> Certain<()> {
        let least = self.form.column();
        let Extent { length, .. } = self.extent(&self.view.at(0), 0);
        let end = self.content_end(0, length);
        let has_dash = self.bytes().get(..least).is_some_and(|start| start.ends_with(b"- "));
        let blanks = self.bytes()[..end].iter().skip(least).take_while(|&&byte| byte == b' ').count();
        let column = least + blanks;
        self.at = length + 1;
        if !has_dash && end >= least {
            return Err(Reason::Root);
        }
        if column < end && self.bytes()[column] != b'#' {
            self.line = Some(Line { column, start: column, end });
        }
        Ok(())
    }

    /// The rest of a line.
    pub fn rest(&self, line: Line) -> &'t str {
        &self.text[line.start..line.end]
    }

    /// The next line, without consuming it; `None` at the end of the document.
    pub fn peek(&mut self) -> Certain<Option<Line>> {
        if self.line.is_none() {
            self.line = self.any_line()?;
            if let Some(Line { column: 0, start, end }) = self.line {
                let rest = &self.bytes()[start..end];
                if marker::is_end(rest) {
                    (self.line, self.at) = (None, self.text.len());
                    if self.form != Form::Document {
                        return Err(Reason::Marker);
                    }
                } else if rest.starts_with(b"---") && rest.get(3).is_none_or(|&byte| is_blank(byte)) {
                    return Err(Reason::Marker);
                }
            }
        }
        Ok(self.line)
    }

    /// Reads the next line that is neither blank nor a comment. Markers are lines as well.
    fn any_line(&mut self) -> Certain<Option<Line>> {
        let bytes = self.bytes();
        while self.at < bytes.len() {
            let start = self.at;
            let Extent { length, column } = self.extent(&self.view.at(start), start);
            self.at = start + length + 1;
            let end = self.content_end(start, start + length);
            let content = start + column;
            if content >= end || bytes[content] == b'#' {
                continue;
            }
            if bytes[content] == b'\t' {
                return Err(Reason::Tab);
            }
            return Ok(Some(Line { column, start: content, end }));
        }
        Ok(None)
    }

    /// Reads the next entries of the block map at `column` as long as each is on one line, with a plain key that is
    /// certainly a string, and a plain or quoted value without escapes. Stops after an entry for which `visit` returns
    /// `false`. What comes next, another [entry](Cursor::entry) or the end of the map, is not determined.
    ///
    /// Most lines of most documents are read here.
    #[inline(always)]
    pub fn line_entries(
        &mut self,
        column: usize,
        mut visit: impl FnMut(LineEntry<'t>) -> Certain<bool>,
    ) -> Certain<()> {
        let (mut start, mut indent, mut bits) = match self.line {
            None => (self.at, column, self.bits()),
            Some(line) if line.column == column => (line.start, 0, self.view.at(line.start)),
            Some(_) => return Ok(()),
        };
        let mut read = false;
        let stopped = loop {
            let Some(extent) = bits.line().filter(|extent| extent.column == indent) else { break Ok(()) };
            let next = start + extent.length + 1;
            // The document may be part of a longer text.
            let Some(line) = self.bytes().get(start..next - 1) else { break Ok(()) };
            let key_end = bits.word_end(indent);
            let value = key_end + 2;
            if line.get(key_end..value) != Some(b": ") || value == line.len() {
                break Ok(());
            }
            let last = line.len() - 1;
            let ahead = self.view.at(next);
            // Backslashes and quotes are indicators. Without indicators and blanks, a plain scalar has neither a
            // comment nor another key.
            let value_bits = !0 >> (63 - last) & !0 << value;
            let is_quoted = bits.indicators >> value & 1 == 1;
            let is_whole = if is_quoted {
                let both = 1 << value | 1 << last;
                let quotes = [line[value], line[last]];
                bits.indicators & value_bits == both && last > value && matches!(&quotes, b"\"\"" | b"''")
            } else {
                (bits.indicators | bits.blanks) & value_bits == 0
                    && bits.words >> value & 1 == 1
                    && line[value] != b'-'
                    && !matches!(line[last], b':' | b'\r')
                    && !self.may_continue(next, &ahead, column)
            };
            let key = &self.text[start + indent..start + key_end];
            if !is_whole || !is_text(key) {
                break Ok(());
            }
            let quotes = usize::from(is_quoted);
            let text = &self.text[start + value + quotes..start + last + 1 - quotes];
            let entry = LineEntry { key, start: start + indent, text, value: start + value, is_quoted };
            (start, indent, bits, read) = (next, column, ahead, true);
            match visit(entry) {
                Ok(true) => (),
                Ok(false) => break Ok(()),
                Err(reason) => break Err(reason),
            }
        };
        if read {
            (self.at, self.line, self.ahead) = (start, None, (start, bits));
        }
        stopped
    }

    /// The bits of the next line.
    #[inline(always)]
    fn bits(&self) -> Bits {
        let (at, bits) = self.ahead;
        if at == self.at { bits } else { self.view.at(self.at) }
    }

    /// The key of a line that has only a plain key that is certainly a string. `None` means nothing about what comes next.
    fn open_entry(&mut self, column: usize) -> Option<Key<'t>> {
        let (line_start, start, indent, bits) = match self.line {
            None => (self.at, self.at, column, self.bits()),
            Some(line) if line.column == column => {
                (line.start - line.column, line.start, 0, self.view.at(line.start))
            }
            Some(_) => return None,
        };
        let extent = bits.line().filter(|extent| extent.column == indent)?;
        let line = self.bytes().get(start..start + extent.length)?;
        let end = bits.word_end(indent);
        if line.get(end..) != Some(b":") || !line[indent].is_ascii_alphabetic() {
            return None;
        }
        let span = start + indent..start + end;
        let text = &self.text[span.clone()];
        let value = start + extent.length;
        is_text(text).then(|| {
            (self.at, self.line) =
                (value + 1, Some(Line { column: value - line_start, start: value, end: value }));
            Key { text: Cow::Borrowed(text), span }
        })
    }

    /// Whether a plain scalar in a collection at `column` may continue on the line that starts at `next` and has these
    /// bits, because it is blank or deeper.
    #[inline(always)]
    fn may_continue(&self, next: usize, bits: &Bits, column: usize) -> bool {
        let indent = (!bits.blanks).trailing_zeros() as usize;
        let Some(first) = self.bytes().get(next + indent) else {
            return indent >= 63 && next < self.text.len();
        };
        indent > column || indent >= 63 || *first < b' '
    }

    /// Whether the bits show that the block map at `column` ends before the next line.
    #[inline]
    fn ends(&self, column: usize) -> bool {
        let (at, bits) = self.ahead;
        let indent = (!bits.blanks).trailing_zeros() as usize;
        self.line.is_none()
            && at == self.at
            && indent < column
            && self.bytes().get(at + indent).is_some_and(u8::is_ascii_alphanumeric)
    }

    /// The key of the next entry of the block map at `column`, whose [value](Cursor::value) comes next; `None` if the
    /// map ends.
    pub fn entry(&mut self, column: usize) -> Certain<Option<Key<'t>>> {
        if self.ends(column) {
            return Ok(None);
        }
        if let Some(key) = self.open_entry(column) {
            return Ok(Some(key));
        }
        let Some(line) = self.peek()?.filter(|line| line.column >= column) else { return Ok(None) };
        if line.column > column || is_item(self.rest(line)) {
            return Err(Reason::Indent);
        }
        let (key, value) = self.key(line)?.ok_or(Reason::Key)?;
        let line_start = line.start - line.column;
        self.line = Some(Line { column: value - line_start, start: value, end: line.end });
        Ok(Some(key))
    }

    /// The offset of the next item of the block sequence at `column`, whose [value](Cursor::item_value) must be read
    /// next; `None` if the sequence ends. At that column, a key may follow.
    pub fn item(&mut self, column: usize) -> Certain<Option<usize>> {
        let Some(line) = self.peek()?.filter(|line| line.column >= column) else { return Ok(None) };
        if line.column > column {
            return Err(Reason::Indent);
        }
        if !is_item(self.rest(line)) {
            return Ok(None);
        }
        Ok(Some(line.start))
    }

    /// The value of the next item of the sequence at `column`.
    pub fn item_value(&mut self, column: usize) -> Certain<Item<'t>> {
        let Some(dash) = self.peek()? else { return Err(Reason::Indent) };
        let blanks = self.bytes()[dash.start + 1..dash.end].iter().take_while(|&&byte| byte == b' ').count();
        let start = dash.start + 1 + blanks;
        let line = Line { column: dash.column + 1 + blanks, start, end: dash.end };
        match self.bytes()[start..dash.end].first() {
            rest @ (None | Some(b'#')) => {
                self.line = None;
                match self.nested(column, false, dash.start + 1)? {
                    // The full parser gives the missing value another offset.
                    Item::Missing(_) if rest.is_some() => Err(Reason::Indicator),
                    item => Ok(item),
                }
            }
            Some(b'\t') => Err(Reason::Tab),
            Some(_) => {
                self.line = Some(line);
                self.nested_at(line, Some(column))
            }
        }
    }

    /// The value of the last key, in a block map at `column`.
    pub fn value(&mut self, column: usize) -> Certain<Item<'t>> {
        let Some(line) = self.line else { return Err(Reason::Key) };
        match self.bytes()[line.start..line.end].first() {
            None | Some(b'#') => {
                self.line = None;
                // Only blanks separate it from the colon.
                let colon = self.text[..line.start].trim_end_matches([' ', '\t']).len();
                self.nested(column, true, colon)
            }
            Some(b'-') if is_item(self.rest(line)) => Err(Reason::Indicator),
            Some(_) => self.scalar(line, Some(column)),
        }
    }

    /// The value on the lines below a key or dash of a collection at `column`.
    fn nested(&mut self, column: usize, in_map: bool, missing: usize) -> Certain<Item<'t>> {
        if self.line.is_none()
            && let Some(indent) = self.plain_key_column().filter(|indent| *indent > column)
        {
            return Ok(Item::Map { column: indent, start: self.at + indent });
        }
        match self.peek()? {
            Some(line) if line.column > column => self.nested_at(line, Some(column)),
            Some(line) if in_map && line.column == column && is_item(self.rest(line)) => {
                Ok(Item::Seq { column, start: line.start })
            }
            _ => Ok(Item::Missing(missing)),
        }
    }

    /// The column of the next line if its bits show that it begins with a key.
    #[inline]
    fn plain_key_column(&self) -> Option<usize> {
        let bits = self.bits();
        let extent = bits.line()?;
        let line = self.bytes().get(self.at..self.at + extent.length)?;
        let end = bits.word_end(extent.column);
        let is_key = line.get(extent.column)?.is_ascii_alphabetic()
            && line.get(end) == Some(&b':')
            && line.get(end + 1).is_none_or(|&byte| byte == b' ');
        is_key.then_some(extent.column)
    }

    /// The value that starts on `line`, the next one, in a collection at the column `parent`; `None` for the root.
    fn nested_at(&mut self, line: Line, parent: Option<usize>) -> Certain<Item<'t>> {
        let Line { column, start, .. } = line;
        if is_item(self.rest(line)) {
            return Ok(Item::Seq { column, start });
        }
        if self.has_plain_key(line) || self.key(line)?.is_some() {
            return Ok(Item::Map { column, start });
        }
        self.scalar(line, parent)
    }

    /// Whether the first bytes of `line` show that it begins with a key.
    #[inline]
    fn has_plain_key(&self, line: Line) -> bool {
        let bytes = &self.bytes()[line.start..line.end];
        let end = self.view.at(line.start).word_end(0);
        bytes[0].is_ascii_alphabetic()
            && bytes.get(end) == Some(&b':')
            && bytes.get(end + 1).is_none_or(|&byte| byte == b' ')
            && end < LANES
    }

    /// The key at the start of `line`, and the offset of the value after the colon; `None` if there is no key.
    fn key(&self, line: Line) -> Certain<Option<(Key<'t>, usize)>> {
        let bytes = &self.bytes()[line.start..line.end];
        let (text, end) = match bytes[0] {
            quote @ (b'"' | b'\'') => {
                let Some(end) = closing(bytes, quote) else { return Ok(None) };
                if !self.text[line.start + end..line.end].trim_start_matches([' ', '\t']).starts_with(':') {
                    return Ok(None);
                }
                (unquoted(&self.text[line.start..line.start + end])?, end)
            }
            b'?' if matches!(bytes.get(1), None | Some(b' ' | b'\t')) => return Err(Reason::Key),
            b'&' => return Err(Reason::Anchor),
            // A redacted value.
            b'*' if is_redacted(bytes) && colon(bytes).is_none() => return Ok(None),
            b'*' => return Err(Reason::Alias),
            b'!' => return Err(Reason::Tag),
            b'[' | b'{' | b'|' | b'>' => return Ok(None),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' | b'#' => return Err(Reason::Indicator),
            _ => {
                let end = self.view.at(line.start).word_end(0).min(bytes.len());
                let ends =
                    bytes.get(end) == Some(&b':') && bytes.get(end + 1).is_none_or(|&byte| is_blank(byte));
                let Some(end) = (if ends { Some(end) } else { colon(bytes) }) else { return Ok(None) };
                let text = self.text[line.start..line.start + end].trim_end_matches([' ', '\t']);
                if text.is_empty() {
                    return Err(Reason::Key);
                }
                let resolved = if is_text(text) { Scalar::Text } else { scalar::resolve(text) };
                let key = match resolved {
                    Scalar::Text if text == "<<" && self.references.is_none() => return Err(Reason::Merge),
                    Scalar::Text => Cow::Borrowed(text),
                    other => Cow::Owned(other.key(Cow::Borrowed(text)).map_err(|_| Reason::Key)?),
                };
                (key, text.len())
            }
        };
        if end > MAX_KEY {
            return Err(Reason::Key);
        }
        let blanks = |at: usize| bytes[at..].iter().take_while(|&&byte| is_blank(byte)).count();
        let colon = end + blanks(end);
        match bytes.get(colon + 1) {
            None | Some(b' ' | b'\t') => {
                let value = colon + 1 + blanks(colon + 1);
                Ok(Some((Key { text, span: line.start..line.start + end }, line.start + value)))
            }
            Some(_) => Err(Reason::Key),
        }
    }
}

/// The maximum length of a key in bytes (goyaml allows 1,024 characters up to its colon).
pub const MAX_KEY: usize = 1000;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a line at column 0 is `marker`, possibly followed by blanks or a comment.
pub fn is_marker(content: &str, marker: &str) -> bool {
    content.strip_prefix(marker).is_some_and(is_line_end)
}

/// Whether a value begins with asterisks that a collector of dumps has written in its place. To YAML this is an error, so
/// [`redacted`](crate::redacted) reads it as a plain scalar.
fn is_redacted(value: &[u8]) -> bool {
    value.starts_with(b"***")
}

/// Whether a line starts with the dash of a sequence item.
pub fn is_item(content: &str) -> bool {
    matches!(content.as_bytes(), [b'-'] | [b'-', b' ' | b'\t', ..])
}

/// Whether a line ends after the header of a block scalar, where goyaml requires no blank before a comment.
fn is_header_end(rest: &str) -> bool {
    rest.starts_with('#') || is_line_end(rest)
}

/// Whether only blanks and a comment follow, after a scalar, a collection or a marker.
pub fn is_line_end(rest: &str) -> bool {
    let content = rest.trim_start_matches([' ', '\t']);
    content.is_empty() || content.len() < rest.len() && content.starts_with('#')
}

/// The offset of the colon that ends a key: it is followed by a blank or nothing, and not preceded by a comment.
fn colon(content: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = memchr2(b':', b'#', &content[from..]).map(|at| from + at) {
        match content[at] {
            b':' if content.get(at + 1).is_none_or(|&byte| matches!(byte, b' ' | b'\t' | b'\r')) => {
                return Some(at);
            }
            b'#' if at > 0 && is_blank(content[at - 1]) => return None,
            _ => from = at + 1,
        }
    }
    None
}

/// Whether a plain scalar ends in a comment.
fn has_comment(plain: &str) -> bool {
    let bytes = plain.as_bytes();
    memchr::memchr_iter(b'#', bytes).any(|at| at > 0 && is_blank(bytes[at - 1]))
}

/// Whether a plain scalar is a string in YAML 1.1.
#[inline(always)]
pub fn is_text(plain: &str) -> bool {
    // Of texts that begin with a letter, only these words are not strings: true, yes, on, false, no, off and null.
    const WORDS: u32 = 1 << (b't' - b'a')
        | 1 << (b'y' - b'a')
        | 1 << (b'o' - b'a')
        | 1 << (b'f' - b'a')
        | 1 << (b'n' - b'a');
    let bytes = plain.as_bytes();
    let first = bytes.first().map_or(0, |byte| byte | 0x20).wrapping_sub(b'a');
    if first < 26 && (WORDS >> first & 1 == 0 || bytes.len() > 5) {
        return true;
    }
    // The second letter already distinguishes most other texts from the words.
    let second = bytes.get(1).map_or(0, |byte| byte | 0x20);
    first < 26 && second != 0 && !matches!(second, b'r' | b'e' | b'n' | b'a' | b'o' | b'f' | b'u')
        || scalar::resolve(plain) == Scalar::Text
}
