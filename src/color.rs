//! Whether the terminal gets colours. The only home of the crate that asks it, and the environment:
//! `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb` are heeded.

use std::ffi::OsString;
use std::io;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;

use crate::cli::Color;

/// What `--color` says in arguments that are not parsed yet; the parser refuses other words than it knows.
pub fn asked_for(args: &[OsString]) -> Color {
    let words = args.iter().take_while(|arg| *arg != "--").zip(args.iter().skip(1).map(Some).chain([None]));
    let words = words.filter_map(|(arg, next)| match arg.to_str()? {
        "--color" => next?.to_str(),
        arg => arg.strip_prefix("--color="),
    });
    words.last().and_then(|word| Color::from_str(word, false).ok()).unwrap_or(Color::Auto)
}

/// Has colours as `--color` says, from now on.
pub fn choose(color: Color) {
    let choice = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    choice.write_global();
}

/// Whether standard output gets colours.
pub fn on_stdout() -> bool {
    has_colors(io::stdout())
}

/// Whether standard error gets colours.
pub fn on_stderr() -> bool {
    has_colors(io::stderr())
}

fn has_colors(stream: impl anstream::stream::RawStream) -> bool {
    // On Windows, making the stream is what turns escape sequences on.
    AutoStream::auto(stream).current_choice() == ColorChoice::AlwaysAnsi
}
