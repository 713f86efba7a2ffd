//! Findings, and how a rule reports them.

use std::fmt;

use super::subject::CheckedObject;
use syntax::error::Place;
use syntax::gvk;
use text::excerpt::{self, Excerpt};
use text::go;

/// The severity of a finding, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The API server rejects it, or it cannot work.
    Error,
    /// Probably a mistake.
    Warning,
    /// It could be better.
    Advice,
}

/// As in findings: `error`, `warning`, `advice`.
impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Advice => "advice",
        })
    }
}

/// A finding about an object.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's id.
    pub id: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// Its position.
    pub place: Place,
    /// The object's kind as in `kind/name`: `deployment.apps`; empty if there is no object.
    pub kind: String,
    /// The object's namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The object's name; empty if it has none.
    pub name: String,
    /// The message, a single line.
    pub message: String,
    /// The text with the error; `None` if the message says enough.
    pub excerpt: Option<Box<Excerpt>>,
}

/// Collects the findings of one rule.
pub(super) struct Findings<'a> {
    id: &'static str,
    /// The severity that the rule's findings have unless they say otherwise.
    pub severity: Severity,
    found: &'a mut Vec<Finding>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(id: &'static str, severity: Severity, found: &'a mut Vec<Finding>) -> Self {
        Self { id, severity, found }
    }

    /// Adds a finding at a line of the subject, unless the subject is not selected or has the rule disabled.
    pub(super) fn add(&mut self, subject: &CheckedObject, line: usize, message: impl fmt::Display) {
        self.add_as(self.severity, subject, line, message);
    }

    /// As [`Findings::add`], with a severity of its own.
    pub(super) fn add_as(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: impl fmt::Display,
    ) {
        self.push(severity, subject, line, &message, None);
    }

    /// As [`Findings::add_as`], with the text that has the error.
    pub(super) fn add_with(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: impl fmt::Display,
        excerpt: Option<Box<Excerpt>>,
    ) {
        self.push(severity, subject, line, &message, excerpt);
    }

    fn push(
        &mut self,
        severity: Severity,
        subject: &CheckedObject,
        line: usize,
        message: &dyn fmt::Display,
        excerpt: Option<Box<Excerpt>>,
    ) {
        if !subject.selected || subject.disabled.iter().any(|one| one.id == self.id) {
            return;
        }
        self.found.push(Finding {
            id: self.id,
            severity,
            place: subject.place(line),
            kind: gvk::lower_kind(&subject.of.kind, &subject.of.group),
            namespace: subject.namespace.to_string(),
            name: subject.name.to_string(),
            message: go::printable(&excerpt::message(&message.to_string())).into_owned(),
            excerpt,
        });
    }
}
