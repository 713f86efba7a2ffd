//! Checks the values of built-in kinds against the tables of [`rules`](kinds::rules): the vocabulary of the tables,
//! and the rules that combine fields.

mod addresses;
mod admission;
mod batch;
mod core;
pub(super) mod custom;
mod definition;
mod field_error;
mod formats;
mod functions;
mod meta;
mod networking;
mod others;
mod pod;
mod service;
mod structural;
mod table;
mod volumes;
mod warnings;
mod workloads;

use std::collections::HashSet;

use crate::at::{At, NULL};
use field_error::{ErrorList, range};
use formats::Format;
use kinds::fields::{Shape, TypeId};
use kinds::release::Release;
use syntax::tree::{Node, Span, Value};
use table::{Condition, Presence, Row, Rule, Seg, Start, Test, Verb};

pub(super) use field_error::FieldError;
pub use field_error::Reason;
pub use formats::strict_env_name;

/// Calls `found` with what `release` refuses in a map of type `id` in the object `root`, but not further down.
pub(super) fn check(
    id: TypeId,
    release: Release,
    at: &At<'_, '_>,
    root: &Node,
    found: &mut dyn FnMut(FieldError),
) {
    let rows = table::RULES.rows(id);
    if !rows.is_empty() {
        let mut errors = ErrorList { of: Some(id), release, ..ErrorList::new(found, root) };
        check_rows(rows, id, at, &mut errors);
    }
}

/// A warning of the API server, which accepts the object.
#[derive(Debug)]
pub struct Warning {
    /// The position of the key or the value.
    pub span: Span,
    /// The server's words.
    pub message: String,
}

/// The warnings about an object. `pod` is where its pod or its pod template is, if it has one: empty if it is a pod. Versions of
/// kinds are in `kinds/lifecycle.rs`, and variables that are set twice are a rule of `check`.
pub fn warnings(
    api_version: &str,
    kind: &str,
    object: &Node,
    pod: Option<&str>,
    release: Release,
) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut add = |FieldError { span, detail: message, .. }| found.push(Warning { span, message });
    let mut errors = ErrorList { release, ..ErrorList::new(&mut add, object) };
    let mut check = |id: Option<TypeId>, at: &At<'_, '_>| {
        let spec = id.and_then(|id| id.get().field("spec")).and_then(|field| match field.shape {
            Shape::Struct(id) => Some((id, at.get("spec"))),
            _ => None,
        });
        for (id, at) in id.map(|id| (id, *at)).into_iter().chain(spec) {
            errors.of = Some(id);
            check_rows(table::WARNINGS.rows(id), id, &at, &mut errors);
        }
    };
    let start = At::start(object);
    check(TypeId::of_kind(api_version, kind), &start);
    if let Some(path) = pod.filter(|path| !path.is_empty()) {
        below(&start, path, &mut |template| check(TypeId::of_kind("v1", "Pod"), template));
    }
    found
}

/// Calls `found` with the value at a path of fields.
fn below<'t>(at: &At<'_, 't>, path: &str, found: &mut dyn FnMut(&At<'_, 't>)) {
    match path.split_once('.') {
        Some((field, rest)) => below(&at.get(field), rest, found),
        None => found(&at.get(path)),
    }
}

fn check_rows(rows: &[Row], id: TypeId, owner: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    for row in rows {
        each((owner, &row.path), row.is_of_values, None, &mut |at, item| {
            for rule in &row.rules {
                let holds = |condition: &Condition| {
                    let start = match condition.place {
                        Start::Type => owner.node,
                        Start::Item => item.unwrap_or(owner.node),
                        Start::Object => errors.root,
                    };
                    holds(&condition.test, start.at(condition.path).unwrap_or(&NULL))
                };
                let is_met = rule.releases.contains(&errors.release)
                    && rule.conditions.iter().all(holds)
                    && (rule.exceptions.is_empty() || !rule.exceptions.iter().all(holds));
                if is_met {
                    check_rule(id, row, rule, owner, at, errors);
                }
            }
        });
    }
}

/// Calls `found` with each value at the path, and with the item of the first list on the way; `is_of_values` leaves out a value
/// that is missing or null.
fn each<'t>(
    (at, path): (&At<'_, 't>, &[Seg]),
    is_of_values: bool,
    item: Option<&'t Node>,
    found: &mut dyn FnMut(&At<'_, 't>, Option<&'t Node>),
) {
    let [seg, rest @ ..] = path else { return found(at, item) };
    let child = at.get(seg.name);
    if !child.is_set() && (is_of_values || path.iter().any(|seg| seg.each)) {
        return;
    }
    let child = child.called(seg.shown);
    if seg.each {
        child.items().for_each(|at| each((&at, rest), is_of_values, item.or(Some(at.node)), found));
    } else {
        each((&child, rest), is_of_values, item, found);
    }
}

fn holds(test: &Test, node: &Node) -> bool {
    let at = At::start(node);
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
    errors: &mut ErrorList<'_>,
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
                errors.required(at, rule.message.unwrap_or_default());
            }
        }
        Verb::Warn { presence, separator } if presence.holds(at) => {
            errors.warn(at, format!("{at}{separator}{}", rule.message.unwrap_or_default()));
        }
        Verb::NotEmpty if at.is_set() && at.is_zero() => {
            errors.required(at, rule.message.unwrap_or_default())
        }
        Verb::NotBlank if at.node.as_str().is_some_and(|text| text.trim().is_empty()) => {
            errors.required(at, rule.message.unwrap_or_default());
        }
        Verb::Single if at.len() != 1 => errors.required(at, rule.message.unwrap_or_default()),
        Verb::FieldError(reason, presence) if presence.holds(at) => {
            errors.add(at, *reason, words(rule.forbids()));
        }
        Verb::In { values, empty, old } => {
            let Some(text) = at.node.as_str().filter(|text| *empty || !text.is_empty()) else { return };
            if !values.contains(&text) {
                if *old {
                    errors.invalid(at, format!("must be one of {}", values.join(", ")));
                } else {
                    errors.unsupported(at, values);
                }
            }
        }
        Verb::Range(low, high) => {
            let Some(number) = at.int() else { return };
            if number < *low || number > *high {
                errors.invalid(at, words(range(*low, *high)));
            }
        }
        Verb::MaxLength(most) if at.text().len() > *most => {
            errors.add(at, Reason::TooLong, format!("may not be more than {most} bytes"));
        }
        Verb::MaxItems(most) if at.len() > *most => match rule.message {
            Some(what) => errors.invalid(at, format!("must not have more than {most} {what}")),
            None => errors.add(at, Reason::TooMany, format!("{}: must have at most {most} items", at.len())),
        },
        // Other versions of the API may not have all fields.
        Verb::OneOf { fields, .. } | Verb::SomeOf(fields) if row.path.is_empty() && !has_all(id, fields) => {}
        Verb::Unique { keys, at_item } => unique(at, keys, *at_item, rule.message, errors),
        Verb::OneOf { fields, at_type } => one_of(at, fields, *at_type, errors),
        Verb::SomeOf(fields) if fields.iter().all(|field| at.get(field).is_zero()) => {
            errors.required(at, &format!("must specify one of: {}", listed(fields)));
        }
        Verb::Is(Format::Text(messages), presence)
            if presence.holds(at) && (at.node.as_str().is_some() || *presence == Presence::Always) =>
        {
            errors.all_invalid(at, messages(at.text()));
        }
        Verb::Is(Format::Value(check), _) => check(at, errors),
        Verb::Call(function) => function(at, errors),
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

fn listed(fields: &[&str]) -> String {
    fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ")
}

fn unique(
    at: &At<'_, '_>,
    keys: &[&str],
    at_item: bool,
    words: Option<&'static str>,
    errors: &mut ErrorList<'_>,
) {
    if at.len() < 2 {
        return;
    }
    let mut seen: HashSet<Vec<&Node>> = HashSet::with_capacity(at.len());
    for item in at.items() {
        let values: Vec<&Node> = match keys {
            [] => vec![item.node],
            keys => keys.iter().map(|key| item.node.get(key).unwrap_or(&NULL)).collect(),
        };
        // A missing name is an error of its own, or allowed.
        if keys.len() == 1 && (values[0].is_null() || values[0].as_str() == Some("")) {
            continue;
        }
        if !seen.insert(values) {
            let field = keys.first().filter(|_| !at_item).map(|key| item.get(key));
            let place = field.as_ref().unwrap_or(&item);
            match words {
                Some(words) => errors.invalid(place, words),
                None => errors.duplicate(place),
            }
        }
    }
}

fn one_of(at: &At<'_, '_>, fields: &[&str], at_type: bool, errors: &mut ErrorList<'_>) {
    let mut set =
        fields.iter().map(|field| at.get(field)).filter(|field| field.is_set() && !is_empty_text(field));
    let words = || format!("must specify one of: {}", listed(fields));
    match (set.next(), set.next()) {
        (None, _) if at_type => errors.add(at, Reason::Lacking, words()),
        (None, _) => errors.required(at, &words()),
        (Some(_), None) => {}
        (Some(_), Some(_)) if at_type => {
            errors.invalid(at, "may not have more than one field specified at a time")
        }
        (Some(_), Some(second)) => errors.forbidden(&second, "may not specify more than one of them"),
    }
}

fn is_empty_text(at: &At<'_, '_>) -> bool {
    at.node.as_str().is_some_and(str::is_empty)
}
