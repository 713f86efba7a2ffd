//! Whether a text can be read, without making a tree of it: all of an object is checked before it is edited, and only the
//! lines of its metadata are read.

use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, Reason, is_text};
use super::flow::Flow;
use super::index::View;
use super::scalar;
use super::value::MAX_DEPTH;

/// Checks all of `text` and accepts what [`value::read`](super::value::read) accepts. It is a document with this index, or
/// with an `indent` above 0 a List's item whose content is at that column, the dash two before it. Its
/// [head](super::head) was read, so that `metadata` is not repeated.
///
/// Returns the lines of `metadata`; comments up to the next key are among them. Nothing outside these lines can refer to
/// them or change their meaning, so they may be read and edited by themselves. `None` if `metadata` is not a block map, or
/// starts on the line of an item's dash.
///
/// # Errors
///
/// Why the full parser has to read the text.
pub fn metadata_lines(text: &[u8], view: View<'_>, indent: usize) -> Certain<Option<Range<usize>>> {
    let text = simdutf8::basic::from_utf8(text).map_err(|_| Reason::Characters)?;
    let mut checker = Checker { cursor: Cursor::new(text, view, indent), depth: 0, metadata: None };
    let root = checker.cursor.root()?;
    match root {
        Item::Map { column, .. } => checker.root(column)?,
        Item::Seq { .. } | Item::Flow(_) => checker.value(root)?,
        _ => return Err(Reason::Root),
    }
    if checker.cursor.peek()?.is_some() {
        return Err(Reason::Indent);
    }
    let is_after_dash = |lines: &Range<usize>| indent == 0 || lines.start > 0;
    Ok(checker.metadata.filter(is_after_dash))
}

struct Checker<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    depth: usize,
    /// The lines of the root's `metadata`, if that is a block map.
    metadata: Option<Range<usize>>,
}

impl Checker<'_, '_> {
    /// The entries of the root, a block map at `column`.
    fn root(&mut self, column: usize) -> Certain<()> {
        self.depth += 1;
        loop {
            self.lines(column)?;
            let start = self.cursor.line_start();
            let Some(key) = self.cursor.entry(column)? else { return Ok(()) };
            let is_metadata = key.text == "metadata";
            let item = self.cursor.value(column)?;
            let is_block = matches!(item, Item::Map { .. });
            self.value(item)?;
            if is_metadata && is_block {
                self.cursor.peek()?;
                self.metadata = Some(start..self.cursor.line_start());
            }
        }
    }

    fn map(&mut self, column: usize) -> Certain<()> {
        loop {
            self.lines(column)?;
            if self.cursor.entry(column)?.is_none() {
                return Ok(());
            }
            let item = self.cursor.value(column)?;
            self.value(item)?;
        }
    }

    /// Entries on one line each.
    fn lines(&mut self, column: usize) -> Certain<()> {
        self.cursor.line_entries(column, |entry| match entry.is_quoted || is_text(entry.text) {
            true => Ok(true),
            false => plain(entry.text).map(|()| true),
        })
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

/// Whether a plain scalar has a value in JSON.
fn plain(text: &str) -> Certain<()> {
    if is_text(text) {
        return Ok(());
    }
    scalar::resolve(text).value(text.into()).map(drop).map_err(|_| Reason::Number)
}
