//! Cuts Lists into items, each a text that can be read on its own, without reading them.

use std::ops::Range;

use memchr::memmem;

use super::cursor::{Certain, Cursor, References, is_item};
use super::index::Index;
use crate::parsed::ErrorKind;
use crate::redacted;
use crate::syntax::Form;

/// Items that were cut off the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Cut {
    /// The ranges of the items: in block style, each begins with the line of its dash and ends before that of the next one.
    pub items: Vec<Range<usize>>,
    /// The offset of their end.
    pub end: usize,
    /// What follows them.
    pub rest: ListEnd,
    /// The numbers of the items that may have anchors.
    pub anchored: Vec<usize>,
    /// Whether an item may have aliases.
    pub aliased: bool,
    /// Whether the item after them refers to an anchor outside of it.
    pub refers_outside: bool,
}

impl Cut {
    /// Items without anchors and aliases.
    pub fn plain(items: Vec<Range<usize>>, end: usize, rest: ListEnd) -> Self {
        Self { items, end, rest, anchored: Vec::new(), aliased: false, refers_outside: false }
    }

    /// Only the items before the first that has an anchor; `None` if none has.
    pub fn before_anchors(&self) -> Option<Self> {
        let first = *self.anchored.first()?;
        Some(Self::plain(self.items[..first].to_vec(), self.items[first].start, ListEnd::Uncertain))
    }
}

/// What follows the items that were cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// Nothing: the text ends with an item.
    Ended,
    /// The rest of the List after its items.
    Followed,
    /// An item that may be incomplete.
    Unread,
    /// An item whose end only the full parser can determine.
    Uncertain,
}

/// Cuts items, with dashes at the column `dash`, off the part of `text` from `from` on, which begins with an item of a List.
/// `complete` means that the document ends with the text, whose index this is. Offsets are those of the part.
pub fn cut(text: &[u8], index: &Index, from: usize, dash: usize, complete: bool) -> Cut {
    let certain = index.certain_lines(text);
    let is_certain = certain.len() == text.len();
    // An item is complete where another one starts, whatever that contains.
    let is_complete = match is_certain {
        true => complete,
        false => starts_item(&text[certain.len()..], dash) && !may_end(certain.as_bytes()),
    };
    let items = certain.get(from..).unwrap_or_default();
    let mut cut = cut_with(Cursor::new(items, index.part(from), Form::Document), dash, is_complete);
    if !is_certain && matches!(cut.rest, ListEnd::Ended | ListEnd::Unread) {
        cut.rest = ListEnd::Uncertain;
    }
    cut
}

/// Whether a line, which may be invalid UTF-8, starts an item with its dash at this column.
fn starts_item(line: &[u8], dash: usize) -> bool {
    line.len() > dash && line[..dash].iter().all(|&byte| byte == b' ') && line[dash..].starts_with(b"- ")
}

/// Whether a line of `text` may end the document before the text ends. What ends it is for the cursor to say; this also
/// finds lines that only begin like that.
fn may_end(text: &[u8]) -> bool {
    memmem::find(text, b"\n...").is_some()
}

/// Cuts the items in the text of a cursor.
fn cut_with(mut cursor: Cursor<'_, '_>, dash: usize, complete: bool) -> Cut {
    let mut cut = Cut::plain(Vec::new(), 0, ListEnd::Unread);
    // The offset of the item that is being skipped.
    let mut open: Option<usize> = None;
    cursor.enter_items(dash + 2);
    let mut next = |cut: &mut Cut, open: &mut Option<usize>| -> Certain<Option<ListEnd>> {
        if open.is_some() {
            cursor.skip_deeper(dash)?;
        }
        // Adds the open item, if there is one, and closes it.
        let mut close = |cursor: &mut Cursor<'_, '_>, end: usize| {
            let Some(start) = *open else { return true };
            let is_alone = cut.add(cursor.text().as_bytes(), start..end, cursor.take_references());
            *open = open.filter(|_| !is_alone);
            is_alone
        };
        let Some(line) = cursor.peek()? else {
            let end = cursor.text().len();
            let is_complete = !complete || close(&mut cursor, end);
            return Ok(Some(match (complete, is_complete) {
                (false, _) => ListEnd::Unread,
                (true, true) => ListEnd::Ended,
                (true, false) => ListEnd::Uncertain,
            }));
        };
        let starts_item = line.column == dash && is_item(cursor.rest(line));
        let start = cursor.line_start();
        if line.column <= dash && !close(&mut cursor, start) {
            return Ok(Some(ListEnd::Uncertain));
        }
        if starts_item {
            *open = Some(start);
            if cursor.rest(line)[1..].trim_start_matches(' ').starts_with('\t') {
                return Ok(Some(ListEnd::Uncertain));
            }
            cursor.skip_line(line)?;
            return Ok(None);
        }
        Ok(Some(ListEnd::Followed))
    };
    cut.rest = loop {
        match next(&mut cut, &mut open) {
            Ok(None) => (),
            Ok(Some(rest)) => break rest,
            Err(_) => break if complete { ListEnd::Uncertain } else { ListEnd::Unread },
        }
    };
    cut.end = match cut.rest {
        ListEnd::Ended => cursor.text().len(),
        ListEnd::Followed => cursor.line_start(),
        ListEnd::Unread | ListEnd::Uncertain => open.unwrap_or(0),
    };
    cut
}

impl Cut {
    /// Adds an item of `text`. Returns `false` if it refers to an anchor outside of it, so that it cannot be read alone.
    pub fn add(&mut self, text: &[u8], item: Range<usize>, references: References) -> bool {
        if references.aliases {
            self.aliased = true;
            self.refers_outside = refers_outside(&text[item.clone()]);
            if self.refers_outside {
                return false;
            }
        }
        if references.anchors {
            self.anchored.push(self.items.len());
        }
        self.items.push(item);
        true
    }
}

/// Whether an item, or a document, has an alias whose anchor is not in it.
pub fn refers_outside(item: &[u8]) -> bool {
    let parsed = redacted::parse(item);
    parsed.is_err_and(|error| matches!(error.kind(), ErrorKind::UnknownAnchor(_)))
}
