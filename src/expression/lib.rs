//! The expressions of `-o`: kubectl's dialect of JSONPath, and Go templates.
//!
//! This crate sees one tree, and never a source.

pub mod jsonpath;
pub mod template;
