//! The surroundings that a test gives the program: the same on every machine and every day.

use std::process::Command;

/// The moment to which ages count, unless a test says otherwise.
pub const NOW: &str = "2026-06-04T12:00:00Z";

/// Variables that change what is printed.
const TELLING: &[&str] = &["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANG", "LANGUAGE", "TZ"];

/// Fixes the clock of `command`, and clears what else the surroundings say of the output.
pub fn fix(command: &mut Command) {
    command.env("KSELECT_NOW", NOW);
    let locale = std::env::vars_os().map(|(name, _)| name);
    for name in locale.filter(|name| name.to_string_lossy().starts_with("LC_")) {
        command.env_remove(name);
    }
    for name in TELLING {
        command.env_remove(name);
    }
}

/// The program, in these surroundings.
pub fn kselect() -> Command {
    fixed(Command::new(env!("CARGO_BIN_EXE_kselect")))
}

/// A shell, in these surroundings.
pub fn shell() -> Command {
    fixed(Command::new("sh"))
}

fn fixed(mut command: Command) -> Command {
    fix(&mut command);
    command
}
