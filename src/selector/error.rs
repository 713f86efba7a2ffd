//! Errors about selectors, in Kubernetes' own words.
//!
//! [`ParseError`] is about text and has a position in it. [`FieldError`] is about one value of an object and has its
//! path; [`FieldErrors`] holds all errors that were found at once. [`ConversionError`] is about a selector that another
//! form cannot express.

use std::borrow::Cow;
use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use super::escapes;
use super::operator::Operator;

/// Why a text is not a selector. `Display` gives exactly Kubernetes' message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ErrorKind,
    span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// The grammar of label selectors expects something else here.
    Found { literal: String, expected: Expected },
    /// The grammar is satisfied, but a key or a value is invalid.
    Requirement(FieldErrors),
    /// A term of a field selector has none of `=`, `==`, `!=`.
    NoOperator { selector: String, term: String },
    /// A backslash in the value of a field selector is followed by this character, or by nothing.
    EscapeSequence(Option<char>),
    /// This character in the value of a field selector needs a backslash.
    Unescaped(char),
}

/// What the grammar of label selectors expects at some position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Selector,
    CommaOrEnd,
    AfterComma,
    Identifier,
    Operator,
    OpenParenthesis,
    ListStart,
    ListNext,
    ListValue,
}

impl ParseError {
    pub(super) fn new(kind: ErrorKind, span: Range<usize>) -> ParseError {
        ParseError { kind, span }
    }

    /// The position in the text, in bytes; empty if something is missing there.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// How to correct the text; `None` if the message says enough.
    pub fn hint(&self) -> Option<&'static str> {
        use Expected::{AfterComma, CommaOrEnd, ListNext, ListStart, ListValue, OpenParenthesis};
        Some(match &self.kind {
            ErrorKind::Found { expected: OpenParenthesis, .. } => {
                "put the values of in and notin in parentheses: env in (prod, qa)"
            }
            ErrorKind::Found { expected: ListStart | ListNext | ListValue, .. } => {
                "separate values with commas and end them with a parenthesis: env in (prod, qa)"
            }
            ErrorKind::Found { expected: CommaOrEnd, .. } => "join requirements with commas: app=web,tier=fe",
            ErrorKind::Found { expected: AfterComma, .. } => {
                "commas are allowed only between requirements: app=web,tier=fe"
            }
            ErrorKind::NoOperator { .. } => {
                "compare a field with a value: metadata.name=web, metadata.name!=web"
            }
            ErrorKind::EscapeSequence(_) | ErrorKind::Unescaped(_) => {
                "put a backslash before each comma, equals sign and backslash in a value, and before nothing else"
            }
            ErrorKind::Found { .. } | ErrorKind::Requirement(_) => return None,
        })
    }
}

impl Expected {
    /// The words in the message, including the comma before them; Kubernetes has none before `'('`.
    fn words(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Expected::Selector => ", expected: !, identifier, or 'end of string'",
            Expected::CommaOrEnd => ", expected: ',' or 'end of string'",
            Expected::AfterComma => ", expected: identifier after ','",
            Expected::Identifier => ", expected: identifier",
            Expected::Operator => {
                return Cow::Owned(format!(
                    ", expected: {}",
                    Operator::BINARY.map(Operator::name).join(", ")
                ));
            }
            Expected::OpenParenthesis => " expected: '('",
            Expected::ListStart => ", expected: ',', ')' or identifier",
            Expected::ListNext => ", expected: ',' or ')'",
            Expected::ListValue => ", expected: ',', or identifier",
        })
    }

    /// Whether the position is inside a requirement, not before or between requirements.
    fn is_in_requirement(self) -> bool {
        !matches!(self, Expected::Selector | Expected::CommaOrEnd | Expected::AfterComma)
    }
}

/// The prefix that apimachinery puts before all errors inside a requirement (labels/selector.go, Parser.parse).
const IN_REQUIREMENT: &str = "unable to parse requirement: ";

impl Display for ParseError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match &self.kind {
            ErrorKind::Found { literal, expected } => {
                let context = if expected.is_in_requirement() { IN_REQUIREMENT } else { "" };
                write!(f, "{context}found '{literal}'{}", expected.words())
            }
            ErrorKind::Requirement(errors) => write!(f, "{IN_REQUIREMENT}{errors}"),
            ErrorKind::NoOperator { selector, term } => {
                write!(f, "invalid selector: '{selector}'; can't understand '{term}'")
            }
            ErrorKind::EscapeSequence(Some(c)) => {
                write!(f, "invalid field selector: invalid escape sequence: \\{c}")
            }
            ErrorKind::EscapeSequence(None) => {
                f.write_str("invalid field selector: invalid escape sequence: \\")
            }
            ErrorKind::Unescaped(c) => {
                write!(f, "invalid field selector: unescaped character in value: {}", u32::from(*c))
            }
        }
    }
}

impl Error for ParseError {}

/// An error about one value of an object (apimachinery, util/validation/field/errors.go).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    path: String,
    kind: FieldErrorKind,
    detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldErrorKind {
    /// Holds the value as the message shows it.
    Invalid(String),
    /// Holds the value as the message shows it.
    Unsupported(String),
    Required,
    Forbidden,
}

impl FieldError {
    pub(super) fn invalid(path: impl Into<String>, value: &str, detail: impl Into<String>) -> FieldError {
        let kind = FieldErrorKind::Invalid(quote(value));
        FieldError { path: path.into(), kind, detail: detail.into() }
    }

    /// `None` means that the list is missing, which is shown as `null`.
    pub(super) fn invalid_list(
        path: impl Into<String>,
        values: Option<&[String]>,
        detail: &str,
    ) -> FieldError {
        let kind = FieldErrorKind::Invalid(values.map_or_else(|| "null".to_owned(), json_list));
        FieldError { path: path.into(), kind, detail: detail.to_owned() }
    }

    pub(super) fn unsupported<'a>(
        path: impl Into<String>,
        value: &str,
        supported: impl IntoIterator<Item = &'a str>,
    ) -> FieldError {
        let supported: Vec<String> = supported.into_iter().map(quote).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        FieldError { path: path.into(), kind: FieldErrorKind::Unsupported(quote(value)), detail }
    }

    pub(super) fn required(path: impl Into<String>, detail: &str) -> FieldError {
        FieldError { path: path.into(), kind: FieldErrorKind::Required, detail: detail.to_owned() }
    }

    pub(super) fn forbidden(path: impl Into<String>, detail: &str) -> FieldError {
        FieldError { path: path.into(), kind: FieldErrorKind::Forbidden, detail: detail.to_owned() }
    }

    /// The path of the value, such as `spec.selector.matchExpressions[0].key`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The message without the value, for places where it must not be shown.
    pub fn without_value(&self) -> String {
        let FieldError { path, kind, detail } = self;
        match kind {
            FieldErrorKind::Invalid(_) => format!("{path}: Invalid value: {detail}"),
            FieldErrorKind::Unsupported(_) => format!("{path}: Unsupported value: {detail}"),
            FieldErrorKind::Required | FieldErrorKind::Forbidden => self.to_string(),
        }
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let FieldError { path, kind, detail } = self;
        match kind {
            FieldErrorKind::Invalid(value) => write!(f, "{path}: Invalid value: {value}: {detail}"),
            FieldErrorKind::Unsupported(value) => write!(f, "{path}: Unsupported value: {value}: {detail}"),
            FieldErrorKind::Required => write!(f, "{path}: Required value: {detail}"),
            FieldErrorKind::Forbidden => write!(f, "{path}: Forbidden: {detail}"),
        }
    }
}

impl Error for FieldError {}

/// All errors that were found at once, at least one. A single error is printed bare, several as `[first, second]`, and
/// equal ones once (apimachinery, util/errors/errors.go, Aggregate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// `value` if there are no errors, else all of them.
    pub(super) fn ok_if_none<T>(errors: Vec<FieldError>, value: T) -> Result<T, FieldErrors> {
        if errors.is_empty() { Ok(value) } else { Err(FieldErrors(errors)) }
    }

    /// The message without the values, for places where they must not be shown.
    pub fn without_values(&self) -> String {
        aggregate(self.0.iter().map(FieldError::without_value))
    }

    /// The errors in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, FieldError> {
        self.0.iter()
    }
}

impl IntoIterator for FieldErrors {
    type Item = FieldError;
    type IntoIter = std::vec::IntoIter<FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a FieldErrors {
    type Item = &'a FieldError;
    type IntoIter = std::slice::Iter<'a, FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<FieldError> for FieldErrors {
    fn from(error: FieldError) -> FieldErrors {
        FieldErrors(vec![error])
    }
}

impl Display for FieldErrors {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&aggregate(self.0.iter().map(FieldError::to_string)))
    }
}

/// Joins messages into one: a single message is bare, and each occurs once.
fn aggregate(messages: impl Iterator<Item = String>) -> String {
    let mut seen = HashSet::new();
    let messages: Vec<String> = messages.filter(|message| seen.insert(message.clone())).collect();
    match messages.as_slice() {
        [message] => message.clone(),
        messages => format!("[{}]", messages.join(", ")),
    }
}

impl Error for FieldErrors {}

/// Why a selector has no counterpart in another form (apimachinery, apis/meta/v1/helpers.go).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError(ConversionErrorKind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConversionErrorKind {
    /// An operator that label selector objects do not have.
    Operator(String),
    /// An operator that compares integers, which label selector objects do not have.
    Comparison(Operator),
    /// An expression with an invalid key, invalid values or a wrong number of values.
    Requirement(FieldErrors),
    /// A text that is not a label selector.
    Text { selector: String, error: ParseError },
    /// A selector that selects nothing; only null does.
    Nothing,
    /// An `In` with no value or several values, which a plain map cannot express.
    NotSingle(Operator),
    /// Another operator that a plain map cannot express.
    NotEquality(Operator),
    /// An unknown operator on the way to a plain map.
    OperatorForMap(String),
}

impl ConversionError {
    pub(super) fn new(kind: ConversionErrorKind) -> ConversionError {
        ConversionError(kind)
    }

    /// The message without the values, for places where they must not be shown.
    pub fn without_values(&self) -> String {
        match &self.0 {
            ConversionErrorKind::Operator(_) => "not a valid label selector operator".to_owned(),
            ConversionErrorKind::OperatorForMap(_) => "not a valid selector operator".to_owned(),
            ConversionErrorKind::Requirement(errors) => errors.without_values(),
            ConversionErrorKind::Text { .. } => "couldn't parse the selector string".to_owned(),
            ConversionErrorKind::Comparison(_)
            | ConversionErrorKind::Nothing
            | ConversionErrorKind::NotSingle(_)
            | ConversionErrorKind::NotEquality(_) => self.to_string(),
        }
    }
}

impl Display for ConversionError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match &self.0 {
            ConversionErrorKind::Operator(name) => {
                write!(f, "{} is not a valid label selector operator", quote(name))
            }
            ConversionErrorKind::Comparison(operator) => {
                write!(f, "\"{}\" isn't supported in label selectors", operator.name())
            }
            ConversionErrorKind::Requirement(errors) => errors.fmt(f),
            ConversionErrorKind::Text { selector, error } => {
                write!(f, "couldn't parse the selector string \"{selector}\": {error}")
            }
            ConversionErrorKind::Nothing => f.write_str("only null selects nothing"),
            ConversionErrorKind::NotSingle(operator) => write!(
                f,
                "operator \"{}\" without a single value cannot be converted into the old label selector \
                 format",
                operator.api_name().unwrap_or_default(),
            ),
            ConversionErrorKind::NotEquality(operator) => write!(
                f,
                "operator \"{}\" cannot be converted into the old label selector format",
                operator.api_name().unwrap_or_default(),
            ),
            ConversionErrorKind::OperatorForMap(name) => {
                write!(f, "{} is not a valid selector operator", quote(name))
            }
        }
    }
}

impl Error for ConversionError {}

/// Quotes a string as Go's `%q` does: in double quotes, with unprintable characters escaped (strconv.Quote).
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.push_str(&escapes::go(c)),
            c if escapes::is_print(c) => quoted.push(c),
            c => quoted.push_str(&escapes::go(c)),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of strings as Go's encoding/json writes it, escaped for HTML.
fn json_list(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| json_string(value)).collect();
    format!("[{}]", values.join(","))
}

fn json_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_as_go_quotes_them() {
        assert_eq!(quote("a\"b\\c\n\x01\x07é\u{85}\u{301}'\u{a0}\u{e0001}"), {
            "\"a\\\"b\\\\c\\n\\x01\\aé\\u0085\u{301}'\\u00a0\\U000e0001\""
        });
    }

    #[test]
    fn lists_are_written_as_go_writes_json() {
        let list = ["a\"<b>\n\x01".to_owned(), String::new()];
        assert_eq!(json_list(&list), r#"["a\"\u003cb\u003e\n\u0001",""]"#);
    }

    #[test]
    fn equal_errors_print_once() {
        let error = |value| FieldError::invalid("values[0]", value, "bad");
        let errors = FieldErrors(vec![error("x"), error("x")]);
        assert_eq!(errors.to_string(), r#"values[0]: Invalid value: "x": bad"#);
        let errors = FieldErrors(vec![error("x"), error("y"), error("x")]);
        assert_eq!(errors.to_string(), {
            r#"[values[0]: Invalid value: "x": bad, values[0]: Invalid value: "y": bad]"#
        });
    }
}
