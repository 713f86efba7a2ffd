//! Whether Go's decoder accepts a text as base64, and otherwise where the error is.

/// The index of the byte in `text` that Go's `base64.StdEncoding` reports as illegal; `None` if it accepts the text.
/// Line breaks are skipped, and padding is required (encoding/base64, decodeQuantum).
pub(super) fn corrupt_at(text: &[u8]) -> Option<usize> {
    let mut digits = 0;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' | b'\n' => {}
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => digits += 1,
            b'=' => return corrupt_padding(text, at, digits % 4),
            _ => return Some(at),
        }
    }
    // Go counts back from the end by the digits of the incomplete group, without line breaks.
    (digits % 4 > 0).then(|| text.len() - digits % 4)
}

/// The same for a text whose first `=` is at `at`, after this many digits of a group of four.
fn corrupt_padding(text: &[u8], at: usize, digits: usize) -> Option<usize> {
    let next = |from: usize| (from..text.len()).find(|&at| !matches!(text[at], b'\r' | b'\n'));
    let end = match digits {
        0 | 1 => return Some(at),
        2 => match next(at + 1) {
            Some(second) if text[second] == b'=' => second,
            Some(second) => return Some(second),
            None => return Some(text.len()),
        },
        _ => at,
    };
    next(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offsets_are_those_of_go() {
        let cases: &[(&str, Option<usize>)] = &[
            ("", None),
            ("YWJj", None),
            ("YW\nJj\r\n", None),
            ("YQ==", None),
            ("YWI=", None),
            ("YQ=\n=", None),
            ("Y", Some(0)),
            ("YWJjY", Some(4)),
            ("YQ", Some(0)),
            ("YQ=", Some(3)),
            ("=", Some(0)),
            ("Y===", Some(1)),
            ("YQ=a", Some(3)),
            ("YQ==YQ==", Some(4)),
            ("YW Jj", Some(2)),
            ("YWJj$", Some(4)),
        ];
        for (text, expected) in cases {
            assert_eq!(corrupt_at(text.as_bytes()), *expected, "{text:?}");
        }
    }
}
