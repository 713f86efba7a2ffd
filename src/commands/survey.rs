//! Why nothing was selected: how many objects were read, how many of them are of what was asked for, and which label or
//! field no object has, with the nearest one that there is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::catalog::Catalog;
use crate::catalog::grammar::Request;
use crate::catalog::object::ObjectLabels;
use crate::kinds::fields;
use crate::manifest::list::Object;
use crate::selection::{Selection, Slot};
use crate::selector::labels::Selector;
use crate::selector::{Operator, Requirement};
use crate::text::spelling::alike;

/// How many label keys of a block are kept to suggest from.
const MAX_KEYS: usize = 1000;

/// Looks at objects for as long as none is selected, on any thread.
#[derive(Default)]
pub struct Survey {
    /// Whether an object was selected: then nothing more has to be known.
    is_over: AtomicBool,
    /// The labels that objects must have.
    labels: Vec<Asked>,
}

/// A label that objects must have.
struct Asked {
    key: String,
    /// The values that it may have; empty for any.
    values: Vec<String>,
    /// Whether an object has the key, and whether one has it with such a value.
    has_key: AtomicBool,
    has_value: AtomicBool,
}

/// What the objects of a block are.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// How many objects there are.
    pub objects: usize,
    /// How many are of the types, names and namespaces that were asked for.
    candidates: usize,
    /// The label keys they have, unless each key that was asked for was met.
    keys: BTreeSet<String>,
    /// The values of the keys that were asked for, by the number of the label, unless one of those asked for was met.
    values: BTreeMap<usize, BTreeSet<String>>,
}

impl Surveyed {
    /// Adds what another block has.
    pub fn add(&mut self, other: Self) {
        self.objects += other.objects;
        self.candidates += other.candidates;
        let room = MAX_KEYS.saturating_sub(self.keys.len());
        self.keys.extend(other.keys.into_iter().take(room));
        for (number, values) in other.values {
            let known = self.values.entry(number).or_default();
            let room = MAX_KEYS.saturating_sub(known.len());
            known.extend(values.into_iter().take(room));
        }
    }
}

impl Survey {
    /// A survey of the objects that `selection` is asked about.
    pub fn new(selection: &Selection) -> Self {
        let requirements = selection.labels.iter().flat_map(Selector::requirements);
        let needs_key = |operator: Operator| match operator {
            Operator::In
            | Operator::Equals
            | Operator::DoubleEquals
            | Operator::Exists
            | Operator::GreaterThan
            | Operator::LessThan => true,
            Operator::NotIn | Operator::NotEquals | Operator::DoesNotExist => false,
        };
        let labels = requirements.filter(|requirement| needs_key(requirement.operator()));
        let asked = |requirement: &Requirement| Asked {
            key: requirement.key().to_owned(),
            values: match requirement.operator() {
                Operator::GreaterThan | Operator::LessThan => Vec::new(),
                _ => requirement.values().to_vec(),
            },
            has_key: AtomicBool::new(false),
            has_value: AtomicBool::new(false),
        };
        Self { is_over: AtomicBool::new(false), labels: labels.map(asked).collect() }
    }

    /// Counts an object that is selected.
    pub fn selected(&self, seen: &mut Surveyed) {
        seen.objects += 1;
        if !self.is_over.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// Looks at an object that is not selected. `slots` is memory to work in.
    pub fn unselected(
        &self,
        object: &Object<'_>,
        selection: &Selection,
        catalog: &Catalog,
        slots: &mut Vec<Slot>,
        seen: &mut Surveyed,
    ) {
        seen.objects += 1;
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        slots.clear();
        selection.candidate(object.head, catalog, slots);
        if slots.is_empty() {
            return;
        }
        seen.candidates += 1;
        let labels = ObjectLabels(object.head);
        // A field that an expression asks for may be a label.
        let mut lacks_key = selection.expressions.iter().any(|expression| expression.never_met().is_some());
        let is_open = |(_, asked): &(usize, &Asked)| !asked.has_value.load(Ordering::Relaxed);
        for (number, asked) in self.labels.iter().enumerate().filter(is_open) {
            let Some(value) = labels.get(&asked.key) else {
                lacks_key |= !asked.has_key.load(Ordering::Relaxed);
                continue;
            };
            asked.has_key.store(true, Ordering::Relaxed);
            if asked.values.is_empty() || asked.values.iter().any(|wanted| wanted == value) {
                asked.has_value.store(true, Ordering::Relaxed);
            } else {
                let values = seen.values.entry(number).or_default();
                if values.len() < MAX_KEYS && !values.contains(value) {
                    values.insert(value.to_owned());
                }
            }
        }
        if lacks_key {
            let room = MAX_KEYS.saturating_sub(seen.keys.len());
            let keys = labels.iter().map(|(key, _)| key).filter(|key| !seen.keys.contains(*key));
            let new: Vec<String> = keys.take(room).map(str::to_owned).collect();
            seen.keys.extend(new);
        }
    }

    /// How much was read, where nothing of it was selected. `None` if nothing was read.
    pub fn summary(&self, seen: &Surveyed, selection: &Selection, why: &'static str) -> Option<Summary> {
        let Surveyed { objects, candidates, .. } = *seen;
        let is_named = !selection.names.is_empty()
            || selection.requests.iter().any(|request: &Request| request.name.is_some());
        let asked = [
            (!selection.requests.is_empty(), "type"),
            (is_named, "name"),
            (selection.namespace.is_some(), "namespace"),
        ];
        let asked = asked.iter().filter(|(is_asked, _)| *is_asked).map(|(_, word)| *word).collect();
        (objects > 0).then_some(Summary { objects, candidates, asked, why })
    }

    /// What no object has of what the selectors name, a sentence for each label key and field.
    pub fn unmet(&self, seen: &Surveyed, selection: &Selection) -> Vec<String> {
        if seen.candidates == 0 {
            return Vec::new();
        }
        let keys = self.labels.iter().filter(|asked| !asked.has_key.load(Ordering::Relaxed));
        let keys = keys.map(|Asked { key, .. }| {
            let near = alike(key, seen.keys.iter().map(String::as_str));
            sentence("label", key, near)
        });
        let fields = selection.expressions.iter().filter_map(|expression| expression.never_met());
        let fields = fields.map(|field| {
            let mut known: Vec<&str> = seen.keys.iter().map(String::as_str).collect();
            known.extend(fields::names());
            sentence("field", field, alike(field, known.into_iter()))
        });
        keys.chain(fields).collect()
    }
}

impl Survey {
    /// The values of labels that no object has and that are almost those of one, a sentence for each label.
    pub fn misspelt(&self, seen: &Surveyed) -> Vec<String> {
        let is_open = |(_, asked): &(usize, &Asked)| {
            asked.has_key.load(Ordering::Relaxed) && !asked.has_value.load(Ordering::Relaxed)
        };
        let labels = self.labels.iter().enumerate().filter(is_open);
        let labels = labels.filter_map(|(number, Asked { key, values, .. })| {
            let met = || seen.values.get(&number).into_iter().flatten().map(String::as_str);
            let (wanted, near) = values.iter().find_map(|wanted| Some((wanted, alike(wanted, met())?)))?;
            let label = |value: &str| crate::text::go::printable(&format!("{key}={value}")).into_owned();
            Some(format!("no object has {}; did you mean {}?", label(wanted), label(near)))
        });
        labels.collect()
    }
}

fn sentence(what: &str, name: &str, near: Option<&str>) -> String {
    let printable = |text| crate::text::go::printable(text);
    let meant = near.map_or(String::new(), |near| format!("; did you mean {}?", printable(near)));
    format!("no object has the {what} {}{meant}", printable(name))
}

/// How many objects were read and asked about, where none was selected.
pub struct Summary {
    objects: usize,
    candidates: usize,
    /// What was asked for besides selectors: `type`, `name`, `namespace`.
    asked: Vec<&'static str>,
    /// What lists why objects were not selected.
    why: &'static str,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objects, candidates, asked, why } = self;
        let noun = if *objects == 1 { "object" } else { "objects" };
        write!(f, "kselect: read {objects} {noun}")?;
        if candidates < objects {
            let asked = match &asked[..] {
                [] => return f.write_str(", all of which are excluded"),
                [one] => (*one).to_owned(),
                [others @ .., last] => format!("{} and {last}", others.join(", ")),
            };
            match candidates {
                0 => {
                    write!(f, ", none of the {asked} asked for; kselect count lists the kinds in the input")?
                }
                _ => write!(f, ", {candidates} of the {asked} asked for")?,
            }
        }
        if *candidates > 0 { write!(f, "; {why} shows why none is selected") } else { Ok(()) }
    }
}
