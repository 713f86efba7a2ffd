//! Answers the shells: candidates for the word at the cursor.
//!
//! The scripts in `completions/` do not know commands and flags. They pass on the words of the line and print the
//! answer, so they never become outdated, and one engine serves five shells and kubectl:
//!
//! ```text
//! kselect __complete INDEX WORD...     the scripts: all words, that of the program first; INDEX is the cursor's
//! kubectl_complete-select WORD...      kubectl: the words after `kubectl select`, the last one is the cursor's
//! ```
//!
//! The format of the answer is that of cobra, which kubectl reads: one line per candidate, with its description after a
//! tab, and finally a colon and a number (see [`Answer`]). clap_complete's dynamic engine could complete flags, but not
//! `-l app=web,ti`, which bash splits into three words, and it does not support kubectl; also, its interface is
//! unstable.
//!
//! A candidate may come from a file that someone else wrote, and a shell puts it on the command line unchanged.
//! Therefore candidates contain only characters that no shell interprets ([`is_harmless`](candidate::is_harmless)). Errors are silent, the time
//! is limited by limiting what is read ([`typed_files`]), and standard input is never read.

mod candidate;
mod candidates;
mod line;
mod paths;
mod typed_files;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write};

use text::go;

use crate::cli;
use crate::cli::invocation::Invocation;
use candidate::{Answer, Candidate};
use line::{At, CommandLine};

/// The first argument of a request from the scripts.
pub const REQUEST: &str = "__complete";

/// cobra's directives (completions.go, ShellCompDirective): bits, or 0 for the shell's own completion of paths.
const PATHS: u8 = 0;
const NO_SPACE: u8 = 2;
const NO_PATHS: u8 = 4;

/// Answers a request from the scripts: the words after [`REQUEST`], beginning with the index of the cursor.
///
/// # Errors
///
/// The answer cannot be written.
pub fn answer_shell(request: &[OsString], out: &mut dyn Write) -> io::Result<()> {
    let mut words: Vec<String> = request.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let index = if words.is_empty() { None } else { words.remove(0).parse().ok() };
    answer(cli::command(), words, index.unwrap_or(0), out)
}

/// Answers a request from kubectl: the words after `kubectl select`.
///
/// # Errors
///
/// The answer cannot be written.
pub fn answer_kubectl(request: &[OsString], out: &mut dyn Write) -> io::Result<()> {
    let program = "kselect".to_owned();
    let request = request.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = [program].into_iter().chain(request).collect();
    let index = words.len().max(2) - 1;
    answer(Invocation::Plugin.adapt(cli::command()), words, index, out)
}

fn answer(
    mut program: clap::Command,
    mut words: Vec<String>,
    index: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Some shells leave out an empty word at the end.
    if index == words.len() {
        words.push(String::new());
    }
    program.build();
    let line = if index == 0 { None } else { CommandLine::read(&program, &words, index) };
    let Some(line) = line else { return writeln!(out, ":{NO_PATHS}") };
    match candidates::answer(&line) {
        Answer::Paths => writeln!(out, ":{PATHS}"),
        Answer::Words(candidates) => write_words(&line, candidates, out),
    }
}

/// Writes the candidates that begin with the typed text, sorted and without duplicates.
fn write_words(
    line: &CommandLine<'_>,
    mut candidates: Vec<Candidate>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (before, typed) = match &line.at {
        At::Value { before, text, .. } => (before.as_str(), text.as_str()),
        At::Flag(text) | At::Word(text) => ("", text.as_str()),
    };
    let mut seen = HashSet::new();
    candidates.retain(|candidate| candidate.text.starts_with(typed) && seen.insert(candidate.text.clone()));
    candidates.sort_by(|a, b| a.text.cmp(&b.text));
    let mut directive = NO_PATHS;
    for Candidate { text, help } in &candidates {
        match go::printable(help).split_whitespace().collect::<Vec<_>>().join(" ") {
            help if help.is_empty() => writeln!(out, "{before}{text}")?,
            help => writeln!(out, "{before}{text}\t{help}")?,
        }
        // More text follows a key, a TYPE of TYPE/NAME, a part of a path, and an open brace.
        if text.ends_with(['=', '/', '.']) || text.matches('{').count() > text.matches('}').count() {
            directive |= NO_SPACE;
        }
    }
    writeln!(out, ":{directive}")
}
