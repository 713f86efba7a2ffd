//! Selectors that select nothing, although there are objects to select.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::LazyLock;

use super::facts::{Selects, Within};
use super::finding::{Claim, Confidence, Findings};
use super::input::{Candidate, Input, SelectableObjects};
use super::operators::Customs;
use super::shown;
use super::subject::CheckedObject;
use super::suggestions::LabelNames;
use super::units::{Number, Scope};
use crate::relation::label_map::{ANY, Labelled, equality};
use crate::scan::conventions;
use crate::words;
use kinds::references::MONITORING;
use selector::labels::{Labels, Selector};
use text::excerpt;
use text::placeholder::is_placeholder;

/// Labels of pods that every cluster has in kube-system, as `KEY=VALUE`.
static OF_CLUSTERS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("pods of clusters"));
/// Labels of pods that controllers add.
static OF_CONTROLLERS: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("labels of controllers"));

pub(super) fn services(input: &Input<'_>, findings: &mut Findings<'_>) {
    nothing_selected(input, input.selecting("", "Service"), &input.pods, "pod", findings);
}

pub(super) fn budgets(input: &Input<'_>, findings: &mut Findings<'_>) {
    nothing_selected(input, input.selecting("policy", "PodDisruptionBudget"), &input.pods, "pod", findings);
}

pub(super) fn policies(input: &Input<'_>, findings: &mut Findings<'_>) {
    const SECURITY: &str = "security.istio.io";
    const CILIUM: &str = "cilium.io";
    for (group, kind) in [
        ("networking.k8s.io", "NetworkPolicy"),
        (SECURITY, "AuthorizationPolicy"),
        (SECURITY, "PeerAuthentication"),
        (SECURITY, "RequestAuthentication"),
        (CILIUM, "CiliumClusterwideNetworkPolicy"),
        (CILIUM, "CiliumNetworkPolicy"),
    ] {
        // One of Istio for any namespace is for gateways, which are installed otherwise.
        let is_own = |selects: Selects<'_>| match selects.within {
            Within::Own => true,
            Within::All => group == CILIUM,
            Within::These(_) => false,
        };
        let policies = input.selecting(group, kind).filter(|&(.., selects)| is_own(selects));
        nothing_selected(input, policies, &input.pods, "pod", findings);
    }
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
    selects: Selects<'a>,
}

/// Reports objects, all of one kind, whose own selectors select nothing in their namespaces.
///
/// Evidence that the target belongs into the input is a near miss, targets in the same file, siblings most of which do select
/// something, or a target in the unit that none of them selects.
fn nothing_selected<'a>(
    input: &Input<'a>,
    selecting: impl Iterator<Item = (usize, &'a CheckedObject, Selects<'a>)>,
    targets: &SelectableObjects<'a>,
    target: &str,
    findings: &mut Findings<'_>,
) {
    let mut siblings: HashMap<(Number, &str), Siblings> = HashMap::new();
    let mut in_files: HashMap<Number, Siblings> = HashMap::new();
    let mut dangling = Vec::new();
    for (number, subject, selects) in selecting {
        let unit = input.units.unit(number);
        let in_file = in_files.entry(input.units.source(number)).or_default();
        match namespace_with_targets(input, number, subject, selects, targets) {
            // What selects everything says nothing about what is there.
            Some(_) if selects.selector.is_empty() => {}
            Some(namespace) => {
                siblings.entry((unit, namespace)).or_default().count(true);
                in_file.count(true);
            }
            None => {
                in_file.count(false);
                for namespace in namespaces(subject, selects).into_iter().flatten() {
                    siblings.entry((unit, namespace)).or_default().count(false);
                }
                dangling.push(Dangling { number, subject, selects });
            }
        }
    }
    let customs = Customs::of(input);
    let search = Search {
        input,
        targets,
        siblings,
        in_files,
        selected: OnceCell::new(),
        customs,
        around: RefCell::default(),
    };
    for dangling in dangling {
        if let Some(claim) = search.claim(&dangling, target) {
            findings.add(dangling.subject, dangling.selects.line, claim);
        }
    }
}

/// A scope, namespaces, and whether it is for live objects.
type Place<'a> = (Scope, Vec<Option<&'a str>>, bool);

/// What is known when the objects that select nothing are judged.
struct Search<'s, 'a> {
    input: &'s Input<'a>,
    targets: &'s SelectableObjects<'a>,
    siblings: HashMap<(Number, &'a str), Siblings>,
    in_files: HashMap<Number, Siblings>,
    selected: OnceCell<HashSet<usize>>,
    customs: Customs<'a>,
    around: RefCell<HashMap<Place<'a>, Rc<Around<'s>>>>,
}

/// What there is to select around an object that selects nothing, prepared for many of these.
#[derive(Default)]
struct Around<'s> {
    labels: LabelNames<'s>,
    /// The labels of each object by its name, and its number.
    named: HashMap<&'s str, (Labelled<'s>, usize)>,
}

impl<'s> Around<'s> {
    fn of(all: &[Candidate<'s>], subjects: &'s [CheckedObject]) -> Self {
        let mut around =
            Self { labels: LabelNames::of(all.iter().map(|candidate| candidate.labels)), ..Self::default() };
        for candidate in all {
            let name = subjects[candidate.subject].name.as_str();
            around.named.entry(name).or_insert((candidate.labels, candidate.subject));
        }
        around
    }
}

impl<'s, 'a> Search<'s, 'a> {
    fn around(&self, number: usize, selects: Selects<'a>, scope: Scope) -> Rc<Around<'s>> {
        let subject = &self.input.subjects[number];
        let key = (scope, namespaces(subject, selects), subject.is_live());
        if let Some(known) = self.around.borrow().get(&key) {
            return Rc::clone(known);
        }
        let all: Vec<Candidate<'a>> = self.within(number, selects, scope).collect();
        let around = Rc::new(Around::of(&all, self.input.subjects));
        self.around.borrow_mut().insert(key, Rc::clone(&around));
        around
    }

    /// What is reported of an object that selects nothing; `None` if there is nothing to select, or it is elsewhere.
    fn claim(&self, &Dangling { number, subject, selects }: &Dangling<'a>, target: &str) -> Option<Claim> {
        let (input, targets) = (self.input, self.targets);
        let selector = &*selects.selector.selector();
        let unit = Scope::Unit(input.units.unit(number));
        let namespaces = namespaces(subject, selects);
        let is_given = |namespace: &Option<&str>| is_of_the_cluster(*namespace, selector, target);
        // An empty selector selects all pods of a namespace, of which the input need not have any.
        if selector.requirements().is_empty()
            || selector.requirements().iter().any(|one| OF_CONTROLLERS.contains(&one.key()))
            || namespaces.iter().any(is_given)
            || has_placeholder(selector)
        {
            return None;
        }
        if let Some(other) = targets.selected(unit, None, selects.selector).next() {
            return self.in_another_namespace(number, selects, other.subject, target);
        }
        let is_like =
            |candidate: &Candidate<'_>| input.subjects[candidate.subject].is_live() == subject.is_live();
        let is_expected = namespaces.iter().any(|namespace| self.is_expected(number, *namespace));
        let has_none = |scope: Scope| self.around(number, selects, scope).named.is_empty();
        // A monitor may be applied apart from the Services of its namespace.
        let is_apart = subject.names_namespace && subject.of.group == MONITORING;
        let of_namespace = || self.around(number, selects, Scope::All).labels.hint(selector);
        let elsewhere = match input.units.around(number).all(has_none) && !is_expected {
            true => Some(is_apart.then(of_namespace)??),
            false => None,
        };
        let hint = input
            .units
            .around(number)
            .find_map(|scope| self.around(number, selects, scope).labels.hint(selector));
        // Other units may be applied together with this one.
        let is_elsewhere =
            targets.selected(Scope::All, None, selects.selector).any(|candidate| is_like(&candidate));
        if is_elsewhere && hint.is_none() {
            return None;
        }
        let is_by_others = self.customs.are_beside(input, number);
        let belongs_here = || {
            !is_by_others
                && self.belongs_here(number, selects, is_expected)
                && !self.may_be_made(number, selects)
        };
        let confidence = match hint.is_some() || belongs_here() {
            true => input.of_unit(number),
            false => Confidence::Possible,
        };
        let hint = hint.or(elsewhere).or_else(|| self.called_alike(number, selects, target));
        let whose = if is_elsewhere { "applied together with it" } else { "of the input" };
        let message = format!("no {target} {whose} has the labels {}", shown::selector(selector));
        Some(Claim::new(message).with_confidence(confidence).hint(hint))
    }

    /// What is reported if `other`, in another namespace, is what the object would select.
    fn in_another_namespace(
        &self,
        number: usize,
        selects: Selects<'_>,
        other: usize,
        target: &str,
    ) -> Option<Claim> {
        let (subject, other) = (&self.input.subjects[number], &self.input.subjects[other]);
        // The namespace of objects without one is decided when they are applied.
        let (own, others) = (&subject.namespace, &other.namespace);
        let are_known = subject.names_namespace
            && other.names_namespace
            && !is_placeholder(own)
            && !is_placeholder(others)
            && !self.is_collection(number);
        let labels = shown::selector(&selects.selector.selector());
        let message = format!(
            "the {target}s with the labels {labels} are in namespace {others}, but this object is in {own}"
        );
        (are_known && subject.is_live() == other.is_live())
            .then(|| Claim::new(message).with_confidence(self.input.of_unit(number)))
    }

    /// What there is to select in a scope.
    fn within(
        &self,
        number: usize,
        selects: Selects<'a>,
        scope: Scope,
    ) -> impl Iterator<Item = Candidate<'a>> + use<'s, 'a> {
        let (targets, subjects) = (self.targets, self.input.subjects);
        let subject = &subjects[number];
        let namespaces = namespaces(subject, selects);
        let found = self.input.units.each(scope).flat_map(move |scope| {
            namespaces.clone().into_iter().flat_map(move |namespace| targets.within(scope, namespace))
        });
        found.filter(|candidate| subjects[candidate.subject].is_live() == subject.is_live())
    }

    /// Whether the target belongs where nothing is selected: it is missing beside others in a file, siblings select theirs, or
    /// a workload that is called alike has no Service.
    fn belongs_here(&self, number: usize, selects: Selects<'a>, is_expected: bool) -> bool {
        let within = |scope: Scope| self.within(number, selects, scope);
        let (input, subject) = (self.input, &self.input.subjects[number]);
        // A policy or a budget may be for the pods of a chart, unlike a Service, which lies beside its pods.
        let is_service = subject.is("", "Service");
        let is_by_chart = || {
            namespaces(subject, selects)
                .into_iter()
                .flatten()
                .any(|namespace| self.customs.have_chart(input, number, ["", namespace, ""]))
        };
        // Many workloads have no Service, but not one beside which a Service of their name selects nothing.
        let has_unselected = || {
            let around = self.around(number, selects, input.units.own_unit(number));
            around.named.get(&*subject.name).is_some_and(|(_, named)| !self.selected().contains(named))
        };
        let file = Scope::Source(input.units.source(number));
        let is_beside = || !self.is_collection(number) && within(file).next().is_some();
        is_beside() && (is_service || !is_by_chart())
            // What selects in other namespaces is usually not stored beside its targets.
            || matches!(selects.within, Within::Own)
                && !is_by_chart()
                && (is_expected || is_service && has_unselected())
    }

    /// The label that a workload of the same name has, or its pods, instead of the one that is selected.
    fn called_alike(&self, number: usize, selects: Selects<'a>, target: &str) -> Option<String> {
        let around = self.around(number, selects, self.input.units.own_unit(number));
        let (labels, owner) = around.named.get(self.input.subjects[number].name.as_str())?;
        let selector = selects.selector.selector();
        let (key, _) = selector.requirements().iter().find_map(equality)?;
        let label = format!(
            "{}={}",
            excerpt::identifier(key),
            excerpt::identifier(labels.label(key).filter(|value| *value != ANY)?)
        );
        let owner = &self.input.subjects[*owner];
        (target == "pod").then(|| match owner.is("", "Pod") {
            true => format!("{} has {label}", owner.title()),
            false => format!("the pods of {} have {label}", owner.title()),
        })
    }

    /// Whether an operator may make what is selected, or something else manages it than what the input has.
    fn may_be_made(&self, number: usize, selects: Selects<'_>) -> bool {
        let selector = selects.selector.selector();
        let mut labels = selector.requirements().iter().filter_map(equality);
        let is_managed =
            |label: (&str, &str)| label.0 == "app.kubernetes.io/managed-by" && !self.targets.have(label);
        labels.any(is_managed)
            || namespaces(&self.input.subjects[number], selects).iter().any(|namespace| {
                self.customs.may_make(self.input, number, namespace.unwrap_or_default(), &selector)
            })
    }

    /// The workloads that Services of their units select: only one without a Service is conspicuous.
    fn selected(&self) -> &HashSet<usize> {
        self.selected.get_or_init(|| {
            let mut followed = HashSet::new();
            let mut selected = HashSet::new();
            for (number, subject, selects) in self.input.selecting("", "Service") {
                let unit = self.input.units.unit(number);
                let found = namespace_with_targets(self.input, number, subject, selects, self.targets);
                if let Some(namespace) =
                    found.filter(|namespace| followed.insert((unit, *namespace, selects.selector)))
                {
                    let within = self.targets.selected(Scope::Unit(unit), Some(namespace), selects.selector);
                    selected.extend(within.map(|candidate| candidate.subject));
                }
            }
            selected
        })
    }

    fn is_expected(&self, number: usize, namespace: Option<&'a str>) -> bool {
        let siblings =
            namespace.and_then(|namespace| self.siblings.get(&(self.input.units.unit(number), namespace)));
        siblings.is_some_and(Siblings::mostly_resolve)
    }

    /// Whether the file of the object is a collection of examples, which is no description of one application.
    fn is_collection(&self, number: usize) -> bool {
        self.in_files.get(&self.input.units.source(number)).is_some_and(Siblings::mostly_dangle)
    }
}

/// How many objects of a kind in a namespace of a unit select something, and how many do not.
#[derive(Clone, Copy, Default)]
pub(super) struct Siblings {
    pub resolved: usize,
    pub dangling: usize,
}

impl Siblings {
    pub(super) fn count(&mut self, resolves: bool) {
        *(if resolves { &mut self.resolved } else { &mut self.dangling }) += 1;
    }

    /// Whether so many find what they need that the others should, too.
    pub(super) fn mostly_resolve(&self) -> bool {
        self.resolved > 0 && self.resolved >= 2 * self.dangling
    }

    /// Whether several of them, and more than do not, find nothing.
    fn mostly_dangle(&self) -> bool {
        self.dangling > 1 && self.dangling > self.resolved
    }
}

fn has_placeholder(selector: &Selector) -> bool {
    let values = selector.requirements().iter().flat_map(|requirement| requirement.values());
    values.into_iter().any(|value| is_placeholder(value))
}

/// The namespaces in which an object's selector selects; `None` as an element is every namespace.
pub(super) fn namespaces<'a>(subject: &'a CheckedObject, selects: Selects<'a>) -> Vec<Option<&'a str>> {
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
    selects: Selects<'a>,
    targets: &SelectableObjects<'a>,
) -> Option<&'a str> {
    let unit = input.units.unit(number);
    let is_meant = |candidate: &Candidate<'_>| input.units.may_need(number, candidate.subject);
    let found = |namespace: Option<&str>| {
        let within = targets.selected(Scope::Unit(unit), namespace, selects.selector).next();
        let elsewhere = || targets.selected(Scope::All, namespace, selects.selector).find(is_meant);
        within.or_else(elsewhere).map(|candidate| candidate.subject)
    };
    let found = namespaces(subject, selects).into_iter().find_map(found)?;
    Some(&input.subjects[found].namespace)
}

/// Whether the cluster has the pods or Services that the selector selects.
fn is_of_the_cluster(namespace: Option<&str>, selector: &Selector, target: &str) -> bool {
    let is_meant = |(key, value): (&str, &str)| match target {
        "Service" => conventions::is_of_a_cluster(key, value),
        _ => OF_CLUSTERS.iter().any(|label| label.split_once('=') == Some((key, value))),
    };
    namespace
        .is_none_or(|namespace| namespace == "kube-system" || target == "Service" && namespace == "default")
        && selector.requirements().iter().filter_map(equality).any(is_meant)
}

/// Autoscalers that scale by requests of containers that have none.
pub(super) fn requests(input: &Input<'_>, findings: &mut Findings<'_>) {
    let limited: HashMap<(Number, &str), ()> = input
        .all()
        .filter(|(_, subject)| subject.is("", "LimitRange"))
        .map(|(number, subject)| ((input.units.unit(number), &*subject.namespace), ()))
        .collect();
    for (number, subject) in input.all() {
        let Some(target) = subject.special().and_then(|special| special.scales.as_ref()) else { continue };
        let unit = input.units.unit(number);
        // A LimitRange may add requests.
        if limited.contains_key(&(unit, &*subject.namespace)) {
            continue;
        }
        let identity = [&*target.group, &*target.kind, &*subject.namespace, &*target.name];
        let scaled = input.named_in_unit(identity, number).next();
        let Some(scaled) = scaled.map(|other| &input.subjects[other]) else { continue };
        for (at, resource) in super::facts::RESOURCES.into_iter().enumerate() {
            let lacking = scaled.pods().find_map(|pod| pod.unrequested[at].as_ref());
            if let Some(container) = lacking.filter(|_| target.by_request[at]) {
                let title = syntax::gvk::lower_kind(&target.kind, &target.group);
                let (container, name) = (excerpt::identifier(container), excerpt::identifier(&target.name));
                let claim = Claim::new(format_args!(
                    "container {container} of {title}/{name} requests no {resource}, by which it is scaled"
                ))
                .with_confidence(if input.units.is_open(number) {
                    Confidence::Possible
                } else {
                    Confidence::Likely
                });
                let claim = match scaled.source == subject.source {
                    true => claim,
                    false => claim.other(scaled.location()),
                };
                findings.add(subject, target.metrics_line.after(subject.line), claim);
            }
        }
    }
}
