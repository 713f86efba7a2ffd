//! Findings as SARIF 2.1.0, for code hosts.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::json;

use super::parts::{shown_at, subject_and_message};
use crate::check::live::is_live;
use crate::check::{Finding, Rule, Severity};
use selector::escapes;
use text::platform::Platform;
use text::terminal;

/// Writes the findings, and the rules that were applied, as a SARIF log of one run (SARIF 2.1.0, section 3.13).
///
/// # Errors
///
/// Those of the writer.
pub fn sarif<'r>(
    findings: &[Finding],
    rules: impl Iterator<Item = &'r Rule>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = rules.map(|rule| {
        let mut descriptor = json!({
            "id": rule.id,
            "shortDescription": { "text": rule.help() },
            "help": { "text": rule.section().replace('\n', "\n\n") },
            "defaultConfiguration": { "level": level(rule.severity) },
        });
        if let Some(uri) = help_uri(rule) {
            descriptor["helpUri"] = uri.into();
        }
        descriptor
    });
    let rules: Vec<_> = rules.collect();
    let mut met: HashMap<u64, usize> = HashMap::new();
    let results = findings.iter().map(|finding| {
        let hash = finding.fingerprint();
        let occurrence = met.entry(hash).or_default();
        *occurrence += 1;
        let (path, line) = shown_at(finding);
        json!({
            "ruleId": finding.id,
            "level": level(finding.severity),
            "message": { "text": subject_and_message(finding) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": uri(path, Platform::HERE) },
                "region": { "startLine": line },
            } }],
            // What identifies a finding across runs, even if its line changes (section 3.27.17), under the name that GitHub reads.
            "partialFingerprints": { "primaryLocationLineHash": format!("{hash:016x}:{occurrence}") },
            // SARIF has no field for it.
            "properties": { "confidence": finding.confidence.to_string() },
        })
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "kselect", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results.collect::<Vec<_>>(),
        }],
    });
    writeln!(out, "{}", terminal::json(&serde_json::to_string_pretty(&log)?))
}

/// The address of a rule's documentation; `None` as long as the package has no repository.
fn help_uri(rule: &Rule) -> Option<String> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let heading = match rule.row() {
        None => rule.id,
        Some(_) if is_live(rule.id) => "live-objects",
        Some(_) => "one-object",
    };
    (!repository.is_empty()).then(|| format!("{repository}/blob/HEAD/docs/check.md#{heading}"))
}

/// The SARIF levels.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

/// A path as a reference relative to where the program runs, or as an absolute one (RFC 8089).
fn uri(path: &str, platform: Platform) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    // On Windows only a drive has a colon.
    let has_drive = platform.has_drive(path);
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) || (has_drive && byte == b':');
    let escaped = escapes::percent(path.as_bytes(), plain);
    match path {
        _ if path.starts_with("//") => format!("file:{escaped}"),
        _ if path.starts_with('/') => format!("file://{escaped}"),
        _ if has_drive => format!("file:///{escaped}"),
        _ => escaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        use Platform::{Unix, Windows};
        for (platform, path, reference) in [
            (Unix, "./k8s/a b.yaml", "k8s/a%20b.yaml"),
            (Windows, "./k8s/a b.yaml", "k8s/a%20b.yaml"),
            (Unix, "/srv/é#.yaml", "file:///srv/%C3%A9%23.yaml"),
            (Unix, "a\\b:c.yaml", "a%5Cb%3Ac.yaml"),
            (Unix, "C:/a.yaml", "C%3A/a.yaml"),
            (Windows, "C:/srv/é#.yaml", "file:///C:/srv/%C3%A9%23.yaml"),
            (Windows, "//host/share/a.yaml", "file://host/share/a.yaml"),
        ] {
            assert_eq!(uri(path, platform), reference, "{path}");
        }
    }
}
