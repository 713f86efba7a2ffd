//! Selectors that select nothing, although there are objects to select.

use std::collections::{HashMap, HashSet};

use super::facts::{Selects, Within, equality};
use super::finding::{Findings, Severity};
use super::input::{Candidate, Input, SelectableObjects};
use super::operators::Customs;
use super::placeholder::is_placeholder;
use super::shown;
use super::subject::CheckedObject;
use super::suggestions;
use super::units::{Id, Scope};
use crate::scan::conventions;
use kinds::references::MONITORING;
use selector::labels::{Labels, Selector};
use text::excerpt;

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

/// Labels of pods that controllers add, with their source.
const OF_CONTROLLERS: &[&str] = &[
    // apps/v1, well_known_labels.go and StatefulSetPodNameLabel
    "apps.kubernetes.io/pod-index",
    "controller-revision-hash",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
    // batch/v1
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-name",
    "controller-uid",
    "job-name",
    // Vault and OpenBao, service_registration "kubernetes"
    "vault-active",
    "vault-initialized",
    "vault-perf-standby",
    "vault-sealed",
    "vault-version",
    "openbao-active",
    "openbao-initialized",
    "openbao-sealed",
    "openbao-version",
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
/// There must be evidence that the target belongs into the input: a near miss, targets in the same file, siblings most of
/// which do select something, or a target in the unit that none of them selects. That the input has none must be true.
fn nothing_selected<'a>(
    input: &Input<'a>,
    selecting: impl Iterator<Item = (usize, &'a CheckedObject, &'a Selects)>,
    targets: &SelectableObjects<'a>,
    target: &str,
    findings: &mut Findings<'_>,
) {
    let mut siblings: HashMap<(Id, &str), Siblings> = HashMap::new();
    let mut in_files: HashMap<Id, Siblings> = HashMap::new();
    let mut dangling = Vec::new();
    let mut selected: HashSet<usize> = HashSet::new();
    for (number, subject, selects) in selecting {
        let unit = input.units.unit(number);
        let in_file = in_files.entry(input.units.source(number)).or_default();
        match namespace_with_targets(input, number, subject, selects, targets) {
            Some(namespace) => {
                siblings.entry((unit, namespace)).or_default().resolved += 1;
                in_file.resolved += 1;
                let within = targets.selected(Scope::Unit(unit), Some(namespace), &selects.selector);
                selected.extend(within.map(|candidate| candidate.subject));
            }
            None => {
                in_file.dangling += 1;
                for namespace in namespaces(subject, selects).into_iter().flatten() {
                    siblings.entry((unit, namespace)).or_default().dangling += 1;
                }
                dangling.push(Dangling { number, subject, selects });
            }
        }
    }
    let customs = Customs::of(input);
    for Dangling { number, subject, selects } in dangling {
        // A policy or a budget may be for the pods of a chart, unlike a Service, which lies beside its pods.
        let is_by_service = subject.is("", "Service");
        let unit = input.units.unit(number);
        let namespaces = namespaces(subject, selects);
        let selector = &selects.selector;
        let is_made = |namespace: &Option<&str>| {
            customs.may_make(input, number, namespace.unwrap_or_default(), selector)
                || is_of_the_cluster(*namespace, selector, target)
        };
        let is_of_controller =
            selector.requirements().iter().any(|requirement| OF_CONTROLLERS.contains(&requirement.key()));
        // An empty selector selects all pods of a namespace, of which the input need not have any.
        if selector.requirements().is_empty()
            || input.may_have_more(number)
            || namespaces.iter().any(is_made)
            || is_of_controller
            || has_placeholder(selector)
        {
            continue;
        }
        // A collection of examples is no description of one application.
        let source = input.units.source(number);
        let is_collection = in_files.get(&source).is_some_and(|found| found.mostly_dangle());
        if let Some(other) = targets.selected(Scope::Unit(unit), None, selector).next() {
            let other = &input.subjects[other.subject];
            // The namespace of objects without one is decided when they are applied.
            let (own, others) = (&subject.namespace, &other.namespace);
            // Seen in lpmi-13/k8s-manifest-dojo.
            let is_open = is_placeholder(own) || is_placeholder(others);
            let are_known = subject.names_namespace && other.names_namespace && !is_open && !is_collection;
            if are_known && subject.is_live() == other.is_live() {
                let message = format!(
                    "the {target}s with the labels {} are in namespace {others}, but this object is in {own}",
                    shown::selector(selector)
                );
                findings.add(subject, selects.line, message);
            }
            continue;
        }
        let is_like =
            |candidate: &&Candidate<'_>| input.subjects[candidate.subject].is_live() == subject.is_live();
        // Other units may be applied together with this one.
        let is_elsewhere = targets.selected(Scope::All, None, selector).any(|candidate| is_like(&candidate));
        // Many workloads have no Service, but not one beside which a Service of their name selects nothing. Seen in
        // dprince/k8s-yamls.
        let is_unselected = |candidate: &Candidate<'_>| {
            let name = &input.subjects[candidate.subject].name;
            let is_called_alike =
                name.contains(subject.name.as_str()) || subject.name.contains(name.as_str());
            is_called_alike && !selected.contains(&candidate.subject)
        };
        let has_unselected = |namespace: &Option<&str>| {
            let mut within = targets.within(Scope::Unit(unit), *namespace);
            within.any(|candidate| is_like(&candidate) && is_unselected(candidate))
        };
        let has_targets = |namespace: &Option<&str>| {
            targets.within(Scope::Unit(unit), *namespace).any(|candidate| is_like(&candidate))
        };
        let is_expected = |namespace: &Option<&str>| {
            let siblings = namespace.and_then(|namespace| siblings.get(&(unit, namespace)));
            siblings.is_some_and(Siblings::mostly_resolve)
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
                let file = Scope::Source(source);
                !is_collection
                    && namespaces.iter().any(|namespace| targets.within(file, *namespace).next().is_some())
            };
            let is_by_chart = || {
                let have_chart = |namespace: &Option<&str>| {
                    namespace.is_some_and(|namespace| customs.have_chart(input, number, namespace))
                };
                namespaces.iter().any(have_chart)
            };
            let is_known = || {
                is_beside() && (is_by_service || !is_by_chart())
                    || matches!(selects.within, Within::Own)
                        && !is_by_chart()
                        && (namespaces.iter().any(is_expected)
                            || is_by_service && namespaces.iter().any(has_unselected))
            };
            let has_evidence = !hint.is_empty() || !is_of_chart(selector) && is_known();
            if !has_evidence || is_elsewhere && hint.is_empty() {
                continue;
            }
            // A workload of the same name says what its pods have.
            let called_alike = || {
                let mut within = namespaces.iter().flat_map(|ns| targets.within(Scope::Unit(unit), *ns));
                let own = within.find(|candidate| {
                    is_like(candidate) && input.subjects[candidate.subject].name == subject.name
                })?;
                let (key, _) = selector.requirements().iter().find_map(equality)?;
                let value = own.labels.label(key)?;
                let owner = &input.subjects[own.subject];
                let label = format!("{}={}", excerpt::identifier(key), excerpt::identifier(value));
                Some(match owner.is("", "Pod") {
                    true => format!("; {} has {label}", owner.title()),
                    false => format!("; the pods of {} have {label}", owner.title()),
                })
            };
            let hint = match hint.is_empty() && target == "pod" {
                true => called_alike().unwrap_or_default(),
                false => hint,
            };
            let shown = shown::selector(selector);
            let whose = if is_elsewhere { "applied together with it" } else { "of the input" };
            let message = format!("no {target} {whose} has the labels {shown}{hint}");
            findings.add(subject, selects.line, message);
        }
    }
}

/// How many objects of a kind in a namespace of a unit select something, and how many do not.
#[derive(Default)]
pub(super) struct Siblings {
    pub resolved: usize,
    pub dangling: usize,
}

impl Siblings {
    /// Whether so many find what they need that the others should, too.
    pub(super) fn mostly_resolve(&self) -> bool {
        self.resolved > 0 && self.resolved >= 2 * self.dangling
    }

    /// Whether several of them, and more than do not, find nothing.
    fn mostly_dangle(&self) -> bool {
        self.dangling > 1 && self.dangling > self.resolved
    }
}

/// Whether a chart adds a label that the selector requires: `chart: jenkins-3.4.1`. Seen in Moghan/k8s-sandbox.
fn is_of_chart(selector: &Selector) -> bool {
    const LABELS: [&str; 2] = ["chart", "helm.sh/chart"];
    let mut requirements = selector.requirements().iter().filter_map(equality);
    requirements.any(|(key, value)| LABELS.contains(&key) && value.contains(|c: char| c.is_ascii_digit()))
}

fn has_placeholder(selector: &Selector) -> bool {
    let values = selector.requirements().iter().flat_map(|requirement| requirement.values());
    values.into_iter().any(|value| is_placeholder(value))
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
    targets: &SelectableObjects<'a>,
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

/// Whether the cluster has the pods or Services that the selector selects.
fn is_of_the_cluster(namespace: Option<&str>, selector: &Selector, target: &str) -> bool {
    let is_meant = |(key, value): (&str, &str)| match target {
        "Service" => conventions::is_of_a_cluster(key, value),
        _ => OF_THE_CLUSTER.contains(&(key, value)),
    };
    namespace
        .is_none_or(|namespace| namespace == "kube-system" || target == "Service" && namespace == "default")
        && selector.requirements().iter().filter_map(equality).any(is_meant)
}

/// Autoscalers of missing workloads.
pub(super) fn autoscalers(input: &Input<'_>, findings: &mut Findings<'_>) {
    let scaling = || {
        input.all().filter_map(|(number, subject)| {
            let target = subject.special().and_then(|special| special.scales.as_ref())?;
            let identity = [&*target.group, &*target.kind, &*subject.namespace, &*target.name];
            Some((number, subject, target, identity))
        })
    };
    // For each unit, the siblings, and one of the workloads that they scale, which may be in another unit.
    let mut siblings: HashMap<Id, (Siblings, Option<usize>)> = HashMap::new();
    for (number, _, _, identity) in scaling() {
        let (siblings, scaled) = siblings.entry(input.units.unit(number)).or_default();
        match input.named(identity).find(|&other| input.units.may_name(number, other)) {
            Some(other) => {
                siblings.resolved += 1;
                *scaled = Some(other);
            }
            None => siblings.dangling += 1,
        }
    }
    let customs = Customs::of(input);
    for (number, subject, target, identity) in scaling() {
        let kind = [&*target.group, &*target.kind, &*subject.namespace];
        // Workloads beside those that siblings scale explain it, too.
        let beside = siblings.get(&input.units.unit(number)).and_then(|(siblings, scaled)| {
            scaled.filter(|_| siblings.resolved > 1 && siblings.mostly_resolve())
        });
        let names = || {
            let near = [Some(number), beside].into_iter().flatten().flat_map(|at| input.near(kind, at));
            near.map(|other| other.name.as_str())
        };
        let [group, kind_name, _] = kind;
        if input.has(identity, number)
            || names().next().is_none()
            || input.may_have_named(number, [group, kind_name, &target.name])
            || is_placeholder(&target.name)
        {
            continue;
        }
        let hint = suggestions::name_hint(&target.name, names());
        // A chart may bring the workload, unless it is beside others like it, or in the file of one.
        let is_beside = || input.near(kind, number).any(|other| other.source == subject.source);
        let is_expected = || {
            siblings.get(&input.units.unit(number)).is_some_and(|(siblings, _)| siblings.mostly_resolve())
                && !suggestions::is_stranger(&target.name, names())
        };
        // What a placeholder stands for may be the namespace of a workload elsewhere. Seen in
        // atulchauhan01/kubernetes-yaml-files.
        let is_open = is_placeholder(&subject.namespace);
        let has_evidence = !hint.is_empty()
            || !is_open && input.is_one_source()
            || !is_open
                && !customs.have_chart(input, number, &subject.namespace)
                && (is_beside() || is_expected());
        let severity = if has_evidence { findings.severity } else { Severity::Advice };
        let (kind, name) = (excerpt::identifier(kind_name), excerpt::identifier(&target.name));
        let message = format_args!("the input has no {kind} {name} to scale{hint}");
        findings.add_as(severity, subject, target.line, message);
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
        let Some(scaled) = scaled.map(|other| &input.subjects[other]) else { continue };
        let pods = || scaled.facts.iter().flat_map(|facts| &facts.pods);
        for (at, resource) in super::facts::RESOURCES.into_iter().enumerate() {
            let lacking = pods().find_map(|pod| pod.unrequested[at].as_ref());
            if let Some(container) = lacking.filter(|_| target.by_request[at]) {
                let title = syntax::gvk::lower_kind(&target.kind, &target.group);
                let (container, name) = (excerpt::identifier(container), excerpt::identifier(&target.name));
                let place = if scaled.source == subject.source {
                    String::new()
                } else {
                    format!(" ({})", scaled.location())
                };
                let message = format!(
                    "container {container} of {title}/{name}{place} requests no {resource}, by which it is scaled"
                );
                findings.add(subject, target.metrics_line, message);
            }
        }
    }
}
