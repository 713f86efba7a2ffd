//! Writes files in place, such that each is either the old or the new one, whatever happens.
//!
//! The directories of the files are locked against other runs of this program ([`Locks`]), and a file is examined before it
//! is read ([`FileTarget::of`]). Its new text is written to a temporary file beside it, with its owner, mode, access control
//! list and extended attributes ([`FileTarget::stage`]), and synced to the disk ([`sync`]). Only when this is done for all
//! files is the first one renamed ([`Staged::replace`]): a full disk or a read-only directory leaves everything as it was.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::{Builder, TempPath};
use text::reason::reason;

use super::splices::{Splice, splice};

/// The prefix of the names of temporary files.
const PREFIX: &str = ".kselect-";

/// The minimum age of a temporary file that no running program can still need.
const LEFT_OVER: Duration = Duration::from_secs(60 * 60);

/// The maximum number of directories that are locked: each takes one of the files that a process may have open.
const MAX_LOCKS: usize = 500;

/// Locks of directories against other runs of this program that rewrite files in them. The system ends them with the process.
#[derive(Debug)]
pub struct Locks(#[expect(dead_code, reason = "open files hold the locks")] Vec<File>);

impl Locks {
    /// Locks the directories of these files, waiting for other runs. Where directories cannot be locked, and behind the first
    /// 500, a file that changes meanwhile is left as it is.
    pub fn of<'p>(files: impl Iterator<Item = &'p Path>) -> Self {
        let directories: BTreeSet<&Path> = files.map(directory).collect();
        // Links are followed once for a directory. The order is the same in all runs, so that none waits for another's lock.
        let directories: BTreeSet<PathBuf> =
            directories.into_iter().filter_map(|directory| fs::canonicalize(directory).ok()).collect();
        let locked = |directory: &PathBuf| {
            let file = File::open(directory).ok()?;
            file.lock().ok().map(|()| file)
        };
        Self(directories.iter().take(MAX_LOCKS).filter_map(locked).collect())
    }
}

/// A file that may be rewritten.
#[derive(Debug)]
pub struct FileTarget {
    /// The file itself, after following symbolic links.
    path: PathBuf,
    /// Its other names among those given, which remain names of the same file.
    other_paths: Vec<PathBuf>,
    before: Fingerprint,
    links: u64,
}

/// The properties that change when a file is written to or replaced.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// The device, the inode, and its change time.
    inode: (u64, u64, i64, i64),
}

/// Something else wrote to the file after it was read.
const CHANGED: &str = "the file has changed since it was read; it is left as it is";

/// It cannot be replaced, such as a pipe or a device.
const NOT_A_FILE: &str = "only regular files can be rewritten";

/// The error about a read-only file.
pub const READ_ONLY: &str = "the file is read-only";

impl FileTarget {
    /// The state of the file at `path` before it is read.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::other(NOT_A_FILE));
        }
        let links = links(&metadata);
        Ok(Self { path, other_paths: Vec::new(), before: Fingerprint::of(&metadata), links })
    }

    /// Whether `other` is the same file, by this or another name.
    pub fn is_same(&self, other: &Self) -> bool {
        self.path == other.path || self.links > 1 && self.before == other.before
    }

    /// Takes the name of another target that is the same file; both names will be names of the new one.
    pub fn take_name(&mut self, other: Self) {
        self.other_paths.push(other.path);
    }

    /// The number of further names of the file that were not given. They will still name the old text.
    pub fn other_names(&self) -> u64 {
        self.links.saturating_sub(1 + self.other_paths.len() as u64)
    }

    /// Writes the file with `splices`, whose ranges are in bytes of the file, beside it, to be [synced](sync). If dropped,
    /// nothing remains. `length` is the number of its bytes that were read. A read-only file is rewritten only with
    /// `force`.
    ///
    /// # Errors
    ///
    /// The file is read-only or has changed, or its replacement cannot be written or cannot get its attributes.
    pub fn stage(&self, splices: &[Splice], length: usize, force: bool) -> io::Result<Staged<'_>> {
        let old = fs::read(&self.path)?;
        let metadata = self.unchanged()?;
        if old.len() != length {
            return Err(io::Error::other(CHANGED));
        }
        if metadata.permissions().readonly() && !force {
            return Err(io::Error::other(READ_ONLY));
        }
        let new = splice(&old, splices.to_vec()).ok_or_else(|| io::Error::other(CHANGED))?;
        let mut file = Builder::new().prefix(PREFIX).tempfile_in(directory(&self.path))?;
        file.write_all(&new)?;
        take_over(file.as_file(), &self.path, &metadata)?;
        // Closed, because there may be more files than can be open at once.
        let file = file.into_temp_path();
        let mut names = Vec::new();
        for path in &self.other_paths {
            let link =
                Builder::new().prefix(PREFIX).make_in(directory(path), |link| fs::hard_link(&file, link))?;
            names.push((link.into_temp_path(), path.as_path()));
        }
        names.insert(0, (file, &self.path));
        Ok(Staged { target: self, names })
    }

    /// Its metadata, if it is still the file that was read.
    fn unchanged(&self) -> io::Result<Metadata> {
        let metadata = fs::metadata(&self.path)?;
        if Fingerprint::of(&metadata) == self.before { Ok(metadata) } else { Err(io::Error::other(CHANGED)) }
    }
}

/// The new contents of a file, beside it.
#[derive(Debug)]
pub struct Staged<'t> {
    target: &'t FileTarget,
    /// The temporary names and the names they will replace; the first is that of the target.
    names: Vec<(TempPath, &'t Path)>,
}

impl Staged<'_> {
    /// Whether the file is still the one that was read.
    ///
    /// # Errors
    ///
    /// It has changed, or cannot be examined.
    pub fn check(&self) -> io::Result<()> {
        self.target.unchanged().map(drop)
    }

    /// Replaces the file, unless it has changed. Adds its directories, which are then to be [synced](sync_directories).
    ///
    /// # Errors
    ///
    /// The file has changed, or cannot be replaced.
    pub fn replace(self, directories: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        self.check()?;
        for (temporary, path) in self.names {
            temporary.persist(path).map_err(|error| error.error)?;
            if !directories.contains(directory(path)) {
                directories.insert(directory(path).to_owned());
            }
        }
        Ok(())
    }
}

/// How many files are synced at the same time: a file system writes what it is asked for at once in one go.
const SYNCED_AT_ONCE: usize = 64;

/// Syncs the new contents of files to the disk.
///
/// # Errors
///
/// The index of the first file that cannot be synced, with the error.
pub fn sync(files: &[&Staged<'_>]) -> Result<(), (usize, io::Error)> {
    let sync = |staged: &Staged<'_>| -> io::Result<()> {
        let Some((file, _)) = staged.names.first() else { return Ok(()) };
        File::open(file)?.sync_all()
    };
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None::<(usize, io::Error)>);
    let sync_some = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = files.get(at) else { return };
        if let Err(error) = sync(file) {
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                *failed = Some((at, error));
            }
            // The others need not be synced.
            next.store(files.len(), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        // If a limit allows only fewer threads, fewer do the work; this one is always there.
        let start = |_: &usize| thread::Builder::new().spawn_scoped(scope, sync_some).is_ok();
        let _ = (1..files.len().min(SYNCED_AT_ONCE)).take_while(start).count();
        sync_some();
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(at, error)| Err((at, error)))
}

/// Makes renames in these directories survive a loss of power.
pub fn sync_directories(directories: &BTreeSet<PathBuf>) {
    directories.iter().for_each(|directory| sync_directory(directory));
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a whole file. An existing one, which must be a regular file, keeps its owner, mode and attributes; a symbolic
/// link to it remains one.
///
/// # Errors
///
/// The file is read-only or changes meanwhile, or it cannot be written. There is then no new file, or the old one.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let mut file = new_file(path)?;
        file.write_all(text)?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map_err(|error| error.error)?;
        sync_directory(directory(path));
        return Ok(());
    }
    let target = FileTarget::of(path)?;
    let length = usize::try_from(target.before.length).map_err(|_| io::Error::other(NOT_A_FILE))?;
    let staged = target.stage(&[(0..length, text.to_vec())], length, false)?;
    sync(&[&staged]).map_err(|(_, error)| error)?;
    let mut directories = BTreeSet::new();
    staged.replace(&mut directories)?;
    sync_directories(&directories);
    Ok(())
}

/// A temporary file for a new file at `path`, with the rights that the process gives to new files.
fn new_file(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    let everyone = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(everyone);
    builder.tempfile_in(directory(path))
}

/// The temporary files beside these targets that an interrupted run left behind.
pub fn left_over<'t>(targets: impl Iterator<Item = &'t FileTarget>) -> Vec<PathBuf> {
    let mut directories: Vec<&Path> = targets.map(|target| directory(&target.path)).collect();
    directories.sort_unstable();
    directories.dedup();
    let is_old = |metadata: &Metadata| {
        let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
        metadata.is_file() && age.is_some_and(|age| age >= LEFT_OVER)
    };
    let files = directories.into_iter().flat_map(fs::read_dir).flatten().flatten();
    let named = files.filter(|file| file.file_name().to_string_lossy().starts_with(PREFIX));
    let mut old: Vec<PathBuf> = named
        .filter(|file| file.metadata().is_ok_and(|data| is_old(&data)))
        .map(|file| file.path())
        .collect();
    old.sort_unstable();
    old
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

/// Gives the new file the properties of the one at `path`: owner, access control list and other extended attributes,
/// mode. Until then, only its owner can read it.
///
/// # Errors
///
/// A property cannot be kept.
#[cfg(unix)]
pub fn take_over(file: &File, path: &Path, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    take_over_attributes(file, path)?;
    // After the owner, because changing the owner clears the set-user-ID bit.
    file.set_permissions(old.permissions())
}

/// Extended attributes that depend on the contents, which change (Linux, integrity measurement).
#[cfg(unix)]
const OF_THE_TEXT: [&str; 2] = ["security.ima", "security.evm"];

/// Access control lists are extended attributes as well. Attributes that the directory gave to the new file are removed
/// unless the old one has them: an access control list of the directory could grant access to others.
#[cfg(unix)]
fn take_over_attributes(file: &File, path: &Path) -> io::Result<()> {
    use std::ffi::{OsStr, OsString};
    use xattr::FileExt;
    let failed = |name: &OsStr| {
        let name = text::go::printable(&name.to_string_lossy()).into_owned();
        move |error| io::Error::other(format!("the attribute {name} cannot be kept: {}", reason(&error)))
    };
    // A file system without attributes has none to keep.
    let old: Vec<OsString> = xattr::list(path).map(Iterator::collect).unwrap_or_default();
    let new: Vec<OsString> = file.list_xattr().map(Iterator::collect).unwrap_or_default();
    for name in
        new.iter().filter(|name| !old.contains(name) && !name.to_string_lossy().starts_with("security."))
    {
        file.remove_xattr(name).map_err(failed(name))?;
    }
    for name in old.iter().filter(|name| !OF_THE_TEXT.iter().any(|of_text| *name == of_text)) {
        let value = xattr::get(path, name).map_err(failed(name))?;
        if let Some(value) = value.filter(|value| file.get_xattr(name).ok().flatten().as_ref() != Some(value))
        {
            file.set_xattr(name, &value).map_err(failed(name))?;
        }
    }
    Ok(())
}

/// Gives the new file the read-only attribute of the old one; owner and access come from the directory.
///
/// # Errors
///
/// It cannot be set.
#[cfg(not(unix))]
pub fn take_over(file: &File, _: &Path, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Makes the rename survive a loss of power, if directories can be synced. The file has already been replaced, so an
/// error is ignored.
#[cfg(unix)]
fn sync_directory(directory: &Path) {
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kind: Pod\n";

    /// The number of bytes of the file that were read.
    const READ: usize = TEXT.len();

    fn file(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        fs::write(&path, TEXT).unwrap();
        path
    }

    fn to_node() -> Vec<Splice> {
        vec![(6..9, b"Node".to_vec())]
    }

    fn names(directory: &Path) -> Vec<String> {
        let files = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        let target = FileTarget::of(&path).unwrap();
        fs::write(&path, "kind: Job\n").unwrap();
        assert!(target.stage(&to_node(), READ, false).is_err_and(|error| error.to_string() == CHANGED));
        let target = FileTarget::of(&path).unwrap();
        let staged = target.stage(&to_node(), READ, false).unwrap();
        fs::write(&path, "kind: Job \n").unwrap();
        assert!(staged.replace(&mut BTreeSet::new()).is_err_and(|error| error.to_string() == CHANGED));
        // The text that was read differs from the file, because it was decompressed.
        let target = FileTarget::of(&path).unwrap();
        assert!(target.stage(&to_node(), READ, false).is_err_and(|error| error.to_string() == CHANGED));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Job \n");
        assert_eq!(names(directory.path()), ["a.yaml"]);
    }

    #[test]
    fn nothing_changes_before_it_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        let target = FileTarget::of(&path).unwrap();
        drop(target.stage(&to_node(), READ, false).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Pod\n");
        assert_eq!(names(directory.path()), ["a.yaml"]);
        target.stage(&to_node(), READ, false).unwrap().replace(&mut BTreeSet::new()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Node\n");
        assert_eq!(names(directory.path()), ["a.yaml"]);
    }

    #[test]
    fn only_files_are_rewritten() {
        let directory = tempfile::tempdir().unwrap();
        assert!(FileTarget::of(directory.path()).is_err_and(|error| error.to_string() == NOT_A_FILE));
    }

    #[test]
    fn a_read_only_file_is_rewritten_by_force_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let target = FileTarget::of(&path).unwrap();
        assert!(target.stage(&to_node(), READ, false).is_err_and(|error| error.to_string() == READ_ONLY));
        target.stage(&to_node(), READ, true).unwrap().replace(&mut BTreeSet::new()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "kind: Node\n");
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
    }

    #[cfg(unix)]
    #[test]
    fn the_names_of_one_file_stay_names_of_one_file() {
        use std::os::unix::fs::MetadataExt;
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        let [other, third] = ["b.yaml", "c.yaml"].map(|name| directory.path().join(name));
        fs::hard_link(&path, &other).unwrap();
        fs::hard_link(&path, &third).unwrap();
        let [mut target, same] = [&path, &other].map(|path| FileTarget::of(path).unwrap());
        assert!(target.is_same(&same));
        target.take_name(same);
        assert_eq!(target.other_names(), 1);
        target.stage(&to_node(), READ, false).unwrap().replace(&mut BTreeSet::new()).unwrap();
        let inode = |path| fs::metadata(path).unwrap().ino();
        assert_eq!(
            (inode(&path), fs::read_to_string(&other).unwrap()),
            (inode(&other), "kind: Node\n".to_owned())
        );
        assert_eq!(fs::read_to_string(&third).unwrap(), "kind: Pod\n");
        assert_eq!(names(directory.path()), ["a.yaml", "b.yaml", "c.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn extended_attributes_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        if xattr::set(&path, "user.note", b"kept").is_err() {
            return; // a file system without them
        }
        FileTarget::of(&path)
            .unwrap()
            .stage(&to_node(), READ, false)
            .unwrap()
            .replace(&mut BTreeSet::new())
            .unwrap();
        assert_eq!(xattr::get(&path, "user.note").unwrap().as_deref(), Some(&b"kept"[..]));
    }

    #[test]
    fn what_a_killed_run_left_is_found_when_it_is_old() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), "a.yaml");
        let [old, new] = [".kselect-old", ".kselect-new"].map(|name| file(directory.path(), name));
        let long_ago = SystemTime::now() - 2 * LEFT_OVER;
        File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        let target = FileTarget::of(&path).unwrap();
        assert_eq!(left_over([&target].into_iter()), [fs::canonicalize(old).unwrap()]);
        assert!(new.exists());
    }
}
