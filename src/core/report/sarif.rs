//! Findings as SARIF 2.1.0, for code hosts.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use super::parts::{shown_at, subject_and_message};
use crate::check::live::is_live;
use crate::check::{Finding, Rule, Severity};
use selector::escapes;
use text::platform::Platform;
use text::terminal;

/// The log of one run (SARIF 2.1.0, section 3.13).
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
struct Run<'a> {
    tool: Tool<'a>,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    rules: Vec<Descriptor<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor<'a> {
    id: &'a str,
    short_description: Text<'a>,
    help: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    text: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    level: &'static str,
    message: Text<'a>,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
    properties: Properties,
}

/// Identifies a finding across runs, even if its line changes (SARIF 2.1.0, section 3.27.17). The name is the one that
/// GitHub reads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    primary_location_line_hash: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

/// Writes the findings, and the rules that were applied, as a SARIF log of one run.
///
/// # Errors
///
/// Those of the writer.
pub fn sarif<'r>(
    findings: &[Finding],
    rules: impl Iterator<Item = &'r Rule>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = rules.map(|rule| Descriptor {
        id: rule.id,
        short_description: Text { text: rule.help.into() },
        help: Text { text: rule.section().replace('\n', "\n\n").into() },
        help_uri: help_uri(rule),
        default_configuration: Configuration { level: level(rule.severity) },
    });
    let driver = Driver { name: "kselect", version: env!("CARGO_PKG_VERSION"), rules: rules.collect() };
    let mut met: HashMap<u64, usize> = HashMap::new();
    let mut fingerprint = |finding: &Finding| {
        let hash = finding.fingerprint();
        let occurrence = met.entry(hash).or_default();
        *occurrence += 1;
        Fingerprints { primary_location_line_hash: format!("{hash:016x}:{occurrence}") }
    };
    let results = findings.iter().map(|finding| SarifResult {
        rule_id: finding.id,
        level: level(finding.severity),
        message: Text { text: subject_and_message(finding).into() },
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri: uri(shown_at(finding).0, Platform::HERE) },
                region: Region { start_line: shown_at(finding).1 },
            },
        }],
        partial_fingerprints: fingerprint(finding),
        properties: Properties { confidence: finding.confidence.to_string() },
    });
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run { tool: Tool { driver }, results: results.collect() }],
    };
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

/// What SARIF has no field for.
#[derive(Serialize)]
struct Properties {
    confidence: String,
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
