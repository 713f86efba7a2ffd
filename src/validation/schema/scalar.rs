//! Checks whether a value is valid for a [`Scalar`], according to Go's decoders of the API's types.

use kinds::fields::Scalar;
use syntax::tree::{Node, Value};
use text::format::is_time;
use text::go;
use text::quantity::Quantity;

/// Why a value is rejected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It has this JSON type, or is a number out of range.
    Type(&'static str),
    /// Its text is rejected by the decoder; holds the decoder's message.
    ///
    /// *Compatibility* (values-in-messages): Go's messages about times contain the text, which may be a secret; these
    /// do not.
    Text(String),
}

/// Checks a value that is not null.
pub(crate) fn check(scalar: Scalar, node: &Node) -> Result<(), Refused> {
    let fits = match (scalar, &node.value) {
        (Scalar::String, Value::String(_)) | (Scalar::Bool, Value::Bool(_)) => true,
        (Scalar::Int32, Value::Int(number)) => i32::try_from(*number).is_ok(),
        (Scalar::Int64, Value::Int(_)) => true,
        (Scalar::Number, Value::Int(_) | Value::Float(_)) => true,
        (Scalar::Base64, Value::String(text)) => return of_base64(text),
        (Scalar::Quantity, value) => return of_quantity(value),
        (Scalar::Time, Value::String(text)) => return of_time(is_time(text), "2006-01-02T15:04:05Z07:00"),
        (Scalar::MicroTime, Value::String(text)) => {
            return of_time(is_micro_time(text), "2006-01-02T15:04:05.000000Z07:00");
        }
        (Scalar::IntOrString, Value::String(_)) => true,
        (Scalar::IntOrString, Value::Int(number)) => i32::try_from(*number).is_ok(),
        _ => false,
    };
    if fits { Ok(()) } else { Err(Refused::Type(node.json_type())) }
}

fn of_base64(text: &str) -> Result<(), Refused> {
    match go::base64_decode(text.as_bytes()).err() {
        None => Ok(()),
        // encoding/base64, CorruptInputError
        Some(offset) => Err(Refused::Text(format!("illegal base64 data at input byte {offset}"))),
    }
}

/// apimachinery, api/resource, Quantity.UnmarshalJSON: only the text counts, whatever its type.
fn of_quantity(value: &Value) -> Result<(), Refused> {
    let words = match value {
        Value::String(text) if Quantity::is_valid(text.trim()) => return Ok(()),
        Value::Int(_) | Value::Float(_) | Value::Null => return Ok(()),
        Value::String(text) => Quantity::refusal(text.trim()),
        _ => Quantity::FORMAT,
    };
    Err(Refused::Text(words.to_owned()))
}

fn of_time(is_time: bool, layout: &str) -> Result<(), Refused> {
    if is_time { Ok(()) } else { Err(Refused::Text(format!("cannot parse as a time like {layout:?}"))) }
}

/// Go requires exactly six digits of the fraction, which the layout has.
fn is_micro_time(text: &str) -> bool {
    let fraction = text.get(19..26).unwrap_or_default();
    is_time(text)
        && fraction.starts_with('.')
        && fraction.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        && text.as_bytes().get(26).is_some_and(|byte| !byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::tree;

    #[track_caller]
    fn check_value(scalar: Scalar, good: &[&str], bad: &[(&str, &str)]) {
        for text in good {
            assert_eq!(check(scalar, &tree(text)), Ok(()), "{text}");
        }
        for (text, words) in bad {
            let refused = match check(scalar, &tree(text)) {
                Err(Refused::Type(found)) => found.to_owned(),
                Err(Refused::Text(words)) => words,
                Ok(()) => "accepted".to_owned(),
            };
            assert_eq!(refused, *words, "{text}");
        }
    }

    #[test]
    fn scalars_have_the_types_of_json() {
        check_value(
            Scalar::String,
            &["a", "''", "'1'"],
            &[("1", "number"), ("true", "bool"), ("[]", "array")],
        );
        check_value(Scalar::Bool, &["true"], &[("'true'", "string"), ("0", "number")]);
        check_value(Scalar::Number, &["1", "1.5"], &[("'1'", "string")]);
    }

    #[test]
    fn numbers_have_a_range() {
        let big = "2147483648";
        check_value(Scalar::Int32, &["1", "-2147483648"], &[(big, "number"), ("1.5", "number")]);
        check_value(Scalar::Int64, &[big], &[("1e300", "number"), ("'1'", "string")]);
        check_value(Scalar::IntOrString, &["1", "http", "50%"], &[(big, "number"), ("true", "bool")]);
    }

    #[test]
    fn quantities_are_what_their_text_says() {
        let words =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        let bad = ["1 Gi", "1GB", "''", "true", "{}"].map(|text| (text, words));
        check_value(Scalar::Quantity, &["1", "100m", "1.5Gi", "1e3", "0.1"], &bad);
        let suffix = ["1e", "100Mm", "1Mk", "1Gi5"].map(|text| (text, "unable to parse quantity's suffix"));
        check_value(Scalar::Quantity, &[], &suffix);
    }

    #[test]
    fn times_are_those_of_rfc_3339() {
        let seconds = "cannot parse as a time like \"2006-01-02T15:04:05Z07:00\"";
        check_value(Scalar::Time, &["'2026-01-02T03:04:05Z'"], &[("2026-01-02", seconds), ("5", "number")]);
        let micro = "cannot parse as a time like \"2006-01-02T15:04:05.000000Z07:00\"";
        let bad =
            ["'2026-01-02T03:04:05Z'", "'2026-01-02T03:04:05.12345Z'", "'2026-01-02T03:04:05.1234567Z'"];
        check_value(Scalar::MicroTime, &["'2026-01-02T03:04:05.123456Z'"], &bad.map(|text| (text, micro)));
    }

    #[test]
    fn bytes_are_base64() {
        let bad = [
            ("YQ", "illegal base64 data at input byte 0"),
            ("plain text", "illegal base64 data at input byte 5"),
        ];
        check_value(Scalar::Base64, &["YQ==", "''"], &bad);
    }
}
