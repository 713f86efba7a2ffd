//! Findings as workflow commands of GitHub, which shows them beside the lines of a pull request.

use std::io::{self, Write};

use super::{line, subject_and_message};
use crate::check::{Finding, Severity};
use crate::text::go;

/// Writes a line for each finding: `::error file=FILE,line=LINE,title=ID::kind/name: message`.
///
/// # Errors
///
/// The writer's.
pub fn github(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Advice => "notice",
        };
        let file = &*finding.place.source;
        let file = property(file.strip_prefix("./").unwrap_or(file));
        let (line, id) = (line(finding), finding.id);
        let message = data(&go::printable(&subject_and_message(finding)));
        writeln!(out, "::{command} file={file},line={line},title={id}::{message}")?;
    }
    Ok(())
}

/// A text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
