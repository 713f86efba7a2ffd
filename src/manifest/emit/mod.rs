//! Values to text: kubectl's YAML, KYAML and JSON.

pub mod json;
pub mod kyaml;
pub mod yaml;
