//! The progress and the messages of a command, and its exit status.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::cli::invocation::Invocation;
use kselect_core::output::color as palette;
use kselect_core::scan::{Skipped, SkippedDocuments, SkippedRun};
use kselect_core::selection::UnsupportedField;
use manifest::look::Unopened;
use manifest::source::{self, Source};
use manifest::walk::{self, Unread};
use policy::Unanswered;
use text::plural::counted;

use super::diagnostic::{Block, CommandError, Diagnostic, Warning, label, write_lines};
use super::progress::Progress;
use crate::cli::{ConditionArgs, InputArgs};
use crate::streams::{Stdin, Terminals};

/// How a command ended, unless an error stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Success, even if nothing was selected.
    Done,
    /// Two inputs differ.
    Different,
    /// Nothing was selected, and `--exit-status` was given.
    NothingSelected,
    /// Some of the input failed; the rest was processed.
    Failed,
    /// Some of the input of a command failed whose status 1 has a meaning of its own.
    Trouble,
    /// A program that the command ran ended with this status.
    Ran(u8),
}

impl Outcome {
    /// How a command ends that has selected nothing.
    pub fn of_nothing(asked: &ConditionArgs) -> Self {
        if asked.exit_status { Self::NothingSelected } else { Self::Done }
    }

    /// The exit status.
    ///
    /// *Compatibility* (usage-status): usage errors, malformed selectors included, exit with 2; kubectl exits with 1.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed | Self::Different => 1,
            Self::Trouble => 2,
            Self::NothingSelected => 4,
            Self::Ran(status) => status,
        }
    }
}

/// The names of so many skipped documents of a kind.
pub fn skipped_words(sort: Skipped, count: usize) -> &'static str {
    let (one, many) = match sort {
        Skipped::Template => ("template", "templates"),
        Skipped::Chart => ("file of a Helm chart", "files of Helm charts"),
        Skipped::Kustomization => ("kustomization", "kustomizations"),
        Skipped::Patch => ("patch", "patches"),
        Skipped::Removed => ("object that its overlays remove", "objects that their overlays remove"),
        Skipped::Schema => ("JSON schema", "JSON schemas"),
        Skipped::Test => ("step of a test", "steps of tests"),
        Skipped::Configuration => ("configuration of a tool", "configurations of tools"),
        Skipped::Encrypted => ("encrypted document", "encrypted documents"),
        Skipped::Audit => ("entry of an audit log", "entries of audit logs"),
        Skipped::Discovery => ("description of the API", "descriptions of the API"),
        Skipped::Words => ("block of non-YAML text", "blocks of non-YAML text"),
        Skipped::Other => {
            ("document that is not a Kubernetes object", "documents that are not Kubernetes objects")
        }
    };
    if count == 1 { one } else { many }
}

/// How many files for each object are many, if they might hold objects but do not begin with one.
const LITTLE: usize = 10;

/// The hint about manifests that are not read.
pub fn unread_hint(unread: &Unread) -> String {
    match unread {
        Unread::Below(directory) => {
            let directory = text::go::printable(directory);
            format!("there are manifests in subdirectories of {directory}; -R reads them")
        }
        Unread::Hidden(directory) => {
            let directory = text::go::printable(directory);
            format!("files in {directory} are hidden or ignored; --hidden and --no-ignore read them")
        }
    }
}

/// Reports problems as they occur, and remembers that there were any. It holds everything that a command uses besides
/// its output.
pub struct Report<'a> {
    /// The name of the program in hints.
    invocation: Invocation,
    /// Its text is kept once it has been read as a whole.
    stdin: RefCell<Stdin>,
    terminals: Terminals,
    stderr: RefCell<Box<dyn Write + 'a>>,
    errors: usize,
    quiet: bool,
    silent: bool,
    /// Whether each skipped document is reported.
    lists_skipped: bool,
    /// How many files of directories were not opened.
    unopened: Unopened,
    /// Whether they have been reported.
    has_noted_unopened: Cell<bool>,
    /// The hints so far; each is shown once, however many documents have the same diagnostic.
    hints: HashSet<String>,
    /// Whether a hint was shown: one is enough.
    has_hinted: Cell<bool>,
    /// The selected fields that kinds do not support, one for each kind.
    unsupported: Vec<UnsupportedField>,
    /// The number of times that files were joined without a separator.
    joined: Cell<usize>,
    /// The number of values that may not be overwritten.
    conflicts: usize,
    /// The number of bytes of the sources that have been processed.
    read: usize,
    progress: Option<Progress>,
    /// The errors of the last source with errors.
    of_source: Option<SourceErrors>,
}

/// The errors of a source.
struct SourceErrors {
    source: Arc<str>,
    errors: usize,
}

/// The maximum number of errors shown for one source.
const SHOWN_OF_SOURCE: usize = 3;

/// The maximum number of conflicts shown for all sources.
const SHOWN_CONFLICTS: usize = 10;

/// When the output of a command is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// While the input is read.
    AsItGoes,
    /// After all of it was read.
    AtTheEnd,
}

/// What is said if there was nothing on standard input.
pub const EMPTY_INPUT: &str = "standard input is empty; name files with -f";

impl<'a> Report<'a> {
    /// A report to `stderr`, with notes and progress unless `quiet`.
    pub fn new(
        quiet: bool,
        invocation: Invocation,
        stdin: Stdin,
        terminals: Terminals,
        stderr: impl Write + 'a,
    ) -> Self {
        Self {
            invocation,
            stdin: RefCell::new(stdin),
            terminals,
            stderr: RefCell::new(Box::new(stderr)),
            errors: 0,
            quiet,
            silent: false,
            lists_skipped: false,
            unopened: Unopened::default(),
            has_noted_unopened: Cell::new(false),
            hints: HashSet::new(),
            has_hinted: Cell::new(false),
            unsupported: Vec::new(),
            joined: Cell::new(0),
            conflicts: 0,
            read: 0,
            progress: None,
            of_source: None,
        }
    }

    /// A report that prints nothing, but remembers errors.
    pub fn silent() -> Self {
        let report =
            Self::new(true, Invocation::Kselect, Stdin::Process, Terminals::default(), std::io::sink());
        Self { silent: true, ..report }
    }

    /// A report that prints nothing, with the standard input of this one.
    pub fn silenced(&self) -> Self {
        Self { stdin: self.stdin.clone(), ..Self::silent() }
    }

    /// Replaces standard input among the sources by the input of this command.
    pub fn connect_stdin(&self, sources: &mut [Source]) {
        if let Stdin::Text(text) = &*self.stdin.borrow()
            && let Some(source) = sources.iter_mut().find(|source| source.is_stdin())
        {
            *source = Source::memory(source::STDIN, text);
        }
    }

    /// Reports each skipped document rather than their number, if `lists_skipped`.
    pub fn list_skipped(&mut self, lists_skipped: bool) {
        self.lists_skipped = lists_skipped;
    }

    /// All of standard input.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read_stdin(&self) -> io::Result<Vec<u8>> {
        let mut stdin = self.stdin.borrow_mut();
        if let Stdin::Process = *stdin {
            let mut text = Vec::new();
            io::stdin().lock().read_to_end(&mut text)?;
            *stdin = Stdin::Text(text);
        }
        match &*stdin {
            Stdin::Text(text) => Ok(text.to_vec()),
            Stdin::Process => unreachable!("it has just been read"),
        }
    }

    /// Adds files of directories that were not opened.
    pub fn add_unopened(&mut self, unopened: Unopened) {
        self.unopened += unopened;
    }

    /// Reports how many files of directories and archives were not opened, once, because nothing was found.
    pub fn note_unopened(&self, sources: &[Source]) {
        let all = self.unopened_of(sources).all;
        let files = if all == 1 {
            "file that does not look like manifests"
        } else {
            "files that do not look like manifests"
        };
        if all > 0 && !self.has_noted_unopened.replace(true) {
            self.note(format_args!("did not open {all} {files}; -g GLOB reads matching files"));
        }
    }

    /// Notes how many files were not opened if little was found: far fewer `objects` than files that might hold some.
    pub fn note_unopened_if_little(&self, objects: usize, sources: &[Source]) {
        if objects * LITTLE < self.unopened_of(sources).examined {
            self.note_unopened(sources);
        }
    }

    /// How many files of directories and archives were not opened.
    pub fn unopened(&self, sources: &[Source]) -> usize {
        self.unopened_of(sources).all
    }

    /// Prints a line that was asked for, or that kubectl prints without a prefix.
    pub fn line(&self, line: impl fmt::Display) {
        self.print(line);
    }

    fn unopened_of(&self, sources: &[Source]) -> Unopened {
        sources.iter().fold(self.unopened, |mut all, source| {
            all += source.unopened();
            all
        })
    }

    /// Whether only results and errors are printed.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The terminals among the standard streams.
    pub fn terminals(&self) -> Terminals {
        self.terminals
    }

    /// Starts the progress line, on a terminal, and if no output is written in the meantime.
    pub fn start_progress(&mut self, output: Output) {
        let in_between = output == Output::AsItGoes && self.terminals.stdout.is_terminal;
        if !self.quiet && !in_between && self.terminals.stderr.is_terminal {
            self.progress = Some(Progress::start());
        }
    }

    /// Adds bytes of `sources` that have been processed.
    pub fn advance(&mut self, bytes: usize, sources: &[Source]) {
        self.read += bytes;
        if let Some(progress) = &mut self.progress {
            progress.advance(bytes, sources);
        }
    }

    /// Reports how many errors of the last source were not shown, and removes the progress line before the results.
    pub fn end_of_input(&mut self) {
        self.note_unshown();
        self.note_conflicts();
        self.note_joined();
        self.progress = None;
    }

    /// Reports how many conflicts were not shown.
    fn note_conflicts(&mut self) {
        let more = std::mem::take(&mut self.conflicts).saturating_sub(SHOWN_CONFLICTS);
        if more > 0 {
            let more = counted(more, "more conflict");
            self.print(format_args!("{}: {more}", label("error", palette::ERROR, self.colors())));
        }
    }

    /// Reports further files that were joined without a separator, and how to read them.
    fn note_joined(&self) {
        let more = self.joined.take().saturating_sub(SHOWN_OF_SOURCE);
        if more > 0 {
            let more = counted(more, "more place");
            self.warning(format_args!("{more} where --- is missing"));
            self.hint("cat joins files without ---; use -f A,B to read them one by one");
        }
    }

    /// Reports how many errors of the last source with errors were not shown.
    fn note_unshown(&mut self) {
        let Some(SourceErrors { source, errors }) = self.of_source.take() else { return };
        let more = errors.saturating_sub(SHOWN_OF_SOURCE);
        if more > 0 {
            let more = counted(more, "more error");
            let source = text::go::printable(&source);
            let label = label("error", palette::ERROR, self.colors());
            self.print(format_args!("{label}: {source}: {more}"));
        }
    }

    /// Counts an error of a source. Returns whether it is shown: only the first ones are, so that a file that is
    /// something else altogether does not hide the errors of others.
    fn is_shown(&mut self, source: &Arc<str>) -> bool {
        match &mut self.of_source {
            Some(of_source) if of_source.source == *source => {
                of_source.errors += 1;
                of_source.errors <= SHOWN_OF_SOURCE
            }
            _ => {
                self.note_unshown();
                self.of_source = Some(SourceErrors { source: Arc::clone(source), errors: 1 });
                true
            }
        }
    }

    /// Whether messages are coloured.
    fn colors(&self) -> bool {
        self.terminals.stderr.colors
    }

    fn print(&self, lines: impl fmt::Display) {
        let write = || write_lines(lines, self.terminals.stderr, &mut **self.stderr.borrow_mut());
        match &self.progress {
            _ if self.silent => (),
            Some(progress) => progress.suspend(write),
            None => write(),
        }
    }

    /// Prints an error.
    pub fn error(&mut self, error: impl fmt::Display) {
        self.diagnostic(&Diagnostic::new(error));
    }

    /// Prints an error with its text and hint.
    pub fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.errors += 1;
        if diagnostic.source.as_ref().is_some_and(|source| !self.is_shown(source)) {
            return;
        }
        let hint = diagnostic.hint.as_ref().filter(|hint| !self.hints.contains(*hint));
        let hint = hint.map(|hint| self.invocation.adapt_text(hint));
        self.has_hinted.set(self.has_hinted.get() || hint.is_some());
        self.print(Block { diagnostic, hint: hint.as_deref(), colors: self.colors() });
        self.hints.extend(diagnostic.hint.clone());
    }

    /// Prints an error about a value that may not be overwritten, unless there have been many.
    pub fn conflict(&mut self, diagnostic: &Diagnostic) {
        self.conflicts += 1;
        match self.conflicts > SHOWN_CONFLICTS {
            true => self.errors += 1,
            false => self.diagnostic(diagnostic),
        }
    }

    /// Reports a field that a kind does not support, once for each kind and not for each object.
    pub fn unsupported(&mut self, field: UnsupportedField) {
        if self.unsupported.iter().all(|known| known.resource != field.resource) {
            self.error(&field);
            self.unsupported.push(field);
        }
    }

    /// The error that stops a command if no TYPE supports a selected field, of which this is the last one.
    pub fn refusal(&mut self, field: UnsupportedField) -> CommandError {
        let refusal = CommandError::failure(&field);
        self.unsupported.push(field);
        refusal.with_hint(self.fields())
    }

    /// Prints a hint with the fields that the kinds support.
    pub fn hint_at_fields(&self) {
        self.fields().iter().for_each(|hint| self.hint(hint));
    }

    /// The hint with the fields that the kinds support; `None` if they support all.
    fn fields(&self) -> Option<String> {
        Some(match &self.unsupported[..] {
            [] => return None,
            [UnsupportedField { resource, supported, .. }] => {
                let (resource, supported) = (text::go::printable(resource), supported.join(", "));
                format!("{resource} can be selected by {supported}; or use --where")
            }
            _ => "kselect api-resources -o wide lists the fields of each kind; name a TYPE, or use --where"
                .to_owned(),
        })
    }

    /// Prints a warning.
    pub fn warning(&self, warning: impl fmt::Display) {
        self.print(format_args!("{}: {warning}", label("warning", palette::WARNING, self.colors())));
    }

    /// Prints a warning about a document, unless there have been many of its kind.
    pub fn document_warning(&self, warning: &Warning) {
        if let Warning::Joined(_) = warning {
            self.joined.set(self.joined.get() + 1);
            if self.joined.get() > SHOWN_OF_SOURCE {
                return;
            }
        }
        self.warning(warning);
    }

    /// Prints a note, unless quiet.
    pub fn note(&self, note: impl fmt::Display) {
        self.say(format_args!("kselect: {note}"));
    }

    /// Prints a line in the words of kubectl or of the results, unless quiet.
    pub fn say(&self, line: impl fmt::Display) {
        if !self.quiet {
            self.print(self.invocation.adapt_text(&line.to_string()));
        }
    }

    /// Prints a note once, however often it is given.
    pub fn note_once(&mut self, note: String) {
        if !self.hints.contains(&note) {
            self.note(&note);
            self.hints.insert(note);
        }
    }

    /// Reports how many documents of each kind were skipped, in one line; or which ones, if they are listed.
    pub fn note_skipped(&self, skipped: &SkippedDocuments) {
        if self.lists_skipped {
            for SkippedRun { sort, first, count } in skipped.runs() {
                let words = skipped_words(*sort, *count);
                match count {
                    1 => self.print(format_args!("kselect: skipped {first}: {words}")),
                    _ => self.print(format_args!("kselect: skipped {first}: {count} {words}")),
                }
            }
            return;
        }
        let counted = skipped.counts().map(|(sort, count)| format!("{count} {}", skipped_words(sort, count)));
        let counted: Vec<String> = counted.collect();
        if counted.is_empty() {
            return;
        }
        let advice = match skipped.has(Skipped::Template) {
            true => "; render templates first: helm template CHART | kselect ...",
            false => "",
        };
        self.note(format_args!("skipped {}{advice}", counted.join(", ")));
    }

    /// Reports objects for which expressions could not be evaluated.
    pub fn unanswered(&mut self, unanswered: &Unanswered, is_error: bool) {
        for sentence in unanswered.sentences() {
            match is_error {
                true => self.error(sentence),
                false => self.note(sentence),
            }
        }
    }

    /// Reports how many copies of objects were left out. `shows` is the flag, or the command with the flag, that shows them.
    pub fn note_copies(&self, copies: usize, shows: &str) {
        match copies {
            0 => (),
            1 => self.note(format_args!("left out 1 copy of an object; {shows} shows it")),
            _ => self.note(format_args!("left out {copies} copies of objects; {shows} shows them")),
        }
    }

    /// Notes how many objects are built under several names, of which an answer shows one.
    pub fn note_several_names(&self, built: usize) {
        let verb = if built == 1 { "is" } else { "are" };
        if built > 0 {
            let objects = counted(built, "object");
            self.note(format_args!("{objects} {verb} built under several names, which tree shows"));
        }
    }

    /// Prints a hint about files in directories that were not read, if nothing was selected or more could have been. If there were `candidates` for a selector, hidden files are an unlikely reason.
    pub fn hint_at_unread(&self, args: &InputArgs, candidates: usize) {
        let options = args.walk_options();
        if self.quiet || self.has_hinted.get() || candidates > 0 && options.recursive {
            return;
        }
        match walk::unread(&args.filename, &args.paths, &options) {
            Some(Unread::Hidden(_)) if candidates > 0 => (),
            Some(unread) => self.hint(unread_hint(&unread)),
            None => (),
        }
    }

    /// Prints a hint unless quiet, or another one was printed.
    pub fn only_hint(&self, hint: impl fmt::Display) {
        if !(self.quiet || self.has_hinted.get()) {
            self.hint(hint);
        }
    }

    /// Prints a hint about the messages before it.
    pub fn hint(&self, hint: impl fmt::Display) {
        let hint = self.invocation.adapt_text(&hint.to_string());
        self.has_hinted.set(true);
        self.print(format_args!("{}: {hint}", label("hint", palette::HINT, self.colors())));
    }

    /// Reports that standard input was empty if there was nothing else to read: usually, the command before the pipe
    /// has failed.
    /// Returns whether it was.
    pub fn note_empty_input(&self, sources: &[Source]) -> bool {
        let is_empty = self.is_empty_input(sources);
        if is_empty {
            self.note(EMPTY_INPUT);
        }
        is_empty
    }

    /// Whether standard input was empty and there was nothing else to read.
    pub fn is_empty_input(&self, sources: &[Source]) -> bool {
        let [source] = sources else { return false };
        !self.has_failed() && source.is_stdin() && source.size().unwrap_or(self.read as u64) == 0
    }

    /// Whether there was an error.
    pub fn has_failed(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors so far, including those that are not shown.
    pub fn errors(&self) -> usize {
        self.errors
    }
}
