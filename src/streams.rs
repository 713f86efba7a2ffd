//! The streams that the program reads and writes, and the abilities of terminals. The only file that uses the crates
//! for terminal sizes and colours: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb` are respected.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use anstream::AutoStream;
use anstream::stream::RawStream;
use clap::ValueEnum;

use crate::cli::Color;

/// The three standard streams.
pub struct Streams<'a> {
    /// Manifests, unless `-f` names others.
    pub stdin: Stdin,
    /// Results. The program flushes it and does not buffer it.
    pub stdout: &'a mut dyn Write,
    /// Messages.
    pub stderr: &'a mut dyn Write,
    /// Properties of the terminals.
    pub terminals: Terminals,
}

/// Output of a command whose exit status is its answer: once its reader has closed the pipe, the rest is discarded, and
/// the command goes on to its status.
pub(crate) struct ToTheEnd<'a> {
    out: &'a mut dyn Write,
    is_closed: bool,
}

impl<'a> ToTheEnd<'a> {
    /// Writes to `out` while it is open.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, is_closed: false }
    }

    /// The result of writing; `done` if the reader has closed the pipe.
    fn unless_closed<T>(
        &mut self,
        done: T,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(done);
        }
        let written = write(&mut *self.out);
        self.is_closed = written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        if self.is_closed { Ok(done) } else { written }
    }
}

impl Write for ToTheEnd<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), |out| out.flush())
    }
}

/// Standard input.
#[derive(Clone, Debug)]
pub enum Stdin {
    /// That of the process, read as it arrives.
    Process,
    /// A text.
    Text(Vec<u8>),
}

/// Which streams are terminals, and which of them support colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminals {
    /// Whether standard input is a terminal.
    pub stdin: bool,
    /// Standard output.
    pub stdout: Terminal,
    /// Standard error.
    pub stderr: Terminal,
}

/// Properties of the terminal of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether it is a terminal.
    pub is_terminal: bool,
    /// Whether output is coloured.
    pub colors: bool,
    /// The number of columns; `None` if unknown.
    pub columns: Option<usize>,
}

impl Terminals {
    /// The terminals of this process. On Windows, this enables escape sequences.
    pub fn of_process() -> Self {
        Self {
            stdin: io::stdin().is_terminal(),
            stdout: Terminal { columns: columns(), ..Terminal::of(io::stdout()) },
            stderr: Terminal::of(io::stderr()),
        }
    }

    /// Sets the colours of output and messages to what `--color` says.
    pub(crate) fn colored(mut self, color: Color) -> Self {
        for terminal in [&mut self.stdout, &mut self.stderr] {
            terminal.colors = match color {
                Color::Auto => terminal.colors,
                Color::Always => true,
                Color::Never => false,
            };
        }
        self
    }
}

/// The number of columns of the terminal at standard output.
fn columns() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(columns.0.into())
}

impl Terminal {
    fn of(stream: impl RawStream) -> Self {
        let is_terminal = stream.is_terminal();
        let colors = AutoStream::auto(stream).current_choice() == anstream::ColorChoice::AlwaysAnsi;
        Self { is_terminal, colors, columns: None }
    }
}

/// The value of `--color` in arguments that are not parsed yet; the parser rejects invalid values later.
pub(crate) fn color_asked_for(args: &[OsString]) -> Color {
    let words = args.iter().take_while(|arg| *arg != "--").zip(args.iter().skip(1).map(Some).chain([None]));
    let words = words.filter_map(|(arg, next)| match arg.to_str()? {
        "--color" => next?.to_str(),
        arg => arg.strip_prefix("--color="),
    });
    words.last().and_then(|word| Color::from_str(word, false).ok()).unwrap_or(Color::Auto)
}
