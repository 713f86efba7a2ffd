//! Errors between a source and an object, and their places.
//!
//! Messages name keys, types and lines, never values: the document may be a Secret, and messages end up in the logs of
//! CI systems. Only syntax errors show the line in question.

use std::{error, fmt, io, sync::Arc};

use super::foreign::{self, Foreign};
use super::parsed;
use crate::text::excerpt::{self, Excerpt};

/// The place of a document, or of a problem in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The source's name: a path as given or found, or `STDIN`.
    pub source: Arc<str>,
    /// The line in the source, 1-based; `None` if the source as a whole is meant.
    pub line: Option<usize>,
    /// The document in the source, 1-based; `None` if the source as a whole is meant.
    pub document: Option<usize>,
}

impl Place {
    /// The same without the number of the document: `file:line`.
    pub fn without_document(self) -> Self {
        Self { document: None, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::text::go::printable(&self.source))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(document) = self.document {
            write!(f, " (document {document})")?;
        }
        Ok(())
    }
}

/// A problem with a place: `FILE:LINE (document N): reason`.
#[derive(Clone, Debug)]
pub struct Error {
    /// The place.
    pub place: Place,
    /// The problem.
    pub kind: ErrorKind,
    /// Further information to show; `None` if there is none.
    pub detail: Option<Box<Detail>>,
}

/// Information about an error besides its place and its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The line with the error.
    pub excerpt: Option<Excerpt>,
    /// What the text is if it is not a manifest.
    pub foreign: Option<Foreign>,
    /// A scalar that was meant as a string but is not one without quotes, such as `true`.
    pub unquoted: Option<String>,
}

impl Error {
    /// An error without details.
    pub fn new(place: Place, kind: ErrorKind) -> Self {
        Self { place, kind, detail: None }
    }

    /// An error at byte `offset` of `text`.
    pub fn in_text(text: &[u8], offset: usize, place: Place, kind: ErrorKind) -> Self {
        // A line of binary data would help nobody.
        let shown = place.line.filter(|_| kind.is_syntax() && !foreign::is_binary(text, offset));
        let detail = Detail {
            excerpt: shown.and_then(|line| Excerpt::at(text, offset, line)),
            foreign: Foreign::of(text, offset, &place.source, &kind),
            unquoted: kind.wants_string().then(|| unquoted(&text[offset.min(text.len())..])).flatten(),
        };
        let detail = (detail != Detail::default()).then(|| Box::new(detail));
        Self { place, kind, detail }
    }

    /// The scalar that was meant as a string, and its type without quotes: `bool` or `number`.
    pub fn unquoted(&self) -> Option<(&str, &'static str)> {
        match &self.kind {
            ErrorKind::Field { found, .. } => Some((self.detail.as_ref()?.unquoted.as_deref()?, found)),
            _ => None,
        }
    }

    /// The same error for a text that is certainly this.
    pub(super) fn of_foreign(mut self, foreign: Foreign) -> Self {
        self.detail.get_or_insert_default().foreign = Some(foreign);
        self
    }

    /// What the text is if it is not a manifest.
    pub fn foreign(&self) -> Option<Foreign> {
        self.detail.as_ref()?.foreign
    }
}

/// The reason for an error, in kubectl's words.
///
/// *Compatibility* (values-in-messages): the values that kubectl shows, such as the whole document if its kind is
/// missing, are left out.
#[derive(Clone, Debug)]
pub enum ErrorKind {
    /// The source could not be read.
    Io(Arc<io::Error>),
    /// `---` followed by something other than a comment (apimachinery, util/yaml).
    Separator(String),
    /// The document is not YAML that kubectl reads.
    Yaml(Box<parsed::Error>),
    /// The document is not JSON, or a JSON stream ends too early or has an error between values.
    Json(Box<parsed::Error>),
    /// Text after the end marker of a document, and no separator before it.
    AfterEnd,
    /// Text between documents that is neither YAML nor JSON, such as logs. This is not an error.
    Words,
    /// The document is valid, but not a map: Go calls it `array`, `string`, `number` or `bool`.
    NotAMap(&'static str),
    /// A map without a `kind`.
    KindMissing {
        /// Whether it is certainly meant as an object or a List, because it has an `apiVersion` of Kubernetes, or items
        /// with the fields of objects.
        is_object: bool,
    },
    /// Text after the root value of a document, which goyaml ignores: it is indented less than the root map, or follows
    /// the closing bracket.
    AfterRoot,
    /// An object with this key instead of `kind`.
    KindMisspelt(String),
    /// A List's item has only one of `apiVersion` and `kind`, or a plain `List` has an item with neither.
    ItemWithout(&'static str),
    /// A field of the head has a value that Go's decoder rejects.
    Field {
        /// The field's path as Go names it, such as `ObjectMeta.metadata.labels`.
        field: &'static str,
        /// The type of the value, in JSON's terms.
        found: &'static str,
        /// The Go type that is expected.
        expected: &'static str,
    },
    /// `apiVersion` is more than a group and a version (apimachinery, schema.ParseGroupVersion).
    GroupVersion,
    /// `metadata.creationTimestamp` is not an RFC 3339 time.
    Time,
    /// `items` is neither a list nor null.
    Items(&'static str),
    /// A List repeats `items`, `kind` or `apiVersion` after its items.
    ListTail,
    /// Lists are nested more deeply than anyone writes them.
    Nested,
}

/// The scalar at the start of `text`, if it is a short word without quotes; otherwise `None`.
fn unquoted(text: &[u8]) -> Option<String> {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']');
    let word = &text[..text.iter().position(is_end).unwrap_or(text.len())];
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._~:".contains(byte);
    let word = std::str::from_utf8(word).ok().filter(|word| (1..=40).contains(&word.len()))?;
    word.bytes().all(|byte| is_plain(&byte)).then(|| word.to_owned())
}

impl ErrorKind {
    /// Whether a label or a name, which may be shown, is a boolean or a number instead of a string.
    fn wants_string(&self) -> bool {
        match self {
            Self::Field { field, found, expected } => {
                *expected == "string"
                    && matches!(*found, "bool" | "number")
                    && *field != "ObjectMeta.metadata.annotations"
            }
            _ => false,
        }
    }

    /// Whether the document is valid but not a Kubernetes object, such as a file of Helm values.
    pub fn is_no_object(&self) -> bool {
        matches!(self, Self::NotAMap(_) | Self::KindMissing { is_object: false })
    }

    /// Whether this is a syntax error, for which the line may be shown.
    fn is_syntax(&self) -> bool {
        match self {
            Self::Separator(_) => true,
            Self::Yaml(error) | Self::Json(error) => error.kind().is_syntax(),
            Self::Field { .. } | Self::GroupVersion | Self::Time | Self::Items(_) | Self::ItemWithout(_) => {
                false
            }
            Self::Io(_)
            | Self::AfterEnd
            | Self::Words
            | Self::NotAMap(_)
            | Self::KindMissing { .. }
            | Self::KindMisspelt(_)
            | Self::AfterRoot
            | Self::ListTail
            | Self::Nested => false,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Separator(rest) => {
                write!(f, "invalid Yaml document separator: {}", excerpt::cut(rest))
            }
            Self::Yaml(error) => {
                write!(f, "error converting YAML to JSON: yaml: {}", excerpt::cut(&error.to_string()))
            }
            Self::Json(error) => write!(f, "json: {}", excerpt::cut(&error.to_string())),
            Self::AfterEnd => f.write_str("this text after '...' is not read; write --- before it"),
            Self::Words => f.write_str("this is text, and not a document"),
            Self::NotAMap(found) => {
                write!(f, "json: cannot unmarshal {found} into Go value of type unstructured.detector")
            }
            Self::AfterRoot => f.write_str(
                "the document ends before this line, which is indented less or follows a closing bracket",
            ),
            Self::KindMissing { .. } | Self::KindMisspelt(_) => f.write_str("Object 'Kind' is missing"),
            Self::ItemWithout(field) => write!(f, "an item of a list has no {field}"),
            Self::Field { field, found, expected } => {
                write!(f, "json: cannot unmarshal {found} into Go struct field {field} of type {expected}")
            }
            Self::GroupVersion => f.write_str("apiVersion: unexpected GroupVersion string"),
            Self::Time => {
                f.write_str("metadata.creationTimestamp: cannot parse the text as an RFC 3339 time")
            }
            Self::Items(found) => {
                write!(
                    f,
                    "json: cannot unmarshal {found} into Go struct field decodeList.items of type []json.RawMessage"
                )
            }
            Self::ListTail => {
                f.write_str("apiVersion, kind or items are repeated after the items of this List")
            }
            Self::Nested => f.write_str("Lists are nested too deeply"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

impl error::Error for Error {}
