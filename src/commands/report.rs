//! Messages to the user, and what the process says with its exit status.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use crate::cli::invocation::Invocation;
use crate::edit::refusal::EditError;
use crate::manifest::error::Error;
use crate::manifest::foreign::Foreign;
use crate::manifest::source::{self, Source};
use crate::manifest::walk;
use crate::output::color::{self as palette, Painted, Style};
use crate::scan::{Skipped, SkippedCounts};
use crate::selection::expression::EvaluationError;
use crate::selection::{Selection, SelectionError, UnsupportedField};
use crate::text::excerpt::{self, Excerpt};
use crate::text::terminal::Guard;
use crate::validation::Finding;

use super::input;
use super::progress::Progress;
use super::snippet;
use super::survey::{Survey, Surveyed};
use crate::cli::{InputArgs, Misuse};
use crate::streams::{Stdin, Streams, Terminal, Terminals};

/// How a command ended that was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All was done, even if nothing was selected.
    Done,
    /// Two inputs differ.
    Different,
    /// Nothing was selected, and `--exit-status` asks to tell.
    NothingSelected,
    /// Some of the input failed; the rest was processed.
    Failed,
    /// The same of a command whose status 1 has a meaning of its own.
    Trouble,
}

impl Outcome {
    /// The exit status.
    ///
    /// *Compatibility* (usage-status): usage errors, malformed selectors included, exit with 2; kubectl exits with 1.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed | Self::Different => 1,
            Self::Trouble => 2,
            Self::NothingSelected => 4,
        }
    }
}

/// Something that is wrong, as the user is told of it: the reason on one line, which scripts look for, below it
/// the text with a caret, then what to do.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// The text that is wrong; nothing when there is none, or it would tell no more than the message.
    pub excerpt: Option<Box<Excerpt>>,
    /// What to do; nothing when the message says all.
    pub hint: Option<String>,
    /// The source that the problem is in; `None` if it is not about the text of one.
    pub source: Option<Arc<str>>,
}

impl Problem {
    /// A problem of which there is no more to say.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), excerpt: None, hint: None, source: None }
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { message, excerpt: None, hint: None, source: None }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let in_quotes =
            |(word, found)| format!("without quotes, {word} is a {found}; write \"{word}\" in quotes");
        let hint = error.foreign().map(hint).or_else(|| error.unquoted().map(in_quotes));
        let source = Some(error.place.source);
        Self { message, excerpt: error.detail.and_then(|detail| detail.excerpt).map(Box::new), hint, source }
    }
}

impl From<Finding> for Problem {
    fn from(finding: Finding) -> Self {
        let message = finding.to_string();
        Self { message, excerpt: finding.excerpt.map(Box::new), hint: finding.hint, source: None }
    }
}

impl From<EditError> for Problem {
    fn from(error: EditError) -> Self {
        Self { message: error.to_string(), excerpt: error.excerpt, hint: None, source: None }
    }
}

impl From<SelectionError> for Problem {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::Unreadable(error)
            | SelectionError::Expression(EvaluationError::Unreadable(error)) => error.into(),
            other => Self::new(other),
        }
    }
}

/// What to do about a text that is not a manifest.
fn hint(foreign: Foreign) -> String {
    match foreign {
        Foreign::PlainText => format!("{}; name files with -f", foreign.hint()),
        _ => foreign.hint(),
    }
}

/// What documents of a sort are called, one and several, and what to do with them.
fn skipped_words(sort: Skipped) -> (&'static str, &'static str, &'static str) {
    match sort {
        Skipped::Template => {
            ("template", "templates", "; render them first: helm template CHART | kselect ...")
        }
        Skipped::Chart => ("file of a Helm chart", "files of Helm charts", ""),
        Skipped::Kustomization => ("kustomization", "kustomizations", ""),
        Skipped::Patch => ("patch", "patches", ""),
        Skipped::Schema => ("JSON schema", "JSON schemas", ""),
        Skipped::Package => ("package.json", "package.json files", ""),
        Skipped::Test => ("step of a test", "steps of tests", ""),
        Skipped::Configuration => ("configuration of a tool", "configurations of tools", ""),
        Skipped::Words => ("text between documents", "texts between documents", ""),
        Skipped::Other => {
            ("document that is not a Kubernetes object", "documents that are not Kubernetes objects", "")
        }
    }
}

/// A command that cannot be carried out.
#[derive(Debug)]
pub struct Refusal {
    /// What is wrong.
    pub problem: Problem,
    /// The exit status: 2 where the command line is wrong whatever the input is, else 1.
    pub status: u8,
}

impl Refusal {
    /// The command line is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { problem: Problem::new(message), status: 2 }
    }

    /// The command line asks for what the input does not have.
    pub fn failure(message: impl fmt::Display) -> Self {
        Self { problem: Problem::new(message), status: 1 }
    }

    /// The same with a hint.
    pub fn with_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.problem.hint = hint.map(Into::into);
        self
    }

    /// The same with the text that is wrong.
    pub fn with_excerpt(mut self, excerpt: Option<Excerpt>) -> Self {
        self.problem.excerpt = excerpt.map(Box::new);
        self
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { problem: error.into(), status: 1 }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Refusal {}

/// Reports problems as they come and remembers that there were any. It holds what a command has besides its output.
pub struct Report<'a> {
    /// By which name hints call the program.
    invocation: Invocation,
    stdin: Stdin,
    terminals: Terminals,
    stderr: RefCell<Box<dyn Write + 'a>>,
    failed: bool,
    quiet: bool,
    silent: bool,
    /// What was hinted at: once is enough, however many documents have the same problem.
    hints: HashSet<String>,
    /// The fields that were selected by and that a kind lacks, one for each kind.
    unsupported: Vec<UnsupportedField>,
    /// How often files were joined without a separator.
    joined: Cell<usize>,
    /// How many bytes of the sources are done.
    read: usize,
    progress: Option<Progress>,
    /// The errors of the source that errors came from last.
    of_source: Option<SourceErrors>,
}

/// The errors of a source.
struct SourceErrors {
    source: Arc<str>,
    errors: usize,
}

/// How many errors are shown of one source.
const SHOWN_OF_SOURCE: usize = 3;

/// When the output of a command appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// While the input is read.
    AsItGoes,
    /// When all of it was read.
    AtTheEnd,
}

impl<'a> Report<'a> {
    /// A report to `stderr`, with notes and progress unless it is `quiet`.
    pub fn new(
        quiet: bool,
        invocation: Invocation,
        stdin: Stdin,
        terminals: Terminals,
        stderr: impl Write + 'a,
    ) -> Self {
        Self {
            invocation,
            stdin,
            terminals,
            stderr: RefCell::new(Box::new(stderr)),
            failed: false,
            quiet,
            silent: false,
            hints: HashSet::new(),
            unsupported: Vec::new(),
            joined: Cell::new(0),
            read: 0,
            progress: None,
            of_source: None,
        }
    }

    /// A report that shows nothing, and remembers nevertheless.
    pub fn silent() -> Self {
        let report =
            Self::new(true, Invocation::Kselect, Stdin::Process, Terminals::default(), std::io::sink());
        Self { silent: true, ..report }
    }

    /// Has standard input, where it is among the sources, be what this command was given.
    pub fn connect_stdin(&self, sources: &mut [Source]) {
        if let Stdin::Text(text) = &self.stdin
            && let Some(source) = sources.iter_mut().find(|source| source.is_stdin())
        {
            *source = Source::memory(source::STDIN, text);
        }
    }

    /// Whether only results and errors are shown.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The terminals among the standard streams.
    pub fn terminals(&self) -> Terminals {
        self.terminals
    }

    /// Tells from now on how far the work is: on a terminal, where no output comes in between.
    pub fn start_progress(&mut self, output: Output) {
        let in_between = output == Output::AsItGoes && self.terminals.stdout.is_terminal;
        if !self.quiet && !in_between && self.terminals.stderr.is_terminal {
            self.progress = Some(Progress::start());
        }
    }

    /// So many bytes of `sources` more are done.
    pub fn advance(&mut self, bytes: usize, sources: &[Source]) {
        self.read += bytes;
        if let Some(progress) = &mut self.progress {
            progress.advance(bytes, sources);
        }
    }

    /// Says how many errors of the last source were not shown, and takes the progress away, before the results.
    pub fn end_of_input(&mut self) {
        self.note_unshown();
        self.note_joined();
        self.progress = None;
    }

    /// Says how often files were joined without a separator beyond what was shown, and how they are read apart.
    fn note_joined(&self) {
        let more = self.joined.take().saturating_sub(SHOWN_OF_SOURCE);
        if more > 0 {
            let noun = if more == 1 { "place" } else { "places" };
            self.warning(format_args!("{more} more {noun} where --- is missing"));
            self.hint("cat joins files without ---; use -f A,B to read them one by one");
        }
    }

    /// Says how many errors of the source that errors came from last were not shown.
    fn note_unshown(&mut self) {
        let Some(SourceErrors { source, errors }) = self.of_source.take() else { return };
        let more = errors.saturating_sub(SHOWN_OF_SOURCE);
        if more > 0 {
            let noun = if more == 1 { "error" } else { "errors" };
            let source = crate::text::go::printable(&source);
            let label = label("error", palette::ERROR, self.colors());
            self.tell(format_args!("{label}: {source}: {more} more {noun}"));
        }
    }

    /// Counts an error of a source. Returns whether it is shown: of one source only the first ones are, so that a file
    /// that is something else altogether does not hide the others.
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

    /// Whether messages have colours.
    fn colors(&self) -> bool {
        self.terminals.stderr.colors
    }

    fn tell(&self, lines: impl fmt::Display) {
        let say = || say(lines, self.terminals.stderr, &mut **self.stderr.borrow_mut());
        match &self.progress {
            _ if self.silent => (),
            Some(progress) => progress.suspend(say),
            None => say(),
        }
    }

    /// Tells of an error.
    pub fn error(&mut self, error: impl fmt::Display) {
        self.problem(&Problem::new(error));
    }

    /// Tells of an error with all that can be shown of it.
    pub fn problem(&mut self, problem: &Problem) {
        self.failed = true;
        if problem.source.as_ref().is_some_and(|source| !self.is_shown(source)) {
            return;
        }
        let hint = problem.hint.as_ref().filter(|hint| !self.hints.contains(*hint));
        let hint = hint.map(|hint| self.invocation.adapt_text(hint));
        self.tell(Block { problem, hint: hint.as_deref(), colors: self.colors() });
        self.hints.extend(problem.hint.clone());
    }

    /// Tells of a field that a kind lacks, once for each kind and not for each object.
    pub fn unsupported(&mut self, field: UnsupportedField) {
        if self.unsupported.iter().all(|known| known.resource != field.resource) {
            self.error(&field);
            self.unsupported.push(field);
        }
    }

    /// Tells what the kinds offer of which a field was asked for that they lack.
    pub fn hint_at_fields(&self) {
        match &self.unsupported[..] {
            [] => (),
            [UnsupportedField { resource, supported, .. }] => {
                let (resource, supported) = (crate::text::go::printable(resource), supported.join(", "));
                self.hint(format_args!("{resource} can be selected by {supported}; or use --where"));
            }
            _ => self.hint(
                "kselect api-resources -o wide lists the fields of each kind; name a TYPE, or use --where",
            ),
        }
    }

    /// Reports in words that are kubectl's own, with its own mark.
    pub fn raw(&self, line: &str) {
        self.tell(line);
    }

    /// Tells of something that should be otherwise and does not hinder.
    pub fn warning(&self, warning: impl fmt::Display) {
        let warning = warning.to_string();
        if warning.ends_with(input::JOINED) {
            self.joined.set(self.joined.get() + 1);
            if self.joined.get() > SHOWN_OF_SOURCE {
                return;
            }
        }
        self.tell(format_args!("{}: {warning}", label("warning", palette::WARNING, self.colors())));
    }

    /// Tells something that is no error, unless the user wants quiet.
    pub fn note(&self, note: impl fmt::Display) {
        if !self.quiet {
            self.tell(note);
        }
    }

    /// Reports how many documents were skipped, each sort on a line of its own.
    pub fn note_skipped(&self, skipped: &SkippedCounts) {
        for (sort, count) in skipped.iter() {
            let (one, many, advice) = skipped_words(sort);
            let noun = if count == 1 { one } else { many };
            self.note(format_args!("kselect: skipped {count} {noun}{advice}"));
        }
    }

    /// Notes how many copies of objects were left out.
    pub fn note_copies(&self, copies: usize) {
        match copies {
            0 => (),
            1 => self.note("kselect: left out 1 copy of an object; --all-copies shows it"),
            _ => self
                .note(format_args!("kselect: left out {copies} copies of objects; --all-copies shows them")),
        }
    }

    /// Notes to what moment ages count, which is not now.
    pub fn note_moment(&self, moment: impl fmt::Display) {
        self.note(format_args!("kselect: ages are as of {moment}, when the dump was taken"));
    }

    /// Says how many objects were read, where none was selected, and what no object has of what was asked for.
    /// `is_condition` says that the exit status tells of it: then a selector that can never hold is a warning.
    pub fn nothing_selected(
        &self,
        (survey, seen): (&Survey, &Surveyed),
        selection: &Selection,
        why: &'static str,
        is_condition: bool,
    ) {
        if let Some(summary) = survey.summary(seen, selection, why) {
            self.note(self.invocation.adapt_text(&summary.to_string()));
        }
        for unmet in survey.unmet(seen, selection) {
            match is_condition {
                true => self.warning(unmet),
                false if !self.quiet => self.hint(unmet),
                false => (),
            }
        }
        if !self.quiet {
            survey.misspelt(seen).into_iter().for_each(|label| self.hint(label));
        }
    }

    /// Hints, where nothing was selected, at what was not read of directories.
    pub fn hint_at_unread(&self, args: &InputArgs) {
        if self.quiet {
            return;
        }
        if let Some(unread) = walk::unread(&args.filename, &args.walk_options()) {
            self.hint(input::unread_hint(&unread));
        }
    }

    /// Tells what to do about the errors before.
    fn hint(&self, hint: impl fmt::Display) {
        let hint = self.invocation.adapt_text(&hint.to_string());
        self.tell(format_args!("{}: {hint}", label("hint", palette::HINT, self.colors())));
    }

    /// Tells that there was nothing on standard input, if that was all there was to read: mostly the command
    /// before the pipe has failed.
    pub fn note_empty_input(&self, sources: &[Source]) {
        let [source] = sources else { return };
        if !self.failed && source.is_stdin() && source.size().unwrap_or(self.read as u64) == 0 {
            self.note("kselect: standard input is empty; name files with -f");
        }
    }

    /// Whether there was an error.
    pub fn has_failed(&self) -> bool {
        self.failed
    }
}

/// A problem as it is shown, with a hint or without.
struct Block<'p> {
    problem: &'p Problem,
    hint: Option<&'p str>,
    colors: bool,
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            label("error", palette::ERROR, self.colors),
            excerpt::message(&self.problem.message)
        )?;
        if let Some(excerpt) = &self.problem.excerpt {
            write!(f, "\n{}", snippet::shown(excerpt, self.colors))?;
        }
        match self.hint {
            Some(hint) => {
                write!(f, "\n{}: {}", label("hint", palette::HINT, self.colors), excerpt::message(hint))
            }
            None => Ok(()),
        }
    }
}

/// The word that a message begins with, in its colour if there are colours.
fn label(word: &'static str, style: Style, colors: bool) -> Painted<'static> {
    palette::painted(word, colors.then_some(style))
}

/// Reports what stopped the program. Returns the exit status.
pub fn tell_last(
    error: &anyhow::Error,
    invocation: Invocation,
    terminal: Terminal,
    stderr: &mut dyn Write,
) -> u8 {
    let colors = terminal.colors;
    match error.downcast_ref::<Refusal>() {
        Some(Refusal { problem, status }) => {
            let hint = problem.hint.as_ref().map(|hint| invocation.adapt_text(hint));
            say(Block { problem, hint: hint.as_deref(), colors }, terminal, stderr);
            *status
        }
        None => {
            let problem = &Problem::new(format_args!("{error:#}"));
            say(Block { problem, hint: None, colors }, terminal, stderr);
            1
        }
    }
}

/// Reports arguments that do not make a command, or shows the help that they ask for. Returns the exit status.
pub fn tell_misuse(misuse: Misuse, invocation: Invocation, streams: &mut Streams<'_>) -> u8 {
    let Terminals { stdout, stderr, .. } = streams.terminals;
    match misuse {
        Misuse::Shown(error) => {
            let text = error.render();
            let shown = |terminal: Terminal| match terminal.colors {
                true => text.ansi().to_string(),
                false => text.to_string(),
            };
            // The parser's word for a hint.
            let shown = |terminal: Terminal| match error.use_stderr() {
                true => shown(terminal).replacen("tip:", "hint:", 1),
                false => shown(terminal),
            };
            // As with all messages: that nobody reads them changes nothing.
            let _ = match error.use_stderr() {
                true => streams.stderr.write_all(shown(stderr).as_bytes()),
                false => {
                    streams.stdout.write_all(shown(stdout).as_bytes()).and_then(|()| streams.stdout.flush())
                }
            };
            error.exit_code() as u8
        }
        Misuse::Topic(text) => {
            let _ = streams.stdout.write_all(text.as_bytes()).and_then(|()| streams.stdout.flush());
            0
        }
        Misuse::Answered { message, hint } => {
            let refusal = Refusal::usage(message).with_hint(Some(hint)).into();
            tell_last(&refusal, invocation, stderr, streams.stderr)
        }
    }
}

/// Writes lines to standard error. That nobody reads them, or that they cannot be written, changes nothing.
fn say(lines: impl fmt::Display, terminal: Terminal, stderr: &mut dyn Write) {
    let mut stderr = Guard::new(stderr, terminal.colors);
    let _ = stderr.write_all(format!("{lines}\n").as_bytes()).and_then(|()| stderr.flush());
}
