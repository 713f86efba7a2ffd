//! The command line of kselect.

mod cli;
mod commands;
mod complete;
mod invocation;
#[cfg(test)]
mod manual;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::FromArgMatches;
use invocation::Invocation;

fn main() -> ExitCode {
    let invocation = Invocation::of_process();
    if answers_a_shell(invocation) {
        return ExitCode::SUCCESS;
    }
    let matches = invocation.adapt(cli::command()).get_matches();
    let cli = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let error = match commands::run(&cli, &mut out) {
        Ok(outcome) => return outcome.into(),
        Err(error) => error,
    };
    // The reader, `head` perhaps, has seen enough: that is no failure.
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let _ = out.flush();
    commands::say(format_args!("error: {error:#}"));
    let Some(refusal) = error.downcast_ref::<commands::Refusal>() else { return ExitCode::FAILURE };
    if let Some(hint) = &refusal.hint {
        commands::say(format_args!("hint: {hint}"));
    }
    ExitCode::from(refusal.status)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Answers a shell that asks for completions. Returns whether one does; it is silent about what goes wrong.
fn answers_a_shell(invocation: Invocation) -> bool {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let answered = match &arguments[..] {
        words if invocation == Invocation::PluginCompletion => complete::answer_kubectl(words, &mut out),
        [request, words @ ..] if request == complete::REQUEST => complete::answer_shell(words, &mut out),
        _ => return false,
    };
    let _ = answered.and_then(|()| out.flush());
    true
}
