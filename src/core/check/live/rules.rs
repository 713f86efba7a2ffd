//! The rules about live objects, and the parts of the first screen that they are in.

use crate::check::finding::Severity;
use crate::check::rule::{Find, Rule, rule};

/// The rules, in the order of the first screen: what others follow from comes first.
#[rustfmt::skip]
pub const LIVE: &[Rule] = &[
    live("operator-degraded", Severity::Error,
        "A ClusterOperator of OpenShift or a component of the control plane is degraded or not available."),
    live("webhook-unavailable", Severity::Error,
        "The Service of an admission webhook or of an aggregated API has no ready endpoint."),
    live("heartbeat-stopped", Severity::Error,
        "A Node or a component of the control plane no longer renews its Lease or heartbeat."),
    live("node-not-ready", Severity::Error,
        "A Node is not ready."),
    live("node-pressure", Severity::Warning,
        "A Node lacks memory, disk space, processes or its network, or reports another problem."),
    live("node-cordoned", Severity::Warning,
        "A Node is cordoned, so no pods are scheduled to it."),
    live("workload-unavailable", Severity::Error,
        "A workload has fewer ready pods than it asks for."),
    live("rollout-failed", Severity::Error,
        "A workload cannot create its Pods, or does not progress."),
    live("pod-unschedulable", Severity::Error,
        "A Pod cannot be scheduled."),
    live("pod-failing", Severity::Error,
        "A Pod failed, or one of its containers does not start or keeps ending."),
    live("pod-not-ready", Severity::Error,
        "A Pod is not ready, or stays Pending."),
    live("pod-restarted", Severity::Warning,
        "A container of a Pod that is ready ended within the last day."),
    live("autoscaler-limited", Severity::Warning,
        "A HorizontalPodAutoscaler is at its maximum, or cannot scale."),
    live("budget-exhausted", Severity::Warning,
        "A PodDisruptionBudget allows no disruption."),
    live("service-unavailable", Severity::Error,
        "A Service has no ready endpoint, or an Ingress or route has no Service with one."),
    live("load-balancer-pending", Severity::Warning,
        "A Service of type LoadBalancer has no address."),
    live("claim-not-bound", Severity::Error,
        "A PersistentVolumeClaim is not bound."),
    live("volume-failed", Severity::Warning,
        "A PersistentVolume failed or lost its claim, or a volume cannot be attached, detached or saved."),
    live("job-failed", Severity::Error,
        "A Job failed."),
    live("schedule-missed", Severity::Warning,
        "A CronJob is suspended, or misses the times of its schedule."),
    live("not-healthy", Severity::Error,
        "A condition or state of a custom resource or definition reports a problem."),
    live("certificate-expiring", Severity::Error,
        "A certificate of cert-manager or of a TLS Secret is not ready, has ended, or ends within 14 days."),
    live("request-pending", Severity::Warning,
        "A CertificateSigningRequest waits for an approval or a certificate, or failed."),
    live("quota-full", Severity::Warning,
        "A ResourceQuota is used up, or nearly."),
    live("not-deleted", Severity::Warning,
        "An object that is being deleted still exists after its grace period: finalizers keep it, or its node."),
    live("warning-event", Severity::Warning,
        "Events warn about an object that no other finding explains."),
];

/// The parts of the first screen, and the last rule of each.
const PARTS: &[(&str, &str)] = &[
    ("CLUSTER", "webhook-unavailable"),
    ("NODES", "node-cordoned"),
    ("WORKLOADS", "budget-exhausted"),
    ("SERVICES", "load-balancer-pending"),
    ("STORAGE", "volume-failed"),
    ("JOBS", "schedule-missed"),
    ("OTHERS", "not-deleted"),
    ("EVENTS", "warning-event"),
];

const fn live(id: &'static str, severity: Severity, help: &'static str) -> Rule {
    rule(id, severity, Find::Nowhere, help)
}

/// Whether this is the id of one of these rules.
pub fn is_live(id: &str) -> bool {
    LIVE.iter().any(|rule| rule.id == id)
}

/// The number of a rule; that of the first one for an unknown id.
pub(super) fn number(id: &str) -> usize {
    LIVE.iter().position(|rule| rule.id == id).unwrap_or_default()
}

/// The part of the first screen that a rule is in: its number and its heading.
pub(super) fn part(rule: usize) -> (usize, &'static str) {
    let part = PARTS.iter().position(|(_, last)| rule <= number(last)).unwrap_or(PARTS.len() - 1);
    (part, PARTS[part].0)
}
