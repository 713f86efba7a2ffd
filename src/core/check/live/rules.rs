//! The rules about live objects, and the parts of the first screen that they are in.

use std::sync::LazyLock;

use crate::check::finding::Severity;
use crate::check::rule::{Find, Rule, rule};
use text::table;

/// The rules, in the order of the first screen.
pub static LIVE: LazyLock<Vec<Rule>> = LazyLock::new(|| lines().filter_map(read).collect());

/// The part of the first screen that each rule is in.
static PARTS: LazyLock<Vec<(usize, &str)>> = LazyLock::new(|| {
    let mut part = (0, "");
    let of_rule = |line: &'static str| {
        if !line.starts_with(' ') {
            part = (part.0 + 1, line);
            return None;
        }
        Some(part)
    };
    lines().filter_map(of_rule).collect()
});

fn lines() -> impl Iterator<Item = &'static str> {
    table::lines(include_str!("rules.txt"))
}

fn read(line: &'static str) -> Option<Rule> {
    let [id, severity] = table::columns(line.strip_prefix("  ")?);
    Some(rule(id, if severity == "error" { Severity::Error } else { Severity::Warning }, Find::Nowhere))
}

/// Whether this is the id of one of these rules.
pub fn is_live(id: &str) -> bool {
    LIVE.iter().any(|rule| rule.id == id)
}

/// The number of a rule; that of the first one for an unknown id.
pub(super) fn number(id: &str) -> usize {
    LIVE.iter().position(|rule| rule.id == id).unwrap_or_default()
}

/// The part of the first screen that a rule is in: its number and its heading.
pub(super) fn part(rule: usize) -> (usize, &'static str) {
    PARTS.get(rule).copied().unwrap_or_default()
}
