//! Where scalars end, how they continue on further lines, and their texts.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr3_iter};

use super::{Certain, Cursor, Item, Line, Reason, is_blank, is_header_end, is_line_end, is_redacted};
use crate::yaml::index::Extent;
use crate::yaml::marker;
use crate::yaml::quoted::{BlockText, block_end, closing, fold, unquoted};

impl<'t> Cursor<'t, '_> {
    /// Reads the scalar that starts on `line`, in a collection at the column `parent`. Flow collections are returned
    /// unread.
    pub(super) fn scalar(&mut self, line: Line, parent: Option<usize>) -> Certain<Item<'t>> {
        let rest = &self.bytes()[line.start..line.end];
        let Some(column) = parent else {
            return if matches!(rest[0], b'[' | b'{') {
                Ok(Item::Flow(line.start))
            } else {
                Err(Reason::Root)
            };
        };
        match rest[0] {
            quote @ (b'"' | b'\'') => self.quoted(line, quote),
            b'|' | b'>' => self.block(line, column),
            b'[' | b'{' => Ok(Item::Flow(line.start)),
            b'&' => Err(Reason::Anchor),
            b'*' if !is_redacted(rest) => Err(Reason::Alias),
            b'!' => Err(Reason::Tag),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' | b'#' => Err(Reason::Indicator),
            b'-' | b'?' | b':' if rest.get(1).is_none_or(|&byte| is_blank(byte)) => Err(Reason::Indicator),
            _ => self.plain(line, column),
        }
    }

    /// Reads the plain scalar that starts on `line`, in a collection at `column`. It continues on deeper lines,
    /// whatever they begin with, up to a comment.
    fn plain(&mut self, line: Line, column: usize) -> Certain<Item<'t>> {
        self.line = None;
        let (first, mut commented) = self.plain_part(line.start, line.end)?;
        let mut end = line.start + first.len();
        let mut folded: Option<String> = None;
        let mut breaks = 0;
        let mut at = self.at;
        while !commented && at < self.text.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(at), at);
            let line_end = self.content_end(at, at + length);
            let start = at + indent;
            at += length + 1;
            breaks += 1;
            if start >= line_end {
                continue;
            }
            match self.bytes()[start] {
                b'\t' => return Err(Reason::Tab),
                _ if indent <= column => break,
                b'#' => break,
                _ => (),
            }
            let part;
            (part, commented) = self.plain_part(start, line_end)?;
            let text = folded.get_or_insert_with(|| first.to_owned());
            fold(text, breaks);
            text.push_str(part);
            (end, breaks, self.at) = (start + part.len(), 0, at);
        }
        let text = folded.map_or(Cow::Borrowed(first), Cow::Owned);
        Ok(Item::Plain(text, line.start..end))
    }

    /// The part of a plain scalar between `start` and `end` of a line, and whether a comment ends the scalar there.
    fn plain_part(&self, start: usize, end: usize) -> Certain<(&'t str, bool)> {
        let bytes = &self.bytes()[start..end];
        let mut length = bytes.len();
        for at in memchr3_iter(b':', b'#', b'\t', bytes) {
            match bytes[at] {
                b':' if bytes.get(at + 1).is_none_or(|&byte| is_blank(byte)) => {
                    return Err(Reason::ValueInValue);
                }
                b'#' if at > 0 && is_blank(bytes[at - 1]) => {
                    length = at;
                    break;
                }
                _ => (),
            }
        }
        let text = self.text[start..start + length].trim_end_matches([' ', '\t']);
        Ok((text, length < bytes.len()))
    }

    /// Reads the quoted scalar at the start of `line`. Only a comment may follow on its last line.
    fn quoted(&mut self, line: Line, quote: u8) -> Certain<Item<'t>> {
        let end = match closing(&self.bytes()[line.start..line.end], quote) {
            Some(end) => line.start + end,
            None => {
                let end = line.start + closing(&self.bytes()[line.start..], quote).ok_or(Reason::Quoted)?;
                self.check_markers(line.start..end)?;
                end
            }
        };
        self.end_line(end, Reason::Quoted)?;
        Ok(Item::Text(unquoted(&self.text[line.start..end])?, line.start..end))
    }

    /// Moves to the line after the one with `end`, the end of a value, which only a comment may follow.
    pub(super) fn end_line(&mut self, end: usize, reason: Reason) -> Certain<()> {
        let rest = &self.bytes()[end..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let content = &self.text[end..self.content_end(end, end + length)];
        (self.line, self.at, self.floor) = (None, end + length + 1, end + length + 1);
        if is_line_end(content) { Ok(()) } else { Err(reason) }
    }

    /// # Errors
    ///
    /// A line in `range` other than the first may be a marker.
    fn check_markers(&self, range: Range<usize>) -> Certain<()> {
        if marker::may_be_in(&self.bytes()[range]) { Err(Reason::Marker) } else { Ok(()) }
    }

    /// # Errors
    ///
    /// A line in `range` other than the first may be a marker, or starts before the minimum column.
    pub(super) fn check_lines(&self, range: Range<usize>) -> Certain<()> {
        let reaches_left = |line: &str| {
            let content = line.trim_start_matches(' ');
            line.len() - content.len() < self.least && !content.trim_ascii_end().is_empty()
        };
        if self.least > 0 && self.text[range.clone()].split('\n').skip(1).any(reaches_left) {
            return Err(Reason::Indent);
        }
        self.check_markers(range)
    }

    /// Reads the block scalar whose header is at the start of `line`, in a collection at `column`.
    fn block(&mut self, line: Line, column: usize) -> Certain<Item<'t>> {
        let header = self.rest(line);
        let (mut explicit, mut chomping, mut length) = (None, None, 1);
        for byte in header.bytes().skip(1) {
            match byte {
                b'1'..=b'9' if explicit.is_none() => explicit = Some(usize::from(byte - b'0')),
                b'+' | b'-' if chomping.is_none() => chomping = Some(byte),
                _ => break,
            }
            length += 1;
        }
        if !is_header_end(&header[length..]) {
            return Err(Reason::Block);
        }
        let from = self.at.min(self.text.len());
        let indent = match explicit {
            Some(deeper) => column + deeper,
            None => self.block_indent(from, column)?,
        };
        self.skip_block(column.min(indent - 1));
        // A comment before the content's column ends the scalar, and other text after it is not part of it.
        let mut text = BlockText::new(header.starts_with('>'));
        let mut end = from;
        for line in self.text[from..self.at].split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            let content = content.strip_suffix('\r').unwrap_or(content);
            let blanks = content.bytes().take(indent).take_while(|&byte| byte == b' ').count();
            match content.as_bytes().get(blanks) {
                None => text.add_break(),
                Some(_) if blanks == indent => text.add_line(&content[indent..]),
                Some(b'#') if explicit.is_none() => break,
                Some(b'\t') => return Err(Reason::Tab),
                Some(_) => return Err(Reason::Block),
            }
            end += line.len();
        }
        (self.line, self.at, self.floor) = (None, end, end);
        let text = text.finish(chomping);
        let end = block_end(&self.text[line.start..end], &text);
        Ok(Item::Text(Cow::Owned(text), line.start..line.start + end))
    }

    /// The column of the content of a block scalar that starts at `from`, in a collection at `column`, as given by its
    /// first line (goyaml, yaml_parser_scan_block_scalar_breaks).
    fn block_indent(&self, from: usize, column: usize) -> Certain<usize> {
        let mut deepest = column + 1;
        let mut at = from;
        while at < self.text.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(at), at);
            let end = self.content_end(at, at + length);
            match self.bytes()[at + indent..end].first() {
                None => deepest = deepest.max(indent),
                Some(b'\t') => return Err(Reason::Tab),
                // Lines before it with more blanks are content, or an error.
                Some(_) if indent > column => {
                    return if indent >= deepest { Ok(indent) } else { Err(Reason::Block) };
                }
                Some(_) => break,
            }
            at += length + 1;
        }
        if deepest > column + 1 { Err(Reason::Block) } else { Ok(deepest) }
    }

    /// Skips the lines of a block scalar in a collection at `column`: those that are deeper or blank.
    pub(super) fn skip_block(&mut self, column: usize) {
        let bytes = self.bytes();
        while self.at < bytes.len() {
            let Extent { length, column: indent } = self.extent(&self.view.at(self.at), self.at);
            let is_blank = self.at + indent >= self.content_end(self.at, self.at + length);
            if !is_blank && indent <= column {
                return;
            }
            self.at += length + 1;
            if !is_blank {
                self.at = self.view.next_left(self.at - 1, column + 1).unwrap_or(bytes.len());
            }
        }
        self.at = bytes.len();
    }

    /// Continues after a flow collection, which ends at `end`.
    pub fn end_flow(&mut self, end: usize) -> Certain<()> {
        self.end_line(end, Reason::Flow)
    }
}
