//! The rules of custom resources, `x-kubernetes-validations`, evaluated for the creation of an object
//! (apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go).

use std::sync::atomic::{AtomicBool, Ordering};

use super::compile::{Purpose, compile};
use super::language::cost::Budget;
use super::language::estimate;
use super::language::program::{EvaluationResult, Failure, Objects, Program, Scope};
use super::language::types::Type;
use super::language::values::{self, Reading};
use super::verdict::{ExpressionError, FORBIDDEN, INVALID, RuleViolation};
use syntax::tree::{Node, Value};

/// The key of rules in a schema.
const KEY: &str = "x-kubernetes-validations";

/// The maximum nesting of a schema.
const MAX_DEPTH: usize = 200;

/// The compiled rules of a schema.
#[derive(Debug)]
pub struct Rules {
    root: Level,
    budget: Budget,
    /// Whether it was said that the budget is exhausted.
    is_exhausted: AtomicBool,
}

/// The rules of a schema and of everything below it.
#[derive(Debug, Default)]
struct Level {
    rules: Vec<Rule>,
    properties: Vec<(String, Level)>,
    additional: Option<Box<Level>>,
    items: Option<Box<Level>>,
}

#[derive(Debug)]
struct Rule {
    text: String,
    /// `None` if it does not compile; the definition has the error.
    program: Option<Program>,
    message: String,
    message_expression: Option<Program>,
    /// What its messages begin with, as `reason` of the rule says.
    reason: &'static str,
    /// The path of the field that the rule is about, below the value that it belongs to; empty for the value itself.
    field_path: String,
    /// Whether `oldSelf` is an optional value.
    optional_old_self: bool,
}

/// The message about the rules of a schema that are not evaluated any more.
const EXHAUSTED: &str =
    "not evaluated: the rules of this kind exceed what kselect evaluates for all objects together";

impl Rules {
    /// Compiles the rules of a schema. `None` if it has none.
    pub fn compile(schema: &Node) -> Option<Self> {
        let root = Compiler::default().schema(schema, Some(1), 0)?;
        Some(Self { root, budget: Budget::default(), is_exhausted: AtomicBool::default() })
    }

    /// The rules of a schema that the server refuses, with their paths in it.
    pub fn errors(schema: &Node) -> Vec<ExpressionError> {
        let mut compiler = Compiler::default();
        compiler.schema(schema, Some(1), 0);
        compiler.errors()
    }

    /// The rules that an object violates, whose fields have the types of the schema and its defaults.
    pub fn violations(&self, object: &Node, schema: &Node) -> Vec<RuleViolation> {
        let mut walk = Walk { of: self, path: String::new(), found: Vec::new() };
        walk.level(&self.root, object, schema);
        walk.found
    }
}

/// The evaluation of the rules for an object.
struct Walk<'r> {
    of: &'r Rules,
    /// The path of the value.
    path: String,
    found: Vec<RuleViolation>,
}

impl Walk<'_> {
    fn level(&mut self, level: &Level, node: &Node, schema: &Node) {
        // Rules of a nullable value only apply to other values.
        if node.is_null() {
            return;
        }
        if !level.rules.is_empty() {
            let objects = Objects::new([("self", node, Reading::Typed(schema))]);
            let mut scope = Scope::of(&objects, &self.of.budget);
            for rule in &level.rules {
                match rule.violation(&mut scope, node, schema, &self.path) {
                    Some(violation) if violation.message == EXHAUSTED => {
                        // Once is enough.
                        if !self.of.is_exhausted.swap(true, Ordering::Relaxed) {
                            self.found.push(violation);
                        }
                        return;
                    }
                    violation => self.found.extend(violation),
                }
            }
        }
        let length = self.path.len();
        match &node.value {
            Value::Map(map) => {
                for entry in map {
                    let property = level.properties.iter().find(|(name, _)| *name == *entry.key);
                    let (rules, schema) = match (property, &level.additional) {
                        (Some((_, rules)), _) => {
                            if !self.path.is_empty() {
                                self.path.push('.');
                            }
                            self.path.push_str(&entry.key);
                            (rules, schema.get("properties").and_then(|all| all.get(&entry.key)))
                        }
                        (None, Some(rules)) => {
                            self.path.push_str(&format!("[{}]", entry.key));
                            (&**rules, schema.get("additionalProperties"))
                        }
                        (None, None) => continue,
                    };
                    if let Some(schema) = schema {
                        self.level(rules, &entry.value, schema);
                    }
                    self.path.truncate(length);
                }
            }
            Value::Seq(items) => {
                let (Some(rules), Some(schema)) = (&level.items, schema.get("items")) else { return };
                for (index, item) in items.iter().enumerate() {
                    self.path.push_str(&format!("[{index}]"));
                    self.level(rules, item, schema);
                    self.path.truncate(length);
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
        let type_name = schema.text_of("type");
        let of_value = |message: String| RuleViolation { path: path.to_owned(), message, span: node.span };
        match program.evaluate(scope) {
            Ok(EvaluationResult::Bool(true)) => None,
            Ok(_) => {
                let detail = self.detail(scope);
                let path = if self.field_path.is_empty() {
                    path.to_owned()
                } else if path.is_empty() {
                    self.field_path.clone()
                } else {
                    format!("{path}.{}", self.field_path)
                };
                Some(RuleViolation { path, message: format!("{}: {detail}", self.reason), span: node.span })
            }
            Err(failure) if failure.is_exhausted() => Some(of_value(EXHAUSTED.to_owned())),
            Err(failure) => {
                Some(of_value(format!("Invalid value: {type_name:?}: {}", self.failed(&failure))))
            }
        }
    }

    /// The message about a violation: the result of the expression for it, the fixed message, or the rule.
    fn detail(&self, scope: &Scope<'_>) -> String {
        let expression = self.message_expression.as_ref().map(|expression| expression.evaluate(scope));
        let computed = expression.and_then(|result| result.ok()?.message());
        computed.unwrap_or_else(|| match self.message.as_str() {
            "" => format!("failed rule: {}", self.text),
            message => message.to_owned(),
        })
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

/// Compiles the rules of a schema.
#[derive(Default)]
struct Compiler {
    /// The path of the schema.
    path: String,
    errors: Vec<ExpressionError>,
    /// The worst cost of all rules.
    cost: u64,
    /// The rule with the largest one.
    costliest: Option<(u64, ExpressionError)>,
}

/// The largest estimated costs of a rule and of all rules of a schema that a server accepts (apiextensions-apiserver,
/// pkg/apis/apiextensions/validation/validation.go, StaticEstimatedCostLimit and StaticEstimatedCRDCostLimit).
const COST_OF_RULE: u64 = 10_000_000;
const COST_OF_SCHEMA: u64 = 100_000_000;

impl Compiler {
    /// The errors, among them that all rules together cost too much, if none does by itself.
    ///
    /// *Compatibility* (cost-of-rules): the server says both, and names four rules.
    fn errors(mut self) -> Vec<ExpressionError> {
        if let Some((_, error)) = self.costliest
            && self.cost > COST_OF_SCHEMA
            && self.errors.iter().all(|error| error.reason != FORBIDDEN)
        {
            let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
            let hint = Some("no other rule costs as much as this one".to_owned());
            let message = exceeds(what, self.cost, COST_OF_SCHEMA);
            self.errors.push(ExpressionError { message, hint, ..error });
        }
        self.errors
    }

    /// Adds the worst cost of an expression for `count` values.
    fn add_cost(&mut self, program: &Program, what: &str, count: u64, node: &Node, path: String) {
        let cost = program.worst_cost().saturating_mul(count);
        self.cost = self.cost.saturating_add(cost);
        let is_costliest = self.costliest.as_ref().is_none_or(|(other, _)| cost > *other);
        if is_costliest || cost > COST_OF_RULE {
            let (text, message) = (node.as_str().unwrap_or_default(), exceeds(what, cost, COST_OF_RULE));
            let error = ExpressionError::new(path, text, FORBIDDEN, message, node.span);
            self.errors.extend((cost > COST_OF_RULE).then(|| error.clone()));
            if is_costliest {
                self.costliest = Some((cost, error));
            }
        }
    }

    /// The rules of a schema. `count` is how many values of it an object has at most, 1 for the root, whose values are whole
    /// objects; `None` if there is no limit.
    fn schema(&mut self, schema: &Node, count: Option<u64>, depth: usize) -> Option<Level> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut rules = Level::default();
        let written = schema.get(KEY).and_then(Node::as_seq).unwrap_or_default();
        if !written.is_empty() {
            let is_whole = depth == 0 || schema.is_true("x-kubernetes-embedded-resource");
            let of = Type::of_schema(schema, is_whole).unwrap_or(Type::Unknown);
            let of =
                Subject { of, schema, count: count.unwrap_or_else(|| estimate::unlimited_count(schema)) };
            for (at, rule) in written.iter().enumerate() {
                rules.rules.extend(self.rule(rule, at, &of));
            }
        }
        let count = count.and_then(|count| Some(count.saturating_mul(estimate::count_below(schema)?)));
        for entry in schema.get("properties").and_then(Node::as_map).into_iter().flatten() {
            let below = self.below(&format!("properties[{}]", entry.key), &entry.value, count, depth);
            rules.properties.extend(below.map(|below| (entry.key.to_string(), below)));
        }
        let mut below =
            |key| schema.get(key).and_then(|schema| self.below(key, schema, count, depth)).map(Box::new);
        rules.additional = below("additionalProperties");
        rules.items = below("items");
        let is_empty = rules.rules.is_empty()
            && rules.properties.is_empty()
            && rules.additional.is_none()
            && rules.items.is_none();
        (!is_empty).then_some(rules)
    }

    fn below(&mut self, step: &str, schema: &Node, count: Option<u64>, depth: usize) -> Option<Level> {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(step);
        let rules = self.schema(schema, count, depth + 1);
        self.path.truncate(length);
        rules
    }

    fn rule(&mut self, rule: &Node, at: usize, subject: &Subject<'_>) -> Option<Rule> {
        let Subject { of, schema, count } = subject;
        let is_written = |node: &&Node| node.as_str().is_some_and(|rule| !rule.trim().is_empty());
        let written = rule.get("rule").filter(is_written)?;
        let optional_old_self = rule.is_true("optionalOldSelf");
        let old = if optional_old_self { Type::Optional(Box::new(of.clone())) } else { of.clone() };
        let variables = [("self", of.clone()), ("oldSelf", old)];
        let Self { path, errors, .. } = self;
        let dot = if path.is_empty() { "" } else { "." };
        let path_of = |key: &str| format!("{path}{dot}{KEY}[{at}].{key}");
        let mut program = |key: &'static str, purpose| {
            compile(rule.get(key), || path_of(key), &variables, purpose, errors).map(|(program, _)| program)
        };
        let compiled = program("rule", Purpose::Rule(schema));
        // Without its rule, the server does not compile the message.
        let message_expression = match compiled {
            Some(_) => program("messageExpression", Purpose::RuleMessage(schema)),
            None => None,
        };
        if let (Some(program), Some(node)) = (&compiled, rule.get("optionalOldSelf"))
            && !node.is_null()
            && !program.uses("oldSelf")
        {
            let message = "may not be set if oldSelf is not used in rule".to_owned();
            let path = path_of("optionalOldSelf");
            errors.push(ExpressionError::new(path, "", INVALID, message, node.span));
        }
        let [path, path_of_message] = ["rule", "messageExpression"].map(path_of);
        if let Some(program) = &compiled {
            self.add_cost(program, "estimated rule cost", *count, written, path);
        }
        // The server does not count how often a message is made.
        if let (Some(program), Some(node)) = (&message_expression, rule.get("messageExpression")) {
            self.add_cost(program, "estimated messageExpression cost", 1, node, path_of_message);
        }
        Some(Rule {
            text: written.as_str().unwrap_or_default().trim().to_owned(),
            program: compiled,
            message: rule.text_of("message").trim().to_owned(),
            message_expression,
            reason: match rule.text_of("reason") {
                "FieldValueForbidden" => FORBIDDEN,
                "FieldValueRequired" => "Required value",
                // The server shows the value instead of the message.
                "FieldValueDuplicate" => "Duplicate value",
                _ => INVALID,
            },
            field_path: rule.text_of("fieldPath").trim_start_matches('.').to_owned(),
            optional_old_self,
        })
    }
}

/// What a rule is about.
struct Subject<'s> {
    /// The type of the values.
    of: Type<'s>,
    schema: &'s Node,
    /// How many of them an object has at most.
    count: u64,
}

/// The message about a cost above its limit (apiextensions-apiserver, getCostErrorMessage).
fn exceeds(what: &str, cost: u64, limit: u64) -> String {
    let factor = match cost as f64 / limit as f64 {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::node;

    /// The violations of an object's rules, a line each.
    fn violations(schema: &str, object: &str) -> String {
        let (schema, object) = (node(schema), node(object));
        let rules = Rules::compile(&schema).expect("rules");
        assert!(Rules::errors(&schema).iter().all(|error| error.reason == FORBIDDEN));
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
    fn rules_have_a_limit_for_all_objects_together() {
        let schema = r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}},
            "x-kubernetes-validations":[{"rule":"self.l.all(a, self.l.all(b, b > 0))","message":"above 0"}]}"#;
        let object = node(&format!(r#"{{"l":[{}]}}"#, ["1"; 90].join(",")));
        let schema = node(schema);
        let rules = Rules::compile(&schema).expect("rules");
        let found: Vec<usize> = (0..9).map(|_| rules.violations(&object, &schema).len()).collect();
        // It is said once.
        assert_eq!(found, [0, 0, 0, 0, 1, 0, 0, 0, 0]);
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
        let errors: Vec<String> = Rules::errors(&schema).iter().map(ToString::to_string).collect();
        let rule =
            |at: usize| format!("x-kubernetes-validations[{at}].rule: Invalid value: compilation failed");
        assert_eq!(
            errors,
            [
                format!("{}: Syntax error: token recognition error at: '='", rule(0)),
                format!("{}: undeclared reference to 'nosuch' (in container '')", rule(1)),
            ]
        );
        assert!(Rules::compile(&node(r#"{"type":"object"}"#)).is_none());
    }

    /// Rows of Kubernetes' own tests: a schema, a rule and its cost.
    #[test]
    fn estimated_costs_are_those_of_kubernetes_own_tests() {
        let rows = include_str!("../../fixtures/cel/costs.txt").lines();
        let (mut count, mut wrong) = (0, Vec::new());
        for row in rows.filter(|row| !row.starts_with('#')) {
            let (rule, expected) = row.rsplit_once(" => ").expect("a row");
            let (schema, rule) = rule.split_once("} ").expect("a row");
            let schema = node(&format!("{schema}}}"));
            let of = Type::of_schema(&schema, false).expect("a type");
            let compiled = Program::compile(rule, &[("self", of.clone()), ("oldSelf", of)], Some(&schema));
            let cost = compiled.expect("a rule").0.worst_cost();
            count += 1;
            if cost.to_string() != expected {
                wrong.push(format!("{row}: {cost}"));
            }
        }
        assert!(count > 100 && wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn a_rule_that_may_cost_too_much_is_an_error() {
        let messages = |of_list: &str, rules: &str| {
            let schema = format!(
                r#"{{"type":"object","properties":{{"l":{{"type":"array","items":{{"type":"string","maxLength":9}}{of_list}}}}},
                "x-kubernetes-validations":[{rules}]}}"#
            );
            let errors = Rules::errors(&node(&schema));
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let advice = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and \
                      strings are declared)";
        let nested = r#"{"rule":"self.l.all(x, self.l.exists(y, x == y))"}"#;
        let at = |index: usize| format!("x-kubernetes-validations[{index}].rule: Forbidden:");
        let factor = "estimated rule cost exceeds budget by factor of";
        assert_eq!(messages("", nested), format!("{} {factor} more than 100x {advice}", at(0)));
        assert_eq!(messages(r#","maxItems":100"#, nested), "");
        assert_eq!(messages(r#","maxItems":1500"#, nested), format!("{} {factor} 2.3x {advice}", at(0)));
        // Each is cheap enough, all together are not.
        let rules = [r#"{"rule":"self.l.all(x, x.startsWith('a'))"}"#; 20].join(",");
        assert_eq!(
            messages("", &rules),
            format!(
                "{} x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by \
                 factor of 1.048576x {advice}",
                at(0)
            )
        );
        // The texts of bytes are as long as these.
        let bytes = r#"{"type":"string","format":"byte","maxLength":8192,"x-kubernetes-validations":[
            {"rule":"string(self).findAll('-----BEGIN').size() == 1"}]}"#;
        assert!(Rules::errors(&node(bytes)).is_empty());
        let message = r#"{"rule":"true","messageExpression":"'of ' + string(self.l.size())"}"#;
        assert_eq!(
            messages("", message),
            format!(
                "x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by \
                 factor of more than 100x {advice}"
            )
        );
    }

    /// The first error of a rule about `self`, with the text that it is about; empty if there is none.
    fn error(rule: &str) -> String {
        let schema = format!(
            r#"{{"type":"object","x-kubernetes-validations":[{rule}],"properties":{{"s":{{"type":"string"}},
            "i":{{"type":"integer"}},"n":{{"type":"number"}},"b":{{"type":"boolean"}},
            "any":{{"x-kubernetes-int-or-string":true}},"free":{{"x-kubernetes-preserve-unknown-fields":true}},
            "open":{{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
            "o":{{"type":"object","properties":{{"x-y":{{"type":"integer"}}}}}},
            "t":{{"type":"string","format":"date-time"}},"d":{{"type":"string","format":"duration"}},
            "l":{{"type":"array","items":{{"type":"object","properties":{{"name":{{"type":"string"}}}}}}}},
            "m":{{"type":"object","additionalProperties":{{"type":"integer"}}}},
            "e":{{"type":"object","x-kubernetes-embedded-resource":true}}}}}}"#
        );
        let errors = Rules::errors(&node(&schema));
        errors.iter().find(|error| error.reason == INVALID).map_or(String::new(), |error| {
            let marked = error.text.get(error.mark.clone()).unwrap_or_default();
            format!("{} at {marked}", error.message.trim_start_matches("compilation failed: "))
        })
    }

    #[test]
    fn types_are_those_of_the_schema() {
        // The first three are recorded answers of a server; others follow cel-go, checker/checker_test.go.
        let rows = [
            ("self.c == 'x'", "undefined field 'c' at c"),
            ("1 + 1", "cel expression must evaluate to a bool at 1 + 1"),
            ("string(1) == 1", "found no matching overload for '_==_' applied to '(string, int)' at =="),
            ("self.s == 1", "found no matching overload for '_==_' applied to '(string, int)' at =="),
            ("self.i == 1.0", "found no matching overload for '_==_' applied to '(int, double)' at =="),
            ("self.i < 1.5 && self.n > 1 && self.b", ""),
            ("self.i + 1.0 > 0", "found no matching overload for '_+_' applied to '(int, double)' at +"),
            (
                "self.s.startsWith(1)",
                "found no matching overload for 'startsWith' applied to 'string.(int)' at startsWith",
            ),
            ("self.s.foo == 1", "type 'string' does not support field selection at foo"),
            ("has(self.c)", "undefined field 'c' at c"),
            ("self.?c.orValue(true)", "undefined field 'c' at c"),
            ("self.free == 1", "undefined field 'free' at free"),
            ("self.open.x == 1", "undefined field 'x' at x"),
            ("self.any == 1 || self.any == '1' || self.any.size() == 0", ""),
            ("self.any", "cel expression must evaluate to a bool at self.any"),
            ("self.o.x__dash__y == 1", ""),
            ("self.o.xy == 1", "undefined field 'xy' at xy"),
            ("self.t < timestamp('2026-01-01T00:00:00Z') && self.d > duration('1h')", ""),
            (
                "self.t < self.d",
                "found no matching overload for '_<_' applied to '(timestamp, duration)' at <",
            ),
            ("self.d > duration('soon')", "invalid duration argument at soon"),
            ("self.l.all(x, x.name != '')", ""),
            ("self.l.exists(x, x.nam == '')", "undefined field 'nam' at nam"),
            (
                "self.l.map(x, x.name).exists(n, n == 1)",
                "found no matching overload for '_==_' applied to '(string, int)' at ==",
            ),
            (
                "self.l.filter(x, has(x.name)).size()",
                "cel expression must evaluate to a bool at self.l.filter(x, has(x.name)).size()",
            ),
            ("self.m.all(k, k.startsWith('a') && self.m[k] > 0)", ""),
            (
                "self.m.all(k, self.m[k] == k)",
                "found no matching overload for '_==_' applied to '(int, string)' at ==",
            ),
            ("self.m.all(k, v, k != '' && v > 0)", ""),
            (
                "self.i.all(x, true)",
                "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic) at .",
            ),
            ("'a' in self.m && !(1 in [1, 2])", ""),
            (
                "1 in self.m",
                "found no matching overload for '@in' applied to '(int, map(string, int))' at in",
            ),
            ("self.s == null", "found no matching overload for '_==_' applied to '(string, null)' at =="),
            ("self.o != null && self.t != null", ""),
            ("self.metadata.name == self.kind", ""),
            ("self.metadata.labels == null", "undefined field 'labels' at labels"),
            ("self.e.kind == 'Pod'", ""),
            ("self.s.matches('(')", "invalid matches argument at ("),
            ("type(self.i) == int && dyn(self.i) == 'a'", ""),
            (
                "quantity(self.s).isLessThan(1)",
                "found no matching overload for 'isLessThan' applied to 'kubernetes.Quantity.(int)' at isLessThan",
            ),
            ("(self.b ? self.s : 'x') == 'x'", ""),
            (
                "self.b ? self.s : 1",
                "found no matching overload for '_?_:_' applied to '(bool, string, int)' at ?",
            ),
            ("self.s.find('a+') == '' && self.s.split(',').size() == 1 && [self.i].sum() == 1", ""),
            ("cidr(self.s).containsIP(ip(self.s)) && url(self.s).getQuery()['a'].size() > 0", ""),
            ("cel.bind(x, self.i, x == 1)", "undeclared reference to 'cel' (in container '') at cel"),
            ("self.?s.optMap(x, x + 'a').orValue('') == 'a'", ""),
        ];
        for (rule, expected) in rows {
            let rule = serde_json::to_string(rule).expect("text");
            assert_eq!(error(&format!(r#"{{"rule":{rule}}}"#)), expected, "{rule}");
        }
        let optional = |rule: &str| format!(r#"{{"rule":"{rule}","optionalOldSelf":true}}"#);
        assert_eq!(error(&optional("!oldSelf.hasValue() || oldSelf.value().i <= self.i")), "");
        assert_eq!(error(&optional("self.b")), "may not be set if oldSelf is not used in rule at ");
        assert_eq!(
            error(r#"{"rule":"self.b","messageExpression":"self.i"}"#),
            "messageExpression must evaluate to a string at self.i"
        );
        assert_eq!(
            error(r#"{"rule":"self.b","messageExpression":"self.x"}"#),
            "messageExpression compilation failed: undefined field 'x' at x"
        );
    }

    /// Where the answer is not that of the server.
    const DIFFERENT: [&str; 12] = [
        // Lists whose type is set or map are compared and added in the order of their items.
        "self.val1 == ['c', 'b', 'a']",
        "self.val1 == self.val2",
        "self.val1 + self.val2 == ['a', 'b', 'c']",
        "self.val1 + ['c', 'd'] == ['a', 'b', 'c', 'd']",
        "self.objs[0] == self.objs[1]",
        "self.objs[0] + self.objs[2] == self.objs[2]",
        "self.objs[2] + self.objs[0] == self.objs[0]",
        "self.objs[0] == [self.objs[0][1], self.objs[0][0]]",
        "self.objs[2] + [self.objs[0][0], self.objs[0][1]] == self.objs[0]",
        // `format` does not take times and durations, and writes exponents without U+00D7.
        "'%d %s %f %s %s'.format([1, 'abc', 1.0, duration('1m'), timestamp('2000-01-01T00:00:00.000Z')]) == '1 abc 1.000000 60s 2000-01-01T00:00:00Z'",
        "'%e'.format([3.14]) == '3.140000×10⁰⁰'",
        // The sum of no durations is 0.
        "self.emptyDurations.sum() == duration('0')",
    ];

    /// Kubernetes' own rules of custom resources (apiextensions-apiserver, pkg/apiserver/schema/cel/validation_test.go). Messages
    /// of Go's parsers and of functions are not compared.
    #[test]
    fn rules_of_kubernetes_own_tests() {
        let text = |node: &Node| node.as_str().unwrap_or_default().to_owned();
        let (mut count, mut wrong) = (0, Vec::new());
        for line in include_str!("../../fixtures/cel/rules.jsonl").lines() {
            let case = node(line);
            let part = |key: &str| case.get(key).expect("a part");
            let expected =
                part("valid").as_seq().unwrap_or_default().iter().map(|rule| (text(rule), String::new()));
            let errors = part("errors").as_map().into_iter().flatten();
            let errors = errors.map(|entry| (entry.key.to_string(), text(&entry.value)));
            for (rule, expected) in expected.chain(errors) {
                let mut schema = part("schema").clone();
                let rules = serde_json::json!([{"rule": rule}]).to_string();
                let map = schema.as_map_mut().expect("a schema");
                map.insert(KEY, Default::default(), node(&rules));
                let mut errors = Rules::errors(&schema);
                errors.retain(|error| error.reason != FORBIDDEN);
                let found = match (errors.first(), Rules::compile(&schema)) {
                    (Some(error), _) => error.message.clone(),
                    (None, Some(rules)) => {
                        let violations = rules.violations(part("object"), &schema);
                        violations.first().map_or(String::new(), |violation| violation.message.clone())
                    }
                    (None, None) => "no rule".to_owned(),
                };
                count += 1;
                let is_compared =
                    ["undefined", "no matching", "no such", "must evaluate", "but found", "invalid m"];
                let is_message = is_compared.iter().any(|words| expected.contains(words));
                let is_same =
                    found.is_empty() == expected.is_empty() && (!is_message || found.contains(&expected));
                let is_known = DIFFERENT.contains(&rule.as_str()) && text(part("name")).starts_with("list")
                    || DIFFERENT[9..].contains(&rule.as_str());
                if is_same == is_known {
                    wrong.push(format!("{}: {rule}: {found}, not {expected}", text(part("name"))));
                }
            }
        }
        assert!(count > 600 && wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    }
}
