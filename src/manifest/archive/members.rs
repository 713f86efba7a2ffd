//! The files in an archive: tar or zip.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use zip::result::ZipError;

use crate::compression::Format;
use crate::source::{MAX_DOCUMENT, Source, seekable, spooled, spooled_up_to};

/// What [`each_member`] calls with the path of each file and its text, or with a failure.
pub(super) type MemberVisitor<'v> = dyn FnMut(Result<(&str, &mut dyn Read), Failure>) -> ControlFlow<()> + 'v;

/// Why an archive, or a file in it, cannot be read.
pub(super) enum Failure {
    /// The archive cannot be opened.
    Archive(String),
    /// It cannot be read any further after the file with this path, empty if it is the first.
    After(String, io::Error),
    /// The file with this path cannot be read. Others can.
    Member(String, String),
    /// The file with this path cannot be read without a password.
    Locked(String),
}

/// Where the bytes of an archive are.
#[derive(Clone, Copy)]
pub(super) enum Bytes<'p> {
    /// In the file with this path.
    File(&'p Path),
    /// In a stream that is not compressed.
    Stream,
    /// In a stream that is decompressed, where few bytes may stand for many.
    Decompressed,
}

impl<'p> Bytes<'p> {
    /// Those of an archive that is a source of its own.
    pub(super) fn of(source: &'p Source, is_compressed: bool) -> Self {
        match source.path() {
            _ if is_compressed => Self::Decompressed,
            Some(path) => Self::File(path),
            None => Self::Stream,
        }
    }
}

/// Calls `visit` with each file of an archive until it breaks. Links and devices are none: the target of a link is either
/// read anyway or outside the archive.
pub(super) fn each_member(
    format: Format,
    stream: &mut dyn Read,
    bytes: Bytes<'_>,
    visit: &mut MemberVisitor<'_>,
) -> ControlFlow<()> {
    match format {
        Format::Tar => each_of_tar(stream, visit),
        Format::Zip => each_of_zip(stream, bytes, visit),
        Format::Stream => {
            let reason = "this is not an archive that kselect reads: tar or zip";
            visit(Err(Failure::Archive(reason.to_owned())))
        }
    }
}

fn each_of_tar(stream: &mut dyn Read, visit: &mut MemberVisitor<'_>) -> ControlFlow<()> {
    let mut archive = tar::Archive::new(stream);
    let mut last = String::new();
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return visit(Err(Failure::After(last, error))),
    };
    for entry in entries {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => return visit(Err(Failure::After(last, error))),
        };
        last = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type().is_file() {
            visit(Ok((&last, &mut entry)))?;
        }
    }
    ControlFlow::Continue(())
}

fn each_of_zip(stream: &mut dyn Read, bytes: Bytes<'_>, visit: &mut MemberVisitor<'_>) -> ControlFlow<()> {
    // The directory of a zip archive is at its end, so the file must be seekable. A path may also be that of a pipe.
    let file = match bytes {
        Bytes::File(path) if path.is_file() => seekable(path),
        Bytes::File(_) | Bytes::Stream => spooled(stream),
        Bytes::Decompressed => spooled_up_to(MAX_DOCUMENT as u64, stream),
    };
    let mut archive = match file.map_err(|error| error.to_string()).and_then(zip_archive) {
        Ok(archive) => archive,
        Err(reason) => return visit(Err(Failure::Archive(reason))),
    };
    for number in 0..archive.len() {
        let path = archive.name_for_index(number).and_then(Result::ok).unwrap_or_default().into_owned();
        match archive.by_index(number) {
            Ok(mut entry) if entry.is_file() => visit(Ok((&path, &mut entry)))?,
            Ok(_) => (),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                visit(Err(Failure::Locked(path)))?;
            }
            Err(error) => visit(Err(Failure::Member(path, format!("this cannot be read: {error}"))))?,
        }
    }
    ControlFlow::Continue(())
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
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The name of a file in an archive.
pub(super) fn joined(archive: &str, path: &str) -> String {
    format!("{archive}/{}", path.strip_prefix("./").unwrap_or(path))
}
