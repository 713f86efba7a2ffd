//! A document's text as the YAML 1.2 scanner must see it to read what goyaml, a YAML 1.1 reader, reads, and
//! the way back from places in it to places in the original bytes.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ErrorKind as ScanKind;
use memchr::memmem;

use crate::manifest::parsed::{Error, ErrorKind, Position};
use crate::manifest::tree::Span;

/// How many bytes may be scanned again after repairs. Real documents need a few thousand; made-up ones would
/// take time without end.
const REPAIR_BUDGET: usize = 32 << 20;

/// The line separators that goyaml takes for line breaks and YAML 1.2 for text.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The text to scan.
#[derive(Debug)]
pub(super) struct Text<'t> {
    original: &'t [u8],
    scanned: Cow<'t, str>,
    /// Where the scanned text and the original begin to run in parallel again, in ascending order.
    jumps: Vec<Jump>,
    /// Original offsets of line separators, which must turn out to be in quotes.
    separators: Vec<usize>,
    /// Original offsets of TABs that were repaired, which must turn out to be in quotes or in a flow
    /// collection.
    tabs: Vec<usize>,
    deepened: Deepened,
    budget: usize,
}

/// Whether all lines that seem to continue quoted scalars were deepened at once.
#[derive(Debug)]
enum Deepened {
    /// Not yet.
    No,
    /// Those at these original offsets, which must turn out to be in quotes; and the text before.
    Yes { lines: Vec<usize>, scanned: String, jumps: Vec<Jump> },
    /// That was wrong, and is not tried again.
    TakenBack,
}

/// A place in both texts.
#[derive(Clone, Copy, Debug)]
struct Jump {
    scanned: usize,
    original: usize,
}

impl<'t> Text<'t> {
    /// Prepares a document: without byte order mark, without what follows a `...` line, invalid UTF-8
    /// replaced, ending with a line feed, U+0085 made a line break.
    ///
    /// # Errors
    ///
    /// For characters that goyaml refuses, and for line separators where their meaning cannot be kept.
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
        // Both are two bytes, so no offset changes.
        if text.scanned.contains('\u{85}') {
            text.scanned = Cow::Owned(text.scanned.replace('\u{85}', "\r\n"));
        }
        if !text.scanned.ends_with(['\n', '\r']) {
            text.scanned.to_mut().push('\n');
        }
        Ok(text)
    }

    /// What to give the scanner.
    pub(super) fn scanned(&self) -> &str {
        &self.scanned
    }

    /// The original offset of a place in the scanned text.
    pub(super) fn original(&self, scanned: usize) -> usize {
        let next = self.jumps.partition_point(|jump| jump.scanned <= scanned);
        let limit = self.jumps.get(next).map_or(self.original.len(), |jump| jump.original);
        let jump = next.checked_sub(1).and_then(|at| self.jumps.get(at));
        jump.map_or(0, |jump| jump.original + (scanned - jump.scanned)).min(limit)
    }

    /// An error at a place in the scanned text.
    pub(super) fn error_at(&self, kind: ErrorKind, scanned: usize) -> Error {
        self.error(kind, self.original(scanned))
    }

    /// An error at a place in the original.
    pub(super) fn error(&self, kind: ErrorKind, original: usize) -> Error {
        Error::new(kind, Some(Position::of(original, self.original)))
    }

    /// What an error message shows of a node: the rest of its first line, at most 60 characters, the bracket
    /// before it included, for that makes a `{{` of a template's brace.
    pub(super) fn first_line(&self, span: Span) -> String {
        let before = span.start.saturating_sub(1);
        let start = if self.original.get(before) == Some(&b'{') { before } else { span.start };
        let rest = self.original.get(start..).unwrap_or_default();
        let line = rest.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        String::from_utf8_lossy(line).trim_end().chars().take(60).collect()
    }

    /// Whether TABs were repaired.
    pub(super) fn has_tabs(&self) -> bool {
        !self.tabs.is_empty()
    }

    /// Whether a TAB was repaired that is neither in quotes nor in a flow collection, where goyaml would
    /// not have read it either. Both lists are in the order of the text and free of overlaps.
    pub(super) fn has_stray_tab(&self, quoted: &[Span], flows: &[Span]) -> bool {
        self.tabs.iter().any(|&tab| !covers(quoted, tab) && !covers(flows, tab))
    }

    /// # Errors
    ///
    /// If a line separator is not in quotes.
    pub(super) fn check_separators(&self, quoted: &[Span]) -> Result<(), Error> {
        match self.separators.iter().find(|&&separator| !covers(quoted, separator)) {
            Some(&at) => Err(self.error(ErrorKind::LineSeparator, at)),
            None => Ok(()),
        }
    }

    /// Changes the text so that the scanner passes a place which goyaml passes. Returns whether it did.
    pub(super) fn repair(&mut self, error: &ScanKind, at: usize) -> bool {
        let line = self.scanned[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        match error {
            ScanKind::InvalidQuotedScalarIndent => self.deepen_all() || self.deepen(line, at - line),
            // goyaml needs no blank before a comment.
            ScanKind::CommentNotSeparated if self.scanned[at..].starts_with('#') && self.afford(1) => {
                self.splice(&[(at..at, 1)]);
                true
            }
            // A directive ends the document before it, and what follows is not looked at.
            _ if self.scanned[line..].starts_with('%') && has_content(&self.scanned[..line]) => {
                match &mut self.scanned {
                    Cow::Borrowed(scanned) => *scanned = &scanned[..line],
                    Cow::Owned(scanned) => scanned.truncate(line),
                }
                true
            }
            ScanKind::TabInIndentation | ScanKind::TabInBlockIndentation | ScanKind::TabNotAllowed => {
                self.blank_tabs(line)
            }
            _ => false,
        }
    }

    /// Indents all lines that seem to continue quoted scalars and are not deeper than those start: of documents with
    /// one such scalar, some have hundreds. Whether they do, [`Text::is_well_deepened`] asks of what was scanned.
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

    /// Whether all lines were deepened that seem to continue quoted scalars.
    pub(super) fn is_deepened(&self) -> bool {
        matches!(self.deepened, Deepened::Yes { .. })
    }

    /// Whether all lines that were deepened at once are in quotes.
    pub(super) fn is_well_deepened(&self, quoted: &[Span]) -> bool {
        match &self.deepened {
            Deepened::Yes { lines, .. } => lines.iter().all(|&line| covers(quoted, line)),
            Deepened::No | Deepened::TakenBack => true,
        }
    }

    /// Makes the text again what it was before [`Text::deepen_all`], with all other repairs still to be made.
    pub(super) fn take_back(&mut self) {
        if let Deepened::Yes { scanned, jumps, .. } =
            std::mem::replace(&mut self.deepened, Deepened::TakenBack)
        {
            (self.scanned, self.jumps) = (Cow::Owned(scanned), jumps);
            self.tabs.clear();
        }
    }

    /// Indents a line that continues a quoted scalar, where leading blanks mean nothing. As long as no quote
    /// comes, the lines after it continue the scalar too.
    fn deepen(&mut self, line: usize, column: usize) -> bool {
        // No block is deeper than the text is long, so this is something else.
        if column > self.original.len() {
            return false;
        }
        let mut lines = vec![line];
        for content in
            self.scanned[line..].split_inclusive('\n').take_while(|line| !line.contains(['"', '\'']))
        {
            lines.extend(lines.last().map(|line| line + content.len()));
        }
        // How deep the block is, the scanner does not say: if this is not enough, the next repair doubles it.
        let blanks = 2 * column + 16;
        if !self.afford(lines.len().saturating_mul(blanks)) {
            return false;
        }
        self.splice(&lines.into_iter().map(|line| (line..line, blanks)).collect::<Vec<_>>());
        true
    }

    /// Replaces each range of the scanned text by as many blanks. The ranges are in order, without overlaps.
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

    /// Makes blanks of the TABs before a line's content and of those before the content of the lines after
    /// it, as long as there are any; of a line that has none there, of its first TAB.
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

    /// Takes another scan of the text, `added` bytes longer, out of the budget; false when it does not suffice.
    fn afford(&mut self, added: usize) -> bool {
        let rest = self.budget.checked_sub(self.scanned.len().saturating_add(added));
        self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    /// Invalid UTF-8 becomes U+FFFD, as in goyaml (readerc.go).
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

    /// Takes away the blanks around line separators, as goyaml does around all breaks in quotes.
    ///
    /// # Errors
    ///
    /// For a separator beside another line break or after an escape: these fold in ways for which a YAML 1.2
    /// scanner has no match.
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

/// The lines that continue a quoted scalar without being deeper than the map or list it is in, as far as that is
/// seen without scanning; and how many blanks make them deeper.
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
                let Some(length) = quoted_length(&text[at + value..], *quote) else { break };
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

/// Where in `content`, a line from its first key or value on, the value starts.
fn value_start(content: &str) -> usize {
    let key = match content.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => match quoted_length(content, *quote) {
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

/// The length of the quoted scalar that `text` starts with; `None` if it does not end.
fn quoted_length(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            byte if byte != quote => at += 1,
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            _ => return Some(at + 1),
        }
    }
}

/// Whether one of the spans, which are in order and do not overlap, has the byte at `place`.
fn covers(spans: &[Span], place: usize) -> bool {
    let next = spans.partition_point(|span| span.start <= place);
    next.checked_sub(1).and_then(|at| spans.get(at)).is_some_and(|span| place < span.end)
}

/// Where the document ends: at the first `...` line, else with the text. What follows such a line is never
/// looked at (goyaml parses one document only).
fn document_end(text: &[u8], start: usize) -> usize {
    let at_line_start = |at: &usize| {
        *at == start || at.checked_sub(1).is_some_and(|before| matches!(text[before], b'\n' | b'\r'))
    };
    let alone = |at: &usize| matches!(text.get(at + 3), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
    memmem::find_iter(&text[start..], "...")
        .map(|at| start + at)
        .find(|at| at_line_start(at) && alone(at))
        .unwrap_or(text.len())
}

/// Whether there is more than blank lines and comments.
fn has_content(text: &str) -> bool {
    text.split(['\n', '\r']).map(str::trim_start).any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// What goyaml refuses wherever it is (readerc.go, yaml_parser_update_buffer).
fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => false,
    }
}
