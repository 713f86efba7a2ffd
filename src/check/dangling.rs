//! Selectors that select nothing, although there are objects to select.

use std::collections::{HashMap, HashSet};

use super::Findings;
use super::facts::{Selects, Within};
use super::input::{Candidate, Input, Scope, Selectable, equality};
use super::operators::Customs;
use super::subject::CheckedObject;
use super::suggestions;
use super::units::Id;
use crate::kinds::references::MONITORING;
use crate::selector::labels::Selector;

/// The maximum number of objects of other units that are examined.
const LOOKED_AT: usize = 64;

/// Labels of pods that every cluster has in kube-system.
const OF_THE_CLUSTER: &[(&str, &str)] = &[
    ("k8s-app", "kube-dns"),
    ("k8s-app", "kube-proxy"),
    ("k8s-app", "metrics-server"),
    ("component", "etcd"),
    ("component", "kube-apiserver"),
    ("component", "kube-controller-manager"),
    ("component", "kube-scheduler"),
    ("tier", "control-plane"),
];

pub(super) fn services(input: &Input<'_>, findings: &mut Findings<'_>) {
    nothing_selected(input, input.selecting("", "Service"), &input.pods, "pod", findings);
}

pub(super) fn budgets(input: &Input<'_>, findings: &mut Findings<'_>) {
    nothing_selected(input, input.selecting("policy", "PodDisruptionBudget"), &input.pods, "pod", findings);
}

pub(super) fn policies(input: &Input<'_>, findings: &mut Findings<'_>) {
    let policies = input.selecting("networking.k8s.io", "NetworkPolicy");
    nothing_selected(input, policies, &input.pods, "pod", findings);
}

pub(super) fn monitors(input: &Input<'_>, findings: &mut Findings<'_>) {
    let services = input.selecting(MONITORING, "ServiceMonitor");
    nothing_selected(input, services, &input.services, "Service", findings);
    let pods = input.selecting(MONITORING, "PodMonitor");
    nothing_selected(input, pods, &input.pods, "pod", findings);
}

/// An object whose selector selects nothing in its namespaces.
struct Dangling<'a> {
    number: usize,
    subject: &'a CheckedObject,
    selects: &'a Selects,
}

/// Reports objects, all of one kind, whose own selectors select nothing in their namespaces.
///
/// There must be a reason to expect a target: one in the object's unit, or another object of that unit that does select
/// something.
fn nothing_selected<'a>(
    input: &Input<'a>,
    selecting: impl Iterator<Item = (usize, &'a CheckedObject, &'a Selects)>,
    targets: &Selectable<'a>,
    target: &str,
    findings: &mut Findings<'_>,
) {
    let mut expected: HashSet<(Id, &str)> = HashSet::new();
    let mut dangling = Vec::new();
    for (number, subject, selects) in selecting {
        match namespace_with_targets(input, number, subject, selects, targets) {
            Some(namespace) => drop(expected.insert((input.units.unit(number), namespace))),
            None => dangling.push(Dangling { number, subject, selects }),
        }
    }
    let customs = Customs::of(input);
    for Dangling { number, subject, selects } in dangling {
        let unit = input.units.unit(number);
        let namespaces = namespaces(subject, selects);
        let selector = &selects.selector;
        let is_made = |namespace: &Option<&str>| {
            customs.may_make(input, number, namespace.unwrap_or_default(), selector)
                || is_of_the_cluster(*namespace, selector)
        };
        if input.may_have_more(number) || namespaces.iter().any(is_made) {
            continue;
        }
        if let Some(other) = targets.selected(Scope::Unit(unit), None, selector).next() {
            let other = &input.subjects[other.subject];
            // The namespace of objects without one is decided when they are applied.
            if subject.names_namespace && other.names_namespace && subject.is_live() == other.is_live() {
                let (own, others) = (&subject.namespace, &other.namespace);
                let message = format!(
                    "the {target}s with the labels {} are in namespace {others}, but this object is in {own}",
                    super::shown(selector)
                );
                findings.add(subject, selects.line, message);
            }
            continue;
        }
        let is_like =
            |candidate: &&Candidate<'_>| input.subjects[candidate.subject].is_live() == subject.is_live();
        let has_targets = |namespace: &Option<&str>| {
            targets.within(Scope::Unit(unit), *namespace).any(|candidate| is_like(&candidate))
        };
        let is_expected = |namespace: &Option<&str>| {
            namespace.is_some_and(|namespace| expected.contains(&(unit, namespace)))
        };
        if namespaces.iter().any(|namespace| has_targets(namespace) || is_expected(namespace)) {
            let candidates = namespaces
                .iter()
                .flat_map(|namespace| targets.within(Scope::Unit(unit), *namespace))
                .filter(is_like);
            let hint = suggestions::label_hint(selector, candidates);
            // Objects that select in other namespaces are usually not stored beside their targets, except within a
            // file.
            let is_beside = || {
                let file = Scope::Source(input.units.source(number));
                namespaces.iter().any(|namespace| targets.within(file, *namespace).next().is_some())
            };
            if !matches!(selects.within, Within::Own) && hint.is_empty() && !is_beside() {
                continue;
            }
            let shown = super::shown(selector);
            let message = format!("no {target} of the input has the labels {shown}{hint}");
            findings.add(subject, selects.line, message);
        }
    }
}

/// The namespaces in which an object's selector selects; `None` as an element is every namespace.
fn namespaces<'a>(subject: &'a CheckedObject, selects: &'a Selects) -> Vec<Option<&'a str>> {
    match &selects.within {
        Within::Own => vec![Some(&subject.namespace)],
        Within::All => vec![None],
        Within::These(names) => names.iter().map(|name| Some(name.as_str())).collect(),
    }
}

/// The namespace of something that the object selects, in its unit, or in another one that is not an alternative.
fn namespace_with_targets<'a>(
    input: &Input<'a>,
    number: usize,
    subject: &'a CheckedObject,
    selects: &'a Selects,
    targets: &Selectable<'a>,
) -> Option<&'a str> {
    let unit = input.units.unit(number);
    let is_meant = |candidate: &&Candidate<'_>| input.units.may_need(number, candidate.subject);
    let found = |namespace: Option<&str>| {
        let within = targets.selected(Scope::Unit(unit), namespace, &selects.selector).next();
        let elsewhere =
            || targets.selected(Scope::All, namespace, &selects.selector).take(LOOKED_AT).find(is_meant);
        within.or_else(elsewhere).map(|candidate| candidate.subject)
    };
    let found = namespaces(subject, selects).into_iter().find_map(found)?;
    Some(&input.subjects[found].namespace)
}

fn is_of_the_cluster(namespace: Option<&str>, selector: &Selector) -> bool {
    let is_meant = |label: (&str, &str)| OF_THE_CLUSTER.contains(&label);
    namespace.is_none_or(|namespace| namespace == "kube-system")
        && selector.requirements().iter().filter_map(equality).any(is_meant)
}

/// Autoscalers of missing workloads.
pub(super) fn autoscalers(input: &Input<'_>, findings: &mut Findings<'_>) {
    for (number, subject) in input.all() {
        let Some(target) = subject.special().and_then(|special| special.scales.as_ref()) else { continue };
        let kind = [&*target.group, &*target.kind, &*subject.namespace];
        let names = || input.near(kind, number).map(|other| other.name.as_str());
        let [group, kind_name, namespace] = kind;
        if input.has([group, kind_name, namespace, &target.name], number)
            || names().next().is_none()
            || input.may_have_named(number, [group, kind_name, &target.name])
            || super::placeholder::is_name_placeholder(&target.name)
        {
            continue;
        }
        let (kind, name) =
            (crate::text::excerpt::identifier(kind_name), crate::text::excerpt::identifier(&target.name));
        let hint = suggestions::name_hint(&target.name, names());
        findings.add(subject, target.line, format_args!("the input has no {kind} {name} to scale{hint}"));
    }
}

/// Autoscalers that scale by requests of containers that have none.
pub(super) fn requests(input: &Input<'_>, findings: &mut Findings<'_>) {
    let limited: HashMap<(Id, &str), ()> = input
        .all()
        .filter(|(_, subject)| subject.is("", "LimitRange"))
        .map(|(number, subject)| ((input.units.unit(number), &*subject.namespace), ()))
        .collect();
    for (number, subject) in input.all() {
        let Some(target) = subject.special().and_then(|special| special.scales.as_ref()) else { continue };
        let unit = input.units.unit(number);
        // A LimitRange or a patch may add requests.
        if limited.contains_key(&(unit, &*subject.namespace)) || input.units.is_kustomized(number) {
            continue;
        }
        let identity = [&*target.group, &*target.kind, &*subject.namespace, &*target.name];
        let scaled = input.named(identity).find(|&other| input.units.unit(other) == unit);
        let pods = scaled.and_then(|other| input.subjects[other].facts.as_ref()).map(|facts| &facts.pods);
        for (at, resource) in super::facts::RESOURCES.into_iter().enumerate() {
            let lacks = pods.is_some_and(|pods| pods.iter().any(|pod| pod.unrequested[at]));
            if target.by_request[at] && lacks {
                let title = crate::manifest::gvk::lower_kind(&target.kind, &target.group);
                let name = crate::text::excerpt::identifier(&target.name);
                let message =
                    format!("a container of {title}/{name} requests no {resource}, by which it is scaled");
                findings.add(subject, target.metrics_line, message);
            }
        }
    }
}
