//! The fields by which kinds of the Prometheus operator select others.

pub(super) use super::references::MONITORING as GROUP;
use super::selectors::{PODS, SelectorField, Whom, Within, by_labels};

/// The fields of a kind; empty if it has none.
pub(super) fn selectors(kind: &str) -> &'static [SelectorField] {
    match kind {
        "Alertmanager" => ALERTMANAGER,
        "PodMonitor" => POD_MONITOR,
        "Probe" => PROBE,
        "Prometheus" | "PrometheusAgent" => PROMETHEUS,
        "ServiceMonitor" => SERVICE_MONITOR,
        _ => &[],
    }
}

const ALERTMANAGER: &[SelectorField] =
    &[collected("alertmanagerConfigSelector", "AlertmanagerConfig", "alertmanagerConfigNamespaceSelector")];

const POD_MONITOR: &[SelectorField] = &[by_labels("spec", "selector", PODS, MONITOR_NAMESPACES)];

const PROBE: &[SelectorField] = &[by_labels(
    "spec.targets.ingress",
    "selector",
    Whom::Kind("networking.k8s.io", "Ingress"),
    MONITOR_NAMESPACES,
)];

const SERVICE_MONITOR: &[SelectorField] =
    &[by_labels("spec", "selector", Whom::Kind("", "Service"), MONITOR_NAMESPACES)];

/// The objects that a kind of the Prometheus operator collects.
const fn collected(path: &'static str, kind: &'static str, namespaces: &'static str) -> SelectorField {
    by_labels("spec", path, Whom::Kind(GROUP, kind), Within::Selected(namespaces))
}

const PROMETHEUS: &[SelectorField] = &[
    collected("serviceMonitorSelector", "ServiceMonitor", "serviceMonitorNamespaceSelector"),
    collected("podMonitorSelector", "PodMonitor", "podMonitorNamespaceSelector"),
    collected("probeSelector", "Probe", "probeNamespaceSelector"),
    collected("ruleSelector", "PrometheusRule", "ruleNamespaceSelector"),
];

const MONITOR_NAMESPACES: Within = Within::Monitor("namespaceSelector");
