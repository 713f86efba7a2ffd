//! Large JSON Lists cut into their items without being read: a scan that knows strings and braces and nothing
//! else. Whoever reads an item finds out whether it is JSON.

use std::ops::Range;

use memchr::{memchr2, memchr3};

use super::skim::{Cut, Rest};

/// The start of a List, up to its first item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStart {
    /// The List's `apiVersion`; empty if it stands behind the items.
    pub api_version: String,
    /// The List's `kind`; empty if it stands behind the items.
    pub kind: String,
    /// The offset behind the `[` of the items.
    pub items: usize,
}

/// Reads `text`, the start of a JSON object, up to its `items`; nothing when they are not in it, or no array.
pub fn list_start(text: &[u8]) -> Option<ListStart> {
    let mut start = ListStart { api_version: String::new(), kind: String::new(), items: 0 };
    let mut at = expect(text, blanks(text, 0), b'{')?;
    loop {
        let key = blanks(text, at)..value_end(text, blanks(text, at))?;
        let value = blanks(text, expect(text, blanks(text, key.end), b':')?);
        let key: &str = serde_json::from_slice(&text[key]).ok()?;
        if key == "items" {
            start.items = expect(text, value, b'[')?;
            return Some(start);
        }
        let end = value_end(text, value)?;
        match key {
            "apiVersion" => start.api_version = serde_json::from_slice(&text[value..end]).ok()?,
            "kind" => start.kind = serde_json::from_slice(&text[value..end]).ok()?,
            _ => (),
        }
        at = expect(text, blanks(text, end), b',')?;
    }
}

/// Cuts items off the start of `text`, which stands in the array of items: at its start if `first`, else behind
/// an item. The items end with [`Rest::Followed`], the offset then being behind the `]`.
pub fn cut(text: &[u8], first: bool) -> Cut {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    let rest = loop {
        let mut at = blanks(text, end);
        match text.get(at) {
            Some(b']') => {
                end = at + 1;
                break Rest::Followed;
            }
            Some(b',') if !(first && items.is_empty()) => at = blanks(text, at + 1),
            Some(b'{') if first && items.is_empty() => (),
            Some(_) => break Rest::Uncertain,
            None => break Rest::Unread,
        }
        match value_end(text, at) {
            Some(item_end) => {
                items.push(at..item_end);
                end = item_end;
            }
            None => break Rest::Unread,
        }
    };
    Cut { items, end, rest }
}

/// The offset behind the `}` that ends an object, `text` standing inside it; nothing when it is not there.
pub fn object_end(text: &[u8]) -> Option<usize> {
    nested_end(text, 0, b'{', b'}')
}

/// The offset behind the last of the objects that `text` starts with and holds as a whole; 0 when there is none.
pub fn values_end(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let at = blanks(text, end);
        if text.get(at) != Some(&b'{') {
            return end;
        }
        let Some(value_end) = value_end(text, at) else { return end };
        end = value_end;
    }
}

/// The offset behind the value that starts at `at`; nothing when it is not there as a whole.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' => nested_end(text, at + 1, b'{', b'}'),
        b'[' => nested_end(text, at + 1, b'[', b']'),
        b'"' => string_end(text, at + 1),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            text[at..].iter().position(ends).filter(|length| *length > 0).map(|length| at + length)
        }
    }
}

/// The offset behind the bracket that closes what is open at `at`. Brackets of the other sort are balanced
/// inside, or the text is no JSON.
fn nested_end(text: &[u8], mut at: usize, open: u8, close: u8) -> Option<usize> {
    let mut depth = 1;
    loop {
        at += memchr3(b'"', open, close, text.get(at..)?)? + 1;
        match text[at - 1] {
            b'"' => at = string_end(text, at)?,
            byte if byte == open => depth += 1,
            _ => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

/// The offset behind the quote that closes a string, `at` being inside it.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        match text[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
}

fn expect(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    (text.get(at) == Some(&byte)).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_starts_at_its_items() {
        let text = br#" {"apiVersion": "v1", "metadata": {"a": ["]", "}"]}, "items" : [ {"#;
        let start = list_start(text).expect("a List");
        assert_eq!((start.api_version.as_str(), start.kind.as_str()), ("v1", ""));
        assert_eq!(&text[start.items..], b" {");
        for text in [&b"[]"[..], b"{}", br#"{"kind": "Pod"}"#, br#"{"items": null}"#, br#"{"kind": "Po"#] {
            assert_eq!(list_start(text), None, "{}", String::from_utf8_lossy(text));
        }
    }

    #[track_caller]
    fn check(text: &str, first: bool, expected: &[&str], rest: Rest, after: &str) {
        let cut = cut(text.as_bytes(), first);
        let items: Vec<&str> = cut.items.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!((&items[..], cut.rest, &text[cut.end..]), (expected, rest, after), "{text}");
    }

    #[test]
    fn items_are_cut_where_their_braces_close() {
        let one = r#"{"a": "}\"", "b": {"c": [{}]}}"#;
        check(&format!(" {one} ,\n{{}} ], \"kind\""), true, &[one, "{}"], Rest::Followed, ", \"kind\"");
        check(&format!(", {one}, {{\"x\": \""), false, &[one], Rest::Unread, ", {\"x\": \"");
        check("]}", true, &[], Rest::Followed, "}");
        check("", false, &[], Rest::Unread, "");
        check(" x", true, &[], Rest::Uncertain, " x");
        check("{} {}", true, &["{}"], Rest::Uncertain, " {}");
        check(", 1, 2]", false, &["1", "2"], Rest::Followed, "");
    }
}
