//! The position of a key in a text, and the splices that set or remove it in the style of its neighbours.
//!
//! The results are guesses: the positions of keys and values come from a reader of the text, and their style from the
//! text around them. The caller verifies the result.

use std::ops::Range;

use memchr::{memchr, memrchr};

use syntax::emit::scalar::{self, Quotes};
use syntax::tree::{Entry, Map, Node};
use syntax::yaml;
use text::lines;

use super::refusal::Refusal;
use super::splices::Splice;
use super::step::Step;
use super::tree::{Style, goes_when_empty};

/// The indentation of children if no neighbour shows another.
const STEP: usize = 2;

/// A text that has been read.
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

/// An entry of a map, by its places in the text.
pub(super) struct Place<'p> {
    pub key: &'p str,
    /// The span of the key, quotes included.
    pub key_span: Range<usize>,
    /// The span of the value; for an alias, that of the alias.
    pub value: Range<usize>,
    pub is_map: bool,
}

/// The rest of a line after a value in a flow map.
struct FlowLine {
    /// The position of the comma.
    comma: Option<usize>,
    is_commented: bool,
    /// The end of the last part.
    end: usize,
}

/// How the entries of a flow map are written.
struct Flow {
    keys: Quotes,
    values: Quotes,
    colon: String,
    /// The text between a comma and the next key.
    gap: String,
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
                Ok(vec![self.replace(&self.place(entry), value, self.is_flow(node))])
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

    /// The splice that applies `step` to a block map with these entries and a key that ends at `key_end`; `None` if the
    /// tree is needed for this, such as when none of them remains.
    pub fn splice_in_block(&self, key_end: usize, entries: &[Place<'_>], step: &Step) -> Option<Splice> {
        let found = entries.iter().find(|entry| entry.key == step.key);
        match (found, &step.value) {
            (Some(entry), Some(value)) => Some(self.replace(entry, value, false)),
            (Some(entry), None) if self.is_on_own_line(entry.key_span.start) && entries.len() > 1 => {
                self.remove_lines(vec![self.lines(entry.key_span.start, entry.value.end)]).pop()
            }
            (None, Some(value)) => {
                let place = place_of_label(entries, &step.key);
                self.create_lines(entries, place, Some(key_end), STEP, &[], (&step.key, value))
            }
            (_, None) => None,
        }
    }

    /// The splice that adds the map of `step` with its only entry to `metadata`, a block map with this key and these entries.
    pub fn splice_in_metadata(
        &self,
        key: &Range<usize>,
        fields: &[Place<'_>],
        step: &Step,
    ) -> Option<Splice> {
        let (name, value) = (*step.path.last()?, step.value.as_deref()?);
        let deeper = self.deeper(Some(key.start), fields);
        let place = place_of_field(fields, name);
        self.create_lines(fields, place, Some(key.end), deeper, &[name], (&step.key, value))
    }

    /// The splice that replaces the text of the key of `step` in a map. It is written as the old one is, so that setting
    /// that again gives the same bytes.
    ///
    /// # Errors
    ///
    /// The text stands elsewhere, or is written in a way that could not be restored; holds the position and the reason.
    pub fn replace_text(&self, map: &Node, step: &Step) -> Found<Splice> {
        let found = map.as_map().and_then(|entries| entries.entry(&step.key)).zip(step.value.as_deref());
        let Some((entry, value)) = found else { return Err((map.span.start, Refusal::NotConfirmed)) };
        if !is_within(entry, map) {
            return Err((map.span.start, Refusal::Merged(step.key.clone())));
        }
        if is_alias(entry) {
            return Err((entry.key_span.start, Refusal::Alias(step.key.clone())));
        }
        let span = entry.value.span.start..entry.value.span.end;
        let in_flow = self.is_flow(map);
        let quotes = if self.json { Quotes::Double } else { self.quotes_at(span.start) };
        let written = |text: &str| match quotes {
            Quotes::None if reads_plain(text, in_flow) => text.to_owned(),
            _ => scalar::write(text, quotes, in_flow),
        };
        let old = entry.value.as_str().map(written);
        if old.is_none_or(|old| self.text.get(span.clone()) != Some(old.as_bytes())) {
            return Err((entry.key_span.start, Refusal::Form(step.key.clone())));
        }
        Ok((span, written(value).into_bytes()))
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
        let entries = self.places(node);
        let name = rest.first().copied().unwrap_or(&step.key);
        // Merged entries have lower precedence than the entries after them.
        let merges = node.as_map().is_some_and(|map| map.len() > entries.len());
        let place = match rest {
            _ if merges => entries.len(),
            [] if step.key != "resourceVersion" => place_of_label(&entries, name),
            _ => place_of_field(&entries, name),
        };
        let Some(first) = entries.first() else {
            return Err((node.span.start, Refusal::Merged(name.to_owned())));
        };
        if self.is_flow(node) {
            let style = self.flow_style(true, &entries);
            let new = style.entry(rest, &step.key, value);
            return Ok(match place.checked_sub(1) {
                None => vec![insert(first.key_span.start, format!("{new},{}", style.gap))],
                Some(before) => self.append_in_flow(entries[before].value.end, &style.gap, &new),
            });
        }
        let parent = levels.last().map(|level| level.entry.key_span);
        let deeper = self.deeper(parent.map(|key| key.start), &entries);
        let above = parent.map(|key| key.end);
        let lines = self.create_lines(&entries, place, above, deeper, rest, (&step.key, value));
        Ok(lines.into_iter().collect())
    }

    /// A new entry in a flow map, after the value that ends at `end`. A comment stays on the line of that value.
    fn append_in_flow(&self, end: usize, gap: &str, new: &str) -> Vec<Splice> {
        match self.rest_of_flow_line(end).filter(|line| line.is_commented && gap.contains('\n')) {
            Some(FlowLine { comma: Some(_), end, .. }) => vec![insert(end, format!("{gap}{new},"))],
            Some(line) => vec![insert(end, ",".to_owned()), insert(line.end, format!("{gap}{new}"))],
            None => vec![insert(end, format!(",{gap}{new}"))],
        }
    }

    /// A new entry at `place` in a block map with these entries, whose own key ends at `above`: the key, within maps named
    /// `rest` if there are any.
    fn create_lines(
        &self,
        entries: &[Place<'_>],
        place: usize,
        above: Option<usize>,
        deeper: usize,
        rest: &[&str],
        (key, value): (&str, &str),
    ) -> Option<Splice> {
        let (first, last) = (entries.first()?.key_span.start, entries.last()?.value.end);
        let at = match (place.checked_sub(1), above) {
            (Some(before), _) => entries[before].value.end,
            (None, Some(above)) if self.is_on_own_line(first) => self.colon(above),
            (None, _) => last,
        };
        let (keys, values) = (self.key_quotes(entries), self.value_quotes(entries, place));
        let lines = block_lines(self.column(first), deeper, rest, key, value, keys, values);
        // If the last line has no line ending, it stays without one, to keep the diff small.
        let unended = lines::next(self.text, at) == self.text.len() && !self.text.ends_with(b"\n");
        match place.checked_sub(1).map(|before| entries[before].key_span.start) {
            Some(key) if unended && !rest.is_empty() && self.is_on_own_line(key) => {
                let line_break = self.line_break(at);
                let text = lines.iter().flat_map(|line| [line, line_break]).collect();
                Some(insert(lines::start(self.text, key), text))
            }
            _ => Some(self.insert_lines(at, &lines)),
        }
    }

    /// Turns the value of the last level's entry, which is null or `{}`, into a map.
    fn fill(&self, levels: &[Level<'_>], rest: &[&str], step: &Step) -> Found<Vec<Splice>> {
        let (Some(value), Some(Level { map, entry })) = (&step.value, levels.last()) else {
            return Ok(Vec::new());
        };
        let entries = self.places(map);
        let colon = self.colon(entry.key_span.end);
        let old = entry.value.span.start.max(colon)..entry.value.span.end.max(colon);
        // A filled map shows whether it was `{}` before, but not whether it was `null` or `~`.
        if entry.value.is_null() && !old.is_empty() {
            return Err((entry.key_span.start, Refusal::Null(entry.key.to_string())));
        }
        let between = self.text.get(colon..old.start).unwrap_or_default();
        // A map that is written `{}` keeps that style, and becomes `{}` again when its last key is removed.
        let stays_flow = entry.value.as_map().is_some() && self.is_flow(&entry.value);
        if self.is_flow(map) || stays_flow || !between.trim_ascii().is_empty() {
            let style = self.flow_style(self.is_flow(map), &entries);
            if stays_flow {
                let new = style.entry(rest, &step.key, value);
                // In a flow map, the blanks distinguish it from a map that did not exist before.
                let is_told = rest.is_empty() && self.is_flow(map) && old.len() == "{}".len();
                return Ok(vec![insert(old.end - 1, if is_told { format!(" {new} ") } else { new })]);
            }
            let lead = if old.is_empty() && !between.ends_with(b" ") { " " } else { "" };
            return Ok(vec![(old, format!("{lead}{}", style.map(rest, &step.key, value)).into_bytes())]);
        }
        let parent = levels.iter().rev().nth(1).map(|level| level.entry.key_span.start);
        let deeper = self.deeper(parent, &entries);
        let column = self.column(entry.key_span.start) + deeper;
        let keys = self.key_quotes(&entries);
        let lines = block_lines(column, deeper, rest, &step.key, value, keys, Quotes::None);
        let insertion = self.insert_lines(old.end, &lines);
        Ok([(colon..old.end, Vec::new()), insertion]
            .into_iter()
            .filter(|(range, new)| !(range.is_empty() && new.is_empty()))
            .collect())
    }

    /// Replaces the value of `entry`, with the same quotes if possible.
    fn replace(&self, entry: &Place<'_>, value: &str, flow: bool) -> Splice {
        let old = entry.value.clone();
        let quotes = if self.json { Quotes::Double } else { self.quotes_at(old.start) };
        let new = scalar::write(value, quotes, flow);
        match old.is_empty() {
            true if self.colon(entry.key_span.end) > entry.key_span.end => {
                (old, format!(" {new}").into_bytes())
            }
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
        let entries = self.places(map);
        let place = entries.iter().position(|other| other.key == entry.key).unwrap_or(0);
        if self.is_flow(map) {
            return Ok(self.remove_from_flow(&entries, place));
        }
        let key = entry.key_span.start;
        if !self.is_on_own_line(key) {
            let Some(next) = entries.get(place + 1) else { return Err((key, Refusal::NotConfirmed)) };
            return Ok(vec![(key..next.key_span.start, Vec::new())]);
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for Level { entry, .. } in &levels[top..] {
            let nested =
                entry.value.as_map().is_some_and(|map| !map.is_empty()) && !self.is_flow(&entry.value);
            let end = if nested { self.colon(entry.key_span.end) } else { self.place(entry).value.end };
            let range = self.lines(entry.key_span.start, end);
            match ranges.last_mut() {
                Some(last) if last.end >= range.start => last.end = range.end.max(last.end),
                _ => ranges.push(range),
            }
            if !nested {
                break;
            }
        }
        let before = place.checked_sub(1).and_then(|before| map.as_map()?.entry(entries[before].key));
        let scalar = before.and_then(|before| self.indent_of_last_block_scalar(&before.value));
        let mut splices = Vec::new();
        for (range, indent) in ranges.iter().zip(scalar.into_iter().cycle()) {
            splices.extend(self.comments_out_of_scalar(indent, self.column(key), range.end));
        }
        splices.extend(self.remove_lines(ranges));
        Ok(splices)
    }

    /// The indentation of the block scalar with which the text of a node ends; `None` if it ends otherwise.
    fn indent_of_last_block_scalar(&self, node: &Node) -> Option<usize> {
        let last_entry =
            || node.as_map()?.iter().map(|entry| &entry.value).max_by_key(|value| value.span.start);
        if let Some(last) = node.as_seq().and_then(<[Node]>::last).or_else(last_entry) {
            return self.indent_of_last_block_scalar(last);
        }
        let text = self
            .text
            .get(node.span.start..node.span.end)
            .filter(|text| text.starts_with(b"|") || text.starts_with(b">"))?;
        let mut lines = text.split(|&byte| byte == b'\n').skip(1);
        lines.find_map(|line| line.iter().position(|&byte| !matches!(byte, b' ' | b'\r')))
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

    /// Removes lines. A text without a final line ending stays without one.
    fn remove_lines(&self, mut ranges: Vec<Range<usize>>) -> Vec<Splice> {
        if let Some(last) =
            ranges.last_mut().filter(|last| last.end == self.text.len() && !self.text.ends_with(b"\n"))
        {
            last.start -= self.text[..last.start].iter().rev().take(1).filter(|&&byte| byte == b'\n').count();
            last.start -= self.text[..last.start].iter().rev().take(1).filter(|&&byte| byte == b'\r').count();
        }
        ranges.into_iter().map(|range| (range, Vec::new())).collect()
    }

    /// Removes an entry from a flow map: the whole lines, including its comment, if it has them to itself. Comments of
    /// others stay.
    fn remove_from_flow(&self, entries: &[Place<'_>], place: usize) -> Vec<Splice> {
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

    /// The entries in a map's own text, in order.
    fn places<'n>(&self, map: &'n Node) -> Vec<Place<'n>> {
        let entries = map.as_map().into_iter().flatten().filter(|entry| is_within(entry, map));
        let mut own: Vec<Place<'n>> = entries.map(|entry| self.place(entry)).collect();
        own.sort_by_key(|entry| entry.key_span.start);
        own
    }

    fn place<'n>(&self, entry: &'n Entry) -> Place<'n> {
        let key_span = entry.key_span.start..entry.key_span.end;
        let value = match is_alias(entry) {
            true => self.alias_after(key_span.end),
            false => entry.value.span.start..entry.value.span.end,
        };
        Place { key: &entry.key, key_span, value, is_map: entry.value.as_map().is_some() }
    }

    /// The span of the alias after a key.
    fn alias_after(&self, key_end: usize) -> Range<usize> {
        let rest = self.text.get(key_end..).unwrap_or_default();
        let start = key_end + memchr(b'*', rest).unwrap_or(0);
        let name = self.text[start..].iter().skip(1);
        let length =
            name.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        start..(start + 1 + length).min(self.text.len())
    }

    /// The byte after the colon of the key that ends at `key_end`; `key_end` if there is no colon.
    fn colon(&self, key_end: usize) -> usize {
        let blanks = self.text[key_end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match self.text.get(key_end + blanks) {
            Some(b':') => key_end + blanks + 1,
            _ => key_end,
        }
    }

    /// The whole lines from the one of `start` to the one of `end`.
    fn lines(&self, start: usize, end: usize) -> Range<usize> {
        lines::start(self.text, start)..lines::next(self.text, end)
    }

    fn column(&self, at: usize) -> usize {
        at - lines::start(self.text, at)
    }

    /// Whether only blanks precede `at` on its line.
    fn is_on_own_line(&self, at: usize) -> bool {
        self.text[lines::start(self.text, at)..at].iter().all(|&byte| byte == b' ')
    }

    /// The additional indentation of the children of a map's entries: as that of its own children, or as that of the
    /// map in its parent, whose key is at `parent`.
    fn deeper(&self, parent: Option<usize>, entries: &[Place<'_>]) -> usize {
        let step = |key: usize, child: usize| self.column(child).checked_sub(self.column(key));
        let child = |entry: &Place<'_>| {
            let (key, value) = (entry.key_span.start, entry.value.start);
            let is_block = entry.is_map && self.text.get(value) != Some(&b'{') && self.is_on_own_line(value);
            is_block.then(|| step(key, value)).flatten().filter(|step| *step > 0)
        };
        let own = entries.iter().find_map(child);
        own.or_else(|| step(parent?, entries.first()?.key_span.start))
            .filter(|step| (1..=16).contains(step))
            .unwrap_or(STEP)
    }

    /// Inserts whole lines after the line of `at`, with the same line ending.
    fn insert_lines(&self, at: usize, lines: &[String]) -> Splice {
        let end = lines::next(self.text, at);
        let ended = self.text[..end].ends_with(b"\n") && end > at;
        let line_break = self.line_break(at);
        let around = |line| if ended { [line, line_break] } else { [line_break, line] };
        let text = lines.iter().flat_map(|line| around(line.as_str())).collect();
        insert(end, text)
    }

    /// The line ending of the line of `at`, or of the one before it.
    fn line_break(&self, at: usize) -> &'static str {
        let last = memrchr(b'\n', &self.text[..lines::next(self.text, at)]);
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

    fn key_quotes(&self, entries: &[Place<'_>]) -> Quotes {
        entries.first().map_or(Quotes::None, |entry| self.quotes_at(entry.key_span.start))
    }

    /// The quotes for a new value at `place`: those of the value before it if all values are quoted.
    fn value_quotes(&self, entries: &[Place<'_>], place: usize) -> Quotes {
        let scalars = || entries.iter().filter(|entry| !entry.is_map);
        let quotes = |entry: &Place<'_>| self.quotes_at(entry.value.start);
        match scalars().any(|entry| quotes(entry) == Quotes::None) {
            true => Quotes::None,
            false => scalars().nth(place.saturating_sub(1)).map_or(Quotes::None, quotes),
        }
    }

    /// The style of the entries of a map, which is in flow style, or becomes a value in flow style in a block map.
    fn flow_style(&self, is_flow: bool, entries: &[Place<'_>]) -> Flow {
        let blanks_before = |at: usize| {
            let blanks = self.text[..at].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            String::from_utf8_lossy(&self.text[at - blanks..at]).into_owned()
        };
        let double = self.json.then_some(Quotes::Double);
        let colon = entries.first().map(|entry| (entry.key_span.end, self.colon(entry.key_span.end)));
        let tight =
            colon.is_some_and(|(_, end)| self.text.get(end).is_some_and(|byte| !byte.is_ascii_whitespace()));
        let spaced = colon.is_some_and(|(start, end)| self.text.get(start..end) == Some(b" :"));
        let keys = double.unwrap_or_else(|| self.key_quotes(entries));
        let keys = if tight && keys == Quotes::None { Quotes::Double } else { keys };
        let colon = format!("{}:{}", if spaced { " " } else { "" }, if tight { "" } else { " " });
        let values = double.unwrap_or_else(|| self.value_quotes(entries, entries.len()));
        let values = if values == Quotes::None && keys != Quotes::None { keys } else { values };
        let gap = match entries {
            _ if !is_flow => " ".to_owned(),
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
            [] => (key, scalar::write(value, self.values, true)),
            [first, rest @ ..] => (*first, self.map(rest, key, value)),
        };
        format!("{}{}{value}", scalar::write(name, self.keys, true), self.colon)
    }

    /// A map with that entry.
    fn map(&self, rest: &[&str], key: &str, value: &str) -> String {
        format!("{{{}}}", self.entry(rest, key, value))
    }
}

/// Whether a text without quotes is read as itself, as the value of a key in a block or flow map.
fn reads_plain(text: &str, in_flow: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._/:@+-".contains(c);
    let line = if in_flow { format!("{{k: {text}}}") } else { format!("k: {text}") };
    let read = || yaml::parse(line.as_bytes()).ok().flatten();
    text.chars().all(is_word)
        && read().is_some_and(|read| read.root.get("k").and_then(Node::as_str) == Some(text))
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

/// The number of entries before a new label: its sorted position if the entries are sorted, otherwise all.
fn place_of_label(entries: &[Place<'_>], key: &str) -> usize {
    match entries.is_sorted_by(|a, b| a.key < b.key) {
        true => entries.partition_point(|entry| entry.key < key),
        false => entries.len(),
    }
}

/// The number of entries before a new field: after the fields that it usually follows. If the fields are sorted, the
/// file was written by a program, and they stay sorted.
fn place_of_field(entries: &[Place<'_>], name: &str) -> usize {
    let leaders: &[&str] = match name {
        "metadata" => &["apiVersion", "kind"],
        "labels" | "annotations" => &["name", "generateName", "namespace", "labels"],
        _ => &[],
    };
    let sorted = place_of_label(entries, name);
    let after_leaders = entries.iter().rposition(|entry| leaders.contains(&entry.key));
    match after_leaders {
        Some(last) if sorted == 0 || sorted == entries.len() => last + 1,
        _ => sorted,
    }
}

/// The lines of a block map's new entry at `column`: the key, within maps named `rest` if there are any.
fn block_lines(
    column: usize,
    deeper: usize,
    rest: &[&str],
    key: &str,
    value: &str,
    keys: Quotes,
    values: Quotes,
) -> Vec<String> {
    let line = |depth: usize, key: &str, value: &str| {
        let indent = " ".repeat(column + depth * deeper);
        [&indent, &scalar::write(key, keys, false), ":", value].concat()
    };
    let names = rest.iter().enumerate().map(|(depth, name)| line(depth, name, ""));
    let value = [" ", &scalar::write(value, values, false)].concat();
    names.chain([line(rest.len(), key, &value)]).collect()
}
