//! Objects that every cluster has, or every namespace of a cluster.

/// Kind, namespace, and the beginning of the name. An empty namespace is any or none.
const GIVEN: &[(&str, &str, &str)] = &[
    // Argo CD makes it, and its own manifests, which a command applies, have the others.
    ("AppProject", "", "default"),
    ("ConfigMap", "argocd", "argocd-*"),
    ("Secret", "argocd", "argocd-*"),
    ("Service", "argocd", "argocd-*"),
    ("ServiceAccount", "argocd", "argocd-*"),
    ("ClusterRole", "", "admin"),
    ("ClusterRole", "", "cluster-admin"),
    // Those of OpenShift.
    ("ClusterRole", "", "basic-user"),
    ("ClusterRole", "", "cluster-monitoring-*"),
    ("ClusterRole", "", "cluster-reader"),
    ("ClusterRole", "", "registry-*"),
    ("ClusterRole", "", "self-provisioner"),
    ("ClusterRole", "", "storage-admin"),
    ("ClusterRole", "", "edit"),
    ("ClusterRole", "", "system:*"),
    ("ClusterRole", "", "view"),
    ("ConfigMap", "", "kube-root-ca.crt"),
    ("ConfigMap", "", "openshift-service-ca.crt"),
    // Manifests rarely have all of that namespace.
    ("ConfigMap", "kube-system", ""),
    ("FlowSchema", "", "system-*"),
    ("Namespace", "", "default"),
    ("Namespace", "", "kube-*"),
    ("PriorityClass", "", "system-*"),
    ("PriorityLevelConfiguration", "", "catch-all"),
    ("PriorityLevelConfiguration", "", "exempt"),
    ("PriorityLevelConfiguration", "", "global-default"),
    ("PriorityLevelConfiguration", "", "leader-election"),
    ("PriorityLevelConfiguration", "", "node-high"),
    ("PriorityLevelConfiguration", "", "system"),
    ("PriorityLevelConfiguration", "", "workload-*"),
    ("Role", "kube-system", "extension-apiserver-authentication-reader"),
    ("Role", "", "system:*"),
    ("Service", "default", "kubernetes"),
    ("Secret", "kube-system", ""),
    ("Service", "kube-system", ""),
    ("ServiceAccount", "", "default"),
    // gotk-components.yaml, which `flux bootstrap` writes, names the controllers that are not installed, too.
    ("ServiceAccount", "flux-system", "image-*"),
    ("ServiceAccount", "flux-system", "source-watcher"),
    ("ServiceAccount", "kube-system", ""),
    // Those of AKS, EKS, GKE, K3s, kind and minikube, and that of Longhorn's chart.
    ("StorageClass", "", "azurefile*"),
    ("StorageClass", "", "default"),
    ("StorageClass", "", "gp2"),
    ("StorageClass", "", "gp3"),
    ("StorageClass", "", "hostpath"),
    ("StorageClass", "", "local-path"),
    ("StorageClass", "", "longhorn"),
    ("StorageClass", "", "managed*"),
    ("StorageClass", "", "premium-rwo"),
    ("StorageClass", "", "standard*"),
];

/// Whether every cluster has the object.
pub fn is_given(kind: &str, namespace: &str, name: &str) -> bool {
    GIVEN.iter().any(|(given, in_namespace, pattern)| {
        *given == kind
            && (in_namespace.is_empty() || *in_namespace == namespace)
            && match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => pattern.is_empty() || name == *pattern,
            }
    })
}
