//! Formats floats in Go's decimal formats (strconv/ftoa.go).

/// No float has more digits after the point.
const MOST_DIGITS: usize = 1100;

/// Formats `number`, which is not negative, as `e`, `E`, `f`, `g` or `G`. Without a precision, it gets as many digits as are needed to read the same number back.
pub(super) fn format(number: f64, format: char, precision: Option<usize>) -> String {
    match format {
        'f' => fixed(number, precision),
        'e' | 'E' => exponential(number, precision, format),
        _ => general(number, precision, format),
    }
}

fn fixed(number: f64, precision: Option<usize>) -> String {
    match precision {
        Some(precision) => {
            let text = format!("{number:.*}", precision.min(MOST_DIGITS));
            text + &"0".repeat(precision.saturating_sub(MOST_DIGITS))
        }
        None => format!("{number}"),
    }
}

fn exponential(number: f64, precision: Option<usize>, format: char) -> String {
    let (digits, exponent) = parts(number, precision);
    let padding = precision.map_or(0, |precision| precision.saturating_sub(MOST_DIGITS));
    format!("{digits}{}{}", "0".repeat(padding), exponent_text(exponent, format))
}

/// The digits with their point, and the exponent, in scientific notation.
fn parts(number: f64, precision: Option<usize>) -> (String, i32) {
    let text = match precision {
        Some(precision) => format!("{number:.*e}", precision.min(MOST_DIGITS)),
        None => format!("{number:e}"),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn exponent_text(exponent: i32, letter: char) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{letter}{sign}{:02}", exponent.abs())
}

/// Formats with an exponent if it is small or large (`%g`).
fn general(number: f64, precision: Option<usize>, format: char) -> String {
    let letter = if format == 'G' { 'E' } else { 'e' };
    let (digits, exponent) = parts(number, precision.map(|precision| precision.saturating_sub(1)));
    // Trailing zeros do not count.
    let digits = match digits.split_once('.') {
        Some((whole, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        None => digits,
    };
    let count = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
    let limit = match precision {
        None => 6,
        Some(precision) => {
            let precision = i32::try_from(precision.max(1)).unwrap_or(i32::MAX);
            // At most the existing digits, so that %.20g of 1e6 does not become a long number.
            if precision > count && count > exponent { count } else { precision }
        }
    };
    if number != 0.0 && (exponent < -4 || exponent >= limit) {
        return format!("{digits}{}", exponent_text(exponent, letter));
    }
    let decimals = (count - 1 - exponent).max(0);
    format!("{number:.*}", decimals as usize)
}
