//! `kselect completion`: its argument and examples.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  # In ~/.bashrc
  source <(kselect completion bash)

  # In ~/.zshrc, after compinit
  source <(kselect completion zsh)

  # For fish
  kselect completion fish > ~/.config/fish/completions/kselect.fish

  # In $PROFILE of PowerShell
  kselect completion powershell | Out-String | Invoke-Expression

  # In ~/.config/elvish/rc.elv
  eval (kselect completion elvish | slurp)";

/// Print a completion script for a shell
///
/// The script completes commands and flags, and types, names, namespaces, labels and fields of objects in the files
/// named with -f.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The shells with a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
    /// PowerShell
    Powershell,
    /// Elvish
    Elvish,
}
