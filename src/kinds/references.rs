//! The fields by which objects refer to others by name. The rows follow the APIs' types (k8s.io/api,
//! sigs.k8s.io/gateway-api, cert-manager, prometheus-operator, argo-cd).

/// A field that names another object.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceField {
    /// Its position: a dotted path, with `[]` for every element of a list. The other paths are relative to it.
    pub each: &'static str,
    /// The path of the name; empty if the element is the name.
    pub name: &'static str,
    /// The kind of the other object.
    pub to: To,
    /// Its namespace.
    pub within: TargetNamespace,
    /// What it means that there is none.
    pub meaning: IfMissing,
}

/// The kind of the object that a field refers to.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// Always this group and kind.
    Kind(&'static str, &'static str),
    /// The `kind` beside the name, in the group or apiVersion at this path; this group and kind if they are missing.
    Typed(&'static str, &'static str, &'static str),
}

/// The namespace of the object, if its kind is namespaced.
#[derive(Clone, Copy, Debug)]
pub enum TargetNamespace {
    /// In the object's own.
    Own,
    /// In the one at this path, or else the object's own.
    At(&'static str),
    /// A namespace that only the cluster knows.
    Unknown,
    /// In the one that the name, that of a host in the cluster, ends with: `web.shop.svc`; without one, in the object's
    /// own. Other hosts are no references.
    Host,
}

/// The consequence of a missing object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMissing {
    /// Something does not work.
    Needed,
    /// None, if the boolean at this path is true.
    Optional(&'static str),
    /// None: the reader of the field creates the object, or works without it.
    Made,
}

/// The core API group.
pub const CORE: &str = "";
pub(super) const ADMISSION: &str = "admissionregistration.k8s.io";
pub(super) const CERT_MANAGER: &str = "cert-manager.io";
/// The API group of the Prometheus operator.
pub const MONITORING: &str = "monitoring.coreos.com";
/// The API group of roles and their bindings.
pub const RBAC: &str = "rbac.authorization.k8s.io";
pub(super) const RESOURCE: &str = "resource.k8s.io";
/// The API group of storage classes.
pub const STORAGE: &str = "storage.k8s.io";

/// A reference at `each` with the name below it, to objects of one kind.
pub(super) const fn to(
    each: &'static str,
    name: &'static str,
    group: &'static str,
    kind: &'static str,
) -> ReferenceField {
    ReferenceField {
        each,
        name,
        to: To::Kind(group, kind),
        within: TargetNamespace::Own,
        meaning: IfMissing::Needed,
    }
}

pub(super) const fn config_map(each: &'static str, name: &'static str) -> ReferenceField {
    to(each, name, CORE, "ConfigMap")
}

pub(super) const fn secret(each: &'static str, name: &'static str) -> ReferenceField {
    to(each, name, CORE, "Secret")
}

pub(super) const fn service(each: &'static str, name: &'static str) -> ReferenceField {
    to(each, name, CORE, "Service")
}

pub(super) const fn account(each: &'static str, name: &'static str) -> ReferenceField {
    to(each, name, CORE, "ServiceAccount")
}

pub(super) const fn class(each: &'static str, name: &'static str) -> ReferenceField {
    to(each, name, STORAGE, "StorageClass")
}

/// A `name` beside a `kind`, with a group or an apiVersion at `group`.
pub(super) const fn typed(each: &'static str, group: &'static str) -> ReferenceField {
    ReferenceField { to: To::Typed(group, CORE, ""), ..to(each, "name", CORE, "") }
}

impl ReferenceField {
    /// The kind if none is given.
    pub(super) const fn or(self, default_group: &'static str, default_kind: &'static str) -> Self {
        let To::Typed(group, ..) = self.to else { return self };
        Self { to: To::Typed(group, default_group, default_kind), ..self }
    }

    /// The object may be missing if the field at this path says so.
    pub(super) const fn optional(self, path: &'static str) -> Self {
        Self { meaning: IfMissing::Optional(path), ..self }
    }

    /// The reader of the field creates the object.
    pub(super) const fn made(self) -> Self {
        Self { meaning: IfMissing::Made, ..self }
    }

    /// The object is in the namespace at this path.
    pub(super) const fn at(self, path: &'static str) -> Self {
        Self { within: TargetNamespace::At(path), ..self }
    }

    /// The object is in a namespace that only the cluster knows.
    pub const fn anywhere(self) -> Self {
        Self { within: TargetNamespace::Unknown, ..self }
    }
}

/// The fields of a pod spec, in whatever object it is.
pub const POD_SPEC: &[ReferenceField] = &[
    account("", "serviceAccountName"),
    account("", "serviceAccount"),
    secret("imagePullSecrets[]", "name"),
    to("", "priorityClassName", "scheduling.k8s.io", "PriorityClass"),
    to("", "runtimeClassName", "node.k8s.io", "RuntimeClass"),
    to("", "nodeName", CORE, "Node"),
    to("resourceClaims[]", "resourceClaimName", RESOURCE, "ResourceClaim"),
    to("resourceClaims[]", "resourceClaimTemplateName", RESOURCE, "ResourceClaimTemplate"),
    config_map("containers[].envFrom[].configMapRef", "name").optional("optional"),
    secret("containers[].envFrom[].secretRef", "name").optional("optional"),
    config_map("containers[].env[].valueFrom.configMapKeyRef", "name").optional("optional"),
    secret("containers[].env[].valueFrom.secretKeyRef", "name").optional("optional"),
    config_map("initContainers[].envFrom[].configMapRef", "name").optional("optional"),
    secret("initContainers[].envFrom[].secretRef", "name").optional("optional"),
    config_map("initContainers[].env[].valueFrom.configMapKeyRef", "name").optional("optional"),
    secret("initContainers[].env[].valueFrom.secretKeyRef", "name").optional("optional"),
    config_map("ephemeralContainers[].envFrom[].configMapRef", "name").optional("optional"),
    secret("ephemeralContainers[].envFrom[].secretRef", "name").optional("optional"),
    config_map("ephemeralContainers[].env[].valueFrom.configMapKeyRef", "name").optional("optional"),
    secret("ephemeralContainers[].env[].valueFrom.secretKeyRef", "name").optional("optional"),
    config_map("volumes[].configMap", "name").optional("optional"),
    secret("volumes[].secret", "secretName").optional("optional"),
    config_map("volumes[].projected.sources[].configMap", "name").optional("optional"),
    secret("volumes[].projected.sources[].secret", "name").optional("optional"),
    to(
        "volumes[].projected.sources[].clusterTrustBundle",
        "name",
        "certificates.k8s.io",
        "ClusterTrustBundle",
    )
    .optional("optional"),
    to("volumes[].persistentVolumeClaim", "claimName", CORE, "PersistentVolumeClaim"),
    class("volumes[].ephemeral.volumeClaimTemplate.spec", "storageClassName"),
    to("volumes[].csi", "driver", STORAGE, "CSIDriver"),
    secret("volumes[].csi.nodePublishSecretRef", "name"),
    secret("volumes[].azureFile", "secretName"),
    secret("volumes[].cephfs.secretRef", "name"),
    secret("volumes[].cinder.secretRef", "name"),
    secret("volumes[].flexVolume.secretRef", "name"),
    secret("volumes[].iscsi.secretRef", "name"),
    secret("volumes[].rbd.secretRef", "name"),
    secret("volumes[].scaleIO.secretRef", "name"),
    secret("volumes[].storageos.secretRef", "name"),
    to("volumes[].glusterfs", "endpoints", CORE, "Endpoints"),
];
