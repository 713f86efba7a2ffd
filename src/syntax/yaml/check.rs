//! Reads what an edit needs of an object's text, without making a tree: whether the whole text can be read, and the
//! positions of `metadata` and of the entries of a map in it.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, Key, LineEntry, Reason, is_text};
use super::flow::{Flow, MAX_NESTING};
use super::index::View;
use super::scalar::{self, Scalar};
use crate::syntax::Form;
use crate::tree::likeness;

/// With more entries, the search for repeated keys would take too long.
const MANY: usize = 256;

/// The block map `metadata` at the root of an object. All spans refer to its lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Metadata<'t> {
    /// Its lines, including comments up to the next key. No other line can refer to these lines or change their
    /// meaning, so they can be read and edited on their own.
    pub lines: Range<usize>,
    /// The span of the key `metadata`.
    pub key_span: Range<usize>,
    /// The entries, in the order of the text.
    pub fields: Vec<Field<'t>>,
    /// The requested map, empty if there is no such field; `None` unless it is a block map of strings and nulls without
    /// repeated keys.
    pub map: Option<TextMap<'t>>,
    /// The lines of the map and its key, which can be read on their own as well.
    pub map_lines: Range<usize>,
}

/// An entry of `metadata`.
#[derive(Debug, PartialEq, Eq)]
pub struct Field<'t> {
    /// The key.
    pub key: Cow<'t, str>,
    /// The span of the key, quotes included.
    pub key_span: Range<usize>,
    /// The span of the value.
    pub span: Range<usize>,
    /// Whether the value is a block map.
    pub is_map: bool,
}

/// A map of strings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextMap<'t> {
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
    /// The span of the key, quotes included.
    pub key_span: Range<usize>,
    /// The string; `None` if it is null.
    pub value: Option<Cow<'t, str>>,
    /// The span of the string, quotes included.
    pub span: Range<usize>,
}

/// Checks the whole of `text`, which has this form and index, and accepts what [`value::read`](super::value::read)
/// accepts. It may also be the edited [lines](Metadata::lines) of `metadata`.
///
/// Returns `metadata` with the map `field`; `None` if `metadata` is not a block map, is repeated, or starts on the line
/// of an item's dash.
///
/// # Errors
///
/// The reason why the full parser must read the text.
pub fn metadata<'t>(text: &'t str, view: View<'_>, form: Form, field: &str) -> Certain<Option<Metadata<'t>>> {
    let mut checker = Checker { cursor: Cursor::new(text, view, form), depth: 0 };
    let root = checker.cursor.root()?;
    let metadata = match root {
        Item::Map { column, start } => checker.root(column, start, field)?,
        Item::Seq { .. } | Item::Flow(_) => checker.value(root).map(|_| None)?,
        _ => return Err(Reason::Root),
    };
    if checker.cursor.peek()?.is_some() {
        return Err(Reason::Indent);
    }
    Ok(metadata.filter(|metadata| form == Form::Document || metadata.lines.start > 0))
}

/// Reads the edited [lines](Metadata::map_lines) of the map `field`; `None` if they are anything else.
///
/// # Errors
///
/// The reason why the full parser must read the lines.
pub fn text_map<'t>(lines: &'t str, view: View<'_>, field: &str) -> Certain<Option<TextMap<'t>>> {
    let mut checker = Checker { cursor: Cursor::new(lines, view, Form::Document), depth: 0 };
    let Item::Map { column, .. } = checker.cursor.root()? else { return Ok(None) };
    let is_field = checker.cursor.entry(column)?.is_some_and(|key| key.text == field);
    let Item::Map { column, .. } = checker.cursor.value(column)? else { return Ok(None) };
    let (map, is_sound, _) = checker.text_map(column, 0)?;
    let is_alone = checker.cursor.peek()?.is_none();
    Ok(Some(map).filter(|_| is_field && is_sound && is_alone))
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
                    let key_span = key.span.start - start..key.span.end - start;
                    let mut metadata = self.metadata(column, start, key_span, field)?;
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
    fn metadata(
        &mut self,
        column: usize,
        start: usize,
        key_span: Range<usize>,
        field: &str,
    ) -> Certain<Metadata<'t>> {
        let (mut fields, mut map, mut map_lines) = (Vec::with_capacity(8), None, 0..0);
        let mut is_sound = true;
        let mut add = |key: Key<'t>, span: Range<usize>, is_map| {
            let key_span = key.span.start - start..key.span.end - start;
            fields.push(Field {
                key: key.text,
                key_span,
                span: span.start - start..span.end - start,
                is_map,
            });
        };
        self.depth += 1;
        loop {
            self.cursor.line_entries(column, |entry| {
                is_sound &= entry.key != field;
                add(entry.key(), entry.span(), false);
                line(&entry).map(|()| true)
            })?;
            let line_start = self.cursor.line_start();
            let Some(key) = self.cursor.entry(column)? else { break };
            let item = self.cursor.value(column)?;
            let is_map = matches!(item, Item::Map { .. });
            let from = match &item {
                Item::Missing(start) | Item::Flow(start) => *start,
                Item::Plain(_, span) | Item::Text(_, span) => span.start,
                Item::Map { start, .. } | Item::Seq { start, .. } => *start,
            };
            let end = match item {
                Item::Map { column, .. } if key.text == field => {
                    is_sound &= map.is_none();
                    let (entries, is_text, end) = self.text_map(column, start)?;
                    is_sound &= is_text;
                    map = Some(entries);
                    self.cursor.peek()?;
                    map_lines = line_start - start..self.cursor.line_start() - start;
                    end
                }
                _ => {
                    is_sound &= key.text != field;
                    self.value(item)?
                }
            };
            add(key, from..end, is_map);
        }
        self.depth -= 1;
        let map = Some(map.unwrap_or_default()).filter(|_| is_sound);
        Ok(Metadata { lines: start..start, key_span, fields, map, map_lines })
    }

    /// Reads the entries of the block map at `column`. Returns them, whether all are strings and nulls without repeated
    /// keys, and where they end.
    fn text_map(&mut self, column: usize, start: usize) -> Certain<(TextMap<'t>, bool, usize)> {
        let (mut map, mut is_sound, mut end) = (TextMap::default(), true, 0);
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
                end = entry.span().end;
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
                    end = self.value(item)?;
                    continue;
                }
            };
            end = span.end;
            is_sound &= map.push(key, value, span, start);
        }
        self.depth -= 1;
        Ok((map, is_sound, end))
    }

    /// Checks the entries of the block map at `column` that starts at `end`. Returns where they end.
    fn map(&mut self, column: usize, mut end: usize) -> Certain<usize> {
        loop {
            self.cursor.line_entries(column, |entry| {
                end = entry.span().end;
                line(&entry).map(|()| true)
            })?;
            if self.cursor.entry(column)?.is_none() {
                return Ok(end);
            }
            let item = self.cursor.value(column)?;
            end = self.value(item)?;
        }
    }

    /// Checks a value. Returns where it ends.
    fn value(&mut self, item: Item<'_>) -> Certain<usize> {
        match item {
            Item::Missing(at) => Ok(at),
            Item::Text(_, span) => Ok(span.end),
            Item::Plain(text, span) => plain(&text).map(|()| span.end),
            Item::Flow(start) => {
                let end = Flow::read(self.cursor.text(), start, &mut Vec::new())?.span.end;
                self.cursor.end_flow(end).map(|()| end)
            }
            Item::Map { .. } | Item::Seq { .. } if self.depth == MAX_NESTING => Err(Reason::Depth),
            Item::Map { column, start } => {
                self.depth += 1;
                let end = self.map(column, start)?;
                self.depth -= 1;
                Ok(end)
            }
            Item::Seq { column, start } => {
                self.depth += 1;
                let mut end = start;
                while self.cursor.item(column)?.is_some() {
                    let item = self.cursor.item_value(column)?;
                    end = self.value(item)?;
                }
                self.depth -= 1;
                Ok(end)
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
