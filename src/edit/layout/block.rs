//! Collections in block style: an entry or element on lines of its own.

use std::ops::Range;

use super::render::{BlockStyle, leaves, literal};
use super::{Found, Holder, Layout, Place, STEP, insert, is_sorted, is_within, place_in, place_of_field};
use crate::refusal::{NOT_CONFIRMED, Refused};
use crate::splices::Splice;
use syntax::emit::scalar::{self, Quotes};
use syntax::tree::{Entry, Map, Node, Value};
use text::lines;

impl Layout<'_> {
    /// The splice that sets or removes `key` in a block map of strings with these entries and a key that ends at `key_end`;
    /// `None` if the tree is needed for this, such as when none of them remains.
    pub fn splice_in_block(
        &self,
        key_end: usize,
        entries: &[Place<'_>],
        (key, value): (&str, Option<&Node>),
    ) -> Option<Splice> {
        let found = entries.iter().find(|entry| entry.key == key);
        match (found, value) {
            (Some(entry), Some(value)) => Some(self.replace_scalar(entry, value)),
            (Some(entry), None) if self.is_on_own_line(entry.key_span.start) && entries.len() > 1 => {
                self.remove_lines(vec![self.lines(entry.key_span.start, entry.value.end)]).pop()
            }
            (None, Some(value)) => {
                let place = place_in(entries, is_sorted(entries), key);
                self.create_lines(entries, place, Some(key_end), STEP, (key, value))
            }
            (_, None) => None,
        }
    }

    /// The splice that adds `field` to `metadata`, a block map with this key and these entries.
    pub fn splice_in_metadata(
        &self,
        key: &Range<usize>,
        fields: &[Place<'_>],
        (field, value): (&str, &Node),
    ) -> Option<Splice> {
        let deeper = self.deeper(Some(key.start), fields);
        let place = place_of_field(fields, is_sorted(fields), field);
        self.create_lines(fields, place, Some(key.end), deeper, (field, value))
    }

    /// A new entry of a block map with these entries, after the first `at` of them.
    pub(super) fn add_to_block(
        &self,
        places: &[Place<'_>],
        at: usize,
        parent: Option<Holder<'_>>,
        deeper: usize,
        entry: (&str, &Node),
    ) -> Vec<Splice> {
        let above = parent.map(|parent| parent.place.key_span.end);
        self.create_lines(places, at, above, deeper, entry).into_iter().collect()
    }

    /// A new entry at `place` in a block map with these entries, whose own key ends at `above`.
    fn create_lines(
        &self,
        entries: &[Place<'_>],
        place: usize,
        above: Option<usize>,
        deeper: usize,
        (key, value): (&str, &Node),
    ) -> Option<Splice> {
        let (first, last) = (entries.first()?.key_span.start, entries.last()?.value.end);
        let column = self.column(first);
        let style = BlockStyle {
            step: deeper,
            list_step: self.list_step,
            keys: self.key_quotes(entries),
            values: self.value_quotes(entries, place),
        };
        let lines = style.entry(column, key, value);
        let at = match (place.checked_sub(1), above) {
            (Some(before), _) => self.after_comments(entries[before].value.end, column),
            // The first entry is on the line of a dash.
            (None, _) if !self.is_on_own_line(first) => {
                let line_break = self.line_break(first);
                let indent = " ".repeat(column);
                let text = lines.iter().enumerate().map(|(at, line)| match at {
                    0 => format!("{}{line_break}", line.trim_start_matches(' ')),
                    _ => format!("{line}{line_break}"),
                });
                return Some(insert(first, text.collect::<String>() + &indent));
            }
            (None, Some(above)) => self.colon(above),
            // Before the first entry of the document.
            (None, None) => {
                let line_break = self.line_break(first);
                let text = lines.iter().flat_map(|line| [line.as_str(), line_break]).collect();
                return Some(insert(lines::start(self.text, first), text));
            }
        };
        // If the last line has no line ending, it stays without one, to keep the diff small.
        let unended = lines::next(self.text, at) == self.text.len() && !self.text.ends_with(b"\n");
        let is_nested = !matches!(value.value, Value::String(_)) && lines.len() > 1;
        match place.checked_sub(1).map(|before| entries[before].key_span.start) {
            Some(key) if unended && is_nested && self.is_on_own_line(key) => {
                let line_break = self.line_break(at);
                let text = lines.iter().flat_map(|line| [line, line_break]).collect();
                Some(insert(lines::start(self.text, key), text))
            }
            _ => Some(self.insert_lines(at.min(last.max(at)), &lines)),
        }
    }

    /// A new element of a block list with these elements, after the first `at` of them.
    pub(super) fn add_element(
        &self,
        places: &[Place<'_>],
        at: usize,
        deeper: usize,
        value: &Node,
    ) -> Vec<Splice> {
        let Some(first) = places.first() else { return Vec::new() };
        let column = self.column(first.key_span.start);
        let style = BlockStyle {
            step: deeper,
            list_step: self.list_step,
            keys: Quotes::None,
            values: self.value_quotes(places, at),
        };
        let mut lines = style.element(column, self.dash_width(places), value);
        let Some(before) = at.checked_sub(1).and_then(|at| places.get(at)) else {
            let start = first.key_span.start;
            let line_break = self.line_break(start);
            if let Some(first) = lines.first_mut() {
                *first = first.trim_start_matches(' ').to_owned();
            }
            let text: String = lines.iter().flat_map(|line| [line.as_str(), line_break]).collect();
            return vec![insert(start, text + &" ".repeat(column))];
        };
        if self.is_spaced(places) {
            lines.insert(0, String::new());
        }
        let end = self.after_comments(before.value.end.max(before.key_span.end), column);
        vec![self.insert_lines(end, &lines)]
    }

    /// Removes an entry of a block map.
    pub(super) fn remove_from_block(
        &self,
        node: &Node,
        entries: &[Place<'_>],
        at: usize,
    ) -> Found<Vec<Splice>> {
        let (place, map) = (&entries[at], node.as_map());
        let key = place.key_span.start;
        if !self.is_on_own_line(key) {
            let Some(next) = entries.get(at + 1) else {
                return Err(Refused::new(key, NOT_CONFIRMED));
            };
            return Ok(vec![(key..next.key_span.start, Vec::new())]);
        }
        let Some(entry) = map.and_then(|map| map.entry(place.key)) else { return Ok(Vec::new()) };
        let mut ranges = Vec::new();
        self.lines_of(entry, &mut ranges);
        let before = at.checked_sub(1).and_then(|before| map?.entry(entries[before].key));
        let scalar = before.and_then(|before| self.indent_of_last_block_scalar(&before.value));
        let mut splices = Vec::new();
        for (range, indent) in ranges.iter().zip(scalar.into_iter().cycle()) {
            splices.extend(self.comments_out_of_scalar(indent, self.column(key), range.end));
        }
        splices.extend(self.remove_lines(ranges));
        Ok(splices)
    }

    /// Adds the lines of an entry. Those of comments between the entries of a map of scalars stay.
    fn lines_of(&self, entry: &Entry, ranges: &mut Vec<Range<usize>>) {
        let mut add = |range: Range<usize>| match ranges.last_mut() {
            Some(last) if last.end >= range.start => last.end = range.end.max(last.end),
            _ => ranges.push(range),
        };
        let place = self.place(entry);
        let is_scalar = |entry: &Entry| !matches!(entry.value.value, Value::Map(_) | Value::Seq(_));
        let is_nested = |map: &&Map| {
            let own = map
                .iter()
                .all(|inner| is_within(inner, &entry.value) && self.is_on_own_line(inner.key_span.start));
            own && !map.is_empty() && (map.len() == 1 || map.iter().all(is_scalar))
        };
        let starts_below = place.value.start > place.key_span.end && !self.is_flow(&entry.value);
        match entry.value.as_map().filter(is_nested).filter(|_| starts_below) {
            Some(map) => {
                add(self.lines(place.key_span.start, self.colon(place.key_span.end)));
                map.iter().for_each(|inner| self.lines_of(inner, ranges));
            }
            None => add(self.lines(place.key_span.start, place.value.end)),
        }
    }

    /// Removes an element of a block list, with the blank line before it if the elements are separated by those.
    pub(super) fn remove_element(&self, places: &[Place<'_>], at: usize) -> Found<Vec<Splice>> {
        let place = &places[at];
        let dash = place.key_span.start;
        if !self.is_on_own_line(dash) {
            let Some(next) = places.get(at + 1) else {
                return Err(Refused::new(dash, NOT_CONFIRMED));
            };
            return Ok(vec![(dash..next.key_span.start, Vec::new())]);
        }
        let mut range = self.lines(dash, place.value.end.max(place.key_span.end));
        let above = lines::start(self.text, range.start.saturating_sub(1));
        if at > 0 && self.is_spaced(places) && self.is_blank(above) {
            range.start = above;
        }
        Ok(self.remove_lines(vec![range]))
    }

    /// Replaces a value in a block collection.
    pub(super) fn replace_in_block(&self, old: &Node, new: &Node, holder: Holder<'_>) -> Found<Vec<Splice>> {
        let place = holder.place;
        let is_collection = match &new.value {
            Value::Map(map) => !map.is_empty(),
            Value::Seq(elements) => !elements.is_empty(),
            _ => false,
        };
        let key_end = self.colon(place.key_span.end);
        let is_block = matches!(&old.value, Value::Map(map) if !map.is_empty())
            || matches!(&old.value, Value::Seq(elements) if !elements.is_empty());
        let is_flow = matches!(self.text.get(place.value.start), Some(b'{' | b'[' | b'*'));
        let is_block = is_block && !is_flow;
        match (is_collection, is_flow && self.stays_flow(old, new)) {
            (false, _) if !is_block => Ok(vec![self.replace_scalar(place, new)]),
            (false, _) => {
                let text = self.scalar(new, Quotes::None, false, false);
                Ok(vec![(key_end..place.value.end, format!(" {text}").into_bytes())])
            }
            (true, true) => Ok(self.replace_in_flow(old, new, holder)),
            (true, false) => Ok(self.expand(new, holder, key_end, is_block)),
        }
    }

    /// Whether a collection in flow style stays in that style: one that is written out again, and `{}` that gets few texts.
    fn stays_flow(&self, old: &Node, new: &Node) -> bool {
        let is_empty = match &old.value {
            Value::Map(map) => map.is_empty(),
            Value::Seq(elements) => elements.is_empty(),
            _ => return false,
        };
        !is_empty || leaves(new) <= 2 && !has_map_in_list(new)
    }

    /// Writes a collection in block style in the place of a value.
    fn expand(&self, new: &Node, holder: Holder<'_>, key_end: usize, is_block: bool) -> Vec<Splice> {
        let Holder { place, siblings, deeper, .. } = holder;
        let column = self.column(place.key_span.start);
        let style = BlockStyle {
            step: deeper,
            list_step: self.list_step,
            keys: if holder.is_element { Quotes::None } else { self.key_quotes(siblings) },
            values: Quotes::None,
        };
        let old = place.value.start.max(key_end)..place.value.end.max(key_end);
        let line_break = self.line_break(place.key_span.start);
        if holder.is_element {
            let lines = style.element(column, self.dash_width(siblings), new);
            let text = lines.join(line_break);
            let text = text.trim_start_matches(' ').trim_start_matches('-').to_owned();
            return vec![(key_end..old.end, text.into_bytes())];
        }
        let lines = style.entry(column, place.key, new);
        let lines = lines.get(1..).unwrap_or_default();
        if is_block {
            let text: String = lines.iter().flat_map(|line| [line_break, line.as_str()]).collect();
            return vec![(key_end..old.end, text.into_bytes())];
        }
        // An anchor or a tag stays on the line of the key.
        let between = self.text.get(key_end..old.start).unwrap_or_default();
        let from = if between.trim_ascii().is_empty() { key_end } else { old.start };
        let insertion = self.insert_lines(old.end, lines);
        let removal = (from..old.end, Vec::new());
        [removal, insertion]
            .into_iter()
            .filter(|(range, new)| !(range.is_empty() && new.is_empty()))
            .collect()
    }

    /// Replaces a scalar, an alias or an empty collection by a scalar or an empty collection, with the same quotes if
    /// possible.
    pub(super) fn replace_scalar(&self, place: &Place<'_>, new: &Node) -> Splice {
        let span = place.value.clone();
        let indicator = self.text.get(span.start).copied().filter(|_| place.is_text);
        if let (Some(b'|' | b'>'), Some(text)) = (indicator, new.as_str()) {
            return (span.clone(), self.instead_of_block_scalar(place, &span, text).into_bytes());
        }
        let quotes = if place.is_text { self.quotes_at(span.start) } else { Quotes::None };
        let was_plain = place.is_text && indicator != Some(b'*');
        self.replaced(place, self.scalar(new, quotes, was_plain, false))
    }

    /// The text in the place of a block scalar: another one if the text has several lines. A comment after its indicator
    /// stays.
    fn instead_of_block_scalar(&self, place: &Place<'_>, span: &Range<usize>, text: &str) -> String {
        let old = self.text.get(span.clone()).unwrap_or_default();
        let indent = indent_of_block_scalar(old).unwrap_or(self.column(place.key_span.start) + STEP);
        let mut lines = match literal(text, indent) {
            Some(lines) if text.contains('\n') => lines,
            _ => vec![scalar::write(text, Quotes::None, false)],
        };
        let header = &old[..memchr::memchr(b'\n', old).unwrap_or(old.len())];
        if let (Some(first), Some(at)) = (lines.first_mut(), header.windows(2).position(|pair| pair == b" #"))
        {
            first.push_str(&String::from_utf8_lossy(header[at..].trim_ascii_end()));
        }
        lines.join(self.line_break(place.key_span.start))
    }

    /// The splice that writes `text` in the place of a value, which may be missing.
    pub(super) fn replaced(&self, place: &Place<'_>, text: String) -> Splice {
        let old = place.value.clone();
        let is_dash = self.text.get(place.key_span.clone()) == Some(b"-");
        match old.is_empty() {
            true if is_dash || self.colon(place.key_span.end) > place.key_span.end => {
                (old, format!(" {text}").into_bytes())
            }
            true => insert(place.key_span.end, format!(": {text}")),
            false => (old, text.into_bytes()),
        }
    }

    /// The blanks and the dash before an element on its line.
    fn dash_width(&self, places: &[Place<'_>]) -> usize {
        let width = |place: &Place<'_>| {
            let gap = self.text.get(place.key_span.end..place.value.start)?;
            (gap.iter().all(|byte| *byte == b' ') && (1..8).contains(&gap.len())).then_some(gap.len() + 1)
        };
        places.iter().find_map(width).unwrap_or(2)
    }

    /// Whether the elements of a list are separated by blank lines.
    fn is_spaced(&self, places: &[Place<'_>]) -> bool {
        let is_after_blank = |place: &Place<'_>| {
            let line = lines::start(self.text, place.key_span.start);
            line > 0 && self.is_blank(lines::start(self.text, line - 1))
        };
        places.len() > 1 && places.iter().skip(1).all(is_after_blank)
    }

    fn is_blank(&self, line: usize) -> bool {
        self.text[line..lines::next(self.text, line)].iter().all(u8::is_ascii_whitespace)
    }

    /// The position after the comments below the line of `at` that are indented deeper than `column`.
    fn after_comments(&self, mut at: usize, column: usize) -> usize {
        let mut next = lines::next(self.text, at);
        while next < self.text.len() {
            let end = lines::next(self.text, next);
            let indent = self.text[next..end].iter().position(|byte| *byte != b' ');
            match indent {
                Some(indent) if indent > column && self.text[next + indent] == b'#' => at = next,
                _ => break,
            }
            next = end;
        }
        at
    }

    /// The indentation of the block scalar with which the text of a node ends; `None` if it ends otherwise.
    fn indent_of_last_block_scalar(&self, node: &Node) -> Option<usize> {
        let last_entry =
            || node.as_map()?.iter().map(|entry| &entry.value).max_by_key(|value| value.span.start);
        if let Some(last) = node.as_seq().and_then(<[Node]>::last).or_else(last_entry) {
            return self.indent_of_last_block_scalar(last);
        }
        let text = self.text.get(node.span.start..node.span.end)?;
        indent_of_block_scalar(text).filter(|_| text.starts_with(b"|") || text.starts_with(b">"))
    }

    /// Moves the comments on the lines after `start`, up to the first other line, left to `column`, if they would belong to
    /// a block scalar with this indentation before them.
    fn comments_out_of_scalar(&self, indent: usize, column: usize, mut start: usize) -> Vec<Splice> {
        let mut splices = Vec::new();
        while start < self.text.len() {
            let end = lines::next(self.text, start);
            match self.text[start..end].iter().position(|byte| !byte.is_ascii_whitespace()) {
                Some(at) if self.text[start + at] != b'#' => break,
                Some(at) if at >= indent => splices.push((start + column..start + at, Vec::new())),
                _ => (),
            }
            start = end;
        }
        splices
    }
}

/// The indentation of the first line of a block scalar with content.
fn indent_of_block_scalar(text: &[u8]) -> Option<usize> {
    let mut lines = text.split(|&byte| byte == b'\n').skip(1);
    lines.find_map(|line| line.iter().position(|&byte| !matches!(byte, b' ' | b'\r')))
}

/// Whether a list has maps, which are written on lines of their own.
fn has_map_in_list(node: &Node) -> bool {
    node.as_seq().is_some_and(|elements| elements.iter().any(|element| element.as_map().is_some()))
}
