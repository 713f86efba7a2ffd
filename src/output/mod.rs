//! How selected objects are printed.

pub mod columns;
