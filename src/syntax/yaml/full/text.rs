//! A document's text in the form in which the YAML 1.2 scanner reads the same as goyaml, a YAML 1.1 reader, and the
//! conversion of its offsets to those of the original bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::parsed::{Error, ErrorKind};
use crate::tree::Span;
use crate::yaml::marker::document_end;
use crate::yaml::quoted::closing;
use granit_parser::ErrorKind as ScanKind;

/// How many bytes may be scanned again after repairs. Real documents need a few thousand; artificial ones could
/// otherwise take unlimited time.
const REPAIR_BUDGET: usize = 32 << 20;

/// The line separators that are line breaks to goyaml and text in YAML 1.2.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The text to scan.
#[derive(Debug)]
pub(super) struct Text<'t> {
    original: &'t [u8],
    scanned: Cow<'t, str>,
    /// The positions from which the scanned text and the original are parallel again, in ascending order.
    jumps: Vec<Jump>,
    /// The original offsets of line separators, all of which must turn out to be in quotes.
    separators: Vec<usize>,
    /// The original offsets of tabs that were repaired, all of which must turn out to be in quotes or in a flow
    /// collection.
    tabs: Vec<usize>,
    deepened: Deepened,
    budget: usize,
}

/// Whether all lines that seem to continue quoted scalars were indented at once.
#[derive(Debug)]
enum Deepened {
    /// Not yet.
    No,
    /// Yes: the original offsets of the lines, all of which must turn out to be in quotes, and the text before that.
    Yes { lines: Vec<usize>, scanned: String, jumps: Vec<Jump> },
    /// It was undone, because it was wrong, and is not tried again.
    TakenBack,
}

/// A position in both texts.
#[derive(Clone, Copy, Debug)]
struct Jump {
    scanned: usize,
    original: usize,
}

impl<'t> Text<'t> {
    /// Prepares a document: removes a byte order mark and everything after a `...` line, replaces invalid UTF-8, adds a
    /// final line feed, and turns U+0085 into a line break.
    ///
    /// # Errors
    ///
    /// There are characters that goyaml rejects, or line separators whose meaning cannot be preserved.
    pub(super) fn prepare(original: &'t [u8]) -> Result<Self, Error> {
        let mut text = Self {
            original,
            scanned: Cow::Borrowed(""),
            jumps: Vec::new(),
            separators: Vec::new(),
            tabs: Vec::new(),
            deepened: Deepened::No,
            budget: REPAIR_BUDGET,
        };
        let start = if original.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let end = document_end(original, start);
        text.decode(&original[start..end], start);
        if end < original.len() && !has_content(&text.scanned) {
            return Err(text.error(ErrorKind::Syntax("did not find expected node content".to_owned()), end));
        }
        if let Some(at) = text.scanned.char_indices().find(|&(_, c)| is_forbidden(c)).map(|(at, _)| at) {
            return Err(text.error_at(ErrorKind::ControlCharacter, at));
        }
        if text.scanned.contains(SEPARATORS) {
            text.close_up_separators()?;
        }
        text.drop_carriage_returns();
        // Both are two bytes long, so no offset changes.
        if text.scanned.contains('\u{85}') {
            text.scanned = Cow::Owned(text.scanned.replace('\u{85}', "\r\n"));
        }
        if !text.scanned.ends_with(['\n', '\r']) {
            text.scanned.to_mut().push('\n');
        }
        Ok(text)
    }

    /// The text for the scanner.
    pub(super) fn scanned(&self) -> &str {
        &self.scanned
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

    /// Whether tabs were repaired.
    pub(super) fn has_tabs(&self) -> bool {
        !self.tabs.is_empty()
    }

    /// Whether a repaired tab is neither in quotes nor in a flow collection, where goyaml would have rejected it as
    /// well. Both lists are in the order of the text and do not overlap.
    pub(super) fn has_stray_tab(&self, quoted: &[Span], flows: &[Span]) -> bool {
        self.tabs.iter().any(|&tab| !covers(quoted, tab) && !covers(flows, tab))
    }

    /// # Errors
    ///
    /// A line separator is not in quotes.
    pub(super) fn check_separators(&self, quoted: &[Span]) -> Result<(), Error> {
        match self.separators.iter().find(|&&separator| !covers(quoted, separator)) {
            Some(&at) => Err(self.error(ErrorKind::LineSeparator, at)),
            None => Ok(()),
        }
    }

    /// Changes the text so that the scanner accepts a position that goyaml accepts. Returns whether this was possible.
    pub(super) fn repair(&mut self, error: &ScanKind, at: usize) -> bool {
        let line = self.scanned[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        match error {
            ScanKind::InvalidQuotedScalarIndent => self.deepen_all() || self.deepen(line, at - line),
            ScanKind::UnknownQuotedScalarEscape => self.unescape_quotes(at),
            // goyaml requires no blank before a comment.
            ScanKind::CommentNotSeparated if self.scanned[at..].starts_with('#') && self.afford(1) => {
                self.splice(&[(at..at, 1)]);
                true
            }
            // A directive ends the document before it, and the rest is ignored.
            _ if self.scanned[line..].starts_with('%')
                && has_content(&self.scanned[..line])
                && self.wrong_directive(at).is_none() =>
            {
                match &mut self.scanned {
                    Cow::Borrowed(scanned) => *scanned = &scanned[..line],
                    Cow::Owned(scanned) => scanned.truncate(line),
                }
                true
            }
            ScanKind::TabInIndentation | ScanKind::TabInBlockIndentation | ScanKind::TabNotAllowed => {
                self.blank_tabs(line)
            }
            _ => self.part_alias_key(at),
        }
    }

    /// What goyaml says of the line at `at` if it begins as a directive and is neither `%YAML` nor `%TAG`; `None` if not
    /// (scannerc.go, yaml_parser_scan_directive).
    pub(super) fn wrong_directive(&self, at: usize) -> Option<&'static str> {
        let line = self.scanned[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let rest = self.scanned[line..].strip_prefix('%')?;
        let length = rest.bytes().take_while(|&byte| is_of_anchor_name(byte)).count();
        match (&rest[..length], rest[length..].chars().next()) {
            ("", _) => Some("could not find expected directive name"),
            (_, Some(next)) if !matches!(next, ' ' | '\t' | '\n' | '\r') => {
                Some("found unexpected non-alphabetical character")
            }
            ("YAML" | "TAG", _) => None,
            _ => Some("found unknown directive name"),
        }
    }

    /// Puts a blank before the colon after the alias at `alias` if it is a key (`*a: b`); goyaml requires none. Returns
    /// whether this was possible.
    pub(super) fn part_alias_key(&mut self, alias: usize) -> bool {
        let Some(name) = self.scanned[alias..].strip_prefix('*') else { return false };
        let length = name.find(':').unwrap_or(name.len());
        let rest = name.get(length + 1..).unwrap_or_default();
        let is_key = is_anchor_name(&name[..length]) && rest.starts_with([' ', '\n', '\r']);
        let colon = alias + 1 + length;
        let is_possible = is_key && self.afford(1);
        if is_possible {
            self.splice(&[(colon..colon, 1)]);
        }
        is_possible
    }

    /// Indents all lines that seem to continue quoted scalars and are not deeper than their start: a document with one
    /// such scalar may have hundreds. [`Text::is_well_deepened`] later verifies that they do.
    fn deepen_all(&mut self) -> bool {
        let Deepened::No = self.deepened else { return false };
        self.deepened = Deepened::TakenBack;
        let lines = continued_quotes(&self.scanned);
        if lines.is_empty() || !self.afford(lines.iter().map(|(_, blanks)| blanks).sum()) {
            return false;
        }
        let (scanned, jumps) = (self.scanned.clone().into_owned(), self.jumps.clone());
        let places = lines.iter().map(|(line, _)| self.original(*line)).collect();
        self.deepened = Deepened::Yes { lines: places, scanned, jumps };
        self.splice(&lines.into_iter().map(|(line, blanks)| (line..line, blanks)).collect::<Vec<_>>());
        true
    }

    /// Whether all lines that seem to continue quoted scalars were indented at once.
    pub(super) fn is_deepened(&self) -> bool {
        matches!(self.deepened, Deepened::Yes { .. })
    }

    /// Whether all lines that were indented at once are in quotes.
    pub(super) fn is_well_deepened(&self, quoted: &[Span]) -> bool {
        match &self.deepened {
            Deepened::Yes { lines, .. } => lines.iter().all(|&line| covers(quoted, line)),
            Deepened::No | Deepened::TakenBack => true,
        }
    }

    /// Restores the text before [`Text::deepen_all`]; all other repairs must be made again.
    pub(super) fn take_back(&mut self) {
        if let Deepened::Yes { scanned, jumps, .. } =
            std::mem::replace(&mut self.deepened, Deepened::TakenBack)
        {
            (self.scanned, self.jumps) = (Cow::Owned(scanned), jumps);
            self.tabs.clear();
        }
    }

    /// Indents a line that continues a quoted scalar, where leading blanks have no meaning. Lines after it continue the
    /// scalar as well, up to one with a quote.
    fn deepen(&mut self, line: usize, column: usize) -> bool {
        // No block is deeper than the length of the text, so this is another error.
        if column > self.original.len() {
            return false;
        }
        let mut lines = vec![line];
        for content in
            self.scanned[line..].split_inclusive('\n').take_while(|line| !line.contains(['"', '\'']))
        {
            lines.extend(lines.last().map(|line| line + content.len()));
        }
        // The scanner does not report the depth of the block. If this is not enough, the next repair doubles it.
        let blanks = 2 * column + 16;
        if !self.afford(lines.len().saturating_mul(blanks)) {
            return false;
        }
        self.splice(&lines.into_iter().map(|line| (line..line, blanks)).collect::<Vec<_>>());
        true
    }

    /// Replaces ranges of the scanned text by numbers of blanks. The ranges are in order and do not overlap.
    fn splice(&mut self, edits: &[(Range<usize>, usize)]) {
        let mut scanned = String::with_capacity(self.scanned.len());
        let mut jumps = Vec::with_capacity(self.jumps.len() + edits.len());
        let mut old_jumps = self.jumps.iter().peekable();
        let mut copied = 0;
        for (range, blanks) in edits {
            while let Some(jump) = old_jumps.next_if(|jump| jump.scanned < range.start) {
                jumps.push(Jump { scanned: scanned.len() + (jump.scanned - copied), ..*jump });
            }
            while old_jumps.next_if(|jump| jump.scanned <= range.end).is_some() {}
            scanned.push_str(&self.scanned[copied..range.start]);
            scanned.extend(std::iter::repeat_n(' ', *blanks));
            jumps.push(Jump { scanned: scanned.len(), original: self.original(range.end) });
            copied = range.end;
        }
        jumps
            .extend(old_jumps.map(|jump| Jump { scanned: scanned.len() + (jump.scanned - copied), ..*jump }));
        scanned.push_str(&self.scanned[copied..]);
        self.scanned = Cow::Owned(scanned);
        self.jumps = jumps;
    }

    /// Turns the tabs before the content of a line into blanks, and those of the lines after it as long as they have
    /// any. If the line has none there, only its first tab is replaced.
    fn blank_tabs(&mut self, line: usize) -> bool {
        let mut tabs = Vec::new();
        let mut at = line;
        for content in self.scanned[line..].split_inclusive('\n') {
            let blanks = content.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
            let leading = blanks.enumerate().filter(|&(_, byte)| byte == b'\t');
            let before = tabs.len();
            tabs.extend(leading.map(|(column, _)| at + column));
            if tabs.is_empty() {
                tabs.extend(content.find('\t').map(|column| at + column));
                break;
            }
            if tabs.len() == before {
                break;
            }
            at += content.len();
        }
        if tabs.is_empty() || !self.afford(0) {
            return false;
        }
        let repaired: Vec<usize> = tabs.iter().map(|&tab| self.original(tab)).collect();
        self.tabs.extend(repaired);
        let mut bytes = std::mem::take(&mut self.scanned).into_owned().into_bytes();
        for tab in tabs {
            bytes[tab] = b' ';
        }
        self.scanned =
            Cow::Owned(String::from_utf8(bytes).expect("impossible: a TAB and a blank are one byte"));
        true
    }

    /// Subtracts another scan of the text, `added` bytes longer, from the budget; false if it is exhausted.
    fn afford(&mut self, added: usize) -> bool {
        let rest = self.budget.checked_sub(self.scanned.len().saturating_add(added));
        self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    /// Replaces invalid UTF-8 by U+FFFD, as goyaml does (readerc.go).
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

    /// Removes one carriage return of several before a line feed, as kubectl does when it splits a stream into lines
    /// (apimachinery, util/yaml/decoder.go, LineReader); the scanner drops another one.
    fn drop_carriage_returns(&mut self) {
        let edits: Vec<_> = self.scanned.match_indices("\r\r\n").map(|(at, _)| (at..at + 1, 0)).collect();
        if !edits.is_empty() {
            self.splice(&edits);
        }
    }

    /// Removes the backslashes of `\'` in the scalar in double quotes that starts at `at`: goyaml accepts this escape,
    /// YAML 1.2 does not. Returns whether there are any.
    fn unescape_quotes(&mut self, at: usize) -> bool {
        let bytes = self.scanned.as_bytes();
        let mut edits = Vec::new();
        let mut next = at + 1;
        while let Some(byte) = bytes.get(next).filter(|byte| **byte != b'"') {
            if *byte == b'\\' {
                if bytes.get(next + 1) == Some(&b'\'') {
                    edits.push((next..next + 1, 0));
                }
                next += 1;
            }
            next += 1;
        }
        let is_possible = bytes.get(at) == Some(&b'"') && !edits.is_empty() && self.afford(0);
        if is_possible {
            self.splice(&edits);
        }
        is_possible
    }

    /// Removes the blanks around line separators, as goyaml does around all line breaks in quotes.
    ///
    /// # Errors
    ///
    /// A separator is beside another line break or after an escape: these are folded in ways that a YAML 1.2 scanner
    /// cannot reproduce.
    fn close_up_separators(&mut self) -> Result<(), Error> {
        let is_break = |c| matches!(c, '\n' | '\r' | '\u{85}') || SEPARATORS.contains(&c);
        let mut edits = Vec::new();
        for (at, separator) in self.scanned.match_indices(SEPARATORS) {
            let end = at + separator.len();
            let before = self.scanned[..at].trim_end_matches([' ', '\t']);
            let after = self.scanned[end..].trim_start_matches([' ', '\t']);
            if before.ends_with('\\') || before.ends_with(is_break) || after.starts_with(is_break) {
                return Err(self.error_at(ErrorKind::LineSeparator, at));
            }
            edits.push((before.len()..at, 0));
            edits.push((end..self.scanned.len() - after.len(), 0));
            self.separators.push(self.original(at));
        }
        self.splice(&edits);
        Ok(())
    }
}

/// The lines that continue a quoted scalar without being deeper than the map or list that contains it, as far as this
/// is visible without scanning, and the number of blanks that make each deep enough.
fn continued_quotes(text: &str) -> Vec<(usize, usize)> {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let next = line_end(at);
        let line = text[at..next].trim_end();
        let mut column = blanks(line);
        while let Some(rest) = line[column..].strip_prefix("- ") {
            column += 2 + blanks(rest);
        }
        let value = column + value_start(&line[column..]);
        match line.as_bytes().get(value) {
            Some(quote @ (b'"' | b'\'')) if !line[column..].starts_with('#') => {
                let Some(length) = closing(&text.as_bytes()[at + value..], *quote) else { break };
                let end = at + value + length;
                let mut start = next;
                while start < end {
                    let continued = &text[start..line_end(start)];
                    if blanks(continued) <= column && !continued.trim().is_empty() {
                        found.push((start, value.max(1)));
                    }
                    start = line_end(start);
                }
                at = line_end(end);
            }
            Some(b'|' | b'>') => {
                at = next;
                while at < text.len() {
                    let content = &text[at..line_end(at)];
                    if blanks(content) <= column && !content.trim().is_empty() {
                        break;
                    }
                    at = line_end(at);
                }
            }
            _ => at = next,
        }
    }
    found
}

/// The offset of the value in `content`, a line from its first key or value on.
fn value_start(content: &str) -> usize {
    let key = match content.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => match closing(content.as_bytes(), *quote) {
            Some(length) if content[length..].starts_with(": ") => length,
            _ => return 0,
        },
        _ => match content.find(": ") {
            Some(colon) => colon,
            None => return 0,
        },
    };
    let value = content[key + 1..].trim_start_matches(' ');
    content.len() - value.len()
}

/// Whether one of the spans, which are in order and do not overlap, contains the byte at `place`.
fn covers(spans: &[Span], place: usize) -> bool {
    let next = spans.partition_point(|span| span.start <= place);
    next.checked_sub(1).and_then(|at| spans.get(at)).is_some_and(|span| place < span.end)
}

/// Whether the text has more than blank lines and comments.
fn has_content(text: &str) -> bool {
    text.split(['\n', '\r']).map(str::trim_start).any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether goyaml accepts this name of an anchor; YAML 1.2 accepts nearly everything.
pub(super) fn is_anchor_name(name: &str) -> bool {
    name.bytes().all(is_of_anchor_name)
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
