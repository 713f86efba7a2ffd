//! Messages to the user, and what the process says with its exit status.

use std::fmt;
use std::process::ExitCode;

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
#[derive(Debug, Default)]
pub struct Report {
    failed: bool,
}

impl Report {
    /// Tells of an error.
    pub fn error(&mut self, error: impl fmt::Display) {
        self.failed = true;
        eprintln!("error: {error}");
    }

    /// Tells of something that should be otherwise and does not hinder.
    pub fn warning(&self, warning: impl fmt::Display) {
        eprintln!("warning: {warning}");
    }

    /// Tells something that is no error.
    pub fn note(&self, note: impl fmt::Display) {
        eprintln!("{note}");
    }

    /// Tells what to do about the error before.
    pub fn hint(&self, hint: impl fmt::Display) {
        eprintln!("hint: {hint}");
    }

    /// Whether there was an error.
    pub fn has_failed(&self) -> bool {
        self.failed
    }
}
