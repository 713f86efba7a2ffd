//! Objects to bytes: one file per format. Nothing here selects.

pub mod columns;
pub mod custom_columns;
pub mod json;
pub mod sort;
