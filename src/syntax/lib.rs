//! YAML and JSON as Kubernetes reads them: from bytes to heads and trees with their places, and back to text.
//!
//! A head ([`head::Head`]) is `apiVersion`, `kind` and the names and labels in `metadata`; a tree ([`tree::Node`]) is a whole value, each
//! part with its bytes in the text. `yaml` and `json` have readers with the same names: `head`, `value`, `list`. For YAML there are two of
//! each: the cursor knows the layout that tools write and reads it fast; the full parser reads everything. [`emit`] writes trees as
//! YAML, KYAML and JSON, in kubectl's form.
//!
//! This crate never does I/O, and knows no kind of object and no Kubernetes field but those of a head.
//!
//! **Invariants:** The cursor declines whatever it is not certain of, so that it and the full parser never disagree. Work and memory grow
//! in proportion to the text, whatever it is. No text makes a reader panic, and nesting is limited to [`MAX_DEPTH`].
//!
//! ```
//! use kselect_syntax::yaml;
//!
//! let read = yaml::parse(b"replicas: 2 # two\n").ok().flatten().expect("a document");
//! let replicas = read.root.get("replicas").expect("a key");
//! assert_eq!(replicas.as_int(), Some(2));
//! assert_eq!((replicas.span.start, replicas.span.end), (10, 11));
//! ```

pub mod emit;
pub mod error;
mod error_kind;
pub mod fields;
pub mod foreign;
pub mod given;
pub mod gvk;
pub mod head;
pub mod json;
pub mod list;
mod object_meta;
pub mod parsed;
pub mod redacted;
pub mod simd;
pub mod syntax;
pub mod tree;
pub mod yaml;

/// How deeply lists and maps may be nested. *Compatibility* (depth): kubectl accepts 10,000 levels. Nothing that a
/// cluster stores comes near either limit, and with this one no code that walks a tree can overflow its stack.
pub const MAX_DEPTH: usize = 1_000;
