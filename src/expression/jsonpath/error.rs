//! Errors in a template, and errors when it is applied to an object. The messages are those of client-go's
//! util/jsonpath.

use std::fmt;

use syntax::tree::Span;

/// The maximum number of nested ranges.
pub(super) const MAX_RANGES: usize = 100;

/// Why a text is not a template, and where.
///
/// kubectl shows the template before the message: `error parsing jsonpath {.a[}, unterminated array`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub(super) message: String,
    pub(super) span: Span,
}

impl ParseError {
    /// The range of the template, as the user wrote it, that the error is about, in bytes.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Why a template cannot be evaluated for an object.
///
/// kubectl shows the template before the message: `error executing jsonpath "{.a[3]}": Error executing template: array
/// index out of bounds: index 3, length 1`.
///
/// *Compatibility* (values-in-messages): where kubectl shows a value, which may be a secret, this has its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    message: String,
    pub(super) cause: Cause,
}

/// What an error means to a filter that asks whether a path exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// There is nothing, while missing keys are not allowed.
    Missing,
    /// A limit ends the whole evaluation.
    Limit,
    Other,
}

impl EvalError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: Cause::Other }
    }

    pub(super) fn because(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
