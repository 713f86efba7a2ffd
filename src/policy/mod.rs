//! The Common Expression Language: the conditions of `--where`, the rules of custom resources, and admission policies. One
//! environment serves all of them.
//!
//! A build without the feature `where` has no expressions, and none of the crates that parse and evaluate them.

#[cfg(feature = "where")]
mod admission;
#[cfg(feature = "where")]
mod language;
#[cfg(feature = "where")]
mod rules;
mod unanswered;
pub mod verdict;
#[cfg(not(feature = "where"))]
mod without;

use std::fmt;
use std::ops::Range;

use crate::catalog::Catalog;

#[cfg(feature = "where")]
pub use admission::Policies;
#[cfg(feature = "where")]
pub use language::Expression;
#[cfg(feature = "where")]
pub use rules::Rules;
pub use unanswered::Unanswered;
#[cfg(not(feature = "where"))]
pub use without::{Expression, Policies, Rules};

/// Whether this build has expressions.
pub const BUILT_IN: bool = cfg!(feature = "where");

/// The variables of expressions besides columns: the object, parts of it for short, and the current time.
pub const VARIABLES: [&str; 11] = [
    "object",
    "metadata",
    "spec",
    "status",
    "kind",
    "apiVersion",
    "labels",
    "annotations",
    "podSpec",
    "containers",
    "now",
];

/// What expressions know of an object besides its text.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// All kinds.
    pub catalog: &'a Catalog,
    /// The namespace of the object; empty if its kind is cluster-scoped.
    pub namespace: &'a str,
}

/// The answer of an object to an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The expression is true.
    Holds,
    /// The expression is false.
    Fails,
    /// The expression cannot be evaluated for this object.
    Unknown(Unknown),
}

/// Why an expression cannot be evaluated for an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The expression reads a field that the object does not have.
    Missing {
        /// The field as the expression names it: `c.resources.limits`.
        field: String,
        /// How to read it if it may be missing: `c.?resources.?limits.orValue(...)`; `None` if that is not known.
        instead: Option<String>,
    },
    /// The values have other types than the expression needs, or a function fails. It contains no values.
    Failed(String),
    /// The loops of the expression took too long, for this object or for all objects together.
    TooExpensive(String),
    /// The expression is not a condition; holds the type of its value.
    NotACondition(String),
}

/// An expression that cannot be evaluated for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The text of the expression.
    pub expression: String,
    /// Why it cannot be evaluated.
    pub cause: Cause,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { field, .. } => write!(f, "there is no {field}"),
            Self::Failed(reason) | Self::TooExpensive(reason) => f.write_str(reason),
            Self::NotACondition(type_name) => {
                write!(f, "it is not a condition: its value is of type {type_name}")
            }
        }
    }
}

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

    /// Whether the error is about an unknown variable.
    pub fn is_unknown_variable(&self) -> bool {
        self.message.starts_with("unknown variable")
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
