//! Writing files in place, so that whatever happens each of them is the old or the new one.
//!
//! A file is known before it is read ([`Target::of`]), and replaced only if it is still the same: its edited
//! text goes to a temporary file beside it, with its mode and owner, reaches the disk, and takes its name.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::Builder;

use super::{Splice, layout};

/// A file that may be rewritten.
#[derive(Debug)]
pub struct Target {
    /// The file itself, symbolic links followed.
    path: PathBuf,
    before: Fingerprint,
    links: u64,
}

/// What changes when a file is written to or replaced.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// The device, the inode, and when that was changed.
    inode: (u64, u64, i64, i64),
}

/// Why a file was not rewritten; it is as it was.
#[derive(Debug)]
pub enum WriteError {
    /// Something else wrote to it after it was read.
    Changed,
    /// It is no file that can be replaced, such as a pipe or a device.
    NotAFile,
    /// The system refused.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("the file has changed since it was read, and is left as it is"),
            Self::NotAFile => f.write_str("only regular files can be edited in place"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Target {
    /// The file at `path` as it is before it is read.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        let path = fs::canonicalize(path)?;
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(WriteError::NotAFile);
        }
        Ok(Self { path, before: Fingerprint::of(&metadata), links: links(&metadata) })
    }

    /// The file itself, symbolic links followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many further names the file has. They go on naming the old text.
    pub fn other_names(&self) -> u64 {
        self.links.saturating_sub(1)
    }

    /// Replaces the file by one with `splices`, which count in its bytes.
    pub fn write(&self, splices: &[Splice]) -> Result<(), WriteError> {
        let old = fs::read(&self.path)?;
        let metadata = fs::metadata(&self.path)?;
        if Fingerprint::of(&metadata) != self.before {
            return Err(WriteError::Changed);
        }
        let new = layout::splice(&old, splices.to_vec()).ok_or(WriteError::Changed)?;
        let directory = self.path.parent().unwrap_or(Path::new("."));
        // Dropped before it is renamed, it removes itself.
        let mut file = Builder::new().prefix(".kselect-").tempfile_in(directory)?;
        file.write_all(&new)?;
        take_over(file.as_file(), &metadata)?;
        file.as_file().sync_all()?;
        if Fingerprint::of(&fs::metadata(&self.path)?) != self.before {
            return Err(WriteError::Changed);
        }
        file.persist(&self.path).map_err(|error| error.error)?;
        sync_directory(directory)
    }
}

#[cfg(unix)]
impl Fingerprint {
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let inode = (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
        Self { length: metadata.len(), modified: metadata.modified().ok(), inode }
    }
}

#[cfg(not(unix))]
impl Fingerprint {
    fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok(), inode: (0, 0, 0, 0) }
    }
}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}

/// Gives the new file the owner and mode of the old one.
#[cfg(unix)]
fn take_over(file: &File, old: &Metadata) -> Result<(), WriteError> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    // After the owner, because a change of that takes the set-user-ID bit away.
    Ok(file.set_permissions(old.permissions())?)
}

/// Gives the new file the read-only mark of the old one; owner and access are those that the directory gives.
#[cfg(not(unix))]
fn take_over(file: &File, old: &Metadata) -> Result<(), WriteError> {
    Ok(file.set_permissions(old.permissions())?)
}

/// Makes the new name last through a loss of power, where a directory can be synced.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> Result<(), WriteError> {
    // The file is replaced already; a file system that cannot sync directories does not undo that.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> Result<(), WriteError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        fs::write(&path, "kind: Pod\n").unwrap();
        let target = Target::of(&path).unwrap();
        fs::write(&path, "kind: Job\n").unwrap();
        let written = target.write(&[(6..9, b"Node".to_vec())]);
        assert!(matches!(written, Err(WriteError::Changed)), "{written:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Job\n");
        let target = Target::of(&path).unwrap();
        target.write(&[(6..9, b"Node".to_vec())]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Node\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_files_are_rewritten() {
        let directory = tempfile::tempdir().unwrap();
        assert!(matches!(Target::of(directory.path()), Err(WriteError::NotAFile)));
    }
}
