//! Kubernetes' own resources, as a table.
//!
//! The order is that of API discovery, which decides what a name with several meanings means and in which
//! order a category is printed: groups by their priority (kube-aggregator, apiserver's list of built-in groups),
//! within a group plurals by alphabet. CustomResourceDefinitions come behind.

use std::borrow::Cow;

use super::{Origin, Resource};
use Scope::{Cluster, Namespaced};

enum Scope {
    Cluster,
    Namespaced,
}

const fn row(
    group: &'static str,
    versions: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: &'static str,
    scope: Scope,
    categories: &'static str,
) -> Resource {
    Resource {
        group: Cow::Borrowed(group),
        kind: Cow::Borrowed(kind),
        plural: Cow::Borrowed(plural),
        namespaced: matches!(scope, Namespaced),
        versions: Cow::Borrowed(versions),
        short_names: Cow::Borrowed(short_names),
        categories: Cow::Borrowed(categories),
        origin: Origin::BuiltIn,
    }
}

/// The built-in resources in discovery order: group, versions (preferred first), kind, plural, short names,
/// scope, categories. PodSecurityPolicy has been removed without a successor and is still met in files.
#[rustfmt::skip] // One row each, whatever its length.
pub static RESOURCES: &[Resource] = &[
    row("", "v1", "Binding", "bindings", "", Namespaced, ""),
    row("", "v1", "ComponentStatus", "componentstatuses", "cs", Cluster, ""),
    row("", "v1", "ConfigMap", "configmaps", "cm", Namespaced, ""),
    row("", "v1", "Endpoints", "endpoints", "ep", Namespaced, ""),
    row("", "v1", "Event", "events", "ev", Namespaced, ""),
    row("", "v1", "LimitRange", "limitranges", "limits", Namespaced, ""),
    row("", "v1", "Namespace", "namespaces", "ns", Cluster, ""),
    row("", "v1", "Node", "nodes", "no", Cluster, ""),
    row("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", Namespaced, ""),
    row("", "v1", "PersistentVolume", "persistentvolumes", "pv", Cluster, ""),
    row("", "v1", "Pod", "pods", "po", Namespaced, "all"),
    row("", "v1", "PodTemplate", "podtemplates", "", Namespaced, ""),
    row("", "v1", "ReplicationController", "replicationcontrollers", "rc", Namespaced, "all"),
    row("", "v1", "ResourceQuota", "resourcequotas", "quota", Namespaced, ""),
    row("", "v1", "Secret", "secrets", "", Namespaced, ""),
    row("", "v1", "ServiceAccount", "serviceaccounts", "sa", Namespaced, ""),
    row("", "v1", "Service", "services", "svc", Namespaced, "all"),
    row("apiregistration.k8s.io", "v1", "APIService", "apiservices", "", Cluster, "api-extensions"),
    row("apps", "v1", "ControllerRevision", "controllerrevisions", "", Namespaced, ""),
    row("apps", "v1", "DaemonSet", "daemonsets", "ds", Namespaced, "all"),
    row("apps", "v1", "Deployment", "deployments", "deploy", Namespaced, "all"),
    row("apps", "v1", "ReplicaSet", "replicasets", "rs", Namespaced, "all"),
    row("apps", "v1", "StatefulSet", "statefulsets", "sts", Namespaced, "all"),
    row("events.k8s.io", "v1", "Event", "events", "ev", Namespaced, ""),
    row("authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", "", Cluster, ""),
    row("authentication.k8s.io", "v1", "TokenReview", "tokenreviews", "", Cluster, ""),
    row("authorization.k8s.io", "v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", "", Namespaced, ""),
    row("authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", "", Cluster, ""),
    row("authorization.k8s.io", "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", "", Cluster, ""),
    row("authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", "", Cluster, ""),
    row("autoscaling", "v2,v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", Namespaced, "all"),
    row("batch", "v1", "CronJob", "cronjobs", "cj", Namespaced, "all"),
    row("batch", "v1", "Job", "jobs", "", Namespaced, "all"),
    row("certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", "csr", Cluster, ""),
    row("certificates.k8s.io", "v1beta1,v1alpha1", "ClusterTrustBundle", "clustertrustbundles", "", Cluster, ""),
    row("certificates.k8s.io", "v1beta1", "PodCertificateRequest", "podcertificaterequests", "", Namespaced, ""),
    row("networking.k8s.io", "v1", "IngressClass", "ingressclasses", "", Cluster, ""),
    row("networking.k8s.io", "v1", "Ingress", "ingresses", "ing", Namespaced, ""),
    row("networking.k8s.io", "v1,v1beta1", "IPAddress", "ipaddresses", "ip", Cluster, ""),
    row("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "netpol", Namespaced, ""),
    row("networking.k8s.io", "v1,v1beta1", "ServiceCIDR", "servicecidrs", "", Cluster, ""),
    row("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", Namespaced, ""),
    row("policy", "v1beta1", "PodSecurityPolicy", "podsecuritypolicies", "psp", Cluster, ""),
    row("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "", Cluster, ""),
    row("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "", Cluster, ""),
    row("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "", Namespaced, ""),
    row("rbac.authorization.k8s.io", "v1", "Role", "roles", "", Namespaced, ""),
    row("storage.k8s.io", "v1", "CSIDriver", "csidrivers", "", Cluster, ""),
    row("storage.k8s.io", "v1", "CSINode", "csinodes", "", Cluster, ""),
    row("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", "", Namespaced, ""),
    row("storage.k8s.io", "v1", "StorageClass", "storageclasses", "sc", Cluster, ""),
    row("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", "", Cluster, ""),
    row("storage.k8s.io", "v1,v1beta1", "VolumeAttributesClass", "volumeattributesclasses", "vac", Cluster, ""),
    row("admissionregistration.k8s.io", "v1,v1beta1,v1alpha1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "", Cluster, "api-extensions"),
    row("admissionregistration.k8s.io", "v1,v1beta1,v1alpha1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", "", Cluster, "api-extensions"),
    row("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "", Cluster, "api-extensions"),
    row("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", "", Cluster, "api-extensions"),
    row("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", "", Cluster, "api-extensions"),
    row("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "", Cluster, "api-extensions"),
    row("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", "crd,crds", Cluster, "api-extensions"),
    row("scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups", "", Namespaced, ""),
    row("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", Cluster, ""),
    row("scheduling.k8s.io", "v1alpha2", "Workload", "workloads", "", Namespaced, ""),
    row("coordination.k8s.io", "v1beta1,v1alpha2", "LeaseCandidate", "leasecandidates", "", Namespaced, ""),
    row("coordination.k8s.io", "v1", "Lease", "leases", "", Namespaced, ""),
    row("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "", Cluster, ""),
    row("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "", Namespaced, ""),
    row("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "flowschemas", "", Cluster, ""),
    row("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", "", Cluster, ""),
    row("resource.k8s.io", "v1,v1beta2,v1beta1", "DeviceClass", "deviceclasses", "", Cluster, ""),
    row("resource.k8s.io", "v1beta2,v1alpha3", "DeviceTaintRule", "devicetaintrules", "", Cluster, ""),
    row("resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceClaim", "resourceclaims", "", Namespaced, ""),
    row("resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceClaimTemplate", "resourceclaimtemplates", "", Namespaced, ""),
    row("resource.k8s.io", "v1alpha3", "ResourcePoolStatusRequest", "resourcepoolstatusrequests", "", Cluster, ""),
    row("resource.k8s.io", "v1,v1beta2,v1beta1", "ResourceSlice", "resourceslices", "", Cluster, ""),
    row("internal.apiserver.k8s.io", "v1alpha1", "StorageVersion", "storageversions", "", Cluster, ""),
    row("storagemigration.k8s.io", "v1beta1", "StorageVersionMigration", "storageversionmigrations", "", Cluster, ""),
];

/// The built-in resource of that group and kind; nothing when there is none.
///
/// The table is short and kinds differ in length: looking at each row is a matter of nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.kind == kind && resource.group == group)
}
