//! What a file is by its name.

use std::path::Path;

use syntax::foreign::KUSTOMIZATIONS;

/// The type of a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// Manifests, possibly compressed.
    Manifest,
    /// Files, possibly compressed.
    Archive,
}

const MANIFESTS: [&str; 3] = ["json", "yaml", "yml"];
/// The name of a kustomization that has no extension.
const KUSTOMIZATION: &str = KUSTOMIZATIONS[2];
const COMPRESSED: [&str; 4] = ["gz", "zst", "xz", "bz2"];
const ARCHIVES: [&str; 7] = ["tar", "tgz", "tzst", "txz", "tbz2", "tbz", "zip"];

/// A file name without the extension of compressed files.
pub fn without_compression(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((rest, extension)) if !rest.is_empty() && COMPRESSED.contains(&extension) => rest,
        _ => name,
    }
}

impl FileType {
    /// The type of a file with this name; `None` if it is neither.
    pub fn of(name: &str) -> Option<Self> {
        if name == KUSTOMIZATION {
            return Some(Self::Manifest);
        }
        let (rest, extension) = name.rsplit_once('.')?;
        if MANIFESTS.contains(&extension) {
            return Some(Self::Manifest);
        }
        if ARCHIVES.contains(&extension) {
            return Some(Self::Archive);
        }
        let (_, inner) = rest.rsplit_once('.').filter(|_| COMPRESSED.contains(&extension))?;
        match inner {
            "tar" => Some(Self::Archive),
            _ => MANIFESTS.contains(&inner).then_some(Self::Manifest),
        }
    }

    /// Whether the path is that of uncompressed manifests.
    pub fn is_plain_manifest(path: &str) -> bool {
        path.rsplit_once('.').is_some_and(|(_, extension)| MANIFESTS.contains(&extension))
            || Path::new(path).file_name().is_some_and(|name| name == KUSTOMIZATION)
    }
}
