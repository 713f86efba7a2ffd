//! `kselect label`, `annotate` and `set image`: change labels, annotations and images, leaving every other byte unchanged.

mod batch;
mod diff;
mod editor;
mod files;
mod objects;
mod results;
mod stream;

use std::io::{self, Write};
use std::ops::ControlFlow;

use change::Edit;
use change::image::{self, Images};
use change::labels::{self, Change, Field};
use change::patch::{Patch, PatchType};
use kinds::catalog::Catalog;
use kinds::catalog::grammar::Request;
use kselect_core::output::list::Omitted;
use kselect_core::output::printer::{Arrangement, Printer};
use kselect_core::output::rows::TableOptions;
use kselect_core::output::{Format, PrinterOptions, prints_objects};
use kselect_core::scan::Scan;
use kselect_core::selection::{Selection, Slot};
use manifest::object::Object;
use manifest::source::{Pass, Source};
use selector::validation;
use text::glob::NamePattern;

use super::arguments;
use super::as_of::Ages;
use super::diagnostic::CommandError;
use super::input::{self, Knowledge};
use super::names::MatchedNames;
use super::query::Query;
use super::report::{Outcome, Output, Report};
use super::validated::Validator;
use crate::cli::{EditArgs, LabelArgs, PatchArgs, ResultArgs, SetArgs, Validate};
use batch::{Batch, End, Mode, Origin, Part, Sink};
use diff::Differ;
use edit::write::Locks;
use editor::{Editor, Survey};
use files::FileSink;
use objects::{EditedListPrinter, ObjectSink};
use results::EditResults;
use stream::StreamSink;

/// Runs `label` or `annotate`.
pub fn run(
    field: Field,
    args: &LabelArgs,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let (resources, pairs) =
        labels::classify(&args.arguments, labels::is_pair, field.noun()).map_err(|error| {
            let hint = with_equals_sign(&args.arguments);
            let hint = hint.or_else(|| input::name_files(&args.arguments));
            CommandError::usage(error).with_hint(hint)
        })?;
    let change = Change {
        overwrite: args.change.overwrite,
        resource_version: args.change.resource_version.clone(),
        templates: args.change.templates || args.change.selectors,
        selectors: args.change.selectors,
        ..Change::parse(field, pairs).map_err(CommandError::usage)?
    };
    let mode = mode(&args.edit.result, args.change.list, &mut report)?;
    if change.is_empty() && change.resource_version.is_none() && !args.change.list {
        let refusal =
            CommandError::usage(format_args!("at least one {} update is required", change.field.noun()));
        return Err(refusal.with_hint(with_equals_sign(&args.arguments)).into());
    }
    let is_version = change.resource_version.is_some();
    let single = is_version.then_some("--resource-version may only be used with a single resource");
    let (arguments, args) = (&args.arguments, &args.edit);
    let request = EditRequest { edit: &change, arguments, resources, args, list: Some(field), single };
    request.run(&mode, report, out)
}

/// Runs `set image`.
pub fn set_image(args: &SetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let (resources, pairs) = labels::classify(&args.images, image::is_pair, "image")
        .map_err(|error| CommandError::usage(error).with_hint(input::name_files(&args.images)))?;
    let images = Images::parse(pairs).map_err(|error| {
        let hint =
            "write CONTAINER=IMAGE: web=example.com/web:1.2, or '*=:1.2' for the tag of all containers";
        CommandError::usage(error).with_hint(Some(hint))
    })?;
    let mode = mode(&args.edit.result, false, &mut report)?;
    let (arguments, args) = (&args.images, &args.edit);
    let request = EditRequest { edit: &images, arguments, resources, args, list: None, single: None };
    request.run(&mode, report, out)
}

/// Runs `patch` (kubectl, patch.go, Validate and RunPatch).
pub fn patch(args: &PatchArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let sort = match args.sort.as_str() {
        "strategic" => PatchType::Strategic,
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        other => {
            let other = text::excerpt::quote(other);
            let refusal = format_args!("--type must be one of [json merge strategic], not {other}");
            return Err(CommandError::usage(refusal).into());
        }
    };
    let text = match (args.patch.as_deref().filter(|patch| !patch.is_empty()), &args.patch_file) {
        (Some(_), Some(_)) => {
            return Err(CommandError::usage("cannot specify --patch and --patch-file together").into());
        }
        (Some(patch), None) => patch.to_owned(),
        (None, Some(path)) => std::fs::read_to_string(path).map_err(|error| {
            let path = text::go::printable(path);
            CommandError::usage(format_args!("unable to read patch file: {path}: {}", error.kind()))
        })?,
        (None, None) => {
            let refusal = "must specify --patch or --patch-file containing the contents of the patch";
            return Err(CommandError::usage(refusal).into());
        }
    };
    let patch = Patch::parse(&text, sort).map_err(CommandError::usage)?;
    let mode = mode(&args.edit.result, false, &mut report)?;
    let (arguments, resources, args) = (&args.resources, &args.resources, &args.edit);
    let request = EditRequest { edit: &patch, arguments, resources, args, list: None, single: None };
    request.run(&mode, report, out)
}

/// An edit, the objects to change, and where the result goes.
struct EditRequest<'a> {
    edit: &'a dyn Edit,
    /// The positional arguments, and those of them that name resources.
    arguments: &'a [String],
    resources: &'a [String],
    args: &'a EditArgs,
    /// What `--list` prints.
    list: Option<Field>,
    /// The error if not one object or file is named, where that is necessary.
    single: Option<&'static str>,
}

impl EditRequest<'_> {
    fn run(&self, mode: &Mode, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let Self { edit, arguments, resources, args, list, single: needs_single } = *self;
        let filter = args.filter.filter();
        self.check_flags()?;
        let selection = arguments::selection(filter, arguments.get(..1).unwrap_or_default())?;
        self.check_extent(mode, &selection)?;
        let mut sources = input::sources_to_edit(&args.input, arguments, &mut report)?;
        if let Mode::InPlace { .. } | Mode::Diff = mode {
            input::each_once(&mut sources);
        }
        // From before they are read until they are written.
        let (_locks, targets) = match mode {
            Mode::InPlace { .. } => files::targets(&mut sources, &mut report),
            _ => (Locks::of(std::iter::empty()), Vec::new()),
        };
        let needed = self.knowledge(&selection);
        let (needed, input) = ((needed, Ages::Selected), (&args.input, filter));
        let query = Query::with_copies(selection, sources, needed, input, resources, &mut report)?;
        let Some(query) = query else { return Ok(Outcome::Failed) };
        self.check_names(&query.selection)?;
        let single = is_single(&query.selection, &query.sources);
        if let Some(refusal) = needs_single.filter(|_| !single) {
            return Err(CommandError::usage(refusal).into());
        }
        let guarded = edit.labels().filter(|change| !(change.overwrite || change.is_empty()));
        let guarded = guarded.filter(|_| mode.writes_as_it_goes());
        let named = named(&query);
        let is_surveyed = mode.writes_as_it_goes() && needs_survey(edit, &query.selection);
        let query = &query;
        let options = PrinterOptions {
            table: TableOptions::default(),
            catalog: &query.catalog,
            now: query.moment.time,
            omitted: Omitted::ManagedFields,
            arrangement: Arrangement::EachAlone,
            null: false,
        };
        let printer: Box<dyn Printer> = match mode {
            Mode::Print(format) => format.printer(options),
            _ => Box::new(EditedListPrinter { field: list.unwrap_or(Field::Labels), single }),
        };
        let catalog = &query.catalog.clone().for_release(args.validation.kubernetes);
        let validator = Validator { how: args.validation.validate, catalog };
        let editor = Editor { edit, query, validator, named, mode, printer: &*printer };
        if is_surveyed {
            let Survey { tally, containers, errors, not_in_namespace } = editor.survey(&mut report);
            let has_named = query.has_named(&tally);
            let is_certain = has_named && tally.selected > 0 && errors.is_empty();
            let lacks_containers = is_certain && results::report_missing(edit, &containers, &mut report);
            if !has_named || lacks_containers {
                errors.iter().for_each(|error| report.diagnostic(error));
                not_in_namespace.note(&mut report);
                return query.finish(&tally, &args.input, &mut report, out);
            }
        }
        if let Some(change) = guarded
            && !editor.guard(change, &query.sources, &mut report)
        {
            return Ok(Outcome::Failed);
        }
        let colors = report.terminals().stdout.colors;
        let sink: Box<dyn Sink> = match mode {
            Mode::Stream => Box::new(StreamSink::default()),
            Mode::InPlace { diff } => {
                let differ = diff.then(|| Differ::new(colors));
                Box::new(FileSink::new(&query.sources, targets, args.result.force, differ))
            }
            Mode::Diff => Box::new(Differ::new(colors)),
            Mode::DryRun => Box::new(Announcer),
            Mode::Print(_) | Mode::List => Box::new(ObjectSink::new(&*printer)),
        };
        let scan = Scan::of(&query.sources).pass(Pass::Last).tool_files(editor.tool_files());
        let mut results = EditResults::new(&editor, &query.sources, sink, &mut *out);
        let mut written = Ok(());
        report.start_progress(if mode.writes_as_it_goes() { Output::AsItGoes } else { Output::AtTheEnd });
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
        let tally = results.finish(&mut report)?;
        query.finish(&tally, &args.input, &mut report, out)
    }

    /// What must be known about the resources in the input, as for `get`.
    fn knowledge(&self, selection: &Selection) -> Knowledge {
        match self.resources.is_empty() {
            true if !selection.fields.is_empty() => Knowledge::Kinds,
            _ if self.args.validation.validate != Validate::Ignore => Knowledge::Definitions,
            true if selection.namespace.is_some() => Knowledge::Definitions,
            _ if arguments::has_relations(self.args.filter.filter()) => Knowledge::Definitions,
            false if input::has_category(&Catalog::new(), self.resources) => Knowledge::Definitions,
            _ => Knowledge::BuiltIn,
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
        let reads_stdin =
            self.args.input.is_empty() || self.args.input.filename.iter().any(|name| name == "-");
        if self.args.result.in_place && reads_stdin {
            let refusal = CommandError::usage("--in-place cannot rewrite standard input");
            return Err(refusal.with_hint(Some("name the files with -f")));
        }
        if self.args.result.in_place && !self.args.input.kustomize.is_empty() {
            return Err(CommandError::usage("--in-place cannot rewrite what kustomize builds"));
        }
        Ok(())
    }

    /// Rejects an edit of everything that `.kselect.yaml` names, without a word on the command line that says so (kubectl,
    /// label.go, Validate).
    fn check_extent(&self, mode: &Mode, selection: &Selection) -> Result<(), CommandError> {
        let is_limited =
            !self.resources.is_empty() || selection.has_selectors() || !selection.names.is_empty();
        if self.args.input.origin.is_none() || is_limited || self.args.all || matches!(mode, Mode::List) {
            return Ok(());
        }
        let refusal = CommandError::usage(
            "one or more resources must be specified as <resource> <name> or <resource>/<name>",
        );
        Err(refusal
            .with_hint(Some("select objects with -l, name files with -f, or edit all objects with --all")))
    }

    /// Rejects a TYPE that would select all objects without `--all` (cli-runtime, builder.go).
    fn check_names(&self, selection: &Selection) -> Result<(), CommandError> {
        let nameless = selection.requests.iter().any(|request| request.name.is_none());
        if nameless && !self.args.all && !selection.has_selectors() {
            let refusal = CommandError::usage("resource(s) were provided, but no name was specified");
            return Err(refusal.with_hint(Some("name objects, select them with -l, or use --all")));
        }
        Ok(())
    }
}

/// Whether it takes the whole input to know that the arguments are right.
fn needs_survey(edit: &dyn Edit, selection: &Selection) -> bool {
    let has_names = selection.requests.iter().any(|request| request.name.is_some());
    has_names || !selection.fields.is_empty() || edit.names_containers()
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
            report.raw("W: --dry-run is deprecated and can be replaced with --dry-run=client.");
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

fn mode(args: &ResultArgs, list: bool, report: &mut Report) -> Result<Mode, CommandError> {
    let dry_run = dry_run(args, report)?;
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    Ok(match given(&args.output) || given(&args.template) {
        true if list => {
            return Err(CommandError::usage("--list and --output may not be specified together"));
        }
        true => Mode::Print(format(args)?),
        false if list => Mode::List,
        false if args.in_place => Mode::InPlace { diff: args.diff },
        false if args.diff => Mode::Diff,
        false if dry_run => Mode::DryRun,
        false => Mode::Stream,
    })
}

fn format(args: &ResultArgs) -> Result<Format, CommandError> {
    let (output, template) = (args.output.as_deref(), args.template.as_deref());
    let format = Format::parse(output, template, prints_objects, |path| std::fs::read_to_string(path));
    format.map_err(arguments::format_error)
}

/// The hint about arguments if one of them is written like a label in YAML: `team:shop`.
fn with_equals_sign(arguments: &[String]) -> Option<String> {
    let is_label = |argument: &&String| {
        argument
            .split_once(':')
            .is_some_and(|(key, value)| !value.is_empty() && validation::label_key(key).is_empty())
    };
    let meant = arguments.iter().find(is_label)?.replacen(':', "=", 1);
    Some(format!("join a key and its value with an equals sign: {}", text::excerpt::cut(&meant)))
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
