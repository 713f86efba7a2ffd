//! The result of reading a document's text: a tree with the repeated keys, or an error with its position.

use std::fmt;

use super::MAX_DEPTH;
use super::tree::{Node, Span};

/// A parsed document.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The whole value.
    pub root: Node,
    /// The repeated keys, in the order of the text.
    pub duplicates: Vec<Duplicate>,
    /// Whether the text has anchors, aliases or merge keys, so that one place may be the text of several values.
    pub aliased: bool,
    /// Whether nothing was left out.
    pub is_whole: bool,
}

impl Parsed {
    /// A parsed document, with duplicates in any order.
    pub(super) fn new(root: Node, mut duplicates: Vec<Duplicate>, aliased: bool) -> Self {
        duplicates.sort_by_key(|duplicate| duplicate.span.start);
        Self { root, duplicates, aliased, is_whole: true }
    }
}

/// A repeated key of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key as text.
    pub key: String,
    /// The place of the repetition.
    pub span: Span,
}

/// Why a text is not a document. It is displayed as a lower-case phrase without the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    kind: ErrorKind,
    offset: usize,
}

impl Error {
    /// An error at byte `offset` of `text`, or at its end if it is shorter.
    pub(super) fn new(kind: ErrorKind, offset: usize, text: &[u8]) -> Self {
        Self { kind, offset: offset.min(text.len()) }
    }

    /// The reason.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The byte of the text at which it is, 0-based.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Its line and its column, 1-based, in the text that was read.
    #[cfg(test)]
    pub(super) fn place_in(&self, text: &[u8]) -> (usize, usize) {
        let before = String::from_utf8_lossy(&text[..self.offset]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (1 + before.matches('\n').count(), 1 + line.chars().count())
    }
}

/// The reasons why a document's text cannot be read. Where Kubernetes has a message, it is displayed.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorKind {
    /// Invalid syntax; the scanner's reason.
    Syntax(String),
    /// A character that YAML does not allow anywhere, comments included (goyaml, readerc.go).
    ControlCharacter,
    /// A plain scalar in a flow collection that goyaml reads differently from later versions of libyaml; what to do.
    ///
    /// *Compatibility* (flow-scalars): kubectl accepts these, with a surprising meaning: `{a:}` has the key `a:`.
    FlowScalar(&'static str),
    /// Lists and maps nest deeper than [`MAX_DEPTH`].
    Depth,
    /// An alias without a preceding anchor.
    UnknownAnchor(String),
    /// An alias inside the value of its own anchor.
    Cycle(String),
    /// Aliases make the document so much larger that it must be an attack.
    ExcessiveAliasing,
    /// `<<` with something other than a map or a list of maps.
    Merge,
    /// A map or list as a key; the beginning of its text. An unrendered template, such as `{{ .Values.x }}`, is one.
    CompoundKey(String),
    /// A scalar that cannot be a key, does not have the type of its tag, or is a number that JSON does not have.
    Scalar(String),
    /// A JSON number outside the range of a 64-bit float.
    NumberOutOfRange,
}

impl ErrorKind {
    /// Whether the syntax is invalid, so that the line must be shown for the user to correct it. The other errors
    /// concern values, which messages never show.
    pub fn is_syntax(&self) -> bool {
        match self {
            Self::Syntax(_) | Self::ControlCharacter | Self::FlowScalar(_) => true,
            Self::UnknownAnchor(_) | Self::CompoundKey(_) => true,
            Self::Depth | Self::Cycle(_) | Self::ExcessiveAliasing | Self::Merge => false,
            Self::Scalar(_) | Self::NumberOutOfRange => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(reason) => f.write_str(reason),
            Self::ControlCharacter => f.write_str("control characters are not allowed"),
            Self::FlowScalar(advice) => f.write_str(advice),
            Self::Depth => write!(f, "exceeded max depth of {MAX_DEPTH}"),
            Self::UnknownAnchor(name) => write!(f, "unknown anchor '{name}' referenced"),
            Self::Cycle(name) => write!(f, "anchor '{name}' value contains itself"),
            Self::ExcessiveAliasing => f.write_str("document contains excessive aliasing"),
            Self::Merge => f.write_str("map merge requires map or sequence of maps as the value"),
            Self::CompoundKey(text) => write!(f, "invalid map key: {text}"),
            Self::Scalar(message) => f.write_str(message),
            Self::NumberOutOfRange => f.write_str("a number is out of range"),
        }
    }
}
