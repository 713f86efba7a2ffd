//! Checks the values of built-in kinds against the tables of [`rules`](crate::kinds::rules): the vocabulary of the tables,
//! and the rules that combine fields.

mod addresses;
mod admission;
mod at;
mod batch;
mod core;
mod cron;
pub(super) mod custom;
mod custom_formats;
mod definition;
mod formats;
mod meta;
mod networking;
mod others;
mod pod;
mod service;
mod structural;
mod table;
mod volumes;
mod workloads;

use std::collections::HashSet;
use std::fmt;

use crate::kinds::fields::TypeId;
use crate::kinds::release::Release;
use crate::manifest::tree::{Node, Span, Value};
use crate::policy::verdict::ExpressionError;
use at::{At, NULL};
use formats::Format;
use table::{Condition, Presence, Row, Rule, Seg, Start, Test, Verb};

/// Why a value is refused, in the words of Kubernetes (apimachinery, util/validation/field).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The field has to be set.
    Required,
    /// The value is not one of those allowed.
    Unsupported,
    /// The value does not fulfil a rule.
    Invalid,
    /// The value is there twice.
    Duplicate,
    /// The field must not be set.
    Forbidden,
    /// The value does not name anything that exists in the object.
    NotFound,
    /// The text is too long.
    TooLong,
    /// The list is too long.
    TooMany,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Required => "Required value",
            Self::Unsupported => "Unsupported value",
            Self::Invalid => "Invalid value",
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::NotFound => "Not found",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        })
    }
}

/// A value that the API server refuses.
pub(super) struct Refused {
    /// The position to report it at.
    pub span: Span,
    /// Whether the span is that of a key.
    pub is_key: bool,
    /// The path of the field, from the value that was checked.
    pub path: String,
    /// Why.
    pub reason: Reason,
    /// More words; empty if the reason says it all.
    pub detail: String,
    /// The value, if it is a text, or the texts of a list. It is not printed.
    pub text: Option<String>,
    /// The error, if the value is an expression.
    pub expression: Option<Box<ExpressionError>>,
}

/// Collects refused values.
pub(super) struct Report<'f> {
    found: &'f mut dyn FnMut(Refused),
    /// The whole object.
    root: &'f Node,
    /// The type whose rules are checked; `None` for custom ones.
    of: Option<TypeId>,
    /// The release whose rules are checked.
    release: Release,
    /// How many there are.
    count: usize,
}

impl<'f> Report<'f> {
    /// For the rules of the newest known release about a part of the object `root`.
    fn new(found: &'f mut dyn FnMut(Refused), root: &'f Node) -> Self {
        Self { found, root, of: None, release: Release::KNOWN, count: 0 }
    }

    fn add(&mut self, at: &At<'_, '_>, reason: Reason, detail: impl Into<String>) {
        let text = match at.node.as_str() {
            None if at.node.as_seq().is_some() => Some(at.texts().collect::<Vec<_>>().join(" ")),
            text => text.map(str::to_owned),
        };
        self.push(at.span, at, at.to_string(), text, reason, detail.into());
    }

    /// Adds an error in an expression below `at`.
    fn expression(&mut self, at: &At<'_, '_>, error: ExpressionError) {
        self.count += 1;
        (self.found)(Refused {
            span: error.span,
            is_key: false,
            path: format!("{at}.{}", error.path),
            reason: Reason::Invalid,
            detail: String::new(),
            text: None,
            expression: Some(Box::new(error)),
        });
    }

    /// As [`Report::add`], about `text`, which is a part of the value.
    fn add_text(&mut self, at: &At<'_, '_>, text: &str, reason: Reason, detail: impl Into<String>) {
        self.push(at.span, at, at.to_string(), Some(text.to_owned()), reason, detail.into());
    }

    /// As [`Report::add`], at a key of a map, which need not exist.
    fn add_key(&mut self, at: &At<'_, '_>, key: &str, reason: Reason, detail: &str) {
        let entry = at.node.as_map().and_then(|map| map.entry(key));
        let span = entry.map_or(at.span, |entry| entry.key_span);
        let text = entry.and_then(|entry| entry.value.as_str()).map(str::to_owned);
        self.push(span, at, format!("{at}[{key}]"), text, reason, detail.to_owned());
    }

    /// As [`Report::add`], at an item of a list, which need not exist.
    fn add_index(&mut self, at: &At<'_, '_>, index: usize, item: &str, reason: Reason, detail: &str) {
        self.push(at.span, at, format!("{at}[{index}]"), Some(item.to_owned()), reason, detail.to_owned());
    }

    fn push(
        &mut self,
        span: Span,
        at: &At<'_, '_>,
        path: String,
        text: Option<String>,
        reason: Reason,
        detail: String,
    ) {
        self.count += 1;
        (self.found)(Refused { span, is_key: at.is_key, path, reason, detail, text, expression: None });
    }

    fn required(&mut self, at: &At<'_, '_>, detail: &str) {
        self.add(at, Reason::Required, detail);
    }

    fn invalid(&mut self, at: &At<'_, '_>, detail: impl Into<String>) {
        self.add(at, Reason::Invalid, detail);
    }

    fn all_invalid(&mut self, at: &At<'_, '_>, details: Vec<String>) {
        details.into_iter().for_each(|detail| self.invalid(at, detail));
    }

    /// As [`Report::all_invalid`], about a key or a value of a map.
    fn all_invalid_text(&mut self, at: &At<'_, '_>, text: &str, details: Vec<String>) {
        details.into_iter().for_each(|detail| self.add_text(at, text, Reason::Invalid, detail));
    }

    fn forbidden(&mut self, at: &At<'_, '_>, detail: impl Into<String>) {
        self.add(at, Reason::Forbidden, detail);
    }

    fn duplicate(&mut self, at: &At<'_, '_>) {
        self.add(at, Reason::Duplicate, "");
    }

    fn not_found(&mut self, at: &At<'_, '_>) {
        self.add(at, Reason::NotFound, "");
    }

    fn unsupported(&mut self, at: &At<'_, '_>, values: &[&str]) {
        self.add(at, Reason::Unsupported, supported(values));
    }
}

/// Kubernetes' list of the values that a field may have.
fn supported(values: &[&str]) -> String {
    let mut values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    values.sort_unstable();
    format!("supported values: {}", values.join(", "))
}

/// A rule that combines fields, or a format.
type Function = fn(&At<'_, '_>, &mut Report<'_>);

/// The function that the tables call by this name.
fn function(name: &str) -> Option<Function> {
    let lists = [
        meta::FUNCTIONS,
        pod::FUNCTIONS,
        volumes::FUNCTIONS,
        service::FUNCTIONS,
        core::FUNCTIONS,
        workloads::FUNCTIONS,
        batch::FUNCTIONS,
        networking::FUNCTIONS,
        admission::FUNCTIONS,
        others::FUNCTIONS,
        definition::FUNCTIONS,
    ];
    lists.into_iter().flatten().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// A map to check.
#[derive(Clone, Copy)]
pub(super) struct Part<'t> {
    /// The whole object.
    pub root: &'t Node,
    /// The map.
    pub node: &'t Node,
    /// Where the map is reported.
    pub span: Span,
    /// Whether the span is that of a key.
    pub is_key: bool,
}

/// Calls `found` with what `release` refuses in a map of type `id`, but not further down.
pub(super) fn check(id: TypeId, release: Release, part: Part<'_>, found: &mut dyn FnMut(Refused)) {
    if let Some(rows) = table::rows(id) {
        let start = At::start(part.node, part.span, part.is_key);
        let mut report = Report { of: Some(id), release, ..Report::new(found, part.root) };
        check_rows(id, rows, &start, &mut report);
    }
}

/// As [`check`], for an object without a `spec`: for the server there is always one.
pub(super) fn check_missing_spec(
    id: TypeId,
    release: Release,
    part: Part<'_>,
    found: &mut dyn FnMut(Refused),
) {
    let start = At::start(part.node, part.span, part.is_key);
    if let Some(rows) = table::rows(id) {
        let mut report = Report { of: Some(id), release, ..Report::new(found, part.root) };
        check_rows(id, rows, &start.get("spec"), &mut report);
    }
}

fn check_rows(id: TypeId, rows: &[&Row], owner: &At<'_, '_>, report: &mut Report<'_>) {
    for row in rows {
        each(owner, &row.path, None, &mut |at, item| {
            for rule in &row.rules {
                let holds = |condition: &Condition| {
                    let start = match condition.place {
                        Start::Type => owner.node,
                        Start::Item => item.unwrap_or(owner.node),
                        Start::Object => report.root,
                    };
                    holds(&condition.test, start.at(condition.path).unwrap_or(&NULL))
                };
                let is_met = rule.releases.contains(&report.release)
                    && rule.conditions.iter().all(holds)
                    && (rule.exceptions.is_empty() || !rule.exceptions.iter().all(holds));
                if is_met {
                    check_rule(id, row, rule, owner, at, report);
                }
            }
        });
    }
}

/// Calls `found` with each value at the path, and with the item of the first list on the way.
fn each<'t>(
    at: &At<'_, 't>,
    path: &[Seg],
    item: Option<&'t Node>,
    found: &mut dyn FnMut(&At<'_, 't>, Option<&'t Node>),
) {
    let [seg, rest @ ..] = path else { return found(at, item) };
    let child = at.get(seg.name);
    let child = child.called(seg.shown);
    if seg.each {
        child.items().for_each(|at| each(&at, rest, item.or(Some(at.node)), found));
    } else {
        each(&child, rest, item, found);
    }
}

fn holds(test: &Test, node: &Node) -> bool {
    let at = At::start(node, node.span, false);
    match test {
        Test::IsOneOf(values) => match &node.value {
            Value::Bool(value) => values.contains(&if *value { "true" } else { "false" }),
            Value::Int(number) => values.contains(&&*number.to_string()),
            _ => values.contains(&at.text()),
        },
        Test::Is(presence) => presence.holds(&at),
        Test::IsNot(presence) => !presence.holds(&at),
    }
}

fn check_rule(
    id: TypeId,
    row: &Row,
    rule: &Rule,
    owner: &At<'_, '_>,
    at: &At<'_, '_>,
    report: &mut Report<'_>,
) {
    let words = |default: String| rule.message.map_or(default, str::to_owned);
    match &rule.verb {
        Verb::Required { unless, within, map } => {
            let is_reported = || {
                // The walk of the types reports fields that the OpenAPI documents require.
                let first = row.path.first().filter(|_| row.path.len() == 1);
                first.and_then(|seg| id.get().field(seg.name)).is_some_and(|field| field.required)
                    && !at.is_set()
            };
            let is_there = || !within || is_parent_set(owner, &row.path);
            let is_missing = match unless {
                Presence::NotEmpty => {
                    at.is_zero() && (*map || at.node.as_map().is_none()) && is_there() && !is_reported()
                }
                Presence::Set => !at.is_set(),
                Presence::Always => true,
            };
            if is_missing {
                report.required(at, rule.message.unwrap_or_default());
            }
        }
        Verb::NotEmpty if at.is_set() && at.is_zero() => {
            report.required(at, rule.message.unwrap_or_default())
        }
        Verb::NotBlank if at.node.as_str().is_some_and(|text| text.trim().is_empty()) => {
            report.required(at, rule.message.unwrap_or_default());
        }
        Verb::Single if at.len() != 1 => report.required(at, rule.message.unwrap_or_default()),
        Verb::Refused(reason, presence) if presence.holds(at) => {
            report.add(at, *reason, words(rule.forbids()));
        }
        Verb::In { values, empty, old } => {
            let Some(text) = at.node.as_str().filter(|text| *empty || !text.is_empty()) else { return };
            if !values.contains(&text) {
                if *old {
                    report.invalid(at, format!("must be one of {}", values.join(", ")));
                } else {
                    report.unsupported(at, values);
                }
            }
        }
        Verb::Range(low, high) => {
            let Some(number) = at.int() else { return };
            if number < *low || number > *high {
                report.invalid(at, words(range(*low, *high)));
            }
        }
        Verb::MaxLength(most) if at.text().len() > *most => {
            report.add(at, Reason::TooLong, format!("may not be more than {most} bytes"));
        }
        Verb::MaxItems(most) if at.len() > *most => match rule.message {
            Some(what) => report.invalid(at, format!("must not have more than {most} {what}")),
            None => report.add(at, Reason::TooMany, format!("{}: must have at most {most} items", at.len())),
        },
        // Other versions of the API may not have all fields.
        Verb::OneOf { fields, .. } | Verb::SomeOf(fields) if row.path.is_empty() && !has_all(id, fields) => {}
        Verb::Unique { keys, at_item } => unique(at, keys, *at_item, rule.message, report),
        Verb::OneOf { fields, at_type } => one_of(at, fields, *at_type, report),
        Verb::SomeOf(fields) if fields.iter().all(|field| at.get(field).is_zero()) => {
            report.required(at, &format!("must specify one of: {}", listed(fields)));
        }
        Verb::Is(Format::Text(messages), presence)
            if presence.holds(at) && (at.node.as_str().is_some() || *presence == Presence::Always) =>
        {
            report.all_invalid(at, messages(at.text()));
        }
        Verb::Is(Format::Value(check), _) => check(at, report),
        Verb::Call(function) => function(at, report),
        _ => {}
    }
}

/// Whether the type has all of these fields.
fn has_all(id: TypeId, fields: &[&str]) -> bool {
    fields.iter().all(|field| id.get().field(field).is_some())
}

/// Whether the map that has the last field of the path is set.
fn is_parent_set(owner: &At<'_, '_>, path: &[Seg]) -> bool {
    match path {
        [seg, _, ..] => owner.get(seg.name).is_set(),
        _ => true,
    }
}

/// Kubernetes' message about a number out of range (apimachinery, util/validation, InclusiveRangeError).
fn range(low: i64, high: i64) -> String {
    match (low, high) {
        (0, i64::MAX) => "must be greater than or equal to 0".to_owned(),
        (low, i64::MAX) => format!("must be greater than or equal to {low}"),
        _ => format!("must be between {low} and {high}, inclusive"),
    }
}

fn listed(fields: &[&str]) -> String {
    fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ")
}

fn unique(
    at: &At<'_, '_>,
    keys: &[&str],
    at_item: bool,
    words: Option<&'static str>,
    report: &mut Report<'_>,
) {
    let mut seen: HashSet<Vec<&Node>> = HashSet::with_capacity(at.len());
    for item in at.items() {
        let values: Vec<&Node> = match keys {
            [] => vec![item.node],
            keys => keys.iter().map(|key| item.node.get(key).unwrap_or(&NULL)).collect(),
        };
        // A missing name is an error of its own, or allowed.
        if keys.len() == 1 && values[0].as_str().is_none_or(str::is_empty) {
            continue;
        }
        if !seen.insert(values) {
            let field = keys.first().filter(|_| !at_item).map(|key| item.get(key));
            let place = field.as_ref().unwrap_or(&item);
            match words {
                Some(words) => report.invalid(place, words),
                None => report.duplicate(place),
            }
        }
    }
}

fn one_of(at: &At<'_, '_>, fields: &[&str], at_type: bool, report: &mut Report<'_>) {
    let mut set =
        fields.iter().map(|field| at.get(field)).filter(|field| field.is_set() && !is_empty_text(field));
    let words = || format!("must specify one of: {}", listed(fields));
    match (set.next(), set.next()) {
        (None, _) if at_type => report.invalid(at, words()),
        (None, _) => report.required(at, &words()),
        (Some(_), None) => {}
        (Some(_), Some(_)) if at_type => {
            report.invalid(at, "may not have more than one field specified at a time")
        }
        (Some(_), Some(second)) => report.forbidden(&second, "may not specify more than one of them"),
    }
}

fn is_empty_text(at: &At<'_, '_>) -> bool {
    at.node.as_str().is_some_and(str::is_empty)
}
