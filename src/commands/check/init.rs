//! `--init`: a `.kselect.yaml` that proposes what the owner may want to exclude. The names of directories propose; they decide
//! nothing.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use edit::write;
use kselect_core::check::Finding;
use text::plural::counted;

use super::super::diagnostic::CommandError;
use super::super::report::Report;
use crate::config;

/// Words in the names of directories whose files may not be applied, by what these may be.
const WORDS: &[(&str, &str)] = &[
    ("kept, and no longer applied", "archive archived backup backups deprecated disabled legacy old"),
    ("examples", "demo demos docs example examples sample samples"),
    ("files of tests", "e2e fixtures test testdata tests"),
    ("exercises", "exercises"),
    ("wrong on purpose", "invalid"),
    ("templates, which someone completes", "skeleton template templates"),
    ("the source of others", "vendor"),
];

/// Writes the settings that `findings` suggest to `.kselect.yaml`, or with `dry_run` to `out`.
///
/// # Errors
///
/// There are settings already, or the file cannot be written.
pub fn init(findings: &[Finding], dry_run: bool, report: &Report, out: &mut dyn Write) -> anyhow::Result<()> {
    let text = settings(findings);
    if dry_run {
        return Ok(out.write_all(text.as_bytes())?);
    }
    let path = Path::new(config::NAME);
    if path.exists() {
        let hint = "--dry-run prints what it would write";
        let error = CommandError::failure(format_args!("--init: there is a {} already", config::NAME));
        return Err(error.hint(hint).into());
    }
    write::write(path, text.as_bytes()).map_err(|error| {
        CommandError::failure(format_args!("--init: {}: {}", config::NAME, text::reason::reason(&error)))
    })?;
    report.note(format_args!(
        "wrote {}; review it, and remove the # from entries that are right",
        config::NAME
    ));
    Ok(())
}

/// The settings: a row in comments for each directory whose name speaks of such files.
fn settings(findings: &[Finding]) -> String {
    let mut proposed: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for finding in findings {
        if let Some((directory, reason)) = directory_of(&finding.place.source) {
            proposed.entry(directory).or_insert((reason, 0)).1 += 1;
        }
    }
    let mut text =
        "# Settings of kselect for this directory; kselect help config describes them.\n".to_owned();
    if proposed.is_empty() {
        return text + "# check: found nothing to propose.\n";
    }
    text.push_str(
        "# Remove the # from entries that are never applied. Excluded documents are counted, not checked.\n",
    );
    text.push_str("# check:\n#   exclude:\n");
    for (directory, (reason, count)) in proposed {
        let directory = serde_json::Value::from(directory);
        let count = counted(count, "finding");
        text.push_str(&format!("#   # {count}\n#   - paths: [{directory}]\n#     reason: {reason}\n"));
    }
    text
}

/// The uppermost directory of a file with one of [`WORDS`] in its name, and what its files may be.
fn directory_of(source: &str) -> Option<(String, &'static str)> {
    let source = source.strip_prefix("./").unwrap_or(source);
    let mut end = 0;
    for part in source.split_inclusive('/').filter(|part| part.ends_with('/')) {
        end += part.len();
        let mut words = part.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
        let known = words
            .find_map(|word| WORDS.iter().find(|(_, known)| known.split(' ').any(|known| known == word)));
        if let Some((reason, _)) = known {
            return Some((source[..end].to_owned(), reason));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_proposed_by_words_in_their_names() {
        let of = |source| directory_of(source).map(|(directory, _)| directory);
        assert_eq!(of("./k8s/test-data/old/a.yaml").as_deref(), Some("k8s/test-data/"));
        assert_eq!((of("k8s/latest/a.yaml"), of("old.yaml"), of("STDIN")), (None, None, None));
    }
}
