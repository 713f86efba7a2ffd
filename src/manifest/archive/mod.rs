//! Reads archives as directories and compressed files as files. Both are streamed and never unpacked to named files.
//! Links and devices are not followed. Of files whose names are not those of manifests, the first bytes decide whether they
//! are read.

mod entries;
mod files;
mod members;
mod open;

pub use self::entries::{Entries, Entry};
pub use self::files::{FileVisitor, each_file, texts};
pub use self::members::is_named_as_one;
pub use self::open::{Opened, open, unpack_repositories};
