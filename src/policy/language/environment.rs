//! The environment of the language: its functions, and the compilation of expressions.
//!
//! Expressions are bounded in length, in nesting when parsed (96 brackets) and evaluated, and in the cost of loops.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::thread;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use cel::{Context, Env, ExecutionError, Program};

use super::checker::Mistake;
use super::names::{NAMESPACES, QUALIFIED, TYPES, is_read, literal};
use super::types::Type;
use super::{checker, cost, estimate, formats, functions, macros, makers, sets, signatures, urls, versions};
use crate::{ParseError, Problem};
use syntax::fields::ITEMS;
use syntax::tree::Node;
use text::{go, is_among, pattern};

/// The methods of `authorizer`, which only a server can evaluate (apiserver, pkg/cel/library/authz.go).
const AUTHORIZER: &str = "allowed check error errored fieldSelector group labelSelector name namespace path reason \
    resource serviceAccount subresource";

/// The functions that take a regular expression after a string.
const PATTERNS: [&str; 3] = ["matches", "find", "findAll"];

/// The maximum length of an expression in bytes.
const MAX_LENGTH: usize = 8 << 10;

/// The maximum nesting of an expression: `a.b + 1` has three levels. Evaluation takes stack for each.
const MAX_LEVELS: usize = 40;

/// The stack size for parsing: the parser takes about 100 KB for each bracket.
const STACK: usize = 64 << 20;

/// All functions: CEL's own, those of its extensions for strings, lists and numbers, and Kubernetes'.
pub static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    let extensions: [fn(&mut Env) -> _; 11] = [
        makers::extension,
        cel::extensions::strings,
        cel::extensions::lists,
        cel::extensions::math,
        functions::extension,
        cost::extension,
        formats::extension,
        macros::extension,
        sets::extension,
        urls::extension,
        versions::extension,
    ];
    for extension in extensions {
        env.add_extension(extension).expect("impossible: a test declares all functions");
    }
    Arc::new(env)
});

/// The names that an expression may use.
#[derive(Clone, Copy, Debug)]
pub struct Names<'n> {
    /// The variables.
    pub variables: &'n [&'n str],
    /// Whether names in uppercase are columns, and `column` is a function, as are others that the API server does not have:
    /// for `--where`.
    pub columns: bool,
}

/// A variable, and the path of a field of it; the empty path is all of it.
pub type FieldOf = (String, Vec<String>);

/// What an expression uses.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// The fields that are read, those that the variables of loops read of [`ITEMS`] included.
    pub fields: Vec<FieldOf>,
    /// The headers of the columns.
    pub columns: Vec<String>,
    /// The functions.
    pub functions: HashSet<String>,
    /// The variables of loops.
    pub loop_variables: HashSet<String>,
}

/// Parses and checks a text, which may use these variables.
///
/// # Errors
///
/// The text is not an expression, or uses a variable or function that does not exist.
pub fn compile(text: &str, names: Names<'_>) -> Result<(Program, Uses), ParseError> {
    on_large_stack(text, || compile_here(text, names))
}

/// An expression with what its types tell.
pub struct Typed<'s> {
    /// The expression.
    pub program: Program,
    /// What it uses.
    pub uses: Uses,
    /// Its type.
    pub of: Type<'s>,
    /// Its worst cost if it is about values of a schema; otherwise 0.
    pub worst_cost: u64,
}

/// Compiles an expression with the types of its variables. `schema` is that of the values that the expression is about.
///
/// # Errors
///
/// The text is not an expression, uses a name that does not exist, or has an error of types that a server reports.
pub fn compile_typed<'s>(
    text: &str,
    declared: &[(&str, Type<'s>)],
    schema: Option<&Node>,
) -> Result<Typed<'s>, ParseError> {
    let variables: Vec<&str> = declared.iter().map(|(name, _)| *name).collect();
    on_large_stack(text, || {
        let (program, uses) = compile_here(text, Names { variables: &variables, columns: false })?;
        let (of, types) = checker::check(program.expression(), declared).map_err(|mistake| {
            let Mistake { id, name, message, instead } = mistake;
            let span = mark(text, start(text, &program, id), &name);
            ParseError { problem: Problem::Static(message), span, instead }
        })?;
        let cost = |schema| estimate::worst_cost(program.expression(), &types, schema);
        let worst_cost = schema.map_or(0, cost);
        Ok(Typed { program, uses, of, worst_cost })
    })
}

/// The parser needs more stack than a thread is sure to have. If it panics, the text is rejected.
fn on_large_stack<T: Send>(
    text: &str,
    compile: impl FnOnce() -> Result<T, ParseError> + Send,
) -> Result<T, ParseError> {
    if text.len() > MAX_LENGTH {
        return Err(ParseError::whole(format!("it is longer than {MAX_LENGTH} bytes")));
    }
    let read = thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, compile);
        reader.ok().and_then(|reader| reader.join().ok())
    });
    read.unwrap_or_else(|| Err(ParseError::whole("it cannot be read".to_owned())))
}

fn compile_here(text: &str, names: Names<'_>) -> Result<(Program, Uses), ParseError> {
    let program = ENVIRONMENT.compile(text).map_err(|errors| parse_error(text, &errors))?;
    let mut check = Check { text, program: &program, names, bound: Vec::new(), uses: Uses::default() };
    check.expression(program.expression(), MAX_LEVELS)?;
    let uses = check.uses;
    Ok((program, uses))
}

/// The name in a part of a text that is at `from`: the position of a call is that of its bracket, which follows the name,
/// and that of a field is the dot before it.
fn mark(text: &str, from: usize, name: &str) -> Range<usize> {
    let (before, after) = text.split_at_checked(from).unwrap_or((text, ""));
    let start = match before.strip_suffix(name) {
        _ if after.starts_with(name) => from,
        Some(rest) if after.starts_with('(') => rest.len(),
        _ => {
            let places = text.match_indices(name).map(|(at, _)| at);
            places.min_by_key(|at| at.abs_diff(from)).unwrap_or(from)
        }
    };
    let length = if name.is_empty() { after.chars().next().map_or(0, char::len_utf8) } else { name.len() };
    start..(start + length).min(text.len())
}

/// The first byte of an expression.
fn start(text: &str, program: &Program, id: u64) -> usize {
    let start = program.source_info().offset_for(id).map_or(0, |(start, _)| start as usize);
    text.char_indices().nth(start).map_or(text.len(), |(at, _)| at)
}

/// Checks a program for everything that would fail in every evaluation.
struct Check<'p> {
    text: &'p str,
    program: &'p Program,
    /// The names that there are.
    names: Names<'p>,
    /// The variables of enclosing loops, with the field of whose items they are one.
    bound: Vec<(&'p str, Option<FieldOf>)>,
    uses: Uses,
}

impl<'p> Check<'p> {
    /// Checks an expression that may have at most `levels` levels.
    fn expression(&mut self, expression: &'p IdedExpr, levels: usize) -> Result<(), ParseError> {
        let Some(levels) = levels.checked_sub(1) else {
            return Err(ParseError::whole("it is nested too deeply".to_owned()));
        };
        match &expression.expr {
            Expr::Unspecified | Expr::Literal(_) => Ok(()),
            Expr::Ident(_) | Expr::Select(_) => self.read(expression, levels + 1),
            Expr::Call(call) if is_read(call) => self.read(expression, levels + 1),
            Expr::List(list) => list.elements.iter().try_for_each(|element| self.expression(element, levels)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::StructField(field) => self.expression(&field.value, levels),
                EntryExpr::MapEntry(entry) => {
                    self.expression(&entry.key, levels)?;
                    self.expression(&entry.value, levels)
                }
            }),
            // Only patches have types with fields.
            Expr::Struct(object) if self.names.variables.contains(&root(&object.type_name)) => {
                object.entries.iter().try_for_each(|entry| match &entry.expr {
                    EntryExpr::StructField(field) => self.expression(&field.value, levels),
                    EntryExpr::MapEntry(entry) => self.expression(&entry.value, levels),
                })
            }
            Expr::Struct(object) => {
                Err(self.error(expression.id, Problem::Type(object.type_name.clone()), &object.type_name))
            }
            Expr::Call(call) if self.names.columns && column(call).is_some() => {
                self.uses.columns.extend(column(call).map(str::to_owned));
                Ok(())
            }
            Expr::Call(call) => {
                let name = &call.func_name;
                let unknown =
                    |check: &Self| check.error(expression.id, Problem::Function(name.clone()), name);
                let target = call.target.as_deref();
                let is_namespace = |name: &str| NAMESPACES.contains(&name) && self.bound(name).is_none();
                let namespace =
                    target.filter(|target| matches!(&target.expr, Expr::Ident(name) if is_namespace(name)));
                if let (Some(target), None) = (target, namespace) {
                    self.expression(target, levels)?;
                }
                if let Some(IdedExpr { expr: Expr::Ident(namespace), .. }) = namespace
                    && (!is_function(&format!("{namespace}.{name}"))
                        || !self.names.columns && namespace == "math")
                {
                    return Err(unknown(self));
                }
                let is_known = namespace.is_some()
                    || self.uses.functions.contains(name)
                    || is_function(name)
                    || self.names.variables.contains(&"authorizer") && is_among(AUTHORIZER, name)
                    || self.names.variables.contains(&"jsonpatch") && name == "escapeKey";
                let is_of_where = [functions::AGE, "base64decode"].contains(&name.as_str());
                if !is_known || is_of_where && !self.names.columns {
                    return Err(unknown(self));
                }
                self.uses.functions.insert(name.clone());
                if PATTERNS.contains(&name.as_str()) {
                    self.pattern(name, call.args.get(usize::from(target.is_none())))?;
                }
                call.args.iter().try_for_each(|argument| self.expression(argument, levels))
            }
            // Of the expressions of a server, only selectors of devices have it (dynamic-resource-allocation, cel/compile.go).
            Expr::Comprehension(comprehension)
                if comprehension.iter_var == macros::BOUND
                    && !self.names.columns
                    && !self.names.variables.contains(&"device") =>
            {
                let known = self.names.variables.iter().map(|name| (*name).to_owned()).collect();
                let error = self.error(expression.id, Problem::Variable("cel".to_owned(), known), "cel");
                let instead = "the API server has cel.bind for selectors of devices alone; policies have spec.variables";
                Err(ParseError { instead: Some(instead.to_owned()), ..error })
            }
            Expr::Comprehension(comprehension) => {
                let range = self.uses.fields.len();
                self.expression(&comprehension.iter_range, levels)?;
                let is_field = comprehension.iter_var2.is_none() && is_field(&comprehension.iter_range);
                let list = if is_field { self.uses.fields.drain(range..).next() } else { None };
                self.expression(&comprehension.accu_init, levels)?;
                let (outer, body) = (self.bound.len(), self.uses.fields.len());
                let items = list.clone().map(|(name, path)| (name, [path, vec![ITEMS.to_owned()]].concat()));
                self.bound.push((&comprehension.iter_var, items));
                self.bound.push((&comprehension.accu_var, None));
                self.bound.extend(comprehension.iter_var2.as_deref().map(|name| (name, None)));
                self.uses
                    .loop_variables
                    .extend(self.bound[outer..].iter().map(|(name, _)| (*name).to_owned()));
                self.expression(&comprehension.loop_cond, levels)?;
                self.expression(&comprehension.loop_step, levels)?;
                self.expression(&comprehension.result, levels)?;
                self.bound.truncate(outer);
                // Of items of which nothing is read, the list is.
                let is_of = |(name, path): &FieldOf| {
                    self.uses.fields[body..]
                        .iter()
                        .any(|(other, longer)| name == other && longer.starts_with(path))
                };
                let unread = list.filter(|list| !is_of(list));
                self.uses.fields.extend(unread);
                Ok(())
            }
        }
    }

    /// Checks a literal regular expression once, instead of for every object.
    fn pattern(&self, function: &str, pattern: Option<&IdedExpr>) -> Result<(), ParseError> {
        let Some(IdedExpr { id, expr: Expr::Literal(LiteralValue::String(pattern)) }) = pattern else {
            return Ok(());
        };
        if functions::regex(function, pattern.inner()).is_ok() && !pattern::is_invalid(pattern.inner()) {
            return Ok(());
        }
        Err({
            let start = start(self.text, self.program, *id);
            let rest = self.text.get(start..).unwrap_or("");
            // With escapes, the pattern differs from the text between the quotes.
            let written = rest.find(pattern.inner()).filter(|_| !pattern.inner().is_empty());
            let start = start + written.unwrap_or(0);
            let end = if written.is_some() { start + pattern.inner().len() } else { start };
            let problem = Problem::Pattern(function.to_owned(), pattern.inner().to_owned());
            ParseError { problem, span: start..end, instead: None }
        })
    }

    /// Checks a variable or a field of an expression, which may itself be a field of another one.
    fn read(&mut self, expression: &'p IdedExpr, levels: usize) -> Result<(), ParseError> {
        let mut path = Vec::new();
        let mut operand = expression;
        let mut left = levels;
        loop {
            left =
                left.checked_sub(1).ok_or_else(|| ParseError::whole("it is nested too deeply".to_owned()))?;
            match &operand.expr {
                Expr::Select(select) => {
                    path.push(Some(select.field.as_str()));
                    operand = &select.operand;
                }
                Expr::Call(call) if is_read(call) => {
                    path.push(literal(&call.args[1]));
                    if path.last() == Some(&None) {
                        self.expression(&call.args[1], left)?;
                    }
                    operand = &call.args[0];
                }
                _ => break,
            }
        }
        match &operand.expr {
            Expr::Ident(name) => {
                // Everything within an element is read.
                let path: Vec<&str> = path.into_iter().rev().map_while(|field| field).collect();
                self.variable(name, &path, operand.id)
            }
            _ => self.expression(operand, left),
        }
    }

    /// Notes that the expression reads the field `path` of a variable; the empty path is all of it.
    fn variable(&mut self, name: &str, path: &[&str], id: u64) -> Result<(), ParseError> {
        if let Some(items) = self.bound(name) {
            let of_items = |(name, items): &FieldOf| {
                let path = path.iter().map(|field| (*field).to_owned());
                (name.clone(), items.iter().cloned().chain(path).collect())
            };
            self.uses.fields.extend(items.as_ref().map(of_items));
            return Ok(());
        }
        if is_among(TYPES, name) {
            return Ok(());
        }
        if self.names.columns && is_header(name) {
            self.uses.columns.push(name.to_owned());
            return Ok(());
        }
        if is_among(QUALIFIED, &[&[name], path].concat().join(".")) {
            return Ok(());
        }
        let Some(variable) =
            self.names.variables.iter().find(|variable| **variable == name.trim_start_matches('.'))
        else {
            let known = self.names.variables.iter().map(|name| (*name).to_owned()).collect();
            return Err(self.error(id, Problem::Variable(name.to_owned(), known), name));
        };
        let path = path.iter().map(|field| (*field).to_owned()).collect();
        self.uses.fields.push(((*variable).to_owned(), path));
        Ok(())
    }

    /// What a variable of the enclosing loops is an item of; `None` if they have no such variable.
    fn bound(&self, name: &str) -> Option<&Option<FieldOf>> {
        self.bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, items)| items)
    }

    /// An error about an unknown name.
    fn error(&self, id: u64, problem: Problem, name: &str) -> ParseError {
        let instead = match &problem {
            Problem::Function(name) => signatures::nearest(name).map(|near| format!("did you mean {near}?")),
            _ => None,
        };
        ParseError { problem, span: mark(self.text, start(self.text, self.program, id), name), instead }
    }
}

/// Whether this is a variable, or a field of one whose whole path is written.
fn is_field(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Ident(_) => true,
        Expr::Select(select) => !select.test && is_field(&select.operand),
        Expr::Call(call) => is_read(call) && literal(&call.args[1]).is_some() && is_field(&call.args[0]),
        _ => false,
    }
}

/// The first part of a name with dots.
fn root(name: &str) -> &str {
    name.trim_start_matches('.').split('.').next().unwrap_or_default()
}

/// Whether a name is the header of a column.
fn is_header(name: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(is_upper)
}

/// The header in `column("UP-TO-DATE")`; `None` if the call is another one.
pub fn column(call: &CallExpr) -> Option<&str> {
    match &call.args[..] {
        [header] if call.func_name == "column" && call.target.is_none() => literal(header),
        _ => None,
    }
}

/// Whether this is a function or an operator. The environment does not list them, but evaluation reveals it.
fn is_function(name: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    if !name.bytes().all(is_name) || name.starts_with('_') {
        return true;
    }
    let unknown = |text: String| {
        // What does not compile is a macro with other arguments.
        let program = ENVIRONMENT.compile(&text).ok();
        let result = program.map(|program| program.execute(&Context::with_env(Arc::clone(&ENVIRONMENT))));
        matches!(result, Some(Err(ExecutionError::UndeclaredReference(_))))
    };
    !(unknown(format!("{name}()")) && unknown(format!("''.{name}()")))
}

/// The first error of the parser, shortened.
fn parse_error(text: &str, errors: &cel::ParseErrors) -> ParseError {
    let Some(first) = errors.errors.first() else { return ParseError::whole("it cannot be read".to_owned()) };
    if first.msg.contains("Recursion limit") || first.msg.contains("recursion limit") {
        return ParseError::whole("it is nested too deeply".to_owned());
    }
    let message = first.msg.strip_prefix("Syntax error: ").unwrap_or(&first.msg);
    // The list of expected tokens is usually long.
    let found = message.split_once(" expecting ").map_or(message, |(found, _)| found);
    let message = ["mismatched input", "extraneous input"]
        .iter()
        .find_map(|words| Some(format!("unexpected{}", found.strip_prefix(words)?)))
        .unwrap_or_else(|| message.to_owned())
        .replace("'<EOF>'", "end");
    let (line, column) = first.pos;
    let before = |count: isize| usize::try_from(count.saturating_sub(1)).unwrap_or(0);
    let starts = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end - line.len())
    });
    let start = starts.take(before(line) + 1).last().unwrap_or(0);
    let rest = text.get(start..).unwrap_or("");
    let start = start + rest.char_indices().nth(before(column)).map_or(rest.len(), |(at, _)| at);
    let end = text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
    let problem = Problem::Syntax(go::printable(&message).into_owned());
    ParseError { problem, span: start..end, instead: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms and macros, which are no functions.
    const FORMS: [&str; 17] = [
        "in",
        "has",
        "all",
        "exists",
        "exists_one",
        "existsOne",
        "map",
        "filter",
        "sortBy",
        "optMap",
        "optFlatMap",
        "a",
        "cel.bind",
        "transformList",
        "transformMap",
        "transformMapEntry",
        "authorizer",
    ];

    #[test]
    fn every_function_of_the_documentation_is_known() {
        let (_, table) =
            include_str!("../../../docs/expressions.md").split_once("| library |").expect("a table");
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut count = 0;
        for row in rows {
            let functions = row.split('|').nth(2).expect("functions");
            for name in functions.split('`').skip(1).step_by(2) {
                let name = name.split(['?', '[']).next().unwrap_or_default().trim_end_matches('.');
                assert!(FORMS.contains(&name) || is_function(name), "{name}");
                count += 1;
            }
        }
        assert!(count > 120, "{count} functions");
    }
}
