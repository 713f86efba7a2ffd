//! What is printed of the selected objects: one file per format.

pub mod json;
