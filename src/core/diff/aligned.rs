//! The text of an object with the values of another one, in its own layout: what differs are the values alone, neither
//! comments nor the order of keys nor quotes.
//!
//! As in `edit`, the splices are guesses, and the caller reads the result: if it does not mean the other object, the two
//! are shown in one layout of our own.

use std::ops::Range;

use super::lists::{Pair, Pairs};
use edit::splices::Splice;
use syntax::emit::json;
use syntax::emit::scalar::{self, Quotes};
use syntax::emit::yaml::{self, KeyOrder};
use syntax::tree::{Entry, Map, Node, Span, Value};
use syntax::yaml as reader;
use syntax::yaml::scalar::{is_printable, plain_block, plain_flow};
use text::lines;

/// The splices that give `text`, which was read as `old`, the values of `new`, which was read from `other`, in the order
/// of the text. `None` if the layout of a value that differs is not known, such as that of an alias.
pub(super) fn splices(text: &[u8], old: &Node, (other, new): (&[u8], &Node)) -> Option<Vec<Splice>> {
    let mut aligner = Aligner { text, other, splices: Vec::new() };
    match (&old.value, &new.value) {
        (Value::Map(old_map), Value::Map(new_map)) => aligner.map(old, old_map, new_map)?,
        _ => return None,
    }
    // Lines that are inserted before a line come before its changes.
    aligner.splices.sort_by_key(|(range, _)| (range.start, range.end));
    Some(aligner.splices)
}

struct Aligner<'t> {
    text: &'t [u8],
    /// The text of the new values.
    other: &'t [u8],
    splices: Vec<Splice>,
}

impl Aligner<'_> {
    fn push(&mut self, range: Range<usize>, new: String) {
        self.splices.push((range, new.into_bytes()));
    }

    fn map(&mut self, node: &Node, old: &Map, new: &Map) -> Option<()> {
        if self.is_flow(node) {
            return self.flow_map(node, old, new);
        }
        let entries: Vec<&Entry> = old.iter().collect();
        entries.iter().all(|entry| is_within(entry, node)).then_some(())?;
        for (at, entry) in entries.iter().enumerate() {
            match new.get(&entry.key) {
                Some(other) => self.entry(entry, other)?,
                None if entry.value.is_null() => (),
                None => self.remove_entry(entry, entries.get(at + 1).copied())?,
            }
        }
        self.add_entries(&entries, old, new)
    }

    /// Changes the value of an entry of a block map.
    fn entry(&mut self, entry: &Entry, new: &Node) -> Option<()> {
        let old = &entry.value;
        match (&old.value, &new.value) {
            _ if old.span.start < entry.key_span.end || old.span.end > self.text.len() => {
                if old == new {
                    Some(())
                } else {
                    None
                }
            }
            (Value::Map(old_map), Value::Map(new_map))
                if self.goes_deeper(old, old_map.is_empty(), new_map.is_empty()) =>
            {
                self.map(old, old_map, new_map)
            }
            (Value::Seq(old_list), Value::Seq(new_list))
                if self.goes_deeper(old, old_list.is_empty(), new_list.is_empty()) =>
            {
                self.list(old, old_list, new_list)
            }
            _ if old == new => Some(()),
            (_, Value::Map(map)) if !map.is_empty() => self.replace_entry(entry, new),
            (_, Value::Seq(list)) if !list.is_empty() => self.replace_entry(entry, new),
            (Value::String(_), Value::String(text)) if self.text.get(old.span.start) == Some(&b'|') => {
                match self.literal(old, text) {
                    Some(literal) => self.push(self.content(old), literal),
                    None => return self.replace_entry(entry, new),
                }
                Some(())
            }
            (_, Value::String(text)) if text.contains('\n') || self.is_folded(old) => {
                self.replace_entry(entry, new)
            }
            _ if old.span.start == old.span.end || self.is_block(old) => self.replace_entry(entry, new),
            _ => {
                self.push(self.content(old), self.scalar(old, new, false));
                Some(())
            }
        }
    }

    /// Whether both collections have something, so that their entries are compared; or the old one is in flow style.
    fn goes_deeper(&self, old: &Node, old_is_empty: bool, new_is_empty: bool) -> bool {
        !(old_is_empty || new_is_empty) || self.is_flow(old) && old_is_empty == new_is_empty
    }

    fn add_entries(&mut self, entries: &[&Entry], old: &Map, new: &Map) -> Option<()> {
        let first = *entries.first()?;
        let column = self.column(first.key_span.start);
        let mut before: Option<&Entry> = None;
        for entry in new {
            if let Some(known) = old.entry(&entry.key) {
                before = Some(known);
                continue;
            }
            let text = indented(&emitted(&entry.key, &entry.value), column);
            let at = match before {
                None if self.is_on_own_line(first.key_span.start) => {
                    lines::start(self.text, first.key_span.start)
                }
                None => lines::next(self.text, self.entry_end(first)),
                Some(before) => lines::next(self.text, self.entry_end(before)),
            };
            self.push(at..at, format!("{}{text}", " ".repeat(column)));
        }
        Some(())
    }

    /// Removes the lines of an entry; if it is on the line of a dash, up to the key of the next one.
    fn remove_entry(&mut self, entry: &Entry, next: Option<&Entry>) -> Option<()> {
        let start = entry.key_span.start;
        let range = match self.is_on_own_line(start) {
            true => lines::start(self.text, start)..lines::next(self.text, self.entry_end(entry)),
            false => start..next?.key_span.start,
        };
        self.push(range, String::new());
        Some(())
    }

    /// Writes an entry anew, with its key as it is.
    fn replace_entry(&mut self, entry: &Entry, new: &Node) -> Option<()> {
        let column = self.column(entry.key_span.start);
        let key = String::from_utf8_lossy(self.text.get(entry.key_span.start..entry.key_span.end)?);
        let text = indented(emitted("k", new).strip_prefix('k')?, column);
        self.push(
            entry.key_span.start..lines::next(self.text, self.entry_end(entry)),
            format!("{key}{text}"),
        );
        Some(())
    }

    fn list(&mut self, node: &Node, old: &[Node], new: &[Node]) -> Option<()> {
        if self.is_flow(node) {
            return self.flow_list(node, old, new);
        }
        let dashes: Vec<usize> = old.iter().map(|element| self.dash(element)).collect::<Option<_>>()?;
        let column = self.column(*dashes.first()?);
        let mut end = lines::start(self.text, *dashes.first()?);
        for pair in Pairs::of(old, new).in_order() {
            match pair {
                Pair::Both(at, other) => {
                    self.element(&old[at], &new[other], dashes[at])?;
                    end = lines::next(self.text, self.end(&old[at]));
                }
                Pair::Old(at) => {
                    let next = lines::next(self.text, self.end(&old[at]));
                    self.push(lines::start(self.text, dashes[at])..next, String::new());
                    end = next;
                }
                Pair::New(at) => {
                    self.push(
                        end..end,
                        format!("{}{}", " ".repeat(column), indented(&item(&new[at]), column)),
                    );
                }
            }
        }
        Some(())
    }

    /// Changes an element of a block list.
    fn element(&mut self, old: &Node, new: &Node, dash: usize) -> Option<()> {
        match (&old.value, &new.value) {
            (Value::Map(old_map), Value::Map(new_map)) if !(old_map.is_empty() || new_map.is_empty()) => {
                self.map(old, old_map, new_map)
            }
            (Value::Seq(old_list), Value::Seq(new_list)) if self.is_flow(old) => {
                self.flow_list(old, old_list, new_list)
            }
            _ if old == new => Some(()),
            (Value::Map(_) | Value::Seq(_), _) | (_, Value::Map(_) | Value::Seq(_)) => {
                self.replace_element(old, new, dash)
            }
            (_, Value::String(text)) if text.contains('\n') => self.replace_element(old, new, dash),
            _ if self.is_folded(old) || self.is_block(old) || old.span.start == old.span.end => {
                self.replace_element(old, new, dash)
            }
            _ => {
                self.push(self.content(old), self.scalar(old, new, false));
                Some(())
            }
        }
    }

    fn replace_element(&mut self, old: &Node, new: &Node, dash: usize) -> Option<()> {
        let text = indented(&item(new), self.column(dash));
        self.push(dash..lines::next(self.text, self.end(old)), text);
        Some(())
    }

    /// The dash of an element, which has its line to itself up to the element.
    fn dash(&self, element: &Node) -> Option<usize> {
        let start = lines::start(self.text, element.span.start);
        let before = self.text.get(start..element.span.start)?;
        let blanks = before.iter().take_while(|byte| **byte == b' ').count();
        let (dash, rest) = before.get(blanks..)?.split_first()?;
        (*dash == b'-' && rest.iter().all(|byte| *byte == b' ')).then_some(start + blanks)
    }

    fn flow_map(&mut self, node: &Node, old: &Map, new: &Map) -> Option<()> {
        let same_keys = old.iter().all(|entry| new.get(&entry.key).is_some()) && old.len() == new.len();
        if !same_keys || old.iter().any(|entry| !is_within(entry, node)) {
            return self.replace_flow(node, Value::Map(new.clone()));
        }
        old.iter().try_for_each(|entry| self.flow_value(&entry.value, new.get(&entry.key)?))
    }

    fn flow_list(&mut self, node: &Node, old: &[Node], new: &[Node]) -> Option<()> {
        let is_same = |(at, pair): (usize, &Pair)| *pair == Pair::Both(at, at);
        match Pairs::of(old, new).pairs.iter().enumerate().all(is_same) {
            true => old.iter().zip(new).try_for_each(|(old, new)| self.flow_value(old, new)),
            false => self.replace_flow(node, Value::Seq(new.to_vec())),
        }
    }

    /// Writes a flow collection anew unless it has the same value.
    fn replace_flow(&mut self, node: &Node, new: Value) -> Option<()> {
        let new = Node::new(new);
        if *node != new {
            self.push(node.span.start..node.span.end, flow(&new));
        }
        Some(())
    }

    fn flow_value(&mut self, old: &Node, new: &Node) -> Option<()> {
        match (&old.value, &new.value) {
            (Value::Map(old_map), Value::Map(new_map)) if self.is_flow(old) => {
                self.flow_map(old, old_map, new_map)
            }
            (Value::Seq(old_list), Value::Seq(new_list)) if self.is_flow(old) => {
                self.flow_list(old, old_list, new_list)
            }
            _ if old == new => Some(()),
            _ if old.span.start == old.span.end => None,
            _ => {
                self.push(old.span.start..old.span.end, self.scalar(old, new, true));
                Some(())
            }
        }
    }

    /// A value on one line, in the quotes of the old one.
    fn scalar(&self, old: &Node, new: &Node, in_flow: bool) -> String {
        let quotes = match self.text.get(old.span.start) {
            Some(b'"') => Quotes::Double,
            Some(b'\'') => Quotes::Single,
            _ => Quotes::None,
        };
        match &new.value {
            Value::String(text) => written(text, quotes, in_flow),
            _ => self.as_written(new).map_or_else(|| flow(new), str::to_owned),
        }
    }

    /// The text of a number or another word.
    fn as_written(&self, new: &Node) -> Option<&str> {
        let text = std::str::from_utf8(self.other.get(new.span.start..new.span.end)?).ok()?;
        let is_word = !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._~".contains(&byte));
        let is_same = || reader::parse(text.as_bytes()).ok().flatten().is_some_and(|read| read.root == *new);
        (is_word && is_same()).then_some(text)
    }

    /// A literal block with this text and the indentation of the old one; `None` if it cannot have that form.
    fn literal(&self, old: &Node, text: &str) -> Option<String> {
        let block = std::str::from_utf8(&self.text[self.content(old)]).ok()?;
        let (header, lines) = block.split_once('\n')?;
        let first = lines.lines().find(|line| !line.trim().is_empty())?;
        let indent = first.len() - first.trim_start_matches(' ').len();
        let has_indicator = header.bytes().take_while(|byte| *byte != b' ').any(|byte| byte.is_ascii_digit());
        let starts_deeper =
            text.lines().find(|line| !line.is_empty()).is_none_or(|line| line.starts_with(' '));
        let is_written = |c: char| c == '\n' || c == '\t' || is_printable(c);
        if has_indicator || starts_deeper || !text.chars().all(is_written) {
            return None;
        }
        let chomping = match (text.ends_with('\n'), text.ends_with("\n\n")) {
            (_, true) => "+",
            (true, _) => "",
            (false, _) => "-",
        };
        let rest = header.trim_start_matches(['|', '+', '-']);
        let mut literal = format!("|{chomping}{rest}");
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            literal.push('\n');
            if !line.is_empty() {
                literal.push_str(&" ".repeat(indent));
                literal.push_str(line);
            }
        }
        Some(literal)
    }

    fn is_flow(&self, node: &Node) -> bool {
        matches!(self.text.get(node.span.start), Some(b'{' | b'['))
    }

    /// Whether a scalar is a block.
    fn is_block(&self, node: &Node) -> bool {
        matches!(self.text.get(node.span.start), Some(b'|' | b'>'))
    }

    fn is_folded(&self, node: &Node) -> bool {
        self.text.get(node.span.start) == Some(&b'>')
    }

    /// The span without a line ending at its end, which block scalars have.
    fn content(&self, node: &Node) -> Range<usize> {
        node.span.start..self.end(node)
    }

    fn end(&self, node: &Node) -> usize {
        let text = &self.text[..node.span.end.min(self.text.len())];
        let is_block =
            self.is_block(node) || !self.is_flow(node) && matches!(node.value, Value::Map(_) | Value::Seq(_));
        let trailing = text.iter().rev().take_while(|byte| is_block && byte.is_ascii_whitespace()).count();
        text.len() - trailing
    }

    fn entry_end(&self, entry: &Entry) -> usize {
        self.end(&entry.value).max(entry.key_span.end)
    }

    fn column(&self, at: usize) -> usize {
        at - lines::start(self.text, at)
    }

    fn is_on_own_line(&self, at: usize) -> bool {
        self.text[lines::start(self.text, at)..at].iter().all(|byte| *byte == b' ')
    }
}

/// Whether an entry is in the text of its map, and its value after its key, rather than from a merge or an alias.
fn is_within(entry: &Entry, map: &Node) -> bool {
    map.span.start <= entry.key_span.start && entry.key_span.end <= map.span.end
}

/// The lines of an entry in kubectl's layout.
fn emitted(key: &str, value: &Node) -> String {
    let mut map = Map::default();
    map.insert(key, Span::default(), value.clone());
    lines(&Node::new(Value::Map(map)))
}

/// The lines of an element in kubectl's layout.
fn item(value: &Node) -> String {
    lines(&Node::new(Value::Seq(vec![value.clone()])))
}

fn lines(node: &Node) -> String {
    let mut text = String::new();
    yaml::write(node, KeyOrder::AsRead, &mut text);
    text
}

/// Lines of which all but the first are moved to the right.
fn indented(lines: &str, column: usize) -> String {
    let mut text = String::with_capacity(lines.len());
    for (number, line) in lines.split_inclusive('\n').enumerate() {
        if number > 0 && line != "\n" {
            text.extend(std::iter::repeat_n(' ', column));
        }
        text.push_str(line);
    }
    text
}

/// A text on one line, in these quotes or without if it needs none.
pub(super) fn written(text: &str, quotes: Quotes, in_flow: bool) -> String {
    let is_plain = if in_flow { plain_flow(text) } else { plain_block(text) };
    if quotes == Quotes::None && is_plain { text.to_owned() } else { scalar::write(text, quotes, in_flow) }
}

/// A value in flow style.
fn flow(node: &Node) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match &node.value {
        Value::Map(map) => {
            let entry = |entry: &Entry| {
                format!("{}: {}", scalar::write(&entry.key, Quotes::None, true), flow(&entry.value))
            };
            format!("{{{}}}", joined(map.iter().map(entry).collect()))
        }
        Value::Seq(elements) => format!("[{}]", joined(elements.iter().map(flow).collect())),
        Value::String(text) => written(text, Quotes::None, true),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
            let mut text = String::new();
            json::compact(node, &mut text);
            text
        }
    }
}
