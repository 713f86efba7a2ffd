//! The command line of kselect.

use std::env;
use std::io::{self, BufWriter};
use std::process::ExitCode;

use kselect::{Stdin, Streams, Terminals};

fn main() -> ExitCode {
    let streams = Streams {
        stdin: Stdin::Process,
        stdout: &mut BufWriter::with_capacity(1 << 16, io::stdout().lock()),
        stderr: &mut io::stderr(),
        terminals: Terminals::of_process(),
    };
    ExitCode::from(kselect::run(env::args_os(), streams))
}
