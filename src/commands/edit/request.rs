//! The run of an edit: the input, the objects that are selected, and where the result goes.

use std::io::{self, Write};
use std::ops::ControlFlow;

use change::Edit;
use kinds::catalog::grammar::Request;
use kselect_core::output::list::Omitted;
use kselect_core::output::printer::{Arrangement, Printer};
use kselect_core::output::rows::TableOptions;
use kselect_core::output::{PrinterOptions, prints_objects};
use kselect_core::scan::Scan;
use kselect_core::scan::kustomization;
use kselect_core::scan::overlays::Overlays;
use kselect_core::selection::{Selection, Slot};
use manifest::object::Object;
use manifest::once::Kept;
use manifest::source::{Pass, Source};
use text::glob::NamePattern;

use super::batch::{Batch, End, Mode, Origin, Part, Sink};
use super::diff::Differ;
use super::editor::Editor;
use super::files::{self, FileSink};
use super::objects::{EditedListPrinter, Listed, ObjectSink};
use super::results::EditResults;
use super::stream::StreamSink;
use crate::cli::{Arguments, EditArgs, InputArgs, ResultArgs, Validate};
use crate::commands::arguments;
use crate::commands::diagnostic::CommandError;
use crate::commands::input::{self, Knowledge, Purpose};
use crate::commands::names::MatchedNames;
use crate::commands::query::{Needs, Query};
use crate::commands::report::{Outcome, Output, Report};
use edit::write::{FileTarget, Locks};

/// The objects to change, and where the result goes.
pub(super) struct EditRequest<'a> {
    /// The positional arguments, and those of them that name resources.
    pub arguments: &'a [String],
    pub resources: &'a [String],
    pub args: &'a EditArgs,
    pub mode: &'a Mode,
    /// What `--list` prints.
    pub list: Listed<'a>,
    /// The error if not one object or file is named, where that is necessary.
    pub single: Option<&'static str>,
    /// Whether the edit depends on definitions of custom resources.
    pub needs_definitions: bool,
}

/// The input of an edit.
pub(super) struct EditInput<'a> {
    pub query: Query<'a>,
    /// The files that are rewritten, which are locked from before they are read until they are written.
    pub targets: Vec<FileTarget>,
    _locks: Locks,
}

impl<'a> EditRequest<'a> {
    /// A request with arguments that all name resources.
    pub fn of(resources: &'a [String], args: &'a EditArgs, mode: &'a Mode) -> Self {
        let list = Listed::NOTHING;
        Self { arguments: resources, resources, args, mode, list, single: None, needs_definitions: false }
    }

    /// Makes an edit that needs no knowledge of the input.
    pub fn make(&self, edit: &dyn Edit, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let input = self.open(&mut report)?;
        self.run(edit, input, report, out)
    }

    /// Opens the input.
    pub fn open(&self, report: &mut Report) -> anyhow::Result<EditInput<'a>> {
        let Self { arguments, resources, args, mode, .. } = *self;
        let filter = args.filter.filter();
        self.check_flags()?;
        let selection = arguments::selection(filter, arguments.get(..1).unwrap_or_default())?;
        self.check_extent(&selection)?;
        let asked = Arguments { input: &args.input, filter, resources };
        let purpose = Purpose { edits: true, applications: arguments::needed_applications(asked) };
        let mut sources = input::sources(&args.input, arguments, purpose, report)?;
        if let Mode::InPlace { .. } | Mode::Diff = mode {
            input::each_once(&mut sources);
        }
        let (locks, targets) = match mode {
            Mode::InPlace { .. } => files::targets(&mut sources, report),
            _ => (Locks::of(std::iter::empty()), Vec::new()),
        };
        let knowledge = match self.needs_definitions || args.validation.validate != Validate::Ignore {
            true => Knowledge::Definitions,
            false => Knowledge::BuiltIn,
        };
        let validation = Some(&args.validation);
        let needs = Needs { knowledge, all_copies: true, validation, ..Needs::default() };
        let query = Query::of_sources(selection, sources, asked, needs, report)?;
        self.check_names(&query.selection)?;
        if let Some(refusal) = self.single.filter(|_| !is_single(&query.selection, &query.sources)) {
            return Err(CommandError::usage(refusal).into());
        }
        Ok(EditInput { query, targets, _locks: locks })
    }

    pub fn run(
        &self,
        edit: &dyn Edit,
        input: EditInput<'_>,
        mut report: Report,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let Self { args, mode, list, .. } = *self;
        let EditInput { mut query, targets, _locks } = input;
        if edit.edits_tools() && mode.writes_files() {
            kustomization::mark_untyped(&mut query.sources);
        }
        let single = is_single(&query.selection, &query.sources);
        let named = named(&query);
        let is_held = mode.writes_as_it_goes() && needs_all(edit, &query.selection);
        let query = &query;
        let options = PrinterOptions {
            table: TableOptions::default(),
            catalog: &query.catalog,
            omitted: Omitted::ManagedFields,
            arrangement: Arrangement::EachAlone,
            null: false,
        };
        let printer: Box<dyn Printer> = match mode {
            Mode::Print(format) => format.printer(options),
            _ => Box::new(EditedListPrinter { listed: list, single }),
        };
        let overlays = Overlays::read(&query.sources);
        let editor = Editor { edit, query, named, mode, overlays: &overlays, printer: &*printer };
        let colors = report.terminals().stdout.colors;
        let sink: Box<dyn Sink> = match mode {
            Mode::Stream => Box::new(StreamSink::default()),
            Mode::InPlace { diff } => {
                let differ = diff.then(|| Differ::new(colors));
                Box::new(FileSink::new(&query.sources, targets, args.result.force, differ))
            }
            Mode::Diff => Box::new(Differ::new(colors)),
            Mode::DryRun => Box::new(Announcer),
            Mode::Print(_) | Mode::List => {
                Box::new(ObjectSink::new(&*printer, query.moment_in_advance().time))
            }
        };
        let scan = Scan::of(&query.sources).pass(Pass::Last).tool_files(editor.tool_files());
        let held = is_held.then(Kept::default);
        let mut results = EditResults::new(&editor, &query.sources, sink, held, &mut *out);
        let mut written = Ok(());
        let is_at_the_end = is_held || !mode.writes_as_it_goes();
        report.start_progress(if is_at_the_end { Output::AtTheEnd } else { Output::AsItGoes });
        let merge = |batch: Option<Batch>| {
            let Some(batch) = batch else {
                written = results.show();
                return if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            };
            report.advance(batch.length, &query.sources);
            written = results.take(batch, &mut report);
            if written.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        scan.blocks_as_they_come(|block| editor.batch(scan, block), merge);
        report.end_of_input();
        written?;
        match results.finish(&mut report)? {
            Some(tally) => query.finish(&tally, &mut report, out),
            None => Ok(Outcome::Failed),
        }
    }

    /// Rejects incompatible arguments, as kubectl does (label.go and annotate.go, Validate).
    fn check_flags(&self) -> Result<(), CommandError> {
        if self.args.all && !self.args.filter.conditions.selector.is_empty() {
            return Err(CommandError::usage("cannot set --all and --selector at the same time"));
        }
        if self.args.all && !self.args.filter.conditions.field_selector.is_empty() {
            return Err(CommandError::usage("cannot set --all and --field-selector at the same time"));
        }
        if self.args.result.in_place { check_in_place(&self.args.input) } else { Ok(()) }
    }

    /// Rejects an edit of everything that `.kselect.yaml` names, without a word on the command line that says so (kubectl,
    /// label.go, Validate).
    fn check_extent(&self, selection: &Selection) -> Result<(), CommandError> {
        let is_limited =
            !self.resources.is_empty() || selection.has_selectors() || !selection.names.is_empty();
        if self.args.input.origin.is_none() || is_limited || self.args.all || matches!(self.mode, Mode::List)
        {
            return Ok(());
        }
        let refusal = CommandError::usage(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        );
        Err(refusal.hint("select objects with -l, name files with -f, or edit all objects with --all"))
    }

    /// Rejects a TYPE that would select all objects without `--all` (cli-runtime, builder.go).
    fn check_names(&self, selection: &Selection) -> Result<(), CommandError> {
        let nameless = selection.requests.iter().any(|request| request.name.is_none());
        if nameless && !self.args.all && !selection.has_selectors() {
            let refusal = CommandError::usage("resource(s) were provided, but no name was specified");
            return Err(refusal.hint("name objects, select them with -l, or use --all"));
        }
        Ok(())
    }
}

/// Rejects input that is in no file, which cannot be rewritten.
pub fn check_in_place(input: &InputArgs) -> Result<(), CommandError> {
    if input.is_empty() || input.filename.iter().any(|name| name == "-") {
        let refusal = CommandError::usage("--in-place cannot rewrite standard input");
        return Err(refusal.hint("name the files with -f"));
    }
    if !input.kustomize.is_empty() {
        return Err(CommandError::usage("--in-place cannot rewrite what kustomize builds"));
    }
    Ok(())
}

/// Whether it takes the whole input to know that the arguments are right, or that no value is in the way. The output is then
/// held until the end, because what streams to a pipe cannot be taken back.
fn needs_all(edit: &dyn Edit, selection: &Selection) -> bool {
    let has_conflicts = edit.labels().is_some_and(|change| !(change.overwrite || change.is_empty()));
    let has_names = selection.requests.iter().any(|request| request.name.is_some());
    has_conflicts || has_names || !selection.fields.is_empty() || edit.subject().is_some()
}

/// Finds the NAMEs that exist and could also be patterns: these are taken literally. The input is read in advance only
/// for such NAMEs.
fn named(query: &Query<'_>) -> MatchedNames {
    let Query { selection, catalog, sources, .. } = query;
    let mut found = MatchedNames::none(selection);
    let is_pattern = |request: &Request| request.name.as_ref().is_some_and(NamePattern::is_pattern);
    if !selection.requests.iter().any(is_pattern) {
        return found;
    }
    let visit = |object: &Object<'_>, slots: &mut Vec<Slot>| {
        // Errors are reported when the object is edited.
        let _ = selection.slots(object, catalog, slots);
    };
    Scan::of(sources).tool_files(selection.tool_files()).objects(visit, |slots| {
        slots.into_iter().for_each(|slot| found.add(slot));
    });
    found
}

/// Whether nothing is written because of `--dry-run` (kubectl, cmd/util/helpers.go, GetDryRunStrategy).
fn dry_run(args: &ResultArgs, report: &Report) -> Result<bool, CommandError> {
    match args.dry_run.as_deref() {
        None | Some("none") => Ok(false),
        Some("client") => Ok(true),
        Some("unchanged") => {
            report.line("W: --dry-run is deprecated and can be replaced with --dry-run=client.");
            Ok(true)
        }
        Some("server") => Err(CommandError::usage(
            "cannot specify --dry-run=server: there is no server - did you mean --dry-run=client?",
        )),
        Some(other) => Err(CommandError::usage(format_args!(
            "Invalid dry-run value ({}). Must be \"none\", \"server\", or \"client\".",
            text::excerpt::cut(other)
        ))),
    }
}

pub(super) fn mode(args: &ResultArgs, list: bool, report: &mut Report) -> Result<Mode, CommandError> {
    let dry_run = dry_run(args, report)?;
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    Ok(match given(&args.output) || given(&args.template) {
        true if list => {
            return Err(CommandError::usage("--list and --output may not be specified together"));
        }
        true => {
            let (output, template) = (args.output.as_deref(), args.template.as_deref());
            Mode::Print(arguments::format(output, template, prints_objects)?)
        }
        false if list => Mode::List,
        false if args.in_place => Mode::InPlace { diff: args.diff },
        false if args.diff => Mode::Diff,
        false if dry_run => Mode::DryRun,
        false => Mode::Stream,
    })
}

/// Whether at most one object, or one file, is concerned: then `--list` shows no headers.
fn is_single(selection: &Selection, sources: &[Source]) -> bool {
    match (&selection.requests[..], sources) {
        ([], [source]) => source.named && source.path().is_some(),
        ([request], _) => request.name.as_ref().is_some_and(|name| !name.is_pattern()),
        _ => false,
    }
}

/// `--dry-run`: says what would be done.
struct Announcer;

impl Sink for Announcer {
    fn take(&mut self, _: Part, _: Origin<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, end: End<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let messages = end.messages.iter().filter(|_| !end.blocked);
        messages.into_iter().try_for_each(|message| writeln!(out, "{}", message.text))
    }
}
