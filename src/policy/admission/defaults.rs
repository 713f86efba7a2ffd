//! The defaults that the API server fills in before policies see an object (Kubernetes, pkg/apis/*/v1/defaults.go), as far
//! as they do not depend on a cluster. Lists and maps of a kind's Go type that are not pointers are empty, not missing.

use syntax::tree::{Map, Node, Span, Value};

/// A default: the keys on the way, `*` for the items of a list, and the value.
type Default = (&'static str, Fill);

/// A default value.
#[derive(Clone, Copy)]
enum Fill {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    Empty,
}

use Fill::{Bool, Empty, Int, Text};

const POD_SPEC: &[Default] = &[
    ("dnsPolicy", Text("ClusterFirst")),
    ("restartPolicy", Text("Always")),
    ("securityContext", Empty),
    ("terminationGracePeriodSeconds", Int(30)),
    ("schedulerName", Text("default-scheduler")),
    ("volumes.*.secret?.defaultMode", Int(420)),
    ("volumes.*.configMap?.defaultMode", Int(420)),
    ("volumes.*.downwardAPI?.defaultMode", Int(420)),
    ("volumes.*.projected?.defaultMode", Int(420)),
];

const CONTAINER: &[Default] = &[
    ("resources", Empty),
    ("terminationMessagePath", Text("/dev/termination-log")),
    ("terminationMessagePolicy", Text("File")),
    ("ports.*.protocol", Text("TCP")),
];

const PROBE: &[Default] = &[
    ("timeoutSeconds", Int(1)),
    ("periodSeconds", Int(10)),
    ("successThreshold", Int(1)),
    ("failureThreshold", Int(3)),
    ("httpGet?.path", Text("/")),
    ("httpGet?.scheme", Text("HTTP")),
];

/// The defaults of a kind, and where its pod is: below `template` unless it is one.
struct Kind {
    group: &'static str,
    kind: &'static str,
    defaults: &'static [Default],
    pod: Option<&'static str>,
}

const fn kind(
    group: &'static str,
    kind: &'static str,
    pod: Option<&'static str>,
    defaults: &'static [Default],
) -> Kind {
    Kind { group, kind, defaults, pod }
}

const TEMPLATE: Option<&str> = Some("spec.template.spec");

const JOB: &[Default] = &[
    ("spec.backoffLimit", Int(6)),
    ("spec.completionMode", Text("NonIndexed")),
    ("spec.suspend", Bool(false)),
    ("spec.manualSelector", Bool(false)),
    ("spec.podReplacementPolicy", Text("TerminatingOrFailed")),
];

const KINDS: &[Kind] = &[
    kind(
        "",
        "Pod",
        Some("spec"),
        &[
            ("spec.enableServiceLinks", Bool(true)),
            ("spec.serviceAccountName", Text("default")),
            ("spec.serviceAccount", Text("default")),
        ],
    ),
    kind("", "ReplicationController", TEMPLATE, &[("spec.replicas", Int(1))]),
    kind("", "PodTemplate", Some("template.spec"), &[]),
    kind(
        "",
        "Service",
        None,
        &[
            ("spec.sessionAffinity", Text("None")),
            ("spec.type", Text("ClusterIP")),
            ("spec.ports.*.protocol", Text("TCP")),
            ("spec.internalTrafficPolicy", Text("Cluster")),
            ("status.loadBalancer", Empty),
        ],
    ),
    kind("", "Secret", None, &[("type", Text("Opaque"))]),
    kind(
        "",
        "PersistentVolume",
        None,
        &[("spec.persistentVolumeReclaimPolicy", Text("Retain")), ("spec.volumeMode", Text("Filesystem"))],
    ),
    kind(
        "",
        "PersistentVolumeClaim",
        None,
        &[("spec.volumeMode", Text("Filesystem")), ("spec.resources", Empty)],
    ),
    kind("", "Namespace", None, &[("status.phase", Text("Active"))]),
    kind(
        "apps",
        "Deployment",
        TEMPLATE,
        &[
            ("spec.replicas", Int(1)),
            ("spec.strategy.type", Text("RollingUpdate")),
            ("spec.revisionHistoryLimit", Int(10)),
            ("spec.progressDeadlineSeconds", Int(600)),
        ],
    ),
    kind("apps", "ReplicaSet", TEMPLATE, &[("spec.replicas", Int(1))]),
    kind(
        "apps",
        "DaemonSet",
        TEMPLATE,
        &[("spec.updateStrategy.type", Text("RollingUpdate")), ("spec.revisionHistoryLimit", Int(10))],
    ),
    kind(
        "apps",
        "StatefulSet",
        TEMPLATE,
        &[
            ("spec.replicas", Int(1)),
            ("spec.podManagementPolicy", Text("OrderedReady")),
            ("spec.updateStrategy.type", Text("RollingUpdate")),
            ("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", Text("Retain")),
            ("spec.persistentVolumeClaimRetentionPolicy.whenScaled", Text("Retain")),
            ("spec.revisionHistoryLimit", Int(10)),
        ],
    ),
    kind("batch", "Job", TEMPLATE, JOB),
    kind(
        "batch",
        "CronJob",
        Some("spec.jobTemplate.spec.template.spec"),
        &[
            ("spec.concurrencyPolicy", Text("Allow")),
            ("spec.suspend", Bool(false)),
            ("spec.successfulJobsHistoryLimit", Int(3)),
            ("spec.failedJobsHistoryLimit", Int(1)),
        ],
    ),
    kind("autoscaling", "HorizontalPodAutoscaler", None, &[("spec.minReplicas", Int(1))]),
    kind("networking.k8s.io", "NetworkPolicy", None, &[("spec.podSelector", Empty)]),
    kind(
        "storage.k8s.io",
        "StorageClass",
        None,
        &[("reclaimPolicy", Text("Delete")), ("volumeBindingMode", Text("Immediate"))],
    ),
];

/// Fills the defaults of a built-in kind in.
pub fn fill(object: &mut Node, group: &str, kind: &str) {
    let Some(known) = KINDS.iter().find(|known| known.group == group && known.kind == kind) else { return };
    fill_all(object, known.defaults);
    if (group, kind) == ("batch", "Job") {
        fill_job(object);
    }
    if kind == "NetworkPolicy" {
        fill_policy_types(object);
    }
    let Some(spec) = known.pod.and_then(|path| at_mut(object, path)) else { return };
    fill_all(spec, POD_SPEC);
    for key in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(spec, key) {
            fill_all(container, CONTAINER);
            let image = container.get("image").and_then(Node::as_str).unwrap_or_default();
            let name = image.split('@').next().unwrap_or_default();
            let tag = name.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag);
            let is_latest = tag == Some("latest") || tag.is_none() && !image.contains('@');
            set(container, "imagePullPolicy", Text(if is_latest { "Always" } else { "IfNotPresent" }));
            for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
                at_mut(container, probe).into_iter().for_each(|probe| fill_all(probe, PROBE));
            }
            if kind == "Pod" {
                fill_requests(container);
            }
        }
    }
}

/// A Job without numbers runs one pod once.
fn fill_job(object: &mut Node) {
    let Some(spec) = at_mut(object, "spec") else { return };
    let is_set = |key: &str| spec.get(key).is_some_and(|node| !node.is_null());
    if !is_set("completions") && !is_set("parallelism") {
        set(spec, "completions", Int(1));
    }
    set(spec, "parallelism", Int(1));
}

fn fill_policy_types(object: &mut Node) {
    let Some(spec) = at_mut(object, "spec") else { return };
    let is_empty = |key: &str| spec.get(key).and_then(Node::as_seq).is_none_or(<[Node]>::is_empty);
    if is_empty("policyTypes") {
        let egress = (!is_empty("egress")).then(|| text("Egress"));
        let types = std::iter::once(text("Ingress")).chain(egress).collect();
        insert(spec, "policyTypes", Node::new(Value::Seq(types)));
    }
}

/// In a Pod, what is limited is requested.
fn fill_requests(container: &mut Node) {
    let Some(limits) = container.at("resources.limits").and_then(Node::as_map).cloned() else { return };
    set(container, "resources", Empty);
    let Some(resources) = at_mut(container, "resources") else { return };
    set(resources, "requests", Empty);
    let Some(requests) = at_mut(resources, "requests").and_then(Node::as_map_mut) else { return };
    for entry in limits {
        if requests.get(&entry.key).is_none() {
            requests.insert(entry.key, Span::default(), entry.value);
        }
    }
}

fn fill_all(node: &mut Node, defaults: &[Default]) {
    for (path, value) in defaults {
        fill_at(node, path, *value);
    }
}

/// Sets the value at a path. Maps on the way are made, except those whose key ends with `?`.
fn fill_at(node: &mut Node, path: &str, value: Fill) {
    let Some((key, rest)) = path.split_once('.') else { return set(node, path, value) };
    if key == "*" {
        if let Value::Seq(items) = &mut node.value {
            items.iter_mut().for_each(|item| fill_at(item, rest, value));
        }
        return;
    }
    let (key, is_optional) = key.strip_suffix('?').map_or((key, false), |key| (key, true));
    if !is_optional && !rest.starts_with("*.") {
        set(node, key, Empty);
    }
    if let Some(below) = node.as_map_mut().and_then(|map| map.get_mut(key)) {
        fill_at(below, rest, value);
    }
}

/// Sets a key that is missing or null.
fn set(node: &mut Node, key: &str, value: Fill) {
    if node.get(key).is_none_or(Node::is_null) {
        insert(
            node,
            key,
            match value {
                Text(value) => text(value),
                Int(value) => Node::new(Value::Int(value)),
                Bool(value) => Node::new(Value::Bool(value)),
                Empty => map([]),
            },
        );
    }
}

fn insert(node: &mut Node, key: &str, value: Node) {
    if let Some(map) = node.as_map_mut() {
        map.insert(key, Span::default(), value);
    }
}

fn at_mut<'n>(node: &'n mut Node, path: &str) -> Option<&'n mut Node> {
    path.split('.').try_fold(node, |node, key| node.as_map_mut()?.get_mut(key))
}

fn items_mut<'n>(node: &'n mut Node, key: &str) -> impl Iterator<Item = &'n mut Node> {
    let items = at_mut(node, key).and_then(|node| match &mut node.value {
        Value::Seq(items) => Some(items),
        _ => None,
    });
    items.into_iter().flatten()
}

/// A string without a position in a text.
pub(super) fn text(text: &str) -> Node {
    Node::new(Value::String(text.into()))
}

/// A map without a position in a text.
pub(super) fn map<'k>(entries: impl IntoIterator<Item = (&'k str, Node)>) -> Node {
    let mut map = Map::new();
    for (key, node) in entries {
        map.insert(key, Span::default(), node);
    }
    Node::new(Value::Map(map))
}
