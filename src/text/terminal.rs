//! Characters in data that a terminal would interpret. This is the only place that decides which these are.
//!
//! In output that kselect formats itself, such as tables, JSON and messages, these characters are always escaped. In
//! output that it passes on unchanged, such as the text of a document, they are escaped only on a terminal ([`Guard`]);
//! files and pipes receive every byte unchanged.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use selector::escapes;

/// Whether a terminal might not simply show `c`, or might show the characters after it in another order: control
/// characters (C0, DEL and C1), bidirectional controls, and invisible characters.
///
/// Joiners are not included: emoji and several scripts need them.
pub fn is_command(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // The Arabic letter mark; left-to-right and right-to-left marks; embeddings and overrides; isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => true,
        // The byte order mark, interlinear annotations, tags.
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Escapes every such character in a text of several lines as Go's `%q` does; line feeds and tabs are kept.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| match c {
        '\n' | '\t' => out.push(c),
        c => out.push_str(&escapes::go(c)),
    })
}

/// Escapes every such character that is unescaped in a string of a JSON text as `\uXXXX`; line feeds between values are
/// kept.
pub fn json(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| match c {
        '\n' => out.push(c),
        c => push_json(c, out),
    })
}

/// Appends a character as JSON escapes it: as one or two `\uXXXX`.
pub fn push_json(c: char, out: &mut String) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        write!(out, "\\u{unit:04x}").expect("impossible: a String");
    }
}

fn escaped(text: &str, push: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_command(c) { push(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The beginning of a colour sequence as the program writes it (ECMA-48, Select Graphic Rendition).
const COLOR: &[u8] = b"\x1b[";

/// A writer to a terminal that escapes every such character; line breaks and tabs are kept, and so are the program's
/// own colours.
pub struct Guard<W> {
    out: W,
    colors: bool,
    /// The beginning of a character or colour sequence whose rest has not been written yet.
    pending: Vec<u8>,
}

impl<W: Write> Guard<W> {
    /// A guard before `out`. With `colors`, colour sequences pass.
    pub fn new(out: W, colors: bool) -> Self {
        Self { out, colors, pending: Vec::new() }
    }

    /// Writes the complete sequences in `bytes`, or all of it if it is the `last`, and returns the number of bytes.
    fn write_complete(&mut self, bytes: &[u8], last: bool) -> io::Result<usize> {
        let mut at = 0;
        let mut text = String::with_capacity(bytes.len() + 16);
        while at < bytes.len() {
            let rest = &bytes[at..];
            if self.colors && rest.starts_with(COLOR) {
                match rest[COLOR.len()..].iter().position(|byte| !byte.is_ascii_digit() && *byte != b';') {
                    Some(end) if rest[COLOR.len() + end] == b'm' => {
                        let length = COLOR.len() + end + 1;
                        text.push_str(std::str::from_utf8(&rest[..length]).expect("impossible: ASCII"));
                        at += length;
                        continue;
                    }
                    None if !last && rest.len() < 32 => break,
                    _ => (),
                }
            } else if self.colors && !last && rest == b"\x1b" {
                break;
            }
            let plain = rest.iter().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')).count();
            if plain > 0 {
                text.push_str(std::str::from_utf8(&rest[..plain]).expect("impossible: ASCII"));
                at += plain;
                continue;
            }
            if rest.starts_with(b"\r\n") {
                text.push_str("\r\n");
                at += 2;
                continue;
            }
            // No character is longer than 4 bytes.
            let chunk = rest[..rest.len().min(4)].utf8_chunks().next().expect("impossible: it is not empty");
            match chunk.valid().chars().next() {
                // The rest of a line break may follow in the next write.
                Some('\r') if rest.len() == 1 && !last => break,
                Some(c) => {
                    if is_command(c) {
                        text.push_str(&escapes::go(c))
                    } else {
                        text.push(c)
                    }
                    at += c.len_utf8();
                }
                None if rest.len() < 4 && chunk.invalid().len() == rest.len() && !last => break,
                None => {
                    for byte in chunk.invalid() {
                        write!(text, "\\x{byte:02x}").expect("impossible: a String");
                    }
                    at += chunk.invalid().len();
                }
            }
        }
        self.out.write_all(text.as_bytes())?;
        Ok(at)
    }
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined;
        let all = if self.pending.is_empty() {
            bytes
        } else {
            joined = [&std::mem::take(&mut self.pending), bytes].concat();
            &joined
        };
        let written = self.write_complete(all, false)?;
        self.pending = all[written..].to_owned();
        Ok(bytes.len())
    }

    /// Also writes an incomplete sequence: flushing means that everything should be visible.
    fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        self.write_complete(&pending, true)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn guarded(pieces: &[&[u8]], colors: bool) -> String {
        let mut out = Vec::new();
        let mut guard = Guard::new(&mut out, colors);
        pieces.iter().for_each(|piece| guard.write_all(piece).unwrap());
        guard.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn commands_are_told_from_text() {
        let commands =
            "\0\x07\x1b\r\x7f\u{80}\u{85}\u{9b}\u{9f}\u{61c}\u{200e}\u{202e}\u{2069}\u{feff}\u{e0041}";
        assert!(commands.chars().all(is_command));
        assert!(!"a~ é\u{a0}\u{200d}字🦀\u{301}".contains(is_command));
    }

    #[test]
    fn json_is_escaped_as_json() {
        assert_eq!(
            json("{\n\"a\": \"\u{9b}\u{202e}\u{7f}\u{e0041}\"\n}"),
            "{\n\"a\": \"\\u009b\\u202e\\u007f\\udb40\\udc41\"\n}"
        );
    }

    #[test]
    fn what_goes_to_a_terminal_commands_nothing() {
        for (written, shown) in [
            ("a: \u{202e}b\u{85}\r\n\tc\r", "a: \\u202eb\\u0085\r\n\tc\\r"),
            ("\x1b]0;title\x07", "\\x1b]0;title\\a"),
            ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
            ("größer 🦀", "größer 🦀"),
        ] {
            assert_eq!(guarded(&[written.as_bytes()], false), shown);
        }
        assert_eq!(guarded(&[b"a\x9b31m\xc3"], false), "a\\x9b31m\\xc3");
    }

    #[test]
    fn colours_pass_where_the_program_writes_some() {
        let painted = "\x1b[1mNAME\x1b[0m \x1b[38;5;1mx\x1b[0m";
        assert_eq!(guarded(&[painted.as_bytes()], true), painted);
        assert_eq!(guarded(&[b"\x1b[2J\x1b[1;1H\x1b"], true), "\\x1b[2J\\x1b[1;1H\\x1b");
    }

    proptest! {
        #[test]
        fn how_it_is_cut_into_pieces_changes_nothing(
            text in "[a\u{1b}\\[1;m\r\n\u{202e}é🦀\u{9b}]{0,20}",
            cut in 0usize..40,
            colors: bool,
        ) {
            let bytes = text.as_bytes();
            let (one, two) = bytes.split_at(cut.min(bytes.len()));
            let whole = guarded(&[bytes], colors);
            prop_assert_eq!(guarded(&[one, two], colors), whole.clone());
            let left = if colors { whole.replace("\x1b[", "") } else { whole };
            prop_assert!(left.replace("\r\n", "").chars().all(|c| !is_command(c) || c == '\n'), "{left:?}");
        }
    }
}
