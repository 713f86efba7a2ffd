//! The markers of documents: lines `---` and `...`.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::{self, Finder};

static MARKER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"..."));

/// Whether a line begins as a marker does.
pub fn begins(line: &[u8]) -> bool {
    line.starts_with(b"---") || line.starts_with(b"...")
}

/// Whether a line of `text` after the first one [begins] as a marker does.
pub fn may_be_in(text: &[u8]) -> bool {
    [&b"\n---"[..], b"\n..."].iter().any(|start| memmem::find(text, start).is_some())
}

/// The offset of the first end marker in `text` at or after `start`, which is the start of a line; the length of the text
/// if there is none. goyaml ignores what follows the marker, because it only parses one document.
pub fn document_end(text: &[u8], start: usize) -> usize {
    let at_line_start = |at: &usize| {
        *at == start || at.checked_sub(1).is_some_and(|before| matches!(text[before], b'\n' | b'\r'))
    };
    MARKER
        .find_iter(&text[start..])
        .map(|at| start + at)
        .find(|at| at_line_start(at) && is_end(&text[*at..]))
        .unwrap_or(text.len())
}

/// Whether a line, with the text after it, is an end marker.
pub fn is_end(line: &[u8]) -> bool {
    line.starts_with(b"...") && matches!(line.get(3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

/// The offset of the first line with content after the end marker at `marker` of `text`, the text between two separators,
/// or its part after the items of a List if it `continues` one; `None` if there is no such line, or no document before
/// the marker, which is an error of its own. Comments, directives and further markers are not content.
pub fn text_after_end(text: &[u8], marker: usize, continues: bool) -> Option<usize> {
    // The separator before all documents begins one that may be empty.
    let begins = || text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text).starts_with(b"---");
    let has_document = || first_content(text, 0).is_some_and(|content| content < marker);
    if !(continues || begins() || has_document()) {
        return None;
    }
    first_content(text, memchr(b'\n', &text[marker..]).map(|end| marker + end + 1)?)
}

/// The offset of the text after a value that ends at `end`, before an end marker; `None` if there is only a comment.
pub fn text_after(text: &[u8], end: usize) -> Option<usize> {
    let line = memchr(b'\n', &text[end..]).map_or(text.len(), |length| end + length);
    let rest = text[end..line].trim_ascii();
    let at_line_start = end == 0 || text.get(end - 1) == Some(&b'\n');
    if !(rest.is_empty() || rest.starts_with(b"#") || at_line_start) {
        return Some(end);
    }
    let from = if at_line_start { end } else { (line + 1).min(text.len()) };
    let last = document_end(text, from);
    first_content(&text[..last], from)
}

/// The offset of the first line at or after `at` that is not blank, a comment, a directive or a marker.
fn first_content(text: &[u8], mut at: usize) -> Option<usize> {
    for line in text[at..].split_inclusive(|&byte| byte == b'\n') {
        let is_content = match line.trim_ascii() {
            [] | [b'#' | b'%', ..] | b"---" | b"..." => false,
            _ => !line.starts_with(b"... ") && !line.starts_with(b"--- #"),
        };
        if is_content {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let marker = document_end(text.as_bytes(), 0);
        let found = text_after_end(text.as_bytes(), marker, false).map(|at| &text[at..]);
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn text_after_an_end_marker_is_found() {
        check("a: 1\n...\nb: 2\n", Some("b: 2\n"));
        check("---\na: 1\n...\n\n# c\n b: 2", Some(" b: 2"));
        check("a: |\n  b\n... # c\n\n...\n- c\n", Some("- c\n"));
        check("a: 1\r\n...\r\nb: 2\r\n", Some("b: 2\r\n"));
        check("---\n# an empty document\n...\nb: 2\n", Some("b: 2\n"));
    }

    #[test]
    fn comments_directives_and_markers_are_no_text() {
        check("a: 1\n...\n", None);
        check("a: 1\n...", None);
        check("a: 1\n...\n# c\n\n%YAML 1.1\n...\n", None);
    }

    #[test]
    fn what_only_looks_like_a_marker_ends_nothing() {
        check("a: 1\n ...\nb: 2\n", None);
        check("a: 1\n...b: 3\nb: 2\n", None);
        check("a: ...\nb: 2\n", None);
    }

    #[test]
    fn a_marker_before_all_content_is_an_error_of_its_own() {
        check("...\nb: 2\n", None);
        check("# c\n...\nb: 2\n", None);
    }
}
