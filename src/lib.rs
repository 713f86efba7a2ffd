//! kubectl for manifests that are not in a cluster.
//!
//! # The library
//!
//! [`selector`] is the part that other programs can use: label selectors, field selectors and node selectors with
//! Kubernetes' grammar, semantics and messages. It depends only on the standard library and follows Semantic
//! Versioning.
//!
//! # The program
//!
//! [`run`] is the program `kselect`, and all other modules are its parts. They are public because tests and benchmarks
//! are separate crates; **they are not a public interface and may change in any version**. In reading order:
//!
//! * [`manifest`]: from text to objects. Sources are read in blocks and split into documents, whose metadata is read by
//!   a fast reader where that is certain, and by a full parser where it is not.
//! * [`kinds`]: the built-in kinds of Kubernetes; [`catalog`]: these and the kinds that the input defines or uses.
//! * [`scan`]: from sources to objects, for every command.
//! * [`selector`]: Kubernetes' selectors, a library without dependencies.
//! * [`relation`]: which objects select, own, use or fit each other; [`policy`]: expressions of the Common Expression
//!   Language; [`selection`]: which objects are selected.
//! * [`columns`]: the columns of tables and the cells of objects.
//! * [`output`]: objects as tables, YAML, JSON and the results of [`jsonpath`] and [`template`].
//! * [`validation`]: what the API server would reject in one object; [`check`]: problems in objects and in their
//!   relations.
//! * [`edit`]: changes to labels and annotations that leave every other byte unchanged.
//! * [`diff`]: the differences between two inputs; [`split`]: writing objects to files of their own.
//! * `serve`: a read-only Kubernetes API over the input.
//!
//! Each imports only from those above it in the list of `tests/it/layers.rs`.
//!
//! Formats of Kubernetes and Go, and safe output to terminals, are in [`text`].

pub mod catalog;
pub mod check;
mod cli;
pub mod columns;
mod commands;
mod complete;
pub mod diff;
pub mod edit;
pub mod jsonpath;
pub mod kinds;
pub mod logs;
pub mod manifest;
pub mod output;
pub mod policy;
pub mod relation;
pub mod scan;
pub mod selection;
pub mod selector;
#[cfg(feature = "serve")]
pub mod serve;
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
    commands::paths::complete(&mut cli.command, &streams.stdin, terminals);
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

/// The examples on the page about the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Page;
