//! kubectl for manifests that are not in a cluster.

pub mod age;
pub mod catalog;
pub mod discovery;
pub mod glob;
pub mod go;
pub mod gvk;
pub mod jsonpath;
pub mod manifest;
pub mod output;
pub mod pipeline;
pub mod quantity;
pub mod selection;
pub mod selector;
pub mod view;
