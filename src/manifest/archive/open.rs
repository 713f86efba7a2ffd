//! Opening a source: a stream, or the entries of an archive.

use std::io;
use std::sync::Arc;

use syntax::error::Error;

use super::entries::{Entries, Entry, LARGE, RUN_BYTES, RUN_FILES};
use super::members::{Bytes, is_named_as_one, is_of_git, last_name};
use crate::compression::{Format, formatted};
use crate::source::{Contents, Pass, Source};
use crate::stream::arriving::Stream;

/// An open source.
pub enum Opened {
    /// A stream of manifests.
    Stream(Box<dyn Stream>),
    /// An archive, or a compressed file as its only file.
    Archive(Box<dyn Iterator<Item = Entry> + Send>),
}

/// Opens a source and determines by its first bytes whether it is an archive. Unless this is the last time, what an archive
/// contains is kept, so that it is decompressed once.
///
/// # Errors
///
/// The source cannot be opened or read.
pub fn open(source: &Source, pass: Pass) -> io::Result<Opened> {
    if source.contents().is_some() {
        return Ok(Opened::Archive(Box::new(KeptEntries { source: source.clone(), next: 0 })));
    }
    let (mut format, mut stream) = formatted(source.open(Pass::Earlier)?)?;
    let is_compressed = stream.rest.is_compressed();
    if format == Format::Stream && !is_compressed {
        return match stream.is_blank() && is_named_as_one(&source.name) {
            true => Ok(Opened::Stream(Box::new(&[][..]))),
            // Nothing but the beginning has been read and kept.
            false => source.open(pass).map(Opened::Stream),
        };
    }
    if source.is_stream() {
        // What is kept is decompressed.
        (format, stream) = formatted(source.open(Pass::Last)?)?;
    }
    if format == Format::Stream {
        let mut file = source.clone();
        file.is_decompressed = true;
        let file = file.with_stream(Box::new(stream));
        return Ok(Opened::Archive(match pass {
            Pass::Last => Box::new(file.open(pass).map(|text| Entry::File(Box::new(file), text)).into_iter()),
            Pass::Earlier | Pass::Text => {
                source.keep_contents(Contents { files: vec![Ok(file)], records: Vec::new() });
                Box::new(KeptEntries { source: source.clone(), next: 0 })
            }
        }));
    }
    let entries = Entries::of(source, format, stream)?;
    if pass == Pass::Last {
        return Ok(Opened::Archive(Box::new(entries)));
    }
    source.keep_contents(contents(source, entries));
    Ok(Opened::Archive(Box::new(KeptEntries { source: source.clone(), next: 0 })))
}

/// Replaces the archives that the user names by their files, if they are of repositories with a file whose name is `wanted`,
/// which matters to the others as it does in a directory. Only what Git archived is looked into: a dump is read once. One
/// that cannot be read to its end is left as it is.
pub fn unpack_repositories(sources: &mut Vec<Source>, wanted: impl Fn(&str) -> bool) {
    let files_of = |archive: &Source| {
        let (format, mut stream) = formatted(archive.open(Pass::Earlier).ok()?).ok()?;
        let bytes = Bytes::of(archive, stream.rest.is_compressed());
        if format == Format::Stream || !is_of_git(format, &mut stream, bytes) {
            return None;
        }
        open(archive, Pass::Earlier).ok()?;
        let files = archive.contents()?.files.iter().cloned();
        let mut files: Vec<Source> = files.collect::<Result<_, _>>().ok()?;
        if !files.iter().any(|file| wanted(last_name(&file.name))) {
            return None;
        }
        // What was not opened is counted once.
        if let Some(first) = files.first_mut() {
            first.unopened = Arc::clone(&archive.unopened);
        }
        Some(files)
    };
    let is_one = |source: &Source| source.named && source.may_be_archive();
    if sources.iter().any(is_one) {
        let unpacked = |source: Source| {
            let files = if is_one(&source) { files_of(&source) } else { None };
            files.unwrap_or_else(|| vec![source])
        };
        *sources = std::mem::take(sources).into_iter().flat_map(unpacked).collect();
    }
}

/// Reads an archive to its end.
fn contents(archive: &Source, entries: Entries) -> Contents {
    let mut contents = Contents::default();
    let failed = |error| archive.error(error);
    for entry in entries {
        match entry {
            Entry::Files(files) => {
                contents.files.extend(files.into_iter().map(|file| file.with_room().map_err(failed)));
            }
            Entry::File(file, text) => {
                let file = file.with_stream(text);
                // Its errors are kept with it.
                let _ = file.open(Pass::Earlier).and_then(|mut text| io::copy(&mut text, &mut io::sink()));
                contents.files.push(Ok(file));
            }
            Entry::Error(error) => contents.files.push(Err(error)),
            Entry::Record(name, text) => contents.records.push((name, text)),
        }
    }
    contents
}

/// The entries of an archive whose contents were kept.
struct KeptEntries {
    source: Source,
    /// The index of the next one.
    next: usize,
}

impl Iterator for KeptEntries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let files = &self.source.contents()?.files[self.next..];
        let mut bytes = 0;
        let is_small = |file: &&Result<Source, Error>| {
            let length = file.as_ref().ok().and_then(Source::size).unwrap_or(u64::MAX);
            let fits = bytes < RUN_BYTES as u64 && length < LARGE as u64;
            bytes = bytes.saturating_add(length);
            fits && file.as_ref().is_ok_and(|file| !file.is_decompressed)
        };
        let run = files.iter().take(RUN_FILES).take_while(is_small).count();
        if run > 0 {
            self.next += run;
            return Some(Entry::Files(files[..run].iter().flatten().cloned().collect()));
        }
        let entry = match files.first()? {
            Ok(file) => match file.open(Pass::Earlier) {
                Ok(text) => Entry::File(Box::new(file.clone()), text),
                Err(error) => Entry::Error(file.error(error)),
            },
            Err(error) => Entry::Error(error.clone()),
        };
        self.next += 1;
        Some(entry)
    }
}
