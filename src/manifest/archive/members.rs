//! The files in an archive: tar or zip.

use std::collections::HashSet;
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use zip::result::ZipError;

use crate::compression::Format;
use crate::file_type::FileType;
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

/// Whether a file in a directory is an archive by its name.
pub fn is_named_as_one(path: &str) -> bool {
    FileType::of(last_name(path)) == Some(FileType::Archive)
}

/// Calls `visit` with each file of an archive until it breaks. A link is none if its target is a file of the archive, which
/// is read anyway; other links, devices and what is unknown cannot be read.
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
    let (mut paths, mut links) = (HashSet::new(), Vec::new());
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
        match Member::of(&mut entry, &last) {
            Member::File => {
                paths.insert(normal(&last));
                visit(Ok((&last, &mut entry)))?;
            }
            Member::Link(target) => links.push((last.clone(), target)),
            Member::Unreadable(reason) => visit(Err(Failure::Member(last.clone(), reason.to_owned())))?,
            Member::Nothing => (),
        }
    }
    let is_missing = |(_, target): &(String, String)| !paths.contains(target);
    links.into_iter().filter(is_missing).try_for_each(|(path, _)| {
        let reason = "this links to a file that is not in the archive";
        visit(Err(Failure::Member(path, reason.to_owned())))
    })
}

/// What a member of a tar archive is.
enum Member {
    File,
    /// A link to the file with this path.
    Link(String),
    /// For this reason.
    Unreadable(&'static str),
    /// A directory, or a description of other members.
    Nothing,
}

impl Member {
    /// What the member at `path` is. Sparse files are read with their holes, and contiguous files and those of unknown types
    /// as files, as POSIX has it (pax, ustar Interchange Format, typeflag).
    fn of(entry: &mut tar::Entry<'_, impl Read>, path: &str) -> Self {
        let kind = entry.header().entry_type();
        let linked = entry.link_name_bytes().map(|path| String::from_utf8_lossy(&path).into_owned());
        match kind {
            tar::EntryType::Symlink => {
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                Self::Link(normal(&format!("{directory}/{}", linked.unwrap_or_default())))
            }
            tar::EntryType::Link => Self::Link(normal(&linked.unwrap_or_default())),
            tar::EntryType::Char | tar::EntryType::Block | tar::EntryType::Fifo => {
                Self::Unreadable("this is a device or a pipe")
            }
            tar::EntryType::Directory | tar::EntryType::XGlobalHeader | tar::EntryType::XHeader => {
                Self::Nothing
            }
            _ if has_sparse_map(entry) => {
                Self::Unreadable("this is a sparse file in a form that is not read; unpack the archive first")
            }
            // GNU tar: the end of a file of another volume, the name of a volume, and the contents of a directory.
            _ => match kind.as_byte() {
                b'M' => Self::Unreadable("this is the end of a file in another archive"),
                b'V' | b'D' | b'N' => Self::Nothing,
                _ => Self::File,
            },
        }
    }
}

/// Whether a member is a sparse file as GNU tar writes it in extended headers, whose text begins with a map of its holes.
fn has_sparse_map(entry: &mut tar::Entry<'_, impl Read>) -> bool {
    let extensions = entry.pax_extensions().ok().flatten();
    let is_sparse = |key: &str| key.starts_with("GNU.sparse.");
    extensions.is_some_and(|mut all| all.any(|one| one.is_ok_and(|one| one.key().is_ok_and(is_sparse))))
}

/// A path without `.` and, as far as possible, `..`.
fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
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

/// Whether Git made the archive from a commit, which a tar names in a header before its files, and a zip in its comment
/// (git-archive, archive-tar.c and archive-zip.c).
pub(super) fn is_of_git(format: Format, stream: &mut dyn Read, bytes: Bytes<'_>) -> bool {
    const COMMIT: &[u8] = b"pax_global_header\0";
    let is_hash = |text: &[u8]| matches!(text.len(), 40 | 64) && text.iter().all(u8::is_ascii_hexdigit);
    match (format, bytes) {
        (Format::Tar, _) => {
            let mut header = [0; 512];
            stream.read_exact(&mut header).is_ok() && header.starts_with(COMMIT)
        }
        (Format::Zip, Bytes::File(path)) => {
            let archive = seekable(path).ok().and_then(|file| zip_archive(file).ok());
            archive.is_some_and(|archive| is_hash(archive.comment()))
        }
        (Format::Zip | Format::Stream, _) => false,
    }
}

/// The last name in the path of a file.
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The name of a file in an archive.
pub(super) fn joined(archive: &str, path: &str) -> String {
    format!("{archive}/{}", path.strip_prefix("./").unwrap_or(path))
}
