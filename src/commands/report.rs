//! Messages to the user, and what the process says with its exit status.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use kselect::edit::refusal::EditError;
use kselect::excerpt::{self, Excerpt};
use kselect::manifest::error::Error;
use kselect::manifest::source::{self, Source};
use kselect::output::color::{self as palette, Painted, Style};
use kselect::selection::expression::EvaluationError;
use kselect::selection::{SelectionError, UnsupportedField};
use kselect::terminal::Guard;
use kselect::validation::Finding;

use super::progress::Progress;
use super::snippet;
use crate::cli::{InputArgs, Misuse};
use crate::color;

/// How a command ended that was not stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All was done, even if nothing was selected.
    Done,
    /// Nothing was selected, and `--exit-status` asks to tell.
    NothingSelected,
    /// Some of the input failed; the rest was processed.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::NothingSelected => 4,
        })
    }
}

/// Something that is wrong, as the user is told of it: the reason on one line, which scripts look for, below it
/// the text with a caret, then what to do.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// The text that is wrong; nothing when there is none, or it would tell no more than the message.
    pub excerpt: Option<Excerpt>,
    /// What to do; nothing when the message says all.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem of which there is no more to say.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), excerpt: None, hint: None }
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Self {
        Self { message, excerpt: None, hint: None }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let (excerpt, hint) = error.detail.map_or((None, None), |detail| (detail.excerpt, detail.hint));
        Self { message, excerpt, hint: hint.map(str::to_owned) }
    }
}

impl From<Finding> for Problem {
    fn from(finding: Finding) -> Self {
        Self { message: finding.to_string(), excerpt: finding.excerpt, hint: finding.hint }
    }
}

impl From<EditError> for Problem {
    fn from(error: EditError) -> Self {
        Self { message: error.to_string(), excerpt: error.excerpt.map(|excerpt| *excerpt), hint: None }
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
        self.problem.excerpt = excerpt;
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

/// Tells of problems as they come and remembers that there were any.
pub struct Report {
    failed: bool,
    quiet: bool,
    /// What was hinted at: once is enough, however many documents have the same problem.
    hints: HashSet<String>,
    /// The fields that were selected by and that a kind lacks, one for each kind.
    unsupported: Vec<UnsupportedField>,
    /// How many bytes of the sources are done.
    read: usize,
    progress: Option<Progress>,
}

/// When the output of a command appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// While the input is read.
    AsItGoes,
    /// When all of it was read.
    AtTheEnd,
}

impl Report {
    /// A report, with notes and progress unless it is `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { failed: false, quiet, hints: HashSet::new(), unsupported: Vec::new(), read: 0, progress: None }
    }

    /// Tells from now on how far the work is: on a terminal, where no output comes in between.
    pub fn start_progress(&mut self, output: Output) {
        let in_between = output == Output::AsItGoes && io::stdout().is_terminal();
        if !self.quiet && !in_between && io::stderr().is_terminal() {
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

    /// Takes the progress away, before the results.
    pub fn end_progress(&mut self) {
        self.progress = None;
    }

    fn tell(&self, lines: impl fmt::Display) {
        match &self.progress {
            Some(progress) => progress.suspend(|| say(lines)),
            None => say(lines),
        }
    }

    /// Tells of an error.
    pub fn error(&mut self, error: impl fmt::Display) {
        self.problem(&Problem::new(error));
    }

    /// Tells of an error with all that can be shown of it.
    pub fn problem(&mut self, problem: &Problem) {
        self.failed = true;
        let hint = problem.hint.as_ref().filter(|hint| !self.hints.contains(*hint)).cloned();
        self.tell(Block { problem, hint: hint.as_deref() });
        self.hints.extend(hint);
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
                let (resource, supported) = (kselect::go::printable(resource), supported.join(", "));
                self.hint(format_args!("{resource} can be selected by {supported}; or use --where"));
            }
            _ => self.hint(
                "each kind has its own fields, which kselect api-resources -o wide lists; name a TYPE, or use --where",
            ),
        }
    }

    /// Tells of something that should be otherwise and does not hinder.
    pub fn warning(&self, warning: impl fmt::Display) {
        self.tell(format_args!("{}: {warning}", label("warning", palette::WARNING)));
    }

    /// Tells something that is no error, unless the user wants quiet.
    pub fn note(&self, note: impl fmt::Display) {
        if !self.quiet {
            self.tell(note);
        }
    }

    /// Tells how many documents of directories were passed over.
    pub fn note_skipped(&self, skipped: usize) {
        match skipped {
            0 => (),
            1 => self.note("kselect: passed over 1 document that is no Kubernetes object"),
            _ => self.note(format_args!(
                "kselect: passed over {skipped} documents that are no Kubernetes objects"
            )),
        }
    }

    /// Tells, where nothing was selected of directories, of what lies below them.
    pub fn hint_at_subdirectories(&self, args: &InputArgs) {
        if self.quiet || args.recursive {
            return;
        }
        if let Some(hint) = source::hint_at_subdirectories(&args.filename) {
            self.hint(hint);
        }
    }

    /// Tells what to do about the errors before.
    fn hint(&self, hint: impl fmt::Display) {
        self.tell(format_args!("{}: {hint}", label("hint", palette::HINT)));
    }

    /// Tells that there was nothing on standard input, if that was all there was to read: mostly the command
    /// before the pipe has failed.
    pub fn note_empty_input(&self, sources: &[Source]) {
        let [source] = sources else { return };
        if !self.failed && source.is_stdin() && source.size().unwrap_or(self.read as u64) == 0 {
            self.note("kselect: standard input was empty; -f names files to read");
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
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", label("error", palette::ERROR), excerpt::message(&self.problem.message))?;
        if let Some(excerpt) = &self.problem.excerpt {
            write!(f, "\n{}", snippet::shown(excerpt, color::on_stderr()))?;
        }
        match self.hint {
            Some(hint) => write!(f, "\n{}: {}", label("hint", palette::HINT), excerpt::message(hint)),
            None => Ok(()),
        }
    }
}

/// The word that a message begins with, in its colour where standard error has colours.
fn label(word: &'static str, style: Style) -> Painted<'static> {
    palette::painted(word, color::on_stderr().then_some(style))
}

/// Tells of what stopped the program.
pub fn tell_last(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Refusal>() {
        Some(Refusal { problem, status }) => {
            say(Block { problem, hint: problem.hint.as_deref() });
            ExitCode::from(*status)
        }
        None => {
            say(Block { problem: &Problem::new(format_args!("{error:#}")), hint: None });
            ExitCode::FAILURE
        }
    }
}

/// Tells of arguments that make no command, or shows the help that they ask for.
pub fn tell_misuse(misuse: Misuse) -> ExitCode {
    match misuse {
        Misuse::Shown(error) => error.exit(),
        Misuse::Answered { message, hint } => {
            tell_last(&Refusal::usage(message).with_hint(Some(hint)).into())
        }
    }
}

/// Writes lines to standard error. That nobody reads them, or that they cannot be written, changes nothing.
pub fn say(lines: impl fmt::Display) {
    let mut stderr = Guard::new(io::stderr(), color::on_stderr());
    let _ = stderr.write_all(format!("{lines}\n").as_bytes()).and_then(|()| stderr.flush());
}
