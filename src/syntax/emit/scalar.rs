//! Writes a string as a scalar on one line, in the quotes of its neighbours.

use crate::yaml::scalar;

/// The quotes of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// Unquoted, if possible.
    None,
    /// `'`, if possible.
    Single,
    /// `"`, with escapes that YAML and JSON both read.
    Double,
}

/// The text in these quotes, if they allow it. `flow` means that it is within `{}`.
pub fn write(text: &str, quotes: Quotes, flow: bool) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let plain = match flow {
        _ if text.chars().all(simple) => scalar::plain_label(text),
        true => scalar::plain_flow_key(text),
        false => scalar::plain_block_key(text),
    };
    match quotes {
        Quotes::None if plain => text.to_owned(),
        Quotes::Single if text.chars().all(scalar::is_printable) && !text.contains('\n') => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double_quoted(text),
    }
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Beyond U+FFFF, JSON would need a pair of escapes, which YAML does not read.
            c if scalar::is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}') || c as u32 > 0xffff => {
                quoted.push(c)
            }
            c => quoted.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}
