//! The releases that deprecated and removed versions of built-in kinds, and their replacements.
//!
//! The facts come from the lifecycle tags of the API's types (Kubernetes, staging/src/k8s.io/api) and the Deprecated
//! API Migration Guide. Versions that were never enabled by default (alpha) are listed if manifests of them exist.

use super::fields::TypeId;
use super::release::Release;

/// The end of a version of kinds.
#[derive(Debug)]
pub struct Lifecycle {
    api_version: &'static str,
    kinds: &'static [&'static str],
    /// The first release whose API server warns about it.
    pub deprecated: Release,
    /// The first release that does not serve it; `None` if none is announced.
    pub removed: Option<Release>,
    /// The apiVersion that replaced it, with the kind if that differs, as of its deprecation; `None` if there is none.
    replacement: Option<&'static str>,
}

const fn row(
    api_version: &'static str,
    kinds: &'static [&'static str],
    (deprecated, removed): (u16, u16),
    replacement: &'static str,
) -> Lifecycle {
    Lifecycle {
        api_version,
        kinds,
        deprecated: Release::new(deprecated),
        removed: if removed == NOT_YET { None } else { Some(Release::new(removed)) },
        replacement: if replacement.is_empty() { None } else { Some(replacement) },
    }
}

/// The removal of versions whose removal has not been announced.
const NOT_YET: u16 = u16::MAX;

const WEBHOOKS: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const MUTATING_POLICIES: &[&str] = &["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"];
const VALIDATING_POLICIES: &[&str] = &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
const REVIEWS: &[&str] =
    &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"];
const FLOWS: &[&str] = &["FlowSchema", "PriorityLevelConfiguration"];
const ROLES: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const DEVICES: &[&str] = &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"];

/// All deprecated versions, by group. The numbers are the releases that deprecate and remove a version.
#[rustfmt::skip]
const LIFECYCLES: &[Lifecycle] = &[
    row("v1", &["ComponentStatus"], (19, NOT_YET), ""),
    row("v1", &["Endpoints"], (33, NOT_YET), "discovery.k8s.io/v1 EndpointSlice"),

    row("admissionregistration.k8s.io/v1beta1", WEBHOOKS, (16, 22), "admissionregistration.k8s.io/v1"),
    row("admissionregistration.k8s.io/v1alpha1", &["InitializerConfiguration"], (13, 14), ""),
    row("admissionregistration.k8s.io/v1alpha1", VALIDATING_POLICIES, (29, 32), "admissionregistration.k8s.io/v1beta1"),
    row("admissionregistration.k8s.io/v1beta1", VALIDATING_POLICIES, (31, 34), "admissionregistration.k8s.io/v1"),
    row("admissionregistration.k8s.io/v1alpha1", MUTATING_POLICIES, (35, 38), "admissionregistration.k8s.io/v1beta1"),
    row("admissionregistration.k8s.io/v1beta1", MUTATING_POLICIES, (37, 40), "admissionregistration.k8s.io/v1"),
    row("apiextensions.k8s.io/v1beta1", &["CustomResourceDefinition"], (16, 22), "apiextensions.k8s.io/v1"),
    row("apiregistration.k8s.io/v1beta1", &["APIService"], (19, 22), "apiregistration.k8s.io/v1"),
    row("apps/v1beta1", &["ControllerRevision", "Deployment", "StatefulSet"], (8, 16), "apps/v1beta2"),
    row("apps/v1beta2", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"], (9, 16), "apps/v1"),
    row("auditregistration.k8s.io/v1alpha1", &["AuditSink"], (19, 19), ""),
    row("authentication.k8s.io/v1alpha1", &["SelfSubjectReview"], (29, 32), "authentication.k8s.io/v1beta1"),
    row("authentication.k8s.io/v1beta1", &["SelfSubjectReview"], (30, 33), "authentication.k8s.io/v1"),
    row("authentication.k8s.io/v1beta1", &["TokenReview"], (19, 22), "authentication.k8s.io/v1"),
    row("authorization.k8s.io/v1beta1", REVIEWS, (19, 22), "authorization.k8s.io/v1"),
    row("autoscaling/v2beta1", &["HorizontalPodAutoscaler"], (22, 25), "autoscaling/v2beta2"),
    row("autoscaling/v2beta2", &["HorizontalPodAutoscaler"], (23, 26), "autoscaling/v2"),
    row("batch/v2alpha1", &["CronJob"], (21, 21), "batch/v1"),
    row("batch/v1beta1", &["CronJob"], (21, 25), "batch/v1"),
    row("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"], (19, 22), "certificates.k8s.io/v1"),
    row("certificates.k8s.io/v1alpha1", &["ClusterTrustBundle"], (34, 37), "certificates.k8s.io/v1beta1"),
    row("certificates.k8s.io/v1beta1", &["ClusterTrustBundle", "PodCertificateRequest"], (37, 40), "certificates.k8s.io/v1"),
    row("coordination.k8s.io/v1alpha2", &["LeaseCandidate"], (35, 38), "coordination.k8s.io/v1beta1"),
    row("coordination.k8s.io/v1beta1", &["LeaseCandidate"], (36, 39), ""),
    row("coordination.k8s.io/v1beta1", &["Lease"], (19, 22), "coordination.k8s.io/v1"),
    row("discovery.k8s.io/v1beta1", &["EndpointSlice"], (21, 25), "discovery.k8s.io/v1"),
    row("events.k8s.io/v1beta1", &["Event"], (22, 25), "events.k8s.io/v1"),
    row("extensions/v1beta1", &["DaemonSet", "Deployment", "ReplicaSet"], (8, 16), "apps/v1beta2"),
    row("extensions/v1beta1", &["Ingress"], (14, 22), "networking.k8s.io/v1beta1"),
    row("extensions/v1beta1", &["NetworkPolicy"], (9, 16), "networking.k8s.io/v1"),
    row("extensions/v1beta1", &["PodSecurityPolicy"], (11, 16), "policy/v1beta1"),
    row("flowcontrol.apiserver.k8s.io/v1alpha1", FLOWS, (21, 24), "flowcontrol.apiserver.k8s.io/v1beta1"),
    row("flowcontrol.apiserver.k8s.io/v1beta1", FLOWS, (23, 26), "flowcontrol.apiserver.k8s.io/v1beta2"),
    row("flowcontrol.apiserver.k8s.io/v1beta2", FLOWS, (26, 29), "flowcontrol.apiserver.k8s.io/v1beta3"),
    row("flowcontrol.apiserver.k8s.io/v1beta3", FLOWS, (29, 32), "flowcontrol.apiserver.k8s.io/v1"),
    row("networking.k8s.io/v1alpha1", &["ClusterCIDR"], (28, 29), ""),
    row("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"], (19, 22), "networking.k8s.io/v1"),
    row("networking.k8s.io/v1beta1", &["IPAddress", "ServiceCIDR"], (34, 37), "networking.k8s.io/v1"),
    row("node.k8s.io/v1beta1", &["RuntimeClass"], (22, 25), "node.k8s.io/v1"),
    row("policy/v1beta1", &["PodDisruptionBudget"], (21, 25), "policy/v1"),
    row("policy/v1beta1", &["PodSecurityPolicy"], (21, 25), ""),
    row("rbac.authorization.k8s.io/v1alpha1", ROLES, (17, 22), "rbac.authorization.k8s.io/v1"),
    row("rbac.authorization.k8s.io/v1beta1", ROLES, (17, 22), "rbac.authorization.k8s.io/v1"),
    row("resource.k8s.io/v1alpha3", &["DeviceTaintRule"], (36, 39), "resource.k8s.io/v1beta2"),
    row("resource.k8s.io/v1alpha3", &["ResourcePoolStatusRequest"], (39, 42), ""),
    row("resource.k8s.io/v1beta1", DEVICES, (35, 38), "resource.k8s.io/v1"),
    row("resource.k8s.io/v1beta2", DEVICES, (36, 39), "resource.k8s.io/v1"),
    row("resource.k8s.io/v1beta2", &["DeviceTaintRule"], (39, 42), "resource.k8s.io/v1"),
    row("scheduling.k8s.io/v1alpha1", &["PriorityClass"], (14, 22), "scheduling.k8s.io/v1"),
    row("scheduling.k8s.io/v1beta1", &["PriorityClass"], (14, 22), "scheduling.k8s.io/v1"),
    row("scheduling.k8s.io/v1beta1", &["PodGroup", "Workload"], (40, 43), ""),
    row("settings.k8s.io/v1alpha1", &["PodPreset"], (20, 20), ""),
    row("storage.k8s.io/v1alpha1", &["CSIStorageCapacity"], (21, 24), "storage.k8s.io/v1beta1"),
    row("storage.k8s.io/v1alpha1", &["VolumeAttachment"], (21, 24), "storage.k8s.io/v1"),
    row("storage.k8s.io/v1alpha1", &["VolumeAttributesClass"], (32, 35), "storage.k8s.io/v1beta1"),
    row("storage.k8s.io/v1beta1", &["CSIDriver", "StorageClass", "VolumeAttachment"], (19, 22), "storage.k8s.io/v1"),
    row("storage.k8s.io/v1beta1", &["CSINode"], (17, 22), "storage.k8s.io/v1"),
    row("storage.k8s.io/v1beta1", &["CSIStorageCapacity"], (24, 27), "storage.k8s.io/v1"),
    row("storage.k8s.io/v1beta1", &["VolumeAttributesClass"], (34, 37), "storage.k8s.io/v1"),
    row("storagemigration.k8s.io/v1beta1", &["StorageVersionMigration"], (37, 40), "storagemigration.k8s.io/v1"),
];

impl Lifecycle {
    /// The end of a kind in a version; `None` if it is not deprecated.
    pub fn of(api_version: &str, kind: &str) -> Option<&'static Self> {
        LIFECYCLES.iter().find(|row| row.api_version == api_version && row.kinds.contains(&kind))
    }

    /// Whether `release` no longer serves it.
    pub fn is_removed_in(&self, release: Release) -> bool {
        self.removed.is_some_and(|removed| removed <= release)
    }

    /// The apiVersion and kind to use instead in `release`: of several successors, the first that is not deprecated
    /// itself. `None` if there is none.
    pub fn replacement(&self, kind: &'static str, release: Release) -> Option<(&'static str, &'static str)> {
        let replacement = self.replacement?;
        let (api_version, kind) = replacement.split_once(' ').unwrap_or((replacement, kind));
        match Self::of(api_version, kind) {
            Some(next) if next.deprecated <= release => next.replacement(kind, release),
            _ => Some((api_version, kind)),
        }
    }

    /// The first release that serves what [`Self::replacement`] returns, if it is one of the newest three, which are those that
    /// Kubernetes supports; `None` if it is older, or if there is no replacement.
    pub fn replaced_since(&self, kind: &str, release: Release) -> Option<Release> {
        let kind = self.kinds.iter().find(|known| **known == kind)?;
        let (api_version, kind) = self.replacement(kind, release)?;
        let releases = TypeId::of_kind(api_version, kind)?.get().releases;
        let first = Release::known().position(|known| releases.has(known))?;
        Release::known().nth(first).filter(|_| first + 3 >= Release::known().count())
    }

    /// The warning of the API server of `release` about objects of `kind` (apiserver, endpoints/deprecation); `None` if
    /// it is neither deprecated nor removed.
    pub fn warning(&'static self, kind: &str, release: Release) -> Option<String> {
        if self.deprecated > release && !self.is_removed_in(release) {
            return None;
        }
        let kind = self.kinds.iter().find(|known| **known == kind)?;
        let mut warning = format!("{} {kind} is ", self.api_version);
        match self.removed {
            Some(removed) if removed <= release => warning += &format!("unavailable in v{removed}+"),
            Some(removed) => {
                warning += &format!("deprecated in v{}+, unavailable in v{removed}+", self.deprecated);
            }
            None => warning += &format!("deprecated in v{}+", self.deprecated),
        }
        if let Some((api_version, kind)) = self.replacement(kind, release) {
            warning += &format!("; use {api_version} {kind}");
        }
        Some(warning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(minor: u16, api_version: &str, kind: &str, warning: Option<&str>) {
        let release = Release::new(minor);
        let found = Lifecycle::of(api_version, kind).and_then(|row| row.warning(kind, release));
        assert_eq!(found.as_deref(), warning);
    }

    #[test]
    fn a_version_is_deprecated_and_then_removed() {
        let budget = |minor, warning| check(minor, "policy/v1beta1", "PodDisruptionBudget", warning);
        budget(20, None);
        let deprecated = "policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; \
                          use policy/v1 PodDisruptionBudget";
        budget(21, Some(deprecated));
        budget(24, Some(deprecated));
        budget(
            25,
            Some(
                "policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use policy/v1 PodDisruptionBudget",
            ),
        );
        check(36, "policy/v1", "PodDisruptionBudget", None);
    }

    #[test]
    fn what_replaces_a_version_is_served_in_that_release() {
        let words = "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io";
        for (minor, version) in [(16, "v1beta1"), (19, "v1")] {
            let words = format!("{words}/{version} Ingress");
            check(minor, "extensions/v1beta1", "Ingress", Some(&words));
        }
        let policy = "PodSecurityPolicy is unavailable in v1";
        let used = Some("; use policy/v1beta1 PodSecurityPolicy");
        for (minor, replacement) in [(16, used), (36, None)] {
            let words = format!("extensions/v1beta1 {policy}.16+{}", replacement.unwrap_or_default());
            check(minor, "extensions/v1beta1", "PodSecurityPolicy", Some(&words));
        }
    }

    #[test]
    fn a_kind_may_be_replaced_by_another_one() {
        let words = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
        check(36, "v1", "Endpoints", Some(words));
        check(32, "v1", "Endpoints", None);
    }

    #[test]
    fn versions_are_served_until_they_are_removed() {
        for row in LIFECYCLES {
            for kind in row.kinds {
                let releases = TypeId::of_kind(row.api_version, kind).map(|id| id.get().releases);
                for release in Release::known() {
                    let is_served = releases.is_some_and(|releases| releases.has(release));
                    let is_new = releases.is_some_and(|releases| releases.nearest(release) > release);
                    let is_removed = row.is_removed_in(release);
                    assert_eq!(is_served, !is_removed && !is_new, "{} {kind} {release}", row.api_version);
                }
            }
        }
    }

    #[test]
    fn replacements_are_served_when_a_version_is_deprecated_and_end_later() {
        for row in LIFECYCLES {
            for kind in row.kinds {
                let Some((api_version, kind)) = row.replacement(kind, row.deprecated) else { continue };
                let is_served = TypeId::of_kind(api_version, kind).is_some();
                let next = Lifecycle::of(api_version, kind);
                assert!(is_served || next.is_some(), "{api_version} {kind}");
                assert!(next.is_none_or(|next| next.deprecated > row.deprecated), "{api_version} {kind}");
            }
        }
    }
}
