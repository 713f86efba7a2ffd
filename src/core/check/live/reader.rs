//! Reads objects, on any thread, and keeps the facts about each.

use std::collections::HashSet;
use std::sync::LazyLock;

use compact_str::CompactString;
use jiff::{SignedDuration, Timestamp};

use super::fact::{Fact, Known, Named, Need, Pod, Service, Unwell, Warning, Workload};
use super::pods::{self, condition};
use super::rules::{self, LIVE};
use super::table;
use super::words::{after, ago, join, reason_and_message, short, time};
use crate::check::certificate;
use crate::check::finding::Severity;
use crate::relation::object_kind::ObjectKind;
use crate::relation::uses::{self, KnownNames};
use crate::selection::Selection;
use kinds::catalog::Catalog;
use kinds::{events, view};
use manifest::object::Object;
use syntax::error::{Error, Place};
use syntax::fields::{FieldSet, Fields};
use syntax::gvk::{self, GroupVersionKind};
use syntax::tree::{Map, Node};
use text::cron::Schedule;
use text::quantity::Quantity;
use text::table::{columns, lines};

/// How long before its end a certificate is reported.
const BEFORE_END: SignedDuration = SignedDuration::from_hours(14 * 24);

/// How long an object may take to be deleted after its grace period.
const DELETION: SignedDuration = SignedDuration::from_mins(5);

/// How late a CronJob may be.
const LATE: SignedDuration = SignedDuration::from_mins(10);

/// How long a certificate may take after its request was approved.
const ISSUE: SignedDuration = SignedDuration::from_mins(5);

/// How much of a quota may be used without a finding, in percent.
const NEARLY_FULL: f64 = 95.0;

/// What is read of an object whose kind has no rule of its own.
const SOME: &[&str] = &[
    "metadata.deletionTimestamp",
    "metadata.finalizers",
    "metadata.ownerReferences",
    "spec.finalizers",
    "status",
];

/// What is read of a Pod, of which the containers are the most.
const OF_POD: &[&str] = &[
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
    "metadata.finalizers",
    "metadata.ownerReferences",
    "spec.nodeName",
    "status",
];

/// The rows of `needs.txt`, which explains them.
static NEEDS: LazyLock<Vec<[&str; 3]>> =
    LazyLock::new(|| lines(include_str!("needs.txt")).map(columns).collect());

/// Reads objects.
pub(super) struct Reader<'r> {
    selection: &'r Selection,
    catalog: &'r Catalog,
    now: Timestamp,
    some: FieldSet,
    of_pod: FieldSet,
}

impl<'r> Reader<'r> {
    pub fn new(selection: &'r Selection, catalog: &'r Catalog, now: Timestamp) -> Self {
        Self { selection, catalog, now, some: FieldSet::of(SOME), of_pod: FieldSet::of(OF_POD) }
    }

    /// The facts of an object.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read(&self, object: &Object<'_>) -> Result<Known, Error> {
        let head = object.head;
        let (group, _) = gvk::split_api_version(head.api_version);
        let resource = self.catalog.of(head.api_version, head.kind);
        let is_custom = !resource.is_some_and(|resource| resource.is_built_in());
        let namespace = self.selection.namespace_of(head, self.catalog);
        let mut slots = Vec::new();
        let is_selected = self.selection.slots(object, self.catalog, &mut slots).is_ok() && !slots.is_empty();
        let fields = match (group, head.kind) {
            ("", "Pod") => Fields::only(&self.of_pod),
            ("", "ConfigMap") => Fields::only(&self.some),
            ("" | "apps" | "batch", _) => Fields::without(&["managedFields", "template"]),
            _ if is_custom && !matches!(group, "gateway.networking.k8s.io" | "cert-manager.io") => {
                Fields::only(&self.some)
            }
            _ => Fields::without(&["managedFields"]),
        };
        let tree = object.fields(fields)?;
        let name = head.name.unwrap_or_default();
        let named = (head.kind.into(), namespace.into(), name.into());
        let mut facts = Facts { reader: self, object, named, is_selected, found: vec![Fact::Exists] };
        facts.read(group, &tree);
        if is_custom {
            facts.custom(&tree);
        }
        facts.deletion(&tree);
        Ok(Known { object: facts.named, facts: facts.found })
    }
}

/// The facts of one object.
struct Facts<'f, 'o> {
    reader: &'f Reader<'f>,
    object: &'f Object<'o>,
    named: Named,
    is_selected: bool,
    found: Vec<Fact>,
}

impl Facts<'_, '_> {
    fn read(&mut self, group: &str, tree: &Node) {
        for bad in table::own(group, self.object.head.kind, tree) {
            let words = format!("{}{}", bad.words, after(": ", &reason_and_message(bad.reason)));
            self.unwell(bad.rule, time(bad.reason, "lastTransitionTime"), words);
        }
        match (group, self.object.head.kind) {
            (group, kind) if events::is_event(group, kind) => self.event(tree),
            ("", "Endpoints") => self.endpoints(tree),
            ("discovery.k8s.io", "EndpointSlice") => self.slice(tree),
            ("", "Service") => self.service(tree),
            ("", "Node") => self.node(tree),
            ("coordination.k8s.io", "Lease") => self.lease(tree),
            ("", "ComponentStatus") => self.component(tree),
            ("", "Pod") => self.pod(tree),
            ("apps", "Deployment" | "StatefulSet" | "ReplicaSet" | "DaemonSet")
            | ("", "ReplicationController") => {
                self.workload(tree);
            }
            ("batch", "Job") => self.job(tree),
            ("batch", "CronJob") => self.cron_job(tree),
            ("autoscaling", "HorizontalPodAutoscaler") => self.autoscaler(tree),
            ("policy", "PodDisruptionBudget") => self.budget(tree),
            ("", "PersistentVolumeClaim") => self.claim(tree),
            ("", "PersistentVolume") => self.volume(tree),
            ("storage.k8s.io", "VolumeAttachment") => self.attachment(tree),
            ("", "Secret") => self.secret(tree),
            ("", "ResourceQuota") => self.quota(tree),
            ("certificates.k8s.io", "CertificateSigningRequest") => self.request(tree),
            (
                "admissionregistration.k8s.io",
                "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
            ) => {
                self.webhooks(tree);
            }
            ("apiregistration.k8s.io", "APIService") => self.aggregated(tree),
            ("cert-manager.io", "Certificate") => self.certificate(tree),
            _ => (),
        }
        self.references(tree);
    }

    fn now(&self) -> Timestamp {
        self.reader.now
    }

    /// What is reported of the object; `None` if it is not selected.
    fn make(&self, id: &str, since: Option<Timestamp>, words: String) -> Option<Box<Unwell>> {
        if !self.is_selected {
            return None;
        }
        let rule = rules::number(id);
        let head = self.object.head;
        Some(Box::new(Unwell {
            rule,
            severity: LIVE[rule].severity,
            place: Place { document: None, ..self.object.place() },
            kind: GroupVersionKind::new(head.api_version, head.kind).lower(),
            object: self.named.clone(),
            since,
            words,
            detail: String::new(),
            state: String::new(),
            follows: false,
            leads: false,
        }))
    }

    fn unwell(&mut self, id: &str, since: Option<Timestamp>, words: impl Into<String>) {
        let unwell = self.make(id, since, words.into());
        self.found.extend(unwell.map(Fact::Unwell));
    }

    /// Adds what is not well and can wait.
    fn warns(&mut self, id: &str, since: Option<Timestamp>, words: impl Into<String>) {
        let unwell = self.make(id, since, words.into());
        self.found.extend(
            unwell.map(|unwell| Fact::Unwell(Box::new(Unwell { severity: Severity::Warning, ..*unwell }))),
        );
    }

    /// Something that the object needs; what is wrong with that follows the words.
    fn needs(&mut self, id: &str, words: String, kind: &str, namespace: &str, name: &str) {
        let object = (kind.into(), namespace.into(), name.into());
        let unwell = self.make(id, None, words).filter(|_| !name.is_empty());
        self.found.extend(unwell.map(|unwell| Fact::Needs(Box::new(Need { object, unwell }))));
    }

    fn owner(tree: &Node) -> (CompactString, CompactString) {
        let mut owners = view::list(tree, "metadata.ownerReferences").iter();
        let owner = owners.find(|owner| view::bool(owner, "controller"));
        owner.map_or_else(Default::default, |owner| {
            (view::text(owner, "kind").into(), view::text(owner, "name").into())
        })
    }

    fn event(&mut self, tree: &Node) {
        if view::text(tree, "type") != "Warning" {
            return;
        }
        let Some(about) = tree.at("involvedObject").or_else(|| tree.at("regarding")) else { return };
        let own = |key: &str| CompactString::from(view::text(about, key));
        let times = [
            "series.lastObservedTime",
            "lastTimestamp",
            "deprecatedLastTimestamp",
            "eventTime",
            "firstTimestamp",
        ];
        let message = [view::text(tree, "message"), view::text(tree, "note")].concat();
        let count =
            ["series.count", "count", "deprecatedCount"].iter().map(|path| view::int(tree, path)).max();
        let about = (own("kind"), own("namespace"), own("name"));
        let mut unwell = self.make("warning-event", None, view::text(tree, "reason").to_owned());
        if let Some(unwell) = &mut unwell {
            let api_version = own("apiVersion");
            unwell.kind = GroupVersionKind::new(&api_version, &about.0).lower();
            unwell.object = about.clone();
        }
        self.found.push(Fact::Event(Box::new(Warning {
            about,
            reason: view::text(tree, "reason").into(),
            message: short(&message),
            count: count.unwrap_or_default().max(1),
            time: times.iter().find_map(|path| time(tree, path)),
            unwell,
        })));
    }

    fn endpoints(&mut self, tree: &Node) {
        let count = |key: &str| {
            let subsets = view::list(tree, "subsets").iter();
            subsets.map(|subset| view::list(subset, key).len()).sum()
        };
        let fact = Fact::Endpoints(self.named.2.clone(), count("addresses"), count("notReadyAddresses"));
        self.found.push(fact);
    }

    fn slice(&mut self, tree: &Node) {
        let label = self.object.head.labels.iter().find(|(key, _)| *key == "kubernetes.io/service-name");
        let Some((_, name)) = label else { return };
        // An endpoint that says nothing is ready (discovery/v1, EndpointConditions).
        let is_ready =
            |endpoint: &&Node| endpoint.at("conditions.ready").and_then(Node::as_bool).unwrap_or(true);
        let endpoints = view::list(tree, "endpoints");
        let ready = endpoints.iter().filter(is_ready).count();
        self.found.push(Fact::Endpoints((*name).into(), ready, endpoints.len() - ready));
    }

    fn service(&mut self, tree: &Node) {
        let selector = tree.at("spec.selector").and_then(Node::as_map).into_iter().flat_map(Map::iter);
        let selector: Vec<(CompactString, CompactString)> = selector
            .filter_map(|entry| Some((entry.key.as_str().into(), entry.value.as_str()?.into())))
            .collect();
        let of = view::text(tree, "spec.type");
        let is_judged = !selector.is_empty() && of != "ExternalName";
        let unwell = self.make("service-unavailable", None, String::new()).filter(|_| is_judged);
        self.found.push(Fact::Service(Box::new(Service { selector, unwell })));
        if of == "LoadBalancer" && view::list(tree, "status.loadBalancer.ingress").is_empty() {
            self.unwell("load-balancer-pending", time(tree, "metadata.creationTimestamp"), "has no address");
        }
    }

    /// What the object refers to and cannot do without.
    fn references(&mut self, tree: &Node) {
        let (head, namespace) = (self.object.head, self.named.1.clone());
        if NEEDS.iter().all(|[kind, ..]| *kind != head.kind) {
            return;
        }
        let mut seen = HashSet::new();
        for one in uses::references(
            ObjectKind::new(head, &namespace),
            tree,
            self.reader.catalog,
            &KnownNames::default(),
        ) {
            let need = NEEDS.iter().find(|[kind, other, _]| (*kind, *other) == (head.kind, one.kind));
            if let (Some([_, other, words]), Some(namespace)) = (need, one.namespace)
                && seen.insert((*other, namespace, one.name.clone()))
            {
                self.needs("service-unavailable", format!("{words} "), other, namespace, &one.name);
            }
        }
    }

    fn node(&mut self, tree: &Node) {
        let mut is_ready = false;
        for condition in view::list(tree, "status.conditions") {
            let (of, status) = (view::text(condition, "type"), view::text(condition, "status"));
            let (since, why) =
                (time(condition, "lastTransitionTime"), after(": ", &reason_and_message(condition)));
            match (of, status) {
                ("Ready", "True") => is_ready = true,
                ("Ready", _) => {
                    let words = if status == "Unknown" { "does not answer" } else { "is not ready" };
                    self.unwell("node-not-ready", since, format!("{words}{why}"));
                }
                _ if table::is_node_problem(of, status) => {
                    self.unwell("node-pressure", since, format!("{of}{why}"))
                }
                _ => (),
            }
        }
        let taints = view::list(tree, "spec.taints");
        let taint = |key: &str| taints.iter().find(|taint| view::text(taint, "key") == key);
        if view::bool(tree, "spec.unschedulable") {
            let since = taint("node.kubernetes.io/unschedulable").and_then(|taint| time(taint, "timeAdded"));
            self.unwell("node-cordoned", since, "is cordoned");
        }
        if taint("node.cloudprovider.kubernetes.io/uninitialized").is_some() {
            self.warns(
                "node-not-ready",
                time(tree, "metadata.creationTimestamp"),
                "waits for its cloud provider",
            );
        }
        if is_ready {
            let beats = view::list(tree, "status.conditions").iter();
            let last = beats.filter_map(|condition| time(condition, "lastHeartbeatTime")).max();
            let unwell = self.make(
                "heartbeat-stopped",
                last,
                "says that it is ready, but its heartbeat has stopped".to_owned(),
            );
            self.found.extend(last.map(|last| Fact::Alive(last, unwell)));
        }
    }

    fn lease(&mut self, tree: &Node) {
        let Some(renewed) = time(tree, "spec.renewTime") else { return };
        let (namespace, name) = (self.named.1.as_str(), self.named.2.as_str());
        let is_component =
            matches!(name, "kube-controller-manager" | "kube-scheduler" | "cloud-controller-manager");
        let is_held = !view::text(tree, "spec.holderIdentity").is_empty();
        let unwell = match namespace {
            "kube-node-lease" => {
                self.make("heartbeat-stopped", Some(renewed), "its node no longer renews it".to_owned())
            }
            "kube-system" if is_component && is_held => {
                self.make("heartbeat-stopped", Some(renewed), format!("{name} no longer renews it"))
            }
            _ => None,
        };
        self.found.push(Fact::Alive(renewed, unwell));
    }

    fn component(&mut self, tree: &Node) {
        let mut conditions = view::list(tree, "conditions").iter();
        let is_healthy = |condition: &&Node| view::text(condition, "type") == "Healthy";
        if let Some(condition) = conditions.find(is_healthy).filter(|one| view::text(one, "status") != "True")
        {
            let message = [view::text(condition, "message"), view::text(condition, "error")].join(" ");
            self.unwell("operator-degraded", None, format!("is not healthy{}", after(": ", message.trim())));
        }
    }

    fn pod(&mut self, tree: &Node) {
        let problem = pods::problem(tree, self.now());
        let unwell = problem.and_then(|problem| {
            let unwell = self.make(problem.rule, problem.since, problem.words)?;
            Some(Box::new(Unwell { detail: problem.detail, ..*unwell }))
        });
        let phase = view::text(tree, "status.phase");
        let ready = condition(tree, "Ready");
        let statuses = view::list(tree, "status.containerStatuses");
        let is_ready = match ready {
            Some(ready) => view::text(ready, "status") == "True",
            None => !statuses.is_empty() && statuses.iter().all(|status| view::bool(status, "ready")),
        };
        let labels = self.object.head.labels.iter();
        // Only a Pod that waits may wait for a claim.
        let claims = unwell.as_ref().filter(|_| phase == "Pending").and_then(|_| self.object.value().ok());
        let claims = claims.map_or(&[][..], |pod| view::list(pod, "spec.volumes")).iter();
        let claims = claims.map(|volume| view::text(volume, "persistentVolumeClaim.claimName"));
        self.found.push(Fact::Pod(Box::new(Pod {
            labels: labels.map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            owner: Self::owner(tree),
            node: view::text(tree, "spec.nodeName").into(),
            is_ready,
            since: ready.and_then(|ready| time(ready, "lastTransitionTime")),
            has_ended: matches!(phase, "Succeeded" | "Failed"),
            claims: claims.filter(|name| !name.is_empty()).map(CompactString::from).collect(),
            unwell,
        })));
    }

    fn workload(&mut self, tree: &Node) {
        let (wants, ready) = match self.object.head.kind {
            "DaemonSet" => ("status.desiredNumberScheduled", "status.numberReady"),
            _ => ("spec.replicas", "status.readyReplicas"),
        };
        let default = i64::from(self.object.head.kind != "DaemonSet");
        let wants = tree.at(wants).and_then(Node::as_int).unwrap_or(default);
        let is_known = tree.at("status").and_then(Node::as_map).is_some_and(|status| !status.is_empty());
        let since =
            condition(tree, "Available").filter(|available| view::text(available, "status") == "False");
        let since = since.and_then(|available| time(available, "lastTransitionTime"));
        let unwell = self.make("workload-unavailable", since, String::new());
        self.found.push(Fact::Workload(Box::new(Workload {
            owner: Self::owner(tree),
            wants,
            ready: view::int(tree, ready),
            unwell: unwell.filter(|_| is_known && !view::bool(tree, "spec.paused")),
        })));
    }

    fn job(&mut self, tree: &Node) {
        let is_complete = condition(tree, "Complete").is_some_and(|one| view::text(one, "status") == "True");
        // A Job asks for pods only until it ends; it counts as well once it has.
        let wants = i64::from(!is_complete);
        self.found.push(Fact::Workload(Box::new(Workload {
            owner: Self::owner(tree),
            wants,
            ready: 0,
            unwell: None,
        })));
    }

    fn cron_job(&mut self, tree: &Node) {
        if view::bool(tree, "spec.suspend") {
            return self.unwell("schedule-missed", None, "is suspended");
        }
        let last = time(tree, "status.lastScheduleTime");
        let Some(from) = last.or_else(|| time(tree, "metadata.creationTimestamp")) else { return };
        let Ok(schedule) = Schedule::parse(view::text(tree, "spec.schedule")) else { return };
        let Some(period) = schedule.longest_period(from) else { return };
        let is_late = self.now().duration_since(from) > period.saturating_add(LATE);
        match last {
            Some(last) if is_late => {
                self.unwell("schedule-missed", Some(last), "has not run when it should have")
            }
            None if is_late => self.unwell("schedule-missed", Some(from), "has never run"),
            _ => (),
        }
    }

    fn autoscaler(&mut self, tree: &Node) {
        if self.found.iter().any(|fact| matches!(fact, Fact::Unwell(_))) {
            return;
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
            && tree.at("spec.minReplicas").and_then(Node::as_int).unwrap_or(1) < most
        {
            self.unwell("autoscaler-limited", None, format!("is at its maximum of {most} replicas"));
        }
    }

    fn budget(&mut self, tree: &Node) {
        let [expected, allowed, healthy, desired] =
            ["expectedPods", "disruptionsAllowed", "currentHealthy", "desiredHealthy"]
                .map(|key| tree.at(&format!("status.{key}")).and_then(Node::as_int));
        if allowed == Some(0) && expected.is_some_and(|expected| expected > 0) {
            let (healthy, desired) = (healthy.unwrap_or_default(), desired.unwrap_or_default());
            let since = condition(tree, "DisruptionAllowed").and_then(|one| time(one, "lastTransitionTime"));
            let words = format!(
                "allows no disruption, so nodes cannot be drained: {healthy} healthy, {desired} needed"
            );
            self.unwell("budget-exhausted", since, words);
        }
    }

    fn claim(&mut self, tree: &Node) {
        let phase = view::text(tree, "status.phase");
        let class = view::text(tree, "spec.storageClassName");
        if matches!(phase, "Pending" | "Lost") {
            let of_class = after(", of class ", class);
            self.unwell(
                "claim-not-bound",
                time(tree, "metadata.creationTimestamp"),
                format!("is {phase}{of_class}"),
            );
            if phase == "Pending" {
                self.needs("claim-not-bound", String::new(), "StorageClass", "", class);
            }
        }
    }

    fn volume(&mut self, tree: &Node) {
        let words = after(": ", view::text(tree, "status.message"));
        let since = time(tree, "status.lastPhaseTransitionTime");
        match view::text(tree, "status.phase") {
            "Failed" => self.unwell("volume-failed", since, format!("failed{words}")),
            "Released" => {
                let claim = ["namespace", "name"]
                    .map(|key| view::text(tree, &format!("spec.claimRef.{key}")))
                    .join("/");
                self.unwell("volume-failed", since, format!("is Released: its claim {claim} is gone{words}"));
            }
            _ => (),
        }
    }

    fn attachment(&mut self, tree: &Node) {
        for (error, words) in [("attachError", "cannot be attached"), ("detachError", "cannot be detached")] {
            if let Some(error) = tree.at("status").and_then(|status| status.get(error)) {
                let (volume, node) =
                    (view::text(tree, "spec.source.persistentVolumeName"), view::text(tree, "spec.nodeName"));
                let message = after(": ", view::text(error, "message"));
                self.unwell(
                    "volume-failed",
                    time(error, "time"),
                    format!("volume {volume} {words} on {node}{message}"),
                );
            }
        }
    }

    fn quota(&mut self, tree: &Node) {
        let hard = tree.at("status.hard").or_else(|| tree.at("spec.hard")).and_then(Node::as_map);
        let used = tree.at("status.used");
        let full = hard.into_iter().flatten().filter_map(|entry| {
            let (hard, used) = (view::scalar(&entry.value)?, view::scalar(used?.get(&entry.key)?)?);
            let (most, now) = (Quantity::parse(&hard)?.as_float(), Quantity::parse(&used)?.as_float());
            (most > 0.0 && now * 100.0 >= most * NEARLY_FULL)
                .then(|| (now >= most, format!("{} {used} of {hard}", entry.key)))
        });
        let full: Vec<(bool, String)> = full.collect();
        let words = if full.iter().any(|(is_full, _)| *is_full) { "is used up" } else { "is nearly used up" };
        if !full.is_empty() {
            let parts: Vec<String> = full.into_iter().map(|(_, part)| part).collect();
            self.unwell("quota-full", None, format!("{words}: {}", parts.join(", ")));
        }
    }

    fn request(&mut self, tree: &Node) {
        let created = time(tree, "metadata.creationTimestamp");
        let of = |of: &str| condition(tree, of);
        if let Some(failed) = of("Failed") {
            let why = after(": ", &reason_and_message(failed));
            return self.unwell(
                "request-pending",
                time(failed, "lastTransitionTime"),
                format!("failed{why}"),
            );
        }
        if of("Denied").is_some() {
            return;
        }
        let signer = after(", signer ", view::text(tree, "spec.signerName"));
        match of("Approved") {
            None => self.unwell("request-pending", created, format!("waits for approval{signer}")),
            Some(approved) if view::text(tree, "status.certificate").is_empty() => {
                let since = time(approved, "lastTransitionTime").or(created);
                if since.is_none_or(|since| since < self.now() - ISSUE) {
                    self.unwell(
                        "request-pending",
                        since,
                        format!("is approved, but has no certificate{signer}"),
                    );
                }
            }
            Some(_) => (),
        }
    }

    fn webhooks(&mut self, tree: &Node) {
        for webhook in view::list(tree, "webhooks") {
            let Some(service) = webhook.at("clientConfig.service") else { continue };
            let is_ignored = view::text(webhook, "failurePolicy") == "Ignore";
            let effect = if is_ignored { "is ignored" } else { "refuses requests" };
            let words = format!("webhook {} {effect}: ", view::text(webhook, "name"));
            self.needs(
                "webhook-unavailable",
                words,
                "Service",
                view::text(service, "namespace"),
                view::text(service, "name"),
            );
            if let Some(Fact::Needs(need)) = self.found.last_mut().filter(|_| is_ignored) {
                need.unwell.severity = Severity::Warning;
            }
        }
    }

    fn aggregated(&mut self, tree: &Node) {
        let is_available = !self.found.iter().any(|fact| matches!(fact, Fact::Unwell(_)));
        let Some(service) = tree.at("spec.service").filter(|service| is_available && !service.is_null())
        else {
            return;
        };
        let (namespace, name) = (view::text(service, "namespace"), view::text(service, "name"));
        self.needs("webhook-unavailable", "does not answer: ".to_owned(), "Service", namespace, name);
    }

    fn certificate(&mut self, tree: &Node) {
        let end = self.end(time(tree, "status.notAfter"));
        match (self.found.last_mut(), end) {
            (Some(Fact::Unwell(unwell)), Some(end)) => unwell.words.push_str(&format!("; {end}")),
            (_, Some(end)) => self.unwell("certificate-expiring", None, end),
            _ => (),
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
        let (end, now) = (not_after?, self.now());
        if end > now + BEFORE_END {
            return None;
        }
        Some(match end <= now {
            true => format!("ended {} ago", ago(end, now)),
            false => format!("ends in {}", ago(now, end)),
        })
    }

    /// What a custom resource says of itself.
    fn custom(&mut self, tree: &Node) {
        if self.found.iter().any(|fact| matches!(fact, Fact::Unwell(_))) {
            return;
        }
        if let Some(bad) = table::custom(tree) {
            let why = match bad.message {
                "" => reason_and_message(bad.reason),
                path => {
                    let texts = [path, "status.reason", "status.failureMessage", "status.errorMessage"];
                    texts
                        .iter()
                        .map(|path| view::text(bad.reason, path))
                        .find(|text| !text.is_empty())
                        .unwrap_or_default()
                        .to_owned()
                }
            };
            let since = time(bad.reason, "lastTransitionTime");
            self.unwell(bad.rule, since, format!("{}{}", bad.words, after(": ", &why)));
        } else if let Some(error) = tree
            .at("status.error")
            .map(|error| view::text(error, "message"))
            .filter(|error| !error.is_empty())
        {
            // Volume snapshots (snapshot.storage.k8s.io/v1, VolumeSnapshotError).
            self.unwell(
                "volume-failed",
                time(tree, "status.error.time"),
                format!("has an error{}", after(": ", error)),
            );
        }
    }

    fn deletion(&mut self, tree: &Node) {
        let Some(deleted) = time(tree, "metadata.deletionTimestamp") else { return };
        // The timestamp is the end of the grace period (meta/v1, DeletionTimestamp).
        if deleted + DELETION > self.now() {
            return;
        }
        let finalizers =
            |path: &str| -> Vec<&str> { view::list(tree, path).iter().filter_map(Node::as_str).collect() };
        let is_namespace = self.object.head.kind == "Namespace";
        let mut names = finalizers("metadata.finalizers");
        names.extend(finalizers("spec.finalizers").into_iter().filter(|_| is_namespace));
        let waits = after(" and waits for ", &names.join(", "));
        let conditions = view::list(tree, "status.conditions").iter().filter(|_| is_namespace);
        let reasons = conditions.filter(|condition| view::text(condition, "status") == "True");
        let reasons = join(reasons.map(|condition| short(view::text(condition, "message"))).collect());
        let reasons = if reasons.is_empty() { reasons } else { format!(": {reasons}") };
        self.unwell("not-deleted", Some(deleted), format!("is being deleted{waits}{reasons}"));
    }
}
