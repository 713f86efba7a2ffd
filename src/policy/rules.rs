//! The rules of custom resources, `x-kubernetes-validations`, evaluated for the creation of an object
//! (apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go).

use super::language::program::{Failure, Outcome, Program, Scope};
use super::language::values::{self, Reading};
use super::verdict::{ExpressionError, RuleViolation};
use crate::manifest::tree::{Node, Value};

/// The key of rules in a schema.
const KEY: &str = "x-kubernetes-validations";

/// The maximum length of a message that an expression makes, in bytes (apiserver, pkg/apis/cel/config.go).
const MAX_MESSAGE: usize = 5 << 10;

/// The maximum nesting of a schema.
const MAX_DEPTH: usize = 200;

/// The compiled rules of a schema and of everything below it.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    properties: Vec<(String, Rules)>,
    additional: Option<Box<Rules>>,
    items: Option<Box<Rules>>,
}

#[derive(Clone, Debug)]
struct Rule {
    text: String,
    /// `None` if it does not compile; the definition has the error.
    program: Option<Program>,
    message: String,
    message_expression: Option<Program>,
    reason: Reason,
    /// The path of the field that the rule is about, below the value that it belongs to; empty for the value itself.
    field_path: String,
    /// Whether `oldSelf` is an optional value.
    optional_old_self: bool,
}

/// The reason of a violation, as `reason` of the rule names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Invalid,
    Forbidden,
    Required,
    Duplicate,
}

impl Rules {
    /// Compiles the rules of a schema. `None` if it has none.
    pub fn compile(schema: &Node) -> Option<Self> {
        compile(schema, 0, &mut Vec::new())
    }

    /// The rules of a schema that do not compile.
    pub fn errors(schema: &Node) -> Vec<ExpressionError> {
        let mut errors = Vec::new();
        compile(schema, 0, &mut errors);
        errors
    }

    /// The rules that an object violates, whose fields have the types of the schema and its defaults.
    pub fn violations(&self, object: &Node, schema: &Node) -> Vec<RuleViolation> {
        let mut found = Vec::new();
        self.walk(object, schema, &mut String::new(), &mut found);
        found
    }

    fn walk(&self, node: &Node, schema: &Node, path: &mut String, found: &mut Vec<RuleViolation>) {
        // Rules of a nullable value only apply to other values.
        if node.is_null() {
            return;
        }
        if !self.rules.is_empty() {
            let mut scope = Scope::new();
            scope.add("self", values::read(node, Reading::Typed(schema)));
            for rule in &self.rules {
                found.extend(rule.violation(&mut scope, node, schema, path));
            }
        }
        let length = path.len();
        match &node.value {
            Value::Map(map) => {
                for entry in map {
                    let property = self.properties.iter().find(|(name, _)| *name == *entry.key);
                    let (rules, schema) = match (property, &self.additional) {
                        (Some((_, rules)), _) => {
                            if !path.is_empty() {
                                path.push('.');
                            }
                            path.push_str(&entry.key);
                            (rules, schema.get("properties").and_then(|all| all.get(&entry.key)))
                        }
                        (None, Some(rules)) => {
                            path.push_str(&format!("[{}]", entry.key));
                            (&**rules, schema.get("additionalProperties"))
                        }
                        (None, None) => continue,
                    };
                    if let Some(schema) = schema {
                        rules.walk(&entry.value, schema, path, found);
                    }
                    path.truncate(length);
                }
            }
            Value::Seq(items) => {
                let (Some(rules), Some(schema)) = (&self.items, schema.get("items")) else { return };
                for (index, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{index}]"));
                    rules.walk(item, schema, path, found);
                    path.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => (),
        }
    }
}

impl Rule {
    /// The violation of the rule by a value; `None` if there is none.
    fn violation(
        &self,
        scope: &mut Scope<'_>,
        node: &Node,
        schema: &Node,
        path: &str,
    ) -> Option<RuleViolation> {
        let program = self.program.as_ref()?;
        if program.uses("oldSelf") {
            // There is no old value when an object is created.
            if !self.optional_old_self {
                return None;
            }
            scope.add("oldSelf", values::none());
        }
        let type_name = schema.get("type").and_then(Node::as_str).unwrap_or_default();
        let of_value = |message: String| RuleViolation { path: path.to_owned(), message, span: node.span };
        match program.evaluate(scope) {
            Ok(Outcome::Bool(true)) => None,
            Ok(_) => {
                let detail = self.detail(scope);
                let path = if self.field_path.is_empty() {
                    path.to_owned()
                } else if path.is_empty() {
                    self.field_path.clone()
                } else {
                    format!("{path}.{}", self.field_path)
                };
                let message = match self.reason {
                    Reason::Invalid => format!("Invalid value: {detail}"),
                    Reason::Forbidden => format!("Forbidden: {detail}"),
                    Reason::Required => format!("Required value: {detail}"),
                    // The server shows the value instead.
                    Reason::Duplicate => format!("Duplicate value: {detail}"),
                };
                Some(RuleViolation { path, message, span: node.span })
            }
            Err(failure) => {
                Some(of_value(format!("Invalid value: {type_name:?}: {}", self.failed(&failure))))
            }
        }
    }

    /// The message about a violation: the result of the expression for it, the fixed message, or the rule.
    fn detail(&self, scope: &Scope<'_>) -> String {
        let expression = self.message_expression.as_ref().map(|expression| expression.evaluate(scope));
        if let Some(Ok(Outcome::Text(text))) = expression {
            let text = text.trim();
            if !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n') {
                return text.to_owned();
            }
        }
        if self.message.is_empty() { format!("failed rule: {}", self.text) } else { self.message.clone() }
    }

    fn failed(&self, failure: &Failure) -> String {
        let rule = if self.message.is_empty() { &self.text } else { &self.message };
        if failure.is_overload() {
            format!(
                "'{}': call arguments did not match a supported operator, function or macro signature for rule: {rule}",
                failure.message
            )
        } else {
            format!("{} evaluating rule: {rule}", failure.message)
        }
    }
}

fn compile(schema: &Node, depth: usize, errors: &mut Vec<ExpressionError>) -> Option<Rules> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut rules = Rules::default();
    for rule in schema.get(KEY).and_then(Node::as_seq).unwrap_or_default() {
        rules.rules.extend(compile_rule(rule, errors));
    }
    for entry in schema.get("properties").and_then(Node::as_map).into_iter().flatten() {
        let below = compile(&entry.value, depth + 1, errors);
        rules.properties.extend(below.map(|below| (entry.key.to_string(), below)));
    }
    let mut below = |key| schema.get(key).and_then(|schema| compile(schema, depth + 1, errors)).map(Box::new);
    rules.additional = below("additionalProperties");
    rules.items = below("items");
    let is_empty = rules.rules.is_empty()
        && rules.properties.is_empty()
        && rules.additional.is_none()
        && rules.items.is_none();
    (!is_empty).then_some(rules)
}

fn compile_rule(rule: &Node, errors: &mut Vec<ExpressionError>) -> Option<Rule> {
    let text = |key: &str| rule.get(key).and_then(Node::as_str).unwrap_or_default();
    let written =
        rule.get("rule").filter(|rule| rule.as_str().is_some_and(|rule| !rule.trim().is_empty()))?;
    let mut program = |node: &Node| {
        let text = node.as_str().unwrap_or_default();
        let compiled = Program::compile(text, &["self", "oldSelf"]);
        compiled
            .map_err(|error| {
                errors.push(ExpressionError {
                    path: String::new(),
                    text: text.to_owned(),
                    error,
                    span: node.span,
                })
            })
            .ok()
    };
    let message_expression =
        rule.get("messageExpression").filter(|node| node.as_str().is_some_and(|text| !text.is_empty()));
    Some(Rule {
        text: text("rule").trim().to_owned(),
        program: program(written),
        message: text("message").trim().to_owned(),
        message_expression: message_expression.and_then(program),
        reason: match text("reason") {
            "FieldValueForbidden" => Reason::Forbidden,
            "FieldValueRequired" => Reason::Required,
            "FieldValueDuplicate" => Reason::Duplicate,
            _ => Reason::Invalid,
        },
        field_path: text("fieldPath").trim_start_matches('.').to_owned(),
        optional_old_self: rule.get("optionalOldSelf").and_then(Node::as_bool) == Some(true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::emit::json::tests::node;

    /// The violations of an object's rules, a line each.
    fn violations(schema: &str, object: &str) -> String {
        let (schema, object) = (node(schema), node(object));
        let rules = Rules::compile(&schema).expect("rules");
        assert!(Rules::errors(&schema).is_empty());
        let found = rules.violations(&object, &schema);
        found.iter().map(RuleViolation::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rules_apply_at_every_level() {
        let schema = r#"{"type":"object","properties":{"spec":{"type":"object",
            "x-kubernetes-validations":[{"rule":"self.min <= self.max","message":"min is above max"}],
            "properties":{"min":{"type":"integer"},"max":{"type":"integer"},
            "names":{"type":"array","items":{"type":"string","x-kubernetes-validations":[{"rule":"self.size() < 3"}]}},
            "map":{"type":"object","additionalProperties":{"type":"integer",
                "x-kubernetes-validations":[{"rule":"self > 0","reason":"FieldValueForbidden"}]}}}}}}"#;
        let object = r#"{"spec":{"min":2,"max":1,"names":["ab","abc"],"map":{"a":0,"b":1}}}"#;
        assert_eq!(
            violations(schema, object),
            "spec: Invalid value: min is above max\n\
             spec.names[1]: Invalid value: failed rule: self.size() < 3\n\
             spec.map[a]: Forbidden: failed rule: self > 0"
        );
        assert_eq!(violations(schema, r#"{"spec":{"min":1,"max":1,"names":null}}"#), "");
        assert_eq!(
            violations(schema, r#"{"spec":{"min":1}}"#),
            r#"spec: Invalid value: "object": no such key: max evaluating rule: min is above max"#
        );
    }

    #[test]
    fn messages_and_fields_are_those_of_the_rule() {
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"x-kubernetes-validations":[
            {"rule":"self.n < 3","messageExpression":"'n is ' + string(self.n)","fieldPath":".n"},
            {"rule":"self.n < oldSelf.n"},
            {"rule":"!oldSelf.hasValue() && self.n < 4","optionalOldSelf":true,"message":" too large "}]}"#;
        assert_eq!(
            violations(schema, r#"{"n":5}"#),
            "n: Invalid value: n is 5\n<nil>: Invalid value: too large"
        );
    }

    #[test]
    fn values_have_the_types_of_the_schema() {
        let schema = r#"{"type":"object","properties":{"x-y":{"type":"number"},"in":{"type":"string","format":"date-time"},
            "d":{"type":"string","format":"duration"}},"x-kubernetes-validations":[
            {"rule":"self.x__dash__y / 2.0 == 0.5"},{"rule":"self.__in__ < timestamp('2026-01-02T00:00:00Z')"},
            {"rule":"self.d == duration('90m')"}]}"#;
        assert_eq!(violations(schema, r#"{"x-y":1,"in":"2026-01-01T00:00:00Z","d":"1h30m"}"#), "");
    }

    #[test]
    fn rules_that_do_not_compile_are_errors_of_the_definition() {
        let schema = node(
            r#"{"x-kubernetes-validations":[{"rule":"self.a ="},{"rule":"nosuch(self)"},{"rule":"self"}]}"#,
        );
        let errors: Vec<String> =
            Rules::errors(&schema).iter().map(|error| format!("{}: {}", error.text, error.error)).collect();
        assert_eq!(
            errors,
            ["self.a =: token recognition error at: '='", "nosuch(self): unknown function \"nosuch\""]
        );
        assert!(Rules::compile(&node(r#"{"type":"object"}"#)).is_none());
    }
}
