//! `kselect get`: select objects and print them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

use kselect::age;
use kselect::catalog::{Catalog, grammar};
use kselect::excerpt::Excerpt;
use kselect::glob;
use kselect::jsonpath::JsonPath;
use kselect::manifest::error::Place;
use kselect::manifest::fields::FieldSet;
use kselect::manifest::list::Object;
use kselect::manifest::source::Source;
use kselect::manifest::tree::Node;
use kselect::output::color as palette;
use kselect::output::rows::{Row, Rows, TableOptions};
use kselect::output::sort::{Key, SortKey};
use kselect::output::stream::{self, Documents, JsonList};
use kselect::output::{Format, Layout, table};
use kselect::scan::{Item, Run, Scan, SkippedCounts};
use kselect::selection::{Selection, SelectionError, Slot, UnsupportedField};
use kselect::validation;

use super::found::Found;
use super::input::{self, Knowledge};
use super::report::{Outcome, Output, Problem, Refusal, Report};
use crate::cli::{GetArgs, Validate};
use crate::color;

/// Runs `get`.
pub fn run(args: &GetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let format = format(args)?;
    let sort = args.output.sort_by.as_deref().map(sort_key).transpose()?;
    check_flags(args, &format)?;
    let selection = input::selection(&args.filter, &args.resources)?;
    let mut sources = input::sources(&args.input, &mut report)?;
    let needed = knowledge(args, &format, &selection);
    let query = input::query(selection, &args.resources, &args.filter, needed, &mut sources, &mut report)?;
    let Some((selection, catalog)) = query else { return Ok(Outcome::Failed) };

    let mut fields = FieldSet::default();
    sort.iter().for_each(|sort| sort.add_fields(&mut fields));
    match &format {
        Format::CustomColumns(columns) => columns.add_fields(&mut fields),
        Format::Table(_) | Format::Name => (),
        Format::Yaml | Format::Json | Format::JsonPath(_) | Format::JsonPathAsJson(_) => fields.add([]),
    }
    let printer = Printer {
        fields,
        rows: Rows::new(table_options(args, &format, &selection), &catalog, age::now()),
        format,
        sort,
        selection: &selection,
        catalog: &catalog,
        managed_fields: args.output.show_managed_fields,
        validate: args.validate,
        why: args.why.then(|| input::typed_relations(&args.filter)),
    };
    let mut results = Results::new(&printer, alone(args, &selection, &sources), out);
    let mut skipped = SkippedCounts::default();
    let mut written = Ok(());
    report.start_progress(if printer.writes_as_it_goes() { Output::AsItGoes } else { Output::AtTheEnd });
    let merge = |run: Option<Run<Batch>>| {
        let Some(run) = run else {
            written = results.show();
            return if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        };
        report.advance(run.bytes, &sources);
        let batch = run.found;
        batch.errors.iter().for_each(|error| report.problem(error));
        batch.warnings.iter().for_each(|warning| report.warning(warning));
        batch.unsupported.into_iter().for_each(|field| report.unsupported(field));
        skipped.extend(&batch.skipped);
        written = results.take(batch.entries);
        if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let scan = Scan::of(&sources).for_selection(&selection);
    scan.items_as_they_come(|item, batch| printer.item(item, batch), merge);
    report.end_of_input();
    written?;
    results.finish(args, &mut report)?;
    let count = results.count;
    out.flush()?;
    report.hint_at_fields();
    report.note_empty_input(&sources);
    report.note_skipped(&skipped);
    Ok(match count {
        _ if report.has_failed() => Outcome::Failed,
        0 => {
            if matches!(printer.format, Format::Table(_)) && !args.filter.ignore_not_found {
                report.note(input::nothing_found(&args.filter, &selection));
                report.hint_at_subdirectories(&args.input);
            }
            if args.filter.exit_status { Outcome::NothingSelected } else { Outcome::Done }
        }
        _ => Outcome::Done,
    })
}

fn format(args: &GetArgs) -> Result<Format, Refusal> {
    if args.why {
        // Lines that begin like those of -o name, and need no more of the object.
        return Ok(Format::Name);
    }
    let format = Format::parse(args.output.output.as_deref(), |_| true, |path| std::fs::read_to_string(path));
    let format = format.map_err(input::format_error)?;
    let keys = args.output.allow_missing_template_keys;
    Ok(match format {
        Format::JsonPath(path) => Format::JsonPath(path.allow_missing_keys(keys)),
        Format::JsonPathAsJson(path) => Format::JsonPathAsJson(path.allow_missing_keys(keys)),
        other => other,
    })
}

fn sort_key(path: &str) -> Result<SortKey, Refusal> {
    SortKey::parse(path).map_err(|error| {
        let span = error.span().start..error.span().end;
        Refusal::usage(format_args!("--sort-by: {error}")).with_excerpt(Excerpt::of(
            path.as_bytes(),
            span,
            None,
        ))
    })
}

/// Refuses flags that do not go together, as kubectl does.
fn check_flags(args: &GetArgs, format: &Format) -> Result<(), Refusal> {
    if args.output.show_labels && !matches!(format, Format::Table(_)) {
        let format = args.output.output.as_deref().unwrap_or_default();
        return Err(Refusal::usage(format_args!(
            "--show-labels option cannot be used with {format} printer"
        )));
    }
    Ok(())
}

/// What has to be known of the resources in the input. Tables need the columns of custom resources, `-n` their
/// scope, field selectors their fields, validation their schemas, relations all of it, and definitions may add
/// to a category; a TYPE tells for itself.
fn knowledge(args: &GetArgs, format: &Format, selection: &Selection) -> Knowledge {
    let all_kinds = args.resources.is_empty();
    if all_kinds && !selection.fields.is_empty() {
        Knowledge::Kinds
    } else if args.validate != Validate::Ignore
        || all_kinds && (matches!(format, Format::Table(_)) || selection.namespace.is_some())
        || input::has_category(&Catalog::new(), &args.resources)
        || input::has_relations(&args.filter)
    {
        Knowledge::Definitions
    } else {
        Knowledge::BuiltIn
    }
}

fn table_options(args: &GetArgs, format: &Format, selection: &Selection) -> TableOptions {
    // Several types that are listed are told apart even if only one of them has objects, as in kubectl.
    let listed = selection.requests.iter().filter(|request| request.name.is_none()).count();
    TableOptions {
        layout: if let Format::Table(layout) = format { *layout } else { Layout::Plain },
        namespaces: args.filter.all_namespaces,
        label_columns: args.output.label_columns.clone(),
        show_labels: args.output.show_labels,
        scores: selection.has_scores(),
        show_source: args.output.show_source,
        show_kind: args.output.show_kind || listed > 1,
        no_headers: args.output.no_headers,
        colors: color::on_stdout(),
    }
}

/// When a single object stands alone instead of in a List.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    /// When it is the only one: it was asked for by name.
    Named,
    /// When it is all of its file.
    WholeFile,
    Never,
}

fn alone(args: &GetArgs, selection: &Selection, sources: &[Source]) -> Alone {
    let literal =
        |request: &grammar::Request| request.name.as_deref().is_some_and(|name| !glob::is_name_pattern(name));
    let selects = selection.has_selectors()
        || selection.namespace.is_some()
        || !(args.filter.exclude.is_empty() && args.filter.name.is_empty());
    match (&selection.requests[..], sources) {
        ([request], _) if literal(request) => Alone::Named,
        ([], [source]) if source.named && !source.is_stdin() && !selects => Alone::WholeFile,
        _ => Alone::Never,
    }
}

/// Turns documents into pieces of output.
struct Printer<'a> {
    format: Format,
    sort: Option<SortKey>,
    /// What sorting and custom columns ask for of an object.
    fields: FieldSet,
    selection: &'a Selection,
    catalog: &'a Catalog,
    rows: Rows<'a>,
    managed_fields: bool,
    validate: Validate,
    /// Where it is told why objects are not selected: the relations as they were typed.
    why: Option<Vec<String>>,
}

/// What a run of documents came to.
#[derive(Default)]
struct Batch {
    entries: Vec<(Slot, Entry)>,
    /// The slots of one object at a time, in memory that is used again.
    slots: Vec<Slot>,
    errors: Vec<Problem>,
    warnings: Vec<String>,
    unsupported: Vec<UnsupportedField>,
    /// Documents that are not Kubernetes objects.
    skipped: SkippedCounts,
}

/// A selected object as far as the output needs it.
#[derive(Clone)]
struct Entry {
    piece: Piece,
    /// What it is sorted by.
    key: Option<Key>,
    /// How well a node suits the pod that it is selected for.
    score: Option<i64>,
    /// Whether the object is a document of its own.
    document: bool,
}

/// What an object is in the output.
#[derive(Clone)]
enum Piece {
    Text(Vec<u8>),
    /// Why the object is not selected.
    Reason(String),
    Row(Row),
    Cells(Vec<String>),
    Tree(Node),
}

impl Printer<'_> {
    /// Whether output appears before all of the input is read.
    fn writes_as_it_goes(&self) -> bool {
        let text = matches!(self.format, Format::Name | Format::Yaml | Format::Json);
        text && self.sort.is_none() && !self.selection.has_scores()
    }

    fn item(&self, item: Item<'_, '_>, batch: &mut Batch) {
        match item {
            Item::Object(object) => {
                let mut slots = std::mem::take(&mut batch.slots);
                self.object(object, &mut slots, batch);
                batch.slots = slots;
            }
            Item::Skipped(sort) => batch.skipped.add(sort),
            Item::Error(error) => batch.errors.push(error.into()),
        }
    }

    fn object(&self, object: &Object<'_>, slots: &mut Vec<Slot>, batch: &mut Batch) {
        if !self.validate(object, batch) {
            return;
        }
        slots.clear();
        let entry = match self.chosen(object, slots) {
            Ok(entry) => entry,
            Err(SelectionError::Unsupported(field)) => return batch.unsupported.push(field),
            Err(error) => return batch.errors.push(error.into()),
        };
        let Some((last, others)) = slots.split_last() else { return };
        match entry.map_or_else(|| self.entry(object), Ok) {
            Ok(entry) => {
                batch.entries.extend(others.iter().map(|slot| (*slot, entry.clone())));
                batch.entries.push((*last, entry));
            }
            Err(error) => batch.errors.push(error),
        }
    }

    /// Adds the slots of an object that is shown. Returns what is shown where that is not the object but why it
    /// is not selected.
    fn chosen(&self, object: &Object<'_>, slots: &mut Vec<Slot>) -> Result<Option<Entry>, SelectionError> {
        let Some(relations) = &self.why else {
            return self.selection.slots(object, self.catalog, slots).map(|()| None);
        };
        self.selection.candidate(object.head, self.catalog, slots);
        if slots.is_empty() {
            return Ok(None);
        }
        let piece = match self.selection.why_not(object, self.catalog, relations)? {
            Some(reason) => {
                let place = Place { document: None, ..object.place() };
                Piece::Reason(format!("{place}: {}: {reason}\n", stream::type_and_name(object)))
            }
            // It is selected, of which nothing is said.
            None => Piece::Text(Vec::new()),
        };
        Ok(Some(Entry { piece, key: None, score: None, document: object.is_document() }))
    }

    /// Tells what `--validate` finds wrong with an object. Returns whether it is processed nevertheless.
    fn validate(&self, object: &Object<'_>, batch: &mut Batch) -> bool {
        if self.validate == Validate::Ignore {
            batch.warnings.extend(input::joined(object));
            return true;
        }
        let findings = match validation::validate(object, self.catalog) {
            Ok(findings) => findings,
            Err(error) => {
                batch.errors.push(error.into());
                return false;
            }
        };
        match self.validate {
            Validate::Strict => {
                let is_valid = findings.is_empty();
                batch.errors.extend(findings.into_iter().map(Problem::from));
                is_valid
            }
            Validate::Warn | Validate::Ignore => {
                batch.warnings.extend(findings.iter().map(ToString::to_string));
                true
            }
        }
    }

    fn entry(&self, object: &Object<'_>) -> Result<Entry, Problem> {
        let failed =
            |error: &dyn std::fmt::Display| Problem::new(format_args!("{}: {error}", object.place()));
        let key = match &self.sort {
            Some(sort) => sort.key(&*object.fields(&self.fields)?).map_err(|error| failed(&error))?,
            None => None,
        };
        let score = self.selection.score(object.head);
        let mut bytes = Vec::new();
        let piece = match &self.format {
            Format::Table(_) => {
                let namespace = self.selection.namespace_of(object.head, self.catalog);
                Piece::Row(self.rows.row(object, namespace, score)?)
            }
            Format::Name => {
                stream::name(object, &mut bytes);
                Piece::Text(bytes)
            }
            Format::Yaml => {
                stream::document(object, &mut bytes)?;
                Piece::Text(bytes)
            }
            Format::Json => {
                stream::item(object, self.managed_fields, &mut bytes)?;
                Piece::Text(bytes)
            }
            Format::JsonPath(_) | Format::JsonPathAsJson(_) => Piece::Tree(object.value()?.clone()),
            Format::CustomColumns(columns) => {
                Piece::Cells(columns.cells(&*object.fields(&self.fields)?).map_err(|error| failed(&error))?)
            }
        };
        Ok(Entry { piece, key, score, document: object.is_document() })
    }
}

/// Puts entries in the order asked for and writes them: at once where that order is the input's.
struct Results<'a> {
    printer: &'a Printer<'a>,
    alone: Alone,
    out: &'a mut dyn Write,
    /// Entries whose turn has not come.
    waiting: BTreeMap<Slot, Vec<Entry>>,
    found: Found,
    count: usize,
    documents: Documents,
    json: JsonList,
}

impl<'a> Results<'a> {
    fn new(printer: &'a Printer<'a>, alone: Alone, out: &'a mut dyn Write) -> Self {
        Self {
            printer,
            alone,
            out,
            waiting: BTreeMap::new(),
            found: Found::none(printer.selection),
            count: 0,
            documents: Documents::default(),
            json: JsonList::default(),
        }
    }

    fn take(&mut self, entries: Vec<(Slot, Entry)>) -> io::Result<()> {
        for (slot, entry) in entries {
            self.found.add(slot);
            match &entry.piece {
                Piece::Text(text)
                    if slot == Slot::FIRST && self.printer.sort.is_none() && entry.score.is_none() =>
                {
                    self.write(text, entry.document)?;
                }
                Piece::Reason(line) if slot == Slot::FIRST => self.out.write_all(line.as_bytes())?,
                _ => self.waiting.entry(slot).or_default().push(entry),
            }
        }
        Ok(())
    }

    /// Shows what was written so far, before more is waited for.
    fn show(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what was waiting, and tells which names were not found.
    fn finish(&mut self, args: &GetArgs, report: &mut Report) -> anyhow::Result<()> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let admitted = waiting.filter(|(slot, _)| self.found.admits(*slot));
        let mut entries: Vec<Entry> = admitted.flat_map(|(_, entries)| entries).collect();
        entries.sort_by_key(|entry| Reverse(entry.score));
        if let Some(sort) = self.printer.sort.as_ref().filter(|_| !self.is_table()) {
            entries = sorted(sort, entries)?;
        }
        let missing = self.found.missing(self.printer.selection);
        let nothing =
            self.count == 0 && entries.is_empty() && (args.filter.ignore_not_found || !missing.is_empty());
        if !nothing {
            self.write_all(entries, args.output.no_headers)?;
        }
        // What was found comes before what was not.
        self.out.flush()?;
        if !args.filter.ignore_not_found {
            input::tell_missing(&missing, self.printer.catalog, &args.resources, report);
        }
        Ok(())
    }

    fn write_all(&mut self, entries: Vec<Entry>, no_headers: bool) -> anyhow::Result<()> {
        match &self.printer.format {
            Format::Table(_) => {
                self.count = entries.len();
                let rows = self.rows(entries)?;
                self.printer.rows.write(&rows, self.out)?;
            }
            Format::CustomColumns(columns) => {
                self.count = entries.len();
                let headers: Vec<String> = columns.headers().map(str::to_owned).collect();
                let cells = entries.into_iter().filter_map(|entry| match entry.piece {
                    Piece::Cells(cells) => Some(cells),
                    _ => None,
                });
                let statuses: Vec<bool> = headers.iter().map(|header| palette::is_status(header)).collect();
                let statuses = color::on_stdout().then_some(&statuses[..]);
                table::write(
                    (!no_headers).then_some(&headers),
                    &cells.collect::<Vec<_>>(),
                    statuses,
                    self.out,
                )?;
            }
            Format::JsonPath(path) => self.template(path, entries, JsonPath::render)?,
            Format::JsonPathAsJson(path) => self.template(path, entries, JsonPath::render_as_json)?,
            Format::Name | Format::Yaml | Format::Json => {
                for entry in entries {
                    match &entry.piece {
                        Piece::Text(text) => self.write(text, entry.document)?,
                        Piece::Reason(line) => self.out.write_all(line.as_bytes())?,
                        Piece::Row(_) | Piece::Cells(_) | Piece::Tree(_) => (),
                    }
                }
                if matches!(self.printer.format, Format::Json) {
                    self.json.finish(self.out)?;
                }
            }
        }
        Ok(())
    }

    /// The rows of the tables: kinds together where no order of types was asked for, each table sorted.
    fn rows(&self, entries: Vec<Entry>) -> anyhow::Result<Vec<Row>> {
        let rows = entries.into_iter().filter_map(|entry| match entry.piece {
            Piece::Row(row) => Some((entry.key, row)),
            _ => None,
        });
        let mut rows: Vec<(Option<Key>, Row)> = rows.collect();
        if self.printer.selection.requests.is_empty() {
            Row::group(&mut rows, |(_, row)| row);
        }
        if let Some(sort) = &self.printer.sort {
            rows = sort.sort(rows, Row::is_same_kind)?;
        }
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Writes what a template makes of the object that stands alone, or of the List of all.
    fn template<E: std::fmt::Display>(
        &mut self,
        path: &JsonPath,
        entries: Vec<Entry>,
        render: impl Fn(&JsonPath, &Node) -> Result<String, E>,
    ) -> anyhow::Result<()> {
        self.count = entries.len();
        let alone = entries.len() == 1 && self.stands_alone(entries[0].document);
        let mut trees: Vec<Node> = Vec::with_capacity(entries.len());
        trees.extend(entries.into_iter().filter_map(|entry| match entry.piece {
            Piece::Tree(tree) => Some(tree),
            _ => None,
        }));
        let value = match trees.pop() {
            Some(tree) if alone => tree,
            last => {
                trees.extend(last);
                stream::list(trees)
            }
        };
        let text =
            render(path, &value).map_err(|error| anyhow::anyhow!(input::template_error(path, error)))?;
        Ok(self.out.write_all(text.as_bytes())?)
    }

    fn stands_alone(&self, document: bool) -> bool {
        self.alone == Alone::Named || self.alone == Alone::WholeFile && document
    }

    fn is_table(&self) -> bool {
        matches!(self.printer.format, Format::Table(_))
    }

    /// Writes a piece of a format that is a sequence of pieces.
    fn write(&mut self, text: &[u8], document: bool) -> io::Result<()> {
        self.count += 1;
        match self.printer.format {
            Format::Yaml => self.documents.write(text, self.out),
            Format::Json => self.json.write(text, self.stands_alone(document), self.out),
            _ => self.out.write_all(text),
        }
    }
}

fn sorted(sort: &SortKey, entries: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
    let keyed = entries.into_iter().map(|mut entry| (entry.key.take(), entry)).collect();
    Ok(sort.sort(keyed, |_, _| true)?.into_iter().map(|(_, entry)| entry).collect())
}
