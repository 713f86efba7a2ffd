//! The commands: they turn arguments into options, and call the library.

mod api_resources;
mod argument_errors;
mod arguments;
mod as_of;
mod check;
mod completion;
mod count;
mod diagnostic;
mod diff;
mod edit;
mod events;
mod get;
mod input;
mod interrupt;
mod kustomize;
mod logs;
mod names;
mod namespaces;
mod progress;
mod query;
mod report;
mod selector;
mod serve;
pub mod settings;
mod snippet;
mod split;
mod tree;
mod unselected;
mod validated;
mod waiting;

use std::io::Write;

use crate::cli::invocation::Invocation;
use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::streams::{Stdin, Terminals, ToTheEnd};
use change::labels::Field;
pub use diagnostic::{report_failure, report_misuse};
use report::{Outcome, Report};

/// Runs a command. Results are written to `out`, which is flushed, and all messages to `stderr`.
///
/// # Errors
///
/// The error that stopped the command: a [`diagnostic::CommandError`], or a failure to write output.
pub fn run(
    cli: &Cli,
    config: &Config,
    invocation: Invocation,
    stdin: Stdin,
    terminals: Terminals,
    out: &mut dyn Write,
    stderr: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let report = Report::new(cli.common.quiet, invocation, stdin, terminals, stderr);
    let mut to_the_end;
    let out: &mut dyn Write = match cli.command {
        Command::Check(_) | Command::Diff(_) => {
            to_the_end = ToTheEnd::new(out);
            &mut to_the_end
        }
        _ => out,
    };
    let outcome = match &cli.command {
        Command::Get(args) => get::run(args, report, out)?,
        Command::Count(args) => count::run(args, report, out)?,
        Command::Tree(args) => tree::run(args, report, out)?,
        Command::Events(args) => events::run(args, report, out)?,
        Command::Logs(args) => logs::run(args, report, out)?,
        Command::Diff(args) => diff::run(args, report, out)?,
        Command::Split(args) => split::run(args, report, out)?,
        Command::Serve(args) => serve::run(args, report, out)?,
        Command::Label(args) => edit::label(Field::Labels, args, report, out)?,
        Command::Annotate(args) => edit::label(Field::Annotations, args, report, out)?,
        Command::Patch(args) => edit::patch(args, report, out)?,
        Command::Set(args) => edit::set(args, report, out)?,
        Command::Scale(args) => edit::scale(args, report, out)?,
        Command::ApiResources(args) => api_resources::run(args, report, out)?,
        Command::Check(args) => check::run(args, config, report, out)?,
        Command::Selector(args) => selector::run(args, report, out)?,
        Command::Completion(args) => completion::run(args, out)?,
    };
    out.flush()?;
    Ok(outcome)
}
