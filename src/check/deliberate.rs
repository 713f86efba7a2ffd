//! Comments that say that something is meant to be as it is.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::manifest::object::Object;

/// The words, whose first letters may be capitals. Seen in quyenhl16/ckad-advanced-observability.
static WORDS: LazyLock<[Finder<'_>; 3]> =
    LazyLock::new(|| [b"ntentional".as_slice(), b"eliberate", b"n purpose"].map(Finder::new));

/// What is then said of the whole object in the comments before it.
const MISTAKEN: [&str; 5] = ["bad", "broken", "incorrect", "invalid", "wrong"];

/// The lines, 1-based, that such comments are about: their own, up to the next one that is not only a comment. What stands
/// before everything else is about all lines if it says that they are wrong.
pub(super) fn lines(object: &Object<'_>) -> Box<[RangeInclusive<usize>]> {
    // For an item of a List, searching the whole text of the List each time would be slow.
    let has_word = |text: &[u8]| WORDS.iter().any(|word| word.find(text).is_some());
    if !object.is_document() || !has_word(object.document.text) {
        return Box::default();
    }
    let (text, first) = object.spanned_text();
    let mut found = Vec::new();
    let mut since = None;
    let mut is_head = true;
    for (line, number) in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).zip(first..) {
        let comment = line.iter().position(|&byte| byte == b'#').map(|at| &line[at..]).unwrap_or_default();
        if has_word(comment) {
            since.get_or_insert(number);
            let comment = String::from_utf8_lossy(comment).to_lowercase();
            if is_head && comment.split(|c: char| !c.is_alphanumeric()).any(|word| MISTAKEN.contains(&word)) {
                return Box::new([first..=usize::MAX]);
            }
        }
        if !line.starts_with(b"#") {
            found.extend(since.take().map(|since| since..=number));
            is_head &= line.is_empty() || line == b"---";
        }
    }
    found.into()
}
