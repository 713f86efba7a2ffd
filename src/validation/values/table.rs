//! Reads the tables of [`rules`](crate::kinds::rules), once.

use std::ops::Range;
use std::sync::LazyLock;

use super::{Function, formats, function};
use crate::kinds::fields::TypeId;
use crate::kinds::release::Release;
use crate::kinds::rules::TABLES;
use crate::text::hash::HashMap;

/// The rules of one field of a type.
pub(super) struct Row {
    /// The path of the field; empty for the type itself.
    pub path: Vec<Seg>,
    pub rules: Vec<Rule>,
}

/// A part of a path.
pub(super) struct Seg {
    /// The name of the field.
    pub name: &'static str,
    /// Whether each item of its list is meant.
    pub each: bool,
}

pub(super) struct Rule {
    pub verb: Verb,
    /// The releases that have it.
    pub releases: Range<Release>,
    pub condition: Option<Condition>,
    /// The message, if it is not that of the rule.
    pub message: Option<&'static str>,
}

/// The value of another field, on which a rule depends.
pub(super) struct Condition {
    pub path: &'static str,
    /// Empty for a field that is not set.
    pub values: Vec<&'static str>,
    /// Whether the rule holds for all other values.
    pub negated: bool,
}

impl Condition {
    pub(super) fn words(&self) -> String {
        let values: Vec<String> =
            self.values.iter().filter(|value| !value.is_empty()).map(|value| format!("'{value}'")).collect();
        let only = if self.negated { "may only be set" } else { "may not be set" };
        format!("{only} when `{}` is {}", self.path, values.join(" or "))
    }
}

/// A word of the vocabulary, which `kinds/rules/mod.rs` explains.
pub(super) enum Verb {
    Required { within: bool, map: bool },
    NotEmpty,
    Forbidden,
    In { values: Vec<&'static str>, pointer: bool, old: bool },
    Range(i64, i64),
    MaxLength(usize),
    MaxItems(usize),
    Unique { keys: Vec<&'static str>, at_item: bool },
    OneOf { fields: Vec<&'static str>, at_type: bool },
    SomeOf(Vec<&'static str>),
    Conflicts(&'static str),
    Needs(&'static str),
    Is(Function),
    Call(Function),
}

/// The rows of a type; `None` if it has none. Rows about fields that its version of the API lacks are left out.
pub(super) fn rows(id: TypeId) -> Option<&'static [&'static Row]> {
    static ROWS: LazyLock<HashMap<TypeId, Vec<&'static Row>>> = LazyLock::new(|| {
        let by_name = read();
        let of = |id: TypeId| {
            let blocks = by_name.get(&(id.get().group(), id.get().name))?;
            let has = |row: &&Row| row.path.first().is_none_or(|seg| id.get().field(seg.name).is_some());
            Some((id, blocks.iter().copied().flatten().filter(has).collect()))
        };
        TypeId::all().filter_map(of).collect()
    });
    ROWS.get(&id).map(Vec::as_slice)
}

/// The rows below one line of types.
type Block = &'static [Row];

/// The blocks by package, without its version, and name of the type. They are kept for as long as the program runs.
fn read() -> HashMap<(&'static str, &'static str), Vec<Block>> {
    let mut types: HashMap<(&'static str, &'static str), Vec<Block>> = HashMap::default();
    let lines = TABLES.iter().flat_map(|table| table.lines());
    let lines: Vec<&'static str> = lines.filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
        let [names, rows @ ..] = block else { continue };
        let rows: Block = rows.iter().flat_map(|row| read_rows(row.trim_start())).collect::<Vec<_>>().leak();
        for name in names.split(' ') {
            let name = name.split_once('.').expect("impossible: the tables have PACKAGE.TYPE");
            types.entry(name).or_default().push(rows);
        }
    }
    types
}

fn read_rows(row: &'static str) -> Vec<Row> {
    let (paths, rules) = row.split_once(": ").expect("impossible: a row has PATHS: RULES");
    let rules = || rules.split("; ").map(read_rule).collect();
    paths.split(' ').map(|path| Row { path: read_path(path), rules: rules() }).collect()
}

fn read_path(path: &'static str) -> Vec<Seg> {
    let names = path.split('.').filter(|name| !name.is_empty());
    names.map(|name| Seg { name: name.trim_end_matches("[]"), each: name.ends_with("[]") }).collect()
}

fn read_rule(text: &'static str) -> Rule {
    let (text, message) = text.split_once(" -- ").map_or((text, None), |(text, words)| (text, Some(words)));
    let condition = |(text, condition): (&'static str, &'static str), negated| {
        let (path, values) = condition.split_once('=').expect("impossible: a condition has FIELD=VALUE");
        (text, Some(Condition { path, values: values.split('|').collect(), negated }))
    };
    let (text, condition) = match (text.split_once(" if "), text.split_once(" unless ")) {
        (Some(parts), _) => condition(parts, false),
        (None, Some(parts)) => condition(parts, true),
        (None, None) => (text, None),
    };
    let release = |text: &str| text.parse().expect("impossible: the tables have releases");
    let (text, releases) = match (text.split_once(" since "), text.split_once(" before ")) {
        (Some((text, first)), _) => (text, release(first)..Release::NEVER),
        (None, Some((text, end))) => (text, Release::OLDEST..release(end)),
        (None, None) => (text, Release::OLDEST..Release::NEVER),
    };
    Rule { verb: read_verb(text), releases, condition, message }
}

fn read_verb(text: &'static str) -> Verb {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let split = || {
        let separator = if rest.contains('|') { '|' } else { ' ' };
        rest.split(separator).collect::<Vec<_>>()
    };
    let number = |text: &str| text.parse().expect("impossible: the tables have numbers");
    let keys = || rest.split(',').filter(|key| !key.is_empty()).collect();
    match verb {
        "required" | "required-within" | "required-map" => {
            Verb::Required { within: verb == "required-within", map: verb == "required-map" }
        }
        "not-empty" => Verb::NotEmpty,
        "forbidden" => Verb::Forbidden,
        "in" | "in*" | "in-value" => {
            Verb::In { values: split(), pointer: verb == "in*", old: verb == "in-value" }
        }
        "min" => Verb::Range(number(rest), i64::MAX),
        "range" => match rest.split_once(' ') {
            Some((low, high)) => Verb::Range(number(low), number(high)),
            None => panic!("impossible: a range has two ends: {text}"),
        },
        "max-length" => Verb::MaxLength(rest.parse().expect("impossible: the tables have numbers")),
        "max-items" => Verb::MaxItems(rest.parse().expect("impossible: the tables have numbers")),
        "unique" => Verb::Unique { keys: keys(), at_item: false },
        "unique-item" => Verb::Unique { keys: keys(), at_item: true },
        "one-of" => Verb::OneOf { fields: split(), at_type: false },
        "exactly-one" => Verb::OneOf { fields: split(), at_type: true },
        "some-of" => Verb::SomeOf(split()),
        "conflicts" => Verb::Conflicts(rest),
        "needs" => Verb::Needs(rest),
        "is" => {
            Verb::Is(formats::find(rest).unwrap_or_else(|| panic!("impossible: the format {rest} exists")))
        }
        "fn" => {
            Verb::Call(function(rest).unwrap_or_else(|| panic!("impossible: the function {rest} exists")))
        }
        _ => panic!("impossible: the rule {text} exists"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::fields::Shape;

    /// Whether the type has the field at the path.
    fn has(id: TypeId, path: &[Seg]) -> bool {
        let [seg, rest @ ..] = path else { return true };
        id.get().field(seg.name).is_some_and(|field| match field.shape.innermost() {
            Shape::Struct(id) => has(*id, rest),
            _ => rest.is_empty(),
        })
    }

    #[test]
    fn each_row_is_about_a_type_and_a_field_that_exist() {
        // Several types may share rows, of which one may lack a field.
        let mut found: HashMap<*const Row, (bool, String)> = HashMap::default();
        for ((package, name), blocks) in read() {
            let types: Vec<TypeId> =
                TypeId::all().filter(|id| (id.get().group(), id.get().name) == (package, name)).collect();
            assert!(!types.is_empty(), "{package}.{name}");
            for row in blocks.iter().copied().flatten() {
                let path: Vec<&str> = row.path.iter().map(|seg| seg.name).collect();
                let title = format!("{package}.{name} {}", path.join("."));
                let entry = found.entry(std::ptr::from_ref(row)).or_insert((false, title));
                entry.0 |= types.iter().any(|id| has(*id, &row.path));
            }
        }
        let missing: Vec<&String> = found.values().filter(|(has, _)| !has).map(|(_, title)| title).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
