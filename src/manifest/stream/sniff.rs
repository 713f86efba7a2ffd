//! What the first bytes of a stream say about it.

/// How many bytes are searched for the first character, which distinguishes JSON from YAML.
pub(super) const SNIFF: usize = 4096;

pub(super) const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// The first character of a stream that is not white space; `None` if it is too far from the start to distinguish JSON
/// from YAML.
pub(super) fn sniffed(bytes: &[u8]) -> Option<char> {
    let start = bytes[..bytes.len().min(SNIFF)].trim_ascii_start();
    match start.first() {
        Some(first) if first.is_ascii_graphic() => Some(char::from(*first)),
        _ => String::from_utf8_lossy(start).trim_start().chars().next(),
    }
}

/// Decodes the units of a UTF-16 stream; `None` if it does not start with a UTF-16 byte order mark.
pub(super) fn utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_before_the_first_character_may_be_any() {
        let texts =
            [&b" \t\r\n\x0c{"[..], b"\x0b{", "\u{a0}\u{2003} {".as_bytes(), b"\xff{", b"\x01{", b" \n", b"a"];
        let expected = [Some('{'), Some('{'), Some('{'), Some('\u{fffd}'), Some('\x01'), None, Some('a')];
        assert_eq!(texts.map(sniffed), expected);
        assert_eq!(sniffed(&[b" ".repeat(SNIFF), b"{".to_vec()].concat()), None);
    }
}
