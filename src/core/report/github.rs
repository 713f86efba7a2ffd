//! Findings as GitHub workflow commands, which are shown as annotations on a pull request.

use std::io::{self, Write};

use super::parts::{shown_at, subject_and_message};
use crate::check::{Finding, Severity};
use text::go;

/// Writes one line per finding: `::error file=FILE,line=LINE,title=ID::kind/name: message`.
///
/// # Errors
///
/// Those of the writer.
pub fn github(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Advice => "notice",
        };
        let ((file, line), id) = (shown_at(finding), finding.id);
        let file = property(file.strip_prefix("./").unwrap_or(file));
        let message = data(&go::printable(&subject_and_message(finding)));
        writeln!(out, "::{command} file={file},line={line},title={id}::{message}")?;
    }
    Ok(())
}

/// A text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, in which commas and colons are escaped.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
