//! From arguments to a command.

use std::ffi::OsString;

use clap::builder::BoolishValueParser;
use clap::error::ErrorKind;
use clap::{ArgAction, FromArgMatches, ValueEnum};

use super::help::command_for_help;
use super::invocation::Invocation;
use super::misuse::Misuse;
use super::{Cli, Setting, command, command_alone, kubectl, leading_flags, refusal, topics};

/// Parses the arguments. Messages call the program by the name under which it was run.
pub fn parse(args: &[OsString], invocation: Invocation) -> Result<Cli, Misuse> {
    // Scripts ask for the version often, and no command has to be prepared for it.
    if matches!(args, [_, flag] if flag == "-V") {
        return Err(Misuse::Topic(concat!("kselect ", env!("CARGO_PKG_VERSION"), "\n").to_owned()));
    }
    if let Some(cli) = of_own_flags(args) {
        return Ok(cli);
    }
    match topics::asked_for(args) {
        Some(Misuse::Topic(text)) => return Err(Misuse::Topic(invocation.adapt_text(&text))),
        Some(misuse) => return Err(misuse),
        None => {}
    }
    // Help on a command is its short help. `set image` and its like are commands to their users.
    let short_help;
    let args = match args {
        [program, help, command] | [program, help, command, _]
            if help == "help"
                && (args.len() == 3 || command == "set" && is_setting(&args[3]))
                && is_command(command) =>
        {
            short_help = [program.clone(), command.clone(), "-h".into()];
            &short_help
        }
        _ => args,
    };
    let args = &leading_flags::with_command_first(args, parser)[..];
    let parsed = invocation.adapt(parser()).try_get_matches_from(args);
    let shown = |error| shown(error, args, invocation);
    let matches = parsed.map_err(|error| {
        kubectl::answer(&error, args, parser)
            .or_else(|| refusal::answer(&error))
            .unwrap_or_else(|| shown(error))
    })?;
    match kubectl::refused(&matches) {
        Some(misuse) => Err(misuse),
        None => Cli::from_arg_matches(&matches).map_err(Misuse::Shown),
    }
}

/// The meaning of arguments that begin with a command and have only its own flags; `None` if they have others, or cannot be
/// parsed. This is what nearly all command lines are, and they take a fraction of the time that all commands take.
fn of_own_flags(args: &[OsString]) -> Option<Cli> {
    let command = command_alone(args.get(1)?.to_str()?)?.mut_subcommands(with_values);
    let matches = with_values(command).args_override_self(true).try_get_matches_from(args).ok()?;
    Cli::from_arg_matches(&matches).ok()
}

/// Whether a word is what `set` can set.
fn is_setting(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| Setting::from_str(word, false).is_ok())
}

/// Whether a word is the name of a command.
fn is_command(word: &OsString) -> bool {
    command().find_subcommand(word).is_some()
}

/// The error as it is shown: help does not mention that every switch takes a value.
fn shown(error: clap::Error, args: &[OsString], invocation: Invocation) -> Misuse {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let is_help = matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand);
    let help =
        is_help.then(|| invocation.adapt(command_for_help()).try_get_matches_from(args).err()).flatten();
    Misuse::Shown(help.filter(|help| help.kind() == error.kind()).unwrap_or(error))
}

/// The command line as it is parsed: every switch also takes `--switch=false`, as in kubectl, and kubectl's flags are
/// accepted or answered with a hint.
pub(super) fn parser() -> clap::Command {
    let prepared = |command| kubectl::with_flags(with_values(command));
    // If a flag that takes one value is repeated, the last one counts, as in kubectl.
    with_values(command()).mut_subcommands(prepared).args_override_self(true)
}

/// The command, whose switches take values.
fn with_values(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| match arg.get_action() {
        ArgAction::SetTrue => arg
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .default_value("false")
            .value_parser(BoolishValueParser::new())
            .hide_default_value(true)
            .hide_possible_values(true)
            .value_name("BOOL"),
        _ => arg,
    })
}
