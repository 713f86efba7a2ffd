//! Resource quantities such as `1536Mi` and `500m`: their amounts, and how Kubernetes writes them (apimachinery,
//! api/resource/quantity.go).

use std::cmp::Ordering;
use std::fmt;

use super::duration::leading_digits;

/// An amount of any size, exact to a billionth of a unit, which is Kubernetes' resolution.
///
/// Quantities are compared by amount: `1024Mi` equals `1Gi`. [`Display`](fmt::Display) gives the result of Go's
/// `String`: the original text if Go considers it canonical, otherwise the canonical form, which has the largest suffix
/// of the original family that needs no fraction.
#[derive(Clone, Debug)]
pub struct Quantity {
    negative: bool,
    /// The decimal digits without zeros at either end; empty for zero.
    digits: Vec<u8>,
    /// The exponent of ten of the last digit, -9 or more.
    exponent: i64,
    family: Family,
    written: Option<Written>,
}

/// An original text that Go keeps.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    /// The power of ten of the last digit of the text.
    scale: i64,
}

/// The families of suffixes (quantity.go, Format).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Powers of 1000, and no suffix: `500m`, `3`, `2k`.
    Decimal,
    /// Powers of 1024: `64Mi`.
    Binary,
    /// Exponents of ten: `1e3`.
    Exponent,
}

/// Decimal suffixes with their exponents of ten.
const DECIMAL: &[(&str, i64)] = &[
    ("n", NANO),
    ("u", -6),
    ("m", MILLI),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

const NANO: i64 = -9;

/// The number of billionths in a unit.
const UNIT: i128 = 1_000_000_000;

const MILLI: i64 = -3;

/// Binary suffixes: the first is 1024, each further one 1024 times as much.
const BINARY: &[&str] = &["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The largest binary quantity (quantity.go, maxAllowed).
const BINARY_MAX: &[u8] = b"9223372036854775807";

impl Quantity {
    /// Kubernetes' message about what does not look like a quantity (apimachinery, api/resource, ErrFormatWrong).
    pub const FORMAT: &str =
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

    /// Zero, which prints `0`.
    pub const ZERO: Self =
        Self { negative: false, digits: Vec::new(), exponent: 0, family: Family::Decimal, written: None };

    /// Parses an optional sign, digits with or without a point, and an optional suffix; `None` for any other text. As
    /// in Go, digits may be missing, but not the whole text. Amounts finer than a billionth are rounded away from zero.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction, (family, power)) = parts(text)?;
        let whole = whole.trim_start_matches('0');
        let scale = match family {
            Family::Binary => 0,
            Family::Decimal | Family::Exponent => power,
        } - i64::try_from(fraction.len()).ok()?;
        let mut amount = Self {
            negative: text.starts_with('-'),
            digits: [whole, fraction].concat().into_bytes(),
            exponent: scale,
            family,
            written: None,
        };
        if family == Family::Binary {
            (0..power).for_each(|_| multiply(&mut amount.digits, 1024));
        }
        amount.normalize();
        amount.round_up(NANO);
        if family == Family::Binary && magnitude(&amount.digits, amount.exponent) > magnitude(BINARY_MAX, 0) {
            (amount.digits, amount.exponent) = (BINARY_MAX.to_vec(), 0);
        }
        if is_kept(family, power, whole, fraction, scale) {
            amount.written = Some(Written { text: text.to_owned(), scale });
        }
        Some(amount)
    }

    /// Kubernetes' message about a text that is no quantity: another one if it has a number and a suffix of the letters that
    /// suffixes have (ErrSuffix).
    pub fn refusal(text: &str) -> &'static str {
        let number = text.strip_prefix(['+', '-']).unwrap_or(text);
        let suffix = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let exponent = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        match suffix.len() < number.len() && exponent.bytes().all(|byte| byte.is_ascii_digit()) {
            true => "unable to parse quantity's suffix",
            false => Self::FORMAT,
        }
    }

    /// Whether a text is a quantity.
    pub fn is_valid(text: &str) -> bool {
        parts(text).is_some()
    }

    /// The amount in a list of resources, such as the requests of a container or the capacity of a volume: there, the
    /// API rounds up to a thousandth of a unit (core/v1/defaults.go, SetDefaults_ResourceList).
    pub fn rounded_as_resource(mut self) -> Self {
        if self.written.as_ref().is_some_and(|written| written.scale < MILLI) {
            self.written = None;
        }
        self.round_up(MILLI);
        self
    }

    /// The sum; `None` if it does not fit into billionths of 128 bits. As in Go, it has the suffix of the first amount that
    /// is not zero.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let sum = self.billionths()?.checked_add(other.billionths()?)?;
        let family = if self.digits.is_empty() { other.family } else { self.family };
        Some(Self::from_billionths(sum, family))
    }

    /// How many hundredths of `whole` it is, without a fraction, as kubectl computes it (describe.go,
    /// describeNodeResource); 0 if `whole` is zero.
    pub fn percent_of(&self, whole: &Self) -> i64 {
        let thousandths =
            |quantity: &Self| quantity.billionths().map(|billionths| (billionths / 1_000_000) as f64);
        match (thousandths(self), thousandths(whole)) {
            (Some(part), Some(whole)) if whole != 0.0 => (part / whole * 100.0) as i64,
            _ => 0,
        }
    }

    /// The difference; `None` if it does not fit into billionths of 128 bits.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let difference = self.billionths()?.checked_sub(other.billionths()?)?;
        Some(Self::from_billionths(difference, self.family))
    }

    /// The amount as an integer; `None` if it has a fraction or is too large.
    pub fn as_integer(&self) -> Option<i64> {
        let billionths = self.billionths()?;
        (billionths % UNIT == 0).then(|| i64::try_from(billionths / UNIT).ok()).flatten()
    }

    /// -1, 0 or 1: whether it is less than, equal to or more than zero.
    pub fn signum(&self) -> i32 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, negative) => 1 - 2 * i32::from(negative),
        }
    }

    /// Whether it is no whole number.
    pub fn has_fraction(&self) -> bool {
        self.exponent < 0
    }

    /// The nearest float.
    pub fn as_float(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let digits = std::str::from_utf8(&self.digits).unwrap_or_default();
        format!("{sign}0{digits}e{}", self.exponent).parse().unwrap_or_default()
    }

    fn billionths(&self) -> Option<i128> {
        let digits = std::str::from_utf8(&self.digits).ok()?;
        let digits: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let factor = 10_i128.checked_pow(u32::try_from(self.exponent - NANO).ok()?)?;
        let billionths = digits.checked_mul(factor)?;
        Some(if self.negative { -billionths } else { billionths })
    }

    fn from_billionths(billionths: i128, family: Family) -> Self {
        let digits = billionths.unsigned_abs().to_string().into_bytes();
        let mut amount = Self { negative: billionths < 0, digits, exponent: NANO, family, written: None };
        amount.normalize();
        amount
    }

    /// Removes zeros at both ends.
    fn normalize(&mut self) {
        let end = self.digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        self.exponent += (self.digits.len() - end) as i64;
        self.digits.truncate(end);
        let start = self.digits.iter().position(|digit| *digit != b'0').unwrap_or(0);
        self.digits.drain(..start);
        if self.digits.is_empty() {
            (self.negative, self.exponent) = (false, 0);
        }
    }

    /// Rounds away from zero to a multiple of ten to the power of `exponent`.
    fn round_up(&mut self, exponent: i64) {
        if self.digits.is_empty() || self.exponent >= exponent {
            return;
        }
        // The last digit is never zero, so the part that is cut off never is.
        let cut = usize::try_from(exponent - self.exponent).unwrap_or(usize::MAX);
        self.digits.truncate(self.digits.len().saturating_sub(cut));
        self.exponent = exponent;
        match self.digits.iter().rposition(|digit| *digit != b'9') {
            Some(at) => {
                self.digits[at] += 1;
                self.digits[at + 1..].fill(b'0');
            }
            None => {
                self.digits.fill(b'0');
                self.digits.insert(0, b'1');
            }
        }
        self.normalize();
    }

    /// The amount as an integer that binary suffixes can express: 1024 or more and without a fraction.
    fn as_binary(&self) -> Option<u64> {
        let zeros = usize::try_from(self.exponent).ok()?;
        let digits = std::str::from_utf8(&self.digits).ok()?;
        let amount: u64 = format!("{digits}{}", "0".repeat(zeros.min(20))).parse().ok()?;
        (amount >= 1024).then_some(amount)
    }
}

impl From<i64> for Quantity {
    fn from(number: i64) -> Self {
        Self::from_billionths(i128::from(number) * UNIT, Family::Decimal)
    }
}

/// The digits of a quantity before and after its point, and what its suffix means; `None` for any other text.
fn parts(text: &str) -> Option<(&str, &str, (Family, i64))> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, rest) = leading_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), leading_digits);
    let unit = unit(suffix)?;
    (!text.is_empty()).then_some((whole, fraction, unit))
}

/// The family of a suffix, and its power of ten or of 1024.
fn unit(suffix: &str) -> Option<(Family, i64)> {
    if let Some(&(_, exponent)) = DECIMAL.iter().find(|(text, _)| *text == suffix) {
        return Some((Family::Decimal, exponent));
    }
    if let Some(power) = BINARY.iter().position(|text| *text == suffix) {
        return Some((Family::Binary, power as i64 + 1));
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    Some((Family::Exponent, exponent.into()))
}

/// Whether Go considers the text canonical and keeps it (quantity.go, ParseQuantity). Its test is approximate: it also
/// keeps `1.025` and `025`, which are not canonical.
///
/// `power` is that of the suffix, `scale` the power of ten of the last digit of the text.
fn is_kept(family: Family, power: i64, whole: &str, fraction: &str, scale: i64) -> bool {
    let digits = whole.len().max(1) + fraction.len();
    match family {
        Family::Decimal | Family::Exponent if digits > 18 => false,
        Family::Binary => {
            // The last three digits of a number decide whether it is divisible by 8.
            let end: u32 = whole[whole.len().saturating_sub(3)..].parse().unwrap_or(0);
            fraction.is_empty() && digits as i64 + power * 3 < 15 && !end.is_multiple_of(8)
        }
        Family::Decimal | Family::Exponent => {
            let shifted = [whole, fraction].concat();
            scale >= NANO && scale % 3 == 0 && !whole.is_empty() && !shifted.ends_with("000")
        }
    }
}

/// Multiplies a decimal number.
fn multiply(digits: &mut Vec<u8>, factor: u32) {
    let mut carry = 0;
    for digit in digits.iter_mut().rev() {
        carry += u32::from(*digit - b'0') * factor;
        *digit = b'0' + (carry % 10) as u8;
        carry /= 10;
    }
    while carry > 0 {
        digits.insert(0, b'0' + (carry % 10) as u8);
        carry /= 10;
    }
}

/// The key by which positive amounts are compared: the number of digits before the point, then the digits.
fn magnitude(digits: &[u8], exponent: i64) -> (i64, &[u8]) {
    (digits.len() as i64 + exponent, digits)
}

impl fmt::Display for Quantity {
    /// The original text if Go keeps it, or the canonical form (quantity.go, String and CanonicalizeBytes).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Written { text, .. }) = &self.written {
            return f.write_str(text);
        }
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        // Binary suffixes are for whole amounts of 1024 or more; anything else is written in decimal.
        if let (Family::Binary, Some(mut amount)) = (self.family, self.as_binary()) {
            let mut power = 0;
            while amount % 1024 == 0 && power < BINARY.len() {
                amount /= 1024;
                power += 1;
            }
            let suffix = power.checked_sub(1).and_then(|power| BINARY.get(power)).unwrap_or(&"");
            return write!(f, "{amount}{suffix}");
        }
        let zeros = self.exponent.rem_euclid(3);
        let exponent = self.exponent - zeros;
        f.write_str(std::str::from_utf8(&self.digits).map_err(|_| fmt::Error)?)?;
        (0..zeros).try_for_each(|_| f.write_str("0"))?;
        match self.family {
            Family::Exponent if exponent != 0 => write!(f, "e{exponent}"),
            // Go has no suffix for some powers, and prints 1000E as 1.
            _ => f.write_str(DECIMAL.iter().find(|(_, power)| *power == exponent).map_or("", |(s, _)| s)),
        }
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitudes =
            magnitude(&self.digits, self.exponent).cmp(&magnitude(&other.digits, other.exponent));
        self.signum().cmp(&other.signum()).then(if self.negative { magnitudes.reverse() } else { magnitudes })
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quantity {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, shown: &str) {
        let quantity = Quantity::parse(text).unwrap_or_else(|| panic!("{text} is a quantity"));
        assert_eq!(quantity.to_string(), shown, "{text}");
    }

    #[track_caller]
    fn check_resource(text: &str, shown: &str) {
        let quantity = Quantity::parse(text).unwrap_or_else(|| panic!("{text} is a quantity"));
        assert_eq!(quantity.rounded_as_resource().to_string(), shown, "{text}");
    }

    #[test]
    fn the_canonical_form_keeps_the_family_and_takes_the_largest_suffix() {
        for (text, shown) in [
            ("0", "0"),
            ("-0", "0"),
            ("0Gi", "0"),
            ("0e5", "0"),
            ("3", "3"),
            ("1000", "1k"),
            ("1000m", "1"),
            ("0.5", "500m"),
            (".5", "500m"),
            ("1.5", "1500m"),
            ("-1.5", "-1500m"),
            ("100m", "100m"),
            ("1500k", "1500k"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("1.1Gi", "1181116006400m"),
            ("500Mi", "500Mi"),
            ("1023Ki", "1023Ki"),
            ("1048577Ki", "1048577Ki"),
            ("0.5Ki", "512"),
            ("-2048Ki", "-2Mi"),
            ("1e3", "1e3"),
            ("12e4", "120e3"),
            ("1000e0", "1e3"),
            ("1e-1", "100e-3"),
            ("1e-3", "1e-3"),
            ("1E", "1E"),
            ("1e27", "1e27"),
        ] {
            check(text, shown);
        }
    }

    #[test]
    fn what_is_finer_than_a_billionth_rounds_away_from_zero() {
        for (text, shown) in [
            ("0.1n", "1n"),
            ("-0.1n", "-1n"),
            ("1.0000000001", "1000000001n"),
            ("1e-400", "1e-9"),
            ("1e-2147483648", "1e-9"),
            ("1.0000000001Ki", "1024000000103n"),
        ] {
            check(text, shown);
        }
    }

    #[test]
    fn what_go_takes_for_canonical_stays_as_written() {
        for text in [
            "+3",
            "007",
            "5.",
            "1.G",
            "1.025",
            "-1.025",
            "1.000001",
            "5.444T",
            "6.987654321G",
            "1E3",
            "1E-3",
            "01Ki",
            "+5Ki",
            "100k",
            "1e0",
            "123456789012345678",
        ] {
            check(text, text);
        }
        for (text, shown) in [
            ("1.08", "1080m"),
            ("0.025", "25m"),
            ("1.000", "1"),
            ("8000", "8k"),
            ("08Ki", "8Ki"),
            ("1E4", "10e3"),
            ("1.0Ki", "1Ki"),
            ("01.0000000001", "1000000001n"),
        ] {
            check(text, shown);
        }
    }

    #[test]
    fn amounts_have_no_limit() {
        for (text, shown) in [
            ("1e30", "1e30"),
            ("1e40", "10e39"),
            ("1e2147483647", "10e2147483646"),
            ("99999999999999999999999999999999999999999999", "99999999999999999999999999999999999999999999"),
            ("123456789012345678901234567890.123", "123456789012345678901234567890123m"),
            ("1.2345678901234567890123E", "1234567890123456789012300u"),
            ("12345678901234567890E", "12345678901234567890E"),
            // As in Go, which has no larger suffix.
            ("1000E", "1"),
        ] {
            check(text, shown);
        }
        let text = "9".repeat(100_000);
        check(&text, &text);
    }

    #[test]
    fn digits_may_be_missing() {
        for text in [".", "-.", "-", "+", "Ki", "m", ".Ki", "e5"] {
            check(text, "0");
        }
    }

    #[test]
    fn resources_round_up_to_a_thousandth() {
        for (text, shown) in [
            ("1n", "1m"),
            ("-1n", "-1m"),
            ("1024u", "2m"),
            ("0.9999", "1"),
            ("999999u", "1"),
            ("1e-9", "1e-3"),
            (".000001Ki", "2m"),
            ("1.025", "1.025"),
            ("1.000001", "1001m"),
            ("1Gi", "1Gi"),
            ("0", "0"),
        ] {
            check_resource(text, shown);
        }
    }

    #[test]
    fn binary_quantities_end_at_the_largest_integer() {
        check("9Ei", "9223372036854775807");
        check("-100Ei", "-9223372036854775807");
    }

    #[test]
    fn other_texts_are_not_quantities() {
        for text in [
            "",
            " ",
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
            "1e2147483648",
            "1e18E",
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

    #[test]
    fn quantities_are_what_kubernetes_takes_them_for() {
        #[derive(serde::Deserialize)]
        struct Recorded {
            /// Texts, and how the API server prints them as resources.
            resources: Vec<(String, String)>,
            /// Two texts, and whether the first is less (-1) or more (1).
            order: Vec<(String, String, i8)>,
        }
        let text = include_str!("../../fixtures/conformance/quantities.json");
        let Recorded { resources, order } = serde_json::from_str(text).expect("JSON");
        resources.iter().for_each(|(text, shown)| check_resource(text, shown));
        for (one, other, order) in &order {
            let [a, b] = [one, other].map(|text| Quantity::parse(text).expect("a quantity"));
            assert_eq!(a.cmp(&b) as i8, *order, "{one} {other}");
        }
        assert_eq!((resources.len(), order.len()), (284, 246));
    }

    #[test]
    fn a_sum_has_the_suffix_of_the_first_amount_that_is_not_zero() {
        let sum = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| Quantity::parse(text).expect("a quantity"));
            one.plus(&other).map(|sum| sum.to_string())
        };
        assert_eq!(sum("0", "1Gi").as_deref(), Some("1Gi"));
        assert_eq!(sum("1Gi", "0").as_deref(), Some("1Gi"));
        assert_eq!(sum("1M", "1Mi").as_deref(), Some("2048576"));
        assert_eq!(sum("250m", "1").as_deref(), Some("1250m"));
    }

    #[test]
    fn percentages_are_those_of_kubectl() {
        let percent = |part: &str, whole: &str| {
            let [part, whole] = [part, whole].map(|text| Quantity::parse(text).expect("a quantity"));
            part.percent_of(&whole)
        };
        assert_eq!(percent("245m", "3500m"), 7);
        assert_eq!(percent("29", "100"), 28);
        assert_eq!(percent("3Gi", "2Gi"), 150);
        assert_eq!(percent("1", "0"), 0);
    }

    proptest! {
        #[test]
        fn the_canonical_form_reads_back_as_the_same_amount(
            text in "[+-]?[0-9]{1,12}(\\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e-?[0-9]{1,2})?",
        ) {
            // Go has no suffix for such amounts, and prints 1000E as 1.
            let (size, largest) = (text.trim_start_matches(['+', '-']), Quantity::parse("1000E"));
            let is_lost = !text.contains(['e', 'i']) && Quantity::parse(size) >= largest;
            if let Some(quantity) = Quantity::parse(&text).filter(|_| !is_lost) {
                let canonical = quantity.to_string();
                let again = Quantity::parse(&canonical).expect("canonical");
                prop_assert_eq!(&quantity, &again);
                prop_assert_eq!(again.to_string(), canonical);
                prop_assert!(quantity.clone().rounded_as_resource() >= quantity || text.starts_with('-'));
            }
        }

        #[test]
        fn no_text_panics(text in "[-+.0-9eEKMinmk]{0,60}") {
            let _ = Quantity::parse(&text).map(|quantity| quantity.to_string());
        }
    }
}
