//! Rules that are turned off for one object, by an annotation or by comments in its text.

use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::Findings;
use super::subject::{Lines, Reading};
use crate::manifest::list::Object;
use crate::manifest::tree::Node;
use crate::text::excerpt;
use crate::text::go;

/// The annotation that turns rules off for its object: their ids, with commas between.
const ANNOTATION: &str = "kselect.dev/disable";

/// What begins a comment in an object's text that does the same.
const COMMENT: &[u8] = b"kselect: disable=";

static COMMENTS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(COMMENT));

/// A rule that an object does not want.
pub(super) struct Disabled {
    /// What stands there as its id.
    pub id: String,
    /// Where it stands.
    line: usize,
}

/// The rules that an annotation or comments of the object turn off. `start` is the line on which the object
/// starts.
pub(super) fn disabled(object: &Object<'_>, tree: &Node, lines: &Lines, start: usize) -> Vec<Disabled> {
    let annotations = tree.at("metadata.annotations").and_then(Node::as_map);
    let annotation = annotations.and_then(|annotations| annotations.entry(ANNOTATION));
    let annotation = annotation
        .and_then(|entry| Some((entry.value.as_str()?, lines.of_span(entry.key_span).unwrap_or(start))));
    let mut found: Vec<Disabled> = annotation.into_iter().flat_map(|(list, line)| ids(list, line)).collect();
    // An item of a List is not looked for in all of the List again and again.
    if !object.is_document() || COMMENTS.find(object.document.text).is_some() {
        let text = object.text().unwrap_or_default();
        let (spanned, first) = object.spanned_text();
        // Mostly it is the end of the text whose lines are known: all of it but for `---`.
        let before = spanned.strip_suffix(&*text);
        let line = |at: usize| {
            let feeds = |text: &[u8]| memchr_iter(b'\n', text).count();
            before.map_or(start, |before| first + feeds(before) + feeds(&text[..at]))
        };
        for at in COMMENTS.find_iter(&text) {
            found.extend(comment(&text, at).iter().flat_map(|list| ids(list, line(at))));
        }
    }
    found
}

fn ids(list: &str, line: usize) -> impl Iterator<Item = Disabled> {
    let ids = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(move |id| Disabled { id: id.to_owned(), line })
}

/// The ids behind the mark at `at`, if a comment begins with it: words up to the first that ends without a comma.
/// Behind it people say why.
fn comment(text: &[u8], at: usize) -> Option<String> {
    let is_comment = text.get(..at)?.trim_ascii_end().ends_with(b"#");
    let line = text.get(at + COMMENT.len()..)?.split(|&byte| byte == b'\n').next()?;
    let mut list = String::new();
    for word in String::from_utf8_lossy(line).split_ascii_whitespace() {
        list.push_str(word);
        if !word.ends_with(',') {
            break;
        }
    }
    is_comment.then_some(list)
}

/// Tells of ids that no rule has: nothing is turned off by them.
pub(super) fn unknown(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let subject = &reading.subject;
    for Disabled { id, line } in subject.disabled.iter().filter(|one| super::rule_of(&one.id).is_none()) {
        let id = go::quote(excerpt::identifier(id));
        findings.add(subject, *line, format_args!("disables the unknown rule {id}"));
    }
}
