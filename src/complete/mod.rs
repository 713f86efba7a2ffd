//! What the shells ask: the candidates for the word at the cursor.
//!
//! The scripts in `completions/` know nothing of commands and flags. They hand over the words of the line and
//! print what comes back, so they never grow old, and one engine serves five shells and kubectl:
//!
//! ```text
//! kselect __complete INDEX WORD...     the scripts: all words, that of the program first; INDEX is the cursor's
//! kubectl_complete-select WORD...      kubectl: the words behind `kubectl select`, the last one is the cursor's
//! ```
//!
//! The answer is cobra's, which is what kubectl reads: a line for each candidate, its description behind a
//! tab, and last a colon and a number (see [`Answer`]). clap_complete's dynamic engine would do for flags, but
//! not for `-l app=web,ti`, of which bash makes three words, nor for kubectl; and its interface is unstable.
//!
//! A candidate may come from a file that somebody else wrote, and a shell puts it on the command line as it is:
//! so candidates hold only characters that no shell interprets ([`is_harmless`]). Errors are silent, the time is
//! bounded by what is read ([`input`]), and standard input is never touched.

mod candidates;
mod input;
mod line;
mod paths;

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};

use crate::text::go;

use crate::cli;
use crate::cli::invocation::Invocation;
use line::{At, Line};

/// The first argument by which the scripts ask.
pub const REQUEST: &str = "__complete";

/// What may stand at the cursor.
enum Answer {
    /// Paths, which the shell knows best.
    Paths,
    /// These words, as far as they begin like what is typed.
    Words(Vec<Candidate>),
}

/// cobra's directives (completions.go, ShellCompDirective): bits, or 0 for the shell's own completion of paths.
const PATHS: u8 = 0;
const NO_SPACE: u8 = 2;
const NO_PATHS: u8 = 4;

/// A word that may stand at the cursor.
struct Candidate {
    text: String,
    /// What it is, in a few words; empty where nothing is to be said.
    help: String,
}

impl Candidate {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// Whether names, labels and other texts of the input may be offered: those of Kubernetes hold nothing else.
/// What begins with a letter or digit is no flag either.
fn is_harmless(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._/:".contains(c))
}

/// Answers the scripts' request: the words behind [`REQUEST`], the cursor's index first.
///
/// # Errors
///
/// The answer cannot be written.
pub fn answer_shell(request: &[OsString], out: &mut dyn Write) -> io::Result<()> {
    let mut words: Vec<String> = request.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let index = if words.is_empty() { None } else { words.remove(0).parse().ok() };
    answer(cli::command(), words, index.unwrap_or(0), out)
}

/// Answers kubectl's request: the words behind `kubectl select`.
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
    // Some shells leave an empty word at the end out.
    if index == words.len() {
        words.push(String::new());
    }
    program.build();
    let line = if index == 0 { None } else { Line::read(&program, &words, index) };
    let Some(line) = line else { return writeln!(out, ":{NO_PATHS}") };
    match candidates::answer(&line) {
        Answer::Paths => writeln!(out, ":{PATHS}"),
        Answer::Words(candidates) => write_words(&line, candidates, out),
    }
}

/// Writes the candidates that begin like the typed text, in the order of their characters, each once.
fn write_words(line: &Line<'_>, mut candidates: Vec<Candidate>, out: &mut dyn Write) -> io::Result<()> {
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
        // More is to come after a key, a TYPE of TYPE/NAME, a part of a path, and within braces.
        if text.ends_with(['=', '/', '.']) || text.matches('{').count() > text.matches('}').count() {
            directive |= NO_SPACE;
        }
    }
    writeln!(out, ":{directive}")
}

/// The user's home directory, for `~` in paths that the shell has not expanded yet.
fn home() -> Option<String> {
    env::var("HOME").ok().filter(|home| !home.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_interpret_is_not_offered() {
        for text in ["web", "app.kubernetes.io/name", "system:node", "1.10", "a_b"] {
            assert!(is_harmless(text), "{text}");
        }
        for text in [
            "",
            "-n",
            "--in-place",
            "a b",
            "$(reboot)",
            "a;b",
            "a\nb",
            "a\x1b[0m",
            "~",
            "a*",
            "`a`",
            "ä",
            "/x",
        ] {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
