//! Errors as they are shown: a message, the text with the error, and a hint.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use crate::cli::invocation::Invocation;
use change::refusal::EditError;
use kselect_core::output::color::{self as palette, Painted, Style};
use kselect_core::output::printer::PieceError;
use kselect_core::output::sort::SortError;
use kselect_core::selection::{SelectionError, UnsupportedField};
use manifest::object::Object;
use policy::Unknown;
use syntax::error::{Error, Place};
use syntax::foreign::Foreign;
use text::excerpt::{self, Excerpt};
use text::reason::reason;
use text::terminal::Guard;
use validation::PlacedViolation;

use super::snippet;
use crate::cli::Misuse;
use crate::streams::{Streams, Terminal, Terminals};

/// An error as it is shown: the message on one line, which scripts look for, the text with a caret below it, and a
/// hint.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The error message.
    pub message: String,
    /// The text with the error; `None` if there is none, or if it would add nothing to the message.
    pub excerpt: Option<Box<Excerpt>>,
    /// How to fix it; `None` if the message says enough.
    pub hint: Option<String>,
    /// The source with the error; `None` if it is not about the text of a source.
    pub source: Option<Arc<str>>,
}

/// A warning about a document.
#[derive(Clone, Debug)]
pub enum Warning {
    /// It consists of several files without a separator between their objects; the next one begins here.
    Joined(Place),
    /// What validation doubts.
    Doubt(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joined(place) => write!(
                f,
                "{place}: apiVersion and kind are repeated: without --- between objects, only the last one is read"
            ),
            Self::Doubt(doubt) => f.write_str(doubt),
        }
    }
}

impl Diagnostic {
    /// A diagnostic with only a message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), excerpt: None, hint: None, source: None }
    }

    /// An error of an object, whose place stands before the message.
    pub fn of(object: &Object<'_>, message: impl fmt::Display) -> Self {
        Self::new(format_args!("{}: {message}", object.place()))
    }

    /// Why an object cannot be printed.
    pub fn of_piece(object: &Object<'_>, error: PieceError) -> Self {
        match error {
            PieceError::Unreadable(error) => error.into(),
            PieceError::Template(reason) => Self::of(object, reason),
        }
    }
}

impl From<String> for Diagnostic {
    fn from(message: String) -> Self {
        Self { message, excerpt: None, hint: None, source: None }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let in_quotes =
            |(word, found)| format!("without quotes, {word} is a {found}; write \"{word}\" in quotes");
        let hint = error.hint().map(|hint| match error.foreign() {
            Some(Foreign::PlainText) => format!("{hint}; name files with -f"),
            _ => hint,
        });
        let hint = hint.or_else(|| error.unquoted().map(in_quotes));
        let source = Some(error.place.source);
        Self { message, excerpt: error.detail.and_then(|detail| detail.excerpt).map(Box::new), hint, source }
    }
}

impl From<PlacedViolation> for Diagnostic {
    fn from(refusal: PlacedViolation) -> Self {
        let message = refusal.to_string();
        Self { message, excerpt: refusal.excerpt.map(Box::new), hint: refusal.hint, source: None }
    }
}

impl From<EditError> for Diagnostic {
    fn from(error: EditError) -> Self {
        Self { message: error.to_string(), excerpt: error.excerpt, hint: None, source: None }
    }
}

/// An error that stops a command.
#[derive(Debug)]
pub struct CommandError {
    /// The error.
    pub diagnostic: Diagnostic,
    /// The exit status: 2 if the command line is wrong regardless of the input, otherwise 1.
    pub status: u8,
}

impl CommandError {
    /// An error in the command line.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { diagnostic: Diagnostic::new(message), status: 2 }
    }

    /// The input does not have what the command line requests.
    pub fn failure(message: impl fmt::Display) -> Self {
        Self { diagnostic: Diagnostic::new(message), status: 1 }
    }

    /// Adds a hint.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.with_hint(Some(hint))
    }

    /// Adds a hint, if there is one.
    pub fn with_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.diagnostic.hint = hint.map(Into::into);
        self
    }

    /// Adds the text that has the error, if there is one.
    pub fn with_excerpt(mut self, excerpt: Option<Excerpt>) -> Self {
        self.diagnostic.excerpt = excerpt.map(Box::new);
        self
    }
}

impl From<SortError> for CommandError {
    fn from(error: SortError) -> Self {
        Self::failure(error.message).with_hint(error.hint)
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        Self { diagnostic: error.into(), status: 1 }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for CommandError {}

/// A diagnostic to be printed, with or without its hint.
pub(super) struct Block<'p> {
    pub(super) diagnostic: &'p Diagnostic,
    pub(super) hint: Option<&'p str>,
    pub(super) colors: bool,
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            label("error", palette::ERROR, self.colors),
            excerpt::message(&self.diagnostic.message)
        )?;
        if let Some(excerpt) = &self.diagnostic.excerpt {
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

/// The label of a message, coloured if there are colours.
pub(super) fn label(word: &'static str, style: Style, colors: bool) -> Painted<'static> {
    palette::painted(word, colors.then_some(style))
}

/// An error with its causes, on one line.
pub(super) fn causes(error: &anyhow::Error) -> String {
    let cause = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().map_or_else(|| cause.to_string(), reason)
    };
    error.chain().map(cause).collect::<Vec<_>>().join(": ")
}

/// Prints the error that stopped the program. Returns the exit status.
pub fn report_failure(
    error: &anyhow::Error,
    invocation: Invocation,
    terminal: Terminal,
    stderr: &mut dyn Write,
) -> u8 {
    let colors = terminal.colors;
    match error.downcast_ref::<CommandError>() {
        Some(CommandError { diagnostic, status }) => {
            let hint = diagnostic.hint.as_ref().map(|hint| invocation.adapt_text(hint));
            write_lines(Block { diagnostic, hint: hint.as_deref(), colors }, terminal, stderr);
            *status
        }
        None => {
            let diagnostic = &Diagnostic::from(causes(error));
            write_lines(Block { diagnostic, hint: None, colors }, terminal, stderr);
            1
        }
    }
}

/// Prints the error about arguments, or the requested help. Returns the exit status.
pub fn report_misuse(misuse: Misuse, invocation: Invocation, streams: &mut Streams<'_>) -> u8 {
    let Terminals { stdout, stderr, .. } = streams.terminals;
    match misuse {
        Misuse::Shown(error) => {
            let text = error.render();
            let shown = |terminal: Terminal| match terminal.colors {
                true => text.ansi().to_string(),
                false => text.to_string(),
            };
            // A closed stream is ignored, so that the status is that of the arguments.
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
            let refusal = CommandError::usage(message).with_hint(hint).into();
            report_failure(&refusal, invocation, stderr, streams.stderr)
        }
    }
}

/// Writes lines to standard error. Failure to write them is ignored.
pub(super) fn write_lines(lines: impl fmt::Display, terminal: Terminal, stderr: &mut dyn Write) {
    let mut stderr = Guard::new(stderr, terminal.colors);
    let _ = stderr.write_all(format!("{lines}\n").as_bytes()).and_then(|()| stderr.flush());
}

/// Why an object cannot be processed.
pub enum ObjectError {
    /// A selected field is not supported by its kind, which is reported once for each kind.
    Unsupported(UnsupportedField),
    /// An expression cannot be evaluated for the object, which is reported once for all objects.
    Unknown(Unknown),
    /// An error of this object.
    Failed(Diagnostic),
}

impl From<SelectionError> for ObjectError {
    fn from(error: SelectionError) -> Self {
        match error {
            SelectionError::Unsupported(field) => Self::Unsupported(field),
            SelectionError::Unknown(unknown) => Self::Unknown(unknown),
            SelectionError::Unreadable(error) => Self::Failed(error.into()),
        }
    }
}

impl From<Diagnostic> for ObjectError {
    fn from(error: Diagnostic) -> Self {
        Self::Failed(error)
    }
}
