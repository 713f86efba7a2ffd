//! `kselect get`: select objects and print them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use kinds::catalog::{grammar, held};
use kinds::held::Stage;
use kselect_core::output::color;
use kselect_core::output::list::Omitted;
use kselect_core::output::printer::{Arrangement, Context, Piece, PieceWriter, Printer, TextWriter};
use kselect_core::output::row::Row;
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::sort::{SortError, SortKey, SortOrder};
use kselect_core::output::{Format, PrinterOptions, TableLayout};
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::copies::Hold;
use kselect_core::selection::{Selection, SelectionError, Slot};
use manifest::object::Object;
use manifest::once::{Kept, KeptPart};
use syntax::fields::{FieldSet, Fields};
use syntax::tree::{Node, Span};
use text::excerpt;
use text::plural::counted;

use super::arguments;
use super::as_of::Ages;
use super::diagnostic::{CommandError, Diagnostic, ObjectError};
use super::input::Knowledge;
use super::names::MatchedNames;
use super::query::{Needs, Query};
use super::report::{Outcome, Output, Report};
use crate::cli::{Arguments, GetArgs, Validate};
use crate::streams::Terminal;

/// Runs `get`.
pub fn run(args: &GetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let format = format(args)?;
    let sort = args.output.sort_by().map(arguments::sort_key).transpose()?;
    check_flags(args, &format)?;
    if let Some(path) = path_without_braces(args) {
        let text = excerpt::quote(path);
        report.warning(format_args!("-o jsonpath prints {text} as it is; put paths in braces: '{{{path}}}'"));
    }
    let by_column = sort.as_ref().is_some_and(|sort| sort.header().is_some());
    let needs = Needs {
        knowledge: knowledge(args, &format, by_column),
        ages: match by_column {
            true => Ages::Compared,
            false if format.is_table() => Ages::Shown,
            false => Ages::Selected,
        },
        applications: match args.output.show_labels || !args.output.label_columns.is_empty() {
            true => ApplicationFiles::Found,
            false => ApplicationFiles::None,
        },
        all_copies: args.output.all_copies,
        validation: Some(&args.validation),
        is_get: true,
        ..Needs::default()
    };
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    let query = Query::open(asked, needs, &mut report)?;
    let view = View::new(args, &format, sort, &query, report.terminals().stdout);
    let mut results = Results::new(&view, alone(args, &query), out);
    let output = if view.writes_as_it_goes() { Output::AsItGoes } else { Output::AtTheEnd };
    let visit =
        |object: &Object<'_>, slots: &mut Vec<Slot>, found: &mut Found| view.visit(object, slots, found);
    let merge = |found: Option<Found>| match found {
        Some(found) => Ok(results.take(found)?),
        None => Ok(results.out.flush()?),
    };
    let mut tally = query.visit(&mut report, output, (visit, HeldEntries::default()), merge)?;
    let Written { count, in_several_namespaces } = results.finish(args, query.moment(&tally).time)?;
    tally.selected = count;
    let nothing = |message: String, report: &mut Report| {
        // Each has a line with a reason.
        if args.why && tally.has_met() {
            return;
        }
        // Programs read all other formats; kubectl prints no message there either.
        if format.is_table() {
            report.say(message);
        }
        query.report_unselected(&tally, report);
    };
    let outcome = query.finish_with(&tally, &mut report, out, nothing)?;
    if args.filter.relations.unused {
        // What is not read may use them.
        report.hint_at_unread(&args.input, 0);
    } else if format.is_table() {
        query.hint_at_more(&tally, &report);
    }
    if count > 0 {
        let given = view.given.load(Ordering::Relaxed);
        if given > 0 && !(format.is_table() || format.is_of_names()) {
            let objects = counted(given, "object");
            report.note(format_args!(
                "namespaces are those in the files; kustomizations or applications put {objects} into others, which the table of -A shows"
            ));
        }
        report.note_several_names(view.built.load(Ordering::Relaxed));
        if count > 1 && alone(args, &query) == Alone::Named && matches!(format, Format::Expression(_)) {
            report.note(format_args!(
                "the template is given the List of {count} objects with that name: {{.items[*]...}}; a file or -n chooses one"
            ));
        }
        if in_several_namespaces && is_for_people(args) && !args.filter.conditions.all_namespaces {
            report.note("the objects are in several namespaces; -A adds a NAMESPACE column");
        }
        if format.is_table() && query.selection.is_for_nodes() {
            report.note(
                "what pods request, volumes, spread constraints and affinity between pods were not considered",
            );
        }
    }
    Ok(outcome)
}

/// Whether a person reads the output.
fn is_for_people(args: &GetArgs) -> bool {
    matches!(args.output.output.as_deref(), None | Some("" | "wide"))
}

fn format(args: &GetArgs) -> Result<Format, CommandError> {
    if args.why {
        // Only the name of each object is needed.
        return Ok(Format::NAME);
    }
    let (output, template) = (args.output.output.as_deref(), args.output.template.as_deref());
    let format = arguments::format(output, template, |_| true)?;
    Ok(format.allow_missing_keys(args.output.allow_missing_template_keys))
}

/// The template of `-o jsonpath` if it is a path without braces, which prints itself, as in kubectl.
fn path_without_braces(args: &GetArgs) -> Option<&str> {
    let template = args.output.output.as_deref()?.strip_prefix("jsonpath=")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".$[]*_-".contains(c);
    Some(template).filter(|text| text.starts_with(['.', '$']) && text.len() > 1 && text.chars().all(is_plain))
}

/// Rejects incompatible flags, as kubectl does.
fn check_flags(args: &GetArgs, format: &Format) -> Result<(), CommandError> {
    if args.output.show_labels && !format.is_table() {
        let format = args.output.output.as_deref().unwrap_or_default();
        return Err(CommandError::usage(format_args!(
            "--show-labels option cannot be used with {format} printer"
        )));
    }
    if args.output.neat && !format.is_whole() {
        return Err(CommandError::usage("--neat needs -o yaml, kyaml, json or jsonl"));
    }
    if args.output.defaults && !(format.is_whole() || format.is_template()) {
        return Err(CommandError::usage("--defaults needs -o yaml, kyaml, json, jsonl or a template"));
    }
    if args.output.null && args.input.files_from.is_none() && !format.is_of_names() {
        return Err(CommandError::usage("--null needs -o name or -o files"));
    }
    if args.output.show_source && !format.has_sources() {
        let format = args.output.output.as_deref().unwrap_or_default();
        let refusal = CommandError::usage(format_args!("--show-source cannot be used with -o {format}"));
        return Err(
            refusal.hint("use -o name, jsonl, wide, csv, markdown or custom-columns, or leave out -o")
        );
    }
    Ok(())
}

/// What must be known about the resources in the input besides what the selection needs: tables need the columns of custom
/// resources, and validation their schemas.
fn knowledge(args: &GetArgs, format: &Format, by_column: bool) -> Knowledge {
    let is_validated = args.validation.validate != Validate::Ignore;
    let shows_columns = args.resources.is_empty() && (format.is_table() || by_column);
    match is_validated || args.output.defaults || shows_columns {
        true => Knowledge::Definitions,
        false => Knowledge::BuiltIn,
    }
}

fn table_options(args: &GetArgs, selection: &Selection, terminal: Terminal) -> TableOptions {
    // If several types are listed, they are distinguished even if only one of them has objects, as in kubectl.
    let listed = selection.requests.iter().filter(|request| request.name.is_none()).count();
    TableOptions {
        namespaces: args.filter.conditions.all_namespaces,
        // Scripts write -L "$KEYS".
        label_columns: args.output.label_columns.iter().filter(|key| !key.is_empty()).cloned().collect(),
        show_labels: args.output.show_labels,
        ties: selection.has_ties(),
        show_source: args.output.show_source,
        // Scripts get the same columns whatever the input.
        source_if_repeated: terminal.is_terminal && is_for_people(args),
        show_kind: args.output.show_kind || listed > 1,
        no_headers: args.output.no_headers,
        fit: args.output.fit.and_then(|columns| if columns > 0 { Some(columns) } else { terminal.columns }),
        colors: terminal.colors,
        ..TableOptions::default()
    }
}

/// When a single object is printed alone instead of in a List.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    /// If it is the only one, and was requested by name.
    Named,
    /// If it is the only object of its file.
    WholeFile,
    Never,
}

fn alone(args: &GetArgs, Query { selection, sources, .. }: &Query<'_>) -> Alone {
    let literal = |request: &grammar::Request| request.name.as_ref().is_some_and(|name| !name.is_pattern());
    let selects = selection.has_selectors()
        || selection.namespace.is_some()
        || !(args.filter.conditions.exclude.is_empty() && args.filter.conditions.name.is_empty());
    match (&selection.requests[..], &sources[..]) {
        ([request], _) if literal(request) => Alone::Named,
        ([], [source]) if source.named && source.path().is_some() && !selects => Alone::WholeFile,
        _ => Alone::Never,
    }
}

/// How each object is shown, on any thread.
struct View<'a> {
    show: Show<'a>,
    sort: Option<SortOrder>,
    /// Makes the rows whose cells --sort-by compares at this moment, in any format; `None` if it compares none.
    rows: Option<(Rows<'a>, Timestamp)>,
    reverse: bool,
    /// Whether a column shows by which fields relations hold.
    ties: bool,
    /// Whether the rows of all kinds are sorted together.
    one_table: bool,
    /// Whether columns are paths in objects.
    has_columns: bool,
    /// The fields of an object that sorting and custom columns need.
    fields: FieldSet,
    query: &'a Query<'a>,
    /// Whether reasons are coloured.
    colors: bool,
    /// Whether objects are those that a server holds.
    defaults: bool,
    /// How many selected objects are in other namespaces than their texts say.
    given: AtomicUsize,
    /// How many selected objects are built under several names.
    built: AtomicUsize,
}

/// What is printed.
enum Show<'a> {
    /// The selected objects.
    Objects(Box<dyn Printer + 'a>),
    /// The reasons why objects are not selected.
    Reasons,
}

/// The parts of an object that the output needs. Tables keep one for each object, so what is rare is boxed.
#[derive(Clone)]
struct Entry {
    /// The output; `None` for a selected object if only reasons are shown.
    piece: Option<Piece>,
    /// Whether the object is selected.
    is_selected: bool,
    /// The key that it is sorted by.
    key: Option<Box<SortKey>>,
    /// Whether the object is a document of its own.
    is_document: bool,
}

/// The results of a block or of an object.
type Found = Vec<(Slot, Entry)>;

/// Keeps entries until all copies of objects are known.
#[derive(Default)]
struct HeldEntries {
    /// The texts of the output.
    texts: Kept,
}

/// The entries of an object that waits.
enum HeldEntry {
    /// One with a text alone.
    Text {
        slot: Slot,
        text: KeptPart,
        is_selected: bool,
        is_document: bool,
    },
    Others(Found),
}

impl Hold<Found> for HeldEntries {
    type Held = HeldEntry;

    fn hold(&mut self, mut found: Found) -> io::Result<Option<HeldEntry>> {
        if let [(slot, Entry { piece: Some(Piece::Text(text)), is_selected, key: None, is_document })] =
            &found[..]
        {
            let text = self.texts.append(text)?;
            let (slot, is_selected, is_document) = (*slot, *is_selected, *is_document);
            return Ok(Some(HeldEntry::Text { slot, text, is_selected, is_document }));
        }
        found.shrink_to_fit();
        Ok((!found.is_empty()).then_some(HeldEntry::Others(found)))
    }

    fn resume(&mut self, held: HeldEntry) -> io::Result<Found> {
        Ok(match held {
            HeldEntry::Text { slot, text, is_selected, is_document } => {
                let piece = Some(Piece::Text(self.texts.part(text)?));
                vec![(slot, Entry { piece, is_selected, key: None, is_document })]
            }
            HeldEntry::Others(found) => found,
        })
    }
}

impl<'a> View<'a> {
    fn new(
        args: &GetArgs,
        format: &'a Format,
        sort: Option<SortOrder>,
        query: &'a Query<'a>,
        terminal: Terminal,
    ) -> Self {
        let Query { selection, catalog, .. } = query;
        let options = PrinterOptions {
            table: table_options(args, selection, terminal),
            catalog,
            omitted: match (args.output.neat, args.output.show_managed_fields) {
                (true, _) => Omitted::ServerFields,
                (false, false) => Omitted::ManagedFields,
                (false, true) => Omitted::Nothing,
            },
            arrangement: Arrangement::Together,
            null: args.output.null,
        };
        let rows = sort.as_ref().filter(|sort| sort.header().is_some()).map(|_| {
            // Also by columns that only -o wide shows.
            let table = table_options(args, selection, Terminal::default());
            let rows = Rows::new(TableOptions { layout: TableLayout::Wide, ..table }, catalog);
            (rows, query.moment_in_advance().time)
        });
        let show = if args.why { Show::Reasons } else { Show::Objects(format.printer(options)) };
        let mut fields = FieldSet::default();
        sort.iter().for_each(|sort| sort.add_fields(&mut fields));
        if let Show::Objects(printer) = &show {
            printer.add_fields(&mut fields);
        }
        let is_wide = matches!(format, Format::Table(layout) if layout.is_wide());
        Self {
            show,
            ties: selection.has_ties() && (rows.is_some() || is_wide),
            sort,
            rows,
            reverse: args.output.reverse,
            one_table: format.is_one_table(),
            has_columns: matches!(format, Format::CustomColumns(..)),
            fields,
            query,
            colors: terminal.colors,
            defaults: args.output.defaults,
            given: AtomicUsize::new(0),
            built: AtomicUsize::new(0),
        }
    }
}

impl View<'_> {
    /// Whether output is written before all of the input has been read.
    fn writes_as_it_goes(&self) -> bool {
        let is_stream = match &self.show {
            Show::Objects(printer) => printer.is_stream(),
            Show::Reasons => true,
        };
        is_stream && self.sort.is_none() && !self.reverse
    }

    /// Adds the requests that an object meets, with an entry for each. Returns whether it is selected.
    fn visit(
        &self,
        object: &Object<'_>,
        slots: &mut Vec<Slot>,
        found: &mut Found,
    ) -> Result<bool, ObjectError> {
        let held = if self.defaults {
            let value = object.value().map_err(Diagnostic::from)?;
            Some(held::held(object.head, value, Fields::ALL, &self.query.catalog, Stage::Stored))
        } else {
            None
        };
        let held = held.map(|held| object.with_value(held));
        let object = held.as_ref().unwrap_or(object);
        let entry = match &self.show {
            Show::Objects(printer) => {
                self.query.selection.slots(object, &self.query.catalog, slots)?;
                if slots.is_empty() { None } else { Some(self.entry(object, &**printer)?) }
            }
            Show::Reasons => self.reason(object, slots)?,
        };
        let is_selected = entry.as_ref().is_some_and(|entry| entry.is_selected);
        if let (Some(entry), Some((last, others))) = (entry, slots.split_last()) {
            self.given.fetch_add(usize::from(self.given_namespace(object).is_some()), Ordering::Relaxed);
            self.built.fetch_add(usize::from(object.has_several_names()), Ordering::Relaxed);
            if found.is_empty() {
                // Often, this is all.
                found.reserve_exact(slots.len());
            }
            found.extend(others.iter().map(|slot| (*slot, entry.clone())));
            found.push((*last, entry));
        }
        Ok(is_selected)
    }

    /// The namespace of an object that is not the one in its text.
    fn given_namespace<'o>(&'o self, object: &'o Object<'_>) -> Option<&'o str> {
        object.head.given?;
        let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
        (namespace != object.head.namespace.unwrap_or_default()).then_some(namespace)
    }

    /// The object with the namespace and the name that it is given and that tables show, as far as its fields are asked for; `None` if
    /// these are as in its text.
    fn placed<'t>(
        &self,
        object: &Object<'t>,
        namespace: Option<&str>,
    ) -> Result<Option<Object<'t>>, syntax::error::Error> {
        let fields = Fields::only(&self.fields);
        let mut given = [("namespace", namespace), ("name", object.head.given_names())];
        given.iter_mut().for_each(|(key, text)| _ = text.take_if(|_| !fields.asks(&["metadata", key])));
        if given.iter().all(|(_, text)| text.is_none()) {
            return Ok(None);
        }
        let mut tree = object.fields(fields)?.into_owned();
        if let Some(metadata) = tree.at_mut("metadata").and_then(Node::as_map_mut) {
            for (key, text) in given {
                text.map(|text| metadata.insert(key, Span::default(), Node::text(text)));
            }
        }
        Ok(Some(object.with_value(tree)))
    }

    /// The colour, if there are colours.
    fn colors(&self, style: color::Style) -> Option<color::Style> {
        self.colors.then_some(style)
    }

    /// Adds the slots of a candidate. Returns the line with the reason why it is not selected; `None` if it is not a
    /// candidate.
    fn reason(&self, object: &Object<'_>, slots: &mut Vec<Slot>) -> Result<Option<Entry>, SelectionError> {
        self.query.selection.candidate(object.head, &self.query.catalog, slots);
        if slots.is_empty() {
            return Ok(None);
        }
        let reason = self.query.selection.why_not(object, &self.query.catalog)?;
        let is_selected = reason.is_none();
        let line = |reason| {
            let place = object.place().without_document().to_string();
            let name = object.head.type_and_name();
            let (place, name) = (
                color::painted(&place, self.colors(color::PLACE)),
                color::painted(&name, self.colors(color::HEADER)),
            );
            Piece::Text(format!("{place}: {name}: {reason}\n").into_bytes())
        };
        let is_document = object.is_document();
        let piece = reason.map(line);
        Ok(Some(Entry { piece, is_selected, key: None, is_document }))
    }

    fn entry(&self, object: &Object<'_>, printer: &dyn Printer) -> Result<Entry, Diagnostic> {
        let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
        let via = match self.ties {
            true => self.query.selection.via(object, &self.query.catalog)?,
            false => String::new(),
        };
        let key = match (&self.sort, &self.rows) {
            (Some(sort), Some((rows, now))) => {
                let header = sort.header().unwrap_or_default();
                let cell = rows.cell(object, namespace, &via, (header, *now))?;
                sort.cell_key(cell.as_deref(), object.head.creation_timestamp)
            }
            (Some(sort), None) => {
                let placed = self.placed(object, self.given_namespace(object))?;
                let fields = placed.as_ref().unwrap_or(object).fields(Fields::only(&self.fields))?;
                sort.key(&fields).map_err(|error| Diagnostic::of(object, error))?
            }
            (None, _) => None,
        };
        let context = Context { namespace, via: &via, fields: &self.fields };
        // Those of custom columns are fields of the file, but for the name that tells a Namespace.
        let named = if self.has_columns { self.placed(object, None)? } else { None };
        let object = named.as_ref().unwrap_or(object);
        let piece = printer.piece(object, &context).map_err(|error| Diagnostic::of_piece(object, error))?;
        let is_document = object.is_document();
        let key = key.map(Box::new);
        Ok(Entry { piece: Some(piece), is_selected: true, key, is_document })
    }
}

/// Puts entries in the requested order and writes them, immediately if that is the order of the input.
struct Results<'a> {
    view: &'a View<'a>,
    writer: Box<dyn PieceWriter + 'a>,
    alone: Alone,
    out: &'a mut dyn Write,
    /// Entries that are waiting for those before them.
    waiting: BTreeMap<Slot, Vec<Entry>>,
    found: MatchedNames,
    /// The number of selected objects written.
    count: usize,
    namespace: Option<String>,
    in_several_namespaces: bool,
}

/// Counts of the output.
struct Written {
    /// The number of selected objects.
    count: usize,
    /// Whether tables had rows of several namespaces.
    in_several_namespaces: bool,
}

impl<'a> Results<'a> {
    fn new(view: &'a View<'a>, alone: Alone, out: &'a mut dyn Write) -> Self {
        let writer = match &view.show {
            Show::Objects(printer) => printer.writer(),
            Show::Reasons => Box::new(TextWriter),
        };
        let found = MatchedNames::none(&view.query.selection);
        Self {
            view,
            writer,
            alone,
            out,
            waiting: BTreeMap::new(),
            found,
            count: 0,
            namespace: None,
            in_several_namespaces: false,
        }
    }

    /// Writes the entries that need not wait for others.
    fn take(&mut self, found: Found) -> io::Result<()> {
        for (slot, entry) in found {
            self.found.add(slot);
            match slot {
                Slot::FIRST if self.view.writes_as_it_goes() => self.write(entry)?,
                slot => self.waiting.entry(slot).or_default().push(entry),
            }
        }
        Ok(())
    }

    /// Writes the waiting entries, whose ages count to `now`. Returns counts of the output.
    fn finish(mut self, args: &GetArgs, now: Timestamp) -> anyhow::Result<Written> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let admitted = waiting.filter(|(slot, _)| self.found.admits(*slot));
        let mut all = Vec::new();
        for (_, entries) in admitted {
            // Usually there is one slot, whose entries need not be moved.
            if all.is_empty() { all = entries } else { all.extend(entries) }
        }
        let entries = self.sorted(all).map_err(CommandError::from)?;
        let is_missing = !self.found.missing(&self.view.query.selection).is_empty();
        let nothing =
            self.count == 0 && entries.is_empty() && (args.filter.conditions.ignore_not_found || is_missing);
        if !nothing {
            entries.into_iter().try_for_each(|entry| self.write(entry))?;
            self.writer.finish(now, self.out)?;
        }
        let Self { count, in_several_namespaces, .. } = self;
        Ok(Written { count, in_several_namespaces })
    }

    /// The entries sorted by key, with the rows of a kind together if no order of types was requested.
    fn sorted(&self, mut entries: Vec<Entry>) -> Result<Vec<Entry>, SortError> {
        if self.view.query.selection.requests.is_empty() {
            Row::group(&mut entries, |entry| match &entry.piece {
                Some(Piece::Row(row)) => Some(row),
                _ => None,
            });
        }
        let together = |a: &Entry, b: &Entry| match (&a.piece, &b.piece) {
            (Some(a), Some(b)) => self.view.one_table || a.is_sorted_with(b),
            _ => true,
        };
        if let Some(sort) = &self.view.sort {
            entries = sort.sort(entries, |entry| entry.key.as_deref(), together)?;
        }
        if self.view.reverse {
            // Each table is reversed; the tables keep the order of the types.
            entries.chunk_by_mut(together).for_each(<[_]>::reverse);
        }
        Ok(entries)
    }

    fn write(&mut self, entry: Entry) -> io::Result<()> {
        self.count += usize::from(entry.is_selected);
        let is_alone = self.alone == Alone::Named || self.alone == Alone::WholeFile && entry.is_document;
        if let Some(Piece::Row(row)) = &entry.piece
            && !self.in_several_namespaces
            && let Some(namespace) = row.own_namespace()
        {
            let first = self.namespace.get_or_insert_with(|| namespace.to_owned());
            self.in_several_namespaces = first != namespace;
        }
        match entry.piece {
            Some(piece) => self.writer.write(piece, is_alone, self.out),
            None => Ok(()),
        }
    }
}
