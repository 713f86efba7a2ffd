//! Parses templates into steps (client-go, util/jsonpath/parser.go).
//!
//! The content of brackets is parsed as an action of its own: `['key']` as `{.key}`, an alternative of `[a,b]` as
//! `{[a]}`, each side of a filter as `{side}`. The depth of this recursion is small without a limit: brackets end at
//! the first `]`, so lists of alternatives cannot be nested, and a filter ends at the first `)` outside its first
//! quotes, so a nested filter has one kind of quotes fewer to hide its `)` in.

use super::error::{MAX_RANGES, ParseError};
use syntax::tree::{Node, Span, Value};
use text::go;

/// A part of a template, in the order of the text.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text outside of braces.
    Text(Node),
    /// `{...}`
    Action(Vec<Step>),
    /// `{range ...}`, with the number of the following parts that are its body.
    Range { path: Vec<Step>, body: usize },
    /// The `{end}` of a range, the part after its body.
    End,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `.name`
    Field(String),
    /// `.*`
    Wildcard,
    /// `..`
    Recursive,
    /// `[1]`
    Index(i64),
    /// `[1:3:2]`; `[*]` is the slice of everything.
    Slice { start: Option<i64>, end: Option<i64>, step: Option<i64> },
    /// `[a,b]`
    Union(Vec<Vec<Step>>),
    /// `[?(path)]`
    Exists(Vec<Step>),
    /// `[?(left operator right)]`
    Compare { left: Vec<Step>, operator: Operator, right: Vec<Step> },
    /// `"text"`
    Text(Node),
    /// A number or boolean.
    Literal(Node),
    /// `range`, which becomes a [`Part::Range`].
    Range,
    /// An `end` without a range; others are [`Part::End`].
    End,
    /// `| base64decode`, which is only allowed at the end of an action.
    Base64Decode,
    /// Any other word, which is an error when evaluated.
    Identifier(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Any other sequence of operator characters, which is an error when evaluated.
    Unrecognized(String),
}

/// The operators with their symbols.
const OPERATORS: &[(&str, Operator)] = &[
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    ("<=", Operator::LessOrEqual),
    (">", Operator::Greater),
    (">=", Operator::GreaterOrEqual),
];

/// The characters of operators.
const OPERATOR_CHARACTERS: [char; 4] = ['!', '<', '>', '='];

/// The parts of a template.
pub(super) fn template(text: &str) -> Result<Vec<Part>, ParseError> {
    let origin = Origin { start: 0, len: text.len(), added: 0 };
    ranges(Parser { text, at: 0, origin }.parts()?, text)
}

/// The full form of a path and its one part; both empty if the path is empty.
pub(super) fn relaxed(text: &str) -> Result<(String, Vec<Part>), ParseError> {
    if text.is_empty() {
        return Ok((String::new(), Vec::new()));
    }
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    // A dot alone is a name, not an optional leading dot.
    let path = inner.strip_prefix('.').filter(|rest| !rest.is_empty()).unwrap_or(inner);
    if path.is_empty() || path.contains(['{', '}']) {
        let span = Span { start: 0, end: text.len() };
        let message = "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
                       '{.name1.name2}'";
        return Err(ParseError { message: message.to_owned(), span });
    }
    let start = usize::from(inner.len() < text.len()) + (inner.len() - path.len());
    let steps = action(path, start, ".", "")?;
    Ok((format!("{{.{path}}}"), ranges(vec![Part::Action(steps)], text)?))
}

/// Combines `range` actions with the parts up to their `{end}` or the end of the template.
fn ranges(mut parts: Vec<Part>, text: &str) -> Result<Vec<Part>, ParseError> {
    let says = |steps: &[Step], word: fn(&Step) -> bool| steps.iter().any(word);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..parts.len() {
        let Part::Action(steps) = &mut parts[at] else {
            continue;
        };
        if says(steps, |step| matches!(step, Step::End)) && !open.is_empty() {
            parts[at] = Part::End;
            close(&mut parts, open.pop(), at);
        } else if says(steps, |step| matches!(step, Step::Range)) {
            let path = std::mem::take(steps);
            parts[at] = Part::Range { path, body: 0 };
            open.push(at);
            if open.len() > MAX_RANGES {
                let span = Span { start: 0, end: text.len() };
                return Err(ParseError { message: format!("more than {MAX_RANGES} nested ranges"), span });
            }
        }
    }
    let end = parts.len();
    while !open.is_empty() {
        close(&mut parts, open.pop(), end);
    }
    Ok(parts)
}

/// Extends the body of the range at `open` to the part at `end`.
fn close(parts: &mut [Part], open: Option<usize>, end: usize) {
    if let Some(start) = open
        && let Some(Part::Range { body, .. }) = parts.get_mut(start)
    {
        *body = end - start - 1;
    }
}

/// The steps of the action `{` `opening` `inner` `closing` `}`, where `inner` is at byte `start` of the template.
fn action(inner: &str, start: usize, opening: &str, closing: &str) -> Result<Vec<Step>, ParseError> {
    let text = format!("{{{opening}{inner}{closing}}}");
    let origin = Origin { start, len: inner.len(), added: 1 + opening.len() };
    let parts = Parser { text: &text, at: 0, origin }.parts()?;
    // A brace within quotes may have ended the action early. As in kubectl, the text after it has no effect.
    let first = parts.into_iter().find_map(|part| match part {
        Part::Action(steps) => Some(steps),
        _ => None,
    });
    Ok(first.unwrap_or_default())
}

/// The position of the parser's text in the template: `len` bytes from byte `start`, preceded by `added` bytes that are
/// not in the template.
#[derive(Clone, Copy)]
struct Origin {
    start: usize,
    len: usize,
    added: usize,
}

impl Origin {
    /// The position in the template of byte `at` of the text.
    fn place(self, at: usize) -> usize {
        self.start + at.saturating_sub(self.added).min(self.len)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    origin: Origin,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error about the text from `start` to `end`.
    fn error(&self, message: impl Into<String>, start: usize, end: usize) -> ParseError {
        ParseError {
            message: message.into(),
            span: Span { start: self.origin.place(start), end: self.origin.place(end) },
        }
    }

    fn parts(&mut self) -> Result<Vec<Part>, ParseError> {
        let mut parts = Vec::new();
        while self.at < self.text.len() {
            let rest = self.rest();
            let text = &rest[..rest.find('{').unwrap_or(rest.len())];
            if text.is_empty() {
                parts.push(Part::Action(self.action()?));
            } else {
                parts.push(Part::Text(Node::new(Value::String(text.into()))));
                self.at += text.len();
            }
        }
        Ok(parts)
    }

    /// Reads an action, from its `{` to its `}`.
    fn action(&mut self) -> Result<Vec<Step>, ParseError> {
        let open = self.at;
        self.at += 1;
        let mut steps = Vec::new();
        loop {
            let rest = self.rest();
            if rest.starts_with("[?(") {
                steps.push(self.filter()?);
                continue;
            }
            if rest.starts_with("..") {
                if matches!(steps.last(), Some(Step::Recursive)) {
                    return Err(self.error("invalid multiple recursive descent", self.at, self.at + 2));
                }
                self.at += 2;
                steps.push(Step::Recursive);
                if self.rest().starts_with(is_word) {
                    steps.push(self.field());
                }
                continue;
            }
            if let Some(length) = self.function() {
                self.at += length;
                steps.push(Step::Base64Decode);
                continue;
            }
            match rest.chars().next() {
                None | Some('\n' | '\r') => {
                    return Err(self.error("unclosed action", open, self.at));
                }
                Some('}') => {
                    self.at += 1;
                    return Ok(steps);
                }
                Some(' ' | '@' | '$') => self.at += 1,
                Some('[') => self.brackets(&mut steps)?,
                Some(quote @ ('"' | '\'')) => steps.push(self.quoted(quote)?),
                Some('.') => {
                    self.at += 1;
                    steps.push(self.field());
                }
                Some('+' | '-' | '0'..='9') => steps.push(self.number()?),
                Some(c) if is_word(c) => steps.push(self.identifier()),
                Some(c) => {
                    let message = format!("unrecognized character in action: {}", go::unicode(c));
                    return Err(self.error(message, self.at, self.at + c.len_utf8()));
                }
            }
        }
    }

    /// The length in bytes of `| base64decode` and the blanks after it, up to the end of the action or the next
    /// function; `None` if it is not next.
    fn function(&self) -> Option<usize> {
        let rest = self.rest();
        let after = rest.strip_prefix('|')?.trim_start_matches(' ').strip_prefix("base64decode")?;
        let after = after.trim_start_matches(' ');
        after.starts_with(['}', '|']).then_some(rest.len() - after.len())
    }

    /// Reads a field after its dot. A backslash makes the next character part of the name, and is dropped.
    fn field(&mut self) -> Step {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.find(|c| {
            let ends = !escaped && is_terminator(c);
            escaped = !escaped && c == '\\';
            ends
        });
        let name = &rest[..end.unwrap_or(rest.len())];
        self.at += name.len();
        if name == "*" { Step::Wildcard } else { Step::Field(name.replace('\\', "")) }
    }

    fn identifier(&mut self) -> Step {
        let rest = self.rest();
        let word = &rest[..rest.find(is_terminator).unwrap_or(rest.len())];
        self.at += word.len();
        match word {
            "true" => Step::Literal(Node::new(Value::Bool(true))),
            "false" => Step::Literal(Node::new(Value::Bool(false))),
            "range" => Step::Range,
            "end" => Step::End,
            word => Step::Identifier(word.to_owned()),
        }
    }

    fn number(&mut self) -> Result<Step, ParseError> {
        let start = self.at;
        let unsigned = self.rest().strip_prefix(['+', '-']).unwrap_or(self.rest());
        let after = unsigned.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        self.at = self.text.len() - after.len();
        let number = &self.text[start..self.at];
        let value = match (number.parse(), number.parse::<f64>()) {
            (Ok(number), _) => Value::Int(number),
            (_, Ok(number)) if number.is_finite() => Value::Float(number),
            _ => {
                return Err(self.error(format!("cannot parse number {number}"), start, self.at));
            }
        };
        Ok(Step::Literal(Node::new(value)))
    }

    /// Reads a quoted text. It ends at the first quote without a backslash before it, even if that backslash is itself
    /// escaped.
    fn quoted(&mut self, quote: char) -> Result<Step, ParseError> {
        let start = self.at;
        let rest = self.rest();
        let mut previous = quote;
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '\n' || c == quote && previous != '\\';
            previous = c;
            ends
        });
        let Some((len, _)) = end.filter(|&(_, c)| c == quote) else {
            let end = start + end.map_or(rest.len(), |(at, _)| at);
            return Err(self.error("unterminated quoted string", start, end));
        };
        self.at += len + 1;
        match go::unquote(&rest[1..len], quote) {
            Some(text) => Ok(Step::Text(Node::text(&String::from_utf8_lossy(&text)))),
            None => {
                let message = format!("unquote string {} error invalid syntax", &rest[..=len]);
                Err(self.error(message, start, self.at))
            }
        }
    }

    /// Reads `[...]` that is not a filter. A key in quotes may give several steps.
    fn brackets(&mut self, steps: &mut Vec<Step>) -> Result<(), ParseError> {
        let open = self.at;
        let rest = self.rest();
        let len = rest.find([']', '\n']).unwrap_or(rest.len());
        if !rest[len..].starts_with(']') {
            return Err(self.error("unterminated array", open, open + len));
        }
        self.at += len + 1;
        let inner = &rest[1..len];
        let key = inner.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if inner.contains(',') {
            let mut alternatives = Vec::new();
            let mut at = open + 1;
            for alternative in inner.split(',') {
                let trimmed = alternative.trim_start_matches(' ');
                let start = self.origin.place(at + alternative.len() - trimmed.len());
                alternatives.push(action(trimmed.trim_end_matches(' '), start, "[", "]")?);
                at += alternative.len() + 1;
            }
            steps.push(Step::Union(alternatives));
        } else if let Some(key) = key.filter(|key| !key.contains('\'')) {
            steps.extend(action(key, self.origin.place(open + 2), ".", "")?);
        } else {
            steps.push(elements(inner).map_err(|message| self.error(message, open, self.at))?);
        }
        Ok(())
    }

    /// `[?(...)]`
    fn filter(&mut self) -> Result<Step, ParseError> {
        let open = self.at;
        let start = open + "[?(".len();
        let rest = &self.text[start..];
        let (mut quote, mut closed, mut previous) = (None, false, '(');
        let end = rest.char_indices().find(|&(_, c)| {
            match c {
                '"' | '\'' if quote.is_none() => quote = Some(c),
                '"' | '\'' if quote == Some(c) && previous != '\\' => closed = true,
                _ => {}
            }
            previous = c;
            c == '\n' || c == ')' && quote.is_some() == closed
        });
        let Some((len, _)) = end.filter(|&(_, c)| c == ')') else {
            let end = start + end.map_or(rest.len(), |(at, _)| at);
            return Err(self.error("unterminated filter", open, end));
        };
        self.at = start + len + 1;
        if !self.rest().starts_with(']') {
            return Err(self.error("unclosed array expect ]", open, self.at));
        }
        self.at += 1;
        let inner = &rest[..len];
        let Some((left, operator, right)) = split_comparison(inner) else {
            return Ok(Step::Exists(action(inner, self.origin.place(start), "", "")?));
        };
        Ok(Step::Compare {
            left: action(left, self.origin.place(start), "", "")?,
            operator: OPERATORS.iter().find(|(text, _)| *text == operator).map_or_else(
                || Operator::Unrecognized(operator.to_owned()),
                |(_, operator)| operator.clone(),
            ),
            right: action(right, self.origin.place(start + left.len() + operator.len()), "", "")?,
        })
    }
}

/// The left side, operator and right side of a comparison; `None` if one is missing. If operator characters are
/// followed by nothing, the last one is the right side.
fn split_comparison(text: &str) -> Option<(&str, &str, &str)> {
    let (left, rest) = text.split_at(text.find(OPERATOR_CHARACTERS).filter(|&at| at > 0)?);
    let right = rest.trim_start_matches(OPERATOR_CHARACTERS);
    let (operator, right) = match right {
        "" => rest.split_at(rest.len() - 1), // operator characters are one byte long
        right => rest.split_at(rest.len() - right.len()),
    };
    (!operator.is_empty()).then_some((left, operator, right))
}

/// The elements that brackets select: `*`, an index or a slice. Empty brackets are index 0.
fn elements(text: &str) -> Result<Step, String> {
    let parts: Vec<&str> = if text == "*" { vec!["", ""] } else { text.split(':').collect() };
    let is_number = |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|b| b.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(format!("invalid array index {text}"));
    }
    let mut numbers = [None; 3];
    for (number, part) in numbers.iter_mut().zip(&parts) {
        if !part.is_empty() {
            let parsed = part.parse().map_err(|_| format!("array index {part} is not a number"))?;
            *number = Some(parsed);
        }
    }
    let [start, end, step] = numbers;
    Ok(if parts.len() == 1 { Step::Index(start.unwrap_or(0)) } else { Step::Slice { start, end, step } })
}

/// Whether a field or word ends before `c`.
fn is_terminator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

/// Whether a word, or a field directly after `..`, may begin with `c`.
fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::MAX_RANGES;
    use crate::jsonpath::{JsonPath, ParseError};
    use testing::node;

    #[track_caller]
    fn check(result: Result<JsonPath, ParseError>, expected: &str, start: usize, end: usize) {
        let err = result.expect_err("an error");
        let span = err.span();
        assert_eq!((err.to_string().as_str(), span.start, span.end), (expected, start, end));
    }

    /// Checks the error and the part of the template that it is about.
    #[track_caller]
    fn check_error(template: &str, expected: &str, part: &str) {
        let err = JsonPath::parse(template).expect_err("an error");
        assert_eq!((err.to_string().as_str(), &template[err.span().start..err.span().end]), (expected, part));
    }

    #[track_caller]
    fn check_relaxed_error(path: &str, expected: &str, part: &str) {
        let err = JsonPath::relaxed(path).expect_err("an error");
        assert_eq!((err.to_string().as_str(), &path[err.span().start..err.span().end]), (expected, part));
    }

    #[test]
    fn what_is_open_must_be_closed() {
        check_error("a {.b", "unclosed action", "{.b");
        check_error("{.b\n}", "unclosed action", "{.b");
        check_error("{.a[}", "unterminated array", "[}");
        check_error("{.a[0\n]}", "unterminated array", "[0");
        check_error("{.a[?(@.b}", "unterminated filter", "[?(@.b}");
        check_error("{.a[?(@.b\n)]}", "unterminated filter", "[?(@.b");
        check_error("{.a[?(@.b=='x)]}", "unterminated filter", "[?(@.b=='x)]}");
        check_error("{.a[?(@.b)}", "unclosed array expect ]", "[?(@.b)");
        check_error(r#"{"a}"#, "unterminated quoted string", "\"a}");
        check_error("{'a\n'}", "unterminated quoted string", "'a");
        check_error(r#"{"a\"}"#, "unterminated quoted string", r#""a\"}"#);
    }

    #[test]
    fn characters_without_meaning_are_errors() {
        check_error("{.a,b}", "unrecognized character in action: U+002C ','", ",");
        check_error("{\t}", "unrecognized character in action: U+0009", "\t");
        check_error("{..*}", "unrecognized character in action: U+002A '*'", "*");
        check_error(r"{\}", r"unrecognized character in action: U+005C '\'", r"\");
        check_error("{🦀}", "unrecognized character in action: U+1F980 '🦀'", "🦀");
        check_error("{.a[?(@.b && @.c)]}", "unrecognized character in action: U+0026 '&'", "&");
        check_error("{.a[?(!@.b)]}", "unrecognized character in action: U+0021 '!'", "!");
        check_error("{.a[?((@.b))]}", "unclosed array expect ]", "[?((@.b)");
        check_error("{.a[?(@.b=~'x')]}", "unrecognized character in action: U+007E '~'", "~");
        check_error("{.a[?(@.b==)]}", "unrecognized character in action: U+003D '='", "=");
    }

    #[test]
    fn escapes_are_gos() {
        check_error(r#"{"\q"}"#, r#"unquote string "\q" error invalid syntax"#, r#""\q""#);
        check_error(r#"{"\'"}"#, r#"unquote string "\'" error invalid syntax"#, r#""\'""#);
        check_error(r#"{"a\\"b"}"#, r#"unquote string "a\\"b" error invalid syntax"#, r#""a\\"b""#);
        check_error(r#"{"\ud800"}"#, r#"unquote string "\ud800" error invalid syntax"#, r#""\ud800""#);
        check_error(r#"{"\400"}"#, r#"unquote string "\400" error invalid syntax"#, r#""\400""#);
        check_error(r#"{"\x4"}"#, r#"unquote string "\x4" error invalid syntax"#, r#""\x4""#);
        check_error(r#"{"\x+4"}"#, r#"unquote string "\x+4" error invalid syntax"#, r#""\x+4""#);
    }

    #[test]
    fn descents_do_not_follow_each_other() {
        check_error("{.a....b}", "invalid multiple recursive descent", "..");
    }

    #[test]
    fn brackets_hold_numbers_or_keys_in_single_quotes() {
        check_error(r#"{.a["k"]}"#, r#"invalid array index "k""#, r#"["k"]"#);
        check_error("{.a[ 0 ]}", "invalid array index  0 ", "[ 0 ]");
        check_error("{.a[(@.length-1)]}", "invalid array index (@.length-1)", "[(@.length-1)]");
        check_error("{.a[1:2:3:4]}", "invalid array index 1:2:3:4", "[1:2:3:4]");
        check_error("{.a[-]}", "array index - is not a number", "[-]");
        check_error(
            "{.a[:99999999999999999999]}",
            "array index 99999999999999999999 is not a number",
            "[:99999999999999999999]",
        );
        check_error("{.a[0, x]}", "invalid array index x", "x");
    }

    #[test]
    fn a_blank_in_a_quoted_key_begins_a_word() {
        let path = JsonPath::parse("{['a b']}").expect("a template");
        let err = path.render(&node(r#"{"a b":1}"#)).expect_err("an error");
        assert_eq!(err.to_string(), "unrecognized identifier b");
    }

    #[test]
    fn numbers_have_one_point() {
        check_error("{1.2.3}", "cannot parse number 1.2.3", "1.2.3");
        check_error("{- 1}", "cannot parse number -", "-");
        let huge = "9".repeat(400);
        check_error(&format!("{{{huge}}}"), &format!("cannot parse number {huge}"), &huge);
    }

    #[test]
    fn errors_within_brackets_have_their_position_in_the_template() {
        check(JsonPath::parse("é {.a[?(@.b==1.2.3)]}"), "cannot parse number 1.2.3", 14, 19);
        check(JsonPath::parse("{['a','b,c']}"), "invalid array index 'b", 6, 8);
    }

    #[test]
    fn relaxed_paths_have_no_other_braces() {
        const EXPECTED: &str = "unexpected path string, expected a 'name1.name2' or '.name1.name2' or \
                                '{name1.name2}' or '{.name1.name2}'";
        for path in ["{.a}{.b}", "{.a", ".a}", "{}", "a{b}c"] {
            check_relaxed_error(path, EXPECTED, path);
        }
        check_relaxed_error("{.a[x]}", "invalid array index x", "[x]");
        check_relaxed_error("a,b", "unrecognized character in action: U+002C ','", ",");
    }

    #[test]
    fn ranges_within_each_other_have_a_bound() {
        assert!(JsonPath::parse(&"{range .a}".repeat(MAX_RANGES)).is_ok());
        let template = "{range .a}".repeat(MAX_RANGES + 1);
        check(JsonPath::parse(&template), "more than 100 nested ranges", 0, template.len());
        assert!(JsonPath::parse(&"{range .a}{end}".repeat(10_000)).is_ok());
    }

    #[test]
    fn long_templates_take_no_stack() {
        for piece in ["{.a}", "[0,0]", "['a']", "[?(@.a)]", ".a", "(", "[?(", "'"] {
            let pieces = piece.repeat(20_000);
            let _ = JsonPath::parse(&pieces);
            let _ = JsonPath::parse(&format!("{{{pieces}}}"));
        }
    }

    /// Pieces that have a meaning somewhere in a template, and a few that have none.
    const PIECES: &str =
        r#"(\PC|[{}\[\]().,:?*@$'"\\=<>!~ \n\t-]|range|end|true|\[\?\(|[a-c0-9]|\\[xuU0-7]){0,40}"#;

    fn check_no_panic(template: &str) {
        let object =
            node(r#"{"a":[{"b":1,"c":[true,null,"x"]},{"b":2.5}],"b":{"a":"y","c":{}},"c":[[1,2],[3]]}"#);
        let check = |text: &str, result: Result<JsonPath, ParseError>| match result {
            Ok(path) => {
                let strict = path.clone().allow_missing_keys(false);
                let _ = (path.render(&object), path.render_as_json(&object), strict.render(&object));
            }
            // The position of the error is a valid range of the text.
            Err(err) => assert!(text.get(err.span().start..err.span().end).is_some(), "{text:?}: {err:?}"),
        };
        check(template, JsonPath::parse(template));
        check(template, JsonPath::relaxed(template));
    }

    proptest! {
        #[test]
        fn no_template_panics(template in PIECES) {
            check_no_panic(&template);
            check_no_panic(&format!("{{.a{template}}}"));
        }
    }
}
