//! The files in an archive, or in archives in it, one after the other.

use super::members::{Bytes, Failure, each_member, joined, last_name};
use super::open::open;
use crate::compression::{Format, formatted};
use crate::file_type::FileType;
use crate::source::{Pass, Source};
use std::io::{self, Read};
use std::ops::ControlFlow;
use syntax::foreign::Foreign;

/// The name and text of each file in an archive whose name is `wanted`, up to `most` bytes each: manifests and records of
/// collectors. Empty if the source is not an archive or cannot be read.
pub fn texts(source: &Source, wanted: fn(&str) -> bool, most: usize) -> Vec<(String, Vec<u8>)> {
    // The contents are kept for whoever needs the objects.
    let _ = open(source, Pass::Earlier);
    let Some(contents) = source.contents() else { return Vec::new() };
    let named = |file: &Source| wanted(last_name(&file.name)).then(|| last_name(&file.name).to_owned());
    let text = |file: &Source| {
        let (name, mut text) = (named(file)?, Vec::new());
        file.open(Pass::Earlier).ok()?.take(most as u64).read_to_end(&mut text).ok()?;
        Some((name, text))
    };
    let records = contents.records.iter().filter(|(name, _)| wanted(name)).cloned();
    records.chain(contents.files.iter().flatten().filter_map(text)).collect()
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
    let (format, mut stream) = formatted(source.open(Pass::Earlier)?)?;
    if format == Format::Stream {
        return Ok(Some(Box::new(stream)));
    }
    let bytes = Bytes::of(source, stream.rest.is_compressed());
    files_in(format, &mut stream, bytes, "", visit).map(|_| None)
}

/// Visits each file of an open archive. `inside` is its path in another one.
fn files_in(
    format: Format,
    stream: &mut dyn Read,
    bytes: Bytes<'_>,
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
                _ => files_in(format, &mut stream, Bytes::Decompressed, &path, visit),
            };
        }
        Ok(visit(&path, text))
    };
    let mut result = Ok(ControlFlow::Continue(()));
    let _ = each_member(format, stream, bytes, &mut |member| {
        result = match member {
            Ok((path, text)) => each(path, text),
            Err(Failure::Archive(reason) | Failure::Member(_, reason)) => Err(io::Error::other(reason)),
            Err(Failure::Locked(_)) => Err(io::Error::other(Foreign::Locked.hint())),
            Err(Failure::After(_, error)) => Err(error),
        };
        result.as_ref().map_or(ControlFlow::Break(()), |flow| *flow)
    });
    result
}
