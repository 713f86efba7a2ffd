//! What is wrong with manifests that the API server would accept, and with some that it would not: selectors
//! that dangle, mismatch or overlap, labels, names, owners, duplicates.
//!
//! Each rule is a row of [`RULES`]. A rule sees all objects of the input at once (`input.rs`), because most
//! of what is wrong is wrong between two of them. What it finds is about one object, at a line of it.
//!
//! A rule can only know the input. So where it looks for what should be there, as the pods of a Service, it
//! stays silent unless the input has objects of that sort in that place, and where a kustomization or an operator
//! is still to have its say.

mod dangling;
mod disabled;
mod input;
mod labels;
mod names;
mod nodes;
mod overlaps;
mod owners;
mod references;
pub mod report;
mod selectors;
mod subject;
mod versions;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

use crate::catalog::Catalog;
use crate::excerpt;
use crate::kinds::lifecycle::Release;
use crate::manifest::error::Place;
use crate::manifest::list::Object;
use crate::manifest::source::Source;
use crate::scan::copies::{Copies, Identity, Met};
use crate::scan::{Item, Scan, SkippedCounts, ToolFiles};
use crate::selection::{Selection, SelectionError, Slot};
use crate::selector::labels::Selector;
use crate::selector::{Requirement, validation};

use input::Input;
use subject::Subject;

/// How bad a finding is; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The API server refuses it, or it cannot work.
    Error,
    /// It is hardly meant so.
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

/// Something that is looked for.
pub struct Rule {
    /// Its name, which never changes.
    pub id: &'static str,
    /// How bad its findings are, at worst.
    pub severity: Severity,
    /// What is found, as a sentence.
    pub help: &'static str,
    find: fn(&Input<'_>, &mut Findings<'_>),
}

const fn rule(
    id: &'static str,
    severity: Severity,
    find: fn(&Input<'_>, &mut Findings<'_>),
    help: &'static str,
) -> Rule {
    Rule { id, severity, help, find }
}

use Severity::{Advice, Warning};

/// All rules, in the order in which they are listed.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("dangling-service", Warning, dangling::services,
        "A Service selects no pod, though there are pods in its namespace."),
    rule("dangling-budget", Warning, dangling::budgets,
        "A PodDisruptionBudget selects no pod, though there are pods in its namespace."),
    rule("dangling-policy", Warning, dangling::policies,
        "A NetworkPolicy applies to no pod, though there are pods in its namespace."),
    rule("dangling-monitor", Warning, dangling::monitors,
        "A ServiceMonitor or PodMonitor selects nothing, though there are Services or pods where it looks."),
    rule("dangling-autoscaler", Warning, dangling::autoscalers,
        "A HorizontalPodAutoscaler names a workload that is missing, though there are such in its namespace."),
    rule("dangling-reference", Warning, references::dangling,
        "An object names another one that is missing, though there are others of its kind in that place."),
    rule("template-mismatch", Severity::Error, selectors::mismatches,
        "A workload's selector does not match the labels of its own pod template."),
    rule("invalid-selector", Severity::Error, selectors::invalid,
        "A selector is malformed, so that it selects nothing or is refused."),
    rule("impossible-selector", Severity::Error, selectors::impossible,
        "A selector asks for what no labels can satisfy."),
    rule("overlapping-controllers", Severity::Error, overlaps::controllers,
        "A workload's selector matches the pods of another one; a warning in another file, advice in another directory."),
    rule("overlapping-budgets", Warning, overlaps::budgets,
        "Two PodDisruptionBudgets cover one pod, which then cannot be evicted."),
    rule("unfit-nodes", Warning, nodes::unfit,
        "No node of the input satisfies a pod's nodeSelector and required node affinity."),
    rule("invalid-label", Severity::Error, labels::invalid,
        "A label, of an object or a pod template, or an annotation's key is not allowed."),
    rule("reserved-label", Warning, labels::reserved,
        "A label's prefix is reserved to Kubernetes, which does not know the label."),
    rule("missing-labels", Advice, labels::recommended,
        "A workload or Service lacks recommended labels app.kubernetes.io/*."),
    rule("invalid-name", Severity::Error, names::refused,
        "A name or namespace is missing or not allowed."),
    rule("repeated-key", Severity::Error, names::refused,
        "A map has a key more than once, of which the last one counts."),
    rule("invalid-object", Severity::Error, names::refused,
        "Something else that kubectl refuses: a missing apiVersion, a label that is no string, odd YAML."),
    rule("unknown-field", Severity::Error, names::refused,
        "A field that the kind does not have, so that the API server drops it or refuses the object."),
    rule("wrong-type", Severity::Error, names::refused,
        "A value of another type than its field has."),
    rule("missing-field", Severity::Error, names::refused,
        "A field that must be set is missing."),
    rule("removed-api", Severity::Error, versions::removed,
        "The release of --kubernetes does not serve the kind in this version any more."),
    rule("deprecated-api", Warning, versions::deprecated,
        "The release of --kubernetes warns of this version of the kind."),
    rule("duplicate-object", Severity::Error, names::duplicates,
        "Two objects have one kind, namespace and name; a warning in another file, advice in another directory."),
    rule("missing-owner", Warning, owners::missing,
        "An owner reference is to an object that is missing, though there are others of its kind there."),
    rule("foreign-owner", Severity::Error, owners::foreign,
        "An owner reference is to an object of another namespace, so that garbage collection deletes its owner."),
    rule("unqualified-finalizer", Warning, owners::finalizers,
        "A finalizer of a custom name has no domain and path before it."),
    rule("unknown-rule", Warning, disabled::unknown,
        "An annotation or a comment turns off a rule that there is not."),
];

/// What cannot be read at all is told of by the formats for programs only, as findings of this name: people read
/// the error.
pub const UNREADABLE: Rule = rule(
    "unreadable",
    Severity::Error,
    |_, _| (),
    "A document or file cannot be read, and was not looked at.",
);

/// The rule of this id; nothing when there is none.
pub fn rule_of(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// What a rule found about an object.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's id.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where it stands.
    pub place: Place,
    /// The object's kind, as in `kind/name`: `deployment.apps`; empty where there is no object.
    pub kind: String,
    /// The object's namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The object's name; empty when it has none.
    pub name: String,
    /// What is wrong, a fragment on one line.
    pub message: String,
}

/// All that was found in the input, and what could not be looked at.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The findings, sorted by place.
    pub findings: Vec<Finding>,
    /// The slots that the selected objects have.
    pub slots: BTreeSet<Slot>,
    /// What could not be read.
    pub errors: Vec<SelectionError>,
    /// Documents that are not Kubernetes objects.
    pub skipped: SkippedCounts,
}

impl Outcome {
    /// The findings, and behind them what could not be read as findings of [`UNREADABLE`].
    pub fn findings_and_errors(&self) -> Vec<Finding> {
        let unreadable = self.errors.iter().filter_map(|error| match error {
            SelectionError::Unreadable(error) => Some(Finding {
                id: UNREADABLE.id,
                severity: UNREADABLE.severity,
                place: error.place.clone(),
                kind: String::new(),
                namespace: String::new(),
                name: String::new(),
                message: error.kind.to_string(),
            }),
            // Neither fields nor expressions are asked for here.
            SelectionError::Unsupported(_) | SelectionError::Expression(_) => None,
        });
        self.findings.iter().cloned().chain(unreadable).collect()
    }
}

/// Checks all objects of `sources` by `rules`, for a release of Kubernetes, and returns what was found about those
/// that `selection` admits.
pub fn check<'r>(
    sources: &[Source],
    selection: &Selection,
    catalog: &Catalog,
    release: Release,
    rules: impl Iterator<Item = &'r Rule>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut subjects: Vec<Subject> = Vec::new();
    let mut copies = Copies::default();
    let visit = |item: Item<'_, '_>, batch: &mut Batch| match item {
        Item::Object(object) => match subject(object, selection, catalog, &mut batch.slots) {
            Ok(subject) => batch.subjects.push((Identity::of(object), subject)),
            Err(error) => batch.errors.push(error),
        },
        Item::Skipped(sort) => batch.skipped.add(sort),
        Item::Error(error) => batch.errors.push(error.into()),
    };
    Scan::of(sources).tool_files(ToolFiles::Skipped).items(visit, |mut run| {
        let batch = &mut run.found;
        for (identity, subject) in batch.subjects.drain(..) {
            match copies.meet(identity, subjects.len()) {
                Met::First => subjects.push(subject),
                Met::Newer(place) => subjects[place] = subject,
                Met::Copy => (),
            }
        }
        outcome.slots.append(&mut batch.slots);
        outcome.errors.append(&mut batch.errors);
        outcome.skipped.extend(&batch.skipped);
        ControlFlow::Continue(())
    });
    let input = Input::new(&subjects, sources, catalog, release);
    for rule in rules {
        (rule.find)(&input, &mut Findings { rule, found: &mut outcome.findings });
    }
    // The order of the input and of its lines; findings of one line in the order of the rules.
    let order = input.order_of_sources();
    let place = |finding: &Finding| (order.get(&finding.place.source).copied(), finding.place.line);
    outcome.findings.sort_by_cached_key(place);
    outcome
}

/// What was read of a run of documents.
#[derive(Default)]
struct Batch {
    subjects: Vec<(Option<Identity>, Subject)>,
    slots: BTreeSet<Slot>,
    errors: Vec<SelectionError>,
    skipped: SkippedCounts,
}

fn subject(
    object: &Object<'_>,
    selection: &Selection,
    catalog: &Catalog,
    all_slots: &mut BTreeSet<Slot>,
) -> Result<Subject, SelectionError> {
    let mut slots = Vec::new();
    selection.slots(object, catalog, &mut slots)?;
    all_slots.extend(&slots);
    let namespace = selection.namespace_of(object.head, catalog);
    Ok(Subject::read(object, namespace, !slots.is_empty(), catalog)?)
}

/// A selector as findings show it, without the end of a long one.
fn shown(selector: &Selector) -> String {
    let requirements: Vec<String> = selector.requirements().iter().map(shown_requirement).collect();
    excerpt::cut(&requirements.join(",")).into_owned()
}

/// A requirement as findings show it: without what does not have the form of a label, which may be anything.
fn shown_requirement(requirement: &Requirement) -> String {
    let is_label = validation::label_key(requirement.key()).is_empty()
        && requirement.values().iter().all(|value| validation::label_value(value).is_empty());
    if is_label { requirement.to_string() } else { format!("{} ...", excerpt::identifier(requirement.key())) }
}

/// Takes what one rule finds.
struct Findings<'a> {
    rule: &'a Rule,
    found: &'a mut Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding at a line of the subject, unless the subject is not selected or does not want it.
    fn add(&mut self, subject: &Subject, line: usize, message: impl fmt::Display) {
        self.add_as(self.rule.severity, subject, line, message);
    }

    /// As [`Findings::add`], with a severity of its own.
    fn add_as(&mut self, severity: Severity, subject: &Subject, line: usize, message: impl fmt::Display) {
        if !subject.selected || subject.disabled.iter().any(|one| one.id == self.rule.id) {
            return;
        }
        self.found.push(Finding {
            id: self.rule.id,
            severity,
            place: Place { line: Some(line), ..subject.place.clone() },
            kind: crate::gvk::lower_kind(&subject.kind, &subject.group),
            namespace: subject.namespace.clone(),
            name: subject.name.clone(),
            message: crate::go::printable(&excerpt::message(&message.to_string())).into_owned(),
        });
    }
}
