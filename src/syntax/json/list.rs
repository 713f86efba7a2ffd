//! Cuts large JSON Lists into items without reading these. The scan only knows strings and braces; whether an item is
//! valid JSON is determined when it is read.

use std::ops::Range;

use super::entries::{Entries, Grammar, Json, expect};
use super::nesting::value_end;
use super::scan::token;
use crate::head::is_table;
use crate::list::{ListStart, Notation};
use crate::yaml::list::{Cut, ListEnd};

/// Reads `text`, the beginning of an object, up to its `items`, or the `rows` of a Table; `None` if the text does not
/// contain them, they are not an array, or the text before them is uncertain. `notation` is that of a List without rows.
pub fn list_start<G: Grammar>(text: &[u8], notation: Notation) -> Option<ListStart> {
    let (api_version, kind) = (String::new(), String::new());
    let mut start = ListStart { notation, api_version, kind, key: 0, items: 0 };
    let mut entries = Entries::<G>::open(valid_start(text), G::token(text, 0))?;
    while let Some(key) = entries.next()? {
        let is_table = is_table(&start.api_version, &start.kind);
        let said = match key {
            "items" | "rows" if is_table == (key == "rows") => {
                start.notation = if is_table { Notation::Table } else { notation };
                start.key = entries.key;
                start.items = expect(text, entries.at, b'[')?;
                return Some(start);
            }
            "apiVersion" => &mut start.api_version,
            "kind" => &mut start.kind,
            _ => {
                entries.skip()?;
                continue;
            }
        };
        // Repeated fields are left to the full parser.
        said.is_empty().then_some(())?;
        entries.string()?.unwrap_or_default().clone_into(said);
    }
    None
}

/// The text up to the first byte that is not UTF-8, where it may end within a character.
fn valid_start(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_else(|error| {
        let (valid, _) = text.split_at(error.valid_up_to());
        std::str::from_utf8(valid).unwrap_or_default()
    })
}

/// Cuts complete items off `text`, which begins inside the array of items: at its start if `first`, otherwise after an
/// item. As in YAML, there may be comments between the items, and a comma after the last one. After that, the result is
/// [`ListEnd::Followed`], with the offset after the `]`. The items of a Table are the objects of its rows.
pub fn cut(text: &[u8], first: bool, notation: Notation) -> Cut {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    let rest = loop {
        let mut at = token(text, end);
        let is_first = first && end == 0;
        if text.get(at) == Some(&b',') && !is_first {
            let next = token(text, at + 1);
            at = if text.get(next) == Some(&b']') { next } else { at };
        }
        match text.get(at) {
            Some(b']') => {
                end = at + 1;
                break ListEnd::Followed;
            }
            Some(b',') if !is_first => at = token(text, at + 1),
            Some(byte) if is_first && *byte != b',' => (),
            Some(_) => break ListEnd::Uncertain,
            None => break ListEnd::Unread,
        }
        match value_end(text, at) {
            Some(item_end) => {
                end = item_end;
                match notation {
                    // What is no row has an error of its own.
                    Notation::Table => items.extend(object_of_row(text, at..end).unwrap_or(Some(at..end))),
                    _ => items.push(at..end),
                }
            }
            None => break ListEnd::Unread,
        }
    };
    Cut::plain(items, end, rest)
}

/// The range of the value `object` of a row, inside which it is searched; `Some(None)` if there is none.
fn object_of_row(text: &[u8], row: Range<usize>) -> Option<Option<Range<usize>>> {
    let valid = simdutf8::basic::from_utf8(&text[row.clone()]).ok()?;
    let mut entries = Entries::<Json>::open(valid, 0)?;
    let mut object = None;
    while let Some(key) = entries.next()? {
        let start = row.start + entries.at;
        entries.skip()?;
        if key == "object" {
            object = Some(start..row.start + entries.at);
        }
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::nesting::sound_value_end;
    use super::*;
    use crate::json::entries::Json;

    #[test]
    fn a_list_starts_at_its_items() {
        let text = br#" {"apiVersion": "v1", "metadata": {"a": ["]", "}"]}, "items" : [ {"#;
        let start = list_start::<Json>(text, Notation::Json).expect("a List");
        assert_eq!((start.api_version.as_str(), start.kind.as_str()), ("v1", ""));
        assert_eq!(&text[start.items..], b" {");
        assert!(list_start::<Json>(b"{\"items\": [{\"a\": \"\xc3", Notation::Json).is_some());
        for text in [&b"[]"[..], b"{}", br#"{"kind": "Pod"}"#, br#"{"items": null}"#, br#"{"kind": "Po"#] {
            assert_eq!(list_start::<Json>(text, Notation::Json), None, "{}", String::from_utf8_lossy(text));
        }
    }

    #[track_caller]
    fn check(text: &str, first: bool, expected: &[&str], rest: ListEnd, after: &str) {
        let cut = cut(text.as_bytes(), first, Notation::Json);
        let items: Vec<&str> = cut.items.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!((&items[..], cut.rest, &text[cut.end..]), (expected, rest, after), "{text}");
    }

    #[test]
    fn items_are_cut_where_their_braces_close() {
        let one = r#"{"a": "}\"", "b": {"c": [{}]}}"#;
        check(&format!(" {one} ,\n{{}} ], \"kind\""), true, &[one, "{}"], ListEnd::Followed, ", \"kind\"");
        check(&format!(", {one}, {{\"x\": \""), false, &[one], ListEnd::Unread, ", {\"x\": \"");
        check("]}", true, &[], ListEnd::Followed, "}");
        check("", false, &[], ListEnd::Unread, "");
        check(" x", true, &[], ListEnd::Unread, " x");
        check(" ,", true, &[], ListEnd::Uncertain, " ,");
        check("null, {}]", true, &["null", "{}"], ListEnd::Followed, "");
        check("{} {}", true, &["{}"], ListEnd::Uncertain, " {}");
        check(", 1, 2]", false, &["1", "2"], ListEnd::Followed, "");
    }

    #[test]
    fn a_string_with_a_line_end_is_not_sound() {
        for text in ["{\"a\": \"b\n}", "[\"a\nb\"]", "\"a\nb\""] {
            assert!(sound_value_end(text.as_bytes(), 0).is_none(), "{text}");
        }
        for text in ["{\"a\":\n\"b\"}", "[[\n\t]\r\n]", "\"ab\"", "true"] {
            let followed = format!("{text},\n\"a\nb\"");
            assert_eq!(sound_value_end(followed.as_bytes(), 0), Some(text.len()), "{text}");
        }
    }

    /// The end of a value, found byte by byte, to compare it with [`value_end`].
    fn end_byte_by_byte(text: &[u8]) -> Option<usize> {
        let (mut depth, mut string, mut escaped) = (0, false, false);
        let (open, close) = if text[0] == b'{' { (b'{', b'}') } else { (b'[', b']') };
        for (at, &byte) in text.iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if string => escaped = true,
                b'"' => string = !string,
                _ if string => (),
                byte if byte == open => depth += 1,
                byte if byte == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => (),
            }
        }
        None
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn many_bytes_at_once_say_what_one_by_one_say(
            text in r#"[\[{]([\[\]{}]|[a:]{1,9}|"([a\[\]{}]|\\[\\"n]){0,20}"){0,60}"#
        ) {
            prop_assert_eq!(value_end(text.as_bytes(), 0), end_byte_by_byte(text.as_bytes()), "{}", text);
        }
    }
}
