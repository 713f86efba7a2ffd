//! Findings as text and in formats for programs, one file per format.

mod github;
mod json;
mod junit;
mod sarif;

use std::io::{self, Write};

pub use github::github;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;

use super::{Finding, Severity, live};
use crate::output::color;
use crate::text::excerpt::Excerpt;
use crate::text::go;

/// Writes one line per finding: `FILE:LINE: severity [id] kind/name: message`, coloured if `colors`, and the text that
/// `shown` makes of an excerpt.
///
/// # Errors
///
/// Those of the writer.
pub fn text(
    findings: &[Finding],
    colors: bool,
    shown: impl Fn(&Excerpt) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = |style| colors.then_some(style);
    for finding in findings {
        let Finding { id, severity, kind, message, .. } = finding;
        let place = finding.place.clone().without_document().to_string();
        let severity_style = match severity {
            Severity::Error => color::ERROR,
            Severity::Warning => color::WARNING,
            Severity::Advice => color::HINT,
        };
        // The objects of a cluster are in many namespaces.
        let is_in_namespace = live::is_live(id) && !finding.namespace.is_empty();
        let namespace =
            if is_in_namespace { format!("{}/", go::printable(&finding.namespace)) } else { String::new() };
        let object = format!("{namespace}{}/{}", go::printable(kind), go::printable(&finding.name));
        writeln!(
            out,
            "{}: {} [{id}] {}: {message}",
            color::painted(&place, style(color::PLACE)),
            color::painted(&severity.to_string(), style(severity_style)),
            color::painted(&object, style(color::HEADER)),
        )?;
        if let Some(excerpt) = &finding.excerpt {
            writeln!(out, "{}", shown(excerpt))?;
        }
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
