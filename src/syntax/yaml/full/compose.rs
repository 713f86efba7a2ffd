//! Composes the nodes of a document from the events of libyaml's parser, of which kubectl's is a port.
//!
//! libyaml has moved on since goyaml v2 was ported from it. What it reads and goyaml does not is refused here, in
//! goyaml's words; the opposite is a matter of the [text](super::text) that it is given.

use std::collections::HashMap;
use std::io::BufReader;
use std::ops::Range;

use libyaml_safer::{Encoding, Event, EventData, MappingStyle, Mark, Parser, ScalarStyle, SequenceStyle};

use super::text::Text;
use crate::MAX_DEPTH;
use crate::parsed::{Error, ErrorKind};
use crate::tree::Span;
use crate::yaml::quoted::block_end;
use crate::yaml::scalar::{self, Scalar};

/// How much of the text is decoded at once; the parser would decode all of it.
const DECODED: usize = 4 << 10;

/// The nodes of a document, in the order of the text.
#[derive(Default)]
pub(super) struct Tape {
    pub(super) items: Vec<Item>,
    pub(super) aliased: bool,
}

pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Whether aliases may refer to it.
    pub(super) anchored: bool,
}

pub(super) enum Kind {
    Scalar {
        scalar: Scalar,
        text: String,
        /// Whether it is `<<`, which is a merge key if it is a key.
        merge: bool,
    },
    /// The items up to `end` are its elements and their contents.
    Seq { end: usize },
    /// The items up to `end` are its keys and values in turn, and their contents.
    Map { end: usize },
    /// A repetition of the item at `target`.
    Alias { target: usize },
}

/// Composes the first document of the text; goyaml looks at no other. After its root, only the next token is examined.
pub(super) fn compose(text: &Text<'_>) -> Result<Tape, Error> {
    let mut parser = Parser::new();
    // The parser would take any text that starts with a character from U+F000 on for one with a byte order mark.
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(BufReader::with_capacity(DECODED, text.scanned().as_bytes()));
    let (tape, open, anchors) = (Tape::default(), Vec::new(), HashMap::new());
    let mut composer = Composer { text, tape, open, anchors, flow: 0, end: 0 };
    loop {
        let event = parser.parse().map_err(|error| composer.syntax_error(&error))?;
        match event.data {
            EventData::DocumentEnd { .. } | EventData::StreamEnd => return Ok(composer.tape),
            _ => composer.event(event)?,
        }
    }
}

/// The offset of a mark in the scanned text.
fn offset(mark: Mark) -> usize {
    usize::try_from(mark.index).unwrap_or(usize::MAX)
}

struct Composer<'t> {
    text: &'t Text<'t>,
    tape: Tape,
    /// The open collections, the innermost last.
    open: Vec<Open>,
    /// The last item with an anchor of each name.
    anchors: HashMap<String, usize>,
    /// How many of the open collections are flow collections.
    flow: usize,
    /// The end of the last token, in the scanned text.
    end: usize,
}

struct Open {
    item: usize,
    is_flow: bool,
    /// Where it starts, in the scanned text.
    start: usize,
}

impl Composer<'_> {
    /// The parser's error. It is where kubectl says, except that what never ends is where it starts.
    fn syntax_error(&self, error: &libyaml_safer::Error) -> Error {
        let (text, problem) = (self.text.scanned(), error.problem());
        let at = error.problem_mark().map_or(0, offset).min(text.len());
        let started = match (problem, error.context_mark()) {
            ("found unexpected end of stream" | "could not find expected ':'", Some(mark)) => offset(mark),
            _ if self.flow > 0 && text[at..].trim().is_empty() => {
                self.open.last().map_or(at, |open| open.start)
            }
            _ => at,
        };
        let kind = match problem {
            "found unexpected ':'" => ErrorKind::FlowScalar(
                "`:` in [] or {} must be followed by a blank, or quoted with the text before it",
            ),
            _ => ErrorKind::Syntax(problem.to_owned()),
        };
        self.text.error_at(kind, started)
    }

    fn event(&mut self, event: Event) -> Result<(), Error> {
        let Event { data, start_mark, end_mark, .. } = event;
        let (start, end) = (offset(start_mark), offset(end_mark));
        match data {
            EventData::Scalar { anchor, tag, value, style, .. } => {
                self.scalar(value, style, anchor, tag, start, end)?;
            }
            EventData::SequenceStart { anchor, tag, style, .. } => {
                let is_flow = style == SequenceStyle::Flow;
                self.enter(Kind::Seq { end: 0 }, is_flow, anchor, tag.is_some(), start, end)?;
            }
            EventData::MappingStart { anchor, tag, style, .. } => {
                let is_flow = style == MappingStyle::Flow;
                self.enter(Kind::Map { end: 0 }, is_flow, anchor, tag.is_some(), start, end)?;
            }
            EventData::SequenceEnd => self.leave(b']', start, end),
            EventData::MappingEnd => self.leave(b'}', start, end),
            EventData::Alias { anchor } => self.alias(anchor, start, end)?,
            EventData::DocumentStart { implicit: false, .. } => self.end = end,
            EventData::StreamStart { .. }
            | EventData::StreamEnd
            | EventData::DocumentStart { .. }
            | EventData::DocumentEnd { .. } => (),
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        value: String,
        style: ScalarStyle,
        anchor: Option<String>,
        tag: Option<String>,
        start: usize,
        end: usize,
    ) -> Result<(), Error> {
        let is_plain = style == ScalarStyle::Plain;
        let start = if anchor.is_some() || tag.is_some() { self.content(start, end) } else { start };
        self.check_scalar(style, start..end)?;
        let value = self.text.restored(value, style == ScalarStyle::DoubleQuoted);
        let end = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.block_scalar_end(start, end, &value),
            _ => end,
        };
        let merge = value == "<<" && tag.as_deref().map_or(is_plain, |tag| tag == scalar::MERGE_TAG);
        let (scalar, text) = match tag {
            Some(tag) => {
                let resolved = scalar::resolve_tagged(&tag, value.into());
                let (scalar, text) =
                    resolved.map_err(|error| self.text.error_at(ErrorKind::Scalar(error), start))?;
                (scalar, text.into_owned())
            }
            None if is_plain => (scalar::resolve(&value), value),
            None => (Scalar::Text, value),
        };
        self.end = end;
        self.push(Kind::Scalar { scalar, text, merge }, self.span(start, end), anchor);
        Ok(())
    }

    /// # Errors
    ///
    /// goyaml rejects the scalar (scannerc.go, yaml_parser_scan_plain_scalar and yaml_parser_scan_flow_scalar).
    fn check_scalar(&self, style: ScalarStyle, range: Range<usize>) -> Result<(), Error> {
        let source = self.text.scanned().get(range.clone()).unwrap_or_default();
        let (at, problem) = match style {
            // Its text would end at the question mark, which starts a key.
            ScalarStyle::Plain if self.flow > 0 => {
                let closing = match self.open.last().map(|open| &self.tape.items[open.item].kind) {
                    Some(Kind::Map { .. }) => "did not find expected ',' or '}'",
                    _ => "did not find expected ',' or ']'",
                };
                if let Some(at) = self.text.hidden_comma(source) {
                    let advice = "text with `!` in [] or {} must be quoted";
                    return Err(self.text.error_at(ErrorKind::FlowScalar(advice), range.start + at));
                }
                (source.find('?'), closing)
            }
            ScalarStyle::DoubleQuoted => (escaped_slash(source), "found unknown escape character"),
            _ => return Ok(()),
        };
        let error = |at| self.text.error_at(ErrorKind::Syntax(problem.to_owned()), range.start + at);
        at.map_or(Ok(()), |at| Err(error(at)))
    }

    fn enter(
        &mut self,
        kind: Kind,
        is_flow: bool,
        anchor: Option<String>,
        is_tagged: bool,
        start: usize,
        end: usize,
    ) -> Result<(), Error> {
        if self.open.len() == MAX_DEPTH {
            return Err(self.text.error_at(ErrorKind::Depth, start));
        }
        // The event starts with the anchor or tag. It ends after the bracket, before the first key or dash or, in a list
        // whose dashes are in the column of its key, after the first dash.
        let is_before = !is_flow && (matches!(kind, Kind::Map { .. }) || self.byte(end) == Some(b'-'));
        let start = match anchor.is_some() || is_tagged {
            true if is_before => end,
            true => end.saturating_sub(1),
            false => start,
        };
        self.push(kind, self.span(start, end), anchor);
        self.open.push(Open { item: self.tape.items.len() - 1, is_flow, start });
        if is_flow {
            self.flow += 1;
            self.end = end;
        }
        Ok(())
    }

    fn leave(&mut self, bracket: u8, start: usize, end: usize) {
        let Some(open) = self.open.pop() else { return };
        if open.is_flow {
            self.flow -= 1;
            // A pair in a list has no brackets, and ends with its value.
            self.end = if self.byte(start) == Some(bracket) { end } else { self.end };
        }
        let next = self.tape.items.len();
        let end = self.text.original(self.end);
        let item = &mut self.tape.items[open.item];
        item.span.end = end;
        match &mut item.kind {
            Kind::Seq { end } | Kind::Map { end } => *end = next,
            Kind::Scalar { .. } | Kind::Alias { .. } => {}
        }
    }

    fn alias(&mut self, name: String, start: usize, end: usize) -> Result<(), Error> {
        let Some(&target) = self.anchors.get(&name) else {
            return Err(self.text.error_at(ErrorKind::UnknownAnchor(name), start));
        };
        // The collection is still open.
        if matches!(self.tape.items[target].kind, Kind::Seq { end: 0 } | Kind::Map { end: 0 }) {
            return Err(self.text.error_at(ErrorKind::Cycle(name), start));
        }
        self.end = end;
        self.push(Kind::Alias { target }, self.span(start, end), None);
        self.tape.aliased = true;
        Ok(())
    }

    /// Appends a node to the tape.
    fn push(&mut self, kind: Kind, span: Span, anchor: Option<String>) {
        let anchored = anchor.is_some();
        if let Some(name) = anchor {
            self.anchors.insert(name, self.tape.items.len());
            self.tape.aliased = true;
        }
        self.tape.items.push(Item { kind, span, anchored });
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.text.original(start), end: self.text.original(end) }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.scanned().as_bytes().get(at).copied()
    }

    /// The start of a scalar after its anchor and tag, which begin at `start`; `end` if it is missing.
    fn content(&self, start: usize, end: usize) -> usize {
        let bytes = &self.text.scanned().as_bytes()[..end];
        let mut at = start;
        while at < end && matches!(bytes[at], b'&' | b'!' | b'#' | b' ' | b'\t' | b'\n' | b'\r') {
            let rest = &bytes[at..];
            let length = match bytes[at] {
                b'#' => rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')),
                b'&' | b'!' => rest.iter().position(u8::is_ascii_whitespace),
                _ => Some(1),
            };
            at += length.unwrap_or(rest.len());
        }
        at
    }

    /// The end of a block scalar, as for [`block_end`].
    fn block_scalar_end(&self, start: usize, end: usize, value: &str) -> usize {
        let text = self.text.scanned().get(start..end).unwrap_or_default();
        // The scanner includes the blanks before the content of the next line.
        start + block_end(text.rfind(['\n', '\r']).map_or(text, |end| &text[..=end]), value)
    }
}

/// The offset of an escaped slash in a scalar in double quotes; `None` if there is none.
fn escaped_slash(scalar: &str) -> Option<usize> {
    let mut rest = scalar.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        if rest.get(at + 1) == Some(&b'/') {
            return Some(scalar.len() - rest.len() + at);
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    None
}
