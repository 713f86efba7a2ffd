//! The kinds of well-known projects that many clusters have: facts that their definitions state, and what these do not.
//!
//! A project is a file whose lines are kinds, written by `packaging/project-kinds`: group, kind, plural, scope, served
//! versions, short names, categories, and the columns of tables as `NAME;TYPE;PRIORITY;JSONPATH`, between tabs. Lists have
//! commas, and columns bars between them. Definitions in the input come first. A file is read
//! when one of its groups is met, or when a TYPE is not known otherwise.

use std::sync::{LazyLock, OnceLock};

use crate::kind::{KIND, Kind, Scope};
use crate::names::NameRule;

/// A file with its groups.
type Project = (&'static str, &'static [&'static str]);

#[rustfmt::skip]
const PROJECTS: &[Project] = &[
    (include_str!("argo.txt"), &["argoproj.io"]),
    (include_str!("autoscaler.txt"), &["autoscaling.k8s.io"]),
    (include_str!("calico.txt"), &["crd.projectcalico.org", "policy.networking.k8s.io", "projectcalico.org"]),
    (include_str!("cert-manager.txt"), &["acme.cert-manager.io", "cert-manager.io"]),
    (include_str!("cilium.txt"), &["cilium.io"]),
    (include_str!("cloudnative-pg.txt"), &["barmancloud.cnpg.io", "postgresql.cnpg.io"]),
    (include_str!("cluster-api.txt"), &["addons.cluster.x-k8s.io", "bootstrap.cluster.x-k8s.io", "cluster.x-k8s.io", "clusterctl.cluster.x-k8s.io", "controlplane.cluster.x-k8s.io", "ipam.cluster.x-k8s.io", "runtime.cluster.x-k8s.io"]),
    (include_str!("crossplane.txt"), &["apiextensions.crossplane.io", "ops.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io"]),
    (include_str!("external-secrets.txt"), &["external-secrets.io", "generators.external-secrets.io"]),
    (include_str!("flux.txt"), &["helm.toolkit.fluxcd.io", "image.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "notification.toolkit.fluxcd.io", "source.toolkit.fluxcd.io"]),
    (include_str!("gateway.txt"), &["gateway.networking.k8s.io", "gateway.networking.x-k8s.io"]),
    (include_str!("istio.txt"), &["extensions.istio.io", "networking.istio.io", "security.istio.io", "telemetry.istio.io"]),
    (include_str!("karpenter.txt"), &["autoscaling.x-k8s.io", "karpenter.k8s.aws", "karpenter.sh"]),
    (include_str!("keda.txt"), &["eventing.keda.sh", "keda.sh"]),
    (include_str!("knative.txt"), &["autoscaling.internal.knative.dev", "eventing.knative.dev", "flows.knative.dev", "messaging.knative.dev", "networking.internal.knative.dev", "serving.knative.dev", "sinks.knative.dev", "sources.knative.dev"]),
    (include_str!("kyverno.txt"), &["kyverno.io", "policies.kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"]),
    (include_str!("longhorn.txt"), &["longhorn.io"]),
    (include_str!("metallb.txt"), &["metallb.io"]),
    (include_str!("openshift-apis.txt"), &["apps.openshift.io", "authorization.openshift.io", "build.openshift.io", "image.openshift.io", "oauth.openshift.io", "project.openshift.io", "route.openshift.io", "template.openshift.io", "user.openshift.io"]),
    (include_str!("openshift.txt"), &["apiextensions.openshift.io", "apiserver.openshift.io", "authorization.openshift.io", "cloud.network.openshift.io", "config.openshift.io", "console.openshift.io", "controlplane.operator.openshift.io", "etcd.openshift.io", "helm.openshift.io", "hive.openshift.io", "hiveinternal.openshift.io", "imageregistry.operator.openshift.io", "ingress.operator.openshift.io", "insights.openshift.io", "machine.openshift.io", "machineconfiguration.openshift.io", "monitoring.openshift.io", "multicluster.openshift.io", "network.openshift.io", "network.operator.openshift.io", "operator.openshift.io", "quota.openshift.io", "samples.operator.openshift.io", "security.internal.openshift.io", "security.openshift.io", "sharedresource.openshift.io"]),
    (include_str!("prometheus.txt"), &["monitoring.coreos.com"]),
    (include_str!("sealed-secrets.txt"), &["bitnami.com"]),
    (include_str!("snapshots.txt"), &["groupsnapshot.storage.k8s.io", "snapshot.storage.k8s.io"]),
    (include_str!("strimzi.txt"), &["core.strimzi.io", "kafka.strimzi.io"]),
    (include_str!("traefik.txt"), &["traefik.io"]),
    (include_str!("velero.txt"), &["velero.io"]),
    // Of two kinds with one short name, the first one is meant: an ExternalSecret is called `es`, too.
    (include_str!("argo-events.txt"), &["argoproj.io"]),
    (include_str!("envoy-gateway.txt"), &["gateway.envoyproxy.io"]),
    (include_str!("grafana.txt"), &["grafana.integreatly.org"]),
    (include_str!("nmstate.txt"), &["nmstate.io"]),
    (include_str!("olm.txt"), &["operators.coreos.com"]),
    (include_str!("open-cluster-management.txt"), &["addon.open-cluster-management.io", "agent.open-cluster-management.io", "apps.open-cluster-management.io", "cluster.open-cluster-management.io", "console.open-cluster-management.io", "observability.open-cluster-management.io", "operator.open-cluster-management.io", "policy.open-cluster-management.io", "rbac.open-cluster-management.io", "search.open-cluster-management.io", "siteconfig.open-cluster-management.io", "submarineraddon.open-cluster-management.io", "work.open-cluster-management.io"]),
    (include_str!("opendatahub.txt"), &["components.platform.opendatahub.io", "config.opendatahub.io", "datasciencecluster.opendatahub.io", "dscinitialization.opendatahub.io", "features.opendatahub.io", "infrastructure.opendatahub.io", "services.platform.opendatahub.io"]),
    (include_str!("percona.txt"), &["pgv2.percona.com", "psmdb.percona.com", "pxc.percona.com", "upstream.pgv2.percona.com"]),
    (include_str!("postgres-operator.txt"), &["acid.zalan.do"]),
    (include_str!("rook.txt"), &["ceph.rook.io", "objectbucket.io"]),
    (include_str!("tekton.txt"), &["resolution.tekton.dev", "tekton.dev", "triggers.tekton.dev"]),
    (include_str!("volsync.txt"), &["volsync.backube"]),
    (include_str!("actions-runner.txt"), &["actions.github.com", "actions.summerwind.dev"]),
    (include_str!("contour.txt"), &["projectcontour.io"]),
    (include_str!("crunchy.txt"), &["postgres-operator.crunchydata.com"]),
    (include_str!("datadog.txt"), &["datadoghq.com"]),
    (include_str!("dragonfly.txt"), &["dragonflydb.io"]),
    (include_str!("elastic.txt"), &["agent.k8s.elastic.co", "apm.k8s.elastic.co", "autoops.k8s.elastic.co", "autoscaling.k8s.elastic.co", "beat.k8s.elastic.co", "elasticsearch.k8s.elastic.co", "enterprisesearch.k8s.elastic.co", "kibana.k8s.elastic.co", "logstash.k8s.elastic.co", "maps.k8s.elastic.co", "packageregistry.k8s.elastic.co", "stackconfigpolicy.k8s.elastic.co"]),
    (include_str!("external-dns.txt"), &["externaldns.k8s.io"]),
    (include_str!("fluent.txt"), &["fluentbit.fluent.io", "fluentd.fluent.io"]),
    (include_str!("flux-operator.txt"), &["fluxcd.controlplane.io"]),
    (include_str!("gatekeeper.txt"), &["config.gatekeeper.sh", "connection.gatekeeper.sh", "expansion.gatekeeper.sh", "externaldata.gatekeeper.sh", "mutations.gatekeeper.sh", "status.gatekeeper.sh", "syncset.gatekeeper.sh", "templates.gatekeeper.sh"]),
    (include_str!("kong.txt"), &["configuration.konghq.com", "gateway-operator.konghq.com", "incubator.ingress-controller.konghq.com", "konnect.konghq.com"]),
    (include_str!("kserve.txt"), &["serving.kserve.io"]),
    (include_str!("kuadrant.txt"), &["devportal.kuadrant.io", "extensions.kuadrant.io", "kuadrant.io"]),
    (include_str!("kueue.txt"), &["disaggregatedset.x-k8s.io", "jobset.x-k8s.io", "kueue.x-k8s.io", "leaderworkerset.x-k8s.io"]),
    (include_str!("mariadb.txt"), &["k8s.mariadb.com"]),
    (include_str!("multus.txt"), &["k8s.cni.cncf.io"]),
    (include_str!("node-feature-discovery.txt"), &["nfd.k8s-sigs.io", "topology.node.k8s.io"]),
    (include_str!("nvidia.txt"), &["nvidia.com", "resource.nvidia.com"]),
    (include_str!("onepassword.txt"), &["onepassword.com"]),
    (include_str!("opentelemetry.txt"), &["opentelemetry.io"]),
    (include_str!("origin-ca-issuer.txt"), &["cert-manager.k8s.cloudflare.com"]),
    (include_str!("system-upgrade.txt"), &["upgrade.cattle.io"]),
    (include_str!("tailscale.txt"), &["tailscale.com"]),
    (include_str!("tofu.txt"), &["infra.contrib.fluxcd.io"]),
    (include_str!("trivy.txt"), &["aquasecurity.github.io"]),
    (include_str!("trust-manager.txt"), &["trust-manager.io", "trust.cert-manager.io"]),
    (include_str!("victoriametrics.txt"), &["operator.victoriametrics.com"]),
];

pub(crate) const COUNT: usize = PROJECTS.len();

/// The kinds of each project.
static READ: [OnceLock<Vec<Kind>>; COUNT] = [const { OnceLock::new() }; COUNT];

/// The kinds of the project at an index.
pub(crate) fn kinds(at: usize) -> &'static [Kind] {
    READ[at].get_or_init(|| read(PROJECTS[at].0))
}

/// The kinds whose objects have names such as NAME:TAG, by group.
const PATH_NAMES: &[(&str, &[&str])] = &[
    ("authorization.openshift.io", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    ("image.openshift.io", &["Image", "ImageStreamImage", "ImageStreamTag", "ImageTag"]),
    (
        "oauth.openshift.io",
        &["OAuthAccessToken", "OAuthAuthorizeToken", "OAuthClientAuthorization", "UserOAuthAccessToken"],
    ),
    ("user.openshift.io", &["Group", "Identity", "User", "UserIdentityMapping"]),
];

fn has_path_names(group: &str, kind: &str) -> bool {
    PATH_NAMES.iter().any(|(of, kinds)| *of == group && kinds.contains(&kind))
}

/// The groups with their projects, in order: several projects may have kinds of one.
static GROUPS: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    let of = |((_, groups), at): (&Project, usize)| groups.iter().map(move |group| (*group, at));
    let mut groups: Vec<_> = PROJECTS.iter().zip(0..).flat_map(of).collect();
    groups.sort_unstable();
    groups
});

/// The projects with kinds of a group, none of which is read.
pub(crate) fn with_group(group: &str) -> impl Iterator<Item = usize> {
    let first = GROUPS.partition_point(|(of, _)| *of < group);
    GROUPS.iter().skip(first).take_while(move |(of, _)| *of == group).map(|(_, at)| *at)
}

/// The kind of a project; `None` if no project has it.
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    with_group(group).flat_map(kinds).find(|row| row.kind == kind && row.group == group)
}

/// A column of a table: its name, the type of its values, its priority, and the JSONPath of the cell.
pub fn columns(kind: &'static Kind) -> impl Iterator<Item = [&'static str; 4]> {
    kind.printed.split('|').filter_map(|column| {
        let mut fields = column.split(';');
        Some([fields.next()?, fields.next()?, fields.next()?, fields.next()?])
    })
}

fn read(text: &'static str) -> Vec<Kind> {
    text.lines().filter_map(row).collect()
}

/// The kind in a line; `None` if fields are missing.
fn row(line: &'static str) -> Option<Kind> {
    let mut cells = line.split('\t');
    let [group, kind, plural, scope, versions] = [(); 5].map(|()| cells.next());
    let [short_names, categories, printed] = [(); 3].map(|()| cells.next().unwrap_or_default());
    let (group, kind) = (group?, kind?);
    Some(Kind {
        group,
        kind,
        plural: plural?,
        scope: if scope? == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        versions: versions?,
        short_names,
        categories,
        printed,
        names: if has_path_names(group, kind) { NameRule::PathSegment } else { KIND.names },
        ..KIND
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::built_in;

    #[test]
    fn each_line_is_a_kind_of_its_own() {
        let mut seen = HashSet::new();
        for (text, groups) in PROJECTS {
            let kinds = read(text);
            assert_eq!(kinds.len(), text.lines().count());
            for kind in &kinds {
                assert!(groups.contains(&kind.group), "{}", kind.group);
                assert!(seen.insert((kind.group, kind.kind)), "{} {}", kind.group, kind.kind);
                assert!(
                    built_in().all(|row| (row.group, row.kind) != (kind.group, kind.kind)),
                    "{}",
                    kind.kind
                );
                assert!(!kind.versions.is_empty() && !kind.plural.is_empty(), "{}", kind.kind);
            }
            assert!(groups.iter().all(|group| kinds.iter().any(|kind| kind.group == *group)));
        }
    }

    #[test]
    fn a_kind_has_what_its_definition_states() {
        let kind = find("helm.toolkit.fluxcd.io", "HelmRelease").expect("a kind");
        assert_eq!([kind.plural, kind.short_names, kind.versions], ["helmreleases", "hr", "v2"]);
        let names: Vec<&str> = columns(kind).map(|[name, ..]| name).collect();
        assert_eq!(names, ["Age", "Ready", "Status"]);
        assert_eq!(find("cert-manager.io", "ClusterIssuer").map(|kind| kind.scope), Some(Scope::Cluster));
    }

    #[test]
    fn each_kind_is_found() {
        for kind in (0..COUNT).flat_map(kinds) {
            assert!(
                find(kind.group, kind.kind).is_some_and(|found| found.plural == kind.plural),
                "{}",
                kind.kind
            );
        }
        let first = (0..COUNT).flat_map(kinds).find(|kind| kind.short_names == "es").map(|kind| kind.kind);
        assert_eq!(first, Some("ExternalSecret"));
    }
}
