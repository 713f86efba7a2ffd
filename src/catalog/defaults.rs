//! What the API server fills in where a manifest says nothing, as far as a printed column or a selectable
//! field reads it (Kubernetes, pkg/apis/*/v1/defaults.go, and the strategies that set a first status).
//!
//! Table cells and field selectors see these; text that is handed on never does.

use std::sync::LazyLock;

use crate::manifest::tree::{Node, Value};

/// What stands at a path of a kind's objects that do not say it themselves.
struct Default {
    group: &'static str,
    kind: &'static str,
    path: &'static str,
    value: Filled,
}

/// A default, or how to find it.
enum Filled {
    /// Always the same.
    With(Node),
    /// What the function takes from the object; nothing where it has nothing to say.
    By(fn(&Node) -> Option<&Node>),
}

/// The value at `path` of `object`, which says nothing there; nothing when the API has no default for it.
///
/// `path` is dotted; `group` is the group as today, empty for the core group.
pub fn of<'a>(group: &str, kind: &str, path: &str, object: &'a Node) -> Option<&'a Node> {
    let row = DEFAULTS.iter().find(|row| row.path == path && row.kind == kind && row.group == group)?;
    match &row.value {
        Filled::With(node) => Some(node),
        Filled::By(find) => find(object),
    }
}

static DEFAULTS: LazyLock<Vec<Default>> = LazyLock::new(|| {
    vec![
        row("", "Namespace", "status.phase", text("Active")),
        row("", "Node", "spec.unschedulable", bool(false)),
        row("", "PersistentVolume", "spec.persistentVolumeReclaimPolicy", text("Retain")),
        row("", "PersistentVolume", "spec.volumeMode", text("Filesystem")),
        row("", "PersistentVolume", "status.phase", text("Pending")),
        row("", "PersistentVolumeClaim", "spec.volumeMode", text("Filesystem")),
        row("", "PersistentVolumeClaim", "status.phase", text("Pending")),
        row("", "Pod", "spec.hostNetwork", bool(false)),
        row("", "Pod", "spec.restartPolicy", text("Always")),
        row("", "Pod", "spec.schedulerName", text("default-scheduler")),
        row("", "Pod", "spec.serviceAccountName", Filled::By(service_account)),
        row("", "Pod", "status.phase", text("Pending")),
        row("", "Pod", "status.podIP", Filled::By(first_pod_ip)),
        row("", "ReplicationController", "spec.replicas", int(1)),
        row("", "ReplicationController", "spec.selector", Filled::By(template_labels)),
        row("", "ReplicationController", "status.replicas", int(0)),
        row("", "Secret", "type", text("Opaque")),
        row("", "Service", "spec.type", text("ClusterIP")),
        row("", "Event", "source.component", Filled::By(|event| event.get("reportingComponent"))),
        row(
            "events.k8s.io",
            "Event",
            "deprecatedSource.component",
            Filled::By(|event| event.get("reportingController")),
        ),
        row("apps", "Deployment", "spec.replicas", int(1)),
        row("apps", "ReplicaSet", "spec.replicas", int(1)),
        row("apps", "ReplicaSet", "status.replicas", int(0)),
        row("apps", "StatefulSet", "spec.replicas", int(1)),
        row("autoscaling", "HorizontalPodAutoscaler", "spec.minReplicas", int(1)),
        // Without any metric the conversion from v1 sets this one, whatever version was applied.
        row("autoscaling", "HorizontalPodAutoscaler", "spec.targetCPUUtilizationPercentage", int(80)),
        row("batch", "CronJob", "spec.suspend", bool(false)),
        row("batch", "Job", "spec.completions", Filled::By(completions)),
        row("batch", "Job", "status.succeeded", int(0)),
        row("flowcontrol.apiserver.k8s.io", "FlowSchema", "spec.matchingPrecedence", int(1000)),
        row("scheduling.k8s.io", "PriorityClass", "globalDefault", bool(false)),
        row("scheduling.k8s.io", "PriorityClass", "preemptionPolicy", text("PreemptLowerPriority")),
        row("storage.k8s.io", "CSIDriver", "spec.attachRequired", bool(true)),
        row("storage.k8s.io", "CSIDriver", "spec.podInfoOnMount", bool(false)),
        row("storage.k8s.io", "CSIDriver", "spec.requiresRepublish", bool(false)),
        row("storage.k8s.io", "CSIDriver", "spec.storageCapacity", bool(false)),
        row("storage.k8s.io", "CSIDriver", "spec.volumeLifecycleModes", texts(&["Persistent"])),
        row("storage.k8s.io", "StorageClass", "reclaimPolicy", text("Delete")),
        row("storage.k8s.io", "StorageClass", "volumeBindingMode", text("Immediate")),
    ]
});

fn row(group: &'static str, kind: &'static str, path: &'static str, value: Filled) -> Default {
    Default { group, kind, path, value }
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
