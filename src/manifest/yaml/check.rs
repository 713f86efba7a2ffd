//! Reads what an edit needs of an object's text, without making a tree: whether the whole text can be read, and the
//! positions of `metadata` and of the entries of a map in it.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, Key, LineEntry, Reason, is_text};
use super::flow::Flow;
use super::index::View;
use super::scalar::{self, Scalar};
use super::value::MAX_DEPTH;
use crate::manifest::tree::likeness;

/// With more entries, the search for repeated keys would take too long.
const MANY: usize = 256;

/// The block map `metadata` at the root of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct Metadata<'t> {
    /// Its lines, including comments up to the next key. No other line can refer to these lines or change their
    /// meaning, so they can be read and edited on their own.
    pub lines: Range<usize>,
    /// The requested map; `None` unless it is a block map of strings and nulls without repeated keys.
    pub map: Option<TextMap<'t>>,
    /// The texts of the other entries.
    pub others: Vec<&'t str>,
}

/// A map of strings. All spans refer to the lines of `metadata`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextMap<'t> {
    /// The end of the map's own key, quotes included.
    pub key_end: usize,
    /// The entries, in the order of the text.
    pub entries: Vec<TextEntry<'t>>,
    /// The likeness bits of the keys.
    alike: u64,
}

/// An entry of a map of strings.
#[derive(Debug, PartialEq, Eq)]
pub struct TextEntry<'t> {
    /// The key.
    pub key: Cow<'t, str>,
    /// The place of the key, quotes included.
    pub key_span: Range<usize>,
    /// The string; `None` if it is null.
    pub value: Option<Cow<'t, str>>,
    /// The span of the string, quotes included.
    pub span: Range<usize>,
}

/// Checks the whole of `text`, and accepts what [`value::read`](super::value::read) accepts. The text is a document
/// with this index, or, with an `indent` above 0, an item of a List: its content is at that column, and its dash two
/// columns before it. It may also be the [lines](Metadata::lines) of `metadata`, possibly after an edit.
///
/// Returns `metadata` with the map `field`; `None` if `metadata` is not a block map, is repeated, or starts on the line
/// of an item's dash.
///
/// # Errors
///
/// The reason why the full parser must read the text.
/// Why the full parser has to read the text.
pub fn metadata<'t>(
    text: &'t str,
    view: View<'_>,
    indent: usize,
    field: &str,
) -> Certain<Option<Metadata<'t>>> {
    let mut checker = Checker { cursor: Cursor::new(text, view, indent), depth: 0 };
    let root = checker.cursor.root()?;
    let metadata = match root {
        Item::Map { column, start } => checker.root(column, start, field)?,
        Item::Seq { .. } | Item::Flow(_) => checker.value(root).map(|()| None)?,
        _ => return Err(Reason::Root),
    };
    if checker.cursor.peek()?.is_some() {
        return Err(Reason::Indent);
    }
    Ok(metadata.filter(|metadata| indent == 0 || metadata.lines.start > 0))
}

struct Checker<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    depth: usize,
}

impl<'t> Checker<'t, '_> {
    /// Reads the entries of the root, a block map at `column` whose first key is at `first`.
    fn root(&mut self, column: usize, first: usize, field: &str) -> Certain<Option<Metadata<'t>>> {
        self.depth += 1;
        let mut found = None;
        let mut is_repeated = false;
        loop {
            self.cursor.line_entries(column, |entry| {
                is_repeated |= entry.key == "metadata";
                line(&entry).map(|()| true)
            })?;
            let start = self.cursor.line_start();
            let Some(key) = self.cursor.entry(column)? else { break };
            let item = self.cursor.value(column)?;
            if key.text != "metadata" {
                self.value(item)?;
                continue;
            }
            is_repeated |= found.is_some();
            match item {
                Item::Map { column, .. } => {
                    let start = if key.span.start == first { 0 } else { start };
                    let mut metadata = self.metadata(column, start, field)?;
                    self.cursor.peek()?;
                    metadata.lines.end = self.cursor.line_start();
                    found = Some(metadata);
                }
                _ => {
                    is_repeated = true;
                    self.value(item)?;
                }
            }
        }
        self.depth -= 1;
        Ok(found.filter(|_| !is_repeated))
    }

    /// Reads the entries of `metadata`, a block map at `column` whose lines start at `start`.
    fn metadata(&mut self, column: usize, start: usize, field: &str) -> Certain<Metadata<'t>> {
        let text = self.cursor.text();
        let mut metadata = Metadata { lines: start..start, map: None, others: Vec::with_capacity(8) };
        let mut is_sound = true;
        self.depth += 1;
        loop {
            self.cursor.line_entries(column, |entry| {
                is_sound &= entry.key != field;
                metadata.others.push(&text[entry.start..entry.span().end]);
                line(&entry).map(|()| true)
            })?;
            let Some(key) = self.cursor.entry(column)? else { break };
            let item = self.cursor.value(column)?;
            match item {
                Item::Map { column, .. } if key.text == field => {
                    is_sound &= metadata.map.is_none();
                    let mut map = TextMap { key_end: key.span.end - start, ..TextMap::default() };
                    is_sound &= self.text_map(column, start, &mut map)?;
                    metadata.map = Some(map);
                }
                _ => {
                    is_sound &= key.text != field;
                    self.value(item)?;
                    self.cursor.peek()?;
                    metadata.others.push(&text[key.span.start..self.cursor.line_start()]);
                }
            }
        }
        self.depth -= 1;
        metadata.map = metadata.map.filter(|_| is_sound);
        Ok(metadata)
    }

    /// Reads the entries of the block map at `column`. Returns whether all are strings and nulls, without repeated
    /// keys.
    fn text_map(&mut self, column: usize, start: usize, map: &mut TextMap<'t>) -> Certain<bool> {
        let mut is_sound = true;
        map.entries.reserve(12);
        self.depth += 1;
        loop {
            self.cursor.line_entries(column, |entry| {
                let value = match entry.is_quoted || is_text(entry.text) {
                    true => Some(entry.text.into()),
                    false => {
                        is_sound &= scalar::resolve(entry.text) == Scalar::Null;
                        plain(entry.text).map(|()| None)?
                    }
                };
                is_sound &= map.push(entry.key(), value, entry.span(), start);
                Ok(true)
            })?;
            let Some(key) = self.cursor.entry(column)? else { break };
            let (value, span) = match self.cursor.value(column)? {
                Item::Missing(at) => (None, at..at),
                Item::Text(text, span) => (Some(text), span),
                Item::Plain(text, span) if is_text(&text) => (Some(text), span),
                Item::Plain(text, span) => {
                    is_sound &= scalar::resolve(&text) == Scalar::Null;
                    plain(&text).map(|()| (None, span))?
                }
                item => {
                    is_sound = false;
                    self.value(item)?;
                    continue;
                }
            };
            is_sound &= map.push(key, value, span, start);
        }
        self.depth -= 1;
        Ok(is_sound)
    }

    fn map(&mut self, column: usize) -> Certain<()> {
        loop {
            self.cursor.line_entries(column, |entry| line(&entry).map(|()| true))?;
            if self.cursor.entry(column)?.is_none() {
                return Ok(());
            }
            let item = self.cursor.value(column)?;
            self.value(item)?;
        }
    }

    fn value(&mut self, item: Item<'_>) -> Certain<()> {
        match item {
            Item::Missing(_) | Item::Text(..) => Ok(()),
            Item::Plain(text, _) => plain(&text),
            Item::Flow(start) => {
                let node = Flow::read(self.cursor.text(), start, &mut Vec::new())?;
                self.cursor.end_flow(node.span.end)
            }
            Item::Map { .. } | Item::Seq { .. } if self.depth == MAX_DEPTH => Err(Reason::Depth),
            Item::Map { column, .. } => {
                self.depth += 1;
                self.map(column)?;
                self.depth -= 1;
                Ok(())
            }
            Item::Seq { column, .. } => {
                self.depth += 1;
                while self.cursor.item(column)?.is_some() {
                    let item = self.cursor.item_value(column)?;
                    self.value(item)?;
                }
                self.depth -= 1;
                Ok(())
            }
        }
    }
}

impl<'t> TextMap<'t> {
    /// Adds an entry, whose spans refer to a text in which the lines of `metadata` start at `start`. Returns whether
    /// its key is new and there are not too many.
    fn push(&mut self, key: Key<'t>, value: Option<Cow<'t, str>>, span: Range<usize>, start: usize) -> bool {
        let like = likeness(&key.text);
        if self.entries.len() == MANY
            || self.alike & like != 0 && self.entries.iter().any(|other| other.key == key.text)
        {
            return false;
        }
        self.alike |= like;
        let key_span = key.span.start - start..key.span.end - start;
        let span = span.start - start..span.end - start;
        self.entries.push(TextEntry { key: key.text, key_span, value, span });
        true
    }
}

/// Whether the scalar of an entry on one line can be represented in JSON.
#[inline(always)]
fn line(entry: &LineEntry<'_>) -> Certain<()> {
    if entry.is_quoted { Ok(()) } else { plain(entry.text) }
}

/// Whether a plain scalar can be represented in JSON.
#[inline]
fn plain(text: &str) -> Certain<()> {
    if scalar::may_be_infinite(text) && scalar::resolve(text).value(text.into()).is_err() {
        return Err(Reason::Number);
    }
    Ok(())
}
