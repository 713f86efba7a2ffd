//! Scalars as Go decodes and writes them.

use jiff::Timestamp;

use crate::fields::Scalar;
use syntax::tree::Value;
use text::go;
use text::quantity::Quantity;

/// The value as the server writes it; `None` if it stays as it is, also because it has another type.
pub fn canonical(scalar: Scalar, value: &Value) -> Option<Value> {
    match (scalar, value) {
        (Scalar::Quantity, Value::String(text)) => Some(quantity(text)),
        (Scalar::Quantity, Value::Int(number)) => Some(quantity(&number.to_string())),
        (Scalar::Quantity, Value::Float(number)) => Some(quantity(&go::float(*number))),
        (Scalar::Time, Value::String(text)) => time(text, ""),
        (Scalar::MicroTime, Value::String(text)) => time(text, "%.6f"),
        (Scalar::Base64, Value::String(text)) => {
            let bytes = go::base64_decode(text.as_bytes()).ok()?;
            Some(Value::String(go::base64_encode(&bytes).into()))
        }
        _ => None,
    }
}

fn quantity(text: &str) -> Value {
    let canonical = Quantity::parse(text).map(|quantity| quantity.to_string());
    Value::String(canonical.unwrap_or_else(|| text.to_owned()).into())
}

/// A time in UTC.
fn time(text: &str, fraction: &str) -> Option<Value> {
    let time: Timestamp = text.parse().ok()?;
    Some(Value::String(time.strftime(&format!("%Y-%m-%dT%H:%M:%S{fraction}Z")).to_string().into()))
}

/// What is written for a value that is not set.
pub fn zero(scalar: Scalar) -> Value {
    match scalar {
        Scalar::String | Scalar::Base64 => Value::String("".into()),
        Scalar::Bool => Value::Bool(false),
        Scalar::Int32 | Scalar::Int64 | Scalar::Number | Scalar::IntOrString => Value::Int(0),
        Scalar::Quantity => Value::String("0".into()),
        Scalar::Time | Scalar::MicroTime => Value::Null,
    }
}
