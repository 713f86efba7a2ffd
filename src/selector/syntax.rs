//! The text of a label selector: tokens with their positions, and the grammar.
//!
//! The grammar is exactly as strict as apimachinery's parser (labels/selector.go, Lexer and Parser), down to the token
//! at which an error is reported.

use std::ops::Range;

use super::error::{Expected, FieldError, FieldErrors, ParseError};
use super::operator::{Operands, Operator};
use super::requirement::Requirement;
use super::validation;

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    End,
    Comma,
    Open,
    Close,
    Not,
    /// Includes the words `in` and `notin`, which may also be keys and values.
    Operator(Operator),
    Word,
}

#[derive(Clone, Copy)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    /// Whether it can be a key or a value.
    fn is_identifier(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Operator(Operator::In | Operator::NotIn))
    }

    fn starts_requirement(&self) -> bool {
        self.is_identifier() || self.kind == TokenKind::Not
    }

    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The empty value that is implied if a value is missing before this token.
    fn empty_before(&self) -> Token<'static> {
        Token { kind: TokenKind::Word, text: "", start: self.start }
    }

    fn instead_of(&self, expected: Expected) -> ParseError {
        ParseError::found(self.text, expected, self.span())
    }
}

/// The tokens of a text, with one token of lookahead.
struct Tokens<'a> {
    text: &'a str,
    /// The position after `ahead` and before any blanks.
    position: usize,
    ahead: Token<'a>,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Tokens<'a> {
        let mut tokens =
            Tokens { text, position: 0, ahead: Token { kind: TokenKind::End, text: "", start: 0 } };
        tokens.next();
        tokens
    }

    fn peek(&self) -> Token<'a> {
        self.ahead
    }

    /// Returns the lookahead token and moves past it, except at the end.
    fn next(&mut self) -> Token<'a> {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let token = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let start = self.text.len() - token.len();
        let (kind, length) = scan(token);
        let text = token.get(..length).unwrap_or_default();
        self.position = start + length;
        // apimachinery's lexer swallows a NUL that ends a token; elsewhere, a NUL is the end of the text.
        if kind != TokenKind::End && token.as_bytes().get(length) == Some(&0) {
            self.position += 1;
        }
        std::mem::replace(&mut self.ahead, Token { kind, text, start })
    }
}

/// The kind and length of the token at the beginning of `text`. Symbols are as long as possible; words consist of all
/// characters that are neither blank nor special.
fn scan(text: &str) -> (TokenKind, usize) {
    let symbols = Operator::BINARY.into_iter().filter(|operator| text.starts_with(operator.symbol()));
    let is_end_of_word =
        |c| matches!(c, '\0' | ' ' | '\t' | '\r' | '\n' | '=' | '!' | '(' | ')' | ',' | '>' | '<');
    match text.bytes().next() {
        None | Some(0) => (TokenKind::End, 0),
        Some(b'=' | b'!' | b'>' | b'<') => match symbols.max_by_key(|operator| operator.symbol().len()) {
            Some(operator) => (TokenKind::Operator(operator), operator.symbol().len()),
            None => (TokenKind::Not, 1),
        },
        Some(b'(') => (TokenKind::Open, 1),
        Some(b')') => (TokenKind::Close, 1),
        Some(b',') => (TokenKind::Comma, 1),
        Some(_) => {
            let length = text.find(is_end_of_word).unwrap_or(text.len());
            let word = text.get(..length).unwrap_or_default();
            let operator = Operator::BINARY.into_iter().find(|operator| operator.symbol() == word);
            (operator.map_or(TokenKind::Word, TokenKind::Operator), length)
        }
    }
}

/// The requirements of a label selector, in the order of the text.
///
/// ```text
/// selector    := [ requirement { "," requirement } ]
/// ```
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, ParseError> {
    let mut tokens = Tokens::new(text);
    let mut requirements = Vec::new();
    match tokens.peek() {
        first if first.kind == TokenKind::End => return Ok(requirements),
        first if !first.starts_requirement() => return Err(first.instead_of(Expected::Selector)),
        _ => {}
    }
    loop {
        requirements.push(requirement(&mut tokens)?);
        let next = tokens.next();
        match next.kind {
            TokenKind::End => return Ok(requirements),
            TokenKind::Comma if tokens.peek().starts_requirement() => {}
            TokenKind::Comma => return Err(tokens.peek().instead_of(Expected::AfterComma)),
            TokenKind::Open
            | TokenKind::Close
            | TokenKind::Not
            | TokenKind::Operator(_)
            | TokenKind::Word => {
                return Err(next.instead_of(Expected::CommaOrEnd));
            }
        }
    }
}

/// ```text
/// requirement := "!" KEY
///              | KEY
///              | KEY ( "=" | "==" | "!=" | ">" | "<" ) [ VALUE ]
///              | KEY ( "in" | "notin" ) list
/// ```
///
/// The key is validated before anything after it is read.
fn requirement(tokens: &mut Tokens) -> Result<Requirement, ParseError> {
    let negation = tokens.peek().kind == TokenKind::Not;
    if negation {
        tokens.next();
    }
    let key = tokens.next();
    if !key.is_identifier() {
        return Err(key.instead_of(Expected::Identifier));
    }
    let messages = validation::label_key(key.text);
    if !messages.is_empty() {
        let error = FieldErrors::from(FieldError::invalid("<nil>", key.text, messages.join("; ")));
        return Err(ParseError::requirement(&error, key.span()));
    }
    let (operator, mut values) = match tokens.peek().kind {
        _ if negation => (Operator::DoesNotExist, Vec::new()),
        TokenKind::End | TokenKind::Comma => (Operator::Exists, Vec::new()),
        TokenKind::Operator(operator) => {
            tokens.next();
            let values = match operator.operands() {
                Operands::Set => list(tokens)?,
                Operands::Value | Operands::Integer => vec![value(tokens)?],
                Operands::Nothing => Vec::new(),
            };
            (operator, values)
        }
        TokenKind::Open | TokenKind::Close | TokenKind::Not | TokenKind::Word => {
            return Err(tokens.peek().instead_of(Expected::Operator));
        }
    };
    values.sort_by_key(|value| value.text);
    values.dedup_by_key(|value| value.text);
    let texts = values.iter().map(|value| value.text);
    Requirement::new(key.text, operator, texts).map_err(|errors| {
        let is_invalid = |value: &&Token| !validation::label_value(value.text).is_empty();
        let culprit = values.iter().find(is_invalid).or(values.first()).unwrap_or(&key);
        ParseError::requirement(&errors, culprit.span())
    })
}

/// Reads one value; if a comma or the end follows, it is empty.
fn value<'a>(tokens: &mut Tokens<'a>) -> Result<Token<'a>, ParseError> {
    match tokens.peek() {
        next if matches!(next.kind, TokenKind::Comma | TokenKind::End) => Ok(next.empty_before()),
        next if next.is_identifier() => Ok(tokens.next()),
        next => Err(next.instead_of(Expected::Identifier)),
    }
}

/// ```text
/// list        := "(" [ VALUE ] { "," [ VALUE ] } ")"
/// ```
///
/// Empty values are implied between two commas, between a comma and a parenthesis, and between parentheses
/// (apimachinery since 0.35; before that, an even number of commas before the parenthesis was an error).
fn list<'a>(tokens: &mut Tokens<'a>) -> Result<Vec<Token<'a>>, ParseError> {
    let open = tokens.next();
    if open.kind != TokenKind::Open {
        return Err(open.instead_of(Expected::OpenParenthesis));
    }
    let mut values = Vec::new();
    match tokens.peek() {
        first if first.kind == TokenKind::Close => values.push(first.empty_before()),
        first if first.is_identifier() || first.kind == TokenKind::Comma => {}
        first => return Err(first.instead_of(Expected::ListStart)),
    }
    while tokens.peek().kind != TokenKind::Close {
        let token = tokens.next();
        let next = tokens.peek();
        if token.is_identifier() {
            values.push(token);
            if !matches!(next.kind, TokenKind::Comma | TokenKind::Close) {
                return Err(next.instead_of(Expected::ListNext));
            }
        } else if token.kind == TokenKind::Comma {
            if values.is_empty() {
                values.push(token.empty_before());
            }
            if matches!(next.kind, TokenKind::Comma | TokenKind::Close) {
                values.push(next.empty_before());
            }
        } else {
            return Err(token.instead_of(Expected::ListValue));
        }
    }
    tokens.next();
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::validation::testing::short;
    use super::*;

    #[track_caller]
    fn check_error(text: &str, span: Range<usize>, message: &str) {
        let error = requirements(text).expect_err("must be refused");
        assert_eq!((short(&error).as_str(), error.span()), (message, span), "{text:?}");
    }

    #[test]
    fn errors_between_requirements_say_what_is_expected() {
        let start = "expected: !, identifier, or 'end of string'";
        check_error(",a=b", 0..1, &format!("found ',', {start}"));
        check_error("=a", 0..1, &format!("found '=', {start}"));
        check_error(" (a)", 1..2, &format!("found '(', {start}"));
        let end = "expected: ',' or 'end of string'";
        check_error("a in (b))", 8..9, &format!("found ')', {end}"));
        check_error("a in (b)c", 8..9, &format!("found 'c', {end}"));
        check_error("a=b c", 4..5, &format!("found 'c', {end}"));
        check_error("a=b=c", 3..4, &format!("found '=', {end}"));
        check_error("!a=b", 2..3, &format!("found '=', {end}"));
        check_error("a=b,", 4..4, "found '', expected: identifier after ','");
        check_error("a=b,,c=d", 4..5, "found ',', expected: identifier after ','");
    }

    #[test]
    fn errors_inside_requirements_say_what_is_expected() {
        let in_requirement = |span, text: &str, message: &str| {
            check_error(text, span, &format!("unable to parse requirement: {message}"));
        };
        let operators = "expected: in, notin, =, ==, !=, gt, lt";
        in_requirement(2..3, "a b", &format!("found 'b', {operators}"));
        in_requirement(1..2, "a!b", &format!("found '!', {operators}"));
        in_requirement(4..5, "ain (b)", &format!("found '(', {operators}"));
        in_requirement(2..4, "a IN (b)", &format!("found 'IN', {operators}"));
        in_requirement(3..4, "a===b", "found '=', expected: identifier");
        in_requirement(2..3, "a>=1", "found '=', expected: identifier");
        in_requirement(2..3, "a<>1", "found '>', expected: identifier");
        in_requirement(1..1, "!", "found '', expected: identifier");
        in_requirement(1..2, "!!a", "found '!', expected: identifier");
        in_requirement(4..4, "a in", "found '' expected: '('");
        in_requirement(5..6, "a in b", "found 'b' expected: '('");
        in_requirement(6..6, "a in (", "found '', expected: ',', ')' or identifier");
        in_requirement(6..7, "a in ((b))", "found '(', expected: ',', ')' or identifier");
        in_requirement(7..7, "a in (b", "found '', expected: ',' or ')'");
        in_requirement(8..9, "a in (b c)", "found 'c', expected: ',' or ')'");
        in_requirement(8..8, "a in (b,", "found '', expected: ',', or identifier");
        in_requirement(7..8, "a in (,!)", "found '!', expected: ',', or identifier");
    }

    #[test]
    fn errors_in_keys_and_values_point_at_them() {
        let in_requirement = |span, text: &str, message: &str| {
            check_error(text, span, &format!("unable to parse requirement: {message}"));
        };
        in_requirement(4..6, "x,! é!= =", r#"<nil>: Invalid value: "é": NAME"#);
        in_requirement(2..4, "a=b*", r#"values[0][a]: Invalid value: "b*": VALUE"#);
        in_requirement(6..8, "a in (z*,b)", r#"values[1][a]: Invalid value: "z*": VALUE"#);
        let integer = "for 'Gt', 'Lt' operators, the value must be an integer";
        in_requirement(2..3, "a>x", &format!(r#"values[0]: Invalid value: "x": {integer}"#));
        in_requirement(2..2, "a>", &format!(r#"values[0]: Invalid value: "": {integer}"#));
    }

    #[track_caller]
    fn check(text: &str, canonical: &[&str]) {
        let requirements = requirements(text).map_err(|error| error.to_string()).expect("must parse");
        assert_eq!(
            requirements.iter().map(Requirement::to_string).collect::<Vec<_>>(),
            canonical,
            "{text:?}"
        );
    }

    #[test]
    fn blanks_are_optional() {
        check("", &[]);
        check(" \t\r\n", &[]);
        check("! a", &["!a"]);
        check("a\n= b ,c\tin(d)", &["a=b", "c in (d)"]);
    }

    #[test]
    fn a_missing_value_is_empty() {
        check("a=,b==,c!=", &["a=", "b==", "c!="]);
        check("a in (), b in (,), c notin (,b)", &["a in ()", "b in ()", "c notin (,b)"]);
        check("a in (b,), c in (b,,c), d in (,,b)", &["a in (,b)", "c in (,b,c)", "d in (,b)"]);
    }

    #[test]
    fn values_of_a_list_are_sorted_and_unique() {
        check("a in (c, b,c)", &["a in (b,c)"]);
    }

    #[test]
    fn every_operator_is_read_as_it_is_written() {
        for operator in Operator::BINARY {
            let written = Requirement::new("a", operator, ["1"]).expect("a valid requirement");
            assert_eq!(requirements(&written.to_string()), Ok(vec![written]));
        }
    }

    #[test]
    fn operators_that_are_words_may_be_keys_and_values() {
        check("in in (in,notin)", &["in in (in,notin)"]);
        check("in,notin=in,!notin", &["in", "notin=in", "!notin"]);
    }

    #[test]
    fn a_nul_is_the_end_unless_it_ends_a_token() {
        check("a=b \0c", &["a=b"]);
        check("a=\0b", &["a=b"]);
        check_error(
            "a\0b",
            2..3,
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        );
    }
}
