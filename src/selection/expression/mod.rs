//! Expressions of the Common Expression Language, for `--where`: their variables, whether an object satisfies them, and
//! errors in them.
//!
//! A build without the feature `where` has no expressions, and none of the crates that parse and evaluate them.

#[cfg(feature = "where")]
mod language;
#[cfg(not(feature = "where"))]
mod without;

use std::fmt;
use std::ops::Range;

use crate::manifest::error::{Error, Place};
use crate::text::excerpt;
use crate::text::go;

#[cfg(feature = "where")]
pub use language::Expression;
#[cfg(not(feature = "where"))]
pub use without::Expression;

/// Whether this build has expressions.
pub const BUILT_IN: bool = cfg!(feature = "where");

/// The variables of expressions: the object, and parts of it for short.
pub const VARIABLES: [&str; 8] =
    ["object", "metadata", "spec", "status", "kind", "apiVersion", "labels", "annotations"];

/// The answer of an object to an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The expression is true.
    Holds,
    /// The expression is false.
    Fails,
    /// The expression reads a field or an element that the object does not have. This is not an error: the expression
    /// does not hold. Holds the name of the field, or `element` and its index.
    Missing(String),
}

/// Why an expression cannot be evaluated.
#[derive(Clone, Debug)]
pub enum EvaluationError {
    /// The object's text cannot be parsed.
    Unreadable(Error),
    /// Evaluation failed: the place of the object, the expression and the reason.
    Failed(Place, String, String),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Failed(place, text, reason) => {
                write!(f, "{place}: --where {}: {}", excerpt::quote(text), go::printable(reason))
            }
        }
    }
}

impl std::error::Error for EvaluationError {}

/// An error in the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    span: Range<usize>,
}

impl ParseError {
    /// The range of the error in bytes; empty at the end of the text, or if the whole text is too long or too deeply
    /// nested.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn whole(message: String) -> Self {
        Self { message, span: 0..0 }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}
