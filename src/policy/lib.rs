//! The Common Expression Language: the conditions of `--where`, the rules of custom resources, and admission policies. One
//! environment serves all of them.
//!
//! This crate is alone with the crate `cel`, whose parser and values it hides. It owns Kubernetes' functions and types of the language, the
//! limits of cost, and the messages. It never reads a source: [`Policies`] are found in an [`Input`] that the caller reads.
//!
//! **Invariants:** An expression has an answer, or an error; a panic of the parser is a refused expression. Cost is bounded. No message
//! has contents of an object.
//!
//! ```
//! use kselect_policy::Expression;
//!
//! assert!(Expression::parse("spec.replicas > 2 && has(spec.paused)").is_ok());
//! let error = Expression::parse("spec.replicas > two").unwrap_err();
//! assert_eq!(error.span(), 16..19);
//! ```

mod admission;
mod compile;
mod expressions;
mod language;
mod rules;
mod unanswered;
pub mod verdict;

use std::fmt;
use std::ops::Range;

use kinds::catalog::Catalog;
use text::{go, pattern, spelling};

pub use admission::definition::GROUP;
pub use admission::{Input, POLICY, Policies, WORD};
pub use expressions::errors;
pub use language::Expression;
pub use rules::Rules;
pub use unanswered::Unanswered;

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

/// Operators of other languages that people write in expressions, with hints; the first match counts.
const FOREIGN: &[(&str, &str)] = &[
    ("=>", "greater than or equal is written >="),
    ("=<", "less than or equal is written <="),
    ("=", "two equals signs compare: kind == \"Pod\""),
    ("and ", "conditions are joined by &&"),
    ("or ", "alternatives are joined by ||"),
    ("not ", "! negates: !has(spec.paused)"),
    ("contains ", "use a function to test strings: metadata.name.contains(\"web\")"),
    ("matches ", "use a function to test strings: metadata.name.matches(\"^web-\")"),
    ("startsWith ", "use a function to test strings: metadata.name.startsWith(\"web\")"),
    ("like ", "use a function to test strings: metadata.name.matches(\"^web-\")"),
];

/// What expressions know of an object besides its text.
#[derive(Clone, Copy, Debug)]
pub struct ObjectContext<'a> {
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
    problem: Problem,
    span: Range<usize>,
    /// What to write instead, if the problem itself does not show it.
    instead: Option<String>,
}

/// What is wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The grammar does not allow it.
    Syntax(String),
    /// There is no such variable; holds its name and the variables that there are.
    Variable(String, Vec<String>),
    /// There is no such function.
    Function(String),
    /// There is no such type.
    Type(String),
    /// The literal argument of this function is not a regular expression.
    Pattern(String, String),
    /// The types do not allow it, in the words of the API server.
    Static(String),
    /// The limits of this program do not allow it; a server may read it.
    Limit(String),
}

/// What the API server's message about most of these errors begins with.
pub const COMPILATION_FAILED: &str = "compilation failed: ";

impl ParseError {
    /// The range of the error in bytes; empty at the end of the text, or if the whole text is too long or too deeply
    /// nested.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether the error is about an unknown variable.
    pub fn is_unknown_variable(&self) -> bool {
        matches!(self.problem, Problem::Variable(..))
    }

    /// The message of the API server (cel-go, parser and checker); `None` if a server may read the expression.
    pub fn as_server(&self) -> Option<String> {
        Some(match &self.problem {
            Problem::Syntax(message) => format!("{COMPILATION_FAILED}Syntax error: {message}"),
            Problem::Variable(name, _) | Problem::Function(name) | Problem::Type(name) => {
                format!(
                    "{COMPILATION_FAILED}undeclared reference to '{}' (in container '')",
                    go::printable(name)
                )
            }
            Problem::Pattern(function, pattern) if pattern::is_invalid(pattern) => {
                if function == "matches" {
                    format!("{COMPILATION_FAILED}invalid matches argument")
                } else {
                    "program instantiation failed: error parsing regexp".to_owned()
                }
            }
            Problem::Static(message) => format!("{COMPILATION_FAILED}{message}"),
            Problem::Pattern(..) | Problem::Limit(_) => return None,
        })
    }

    /// What to write instead of an operator of another language that begins at the error in `text`; `None` if there is
    /// none.
    pub fn foreign(&self, text: &str) -> Option<&'static str> {
        let found = text.get(self.span.start..).unwrap_or_default();
        FOREIGN.iter().find(|(word, _)| found.starts_with(word)).map(|(_, hint)| *hint)
    }

    /// What to write instead in `text`; `None` if the message says enough.
    pub fn hint(&self, text: &str) -> Option<String> {
        if let Some(instead) = &self.instead {
            return Some(instead.clone());
        }
        let (name, known) = match &self.problem {
            Problem::Variable(name, known) => (name, known),
            Problem::Syntax(_) => return self.foreign(text).map(str::to_owned),
            _ => return None,
        };
        Some(match spelling::nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the variables are {}", known.join(", ")),
        })
    }

    fn whole(message: String) -> Self {
        Self { problem: Problem::Limit(message), span: 0..0, instead: None }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Syntax(message) | Problem::Static(message) | Problem::Limit(message) => {
                f.write_str(message)
            }
            Problem::Variable(name, known) => {
                write!(f, "unknown variable {}; the variables are {}", go::quote(name), known.join(", "))
            }
            Problem::Function(name) => write!(f, "unknown function {}", go::quote(name)),
            Problem::Type(name) => write!(f, "unknown type {}", go::quote(name)),
            Problem::Pattern(_, pattern) => {
                write!(f, "{} is not a regular expression", go::quote(pattern))
            }
        }
    }
}

impl std::error::Error for ParseError {}
