//! From text to objects: finding manifests, splitting streams into documents, and reading documents.

pub mod archive;
pub mod compression;
mod cut_list;
pub mod document;
pub mod emit;
pub mod error;
mod error_kind;
pub mod fields;
pub mod file_type;
mod flatten;
pub mod foreign;
pub mod gvk;
pub mod head;
pub mod json;
pub mod kept;
pub mod kindless;
pub mod list;
pub mod look;
pub mod object;
pub mod objects;
mod once;
pub mod parsed;
pub mod redacted;
mod simd;
pub mod source;
pub mod stream;
pub mod syntax;
pub mod tree;
pub mod walk;
pub mod yaml;

/// How deeply lists and maps may be nested. *Compatibility* (depth): kubectl accepts 10,000 levels. Nothing that a
/// cluster stores comes near either limit, and with this one no code that walks a tree can overflow its stack.
pub const MAX_DEPTH: usize = 1_000;
