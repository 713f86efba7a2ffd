//! What the commands do: arguments to options to the straight line of the library.

mod api_resources;
mod check;
mod get;
mod input;
mod label;
mod report;
mod selector;

use std::io::Write;

use kselect::edit::change::Field;

use crate::cli::{Cli, Command};
pub use report::{Outcome, Refusal};

/// Runs a command. What it shows goes to `out`, which is flushed, all messages go to standard error.
///
/// # Errors
///
/// What stopped the command: a [`Refusal`], or output that cannot be written.
pub fn run(cli: &Cli, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let outcome = match &cli.command {
        Command::Get(args) => get::run(args, out)?,
        Command::Label(args) => label::run(Field::Labels, args, out)?,
        Command::Annotate(args) => label::run(Field::Annotations, args, out)?,
        Command::ApiResources(args) => api_resources::run(args, out)?,
        Command::Check(args) => check::run(args, out)?,
        Command::Selector(args) => selector::run(args, out)?,
    };
    out.flush()?;
    Ok(outcome)
}
