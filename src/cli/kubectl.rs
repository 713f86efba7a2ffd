//! The flags and commands of kubectl, and of the tools beside it, that kselect does not have, as data: flags that are
//! accepted because they would change nothing for files, and flags and commands that are answered with a hint.
//!
//! *Compatibility* (cluster-flags): flags that concern a cluster are usage errors.

use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use kinds::catalog::{Catalog, grammar};
use text::{duration, excerpt, spelling};

use super::misuse::Misuse;
use super::{refusal, topics};

/// The data, which explains itself.
const DATA: &str = include_str!("kubectl.txt");

/// The fields of a line of the data, separated by ` | `. The last one may have that in it.
fn fields(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.splitn(if line.starts_with("--") { 3 } else { 2 }, '|').map(str::trim)
}

/// The lines of the data for which `is_meant` holds.
fn lines(is_meant: fn(char) -> bool) -> impl Iterator<Item = &'static str> {
    DATA.lines().filter(move |line| line.starts_with(is_meant))
}

/// A hint or commands, of which `@NAME` stands for those that several lines have.
fn hint(text: &'static str) -> &'static str {
    if !text.starts_with('@') {
        return text;
    }
    lines(|c| c == '@').find_map(|line| line.strip_prefix(text)?.strip_prefix(" | ")).unwrap_or(text)
}

/// A flag that kselect does not have.
struct Flag {
    /// Its names and its value, by which the parser calls it.
    id: &'static str,
    /// The commands that have it.
    commands: &'static str,
    /// With a value, the only one with which it is accepted.
    accepted: Option<&'static str>,
    /// What to do instead, as for [`hint`]; empty if the flag is accepted.
    hint: &'static str,
}

/// The flags.
static FLAGS: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    let flag = |line| {
        let mut fields = fields(line);
        let (id, commands) = (fields.next().unwrap_or_default(), hint(fields.next().unwrap_or_default()));
        let text = fields.next().unwrap_or_default();
        let accepted = ["true: ", "false: "].into_iter().find(|value| text.starts_with(value));
        let hint = accepted.map_or(text, |value| &text[value.len()..]);
        Flag { id, commands, accepted: accepted.map(|value| value.trim_end_matches(": ")), hint }
    };
    lines(|c| c == '-').map(flag).collect()
});

impl Flag {
    fn name(&self) -> &'static str {
        self.id[2..].split(' ').next().unwrap_or_default()
    }

    fn short(&self) -> Option<char> {
        self.id.split_once(" -").and_then(|(_, short)| short.chars().next())
    }

    /// Its value: `VALUE`, or `INTEGER` or `TIMEOUT`, which kubectl also checks; `None` if it is a switch.
    fn value(&self) -> Option<&'static str> {
        self.id.rsplit_once(' ').map(|(_, value)| value).filter(|value| !value.starts_with('-'))
    }

    fn is_of(&self, command: &str) -> bool {
        let (is_without, commands) = match self.commands {
            "all" => (true, ""),
            commands => commands.strip_prefix("not ").map_or((false, commands), |others| (true, others)),
        };
        command != "completion" && commands.split(' ').any(|known| known == command) != is_without
    }

    /// The argument for the parser, hidden from help.
    fn arg(&self) -> Arg {
        let arg = Arg::new(self.id).long(self.name()).short(self.short()).value_name(self.name()).hide(true);
        match self.value() {
            None => arg
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_parser(BoolishValueParser::new()),
            Some("INTEGER") => arg.action(ArgAction::Append).allow_hyphen_values(true).value_parser(integer),
            Some("TIMEOUT") => arg.action(ArgAction::Append).allow_hyphen_values(true).value_parser(timeout),
            // The hint about the flag matters more than a missing value.
            Some(_) => arg
                .action(ArgAction::Append)
                .num_args(0..=1)
                .default_missing_value("DIRECTORY")
                .allow_hyphen_values(true),
        }
    }
}

/// What to do instead of a command of kubectl or another tool; `None` if it is not known.
fn instead(word: &str) -> Option<&'static str> {
    let line = lines(|c| c.is_alphabetic())
        .find(|line| fields(line).next().is_some_and(|words| words.split(' ').any(|known| known == word)))?;
    fields(line).nth(1).map(hint)
}

/// A number as pflag reads it (strconv.ParseInt).
fn integer(text: &str) -> Result<String, &'static str> {
    text.parse::<i64>().map(|_| text.to_owned()).map_err(|_| "not an integer")
}

/// Seconds or a duration (client-go, tools/clientcmd, ParseTimeout).
fn timeout(text: &str) -> Result<String, &'static str> {
    let message = "a timeout is an integer in seconds, or one followed by its unit: 1s, 2m, 3h";
    let is_timeout = integer(text).is_ok() || duration::parse(text).is_some();
    if is_timeout { Ok(text.to_owned()) } else { Err(message) }
}

/// Adds these flags to a command, hidden from help.
pub(super) fn with_flags(command: Command) -> Command {
    let flags: Vec<Arg> = FLAGS.iter().filter(|flag| flag.is_of(command.get_name())).map(Flag::arg).collect();
    command.args(flags)
}

/// The answer to these flags among the arguments; `None` if all of them are accepted.
pub(super) fn refused(matches: &ArgMatches) -> Option<Misuse> {
    let (command, matches) = matches.subcommand()?;
    FLAGS.iter().filter(|flag| flag.is_of(command)).find_map(|flag| {
        let value = match flag.value() {
            Some(_) => matches.get_many::<String>(flag.id)?.next_back()?.clone(),
            None => matches.get_one::<bool>(flag.id)?.to_string(),
        };
        if flag.hint.is_empty() || flag.accepted == Some(&value) {
            return None;
        }
        let message = format!("unexpected argument '--{}' found", flag.name());
        let hint = hint(flag.hint).replace("{}", &excerpt::cut(&value));
        Some(Misuse::Answered { message, hint: Some(hint) })
    })
}

/// A better answer than the parser's to arguments that cannot be parsed; `None` if there is none.
///
/// `parser` makes the command line as it is parsed.
pub(super) fn answer(error: &clap::Error, args: &[OsString], parser: impl Fn() -> Command) -> Option<Misuse> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (message, hint) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand)?;
            let is_topic = args.get(1).is_some_and(|first| first == "help");
            let hint = if is_topic { topic_hint(word) } else { command_hint(word) };
            (format!("unrecognized subcommand '{}'", excerpt::cut(word)), hint)
        }
        ErrorKind::UnknownArgument => {
            let word = context(ContextKind::InvalidArg)?;
            let command = args.get(1).and_then(|arg| arg.to_str()).unwrap_or("get");
            let hint = match context(ContextKind::SuggestedArg) {
                _ if Path::new(word).exists() => format!("name files with -f: -f {}", excerpt::cut(word)),
                Some(flag) if !is_refused(flag) => format!("did you mean {flag}?"),
                _ => match other_case(word, command) {
                    Some((flag, name)) => format!("did you mean -{flag} (--{name})?"),
                    None => format!("kselect help {command} lists the arguments"),
                },
            };
            (format!("unexpected argument '{}' found", excerpt::cut(word)), hint)
        }
        ErrorKind::InvalidValue if context(ContextKind::InvalidArg)? == "<SETTING>" => {
            let word = context(ContextKind::InvalidValue)?;
            let shown = excerpt::cut(word);
            let hint = match word.contains(['=', '/']) {
                true => format!("did you mean: kselect set image {shown}"),
                false => hint("@patch").to_owned(),
            };
            (format!("'{shown}' cannot be set"), hint)
        }
        // The hint about a flag matters more than an argument that is missing.
        ErrorKind::MissingRequiredArgument => {
            let optional = |command: Command| command.mut_args(|arg| arg.required(false));
            let parser = parser().mut_subcommands(optional);
            let matches = parser.try_get_matches_from(args).ok()?;
            if let Some(refused) = refused(&matches) {
                return Some(refused);
            }
            let Misuse::Answered { message, .. } = refusal::answer(error)? else { return None };
            (message, format!("kselect help {} lists the arguments", matches.subcommand_name()?))
        }
        _ => return None,
    };
    Some(Misuse::Answered { message, hint: Some(hint) })
}

fn topic_hint(word: &str) -> String {
    match topics::nearest(word) {
        Some(near) => format!("did you mean: kselect help {near}"),
        None => "kselect help lists the commands, and kselect help topics the topics".to_owned(),
    }
}

/// What to do instead of a command that does not exist.
fn command_hint(word: &str) -> String {
    let all = super::command();
    let commands = all.get_subcommands().map(Command::get_name).chain(["help"]);
    let meant = match instead(word) {
        Some(hint) => return hint.replace("{}", word),
        None if Path::new(word).exists() => format!("get -f {}", excerpt::cut(word)),
        None if grammar::requests(&Catalog::new(), &[word.to_owned()]).is_ok() => {
            format!("get {}", excerpt::cut(word))
        }
        None => match spelling::nearest(word, commands) {
            Some(command) => command.to_owned(),
            None => {
                return "kselect get selects and prints objects; kselect help lists the commands".to_owned();
            }
        },
    };
    format!("did you mean: kselect {meant}")
}

/// The flag of a command that differs from the short flag `word` in case, and its long name: `-r` is `-R` here.
fn other_case(word: &str, command: &str) -> Option<(char, String)> {
    let letter = word.strip_prefix('-')?.chars().next()?;
    let other = if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    let all = super::command();
    let command = all.find_subcommand(command)?;
    let flag = command.get_arguments().find(|arg| arg.get_short() == Some(other) && !arg.is_hide_set())?;
    Some((other, flag.get_long()?.to_owned())).filter(|_| other != letter)
}

/// Whether a flag would be refused; such a flag is never suggested.
fn is_refused(flag: &str) -> bool {
    let name = flag.trim_start_matches('-');
    FLAGS.iter().any(|known| known.name() == name && !known.hint.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_checked() {
        assert!(timeout("5").is_ok() && timeout("1m30s").is_ok() && timeout("x").is_err());
    }

    #[test]
    fn no_flag_is_one_that_kselect_has() {
        // Two arguments with the same name fail an assertion of the parser.
        super::super::parser::parser().debug_assert();
    }

    #[test]
    fn every_flag_belongs_to_existing_commands() {
        let command = super::super::command();
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let of_flags = FLAGS.iter().flat_map(|flag| flag.commands.split(' ').collect::<Vec<_>>());
        for name in of_flags.filter(|name| !["all", "not"].contains(name)) {
            assert!(names.contains(&name), "{name}");
        }
        assert!(names.iter().all(|name| instead(name).is_none()));
        // Each is prepared alone, but for the one that takes unknown flags as its arguments.
        let is_alone = |name: &&&str| super::super::command_alone(name).is_none();
        assert_eq!(names.iter().filter(is_alone).collect::<Vec<_>>(), [&"selector"]);
    }
}
