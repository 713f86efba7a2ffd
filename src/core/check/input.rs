//! All objects of the input, with indexes for fast lookup.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hash::BuildHasher;
use std::iter;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use compact_str::CompactString;
use smallvec::SmallVec;

use super::facts::{Named, Pod, Selectable, Selects};
use super::finding::Confidence;
use super::identities::Identities;
use super::purpose::Purposes;
use super::subject::CheckedObject;
use super::suggestions::Names;
use super::units::{Number, Scope, Together, Units};
use crate::relation::label_map::{ANY, Labelled, SelectorOf};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::references::MONITORING;
use manifest::names::{Affixes, ObjectNames};
use manifest::source::Source;
use selector::{Operator, Requirement};
use syntax::given;
use text::hash::{ByHash, Entry, HashMap, HashMapExt, HashSet, RandomState};

/// Stands for all namespaces, as of what objects name in one that only the cluster knows.
pub(super) const ANYWHERE: &str = "*";

/// Stands for the namespaces of what is made in several.
const SEVERAL: &str = ",";

pub(super) struct Input<'a> {
    /// In the order of the input; the number of an object is its index.
    pub subjects: &'a [CheckedObject],
    pub identities: Identities,
    pub units: Arc<Units>,
    /// Of each object, whether others of its kind and namespace may have the same selector, so that what it selects is worth
    /// remembering.
    pub have_alike: Vec<bool>,
    /// The pods, and those that workloads would create.
    pub pods: SelectableObjects<'a>,
    pub services: SelectableObjects<'a>,
    /// The sources that a program built from kustomizations.
    built: HashSet<Arc<str>>,
    /// What kustomizations put around the names of each file's objects.
    affixes: HashMap<Arc<str>, Arc<[Affixes]>>,
    /// The objects by a name that kustomizations give them, with their group and kind, and those in several namespaces by their own.
    renamed: OnceLock<Renamed<'a>>,
    /// The unit, and the group, kind, namespace and name in the text, of the objects that kustomizations move.
    moved: OnceLock<HashMap<[&'a str; 4], HashSet<Number>>>,
    /// Whether all objects are of one source, such as a pipe or a single file, which is then complete in itself.
    pub is_one_source: bool,
    /// The objects of a kind in a namespace of a unit.
    near: OnceLock<ByScope<'a>>,
    /// The objects of a kind in a namespace of the whole input.
    far: OnceLock<ByScope<'a>>,
    /// The names that objects say they make, by unit and of the whole input, and by group, kind and namespace.
    made: OnceLock<ByScope<'a, &'a str>>,
    /// The names of these and of the objects, for live objects and for others, as far as they were asked for.
    names: Mutex<NamesNear<'a>>,
    /// The objects of a kind and name in a unit, in any namespace, if another object refers to that name, and those that make one.
    called: OnceLock<Near<'a>>,
    /// The objects that make others in their namespaces, by what these are.
    makers: OnceLock<HashMap<[&'a str; 4], Vec<usize>>>,
    /// The kinds of which objects name some in a namespace that only the cluster knows, and their objects by name.
    unplaced: OnceLock<ByKind<'a>>,
    /// The first object of each kind and name to which objects refer.
    anywhere: OnceLock<HashMap<[&'a str; 3], usize>>,
    /// The units around objects that are selected, and that something may change that is not followed.
    unsure: OnceLock<HashSet<Scope>>,
    /// Objects whose identity occurs more than once, by unit and by the first object with the identity.
    repeated: OnceLock<HashMap<(Number, usize), Vec<usize>>>,
}

/// Objects by group, kind and a name that kustomizations give them, each with its namespaces if these are several.
type Renamed<'a> = HashMap<(&'a str, &'a str, String), Vec<(usize, Option<Arc<HashSet<&'a str>>>)>>;

/// Names by scope, group, kind and namespace, of live objects or others.
type NamesNear<'a> = HashMap<(Scope, [&'a str; 3], bool), Arc<Names<'a>>>;

/// Objects by group and kind, and by name.
type ByKind<'a> = HashMap<[&'a str; 2], HashMap<&'a str, Vec<u32>>>;

/// Objects or names by scope, and by group, kind and namespace.
type ByScope<'a, T = u32> = HashMap<(Scope, [&'a str; 3]), Vec<T>>;

/// Objects by unit, and by group, kind and name.
type Near<'a> = HashMap<(Number, [&'a str; 3]), Vec<u32>>;

impl<'a> Input<'a> {
    /// `unread` lists the sources that could not be read completely.
    pub(super) fn new(
        subjects: &'a [CheckedObject],
        sources: &[Source],
        purposes: &'a Purposes,
        unread: &std::collections::HashSet<Arc<str>>,
    ) -> Self {
        let identities = Identities::of(subjects);
        let units = Arc::new(Units::of(subjects, &identities, sources, purposes, unread));
        let required = RequiredLabels::of(subjects);
        let pods = SelectableObjects::of(subjects, &units, &required, |_, one| one.pod.is_some());
        // Only monitors select Services.
        let has_monitors = subjects.iter().any(|subject| subject.of.group == MONITORING);
        let is_service = |subject: &CheckedObject, _: &_| has_monitors && subject.is("", "Service");
        let services = SelectableObjects::of(subjects, &units, &required, is_service);
        let is_one_source = sources.len() == 1;
        let built = sources.iter().filter(|source| source.built_from().is_some());
        let affixes = sources
            .iter()
            .filter_map(|source| Some((Arc::clone(&source.name), source.built.affixes.clone()?)));
        Self {
            subjects,
            identities,
            have_alike: have_alike(subjects),
            units,
            pods,
            services,
            built: built.map(|source| Arc::clone(&source.name)).collect(),
            affixes: affixes.collect(),
            renamed: OnceLock::new(),
            moved: OnceLock::new(),
            is_one_source,
            near: OnceLock::new(),
            far: OnceLock::new(),
            made: OnceLock::new(),
            names: Mutex::default(),
            called: OnceLock::new(),
            makers: OnceLock::new(),
            unplaced: OnceLock::new(),
            anywhere: OnceLock::new(),
            unsure: OnceLock::new(),
            repeated: OnceLock::new(),
        }
    }

    /// All objects with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &'a CheckedObject)> + use<'a> {
        self.subjects.iter().enumerate()
    }

    /// The objects of a kind with their own selectors.
    pub(super) fn selecting(
        &self,
        group: &'static str,
        kind: &'static str,
    ) -> impl Iterator<Item = (usize, &'a CheckedObject, Selects<'a>)> + use<'a> {
        self.all().filter_map(move |(number, subject)| {
            let selects = subject.selects()?;
            subject.is(group, kind).then_some((number, subject, selects))
        })
    }

    /// The objects with an identity, in the order of the input; usually one.
    pub(super) fn named<'s>(&'s self, identity: [&'s str; 4]) -> impl Iterator<Item = usize> + 's {
        let [group, kind, namespace, name] = identity;
        let anywhere =
            (namespace == ANYWHERE).then(|| self.unplaced().get(&[group, kind])?.get(name)).flatten();
        let anywhere = anywhere.into_iter().flatten().map(|&number| number as usize);
        self.identities.named(identity, self.subjects).chain(anywhere)
    }

    fn unplaced(&self) -> &ByKind<'a> {
        self.unplaced.get_or_init(|| {
            let named = self.subjects.iter().filter_map(|subject| subject.facts.as_ref());
            let is_anywhere = |named: &&Named| named.namespace.is_none() || named.is_beside_controller;
            let named = named.flat_map(|facts| &facts.common.names).filter(is_anywhere);
            let mut unplaced: ByKind<'_> =
                named.map(|named| ([&*named.of.group, &*named.of.kind], HashMap::new())).collect();
            for (number, subject) in self.all() {
                if let Some(of_kind) = unplaced.get_mut(&[&*subject.of.group, &*subject.of.kind]) {
                    of_kind.entry(&*subject.name).or_default().extend(u32::try_from(number));
                }
            }
            unplaced
        })
    }

    /// Whether there is an object with this identity that the object with this number may refer to.
    pub(super) fn has(&self, identity: [&str; 4], number: usize) -> bool {
        self.find_named(identity, number).is_some()
    }

    /// The first object with this identity that the object with this number may refer to, one of its unit if there is any.
    pub(super) fn find_named(&self, identity: [&str; 4], number: usize) -> Option<usize> {
        let own = self.named_in_unit(identity, number).next();
        let find = |identity| self.named(identity).find(|&other| self.units.may_name(number, other));
        own.or_else(|| find(identity))
            .or_else(|| self.given(identity).find(|&other| self.units.may_name(number, other)))
    }

    /// The objects to which kustomizations give this identity by another name, or by several namespaces.
    fn given<'s>(&'s self, [group, kind, namespace, name]: [&'s str; 4]) -> impl Iterator<Item = usize> + 's {
        let renamed = self.renamed.get_or_init(|| self.renamed()).get(&(group, kind, name.to_owned()));
        let is_there = move |(other, several): &&(usize, Option<Arc<HashSet<&str>>>)| match several {
            _ if namespace == ANYWHERE => true,
            Some(several) => given::each(namespace).any(|name| several.contains(name)),
            None => given::meet(&self.subjects[*other].namespace, namespace),
        };
        renamed.into_iter().flatten().filter(is_there).map(|(other, _)| *other)
    }

    /// Whether an object is written with this identity, which a build that has the object with this number moves elsewhere.
    pub(super) fn has_moved<'s>(&'s self, identity: [&'s str; 4], number: usize) -> bool {
        let moved = self.moved.get_or_init(|| {
            let mut moved: HashMap<[&str; 4], HashSet<Number>> = HashMap::new();
            for (number, subject) in self.all() {
                if let (Some(from), [group, kind, _, name]) = (&subject.moved_from, subject.identity()) {
                    moved.entry([group, kind, from, name]).or_default().insert(self.units.unit(number));
                }
            }
            moved
        });
        let Some(units) = moved.get(&identity) else { return false };
        let mut around = self.units.around_named(number).flat_map(|scope| self.units.each(scope));
        around.any(|scope| matches!(scope, Scope::Unit(unit) if units.contains(&unit)))
    }

    fn names<'s>(&'s self, subject: &'s CheckedObject) -> ObjectNames<'s> {
        let affixes = self.affixes.get(&subject.source).map(|affixes| &**affixes);
        ObjectNames::new(&subject.of.kind, &subject.name, affixes).of_namespace(subject.names.as_deref())
    }

    /// The names that kustomizations give an object.
    pub(super) fn given_names<'s>(&'s self, subject: &'s CheckedObject) -> impl Iterator<Item = String> + 's {
        self.names(subject).given()
    }

    /// What Flux makes of a text of an object that has a variable; nothing if not all of that is known.
    pub(super) fn filled(&self, subject: &CheckedObject, text: &str) -> BTreeSet<String> {
        self.names(subject).filled_by_all(text)
    }

    fn renamed(&self) -> Renamed<'a> {
        let mut renamed = Renamed::new();
        let mut lists: HashMap<&str, Arc<HashSet<&str>>> = HashMap::new();
        for (number, subject) in self.all() {
            let [group, kind, namespace, name] = subject.identity();
            let several = namespace.contains(',').then(|| {
                let list = lists.entry(namespace);
                Arc::clone(list.or_insert_with(|| Arc::new(given::each(namespace).collect())))
            });
            let own = several.as_ref().map(|_| name.to_owned());
            for name in self.given_names(subject).chain(own) {
                renamed.entry((group, kind, name)).or_default().push((number, several.clone()));
            }
        }
        renamed
    }

    /// The objects with this identity in the unit of the object with this number.
    pub(super) fn named_in_unit<'s>(
        &'s self,
        identity: [&'s str; 4],
        number: usize,
    ) -> impl Iterator<Item = usize> + 's {
        let unit = self.units.unit(number);
        let repeated = self.repeated.get_or_init(|| {
            let mut repeated: HashMap<(Number, usize), Vec<usize>> = HashMap::new();
            for members in self.identities.repeated() {
                for &member in members {
                    repeated.entry((self.units.unit(member), members[0])).or_default().push(member);
                }
            }
            repeated
        });
        let first = self.named(identity).next();
        let members = first.and_then(|first| repeated.get(&(unit, first)));
        let only = first.filter(|&first| members.is_none() && self.units.unit(first) == unit);
        members.into_iter().flatten().copied().chain(only)
    }

    /// How certain it is that the unit of an object lacks what the input does not show of it.
    pub(super) fn of_unit(&self, number: usize) -> Confidence {
        let unsure = self.unsure.get_or_init(|| {
            let unsure = self.all().filter(|(_, subject)| {
                let may_relabel = subject.rare.as_ref().is_some_and(|rare| rare.may_relabel);
                may_relabel && subject.is_selectable()
            });
            unsure.flat_map(|(number, _)| self.units.with_lists(number)).collect()
        });
        let is_unsure = || self.units.around(number).any(|scope| unsure.contains(&scope));
        match self.subjects[number].may_change() || self.units.may_gain(number) || is_unsure() {
            true => Confidence::Possible,
            false => Confidence::Likely,
        }
    }

    /// How certain it is that another object, to which one refers, lacks a part.
    pub(super) fn of_pair(&self, number: usize, other: usize) -> Confidence {
        let mut both = [number, other].into_iter();
        match self.units.may_gain(number) || both.any(|one| self.subjects[one].may_change()) {
            true => Confidence::Possible,
            false => Confidence::Likely,
        }
    }

    /// The objects by the scope of each, and by group, kind and namespace.
    fn by_scope(&self, scope: impl Fn(usize) -> Scope) -> ByScope<'a> {
        let mut found: ByScope<'a> = HashMap::new();
        for (number, subject) in self.all() {
            let [group, kind, namespace, _] = subject.identity();
            // An object of several namespaces is in each, and what is beside it asks for all at once. One that a kustomization moves
            // is known by where it was to what names it there.
            let all = Some(namespace).filter(|namespace| namespace.contains(','));
            let all = all.into_iter().chain([ANYWHERE]);
            for namespace in given::each(namespace).chain(all).chain(subject.moved_from.as_deref()) {
                let entry = found.entry((scope(number), [group, kind, namespace]));
                entry.or_default().extend(u32::try_from(number));
            }
        }
        found
    }

    /// The names of the objects of a kind in a namespace of the unit of the object with this number, and of what objects of the unit make, prepared for searches.
    pub(super) fn names_near(&self, kind_in_namespace: [&'a str; 3], number: usize) -> Arc<Names<'a>> {
        self.names_of(Scope::Unit(self.units.unit(number)), kind_in_namespace, number)
    }

    /// Whether a build of the object with this number has objects of a kind in a namespace, or some of its objects make any.
    pub(super) fn has_names(&self, kind_in_namespace: [&'a str; 3], number: usize) -> bool {
        self.units
            .around_named(number)
            .any(|scope| !self.names_of(scope, kind_in_namespace, number).is_empty())
    }

    /// Objects of a kind in a namespace that the object with this number may need, of the whole input; none if the name of one is
    /// a placeholder.
    pub(super) fn others<'s>(
        &'s self,
        of_kind: [&'a str; 3],
        number: usize,
    ) -> impl Iterator<Item = usize> + use<'s, 'a> {
        /// How many are looked at: more alternatives of each other say no more.
        const MANY: usize = 100;
        let is_open = self.names_of(Scope::All, of_kind, number).is_open;
        let all = self.far.get().filter(|_| !is_open).and_then(|far| far.get(&(Scope::All, of_kind)));
        let all = all.into_iter().flatten().take(MANY).map(|&other| other as usize);
        all.filter(move |&other| self.units.may_need(number, other))
    }

    fn names_of(&self, scope: Scope, of_kind: [&'a str; 3], number: usize) -> Arc<Names<'a>> {
        let is_live = self.subjects[number].is_live();
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let names = || {
            let [group, kind, namespace] = of_kind;
            let made = self.made.get_or_init(|| self.made());
            let made = self.units.each(scope).flat_map(|scope| {
                let within = move |place| made.get(&(scope, [group, kind, place]));
                [namespace, SEVERAL].into_iter().filter_map(within).flatten()
            });
            let objects = match scope {
                Scope::All => self.far.get_or_init(|| self.by_scope(|_| Scope::All)),
                _ => self.near.get_or_init(|| self.by_scope(|number| Scope::Unit(self.units.unit(number)))),
            };
            let objects = self.units.each(scope).filter_map(|scope| objects.get(&(scope, of_kind))).flatten();
            let objects = objects.map(|&other| &self.subjects[other as usize]);
            // Those of a dump do not explain findings of manifests.
            let alike = objects.filter(|other| other.is_live() == is_live).map(|other| other.name.as_str());
            let all = alike.chain(made.copied());
            Arc::new(Names::of_kind(of_kind[1], all, self.built.contains(&self.subjects[number].source)))
        };
        Arc::clone(known.entry((scope, of_kind, is_live)).or_insert_with(names))
    }

    /// The nearest name of an object outside of the unit of the one with this number, the object, and whether it is applied together
    /// with that: by a build that has both, or, if `is_across` says that such references lead from one unit to another, by what
    /// applies both.
    pub(super) fn far_name(
        &self,
        of_kind @ [group, kind, namespace]: [&'a str; 3],
        name: &str,
        number: usize,
        is_across: bool,
    ) -> Option<(CompactString, &'a CheckedObject, bool)> {
        let find = |scope, is_meant: &dyn Fn(usize) -> bool| {
            let other = |near: &str| {
                let is_it = |other: &usize| self.units.may_name(number, *other) && is_meant(*other);
                let identity = [group, kind, namespace, near];
                let maker = || self.makers(identity).iter().copied().find(is_it);
                self.named(identity).find(is_it).or_else(|| self.given(identity).find(is_it)).or_else(maker)
            };
            let names = self.names_of(scope, of_kind, number);
            let near = names.nearest_of(name, |near| other(near).is_some())?;
            Some((CompactString::from(near), other(near)?))
        };
        let mut related = self.units.around_named(number).skip(1);
        let together = related
            .find_map(|scope| find(scope, &|_| true))
            .or_else(|| find(Scope::All, &|other| self.units.are_of_a_system(number, other)));
        let is_together = together.is_some();
        let (near, other) = together.or_else(|| is_across.then(|| find(Scope::All, &|_| true))?)?;
        Some((near, &self.subjects[other], is_together))
    }

    fn made(&self) -> ByScope<'a, &'a str> {
        let mut made: ByScope<'a, &'a str> = HashMap::new();
        for (number, subject) in self.all() {
            let names = subject.facts.iter().flat_map(|facts| &facts.common.names);
            for Named { of, namespace, name, .. } in names.filter(|named| named.makes) {
                let Some(namespace) = namespace.as_deref() else { continue };
                let place = if namespace.contains(',') { SEVERAL } else { namespace };
                for namespace in [place, ANYWHERE] {
                    for scope in [self.units.own_unit(number), Scope::All] {
                        made.entry((scope, [&*of.group, &*of.kind, namespace])).or_default().push(name);
                    }
                }
            }
        }
        made
    }

    /// The first object of this kind and name in any unit and namespace.
    pub(super) fn anywhere<'s>(&'s self, kind_and_name: [&'s str; 3]) -> Option<usize> {
        let anywhere = self.anywhere.get_or_init(|| {
            let named = self.named_by_others();
            let all = self.all().map(|(number, subject)| {
                let [group, kind, _, name] = subject.identity();
                ([group, kind, name], number)
            });
            // Of several, the first one is kept.
            let all: Vec<_> = all.filter(|(kind_and_name, _)| named.contains(kind_and_name)).collect();
            all.into_iter().rev().collect()
        });
        anywhere.get(&kind_and_name).copied()
    }

    /// The kinds and names of what other objects name.
    fn named_by_others(&self) -> HashSet<[&'a str; 3]> {
        let facts = self.subjects.iter().filter_map(|subject| subject.facts.as_ref());
        let named = facts.flat_map(|facts| &facts.common.names);
        named.map(|named| [&*named.of.group, &*named.of.kind, &*named.name]).collect()
    }

    /// Whether the unit of the object with this number has one of this kind and name whose namespace is not known.
    pub(super) fn is_unplaced<'s>(&'s self, [group, kind, name]: [&'s str; 3], number: usize) -> bool {
        let other = self.named_in_unit([group, kind, DEFAULT_NAMESPACE, name], number).next();
        other.is_some_and(|other| !self.subjects[other].is_placed())
    }

    /// The objects that make the one with this identity, in their namespace or [`ANYWHERE`].
    pub(super) fn makers<'s>(&'s self, identity: [&'s str; 4]) -> &'s [usize] {
        let makers = self.makers.get_or_init(|| {
            let mut makers: HashMap<_, Vec<usize>> = HashMap::new();
            for (number, made) in
                self.all().flat_map(|(number, one)| makes(one).map(move |made| (number, made)))
            {
                let [group, kind, _, name] = made;
                for identity in [made, [group, kind, ANYWHERE, name]] {
                    makers.entry(identity).or_default().push(number);
                }
            }
            makers
        });
        makers.get(&identity).map_or(&[], Vec::as_slice)
    }

    /// An object with this kind and name, or one that makes it, in a namespace that it names, in the unit of the object with this
    /// number.
    pub(super) fn namesake<'s>(&'s self, kind_and_name: [&'s str; 3], number: usize) -> Option<usize> {
        let called = self.called.get_or_init(|| {
            let named = self.named_by_others();
            let mut called: Near<'a> = HashMap::new();
            for (number, subject) in self.all().filter(|(_, subject)| subject.names_namespace) {
                for [group, kind, _, name] in [subject.identity()].into_iter().chain(makes(subject)) {
                    if named.contains(&[group, kind, name]) {
                        let same = called.entry((self.units.unit(number), [group, kind, name])).or_default();
                        same.extend(u32::try_from(number));
                    }
                }
            }
            called
        });
        let others = called.get(&(self.units.unit(number), kind_and_name))?;
        Some(*others.first()? as usize)
    }

    /// How likely two objects are applied together.
    pub(super) fn together(&self, a: usize, b: usize) -> Together {
        if self.subjects[a].is_live() != self.subjects[b].is_live() {
            return Together::Never;
        }
        self.units.together(a, b)
    }
}

/// The identities of what an object makes in its namespace, or in each of them.
fn makes(subject: &CheckedObject) -> impl Iterator<Item = [&str; 4]> {
    let names = subject.facts.iter().flat_map(|facts| &facts.common.names).filter(|named| named.makes);
    let own = names.filter(|named| named.namespace.as_deref() == Some(&*subject.namespace));
    own.flat_map(|Named { of, name, .. }| {
        given::each(&subject.namespace).map(|namespace| [&*of.group, &*of.kind, namespace, &**name])
    })
}

fn have_alike(subjects: &[CheckedObject]) -> Vec<bool> {
    let mut selecting = ByHash::default();
    for (number, subject) in (0..).zip(subjects) {
        if let Some(selects) = subject.selects() {
            selecting.add((&subject.of, &subject.namespace, selects.selector), number);
        }
    }
    selecting.sort();
    let mut have_alike = vec![false; subjects.len()];
    // They only may: that is enough.
    selecting.repeated(|_| ()).flatten().for_each(|number| have_alike[number as usize] = true);
    have_alike
}

/// A label that a selector requires: its key, and its value; `None` is any.
type Label<'a> = (&'a str, Option<&'a str>);

/// The labels that selectors require, by their hashes: others need not be looked up.
#[derive(Default)]
struct RequiredLabels {
    state: RandomState,
    hashes: HashSet<u32>,
}

impl RequiredLabels {
    fn of(subjects: &[CheckedObject]) -> Self {
        let mut required = Self::default();
        for selects in subjects.iter().filter_map(CheckedObject::selects) {
            match selects.selector {
                SelectorOf::Labels(labels) => {
                    labels.iter().for_each(|(key, value)| required.add((key, Some(value))));
                }
                SelectorOf::Other(selector) => {
                    let labels = selector.requirements().iter().filter_map(any_of);
                    labels.flatten().for_each(|label| required.add(label));
                }
            }
        }
        required
    }

    fn add(&mut self, label: Label<'_>) {
        self.hashes.insert(self.state.hash_one(label) as u32);
    }

    fn may_have(&self, label: Label<'_>) -> bool {
        self.hashes.contains(&(self.state.hash_one(label) as u32))
    }
}

/// The labels of which a requirement asks for one; `None` if what lacks them meets it, too.
fn any_of(requirement: &Requirement) -> Option<impl Iterator<Item = Label<'_>>> {
    let is_any = requirement.operator() == Operator::Exists;
    let values = requirement.values().iter().map(|value| Some(&**value));
    let open = [is_any.then_some(None), Some(Some(ANY))].into_iter().flatten();
    let labels = values.chain(open).map(|value| (requirement.key(), value));
    (is_any || requirement.is_of_values()).then_some(labels)
}

/// Objects that are selected by labels.
pub(super) struct SelectableObjects<'a> {
    subjects: &'a [CheckedObject],
    units: Arc<Units>,
    candidates: Vec<Place>,
    /// The candidates of a unit, a namespace and a label, in the order of the input; `None` is any. Only some combinations are
    /// kept.
    places: ByHash,
}

/// Where a candidate is: the number of its object, and the place among what of the object is selected.
struct Place {
    subject: u32,
    at: u32,
}

/// An object with the labels by which it is selected.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The object's number.
    pub subject: usize,
    pub labels: Labelled<'a>,
    /// `None` if it is neither a pod nor a template.
    pub pod: Option<&'a Pod>,
}

impl<'a> SelectableObjects<'a> {
    fn of(
        subjects: &'a [CheckedObject],
        units: &Arc<Units>,
        required: &RequiredLabels,
        is_asked: impl Fn(&CheckedObject, &Selectable) -> bool,
    ) -> Self {
        let units = Arc::clone(units);
        let mut objects = Self { subjects, units, candidates: Vec::new(), places: ByHash::default() };
        for (number, subject) in (0..).zip(subjects) {
            let all = subject.facts.iter().flat_map(|facts| (0..).zip(&facts.selectable));
            for (at, one) in all.filter(|(_, one)| is_asked(subject, one)) {
                objects.add(Place { subject: number, at }, one.labels.with(&subject.name), required);
            }
        }
        objects.places.sort();
        objects
    }

    /// Whether there is only one unit, which is then any.
    fn are_of_one_unit(&self) -> bool {
        self.units.count() == 1
    }

    fn add(&mut self, place: Place, labels: Labelled<'_>, required: &RequiredLabels) {
        let number = place.subject as usize;
        let (unit, subject) = (self.units.unit(number), &self.subjects[number]);
        let at = u32::try_from(self.candidates.len()).unwrap_or(u32::MAX);
        self.candidates.push(place);
        let both = labels.iter().flat_map(|(key, value)| [(key, Some(value)), (key, None)]);
        let required = both.filter(|label| label.1 == Some(ANY) || required.may_have(*label)).map(Some);
        for label in [None].into_iter().chain(required) {
            for namespace in [Some(&*subject.namespace), None] {
                self.places.add((None::<Number>, namespace, label), at);
                if !self.are_of_one_unit() {
                    self.places.add((Some(unit), namespace, label), at);
                }
            }
        }
    }

    /// The candidate with a number; `None` if it is not in the scope.
    fn candidate(&self, at: u32, scope: Scope, namespace: Option<&str>) -> Option<Candidate<'a>> {
        let Place { subject: number, at } = self.candidates[at as usize];
        let (number, subject) = (number as usize, &self.subjects[number as usize]);
        let is_within = match scope {
            Scope::Units(_) | Scope::All => true,
            Scope::Source(source) => self.units.source(number) == source,
            Scope::Unit(unit) => self.units.unit(number) == unit,
        };
        let is_within = is_within && namespace.is_none_or(|namespace| subject.namespace == namespace);
        let Selectable { labels, pod } =
            &subject.facts.as_ref().filter(|_| is_within)?.selectable[at as usize];
        Some(Candidate { subject: number, labels: labels.with(&subject.name), pod: pod.as_deref() })
    }

    /// The candidates in a scope; a namespace of `None` is any.
    pub(super) fn within<'s>(
        &'s self,
        scope: Scope,
        namespace: Option<&'s str>,
    ) -> impl Iterator<Item = Candidate<'a>> + use<'s, 'a> {
        let all = self.at(scope, namespace, None).iter();
        all.filter_map(move |entry| self.candidate(entry.number(), scope, namespace))
    }

    /// The candidates in a scope that the selector selects, in the order of the input. Only those that meet the rarest
    /// requirement are examined, so that the time does not grow with the product of selectors and objects.
    pub(super) fn selected<'s>(
        &'s self,
        scope: Scope,
        namespace: Option<&'s str>,
        selector: SelectorOf<'s>,
    ) -> impl Iterator<Item = Candidate<'a>> + use<'s, 'a> {
        let at = |label| self.at(scope, namespace, Some(label));
        let labelled: Vec<SmallVec<[&[Entry]; 1]>> = match selector {
            SelectorOf::Labels(labels) => {
                let may_be =
                    |(key, value)| [value, ANY].into_iter().map(|value| at((key, Some(value)))).collect();
                labels.iter().map(may_be).collect()
            }
            SelectorOf::Other(selector) => {
                let labels = selector.requirements().iter().filter_map(any_of);
                labels.map(|labels| labels.map(at).collect()).collect()
            }
        };
        let rarest =
            labelled.into_iter().min_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
        let lists = rarest.unwrap_or_else(|| SmallVec::from([self.at(scope, namespace, None)]));
        let selected = merged(lists).filter_map(move |at| self.candidate(at, scope, namespace));
        selected.filter(move |candidate| selector.matches(&candidate.labels))
    }

    /// Whether any has this label, which a selector requires.
    pub(super) fn have(&self, (key, value): (&str, &str)) -> bool {
        !self.at(Scope::All, None, Some((key, Some(value)))).is_empty()
    }

    fn at(&self, scope: Scope, namespace: Option<&str>, label: Option<Label<'_>>) -> &[Entry] {
        let unit = match scope {
            Scope::Unit(unit) => Some(unit).filter(|_| !self.are_of_one_unit()),
            Scope::Units(_) | Scope::All | Scope::Source(_) => None,
        };
        let all = self.places.get((unit, namespace, label));
        let Scope::Source(source) = scope else { return all };
        // The objects of a source are consecutive.
        let of_subject = |at: u32| self.units.source(self.candidates[at as usize].subject as usize);
        let source_of = |entry: &Entry| of_subject(entry.number());
        let start = all.partition_point(|at| source_of(at) < source);
        let end = all.partition_point(|at| source_of(at) <= source);
        &all[start..end]
    }
}

/// The numbers of sorted lists, sorted.
fn merged<'s>(lists: SmallVec<[&'s [Entry]; 1]>) -> impl Iterator<Item = u32> + use<'s> {
    let split = |list: &'s [Entry]| list.split_first().map(|(first, rest)| Reverse((first.number(), rest)));
    let mut heads: BinaryHeap<Reverse<(u32, &[Entry])>> = lists.into_iter().filter_map(split).collect();
    iter::from_fn(move || {
        let Reverse((first, rest)) = heads.pop()?;
        heads.extend(split(rest));
        Some(first)
    })
}
