//! `--baseline` and `--write-baseline`: the file with known findings.

use std::path::Path;
use std::{fs, io};

use super::super::diagnostic::CommandError;
use super::super::report::{Outcome, Report};
use edit::write::FileTarget;
use kselect_core::check::Finding;
use kselect_core::check::baseline::{self, Baseline};
use manifest::source::Source;
use text::plural::counted;

/// Reads the baseline of `--baseline`.
pub fn read(path: &Path) -> Result<Baseline, CommandError> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| {
        let hint = "write it with --write-baseline FILE";
        let problem = match error.kind() {
            io::ErrorKind::NotFound => "no such file".to_owned(),
            kind => kind.to_string(),
        };
        CommandError::failure(format_args!("--baseline: cannot read {shown}: {problem}")).hint(hint)
    })?;
    Baseline::read(&text).map_err(|error| {
        let hint = "write it again with --write-baseline FILE";
        let line = error.line();
        CommandError::failure(format_args!("--baseline: {shown}:{line}: not a baseline")).hint(hint)
    })
}

/// Rejects a path for a baseline that is one of the inputs, unless that file is a baseline.
pub fn check_target(path: &Path, sources: &[Source]) -> Result<(), CommandError> {
    let Ok(target) = FileTarget::of(path) else { return Ok(()) };
    let standard_input = Path::new("/dev/stdin");
    let is_target = |source: &Source| {
        let path = if source.is_stdin() { Some(standard_input) } else { source.path() };
        path.and_then(|path| FileTarget::of(path).ok()).is_some_and(|source| target.is_same(&source))
    };
    let is_input = sources.iter().any(is_target);
    if is_input && !fs::read(path).is_ok_and(|text| Baseline::read(&text).is_ok()) {
        let name = path.display();
        return Err(CommandError::failure(format_args!("--write-baseline: {name} is one of the inputs")));
    }
    Ok(())
}

/// Writes the baseline of `--write-baseline`, all of it or nothing.
fn write(path: &Path, findings: &[Finding], up: &str) -> anyhow::Result<()> {
    let text = baseline::write(findings, up)?;
    edit::write::write(path, text.as_bytes()).map_err(|error| {
        let (path, why) = (path.display(), text::reason::reason(&error));
        CommandError::failure(format_args!("--write-baseline: cannot write {path}: {why}"))
    })?;
    Ok(())
}

/// Records the findings in the baseline of `--write-baseline`, if all of the input could be read.
///
/// # Errors
///
/// The file cannot be written.
pub fn record(path: &Path, findings: &[Finding], up: &str, report: &Report) -> anyhow::Result<Outcome> {
    if report.has_failed() {
        report.note("no baseline was written because not all of the input could be read");
        return Ok(Outcome::Failed);
    }
    write(path, findings, up)?;
    let (count, path) = (counted(findings.len(), "finding"), path.display());
    report.note(format_args!("wrote {count} to {path}"));
    Ok(Outcome::Done)
}

/// Notes how many findings of a baseline are gone.
pub fn note_gone(baseline: &Baseline, report: &Report) {
    let left = baseline.left();
    if left > 0 {
        let (counted, are) = (counted(left, "finding"), if left == 1 { "is" } else { "are" });
        report.note(format_args!("{counted} of the baseline {are} gone; write it again"));
    }
}
