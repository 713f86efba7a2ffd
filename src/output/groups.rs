//! Counts objects by kind, namespace, label, the cell of a column, or the values at a path.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use super::printer::RelationCells;
use super::rows::{self, Rows};
use super::{Layout, delimited, table};
use crate::catalog::object::ObjectLabels;
use crate::jsonpath::{self, JsonPath};
use crate::manifest::emit::json;
use crate::manifest::error::Error;
use crate::manifest::fields::{FieldSet, Fields};
use crate::manifest::gvk::GroupVersionKind;
use crate::manifest::object::Object;
use crate::manifest::tree::Node;

/// The cell for an object that has no value.
const NONE: &str = "<none>";

/// A property that objects are counted by.
#[derive(Clone, Debug)]
pub enum Key {
    /// The kind, as `-o name` writes it: `deployment.apps`.
    Kind,
    /// The namespace; empty for cluster-scoped kinds.
    Namespace,
    /// The file.
    Source,
    /// The value of this label.
    Label(String),
    /// The cell in the column with this header.
    Column(String),
    /// Each value at a path.
    Path(JsonPath),
}

impl Key {
    /// Parses `kind`, `namespace`, `source`, `label:KEY`, a JSONPath, or the header of a column in any case. A JSONPath
    /// begins with a dot, a bracket or a brace, or has a dot in it: `.spec.nodeName`, `spec.nodeName`.
    ///
    /// # Errors
    ///
    /// The text looks like a JSONPath and is invalid.
    pub fn parse(text: &str) -> Result<Self, jsonpath::ParseError> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "kind" => Self::Kind,
            "namespace" => Self::Namespace,
            "source" => Self::Source,
            _ if text.starts_with("label:") => Self::Label(text["label:".len()..].to_owned()),
            _ if text.contains(['.', '{', '[', '$']) => Self::Path(JsonPath::relaxed(text)?),
            _ => Self::Column(text.to_uppercase()),
        })
    }

    /// The header of its column: the last name of a path or of a label key, in uppercase.
    fn header(&self) -> String {
        match self {
            Self::Kind => "KIND".to_owned(),
            Self::Namespace => "NAMESPACE".to_owned(),
            Self::Source => "SOURCE".to_owned(),
            Self::Label(key) => rows::label_header(key),
            Self::Column(header) => header.clone(),
            Self::Path(path) => {
                let path = path.to_string();
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
                let last = path.rsplit(|c| !is_part(c)).find(|part| !part.is_empty());
                last.unwrap_or(&path).to_uppercase()
            }
        }
    }
}

/// The key as it is typed.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("kind"),
            Self::Namespace => f.write_str("namespace"),
            Self::Source => f.write_str("source"),
            Self::Label(key) => write!(f, "label:{key}"),
            Self::Column(header) => f.write_str(header),
            Self::Path(path) => f.write_str(path.to_string().trim_matches(['{', '}'])),
        }
    }
}

/// Why an object cannot be counted.
#[derive(Debug)]
pub enum CountError {
    /// Its text cannot be parsed.
    Unreadable(Error),
    /// A path cannot be evaluated for it.
    Path(jsonpath::EvalError),
}

/// The number of objects in each group, by the values of the keys in order; a value is `None` if the object has none.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    counts: HashMap<Vec<Option<String>>, u64>,
    /// The indexes of the keys whose columns occurred in any object.
    columns: Vec<usize>,
}

/// Counts objects by keys.
pub struct Counter<'c> {
    /// The fields that the paths among the keys need.
    fields: FieldSet,
    keys: Vec<Key>,
    rows: Rows<'c>,
}

impl<'c> Counter<'c> {
    /// Counts by `keys`; `rows` makes the cells of columns.
    pub fn new(keys: Vec<Key>, rows: Rows<'c>) -> Self {
        let mut fields = FieldSet::default();
        for key in &keys {
            if let Key::Path(path) = key {
                path.add_fields(&mut fields);
            }
        }
        Self { fields, keys, rows }
    }

    /// Counts `object`, which is in `namespace`. If a path finds several values, the object is counted once in the
    /// group of each.
    ///
    /// # Errors
    ///
    /// A column or a path needs more of the object than can be read.
    pub fn add(&self, object: &Object<'_>, namespace: &str, groups: &mut Groups) -> Result<(), CountError> {
        let mut values: Vec<Vec<Option<String>>> = Vec::with_capacity(self.keys.len());
        for (number, key) in self.keys.iter().enumerate() {
            values.push(self.values(number, key, object, namespace, groups)?);
        }
        if values.iter().all(|values| values.len() == 1) {
            groups.add(values.into_iter().flatten().collect(), 1);
            return Ok(());
        }
        let mut combined = vec![Vec::new()];
        for values in values {
            let with = |group: &Vec<Option<String>>| {
                let group = group.clone();
                values
                    .iter()
                    .map(move |value| [&group[..], std::slice::from_ref(value)].concat())
                    .collect::<Vec<_>>()
            };
            combined = combined.iter().flat_map(with).collect();
        }
        combined.into_iter().for_each(|group| groups.add(group, 1));
        Ok(())
    }

    /// The distinct values of an object for a key; a single `None` if there are none.
    fn values(
        &self,
        number: usize,
        key: &Key,
        object: &Object<'_>,
        namespace: &str,
        groups: &mut Groups,
    ) -> Result<Vec<Option<String>>, CountError> {
        let head = object.head;
        let one = match key {
            Key::Kind => Some(GroupVersionKind::new(head.api_version, head.kind).lower()),
            Key::Namespace => Some(namespace).filter(|name| !name.is_empty()).map(str::to_owned),
            Key::Source => Some(object.place().source.to_string()),
            Key::Label(key) => ObjectLabels(head).get(key).map(str::to_owned),
            Key::Column(header) => {
                let cell = self
                    .rows
                    .cell(object, namespace, &RelationCells::default(), header)
                    .map_err(CountError::Unreadable)?;
                if cell.is_some() && !groups.columns.contains(&number) {
                    groups.columns.push(number);
                }
                cell.filter(|cell| cell != NONE)
            }
            Key::Path(path) => {
                let tree = object.fields(Fields::only(&self.fields)).map_err(CountError::Unreadable)?;
                return Ok(texts(path.find(&tree).map_err(CountError::Path)?));
            }
        };
        Ok(vec![one])
    }

    /// The columns among the keys that no object has.
    pub fn unknown_columns<'s>(&'s self, groups: &'s Groups) -> impl Iterator<Item = &'s str> {
        let unmet = |number: &usize| !groups.columns.contains(number);
        self.keys.iter().enumerate().filter(move |(number, _)| unmet(number)).filter_map(|(_, key)| match key
        {
            Key::Column(header) => Some(header.as_str()),
            _ => None,
        })
    }

    /// Writes the counts as a table, the largest first.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_table(
        &self,
        groups: &Groups,
        layout: Layout,
        headers: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let names = std::iter::once("COUNT".to_owned()).chain(self.keys.iter().map(Key::header));
        let names: Vec<String> = names.map(|name| table::cell(name.into()).into_owned()).collect();
        let headers = headers.then_some(&names[..]);
        let groups = groups.sorted();
        let rows: Vec<Vec<Cow<'_, str>>> = groups.iter().map(|(group, count)| row(group, *count)).collect();
        match layout {
            Layout::Plain | Layout::Wide => table::write(headers, &rows, None, out),
            Layout::Csv | Layout::CsvWide => delimited::csv(headers, &rows, out),
            Layout::Markdown | Layout::MarkdownWide => delimited::markdown(headers, &rows, out),
        }
    }

    /// Writes the counts as a JSON array, the largest first, such as `{"count": 2, "by": {"kind": "pod"}}`, with null
    /// for missing values.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, groups: &Groups, out: &mut dyn Write) -> io::Result<()> {
        let mut text = String::from("[");
        for (number, (group, count)) in groups.sorted().into_iter().enumerate() {
            let separator = if number > 0 { "," } else { "" };
            text.push_str(&format!("{separator}\n    {{\"count\": {count}, \"by\": {{"));
            for (number, (key, value)) in self.keys.iter().zip(group).enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                json::string(&key.to_string(), &mut text);
                text.push_str(": ");
                match value {
                    Some(value) => json::string(value, &mut text),
                    None => text.push_str("null"),
                }
            }
            text.push_str("}}");
        }
        text.push_str(if groups.counts.is_empty() { "]\n" } else { "\n]\n" });
        out.write_all(text.as_bytes())
    }
}

/// The distinct results; a single `None` if there are none.
fn texts(found: Vec<Vec<Cow<'_, Node>>>) -> Vec<Option<String>> {
    let values = found.into_iter().flatten().filter(|value| !value.is_null());
    let mut texts: Vec<Option<String>> = values.map(|value| Some(jsonpath::text_of(&value))).collect();
    texts.sort_unstable();
    texts.dedup();
    if texts.is_empty() { vec![None] } else { texts }
}

fn row(group: &[Option<String>], count: u64) -> Vec<Cow<'_, str>> {
    let cells = group.iter().map(|value| table::cell(value.as_deref().unwrap_or(NONE).into()));
    std::iter::once(Cow::from(count.to_string())).chain(cells).collect()
}

impl Groups {
    fn add(&mut self, group: Vec<Option<String>>, count: u64) {
        *self.counts.entry(group).or_default() += count;
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: Self) {
        other.counts.into_iter().for_each(|(group, count)| self.add(group, count));
        let new = other.columns.into_iter().filter(|number| !self.columns.contains(number));
        let new: Vec<usize> = new.collect();
        self.columns.extend(new);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The groups, the largest first, and those of equal size in the order of their values.
    fn sorted(&self) -> Vec<(&Vec<Option<String>>, u64)> {
        let mut groups: Vec<_> = self.counts.iter().map(|(group, count)| (group, *count)).collect();
        groups.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        groups
    }
}
