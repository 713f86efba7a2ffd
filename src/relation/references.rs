//! Who names whom: one table of the fields by which objects refer to others by name.
//!
//! A selector asks for labels and finds what it finds; a reference means one object, by kind, name and namespace. The
//! table is data, a row a field. What a row says was taken from the API's types (k8s.io/api, sigs.k8s.io/gateway-api,
//! cert-manager, prometheus-operator, argo-cd).

use super::links::Subject;
use super::pods::{self, below, elements};
use crate::catalog::{Catalog, Resource};
use crate::kinds::view;
use crate::manifest::gvk;
use crate::manifest::tree::{Node, Span};

/// A field that names another object.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// Where it is: a dotted path, `[]` for every element of a list. The other paths are below this one.
    each: &'static str,
    /// The name; empty if the element is it.
    name: &'static str,
    to: To,
    within: Within,
    meaning: Meaning,
}

/// The kind that a field names objects of.
#[derive(Clone, Copy, Debug)]
enum To {
    /// Always this group and kind.
    Kind(&'static str, &'static str),
    /// The `kind` beside the name, of the group or the apiVersion at this path; this group and kind where they are
    /// missing.
    Typed(&'static str, &'static str, &'static str),
}

/// In which namespace the named object is, if its kind has one.
#[derive(Clone, Copy, Debug)]
enum Within {
    /// In the object's own.
    Own,
    /// In the one at this path, or else the object's own.
    At(&'static str),
    /// In one that only the cluster knows.
    Unknown,
}

/// What it means that the named object is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Something does not work.
    Needed,
    /// Nothing, if the truth value at this path says so.
    Optional(&'static str),
    /// Nothing: whoever reads the field makes the object, or does without it.
    Made,
}

/// An object that another one names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The group of today.
    pub group: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds; `None` if only the cluster knows it.
    pub namespace: Option<&'a str>,
    /// The name.
    pub name: &'a str,
    /// The field, with `[]` where it is in a list: `spec.volumes[].configMap.name`.
    pub field: String,
    /// Whether something is wrong when there is no such object.
    pub needed: bool,
    /// Whether whoever reads the field makes the object.
    pub made: bool,
    /// Where the name is in the object's text.
    pub span: Span,
}

const CORE: &str = "";
const ADMISSION: &str = "admissionregistration.k8s.io";
const CERT_MANAGER: &str = "cert-manager.io";
const GATEWAY: &str = "gateway.networking.k8s.io";
const MONITORING: &str = super::links::MONITORING;
const RBAC: &str = "rbac.authorization.k8s.io";
const RESOURCE: &str = "resource.k8s.io";
const SNAPSHOT: &str = "snapshot.storage.k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// `each` and the name below it, of objects of one kind.
const fn to(each: &'static str, name: &'static str, group: &'static str, kind: &'static str) -> Field {
    Field { each, name, to: To::Kind(group, kind), within: Within::Own, meaning: Meaning::Needed }
}

const fn config_map(each: &'static str, name: &'static str) -> Field {
    to(each, name, CORE, "ConfigMap")
}

const fn secret(each: &'static str, name: &'static str) -> Field {
    to(each, name, CORE, "Secret")
}

const fn service(each: &'static str, name: &'static str) -> Field {
    to(each, name, CORE, "Service")
}

const fn account(each: &'static str, name: &'static str) -> Field {
    to(each, name, CORE, "ServiceAccount")
}

const fn class(each: &'static str, name: &'static str) -> Field {
    to(each, name, STORAGE, "StorageClass")
}

/// A `name` beside a `kind` and, at `group`, a group or an apiVersion.
const fn typed(each: &'static str, group: &'static str) -> Field {
    Field { to: To::Typed(group, CORE, ""), ..to(each, "name", CORE, "") }
}

impl Field {
    /// The kind that is meant where none is given.
    const fn or(self, default_group: &'static str, default_kind: &'static str) -> Self {
        let To::Typed(group, ..) = self.to else { return self };
        Self { to: To::Typed(group, default_group, default_kind), ..self }
    }

    /// The object may be missing where this says so.
    const fn optional(self, path: &'static str) -> Self {
        Self { meaning: Meaning::Optional(path), ..self }
    }

    /// The object is made by whoever reads the field.
    const fn made(self) -> Self {
        Self { meaning: Meaning::Made, ..self }
    }

    /// The object is in the namespace at this path.
    const fn at(self, path: &'static str) -> Self {
        Self { within: Within::At(path), ..self }
    }

    /// The object is in a namespace that only the cluster knows.
    const fn anywhere(self) -> Self {
        Self { within: Within::Unknown, ..self }
    }
}

/// The fields of a pod spec, in whatever object it is.
const POD_SPEC: &[Field] = &[
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

const WEBHOOKS: &[Field] = &[service("webhooks[].clientConfig.service", "name").at("namespace")];

const SUBJECTS: &[Field] = &[
    typed("roleRef", "apiGroup").or(RBAC, "ClusterRole"),
    // Users and groups are not objects.
    typed("subjects[]", "apiGroup").at("namespace"),
];

/// A route of the Gateway API: the gateways it belongs to, and where it leads.
const ROUTE: &[Field] = &[
    typed("spec.parentRefs[]", "group").or(GATEWAY, "Gateway").at("namespace"),
    typed("spec.rules[].backendRefs[]", "group").or(CORE, "Service").at("namespace"),
    typed("spec.rules[].filters[].requestMirror.backendRef", "group").or(CORE, "Service").at("namespace"),
    typed("spec.rules[].filters[].extensionRef", "group"),
    typed("spec.rules[].backendRefs[].filters[].requestMirror.backendRef", "group")
        .or(CORE, "Service")
        .at("namespace"),
    typed("spec.rules[].backendRefs[].filters[].extensionRef", "group"),
];

const ISSUER_REF: Field = typed("spec.issuerRef", "group").or(CERT_MANAGER, "Issuer");

/// The Secrets of an issuer: those of an Issuer are in its own namespace.
const ISSUER: &[Field] = &[
    secret("spec.ca", "secretName"),
    secret("spec.acme.privateKeySecretRef", "name").made(),
    secret("spec.acme.externalAccountBinding.keySecretRef", "name"),
    secret("spec.acme.solvers[].dns01.acmeDNS.accountSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.accessTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.clientSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.akamai.clientTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.azureDNS.clientSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudDNS.serviceAccountSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudflare.apiKeySecretRef", "name"),
    secret("spec.acme.solvers[].dns01.cloudflare.apiTokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.digitalocean.tokenSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.rfc2136.tsigSecretSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.route53.accessKeyIDSecretRef", "name"),
    secret("spec.acme.solvers[].dns01.route53.secretAccessKeySecretRef", "name"),
    typed("spec.acme.solvers[].http01.gatewayHTTPRoute.parentRefs[]", "group")
        .or(GATEWAY, "Gateway")
        .at("namespace"),
    secret("spec.vault.auth.appRole.secretRef", "name"),
    secret("spec.vault.auth.kubernetes.secretRef", "name"),
    secret("spec.vault.auth.tokenSecretRef", "name"),
    secret("spec.vault.caBundleSecretRef", "name"),
    secret("spec.venafi.cloud.apiTokenSecretRef", "name"),
    secret("spec.venafi.tpp.credentialsRef", "name"),
];

/// What the servers of the Prometheus operator have in common.
const MONITORING_SERVER: &[Field] = &[
    account("spec", "serviceAccountName"),
    secret("spec.imagePullSecrets[]", "name"),
    secret("spec.secrets[]", ""),
    config_map("spec.configMaps[]", ""),
    to("spec", "priorityClassName", "scheduling.k8s.io", "PriorityClass"),
    class("spec.storage.volumeClaimTemplate.spec", "storageClassName"),
    config_map("spec.volumes[].configMap", "name").optional("optional"),
    secret("spec.volumes[].secret", "secretName").optional("optional"),
    to("spec.volumes[].persistentVolumeClaim", "claimName", CORE, "PersistentVolumeClaim"),
    service("spec", "serviceName"),
    secret("spec.web.tlsConfig.cert.secret", "name").optional("optional"),
    secret("spec.web.tlsConfig.keySecret", "name").optional("optional"),
    secret("spec.additionalScrapeConfigs", "name").optional("optional"),
    secret("spec.additionalAlertManagerConfigs", "name").optional("optional"),
    secret("spec.additionalAlertRelabelConfigs", "name").optional("optional"),
    service("spec.alerting.alertmanagers[]", "name").at("namespace").made(),
    secret("spec.remoteWrite[].authorization.credentials", "name").optional("optional"),
    secret("spec.remoteWrite[].basicAuth.password", "name").optional("optional"),
    secret("spec.remoteWrite[].basicAuth.username", "name").optional("optional"),
    secret("spec.remoteRead[].authorization.credentials", "name").optional("optional"),
    secret("spec.remoteRead[].basicAuth.password", "name").optional("optional"),
    secret("spec.remoteRead[].basicAuth.username", "name").optional("optional"),
    secret("spec.thanos.objectStorageConfig", "name").optional("optional"),
    // Alertmanager's.
    secret("spec", "configSecret").made(),
    to("spec.alertmanagerConfiguration", "name", MONITORING, "AlertmanagerConfig"),
    // ThanosRuler's.
    secret("spec.objectStorageConfig", "name").optional("optional"),
    secret("spec.queryConfig", "name").optional("optional"),
    secret("spec.alertmanagersConfig", "name").optional("optional"),
];

/// What a monitor needs to be let in, at each endpoint.
const ENDPOINTS: &[Field] = &[
    secret("spec.endpoints[].authorization.credentials", "name").optional("optional"),
    secret("spec.endpoints[].basicAuth.password", "name").optional("optional"),
    secret("spec.endpoints[].basicAuth.username", "name").optional("optional"),
    secret("spec.endpoints[].bearerTokenSecret", "name").optional("optional"),
    secret("spec.endpoints[].oauth2.clientId.secret", "name").optional("optional"),
    config_map("spec.endpoints[].oauth2.clientId.configMap", "name").optional("optional"),
    secret("spec.endpoints[].oauth2.clientSecret", "name").optional("optional"),
    secret("spec.endpoints[].tlsConfig.ca.secret", "name").optional("optional"),
    config_map("spec.endpoints[].tlsConfig.ca.configMap", "name").optional("optional"),
    secret("spec.endpoints[].tlsConfig.cert.secret", "name").optional("optional"),
    config_map("spec.endpoints[].tlsConfig.cert.configMap", "name").optional("optional"),
    secret("spec.endpoints[].tlsConfig.keySecret", "name").optional("optional"),
];

const POD_ENDPOINTS: &[Field] = &[
    secret("spec.podMetricsEndpoints[].authorization.credentials", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].basicAuth.password", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].basicAuth.username", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].bearerTokenSecret", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.ca.secret", "name").optional("optional"),
    config_map("spec.podMetricsEndpoints[].tlsConfig.ca.configMap", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.cert.secret", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.keySecret", "name").optional("optional"),
];

/// The fields of each kind besides those of its pods, by the group of today.
const KINDS: &[(&str, &str, &[Field])] = &[
    (
        CORE,
        "Endpoints",
        &[
            typed("subsets[].addresses[].targetRef", "apiVersion").at("namespace"),
            typed("subsets[].notReadyAddresses[].targetRef", "apiVersion").at("namespace"),
            to("subsets[].addresses[]", "nodeName", CORE, "Node"),
            to("subsets[].notReadyAddresses[]", "nodeName", CORE, "Node"),
        ],
    ),
    (
        CORE,
        "PersistentVolume",
        &[
            class("spec", "storageClassName"),
            to("spec", "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
            // A volume outlives its claim.
            to("spec.claimRef", "name", CORE, "PersistentVolumeClaim").at("namespace").made(),
            to("spec.csi", "driver", STORAGE, "CSIDriver"),
            secret("spec.csi.controllerExpandSecretRef", "name").at("namespace"),
            secret("spec.csi.controllerPublishSecretRef", "name").at("namespace"),
            secret("spec.csi.nodeExpandSecretRef", "name").at("namespace"),
            secret("spec.csi.nodePublishSecretRef", "name").at("namespace"),
            secret("spec.csi.nodeStageSecretRef", "name").at("namespace"),
            secret("spec.azureFile", "secretName").at("secretNamespace"),
            secret("spec.cephfs.secretRef", "name").at("namespace"),
            secret("spec.cinder.secretRef", "name").at("namespace"),
            secret("spec.flexVolume.secretRef", "name").at("namespace"),
            secret("spec.iscsi.secretRef", "name").at("namespace"),
            secret("spec.rbd.secretRef", "name").at("namespace"),
            secret("spec.scaleIO.secretRef", "name").at("namespace"),
            to("spec.glusterfs", "endpoints", CORE, "Endpoints").at("endpointsNamespace"),
        ],
    ),
    (
        CORE,
        "PersistentVolumeClaim",
        &[
            class("spec", "storageClassName"),
            to("spec", "volumeAttributesClassName", STORAGE, "VolumeAttributesClass"),
            to("spec", "volumeName", CORE, "PersistentVolume"),
            typed("spec.dataSource", "apiGroup"),
            typed("spec.dataSourceRef", "apiGroup").at("namespace"),
        ],
    ),
    (CORE, "ServiceAccount", &[secret("secrets[]", "name"), secret("imagePullSecrets[]", "name")]),
    (
        "apps",
        "StatefulSet",
        &[
            service("spec", "serviceName"),
            class("spec.volumeClaimTemplates[].spec", "storageClassName"),
            to(
                "spec.volumeClaimTemplates[].spec",
                "volumeAttributesClassName",
                STORAGE,
                "VolumeAttributesClass",
            ),
            to("spec.volumeClaimTemplates[].spec", "volumeName", CORE, "PersistentVolume"),
        ],
    ),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        &[
            typed("spec.scaleTargetRef", "apiVersion"),
            typed("spec.metrics[].object.describedObject", "apiVersion"),
            // autoscaling/v2beta1
            typed("spec.metrics[].object.target", "apiVersion"),
        ],
    ),
    ("autoscaling.k8s.io", "VerticalPodAutoscaler", &[typed("spec.targetRef", "apiVersion")]),
    (
        "networking.k8s.io",
        "Ingress",
        &[
            to("spec", "ingressClassName", "networking.k8s.io", "IngressClass"),
            secret("spec.tls[]", "secretName"),
            service("spec.defaultBackend.service", "name"),
            service("spec.rules[].http.paths[].backend.service", "name"),
            typed("spec.defaultBackend.resource", "apiGroup"),
            typed("spec.rules[].http.paths[].backend.resource", "apiGroup"),
            // v1beta1
            service("spec.backend", "serviceName"),
            service("spec.rules[].http.paths[].backend", "serviceName"),
        ],
    ),
    ("networking.k8s.io", "IngressClass", &[typed("spec.parameters", "apiGroup").at("namespace")]),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        &[
            typed("endpoints[].targetRef", "apiVersion").at("namespace"),
            to("endpoints[]", "nodeName", CORE, "Node"),
        ],
    ),
    (RBAC, "ClusterRoleBinding", SUBJECTS),
    (RBAC, "RoleBinding", SUBJECTS),
    (
        STORAGE,
        "VolumeAttachment",
        &[
            to("spec", "nodeName", CORE, "Node"),
            to("spec.source", "persistentVolumeName", CORE, "PersistentVolume"),
            to("spec", "attacher", STORAGE, "CSIDriver"),
        ],
    ),
    (STORAGE, "CSINode", &[to("spec.drivers[]", "name", STORAGE, "CSIDriver")]),
    (STORAGE, "CSIStorageCapacity", &[class("", "storageClassName")]),
    // Drivers inside Kubernetes have no object.
    (STORAGE, "StorageClass", &[to("", "provisioner", STORAGE, "CSIDriver").made()]),
    (STORAGE, "VolumeAttributesClass", &[to("", "driverName", STORAGE, "CSIDriver").made()]),
    (
        SNAPSHOT,
        "VolumeSnapshot",
        &[
            to("spec", "volumeSnapshotClassName", SNAPSHOT, "VolumeSnapshotClass"),
            to("spec.source", "persistentVolumeClaimName", CORE, "PersistentVolumeClaim"),
            to("spec.source", "volumeSnapshotContentName", SNAPSHOT, "VolumeSnapshotContent"),
        ],
    ),
    (
        SNAPSHOT,
        "VolumeSnapshotContent",
        &[
            to("spec", "volumeSnapshotClassName", SNAPSHOT, "VolumeSnapshotClass"),
            to("spec.volumeSnapshotRef", "name", SNAPSHOT, "VolumeSnapshot").at("namespace"),
        ],
    ),
    (
        RESOURCE,
        "ResourceClaim",
        &[
            to("spec.devices.requests[]", "deviceClassName", RESOURCE, "DeviceClass"),
            to("spec.devices.requests[].exactly", "deviceClassName", RESOURCE, "DeviceClass"),
        ],
    ),
    (
        RESOURCE,
        "ResourceClaimTemplate",
        &[
            to("spec.spec.devices.requests[]", "deviceClassName", RESOURCE, "DeviceClass"),
            to("spec.spec.devices.requests[].exactly", "deviceClassName", RESOURCE, "DeviceClass"),
        ],
    ),
    (RESOURCE, "ResourceSlice", &[to("spec", "nodeName", CORE, "Node")]),
    (ADMISSION, "MutatingWebhookConfiguration", WEBHOOKS),
    (ADMISSION, "ValidatingWebhookConfiguration", WEBHOOKS),
    (
        ADMISSION,
        "MutatingAdmissionPolicyBinding",
        &[to("spec", "policyName", ADMISSION, "MutatingAdmissionPolicy")],
    ),
    (
        ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        &[to("spec", "policyName", ADMISSION, "ValidatingAdmissionPolicy")],
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        &[
            service("spec.conversion.webhook.clientConfig.service", "name").at("namespace"),
            // v1beta1
            service("spec.conversion.webhookClientConfig.service", "name").at("namespace"),
        ],
    ),
    ("apiregistration.k8s.io", "APIService", &[service("spec.service", "name").at("namespace")]),
    (
        "flowcontrol.apiserver.k8s.io",
        "FlowSchema",
        &[to(
            "spec.priorityLevelConfiguration",
            "name",
            "flowcontrol.apiserver.k8s.io",
            "PriorityLevelConfiguration",
        )],
    ),
    // Gateway API
    (
        GATEWAY,
        "Gateway",
        &[
            to("spec", "gatewayClassName", GATEWAY, "GatewayClass"),
            typed("spec.infrastructure.parametersRef", "group"),
            typed("spec.listeners[].tls.certificateRefs[]", "group").or(CORE, "Secret").at("namespace"),
            typed("spec.listeners[].tls.frontendValidation.caCertificateRefs[]", "group")
                .or(CORE, "ConfigMap")
                .at("namespace"),
        ],
    ),
    (GATEWAY, "GatewayClass", &[typed("spec.parametersRef", "group").at("namespace")]),
    (GATEWAY, "GRPCRoute", ROUTE),
    (GATEWAY, "HTTPRoute", ROUTE),
    (GATEWAY, "TCPRoute", ROUTE),
    (GATEWAY, "TLSRoute", ROUTE),
    (GATEWAY, "UDPRoute", ROUTE),
    (
        GATEWAY,
        "BackendTLSPolicy",
        &[typed("spec.targetRefs[]", "group"), typed("spec.validation.caCertificateRefs[]", "group")],
    ),
    // cert-manager
    (
        CERT_MANAGER,
        "Certificate",
        &[
            ISSUER_REF,
            secret("spec", "secretName").made(),
            secret("spec.keystores.jks.passwordSecretRef", "name"),
            secret("spec.keystores.pkcs12.passwordSecretRef", "name"),
        ],
    ),
    (CERT_MANAGER, "CertificateRequest", &[ISSUER_REF]),
    (CERT_MANAGER, "ClusterIssuer", ISSUER),
    (CERT_MANAGER, "Issuer", ISSUER),
    ("acme.cert-manager.io", "Challenge", &[ISSUER_REF]),
    ("acme.cert-manager.io", "Order", &[ISSUER_REF]),
    // Operators that make Secrets
    ("bitnami.com", "SealedSecret", &[secret("metadata", "name").made()]),
    (
        "external-secrets.io",
        "ExternalSecret",
        &[secret("metadata", "name").made(), secret("spec.target", "name").made()],
    ),
    // Prometheus operator
    (MONITORING, "Alertmanager", MONITORING_SERVER),
    (MONITORING, "Prometheus", MONITORING_SERVER),
    (MONITORING, "PrometheusAgent", MONITORING_SERVER),
    (MONITORING, "ThanosRuler", MONITORING_SERVER),
    (MONITORING, "PodMonitor", POD_ENDPOINTS),
    (MONITORING, "ServiceMonitor", ENDPOINTS),
    (
        MONITORING,
        "Probe",
        &[
            secret("spec.authorization.credentials", "name").optional("optional"),
            secret("spec.basicAuth.password", "name").optional("optional"),
            secret("spec.basicAuth.username", "name").optional("optional"),
            secret("spec.bearerTokenSecret", "name").optional("optional"),
            secret("spec.tlsConfig.ca.secret", "name").optional("optional"),
        ],
    ),
    // Argo CD
    (
        "argoproj.io",
        "Application",
        &[
            to("spec", "project", "argoproj.io", "AppProject"),
            // It may be another cluster's, or be made when the application is synchronized.
            to("spec.destination", "namespace", CORE, "Namespace").made(),
        ],
    ),
    (
        "argoproj.io",
        "ApplicationSet",
        &[
            to("spec.template.spec", "project", "argoproj.io", "AppProject"),
            to("spec.template.spec.destination", "namespace", CORE, "Namespace").made(),
        ],
    ),
];

fn fields(group: &str, kind: &str) -> &'static [Field] {
    KINDS.iter().find(|row| row.1 == kind && row.0 == group).map_or(&[], |row| row.2)
}

/// The paths of the fields by which objects of this kind may name others.
pub(super) fn paths(group: &str, kind: &str) -> Vec<String> {
    let own = fields(group, kind).iter().map(|field| joined(field.each, field.name));
    let spec = pods::spec_path(group, kind).into_iter();
    let of_pods = spec
        .flat_map(|spec| POD_SPEC.iter().map(move |field| joined(&spec, &joined(field.each, field.name))));
    own.chain(of_pods).collect()
}

/// A path below another one; each may be empty.
pub(super) fn joined(above: &str, path: &str) -> String {
    let dot = if above.is_empty() || path.is_empty() { "" } else { "." };
    format!("{above}{dot}{path}")
}

/// Whether objects of this kind may name others. `group` is the group of today.
pub(crate) fn are_in(group: &str, kind: &str) -> bool {
    !fields(group, kind).is_empty() || pods::are_in(group, kind)
}

/// All that an object names, in the order of the table, the fields of its pod or pod template last.
pub(crate) fn references<'a>(
    subject: Subject<'a>,
    object: &'a Node,
    catalog: &Catalog,
) -> Vec<Reference<'a>> {
    let mut found = Vec::new();
    for field in fields(subject.group, subject.kind) {
        // The namespace in which cert-manager looks for the Secrets of a ClusterIssuer is set where it runs.
        let field = if subject.kind == "ClusterIssuer" { field.anywhere() } else { *field };
        read(&field, "", subject, object, catalog, &mut found);
    }
    if let Some(spec) = pods::of(subject.group, subject.kind, object).and_then(|pod| pod.get("spec")) {
        let path = pods::spec_path(subject.group, subject.kind).unwrap_or_default();
        for field in POD_SPEC {
            read(field, &path, subject, spec, catalog, &mut found);
        }
    }
    found
}

fn read<'a>(
    field: &Field,
    above: &str,
    subject: Subject<'a>,
    root: &'a Node,
    catalog: &Catalog,
    found: &mut Vec<Reference<'a>>,
) {
    // Most objects have few of the fields.
    let first = if field.each.is_empty() { field.name } else { field.each };
    let first = first.split(['.', '[']).next().unwrap_or_default();
    if !first.is_empty() && root.get(first).is_none() {
        return;
    }
    for element in elements(root, field.each) {
        let Some(node) = below(element, field.name) else { continue };
        let Some(name) = node.as_str().filter(|name| !name.is_empty()) else { continue };
        let (group, kind) = match field.to {
            To::Kind(group, kind) => (group, kind),
            To::Typed(path, default_group, default_kind) => {
                let kind = Some(view::text(element, "kind")).filter(|kind| !kind.is_empty());
                let kind = kind.unwrap_or(default_kind);
                let group = match element.get(path).and_then(Node::as_str) {
                    Some(text) if path == "apiVersion" => gvk::split_api_version(text).0,
                    Some(text) => text,
                    None => default_group,
                };
                (gvk::successor(group, kind), kind)
            }
        };
        if kind.is_empty() {
            continue;
        }
        let api_version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
        let namespaced = catalog.of(&api_version, kind).map_or(is_namespaced(kind), Resource::is_namespaced);
        let namespace = match field.within {
            _ if !namespaced => Some(""),
            Within::Own => Some(subject.namespace),
            Within::At(path) => {
                let other = Some(view::text(element, path)).filter(|other| !other.is_empty());
                Some(other.unwrap_or(subject.namespace))
            }
            Within::Unknown => None,
        };
        let (needed, made) = match field.meaning {
            Meaning::Needed => (true, false),
            Meaning::Optional(path) => (!view::bool(element, path), false),
            Meaning::Made => (false, true),
        };
        let field = joined(above, &joined(field.each, field.name));
        found.push(Reference { group, kind, namespace, name, field, needed, made, span: node.span });
    }
}

/// Whether a kind is namespaced of which there is no definition in the input.
fn is_namespaced(kind: &str) -> bool {
    // All kinds of the table that are cluster-scoped and not built in.
    !matches!(kind, "ClusterIssuer" | "GatewayClass" | "VolumeSnapshotClass" | "VolumeSnapshotContent")
}

impl Reference<'_> {
    /// Whether it is to this object; `group` is the group of today.
    pub fn is_to(&self, group: &str, kind: &str, namespace: &str, name: &str) -> bool {
        self.name == name
            && self.kind == kind
            && self.group == group
            && self.namespace.is_none_or(|own| own == namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::view::testing::tree;

    /// The references of an object in the namespace `shop`, `FIELD KIND NAMESPACE/NAME` each.
    fn shown(yaml: &str) -> Vec<String> {
        let tree = tree(yaml);
        let (group, version) = gvk::split_api_version(view::text(&tree, "apiVersion"));
        let kind = view::text(&tree, "kind");
        let subject = Subject { group: gvk::successor(group, kind), version, kind, namespace: "shop" };
        let shown = |reference: &Reference<'_>| {
            let Reference { kind, namespace, name, field, .. } = reference;
            let flag = match (reference.needed, reference.made) {
                (true, _) => "",
                (_, true) => " made",
                _ => " optional",
            };
            format!("{field} {kind} {}/{name}{flag}", namespace.unwrap_or("?"))
        };
        references(subject, &tree, &Catalog::new()).iter().map(shown).collect()
    }

    #[test]
    fn a_pod_template_names_what_its_pods_need() {
        assert_eq!(
            shown(
                "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {serviceAccountName: web, \
                 priorityClassName: high, volumes: [{configMap: {name: c, optional: true}}, {secret: {secretName: s}}], \
                 containers: [{envFrom: [{configMapRef: {name: e}}]}]}}}}"
            ),
            [
                "spec.template.spec.serviceAccountName ServiceAccount shop/web",
                "spec.template.spec.priorityClassName PriorityClass /high",
                "spec.template.spec.containers[].envFrom[].configMapRef.name ConfigMap shop/e",
                "spec.template.spec.volumes[].configMap.name ConfigMap shop/c optional",
                "spec.template.spec.volumes[].secret.secretName Secret shop/s",
            ]
        );
    }

    #[test]
    fn kinds_and_namespaces_beside_a_name_count() {
        assert_eq!(
            shown(
                "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: \
                 rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: a, namespace: \
                 lab}, {kind: ServiceAccount, name: b}]}"
            ),
            [
                "roleRef.name Role shop/r",
                "subjects[].name ServiceAccount lab/a",
                "subjects[].name ServiceAccount shop/b",
            ]
        );
        assert_eq!(
            shown(
                "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, spec: {parentRefs: [{name: g, namespace: infra}], \
                 rules: [{backendRefs: [{name: web, port: 80}]}]}}"
            ),
            ["spec.parentRefs[].name Gateway infra/g", "spec.rules[].backendRefs[].name Service shop/web"]
        );
        assert_eq!(
            shown(
                "{apiVersion: extensions/v1beta1, kind: Ingress, spec: {rules: [{http: {paths: [{backend: {serviceName: \
                 web}}]}}]}}"
            ),
            ["spec.rules[].http.paths[].backend.serviceName Service shop/web"]
        );
    }

    #[test]
    fn names_that_others_make_and_namespaces_that_only_the_cluster_knows() {
        assert_eq!(
            shown(
                "{apiVersion: cert-manager.io/v1, kind: Certificate, spec: {secretName: tls, issuerRef: {kind: \
                 ClusterIssuer, name: ca}}}"
            ),
            ["spec.issuerRef.name ClusterIssuer /ca", "spec.secretName Secret shop/tls made"]
        );
        assert_eq!(
            shown("{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, spec: {ca: {secretName: ca}}}"),
            ["spec.ca.secretName Secret ?/ca"]
        );
    }

    #[test]
    fn values_that_are_no_names_are_skipped() {
        assert_eq!(
            shown(
                "{apiVersion: v1, kind: Pod, spec: {serviceAccountName: '', nodeName: 3, volumes: [x, {secret: {}}, {configMap: \
                 null}], containers: {}}}"
            ),
            [""; 0]
        );
    }

    #[test]
    fn no_kind_is_listed_twice() {
        for (at, (group, kind, _)) in KINDS.iter().enumerate() {
            assert!(!KINDS[..at].iter().any(|other| (other.0, other.1) == (*group, *kind)), "{group} {kind}");
        }
    }
}
