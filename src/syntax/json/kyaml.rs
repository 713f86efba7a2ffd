//! KYAML, as written by kubectl (sigs.k8s.io/yaml, kyaml/kyaml.go): JSON with bare keys, comments, a comma after the
//! last entry, and strings on several lines.
//!
//! It is a part of YAML's flow style. Whatever else could hide a bracket or end the document is declined and left to the
//! full parser: quotes within plain scalars, single quotes, tags, anchors, aliases, and lines at column 0 that may be
//! markers.

use std::ops::Range;

use memchr::memchr;

use super::entries::{Grammar, quoted};
use super::head;
use super::list;
use super::nesting::{COMMENTS, End, FOREIGN, Inside, nested_end};
use super::scan;
use crate::head::Head;
use crate::list::{ListStart, Notation};
use crate::yaml::cursor::{MAX_KEY, is_line_end, is_text};
use crate::yaml::index::certain;
use crate::yaml::list::{Cut, ListEnd};

/// What is looked for in a text that may be anything, rather than KYAML that has been checked before.
const CHECKED: u8 = COMMENTS | FOREIGN;

/// KYAML in a text that has been checked: an [object] of a document, or an item that was [cut](Cutting).
#[derive(Debug)]
pub struct Kyaml;

impl Grammar for Kyaml {
    const LAST_COMMA: bool = true;

    #[inline]
    fn token(text: &[u8], at: usize) -> usize {
        scan::token(text, at)
    }

    #[inline]
    fn key(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        let is_quoted = text.get(at) == Some(&b'"');
        let (key, end) = if is_quoted { quoted(text, at)? } else { bare(text, at)? };
        let is_certain = key.len() < MAX_KEY && (is_quoted || is_bare_text(&text[key.clone()]));
        let value = match (text.get(end..)?, is_quoted) {
            ([b':', b' ', ..], _) | ([b':', b'"' | b'{' | b'[', ..], true) if is_certain => end + 1,
            _ => return None,
        };
        Some((key, Self::token(text, value)))
    }

    #[inline]
    fn string(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        match text.get(at) {
            Some(b'"') => quoted(text, at),
            // Whatever continues it is neither a comma nor the end of the object.
            _ => bare(text, at).filter(|(word, _)| is_bare_text(&text[word.clone()])),
        }
    }

    #[inline]
    fn value_end(text: &[u8], at: usize) -> Option<usize> {
        match text.get(at)? {
            b'{' | b'[' | b'"' => nested_end::<COMMENTS>(text, at),
            _ => bare(text, at).map(|(_, end)| end),
        }
    }
}

/// The plain scalar of letters, digits and `+-./_` that starts at `at`, and the offset of its end.
#[inline]
fn bare(text: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let is_bare =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'..=b'/' | b'_' | 0x80..);
    let rest = text.get(at..)?;
    let length = rest.iter().position(|byte| !is_bare(byte)).unwrap_or(rest.len());
    let is_scalar = length > 0 && (rest[0] != b'-' || length > 1 && rest[1].is_ascii_digit());
    is_scalar.then(|| (at..at + length, at + length))
}

/// Whether a plain scalar is a string.
fn is_bare_text(text: &[u8]) -> bool {
    // Of texts that begin with a letter, only words such as `true` and `null` are not strings.
    let may_be_word = text.len() <= 5 && matches!(text[0] | 0x20, b't' | b'y' | b'o' | b'f' | b'n');
    let is_word = text[0].is_ascii_alphabetic() && !may_be_word;
    is_word || std::str::from_utf8(text).is_ok_and(is_text)
}

/// The offset of the object in the text of a document, after its separator line and comments; `None` if the document
/// does not start with an object.
pub fn start(document: &[u8]) -> Option<usize> {
    // Most documents are not in braces; they start with a letter.
    value_start(document).filter(|at| document[*at] == b'{')
}

/// Where the value of a document begins, which may be any; `None` if it is not KYAML.
fn value_start(document: &[u8]) -> Option<usize> {
    let first_line = match document.strip_prefix(b"---") {
        Some(rest) => {
            let length = memchr(b'\n', rest)?;
            std::str::from_utf8(&rest[..length]).is_ok_and(is_line_end).then_some(3 + length)?
        }
        None => 0,
    };
    let at = Kyaml::token(document, first_line);
    (at < document.len()).then_some(at)
}

/// The object of a document, without the text before it; `None` if the document is not an object, or this is uncertain.
pub fn object(document: &[u8]) -> Option<&[u8]> {
    let start = start(document)?;
    let mut inside = Inside::at(start + 1);
    let End::At(end) = inside.end::<CHECKED>(document, b'{') else { return None };
    let is_alone = Kyaml::token(document, end) == document.len();
    let around = [&document[..start], &document[end..]];
    let is_certain = is_alone
        && (!inside.unusual || certain(&document[start..end]).is_some())
        && around.iter().all(|text| certain(text).is_some());
    is_certain.then_some(&document[start..])
}

/// Where the items of a List in a document begin; `None` if it is not certainly a List.
pub fn list_start(document: &[u8]) -> Option<ListStart> {
    let start = start(document)?;
    let list = list::list_start::<Kyaml>(&document[start..], Notation::Flow)?;
    let (key, items) = (start + list.key, start + list.items);
    let before = &document[..items];
    let is_open = matches!(Inside::at(start + 1).end::<CHECKED>(before, b'{'), End::Unread);
    let is_certain = is_open && list.notation == Notation::Flow && certain(before).is_some();
    is_certain.then_some(ListStart { key, items, ..list })
}

/// Reads `document` up to the first element of an array of objects, as the start of a List that gives its items the
/// type of the first one. `None` if it is not certainly an array, or does not contain a first object that states its
/// type.
pub fn array_start(document: &[u8]) -> Option<ListStart> {
    let start = value_start(document).filter(|start| document[*start] == b'[')?;
    certain(&document[..start])?;
    let items = start + 1;
    let first = Cutting::of(document.get(items..)?).cut.items.into_iter().next()?;
    let mut head = Head::default();
    let first = &document[items + first.start..items + first.end];
    let is_typed = head::skim::<Kyaml>(first, &mut head) && !head.kind.is_empty();
    let (api_version, kind) = (head.api_version.to_owned(), format!("{}List", head.kind));
    let list = ListStart { notation: Notation::Array, api_version, kind, key: items, items };
    (is_typed && !list.api_version.is_empty()).then_some(list)
}

/// Items that are being cut off the start of a text. If the text grows, no part of it is scanned twice.
#[derive(Debug)]
pub struct Cutting {
    /// The items so far. An item is cut when the comma or bracket after it has been read, and the end is after that.
    pub cut: Cut,
    /// The incomplete item after them, and its start.
    open: Option<(usize, Inside)>,
}

impl Default for Cutting {
    /// Nothing yet.
    fn default() -> Self {
        Self { cut: Cut::plain(Vec::new(), 0, ListEnd::Unread), open: None }
    }
}

impl Cutting {
    /// Cuts items off `text`, which is inside the array of items, before an item or the end.
    pub fn of(text: &[u8]) -> Self {
        let mut cutting = Self::default();
        cutting.advance(text);
        cutting
    }

    /// Goes on with `text`, which starts as it did before.
    pub fn advance(&mut self, text: &[u8]) {
        while self.cut.rest == ListEnd::Unread {
            match self.item(text) {
                Found::Item(item, end) => {
                    self.open = None;
                    self.cut.items.push(item);
                    self.cut.end = end + 1;
                    if text[end] == b']' {
                        self.cut.rest = ListEnd::Followed;
                    }
                }
                Found::End(at) => (self.cut.end, self.cut.rest) = (at + 1, ListEnd::Followed),
                Found::Unread => return,
                Found::Uncertain => self.cut.rest = ListEnd::Uncertain,
            }
        }
    }

    /// The next item.
    fn item(&mut self, text: &[u8]) -> Found {
        let (start, inside) = match &mut self.open {
            Some(open) => (open.0, &mut open.1),
            None => match gap(text, self.cut.end) {
                Gap::To(at, b'{') => {
                    let open = self.open.insert((at, Inside::at(at + 1)));
                    (at, &mut open.1)
                }
                Gap::To(at, b']') => return Found::End(at),
                Gap::Unread => return Found::Unread,
                Gap::To(..) | Gap::Uncertain => return Found::Uncertain,
            },
        };
        let end = match inside.end::<CHECKED>(text, b'{') {
            End::At(end) => end,
            End::Unread => return Found::Unread,
            End::Uncertain => return Found::Uncertain,
        };
        // After the end of the item, this is repeated only if the text after it is missing.
        if inside.unusual && certain(&text[start..end]).is_none() {
            return Found::Uncertain;
        }
        match gap(text, end) {
            Gap::To(at, b',' | b']') => Found::Item(start..end, at),
            Gap::Unread => Found::Unread,
            Gap::To(..) | Gap::Uncertain => Found::Uncertain,
        }
    }
}

/// The next part of a List.
enum Found {
    /// An item, and the offset of the comma or bracket after it.
    Item(Range<usize>, usize),
    /// The bracket that ends the List.
    End(usize),
    /// An incomplete part.
    Unread,
    Uncertain,
}

/// The text between items.
enum Gap {
    /// Only blanks and comments, up to this offset and byte.
    To(usize, u8),
    Unread,
    Uncertain,
}

fn gap(text: &[u8], from: usize) -> Gap {
    let at = Kyaml::token(text, from);
    let Some(&byte) = text.get(at) else { return Gap::Unread };
    let between = &text[from..at];
    match between.iter().any(|byte| !matches!(byte, b' ' | b'\n')) && certain(between).is_none() {
        true => Gap::Uncertain,
        false => Gap::To(at, byte),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str], rest: ListEnd, after: &str) {
        let cut = Cutting::of(text.as_bytes()).cut;
        let items: Vec<&str> = cut.items.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!((&items[..], cut.rest, &text[cut.end..]), (expected, rest, after), "{text}");
    }

    #[test]
    fn items_are_cut_where_their_braces_close() {
        let one =
            "{\n  a/b: \"}\\\"\", # }\n  c: \"\\\n     ]\\n\\\n    \", \"d\":\"e\", \"f\":[{}, {g: -1,}],\n}";
        check(&format!(" {one} ,\n# {{\n{{}},\n], kind"), &[one, "{}"], ListEnd::Followed, ", kind");
        check(&format!("{one}, {{x: \""), &[one], ListEnd::Unread, " {x: \"");
        check(&format!("{one} # ]"), &[], ListEnd::Unread, &format!("{one} # ]"));
        check("]}", &[], ListEnd::Followed, "}");
        check("", &[], ListEnd::Unread, "");
    }

    #[test]
    fn what_is_not_certain_is_not_cut() {
        for item in [
            "{a: 'b'}",
            "{a: &b c, d: *b}",
            "{a: b \"c}",
            "{a: b\n\"c}",
            "{a:\"b\"}",
            "{a: b#c}",
            "{a: &b c, d: *e}",
            "{a: &b c \"d\"}",
            "{a: *b}",
            "{a: !b c}",
            "{a: \"b\n...\n\"}",
            "{a: \"b\n-\"}",
            "{a: \"b\" \"c\"}",
            "{a: \"\u{7f}\"}",
            "{a: \"\u{2028}\"}",
            "{a: b}# c\n",
            "null",
            "[]",
            ",",
            "{a: b} {}",
            "{a: b} # \u{85}\n",
        ] {
            check(&format!("{{}}, {item}, {{}}]"), &["{}"], ListEnd::Uncertain, &format!(" {item}, {{}}]"));
        }
    }

    #[test]
    fn a_list_starts_at_its_items() {
        let text = "---\n# a List\n{\n  apiVersion: \"v1\", metadata: {\n    a: \"]\",\n  },\n  items: [{";
        let start = list_start(text.as_bytes()).expect("a List");
        assert_eq!((start.api_version.as_str(), start.kind.as_str()), ("v1", ""));
        assert_eq!(&text[start.items..], "{");
        for text in [
            "{items: a",
            "[",
            "{kind: \"a\", kind: \"b\", items: [",
            "{kind: yes, items: [",
            "{kind: a b, items: [",
            "{kind: &a b, items: [",
            "{yes: 1, items: [",
            "{a",
        ] {
            assert_eq!(list_start(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_text_that_grows_is_cut_as_at_once(
            text in r##"(\{( ?[a{\[,:\]}]{1,9} ?| "([a\[\]{}\n]|\\[\\"n]){0,20}"| # [a}"]\n){0,20}\}[, ]){0,5}"##,
            steps in prop::collection::vec(1..90_usize, 0..9),
        ) {
            let mut cutting = Cutting::default();
            let mut end = 0;
            for step in steps {
                end = (end + step).min(text.len());
                cutting.advance(&text.as_bytes()[..end]);
            }
            cutting.advance(text.as_bytes());
            prop_assert_eq!(cutting.cut, Cutting::of(text.as_bytes()).cut, "{}", text);
        }
    }
}
