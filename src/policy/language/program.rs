//! Expressions of custom resources' schemas and of admission policies, evaluated as by the API server.

use std::sync::Arc;

use cel::common::ast::IdedExpr;
use cel::common::types::CelString;
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use cel::{Context, ExecutionError, Value};

use super::cost::{self, Budget};
use super::environment::{self, ENVIRONMENT, Typed, Uses};
use super::types::Type;
use super::values::{self, Reading};
use super::{failure, rewrite};
use crate::ParseError;
use syntax::fields::FieldSet;
use syntax::tree::Node;

/// A compiled expression. Several threads can evaluate it at once.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
    ast: Arc<IdedExpr>,
    uses: Arc<Uses>,
    worst_cost: u64,
}

/// The objects that expressions read. A field is found by its whole path, `object.spec.replicas`, so that no map on the
/// way becomes a value of the language.
pub struct Objects<'v>(Vec<(&'static str, &'v Node, Reading<'v>)>);

/// The variables of an evaluation and their values, which borrow objects.
pub struct Scope<'v> {
    variables: Context<'v, 'v>,
    budget: &'v Budget,
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluationResult {
    /// A condition.
    Bool(bool),
    /// A text.
    Text(String),
    /// A value of another type; holds its name.
    Other(String),
}

/// What each evaluation adds to the cost that all policies, or the rules of a schema, may have in a run.
const COST_OF_EVALUATION: u64 = 1000;

/// The maximum length of a message that an expression makes, in bytes (apiserver, pkg/apis/cel/config.go).
const MAX_MESSAGE: usize = 5 << 10;

impl EvaluationResult {
    /// The result as the message of a rule: a text of one line; `None` if it cannot be one, so that another counts.
    pub fn message(self) -> Option<String> {
        let Self::Text(text) = self else { return None };
        let text = text.trim();
        let is_message = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
        is_message.then(|| text.to_owned())
    }
}

/// Why evaluation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message in the words of the API server: `no such key: replicas`.
    pub message: String,
    /// A variable that has no value; `None` if the failure has another reason.
    pub unbound: Option<String>,
}

impl Failure {
    /// Whether nothing was evaluated, because the budget of the run is exhausted.
    pub fn is_exhausted(&self) -> bool {
        self.message == cost::EXHAUSTED
    }

    /// Whether no overload of a function or an operator has the types of its arguments.
    pub fn is_overload(&self) -> bool {
        self.message == NO_OVERLOAD
    }
}

/// cel-go, common/types/err.go
const NO_OVERLOAD: &str = "no such overload";

impl Program {
    /// Compiles an expression that may use these variables. `schema` is that of the values that it is about, if it is a
    /// rule. Returns its type, too.
    ///
    /// # Errors
    ///
    /// The text is not an expression, uses a name that does not exist, or has an error of types that a server reports.
    pub fn compile<'s>(
        text: &str,
        variables: &[(&str, Type<'s>)],
        schema: Option<&Node>,
    ) -> Result<(Self, Type<'s>), ParseError> {
        let Typed { program, uses, of, worst_cost } = environment::compile_typed(text, variables, schema)?;
        let mut ast = program.expression().clone();
        rewrite::change_each(&mut ast, &mut cost::count_in);
        Ok((Self { text: text.to_owned(), ast: Arc::new(ast), uses: Arc::new(uses), worst_cost }, of))
    }

    /// Its worst cost for a value of the schema that it was compiled for, as a server estimates it.
    pub fn worst_cost(&self) -> u64 {
        self.worst_cost
    }

    /// The original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the expression uses a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.uses.fields.iter().any(|(name, _)| name == variable)
    }

    /// The first keys that the expression reads of a variable: of `variables.a.b`, this is `a`.
    pub fn keys_of<'p>(&'p self, variable: &'p str) -> impl Iterator<Item = &'p str> {
        let of_variable = self.uses.fields.iter().filter(move |(name, _)| name == variable);
        of_variable.filter_map(|(_, path)| path.first().map(String::as_str))
    }

    /// Adds the fields of a variable that the expression reads.
    pub fn add_fields(&self, variable: &str, fields: &mut FieldSet) {
        for (_, path) in self.uses.fields.iter().filter(|(name, _)| name == variable) {
            fields.add(path.iter().map(String::as_str));
        }
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    ///
    /// A field is missing, an operation does not apply to its values, or loops cost too much.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<EvaluationResult, Failure> {
        let value = scope.resolve(self)?;
        if let Some(text) = value.downcast_ref::<CelString<'_>>() {
            return Ok(EvaluationResult::Text(text.inner().to_owned()));
        }
        Ok(match Value::try_from(value.as_ref()) {
            Ok(Value::Bool(holds)) => EvaluationResult::Bool(holds),
            _ => EvaluationResult::Other(value.get_type().name().to_owned()),
        })
    }
}

impl<'v> Objects<'v> {
    /// These objects, with their names and how they are read.
    pub fn new<const N: usize>(objects: [(&'static str, &'v Node, Reading<'v>); N]) -> Self {
        Self(objects.into())
    }
}

impl VariableResolver for Objects<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let (root, path) = name.split_once('.').unwrap_or((name, ""));
        let &(_, node, reading) = self.0.iter().find(|(name, ..)| *name == root)?;
        values::find(node, reading, path).map(CowVal::Owned)
    }
}

impl<'v> Scope<'v> {
    /// These objects are the variables, and the budget is that of all evaluations of a run.
    pub fn of(objects: &'v Objects<'v>, budget: &'v Budget) -> Self {
        let mut variables = Context::with_env(Arc::clone(&ENVIRONMENT));
        variables.set_variable_resolver(objects);
        Self { variables, budget }
    }

    fn resolve<'s>(&'s self, program: &'s Program) -> Result<CowVal<'s, 'v>, Failure> {
        let result =
            self.budget.spend(COST_OF_EVALUATION, || Value::resolve_val(&program.ast, &self.variables));
        result
            .ok_or_else(|| Failure { message: cost::EXHAUSTED.to_owned(), unbound: None })?
            .map_err(|error| failed(&error))
    }

    /// Adds a variable.
    pub fn add(&mut self, name: &str, value: Box<dyn Val + 'v>) {
        self.variables.add_variable_as_val(name, value);
    }

    /// Adds a variable with the value of an expression.
    ///
    /// # Errors
    ///
    /// The expression cannot be evaluated.
    pub fn add_computed(&mut self, name: &str, program: &Program) -> Result<(), Failure> {
        let value = self.resolve(program)?.into_owned();
        self.variables.add_variable_as_val(name, value);
        Ok(())
    }
}

/// An error in the words of cel-go.
fn failed(error: &ExecutionError) -> Failure {
    let message = match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::IndexOutOfBounds(Value::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::ValuesNotComparable(..)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::UnsupportedIndex(..) => NO_OVERLOAD.to_owned(),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        error => failure::reason(error),
    };
    let unbound = match error {
        ExecutionError::UndeclaredReference(name) => Some(String::clone(name)),
        _ => None,
    };
    Failure { message, unbound }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of an expression without variables: `refused`, `error`, or its value as the table writes it.
    fn result(text: &str, expected: &str) -> String {
        let compared = match expected {
            "true" | "false" | "refused" | "error" | "value" => text.to_owned(),
            value => format!("({text}) == {value}"),
        };
        let Ok((program, _)) = Program::compile(&compared, &[], None) else { return "refused".to_owned() };
        match (program.evaluate(&Scope::of(&Objects::new([]), &Budget::default())), expected) {
            (Err(_), _) => "error".to_owned(),
            (Ok(EvaluationResult::Bool(holds)), "true" | "false") => holds.to_string(),
            (Ok(EvaluationResult::Bool(true)), _) | (Ok(_), "value") => expected.to_owned(),
            (Ok(other), _) => format!("{other:?}"),
        }
    }

    /// Quantities have 29 digits at most in arithmetic.
    const TOO_LARGE: &str = "9999999999999999999999999999999999999\")].all";

    #[test]
    fn functions_are_those_of_kubernetes_own_tests() {
        let rows = include_str!("../../../fixtures/cel/library.txt").lines();
        let (mut count, mut wrong) = (0, Vec::new());
        for row in rows.filter(|row| !row.starts_with('#')) {
            let (text, expected) = row.rsplit_once(" => ").expect("a row");
            let found = result(text, expected);
            count += 1;
            if (found == expected) == text.contains(TOO_LARGE) {
                wrong.push(format!("{row}: {found}"));
            }
        }
        assert!(count > 150 && wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    }
}
