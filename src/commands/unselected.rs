//! Why nothing was selected: the number of objects read and of those with the requested types, names and namespaces,
//! and the labels and fields that no object has, with the nearest existing ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use kinds::catalog::Catalog;
use kinds::catalog::object::ObjectLabels;
use kinds::fields;
use kselect_core::scan::configures_tool;
use kselect_core::selection::{Selection, Slot};
use manifest::object::Object;
use selector::labels::Selector;
use selector::{Operator, Requirement};
use syntax::head::Head;
use text::plural::counted;
use text::spelling::nearest;

use super::report::Report;

/// The maximum number of label keys of a block that are kept for suggestions.
const MAX_KEYS: usize = 1000;

/// The maximum number of namespaces in a hint.
const SHOWN: usize = 3;

/// Collects facts about objects as long as none is selected, on any thread.
#[derive(Default)]
pub struct UnselectedStats {
    /// Whether an object was selected; then nothing more is collected.
    is_over: AtomicBool,
    /// The labels that objects must have.
    labels: Vec<Asked>,
}

/// A label that objects must have.
struct Asked {
    key: String,
    /// Its accepted values; empty for any value.
    values: Vec<String>,
    /// Whether an object has the key, and whether one has it with an accepted value.
    has_key: AtomicBool,
    has_value: AtomicBool,
}

/// Facts about the objects of a block.
#[derive(Debug, Default)]
pub struct BlockStats {
    /// The number of objects.
    pub objects: usize,
    /// The number of those with the requested types, names and namespaces.
    pub candidates: usize,
    /// The namespaces to which kustomizations and applications move objects whose files name a requested one.
    moved_to: BTreeSet<String>,
    /// Whether a file of kustomize is among those of other types.
    pub has_kustomizations: bool,
    /// Their label keys, unless all required keys were found.
    keys: BTreeSet<String>,
    /// The values of the required keys, by the number of the label, unless an accepted value was found.
    values: BTreeMap<usize, BTreeSet<String>>,
}

impl BlockStats {
    /// The numbers of objects and of candidates.
    pub fn counts(&self) -> (usize, usize) {
        (self.objects, self.candidates)
    }

    /// What those are whose labels are known. Other objects may have labels that these lack.
    fn whose(&self) -> &'static str {
        if self.candidates < self.objects { "requested object" } else { "object" }
    }

    /// Takes back what was counted of an older copy of an object: whether it was one of the objects, and of the candidates.
    pub fn leave_out(&mut self, (was_object, was_candidate): (bool, bool)) {
        self.objects -= usize::from(was_object);
        self.candidates -= usize::from(was_candidate);
    }

    /// Adds the facts of another block.
    pub fn add(&mut self, other: Self) {
        self.objects += other.objects;
        self.candidates += other.candidates;
        self.moved_to.extend(other.moved_to.into_iter().take(MAX_KEYS.saturating_sub(self.moved_to.len())));
        self.has_kustomizations |= other.has_kustomizations;
        let room = MAX_KEYS.saturating_sub(self.keys.len());
        self.keys.extend(other.keys.into_iter().take(room));
        for (number, values) in other.values {
            let known = self.values.entry(number).or_default();
            let room = MAX_KEYS.saturating_sub(known.len());
            known.extend(values.into_iter().take(room));
        }
    }
}

impl UnselectedStats {
    /// A survey of the objects that `selection` is matched with.
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
        Self { labels: labels.map(asked).collect(), ..Self::default() }
    }

    /// Counts an object that is selected.
    pub fn selected(&self, seen: &mut BlockStats) {
        seen.objects += 1;
        if !self.is_over.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// Adds an object that is not selected. `slots` is working memory.
    pub fn unselected(
        &self,
        object: &Object<'_>,
        selection: &Selection,
        catalog: &Catalog,
        slots: &mut Vec<Slot>,
        seen: &mut BlockStats,
    ) {
        if self.is_over.load(Ordering::Relaxed) {
            seen.objects += 1;
            return;
        }
        seen.objects += 1;
        slots.clear();
        selection.candidate(object.head, catalog, slots);
        if slots.is_empty() {
            // Without TYPE, it would be skipped.
            seen.objects -= usize::from(configures_tool(object));
            seen.has_kustomizations |= object.head.api_version.starts_with("kustomize.config.k8s.io/");
            let stated = object.head.namespace.filter(|_| object.head.given.is_some());
            let is_asked =
                |stated: &str| selection.namespace.as_ref().is_some_and(|asked| asked.admit(stated));
            // In its own namespace, it would be a candidate.
            if stated.is_some_and(is_asked) {
                selection.candidate(&Head { given: None, ..object.head.clone() }, catalog, slots);
                if !slots.is_empty() && seen.moved_to.len() < MAX_KEYS {
                    seen.moved_to.insert(selection.namespace_of(object.head, catalog).to_owned());
                }
                slots.clear();
            }
            return;
        }
        seen.candidates += 1;
        let labels = ObjectLabels(object.head);
        // A field of an expression may be a label.
        let mut lacks_key = selection.expressions.iter().any(|expression| expression.never_met().is_some());
        let is_open = |(_, asked): &(usize, &Asked)| !asked.has_value.load(Ordering::Relaxed);
        for (number, asked) in self.labels.iter().enumerate().filter(is_open) {
            for value in labels.values(&asked.key) {
                let Some(value) = value else {
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
        }
        if lacks_key {
            let room = MAX_KEYS.saturating_sub(seen.keys.len());
            let given = object.head.given_labels.into_iter().flat_map(|given| given.all().keys());
            let keys = labels.iter().map(|(key, _)| key).chain(given.map(String::as_str));
            let keys = keys.filter(|key| !seen.keys.contains(*key));
            let new: Vec<String> = keys.take(room).map(str::to_owned).collect();
            seen.keys.extend(new);
        }
    }

    /// Reports how many objects were read if none was selected, and the conditions that no object meets. `is_condition`
    /// means that the exit status depends on it: then a selector that can never match is a warning. `get` stands before
    /// `--why`.
    pub fn report(
        &self,
        seen: &BlockStats,
        selection: &Selection,
        (get, is_condition): (&str, bool),
        report: &Report,
    ) {
        if seen.objects > 0 {
            report.note(summary(seen, selection, get));
        }
        if seen.candidates == 0 && !seen.moved_to.is_empty() && !report.is_quiet() {
            let namespaces = text::plural::first(&seen.moved_to, SHOWN);
            report.hint(format_args!(
                "files name that namespace, but what builds from them gives {}",
                text::go::printable(&namespaces)
            ));
        }
        for unmet in self.unmet(seen, selection) {
            match is_condition {
                true => report.warning(unmet),
                false if !report.is_quiet() => report.hint(unmet),
                false => (),
            }
        }
        if !report.is_quiet() {
            self.misspelt(seen).into_iter().for_each(|label| report.hint(label));
        }
    }

    /// The label keys and fields of the selectors that no object has, as a sentence each.
    fn unmet(&self, seen: &BlockStats, selection: &Selection) -> Vec<String> {
        if seen.candidates == 0 {
            return Vec::new();
        }
        let whose = seen.whose();
        let keys = self.labels.iter().filter(|asked| !asked.has_key.load(Ordering::Relaxed));
        let keys = keys.map(|Asked { key, .. }| {
            let near = nearest(key, seen.keys.iter().map(String::as_str));
            sentence(whose, "label", key, near)
        });
        let fields = selection.expressions.iter().filter_map(|expression| expression.never_met());
        let fields = fields.filter_map(|field| {
            let mut known: Vec<&str> = seen.keys.iter().map(String::as_str).collect();
            known.extend(fields::names());
            // A field that exists, though not in these objects, is not misspelt.
            let is_known = known.contains(&field);
            // That the field is missing is said for each expression.
            let near = nearest(field, known.into_iter()).filter(|_| !is_known)?;
            Some(sentence(whose, "field", field, Some(near)))
        });
        keys.chain(fields).collect()
    }

    /// The required values of labels that no object has but that are similar to existing ones, as a sentence each.
    fn misspelt(&self, seen: &BlockStats) -> Vec<String> {
        let is_open = |(_, asked): &(usize, &Asked)| {
            asked.has_key.load(Ordering::Relaxed) && !asked.has_value.load(Ordering::Relaxed)
        };
        let whose = seen.whose();
        let labels = self.labels.iter().enumerate().filter(is_open);
        let labels = labels.filter_map(|(number, Asked { key, values, .. })| {
            let existing = || seen.values.get(&number).into_iter().flatten().map(String::as_str);
            let (wanted, near) =
                values.iter().find_map(|wanted| Some((wanted, nearest(wanted, existing())?)))?;
            let label = |value: &str| text::go::printable(&format!("{key}={value}")).into_owned();
            Some(format!("no {whose} has {}; did you mean {}?", label(wanted), label(near)))
        });
        labels.collect()
    }
}

fn sentence(whose: &str, what: &str, name: &str, near: Option<&str>) -> String {
    let printable = |text| text::go::printable(text);
    let meant = near.map_or(String::new(), |near| format!("; did you mean {}?", printable(near)));
    format!("no {whose} has the {what} {}{meant}", printable(name))
}

/// How many objects were read, and how many of them have the requested types, names and namespaces.
fn summary(seen: &BlockStats, selection: &Selection, get: &str) -> String {
    let BlockStats { objects, candidates, .. } = *seen;
    let asked = [
        (!selection.requests.is_empty(), "type"),
        (selection.has_names(), "name"),
        (selection.namespace.is_some(), "namespace"),
    ];
    let asked: Vec<&str> = asked.iter().filter(|(is_asked, _)| *is_asked).map(|(_, word)| *word).collect();
    let asked = match &asked[..] {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        asked => asked.concat(),
    };
    let read = counted(objects, "object");
    let has_type = |name: &str| selection.requests.iter().any(|request| request.resource.plural() == name);
    let hint = if has_type("images") {
        "; kselect count --by image counts the images that objects name"
    } else {
        "; kselect count lists the kinds in the input"
    };
    let why = format!("; {get}--why shows why none is selected");
    // `all` is some kinds, as in kubectl.
    let is_all = selection.requests.len() > 2 && ["pods", "services", "cronjobs"].into_iter().all(has_type);
    let kinds = if is_all { "; all means some types only, and without TYPE every one is meant" } else { "" };
    match candidates {
        _ if candidates == objects => format!("read {read}{why}"),
        _ if asked.is_empty() => format!("read {read}, all of which are excluded"),
        0 => {
            format!("read {read}, none of the requested {asked}{}", if is_all { kinds } else { hint })
        }
        _ => format!("read {read}, {candidates} of the requested {asked}{why}{kinds}"),
    }
}
