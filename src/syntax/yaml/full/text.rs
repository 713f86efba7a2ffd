//! A document's text in the form in which libyaml reads the same as goyaml, and the conversion of its offsets to those
//! of the original bytes.
//!
//! Some things cannot be given to libyaml as they are. Others *stand in* for them: characters for private use that the
//! text does not have, and that are part of any scalar.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use crate::parsed::{Error, ErrorKind};
use crate::tree::Span;

const BOM: &str = "\u{feff}";

/// What stands in for something in the text.
#[derive(Clone, Copy, Debug)]
struct StandIn {
    stands: char,
    /// The text in the original.
    text: &'static str,
    /// What it means in double quotes.
    quoted: &'static str,
}

/// The text to scan.
#[derive(Debug)]
pub(super) struct Text<'t> {
    original: &'t [u8],
    scanned: Cow<'t, str>,
    /// The positions from which the scanned text and the original are parallel again, in ascending order.
    jumps: Vec<Jump>,
    stand_ins: Vec<StandIn>,
}

/// A position in both texts.
#[derive(Clone, Copy, Debug)]
struct Jump {
    scanned: usize,
    original: usize,
}

impl<'t> Text<'t> {
    /// Prepares a document: removes a byte order mark, replaces invalid UTF-8, and adds a final line feed.
    ///
    /// # Errors
    ///
    /// There are characters that goyaml rejects.
    pub(super) fn prepare(original: &'t [u8]) -> Result<Self, Error> {
        let (jumps, stand_ins) = (Vec::new(), Vec::new());
        let mut text = Self { original, scanned: Cow::Borrowed(""), jumps, stand_ins };
        let start = if original.starts_with(BOM.as_bytes()) { BOM.len() } else { 0 };
        text.decode(&original[start..], start);
        if let Some(at) = text.scanned.char_indices().find(|&(_, c)| is_forbidden(c)).map(|(at, _)| at) {
            return Err(text.error_at(ErrorKind::ControlCharacter, at));
        }
        // Of several carriage returns before a line feed, kubectl removes one when it splits a stream into lines
        // (apimachinery, util/yaml/decoder.go, LineReader); the scanner takes another one for part of the line break.
        let returns = memmem::find_iter(text.scanned.as_bytes(), "\r\r\n").map(|at| at..at + 1).collect();
        text.replace(returns, None);
        // goyaml only looks for a mark at the start of its buffer, and takes others for text.
        let marks = memmem::find_iter(text.scanned.as_bytes(), BOM).map(|at| at..at + BOM.len()).collect();
        text.stand_in(marks, BOM, BOM);
        // After a tag, the parser does not expect a comma. To goyaml, it is part of the tag.
        let commas = commas_after_tags(&text.scanned);
        text.stand_in(commas, ",", ",");
        // An escape that the parser does not know.
        let escapes = before_single_quotes(&text.scanned);
        text.stand_in(escapes, "\\", "");
        if !text.scanned.ends_with(['\n', '\r']) {
            text.scanned.to_mut().push('\n');
        }
        Ok(text)
    }

    /// The text for the scanner.
    pub(super) fn scanned(&self) -> &str {
        &self.scanned
    }

    /// The value of a scalar without stand-ins.
    pub(super) fn restored(&self, value: String, is_double_quoted: bool) -> String {
        self.stand_ins.iter().fold(value, |value, stand_in| match value.contains(stand_in.stands) {
            true => {
                value.replace(stand_in.stands, if is_double_quoted { stand_in.quoted } else { stand_in.text })
            }
            false => value,
        })
    }

    /// The offset in `part` of the scanned text of something that stands for a comma; `None` if there is nothing.
    pub(super) fn hidden_comma(&self, part: &str) -> Option<usize> {
        let comma = self.stand_ins.iter().find(|stand_in| stand_in.text == ",")?;
        part.find(comma.stands)
    }

    /// Converts an offset in the scanned text to one in the original.
    pub(super) fn original(&self, scanned: usize) -> usize {
        let next = self.jumps.partition_point(|jump| jump.scanned <= scanned);
        let limit = self.jumps.get(next).map_or(self.original.len(), |jump| jump.original);
        let jump = next.checked_sub(1).and_then(|at| self.jumps.get(at));
        jump.map_or(0, |jump| jump.original + (scanned - jump.scanned)).min(limit)
    }

    /// An error at an offset in the scanned text.
    pub(super) fn error_at(&self, kind: ErrorKind, scanned: usize) -> Error {
        self.error(kind, self.original(scanned))
    }

    /// An error at an offset in the original.
    pub(super) fn error(&self, kind: ErrorKind, original: usize) -> Error {
        Error::new(kind, original, self.original)
    }

    /// The text of a node for an error message: the rest of its first line, up to 60 characters, with the brace before
    /// it, if any, so that the `{{` of a template is complete.
    pub(super) fn first_line(&self, span: Span) -> String {
        let before = span.start.saturating_sub(1);
        let start = if self.original.get(before) == Some(&b'{') { before } else { span.start };
        let rest = self.original.get(start..).unwrap_or_default();
        let line = rest.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        String::from_utf8_lossy(line).trim_end().chars().take(60).collect()
    }

    /// Replaces invalid UTF-8 by U+FFFD, as kubectl does.
    ///
    /// *Compatibility* (byte-order-marks): not in a file that starts with a mark; there, goyaml rejects it.
    fn decode(&mut self, bytes: &'t [u8], start: usize) {
        self.jumps.push(Jump { scanned: 0, original: start });
        if let Ok(valid) = std::str::from_utf8(bytes) {
            self.scanned = Cow::Borrowed(valid);
            return;
        }
        let mut scanned = String::with_capacity(bytes.len());
        let mut original = start;
        for chunk in bytes.utf8_chunks() {
            scanned.push_str(chunk.valid());
            original += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                scanned.push(char::REPLACEMENT_CHARACTER);
                original += chunk.invalid().len();
                self.jumps.push(Jump { scanned: scanned.len(), original });
            }
        }
        self.scanned = Cow::Owned(scanned);
    }

    /// Replaces ranges of the scanned text, which all have this `text`, by something that stands in for it.
    fn stand_in(&mut self, ranges: Vec<Range<usize>>, text: &'static str, quoted: &'static str) {
        if ranges.is_empty() {
            return;
        }
        let free = ('\u{e000}'..='\u{f8ff}').find(|stands| !self.scanned.contains(*stands));
        // A text with all of these characters is left as it is.
        let Some(stands) = free else { return };
        self.replace(ranges, Some(stands));
        self.stand_ins.push(StandIn { stands, text, quoted });
    }

    /// Replaces ranges of the scanned text, in order and not overlapping, by a character or nothing.
    fn replace(&mut self, ranges: Vec<Range<usize>>, by: Option<char>) {
        if ranges.is_empty() {
            return;
        }
        let mut scanned = String::with_capacity(self.scanned.len() + ranges.len() * 2);
        let mut jumps = Vec::with_capacity(self.jumps.len() + ranges.len());
        let mut old_jumps = self.jumps.iter().peekable();
        let mut copied = 0;
        for range in ranges {
            while let Some(jump) = old_jumps.next_if(|jump| jump.scanned < range.start.max(1)) {
                jumps.push(Jump { scanned: scanned.len() + (jump.scanned - copied), ..*jump });
            }
            while old_jumps.next_if(|jump| jump.scanned <= range.end).is_some() {}
            scanned.push_str(&self.scanned[copied..range.start]);
            scanned.extend(by);
            jumps.push(Jump { scanned: scanned.len(), original: self.original(range.end) });
            copied = range.end;
        }
        jumps
            .extend(old_jumps.map(|jump| Jump { scanned: scanned.len() + (jump.scanned - copied), ..*jump }));
        scanned.push_str(&self.scanned[copied..]);
        (self.scanned, self.jumps) = (Cow::Owned(scanned), jumps);
    }
}

/// The ranges of the commas directly after what may be tags.
fn commas_after_tags(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_around = |before: &u8| !before.is_ascii_graphic() || b"[]{},:?\"'".contains(before);
    let may_start = |at: usize| bytes[..at].last().is_none_or(is_around);
    let is_of_tag = |byte: &u8| byte.is_ascii_graphic() && !b",[]{}\"<>\\^`|#".contains(byte);
    let comma = |at: usize| {
        let mut end = at + 1;
        if bytes.get(end) == Some(&b'<') {
            end += bytes[end..].iter().position(|byte| matches!(byte, b'>' | b'\n')).unwrap_or(0) + 1;
        }
        end += bytes.get(end..)?.iter().take_while(|byte| is_of_tag(byte)).count();
        (bytes.get(end) == Some(&b',')).then_some(end..end + 1)
    };
    memchr_iter(b'!', bytes).filter(|&at| may_start(at)).filter_map(comma).collect()
}

/// The ranges of the backslashes that escape a single quote if they are in double quotes.
fn before_single_quotes(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    if memmem::find(bytes, b"\\'").is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(length) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let escape = at + length;
        found.extend((bytes.get(escape + 1) == Some(&b'\'')).then_some(escape..escape + 1));
        at = escape + 2;
    }
    found
}

/// Whether goyaml accepts this byte in the name of an anchor.
pub fn is_of_anchor_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Characters that goyaml rejects anywhere (readerc.go, yaml_parser_update_buffer).
fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    }
}
