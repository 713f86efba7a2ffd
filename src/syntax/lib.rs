//! YAML and JSON as Kubernetes reads them: from bytes to heads and trees with their places, and back to text.

pub mod emit;
pub mod error;
mod error_kind;
pub mod fields;
pub mod foreign;
pub mod gvk;
pub mod head;
pub mod json;
pub mod list;
pub mod parsed;
pub mod redacted;
pub mod simd;
pub mod syntax;
pub mod tree;
pub mod yaml;

/// How deeply lists and maps may be nested. *Compatibility* (depth): kubectl accepts 10,000 levels. Nothing that a
/// cluster stores comes near either limit, and with this one no code that walks a tree can overflow its stack.
pub const MAX_DEPTH: usize = 1_000;
