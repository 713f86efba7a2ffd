//! Text to objects: where manifests come from, how a stream falls into documents, what a document says.

pub mod archive;
pub mod document;
pub mod emit;
pub mod error;
pub mod fields;
pub mod foreign;
pub mod gvk;
pub mod head;
pub mod json;
pub mod list;
pub mod object;
pub mod objects;
pub mod parsed;
pub mod redacted;
mod simd;
pub mod source;
pub mod stream;
pub mod tree;
pub mod walk;
pub mod yaml;

/// How deeply lists and maps may nest. *Compatibility* (depth): kubectl reads 10,000 levels; nothing a cluster stores
/// comes near either, and with this bound no reader of a tree has to fear for its stack.
pub const MAX_DEPTH: usize = 1_000;
