//! The command line: arguments and their help. This module only describes and parses it.

mod api_resources;
mod check;
mod completion;
mod count;
mod diff;
mod events;
mod get;
mod help;
pub mod invocation;
mod kubectl;
mod label;
mod leading_flags;
mod logs;
mod misuse;
mod parser;
mod patch;
mod refusal;
mod scale;
mod selector;
mod serve;
mod set;
mod shared;
mod split;
#[cfg(test)]
mod tests;
pub mod topics;
mod tree;

use std::sync::LazyLock;

use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};

use kinds::release::Release;

pub use api_resources::{ApiResourcesArgs, ApiResourcesFormat, ApiResourcesOrder};
pub use check::{CheckArgs, CheckFormat, FailOn};
pub use completion::{CompletionArgs, Shell};
pub use count::{CountArgs, CountFormat};
pub use diff::{DiffArgs, DiffFormat, DiffInput};
pub use events::EventsArgs;
pub use get::GetArgs;
pub use label::{EditArgs, LabelArgs, ResultArgs};
pub use logs::LogsArgs;
pub use misuse::{Misuse, NAME_FILES};
pub use parser::parse;
pub use patch::PatchArgs;
pub use scale::ScaleArgs;
pub use selector::{SelectorArgs, SelectorFormat};
pub use serve::{ServeArgs, ServedTimes};
pub use set::{SetArgs, SetValueArgs, Setting};
pub use shared::{
    Arguments, ConditionArgs, DirectoryArgs, Filter, InputArgs, RelationArgs, Validate, ValidationArgs,
};
pub use split::SplitArgs;
pub use tree::{TreeArgs, TreeFormat};

/// kubectl for manifests that are not in a cluster
///
/// kselect reads YAML and JSON manifests from files, directories and pipes, selects objects the way the API
/// server would, and prints them the way kubectl would, or passes them on unchanged.
#[derive(Debug, Parser)]
#[command(
    name = "kselect",
    version,
    long_version = LONG_VERSION.as_str(),
    max_term_width = 80,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
pub struct Cli {
    /// What every command has.
    #[command(flatten)]
    pub common: CommonArgs,

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The flags of every command.
#[derive(Args, Debug)]
#[command(next_help_heading = COMMON)]
pub struct CommonArgs {
    /// Print only results and errors, without notes and progress
    #[arg(short = 'q', long, global = true)]
    pub quiet: bool,

    /// Colour the output: auto (on a terminal), always or never
    ///
    /// NO_COLOR, CLICOLOR_FORCE and TERM=dumb are respected.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub color: Color,

    /// Print help: a summary with -h, all of it with --help
    // The one that clap adds would stand before the flags of the command.
    #[arg(short = 'h', long, global = true, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// The heading of the flags that every command has. It comes last.
const COMMON: &str = "Common options";

/// The version with the releases of Kubernetes that this build knows.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let (oldest, newest) = (Release::OLDEST, Release::KNOWN);
    format!("{}\nKubernetes: {oldest} to {newest}", env!("CARGO_PKG_VERSION"))
});

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands, in the order in which help lists them. The help of a command is the documentation of its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    Get(Box<GetArgs>),
    Count(Box<CountArgs>),
    Tree(Box<TreeArgs>),
    Events(Box<EventsArgs>),
    Logs(Box<LogsArgs>),
    Diff(Box<DiffArgs>),
    Split(Box<SplitArgs>),
    Serve(Box<ServeArgs>),

    /// Change labels, leaving every other byte unchanged
    ///
    /// Prints the whole input with the selected objects changed; with --in-place, rewrites the files. If a key already has
    /// another value, the command fails and changes nothing, unless --overwrite is given. An object that cannot be edited
    /// is printed unchanged, and --in-place then changes no file. A document that cannot be read is reported and left
    /// unchanged; the others are edited. With -n, objects that name no namespace stay unchanged, and a note counts them.
    Label(LabelArgs),

    /// Change annotations, leaving every other byte unchanged
    ///
    /// Works like `label`, for annotations.
    Annotate(LabelArgs),

    Set(Box<SetArgs>),
    Scale(Box<ScaleArgs>),
    Patch(Box<PatchArgs>),

    Check(CheckArgs),
    ApiResources(ApiResourcesArgs),
    Selector(SelectorArgs),
    Completion(CompletionArgs),
}

/// Adds the examples of a command, or of the program, after its help.
fn with_examples(command: clap::Command) -> clap::Command {
    let mut sections = include_str!("examples.txt").trim_end().split("\n\n[");
    let own = |section: &'static str| {
        section.trim_start_matches('[').strip_prefix(command.get_name())?.strip_prefix("]\n")
    };
    match sections.find_map(own) {
        Some(examples) => command.after_help(examples),
        None => command,
    }
}

/// The command line as help, completions and the manual show it.
pub fn command() -> clap::Command {
    with_examples(Cli::command()).mut_subcommands(|command| adapted(with_examples(command)))
}

/// A command with what its help says otherwise of flags that others have, too.
fn adapted(command: clap::Command) -> clap::Command {
    let with_column = |command: clap::Command| {
        command.mut_arg("all_namespaces", |arg| arg.help("All namespaces: a NAMESPACE column"))
    };
    match command.get_name() {
        "get" | "tree" => with_column(command),
        "events" => with_column(command).mut_arg("invert_match", |arg| {
            let what = "Invert selectors and --where";
            arg.help(what).long_help(format!("{what}\n\n-n, --exclude, --for and --types are not inverted."))
        }),
        "set" => without_exit_status(command),
        _ => command,
    }
}

/// What adds the arguments of a command.
type Augment = fn(clap::Command) -> clap::Command;

/// The commands that refuse unknown flags.
const STRICT: &[(&str, Augment)] = &[
    ("get", GetArgs::augment_args),
    ("count", CountArgs::augment_args),
    ("tree", TreeArgs::augment_args),
    ("events", EventsArgs::augment_args),
    ("logs", LogsArgs::augment_args),
    ("diff", DiffArgs::augment_args),
    ("split", SplitArgs::augment_args),
    ("serve", ServeArgs::augment_args),
    ("label", LabelArgs::augment_args),
    ("annotate", LabelArgs::augment_args),
    ("set", |set| without_exit_status(SetArgs::augment_args(set))),
    ("scale", ScaleArgs::augment_args),
    ("patch", PatchArgs::augment_args),
    ("check", CheckArgs::augment_args),
    ("api-resources", ApiResourcesArgs::augment_args),
    ("completion", CompletionArgs::augment_args),
];

/// The command line with this command alone, which takes less time than all of them, without what only help shows; `None`
/// if there is none, or if it takes unknown flags as its arguments.
fn command_alone(name: &str) -> Option<clap::Command> {
    let (name, augment) = STRICT.iter().find(|(known, _)| *known == name)?;
    let command = augment(clap::Command::new(*name));
    let program = clap::Command::new("kselect").version(env!("CARGO_PKG_VERSION"));
    let program = program.disable_help_flag(true).disable_version_flag(true).disable_help_subcommand(true);
    Some(CommonArgs::augment_args(program).subcommand(command))
}

/// In `set`, -e is --env, as in kubectl.
fn without_exit_status(set: clap::Command) -> clap::Command {
    set.mut_arg("exit_status", |arg| arg.short(None))
}
