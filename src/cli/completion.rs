//! `kselect completion`: its argument and examples.

use clap::{Args, ValueEnum};

pub(super) const COMPLETION_EXAMPLES: &str = "\
Examples:
  source <(kselect completion bash)                      # in ~/.bashrc
  source <(kselect completion zsh)                       # in ~/.zshrc, after compinit
  kselect completion fish > ~/.config/fish/completions/kselect.fish
  kselect completion powershell | Out-String | Invoke-Expression   # in $PROFILE
  eval (kselect completion elvish | slurp)               # in ~/.config/elvish/rc.elv";

/// The arguments of `completion`.
#[derive(Args, Debug)]
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
