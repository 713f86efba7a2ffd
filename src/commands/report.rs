//! Messages to the user, and what the process says with its exit status.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use kselect::manifest::source::Source;

use super::progress::Progress;

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

/// A command that cannot be carried out.
#[derive(Debug)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do; nothing when the message says all.
    pub hint: Option<String>,
    /// The exit status: 2 where the command line is wrong whatever the input is, else 1.
    pub status: u8,
}

impl Refusal {
    /// The command line is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None, status: 2 }
    }

    /// The command line asks for what the input does not have.
    pub fn failure(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hint: None, status: 1 }
    }

    /// The same with a hint.
    pub fn with_hint(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Tells of problems as they come and remembers that there were any.
pub struct Report {
    failed: bool,
    quiet: bool,
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
        Self { failed: false, quiet, progress: None }
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
        if let Some(progress) = &mut self.progress {
            progress.advance(bytes, sources);
        }
    }

    /// Takes the progress away, before the results.
    pub fn end_progress(&mut self) {
        self.progress = None;
    }

    fn tell(&self, line: fmt::Arguments<'_>) {
        match &self.progress {
            Some(progress) => progress.suspend(|| say(line)),
            None => say(line),
        }
    }

    /// Tells of an error.
    pub fn error(&mut self, error: impl fmt::Display) {
        self.failed = true;
        self.tell(format_args!("error: {error}"));
    }

    /// Tells of something that should be otherwise and does not hinder.
    pub fn warning(&self, warning: impl fmt::Display) {
        self.tell(format_args!("warning: {warning}"));
    }

    /// Tells something that is no error, unless the user wants quiet.
    pub fn note(&self, note: impl fmt::Display) {
        if !self.quiet {
            self.tell(format_args!("{note}"));
        }
    }

    /// Tells what to do about the error before.
    pub fn hint(&self, hint: impl fmt::Display) {
        self.tell(format_args!("hint: {hint}"));
    }

    /// Whether there was an error.
    pub fn has_failed(&self) -> bool {
        self.failed
    }
}

/// Writes a line to standard error. That nobody reads it, or that it cannot be written, changes nothing.
pub fn say(line: impl fmt::Display) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
