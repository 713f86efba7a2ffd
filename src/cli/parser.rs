//! From arguments to a command.

use std::ffi::OsString;

use clap::builder::BoolishValueParser;
use clap::error::ErrorKind;
use clap::{ArgAction, FromArgMatches};

use super::invocation::Invocation;
use super::misuse::Misuse;
use super::{Cli, command, kubectl, leading_flags, topics};

/// Parses the arguments. Messages call the program by the name under which it was run.
pub fn parse(args: &[OsString], invocation: Invocation) -> Result<Cli, Misuse> {
    if let Some(text) = topics::asked_for(args) {
        return Err(Misuse::Topic(invocation.adapt_text(&text)));
    }
    // `set image` is one command to its users.
    let args = match args {
        [program, help, set, image] if help == "help" && set == "set" && image == "image" => {
            &[program.clone(), help.clone(), set.clone()]
        }
        _ => args,
    };
    let args = &leading_flags::with_command_first(args, || parser(&[]))[..];
    let parsed = invocation.adapt(parser(args)).try_get_matches_from(args);
    let shown = |error| shown(error, args, invocation);
    let matches =
        parsed.map_err(|error| kubectl::answer(&error, args, parser).unwrap_or_else(|| shown(error)))?;
    match kubectl::refused(&matches) {
        Some(misuse) => Err(misuse),
        None => Cli::from_arg_matches(&matches).map_err(Misuse::Shown),
    }
}

/// The error as it is shown: help does not mention that every switch takes a value.
fn shown(error: clap::Error, args: &[OsString], invocation: Invocation) -> Misuse {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let is_help = matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand);
    let help = is_help.then(|| invocation.adapt(command()).try_get_matches_from(args).err()).flatten();
    Misuse::Shown(help.filter(|help| help.kind() == error.kind()).unwrap_or(error))
}

/// The command line as it is parsed: every switch also takes `--switch=false`, as in kubectl, and kubectl's flags are
/// accepted or answered with a hint.
///
/// Of the commands, only the one in `args` is prepared if it is the first word: that takes as long as a small file does.
pub(super) fn parser(args: &[OsString]) -> clap::Command {
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
    let prepared = |command| kubectl::with_flags(with_values(command));
    let command = with_values(command());
    let first = args.get(1).and_then(|first| first.to_str());
    let command = match first.filter(|name| command.find_subcommand(name).is_some()) {
        Some(name) => command.mut_subcommand(name, prepared),
        None => command.mut_subcommands(prepared),
    };
    // If a flag that takes one value is repeated, the last one counts, as in kubectl.
    command.args_override_self(true)
}
