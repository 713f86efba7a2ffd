//! Where the lines of a text start. A line ends with a line feed.

use memchr::{memchr, memrchr};

/// The offset of the start of the line with the byte at `at`, or of the last line if the text is shorter.
pub fn start(text: &[u8], at: usize) -> usize {
    memrchr(b'\n', &text[..at.min(text.len())]).map_or(0, |end| end + 1)
}

/// The offset of the start of the line after the one with the byte at `at`; the length of the text if there is none.
pub fn next(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_start_after_line_feeds() {
        let text = b"a\nbc\n";
        assert_eq!([0, 1, 2, 4, 5, 9].map(|at| start(text, at)), [0, 0, 2, 2, 5, 5]);
        assert_eq!([0, 1, 2, 4, 5, 9].map(|at| next(text, at)), [2, 2, 5, 5, 5, 5]);
        assert_eq!(next(b"a", 0), 1);
    }
}
