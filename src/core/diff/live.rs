//! What differs between any two states of a cluster, even if nothing happened.

/// Fields that are written again and again, as JSONPaths.
pub const FIELDS: [&str; 6] = [
    ".metadata.resourceVersion",
    ".metadata.managedFields",
    ".metadata.annotations['control-plane.alpha.kubernetes.io/leader']",
    ".status.conditions[*].lastHeartbeatTime",
    ".status.conditions[*].lastProbeTime",
    ".status.conditions[*].lastUpdateTime",
];

/// Kinds whose objects are heartbeats, records or measurements, as in the prefix of a name.
pub const KINDS: [&str; 5] = [
    "event",
    "event.events.k8s.io",
    "lease.coordination.k8s.io",
    "nodemetrics.metrics.k8s.io",
    "podmetrics.metrics.k8s.io",
];
