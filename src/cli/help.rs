//! Help that fits a screen. Of the flags that many commands share, the short help of a command lists those used most, and
//! names the topics that explain all of them; `--help` has every flag, and the manual pages explain each.

use std::collections::HashMap;

use clap::{Arg, Command};

use super::command;

/// Flags that many commands share, by the topic of help that lists them.
struct Shared {
    /// The word after `kselect help`.
    topic: &'static str,
    /// The headings of the flags.
    headings: &'static [&'static str],
    /// The flags that short help lists all the same; `None`: all but those that are defined otherwise.
    common: Option<&'static [&'static str]>,
}

const SHARED: &[Shared] = &[
    Shared { topic: "input", headings: &["Input", "Validation"], common: Some(&["filename", "recursive"]) },
    Shared {
        topic: "selection",
        headings: &["Filter"],
        common: Some(&[
            "selector",
            "namespace",
            "all_namespaces",
            "field_selector",
            "expressions",
            "uses",
            "why",
            "only_files_from",
        ]),
    },
    Shared { topic: "output", headings: &["Output"], common: None },
];

/// The topic that explains a flag, if the short help leaves it out.
fn left_to(arg: &Arg) -> Option<&'static str> {
    let heading = arg.get_help_heading()?;
    let shared = SHARED.iter().find(|shared| shared.headings.contains(&heading))?;
    let is_left_out = match shared.common {
        Some(common) => !common.contains(&arg.get_id().as_str()),
        None => arg.is_hide_short_help_set(),
    };
    is_left_out.then_some(shared.topic)
}

/// The command line as its help shows it. What flags mean that are those of `get` is only said there and in the topics.
pub fn command_for_help() -> Command {
    let program = command();
    let explained: HashMap<String, String> = program
        .find_subcommand("get")
        .into_iter()
        .flat_map(Command::get_arguments)
        .filter_map(|arg| Some((arg.get_id().to_string(), arg.get_long_help()?.to_string())))
        .collect();
    program.mut_subcommands(|command| {
        let mut topics: Vec<&str> = command.get_arguments().filter_map(left_to).collect();
        topics.sort_unstable();
        topics.dedup();
        if topics.is_empty() {
            return command;
        }
        let name = command.get_name().to_owned();
        let topics = topics.join(", ");
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let is_explained = |arg: &Arg| {
            let text = arg.get_long_help().map(ToString::to_string);
            name != "get" && text.is_some_and(|text| explained.get(arg.get_id().as_str()) == Some(&text))
        };
        let more = format!("More: kselect help {topics}; every flag: kselect {name} --help");
        let long = match name.as_str() {
            "get" => examples.clone(),
            _ => format!("{examples}\n\nMore about the flags of several commands: kselect help {topics}"),
        };
        command
            .mut_args(|arg| {
                let arg = if left_to(&arg).is_some() { arg.hide_short_help(true) } else { arg };
                if is_explained(&arg) { arg.long_help(None::<&str>) } else { arg }
            })
            .after_long_help(long)
            .after_help(format!("{examples}\n\n{more}"))
    })
}

/// The flags of `get` below these headings with their whole help, for a topic.
pub fn flags(headings: &[&str]) -> String {
    let is_listed = |arg: &Arg| arg.get_help_heading().is_some_and(|heading| headings.contains(&heading));
    let mut program = command();
    let listed = program.find_subcommand_mut("get").map(|get| {
        let get = get.clone().mut_args(|arg| if is_listed(&arg) { arg } else { arg.hide(true) });
        get.disable_help_flag(true).help_template("{all-args}").term_width(80).render_long_help().to_string()
    });
    listed.unwrap_or_default()
}
