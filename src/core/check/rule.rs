//! A rule: its id, its description, and what it looks at.

use super::finding::{Confidence, Findings, Most, Severity};
use super::input::Input;
use super::reading::Reading;

/// A rule.
pub struct Rule {
    /// Its id, which never changes.
    pub id: &'static str,
    /// How certain its surest findings are.
    pub confidence: Confidence,
    /// The highest severity of its findings, which is less than that of its confidence if the server only warns.
    pub severity: Severity,
    pub(super) find: Find,
}

/// What a rule looks at.
pub(super) enum Find {
    /// What validation found in one object, as far as it is about the rule's concern (`refused.rs`).
    Refused,
    /// One object.
    One(fn(&Reading<'_>, &mut Findings<'_>)),
    /// All objects.
    All(fn(&Input<'_>, &mut Findings<'_>)),
    /// Nothing: its findings are about files, kustomizations or policies, which `examine.rs` adds, or about live objects (`live/`).
    Nowhere,
}

/// A rule whose findings are certain.
pub(super) const fn rule(id: &'static str, severity: Severity, find: Find) -> Rule {
    Rule { id, confidence: Confidence::Certain, severity, find }
}

/// A rule whose findings are at most likely.
pub(super) const fn likely(id: &'static str, find: Find) -> Rule {
    Rule { id, confidence: Confidence::Likely, severity: Severity::Warning, find }
}

impl Rule {
    /// Whether it is about style: it finds nothing that may be wrong, and has to be asked for.
    pub fn is_of_style(&self) -> bool {
        self.confidence == Confidence::Certain && self.severity == Severity::Advice
    }

    /// Its id with the highest confidence and severity of its findings.
    pub(super) fn most(&self) -> Most {
        Most { id: self.id, confidence: self.confidence, severity: self.severity }
    }

    /// What `docs/check.md` says about it, as plain text, a line for each paragraph: what it finds, why it matters, how to fix it, and, if
    /// there are any, its exceptions.
    pub fn section(&self) -> String {
        if let Some(row) = self.row() {
            let cells = row.split('|').map(str::trim).zip(["", "Why: ", "Fix: ", ""]);
            let paragraphs =
                cells.filter(|(cell, _)| !cell.is_empty()).map(|(cell, start)| format!("{start}{cell}"));
            return paragraphs.collect::<Vec<_>>().join("\n");
        }
        // Items of a list are paragraphs; their other lines are indented.
        self.own_section().replace("\n  ", " ").replace("\n* ", "\n").replace("**", "")
    }

    /// Its description, a sentence: the first paragraph of the page about it.
    pub fn help(&self) -> &'static str {
        match self.row() {
            Some(row) => row.split('|').next().unwrap_or_default().trim(),
            None => self.own_section().lines().next().unwrap_or_default(),
        }
    }

    /// The text of its section of the page.
    fn own_section(&self) -> &'static str {
        let mut sections = DOCUMENTATION.split("\n## ").skip(1);
        let of_rule = sections.find_map(|section| section.strip_prefix(self.id)?.strip_prefix('\n'));
        of_rule.map_or("", str::trim_end)
    }

    /// The cells of its row in a table of the page, after its id; `None` if it has a section of its own.
    pub(crate) fn row(&self) -> Option<&'static str> {
        let is_row =
            |line: &'static str| line.strip_prefix("| `")?.strip_prefix(self.id)?.strip_prefix("` |");
        DOCUMENTATION.lines().find_map(is_row)
    }
}

/// The page about the rules: a section or a row of a table for each. It is a link to that of the documentation, so that the package of
/// this crate has it.
pub(super) const DOCUMENTATION: &str = include_str!("../check.md");
