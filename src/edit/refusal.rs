//! Why an edit is not made.

use text::excerpt;
use text::go;

/// An edit that is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The byte of the text at which it is refused, 0-based.
    pub at: usize,
    /// Why.
    pub message: String,
    /// Whether this is a syntax error, so that the line may be shown.
    pub is_syntax: bool,
}

/// The edited text would not have the intended meaning.
pub(crate) const NOT_CONFIRMED: &str = "not edited: the edited text would mean something else";

impl Refused {
    /// A change that cannot be made.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), is_syntax: false }
    }

    /// The value or map of this key is merged from elsewhere.
    pub(crate) fn merged(at: usize, key: &str) -> Self {
        Self::new(at, format!("not edited: {} comes from a merge (<<)", go::printable(key)))
    }
}

/// The message about a text that cannot be parsed.
pub fn unreadable(reason: &str) -> String {
    format!("error converting YAML to JSON: yaml: {}", excerpt::cut(reason))
}
