//! `kselect get`: select objects and print them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

use kselect::age;
use kselect::catalog::{self, Catalog, grammar};
use kselect::glob;
use kselect::manifest::error::Error;
use kselect::manifest::list::{Object, objects};
use kselect::manifest::source::Source;
use kselect::output::Format;
use kselect::output::rows::{Row, Rows, TableOptions};
use kselect::output::stream::{self, Documents, JsonList};
use kselect::pipeline::{self, Work};
use kselect::selection::{Selection, Slot};

use super::input;
use super::report::{Outcome, Report, Usage};
use crate::cli::GetArgs;

/// Runs `get`.
pub fn run(args: &GetArgs, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let format = Format::parse(args.output.output.as_deref()).map_err(Usage::new)?;
    check_flags(args, &format)?;
    let mut report = Report::default();
    let mut selection = input::selection(&args.filter)?;
    let mut sources = input::sources(&args.input, &mut report)?;
    let is_table = matches!(format, Format::Table { .. });
    let requests = |catalog: &Catalog| grammar::requests(catalog, &args.resources);
    let exclude = |catalog: &Catalog| input::exclusions(catalog, &args.filter.exclude);
    let all_kinds = args.resources.is_empty() && (is_table || selection.namespace.is_some());
    let everything = all_kinds || input::has_category(&Catalog::new(), &args.resources);
    let resolve = |catalog: &Catalog| requests(catalog).and_then(|_| exclude(catalog)).map(drop);
    let catalog = input::catalog(resolve, everything, &mut sources, &mut report);
    selection.requests = requests(&catalog)?;
    selection.exclude = exclude(&catalog)?;

    let printer = Printer {
        rows: Rows::new(table_options(args, &format), &catalog, age::now()),
        format,
        selection: &selection,
        catalog: &catalog,
        managed_fields: args.output.show_managed_fields,
    };
    let mut results = Results::new(&printer, alone(args, &selection, &sources), out);
    let mut skipped = 0;
    let mut written = Ok(());
    let merge = |batch: Batch| {
        batch.errors.iter().for_each(|error| report.error(error));
        skipped += batch.skipped;
        written = results.take(batch.pieces);
        if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    pipeline::run(&sources, |work| printer.batch(work), merge);
    written?;
    results.finish(args.filter.ignore_not_found, &mut report)?;
    let count = results.count;
    out.flush()?;
    if skipped > 0 {
        let (documents, objects) =
            if skipped == 1 { ("document that is", "object") } else { ("documents that are", "objects") };
        report.note(format_args!("kselect: passed over {skipped} {documents} no Kubernetes {objects}"));
    }
    Ok(match count {
        _ if report.has_failed() => Outcome::Failed,
        0 => {
            if is_table && !args.filter.ignore_not_found {
                report.note(nothing_found(args, &selection));
            }
            if args.filter.exit_status { Outcome::NothingSelected } else { Outcome::Done }
        }
        _ => Outcome::Done,
    })
}

/// Refuses flags that do not go together, as kubectl does.
fn check_flags(args: &GetArgs, format: &Format) -> Result<(), Usage> {
    if args.output.show_labels && !matches!(format, Format::Table { .. }) {
        let format = args.output.output.as_deref().unwrap_or_default();
        return Err(Usage::new(format_args!("--show-labels option cannot be used with {format} printer")));
    }
    Ok(())
}

fn table_options(args: &GetArgs, format: &Format) -> TableOptions {
    TableOptions {
        wide: *format == Format::Table { wide: true },
        namespaces: args.filter.all_namespaces,
        label_columns: args.output.label_columns.clone(),
        show_labels: args.output.show_labels,
        show_source: args.output.show_source,
        show_kind: args.output.show_kind,
        no_headers: args.output.no_headers,
    }
}

/// When a single object stands bare in JSON.
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
        |request: &grammar::Request| request.name.as_deref().is_some_and(|name| !glob::is_pattern(name));
    let selects =
        selection.has_selectors() || selection.namespace.is_some() || !args.filter.exclude.is_empty();
    match (&selection.requests[..], sources) {
        ([request], _) if literal(request) => Alone::Named,
        ([], [source]) if source.named && !source.is_stdin() && !selects => Alone::WholeFile,
        _ => Alone::Never,
    }
}

/// The words of kubectl for an empty table.
fn nothing_found(args: &GetArgs, selection: &Selection) -> String {
    let namespaced = selection.requests.iter().all(|request| request.resource.is_namespaced());
    match &selection.namespace {
        Some(namespace) if namespaced && !args.filter.all_namespaces => {
            format!("No resources found in {} namespace.", kselect::go::printable(namespace))
        }
        _ => "No resources found".to_owned(),
    }
}

/// Turns documents into pieces of output.
struct Printer<'a> {
    format: Format,
    selection: &'a Selection,
    catalog: &'a Catalog,
    rows: Rows<'a>,
    managed_fields: bool,
}

/// What a run of documents came to.
#[derive(Default)]
struct Batch {
    pieces: Vec<(Slot, Piece)>,
    errors: Vec<Error>,
    /// Documents of directories that are no Kubernetes objects.
    skipped: usize,
}

/// What an object is in the output.
#[derive(Clone)]
enum Piece {
    Text {
        bytes: Vec<u8>,
        /// Whether the object is a document of its own.
        document: bool,
    },
    Row(Row),
}

impl Printer<'_> {
    fn batch(&self, work: Work<'_>) -> Batch {
        let mut batch = Batch::default();
        let (block, source) = match work {
            Ok(work) => work,
            Err(error) => {
                batch.errors.push(error);
                return batch;
            }
        };
        let mut slots = Vec::new();
        for document in block.documents(source) {
            let mut visit = |object: Result<&Object<'_>, Error>| match object {
                Ok(object) => self.object(object, &mut slots, &mut batch),
                Err(error) if !source.named && error.kind.is_no_object() => batch.skipped += 1,
                Err(error) => batch.errors.push(error),
            };
            match document {
                Ok(document) => objects(document, &mut visit),
                Err(error) => visit(Err(error)),
            }
        }
        batch
    }

    fn object(&self, object: &Object<'_>, slots: &mut Vec<Slot>, batch: &mut Batch) {
        if self.selection.requests.is_empty() && !object.document.source.named && !is_stored(object) {
            batch.skipped += 1;
            return;
        }
        slots.clear();
        self.selection.slots(object.head, self.catalog, slots);
        let Some((last, others)) = slots.split_last() else { return };
        match self.piece(object) {
            Ok(piece) => {
                batch.pieces.extend(others.iter().map(|slot| (*slot, piece.clone())));
                batch.pieces.push((*last, piece));
            }
            Err(error) => batch.errors.push(error),
        }
    }

    fn piece(&self, object: &Object<'_>) -> Result<Piece, Error> {
        let mut bytes = Vec::new();
        match self.format {
            Format::Table { .. } => {
                let namespace = self.selection.namespace_of(object.head, self.catalog);
                return Ok(Piece::Row(self.rows.row(object, namespace)?));
            }
            Format::Name => stream::name(object, &mut bytes),
            Format::Yaml => stream::document(object, &mut bytes)?,
            Format::Json => stream::item(object, self.managed_fields, &mut bytes)?,
        }
        Ok(Piece::Text { bytes, document: object.is_document() })
    }
}

/// Whether a cluster would store the object: it has metadata, and its kind is not that of a tool's
/// configuration.
fn is_stored(object: &Object<'_>) -> bool {
    object.head.has_metadata && !catalog::is_configuration(object.head.api_version, object.head.kind)
}

/// Puts pieces in the order asked for and writes them: at once where that order is the input's.
struct Results<'a> {
    printer: &'a Printer<'a>,
    alone: Alone,
    out: &'a mut dyn Write,
    /// Pieces whose turn has not come.
    waiting: BTreeMap<Slot, Vec<Piece>>,
    rows: Vec<Row>,
    found: Vec<bool>,
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
            rows: Vec::new(),
            found: vec![false; printer.selection.requests.len()],
            count: 0,
            documents: Documents::default(),
            json: JsonList::default(),
        }
    }

    fn take(&mut self, pieces: Vec<(Slot, Piece)>) -> io::Result<()> {
        const FIRST: Slot = Slot { request: 0, by_pattern: false };
        for (slot, piece) in pieces {
            if let Some(found) = self.found.get_mut(slot.request) {
                *found |= !slot.by_pattern;
            }
            match slot {
                FIRST => self.write(piece)?,
                _ => self.waiting.entry(slot).or_default().push(piece),
            }
        }
        Ok(())
    }

    /// Writes what was waiting, and tells which names were not found.
    fn finish(&mut self, ignore_not_found: bool, report: &mut Report) -> io::Result<()> {
        for (slot, pieces) in std::mem::take(&mut self.waiting) {
            // A pattern is a name like any other while something goes by it.
            if !(slot.by_pattern && self.found[slot.request]) {
                pieces.into_iter().try_for_each(|piece| self.write(piece))?;
            }
        }
        if self.printer.selection.requests.is_empty() {
            Row::group(&mut self.rows);
        }
        self.printer.rows.write(&self.rows, self.out)?;
        let missing = self.missing();
        let nothing = self.count == 0 && (ignore_not_found || !missing.is_empty());
        if self.printer.format == Format::Json && !nothing {
            self.json.finish(self.out)?;
        }
        // What was found comes before what was not.
        self.out.flush()?;
        if !ignore_not_found {
            missing.iter().for_each(|name| report.error(name));
        }
        Ok(())
    }

    fn missing(&self) -> Vec<String> {
        let requests = self.printer.selection.requests.iter().zip(&self.found).filter(|(_, found)| !**found);
        let names = requests.filter_map(|(request, _)| Some((&request.resource, request.name.as_deref()?)));
        let literal = names.filter(|(_, name)| !glob::is_pattern(name));
        literal
            .map(|(resource, name)| {
                format!("{} {} not found", resource.qualified(), kselect::go::quote(name))
            })
            .collect()
    }

    fn write(&mut self, piece: Piece) -> io::Result<()> {
        self.count += 1;
        match piece {
            Piece::Row(row) => self.rows.push(row),
            Piece::Text { bytes, document } => match self.printer.format {
                Format::Yaml => self.documents.write(&bytes, self.out)?,
                Format::Json => {
                    let alone = self.alone == Alone::Named || self.alone == Alone::WholeFile && document;
                    self.json.write(&bytes, alone, self.out)?;
                }
                Format::Name | Format::Table { .. } => self.out.write_all(&bytes)?,
            },
        }
        Ok(())
    }
}
