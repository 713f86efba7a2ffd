//! Reads archives as directories and compressed files as files. Both are streamed and never unpacked to named files.
//! Links and devices are not followed. Of files whose names are not those of manifests, the first bytes decide whether they
//! are read.

use std::io::{self, Cursor, Read, Seek};
use std::ops::ControlFlow;
use std::panic;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};

use ignore::overrides::Override;

use super::compression::{Decoder, Format, damaged, formatted, is_after_the_end, start_of};
use super::error::{Error, ErrorKind, Place};
use super::file_type::FileType;
use super::look::{self, LOOK, Unopened};
use super::source::{self, Source};
use super::stream;
use super::stream::arriving::Stream;

/// How many archives an archive may be inside.
const MAX_ARCHIVES: usize = 1;

/// How many pieces of an archive may wait to be processed.
const WAITING: usize = 4;

/// Files of this size or more are read block by block, in bytes.
const LARGE: usize = 256 << 10;

/// How much of a large file is read at once, in bytes.
const CHUNK: usize = 256 << 10;

/// The limits of a run of small files: its bytes, which only the last file may exceed, and its files.
const RUN_BYTES: usize = 1 << 20;
const RUN_FILES: usize = 64;

/// An open source.
pub enum Opened {
    /// A stream of manifests, decompressed, and whether it was compressed.
    Stream(Box<dyn Stream>, bool),
    /// An archive.
    Archive(Entries),
}

/// The manifests of an archive, in its order. A thread reads them; it ends when this is dropped.
pub struct Entries {
    entries: Receiver<Entry>,
    /// The thread; `None` once it has ended.
    thread: Option<JoinHandle<()>>,
}

impl Entries {
    /// The entries that `read` sends on a thread of its own.
    fn read(read: impl FnOnce(SyncSender<Entry>) + Send + 'static) -> io::Result<Self> {
        let (sender, entries) = sync_channel(WAITING);
        let thread = thread::Builder::new().spawn(move || read(sender))?;
        Ok(Self { entries, thread: Some(thread) })
    }
}

/// The text of a file, as sent by the thread that reads the archive.
pub struct Chunks {
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
    /// A large file and its text.
    File(Source, Chunks),
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

/// Opens a source and determines by its first bytes whether it is an archive.
///
/// # Errors
///
/// The source cannot be opened or read.
pub fn open(source: &Source) -> io::Result<Opened> {
    let (format, mut stream) = formatted(source.open()?)?;
    if format == Format::Stream {
        let is_compressed = stream.rest.is_compressed();
        return Ok(Opened::Stream(Box::new(stream), is_compressed));
    }
    let archive = source.clone();
    let is_seekable = !stream.rest.is_compressed();
    let entries = Entries::read(move |pieces| {
        let name = Arc::clone(&archive.name);
        let (run, bytes, is_damaged, unopened) = (Vec::new(), 0, false, Unopened::default());
        let mut walk = ArchiveWalk { archive, is_seekable, pieces, run, bytes, is_damaged, unopened };
        if walk.archive(format, &mut stream, &name, 0).is_continue() {
            let _ = walk.flush();
        }
        *walk.archive.unopened.lock().unwrap_or_else(PoisonError::into_inner) = walk.unopened;
    })?;
    Ok(Opened::Archive(entries))
}

/// The name and text of each file in an archive whose name is `wanted`, up to `most` bytes each; empty if the source is
/// not an archive, cannot be read, or can be read only once.
pub fn texts(source: &Source, wanted: fn(&str) -> bool, most: usize) -> Vec<(String, Vec<u8>)> {
    let mut texts = Vec::new();
    let mut visit = |path: &str, file: &mut dyn Read| {
        let (name, mut text) = (last_name(path), Vec::new());
        if wanted(name) && file.take(most as u64).read_to_end(&mut text).is_ok() {
            texts.push((name.to_owned(), text));
        }
        ControlFlow::Continue(())
    };
    if source.size().is_some() {
        // What was read before an error is kept.
        let _ = each_file(source, &mut visit);
    }
    texts
}

/// What [`each_file`] calls with the path of a file and its text.
pub type FileVisitor<'v> = dyn FnMut(&str, &mut dyn Read) -> ControlFlow<()> + 'v;

/// Calls `visit` with each file of an archive, also of archives in it, until it breaks. Returns the text, decompressed, of a
/// source that is no archive.
///
/// # Errors
///
/// The source or the archive cannot be read.
pub fn each_file(source: &Source, visit: &mut FileVisitor<'_>) -> io::Result<Option<Box<dyn Read>>> {
    let (format, mut stream) = formatted(source.open()?)?;
    if format == Format::Stream {
        return Ok(Some(Box::new(stream)));
    }
    files_in(format, &mut stream, source.path(), "", visit).map(|_| None)
}

/// The directory at the top of an archive that its first file is in; `None` if there is none, or if the archive cannot be read.
pub fn root(source: &Source) -> Option<String> {
    let mut root = None;
    let mut visit = |path: &str, _: &mut dyn Read| {
        let top = path.trim_start_matches("./").split_once('/').map(|(top, _)| top.to_owned());
        root = top;
        ControlFlow::Break(())
    };
    each_file(source, &mut visit).ok()?;
    root
}

/// Whether a file in a directory is an archive by its name.
pub fn is_named_as_one(path: &str) -> bool {
    FileType::of(last_name(path)) == Some(FileType::Archive)
}

/// As [`each_file`], for an open archive. `file` is the archive itself, `inside` its path in another one.
fn files_in(
    format: Format,
    stream: &mut dyn Read,
    file: Option<&std::path::Path>,
    inside: &str,
    visit: &mut FileVisitor<'_>,
) -> io::Result<ControlFlow<()>> {
    let mut each = |path: &str, text: &mut dyn Read| -> io::Result<ControlFlow<()>> {
        let name = last_name(path);
        let path = if inside.is_empty() { path.to_owned() } else { joined(inside, path) };
        if inside.is_empty() && FileType::of(name) == Some(FileType::Archive) {
            let (format, mut stream) = formatted(text)?;
            return match format {
                Format::Stream => Ok(ControlFlow::Continue(())),
                _ => files_in(format, &mut stream, None, &path, visit),
            };
        }
        Ok(visit(&path, text))
    };
    if format == Format::Tar {
        for entry in tar::Archive::new(stream).entries()? {
            let mut entry = entry?;
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if entry.header().entry_type().is_file() && each(&path, &mut entry)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        return Ok(ControlFlow::Continue(()));
    }
    let seekable = match file {
        Some(path) => source::seekable(path)?,
        None => source::spooled(stream)?,
    };
    let mut archive = zip_archive(seekable).map_err(io::Error::other)?;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(io::Error::other)?;
        let path = entry.name().map_err(io::Error::other)?.into_owned();
        if entry.is_file() && each(&path, &mut entry)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// A walk through an archive.
struct ArchiveWalk {
    /// The source of the archive.
    archive: Source,
    /// Whether it is not compressed as a whole, so that its file can be read at any offset.
    is_seekable: bool,
    pieces: SyncSender<Entry>,
    /// Small files to be sent together, and their total size in bytes.
    run: Vec<Source>,
    bytes: usize,
    /// Whether the current stream cannot be read any further.
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
        match format {
            Format::Tar => self.tar(stream, name, depth),
            Format::Zip => self.zip(stream, name, depth),
            Format::Stream => self.error(name, "this is not an archive that kselect reads: tar or zip"),
        }
    }

    fn tar(&mut self, stream: &mut dyn Read, name: &str, depth: usize) -> ControlFlow<()> {
        let mut archive = tar::Archive::new(stream);
        let mut last = String::new();
        let entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => return self.damaged(name, &last, &error),
        };
        for entry in entries {
            let mut entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.damaged(name, &last, &error),
            };
            last = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            // The target of a link is either read anyway or outside the archive.
            if entry.header().entry_type().is_file() {
                self.file(&mut entry, name, &last, depth)?;
            }
            if self.is_damaged {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    fn zip(&mut self, stream: &mut dyn Read, name: &str, depth: usize) -> ControlFlow<()> {
        // The directory of a zip archive is at its end, so the file must be seekable.
        let file = match self.archive.path().filter(|_| depth == 0 && self.is_seekable) {
            Some(path) => source::seekable(path),
            None => source::spooled(stream),
        };
        let mut archive = match file.map_err(|error| error.to_string()).and_then(zip_archive) {
            Ok(archive) => archive,
            Err(reason) => return self.error(name, reason),
        };
        for number in 0..archive.len() {
            self.is_damaged = false;
            let path = archive.name_for_index(number).and_then(Result::ok).unwrap_or_default().into_owned();
            match archive.by_index(number) {
                Ok(mut entry) if entry.is_file() => self.file(&mut entry, name, &path, depth)?,
                Ok(_) => (),
                Err(error) => self.error(&joined(name, &path), format!("this cannot be read: {error}"))?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Sends a file of the archive `name` if its own name is that of manifests.
    fn file(&mut self, stream: &mut dyn Read, name: &str, path: &str, depth: usize) -> ControlFlow<()> {
        let is_hidden = |part: &str| part.starts_with('.') && !matches!(part, "." | "..");
        let file = last_name(path);
        let file_type = FileType::of(file);
        let dropped =
            |filter: &Arc<Override>| filter.matched(path.trim_start_matches(['.', '/']), false).is_ignore();
        let is_left_out = path.split('/').any(is_hidden) || self.archive.filter.as_ref().is_some_and(dropped);
        if is_left_out {
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
            Ok((Format::Stream, stream)) if stream.is_used_up() => ControlFlow::Continue(()), // It is empty.
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
            self.archive.entry(name, Vec::new()),
            Chunks { chunks: text, chunk: Cursor::default() },
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
        match self.pieces.send(entry) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
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
        let place = Place { source: name.into(), line: None, document: None };
        let kind = ErrorKind::Io(Arc::new(io::Error::other(reason.into())));
        self.send(Entry::Error(Error::new(place, kind)))
    }
}

/// Opens a zip archive; the error says why it is not read.
fn zip_archive<R: Read + Seek>(file: R) -> Result<zip::ZipArchive<R>, String> {
    let damaged = |error| format!("the archive is damaged: {error}");
    let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
    match have_overlaps(&mut archive) {
        true => Err("files of this archive overlap, so that it unpacks to far more than its size".to_owned()),
        false => Ok(archive),
    }
}

/// Whether files of an archive share text, so that reading all of them could take for ever. Files whose beginning cannot
/// be read are reported when it is their turn.
fn have_overlaps(archive: &mut zip::ZipArchive<impl Read + Seek>) -> bool {
    let count = archive.len();
    let range = |number| {
        let file = archive.by_index_raw(number).ok()?;
        let start = file.data_start()?;
        Some((start, start.saturating_add(file.compressed_size())))
    };
    let mut ranges: Vec<(u64, u64)> = (0..count).filter_map(range).collect();
    ranges.retain(|(start, end)| start < end);
    ranges.sort_unstable();
    ranges.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

/// The last name in the path of a file.
fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The name of a file in an archive.
fn joined(archive: &str, path: &str) -> String {
    format!("{archive}/{}", path.strip_prefix("./").unwrap_or(path))
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
