//! Text to objects: where manifests come from, how a stream falls into documents, what a document says.

pub mod tree;
