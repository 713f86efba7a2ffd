//! Kinds that are read from files by tools and never stored in a cluster.

use syntax::gvk;

/// Groups whose objects configure tools, with their kinds: they have a `kind`, but are not stored in a cluster. An
/// empty list means all kinds of the group.
const CONFIGURATION: &[(&str, &[&str])] = &[
    // kubectl's own configuration, and kustomizations, which may omit their apiVersion.
    ("", &["Config", "Kustomization", "Component"]),
    // Read by kustomize and the functions it runs.
    ("kustomize.config.k8s.io", &[]),
    ("config.kubernetes.io", &[]),
    // Read from files by tools that create clusters, and by Kubernetes' components.
    ("kind.x-k8s.io", &[]),
    ("ctlptl.dev", &[]),
    ("eksctl.io", &[]),
    ("k3d.io", &[]),
    ("k0sctl.k0sproject.io", &[]),
    ("kubeadm.k8s.io", &[]),
    ("kubelet.config.k8s.io", &[]),
    ("kubeproxy.config.k8s.io", &[]),
    ("kubescheduler.config.k8s.io", &[]),
    ("kubecontrollermanager.config.k8s.io", &[]),
    ("apiserver.config.k8s.io", &[]),
    ("audit.k8s.io", &[]),
    // Read by tools that apply manifests, by Backstage's catalog and by Microcks.
    ("backstage.io", &[]),
    ("mocks.microcks.io", &[]),
    ("tanka.dev", &[]),
    // The most common configuration file of developers' tools beside manifests.
    ("skaffold", &[]),
];

/// Whether such a document configures a tool instead of being an object of a cluster: Kustomization, kubeconfig, the
/// configuration of kind and kubeadm, and similar ones.
pub fn is_configuration(api_version: &str, kind: &str) -> bool {
    is_configuration_of(gvk::split_api_version(api_version).0, kind)
}

/// As [`is_configuration`], by the API group.
pub(super) fn is_configuration_of(group: &str, kind: &str) -> bool {
    let row = CONFIGURATION.iter().find(|(name, _)| *name == group);
    row.is_some_and(|(_, kinds)| kinds.is_empty() || kinds.contains(&kind))
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
