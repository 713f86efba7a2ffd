//! By which name the program was called, and what that means.
//!
//! kubectl finds its plugins by their names on the PATH: `kubectl select` runs `kubectl-select`, and to complete
//! what follows it runs `kubectl_complete-select` (kubectl, cmd/plugin). Links to the one program are enough.

use std::path::Path;

/// As what the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// As itself, or by any other name.
    Kselect,
    /// As kubectl's plugin.
    Plugin,
    /// To complete the plugin's command line.
    PluginCompletion,
}

impl Invocation {
    /// What the name by which the program was called, the first of its arguments, means.
    pub fn of(program: &Path) -> Self {
        // Without Windows' `.exe`.
        match program.file_stem().and_then(|name| name.to_str()) {
            Some("kubectl-select") => Self::Plugin,
            Some("kubectl_complete-select") => Self::PluginCompletion,
            _ => Self::Kselect,
        }
    }

    /// A text in which the program is called as the user has to type it.
    pub fn adapt_text(self, text: &str) -> String {
        match self {
            Self::Kselect => text.to_owned(),
            Self::Plugin | Self::PluginCompletion => text.replace("kselect ", "kubectl select "),
        }
    }

    /// The command with usage and examples as the user has to type them.
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
        // The scripts are for a program of the name kselect; kubectl has its own.
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
