//! How messages quote texts: the line of an error with its position, and the beginnings of arguments and names. The
//! result is short and safe to print, whatever the text is.

use std::borrow::Cow;
use std::ops::Range;

use crate::{go, lines, placeholder};

/// How many characters of a line are shown at most, and how many of them before the position if the line is cut.
const WIDTH: usize = 120;
const BEFORE: usize = 60;

/// The maximum number of characters that a message quotes from an argument or name.
const QUOTED: usize = 160;

/// The maximum length of a Kubernetes name with its prefix, in bytes.
const MAX_NAME: usize = 317;

/// The maximum length of a message, in characters.
const MESSAGE: usize = 2000;

/// The beginning of a text, for a message: unprintable characters are escaped, and `...` ends a text that is cut.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => Cow::Owned(format!("{}...", go::printable(text.get(..end).unwrap_or_default()))),
        None => go::printable(text),
    }
}

/// A whole message, cut if it is much too long.
pub fn message(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MESSAGE) {
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// A text of a document that names something, such as a label or another object, if it has the form of a name, of a pattern for paths, or
/// of a name with variables such as `${NAME}`; otherwise `...`, because it could be anything.
pub fn identifier(text: &str) -> &str {
    let has_variable = placeholder::is_placeholder(text);
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || b"-_./:*".contains(&byte) || has_variable && b"${}".contains(&byte)
    };
    if text.len() <= MAX_NAME && text.bytes().all(is_plain) { text } else { "..." }
}

/// The beginning of a text in quotes, as Go's `%q` writes them; `...` within the quotes ends a text that is cut.
pub fn quote(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => go::quote(&format!("{}...", text.get(..end).unwrap_or_default())),
        None => go::quote(text),
    }
}

/// A line of a text, or the part of it around a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text that is shown: unprintable characters are escaped, and `...` marks where the line is cut.
    pub text: String,
    /// The range in the shown text that is marked, in bytes; empty if something is missing there.
    pub span: Range<usize>,
    /// The number of the line in its source, 1-based; `None` if the text is not a file.
    pub line: Option<usize>,
}

impl Excerpt {
    /// The line of `text` in which `span` begins. A span that extends beyond the line ends with it. `None` if the line
    /// is blank.
    pub fn of(text: &[u8], span: Range<usize>, line: Option<usize>) -> Option<Self> {
        let at = span.start.min(text.len());
        let start = lines::start(text, at);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        if text[start..end].trim_ascii().is_empty() {
            return None;
        }
        let end = if text[start..end].ends_with(b"\r") { end - 1 } else { end };
        let (at, to) = (at.min(end), span.end.clamp(at.min(end), end));
        // A line may be a whole file, so text too far away to be shown is not scanned.
        let reach = 4 * WIDTH;
        let (from, until) = (start.max(at.saturating_sub(reach)), end.min(at.saturating_add(reach)));
        let before = String::from_utf8_lossy(&text[from..at]);
        let marked = String::from_utf8_lossy(&text[at..to.min(until)]);
        let after = String::from_utf8_lossy(&text[to.min(until)..until]);

        let count = |text: &str| text.chars().count();
        let fits = (from, until) == (start, end) && count(&before) + count(&marked) + count(&after) <= WIDTH;
        let width = if fits { WIDTH } else { WIDTH - BEFORE };
        let skipped = if fits { 0 } else { count(&before).saturating_sub(BEFORE) };
        let first: String = before.chars().skip(skipped).collect();
        let second: String = marked.chars().take(width).collect();
        let third: String = after.chars().take(width - count(&second)).collect();
        let cut_before = from > start || skipped > 0;
        let cut_behind = until < end || count(&second) + count(&third) < count(&marked) + count(&after);

        let mut shown = if cut_before { "...".to_owned() } else { String::new() };
        shown.push_str(&go::printable(&first));
        let place = shown.len();
        shown.push_str(&go::printable(&second));
        let span = place..shown.len();
        shown.push_str(&go::printable(&third));
        shown.push_str(if cut_behind { "..." } else { "" });
        Some(Self { text: shown, span, line })
    }

    /// The character of `text` at `offset`, in the line with that number.
    pub fn at(text: &[u8], offset: usize, line: usize) -> Option<Self> {
        let rest = text.get(offset..).unwrap_or_default();
        // The continuation bytes of a UTF-8 character begin with the bits 10.
        let length = 1 + rest.iter().skip(1).take_while(|&&byte| byte & 0xc0 == 0x80).take(3).count();
        Self::of(text, offset..offset.saturating_add(length), Some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the excerpt of `text`; in `expected`, the marked part is between `<` and `>`.
    #[track_caller]
    fn check(text: &[u8], span: Range<usize>, expected: &str) {
        let shown = Excerpt::of(text, span, None).map(|Excerpt { mut text, span, .. }| {
            text.insert(span.end, '>');
            text.insert(span.start, '<');
            text
        });
        assert_eq!(shown.as_deref().unwrap_or("nothing"), expected);
    }

    #[test]
    fn the_line_is_shown_in_which_the_span_begins() {
        check(b"app in web", 7..10, "app in <web>");
        check(b"app in ", 7..7, "app in <>");
        check(b"a: 1\r\n b: 2\r\nc: 3\r\n", 7..14, " <b: 2>");
        check(b"a: {\n", 4..5, "a: {<>");
        check(b"a: {\n", 9..9, "nothing");
        check(b"a\n \nb", 2..3, "nothing");
    }

    #[test]
    fn what_does_not_print_is_escaped() {
        check("a\u{1b}[1m: \u{202e}é\u{301}".as_bytes(), 1..3, "a<\\x1b[>1m: \\u202eé\\u0301");
        check(b"a\xff\xfeb\tc", 3..5, "a\u{fffd}\u{fffd}<b\\t>c");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}HERE{}", "ä".repeat(100_000), "ö".repeat(100_000));
        let shown = format!("...{}<HERE>{}...", "ä".repeat(60), "ö".repeat(56));
        check(line.as_bytes(), 200_000..200_004, &shown);
        check(line.as_bytes(), 0..400_004, &format!("<{}>...", "ä".repeat(60)));
        let line = "x".repeat(120);
        check(line.as_bytes(), 0..120, &format!("<{line}>"));
    }

    #[test]
    fn one_character_is_meant_as_a_whole() {
        let excerpt = Excerpt::at("a: é".as_bytes(), 3, 7);
        assert_eq!(excerpt, Some(Excerpt { text: "a: é".to_owned(), span: 3..5, line: Some(7) }));
    }
}
