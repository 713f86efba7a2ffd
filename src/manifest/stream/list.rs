//! Large Lists, read as runs of items.

use std::io;
use std::sync::Arc;

use memchr::memmem;

use super::json::mended;
use super::open_list::{AnchoredItems, OpenList};
use super::unbroken::next_dash;
use super::yaml::{has_invalid_separator, unfolding};
use super::{Before, Block, Blocks, Piece, State};
use crate::cut_list::list_start;
use crate::document::{Document, Syntax};
use crate::list::{Items, ListType, repeats};
use syntax::error::{Error, ErrorKind, Place};
use syntax::json;
use syntax::json::kyaml::Cutting;
use syntax::json::nesting::{End, Inside, Values};
use syntax::list::{ListStart, Notation};
use syntax::simd::line_ends;
use syntax::yaml::index::Index;
use syntax::yaml::list::{self, Cut, ListEnd, refers_outside};
use syntax::yaml::marker;
use syntax::{parsed, redacted};
use text::lines;

impl Blocks {
    /// Continues with the items of the List at the start of `bytes`, which have no separator after their first line.
    ///
    /// # Errors
    ///
    /// Returns the bytes if they do not begin with a List whose items can be read one by one.
    pub(super) fn start_list(&mut self, bytes: Vec<u8>) -> Result<Block, Vec<u8>> {
        match list_start(&bytes, Syntax::Yaml).filter(|start| has_item(&bytes, start)) {
            Some(start) => {
                self.state = State::Items;
                Ok(self.start_items(bytes, start))
            }
            None => Err(bytes),
        }
    }

    /// Begins a large List that follows this many JSON values; returns the text if it is not one.
    pub(super) fn start_json_list(&mut self, bytes: Vec<u8>, values: usize) -> Result<Block, Vec<u8>> {
        let Some(start) = list_start(&bytes, Syntax::Json) else { return Err(bytes) };
        self.state = State::JsonItems { first: true, values };
        Ok(self.start_items(bytes, start))
    }

    /// Skips the beginning of a List, up to its items.
    fn start_items(&mut self, bytes: Vec<u8>, list: ListStart) -> Block {
        self.cut.number += 1;
        let (items, text) = (list.items, &bytes[..list.items]);
        let document =
            Document::new(&bytes, list.notation.syntax(), &self.source).at(self.cut.line, self.cut.number);
        let start = document.content();
        let (place, len) = (document.place(start), items - start);
        if let Err((kind, at)) = list.check(&bytes) {
            self.cut.pieces.push(Err(document.error(at, kind)));
        }
        let list = Arc::new(ListType::new(list, place, &bytes[items..], document.type_of_path()));
        self.cut.list = Some(OpenList { list, len, anchored: AnchoredItems::default() });
        self.require_json([b"", text, b"]}"]);
        self.cut.line += line_ends(text);
        self.rest = bytes;
        self.skipped_prefix.extend(self.rest.drain(..items));
        self.block(Vec::new())
    }

    /// A block of items, possibly followed by an error.
    fn items_of(
        &mut self,
        bytes: Vec<u8>,
        syntax: Syntax,
        items: Items,
        error: Option<Error>,
        start: usize,
    ) -> Block {
        if let Some(open) = &mut self.cut.list {
            open.len += bytes.len();
        }
        let (range, number) = (0..bytes.len(), self.cut.number);
        self.cut.pieces.push(Ok(Piece { range, syntax, line: start, number, items: Some(items) }));
        self.cut.pieces.extend(error.map(Err));
        self.block(bytes)
    }

    /// Returns as many complete items of a List as have arrived, but at least one.
    pub(super) fn items_block(&mut self) -> io::Result<Block> {
        let list = self.open_list();
        let notation = list.start.notation;
        let mut bytes = std::mem::take(&mut self.rest);
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let (mut cutting, mut searched) = (Cutting::default(), 0);
        let (cut, index, complete) = loop {
            // A separator ends the document, whatever contains it, and so does an end marker in block style.
            let separator = memmem::find(&bytes[searched..], b"\n---").map(|at| searched + at + 1);
            let separator = match notation {
                Notation::Block { .. } => {
                    marker_in(&bytes, searched, separator.unwrap_or(bytes.len())).or(separator)
                }
                _ => separator,
            };
            let complete = self.ended || separator.is_some();
            let text = &bytes[..separator.unwrap_or(bytes.len())];
            let found = match notation {
                Notation::Block { dash } => cut_lines(text, searched, dash, complete),
                _ => cut_flow(text, &mut cutting, complete).then(|| (std::mem::take(&mut cutting).cut, None)),
            };
            if let Some((cut, index)) = found {
                break (cut, index, complete);
            }
            // A separator, or the beginning of the next item, may be incomplete.
            searched = bytes.len().saturating_sub(notation.form().column() + 3);
            self.read_more(want, &mut bytes)?;
            want = bytes.len().max(self.size);
        };
        Ok(self.yaml_items(&list, bytes, cut, index, complete))
    }

    /// The items in YAML that were cut from `bytes`, up to the end of the document if that is `complete`.
    fn yaml_items(
        &mut self,
        list: &Arc<ListType>,
        mut bytes: Vec<u8>,
        cut: Cut,
        index: Option<Index>,
        complete: bool,
    ) -> Block {
        self.rest = bytes.split_off(cut.end);
        let start = self.cut.line;
        self.cut.line += line_ends(&bytes);
        if let Some(open) = &mut self.cut.list {
            cut.anchored.iter().for_each(|item| open.anchored.add(&bytes[cut.items[*item].clone()]));
        }
        let unfolds = cut.aliased && unfolding(&bytes).is_some();
        let items = Items::new(Arc::clone(list), cut.items, index);
        let block = Block { unfolds, ..self.items_of(bytes, Syntax::Yaml, items, None, start) };
        self.state = match cut.rest {
            ListEnd::Ended | ListEnd::Followed => State::Yaml(Before::Items),
            ListEnd::Unread | ListEnd::Uncertain if complete => {
                // What never closes says nothing more.
                if cut.rest == ListEnd::Unread {
                    list.settle(None);
                }
                self.rest_of_list(list)
            }
            ListEnd::Unread | ListEnd::Uncertain => State::Items,
        };
        block
    }

    /// The List whose items are being read.
    fn open_list(&self) -> Arc<ListType> {
        let open = self.cut.list.as_ref().expect("impossible: items are read of a List that was started");
        Arc::clone(&open.list)
    }

    /// Turns the rest of a List, all of which has arrived, into a List of its own, to be read as a whole.
    fn rest_of_list(&mut self, list: &ListType) -> State {
        let open = self.cut.list.take();
        let one_line = open.as_ref().and_then(|open| open.is_one_line(self.cut.line).then_some(open.len));
        let end = |rest: &[u8]| memmem::find(rest, b"\n---").map_or(rest.len(), |at| at + 1);
        let mut head = list.head(one_line, &[]);
        let anchored = open.as_ref().map(|open| open.anchored.texts()).unwrap_or_default();
        if !anchored.is_empty() && refers_outside(&[head.as_bytes(), &self.rest[..end(&self.rest)]].concat())
        {
            head = list.head(one_line, &anchored);
        }
        self.cut.line = self.cut.line.saturating_sub(line_ends(head.as_bytes()));
        self.cut.number -= 1;
        self.synthetic_len = head.len();
        self.rest.splice(..0, head.into_bytes());
        let parsed = redacted::parse(&self.rest[..end(&self.rest)]).ok().flatten();
        let whole = parsed.as_ref().and_then(|parsed| parsed.root.as_map());
        list.read_whole(whole);
        match whole.is_some_and(|whole| repeats(whole, list.fields(), self.synthetic_len)) {
            true => State::Yaml(Before::Repeated),
            false => State::Yaml(Before::Start),
        }
    }

    /// Returns as many complete items of a JSON List as have arrived, but at least one.
    pub(super) fn json_items_block(&mut self, first: bool, values: usize) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut want = self.size.saturating_sub(bytes.len()).max(1);
        let list = self.open_list();
        let cut_from = |bytes: &[u8]| json::list::cut(bytes, first, list.start.notation);
        let mut cut = cut_from(&bytes);
        // An incomplete item is scanned again when it is complete or, if it has no braces, has become longer.
        while !self.ended && cut.end == 0 && cut.rest == ListEnd::Unread {
            let start = bytes.iter().position(|byte| *byte == b'{').unwrap_or(bytes.len());
            let mut item = Values::default();
            let looked_at = bytes.len();
            loop {
                self.read_more(want, &mut bytes)?;
                want = bytes.len().max(self.size);
                item.advance(&bytes[start..]);
                if self.ended || item.end > 0 || bytes.len() > looked_at + looked_at / 4 {
                    break;
                }
            }
            cut = cut_from(&bytes);
        }
        self.rest = bytes.split_off(cut.end);
        if let Some(mut text) = mended(&bytes) {
            // The end of a number or word is known only by what follows it.
            text.push(b',');
            cut.items = cut_from(&text).items;
            text.pop();
            (bytes, self.decoded) = (text, true);
        }
        let broken = cut.rest == ListEnd::Uncertain || cut.end == 0 && cut.rest == ListEnd::Unread;
        // A beginning that makes the rest of the array a value, to get the reason why it cannot be read.
        let before = |is_first| if is_first { &b"["[..] } else { b"[0" };
        if !broken {
            let after: &[u8] = if cut.rest == ListEnd::Followed { b"" } else { b"]" };
            self.require_json([before(first), &bytes, after]);
        }
        let start = self.cut.line;
        self.cut.line += line_ends(&bytes);
        let items = Items::new(list, cut.items, None);
        let mut error = None;
        self.state = match cut.rest {
            ListEnd::Followed | ListEnd::Ended => State::JsonTail { values: values + 1 },
            // The array is incomplete, or contains something other than values separated by commas.
            ListEnd::Unread | ListEnd::Uncertain if broken => {
                let error_of =
                    self.json_error([before(first && cut.end == 0), &self.rest, b""], ErrorKind::Json);
                error = Some(error_of.unwrap_or_else(|| Error::new(self.cut.place(), ErrorKind::ListTail)));
                self.cut.drop_list();
                State::Unreadable
            }
            ListEnd::Unread | ListEnd::Uncertain => State::JsonItems { first: false, values },
        };
        Ok(self.items_of(bytes, Syntax::Json, items, error, start))
    }

    /// Reads the part of a JSON List after its items, and continues with the stream.
    pub(super) fn json_tail(&mut self, values: usize) -> io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut object = Inside::at(0);
        let mut end = object.end::<0>(&bytes, b'{');
        while end == End::Unread && !self.ended {
            self.read(self.size, &mut bytes)?;
            end = object.end::<0>(&bytes, b'{');
        }
        self.rest = bytes.split_off(if let End::At(end) = end { end } else { bytes.len() });
        if let End::At(_) = end {
            // Another key stands for `items`.
            self.require_json([b"{\"\":[]", &bytes, b""]);
        }
        self.cut.list_tail(&bytes);
        self.state = State::Json { values };
        Ok(self.block(bytes))
    }

    /// Adds the error that a part of a List of objects is YAML and not JSON, if it must be JSON. The part is on the current
    /// line, between a beginning and an end with which it is a value.
    fn require_json(&mut self, part: [&[u8]; 3]) {
        let list = self.cut.list.as_ref().map(|open| &open.list);
        if self.source.json_only && list.is_some_and(|list| list.holds_objects && list.is_json()) {
            self.cut.pieces.extend(self.json_error(part, ErrorKind::NotJson).map(Err));
        }
    }

    /// The error in a part of a JSON text, as for [`Blocks::require_json`]; `None` if it is JSON.
    fn json_error(
        &self,
        [before, text, after]: [&[u8]; 3],
        kind: fn(Box<parsed::Error>) -> ErrorKind,
    ) -> Option<Error> {
        let error = json::parse(&[before, text, after].concat()).err()?;
        let at = error.offset().saturating_sub(before.len()).min(text.len());
        let place = Place { line: Some(self.cut.line + line_ends(&text[..at])), ..self.cut.place() };
        Some(Error::in_text(text, at, place, kind(Box::new(error))))
    }
}

/// Cuts items in block style off `text`, which ends with the document if it is `complete`; `None` if none is complete. No
/// item begins before `searched`.
fn cut_lines(text: &[u8], searched: usize, dash: usize, complete: bool) -> Option<(Cut, Option<Index>)> {
    // The first item is complete only when another one begins.
    if !complete && memmem::find(&text[searched..], next_dash(dash).as_bytes()).is_none() {
        return None;
    }
    let end = if complete { text.len() } else { lines::start(text, text.len()) };
    let mut index = Index::default();
    index.mark(&text[..end]);
    let cut = list::cut(&text[..end], &index, 0, dash, complete);
    (complete || !cut.items.is_empty()).then_some((cut, Some(index)))
}

/// Cuts items in braces. Returns whether an item or the end of the List was found.
fn cut_flow(text: &[u8], cutting: &mut Cutting, complete: bool) -> bool {
    // The first characters of a separator may have arrived.
    let may_be_separator = ["\n--", "\n-", "\n"].iter().find(|start| text.ends_with(start.as_bytes()));
    let kept = if complete { 0 } else { may_be_separator.map_or(0, |start| start.len()) };
    cutting.advance(&text[..text.len() - kept]);
    complete || cutting.cut.rest == ListEnd::Followed || !cutting.cut.items.is_empty()
}

/// The offset of the first end marker between `from` and `to` that is a complete line; `None` if there is none.
fn marker_in(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    let marker = marker::document_end(&bytes[..to], lines::start(bytes, from));
    (marker + 3 < to).then_some(marker)
}

/// Whether there is an advantage in reading the items of a List one by one: the text has one that is complete. In a text
/// with an invalid separator there is none.
fn has_item(bytes: &[u8], list: &ListStart) -> bool {
    let Notation::Block { dash } = list.notation else { return true };
    let lines = &bytes[..lines::start(bytes, bytes.len())];
    let mut index = Index::default();
    index.mark(lines);
    !has_invalid_separator(&bytes[..list.items])
        && !list::cut(lines, &index, list.items, dash, false).items.is_empty()
}
