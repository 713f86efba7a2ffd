//! Findings, and how a rule reports them.

use std::fmt;

use super::disabled::Disabler;
use super::subject::CheckedObject;
use syntax::error::Place;
use syntax::gvk;
use text::excerpt::{self, Excerpt};
use text::go;

/// How certain a finding is, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The API server refuses it, drops it or no longer serves it; it cannot be read; or it contradicts itself. Advice about style
    /// is certain, too.
    Certain,
    /// It does not hang together with its unit, and there is evidence that what is missing belongs there.
    Likely,
    /// It does not hang together with its unit, and there is no evidence: a chart, an operator, a patch or another unit may
    /// bring what is missing.
    Possible,
}

impl Confidence {
    /// The severity of such findings.
    pub fn severity(self) -> Severity {
        match self {
            Self::Certain => Severity::Error,
            Self::Likely => Severity::Warning,
            Self::Possible => Severity::Advice,
        }
    }
}

/// The word in findings: `certain`, `likely`, `possible`.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Possible => "possible",
        })
    }
}

/// The severity of a finding, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The API server rejects it, or it cannot work.
    Error,
    /// Probably a mistake.
    Warning,
    /// It could be better, or may be a mistake.
    Advice,
}

/// The word in findings: `error`, `warning`, `advice`.
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
    /// How certain it is.
    pub confidence: Confidence,
    /// Its severity.
    pub severity: Severity,
    /// Its position.
    pub place: Place,
    /// The file that kustomize says its object was built from: a path, or one in a repository with its address. `None` if it
    /// says nothing.
    pub origin: Option<String>,
    /// The line of the object in that file, if it was built from a file of this machine and is found there.
    pub origin_line: Option<usize>,
    /// The object's kind as in `kind/name`: `deployment.apps`; empty if there is no object.
    pub kind: String,
    /// The object's namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The object's name; empty if it has none.
    pub name: String,
    /// What is wrong, a single line. It has no line numbers, so that it identifies the finding.
    pub message: String,
    /// The place of something else that it is about: `a.yaml:12`, `line 8`. `None` if there is none.
    pub other: Option<String>,
    /// How to fix it, or what was probably meant; `None` if the message says enough.
    pub hint: Option<String>,
    /// The line of the finding about its object from which this one follows; `None` if it stands for itself.
    pub follows: Option<usize>,
    /// What its object disables the rule with; `None` if it does not.
    pub disabled: Option<Disabler>,
    /// The text with the error; `None` if the message says enough.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Finding {
    /// The message with the other place, the hint and the origin.
    pub fn sentence(&self) -> String {
        let other = self.other.as_ref().map(|other| format!(" ({other})")).unwrap_or_default();
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let origin = self.origin.as_ref().map(|origin| format!("; built from {origin}")).unwrap_or_default();
        format!("{}{other}{hint}{origin}", self.message)
    }
}

/// The id of a rule, and the highest confidence and severity of its findings.
#[derive(Clone, Copy)]
pub(super) struct Most {
    pub id: &'static str,
    pub confidence: Confidence,
    pub severity: Severity,
}

/// What a rule reports: a message, and how far it differs from what is usual for the rule.
pub(super) struct Claim {
    confidence: Confidence,
    severity: Severity,
    message: String,
    other: Option<String>,
    hint: Option<String>,
    follows: Option<usize>,
    excerpt: Option<Box<Excerpt>>,
}

impl Claim {
    pub(super) fn new(message: impl fmt::Display) -> Self {
        Self {
            confidence: Confidence::Certain,
            severity: Severity::Error,
            message: message.to_string(),
            other: None,
            hint: None,
            follows: None,
            excerpt: None,
        }
    }

    /// Makes the finding at most so certain.
    pub(super) fn with_confidence(self, confidence: Confidence) -> Self {
        Self { confidence, ..self }
    }

    /// Makes the finding at most so severe, however certain it is.
    pub(super) fn at_most(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    pub(super) fn other(self, place: String) -> Self {
        Self { other: Some(place), ..self }
    }

    pub(super) fn hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Makes it a consequence of the finding at this line.
    pub(super) fn follows(self, line: Option<usize>) -> Self {
        Self { follows: line, ..self }
    }

    pub(super) fn excerpt(self, excerpt: Option<Box<Excerpt>>) -> Self {
        Self { excerpt, ..self }
    }

    /// The finding of a rule, about no object yet: the one place that decides how certain and how severe it is.
    pub(super) fn finding(self, rule: Most, place: Place) -> Finding {
        let Self { confidence, severity, message, other, hint, follows, excerpt } = self;
        let confidence = confidence.max(rule.confidence);
        let line = |text: &str| go::printable(&excerpt::message(text)).into_owned();
        Finding {
            id: rule.id,
            confidence,
            severity: rule.severity.max(severity).max(confidence.severity()),
            place,
            origin: None,
            origin_line: None,
            kind: String::new(),
            namespace: String::new(),
            name: String::new(),
            message: line(&message),
            other: other.map(|other| line(&other)),
            hint: hint.map(|hint| line(&hint)),
            follows,
            disabled: None,
            excerpt,
        }
    }
}

impl<T: fmt::Display> From<T> for Claim {
    fn from(message: T) -> Self {
        Self::new(message)
    }
}

/// The findings of some rules.
#[derive(Default)]
pub(super) struct Found {
    pub findings: Vec<Finding>,
    /// How many pieces of advice were counted and not kept.
    pub advice: usize,
    keeps_advice: bool,
}

impl Found {
    pub(super) fn new(keeps_advice: bool) -> Self {
        Self { keeps_advice, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.advice == 0
    }

    /// Adds a finding about an object that is selected.
    pub(super) fn add(&mut self, subject: &CheckedObject, finding: Finding) {
        let rare = subject.rare.as_ref();
        let disabled = rare.and_then(|rare| rare.disabled.iter().find(|one| one.id == finding.id));
        let finding = Finding { disabled: disabled.map(|one| one.by), ..finding };
        if self.counts_only(&finding) {
            return;
        }
        self.findings.push(Finding {
            kind: gvk::lower_kind(&subject.of.kind, &subject.of.group),
            namespace: subject.namespace.to_string(),
            name: subject.name.to_string(),
            origin: rare
                .and_then(|rare| rare.origin.as_ref())
                .map(|origin| go::printable(origin).into_owned()),
            ..finding
        });
    }

    /// Adds a finding about no object.
    pub(super) fn push(&mut self, finding: Finding) {
        if !self.counts_only(&finding) {
            self.findings.push(finding);
        }
    }

    /// Counts advice that is not kept. Returns whether it is.
    fn counts_only(&mut self, finding: &Finding) -> bool {
        let counts = finding.severity == Severity::Advice && finding.disabled.is_none() && !self.keeps_advice;
        self.advice += usize::from(counts);
        counts
    }

    pub(super) fn append(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.advice += other.advice;
    }
}

/// Collects the findings of one rule.
pub(super) struct Findings<'a> {
    rule: Most,
    found: &'a mut Found,
}

impl<'a> Findings<'a> {
    pub(super) fn new(rule: Most, found: &'a mut Found) -> Self {
        Self { rule, found }
    }

    /// Adds a finding at a line of the subject, unless the subject is not selected.
    pub(super) fn add(&mut self, subject: &CheckedObject, line: usize, claim: impl Into<Claim>) {
        self.add_at(subject, subject.place(line), claim);
    }

    /// Adds one at a place, as in a patch of the subject.
    pub(super) fn add_at(&mut self, subject: &CheckedObject, place: Place, claim: impl Into<Claim>) {
        if subject.selected {
            self.found.add(subject, claim.into().finding(self.rule, place));
        }
    }
}
