//! Parses tokens into a tree (Go, text/template/parse/parse.go).

use std::collections::BTreeMap;

use super::lexer::{self, Keyword, Lexer, Token, TokenKind};
use super::number::Constant;
use super::sprig;
use super::tree::{Action, Branch, Call, Command, List, MAIN, Operand, OperandKind, Pipe, Statement};
use text::go;

/// The maximum nesting of parentheses and blocks.
pub(super) const MAX_LEVELS: usize = 200;

/// The templates of a text by name: [`MAIN`] and those it defines.
pub(super) type Templates = BTreeMap<String, List>;

/// Parses a template and those it defines. It may use functions of Sprig if it `has_sprig`.
pub(super) fn templates(text: &str, has_sprig: bool) -> Result<Templates, String> {
    let mut lexer = Lexer::new(text);
    let mut templates = Templates::new();
    Parser::new(&mut lexer, &mut templates, has_sprig).main()?;
    Ok(templates)
}

/// Parses one template. A definition within it has a parser of its own, which reads from the same lexer.
struct Parser<'p, 'a> {
    lexer: &'p mut Lexer<'a>,
    templates: &'p mut Templates,
    has_sprig: bool,
    /// Lookahead tokens, the next one last. As in Go, there are at most three.
    peeked: Vec<Token<'a>>,
    /// The line of the last token, for errors.
    line: usize,
    /// The line on which the current action began; 0 outside actions.
    action_line: usize,
    /// The variables in scope.
    variables: Vec<String>,
    /// The number of enclosing ranges.
    ranges: usize,
    levels: usize,
}

/// The end of a list of statements.
enum ListEnd {
    End,
    /// `{{else}}`; for `{{else if}}` and `{{else with}}`, the second word is the next token.
    Else,
}

impl ListEnd {
    fn describe(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

enum Parsed {
    Statement(Statement),
    ListEnd(ListEnd),
}

type Result<T, E = String> = std::result::Result<T, E>;

impl<'p, 'a> Parser<'p, 'a> {
    fn new(lexer: &'p mut Lexer<'a>, templates: &'p mut Templates, has_sprig: bool) -> Self {
        Self {
            lexer,
            templates,
            has_sprig,
            peeked: Vec::with_capacity(3),
            line: 1,
            action_line: 0,
            variables: vec!["$".to_owned()],
            ranges: 0,
            levels: 0,
        }
    }

    fn main(mut self) -> Result<()> {
        let mut list = List::new();
        while self.peek().kind != TokenKind::End {
            if self.peek().kind == TokenKind::LeftDelim {
                let delim = self.next();
                let token = self.next_non_space();
                if token.kind == TokenKind::Keyword(Keyword::Define) {
                    Parser::new(self.lexer, self.templates, self.has_sprig).definition()?;
                    continue;
                }
                self.backup(token);
                self.backup(delim);
            }
            match self.text_or_action()? {
                Parsed::Statement(statement) => list.push(statement),
                Parsed::ListEnd(end) => return self.error(format!("unexpected {}", end.describe())),
            }
        }
        self.add(MAIN.to_owned(), list)
    }

    /// Parses the rest of `{{define`.
    fn definition(mut self) -> Result<()> {
        const CONTEXT: &str = "define clause";
        let (_, name) = self.template_name(CONTEXT)?;
        self.expect_right_delim(CONTEXT)?;
        self.body(name, CONTEXT)
    }

    /// Parses the statements of a separate template, up to its `{{end}}`.
    fn body(mut self, name: String, context: &str) -> Result<()> {
        match self.list()? {
            (list, ListEnd::End) => self.add(name, list),
            (_, end) => self.error(format!("unexpected {} in {context}", end.describe())),
        }
    }

    /// Adds a template. It may replace an empty one.
    fn add(&mut self, name: String, list: List) -> Result<()> {
        let is_known = self.templates.get(&name).is_some_and(|known| !is_empty(known));
        if is_known && !is_empty(&list) {
            let name = go::quote(&name);
            return self.error(format!("template: multiple definition of template {name}"));
        }
        if !is_known {
            self.templates.insert(name, list);
        }
        Ok(())
    }

    fn next(&mut self) -> Token<'a> {
        self.peeked.pop().unwrap_or_else(|| self.read())
    }

    fn read(&mut self) -> Token<'a> {
        let token = self.lexer.next();
        self.line = token.line;
        token
    }

    fn peek(&mut self) -> &Token<'a> {
        if self.peeked.is_empty() {
            let token = self.read();
            self.peeked.push(token);
        }
        self.peeked.last().expect("impossible: one was added")
    }

    /// Returns a token to the lexer; it is the next one again.
    fn backup(&mut self, token: Token<'a>) {
        self.peeked.push(token);
    }

    fn next_non_space(&mut self) -> Token<'a> {
        loop {
            let token = self.next();
            if token.kind != TokenKind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> &Token<'a> {
        let token = self.next_non_space();
        self.backup(token);
        self.peek()
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(format!("template: {MAIN}:{}: {}", self.line, message.into()))
    }

    fn unexpected<T>(&self, token: &Token<'_>, context: &str) -> Result<T> {
        self.error(match token.kind {
            TokenKind::Error if self.action_line != 0 && self.action_line != token.line => {
                lexer::action_started(self.action_line, &token.error)
            }
            TokenKind::Error => token.error.clone(),
            _ => format!("unexpected {} in {context}", token.describe()),
        })
    }

    fn expect_right_delim(&mut self, context: &str) -> Result<()> {
        let token = self.next_non_space();
        if token.kind == TokenKind::RightDelim { Ok(()) } else { self.unexpected(&token, context) }
    }

    /// The position and the name of a template, unquoted.
    fn template_name(&mut self, context: &str) -> Result<(usize, String)> {
        let token = self.next_non_space();
        match token.kind {
            TokenKind::String | TokenKind::RawString => {
                let name = self.text_of(&token)?;
                Ok((token.pos, String::from_utf8_lossy(&name).into_owned()))
            }
            _ => self.unexpected(&token, context),
        }
    }

    fn text_of(&self, token: &Token<'_>) -> Result<Vec<u8>> {
        let inner = &token.text[1..token.text.len() - 1];
        let text = match token.kind {
            // As in Go source, carriage returns are not part of a raw string.
            TokenKind::RawString => Some(inner.replace('\r', "").into_bytes()),
            _ => go::unquote(inner, '"'),
        };
        text.map_or_else(|| self.error("invalid syntax"), Ok)
    }

    /// Parses statements up to the end of their list.
    fn list(&mut self) -> Result<(List, ListEnd)> {
        let mut list = List::new();
        while self.peek_non_space().kind != TokenKind::End {
            match self.text_or_action()? {
                Parsed::Statement(statement) => list.push(statement),
                Parsed::ListEnd(end) => return Ok((list, end)),
            }
        }
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Parsed> {
        let token = self.next_non_space();
        match token.kind {
            TokenKind::Text => Ok(Parsed::Statement(Statement::Text(token.text.to_owned()))),
            TokenKind::LeftDelim => {
                self.action_line = token.line;
                let action = self.action();
                self.action_line = 0;
                action
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    /// Parses the rest of an action after `{{`.
    fn action(&mut self) -> Result<Parsed> {
        let token = self.next_non_space();
        let statement = match token.kind {
            TokenKind::Keyword(Keyword::Block) => self.block()?,
            TokenKind::Keyword(Keyword::Break) => self.leave_range(Statement::Break, "{{break}}")?,
            TokenKind::Keyword(Keyword::Continue) => self.leave_range(Statement::Continue, "{{continue}}")?,
            TokenKind::Keyword(Keyword::Else) => {
                let next = self.peek_non_space().kind;
                if !matches!(next, TokenKind::Keyword(Keyword::If | Keyword::With)) {
                    self.expect_right_delim("else")?;
                }
                return Ok(Parsed::ListEnd(ListEnd::Else));
            }
            TokenKind::Keyword(Keyword::End) => {
                self.expect_right_delim("end")?;
                return Ok(Parsed::ListEnd(ListEnd::End));
            }
            TokenKind::Keyword(Keyword::If) => Statement::If(self.control("if")?),
            TokenKind::Keyword(Keyword::Range) => Statement::Range(self.control("range")?),
            TokenKind::Keyword(Keyword::With) => Statement::With(self.control("with")?),
            TokenKind::Keyword(Keyword::Template) => self.template()?,
            _ => {
                let pos = token.pos;
                self.backup(token);
                let pipe = self.pipeline("command", TokenKind::RightDelim)?;
                Statement::Action(Action { pos, shown: format!("{{{{{}}}}}", pipe.shown), pipe })
            }
        };
        Ok(Parsed::Statement(statement))
    }

    fn leave_range(&mut self, statement: Statement, name: &str) -> Result<Statement> {
        self.expect_right_delim(name)?;
        if self.ranges == 0 {
            return self.error(format!("{name} outside {{{{range}}}}"));
        }
        Ok(statement)
    }

    /// Parses the rest of `{{if`, `{{with` or `{{range`, up to its `{{end}}`.
    fn control(&mut self, context: &str) -> Result<Branch> {
        self.enter()?;
        let outer = self.variables.len();
        let pipe = self.pipeline(context, TokenKind::RightDelim)?;
        let ranges = usize::from(context == "range");
        self.ranges += ranges;
        let (list, end) = self.list()?;
        self.ranges -= ranges;
        let else_list = match end {
            ListEnd::End => None,
            ListEnd::Else => Some(self.else_list(context)?),
        };
        self.variables.truncate(outer);
        self.levels -= 1;
        Ok(Branch { pipe, list, else_list })
    }

    fn else_list(&mut self, context: &str) -> Result<List> {
        // {{else if}} is {{else}}{{if}} with one shared {{end}}.
        match (context, self.peek().kind) {
            ("if", TokenKind::Keyword(Keyword::If)) => {
                self.next();
                Ok(vec![Statement::If(self.control("if")?)])
            }
            ("with", TokenKind::Keyword(Keyword::With)) => {
                self.next();
                Ok(vec![Statement::With(self.control("with")?)])
            }
            _ => match self.list()? {
                (list, ListEnd::End) => Ok(list),
                (_, end) => self.error(format!("expected end; found {}", end.describe())),
            },
        }
    }

    /// A template that is defined where it is used.
    fn block(&mut self) -> Result<Statement> {
        const CONTEXT: &str = "block clause";
        let (pos, name) = self.template_name(CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, TokenKind::RightDelim)?;
        self.enter()?;
        let mut body = Parser::new(self.lexer, self.templates, self.has_sprig);
        body.levels = self.levels;
        body.body(name.clone(), CONTEXT)?;
        self.levels -= 1;
        Ok(call(pos, name, Some(pipe)))
    }

    fn template(&mut self) -> Result<Statement> {
        const CONTEXT: &str = "template clause";
        let (pos, name) = self.template_name(CONTEXT)?;
        let next = self.next_non_space();
        let pipe = if next.kind == TokenKind::RightDelim {
            None
        } else {
            self.backup(next);
            Some(self.pipeline(CONTEXT, TokenKind::RightDelim)?)
        };
        Ok(call(pos, name, pipe))
    }

    /// Parses commands joined by `|` up to and including the token `end`.
    fn pipeline(&mut self, context: &str, end: TokenKind) -> Result<Pipe> {
        self.enter()?;
        let pos = self.peek_non_space().pos;
        let (shown, variables, commands) = (String::new(), Vec::new(), Vec::new());
        let mut pipe = Pipe { pos, shown, variables, assigns: false, commands };
        while self.declaration(&mut pipe, context)? {}
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => break,
                TokenKind::Bool
                | TokenKind::CharConstant
                | TokenKind::Dot
                | TokenKind::Field
                | TokenKind::Identifier
                | TokenKind::Number
                | TokenKind::Nil
                | TokenKind::RawString
                | TokenKind::String
                | TokenKind::Variable
                | TokenKind::LeftParen => {
                    self.backup(token);
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(&token, context),
            }
        }
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
        }
        let values = pipe.commands.iter().skip(1).position(|command| command.operands[0].kind.is_value());
        if let Some(at) = values {
            return self.error(format!("non executable command in pipeline stage {}", at + 2));
        }
        if !pipe.variables.is_empty() {
            let sign = if pipe.assigns { "=" } else { ":=" };
            pipe.shown = format!("{} {sign} ", pipe.variables.join(", "));
        }
        let commands: Vec<&str> = pipe.commands.iter().map(|command| &*command.shown).collect();
        pipe.shown.push_str(&commands.join(" | "));
        self.levels -= 1;
        Ok(pipe)
    }

    /// Parses a variable that is declared or assigned, if there is one. Returns whether another may follow.
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Result<bool> {
        if self.peek_non_space().kind != TokenKind::Variable {
            return Ok(false);
        }
        let variable = self.next();
        // Only the second next token shows whether the variable is declared or an argument.
        let after = self.next();
        let next = if after.kind == TokenKind::Space { self.next_non_space() } else { after.clone() };
        match next.kind {
            TokenKind::Assign | TokenKind::Declare => {
                pipe.assigns = next.kind == TokenKind::Assign;
                self.declare(pipe, &variable);
                Ok(false)
            }
            TokenKind::Char if next.text == "," => {
                self.declare(pipe, &variable);
                if context == "range" && pipe.variables.len() < 2 {
                    return match self.peek_non_space().kind {
                        TokenKind::Variable | TokenKind::RightDelim | TokenKind::RightParen => Ok(true),
                        _ => self.error("range can only initialize variables"),
                    };
                }
                self.error(format!("too many declarations in {context}"))
            }
            _ => {
                if after.kind == TokenKind::Space {
                    self.backup(next);
                }
                self.backup(after);
                self.backup(variable);
                Ok(false)
            }
        }
    }

    fn declare(&mut self, pipe: &mut Pipe, variable: &Token<'_>) {
        pipe.variables.push(variable.text.to_owned());
        self.variables.push(variable.text.to_owned());
    }

    /// Parses operands separated by blanks.
    fn command(&mut self) -> Result<Command> {
        let pos = self.peek_non_space().pos;
        let mut operands = Vec::new();
        loop {
            self.peek_non_space();
            operands.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                TokenKind::Space => {}
                TokenKind::RightDelim | TokenKind::RightParen => {
                    self.backup(token);
                    break;
                }
                TokenKind::Pipe => break,
                _ => return self.unexpected(&token, "operand"),
            }
        }
        if operands.is_empty() {
            return self.error("empty command");
        }
        let shown = operands.iter().map(Operand::in_command).collect::<Vec<_>>().join(" ");
        Ok(Command { pos, shown, operands })
    }

    /// Parses a term and its fields. `None` if there is no term.
    fn operand(&mut self) -> Result<Option<Operand>> {
        let Some(mut operand) = self.term()? else { return Ok(None) };
        if self.peek().kind != TokenKind::Field {
            return Ok(Some(operand));
        }
        let pos = self.peek().pos;
        let (mut fields, mut shown) = (Vec::new(), operand.in_command());
        while self.peek().kind == TokenKind::Field {
            let field = self.next().text;
            shown.push_str(field);
            fields.push(field[1..].to_owned());
        }
        match &mut operand.kind {
            OperandKind::Field(names) | OperandKind::Variable(_, names) => {
                names.append(&mut fields);
                (operand.pos, operand.shown) = (pos, shown);
                Ok(Some(operand))
            }
            kind if kind.is_value() => {
                let term = go::quote(&operand.shown);
                self.error(format!("unexpected . after term {term}"))
            }
            _ => Ok(Some(Operand { pos, shown, kind: OperandKind::Chain(Box::new(operand), fields) })),
        }
    }

    fn term(&mut self) -> Result<Option<Operand>> {
        let token = self.next_non_space();
        let number = |number: Result<Constant, String>| match number {
            Ok(number) => Ok(OperandKind::Number(number)),
            Err(message) => self.error(message),
        };
        let kind = match token.kind {
            TokenKind::Identifier if sprig::find(token.text, self.has_sprig).is_some() => {
                OperandKind::Function(token.text.to_owned())
            }
            TokenKind::Identifier => {
                return self.error(format!("function {} not defined", go::quote(token.text)));
            }
            TokenKind::Dot => OperandKind::Dot,
            TokenKind::Nil => OperandKind::Nil,
            TokenKind::Variable if self.variables.iter().any(|known| known == token.text) => {
                OperandKind::Variable(token.text.to_owned(), Vec::new())
            }
            TokenKind::Variable => {
                return self.error(format!("undefined variable {}", go::quote(token.text)));
            }
            TokenKind::Field => OperandKind::Field(vec![token.text[1..].to_owned()]),
            TokenKind::Bool => OperandKind::Bool(token.text == "true"),
            TokenKind::CharConstant => number(Constant::parse_char(token.text))?,
            TokenKind::Number => number(Constant::parse(token.text))?,
            TokenKind::LeftParen => {
                let pipe = self.pipeline("parenthesized pipeline", TokenKind::RightParen)?;
                // The position of parentheses is that of their content.
                let (pos, shown) = (pipe.pos, pipe.shown.clone());
                return Ok(Some(Operand { pos, shown, kind: OperandKind::Pipe(Box::new(pipe)) }));
            }
            TokenKind::String | TokenKind::RawString => OperandKind::String(self.text_of(&token)?),
            _ => {
                self.backup(token);
                return Ok(None);
            }
        };
        Ok(Some(Operand { pos: token.pos, shown: token.text.to_owned(), kind }))
    }

    fn enter(&mut self) -> Result<()> {
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return self.error(format!("more than {MAX_LEVELS} levels of blocks and parentheses"));
        }
        Ok(())
    }
}

fn call(pos: usize, name: String, pipe: Option<Pipe>) -> Statement {
    let data = pipe.as_ref().map_or(String::new(), |pipe| format!(" {}", pipe.shown));
    let shown = format!("{{{{template {}{data}}}}}", go::quote(&name));
    Statement::Template(Call { pos, shown, name, pipe })
}

/// Whether a template has only white space, so that another one with its name can replace it.
fn is_empty(list: &List) -> bool {
    list.iter().all(|statement| matches!(statement, Statement::Text(text) if text.trim().is_empty()))
}
