//! What says that an object is not well: its conditions and the fields with its state, a row each.

use kinds::view;
use syntax::tree::Node;

/// How a type of condition is recognised.
enum Type {
    Is(&'static str),
    EndsWith(&'static str),
}

use Type::{EndsWith, Is};

/// A row of a table of conditions: the group and the kind, `*` for all; the type; the status that is bad; the rule; and the
/// words before reason and message.
type Row = (&'static str, &'static str, Type, &'static str, &'static str, &'static str);

/// The conditions of built-in kinds, and of those with a rule of their own. Nodes and Pods are read for themselves.
#[rustfmt::skip]
const OWN: &[Row] = &[
    ("config.openshift.io", "ClusterOperator", Is("Available"), "False", "operator-degraded", "is not available"),
    ("config.openshift.io", "ClusterOperator", Is("Degraded"), "True", "operator-degraded", "is degraded"),
    ("config.openshift.io", "ClusterVersion", Is("Available"), "False", "operator-degraded", "is not available"),
    ("config.openshift.io", "ClusterVersion", Is("Failing"), "True", "operator-degraded", "is failing"),
    ("config.openshift.io", "ClusterVersion", Is("Degraded"), "True", "operator-degraded", "is degraded"),
    ("apiregistration.k8s.io", "APIService", Is("Available"), "False", "webhook-unavailable", "is not available"),
    ("apps", "*", Is("ReplicaFailure"), "True", "rollout-failed", "cannot create its Pods"),
    ("", "ReplicationController", Is("ReplicaFailure"), "True", "rollout-failed", "cannot create its Pods"),
    ("apps", "*", Is("Progressing"), "False", "rollout-failed", "does not progress"),
    ("autoscaling", "HorizontalPodAutoscaler", Is("AbleToScale"), "False", "autoscaler-limited", "cannot scale"),
    ("autoscaling", "HorizontalPodAutoscaler", Is("ScalingActive"), "False", "autoscaler-limited", "cannot scale"),
    ("batch", "Job", Is("Failed"), "True", "job-failed", "failed"),
    ("batch", "Job", Is("FailureTarget"), "True", "job-failed", "is failing"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", Is("NamesAccepted"), "False", "not-healthy", "is not served: its names are not accepted"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", Is("Established"), "False", "not-healthy", "is not established, so it is not served"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", Is("NonStructuralSchema"), "True", "not-healthy", "has a schema that is not structural"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema", Is("Dangling"), "True", "not-healthy", "has no priority level"),
    ("", "PersistentVolumeClaim", Is("ModifyVolumeError"), "True", "volume-failed", "cannot be changed"),
    ("", "PersistentVolumeClaim", Is("ControllerResizeError"), "True", "volume-failed", "cannot be resized"),
    ("", "PersistentVolumeClaim", Is("NodeResizeError"), "True", "volume-failed", "cannot be resized"),
    ("", "PersistentVolumeClaim", Is("FileSystemResizePending"), "True", "volume-failed", "grows only when its pod starts again"),
    ("cert-manager.io", "Certificate", Is("Ready"), "False", "certificate-expiring", "is not ready"),
];

/// The conditions of all other kinds (meta/v1, Condition, and the conventions of Flux, Crossplane, cert-manager, Knative,
/// Cluster API, OLM, the Gateway API and their like), what others follow from first.
#[rustfmt::skip]
const ANY: &[Row] = &[
    ("*", "*", Is("Stalled"), "True", "not-healthy", "is stalled"),
    ("*", "*", Is("Failing"), "True", "not-healthy", "is failing"),
    ("*", "*", Is("Failed"), "True", "not-healthy", "failed"),
    ("*", "*", Is("Degraded"), "True", "not-healthy", "is degraded"),
    ("*", "*", Is("Ready"), "False", "not-healthy", "is not ready"),
    ("*", "*", Is("Available"), "False", "not-healthy", "is not available"),
    ("*", "*", Is("Healthy"), "False", "not-healthy", "is not healthy"),
    ("*", "*", Is("Synced"), "False", "not-healthy", "is not synced"),
    ("*", "*", Is("Succeeded"), "False", "not-healthy", "did not succeed"),
    ("*", "*", Is("Reconciled"), "False", "not-healthy", "is not reconciled"),
    ("*", "*", Is("Released"), "False", "not-healthy", "is not released"),
    ("*", "*", Is("Accepted"), "False", "not-healthy", "is not accepted"),
    ("*", "*", Is("Programmed"), "False", "not-healthy", "is not programmed"),
    ("*", "*", Is("ResolvedRefs"), "False", "not-healthy", "refers to something that is missing or not permitted"),
    ("*", "*", Is("Installed"), "False", "not-healthy", "is not installed"),
    ("*", "*", Is("Established"), "False", "not-healthy", "is not established"),
    ("*", "*", Is("CatalogSourcesUnhealthy"), "True", "not-healthy", "has catalogs that are not healthy"),
    ("*", "*", Is("ResolutionFailed"), "True", "not-healthy", "cannot be resolved"),
    ("*", "*", EndsWith("Degraded"), "True", "not-healthy", "is degraded"),
    ("*", "*", EndsWith("Error"), "True", "not-healthy", "has an error"),
    ("*", "*", EndsWith("Failed"), "True", "not-healthy", "failed"),
    ("*", "*", EndsWith("Failure"), "True", "not-healthy", "failed"),
    ("*", "*", EndsWith("Unhealthy"), "True", "not-healthy", "is not healthy"),
    ("*", "*", EndsWith("Ready"), "False", "not-healthy", "is not ready"),
    ("*", "*", EndsWith("Healthy"), "False", "not-healthy", "is not healthy"),
];

/// What a Node reports besides `Ready`, mostly by the node problem detector, whose names are free.
#[rustfmt::skip]
const NODE: &[(Type, &str)] = &[
    (EndsWith("Pressure"), "True"), (Is("NetworkUnavailable"), "True"), (EndsWith("Deadlock"), "True"),
    (EndsWith("Problem"), "True"), (EndsWith("Unhealthy"), "True"), (EndsWith("Error"), "True"),
    (EndsWith("Failure"), "True"), (EndsWith("Failed"), "True"), (EndsWith("Filesystem"), "True"),
    (EndsWith("Restart"), "True"), (EndsWith("Hung"), "True"), (EndsWith("Hang"), "True"),
    (EndsWith("Overlay2"), "True"), (EndsWith("Device"), "True"), (EndsWith("Scheduled"), "True"),
    (EndsWith("Ready"), "False"), (EndsWith("Healthy"), "False"),
];

/// The lists in which custom resources have conditions; the Gateway API has them per parent, listener and ancestor.
const LISTS: &[&str] =
    &["status.conditions", "status.parents", "status.listeners", "status.ancestors", "status.controllers"];

/// Fields that say the state of a custom resource in a word, the field with the reason, and the words that are bad, in lower
/// case.
#[rustfmt::skip]
const STATES: &[(&str, &str, &[&str])] = &[
    ("status.health.status", "status.health.message", &["degraded", "missing", "unknown"]),
    ("status.operationState.phase", "status.operationState.message", &["failed", "error"]),
    ("status.sync.status", "status.operationState.message", &["outofsync"]),
    ("status.connectionState.lastObservedState", "status.message", &["transient_failure", "connecting", "shutdown"]),
    ("status.ceph.health", "status.message", &["health_err", "health_warn"]),
    ("status.health", "status.message", &["red", "yellow", "degraded", "unhealthy", "missing", "critical"]),
    ("status.robustness", "status.message", &["degraded", "faulted"]),
    ("status.phase", "status.message", FAILED),
    ("status.state", "status.message", FAILED),
    ("status.status", "status.message", FAILED),
    ("status.lastBackup.state", "status.message", FAILED),
];

/// The words of phases and states that tell of a failure.
const FAILED: &[&str] = &[
    "failed",
    "failure",
    "error",
    "errored",
    "invalid",
    "degraded",
    "unavailable",
    "unhealthy",
    "lost",
    "stalled",
    "faulted",
    "partiallyfailed",
    "failedvalidation",
    "requiresapproval",
    "unschedulable",
    "crashloopbackoff",
];

/// A condition or a field that says that an object is not well.
pub(super) struct Bad<'t> {
    pub rule: &'static str,
    pub words: String,
    /// What has reason and message: the condition, or the status.
    pub reason: &'t Node,
    /// Where the message is that explains a field; empty for a condition.
    pub message: &'static str,
}

impl Type {
    fn is(&self, text: &str) -> bool {
        match self {
            Is(name) => *name == text,
            EndsWith(end) => text.ends_with(end),
        }
    }
}

/// What the conditions of an object with a rule of its own say, once for each rule.
pub(super) fn own<'t>(group: &str, kind: &str, tree: &'t Node) -> Vec<Bad<'t>> {
    let conditions = view::list(tree, "status.conditions");
    let mut found: Vec<Bad<'t>> = Vec::new();
    for row in OWN.iter().filter(|row| row.0 == group && (row.1 == kind || row.1 == "*")) {
        let is_known = found.iter().any(|bad| bad.rule == row.4);
        found.extend(conditions.iter().filter(|_| !is_known).find_map(|condition| bad(row, condition)));
    }
    found
}

/// What a custom resource says of itself: the first condition in the order of the table, or else a field.
pub(super) fn custom(tree: &Node) -> Option<Bad<'_>> {
    let lists = LISTS.iter().flat_map(|path| view::list(tree, path));
    let conditions: Vec<&Node> = lists
        .flat_map(|item| match item.get("conditions").and_then(Node::as_seq) {
            Some(inner) => inner.iter().collect(),
            None => vec![item],
        })
        .collect();
    // Each type is looked up in the table once, so that long lists cost no more than their length.
    let rows = conditions.iter().filter_map(|condition| {
        let of = view::text(condition, "type");
        let at = ANY.iter().position(|row| row.2.is(of))?;
        Some((at, bad(&ANY[at], condition)?))
    });
    rows.min_by_key(|(at, _)| *at)
        .map(|(_, bad)| bad)
        .or_else(|| STATES.iter().find_map(|row| state(row, tree)))
}

fn bad<'t>(row: &Row, condition: &'t Node) -> Option<Bad<'t>> {
    let status = view::text(condition, "status");
    // The conditions of Argo CD have no status: that they are there says it.
    let is_bad = status == row.3 || status.is_empty() && row.3 == "True" && condition.get("status").is_none();
    (is_bad && row.2.is(view::text(condition, "type"))).then(|| Bad {
        rule: row.4,
        words: row.5.to_owned(),
        reason: condition,
        message: "",
    })
}

fn state<'t>((path, message, words): &(&str, &'static str, &[&str]), tree: &'t Node) -> Option<Bad<'t>> {
    let value = tree.at(path)?.as_str()?;
    let is_bad = words.contains(&value.to_lowercase().as_str());
    is_bad.then(|| Bad { rule: "not-healthy", words: format!("is {value}"), reason: tree, message })
}

/// Whether a condition of a Node, other than `Ready`, says that something is wrong.
pub(super) fn is_node_problem(of: &str, status: &str) -> bool {
    NODE.iter().any(|(type_, bad)| type_.is(of) && *bad == status)
}
