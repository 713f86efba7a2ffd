//! The splices that turn the text of a value into that of another one, in the style of the neighbours.
//!
//! [`Layout::changes`] walks through both trees and goes to the places where they differ; `block.rs` and `flow.rs` change
//! the collections there, and `render.rs` writes new values. The results are guesses: the positions of keys and values
//! come from a reader of the text, and their style from the text around them. The caller verifies the result.

mod block;
mod flow;
mod render;

use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr, memrchr};

use syntax::emit::scalar::{self, Quotes};
use syntax::tree::{Entry, Map, Node, Value};
use text::lines;

use super::difference::{Paired, paired};
use super::refusal::{NOT_CONFIRMED, Refused};
use super::splices::Splice;

/// The indentation of children if no neighbour shows another.
const STEP: usize = 2;

/// A text that has been read.
pub struct Layout<'t> {
    /// The text.
    pub text: &'t [u8],
    /// Whether it is JSON, where all keys and strings are quoted.
    pub json: bool,
    /// The indentation of lists in block maps, relative to their keys.
    pub list_step: usize,
}

/// The splices of a change that cannot be divided.
#[derive(Debug)]
pub struct Group {
    /// The first byte of the collection that is changed.
    pub collection: usize,
    /// What it takes.
    pub splices: Vec<Splice>,
    /// The key of the alias that the collection stands for, and its position; `None` if it is in its own place.
    pub alias: Option<(usize, String)>,
}

/// The result, or why a change cannot be made.
pub(super) type Found<T> = Result<T, Refused>;

impl Group {
    fn of(collection: usize, splices: Vec<Splice>, alias: Option<(usize, &str)>) -> Self {
        Self { collection, splices, alias: alias.map(|(at, key)| (at, key.to_owned())) }
    }
}

/// An entry of a map or an element of a list, by its places in the text.
#[derive(Clone, Debug)]
pub struct Place<'p> {
    /// The key; empty for an element.
    pub key: &'p str,
    /// The span of the key, quotes included, or of the dash of an element; in a flow list, the value again.
    pub key_span: Range<usize>,
    /// The span of the value; for an alias, that of the alias.
    pub value: Range<usize>,
    /// Whether it is a map.
    pub is_map: bool,
    /// Whether it is a string.
    pub is_text: bool,
}

/// Where a value is: its place in its collection, and the collection.
#[derive(Clone, Copy)]
struct Holder<'h> {
    place: &'h Place<'h>,
    /// The places of the collection.
    siblings: &'h [Place<'h>],
    /// Whether the collection is in flow style.
    in_flow: bool,
    is_element: bool,
    /// The indentation of the children of the collection's entries.
    deeper: usize,
    /// The first byte of the collection.
    collection: usize,
    /// The key of the alias that led to the collection, and its position.
    alias: Option<(usize, &'h str)>,
}

impl<'t> Layout<'t> {
    /// The layout of a text with this value.
    pub fn new(text: &'t [u8], json: bool, root: &Node) -> Self {
        let mut layout = Self { text, json, list_step: 0 };
        layout.list_step = layout.list_step_in(root).unwrap_or(0);
        layout
    }

    /// The changes that turn the value `old` of the text into `new`.
    ///
    /// # Errors
    ///
    /// A change cannot be made; holds the position and the reason.
    pub fn changes(&self, old: &Node, new: &Node) -> Found<Vec<Group>> {
        let mut groups = Vec::new();
        let has_same_form = match (&old.value, &new.value) {
            (Value::Map(_), Value::Map(map)) => !map.is_empty(),
            (Value::Seq(_), Value::Seq(elements)) => !elements.is_empty(),
            _ => old == new,
        };
        if !has_same_form {
            return Err(Refused::new(old.span.start, NOT_CONFIRMED));
        }
        self.inside(old, new, None, &mut groups)?;
        // A value and its aliases that all become the same are changed once.
        let mut seen = HashSet::new();
        let is_first: Vec<bool> = groups.iter().map(|group| seen.insert(&group.splices)).collect();
        let mut is_first = is_first.into_iter();
        groups.retain(|_| is_first.next() == Some(true));
        Ok(groups)
    }

    /// The splices that remove each of these repeated keys, as far as `node` has it as the last one of its name.
    pub(super) fn repetitions(&self, node: &Node, starts: &HashSet<usize>, found: &mut Vec<Vec<Splice>>) {
        match &node.value {
            Value::Seq(elements) => {
                elements.iter().for_each(|element| self.repetitions(element, starts, found));
            }
            Value::Map(map) => {
                let places = self.places(node);
                for (at, place) in places.iter().enumerate() {
                    let start = place.key_span.start;
                    if !starts.contains(&start) {
                        continue;
                    }
                    // Another one is before it, so that a comma is.
                    let before = self.text[..start].trim_ascii_end();
                    found.extend(match self.is_flow(node) {
                        true if before.ends_with(b",") => {
                            Some(vec![(before.len() - 1..place.value.end, Vec::new())])
                        }
                        true => None,
                        false => self.remove_from_block(node, &places, at).ok(),
                    });
                }
                map.iter().for_each(|entry| self.repetitions(&entry.value, starts, found));
            }
            _ => (),
        }
    }

    /// Adds the changes within a collection that remains one. `parent` is its place.
    fn inside(
        &self,
        old: &Node,
        new: &Node,
        parent: Option<Holder<'_>>,
        groups: &mut Vec<Group>,
    ) -> Found<()> {
        match (&old.value, &new.value) {
            (Value::Map(before), Value::Map(after)) => self.map(old, (before, after), parent, groups),
            (Value::Seq(before), Value::Seq(after)) => self.seq(old, (before, after), parent, groups),
            _ => Ok(()),
        }
    }

    fn map(
        &self,
        node: &Node,
        (before, after): (&Map, &Map),
        parent: Option<Holder<'_>>,
        groups: &mut Vec<Group>,
    ) -> Found<()> {
        let places = self.places(node);
        let in_flow = self.is_flow(node);
        let deeper = self.deeper(parent.map(|parent| parent.place.key_span.start), &places);
        let collection = node.span.start;
        let alias = parent.and_then(|parent| parent.alias);
        let mut push = |splices| groups.push(Group::of(collection, splices, alias));
        let renamed = renamed(before, after);
        let is_renamed = |new: &Entry| renamed.iter().any(|other| std::ptr::eq(*other, new));
        let mut nested = Vec::new();
        let mut added = Vec::new();
        for entry in before {
            let start = entry.key_span.start;
            let place = places.binary_search_by_key(&start, |place| place.key_span.start).ok();
            let place = place.filter(|_| is_within(entry, node));
            let other = renamed.iter().find(|other| other.key_span.start == start);
            if let (Some(other), Some(_)) = (other, place) {
                let quotes = if self.json { Quotes::Double } else { self.quotes_at(start) };
                let key = scalar::write(&other.key, quotes, true);
                push(vec![(start..entry.key_span.end, key.into_bytes())]);
            }
            let same = || after.entry(&entry.key).filter(|new| !is_renamed(new));
            let new = other.copied().or_else(same).map(|new| &new.value);
            if new == Some(&entry.value) {
                continue;
            }
            match (new, place) {
                (Some(new), Some(at)) => nested.push((at, &entry.value, new)),
                // What a map says itself has precedence over what is merged.
                (Some(new), None) => added.push((entry.key.as_str(), new)),
                (None, Some(at)) if in_flow => push(self.remove_from_flow(&places, at)),
                (None, Some(at)) => push(self.remove_from_block(node, &places, at)?),
                (None, None) => return Err(Refused::merged(node.span.start, &entry.key)),
            }
        }
        let is_added = |new: &&Entry| before.get(&new.key).is_none() && !is_renamed(new);
        added.extend(after.iter().filter(is_added).map(|new| (&*new.key, &new.value)));
        let has_merges = before.len() > places.len();
        if !added.is_empty() && places.is_empty() {
            return Err(Refused::merged(node.span.start, added[0].0));
        }
        // What is added at the end of the last value is before what is added after it.
        for (at, old, new) in nested {
            let place = &places[at];
            let holder =
                Holder { place, siblings: &places, in_flow, is_element: false, deeper, collection, alias };
            self.value(old, new, holder, groups)?;
        }
        let is_free = parent.is_some_and(|parent| FREE_MAPS.contains(&parent.place.key));
        for (at, key, value) in placed(&places, added, is_free, has_merges) {
            let splices = match in_flow {
                true => self.add_to_flow(&places, at, Some(key), value),
                false => self.add_to_block(&places, at, parent, deeper, (key, value)),
            };
            groups.push(Group::of(collection, splices, alias));
        }
        Ok(())
    }

    fn seq(
        &self,
        node: &Node,
        (before, after): (&[Node], &[Node]),
        parent: Option<Holder<'_>>,
        groups: &mut Vec<Group>,
    ) -> Found<()> {
        let in_flow = self.text.get(node.span.start) == Some(&b'[');
        let places = match in_flow {
            true => self.flow_elements(node, before),
            false => self.block_elements(node, before),
        };
        let Some(places) = places else {
            return Err(Refused::new(node.span.start, NOT_CONFIRMED));
        };
        let collection = node.span.start;
        let alias = parent.and_then(|parent| parent.alias);
        let deeper = self.deeper(parent.map(|parent| parent.place.key_span.start), &[]);
        let mut previous = None;
        for pair in paired(before, after) {
            match pair {
                Paired::Both(at, new) => {
                    previous = Some(at);
                    let place = &places[at];
                    let holder = Holder {
                        place,
                        siblings: &places,
                        in_flow,
                        is_element: true,
                        deeper,
                        collection,
                        alias,
                    };
                    self.value(&before[at], &after[new], holder, groups)?;
                }
                Paired::Removed(at) => {
                    previous = Some(at);
                    let splices = match in_flow {
                        true => self.remove_from_flow(&places, at),
                        false => self.remove_element(&places, at)?,
                    };
                    groups.push(Group::of(collection, splices, alias));
                }
                Paired::Added(at) => {
                    let at_place = previous.map_or(0, |previous| previous + 1);
                    let splices = match in_flow {
                        true => self.add_to_flow(&places, at_place, None, &after[at]),
                        false => self.add_element(&places, at_place, deeper, &after[at]),
                    };
                    groups.push(Group::of(collection, splices, alias));
                }
            }
        }
        Ok(())
    }

    /// Adds the changes of a value: those within it if it remains a collection, otherwise its replacement.
    fn value(&self, old: &Node, new: &Node, holder: Holder<'_>, groups: &mut Vec<Group>) -> Found<()> {
        if old == new {
            return Ok(());
        }
        if remains(old, new) && !self.only_merges(old) {
            // What is changed at an anchor is refused later if it is not meant for all of its aliases.
            let is_alias = self.text.get(holder.place.value.start) == Some(&b'*');
            let own = is_alias.then_some((holder.place.key_span.start, holder.place.key));
            return self.inside(old, new, Some(Holder { alias: own.or(holder.alias), ..holder }), groups);
        }
        let is_flow = matches!(self.text.get(old.span.start), Some(b'{' | b'['));
        let only = if is_flow && is_emptied(old, new) { self.only_place(old) } else { None };
        if let Some(only) = only.filter(|_| self.text.get(holder.place.value.start) != Some(&b'*')) {
            // The blanks between the brackets stay.
            groups.push(Group::of(holder.collection, self.remove_from_flow(&[only], 0), holder.alias));
            return Ok(());
        }
        let splices = match holder.in_flow || self.json {
            true => self.replace_in_flow(old, new, holder),
            false => self.replace_in_block(old, new, holder)?,
        };
        groups.push(Group::of(holder.collection, splices, holder.alias));
        Ok(())
    }

    /// The place of the only entry or element of a flow collection; `None` if there are several, or it is not in the text.
    fn only_place<'n>(&self, node: &'n Node) -> Option<Place<'n>> {
        match &node.value {
            Value::Map(map) if map.len() == 1 => self.places(node).pop(),
            Value::Seq(elements) if elements.len() == 1 => self.flow_elements(node, elements)?.pop(),
            _ => None,
        }
    }

    /// Whether a map has no entries of its own but content in the text, such as `<<: *base`.
    fn only_merges(&self, node: &Node) -> bool {
        node.as_map().is_some_and(|map| !map.iter().any(|entry| is_within(entry, node)))
    }

    /// The first list in block style that is the value of a key, and its indentation relative to the key.
    fn list_step_in(&self, node: &Node) -> Option<usize> {
        match &node.value {
            Value::Map(map) => map.iter().filter(|entry| is_within(entry, node)).find_map(|entry| {
                let value = &entry.value;
                let is_list = value.as_seq().is_some_and(|elements| !elements.is_empty())
                    && self.text.get(value.span.start) == Some(&b'-')
                    && !is_alias(entry);
                let step = || self.column(value.span.start).checked_sub(self.column(entry.key_span.start));
                let own = if is_list { step().filter(|step| *step <= 16) } else { None };
                own.or_else(|| self.list_step_in(value))
            }),
            Value::Seq(elements) => elements.iter().find_map(|element| self.list_step_in(element)),
            _ => None,
        }
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text.get(node.span.start) == Some(&b'{')
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
        let (is_map, is_text) = (entry.value.as_map().is_some(), entry.value.as_str().is_some());
        Place { key: &entry.key, key_span, value, is_map, is_text }
    }

    /// The elements of a list in flow style; `None` if they are not found in the text.
    fn flow_elements(&self, node: &Node, elements: &[Node]) -> Option<Vec<Place<'static>>> {
        let mut end = node.span.start + 1;
        let place = |element: &Node| {
            let value = self.element_value(element, end)?;
            end = value.end;
            let (is_map, is_text) = (element.as_map().is_some(), element.as_str().is_some());
            Some(Place { key: "", key_span: value.clone(), value, is_map, is_text })
        };
        elements.iter().map(place).collect()
    }

    /// The elements of a list in block style; `None` if their dashes are not found in the text.
    fn block_elements(&self, node: &Node, elements: &[Node]) -> Option<Vec<Place<'static>>> {
        let column = self.column(node.span.start);
        let mut end = node.span.start;
        let place = |element: &Node| {
            let dash = self.dash(end, column)?;
            let value = self.element_value(element, dash + 1)?;
            end = value.end.max(dash + 1);
            let (is_map, is_text) = (element.as_map().is_some(), element.as_str().is_some());
            Some(Place { key: "", key_span: dash..dash + 1, value, is_map, is_text })
        };
        elements.iter().map(place).collect()
    }

    /// The first dash in this column at or after `from`, on lines without other content before it.
    fn dash(&self, from: usize, column: usize) -> Option<usize> {
        let mut line = lines::start(self.text, from);
        while line < self.text.len() {
            let next = lines::next(self.text, line);
            let at = line + column;
            if at >= from && at < next && self.text.get(at) == Some(&b'-') {
                return Some(at);
            }
            line = next;
        }
        None
    }

    /// The span of an element's value, which starts at or after `from`; of an alias, that of the alias.
    fn element_value(&self, element: &Node, from: usize) -> Option<Range<usize>> {
        let span = element.span.start..element.span.end;
        if span.start >= from {
            return Some(span);
        }
        let alias = self.alias_after(from);
        (alias.len() > 1).then_some(alias)
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

    /// The byte after the colon of the key that ends at `key_end`; `key_end` if there is no colon, as after a dash.
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
        let scalars = || entries.iter().filter(|entry| entry.is_text);
        let quotes = |entry: &Place<'_>| self.quotes_at(entry.value.start);
        match scalars().any(|entry| quotes(entry) == Quotes::None) {
            true => Quotes::None,
            false => scalars().nth(place.saturating_sub(1)).map_or(Quotes::None, quotes),
        }
    }
}

fn insert(at: usize, text: String) -> Splice {
    (at..at, text.into_bytes())
}

/// The entries that have another key than in the text: the span of their key is that of another one.
fn renamed<'n>(before: &Map, after: &'n Map) -> Vec<&'n Entry> {
    let has_moved = |new: &&Entry| {
        let is_in_text = new.key_span.start < new.key_span.end;
        is_in_text && before.entry(&new.key).is_none_or(|old| old.key_span != new.key_span)
    };
    let mut renamed: Vec<&Entry> = after.iter().filter(has_moved).collect();
    if !renamed.is_empty() {
        let spans: HashSet<(usize, usize)> =
            before.iter().map(|entry| (entry.key_span.start, entry.key_span.end)).collect();
        renamed.retain(|new| spans.contains(&(new.key_span.start, new.key_span.end)));
    }
    renamed
}

/// Whether a value remains a collection with something of what it has, so that it is changed inside.
fn remains(old: &Node, new: &Node) -> bool {
    match (&old.value, &new.value) {
        (Value::Map(old), Value::Map(new)) => {
            old.iter().any(|entry| new.get(&entry.key).is_some()) || !renamed(old, new).is_empty()
        }
        (Value::Seq(old), Value::Seq(new)) => {
            paired(old, new).iter().any(|pair| matches!(pair, Paired::Both(..)))
        }
        _ => false,
    }
}

/// Whether a collection becomes an empty one of the same sort.
fn is_emptied(old: &Node, new: &Node) -> bool {
    match (&old.value, &new.value) {
        (Value::Map(_), Value::Map(new)) => new.is_empty(),
        (Value::Seq(_), Value::Seq(new)) => new.is_empty(),
        _ => false,
    }
}

/// Whether an entry is in the text of its map, rather than from a merge.
pub fn is_within(entry: &Entry, map: &Node) -> bool {
    map.span.start <= entry.key_span.start && entry.key_span.end <= map.span.end
}

/// Whether the value of an entry is an alias: then it has the span of the anchored value, which precedes it.
pub fn is_alias(entry: &Entry) -> bool {
    entry.value.span.start < entry.key_span.start
}

/// Maps whose keys are chosen by users, so that no key has a usual place.
const FREE_MAPS: [&str; 8] =
    ["labels", "annotations", "matchLabels", "nodeSelector", "data", "stringData", "limits", "requests"];

/// The fields that a field usually follows; none for fields that come first.
const LEADERS: [(&str, &[&str]); 11] = [
    ("metadata", &["apiVersion", "kind"]),
    ("labels", &["name", "generateName", "namespace"]),
    ("annotations", &["name", "generateName", "namespace", "labels"]),
    ("spec", &["metadata"]),
    ("replicas", &[]),
    ("image", &["name"]),
    ("env", &["name", "image", "imagePullPolicy", "command", "args", "workingDir", "ports", "envFrom"]),
    (
        "resources",
        &["name", "image", "imagePullPolicy", "command", "args", "workingDir", "ports", "envFrom", "env"],
    ),
    ("pathType", &["path"]),
    ("value", &["name"]),
    ("valueFrom", &["name"]),
];

/// The new entries of a map, each with the number of entries before it.
fn placed<'n>(
    entries: &[Place<'_>],
    added: Vec<(&'n str, &'n Node)>,
    is_free: bool,
    has_merges: bool,
) -> Vec<(usize, &'n str, &'n Node)> {
    let is_sorted = is_sorted(entries);
    let place = |(key, value): (&'n str, &'n Node)| {
        let at = match is_free {
            // Merged entries have lower precedence than the entries after them.
            _ if has_merges => entries.len(),
            true => place_in(entries, is_sorted, key),
            false => place_of_field(entries, is_sorted, key),
        };
        (at, key, value)
    };
    let mut placed: Vec<_> = added.into_iter().map(place).collect();
    match is_free && is_sorted {
        true => placed.sort_by_key(|(at, key, _)| (*at, *key)),
        false => placed.sort_by_key(|(at, ..)| *at),
    }
    placed
}

/// Whether entries are in the order of their keys, so that new ones are put in that order.
pub(super) fn is_sorted(entries: &[Place<'_>]) -> bool {
    entries.is_sorted_by(|a, b| a.key < b.key)
}

/// The number of entries before a new one: its position if they are sorted, otherwise all.
pub(super) fn place_in(entries: &[Place<'_>], is_sorted: bool, key: &str) -> usize {
    match is_sorted {
        true => entries.partition_point(|entry| entry.key < key),
        false => entries.len(),
    }
}

/// The number of entries before a new field: after the fields that it usually follows. If the fields are sorted, the
/// file was written by a program, and they stay sorted.
pub(super) fn place_of_field(entries: &[Place<'_>], is_sorted: bool, name: &str) -> usize {
    let sorted = place_in(entries, is_sorted, name);
    let Some((_, leaders)) = LEADERS.iter().find(|(field, _)| *field == name) else { return sorted };
    let is_unsorted = sorted == 0 || sorted == entries.len();
    match entries.iter().rposition(|entry| leaders.contains(&entry.key)) {
        Some(last) if is_unsorted => last + 1,
        None if is_unsorted && leaders.is_empty() => 0,
        _ => sorted,
    }
}
