//! What formats have in common.

use crate::check::Finding;

/// The line of a finding, 1-based.
pub(super) fn line(finding: &Finding) -> usize {
    finding.place.line.unwrap_or(1)
}

/// Where a code host shows a finding: the file and the line, or of what was built, that of the object in the file that it was
/// built from, or the first one.
pub(super) fn shown_at(finding: &Finding) -> (&str, usize) {
    let is_path = |origin: &&str| !origin.contains("://");
    match finding.origin.as_deref().filter(is_path) {
        Some(file) => (file, finding.origin_line.unwrap_or(1)),
        None => (&finding.place.source, line(finding)),
    }
}

/// `service/web: no pod ...`
pub(super) fn subject_and_message(finding: &Finding) -> String {
    let (Finding { kind, name, .. }, message) = (finding, finding.sentence());
    if kind.is_empty() { message } else { format!("{kind}/{name}: {message}") }
}
