//! The flags and commands of kubectl, and of the tools beside it, that kselect does not have, as data: flags that are
//! accepted because they would change nothing for files, and flags and commands that are answered with a hint.
//!
//! *Compatibility* (cluster-flags): flags that concern a cluster are usage errors.

use std::ffi::OsString;
use std::path::Path;

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use kinds::catalog::{Catalog, grammar};
use text::{duration, excerpt, spelling};

use super::misuse::Misuse;
use super::topics;
use selector::validation;

/// A flag that kselect does not have.
struct Flag {
    /// Its id in the parser, unique among the arguments of a command.
    id: &'static str,
    name: &'static str,
    short: Option<char>,
    value: FlagValue,
    commands: Commands,
    response: Response,
}

/// The value that a flag takes.
enum FlagValue {
    /// A value.
    Value,
    /// A value of this form, which kubectl also checks.
    Checked(fn(&str) -> Result<String, &'static str>),
    /// Nothing, or `=BOOL`.
    Nothing,
}

/// How kselect responds to a flag.
enum Response {
    /// It concerns requests to a server, so the command means the same without it.
    Accepted,
    /// Accepted with this value; with others, a hint is given.
    AcceptedAs(&'static str, &'static str),
    /// The command would mean something else: a hint is given, in which `{}` stands for the value.
    Refused(&'static str),
}

/// The commands that have a flag.
#[derive(Clone, Copy)]
enum Commands {
    /// Those that read manifests or selectors: all but `completion`.
    All,
    /// These.
    Only(&'static [&'static str]),
    /// All but `completion` and `serve`, which has a flag of its own with this name.
    NotServe,
    /// Those that take `--files-from` and not `-o files`.
    Files,
}

impl Commands {
    fn has(self, command: &str) -> bool {
        match self {
            Self::All => command != "completion",
            Self::NotServe => !["completion", "serve"].contains(&command),
            Self::Files => !["completion", "selector", "diff", "get"].contains(&command),
            Self::Only(names) => names.contains(&command),
        }
    }
}

const ALL: Commands = Commands::All;
const NOT_SERVE: Commands = Commands::NotServe;
const GET: Commands = Commands::Only(&["get"]);
const EDITS: Commands = Commands::Only(&["label", "annotate", "set", "patch"]);
const DIFF: Commands = Commands::Only(&["diff"]);
const CHECK: Commands = Commands::Only(&["check"]);
const FORMATTED: Commands =
    Commands::Only(&["get", "check", "count", "diff", "events", "tree", "selector", "api-resources"]);
const API_RESOURCES: Commands = Commands::Only(&["api-resources"]);
const SPLIT: Commands = Commands::Only(&["split"]);
const SELECTOR: Commands = Commands::Only(&["selector"]);

const NO_CLUSTER: &str =
    "there is no cluster, manifests are read from files; to read one: kubectl get TYPE -o yaml | kselect ...";
const NO_WATCH: &str =
    "there is no cluster to watch; to read a watch: kubectl get TYPE -w -o json | kselect get";

use FlagValue::{Checked, Nothing, Value};
use Response::{Accepted, AcceptedAs, Refused};

#[rustfmt::skip]
const FLAGS: &[Flag] = &[
    // Cluster and user.
    flag("as", Value, ALL, Refused(NO_CLUSTER)),
    flag("as-group", Value, ALL, Refused(NO_CLUSTER)),
    flag("as-uid", Value, ALL, Refused(NO_CLUSTER)),
    flag("certificate-authority", Value, ALL, Refused(NO_CLUSTER)),
    flag("client-certificate", Value, ALL, Refused(NO_CLUSTER)),
    flag("client-key", Value, ALL, Refused(NO_CLUSTER)),
    flag("cluster", Value, ALL, Refused(NO_CLUSTER)),
    flag("context", Value, ALL, Refused(NO_CLUSTER)),
    flag("insecure-skip-tls-verify", Nothing, ALL, AcceptedAs("false", NO_CLUSTER)),
    flag("kubeconfig", Value, NOT_SERVE, Refused(NO_CLUSTER)),
    flag("password", Value, ALL, Refused(NO_CLUSTER)),
    Flag { short: Some('s'), ..flag("server", Value, ALL, Refused(NO_CLUSTER)) },
    flag("tls-server-name", Value, ALL, Refused(NO_CLUSTER)),
    flag("token", Value, ALL, Refused(NO_CLUSTER)),
    flag("user", Value, ALL, Refused(NO_CLUSTER)),
    flag("username", Value, ALL, Refused(NO_CLUSTER)),
    // Requests, and defaults of kselect.
    flag("allow-missing-template-keys", Nothing, EDITS, AcceptedAs("true", "only kselect get can report missing keys as errors")),
    flag("cache-dir", Value, ALL, Accepted),
    flag("cached", Nothing, API_RESOURCES, Accepted),
    flag("chunk-size", Checked(integer), GET, Accepted),
    flag("disable-compression", Nothing, ALL, Accepted),
    flag("field-manager", Value, EDITS, Accepted),
    flag("local", Nothing, EDITS, AcceptedAs("true", NO_CLUSTER)),
    flag("request-timeout", Checked(timeout), ALL, Accepted),
    flag("show-managed-fields", Nothing, EDITS, AcceptedAs("false", "-o yaml prints the objects with all their fields")),
    flag("warnings-as-errors", Nothing, ALL, Accepted),
    flag("log-flush-frequency", Value, ALL, Accepted),
    flag("match-server-version", Nothing, ALL, Accepted),
    flag("profile", Value, ALL, Accepted),
    flag("profile-output", Value, ALL, Accepted),
    Flag { short: Some('v'), ..flag("v", Checked(integer), NOT_SERVE, Accepted) },
    flag("vmodule", Value, ALL, Accepted),
    // Other features.
    flag("all", Nothing, GET, Refused("without -l and --field-selector all objects are selected; leave the flag out")),
    flag("count", Nothing, GET, Refused("kselect count counts objects, by kind or --by KEY")),
    flag("now", Value, GET, Refused("--as-of sets the time for ages: --as-of now, --as-of 2026-01-31T12:00:00Z")),
    flag("output-watch-events", Nothing, GET, AcceptedAs("false", NO_WATCH)),
    Flag { id: "format", short: Some('o'), ..flag("output", Value, SPLIT, Refused("split writes files to the directory of -d DIR; kselect get -o prints objects")) },
    Flag { short: Some('f'), ..flag("filename", Value, DIFF, Refused("diff takes its two inputs as arguments: kselect diff A B")) },
    flag("raw", Value, GET, Refused(NO_CLUSTER)),
    flag("record", Nothing, EDITS, AcceptedAs("false", "kselect annotate 'kubernetes.io/change-cause=...' records a cause")),
    Flag { id: "by_selector", short: Some('l'), ..flag("selector", Value, SELECTOR, Refused("the selector needs no flag: kselect selector '{}'")) },
    flag("server-print", Nothing, GET, AcceptedAs("true", "-o custom-columns=NAME:.metadata.name prints only names")),
    flag("subresource", Value, GET, Refused(NO_CLUSTER)),
    flag("verbs", Value, API_RESOURCES, Refused("files have no verbs; leave the flag out to list all kinds")),
    Flag { short: Some('w'), ..flag("watch", Nothing, GET, AcceptedAs("false", NO_WATCH)) },
    flag("watch-only", Nothing, GET, AcceptedAs("false", NO_WATCH)),
    // Other tools: grep, xargs, diff, kubeconform, linters.
    flag("brief", Nothing, DIFF, Refused(DIFFERING)),
    flag("exit-code", Nothing, DIFF, Accepted),
    flag("files-with-matches", Nothing, GET, Refused("-o files prints the name of each file with a selected object")),
    Flag { id: "format_of_linters", ..flag("format", Value, FORMATTED, Refused("-o sets the format: -o {}")) },
    flag("git", Nothing, DIFF, Refused(REVISION)),
    Flag { id: "ignored_rules", ..flag("ignore", Value, CHECK, Refused(DISABLE)) },
    flag("ignore-labels", Nothing, DIFF, Refused("--ignore label:KEY ignores a label, --ignore metadata.labels all of them")),
    flag("jq", Value, GET, Refused("to select by an expression: --where 'spec.replicas > 2'; to run a jq program: -o json | jq")),
    flag("name-only", Nothing, DIFF, Refused(DIFFERING)),
    Flag { short: Some('0'), ..flag("null", Nothing, Commands::Files, Accepted) },
    flag("rules", Nothing, CHECK, Refused("--list lists the rules")),
    flag("severity", Value, CHECK, Refused("--fail-on {} sets the lowest severity that fails")),
    flag("skip", Value, CHECK, Refused(DISABLE)),
    flag("stat", Nothing, DIFF, Refused("-o summary counts the changes of each kind")),
    flag("strict", Nothing, CHECK, Refused("check always reports unknown fields and duplicate keys; --fail-on warning fails for warnings, too")),
    Flag { short: Some('u'), ..flag("unified", Nothing, DIFF, Accepted) },
];

const DISABLE: &str = "--disable ID disables a rule, and -g '!PATH' skips files";
const PATCH: &str = "kselect patch -f FILE -p PATCH changes any field of a file";
const REVISION: &str =
    "git archive REVISION PATH | kselect diff -R - PATH compares a directory with an earlier revision";
const DIFFERING: &str = "-o name lists the objects that differ";

const fn flag(name: &'static str, value: FlagValue, commands: Commands, response: Response) -> Flag {
    Flag { id: name, name, short: None, value, commands, response }
}

/// Commands of kubectl and other tools that kselect does not have, and what to do instead; `{}` stands for the command.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["version"], "kselect --version"),
    (&["options"], "kselect help get"),
    (&["api-versions"], "kselect api-resources -o wide lists kinds and their selectable fields"),
    // kubectl answers these from the objects of a read-only API.
    (&["describe"], "kselect serve FILE -- kubectl describe TYPE/NAME"),
    (&["explain"], "kselect serve FILE -- kubectl explain TYPE.FIELD"),
    (&["autoscale", "expose"], "kselect serve FILE -- kubectl {} TYPE/NAME ... --dry-run=client -o yaml"),
    (&["auth"], "kselect serve FILE -- kubectl auth can-i VERB TYPE --as USER"),
    (&["rollout"], "kselect serve FILE -- kubectl rollout status TYPE/NAME"),
    (&["edit"], PATCH),
    (&["config", "init"], "kselect help config describes .kselect.yaml"),
    (&["between", "compare"], "kselect diff A B"),
    (&["lint", "validate", "verify"], "kselect check validates manifests and what they refer to"),
    (
        &["find", "grep", "list", "ls", "query", "search"],
        "kselect get selects objects: by TYPE, by --name, by -l, by --where",
    ),
    (&["convert"], "kselect get -o json, yaml or kyaml prints objects in that format"),
    (
        &["fmt", "format"],
        "kselect does not reformat files; kselect get -o kyaml prints objects in a canonical layout",
    ),
    (
        &["image", "images"],
        "kselect get -o wide shows images, -o jsonpath='{range ..image}{@}{\"\\n\"}{end}' prints them one per line, \
         and kselect set image changes them",
    ),
    (&["scale"], PATCH),
    (&["top"], "kselect count pods --by NODE --sum requests.cpu,requests.memory adds up requests"),
    (&["kustomize"], "kselect get -k DIRECTORY -o yaml"),
    (&["apply", "delete", "replace"], "kselect get ... -o yaml | kubectl {} -f -"),
    (&["create", "run"], "kubectl {} ... --dry-run=client -o yaml needs no cluster"),
    (&["attach", "cp", "debug", "exec", "port-forward"], "it needs a running pod: kubectl {}"),
    (
        &["certificate", "cluster-info", "cordon", "drain", "proxy", "taint", "uncordon", "wait"],
        "it needs a cluster: kubectl {}",
    ),
];

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
    let flags: Vec<Arg> =
        FLAGS.iter().filter(|flag| flag.commands.has(command.get_name())).map(arg).collect();
    command.args(flags)
}

fn arg(flag: &Flag) -> Arg {
    let arg = Arg::new(flag.id).long(flag.name).short(flag.short).hide(true);
    match flag.value {
        // The hint about the flag matters more than a missing value.
        Value => arg
            .action(ArgAction::Append)
            .num_args(0..=1)
            .default_missing_value("DIRECTORY")
            .allow_hyphen_values(true),
        Checked(check) => arg.action(ArgAction::Append).allow_hyphen_values(true).value_parser(check),
        Nothing => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(BoolishValueParser::new()),
    }
}

/// The answer to these flags among the arguments; `None` if all of them are accepted.
pub(super) fn refused(matches: &ArgMatches) -> Option<Misuse> {
    let (command, matches) = matches.subcommand()?;
    FLAGS.iter().filter(|flag| flag.commands.has(command)).find_map(|flag| {
        let value = match flag.value {
            Value | Checked(_) => matches.get_many::<String>(flag.id)?.next_back()?.clone(),
            Nothing => matches.get_one::<bool>(flag.id)?.to_string(),
        };
        let hint = match flag.response {
            Accepted => return None,
            AcceptedAs(accepted, _) if accepted == value => return None,
            AcceptedAs(_, hint) | Refused(hint) => hint.replace("{}", &excerpt::cut(&value)),
        };
        let message = format!("unexpected argument '--{}' found", flag.name);
        Some(Misuse::Answered { message, hint: Some(hint) })
    })
}

/// A better answer than the parser's to arguments that cannot be parsed; `None` if there is none.
///
/// `parser` makes the command line as it is parsed.
pub(super) fn answer(
    error: &clap::Error,
    args: &[OsString],
    parser: impl Fn(&[OsString]) -> Command,
) -> Option<Misuse> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = context(ContextKind::InvalidSubcommand)?;
            let shown = excerpt::cut(word);
            let known = COMMANDS.iter().find(|(words, _)| words.contains(&word));
            let hint = match known {
                _ if args.get(1).is_some_and(|first| first == "help") => topics::nearest(word).map_or_else(
                    || "kselect help lists the commands, and kselect help topics the topics".to_owned(),
                    |near| format!("did you mean: kselect help {near}"),
                ),
                Some((_, hint)) => hint.replace("{}", word),
                None if Path::new(word).exists() => format!("did you mean: kselect get -f {shown}"),
                None if grammar::requests(&Catalog::new(), &[word.to_owned()]).is_ok() => {
                    format!("did you mean: kselect get {shown}")
                }
                None => match nearest_command(word) {
                    Some(command) => format!("did you mean: kselect {command}"),
                    None => {
                        "kselect get selects and prints objects; kselect help lists the commands".to_owned()
                    }
                },
            };
            Some(Misuse::Answered { message: format!("unrecognized subcommand '{shown}'"), hint: Some(hint) })
        }
        ErrorKind::UnknownArgument => {
            let word = context(ContextKind::InvalidArg)?;
            let message = format!("unexpected argument '{}' found", excerpt::cut(word));
            if let Some((argument, removal)) = removal(word, args) {
                let message = format!("unexpected argument '{}' found", excerpt::cut(argument));
                return Some(Misuse::Answered {
                    message,
                    hint: Some(format!("a minus after the key removes it: {removal}")),
                });
            }
            let command = args.get(1).and_then(|arg| arg.to_str()).unwrap_or("get");
            let hint = match context(ContextKind::SuggestedArg) {
                _ if Path::new(word).exists() => format!("name files with -f: -f {}", excerpt::cut(word)),
                Some(flag) if !is_refused(flag) => format!("did you mean {flag}?"),
                _ => match other_case(word, command) {
                    Some((flag, name)) => format!("did you mean -{flag} (--{name})?"),
                    None => format!("kselect help {command} lists the arguments"),
                },
            };
            Some(Misuse::Answered { message, hint: Some(hint) })
        }
        ErrorKind::InvalidValue if context(ContextKind::InvalidArg)? == "<image>" => {
            let word = context(ContextKind::InvalidValue)?;
            let shown = excerpt::cut(word);
            let message = format!("'{shown}' cannot be set");
            let hint = match word {
                "env" | "resources" | "selector" | "serviceaccount" | "sa" | "subject" => {
                    format!("kubectl set {word} --local -f FILE ... -o yaml changes files without a cluster")
                }
                _ if word.contains(['=', '/']) => format!("did you mean: kselect set image {shown}"),
                "images" => "did you mean: kselect set image".to_owned(),
                _ => PATCH.to_owned(),
            };
            Some(Misuse::Answered { message, hint: Some(hint) })
        }
        // In grep, -v inverts.
        ErrorKind::ValueValidation if context(ContextKind::InvalidArg)?.starts_with("--v ") => {
            let word = context(ContextKind::InvalidValue)?;
            grammar::requests(&Catalog::new(), &[word.to_owned()]).ok()?;
            let hint = format!("--exclude {word} leaves out objects, --invert-match inverts selectors");
            Some(Misuse::Answered { message: "-v sets the level of logs".to_owned(), hint: Some(hint) })
        }
        // The hint about a flag matters more than an argument that is missing.
        ErrorKind::MissingRequiredArgument => {
            let optional = |command: Command| command.mut_args(|arg| arg.required(false));
            let parser = parser(args).mut_subcommands(optional);
            let matches = parser.try_get_matches_from(args).ok()?;
            refused(&matches).or_else(|| missing(matches.subcommand_name()?))
        }
        _ => None,
    }
}

/// The answer to a command without the arguments that it needs; `None` if the parser's says enough.
fn missing(command: &str) -> Option<Misuse> {
    let (message, hint) = match command {
        "completion" => ("no shell is named", "kselect completion bash, zsh, fish, elvish or powershell"),
        "diff" => ("diff compares two inputs", "kselect diff A B; - stands for standard input"),
        "set" => ("set changes images", "kselect set image TYPE/NAME CONTAINER=IMAGE -f FILE"),
        "split" => ("split needs a directory", "kselect split -d DIR -f FILE"),
        _ => return None,
    };
    Some(Misuse::Answered { message: message.to_owned(), hint: Some(hint.to_owned()) })
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
    FLAGS.iter().any(|known| known.name == name && !matches!(known.response, Accepted))
}

/// The argument `-KEY` that was read as the flag `unknown`, and the command that removes the key; `None` if the command
/// does not edit.
fn removal<'a>(unknown: &str, args: &'a [OsString]) -> Option<(&'a str, String)> {
    let command = args.get(1)?.to_str().filter(|command| EDITS.has(command))?;
    let argument = args[2..].iter().filter_map(|arg| arg.to_str()).find(|arg| arg.starts_with(unknown))?;
    let key = argument.strip_prefix('-').filter(|key| !key.starts_with('-') && key.len() > 1)?;
    validation::label_key(key).is_empty().then(|| (argument, format!("kselect {command} {key}-")))
}

/// The command whose name is closest to `word`; `None` if none is close.
fn nearest_command(word: &str) -> Option<String> {
    let command = super::command();
    spelling::nearest(word, command.get_subcommands().map(Command::get_name)).map(str::to_owned)
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
        super::super::parser::parser(&[]).debug_assert();
    }

    #[test]
    fn every_flag_belongs_to_existing_commands() {
        let command = super::super::command();
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let named = FLAGS.iter().flat_map(|flag| match flag.commands {
            Commands::All => &["completion"],
            Commands::NotServe | Commands::Files => &["completion"],
            Commands::Only(names) => names,
        });
        assert!(named.copied().all(|name| names.contains(&name)));
        assert!(COMMANDS.iter().flat_map(|(words, _)| *words).all(|word| !names.contains(word)));
    }
}
