//! Checks, for an edit, that the whole text of an object can be read, and finds the lines of its `metadata`, without making a
//! tree.

use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, LineEntry, Reason};
use super::flow::{Flow, MAX_NESTING};
use super::index::View;
use super::scalar;
use crate::syntax::Form;

/// Lines with all that there is of a field of `metadata`. No other line can refer to them or change their meaning, so they
/// can be read and edited by themselves. Comments up to the next key belong to them.
#[derive(Debug, PartialEq, Eq)]
pub struct MetadataLines {
    /// The lines.
    pub lines: Range<usize>,
    /// Whether they are those of the field, a block map, and its key; otherwise `metadata` does not have the field, and they
    /// are those of `metadata`.
    pub is_field: bool,
}

/// Checks the whole of `text`, which has this form and index, and accepts what [`value::read`](super::value::read)
/// accepts.
///
/// Returns the lines of `field` of `metadata`; `None` if `metadata` or the field is no block map, is repeated, or if `metadata`
/// starts on the line of an item's dash.
///
/// # Errors
///
/// The reason why the full parser must read the text.
pub fn metadata_lines(text: &str, view: View<'_>, form: Form, field: &str) -> Certain<Option<MetadataLines>> {
    let mut checker = Checker { cursor: Cursor::new(text, view, form), depth: 0 };
    let root = checker.cursor.root()?;
    let found = match root {
        Item::Map { column, start } => checker.root(column, start, (form, field))?,
        Item::Seq { .. } | Item::Flow(_) => checker.value(root).map(|()| None)?,
        _ => return Err(Reason::Root),
    };
    match checker.cursor.peek()? {
        Some(_) => Err(Reason::Indent),
        None => Ok(found),
    }
}

struct Checker<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    depth: usize,
}

impl Checker<'_, '_> {
    /// Checks the entries of the root, a block map at `column` whose first key is at `first`.
    fn root(
        &mut self,
        column: usize,
        first: usize,
        (form, field): (Form, &str),
    ) -> Certain<Option<MetadataLines>> {
        self.depth += 1;
        let (mut found, mut count) = (None, 0);
        loop {
            self.cursor.line_entries(column, |entry| {
                count += usize::from(entry.key == "metadata");
                line(&entry).map(|()| true)
            })?;
            let start = self.cursor.line_start();
            let Some(key) = self.cursor.entry(column)? else { break };
            let item = self.cursor.value(column)?;
            if key.text != "metadata" {
                self.value(item)?;
                continue;
            }
            count += 1;
            let start = if key.span.start == first { 0 } else { start };
            match item {
                Item::Map { column, .. } => {
                    let own = self.field(column, field)?;
                    self.cursor.peek()?;
                    let lines = start..self.cursor.line_start();
                    found = own.map(|own| match own {
                        Some(lines) => MetadataLines { lines, is_field: true },
                        None => MetadataLines { lines, is_field: false },
                    });
                    found = found.filter(|_| form == Form::Document || start > 0);
                }
                item => self.value(item)?,
            }
        }
        self.depth -= 1;
        Ok(found.filter(|_| count == 1))
    }

    /// Checks the entries of `metadata`, a block map at `column`. Returns the lines of the field, `None` inside if it has none,
    /// and `None` outside if the field is repeated or no block map.
    fn field(&mut self, column: usize, field: &str) -> Certain<Option<Option<Range<usize>>>> {
        let (mut lines, mut count) = (None, 0);
        self.depth += 1;
        loop {
            self.cursor.line_entries(column, |entry| {
                count += usize::from(entry.key == field);
                line(&entry).map(|()| true)
            })?;
            let start = self.cursor.line_start();
            let Some(key) = self.cursor.entry(column)? else { break };
            let item = self.cursor.value(column)?;
            let is_map = matches!(item, Item::Map { .. });
            self.value(item)?;
            if key.text == field {
                count += 1;
                self.cursor.peek()?;
                lines = is_map.then(|| start..self.cursor.line_start());
            }
        }
        self.depth -= 1;
        Ok(match count {
            0 => Some(None),
            1 => lines.map(Some),
            _ => None,
        })
    }

    /// Checks the entries of the block map at `column`.
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
                let end = Flow::read(self.cursor.text(), start, &mut Vec::new())?.span.end;
                self.cursor.end_flow(end)
            }
            Item::Map { .. } | Item::Seq { .. } if self.depth == MAX_NESTING => Err(Reason::Depth),
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
