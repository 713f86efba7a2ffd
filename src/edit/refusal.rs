//! Why an edit is not made, and where.

use std::fmt;

use syntax::error::{Error, ErrorKind, Place};
use text::excerpt::{self, Excerpt};
use text::go;

/// An error in the KEY=VAL, KEY- and CONTAINER=IMAGE arguments, with kubectl's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeError(pub(super) String);

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ChangeError {}

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
    pub refusal: Refusal,
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
        let refusal = Refusal::Unreadable { reason, is_syntax: excerpt.is_some() };
        Self { place: error.place, refusal, excerpt }
    }
}

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
    /// The source is not UTF-8.
    Encoding,
    /// The text is compressed or in an archive, which would have to be rewritten.
    Compressed,
    /// The value of this key is not a map.
    NotAMap(String),
    /// The value of this key is null, which removing the new entry could not restore.
    Null(String),
    /// The container of this name has no image.
    NoImage(String),
    /// The value of this key is written in a way that could not be restored.
    Form(String),
    /// The map of this key is an alias.
    Alias(String),
    /// The value or map of this key is merged from elsewhere.
    Merged(String),
    /// Because of an anchor, alias or merge, more than the requested change would happen.
    Shared,
    /// A key is repeated.
    Repeated,
    /// The edited text would not have the intended meaning.
    NotConfirmed,
    /// The selector would no longer match the pod template.
    Selector,
    /// A selector would become empty.
    EmptySelector,
    /// The annotations would be larger than the API server allows.
    TooLarge,
}

impl Refusal {
    /// Whether this is a syntax error, so that the line may be shown.
    pub(super) fn is_syntax(&self) -> bool {
        matches!(self, Self::Unreadable { is_syntax: true, .. })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { reason, .. } => {
                write!(f, "error converting YAML to JSON: yaml: {}", excerpt::cut(reason))
            }
            Self::Encoding => f.write_str("not edited: the text is not UTF-8"),
            Self::Compressed => f.write_str("not edited: the file is compressed, or in an archive"),
            Self::NotAMap(key) => write!(f, "not edited: {} is not a map", go::printable(key)),
            Self::Null(key) => {
                write!(f, "not edited: {} is null; write {{}} or remove it", go::printable(key))
            }
            Self::NoImage(name) => {
                write!(f, "not edited: the container {} has no image", go::printable(name))
            }
            Self::Form(key) => {
                write!(f, "not edited: {} is written with escapes, or on several lines", go::printable(key))
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
            Self::Selector => f.write_str(
                "not edited: the selector would no longer match the pod template (see --selectors)",
            ),
            Self::EmptySelector => {
                f.write_str("not edited: the selector would be empty and match everything")
            }
            Self::TooLarge => {
                f.write_str("metadata.annotations: Too long: may not be more than 262144 bytes")
            }
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.refusal)
    }
}

impl std::error::Error for EditError {}
