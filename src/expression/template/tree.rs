//! The syntax tree of a template (Go, text/template/parse/node.go). `Display` of each node is what Go prints, as errors
//! show it.

use std::fmt::{self, Display};

use super::number::Number;
use text::go;

/// A part of a template that errors can be about: its first byte in the template, and its text.
pub(super) type Place<'a> = (usize, &'a dyn Display);

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
    pub name: String,
    pub pipe: Option<Pipe>,
}

/// `$a, $b := command | command`
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub pos: usize,
    pub variables: Vec<String>,
    /// Whether the variables belong to an outer scope and are assigned with `=`.
    pub assigns: bool,
    pub commands: Vec<Command>,
}

/// A function or value, and its arguments.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub pos: usize,
    /// At least one.
    pub operands: Vec<Operand>,
}

#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub pos: usize,
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
    Number(Number),
    /// A text, with and without its quotes.
    String {
        quoted: String,
        text: Vec<u8>,
    },
}

impl OperandKind {
    /// Whether this is a value, which cannot take the result of another command as an argument.
    pub(super) fn is_value(&self) -> bool {
        use OperandKind::*;
        matches!(self, Bool(_) | Dot | Nil | Number(_) | String { .. })
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{{}}}}}", self.pipe)
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {}", go::quote(&self.name))?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

impl Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            let sign = if self.assigns { "=" } else { ":=" };
            write!(f, "{} {sign} ", self.variables.join(", "))?;
        }
        for (at, command) in self.commands.iter().enumerate() {
            if at > 0 {
                f.write_str(" | ")?;
            }
            command.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, operand) in self.operands.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            match &operand.kind {
                OperandKind::Pipe(pipe) => write!(f, "({pipe})")?,
                _ => operand.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = |f: &mut fmt::Formatter<'_>, names: &[String]| {
            names.iter().try_for_each(|name| write!(f, ".{name}"))
        };
        match &self.kind {
            OperandKind::Field(names) => fields(f, names),
            OperandKind::Chain(operand, names) => {
                match &operand.kind {
                    OperandKind::Pipe(pipe) => write!(f, "({pipe})")?,
                    _ => operand.fmt(f)?,
                }
                fields(f, names)
            }
            OperandKind::Variable(name, names) => {
                f.write_str(name)?;
                fields(f, names)
            }
            OperandKind::Function(name) => f.write_str(name),
            OperandKind::Pipe(pipe) => pipe.fmt(f),
            OperandKind::Dot => f.write_str("."),
            OperandKind::Nil => f.write_str("nil"),
            OperandKind::Bool(yes) => write!(f, "{yes}"),
            OperandKind::Number(number) => f.write_str(&number.text),
            OperandKind::String { quoted, .. } => f.write_str(quoted),
        }
    }
}
