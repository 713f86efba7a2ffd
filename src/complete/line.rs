//! A command line that is being typed: the word at the cursor, and the information in the other words.

use clap::{Arg, Command};

/// The words of a command line as clap would understand them, as far as they are typed.
pub struct CommandLine<'c> {
    /// The command, or the program if there is none yet.
    pub command: &'c Command,
    /// The word at the cursor.
    pub at: At<'c>,
    /// The positional arguments before the cursor.
    pub positionals: Vec<String>,
    /// The values of flags anywhere on the line, by the ids of the arguments.
    values: Vec<(&'c str, String)>,
}

/// The word at the cursor; texts are those before the cursor.
pub enum At<'c> {
    /// The name of a flag, or the start of one: `--sel`.
    Flag(String),
    /// A command or a positional argument.
    Word(String),
    /// The value of a flag.
    Value {
        /// The flag.
        flag: &'c Arg,
        /// The part of the word before it: `--selector=`, `-l`; empty if the word is the value.
        before: String,
        /// The start of the value.
        text: String,
    },
}

impl<'c> CommandLine<'c> {
    /// Reads `words`, where the first is the program and `words[index]` is at the cursor; `None` if the command is
    /// unknown.
    pub fn read(program: &'c Command, words: &[String], index: usize) -> Option<Self> {
        let mut reader = Reader {
            command: program,
            at: None,
            positionals: Vec::new(),
            values: Vec::new(),
            pending: None,
            flags_end: false,
        };
        for (number, word) in words.iter().enumerate().skip(1) {
            reader.take(word, number == index)?;
            if number > index {
                // After the cursor, only flags are used.
                reader.positionals.truncate(reader.before_cursor());
            }
        }
        let Reader { command, at, positionals, values, .. } = reader;
        Some(Self { command, at: at?.0, positionals, values })
    }

    /// The values of the argument `id`, in order.
    pub fn values(&self, id: &str) -> impl Iterator<Item = &str> {
        self.values.iter().filter(move |(known, _)| *known == id).map(|(_, value)| value.as_str())
    }

    /// Whether the switch `id` is set.
    pub fn is_set(&self, id: &str) -> bool {
        self.values(id).last().is_some_and(|value| value != "false")
    }
}

struct Reader<'c> {
    command: &'c Command,
    /// The word at the cursor, and the number of positional arguments before it.
    at: Option<(At<'c>, usize)>,
    positionals: Vec<String>,
    values: Vec<(&'c str, String)>,
    /// The flag whose value is the next word.
    pending: Option<&'c Arg>,
    /// Whether `--` has occurred.
    flags_end: bool,
}

impl<'c> Reader<'c> {
    fn before_cursor(&self) -> usize {
        self.at.as_ref().map_or(self.positionals.len(), |(_, count)| *count)
    }

    /// Processes the next word; `None` if it is an unknown command.
    fn take(&mut self, word: &str, is_here: bool) -> Option<()> {
        let looks_like_flag = word.len() > 1 && word.starts_with('-');
        if let Some(flag) = self.pending.take()
            && (is_here || !looks_like_flag || flag.is_allow_hyphen_values_set())
        {
            self.value(flag, String::new(), word, is_here);
        } else if self.flags_end || !word.starts_with('-') || word == "-" && !is_here {
            self.word(word, is_here)?;
        } else if word == "--" && !is_here {
            self.flags_end = true;
        } else if word.starts_with("--") {
            self.long(word, is_here);
        } else {
            self.short(word, is_here);
        }
        Some(())
    }

    fn here(&mut self, at: At<'c>) {
        self.at = Some((at, self.positionals.len()));
    }

    fn value(&mut self, flag: &'c Arg, before: String, text: &str, is_here: bool) {
        if is_here {
            self.here(At::Value { flag, before, text: text.to_owned() });
        } else {
            self.values.push((flag.get_id().as_str(), text.to_owned()));
        }
    }

    fn word(&mut self, word: &str, is_here: bool) -> Option<()> {
        if is_here {
            self.here(At::Word(word.to_owned()));
        } else if self.command.has_subcommands() && self.at.is_none() {
            self.command = self.command.find_subcommand(word)?;
        } else {
            self.positionals.push(word.to_owned());
        }
        Some(())
    }

    fn long(&mut self, word: &str, is_here: bool) {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let mut flags = self.command.get_arguments();
        let flag =
            flags.find(|flag| flag.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long)));
        match (flag, value) {
            (Some(flag), Some(value)) => self.value(flag, format!("{name}="), value, is_here),
            (None, Some(_)) | (_, None) if is_here => self.here(At::Flag(word.to_owned())),
            (Some(flag), None) if takes_next_word(flag) => self.pending = Some(flag),
            (Some(flag), None) => self.values.push((flag.get_id().as_str(), String::new())),
            (None, _) => (),
        }
    }

    /// A word of short flags, the last of which may have a value: `-ARf k8s`, `-lapp=web`.
    fn short(&mut self, word: &str, is_here: bool) {
        for (at, letter) in word.char_indices().skip(1) {
            let mut flags = self.command.get_arguments();
            let Some(flag) = flags.find(|flag| flag.get_short() == Some(letter)) else { break };
            if !takes_next_word(flag) {
                self.values.push((flag.get_id().as_str(), String::new()));
                continue;
            }
            let rest = &word[at + letter.len_utf8()..];
            let value = rest.strip_prefix('=').unwrap_or(rest);
            match rest {
                "" if is_here => break,
                "" => self.pending = Some(flag),
                _ => self.value(flag, word[..word.len() - value.len()].to_owned(), value, is_here),
            }
            return;
        }
        if is_here {
            self.here(At::Flag(word.to_owned()));
        }
    }
}

/// Whether the next word may be the value of a flag: not for switches, whose value follows a `=`.
fn takes_next_word(flag: &Arg) -> bool {
    flag.get_action().takes_values() && !flag.is_require_equals_set()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the words; the one with a `|` is at the cursor.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let index = words.iter().position(|word| word.contains('|')).expect("a cursor");
        let words: Vec<String> = words.iter().map(|word| word.replace('|', "")).collect();
        let mut program = crate::cli::command();
        program.build();
        let found = CommandLine::read(&program, &words, index).map_or("nothing".to_owned(), |line| {
            let at = match &line.at {
                At::Flag(text) => format!("flag {text}"),
                At::Word(text) => format!("word {text}"),
                At::Value { flag, before, text } => format!("{} {before}>{text}", flag.get_id()),
            };
            let others: Vec<String> = line.values.iter().map(|(id, value)| format!("{id}:{value}")).collect();
            [line.command.get_name(), &at, &line.positionals.join(" "), &others.join(" ")].join("; ")
        });
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn the_cursor_is_at_a_command_a_flag_a_value_or_another_word() {
        check("kselect |", "kselect; word ; ; ");
        check("kselect -q g|", "kselect; word g; ; quiet:");
        check("kselect get po|", "get; word po; ; ");
        check("kselect get pods web |", "get; word ; pods web; ");
        check("kselect get -|", "get; flag -; ; ");
        check("kselect get --sel|", "get; flag --sel; ; ");
        check("kselect get --selector |", "get; selector >; ; ");
        check("kselect get -l app=w|", "get; selector >app=w; ; ");
        check("kselect get --selector=app=w|", "get; selector --selector=>app=w; ; ");
        check("kselect get -lapp=w|", "get; selector -l>app=w; ; ");
        check("kselect get -n=s|", "get; namespace -n=>s; ; ");
        check("kselect help g|", "help; word g; ; ");
    }

    #[test]
    fn flags_are_known_before_and_after_the_cursor() {
        check("kselect get -Rf k8s | -n shop", "get; word ; ; recursive: filename:k8s namespace:shop");
        check("kselect get p| web -f a.yaml", "get; word p; ; filename:a.yaml");
        check("kselect get -A -l | --filename=a", "get; selector >; ; all_namespaces: filename:a");
        check("kselect get --no-headers pods |", "get; word ; pods; no_headers:");
    }

    #[test]
    fn a_flag_takes_no_other_flag_for_its_value_unless_it_may() {
        check("kselect get -n -f a |", "get; word ; ; filename:a");
        check("kselect get -f - |", "get; word ; ; filename:-");
        check("kselect get -l -x |", "get; word ; ; selector:-x");
    }

    #[test]
    fn after_two_dashes_there_are_no_flags() {
        check("kselect label -- web -l|", "label; word -l; web; ");
    }

    #[test]
    fn of_an_unknown_command_nothing_is_known() {
        check("kselect nonsense |", "nothing");
    }
}
