//! The command line of kselect.

mod cli;
mod color;
mod commands;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // Help and errors of the parser have colours, too, or have not.
    color::choose(color::asked_for(&args));
    let cli = match cli::parse(&args) {
        Ok(cli) => cli,
        Err(misuse) => return commands::tell_misuse(misuse),
    };
    color::choose(cli.color);
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
    commands::tell_last(&error)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
