//! Values that the API server refuses, and how rules report them.

use std::fmt;

use crate::at::At;
use kinds::fields::TypeId;
use kinds::release::Release;
use policy::verdict::ExpressionError;
use syntax::tree::{Node, Span};

/// Why a value is refused, in the words of Kubernetes (apimachinery, util/validation/field).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The field has to be set.
    Required,
    /// The value is not one of those allowed.
    Unsupported,
    /// The value does not fulfil a rule.
    Invalid,
    /// None of several fields is set, of which the object needs one, or none of those with which a value must agree; the server calls
    /// it invalid.
    Lacking,
    /// The value is there twice.
    Duplicate,
    /// The field must not be set.
    Forbidden,
    /// The value does not name anything that exists in the object.
    NotFound,
    /// The text is too long.
    TooLong,
    /// The list is too long.
    TooMany,
    /// The server accepts the value, and warns.
    Warning,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Required => "Required value",
            Self::Unsupported => "Unsupported value",
            Self::Invalid | Self::Lacking => "Invalid value",
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::NotFound => "Not found",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Warning => "Warning",
        })
    }
}

/// A value that the API server refuses.
pub struct FieldError {
    /// The position to report it at.
    pub span: Span,
    /// Whether the span is that of a key.
    pub is_key: bool,
    /// The path of the field.
    pub path: String,
    /// Why.
    pub reason: Reason,
    /// More words; empty if the reason says it all.
    pub detail: String,
    /// The value, if it is a text, or the texts of a list. It is not printed.
    pub text: Option<String>,
    /// The error, if the value is an expression.
    pub expression: Option<Box<ExpressionError>>,
}

/// Collects refused values.
pub(super) struct ErrorList<'f> {
    pub(super) found: &'f mut dyn FnMut(FieldError),
    /// The whole object.
    pub(super) root: &'f Node,
    /// The type whose rules are checked; `None` for custom ones.
    pub(super) of: Option<TypeId>,
    /// The release whose rules are checked.
    pub(super) release: Release,
    /// How many there are.
    pub(super) count: usize,
}

impl<'f> ErrorList<'f> {
    /// For the rules of the newest known release about a part of the object `root`.
    pub(super) fn new(found: &'f mut dyn FnMut(FieldError), root: &'f Node) -> Self {
        Self { found, root, of: None, release: Release::KNOWN, count: 0 }
    }

    pub(super) fn add(&mut self, at: &At<'_, '_>, reason: Reason, detail: impl Into<String>) {
        let text = match at.node.as_str() {
            None if at.node.as_seq().is_some() => Some(at.texts().collect::<Vec<_>>().join(" ")),
            text => text.map(str::to_owned),
        };
        self.add_text(at, text, reason, detail.into());
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, at: &At<'_, '_>, message: impl Into<String>) {
        self.add_text(at, None, Reason::Warning, message.into());
    }

    fn add_text(&mut self, at: &At<'_, '_>, text: Option<String>, reason: Reason, detail: String) {
        self.count += 1;
        let (span, is_key, path) = (at.span, at.is_key, at.to_string());
        (self.found)(FieldError { span, is_key, path, reason, detail, text, expression: None });
    }

    /// Adds an error in an expression below `at`.
    pub(super) fn expression(&mut self, at: &At<'_, '_>, error: ExpressionError) {
        self.count += 1;
        let path = format!("{at}.{}", error.path);
        let error = ExpressionError { path: path.clone(), ..error };
        (self.found)(FieldError {
            span: error.span,
            is_key: false,
            path,
            reason: Reason::Invalid,
            detail: String::new(),
            text: None,
            expression: Some(Box::new(error)),
        });
    }

    pub(super) fn required(&mut self, at: &At<'_, '_>, detail: &str) {
        self.add(at, Reason::Required, detail);
    }

    pub(super) fn invalid(&mut self, at: &At<'_, '_>, detail: impl Into<String>) {
        self.add(at, Reason::Invalid, detail);
    }

    pub(super) fn all_invalid(&mut self, at: &At<'_, '_>, details: Vec<String>) {
        details.into_iter().for_each(|detail| self.invalid(at, detail));
    }

    /// Adds an error for each of these details about a key or a value of a map.
    pub(super) fn all_invalid_text(&mut self, at: &At<'_, '_>, text: &str, details: Vec<String>) {
        details
            .into_iter()
            .for_each(|detail| self.add_text(at, Some(text.to_owned()), Reason::Invalid, detail));
    }

    pub(super) fn forbidden(&mut self, at: &At<'_, '_>, detail: impl Into<String>) {
        self.add(at, Reason::Forbidden, detail);
    }

    pub(super) fn duplicate(&mut self, at: &At<'_, '_>) {
        self.add(at, Reason::Duplicate, "");
    }

    pub(super) fn not_found(&mut self, at: &At<'_, '_>) {
        self.add(at, Reason::NotFound, "");
    }

    pub(super) fn unsupported(&mut self, at: &At<'_, '_>, values: &[&str]) {
        self.add(at, Reason::Unsupported, supported(values));
    }
}

/// Kubernetes' list of the values that a field may have.
pub(super) fn supported(values: &[&str]) -> String {
    let mut values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    values.sort_unstable();
    format!("supported values: {}", values.join(", "))
}

/// A rule that combines fields, or a format.
pub(super) type Function = fn(&At<'_, '_>, &mut ErrorList<'_>);

/// Kubernetes' message about a number out of range (apimachinery, util/validation, InclusiveRangeError).
pub(super) fn range(low: i64, high: i64) -> String {
    match (low, high) {
        (0, i64::MAX) => "must be greater than or equal to 0".to_owned(),
        (low, i64::MAX) => format!("must be greater than or equal to {low}"),
        _ => format!("must be between {low} and {high}, inclusive"),
    }
}
