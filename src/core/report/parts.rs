//! What formats have in common.

use crate::check::Finding;

/// The line of a finding, 1-based.
pub(super) fn line(finding: &Finding) -> usize {
    finding.place.line.unwrap_or(1)
}

/// `service/web: no pod ...`
pub(super) fn subject_and_message(finding: &Finding) -> String {
    let (Finding { kind, name, .. }, message) = (finding, finding.sentence());
    if kind.is_empty() { message } else { format!("{kind}/{name}: {message}") }
}
