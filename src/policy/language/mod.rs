//! Parses and evaluates expressions of `--where`. Only this folder uses the crate that does.

mod addresses;
mod calls;
mod checker;
mod columns;
pub mod cost;
mod declared;
mod environment;
pub mod estimate;
mod failure;
mod formats;
mod functions;
mod lists;
mod macros;
mod makers;
mod names;
pub mod program;
mod reads;
mod rewrite;
mod sets;
mod signature;
mod signatures;
mod times;
pub mod types;
mod urls;
pub mod values;
mod versions;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use cel::common::ast::{Expr, IdedExpr};
use cel::common::types::{CelList, CelMap, CelMapKey, CelString};
use cel::common::value::Val;
use cel::{Context, ExecutionError, Value};
use jiff::Timestamp;

use super::{Answer, Cause, ObjectContext, ParseError, Unknown, VARIABLES};
use cost::Budget;
use environment::{ENVIRONMENT, Names};
use kinds::cells::WideColumns;
use kinds::pod_specs::{CONTAINERS, find, pod_specs};
use kinds::view;
use manifest::object::Object;
use reads::Reads;
use syntax::error::Error;
use syntax::fields::{FieldSet, Fields};
use syntax::head::Head;
use syntax::tree::Node;

/// The variable with the time that ages are relative to. Expressions cannot name it.
const NOW: &str = "@now";

/// What each object adds to the cost that an expression may have in a run.
const COST_OF_OBJECT: u64 = if cfg!(test) { 100 } else { 10_000 };

/// A parsed expression. Several threads can evaluate it at once.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    /// The expression that is evaluated: missing parents are forgiven, loops are counted, and calls of `age` get the
    /// current time as an argument.
    program: Arc<IdedExpr>,
    /// The [`VARIABLES`] that it uses.
    variables: Vec<&'static str>,
    /// The fields of an object that it reads, except for those of the head.
    fields: FieldSet,
    /// These fields as the text names them.
    reads: Reads,
    /// The headers of the columns that it uses.
    columns: Arc<[String]>,
    /// The time that ages are relative to; `None` if the expression uses no ages.
    now: Option<Timestamp>,
    run: Arc<Run>,
}

/// Facts from the objects evaluated so far.
#[derive(Debug, Default)]
struct Run {
    /// Whether an object had all the fields.
    answered: AtomicBool,
    /// The first field that was missing.
    missing: OnceLock<String>,
    /// The columns of the kinds so far.
    columns: WideColumns,
    budget: Budget,
}

impl Expression {
    /// Parses an expression. It may use [`VARIABLES`] and the functions of CEL (`timestamp` and `duration` among them),
    /// of its extensions and of Kubernetes: `quantity`, `isQuantity` and their comparisons and arithmetic, `ip`,
    /// `isIP`, `cidr`, `isCIDR` and their methods, `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`, `find`,
    /// `findAll`, and those for URLs, formats, versions and sets. There are also `age(metadata)`, the time since an object
    /// was created, and `base64decode`.
    ///
    /// *Compatibility* (where-functions): the cost of loops is limited by counting iterations; the API server also
    /// estimates it in advance, and checks types before it evaluates.
    ///
    /// # Errors
    ///
    /// The text is not an expression, is longer than 8 KiB, is too deeply nested, or uses an unknown name.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (program, uses) = environment::compile(text, Names { variables: &VARIABLES, columns: true })?;
        let mut fields = FieldSet::default();
        for (variable, path) in &uses.fields {
            if matches!(variable.as_str(), "podSpec" | "containers") {
                // The fields differ between kinds.
                fields.add([]);
            } else if let Some(start) = path_of(variable) {
                fields.add(start.iter().copied().chain(path.iter().map(String::as_str)));
            }
        }
        let is_used = |variable: &&str| uses.fields.iter().any(|(name, _)| name == variable);
        let variables = VARIABLES.into_iter().filter(is_used).collect();
        let reads = Reads::of(program.expression());
        let uses_now = uses.functions.contains(functions::AGE) || is_used(&"now") || !uses.columns.is_empty();
        let now = uses_now.then(Timestamp::now);
        let mut columns = uses.columns.clone();
        columns.sort();
        columns.dedup();
        let mut program = program.expression().clone();
        rewrite::forgive_missing(&mut program, &uses);
        columns::name_columns(&mut program, &uses);
        rewrite::change_each(&mut program, &mut |expression| match expression {
            Expr::Call(call) if call.func_name == functions::AGE && call.target.is_none() => {
                call.args.push(IdedExpr { id: 0, expr: Expr::Ident(NOW.to_owned()) });
            }
            expression => cost::count_in(expression),
        });
        Ok(Self {
            text: text.to_owned(),
            program: Arc::new(program),
            variables,
            fields,
            reads,
            columns: columns.into(),
            now,
            run: Arc::default(),
        })
    }

    /// The original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the expression uses ages.
    pub fn has_ages(&self) -> bool {
        self.now.is_some()
    }

    /// Whether the expression uses columns of tables.
    pub fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Sets the time that ages are relative to, which is otherwise the time of parsing.
    pub fn count_ages_to(&mut self, now: Timestamp) {
        if let Some(old) = &mut self.now {
            *old = now;
        }
    }

    /// A field that all objects so far lacked; `None` if there is none or no object was evaluated.
    pub fn never_met(&self) -> Option<&str> {
        let Run { answered, missing, .. } = &*self.run;
        missing.get().filter(|_| !answered.load(Ordering::Relaxed)).map(String::as_str)
    }

    /// Evaluates the expression for `object`. A null field counts as missing, as in the API server; `metadata`, `spec`,
    /// `status`, `labels` and `annotations` are empty maps if the object does not have them, and `has` is false if a
    /// parent is missing. Only the fields that the expression names are read; kind, version and labels are those of the
    /// head.
    ///
    /// # Errors
    ///
    /// A field that is needed cannot be parsed.
    pub fn ask(&self, object: &Object<'_>, known: ObjectContext<'_>) -> Result<Answer, Error> {
        let body = match self.fields.is_empty() {
            true => None,
            false => Some(object.fields(Fields::only(&self.fields))?),
        };
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        for name in &self.variables {
            context.add_variable_as_val(*name, variable(name, object.head, body.as_deref(), self.now));
        }
        if let Some(now) = self.now {
            context.add_variable_as_val(NOW, Box::new(times::Time::utc(now)));
            for header in &*self.columns {
                if let Some(cell) = columns::cell(header, object, known, now, &self.run.columns)? {
                    context.add_variable_as_val(columns::name(header), cell);
                }
            }
        }
        Ok(match self.evaluate(&context) {
            Ok(holds) => {
                if !self.run.answered.load(Ordering::Relaxed) {
                    self.run.answered.store(true, Ordering::Relaxed);
                }
                if holds { Answer::Holds } else { Answer::Fails }
            }
            Err(cause) => Answer::Unknown(Unknown { expression: self.text.clone(), cause }),
        })
    }

    fn evaluate(&self, context: &Context<'_, '_>) -> Result<bool, Cause> {
        let Some(result) = self.run.budget.spend(COST_OF_OBJECT, || context.resolve(&self.program)) else {
            return Err(Cause::TooExpensive(cost::EXHAUSTED.to_owned()));
        };
        match result {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(Cause::NotACondition(other.type_of().to_string())),
            Err(ExecutionError::NoSuchKey(key)) => {
                self.run.missing.get_or_init(|| String::clone(&key));
                Err(self.reads.missing(&key))
            }
            Err(ExecutionError::UndeclaredReference(name)) if columns::header(&name).is_some() => {
                let header = columns::header(&name).unwrap_or_default();
                Err(Cause::Missing { field: format!("column {header}"), instead: None })
            }
            Err(ExecutionError::IndexOutOfBounds(index)) => {
                let field = match index {
                    Value::Int(index) => format!("element {index}"),
                    Value::UInt(index) => format!("element {index}"),
                    _ => "such element".to_owned(),
                };
                Err(Cause::Missing { field, instead: None })
            }
            Err(error) if cost::is_exceeded(&error) => Err(Cause::TooExpensive(failure::reason(&error))),
            Err(error) => Err(Cause::Failed(failure::reason(&error))),
        }
    }
}

/// The path of the field that a variable stands for; `None` if it is a part of the head.
fn path_of(variable: &str) -> Option<&'static [&'static str]> {
    Some(match variable {
        "object" => &[],
        "metadata" => &["metadata"],
        "spec" => &["spec"],
        "status" => &["status"],
        "annotations" => &["metadata", "annotations"],
        _ => return None,
    })
}

/// The specs of the pods in an object, [wherever they are](pod_specs).
fn specs<'o>(head: &Head<'_>, body: Option<&'o Node>) -> Vec<&'o Node> {
    let paths = |body| pod_specs(head.api_version, head.kind, body);
    let find = |body| move |path: Vec<_>| find(body, &path).filter(|spec| !spec.is_null());
    body.into_iter().flat_map(|body| paths(body).into_iter().filter_map(find(body))).collect()
}

/// The value of a variable of an object with this head and body.
fn variable<'o>(
    name: &str,
    head: &'o Head<'_>,
    body: Option<&'o Node>,
    now: Option<Timestamp>,
) -> Box<dyn Val + 'o> {
    if let Some(path) = path_of(name) {
        return match body.and_then(|body| path.iter().try_fold(body, |node, key| node.get(key))) {
            Some(part) if !part.is_null() => values::value(part),
            _ => values::empty(),
        };
    }
    match name {
        "kind" => Box::new(CelString::from(head.kind)),
        "apiVersion" => Box::new(CelString::from(head.api_version)),
        "now" => Box::new(times::Time::utc(now.unwrap_or_default())),
        // Of several, none is that of the object.
        "podSpec" => match specs(head, body)[..] {
            [spec] => values::value(spec),
            _ => values::empty(),
        },
        "containers" => {
            let of_spec = |spec: &'o Node| CONTAINERS.into_iter().flat_map(|list| view::list(spec, list));
            let containers = specs(head, body).into_iter().flat_map(of_spec);
            Box::new(CelList::from(containers.map(values::value).collect::<Vec<_>>()))
        }
        _ => {
            let label = |&(key, value): &(&'o str, &'o str)| -> (CelMapKey<'o>, Box<dyn Val + 'o>) {
                (key.into(), Box::new(CelString::from(value)))
            };
            Box::new(CelMap::from(head.labels.iter().map(label).collect::<HashMap<_, _>>()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinds::catalog::Catalog;
    use manifest::document::{Document, Syntax};
    use manifest::objects::objects;
    use manifest::source::Source;
    use proptest::prelude::*;
    use syntax::fields::ITEMS;

    const DEPLOYMENT: &str = include_str!("../../../fixtures/cel/deployment.yaml");

    /// The answer of an object: `true`, `false`, `no FIELD` for a missing field, or the reason of an error.
    fn asked(text: &str, object: &str) -> String {
        answer(&Expression::parse(text).expect("an expression"), object)
    }

    fn answer(expression: &Expression, object: &str) -> String {
        let source = Source::stdin();
        let document = Document::new(object.as_bytes(), Syntax::Yaml, &source);
        let mut answer = String::new();
        objects(document, &mut |object| {
            let context = ObjectContext { catalog: &Catalog::new(), namespace: "shop" };
            answer = match expression.ask(object.expect("an object"), context) {
                Ok(Answer::Holds) => "true".to_owned(),
                Ok(Answer::Fails) => "false".to_owned(),
                Ok(Answer::Unknown(Unknown { cause: Cause::Missing { field, .. }, .. })) => {
                    format!("no {field}")
                }
                Ok(Answer::Unknown(Unknown { cause, .. })) => cause.to_string(),
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

    /// The fields of an object that an expression reads.
    #[track_caller]
    fn check_fields(text: &str, expected: &[&[&str]]) {
        let mut fields = FieldSet::default();
        expected.iter().for_each(|path| fields.add(path.iter().copied()));
        assert_eq!(Expression::parse(text).expect("an expression").fields, fields, "{text}");
    }

    #[test]
    fn only_the_fields_that_are_named_are_read() {
        check_fields("spec.replicas == 3 && spec.replicas < 5", &[&["spec", "replicas"]]);
        check_fields("has(spec.template.spec)", &[&["spec", "template", "spec"]]);
        check_fields("kind == 'Pod' && labels.app == 'web'", &[]);
        check_fields("object.kind == 'Pod'", &[&["kind"]]);
        check_fields("annotations.a == 'b'", &[&["metadata", "annotations", "a"]]);
        check_fields("'a' in annotations", &[&["metadata", "annotations"]]);
        check_fields("age(metadata) > duration('1h')", &[&["metadata"]]);
        check_fields("spec['replicas'] == 3", &[&["spec", "replicas"]]);
        check_fields("spec[kind] == 3 && spec.list[0].a == 1", &[&["spec"], &["spec", "list"]]);
        check_fields("spec.?template.?spec[?'a'].hasValue()", &[&["spec", "template", "spec", "a"]]);
        check_fields("spec.?replicas.orValue(1) == 1", &[&["spec", "replicas"]]);
        check_fields("size(object) > 0", &[&[]]);
        check_fields(
            "spec.containers.all(spec, spec.image != '')",
            &[&["spec", "containers", ITEMS, "image"]],
        );
        check_fields("spec.containers.all(c, true)", &[&["spec", "containers"]]);
        check_fields(
            "spec.containers.filter(c, c.image == '').size() == 0",
            &[&["spec", "containers", ITEMS, "image"], &["spec", "containers", ITEMS]],
        );
        check_fields("spec.a.exists(b, b.c.exists(d, d.e))", &[&["spec", "a", ITEMS, "c", ITEMS, "e"]]);
        check_fields(
            "spec.a.exists(b, b.c.exists(b, b.d) && b.e)",
            &[&["spec", "a", ITEMS, "c", ITEMS, "d"], &["spec", "a", ITEMS, "e"]],
        );
        check_fields("labels.all(a, labels[a] == a)", &[]);
        check_fields(
            "status.conditions.exists(c, c.type == spec.wanted)",
            &[&["status", "conditions", ITEMS, "type"], &["spec", "wanted"]],
        );
    }

    #[test]
    fn loops_have_a_limit() {
        let list = |length: usize, item: &str| {
            let items = vec![item; length].join(", ");
            format!("apiVersion: v1\nkind: A\nspec: {{l: [{items}]}}\n")
        };
        let refused = "its loops exceed the limit of 20000 iterations per object";
        let nested = "spec.l.map(a, spec.l.map(b, spec.l.map(c, c))).size() > 0";
        assert_eq!(asked(nested, &list(200, "1")), refused);
        assert_eq!(asked(nested, &list(15, "1")), "true");
        for loops in [
            "spec.l.all(a, spec.l.all(b, b > 0))",
            "spec.l.exists(a, spec.l.exists(b, b > 1))",
            "spec.l.all(a, spec.l.map(b, b).size() > 0)",
            "spec.l.filter(a, spec.l.exists_one(b, b == a)).size() == 0",
            "spec.l.map(a, a > 0, spec.l.filter(b, b == a)).size() > 0",
            "lists.range(100000).map(a, a).size() > 0",
        ] {
            assert_eq!(asked(loops, &list(200, "1")), refused, "{loops}");
        }
        // Items collected by a loop count by their size.
        let long = list(200, &"x".repeat(10_000));
        assert_eq!(asked("spec.l.map(a, a).size() > 0", &long), refused);
        assert_eq!(asked("spec.l.all(a, a.size() > 0)", &long), "true");
        assert_eq!(asked("spec.l.map(a, spec.l).size() > 0", &list(200, "1")), refused);
        // What an expression makes counts before it is made, and what it goes through counts, too.
        let made = |turns: usize| {
            let deep = (0..turns)
                .fold("'x'".to_owned(), |text, _| format!("{text}.replace('', 'xxxxxxxxxxxxxxxx')"));
            format!("{deep}.size() > 0")
        };
        assert_eq!(asked(&made(4), &list(1, "1")), "true");
        assert_eq!(asked(&made(7), &list(1, "1")), refused);
        let text = |levels: usize| {
            let double = |text: String| format!("cel.bind(t, {text}, t + t)");
            (0..levels).fold("'0123456789abcdef'".to_owned(), |text, _| double(text))
        };
        assert_eq!(asked(&format!("{}.size() > 0", text(8)), &list(1, "1")), "true");
        for made in [
            format!("{}.size() > 0", text(18)),
            format!("lists.range(1000).map(i, 'a').join({}).size() > 0", text(12)),
            format!("'%s%s%s%s'.format([{0}, {0}, {0}, {0}]).size() > 0", text(14)),
            format!("{}.split('').size() > 0", text(12)),
            format!("cel.bind(t, {}, lists.range(5000).all(i, t.contains('a')))", text(10)),
            format!("cel.bind(t, {}, lists.range(5000).all(i, t + 'a' != t))", text(10)),
            "lists.range(1000).distinct().size() > 0".to_owned(),
        ] {
            assert_eq!(asked(&made, &list(1, "1")), refused, "{made}");
        }
        // So do the literals of a list, which is made anew in each turn, and calls.
        let literals = format!("[{}]", vec!["1"; 60].join(", "));
        let repeated = format!("spec.l.all(a, {literals} == {literals})");
        assert_eq!(asked(&repeated, &list(10, "1")), "true");
        assert_eq!(asked(&repeated, &list(200, "1")), refused);
        assert_eq!(asked("[1].all(i, lists.range(30000).size() > 0)", &list(1, "1")), refused);
        let turns = |body: &str| format!("lists.range(9000).all(i, {body})");
        assert_eq!(asked(&turns("i >= 0"), &list(1, "1")), "true");
        assert_eq!(asked(&turns("quantity('1').isInteger()"), &list(1, "1")), refused);
        // The limit applies to each object.
        assert_eq!(asked("spec.l.all(a, spec.l.all(b, b > 0))", &list(90, "1")), "true");
    }

    #[test]
    fn the_loops_of_all_objects_together_have_a_limit() {
        let expression = Expression::parse("spec.l.all(a, spec.l.all(b, b > 0))").expect("an expression");
        let object = format!("apiVersion: v1\nkind: A\nspec: {{l: [{}]}}\n", ["1"; 90].join(", "));
        let answers: Vec<String> = (0..6).map(|_| answer(&expression, &object)).collect();
        let refused = "its loops exceed the limit for all objects together";
        assert_eq!(answers, ["true", "true", "true", "true", refused, refused]);
        // Without loops, there is no limit.
        let expression = Expression::parse("kind == 'A'").expect("an expression");
        assert!((0..1000).all(|_| answer(&expression, &object) == "true"));
    }

    #[test]
    fn times_and_time_spans_compare_and_add() {
        for text in [
            "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')",
            "timestamp('2026-01-01T00:00:00Z') + duration('90m') > timestamp('2026-01-01T01:00:00Z')",
            "duration('90m') + timestamp('2026-01-01T00:00:00Z') == timestamp('2026-01-01T01:30:00Z')",
            "timestamp('2026-01-01T00:00:00Z') - duration('1s') < timestamp('2026-01-01T00:00:00Z')",
            "timestamp('2026-01-01T02:00:00+02:00') == timestamp('2026-01-01T00:00:00Z')",
            "timestamp(timestamp(1)) == timestamp('1970-01-01T00:00:01Z')",
            "int(timestamp('1969-12-31T23:59:59.5Z')) == -1 && int(duration('2s')) == 2000000000",
            "duration('1h') - duration('90m') == duration('-30m') && duration('1s') + duration('1ms') != duration('1s')",
            "duration(duration('1h')).getMinutes() == 60 && duration('-90s').getMinutes() == -1",
            "duration('90s').getSeconds() == 90 && duration('2h30m').getHours() == 2 && duration('2s').getMilliseconds() == 2000",
            "string(duration('1h0.5s')) == '3600.5s'",
            "string(timestamp('2026-01-01T02:00:00.250+02:00')) == '2026-01-01T02:00:00.25+02:00'",
            "type(timestamp(0)) == type(timestamp(1)) && timestamp(1) in [timestamp(0), timestamp(1)]",
            "timestamp(object.metadata.name == 'web' ? '2026-03-04T00:00:00Z' : '') < timestamp('2027-01-01T00:00:00Z')",
            "[timestamp('2009-02-13T23:31:30.25Z')].all(t, t.getFullYear() == 2009 && t.getMonth() == 1 && t.getDate() == 13
                && t.getDayOfMonth() == 12 && t.getDayOfWeek() == 5 && t.getDayOfYear() == 43 && t.getHours() == 23
                && t.getMinutes() == 31 && t.getSeconds() == 30 && t.getMilliseconds() == 250)",
            "[timestamp('2009-02-13T23:31:30Z')].all(t, t.getDate('Australia/Sydney') == 14 && t.getHours('+02:00') == 1
                && t.getMinutes('Asia/Kathmandu') == 16 && t.getHours('-02:30') == 21 && t.getHours('') == 23)",
            "timestamp('2026-07-01T00:00:00Z').getHours('Europe/Berlin') == 2",
            "timestamp('2026-01-01T02:30:00+02:00').getHours() == 2",
            "timestamp('2026-01-01T02:30:00,5+02:00').getMilliseconds() == 500",
        ] {
            check(text, "true");
        }
        let not_a_time = "'timestamp': the text is not a time such as 2006-01-02T15:04:05Z";
        let not_a_zone = "'timezone': the text is not a time zone such as Europe/Berlin or -03:30";
        for (text, error) in [
            ("timestamp('soon') > timestamp(0)", not_a_time),
            ("timestamp('0000-12-31T00:00:00Z') > timestamp(0)", not_a_time),
            ("timestamp('2026-01-01 00:00:00Z') > timestamp(0)", not_a_time),
            ("timestamp(253402300800) > timestamp(0)", "'timestamp': the result is out of range"),
            (
                "timestamp('9999-12-30T00:00:00Z') + duration('48h') > timestamp(0)",
                "'+': the result is out of range",
            ),
            (
                "timestamp('9999-12-30T00:00:00Z') - timestamp(0) > duration('0')",
                "'-': the result is out of range",
            ),
            ("duration('2562047h') + duration('1h') > duration('0')", "'+': the result is out of range"),
            ("timestamp(0) + 1 > timestamp(0)", "'+': the operator takes times and durations"),
            ("timestamp(0) > 0", "'compare': the operator takes times and durations"),
            ("timestamp(0) - 1 > timestamp(0)", "'-': the operator takes times and durations"),
            (
                "duration('1h and more') > duration('0')",
                "'duration': the text is not a duration such as 1h30m",
            ),
            ("timestamp(0).getHours('Berlin') == 1", not_a_zone),
            ("timestamp(0).getHours('24:00') == 1", not_a_zone),
        ] {
            check(text, &format!("Error executing function {error}"));
        }
        check("timestamp(0) == 0", "false");
    }

    #[test]
    fn ages_count_to_the_moment_that_is_set() {
        let object = |created: &str| {
            format!("apiVersion: v1\nkind: A\nmetadata: {{name: a, creationTimestamp: {created}}}\n")
        };
        let asked_at = |text: &str, object: &str, now: &str| {
            let mut expression = Expression::parse(text).expect("an expression");
            assert!(expression.has_ages());
            expression.count_ages_to(now.parse().expect("a time"));
            answer(&expression, object)
        };
        let now = "2026-01-02T00:00:00.5Z";
        let created = object("'2026-01-01T00:00:00Z'");
        assert_eq!(asked_at("age(metadata) > duration('24h')", &created, now), "true");
        assert_eq!(asked_at("age(metadata) > duration('24h1s')", &created, now), "false");
        assert_eq!(
            asked_at("age(object.metadata) < duration('0s')", &created, "1969-12-31T23:59:59.5Z"),
            "true"
        );
        // As in Go, a duration has an end.
        let old = object("'0001-01-01T00:00:00Z'");
        assert_eq!(asked_at("age(metadata).getHours() == 2562047", &old, now), "true");
        check("age(metadata) > duration('24h')", "no creationTimestamp");
        check(
            "age({'creationTimestamp': 'soon'}) > duration('24h')",
            "Error executing function 'age': creationTimestamp is not a time",
        );
        assert!(!Expression::parse("kind == 'age'").expect("an expression").has_ages());
    }

    #[test]
    fn quantities_have_arithmetic() {
        for text in [
            "quantity('1Gi').add(quantity('512Mi')).compareTo(quantity('1536Mi')) == 0",
            "quantity('1').sub(quantity('250m')) == quantity('750m') && quantity('1').sub(3) == quantity('-2')",
            "quantity('3').add(2).asInteger() == 5 && quantity('3').isInteger()",
            "quantity('1500m').asApproximateFloat() == 1.5 && !quantity('1500m').isInteger()",
        ] {
            check(text, "true");
        }
        for (text, error) in [
            ("quantity('1500m').asInteger() == 1", "'asInteger': the quantity is not an integer of 64 bits"),
            ("quantity('1e99').add(1).sign() == 1", "'add': the quantity is too large"),
        ] {
            check(text, &format!("Error executing function {error}"));
        }
    }

    #[test]
    fn addresses_and_networks_are_known() {
        for text in [
            "isIP('10.0.0.1') && isIP('::1')",
            "!isIP('10.0.0') && !isIP('010.0.0.1') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
            "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && ip('::1') == ip('0:0::1')",
            "ip.isCanonical('::1') && !ip.isCanonical('0:0::1') && string(ip('0:0::1')) == '::1'",
            "ip('10.0.0.1').isGlobalUnicast() && ip('169.254.1.1').isLinkLocalUnicast() && ip('0.0.0.0').isUnspecified()",
            "ip('224.0.0.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast()",
            "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
            "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
            "cidr('10.1.2.3/8').prefixLength() == 8 && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
            "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && string(cidr('10.1.2.3/8').masked()) == '10.0.0.0/8'",
            "isCIDR('::/0') && cidr('::/0').containsIP('fe80::1') && !cidr('::/0').containsIP('1.2.3.4')",
            "!isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0/08') && !isCIDR('10.0.0.0')",
        ] {
            check(text, "true");
        }
        check("ip('x') == ip('::1')", "Error executing function 'ip': the text is not an IP address");
        check(
            "cidr('10.0.0.0/8').containsCIDR('x')",
            "Error executing function 'containsCIDR': the text is not a network in CIDR notation",
        );
    }

    #[test]
    fn base64_is_decoded() {
        check("base64decode('YWRtaW4=') == 'admin' && base64decode('/w==') == '\\ufffd'", "true");
        check("base64decode('!') == ''", "Error executing function 'base64decode': the text is not base64");
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
        check("status.phase == 'Running'", "no status.phase");
        check("labels.tier == 'fe' || labels.tier == 'be'", "no labels.tier");
        check("labels.tier == 'fe' || labels.app == 'web'", "true");
        check("object.data.key == 'a'", "no object.data");
        check("spec.template.spec.containers[7].name == 'x'", "no element 7");
        check("annotations['a/b'] == 'c'", "no annotations['a/b']");
    }

    #[test]
    fn pods_have_names_of_their_own() {
        check("containers.map(c, c.name) == ['web', 'log'] && podSpec.containers == containers", "true");
        assert_eq!(asked("size(containers) + size(podSpec) == 0", "apiVersion: v1\nkind: Service\n"), "true");
        let pod = "apiVersion: v1\nkind: Pod\nspec: {initContainers: [{name: i}], containers: [{name: c}]}\n";
        assert_eq!(asked("containers.exists(c, c.name == 'i') && size(containers) == 2", pod), "true");
        // In a custom resource, they are found by their images.
        let service = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec: {predictor: {initContainers: [{name: i, \
            image: a}], workerSpec: {containers: [{name: c, image: b}]}}}\n";
        assert_eq!(asked("containers.map(c, c.name) == ['i', 'c'] && size(podSpec) == 0", service), "true");
        check("now > timestamp('2024-01-01T00:00:00Z')", "true");
    }

    #[test]
    fn columns_mean_what_tables_show() {
        check(
            "READY == '0/3' && '0/3' == READY && READY < 1 && 1 > READY && column('UP-TO-DATE') == 0",
            "true",
        );
        check("NAME == 'web' && NAMESPACE == 'shop' && IMAGES == 'nginx:1.25,fluent/fluent-bit:2.1'", "true");
        check("READY == 1", "false");
        check("RESTARTS > 5", "no column RESTARTS");
        check("AGE > duration('1h')", "no column AGE");
        let pod = "{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: '2026-01-01T00:00:00Z'}, spec: {containers: \
                   [{name: c}]}, status: {phase: Running, containerStatuses: [{name: c, restartCount: 7, state: {waiting: \
                   {reason: CrashLoopBackOff}}}]}}";
        let text = "STATUS == 'CrashLoopBackOff' && RESTARTS > 5 && AGE > duration('1h') && NODE == '<none>'";
        assert_eq!(asked(text, pod), "true");
        check_error(
            "Status == 'a'",
            &format!("unknown variable \"Status\"; the variables are {} at 0: Status", VARIABLES.join(", ")),
        );
    }

    #[test]
    fn null_counts_as_missing() {
        check("has(spec.paused)", "false");
        check("spec.paused", "no spec.paused");
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
        check("[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()", "true");
        check("[].min() == 0", "Error executing function 'min': min called on empty list");
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
        check("spec.replicas", "it is not a condition: its value is of type int");
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
            &format!("unknown variable \"Spec\"; the variables are {known} at 16: Spec"),
        );
        check_error(
            "[1].all(x, y > x)",
            &format!("unknown variable \"y\"; the variables are {known} at 11: y"),
        );
        check_error("nosuch(kind)", "unknown function \"nosuch\" at 0: nosuch");
        check_error("kind.nosuch('a')", "unknown function \"nosuch\" at 5: nosuch");
        check_error("Pod{a: 1} == 1", "unknown type \"Pod\" at 0: Pod");
    }

    #[test]
    fn wrong_regular_expressions_are_refused() {
        check_error("kind.matches('a(')", r#""a(" is not a regular expression at 14: a("#);
        check_error("matches(kind, '[')", r#""[" is not a regular expression at 15: ["#);
        check_error("kind.find('\\x28') == ''", r#""(" is not a regular expression at 10: "#);
        check("kind.matches(kind + '(')", {
            "Error executing function 'matches': the pattern is not a regular expression"
        });
    }

    #[test]
    fn long_and_deep_expressions_are_refused() {
        check_error(&"(".repeat(8000), "it is nested too deeply at 0: ");
        check_error(&format!("{}1", "1+".repeat(4000)), "it is nested too deeply at 0: ");
        check_error(&format!("object{}", ".a".repeat(4000)), "it is nested too deeply at 0: ");
        check_error(&" ".repeat(9000), "it is longer than 8192 bytes at 0: ");
        assert!(Expression::parse(&format!("{}true", "true && ".repeat(1000))).is_ok());
    }

    #[test]
    fn the_deepest_expressions_fit_a_thread() {
        let spawned = std::thread::spawn(|| {
            check(&format!("{}1 == 39", "1+".repeat(38)), "true");
            check(&format!("object{} == 1", "['a']".repeat(38)), "no object['a']");
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
            // Parsing in the thread of the test shows a panic that `parse` would turn into an error.
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
