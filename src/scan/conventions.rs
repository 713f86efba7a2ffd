//! Conventions of repositories that decide whether and how a document is applied: data, each with a repository that follows
//! it. A convention never names that repository: it is a form of documents, names of files, or names of objects.

use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::kinds::view;
use crate::manifest::tree::Node;
use crate::text::glob;

/// A pattern, and a repository where it was seen.
struct Convention {
    pattern: &'static str,
    #[allow(dead_code, reason = "the evidence for a row")]
    seen_in: &'static str,
}

const fn seen(pattern: &'static str, seen_in: &'static str) -> Convention {
    Convention { pattern, seen_in }
}

/// Names of files that are patches, whether a kustomization lists them or the line that does is a comment (kubebuilder's
/// `config/crd`).
const PATCHES: &[Convention] = &[
    seen("cainjection_in_*", "grafana/grafana-operator"),
    seen("webhook_in_*", "kubeflow/manifests"),
    seen("webhookcainjection_patch.*", "kubeflow/manifests"),
];

/// The same for files beside a kustomization.
const PATCHES_BESIDE: &[Convention] = &[
    seen("*-patch.y*ml", "thr3a/kubernetes-manifests"),
    seen("*_patch.y*ml", "kubeflow/manifests"),
    seen("patch.y*ml", "kubeflow/manifests"),
    seen("patch-*", "d-uzlov/k8s-homelab"),
    seen("patch_*", "kubeflow/manifests"),
];

/// Directories, anywhere in a path, with the source of others.
const FOREIGN: &[Convention] = &[
    seen("vendor", "GoogleContainerTools/skaffold"),
    seen("node_modules", "GoogleContainerTools/skaffold"),
    seen("site-packages", "marcobambili/k8s-examples"),
];

/// Names of files of tools whose content is not read, or only in part.
const FOREIGN_FILES: &[Convention] = &[
    seen("tsconfig*.json", "GoogleContainerTools/skaffold"),
    seen("appsettings*.json", "huseyindeniz/gitops-lab"),
    // Copies that editors and people keep.
    seen("*.y*ml.bak*", "keybuzzio/keybuzz-infra"),
    // Packages of charts, which hold those of others.
    seen("*-[0-9]*.[0-9]*.[0-9]*.tgz", "tpayne/kubernetes-examples"),
];

/// Kinds of resources that install a chart, whose objects no manifest has.
const CHARTS: &[ChartKind] = &[
    ChartKind {
        of: ("helm.toolkit.fluxcd.io", "HelmRelease"),
        sources: &["spec"],
        namespace: "spec.targetNamespace",
        seen_in: "rwlove/home-ops",
    },
    ChartKind {
        of: ("helm.cattle.io", "HelmChart"),
        sources: &["spec"],
        namespace: "spec.targetNamespace",
        seen_in: "jannegpriv/k3s-cluster-config",
    },
    ChartKind {
        of: ("argoproj.io", "Application"),
        sources: &["spec.source", "spec.sources"],
        namespace: "spec.destination.namespace",
        seen_in: "small-hack/argocd-apps",
    },
    ChartKind {
        of: ("argoproj.io", "ApplicationSet"),
        sources: &["spec.template.spec.source", "spec.template.spec.sources"],
        namespace: "spec.template.spec.destination.namespace",
        seen_in: "small-hack/argocd-apps",
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
    #[allow(dead_code, reason = "the evidence for a row")]
    seen_in: &'static str,
}

/// The fields that name a chart, or set its values.
const CHART_FIELDS: [&str; 4] = ["chart", "chartContent", "chartRef", "helm"];

/// Labels of Services of the control plane and the nodes, which a cluster, its installer or the Prometheus operator
/// creates in kube-system or default, as `KEY=VALUE`.
const SERVICES_OF_CLUSTERS: &[Convention] = &[
    seen("component=apiserver", "wardviaene/advanced-kubernetes-course"),
    seen("k8s-app=coredns", "prometheus-operator/kube-prometheus"),
    seen("k8s-app=etcd", "prometheus-operator/kube-prometheus"),
    seen("k8s-app=kube-*", "wardviaene/advanced-kubernetes-course"),
    seen("k8s-app=kubelet", "wardviaene/advanced-kubernetes-course"),
    seen("app.kubernetes.io/name=kube-*", "prometheus-operator/kube-prometheus"),
    seen("app.kubernetes.io/name=kubelet", "prometheus-operator/kube-prometheus"),
];

/// How expressions of ytt begin, in comments. Seen in categolj/k8s-manifests.
static YTT: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"#@ "));

/// The field in which SOPS notes how it encrypted a document; Flux, Argo CD and ksops remove it before they apply the
/// object. Seen in keiretsu-labs/kubernetes-manifests.
const SOPS: &str = "sops";

/// The comment that kubebuilder writes into its samples until someone completes them.
static SCAFFOLD: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"Add fields here"));

static TODO: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"TODO"));

/// How the comments of kubesec begin. Seen in guitarrapc/kubernetes-lab.
static KUBESEC: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"# kubesec:"));

/// Whether the name of a file says that it is a patch.
pub fn is_called_patch(file: &Path, is_beside_kustomization: bool) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_called = |rows: &[Convention]| rows.iter().any(|row| glob::matches(row.pattern, name));
    is_called(PATCHES) || is_beside_kustomization && is_called(PATCHES_BESIDE)
}

/// Whether a file belongs to the source of others, which a tool copied, or is one that only a tool reads.
pub fn is_foreign(file: &Path) -> bool {
    let is_called = |name: &str| FOREIGN.iter().any(|row| row.pattern == name);
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    FOREIGN_FILES.iter().any(|row| glob::matches(row.pattern, name))
        || file.components().any(|component| component.as_os_str().to_str().is_some_and(is_called))
}

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
    SERVICES_OF_CLUSTERS.iter().any(|row| glob::matches(row.pattern, &label))
}

/// Whether a directory of a chart, by its path in the chart, has objects that Helm installs: other files are values,
/// documentation, or texts that templates read. Seen in ManagedKube/kubernetes-ops (`files/`).
pub fn is_installed(in_chart: &Path) -> bool {
    let first = in_chart.components().next();
    first.is_none_or(|first| ["charts", "crds", "templates"].iter().any(|name| first.as_os_str() == *name))
}

/// Whether a text is a template of ytt.
pub fn is_ytt_template(text: &[u8]) -> bool {
    YTT.find(text).is_some()
}

/// Whether two files of a directory, which share an object, are called as alternatives: their names differ in a number, or
/// one has more words. Seen in confluentinc/confluent-kubernetes-examples (`dns-region1`, `dns-region2`) and
/// geoffdavis/talos-gitops (`monitoring`, `monitoring-simple`).
pub fn are_called_alternatives(a: &Path, b: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    let (Some(a), Some(b)) = (stem(a), stem(b)) else { return false };
    let without_digits = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    let is_longer = |longer: &str, shorter: &str| {
        longer.strip_prefix(shorter).is_some_and(|rest| rest.starts_with(['-', '_', '.']))
    };
    let is_numbered = || {
        let word = without_digits(&a);
        word == without_digits(&b) && word.contains(|c: char| c.is_alphabetic())
    };
    is_numbered() || is_longer(&a, &b) || is_longer(&b, &a)
}

/// Whether a tool encrypted values of the object: it has `sops` with a checksum, or its text the comment of kubesec, which is
/// searched for in Secrets.
pub fn is_encrypted(object: &Node, text: &[u8], kind: &str) -> bool {
    object.get(SOPS).is_some_and(|sops| sops.get("mac").is_some() || sops.get("lastmodified").is_some())
        || kind == "Secret" && KUBESEC.find(text).is_some()
}

/// Whether a text is a sample that nobody has completed yet.
pub fn is_scaffold(text: &[u8]) -> bool {
    SCAFFOLD.find(text).is_some()
}

/// Whether a comment begins with `TODO`.
pub fn has_todo(text: &[u8]) -> bool {
    TODO.find_iter(text).any(|at| text[..at].trim_ascii_end().ends_with(b"#"))
}

/// Whether a path of an object is the field that SOPS adds.
pub fn is_of_encryption(path: &str) -> bool {
    path == SOPS
}

/// Whether a definition is a patch: it has neither a group nor versions. Seen in d-uzlov/k8s-homelab and in the
/// `config/crd` of kubebuilder.
pub fn is_part_of_definition(definition: &Node) -> bool {
    definition.at("spec.group").is_none()
        && definition.at("spec.versions").is_none()
        && definition.at("spec.version").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::view::testing::tree;

    #[test]
    fn patches_are_told_by_their_names() {
        for (name, beside) in [
            ("crd/cainjection_in_a.yaml", false),
            ("webhook_in_a.yml", false),
            ("a/insecure-patch.yaml", true),
        ] {
            assert!(is_called_patch(Path::new(name), beside), "{name}");
        }
        for name in ["a/insecure-patch.yaml", "dispatch.yaml", "patch.yaml"] {
            assert!(!is_called_patch(Path::new(name), false), "{name}");
        }
        assert!(!is_called_patch(Path::new("dispatch.yaml"), true));
    }

    #[test]
    fn alternatives_are_told_by_their_names() {
        let are = |a: &str, b: &str| are_called_alternatives(Path::new(a), Path::new(b));
        assert!(are("dns-region1.yaml", "dns-region2.yaml") && are("a-simple.yaml", "a.yml"));
        assert!(!are("web.yaml", "webhook.yaml") && !are("a.yaml", "b.yaml") && !are("1.yaml", "2.yaml"));
    }

    #[test]
    fn copied_sources_are_told_by_their_directory() {
        assert!(is_foreign(Path::new("a/vendor/b/c.yaml")) && is_foreign(Path::new("node_modules/c.yaml")));
        assert!(
            is_foreign(Path::new("env/lib/site-packages/a.json"))
                && is_foreign(Path::new("app/tsconfig.json"))
                && !is_foreign(Path::new("a/vendors/c.yaml"))
        );
    }

    #[test]
    fn encryption_leaves_its_mark() {
        let is = |text: &str| is_encrypted(&tree(text), text.as_bytes(), "Secret");
        assert!(is("{kind: Secret, sops: {mac: 'ENC[a]'}}") && is("kind: Secret\n# kubesec:v:3\n"));
        assert!(!is("{kind: Secret, sops: yes}"));
    }
}
