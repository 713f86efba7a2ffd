//! What the input's own CustomResourceDefinitions can show about their objects.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::input::Input;
use super::refused;
use super::subject::CheckedObject;
use super::{Finding, Severity};
use crate::catalog::Catalog;
use crate::manifest::source::Source;

/// The definitions of the input, by the group and kind that they define.
pub(super) struct Definitions<'c> {
    /// Those of which there are several: only a cluster knows which one applies.
    ambiguous: HashSet<(&'c str, &'c str)>,
    /// The source of each.
    sources: HashMap<(&'c str, &'c str), &'c str>,
    /// The directory that has all sources.
    root: PathBuf,
}

impl<'c> Definitions<'c> {
    pub(super) fn of(input: &Input<'c>, sources: &[Source], catalog: &'c Catalog) -> Self {
        let is_one =
            |subject: &&CheckedObject| subject.is("apiextensions.k8s.io", "CustomResourceDefinition");
        let repeated =
            input.identities.repeated().filter_map(|members| input.subjects.get(*members.first()?));
        let repeated: HashSet<&str> = repeated.filter(is_one).map(|definition| &*definition.name).collect();
        let all = input.subjects.iter().filter(is_one);
        let named: HashMap<&str, &str> = all.map(|one| (one.name.as_str(), &*one.source)).collect();
        let mut found = Self { ambiguous: HashSet::new(), sources: HashMap::new(), root: root(sources) };
        for resource in catalog.resources().filter(|_| !named.is_empty()) {
            let (name, kind) = (resource.qualified(), (resource.group(), resource.kind()));
            if let Some(source) = named.get(&*name) {
                found.sources.insert(kind, source);
                found.ambiguous.extend(repeated.contains(&*name).then_some(kind));
            }
        }
        found
    }

    /// The severity of a finding about an object, if it follows from its definition; `None` if several definitions differ.
    ///
    /// A definition in another tree of the input, such as that of another cluster, may be of another release than the one that
    /// applies, so it is advice unless a field is nearly the same. Seen in SmadjaPaul/homelab and MacroPower/homelab.
    pub(super) fn severity(&self, subject: &CheckedObject, finding: &Finding) -> Option<Severity> {
        let kind = (subject.of.group.as_str(), subject.of.kind.as_str());
        if !refused::BY_SCHEMA.contains(&finding.id) {
            return Some(finding.severity);
        }
        if self.ambiguous.contains(&kind) {
            return None;
        }
        let tree = |source| tree_below(&self.root, source);
        let is_elsewhere = self.sources.get(&kind).is_some_and(|source| {
            // Definitions have a directory of their own, or none.
            tree(source).is_some_and(|own| {
                !own.contains("crd") && tree(&subject.source).is_some_and(|other| own != other)
            })
        });
        Some(if is_elsewhere { Severity::Advice } else { finding.severity })
    }
}

/// The directory that has all sources; empty if they were named one by one or in several directories.
fn root(sources: &[Source]) -> PathBuf {
    let mut paths = sources.iter().filter(|source| !source.named).map(|source| Path::new(&*source.name));
    let first = paths.next().and_then(Path::parent).unwrap_or(Path::new(""));
    paths.fold(first.to_owned(), |root, path| {
        root.ancestors().find(|above| path.starts_with(above)).unwrap_or(Path::new("")).to_owned()
    })
}

/// The directory below `root` that has the source; `None` if it is in `root` itself.
fn tree_below<'s>(root: &Path, source: &'s str) -> Option<&'s str> {
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
