//! Selectors that are wrong whatever the rest of the input is.

use super::Findings;
use super::input::Input;
use super::subject::Subject;
use crate::manifest::tree::Node;
use crate::relation::{links, pods};
use crate::selector::Requirement;

pub(super) fn mismatches(input: &Input<'_>, findings: &mut Findings<'_>) {
    for subject in input.subjects.iter().filter(|subject| subject.owner().is_workload()) {
        let Some(template) = pods::of(&subject.group, &subject.kind, &subject.tree) else { continue };
        // A patch, in which there is only what it changes, has no labels.
        let labels = template.at("metadata.labels").filter(|labels| !labels.is_null());
        let Some(labels) = labels.or_else(|| is_whole(template).then_some(template)) else { continue };
        let Ok(selector) = links::own_selector(subject.owner(), &subject.tree) else { continue };
        if !selector.matches(&pods::labels(template).into_iter().collect::<Vec<_>>()[..]) {
            let message = format!(
                "the selector {} does not match the labels of the pod template",
                super::shown(&selector)
            );
            findings.add(subject, subject.line_of(labels.span), message);
        }
    }
}

/// Whether a pod template has what every one must have.
fn is_whole(template: &Node) -> bool {
    template.at("spec.containers").is_some()
}

/// What is wrong with the selectors of one object.
pub(super) struct Faults<'a> {
    subject: &'a Subject,
    /// What cannot be understood, each with its path before it.
    invalid: Vec<String>,
    /// Requirements that exclude each other, each time joined by `and`.
    impossible: Vec<String>,
}

/// What is wrong with the selectors of all `subjects`.
pub(super) fn faults(subjects: &[Subject]) -> Vec<Faults<'_>> {
    let selecting = subjects.iter().filter(|subject| subject.owner().may_select());
    let faults = selecting.map(|subject| {
        let links = links::links(subject.owner(), &subject.tree);
        let contradictions = links.selectors().filter_map(|selector| selector.contradiction());
        let joined = |requirements: &[Requirement]| {
            requirements.iter().map(super::shown_requirement).collect::<Vec<_>>().join(" and ")
        };
        let impossible = contradictions.map(joined).collect();
        Faults { subject, invalid: links.problems, impossible }
    });
    faults.filter(|faults| !(faults.invalid.is_empty() && faults.impossible.is_empty())).collect()
}

pub(super) fn invalid(input: &Input<'_>, findings: &mut Findings<'_>) {
    for Faults { subject, invalid, .. } in input.faults() {
        for problem in invalid {
            findings.add(subject, subject.line_at(path_of(problem)), problem);
        }
    }
}

/// The path with which a problem begins, as far as it has no lists.
fn path_of(problem: &str) -> &str {
    problem.split([':', '[']).next().unwrap_or_default()
}

pub(super) fn impossible(input: &Input<'_>, findings: &mut Findings<'_>) {
    for Faults { subject, impossible, .. } in input.faults() {
        for requirements in impossible {
            findings.add(subject, subject.line_at("spec"), format_args!("{requirements} exclude each other"));
        }
    }
}
