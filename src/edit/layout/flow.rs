//! Collections in flow style, JSON included: entries and elements between commas.

use std::ops::Range;

use memchr::memchr;

use super::render::{Flow, FlowLines, flow_scalar};
use super::{Holder, Layout, Place, insert};
use crate::splices::Splice;
use syntax::emit::scalar::Quotes;
use syntax::tree::{Map, Node, Value};
use syntax::yaml::{self, scalar::means_itself};
use text::lines;

/// The rest of a line after a value in a flow collection.
struct FlowLine {
    /// The position of the comma.
    comma: Option<usize>,
    is_commented: bool,
    /// The end of the last part.
    end: usize,
}

impl Layout<'_> {
    /// A new entry, or an element if it has no key, after the first `at` of these.
    pub(super) fn add_to_flow(
        &self,
        places: &[Place<'_>],
        at: usize,
        key: Option<&str>,
        value: &Node,
    ) -> Vec<Splice> {
        let Some(first) = places.first() else { return Vec::new() };
        let style = self.flow_style(true, places, key.is_none());
        let new = match key {
            Some(key) => style.entry(key, value),
            None => style.value(value),
        };
        match at.checked_sub(1) {
            None => vec![insert(first.key_span.start, format!("{new},{}", style.gap))],
            Some(before) => self.append_in_flow(places[before].value.end, &style.gap, &new),
        }
    }

    /// A new entry in a flow map, after the value that ends at `end`. A comment stays on the line of that value.
    fn append_in_flow(&self, end: usize, gap: &str, new: &str) -> Vec<Splice> {
        match self.rest_of_flow_line(end).filter(|line| line.is_commented && gap.contains('\n')) {
            Some(FlowLine { comma: Some(_), end, .. }) => vec![insert(end, format!("{gap}{new},"))],
            Some(line) => vec![insert(end, ",".to_owned()), insert(line.end, format!("{gap}{new}"))],
            None => vec![insert(end, format!(",{gap}{new}"))],
        }
    }

    /// Replaces a value in a flow collection, or one that is written in flow style.
    pub(super) fn replace_in_flow(&self, old: &Node, new: &Node, holder: Holder<'_>) -> Vec<Splice> {
        let Holder { place, siblings, in_flow, is_element, .. } = holder;
        let style = self.flow_style(in_flow || self.json, siblings, is_element);
        let is_filled = old.as_map().is_some_and(Map::is_empty) && place.value.len() >= 2;
        if let Some(map) = new.as_map().filter(|map| is_filled && !map.is_empty()) {
            let entries = map.iter().map(|entry| style.entry(&entry.key, &entry.value));
            let new = entries.collect::<Vec<_>>().join(", ");
            let is_flat = map.iter().all(|entry| !matches!(entry.value.value, Value::Map(_) | Value::Seq(_)));
            // In a flow map, the blanks distinguish it from a map that did not exist before.
            let is_told = is_flat && in_flow && place.value.len() == "{}".len();
            let new = if is_told { format!(" {new} ") } else { new };
            return vec![insert(place.value.end - 1, new)];
        }
        let text = match &new.value {
            Value::Map(_) | Value::Seq(_) => style.value(new),
            _ => {
                let quotes = if place.is_text { self.quotes_at(place.value.start) } else { style.values };
                self.scalar(new, quotes, place.is_text, true)
            }
        };
        vec![self.replaced(place, text)]
    }

    /// A scalar or an empty collection as it is written in the place of another one; a string without quotes stays so
    /// if that is read as itself.
    pub(super) fn scalar(&self, new: &Node, quotes: Quotes, was_plain: bool, in_flow: bool) -> String {
        match new.as_str() {
            Some(text) if was_plain && quotes == Quotes::None && !self.json && reads_plain(text, in_flow) => {
                text.to_owned()
            }
            _ => flow_scalar(new, if self.json { Quotes::Double } else { quotes }, in_flow),
        }
    }

    /// Removes an entry from a flow map: the whole lines, including its comment, if it has them to itself. Comments of
    /// others stay.
    pub(super) fn remove_from_flow(&self, entries: &[Place<'_>], place: usize) -> Vec<Splice> {
        let entry = &entries[place];
        let before = place.checked_sub(1).map(|before| &entries[before]);
        let own =
            self.rest_of_flow_line(entry.value.end).filter(|_| self.is_on_own_line(entry.key_span.start));
        let is_commented =
            |before: &Place<'_>| self.text[before.value.end..entry.key_span.start].contains(&b'#');
        let range = match (before, entries.get(place + 1), &own) {
            (_, _, Some(_)) => self.lines(entry.key_span.start, entry.value.end),
            (Some(before), ..) if !is_commented(before) => {
                return vec![(before.value.end..entry.value.end, Vec::new())];
            }
            (_, Some(next), None) => entry.key_span.start..next.key_span.start,
            (Some(_), None, None) => entry.key_span.start..entry.value.end,
            (None, None, None) => self.only_entry(entry),
        };
        // The entry before the last one gets no comma if the last one had none.
        let comma =
            before.filter(|_| own.is_none_or(|own| own.comma.is_none()) && place + 1 == entries.len());
        let comma = comma.and_then(|before| self.rest_of_flow_line(before.value.end)?.comma);
        let comma = comma.map(|at| (at..at + 1, Vec::new()));
        comma.into_iter().chain([(range, Vec::new())]).collect()
    }

    /// The rest of a line after a value in a flow map; `None` if it is more than a comma and a comment.
    fn rest_of_flow_line(&self, value_end: usize) -> Option<FlowLine> {
        let line = &self.text[value_end..lines::next(self.text, value_end)];
        let rest = line.trim_ascii();
        let (has_comma, rest) =
            rest.strip_prefix(b",").map_or((false, rest), |rest| (true, rest.trim_ascii()));
        let comma = memchr(b',', line).filter(|_| has_comma).map(|at| value_end + at);
        let is_commented = rest.starts_with(b"#");
        let end = value_end + line.trim_ascii_end().len();
        (rest.is_empty() || is_commented).then_some(FlowLine { comma, is_commented, end })
    }

    /// The only entry of a flow map, with the comma after it, and the blanks around it if there is one on each side.
    fn only_entry(&self, entry: &Place<'_>) -> Range<usize> {
        let (start, mut end) = (entry.key_span.start, entry.value.end);
        let blanks = |at: usize| self.text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = end + blanks(end);
        if self.text.get(next) == Some(&b',') {
            end = next + 1;
        }
        let is_spaced = self.text[..start].ends_with(b"{ ") && self.text[end..].starts_with(b" }");
        if is_spaced { start - 1..end + 1 } else { start..end }
    }

    /// The style of a flow collection with these entries or elements, or of a value in flow style in a block collection.
    fn flow_style(&self, is_flow: bool, places: &[Place<'_>], of_elements: bool) -> Flow {
        let colon = match of_elements {
            false => places.first().map(|entry| (entry.key_span.end, self.colon(entry.key_span.end))),
            true => self.colon_in(places),
        };
        let is_blank = |at: usize| self.text.get(at).is_none_or(u8::is_ascii_whitespace);
        let is_tight = colon.is_some_and(|(_, end)| !is_blank(end))
            || colon.is_none() && places.get(1).is_some_and(|second| !is_blank(second.value.start - 1));
        let is_spaced = colon.is_some_and(|(start, end)| self.text.get(start..end) == Some(b" :"));
        let values = self.value_quotes(places, places.len());
        let keys = match of_elements {
            true => values,
            false => self.key_quotes(places),
        };
        let keys = if is_tight && keys == Quotes::None { Quotes::Double } else { keys };
        let values = if values == Quotes::None && keys != Quotes::None { keys } else { values };
        let gap = match places {
            _ if !is_flow => " ".to_owned(),
            [_, second, ..] => self.blanks_before(second.key_span.start),
            [only] if self.blanks_before(only.key_span.start).contains('\n') => {
                self.blanks_before(only.key_span.start)
            }
            _ if is_tight => String::new(),
            _ => " ".to_owned(),
        };
        let colon = match (is_spaced, is_tight) {
            (false, false) => ": ",
            (false, true) => ":",
            (true, false) => " : ",
            (true, true) => " :",
        };
        let lines = if is_flow { self.flow_lines(places, &gap) } else { None };
        match self.json {
            true => Flow { keys: Quotes::Double, values: Quotes::Double, colon, gap, lines },
            false => Flow { keys, values, colon, gap, lines },
        }
    }

    /// The end of the first key in these elements, and of the colon after it.
    fn colon_in(&self, places: &[Place<'_>]) -> Option<(usize, usize)> {
        let map = places.iter().find(|place| place.is_map)?;
        let at = map.value.start + memchr(b':', self.text.get(map.value.clone())?)?;
        Some((at, at + 1))
    }

    fn blanks_before(&self, at: usize) -> String {
        let blanks = self.text[..at].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        String::from_utf8_lossy(&self.text[at - blanks..at]).into_owned()
    }

    /// How new collections among these entries, which are separated by `gap`, are divided into lines: as one of their
    /// neighbours, or as what they are in.
    fn flow_lines(&self, places: &[Place<'_>], gap: &str) -> Option<FlowLines> {
        let unit = |gap: &str, close: &str| gap.strip_prefix(close).unwrap_or("  ").to_owned();
        let of_neighbour = |place: &Place<'_>| {
            let text = self.text.get(place.value.clone())?;
            if !matches!(text, [b'{' | b'[', .., b'}' | b']']) {
                return None;
            }
            let blanks = |byte: &&u8| byte.is_ascii_whitespace();
            let first = text.get(1..)?.iter().take_while(blanks).count();
            let gap = String::from_utf8_lossy(text.get(1..1 + first)?).into_owned();
            let close = self.blanks_before(place.value.end - 1);
            let trailing = text[..text.len() - 1 - close.len()].ends_with(b",");
            let unit = unit(&gap, &close);
            gap.contains('\n').then_some(FlowLines { gap, close, unit, trailing })
        };
        if let Some(lines) = places.iter().find_map(of_neighbour) {
            return Some(lines);
        }
        let last = places.last().filter(|_| gap.contains('\n'))?.value.end;
        let rest = self.text.get(last..)?;
        let trailing = rest.trim_ascii_start().starts_with(b",");
        let rest = rest.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest);
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let close = String::from_utf8_lossy(&rest[..blanks]).into_owned();
        let unit = unit(gap, &close);
        Some(FlowLines { gap: format!("{gap}{unit}"), close: gap.to_owned(), unit, trailing })
    }
}

/// Whether a text without quotes is read as itself, as the value of a key in a block or flow map.
fn reads_plain(text: &str, in_flow: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._/:@+-".contains(c);
    let line = if in_flow { format!("{{k: {text}}}") } else { format!("k: {text}") };
    let read = || yaml::parse(line.as_bytes()).ok().flatten();
    text.chars().all(is_word)
        && means_itself(text)
        && read().is_some_and(|read| read.root.get("k").and_then(Node::as_str) == Some(text))
}
