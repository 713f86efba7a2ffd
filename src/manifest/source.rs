//! A source of manifests: a file, standard input, or a file in an archive.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::Override;

use super::file_type::FileType;
use super::look::Unopened;
use super::once::{Kept, Once, read_at};
use super::stream::arriving::{Arriving, Stream};
use syntax::error::{Error, ErrorKind, Place};
use syntax::given::GivenNamespaces;

/// The maximum size of a document, or of an item of a List that is read item by item, in bytes: 1 GiB. Objects in a
/// cluster have at most 1.5 MiB, so this only stops endless input before it fills the memory.
///
/// *Compatibility* (document-size): kubectl has no limit.
pub const MAX_DOCUMENT: usize = 1 << 30;

/// As [`MAX_DOCUMENT`], in compressed streams and archives, where few bytes may stand for many: 64 MiB.
///
/// *Compatibility* (document-size-in-archives): kubectl reads neither.
pub const MAX_COMPRESSED_DOCUMENT: usize = 64 << 20;

/// The name of standard input in messages.
pub const STDIN: &str = "STDIN";

/// Returns `apiVersion` and `kind` for objects that state neither, in a file with this path; `None` if the path does
/// not imply them.
pub type TypeOfPath = fn(&str) -> Option<(String, String)>;

/// What the user takes for one dump or one tree of manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its path.
    pub path: Arc<str>,
    /// Whether the user named it. Otherwise, it is an entry of the only directory that the user named.
    pub named: bool,
}

/// Whether a source is read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pass {
    /// It may be read again, so what can be read only once is kept.
    #[default]
    Earlier,
    /// This is the last time.
    Last,
}

/// A stream of manifests.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in messages: the path as given or found, or [`STDIN`].
    pub name: Arc<str>,
    /// Whether the user named this very source. In those found by a directory or a glob, documents that are not
    /// Kubernetes objects are skipped.
    pub named: bool,
    /// The part of the input to which it belongs.
    pub part: Part,
    /// Whether a kustomization lists it as a patch.
    pub is_patch: bool,
    /// The namespaces that its objects get from what applies it; `None` if they keep their own.
    pub given: Option<Arc<GivenNamespaces>>,
    /// Returns the type of objects that state none, by the path of their file.
    pub type_of_path: TypeOfPath,
    /// The maximum size of one of its documents, in bytes: [`MAX_DOCUMENT`], or [`MAX_COMPRESSED_DOCUMENT`] in archives.
    pub max_document: usize,
    /// The name of the archive that it is in; `None` if it is not in one.
    archive: Option<Arc<str>>,
    /// If it is an archive, the globs that filter its files; `None` for all files.
    pub(super) filter: Option<Arc<Override>>,
    /// Whether a file that the globs name is read whatever its name.
    pub(super) overrules_names: bool,
    /// If it is an archive that has been read, how many of its files were not opened because they do not seem to hold
    /// objects.
    pub(super) unopened: Arc<Mutex<Unopened>>,
    place: SourcePlace,
}

#[derive(Clone, Debug)]
enum SourcePlace {
    /// Standard input or, with its path, a named pipe or a device.
    Once(Arc<Once>, Option<PathBuf>),
    /// A regular file that is standard input, from this offset on.
    Handle(Arc<File>, u64),
    File(PathBuf),
    Memory(Arc<[u8]>),
}

impl Source {
    /// Standard input.
    pub fn stdin() -> Self {
        let place = regular_stdin().map(|(file, at)| SourcePlace::Handle(Arc::new(file), at));
        Self::new(STDIN.into(), true, place.unwrap_or_else(|| once(None)))
    }

    /// A regular file. `named` means that the user named this very file.
    pub(super) fn file(path: PathBuf, named: bool) -> Self {
        Self::new(shown(&path).into(), named, SourcePlace::File(path))
    }

    /// A named pipe or a device, which the user named.
    pub(super) fn pipe(path: PathBuf) -> Self {
        Self::new(shown(&path).into(), true, once(Some(path)))
    }

    /// A source that is not in an archive.
    fn new(name: Arc<str>, named: bool, place: SourcePlace) -> Self {
        Self {
            part: Part { path: Arc::clone(&name), named: true },
            name,
            named,
            is_patch: false,
            given: None,
            type_of_path: |_| None,
            max_document: MAX_DOCUMENT,
            archive: None,
            filter: None,
            overrules_names: false,
            unopened: Arc::default(),
            place,
        }
    }

    /// A file with this name and text in the archive that is this source.
    pub(super) fn entry(&self, name: &str, text: Vec<u8>) -> Self {
        Self {
            archive: Some(Arc::clone(&self.name)),
            part: self.part.clone(),
            is_patch: self.is_patch,
            type_of_path: self.type_of_path,
            max_document: self.max_document.min(MAX_COMPRESSED_DOCUMENT),
            ..Self::new(name.into(), false, SourcePlace::Memory(text.into()))
        }
    }

    /// The same source, without its text if that is kept in memory.
    pub fn without_text(&self) -> Self {
        let place = match &self.place {
            SourcePlace::Memory(_) => SourcePlace::Memory(Arc::from([])),
            place => place.clone(),
        };
        Self { place, ..self.clone() }
    }

    /// The name of the source as the user can name it: its own, or that of its archive.
    pub fn container(&self) -> &Arc<str> {
        self.archive.as_ref().unwrap_or(&self.name)
    }

    /// If this is an archive that has been read, how many of its files were not opened because they do not seem to hold
    /// objects.
    pub fn unopened(&self) -> Unopened {
        *self.unopened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this is a file in an archive.
    pub fn is_entry(&self) -> bool {
        self.archive.is_some()
    }

    /// Whether this may be an archive, judging by its name, so that its first bytes must be examined.
    pub fn may_be_archive(&self) -> bool {
        self.archive.is_none() && !FileType::is_plain_manifest(&self.name)
    }

    /// A source of `bytes` with this name, for manifests that are not in a file.
    pub fn memory(name: &str, bytes: &[u8]) -> Self {
        Self::new(name.into(), true, SourcePlace::Memory(bytes.into()))
    }

    /// What another program wrote, under this name: all of the stream, kept in an unnamed temporary file.
    ///
    /// # Errors
    ///
    /// The stream cannot be read, or there is no room to keep it.
    pub fn built(name: &str, mut stream: impl Read) -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut stream, &mut file)?;
        Ok(Self::new(name.into(), true, SourcePlace::Handle(Arc::new(file), 0)))
    }

    /// Whether this is standard input.
    pub fn is_stdin(&self) -> bool {
        self.archive.is_none() && *self.name == *STDIN && self.path().is_none()
    }

    /// Whether this is a pipe or a device rather than a file.
    pub fn is_stream(&self) -> bool {
        self.is_stdin() && !matches!(self.place, SourcePlace::Handle(..))
            || matches!(self.place, SourcePlace::Once(..))
    }

    /// Whether this is a stream that can be read only once, and has not been read and kept.
    pub fn passes_by(&self) -> bool {
        matches!(&self.place, SourcePlace::Once(once, _) if once.length().is_none())
    }

    /// Whether this is a regular file.
    pub fn is_regular(&self) -> bool {
        self.path().is_some_and(Path::is_file)
    }

    /// The path of the file, named pipe or device; `None` for standard input and files in archives.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::File(path) => Some(path),
            SourcePlace::Once(_, path) => path.as_deref(),
            _ => None,
        }
    }

    /// Opens the stream.
    pub fn open(&self, pass: Pass) -> io::Result<Box<dyn Stream>> {
        Ok(match &self.place {
            SourcePlace::Once(once, _) => Box::new(once.reader(pass == Pass::Last)),
            SourcePlace::Handle(file, at) => Box::new(Handle { file: Arc::clone(file), at: *at }),
            SourcePlace::File(path) => Box::new(File::open(path)?),
            SourcePlace::Memory(bytes) => Box::new(Shared { bytes: Arc::clone(bytes), at: 0 }),
        })
    }

    /// The length of the stream in bytes; `None` if it is only known after reading, as for standard input and pipes, or
    /// if the file does not exist.
    pub fn size(&self) -> Option<u64> {
        let (file, start) = match &self.place {
            SourcePlace::Once(once, _) => return once.length(),
            SourcePlace::Memory(bytes) => return Some(bytes.len() as u64),
            SourcePlace::File(path) => (fs::metadata(path), 0),
            SourcePlace::Handle(file, at) => (file.metadata(), *at),
        };
        file.ok().filter(fs::Metadata::is_file).map(|file| file.len().saturating_sub(start))
    }

    /// The beginning of the file up to `bytes`, kept in memory, and how many bytes were read. If the file is longer,
    /// the incomplete last line is left out.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn beginning(&self, bytes: u64) -> io::Result<(Self, u64)> {
        let mut kept = Vec::new();
        let length = self.open(Pass::Earlier)?.take(bytes).read_to_end(&mut kept)? as u64;
        if length == bytes
            && let Some(end) = memchr::memrchr(b'\n', &kept)
        {
            kept.truncate(end + 1);
        }
        Ok((Self { place: SourcePlace::Memory(kept.into()), ..self.clone() }, length))
    }

    /// An error that concerns the source as a whole.
    pub fn error(&self, error: io::Error) -> Error {
        let place = Place { source: self.name.clone(), line: None, document: None };
        Error::new(place, ErrorKind::Io(Arc::new(error)))
    }
}

/// A path as in messages, the SOURCE column and differences: with `/` on Windows too, so that the same input gives the
/// same output everywhere, and git accepts the output of `--diff`.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A seekable reader.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Opens a file as a seekable reader.
pub fn seekable(path: &Path) -> io::Result<Box<dyn ReadSeek>> {
    Ok(Box::new(io::BufReader::new(File::open(path)?)))
}

/// Reads a stream to its end, and returns it as a seekable reader.
pub fn spooled(stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    Ok(match Kept::all(stream)?.into_parts() {
        Err(memory) => Box::new(io::Cursor::new(memory)),
        Ok(mut file) => {
            file.rewind()?;
            Box::new(io::BufReader::new(file))
        }
    })
}

/// As [`spooled`], for a stream of at most this many bytes.
///
/// # Errors
///
/// The stream is longer, or cannot be read.
pub fn spooled_up_to(most: u64, mut stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    let spooled = spooled(stream.by_ref().take(most))?;
    match stream.read(&mut [0])? {
        0 => Ok(spooled),
        _ => Err(io::Error::other(format!("this has more than {} MiB; decompress it first", most >> 20))),
    }
}

/// Whether standard input is a pipe, a socket or a file, rather than closed, a terminal or a device such as `/dev/null`.
#[cfg(unix)]
pub fn has_stdin() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = stdin().and_then(|file| file.metadata()).map(|found| found.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket() || kind.is_file())
}

/// Whether standard input can be read.
#[cfg(not(unix))]
pub fn has_stdin() -> bool {
    stdin().is_ok()
}

/// Standard input, without Rust's read-ahead buffer.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Standard input, without Rust's read-ahead buffer.
#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Standard input and its position, if it is a regular file.
fn regular_stdin() -> Option<(File, u64)> {
    let mut file = stdin().ok()?;
    let is_file = file.metadata().is_ok_and(|found| found.is_file());
    let at = if is_file { file.stream_position().ok()? } else { return None };
    Some((file, at))
}

/// The place of standard input, or of the named pipe or device at a path.
fn once(path: Option<PathBuf>) -> SourcePlace {
    let file = path.clone();
    let open = move || -> io::Result<Box<dyn Stream>> {
        let file = match file {
            Some(path) => File::open(path)?,
            None => match stdin() {
                Ok(file) => file,
                Err(_) => return Ok(Box::new(&[][..])), // Standard input is closed.
            },
        };
        Ok(Box::new(Arriving::new(file)?))
    };
    SourcePlace::Once(Arc::new(Once::new(Box::new(open))), path)
}

/// A reader of bytes in memory.
struct Shared {
    bytes: Arc<[u8]>,
    at: usize,
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl Stream for Shared {}

/// A reader of an open file with its own position.
struct Handle {
    file: Arc<File>,
    at: u64,
}

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Stream for Handle {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_spooled_up_to_a_limit() {
        let mut text = String::new();
        spooled_up_to(3, &b"abc"[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "abc");
        let endless = spooled_up_to(1 << 20, io::repeat(b'a')).map(|_| ()).unwrap_err();
        assert_eq!(endless.to_string(), "this has more than 1 MiB; decompress it first");
    }
}
