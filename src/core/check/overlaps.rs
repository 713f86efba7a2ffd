//! Objects that select the same pods.

use super::facts::Selects;
use super::finding::{Claim, Confidence, Findings};
use super::input::Input;
use super::reading::Reading;
use super::shown;
use super::subject::CheckedObject;
use super::units::{Scope, Together};
use crate::relation::fits::NodeRequirements;
use crate::relation::label_map::SelectorOf;
use smallvec::SmallVec;
use text::excerpt;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The controllers that maintain a number of pods: one would count, and possibly delete, the pods of another.
const CONTROLLERS: [(&str, &str); 5] = [
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
];

/// Whether it is an independent controller: a ReplicaSet shares its pods with its Deployment.
fn is_controller(subject: &CheckedObject) -> bool {
    CONTROLLERS.iter().any(|(group, kind)| subject.is(group, kind))
        && subject.facts.as_ref().is_none_or(|facts| facts.common.owners.is_empty())
}

pub(super) fn controllers(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut reported = HashSet::new();
    let mut selected = Selected::new();
    for (number, subject) in input.all().filter(|(_, subject)| is_controller(subject)) {
        let Some(selects) = subject.selects() else { continue };
        let rival = rival(input, number, subject, selects, &mut selected);
        let Some((other_number, together)) = rival else { continue };
        let other = &input.subjects[other_number];
        // Of two kinds with one name, as a Deployment and a DaemonSet, someone chooses.
        let is_choice = together != Together::Surely && other.name == subject.name && other.of != subject.of;
        // A server accepts both.
        let Some(confidence) = together.confidence().map(|one| one.max(Confidence::Likely)) else { continue };
        let confidence = if is_choice { Confidence::Possible } else { confidence };
        // The later one is reported, once.
        if !reported.insert((number.min(other_number), number.max(other_number))) {
            continue;
        }
        let first = &input.subjects[number.min(other_number)];
        let last_number = number.max(other_number);
        let last = &input.subjects[last_number];
        let selector = shown::selector(&selects.selector.selector());
        let whose = if last_number == number {
            format!("the selector {selector} also matches the pods of {}", first.title())
        } else {
            format!("the pods are also matched by the selector {selector} of {}", first.title())
        };
        let line = last.selects().map_or(last.line, |own| own.line);
        findings.add(last, line, Claim::new(whose).with_confidence(confidence).other(first.location()));
    }
}

/// Whether two DaemonSets run on different nodes, as those of different processors do.
fn are_apart(a: &CheckedObject, b: &CheckedObject) -> bool {
    fn nodes(subject: &CheckedObject) -> Option<&NodeRequirements> {
        let pod = subject.pods().next().filter(|_| subject.is("apps", "DaemonSet"))?;
        pod.nodes.as_ref()
    }
    nodes(a).zip(nodes(b)).is_some_and(|(a, b)| a.exclude(b))
}

/// The controllers whose pods a selector selects in a scope and a namespace.
type Selected<'a> = HashMap<(Scope, &'a str, SelectorOf<'a>), SmallVec<[u32; 4]>>;

/// Another controller whose pods are also selected: the one most likely applied together.
fn rival<'a>(
    input: &Input<'a>,
    number: usize,
    subject: &'a CheckedObject,
    selects: Selects<'a>,
    selected: &mut Selected<'a>,
) -> Option<(usize, Together)> {
    let scopes =
        [Scope::Source(input.units.source(number)), Scope::Unit(input.units.unit(number)), Scope::All];
    let scopes = if input.is_one_source { &scopes[2..] } else { &scopes };
    scopes.iter().find_map(|&scope| {
        let of_scope = || selected_in(input, scope, subject, selects);
        let own;
        let others = match input.have_alike[number] {
            true => {
                let key = (scope, &*subject.namespace, selects.selector);
                &*selected.entry(key).or_insert_with(of_scope)
            }
            false => {
                own = of_scope();
                &own
            }
        };
        others.iter().find_map(|&other_number| {
            let other_number = other_number as usize;
            let other = &input.subjects[other_number];
            // Duplicates are another finding.
            let is_other = other.identity() != subject.identity() && !are_apart(subject, other);
            let together = input.together(number, other_number);
            (is_other && together.confidence().is_some()).then_some((other_number, together))
        })
    })
}

/// The controllers that a selector selects in a scope: of the copies of one, the first of those that are applied alike.
fn selected_in(
    input: &Input<'_>,
    scope: Scope,
    subject: &CheckedObject,
    selects: Selects<'_>,
) -> SmallVec<[u32; 4]> {
    let mut met = HashSet::new();
    let candidates = input.pods.selected(scope, Some(&subject.namespace), selects.selector);
    let is_met = |&number: &usize| {
        let subject = &input.subjects[number];
        let nodes = subject.pods().map(|pod| &pod.nodes);
        let nodes: Vec<_> = nodes.filter(|_| subject.is("apps", "DaemonSet")).collect();
        let is_kustomized = input.units.is_kustomized(number);
        is_controller(subject) && met.insert((subject.identity(), subject.is_live(), is_kustomized, nodes))
    };
    let met = candidates.map(|candidate| candidate.subject).filter(is_met);
    met.map(|number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
}

pub(super) fn budgets(input: &Input<'_>, findings: &mut Findings<'_>) {
    // The first one of each unit to cover each pod.
    let mut covered: HashMap<_, usize> = HashMap::new();
    let mut copies = HashSet::new();
    for (number, subject, selects) in input.selecting("policy", "PodDisruptionBudget") {
        let unit = input.units.unit(number);
        let namespace = Some(subject.namespace.as_str());
        if !copies.insert((unit, subject.is_live(), subject.identity(), selects.selector)) {
            continue;
        }
        for pod in input.pods.selected(Scope::All, namespace, selects.selector) {
            let first_number = *covered.entry((unit, pod.subject)).or_insert(number);
            let first = &input.subjects[first_number];
            let Some(confidence) = input.together(first_number, number).confidence() else { continue };
            if first_number != number && first.identity() != subject.identity() {
                let pod = input.subjects[pod.subject].title();
                let claim = Claim::new(format_args!("{pod} is also covered by {}", first.title()));
                findings.add(
                    subject,
                    selects.line,
                    claim.with_confidence(confidence).other(first.location()),
                );
                break;
            }
        }
    }
}

/// Autoscalers of one workload, of which each undoes what the other does.
pub(super) fn autoscalers(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut scaled: HashMap<_, usize> = HashMap::new();
    for (number, subject) in input.all() {
        let Some(target) = subject.special().and_then(|special| special.scales.as_ref()) else { continue };
        let unit = input.units.unit(number);
        let identity = (unit, &*subject.namespace, &*target.group, &*target.kind, &*target.name);
        let first_number = *scaled.entry(identity).or_insert(number);
        let first = &input.subjects[first_number];
        let Some(confidence) = input.together(first_number, number).confidence() else { continue };
        if first_number != number && first.identity() != subject.identity() {
            let (kind, name) = (excerpt::identifier(&target.kind), excerpt::identifier(&target.name));
            let claim = Claim::new(format_args!("{kind} {name} is also scaled by {}", first.title()));
            let line = target.line.after(subject.line);
            findings.add(subject, line, claim.with_confidence(confidence).other(first.location()));
        }
    }
}

/// Budgets by which no pod may ever be evicted, so that no node can be drained.
pub(super) fn blocking(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.subject.is("policy", "PodDisruptionBudget") {
        return;
    }
    for (field, number, share) in [("maxUnavailable", Some(0), "0%"), ("minAvailable", None, "100%")] {
        let path = format!("spec.{field}");
        let Some(value) = reading.tree.at(&path) else { continue };
        if number.is_some() && value.as_int() == number || value.as_str() == Some(share) {
            let message = format!("{field} allows no eviction, so that nodes cannot be drained");
            findings.add(&reading.subject, reading.line_at(&path), message);
        }
    }
}
