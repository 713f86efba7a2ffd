//! A document in a stream, and its position there.

use memchr::memchr_iter;

use super::error::{Error, ErrorKind, Place};
use super::list::Items;
use super::source::Source;

/// The syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// YAML, including JSON in a YAML stream.
    Yaml,
    /// One JSON value in a JSON stream.
    Json,
}

/// A document, or a run of items of a large List: a slice of its stream, and its position there.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    /// The text, without the separators around it. The first document of a stream keeps the `---` line before it.
    pub text: &'t [u8],
    /// Its syntax.
    pub syntax: Syntax,
    /// Where it comes from.
    pub source: &'t Source,
    /// The line of the source on which the text starts, 1-based.
    pub line: usize,
    /// The document's number in the source, 1-based.
    pub number: usize,
    /// The items, if the text is a run of them rather than a document.
    pub items: Option<&'t Items>,
}

impl Document<'_> {
    /// The line of the source with the byte at `offset` of the text, 1-based.
    pub fn line_of(&self, offset: usize) -> usize {
        self.line + memchr_iter(b'\n', &self.text[..offset.min(self.text.len())]).count()
    }

    /// The place of the byte at `offset` of the text.
    pub fn place(&self, offset: usize) -> Place {
        let source = self.source.name.clone();
        Place { source, line: Some(self.line_of(offset)), document: Some(self.number) }
    }

    /// An error about the byte at `offset` of the text.
    pub fn error(&self, offset: usize, kind: ErrorKind) -> Error {
        Error::in_text(self.text, offset, self.place(offset), kind)
    }

    /// The offset of the first line that is not blank, a comment or a separator; 0 if there is none.
    pub fn content(&self) -> usize {
        let mut at = 0;
        for line in self.text.split_inclusive(|&byte| byte == b'\n') {
            let trimmed = line.trim_ascii();
            if !(trimmed.is_empty() || trimmed[0] == b'#' || line.starts_with(b"---")) {
                return at + line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            }
            at += line.len();
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_counted_from_the_start_of_the_source() {
        let source = Source::stdin();
        let text = b"# c\n\n---\n  a: 1\n";
        let document =
            Document { text, syntax: Syntax::Yaml, source: &source, line: 10, number: 2, items: None };
        assert_eq!(document.content(), 11);
        assert_eq!(document.line_of(document.content()), 13);
        assert_eq!(document.line_of(usize::MAX), 14);
        assert_eq!(document.place(0).to_string(), "STDIN:10 (document 2)");
    }
}
