//! Variants: directories and builds that have the same objects, as environments, examples and versions do. Objects of one are not
//! related to those of another.
//!
//! `check` asks the same of its units, for which it also knows charts and tests.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::Path;
use std::sync::Arc;

use crate::scan::kustomization;
use manifest::clusters::Clusters;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Built, Source};
use syntax::given;

/// Where an object is applied, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Destination {
    clusters: Clusters,
    /// The outermost kustomizations and objects that build it, in order.
    roots: Option<Arc<[usize]>>,
}

impl Destination {
    pub(super) fn of(object: &Object<'_>) -> Self {
        Self::new(object.document.source, object.built())
    }

    pub(super) fn new(source: &Source, built: Option<&Built>) -> Self {
        Self { clusters: source.clusters, roots: built.and_then(|built| built.roots.clone()) }
    }

    /// A hash of the identity of an object in what is built; `None` if it is not in one namespace under one name.
    pub(super) fn identity(
        &self,
        [group, kind, namespace]: [&str; 3],
        names: ObjectNames<'_>,
    ) -> Option<u64> {
        let is_one = group != kustomization::GROUP
            && !namespace.is_empty()
            && !namespace.contains(',')
            && !given::has_unknown(namespace);
        let mut names =
            Some(names.last()).filter(|names| self.roots.is_some() && is_one && names.len() == 1)?;
        let name = names.pop_first().filter(|name| !name.contains("${"))?;
        Some(BuildHasherDefault::<DefaultHasher>::default().hash_one([group, kind, namespace, &name]))
    }

    pub(super) fn is_known(&self) -> bool {
        self.clusters.are_known() || self.roots.is_some()
    }

    /// That of an object which is in both.
    pub(super) fn or(&self, other: &Self) -> Self {
        let both = self.roots.as_ref().zip(other.roots.as_ref());
        let all = both.map(|(own, other)| own.iter().chain(&**other).copied().collect::<BTreeSet<_>>());
        Self { clusters: self.clusters.or(other.clusters), roots: all.map(|all| all.into_iter().collect()) }
    }
}

/// Which builds have an object of one identity: no cluster has two of these.
#[derive(Debug, Default)]
pub(super) struct Rivals {
    /// For each root, the numbers of the lists of roots that have the same object, sorted.
    shared: HashMap<usize, Vec<usize>>,
}

impl Rivals {
    /// Those of objects in what is built, each with a hash of its identity.
    pub(super) fn of<'d>(objects: impl Iterator<Item = (u64, &'d Destination)>) -> Self {
        let mut found: HashMap<u64, BTreeSet<&[usize]>> = HashMap::new();
        for (identity, Destination { roots, .. }) in objects {
            found.entry(identity).or_default().extend(roots.as_deref());
        }
        let lists: HashSet<BTreeSet<&[usize]>> = found.into_values().collect();
        let mut shared: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, lists) in lists.into_iter().enumerate() {
            let roots: BTreeSet<usize> = lists.into_iter().flatten().copied().collect();
            roots.into_iter().for_each(|root| shared.entry(root).or_default().push(number));
        }
        Self { shared }
    }

    /// Whether no cluster has what is applied to both.
    pub(super) fn are_apart(&self, a: &Destination, b: &Destination) -> bool {
        /// The most pairs of roots that are looked at.
        const MOST: usize = 1 << 10;
        let are_rivals = |a: &usize, b: &usize| {
            let shared = [a, b].map(|root| self.shared.get(root).map_or(&[][..], Vec::as_slice));
            a != b && have_common(shared[0], shared[1])
        };
        let [own, others] = [a, b].map(|one| one.roots.as_deref().unwrap_or_default());
        a.clusters.are_apart(b.clusters)
            || (1..=MOST).contains(&(own.len() * others.len()))
                && own.iter().all(|own| others.iter().all(|other| are_rivals(own, other)))
    }
}

/// Whether two sorted lists have a number in common.
fn have_common(a: &[usize], b: &[usize]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|number| many.binary_search(number).is_ok())
}

/// The units of objects: directories or, where files of a directory have the same objects, these files.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// The unit of each object. Empty if there are no variants.
    of: Vec<usize>,
    /// Their names, in the order of their first objects.
    names: Vec<String>,
    /// For each unit, the numbers of the identities that it shares with others, sorted.
    shared: Vec<Vec<usize>>,
    /// Where each object is applied. Empty if that is not known of any.
    destinations: Vec<Destination>,
    rivals: Rivals,
}

impl Variants {
    /// The variants among objects from these sources that are applied there. `repeated` are the numbers of those with the same
    /// identity.
    pub(super) fn of(
        sources: &[&Arc<str>],
        destinations: Vec<Destination>,
        rivals: Rivals,
        repeated: &[Vec<u32>],
    ) -> Self {
        let alternatives = alternatives(sources, repeated);
        let mut units = Self { destinations, rivals, ..Self::default() };
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
        if units.shared.iter().all(Vec::is_empty) {
            units.of.clear();
        }
        units
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
        self.are_in_variants(a, b) || self.are_built_apart(a, b)
    }

    fn are_in_variants(&self, a: usize, b: usize) -> bool {
        self.unit(a).zip(self.unit(b)).is_some_and(|(a, b)| self.are_variants(a, b))
    }

    /// Whether no cluster has both objects.
    pub(super) fn are_built_apart(&self, a: usize, b: usize) -> bool {
        let both = self.destinations.get(a).zip(self.destinations.get(b));
        both.is_some_and(|(a, b)| self.rivals.are_apart(a, b))
    }

    /// Whether a build of an object has none of the others, which are in other builds.
    pub(super) fn is_without(&self, number: usize, others: &[usize]) -> bool {
        /// The most builds that are looked at.
        const MOST: usize = 16;
        let roots = self.destinations.get(number).and_then(|own| own.roots.as_deref()).unwrap_or_default();
        let is_apart = |root: &usize| {
            let own = Destination { roots: Some([*root].into()), ..Destination::default() };
            let mut others = others.iter().map(|other| self.destinations.get(*other));
            others.all(|other| other.is_some_and(|other| self.rivals.are_apart(&own, other)))
        };
        others.is_empty() || roots.len() <= MOST && others.len() <= MOST && roots.iter().any(is_apart)
    }

    /// Of objects that are called alike, leaves out those that are applied, but not with the object `number`, if others are.
    pub(super) fn keep_applied_together(&self, number: usize, others: &mut Vec<usize>) {
        let clusters =
            |number: usize| self.destinations.get(number).map(|one| one.clusters).unwrap_or_default();
        let is_together = |other: &usize| clusters(number).have_common(clusters(*other));
        if others.len() > 1 && others.iter().any(is_together) {
            others.retain(|other| is_together(other) || !clusters(*other).are_known());
        }
    }

    /// Leaves out objects of other clusters and builds, and those that are in variants of the one of the object `number`, unless nothing would be
    /// left: a variant may repeat only some objects, and name the others.
    pub(super) fn keep_near(&self, number: usize, others: &mut Vec<usize>) {
        others.retain(|other| !self.are_built_apart(number, *other));
        let is_near = |other: &usize| !self.are_in_variants(number, *other);
        if others.len() > 1 && others.iter().any(is_near) {
            others.retain(is_near);
        }
    }

    fn are_variants(&self, a: usize, b: usize) -> bool {
        a != b && have_common(&self.shared[a], &self.shared[b])
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
