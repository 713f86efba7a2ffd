//! What Kubernetes knows of its kinds.

pub mod defaults;
