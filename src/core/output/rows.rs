//! Objects as rows, and rows as kubectl's tables: which columns there are, when a name is prefixed with its kind, and
//! where a table ends (cli-runtime, printers/tableprinter.go; kubectl, get/get.go).

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use compact_str::CompactString;
use jiff::Timestamp;

use super::printer::{Context, Piece, PieceError, PieceWriter, Printer};
use super::row::{Row, RowKind};
use super::table_layout::TableLayout;
use super::{color, delimited, table};
use expression::jsonpath::JsonPath;
use kinds::catalog::Catalog;
use kinds::catalog::object::ObjectLabels;
use kinds::cells::KindColumns;
use manifest::object::Object;
use syntax::error::Error;
use syntax::fields::FieldSet;
use syntax::given;
use syntax::gvk::GroupVersionKind;
use text::age::Aged;
use text::{go, plural};

/// How many namespaces of an object a cell names.
const NAMESPACES: usize = 3;

/// The columns of tables, and how they are written.
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// How rows are written, and whether columns with priority 1 are shown.
    pub layout: TableLayout,
    /// Whether there is a NAMESPACE column for kinds that have one.
    pub namespaces: bool,
    /// The label keys that have a column.
    pub label_columns: Vec<String>,
    /// Whether there is a column with the fields of relations, if columns with priority 1 are shown.
    pub ties: bool,
    /// Whether there is a column with all labels.
    pub show_labels: bool,
    /// Whether there is a column with file and line.
    pub show_source: bool,
    /// Whether there is that column if several rows are about the same object.
    pub source_if_repeated: bool,
    /// Whether names have their kind even in a table of a single kind.
    pub show_kind: bool,
    /// Whether headers, and blank lines between tables, are left out.
    pub no_headers: bool,
    /// The maximum width of lines in terminal columns, for the layouts that people read; `None` for no limit.
    pub fit: Option<usize>,
    /// Whether headers and statuses are coloured, in the layouts that people read.
    pub colors: bool,
}

/// Makes rows of objects.
pub struct Rows<'c> {
    options: TableOptions,
    catalog: &'c Catalog,
    /// The kinds so far, shared by the rows of all threads. They are few.
    kinds: Mutex<Vec<Arc<RowKind>>>,
}

/// A column of a kind, for clients that lay out tables themselves (apimachinery, meta/v1, TableColumnDefinition).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDefinition {
    /// The header, in uppercase.
    pub header: String,
    /// 0 for a column that is always shown; a greater value for wide tables only.
    pub priority: i64,
    /// Whether cells hold the name of the object.
    pub is_name: bool,
}

/// The header of the place of an object.
const SOURCE: &str = "SOURCE";

impl<'c> Rows<'c> {
    /// Makes rows with the columns of `options`.
    pub fn new(options: TableOptions, catalog: &'c Catalog) -> Self {
        Self { options, catalog, kinds: Mutex::default() }
    }

    /// The row of an object in `namespace`; `via` is its cell in the column of relations.
    ///
    /// # Errors
    ///
    /// The object's text cannot be parsed.
    pub fn row(&self, object: &Object<'_>, namespace: &str, via: &str) -> Result<Row, Error> {
        let head = object.head;
        let kind = self.kind(head.api_version, head.kind);
        let mut cells = Vec::with_capacity(kind.headers.len());
        kind.columns.cells(object, &mut cells, |cell| cell.map(owned))?;
        if let Some(Aged::Text(name)) = kind.columns.name.and_then(|at| cells.get_mut(at)) {
            if let Some(given) = head.given_names() {
                *name = owned(given.into());
            }
            if name.is_empty() {
                name.push_str("<unknown>");
            }
        }
        if self.has_ties() {
            cells.push(text(via));
        }
        let labels = ObjectLabels(head);
        // *Compatibility* (absent-labels): kubectl leaves the cell of a label empty that an object does not have.
        let label = |key: &String| {
            let mut values: Vec<&str> = labels.values(key).flatten().collect();
            values.sort_unstable();
            values.dedup();
            match &values[..] {
                [] => text(table::NONE),
                [value] => text(value),
                values => text(&values.join(",")),
            }
        };
        cells.extend(self.options.label_columns.iter().map(label));
        if self.options.show_labels {
            cells.push(text(&all_labels(labels)));
        }
        if self.has_source() {
            cells.push(text(&source(object, kind.columns.is_namespaced)));
        }
        let namespace = kind.columns.is_namespaced.then(|| owned(namespace.into()));
        Ok(Row { kind, namespace, names_namespace: head.namespace.is_some(), cells })
    }

    /// The columns of a kind, as far as the layout shows them.
    pub fn columns(&self, api_version: &str, kind: &str) -> Vec<ColumnDefinition> {
        let kind = self.kind(api_version, kind);
        let columns = kind.headers.iter().zip(&kind.columns.priorities).enumerate();
        let definition = |(at, (header, priority)): (usize, (&String, &i64))| ColumnDefinition {
            header: header.clone(),
            priority: *priority,
            is_name: kind.columns.name == Some(at),
        };
        columns.map(definition).collect()
    }

    /// The cell of the column `header` in the row that [`Rows::row`] makes at the moment `now`, or the namespace; `None` if its
    /// table has no such column.
    ///
    /// # Errors
    ///
    /// The object's text cannot be parsed.
    pub fn cell(
        &self,
        object: &Object<'_>,
        namespace: &str,
        via: &str,
        (header, now): (&str, Timestamp),
    ) -> Result<Option<String>, Error> {
        let kind = self.kind(object.head.api_version, object.head.kind);
        if header == "NAMESPACE" {
            return Ok(kind.columns.is_namespaced.then(|| table::cell(namespace.into()).into_owned()));
        }
        let Some(at) = kind.headers.iter().position(|other| other == header) else { return Ok(None) };
        if at < kind.columns.headers.len() {
            return Ok(Some(table::cell(kind.columns.cell(object, at)?.at(now).into()).into_owned()));
        }
        Ok(Some(self.row(object, namespace, via)?.cells.swap_remove(at).at(now).into_string()))
    }

    fn has_source(&self) -> bool {
        self.options.show_source || self.options.source_if_repeated
    }

    fn has_ties(&self) -> bool {
        self.options.ties && self.options.layout.is_wide()
    }

    fn kind(&self, api_version: &str, kind: &str) -> Arc<RowKind> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        match kinds.iter().find(|known| known.columns.is_of(api_version, kind)) {
            Some(known) => Arc::clone(known),
            None => {
                let new = Arc::new(self.new_kind(api_version, kind));
                kinds.push(Arc::clone(&new));
                new
            }
        }
    }

    fn new_kind(&self, api_version: &str, kind: &str) -> RowKind {
        let columns = KindColumns::new(self.catalog, api_version, kind, self.options.layout.is_wide());
        let mut headers = columns.headers.clone();
        headers.extend(self.has_ties().then(|| "VIA".to_owned()));
        headers.extend(self.options.label_columns.iter().map(|key| label_header(key)));
        headers.extend(self.options.show_labels.then(|| "LABELS".to_owned()));
        headers.extend(self.has_source().then(|| SOURCE.to_owned()));
        // The headers of custom resources are data, as cells are.
        let headers = headers.into_iter().map(|header| table::cell(header.into()).into_owned()).collect();
        RowKind { prefix: GroupVersionKind::new(api_version, kind).lower(), headers, columns }
    }

    /// Writes rows, which are in the requested order, as tables with ages relative to `now`; a table ends where the kind or
    /// its columns change. CSV is one table, with a column for the kind if there are several.
    pub fn write(&self, rows: Vec<Row>, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
        let mut rows: Vec<Row<CompactString>> = rows.into_iter().map(|row| row.at(now)).collect();
        let several = rows.iter().any(|row| !row.kind.is_same(&rows[0].kind));
        if matches!(self.options.layout, TableLayout::Csv | TableLayout::CsvWide) {
            return self.write_csv(&rows, several, out);
        }
        let with_kind = self.options.show_kind || several;
        let without_source = self.has_source() && !self.options.show_source && !is_repeated(&rows);
        // After a table with a NAMESPACE column, all further tables have one, as in kubectl.
        let mut namespaces = false;
        for (number, rows) in rows.chunk_by_mut(Row::is_same_table).enumerate() {
            let kind = &Arc::clone(&rows[0].kind);
            namespaces |= self.options.namespaces && kind.columns.is_namespaced;
            if number > 0 && !self.options.no_headers {
                writeln!(out)?;
            }
            let cells = rows.iter_mut().map(|row| {
                let mut cells = std::mem::take(&mut row.cells);
                if without_source {
                    cells.pop();
                }
                if let Some(name) =
                    kind.columns.name.filter(|_| with_kind).and_then(|name| cells.get_mut(name))
                {
                    *name = format!("{}/{name}", row.kind.prefix).into();
                }
                if namespaces {
                    cells.insert(0, few_namespaces(row.namespace.take().unwrap_or_default()));
                }
                cells
            });
            let cells: Vec<Vec<CompactString>> = cells.collect();
            let namespace = namespaces.then(|| "NAMESPACE".to_owned());
            let own = &kind.headers[..kind.headers.len() - usize::from(without_source)];
            let headers: Vec<String> = namespace.into_iter().chain(own.iter().cloned()).collect();
            let statuses: Option<Vec<bool>> =
                self.options.colors.then(|| headers.iter().map(|header| color::is_status(header)).collect());
            let headers = (!self.options.no_headers).then_some(&headers[..]);
            match self.options.layout {
                TableLayout::Markdown | TableLayout::MarkdownWide => {
                    if several && !self.options.no_headers {
                        writeln!(
                            out,
                            "### {}\n",
                            delimited::markdown_text(&table::cell(kind.columns.kind().into()))
                        )?;
                    }
                    delimited::markdown(headers, &cells, out)?;
                }
                TableLayout::Plain | TableLayout::Wide | TableLayout::Csv | TableLayout::CsvWide => {
                    let Some(limit) = self.options.fit else {
                        table::write(headers, &cells, statuses.as_deref(), out)?;
                        continue;
                    };
                    let mut needs = kind.needs(namespaces);
                    needs.truncate(needs.len() - usize::from(without_source));
                    let kept = table::fitted(headers, &needs, &cells, limit);
                    let cells: Vec<_> = cells.iter().map(|row| table::cut(row, &kept)).collect();
                    let headers: Option<Vec<String>> =
                        headers.map(|headers| kept.iter().map(|column| headers[column.at].clone()).collect());
                    let statuses: Option<Vec<bool>> =
                        statuses.map(|statuses| kept.iter().map(|column| statuses[column.at]).collect());
                    table::write(headers.as_deref(), &cells, statuses.as_deref(), out)?;
                }
            }
        }
        Ok(())
    }

    /// Writes all rows under the union of their kinds' headers, in the order of their first occurrence. A cell is empty
    /// if the kind does not have the column.
    fn write_csv(&self, rows: &[Row<CompactString>], several: bool, out: &mut dyn Write) -> io::Result<()> {
        // A kind may have a column of this name.
        let is_taken = |row: &Row<CompactString>| row.kind.columns.headers.iter().any(|own| own == SOURCE);
        let source = if self.has_source() && rows.iter().any(is_taken) { "FILE" } else { SOURCE };
        // Each header, with the number of equal headers before it in the same kind: -L may repeat one.
        let mut union: Vec<(&str, usize)> = Vec::new();
        let mut places: Vec<(&Arc<RowKind>, Vec<usize>)> = Vec::new();
        for row in rows {
            if places.iter().any(|(kind, _)| kind.is_same(&row.kind)) {
                continue;
            }
            let headers = &row.kind.headers;
            let of_kind = headers.iter().enumerate().map(|(at, header)| {
                let is_source = self.has_source() && at + 1 == headers.len();
                let header = if is_source { source } else { header };
                let same = headers[..at].iter().filter(|other| *other == header).count();
                let column = (header, same);
                union.iter().position(|known| *known == column).unwrap_or_else(|| {
                    union.push(column);
                    union.len() - 1
                })
            });
            let of_kind = of_kind.collect();
            places.push((&row.kind, of_kind));
        }
        let namespaces = self.options.namespaces && rows.iter().any(|row| row.kind.columns.is_namespaced);
        let first = [namespaces.then_some("NAMESPACE"), several.then_some("KIND")];
        let headers = first.into_iter().flatten().chain(union.iter().map(|(header, _)| *header));
        let headers: Vec<String> = headers.map(str::to_owned).collect();
        let cells: Vec<Vec<Cow<'_, str>>> = rows
            .iter()
            .map(|row| {
                let namespace = namespaces.then(|| row.namespace.as_deref().unwrap_or("").into());
                let kind = several.then(|| row.kind.prefix.as_str().into());
                let mut cells: Vec<Cow<'_, str>> = vec!["".into(); union.len()];
                let of_kind = places.iter().find(|(kind, _)| kind.is_same(&row.kind));
                for (cell, (at, place)) in row
                    .cells
                    .iter()
                    .zip(of_kind.into_iter().flat_map(|(_, places)| places.iter().enumerate()))
                {
                    let is_name = self.options.show_kind && !several && row.kind.columns.name == Some(at);
                    cells[*place] = if is_name {
                        format!("{}/{cell}", row.kind.prefix).into()
                    } else {
                        cell.as_str().into()
                    };
                }
                namespace.into_iter().chain(kind).chain(cells).collect()
            })
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        delimited::csv((!self.options.no_headers).then_some(&headers[..]), &cells, out)
    }
}

impl Printer for Rows<'_> {
    fn is_stream(&self) -> bool {
        false
    }

    fn add_fields(&self, _: &mut FieldSet) {}

    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError> {
        Ok(Piece::Row(self.row(object, context.namespace, context.via)?))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(Tables { printer: self, rows: Vec::new() })
    }
}

/// Collects the rows of all tables.
struct Tables<'r, 'c> {
    printer: &'r Rows<'c>,
    rows: Vec<Row>,
}

impl PieceWriter for Tables<'_, '_> {
    fn write(&mut self, piece: Piece, _: bool, _: &mut dyn Write) -> io::Result<()> {
        if let Piece::Row(row) = piece {
            self.rows.push(row);
        }
        Ok(())
    }

    fn finish(&mut self, now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
        self.printer.write(std::mem::take(&mut self.rows), now, out)
    }
}

/// Whether several of the rows are about the same object.
fn is_repeated(rows: &[Row<CompactString>]) -> bool {
    let mut known = HashSet::new();
    rows.iter().any(|row| {
        let name = row.kind.columns.name.and_then(|at| row.cells.get(at));
        name.is_some_and(|name| !known.insert((&*row.kind.prefix, &row.namespace, name)))
    })
}

fn owned(text: Cow<'_, str>) -> CompactString {
    table::cell(text).into()
}

/// A cell without an age.
fn text(text: &str) -> Aged<CompactString> {
    Aged::Text(owned(text.into()))
}

/// The header of a label column: the part of the key after the last `/`.
pub(super) fn label_header(key: &str) -> String {
    key.rsplit('/').next().unwrap_or(key).to_uppercase()
}

/// The header of a column with the values at a path: its last name.
pub(super) fn path_header(path: &JsonPath) -> String {
    let path = path.to_string();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let last = path.rsplit(|c| !is_part(c)).find(|part| !part.is_empty());
    last.unwrap_or(&path).to_uppercase()
}

/// The namespaces of an object as people read them: of many, the first.
fn few_namespaces(joined: CompactString) -> CompactString {
    match given::each(&joined).count() > NAMESPACES + 1 {
        true => plural::few(given::each(&joined).map(str::to_owned).collect(), NAMESPACES).into(),
        false => joined,
    }
}

/// Where an object is, and which file gives it its namespace if its text does not.
fn source(object: &Object<'_>, is_namespaced: bool) -> String {
    let place = object.place().without_document();
    let own = object.head.namespace;
    match object.head.given.filter(|given| is_namespaced && Some(given.of(own)) != own) {
        Some(given) => {
            let (giver, others) = (go::printable(given.giver()), given.names().count() - 1);
            let others = if others > 0 { " and others" } else { "" };
            format!("{place} (namespace of {giver}{others})")
        }
        None => place.to_string(),
    }
}

/// `k=v` pairs in the order of their text.
fn all_labels(labels: ObjectLabels<'_, '_>) -> String {
    let pairs = labels.builds().flat_map(|labels| labels.iter()).map(|(key, value)| format!("{key}={value}"));
    let mut pairs: Vec<String> = pairs.collect();
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.is_empty() { table::NONE.to_owned() } else { pairs.join(",") }
}
