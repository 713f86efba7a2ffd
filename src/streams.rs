//! What the program reads from and writes to, and what a terminal at the other end can show. The only home of the
//! crates that ask terminals about their size, and terminals and the environment about colours: `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and
//! `TERM=dumb` are respected.

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
    /// Results. It is flushed; the program buffers it no further.
    pub stdout: &'a mut dyn Write,
    /// Messages.
    pub stderr: &'a mut dyn Write,
    /// What is known of the other ends.
    pub terminals: Terminals,
}

/// What standard input is.
#[derive(Clone, Debug)]
pub enum Stdin {
    /// That of the process, which is read as it arrives.
    Process,
    /// This text.
    Text(Vec<u8>),
}

/// Which streams are terminals, and which of them show colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminals {
    /// Whether somebody would have to type the manifests.
    pub stdin: bool,
    /// Standard output.
    pub stdout: Terminal,
    /// Standard error.
    pub stderr: Terminal,
}

/// What is known of the other end of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether it is a terminal.
    pub is_terminal: bool,
    /// Whether it gets colours.
    pub colors: bool,
    /// How many columns it has; `None` if that cannot be known.
    pub columns: Option<usize>,
}

impl Terminals {
    /// The terminals of this process. On Windows, asking is what turns escape sequences on.
    pub fn of_process() -> Self {
        Self {
            stdin: io::stdin().is_terminal(),
            stdout: Terminal { columns: columns(), ..Terminal::of(io::stdout()) },
            stderr: Terminal::of(io::stderr()),
        }
    }

    /// The same with colours as `--color` says.
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

/// How many columns the terminal at standard output has.
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

/// What `--color` says in arguments that are not parsed yet; the parser refuses words it does not know.
pub(crate) fn color_asked_for(args: &[OsString]) -> Color {
    let words = args.iter().take_while(|arg| *arg != "--").zip(args.iter().skip(1).map(Some).chain([None]));
    let words = words.filter_map(|(arg, next)| match arg.to_str()? {
        "--color" => next?.to_str(),
        arg => arg.strip_prefix("--color="),
    });
    words.last().and_then(|word| Color::from_str(word, false).ok()).unwrap_or(Color::Auto)
}
