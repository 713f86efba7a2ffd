//! Values of JSON texts: whole, or only the fields that are needed.
//!
//! The structure is read here, without recursion, so that every span is exact and the depth is limited. Strings with
//! escapes are left to serde_json, and so are the reasons why a text is not JSON.

use std::borrow::Cow;
use std::fmt;

use compact_str::CompactString;
use serde::de::{Deserializer as _, IgnoredAny, Visitor};

use super::nesting::sound_value_end;
use super::scan::{blanks, plain_end};
use crate::MAX_DEPTH;
use crate::fields::Fields;
use crate::parsed::{Duplicate, Error, ErrorKind, Parsed};
use crate::tree::{Map, Node, Span, Value};
use crate::yaml::scalar;

/// Reads these fields of one JSON value, which may have blanks around it. Other lists and maps are skipped, hardly
/// checked, and become null.
///
/// The last value of a repeated key counts (sigs.k8s.io/json). Invalid UTF-8 and lone surrogates become U+FFFD, as in
/// encoding/json.
///
/// # Errors
///
/// The text is not one JSON value, has a number outside the range of a 64-bit float, or is nested too deeply.
pub fn read(text: &[u8], fields: Fields<'_>) -> Result<Parsed, Error> {
    let (valid, open, duplicates) = (simdutf8::basic::from_utf8(text).ok(), Vec::new(), Vec::new());
    let mut reader = Reader { text, valid, at: 0, open, duplicates, fields };
    match reader.document() {
        Ok(root) => Ok(Parsed::new(root, reader.duplicates, false)),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::Syntax) => Err(syntax_error(text, reader.at)),
    }
}

/// Why the reader stopped.
enum Failure {
    /// The text is not JSON; serde_json determines the reason.
    Syntax,
    Error(Error),
}

/// serde_json's error for a text that the reader rejected at `at`.
fn syntax_error(text: &[u8], at: usize) -> Error {
    match serde_json::from_slice::<IgnoredAny>(text) {
        Err(error) => error_of(&error, text),
        Ok(_) => Error::new(ErrorKind::Syntax("invalid JSON".to_owned()), at, text),
    }
}

/// An error of serde_json in `text`. Its message has no position, because `text` may be any part of a stream.
pub fn error_of(error: &serde_json::Error, text: &[u8]) -> Error {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let reason = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    Error::new(ErrorKind::Syntax(reason), offset_of(error, text), text)
}

/// The offset in `text` of an error of serde_json.
fn offset_of(error: &serde_json::Error, text: &[u8]) -> usize {
    let lines_before = error.line().saturating_sub(1);
    let end_of = |line| memchr::memchr_iter(b'\n', text).nth(line).map_or(text.len(), |at| at + 1);
    lines_before.checked_sub(1).map_or(0, end_of) + error.column().saturating_sub(1)
}

struct Reader<'t> {
    text: &'t [u8],
    /// The text, if all of it is UTF-8.
    valid: Option<&'t str>,
    at: usize,
    /// The lists and maps that are still open, the innermost last.
    open: Vec<Open<'t>>,
    duplicates: Vec<Duplicate>,
    /// The fields to read.
    fields: Fields<'t>,
}

/// A list or map that is being read.
struct Open<'f> {
    start: usize,
    content: Content,
    /// Its fields to read.
    fields: Fields<'f>,
}

enum Content {
    Seq(Vec<Node>),
    Map {
        map: Map,
        /// The key of the next value.
        key: (CompactString, Span),
    },
}

impl<'t> Reader<'t> {
    fn document(&mut self) -> Result<Node, Failure> {
        loop {
            let Some(mut node) = self.value()? else { continue };
            // A value is complete, and possibly the collections that it ends.
            loop {
                self.skip_blanks();
                let Some(open) = self.open.last_mut() else {
                    return if self.at == self.text.len() { Ok(node) } else { Err(Failure::Syntax) };
                };
                let closing = match &mut open.content {
                    Content::Seq(elements) => {
                        elements.push(node);
                        b']'
                    }
                    Content::Map { map, key } => {
                        let (name, span) = std::mem::take(key);
                        if let Some(repeated) = map.insert(name, span, node) {
                            self.duplicates.push(Duplicate { key: repeated.key.to_string(), span });
                        }
                        b'}'
                    }
                };
                match self.next_byte() {
                    Some(b',') => {
                        self.skip_blanks();
                        if closing == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    Some(byte) if byte == closing => node = self.close()?,
                    _ => return Err(Failure::Syntax),
                }
            }
        }
    }

    /// Reads a value; `None` if it is a list or map that is not empty.
    fn value(&mut self) -> Result<Option<Node>, Failure> {
        self.skip_blanks();
        let start = self.at;
        let value = match self.text.get(start) {
            Some(open @ (b'{' | b'[')) => match self.fields_of_value() {
                None => {
                    self.at = sound_value_end(self.text, start).ok_or(Failure::Syntax)?;
                    Value::Null
                }
                Some(fields) if *open == b'[' => return self.open(Content::Seq(Vec::new()), fields),
                Some(fields) => {
                    let map = Content::Map { map: Map::default(), key: Default::default() };
                    return self.open(map, fields);
                }
            },
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Some(Node { value, span: Span { start, end: self.at } }))
    }

    /// The fields to read of the next list or map; `None` if it is not needed.
    fn fields_of_value(&self) -> Option<Fields<'t>> {
        let Some(open) = self.open.last() else { return Some(self.fields) };
        match &open.content {
            Content::Seq(_) => Some(open.fields.of_items()),
            Content::Map { key: (key, _), .. } if open.fields.without.contains(&key.as_str()) => None,
            Content::Map { key: (key, _), .. } => open.fields.of(key),
        }
    }

    fn open(&mut self, content: Content, fields: Fields<'t>) -> Result<Option<Node>, Failure> {
        let start = self.at;
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(ErrorKind::Depth, start));
        }
        let closing = match content {
            Content::Seq(_) => b']',
            Content::Map { .. } => b'}',
        };
        self.open.push(Open { start, content, fields });
        self.at += 1;
        self.skip_blanks();
        if self.text.get(self.at) == Some(&closing) {
            self.at += 1;
            return self.close().map(Some);
        }
        if closing == b'}' {
            self.key()?;
        }
        Ok(None)
    }

    /// The innermost list or map, which ended at the previous byte.
    fn close(&mut self) -> Result<Node, Failure> {
        let open = self.open.pop().ok_or(Failure::Syntax)?;
        let value = match open.content {
            Content::Seq(elements) => Value::Seq(elements),
            Content::Map { map, .. } => Value::Map(map),
        };
        Ok(Node { value, span: Span { start: open.start, end: self.at } })
    }

    /// Reads a key of the innermost map, and its colon.
    fn key(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let name = self.string()?;
        let span = Span { start, end: self.at };
        self.skip_blanks();
        if self.next_byte() != Some(b':') {
            return Err(Failure::Syntax);
        }
        if let Some(Open { content: Content::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = (name, span);
        }
        Ok(())
    }

    fn string(&mut self) -> Result<CompactString, Failure> {
        let start = self.at;
        if self.next_byte() != Some(b'"') {
            return Err(Failure::Syntax);
        }
        let mut escaped = false;
        loop {
            self.at = plain_end(self.text, self.at);
            match self.next_byte() {
                Some(b'"') => break,
                Some(b'\\') => escaped = true,
                _ => return Err(Failure::Syntax),
            }
            self.next_byte();
        }
        let inside = start + 1..self.at - 1;
        Ok(match self.valid {
            _ if escaped => unescape(&self.text[start..self.at]).ok_or(Failure::Syntax)?.into(),
            Some(text) => text[inside].into(),
            None => valid_utf8(&self.text[inside]).into(),
        })
    }

    fn number(&mut self) -> Result<Value, Failure> {
        let start = self.at;
        self.skip(b"-");
        if !self.skip(b"0") && !self.digits() {
            return Err(Failure::Syntax);
        }
        if self.skip(b".") && !self.digits() {
            return Err(Failure::Syntax);
        }
        if self.skip(b"eE") {
            self.skip(b"+-");
            if !self.digits() {
                return Err(Failure::Syntax);
            }
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]);
        if let Ok(whole) = text.parse() {
            return Ok(Value::Int(whole));
        }
        // The standard library rounds as Go does; serde_json's default is faster but may differ in the last digit.
        let number = text.parse().map_err(|_| Failure::Syntax)?;
        scalar::float_value(number).map_err(|_| self.error(ErrorKind::NumberOutOfRange, start))
    }

    fn word(&mut self) -> Result<Value, Failure> {
        let rest = &self.text[self.at..];
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if rest.starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(Failure::Syntax)
    }

    /// Skips one of `bytes`; false if the next byte is another one.
    fn skip(&mut self, bytes: &[u8]) -> bool {
        let found = self.text.get(self.at).is_some_and(|byte| bytes.contains(byte));
        self.at += usize::from(found);
        found
    }

    /// Skips digits; false if there are none.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    fn skip_blanks(&mut self) {
        self.at = blanks(self.text, self.at);
    }

    fn next_byte(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn error(&self, kind: ErrorKind, at: usize) -> Failure {
        Failure::Error(Error::new(kind, at, self.text))
    }
}

/// The text with each byte that is not UTF-8 replaced by U+FFFD (encoding/json, unquote).
fn valid_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(text)
}

/// The text of a string with escapes; `None` if an escape is invalid.
fn unescape(quoted: &[u8]) -> Option<String> {
    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            // The only invalid UTF-8 is that of lone surrogates, three bytes each, of which a chunk has the first or
            // the others.
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().first().filter(|&&byte| byte == 0xed).map(|_| '\u{fffd}'));
            }
            Ok(text)
        }
    }

    let quoted = valid_utf8(quoted);
    serde_json::Deserializer::from_str(&quoted).deserialize_bytes(Bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_and_maps_that_nobody_wants_become_null() {
        let text =
            br#"{"a": {"env": ["b", {}], "c": [{"env": {"d": 1}}, 2]}, "env": "e", "f": ["env", [3]]}"#;
        let expected = br#"{"a": {"env": null, "c": [{"env": null}, 2]}, "env": "e", "f": ["env", [3]]}"#;
        let (pruned, expected) =
            (read(text, Fields::without(&["env"])).unwrap(), crate::json::parse(expected).unwrap());
        assert_eq!(pruned.root, expected.root);
        let error = read(br#"{"env": [}"#, Fields::without(&["env"])).unwrap_err();
        assert_eq!(error.to_string(), crate::json::parse(br#"{"env": [}"#).unwrap_err().to_string());
    }

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(crate::json::parse(text.as_bytes()).unwrap().root.value, expected, "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, message: &str, place: (usize, usize)) {
        let error = crate::json::parse(text.as_bytes()).unwrap_err();
        let found = (error.to_string(), error.place_in(text.as_bytes()));
        assert_eq!(found, (message.to_owned(), place), "{text}");
    }

    fn string(text: &str) -> Value {
        Value::String(text.into())
    }

    #[test]
    fn numbers_are_integers_where_they_can_be() {
        for (text, expected) in [
            ("0", Value::Int(0)),
            ("-0", Value::Int(0)),
            ("3.0", Value::Int(3)),
            ("1e3", Value::Int(1000)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            ("9223372036854775808", Value::Float(9_223_372_036_854_775_808.0)),
            ("1.5", Value::Float(1.5)),
            ("1E-7", Value::Float(1e-7)),
        ] {
            check(text, expected);
        }
        check_error("[1, 1e999]", "a number is out of range", (1, 5));
    }

    #[test]
    fn strings_are_decoded_as_in_go() {
        check(r#""a\u00e9\n\/\ud83d\ude00""#, string("aé\n/😀"));
        check(r#""a\ud800b\ude00\ud83d""#, string("a\u{fffd}b\u{fffd}\u{fffd}"));
        check("\"\u{7f}\u{85}é\"", string("\u{7f}\u{85}é"));
        let parsed = crate::json::parse(b"[\"\xf0\x9f\", \"\xed\xa0\x80\\n\"]").unwrap();
        let expected = ["\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}\u{fffd}\n"].map(|text| Node::new(string(text)));
        assert_eq!(parsed.root.value, Value::Seq(expected.into()));
    }

    #[test]
    fn a_repeated_key_has_its_last_value() {
        let parsed = crate::json::parse(br#"{"a": 1, "b": 2, "\u0061": 3}"#).unwrap();
        assert_eq!(parsed.root.get("a").and_then(Node::as_int), Some(3));
        assert_eq!(parsed.duplicates, [Duplicate { key: "a".to_owned(), span: Span { start: 17, end: 25 } }]);
        assert_eq!(parsed.root.as_map().unwrap().len(), 2);
    }

    #[test]
    fn spans_are_exact() {
        let text = " {\"a\" : [ 1 , {} ,\"x\\\"\" ] , \"b\":-1.5e3}\n";
        let parsed = crate::json::parse(text.as_bytes()).unwrap();
        let cut = |span: Span| &text[span.start..span.end];
        let entry = parsed.root.as_map().unwrap().entry("a").unwrap();
        assert_eq!(cut(parsed.root.span), text.trim());
        assert_eq!((cut(entry.key_span), cut(entry.value.span)), ("\"a\"", "[ 1 , {} ,\"x\\\"\" ]"));
        let elements: Vec<&str> =
            entry.value.as_seq().unwrap().iter().map(|element| cut(element.span)).collect();
        assert_eq!(elements, ["1", "{}", "\"x\\\"\""]);
        assert_eq!(cut(parsed.root.get("b").unwrap().span), "-1.5e3");
    }

    #[test]
    fn errors_are_those_of_serde_json() {
        check_error("{\"a\": 1,\n \"b\" 2}", "expected `:`", (2, 6));
        check_error("{\"a\": [1 2]}", "expected `,` or `]`", (1, 10));
        check_error("[1,]", "expected value", (1, 4));
        check_error("{} x", "trailing characters", (1, 4));
        check_error("{\"a\"", "EOF while parsing an object", (1, 4));
        check_error("", "EOF while parsing a value", (1, 1));
        check_error("[01]", "invalid number", (1, 3));
        check_error("[\"a\tb\"]", "control character (\\u0000-\\u001F) found while parsing a string", (1, 3));
        check_error("[\"\\x\"]", "invalid escape", (1, 4));
        check_error("nul", "EOF while parsing a value", (1, 3));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(crate::json::parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        for text in [nested(MAX_DEPTH + 1), "[".repeat(100_000), "{\"a\":".repeat(100_000)] {
            assert_eq!(
                crate::json::parse(text.as_bytes()).unwrap_err().to_string(),
                "exceeded max depth of 1000"
            );
        }
    }

    #[test]
    fn large_values_are_read() {
        let text = format!(
            "{{{}\"x\":\"{}\"}}",
            (0..100_000).map(|key| format!("\"{key}\":1,")).collect::<String>(),
            "y".repeat(1 << 20)
        );
        assert_eq!(crate::json::parse(text.as_bytes()).unwrap().root.as_map().unwrap().len(), 100_001);
    }

    proptest! {
        #[test]
        fn what_is_json_is_what_serde_json_reads(text in "[\\[\\]{}\",:0-9a\\\\ntrue.eE+ -]{0,16}") {
            let expected = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            // Escapes that serde_json rejects in strings are replaced, as in Go.
            prop_assert!(crate::json::parse(text.as_bytes()).is_ok() || !expected, "{}", text);
            prop_assert!(crate::json::parse(text.as_bytes()).is_err() || expected, "{}", text);
        }
    }
}
