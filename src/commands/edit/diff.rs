//! What would change, as a unified diff of each source.

use std::io::{self, Write};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use super::batch::{End, Origin, Part, Sink, Texts};
use edit::splices::Splice;
use kselect_core::diff::hunks;
use kselect_core::output::color as palette;
use manifest::stream::Block;
use text::go;

/// How long to search for a minimal diff of one source.
const DIFF_PATIENCE: Duration = Duration::from_secs(2);

/// The text of the block before and after.
pub fn texts(block: &Block, splices: &[Splice]) -> Texts {
    Texts { old: block.source_text().concat(), new: block.spliced(splices).source_text().concat() }
}

/// Collects the texts of a source and writes their difference.
pub struct Differ {
    /// The current source, or file in an archive.
    source: Option<Arc<str>>,
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether the output has colours.
    colors: bool,
}

impl Differ {
    pub fn new(colors: bool) -> Self {
        Self { source: None, old: Vec::new(), new: Vec::new(), colors }
    }

    /// Adds the text of a block; if it is of another source, writes the diff of the one before.
    pub fn add(&mut self, texts: &Texts, origin: Origin<'_>, out: &mut dyn Write) -> io::Result<()> {
        let name = &origin.source.name;
        if self.source.as_ref().is_none_or(|other| !Arc::ptr_eq(other, name)) {
            self.write(out)?;
            self.source = Some(Arc::clone(name));
        }
        self.old.extend_from_slice(&texts.old);
        self.new.extend_from_slice(&texts.new);
        Ok(())
    }

    /// Writes the diff of the current source.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (old, new) = (std::mem::take(&mut self.old), std::mem::take(&mut self.new));
        if old == new {
            return Ok(());
        }
        let name = path_in_patch(self.source.as_deref().unwrap_or_default());
        let (old_name, new_name) = (quoted(format!("a/{name}")), quoted(format!("b/{name}")));
        let mut text = format!("--- {old_name}\n+++ {new_name}\n").into_bytes();
        text.extend(hunks::of_texts(&old, &new, DIFF_PATIENCE));
        if self.colors { palette::write_diff(&text, out) } else { out.write_all(&text) }
    }
}

impl Sink for Differ {
    fn take(&mut self, part: Part, origin: Origin<'_>, out: &mut dyn Write) -> io::Result<()> {
        match part {
            Part::Both(texts) => self.add(&texts, origin, out),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, _: End<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        self.write(out)
    }
}

/// The path of a source as `git apply` and `patch -p1` need it: below the working directory relative to it, otherwise
/// from the root, and always without `.` and `..`, which they refuse.
fn path_in_patch(name: &str) -> String {
    let path = Path::new(name);
    let is_below = path.is_relative() && !path.components().any(|part| part == Component::ParentDir);
    // Links in the directories are followed, because git applies nothing beyond a link.
    let resolved = match (is_below, path.parent(), path.file_name()) {
        (false, Some(parent), Some(file)) => {
            fs::canonicalize(parent).map_or_else(|_| path.to_owned(), |parent| parent.join(file))
        }
        _ => path.to_owned(),
    };
    let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    let relative = resolved.strip_prefix(&here).unwrap_or(&resolved);
    let parts = relative.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A name in the header of a diff as git writes it: in quotes if it is unprintable, and with a tab after it if it has
/// blanks, which would end it otherwise.
fn quoted(name: String) -> String {
    if go::printable(&name) == name {
        return if name.contains(' ') { name + "\t" } else { name };
    }
    let bytes = name.bytes().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    });
    format!("\"{}\"", bytes.collect::<String>())
}
