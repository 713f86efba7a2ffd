//! What can be wrong with a selector, in Kubernetes' own words.
//!
//! [`ParseError`] is about text and knows the place in it. [`FieldError`] is about one value of an object and
//! knows its path; [`FieldErrors`] are all that were found at once. [`ConversionError`] is about a selector
//! that another form cannot express.

use std::borrow::Cow;
use std::collections::HashSet;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use super::requirement::Operator;

/// Why a text is no selector. `Display` gives exactly Kubernetes' message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ErrorKind,
    span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// A label selector's grammar wants something else here.
    Found { literal: String, expected: Expected },
    /// The grammar holds, but a key or a value does not.
    Requirement(FieldErrors),
    /// A term of a field selector has none of `=`, `==`, `!=`.
    NoOperator { selector: String, term: String },
    /// A backslash in a field selector's value is followed by this, or by nothing.
    EscapeSequence(Option<char>),
    /// This character of a field selector's value needs a backslash.
    Unescaped(char),
}

/// What a label selector's grammar wants at some place.
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

    /// Where in the text, in bytes; empty when something is missing there.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What is probably to be done; nothing where the message says all.
    pub fn hint(&self) -> Option<&'static str> {
        use Expected::{AfterComma, CommaOrEnd, ListNext, ListStart, ListValue, OpenParenthesis};
        Some(match &self.kind {
            ErrorKind::Found { expected: OpenParenthesis, .. } => {
                "put the values of in and notin in parentheses: env in (prod, qa)"
            }
            ErrorKind::Found { expected: ListStart | ListNext | ListValue, .. } => {
                "separate values with commas and end them with a parenthesis: env in (prod, qa)"
            }
            ErrorKind::Found { expected: CommaOrEnd, .. } => {
                "join requirements with commas: app=web,tier=fe"
            }
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
    /// The words in the message, the comma before them included: Kubernetes has none before `'('`.
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

    /// Whether the place is inside a requirement, and not before or between requirements.
    fn is_in_requirement(self) -> bool {
        !matches!(self, Expected::Selector | Expected::CommaOrEnd | Expected::AfterComma)
    }
}

/// What apimachinery puts before all errors inside a requirement (labels/selector.go, Parser.parse).
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

/// What is wrong with one value of an object (apimachinery, util/validation/field/errors.go).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    path: String,
    kind: FieldErrorKind,
    detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldErrorKind {
    /// With the value as the message shows it.
    Invalid(String),
    /// With the value as the message shows it.
    Unsupported(String),
    Required,
    Forbidden,
}

impl FieldError {
    pub(super) fn invalid(path: impl Into<String>, value: &str, detail: impl Into<String>) -> FieldError {
        let kind = FieldErrorKind::Invalid(quote(value));
        FieldError { path: path.into(), kind, detail: detail.into() }
    }

    /// `None` is a list that isn't there, which is shown as `null`.
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

    /// Where the value stands, as in `spec.selector.matchExpressions[0].key`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The message without the value, for where that must not be shown.
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

/// Everything found wrong at once, at least one error. One prints bare, several as `[first, second]`, and
/// equal ones once (apimachinery, util/errors/errors.go, Aggregate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// `value` if there are no errors, else all of them.
    pub(super) fn ok_if_none<T>(errors: Vec<FieldError>, value: T) -> Result<T, FieldErrors> {
        if errors.is_empty() { Ok(value) } else { Err(FieldErrors(errors)) }
    }

    /// The message without the values, for where these must not be shown.
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

/// One message of many: bare if there is one, each once.
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
    /// An expression or requirement whose operator label selector objects don't know.
    Operator(String),
    /// An operator that compares integers, which label selector objects don't.
    Comparison(Operator),
    /// An expression whose key, values or their number are wrong.
    Requirement(FieldErrors),
    /// A text that is no label selector.
    Text { selector: String, error: ParseError },
    /// Nothing but null selects nothing.
    Nothing,
    /// An `In` of no or several values, which a plain map cannot express.
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

    /// The message without the values, for where these must not be shown.
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

/// A string as Go's `%q` prints it: in double quotes, with what does not print escaped (strconv.Quote).
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0b' => quoted.push_str("\\v"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c < ' ' || c == '\x7f' => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if is_printable(c) => quoted.push(c),
            c if c <= '\u{ffff}' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether Go would show `c` as it is. Rust's own escaping has Unicode's tables; it shows a combining mark
/// only behind another character, so one is put before.
fn is_printable(c: char) -> bool {
    let mut buffer = [b'a'; 5];
    let length = c.encode_utf8(&mut buffer[1..]).len();
    let pair = std::str::from_utf8(&buffer[..=length]).unwrap_or_default();
    c == '\'' || pair.escape_debug().count() == 2
}

/// A list of strings as Go's encoding/json writes it, safe for HTML as is its habit.
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
