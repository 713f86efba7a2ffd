//! Lists cut into their items, each a text that can be read by itself, without reading them.

use std::ops::Range;

use super::cursor::{Certain, Cursor, is_item};
use super::head;
use super::index::Index;
use crate::manifest::head::Head;

/// A List cut into items.
#[derive(Debug, PartialEq, Eq)]
pub struct List<'t> {
    /// The List's own `apiVersion`.
    pub api_version: &'t str,
    /// The List's own `kind`.
    pub kind: &'t str,
    /// The items: each starts with its dash's line and ends before the next one's.
    pub items: Vec<Range<usize>>,
    /// The column of the items' content, two after the dash.
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
    pub rest: ListEnd,
}

/// What follows the items that could be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// Nothing: the text ends with an item.
    Ended,
    /// What comes after the items in the List.
    Followed,
    /// An item that is perhaps not there as a whole.
    Unread,
    /// An item that only the full parser can tell the end of.
    Uncertain,
}

/// The start of a List in a text that need not hold all of it.
#[derive(Debug, PartialEq, Eq)]
pub struct ListStart<'t> {
    /// The List's `apiVersion`; empty if it comes after the items.
    pub api_version: &'t str,
    /// The List's `kind`; empty if it comes after the items.
    pub kind: &'t str,
    /// Where the first item's line starts.
    pub items: usize,
    /// The column of the items' dashes.
    pub dash: usize,
}

/// Reads `text`, the start of a document, up to the first item of a List; `None` if it is not a List, or not certain
/// to be one.
pub fn list_start(text: &[u8]) -> Option<ListStart<'_>> {
    let mut index = Index::default();
    index.mark(text);
    let text = index.certain(text).ok()?;
    let mut head = Head::default();
    let (items, dash) = head::first_item(Cursor::new(text, index.part(0), 0), &mut head)?;
    Some(ListStart { api_version: head.api_version, kind: head.kind, items, dash })
}

/// Cuts items with their dashes at column `dash` off the start of `text`, the lines of a List from one of its
/// items on. `complete` says that the text ends where the document does. With the items, the index of the text; `None`
/// if it is not certain.
pub fn cut(text: &[u8], dash: usize, complete: bool) -> (Cut, Option<Index>) {
    let mut index = Index::default();
    index.mark(text);
    let Ok(text) = index.certain(text) else {
        return (Cut { items: Vec::new(), end: 0, rest: ListEnd::Uncertain }, None);
    };
    let cut = cut_items(&mut Cursor::new(text, index.part(0), 0), dash, complete);
    (cut, Some(index))
}

/// Cuts the items whose dashes are at `dash`, from one of them on, which comes next at the cursor. `complete` says that
/// the text ends where the document does.
pub(super) fn cut_items(cursor: &mut Cursor<'_, '_>, dash: usize, complete: bool) -> Cut {
    let mut items: Vec<Range<usize>> = Vec::new();
    // Where the item starts that is being read.
    let mut open: Option<usize> = None;
    cursor.within(dash + 2);
    let mut next = |items: &mut Vec<Range<usize>>, open: &mut Option<usize>| -> Certain<Option<ListEnd>> {
        if open.is_some() {
            cursor.skip_deeper(dash + 1)?;
        }
        let Some(line) = cursor.peek()? else {
            return Ok(Some(if complete { ListEnd::Ended } else { ListEnd::Unread }));
        };
        let starts_item = line.column == dash && is_item(cursor.rest(line));
        let start = cursor.line_start();
        if starts_item {
            items.extend(open.replace(start).map(|from| from..start));
            if cursor.rest(line)[1..].trim_start_matches(' ').starts_with('\t') {
                return Ok(Some(ListEnd::Uncertain));
            }
            cursor.skip_line(line)?;
            return Ok(None);
        }
        if line.column <= dash {
            items.extend(open.take().map(|from| from..start));
            return Ok(Some(ListEnd::Followed));
        }
        Ok(Some(ListEnd::Uncertain))
    };
    let rest = loop {
        match next(&mut items, &mut open) {
            Ok(None) => (),
            Ok(Some(rest)) => break rest,
            Err(_) => break if complete { ListEnd::Uncertain } else { ListEnd::Unread },
        }
    };
    let end = match rest {
        ListEnd::Ended => {
            items.extend(open.map(|from| from..cursor.text().len()));
            cursor.text().len()
        }
        ListEnd::Followed => cursor.line_start(),
        ListEnd::Unread | ListEnd::Uncertain => open.unwrap_or(0),
    };
    cursor.within(0);
    Cut { items, end, rest }
}
