//! Kubernetes' words for problems that `check` tells apart from others of the same kind.

/// The pods of a workload do not match its selector (apps/validation, ValidatePodTemplateSpecForReplicaSet).
pub const TEMPLATE_MISMATCH: &str = "`selector` does not match template `labels`";

/// A workload selects all pods; the kind follows (apps/validation, ValidateDeploymentSpec).
pub const EMPTY_SELECTOR: &str = "empty selector is invalid";

/// Whether one of several fields must be set, and none is (networking/validation, ValidateIngressSpec, and others).
pub fn are_of_absence(detail: &str) -> bool {
    detail.ends_with("must be specified")
        || detail.starts_with("must specify one of")
        || detail.starts_with("may only be used when")
}

/// A finalizer of Kubernetes' own form that it does not have (core/validation, ValidateFinalizerName).
pub const UNQUALIFIED_FINALIZER: &str = "name is neither a standard finalizer name nor is it fully qualified";
