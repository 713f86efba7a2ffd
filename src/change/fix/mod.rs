//! The edit of `check --fix`: what is wrong with an object and has one right answer.
//!
//! Problems are data of `validation`, with what is meant instead; versions that ended are those of `versions`. What a change
//! makes of an object is validated again: it is kept only if fewer problems remain and none is new. Nothing is guessed.

mod versions;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kinds::catalog::Catalog;
use kinds::conversion;
use kinds::fields::Scalar;
use manifest::object::Object;
use syntax::error::Error;
use syntax::head::Head;
use syntax::tree::{Entry, Node, Span, Value};
use syntax::yaml;
use validation::{Correction, Unplaced, Violation};

use super::object::{Done, Edit, Origin};
use edit::refusal::Refused;

/// The problems that are fixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixable {
    /// Versions that ended.
    pub versions: bool,
    /// Misspelt fields.
    pub fields: bool,
    /// Scalars of another type than that of their field.
    pub types: bool,
    /// Repeated keys with the same value.
    pub repetitions: bool,
}

impl Fixable {
    /// What is fixed by either.
    pub fn or(self, other: Self) -> Self {
        Self {
            versions: self.versions || other.versions,
            fields: self.fields || other.fields,
            types: self.types || other.types,
            repetitions: self.repetitions || other.repetitions,
        }
    }
}

/// The objects of a source that findings name alike, of which there is hardly more than one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId {
    /// The name of its source.
    pub source: Arc<str>,
    /// Its kind, in lowercase, and its name: `deployment/web`.
    pub name: String,
}

impl ObjectId {
    /// The objects of this kind, perhaps with its group, and with this name, which is empty if they have none. Both are empty for
    /// documents that cannot be read.
    pub fn new(source: &Arc<str>, kind: &str, name: &str) -> Self {
        let kind = kind.split('.').next().unwrap_or_default().to_lowercase();
        Self { source: Arc::clone(source), name: format!("{kind}/{name}") }
    }
}

/// What is fixed in which objects.
pub struct Fix<'c> {
    /// The kinds.
    pub catalog: &'c Catalog,
    /// What may be fixed in these objects if it only comes to light with another fix, such as in what a misspelt field contains.
    pub allowed: Fixable,
    /// The problems to fix.
    pub wanted: HashMap<ObjectId, Fixable>,
}

impl Fix<'_> {
    /// Whether anything of the object is to be fixed.
    pub fn wants(&self, object: &Object<'_>) -> bool {
        let Head { kind, name, .. } = *object.head;
        let source = &object.document.source.name;
        self.wanted.contains_key(&ObjectId::new(source, kind, name.unwrap_or_default()))
    }

    fn wanted(&self, origin: &Origin<'_>) -> Fixable {
        let id = ObjectId::new(origin.source, origin.kind, origin.name);
        self.wanted.get(&id).copied().unwrap_or_default()
    }
}

impl Edit for Fix<'_> {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        let wanted = self.wanted(&origin);
        let mut trial = Trial::of(object, origin, self);
        let release = self.catalog.release();
        if wanted.versions {
            trial.attempt(1, &|object, type_| versions::replace(object, type_, release));
        }
        if wanted.fields {
            trial.attempt(1, &|object, (version, kind)| {
                conversion::move_fields(object, version, kind, release);
            });
        }
        let corrections = trial.corrections(&trial.object, wanted);
        if !trial.attempt(corrections.len(), &|object, _| correct(object, &corrections, origin.text)) {
            for one in corrections.chunks(1).take(MAX_TRIALS) {
                trial.attempt(1, &|object, _| correct(object, one, origin.text));
            }
        }
        let Trial { object: fixed, made, .. } = trial;
        *object = fixed;
        Ok(Done { set: made, ..Done::default() })
    }

    fn message(&self, _: &Done) -> Option<String> {
        Some("fixed".to_owned())
    }

    /// A label that is not a string, or a name, makes of a document none of an object.
    fn mends(&self, error: &Error) -> bool {
        let id = ObjectId::new(&error.place.source, "", "");
        error.unquoted().is_some() && self.wanted.get(&id).is_some_and(|wanted| wanted.types)
    }

    fn removes_repetitions(&self, origin: &Origin<'_>) -> bool {
        self.wanted(origin).repetitions
    }
}

/// How many changes of an object are tried one by one if they cannot be made together.
const MAX_TRIALS: usize = 32;

/// How often what comes to light with a change is corrected.
const MAX_DEPTH: usize = 8;

/// An object on which changes are tried.
struct Trial<'c> {
    object: Node,
    fix: &'c Fix<'c>,
    api_version: &'c str,
    kind: String,
    /// The text that the spans of the object refer to.
    text: &'c [u8],
    /// The problems that are left.
    problems: Vec<String>,
    /// How many changes were made.
    made: usize,
}

impl<'c> Trial<'c> {
    fn of(object: &Node, Origin { api_version, kind, text, .. }: Origin<'c>, fix: &'c Fix<'c>) -> Self {
        // What is no object yet has no type beside its text.
        let own = object.get("kind").and_then(Node::as_str).unwrap_or_default();
        let kind = if kind.is_empty() { own } else { kind }.to_owned();
        let (object, problems) = (object.clone(), Vec::new());
        let mut trial = Self { object, fix, api_version, kind, text, problems, made: 0 };
        trial.problems = trial.problems(&trial.object);
        trial
    }

    /// What validation finds.
    fn refused(&self, object: &Node) -> Vec<Unplaced> {
        validation::problems(object, self.version(object), &self.kind, self.fix.catalog)
    }

    /// The version of an object, which may be that of its List.
    fn version<'n>(&'n self, object: &'n Node) -> &'n str {
        object.get("apiVersion").and_then(Node::as_str).unwrap_or(self.api_version)
    }

    fn problems(&self, object: &Node) -> Vec<String> {
        let release = self.fix.catalog.release();
        let ended = versions::ended(object, self.version(object), &self.kind, release);
        ended.into_iter().chain(self.refused(object).iter().map(|found| found.problem.to_string())).collect()
    }

    /// What is meant by keys and values of an object with these problems.
    fn corrections(&self, object: &Node, wanted: Fixable) -> Vec<Correct> {
        let correct = |Unplaced { span, correction, problem, .. }| {
            let meant = correction.filter(|meant| match meant {
                Correction::Key(_) => wanted.fields,
                Correction::Scalar(_) => wanted.types,
            });
            // What is not in the text has no place in it.
            Some(Correct { span, problem, meant: meant? }).filter(|_| span.start < span.end)
        };
        self.refused(object).into_iter().filter_map(correct).collect()
    }

    /// Makes a change of an object with this version and kind, or so many changes, unless no fewer problems remain or one is
    /// new. Returns whether it is made.
    fn attempt(&mut self, mut made: usize, change: &dyn Fn(&mut Node, (&str, &str))) -> bool {
        let mut changed = self.object.clone();
        change(&mut changed, (self.version(&self.object), &self.kind));
        let known: HashSet<&str> = self.problems.iter().map(String::as_str).collect();
        for _ in 0..MAX_DEPTH {
            let mut new = self.corrections(&changed, self.fix.allowed);
            new.retain(|one| !known.contains(&*one.problem.to_string()));
            if new.is_empty() {
                break;
            }
            correct(&mut changed, &new, self.text);
            made += new.len();
        }
        let problems = self.problems(&changed);
        let is_better =
            problems.len() < self.problems.len() && problems.iter().all(|left| known.contains(&**left));
        if is_better {
            self.made += made;
            (self.object, self.problems) = (changed, problems);
        }
        is_better
    }
}

/// A key or a value that is corrected.
struct Correct {
    span: Span,
    problem: Violation,
    meant: Correction,
}

/// Corrects the keys of an object, their values, and elements of lists, where these corrections say.
fn correct(object: &mut Node, corrections: &[Correct], text: &[u8]) {
    let at = corrections.iter().rev().map(|one| (one.span, one)).collect();
    correct_at(object, &at, text);
}

fn correct_at(node: &mut Node, corrections: &HashMap<Span, &Correct>, text: &[u8]) {
    match &mut node.value {
        Value::Map(map) => {
            let found = |entry: &Entry| Some((entry.key.clone(), &corrections.get(&entry.key_span)?.meant));
            for (key, meant) in map.iter().filter_map(found).collect::<Vec<_>>() {
                match meant {
                    Correction::Key(meant) => _ = map.rename(&key, meant.as_str()),
                    Correction::Scalar(scalar) => {
                        map.get_mut(&key).into_iter().for_each(|value| rewrite(value, *scalar, text));
                    }
                }
            }
            map.values_mut().for_each(|value| correct_at(value, corrections, text));
        }
        Value::Seq(elements) => {
            for element in elements {
                match corrections.get(&element.span).map(|one| &one.meant) {
                    Some(Correction::Scalar(scalar)) => rewrite(element, *scalar, text),
                    _ => correct_at(element, corrections, text),
                }
            }
        }
        _ => (),
    }
}

/// Makes a scalar one of this type if only its quotes are wrong: a string that is written as a number or a boolean is, and the
/// other way round, what is written.
fn rewrite(node: &mut Node, scalar: Scalar, text: &[u8]) {
    let read = |text: &[u8]| yaml::parse(text).ok().flatten().map(|read| read.root.value);
    let value = match (scalar, &node.value) {
        (Scalar::String, Value::Bool(_) | Value::Int(_) | Value::Float(_)) => {
            let written = text.get(node.span.start..node.span.end).unwrap_or_default();
            let is_written = read(written).is_some_and(|value| value == node.value);
            std::str::from_utf8(written).ok().filter(|_| is_written).map(|text| Value::String(text.into()))
        }
        (Scalar::Bool, Value::String(text)) => text.parse().ok().map(Value::Bool),
        // No other notation is certainly the number that it looks like.
        (Scalar::Int32 | Scalar::Int64, Value::String(text)) => {
            text.parse().ok().filter(|number: &i64| number.to_string() == **text).map(Value::Int)
        }
        (Scalar::Number, Value::String(text)) => match read(text.as_bytes()) {
            Some(Value::Int(number)) if number.to_string() == **text => Some(Value::Int(number)),
            Some(Value::Float(number)) if number.to_string() == **text => Some(Value::Float(number)),
            _ => None,
        },
        _ => None,
    };
    node.value = value.unwrap_or(std::mem::replace(&mut node.value, Value::Null));
}
