//! Escapes in quoted texts and in URLs. They are here and not in `text` because selectors have no dependencies.

/// Escapes a character as `%q` does.
pub fn go(c: char) -> String {
    match c {
        '"' | '\\' => format!("\\{c}"),
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0b' => "\\v".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c < ' ' || c == '\x7f' => format!("\\x{:02x}", u32::from(c)),
        c if c <= '\u{ffff}' => format!("\\u{:04x}", u32::from(c)),
        c => format!("\\U{:08x}", u32::from(c)),
    }
}

/// Whether Go considers `c` printable (unicode.IsPrint), which includes combining marks. Rust's escaping uses Unicode's
/// tables, but shows such a mark only after another character, so one is put before it.
pub fn is_print(c: char) -> bool {
    let mut buffer = [b'a'; 5];
    let length = c.encode_utf8(&mut buffer[1..]).len();
    let pair = std::str::from_utf8(&buffer[..=length]).unwrap_or_default();
    matches!(c, ' '..='~') || !c.is_ascii() && pair.escape_debug().count() == 2
}

/// Escapes as Go's `url.QueryEscape` does.
pub fn query(text: &[u8]) -> String {
    percent(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~ ".contains(&byte)).replace(' ', "+")
}

/// Writes `%` and two digits for each byte that is not `plain`.
pub fn percent(text: &[u8], plain: impl Fn(u8) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 2);
    for &byte in text {
        match plain(byte) {
            true => escaped.push(byte.into()),
            false => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The bytes of a text with percent escapes. The error is the bytes with invalid escapes left as they are.
pub fn without_percents(text: &str) -> Result<Vec<u8>, Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(text.len());
    let mut is_valid = true;
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, after @ ..] => {
                digit(*high).zip(digit(*low)).map(|(high, low)| (high << 4 | low, after))
            }
            _ => None,
        };
        is_valid &= *first != b'%' || escaped.is_some();
        let (byte, after) = escaped.unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    if is_valid { Ok(bytes) } else { Err(bytes) }
}
