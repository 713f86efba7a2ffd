//! Rules that are disabled for one object, by an annotation or by comments in its text.

use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::lines::Lines;
use manifest::object::Object;
use syntax::tree::Node;

/// The annotation that disables rules for its object: their ids, separated by commas.
const ANNOTATION: &str = "kselect.dev/disable";

/// The beginning of a comment in an object's text that does the same.
const COMMENT: &[u8] = b"kselect: disable=";

static COMMENTS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(COMMENT));

/// What disables a rule for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disabler {
    /// An annotation.
    Annotation,
    /// A comment.
    Comment,
}

/// A rule that is disabled for an object.
pub(super) struct Disabled {
    /// Its id, which may be unknown.
    pub id: String,
    /// The line of the id.
    pub line: usize,
    pub by: Disabler,
}

/// The rules that the annotation or comments of the object disable. `start` is the first line of the object.
pub(super) fn disabled(object: &Object<'_>, tree: &Node, lines: &Lines<'_>, start: usize) -> Vec<Disabled> {
    let annotations = tree.at("metadata.annotations").and_then(Node::as_map);
    let annotation = annotations.and_then(|annotations| annotations.entry(ANNOTATION));
    let annotation = annotation
        .and_then(|entry| Some((entry.value.as_str()?, lines.of_span(entry.key_span).unwrap_or(start))));
    let of_annotation = annotation.into_iter().flat_map(|(list, line)| ids(list, line, Disabler::Annotation));
    let mut found: Vec<Disabled> = of_annotation.collect();
    // For an item that was parsed with its List, searching the whole text of the List each time would be slow.
    let own = if object.is_document() { Some(object.document.text) } else { object.unread_yaml() };
    if own.is_none_or(|own| COMMENTS.find(own).is_some()) {
        let text = object.text().unwrap_or_default();
        let (spanned, first) = object.spanned_text();
        // Usually, this is the end of the text whose lines are known: all of it but `---`. An item has the same lines.
        let is_item = !object.is_document() && object.part().path.is_empty() && object.has_type();
        let before = if is_item { Some(&[][..]) } else { spanned.strip_suffix(&*text) };
        let line = |at: usize| {
            let feeds = |text: &[u8]| memchr_iter(b'\n', text).count();
            before.map_or(start, |before| first + feeds(before)) + feeds(&text[..at])
        };
        for at in COMMENTS.find_iter(&text) {
            found.extend(comment(&text, at).iter().flat_map(|list| ids(list, line(at), Disabler::Comment)));
        }
    }
    found
}

fn ids(list: &str, line: usize, by: Disabler) -> impl Iterator<Item = Disabled> {
    let ids = list.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(move |id| Disabled { id: id.to_owned(), line, by })
}

/// The ids after the mark at `at`, if a comment begins with it: words up to the first that does not end in a comma. The
/// rest is an explanation.
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
