//! Findings as text and in the formats of programs, a file for each.

mod github;
mod json;
mod junit;
mod sarif;

use std::io::{self, Write};

pub use github::github;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;

use super::Finding;
use crate::manifest::error::Place;
use crate::text::go;

/// Writes a line for each finding: `FILE:LINE: severity [id] kind/name: message`.
///
/// # Errors
///
/// The writer's.
pub fn text(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let Finding { id, severity, kind, message, .. } = finding;
        let place = Place { document: None, ..finding.place.clone() };
        let (kind, name) = (go::printable(kind), go::printable(&finding.name));
        writeln!(out, "{place}: {severity} [{id}] {kind}/{name}: {message}")?;
    }
    Ok(())
}

/// The line of a finding, 1-based.
fn line(finding: &Finding) -> usize {
    finding.place.line.unwrap_or(1)
}

/// `service/web: no pod ...`
fn subject_and_message(finding: &Finding) -> String {
    let Finding { kind, name, message, .. } = finding;
    if kind.is_empty() { message.clone() } else { format!("{kind}/{name}: {message}") }
}
