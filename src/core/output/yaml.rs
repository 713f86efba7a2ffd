//! `-o yaml`: the text of each object as it is in the input, or, if the input has no YAML text for it, kubectl's YAML
//! with the keys in the order of the input.
//!
//! *Compatibility* (yaml-stream): a stream of the original documents; kubectl prints one List with sorted keys.

use std::io::{self, Write};

use memchr::memchr;

use super::neat;
use super::printer::{Context, Piece, PieceError, PieceWriter, Printer, text};
use manifest::object::Object;
use syntax::error::Error;

/// Prints documents.
#[derive(Debug)]
pub struct YamlPrinter {
    /// Whether fields added by a server are left out.
    pub neat: bool,
}

impl Printer for YamlPrinter {
    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let mut text = Vec::new();
        match (self.neat, object.text()) {
            (false, _) => document(object, &mut text)?,
            (true, Some(own)) => text.extend_from_slice(&neat::document(own, object.value()?)),
            (true, None) => text.extend_from_slice(&neat::written(&neat::tree(object.value()?))),
        }
        Ok(Piece::Text(text))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(Documents::default())
    }
}

/// Appends the text of an object.
///
/// # Errors
///
/// There is no such text in the input, and the document of the object cannot be parsed.
pub fn document(object: &Object<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    match object.text() {
        Some(text) => out.extend_from_slice(&text),
        None => out.extend_from_slice(&neat::written(object.value()?)),
    }
    Ok(())
}

/// Writes documents separated by `---`. The separator has the line ending of the document before it; if that document's
/// last line has none, it is added.
#[derive(Debug, Default)]
struct Documents {
    separator: Option<&'static [u8]>,
}

impl PieceWriter for Documents {
    fn write(&mut self, piece: Piece, _: bool, out: &mut dyn Write) -> io::Result<()> {
        let text = text(piece);
        if let Some(separator) = self.separator {
            out.write_all(separator)?;
        }
        let windows = memchr(b'\n', &text).is_some_and(|at| text[..at].ends_with(b"\r"));
        self.separator = Some(match (text.ends_with(b"\n"), windows) {
            (true, false) => b"---\n",
            (true, true) => b"---\r\n",
            (false, false) => b"\n---\n",
            (false, true) => b"\r\n---\r\n",
        });
        out.write_all(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(documents: &[&str], expected: &str) {
        let (mut writer, mut out) = (Documents::default(), Vec::new());
        let pieces = documents.iter().map(|text| Piece::Text(text.as_bytes().to_vec()));
        pieces.for_each(|piece| writer.write(piece, false, &mut out).unwrap());
        writer.finish(jiff::Timestamp::UNIX_EPOCH, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_separator_ends_as_the_lines_above_it() {
        check(&["a\n"], "a\n");
        check(&["a\n", "b"], "a\n---\nb");
        check(&["a", "b\n"], "a\n---\nb\n");
        check(&["a\r\n", "b\n", "c\n"], "a\r\n---\r\nb\n---\nc\n");
        check(&["a\r\nb", "c"], "a\r\nb\r\n---\r\nc");
    }
}
