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
//!
//! ```
//! use kselect_manifest::objects::objects_of;
//! use kselect_manifest::source::Source;
//! use kselect_manifest::stream::Blocks;
//!
//! let text = b"apiVersion: v1\nkind: Service\nmetadata: {name: web}\n---\nkind: [\n";
//! let source = Source::memory("all.yaml", text);
//! let (mut names, mut errors) = (Vec::new(), 0);
//! let mut blocks = Blocks::open(&source)?;
//! while let Some(block) = blocks.next_block()? {
//!     objects_of(&block, &source, &mut |object| match object {
//!         Ok(object) => names.push(object.head.type_and_name()),
//!         Err(_) => errors += 1,
//!     });
//! }
//! assert_eq!((names, errors), (vec!["service/web".to_owned()], 1));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod archive;
pub mod clusters;
pub mod compression;
mod cut_list;
pub mod document;
pub mod file_type;
mod flatten;
mod internal;
pub mod kept;
pub mod kindless;
pub mod list;
pub mod look;
pub mod names;
pub mod object;
pub mod objects;
pub mod once;
pub mod source;
pub mod stream;
pub mod walk;
