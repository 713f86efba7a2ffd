//! Kubernetes' words for problems that `check` tells apart from others of the same kind.

/// The pods of a workload do not match its selector (apps/validation, ValidatePodTemplateSpecForReplicaSet).
pub const TEMPLATE_MISMATCH: &str = "`selector` does not match template `labels`";

/// A workload selects all pods; the kind follows (apps/validation, ValidateDeploymentSpec).
pub const EMPTY_SELECTOR: &str = "empty selector is invalid";

/// A finalizer of Kubernetes' own form that it does not have (core/validation, ValidateFinalizerName).
pub const UNQUALIFIED_FINALIZER: &str = "name is neither a standard finalizer name nor is it fully qualified";
