//! The position of a key in a text, and the splices that set or remove it in the style of its neighbours.
//!
//! The results are guesses about parsed text: the spans in the tree give the positions of keys and values, and the text
//! around them their style. The caller verifies the result.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::manifest::tree::{Entry, Map, Node};
use crate::manifest::yaml::scalar;

use super::Splice;
use super::change::Step;
use super::refusal::Refusal;
use super::tree::{Style, goes_when_empty};

/// The indentation of children if no neighbour shows another.
const STEP: usize = 2;

/// A text with the tree that it is.
pub(super) struct Layout<'t> {
    pub text: &'t [u8],
    /// Whether it is JSON, where all keys and values are quoted.
    pub json: bool,
}

/// A map on the way to the key, with the entry that leads on.
#[derive(Clone, Copy)]
struct Level<'n> {
    map: &'n Node,
    entry: &'n Entry,
}

type Found<T> = Result<T, (usize, Refusal)>;

/// How a scalar is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// Unquoted, if possible.
    None,
    Single,
    Double,
}

/// How the entries of a flow map are written.
struct Flow {
    keys: Quotes,
    values: Quotes,
    colon: String,
    /// The text between a comma and the next key.
    gap: String,
}

/// Applies `splices` to the text; `None` if they overlap.
pub(super) fn splice(text: &[u8], mut splices: Vec<Splice>) -> Option<Vec<u8>> {
    splices.sort_by_key(|(range, _)| range.start);
    let mut spliced = Vec::with_capacity(text.len() + 64 * splices.len());
    let mut copied = 0;
    for (range, new) in splices {
        spliced.extend_from_slice(text.get(copied..range.start)?);
        spliced.extend_from_slice(&new);
        copied = range.end;
    }
    spliced.extend_from_slice(text.get(copied..)?);
    Some(spliced)
}

impl Layout<'_> {
    /// The splices that apply `step` to `object`, which it changes.
    ///
    /// # Errors
    ///
    /// The edit cannot be made; holds the position and the reason.
    pub fn splices(&self, object: &Node, step: &Step) -> Found<Vec<Splice>> {
        let mut levels = Vec::new();
        let mut node = object;
        for (depth, name) in step.path.iter().enumerate() {
            let map = self.map(node, levels.last())?;
            let Some(entry) = map.entry(name) else {
                return self.create(&levels, node, &step.path[depth..], step);
            };
            if !is_within(entry, node) {
                return Err((node.span.start, Refusal::Merged((*name).to_owned())));
            }
            if is_alias(entry) {
                return Err((entry.key_span.start, Refusal::Alias((*name).to_owned())));
            }
            levels.push(Level { map: node, entry });
            let empty = entry.value.is_null() || entry.value.as_map().is_some_and(Map::is_empty);
            if empty && !self.has_merge(&entry.value) {
                return self.fill(&levels, &step.path[depth + 1..], step);
            }
            node = &entry.value;
        }
        let map = self.map(node, levels.last())?;
        match (map.entry(&step.key), &step.value) {
            (Some(entry), Some(value)) if is_within(entry, node) => {
                Ok(vec![self.replace(node, entry, value)])
            }
            (Some(entry), None) if is_within(entry, node) => {
                levels.push(Level { map: node, entry });
                self.remove(&levels, step)
            }
            (Some(_), None) => Err((node.span.start, Refusal::Merged(step.key.clone()))),
            (_, Some(_)) => self.create(&levels, node, &[], step),
            (None, None) => Ok(Vec::new()),
        }
    }

    fn map<'n>(&self, node: &'n Node, level: Option<&Level<'n>>) -> Found<&'n Map> {
        let key = || level.map_or_else(String::new, |level| level.entry.key.to_string());
        node.as_map().ok_or_else(|| (node.span.start, Refusal::NotAMap(key())))
    }

    /// Whether a map without entries of its own has content in the text, such as `<<: {}`.
    fn has_merge(&self, node: &Node) -> bool {
        let text = self.text.get(node.span.start..node.span.end).unwrap_or_default();
        node.as_map().is_some()
            && text.iter().any(|byte| !matches!(byte, b'{' | b'}' | b' ' | b'\t' | b'\r' | b'\n'))
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text.get(node.span.start) == Some(&b'{')
    }

    /// A new entry in the map `node`: the key, within maps named `rest` if there are any.
    fn create(&self, levels: &[Level<'_>], node: &Node, rest: &[&str], step: &Step) -> Found<Vec<Splice>> {
        let Some(value) = &step.value else { return Ok(Vec::new()) };
        let entries = own_entries(node);
        let name = rest.first().copied().unwrap_or(&step.key);
        // Merged entries have lower precedence than the entries after them.
        let merges = node.as_map().is_some_and(|map| map.len() > entries.len());
        let place = match rest {
            _ if merges => entries.len(),
            [] if step.key != "resourceVersion" => place_of_label(&entries, name),
            _ => place_of_field(&entries, name),
        };
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Err((node.span.start, Refusal::Merged(name.to_owned())));
        };
        if self.is_flow(node) {
            let style = self.flow_style(node, &entries);
            let new = style.entry(rest, &step.key, value);
            return Ok(vec![match place {
                0 => insert(first.key_span.start, format!("{new},{}", style.gap)),
                _ => insert(self.value_end(entries[place - 1]), format!(",{}{new}", style.gap)),
            }]);
        }
        let column = self.column(first.key_span.start);
        let deeper = self.deeper(levels, &entries, column);
        let on_own_line = self.is_on_own_line(first.key_span.start);
        let keys = self.key_quotes(entries.iter());
        let values = self.value_quotes(entries.iter(), place);
        let at = match (place, levels.last()) {
            (0, Some(level)) if on_own_line => self.colon(level.entry),
            (0, _) => self.value_end(last),
            _ => self.value_end(entries[place - 1]),
        };
        let indent = self.indent(first.key_span.start);
        let lines = block_lines(&indent, deeper, rest, &step.key, value, keys, values);
        // If the last line has no line ending, it stays without one, to keep the diff small.
        let unended = self.line_end(at) == self.text.len() && !self.text.ends_with(b"\n");
        match place.checked_sub(1).map(|before| entries[before].key_span.start) {
            Some(key) if unended && !rest.is_empty() && self.is_on_own_line(key) => {
                let line_break = self.line_break(at);
                let text = lines.iter().map(|line| format!("{line}{line_break}")).collect();
                Ok(vec![insert(self.line_start(key), text)])
            }
            _ => Ok(vec![self.insert_lines(at, &lines)]),
        }
    }

    /// Turns the value of the last level's entry, which is null or `{}`, into a map.
    fn fill(&self, levels: &[Level<'_>], rest: &[&str], step: &Step) -> Found<Vec<Splice>> {
        let (Some(value), Some(Level { map, entry })) = (&step.value, levels.last()) else {
            return Ok(Vec::new());
        };
        let entries = own_entries(map);
        let colon = self.colon(entry);
        let old = entry.value.span.start.max(colon)..entry.value.span.end.max(colon);
        let between = self.text.get(colon..old.start).unwrap_or_default();
        // A map that is written `{}` keeps that style, and becomes `{}` again when its last key is removed.
        let stays_flow = entry.value.as_map().is_some() && self.is_flow(&entry.value);
        if self.is_flow(map) || stays_flow || !between.trim_ascii().is_empty() {
            let style = self.flow_style(map, &entries);
            if stays_flow {
                let new = style.entry(rest, &step.key, value);
                // In a flow map, blanks tell it from one that was not there. In JSON nobody expects them.
                let is_told = rest.is_empty() && self.is_flow(map) && old.len() == "{}".len() && !self.json;
                return Ok(vec![insert(old.end - 1, if is_told { format!(" {new} ") } else { new })]);
            }
            let lead = if old.is_empty() && !between.ends_with(b" ") { " " } else { "" };
            return Ok(vec![(old, format!("{lead}{}", style.map(rest, &step.key, value)).into_bytes())]);
        }
        let column = self.column(entry.key_span.start);
        let deeper = self.deeper(&levels[..levels.len() - 1], &entries, column);
        let indent = format!("{}{}", self.indent(entry.key_span.start), " ".repeat(deeper));
        let keys = self.key_quotes(entries.iter());
        let lines = block_lines(&indent, deeper, rest, &step.key, value, keys, Quotes::None);
        let insertion = self.insert_lines(old.end, &lines);
        Ok([(colon..old.end, Vec::new()), insertion]
            .into_iter()
            .filter(|(range, new)| !(range.is_empty() && new.is_empty()))
            .collect())
    }

    /// Replaces the value of `entry`, with the same quotes if possible.
    fn replace(&self, node: &Node, entry: &Entry, value: &str) -> Splice {
        let flow = self.is_flow(node);
        let old = self.value_range(entry);
        let quotes = if self.json { Quotes::Double } else { self.quotes_at(old.start) };
        let new = scalar_text(value, quotes, flow);
        match old.is_empty() {
            true if self.colon(entry) > entry.key_span.end => (old, format!(" {new}").into_bytes()),
            true => insert(entry.key_span.end, format!(": {new}")),
            false => (old, new.into_bytes()),
        }
    }

    /// Removes the entry of the last level, and the maps that it leaves empty.
    ///
    /// *Compatibility* (last-label): kubectl leaves `labels: {}`.
    fn remove(&self, levels: &[Level<'_>], step: &Step) -> Found<Vec<Splice>> {
        // The number of levels to remove: the innermost, and enclosing ones that hold nothing else.
        let goes = |depth: &usize| {
            let map_is_empty = levels[*depth].map.as_map().is_some_and(|map| map.len() == 1);
            let (name, rest) = (step.path.get(depth.wrapping_sub(1)), &step.path[*depth..]);
            let style = |level: Option<&Level<'_>>| {
                level.map_or(Style::Block, |level| Style::of(level.map, self.text))
            };
            let (own, around) = (style(levels.get(*depth)), style(levels.get(depth.wrapping_sub(1))));
            map_is_empty && name.is_some_and(|name| goes_when_empty(name, rest, own, around))
        };
        let mut top = levels.len() - 1;
        while goes(&top) {
            top -= 1;
        }
        let Level { map, entry } = levels[top];
        let entries = own_entries(map);
        let place = entries.iter().position(|other| other.key == entry.key).unwrap_or(0);
        let next = entries.get(place + 1);
        let before = place.checked_sub(1).and_then(|before| entries.get(before));
        if self.is_flow(map) {
            let range = match (before, next) {
                (Some(before), _) => self.value_end(before)..self.value_end(entry),
                (None, Some(next)) => entry.key_span.start..next.key_span.start,
                (None, None) => self.only_entry(entry),
            };
            return Ok(vec![(range, Vec::new())]);
        }
        if !self.is_on_own_line(entry.key_span.start) {
            let Some(next) = next else { return Err((entry.key_span.start, Refusal::NotConfirmed)) };
            return Ok(vec![(entry.key_span.start..next.key_span.start, Vec::new())]);
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for Level { entry, .. } in &levels[top..] {
            let start = self.line_start(entry.key_span.start);
            let nested =
                entry.value.as_map().is_some_and(|map| !map.is_empty()) && !self.is_flow(&entry.value);
            let end = if nested { self.colon(entry) } else { self.value_end(entry) };
            let range = start..self.line_end(end);
            match ranges.last_mut() {
                Some(last) if last.end >= range.start => last.end = range.end.max(last.end),
                _ => ranges.push(range),
            }
            if !nested {
                break;
            }
        }
        // A text without a final line ending stays without one.
        if let Some(last) =
            ranges.last_mut().filter(|last| last.end == self.text.len() && !self.text.ends_with(b"\n"))
        {
            last.start -= self.text[..last.start].iter().rev().take(1).filter(|&&byte| byte == b'\n').count();
            last.start -= self.text[..last.start].iter().rev().take(1).filter(|&&byte| byte == b'\r').count();
        }
        Ok(ranges.into_iter().map(|range| (range, Vec::new())).collect())
    }

    /// The only entry of a flow map, with the comma after it, and the blanks around it if there is one on each side.
    fn only_entry(&self, entry: &Entry) -> Range<usize> {
        let (start, mut end) = (entry.key_span.start, self.value_end(entry));
        let blanks = |at: usize| self.text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = end + blanks(end);
        if self.text.get(next) == Some(&b',') {
            end = next + 1;
        }
        let is_spaced = self.text[..start].ends_with(b"{ ") && self.text[end..].starts_with(b" }");
        if is_spaced { start - 1..end + 1 } else { start..end }
    }

    /// The range of an entry's value; for an alias, the range of the alias.
    fn value_range(&self, entry: &Entry) -> Range<usize> {
        if !is_alias(entry) {
            let colon = self.colon(entry);
            return entry.value.span.start.max(colon)..entry.value.span.end.max(colon);
        }
        let rest = self.text.get(entry.key_span.end..).unwrap_or_default();
        let start = entry.key_span.end + memchr(b'*', rest).unwrap_or(0);
        let name = self.text[start..].iter().skip(1);
        let length =
            name.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        start..(start + 1 + length).min(self.text.len())
    }

    fn value_end(&self, entry: &Entry) -> usize {
        self.value_range(entry).end
    }

    /// The byte after the colon of an entry's key; the end of the key if there is no colon.
    fn colon(&self, entry: &Entry) -> usize {
        let end = entry.key_span.end.min(self.text.len());
        let blanks = self.text[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match self.text.get(end + blanks) {
            Some(b':') => end + blanks + 1,
            _ => end,
        }
    }

    fn line_start(&self, at: usize) -> usize {
        memrchr(b'\n', &self.text[..at.min(self.text.len())]).map_or(0, |end| end + 1)
    }

    /// The start of the next line, or the end of the text.
    fn line_end(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |end| at + end + 1)
    }

    fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// The indentation of the column of `at`.
    fn indent(&self, at: usize) -> String {
        " ".repeat(self.column(at))
    }

    /// Whether only blanks precede `at` on its line.
    fn is_on_own_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].iter().all(|&byte| byte == b' ')
    }

    /// The additional indentation of the children of a map's entries: as that of its own children, or as that of the
    /// map in its parent.
    fn deeper(&self, levels: &[Level<'_>], entries: &[&Entry], column: usize) -> usize {
        let child = |entry: &&Entry| {
            let map = entry.value.as_map().filter(|map| !map.is_empty() && !is_alias(entry))?;
            let first = map.iter().map(|entry| entry.key_span.start).min()?;
            let block = !self.is_flow(&entry.value) && first > entry.key_span.end;
            Some(self.column(first))
                .filter(|column| {
                    block && self.is_on_own_line(first) && *column > self.column(entry.key_span.start)
                })
                .map(|column| column - self.column(entry.key_span.start))
        };
        let in_parent =
            || levels.last().map(|level| column.saturating_sub(self.column(level.entry.key_span.start)));
        entries
            .iter()
            .find_map(child)
            .or_else(in_parent)
            .filter(|step| (1..=16).contains(step))
            .unwrap_or(STEP)
    }

    /// Inserts whole lines after the line of `at`, with the same line ending.
    fn insert_lines(&self, at: usize, lines: &[String]) -> Splice {
        let end = self.line_end(at);
        let ended = self.text[..end].ends_with(b"\n") && end > at;
        let line_break = self.line_break(at);
        let text = match ended {
            true => lines.iter().map(|line| format!("{line}{line_break}")).collect::<String>(),
            false => lines.iter().map(|line| format!("{line_break}{line}")).collect::<String>(),
        };
        insert(end, text)
    }

    /// The line ending of the line of `at`, or of the one before it.
    fn line_break(&self, at: usize) -> &'static str {
        let last = memrchr(b'\n', &self.text[..self.line_end(at)]);
        match last.is_some_and(|at| self.text[..at].ends_with(b"\r")) {
            true => "\r\n",
            false => "\n",
        }
    }

    fn quotes_at(&self, at: usize) -> Quotes {
        match self.text.get(at) {
            Some(b'"') => Quotes::Double,
            Some(b'\'') => Quotes::Single,
            _ => Quotes::None,
        }
    }

    fn key_quotes<'e>(&self, mut entries: impl Iterator<Item = &'e &'e Entry>) -> Quotes {
        entries.next().map_or(Quotes::None, |entry| self.quotes_at(entry.key_span.start))
    }

    /// The quotes for a new value at `place`: those of the value before it if all values are quoted.
    fn value_quotes<'e>(&self, entries: impl Iterator<Item = &'e &'e Entry>, place: usize) -> Quotes {
        let quotes: Vec<Quotes> = entries
            .filter(|entry| entry.value.as_map().is_none())
            .map(|entry| self.quotes_at(self.value_range(entry).start))
            .collect();
        match quotes.contains(&Quotes::None) {
            true => Quotes::None,
            false => quotes.get(place.saturating_sub(1)).copied().unwrap_or(Quotes::None),
        }
    }

    /// The style of the entries in the flow map `node`.
    fn flow_style(&self, node: &Node, entries: &[&Entry]) -> Flow {
        let blanks_before = |at: usize| {
            let blanks = self.text[..at].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            String::from_utf8_lossy(&self.text[at - blanks..at]).into_owned()
        };
        let double = self.json.then_some(Quotes::Double);
        let tight = entries.first().is_some_and(|entry| {
            self.text.get(self.colon(entry)).is_some_and(|byte| !byte.is_ascii_whitespace())
        });
        let keys = double.unwrap_or_else(|| self.key_quotes(entries.iter()));
        let keys = if tight && keys == Quotes::None { Quotes::Double } else { keys };
        let spaced = |entry: &&Entry| self.text.get(entry.key_span.end..self.colon(entry)) == Some(b" :");
        let colon = format!(
            "{}:{}",
            if entries.first().is_some_and(spaced) { " " } else { "" },
            if tight { "" } else { " " }
        );
        let values = double.unwrap_or_else(|| self.value_quotes(entries.iter(), entries.len()));
        let values = if values == Quotes::None && keys != Quotes::None { keys } else { values };
        let block = !self.is_flow(node);
        let gap = match entries {
            _ if block => " ".to_owned(),
            [_, second, ..] => blanks_before(second.key_span.start),
            [only] if blanks_before(only.key_span.start).contains('\n') => blanks_before(only.key_span.start),
            _ if tight => String::new(),
            _ => " ".to_owned(),
        };
        Flow { keys, values, colon, gap }
    }
}

impl Flow {
    /// An entry `key: value`, within maps named `rest` if there are any. New maps are on one line, to keep the diff
    /// small.
    fn entry(&self, rest: &[&str], key: &str, value: &str) -> String {
        let (name, value) = match rest {
            [] => (key, scalar_text(value, self.values, true)),
            [first, rest @ ..] => (*first, self.map(rest, key, value)),
        };
        format!("{}{}{value}", scalar_text(name, self.keys, true), self.colon)
    }

    /// A map with that entry.
    fn map(&self, rest: &[&str], key: &str, value: &str) -> String {
        format!("{{{}}}", self.entry(rest, key, value))
    }
}

fn insert(at: usize, text: String) -> Splice {
    (at..at, text.into_bytes())
}

/// Whether an entry is in the text of its map, rather than from a merge.
fn is_within(entry: &Entry, map: &Node) -> bool {
    map.span.start <= entry.key_span.start && entry.key_span.end <= map.span.end
}

/// Whether the value of an entry is an alias: then it has the span of the anchored value, which precedes it.
fn is_alias(entry: &Entry) -> bool {
    entry.value.span.start < entry.key_span.start
}

/// The entries in a map's own text, in order.
fn own_entries(map: &Node) -> Vec<&Entry> {
    let entries = map.as_map().into_iter().flatten();
    let mut own: Vec<&Entry> = entries.filter(|entry| is_within(entry, map)).collect();
    own.sort_by_key(|entry| entry.key_span.start);
    own
}

/// The number of entries before a new label: its sorted position if the entries are sorted, otherwise all.
fn place_of_label(entries: &[&Entry], key: &str) -> usize {
    match entries.is_sorted_by(|a, b| a.key < b.key) {
        true => entries.partition_point(|entry| entry.key.as_str() < key),
        false => entries.len(),
    }
}

/// The number of entries before a new field: after the fields that it usually follows. If the fields are sorted, the
/// file was written by a program, and they stay sorted.
fn place_of_field(entries: &[&Entry], name: &str) -> usize {
    let leaders: &[&str] = match name {
        "metadata" => &["apiVersion", "kind"],
        "labels" | "annotations" => &["name", "generateName", "namespace", "labels"],
        _ => &[],
    };
    let sorted = place_of_label(entries, name);
    let after_leaders = entries.iter().rposition(|entry| leaders.contains(&entry.key.as_str()));
    match after_leaders {
        Some(last) if sorted == 0 || sorted == entries.len() => last + 1,
        _ => sorted,
    }
}

/// The lines of a block map's new entry, in maps of the names `rest` if there are any.
fn block_lines(
    indent: &str,
    deeper: usize,
    rest: &[&str],
    key: &str,
    value: &str,
    keys: Quotes,
    values: Quotes,
) -> Vec<String> {
    let at = |depth: usize| format!("{indent}{}", " ".repeat(depth * deeper));
    let names = rest
        .iter()
        .enumerate()
        .map(|(depth, name)| format!("{}{}:", at(depth), scalar_text(name, keys, false)));
    let entry =
        format!("{}{}: {}", at(rest.len()), scalar_text(key, keys, false), scalar_text(value, values, false));
    names.chain([entry]).collect()
}

/// A text as a scalar on one line, in these quotes where they can hold it.
fn scalar_text(text: &str, quotes: Quotes, flow: bool) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let plain = match flow {
        _ if text.chars().all(simple) => scalar::plain_label(text),
        true => scalar::plain_flow_key(text),
        false => scalar::plain_block_key(text),
    };
    match quotes {
        Quotes::None if plain => text.to_owned(),
        Quotes::Single if text.chars().all(scalar::is_printable) && !text.contains('\n') => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double_quoted(text),
    }
}

/// A text in double quotes, with escapes that YAML and JSON both read.
fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Beyond the first plane JSON would need a pair of escapes, which YAML does not read.
            c if scalar::is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}') || c as u32 > 0xffff => {
                quoted.push(c)
            }
            c => quoted.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}
