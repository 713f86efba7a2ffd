//! Labels of objects and of pod templates.

use super::finding::Findings;
use super::placeholder::is_placeholder;
use super::reading::Reading;
use super::refused;
use selector::validation;
use syntax::tree::{Entry, Node};
use text::excerpt;

pub(super) fn invalid(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    refused::labels(reading, findings);
    let Some(template) = template(reading) else { return };
    for Entry { key, key_span, value } in entries(template) {
        let key_is = |rule| format!("the label key {} of the pod template: {rule}", excerpt::quote(key));
        let value_is = |rule| format!("the label {key} of the pod template: {rule}");
        let text = value.as_str().unwrap_or_default();
        let keys = validation::label_key(key).into_iter().filter(|_| !is_placeholder(key)).map(key_is);
        let values =
            validation::label_value(text).into_iter().filter(|_| !is_placeholder(text)).map(value_is);
        for message in keys.chain(values) {
            findings.add(&reading.subject, reading.line_of(*key_span), message);
        }
    }
}

/// The pod template of a workload; for a pod, only its metadata.
fn template<'o>(reading: &Reading<'o>) -> Option<&'o Node> {
    let template = || reading.owner.pod(reading.tree);
    reading.owner.is_workload().then(template).flatten()
}

fn entries(object: &Node) -> impl Iterator<Item = &Entry> {
    object.at("metadata.labels").and_then(Node::as_map).into_iter().flatten()
}

/// The reserved domains, with all prefixes below them (Kubernetes, "Labels and Selectors").
const RESERVED: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// The ends of prefixes that belong to projects of Kubernetes, and to features of nodes.
const KNOWN_SUFFIXES: [&str; 3] = [".k8s.io", ".feature.node.kubernetes.io", ".nfd.kubernetes.io"];

/// Prefixes of labels in the reserved domains that belong to Kubernetes or its projects.
const KNOWN_PREFIXES: &[&str] = &[
    "addonmanager.kubernetes.io",
    "apf.kubernetes.io",
    "apiserver.kubernetes.io",
    "app.kubernetes.io",
    "applyset.kubernetes.io",
    "apps.kubernetes.io",
    "autoscaling.kubernetes.io",
    "batch.kubernetes.io",
    "beta.kubernetes.io",
    "cloud-provider.kubernetes.io",
    "cluster-autoscaler.kubernetes.io",
    "config.kubernetes.io",
    "controller.kubernetes.io",
    "csi.kubernetes.io",
    "deployment.kubernetes.io",
    "descheduler.alpha.kubernetes.io",
    "endpointslice.kubernetes.io",
    "external-dns.alpha.kubernetes.io",
    "failure-domain.beta.kubernetes.io",
    "feature.node.kubernetes.io",
    "helm.kubernetes.io",
    "ingress.kubernetes.io",
    "internal.config.kubernetes.io",
    "job.kubernetes.io",
    "kubectl.kubernetes.io",
    "kubelet.kubernetes.io",
    "multicluster.kubernetes.io",
    "networking.kubernetes.io",
    "nfd.kubernetes.io",
    "nfd.node.kubernetes.io",
    "node-restriction.kubernetes.io",
    "node-role.kubernetes.io",
    "node.kubernetes.io",
    "nodefeature.kubernetes.io",
    "pod-security.kubernetes.io",
    "pod.kubernetes.io",
    "pv.kubernetes.io",
    "replicaset.kubernetes.io",
    "resource.kubernetes.io",
    // kOps, for the add-ons of networks.
    "role.kubernetes.io",
    "scheduler.kubernetes.io",
    "security.kubernetes.io",
    "service.kubernetes.io",
    "statefulset.kubernetes.io",
    "storage.kubernetes.io",
    "topology.kubernetes.io",
    "volume.kubernetes.io",
];

/// Labels with a reserved domain as their prefix (Kubernetes, "Well-Known Labels, Annotations and Taints", and its
/// add-ons).
const KNOWN_LABELS: &[&str] = &[
    "kubernetes.io/arch",
    "kubernetes.io/bootstrapping",
    "kubernetes.io/cluster-name",
    "kubernetes.io/cluster-service",
    "kubernetes.io/config.mirror",
    "kubernetes.io/created-by",
    "kubernetes.io/hostname",
    "kubernetes.io/instance-type",
    "kubernetes.io/legacy-token-invalid-since",
    "kubernetes.io/legacy-token-last-used",
    "kubernetes.io/metadata.name",
    "kubernetes.io/minikube-addons",
    "kubernetes.io/minikube-addons-endpoint",
    "kubernetes.io/name",
    "kubernetes.io/os",
    "kubernetes.io/psp",
    "kubernetes.io/role",
    "kubernetes.io/service-name",
];

pub(super) fn reserved(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let labels = entries(reading.tree).chain(template(reading).into_iter().flat_map(entries));
    let mut taken = labels.filter(|label| is_taken(&label.key)).peekable();
    // The labels of live objects may be set by controllers.
    if taken.peek().is_none() || reading.is_from_server() {
        return;
    }
    for label in taken {
        let message = format!("the prefix of label {} is reserved for Kubernetes", label.key);
        findings.add(&reading.subject, reading.line_of(label.key_span), message);
    }
}

/// Whether a label has a reserved prefix and is unknown.
fn is_taken(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else { return false };
    let is_under = |domain: &&str| {
        prefix.strip_suffix(*domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    RESERVED.iter().any(is_under)
        && !KNOWN_PREFIXES.contains(&prefix)
        && !KNOWN_SUFFIXES.iter().any(|known| prefix.ends_with(known))
        && !KNOWN_LABELS.contains(&key)
}

const PREFIX: &str = "app.kubernetes.io/";

/// The names of recommended labels, after their prefix (Kubernetes, "Recommended Labels").
const RECOMMENDED: [&str; 6] = ["name", "instance", "version", "component", "part-of", "managed-by"];

pub(super) fn recommended(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.owner.is_workload() && !reading.subject.is("", "Service") {
        return;
    }
    let has = |name: &str| entries(reading.tree).any(|label| label.key.strip_prefix(PREFIX) == Some(name));
    let lacking: Vec<&str> = RECOMMENDED.into_iter().filter(|name| !has(name)).collect();
    if !lacking.is_empty() {
        let message = format!("lacks the labels {PREFIX}{{{}}}", lacking.join(","));
        findings.add(&reading.subject, reading.line_at("metadata.labels"), message);
    }
}
