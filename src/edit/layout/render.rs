//! How new values are written: as lines in block style, or between brackets in flow style.

use syntax::emit::json;
use syntax::emit::scalar::{self, Quotes};
use syntax::tree::{Node, Value};
use syntax::yaml::scalar::is_printable;

/// The columns between a dash and the value after it, if no neighbour shows another.
const DASH: usize = 2;

/// How the entries of a block collection are written.
#[derive(Clone, Copy)]
pub struct BlockStyle {
    /// The additional indentation of nested maps, and of lists in maps.
    pub step: usize,
    pub list_step: usize,
    pub keys: Quotes,
    pub values: Quotes,
}

impl BlockStyle {
    /// The lines of a map's entry at `column`.
    pub fn entry(self, column: usize, key: &str, value: &Node) -> Vec<String> {
        let start = format!("{}{}:", " ".repeat(column), scalar::write(key, self.keys, false));
        let mut lines = vec![start.clone()];
        match &value.value {
            Value::Map(map) if !map.is_empty() => {
                let entries = map.iter();
                lines.extend(
                    entries.flat_map(|entry| self.entry(column + self.step.max(1), &entry.key, &entry.value)),
                );
            }
            Value::Seq(elements) if !elements.is_empty() => {
                let elements = elements.iter();
                lines.extend(
                    elements.flat_map(|element| self.element(column + self.list_step, DASH, element)),
                );
            }
            _ => lines = joined(&format!("{start} "), self.scalar(value, column + self.step)),
        }
        lines
    }

    /// The lines of a list's element whose dash is at `column`, and whose value is `width` columns after it.
    pub fn element(self, column: usize, width: usize, value: &Node) -> Vec<String> {
        let inner = column + width;
        let lines = match &value.value {
            Value::Map(map) if !map.is_empty() => {
                map.iter().flat_map(|entry| self.entry(inner, &entry.key, &entry.value)).collect()
            }
            Value::Seq(elements) if !elements.is_empty() => {
                elements.iter().flat_map(|element| self.element(inner, DASH, element)).collect()
            }
            _ => joined(&" ".repeat(inner), self.scalar(value, inner)),
        };
        let start = format!("{}-{}", " ".repeat(column), " ".repeat(width - 1));
        let mut lines: Vec<String> = lines;
        if let Some(first) = lines.first_mut() {
            first.replace_range(..inner, &start);
        }
        lines
    }

    /// The lines of a scalar or an empty collection, the first of which follows its key.
    fn scalar(self, value: &Node, indent: usize) -> Vec<String> {
        let of_lines = value.as_str().filter(|text| text.contains('\n'));
        of_lines
            .and_then(|text| literal(text, indent))
            .unwrap_or_else(|| vec![flow_scalar(value, self.values, false)])
    }
}

/// The lines with `start` before the first of them.
fn joined(start: &str, mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, start);
    }
    lines
}

/// The lines of a literal block scalar; `None` if it would need an indentation indicator or cannot hold the text.
pub fn literal(text: &str, indent: usize) -> Option<Vec<String>> {
    let (content, chomping) = text.strip_suffix('\n').map_or((text, "-"), |content| (content, ""));
    let is_simple =
        !content.starts_with([' ', '\n']) && !content.ends_with(['\n', ' ']) && !content.is_empty();
    if !is_simple || indent == 0 || !content.chars().all(|c| c == '\n' || is_printable(c)) {
        return None;
    }
    let line = |line: &str| match line.is_empty() {
        true => String::new(),
        false => format!("{}{line}", " ".repeat(indent)),
    };
    Some([format!("|{chomping}")].into_iter().chain(content.split('\n').map(line)).collect())
}

/// A scalar or an empty collection on one line.
pub fn flow_scalar(node: &Node, quotes: Quotes, in_flow: bool) -> String {
    match &node.value {
        Value::String(text) => scalar::write(text, quotes, in_flow),
        Value::Map(_) => "{}".to_owned(),
        Value::Seq(_) => "[]".to_owned(),
        _ => json::text(node),
    }
}

/// How the entries of a flow collection are written.
pub struct Flow {
    pub keys: Quotes,
    pub values: Quotes,
    pub colon: &'static str,
    /// The text between a comma and the next entry or element.
    pub gap: String,
    /// How collections are divided into lines; `None` if they are on one.
    pub lines: Option<FlowLines>,
}

/// The line breaks of a flow collection, with the indentation after them.
#[derive(Clone)]
pub struct FlowLines {
    /// Before each entry.
    pub gap: String,
    /// Before the closing bracket.
    pub close: String,
    /// The additional indentation of nested collections.
    pub unit: String,
    /// Whether a comma follows the last entry, as in KYAML, where a collection with a single scalar is divided as well.
    pub trailing: bool,
}

impl FlowLines {
    fn deeper(&self) -> Self {
        Self { gap: format!("{}{}", self.gap, self.unit), close: self.gap.clone(), ..self.clone() }
    }
}

impl Flow {
    /// An entry `key: value`.
    pub fn entry(&self, key: &str, value: &Node) -> String {
        self.nested_entry(key, value, self.lines.as_ref())
    }

    /// A value.
    pub fn value(&self, node: &Node) -> String {
        self.nested(node, self.lines.as_ref())
    }

    fn nested_entry(&self, key: &str, value: &Node, lines: Option<&FlowLines>) -> String {
        format!("{}{}{}", scalar::write(key, self.keys, true), self.colon, self.nested(value, lines))
    }

    fn nested(&self, node: &Node, lines: Option<&FlowLines>) -> String {
        let lines = lines.filter(|lines| lines.trailing || leaves(node) > 1);
        let deeper = lines.map(FlowLines::deeper);
        match &node.value {
            Value::Map(map) if !map.is_empty() => {
                let entries = map.iter();
                let entries =
                    entries.map(|entry| self.nested_entry(&entry.key, &entry.value, deeper.as_ref()));
                self.between('{', &entries.collect::<Vec<_>>(), '}', lines)
            }
            Value::Seq(elements) if !elements.is_empty() => {
                // KYAML keeps the brackets of lists and their maps on one line.
                let is_joined = lines.is_some_and(|lines| lines.trailing)
                    && elements.iter().all(|element| element.as_map().is_some());
                let (own, inner) = if is_joined { (None, lines) } else { (lines, deeper.as_ref()) };
                let elements: Vec<_> = elements.iter().map(|element| self.nested(element, inner)).collect();
                self.between('[', &elements, ']', own)
            }
            _ => flow_scalar(node, self.values, true),
        }
    }

    fn between(&self, open: char, parts: &[String], close: char, lines: Option<&FlowLines>) -> String {
        let Some(lines) = lines else {
            let comma = if self.colon.ends_with(' ') { ", " } else { "," };
            return format!("{open}{}{close}", parts.join(comma));
        };
        let FlowLines { gap, close: end, trailing, .. } = lines;
        let trailing = if *trailing { "," } else { "" };
        format!("{open}{gap}{}{trailing}{end}{close}", parts.join(&format!(",{gap}")))
    }
}

/// The number of scalars in a value.
pub fn leaves(node: &Node) -> usize {
    match &node.value {
        Value::Map(map) => map.iter().map(|entry| leaves(&entry.value)).sum(),
        Value::Seq(elements) => elements.iter().map(leaves).sum(),
        _ => 1,
    }
}
