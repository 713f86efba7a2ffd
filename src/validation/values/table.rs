//! Reads the tables of [`rules`](kinds::rules), once.

use std::ops::Range;
use std::sync::LazyLock;

use super::field_error::{Function, Reason};
use super::formats;
use super::formats::Format;
use super::functions::function;
use crate::at::At;
use kinds::fields::{PerType, TypeId};
use kinds::release::Release;
use kinds::rules;
use text::hash::HashMap;
use text::table;

/// The rules of one field of a type.
pub(super) struct Row {
    /// The path of the field; empty for the type itself.
    pub path: Vec<Seg>,
    pub rules: Vec<Rule>,
    /// Whether no rule says anything about a field that is missing or null, as most fields of most objects are.
    pub is_of_values: bool,
}

/// A part of a path.
#[derive(Clone)]
pub(super) struct Seg {
    /// The name of the field.
    pub name: &'static str,
    /// Its name in messages.
    pub shown: &'static str,
    /// Whether each item of its list is meant.
    pub each: bool,
}

pub(super) struct Rule {
    pub verb: Verb,
    /// The releases that have it.
    pub releases: Range<Release>,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// What must not hold at the same time; empty for nothing.
    pub exceptions: Vec<Condition>,
    /// The message, if it is not that of the rule.
    pub message: Option<&'static str>,
}

impl Rule {
    /// The message about a field that may not be set: on which value of another one that depends.
    pub(super) fn forbids(&self) -> String {
        let words = |only: &str, path: &str, values: &[&str]| {
            let values = values.iter().filter(|value| !value.is_empty());
            let values: Vec<String> = values.map(|value| format!("'{value}'")).collect();
            format!("{only} when `{path}` is {}", values.join(" or "))
        };
        match (&self.conditions[..], &self.exceptions[..]) {
            ([Condition { path, test: Test::IsOneOf(values), .. }], []) => {
                words("may not be set", path, values)
            }
            ([], [Condition { path, test: Test::IsOneOf(values), .. }]) => {
                words("may only be set", path, values)
            }
            _ => String::new(),
        }
    }
}

/// What a rule requires of another field.
pub(super) struct Condition {
    pub place: Start,
    /// Its path from there.
    pub path: &'static str,
    pub test: Test,
}

/// Where the path of a condition starts.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// At the type.
    Type,
    /// At the item of the first list in the path of the row.
    Item,
    /// At the object.
    Object,
}

pub(super) enum Test {
    /// It has one of these values; empty for a field that is not set.
    IsOneOf(Vec<&'static str>),
    Is(Presence),
    IsNot(Presence),
}

/// When a field counts as present.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// If it is neither null nor empty, zero or false.
    NotEmpty,
    /// If it is not null.
    Set,
    /// Whatever it is.
    Always,
}

impl Presence {
    /// A word of the tables without its suffix, and what this says.
    fn read(word: &str) -> (&str, Self) {
        match word.as_bytes().last() {
            Some(b'*') => (&word[..word.len() - 1], Self::Set),
            Some(b'!') => (&word[..word.len() - 1], Self::Always),
            _ => (word, Self::NotEmpty),
        }
    }

    pub(super) fn holds(self, at: &At<'_, '_>) -> bool {
        match self {
            Self::NotEmpty => !at.is_zero(),
            Self::Set => at.is_set(),
            Self::Always => true,
        }
    }
}

/// A word of the vocabulary, which `kinds/rules/mod.rs` explains.
pub(super) enum Verb {
    Required {
        unless: Presence,
        within: bool,
        map: bool,
    },
    FieldError(Reason, Presence),
    /// A warning, which begins with the path and the separator.
    Warn {
        presence: Presence,
        separator: &'static str,
    },
    NotEmpty,
    NotBlank,
    Single,
    In {
        values: Vec<&'static str>,
        empty: bool,
        old: bool,
    },
    Range(i64, i64),
    MaxLength(usize),
    MaxItems(usize),
    Unique {
        keys: Vec<&'static str>,
        at_item: bool,
    },
    OneOf {
        fields: Vec<&'static str>,
        at_type: bool,
    },
    SomeOf(Vec<&'static str>),
    /// A text of this format.
    Is(Format, Presence),
    Call(Function),
}

impl Verb {
    /// Whether it says nothing about a field that is missing or null.
    fn is_of_values(&self) -> bool {
        match self {
            Self::NotEmpty
            | Self::NotBlank
            | Self::In { .. }
            | Self::Range(..)
            | Self::MaxLength(_)
            | Self::MaxItems(_)
            | Self::Unique { .. } => true,
            Self::FieldError(_, presence)
            | Self::Warn { presence, .. }
            | Self::Is(Format::Text(_), presence) => *presence != Presence::Always,
            Self::Required { .. }
            | Self::Single
            | Self::OneOf { .. }
            | Self::SomeOf(_)
            | Self::Is(Format::Value(_), _)
            | Self::Call(_) => false,
        }
    }
}

/// Rows that are read for each type when it is first asked for.
pub(super) struct Tables {
    blocks: LazyLock<HashMap<TypeName, Vec<Block>>>,
    rows: LazyLock<PerType<Vec<Row>>>,
}

/// What the API server refuses.
pub(super) static RULES: Tables = Tables::new(|| blocks(&rules::TABLES));
/// What it warns of.
pub(super) static WARNINGS: Tables = Tables::new(|| blocks(&[rules::WARNINGS]));

impl Tables {
    const fn new(blocks: fn() -> HashMap<TypeName, Vec<Block>>) -> Self {
        Self { blocks: LazyLock::new(blocks), rows: LazyLock::new(PerType::default) }
    }

    /// The rows of a type. Rows about fields that its version of the API lacks are left out.
    pub(super) fn rows(&self, id: TypeId) -> &[Row] {
        self.rows.of(id, || {
            let of = id.get();
            let has = |row: &Row| row.path.first().is_none_or(|seg| of.field(seg.name).is_some());
            let lines = self.blocks.get(&(of.group(), of.name)).into_iter().flatten().copied().flatten();
            lines.flat_map(|line| read_rows(line)).filter(has).collect()
        })
    }
}

/// The package of a type, without its version, and its name.
type TypeName = (&'static str, &'static str);

/// The lines below one line of types.
type Block = &'static [&'static str];

/// The blocks of each type, which are kept for as long as the program runs.
fn blocks(tables: &[&'static str]) -> HashMap<TypeName, Vec<Block>> {
    let mut types: HashMap<TypeName, Vec<Block>> = HashMap::default();
    let lines: Block = tables.iter().flat_map(|text| table::lines(text)).collect::<Vec<_>>().leak();
    for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
        let [names, rows @ ..] = block else { continue };
        for name in names.split(' ') {
            let name = name.split_once('.').expect("impossible: the tables have PACKAGE.TYPE");
            types.entry(name).or_default().push(rows);
        }
    }
    types
}

fn read_rows(row: &'static str) -> Vec<Row> {
    let (paths, rules) = row.trim_start().split_once(": ").expect("impossible: a row has PATHS: RULES");
    let rules = || rules.split("; ").map(read_rule);
    let row = |path| {
        let rules: Vec<Rule> = rules().collect();
        let is_of_values = rules.iter().all(|rule| rule.verb.is_of_values());
        Row { path, rules, is_of_values }
    };
    paths.split(' ').flat_map(read_paths).map(row).collect()
}

/// The paths that a text such as `a|b.c[]` stands for.
fn read_paths(text: &'static str) -> Vec<Vec<Seg>> {
    let names = text.split('.').filter(|name| !name.is_empty());
    names.fold(vec![Vec::new()], |paths, names| {
        let (names, each) = names.strip_suffix("[]").map_or((names, false), |names| (names, true));
        let seg = |name: &'static str| {
            let (name, shown) = name.split_once('@').unwrap_or((name, name));
            Seg { name, shown, each }
        };
        let with = |path: &Vec<Seg>| {
            let path = path.clone();
            names.split('|').map(move |name| [&path[..], &[seg(name)]].concat()).collect::<Vec<_>>()
        };
        paths.iter().flat_map(with).collect()
    })
}

fn read_rule(text: &'static str) -> Rule {
    let (text, message) = text.split_once(" -- ").map_or((text, None), |(text, words)| (text, Some(words)));
    let conditions = |text: &'static str, word: &str| {
        let (text, conditions) = text.split_once(word).map_or((text, None), |(text, all)| (text, Some(all)));
        (text, conditions.into_iter().flat_map(|all| all.split(" and ")).map(read_condition).collect())
    };
    let (text, exceptions) = conditions(text, " unless ");
    let (text, conditions) = conditions(text, " if ");
    let release = |text: &str| text.parse().expect("impossible: the tables have releases");
    let (text, releases) = match (text.split_once(" since "), text.split_once(" before ")) {
        (Some((text, first)), _) => (text, release(first)..Release::NEVER),
        (None, Some((text, end))) => (text, Release::OLDEST..release(end)),
        (None, None) => (text, Release::OLDEST..Release::NEVER),
    };
    Rule { verb: read_verb(text), releases, conditions, exceptions, message }
}

fn read_condition(text: &'static str) -> Condition {
    let (path, test) = match text.split_once('=') {
        Some((path, values)) => (path, Test::IsOneOf(values.split('|').collect())),
        None => {
            let (path, is_not) = text.strip_prefix('!').map_or((text, false), |path| (path, true));
            let (path, presence) = Presence::read(path);
            (path, if is_not { Test::IsNot(presence) } else { Test::Is(presence) })
        }
    };
    let (place, path) = match path.as_bytes().first() {
        Some(b'.') => (Start::Item, &path[1..]),
        Some(b'/') => (Start::Object, &path[1..]),
        _ => (Start::Type, path),
    };
    Condition { place, path, test }
}

fn read_verb(text: &'static str) -> Verb {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let split = || {
        let separator = if rest.contains('|') { '|' } else { ' ' };
        rest.split(separator).collect::<Vec<_>>()
    };
    let number = |text: &str| text.parse().expect("impossible: the tables have numbers");
    let keys = || rest.split(',').filter(|key| !key.is_empty()).collect();
    let (verb, presence) = Presence::read(verb);
    match verb {
        "required" | "required-within" | "required-map" => {
            let (within, map) = (verb == "required-within", verb == "required-map");
            Verb::Required { unless: presence, within, map }
        }
        "warn" => Verb::Warn { presence, separator: ": " },
        "warn-that" => Verb::Warn { presence, separator: " " },
        "not-empty" => Verb::NotEmpty,
        "not-blank" => Verb::NotBlank,
        "single" => Verb::Single,
        "forbidden" => Verb::FieldError(Reason::Forbidden, presence),
        "invalid" => Verb::FieldError(Reason::Invalid, presence),
        "lacking" => Verb::FieldError(Reason::Lacking, presence),
        "in" | "in-value" => {
            Verb::In { values: split(), empty: presence == Presence::Set, old: verb == "in-value" }
        }
        "min" => Verb::Range(number(rest), i64::MAX),
        "max" => Verb::Range(i64::MIN, number(rest)),
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
        "is" => {
            let (name, presence) = Presence::read(rest);
            let format =
                formats::find(name).unwrap_or_else(|| panic!("impossible: the format {name} exists"));
            Verb::Is(format, presence)
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
    use kinds::fields::Shape;

    /// Whether the type has the field at the path.
    fn has(id: TypeId, path: &[Seg]) -> bool {
        let [seg, rest @ ..] = path else { return true };
        id.get().field(seg.name).is_some_and(|field| match field.shape.innermost() {
            Shape::Struct(id) => has(*id, rest),
            _ => rest.is_empty(),
        })
    }

    #[test]
    fn a_row_is_read_with_its_paths_conditions_and_exceptions() {
        let [row, other] = &read_rows("a|b[].c@d: invalid* if x=1| and !.y unless /z* -- words")[..] else {
            panic!("two rows")
        };
        let seg = |seg: &Seg| (seg.name, seg.shown, seg.each);
        assert_eq!(row.path.iter().map(seg).collect::<Vec<_>>(), [("a", "a", true), ("c", "d", false)]);
        assert_eq!(seg(&other.path[0]), ("b", "b", true));
        let [rule] = &row.rules[..] else { panic!("one rule") };
        assert!(matches!(rule.verb, Verb::FieldError(Reason::Invalid, Presence::Set)));
        assert_eq!(rule.message, Some("words"));
        let [x, y] = &rule.conditions[..] else { panic!("two conditions") };
        assert!(matches!((x.place, x.path), (Start::Type, "x")));
        assert!(matches!(&x.test, Test::IsOneOf(values) if values == &["1", ""]));
        assert!(matches!((y.place, y.path, &y.test), (Start::Item, "y", Test::IsNot(Presence::NotEmpty))));
        let [z] = &rule.exceptions[..] else { panic!("one exception") };
        assert!(matches!((z.place, z.path, &z.test), (Start::Object, "z", Test::Is(Presence::Set))));
    }

    #[test]
    fn each_row_is_about_a_type_and_fields_that_exist() {
        // Several types may share rows, of which one may lack a field.
        let mut found: HashMap<(*const u8, Vec<String>), (bool, String)> = HashMap::default();
        for ((package, name), blocks) in blocks(&[&rules::TABLES[..], &[rules::WARNINGS]].concat()) {
            let types: Vec<TypeId> =
                TypeId::all().filter(|id| (id.get().group(), id.get().name) == (package, name)).collect();
            assert!(!types.is_empty(), "{package}.{name}");
            let lines = blocks.iter().copied().flatten();
            for (line, row) in lines.flat_map(|line| read_rows(line).into_iter().map(move |row| (line, row)))
            {
                let list = row.path.iter().position(|seg| seg.each).map_or(0, |list| list + 1);
                let rules = row.rules.iter().flat_map(|rule| rule.conditions.iter().chain(&rule.exceptions));
                let paths = rules.filter_map(|condition| match condition.place {
                    Start::Type => Some(read_paths(condition.path).concat()),
                    Start::Item => Some([&row.path[..list], &read_paths(condition.path).concat()].concat()),
                    Start::Object => None,
                });
                for path in paths.chain([row.path.clone()]) {
                    let names: Vec<String> = path.iter().map(|seg| seg.name.to_owned()).collect();
                    let title = format!("{package}.{name} {}", names.join("."));
                    let entry = found.entry((line.as_ptr(), names)).or_insert((false, title));
                    entry.0 |= types.iter().any(|id| has(*id, &path));
                }
            }
        }
        let missing: Vec<&String> = found.values().filter(|(has, _)| !has).map(|(_, title)| title).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
