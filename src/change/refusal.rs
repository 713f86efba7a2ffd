//! Why an edit is not made, and where.

use std::fmt;

use edit::refusal;
use syntax::error::{Error, ErrorKind, Place};
use text::excerpt::Excerpt;

/// A value that may not be overwritten.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The position of the value's key.
    pub place: Place,
    /// The key.
    pub key: String,
    /// The existing value if it may be shown: that of a label, which identifies objects.
    pub value: Option<String>,
}

/// kubectl's message, without the place (kubectl, label.go and annotate.go).
///
/// *Compatibility* (values-in-messages): without the values of annotations, which may contain a whole Secret.
impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "'{}' already has a value ({value})", self.key),
            None => write!(f, "'{}' already has a value", self.key),
        }
    }
}

/// An edit that is not made: `FILE:LINE (document N): reason`.
#[derive(Clone, Debug)]
pub struct EditError {
    /// Where.
    pub place: Place,
    /// Why.
    pub message: String,
    /// The line of a syntax error; `None` for others.
    pub excerpt: Option<Box<Excerpt>>,
}

impl EditError {
    /// The edit of an object whose text cannot be parsed.
    pub(super) fn unreadable(error: Error) -> Self {
        let excerpt = error.detail.and_then(|detail| detail.excerpt).map(Box::new);
        let reason = match error.kind {
            ErrorKind::Yaml(error) | ErrorKind::Json(error) => error.to_string(),
            kind => kind.to_string(),
        };
        Self { place: error.place, message: refusal::unreadable(&reason), excerpt }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for EditError {}
