//! Formats floats in each of Go's formats (strconv/ftoa.go).

/// No float has more digits after the point.
const MOST_DIGITS: usize = 1100;

/// Formats `number`, which is not negative, as `e`, `E`, `f`, `g`, `G`, `b`, `x` or `X`. Without a precision, it gets
/// as many digits as are needed to read the same number back.
pub(super) fn format(number: f64, format: char, precision: Option<usize>) -> String {
    match format {
        'f' => fixed(number, precision),
        'e' | 'E' => exponential(number, precision, format),
        'g' | 'G' => general(number, precision, format),
        'b' => binary(number),
        _ => hexadecimal(number, precision, format),
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

/// `4503599627370496p-52`
fn binary(number: f64) -> String {
    let (mantissa, exponent) = decode(number);
    let sign = if exponent >= 0 { "+" } else { "" };
    format!("{mantissa}p{sign}{exponent}")
}

/// The integer and the power of two whose product is the float.
fn decode(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

/// `0x1.8p+01`
fn hexadecimal(number: f64, precision: Option<usize>, format: char) -> String {
    let (mut mantissa, mut exponent) = decode(number);
    if mantissa == 0 {
        exponent = 0;
    } else {
        // The point is after the first bit: 60 bits follow it, of which the last 8 are for rounding.
        let shift = mantissa.leading_zeros() as i32 - 3;
        mantissa <<= shift;
        exponent += 60 - shift;
    }
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let dropped = 60 - 4 * precision as u32;
        let (rest, half) = (mantissa & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        mantissa >>= dropped;
        // Halves round to even.
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        mantissa <<= dropped;
        if mantissa & (1 << 61) != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let digits = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(precision) if precision <= 15 => digits[..precision].to_owned(),
        Some(precision) => digits + &"0".repeat(precision - 15),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let text = format!("0x{}{point}{fraction}{}", mantissa >> 60, exponent_text(exponent, 'p'));
    if format == 'X' { text.to_uppercase() } else { text }
}

/// Applies the flag `#`: always with a point, and in `%g` with the zeros of the precision.
pub(super) fn with_point(text: &str, format: char, precision: Option<usize>) -> String {
    let mut wanted = match format {
        'g' | 'G' | 'x' => precision.unwrap_or(6),
        _ => 0,
    };
    let exponent_at = match format {
        'x' | 'X' => text.find(['p', 'P']),
        _ => text.find(['e', 'E']),
    };
    let (number, tail) = text.split_at(exponent_at.unwrap_or(text.len()));
    let mut seen = false;
    for c in number.chars().filter(|c| *c != '.') {
        seen |= c != '0';
        wanted = wanted.saturating_sub(usize::from(seen));
    }
    let mut number = number.to_owned();
    if !number.contains('.') {
        if number == "0" {
            wanted = wanted.saturating_sub(1);
        }
        number.push('.');
    }
    format!("{number}{}{tail}", "0".repeat(wanted))
}
