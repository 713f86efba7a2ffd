//! `kselect label` and `kselect annotate`: change labels and annotations, leaving every other byte unchanged.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::catalog::Catalog;
use crate::catalog::grammar::Request;
use crate::edit::change::{self, Change, Field};
use crate::edit::refusal::{self, Conflict, EditError};
use crate::edit::write::{self, Target, WriteError};
use crate::edit::{self, Edited, ObjectEdit, Splice};
use crate::manifest::document::Syntax;
use crate::manifest::error::{Error, Place};
use crate::manifest::fields::FieldSet;
use crate::manifest::gvk::GroupVersionKind;
use crate::manifest::list::{Object, objects_of};
use crate::manifest::source::Source;
use crate::manifest::stream::Block;
use crate::output::color as palette;
use crate::output::list::Omitted;
use crate::output::printer::{
    Arrangement, Context, Piece, PieceError, PieceWriter, Printer, RelationCells, Texts,
};
use crate::output::rows::TableOptions;
use crate::output::{Format, PrinterOptions, prints_objects};
use crate::scan::{BlockOf, Item, Scan, SkippedCounts};
use crate::selection::{Selection, SelectionError, Slot, UnsupportedField};
use crate::selector::validation;
use crate::text::glob::NamePattern;
use crate::text::{go, terminal};
use similar::TextDiff;

use super::as_of;
use super::input::{self, Knowledge, Near};
use super::names::MatchedNames;
use super::report::{CommandError, Diagnostic, Outcome, Output, Report};
use super::unselected::{BlockStats, UnselectedStats};
use super::validated::Validator;
use crate::cli::{EditArgs, LabelArgs, Validate};
use crate::commands::interrupt::Interrupts;

/// How long to search for a minimal diff of one source.
const DIFF_PATIENCE: Duration = Duration::from_secs(2);

/// Runs `label` or `annotate`.
pub fn run(
    field: Field,
    args: &LabelArgs,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let dry_run = dry_run(&args.edit, &report)?;
    let (resources, pairs) = change::classify(field, &args.arguments).map_err(|error| {
        let hint = with_equals_sign(&args.arguments);
        let hint = hint.or_else(|| input::name_files(&args.arguments));
        CommandError::usage(error).with_hint(hint)
    })?;
    let change = Change {
        overwrite: args.edit.overwrite,
        resource_version: args.edit.resource_version.clone(),
        templates: args.edit.templates || args.edit.selectors,
        selectors: args.edit.selectors,
        ..Change::parse(field, pairs).map_err(CommandError::usage)?
    };
    let mode = mode(&args.edit, dry_run)?;
    check_flags(&change, args)?;
    let selection = input::selection(&args.filter, args.arguments.get(..1).unwrap_or_default())?;
    let mut sources = input::sources_to_edit(&args.input, &args.arguments, &mut report)?;
    if let Mode::InPlace | Mode::Diff = mode {
        input::each_once(&mut sources);
    }
    let needed = knowledge(resources, args, &selection);
    let query = input::query(selection, resources, &args.filter, needed, &mut sources, &mut report)?;
    let Some((selection, catalog)) = query else { return Ok(Outcome::Failed) };
    check_names(&selection, args)?;
    let single = is_single(&selection, &sources);
    if change.resource_version.is_some() && !single {
        return Err(CommandError::usage("--resource-version may only be used with a single resource").into());
    }

    let named = named(&selection, &catalog, &mut sources, &mut report);
    let options = PrinterOptions {
        table: TableOptions::default(),
        catalog: &catalog,
        now: as_of::now()?,
        omitted: Omitted::ManagedFields,
        arrangement: Arrangement::EachAlone,
    };
    let printer: Box<dyn Printer> = match &mode {
        Mode::Print(format) => format.printer(options),
        _ => Box::new(ListPrinter { field, single }),
    };
    let (change, selection, catalog) = (&change, &selection, &catalog);
    let force = args.edit.force;
    let validator = Validator { how: args.validation.validate, catalog };
    let unselected = UnselectedStats::new(selection);
    let editor = Editor {
        change,
        selection,
        catalog,
        validator,
        named,
        unselected,
        mode: &mode,
        printer: &*printer,
        force,
    };
    if !change.overwrite && !change.is_empty() && mode.writes_as_it_goes() {
        input::keep(&mut sources, &mut report);
        if !editor.guard(&sources, &mut report) {
            return Ok(Outcome::Failed);
        }
    }
    let targets = match mode {
        Mode::InPlace => targets(&mut sources, &mut report),
        _ => Vec::new(),
    };
    let scan = Scan::of(&sources).tool_files(selection.tool_files());
    let mut results = Results::new(&editor, &sources, targets, out, report.terminals().stdout.colors);
    let mut written = Ok(());
    report.start_progress(if mode.writes_as_it_goes() { Output::AsItGoes } else { Output::AtTheEnd });
    let merge = |batch: Option<Batch>| {
        let Some(batch) = batch else {
            written = results.show();
            return if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        };
        report.advance(batch.length, &sources);
        written = results.take(batch, &mut report);
        if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    scan.blocks_as_they_come(|block| editor.batch(scan, block), merge);
    report.end_of_input();
    written?;
    results.finish(resources, args.filter.ignore_not_found, &mut report)?;
    report.hint_at_fields();
    report.note_empty_input(&sources);
    if results.count == 0 && !report.has_failed() && !args.filter.ignore_not_found {
        report.note(input::nothing_found(&args.filter, selection));
        let unselected = (&editor.unselected, &results.block_stats);
        report.nothing_selected(unselected, selection, "kselect get --why", args.filter.exit_status);
        report.hint_at_unread(&args.input);
    }
    Ok(match results.count {
        _ if report.has_failed() => Outcome::Failed,
        0 if args.filter.exit_status => Outcome::NothingSelected,
        _ => Outcome::Done,
    })
}

/// What must be known about the resources in the input, as for `get`.
fn knowledge(resources: &[String], args: &LabelArgs, selection: &Selection) -> Knowledge {
    match resources.is_empty() {
        true if !selection.fields.is_empty() => Knowledge::Kinds,
        _ if args.validation.validate != Validate::Ignore => Knowledge::Definitions,
        true if selection.namespace.is_some() => Knowledge::Definitions,
        _ if input::has_relations(&args.filter) => Knowledge::Definitions,
        false if input::has_category(&Catalog::new(), resources) => Knowledge::Definitions,
        _ => Knowledge::BuiltIn,
    }
}

/// Finds the NAMEs that exist and could also be patterns: these are taken literally. The input is read in advance only
/// for such NAMEs.
fn named(
    selection: &Selection,
    catalog: &Catalog,
    sources: &mut [Source],
    report: &mut Report,
) -> MatchedNames {
    let mut found = MatchedNames::none(selection);
    let is_pattern = |request: &Request| request.name.as_ref().is_some_and(NamePattern::is_pattern);
    if !selection.requests.iter().any(is_pattern) {
        return found;
    }
    input::keep(sources, report);
    let visit = |object: &Object<'_>, slots: &mut Vec<Slot>| {
        // Errors are reported when the object is edited.
        let _ = selection.slots(object, catalog, slots);
    };
    Scan::of(sources).tool_files(selection.tool_files()).objects(visit, |slots| {
        slots.into_iter().for_each(|slot| found.add(slot));
    });
    found
}

/// What to do with the edited text.
enum Mode {
    /// The whole input is printed.
    Stream,
    /// The files are rewritten.
    InPlace,
    /// The difference is printed.
    Diff,
    /// Only messages are printed.
    DryRun,
    /// The selected objects are printed.
    Print(Format),
    /// Their labels or annotations are printed.
    List,
}

impl Mode {
    /// Whether output is written before all of the input has been read.
    fn writes_as_it_goes(&self) -> bool {
        match self {
            Self::Stream | Self::Diff | Self::Print(_) | Self::List => true,
            Self::InPlace | Self::DryRun => false,
        }
    }

    /// Whether the bytes of the input are passed on.
    fn keeps_bytes(&self) -> bool {
        matches!(self, Self::Stream | Self::InPlace | Self::Diff)
    }
}

/// Whether nothing is written because of `--dry-run` (kubectl, cmd/util/helpers.go, GetDryRunStrategy).
fn dry_run(args: &EditArgs, report: &Report) -> Result<bool, CommandError> {
    match args.dry_run.as_deref() {
        None | Some("none") => Ok(false),
        Some("client") => Ok(true),
        Some("unchanged") => {
            report.raw("W: --dry-run is deprecated and can be replaced with --dry-run=client.");
            Ok(true)
        }
        Some("server") => Err(CommandError::usage(
            "cannot specify --dry-run=server: there is no server - did you mean --dry-run=client?",
        )),
        Some(other) => Err(CommandError::usage(format_args!(
            "Invalid dry-run value ({}). Must be \"none\", \"server\", or \"client\".",
            crate::text::excerpt::cut(other)
        ))),
    }
}

fn mode(args: &EditArgs, dry_run: bool) -> Result<Mode, CommandError> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    Ok(match given(&args.output) || given(&args.template) {
        true if args.list => {
            return Err(CommandError::usage("--list and --output may not be specified together"));
        }
        true => Mode::Print(format(args)?),
        false if args.list => Mode::List,
        false if args.in_place => Mode::InPlace,
        false if args.diff => Mode::Diff,
        false if dry_run => Mode::DryRun,
        false => Mode::Stream,
    })
}

fn format(args: &EditArgs) -> Result<Format, CommandError> {
    let (output, template) = (args.output.as_deref(), args.template.as_deref());
    let format = Format::parse(output, template, prints_objects, |path| std::fs::read_to_string(path));
    format.map_err(input::format_error)
}

/// Rejects incompatible arguments, as kubectl does (label.go and annotate.go, Validate).
fn check_flags(change: &Change, args: &LabelArgs) -> Result<(), CommandError> {
    if args.all && !args.filter.selector.is_empty() {
        return Err(CommandError::usage("cannot set --all and --selector at the same time"));
    }
    if args.all && !args.filter.field_selector.is_empty() {
        return Err(CommandError::usage("cannot set --all and --field-selector at the same time"));
    }
    if change.is_empty() && change.resource_version.is_none() && !args.edit.list {
        let refusal =
            CommandError::usage(format_args!("at least one {} update is required", change.field.noun()));
        return Err(refusal.with_hint(with_equals_sign(&args.arguments)));
    }
    if args.edit.in_place
        && (args.input.filename.is_empty() || args.input.filename.iter().any(|name| name == "-"))
    {
        let refusal = CommandError::usage("--in-place cannot rewrite standard input");
        return Err(refusal.with_hint(Some("name the files with -f")));
    }
    Ok(())
}

/// The hint about arguments one of which is written like a label in YAML: `team:shop`.
fn with_equals_sign(arguments: &[String]) -> Option<String> {
    let is_label = |argument: &&String| {
        argument
            .split_once(':')
            .is_some_and(|(key, value)| !value.is_empty() && validation::label_key(key).is_empty())
    };
    let meant = arguments.iter().find(is_label)?.replacen(':', "=", 1);
    Some(format!("join a key and its value with an equals sign: {}", crate::text::excerpt::cut(&meant)))
}

/// Rejects a TYPE that would select all objects without `--all` (cli-runtime, builder.go).
fn check_names(selection: &Selection, args: &LabelArgs) -> Result<(), CommandError> {
    let nameless = selection.requests.iter().any(|request| request.name.is_none());
    if nameless && !args.all && !selection.has_selectors() {
        let refusal = CommandError::usage("resource(s) were provided, but no name was specified");
        return Err(refusal.with_hint(Some("name objects, select them with -l, or use --all")));
    }
    Ok(())
}

/// Whether at most one object, or one file, is concerned: then `--list` shows no headers.
fn is_single(selection: &Selection, sources: &[Source]) -> bool {
    match (&selection.requests[..], sources) {
        ([], [source]) => source.named && !source.is_stdin(),
        ([request], _) => request.name.as_ref().is_some_and(|name| !name.is_pattern()),
        _ => false,
    }
}

/// Edits blocks and makes the output.
struct Editor<'a> {
    change: &'a Change,
    selection: &'a Selection,
    catalog: &'a Catalog,
    validator: Validator<'a>,
    /// The NAMEs that exist.
    named: MatchedNames,
    unselected: UnselectedStats,
    mode: &'a Mode,
    /// The printer, if objects are printed.
    printer: &'a dyn Printer,
    /// Whether read-only files are rewritten.
    force: bool,
}

/// The result of a run of documents.
#[derive(Default)]
struct Batch {
    /// Its source: one of the given sources, or a file of an archive.
    source: Option<Source>,
    /// Its length in bytes.
    length: usize,
    splices: Vec<Splice>,
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether it is JSON; `None` if it has no document.
    json: Option<bool>,
    objects: Vec<(Slot, ObjectEdit)>,
    printed: Vec<(Slot, Piece)>,
    conflicts: Vec<Conflict>,
    refusals: Vec<EditError>,
    errors: Vec<Diagnostic>,
    /// Whether an object is invalid and therefore not edited.
    invalid: bool,
    warnings: Vec<String>,
    unsupported: Vec<UnsupportedField>,
    /// Documents that are not Kubernetes objects.
    skipped: SkippedCounts,
    block_stats: BlockStats,
}

impl Editor<'_> {
    fn batch(&self, scan: Scan<'_>, work: BlockOf<'_>) -> Batch {
        let (block, source) = match work {
            Ok(work) => work,
            Err(error) => return Batch { errors: vec![error.into()], ..Batch::default() },
        };
        let length = block.lead().len() + block.bytes().len() - block.invented();
        let mut batch = Batch { source: Some(source.clone()), length, ..Batch::default() };
        if matches!(self.mode, Mode::InPlace) && (block.is_compressed() || source.is_entry()) {
            let place = Place { source: source.name.clone(), line: None, document: None };
            batch.refusals.push(EditError { place, refusal: refusal::Refusal::Compressed, excerpt: None });
            return batch;
        }
        if block.is_decoded() && self.mode.keeps_bytes() {
            let place = Place { source: source.name.clone(), line: None, document: None };
            batch.refusals.push(EditError { place, refusal: refusal::Refusal::Encoding, excerpt: None });
            return batch;
        }
        let mut slots = Vec::new();
        let mut chosen = Vec::new();
        let mut left_out = BTreeSet::new();
        let select = |object: Result<&Object<'_>, Error>| {
            let number = match &object {
                Ok(object) => Some(object.document.number),
                Err(error) => error.place.document,
            };
            let object = match scan.item(object, source) {
                Item::Object(object) => object,
                Item::Skipped(sort) => {
                    batch.skipped.add(sort);
                    left_out.extend(number);
                    return false;
                }
                Item::Error(error) => {
                    batch.errors.push(error.into());
                    return false;
                }
            };
            slots.clear();
            if !self.validator.admits(object, &mut batch.errors, &mut batch.warnings) {
                batch.invalid = true;
                return false;
            }
            match self.slots(object, &mut slots) {
                Ok(()) => (),
                Err(SelectionError::Unsupported(field)) => batch.unsupported.push(field),
                Err(error) => batch.errors.push(error.into()),
            }
            // An object that was requested twice is changed once.
            chosen.extend(slots.first());
            let is_selected = !slots.is_empty();
            match is_selected {
                true => self.unselected.selected(&mut batch.block_stats),
                false => {
                    let seen = &mut batch.block_stats;
                    self.unselected.unselected(object, self.selection, self.catalog, &mut slots, seen);
                }
            }
            is_selected
        };
        let edited = edit::edit(&block, source, self.change, select);
        let Edited { splices, objects, conflicts, refusals } = edited;
        (batch.conflicts, batch.refusals) = (conflicts, refusals);
        // Refusals are reported before the other objects of their document.
        let mut objects = objects;
        objects.sort_by_key(|object| object.number);
        batch.objects = chosen.into_iter().zip(objects).collect();
        match self.mode {
            Mode::Stream => self.stream(&block, source, splices, &left_out, &mut batch),
            Mode::Diff => {
                batch.old = text_of(&block);
                batch.new = text_of(&block.spliced(&splices));
            }
            Mode::InPlace => batch.splices = splices,
            Mode::DryRun => (),
            Mode::Print(_) | Mode::List => self.print_all(&block.spliced(&splices), source, &mut batch),
        }
        if let Mode::InPlace = self.mode {
            // Inferred text, which has no object, is not edited.
            for (range, _) in &mut batch.splices {
                let moved = |at: usize| at + block.lead().len() - block.invented();
                *range = moved(range.start)..moved(range.end);
            }
        }
        batch
    }

    /// The edited text of the block, without documents that are left out.
    fn stream(
        &self,
        block: &Block,
        source: &Source,
        mut splices: Vec<Splice>,
        left_out: &BTreeSet<usize>,
        batch: &mut Batch,
    ) {
        let documents = || block.documents(source).flatten();
        let out = |number: &usize| left_out.contains(number);
        if !left_out.is_empty() {
            if documents().all(|document| out(&document.number)) {
                return;
            }
            for document in documents().filter(|document| out(&document.number)) {
                let start = block.start_of(&document);
                splices.push((start..start + document.text.len(), Vec::new()));
            }
            splices.sort_by_key(|(range, _)| range.start);
        }
        batch.json = documents().last().map(|document| document.syntax == Syntax::Json);
        batch.new = text_of(&block.spliced(&splices));
    }

    /// Prints the selected objects of the edited block.
    fn print_all(&self, block: &Block, source: &Source, batch: &mut Batch) {
        let mut number = 0;
        let mut chosen = batch.objects.iter().peekable();
        let (printed, errors) = (&mut batch.printed, &mut batch.errors);
        objects_of(block, source, &mut |object| {
            let Ok(object) = object else { return };
            if let Some((slot, edit)) = chosen.next_if(|(_, edit)| edit.number == number)
                && !edit.failed
            {
                match self.print(object) {
                    Ok(piece) => printed.push((*slot, piece)),
                    Err(diagnostic) => errors.push(diagnostic),
                }
            }
            number += 1;
        });
    }

    fn print(&self, object: &Object<'_>) -> Result<Piece, Diagnostic> {
        let namespace = self.selection.namespace_of(object.head, self.catalog);
        let mut fields = FieldSet::default();
        self.printer.add_fields(&mut fields);
        let context = Context { namespace, relations: &RelationCells::default(), fields: &fields };
        self.printer.piece(object, &context).map_err(|error| match error {
            PieceError::Unreadable(error) => error.into(),
            PieceError::Template(reason) => Diagnostic::new(format_args!("{}: {reason}", object.place())),
        })
    }

    /// Looks for conflicting values before anything is written, and reports them. Returns whether there are none.
    ///
    /// *Compatibility* (all-or-nothing): kubectl changes the objects without a conflict.
    fn guard(&self, sources: &[Source], report: &mut Report) -> bool {
        let scan = Scan::of(sources).tool_files(self.selection.tool_files());
        let mut clear = true;
        let conflicts = |work: BlockOf<'_>| {
            let Ok((block, source)) = work else { return (0, Vec::new()) };
            let mut slots = Vec::new();
            let doubtful = |object: Result<&Object<'_>, Error>| {
                let Item::Object(object) = scan.item(object, source) else { return false };
                slots.clear();
                let answered = self.slots(object, &mut slots).is_ok();
                answered && !slots.is_empty() && !edit::is_clear(self.change, object.head)
            };
            (block.bytes().len(), edit::edit(&block, source, self.change, doubtful).conflicts)
        };
        report.start_progress(Output::AtTheEnd);
        scan.blocks(conflicts, |(length, conflicts)| {
            report.advance(length, sources);
            clear &= conflicts.is_empty();
            self.report_conflicts(&conflicts, report);
            ControlFlow::Continue(())
        });
        report.end_of_input();
        clear
    }

    /// Adds the slots of an object if it is to be edited.
    fn slots(&self, object: &Object<'_>, slots: &mut Vec<Slot>) -> Result<(), SelectionError> {
        self.selection.slots(object, self.catalog, slots)?;
        slots.retain(|slot| self.named.admits(*slot));
        Ok(())
    }

    /// Reports values that may not be overwritten.
    fn report_conflicts(&self, conflicts: &[Conflict], report: &mut Report) {
        for conflict in conflicts {
            let place = &conflict.place;
            let message = match self.change.field {
                Field::Labels => format!("{place}: {conflict}, and --overwrite is false"),
                Field::Annotations => format!(
                    "{place}: --overwrite is false but found the following declared annotation(s): {conflict}"
                ),
            };
            let source = Some(place.source.clone());
            report.diagnostic(&Diagnostic { source, ..Diagnostic::new(message) });
        }
    }

    /// The lines about an object (kubectl, label.go, RunLabel and updateDataChangeMsg).
    fn message(&self, object: &ObjectEdit) -> String {
        let absent = match (self.change.field, self.mode) {
            // kubectl doesn't look in a dry run.
            (Field::Annotations, _) | (_, Mode::DryRun) => String::new(),
            (Field::Labels, _) => {
                object.absent.iter().map(|key| format!("label {} not found.\n", go::quote(key))).collect()
            }
        };
        let done = match (self.change.field, object.set, object.removed) {
            (Field::Annotations, ..) => "annotated",
            (Field::Labels, 0, 0) => "not labeled",
            (Field::Labels, _, 0) => "labeled",
            (Field::Labels, 0, _) => "unlabeled",
            (Field::Labels, ..) => "modified",
        };
        let dry_run = if let Mode::DryRun = self.mode { " (dry run)" } else { "" };
        format!("{absent}{} {done}{dry_run}", object.name)
    }
}

/// The state of the files before they are read; those that cannot be rewritten are reported and left out.
fn targets(sources: &mut Vec<Source>, report: &mut Report) -> Vec<Target> {
    let mut targets = Vec::new();
    sources.retain(|source| match source.path().map(Target::of) {
        // Hard links to one file are one file.
        Some(Ok(target)) => {
            let has_names = target.other_names() > 0;
            match targets.iter_mut().find(|other: &&mut Target| has_names && other.is_same(&target)) {
                Some(same) => same.take_name(target),
                None => {
                    targets.push(target);
                    return true;
                }
            }
            false
        }
        Some(Err(error)) => {
            report.error(format_args!("{}: {error}", crate::text::go::printable(&source.name)));
            false
        }
        None => false,
    });
    targets
}

/// `--list`: the labels or annotations, below a header if there may be several objects.
///
/// *Compatibility* (sorted-labels): the lists are sorted; kubectl prints them in random order.
struct ListPrinter {
    field: Field,
    single: bool,
}

impl Printer for ListPrinter {
    fn is_stream(&self) -> bool {
        true
    }

    fn add_fields(&self, _: &mut FieldSet) {}

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let head = object.head;
        let mut entries: Vec<(&str, &str)> = match self.field {
            Field::Labels => head.labels.clone(),
            Field::Annotations => {
                let map = object.tree()?.at("metadata.annotations").and_then(|node| node.as_map());
                let entries = map.into_iter().flatten();
                entries.map(|entry| (entry.key.as_str(), entry.value.as_str().unwrap_or(""))).collect()
            }
        };
        entries.sort_unstable();
        let mut text = String::new();
        if !self.single {
            let GroupVersionKind { group, kind, .. } = GroupVersionKind::new(head.api_version, head.kind);
            let (kind, name) = (go::printable(kind), go::printable(head.name.unwrap_or("<unknown>")));
            text += &format!("Listing {} for {kind}.{group}/{name}:\n", self.field.key());
        }
        let indent = if self.single { "" } else { " " };
        for (key, value) in entries {
            text += &terminal::lines(&format!("{indent}{key}={value}\n"));
        }
        Ok(Piece::Text(text.into_bytes()))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(Texts)
    }
}

/// The bytes of a block in its source.
fn text_of(block: &Block) -> Vec<u8> {
    [block.lead(), &block.bytes()[block.invented()..]].concat()
}

/// Takes the batches in the order of the input and writes the output.
struct Results<'a> {
    editor: &'a Editor<'a>,
    sources: &'a [Source],
    /// The number of the current source.
    at: usize,
    /// The name of the current source or file of an archive.
    text_of: Option<Arc<str>>,
    out: &'a mut dyn Write,
    found: MatchedNames,
    count: usize,
    skipped: SkippedCounts,
    block_stats: BlockStats,
    /// Whether an edit failed, so that no file is rewritten.
    blocked: bool,
    messages: Vec<Message>,
    /// Printed objects that are waiting for those before them.
    waiting: Vec<(Slot, Piece)>,
    writer: Box<dyn PieceWriter + 'a>,
    joint: Joint,
    diff: (Vec<u8>, Vec<u8>),
    /// Whether output is coloured.
    colors: bool,
    files: Vec<Rewrite>,
}

/// The lines about an object.
struct Message {
    slot: Slot,
    /// The number of its source.
    source: usize,
    text: String,
    is_changed: bool,
}

/// The maximum number of objects that are listed one by one.
const MAX_MESSAGES: usize = 20;

/// The lines about objects: one for each if there are few, otherwise their number.
fn each_or_all(messages: &[Message]) -> Vec<String> {
    if messages.len() <= MAX_MESSAGES {
        return messages.iter().map(|message| message.text.clone()).collect();
    }
    let changed = messages.iter().filter(|message| message.is_changed);
    let files: BTreeSet<usize> = changed.clone().map(|message| message.source).collect();
    let (changed, files) = (changed.count(), files.len());
    let noun = if files == 1 { "file" } else { "files" };
    let objects = messages.len();
    vec![format!(
        "kselect: changed {changed} of {objects} objects in {files} {noun}; --dry-run=client lists them"
    )]
}

/// A file to be rewritten.
struct Rewrite {
    target: Target,
    splices: Vec<Splice>,
    /// How many of its bytes have been read.
    read: usize,
}

/// How the previous text ended, which the next source is joined to.
#[derive(Default)]
struct Joint {
    source: Option<Arc<str>>,
    json: bool,
    ended: bool,
}

impl<'a> Results<'a> {
    fn new(
        editor: &'a Editor<'a>,
        sources: &'a [Source],
        targets: Vec<Target>,
        out: &'a mut dyn Write,
        colors: bool,
    ) -> Self {
        let rewrite = |target| Rewrite { target, splices: Vec::new(), read: 0 };
        Self {
            editor,
            sources,
            at: 0,
            text_of: None,
            out,
            found: MatchedNames::none(editor.selection),
            count: 0,
            skipped: SkippedCounts::default(),
            block_stats: BlockStats::default(),
            blocked: false,
            messages: Vec::new(),
            waiting: Vec::new(),
            writer: editor.printer.writer(),
            joint: Joint::default(),
            diff: Default::default(),
            colors,
            files: targets.into_iter().map(rewrite).collect(),
        }
    }

    fn take(&mut self, mut batch: Batch, report: &mut Report) -> io::Result<()> {
        batch.errors.iter().for_each(|error| report.diagnostic(error));
        batch.warnings.iter().for_each(|warning| report.warning(warning));
        std::mem::take(&mut batch.unsupported).into_iter().for_each(|field| report.unsupported(field));
        self.editor.report_conflicts(&batch.conflicts, report);
        self.blocked |= batch.invalid || !(batch.conflicts.is_empty() && batch.refusals.is_empty());
        for refusal in std::mem::take(&mut batch.refusals) {
            report.diagnostic(&self.diagnostic(refusal));
        }
        self.skipped.extend(&batch.skipped);
        self.block_stats.add(std::mem::take(&mut batch.block_stats));
        let Some(source) = &batch.source else { return Ok(()) };
        let is_same = |other: &Arc<str>| Arc::ptr_eq(other, &source.name);
        if self.text_of.as_ref().is_none_or(|other| !is_same(other)) {
            self.write_diff()?;
            self.text_of = Some(Arc::clone(&source.name));
        }
        let is_other = |other: &Source| !Arc::ptr_eq(&other.name, source.container());
        while self.sources.get(self.at).is_some_and(is_other) {
            self.at += 1;
        }
        for (slot, object) in &batch.objects {
            self.count += 1;
            self.found.add(*slot);
            if !object.failed {
                self.messages.push(Message {
                    slot: *slot,
                    source: self.at,
                    text: self.editor.message(object),
                    is_changed: object.set + object.removed > 0,
                });
                if object.selector {
                    let name = &object.name;
                    report.warning(format_args!(
                        "{name}: the selector is changed, which a cluster rejects for most existing workloads"
                    ));
                }
            }
        }
        self.join(&batch)?;
        self.diff.0.extend_from_slice(&batch.old);
        if let Mode::Diff = self.editor.mode {
            self.diff.1.extend_from_slice(&batch.new);
        }
        if let Some(file) = self.files.get_mut(self.at) {
            let moved = |(range, text): Splice| (file.read + range.start..file.read + range.end, text);
            file.splices.extend(batch.splices.into_iter().map(moved));
            file.read += batch.length;
        }
        for (slot, piece) in batch.printed {
            match slot {
                Slot::FIRST => self.writer.write(piece, true, self.out)?,
                _ => self.waiting.push((slot, piece)),
            }
        }
        Ok(())
    }

    /// A refused edit, and what happens to the object in a stream.
    fn diagnostic(&self, refused: EditError) -> Diagnostic {
        let becomes = match (&self.editor.mode, &refused.refusal) {
            (Mode::Stream, refusal::Refusal::Encoding) => "; it is left out",
            (Mode::Stream, _) => "; the object is passed on unchanged",
            _ => "",
        };
        let mut diagnostic = Diagnostic::from(refused);
        diagnostic.message.push_str(becomes);
        diagnostic
    }

    /// Writes the text of a block; before the first of a source, the separator from the previous one.
    fn join(&mut self, batch: &Batch) -> io::Result<()> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if !matches!(self.editor.mode, Mode::Stream) || batch.new.is_empty() {
            return Ok(());
        }
        let mut text = &batch.new[..];
        if self.joint.source.is_some() && self.joint.source != self.text_of {
            // A byte order mark is only allowed at the start of a stream.
            text = text.strip_prefix(MARK).unwrap_or(text);
            if !self.joint.ended {
                self.out.write_all(b"\n")?;
            }
            if !(self.joint.json && batch.json.unwrap_or(true) || text.starts_with(b"---")) {
                self.out.write_all(b"---\n")?;
            }
        }
        let json = batch.json.unwrap_or(self.joint.json);
        self.joint = Joint { source: self.text_of.clone(), json, ended: text.ends_with(b"\n") };
        self.out.write_all(text)
    }

    /// Writes the diff of the current source.
    fn write_diff(&mut self) -> io::Result<()> {
        let (old, new) = std::mem::take(&mut self.diff);
        if old == new {
            return Ok(());
        }
        let name = self.text_of.as_deref().unwrap_or_default();
        let is_absolute = Path::new(name).is_absolute();
        let prefix = |side| diff_name(if is_absolute { name.to_owned() } else { format!("{side}/{name}") });
        let diff = TextDiff::configure().timeout(DIFF_PATIENCE).diff_lines(&old[..], &new[..]);
        let (old_name, new_name) = (prefix("a"), prefix("b"));
        let mut diff = diff.unified_diff();
        let diff = diff.header(&old_name, &new_name);
        if !self.colors {
            return diff.to_writer(&mut self.out);
        }
        let mut text = Vec::new();
        diff.to_writer(&mut text)?;
        palette::write_diff(&text, self.out)
    }

    /// Flushes the output before waiting for more input.
    fn show(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes waiting objects, files and messages, and reports names that were not found.
    fn finish(
        &mut self,
        resources: &[String],
        ignore_not_found: bool,
        report: &mut Report,
    ) -> io::Result<()> {
        self.write_diff()?;
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|(slot, _)| *slot);
        waiting.into_iter().try_for_each(|(_, piece)| self.writer.write(piece, true, self.out))?;
        self.writer.finish(self.out)?;
        self.out.flush()?;
        let done = self.write_files(report);
        let mut messages = std::mem::take(&mut self.messages);
        messages.sort_by_key(|message| message.slot);
        match self.editor.mode {
            Mode::Stream => each_or_all(&messages).iter().for_each(|line| report.note(line)),
            Mode::InPlace if !report.is_quiet() => {
                messages.retain(|message| message.source < done);
                each_or_all(&messages).iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
            }
            Mode::DryRun if !self.blocked => {
                messages.iter().try_for_each(|message| writeln!(self.out, "{}", message.text))?;
            }
            _ => (),
        }
        self.out.flush()?;
        if self.blocked && matches!(self.editor.mode, Mode::InPlace) {
            report.note("kselect: no file was rewritten");
        }
        report.note_skipped(&self.skipped);
        if !ignore_not_found {
            let Editor { selection, catalog, .. } = self.editor;
            let near = Near { sources: self.sources, selection, catalog };
            input::report_missing(&self.found.missing(selection), &near, resources, report);
        }
        Ok(())
    }

    /// Rewrites the changed files, unless something prevents it. All new contents are on the disk before the first file
    /// is replaced. Returns how many of the sources, counted from the first, are complete.
    fn write_files(&self, report: &mut Report) -> usize {
        let changes = |file: &Rewrite| !file.splices.is_empty();
        if self.blocked || !self.files.iter().any(changes) {
            return if self.blocked { 0 } else { self.files.len() };
        }
        let interrupts = Interrupts::watch();
        let name = |number: usize| crate::text::go::printable(&self.sources[number].name);
        let mut staged = Vec::new();
        for (number, file) in self.files.iter().enumerate().filter(|(_, file)| changes(file)) {
            if interrupts.is_raised() {
                return 0;
            }
            match file.target.stage(&file.splices, file.read, self.editor.force) {
                Ok(text) => staged.push((number, text)),
                Err(error) => return self.give_up(&name(number), &error, report),
            }
        }
        for (number, text) in &staged {
            if let Err(error) = text.check() {
                return self.give_up(&name(*number), &error, report);
            }
        }
        let numbers: Vec<usize> = staged.iter().map(|(number, _)| *number).collect();
        for (at, (number, text)) in staged.into_iter().enumerate() {
            if let Err(error) = text.replace() {
                let names = |numbers: &[usize]| listed(numbers.iter().map(|number| name(*number)));
                report.error(format_args!("{}: {error}", name(number)));
                report.note(format_args!("kselect: rewritten: {}", names(&numbers[..at])));
                report.note(format_args!("kselect: not rewritten: {}", names(&numbers[at..])));
                return number;
            }
            match self.files[number].target.other_names() {
                0 => (),
                others => report.warning(format_args!(
                    "{} is now a new file; {others} other hard links still have the old contents",
                    name(number)
                )),
            }
        }
        for path in write::left_over(self.files.iter().map(|file| &file.target)) {
            let path = path.to_string_lossy().into_owned();
            report.note(format_args!(
                "kselect: {} was left behind by an interrupted run and can be removed",
                crate::text::go::printable(&path)
            ));
        }
        self.files.len()
    }

    /// Reports why nothing is rewritten. Returns that no source is complete.
    fn give_up(&self, name: &str, error: &WriteError, report: &mut Report) -> usize {
        let hint =
            matches!(error, WriteError::ReadOnly).then(|| "--force rewrites read-only files".to_owned());
        report.diagnostic(&Diagnostic { hint, ..Diagnostic::new(format_args!("{name}: {error}")) });
        report.note("kselect: no file was rewritten");
        0
    }
}

/// The maximum number of files that are listed by name.
const MAX_LISTED: usize = 10;

/// Names separated by commas, only the first ones if there are many.
fn listed<'n>(mut names: impl Iterator<Item = Cow<'n, str>>) -> String {
    let first: Vec<_> = names.by_ref().take(MAX_LISTED).collect();
    match (first.is_empty(), names.count()) {
        (true, _) => "none".to_owned(),
        (_, 0) => first.join(", "),
        (_, more) => format!("{} and {more} more", first.join(", ")),
    }
}

/// A name in the header of a diff; an unprintable one is quoted as git does, which `git apply` reads.
fn diff_name(name: String) -> String {
    if crate::text::go::printable(&name) == name {
        return name;
    }
    let quoted = name.bytes().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    });
    format!("\"{}\"", quoted.collect::<String>())
}
