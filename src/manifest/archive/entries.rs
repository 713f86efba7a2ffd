//! The manifests of an archive, which a thread reads.

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::panic;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};

use ignore::overrides::Override;

use super::members::{Bytes, Failure, each_member, joined, last_name};
use crate::compression::{Decoder, Format, Started, damaged, formatted, is_after_the_end, start_of};
use crate::file_type::FileType;
use crate::look::{self, LOOK, Unopened};
use crate::source::Source;
use crate::stream;
use crate::stream::arriving::Stream;
use syntax::error::{Error, ErrorKind, Place};
use syntax::foreign::Foreign;

/// How many archives an archive may be inside.
const MAX_ARCHIVES: usize = 1;

/// How many pieces of an archive may wait to be processed.
const WAITING: usize = 4;

/// Files of this size or more are read block by block, in bytes.
pub(super) const LARGE: usize = 256 << 10;

/// The names of the files, other than manifests, in which collectors record when they ran (openshift/oc, inspect;
/// crust-gather), and how much of one is read, in bytes.
const RECORDS: [&str; 2] = ["timestamp", "collected.timestamp"];
const MAX_RECORD: u64 = 64 << 10;

/// How much of a large file is read at once, in bytes.
const CHUNK: usize = 256 << 10;

/// The limits of a run of small files: its bytes, which only the last file may exceed, and its files.
pub(super) const RUN_BYTES: usize = 1 << 20;
pub(super) const RUN_FILES: usize = 64;

/// The manifests of an archive, in its order. A thread reads them; it ends when this is dropped.
pub struct Entries {
    entries: Receiver<Entry>,
    /// The thread; `None` once it has ended.
    thread: Option<JoinHandle<()>>,
}

impl Entries {
    /// The manifests of this archive, whose bytes begin the stream.
    pub(super) fn of(
        archive: &Source,
        format: Format,
        mut stream: Started<Decoder<Box<dyn Stream>>>,
    ) -> io::Result<Self> {
        let (archive, is_compressed) = (archive.clone(), stream.rest.is_compressed());
        Self::read(move |pieces| {
            let name = Arc::clone(&archive.name);
            let (run, bytes, is_damaged, unopened) = (Vec::new(), 0, false, Unopened::default());
            let mut walk = ArchiveWalk { archive, is_compressed, pieces, run, bytes, is_damaged, unopened };
            if walk.archive(format, &mut stream, &name, 0).is_continue() {
                let _ = walk.flush();
            }
            *walk.archive.unopened.lock().unwrap_or_else(PoisonError::into_inner) = walk.unopened;
        })
    }

    /// The entries that `read` sends on a thread of its own.
    fn read(read: impl FnOnce(SyncSender<Entry>) + Send + 'static) -> io::Result<Self> {
        let (sender, entries) = sync_channel(WAITING);
        let thread = thread::Builder::new().spawn(move || read(sender))?;
        Ok(Self { entries, thread: Some(thread) })
    }
}

/// The text of a file, as sent by the thread that reads the archive.
struct Chunks {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.chunk.read(buffer)? {
                0 if !buffer.is_empty() => match self.chunks.recv() {
                    Ok(chunk) => self.chunk = Cursor::new(chunk?),
                    Err(_) => return Ok(0),
                },
                read => return Ok(read),
            }
        }
    }
}

impl Stream for Chunks {}

/// A piece of an archive.
pub enum Entry {
    /// A run of small files.
    Files(Vec<Source>),
    /// A large file and its text, which is read before the next entry.
    File(Box<Source>, Box<dyn Stream>),
    /// The name and the beginning of a file in which a collector records what it did.
    Record(String, Vec<u8>),
    /// A file or an archive that cannot be read. Everything before it is still read.
    Error(Error),
}

impl Iterator for Entries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let entry = self.entries.recv().ok();
        if entry.is_none()
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            // Its end is not that of the archive.
            panic::resume_unwind(panic);
        }
        entry
    }
}

/// A walk through an archive.
struct ArchiveWalk {
    /// The source of the archive.
    archive: Source,
    /// Whether it is compressed as a whole.
    is_compressed: bool,
    pieces: SyncSender<Entry>,
    /// Small files to be sent together, and their total size in bytes.
    run: Vec<Source>,
    bytes: usize,
    /// Whether the last file could not be read to its end.
    is_damaged: bool,
    /// How many files were not opened.
    unopened: Unopened,
}

impl ArchiveWalk {
    /// Sends the contents of an archive that is inside `depth` others. Breaks when the receiver is gone.
    fn archive(
        &mut self,
        format: Format,
        stream: &mut dyn Read,
        name: &str,
        depth: usize,
    ) -> ControlFlow<()> {
        let archive = self.archive.clone();
        let bytes = if depth == 0 { Bytes::of(&archive, self.is_compressed) } else { Bytes::Decompressed };
        each_member(format, stream, bytes, &mut |member| match member {
            Ok((path, text)) => {
                self.is_damaged = false;
                self.file(text, name, path, depth)
            }
            Err(Failure::Archive(reason)) => self.error(name, reason),
            // What would not be opened is not missed.
            Err(Failure::Member(path, _)) if !self.is_manifest(&path) => ControlFlow::Continue(()),
            Err(Failure::Member(path, reason)) => self.error(&joined(name, &path), reason),
            Err(Failure::Locked(path)) => self.locked(name, &path),
            // The file that breaks off has been reported.
            Err(Failure::After(..)) if self.is_damaged => ControlFlow::Continue(()),
            Err(Failure::After(last, error)) => self.damaged(name, &last, &error),
        })
    }

    /// Sends a file of the archive `name` if its own name is that of manifests.
    fn file(&mut self, stream: &mut dyn Read, name: &str, path: &str, depth: usize) -> ControlFlow<()> {
        let file = last_name(path);
        let file_type = FileType::of(file);
        if self.is_left_out(path) {
            return ControlFlow::Continue(());
        }
        let name = joined(name, path);
        let Some(file_type) = file_type else {
            let is_wanted = self.archive.overrules_names
                && self.archive.filter.as_ref().is_some_and(|filter| look::is_named(filter, path));
            return self.other_file(stream, &name, is_wanted || look::is_worthwhile(file), is_wanted);
        };
        if file_type == FileType::Manifest {
            return self.manifest(stream, &name);
        }
        if depth >= MAX_ARCHIVES {
            return self.error(&name, "archives inside archives of an archive are not read; unpack it first");
        }
        match formatted(stream) {
            Ok((Format::Stream, stream)) if stream.is_blank() => ControlFlow::Continue(()),
            Ok((format, mut stream)) => self.archive(format, &mut stream, &name, depth + 1),
            Err(error) => self.error(&name, error.to_string()),
        }
    }

    /// Sends a file whose name is not that of manifests if it is `wanted`, or if `may_look` and it begins with objects.
    fn other_file(
        &mut self,
        stream: &mut dyn Read,
        name: &str,
        may_look: bool,
        wanted: bool,
    ) -> ControlFlow<()> {
        let mut start = Vec::new();
        let read = if may_look { stream.take(LOOK as u64).read_to_end(&mut start) } else { Ok(0) };
        if let Some(record) = RECORDS.iter().find(|record| **record == last_name(name)) {
            let mut text = start.clone();
            if read.is_ok() && stream.take(MAX_RECORD).read_to_end(&mut text).is_ok() {
                self.send(Entry::Record((*record).to_owned(), text))?;
            }
        }
        match read {
            Err(error) => self.damaged(name, "", &error),
            Ok(_) if wanted || look::begins_with_objects(&start) => {
                self.manifest(&mut Cursor::new(start).chain(stream), name)
            }
            Ok(_) => {
                self.unopened += Unopened { all: 1, examined: usize::from(may_look) };
                ControlFlow::Continue(())
            }
        }
    }

    /// Sends a file with manifests: a small one as a whole, a large one block by block.
    fn manifest(&mut self, stream: &mut dyn Read, name: &str) -> ControlFlow<()> {
        let (start, rest) = match start_of(stream) {
            Ok(started) => started,
            Err(error) => return self.damaged(name, "", &error),
        };
        let mut stream = Decoder::new(start, rest);
        let mut start = Vec::new();
        let read = stream.by_ref().take(LARGE as u64).read_to_end(&mut start);
        let is_whole = start.len() < LARGE;
        if read.as_ref().is_err_and(|error| !is_after_the_end(error)) {
            start.truncate(stream::unbroken(&start));
        }
        if is_whole || read.is_err() {
            if !start.is_empty() {
                self.bytes += start.len();
                self.run.push(self.archive.entry(name, start));
                if self.bytes >= RUN_BYTES || self.run.len() >= RUN_FILES {
                    self.flush()?;
                }
            }
            return match read {
                Ok(_) => ControlFlow::Continue(()),
                Err(error) => self.damaged(name, "", &error),
            };
        }
        self.flush()?;
        let (chunks, text) = sync_channel(WAITING);
        self.send(Entry::File(
            Box::new(self.archive.entry(name, Vec::new())),
            Box::new(Chunks { chunks: text, chunk: Cursor::default() }),
        ))?;
        let mut chunk = Ok(start);
        loop {
            let is_last = chunk.as_ref().is_ok_and(|chunk| chunk.is_empty());
            let has_failed = chunk.is_err();
            // If the rest of this file is not wanted, the next file may be.
            if is_last || chunks.send(chunk).is_err() || has_failed {
                return ControlFlow::Continue(());
            }
            let mut next = Vec::with_capacity(CHUNK);
            chunk = stream.by_ref().take(CHUNK as u64).read_to_end(&mut next).map(|_| next);
        }
    }

    /// Sends the collected small files.
    fn flush(&mut self) -> ControlFlow<()> {
        self.bytes = 0;
        let run = std::mem::take(&mut self.run);
        if run.is_empty() { ControlFlow::Continue(()) } else { self.send(Entry::Files(run)) }
    }

    fn send(&self, entry: Entry) -> ControlFlow<()> {
        self.pieces.send(entry).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    /// Reports that the archive or file `name` cannot be read any further after its entry `last`.
    fn damaged(&mut self, name: &str, last: &str, error: &io::Error) -> ControlFlow<()> {
        self.is_damaged = true;
        match last {
            "" => self.error(name, damaged(error).to_string()),
            _ => self.error(name, format!("the file is damaged or truncated in or after {last}: {error}")),
        }
    }

    fn error(&mut self, name: &str, reason: impl Into<String>) -> ControlFlow<()> {
        self.flush()?;
        self.send(Entry::Error(unreadable(name, reason)))
    }

    /// Whether a file is read for its name.
    fn is_manifest(&self, path: &str) -> bool {
        FileType::of(last_name(path)).is_some() && !self.is_left_out(path)
    }

    /// Whether a file is hidden, or a glob drops it.
    fn is_left_out(&self, path: &str) -> bool {
        let is_hidden = |part: &str| part.starts_with('.') && !matches!(part, "." | "..");
        let dropped =
            |filter: &Arc<Override>| filter.matched(path.trim_start_matches(['.', '/']), false).is_ignore();
        path.split('/').any(is_hidden) || self.archive.filter.as_ref().is_some_and(dropped)
    }

    /// Reports that a file of the archive `name` needs a password. In an archive that the user did not name, that is no error,
    /// and what would not be opened is only counted.
    fn locked(&mut self, name: &str, path: &str) -> ControlFlow<()> {
        let file = last_name(path);
        if self.is_left_out(path) {
            return ControlFlow::Continue(());
        }
        if FileType::of(file).is_none() {
            self.unopened += Unopened::of(file);
            return ControlFlow::Continue(());
        }
        self.flush()?;
        let error = unreadable(&joined(name, path), Foreign::Locked.hint());
        self.send(Entry::Error(if self.archive.named { error } else { error.of_foreign(Foreign::Locked) }))
    }
}

fn unreadable(name: &str, reason: impl Into<String>) -> Error {
    let place = Place { source: name.into(), line: None, document: None };
    Error::new(place, ErrorKind::Io(Arc::new(io::Error::other(reason.into()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_while_an_archive_is_read_is_not_its_end() {
        let mut entries = Entries::read(|_| panic::resume_unwind(Box::new("impossible"))).unwrap();
        let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| entries.next().is_some())).unwrap_err();
        assert_eq!(panicked.downcast_ref(), Some(&"impossible"));
        assert!(entries.next().is_none());
    }
}
