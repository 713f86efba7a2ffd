//! The kinds of objects that may be above others in a tree that leads up, so that objects of other kinds need not be read.
//!
//! Which kinds select and name others is known; which own others, the objects say.

use std::hash::BuildHasher;

use compact_str::CompactString;
use text::hash::{HashMap, HashSet, RandomState};

use super::object_kind::ObjectKind;
use super::owners;
use kinds::catalog::Catalog;
use kinds::catalog::grammar::Request;
use kinds::references::{ReferenceField, To, of_pod_spec};
use kinds::selectors::{SelectorField, Whom};
use manifest::object::Object;
use syntax::gvk;

/// The group of today and the kind.
type GroupKind = (CompactString, CompactString);

/// The kind of what is selected by the labels of pods, workloads included.
const POD: (&str, &str) = ("", "Pod");

/// Hashes identities, on all threads of a pass.
#[derive(Debug, Default)]
pub struct IdentityHasher(RandomState);

/// What is known of the kinds of an input.
#[derive(Debug, Default)]
pub struct KindTies {
    kinds: HashSet<GroupKind>,
    /// The kinds of the objects at the roots.
    wanted: HashSet<GroupKind>,
    /// The kinds of objects and of their owners.
    owners: HashSet<(GroupKind, GroupKind)>,
    /// The hashes of the identities of all objects but Namespaces, each with that of its uid, if it has one.
    identities: Vec<(u64, Option<u64>)>,
    /// Whether an object could not be read, or is applied by others, of which only the files say what.
    needs_all: bool,
}

impl KindTies {
    /// Adds an object, which may be wanted at the root of a tree.
    pub fn add(
        &mut self,
        object: &Object<'_>,
        namespace: &str,
        wanted: bool,
        catalog: &Catalog,
        by: &IdentityHasher,
    ) {
        let (identity, uid) = owners::identity(object.head, namespace);
        let own = (identity.group.clone(), identity.kind.clone());
        match owners::owned(object, namespace, catalog) {
            Ok(owned) => {
                let all = owned.into_iter().flat_map(|owned| owned.owners).map(|owner| owner.identity);
                self.owners.extend(all.map(|owner| (own.clone(), (owner.group, owner.kind))));
            }
            Err(_) => self.needs_all = true,
        }
        self.needs_all |= object.document.source.built.appliers.is_some();
        if own.1 != "Namespace" {
            self.identities.push((by.0.hash_one(identity.parts()), uid.map(|uid| by.0.hash_one(uid))));
        }
        if wanted {
            self.wanted.insert(own.clone());
        }
        self.kinds.insert(own);
    }

    /// Adds the kind of a request, even if the input has no such object.
    pub fn want(&mut self, Request { resource, .. }: &Request) {
        let (group, kind) = (gvk::successor(resource.group(), resource.kind()), resource.kind());
        self.wanted.insert((group.into(), kind.into()));
    }

    /// Adds what is known of other objects.
    pub fn extend(&mut self, other: Self) {
        self.kinds.extend(other.kinds);
        self.wanted.extend(other.wanted);
        self.owners.extend(other.owners);
        self.identities.extend(other.identities);
        self.needs_all |= other.needs_all;
    }

    /// The kinds of objects that may be above the wanted ones. `None` if all objects have to be read: some cannot be, are
    /// applied by others, or are repeated, so that they may be of variants.
    pub fn above(mut self) -> Option<KindsAbove> {
        self.identities.sort_unstable();
        // Copies of a live object are one object.
        self.identities.dedup_by(|one, other| one == other && one.1.is_some());
        if self.needs_all || self.identities.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        // Only known kinds have any, however many others there are.
        let targets = self.kinds.iter().map(|kind| (kind, Targets::of(kind)));
        let targets: Vec<(&GroupKind, Targets)> =
            targets.filter(|(_, targets)| !targets.is_empty()).collect();
        let mut owners: HashMap<&GroupKind, Vec<&GroupKind>> = HashMap::default();
        self.owners.iter().for_each(|(owned, owner)| owners.entry(owned).or_default().push(owner));
        let mut pending: Vec<&GroupKind> = self.wanted.iter().collect();
        let mut above: HashSet<&GroupKind> = HashSet::default();
        while let Some(next) = pending.pop() {
            let related = targets.iter().filter(|(_, targets)| targets.may_have(next)).map(|(kind, _)| *kind);
            let owning = owners.get(next).into_iter().flatten().copied();
            pending.extend(related.chain(owning).filter(|kind| above.insert(kind)));
        }
        Some(KindsAbove(above.into_iter().cloned().collect()))
    }
}

/// The kinds of objects that may be above others.
#[derive(Debug)]
pub struct KindsAbove(HashSet<GroupKind>);

impl KindsAbove {
    /// Whether an object is of such a kind, or says what is in its namespace.
    pub fn has(&self, object: &Object<'_>) -> bool {
        let ObjectKind { group, kind, .. } = ObjectKind::new(object.head, "");
        kind == "Namespace" || self.0.contains(&(group.into(), kind.into()))
    }
}

/// The kinds of objects that one of a kind may select or name.
#[derive(Default)]
struct Targets {
    any: bool,
    kinds: Vec<(&'static str, &'static str)>,
}

impl Targets {
    fn of((group, kind): &GroupKind) -> Self {
        let object_kind = ObjectKind::of_kind(group, kind);
        let mut found = Self::default();
        object_kind.selectors().iter().for_each(|field| found.add_selected(field));
        object_kind.references().iter().for_each(|field| found.add_named(field));
        if object_kind.pod_path().is_some() {
            of_pod_spec().iter().for_each(|field| found.add_named(field));
        }
        found
    }

    fn is_empty(&self) -> bool {
        !self.any && self.kinds.is_empty()
    }

    fn add_selected(&mut self, field: &SelectorField) {
        match field.selects {
            Whom::Kind(group, kind) => self.kinds.push((group, kind)),
            Whom::Requests(..) | Whom::Referenced => self.any = true,
        }
    }

    fn add_named(&mut self, field: &ReferenceField) {
        match field.to {
            To::Kind(group, kind) => self.kinds.push((group, kind)),
            To::Typed(..) => self.any = true,
        }
    }

    fn may_have(&self, (group, kind): &GroupKind) -> bool {
        let is_workload = || ObjectKind::of_kind(group, kind).is_workload();
        self.any
            || self.kinds.iter().any(|target| *target == (group.as_str(), kind.as_str()))
            || self.kinds.contains(&POD) && is_workload()
    }
}
