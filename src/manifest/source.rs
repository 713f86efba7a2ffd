//! A source of manifests: a file, standard input, or a file in an archive.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::Override;

use super::error::{Error, ErrorKind, Place};
use super::file_type::FileType;
use super::look::Unopened;
use super::stream::arriving::{Arriving, Stream};

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
    Stdin,
    File(PathBuf),
    /// Standard input, kept in memory because it is read more than once.
    Memory(Arc<[u8]>),
    /// Standard input, kept in a file because it is large.
    Spooled(Arc<Mutex<File>>),
}

impl Source {
    /// Standard input.
    pub fn stdin() -> Self {
        Self::new(STDIN.into(), true, SourcePlace::Stdin)
    }

    /// A file. `named` means that the user named this very file.
    pub(super) fn file(path: PathBuf, named: bool) -> Self {
        Self::new(shown(&path).into(), named, SourcePlace::File(path))
    }

    /// A source that is not in an archive.
    fn new(name: Arc<str>, named: bool, place: SourcePlace) -> Self {
        Self {
            part: Part { path: Arc::clone(&name), named: true },
            name,
            named,
            is_patch: false,
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

    /// Whether this is standard input, whether kept or not.
    pub fn is_stdin(&self) -> bool {
        self.archive.is_none() && !matches!(self.place, SourcePlace::File(_))
    }

    /// Whether this is a regular file.
    pub fn is_regular(&self) -> bool {
        self.path().is_some_and(Path::is_file)
    }

    /// The path of the file; `None` for standard input and files in archives.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::File(path) => Some(path),
            _ => None,
        }
    }

    /// Opens the stream. Standard input can be opened only once, unless it has been kept.
    pub fn open(&self) -> io::Result<Box<dyn Stream>> {
        Ok(match &self.place {
            SourcePlace::Stdin => match stdin() {
                Ok(file) => arriving(file)?,
                Err(_) => Box::new(&[][..]), // Standard input is closed.
            },
            // Directories and globs give only regular files.
            SourcePlace::File(path) if self.named => arriving(File::open(path)?)?,
            SourcePlace::File(path) => Box::new(File::open(path)?),
            SourcePlace::Memory(bytes) => Box::new(Kept { bytes: Arc::clone(bytes), at: 0 }),
            SourcePlace::Spooled(file) => Box::new(Spooled { file: Arc::clone(file), at: 0 }),
        })
    }

    /// The length of the stream in bytes; `None` if it is only known after reading, as for standard input and pipes, or
    /// if the file does not exist.
    pub fn size(&self) -> Option<u64> {
        let file = match &self.place {
            SourcePlace::Stdin => return None,
            SourcePlace::Memory(bytes) => return Some(bytes.len() as u64),
            SourcePlace::File(path) => fs::metadata(path),
            SourcePlace::Spooled(file) => file.lock().unwrap_or_else(PoisonError::into_inner).metadata(),
        };
        file.ok().filter(fs::Metadata::is_file).map(|file| file.len())
    }

    /// Ensures that the stream can be opened more than once: reads standard input to its end and keeps it in memory or,
    /// if it is large, in an unnamed temporary file.
    ///
    /// # Errors
    ///
    /// Standard input cannot be read, or there is no room to keep it. It is empty afterwards, so that the error is
    /// reported only once.
    pub fn keep(&mut self) -> io::Result<()> {
        if let SourcePlace::Stdin = self.place {
            self.place = SourcePlace::Memory([].into());
            self.place = kept(io::stdin().lock(), KEPT_IN_MEMORY)?;
        }
        Ok(())
    }

    /// The beginning of the file up to `bytes`, kept in memory, and how many bytes were read. If the file is longer,
    /// the incomplete last line is left out.
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

/// How much of standard input is kept in memory, in bytes; longer input is kept in a file.
const KEPT_IN_MEMORY: u64 = 64 << 20;

/// Keeps a stream: up to `limit` bytes in memory, a longer one in a file.
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

/// A seekable reader.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Opens a file as a seekable reader.
pub fn seekable(path: &Path) -> io::Result<Box<dyn ReadSeek>> {
    Ok(Box::new(io::BufReader::new(File::open(path)?)))
}

/// Reads a stream to its end, and returns it as a seekable reader.
pub fn spooled(stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    Ok(match kept(stream, KEPT_IN_MEMORY)? {
        SourcePlace::Memory(bytes) => Box::new(io::Cursor::new(bytes)),
        SourcePlace::Spooled(file) => {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner).try_clone()?;
            file.rewind()?;
            Box::new(io::BufReader::new(file))
        }
        SourcePlace::Stdin | SourcePlace::File(_) => unreachable!("a kept stream is in memory or spooled"),
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

/// A reader of a file, or a reader that returns the data of a pipe, a device or a terminal as it arrives.
fn arriving(file: File) -> io::Result<Box<dyn Stream>> {
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_file() || kind.is_dir() { Box::new(file) } else { Box::new(Arriving::new(file)?) })
}

impl Stream for Spooled {}

/// A reader of bytes in memory.
struct Kept {
    bytes: Arc<[u8]>,
    at: usize,
}

impl Read for Kept {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl Stream for Kept {}

/// A reader of a kept file with its own position, because the shared file has only one.
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

    #[test]
    fn a_kept_stream_is_read_again_wherever_it_is_kept() {
        for limit in [3, 100] {
            let place = kept(&b"kind: Pod\n"[..], limit).unwrap();
            assert_eq!(matches!(place, SourcePlace::Spooled(_)), limit == 3);
            let source = Source { place, ..Source::stdin() };
            for _ in 0..2 {
                let mut text = String::new();
                source.open().unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "kind: Pod\n");
            }
        }
    }
}
