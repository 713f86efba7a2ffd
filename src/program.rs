//! A run of the program: arguments to a command, its outcome to an exit status.

use std::ffi::OsString;
use std::io::{self, Write};

use crate::cli::{self, invocation::Invocation};
use crate::commands;
use crate::complete;
use crate::streams::{self, Streams};
use text::terminal::Guard;

/// Runs the program; `args` begin with its name. Returns the exit status.
///
/// All input comes from the streams and the environment (`KSELECT_NOW`, `KSELECT_FILES`, and `HOME` for completions). There is no global
/// state, so the program can be run any number of times.
pub fn run(args: impl IntoIterator<Item = OsString>, mut streams: Streams<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let invocation = Invocation::of(args.first().map_or("".as_ref(), AsRef::as_ref));
    if answers_a_shell(&args, invocation, streams.stdout) {
        return 0;
    }
    // Parser errors and help are coloured as the options say.
    streams.terminals = streams.terminals.colored(streams::color_asked_for(&args));
    let mut cli = match cli::parse(&args, invocation) {
        Ok(cli) => cli,
        Err(misuse) => return commands::report_misuse(misuse, invocation, &mut streams),
    };
    let terminals = streams.terminals;
    let config = match commands::settings::complete(&mut cli.command, &streams.stdin, terminals) {
        Ok(config) => config,
        Err(error) => return commands::report_failure(&error, invocation, terminals.stderr, streams.stderr),
    };
    let mut guard;
    let out: &mut dyn Write = if terminals.stdout.is_terminal {
        guard = Guard::new(streams.stdout, terminals.stdout.colors);
        &mut guard
    } else {
        streams.stdout
    };
    let error = match commands::run(&cli, &config, invocation, streams.stdin, terminals, out, streams.stderr)
    {
        Ok(outcome) => return outcome.status(),
        Err(error) => error,
    };
    // The reader, perhaps `head`, has seen enough; this is not a failure.
    if is_broken_pipe(&error) {
        return 0;
    }
    let _ = out.flush();
    commands::report_failure(&error, invocation, terminals.stderr, streams.stderr)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Answers a shell that requests completions. Returns whether it did; errors are not reported.
fn answers_a_shell(args: &[OsString], invocation: Invocation, out: &mut dyn Write) -> bool {
    let answered = match args.get(1..).unwrap_or_default() {
        words if invocation == Invocation::PluginCompletion => complete::answer_kubectl(words, out),
        [request, words @ ..] if request == complete::REQUEST => complete::answer_shell(words, out),
        _ => return false,
    };
    let _ = answered.and_then(|()| out.flush());
    true
}
