//! Problems in an object, and where they are.

use kinds::MAX_ANNOTATIONS;
use kinds::fields::Scalar;
use std::fmt;

use memchr::memchr_iter;

use super::values::Reason;
use manifest::object::Object;
use policy::verdict::ExpressionError;
use syntax::error::{ErrorKind, Place};
use syntax::tree::Span;
use text::excerpt::{self, Excerpt};
use text::{go, lines};

/// A problem, with its place. Displayed as `FILE:LINE (document N): problem`.
#[derive(Clone, Debug)]
pub struct PlacedViolation {
    /// Its position.
    pub place: Place,
    /// The problem.
    pub problem: Violation,
    /// The key concerned, in its line; `None` if there is no key to show. Values are never shown.
    pub excerpt: Option<Excerpt>,
    /// How to fix it; `None` if the problem says enough.
    pub hint: Option<String>,
    /// `false` if a release of Kubernetes that is newer than the known ones may accept it.
    pub is_certain: bool,
}

/// A problem in an object.
#[derive(Clone, Debug)]
pub enum Violation {
    /// A map has this key more than once.
    Repeated(String),
    /// This field, which every object needs, is missing.
    NotSet(&'static str),
    /// Kubernetes does not have this type, and no definition in the input has it.
    NoMatch {
        /// The apiVersion.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// There is neither a name nor a prefix for a generated name.
    Nameless,
    /// An invalid value: the path of the field, the value, and the rule.
    Invalid {
        /// The path of the field: `metadata.labels`.
        path: &'static str,
        /// The value.
        value: String,
        /// Whether it identifies the object or one of its keys, so that it may be shown.
        names: bool,
        /// Kubernetes' message about the rule.
        rule: String,
    },
    /// The annotations are too large.
    AnnotationsTooLong,
    /// A value has the wrong type.
    Type(ErrorKind),
    /// The schema does not have this field; holds its path.
    Unknown(String),
    /// The value of a field is not allowed for its type.
    Mistyped {
        /// The server's message.
        message: String,
        /// The value, if it is a string. It is not printed.
        text: Option<String>,
        /// Whether a string is needed, and it is a word that only YAML 1.1 takes as a boolean, such as `on`.
        is_word: bool,
    },
    /// This required field is missing; holds its path.
    Missing(String),
    /// A rule of the definition is violated; holds the path and the message of the server, without the value.
    Rule(String),
    /// The value is refused by a rule of its kind.
    Refused {
        /// The path of the field.
        path: String,
        /// Why.
        reason: Reason,
        /// Kubernetes' words; empty if the reason says it all.
        detail: String,
        /// The value, if it is a string, or the strings of a list. It is not printed.
        text: Option<String>,
    },
    /// An expression is refused.
    Expression(ExpressionError),
}

impl fmt::Display for PlacedViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // sigs.k8s.io/yaml, UnmarshalStrict
            Self::Repeated(key) => write!(f, "key {} already set in map", excerpt::quote(key)),
            // kubectl, validation/schema.go
            Self::NotSet(field) => write!(f, "error validating data: {field} not set"),
            // apimachinery, api/meta/errors.go, NoKindMatchError
            Self::NoMatch { api_version, kind } => {
                let (kind, api_version) = (excerpt::quote(kind), excerpt::quote(api_version));
                write!(f, "no matches for kind {kind} in version {api_version}")
            }
            // apimachinery, api/validation/objectmeta.go
            Self::Nameless => f.write_str("metadata.name: Required value: name or generateName is required"),
            // *Compatibility* (values-in-messages): the API server shows every value.
            Self::Invalid { path, value, rule, names: true } => {
                write!(f, "{path}: Invalid value: {}: {rule}", excerpt::quote(value))
            }
            Self::Invalid { path, rule, .. } => write!(f, "{path}: Invalid value: {rule}"),
            Self::AnnotationsTooLong => {
                write!(f, "metadata.annotations: Too long: may not be more than {MAX_ANNOTATIONS} bytes")
            }
            Self::Type(kind) => write!(f, "{kind}"),
            // apimachinery, runtime/strict_decoding_error.go
            Self::Unknown(path) => write!(f, "strict decoding error: unknown field {}", excerpt::quote(path)),
            Self::Missing(path) => write!(f, "{}: Required value", excerpt::message(&go::printable(path))),
            Self::Mistyped { message, .. } | Self::Rule(message) => {
                f.write_str(&excerpt::message(&go::printable(message)))
            }
            // *Compatibility* (values-in-messages): the API server shows the value.
            Self::Refused { path, reason, detail, .. } => {
                write!(f, "{}: {reason}", excerpt::message(&go::printable(path)))?;
                if detail.is_empty() {
                    Ok(())
                } else {
                    write!(f, ": {}", excerpt::message(&go::printable(detail)))
                }
            }
            Self::Expression(error) => f.write_str(&excerpt::message(&go::printable(&error.to_string()))),
        }
    }
}

/// A problem whose line has not been determined yet.
pub struct Unplaced {
    /// The span of the key, or of the item of a list.
    pub span: Span,
    /// Whether the span is that of a key, which may be shown. Values are never shown.
    pub is_key: bool,
    /// The problem.
    pub problem: Violation,
    /// How to fix it; `None` if the problem says enough.
    pub hint: Option<String>,
    /// What is meant, as far as one answer is right; `None` if that is not known.
    pub correction: Option<Correction>,
}

/// What is meant by a key or a value that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correction {
    /// This key, of which the one that is there is a misspelling.
    Key(String),
    /// A scalar of this type.
    Scalar(Scalar),
}

impl Unplaced {
    pub(super) fn new(span: Span, problem: Violation) -> Self {
        Self { span, is_key: false, problem, hint: None, correction: None }
    }

    pub(super) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }
}

/// Violations with their positions in the object's text.
#[derive(Default)]
pub(super) struct Violations(pub Vec<Unplaced>);

impl Violations {
    pub fn add(&mut self, span: Span, problem: Violation) {
        self.0.push(Unplaced::new(span, problem));
    }

    pub fn expression(&mut self, error: ExpressionError) {
        self.add(error.span, Violation::Expression(error));
    }

    /// Adds a problem about a name or a key.
    pub fn invalid_name(&mut self, span: Span, path: &'static str, name: &str, rules: Vec<String>) {
        for rule in rules {
            self.add(span, Violation::Invalid { path, value: name.to_owned(), names: true, rule });
        }
    }

    /// Adds a problem about a value, which is not shown.
    pub fn invalid_value(&mut self, span: Span, path: &'static str, value: &str, rules: Vec<String>) {
        for rule in rules {
            self.add(span, Violation::Invalid { path, value: value.to_owned(), names: false, rule });
        }
    }

    /// The refusals in the order of the text, which is scanned once for all of them.
    pub fn placed(mut self, object: &Object<'_>) -> Vec<PlacedViolation> {
        if self.0.is_empty() {
            return Vec::new();
        }
        self.0.sort_by_key(|refusal| refusal.span.start);
        let (text, mut line) = object.spanned_text();
        let mut passed = 0;
        let place = |Unplaced { span, is_key, problem, hint, .. }: Unplaced| {
            line += memchr_iter(b'\n', text.get(passed..span.start).unwrap_or_default()).count();
            passed = passed.max(span.start);
            let source = object.document.source.name.clone();
            let mut place = Place { source, line: Some(line), document: Some(object.document.number) };
            let excerpt = match &problem {
                _ if is_key => shown_key(text, span, line),
                Violation::Expression(error) => {
                    let (line, excerpt) = error.placed(text, line);
                    place.line = Some(line);
                    excerpt
                }
                _ => None,
            };
            let hint = match &problem {
                Violation::Expression(error) => error.hint.clone(),
                _ => hint,
            };
            let is_certain = !matches!(&problem, Violation::Expression(error) if !error.is_certain);
            PlacedViolation { place, problem, excerpt, hint, is_certain }
        };
        let mut refusals: Vec<PlacedViolation> = self.0.into_iter().map(place).collect();
        // The head and the schema may report the same problem about the metadata, the schema and a rule the same field.
        let mut here: Vec<String> = Vec::new();
        let mut last = None;
        refusals.retain(|refusal| {
            if last.as_ref() != Some(&refusal.place) {
                here.clear();
                last = Some(refusal.place.clone());
            }
            let words = refusal.problem.to_string();
            let is_new = !here.iter().any(|said| said.starts_with(&words));
            here.push(words);
            is_new
        });
        refusals
    }
}

/// The key at `span` with the blanks before it, without the rest of its line: values may be secrets.
fn shown_key(text: &[u8], span: Span, line: usize) -> Option<Excerpt> {
    let key = text.get(..span.end)?;
    let start = lines::start(text, span.start);
    let indented = key[start..span.start].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'-'));
    let start = if indented { start } else { span.start };
    Excerpt::of(&key[start..], span.start - start..span.end - start, Some(line))
}
