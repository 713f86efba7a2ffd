//! What the input's own CustomResourceDefinitions and admission webhooks can show about objects.

use std::collections::{HashMap, HashSet};

use super::finding::{Confidence, Finding, Severity};
use super::input::Input;
use super::refused;
use super::subject::CheckedObject;
use kinds::catalog::Catalog;

/// The definitions of the input, by the group and kind that they define.
pub(super) struct Definitions<'c> {
    /// Those of which there are several that differ: only a cluster knows which one applies.
    ambiguous: HashSet<(&'c str, &'c str)>,
    /// Where each of them is.
    places: HashMap<(&'c str, &'c str), &'c CheckedObject>,
    /// What may change objects that are created, by their group and plural.
    mutating: HashMap<[&'c str; 2], &'c CheckedObject>,
    catalog: &'c Catalog,
}

impl<'c> Definitions<'c> {
    pub(super) fn of(input: &Input<'c>, catalog: &'c Catalog) -> Self {
        let is_one =
            |subject: &&CheckedObject| subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
        let repeated =
            input.identities.repeated().filter_map(|members| input.subjects.get(*members.first()?));
        let repeated: HashSet<&str> = repeated.filter(is_one).map(|definition| &*definition.name).collect();
        let mut all: Vec<(usize, &CheckedObject)> =
            input.all().filter(|(_, subject)| is_one(subject)).collect();
        // One that a kustomization builds counts before others.
        all.sort_by_key(|(number, _)| input.units.is_kustomized(*number));
        let named: HashMap<&str, &'c CheckedObject> =
            all.into_iter().map(|(_, one)| (one.name.as_str(), one)).collect();
        let mutating = input.all().flat_map(|(_, one)| {
            let pairs = one.special().into_iter().flat_map(|special| &special.mutates);
            pairs.map(move |[group, plural]| ([group.as_str(), plural.as_str()], one))
        });
        let (ambiguous, places) = (HashSet::new(), HashMap::new());
        let mut found = Self { ambiguous, places, mutating: mutating.collect(), catalog };
        for resource in catalog.resources().filter(|_| !named.is_empty()) {
            let (name, kind) = (resource.qualified(), (resource.group(), resource.kind()));
            if let Some(place) = named.get(&*name) {
                found.places.insert(kind, *place);
                let is_disputed = resource.definition().is_some_and(|definition| definition.is_disputed);
                found.ambiguous.extend((is_disputed && repeated.contains(&*name)).then_some(kind));
            }
        }
        found
    }

    /// A finding about an object, with what its definition shows: where that is, and that it is one of several.
    pub(super) fn judge(&self, subject: &CheckedObject, mut finding: Finding) -> Finding {
        let kind = (subject.of.group.as_str(), subject.of.kind.as_str());
        let mutating = self.mutating(kind).filter(|_| finding.id == refused::MISSING);
        if mutating.is_some() || refused::BY_SCHEMA.contains(&finding.id) && self.ambiguous.contains(&kind) {
            finding.confidence = Confidence::Possible;
            finding.severity = Severity::Advice;
        }
        let is_of_definition =
            [refused::UNKNOWN_FIELD, "removed-api", "deprecated-api"].contains(&finding.id);
        let definition = self.places.get(&kind).filter(|definition| definition.source != subject.source);
        let definition = definition.filter(|_| is_of_definition);
        let definition = definition.map(|one| format!("its definition is at {}", one.location()));
        let mutating = mutating.map(|one| format!("{} at {} may set it", one.title(), one.location()));
        let hints = [finding.hint.take(), definition, mutating].into_iter().flatten();
        finding.hint = hints.reduce(|hint, more| format!("{hint}; {more}"));
        finding
    }

    /// What may change objects of a kind that are created.
    fn mutating(&self, (group, kind): (&str, &str)) -> Option<&'c CheckedObject> {
        let plural = self.catalog.of_group(group, kind).filter(|_| !self.mutating.is_empty())?.plural();
        let pairs = [[group, plural], [group, "*"], ["*", plural], ["*", "*"]];
        pairs.iter().find_map(|pair| self.mutating.get(pair)).copied()
    }
}
