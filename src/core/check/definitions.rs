//! What the input's own CustomResourceDefinitions can show about their objects.

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
}

impl<'c> Definitions<'c> {
    pub(super) fn of(input: &Input<'c>, catalog: &'c Catalog) -> Self {
        let is_one =
            |subject: &&CheckedObject| subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
        let repeated =
            input.identities.repeated().filter_map(|members| input.subjects.get(*members.first()?));
        let repeated: HashSet<&str> = repeated.filter(is_one).map(|definition| &*definition.name).collect();
        let all = input.all().filter(|(_, subject)| is_one(subject));
        let named: HashMap<&str, &'c CheckedObject> = all.map(|(_, one)| (one.name.as_str(), one)).collect();
        let mut found = Self { ambiguous: HashSet::new(), places: HashMap::new() };
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
        if refused::BY_SCHEMA.contains(&finding.id) && self.ambiguous.contains(&kind) {
            finding.confidence = Confidence::Possible;
            finding.severity = Severity::Advice;
        }
        let is_of_definition =
            [refused::UNKNOWN_FIELD, "removed-api", "deprecated-api"].contains(&finding.id);
        if let Some(definition) = self.places.get(&kind).filter(|_| is_of_definition)
            && definition.source != subject.source
        {
            let place = format!("its definition is at {}", definition.location());
            finding.hint = Some(finding.hint.map_or(place.clone(), |hint| format!("{hint}; {place}")));
        }
        finding
    }
}
