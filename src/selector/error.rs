//! Errors about selectors, in Kubernetes' own words.
//!
//! [`ParseError`] is about text and has a position in it. [`FieldError`] is about one value of an object and has its
//! path; [`FieldErrors`] holds all errors that were found at once. [`ConversionError`] is about a selector that another
//! form cannot express.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use super::escapes;
use super::operator::Operator;

/// Why a text is not a selector. `Display` gives exactly Kubernetes' message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    hint: Option<&'static str>,
    span: Range<usize>,
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

/// The prefix that apimachinery puts before all errors inside a requirement (labels/selector.go, Parser.parse).
const IN_REQUIREMENT: &str = "unable to parse requirement: ";

impl ParseError {
    pub(super) fn new(message: String, span: Range<usize>, hint: Option<&'static str>) -> ParseError {
        ParseError { message, hint, span }
    }

    /// The grammar expects something else than `literal`.
    pub(super) fn found(literal: &str, expected: Expected, span: Range<usize>) -> ParseError {
        let values = "separate values with commas and end them with a parenthesis: env in (prod, qa)";
        let commas = "commas are allowed only between requirements: app=web,tier=fe";
        let parentheses = "put the values of in and notin in parentheses: env in (prod, qa)";
        let join = "join requirements with commas: app=web,tier=fe";
        // Kubernetes has no comma before `'('`.
        let (context, words, hint) = match expected {
            Expected::Selector => ("", ", expected: !, identifier, or 'end of string'", None),
            Expected::CommaOrEnd => ("", ", expected: ',' or 'end of string'", Some(join)),
            Expected::AfterComma => ("", ", expected: identifier after ','", Some(commas)),
            Expected::Identifier => (IN_REQUIREMENT, ", expected: identifier", None),
            Expected::Operator => (IN_REQUIREMENT, ", expected: ", None),
            Expected::OpenParenthesis => (IN_REQUIREMENT, " expected: '('", Some(parentheses)),
            Expected::ListStart => (IN_REQUIREMENT, ", expected: ',', ')' or identifier", Some(values)),
            Expected::ListNext => (IN_REQUIREMENT, ", expected: ',' or ')'", Some(values)),
            Expected::ListValue => (IN_REQUIREMENT, ", expected: ',', or identifier", Some(values)),
        };
        let operators = match expected {
            Expected::Operator => Operator::BINARY.map(Operator::name).join(", "),
            _ => String::new(),
        };
        ParseError::new(format!("{context}found '{literal}'{words}{operators}"), span, hint)
    }

    /// The grammar is satisfied, but a key or a value is invalid.
    pub(super) fn requirement(errors: &FieldErrors, span: Range<usize>) -> ParseError {
        ParseError::new(format!("{IN_REQUIREMENT}{errors}"), span, None)
    }

    /// The position in the text, in bytes; empty if something is missing there.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// How to correct the text; `None` if the message says enough.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

impl Display for ParseError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ParseError {}

/// An error about one value of an object (apimachinery, util/validation/field/errors.go).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldError {
    path: String,
    problem: &'static str,
    /// The value as the message shows it.
    value: Option<String>,
    detail: String,
}

impl FieldError {
    pub(super) fn invalid(path: impl Into<String>, value: &str, detail: impl Into<String>) -> FieldError {
        let (path, detail) = (path.into(), detail.into());
        FieldError { path, problem: "Invalid value", value: Some(quote(value)), detail }
    }

    /// `None` means that the list is missing, which is shown as `null`.
    pub(super) fn invalid_list(
        path: impl Into<String>,
        values: Option<&[String]>,
        detail: &str,
    ) -> FieldError {
        let value = Some(values.map_or_else(|| "null".to_owned(), json_list));
        FieldError { path: path.into(), problem: "Invalid value", value, detail: detail.to_owned() }
    }

    pub(super) fn unsupported<'a>(
        path: impl Into<String>,
        value: &str,
        supported: impl IntoIterator<Item = &'a str>,
    ) -> FieldError {
        let supported: Vec<String> = supported.into_iter().map(quote).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        FieldError { path: path.into(), problem: "Unsupported value", value: Some(quote(value)), detail }
    }

    pub(super) fn required(path: impl Into<String>, detail: &str) -> FieldError {
        FieldError { path: path.into(), problem: "Required value", value: None, detail: detail.to_owned() }
    }

    pub(super) fn forbidden(path: impl Into<String>, detail: &str) -> FieldError {
        FieldError { path: path.into(), problem: "Forbidden", value: None, detail: detail.to_owned() }
    }

    /// The path of the value, such as `spec.selector.matchExpressions[0].key`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The message without the value, for places where it must not be shown.
    pub fn without_value(&self) -> String {
        let FieldError { path, problem, detail, .. } = self;
        format!("{path}: {problem}: {detail}")
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let FieldError { path, problem, value, detail } = self;
        match value {
            Some(value) => write!(f, "{path}: {problem}: {value}: {detail}"),
            None => write!(f, "{path}: {problem}: {detail}"),
        }
    }
}

impl Error for FieldError {}

/// All errors that were found at once, at least one. A single error is printed bare, several as `[first, second]`, and
/// equal ones once (apimachinery, util/errors/errors.go, Aggregate).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
pub struct ConversionError {
    message: String,
    without_values: String,
}

impl ConversionError {
    pub(super) fn new(message: impl Into<String>) -> ConversionError {
        let message = message.into();
        ConversionError { without_values: message.clone(), message }
    }

    /// An expression with an invalid key, invalid values or a wrong number of values.
    pub(super) fn requirement(errors: &FieldErrors) -> ConversionError {
        ConversionError { message: errors.to_string(), without_values: errors.without_values() }
    }

    /// A word of the user, and what is wrong with it, without "is".
    pub(super) fn of(word: &str, problem: &str) -> ConversionError {
        let message = format!("{} is {problem}", quote(word));
        ConversionError { message, without_values: problem.to_owned() }
    }

    /// A text that is not a label selector.
    pub(super) fn of_text(text: &str, error: &ParseError) -> ConversionError {
        let problem = "couldn't parse the selector string";
        let message = format!("{problem} \"{text}\": {error}");
        ConversionError { message, without_values: problem.to_owned() }
    }

    /// The message without the values, for places where they must not be shown.
    pub fn without_values(&self) -> String {
        self.without_values.clone()
    }
}

impl Display for ConversionError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ConversionError {}

/// Quotes a string as Go's `%q` does: in double quotes, with unprintable characters escaped (strconv.Quote).
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            c if escapes::is_print(c) && !matches!(c, '"' | '\\') => quoted.push(c),
            c => quoted.push_str(&escapes::go(c)),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of strings as JSON.
fn json_list(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| quote(value)).collect();
    format!("[{}]", values.join(","))
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
    fn lists_are_written_as_json() {
        let list = ["a\"b\n".to_owned(), String::new()];
        assert_eq!(json_list(&list), r#"["a\"b\n",""]"#);
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
