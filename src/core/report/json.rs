//! Findings as JSON, described by docs/check.schema.json.

use std::io::{self, Write};

use serde::Serialize;

use super::parts::line;
use crate::check::Finding;
use text::terminal;

/// A finding as an element of the JSON array.
#[derive(Serialize)]
struct JsonFinding<'a> {
    id: &'a str,
    confidence: String,
    severity: String,
    file: &'a str,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    message: String,
}

/// Writes the findings as one JSON array of objects.
///
/// # Errors
///
/// Those of the writer.
pub fn json(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let findings: Vec<JsonFinding<'_>> = findings.iter().map(JsonFinding::of).collect();
    writeln!(out, "{}", terminal::json(&serde_json::to_string_pretty(&findings)?))
}

impl<'a> JsonFinding<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            id: finding.id,
            confidence: finding.confidence.to_string(),
            severity: finding.severity.to_string(),
            file: &finding.place.source,
            line: line(finding),
            origin: finding.origin.as_deref(),
            kind: &finding.kind,
            namespace: &finding.namespace,
            name: (!finding.kind.is_empty()).then_some(&finding.name),
            message: finding.sentence(),
        }
    }
}
