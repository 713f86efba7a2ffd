//! Cuts Lists into items, each a text that can be read on its own, without reading them.

use std::ops::Range;

use memchr::memmem;

use super::cursor::{Certain, Cursor, is_item};
use super::head::{self, FirstItem};
use super::index::Index;
use crate::manifest::head::Head;

/// A List that was cut into items.
#[derive(Debug, PartialEq, Eq)]
pub struct List<'t> {
    /// The List's own `apiVersion`.
    pub api_version: &'t str,
    /// The List's own `kind`.
    pub kind: &'t str,
    /// The ranges of the items: each begins with the line of its dash and ends before that of the next one.
    pub items: Vec<Range<usize>>,
    /// The column of the items' content, two after the dash.
    pub indent: usize,
}

/// Items that were cut off the start of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Cut {
    /// The items, as in [`List`].
    pub items: Vec<Range<usize>>,
    /// The offset of their end.
    pub end: usize,
    /// What follows them.
    pub rest: ListEnd,
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

/// The beginning of a List, in a text that may be incomplete.
#[derive(Debug, PartialEq, Eq)]
pub struct ListStart<'t> {
    /// The List's `apiVersion`; empty if it comes after the items.
    pub api_version: &'t str,
    /// The List's `kind`; empty if it comes after the items.
    pub kind: &'t str,
    /// The offset of the key `items`.
    pub key: usize,
    /// The offset of the first item's line.
    pub items: usize,
    /// The column of the items' dashes.
    pub dash: usize,
}

/// Reads `text`, the beginning of a document, up to the first item of a List; `None` if it is not certainly a List.
pub fn list_start(text: &[u8]) -> Option<ListStart<'_>> {
    let mut index = Index::default();
    index.mark(text);
    let text = index.certain_lines(text);
    let mut head = Head::default();
    let first = head::first_item(Cursor::new(text, index.part(0), 0), &mut head)?;
    let FirstItem { key, line: items, dash } = first;
    Some(ListStart { api_version: head.api_version, kind: head.kind, key, items, dash })
}

/// Cuts items, with dashes at the column `dash`, off `text`, which begins with an item of a List. `complete` means that
/// the document ends with the text. Also returns the index of the text.
pub fn cut(text: &[u8], dash: usize, complete: bool) -> (Cut, Index) {
    let mut index = Index::default();
    index.mark(text);
    let certain = index.certain_lines(text);
    let is_certain = certain.len() == text.len();
    // An item is complete where another one starts, whatever that contains.
    let is_complete = match is_certain {
        true => complete,
        false => starts_item(&text[certain.len()..], dash) && !may_end(certain.as_bytes()),
    };
    let mut cut = cut_items(&mut Cursor::new(certain, index.part(0), 0), dash, is_complete);
    if !is_certain && matches!(cut.rest, ListEnd::Ended | ListEnd::Unread) {
        cut.rest = ListEnd::Uncertain;
    }
    (cut, index)
}

/// Whether a line, which may be invalid UTF-8, starts an item with its dash at this column.
fn starts_item(line: &[u8], dash: usize) -> bool {
    line.len() > dash && line[..dash].iter().all(|&byte| byte == b' ') && line[dash..].starts_with(b"- ")
}

/// Whether a line of `text` may end the document before the text ends. What ends it is for the cursor to say; this also
/// finds lines that only begin like that.
pub fn may_end(text: &[u8]) -> bool {
    memmem::find(text, b"\n...").is_some()
}

/// Cuts items, with dashes at the column `dash`, from the next line of the cursor on, which begins an item. `complete`
/// means that the document ends with the text.
pub(super) fn cut_items(cursor: &mut Cursor<'_, '_>, dash: usize, complete: bool) -> Cut {
    let mut items: Vec<Range<usize>> = Vec::new();
    // The offset of the item that is being skipped.
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
