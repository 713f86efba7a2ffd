//! Why an edit is not made.

use std::fmt;

use text::excerpt;
use text::go;

/// An edit that is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The byte of the text at which it is refused, 0-based.
    pub at: usize,
    /// Why.
    pub refusal: Refusal,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.refusal)
    }
}

impl std::error::Error for Refused {}

/// Why an edit is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text cannot be parsed.
    Unreadable {
        /// Why.
        reason: String,
        /// Whether this is a syntax error, so that the line may be shown.
        is_syntax: bool,
    },
    /// The value of this key is an alias, and what it refers to would change elsewhere, too.
    Alias(String),
    /// The value or map of this key is merged from elsewhere.
    Merged(String),
    /// Because of an anchor, alias or merge, more than the requested change would happen.
    Shared,
    /// A key is repeated.
    Repeated,
    /// The edited text would not have the intended meaning.
    NotConfirmed,
    /// The change itself cannot be made, with the whole message.
    Change(String),
}

impl Refusal {
    /// Whether this is a syntax error, so that the line may be shown.
    pub fn is_syntax(&self) -> bool {
        matches!(self, Self::Unreadable { is_syntax: true, .. })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { reason, .. } => {
                write!(f, "error converting YAML to JSON: yaml: {}", excerpt::cut(reason))
            }
            Self::Alias(key) => {
                write!(f, "not edited: {} is an alias; another place would change too", go::printable(key))
            }
            Self::Merged(key) => write!(f, "not edited: {} comes from a merge (<<)", go::printable(key)),
            Self::Shared => f.write_str(
                "not edited: because of an anchor, an alias or a merge, more would change than was requested",
            ),
            Self::Repeated => f.write_str("not edited: a key is repeated"),
            Self::NotConfirmed => f.write_str("not edited: the edited text would mean something else"),
            Self::Change(message) => f.write_str(message),
        }
    }
}
