//! Flags before the command: kubectl also accepts `-n shop get pods`. Flags without a command are those of `get`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;

use clap::{ArgAction, Command};

use kinds::catalog::{Catalog, grammar};

/// The flags of the program, besides those of its commands.
const OF_THE_PROGRAM: &[&str] = &["--quiet", "-q", "--color"];

/// The flags that ask for help or the version.
const HELP: &[&str] = &["-h", "--help", "-V", "--version"];

/// Moves the command before the flags that precede it. If there are only flags and TYPEs, the command is `get`.
/// `parser` makes the command line as it is parsed.
pub(super) fn with_command_first(args: &[OsString], parser: impl Fn() -> Command) -> Cow<'_, [OsString]> {
    if !args.get(1).is_some_and(|arg| arg.to_string_lossy().starts_with('-')) {
        return Cow::Borrowed(args);
    }
    let flags = Flags::of(&parser());
    let place = flags.first_word(&args[1..]).map(|place| place + 1);
    let before = &args[1..place.unwrap_or(args.len())];
    let is_any = |known: &[&str], arg: &OsString| known.iter().any(|flag| arg == flag);
    let of_program = |arg: &OsString| is_any(OF_THE_PROGRAM, arg) || is_any(HELP, arg);
    match place {
        Some(_) if before.iter().any(|arg| is_any(HELP, arg)) => Cow::Borrowed(args),
        Some(place) if !is_type(&args[place]) => {
            let mut args = args.to_vec();
            args[1..=place].rotate_right(1);
            Cow::Owned(args)
        }
        None if before.iter().all(|arg| of_program(arg) || !arg.to_string_lossy().starts_with('-')) => {
            Cow::Borrowed(args)
        }
        Some(_) | None => {
            let mut args = args.to_vec();
            args.insert(1, "get".into());
            Cow::Owned(args)
        }
    }
}

/// Whether a word in the position of a command is a TYPE of `get` instead.
fn is_type(word: &OsString) -> bool {
    let Some(word) = word.to_str() else { return false };
    super::command().find_subcommand(word).is_none()
        && grammar::requests(&Catalog::new(), &[word.to_owned()]).is_ok()
}

/// For each flag, whether its value is the next argument, in any command.
struct Flags(HashMap<String, bool>);

impl Flags {
    fn of(command: &Command) -> Self {
        let commands = std::iter::once(command).chain(command.get_subcommands());
        let mut flags = HashMap::new();
        for arg in commands.flat_map(Command::get_arguments).filter(|arg| !arg.is_positional()) {
            let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
                && !arg.is_require_equals_set();
            let long = arg.get_long().map(|name| format!("--{name}"));
            let short = arg.get_short().map(|name| format!("-{name}"));
            for name in long.into_iter().chain(short) {
                *flags.entry(name).or_default() |= takes_value;
            }
        }
        Self(flags)
    }

    /// The index of the first argument that is neither a flag nor the value of one.
    fn first_word(&self, args: &[OsString]) -> Option<usize> {
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let arg = arg.to_string_lossy();
            if arg == "--" {
                return None;
            }
            if arg == "-" || !arg.starts_with('-') {
                return Some(at);
            }
            at += if self.takes_next(&arg) { 2 } else { 1 };
        }
        None
    }

    /// Whether the argument after this flag, or after the last of these short flags, is its value.
    fn takes_next(&self, flag: &str) -> bool {
        let takes_value = |name: &str| self.0.get(name) == Some(&true);
        if flag.starts_with("--") {
            return takes_value(flag);
        }
        // The rest of the argument after a short flag that takes a value is its value: -nshop, -Rfk8s/.
        let mut letters = flag.char_indices().skip(1);
        let valued = letters.find(|(_, letter)| takes_value(&format!("-{letter}")));
        valued.is_some_and(|(place, letter)| place + letter.len_utf8() == flag.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, meant: &str) {
        let args: Vec<OsString> = format!("kselect {typed}").split(' ').map(OsString::from).collect();
        let words = with_command_first(&args, super::super::parser::parser);
        let words: Vec<_> = words[1..].iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.join(" "), meant, "{typed}");
    }

    #[test]
    fn the_command_is_read_after_flags_and_their_values() {
        check("-n check get svc", "get -n check svc");
        check("-f get check", "check -f get");
        check("-nshop -Rf k8s/ get pods", "get -nshop -Rf k8s/ pods");
        check("--namespace=get count", "count --namespace=get");
        check("-q --color never get -n x", "get -q --color never -n x");
        check("--validate -f x get", "get --validate -f x");
        check("--context prod get pods", "get --context prod pods");
    }

    #[test]
    fn without_a_command_flags_are_those_of_get() {
        check("-l a=b", "get -l a=b");
        check("-l a=b --help", "get -l a=b --help");
        check("-f app.yaml deploy", "get -f app.yaml deploy");
        check("-Rf k8s/", "get -Rf k8s/");
    }

    #[test]
    fn a_word_that_is_neither_command_nor_type_is_an_unknown_command() {
        check("-f app.yaml gte", "gte -f app.yaml");
        check("-n shop apply", "apply -n shop");
    }

    #[test]
    fn help_and_flags_of_the_program_need_no_command() {
        for typed in ["--help", "-V", "-q", "--color never", "-q get", "get -n x", "--help -l a=b"] {
            let meant = if typed == "-q get" { "get -q" } else { typed };
            check(typed, if typed == "--help -l a=b" { "get --help -l a=b" } else { meant });
        }
    }
}
