//! The name under which the program was called, and its consequences.
//!
//! kubectl finds plugins by their names on the PATH: `kubectl select` runs `kubectl-select`, and its completion runs
//! `kubectl_complete-select` (kubectl, cmd/plugin). Links to the program are sufficient.

use std::path::Path;

/// The role in which the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// The program itself, under the name kselect or any other.
    Kselect,
    /// A kubectl plugin.
    Plugin,
    /// The completion of the plugin.
    PluginCompletion,
}

impl Invocation {
    /// The role that follows from the first argument, the name under which the program was called.
    pub fn of(program: &Path) -> Self {
        // Without Windows' `.exe`.
        match program.file_stem().and_then(|name| name.to_str()) {
            Some("kubectl-select") => Self::Plugin,
            Some("kubectl_complete-select") => Self::PluginCompletion,
            _ => Self::Kselect,
        }
    }

    /// Replaces the program name in a text with the command that the user types.
    pub fn adapt_text(self, text: &str) -> String {
        match self {
            Self::Kselect => text.to_owned(),
            Self::Plugin | Self::PluginCompletion => text.replace("kselect ", "kubectl select "),
        }
    }

    /// Adapts usage and examples to the command that the user types.
    pub fn adapt(self, command: clap::Command) -> clap::Command {
        if self == Self::Kselect {
            return command;
        }
        let examples = |command: clap::Command| match command.get_after_help() {
            Some(examples) => {
                let examples = self.adapt_text(&examples.ansi().to_string());
                command.after_help(examples)
            }
            None => command,
        };
        let command = examples(command).mut_subcommands(examples);
        // The completion scripts are for a program named kselect; kubectl has its own.
        let command = command.mut_subcommand("completion", |command| command.hide(true));
        command.bin_name("kubectl select")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_says_how_the_program_was_called() {
        for (program, expected) in [
            ("kselect", Invocation::Kselect),
            ("/usr/bin/kselect", Invocation::Kselect),
            ("/home/me/.krew/bin/kubectl-select", Invocation::Plugin),
            ("kubectl-select.exe", Invocation::Plugin),
            ("bin/kubectl_complete-select", Invocation::PluginCompletion),
        ] {
            assert_eq!(Invocation::of(Path::new(program)), expected, "{program}");
        }
    }
}
