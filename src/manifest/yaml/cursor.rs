//! A place in a YAML document that moves forward through its block structure: the one home of what a line is, what its
//! indent and its key are, where a scalar ends and how it goes on, what quotes, flow collections and block scalars
//! take in, and where comments are.
//!
//! The cursor goes by lines over the [index](super::index) of the text and reads only what it is asked for: a value
//! can be [skipped](Cursor::skip_value), and costs next to nothing then. Everything has its place in bytes.
//!
//! It *declines* whatever it is not certain of, with a [`Reason`]: anchors, aliases, tags, merges, explicit keys, tabs
//! where indentation is, and all that is wrong. Then [`super::full`] reads the document, and says what is wrong. What
//! the cursor accepts it reads as kubectl's YAML reader does (goyaml, scannerc.go), which tests hold against `full`.
//!
//! Columns are 0-based and count bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memchr3_iter};

use super::index::{Bits, Extent, View};
use super::quoted::{BlockText, block_end, fold, unquoted};
use super::scalar::{self, Scalar};
use crate::manifest::simd::LANES;

/// Why a text is left to the full parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It is not UTF-8, or has characters that are not allowed or end lines in YAML 1.1 alone.
    Characters,
    /// A tab where it might count as indentation.
    Tab,
    /// A marker of documents where none can be.
    Marker,
    /// It does not start with a block map, or has no content.
    Root,
    /// A line at a column where nothing can go on.
    Indent,
    /// A line of a map that has no key, or one that is not certain.
    Key,
    /// `&`
    Anchor,
    /// `*`
    Alias,
    /// `!`
    Tag,
    /// `<<`
    Merge,
    /// A character that cannot start a value.
    Indicator,
    /// `a: b: c`
    ValueInValue,
    /// A quoted scalar that does not close, has an unusual escape, or that other text follows.
    Quoted,
    /// A header of a block scalar that is not certain, or lines that do not fit its indent.
    Block,
    /// A flow collection that is not certain.
    Flow,
    /// A number that JSON does not have.
    Number,
    /// Collections nest deeper than is read here.
    Depth,
    /// A field of the head that comes twice, or is not certainly of its type.
    Head,
}

/// A rest of a line that is neither blank nor a comment.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The column at which it starts.
    pub column: usize,
    /// Where it starts in the text. The line itself starts `column` bytes before.
    pub start: usize,
    /// Where it ends, without the end of the line.
    pub end: usize,
}

/// A key of a block map.
#[derive(Debug)]
pub struct Key<'t> {
    /// The key as text: `y: 1` has the key `true`.
    pub text: Cow<'t, str>,
    /// Where it is, quotes included.
    pub span: Range<usize>,
}

/// What is found as a value.
#[derive(Debug)]
pub enum Item<'t> {
    /// Nothing, which is null; where it would be.
    Missing(usize),
    /// A plain scalar, which may be on several lines, and its text.
    Plain(Cow<'t, str>, Range<usize>),
    /// A quoted or block scalar and its text.
    Text(Cow<'t, str>, Range<usize>),
    /// A flow collection that starts here and was not read: `flow` reads it, and
    /// [`Cursor::end_flow`] goes on after it.
    Flow(usize),
    /// A block map.
    Map {
        /// The column of its keys.
        column: usize,
        /// Where the first one starts.
        start: usize,
    },
    /// A block sequence.
    Seq {
        /// The column of its dashes.
        column: usize,
        /// Where the first one is.
        start: usize,
    },
}

/// What the scalar at the end of a line does to the lines that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Nothing is there: what is nested follows.
    Empty,
    /// It is complete.
    Closed,
    /// A plain scalar, which lines deeper than the column go on with.
    Plain(usize),
    /// The header of a block scalar: lines deeper than the column are its content.
    Block(usize),
    /// A quoted scalar that starts at the place and does not close on its line.
    Quoted(usize),
    /// A flow collection that starts at the place and does not close on its line.
    Flow(usize),
}

/// Where a document is being read; see the module.
pub struct Cursor<'t, 'i> {
    text: &'t str,
    view: View<'i>,
    /// Whether the text has tabs.
    tabs: bool,
    /// The column of the root: that of the content of a List's item, else 0.
    base: usize,
    /// Where the next line starts.
    at: usize,
    /// The rest of a line that comes next.
    line: Option<Line>,
    /// Where lines start that no plain scalar from before can go on in.
    floor: usize,
    /// The column that lines of quotes and flow collections that are skipped must not start before; see
    /// [`Cursor::within`].
    least: usize,
    /// The bits of a line that was looked at ahead, and where it starts.
    ahead: (usize, Bits),
}

/// An entry of a block map whose value is a scalar on the key's line.
#[derive(Clone, Copy)]
pub struct LineEntry<'t> {
    /// The key, which is plain.
    pub key: &'t str,
    /// Where it starts.
    pub start: usize,
    /// The scalar's text, without its quotes.
    pub text: &'t str,
    /// Where the scalar starts, quotes included.
    value: usize,
    /// Whether it is in quotes, and so text whatever it says.
    pub is_quoted: bool,
}

impl<'t> LineEntry<'t> {
    /// The key and its place.
    #[inline(always)]
    pub fn key(&self) -> Key<'t> {
        Key { text: Cow::Borrowed(self.key), span: self.start..self.start + self.key.len() }
    }

    /// Where the scalar is, quotes included.
    #[inline(always)]
    pub fn span(&self) -> Range<usize> {
        self.value..self.value + self.text.len() + 2 * usize::from(self.is_quoted)
    }

    /// The scalar as a value.
    #[inline(always)]
    pub fn item(&self) -> Item<'t> {
        let text = Cow::Borrowed(self.text);
        if self.is_quoted { Item::Text(text, self.span()) } else { Item::Plain(text, self.span()) }
    }
}

/// A decline, or what was asked for.
pub type Certain<T> = Result<T, Reason>;

impl<'t, 'i> Cursor<'t, 'i> {
    /// A cursor at the start of `text`, whose index is `view`: a document, or with a `base` above 0 a List's item whose
    /// content is at that column, the dash two before it.
    pub fn new(text: &'t str, view: View<'i>, base: usize) -> Self {
        let tabs = !view.is_plain() && memchr(b'\t', text.as_bytes()).is_some();
        Self {
            text,
            view,
            tabs,
            base,
            at: 0,
            line: None,
            floor: 0,
            least: base,
            ahead: (usize::MAX, Bits::default()),
        }
    }

    /// Declines from here on what has lines that start before the column `least`, where it is skipped: such lines keep
    /// an item of a List from being cut out of it.
    pub fn within(&mut self, least: usize) {
        self.least = least;
    }

    /// The text that is read.
    pub fn text(&self) -> &'t str {
        self.text
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Where the next line starts, of which nothing was read so far; the end of the text after the last one.
    pub fn line_start(&self) -> usize {
        self.line.map_or(self.at.min(self.text.len()), |line| line.start - line.column)
    }

    /// What there is of the line that starts at `at`, from its bits if they reach so far.
    #[inline]
    fn extent(&self, bits: &Bits, at: usize) -> Extent {
        match bits.line() {
            Some(extent) if at + extent.length < self.text.len() => extent,
            _ => self.far_extent(at),
        }
    }

    /// What there is of a line that goes beyond its bits, or is the last one without an end.
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

    /// Reads the document's first line, after a marker that may be before it, and what the root is.
    pub fn root(&mut self) -> Certain<Item<'t>> {
        if self.base > 0 {
            // The dash of an item counts as a blank.
            let Extent { length, .. } = self.extent(&self.view.at(0), 0);
            let end = self.content_end(0, length);
            let dash = self.bytes().get(..self.base).filter(|start| start.ends_with(b"- "));
            let blanks = self.bytes()[..end].iter().skip(self.base).take_while(|&&byte| byte == b' ').count();
            let column = self.base + blanks;
            self.at = length + 1;
            if dash.is_none() && end >= self.base {
                return Err(Reason::Root);
            }
            if column < end && self.bytes()[column] != b'#' {
                self.line = Some(Line { column, start: column, end });
            }
        }
        if self.base == 0
            && let Some(line) = self.any_line()?
            && !(line.column == 0 && is_marker(self.rest(line), "---"))
        {
            if line.column == 0 && self.rest(line).starts_with("...") {
                return Err(Reason::Root);
            }
            self.line = Some(line);
        }
        let Some(line) = self.peek()? else { return Err(Reason::Root) };
        if line.column < self.base || self.base == 0 && line.column > 0 && self.bytes()[line.start] == b'%' {
            return Err(Reason::Root);
        }
        self.nested_at(line, None)
    }

    /// The rest of a line.
    pub fn rest(&self, line: Line) -> &'t str {
        &self.text[line.start..line.end]
    }

    /// The line that comes next, without reading it; `None` at the end of the document.
    pub fn peek(&mut self) -> Certain<Option<Line>> {
        if self.line.is_none() {
            self.line = self.any_line()?;
            if let Some(Line { column: 0, start, end }) = self.line {
                let rest = &self.bytes()[start..end];
                if rest.starts_with(b"...") && matches!(rest.get(3), None | Some(b' ' | b'\t')) {
                    (self.line, self.at) = (None, self.text.len());
                    if self.base > 0 {
                        return Err(Reason::Marker);
                    }
                } else if rest.starts_with(b"---") && rest.get(3).is_none_or(|&byte| is_blank(byte)) {
                    return Err(Reason::Marker);
                }
            }
        }
        Ok(self.line)
    }

    /// Reads the next line that is neither blank nor a comment, markers included.
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

    /// The key of the next entry of the block map at `column`; `None` if the map ends. With it the value where that is on
    /// the key's line alone, as most are; else the [value](Cursor::value) comes next.
    pub fn next(&mut self, column: usize) -> Certain<Option<(Key<'t>, Option<Item<'t>>)>> {
        let mut found = None;
        self.line_entries(column, |entry| {
            found = Some((entry.key(), Some(entry.item())));
            Ok(false)
        })?;
        match found {
            Some(found) => Ok(Some(found)),
            None => Ok(self.entry(column)?.map(|key| (key, None))),
        }
    }

    /// Reads the next entries of the block map at `column` as long as they are each on one line, the key plain and surely
    /// text, the value plain or in quotes, and said by its own characters; stops after one of which `visit` says `false`.
    /// What comes then, an [entry](Cursor::entry) of another shape or the end of the map, is not said.
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
            // Other texts may follow this one.
            let Some(line) = self.bytes().get(start..next - 1) else { break Ok(()) };
            let key_end = bits.word_end(indent);
            let value = key_end + 2;
            if line.get(key_end..value) != Some(b": ") || value == line.len() {
                break Ok(());
            }
            let last = line.len() - 1;
            let ahead = self.view.at(next);
            // Backslashes and quotes are among the indicators; without these and blanks, neither a comment nor another
            // key can be in a plain scalar.
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

    /// The bits of the line that starts at `at`.
    #[inline(always)]
    fn bits(&self) -> Bits {
        let (at, bits) = self.ahead;
        if at == self.at { bits } else { self.view.at(self.at) }
    }

    /// As [`Cursor::entry`], if the line is a plain key that is surely text and nothing else; `None` says nothing about
    /// what comes next.
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

    /// Whether a plain scalar in a collection at `column` may go on in the line that starts at `next`, of which these are
    /// the bits: that is blank or deeper.
    #[inline(always)]
    fn may_continue(&self, next: usize, bits: &Bits, column: usize) -> bool {
        let indent = (!bits.blanks).trailing_zeros() as usize;
        let Some(first) = self.bytes().get(next + indent) else {
            return indent >= 63 && next < self.text.len();
        };
        indent > column || indent >= 63 || *first < b' '
    }

    /// Whether the block map at `column` surely ends before the line that comes next, at a glance.
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

    /// Whether the block sequence at `column` goes on with another item, whose [value](Cursor::item_value) comes next.
    /// After a key at that column, something else may follow.
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

    /// The value of the item whose dash comes next, in a sequence at `column`.
    pub fn item_value(&mut self, column: usize) -> Certain<Item<'t>> {
        let Some(dash) = self.peek()? else { return Err(Reason::Indent) };
        let blanks = self.bytes()[dash.start + 1..dash.end].iter().take_while(|&&byte| byte == b' ').count();
        let start = dash.start + 1 + blanks;
        let line = Line { column: dash.column + 1 + blanks, start, end: dash.end };
        match self.bytes()[start..dash.end].first() {
            rest @ (None | Some(b'#')) => {
                self.line = None;
                match self.nested(column, false, dash.start + 1)? {
                    // The full parser has another place for it.
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

    /// The value of the key that was read last, in a block map at `column`.
    pub fn value(&mut self, column: usize) -> Certain<Item<'t>> {
        let Some(line) = self.line else { return Err(Reason::Key) };
        match self.bytes()[line.start..line.end].first() {
            None | Some(b'#') => {
                self.line = None;
                // Only blanks are between the colon and this.
                let colon = self.text[..line.start].trim_end_matches([' ', '\t']).len();
                self.nested(column, true, colon)
            }
            Some(b'-') if is_item(self.rest(line)) => Err(Reason::Indicator),
            Some(_) => self.scalar(line, Some(column)),
        }
    }

    /// What is on the lines below a key or dash of a collection at `column`.
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

    /// The column of the line that starts at `at`, if it surely begins with a key, at a glance.
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

    /// What starts with `line`, which comes next, in a collection at the column `parent`; the root has none.
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

    /// Whether `line` surely begins with a key, at a glance.
    #[inline]
    fn has_plain_key(&self, line: Line) -> bool {
        let bytes = &self.bytes()[line.start..line.end];
        let end = self.view.at(line.start).word_end(0);
        bytes[0].is_ascii_alphabetic()
            && bytes.get(end) == Some(&b':')
            && bytes.get(end + 1).is_none_or(|&byte| byte == b' ')
            && end < LANES
    }

    /// The key with which `line` begins, and where the value after the colon starts; `None` if there is none.
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
                    Scalar::Text if text == "<<" => return Err(Reason::Merge),
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

    /// The scalar or flow collection that starts with `line`, in a collection at the column `parent`; it is read, but
    /// for a flow collection.
    fn scalar(&mut self, line: Line, parent: Option<usize>) -> Certain<Item<'t>> {
        let rest = &self.bytes()[line.start..line.end];
        let Some(column) = parent else {
            return if matches!(rest[0], b'[' | b'{') {
                Ok(Item::Flow(line.start))
            } else {
                Err(Reason::Root)
            };
        };
        match rest[0] {
            quote @ (b'"' | b'\'') => self.quoted(line, quote),
            b'|' | b'>' => self.block(line, column),
            b'[' | b'{' => Ok(Item::Flow(line.start)),
            b'&' => Err(Reason::Anchor),
            b'*' => Err(Reason::Alias),
            b'!' => Err(Reason::Tag),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' | b'#' => Err(Reason::Indicator),
            b'-' | b'?' | b':' if rest.get(1).is_none_or(|&byte| is_blank(byte)) => Err(Reason::Indicator),
            _ => self.plain(line, column),
        }
    }

    /// The plain scalar that starts with `line`, in a collection at `column`. It goes on in deeper lines, whatever they
    /// start with, up to a comment.
    fn plain(&mut self, line: Line, column: usize) -> Certain<Item<'t>> {
        self.line = None;
        let (first, mut commented) = self.plain_part(line.start, line.end)?;
        let mut end = line.start + first.len();
        let mut folded: Option<String> = None;
        let mut breaks = 0;
        let mut at = self.at;
        while !commented && at < self.text.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(at), at);
            let line_end = self.content_end(at, at + length);
            let start = at + indent;
            at += length + 1;
            breaks += 1;
            if start >= line_end {
                continue;
            }
            match self.bytes()[start] {
                b'\t' => return Err(Reason::Tab),
                _ if indent <= column => break,
                b'#' => break,
                _ => (),
            }
            let part;
            (part, commented) = self.plain_part(start, line_end)?;
            let text = folded.get_or_insert_with(|| first.to_owned());
            fold(text, breaks);
            text.push_str(part);
            (end, breaks, self.at) = (start + part.len(), 0, at);
        }
        let text = folded.map_or(Cow::Borrowed(first), Cow::Owned);
        Ok(Item::Plain(text, line.start..end))
    }

    /// What a plain scalar has of the line from `start` to `end`, and whether a comment ends it there.
    fn plain_part(&self, start: usize, end: usize) -> Certain<(&'t str, bool)> {
        let bytes = &self.bytes()[start..end];
        let mut length = bytes.len();
        for at in memchr3_iter(b':', b'#', b'\t', bytes) {
            match bytes[at] {
                b':' if bytes.get(at + 1).is_none_or(|&byte| is_blank(byte)) => {
                    return Err(Reason::ValueInValue);
                }
                b'#' if at > 0 && is_blank(bytes[at - 1]) => {
                    length = at;
                    break;
                }
                _ => (),
            }
        }
        let text = self.text[start..start + length].trim_end_matches([' ', '\t']);
        Ok((text, length < bytes.len()))
    }

    /// The quoted scalar with which `line` begins, and to its last line's end only a comment.
    fn quoted(&mut self, line: Line, quote: u8) -> Certain<Item<'t>> {
        let end = match closing(&self.bytes()[line.start..line.end], quote) {
            Some(end) => line.start + end,
            None => {
                let end = line.start + closing(&self.bytes()[line.start..], quote).ok_or(Reason::Quoted)?;
                self.check_markers(line.start..end)?;
                end
            }
        };
        self.end_line(end, Reason::Quoted)?;
        Ok(Item::Text(unquoted(&self.text[line.start..end])?, line.start..end))
    }

    /// Goes on with the line after the one on which something ends at `end`; up to its end only a comment is allowed.
    fn end_line(&mut self, end: usize, reason: Reason) -> Certain<()> {
        let rest = &self.bytes()[end..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let content = &self.text[end..self.content_end(end, end + length)];
        (self.line, self.at, self.floor) = (None, end + length + 1, end + length + 1);
        if is_line_end(content) { Ok(()) } else { Err(reason) }
    }

    /// # Errors
    ///
    /// A line within `range`, but not the first, starts with a marker of documents.
    fn check_markers(&self, range: Range<usize>) -> Certain<()> {
        let mut at = range.start;
        while let Some(end) = memchr(b'\n', &self.bytes()[at..range.end]) {
            at += end + 1;
            if self.bytes()[at..].starts_with(b"---") || self.bytes()[at..].starts_with(b"...") {
                return Err(Reason::Marker);
            }
        }
        Ok(())
    }

    /// # Errors
    ///
    /// As of [`Cursor::check_markers`], and if a line starts before the column that was asked for.
    fn check_lines(&self, range: Range<usize>) -> Certain<()> {
        let reaches_left = |line: &str| {
            let content = line.trim_start_matches(' ');
            line.len() - content.len() < self.least && !content.trim_ascii_end().is_empty()
        };
        if self.least > 0 && self.text[range.clone()].split('\n').skip(1).any(reaches_left) {
            return Err(Reason::Indent);
        }
        self.check_markers(range)
    }

    /// The block scalar whose header `line` begins with, in a collection at `column`.
    fn block(&mut self, line: Line, column: usize) -> Certain<Item<'t>> {
        let header = self.rest(line);
        let (mut explicit, mut chomping, mut length) = (None, None, 1);
        for byte in header.bytes().skip(1) {
            match byte {
                b'1'..=b'9' if explicit.is_none() => explicit = Some(usize::from(byte - b'0')),
                b'+' | b'-' if chomping.is_none() => chomping = Some(byte),
                _ => break,
            }
            length += 1;
        }
        if !is_header_end(&header[length..]) {
            return Err(Reason::Block);
        }
        let from = self.at.min(self.text.len());
        let indent = match explicit {
            Some(deeper) => column + deeper,
            None => self.block_indent(from, column)?,
        };
        self.skip_block(column.min(indent - 1));
        // A comment before the content's column ends it, and what follows a scalar is not its own.
        let mut text = BlockText::new(header.starts_with('>'));
        let mut end = from;
        for line in self.text[from..self.at].split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            let content = content.strip_suffix('\r').unwrap_or(content);
            let blanks = content.bytes().take(indent).take_while(|&byte| byte == b' ').count();
            match content.as_bytes().get(blanks) {
                None => text.add_break(),
                Some(_) if blanks == indent => text.add_line(&content[indent..]),
                Some(b'#') if explicit.is_none() => break,
                Some(b'\t') => return Err(Reason::Tab),
                Some(_) => return Err(Reason::Block),
            }
            end += line.len();
        }
        (self.line, self.at, self.floor) = (None, end, end);
        let text = text.finish(chomping);
        let end = block_end(&self.text[line.start..end], &text);
        Ok(Item::Text(Cow::Owned(text), line.start..line.start + end))
    }

    /// The column of the content of a block scalar that starts at `from`, in a collection at `column`, by its first
    /// line (goyaml, yaml_parser_scan_block_scalar_breaks).
    fn block_indent(&self, from: usize, column: usize) -> Certain<usize> {
        let mut deepest = column + 1;
        let mut at = from;
        while at < self.text.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(at), at);
            let end = self.content_end(at, at + length);
            match self.bytes()[at + indent..end].first() {
                None => deepest = deepest.max(indent),
                Some(b'\t') => return Err(Reason::Tab),
                // Lines of more blanks than the first line with content has are content, or an error.
                Some(_) if indent > column => {
                    return if indent >= deepest { Ok(indent) } else { Err(Reason::Block) };
                }
                Some(_) => break,
            }
            at += length + 1;
        }
        if deepest > column + 1 { Err(Reason::Block) } else { Ok(deepest) }
    }

    /// Skips the lines of a block scalar in a collection at `column`: those that are deeper or blank.
    fn skip_block(&mut self, column: usize) {
        let bytes = self.bytes();
        while self.at < bytes.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(self.at), self.at);
            let is_blank = self.at + indent >= self.content_end(self.at, self.at + length);
            if !is_blank && indent <= column {
                return;
            }
            self.at += length + 1;
            if !is_blank {
                self.at = self.view.next_left(self.at - 1, column + 1).unwrap_or(bytes.len());
            }
        }
        self.at = bytes.len();
    }

    /// Goes on after the flow collection that was found, which ends at `end`.
    pub fn end_flow(&mut self, end: usize) -> Certain<()> {
        self.end_line(end, Reason::Flow)
    }

    /// Skips the value of the key that was read last, in a block map at `column`. What it holds is not checked, but
    /// for what may hide where it ends.
    pub fn skip_value(&mut self, column: usize) -> Certain<()> {
        let Some(line) = self.line.take() else { return Err(Reason::Key) };
        self.floor = line.start - line.column;
        match self.shape(line, column)? {
            Shape::Empty => self.skip_nested(column),
            Shape::Plain(column) => self.skip_deeper(column),
            shape => self.skip_shape(shape),
        }
    }

    /// Skips what is nested below a key at `column`: deeper lines, or items at the column itself.
    pub fn skip_nested(&mut self, column: usize) -> Certain<()> {
        let is_item_at = |cursor: &Self, line: Line| line.column == column && is_item(cursor.rest(line));
        if !self.peek()?.is_some_and(|line| is_item_at(self, line)) {
            return self.skip_deeper(column);
        }
        while let Some(line) = self.peek()?.filter(|line| is_item_at(self, *line)) {
            self.skip_line(line)?;
            self.skip_deeper(column)?;
        }
        Ok(())
    }

    /// Skips the lines that are deeper than `column`.
    pub fn skip_deeper(&mut self, column: usize) -> Certain<()> {
        loop {
            self.skip_closed(column + 1);
            let Some(line) = self.peek()?.filter(|line| line.column > column) else { return Ok(()) };
            self.skip_line(line)?;
        }
    }

    /// Skips the value of the key that was read last, in a block map at `column`, and makes sure that it is text or
    /// null.
    pub fn skip_text(&mut self, column: usize) -> Certain<()> {
        let Some(line) = self.line else { return Err(Reason::Key) };
        if self.rest(line).starts_with(['"', '\'', '|', '>']) {
            return self.skip_value(column);
        }
        match self.value(column)? {
            Item::Missing(_) | Item::Text(..) => Ok(()),
            Item::Plain(text, _) if matches!(scalar::resolve(&text), Scalar::Text | Scalar::Null) => Ok(()),
            _ => Err(Reason::Head),
        }
    }

    /// Skips the value of the key that was read last, in a block map at `column`, without looking at what is nested
    /// below it: quoted scalars and flow collections there may have lines that seem to be keys at the column. Returns
    /// whether anything was skipped so.
    pub fn skip_unread(&mut self, column: usize) -> Certain<bool> {
        let Some(line) = self.line.take() else { return Err(Reason::Key) };
        let shape = self.shape(line, column)?;
        match shape {
            Shape::Empty | Shape::Plain(_) => (),
            shape => return self.skip_shape(shape).map(|()| false),
        }
        let from = self.at;
        let bytes = self.bytes();
        let deeper = |at: usize| {
            let start = bytes.get(at..=at + column);
            start.is_some_and(|start| start.iter().all(|&byte| byte == b' '))
        };
        loop {
            while deeper(self.at) {
                let next = self.view.next_left(self.at, column + 1);
                self.at = next.unwrap_or(bytes.len()).min(bytes.len());
            }
            let Some(line) = self.peek()? else { break };
            let is_item = line.column == column && shape == Shape::Empty && is_item(self.rest(line));
            if line.column <= column && !is_item {
                break;
            }
            self.line = None;
        }
        let end = self.line_start();
        self.floor = end;
        Ok(end > from)
    }

    /// Skips lines at the column `least` or deeper, as long as they are closed in themselves.
    fn skip_closed(&mut self, least: usize) {
        while self.line.is_none() && self.at < self.text.len() {
            let bits = self.view.at(self.at);
            match bits.line() {
                Some(line) if line.column >= least && self.is_closed(&bits, line) => {
                    self.at += line.length + 1
                }
                _ => return,
            }
            // Plain lines mostly come in a row.
            if bits.inside(bits.indicators) == 0 && !self.tabs {
                self.at = self.view.skip_plain(self.at, least);
            }
        }
    }

    /// Whether the line that comes next is surely complete in itself, be it structure or the middle of a plain scalar.
    #[inline]
    fn is_closed(&self, bits: &Bits, line: Extent) -> bool {
        let indicators = bits.inside(bits.indicators);
        if indicators == 0 || self.tabs {
            return indicators == 0;
        }
        // Only where a scalar may start do they open anything; tabs are as good as blanks there.
        let mut starts = indicators & (bits.blanks << 1 | 1 << line.column);
        let bytes = &self.bytes()[self.at..];
        while starts != 0 {
            let start = starts.trailing_zeros() as usize;
            let behind = indicators & (!1 << start);
            if behind == 0 || bytes[start] == b'#' {
                return bytes[start] == b'#';
            }
            let end = behind.trailing_zeros() as usize;
            match (bytes[start], bytes[end], bytes[end + 1]) {
                // Backslashes are among the indicators.
                (b'"', b'"', b'\n' | b':') | (b'\'', b'\'', b'\n' | b':') => (),
                (b'{', b'}', b'\n') | (b'[', b']', b'\n') if end == start + 1 => (),
                _ => return false,
            }
            starts &= !1 << end;
        }
        true
    }

    /// Skips a line that comes next and what its last scalar takes in.
    pub fn skip_line(&mut self, line: Line) -> Certain<()> {
        self.line = None;
        let shape = match self.line_shape(line) {
            // What is said of structure holds for no line of a plain scalar, whatever it starts with.
            Ok(shape @ (Shape::Block(_) | Shape::Quoted(_) | Shape::Flow(_))) if self.may_be_text(line) => {
                if self.continues(line) {
                    Shape::Closed
                } else {
                    shape
                }
            }
            Err(reason) => {
                if self.continues(line) {
                    Shape::Closed
                } else {
                    return Err(reason);
                }
            }
            Ok(shape) => shape,
        };
        self.skip_shape(shape)
    }

    fn skip_shape(&mut self, shape: Shape) -> Certain<()> {
        match shape {
            Shape::Empty | Shape::Closed | Shape::Plain(_) => Ok(()),
            Shape::Block(column) => {
                self.skip_block(column);
                self.floor = self.at;
                Ok(())
            }
            Shape::Quoted(start) => {
                let end =
                    start + closing(&self.bytes()[start..], self.bytes()[start]).ok_or(Reason::Quoted)?;
                self.check_lines(start..end)?;
                self.end_line(end, Reason::Quoted)
            }
            Shape::Flow(start) => {
                let end = self.flow_end(start)?;
                self.check_lines(start..end)?;
                self.end_line(end, Reason::Flow)
            }
        }
    }

    /// Whether a line has no key, so that it may be the middle of a plain scalar.
    fn may_be_text(&self, line: Line) -> bool {
        let bytes = &self.bytes()[line.start..line.end];
        colon(bytes).is_none()
    }

    /// What the last scalar of a line, if it is structure, does to the lines that follow.
    fn line_shape(&self, line: Line) -> Certain<Shape> {
        let (content, dash) = self.without_dashes(line);
        if content.start == content.end || self.bytes()[content.start] == b'#' {
            return Ok(Shape::Empty);
        }
        match (self.key(content)?, dash) {
            (Some((_, value)), _) => {
                let value_column = value - (line.start - line.column);
                self.shape(Line { column: value_column, start: value, end: line.end }, content.column)
            }
            (None, Some(dash)) => self.shape(content, dash),
            // A scalar on a line of its own, which goes on with whatever is deeper than its key.
            (None, None) => match self.shape(content, content.column)? {
                Shape::Block(_) => Err(Reason::Block),
                shape => Ok(shape),
            },
        }
    }

    /// The rest of a line after the dashes at its start, and the column of the last of them.
    fn without_dashes(&self, mut line: Line) -> (Line, Option<usize>) {
        let mut dash = None;
        while line.start < line.end && is_item(self.rest(line)) {
            let blanks =
                self.bytes()[line.start + 1..line.end].iter().take_while(|&&byte| byte == b' ').count();
            dash = Some(line.column);
            line = Line { column: line.column + 1 + blanks, start: line.start + 1 + blanks, ..line };
        }
        (line, dash)
    }

    /// What a value that starts with `line`, in a collection at `column`, does to the lines that follow.
    fn shape(&self, line: Line, column: usize) -> Certain<Shape> {
        let rest = self.rest(line);
        let ends =
            |end: usize, reason| if is_line_end(&rest[end..]) { Ok(Shape::Closed) } else { Err(reason) };
        match rest.as_bytes().first() {
            None | Some(b'#') => Ok(Shape::Empty),
            Some(quote @ (b'"' | b'\'')) => match closing(rest.as_bytes(), *quote) {
                Some(end) => ends(end, Reason::Quoted),
                None => Ok(Shape::Quoted(line.start)),
            },
            Some(b'[' | b'{') => match rest {
                "{}" | "[]" => Ok(Shape::Closed),
                _ => match flow_end(rest.as_bytes())? {
                    Some(end) => ends(end, Reason::Flow),
                    None => Ok(Shape::Flow(line.start)),
                },
            },
            Some(b'|' | b'>') => {
                let indicators = |c: char| matches!(c, '1'..='9' | '+' | '-');
                let header = rest[1..].trim_start_matches(indicators);
                if is_header_end(header) { Ok(Shape::Block(column)) } else { Err(Reason::Block) }
            }
            Some(b'&') => Err(Reason::Anchor),
            Some(b'*') => Err(Reason::Alias),
            Some(b'!') => Err(Reason::Tag),
            Some(b'\t') => Err(Reason::Tab),
            Some(b'?') if is_line_end(&rest[1..]) || rest[1..].starts_with(' ') => Err(Reason::Key),
            Some(_) if has_comment(rest) => Ok(Shape::Closed),
            Some(_) => Ok(Shape::Plain(column)),
        }
    }

    fn flow_end(&self, start: usize) -> Certain<usize> {
        flow_end(&self.bytes()[start..])?.map(|end| start + end).ok_or(Reason::Flow)
    }

    /// Whether `line`, which is in what is skipped, is the middle of a plain scalar that began above. That can be told
    /// only from above: a line of text may look like any structure. A line with a key is none, so that the last one of
    /// these is where to start.
    fn continues(&self, line: Line) -> bool {
        let line_start = line.start - line.column;
        let mut from = line_start;
        while from > self.floor {
            let end = from - 1;
            from = memchr::memrchr(b'\n', &self.bytes()[..end]).map_or(0, |at| at + 1).max(self.floor);
            let content = self.text[from..end].trim_start_matches(' ');
            if !content.starts_with('#') && colon(content.as_bytes()).is_some() {
                break;
            }
        }
        // The column of the collection whose scalar is open, and of the last one whose value is still to come.
        let (mut open, mut waiting): (Option<usize>, Option<usize>) = (None, None);
        for text in self.text[from..line_start].split_inclusive('\n') {
            let content = text.trim_ascii_end();
            let column = content.len() - content.trim_start_matches(' ').len();
            let line = Line { column, start: from + column, end: from + content.len() };
            from += text.len();
            if line.start >= line.end {
                continue;
            }
            if self.bytes()[line.start] == b'#' {
                open = None;
            } else if open.is_some_and(|open| column > open) {
                open = open.filter(|_| !has_comment(self.rest(line)));
            } else {
                let (inner, dash) = self.without_dashes(line);
                let has_key = colon(&self.bytes()[inner.start..inner.end]).is_some();
                open = match self.line_shape(line) {
                    Ok(Shape::Plain(_)) if !has_key && dash.is_none() => {
                        waiting.filter(|waiting| column > *waiting)
                    }
                    Ok(Shape::Plain(column)) => Some(column),
                    _ => None,
                };
                waiting =
                    (open.is_none()).then_some(if has_key { inner.column } else { dash.unwrap_or(column) });
            }
        }
        open.is_some_and(|open| line.column > open)
    }
}

/// How long a key may be, in bytes (goyaml allows 1,024 characters up to its colon).
const MAX_KEY: usize = 1000;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a line at column 0 is `marker` with nothing but blanks or a comment after it.
pub fn is_marker(content: &str, marker: &str) -> bool {
    content.strip_prefix(marker).is_some_and(is_line_end)
}

/// Whether a line starts with the dash of a sequence's item.
pub fn is_item(content: &str) -> bool {
    matches!(content.as_bytes(), [b'-'] | [b'-', b' ' | b'\t', ..])
}

/// As [`is_line_end`], after the header of a block scalar, where goyaml needs no blank before a comment.
fn is_header_end(rest: &str) -> bool {
    rest.starts_with('#') || is_line_end(rest)
}

/// Whether nothing but blanks and a comment is there, after a scalar, a collection or a marker that ends there.
pub fn is_line_end(rest: &str) -> bool {
    let content = rest.trim_start_matches([' ', '\t']);
    content.is_empty() || content.len() < rest.len() && content.starts_with('#')
}

/// The offset of the colon that ends a key or would end one: a blank or nothing follows it, and no comment is before.
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

/// Whether a comment ends a plain scalar.
fn has_comment(plain: &str) -> bool {
    let bytes = plain.as_bytes();
    memchr::memchr_iter(b'#', bytes).any(|at| at > 0 && is_blank(bytes[at - 1]))
}

/// Whether a plain scalar is text to YAML 1.1.
#[inline(always)]
pub fn is_text(plain: &str) -> bool {
    // Of what starts with a letter, only words are something else: true, yes, on, false, no, off and null.
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
    // Most other texts differ from the words in their second letter.
    let second = bytes.get(1).map_or(0, |byte| byte | 0x20);
    first < 26 && second != 0 && !matches!(second, b'r' | b'e' | b'n' | b'a' | b'o' | b'f' | b'u')
        || scalar::resolve(plain) == Scalar::Text
}

/// The offset after the closing quote of a scalar that starts with `quote`; `None` if it stays open.
pub fn closing(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = bytes.get(at..)?;
        if quote == b'"' {
            at += memchr2(b'"', b'\\', rest)?;
            match bytes[at] {
                b'"' => return Some(at + 1),
                _ => at += 2,
            }
        } else {
            at += memchr(b'\'', rest)? + 1;
            match bytes.get(at) {
                Some(b'\'') => at += 1,
                _ => return Some(at),
            }
        }
    }
}

/// The offset after a flow collection; `None` if it does not close.
///
/// # Errors
///
/// It holds anchors, aliases, tags, tabs, or quotes that may be text.
fn flow_end(bytes: &[u8]) -> Certain<Option<usize>> {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(at + 1));
                }
            }
            // A quote inside a plain scalar opens nothing.
            quote @ (b'"' | b'\'') if matches!(bytes[at - 1], b'{' | b'[' | b',' | b':' | b' ' | b'\n') => {
                match closing(&bytes[at..], quote) {
                    Some(end) => at += end,
                    None => return Ok(None),
                }
                continue;
            }
            b'#' if matches!(bytes[at - 1], b' ' | b'\n') => match memchr(b'\n', &bytes[at..]) {
                Some(end) => at += end,
                None => return Ok(None),
            },
            b'&' => return Err(Reason::Anchor),
            b'*' => return Err(Reason::Alias),
            b'!' => return Err(Reason::Tag),
            b'\t' => return Err(Reason::Tab),
            b'"' | b'\'' => return Err(Reason::Flow),
            _ => (),
        }
        at += 1;
    }
    Ok(None)
}
