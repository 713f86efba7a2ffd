//! Flow collections as values: `{a: b, "c": [1, 2]}`, on one line or several.
//!
//! Only forms on which all readers of YAML agree are read: simple keys with values, commas between entries, plain
//! scalars on one line. Others are declined.

use compact_str::CompactString;

use super::cursor::{Certain, Reason};
use super::marker;
use super::quoted::{closing, unquoted};
use super::scalar;
use crate::parsed::Duplicate;
use crate::tree::{Map, Node, Span, Value};

/// How deeply lists and maps may be nested for the cursor's readers; deeper ones are left to the full parser.
pub(super) const MAX_NESTING: usize = 64;

/// A flow collection that is being read.
pub struct Flow<'t, 'd> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Receives the repeated keys.
    duplicates: &'d mut Vec<Duplicate>,
}

impl<'t, 'd> Flow<'t, 'd> {
    /// Reads the collection that starts at `start` of `text`; its span gives its end.
    pub fn read(text: &'t str, start: usize, duplicates: &'d mut Vec<Duplicate>) -> Certain<Node> {
        Flow { text, at: start, depth: 0, duplicates }.node()
    }

    fn peek(&self) -> Certain<u8> {
        self.text.as_bytes().get(self.at).copied().ok_or(Reason::Flow)
    }

    /// Moves to the next token, past blanks, line endings and comments, and returns its first byte.
    fn token(&mut self) -> Certain<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match self.peek()? {
                b' ' => self.at += 1,
                b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    if marker::begins(&bytes[self.at..]) {
                        return Err(Reason::Marker);
                    }
                }
                b'\t' => return Err(Reason::Tab),
                b'#' if matches!(bytes[self.at - 1], b' ' | b'\n') => {
                    self.at += memchr::memchr(b'\n', &bytes[self.at..]).ok_or(Reason::Flow)?;
                }
                byte => return Ok(byte),
            }
        }
    }

    fn node(&mut self) -> Certain<Node> {
        match self.token()? {
            b'{' => self.map(),
            b'[' => self.seq(),
            quote @ (b'"' | b'\'') => {
                let (text, span) = self.quoted(quote)?;
                Ok(Node { value: Value::String(text.into()), span })
            }
            _ => {
                let (text, span) = self.plain()?;
                let value = scalar::resolve(text).value(text.into()).map_err(|_| Reason::Number)?;
                Ok(Node { value, span })
            }
        }
    }

    fn map(&mut self) -> Certain<Node> {
        let start = self.enter()?;
        let mut map = Map::default();
        while self.token()? != b'}' {
            let (key, key_span): (CompactString, Span) = match self.peek()? {
                quote @ (b'"' | b'\'') => {
                    let (text, span) = self.quoted(quote)?;
                    if self.text[span.start..span.end].contains('\n') {
                        return Err(Reason::Flow);
                    }
                    (text.into(), span)
                }
                _ => {
                    let (text, span) = self.plain()?;
                    if text == "<<" {
                        return Err(Reason::Merge);
                    }
                    (scalar::resolve(text).key(text.into()).map_err(|_| Reason::Key)?.into(), span)
                }
            };
            if self.peek()? != b':'
                || !matches!(self.text.as_bytes().get(self.at + 1), Some(b' ' | b'"' | b'\'' | b'{' | b'['))
            {
                return Err(Reason::Flow);
            }
            self.at += 1;
            // A value may directly follow the colon only if its key is quoted; otherwise, only a blank is certain.
            if self.peek()? != b' ' && !self.text[key_span.start..].starts_with(['"', '\'']) {
                return Err(Reason::Flow);
            }
            if matches!(self.token()?, b',' | b'}') {
                return Err(Reason::Flow);
            }
            let value = self.node()?;
            if map.insert(key, key_span, value).is_some() {
                let key = unrepeated(&self.text[key_span.start..key_span.end])?;
                self.duplicates.push(Duplicate { key, span: key_span });
            }
            if !self.goes_on(b'}')? {
                break;
            }
        }
        Ok(self.leave(start, Value::Map(map)))
    }

    fn seq(&mut self) -> Certain<Node> {
        let start = self.enter()?;
        let mut items = Vec::new();
        while self.token()? != b']' {
            items.push(self.node()?);
            if !self.goes_on(b']')? {
                break;
            }
        }
        Ok(self.leave(start, Value::Seq(items)))
    }

    fn enter(&mut self) -> Certain<usize> {
        self.depth += 1;
        self.at += 1;
        if self.depth > MAX_NESTING { Err(Reason::Depth) } else { Ok(self.at - 1) }
    }

    fn leave(&mut self, start: usize, value: Value) -> Node {
        self.depth -= 1;
        self.at += 1;
        Node { value, span: Span { start, end: self.at } }
    }

    /// Whether another entry may follow, rather than the end of the collection.
    fn goes_on(&mut self, close: u8) -> Certain<bool> {
        match self.token()? {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => Ok(false),
            _ => Err(Reason::Flow),
        }
    }

    fn quoted(&mut self, quote: u8) -> Certain<(std::borrow::Cow<'t, str>, Span)> {
        let start = self.at;
        let end = start + closing(&self.text.as_bytes()[start..], quote).ok_or(Reason::Quoted)?;
        let scalar = &self.text[start..end];
        if marker::may_be_in(scalar.as_bytes()) {
            return Err(Reason::Marker);
        }
        self.at = end;
        Ok((unquoted(scalar)?, Span { start, end }))
    }

    /// A plain scalar on one line.
    fn plain(&mut self) -> Certain<(&'t str, Span)> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        if matches!(
            bytes[start],
            b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' | b'#' | b',' | b':' | b'}' | b']'
        ) {
            return Err(Reason::Flow);
        }
        if bytes[start] == b'-'
            && matches!(bytes.get(start + 1), None | Some(b' ' | b',' | b']' | b'}' | b'\n' | b'\r'))
        {
            return Err(Reason::Flow);
        }
        let mut at = start;
        loop {
            match *bytes.get(at).ok_or(Reason::Flow)? {
                b',' | b']' | b'}' => break,
                b'[' | b'{' | b'?' | b'\t' | b'\n' | b'\r' => {
                    // It may end with its line, if an indicator follows.
                    if matches!(bytes[at], b'\n' | b'\r') {
                        break;
                    }
                    return Err(Reason::Flow);
                }
                b':' => match bytes.get(at + 1) {
                    Some(b' ') => break,
                    Some(b',' | b'[' | b']' | b'{' | b'}' | b'\n' | b'\r' | b'\t') | None => {
                        return Err(Reason::Flow);
                    }
                    Some(_) => at += 1,
                },
                b'#' if bytes[at - 1] == b' ' => return Err(Reason::Flow),
                _ => at += 1,
            }
        }
        let text = self.text[start..at].trim_end_matches(' ');
        let ends_line = matches!(bytes[at], b'\n' | b'\r');
        self.at = at;
        if ends_line && !matches!(self.token()?, b',' | b']' | b'}') {
            return Err(Reason::Flow);
        }
        if bytes[at] == b':' && text.len() < at - start {
            return Err(Reason::Flow);
        }
        Ok((text, Span { start, end: start + text.len() }))
    }
}

/// The text of a repeated key.
fn unrepeated(key: &str) -> Certain<String> {
    if key.starts_with(['"', '\'']) {
        return Ok(unquoted(key)?.into_owned());
    }
    scalar::resolve(key).key(key.into()).map_err(|_| Reason::Key)
}
