//! `kselect label`, `annotate` and `set image`: change labels, annotations and images, leaving every other byte unchanged.

mod diff;
mod editor;
mod files;
mod objects;
mod results;
mod stream;

use std::io::{self, Write};
use std::ops::ControlFlow;

use crate::catalog::Catalog;
use crate::catalog::grammar::Request;
use crate::edit::Splice;
use crate::edit::change::{self, Change, Edit, Field};
use crate::edit::image::{self, Images};
use crate::manifest::object::Object;
use crate::manifest::source::Source;
use crate::manifest::stream::Block;
use crate::output::list::Omitted;
use crate::output::printer::{Arrangement, Piece, Printer};
use crate::output::rows::TableOptions;
use crate::output::{Format, PrinterOptions, prints_objects};
use crate::scan::Scan;
use crate::selection::{Selection, Slot};
use crate::selector::validation;
use crate::text::glob::NamePattern;

use super::arguments;
use super::as_of::{Ages, Moment};
use super::diagnostic::CommandError;
use super::input::{self, Knowledge};
use super::names::MatchedNames;
use super::report::{Outcome, Output, Report};
use super::suggestions;
use super::unselected::UnselectedStats;
use super::validated::Validator;
use crate::cli::{FilterArgs, InputArgs, LabelArgs, ResultArgs, SetArgs, Validate, ValidationArgs};
use diff::DiffSink;
use editor::{Batch, Editor};
use files::FileSink;
use objects::{ListPrinter, ObjectSink};
use results::{Message, Results};
use stream::StreamSink;

/// Runs `label` or `annotate`.
pub fn run(
    field: Field,
    args: &LabelArgs,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let (resources, pairs) = change::classify(field, &args.arguments).map_err(|error| {
        let hint = with_equals_sign(&args.arguments);
        let hint = hint.or_else(|| suggestions::name_files(&args.arguments));
        CommandError::usage(error).with_hint(hint)
    })?;
    let change = Change {
        overwrite: args.edit.overwrite,
        resource_version: args.edit.resource_version.clone(),
        templates: args.edit.templates || args.edit.selectors,
        selectors: args.edit.selectors,
        ..Change::parse(field, pairs).map_err(CommandError::usage)?
    };
    let mode = mode(&args.edit.result, args.edit.list, &mut report)?;
    if change.is_empty() && change.resource_version.is_none() && !args.edit.list {
        let refusal =
            CommandError::usage(format_args!("at least one {} update is required", change.field.noun()));
        return Err(refusal.with_hint(with_equals_sign(&args.arguments)).into());
    }
    let request = EditRequest {
        edit: Edit::Entries(&change),
        arguments: &args.arguments,
        resources,
        input: &args.input,
        filter: &args.filter,
        all: args.all,
        result: &args.edit.result,
        validation: &args.validation,
    };
    request.run(&mode, report, out)
}

/// Runs `set image`.
pub fn set_image(args: &SetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let (resources, pairs) = image::classify(&args.images)
        .map_err(|error| CommandError::usage(error).with_hint(suggestions::name_files(&args.images)))?;
    let images = Images::parse(pairs).map_err(CommandError::usage)?;
    let mode = mode(&args.result, false, &mut report)?;
    let request = EditRequest {
        edit: Edit::Images(&images),
        arguments: &args.images,
        resources,
        input: &args.input,
        filter: &args.filter,
        all: args.all,
        result: &args.result,
        validation: &args.validation,
    };
    request.run(&mode, report, out)
}

/// An edit, the objects to change, and where the result goes.
struct EditRequest<'a> {
    edit: Edit<'a>,
    /// The positional arguments, and those of them that name resources.
    arguments: &'a [String],
    resources: &'a [String],
    input: &'a InputArgs,
    filter: &'a FilterArgs,
    all: bool,
    result: &'a ResultArgs,
    validation: &'a ValidationArgs,
}

impl EditRequest<'_> {
    fn run(&self, mode: &Mode, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let Self { edit, arguments, resources, .. } = *self;
        self.check_flags()?;
        let selection = arguments::selection(self.filter, arguments.get(..1).unwrap_or_default())?;
        let mut sources = input::sources_to_edit(self.input, arguments, &mut report)?;
        if let Mode::InPlace | Mode::Diff = mode {
            input::each_once(&mut sources);
        }
        let needed = self.knowledge(&selection);
        let query = arguments::resolve(selection, resources, self.filter, needed, &mut sources, &mut report)?;
        let Some((mut selection, catalog)) = query else { return Ok(Outcome::Failed) };
        let input = (self.input, self.filter);
        let moment = Moment::determine(Ages::Selected, input, &mut selection, &mut sources, &mut report)?;
        self.check_names(&selection)?;
        let single = is_single(&selection, &sources);
        let is_version = matches!(edit, Edit::Entries(Change { resource_version: Some(_), .. }));
        if is_version && !single {
            return Err(
                CommandError::usage("--resource-version may only be used with a single resource").into()
            );
        }

        let named = named(&selection, &catalog, &mut sources, &mut report);
        let options = PrinterOptions {
            table: TableOptions::default(),
            catalog: &catalog,
            now: moment.time,
            omitted: Omitted::ManagedFields,
            arrangement: Arrangement::EachAlone,
        };
        let printer: Box<dyn Printer> = match (mode, edit) {
            (Mode::Print(format), _) => format.printer(options),
            (_, Edit::Entries(change)) => Box::new(ListPrinter { field: change.field, single }),
            (_, Edit::Images(_)) => Box::new(ListPrinter { field: Field::Labels, single }),
        };
        let catalog = &catalog.clone().for_release(self.validation.kubernetes);
        let selection = &selection;
        let validator = Validator { how: self.validation.validate, catalog };
        let unselected = UnselectedStats::new(selection);
        let editor =
            Editor { edit, selection, catalog, validator, named, unselected, mode, printer: &*printer };
        if let Edit::Entries(change) = edit
            && !(change.overwrite || change.is_empty())
            && mode.writes_as_it_goes()
        {
            input::keep(&mut sources, &mut report);
            if !editor.guard(change, &sources, &mut report) {
                return Ok(Outcome::Failed);
            }
        }
        let targets = match mode {
            Mode::InPlace => files::targets(&mut sources, &mut report),
            _ => Vec::new(),
        };
        let sink: Box<dyn Sink> = match mode {
            Mode::Stream => Box::new(StreamSink::default()),
            Mode::InPlace => Box::new(FileSink::new(&sources, targets, self.result.force)),
            Mode::Diff => Box::new(DiffSink::new(report.terminals().stdout.colors)),
            Mode::DryRun => Box::new(Announcer),
            Mode::Print(_) | Mode::List => Box::new(ObjectSink::new(&*printer)),
        };
        let scan = Scan::of(&sources).tool_files(selection.tool_files());
        let mut results = Results::new(&editor, &sources, sink, out);
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
        results.finish(resources, self.filter, &mut report)?;
        report.hint_at_fields();
        moment.note(&report);
        report.note_empty_input(&sources);
        if results.count == 0 && !report.has_failed() && !self.filter.ignore_not_found {
            report.note(suggestions::nothing_found(self.filter, selection));
            let unselected = (&editor.unselected, &results.block_stats);
            report.nothing_selected(unselected, selection, "kselect get --why", self.filter.exit_status);
            report.hint_at_unread(self.input);
        }
        Ok(match results.count {
            _ if report.has_failed() => Outcome::Failed,
            0 if self.filter.exit_status => Outcome::NothingSelected,
            _ => Outcome::Done,
        })
    }

    /// What must be known about the resources in the input, as for `get`.
    fn knowledge(&self, selection: &Selection) -> Knowledge {
        match self.resources.is_empty() {
            true if !selection.fields.is_empty() => Knowledge::Kinds,
            _ if self.validation.validate != Validate::Ignore => Knowledge::Definitions,
            true if selection.namespace.is_some() => Knowledge::Definitions,
            _ if arguments::has_relations(self.filter) => Knowledge::Definitions,
            false if input::has_category(&Catalog::new(), self.resources) => Knowledge::Definitions,
            _ => Knowledge::BuiltIn,
        }
    }

    /// Rejects incompatible arguments, as kubectl does (label.go and annotate.go, Validate).
    fn check_flags(&self) -> Result<(), CommandError> {
        if self.all && !self.filter.selector.is_empty() {
            return Err(CommandError::usage("cannot set --all and --selector at the same time"));
        }
        if self.all && !self.filter.field_selector.is_empty() {
            return Err(CommandError::usage("cannot set --all and --field-selector at the same time"));
        }
        let files = &self.input.filename;
        if self.result.in_place && (files.is_empty() || files.iter().any(|name| name == "-")) {
            let refusal = CommandError::usage("--in-place cannot rewrite standard input");
            return Err(refusal.with_hint(Some("name the files with -f")));
        }
        Ok(())
    }

    /// Rejects a TYPE that would select all objects without `--all` (cli-runtime, builder.go).
    fn check_names(&self, selection: &Selection) -> Result<(), CommandError> {
        let nameless = selection.requests.iter().any(|request| request.name.is_none());
        if nameless && !self.all && !selection.has_selectors() {
            let refusal = CommandError::usage("resource(s) were provided, but no name was specified");
            return Err(refusal.with_hint(Some("name objects, select them with -l, or use --all")));
        }
        Ok(())
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
            crate::text::excerpt::cut(other)
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
        false if args.in_place => Mode::InPlace,
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
    Some(format!("join a key and its value with an equals sign: {}", crate::text::excerpt::cut(&meant)))
}

/// Whether at most one object, or one file, is concerned: then `--list` shows no headers.
fn is_single(selection: &Selection, sources: &[Source]) -> bool {
    match (&selection.requests[..], sources) {
        ([], [source]) => source.named && !source.is_stdin(),
        ([request], _) => request.name.as_ref().is_some_and(|name| !name.is_pattern()),
        _ => false,
    }
}

/// The output for a block.
#[derive(Default)]
enum Part {
    #[default]
    Nothing,
    /// Its text, and whether it is JSON; `None` if it has no document.
    Text { text: Vec<u8>, json: Option<bool> },
    /// Its text before and after.
    Both { old: Vec<u8>, new: Vec<u8> },
    /// The changes to its text, and the length of that text in bytes.
    Splices { splices: Vec<Splice>, length: usize },
    /// The pieces of its selected objects.
    Objects(Vec<(Slot, Piece)>),
}

/// The origin of a block.
#[derive(Clone, Copy)]
struct Origin<'a> {
    /// A source of the command line, or a file in an archive that is one.
    source: &'a Source,
    /// The index of the source of the command line.
    number: usize,
}

/// The results at the end of the input.
struct End<'a, 'r> {
    /// The lines about objects, in the requested order.
    messages: &'a [Message],
    /// Whether something was not edited that should have been.
    blocked: bool,
    report: &'a mut Report<'r>,
}

/// The destination of edited blocks.
trait Sink {
    /// Takes the output for a block, in the order of the input.
    fn take(&mut self, part: Part, origin: Origin<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Ends the output, and reports the results for objects.
    fn finish(&mut self, end: End<'_, '_>, out: &mut dyn Write) -> io::Result<()>;
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

/// The bytes of a block in its source.
fn text_of(block: &Block) -> Vec<u8> {
    [block.skipped_prefix(), &block.bytes()[block.synthetic_len()..]].concat()
}
