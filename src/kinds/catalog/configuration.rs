//! Kinds that are read from files by tools and never stored in a cluster.

use syntax::gvk;

/// kubectl's own configuration, and kustomizations, which may omit their apiVersion.
const OF_CORE: [&str; 3] = ["Config", "Kustomization", "Component"];

/// Groups whose objects configure tools: they have a `kind`, but are not stored in a cluster. They are read by kustomize and the
/// functions it runs; by tools that create clusters, and by Kubernetes' components; by tools that apply manifests, by
/// Backstage's catalog and by Microcks; and by skaffold, the most common tool of developers whose file is beside manifests.
const CONFIGURATION: [&str; 18] = [
    "kustomize.config.k8s.io",
    "config.kubernetes.io",
    "kind.x-k8s.io",
    "ctlptl.dev",
    "eksctl.io",
    "k3d.io",
    "k0sctl.k0sproject.io",
    "kubeadm.k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "kubecontrollermanager.config.k8s.io",
    "apiserver.config.k8s.io",
    "audit.k8s.io",
    "backstage.io",
    "mocks.microcks.io",
    "tanka.dev",
    "skaffold",
];

/// Whether such a document configures a tool instead of being an object of a cluster: Kustomization, kubeconfig, the
/// configuration of kind and kubeadm, and similar ones.
pub fn is_configuration(api_version: &str, kind: &str) -> bool {
    is_configuration_of(gvk::split_api_version(api_version).0, kind)
}

/// Whether documents of this kind of an API group configure a tool.
pub(super) fn is_configuration_of(group: &str, kind: &str) -> bool {
    match group {
        "" => OF_CORE.contains(&kind),
        _ => CONFIGURATION.contains(&group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_of_tools_is_told_from_objects() {
        for (api_version, kind) in [
            ("kustomize.config.k8s.io/v1beta1", "Kustomization"),
            ("kustomize.config.k8s.io/v1alpha1", "Component"),
            ("", "Kustomization"),
            ("v1", "Config"),
            ("kind.x-k8s.io/v1alpha4", "Cluster"),
            ("kubeadm.k8s.io/v1beta4", "ClusterConfiguration"),
            ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
            ("audit.k8s.io/v1", "Policy"),
            ("config.kubernetes.io/v1", "ResourceList"),
            ("skaffold/v4beta1", "Config"),
        ] {
            assert!(is_configuration(api_version, kind), "{api_version} {kind}");
        }
        for (api_version, kind) in [
            ("v1", "ConfigMap"),
            ("v1", "List"),
            ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
            ("cluster.x-k8s.io/v1beta1", "Cluster"),
            ("ex.io/v1", "Config"),
        ] {
            assert!(!is_configuration(api_version, kind), "{api_version} {kind}");
        }
    }
}
