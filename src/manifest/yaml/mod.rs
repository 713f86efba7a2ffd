//! One YAML document's text to the tree, as kubectl reads it.

pub mod full;
pub mod scalar;

pub use self::full::parse;
