//! Two that want the same pods.

use std::collections::{HashMap, HashSet};

use super::Findings;
use super::input::{Input, Selectable, Together};
use super::subject::Subject;
use crate::relation::{links, pods};
use crate::selector::labels::Selector;
use crate::view;

/// The controllers that keep a number of pods: one counts, and may delete, what another one made.
const CONTROLLERS: &[(&str, &str)] = &[
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
];

pub(super) fn controllers(input: &Input<'_>, findings: &mut Findings<'_>) {
    // A ReplicaSet shares its pods with the Deployment that it belongs to.
    let is_one = |subject: &&Subject| {
        CONTROLLERS.contains(&(&subject.group, &subject.kind))
            && view::list(&subject.tree, "metadata.ownerReferences").is_empty()
    };
    let all: Vec<(usize, &Subject)> =
        input.subjects.iter().enumerate().filter(|(_, subject)| is_one(subject)).collect();
    let mut made = Selectable::default();
    let mut place = HashMap::new();
    let mut known = HashSet::new();
    for (at, subject) in &all {
        // What a file says again is the same object: many of one kind must not be compared with one another.
        if !known.insert((subject.identity(), &subject.place.source)) {
            continue;
        }
        if let Some(template) = pods::of(&subject.group, &subject.kind, &subject.tree) {
            made.add(subject, pods::labels(template));
        }
        place.insert(std::ptr::from_ref(*subject), *at);
    }
    let mut told = HashSet::new();
    for (at, subject) in all {
        let Ok(selector) = own_selector(subject) else { continue };
        let others = made.selected(&subject.namespace, &selector).map(|candidate| candidate.subject);
        let mut others = others.filter(|other| !is_same(subject, other));
        let severity = |other| Some((other, input.together(subject, other).severity()?));
        let Some((other, severity)) = others.find_map(severity) else { continue };
        let other_at = place.get(&std::ptr::from_ref(other)).copied().unwrap_or(at);
        // The one that comes later is told of, once.
        let (first, last) = if at < other_at { (subject, other) } else { (other, subject) };
        if !told.insert((at.min(other_at), at.max(other_at))) {
            continue;
        }
        let selector = super::shown(&selector);
        let whose = if std::ptr::eq(last, subject) {
            format!("the selector {selector} also matches the pods of {}", first.title())
        } else {
            format!("the pods are also matched by the selector {selector} of {}", first.title())
        };
        let message = format!("{whose} ({})", first.location());
        findings.add_as(severity, last, last.line_at("spec.selector"), message);
    }
}

/// Whether two are one object that is there twice, which is another finding.
fn is_same(a: &Subject, b: &Subject) -> bool {
    a.identity() == b.identity()
}

fn own_selector(subject: &Subject) -> Result<Selector, links::NoSelector> {
    links::own_selector(subject.owner(), &subject.tree)
}

pub(super) fn budgets(input: &Input<'_>, findings: &mut Findings<'_>) {
    let is_one = |subject: &&Subject| subject.kind == "PodDisruptionBudget" && subject.group == "policy";
    // The first one to cover each pod.
    let mut covered: HashMap<*const Subject, &Subject> = HashMap::new();
    for subject in input.subjects.iter().filter(is_one) {
        let Ok(selector) = own_selector(subject) else { continue };
        for pod in input.pods.selected(&subject.namespace, &selector).map(|candidate| candidate.subject) {
            let first = *covered.entry(std::ptr::from_ref(pod)).or_insert(subject);
            let together = matches!(input.together(first, subject), Together::Surely | Together::Probably);
            if together && !is_same(first, subject) {
                let (pod, title, place) = (pod.title(), first.title(), first.location());
                let message = format!("{pod} is also covered by {title} ({place})");
                findings.add(subject, subject.line_at("spec.selector"), message);
                break;
            }
        }
    }
}
