//! Puts files into a directory, all or none.
//!
//! They are written to a staging directory beside the target, on the same file system. When all are written, each is
//! renamed to its place; if one rename fails, the ones before it are undone.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::{Builder, TempDir};

use edit::write;

/// Files to be put into a directory.
pub struct Stage {
    target: PathBuf,
    staging: TempDir,
    /// The files by their paths below the target, in the order in which they were started, with their numbers in the
    /// staging directory.
    files: HashMap<String, usize>,
    order: Vec<String>,
}

/// What group and others may do at most with a file: what they may do with the file that its text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access(u32);

impl Access {
    /// No limit besides that of the process.
    pub const ANY: Self = Self(0o066);

    /// That of the file at `path`; [`Access::ANY`] if it cannot be examined.
    pub fn of(path: &Path) -> Self {
        Self(fs::metadata(path).map_or(Self::ANY.0, |found| mode(&found) & Self::ANY.0))
    }
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(metadata)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    Access::ANY.0
}

/// Opens a staged file to append to it. Whatever it contains already, nobody gets more access to it than `access`.
fn open(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600 | access.0);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        let mode = mode(&file.metadata()?) & 0o777;
        let limited = mode & (0o600 | access.0);
        if limited != mode {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(limited))?;
        }
    }
    Ok(file)
}

/// Why files could not be put into the directory, which is unchanged.
#[derive(Debug)]
pub struct StageError {
    /// The path that could not be written.
    pub path: PathBuf,
    /// The cause.
    pub error: io::Error,
}

impl StageError {
    fn new(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), error }
    }
}

impl Stage {
    /// Prepares files for the directory `target`, which need not exist.
    ///
    /// # Errors
    ///
    /// The staging directory cannot be created.
    pub fn new(target: &Path) -> Result<Self, StageError> {
        let exists = |path: &&Path| path.as_os_str().is_empty() || path.is_dir();
        let beside = target.ancestors().find(exists).unwrap_or(Path::new(""));
        let beside = if beside.as_os_str().is_empty() { Path::new(".") } else { beside };
        let staging = Builder::new().prefix(".kselect-split-").tempdir_in(beside);
        let staging = staging.map_err(|error| StageError::new(beside, error))?;
        Ok(Self { target: target.to_owned(), staging, files: HashMap::new(), order: Vec::new() })
    }

    /// Appends to the file at `path` below the target, limiting the access to it. A file that it replaces keeps its own
    /// mode.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn append(&mut self, path: &str, text: &[&[u8]], access: Access) -> Result<(), StageError> {
        let next = self.order.len();
        let number = *self.files.entry(path.to_owned()).or_insert(next);
        if number == next {
            self.order.push(path.to_owned());
        }
        let file = self.staged(number);
        let write = || -> io::Result<()> {
            let mut file = open(&file, access)?;
            text.iter().try_for_each(|text| file.write_all(text))
        };
        write().map_err(|error| StageError::new(&self.target.join(path), error))
    }

    /// The paths, in the order in which they were started.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// The paths that exist in the target.
    pub fn existing(&self) -> Vec<PathBuf> {
        let paths = self.order.iter().map(|path| self.target.join(path));
        paths.filter(|path| path.symlink_metadata().is_ok()).collect()
    }

    /// Moves all files to their places, replacing existing ones.
    ///
    /// # Errors
    ///
    /// A file cannot be moved. The directory is then unchanged.
    pub fn commit(self) -> Result<(), StageError> {
        let mut done = Done::default();
        let moved = self.order.iter().enumerate().try_for_each(|(number, path)| {
            let target = self.target.join(path);
            self.place(number, &target, &mut done).map_err(|error| StageError::new(&target, error))
        });
        if moved.is_err() {
            done.undo();
        }
        moved
    }

    fn place(&self, number: usize, target: &Path, done: &mut Done) -> io::Result<()> {
        if let Some(parent) = target.parent() {
            self.make(parent, done)?;
        }
        let staged = self.staged(number);
        File::open(&staged)?.sync_data()?;
        match target.symlink_metadata() {
            Ok(found) if found.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(found) if !found.is_file() => return Err(io::Error::other("not a regular file")),
            Ok(found) => {
                let file = File::open(&staged)?;
                write::take_over(&file, target, &found)?;
                let kept = self.staging.path().join(format!("old-{number}"));
                fs::rename(target, &kept)?;
                done.replaced.push((kept, target.to_owned()));
            }
            Err(_) => (),
        }
        fs::rename(&staged, target)?;
        done.placed.push(target.to_owned());
        Ok(())
    }

    /// Creates a directory and its parents. Below the target, no step may be a link, which could lead out of it.
    fn make(&self, directory: &Path, done: &mut Done) -> io::Result<()> {
        let below = directory.strip_prefix(&self.target).unwrap_or(Path::new(""));
        for ancestor in self.target.ancestors().collect::<Vec<_>>().into_iter().rev() {
            if !ancestor.as_os_str().is_empty() && !ancestor.exists() {
                fs::create_dir(ancestor)?;
                done.made.push(ancestor.to_owned());
            }
        }
        let mut path = self.target.clone();
        for step in below.components().filter(|step| matches!(step, Component::Normal(_))) {
            path.push(step);
            match path.symlink_metadata() {
                Ok(found) if found.is_dir() => (),
                Ok(_) => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
                Err(_) => {
                    fs::create_dir(&path)?;
                    done.made.push(path.clone());
                }
            }
        }
        Ok(())
    }

    fn staged(&self, number: usize) -> PathBuf {
        self.staging.path().join(number.to_string())
    }
}

/// Completed steps, which can be undone.
#[derive(Default)]
struct Done {
    made: Vec<PathBuf>,
    placed: Vec<PathBuf>,
    /// Replaced files, and where they are kept.
    replaced: Vec<(PathBuf, PathBuf)>,
}

impl Done {
    /// Undoes all steps, as far as possible.
    fn undo(self) {
        self.placed.iter().for_each(|path| drop(fs::remove_file(path)));
        self.replaced.iter().for_each(|(kept, path)| drop(fs::rename(kept, path)));
        self.made.iter().rev().for_each(|path| drop(fs::remove_dir(path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_as_it_was_when_one_file_cannot_get_there() {
        let directory = tempfile::tempdir().expect("a directory");
        let target = directory.path().join("out");
        fs::create_dir_all(target.join("z")).expect("a directory");
        fs::write(target.join("a"), "old").expect("a file");
        let mut stage = Stage::new(&target).expect("a stage");
        for path in ["a", "b/c", "z"] {
            stage.append(path, &[b"new"], Access::ANY).expect("a file");
        }
        assert!(stage.commit().is_err(), "z is a directory");
        assert_eq!(fs::read(target.join("a")).expect("the file"), b"old");
        let mut left: Vec<_> =
            fs::read_dir(&target).expect("a directory").flatten().map(|e| e.file_name()).collect();
        left.sort();
        assert_eq!(left, ["a", "z"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_out_of_the_directory() {
        let directory = tempfile::tempdir().expect("a directory");
        let (target, outside) = (directory.path().join("out"), directory.path().join("outside"));
        fs::create_dir_all(&target).expect("a directory");
        fs::create_dir_all(&outside).expect("a directory");
        std::os::unix::fs::symlink(&outside, target.join("shop")).expect("a link");
        let mut stage = Stage::new(&target).expect("a stage");
        stage.append("shop/x", &[b"new"], Access::ANY).expect("a file");
        assert!(stage.commit().is_err());
        assert_eq!(fs::read_dir(&outside).expect("a directory").count(), 0);
    }
}
