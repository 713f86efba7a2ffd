//! The places of the entries of a map in `metadata`, from its lines alone.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, Key, Reason, is_text};
use super::index::Index;
use super::scalar::{self, Scalar};

/// With more entries, looking for repeated keys would take long.
const MANY: usize = 256;

/// A block map in the block map `metadata`. All spans count in its lines.
#[derive(Debug, Default)]
pub struct TextMap<'t> {
    /// The end of the map's key, quotes included.
    pub key_end: usize,
    /// The entries, in the order of the text; no key is repeated.
    pub entries: Vec<TextEntry<'t>>,
    /// The texts of the other entries of `metadata`.
    pub others: Vec<&'t str>,
}

/// An entry of a map of texts.
#[derive(Debug)]
pub struct TextEntry<'t> {
    /// The key.
    pub key: Cow<'t, str>,
    /// The place of the key, quotes included.
    pub key_span: Range<usize>,
    /// The text; `None` if it is null.
    pub value: Option<Cow<'t, str>>,
    /// The place of the text, quotes included.
    pub span: Range<usize>,
}

/// Reads the [lines of `metadata`](super::check::metadata_lines), edited perhaps, and in them the map `field`.
///
/// # Errors
///
/// The lines are not certain, or there is something else than block maps, or anything but text in the map.
pub fn text_map<'t>(lines: &'t [u8], field: &str) -> Certain<TextMap<'t>> {
    let mut index = Index::default();
    index.mark(lines);
    let text = index.certain(lines)?;
    let mut cursor = Cursor::new(text, index.part(0), 0);
    let Item::Map { column: root, .. } = cursor.root()? else { return Err(Reason::Root) };
    cursor.entry(root)?.filter(|key| key.text == "metadata").ok_or(Reason::Head)?;
    let Item::Map { column, .. } = cursor.value(root)? else { return Err(Reason::Head) };
    let mut map = TextMap::default();
    loop {
        cursor.line_entries(column, |entry| {
            map.others.push(&text[entry.start..entry.span().end]);
            if entry.key == field { Err(Reason::Head) } else { Ok(true) }
        })?;
        let Some(key) = cursor.entry(column)? else { break };
        if key.text != field {
            cursor.skip_value(column)?;
            cursor.peek()?;
            map.others.push(&text[key.span.start..cursor.line_start()]);
            continue;
        }
        match cursor.value(column)? {
            Item::Map { column, .. } if map.entries.is_empty() => map.read(&mut cursor, column)?,
            _ => return Err(Reason::Head),
        }
        map.key_end = key.span.end;
    }
    match cursor.peek()? {
        None if !map.entries.is_empty() => Ok(map),
        _ => Err(Reason::Head),
    }
}

impl<'t> TextMap<'t> {
    /// Reads the entries of the block map at `column`.
    fn read(&mut self, cursor: &mut Cursor<'t, '_>, column: usize) -> Certain<()> {
        self.entries.reserve(12);
        loop {
            cursor.line_entries(column, |entry| {
                let value = if entry.is_quoted { Some(entry.text.into()) } else { plain(entry.text.into())? };
                self.push(entry.key(), value, entry.span()).map(|()| true)
            })?;
            let Some(key) = cursor.entry(column)? else { return Ok(()) };
            let (value, span) = match cursor.value(column)? {
                Item::Missing(at) => (None, at..at),
                Item::Plain(text, span) => (plain(text)?, span),
                Item::Text(text, span) => (Some(text), span),
                _ => return Err(Reason::Head),
            };
            self.push(key, value, span)?;
        }
    }

    fn push(&mut self, key: Key<'t>, value: Option<Cow<'t, str>>, span: Range<usize>) -> Certain<()> {
        if self.entries.len() == MANY || self.entries.iter().any(|other| other.key == key.text) {
            return Err(Reason::Head);
        }
        self.entries.push(TextEntry { key: key.text, key_span: key.span, value, span });
        Ok(())
    }
}

/// The text of a plain scalar; `None` if it is null.
fn plain(text: Cow<'_, str>) -> Certain<Option<Cow<'_, str>>> {
    if is_text(&text) {
        return Ok(Some(text));
    }
    if scalar::resolve(&text) == Scalar::Null { Ok(None) } else { Err(Reason::Head) }
}
