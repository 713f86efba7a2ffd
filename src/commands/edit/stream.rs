//! The whole input on standard output, edited.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use super::batch::{End, Origin, Part, Sink, each_or_all};
use edit::splices::{self, Splice};
use manifest::document::Syntax;
use manifest::source::{self, Source};
use manifest::stream::Block;

/// The text of the block, edited, without the documents that are left out.
pub fn part(block: &Block, source: &Source, mut splices: Vec<Splice>, left_out: &BTreeSet<usize>) -> Part {
    let documents = || block.documents(source).flatten();
    let out = |number: &usize| left_out.contains(number);
    if !left_out.is_empty() {
        if documents().all(|document| out(&document.number)) {
            return Part::Nothing;
        }
        for document in documents().filter(|document| out(&document.number)) {
            let start = block.start_of(&document);
            splices.push((start..start + document.text.len(), Vec::new()));
        }
        splices::sort(&mut splices);
    }
    let json = documents().last().map(|document| document.syntax == Syntax::Json);
    Part::Text { text: block.spliced(&splices).source_text().concat(), json }
}

/// Writes the texts of sources one after the other, and remembers how the last one ended.
#[derive(Default)]
pub struct StreamSink {
    /// The source or the file of an archive that was written last.
    source: Option<Arc<str>>,
    json: bool,
    ended: bool,
}

impl Sink for StreamSink {
    /// Writes the text of a block; before that of another source what keeps the two apart.
    fn take(&mut self, part: Part, origin: Origin<'_>, out: &mut dyn Write) -> io::Result<()> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let Part::Text { text, json } = part else { return Ok(()) };
        if text.is_empty() {
            return Ok(());
        }
        let mut text = &text[..];
        let name = &origin.source.name;
        if self.source.as_ref().is_some_and(|before| before != name) {
            // A byte order mark is only allowed at the start of a stream.
            text = text.strip_prefix(MARK).unwrap_or(text);
            if !self.ended {
                out.write_all(b"\n")?;
            }
            if !(self.json && json.unwrap_or(true) || text.starts_with(b"---")) {
                out.write_all(b"---\n")?;
            }
        }
        self.json = json.unwrap_or(self.json);
        self.ended = text.ends_with(b"\n");
        self.source = Some(Arc::clone(name));
        out.write_all(text)
    }

    fn finish(&mut self, end: End<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        // The notes come after the output.
        out.flush()?;
        each_or_all(end.messages).iter().for_each(|line| end.report.say(line));
        // On a terminal, "labeled" reads as if the file were.
        let is_of_files = self.source.as_ref().is_some_and(|name| **name != *source::STDIN);
        if end.report.terminals().stdout.is_terminal && is_of_files && !end.messages.is_empty() {
            end.report.note("no file was changed; -i changes files, and --diff shows the changes");
        }
        Ok(())
    }
}
