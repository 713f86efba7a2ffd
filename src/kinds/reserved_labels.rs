//! The labels with a prefix that is reserved for Kubernetes and its projects.

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

/// Whether a label has a reserved prefix and is unknown, so that a later release may use it.
pub fn is_taken(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else { return false };
    let is_under = |domain: &&str| {
        prefix.strip_suffix(*domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    RESERVED.iter().any(is_under)
        && !KNOWN_PREFIXES.contains(&prefix)
        && !KNOWN_SUFFIXES.iter().any(|known| prefix.ends_with(known))
        && !KNOWN_LABELS.contains(&key)
}
