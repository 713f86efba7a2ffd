//! From files, archives and streams to documents and objects.
//!
//! [`walk`] finds the files of `-f` arguments, [`source`] is one of them, [`archive`] and [`compression`] look into those that are packed;
//! [`stream`] reads a source in blocks of whole documents and splits them; [`objects`] makes an [`object::Object`] of each document, and of each
//! item of a List, however long the List is.
//!
//! This crate never decides which objects are meant, and never writes what it read.
//!
//! **Invariants:** A document that cannot be read is an error with its place, and the others are read. The text of an object is the bytes
//! of the input, so that it can be printed as it was. Memory does not grow with the number of documents.

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
