//! What Kubernetes knows of its built-in kinds.

pub mod defaults;
pub mod fields;
pub mod lifecycle;
pub mod view;

/// Keys under which large lists and maps stand of which no column of a built-in kind shows anything, and which no
/// field selector asks for.
pub const NOT_SHOWN: &[&str] = &[
    "affinity",
    "args",
    "command",
    "env",
    "lifecycle",
    "livenessProbe",
    "managedFields",
    "readinessProbe",
    "resources",
    "securityContext",
    "startupProbe",
    "tolerations",
    "topologySpreadConstraints",
    "volumeClaimTemplates",
    "volumeMounts",
    "volumes",
];
