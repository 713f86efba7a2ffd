//! What rules of custom resources and admission policies say about an object.

use std::fmt;
use std::ops::Range;

use memchr::memchr_iter;

use syntax::error::Place;
use syntax::tree::Span;
use text::excerpt::Excerpt;

/// What a violated policy does. The worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// The request is denied.
    Deny,
    /// The user is warned.
    Warn,
    /// The audit log notes it.
    Audit,
}

/// A violation of a policy by an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it does.
    pub action: Action,
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding; `None` if the policy itself cannot be used.
    pub binding: Option<String>,
    /// The message: that of the policy, or the expression.
    pub message: String,
    /// The violated expression; `None` if there is none, or if the message contains it.
    pub expression: Option<String>,
    /// Whether it depends on the namespace of the object.
    pub is_of_namespace: bool,
}

/// In the words of the API server.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, message, .. } = self;
        let with =
            self.binding.as_ref().map(|binding| format!(" with binding '{binding}'")).unwrap_or_default();
        match self.action {
            Action::Deny => {
                write!(f, "ValidatingAdmissionPolicy '{policy}'{with} denied request: {message}")?
            }
            Action::Warn | Action::Audit => {
                write!(f, "Validation failed for ValidatingAdmissionPolicy '{policy}'{with}: {message}")?;
            }
        }
        self.expression.as_ref().map_or(Ok(()), |expression| write!(f, " ({expression})"))
    }
}

/// An expression that the server does not compile.
#[derive(Clone, Debug)]
pub struct ExpressionError {
    /// The path of the expression: `spec.validations[0].expression`; for a rule, that in its schema.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Why it is refused, [`INVALID`] or [`FORBIDDEN`].
    pub reason: &'static str,
    /// The message of the server, without the value and the marked text.
    pub message: String,
    /// The part of the text that the message is about.
    pub mark: Range<usize>,
    /// What to write instead; `None` if the message says enough.
    pub hint: Option<String>,
    /// The place of the expression in the text of its object.
    pub span: Span,
    /// Whether a server refuses it, too.
    pub is_certain: bool,
}

/// An expression does not compile, or has another type.
pub const INVALID: &str = "Invalid value";
/// An expression costs too much.
pub const FORBIDDEN: &str = "Forbidden";

impl ExpressionError {
    /// A certain error about a whole expression.
    pub(super) fn new(path: String, text: &str, reason: &'static str, message: String, span: Span) -> Self {
        let (mark, text) = (0..text.len(), text.to_owned());
        Self { path, text, reason, message, mark, hint: None, span, is_certain: true }
    }

    /// The number of the line with the error in `text`, which has the object, and the marked line. `line` is the number
    /// of the line where the expression begins.
    pub fn placed(&self, text: &[u8], line: usize) -> (usize, Option<Excerpt>) {
        let before = &self.text.as_bytes()[..self.mark.start.min(self.text.len())];
        // Only the lines of a literal block are those of the expression.
        let number = match text.get(self.span.start) {
            Some(b'|') => Some(line + 1 + memchr_iter(b'\n', before).count()),
            _ => (!self.text.trim_end().contains('\n')).then_some(line),
        };
        (number.unwrap_or(line), Excerpt::of(self.text.as_bytes(), self.mark.clone(), number))
    }
}

/// In the words of the API server, without the value.
impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, reason, message, .. } = self;
        write!(f, "{path}: {reason}: {message}")
    }
}

/// An expression of a policy that does not compile, and where it is.
#[derive(Clone, Debug)]
pub struct PolicyError {
    /// The kind of the policy.
    pub kind: String,
    /// The name of the policy.
    pub policy: String,
    /// The place of the error.
    pub place: Place,
    /// The error.
    pub error: ExpressionError,
    /// The line with the error.
    pub excerpt: Option<Excerpt>,
}

/// How a policy with a binding fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySummary {
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding; `None` if there is none.
    pub binding: Option<String>,
    /// The number of objects that it is about.
    pub matched: usize,
    /// The number of those that its matchConditions leave out.
    pub excluded: usize,
    /// The number of those that satisfy it.
    pub passed: usize,
    /// The number of those that do not.
    pub failed: usize,
    /// The number of those for which an expression was not evaluated.
    pub unknown: usize,
    /// What only a server knows and these expressions use.
    pub needs: Vec<&'static str>,
}

/// A rule of a custom resource that an object violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleViolation {
    /// The path of the value: `spec.items[0].name`; empty for the object.
    pub path: String,
    /// The message of the API server, without the value.
    pub message: String,
    /// The place of the value in the object's text.
    pub span: Span,
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "<nil>" } else { &self.path };
        write!(f, "{path}: {}", self.message)
    }
}
