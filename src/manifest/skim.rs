//! Heads without parsing: what selecting needs of a document, read line by line and borrowed from its text.
//!
//! The skimmer reads a document only where nothing it relies on could mean something else to kubectl's YAML
//! reader, and declines everything else to the full parser: anchors, aliases, tags, merge keys, flow maps,
//! escapes, tabs, odd indents, duplicate keys, continued scalars, plain scalars that may not be strings. What
//! it does not look at (the body behind a complete head) it does not check: a broken body goes unnoticed
//! until something asks for it.
//!
//! The one trap: quoted scalars and flow collections may go on at column 0, where their text looks like keys.
//! So each line that is skipped before apiVersion, kind and metadata are all known, or inside metadata or a
//! List, is looked at for a value that opens and does not close.

mod marks;
mod outline;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

pub use self::marks::Marks;
use self::marks::{Marked, PartMarks, Seen};
pub use self::outline::outline;
use super::head::{Head, MANY_LABELS, is_time};
use super::yaml::scalar::{self, Scalar};

/// How far a line that may continue a scalar is looked back from, in bytes.
const LOOK_BACK: usize = 4096;

/// What skimming a document came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Skimmed<'t> {
    /// An object, whose head was filled in.
    Object,
    /// A List.
    List(List<'t>),
    /// Not certain: the full parser decides.
    Declined,
}

/// A List cut into items.
#[derive(Debug, PartialEq, Eq)]
pub struct List<'t> {
    /// The List's own `apiVersion`.
    pub api_version: &'t str,
    /// The List's own `kind`.
    pub kind: &'t str,
    /// The items: each starts with its dash's line and ends before the next one's.
    pub items: Vec<Range<usize>>,
    /// The column of the items' content, two behind the dash.
    pub indent: usize,
}

/// Items that were cut off the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Cut {
    /// The items, as in [`List`].
    pub items: Vec<Range<usize>>,
    /// Where they end.
    pub end: usize,
    /// What follows there.
    pub rest: Rest,
}

/// What follows the items that could be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: the text ends with an item.
    Ended,
    /// What stands behind the items in the List.
    Followed,
    /// An item that is perhaps not there as a whole.
    Unread,
    /// An item that only the full parser can tell the end of.
    Uncertain,
}

/// The start of a List in a text that need not hold all of it.
#[derive(Debug, PartialEq, Eq)]
pub struct ListStart<'t> {
    /// The List's `apiVersion`; empty if it stands behind the items.
    pub api_version: &'t str,
    /// The List's `kind`; empty if it stands behind the items.
    pub kind: &'t str,
    /// Where the first item's line starts.
    pub items: usize,
    /// The column of the items' dashes.
    pub dash: usize,
}

/// Reads `text`, the start of a document, up to the first item of a List; nothing when it is no List, or not
/// certain to be one.
pub fn list_start(text: &[u8]) -> Option<ListStart<'_>> {
    let mut head = Head::default();
    let (text, marks) = marked_text(text)?;
    let mut skimmer = Skimmer::new(text, marks.part(0), 0);
    skimmer.stops_at_items = true;
    skimmer.document(&mut head);
    let (items, dash) = skimmer.first_item?;
    Some(ListStart { api_version: head.api_version, kind: head.kind, items, dash })
}

/// Cuts items with their dashes at column `dash` off the start of `text`, the lines of a List from one of its
/// items on. `complete` says that the text ends where the document does. Where there are items, with what stands
/// where in the text.
pub fn cut(text: &[u8], dash: usize, complete: bool) -> (Cut, Option<Marks>) {
    let Some((text, marks)) = marked_text(text) else {
        return (Cut { items: Vec::new(), end: 0, rest: Rest::Uncertain }, None);
    };
    let cut = Skimmer::new(text, marks.part(0), 0).cut(dash, complete);
    (cut, Some(marks))
}

/// Whether `text`, what stands behind the items of a List that were cut without looking at it, leaves them what
/// they are: it has no other items.
pub fn is_list_tail(text: &[u8]) -> bool {
    let Some((text, marks)) = marked_text(text) else { return false };
    let mut skimmer = Skimmer::new(text, marks.part(0), 0);
    let mut nested = Nested::Nothing;
    while let Some(line) = skimmer.line() {
        let read = if line.column > 0 || is_item(line.content) {
            nested.followed_by(line.column == 0).and_then(|next| {
                nested = next;
                skimmer.skip_checked(line)
            })
        } else if is_marker(line.content, "...") {
            return true;
        } else {
            key(line.content).filter(|(key, _)| *key != "items").and_then(|(_, value)| {
                nested = Nested::behind(value);
                skimmer.skip_value(value, 0)
            })
        };
        if read.is_none() {
            return false;
        }
    }
    true
}

/// Reads the head of `text` into `head`, which is cleared first. `text` is a document, or with an `indent`
/// above 0 a List's item whose content stands at that column, the dash two before it.
pub fn skim<'t>(text: &'t [u8], indent: usize, head: &mut Head<'t>) -> Skimmed<'t> {
    skim_with(&mut Marks::default(), text, indent, head)
}

/// As [`skim`], in the memory of marks that were used before, which are the text's then.
pub fn skim_with<'t>(marks: &mut Marks, text: &'t [u8], indent: usize, head: &mut Head<'t>) -> Skimmed<'t> {
    head.clear();
    marks.mark(text);
    let plain = plain_text(text, marks);
    let skimmed = plain.and_then(|text| Skimmer::new(text, marks.part(0), indent).document(head));
    skimmed.unwrap_or(Skimmed::Declined)
}

/// As [`skim`], of an item `range` of a text in which items were [`cut`] and that has these `marks`.
pub fn skim_item<'t>(
    text: &'t [u8],
    range: Range<usize>,
    marks: &Marks,
    indent: usize,
    head: &mut Head<'t>,
) -> Skimmed<'t> {
    head.clear();
    let Ok(item) = simdutf8::basic::from_utf8(&text[range.clone()]) else { return Skimmed::Declined };
    Skimmer::new(item, marks.part(range.start), indent).document(head).unwrap_or(Skimmed::Declined)
}

/// The lines of `metadata` with what is nested below them, in a `text` read as [`skim`] does; comments up to
/// the next key are among them. Nothing when the head is not certain, there is no such block, or it starts on
/// the line of an item's dash.
///
/// Nothing outside these lines can refer to them or change what they mean, so they may be read and edited by
/// themselves.
pub fn metadata(text: &[u8], indent: usize) -> Option<Range<usize>> {
    let (text, marks) = marked_text(text)?;
    let mut skimmer = Skimmer::new(text, marks.part(0), indent);
    let skimmed = skimmer.document(&mut Head::default())?;
    let first_line = if indent == 0 { 0 } else { 1 };
    skimmer.metadata.filter(|lines| skimmed == Skimmed::Object && lines.start >= first_line)
}

/// Reads the lines that [`metadata`] finds, edited perhaps, of an object whose keys stand at the column
/// `indent`. Nothing when they are not certain, or something else than metadata stands there.
pub fn metadata_head(lines: &[u8], indent: usize) -> Option<Head<'_>> {
    let mut head = Head::default();
    let (lines, marks) = marked_text(lines)?;
    let mut skimmer = Skimmer::new(lines, marks.part(0), indent);
    let first = skimmer.line().filter(|line| line.column == indent)?;
    let (name, value) = key(first.content)?;
    (name == "metadata" && is_empty(value)).then_some(())?;
    skimmer.metadata(&mut head)?;
    skimmer.line().is_none().then_some(head)
}

/// As [`plain_text`], with what stands where in it.
fn marked_text(text: &[u8]) -> Option<(&str, Marks)> {
    let mut marks = Marks::default();
    marks.mark(text);
    plain_text(text, &marks).map(|text| (text, marks))
}

/// The text, which has these marks, when no byte of it could upset the reading by lines: valid UTF-8 without control
/// characters, lone carriage returns, byte order marks and the line breaks that only YAML 1.1 knows.
fn plain_text<'t>(bytes: &'t [u8], marks: &Marks) -> Option<&'t str> {
    let text = simdutf8::basic::from_utf8(bytes).ok()?;
    let breaks =
        |c| matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let mut follower = bytes.iter().skip(1);
    let mut controls = bytes.iter().map(|&byte| (byte, follower.next())).map(|(byte, next)| match byte {
        b'\r' => next == Some(&b'\n'),
        b'\t' | b'\n' => true,
        byte => byte >= b' ' && byte != 0x7f,
    });
    (marks.is_plain() || controls.all(|harmless| harmless) && !text.contains(breaks)).then_some(text)
}

/// One line that is neither blank nor a comment.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// Where its content starts, in blanks from the left.
    column: usize,
    /// What stands behind the blanks, without the line end.
    content: &'t str,
    /// Where the line starts in the text.
    start: usize,
}

struct Skimmer<'t, 'm> {
    text: &'t str,
    /// The column of the object's own keys.
    base: usize,
    /// The least column of what is skipped: the lines of a List's items must let themselves be dedented.
    least: usize,
    /// What stands where in it.
    marks: PartMarks<'m>,
    /// Whether there are tabs in it.
    tabs: bool,
    /// Where the next line starts.
    at: usize,
    /// The line that was read and given back.
    pending: Option<Line<'t>>,
    /// Whether reading ends at a List's first item, and where that was: its line and the column of its dash.
    stops_at_items: bool,
    first_item: Option<(usize, usize)>,
    /// The lines of the block that is `metadata`.
    metadata: Option<Range<usize>>,
}

/// A line with a key and a value that are plain and surely strings.
struct PlainEntry<'t> {
    column: usize,
    key: &'t str,
    value: &'t str,
    /// Where the next line starts in the text.
    end: usize,
}

/// What a line's value does to the lines that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Nothing stands there: what is nested follows.
    Empty,
    /// Closed on its line; a plain scalar may go on in deeper lines, which is harmless.
    Closed,
    /// The header of a block scalar: lines deeper than this column are its content.
    Block(usize),
    /// A quoted scalar that goes on: lines up to the closing quote are its content, at whatever column.
    Open,
}

impl<'t, 'm> Skimmer<'t, 'm> {
    fn new(text: &'t str, marks: PartMarks<'m>, base: usize) -> Self {
        let (pending, metadata, first_item) = (None, None, None);
        let tabs = !marks.is_plain() && memchr(b'\t', text.as_bytes()).is_some();
        Self {
            text,
            marks,
            tabs,
            base,
            least: base,
            at: 0,
            pending,
            metadata,
            stops_at_items: false,
            first_item,
        }
    }

    /// The next line with content; nothing at the end of the text.
    fn line(&mut self) -> Option<Line<'t>> {
        if let Some(line) = self.pending.take() {
            return Some(line);
        }
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            let start = self.at;
            let Seen { length, mut column } = self.marks.at(start).line().unwrap_or_else(|| self.look_far());
            let mut end = start + length;
            self.at = end + 1;
            if end > start && bytes[end - 1] == b'\r' {
                end -= 1;
            }
            let mut content = start + column;
            // The first line of an item has its dash where the others have blanks.
            if self.base > 0 && start == 0 {
                column = self.base;
                content = bytes[..end].iter().skip(column).take_while(|&&b| b == b' ').count() + column;
            }
            if content >= end || bytes[content] == b'#' {
                continue;
            }
            return Some(Line { column, content: &self.text[start + column..end], start });
        }
        None
    }

    /// What there is to see of a line that goes beyond its marks, or is the last one without an end.
    fn look_far(&self) -> Seen {
        let rest = &self.text.as_bytes()[self.at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let column = rest[..length].iter().take_while(|&&byte| byte == b' ').count();
        Seen { length, column }
    }

    /// The line that comes next where it is `key: value`, and both are plain and surely strings. It is not yet read.
    #[inline]
    fn plain_entry(&self) -> Option<PlainEntry<'t>> {
        let marks = self.marks.at(self.at);
        let Seen { length, column } = marks.line().filter(|_| self.pending.is_none())?;
        // Behind the text others may follow.
        let line = self.text.as_bytes().get(self.at..self.at + length)?;
        let key_end = marks.word_end(column);
        let value = key_end + 2;
        if line.get(key_end..value) != Some(b": ")
            || value == length
            || marks.word_end(value) != length
            || !line[column].is_ascii_alphabetic()
            || line[value..] == *b"-"
        {
            return None;
        }
        let key = &self.text[self.at + column..self.at + key_end];
        let value = &self.text[self.at + value..self.at + length];
        let end = self.at + length + 1;
        (is_string(key) && is_string(value)).then_some(PlainEntry { column, key, value, end })
    }

    /// Passes over lines that start at the column `least` or deeper, as long as they are closed in themselves.
    fn skip_closed(&mut self, least: usize) {
        debug_assert!(self.pending.is_none() && least > 0);
        while self.at < self.text.len() {
            let marks = self.marks.at(self.at);
            match marks.line() {
                Some(line) if line.column >= least && self.is_closed(&marks, line) => {
                    self.at += line.length + 1;
                }
                _ => return,
            }
            // Plain lines mostly come in a row.
            if marks.inside(marks.openers) == 0 && !self.tabs {
                self.at = self.marks.skip_plain(self.at, least);
            }
        }
    }

    /// Whether the line that comes next is surely complete in itself: nothing in it goes on in other lines, or is
    /// for the parser only.
    #[inline]
    fn is_closed(&self, marks: &Marked, line: Seen) -> bool {
        let openers = marks.inside(marks.openers);
        if openers == 0 || self.tabs {
            return openers == 0;
        }
        // Only where a scalar may start do they open anything; tabs are as good as blanks there.
        let mut starts = openers & (marks.blanks << 1 | 1 << line.column);
        let bytes = &self.text.as_bytes()[self.at..];
        while starts != 0 {
            let start = starts.trailing_zeros() as usize;
            let behind = openers & (!1 << start);
            if behind == 0 || bytes[start] == b'#' {
                return bytes[start] == b'#';
            }
            let end = behind.trailing_zeros() as usize;
            match (bytes[start], bytes[end], bytes[end + 1]) {
                // Backslashes are among the openers.
                (b'"', b'"', b'\n' | b':') | (b'\'', b'\'', b'\n' | b':') => (),
                (b'{', b'}', b'\n') | (b'[', b']', b'\n') if end == start + 1 => (),
                _ => return false,
            }
            starts &= !1 << end;
        }
        true
    }

    /// Passes over lines that go deeper than the object's own keys.
    fn skip_deeper(&mut self) {
        debug_assert!(self.pending.is_none());
        let bytes = self.text.as_bytes();
        let deeper = |at: usize| {
            let start = bytes.get(at..=at + self.base);
            start.is_some_and(|start| start.iter().all(|&byte| byte == b' '))
        };
        while deeper(self.at) {
            let next = self.marks.next_left(self.at, self.base + 1);
            self.at = next.unwrap_or(bytes.len()).min(bytes.len());
        }
    }

    /// Passes over the content of a block scalar whose key or dash stands at `column`. Comments at a lower
    /// column end it, and are comments again.
    fn skip_block(&mut self, column: usize) {
        debug_assert!(self.pending.is_none());
        while self.at < self.text.len() {
            let rest = &self.text.as_bytes()[self.at..];
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let blanks = rest[..end].iter().take_while(|&&b| b == b' ').count();
            let blank = blanks == end || rest[blanks..end] == *b"\r";
            if !blank && blanks <= column {
                return;
            }
            self.at += end + 1;
        }
    }

    /// Passes over the rest of a quoted scalar that starts with `value` and does not close on its line.
    fn skip_quoted(&mut self, value: &str) -> Option<()> {
        debug_assert!(self.pending.is_none());
        let start = value.as_ptr() as usize - self.text.as_ptr() as usize;
        let end = start + closing(&self.text[start..], value.as_bytes()[0])?;
        let inside = &self.text[start..end];
        let reaches_left = |line: &str| {
            let content = line.trim_start_matches(' ');
            line.len() - content.len() < self.least && !content.trim_end_matches(['\r', '\n']).is_empty()
        };
        if self.least > 0 && inside.split_inclusive('\n').skip(1).any(reaches_left) {
            return None;
        }
        let rest = &self.text[end..];
        let line_end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let rest = rest[..line_end].trim_end_matches('\r');
        self.at = end + line_end + 1;
        is_line_end(rest).then_some(())
    }

    /// Reads the whole document; nothing when it is to be declined.
    fn document(&mut self, head: &mut Head<'t>) -> Option<Skimmed<'t>> {
        let mut seen = Once::default();
        let mut list = None;
        // Whether text was skipped that nobody looked at: what seems to be a key may be the inside of quotes.
        let mut unchecked = false;
        let mut first = true;
        let mut nested = Nested::Nothing;
        loop {
            // Of a List, all is looked at: items that are not read would be lost.
            let skips = nested != Nested::Nothing && seen.head();
            if skips && list.is_none() && self.pending.is_none() {
                unchecked = true;
                self.skip_deeper();
            }
            if let Some(entry) = self.plain_entry().filter(|entry| entry.column == self.base) {
                (self.at, first, nested) = (entry.end, false, Nested::Nothing);
                match entry.key {
                    "apiVersion" => {
                        seen.once(Once::API_VERSION)?;
                        head.api_version = entry.value;
                    }
                    "kind" => {
                        seen.once(Once::KIND)?;
                        head.kind = entry.value;
                    }
                    "metadata" | "items" => return None,
                    _ => nested = Nested::Text,
                }
                continue;
            }
            let Some(line) = self.line() else { break };
            if line.column == 0 && self.base == 0 {
                if std::mem::take(&mut first) && is_marker(line.content, "---") {
                    continue;
                }
                if is_marker(line.content, "...") {
                    break;
                }
            }
            if line.column < self.base {
                return None;
            }
            if line.column > self.base || is_item(line.content) {
                nested = nested.followed_by(line.column == self.base)?;
                if !seen.head() || list.is_some() {
                    self.skip_checked(line)?;
                }
                continue;
            }
            let (key, value) = key(line.content)?;
            nested = Nested::Nothing;
            match key {
                "apiVersion" => seen.once(Once::API_VERSION)?,
                "kind" => seen.once(Once::KIND)?,
                "metadata" => seen.once(Once::METADATA)?,
                "items" => seen.once(Once::ITEMS)?,
                _ => (),
            }
            match key {
                "apiVersion" => head.api_version = text(value)?,
                "kind" => head.kind = text(value)?,
                "metadata" if is_empty(value) => {
                    self.metadata(head)?;
                    let end = self.pending.map_or(self.text.len(), |line| line.start);
                    self.metadata = Some(line.start..end);
                }
                "metadata" if is_empty_map(value) => (),
                "metadata" => return None,
                "items" if self.stops_at_items => {
                    let dash = is_empty(value).then(|| self.first_dash())??;
                    self.first_item = self.pending.map(|line| (line.start, dash));
                    return None;
                }
                "items" if unchecked => return None,
                "items" => list = Some(self.items(value)?),
                _ => {
                    nested = Nested::behind(value);
                    if !seen.head() || list.is_some() {
                        self.skip_value(value, line.column)?;
                    } else if nested == Nested::Nothing && !value.starts_with(['|', '>']) {
                        nested = Nested::Text; // It need not end on its line.
                    } else if value.starts_with(['|', '>']) {
                        self.skip_block(line.column);
                    }
                }
            }
        }
        match list {
            _ if head.kind.is_empty() => None,
            Some((items, indent)) => {
                Some(Skimmed::List(List { api_version: head.api_version, kind: head.kind, items, indent }))
            }
            None => Some(Skimmed::Object),
        }
    }

    /// Reads the children of `metadata`.
    fn metadata(&mut self, head: &mut Head<'t>) -> Option<()> {
        let mut column = None;
        let mut seen = Once::default();
        let mut nested = false;
        loop {
            let entry = self.plain_entry().filter(|entry| entry.column > self.base);
            if let Some(PlainEntry { key, value, end, column: at }) = entry
                && at == *column.get_or_insert(at)
                && let Some((bit, field)) = match key {
                    "name" => Some((Once::NAME, &mut head.name)),
                    "generateName" => Some((Once::GENERATE_NAME, &mut head.generate_name)),
                    "namespace" => Some((Once::NAMESPACE, &mut head.namespace)),
                    _ => None,
                }
            {
                seen.once(bit)?;
                *field = Some(value);
                head.has_metadata = true;
                (self.at, nested) = (end, false);
                continue;
            }
            let Some(line) = self.line() else { break };
            if line.column <= self.base {
                self.pending = Some(line);
                break;
            }
            let column = *column.get_or_insert(line.column);
            head.has_metadata = true;
            if line.column < column {
                return None;
            }
            if line.column > column || is_item(line.content) {
                if !nested {
                    return None;
                }
                self.skip_checked(line)?;
                self.skip_closed(column + 1);
                continue;
            }
            let (key, value) = key(line.content)?;
            nested = false;
            match key {
                "name" => head.name = seen.once(Once::NAME).and_then(|()| name(value))?,
                "generateName" => {
                    head.generate_name = seen.once(Once::GENERATE_NAME).and_then(|()| name(value))?
                }
                "namespace" => head.namespace = seen.once(Once::NAMESPACE).and_then(|()| name(value))?,
                "creationTimestamp" => {
                    head.creation_timestamp = seen.once(Once::CREATED).and_then(|()| text_or_null(value))?;
                    head.creation_timestamp.is_none_or(is_time).then_some(())?;
                }
                "labels" => {
                    seen.once(Once::LABELS)?;
                    if is_empty(value) {
                        self.labels(column, head)?;
                    } else if !is_empty_map(value) && text_or_null(value)?.is_some() {
                        return None;
                    }
                }
                "annotations" if is_empty(value) => self.annotations(column)?,
                "annotations" => is_empty_map(value).then_some(())?,
                _ => {
                    nested = true;
                    self.skip_value(value, column)?;
                }
            }
        }
        Some(())
    }

    /// Passes over the entries of `annotations`, whose key stands at `parent`, and makes sure that they are text:
    /// Go refuses an object where they are not.
    fn annotations(&mut self, parent: usize) -> Option<()> {
        let mut column = None;
        loop {
            let entry = self.plain_entry().filter(|entry| entry.column > parent);
            if let Some(entry) = entry.filter(|entry| entry.column == *column.get_or_insert(entry.column)) {
                self.at = entry.end;
                continue;
            }
            let Some(line) = self.line() else { break };
            if line.column <= parent {
                self.pending = Some(line);
                break;
            }
            if line.column > *column.get_or_insert(line.column) {
                // A plain scalar goes on.
                self.skip_checked(line)?;
                continue;
            }
            let (_, value) = text_entry(line.content)?;
            if column != Some(line.column) || !is_text(value) {
                return None;
            }
            self.skip_value(value, line.column)?;
        }
        Some(())
    }

    /// Reads the entries of `labels`, whose key stands at `parent`.
    fn labels(&mut self, parent: usize, head: &mut Head<'t>) -> Option<()> {
        let mut column = None;
        let mut alike = 0;
        // Room at once for as many as objects mostly have.
        head.labels.reserve(12);
        loop {
            let (at, key, value) = match self.plain_entry().filter(|entry| entry.column > parent) {
                Some(entry) => {
                    self.at = entry.end;
                    (entry.column, entry.key, entry.value)
                }
                None => {
                    let Some(line) = self.line() else { break };
                    if line.column <= parent {
                        self.pending = Some(line);
                        break;
                    }
                    let (key, value) = text_entry(line.content)?;
                    (line.column, key, text(value)?)
                }
            };
            if at != *column.get_or_insert(at) || head.labels.len() == MANY_LABELS {
                return None;
            }
            // Most keys need not be compared: none before was like it in length and its last letter.
            let last = key.as_bytes().last().map_or(0, |&byte| usize::from(byte));
            let like = 1_u64 << ((key.len() + 11 * last) % 64);
            if alike & like != 0 && head.labels.iter().any(|(other, _)| *other == key) {
                return None;
            }
            alike |= like;
            head.labels.push((key, value));
        }
        Some(())
    }

    /// Cuts the items behind `items:`; with them, the column of their content.
    fn items(&mut self, value: &str) -> Option<(Vec<Range<usize>>, usize)> {
        let items: Vec<Range<usize>> = Vec::new();
        if value.starts_with("[]") && is_empty(&value[2..]) {
            return Some((items, 0));
        }
        if !is_empty(value) {
            return None;
        }
        let dash = self.first_dash()?;
        let cut = self.cut(dash, true);
        (cut.rest == Rest::Ended || cut.rest == Rest::Followed).then_some((cut.items, dash + 2))
    }

    /// The column of the first item's dash, whose line is given back; nothing when there is no item.
    fn first_dash(&mut self) -> Option<usize> {
        // `items:` with nothing below it is null.
        let line = self.line().filter(|line| line.column >= self.base && is_item(line.content))?;
        self.pending = Some(line);
        Some(line.column)
    }

    /// Cuts the items whose dashes stand at `dash`, from one of them on. `complete` says that the text ends
    /// where the document does.
    fn cut(&mut self, dash: usize, complete: bool) -> Cut {
        self.least = dash + 2;
        let mut items: Vec<Range<usize>> = Vec::new();
        // Where the item starts that is being read.
        let mut open = None;
        let close = |items: &mut Vec<Range<usize>>, open: Option<usize>, end: usize| {
            items.extend(open.map(|start| start..end));
        };
        let rest = loop {
            if open.is_some() {
                self.skip_closed(self.least);
            }
            let Some(line) = self.line() else {
                break if complete { Rest::Ended } else { Rest::Unread };
            };
            let starts_item = line.column == dash && is_item(line.content);
            if line.column <= dash && !starts_item {
                close(&mut items, open.take(), line.start);
                self.pending = Some(line);
                break Rest::Followed;
            }
            if starts_item {
                close(&mut items, open.replace(line.start), line.start);
                if !line.content[1..].starts_with(' ') || line.content[2..].starts_with([' ', '#', '-']) {
                    break Rest::Uncertain;
                }
            }
            if !starts_item && line.column < self.least || self.skip_checked(line).is_none() {
                break if complete { Rest::Uncertain } else { Rest::Unread };
            }
        };
        let end = match rest {
            Rest::Ended => {
                close(&mut items, open, self.text.len());
                self.text.len()
            }
            Rest::Followed => self.pending.map_or(self.text.len(), |line| line.start),
            Rest::Unread | Rest::Uncertain => open.unwrap_or(0),
        };
        self.least = self.base;
        Cut { items, end, rest }
    }

    /// Passes over a line of a body and the block scalar it may open.
    fn skip_checked(&mut self, line: Line<'t>) -> Option<()> {
        let mut column = line.column;
        let mut content = line.content;
        while let Some(rest) =
            content.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            let trimmed = rest.trim_start_matches(' ');
            match shape(trimmed, column)? {
                Shape::Block(column) => {
                    self.starts_node(line)?;
                    self.skip_block(column);
                    return Some(());
                }
                Shape::Open => {
                    self.starts_node(line)?;
                    return self.skip_quoted(trimmed);
                }
                Shape::Empty => return Some(()),
                Shape::Closed => (),
            }
            column += 1 + rest.len() - trimmed.len();
            content = trimmed;
        }
        let value = match content.as_bytes().first()? {
            quote @ (b'"' | b'\'') => {
                let Some(end) = closing(content, *quote) else {
                    self.starts_node(line)?;
                    return self.skip_quoted(content);
                };
                let after = content[end..].trim_start_matches(' ');
                match after.strip_prefix(':') {
                    Some(value) => value,
                    None => return is_empty(after).then_some(()),
                }
            }
            b'{' | b'[' => return (shape(content, column)? == Shape::Closed).then_some(()),
            b'?' | b'\t' | b'&' | b'!' | b'*' => return None,
            _ => match colon(content) {
                Some(colon) => &content[colon + 1..],
                None => return Some(()),
            },
        };
        match value.as_bytes() {
            b" {}" | b" []" => Some(()),
            [b' ', first, ..] if first.is_ascii_alphanumeric() => Some(()),
            _ => self.skip_value(value, column),
        }
    }

    /// `None` unless `line`, which starts with a quote or a dash, is surely a key, a value or an item of its own: it may
    /// also continue a plain scalar above it, where quotes and dashes are text.
    ///
    /// What can tell is the nearest line above that starts further left, and the first line below that one. It is looked
    /// for within [`LOOK_BACK`]: each of many such lines would otherwise look through all the others.
    fn starts_node(&self, line: Line<'t>) -> Option<()> {
        let limit = line.start.saturating_sub(LOOK_BACK);
        let mut first_child = line;
        let mut end = line.start;
        let is_collection = |line: Line<'_>| is_item(line.content) || colon(line.content).is_some();
        let is_child = |first_child: Line<'_>| {
            first_child.start == line.start || first_child.column == line.column && is_collection(first_child)
        };
        let mut parent = loop {
            let Some(text) = self.text[..end].strip_suffix('\n') else {
                return is_child(first_child).then_some(());
            };
            let start = match memrchr(b'\n', text.as_bytes().get(limit..)?) {
                Some(at) => limit + at + 1,
                None if limit == 0 => 0,
                None => return None,
            };
            let above = text[start..].trim_end_matches('\r');
            let mut column = above.len() - above.trim_start_matches(' ').len();
            if start == 0 && self.base > 0 {
                // Before the first line of an item there is only its dash.
                column = self.base + above.get(self.base..)?.bytes().take_while(|&byte| byte == b' ').count();
            }
            let content = above.get(column..).unwrap_or_default();
            if content.starts_with('#') && first_child.start == line.start {
                return Some(()); // A comment ends what is above it.
            }
            end = start;
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let above = Line { column, content, start };
            if column < line.column || start == 0 {
                break above;
            }
            first_child = above;
        };
        // Of several nodes on the line of the parent, the last one that starts further left counts.
        while let Some(rest) = parent.content.strip_prefix('-').filter(|_| is_item(parent.content)) {
            let content = rest.trim_start_matches(' ');
            let column = parent.column + parent.content.len() - content.len();
            if is_empty(content) || column > line.column {
                break;
            }
            parent = Line { column, content, ..parent };
        }
        if parent.column >= line.column {
            return (parent.column == line.column && is_collection(parent)).then_some(());
        }
        let opens = without_comment(parent.content);
        let opens = opens == "---" || is_item(opens) && opens.trim_end() == "-" || opens.ends_with(':');
        (opens && is_child(first_child)).then_some(())
    }

    /// Passes over the value behind a key at `column` as far as it stands on its line.
    fn skip_value(&mut self, value: &str, column: usize) -> Option<()> {
        let value = value.trim_start_matches(' ');
        match shape(value, column)? {
            Shape::Block(column) => self.skip_block(column),
            Shape::Open => return self.skip_quoted(value),
            Shape::Empty | Shape::Closed => (),
        }
        Some(())
    }
}

/// Which lines may follow a key and be part of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nested {
    /// None: the value is complete.
    Nothing,
    /// Deeper lines, which continue a scalar.
    Text,
    /// What is nested below the key: deeper lines, or dashes at the key's own column.
    Any,
    /// Deeper lines.
    Deeper,
    /// A list whose dashes stand at the key's own column, and deeper lines.
    Dashes,
}

impl Nested {
    /// What may follow a key with this value.
    fn behind(value: &str) -> Self {
        match value.as_bytes().first() {
            None | Some(b'#') => Self::Any,
            Some(b'{' | b'[' | b'"' | b'\'' | b'|' | b'>') => Self::Nothing,
            Some(_) => Self::Text,
        }
    }

    /// What may follow after a line that goes deeper or, if `dash`, has a dash at the key's own column; `None` if that
    /// line may not be there.
    fn followed_by(self, dash: bool) -> Option<Self> {
        match (self, dash) {
            (Self::Any | Self::Dashes, true) => Some(Self::Dashes),
            (Self::Dashes, false) => Some(Self::Dashes),
            (Self::Any | Self::Deeper, false) => Some(Self::Deeper),
            (Self::Text, false) => Some(Self::Text),
            (Self::Nothing, _) | (Self::Text | Self::Deeper, true) => None,
        }
    }
}

/// Keys that were read, each allowed once.
#[derive(Default)]
struct Once(u8);

impl Once {
    const API_VERSION: u8 = 1;
    const KIND: u8 = 2;
    const METADATA: u8 = 4;
    const ITEMS: u8 = 8;

    const NAME: u8 = 1;
    const GENERATE_NAME: u8 = 2;
    const NAMESPACE: u8 = 4;
    const CREATED: u8 = 8;
    const LABELS: u8 = 16;

    /// Notes a key; nothing when it was there before.
    fn once(&mut self, key: u8) -> Option<()> {
        let new = self.0 & key == 0;
        self.0 |= key;
        new.then_some(())
    }

    /// Whether apiVersion, kind and metadata are all known, so that the body cannot be mistaken for them.
    fn head(&self) -> bool {
        const HEAD: u8 = Once::API_VERSION | Once::KIND | Once::METADATA;
        self.0 & HEAD == HEAD
    }
}

/// Whether a line at column 0 is `marker` with nothing but blanks or a comment behind it.
fn is_marker(content: &str, marker: &str) -> bool {
    content.strip_prefix(marker).is_some_and(is_line_end)
}

/// Whether a line starts with the dash of a sequence's item.
fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

/// The bytes that plain keys are made of.
const IN_KEYS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let is_sign = matches!(byte, b'_' | b'.' | b'/' | b'-');
        table[byte as usize] = byte.is_ascii_alphanumeric() || is_sign;
        byte += 1;
    }
    table
};

/// The bytes that the harmless plain scalars are made of.
const IN_VALUES: [bool; 256] = {
    let mut table = IN_KEYS;
    table[b':' as usize] = true;
    table[b'@' as usize] = true;
    table[b'+' as usize] = true;
    table
};

/// A plain key and what stands behind its colon, blanks removed; nothing for other shapes.
fn key(content: &str) -> Option<(&str, &str)> {
    let bytes = content.as_bytes();
    let end = bytes.iter().position(|&byte| !IN_KEYS[usize::from(byte)])?;
    if !bytes[0].is_ascii_alphabetic() || bytes[end] != b':' {
        return None;
    }
    let value = &content[end + 1..];
    (value.is_empty() || value.starts_with(' ')).then(|| (&content[..end], value.trim_start_matches(' ')))
}

/// The key of a map of strings, which may be quoted, and what stands behind its colon, blanks removed; nothing for
/// other shapes.
fn text_entry(content: &str) -> Option<(&str, &str)> {
    let Some(quote @ (b'"' | b'\'')) = content.as_bytes().first().copied() else {
        return key(content).filter(|(key, _)| is_string(key));
    };
    let end = closing(content, quote)?;
    let value =
        content[end..].strip_prefix(':').filter(|value| value.is_empty() || value.starts_with(' '))?;
    Some((unescaped(&content[1..end - 1], quote)?, value.trim_start_matches(' ')))
}

/// The inside of quotes where it says what stands there; nothing when something in it is escaped.
fn unescaped(inside: &str, quote: u8) -> Option<&str> {
    (!inside.contains(if quote == b'"' { '\\' } else { '\'' })).then_some(inside)
}

/// The offset of the colon that ends a key: a blank or nothing follows it.
fn colon(content: &str) -> Option<usize> {
    let bytes = content.as_bytes();
    memchr_iter(b':', bytes).find(|at| matches!(bytes.get(at + 1), None | Some(b' ')))
}

/// Whether nothing but blanks and a comment stands there. A comment needs a blank before it, which the caller
/// has seen.
fn is_empty(value: &str) -> bool {
    let value = value.trim_matches(' ');
    value.is_empty() || value.starts_with('#')
}

/// Whether nothing but blanks and a comment stands behind a scalar, a collection or a marker that ends there.
fn is_line_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ') && is_empty(rest)
}

/// A plain scalar without the comment that may stand behind it.
fn without_comment(value: &str) -> &str {
    let bytes = value.as_bytes();
    let comment = memchr_iter(b'#', bytes).find(|at| *at > 0 && bytes[at - 1] == b' ');
    value[..comment.unwrap_or(value.len())].trim_end_matches(' ')
}

fn is_empty_map(value: &str) -> bool {
    value.strip_prefix("{}").is_some_and(is_line_end)
}

/// The text of a scalar that is surely a string and ends on its line; nothing for other shapes.
fn text(value: &str) -> Option<&str> {
    match value.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let end = closing(value, *quote)?;
            let inner = unescaped(&value[1..end - 1], *quote)?;
            let rest = &value[end..];
            is_line_end(rest).then_some(inner)
        }
        _ => {
            let plain = plain(value)?;
            is_string(plain).then_some(plain)
        }
    }
}

/// The text of a scalar as [`text`]; within the `Some` nothing when it is empty, which Go takes for missing.
fn name(value: &str) -> Option<Option<&str>> {
    text(value).map(|name| Some(name).filter(|name| !name.is_empty()))
}

/// The text of a scalar as [`text`], or within the `Some` nothing when it is null or missing.
fn text_or_null(value: &str) -> Option<Option<&str>> {
    if is_empty(value) || plain(value).is_some_and(|plain| matches!(plain, "null" | "Null" | "NULL")) {
        return Some(None);
    }
    text(value).map(Some)
}

/// A plain scalar of harmless characters that ends on its line; nothing for other shapes.
fn plain(value: &str) -> Option<&str> {
    let end = value.bytes().position(|byte| !IN_VALUES[usize::from(byte)]).unwrap_or(value.len());
    let (plain, rest) = value.split_at(end);
    let starts = plain.bytes().next().is_some_and(|b| !matches!(b, b':' | b'@'));
    (starts && is_line_end(rest) && !plain.ends_with(':') && plain != "-").then_some(plain)
}

/// Whether a plain scalar is text to YAML 1.1.
fn is_string(plain: &str) -> bool {
    // Of what starts with a letter, only words are something else: true, yes, on, false, no, off and null.
    let first = plain.as_bytes().first().map_or(0, |byte| byte | 0x20);
    let may_be_word = plain.len() <= 5 && matches!(first, b't' | b'y' | b'o' | b'f' | b'n');
    first.is_ascii_lowercase() && !may_be_word || scalar::resolve(plain) == Scalar::Text
}

/// Whether a value, blanks before it removed, is surely a string, whatever lines it takes.
fn is_text(value: &str) -> bool {
    match value.as_bytes().first() {
        Some(b'"' | b'\'' | b'|' | b'>') => true,
        None | Some(b'#' | b'{' | b'[' | b'&' | b'*' | b'!') => false,
        Some(_) => is_string(without_comment(value)),
    }
}

/// What a value, blanks before it removed, does to the lines behind it; nothing when it may reach into them
/// where they look like something else.
fn shape(value: &str, column: usize) -> Option<Shape> {
    let ends = |end: usize| is_empty(&value[end..]).then_some(Shape::Closed);
    match value.as_bytes().first() {
        None | Some(b'#') => Some(Shape::Empty),
        Some(quote @ (b'"' | b'\'')) => {
            let Some(end) = closing(value, *quote) else { return Some(Shape::Open) };
            let rest = value[end..].trim_start_matches(' ');
            // A quoted key inside a sequence's item.
            if rest.starts_with(':') { Some(Shape::Closed) } else { ends(end) }
        }
        Some(b'{' | b'[') => ends(flow_end(value)?),
        Some(b'|' | b'>') => {
            let header =
                value[1..].trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
            is_empty(header).then_some(Shape::Block(column))
        }
        Some(b'&' | b'!' | b'*' | b'\t') => None,
        Some(b'?') if value.len() == 1 || value.starts_with("? ") => None,
        Some(_) => Some(Shape::Closed),
    }
}

/// The offset behind the closing quote of a scalar that starts with `quote`; nothing when it stays open.
fn closing(value: &str, quote: u8) -> Option<usize> {
    let bytes = value.as_bytes();
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b if b != quote => at += 1,
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            _ => return Some(at + 1),
        }
    }
}

/// The offset behind a flow collection that closes on its line; nothing when it does not, or holds anchors,
/// aliases, tags or comments.
fn flow_end(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    let mut depth = 0;
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            // A quote inside a plain scalar opens nothing.
            quote @ (b'"' | b'\'') if matches!(bytes[at - 1], b'{' | b'[' | b',' | b':' | b' ') => {
                at += closing(&value[at..], quote)?;
                continue;
            }
            b'"' | b'\'' => return None,
            b'&' | b'*' | b'!' | b'#' | b'\t' => return None,
            _ => (),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Skimmed<'_>, Head<'_>) {
        let mut head = Head::default();
        let skimmed = skim(text.as_bytes(), 0, &mut head);
        (skimmed, head)
    }

    /// Checks that `text` is read as a Pod `web` in `shop` with the labels `app=web`.
    #[track_caller]
    fn check(text: &str) {
        let expected = Head {
            api_version: "v1",
            kind: "Pod",
            name: Some("web"),
            namespace: Some("shop"),
            labels: vec![("app", "web")],
            has_metadata: true,
            ..Head::default()
        };
        assert_eq!(read(text), (Skimmed::Object, expected), "{text}");
    }

    #[track_caller]
    fn check_declined(text: &str) {
        assert_eq!(read(text).0, Skimmed::Declined, "{text}");
    }

    const METADATA: &str = "metadata:\n  name: web\n  namespace: shop\n  labels:\n    app: web\n";

    /// A Pod with `body` before its metadata, where it is looked at, and behind it, where it is not.
    fn with(body: &str) -> [String; 2] {
        let head = "apiVersion: v1\nkind: Pod\n";
        [format!("{head}{body}{METADATA}"), format!("{head}{METADATA}{body}")]
    }

    #[track_caller]
    fn check_body(body: &str) {
        with(body).iter().for_each(|text| check(text));
    }

    /// Text that looks like the head's keys: behind the head, these would come twice.
    #[track_caller]
    fn check_before(body: &str) {
        check(&with(body)[0]);
    }

    #[track_caller]
    fn check_declined_body(body: &str) {
        check_declined(&with(body)[0]);
    }

    #[test]
    fn heads_are_read_in_any_order_and_layout() {
        check(&format!("kind: \"Pod\" # quoted\n{METADATA}apiVersion: 'v1'\n"));
        check(
            "---\n# of it\n\napiVersion: v1\nkind: Pod\nmetadata: # here\n      labels:\n          app: web\n\n  # there\n      \
             namespace: shop\n      name: web",
        );
        check(&format!("apiVersion: v1\r\nkind: Pod\r\n{}", METADATA.replace('\n', "\r\n")));
        check(&format!("apiVersion: v1\nkind: Pod\n{METADATA}...\nkind: Node\n"));
    }

    #[test]
    fn keys_of_labels_and_annotations_may_be_quoted() {
        check(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\n  labels:\n    \"app\": web\n  annotations:\n    \
             'helm.sh/hook': pre-install\n    \"a: b\":  \"c\" # d\n",
        );
        for labels in
            ["\"a\\x62\": c", "'a''b': c", "\"a\"b: c", "\"a\": b\n    a: c", "\"a\"", "\"a\n b\": c"]
        {
            check_declined(&format!("apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    {labels}\n"));
        }
    }

    #[test]
    fn bodies_are_passed_over() {
        check_body("spec:\n  a: b\n  c:\n  - d\n  - e: f\n");
        check_body("spec: {a: [b, 'c'], d: \"e\"} # all\n");
        check_body("data:\n  a: |\n    kind: Node\n\n  b: >-\n   kind: Node\n");
        check_body("spec:\n- a\n- - b\n- |\n kind: Node\n- c: d\n");
        check_body("spec: text\n  that goes on\n");
        check_body("spec: it's {not} [flow] \"text\"\n");
        check_body("spec: ü # ö\n");
    }

    #[test]
    fn quoted_scalars_may_reach_to_the_left() {
        check_before("spec: \"text\nkind: Node\nmetadata:\n  name: inner\"\n");
        check_before("spec:\n  a: 'it''s\n\nkind: Node'\n");
        check_before("spec:\n- \"\\\"\nkind: Node\" # end\n");
    }

    #[test]
    fn metadata_may_hold_anything_else() {
        check(&format!(
            "apiVersion: v1\nkind: Pod\n{METADATA}  annotations:\n    a: |\n      name: x\n    b: \"c\n name: d\"\n    \
             e: prefer f, g # h\n  ownerReferences:\n  - name: x\n  managedFields: [{{manager: x}}]\n"
        ));
    }

    #[test]
    fn empty_metadata_is_none() {
        let (skimmed, head) = read("apiVersion: v1\nkind: Pod\nmetadata: {} # none\n");
        assert_eq!((skimmed, head.has_metadata), (Skimmed::Object, false));
        let (skimmed, head) = read("apiVersion: v1\nkind: Pod\nmetadata:\nspec: a\n");
        assert_eq!((skimmed, head.has_metadata), (Skimmed::Object, false));
    }

    #[test]
    fn values_that_may_be_no_strings_are_declined() {
        for value in ["1", "1.5", "yes", "~", "0x1F", "", "null", "a b", "a: b", "-", "@a", "a:"] {
            let is_text = value == "2024-01-01";
            let text =
                format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    b: {value}\n");
            assert_eq!(read(&text).0 == Skimmed::Object, is_text, "{text}");
        }
    }

    #[test]
    fn words_are_told_from_text_at_a_glance() {
        let words = ["true", "yes", "y", "on", "false", "no", "n", "off", "null"];
        let spelt = |word: &str| {
            let (first, rest) = word.split_at(1);
            [word.to_owned(), word.to_uppercase(), first.to_uppercase() + rest, format!("{word}x")]
        };
        let others =
            ["web", "b2", "e5", "1e5", "0x1f", "Infinity", "nan", "~", ".inf", "-1", "a.b/c", "nullify", ""];
        for text in words.into_iter().flat_map(spelt).chain(others.map(str::to_owned)) {
            assert_eq!(is_string(&text), scalar::resolve(&text) == Scalar::Text, "{text}");
        }
    }

    #[test]
    fn what_anchors_tags_and_escapes_mean_is_left_to_the_parser() {
        check_declined_body("spec: &a b\n");
        check_declined_body("spec: *a\n");
        check_declined_body("spec: !!str 1\n");
        check_declined_body("spec:\n  <<: *a\n");
        check_declined_body("spec:\n  ? a\n  : b\n");
        check_declined_body("\"spec\": a\n");
        check_declined("apiVersion: v1\nkind: \"P\\x6fd\"\n");
        check_declined("apiVersion: v1\nkind: 'P''d'\n");
    }

    #[test]
    fn flow_collections_of_several_lines_are_declined() {
        check_declined_body("spec: {a: b,\nkind: Node}\n");
        check_declined_body("spec:\n- [a,\nb]\n");
        check_declined("{apiVersion: v1, kind: Pod}");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {app: web}\n");
    }

    #[test]
    fn keys_that_come_twice_are_declined() {
        check_declined(&format!("apiVersion: v1\nkind: Pod\nkind: Pod\n{METADATA}"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}{METADATA}"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}  name: b\n"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}    app: b\n"));
    }

    #[test]
    fn odd_indents_tabs_and_characters_are_declined() {
        check_declined(" apiVersion: v1\n kind: Pod\n");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata:\n    name: a\n  namespace: b\n");
        check_declined("apiVersion: v1\nkind: Pod\n  x: y\n");
        check_declined("apiVersion:\tv1\nkind: Pod\n");
        check_declined_body("spec:\n\ta: b\n");
        for unusual in ["\r", "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}"] {
            check_declined(&format!("apiVersion: v1\nkind: Pod\nspec: a{unusual}b\n"));
        }
        assert_eq!(skim(b"kind: Pod\nspec: \xff\n", 0, &mut Head::default()), Skimmed::Declined);
    }

    #[test]
    fn a_document_without_a_kind_is_declined() {
        check_declined("");
        check_declined("# nothing\n");
        check_declined("apiVersion: v1\n");
        check_declined("- kind: Pod\n");
        check_declined("text\n");
    }

    #[test]
    fn annotations_that_may_be_no_text_are_declined() {
        for value in ["1", "yes", "", "{}", "&a b", "[a]"] {
            check_declined(&format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a: {value}\n"
            ));
        }
    }

    #[test]
    fn a_list_is_cut_into_items() {
        let text = "kind: List\nitems:\n  # one\n  - a: b\n\n  - c: |\n      - d\n    e: f\napiVersion: v1\n";
        let Skimmed::List(list) = read(text).0 else { panic!("no List") };
        let items: Vec<&str> = list.items.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!((list.api_version, list.kind, list.indent), ("v1", "List", 4));
        assert_eq!(items, ["  - a: b\n\n", "  - c: |\n      - d\n    e: f\n"]);
    }

    #[test]
    fn an_empty_list_has_no_items() {
        let expected = List { api_version: "v1", kind: "List", items: Vec::new(), indent: 0 };
        assert_eq!(read("apiVersion: v1\nkind: List\nitems: [] # none\n").0, Skimmed::List(expected));
    }

    #[test]
    fn lists_that_cannot_be_cut_by_lines_are_declined() {
        for items in [
            "items:\n",
            "items: null\n",
            "items: {}\n",
            "items: [a]\n",
            "items:\n- - a\n",
            "items:\n-  a: b\n",
            "items:\n- a: \"b\nc\"\n",
            "items:\n-\n  a: b\n",
            "items:\n- a: &x b\n",
        ] {
            check_declined(&format!("apiVersion: v1\nkind: List\n{items}"));
        }
    }

    #[test]
    fn an_item_is_read_behind_its_dash() {
        let mut head = Head::default();
        assert_eq!(skim(b" - kind: Pod\n   metadata:\n     name: a\n", 3, &mut head), Skimmed::Object);
        assert_eq!((head.kind, head.name), ("Pod", Some("a")));
    }
}
