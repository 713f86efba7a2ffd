//! The reasons why a text is no object.

use std::{fmt, io, sync::Arc};

use super::parsed;
use super::syntax::Syntax;
use text::excerpt;
use text::reason::reason;

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
    /// The text begins as JSON and is YAML, as which kubectl reads it since 1.33 (kubernetes/kubernetes#130666).
    NotJson(Box<parsed::Error>),
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
        /// Whether it has no metadata either, so that it says of no object which one it is, as a patch with a target.
        is_part: bool,
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
    /// The field at this path, as Go names it, is not an RFC 3339 time.
    Time(&'static str),
    /// `items` is neither a list nor null.
    Items(&'static str),
    /// A List repeats `items`, `kind` or `apiVersion` after its items.
    ListTail,
    /// Lists are nested more deeply than anyone writes them.
    Nested,
}

impl ErrorKind {
    /// The reason why a text with this syntax cannot be read.
    pub fn unreadable(syntax: Syntax, error: parsed::Error) -> Self {
        match syntax {
            Syntax::Yaml => Self::Yaml(Box::new(error)),
            Syntax::Json => Self::Json(Box::new(error)),
        }
    }

    /// Whether a label or a name, which may be shown, is a boolean or a number instead of a string.
    pub(super) fn wants_string(&self) -> bool {
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
        matches!(self, Self::NotAMap(_) | Self::KindMissing { is_object: false, .. })
    }

    /// Whether this is a syntax error, for which the line may be shown.
    pub(super) fn is_syntax(&self) -> bool {
        match self {
            Self::Separator(_) => true,
            Self::Yaml(error) | Self::Json(error) | Self::NotJson(error) => error.kind().is_syntax(),
            Self::Field { .. }
            | Self::GroupVersion
            | Self::Time(_)
            | Self::Items(_)
            | Self::ItemWithout(_) => false,
            Self::Io(_) | Self::AfterEnd | Self::Words | Self::NotAMap(_) | Self::KindMissing { .. } => false,
            Self::KindMisspelt(_) | Self::AfterRoot | Self::ListTail | Self::Nested => false,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => f.write_str(&reason(error)),
            Self::Separator(rest) => {
                write!(f, "invalid Yaml document separator: {}", excerpt::cut(rest))
            }
            Self::Yaml(error) => {
                write!(f, "error converting YAML to JSON: yaml: {}", excerpt::cut(&error.to_string()))
            }
            Self::Json(error) => write!(f, "json: {}", excerpt::cut(&error.to_string())),
            Self::NotJson(error) => {
                let error = excerpt::cut(&error.to_string()).into_owned();
                write!(f, "text that starts with a brace must be JSON for kubectl before 1.33: {error}")
            }
            Self::AfterEnd => f.write_str("this text after '...' is not read; write --- before it"),
            Self::Words => f.write_str("this is text, not a document"),
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
            Self::Time(field) => {
                let (_, path) = field.split_once('.').unwrap_or_default();
                write!(f, "{path}: cannot parse the text as an RFC 3339 time")
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
