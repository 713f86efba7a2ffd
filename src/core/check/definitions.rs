//! What the input's own CustomResourceDefinitions can show about their objects.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::finding::{Finding, Severity};
use super::input::Input;
use super::refused;
use super::subject::CheckedObject;
use super::units::Id;
use kinds::catalog::Catalog;
use manifest::source::Source;

/// The file of the definitions that Flux installs in the cluster.
const OF_FLUX: &str = "gotk-components.yaml";

/// The definitions of the input, by the group and kind that they define.
pub(super) struct Definitions<'c> {
    /// Those of which there are several: only a cluster knows which one applies.
    ambiguous: HashSet<(&'c str, &'c str)>,
    /// Where each of them is.
    places: HashMap<(&'c str, &'c str), Place<'c>>,
    /// The directory that has all sources.
    root: PathBuf,
}

/// The place of a definition.
#[derive(Clone, Copy)]
struct Place<'c> {
    definition: &'c CheckedObject,
    unit: Id,
}

impl<'c> Definitions<'c> {
    pub(super) fn of(input: &Input<'c>, sources: &[Source], catalog: &'c Catalog) -> Self {
        let is_one =
            |subject: &&CheckedObject| subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
        let repeated =
            input.identities.repeated().filter_map(|members| input.subjects.get(*members.first()?));
        let repeated: HashSet<&str> = repeated.filter(is_one).map(|definition| &*definition.name).collect();
        let all = input.all().filter(|(_, subject)| is_one(subject));
        let place = |number, definition| Place { definition, unit: input.units.unit(number) };
        let named: HashMap<&str, Place<'c>> =
            all.map(|(number, one)| (one.name.as_str(), place(number, one))).collect();
        let mut found = Self { ambiguous: HashSet::new(), places: HashMap::new(), root: root(sources) };
        for resource in catalog.resources().filter(|_| !named.is_empty()) {
            let (name, kind) = (resource.qualified(), (resource.group(), resource.kind()));
            if let Some(place) = named.get(&*name) {
                found.places.insert(kind, *place);
                found.ambiguous.extend(repeated.contains(&*name).then_some(kind));
            }
        }
        found
    }

    /// The severity of a finding about an object, if it follows from its definition; `None` if several definitions differ.
    ///
    /// A definition in another unit, or in another tree of the input, such as that of another cluster or product, may not be
    /// the one that applies, so it is advice. Seen in SmadjaPaul/homelab, MacroPower/homelab and mthorley/k8s-gitops. Those in
    /// a directory or a file of definitions are the repository's own.
    pub(super) fn severity(&self, subject: &CheckedObject, unit: Id, finding: &Finding) -> Option<Severity> {
        let kind = (subject.of.group.as_str(), subject.of.kind.as_str());
        if !refused::BY_SCHEMA.contains(&finding.id) {
            return Some(finding.severity);
        }
        if self.ambiguous.contains(&kind) {
            return None;
        }
        let tree = |source| tree_below(&self.root, source);
        let is_elsewhere = self.places.get(&kind).is_some_and(|place| {
            let source = &*place.definition.source;
            // Definitions have a directory of their own, or none.
            let is_of_another_tree = tree(source).is_some_and(|own| {
                !own.contains("crd") && tree(&subject.source).is_some_and(|other| own != other)
            });
            !source.ends_with(OF_FLUX)
                && (is_of_another_tree
                    || !self.root.as_os_str().is_empty()
                        && place.unit != unit
                        && are_siblings(source, &subject.source)
                        && !source.to_ascii_lowercase().contains("crd"))
        });
        Some(if is_elsewhere { Severity::Advice } else { finding.severity })
    }

    /// Where the definition is from which a finding follows, for its message; empty if it is in the file of the object, or does
    /// not matter.
    pub(super) fn hint(&self, subject: &CheckedObject, finding: &Finding) -> String {
        let kind = (subject.of.group.as_str(), subject.of.kind.as_str());
        let is_of_definition =
            [refused::UNKNOWN_FIELD, "removed-api", "deprecated-api"].contains(&finding.id);
        match self.places.get(&kind).filter(|_| is_of_definition) {
            Some(place) if place.definition.source != subject.source => {
                format!("; its definition is at {}", place.definition.location())
            }
            _ => String::new(),
        }
    }
}

/// Whether two files are in different directories, of which neither is above the other one.
fn are_siblings(a: &str, b: &str) -> bool {
    let directory = |file| Path::new(file).parent().unwrap_or(Path::new(""));
    let (a, b) = (directory(a), directory(b));
    !a.starts_with(b) && !b.starts_with(a)
}

/// The directory that has all sources; empty if they were named one by one or in several directories.
pub(super) fn root(sources: &[Source]) -> PathBuf {
    let mut paths = sources.iter().filter(|source| !source.named).map(|source| Path::new(&*source.name));
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    paths.fold(first.to_owned(), |root, path| {
        root.ancestors().find(|above| path.starts_with(above)).unwrap_or(Path::new("")).to_owned()
    })
}

/// The directory below `root` that has the source; `None` if it is in `root` itself.
pub(super) fn tree_below<'s>(root: &Path, source: &'s str) -> Option<&'s str> {
    if root.as_os_str().is_empty() {
        return None;
    }
    let directory = Path::new(source).parent()?.strip_prefix(root).ok()?;
    directory.components().next().and_then(|first| first.as_os_str().to_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_a_directory_below_the_root() {
        let tree = |source| tree_below(Path::new("."), source);
        assert_eq!((tree("./a/b/c.yaml"), tree("./a.yaml")), (Some("a"), None));
        assert_eq!(tree_below(Path::new(""), "a/b.yaml"), None);
    }
}
