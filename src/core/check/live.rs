//! What is not well in the objects of a dump, by their status: rules of their own, which need live objects. They are about
//! the state of a cluster, not about its manifests.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::certificate;
use super::finding::{Finding, Severity};
use super::rule::{Find, Rule, rule};
use crate::scan::copies::{Copies, ObjectState};
use crate::scan::{Scan, ToolFiles};
use crate::selection::Selection;
use kinds::catalog::Catalog;
use kinds::{events, view};
use manifest::object::Object;
use manifest::source::Source;
use syntax::error::Place;
use syntax::gvk::{self, GroupVersionKind};
use syntax::tree::Node;
use text::age;
use text::go;
use text::plural::counted;
use text::quantity::Quantity;

/// The rules, the worst first.
#[rustfmt::skip]
pub const LIVE: &[Rule] = &[
    live("node-not-ready", Severity::Error,
        "A Node is not ready."),
    live("webhook-unavailable", Severity::Error,
        "The Service of an admission webhook or of an aggregated API has no ready endpoint."),
    live("operator-degraded", Severity::Error,
        "A ClusterOperator of OpenShift is degraded or not available."),
    live("pod-failing", Severity::Error,
        "A Pod failed, or a container of it does not start or ends again and again."),
    live("pod-unschedulable", Severity::Error,
        "A Pod cannot be scheduled."),
    live("pod-not-ready", Severity::Error,
        "A Pod runs, but is not ready."),
    live("service-unavailable", Severity::Error,
        "A Service has no ready endpoint."),
    live("claim-not-bound", Severity::Error,
        "A PersistentVolumeClaim is not bound."),
    live("job-failed", Severity::Error,
        "A Job failed."),
    live("rollout-failed", Severity::Error,
        "A workload cannot create its Pods, or does not progress."),
    live("certificate-expiring", Severity::Error,
        "A certificate of cert-manager or of a TLS Secret is not ready, has ended, or ends within 14 days."),
    live("node-pressure", Severity::Warning,
        "A Node lacks memory, disk space, processes or its network."),
    live("quota-full", Severity::Warning,
        "A ResourceQuota is used up."),
    live("autoscaler-limited", Severity::Warning,
        "A HorizontalPodAutoscaler is at its maximum, or cannot scale."),
    live("not-deleted", Severity::Warning,
        "An object that is being deleted still exists after its grace period: finalizers keep it, or its node."),
    live("volume-failed", Severity::Warning,
        "A PersistentVolume failed."),
    live("pod-restarted", Severity::Warning,
        "A container of a Pod that is ready ended within the last hour."),
];

const fn live(id: &'static str, severity: Severity, help: &'static str) -> Rule {
    rule(id, severity, Find::Nowhere, help)
}

/// Whether this is the id of one of these rules.
pub fn is_live(id: &str) -> bool {
    LIVE.iter().any(|rule| rule.id == id)
}

/// How long before its end a certificate is reported.
const BEFORE_END: SignedDuration = SignedDuration::from_hours(14 * 24);

/// How recent the end of a container of a ready Pod is that is reported.
const RECENT: SignedDuration = SignedDuration::from_hours(1);

/// How long an object may take to be deleted after its grace period.
const DELETION: SignedDuration = SignedDuration::from_mins(5);

/// The maximum length of a message of the cluster, in characters.
const MESSAGE: usize = 240;

/// A kind, a namespace and a name.
type Named = (String, String, String);

/// What is kept of an object.
enum Fact {
    /// It is not well.
    Unwell(Box<Unwell>),
    /// A Service that selects pods, or is the backend of a webhook.
    Service(Box<Unwell>),
    /// The endpoints of the Service with this namespace and name: how many are ready, and how many are not.
    Endpoints(String, String, usize, usize),
    /// It needs the Service with this namespace and name.
    Needs(String, String, Box<Unwell>),
    /// A warning about an object, with its time.
    Event(Named, Option<Timestamp>, String),
}

/// An object that is not well.
struct Unwell {
    rule: usize,
    severity: Severity,
    place: Place,
    kind: String,
    object: Named,
    /// Since when; `None` if that is not known.
    since: Option<Timestamp>,
    message: String,
}

/// Finds what is not well in the live objects of `sources` that `selection` selects, the worst first. `now` is the time of
/// the dump. Objects that cannot be read are left to other passes.
pub fn find(
    sources: &[Source],
    selection: &Selection,
    catalog: &Catalog,
    rules: &[&Rule],
    now: Timestamp,
) -> Vec<Finding> {
    let reader = Reader { selection, catalog, now };
    let mut copies = Copies::default();
    let mut states: Vec<(usize, Vec<Fact>)> = Vec::new();
    let visit = |object: &Object<'_>, found: &mut Vec<(ObjectState, Vec<Fact>)>| {
        if let Some(state) = ObjectState::of(object) {
            found.push((state, reader.facts(object).unwrap_or_default()));
        }
    };
    Scan::of(sources).tool_files(ToolFiles::Skipped).objects(visit, |found| {
        for (state, of_object) in found {
            states.push((copies.add(state), of_object));
        }
    });
    // Older states of an object, and one that was deleted, do not count.
    let facts = states.into_iter().filter(|(number, _)| copies.is_object(*number)).map(|(_, facts)| facts);
    let state = State::of(facts);
    let mut unwell = state.unwell();
    unwell.retain(|unwell| rules.iter().any(|rule| rule.id == LIVE[unwell.rule].id));
    unwell.sort_by(|a, b| {
        let key = |unwell: &Unwell| (unwell.severity, unwell.rule, unwell.since.is_none(), unwell.since);
        key(a).cmp(&key(b)).then_with(|| a.object.cmp(&b.object))
    });
    unwell.into_iter().map(|unwell| state.finding(unwell, now)).collect()
}

/// What is known of all objects.
#[derive(Default)]
struct State {
    unwell: Vec<Unwell>,
    services: Vec<Unwell>,
    needs: Vec<(String, String, Unwell)>,
    endpoints: HashMap<(String, String), (usize, usize)>,
    /// The last warning about each object.
    warnings: HashMap<Named, (Option<Timestamp>, String)>,
}

impl State {
    fn of(facts: impl Iterator<Item = Vec<Fact>>) -> Self {
        let mut state = Self::default();
        for fact in facts.flatten() {
            match fact {
                Fact::Unwell(unwell) => state.unwell.push(*unwell),
                Fact::Service(service) => state.services.push(*service),
                Fact::Needs(namespace, name, unwell) => state.needs.push((namespace, name, *unwell)),
                Fact::Endpoints(namespace, name, ready, others) => {
                    let counts = state.endpoints.entry((namespace, name)).or_default();
                    // Endpoints and EndpointSlices say the same.
                    *counts = (counts.0.max(ready), counts.1.max(others));
                }
                Fact::Event(object, time, text) => {
                    let last = state.warnings.entry(object).or_default();
                    if last.1.is_empty() || last.0 <= time {
                        *last = (time, text);
                    }
                }
            }
        }
        state
    }

    /// Everything that is not well. Services are only judged in an input with endpoints.
    fn unwell(&self) -> Vec<Unwell> {
        let mut all: Vec<Unwell> = self.unwell.iter().map(Unwell::copy).collect();
        let known: HashSet<&str> = self.endpoints.keys().map(|(namespace, _)| namespace.as_str()).collect();
        let counts = |namespace: &str, name: &str| {
            self.endpoints.get(&(namespace.to_owned(), name.to_owned())).copied().unwrap_or_default()
        };
        let words = |others: usize| match others {
            0 => "has no endpoints".to_owned(),
            1 => "has 1 endpoint, which is not ready".to_owned(),
            others => format!("has {others} endpoints, none of them ready"),
        };
        let exists: HashSet<(&str, &str)> =
            self.services.iter().map(|service| (&*service.object.1, &*service.object.2)).collect();
        for service in self.services.iter().filter(|service| !service.message.is_empty()) {
            let (_, namespace, name) = &service.object;
            let (ready, others) = counts(namespace, name);
            if ready == 0 && known.contains(namespace.as_str()) {
                all.push(Unwell { message: words(others), ..service.copy() });
            }
        }
        for (namespace, name, unwell) in &self.needs {
            let (ready, others) = counts(namespace, name);
            let is_there = exists.contains(&(namespace.as_str(), name.as_str()));
            let state = match is_there {
                true if ready == 0 && known.contains(namespace.as_str()) => words(others),
                false
                    if !exists.is_empty()
                        && self.services.iter().any(|service| service.object.1 == *namespace) =>
                {
                    "does not exist".to_owned()
                }
                _ => continue,
            };
            let message = format!("{}: its Service {namespace}/{name} {state}", unwell.message);
            all.push(Unwell { message, ..unwell.copy() });
        }
        all
    }

    fn finding(&self, unwell: Unwell, now: Timestamp) -> Finding {
        let mut message = unwell.message;
        if let Some(since) = unwell.since {
            message.push_str(&format!(", since {}", ago(since, now)));
        }
        if let Some((time, text)) =
            self.warnings.get(&unwell.object).filter(|(_, text)| !message.contains(text.as_str()))
        {
            let ago = time.map_or_else(String::new, |time| format!(" {} ago", ago(time, now)));
            message.push_str(&format!("; event{ago}: {text}"));
        }
        let (_, namespace, name) = unwell.object;
        Finding {
            id: LIVE[unwell.rule].id,
            severity: unwell.severity,
            place: unwell.place,
            kind: unwell.kind,
            namespace,
            name,
            message: go::printable(&message).into_owned(),
            excerpt: None,
        }
    }
}

impl Unwell {
    fn copy(&self) -> Self {
        let Self { rule, severity, place, kind, object, since, message } = self;
        Self {
            rule: *rule,
            severity: *severity,
            place: place.clone(),
            kind: kind.clone(),
            object: object.clone(),
            since: *since,
            message: message.clone(),
        }
    }
}

fn ago(time: Timestamp, now: Timestamp) -> String {
    age::human_duration(now.duration_since(time).as_secs().max(0))
}

/// Reads objects, on any thread.
struct Reader<'r> {
    selection: &'r Selection,
    catalog: &'r Catalog,
    now: Timestamp,
}

impl Reader<'_> {
    /// The facts of an object; `None` if it cannot be read.
    fn facts(&self, object: &Object<'_>) -> Option<Vec<Fact>> {
        let head = object.head;
        let (group, _) = gvk::split_api_version(head.api_version);
        let namespace = self.selection.namespace_of(head, self.catalog);
        let mut slots = Vec::new();
        let is_selected = self.selection.slots(object, self.catalog, &mut slots).is_ok() && !slots.is_empty();
        let tree = object.value().ok()?;
        let namespace = namespace.to_owned();
        let mut facts = Facts { now: self.now, object, namespace, is_selected, found: Vec::new() };
        match (group, head.kind) {
            (group, "Event") if events::is_event(group, head.kind) => facts.event(tree),
            ("", "Endpoints") => facts.endpoints(tree),
            ("discovery.k8s.io", "EndpointSlice") => facts.slice(tree),
            ("", "Service") => facts.service(tree),
            ("", "Node") => facts.node(tree),
            ("", "Pod") => facts.pod(tree),
            ("", "PersistentVolumeClaim") => facts.claim(tree),
            ("", "PersistentVolume") if view::text(tree, "status.phase") == "Failed" => {
                let words = view::text(tree, "status.message");
                facts.unwell("volume-failed", None, format!("failed{}", after(": ", words)));
            }
            ("", "Secret") => facts.secret(tree),
            ("", "ResourceQuota") => facts.quota(tree),
            ("batch", "Job") => facts.condition_true(tree, "Failed", "job-failed", "failed"),
            ("apps", "Deployment" | "ReplicaSet" | "StatefulSet") => {
                facts.condition_true(tree, "ReplicaFailure", "rollout-failed", "cannot create its Pods");
                if let Some(condition) = condition(tree, "Progressing")
                    .filter(|condition| view::text(condition, "status") == "False")
                {
                    facts.of_condition(condition, "rollout-failed", "does not progress");
                }
            }
            ("autoscaling", "HorizontalPodAutoscaler") => facts.autoscaler(tree),
            (
                "admissionregistration.k8s.io",
                "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
            ) => {
                facts.webhooks(tree);
            }
            ("apiregistration.k8s.io", "APIService") => {
                if let Some(condition) = condition(tree, "Available")
                    .filter(|condition| view::text(condition, "status") == "False")
                {
                    facts.of_condition(condition, "webhook-unavailable", "is not available");
                }
            }
            ("config.openshift.io", "ClusterOperator") => {
                facts.condition_true(tree, "Degraded", "operator-degraded", "is degraded");
                if let Some(condition) = condition(tree, "Available")
                    .filter(|condition| view::text(condition, "status") == "False")
                {
                    facts.of_condition(condition, "operator-degraded", "is not available");
                }
            }
            ("cert-manager.io", "Certificate") => facts.certificate(tree),
            _ => (),
        }
        facts.deletion(tree);
        Some(facts.found)
    }
}

/// Text with something before it; empty if it is.
fn after(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{}", short(text)) }
}

/// A message of the cluster on one line, cut if it is long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn time(node: &Node, path: &str) -> Option<Timestamp> {
    view::text(node, path).parse().ok()
}

/// The condition of a type.
fn condition<'t>(tree: &'t Node, of: &str) -> Option<&'t Node> {
    view::list(tree, "status.conditions").iter().find(|condition| view::text(condition, "type") == of)
}

/// `Reason: message`, as far as they are there.
fn reason_and_message(node: &Node) -> String {
    let (reason, message) = (view::text(node, "reason"), view::text(node, "message"));
    match (reason, message) {
        ("", message) => short(message),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {}", short(message)),
    }
}

/// The facts of one object.
struct Facts<'f, 'o> {
    now: Timestamp,
    object: &'f Object<'o>,
    namespace: String,
    is_selected: bool,
    found: Vec<Fact>,
}

impl Facts<'_, '_> {
    fn make(&self, id: &str, since: Option<Timestamp>, message: String) -> Box<Unwell> {
        let rule = LIVE.iter().position(|rule| rule.id == id).unwrap_or_default();
        let head = self.object.head;
        let object = (head.kind.to_owned(), self.namespace.clone(), head.name.unwrap_or_default().to_owned());
        let kind = GroupVersionKind::new(head.api_version, head.kind).lower();
        let place = Place { document: None, ..self.object.place() };
        Box::new(Unwell { rule, severity: LIVE[rule].severity, place, kind, object, since, message })
    }

    fn unwell(&mut self, id: &str, since: Option<Timestamp>, message: String) {
        if self.is_selected {
            self.found.push(Fact::Unwell(self.make(id, since, message)));
        }
    }

    fn of_condition(&mut self, condition: &Node, id: &str, words: &str) {
        let message = format!("{words}{}", after(": ", &reason_and_message(condition)));
        self.unwell(id, time(condition, "lastTransitionTime"), message);
    }

    fn condition_true(&mut self, tree: &Node, of: &str, id: &str, words: &str) {
        if let Some(condition) =
            condition(tree, of).filter(|condition| view::text(condition, "status") == "True")
        {
            self.of_condition(condition, id, words);
        }
    }

    fn event(&mut self, tree: &Node) {
        if view::text(tree, "type") != "Warning" {
            return;
        }
        let Some(about) = tree.at("involvedObject").or_else(|| tree.at("regarding")) else { return };
        let own = |key: &str| view::text(about, key).to_owned();
        let times = [
            "series.lastObservedTime",
            "lastTimestamp",
            "deprecatedLastTimestamp",
            "eventTime",
            "firstTimestamp",
        ];
        let time = times.iter().find_map(|path| time(tree, path));
        let message = match view::text(tree, "message") {
            "" => view::text(tree, "note"),
            message => message,
        };
        let text = format!("{}{}", view::text(tree, "reason"), after(": ", message));
        self.found.push(Fact::Event((own("kind"), own("namespace"), own("name")), time, text));
    }

    fn endpoints(&mut self, tree: &Node) {
        let count = |key: &str| {
            let subsets = view::list(tree, "subsets").iter();
            subsets.map(|subset| view::list(subset, key).len()).sum()
        };
        let name = self.object.head.name.unwrap_or_default().to_owned();
        let (ready, others) = (count("addresses"), count("notReadyAddresses"));
        self.found.push(Fact::Endpoints(self.namespace.clone(), name, ready, others));
    }

    fn slice(&mut self, tree: &Node) {
        let label = self.object.head.labels.iter().find(|(key, _)| *key == "kubernetes.io/service-name");
        let Some((_, name)) = label else { return };
        // An endpoint that says nothing is ready (discovery/v1, EndpointConditions).
        let is_ready =
            |endpoint: &&Node| endpoint.at("conditions.ready").and_then(Node::as_bool).unwrap_or(true);
        let endpoints = view::list(tree, "endpoints");
        let ready = endpoints.iter().filter(is_ready).count();
        let fact =
            Fact::Endpoints(self.namespace.clone(), (*name).to_owned(), ready, endpoints.len() - ready);
        self.found.push(fact);
    }

    fn service(&mut self, tree: &Node) {
        let selects = tree.at("spec.selector").and_then(Node::as_map).is_some_and(|map| !map.is_empty());
        let is_external = view::text(tree, "spec.type") == "ExternalName";
        // A Service without a message is only looked up.
        let is_judged = selects && !is_external && self.is_selected;
        let message = if is_judged { "endpoints".to_owned() } else { String::new() };
        self.found.push(Fact::Service(self.make("service-unavailable", None, message)));
    }

    fn node(&mut self, tree: &Node) {
        for condition in view::list(tree, "status.conditions") {
            let (of, status) = (view::text(condition, "type"), view::text(condition, "status"));
            match (of, status) {
                ("Ready", "True") => (),
                ("Ready", _) => self.of_condition(condition, "node-not-ready", "is not ready"),
                ("MemoryPressure" | "DiskPressure" | "PIDPressure" | "NetworkUnavailable", "True") => {
                    self.of_condition(condition, "node-pressure", of);
                }
                _ => (),
            }
        }
    }

    fn pod(&mut self, tree: &Node) {
        let phase = view::text(tree, "status.phase");
        if phase == "Succeeded" || !view::text(tree, "metadata.deletionTimestamp").is_empty() {
            return;
        }
        if let Some(condition) =
            condition(tree, "PodScheduled").filter(|condition| view::text(condition, "status") == "False")
        {
            return self.of_condition(condition, "pod-unschedulable", "cannot be scheduled");
        }
        let ready = condition(tree, "Ready");
        let since = ready.and_then(|ready| time(ready, "lastTransitionTime"));
        let failing: Vec<String> = ["status.initContainerStatuses", "status.containerStatuses"]
            .into_iter()
            .flat_map(|path| view::list(tree, path))
            .filter_map(|status| self.failing(status, phase))
            .collect();
        if phase == "Failed" {
            let reason = tree.at("status").map_or_else(String::new, reason_and_message);
            let words = failing.join("; ");
            let parts: Vec<&str> =
                ["failed", &reason, &words].into_iter().filter(|part| !part.is_empty()).collect();
            return self.unwell("pod-failing", None, parts.join(": "));
        }
        if !failing.is_empty() {
            return self.unwell("pod-failing", since, failing.join("; "));
        }
        let is_ready = ready.is_none_or(|ready| view::text(ready, "status") == "True");
        if !is_ready {
            let statuses = view::list(tree, "status.containerStatuses").iter();
            let not_ready: Vec<&str> = statuses
                .filter(|status| !view::bool(status, "ready"))
                .map(|status| view::text(status, "name"))
                .collect();
            let last: Vec<String> = view::list(tree, "status.containerStatuses")
                .iter()
                .filter_map(|status| self.ended(status, None))
                .collect();
            let names =
                if not_ready.is_empty() { String::new() } else { format!(": {}", not_ready.join(", ")) };
            let ended = after("; ", &last.join("; "));
            return self.unwell("pod-not-ready", since, format!("is not ready{names}{ended}"));
        }
        let ended: Vec<String> = view::list(tree, "status.containerStatuses")
            .iter()
            .filter_map(|status| self.ended(status, Some(RECENT)))
            .collect();
        if !ended.is_empty() {
            self.unwell("pod-restarted", None, ended.join("; "));
        }
    }

    /// What is wrong with a container that does not start or has failed; `None` if nothing is.
    fn failing(&self, status: &Node, phase: &str) -> Option<String> {
        let name = view::text(status, "name");
        if let Some(waiting) = status.at("state.waiting") {
            let reason = view::text(waiting, "reason");
            if matches!(reason, "" | "PodInitializing" | "ContainerCreating") {
                return None;
            }
            let ended = after("; ", &self.ended(status, None).unwrap_or_default());
            let message = after(": ", view::text(waiting, "message"));
            return Some(format!("container {name} is in {reason}{message}{ended}"));
        }
        let terminated = status.at("state.terminated")?;
        if view::int(terminated, "exitCode") == 0 || phase == "Succeeded" {
            return None;
        }
        Some(format!("container {name} {}", self.termination(terminated)))
    }

    /// The last end of a container, within the time if one is given; `None` if it never ended.
    fn ended(&self, status: &Node, within: Option<SignedDuration>) -> Option<String> {
        let terminated = status.at("lastState.terminated")?;
        let finished = time(terminated, "finishedAt");
        if within.is_some_and(|within| finished.is_none_or(|finished| finished < self.now - within)) {
            return None;
        }
        let restarts = view::int(status, "restartCount");
        let restarts = counted(restarts, "restart");
        let name = if within.is_some() {
            format!("container {} ", view::text(status, "name"))
        } else {
            "last ".to_owned()
        };
        Some(format!("{name}{} ({restarts})", self.termination(terminated)))
    }

    /// `ended with exit code 137 3m ago (OOMKilled)`
    fn termination(&self, terminated: &Node) -> String {
        let code = view::int(terminated, "exitCode");
        let when = time(terminated, "finishedAt")
            .map_or_else(String::new, |time| format!(" {} ago", ago(time, self.now)));
        let reason = match view::text(terminated, "reason") {
            "" | "Error" => String::new(),
            reason => format!(" by {reason}"),
        };
        format!("ended{reason} with exit code {code}{when}{}", after(": ", view::text(terminated, "message")))
    }

    fn claim(&mut self, tree: &Node) {
        let phase = view::text(tree, "status.phase");
        if matches!(phase, "Pending" | "Lost") {
            let class = view::text(tree, "spec.storageClassName");
            let of_class = if class.is_empty() { String::new() } else { format!(", of class {class}") };
            self.unwell(
                "claim-not-bound",
                time(tree, "metadata.creationTimestamp"),
                format!("is {phase}{of_class}"),
            );
        }
    }

    fn quota(&mut self, tree: &Node) {
        let hard = tree.at("status.hard").or_else(|| tree.at("spec.hard")).and_then(Node::as_map);
        let used = tree.at("status.used");
        let full = hard.into_iter().flatten().filter_map(|entry| {
            let (hard, used) = (view::scalar(&entry.value)?, view::scalar(used?.get(&entry.key)?)?);
            let (most, now) = (Quantity::parse(&hard)?, Quantity::parse(&used)?);
            (now.as_float() >= most.as_float() && most.as_float() > 0.0)
                .then(|| format!("{} {used} of {hard}", entry.key))
        });
        let full: Vec<String> = full.collect();
        if !full.is_empty() {
            self.unwell("quota-full", None, format!("is used up: {}", full.join(", ")));
        }
    }

    fn autoscaler(&mut self, tree: &Node) {
        for of in ["AbleToScale", "ScalingActive"] {
            if let Some(condition) =
                condition(tree, of).filter(|condition| view::text(condition, "status") == "False")
            {
                return self.of_condition(condition, "autoscaler-limited", "cannot scale");
            }
        }
        let most = view::int(tree, "spec.maxReplicas");
        let limited = condition(tree, "ScalingLimited").filter(|condition| {
            view::text(condition, "status") == "True" && view::text(condition, "reason") == "TooManyReplicas"
        });
        if let Some(condition) = limited {
            let since = time(condition, "lastTransitionTime");
            self.unwell(
                "autoscaler-limited",
                since,
                format!("is at its maximum of {most} replicas and wants more"),
            );
        } else if most > 0
            && view::int(tree, "status.currentReplicas") >= most
            && view::int(tree, "spec.minReplicas") < most
        {
            self.unwell("autoscaler-limited", None, format!("is at its maximum of {most} replicas"));
        }
    }

    fn webhooks(&mut self, tree: &Node) {
        for webhook in view::list(tree, "webhooks") {
            let Some(service) = webhook.at("clientConfig.service").filter(|_| self.is_selected) else {
                continue;
            };
            let is_ignored = view::text(webhook, "failurePolicy") == "Ignore";
            let effect = if is_ignored { "is ignored" } else { "refuses requests" };
            let message = format!("webhook {} {effect}", view::text(webhook, "name"));
            let mut unwell = self.make("webhook-unavailable", None, message);
            if is_ignored {
                unwell.severity = Severity::Warning;
            }
            let (namespace, name) = (view::text(service, "namespace"), view::text(service, "name"));
            self.found.push(Fact::Needs(namespace.to_owned(), name.to_owned(), unwell));
        }
    }

    fn certificate(&mut self, tree: &Node) {
        let not_after = time(tree, "status.notAfter");
        if let Some(condition) =
            condition(tree, "Ready").filter(|condition| view::text(condition, "status") == "False")
        {
            let end = self.end(not_after).map_or_else(String::new, |end| format!("; {end}"));
            let message = format!("is not ready{}{end}", after(": ", &reason_and_message(condition)));
            return self.unwell("certificate-expiring", time(condition, "lastTransitionTime"), message);
        }
        if let Some(end) = self.end(not_after) {
            self.unwell("certificate-expiring", None, end);
        }
    }

    /// A Secret with a certificate. Of a redacted one nothing is known.
    fn secret(&mut self, tree: &Node) {
        let certificate = tree.get("data").and_then(|data| data.get("tls.crt")).and_then(Node::as_str);
        if let Some(end) = self.end(certificate.and_then(certificate::end)) {
            self.unwell("certificate-expiring", None, format!("tls.crt {end}"));
        }
    }

    /// When a certificate ends; `None` if not soon.
    fn end(&self, not_after: Option<Timestamp>) -> Option<String> {
        let (end, now) = (not_after?, self.now);
        if end > now + BEFORE_END {
            return None;
        }
        Some(match end <= now {
            true => format!("ended {} ago", ago(end, now)),
            false => format!("ends in {}", ago(now, end)),
        })
    }

    fn deletion(&mut self, tree: &Node) {
        let Some(deleted) = time(tree, "metadata.deletionTimestamp") else { return };
        // The timestamp is the end of the grace period (meta/v1, DeletionTimestamp).
        if deleted + DELETION > self.now {
            return;
        }
        let finalizers =
            |path: &str| -> Vec<&str> { view::list(tree, path).iter().filter_map(Node::as_str).collect() };
        let mut names = finalizers("metadata.finalizers");
        if self.object.head.kind == "Namespace" {
            names.extend(finalizers("spec.finalizers"));
        }
        let waits =
            if names.is_empty() { String::new() } else { format!(" and waits for {}", names.join(", ")) };
        let is_true = |condition: &&Node| view::text(condition, "status") == "True";
        let reasons: Vec<String> = match self.object.head.kind {
            "Namespace" => view::list(tree, "status.conditions")
                .iter()
                .filter(is_true)
                .map(|condition| short(view::text(condition, "message")))
                .filter(|message| !message.is_empty())
                .collect(),
            _ => Vec::new(),
        };
        let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        self.unwell("not-deleted", Some(deleted), format!("is being deleted{waits}{reasons}"));
    }
}
