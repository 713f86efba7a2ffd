//! The words of findings about live objects.

use jiff::Timestamp;

use kinds::view;
use syntax::tree::Node;
use text::age;

/// The maximum length of a message of the cluster, in characters.
const MESSAGE: usize = 240;

/// How long ago a time is, as tables show it.
pub(super) fn ago(time: Timestamp, now: Timestamp) -> String {
    age::human_duration(now.duration_since(time).as_secs().max(0))
}

/// The time at a path; `None` if there is none.
pub(super) fn time(node: &Node, path: &str) -> Option<Timestamp> {
    view::text(node, path).parse().ok()
}

/// Text with something before it; empty if it is.
pub(super) fn after(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{}", short(text)) }
}

/// Parts as one text.
pub(super) fn join(parts: Vec<String>) -> String {
    let mut parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.dedup();
    parts.join("; ")
}

/// A message of the cluster on one line, cut if it is long.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// `Reason: message`, as far as they are there.
pub(super) fn reason_and_message(node: &Node) -> String {
    let (reason, message) = (view::text(node, "reason"), view::text(node, "message"));
    match (reason, message) {
        ("", message) => short(message),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {}", short(message)),
    }
}
