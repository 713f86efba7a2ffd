//! Variants: directories that have the same objects, as environments, examples and versions do. Objects of one are not
//! related to those of another.
//!
//! `check` asks the same of its units, for which it also knows charts, kustomizations and tests.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use manifest::clusters::Clusters;

/// The units of objects: directories or, where files of a directory have the same objects, these files.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// The unit of each object. Empty if there are no variants.
    of: Vec<usize>,
    /// Their names, in the order of their first objects.
    names: Vec<String>,
    /// For each unit, the numbers of the identities that it shares with others, sorted.
    shared: Vec<Vec<usize>>,
    /// The clusters of each object. Empty if there are no variants.
    clusters: Vec<Clusters>,
}

impl Variants {
    /// The variants among objects from these sources with these clusters. `repeated` are the numbers of those with the same identity.
    pub(super) fn of(sources: &[&Arc<str>], clusters: Vec<Clusters>, repeated: &[Vec<u32>]) -> Self {
        let alternatives = alternatives(sources, repeated);
        let mut units = Self { clusters, ..Self::default() };
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for source in sources {
            let unit = if alternatives.contains(&***source) { source } else { directory(source) };
            let next = numbers.len();
            let number = *numbers.entry(unit).or_insert(next);
            if number == next {
                let is_directory = unit.len() < source.len();
                let name = if unit.is_empty() { "." } else { unit };
                units.names.push(if is_directory { format!("{name}/") } else { name.to_owned() });
                units.shared.push(Vec::new());
            }
            units.of.push(number);
        }
        for (identity, members) in repeated.iter().enumerate() {
            let of_members: BTreeSet<usize> =
                members.iter().map(|number| units.of[*number as usize]).collect();
            if of_members.len() > 1 {
                of_members.iter().for_each(|unit| units.shared[*unit].push(identity));
            }
        }
        if units.shared.iter().all(Vec::is_empty) { Self::default() } else { units }
    }

    /// The unit of an object; `None` if there are no variants, or the object is not there.
    pub(super) fn unit(&self, number: usize) -> Option<usize> {
        self.of.get(number).copied()
    }

    /// The name of a unit.
    pub(super) fn name(&self, unit: usize) -> &str {
        &self.names[unit]
    }

    /// Whether two objects are in variants of each other, or no cluster has both.
    pub(super) fn are_apart(&self, a: usize, b: usize) -> bool {
        self.are_in_variants(a, b) || self.are_of_clusters(a, b)
    }

    fn are_in_variants(&self, a: usize, b: usize) -> bool {
        self.unit(a).zip(self.unit(b)).is_some_and(|(a, b)| self.are_variants(a, b))
    }

    fn clusters(&self, number: usize) -> Clusters {
        self.clusters.get(number).copied().unwrap_or_default()
    }

    fn are_of_clusters(&self, a: usize, b: usize) -> bool {
        self.clusters(a).are_apart(self.clusters(b))
    }

    /// Of objects that are called alike, leaves out those that are applied, but not with the object `number`, if others are.
    pub(super) fn keep_applied_together(&self, number: usize, others: &mut Vec<usize>) {
        let is_together = |other: &usize| self.clusters(number).have_common(self.clusters(*other));
        if others.len() > 1 && others.iter().any(is_together) {
            others.retain(|other| is_together(other) || !self.clusters(*other).are_known());
        }
    }

    /// Leaves out objects of other clusters, and those that are in variants of the one of the object `number`, unless nothing would be
    /// left: a variant may repeat only some objects, and name the others.
    pub(super) fn keep_near(&self, number: usize, others: &mut Vec<usize>) {
        others.retain(|other| !self.are_of_clusters(number, *other));
        let is_near = |other: &usize| !self.are_in_variants(number, *other);
        if others.len() > 1 && others.iter().any(is_near) {
            others.retain(is_near);
        }
    }

    fn are_variants(&self, a: usize, b: usize) -> bool {
        let (a_shared, b_shared) = (&self.shared[a], &self.shared[b]);
        let (few, many) =
            if a_shared.len() < b_shared.len() { (a_shared, b_shared) } else { (b_shared, a_shared) };
        a != b && few.iter().any(|identity| many.binary_search(identity).is_ok())
    }
}

/// The files that repeat objects of another file in their directory.
fn alternatives<'a>(sources: &[&'a Arc<str>], repeated: &[Vec<u32>]) -> HashSet<&'a str> {
    let mut found = HashSet::new();
    for members in repeated {
        let mut of_directory: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for source in members.iter().map(|number| sources[*number as usize]) {
            of_directory.entry(directory(source)).or_default().insert(source);
        }
        found.extend(of_directory.into_values().filter(|files| files.len() > 1).flatten());
    }
    found
}

fn directory(source: &str) -> &str {
    Path::new(source).parent().and_then(Path::to_str).unwrap_or_default()
}
