//! The environment of the program in tests, the same on every machine and every day.

use std::process::Command;

/// The time that ages are relative to, unless a test sets another.
pub const NOW: &str = "2026-06-04T12:00:00Z";

/// Variables that affect the output.
const TELLING: &[&str] = &["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LANG", "LANGUAGE", "TZ"];

/// Sets the time for `command`, and removes other variables that affect the output.
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

/// The program in this environment.
pub fn kselect() -> Command {
    fixed(Command::new(env!("CARGO_BIN_EXE_kselect")))
}

/// A shell in this environment.
pub fn shell() -> Command {
    fixed(Command::new("sh"))
}

fn fixed(mut command: Command) -> Command {
    fix(&mut command);
    command
}
