//! `kselect completion`: its argument.

use clap::{Args, ValueEnum};

/// Print a completion script for a shell
///
/// The script completes commands and flags, and types, names, namespaces, labels and fields of objects in the files
/// named with -f.
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
