//! Skips values that are not needed. They are only checked for what may hide their end.

use std::cell::Cell;

use memchr::memchr;

use super::open_scalars::OpenScalars;
use super::{
    Certain, Cursor, Item, Line, Reason, References, colon, has_comment, is_header_end, is_item, is_line_end,
    is_redacted,
};
use crate::yaml::index::{Bits, Extent};
use crate::yaml::quoted::closing;
use crate::yaml::scalar::{self, Scalar};
use text::lines;

/// The effect of the scalar at the end of a line on the lines that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// There is none: a nested value follows.
    Empty,
    /// It is complete.
    Closed,
    /// A plain scalar, which continues on lines deeper than the column.
    Plain(usize),
    /// The header of a block scalar, whose content is the lines deeper than the column.
    Block(usize),
    /// A quoted scalar that starts at this offset and is not closed on its line.
    Quoted(usize),
    /// A flow collection that starts at this offset and is not closed on its line.
    Flow(usize),
}

impl Cursor<'_, '_> {
    /// Skips the value of the last key, in a block map at `column`. It is only checked for what may hide its end.
    pub fn skip_value(&mut self, column: usize) -> Certain<()> {
        let Some(line) = self.line.take() else { return Err(Reason::Key) };
        self.floor = line.start - line.column;
        match self.shape(line, column)? {
            Shape::Empty => self.skip_nested(column),
            Shape::Plain(column) => self.skip_deeper(column),
            shape => self.skip_shape(shape),
        }
    }

    /// Skips the nested value of a key at `column`: deeper lines, or items at the column itself.
    pub fn skip_nested(&mut self, column: usize) -> Certain<()> {
        let is_item_at = |cursor: &Self, line: Line| line.column == column && is_item(cursor.rest(line));
        if !self.peek()?.is_some_and(|line| is_item_at(self, line)) {
            return self.skip_deeper(column);
        }
        while let Some(line) = self.peek()?.filter(|line| is_item_at(self, *line)) {
            self.skip_line(line)?;
            self.skip_deeper(column)?;
        }
        Ok(())
    }

    /// Skips the lines that are deeper than `column`.
    pub fn skip_deeper(&mut self, column: usize) -> Certain<()> {
        loop {
            self.skip_closed(column + 1);
            let Some(line) = self.peek()?.filter(|line| line.column > column) else { return Ok(()) };
            self.skip_line(line)?;
        }
    }

    /// Skips the value of the last key, in a block map at `column`, and declines unless it is a string or null.
    pub fn skip_text(&mut self, column: usize) -> Certain<()> {
        let Some(line) = self.line else { return Err(Reason::Key) };
        if self.rest(line).starts_with(['"', '\'', '|', '>']) {
            return self.skip_value(column);
        }
        match self.value(column)? {
            Item::Missing(_) | Item::Text(..) => Ok(()),
            Item::Plain(text, _) if matches!(scalar::resolve(&text), Scalar::Text | Scalar::Null) => Ok(()),
            _ => Err(Reason::Head),
        }
    }

    /// Skips the value of the last key, in a block map at `column`, without examining nested lines. Lines at the column
    /// that look like keys may thus be inside quoted scalars or flow collections. Returns whether any line was skipped
    /// unexamined.
    pub fn skip_unread(&mut self, column: usize) -> Certain<bool> {
        let Some(line) = self.line.take() else { return Err(Reason::Key) };
        let shape = self.shape(line, column)?;
        match shape {
            Shape::Empty | Shape::Plain(_) => (),
            shape => return self.skip_shape(shape).map(|()| false),
        }
        let from = self.at;
        let bytes = self.bytes();
        let deeper = |at: usize| {
            let start = bytes.get(at..=at + column);
            start.is_some_and(|start| start.iter().all(|&byte| byte == b' '))
        };
        loop {
            while deeper(self.at) {
                let next = self.view.next_left(self.at, column + 1);
                self.at = next.unwrap_or(bytes.len()).min(bytes.len());
            }
            let Some(line) = self.peek()? else { break };
            let is_item = line.column == column && shape == Shape::Empty && is_item(self.rest(line));
            if line.column <= column && !is_item {
                break;
            }
            self.line = None;
        }
        let end = self.line_start();
        self.floor = end;
        Ok(end > from)
    }

    /// Skips lines at the column `least` or deeper, as long as each is complete in itself.
    fn skip_closed(&mut self, least: usize) {
        while self.line.is_none() && self.at < self.text.len() {
            let bits = self.view.at(self.at);
            match bits.line() {
                Some(line) if line.column >= least && self.is_closed(&bits, line) => {
                    self.at += line.length + 1
                }
                _ => return,
            }
            // Plain lines usually follow each other.
            if bits.inside(bits.indicators) == 0 && !self.tabs {
                self.at = self.view.skip_plain(self.at, least);
            }
        }
    }

    /// Whether the next line is certainly complete in itself, whether it is structure or inside a plain scalar.
    #[inline]
    fn is_closed(&self, bits: &Bits, line: Extent) -> bool {
        let indicators = bits.inside(bits.indicators);
        let bytes = &self.bytes()[self.at..];
        // Tabs, which are indicators, are like blanks before a scalar.
        if indicators == 0 || self.tabs && memchr(b'\t', &bytes[..line.length]).is_some() {
            return indicators == 0;
        }
        // They open something only where a scalar may start.
        let mut starts = indicators & (bits.blanks << 1 | 1 << line.column);
        while starts != 0 {
            let start = starts.trailing_zeros() as usize;
            let behind = indicators & (!1 << start);
            if behind == 0 || bytes[start] == b'#' {
                return bytes[start] == b'#';
            }
            let end = behind.trailing_zeros() as usize;
            match (bytes[start], bytes[end], bytes[end + 1]) {
                // Backslashes are indicators.
                (b'"', b'"', b'\n' | b':') | (b'\'', b'\'', b'\n' | b':') => (),
                (b'{', b'}', b'\n') | (b'[', b']', b'\n') if end == start + 1 => (),
                _ => return false,
            }
            starts &= !1 << end;
        }
        true
    }

    /// Skips `line`, the next one, and everything that belongs to its last scalar.
    pub fn skip_line(&mut self, line: Line) -> Certain<()> {
        self.line = None;
        let shape = match self.line_shape(line) {
            // Inside a plain scalar, a line is text, whatever it begins with.
            Ok(shape @ (Shape::Block(_) | Shape::Quoted(_) | Shape::Flow(_))) if self.may_be_text(line) => {
                if self.continues(line) {
                    Shape::Closed
                } else {
                    shape
                }
            }
            Err(reason) => {
                if self.continues(line) {
                    Shape::Closed
                } else {
                    return Err(reason);
                }
            }
            Ok(shape) => shape,
        };
        self.skip_shape(shape)
    }

    fn skip_shape(&mut self, shape: Shape) -> Certain<()> {
        match shape {
            Shape::Empty | Shape::Closed | Shape::Plain(_) => Ok(()),
            Shape::Block(column) => {
                self.skip_block(column);
                self.floor = self.at;
                Ok(())
            }
            Shape::Quoted(start) => {
                let end =
                    start + closing(&self.bytes()[start..], self.bytes()[start]).ok_or(Reason::Quoted)?;
                self.check_lines(start..end)?;
                self.end_line(end, Reason::Quoted)
            }
            Shape::Flow(start) => {
                let end = self.flow_end(start)?;
                self.check_lines(start..end)?;
                self.end_line(end, Reason::Flow)
            }
        }
    }

    /// Whether a line has no key, so that it may be inside a plain scalar.
    fn may_be_text(&self, line: Line) -> bool {
        let bytes = &self.bytes()[line.start..line.end];
        colon(bytes).is_none()
    }

    /// The effect of the last scalar of a line on the lines that follow, if the line is structure.
    fn line_shape(&self, line: Line) -> Certain<Shape> {
        let (content, dash) = self.without_dashes(line);
        let content = self.without_properties(content);
        if content.start == content.end || self.bytes()[content.start] == b'#' {
            return Ok(Shape::Empty);
        }
        if self.references.is_some() && self.bytes()[content.start] == b'*' {
            return self.shape(content, dash.unwrap_or(content.column));
        }
        match (self.key(content)?, dash) {
            (Some((_, value)), _) => {
                let value_column = value - (line.start - line.column);
                self.shape(Line { column: value_column, start: value, end: line.end }, content.column)
            }
            (None, Some(dash)) => self.shape(content, dash),
            // A scalar on a line of its own, which continues on lines deeper than its key.
            (None, None) => match self.shape(content, content.column)? {
                Shape::Block(_) => Err(Reason::Block),
                shape => Ok(shape),
            },
        }
    }

    /// The rest of a line after its leading dashes, and the column of the last of them.
    fn without_dashes(&self, mut line: Line) -> (Line, Option<usize>) {
        let mut dash = None;
        while line.start < line.end && is_item(self.rest(line)) {
            let blanks =
                self.bytes()[line.start + 1..line.end].iter().take_while(|&&byte| byte == b' ').count();
            dash = Some(line.column);
            line = Line { column: line.column + 1 + blanks, start: line.start + 1 + blanks, ..line };
        }
        (line, dash)
    }

    /// The effect of a value that starts on `line`, in a collection at `column`, on the lines that follow.
    fn shape(&self, line: Line, column: usize) -> Certain<Shape> {
        let line = self.without_properties(line);
        let rest = self.rest(line);
        let ends =
            |end: usize, reason| if is_line_end(&rest[end..]) { Ok(Shape::Closed) } else { Err(reason) };
        match rest.as_bytes().first() {
            None | Some(b'#') => Ok(Shape::Empty),
            Some(quote @ (b'"' | b'\'')) => match closing(rest.as_bytes(), *quote) {
                Some(end) => ends(end, Reason::Quoted),
                None => Ok(Shape::Quoted(line.start)),
            },
            Some(b'[' | b'{') => match rest {
                "{}" | "[]" => Ok(Shape::Closed),
                _ => match flow_end(rest.as_bytes(), self.references.as_ref())? {
                    Some(end) => ends(end, Reason::Flow),
                    None => Ok(Shape::Flow(line.start)),
                },
            },
            Some(b'|' | b'>') => {
                let indicators = |c: char| matches!(c, '1'..='9' | '+' | '-');
                let header = rest[1..].trim_start_matches(indicators);
                if is_header_end(header) { Ok(Shape::Block(column)) } else { Err(Reason::Block) }
            }
            Some(b'&') => Err(Reason::Anchor),
            Some(b'*') if !is_redacted(rest.as_bytes()) => match &self.references {
                Some(references) => {
                    note(references, false);
                    ends(word_end(rest), Reason::Alias)
                }
                None => Err(Reason::Alias),
            },
            Some(b'!') => Err(Reason::Tag),
            Some(b'\t') => Err(Reason::Tab),
            Some(b'?') if is_line_end(&rest[1..]) || rest[1..].starts_with(' ') => Err(Reason::Key),
            Some(_) if has_comment(rest) => Ok(Shape::Closed),
            Some(_) => Ok(Shape::Plain(column)),
        }
    }

    fn flow_end(&self, start: usize) -> Certain<usize> {
        let end = flow_end(&self.bytes()[start..], self.references.as_ref())?;
        end.map(|end| start + end).ok_or(Reason::Flow)
    }

    /// The rest of a line after the anchors and tags at its start, if they are not declined.
    fn without_properties(&self, mut line: Line) -> Line {
        let Some(references) = &self.references else { return line };
        while let Some(property @ (b'&' | b'!')) = self.bytes()[line.start..line.end].first() {
            if *property == b'&' {
                note(references, true);
            }
            let rest = self.rest(line);
            let length = word_end(rest);
            let length = length + rest[length..].bytes().take_while(|&byte| byte == b' ').count();
            line = Line { column: line.column + length, start: line.start + length, ..line };
        }
        line
    }

    /// Whether `line`, which is being skipped, is inside a plain scalar that began above. Only the lines above show
    /// this, because a line of text may look like any structure. A line with a key is certainly not inside, so the last
    /// of these is where to begin, or the last line that was examined for this before.
    fn continues(&mut self, line: Line) -> bool {
        let end = line.start - line.column;
        let unexamined = OpenScalars { floor: self.floor, at: self.floor, open: None, waiting: None };
        let mut scalars = if self.scalars.floor == self.floor { self.scalars } else { unexamined };
        let mut start = end;
        while start > scalars.at {
            let end = start - 1;
            start = lines::start(self.bytes(), end).max(scalars.at);
            let content = self.text[start..end].trim_start_matches(' ');
            if !content.starts_with('#') && colon(content.as_bytes()).is_some() {
                scalars = OpenScalars { at: start, ..unexamined };
                break;
            }
        }
        for text in self.text[scalars.at..end].split_inclusive('\n') {
            self.examine(&mut scalars, text);
        }
        self.scalars = scalars;
        scalars.open.is_some_and(|open| line.column > open)
    }

    /// Takes the next line, `text`, into account.
    fn examine(&self, scalars: &mut OpenScalars, text: &str) {
        let content = text.trim_ascii_end();
        let column = content.len() - content.trim_start_matches(' ').len();
        let line = Line { column, start: scalars.at + column, end: scalars.at + content.len() };
        scalars.at += text.len();
        if line.start >= line.end {
            return;
        }
        if self.bytes()[line.start] == b'#' {
            scalars.open = None;
        } else if scalars.open.is_some_and(|open| column > open) {
            scalars.open = scalars.open.filter(|_| !has_comment(self.rest(line)));
        } else {
            let (inner, dash) = self.without_dashes(line);
            let has_key = colon(&self.bytes()[inner.start..inner.end]).is_some();
            scalars.open = match self.line_shape(line) {
                Ok(Shape::Plain(_)) if !has_key && dash.is_none() => {
                    scalars.waiting.filter(|waiting| column > *waiting)
                }
                Ok(Shape::Plain(column)) => Some(column),
                _ => None,
            };
            let column = if has_key { inner.column } else { dash.unwrap_or(column) };
            scalars.waiting = scalars.open.is_none().then_some(column);
        }
    }
}

/// Notes an anchor or an alias.
fn note(references: &Cell<References>, is_anchor: bool) {
    let References { anchors, aliases } = references.get();
    references.set(References { anchors: anchors || is_anchor, aliases: aliases || !is_anchor });
}

/// The length of the characters before a blank.
fn word_end(text: &str) -> usize {
    text.find([' ', '\t']).unwrap_or(text.len())
}

/// The offset after a flow collection; `None` if it is not closed.
///
/// # Errors
///
/// It contains tabs, quotes that may be text or, without `references` to note them in, anchors, aliases or tags.
fn flow_end(bytes: &[u8], references: Option<&Cell<References>>) -> Certain<Option<usize>> {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(Some(at + 1));
                }
            }
            // A quote inside a plain scalar is text.
            quote @ (b'"' | b'\'') if matches!(bytes[at - 1], b'{' | b'[' | b',' | b':' | b' ' | b'\n') => {
                match closing(&bytes[at..], quote) {
                    Some(end) => at += end,
                    None => return Ok(None),
                }
                continue;
            }
            b'#' if matches!(bytes[at - 1], b' ' | b'\n') => match memchr(b'\n', &bytes[at..]) {
                Some(end) => at += end,
                None => return Ok(None),
            },
            byte @ (b'&' | b'*' | b'!') => match (byte, references) {
                (b'!', Some(_)) => (),
                (_, Some(references)) => note(references, byte == b'&'),
                (b'&', None) => return Err(Reason::Anchor),
                (b'*', None) => return Err(Reason::Alias),
                (_, None) => return Err(Reason::Tag),
            },
            b'\t' => return Err(Reason::Tab),
            b'"' | b'\'' => return Err(Reason::Flow),
            _ => (),
        }
        at += 1;
    }
    Ok(None)
}
