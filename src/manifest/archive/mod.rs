//! Reads archives as directories and compressed files as files. Both are streamed and never unpacked to named files.
//! Links and devices are not followed. Of files whose names are not those of manifests, the first bytes decide whether they
//! are read.

mod entries;
mod files;
mod members;

use std::io;

pub use self::entries::{Chunks, Entries, Entry};
pub use self::files::{FileVisitor, each_file, is_named_as_one, root, texts};
use super::compression::{Format, formatted};
use super::source::{Pass, Source};
use super::stream::arriving::Stream;

/// An open source.
pub enum Opened {
    /// A stream of manifests, decompressed, and whether it was compressed.
    Stream(Box<dyn Stream>, bool),
    /// An archive.
    Archive(Entries),
}

/// Opens a source and determines by its first bytes whether it is an archive.
///
/// # Errors
///
/// The source cannot be opened or read.
pub fn open(source: &Source, pass: Pass) -> io::Result<Opened> {
    let (format, stream) = formatted(source.open(pass)?)?;
    if format == Format::Stream {
        let is_compressed = stream.rest.is_compressed();
        return Ok(Opened::Stream(Box::new(stream), is_compressed));
    }
    Entries::of(source, format, stream).map(Opened::Archive)
}
