//! Texts that are kept because their source is read only once: standard input, pipes, devices, what has to be decompressed,
//! and small files. They are kept in memory as far as there is room, and then in unnamed temporary files.
//!
//! What is read of a stream is kept for those who read it again, until one reads it for the last time.

use std::env;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::compression;
use super::stream::arriving::Stream;
use text::go;
use text::reason::reason;

/// How much is kept in memory, in bytes.
const KEPT_IN_MEMORY: usize = 64 << 20;

/// How much is read of a kept text at once, in bytes.
const CHUNK: usize = 1 << 20;

/// How many files stay open: less than the 256 that systems allow at least.
const OPEN_FILES: usize = 64;

/// The room in memory for all texts that a command keeps, the file of those short ones for which there is none, and the room
/// for open files.
#[derive(Debug)]
pub struct Room {
    left: AtomicUsize,
    open_files: AtomicUsize,
    spool: Mutex<Option<(Arc<File>, u64)>>,
}

impl Default for Room {
    fn default() -> Self {
        let (left, open_files) = (AtomicUsize::new(KEPT_IN_MEMORY), AtomicUsize::new(OPEN_FILES));
        Self { left, open_files, spool: Mutex::default() }
    }
}

impl Room {
    /// Takes room for `length` bytes in memory. Returns whether there was that much.
    pub fn take(&self, length: usize) -> bool {
        take(&self.left, length)
    }

    /// Takes room for an open file. Returns whether there was any.
    pub fn may_stay_open(&self) -> bool {
        take(&self.open_files, 1)
    }

    /// Writes a text to the file. Returns where in it the text is.
    ///
    /// # Errors
    ///
    /// The file cannot be created or written.
    pub fn spool(&self, text: &[u8]) -> io::Result<FilePart> {
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, length) = match &mut *spool {
            Some(spool) => spool,
            none => none.insert((Arc::new(temporary_file()?), 0)),
        };
        (&**file).write_all(text)?;
        let start = *length;
        *length += text.len() as u64;
        Ok(FilePart { file: Arc::clone(file), rest: start..*length })
    }
}

/// A part of an open file, and a reader of it with its own position.
#[derive(Clone, Debug)]
pub struct FilePart {
    file: Arc<File>,
    rest: Range<u64>,
}

impl FilePart {
    /// This range of a file, in bytes.
    pub fn new(file: File, rest: Range<u64>) -> Self {
        Self { file: Arc::new(file), rest }
    }

    /// The length in bytes.
    pub fn length(&self) -> u64 {
        self.rest.end - self.rest.start
    }
}

impl Read for FilePart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = usize::try_from(self.length()).unwrap_or(usize::MAX).min(buffer.len());
        let read = read_at(&self.file, self.rest.start, &mut buffer[..length])?;
        self.rest.start += read as u64;
        Ok(read)
    }
}

impl Stream for FilePart {}

/// An unnamed temporary file.
///
/// # Errors
///
/// It cannot be created.
pub fn temporary_file() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| {
        let (directory, reason) = (env::temp_dir(), reason(&error));
        let directory = go::printable(&directory.to_string_lossy()).into_owned();
        io::Error::new(error.kind(), format!("no temporary file can be made in {directory}: {reason}"))
    })
}

/// Takes as much from what is left. Returns whether there was that much.
fn take(left: &AtomicUsize, amount: usize) -> bool {
    let less = |left: usize| left.checked_sub(amount);
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
}

/// Opens a stream.
pub type Open = Box<dyn FnOnce() -> io::Result<Box<dyn Stream>> + Send>;

/// A stream that can be opened only once, and what has been read of it.
pub struct Once(Mutex<State>);

struct State {
    /// The beginning of the stream.
    kept: Kept,
    /// The number of bytes after it that were read for the last time.
    lost: u64,
    rest: Rest,
}

/// What follows the beginning.
enum Rest {
    /// The whole stream.
    Unopened(Open),
    Open(Box<dyn Stream>),
    Failed(io::Error),
    /// Nothing.
    Ended,
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl Once {
    /// The stream that `open` opens when it is first read.
    pub fn new(open: Open, room: Arc<Room>) -> Self {
        Self(Mutex::new(State { kept: Kept::new(room), lost: 0, rest: Rest::Unopened(open) }))
    }

    /// A reader from the beginning. Unless this is the last time, what it reads is kept for the next one.
    ///
    /// # Errors
    ///
    /// Those of its reads: the stream cannot be opened or read, what was read cannot be kept, or it was read for the last
    /// time before.
    pub fn reader(self: &Arc<Self>, is_last: bool) -> OnceReader {
        OnceReader { once: Arc::clone(self), at: 0, is_last }
    }

    /// Keeps what is read in this room.
    pub fn share_room(&self, room: &Arc<Room>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).kept.room = Arc::clone(room);
    }

    /// The length of the stream in bytes; `None` unless all of it was read and kept.
    pub fn length(&self) -> Option<u64> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (matches!(state.rest, Rest::Ended) && state.lost == 0).then_some(state.kept.length)
    }
}

/// A reader of a [`Once`].
#[derive(Debug)]
pub struct OnceReader {
    once: Arc<Once>,
    at: u64,
    is_last: bool,
}

impl Stream for OnceReader {
    fn is_ready(&mut self) -> bool {
        let state = &mut *self.once.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut state.rest {
            Rest::Open(stream) if self.at >= state.kept.length => stream.is_ready(),
            Rest::Unopened(_) => false,
            _ => true,
        }
    }

    fn read_some(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let mut state = self.once.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = bytes.len();
        if self.at < state.kept.length {
            state.kept.read(self.at, most.min(CHUNK), bytes)?;
            self.at += (bytes.len() - before) as u64;
            return Ok(false);
        }
        if self.at < state.kept.length + state.lost {
            return Err(io::Error::other("this can be read only once"));
        }
        let ended = state.read_on(most, bytes);
        let read = &bytes[before..];
        self.at += read.len() as u64;
        if self.is_last {
            state.lost += read.len() as u64;
        } else if let Err(error) = state.kept.add(read) {
            state.rest = Rest::Failed(compression::same(&error));
            return Err(error);
        }
        ended
    }
}

impl Read for OnceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::new();
        while !buffer.is_empty() && bytes.is_empty() && !self.read_some(buffer.len(), &mut bytes)? {}
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl State {
    /// Reads on where nobody has read.
    fn read_on(&mut self, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if matches!(self.rest, Rest::Unopened(_))
            && let Rest::Unopened(open) = std::mem::replace(&mut self.rest, Rest::Ended)
        {
            self.rest = open().map_or_else(Rest::Failed, Rest::Open);
        }
        match &mut self.rest {
            Rest::Open(stream) => match stream.read_some(most, bytes) {
                Ok(false) => return Ok(false),
                Ok(true) => self.rest = Rest::Ended,
                Err(error) => self.rest = Rest::Failed(error),
            },
            Rest::Unopened(_) | Rest::Failed(..) | Rest::Ended => (),
        }
        match &self.rest {
            Rest::Failed(error) => Err(compression::same(error)),
            _ => Ok(true),
        }
    }
}

/// A text that grows, in memory or, if it is long, in a file.
#[derive(Debug, Default)]
pub struct Kept {
    memory: Vec<u8>,
    file: Option<File>,
    length: u64,
    room: Arc<Room>,
}

impl Kept {
    fn new(room: Arc<Room>) -> Self {
        Self { memory: Vec::new(), file: None, length: 0, room }
    }

    /// All of a stream.
    ///
    /// # Errors
    ///
    /// The stream cannot be read, or there is no room to keep it.
    pub fn all(mut stream: impl Read) -> io::Result<Self> {
        let (mut kept, mut chunk) = (Self::default(), Vec::new());
        while stream.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)? > 0 {
            kept.add(&chunk)?;
            chunk.clear();
        }
        Ok(kept)
    }

    /// Appends a text, and returns where it is.
    ///
    /// # Errors
    ///
    /// There is no room to keep it.
    pub fn append(&mut self, text: &[u8]) -> io::Result<KeptPart> {
        let at = self.length;
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        self.add(text).map(|()| KeptPart { at, length })
    }

    /// A text that was appended.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn part(&self, KeptPart { at, length }: KeptPart) -> io::Result<Vec<u8>> {
        let (length, mut text) = (length as usize, Vec::new());
        while text.len() < length {
            let before = text.len();
            self.read(at + before as u64, length - before, &mut text)?;
            if text.len() == before {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(text)
    }

    fn add(&mut self, text: &[u8]) -> io::Result<()> {
        if self.file.is_none() && !self.room.take(text.len()) {
            let mut file = temporary_file()?;
            file.write_all(&self.memory)?;
            (self.memory, self.file) = (Vec::new(), Some(file));
        }
        match &mut self.file {
            Some(file) => file.write_all(text)?,
            None => self.memory.extend_from_slice(text),
        }
        self.length += text.len() as u64;
        Ok(())
    }

    /// Appends up to `most` bytes from `at` on to `bytes`.
    fn read(&self, at: u64, most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        if let Some(file) = &self.file {
            let before = bytes.len();
            bytes.resize(before + most, 0);
            let read = read_at(file, at, &mut bytes[before..]);
            bytes.truncate(before + *read.as_ref().unwrap_or(&0));
            return read.map(drop);
        }
        let rest = usize::try_from(at).ok().and_then(|at| self.memory.get(at..)).unwrap_or_default();
        bytes.extend_from_slice(&rest[..rest.len().min(most)]);
        Ok(())
    }

    /// Writes all of it to `out`.
    ///
    /// # Errors
    ///
    /// It cannot be read or written.
    pub fn write_to(self, out: &mut dyn Write) -> io::Result<()> {
        match self.into_parts() {
            Err(memory) => out.write_all(&memory),
            Ok(mut file) => file.rewind().and_then(|()| io::copy(&mut file, out)).map(drop),
        }
    }

    /// The text as a file, if it is one, or in memory.
    pub fn into_parts(self) -> Result<File, Vec<u8>> {
        self.file.ok_or(self.memory)
    }
}

impl Write for Kept {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.add(text).map(|()| text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a text is in a longer one.
#[derive(Clone, Copy, Debug)]
pub struct KeptPart {
    at: u64,
    length: u32,
}

/// Reads up to the length of `buffer` from this offset of a file. Does not move the position of the file.
#[cfg(unix)]
pub fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads up to the length of `buffer` from this offset of a file.
#[cfg(windows)]
pub fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(text: &'static [u8]) -> Arc<Once> {
        Arc::new(Once::new(Box::new(move || Ok(Box::new(text))), Arc::default()))
    }

    fn read(mut reader: OnceReader) -> Result<String, String> {
        let mut text = String::new();
        reader.read_to_string(&mut text).map(|_| text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_read_is_kept_until_the_last_time() {
        let once = once(b"kind: Pod\n");
        assert_eq!(once.length(), None);
        // One that breaks off keeps what it has read.
        once.reader(false).read_some(4, &mut Vec::new()).unwrap();
        assert_eq!(once.length(), None);
        for is_last in [false, false, true, false] {
            assert_eq!(read(once.reader(is_last)), Ok("kind: Pod\n".to_owned()));
            assert_eq!(once.length(), Some(10));
        }
    }

    #[test]
    fn what_passed_for_the_last_time_is_an_error() {
        let once = once(b"kind: Pod\n");
        once.reader(false).read_some(4, &mut Vec::new()).unwrap();
        assert_eq!(read(once.reader(true)), Ok("kind: Pod\n".to_owned()));
        assert_eq!(read(once.reader(false)), Err("this can be read only once".to_owned()));
    }

    #[test]
    fn what_cannot_be_opened_fails_each_time() {
        let once = Arc::new(Once::new(Box::new(|| Err(io::Error::other("gone"))), Arc::default()));
        for _ in 0..2 {
            assert_eq!(read(once.reader(false)), Err("gone".to_owned()));
        }
    }

    #[test]
    fn short_texts_follow_each_other_in_the_file() {
        let room = Room::default();
        let spots = ["a", "bc"].map(|text| room.spool(text.as_bytes()).unwrap());
        assert_eq!(spots.map(|part| part.rest), [0..1, 1..3]);
    }

    #[test]
    fn parts_of_a_text_are_found_again_in_memory_and_in_a_file() {
        for room in [3, 100] {
            let room = Room { left: AtomicUsize::new(room), ..Room::default() };
            let mut kept = Kept::new(Arc::new(room));
            let parts = ["a", "", "bcd"].map(|text| kept.append(text.as_bytes()).unwrap());
            assert_eq!(parts.map(|part| kept.part(part).unwrap()), [&b"a"[..], b"", b"bcd"]);
        }
    }

    #[test]
    fn a_long_text_is_kept_in_a_file() {
        let mut kept = Kept::new(Arc::default());
        let text: Vec<u8> = (0..KEPT_IN_MEMORY + 3).map(|at| at as u8).collect();
        text.chunks(CHUNK - 1).for_each(|chunk| kept.add(chunk).unwrap());
        let mut read = Vec::new();
        while read.len() < text.len() {
            kept.read(read.len() as u64, CHUNK, &mut read).unwrap();
        }
        assert!(kept.file.is_some() && read == text);
    }
}
