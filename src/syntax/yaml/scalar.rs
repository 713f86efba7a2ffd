//! Scalars of YAML 1.1 as kubectl reads them: the meaning of plain scalars, the effect of tags, their form as keys, and
//! which strings need no quotes to be read back.
//!
//! The rules are those of goyaml v2 (resolve.go, decode.go) and of sigs.k8s.io/yaml, which converts its values to JSON.

use std::borrow::Cow;

use crate::tree::Value;
use text::go;
use text::terminal;

/// The meaning of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `null`, `~`, or empty.
    Null,
    /// `yes`, `off`, `true` ...
    Bool(bool),
    /// `12`, `0x1f`, `0777`, `1_000`.
    Int(i64),
    /// A whole number that only fits an unsigned integer.
    Uint(u64),
    /// `1.5`, `1e3`, `.inf`.
    Float(f64),
    /// A string: the text itself.
    Text,
}

/// The meaning of a plain scalar without a tag (goyaml, resolve.go).
pub fn resolve(text: &str) -> Scalar {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    if !matches!(first, b'+' | b'-' | b'.' | b'~' | b'0'..=b'9')
        && (!matches!(first, b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O')
            || text.len() > 5)
    {
        return Scalar::Text;
    }
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" => Scalar::Bool(true),
        "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" => Scalar::Bool(false),
        "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => match first {
            b'.' => fraction(text),
            b'+' | b'-' | b'0'..=b'9' => number(text),
            _ => Scalar::Text,
        },
    }
}

/// A number that begins with its point, in which underscores must be between digits.
fn fraction(text: &str) -> Scalar {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let stray =
        |(at, &byte): (usize, &u8)| byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1)));
    if bytes.iter().enumerate().any(stray) {
        return Scalar::Text;
    }
    float(&without_underscores(text)).unwrap_or(Scalar::Text)
}

/// A number that begins with a sign or a digit, in which underscores may be anywhere.
fn number(text: &str) -> Scalar {
    // Most numbers are short and decimal.
    if text.len() < 19 && (text == "0" || !text.starts_with('0')) && is_digits(text) {
        let number = text.bytes().fold(0, |number, digit| 10 * number + i64::from(digit - b'0'));
        return Scalar::Int(number);
    }
    let text = without_underscores(text);
    integer(&text)
        .or_else(|| float(&text))
        .or_else(|| i64::from_str_radix(text.strip_prefix("0b")?, 2).ok().map(Scalar::Int))
        .unwrap_or(Scalar::Text)
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) }
}

/// Go's integers with a base prefix, of which a bare `0` means octal.
fn integer(text: &str) -> Option<Scalar> {
    let (sign, digits) = split_sign(text);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match sign {
        "-" => 0_i64.checked_sub_unsigned(magnitude).map(Scalar::Int),
        "+" => i64::try_from(magnitude).ok().map(Scalar::Int),
        _ => Some(i64::try_from(magnitude).map_or(Scalar::Uint(magnitude), Scalar::Int)),
    }
}

/// `[-+]? ( \.[0-9]+ | [0-9]+ ( \.[0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`; `None` for other text and for numbers outside
/// the range of a float.
fn float(text: &str) -> Option<Scalar> {
    let (_, rest) = split_sign(text);
    let (whole, rest) = split_digits(rest);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let exponent = match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => split_sign(exponent).1,
        None if rest.is_empty() => "0",
        None => return None,
    };
    if whole.is_empty() && fraction.is_empty() || exponent.is_empty() || !is_digits(exponent) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Scalar::Float)
}

fn split_sign(text: &str) -> (&str, &str) {
    text.split_at(usize::from(text.starts_with(['+', '-'])))
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The prefix of YAML's own tags, written `!!` for short.
const YAML_TAGS: &str = "tag:yaml.org,2002:";

/// The tag that makes any scalar a merge key.
pub const MERGE_TAG: &str = "tag:yaml.org,2002:merge";

/// The meaning and text of a scalar with a tag, quoted or not (goyaml, decode.go, decoder.scalar).
///
/// Tags other than those of numbers, booleans, null, timestamps and binary data make it a string.
///
/// # Errors
///
/// The text does not have the type of the tag.
pub fn resolve_tagged<'t>(tag: &str, text: Cow<'t, str>) -> Result<(Scalar, Cow<'t, str>), String> {
    let wanted = match tag.strip_prefix(YAML_TAGS) {
        Some("int") => "int",
        Some("float") => "float",
        Some("bool") => "bool",
        Some("null") => "null",
        Some("timestamp") => "timestamp",
        Some("binary") => {
            let invalid = |_| "!!binary value contains invalid base64 data";
            let bytes = go::base64_decode(text.as_bytes()).map_err(invalid)?;
            return Ok((Scalar::Text, Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())));
        }
        _ => return Ok((Scalar::Text, text)),
    };
    let scalar = resolve(&text);
    let found = match scalar {
        Scalar::Null => "null",
        Scalar::Bool(_) => "bool",
        Scalar::Int(_) | Scalar::Uint(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Text if wanted == "timestamp" && is_timestamp(&text) => "timestamp",
        Scalar::Text => "str",
    };
    match (wanted, scalar) {
        ("float", Scalar::Int(number)) => Ok((Scalar::Float(number as f64), text)),
        _ if wanted == found => Ok((scalar, text)),
        _ => Err(format!("cannot decode !!{found} as a !!{wanted}")),
    }
}

/// Whether a plain scalar may be NaN or an infinity, judging by its first bytes.
#[inline]
pub fn may_be_infinite(text: &str) -> bool {
    matches!(text.as_bytes().first(), None | Some(b'.' | b'+' | b'-'))
}

impl Scalar {
    /// The value in the tree; `text` is that of the scalar.
    ///
    /// # Errors
    ///
    /// It is a number that JSON does not have.
    pub fn value(self, text: Cow<'_, str>) -> Result<Value, &'static str> {
        Ok(match self {
            Self::Null => Value::Null,
            Self::Bool(yes) => Value::Bool(yes),
            Self::Int(number) => Value::Int(number),
            Self::Uint(number) => float_value(number as f64)?,
            Self::Float(number) => float_value(number)?,
            Self::Text => Value::String(text.into()),
        })
    }

    /// The key in JSON; `text` is that of the scalar (sigs.k8s.io/yaml, convertToJSONableObject).
    ///
    /// # Errors
    ///
    /// It is null, or a number that Kubernetes does not accept as a key.
    pub fn key(self, text: Cow<'_, str>) -> Result<String, String> {
        match self {
            Self::Null => Err("unsupported map key: null".to_owned()),
            Self::Bool(yes) => Ok(yes.to_string()),
            Self::Int(number) => Ok(number.to_string()),
            Self::Uint(number) => Err(format!("unsupported map key: {number} is too large")),
            Self::Float(number) => Ok(float_key(number)),
            Self::Text => Ok(text.into_owned()),
        }
    }
}

/// A float in the tree. JSON is text, so a float that is printed as a whole number is read back as one.
///
/// # Errors
///
/// It is not finite.
pub fn float_value(number: f64) -> Result<Value, &'static str> {
    // encoding/json, UnsupportedValueError
    match number {
        _ if number.is_nan() => return Err("unsupported value: NaN"),
        f64::INFINITY => return Err("unsupported value: +Inf"),
        f64::NEG_INFINITY => return Err("unsupported value: -Inf"),
        _ => (),
    }
    Ok(match go::json_float(number).parse() {
        Ok(whole) => Value::Int(whole),
        Err(_) => Value::Float(number),
    })
}

/// A float as a key, which sigs.k8s.io/yaml prints with the precision of a 32-bit float.
fn float_key(number: f64) -> String {
    let single = number as f32;
    if single.is_nan() {
        ".nan".to_owned()
    } else if single.is_infinite() {
        if single > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        // The shortest digits of the 32-bit float, as a 64-bit float with the same shortest digits.
        go::float(format!("{single:e}").parse().unwrap_or(number))
    }
}

/// Whether goyaml treats this text as a timestamp, which it quotes when writing.
pub fn is_timestamp(text: &str) -> bool {
    timestamp(text).is_some()
}

/// One of goyaml's formats `2006-1-2`, `2006-1-2T15:4:5.999999999Z07:00` (also with `t`) and `2006-1-2
/// 15:4:5.999999999` (resolve.go, parseTimestamp), as accepted by Go's `time.Parse`.
fn timestamp(text: &str) -> Option<()> {
    let (year, rest) = split_digits(text);
    if year.len() != 4 {
        return None;
    }
    let (month, rest) = short_number(rest.strip_prefix('-')?)?;
    let (day, rest) = short_number(rest.strip_prefix('-')?)?;
    let date = |number: u16| i8::try_from(number).ok();
    jiff::civil::Date::new(year.parse().ok()?, date(month)?, date(day)?).ok()?;
    let Some(separator) = rest.chars().next() else {
        return Some(());
    };
    if !matches!(separator, 'T' | 't' | ' ') {
        return None;
    }
    let (hour, rest) = short_number(&rest[1..])?;
    let (minute, rest) = short_number(rest.strip_prefix(':')?)?;
    let (second, mut rest) = short_number(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if let Some((digits, after)) = rest.strip_prefix(['.', ',']).map(split_digits)
        && !digits.is_empty()
    {
        rest = after;
    }
    let zoned = match rest.as_bytes() {
        b"" => return (separator == ' ').then_some(()),
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|digit| digit.is_ascii_digit()) =>
        {
            rest[1..3] <= *"24" && rest[4..] <= *"60"
        }
        _ => false,
    };
    (zoned && separator != ' ').then_some(())
}

/// One or two digits at the start of `text`, and the text after them.
fn short_number(text: &str) -> Option<(u16, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// Whether this is a base 60 number in YAML 1.1, such as `1:30`, which goyaml reads as a string and writes in quotes:
/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?` (encode.go, base60float).
pub fn is_base60(text: &str) -> bool {
    let (_, number) = split_sign(text);
    let (sixties, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut places = sixties.split(':');
    let leading = places.next().unwrap_or_default();
    let digits_and_underscores = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    leading.starts_with(|c: char| c.is_ascii_digit())
        && digits_and_underscores(leading)
        && digits_and_underscores(fraction)
        && sixties.contains(':')
        && places.all(|place| matches!(place.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}

/// Whether the meaning of this text allows kubectl to write it without quotes: goyaml reads it as a string, and it is
/// neither a timestamp nor a base 60 number.
pub fn means_itself(text: &str) -> bool {
    resolve(text) == Scalar::Text && !is_timestamp(text) && !is_base60(text)
}

/// The bytes of words that need no quotes: letters, digits and `-./_`.
static OF_WORD: [bool; 256] = {
    let mut of_word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        of_word[byte] = matches!(byte as u8, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-'..=b'/' | b'_');
        byte += 1;
    }
    of_word
};

/// Whether `text` is simple enough to need no quotes anywhere: it starts with a letter, has only letters, digits and
/// `-./_`, and is read as a string.
pub fn is_plain_word(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && text.bytes().fold(true, |is_word, byte| is_word & OF_WORD[usize::from(byte)])
        && resolve(text) == Scalar::Text
}

/// Whether `text` has nothing but printable ASCII characters.
pub fn is_ascii_line(text: &str) -> bool {
    // Without an early exit, several bytes are checked at once.
    text.bytes().fold(true, |is_line, byte| is_line & matches!(byte, b' '..=b'~'))
}

/// Whether goyaml prints this character unescaped. It escapes control characters, the byte order mark and everything
/// beyond U+FFFF (yamlprivateh.go, is_printable).
///
/// *Compatibility* (escaped-output): everything that could be part of a terminal escape sequence is escaped as well.
pub fn is_printable(c: char) -> bool {
    c == '\n'
        || matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            && !terminal::is_command(c)
}

/// Whether the characters of `text` allow it to be plain as a block value, regardless of its meaning (goyaml,
/// emitterc.go, yaml_emitter_analyze_scalar).
pub fn plain_characters(text: &str) -> bool {
    let printable = |c| is_printable(c) && !matches!(c, '\n' | '\u{2028}' | '\u{2029}');
    let Some(first) = text.chars().next() else {
        return false;
    };
    let begins_something = match first {
        '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
            true
        }
        '-' | '?' | ':' => matches!(text.as_bytes().get(1), None | Some(b' ')) || text.starts_with("---"),
        '.' => text.starts_with("..."),
        _ => first == ' ',
    };
    let ends_something = text.ends_with([' ', ':']) || text.contains(": ") || text.contains(" #");
    !begins_something && !ends_something && (is_ascii_line(text) || text.chars().all(printable))
}

/// Whether `text`, without quotes as a value in a block map or list, is read as this string.
pub fn plain_block(text: &str) -> bool {
    means_itself(text) && plain_characters(text)
}

/// [`plain_block`] for values within `{}` and `[]`.
pub fn plain_flow(text: &str) -> bool {
    plain_block(text)
        && !text.starts_with(['?', ':'])
        && !text.chars().skip(1).any(|c| matches!(c, ',' | ':' | '?' | '[' | ']' | '{' | '}'))
}

/// [`plain_block`] for keys. Keys must end within 1,024 characters (goyaml, scannerc.go), so longer ones are not plain.
pub fn plain_block_key(text: &str) -> bool {
    plain_block(text) && fits_key(text)
}

/// [`plain_flow`] for keys.
pub fn plain_flow_key(text: &str) -> bool {
    plain_flow(text) && fits_key(text)
}

fn fits_key(text: &str) -> bool {
    text != "<<" && text.len() < 1000
}

/// Whether a label's key or value may be written without quotes anywhere. This is stricter than the rules above, so
/// that readers of other YAML versions see the same string.
///
/// It consists of letters, digits, `.`, `_`, `-` and `/` only. If it begins with a letter, it is not a word with
/// another meaning; if it begins with a digit, it has a letter that no number has, a `/`, or two dots.
pub fn plain_label(text: &str) -> bool {
    const WORDS: &[&str] =
        &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"];
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let no_number = |c: char| matches!(c.to_ascii_lowercase(), 'g'..='n' | 'p'..='w' | 'y' | 'z' | '/');
    text.len() <= 1000
        && text.chars().all(allowed)
        && text.chars().next().is_some_and(|first| match first {
            'A'..='Z' | 'a'..='z' => !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)),
            '0'..='9' => text.contains(no_number) || text.matches('.').count() >= 2,
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check_number(text: &str, expected: f64) {
        let number = match resolve(text) {
            Scalar::Int(number) => number as f64,
            Scalar::Uint(number) => number as f64,
            Scalar::Float(number) => number,
            other => panic!("{text} resolves to {other:?}"),
        };
        assert_eq!(number, expected, "{text}");
    }

    #[track_caller]
    fn check_key(text: &str, expected: Result<&str, &str>) {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(resolve(text).key(text.into()), expected, "{text}");
    }

    #[track_caller]
    fn check_tagged(tag: &str, text: &str, expected: Result<(Scalar, &str), &str>) {
        let resolved = resolve_tagged(tag, text.into());
        let resolved =
            resolved.as_ref().map(|(scalar, text)| (*scalar, &**text)).map_err(ToString::to_string);
        assert_eq!(resolved, expected.map_err(str::to_owned), "{tag} {text}");
    }

    #[test]
    fn words_resolve_only_in_the_cases_listed() {
        for text in ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"] {
            assert_eq!(resolve(text), Scalar::Bool(true), "{text}");
        }
        for text in ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"] {
            assert_eq!(resolve(text), Scalar::Bool(false), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(text), Scalar::Null, "{text}");
        }
        for text in ["tRUE", "yES", "nULL", ".iNF", "nan", "NaN", "Infinity", "inf", "=", "<<", "oN", "~x"] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
    }

    #[test]
    fn numbers_resolve_as_in_yaml_1_1() {
        for (text, expected) in [
            ("0777", 511.0),
            ("0o17", 15.0),
            ("0_8", 8.0),
            ("08", 8.0),
            ("018", 18.0),
            ("0x_1", 1.0),
            ("1__0", 10.0),
            ("+0x1", 1.0),
            ("-0x1F", -31.0),
            ("1_", 1.0),
            ("1.", 1.0),
            ("1.e3", 1000.0),
            ("00", 0.0),
            ("1e-400", 0.0),
            ("0b101", 5.0),
            ("0b+1", 1.0),
            ("0b-1", -1.0),
            ("-0b11", -3.0),
            (".1_0", 0.1),
            (".8_336", 0.8336),
            (".5e3", 500.0),
            ("-.5", -0.5),
            ("9223372036854775808", 9_223_372_036_854_775_808.0),
            ("-9223372036854775808", -9_223_372_036_854_775_808.0),
            ("+9223372036854775808", 9_223_372_036_854_775_808.0),
            ("100000000000000000000", 1e20),
        ] {
            check_number(text, expected);
        }
        for text in [
            "0o8",
            "0b2",
            "0b102",
            "0x",
            "_1",
            "1:30",
            "1e",
            "1e+",
            "100m",
            "1.2.3",
            "1e400",
            ".5_",
            "._5",
            "..5",
            ".e5",
            "-",
            "+",
            "--1",
            "0x1p3",
            "2024-01-01",
            ".",
        ] {
            assert_eq!(resolve(text), Scalar::Text, "{text}");
        }
    }

    #[test]
    fn scalars_resolve_as_kubectl_recorded() {
        // Recordings about syntax rather than words are left to the parser's tests.
        let recorded: serde_json::Value =
            serde_json::from_str(include_str!("../../../fixtures/conformance/yaml.json")).unwrap();
        let mut tested = 0;
        for case in recorded["scalars"].as_array().unwrap() {
            let text = case["scalar"].as_str().unwrap();
            if !plain_characters(text) || text.contains(" #") {
                continue;
            }
            tested += 1;
            let value = resolve(text).value(text.into());
            match (&case["json"], value) {
                (serde_json::Value::Null, Ok(Value::Null)) => {}
                (serde_json::Value::Null, Err(_)) => assert!(case["error"].is_string(), "{text}"),
                (serde_json::Value::Bool(yes), Ok(Value::Bool(read))) => assert_eq!(*yes, read, "{text}"),
                (serde_json::Value::Number(number), Ok(Value::Int(read))) => {
                    assert_eq!(number.as_f64(), Some(read as f64), "{text}");
                }
                (serde_json::Value::Number(number), Ok(Value::Float(read))) => {
                    assert_eq!(number.as_f64(), Some(read), "{text}");
                }
                (serde_json::Value::String(word), Ok(Value::String(read))) => {
                    assert_eq!(*word, read, "{text}")
                }
                (expected, read) => panic!("{text}: {read:?}, kubectl reads {expected}"),
            }
        }
        assert!(tested > 80, "only {tested} of the recorded scalars are plain words");
    }

    #[test]
    fn a_float_that_prints_whole_is_an_integer() {
        for (text, expected) in [
            ("3.0", Value::Int(3)),
            ("1e3", Value::Int(1000)),
            ("-0.0", Value::Int(0)),
            ("1e18", Value::Int(1_000_000_000_000_000_000)),
            ("1e20", Value::Float(1e20)),
            ("1.5", Value::Float(1.5)),
            ("18446744073709551615", Value::Float(18_446_744_073_709_551_615.0)),
        ] {
            assert_eq!(resolve(text).value(text.into()), Ok(expected), "{text}");
        }
        assert_eq!(resolve("-.inf").value("".into()).unwrap_err().to_string(), "unsupported value: -Inf");
    }

    #[test]
    fn keys_are_text() {
        for (text, expected) in [
            ("a", "a"),
            ("0x10", "16"),
            ("010", "8"),
            ("-0", "0"),
            ("y", "true"),
            ("off", "false"),
            ("1.5", "1.5"),
            ("1.10", "1.1"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("100000.5", "100000.5"),
            ("1e6", "1e+06"),
            ("0.00001", "1e-05"),
            ("1.123456789", "1.1234568"),
            ("16777217.5", "1.6777218e+07"),
            ("-0.0", "-0"),
            (".inf", ".inf"),
            (".nan", ".nan"),
            ("2024-01-01", "2024-01-01"),
        ] {
            check_key(text, Ok(expected));
        }
        check_key("~", Err("unsupported map key: null"));
        check_key("9223372036854775808", Err("unsupported map key: 9223372036854775808 is too large"));
    }

    #[test]
    fn tags_decide_or_refuse() {
        let yaml = |name: &str| format!("{YAML_TAGS}{name}");
        check_tagged("!", "12", Ok((Scalar::Text, "12")));
        check_tagged("!foo", "yes", Ok((Scalar::Text, "yes")));
        check_tagged(&yaml("str"), "null", Ok((Scalar::Text, "null")));
        check_tagged(&yaml("int"), "0x1f", Ok((Scalar::Int(31), "0x1f")));
        check_tagged(&yaml("bool"), "yes", Ok((Scalar::Bool(true), "yes")));
        check_tagged(&yaml("float"), "1", Ok((Scalar::Float(1.0), "1")));
        check_tagged(&yaml("null"), "", Ok((Scalar::Null, "")));
        check_tagged(&yaml("timestamp"), "2024-01-01", Ok((Scalar::Text, "2024-01-01")));
        check_tagged(&yaml("binary"), "aGVs\nbG8=", Ok((Scalar::Text, "hello")));
        check_tagged(&yaml("binary"), "/w==", Ok((Scalar::Text, "\u{fffd}")));
        check_tagged(&yaml("int"), "x", Err("cannot decode !!str as a !!int"));
        check_tagged(&yaml("int"), "1e3", Err("cannot decode !!float as a !!int"));
        check_tagged(&yaml("float"), "18446744073709551615", Err("cannot decode !!int as a !!float"));
        for bad in ["aGVsbG8", "a b=", "====", "ab==cd==", "é"] {
            check_tagged(&yaml("binary"), bad, Err("!!binary value contains invalid base64 data"));
        }
    }

    #[test]
    fn timestamps_are_those_of_goyaml() {
        for text in [
            "2024-01-01",
            "2024-1-1",
            "2024-02-29",
            "2024-01-01T00:00:00Z",
            "2024-01-01t1:2:3.5+01:00",
            "2024-01-01T00:00:00,25-24:60",
            "2024-01-01 00:00:00",
            "2024-01-01 00:00:00.123",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00 Z",
            "2024-01-01T00:00:00z",
            "2024-02-30",
            "2024-13-01",
            "2024-1-001",
            "24-01-01",
            "2024-01",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:00+25:00",
            "2024-01-01T00:00:00.Z",
            "2024-01-01é",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn base_60_numbers_are_recognised() {
        for text in ["1:30", "190:20:30", "-1_0:5", "1:30.5_"] {
            assert!(is_base60(text), "{text}");
        }
        for text in ["1:60", "10.0.0.1:80", "1", "_1:30", "1:", "a:1", "1:30:x", "1:300"] {
            assert!(!is_base60(text), "{text}");
        }
    }

    #[test]
    fn text_stands_plain_only_where_kubectl_reads_it_so() {
        let recorded: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../../fixtures/conformance/quoting.json")).unwrap();
        assert_eq!(recorded.len(), 1047);
        for case in recorded {
            let text = case["string"].as_str().unwrap();
            for (rule, holds) in [
                ("plain_ok_block", plain_block(text)),
                ("plain_ok_flow", plain_flow(text)),
                ("plain_ok_key", plain_block_key(text)),
                ("plain_ok_flow_key", plain_flow_key(text)),
            ] {
                let recorded = case[rule].as_bool().unwrap();
                assert!(recorded || !holds, "{rule} {text:?}");
                assert!(recorded || !plain_label(text), "plain_label, {rule} {text:?}");
            }
        }
    }

    #[test]
    fn text_with_inner_punctuation_stands_plain_in_blocks_only() {
        for text in ["a,b", "a[0]", "a{b}", "x?y", "a:b", "?a", ":a", "::1", "${x}"] {
            assert!(plain_block(text) && !plain_flow(text), "{text}");
        }
        for text in ["-a", "a-b", "a#b", "it's", "a\"b", "a\\b", "$x", "~/x", "=", "日本", "1.2.3", "100m"]
        {
            assert!(plain_block(text) && plain_flow(text), "{text}");
        }
        assert!(plain_block("<<") && !plain_block_key("<<") && !plain_flow_key("<<"));
    }

    #[test]
    fn labels_stand_plain_when_no_reader_could_take_them_for_something_else() {
        for text in ["web", "app.kubernetes.io/name", "v1", "1.2.3", "100m", "x86", "A_b", "e1"] {
            assert!(plain_label(text), "{text}");
        }
        for text in [
            "",
            "1",
            "1.10",
            "1e3",
            "0x1f",
            "12e5",
            "0777",
            "1-2",
            "2024-01-01",
            "true",
            "YES",
            "infinity",
            "1234567e8",
            "0e1234",
            "-a",
            ".a",
            "a b",
            "a:b",
            "é",
        ] {
            assert!(!plain_label(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_label_is_plain_everywhere(text in "[A-Za-z0-9._/-]{0,8}") {
            if plain_label(&text) {
                prop_assert!(plain_flow_key(&text));
            }
        }

        #[test]
        fn no_text_is_a_surprise(text in ".{0,12}", digits in "[-+0-9a-fxobeE._:]{0,12}") {
            for text in [text, digits] {
                let _ = (resolve(&text), plain_flow_key(&text), plain_label(&text));
                let _ = resolve_tagged("tag:yaml.org,2002:binary", text.as_str().into());
            }
        }
    }
}
