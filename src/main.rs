//! The command line of kselect.

mod cli;
mod color;
mod commands;
mod complete;
mod interrupt;
mod invocation;
#[cfg(test)]
mod manual;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use invocation::Invocation;
use kselect::terminal::Guard;

fn main() -> ExitCode {
    let invocation = Invocation::of_process();
    if answers_a_shell(invocation) {
        return ExitCode::SUCCESS;
    }
    let args: Vec<OsString> = env::args_os().collect();
    // Help and errors of the parser have colours, too, or have not.
    color::choose(color::asked_for(&args));
    let cli = match cli::parse(&args, invocation) {
        Ok(cli) => cli,
        Err(misuse) => return commands::tell_misuse(misuse),
    };
    color::choose(cli.color);
    let stdout = io::stdout().lock();
    let is_terminal = stdout.is_terminal();
    let stdout = BufWriter::with_capacity(1 << 16, stdout);
    let mut out: Box<dyn Write> =
        if is_terminal { Box::new(Guard::new(stdout, color::on_stdout())) } else { Box::new(stdout) };
    let error = match commands::run(&cli, &mut *out) {
        Ok(outcome) => return outcome.into(),
        Err(error) => error,
    };
    // The reader, `head` perhaps, has seen enough: that is no failure.
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let _ = out.flush();
    commands::tell_last(&error)
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
