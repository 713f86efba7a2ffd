//! The types of objects that a release of Kubernetes serves, and types that it does not have: misspelt kinds, versions and
//! groups, with the types that were meant.

use super::built_in::{GROUPS, built_in, find};
use super::fields::{self, TypeId};
use super::kind::Kind;
use super::lifecycle::Lifecycle;
use super::release::{Release, Releases};
use syntax::gvk::{self, GroupVersionKind};
use text::{is_among, spelling};

/// A type that a release of Kubernetes does not have, although it is of one of its groups or similar to one of its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch {
    /// The known releases that have it; `None` if there are none.
    pub releases: Option<Releases>,
    /// The apiVersion if that is wrong, or else the kind, or both; `None` if no type is similar.
    pub meant: Option<String>,
    /// The wrong field: `apiVersion` or `kind`.
    pub field: &'static str,
}

/// Kinds in groups of Kubernetes that are not resources: options of requests, answers, and files of tools.
const NOT_RESOURCES: &[(&str, &str)] = &[
    (
        "",
        "APIGroup APIGroupList APIResourceList APIVersions NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions \
         PodPortForwardOptions PodProxyOptions PodStatusResult RangeAllocation SerializedReference ServiceProxyOptions",
    ),
    // The configuration of the scheduler, until 1.23.
    ("", "Policy"),
    // OpenShift's before it had a group, and its templates, which oc process reads.
    ("", "SecurityContextConstraints Template"),
    ("apiextensions.k8s.io", "ConversionReview"),
    ("apps", "DeploymentRollback Scale"),
    ("authentication.k8s.io", "TokenRequest"),
    ("extensions", "DeploymentRollback Scale"),
    ("policy", "Eviction"),
];

/// Kinds that every group has (apimachinery, meta/v1/register.go, AddToGroupVersion).
const IN_EVERY_GROUP: &str =
    "CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions WatchEvent";

/// The versions of a kind that `release` serves, the preferred one first.
pub fn versions(row: &Kind, release: Release) -> Vec<&'static str> {
    let of_kind = fields::versions_of(row.kind).filter_map(|(api_version, id)| {
        let (group, version) = gvk::split_api_version(api_version);
        (group == row.group).then_some((version, id.get().releases))
    });
    let known: Vec<(&str, Releases)> = of_kind.collect();
    // Some kinds have no fields: objects of them are not stored.
    if known.is_empty() {
        let is_removed = |version: &&str| {
            let lifecycle = Lifecycle::of(&gvk::api_version(row.group, version), row.kind);
            lifecycle.is_some_and(|lifecycle| lifecycle.is_removed_in(release))
        };
        let listed = row.versions.split(',').filter(|version| !version.is_empty());
        return listed.filter(|version| !is_removed(version)).collect();
    }
    let served = known.into_iter().filter(|(_, releases)| releases.has(release));
    let mut served: Vec<&str> = served.map(|(version, _)| version).collect();
    served.sort_by(|a, b| gvk::by_priority(a, b));
    served
}

/// The error in a type; `None` if `release` has it, if it belongs to a group that others define, or if it was removed after
/// a deprecation, which [`Lifecycle`] reports: clusters may be older.
///
/// Groups without a dot are Kubernetes' own, because CustomResourceDefinitions cannot define them (apiextensions,
/// validation.go, ValidateCustomResourceDefinitionSpec). Files of tools have such groups, too, so they are only wrong
/// with a kind of Kubernetes.
pub fn no_match(api_version: &str, kind: &str, release: Release) -> Option<NoMatch> {
    let GroupVersionKind { group, version, .. } = GroupVersionKind::new(api_version, kind);
    let is_unknown = !is_known(api_version, kind, release);
    if let Some(id) = TypeId::of_kind(api_version, kind).filter(|_| is_unknown) {
        return Some(NoMatch { releases: Some(id.get().releases), ..meant(group, version, kind, release) });
    }
    let is_wrong = match group {
        _ if version.is_empty() || kind.is_empty() => false,
        group if is_own(group) => is_unknown,
        group if group.contains('.') => own_groups().any(|own| {
            spelling::difference(group, own).is_some() && is_known(&format!("{own}/{version}"), kind, release)
        }),
        _ => built_in().any(|row| row.kind == kind),
    };
    is_wrong.then(|| meant(group, version, kind, release))
}

/// The groups of Kubernetes, without `extensions`.
fn own_groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(group, _)| *group)
}

/// Whether a group is one of Kubernetes' own.
pub fn is_own(group: &str) -> bool {
    group == "extensions" || own_groups().any(|own| own == group)
}

/// Whether `release` has a type of one of Kubernetes' groups, or had it until it was removed after a deprecation. If the
/// fields of the type are not known, any release may have it.
fn is_known(api_version: &str, kind: &str, release: Release) -> bool {
    let (group, version) = gvk::split_api_version(api_version);
    let has_version = |row: &Kind| row.versions.split(',').any(|served| served == version);
    let is_in = |kinds: &str| is_among(kinds, kind);
    let is_listed = |(of, kinds): &(&str, &str)| *of == group && is_in(kinds);
    if Lifecycle::of(api_version, kind).is_some_and(|lifecycle| lifecycle.is_removed_in(release)) {
        return true;
    }
    if let Some(id) = TypeId::of_kind(api_version, kind) {
        return id.get().releases.has(release);
    }
    Lifecycle::of(api_version, kind).is_some()
        || find(group, kind).is_some_and(has_version)
        || NOT_RESOURCES.iter().any(is_listed)
        || is_in(IN_EVERY_GROUP)
        || kind
            .strip_suffix("List")
            .is_some_and(|item| item.is_empty() || is_known(api_version, item, release))
}

/// The type that was probably meant: the same kind in the group or in another one, or else the nearest kind.
fn meant(group: &str, version: &str, kind: &str, release: Release) -> NoMatch {
    let preferred = |row: &Kind| Some(gvk::api_version(row.group, versions(row, release).first()?));
    let served = || {
        built_in().filter(|row| fields::versions_of(row.kind).next().is_some() && preferred(row).is_some())
    };
    let in_group = || served().filter(|row| row.group == group);
    let same = in_group().chain(served()).find(|row| row.kind == kind);
    if let Some(row) = same {
        return NoMatch { releases: None, meant: preferred(row), field: "apiVersion" };
    }
    let nearest = |rows: &mut dyn Iterator<Item = &'static Kind>| {
        let rows: Vec<&Kind> = rows.collect();
        let name = spelling::nearest(kind, rows.iter().map(|row| row.kind))?;
        rows.into_iter().find(|row| row.kind == name)
    };
    let row = nearest(&mut in_group()).or_else(|| nearest(&mut served()));
    let meant = row.map(|row| {
        let has_version = row.group == group && versions(row, release).contains(&version);
        let api_version = preferred(row).filter(|_| !has_version);
        api_version.map_or_else(|| row.kind.to_owned(), |api_version| format!("{api_version} {}", row.kind))
    });
    NoMatch { releases: None, meant, field: "kind" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_in_the_rows_are_those_of_the_newest_release() {
        for row in built_in().filter(|row| fields::versions_of(row.kind).next().is_some()) {
            let versions = versions(row, Release::KNOWN).join(",");
            assert_eq!(versions, row.versions, "{} {}", row.group, row.kind);
        }
    }

    #[test]
    fn every_served_kind_has_a_row() {
        for (api_version, kind, _) in fields::kinds() {
            let (group, _) = gvk::split_api_version(api_version);
            let is_listed = NOT_RESOURCES.iter().any(|(of, kinds)| *of == group && is_among(kinds, kind));
            assert!(find(group, kind).is_some() || is_listed, "{api_version} {kind}");
        }
    }

    #[test]
    fn versions_are_those_that_the_release_serves() {
        let versions = |group, kind, minor| {
            let row = find(group, kind).expect("a row");
            versions(row, Release::new(minor)).join(",")
        };
        assert_eq!(versions("autoscaling", "HorizontalPodAutoscaler", 25), "v2,v1,v2beta2");
        assert_eq!(versions("autoscaling", "HorizontalPodAutoscaler", 26), "v2,v1");
        assert_eq!(versions("resource.k8s.io", "ResourceClaim", 32), "v1beta1,v1alpha3");
        assert_eq!(versions("resource.k8s.io", "ResourceClass", 31), "");
        assert_eq!(versions("scheduling.k8s.io", "PodGroup", 36), "v1alpha2");
        assert_eq!(versions("policy", "PodSecurityPolicy", 25), "");
    }

    #[track_caller]
    fn check(api_version: &str, kind: &str, expected: Option<(&'static str, &str)>) {
        let found = no_match(api_version, kind, Release::KNOWN);
        let expected =
            expected.map(|(field, meant)| NoMatch { releases: None, meant: Some(meant.to_owned()), field });
        assert_eq!(found, expected, "{api_version} {kind}");
    }

    #[test]
    fn a_misspelt_kind_is_the_nearest_one() {
        check("apps/v1", "Deploymnt", Some(("kind", "Deployment")));
        check("apps/v1", "deployment", Some(("kind", "Deployment")));
        check("v1", "Sevice", Some(("kind", "Service")));
        check("networking.k8s.io/v1", "Ingres", Some(("kind", "Ingress")));
        check("apps/v2", "Deploymnt", Some(("kind", "apps/v1 Deployment")));
        check("v1", "Deploymnt", Some(("kind", "apps/v1 Deployment")));
        check("autoscaling/v1", "HorizontalPodAutoscalers", Some(("kind", "HorizontalPodAutoscaler")));
        let unknown = NoMatch { releases: None, meant: None, field: "kind" };
        assert_eq!(no_match("v1", "Gizmo", Release::KNOWN), Some(unknown));
    }

    #[test]
    fn a_kind_in_the_wrong_version_or_group_is_that_kind() {
        check("apps/v2", "Deployment", Some(("apiVersion", "apps/v1")));
        check("batch/v1beta9", "CronJob", Some(("apiVersion", "batch/v1")));
        check("v1", "Deployment", Some(("apiVersion", "apps/v1")));
        check("apps/v1", "Service", Some(("apiVersion", "v1")));
        check("extensions/v1beta1", "Job", Some(("apiVersion", "batch/v1")));
        check("autoscaling/v3", "HorizontalPodAutoscaler", Some(("apiVersion", "autoscaling/v2")));
        check("v2", "Pod", Some(("apiVersion", "v1")));
    }

    #[test]
    fn a_misspelt_group_is_wrong_with_a_kind_of_kubernetes() {
        check("app/v1", "Deployment", Some(("apiVersion", "apps/v1")));
        check("rbac/v1", "Role", Some(("apiVersion", "rbac.authorization.k8s.io/v1")));
        check("networking.k8s.oi/v1", "Ingress", Some(("apiVersion", "networking.k8s.io/v1")));
        check("networking.k8s.oi/v1", "Ingres", None);
        check("config/v1", "Settings", None);
        // Groups that others define.
        check("scheduling.x-k8s.io/v1alpha1", "PodGroup", None);
        check("serving.knative.dev/v1", "Service", None);
        check("gateway.networking.k8s.io/v1", "Gatway", None);
        check("metrics.k8s.io/v1beta1", "PodMetric", None);
        check("shop.example.com/v1", "Deployment", None);
    }

    #[test]
    fn types_that_kubernetes_has_or_had_match() {
        for (api_version, kind, id) in fields::kinds() {
            for release in Release::known() {
                let found = no_match(api_version, kind, release);
                let releases = id.get().releases;
                let is_removed = Lifecycle::of(api_version, kind)
                    .is_some_and(|lifecycle| lifecycle.is_removed_in(release));
                let expected = (!releases.has(release) && !is_removed).then_some(Some(releases));
                assert_eq!(found.map(|found| found.releases), expected, "{api_version} {kind} {release}");
            }
        }
        for (api_version, kind) in [
            ("extensions/v1beta1", "Ingress"),
            ("extensions/v1beta1", "Scale"),
            ("policy/v1beta1", "PodSecurityPolicy"),
            ("apps/v1beta1", "Deployment"),
            ("autoscaling/v1", "Scale"),
            ("v1", "Status"),
            ("v1", "List"),
            ("v1", "PodList"),
            ("policy/v1", "Eviction"),
            ("batch/v1", "DeleteOptions"),
            ("v1", "Template"),
        ] {
            check(api_version, kind, None);
        }
    }
}
