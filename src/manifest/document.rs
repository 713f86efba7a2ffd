//! A document in a stream, and its position there.

use memchr::memchr_iter;

use super::list::Items;
use super::source::Source;
use syntax::error::{Error, ErrorKind, Place};
pub use syntax::syntax::{Form, Syntax};
use text::lines;

/// A byte of a text and the line of the source with it, from which lines are counted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineCount {
    /// The offset of the byte.
    pub(super) at: usize,
    /// Its line, 1-based.
    pub(super) line: usize,
}

impl LineCount {
    /// Goes on to the byte at `at` of the text, which is not before this one, or to its end.
    pub(super) fn to(self, at: usize, text: &[u8]) -> Self {
        let at = at.min(text.len());
        let passed = text.get(self.at..at).unwrap_or_default();
        Self { at, line: self.line + memchr_iter(b'\n', passed).count() }
    }
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
    /// The number of bytes of the stream before the text, after decompression and decoding.
    pub offset: u64,
    /// How far lines have been counted.
    pub(super) counted: LineCount,
}

impl<'t> Document<'t> {
    /// The document that is all of `text`.
    pub fn new(text: &'t [u8], syntax: Syntax, source: &'t Source) -> Self {
        let counted = LineCount { at: 0, line: 1 };
        Self { text, syntax, source, line: 1, number: 1, items: None, offset: 0, counted }
    }

    /// Places the document on this line of the source, 1-based, and gives it this number.
    pub fn at(self, line: usize, number: usize) -> Self {
        Self { line, number, counted: LineCount { at: 0, line }, ..self }
    }

    /// The line of the source with the byte at `offset` of the text, 1-based.
    pub fn line_of(&self, offset: usize) -> usize {
        self.lines_to(offset).line
    }

    /// Counts the lines up to the byte at `offset`, so that places after it are found at once.
    pub(super) fn count_lines_to(&mut self, offset: usize) {
        self.counted = self.lines_to(offset);
    }

    fn lines_to(&self, offset: usize) -> LineCount {
        let start = LineCount { at: 0, line: self.line };
        let from = if offset < self.counted.at { start } else { self.counted };
        from.to(offset, self.text)
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

    /// The type of objects that state none, by the path of the document's file.
    pub fn type_of_path(&self) -> Option<(String, String)> {
        (self.source.type_of_path)(&self.source.name)
    }

    /// The offset of the first line that is not blank, a comment or a separator; 0 if there is none.
    pub fn content(&self) -> usize {
        let mut at = 0;
        while at < self.text.len() {
            let rest = &self.text[at..];
            let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace() && **byte != b'\n').count();
            if !(matches!(rest[blanks..], [] | [b'#' | b'\n', ..]) || rest.starts_with(b"---")) {
                return at + blanks;
            }
            at = lines::next(self.text, at);
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
        let mut document = Document::new(text, Syntax::Yaml, &source).at(10, 2);
        assert_eq!(document.content(), 11);
        assert_eq!(document.line_of(document.content()), 13);
        assert_eq!(document.line_of(usize::MAX), 14);
        assert_eq!(document.place(0).to_string(), "STDIN:10 (document 2)");
        document.count_lines_to(11);
        assert_eq!([0, 4, 11, usize::MAX].map(|offset| document.line_of(offset)), [10, 11, 13, 14]);
    }
}
