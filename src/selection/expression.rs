//! Expressions of the Common Expression Language, the language of `--where`: what they may name, whether an
//! object meets one, and where one is wrong. The only home of the crate that parses and evaluates them.
//!
//! An expression comes from the command line and is bounded nevertheless: in length, in how deep it nests when it
//! is read (96 brackets) and when it is evaluated. Its loops are bounded by the lists and maps they run over.

mod functions;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::thread;

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue};
use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString};
use cel::common::value::Val;
use cel::{Context, Env, ExecutionError, Program, Value};

use crate::excerpt;
use crate::go;
use crate::manifest::error::{Error, Place};
use crate::manifest::list::Object;
use crate::manifest::tree::{self, Node};

/// What an expression may name: the object, and parts of it for short.
pub const VARIABLES: [&str; 8] =
    ["object", "metadata", "spec", "status", "kind", "apiVersion", "labels", "annotations"];

/// The types that an expression may name, to compare `type(x)` with.
const TYPES: [&str; 12] = [
    "bool",
    "bytes",
    "double",
    "dyn",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// What stands before the names of some functions: `math.greatest(1, 2)`.
const NAMESPACES: [&str; 4] = ["lists", "math", "optional", "strings"];

/// The functions that take a regular expression, behind a text.
const PATTERNS: [&str; 3] = ["matches", "find", "findAll"];

/// How many bytes an expression may have.
const MAX_LENGTH: usize = 8 << 10;

/// How many levels an expression may have: `a.b + 1` has three. Evaluating takes stack for each.
const MAX_LEVELS: usize = 40;

/// The stack on which expressions are read: the parser takes some 100 KB for a bracket.
const STACK: usize = 64 << 20;

/// How many bytes of the reason are shown for which an expression cannot be evaluated. It may show values.
const MAX_REASON: usize = 300;

/// The functions there are: CEL's own, those of its extensions for strings, lists and numbers, and Kubernetes'.
static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    let extensions = [cel::extensions::strings, cel::extensions::lists, cel::extensions::math];
    for extension in extensions.into_iter().chain([functions::extension as fn(&mut Env) -> _]) {
        env.add_extension(extension).expect("impossible: a test declares all functions");
    }
    Arc::new(env)
});

/// An expression that can be evaluated, by several threads at once.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    program: Arc<Program>,
    /// What it names of [`VARIABLES`].
    variables: Vec<&'static str>,
}

/// What an object answers to an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is true of the object.
    Holds,
    /// It is false.
    Fails,
    /// It asks for a field or an element that the object lacks, which is no error: it does not hold. The name of
    /// the field, or `element` and its number.
    Missing(String),
}

/// Why an expression cannot be evaluated.
#[derive(Clone, Debug)]
pub enum EvaluationError {
    /// The object's text cannot be parsed.
    Unreadable(Error),
    /// The expression makes no sense for what the object has: where the object is, the expression, the reason.
    Failed(Place, String, String),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Failed(place, text, reason) => {
                write!(f, "{place}: --where {}: {}", excerpt::quote(text), go::printable(reason))
            }
        }
    }
}

impl std::error::Error for EvaluationError {}

/// What is wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    span: Range<usize>,
}

impl ParseError {
    /// The bytes that are wrong; empty at the end of the text, and where it is too long or too deep as a whole.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn whole(message: String) -> Self {
        Self { message, span: 0..0 }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

impl Expression {
    /// Reads an expression. It may name [`VARIABLES`], and functions of CEL, of its extensions and of Kubernetes:
    /// `quantity`, `isQuantity` and their comparisons, `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`,
    /// `find`, `findAll`.
    ///
    /// *Compatibility*: Kubernetes' functions for URLs, addresses, formats and versions, arithmetic on
    /// quantities, and CEL's timestamps and durations are unknown. Times of one form compare as text:
    /// `metadata.creationTimestamp < "2024-06"`.
    ///
    /// # Errors
    ///
    /// The text is no expression, is longer than 8 KiB, nests too deep, or names what there is not.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.len() > MAX_LENGTH {
            return Err(ParseError::whole(format!("it is longer than {MAX_LENGTH} bytes")));
        }
        // The parser needs more stack than a thread is sure to have. Should it panic, the text is refused.
        let read = thread::scope(|scope| {
            let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || compile(text));
            reader.ok().and_then(|reader| reader.join().ok())
        });
        read.unwrap_or_else(|| Err(ParseError::whole("it cannot be read".to_owned())))
    }

    /// The expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Asks `object`. A field that is null counts as missing, as it does to the API server; `metadata`, `spec`,
    /// `status`, `labels` and `annotations` are empty maps where the object has none. Only what the expression
    /// names is looked at: the body is parsed when that is more than kind, version and labels.
    ///
    /// # Errors
    ///
    /// The body is needed and cannot be parsed; the expression asks for what its values cannot do, such as
    /// comparing a text with a number; it comes to something else than true or false.
    pub fn ask(&self, object: &Object<'_>) -> Result<Answer, EvaluationError> {
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        for name in &self.variables {
            let value = variable(name, object).map_err(EvaluationError::Unreadable)?;
            context.add_variable_as_val(*name, value);
        }
        let reason = match self.program.execute(&context) {
            Ok(Value::Bool(true)) => return Ok(Answer::Holds),
            Ok(Value::Bool(false)) => return Ok(Answer::Fails),
            Ok(other) => format!("it is no condition: it comes to a value of type {}", other.type_of()),
            Err(ExecutionError::NoSuchKey(key)) => return Ok(Answer::Missing(String::clone(&key))),
            Err(ExecutionError::IndexOutOfBounds(index)) => {
                return Ok(Answer::Missing(match index {
                    Value::Int(index) => format!("element {index}"),
                    Value::UInt(index) => format!("element {index}"),
                    _ => "such element".to_owned(),
                }));
            }
            Err(error) => shortened(&reason(&error)),
        };
        Err(EvaluationError::Failed(object.place(), self.text.clone(), reason))
    }
}

/// Reads and checks a text.
fn compile(text: &str) -> Result<Expression, ParseError> {
    let program = ENVIRONMENT.compile(text).map_err(|errors| parse_error(text, &errors))?;
    let mut check = Check {
        text,
        program: &program,
        bound: Vec::new(),
        variables: Vec::new(),
        functions: HashSet::new(),
    };
    check.expression(program.expression(), MAX_LEVELS)?;
    let variables = check.variables;
    Ok(Expression { text: text.to_owned(), program: Arc::new(program), variables })
}

/// The first error of the parser, in short.
fn parse_error(text: &str, errors: &cel::ParseErrors) -> ParseError {
    let Some(first) = errors.errors.first() else { return ParseError::whole("it cannot be read".to_owned()) };
    if first.msg.contains("Recursion limit") || first.msg.contains("recursion limit") {
        return ParseError::whole("it nests too deep".to_owned());
    }
    let message = first.msg.strip_prefix("Syntax error: ").unwrap_or(&first.msg);
    // What could stand there instead is a long list, mostly.
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
    ParseError { message: go::printable(&message).into_owned(), span: start..end }
}

/// Looks through a program for what evaluating it would refuse.
struct Check<'p> {
    text: &'p str,
    program: &'p Program,
    /// The variables of loops around the expression.
    bound: Vec<&'p str>,
    /// What was met of [`VARIABLES`].
    variables: Vec<&'static str>,
    /// The functions that were met.
    functions: HashSet<&'p str>,
}

impl<'p> Check<'p> {
    /// Checks an expression that may have `levels` levels.
    fn expression(&mut self, expression: &'p IdedExpr, levels: usize) -> Result<(), ParseError> {
        let Some(levels) = levels.checked_sub(1) else {
            return Err(ParseError::whole("it nests too deep".to_owned()));
        };
        match &expression.expr {
            Expr::Unspecified | Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.variable(name, expression.id),
            Expr::Select(select) => self.expression(&select.operand, levels),
            Expr::List(list) => list.elements.iter().try_for_each(|element| self.expression(element, levels)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::StructField(field) => self.expression(&field.value, levels),
                EntryExpr::MapEntry(entry) => {
                    self.expression(&entry.key, levels)?;
                    self.expression(&entry.value, levels)
                }
            }),
            Expr::Struct(object) => Err(self.error(expression.id, "type", &object.type_name)),
            Expr::Call(call) => {
                let target = call.target.as_deref();
                let namespace = target.filter(
                    |target| matches!(&target.expr, Expr::Ident(name) if NAMESPACES.contains(&name.as_str())),
                );
                match (target, namespace) {
                    (_, Some(_)) => (),
                    (Some(target), None) => self.expression(target, levels)?,
                    (None, None) => (),
                }
                if namespace.is_none()
                    && self.functions.insert(&call.func_name)
                    && !is_function(&call.func_name)
                {
                    return Err(self.error(expression.id, "function", &call.func_name));
                }
                if PATTERNS.contains(&call.func_name.as_str()) {
                    self.pattern(call.args.get(usize::from(target.is_none())))?;
                }
                call.args.iter().try_for_each(|argument| self.expression(argument, levels))
            }
            Expr::Comprehension(comprehension) => {
                self.expression(&comprehension.iter_range, levels)?;
                self.expression(&comprehension.accu_init, levels)?;
                let outer = self.bound.len();
                self.bound.extend([comprehension.iter_var.as_str(), &comprehension.accu_var]);
                self.bound.extend(comprehension.iter_var2.as_deref());
                self.expression(&comprehension.loop_cond, levels)?;
                self.expression(&comprehension.loop_step, levels)?;
                self.expression(&comprehension.result, levels)?;
                self.bound.truncate(outer);
                Ok(())
            }
        }
    }

    /// Checks a regular expression that is written out, once instead of for every object.
    fn pattern(&self, pattern: Option<&IdedExpr>) -> Result<(), ParseError> {
        let Some(IdedExpr { id, expr: Expr::Literal(LiteralValue::String(pattern)) }) = pattern else {
            return Ok(());
        };
        functions::regex("matches", pattern.inner()).map(drop).map_err(|_| {
            let start = self.start(*id);
            let rest = self.text.get(start..).unwrap_or("");
            // Escapes make it another text than that between the quotes.
            let written = rest.find(pattern.inner()).filter(|_| !pattern.inner().is_empty());
            let start = start + written.unwrap_or(0);
            let end = if written.is_some() { start + pattern.inner().len() } else { start };
            let message = format!("{} is no regular expression", go::quote(pattern.inner()));
            ParseError { message, span: start..end }
        })
    }

    /// The byte at which an expression starts.
    fn start(&self, id: u64) -> usize {
        let start = self.program.source_info().offset_for(id).map_or(0, |(start, _)| start as usize);
        self.text.char_indices().nth(start).map_or(self.text.len(), |(at, _)| at)
    }

    fn variable(&mut self, name: &str, id: u64) -> Result<(), ParseError> {
        if self.bound.contains(&name) || TYPES.contains(&name) {
            return Ok(());
        }
        match VARIABLES.into_iter().find(|variable| *variable == name.trim_start_matches('.')) {
            Some(variable) if !self.variables.contains(&variable) => self.variables.push(variable),
            Some(_) => (),
            None => return Err(self.error(id, "variable", name)),
        }
        Ok(())
    }

    /// Something that does not exist under this name.
    fn error(&self, id: u64, what: &str, name: &str) -> ParseError {
        let known =
            if what == "variable" { format!("; there are {}", VARIABLES.join(", ")) } else { String::new() };
        // A call's place is that of its bracket: the name stands before it.
        let from = self.start(id);
        let (before, after) = self.text.split_at_checked(from).unwrap_or((self.text, ""));
        let start = match after.starts_with(name) {
            true => from,
            false => before.rfind(name).or_else(|| self.text.find(name)).unwrap_or(from),
        };
        let span = start..(start + name.len()).min(self.text.len());
        ParseError { message: format!("unknown {what} {}{known}", go::quote(name)), span }
    }
}

/// Whether there is a function of this name, or it is an operator. The environment does not tell, evaluating does.
fn is_function(name: &str) -> bool {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') || name.starts_with('_') {
        return true;
    }
    let unknown = |text: String| match ENVIRONMENT.compile(&text) {
        Ok(program) => matches!(
            program.execute(&Context::with_env(Arc::clone(&ENVIRONMENT))),
            Err(ExecutionError::UndeclaredReference(_))
        ),
        // It is a macro with other arguments.
        Err(_) => false,
    };
    !(unknown(format!("{name}()")) && unknown(format!("''.{name}()")))
}

/// What a variable stands for.
fn variable<'o>(name: &str, object: &'o Object<'_>) -> Result<Box<dyn Val + 'o>, Error> {
    let head = object.head;
    let part = |path: &[&str]| -> Result<Box<dyn Val + 'o>, Error> {
        let part = path.iter().try_fold(object.value()?, |node, key| node.get(key));
        Ok(match part {
            Some(part) if !part.is_null() => value(part),
            _ => Box::new(CelMap::from(HashMap::new())),
        })
    };
    match name {
        "kind" => Ok(Box::new(CelString::from(head.kind))),
        "apiVersion" => Ok(Box::new(CelString::from(head.api_version))),
        "labels" => {
            let label = |&(key, value): &(&'o str, &'o str)| -> (CelMapKey<'o>, Box<dyn Val + 'o>) {
                (key.into(), Box::new(CelString::from(value)))
            };
            Ok(Box::new(CelMap::from(head.labels.iter().map(label).collect::<HashMap<_, _>>())))
        }
        "annotations" => part(&["metadata", "annotations"]),
        "object" => part(&[]),
        part_name => part(&[part_name]),
    }
}

/// A node as a value of the language. Text is borrowed; keys with null are left out.
fn value<'o>(node: &'o Node) -> Box<dyn Val + 'o> {
    match &node.value {
        tree::Value::Null => Box::new(CelNull),
        tree::Value::Bool(value) => Box::new(CelBool::from(*value)),
        tree::Value::Int(value) => Box::new(CelInt::from(*value)),
        tree::Value::Float(value) => Box::new(CelDouble::from(*value)),
        tree::Value::String(text) => Box::new(CelString::from(text.as_str())),
        tree::Value::Seq(items) => Box::new(CelList::from(items.iter().map(value).collect::<Vec<_>>())),
        tree::Value::Map(map) => {
            let entries = map.iter().filter(|entry| !entry.value.is_null());
            let entries = entries.map(|entry| (CelMapKey::from(entry.key.as_str()), value(&entry.value)));
            Box::new(CelMap::from(entries.collect::<HashMap<_, _>>()))
        }
    }
}

/// Why an expression cannot be evaluated: with the types of the values where cel would show the values, those of
/// maps in any order.
fn reason(error: &ExecutionError) -> String {
    match error {
        ExecutionError::UnsupportedBinaryOperator(operator, a, b) => {
            let (a, b) = (a.type_of(), b.type_of());
            format!("found no matching overload for '{operator}' applied to '({a}, {b})'")
        }
        ExecutionError::ValuesNotComparable(a, b) => {
            format!("a value of type {} cannot be compared with one of type {}", a.type_of(), b.type_of())
        }
        ExecutionError::UnsupportedIndex(index, value) => {
            format!("a value of type {} is no index of one of type {}", index.type_of(), value.type_of())
        }
        ExecutionError::UnsupportedKeyType(key) => {
            format!("a value of type {} is no key of a map", key.type_of())
        }
        ExecutionError::UnsupportedTargetType { target } => {
            format!("a value of type {} cannot be the argument", target.type_of())
        }
        ExecutionError::NotSupportedAsMethod { method, target } => {
            format!("a value of type {} has no method '{method}'", target.type_of())
        }
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "remainder by zero".to_owned(),
        ExecutionError::Overflow(operator, ..) => format!("'{operator}' overflows"),
        ExecutionError::IndexOutOfBounds(_) => "index out of bounds".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map has a key twice".to_owned(),
        ExecutionError::FunctionError { function, message } => {
            // What is ours names no values; what is cel's may.
            let message =
                if functions::is_own_message(message) { message } else { "the argument is not valid" };
            format!("Error executing function '{function}': {message}")
        }
        ExecutionError::UnexpectedType { want, .. } => format!("a value of type {want} is wanted"),
        ExecutionError::InvalidArgumentCount { .. }
        | ExecutionError::NoSuchOverload(_)
        | ExecutionError::UndeclaredReference(_)
        | ExecutionError::MissingArgumentOrTarget => error.to_string(),
        // Others show values.
        _ => "the expression cannot be evaluated".to_owned(),
    }
}

/// A reason on one line and not too long.
fn shortened(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().find(|(at, _)| *at >= MAX_REASON) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or("")),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::document::{Document, Syntax};
    use crate::manifest::list::objects;
    use crate::manifest::source::Source;
    use proptest::prelude::*;

    const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web, app.kubernetes.io/name: web}
  annotations:
spec:
  replicas: 3
  paused: null
  template:
    spec:
      containers:
      - {name: web, image: nginx:1.25, resources: {limits: {memory: 1536Mi}}, ports: [{containerPort: 80}]}
      - {name: log, image: fluent/fluent-bit:2.1}
  weights: [1, 2, 3]
  ratio: 0.5
";

    /// What an object answers: `true`, `false`, the missing field as `no FIELD`, or the reason of an error.
    fn asked(text: &str, object: &str) -> String {
        let expression = Expression::parse(text).expect("an expression");
        let source = Source::stdin();
        let document = Document {
            text: object.as_bytes(),
            syntax: Syntax::Yaml,
            source: &source,
            line: 1,
            number: 1,
            items: None,
        };
        let mut answer = String::new();
        objects(document, &mut |object| {
            answer = match expression.ask(object.expect("an object")) {
                Ok(Answer::Holds) => "true".to_owned(),
                Ok(Answer::Fails) => "false".to_owned(),
                Ok(Answer::Missing(field)) => format!("no {field}"),
                Err(EvaluationError::Failed(_, _, reason)) => reason,
                Err(error) => error.to_string(),
            };
        });
        answer
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(asked(text, DEPLOYMENT), expected, "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        let error = Expression::parse(text).expect_err("must be refused");
        let marked = text.get(error.span()).expect("a part of the text");
        assert_eq!(format!("{error} at {}: {marked}", error.span().start), expected);
    }

    #[test]
    fn the_object_and_its_parts_have_names() {
        check("object.spec.replicas == 3 && spec.replicas == 3", "true");
        check("kind == 'Deployment' && apiVersion == 'apps/v1'", "true");
        check("metadata.name == 'web' && metadata.namespace == 'shop'", "true");
        check("labels.app == 'web' && labels['app.kubernetes.io/name'] == 'web'", "true");
        check("'app' in labels && !('tier' in labels)", "true");
        check(".spec.replicas == 3", "true");
    }

    #[test]
    fn parts_that_the_object_lacks_are_empty() {
        check("size(annotations) + size(status) == 0", "true");
        check("has(status.phase)", "false");
        assert_eq!(
            asked("size(labels) + size(metadata) + size(spec)== 0", "apiVersion: v1\nkind: A\n"),
            "true"
        );
    }

    #[test]
    fn what_is_missing_is_told_and_no_error() {
        check("status.phase == 'Running'", "no phase");
        check("labels.tier == 'fe' || labels.tier == 'be'", "no tier");
        check("labels.tier == 'fe' || labels.app == 'web'", "true");
        check("object.data.key == 'a'", "no data");
        check("spec.template.spec.containers[7].name == 'x'", "no element 7");
        check("annotations['a/b'] == 'c'", "no a/b");
    }

    #[test]
    fn null_counts_as_missing() {
        check("has(spec.paused)", "false");
        check("spec.paused", "no paused");
    }

    #[test]
    fn numbers_of_different_types_compare() {
        check("spec.replicas > 2.5 && spec.ratio < 1", "true");
    }

    #[test]
    fn lists_are_looked_through() {
        check("spec.template.spec.containers.exists(c, c.image.startsWith('nginx:'))", "true");
        check("spec.template.spec.containers.all(c, has(c.resources))", "false");
        check("spec.template.spec.containers.map(c, c.name) == ['web', 'log']", "true");
        check("spec.template.spec.containers.exists(c, c.image.matches('^[a-z]+:[0-9.]+$'))", "true");
    }

    #[test]
    fn quantities_compare_by_amount() {
        let memory = "spec.template.spec.containers[0].resources.limits.memory";
        check(&format!("quantity({memory}).isGreaterThan(quantity('1Gi'))"), "true");
        check(&format!("quantity({memory}).isLessThan(quantity('1Gi'))"), "false");
        check(&format!("quantity({memory}).compareTo(quantity('1.5Gi')) == 0"), "true");
        check(&format!("quantity({memory}) == quantity('1.5Gi')"), "true");
        check("quantity('-1').sign() == -1 && quantity('0').sign() == 0", "true");
        check("isQuantity('1x')", "false");
        check(
            "quantity('1x').sign() == 1",
            "Error executing function 'quantity': the text is not a quantity",
        );
    }

    #[test]
    fn lists_have_the_functions_of_kubernetes() {
        check("spec.weights.isSorted() && spec.weights.sum() == 6", "true");
        check("spec.weights.min() == 1 && spec.weights.max() == 3", "true");
        check(
            "spec.weights.indexOf(3) == 2 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
            "true",
        );
        check("[].sum() == 0 && [0.5, 1].sum() == 1.5 && ['b', 'a'].isSorted() == false", "true");
        check("[].min() == 0", "Error executing function 'min': the list is empty");
        check(
            "['a', 'b'].sum() == 0",
            "Error executing function 'sum': the list has other items than numbers",
        );
    }

    #[test]
    fn texts_are_searched_by_regular_expressions() {
        check("'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''", "true");
        check(
            "'1 2 3'.findAll('[0-9]') == ['1', '2', '3'] && '1 2 3'.findAll('[0-9]', 2) == ['1', '2']",
            "true",
        );
    }

    #[test]
    fn the_extensions_of_cel_are_there() {
        check("'A-B'.lowerAscii().split('-') == ['a', 'b'] && math.greatest(1, 2) == 2", "true");
        check("[3, 1].sort() == lists.range(4).filter(i, i % 2 == 1)", "true");
        check("spec.?nosuch.orValue(7) == 7 && optional.of(1).hasValue()", "true");
        check("type(spec.replicas) == int", "true");
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        check("spec.replicas > '1'", "found no matching overload for '_>_' applied to '(int, string)'");
        check("spec.replicas", "it is no condition: it comes to a value of type int");
        check("spec.replicas / 0 == 1", "division by zero");
        check("spec - 1 == 1", "found no matching overload for 'sub' applied to '(map, int)'");
    }

    #[test]
    fn parse_errors_say_where() {
        check_error("spec.replicas >", "unexpected end at 15: ");
        check_error("'é' spec", "unexpected 'spec' at 5: s");
        check_error("", "unexpected end at 0: ");
        check_error("a b", "unexpected 'b' at 2: b");
    }

    #[test]
    fn unknown_names_are_refused() {
        let known = VARIABLES.join(", ");
        check_error(
            "kind == 'é' && Spec.a == 1",
            &format!("unknown variable \"Spec\"; there are {known} at 16: Spec"),
        );
        check_error("[1].all(x, y > x)", &format!("unknown variable \"y\"; there are {known} at 11: y"));
        check_error("nosuch(kind)", "unknown function \"nosuch\" at 0: nosuch");
        check_error("kind.nosuch('a')", "unknown function \"nosuch\" at 5: nosuch");
        check_error("Pod{a: 1} == 1", "unknown type \"Pod\" at 0: Pod");
    }

    #[test]
    fn wrong_regular_expressions_are_refused() {
        check_error("kind.matches('a(')", r#""a(" is no regular expression at 14: a("#);
        check_error("matches(kind, '[')", r#""[" is no regular expression at 15: ["#);
        check_error("kind.find('\\x28') == ''", r#""(" is no regular expression at 10: "#);
        check("kind.matches(kind + '(')", {
            "Error executing function 'matches': the argument is not valid"
        });
    }

    #[test]
    fn long_and_deep_expressions_are_refused() {
        check_error(&"(".repeat(8000), "it nests too deep at 0: ");
        check_error(&format!("{}1", "1+".repeat(4000)), "it nests too deep at 0: ");
        check_error(&format!("object{}", ".a".repeat(4000)), "it nests too deep at 0: ");
        check_error(&" ".repeat(9000), "it is longer than 8192 bytes at 0: ");
        assert!(Expression::parse(&format!("{}true", "true && ".repeat(1000))).is_ok());
    }

    #[test]
    fn the_deepest_expressions_fit_a_thread() {
        let spawned = std::thread::spawn(|| {
            check(&format!("{}1 == 39", "1+".repeat(38)), "true");
            check(&format!("object{} == 1", "['a']".repeat(38)), "no a");
            check(&format!("kind{} == kind", ".trim()".repeat(38)), "true");
            let nested = (0..12).fold("true".to_owned(), |inner, _| format!("[1].all(x, {inner})"));
            check(&nested, "true");
        });
        spawned.join().expect("it ran");
    }

    #[test]
    fn the_deepest_objects_fit_a_thread() {
        let spawned = std::thread::spawn(|| {
            let object = format!("apiVersion: v1\nkind: A\nspec: {}1{}\n", "[".repeat(990), "]".repeat(990));
            assert_eq!(asked("spec == object.spec && [spec] + [1] == [object.spec, 1]", &object), "true");
        });
        spawned.join().expect("it ran");
    }

    #[test]
    fn threads_share_expressions() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<Expression>();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            // Parsing in the thread of the test shows a panic that reading would refuse.
            let _ = ENVIRONMENT.compile(&text);
            if let Err(error) = Expression::parse(&text) {
                prop_assert!(text.get(error.span()).is_some());
            }
        }

        #[test]
        fn what_looks_like_an_expression_is_read_or_refused(
            tokens in prop::collection::vec(prop::sample::select(&[
                "spec", ".", "a", "has(", "all(", "(", ")", "[", "]", "{", "}", ",", ":", "?", "x", "1", "'b'", "&&",
                "==", "!", "-", "in", "r'\\'", "b'\\377'", "0x", "1u", "1e9", ".?", "map(", "namespace", "é", "`",
            ][..]), 0..12),
        ) {
            let text = tokens.concat();
            let _ = ENVIRONMENT.compile(&text);
            match Expression::parse(&text) {
                Ok(_) => drop(asked(&text, DEPLOYMENT)),
                Err(error) => prop_assert!(text.get(error.span()).is_some()),
            }
        }
    }
}
