//! Conventions of repositories that decide whether and how a document is applied, as data: forms of documents and names of
//! objects.

use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use kinds::view;
use syntax::tree::Node;
use text::glob;

/// Kinds of resources that install a chart, whose objects no manifest has.
const CHARTS: &[ChartKind] = &[
    ChartKind {
        of: ("helm.toolkit.fluxcd.io", "HelmRelease"),
        sources: &["spec"],
        namespace: "spec.targetNamespace",
    },
    ChartKind { of: ("helm.cattle.io", "HelmChart"), sources: &["spec"], namespace: "spec.targetNamespace" },
    ChartKind {
        of: ("argoproj.io", "Application"),
        sources: &["spec.source", "spec.sources"],
        namespace: "spec.destination.namespace",
    },
    ChartKind {
        of: ("argoproj.io", "ApplicationSet"),
        sources: &["spec.template.spec.source", "spec.template.spec.sources"],
        namespace: "spec.template.spec.destination.namespace",
    },
];

/// A row of [`CHARTS`].
struct ChartKind {
    /// Group and kind.
    of: (&'static str, &'static str),
    /// The maps, or lists of them, that name a chart by one of [`CHART_FIELDS`].
    sources: &'static [&'static str],
    /// The namespace into which it installs the chart, if not its own.
    namespace: &'static str,
}

/// The fields that name a chart, or set its values.
const CHART_FIELDS: [&str; 4] = ["chart", "chartContent", "chartRef", "helm"];

/// Labels of Services of the control plane and the nodes, which a cluster, its installer or the Prometheus operator
/// creates in kube-system or default, as `KEY=VALUE`.
const SERVICES_OF_CLUSTERS: &[&str] = &[
    "component=apiserver",
    "k8s-app=coredns",
    "k8s-app=etcd",
    "k8s-app=kube-*",
    "k8s-app=kubelet",
    "app.kubernetes.io/name=kube-*",
    "app.kubernetes.io/name=kubelet",
];

/// How expressions of ytt begin, in comments.
static YTT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"#@ "));

/// The field in which SOPS notes how it encrypted a document; Flux, Argo CD and ksops remove it before they apply the
/// object.
const SOPS: &str = "sops";

/// The namespace into which a resource of this group and kind installs a chart, empty for its own; `None` if it installs none.
pub fn chart_namespace<'o>(group: &str, kind: &str, object: &'o Node) -> Option<&'o str> {
    let row = CHARTS.iter().find(|row| row.of == (group, kind))?;
    let has_chart = |source: &Node| CHART_FIELDS.iter().any(|field| source.get(field).is_some());
    let is_one = |path: &&str| {
        object.at(path).is_some_and(has_chart) || view::list(object, path).iter().any(has_chart)
    };
    row.sources.iter().any(is_one).then(|| view::text(object, row.namespace))
}

/// Whether a label is one of a Service that a cluster has.
pub fn is_of_a_cluster(key: &str, value: &str) -> bool {
    let label = format!("{key}={value}");
    SERVICES_OF_CLUSTERS.iter().any(|row| glob::matches(row, &label))
}

/// Whether a directory of a chart, by its path in the chart, has objects that Helm installs: other files are values,
/// documentation, or texts that templates read.
pub fn is_installed(in_chart: &Path) -> bool {
    let first = in_chart.components().next();
    first.is_none_or(|first| ["charts", "crds", "templates"].iter().any(|name| first.as_os_str() == *name))
}

/// Whether a text is a template of ytt.
pub fn is_ytt_template(text: &[u8]) -> bool {
    YTT.find(text).is_some()
}

/// Whether SOPS encrypted values of the object, which then has `sops` with a checksum.
pub fn is_encrypted(object: &Node) -> bool {
    object.get(SOPS).is_some_and(|sops| sops.get("mac").is_some() || sops.get("lastmodified").is_some())
}

/// Whether a path of an object is the field that SOPS adds.
pub fn is_of_encryption(path: &str) -> bool {
    path == SOPS
}

/// Whether a definition is a patch, as in the `config/crd` of kubebuilder: it has neither a group nor versions.
pub fn is_part_of_definition(definition: &Node) -> bool {
    definition.at("spec.group").is_none()
        && definition.at("spec.versions").is_none()
        && definition.at("spec.version").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::tree;

    #[test]
    fn encryption_leaves_its_mark() {
        let is = |text: &str| is_encrypted(&tree(text));
        assert!(is("{kind: Secret, sops: {mac: 'ENC[a]'}}") && !is("{kind: Secret, sops: yes}"));
    }
}
