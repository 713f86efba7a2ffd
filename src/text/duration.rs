//! Durations as Go writes them: `1h30m`.

use jiff::SignedDuration;

/// The units with their nanoseconds. A micro sign may be either of the two that Unicode has.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration: numbers, each with its unit (Go, time.ParseDuration). `None` if the text is not one, or if it does
/// not fit in a signed 64-bit number of nanoseconds.
pub fn parse(text: &str) -> Option<SignedDuration> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned == "0" {
        return Some(SignedDuration::ZERO);
    }
    let (mut total, mut rest) = term(unsigned)?;
    while !rest.is_empty() {
        let (nanoseconds, after) = term(rest)?;
        total = total.checked_add(nanoseconds)?;
        rest = after;
    }
    let total = i128::from(total);
    let total = i64::try_from(if is_negative { -total } else { total }).ok()?;
    Some(SignedDuration::from_nanos(total))
}

/// A number with its unit at the start of `text`, in nanoseconds, and the rest.
fn term(text: &str) -> Option<(u64, &str)> {
    let (whole, rest) = leading_digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), leading_digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (name, rest) =
        rest.split_at(rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len()));
    let unit = UNITS.iter().find(|(unit, _)| *unit == name)?.1;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // No unit has more than 13 digits: those after the 18th cannot change a nanosecond.
    let (numerator, scale) = fraction.bytes().take(18).fold((0_u128, 1_u128), |(numerator, scale), digit| {
        (numerator * 10 + u128::from(digit - b'0'), scale * 10)
    });
    let part = u64::try_from(numerator * u128::from(unit) / scale).ok()?;
    Some((whole.checked_mul(unit)?.checked_add(part)?, rest))
}

/// The decimal digits at the start of `text`, and the rest.
pub(super) fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_go() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("-0", 0),
            ("0s", 0),
            ("5s", 5_000_000_000),
            ("+5s", 5_000_000_000),
            ("-1m30s", -90_000_000_000),
            ("1h15m30.918273645s", 4_530_918_273_645),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("1us2\u{b5}s3\u{3bc}s4ns", 6_004),
            ("39h9m14.425s", 140_954_425_000_000),
            ("0.100000000000000000000h", 360_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse(text), Some(SignedDuration::from_nanos(nanoseconds)), "{text}");
        }
        for text in [
            "",
            "3",
            "-",
            "s",
            ".",
            "-.",
            ".s",
            "+.s",
            "1d",
            "1h 5m",
            "--1s",
            "1e3s",
            "9223372036854775808ns",
            "9223372036854775.808us",
            "3000000h",
            "1s\u{b5}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
