//! The formats of `diff`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::changed_object::ChangedObject;
use crate::cli::{DiffArgs, DiffFormat};
use ::text::difference::PATIENCE;
use ::text::go;
use kselect_core::diff::paths::{Difference, differences};
use kselect_core::diff::{Change, hunks, text};
use kselect_core::output::{color as palette, json_array, table};
use syntax::emit::json;
use syntax::tree::Node;

/// The maximum number of fields that the table shows for an object.
const FIELDS: usize = 4;

/// A change, as tables, names and JSON show it.
pub(super) struct ChangeLine {
    change: Change,
    object: ChangedObject,
    paths: Vec<Difference>,
}

/// Prints changes in one of the formats.
pub(super) struct ChangePrinter<'a> {
    pub args: &'a DiffArgs,
    pub changes: Vec<ChangeLine>,
    /// The number of equal objects by kind.
    pub same: BTreeMap<String, u64>,
    /// Whether what always differs is left out.
    pub is_live: bool,
    pub out: &'a mut dyn Write,
    /// Whether output is coloured.
    pub colors: bool,
}

impl ChangePrinter<'_> {
    /// Prints a change, or keeps it for a format that is printed at the end.
    pub fn print(
        &mut self,
        change: Change,
        old: Option<ChangedObject>,
        new: Option<ChangedObject>,
    ) -> anyhow::Result<()> {
        if self.args.output.is_none() {
            self.unified(old.as_ref(), new.as_ref())?;
        }
        let paths = match (&old, &new) {
            _ if self.args.output.is_none() => Vec::new(),
            (Some(ChangedObject { tree: Some(old), .. }), Some(ChangedObject { tree: Some(new), .. })) => {
                let mut found = differences(old, new);
                found.iter_mut().for_each(text::unmask);
                found
            }
            _ => Vec::new(),
        };
        // It was reported that the input has changed since it was first read.
        let Some(piece) = new.or(old) else { return Ok(()) };
        let object = ChangedObject { text: Vec::new(), tree: None, ..piece };
        self.changes.push(ChangeLine { change, object, paths });
        Ok(())
    }

    fn unified(&mut self, old: Option<&ChangedObject>, new: Option<&ChangedObject>) -> io::Result<()> {
        let header = |piece: Option<&ChangedObject>| {
            piece.map_or("/dev/null".to_owned(), |piece| format!("{}\t{}", piece.place, piece.shown_name()))
        };
        let mut shown = format!("--- {}\n+++ {}\n", header(old), header(new)).into_bytes();
        let hunks = match (old, new) {
            (Some(old), Some(new)) => {
                let tags = [&old.text, &new.text].map(|text| text::tags(text));
                text::unmasked(&hunks::changed(&old.text, &new.text), Some((&tags[0], &tags[1])))
            }
            (Some(piece), None) => text::unmasked(&hunks::of_texts(&piece.text, b"", PATIENCE), None),
            (None, Some(piece)) => text::unmasked(&hunks::of_texts(b"", &piece.text, PATIENCE), None),
            (None, None) => return Ok(()),
        };
        shown.extend(hunks);
        match self.colors {
            true => palette::write_diff(&shown, self.out),
            false => self.out.write_all(&shown),
        }
    }

    /// Ends the output.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        match self.args.output {
            None => {
                let count = |change| self.changes.iter().filter(|line| line.change == change).count();
                let same: u64 = self.same.values().sum();
                let (changed, added) = (count(Change::Changed), count(Change::Added));
                let removed = count(Change::Removed);
                writeln!(self.out, "{changed} changed, {added} added, {removed} removed, {same} unchanged")?;
            }
            Some(DiffFormat::Name) => {
                let mut of_name = HashMap::<&str, HashSet<&str>>::new();
                for ChangeLine { object, .. } in &self.changes {
                    of_name.entry(&object.name).or_default().insert(&object.namespace);
                }
                for ChangeLine { change, object, .. } in &self.changes {
                    let name = match of_name[&*object.name].len() {
                        1 => object.name.clone(),
                        _ => object.shown_name(),
                    };
                    writeln!(self.out, "{} {name}", change.sign())?;
                }
            }
            Some(DiffFormat::Paths) => self.paths()?,
            Some(DiffFormat::Wide) => self.table()?,
            Some(DiffFormat::Summary) => self.summary()?,
            Some(DiffFormat::Json) => self.json()?,
        }
        self.out.flush()?;
        Ok(())
    }

    /// The fields that differ, with their values, below the name of the object.
    fn paths(&mut self) -> io::Result<()> {
        for line in &self.changes {
            writeln!(self.out, "{} {}", line.change.sign(), line.object.shown_name())?;
            for Difference { path, old, new } in &line.paths {
                let path = path.strip_prefix('.').filter(|path| !path.is_empty()).unwrap_or(path);
                let texts = old.as_ref().and_then(Node::as_str).zip(new.as_ref().and_then(Node::as_str));
                // Lines do not show a last line break.
                let lines = texts.filter(|(old, new)| old.contains('\n') || new.contains('\n'));
                match lines.filter(|(old, new)| old.trim_end_matches('\n') != new.trim_end_matches('\n')) {
                    Some((old, new)) => {
                        writeln!(self.out, "    {path}:")?;
                        for (sign, text) in hunks::lines(old, new) {
                            writeln!(self.out, "      {sign} {}", go::printable(text))?;
                        }
                    }
                    None => {
                        writeln!(self.out, "    {path}: {} -> {}", value(old.as_ref()), value(new.as_ref()))?
                    }
                }
            }
        }
        Ok(())
    }

    fn table(&mut self) -> io::Result<()> {
        let row = |line: &ChangeLine| {
            let shown = line.paths.iter().take(FIELDS).map(|field| &*field.path);
            let mut fields = shown.collect::<Vec<_>>().join(",");
            if line.paths.len() > FIELDS {
                fields.push_str(&format!(" + {} more", line.paths.len() - FIELDS));
            }
            let or_none = |text: &str| if text.is_empty() { "<none>".to_owned() } else { text.to_owned() };
            let ChangedObject { namespace, name, .. } = &line.object;
            vec![line.change.to_string(), or_none(namespace), name.clone(), or_none(&fields)]
        };
        self.write_rows(&["CHANGE", "NAMESPACE", "NAME", "FIELDS"], self.changes.iter().map(row).collect())
    }

    /// The counts by kind, those with the most differences first.
    fn summary(&mut self) -> io::Result<()> {
        let mut kinds: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
        for line in &self.changes {
            let kind = line.object.name.split('/').next().unwrap_or_default();
            kinds.entry(kind).or_default()[line.change as usize] += 1;
        }
        for (kind, count) in &self.same {
            kinds.entry(kind).or_default()[3] += count;
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        let mut others = Vec::new();
        if self.is_live {
            (kinds, others) = kinds.into_iter().partition(|(_, counts)| counts[..3] != [0; 3]);
        }
        kinds.sort_by_key(|(_, counts)| std::cmp::Reverse(counts[..3].iter().sum::<u64>()));
        let row = |(kind, counts): (&str, [u64; 4])| {
            std::iter::once(kind.to_owned()).chain(counts.iter().map(u64::to_string)).collect()
        };
        let unchanged: u64 = others.iter().map(|(_, counts)| counts[3]).sum();
        let mut rows: Vec<Vec<String>> = kinds.into_iter().map(row).collect();
        if !others.is_empty() {
            rows.push(row(("(other kinds)", [0, 0, 0, unchanged])));
        }
        self.write_rows(&["KIND", "CHANGED", "ADDED", "REMOVED", "UNCHANGED"], rows)
    }

    fn write_rows(&mut self, headers: &[&str], rows: Vec<Vec<String>>) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        let clean =
            |row: Vec<String>| row.into_iter().map(|cell| table::cell(cell.into()).into_owned()).collect();
        let rows: Vec<Vec<String>> = rows.into_iter().map(clean).collect();
        table::write((!self.args.no_headers).then_some(&headers[..]), &rows, None, self.out)
    }

    fn json(&mut self) -> io::Result<()> {
        let changes: Vec<JsonChange<'_>> =
            self.changes.iter().map(JsonChange::of).collect::<Result<_, _>>()?;
        json_array::write(&changes, self.out)
    }
}

/// A change as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonChange<'a> {
    change: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    paths: Vec<JsonDifference<'a>>,
}

#[derive(Serialize)]
struct JsonDifference<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Box<RawValue>>,
}

impl<'a> JsonChange<'a> {
    fn of(ChangeLine { change, object, paths }: &'a ChangeLine) -> serde_json::Result<Self> {
        let (_, name) = object.name.split_once('/').unwrap_or_default();
        // As kubectl writes JSON.
        let raw = |node: &Option<Node>| {
            node.as_ref().map(|node| RawValue::from_string(json::text(node))).transpose()
        };
        let difference = |Difference { path, old, new }: &'a Difference| {
            Ok(JsonDifference { path, old: raw(old)?, new: raw(new)? })
        };
        let paths = paths.iter().map(difference).collect::<serde_json::Result<_>>()?;
        let ChangedObject { api_version, kind, namespace, .. } = object;
        Ok(Self { change: change.to_string(), api_version, kind, namespace, name, paths })
    }
}

impl ChangedObject {
    /// The name of the object after its namespace, if it has one.
    fn shown_name(&self) -> String {
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        format!("{}{slash}{}", go::printable(&self.namespace), self.name)
    }
}

/// A value on one line: text as in YAML, anything else as JSON.
fn value(node: Option<&Node>) -> String {
    let Some(node) = node else { return "<none>".to_owned() };
    match node.as_str() {
        Some(text) => text::on_one_line(text),
        None => json::text(node),
    }
}
