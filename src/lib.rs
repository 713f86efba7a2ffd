//! kubectl for manifests that are not in a cluster.

pub mod age;
pub mod go;
pub mod jsonpath;
pub mod manifest;
pub mod output;
