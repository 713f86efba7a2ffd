//! The syntax tree of a template (Go, text/template/parse/node.go). `shown` of each node is what Go prints, as errors
//! show it.

use super::number::Constant;

/// The name that kubectl gives to the template of `-o` (cli-runtime, printers/template.go).
pub(super) const MAIN: &str = "output";

/// A part of a template that errors can be about: its first byte in the template, and its text.
pub(super) type Place<'a> = (usize, &'a str);

/// Statements in the order of execution.
pub(super) type List = Vec<Statement>;

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Text(String),
    Action(Action),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template(Call),
    Break,
    Continue,
}

/// `{{pipeline}}`
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub pos: usize,
    pub shown: String,
    pub pipe: Pipe,
}

/// `{{if pipeline}}list{{else}}else_list{{end}}`, and the same with `with` or `range`.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub pipe: Pipe,
    pub list: List,
    pub else_list: Option<List>,
}

/// `{{template "name" pipeline}}`
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub pos: usize,
    pub shown: String,
    pub name: String,
    pub pipe: Option<Pipe>,
}

/// `$a, $b := command | command`
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub pos: usize,
    pub shown: String,
    pub variables: Vec<String>,
    /// Whether the variables belong to an outer scope and are assigned with `=`.
    pub assigns: bool,
    pub commands: Vec<Command>,
}

/// A function or value, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub pos: usize,
    pub shown: String,
    /// At least one.
    pub operands: Vec<Operand>,
}

#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub pos: usize,
    pub shown: String,
    pub kind: OperandKind,
}

#[derive(Clone, Debug)]
pub(super) enum OperandKind {
    /// `.a.b`
    Field(Vec<String>),
    /// `(pipeline).a.b`, `function.a.b`
    Chain(Box<Operand>, Vec<String>),
    /// `$x.a.b`: the name with its `$`, and its fields.
    Variable(String, Vec<String>),
    /// The name of a function.
    Function(String),
    Pipe(Box<Pipe>),
    Dot,
    Nil,
    Bool(bool),
    Number(Constant),
    /// A text without its quotes.
    String(Vec<u8>),
}

impl OperandKind {
    /// Whether this is a value, which cannot take the result of another command as an argument.
    pub(super) fn is_value(&self) -> bool {
        use OperandKind::*;
        matches!(self, Bool(_) | Dot | Nil | Number(_) | String(_))
    }
}

impl Operand {
    /// How it is shown as a part of a command.
    pub(super) fn in_command(&self) -> String {
        match self.kind {
            OperandKind::Pipe(_) => format!("({})", self.shown),
            _ => self.shown.clone(),
        }
    }
}
