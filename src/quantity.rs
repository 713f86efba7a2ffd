//! Resource quantities such as `1536Mi` and `500m`: what they amount to and how Kubernetes writes them
//! (apimachinery, api/resource/quantity.go).

use std::cmp::Ordering;
use std::fmt;

/// An amount, exact to a billionth of a unit, the finest that Kubernetes keeps.
///
/// Comparison is by amount: `1024Mi` equals `1Gi`. [`Display`](fmt::Display) gives the canonical form: the
/// largest suffix that needs no fraction, of the family the amount was written in.
///
/// *Compatibility*: amounts of 1.7e29 and more, or written with some 38 digits, do not parse; to Kubernetes
/// decimal amounts have no limit.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    billionths: i128,
    family: Family,
}

/// The suffixes a quantity is written with (quantity.go, Format).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Powers of 1000, also no suffix at all: `500m`, `3`, `2k`.
    Decimal,
    /// Powers of 1024: `64Mi`.
    Binary,
    /// An exponent of ten: `1e3`.
    Exponent,
}

/// Decimal suffixes with their exponents of ten.
const DECIMAL: &[(&str, i32)] = &[
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// Binary suffixes: the first stands for 1024, each further one for 1024 times as much.
const BINARY: &[&str] = &["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Billionths in a unit.
const UNIT: i128 = 1_000_000_000;

/// Where binary quantities end (quantity.go, maxAllowed).
const BINARY_MAX: i128 = i64::MAX as i128 * UNIT;

impl Quantity {
    /// Nothing at all, which prints `0`.
    pub const ZERO: Self = Self { billionths: 0, family: Family::Decimal };

    /// Reads a sign or none, digits with a point or without, and a suffix or none; nothing when `text` is
    /// anything else or too large. What is finer than a billionth rounds away from zero.
    pub fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let (family, factor, exponent) = unit(suffix)?;
        let mut mantissa = 0i128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        }
        let exponent = i64::from(exponent) + 9 - i64::try_from(fraction.len()).ok()?;
        let mut billionths = shifted(mantissa.checked_mul(factor)?, exponent)?;
        if family == Family::Binary {
            billionths = billionths.min(BINARY_MAX);
        }
        if text.starts_with('-') {
            billionths = -billionths;
        }
        Some(Self { billionths, family })
    }
}

/// What a suffix stands for: its family, a factor and an exponent of ten.
fn unit(suffix: &str) -> Option<(Family, i128, i32)> {
    if let Some(&(_, exponent)) = DECIMAL.iter().find(|(text, _)| *text == suffix) {
        return Some((Family::Decimal, 1, exponent));
    }
    if let Some(power) = BINARY.iter().position(|text| *text == suffix) {
        return Some((Family::Binary, 1024 << (10 * power), 0));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Family::Exponent, 1, exponent))
}

/// `amount`, which is not negative, times ten to the power of `exponent`, rounded up; nothing when that is
/// too large.
fn shifted(amount: i128, exponent: i64) -> Option<i128> {
    if amount == 0 {
        return Some(0);
    }
    let power = u32::try_from(exponent.unsigned_abs()).ok().and_then(|places| 10i128.checked_pow(places));
    match (power, exponent < 0) {
        (Some(power), true) => Some(amount / power + i128::from(amount % power != 0)),
        (None, true) => Some(1),
        (Some(power), false) => amount.checked_mul(power),
        (None, false) => None,
    }
}

impl fmt::Display for Quantity {
    /// The canonical form (quantity.go, CanonicalizeBytes).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { billionths, family } = *self;
        if billionths == 0 {
            return f.write_str("0");
        }
        // Binary suffixes are for whole amounts of 1024 or more; anything else is written in decimal.
        if family == Family::Binary && billionths % UNIT == 0 && billionths.abs() >= 1024 * UNIT {
            let (amount, power) = reduced(billionths / UNIT, 1024, BINARY.len());
            return match power.checked_sub(1).and_then(|power| BINARY.get(power)) {
                Some(suffix) => write!(f, "{amount}{suffix}"),
                None => write!(f, "{amount}"),
            };
        }
        let (amount, power) = reduced(billionths, 1000, if family == Family::Exponent { 99 } else { 9 });
        match family {
            Family::Exponent if power != 3 => write!(f, "{amount}e{}", 3 * power as i64 - 9),
            _ => write!(f, "{amount}{}", DECIMAL.get(power).map_or("", |(suffix, _)| suffix)),
        }
    }
}

/// `amount`, which is not zero, divided by `base` as often as leaves no remainder but at most `limit` times,
/// and how often that was.
fn reduced(mut amount: i128, base: i128, limit: usize) -> (i128, usize) {
    let mut times = 0;
    while times < limit && amount % base == 0 {
        amount /= base;
        times += 1;
    }
    (amount, times)
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.billionths.cmp(&other.billionths)
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.billionths == other.billionths
    }
}

impl Eq for Quantity {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check_canonical(text: &str, canonical: &str) {
        let quantity = Quantity::parse(text).unwrap_or_else(|| panic!("{text} is a quantity"));
        assert_eq!(quantity.to_string(), canonical, "{text}");
    }

    #[test]
    fn the_canonical_form_keeps_the_family_and_takes_the_largest_suffix() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("0Gi", "0"),
            ("0e5", "0"),
            ("3", "3"),
            ("+3", "3"),
            ("007", "7"),
            ("1000", "1k"),
            ("1000m", "1"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("5.", "5"),
            ("1.5", "1500m"),
            ("-1.5", "-1500m"),
            ("100m", "100m"),
            ("1500k", "1500k"),
            ("1000E", "1000E"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("1.1Gi", "1181116006400m"),
            ("500Mi", "500Mi"),
            ("1023Ki", "1023Ki"),
            ("1048577Ki", "1048577Ki"),
            ("0.5Ki", "512"),
            ("-2048Ki", "-2Mi"),
            ("1e3", "1e3"),
            ("1E3", "1e3"),
            ("12e4", "120e3"),
            ("1000e0", "1e3"),
            ("1e0", "1"),
            ("1e-1", "100e-3"),
            ("1e-3", "1e-3"),
            ("1E", "1E"),
            ("1e27", "1e27"),
        ] {
            check_canonical(text, canonical);
        }
    }

    #[test]
    fn what_is_finer_than_a_billionth_rounds_away_from_zero() {
        for (text, canonical) in [
            ("0.1n", "1n"),
            ("-0.1n", "-1n"),
            ("1.0000000001", "1000000001n"),
            ("1e-400", "1e-9"),
            ("1e-2147483648", "1e-9"),
        ] {
            check_canonical(text, canonical);
        }
    }

    #[test]
    fn binary_quantities_end_at_the_largest_integer() {
        check_canonical("9Ei", "9223372036854775807");
        check_canonical("-100Ei", "-9223372036854775807");
    }

    #[test]
    fn other_texts_are_no_quantities() {
        for text in [
            "",
            " ",
            "-",
            ".",
            "Ki",
            "m",
            "1 Gi",
            "1.2.3",
            "1ki",
            "1K",
            "0.1mi",
            "1i",
            "--1",
            "1e",
            "1e+",
            "1e5k",
            "abc",
            "0x1",
            "1_000",
            "١",
            "1e30",
            "1e2147483648",
            "99999999999999999999999999999999999999999999",
        ] {
            assert_eq!(Quantity::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn quantities_compare_by_amount() {
        let ascending =
            ["-1Gi", "-1", "0", "1n", "100m", "0.5", "1", "1e3", "1Ki", "1M", "1Mi", "1G", "1Gi", "1E"];
        let quantities: Vec<_> = ascending.iter().filter_map(|text| Quantity::parse(text)).collect();
        assert!(quantities.is_sorted_by(|a, b| a < b), "{quantities:?}");
        assert_eq!(Quantity::parse("1024Mi"), Quantity::parse("1Gi"));
        assert_eq!(Quantity::parse("1000m"), Quantity::parse("1"));
    }

    proptest! {
        #[test]
        fn the_canonical_form_reads_back_as_the_same_amount(
            text in "[+-]?[0-9]{1,12}(\\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e-?[0-9]{1,2})?",
        ) {
            if let Some(quantity) = Quantity::parse(&text) {
                let canonical = quantity.to_string();
                let again = Quantity::parse(&canonical).expect("canonical");
                prop_assert_eq!(quantity, again);
                prop_assert_eq!(again.to_string(), canonical);
            }
        }

        #[test]
        fn no_text_panics(text in "[-+.0-9eEKMinmk]{0,60}") {
            let _ = Quantity::parse(&text).map(|quantity| quantity.to_string());
        }
    }
}
