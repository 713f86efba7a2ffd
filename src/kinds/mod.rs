//! What Kubernetes knows of its built-in kinds.

pub mod fields;
pub mod lifecycle;
