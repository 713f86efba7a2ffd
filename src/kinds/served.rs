//! Types of objects that Kubernetes does not have: misspelt kinds, versions and groups, and the types that were meant.

use super::fields::TypeId;
use super::lifecycle::Lifecycle;
use super::{BUILT_IN, Kind, built_in, find};
use crate::manifest::gvk::{self, GroupVersionKind};
use crate::text::spelling;

/// A type that Kubernetes does not have, although it is of one of its groups or similar to one of its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch {
    /// The apiVersion if that is wrong, or else the kind, or both; `None` if no type is similar.
    pub meant: Option<String>,
    /// The wrong field: `apiVersion` or `kind`.
    pub field: &'static str,
}

/// Kinds in groups of Kubernetes that are not resources: options of requests, answers, and files of tools.
const NOT_RESOURCES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "APIGroup",
            "APIGroupList",
            "APIResourceList",
            "APIVersions",
            "NodeProxyOptions",
            "PodAttachOptions",
            "PodExecOptions",
            "PodLogOptions",
            "PodPortForwardOptions",
            "PodProxyOptions",
            "PodStatusResult",
            // The configuration of the scheduler, until 1.23.
            "Policy",
            "RangeAllocation",
            "SerializedReference",
            "ServiceProxyOptions",
            // OpenShift's templates, which oc process reads.
            "Template",
        ],
    ),
    ("apiextensions.k8s.io", &["ConversionReview"]),
    ("apps", &["DeploymentRollback", "Scale"]),
    ("authentication.k8s.io", &["TokenRequest"]),
    ("extensions", &["DeploymentRollback", "Scale"]),
    ("policy", &["Eviction"]),
];

/// Kinds that every group has (apimachinery, meta/v1/register.go, AddToGroupVersion).
const IN_EVERY_GROUP: &[&str] = &[
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "UpdateOptions",
    "WatchEvent",
];

/// The error in a type; `None` if Kubernetes has or had it, or if it belongs to a group that others define.
///
/// Groups without a dot are Kubernetes' own, because CustomResourceDefinitions cannot define them (apiextensions,
/// validation.go, ValidateCustomResourceDefinitionSpec). Files of tools have such groups, too, so they are only wrong
/// with a kind of Kubernetes.
pub fn no_match(api_version: &str, kind: &str) -> Option<NoMatch> {
    let GroupVersionKind { group, version, .. } = GroupVersionKind::new(api_version, kind);
    let is_wrong = match group {
        _ if version.is_empty() || kind.is_empty() => false,
        group if is_own(group) => !is_known(api_version, kind),
        group if group.contains('.') => own_groups().any(|own| {
            spelling::difference(group, own).is_some() && is_known(&format!("{own}/{version}"), kind)
        }),
        _ => built_in().any(|row| row.kind == kind),
    };
    is_wrong.then(|| meant(group, version, kind))
}

/// The groups of Kubernetes, without `extensions`.
fn own_groups() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().filter_map(|kinds| Some(kinds.first()?.group))
}

fn is_own(group: &str) -> bool {
    group == "extensions" || own_groups().any(|own| own == group)
}

/// Whether Kubernetes has or had a type of one of its groups.
fn is_known(api_version: &str, kind: &str) -> bool {
    let (group, version) = gvk::split_api_version(api_version);
    let has_version = |row: &Kind| row.versions.split(',').any(|served| served == version);
    let is_listed = |(of, kinds): &(&str, &[&str])| *of == group && kinds.contains(&kind);
    TypeId::of_kind(api_version, kind).is_some()
        || Lifecycle::of(api_version, kind).is_some()
        || find(group, kind).is_some_and(has_version)
        || NOT_RESOURCES.iter().any(is_listed)
        || IN_EVERY_GROUP.contains(&kind)
        || kind.strip_suffix("List").is_some_and(|item| item.is_empty() || is_known(api_version, item))
}

/// The type that was probably meant: the same kind in the group or in another one, or else the nearest kind.
fn meant(group: &str, version: &str, kind: &str) -> NoMatch {
    let served = || built_in().filter(|row| TypeId::of_kind(&preferred(row), row.kind).is_some());
    let in_group = || served().filter(|row| row.group == group);
    let same = in_group().chain(served()).find(|row| row.kind == kind);
    if let Some(row) = same {
        return NoMatch { meant: Some(preferred(row)), field: "apiVersion" };
    }
    let nearest = |rows: &mut dyn Iterator<Item = &'static Kind>| {
        let rows: Vec<&Kind> = rows.collect();
        let name = spelling::nearest(kind, rows.iter().map(|row| row.kind))?;
        rows.into_iter().find(|row| row.kind == name)
    };
    let row = nearest(&mut in_group()).or_else(|| nearest(&mut served()));
    let meant = row.map(|row| {
        let has_version = row.group == group && row.versions.split(',').any(|served| served == version);
        if has_version { row.kind.to_owned() } else { format!("{} {}", preferred(row), row.kind) }
    });
    NoMatch { meant, field: "kind" }
}

/// The preferred apiVersion of a kind.
fn preferred(row: &Kind) -> String {
    let version = row.versions.split(',').next().unwrap_or_default();
    if row.group.is_empty() { version.to_owned() } else { format!("{}/{version}", row.group) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::fields;

    #[track_caller]
    fn check(api_version: &str, kind: &str, expected: Option<(&'static str, &str)>) {
        let found = no_match(api_version, kind);
        let expected = expected.map(|(field, meant)| NoMatch { meant: Some(meant.to_owned()), field });
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
        assert_eq!(no_match("v1", "Gizmo"), Some(NoMatch { meant: None, field: "kind" }));
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
        for (api_version, kind, _) in fields::kinds() {
            check(api_version, kind, None);
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
