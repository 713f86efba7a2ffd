//! Values to text: kubectl's YAML and kubectl's JSON.

pub mod json;
pub mod yaml;
