//! A rule: its id, its description, and what it looks at.

use super::finding::{Findings, Severity};
use super::input::Input;
use super::reading::Reading;

/// A rule.
pub struct Rule {
    /// Its id, which never changes.
    pub id: &'static str,
    /// The highest severity of its findings.
    pub severity: Severity,
    /// Its description, a sentence.
    pub help: &'static str,
    pub(super) find: Find,
}

/// What a rule looks at.
pub(super) enum Find {
    /// One object.
    One(fn(&Reading<'_>, &mut Findings<'_>)),
    /// All objects.
    All(fn(&Input<'_>, &mut Findings<'_>)),
    /// Nothing: its findings are made elsewhere.
    Nowhere,
}

pub(super) const fn rule(id: &'static str, severity: Severity, find: Find, help: &'static str) -> Rule {
    Rule { id, severity, help, find }
}

impl Rule {
    /// Its section of `docs/check.md`, without the heading: what it finds, why it matters, how to fix it, and what it does not report.
    pub fn section(&self) -> &'static str {
        let mut sections = DOCUMENTATION.split("\n## ").skip(1);
        let of_rule = sections.find_map(|section| section.strip_prefix(self.id)?.strip_prefix("\n\n"));
        of_rule.map_or(self.help, str::trim_end)
    }
}

/// The page about the rules, a section for each.
pub(super) const DOCUMENTATION: &str = include_str!("../../../docs/check.md");
