//! What is printed of the selected objects: one file per format.

pub mod columns;
pub mod custom_columns;
pub mod json;
pub mod sort;
