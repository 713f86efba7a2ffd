//! kubectl for manifests that are not in a cluster.
//!
//! # The library
//!
//! What other programs can build on is [`selector`]: label selectors, field selectors and node selectors with
//! Kubernetes' grammar, semantics and messages, depending on the standard library alone. It follows Semantic
//! Versioning.
//!
//! # The program
//!
//! [`run`] is the program `kselect`; all other modules are what it is made of. They are public because its tests and
//! benchmarks are crates of their own, and documented for those who work on them; **they are not a public interface and
//! change with any version**. Their straight line, in reading order:
//!
//! * [`manifest`]: text to objects. Sources are read in blocks, cut into documents, their heads skimmed where that
//!   is certain and parsed where it is not.
//! * [`kinds`]: what Kubernetes knows of its built-in kinds; [`catalog`]: those and what the input adds to them.
//! * [`scan`]: the one way from sources to objects, for every command.
//! * [`selector`]: Kubernetes' selectors, as a library of its own without dependencies.
//! * [`relation`]: what selects, owns, uses or fits what; [`selection`]: which objects are meant.
//! * [`output`]: objects to tables, YAML, JSON and whatever [`jsonpath`] and [`template`] make of them.
//! * [`validation`]: what the API server would refuse of one object; [`check`]: what is wrong with objects and with
//!   how they hang together.
//! * [`edit`]: labels and annotations changed, and not one byte more.
//! * [`diff`]: what differs between two inputs; [`split`]: documents into files of their own.
//!
//! Each imports only from those above it in the list of `tests/it/layers.rs`.
//!
//! Kubernetes' and Go's small forms are apart, in [`text`], with what data must not do to a terminal.

pub mod catalog;
pub mod check;
mod cli;
mod commands;
mod complete;
pub mod diff;
pub mod edit;
pub mod jsonpath;
pub mod kinds;
pub mod manifest;
pub mod output;
pub mod relation;
pub mod scan;
pub mod selection;
pub mod selector;
pub mod split;
mod streams;
pub mod template;
pub mod text;
pub mod validation;

use std::ffi::OsString;
use std::io::{self, Write};

use cli::invocation::Invocation;
pub use streams::{Stdin, Streams, Terminal, Terminals};
use text::terminal::Guard;

/// Runs the program: `args` begin with its name. Returns the exit status.
///
/// What it needs is given by the streams and by the environment (`KSELECT_NOW`, and `HOME` for completions); it has no
/// state of its own, so that it can be run any number of times.
pub fn run(args: impl IntoIterator<Item = OsString>, mut streams: Streams<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let invocation = Invocation::of(args.first().map_or("".as_ref(), AsRef::as_ref));
    if answers_a_shell(&args, invocation, streams.stdout) {
        return 0;
    }
    // Help and errors of the parser have colours, too, or have not.
    streams.terminals = streams.terminals.colored(streams::color_asked_for(&args));
    let cli = match cli::parse(&args, invocation) {
        Ok(cli) => cli,
        Err(misuse) => return commands::tell_misuse(misuse, invocation, &mut streams),
    };
    let terminals = streams.terminals;
    let mut guard;
    let out: &mut dyn Write = if terminals.stdout.is_terminal {
        guard = Guard::new(streams.stdout, terminals.stdout.colors);
        &mut guard
    } else {
        streams.stdout
    };
    let error = match commands::run(&cli, invocation, streams.stdin, terminals, out, streams.stderr) {
        Ok(outcome) => return outcome.status(),
        Err(error) => error,
    };
    // The reader, `head` perhaps, has seen enough: that is not a failure.
    if is_broken_pipe(&error) {
        return 0;
    }
    let _ = out.flush();
    commands::tell_last(&error, invocation, terminals.stderr, streams.stderr)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Answers a shell that asks for completions. Returns whether one does; it is silent about what goes wrong.
fn answers_a_shell(args: &[OsString], invocation: Invocation, out: &mut dyn Write) -> bool {
    let answered = match args.get(1..).unwrap_or_default() {
        words if invocation == Invocation::PluginCompletion => complete::answer_kubectl(words, out),
        [request, words @ ..] if request == complete::REQUEST => complete::answer_shell(words, out),
        _ => return false,
    };
    let _ = answered.and_then(|()| out.flush());
    true
}

/// The examples of the library's page.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Page;
