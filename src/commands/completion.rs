//! `kselect completion`: prints the scripts in `completions/`.

use std::io::{self, Write};

use super::report::Outcome;
use crate::cli::{CompletionArgs, Shell};

/// Runs `completion`.
pub fn run(args: &CompletionArgs, out: &mut dyn Write) -> io::Result<Outcome> {
    out.write_all(script(args.shell).as_bytes())?;
    Ok(Outcome::Done)
}

fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../../completions/kselect.bash"),
        Shell::Zsh => include_str!("../../completions/_kselect"),
        Shell::Fish => include_str!("../../completions/kselect.fish"),
        Shell::Powershell => include_str!("../../completions/_kselect.ps1"),
        Shell::Elvish => include_str!("../../completions/kselect.elv"),
    }
}
