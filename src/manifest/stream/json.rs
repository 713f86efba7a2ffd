//! The values of a JSON stream, and other text that such a stream may contain.

use std::io;

use serde_json::value::RawValue;

use super::words::{Between, is_words};
use super::{Before, Block, Blocks, Piece, Splitter, State};
use crate::cut_list::list_start;
use crate::document::Syntax;
use syntax::error::{Error, ErrorKind, Place};
use syntax::json::nesting::Values;
use syntax::json::scan::blanks;
use syntax::{foreign, json, parsed, yaml};

impl Blocks {
    /// Returns as many complete values as have arrived, but at least one; or the beginning of a large List.
    pub(super) fn json_block(&mut self, values: usize) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut found = Values::default();
        // Complete values are returned before the rest is read, as long as all of them are JSON.
        loop {
            if values > 0 && is_words(&bytes[blanks(&bytes, 0)..]) {
                self.rest = bytes;
                return self.words_block(Between::Values(values), false, true);
            }
            found.advance(&bytes);
            let are_alone = self.ended && !is_words(&bytes[blanks(&bytes, found.end)..]);
            let end = if are_alone { bytes.len() } else { found.end };
            let (line, number, mut count) = (self.cut.line, self.cut.number, values);
            let broken = self.cut.json_values(&bytes[..end], &mut count).map(|(_, from)| from);
            let end = match broken {
                None => end,
                // A List is read item by item, so that an item that is not JSON hides no other.
                Some(from) if list_start(&bytes[from..], Syntax::Json).is_some() => from,
                Some(_) => 0,
            };
            if end > 0 {
                self.rest = bytes.split_off(end);
                if !(self.ended && self.rest.is_empty()) {
                    self.state = State::Json { values: count };
                }
                return Ok(self.block(bytes));
            }
            // The values are cut again, with what follows them.
            (self.cut.line, self.cut.number) = (line, number);
            self.cut.pieces.clear();
            let is_large = bytes.len() >= self.size && found.end == 0;
            if is_large || broken == Some(0) {
                match self.start_json_list(bytes, values) {
                    Ok(block) => return Ok(block),
                    Err(whole) => bytes = whole,
                }
            }
            if self.ended {
                break;
            }
            let want = bytes.len().max(self.size);
            self.read_more(want, &mut bytes)?;
        }
        if let Some(text) = mended(&bytes) {
            bytes = text;
            self.decoded = true;
        }
        self.cut.json(&bytes, values);
        Ok(self.block(bytes))
    }
}

/// The text with U+FFFD for invalid UTF-8, as Go reads JSON; `None` if all of it is valid.
pub(super) fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let broken = simdutf8::basic::from_utf8(bytes).is_err();
    broken.then(|| String::from_utf8_lossy(bytes).into_owned().into_bytes())
}

impl Splitter {
    /// Cuts JSON values up to the first that is not one; `count` values precede them. Returns the error and the offset
    /// after the last value.
    fn json_values(&mut self, bytes: &[u8], count: &mut usize) -> Option<(serde_json::Error, usize)> {
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
        let mut from = 0;
        while let Some(value) = values.next() {
            let value = match value {
                Ok(value) => value.get(),
                Err(error) => return Some((error, from)),
            };
            let end = values.byte_offset();
            let start = end - value.len();
            self.advance(&bytes[from..start]);
            self.piece(bytes, start..end, Syntax::Json);
            (from, *count) = (end, *count + 1);
        }
        None
    }

    /// Cuts the rest of a JSON stream, which `count` values precede.
    fn json(&mut self, bytes: &[u8], mut count: usize) {
        let line_before = self.line - 1;
        let Some((error, from)) = self.json_values(bytes, &mut count) else { return };
        // If at most one value precedes it, text that is not JSON is read as YAML (kubectl since 1.33). If that fails
        // at the very start, too, the text was meant to be JSON.
        let (number, pieces) = (self.number, self.pieces.len());
        if count <= 1 {
            self.yaml(bytes, from, if count == 0 { Before::Nothing } else { Before::Separator });
        }
        let start = &bytes[blanks(bytes, from)..];
        let is_in_braces = start.starts_with(b"{");
        let meant = count > 1
            || count == 0
                && self.pieces.get(pieces).is_some_and(|piece| !(is_in_braces && is_yaml_map(bytes, piece)));
        let kind: fn(Box<parsed::Error>) -> ErrorKind = match meant {
            true => ErrorKind::Json,
            false if self.json_only && foreign::has_type(bytes) => ErrorKind::NotJson,
            false => return,
        };
        let line = Some(line_before + error.line());
        let place = Place { line, document: Some(number + 1), ..self.place() };
        let error = json::value::error_of(&error, bytes);
        let (at, kind) = (error.offset(), kind(Box::new(error)));
        let error = Error::in_text(bytes, at, place, kind);
        // The documents after the next separator are read, but a text that begins with an action is a template as a whole.
        let hidden = if start.starts_with(b"{{") { self.pieces.len() } else { pieces + 1 };
        if meant {
            self.pieces.drain(pieces..hidden.min(self.pieces.len()));
        }
        self.pieces.insert(pieces, Err(error));
    }
}

fn is_yaml_map(bytes: &[u8], piece: &Result<Piece, Error>) -> bool {
    piece.as_ref().is_ok_and(|piece| yaml::parse(&bytes[piece.range.clone()]).is_ok())
}
