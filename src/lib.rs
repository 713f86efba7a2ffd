//! kubectl for manifests that are not in a cluster.

pub mod age;
pub mod catalog;
pub mod go;
pub mod gvk;
pub mod jsonpath;
pub mod manifest;
pub mod output;
pub mod quantity;
pub mod selector;
pub mod view;
