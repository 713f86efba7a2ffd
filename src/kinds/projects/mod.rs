//! The kinds of well-known projects that many clusters have: facts that their definitions state, and what these do not.
//!
//! A project is a file whose lines are kinds, written by `packaging/project-kinds`: group, kind, plural, scope, served
//! versions, short names, categories, and the columns of tables as `NAME;TYPE;PRIORITY;JSONPATH`, between tabs. Lists have
//! commas, and columns bars between them. `references.txt` has the fields that name other objects. Definitions in the input
//! come first. A file is read when one of its groups is met, or when a TYPE is not known otherwise.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::kind::{KIND, Kind, Scope};
use crate::monitoring;
use crate::names::NameRule;
use crate::references::{IfMissing, ReferenceField, TargetNamespace, To};

/// The files with their groups.
#[rustfmt::skip]
const PROJECTS: &[(&str, &[&str])] = &[
    (include_str!("argo.txt"), &["argoproj.io"]),
    (include_str!("autoscaler.txt"), &["autoscaling.k8s.io"]),
    (include_str!("calico.txt"), &["crd.projectcalico.org", "policy.networking.k8s.io", "projectcalico.org"]),
    (include_str!("cert-manager.txt"), &["acme.cert-manager.io", "cert-manager.io"]),
    (include_str!("cilium.txt"), &["cilium.io"]),
    (include_str!("cloudnative-pg.txt"), &["postgresql.cnpg.io"]),
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
    (include_str!("openshift-apis.txt"), &["apps.openshift.io", "authorization.openshift.io", "build.openshift.io", "image.openshift.io", "oauth.openshift.io", "project.openshift.io", "template.openshift.io", "user.openshift.io"]),
    (include_str!("openshift.txt"), &["apiextensions.openshift.io", "authorization.openshift.io", "config.openshift.io", "insights.openshift.io", "machine.openshift.io", "machineconfiguration.openshift.io", "operator.openshift.io", "quota.openshift.io", "route.openshift.io", "security.internal.openshift.io", "security.openshift.io"]),
    (include_str!("prometheus.txt"), &["monitoring.coreos.com"]),
    (include_str!("sealed-secrets.txt"), &["bitnami.com"]),
    (include_str!("snapshots.txt"), &["groupsnapshot.storage.k8s.io", "snapshot.storage.k8s.io"]),
    (include_str!("strimzi.txt"), &["core.strimzi.io", "kafka.strimzi.io"]),
    (include_str!("traefik.txt"), &["traefik.io"]),
    (include_str!("velero.txt"), &["velero.io"]),
];

const REFERENCES: &str = include_str!("references.txt");

/// The kinds of a project.
type Kinds = LazyLock<Vec<Kind>>;

static READ: [Kinds; PROJECTS.len()] = {
    macro_rules! each {
        ($($at:literal)*) => { [$(LazyLock::new(|| read(PROJECTS[$at].0))),*] };
    }
    each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
};

/// The fields and the rule for names of kinds, by group and kind.
static FIELDS: LazyLock<HashMap<(&str, &str), Fields>> = LazyLock::new(fields);

/// What definitions do not state about a kind.
#[derive(Clone, Default)]
struct Fields {
    references: Vec<ReferenceField>,
    names: Option<NameRule>,
}

/// The kind of a project; `None` if no project has it.
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    let at = PROJECTS.iter().position(|(_, groups)| groups.contains(&group))?;
    READ[at].iter().find(|row| row.kind == kind && row.group == group)
}

/// Whether a project has kinds of this group.
pub fn has_group(group: &str) -> bool {
    PROJECTS.iter().any(|(_, groups)| groups.contains(&group))
}

/// The kinds of all projects.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    READ.iter().flat_map(|kinds| kinds.iter())
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
    let Fields { references, names } = FIELDS.get(&(group, kind)).cloned().unwrap_or_default();
    Some(Kind {
        group,
        kind,
        plural: plural?,
        scope: if scope? == "Cluster" { Scope::Cluster } else { Scope::Namespaced },
        versions: versions?,
        short_names,
        categories,
        printed,
        names: names.unwrap_or(KIND.names),
        // Each kind is made once.
        references: references.leak(),
        selectors: if group == monitoring::GROUP { monitoring::selectors(kind) } else { &[] },
        ..KIND
    })
}

/// The text of `references.txt` by kinds.
fn fields() -> HashMap<(&'static str, &'static str), Fields> {
    let mut found: HashMap<(&str, &str), Fields> = HashMap::new();
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for line in REFERENCES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        if line.starts_with(' ') {
            let Some(reference) = reference(&mut words) else { continue };
            kinds.iter().for_each(|kind| found.entry(*kind).or_default().references.push(reference));
            continue;
        }
        let group = words.next().unwrap_or_default();
        let (flags, names): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        kinds = names.into_iter().map(|kind| (group, kind)).collect();
        if flags.contains(&"names=path") {
            kinds.iter().for_each(|kind| found.entry(*kind).or_default().names = Some(NameRule::PathSegment));
        }
    }
    found
}

/// A field as a line of `references.txt` has it; `None` if a word is missing.
fn reference(words: &mut dyn Iterator<Item = &'static str>) -> Option<ReferenceField> {
    let path = |word: &'static str| if word == "." { "" } else { word };
    let (each, name, target) = (path(words.next()?), path(words.next()?), words.next()?);
    let kind = |target: &'static str| {
        let (group, kind) = target.split_once('/').unwrap_or((target, ""));
        (if group == "core" { "" } else { group }, kind)
    };
    let to = match target.strip_prefix("typed:") {
        None => To::Kind(kind(target).0, kind(target).1),
        Some(typed) => {
            let (field, default) = typed.split_once('=').unwrap_or((typed, "core"));
            To::Typed(field, kind(default).0, kind(default).1)
        }
    };
    let (mut within, mut meaning) = (TargetNamespace::Own, IfMissing::Needed);
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("at", path) => within = TargetNamespace::At(path),
            ("host", _) => within = TargetNamespace::Host,
            ("anywhere", _) => within = TargetNamespace::Unknown,
            ("optional", path) => meaning = IfMissing::Optional(path),
            _ => meaning = IfMissing::Made,
        }
    }
    Some(ReferenceField { each, name, to, within, meaning })
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
    fn references_are_of_known_kinds_and_well_formed() {
        for (group, kind) in FIELDS.keys() {
            assert!(find(group, kind).is_some(), "{group} {kind}");
        }
        let written = REFERENCES.lines().filter(|line| line.starts_with(' '));
        for line in written {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(reference(&mut words.iter().copied()).is_some(), "{line}");
            for word in &words[3..] {
                let known = ["at=", "optional=", "host", "anywhere", "made"];
                assert!(known.iter().any(|known| word.starts_with(known)), "{line}");
            }
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
}
