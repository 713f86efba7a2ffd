//! The documents of a YAML stream. Only this module defines what `---` means.
//!
//! The cut is made by lines (apimachinery, util/yaml/decoder.go): a line that starts with `---` is a separator,
//! whatever contains it, and may only have a comment in addition.

use std::io;
use std::ops::Range;

use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use memchr::{memchr, memchr_iter, memmem};

use super::words::{self, Between};
use super::{Before, Block, Blocks, Splitter, State};
use crate::document::Syntax;
use syntax::error::{Error, ErrorKind, Place};
use syntax::simd::{Chunk, LANES, level};
use syntax::yaml::marker;
use text::lines;

impl Blocks {
    /// Returns as many complete documents as have arrived, but at least one; or the beginning of a large List.
    pub(super) fn yaml_block(&mut self, before: Before) -> io::Result<Block> {
        if words::heading(&self.rest) == Some(0) {
            return self.words_block(Between::Documents, false, true);
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let mut searched = 0;
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let may_be_list = matches!(before, Before::Nothing | Before::Separator);
        while !self.ended {
            if let Some(cut) = last_separator(&bytes, searched) {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                break;
            }
            if words::heading(&bytes[lines::start(&bytes, searched)..]).is_some() {
                break;
            }
            if bytes.len() >= self.size && may_be_list {
                match self.start_list(bytes) {
                    Ok(block) => return Ok(block),
                    Err(whole) => bytes = whole,
                }
            }
            // The last line may still become a separator.
            searched = bytes.len().saturating_sub(8);
            self.read_more(want, &mut bytes)?;
            want = bytes.len().max(self.size);
        }
        // Separators inside logs do not count.
        if let Some(heading) = words::heading(&bytes) {
            self.rest.splice(..0, bytes.drain(heading..));
        }
        let unfolding = unfolding(&bytes);
        if let Some(end) = unfolding {
            self.rest.splice(..0, bytes.drain(end..));
        }
        let before = self.cut.yaml(&bytes, 0, before);
        if !(self.ended && self.rest.is_empty()) {
            // Dashes at the start of a block are a separator, except at the start of the stream.
            self.state = State::Yaml(if before == Before::Nothing { Before::Separator } else { before });
        }
        Ok(Block { unfolds: unfolding.is_some(), ..self.block(bytes) })
    }
}

/// How many aliases documents may have before each is processed alone: as many as goyaml accepts in any document
/// without checking how much they repeat.
const ALIASES: usize = 100;

/// The end of the first documents of `bytes` if these may have more than [`ALIASES`] aliases, and thus become much larger
/// than their text: the offset of the line that separates them from those after them, or the length of the text.
pub(super) fn unfolding(bytes: &[u8]) -> Option<usize> {
    let is_name = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    // Few documents have an ampersand, and searching for one byte is fast.
    memchr_iter(b'&', bytes).find(|&at| bytes[..at].ends_with(b" ") && is_name(at + 1))?;
    let mut aliases = memmem::find_iter(bytes, b" *").filter(|at| is_name(at + 2));
    let last = aliases.nth(ALIASES)?;
    let mut lines = memmem::find_iter(&bytes[last..], b"\n---").map(|at| last + at + 1);
    Some(lines.find(|line| separates(bytes, *line)).unwrap_or(bytes.len()))
}

/// How far from the end of a text most separators are found, in bytes.
const NEAR: usize = 16 << 10;

/// The offset of the last complete separator line at or after `from`; `None` if there is none after the start of the
/// text. An invalid separator does not count, because it makes the document before it unreadable.
fn last_separator(bytes: &[u8], from: usize) -> Option<usize> {
    let near = bytes.len().saturating_sub(NEAR).max(from);
    let mut end = bytes.len();
    while let Some(found) = memmem::rfind(&bytes[near..end], b"\n---") {
        let line = near + found + 1;
        if separates(bytes, line) {
            return Some(line);
        }
        end = near + found;
    }
    // Searching backwards is slow.
    let before = &bytes[from..(near + 3).min(bytes.len())];
    let lines = memmem::find_iter(before, b"\n---").map(|found| from + found + 1);
    lines.filter(|line| separates(bytes, *line)).last()
}

/// Whether a line that starts with `---` is complete and valid.
fn separates(bytes: &[u8], line: usize) -> bool {
    let separator = Separator::read(bytes, line);
    separator.end < bytes.len() && separator.spoilt.is_none()
}

/// Whether a line of `bytes` starts with `---` and is not valid, which makes the document before it unreadable.
pub(super) fn has_invalid_separator(bytes: &[u8]) -> bool {
    let first = bytes.starts_with(b"---").then_some(0);
    let lines = memmem::find_iter(bytes, b"\n---").map(|at| at + 1);
    first.into_iter().chain(lines).any(|line| Separator::read(bytes, line).spoilt.is_some())
}

/// The offsets, from `start` on, of the lines that start with `---`, and of those that are end markers. They are found in
/// one pass, because every byte of a stream is searched for them.
fn marked_lines(bytes: &[u8], start: usize) -> Vec<usize> {
    dispatch!(level(), simd => marked_lines_with(simd, bytes, start))
}

#[inline(always)]
fn marked_lines_with<S: Simd>(simd: S, bytes: &[u8], start: usize) -> Vec<usize> {
    let (mut found, mut at, mut starts_line) = (Vec::new(), start, 1);
    while at < bytes.len() {
        let chunk = Chunk::at(simd, bytes, at);
        let ends = (chunk.within(b'\n', b'\n') | chunk.within(b'\r', b'\r')).to_bitmask();
        let mut marked = (ends << 1 | starts_line) & chunk.within(b'-', b'.').to_bitmask();
        starts_line = ends >> (LANES - 1);
        while marked != 0 {
            let line = at + marked.trailing_zeros() as usize;
            let is_marked = match &bytes[line..] {
                [b'-', b'-', b'-', ..] => line == start || bytes[line - 1] == b'\n',
                line => marker::is_end(line),
            };
            if is_marked {
                found.push(line);
            }
            marked &= marked - 1;
        }
        at += LANES;
    }
    found
}

/// A line that starts with `---`.
struct Separator {
    /// The offset of the end of the line, without the line ending.
    end: usize,
    /// The invalid text after the dashes; `None` if there is none.
    spoilt: Option<String>,
}

impl Separator {
    fn read(bytes: &[u8], at: usize) -> Self {
        let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        let rest = String::from_utf8_lossy(&bytes[at + 3..end]);
        let rest = rest.trim();
        let allowed = rest.is_empty() || rest.starts_with('#');
        Self { end, spoilt: (!allowed).then(|| rest.to_owned()) }
    }
}

impl Splitter {
    /// Cuts YAML from `start` on, with `before` preceding it. Returns what precedes the text that follows.
    pub(super) fn yaml(&mut self, bytes: &[u8], start: usize, mut before: Before) -> Before {
        let (mut from, mut end_marker) = (start, None);
        for at in marked_lines(bytes, start) {
            if bytes[at] == b'.' {
                end_marker = end_marker.or(Some(at));
                continue;
            }
            let Separator { end, spoilt: broken } = Separator::read(bytes, at);
            if before == Before::Nothing && at == start && broken.is_none() {
                continue; // The line before all documents belongs to the first one, as in kubectl.
            }
            if let Some(rest) = broken {
                self.advance(&bytes[from..at]);
                let spoilt = before != Before::Damage && !bytes[from..at].trim_ascii().is_empty();
                self.number += usize::from(spoilt);
                self.drop_list();
                let place = Place { document: Some(self.number.max(1)), ..self.place() };
                let kind = ErrorKind::Separator(rest);
                self.pieces.push(Err(Error::in_text(bytes, at + 3, place, kind)));
                before = Before::Damage;
            } else {
                self.yaml_piece(bytes, from..at, before, end_marker);
                before = Before::Separator;
            }
            end_marker = None;
            from = (end + 1).min(bytes.len());
            self.advance(&bytes[at..from]);
        }
        self.yaml_piece(bytes, from..bytes.len(), before, end_marker);
        before
    }

    /// Adds the text between two separators: a document up to its end marker, at `end_marker` if it has one, and an
    /// error for text after the marker.
    ///
    /// *Compatibility* (end-marker): kubectl ignores this text.
    fn yaml_piece(&mut self, bytes: &[u8], range: Range<usize>, before: Before, end_marker: Option<usize>) {
        let after = end_marker.filter(|_| before != Before::Damage).and_then(|marker| {
            let (text, marker) = (&bytes[range.clone()], marker - range.start);
            marker::text_after_end(text, marker, before == Before::Items).map(|at| range.start + at)
        });
        let Some(after) = after else {
            return self.document_piece(bytes, range, before);
        };
        self.document_piece(bytes, range.start..after, before);
        self.pieces.push(Err(Error::in_text(bytes, after, self.place(), ErrorKind::AfterEnd)));
        self.advance(&bytes[after..range.end]);
    }

    fn document_piece(&mut self, bytes: &[u8], range: Range<usize>, before: Before) {
        match before {
            Before::Nothing | Before::Separator | Before::Start => self.piece(bytes, range, Syntax::Yaml),
            Before::Damage => self.advance(&bytes[range]),
            Before::Items => self.list_tail(&bytes[range]),
            Before::Repeated => {
                let place = Place { document: Some(self.number + 1), ..self.place() };
                self.pieces.push(Err(Error::in_text(bytes, range.start, place, ErrorKind::ListTail)));
                self.piece(bytes, range, Syntax::Yaml);
            }
        }
    }
}
