//! Texts that break off.

use memchr::memmem;

use super::sniff::sniffed;
use crate::cut_list::list_start;
use crate::document::Syntax;
use syntax::list::{ListStart, Notation};

/// The length in bytes of the complete part of a text that breaks off: all documents but the last, and all items but
/// the last of that document if it is a List. JSON and Lists in braces are kept whole, because their readers detect
/// where they break off.
pub fn unbroken(text: &[u8]) -> usize {
    let start = memmem::rfind(text, b"\n---").map_or(0, |at| at + 1);
    let document = &text[start..];
    if matches!(sniffed(document), Some('{' | '[' | ',')) {
        return text.len();
    }
    let of_item = |at: &usize| document[*at..].trim_ascii_start().starts_with(b"- ");
    let (items, dash) = match list_start(document, Syntax::Yaml) {
        Some(ListStart { notation: Notation::Block { dash }, items, .. }) => (items, dash),
        Some(_) => return text.len(),
        None if of_item(&0) => (0, document.len() - document.trim_ascii_start().len()),
        None => return start,
    };
    let last = memmem::rfind(&document[items..], next_dash(dash).as_bytes());
    start + items + last.map_or(0, |at| at + 1)
}

/// How a further item begins in a List whose dashes are in this column, 0-based, which may be more than the widths of `format!`,
/// 65,535.
pub(super) fn next_dash(column: usize) -> String {
    ["\n", &" ".repeat(column), "- "].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_may_be_indented_by_any_amount() {
        let deep = " ".repeat(70_000);
        let text = format!("{deep}- a: b\n{deep}- c: d\n{deep}  e");
        assert_eq!(unbroken(text.as_bytes()), text.find("- c").expect("an item") - deep.len());
        assert_eq!(unbroken(b"- a: b\n- c: d\n- e"), "- a: b\n- c: d\n".len());
    }
}
