//! Units: objects of one unit are applied together, those of different units usually are not.
//!
//! A unit is one of these:
//!
//! * a kustomization or an object that applies files, with all that it builds; what several overlays build is a unit of its own,
//!   and so is what a build gives other names
//! * a chart
//! * a file that the kustomization beside it does not list
//! * a file of a directory whose files repeat the same objects, because they are alternatives: environments, examples, versions
//! * a directory, with those of its files that the input has; a pipe is like a file in the working directory

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use smallvec::SmallVec;

use super::finding::Confidence;
use super::identities::Identities;
use super::purpose::Purposes;
use super::subject::CheckedObject;
use crate::scan::conventions;
use crate::scan::kustomizations::Changes;
use manifest::clusters::Clusters;
use manifest::names::{Affixes, Renamed};
use manifest::source::{Applier, Built, Source};

/// The number of a source, a unit, or a list of units.
pub(super) type Number = u32;

/// Where objects are looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    Source(Number),
    Unit(Number),
    /// The units of a list.
    Units(Number),
    All,
}

/// The source and the unit of each object.
pub(super) struct Units {
    /// The source of each object.
    of_subject: Vec<Number>,
    /// For each source.
    places: Vec<Place>,
    /// For each unit.
    units: Vec<Unit>,
    /// Lists of units.
    lists: Vec<Vec<Number>>,
    /// The systems that each part is in, in order, indexed by [`part`].
    systems: Vec<SmallVec<[Number; 1]>>,
    /// For each source: what applies it.
    appliers: Vec<Option<Arc<[Applier]>>>,
    /// For each source: what applies it in the end.
    clusters: Vec<Clusters>,
}

/// The facts about a unit.
#[derive(Clone, Default)]
struct Unit {
    /// The numbers of identities that also occur in other units, sorted.
    shared: Vec<u32>,
    /// Whether it is a separate file, which other files do not explain.
    is_alone: bool,
    /// Whether it is a directory whose files may be applied one at a time: neither a kustomization nor a chart, nor all of
    /// the input.
    is_loose: bool,
    /// Whether it is a file that the kustomization of its directory does not list, so that it is not applied with anything else.
    is_unlisted: bool,
    /// Whether it has unreadable input, which may contain missing objects.
    is_incomplete: bool,
    /// Other units of which a build has objects, too: those of an overlay and its base. More than [`FEW`] are a list.
    related: SmallVec<[Scope; 1]>,
    /// Those of them with the same changes of names.
    alike: SmallVec<[Scope; 1]>,
}

#[derive(Clone, Copy)]
struct Place {
    source: Number,
    unit: Number,
    /// Whether a kustomization builds from it, or is above it, so that it may be for that.
    is_kustomized: bool,
    /// Whether that kustomization may add or change anything, or patches objects.
    is_open: bool,
    patches: bool,
    /// Whether a part of the file could not be read, such as a template that may choose between the others.
    is_unread: bool,
}

/// How likely two objects are applied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Together {
    /// They are in one file.
    Surely,
    /// They are in one kustomization or chart, or the input is one directory.
    Probably,
    /// They are in different files of a directory, or in different units.
    Perhaps,
    /// They are parts of kustomizations that replace each other, or one is from a dump.
    Never,
}

impl Together {
    /// How certain a finding about two that cannot be applied together is; `None` if they never are.
    pub(super) fn confidence(self) -> Option<Confidence> {
        match self {
            Self::Surely => Some(Confidence::Certain),
            Self::Probably => Some(Confidence::Likely),
            Self::Perhaps => Some(Confidence::Possible),
            Self::Never => None,
        }
    }
}

/// The facts about a source.
struct SourceFacts<'a> {
    path: &'a Path,
    /// How many objects it has.
    objects: usize,
    is_alternative: bool,
}

impl Units {
    pub(super) fn of(
        subjects: &[CheckedObject],
        identities: &Identities,
        sources: &[Source],
        purposes: &Purposes,
        unread: &HashSet<Arc<str>>,
    ) -> Self {
        let (of_subject, mut facts) = sources_of(subjects);
        mark_alternatives(subjects, identities, &of_subject, &mut facts);
        let archives: HashSet<&Path> = sources
            .iter()
            .filter(|source| source.may_be_archive())
            .map(|source| Path::new(&*source.name))
            .collect();
        let mut directories = sources.iter().map(|source| Path::new(&*source.name).parent());
        let first = directories.next();
        let is_one_directory = directories.all(|directory| Some(directory) == first);
        let clusters = sources.iter().filter(|source| source.clusters.are_known());
        let clusters: HashMap<&str, Clusters> =
            clusters.map(|source| (&*source.name, source.clusters)).collect();
        let built = sources.iter().filter(|source| source.built.roots.is_some());
        let built: HashMap<&str, &Built> = built.map(|source| (&*source.name, &source.built)).collect();
        let built = |path: &Path| path.to_str().and_then(|path| built.get(path)).copied();
        let mut numbers: HashMap<Extent<'_>, Number> = HashMap::new();
        let mut units: Vec<Unit> = Vec::new();
        let mut places: Vec<Place> = Vec::new();
        for (source, facts) in facts.iter().enumerate() {
            let is_archived = facts.path.ancestors().skip(1).any(|above| archives.contains(above));
            let built = built(facts.path);
            let extent = unit_of(facts, is_archived, purposes, built);
            let next = number(units.len());
            let unit = *numbers.entry(extent).or_insert(next);
            if unit == next {
                let is_alone = matches!(extent, Extent::File(_));
                let is_loose = is_alone || matches!(extent, Extent::Directory(_)) && !is_one_directory;
                let is_applied = built.is_some_and(|built| built.roots.is_some());
                let is_unlisted = !is_applied && purposes.kustomizations.leaves_out(facts.path);
                units.push(Unit { is_alone, is_loose, is_unlisted, ..Unit::default() });
            }
            let kustomizations = &purposes.kustomizations;
            let changes = kustomizations.changes(facts.path).filter(|_| !is_archived);
            let is_kustomized =
                changes.is_some() || !is_archived && kustomizations.is_at_or_above(facts.path);
            let Changes { is_open, patches, .. } = changes.unwrap_or_default();
            let is_unread = facts.path.to_str().is_some_and(|path| unread.contains(path));
            places.push(Place { source: number(source), unit, is_kustomized, is_open, patches, is_unread });
        }
        let mut above_unread: HashSet<&Path> = HashSet::new();
        for source in unread {
            let facts = SourceFacts { path: Path::new(&**source), objects: 0, is_alternative: false };
            let extent = unit_of(&facts, false, purposes, built(facts.path));
            if let Some(&unit) = numbers.get(&extent) {
                units[unit as usize].is_incomplete = true;
            }
            let is_whole = matches!(extent, Extent::Whole(_));
            above_unread.extend(extent.above().filter(|above| !is_whole && !above.as_os_str().is_empty()));
        }
        // What a directory lacks may be in an unreadable file of one beside it, unless that is of a chart, which is a whole.
        for (extent, unit) in &numbers {
            if extent.above().is_some_and(|above| above_unread.contains(above)) {
                units[*unit as usize].is_incomplete = true;
            }
        }
        let mut lists = Vec::new();
        for (unit, related) in relate(&numbers, false, &mut lists) {
            units[unit as usize].related = related;
        }
        for (unit, alike) in relate(&numbers, true, &mut lists) {
            units[unit as usize].alike = alike;
        }
        let systems = systems(&facts, &places, &units, built);
        let appliers = facts.iter().map(|facts| built(facts.path)?.appliers.clone()).collect();
        let of_path = |path: &Path| clusters.get(path.to_str()?).copied();
        let clusters = facts.iter().map(|facts| of_path(facts.path).unwrap_or_default()).collect();
        let mut all = Self { of_subject, places, units, lists, systems, appliers, clusters };
        all.add_shared(identities, subjects);
        all
    }

    /// The unit of the object with this number, and those that a build of it has, too, whatever it makes of their names.
    pub(super) fn around(&self, subject: usize) -> impl Iterator<Item = Scope> {
        let own = self.unit(subject);
        [Scope::Unit(own)].into_iter().chain(self.units[own as usize].related.iter().copied())
    }

    /// Whether an object is in the unit of another one, or a build has both.
    pub(super) fn share_build(&self, subject: usize, other: usize) -> bool {
        let other = self.unit(other);
        self.around(subject).any(|scope| match scope {
            Scope::Unit(unit) => unit == other,
            Scope::Units(list) => self.lists[list as usize].binary_search(&other).is_ok(),
            Scope::Source(_) | Scope::All => false,
        })
    }

    /// The unit of the object with this number, and the lists of units around it.
    pub(super) fn with_lists(&self, subject: usize) -> impl Iterator<Item = Scope> {
        let own = self.own_unit(subject);
        self.around(subject).filter(move |scope| *scope == own || matches!(scope, Scope::Units(_)))
    }

    /// Those of them whose names it changes alike.
    pub(super) fn around_named(&self, subject: usize) -> impl Iterator<Item = Scope> {
        let own = self.unit(subject);
        [Scope::Unit(own)].into_iter().chain(self.units[own as usize].alike.iter().copied())
    }

    /// What a scope consists of: the units of a list, or itself.
    pub(super) fn each(&self, scope: Scope) -> impl Iterator<Item = Scope> {
        let (list, own) = match scope {
            Scope::Units(list) => (&*self.lists[list as usize], None),
            Scope::Source(_) | Scope::Unit(_) | Scope::All => (&[][..], Some(scope)),
        };
        list.iter().map(|unit| Scope::Unit(*unit)).chain(own)
    }

    /// Whether two objects are parts of a system: one object applies both, directly or through others.
    pub(super) fn are_of_a_system(&self, a: usize, b: usize) -> bool {
        have_common(self.systems(a), self.systems(b))
    }

    /// The systems that an object is a part of, in order.
    pub(super) fn systems(&self, subject: usize) -> &[Number] {
        &self.systems[part(&self.place(subject), &self.units)]
    }

    /// Whether two places of one system are applied by different objects. If one object applies both, they may be alternatives
    /// of its path.
    fn are_applied_apart(&self, a: &Place, b: &Place) -> bool {
        let systems = [a, b].map(|place| &self.systems[part(place, &self.units)]);
        let appliers =
            [a, b].map(|place| self.appliers[place.source as usize].as_deref().unwrap_or_default());
        let share_one = || {
            let first: HashSet<_> = appliers[0].iter().map(|one| (&one.kind, &one.name)).collect();
            appliers[1].iter().any(|one| first.contains(&(&one.kind, &one.name)))
        };
        have_common(systems[0], systems[1])
            && appliers.iter().all(|appliers| !appliers.is_empty())
            && !share_one()
    }

    /// Adds to each unit the identities that also occur in others, except Namespaces, which are repeated wherever they are
    /// used.
    fn add_shared(&mut self, identities: &Identities, subjects: &[CheckedObject]) {
        for (identity, members) in identities.repeated().enumerate() {
            let mut of_members: Vec<Number> = members.iter().map(|&subject| self.unit(subject)).collect();
            of_members.sort_unstable();
            of_members.dedup();
            let is_namespace = members.first().is_some_and(|&first| subjects[first].is("", "Namespace"));
            if of_members.len() > 1 && !is_namespace {
                of_members.iter().for_each(|&unit| self.units[unit as usize].shared.push(number(identity)));
            }
        }
    }

    /// The place of the object with this number.
    fn place(&self, subject: usize) -> Place {
        self.places[self.of_subject[subject] as usize]
    }

    /// The source of the object with this number.
    pub(super) fn source(&self, subject: usize) -> Number {
        self.of_subject[subject]
    }

    /// How many units there are.
    pub(super) fn count(&self) -> usize {
        self.units.len()
    }

    /// The unit of the object with this number.
    pub(super) fn unit(&self, subject: usize) -> Number {
        self.place(subject).unit
    }

    /// The unit of the object, as a scope.
    pub(super) fn own_unit(&self, subject: usize) -> Scope {
        Scope::Unit(self.unit(subject))
    }

    /// Whether a kustomization builds from the file of the object, or is above it.
    pub(super) fn is_kustomized(&self, subject: usize) -> bool {
        self.place(subject).is_kustomized
    }

    /// Whether the kustomization of its directory does not list the file of an object that one which another kustomization builds
    /// may need.
    pub(super) fn lists_only(&self, subject: usize, other: usize) -> bool {
        let is_unlisted = |subject| self.units[self.unit(subject) as usize].is_unlisted;
        self.is_kustomized(subject) && !is_unlisted(subject) && is_unlisted(other)
    }

    /// Whether something may be in the unit of the object that the input does not show: what plugins, charts and remote bases
    /// of its kustomization make, or what could not be read.
    pub(super) fn may_gain(&self, subject: usize) -> bool {
        let place = self.place(subject);
        place.is_open || self.units[place.unit as usize].is_incomplete
    }

    /// Whether something may be in the unit of the object that the input does not show, or patches change its objects.
    pub(super) fn is_open(&self, subject: usize) -> bool {
        self.may_gain(subject) || self.place(subject).patches
    }

    /// How likely two objects are applied together.
    pub(super) fn together(&self, a: usize, b: usize) -> Together {
        let (a, b) = (self.place(a), self.place(b));
        if a.source == b.source {
            if a.is_unread { Together::Perhaps } else { Together::Surely }
        } else if a.unit == b.unit {
            if self.units[a.unit as usize].is_loose { Together::Perhaps } else { Together::Probably }
        } else if (a.is_kustomized || b.is_kustomized) && !self.are_applied_apart(&a, &b) {
            // Bases, overlays and patches repeat the same objects.
            Together::Never
        } else {
            Together::Perhaps
        }
    }

    /// Whether an object may need another one, which it selects or which makes what it refers to: they are in one unit, or in two that may be applied together.
    pub(super) fn may_need(&self, subject: usize, other: usize) -> bool {
        let own = self.unit(subject);
        own == self.unit(other) || !self.units[own as usize].is_alone && self.may_name(subject, other)
    }

    /// Whether an object may refer to another one: they are in one unit, or in two that are not alternatives of each
    /// other, which would share an identity. A file that is used alone may refer to shared objects, but nothing
    /// may refer to those of an unlisted file.
    pub(super) fn may_name(&self, subject: usize, other: usize) -> bool {
        let (own, others) = (self.unit(subject), self.unit(other));
        let shared = |unit: Number| &*self.units[unit as usize].shared;
        own == others
            || !self.units[others as usize].is_unlisted
                && !have_common(shared(own), shared(others))
                && !self.are_of_clusters(subject, other)
    }

    /// Whether no cluster has both objects.
    fn are_of_clusters(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|subject| self.clusters[self.of_subject[subject] as usize]);
        a.are_apart(b)
    }
}

/// Whether two sorted lists have a number in common.
fn have_common(a: &[u32], b: &[u32]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|number| many.binary_search(number).is_ok())
}

/// How many units are looked at one by one. More of them are a list, in which something is looked up once for all.
const FEW: usize = 16;

fn number(count: usize) -> Number {
    Number::try_from(count).unwrap_or(Number::MAX)
}

/// The source of each object, and all sources. The objects of a source are consecutive.
fn sources_of(subjects: &[CheckedObject]) -> (Vec<Number>, Vec<SourceFacts<'_>>) {
    let mut numbers: HashMap<&Arc<str>, Number> = HashMap::new();
    let mut facts: Vec<SourceFacts<'_>> = Vec::new();
    let mut last: Option<(&Arc<str>, Number)> = None;
    let of_subject = subjects.iter().map(|subject| {
        let source = match last {
            Some((name, source)) if Arc::ptr_eq(name, &subject.source) => source,
            _ => *numbers.entry(&subject.source).or_insert_with(|| {
                facts.push(SourceFacts {
                    path: Path::new(&*subject.source),
                    objects: 0,
                    is_alternative: false,
                });
                number(facts.len() - 1)
            }),
        };
        last = Some((&subject.source, source));
        facts[source as usize].objects += 1;
        source
    });
    let of_subject = of_subject.collect();
    (of_subject, facts)
}

/// Marks files that are alternatives of others in their directory: two of which half of the objects of one also occur in the
/// other, or that have the same Service, each with pods for it. If an object occurs in three or more files of a directory, all of
/// its files are alternatives.
fn mark_alternatives(
    subjects: &[CheckedObject],
    identities: &Identities,
    of_subject: &[Number],
    sources: &mut [SourceFacts<'_>],
) {
    let mut pairs: HashMap<(Number, Number), usize> = HashMap::new();
    let mut collections: HashSet<&Path> = HashSet::new();
    let mut whole: HashSet<(Number, Number)> = HashSet::new();
    for members in identities.repeated() {
        let mut files: Vec<Number> = members.iter().map(|&subject| of_subject[subject]).collect();
        files.sort_unstable();
        files.dedup();
        let mut by_directory: HashMap<&Path, Vec<Number>> = HashMap::new();
        for file in files {
            let directory = sources[file as usize].path.parent().unwrap_or(Path::new(""));
            by_directory.entry(directory).or_default().push(file);
        }
        for (directory, files) in by_directory {
            match files[..] {
                [a, b] => {
                    *pairs.entry((a, b)).or_default() += 1;
                    let has_pods = |&service: &usize| has_pods_for(service, subjects, of_subject);
                    if members.iter().all(has_pods) {
                        whole.insert((a, b));
                    }
                }
                [_] | [] => {}
                _ => drop(collections.insert(directory)),
            }
        }
    }
    for ((a, b), shared) in pairs {
        let [one, other] = [&sources[a as usize], &sources[b as usize]];
        let is_half = shared * 2 >= one.objects.min(other.objects);
        if is_half || whole.contains(&(a, b)) {
            sources[a as usize].is_alternative = true;
            sources[b as usize].is_alternative = true;
        }
    }
    for source in sources.iter_mut() {
        source.is_alternative |= source.path.parent().is_some_and(|path| collections.contains(path));
    }
}

/// Whether this is a Service with a selector, and its file has pods for it.
fn has_pods_for(service: usize, subjects: &[CheckedObject], of_subject: &[Number]) -> bool {
    let subject = &subjects[service];
    let Some(selects) = subject.selects().filter(|_| subject.is("", "Service")) else { return false };
    // The objects of a source are consecutive.
    let is_same = |number: &usize| of_subject.get(*number) == Some(&of_subject[service]);
    let before = (0..service).rev().take_while(is_same);
    let beside =
        before.chain((service + 1..).take_while(is_same)).map(|number| &subjects[number]).flat_map(|other| {
            other.facts.iter().flat_map(|facts| &facts.selectable).map(|one| (&other.name, one))
        });
    let mut pods = beside.filter(|(_, one)| one.pod.is_some());
    !selects.selector.is_empty() && pods.any(|(name, one)| selects.selector.matches(&one.labels.with(name)))
}

/// What a unit is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Extent<'a> {
    File(&'a Path),
    Directory(&'a Path),
    /// The directory of a kustomization or a chart, whose files are applied as a whole.
    Whole(&'a Path),
    /// What these roots build, with what they make of the names.
    Built(&'a [usize], Final<'a>),
}

/// What builds make of the names in the end: what they are called on the way does not tell them apart.
#[derive(Clone, Copy)]
struct Final<'a>(&'a [Affixes]);

impl<'a> Final<'a> {
    /// What they put around names, and the names that patches give. What Flux fills in is no matter of names without variables.
    fn each(self) -> BTreeSet<(&'a str, &'a str, &'a [Renamed])> {
        let ends = self.0.iter().filter(|affixes| affixes.is_final);
        ends.map(|affixes| (&*affixes.prefix, &*affixes.suffix, &*affixes.renamed)).collect()
    }
}

impl PartialEq for Final<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.each() == other.each()
    }
}

impl Eq for Final<'_> {}

impl Hash for Final<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.each().hash(state);
    }
}

impl<'a> Extent<'a> {
    /// The directory above it, which may have others beside it.
    fn above(self) -> Option<&'a Path> {
        match self {
            Self::File(path) | Self::Directory(path) | Self::Whole(path) => path.parent(),
            Self::Built(..) => None,
        }
    }
}

/// The unit of a file.
fn unit_of<'a>(
    source: &SourceFacts<'a>,
    is_archived: bool,
    purposes: &Purposes,
    built: Option<&'a Built>,
) -> Extent<'a> {
    let directory = source.path.parent().unwrap_or(Path::new(""));
    // What a kustomization leaves out is not applied with what it lists.
    if source.is_alternative || purposes.kustomizations.leaves_out(source.path) {
        return Extent::File(source.path);
    }
    // An archive beside manifests is a copy of some: no kustomization or chart has it.
    if is_archived {
        return Extent::Directory(directory);
    }
    if let Some((built, roots)) = built.and_then(|built| Some((built, built.roots.as_deref()?))) {
        return Extent::Built(roots, Final(built.affixes.as_deref().unwrap_or_default()));
    }
    let is_of = |chart: &&Path| {
        let in_chart = directory.strip_prefix(chart).unwrap_or(directory);
        purposes.is_chart(chart) && conventions::is_installed(in_chart)
    };
    let chart = || directory.ancestors().find(is_of);
    let whole = purposes.kustomizations.root(source.path).or_else(chart);
    whole.map_or(Extent::Directory(directory), Extent::Whole)
}

/// For each unit, those that have a root in common with it, of which many are one of the lists. If they `are_alike`, only those with the
/// same changes of names, or, of few, with more of them.
fn relate(
    numbers: &HashMap<Extent<'_>, Number>,
    are_alike: bool,
    lists: &mut Vec<Vec<Number>>,
) -> impl Iterator<Item = (Number, SmallVec<[Scope; 1]>)> {
    let mut changes: HashMap<Final<'_>, usize> = HashMap::new();
    let mut built: Vec<(Number, &[usize], usize)> = Vec::new();
    for (extent, unit) in numbers {
        let Extent::Built(roots, affixes) = extent else { continue };
        let next = changes.len();
        let change = if are_alike { *changes.entry(*affixes).or_insert(next) } else { 0 };
        built.push((*unit, roots, change));
    }
    built.sort_unstable();
    let mut ends = vec![BTreeSet::new(); changes.len()];
    changes.iter().for_each(|(affixes, change)| ends[*change] = affixes.each());
    let mut of_root: HashMap<(usize, usize), Vec<Number>> = HashMap::new();
    let mut with_changes: HashMap<usize, Vec<(Number, usize)>> = HashMap::new();
    for (unit, roots, changes) in &built {
        for root in *roots {
            of_root.entry((*root, *changes)).or_default().push(*unit);
            with_changes.entry(*root).or_default().push((*unit, *changes));
        }
    }
    let mut of_many: HashMap<(usize, usize), Scope> = HashMap::new();
    let mut list = |units: Vec<Number>| {
        lists.push(units);
        Scope::Units(number(lists.len() - 1))
    };
    built.into_iter().map(move |(unit, roots, changes)| {
        let (mut few, mut related) = (Vec::new(), SmallVec::new());
        for root in roots.iter().map(|root| (*root, changes)) {
            match of_root.get(&root).map_or(&[][..], Vec::as_slice) {
                all if all.len() > FEW => {
                    related.push(*of_many.entry(root).or_insert_with(|| list(all.to_vec())));
                }
                all => few.extend(all.iter().copied().filter(|other| *other != unit)),
            }
        }
        let at_roots = roots
            .iter()
            .filter_map(|root| with_changes.get(root))
            .filter(|all| are_alike && all.len() <= FEW);
        for (other, more) in at_roots.flatten().filter(|(other, more)| *other != unit && *more != changes) {
            few.extend(ends[*more].is_superset(&ends[changes]).then_some(*other));
        }
        few.sort_unstable();
        few.dedup();
        match few.len() > FEW {
            true => related.push(list(few)),
            false => related.insert_many(0, few.into_iter().map(Scope::Unit)),
        }
        (unit, related)
    })
}

/// The number of a part of a system: a unit, or a file that may be applied alone.
fn part(place: &Place, units: &[Unit]) -> usize {
    let is_loose = units[place.unit as usize].is_loose;
    if is_loose { units.len() + place.source as usize } else { place.unit as usize }
}

/// Finds the parts of each system: what the objects of one part, which none applies, apply themselves and by others.
fn systems<'a>(
    sources: &[SourceFacts<'_>],
    places: &[Place],
    units: &[Unit],
    built: impl Fn(&Path) -> Option<&'a Built>,
) -> Vec<SmallVec<[Number; 1]>> {
    let mut applies: HashMap<usize, HashSet<usize>> = HashMap::new();
    let mut are_applied: HashSet<usize> = HashSet::new();
    let parts: HashMap<&Path, usize> =
        sources.iter().zip(places).map(|(source, place)| (source.path, part(place, units))).collect();
    for (source, place) in sources.iter().zip(places) {
        let appliers = built(source.path).and_then(|built| built.appliers.as_deref()).unwrap_or_default();
        let own = part(place, units);
        for by in appliers.iter().filter_map(|applier| parts.get(Path::new(&*applier.file))) {
            if *by != own {
                applies.entry(*by).or_default().insert(own);
                are_applied.insert(own);
            }
        }
    }
    let mut systems = vec![SmallVec::new(); units.len() + sources.len()];
    let mut first: Vec<usize> = applies.keys().copied().filter(|part| !are_applied.contains(part)).collect();
    first.sort_unstable();
    for system in first {
        let (mut found, mut at) = (vec![system], 0);
        while let Some(&part) = found.get(at) {
            let of_part = &mut systems[part];
            if of_part.last() != Some(&number(system)) {
                of_part.push(number(system));
                found.extend(applies.get(&part).into_iter().flatten());
            }
            at += 1;
        }
    }
    systems
}
