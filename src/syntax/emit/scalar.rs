//! Writes a string as a scalar on one line, in the quotes of its neighbours.

use crate::yaml::scalar;
use text::terminal;

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
        _ => double_quoted(text, flow),
    }
}

fn double_quoted(text: &str, flow: bool) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Beyond U+FFFF, JSON has a pair of escapes, which YAML does not read, and only what needs one has one.
            c if c as u32 > 0xffff && terminal::is_command(c) => match flow {
                true => {
                    c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| quoted += &format!("\\u{unit:04x}"))
                }
                false => quoted += &format!("\\U{:08x}", c as u32),
            },
            c if scalar::is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}') || c as u32 > 0xffff => {
                quoted.push(c)
            }
            c => quoted.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_escaped() {
        assert_eq!(write("\u{e0041}\u{9b}😀", Quotes::None, false), "\"\\U000e0041\\u009b😀\"");
        assert_eq!(write("\u{e0041}\u{9b}😀", Quotes::Double, true), "\"\\udb40\\udc41\\u009b😀\"");
    }
}
