//! `kselect help TOPIC`: help on topics that several commands share; `kselect help check RULE`: help on a rule.

use std::ffi::OsString;

use crate::check;
use crate::output::delimited;
use crate::text::spelling;

/// A topic of help.
pub struct Topic {
    /// The word after `help`.
    pub name: &'static str,
    /// Its subject, in one line.
    pub summary: &'static str,
    /// The help text.
    pub text: &'static str,
}

/// The topics, in the order in which they are listed.
pub const TOPICS: &[Topic] = &[
    Topic {
        name: "selectors",
        summary: "Label selectors, as -l takes them",
        text: include_str!("selectors.txt"),
    },
    Topic { name: "fields", summary: "Field selectors and expressions", text: include_str!("fields.txt") },
    Topic {
        name: "relations",
        summary: "Objects that select, own and use each other",
        text: include_str!("relations.txt"),
    },
    Topic {
        name: "dumps",
        summary: "Dumps of clusters: archives, copies, ages",
        text: include_str!("dumps.txt"),
    },
    Topic { name: "config", summary: "The file .kselect.yaml", text: include_str!("config.txt") },
    Topic {
        name: "scripts",
        summary: "Formats and exit statuses for other programs",
        text: include_str!("scripts.txt"),
    },
];

/// The text of `help TOPIC` or `help check RULE`; `help topics` lists the topics. `None` if the arguments are different.
pub fn asked_for(args: &[OsString]) -> Option<String> {
    if let [_, help, command, rule] = args
        && help == "help"
        && command == "check"
    {
        let rule = check::documented_rules().find(|known| rule == known.id)?;
        return Some(format!("{} ({})\n\n{}\n", rule.id, rule.severity, rule.section().replace("**", "")));
    }
    let [_, help, topic] = args else { return None };
    if help != "help" {
        return None;
    }
    if topic == "topics" {
        let mut text = b"Topics:\n".to_vec();
        let row = |topic: &Topic| vec![format!("  {}", topic.name), topic.summary.to_owned()];
        delimited::list(TOPICS.iter().map(row), &mut text).ok()?;
        return String::from_utf8(text).ok();
    }
    let topic = TOPICS.iter().find(|known| topic == known.name)?;
    Some(topic.text.to_owned())
}

/// The command or topic with the name closest to `word`; `None` if none is close.
pub fn nearest(word: &str) -> Option<String> {
    let command = super::command();
    let names = command.get_subcommands().map(|command| command.get_name());
    let names = names.chain(TOPICS.iter().map(|topic| topic.name)).chain(["topics"]);
    spelling::nearest(word, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_eighty_columns() {
        for Topic { name, text, .. } in TOPICS {
            for line in text.lines() {
                let is_example = line.starts_with("  kselect");
                assert!(is_example || line.chars().count() <= 80, "help {name}: {line}");
            }
        }
    }

    #[test]
    fn topics_are_not_commands() {
        let command = crate::cli::command();
        assert!(TOPICS.iter().all(|topic| command.find_subcommand(topic.name).is_none()));
    }
}
