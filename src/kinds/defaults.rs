//! What the API server fills in where a manifest says nothing, as far as a printed column or a selectable
//! field reads it (Kubernetes, pkg/apis/*/v1/defaults.go, and the strategies that set a first status).
//!
//! Table cells and field selectors see these; text that is handed on never does.

use std::sync::LazyLock;

use crate::manifest::tree::{Node, Value};

/// The default of a field.
struct Default {
    group: &'static str,
    kind: &'static str,
    path: &'static str,
    of: Of,
    value: Filled,
}

/// Which values a default replaces. Go tells an absent field from an empty one only by a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// An absent one, and null.
    Pointer,
    /// Also zero and the empty text, list and map.
    Value,
}

/// A default, or how to find it.
enum Filled {
    /// Always the same.
    With(Node),
    /// What the function takes from the object; nothing where it has nothing to say.
    By(fn(&Node) -> Option<&Node>),
}

/// What the API makes of the value at `path` of `object`, which is absent, null, of another type, or zero or empty;
/// `None` if it has no default for that.
///
/// `path` is dotted; `group` is the group as today, empty for the core group.
pub fn of<'a>(group: &str, kind: &str, path: &str, object: &'a Node) -> Option<&'a Node> {
    let row = DEFAULTS.iter().find(|row| row.path == path && row.kind == kind && row.group == group)?;
    if row.of == Of::Pointer && object.at(path).is_some_and(is_zero) {
        return None;
    }
    match &row.value {
        Filled::With(node) => Some(node),
        Filled::By(find) => find(object),
    }
}

/// Whether a value is what Go takes for none in a field that isn't a pointer: zero, or an empty text, list or map.
pub fn is_zero(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => text.is_empty(),
        Value::Int(number) => *number == 0,
        Value::Seq(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Null | Value::Bool(_) | Value::Float(_) => false,
    }
}

static DEFAULTS: LazyLock<Vec<Default>> = LazyLock::new(|| {
    vec![
        value("", "Namespace", "status.phase", text("Active")),
        value("", "Node", "spec.unschedulable", bool(false)),
        value("", "PersistentVolume", "spec.persistentVolumeReclaimPolicy", text("Retain")),
        pointer("", "PersistentVolume", "spec.volumeMode", text("Filesystem")),
        value("", "PersistentVolume", "status.phase", text("Pending")),
        pointer("", "PersistentVolumeClaim", "spec.volumeMode", text("Filesystem")),
        value("", "PersistentVolumeClaim", "status.phase", text("Pending")),
        value("", "Pod", "spec.hostNetwork", bool(false)),
        value("", "Pod", "spec.restartPolicy", text("Always")),
        value("", "Pod", "spec.schedulerName", text("default-scheduler")),
        value("", "Pod", "spec.serviceAccountName", Filled::By(service_account)),
        value("", "Pod", "status.phase", text("Pending")),
        value("", "Pod", "status.podIP", Filled::By(first_pod_ip)),
        pointer("", "ReplicationController", "spec.replicas", int(1)),
        value("", "ReplicationController", "spec.selector", Filled::By(template_labels)),
        value("", "ReplicationController", "status.replicas", int(0)),
        value("", "Secret", "type", text("Opaque")),
        value("", "Service", "spec.type", text("ClusterIP")),
        value("", "Event", "source.component", Filled::By(|event| event.get("reportingComponent"))),
        value(
            "events.k8s.io",
            "Event",
            "deprecatedSource.component",
            Filled::By(|event| event.get("reportingController")),
        ),
        pointer("apps", "Deployment", "spec.replicas", int(1)),
        pointer("apps", "ReplicaSet", "spec.replicas", int(1)),
        value("apps", "ReplicaSet", "status.replicas", int(0)),
        pointer("apps", "StatefulSet", "spec.replicas", int(1)),
        pointer("autoscaling", "HorizontalPodAutoscaler", "spec.minReplicas", int(1)),
        pointer("batch", "CronJob", "spec.suspend", bool(false)),
        pointer("batch", "Job", "spec.completions", Filled::By(completions)),
        value("batch", "Job", "status.succeeded", int(0)),
        value("flowcontrol.apiserver.k8s.io", "FlowSchema", "spec.matchingPrecedence", int(1000)),
        value("scheduling.k8s.io", "PriorityClass", "globalDefault", bool(false)),
        pointer("scheduling.k8s.io", "PriorityClass", "preemptionPolicy", text("PreemptLowerPriority")),
        pointer("storage.k8s.io", "CSIDriver", "spec.attachRequired", bool(true)),
        pointer("storage.k8s.io", "CSIDriver", "spec.podInfoOnMount", bool(false)),
        pointer("storage.k8s.io", "CSIDriver", "spec.requiresRepublish", bool(false)),
        pointer("storage.k8s.io", "CSIDriver", "spec.storageCapacity", bool(false)),
        value("storage.k8s.io", "CSIDriver", "spec.volumeLifecycleModes", texts(&["Persistent"])),
        pointer("storage.k8s.io", "StorageClass", "reclaimPolicy", text("Delete")),
        pointer("storage.k8s.io", "StorageClass", "volumeBindingMode", text("Immediate")),
    ]
});

/// The default of a field that is a pointer in Go.
fn pointer(group: &'static str, kind: &'static str, path: &'static str, value: Filled) -> Default {
    Default { group, kind, path, of: Of::Pointer, value }
}

/// The default of a field that isn't.
fn value(group: &'static str, kind: &'static str, path: &'static str, value: Filled) -> Default {
    Default { group, kind, path, of: Of::Value, value }
}

fn text(text: &str) -> Filled {
    Filled::With(Node::new(Value::String(text.into())))
}

fn int(number: i64) -> Filled {
    Filled::With(Node::new(Value::Int(number)))
}

fn bool(truth: bool) -> Filled {
    Filled::With(Node::new(Value::Bool(truth)))
}

fn texts(items: &[&str]) -> Filled {
    let items = items.iter().map(|item| Node::new(Value::String((*item).into())));
    Filled::With(Node::new(Value::Seq(items.collect())))
}

/// A controller without a selector selects what its template is labelled with
/// (core/v1/defaults.go, SetDefaults_ReplicationController).
fn template_labels(controller: &Node) -> Option<&Node> {
    controller.at("spec.template.metadata.labels")
}

/// The deprecated name of the field, else the account that admission gives to every pod.
fn service_account(pod: &Node) -> Option<&Node> {
    static DEFAULT: LazyLock<Node> = LazyLock::new(|| Node::new(Value::String("default".into())));
    pod.at("spec.serviceAccount")
        .filter(|node| node.as_str().is_some_and(|name| !name.is_empty()))
        .or(Some(&DEFAULT))
}

/// `podIP` and the first of `podIPs` are one thing (core/v1/conversion.go, Convert_v1_PodStatus_To_core_PodStatus).
fn first_pod_ip(pod: &Node) -> Option<&Node> {
    pod.at("status.podIPs")?.as_seq()?.first()?.get("ip")
}

/// One, unless the job says how many pods work side by side: then any one of them completes it
/// (batch/v1/defaults.go, SetDefaults_Job).
fn completions(job: &Node) -> Option<&Node> {
    static ONE: LazyLock<Node> = LazyLock::new(|| Node::new(Value::Int(1)));
    let parallelism = job.at("spec.parallelism").filter(|node| !node.is_null());
    parallelism.is_none().then_some(&ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_default_is_stated_twice() {
        let mut seen = HashSet::new();
        for Default { group, kind, path, .. } in DEFAULTS.iter() {
            assert!(seen.insert((group, kind, path)), "{group} {kind} {path}");
        }
    }
}
