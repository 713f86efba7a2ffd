//! Formats of Kubernetes and Go: how values are written, quoted, matched and shown; and lines.

pub mod age;
pub mod difference;
pub mod duration;
pub mod excerpt;
pub mod glob;
pub mod go;
pub mod hash;
pub mod lines;
pub mod pattern;
pub mod plural;
pub mod quantity;
pub mod spelling;
pub mod terminal;
