//! Go's formats for values, as used in Kubernetes' messages and output.

use std::borrow::Cow;

use crate::terminal;
pub use selector::escapes::{go as escape, is_print};

/// Formats a float as `%v` does: the shortest digits that read back as the same number, with an exponent of at least
/// two digits if that is below -4 or at least 6 (strconv.FormatFloat, format 'g', precision -1).
pub fn float(number: f64) -> String {
    shortest(number, -4, 6)
}

/// Formats a float as encoding/json does: positional between 1e-6 and 1e21, otherwise with an exponent without leading
/// zeros.
pub fn json_float(number: f64) -> String {
    let text = shortest(number, -6, 21);
    match text.split_once("e-0") {
        Some((digits, exponent)) => format!("{digits}e-{exponent}"),
        None => text,
    }
}

/// The shortest digits of `number`, with an exponent if it is below `low` or at least `high`.
fn shortest(number: f64, low: i32, high: i32) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific; // NaN and infinities, which no manifest yields
    };
    let exponent: i32 = exponent.parse().expect("impossible: {:e} prints a decimal exponent");
    if number == 0.0 || (low..high).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Quotes a string as `%q` does: in double quotes, with unprintable characters escaped.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') || !is_printable(c) { quoted.push_str(&escape(c)) } else { quoted.push(c) }
    }
    quoted.push('"');
    quoted
}

/// Quotes bytes that need not be UTF-8 exactly as `%q` does.
pub fn quote_bytes(text: &[u8]) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if matches!(c, '"' | '\\') || !is_print(c) { quoted.push_str(&escape(c)) } else { quoted.push(c) }
        }
        chunk.invalid().iter().for_each(|byte| quoted.push_str(&format!("\\x{byte:02x}")));
    }
    quoted.push('"');
    quoted
}

/// Formats a character as `%#U` does: `U+007D '}'`, without the character if it is unprintable.
pub fn unicode(c: char) -> String {
    let shown = if is_print(c) { format!(" '{c}'") } else { String::new() };
    format!("U+{:04X}{shown}", u32::from(c))
}

/// A character of a quoted text (strconv.UnquoteChar).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unquoted {
    /// Its code point, or the byte if it is an escaped byte such as `\xff`.
    pub value: u32,
    /// Whether this is a byte and not a code point.
    pub is_byte: bool,
    /// Its length in bytes, including any backslash.
    pub len: usize,
}

/// The first character of a text between `quote`s; `None` if it is the quote itself or an invalid escape, or if the
/// text is empty.
pub fn unquote_char(text: &str, quote: char) -> Option<Unquoted> {
    let mut chars = text.chars();
    let c = chars.next()?;
    if c == quote {
        return None;
    }
    if c != '\\' {
        return Some(Unquoted { value: c.into(), is_byte: false, len: c.len_utf8() });
    }
    let escape = chars.next()?;
    let one = |value: char| Some(Unquoted { value: value.into(), is_byte: false, len: 2 });
    let digits = |start: usize, len: usize, radix: u32| {
        let digits = text.get(start..start + len)?;
        let valid = digits.chars().all(|c| c.is_digit(radix));
        u32::from_str_radix(digits, radix).ok().filter(|_| valid)
    };
    let byte = |value: u32, len| (value <= 0xff).then_some(Unquoted { value, is_byte: true, len });
    let code_point = |value: u32, len| char::from_u32(value).map(|_| Unquoted { value, is_byte: false, len });
    match escape {
        'a' => one('\x07'),
        'b' => one('\x08'),
        'f' => one('\x0c'),
        'n' => one('\n'),
        'r' => one('\r'),
        't' => one('\t'),
        'v' => one('\x0b'),
        '\\' => one('\\'),
        c if c == quote => one(quote),
        '0'..='7' => byte(digits(1, 3, 8)?, 4),
        'x' => byte(digits(2, 2, 16)?, 4),
        'u' => code_point(digits(2, 4, 16)?, 6),
        'U' => code_point(digits(2, 8, 16)?, 10),
        _ => None,
    }
}

/// Unquotes a text between `quote`s (strconv.Unquote); `None` if it is invalid.
pub fn unquote(mut text: &str, quote: char) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    while !text.is_empty() {
        let unquoted = unquote_char(text, quote)?;
        match char::from_u32(unquoted.value).filter(|_| !unquoted.is_byte) {
            Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => bytes.push(u8::try_from(unquoted.value).ok()?),
        }
        text = &text[unquoted.len..];
    }
    Some(bytes)
}

/// Escapes every unprintable character in `text` as `%q` does, so no control sequence reaches a terminal; borrowed if
/// there is none.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || text.chars().all(is_printable_or_quote) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_printable_or_quote(c) {
            safe.push(c);
        } else {
            safe.push_str(&escape(c));
        }
    }
    Cow::Owned(safe)
}

/// Parses an integer as in Go source: decimal, or with a prefix `0x`, `0o`, `0` or `0b`, and with `_` between digits
/// (strconv.ParseInt, base 0). `None` if it is invalid or has more than 127 bits.
pub fn parse_int(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, &lower[1..]),
        _ => (10, &*lower),
    };
    let digits = without_underscores(digits, radix != 10)?;
    // from_str_radix would accept a second sign.
    let value = i128::from_str_radix(&digits, radix).ok().filter(|_| !digits.starts_with(['+', '-']))?;
    Some(if negative { -value } else { value })
}

/// Parses a float as in Go source, but a hexadecimal one, or `inf` or `nan` (strconv.ParseFloat). `None` if it is invalid or too
/// large.
pub fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let lower = unsigned.to_ascii_lowercase();
    if matches!(&*lower, "inf" | "infinity") {
        return Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if lower == "nan" {
        return Some(f64::NAN).filter(|_| text.len() == 3);
    }
    if !lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let value: f64 = without_underscores(&lower, false)?.parse().ok()?;
    Some(if negative { -value } else { value }).filter(|value: &f64| value.is_finite())
}

/// `digits` without underscores, which may be between digits, or first if the digits are `prefixed`.
fn without_underscores(digits: &str, prefixed: bool) -> Option<String> {
    let is_digit = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = digits.as_bytes();
    let placed = bytes.iter().enumerate().all(|(at, byte)| {
        let follows = if at == 0 { prefixed } else { is_digit(bytes.get(at - 1)) };
        *byte != b'_' || follows && is_digit(bytes.get(at + 1))
    });
    placed.then(|| digits.replace('_', ""))
}

/// Encodes base64 (encoding/base64, StdEncoding).
pub fn base64_encode(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().enumerate().fold(0, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Decodes base64; the error is the position at which it is invalid (encoding/base64, StdEncoding, which allows line
/// breaks anywhere).
pub fn base64_decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let is_break = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, b'\r' | b'\n'));
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    // The bits of a group of four digits, and the number of digits so far.
    let (mut bits, mut digits) = (0u32, 0);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'\r' | b'\n' => continue,
            b'=' if digits >= 2 => {
                let skip_breaks = |mut at| {
                    while is_break(at) {
                        at += 1;
                    }
                    at
                };
                if digits == 2 {
                    at = skip_breaks(at);
                    match text.get(at) {
                        None => return Err(text.len()),
                        Some(b'=') => at += 1,
                        Some(_) => return Err(at - 1),
                    }
                }
                at = skip_breaks(at);
                let group = (bits << (6 * (4 - digits))).to_be_bytes();
                decoded.extend_from_slice(&group[1..digits]);
                return if at < text.len() { Err(at) } else { Ok(decoded) };
            }
            _ => return Err(at - 1),
        };
        bits = bits << 6 | u32::from(value);
        digits += 1;
        if digits == 4 {
            decoded.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, digits) = (0, 0);
        }
    }
    if digits > 0 { Err(text.len() - digits) } else { Ok(decoded) }
}

/// The text with characters that a terminal would interpret escaped, except for line breaks and tabs.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| is_printable_or_quote(c) || matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive(['\n', '\t']).fold(String::new(), |mut safe, part| {
        let text = part.trim_end_matches(['\n', '\t']);
        safe.push_str(&printable(text));
        safe.push_str(&part[text.len()..]);
        safe
    }))
}

fn is_printable_or_quote(c: char) -> bool {
    matches!(c, '"' | '\\') || is_printable(c)
}

/// Whether `c` can be shown on a terminal as it is. Rust's escaping uses Unicode's tables.
fn is_printable(c: char) -> bool {
    c == '\'' || c.escape_debug().len() == 1 && !terminal::is_command(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_switch_to_an_exponent_where_go_does() {
        for (number, v, json) in [
            (1.5, "1.5", "1.5"),
            (123456.7, "123456.7", "123456.7"),
            (1234567.5, "1.2345675e+06", "1234567.5"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "0.00001"),
            (1e-7, "1e-07", "1e-7"),
            (1e20, "1e+20", "100000000000000000000"),
            (1e21, "1e+21", "1e+21"),
            (4.9e-324, "5e-324", "5e-324"),
            (-1e100, "-1e+100", "-1e+100"),
        ] {
            assert_eq!((float(number), json_float(number)), (v.to_owned(), json.to_owned()), "{number:e}");
        }
    }

    #[test]
    fn quoted_texts_mean_what_go_reads() {
        assert_eq!(unquote(r"a\n\x41\101\u00e9\\", '"').as_deref(), Some("a\nAAé\\".as_bytes()));
        assert_eq!(unquote(r"\xff", '"').as_deref(), Some(&[0xff][..]));
        for text in [r"\q", r"\400", r"\x4", r"\x+4", r"\ud800", r"\", r"\u12", "\""] {
            assert_eq!(unquote(text, '"'), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_quoted() {
        assert_eq!(quote_bytes(b"a\xff\xc3\xa9\"'\n"), r#""a\xffé\"'\n""#);
    }

    #[test]
    fn base64_is_decoded_with_gos_errors() {
        for (text, expected) in [
            ("aGVsbG8=", Ok("hello")),
            ("aGVs\r\nbG8=\n", Ok("hello")),
            ("LS0tCg==", Ok("---\n")),
            ("", Ok("")),
            ("!!", Err(0)),
            ("aGVsbG8", Err(4)),
            ("aGVsbG8=x", Err(8)),
            ("YQ=", Err(3)),
            ("YQ=x", Err(2)),
            ("Y===", Err(1)),
            ("YW\nJj\r\n", Ok("abc")),
            ("YQ=\n=", Ok("a")),
            ("YQ=\nx", Err(3)),
            ("Y", Err(0)),
            ("YWJjY", Err(4)),
            ("=", Err(0)),
            ("YQ==YQ==", Err(4)),
            ("YW Jj", Err(2)),
            ("YWJj$", Err(4)),
        ] {
            assert_eq!(
                base64_decode(text.as_bytes()),
                expected.map(|text| text.as_bytes().to_vec()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_does_not_print_is_made_harmless() {
        assert_eq!(printable("a \"é\" \\ \x1b[31m\n"), r#"a "é" \ \x1b[31m\n"#);
    }

    #[test]
    fn quoting_escapes_what_does_not_print() {
        assert_eq!(quote("a\"b\\c\n\x01é\u{85}'"), r#""a\"b\\c\n\x01é\u0085'""#);
    }
}
