//! Errors in a template, and errors when it is applied to an object. The messages are those of client-go's
//! util/jsonpath.

use std::fmt;

use syntax::tree::Span;
use text::go;

/// The maximum number of nested ranges.
pub(super) const MAX_RANGES: usize = 100;

/// Why a text is not a template, and where.
///
/// kubectl shows the template before the message: `error parsing jsonpath {.a[}, unterminated array`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub(super) kind: ParseErrorKind,
    pub(super) span: Span,
}

impl ParseError {
    /// The range of the template, as the user wrote it, that the error is about, in bytes.
    pub fn span(&self) -> Span {
        self.span
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ParseErrorKind {
    /// `{.a`
    UnclosedAction,
    /// `{.a[0}`
    UnterminatedArray,
    /// `{.a[?(@.b}`
    UnterminatedFilter,
    /// `{.a[?(@.b)}`
    UnclosedFilter,
    /// `{"a}`
    UnterminatedQuote,
    /// `{"\q"}`, with its quotes
    InvalidQuote(String),
    /// `{.a....b}`
    MultipleRecursion,
    /// `{.a[x]}`
    InvalidIndex(String),
    /// `{.a[-]}`
    IndexNotANumber(String),
    /// `{1.2.3}`
    InvalidNumber(String),
    /// `{,}`
    UnrecognizedCharacter(char),
    /// `{.a}{.b}` as a relaxed path
    NotRelaxed,
    /// More nested ranges than [`MAX_RANGES`].
    TooManyRanges,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParseErrorKind::*;
        match &self.kind {
            UnclosedAction => f.write_str("unclosed action"),
            UnterminatedArray => f.write_str("unterminated array"),
            UnterminatedFilter => f.write_str("unterminated filter"),
            UnclosedFilter => f.write_str("unclosed array expect ]"),
            UnterminatedQuote => f.write_str("unterminated quoted string"),
            InvalidQuote(text) => write!(f, "unquote string {text} error invalid syntax"),
            MultipleRecursion => f.write_str("invalid multiple recursive descent"),
            InvalidIndex(text) => write!(f, "invalid array index {text}"),
            IndexNotANumber(text) => write!(f, "array index {text} is not a number"),
            InvalidNumber(text) => write!(f, "cannot parse number {text}"),
            UnrecognizedCharacter(c) => {
                write!(f, "unrecognized character in action: {}", go::unicode(*c))
            }
            NotRelaxed => f.write_str(
                "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
                 '{.name1.name2}'",
            ),
            TooManyRanges => write!(f, "more than {} nested ranges", MAX_RANGES),
        }
    }
}

impl std::error::Error for ParseError {}

/// Why a template cannot be evaluated for an object.
///
/// kubectl shows the template before the message: `error executing jsonpath "{.a[3]}": Error executing template: array
/// index out of bounds: index 3, length 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError(pub(super) EvalErrorKind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EvalErrorKind {
    /// A key that no input has, while missing keys are not allowed.
    NotFound(String),
    /// A value that is not a list is indexed; holds Go's name of its type.
    NotAList(&'static str),
    /// A value that is not a list is filtered; holds Go's name of its type.
    ///
    /// *Compatibility* (values-in-messages): kubectl shows the value, which may be a secret.
    NotFilterable(&'static str),
    /// Reported for the first and for the last index of a slice.
    OutOfBounds { index: i64, length: i64 },
    /// `[3:1]`
    StartsBehindEnd { start: i64, end: i64 },
    /// `[::0]`
    StepNotPositive,
    /// `{foo}`
    UnrecognizedIdentifier(String),
    /// `{end}` without a range
    NothingToEnd,
    /// `[?(@.a===1)]`
    UnrecognizedOperator(String),
    /// One side of a comparison has several results.
    SeveralToCompare,
    /// A list, a map or null is compared, or booleans are compared by order.
    InvalidComparison,
    /// For example, an integer is compared with a float.
    IncompatibleComparison,
    /// `base64decode` of a value that is not a string; holds Go's name of its type.
    NotText(&'static str),
    /// `base64decode` of a text that is not base64; holds the byte at which it is invalid.
    NotBase64(usize),
    /// `base64decode` of bytes that are not text.
    NotUtf8,
    /// `base64decode` within a range or filter.
    MisplacedFunction,
    /// The evaluation takes more than this many steps.
    TooManySteps(usize),
    /// The output is longer than this many bytes.
    TooMuchText(usize),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use EvalErrorKind::*;
        match &self.0 {
            NotFound(name) => write!(f, "{name} is not found"),
            NotAList(type_name) => write!(f, "{type_name} is not array or slice"),
            NotFilterable(type_name) => write!(f, "{type_name} is not array or slice and cannot be filtered"),
            OutOfBounds { index, length } => {
                write!(f, "array index out of bounds: index {index}, length {length}")
            }
            StartsBehindEnd { start, end } => {
                write!(f, "starting index {start} is greater than ending index {end}")
            }
            StepNotPositive => f.write_str("step must be > 0"),
            UnrecognizedIdentifier(name) => write!(f, "unrecognized identifier {name}"),
            NothingToEnd => f.write_str("not in range, nothing to end"),
            UnrecognizedOperator(text) => write!(f, "unrecognized filter operator {text}"),
            SeveralToCompare => f.write_str("can only compare one element at a time"),
            InvalidComparison => f.write_str("invalid type for comparison"),
            IncompatibleComparison => f.write_str("incompatible types for comparison"),
            NotText(type_name) => write!(f, "base64decode of a value of type {type_name}"),
            NotBase64(at) => write!(f, "base64 decode failed: illegal base64 data at input byte {at}"),
            NotUtf8 => f.write_str("base64decode of bytes that are not text; -o go-template can print them"),
            MisplacedFunction => f.write_str("base64decode must be at the end of an action"),
            TooManySteps(most) => write!(f, "the template takes more than {most} steps"),
            TooMuchText(limit) => write!(f, "the template prints more than {limit} bytes"),
        }
    }
}

impl std::error::Error for EvalError {}
