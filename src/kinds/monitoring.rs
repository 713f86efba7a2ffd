//! The Prometheus operator: the group `monitoring.coreos.com`.

use super::kind::{KIND, Kind};
use super::references::{CORE, MONITORING, ReferenceField, account, class, config_map, secret, service, to};
use super::selectors::{PODS, SelectorField, Whom, Within, by_labels};

const GROUP: Kind = Kind { group: MONITORING, ..KIND };

pub const KINDS: &[Kind] = &[
    Kind {
        kind: "Alertmanager",
        selectors: &[collected(
            "alertmanagerConfigSelector",
            "AlertmanagerConfig",
            "alertmanagerConfigNamespaceSelector",
        )],
        references: MONITORING_SERVER,
        ..GROUP
    },
    Kind {
        kind: "PodMonitor",
        selectors: &[by_labels("spec", "selector", PODS, MONITOR_NAMESPACES)],
        references: POD_ENDPOINTS,
        ..GROUP
    },
    Kind {
        kind: "Probe",
        selectors: &[by_labels(
            "spec.targets.ingress",
            "selector",
            Whom::Kind("networking.k8s.io", "Ingress"),
            MONITOR_NAMESPACES,
        )],
        references: &[
            secret("spec.authorization.credentials", "name").optional("optional"),
            secret("spec.basicAuth.password", "name").optional("optional"),
            secret("spec.basicAuth.username", "name").optional("optional"),
            secret("spec.bearerTokenSecret", "name").optional("optional"),
            secret("spec.tlsConfig.ca.secret", "name").optional("optional"),
        ],
        ..GROUP
    },
    Kind { kind: "Prometheus", selectors: PROMETHEUS, references: MONITORING_SERVER, ..GROUP },
    Kind { kind: "PrometheusAgent", selectors: PROMETHEUS, references: MONITORING_SERVER, ..GROUP },
    Kind {
        kind: "ServiceMonitor",
        selectors: &[by_labels("spec", "selector", Whom::Kind("", "Service"), MONITOR_NAMESPACES)],
        references: ENDPOINTS,
        ..GROUP
    },
    Kind { kind: "ThanosRuler", references: MONITORING_SERVER, ..GROUP },
];

/// The objects that a kind of the Prometheus operator collects.
const fn collected(path: &'static str, kind: &'static str, namespaces: &'static str) -> SelectorField {
    by_labels("spec", path, Whom::Kind(MONITORING, kind), Within::Selected(namespaces))
}

const PROMETHEUS: &[SelectorField] = &[
    collected("serviceMonitorSelector", "ServiceMonitor", "serviceMonitorNamespaceSelector"),
    collected("podMonitorSelector", "PodMonitor", "podMonitorNamespaceSelector"),
    collected("probeSelector", "Probe", "probeNamespaceSelector"),
    collected("ruleSelector", "PrometheusRule", "ruleNamespaceSelector"),
];

const MONITOR_NAMESPACES: Within = Within::Monitor("namespaceSelector");

/// The fields shared by the servers of the Prometheus operator.
const MONITORING_SERVER: &[ReferenceField] = &[
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

/// The credentials of a monitor, at each endpoint.
const ENDPOINTS: &[ReferenceField] = &[
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

const POD_ENDPOINTS: &[ReferenceField] = &[
    secret("spec.podMetricsEndpoints[].authorization.credentials", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].basicAuth.password", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].basicAuth.username", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].bearerTokenSecret", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.ca.secret", "name").optional("optional"),
    config_map("spec.podMetricsEndpoints[].tlsConfig.ca.configMap", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.cert.secret", "name").optional("optional"),
    secret("spec.podMetricsEndpoints[].tlsConfig.keySecret", "name").optional("optional"),
];
