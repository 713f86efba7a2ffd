//! What is not well, by the facts about all objects: what follows from what, and what is no problem in its place.

use std::collections::{BTreeMap, HashMap, HashSet};

use compact_str::CompactString;
use jiff::{SignedDuration, Timestamp};

use super::fact::{Fact, Known, Named, Need, Pod, Service, Unwell, Warning, Workload};
use super::rules;
use super::survey::Survey;
use super::words::{after, ago, join};
use crate::check::finding::Severity;
use text::plural::counted;

/// How long a heartbeat may be older than the newest time of the cluster: collecting a dump takes a while.
const SILENCE: SignedDuration = SignedDuration::from_mins(30);

/// How long ago the warnings are that are reported.
const WARNINGS: SignedDuration = SignedDuration::from_hours(24);

/// How long ago warnings about a workload are that has all its pods since.
const SETTLED: SignedDuration = SignedDuration::from_mins(10);

/// How many causes of a workload's missing pods are named.
const CAUSES: usize = 2;

/// The kinds that others need, of which every object is known by name.
const NEEDED: [&str; 5] = ["Service", "Secret", "IngressClass", "StorageClass", "GatewayClass"];

/// A namespace and a name.
type InNamespace = (CompactString, CompactString);

/// What is known of all objects.
#[derive(Default)]
pub(super) struct State {
    pub survey: Survey,
    unwell: Vec<Unwell>,
    pods: Vec<(Named, Pod)>,
    workloads: HashMap<Named, Workload>,
    services: BTreeMap<InNamespace, Service>,
    endpoints: HashMap<InNamespace, (usize, usize)>,
    needs: Vec<Need>,
    alive: Vec<(Named, Timestamp, Option<Box<Unwell>>)>,
    warnings: Vec<Warning>,
    /// The objects of the kinds that others need.
    exist: HashSet<Named>,
    /// The kinds that others need, with the namespaces in which there are any.
    known: HashSet<(CompactString, CompactString)>,
}

impl State {
    pub fn add(&mut self, known: Known) {
        let Known { object, facts } = known;
        self.survey.add(&object);
        for fact in facts {
            match fact {
                Fact::Exists if NEEDED.contains(&object.0.as_str()) => {
                    self.known.insert((object.0.clone(), object.1.clone()));
                    self.exist.insert(object.clone());
                }
                Fact::Exists => (),
                Fact::Unwell(unwell) => self.unwell.push(*unwell),
                Fact::Pod(pod) => self.pods.push((object.clone(), *pod)),
                Fact::Workload(workload) => drop(self.workloads.insert(object.clone(), *workload)),
                Fact::Service(service) => {
                    self.services.insert((object.1.clone(), object.2.clone()), *service);
                }
                Fact::Endpoints(name, ready, others) => {
                    let counts = self.endpoints.entry((object.1.clone(), name)).or_default();
                    // Endpoints and EndpointSlices say the same.
                    *counts = (counts.0.max(ready), counts.1.max(others));
                }
                Fact::Needs(need) => self.needs.push(*need),
                Fact::Alive(time, unwell) => self.alive.push((object.clone(), time, unwell)),
                Fact::Event(warning) => self.warnings.push(*warning),
            }
        }
    }

    /// Everything that is not well, in the order of the first screen, and what was looked at.
    pub fn conclude(mut self, now: Timestamp) -> (Vec<Unwell>, Survey) {
        self.heartbeats();
        self.pods();
        self.workloads();
        let broken = self.services();
        self.needs(&broken);
        self.warnings(now);
        let not_ready = of_rule(&self.unwell, "node-not-ready").count();
        let pods = self.pods.iter().filter(|(_, pod)| !pod.is_ready && !pod.has_ended).count();
        self.survey.count(not_ready, pods);
        self.unwell.sort_by(|a, b| {
            let key = |one: &Unwell| {
                // A claim comes before the pod that waits for it.
                let part = if one.leads {
                    rules::part(rules::number("workload-unavailable")).0
                } else {
                    rules::part(one.rule).0
                };
                (part, !one.leads, one.severity, one.rule, one.since.is_none(), one.since)
            };
            key(a).cmp(&key(b)).then_with(|| a.object.cmp(&b.object))
        });
        (self.unwell, self.survey)
    }

    /// Nodes and components whose heartbeats are much older than the newest time of the cluster.
    fn heartbeats(&mut self) {
        let of_nodes = self.alive.iter().map(|(_, time, _)| *time);
        // Nodes are compared with each other, because what is collected later says later times; a single one with anything.
        let is_single = self.alive.iter().filter(|(object, _, _)| object.0 == "Node").count() < 2;
        let of_pods = self.pods.iter().filter_map(|(_, pod)| pod.since);
        let of_events = self.warnings.iter().filter_map(|warning| warning.time);
        let others = of_pods.chain(of_events).filter(|_| is_single);
        let Some(newest) = of_nodes.chain(others).max() else { return };
        let ready: HashSet<CompactString> = self
            .alive
            .iter()
            .filter(|(object, time, _)| object.0 == "Node" && *time >= newest - SILENCE)
            .map(|(object, _, _)| object.2.clone())
            .collect();
        for (object, time, unwell) in std::mem::take(&mut self.alive) {
            // The Node itself says more than its Lease, and a Node that is gone needs none.
            let is_told = object.1 == "kube-node-lease" && !ready.contains(&object.2);
            self.unwell.extend(unwell.filter(|_| time < newest - SILENCE && !is_told).map(|unwell| *unwell));
        }
    }

    /// The workload that a Pod or another workload belongs to in the end; `None` if the input does not have it.
    fn top(&self, namespace: &str, owner: &(CompactString, CompactString)) -> Option<Named> {
        let mut top = None;
        let mut owner = owner.clone();
        // A Pod of a CronJob has three owners above it; more would be a circle.
        for _ in 0..4 {
            let named = (owner.0, namespace.into(), owner.1);
            let Some(workload) = self.workloads.get(&named) else { break };
            owner = workload.owner.clone();
            top = Some(named);
        }
        top
    }

    /// What is wrong with Pods, and why it is no problem, or follows from another one.
    fn pods(&mut self) {
        let down: HashSet<CompactString> = ["node-not-ready", "heartbeat-stopped"]
            .iter()
            .flat_map(|id| of_rule(&self.unwell, id))
            .map(|one| one.object.2.clone())
            .collect();
        let ready: HashSet<(CompactString, CompactString, CompactString)> = self
            .pods
            .iter()
            .filter(|(_, pod)| pod.is_ready)
            .map(|(object, pod)| (object.1.clone(), pod.owner.0.clone(), pod.owner.1.clone()))
            .collect();
        let mut pending: HashMap<InNamespace, usize> = HashMap::new();
        for (at, one) in self.unwell.iter().enumerate().filter(|(_, one)| one.id() == "claim-not-bound") {
            pending.insert((one.object.1.clone(), one.object.2.clone()), at);
        }
        let mut pods = std::mem::take(&mut self.pods);
        for (object, pod) in &mut pods {
            let top = self.top(&object.1, &pod.owner).and_then(|top| self.workloads.get(&top));
            let is_over = pod.has_ended
                && match top {
                    Some(workload) => workload.ready >= workload.wants,
                    None => ready.contains(&(object.1.clone(), pod.owner.0.clone(), pod.owner.1.clone())),
                };
            if is_over {
                pod.unwell = None;
            }
            let Some(unwell) = &mut pod.unwell else { continue };
            for claim in &pod.claims {
                if let Some(at) = pending.get(&(object.1.clone(), claim.clone())) {
                    self.unwell[*at].leads = true;
                    unwell.words = format!("waits for claim {claim}, which is not bound");
                }
            }
            if down.contains(&pod.node) && unwell.id() == "pod-not-ready" {
                unwell.words = format!("is on node {}, which is not ready", pod.node);
                unwell.follows = true;
            }
        }
        self.pods = pods;
    }

    /// Workloads with too few ready pods, and why: what is wrong with their pods, or why there are none.
    fn workloads(&mut self) {
        let mut causes: HashMap<Named, BTreeMap<String, usize>> = HashMap::new();
        for (object, pod) in &self.pods {
            let Some(unwell) = &pod.unwell else { continue };
            if let Some(top) = self.top(&object.1, &pod.owner) {
                *causes.entry(top).or_default().entry(unwell.words.clone()).or_default() += 1;
            }
        }
        let mut told: HashMap<Named, usize> = HashMap::new();
        let mut names: Vec<&Named> = self.workloads.keys().collect();
        names.sort_unstable();
        let mut found = Vec::new();
        for name in names {
            let workload = &self.workloads[name];
            let has_owner = self.top(&name.1, &workload.owner).is_some();
            let Some(unwell) =
                workload.unwell.as_ref().filter(|_| workload.ready < workload.wants && !has_owner)
            else {
                continue;
            };
            let mut unwell = (**unwell).clone();
            if workload.ready > 0 {
                unwell.severity = Severity::Warning;
            }
            unwell.state = format!("{}/{}", workload.ready, workload.wants);
            unwell.words = summary(causes.get(name));
            told.insert(name.clone(), found.len());
            found.push(unwell);
        }
        let failed: HashSet<Named> = ["rollout-failed", "job-failed"]
            .iter()
            .flat_map(|id| of_rule(&self.unwell, id))
            .map(|one| one.object.clone())
            .collect();
        for at in 0..self.unwell.len() {
            let one = &self.unwell[at];
            if one.id() != "rollout-failed" {
                continue;
            }
            let owner = self.workloads.get(&one.object).map(|workload| workload.owner.clone());
            let above = owner.and_then(|owner| self.top(&one.object.1, &owner));
            let top = above.clone().unwrap_or_else(|| one.object.clone());
            if let Some(number) = told.get(&top) {
                let workload = &mut found[*number];
                if workload.words.is_empty() {
                    workload.words.clone_from(&one.words);
                }
                self.unwell[at].follows = true;
            } else if above.is_some_and(|above| failed.contains(&above)) {
                self.unwell[at].follows = true;
            }
        }
        let of_pods: Vec<Unwell> = self
            .pods
            .iter()
            .filter_map(|(object, pod)| {
                let mut unwell = (**pod.unwell.as_ref()?).clone();
                let top = self.top(&object.1, &pod.owner);
                unwell.follows |= top.is_some_and(|top| told.contains_key(&top) || failed.contains(&top));
                Some(unwell)
            })
            .collect();
        self.unwell.append(&mut found);
        self.unwell.extend(of_pods);
    }

    /// Services without a ready endpoint, by their endpoints or else by the pods that they select. Returns all that are
    /// known to have none, with the words.
    fn services(&mut self) -> HashMap<InNamespace, String> {
        let with_endpoints: HashSet<&str> =
            self.endpoints.keys().map(|(namespace, _)| namespace.as_str()).collect();
        let pods = PodsByLabel::of(&self.pods);
        let (mut broken, mut counts) = (HashMap::new(), HashMap::new());
        for (name, service) in self.services.iter().filter(|(_, service)| !service.selector.is_empty()) {
            let words = if with_endpoints.contains(name.0.as_str()) {
                match self.endpoints.get(name).copied().unwrap_or_default() {
                    (0, 0) => "has no endpoints".to_owned(),
                    (0, 1) => "has 1 endpoint, which is not ready".to_owned(),
                    (0, others) => format!("has {others} endpoints, none of them ready"),
                    _ => continue,
                }
            } else {
                // Services with the same selector are counted once.
                let counted = counts.entry((&name.0, &service.selector));
                match *counted.or_insert_with(|| pods.selected(&name.0, &service.selector)) {
                    Some((0, 0)) => "selects no pod".to_owned(),
                    Some((0, 1)) => "has 1 pod, which is not ready".to_owned(),
                    Some((0, others)) => format!("has {others} pods, none of them ready"),
                    _ => continue,
                }
            };
            if let Some(unwell) = &service.unwell {
                self.unwell.push(Unwell { words: words.clone(), ..(**unwell).clone() });
            }
            broken.insert(name.clone(), words);
        }
        broken
    }

    /// What needs an object that is missing, or a Service without a ready endpoint.
    fn needs(&mut self, broken: &HashMap<InNamespace, String>) {
        let mut told: HashMap<(usize, Named), usize> = HashMap::new();
        for (at, one) in self.unwell.iter().enumerate() {
            told.insert((one.rule, one.object.clone()), at);
        }
        for Need { object, unwell } in std::mem::take(&mut self.needs) {
            let (kind, namespace, name) = &object;
            let shown = if namespace.is_empty() { name.to_string() } else { format!("{namespace}/{name}") };
            let wrong = match broken.get(&(namespace.clone(), name.clone())).filter(|_| kind == "Service") {
                Some(words) => format!("its Service {shown} {words}"),
                None if self.exist.contains(&object)
                    || !self.known.contains(&(kind.clone(), namespace.clone())) =>
                {
                    continue;
                }
                None => format!("its {kind} {shown} does not exist"),
            };
            let mut unwell = *unwell;
            unwell.words.push_str(&wrong);
            // The Service itself is reported.
            unwell.follows = self.exist.contains(&object) && unwell.id() == "service-unavailable";
            if kind != "Service" {
                unwell.severity = Severity::Warning;
            }
            match told.get(&(unwell.rule, unwell.object.clone())) {
                Some(at) => {
                    let one = &mut self.unwell[*at];
                    one.words = join(vec![std::mem::take(&mut one.words), unwell.words]);
                }
                None => {
                    told.insert((unwell.rule, unwell.object.clone()), self.unwell.len());
                    self.unwell.push(unwell);
                }
            }
        }
    }

    /// Adds the last warning about each object to what is found of it or of its workload; the other warnings are findings.
    fn warnings(&mut self, now: Timestamp) {
        let mut found: HashMap<Named, Vec<usize>> = HashMap::new();
        for (at, one) in self.unwell.iter().enumerate() {
            found.entry(one.object.clone()).or_default().push(at);
        }
        let pods: HashMap<&Named, &Pod> = self.pods.iter().map(|(object, pod)| (object, pod)).collect();
        let with_pods: HashSet<&str> = self.pods.iter().map(|(object, _)| object.1.as_str()).collect();
        let mut last: HashMap<usize, &Warning> = HashMap::new();
        let mut others: BTreeMap<(&Named, &str), (&Warning, i64)> = BTreeMap::new();
        for warning in &self.warnings {
            let pod = pods.get(&warning.about);
            let owner =
                pod.map(|pod| &pod.owner).or_else(|| Some(&self.workloads.get(&warning.about)?.owner));
            let top = owner.and_then(|owner| self.top(&warning.about.1, owner));
            if let Some(numbers) = found.get(&warning.about) {
                for number in numbers {
                    let newest = last.entry(*number).or_insert(warning);
                    if newest.time <= warning.time {
                        *newest = warning;
                    }
                }
                continue;
            }
            let is_gone =
                warning.about.0 == "Pod" && pod.is_none() && with_pods.contains(warning.about.1.as_str());
            let is_over = pod.is_some_and(|pod| pod.is_ready && pod.since >= warning.time);
            // What a workload with all its pods was warned about before is over.
            let is_whole = |top: &Named| self.workloads.get(top).is_some_and(|one| one.ready >= one.wants);
            let own = Some(&warning.about).filter(|about| self.workloads.contains_key(*about));
            let is_settled = pod.is_none() && own.or(top.as_ref()).is_some_and(is_whole);
            let oldest = if is_settled { now - SETTLED } else { now - WARNINGS };
            let is_old = warning.time.is_some_and(|time| time < oldest);
            if is_gone || is_over || is_old || top.is_some_and(|top| found.contains_key(&top)) {
                continue;
            }
            let (newest, count) = others.entry((&warning.about, &warning.reason)).or_insert((warning, 0));
            *count += warning.count;
            if newest.time <= warning.time {
                *newest = warning;
            }
        }
        let when = |time: Option<Timestamp>| {
            time.map_or_else(String::new, |time| format!(" {} ago", ago(time, now)))
        };
        let last_of = |warning: &Warning| {
            let time = warning.time.map_or_else(String::new, |time| format!(", last {} ago", ago(time, now)));
            format!("{time}{}", after(": ", &warning.message))
        };
        let mut added = Vec::new();
        for (warning, count) in others.into_values() {
            let Some(unwell) = &warning.unwell else { continue };
            let detail = format!("{}{}", counted(count, "time"), last_of(warning));
            added.push(Unwell { detail, ..(**unwell).clone() });
        }
        for (number, warning) in last {
            let unwell = &mut self.unwell[number];
            let text = format!("{}{}", warning.reason, after(": ", &warning.message));
            if !unwell.words.contains(text.as_str()) && !unwell.words.contains(warning.message.as_str()) {
                unwell.detail = join(vec![
                    std::mem::take(&mut unwell.detail),
                    format!("event{}: {text}", when(warning.time)),
                ]);
            }
        }
        self.unwell.append(&mut added);
    }
}

fn of_rule<'u>(unwell: &'u [Unwell], id: &'u str) -> impl Iterator<Item = &'u Unwell> {
    unwell.iter().filter(move |one| one.id() == id)
}

/// The commonest causes: `2 pods: cannot be scheduled; 1 pod: container web is in CrashLoopBackOff`.
fn summary(causes: Option<&BTreeMap<String, usize>>) -> String {
    let Some(causes) = causes else { return String::new() };
    let mut causes: Vec<(&String, &usize)> = causes.iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let shown =
        causes.iter().take(CAUSES).map(|(words, count)| format!("{}: {words}", counted(**count, "pod")));
    let mut shown: Vec<String> = shown.collect();
    if let Some(more) = causes.len().checked_sub(CAUSES).filter(|more| *more > 0) {
        shown.push(format!("and {}", counted(more, "other cause")));
    }
    shown.join("; ")
}

/// Pods by namespace and label, so that those of a Service are found without looking at all.
struct PodsByLabel<'p> {
    by_label: HashMap<(&'p str, &'p str, &'p str), Vec<&'p Pod>>,
    namespaces: HashSet<&'p str>,
}

impl<'p> PodsByLabel<'p> {
    fn of(pods: &'p [(Named, Pod)]) -> Self {
        let mut all = Self { by_label: HashMap::new(), namespaces: HashSet::new() };
        for (object, pod) in pods.iter().filter(|(_, pod)| !pod.has_ended) {
            all.namespaces.insert(&object.1);
            for (key, value) in &pod.labels {
                all.by_label.entry((&object.1, key, value)).or_default().push(pod);
            }
        }
        all
    }

    /// How many pods a selector selects that are ready, and how many that are not; `None` if the namespace has no pods. Counting
    /// ends with the first pod that is ready.
    fn selected(
        &self,
        namespace: &str,
        selector: &[(CompactString, CompactString)],
    ) -> Option<(usize, usize)> {
        if !self.namespaces.contains(namespace) {
            return None;
        }
        let with =
            selector.iter().map(|(key, value)| self.by_label.get(&(namespace, key.as_str(), value.as_str())));
        let rarest = with.min_by_key(|pods| pods.map_or(0, Vec::len)).flatten();
        let is_selected = |pod: &&&Pod| selector.iter().all(|label| pod.labels.contains(label));
        let mut others = 0;
        for pod in rarest.into_iter().flatten().filter(is_selected) {
            if pod.is_ready {
                return Some((1, others));
            }
            others += 1;
        }
        Some((0, others))
    }
}
