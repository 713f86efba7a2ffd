//! From files, archives and streams to documents and objects: finding manifests, splitting streams, reading documents.

pub mod archive;
pub mod compression;
mod cut_list;
pub mod document;
pub mod file_type;
mod flatten;
pub mod kept;
pub mod kindless;
pub mod list;
pub mod look;
pub mod object;
pub mod objects;
mod once;
pub mod source;
pub mod stream;
pub mod walk;
