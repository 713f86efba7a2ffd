//! Splits a template into tokens (Go, text/template/parse/lex.go).

use super::tree::MAIN;
use text::go;

const LEFT: &str = "{{";
const RIGHT: &str = "}}";
const LEFT_COMMENT: &str = "/*";
const RIGHT_COMMENT: &str = "*/";
/// The length of `- ` and ` -`.
const TRIM_MARKER: usize = 2;

/// A token and its position.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    /// Its first byte in the template.
    pub pos: usize,
    /// Its first line; 1-based.
    pub line: usize,
    pub text: &'a str,
    /// The message of a [`TokenKind::Error`].
    pub error: String,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The rest of the text is not a template; [`Token::error`] says why.
    Error,
    End,
    /// Text outside `{{` and `}}`.
    Text,
    LeftDelim,
    RightDelim,
    LeftParen,
    RightParen,
    /// White space within an action.
    Space,
    Pipe,
    /// `=`
    Assign,
    /// `:=`
    Declare,
    /// Any other printable ASCII character; only `,` has a use.
    Char,
    Bool,
    Number,
    /// `'a'`
    CharConstant,
    /// `1+2i`
    /// `"..."`, quotes included
    String,
    /// `` `...` ``, quotes included
    RawString,
    /// `.name`
    Field,
    /// `$name`, `$`
    Variable,
    /// The name of a function.
    Identifier,
    Dot,
    Nil,
    Keyword(Keyword),
}

/// The words that are not functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

const KEYWORDS: &[(&str, TokenKind)] = &[
    ("block", TokenKind::Keyword(Keyword::Block)),
    ("break", TokenKind::Keyword(Keyword::Break)),
    ("continue", TokenKind::Keyword(Keyword::Continue)),
    ("define", TokenKind::Keyword(Keyword::Define)),
    ("else", TokenKind::Keyword(Keyword::Else)),
    ("end", TokenKind::Keyword(Keyword::End)),
    ("if", TokenKind::Keyword(Keyword::If)),
    ("nil", TokenKind::Nil),
    ("range", TokenKind::Keyword(Keyword::Range)),
    ("template", TokenKind::Keyword(Keyword::Template)),
    ("with", TokenKind::Keyword(Keyword::With)),
    ("true", TokenKind::Bool),
    ("false", TokenKind::Bool),
];

impl Token<'_> {
    /// The token as messages show it (item.String).
    pub(super) fn describe(&self) -> String {
        match self.kind {
            TokenKind::End => "EOF".to_owned(),
            TokenKind::Error => self.error.clone(),
            TokenKind::Keyword(_) | TokenKind::Dot | TokenKind::Nil => format!("<{}>", self.text),
            _ if self.text.len() > 10 => {
                let end = self.text.char_indices().nth(10).map_or(self.text.len(), |(end, _)| end);
                format!("{}...", go::quote(&self.text[..end]))
            }
            _ => go::quote(self.text),
        }
    }
}

/// Splits a template into tokens, one at a time. After an error or the end, only end tokens follow.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    input: &'a str,
    /// The start of the next token.
    start: usize,
    /// The position up to which the input has been read.
    pos: usize,
    line: usize,
    parens: usize,
    inside_action: bool,
    ended: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a str) -> Self {
        Self { input, start: 0, pos: 0, line: 1, parens: 0, inside_action: false, ended: false }
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        if self.ended {
            self.start = self.pos;
            return self.token(TokenKind::End);
        }
        if self.inside_action {
            return self.inside_action();
        }
        loop {
            if let Some(token) = self.text() {
                return token;
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.input[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    fn accept(&mut self, any_of: &str) -> bool {
        let accepted = self.peek().is_some_and(|c| any_of.contains(c));
        if accepted {
            self.pos += 1; // what is accepted is ASCII
        }
        accepted
    }

    fn accept_run(&mut self, any_of: &str) {
        while self.accept(any_of) {}
    }

    /// The token from its start to the current position.
    fn token(&mut self, kind: TokenKind) -> Token<'a> {
        let text = &self.input[self.start..self.pos];
        let token = Token { kind, pos: self.start, line: self.line, text, error: String::new() };
        self.skip();
        token
    }

    fn error(&mut self, error: impl Into<String>) -> Token<'a> {
        self.ended = true;
        Token { error: error.into(), ..self.token(TokenKind::Error) }
    }

    /// Drops the input since the last token.
    fn skip(&mut self) {
        self.line += self.input[self.start..self.pos].matches('\n').count();
        self.start = self.pos;
    }

    /// The text up to the next action, and the start of that action. `None` after a comment.
    fn text(&mut self) -> Option<Token<'a>> {
        let Some(len) = self.rest().find(LEFT) else {
            self.pos = self.input.len();
            self.ended = true;
            return Some(self.token(if self.pos > self.start { TokenKind::Text } else { TokenKind::End }));
        };
        if len > 0 {
            let text = &self.rest()[..len];
            let trimmed = is_left_trim(&self.rest()[len + LEFT.len()..]);
            let kept = if trimmed { text.trim_end_matches(is_space) } else { text };
            self.pos += kept.len();
            let token = self.token(TokenKind::Text);
            self.pos += len - kept.len();
            self.skip();
            if !kept.is_empty() {
                return Some(token);
            }
        }
        self.left_delim()
    }

    fn left_delim(&mut self) -> Option<Token<'a>> {
        self.pos += LEFT.len();
        let marker = if is_left_trim(self.rest()) { TRIM_MARKER } else { 0 };
        if self.rest()[marker..].starts_with(LEFT_COMMENT) {
            self.pos += marker;
            self.skip();
            return self.comment();
        }
        let token = self.token(TokenKind::LeftDelim);
        self.inside_action = true;
        self.pos += marker;
        self.skip();
        self.parens = 0;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token<'a>> {
        let Some(len) = self.rest()[LEFT_COMMENT.len()..].find(RIGHT_COMMENT) else {
            return Some(self.error("unclosed comment"));
        };
        self.pos += LEFT_COMMENT.len() + len + RIGHT_COMMENT.len();
        let Some(marker) = self.at_right_delim() else {
            return Some(self.error("comment ends before closing delimiter"));
        };
        self.right_delim(marker);
        self.skip();
        None
    }

    /// The length of the marker before `}}` if the action ends here.
    fn at_right_delim(&self) -> Option<usize> {
        let rest = self.rest();
        if is_right_trim(rest) && rest[TRIM_MARKER..].starts_with(RIGHT) {
            return Some(TRIM_MARKER);
        }
        rest.starts_with(RIGHT).then_some(0)
    }

    /// Moves past the end of an action and returns its token.
    fn right_delim(&mut self, marker: usize) -> Token<'a> {
        self.pos += marker;
        self.skip();
        self.pos += RIGHT.len();
        let token = self.token(TokenKind::RightDelim);
        if marker > 0 {
            self.pos += self.rest().len() - self.rest().trim_start_matches(is_space).len();
            self.skip();
        }
        self.inside_action = false;
        token
    }

    fn inside_action(&mut self) -> Token<'a> {
        if let Some(marker) = self.at_right_delim() {
            return match self.parens {
                0 => self.right_delim(marker),
                _ => self.error("unclosed left paren"),
            };
        }
        let Some(c) = self.bump() else {
            return self.error("unclosed action");
        };
        match c {
            c if is_space(c) => self.space(),
            '=' => self.token(TokenKind::Assign),
            ':' if self.accept("=") => self.token(TokenKind::Declare),
            ':' => self.error("expected :="),
            '|' => self.token(TokenKind::Pipe),
            '"' => self.quoted('"', TokenKind::String, "unterminated quoted string"),
            '\'' => self.quoted('\'', TokenKind::CharConstant, "unterminated character constant"),
            '`' => match self.rest().find('`') {
                Some(len) => {
                    self.pos += len + 1;
                    self.token(TokenKind::RawString)
                }
                None => self.error("unterminated raw quoted string"),
            },
            '$' => self.field_or_variable(TokenKind::Variable, TokenKind::Variable),
            '.' if !self.peek().is_some_and(|c| c.is_ascii_digit()) && !self.rest().is_empty() => {
                self.field_or_variable(TokenKind::Field, TokenKind::Dot)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.pos -= 1;
                self.number()
            }
            c if is_alphanumeric(c) => self.word(),
            '(' => {
                self.parens += 1;
                self.token(TokenKind::LeftParen)
            }
            ')' if self.parens == 0 => self.error("unexpected right paren"),
            ')' => {
                self.parens -= 1;
                self.token(TokenKind::RightParen)
            }
            ' '..='~' => self.token(TokenKind::Char),
            c => self.error(format!("unrecognized character in action: {}", go::unicode(c))),
        }
    }

    /// A sequence of white space, except for a blank that belongs to ` -}}`.
    fn space(&mut self) -> Token<'a> {
        while self.peek().is_some_and(is_space) {
            self.pos += 1;
        }
        let marker = &self.input[self.pos - 1..];
        if is_right_trim(marker) && marker[TRIM_MARKER..].starts_with(RIGHT) {
            self.pos -= 1;
            if self.pos == self.start {
                // As in Go, this end of an action is recognized even inside parentheses.
                return self.right_delim(TRIM_MARKER);
            }
        }
        self.token(TokenKind::Space)
    }

    fn quoted(&mut self, quote: char, kind: TokenKind, unterminated: &str) -> Token<'a> {
        loop {
            match self.bump() {
                Some('\\') if !matches!(self.bump(), None | Some('\n')) => (),
                None | Some('\n' | '\\') => return self.error(unterminated),
                Some(c) if c == quote => return self.token(kind),
                Some(_) => (),
            }
        }
    }

    fn field_or_variable(&mut self, kind: TokenKind, alone: TokenKind) -> Token<'a> {
        if self.at_terminator() {
            return self.token(alone);
        }
        while self.peek().is_some_and(is_alphanumeric) {
            self.bump();
        }
        if self.at_terminator() { self.token(kind) } else { self.bad_character() }
    }

    fn word(&mut self) -> Token<'a> {
        while self.peek().is_some_and(is_alphanumeric) {
            self.bump();
        }
        if !self.at_terminator() {
            return self.bad_character();
        }
        let word = &self.input[self.start..self.pos];
        let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == word);
        self.token(keyword.map_or(TokenKind::Identifier, |(_, kind)| *kind))
    }

    fn bad_character(&mut self) -> Token<'a> {
        let c = self.peek().map(go::unicode).unwrap_or_default();
        self.error(format!("bad character {c}"))
    }

    /// Whether a field, variable or word can end here.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(c) => is_space(c) || self.rest().starts_with(RIGHT),
        }
    }

    fn number(&mut self) -> Token<'a> {
        if !self.scan_number() || matches!(self.peek(), Some('+' | '-')) {
            let text = &self.input[self.start..self.pos];
            return self.error(format!("bad number syntax: {}", go::quote(text)));
        }
        self.token(TokenKind::Number)
    }

    /// Reads a possible number, which is parsed later. Returns whether it ends here.
    fn scan_number(&mut self) -> bool {
        const DECIMAL: &str = "0123456789_";
        self.accept("+-");
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        if digits == DECIMAL && self.accept("eE") {
            self.accept("+-");
            self.accept_run(DECIMAL);
        }
        if self.peek().is_some_and(is_alphanumeric) {
            self.bump();
            return false;
        }
        true
    }
}

/// The message of an error within an action that began on another line.
pub(super) fn action_started(line: usize, message: &str) -> String {
    // Avoids "action in action".
    let within = if message.ends_with(" action") { "" } else { " in action" };
    format!("{message}{within} started at {MAIN}:{line}")
}

/// Whether an action, whose `{{` is before `text`, trims the white space before it.
fn is_left_trim(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('-') && chars.next().is_some_and(is_space)
}

fn is_right_trim(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_space) && chars.next() == Some('-')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_alphanumeric(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
