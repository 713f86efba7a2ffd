//! `kselect help TOPIC`: help on topics that several commands share; `kselect help check RULE`: help on a rule.

use std::ffi::{OsStr, OsString};

use super::help;
use super::misuse::Misuse;
use kselect_core::check;
use kselect_core::output::delimited;
use text::wrap::wrapped;
use text::{go, spelling};

/// A topic of help.
pub struct Topic {
    /// The word after `help`.
    pub name: &'static str,
    /// Its subject, in one line.
    pub summary: &'static str,
    /// The help text.
    text: Text,
}

/// Where the text of a topic comes from.
enum Text {
    /// It is a text of its own.
    Written(&'static str),
    /// The flags that `get` has below these headings, behind an introduction.
    Flags(&'static str, &'static [&'static str]),
}

impl Topic {
    /// The help text.
    fn text(&self) -> String {
        match self.text {
            Text::Written(text) => text.to_owned(),
            Text::Flags(introduction, headings) => format!("{introduction}\n\n{}", help::flags(headings)),
        }
    }
}

const fn written(name: &'static str, summary: &'static str, text: &'static str) -> Topic {
    Topic { name, summary, text: Text::Written(text) }
}

/// The topics, in the order in which they are listed.
pub const TOPICS: &[Topic] = &[
    Topic {
        name: "input",
        summary: "Flags for reading and validating manifests",
        text: Text::Flags(
            "Flags for reading and validating manifests. See also: kselect help dumps.",
            &["Input", "Validation"],
        ),
    },
    Topic {
        name: "selection",
        summary: "Flags that select objects",
        text: Text::Flags(
            "Flags that select objects. See also: kselect help selectors, fields, relations.",
            &["Filter"],
        ),
    },
    Topic {
        name: "output",
        summary: "Flags and formats of get",
        text: Text::Flags("Flags and formats of get. See also: kselect help scripts.", &["Output"]),
    },
    written("selectors", "Label selectors, as -l takes them", include_str!("selectors.txt")),
    written("fields", "Field selectors and expressions", include_str!("fields.txt")),
    written("relations", "Objects that select, own and use each other", include_str!("relations.txt")),
    written("dumps", "Dumps of clusters: archives, copies, ages", include_str!("dumps.txt")),
    written("config", "The file .kselect.yaml", include_str!("config.txt")),
    written("scripts", "Formats and exit statuses for other programs", include_str!("scripts.txt")),
];

/// The text of `help TOPIC` or `help check RULE`, or the error about a rule that does not exist; `help topics` lists the
/// topics. `None` if the arguments are different.
pub fn asked_for(args: &[OsString]) -> Option<Misuse> {
    match args {
        [_, help, command, rule] if help == "help" && command == "check" => Some(section(rule)),
        [_, help, topic] if help == "help" => text(topic).map(Misuse::Topic),
        _ => None,
    }
}

/// What the documentation says about a rule of `check`.
fn section(id: &OsStr) -> Misuse {
    if let Some(rule) = check::documented_rules().find(|known| id == known.id) {
        let section = rule.section();
        let paragraph = |text| format!("\n{}\n", wrapped(text, WIDTH).join("\n"));
        let paragraphs: String = section.lines().map(paragraph).collect();
        return Misuse::Topic(format!("{} ({})\n{paragraphs}", rule.id, rule.severity));
    }
    let id = id.to_string_lossy();
    let near = spelling::nearest(&id, check::documented_rules().map(|rule| rule.id));
    let hint = match near {
        Some(near) => format!("did you mean: kselect help check {near}"),
        None => "kselect check --list lists the rules".to_owned(),
    };
    Misuse::Answered { message: format!("unknown rule '{}'", go::printable(&id)), hint: Some(hint) }
}

/// The columns that a text may take.
const WIDTH: usize = 80;

/// The text of a topic, or the list of topics.
fn text(topic: &OsStr) -> Option<String> {
    if topic == "topics" {
        let mut text = b"Topics:\n".to_vec();
        let row = |topic: &Topic| vec![format!("  {}", topic.name), topic.summary.to_owned()];
        delimited::list(TOPICS.iter().map(row), &mut text).ok()?;
        return String::from_utf8(text).ok();
    }
    let topic = TOPICS.iter().find(|known| topic == known.name)?;
    Some(topic.text())
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
        for topic in TOPICS {
            let name = topic.name;
            for line in topic.text().lines() {
                let is_example = line.starts_with("  kselect");
                assert!(is_example || line.chars().count() <= WIDTH, "help {name}: {line}");
            }
        }
    }

    #[test]
    fn topics_are_not_commands() {
        let command = crate::cli::command();
        assert!(TOPICS.iter().all(|topic| command.find_subcommand(topic.name).is_none()));
    }
}
