//! Steps applied to values (client-go, util/jsonpath/jsonpath.go).
//!
//! Every result is a node of the object or the template, so nothing is copied, unless an action ends with a function.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::error::{Cause, EvalError};
use super::parse::{Operator, Part, Step};
use syntax::tree::{Node, Value};
use text::go;

/// The results of a text or an action.
pub type Results<'a> = Vec<Cow<'a, Node>>;

/// How many values an evaluation may visit. Without a limit, steps that multiply (`[0,0][0,0]...`, nested ranges) could
/// exhaust time and memory.
const MAX_STEPS: usize = 1 << 26;

/// One evaluation of a template.
pub(super) struct Evaluation {
    allow_missing_keys: bool,
    steps_left: usize,
}

impl Evaluation {
    pub(super) fn new(allow_missing_keys: bool) -> Self {
        Self { allow_missing_keys, steps_left: MAX_STEPS }
    }

    /// The results of each text and action in `parts`.
    pub(super) fn find<'a>(
        mut self,
        parts: &'a [Part],
        object: &'a Node,
    ) -> Result<Vec<Results<'a>>, EvalError> {
        let mut found = Vec::new();
        self.parts(parts, object, &mut found)?;
        Ok(found)
    }

    fn parts<'a>(
        &mut self,
        mut parts: &'a [Part],
        object: &'a Node,
        found: &mut Vec<Results<'a>>,
    ) -> Result<(), EvalError> {
        while let Some((part, rest)) = parts.split_first() {
            parts = rest;
            self.spend(1)?;
            match part {
                Part::Text(text) => found.push(vec![Cow::Borrowed(text)]),
                Part::Action(steps) => found.push(self.action(steps, object)?),
                Part::Range { path, body } => {
                    let (body, rest) = rest.split_at(*body);
                    for turn in self.walk(path, vec![object])? {
                        self.parts(body, turn, found)?;
                    }
                    parts = rest;
                }
                Part::End => {}
            }
        }
        Ok(())
    }

    /// The results of an action, after applying the functions at its end.
    fn action<'a>(&mut self, steps: &'a [Step], object: &'a Node) -> Result<Results<'a>, EvalError> {
        let functions = steps.iter().rev().take_while(|step| matches!(step, Step::Base64Decode)).count();
        let results = self.walk(&steps[..steps.len() - functions], vec![object])?;
        let mut results: Vec<_> = results.into_iter().map(Cow::Borrowed).collect();
        for result in &mut results {
            for _ in 0..functions {
                *result = Cow::Owned(self.decoded(result)?);
            }
        }
        Ok(results)
    }

    /// Decodes a string from base64.
    fn decoded(&mut self, node: &Node) -> Result<Node, EvalError> {
        let not_text = || format!("base64decode of a value of type {}", go_type(&node.value));
        let text = node.as_str().ok_or_else(|| EvalError::new(not_text()))?;
        // Copying a text costs more than a step between nodes.
        self.spend(1 + text.len() / 16)?;
        let bytes = go::base64_decode(text.as_bytes()).map_err(|at| {
            EvalError::new(format!("base64 decode failed: illegal base64 data at input byte {at}"))
        })?;
        let binary = "base64decode of bytes that are not text; -o go-template can print them";
        let decoded = String::from_utf8(bytes).map_err(|_| EvalError::new(binary))?;
        Ok(Node::new(Value::String(decoded.as_str().into())))
    }

    /// Applies the steps in order, each to the results of the previous one.
    fn walk<'a>(&mut self, steps: &'a [Step], inputs: Vec<&'a Node>) -> Result<Vec<&'a Node>, EvalError> {
        steps.iter().try_fold(inputs, |inputs, step| self.step(step, inputs))
    }

    fn step<'a>(&mut self, step: &'a Step, inputs: Vec<&'a Node>) -> Result<Vec<&'a Node>, EvalError> {
        self.spend(inputs.len())?;
        match step {
            Step::Field(name) => self.field(name, inputs),
            Step::Wildcard => self.each(inputs, |input, _| Ok(children(input))),
            Step::Recursive => {
                let mut results = Vec::new();
                for input in inputs {
                    self.descend(input, &mut results)?;
                }
                Ok(results)
            }
            Step::Index(index) => {
                // The element after index -1 is the end of the list, not element 0.
                let end = Some(index.wrapping_add(1)).filter(|&end| end != 0);
                self.slices(inputs, Some(*index), end, None)
            }
            Step::Slice { start, end, step } => self.slices(inputs, *start, *end, *step),
            Step::Union(alternatives) => {
                let mut results = Vec::new();
                for alternative in alternatives {
                    results.append(&mut self.walk(alternative, inputs.clone())?);
                }
                Ok(results)
            }
            Step::Exists(path) => self.filter(inputs, |evaluation, element| {
                match evaluation.walk(path, vec![element]) {
                    Ok(results) => Ok(!results.is_empty()),
                    Err(err) if err.cause == Cause::Limit => Err(err),
                    // kubectl uses the results that it had before the error.
                    Err(err) => Ok(err.cause == Cause::Other),
                }
            }),
            Step::Compare { left, operator, right } => self.filter(inputs, |evaluation, element| {
                let left = evaluation.walk(left, vec![element])?;
                let Some(left) = only(&left)? else {
                    return Ok(false);
                };
                let right = evaluation.walk(right, vec![element])?;
                let Some(right) = only(&right)? else {
                    return Ok(false);
                };
                holds(left, operator, right)
            }),
            Step::Text(text) => Ok(vec![text]),
            Step::Literal(literal) => Ok(vec![literal; inputs.len()]),
            Step::Range => Ok(inputs),
            Step::End => Err(EvalError::new("not in range, nothing to end").because(Cause::Missing)),
            Step::Base64Decode => Err(EvalError::new("base64decode must be at the end of an action")),
            Step::Identifier(name) => Err(EvalError::new(format!("unrecognized identifier {name}"))),
        }
    }

    fn field<'a>(&self, name: &str, mut nodes: Vec<&'a Node>) -> Result<Vec<&'a Node>, EvalError> {
        let had_inputs = !nodes.is_empty();
        nodes = nodes.into_iter().filter_map(|input| input.get(name)).collect();
        if nodes.is_empty() && had_inputs && !self.allow_missing_keys {
            return Err(EvalError::new(format!("{name} is not found")).because(Cause::Missing));
        }
        Ok(nodes)
    }

    /// Appends `node` and all non-empty values within it, outer ones first.
    fn descend<'a>(&mut self, node: &'a Node, results: &mut Vec<&'a Node>) -> Result<(), EvalError> {
        let children = children(node);
        if !children.is_empty() || node.as_str().is_some_and(|text| !text.is_empty()) {
            self.spend(1)?;
            results.push(node);
        }
        children.into_iter().try_for_each(|child| self.descend(child, results))
    }

    /// The elements from `start` to `end` (exclusive); negative numbers count from the end of the list.
    fn slices<'a>(
        &mut self,
        inputs: Vec<&'a Node>,
        start: Option<i64>,
        end: Option<i64>,
        step: Option<i64>,
    ) -> Result<Vec<&'a Node>, EvalError> {
        let mut results = Vec::new();
        for input in inputs {
            let items = match &input.value {
                Value::Null => continue,
                Value::Seq(items) => items,
                value => return Err(EvalError::new(format!("{} is not array or slice", go_type(value)))),
            };
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let from_end = |at: i64| if at < 0 { at + length } else { at };
            let (start, end) = (from_end(start.unwrap_or(0)), from_end(end.unwrap_or(length)));
            if start == end {
                return Ok(results); // also without the inputs that follow
            }
            let is_outside = start < 0 || start >= length;
            if is_outside || end < 0 || end > length {
                let index = if is_outside { start } else { end.wrapping_sub(1) };
                let words = format!("array index out of bounds: index {index}, length {length}");
                return Err(EvalError::new(words));
            }
            if start > end {
                let words = format!("starting index {start} is greater than ending index {end}");
                return Err(EvalError::new(words));
            }
            let step = step.unwrap_or(1);
            if step <= 0 {
                return Err(EvalError::new("step must be > 0"));
            }
            let elements = items.get(start as usize..end as usize).unwrap_or_default();
            self.spend(elements.len())?;
            results.extend(elements.iter().step_by(usize::try_from(step).unwrap_or(usize::MAX)));
        }
        Ok(results)
    }

    /// The elements of the lists `inputs` for which `keep` returns true.
    fn filter<'a>(
        &mut self,
        inputs: Vec<&'a Node>,
        keep: impl Fn(&mut Self, &'a Node) -> Result<bool, EvalError>,
    ) -> Result<Vec<&'a Node>, EvalError> {
        self.each(inputs, |input, evaluation| {
            let Value::Seq(items) = &input.value else {
                let found = go_type(&input.value);
                return Err(EvalError::new(format!("{found} is not array or slice and cannot be filtered")));
            };
            let mut kept = Vec::new();
            for element in items {
                evaluation.spend(1)?;
                if keep(evaluation, element)? {
                    kept.push(element);
                }
            }
            Ok(kept)
        })
    }

    /// The concatenated results of all inputs.
    fn each<'a>(
        &mut self,
        inputs: Vec<&'a Node>,
        results_of: impl Fn(&'a Node, &mut Self) -> Result<Vec<&'a Node>, EvalError>,
    ) -> Result<Vec<&'a Node>, EvalError> {
        let mut results = Vec::new();
        for input in inputs {
            let mut more = results_of(input, self)?;
            self.spend(more.len())?;
            results.append(&mut more);
        }
        Ok(results)
    }

    fn spend(&mut self, steps: usize) -> Result<(), EvalError> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or_else(too_many_steps)?;
        Ok(())
    }
}

fn too_many_steps() -> EvalError {
    EvalError::new(format!("the template takes more than {MAX_STEPS} steps")).because(Cause::Limit)
}

/// The values of a map in the order of its keys, or the elements of a list; empty for other values.
fn children(node: &Node) -> Vec<&Node> {
    match &node.value {
        Value::Map(map) => map.by_key().into_iter().map(|entry| &entry.value).collect(),
        Value::Seq(items) => items.iter().collect(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => Vec::new(),
    }
}

/// The result to compare; `None` if there is none, an error if there are several.
fn only<'a>(results: &[&'a Node]) -> Result<Option<&'a Node>, EvalError> {
    match results {
        [] => Ok(None),
        [result] => Ok(Some(result)),
        _ => Err(EvalError::new("can only compare one element at a time")),
    }
}

/// Whether `left operator right` holds. Both values must have the same basic type; booleans have no order, and strings
/// are compared bytewise (client-go, third_party/forked/golang/template/funcs.go).
fn holds(left: &Node, operator: &Operator, right: &Node) -> Result<bool, EvalError> {
    if let Operator::Unrecognized(text) = operator {
        return Err(EvalError::new(format!("unrecognized filter operator {text}")));
    }
    let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
    let ordering = match (&left.value, &right.value) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) if equality => Some(left.cmp(right)),
        (Value::Bool(_), Value::Bool(_))
        | (Value::Null | Value::Seq(_) | Value::Map(_), _)
        | (_, Value::Null | Value::Seq(_) | Value::Map(_)) => {
            return Err(EvalError::new("invalid type for comparison"));
        }
        _ => return Err(EvalError::new("incompatible types for comparison")),
    };
    Ok(match operator {
        Operator::Equal => ordering == Some(Ordering::Equal),
        Operator::NotEqual => ordering != Some(Ordering::Equal),
        Operator::Less => ordering.is_some_and(Ordering::is_lt),
        Operator::LessOrEqual => ordering.is_some_and(Ordering::is_le),
        Operator::Greater => ordering.is_some_and(Ordering::is_gt),
        Operator::GreaterOrEqual => ordering.is_some_and(Ordering::is_ge),
        Operator::Unrecognized(_) => false,
    })
}

/// Go's name of the type to which Kubernetes decodes such a value.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::String(_) => "string",
        Value::Seq(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonpath::JsonPath;
    use testing::node;

    /// Within 10,000 steps.
    #[track_caller]
    fn check_too_many_steps(template: &str, object: &str) {
        let object = node(object);
        let path = JsonPath::parse(template).expect("a template");
        let evaluation = Evaluation { allow_missing_keys: true, steps_left: 10_000 };
        let result = evaluation.find(&path.parts, &object).map(|found| found.len());
        assert_eq!(result, Err(too_many_steps()), "{template}");
    }

    #[test]
    fn what_multiplies_has_a_bound() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        check_too_many_steps(&format!("{{{}}}", "[0,0]".repeat(100)), &deep);
        check_too_many_steps("{...*...*...*...*}", &deep);
        check_too_many_steps(&format!("{}x", "{range ..}".repeat(10)), &deep);
        let wide = format!("[{}1]", "1,".repeat(5_000));
        check_too_many_steps("{range [*]}{.a}{.b}", &wide);
        check_too_many_steps("{..[?(..)][?(..)]}", &deep);
    }

    #[test]
    fn an_error_names_its_bound() {
        assert_eq!(too_many_steps().to_string(), "the template takes more than 67108864 steps");
    }
}
