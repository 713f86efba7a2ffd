//! Executes a template with an object (Go, text/template/exec.go).
//!
//! Errors name the place that was evaluated last, so each step records its place, as in Go.

use std::fmt::Display;

use super::functions::{Function, Parameter};
use super::number::Constant;
use super::parse::Templates;
use super::print;
use super::sprig;
use super::tree::{Branch, Call, Command, MAIN, Operand, OperandKind, Pipe, Place, Statement};
use super::value::{Text, Value};
use syntax::tree::{Entry, Map, Node};
use text::go;

/// The maximum number of steps of an execution: about one for each operand, each iteration of a range and each 64 bytes
/// of text.
const MAX_STEPS: usize = 1 << 26;

/// The maximum nesting of blocks, pipelines and templates.
const MAX_DEPTH: usize = 400;

/// The maximum number of bytes that a template may print.
const MAX_TEXT: usize = 1 << 30;

/// One execution of a template.
pub(super) struct Execution<'a, 'o> {
    text: &'a str,
    templates: &'a Templates,
    /// Whether a missing key of a map has no value, or is an error.
    allow_missing_keys: bool,
    out: &'o mut Vec<u8>,
    steps_left: usize,
    depth: usize,
    /// The template that is being executed.
    name: &'a str,
    variables: Vec<(&'a str, Value<'a>)>,
    /// The number of the first variable of this template.
    scope: usize,
    at: Option<Place<'a>>,
}

/// The effect of a statement on the enclosing range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

type Result<T, E = String> = std::result::Result<T, E>;

impl<'a, 'o> Execution<'a, 'o> {
    pub(super) fn new(
        text: &'a str,
        templates: &'a Templates,
        allow_missing_keys: bool,
        out: &'o mut Vec<u8>,
    ) -> Self {
        Self {
            text,
            templates,
            allow_missing_keys,
            out,
            steps_left: MAX_STEPS,
            depth: 0,
            name: MAIN,
            variables: Vec::new(),
            scope: 0,
            at: None,
        }
    }

    /// Appends the output of the main template for `object`; after an error, the output up to the error.
    pub(super) fn run(mut self, object: &'a Node) -> Result<()> {
        let dot = Value::of(object);
        self.variables.push(("$", dot.clone()));
        let Some(main) = self.templates.get(MAIN) else { return Ok(()) };
        self.list(&dot, main).map(|_| ())
    }

    fn error<T>(&self, message: impl Display) -> Result<T> {
        let Some((pos, at)) = self.at else {
            return Err(format!("template: {}: {message}", self.name));
        };
        let before = &self.text[..pos];
        let line = 1 + before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        let name = go::quote(self.name);
        Err(format!("template: {MAIN}:{line}:{column}: executing {name} at <{at}>: {message}"))
    }

    fn spend(&mut self, steps: usize) -> Result<()> {
        match self.steps_left.checked_sub(steps) {
            Some(left) => self.steps_left = left,
            None => return self.error(format_args!("the template takes more than {MAX_STEPS} steps")),
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(format_args!("more than {MAX_DEPTH} nested blocks and templates"));
        }
        Ok(())
    }

    fn print(&mut self, text: &[u8]) -> Result<()> {
        self.spend(text.len() / 64)?;
        if self.out.len() + text.len() > MAX_TEXT {
            return self.error(format_args!("the template prints more than {MAX_TEXT} bytes"));
        }
        self.out.extend_from_slice(text);
        Ok(())
    }

    fn list(&mut self, dot: &Value<'a>, list: &'a [Statement]) -> Result<Flow> {
        self.enter()?;
        for statement in list {
            let flow = self.statement(dot, statement)?;
            if flow != Flow::Next {
                self.depth -= 1;
                return Ok(flow);
            }
        }
        self.depth -= 1;
        Ok(Flow::Next)
    }

    fn statement(&mut self, dot: &Value<'a>, statement: &'a Statement) -> Result<Flow> {
        self.spend(1)?;
        match statement {
            Statement::Text(text) => self.print(text.as_bytes())?,
            Statement::Action(action) => {
                let value = self.pipeline(dot, &action.pipe)?;
                if action.pipe.variables.is_empty() {
                    self.at = Some((action.pos, &action.shown));
                    let text = match value {
                        Value::Invalid => print::NO_VALUE.into(),
                        value => print::sprint(&[value]).or_else(|message| self.error(message))?,
                    };
                    self.print(&text)?;
                }
            }
            Statement::If(branch) => return self.branch(dot, branch, |_| dot.clone()),
            Statement::With(branch) => return self.branch(dot, branch, |value| value),
            Statement::Range(branch) => return self.range(dot, branch),
            Statement::Template(call) => self.template(dot, call)?,
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    /// `if` and `with`, which differ in the value of the dot in their body.
    fn branch(
        &mut self,
        dot: &Value<'a>,
        branch: &'a Branch,
        inner: impl Fn(Value<'a>) -> Value<'a>,
    ) -> Result<Flow> {
        let outer = self.variables.len();
        let value = self.pipeline(dot, &branch.pipe)?;
        let flow = if value.is_true() {
            self.list(&inner(value), &branch.list)
        } else {
            self.list(dot, branch.else_list.as_deref().unwrap_or_default())
        };
        self.variables.truncate(outer);
        flow
    }

    fn range(&mut self, dot: &Value<'a>, branch: &'a Branch) -> Result<Flow> {
        let outer = self.variables.len();
        let flow = self.turns(dot, branch);
        self.variables.truncate(outer);
        flow
    }

    fn turns(&mut self, dot: &Value<'a>, branch: &'a Branch) -> Result<Flow> {
        let value = self.pipeline(dot, &branch.pipe)?.elem();
        let turns: Box<dyn Iterator<Item = (Value<'a>, Value<'a>)>> = match value {
            Value::Invalid => Box::new(std::iter::empty()),
            Value::List(items) => {
                let turn = |(at, item)| (Value::Int(at as i64), Value::Interface(item));
                Box::new(items.iter().enumerate().map(turn))
            }
            Value::Map(map) => {
                self.spend(map.len())?;
                let key = |entry: &'a Entry| Value::String(Text::Borrowed(entry.key.as_bytes()));
                let entries = map.by_key().into_iter();
                Box::new(entries.map(move |entry| (key(entry), Value::Interface(&entry.value))))
            }
            Value::Int(_) | Value::Int64(_) | Value::Byte(_) => {
                let end = value.as_int().unwrap_or_default();
                if branch.pipe.variables.len() > 1 {
                    return self
                        .error(format_args!("can't use {end} to iterate over more than one variable"));
                }
                let turn = move |at| match value {
                    Value::Int64(_) => Value::Int64(at),
                    Value::Byte(_) => Value::Byte(at as u8),
                    _ => Value::Int(at),
                };
                Box::new((0..end).map(move |at| (Value::Invalid, turn(at))))
            }
            other => {
                let shown = other.described();
                return self.error(format_args!("range can't iterate over {shown}"));
            }
        };
        let mut turned = false;
        for (index, element) in turns {
            turned = true;
            if self.turn(branch, index, element)? == Flow::Break {
                break;
            }
        }
        match &branch.else_list {
            Some(list) if !turned => self.list(dot, list),
            _ => Ok(Flow::Next),
        }
    }

    /// One iteration of a range. Variables declared in it are dropped at its end.
    fn turn(&mut self, branch: &'a Branch, index: Value<'a>, element: Value<'a>) -> Result<Flow> {
        self.spend(1)?;
        let mark = self.variables.len();
        // With one variable, it is the element; with two, the first is the index.
        let values = [index, element.clone()];
        let names = &branch.pipe.variables;
        for (at, name) in names.iter().enumerate() {
            let value = values[values.len() - names.len() + at].clone();
            if branch.pipe.assigns {
                self.set(name, value)?;
            } else {
                self.variables[mark - names.len() + at].1 = value;
            }
        }
        let flow = self.list(&element, &branch.list);
        self.variables.truncate(mark);
        flow
    }

    fn template(&mut self, dot: &Value<'a>, call: &'a Call) -> Result<()> {
        self.at = Some((call.pos, &call.shown));
        let Some((name, list)) = self.templates.get_key_value(&call.name) else {
            return self.error(format_args!("template {} not defined", go::quote(&call.name)));
        };
        let dot = match &call.pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Value::Invalid,
        };
        let at = self.at;
        // A template has only its own variables.
        let outer = (self.name, self.scope);
        (self.name, self.scope) = (name, self.variables.len());
        self.variables.push(("$", dot.clone()));
        self.list(&dot, list)?;
        self.variables.truncate(self.scope);
        (self.name, self.scope) = outer;
        self.at = at;
        Ok(())
    }

    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        match self.variables[self.scope..].iter_mut().rev().find(|(known, _)| *known == name) {
            Some(variable) => variable.1 = value,
            None => return self.error(format_args!("undefined variable: {name}")),
        }
        Ok(())
    }

    /// The value of the last command. Each command gets the value of the previous one as its last argument.
    fn pipeline(&mut self, dot: &Value<'a>, pipe: &'a Pipe) -> Result<Value<'a>> {
        self.enter()?;
        self.at = Some((pipe.pos, &pipe.shown));
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value)?.elem());
        }
        let value = value.unwrap_or(Value::Invalid);
        for name in &pipe.variables {
            if pipe.assigns {
                self.set(name, value.clone())?;
            } else {
                self.variables.push((name, value.clone()));
            }
        }
        self.depth -= 1;
        Ok(value)
    }

    fn command(
        &mut self,
        dot: &Value<'a>,
        command: &'a Command,
        last: Option<Value<'a>>,
    ) -> Result<Value<'a>> {
        let first = &command.operands[0];
        let has_arguments = command.operands.len() > 1 || last.is_some();
        match &first.kind {
            OperandKind::Field(_) | OperandKind::Chain(..) => self.operand(dot, first, has_arguments),
            OperandKind::Variable(_, names) if !names.is_empty() => self.operand(dot, first, has_arguments),
            OperandKind::Function(name) => {
                self.at = Some((first.pos, &first.shown));
                self.call(dot, name, (command.pos, &command.shown), &command.operands[1..], last)
            }
            _ => {
                if !matches!(first.kind, OperandKind::Pipe(_)) {
                    self.at = Some((first.pos, &first.shown));
                }
                if has_arguments {
                    return self.error(format_args!("can't give argument to non-function {}", first.shown));
                }
                if matches!(first.kind, OperandKind::Nil) {
                    return self.error("nil is not a command");
                }
                self.operand(dot, first, false)
            }
        }
    }

    /// The value of an operand that is not a function call.
    fn operand(&mut self, dot: &Value<'a>, operand: &'a Operand, has_arguments: bool) -> Result<Value<'a>> {
        self.spend(1)?;
        if !matches!(operand.kind, OperandKind::Pipe(_)) {
            self.at = Some((operand.pos, &operand.shown));
        }
        match &operand.kind {
            OperandKind::Dot => Ok(dot.clone()),
            OperandKind::Nil => Ok(Value::Invalid),
            OperandKind::Bool(yes) => Ok(Value::Bool(*yes)),
            OperandKind::String(text) => Ok(Value::String(Text::Borrowed(text))),
            OperandKind::Number(number) => match *number {
                Constant::Int(value) => Ok(Value::Int(value)),
                Constant::Float(value) => Ok(Value::Float(value)),
                Constant::Overflow => self.error(format_args!("{} overflows int", operand.shown)),
            },
            OperandKind::Field(names) => self.fields(dot.clone(), names, has_arguments),
            OperandKind::Variable(name, names) => {
                let variables = &self.variables[self.scope..];
                match variables.iter().rev().find(|(known, _)| known == name) {
                    Some((_, value)) => self.fields(value.clone(), names, has_arguments),
                    None => self.error(format_args!("undefined variable: {name}")),
                }
            }
            OperandKind::Chain(inner, names) => {
                if matches!(inner.kind, OperandKind::Nil) {
                    return self.error(format_args!("indirection through explicit nil in {}", operand.shown));
                }
                let value = self.argument(dot, inner)?;
                self.fields(value, names, has_arguments)
            }
            OperandKind::Pipe(pipe) => self.pipeline(dot, pipe),
            OperandKind::Function(name) => self.call(dot, name, (operand.pos, &operand.shown), &[], None),
        }
    }

    /// The value of an operand that is an argument, or whose fields are read.
    fn argument(&mut self, dot: &Value<'a>, operand: &'a Operand) -> Result<Value<'a>> {
        self.at = Some((operand.pos, &operand.shown));
        self.operand(dot, operand, false)
    }

    /// The value of nested fields of `value`.
    fn fields(&mut self, value: Value<'a>, names: &'a [String], has_arguments: bool) -> Result<Value<'a>> {
        let mut value = value;
        for (at, name) in names.iter().enumerate() {
            value = self.field(value, name, has_arguments && at + 1 == names.len())?;
        }
        Ok(value)
    }

    fn field(&mut self, value: Value<'a>, name: &'a str, has_arguments: bool) -> Result<Value<'a>> {
        self.spend(1)?;
        let type_name = value.type_name();
        if value.is_nil_interface() {
            return self.error(format_args!("nil pointer evaluating interface {{}}.{name}"));
        }
        match value.elem() {
            Value::Invalid if !self.allow_missing_keys => {
                self.error(format_args!("nil data; no entry for key {}", go::quote(name)))
            }
            Value::Invalid => Ok(Value::Invalid),
            Value::Map(_) if has_arguments => {
                self.error(format_args!("{name} is not a method but has arguments"))
            }
            Value::Map(map) => self.key(map, name),
            _ => {
                let type_name = type_name.unwrap_or_default();
                self.error(format_args!("can't evaluate field {name} in type {type_name}"))
            }
        }
    }

    fn key(&mut self, map: &'a Map, name: &str) -> Result<Value<'a>> {
        self.spend(map.len() / 16)?;
        match map.get(name) {
            Some(node) => Ok(Value::Interface(node)),
            None if self.allow_missing_keys => Ok(Value::Invalid),
            None => self.error(format_args!("map has no entry for key {}", go::quote(name))),
        }
    }

    /// Calls a function with its arguments and `last`, the value of the previous command.
    fn call(
        &mut self,
        dot: &Value<'a>,
        name: &str,
        place: Place<'a>,
        operands: &'a [Operand],
        last: Option<Value<'a>>,
    ) -> Result<Value<'a>> {
        let Some(function) = sprig::find(name, true) else {
            return self.error(format_args!("{} is not a defined function", go::quote(name)));
        };
        let count = operands.len() + usize::from(last.is_some());
        let parameters = function.parameters.len();
        if function.variadic && count + 1 < parameters {
            let (least, given) = (parameters - 1, operands.len());
            return self
                .error(format_args!("wrong number of args for {name}: want at least {least} got {given}"));
        }
        if !function.variadic && count != parameters {
            return self
                .error(format_args!("wrong number of args for {name}: want {parameters} got {count}"));
        }
        if matches!(name, "and" | "or") {
            return self.and_or(dot, name == "or", operands, last);
        }
        let parameter = |at: usize| function.parameters[at.min(parameters - 1)];
        let mut arguments = Vec::with_capacity(count);
        for (at, operand) in operands.iter().enumerate() {
            self.at = Some((operand.pos, &operand.shown));
            if matches!(operand.kind, OperandKind::Nil) && parameter(at) == Parameter::String {
                return self.error("cannot assign nil to string");
            }
            let value = self.argument_for(dot, operand, parameter(at))?;
            arguments.push(value);
        }
        if let Some(last) = last {
            arguments.push(self.accepted(last, parameter(count - 1))?);
        }
        let result = if name == "call" {
            let callee =
                operands.first().map_or_else(|| arguments[0].described(), |callee| callee.shown.clone());
            Err(match arguments[0].clone().elem().type_name() {
                Some(type_name) => format!("non-function {callee} of type {type_name}"),
                None => "call of nil".to_owned(),
            })
        } else {
            self.apply(function, &arguments)?
        };
        result.or_else(|message| {
            self.at = Some(place);
            self.error(format_args!("error calling {name}: {message}"))
        })
    }

    /// Applies a function, counting the texts and maps that it reads and creates as steps.
    fn apply(
        &mut self,
        function: &Function,
        arguments: &[Value<'a>],
    ) -> Result<std::result::Result<Value<'a>, String>> {
        let price = |value: &Value<'_>| match value.clone().elem() {
            Value::String(text) => text.bytes().len() / 64,
            Value::Map(map) => map.len() / 16,
            _ => 0,
        };
        self.spend(1 + arguments.iter().map(price).sum::<usize>())?;
        let result = (function.apply)(arguments);
        if let Ok(Value::String(text)) = &result {
            self.spend(text.bytes().len() / 64)?;
            if text.bytes().len() > print::MAX_STRING {
                let limit = print::MAX_STRING;
                return Ok(Err(format!("the text has more than {limit} bytes")));
            }
        }
        Ok(result)
    }

    /// `and` and `or`, which do not evaluate arguments after the deciding one.
    fn and_or(
        &mut self,
        dot: &Value<'a>,
        decides: bool,
        operands: &'a [Operand],
        last: Option<Value<'a>>,
    ) -> Result<Value<'a>> {
        let mut value = Value::Invalid;
        for operand in operands {
            value = self.argument(dot, operand)?;
            if value.is_true() == decides {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    /// The argument for a parameter of this type.
    fn argument_for(
        &mut self,
        dot: &Value<'a>,
        operand: &'a Operand,
        parameter: Parameter,
    ) -> Result<Value<'a>> {
        if parameter == Parameter::String
            && matches!(operand.kind, OperandKind::Bool(_) | OperandKind::Number(_))
        {
            self.at = Some((operand.pos, &operand.shown));
            return self.error(format_args!("expected string; found {}", operand.shown));
        }
        let value = self.argument(dot, operand)?;
        self.accepted(value, parameter)
    }

    /// Converts a value for a parameter of this type (validateType).
    fn accepted(&self, value: Value<'a>, parameter: Parameter) -> Result<Value<'a>> {
        match parameter {
            Parameter::Value => Ok(value),
            Parameter::Any => Ok(value.elem()),
            Parameter::String if value.is_nil_interface() => {
                self.error("wrong type for value; expected string; got interface {}")
            }
            Parameter::String => match value.elem() {
                Value::Invalid => self.error("invalid value; expected string"),
                Value::String(text) => Ok(Value::String(text)),
                other => {
                    let got = other.type_name().unwrap_or_default();
                    self.error(format_args!("wrong type for value; expected string; got {got}"))
                }
            },
        }
    }
}
