//! What builds from the files of an input, and the namespaces that their objects get by it.
//!
//! A kustomization sets its namespace in all objects that it lists, and the outermost one with a namespace wins (kustomize,
//! api/internal/builtins/NamespaceTransformer.go). Components come before it, the last one first. A Flux Kustomization sets
//! that of its `targetNamespace` in what is at its `path` and in its `components` (kustomize-controller, Generator.WriteFile); without
//! a path it builds from the root of its source, which may be any repository. An Application of Argo CD gives the namespace of its
//! destination to objects that name none (argo-cd, util/kube). A kustomization puts its prefix and its suffix around the
//! names that those it lists have given (kustomize, PrefixTransformer), after its patches have changed them. Of a base with several overlays, objects are in the namespaces
//! of all. Names are relative to the working directory, so that a path in a repository is found wherever the program runs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Scan;
pub use super::applications::Notes;
use super::applications::{self, Application, Applications, Gift, OpenApplication, Taken, gift};
use super::directories::Directories;
use super::kustomization::{RESOURCES, added_metadata, affixes, files, joined, paths};
use super::moves::{self, Moves};
use super::removals::{self, PatchFiles, Removal};
use globset::{GlobBuilder, GlobSetBuilder};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use manifest::names::{Affixes, PatchTarget};
use manifest::object::Object;
use manifest::source::{
    Absent, AddedLabel, AddedLabels, Applier, Built, OwnName, Rendered, Source, own_name,
};
use syntax::given::{GivenNamespaces, UNKNOWN};
use syntax::tree::Node;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The namespaces, each with the file that gives it.
type Names = BTreeMap<Gift, Arc<str>>;

/// A kustomization, or an application.
#[derive(Debug, Default)]
struct Builder {
    /// Its file.
    file: Arc<str>,
    /// The namespace that it gives; `None` if it gives none.
    namespace: Option<Gift>,
    /// What it makes of names.
    affixes: Affixes,
    /// The namespaces that its patches give.
    moves: Moves,
    /// The labels that it adds.
    labels: AddedLabels,
    /// What it removes.
    removals: Vec<Removal>,
    /// The files and the directories that it lists.
    resources: Vec<PathBuf>,
    /// The directories of components.
    components: Vec<PathBuf>,
    /// The object that it is; `None` for a kustomization, which is none.
    applier: Option<Applier>,
}

impl Builder {
    fn of_kustomization(directory: &Path, file: &str, kustomization: &Node, patches: &PatchFiles) -> Self {
        let mut affixes = affixes(kustomization);
        let moves = moves::of(kustomization, directory, patches, &mut affixes);
        let resources = RESOURCES.into_iter().flat_map(|field| paths(kustomization, field, directory));
        Self {
            file: file.into(),
            namespace: gift(kustomization, "namespace", Gift::ToAll),
            affixes,
            moves,
            labels: of_kustomization(kustomization),
            removals: removals::of(kustomization, directory, patches),
            resources: resources.collect(),
            components: paths(kustomization, "components", directory).collect(),
            applier: None,
        }
    }
}

/// What the builders of a file, or of the files in a directory, make of it.
#[derive(Clone, Debug, Default)]
struct Reach {
    names: Names,
    /// The namespaces of the objects that patches move.
    moved: BTreeMap<PatchTarget, Names>,
    /// What is made of names at each step, and whether a build ends with it.
    affixes: BTreeMap<Affixes, bool>,
    /// The labels that are added, which those that one builder lists share.
    labels: Option<Arc<AddedLabels>>,
    /// The numbers of the builders that are objects.
    appliers: BTreeSet<usize>,
    /// The numbers of those that remove objects.
    removers: BTreeSet<usize>,
}

/// The most names of an object, and the most targets of patches that move some of a file.
const MOST_NAMES: usize = 64;

impl Reach {
    fn of_all<'r>(all: impl Iterator<Item = &'r Self>) -> Self {
        let mut whole = Self::default();
        all.for_each(|one| whole.extend(one));
        whole
    }

    fn extend(&mut self, other: &Self) {
        let targets: BTreeSet<PatchTarget> = self.moved.keys().chain(other.moved.keys()).cloned().collect();
        for target in targets.into_iter().take(MOST_NAMES) {
            let others = other.moved.get(&target).unwrap_or(&other.names).clone();
            self.moved.entry(target).or_insert_with(|| self.names.clone()).extend(others);
        }
        self.names.extend(other.names.clone());
        self.removers.extend(&other.removers);
        self.add_affixes(other.affixes.clone());
        self.appliers.extend(&other.appliers);
        let Some(others) = &other.labels else { return };
        let own = self.labels.get_or_insert_with(|| Arc::clone(others));
        if !Arc::ptr_eq(own, others) {
            let own = Arc::make_mut(own);
            for (key, label) in &**others {
                let one = own.entry(key.clone()).or_insert_with(|| label.clone());
                one.value = one.value.take().filter(|value| Some(value) == label.value.as_ref());
                one.in_pods |= label.in_pods;
            }
        }
    }

    fn add_affixes(&mut self, others: impl IntoIterator<Item = (Affixes, bool)>) {
        for (affixes, is_final) in others.into_iter().take(MOST_NAMES) {
            *self.affixes.entry(affixes).or_default() |= is_final;
        }
    }

    /// Adds labels where those that list their builder leave room for them.
    fn add_labels(&mut self, labels: &AddedLabels) {
        if labels.is_empty() {
            return;
        }
        let own = Arc::make_mut(self.labels.get_or_insert_default());
        for (key, label) in labels {
            own.entry(key.clone()).or_insert_with(|| label.clone()).in_pods |= label.in_pods;
        }
    }
}

/// The labels that a kustomization adds.
fn of_kustomization(kustomization: &Node) -> AddedLabels {
    let mut found = AddedLabels::new();
    for (_, labels, in_pods) in added_metadata(kustomization).filter(|(field, ..)| *field == "labels") {
        for entry in labels.as_map().into_iter().flatten() {
            if let Some(value) = entry.value.as_str() {
                found.insert(entry.key.to_string(), AddedLabel { value: Some(value.to_owned()), in_pods });
            }
        }
    }
    found
}

/// In which files applications of Flux and Argo CD are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApplicationFiles {
    /// In none.
    None,
    /// In those of which others may be applied: not in files that the user named, if the input has only these.
    Found,
    /// In all that can be read again.
    All,
}

/// Tells the `sources` what applies them, and gives their objects the namespaces. All files are read for the applications of
/// Flux and Argo CD, if they are asked for. Returns notes on those that may build from other repositories.
pub fn assign(sources: &mut [Source], asked: ApplicationFiles) -> Notes {
    let kustomizations = files(sources);
    if kustomizations.is_empty() && asked == ApplicationFiles::None {
        return Notes::default();
    }
    // Asked once: it takes a call of the system.
    let here = env::current_dir().unwrap_or_default();
    let mut builders = Builders::default();
    let patches = removals::in_files(sources, &kustomizations, &here);
    for (file, kustomization) in &kustomizations {
        let path = joined(&here, file);
        let Some(directory) = path.parent() else { continue };
        builders.add(directory, Builder::of_kustomization(directory, file, kustomization, &patches));
    }
    let mut notes = Notes::default();
    if asked != ApplicationFiles::None {
        let mut found = applications::read(sources, asked == ApplicationFiles::All, &here);
        notes = std::mem::take(&mut found.notes);
        let mut absent: HashMap<Arc<str>, Vec<Absent>> = HashMap::new();
        for one in std::mem::take(&mut found.absent) {
            absent.entry(Arc::clone(&one.by.file)).or_default().push(one);
        }
        let mut rendered: HashMap<Arc<str>, BTreeMap<String, Rendered>> = HashMap::new();
        for (set, names) in std::mem::take(&mut found.rendered) {
            let known = rendered.entry(set.file).or_default().entry(set.name).or_default();
            names.into_iter().for_each(|(text, names)| known.entry(text).or_default().extend(names));
        }
        for source in sources.iter_mut() {
            source.rendered = rendered.remove(&source.name).map(Arc::new);
            source.absent = absent.remove(&source.name).map(Arc::from);
        }
        builders.add_applications(found, &patches);
    }
    let does_nothing = |builder: &Builder| {
        let Builder { namespace, affixes, moves, labels, removals, applier, .. } = builder;
        let changes_none = affixes.is_empty() && moves.is_empty() && labels.is_empty();
        changes_none && namespace.is_none() && applier.is_none() && removals.is_empty()
    };
    if builders.all.iter().all(does_nothing) {
        return notes;
    }
    let order = builders.order();
    let outputs = builders.outputs(&order);
    // The last directory, and what is built of it: files of one directory come one after the other.
    let mut last: (PathBuf, Option<&Output>) = (PathBuf::new(), None);
    // The files of which objects are removed.
    let mut reduced: Vec<(Source, &Output)> = Vec::new();
    for source in sources.iter_mut().filter(|source| !source.is_stdin()) {
        let path = joined(&here, &source.name);
        let found = outputs.get(path.as_os_str()).or_else(|| {
            let directory = path.parent()?;
            if last.0 != directory {
                // A directory means all files below it.
                let found = directory.ancestors().find_map(|path| outputs.get(path.as_os_str()));
                last = (directory.to_owned(), found);
            }
            last.1
        });
        reduced.extend(
            found.filter(|output| !output.removers.is_empty()).map(|output| (source.clone(), output)),
        );
        source.built = found.map(|output| output.built.clone()).unwrap_or_default();
    }
    let mut removed = builders.removed(&order, &reduced);
    for source in sources {
        source.removed = removed.remove(&source.name).map(Arc::new);
    }
    notes
}

/// What is built of a file, or of the files in a directory.
#[derive(Clone, Default)]
struct Output {
    built: Built,
    /// The builders that list it.
    by: Vec<usize>,
    /// Those that remove objects.
    removers: BTreeSet<usize>,
}

/// The objects of a file that some builders remove, with what the others make of them.
type Removed = std::collections::HashMap<OwnName, Option<Built>>;

/// The builders in an order in which those that list others come before them.
struct Order {
    all: Vec<usize>,
    /// The place of each in it.
    places: Vec<usize>,
    /// For each, those before it that list it. Kustomizations that list each other cannot be built; it is as if nothing listed
    /// the first of them.
    above: Vec<Vec<usize>>,
}

/// Everything that builds from files.
#[derive(Debug, Default)]
struct Builders {
    all: Vec<Builder>,
    /// The kustomizations by their directories. Paths that are [`joined`] are equal if their texts are, which are hashed faster.
    at: HashMap<OsString, usize>,
    /// The applications that build from all files below a directory, because it has no kustomization.
    below: HashMap<OsString, Vec<usize>>,
}

impl Builders {
    /// The number of the kustomization of a directory; `None` if it has none.
    fn number(&self, directory: &Path) -> Option<usize> {
        self.at.get(directory.as_os_str()).copied()
    }

    fn add(&mut self, directory: &Path, builder: Builder) {
        self.at.insert(directory.into(), self.all.len());
        self.all.push(builder);
    }

    /// Adds the applications that build from the input.
    fn add_applications(&mut self, applications: Applications, patches: &PatchFiles) {
        let Applications { placed, open, directories, unrendered, .. } = applications;
        for (Application { applier, namespace, kustomize, components, takes, .. }, directory) in placed {
            let components = components.iter().map(|path| joined(&directory, path)).collect();
            if matches!(takes, Taken::All) && self.number(&directory).is_none() {
                self.below.entry(directory.clone().into()).or_default().push(self.all.len());
            }
            let own = Builder::of_kustomization(&directory, &applier.file, &kustomize, patches);
            let resources = self.taken(directory, &takes, &directories, &unrendered);
            self.all.push(Builder { namespace, resources, components, applier: Some(applier), ..own });
        }
        self.add_open(&open, &directories, &unrendered);
    }

    /// What an application takes of a directory: its kustomization, or its files.
    fn taken(
        &self,
        directory: PathBuf,
        takes: &Taken,
        directories: &Directories,
        unrendered: &HashSet<PathBuf>,
    ) -> Vec<PathBuf> {
        match takes {
            Taken::Manifests(filter) if filter.is_stated || self.number(&directory).is_none() => {
                let mut files = directories.manifests(&directory, filter);
                files.retain(|file| !unrendered.contains(file));
                files
            }
            _ => vec![directory],
        }
    }

    /// Adds the applications of which the input does not say what they build from. The namespace of what they may build from, and
    /// nothing else does, is not known.
    fn add_open(
        &mut self,
        open: &[OpenApplication],
        directories: &Directories,
        unrendered: &HashSet<PathBuf>,
    ) {
        if open.is_empty() {
            return;
        }
        let children: HashSet<usize> = self.children().concat().into_iter().collect();
        let listed = self.all.iter().flat_map(|builder| &builder.resources);
        let listed: HashSet<PathBuf> = listed.filter(|path| self.number(path).is_none()).cloned().collect();
        let is_free = |path: &PathBuf| match self.number(path) {
            Some(number) => !children.contains(&number),
            None => !path.ancestors().any(|above| listed.contains(above)),
        };
        // Of several with one pattern, the first counts.
        let mut roots: BTreeMap<&Path, BTreeMap<&str, &OpenApplication>> = BTreeMap::new();
        for one in open {
            roots.entry(&one.root).or_default().entry(&one.pattern).or_insert(one);
        }
        let mut found: Vec<Builder> = Vec::new();
        for (root, patterns) in roots {
            let globs = patterns.keys().filter_map(|pattern| GlobBuilder::new(pattern).build().ok());
            let mut set = GlobSetBuilder::new();
            globs.for_each(|glob| _ = set.add(glob));
            let (set, patterns) =
                (set.build().unwrap_or_default(), patterns.into_values().collect::<Vec<_>>());
            let first = found.len();
            found.extend(patterns.iter().map(|one| Builder {
                file: Arc::clone(&one.file),
                namespace: Some(Gift::ToUnnamed(UNKNOWN.into())),
                ..Builder::default()
            }));
            for directory in directories.below(root) {
                let below = directory.strip_prefix(root).unwrap_or(directory);
                if let Some(&at) = set.matches(below).first() {
                    let taken =
                        self.taken(directory.to_owned(), &patterns[at].takes, directories, unrendered);
                    found[first + at].resources.extend(taken.into_iter().filter(is_free));
                }
            }
        }
        self.all.extend(found);
    }

    /// What is built of each file, or of the files in a directory; nothing of directories with a kustomization, unless
    /// they are listed.
    fn outputs(&self, order: &Order) -> HashMap<OsString, Output> {
        let reach = self.reach(&order.all, order, &BTreeSet::new());
        let mut listing: HashMap<&OsStr, Vec<usize>> = HashMap::new();
        for (number, builder) in self.all.iter().enumerate() {
            for path in builder.resources.iter().filter(|path| self.number(path).is_none()) {
                listing.entry(path.as_os_str()).or_default().push(number);
            }
        }
        // Files that the same builders list have all in common.
        let mut known: HashMap<Vec<usize>, Output> = HashMap::new();
        let listed = listing.into_iter().map(|(path, by)| {
            let output = known.entry(by).or_insert_with_key(|by| {
                let whole = Reach::of_all(by.iter().filter_map(|number| reach.get(number)));
                Output { built: self.of_reach(&whole), by: by.clone(), removers: whole.removers }
            });
            (path.to_owned(), output.clone())
        });
        let listed: Vec<(OsString, Output)> = listed.collect();
        let directories = self.at.keys().map(|directory| (directory.clone(), Output::default()));
        // What a generator makes is applied and renamed, too.
        let files = self.at.iter().filter_map(|(directory, number)| {
            let name = Path::new(&*self.all[*number].file).file_name()?;
            let built = Built { labels: None, ..self.of_reach(reach.get(number)?) };
            Some((Path::new(directory).join(name).into(), Output { built, ..Output::default() }))
        });
        directories.chain(listed).chain(files).collect()
    }

    /// The objects that some builders remove, by the names of their files, with what the others make of them.
    fn removed(&self, order: &Order, files: &[(Source, &Output)]) -> HashMap<Arc<str>, Removed> {
        let outputs: HashMap<&str, &Output> =
            files.iter().map(|(source, output)| (&*source.name, *output)).collect();
        let removals: HashMap<usize, Vec<&Removal>> = outputs
            .values()
            .flat_map(|output| &output.removers)
            .map(|&number| (number, self.removals(number)))
            .collect();
        let files: Vec<Source> = files.iter().map(|(source, _)| source.clone()).collect();
        let read = |object: &Object<'_>, found: &mut Vec<(Arc<str>, OwnName, BTreeSet<usize>)>| {
            let source = &object.document.source.name;
            let Some(output) = outputs.get(&**source) else { return };
            let removes = |number: &&usize| {
                removals[*number].iter().any(|removal| removal.is_of(object, &output.built))
            };
            let removers: BTreeSet<usize> = output.removers.iter().filter(removes).copied().collect();
            if !removers.is_empty() {
                found.push((Arc::clone(source), own_name(object.head), removers));
            }
        };
        let mut known: HashMap<(&[usize], BTreeSet<usize>), Option<Built>> = HashMap::new();
        let mut all: HashMap<Arc<str>, Removed> = HashMap::new();
        Scan::of(&files).objects(read, |found| {
            for (file, mut name, removers) in found {
                let Some(output) = outputs.get(&*file) else { continue };
                let known = known.entry((&output.by, removers));
                let built =
                    known.or_insert_with_key(|(by, removers)| self.built_without(removers, by, order));
                let objects = all.entry(file).or_default();
                objects.insert(name.clone(), built.clone());
                // A Namespace may get another name.
                let given = built.as_ref().and_then(|built| built.given.as_ref()?.only());
                if let (Some(given), "Namespace") = (given, &*name[1]) {
                    name[3] = given.to_owned();
                    objects.insert(name, built.clone());
                }
            }
        });
        all
    }

    /// What is built of what these builders list, if some builders do not count; `None` if none is left.
    fn built_without(&self, removers: &BTreeSet<usize>, by: &[usize], order: &Order) -> Option<Built> {
        let mut seen: HashSet<usize> = by.iter().copied().collect();
        let mut numbers: Vec<usize> = seen.iter().copied().collect();
        let mut at = 0;
        while let Some(&number) = numbers.get(at) {
            numbers.extend(order.above[number].iter().copied().filter(|above| seen.insert(*above)));
            at += 1;
        }
        numbers.sort_unstable_by_key(|number| order.places[*number]);
        let reach = self.reach(&numbers, order, removers);
        let left: Vec<&Reach> = by.iter().filter_map(|number| reach.get(number)).collect();
        (!left.is_empty()).then(|| self.of_reach(&Reach::of_all(left.into_iter())))
    }

    /// What the patches of a builder and of its components remove.
    fn removals(&self, number: usize) -> Vec<&Removal> {
        let (mut seen, mut numbers, mut at) = (HashSet::from_iter([number]), vec![number], 0);
        while let Some(&number) = numbers.get(at) {
            let components = self.all[number].components.iter().filter_map(|path| self.number(path));
            numbers.extend(components.filter(|component| seen.insert(*component)));
            at += 1;
        }
        numbers.into_iter().flat_map(|number| &self.all[number].removals).collect()
    }

    fn of_reach(&self, Reach { names, moved, affixes, labels, appliers, .. }: &Reach) -> Built {
        let moved = moved.iter().filter_map(|(target, names)| Some((target.clone(), given_by(names)?)));
        let moved: Arc<[_]> = moved.collect();
        let appliers: Arc<[Applier]> =
            appliers.iter().filter_map(|number| self.all[*number].applier.clone()).collect();
        let affixes = affixes.iter().map(|(one, is_final)| Affixes { is_final: *is_final, ..one.clone() });
        let affixes: Arc<[Affixes]> = affixes.collect();
        Built {
            given: given_by(names).map(Arc::new),
            moved: Some(moved).filter(|moved| !moved.is_empty()),
            appliers: Some(appliers).filter(|appliers| !appliers.is_empty()),
            affixes: Some(affixes).filter(|affixes| !affixes.iter().all(Affixes::is_empty)),
            labels: labels.clone(),
        }
    }

    fn order(&self) -> Order {
        let children: Vec<Vec<usize>> = self.children();
        let count = self.all.len();
        let mut waiting = vec![0_usize; count];
        children.iter().flatten().for_each(|child| waiting[*child] += 1);
        let mut ready: Vec<usize> = (0..count).filter(|number| waiting[*number] == 0).collect();
        let mut rest = 0..count;
        let mut done = vec![false; count];
        let mut order = Order { all: Vec::new(), places: vec![0; count], above: vec![Vec::new(); count] };
        while let Some(number) = ready.pop().or_else(|| rest.find(|number| !done[*number])) {
            if std::mem::replace(&mut done[number], true) {
                continue;
            }
            order.places[number] = order.all.len();
            order.all.push(number);
            for child in &children[number] {
                // Those that list each other are done already.
                if !done[*child] {
                    order.above[*child].push(number);
                }
                waiting[*child] -= 1;
                if waiting[*child] == 0 {
                    ready.push(*child);
                }
            }
        }
        order
    }

    /// What each of these builders, in their order, makes of what it lists, if the `removers` do not count: those that only they
    /// list make nothing.
    fn reach(&self, numbers: &[usize], order: &Order, removers: &BTreeSet<usize>) -> HashMap<usize, Reach> {
        let mut all: HashMap<usize, Reach> = HashMap::with_capacity(numbers.len());
        for &number in numbers.iter().filter(|number| !removers.contains(number)) {
            // What it gets from those that list it, and then what it makes of it.
            let above = &order.above[number];
            let mut listing = above.iter().filter_map(|above| all.get(above)).peekable();
            if above.is_empty() || listing.peek().is_some() {
                let mut own = Reach::of_all(listing);
                self.build(number, &mut own);
                all.insert(number, own);
            }
        }
        all
    }

    /// Adds what a builder gives where those that list it leave room for it.
    fn build(&self, number: usize, reach: &mut Reach) {
        reach.appliers.extend(self.all[number].applier.is_some().then_some(number));
        reach.removers.extend((!self.removals(number).is_empty()).then_some(number));
        // A component renames what there is before the kustomization does.
        let components = self.all[number].components.iter().filter_map(|path| self.number(path));
        let steps: Vec<&Builder> = components.chain([number]).map(|step| &self.all[step]).collect();
        let own = steps.iter().fold(Affixes::default(), |inner, step| step.affixes.around(&inner));
        let is_listed = !reach.affixes.is_empty();
        let outer = std::mem::take(&mut reach.affixes).into_iter();
        let around = |(outer, is_final): (Affixes, bool)| (outer.around(&own), is_final);
        reach.add_affixes([(Affixes::default(), !is_listed)].into_iter().chain(outer).map(around));
        let file = || Arc::clone(&self.all[number].file);
        let namespace = self.namespace(number, &mut HashSet::new());
        let moved = std::mem::take(&mut reach.moved).into_iter();
        reach.moved = moved.map(|(target, names)| (target.before(&own), names)).collect();
        for (target, to) in steps.iter().flat_map(|step| &step.moves) {
            let names = reach.moved.entry(target.clone()).or_insert_with(|| reach.names.clone());
            give(names, Some(Gift::ToAll(to.as_str().into())).filter(|_| namespace.is_none()), file);
        }
        for names in reach.moved.values_mut().chain([&mut reach.names]) {
            give(names, namespace.clone(), file);
        }
        // A component changes what the kustomization lists.
        reach.add_labels(&self.all[number].labels);
        for component in self.all[number].components.iter().filter_map(|path| self.number(path)) {
            reach.add_labels(&self.all[component].labels);
        }
    }

    /// The kustomizations that each builder builds from.
    fn children(&self) -> Vec<Vec<usize>> {
        let listed = |builder: &Builder| {
            let paths = builder.resources.iter().chain(&builder.components);
            paths.filter_map(|path| self.number(path)).collect()
        };
        let mut children: Vec<Vec<usize>> = self.all.iter().map(listed).collect();
        for (directory, number) in self.at.iter().filter(|_| !self.below.is_empty()) {
            // Flux builds from a kustomization as a whole, and not from others below it.
            for above in Path::new(directory).ancestors().skip(1) {
                if self.number(above).is_some() {
                    break;
                }
                self.below
                    .get(above.as_os_str())
                    .into_iter()
                    .flatten()
                    .for_each(|flux| children[*flux].push(*number));
            }
        }
        children
    }

    /// The namespace that a builder gives: its own, or else that of its last component with one. `seen` are those that are
    /// asked already.
    fn namespace(&self, number: usize, seen: &mut HashSet<usize>) -> Option<Gift> {
        let builder = &self.all[number];
        if builder.namespace.is_some() || !seen.insert(number) || seen.len() > DEPTH {
            return builder.namespace.clone();
        }
        let components = builder.components.iter().rev().filter_map(|path| self.number(path));
        components.into_iter().find_map(|component| self.namespace(component, seen))
    }
}

/// Adds the namespace that a builder gives where those that list it leave room for it.
fn give(names: &mut Names, namespace: Option<Gift>, file: impl Fn() -> Arc<str>) {
    let is_to_unnamed = |gift: &Gift| matches!(gift, Gift::ToUnnamed(_));
    match namespace {
        Some(own) if names.is_empty() || names.keys().any(is_to_unnamed) => {
            names.retain(|gift, _| !is_to_unnamed(gift));
            names.insert(own, file());
        }
        None if names.is_empty() => {
            names.insert(Gift::ToUnnamed(DEFAULT_NAMESPACE.into()), file());
        }
        _ => (),
    }
}

/// The namespaces, if they are not only that of objects without one.
fn given_by(names: &Names) -> Option<GivenNamespaces> {
    let (mut to_all, mut to_unnamed) = (Vec::new(), Vec::new());
    for gift in names.keys() {
        match gift {
            Gift::ToAll(name) => to_all.push(name.to_string()),
            Gift::ToUnnamed(name) => to_unnamed.push(name.to_string()),
        }
    }
    // Those that are given to all come first.
    let giver = names.iter().find(|(gift, _)| !is_default(gift)).map(|(_, file)| file.to_string());
    GivenNamespaces::new(to_all, to_unnamed, giver?)
}

/// How many components are followed for a namespace.
const DEPTH: usize = 100;

/// Whether it is what objects get that nothing gives a namespace.
fn is_default(gift: &Gift) -> bool {
    matches!(gift, Gift::ToUnnamed(name) if **name == *DEFAULT_NAMESPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(name: &str) -> PathBuf {
        joined(&env::current_dir().unwrap_or_default(), name)
    }

    /// The namespaces of objects in a file, one that names none and one that names `own`, given these kustomizations.
    fn given(kustomizations: &[(&str, &str)], file: &str) -> Option<[String; 2]> {
        let mut builders = Builders::default();
        for (path, text) in kustomizations {
            let (path, tree) = (whole(path), testing::tree(text));
            let directory = path.parent().expect("a directory");
            builders.add(
                directory,
                Builder::of_kustomization(directory, &path.to_string_lossy(), &tree, &PatchFiles::new()),
            );
        }
        let given = builders.outputs(&builders.order()).remove(whole(file).as_os_str())?.built.given?;
        Some([None, Some("own")].map(|own| given.of(own).to_owned()))
    }

    #[track_caller]
    fn check(kustomizations: &[(&str, &str)], file: &str, expected: Option<[&str; 2]>) {
        assert_eq!(given(kustomizations, file), expected.map(|names| names.map(str::to_owned)));
    }

    #[test]
    fn the_outermost_kustomization_with_a_namespace_gives_it() {
        let base = ("base/kustomization.yaml", "{resources: [a.yaml], namespace: inner}");
        let middle = ("middle/kustomization.yaml", "{resources: [../base]}");
        let outer = ("outer/kustomization.yaml", "{bases: [../middle], namespace: outer}");
        check(&[base], "base/a.yaml", Some(["inner", "inner"]));
        check(&[base, middle], "base/a.yaml", Some(["inner", "inner"]));
        check(&[base, middle, outer], "base/a.yaml", Some(["outer", "outer"]));
        check(&[base, middle, outer], "base/b.yaml", None);
        let plain = ("base/kustomization.yaml", "{resources: [a.yaml]}");
        check(&[plain, middle], "base/a.yaml", None);
    }

    #[test]
    fn a_base_is_in_the_namespaces_of_all_overlays() {
        let base = ("base/kustomization.yaml", "{resources: [a.yaml]}");
        let overlay = |at, text| (at, text);
        let b = overlay("b/kustomization.yaml", "{resources: [../base], namespace: b}");
        let a = overlay("a/kustomization.yaml", "{resources: [../base, c.yaml], namespace: a}");
        check(&[base, b, a], "base/a.yaml", Some(["a,b", "a,b"]));
        check(&[base, b, a], "a/c.yaml", Some(["a", "a"]));
        let plain = overlay("c/kustomization.yaml", "{resources: [../base]}");
        check(&[base, a, plain], "base/a.yaml", Some(["default,a", "own,a"]));
    }

    #[test]
    fn components_come_before_the_kustomization_and_the_last_one_wins() {
        let component = |at, text| (at, text);
        let x = component("x/kustomization.yaml", "{kind: Component, namespace: x, resources: [x.yaml]}");
        let y = component("y/kustomization.yaml", "{kind: Component, namespace: y}");
        let with = |text| ("app/kustomization.yaml", text);
        let both = with("{resources: [a.yaml], components: [../x, ../y]}");
        check(&[x, y, both], "app/a.yaml", Some(["y", "y"]));
        let own = with("{resources: [a.yaml], components: [../x], namespace: app}");
        check(&[x, own], "app/a.yaml", Some(["app", "app"]));
        check(&[x, own], "x/x.yaml", Some(["app", "app"]));
    }

    #[test]
    fn kustomizations_that_list_each_other_end() {
        let a = ("a/kustomization.yaml", "{resources: [../b, a.yaml], namespace: a}");
        let b = ("b/kustomization.yaml", "{resources: [../a], components: [../b], namespace: b}");
        assert!(given(&[a, b], "a/a.yaml").is_some());
    }
}
