//! Numbers in templates (Go, text/template/parse/node.go, newNumber, and exec.go, idealConstant), but complex and
//! hexadecimal floating-point ones.

use text::go;

/// The value of a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Int(i64),
    Float(f64),
    /// An integer of more than 63 bits, which is an error only when it is used.
    Overflow,
}

impl Constant {
    /// Parses a number; the error is its message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let overflow = || format!("integer overflow: {}", go::quote(text));
        if let Some(value) = go::parse_int(text) {
            return match i64::try_from(value) {
                Ok(value) => Ok(Self::Int(value)),
                Err(_) if u64::try_from(value).is_ok() => Ok(Self::Overflow),
                Err(_) => Err(overflow()),
            };
        }
        match go::parse_float(text) {
            Some(_) if !text.contains(['.', 'e', 'E']) => Err(overflow()),
            Some(value) => Ok(Self::Float(value)),
            None => Err(format!("illegal number syntax: {}", go::quote(text))),
        }
    }

    /// Parses a character in quotes as its number.
    pub(super) fn parse_char(text: &str) -> Result<Self, String> {
        let inner = &text[1..text.len() - 1];
        let first = go::unquote_char(inner, '\'').ok_or("invalid syntax")?;
        if first.len != inner.len() {
            return Err(format!("malformed character constant: {text}"));
        }
        Ok(Constant::Int(i64::from(first.value)))
    }
}
