//! Where manifests come from: files, directories, globs and standard input.
//!
//! The rules are kubectl's (cli-runtime, resource/builder.go and visitor.go): a file that is named is read
//! whatever its extension, a directory gives its `.json`, `.yaml` and `.yml` files in the order of their names.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::{Error, ErrorKind, Place};
use super::stream::arriving::{Arriving, Stream};
use crate::glob;

/// The name of standard input in messages.
pub const STDIN: &str = "STDIN";

const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// One stream of manifests.
#[derive(Clone, Debug)]
pub struct Source {
    /// How messages call it: the path as given or found, or [`STDIN`].
    pub name: Arc<str>,
    /// Whether the user named just this source. In one that a directory or glob gave, documents that are no
    /// Kubernetes objects are passed over.
    pub named: bool,
    place: SourcePlace,
}

#[derive(Clone, Debug)]
enum SourcePlace {
    Stdin,
    File(PathBuf),
    /// Standard input, kept because it is read more than once.
    Memory(Arc<[u8]>),
    /// Standard input, kept in a file because it is long, too.
    Spooled(Arc<Mutex<File>>),
}

impl Source {
    /// Standard input.
    pub fn stdin() -> Self {
        Self { name: STDIN.into(), named: true, place: SourcePlace::Stdin }
    }

    fn file(path: PathBuf, named: bool) -> Self {
        Self { name: shown(&path).into(), named, place: SourcePlace::File(path) }
    }

    /// A stream of `bytes` under this name, for manifests that are not in a file.
    pub fn memory(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.into(), named: true, place: SourcePlace::Memory(bytes.into()) }
    }

    /// Whether this is standard input, kept or not.
    pub fn is_stdin(&self) -> bool {
        !matches!(self.place, SourcePlace::File(_))
    }

    /// The file's path; nothing for standard input.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::File(path) => Some(path),
            _ => None,
        }
    }

    /// Opens the stream. Standard input can be opened once, unless it was kept.
    pub fn open(&self) -> io::Result<Box<dyn Stream + '_>> {
        Ok(match &self.place {
            SourcePlace::Stdin => match stdin() {
                Ok(file) => arriving(file)?,
                Err(_) => Box::new(&[][..]), // It is closed.
            },
            // What a directory or a glob gave is a file.
            SourcePlace::File(path) if self.named => arriving(File::open(path)?)?,
            SourcePlace::File(path) => Box::new(File::open(path)?),
            SourcePlace::Memory(bytes) => Box::new(&bytes[..]),
            SourcePlace::Spooled(file) => Box::new(Spooled { file: Arc::clone(file), at: 0 }),
        })
    }

    /// How many bytes the stream has; nothing where only reading tells, as for standard input and pipes, and
    /// where the file cannot be found.
    pub fn size(&self) -> Option<u64> {
        let file = match &self.place {
            SourcePlace::Stdin => return None,
            SourcePlace::Memory(bytes) => return Some(bytes.len() as u64),
            SourcePlace::File(path) => fs::metadata(path),
            SourcePlace::Spooled(file) => file.lock().unwrap_or_else(PoisonError::into_inner).metadata(),
        };
        file.ok().filter(fs::Metadata::is_file).map(|file| file.len())
    }

    /// Makes sure that the stream can be opened more than once: standard input is read to its end, and kept in
    /// memory or, if it is long, in a temporary file that has no name.
    ///
    /// # Errors
    ///
    /// Standard input cannot be read, or there is no room to keep it. After that it counts as empty: one error is
    /// enough.
    pub fn keep(&mut self) -> io::Result<()> {
        if let SourcePlace::Stdin = self.place {
            self.place = SourcePlace::Memory([].into());
            self.place = kept(io::stdin().lock(), KEPT_IN_MEMORY)?;
        }
        Ok(())
    }

    /// The first bytes of a file, kept in memory, and how many were read. Of a longer file the line that is cut
    /// is left out.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn beginning(&self, bytes: u64) -> io::Result<(Self, u64)> {
        let mut kept = Vec::new();
        let length = self.open()?.take(bytes).read_to_end(&mut kept)? as u64;
        if length == bytes
            && let Some(end) = memchr::memrchr(b'\n', &kept)
        {
            kept.truncate(end + 1);
        }
        Ok((Self { place: SourcePlace::Memory(kept.into()), ..self.clone() }, length))
    }

    /// An error about the source as a whole.
    pub fn error(&self, error: io::Error) -> Error {
        let place = Place { source: self.name.clone(), line: None, document: None };
        Error::new(place, ErrorKind::Io(Arc::new(error)))
    }
}

/// A path as messages, the SOURCE column and differences show it: with `/` between names on Windows too, so that the
/// same input gives the same text everywhere, and git reads what `--diff` writes.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// How much of standard input is kept in memory, in bytes.
const KEPT_IN_MEMORY: u64 = 64 << 20;

/// A stream that is kept: up to `limit` bytes in memory, longer ones in a file.
fn kept(mut stream: impl Read, limit: u64) -> io::Result<SourcePlace> {
    let mut bytes = Vec::new();
    if stream.by_ref().take(limit + 1).read_to_end(&mut bytes)? as u64 <= limit {
        return Ok(SourcePlace::Memory(bytes.into()));
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&bytes)?;
    drop(bytes);
    io::copy(&mut stream, &mut file)?;
    Ok(SourcePlace::Spooled(Arc::new(Mutex::new(file))))
}

/// Standard input, without what Rust would read ahead of it.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Standard input, without what Rust would read ahead of it.
#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// A file as it is; a pipe, a device or a terminal as it arrives.
fn arriving(file: File) -> io::Result<Box<dyn Stream>> {
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_file() || kind.is_dir() { Box::new(file) } else { Box::new(Arriving::new(file)?) })
}

impl Stream for Spooled {}

/// A reader of a kept stream with a place of its own in it, because the file has only one.
struct Spooled {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for Spooled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Why an argument of `-f` gives no source.
#[derive(Debug, PartialEq, Eq)]
pub enum PathError {
    /// Neither a path nor a pattern that matches any.
    Missing(String),
    /// A malformed glob pattern.
    Pattern(String),
    /// `-` for a second time.
    StdinTwice,
    /// A web address, which kubectl would fetch.
    Url(String),
    /// A directory without any file that has a manifest's extension.
    Empty {
        /// The directory.
        path: String,
        /// Whether there are such files below, in subdirectories that were not asked for.
        below: bool,
    },
    /// A directory that cannot be listed.
    Unreadable(String, String),
    /// A pipe or a device that a directory or glob gave: it may never end.
    Special(String),
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "the path {} does not exist", crate::excerpt::quote(path)),
            Self::Pattern(pattern) => {
                write!(f, "pattern {} is not valid: syntax error in pattern", crate::excerpt::quote(pattern))
            }
            Self::StdinTwice => f.write_str("standard input cannot be used for multiple arguments"),
            Self::Url(url) => {
                write!(f, "kselect works offline and does not fetch {}", crate::excerpt::cut(url))
            }
            Self::Empty { path, .. } => {
                let path = crate::go::printable(path);
                write!(f, "error reading [{path}]: recognized file extensions are [.json .yaml .yml]")
            }
            Self::Unreadable(path, reason) => write!(f, "{}: {reason}", crate::go::printable(path)),
            Self::Special(path) => write!(f, "{}: not a regular file", crate::go::printable(path)),
        }
    }
}

impl std::error::Error for PathError {}

impl PathError {
    /// Whether the argument is wrong whatever files there are.
    pub fn is_misuse(&self) -> bool {
        match self {
            Self::Pattern(_) | Self::StdinTwice | Self::Url(_) => true,
            Self::Missing(_) | Self::Empty { .. } | Self::Unreadable(..) | Self::Special(_) => false,
        }
    }

    /// What the user can do about it; nothing when the message says all.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Url(url) => Some(format!("curl -fsSL {} | kselect ...", crate::excerpt::cut(url))),
            Self::Empty { path, below: true } => Some(read_below(path)),
            Self::Special(_) => Some("pipes and devices are read where -f names them".to_owned()),
            _ => None,
        }
    }
}

fn read_below(directory: &str) -> String {
    format!(
        "there are manifests in subdirectories of {}, which -R reads, too",
        crate::go::printable(directory)
    )
}

/// What to do where the directories of `-f` arguments have nothing of interest, and their subdirectories may;
/// nothing where they have no manifests.
pub fn hint_at_subdirectories(arguments: &[String]) -> Option<String> {
    let paths = arguments.iter().flat_map(|argument| argument.split(',')).map(Path::new);
    let found = paths.filter(|path| path.is_dir()).find(|path| has_manifests_below(path));
    found.map(|path| read_below(&shown(path)))
}

/// How many files and directories are looked at for a hint.
const LOOKED_AT: usize = 1_000;

/// Whether there are manifests in the subdirectories of a directory.
fn has_manifests_below(directory: &Path) -> bool {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    walk(directory, Walk { recursive: true, most: LOOKED_AT }, &mut all, &mut errors);
    all.iter().filter_map(Source::path).any(|path| path.parent() != Some(directory))
}

/// The sources that `-f` arguments mean, in their order; what went wrong does not hide the others.
pub fn expand(arguments: &[String], recursive: bool) -> (Vec<Source>, Vec<PathError>) {
    expand_some(arguments, recursive, usize::MAX)
}

/// As [`expand`], of each argument no more than the first `most` files and directories.
pub fn expand_some(arguments: &[String], recursive: bool, most: usize) -> (Vec<Source>, Vec<PathError>) {
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    let depth = Walk { recursive, most };
    for argument in arguments.iter().flat_map(|argument| argument.split(',')) {
        if let Err(error) = expand_one(argument, depth, &mut sources, &mut errors) {
            errors.push(error);
        }
    }
    (sources, errors)
}

/// How far directories are walked.
#[derive(Clone, Copy)]
struct Walk {
    /// Into subdirectories too.
    recursive: bool,
    /// So many files and directories, and no more.
    most: usize,
}

fn expand_one(
    argument: &str,
    depth: Walk,
    sources: &mut Vec<Source>,
    errors: &mut Vec<PathError>,
) -> Result<(), PathError> {
    if argument == "-" {
        if sources.iter().any(Source::is_stdin) {
            return Err(PathError::StdinTwice);
        }
        sources.push(Source::stdin());
    } else if argument.starts_with("http://") || argument.starts_with("https://") {
        return Err(PathError::Url(argument.to_owned()));
    } else if fs::metadata(argument).is_ok() {
        add_path(PathBuf::from(argument), true, depth, sources, errors)?;
    } else if !glob::is_pattern(argument) {
        return Err(PathError::Missing(argument.to_owned()));
    } else if !glob::is_valid(argument) {
        return Err(PathError::Pattern(argument.to_owned()));
    } else {
        let paths = glob::paths(argument);
        if paths.is_empty() {
            return Err(PathError::Missing(argument.to_owned()));
        }
        for path in paths {
            if let Err(error) = add_path(path, false, depth, sources, errors) {
                errors.push(error);
            }
        }
    }
    Ok(())
}

fn add_path(
    path: PathBuf,
    named: bool,
    depth: Walk,
    sources: &mut Vec<Source>,
    errors: &mut Vec<PathError>,
) -> Result<(), PathError> {
    if !path.is_dir() {
        if !named && is_special(&path) {
            return Err(PathError::Special(path.to_string_lossy().into_owned()));
        }
        sources.push(Source::file(path, named));
        return Ok(());
    }
    let before = (sources.len(), errors.len());
    walk(&path, depth, sources, errors);
    if (sources.len(), errors.len()) == before {
        let below = !depth.recursive && has_manifests_below(&path);
        return Err(PathError::Empty { path: shown(&path), below });
    }
    Ok(())
}

/// Adds the manifests below `root`, each directory's entries in the order of their names' bytes, a
/// subdirectory at its place among them. Links to directories are not followed, so there are no cycles.
///
/// *Compatibility*: kubectl reads pipes and devices, too, and waits for them.
fn walk(root: &Path, depth: Walk, sources: &mut Vec<Source>, errors: &mut Vec<PathError>) {
    // What is still to be visited, the next one last: depth does not use the stack.
    let mut pending = vec![(root.to_owned(), Met::Directory)];
    for _ in 0..depth.most {
        let Some((path, met)) = pending.pop() else { return };
        match met {
            Met::Directory => (),
            Met::File => {
                sources.push(Source::file(path, false));
                continue;
            }
            Met::Special => {
                errors.push(PathError::Special(path.to_string_lossy().into_owned()));
                continue;
            }
        }
        let entries = match fs::read_dir(&path).and_then(|entries| entries.collect::<io::Result<Vec<_>>>()) {
            Ok(entries) => entries,
            Err(error) => {
                errors.push(PathError::Unreadable(shown(&path), error.to_string()));
                continue;
            }
        };
        let mut found: Vec<(OsString, Met)> = entries
            .into_iter()
            .filter_map(|entry| {
                let name = entry.file_name();
                let met = match entry.file_type() {
                    Ok(kind) if kind.is_dir() => return depth.recursive.then_some((name, Met::Directory)),
                    _ if !is_manifest(&name) => return None,
                    Ok(kind) if kind.is_file() => Met::File,
                    // Only a link has to be looked at once more: others have said what they are.
                    _ if entry.path().is_dir() => return None,
                    _ if is_special(&entry.path()) => Met::Special,
                    _ => Met::File,
                };
                Some((name, met))
            })
            .collect();
        found.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
        pending.extend(found.into_iter().map(|(name, met)| (path.join(name), met)));
    }
}

/// What a directory has under a name.
enum Met {
    Directory,
    File,
    /// A pipe, a socket or a device, or a link to one.
    Special,
}

/// Whether `path` is there and neither a file nor a directory: reading it may wait for ever, or never end.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a file of this name is read that a directory has.
fn is_manifest(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_stream_is_read_again_wherever_it_is_kept() {
        for limit in [3, 100] {
            let place = kept(&b"kind: Pod\n"[..], limit).unwrap();
            assert_eq!(matches!(place, SourcePlace::Spooled(_)), limit == 3);
            let source = Source { name: STDIN.into(), named: true, place };
            for _ in 0..2 {
                let mut text = String::new();
                source.open().unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "kind: Pod\n");
            }
        }
    }
}
