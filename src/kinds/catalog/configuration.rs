//! Kinds that are read from files by tools and never stored in a cluster.

use std::sync::LazyLock;

use syntax::gvk;
use text::hash::HashSet;

use crate::table;

/// kubectl's own configuration, kustomizations, which may omit their apiVersion, and what openshift-install reads.
const OF_CORE: [&str; 6] = [
    "Config",
    "Kustomization",
    "Component",
    "AgentConfig",
    "ImageBasedConfig",
    "ImageBasedInstallationConfig",
];

/// Groups whose objects configure tools.
static CONFIGURATION: LazyLock<HashSet<&str>> =
    LazyLock::new(|| table::lines(include_str!("configuration.txt")).collect());

/// Whether such a document configures a tool instead of being an object of a cluster: Kustomization, kubeconfig, the
/// configuration of kind and kubeadm, and similar ones.
pub fn is_configuration(api_version: &str, kind: &str) -> bool {
    is_configuration_of(gvk::split_api_version(api_version).0, kind)
}

/// Whether documents of this kind of an API group configure a tool.
pub(super) fn is_configuration_of(group: &str, kind: &str) -> bool {
    match group {
        "" => OF_CORE.contains(&kind),
        // What clusterctl reads of a repository; its Providers are objects.
        "clusterctl.cluster.x-k8s.io" => kind == "Metadata",
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
            ("v1beta1", "AgentConfig"),
            ("kind.x-k8s.io/v1alpha4", "Cluster"),
            ("kubeadm.k8s.io/v1beta4", "ClusterConfiguration"),
            ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
            ("audit.k8s.io/v1", "Policy"),
            ("config.kubernetes.io/v1", "ResourceList"),
            ("skaffold/v4beta1", "Config"),
            ("clusterctl.cluster.x-k8s.io/v1alpha3", "Metadata"),
        ] {
            assert!(is_configuration(api_version, kind), "{api_version} {kind}");
        }
        for (api_version, kind) in [
            ("v1", "ConfigMap"),
            ("v1", "List"),
            ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
            ("cluster.x-k8s.io/v1beta1", "Cluster"),
            ("ex.io/v1", "Config"),
            ("clusterctl.cluster.x-k8s.io/v1alpha3", "Provider"),
        ] {
            assert!(!is_configuration(api_version, kind), "{api_version} {kind}");
        }
    }
}
