//! One stream of manifests: a file, standard input, or a file of an archive.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::overrides::Override;

use super::archive::FileType;
use super::error::{Error, ErrorKind, Place};
use super::stream::MAX_DOCUMENT;
use super::stream::arriving::{Arriving, Stream};

/// The name of standard input in messages.
pub const STDIN: &str = "STDIN";

/// Tells `apiVersion` and `kind` of objects in a file of this path that say neither; `None` if it does not tell.
pub type TypeOfPath = fn(&str) -> Option<(String, String)>;

/// One stream of manifests.
#[derive(Clone, Debug)]
pub struct Source {
    /// How messages call it: the path as given or found, or [`STDIN`].
    pub name: Arc<str>,
    /// Whether the user named just this source. In one that a directory or glob gave, documents that are no
    /// Kubernetes objects are skipped.
    pub named: bool,
    /// The type of objects that say none, by the path of their file; `None` if the path does not tell.
    pub type_of_path: TypeOfPath,
    /// How large one of its documents may be, in bytes: [`MAX_DOCUMENT`].
    pub max_document: usize,
    /// The name of the source that is the archive it is from; `None` if it is from none.
    archive: Option<Arc<str>>,
    /// Which files of it are kept if it is an archive; `None` for all.
    pub(super) filter: Option<Arc<Override>>,
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
        Self {
            name: STDIN.into(),
            named: true,
            type_of_path: |_| None,
            max_document: MAX_DOCUMENT,
            archive: None,
            filter: None,
            place: SourcePlace::Stdin,
        }
    }

    /// A file. `named` says whether the user named just this one.
    pub(super) fn file(path: PathBuf, named: bool) -> Self {
        Self {
            name: shown(&path).into(),
            named,
            type_of_path: |_| None,
            max_document: MAX_DOCUMENT,
            archive: None,
            filter: None,
            place: SourcePlace::File(path),
        }
    }

    /// A file with this name and text in the archive that this source is.
    pub(super) fn entry(&self, name: &str, text: Vec<u8>) -> Self {
        let place = SourcePlace::Memory(text.into());
        Self {
            name: name.into(),
            named: false,
            archive: Some(Arc::clone(&self.name)),
            filter: None,
            type_of_path: self.type_of_path,
            max_document: self.max_document,
            place,
        }
    }

    /// The name of the source that the user can name: its own, or that of the archive it is from.
    pub fn container(&self) -> &Arc<str> {
        self.archive.as_ref().unwrap_or(&self.name)
    }

    /// Whether this is a file of an archive.
    pub fn is_entry(&self) -> bool {
        self.archive.is_some()
    }

    /// Whether the first bytes have to tell if this is an archive, because its name does not say that it is not.
    pub fn may_be_archive(&self) -> bool {
        self.archive.is_none() && !FileType::is_plain_manifest(&self.name)
    }

    /// A stream of `bytes` under this name, for manifests that are not in a file.
    pub fn memory(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.into(),
            named: true,
            type_of_path: |_| None,
            max_document: MAX_DOCUMENT,
            archive: None,
            filter: None,
            place: SourcePlace::Memory(bytes.into()),
        }
    }

    /// Whether this is standard input, kept or not.
    pub fn is_stdin(&self) -> bool {
        self.archive.is_none() && !matches!(self.place, SourcePlace::File(_))
    }

    /// The file's path; `None` for standard input.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            SourcePlace::File(path) => Some(path),
            _ => None,
        }
    }

    /// Opens the stream. Standard input can be opened once, unless it was kept.
    pub fn open(&self) -> io::Result<Box<dyn Stream>> {
        Ok(match &self.place {
            SourcePlace::Stdin => match stdin() {
                Ok(file) => arriving(file)?,
                Err(_) => Box::new(&[][..]), // It is closed.
            },
            // What a directory or a glob gave is a file.
            SourcePlace::File(path) if self.named => arriving(File::open(path)?)?,
            SourcePlace::File(path) => Box::new(File::open(path)?),
            SourcePlace::Memory(bytes) => Box::new(Kept { bytes: Arc::clone(bytes), at: 0 }),
            SourcePlace::Spooled(file) => Box::new(Spooled { file: Arc::clone(file), at: 0 }),
        })
    }

    /// How many bytes the stream has; `None` if only reading tells, as for standard input and pipes, and
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
pub(super) fn shown(path: &Path) -> String {
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

/// What can be read from any part of it.
pub(super) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A file, to be read from any part of it.
pub(super) fn seekable(path: &Path) -> io::Result<Box<dyn ReadSeek>> {
    Ok(Box::new(io::BufReader::new(File::open(path)?)))
}

/// A stream, read to its end, to be read from any part of it.
pub(super) fn spooled(stream: impl Read) -> io::Result<Box<dyn ReadSeek>> {
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

/// A reader of a text in memory.
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

#[cfg(test)]
mod tests {
    use super::*;

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
