//! Prose between the values of a JSON stream or the documents of a YAML stream: the logs in the output of `kubectl
//! cluster-info dump` (kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go), and lines of words.
//!
//! Between YAML documents, prose begins with a line such as `==== START logs` or `=== pods ===`, because other words
//! may be part of the document before them.

use memchr::{memchr, memchr_iter, memmem};

use syntax::json::scan::blanks;
use text::lines;

/// The lines before and after the logs of a container. The second may be on the last line of the logs.
const START: &[u8] = b"==== START logs for container ";
const END: &[u8] = b"==== END logs for container ";
/// The start of a line of prose between YAML documents: lines before and after logs, and headings written by scripts.
const HEADING: &[u8] = b"==";

/// What surrounds the prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// The values of a JSON stream, of which this many have been read.
    Values(usize),
    /// The documents of a YAML stream.
    Documents,
}

impl Between {
    /// The offset, from `at` on, at which the prose ends if a value or document starts there.
    fn next(text: &[u8], at: usize) -> usize {
        // A value or a document starts at the beginning of its line; one in a block scalar, for example, is no other.
        at.max(lines::start(text, blanks(text, at)))
    }

    /// Whether the prose continues with this text.
    fn is_words(self, text: &[u8]) -> bool {
        match self {
            Self::Values(_) => text.starts_with(b" ") || text.starts_with(b"\t") || is_words(text),
            // A word followed by a colon is a key.
            Self::Documents => {
                let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                text.starts_with(HEADING) || length > 0 && matches!(text.get(length), None | Some(b' '))
            }
        }
    }
}

/// The offset of the first line of prose between documents, in a text that starts at the beginning of a line; `None` if
/// there is none. No line of a Kubernetes object begins with two equals signs.
pub(super) fn heading(text: &[u8]) -> Option<usize> {
    // Manifests have few equals signs, and searching for one byte is fast.
    let starts_line = |at: &usize| text[..*at].last().is_none_or(|&byte| byte == b'\n');
    memchr_iter(b'=', text).find(|at| starts_line(at) && text[*at..].starts_with(HEADING))
}

/// Whether a text that follows a JSON value begins with prose rather than another value.
pub(super) fn is_words(text: &[u8]) -> bool {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    text.starts_with(b"=") || length > 0 && !matches!(&text[..length], b"true" | b"false" | b"null")
}

/// The number of bytes before the next value in `text`, which begins with prose or inside logs. Also `None` if that
/// value follows; otherwise, whether the rest begins inside logs rather than with an incomplete line of prose.
pub(super) fn words(text: &[u8], between: Between, mut in_logs: bool, ended: bool) -> (usize, Option<bool>) {
    let mut at = 0;
    loop {
        if in_logs {
            match memmem::find(&text[at..], END) {
                Some(found) => at += found,
                None if ended => return (text.len(), None),
                None => return ((text.len() - at).saturating_sub(END.len()) + at, Some(true)),
            }
        }
        let start = Between::next(text, at);
        if start == text.len() && !ended {
            return (start, Some(false));
        }
        if !between.is_words(&text[start..]) {
            return (start, None);
        }
        match memchr(b'\n', &text[start..]) {
            Some(length) => at = start + length + 1,
            None if ended => return (text.len(), None),
            None => return (start, Some(false)),
        }
        in_logs = text[start..].starts_with(START);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_the_next_value() {
        let words = |text: &[u8], in_logs, ended| words(text, Between::Values(1), in_logs, ended);
        assert_eq!(words(b"Cluster info\n{", false, false), (13, None));
        assert_eq!(words(b"Cluster: info\n  {}\n{", false, false), (19, None));
        assert_eq!(words(b"Cluster info", false, false), (0, Some(false)));
        assert_eq!(words(b"Cluster info", false, true), (12, None));
        assert_eq!(words(b"Cluster info\n", false, false), (13, Some(false)));
        assert_eq!(words(b"Cluster info\n", false, true), (13, None));
        let logs = b"==== START logs for container a of pod b/c ====\n{}\n---\nx==== END logs for container a of pod b/c ====\n{";
        assert_eq!(words(logs, false, false), (logs.len() - 1, None));
        assert_eq!(words(&logs[..70], false, false), (48, Some(true)));
        assert_eq!(words(&logs[48..], true, false), (logs.len() - 49, None));
    }

    #[test]
    fn words_between_documents_end_with_a_line_that_may_begin_one() {
        let text = b"==== START logs for container a of pod b/c ====\napiVersion: v1\n---\nx==== END logs for container a of pod b/c ====\n";
        for next in ["---\na: 1", "apiVersion: v1", "# c", "{a: 1}", "  a: 1", "- a", "\"a\": 1", "a1: 1"] {
            let stream = [text, next.as_bytes()].concat();
            assert_eq!(words(&stream, Between::Documents, false, false), (text.len(), None), "{next}");
        }
        let stream = [&text[..], b"Cluster info dumped to standard output\n", text].concat();
        assert_eq!(words(&stream, Between::Documents, false, true), (stream.len(), None));
        assert_eq!(heading(b"a: 1\n==== START logs for container a"), Some(5));
        assert_eq!(heading(b"== pods"), Some(0));
        assert_eq!(heading(b"a: |\n  ==== START logs for container a\n="), None);
    }

    #[test]
    fn values_are_not_words() {
        for value in ["null", "true ", "false,", "{", "[", "\"a\"", "1", "---"] {
            assert!(!is_words(value.as_bytes()), "{value}");
        }
        assert!(is_words(b"nulls"));
    }
}
