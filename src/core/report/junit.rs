//! Findings as JUnit XML, for the test reports of CI systems: one suite per file, one case per finding.

use std::borrow::Cow;
use std::io::{self, Write};

use super::parts::{line, subject_and_message};
use crate::check::{Finding, Severity};
use text::go;

/// Writes the findings as JUnit XML. Those at least as severe as `fail_on` are failures; none are if it is `None`.
/// Without findings, there is one passing case.
///
/// # Errors
///
/// Those of the writer.
pub fn junit(findings: &[Finding], fail_on: Option<Severity>, out: &mut dyn Write) -> io::Result<()> {
    let fails = |finding: &&Finding| fail_on.is_some_and(|lowest| finding.severity <= lowest);
    let count = |findings: &[Finding]| (findings.len(), findings.iter().filter(fails).count());
    let (tests, failures) = count(findings);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"kselect check\" tests=\"{}\" failures=\"{failures}\">", tests.max(1))?;
    if findings.is_empty() {
        writeln!(out, "  <testsuite name=\"kselect check\" tests=\"1\" failures=\"0\">")?;
        writeln!(out, "    <testcase classname=\"kselect\" name=\"check\"/>")?;
        writeln!(out, "  </testsuite>")?;
    }
    for suite in findings.chunk_by(|a, b| a.place.source == b.place.source) {
        let (tests, failures) = count(suite);
        let name = suite.first().map_or("", |finding| &finding.place.source);
        let name = escaped(name);
        writeln!(out, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\">")?;
        suite.iter().try_for_each(|finding| case(finding, fails(&finding), out))?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn case(finding: &Finding, fails: bool, out: &mut dyn Write) -> io::Result<()> {
    let place = finding.place.clone().without_document().to_string();
    let text = subject_and_message(finding);
    let (id, severity, line) = (finding.id, finding.severity, line(finding));
    let (place, text) = (escaped(&place), escaped(&text));
    let name = match finding.kind.is_empty() {
        true => format!("line {line}"),
        false => escaped(&format!("{}/{} (line {line})", finding.kind, finding.name)).into_owned(),
    };
    writeln!(out, "    <testcase classname=\"{id}\" name=\"{name}\">")?;
    match fails {
        true => writeln!(out, "      <failure type=\"{severity}\" message=\"{text}\">{place}</failure>")?,
        false => writeln!(out, "      <system-out>{place}: {severity}: {text}</system-out>")?,
    }
    writeln!(out, "    </testcase>")
}

/// A text escaped for XML, without the characters that XML cannot represent.
fn escaped(text: &str) -> Cow<'_, str> {
    let printable = go::printable(text);
    if !printable.contains(['&', '<', '>', '"', '\'']) {
        return printable;
    }
    let mut escaped = String::new();
    for c in printable.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}
