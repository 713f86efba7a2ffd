//! Cuts large JSON Lists into items without reading these. The scan only knows strings and braces; whether an item is
//! valid JSON is determined when it is read.

use std::ops::Range;

use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use memchr::memchr2;

use super::entries::{Entries, Grammar, expect};
use super::scan::{self, blanks, token};
use crate::manifest::simd::{Chunk, LANES, level, parity};
use crate::manifest::yaml::list::{Cut, ListEnd};

/// The beginning of a List, up to its first item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListStart {
    /// The List's `apiVersion`; empty if it comes after the items.
    pub api_version: String,
    /// The List's `kind`; empty if it comes after the items.
    pub kind: String,
    /// The offset of the key `items`.
    pub key: usize,
    /// The offset after the `[` of the items.
    pub items: usize,
}

impl ListStart {
    /// The start of an array as that of a List that gives its items the type of the first one.
    pub fn of_array(self) -> Self {
        Self { kind: self.kind + "List", ..self }
    }
}

/// Reads `text`, the beginning of an object, up to its `items`; `None` if the text does not contain them, they are not
/// an array, or the text before them is uncertain.
pub fn list_start<G: Grammar>(text: &[u8]) -> Option<ListStart> {
    let mut start = ListStart { api_version: String::new(), kind: String::new(), key: 0, items: 0 };
    let mut entries = Entries::<G>::open(valid_start(text), G::token(text, 0))?;
    while let Some(key) = entries.next()? {
        let said = match key {
            "items" => {
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
/// [`ListEnd::Followed`], with the offset after the `]`.
pub fn cut(text: &[u8], first: bool) -> Cut {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    let rest = loop {
        let mut at = token(text, end);
        if text.get(at) == Some(&b',') && !(first && items.is_empty()) {
            let next = token(text, at + 1);
            at = if text.get(next) == Some(&b']') { next } else { at };
        }
        match text.get(at) {
            Some(b']') => {
                end = at + 1;
                break ListEnd::Followed;
            }
            Some(b',') if !(first && items.is_empty()) => at = token(text, at + 1),
            Some(byte) if first && items.is_empty() && *byte != b',' => (),
            Some(_) => break ListEnd::Uncertain,
            None => break ListEnd::Unread,
        }
        match value_end(text, at) {
            Some(item_end) => {
                items.push(at..item_end);
                end = item_end;
            }
            None => break ListEnd::Unread,
        }
    };
    Cut::plain(items, end, rest)
}

/// The inside of an object whose beginning has been read. If the text grows, no part of it is scanned twice.
#[derive(Debug)]
pub struct Inside(Nesting);

impl Default for Inside {
    fn default() -> Self {
        Self(Nesting::at(0))
    }
}

impl Inside {
    /// The offset after the `}` that ends the object; `None` if the text does not contain it.
    pub fn end(&mut self, text: &[u8]) -> Option<usize> {
        self.0.end::<false>(text, b'{', b'}')
    }
}

/// The complete objects at the start of a text. If the text grows, no part of it is scanned twice.
#[derive(Debug, Default)]
pub struct Values {
    /// The offset after the last complete object; 0 if there is none.
    pub end: usize,
    /// The incomplete object after that.
    open: Option<Nesting>,
}

impl Values {
    /// Continues with `text`, which begins with the previous text.
    pub fn advance(&mut self, text: &[u8]) {
        loop {
            let nesting = match &mut self.open {
                Some(nesting) => nesting,
                None => {
                    let at = blanks(text, self.end);
                    if text.get(at) != Some(&b'{') {
                        return;
                    }
                    self.open.insert(Nesting::at(at + 1))
                }
            };
            let Some(end) = nesting.end::<false>(text, b'{', b'}') else { return };
            (self.end, self.open) = (end, None);
        }
    }
}

/// The offset after the value that starts at `at`; `None` if it is incomplete.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' if text.get(at + 1) == Some(&b'}') => Some(at + 2),
        b'{' => nested_end::<false>(text, at + 1, b'{', b'}'),
        b'[' => nested_end::<false>(text, at + 1, b'[', b']'),
        b'"' => string_end(text, at + 1),
        _ => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            text[at..].iter().position(ends).filter(|length| *length > 0).map(|length| at + length)
        }
    }
}

/// As [`value_end`], but also `None` if a string has a control character. In a text of several lines, this reveals a
/// missing quote.
pub(super) fn sound_value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'{' => nested_end::<true>(text, at + 1, b'{', b'}'),
        b'[' => nested_end::<true>(text, at + 1, b'[', b']'),
        _ => value_end(text, at).filter(|end| text[at..*end].iter().all(|&byte| byte >= b' ')),
    }
}

/// The offset after the bracket that closes the one before `at`. Brackets of the other type are balanced inside, unless
/// the text is invalid. If `SOUND`, the result is also `None` if a string has a control character.
fn nested_end<const SOUND: bool>(text: &[u8], at: usize, open: u8, close: u8) -> Option<usize> {
    Nesting::at(at).end::<SOUND>(text, open, close)
}

/// The nesting at a position in a text.
#[derive(Clone, Copy, Debug)]
struct Nesting {
    at: usize,
    depth: u32,
    /// Whether the position is inside a string: all bits or none, one for each byte of a chunk.
    inside: u64,
    /// Whether the byte at the position is escaped by a backslash before it.
    escaping: bool,
}

impl Nesting {
    /// The position right after an opening bracket.
    fn at(at: usize) -> Self {
        Self { at, depth: 1, inside: 0, escaping: false }
    }

    /// As [`nested_end`]. If the text ends first, a later call continues at the same position of a longer text.
    fn end<const SOUND: bool>(&mut self, text: &[u8], open: u8, close: u8) -> Option<usize> {
        dispatch!(level(), simd => self.end_with::<SOUND, _>(simd, text, open, close))
    }

    #[inline(always)]
    fn end_with<const SOUND: bool, S: Simd>(
        &mut self,
        simd: S,
        text: &[u8],
        open: u8,
        close: u8,
    ) -> Option<usize> {
        while let Some(bytes) = text.get(self.at..).and_then(|rest| rest.first_chunk()) {
            match self.step::<SOUND, S>(Chunk::of(simd, bytes), open, close) {
                Step::On => self.at += LANES,
                Step::End(offset) => return Some(self.at + offset),
                Step::Unsound => return None,
            }
        }
        // The last chunk is scanned again when the text has grown.
        let mut last = *self;
        match last.step::<SOUND, S>(Chunk::at(simd, text, self.at), open, close) {
            Step::End(offset) => Some(self.at + offset),
            Step::On | Step::Unsound => None,
        }
    }

    /// Scans the next chunk.
    #[inline(always)]
    fn step<const SOUND: bool, S: Simd>(&mut self, chunk: Chunk<S>, open: u8, close: u8) -> Step {
        let backslashes = chunk.equal(b'\\');
        let mut quotes = chunk.equal(b'"');
        if self.escaping || backslashes != 0 {
            let escaped;
            (escaped, self.escaping) = escaped_by(backslashes, self.escaping);
            quotes &= !escaped;
        }
        let strings = parity(quotes) ^ self.inside;
        self.inside = if strings >> (LANES - 1) == 0 { 0 } else { !0 };
        let control = if SOUND { chunk.within(0, b' ' - 1).to_bitmask() & strings } else { 0 };
        let before_control = control.wrapping_sub(1) & !control;
        let opening = chunk.equal(open) & !strings;
        let closing = chunk.equal(close) & !strings & before_control;
        if let Some(offset) = scan::close(&mut self.depth, opening, closing) {
            return Step::End(offset + 1);
        }
        if control == 0 { Step::On } else { Step::Unsound }
    }
}

/// The result of scanning a chunk inside a bracket.
enum Step {
    /// Everything is inside.
    On,
    /// The end is after this many bytes.
    End(usize),
    /// A string with a control character.
    Unsound,
}

/// The bytes of a chunk that are escaped by its `backslashes`; `first` means that the first one is escaped by the
/// previous chunk. Also returns whether the first byte of the next chunk is escaped.
pub(super) fn escaped_by(mut backslashes: u64, first: bool) -> (u64, bool) {
    let mut escaped = u64::from(first);
    backslashes &= !escaped;
    while backslashes != 0 {
        let next = backslashes.trailing_zeros() + 1;
        if next as usize == LANES {
            return (escaped, true);
        }
        escaped |= 1 << next;
        // An escaped backslash does not escape.
        backslashes &= !(1 << next) & (backslashes - 1);
    }
    (escaped, false)
}

/// The offset after the quote that closes a string; `at` is inside the string.
pub(super) fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        match text[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::manifest::json::entries::Json;

    #[test]
    fn a_list_starts_at_its_items() {
        let text = br#" {"apiVersion": "v1", "metadata": {"a": ["]", "}"]}, "items" : [ {"#;
        let start = list_start::<Json>(text).expect("a List");
        assert_eq!((start.api_version.as_str(), start.kind.as_str()), ("v1", ""));
        assert_eq!(&text[start.items..], b" {");
        assert!(list_start::<Json>(b"{\"items\": [{\"a\": \"\xc3").is_some());
        for text in [&b"[]"[..], b"{}", br#"{"kind": "Pod"}"#, br#"{"items": null}"#, br#"{"kind": "Po"#] {
            assert_eq!(list_start::<Json>(text), None, "{}", String::from_utf8_lossy(text));
        }
    }

    #[track_caller]
    fn check(text: &str, first: bool, expected: &[&str], rest: ListEnd, after: &str) {
        let cut = cut(text.as_bytes(), first);
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

    /// As [`value_end`], byte by byte.
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
