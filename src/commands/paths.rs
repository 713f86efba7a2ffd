//! Inputs that are not named with `-f`: paths among the arguments, as shells, xargs and pre-commit append them, and those
//! of `KSELECT_FILES`.

use std::env;
use std::path::Path;

use crate::catalog::Catalog;
use crate::catalog::grammar;
use crate::cli::{Command, InputArgs};
use crate::manifest::archive::FileType;
use crate::manifest::source;
use crate::streams::{Stdin, Terminals};

/// The variable with the input of an interactive session.
pub const FILES: &str = "KSELECT_FILES";

/// Moves paths among the arguments of a command to those of `-f`, and adds `KSELECT_FILES` if there is no other input.
pub fn complete(command: &mut Command, stdin: &Stdin, terminals: Terminals) {
    let (words, input) = match command {
        Command::Get(args) => (Some(&mut args.resources), &mut args.input),
        Command::Count(args) => (Some(&mut args.resources), &mut args.input),
        Command::Tree(args) => (Some(&mut args.resources), &mut args.input),
        Command::Split(args) => (Some(&mut args.resources), &mut args.input),
        Command::Check(args) => (Some(&mut args.resources), &mut args.input),
        Command::Label(args) | Command::Annotate(args) => (Some(&mut args.arguments), &mut args.input),
        Command::Set(args) => (Some(&mut args.images), &mut args.input),
        Command::Events(args) => (None, &mut args.input),
        Command::Logs(args) => (None, &mut args.input),
        #[cfg(feature = "serve")]
        Command::Serve(args) => (None, &mut args.input),
        Command::ApiResources(args) => (None, &mut args.input),
        Command::Diff(_) | Command::Selector(_) | Command::Completion(_) => return,
    };
    if let Some(words) = words {
        take_paths(words, input);
    }
    let has_stdin = match stdin {
        Stdin::Process => !terminals.stdin && source::has_stdin(),
        Stdin::Text(_) => true,
    };
    if !has_stdin
        && input.is_empty()
        && let Some(files) = env::var(FILES).ok().filter(|files| !files.trim().is_empty())
    {
        input.filename.push(files);
        input.from_environment = true;
    }
}

/// Moves the words that are paths to the input.
fn take_paths(words: &mut Vec<String>, input: &mut InputArgs) {
    let catalog = Catalog::new();
    let is_type = |word: &str| grammar::types(&catalog, word).is_ok();
    let has_input = !input.is_empty();
    let mut rest = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        let may_be_directory = rest.is_empty() && !has_input;
        match is_path(&word, may_be_directory, is_type) {
            true => input.paths.push(word.into()),
            false => rest.push(word),
        }
    }
    *words = rest;
}

/// Whether a word is a path that exists, and not TYPE, TYPE/NAME or NAME. `may_be_directory` means that a word without a
/// slash can be a directory: it is the first one, and there is no other input.
fn is_path(word: &str, may_be_directory: bool, is_type: impl Fn(&str) -> bool) -> bool {
    let path = Path::new(word);
    if word.contains('=') || !path.exists() {
        return false;
    }
    let is_manifest = || FileType::of(word).is_some();
    match word.split('/').collect::<Vec<_>>()[..] {
        ["" | "." | "..", ..] => true,
        [word] => is_manifest() || may_be_directory && path.is_dir() && !is_type(word),
        [before, _] => !is_type(before),
        [_, between, _] => is_manifest() || !is_type(between),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_path_if_it_exists_and_cannot_be_an_object() {
        let check = |word: &str, expected: bool| {
            assert_eq!(is_path(word, true, |word| word == "cli"), expected, "{word}");
        };
        check("src", true);
        check("src/cli", true);
        check("src/cli/get.rs", false);
        check("./src/cli/get.rs", true);
        check("cli/get.rs", false);
        check("Cargo.toml", false);
        check("no/such/file", false);
    }
}
