//! Text between the values of a JSON stream that is neither JSON nor YAML: the logs in what `kubectl cluster-info dump`
//! writes (kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go), and lines of words.

use memchr::{memchr, memmem};

use super::{Block, Blocks, Piece, State};
use crate::manifest::error::{Error, ErrorKind};
use crate::manifest::json_scan::blanks;

/// The line before the logs of a container, and that after them, which may be on the last line of the logs.
const START: &[u8] = b"==== START logs for container ";
const END: &[u8] = b"==== END logs for container ";

/// Whether a text, which a JSON value has gone before, begins with words instead of another value.
pub(super) fn is_words(text: &[u8]) -> bool {
    let length = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    text.starts_with(b"=") || length > 0 && !matches!(&text[..length], b"true" | b"false" | b"null")
}

/// How much of `text`, which begins with words or within logs, is not of the next value: so many bytes, and whether
/// the rest begins within logs, or with words whose line is not there as a whole; `None` if it is the next value.
fn words(text: &[u8], mut in_logs: bool, ended: bool) -> (usize, Option<bool>) {
    let mut at = 0;
    loop {
        if in_logs {
            match memmem::find(&text[at..], END) {
                Some(found) => at += found,
                None if ended => return (text.len(), None),
                None => return ((text.len() - at).saturating_sub(END.len()) + at, Some(true)),
            }
        }
        let start = blanks(text, at);
        if start == text.len() || !is_words(&text[start..]) {
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

impl Blocks {
    /// Passes over words, after so many values of a JSON stream. They are said once to be there: `is_first`.
    pub(super) fn words_block(
        &mut self,
        values: usize,
        in_logs: bool,
        is_first: bool,
    ) -> std::io::Result<Block> {
        let mut bytes = std::mem::take(&mut self.rest);
        let (mut end, mut left) = words(&bytes, in_logs, self.ended);
        while end == 0 && left.is_some() && !self.ended {
            let want = bytes.len().max(self.size);
            self.read_more(want, &mut bytes)?;
            (end, left) = words(&bytes, in_logs, self.ended);
        }
        self.rest = bytes.split_off(end);
        let mut cut = self.cutter();
        let start = if is_first { blanks(&bytes, 0) } else { 0 };
        cut.advance(&bytes[..start]);
        if is_first {
            cut.pieces.push(Err(Error::new(cut.place(), ErrorKind::Words)));
        }
        cut.advance(&bytes[start..]);
        self.state = match left {
            Some(in_logs) => State::Words { values, in_logs },
            None => State::Json { values },
        };
        let pieces: Vec<Result<Piece, Error>> = self.resume(cut);
        Ok(self.block(bytes, pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_the_next_value() {
        assert_eq!(words(b"Cluster info\n {", false, false), (14, None));
        assert_eq!(words(b"Cluster info", false, false), (0, Some(false)));
        assert_eq!(words(b"Cluster info", false, true), (12, None));
        let logs = b"==== START logs for container a of pod b/c ====\n{}\n---\nx==== END logs for container a of pod b/c ====\n{";
        assert_eq!(words(logs, false, false), (logs.len() - 1, None));
        assert_eq!(words(&logs[..70], false, false), (48, Some(true)));
        assert_eq!(words(&logs[48..], true, false), (logs.len() - 49, None));
    }

    #[test]
    fn values_are_not_words() {
        for value in ["null", "true ", "false,", "{", "[", "\"a\"", "1", "---"] {
            assert!(!is_words(value.as_bytes()), "{value}");
        }
        assert!(is_words(b"nulls"));
    }
}
