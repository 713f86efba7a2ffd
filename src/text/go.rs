//! Go's ways of writing values, which Kubernetes' messages and outputs are made of.

use std::borrow::Cow;

use crate::text::terminal;

/// A float as `%v` prints it: the shortest digits that read back as the same number, with an exponent of at
/// least two digits when that is below -4 or at least 6 (strconv.FormatFloat, format 'g', precision -1).
pub fn float(number: f64) -> String {
    shortest(number, -4, 6)
}

/// A float as encoding/json prints it: positional between 1e-6 and 1e21, else with an exponent that has no
/// leading zero.
pub fn json_float(number: f64) -> String {
    let text = shortest(number, -6, 21);
    match text.split_once("e-0") {
        Some((digits, exponent)) => format!("{digits}e-{exponent}"),
        None => text,
    }
}

/// The shortest digits of `number`; with an exponent when it is below `low` or not below `high`.
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

/// A string as `%q` prints it: in double quotes, with what does not print escaped.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') || !is_printable(c) { quoted.push_str(&escape(c)) } else { quoted.push(c) }
    }
    quoted.push('"');
    quoted
}

/// A character as `%q` escapes it.
pub fn escape(c: char) -> String {
    match c {
        '"' | '\\' => format!("\\{c}"),
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\x0b' => "\\v".to_owned(),
        c if c < ' ' || c == '\x7f' => format!("\\x{:02x}", c as u32),
        c if (c as u32) < 0x10000 => format!("\\u{:04x}", c as u32),
        c => format!("\\U{:08x}", c as u32),
    }
}

/// `text` with every character that does not print escaped as `%q` would, so that nothing in it reaches a
/// terminal as a command; borrowed when there is none.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable_or_quote) {
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

fn is_printable_or_quote(c: char) -> bool {
    matches!(c, '"' | '\\') || is_printable(c)
}

/// Whether `c` may be shown on a terminal as it is. Rust's own escaping knows Unicode's tables.
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
    fn what_does_not_print_is_made_harmless() {
        assert_eq!(printable("a \"é\" \\ \x1b[31m\n"), r#"a "é" \ \x1b[31m\n"#);
    }

    #[test]
    fn quoting_escapes_what_does_not_print() {
        assert_eq!(quote("a\"b\\c\n\x01é\u{85}'"), r#""a\"b\\c\n\x01é\u0085'""#);
    }
}
