//! What builds from the files of an input, and the namespaces that their objects get by it.
//!
//! A kustomization sets its namespace in all objects that it lists, and the outermost one with a namespace wins (kustomize,
//! api/internal/builtins/NamespaceTransformer.go). Components come before it, the last one first. A Flux Kustomization sets
//! that of its `targetNamespace` in what is at its `path` and in its `components` (kustomize-controller, Generator.WriteFile); without
//! a path it builds from the root of its source, which may be any repository. An Application of Argo CD gives the namespace of its
//! destination to objects that name none (argo-cd, util/kube). A kustomization puts its prefix and its suffix around the
//! names that the kustomizations it lists have given (kustomize, PrefixTransformer), after its patches have changed them. The
//! objects of a base with several overlays are in the namespaces of all of them.
//!
//! The paths here are absolute, so that a directory is found wherever the program runs and however the input names it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};

use super::Scan;
pub use super::applications::Notes;
use super::applications::{self, Application, Applications, Gift, OpenApplication, Taken, gift};
use super::clusters;
use super::kustomization::{self, RESOURCES, added_metadata, affixes, files, joined, paths};
use super::moves::{self, Moves};
use super::removals::{self, PatchFiles};
use super::selected::Selected;
use super::transformers;
use globset::{GlobBuilder, GlobSetBuilder};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::view;
use manifest::names::{Affixes, ObjectNames, PatchTarget};
use manifest::object::Object;
use manifest::source::{Absent, Applied, Applier, Built, OwnName, Rendered, Source, own_name};
use syntax::given::{AddedLabel, AddedLabels, GivenLabels, GivenNamespaces, UNKNOWN};
use syntax::tree::Node;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};

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
    let notes = assign_written(sources, asked);
    if applications::are_patched(sources) { assign_written(sources, asked) } else { notes }
}

/// The same as the applications are written, and as what is known to apply them patches them.
fn assign_written(sources: &mut [Source], asked: ApplicationFiles) -> Notes {
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
    // Whether an overlay counts from which one builds that removes objects, depends on what is applied.
    let has = |is: fn(&Builder) -> bool| builders.all.iter().any(is);
    let read = match asked {
        ApplicationFiles::None if has(|one| one.is_overlay) && has(|one| !one.removals.is_empty()) => {
            ApplicationFiles::Found
        }
        asked => asked,
    };
    let mut notes = Notes::default();
    if read != ApplicationFiles::None {
        let mut found = applications::read(sources, read == ApplicationFiles::All, &here);
        if asked == read {
            notes = std::mem::take(&mut found.notes);
        }
        let mut absent: HashMap<Arc<str>, Vec<Absent>> = HashMap::new();
        // Several builds of an application may take the same.
        let mut known = HashSet::new();
        for one in std::mem::take(&mut found.absent) {
            if !known.insert(one.clone()) {
                continue;
            }
            absent.entry(Arc::clone(&one.by.file)).or_default().push(one);
        }
        let mut rendered: HashMap<Arc<str>, BTreeMap<String, Rendered>> = HashMap::new();
        for (set, names) in std::mem::take(&mut found.rendered) {
            let known = rendered.entry(set.file).or_default().entry(set.name).or_default();
            names.into_iter().for_each(|(text, names)| known.entry(text).or_default().extend(names));
        }
        let mut applied: HashMap<Arc<str>, Vec<Applied>> = HashMap::new();
        // Flux makes a kustomization of what it applies.
        let built = found.placed.iter().filter(|(one, _)| {
            one.applier.kind == "Kustomization" || kustomization::patches(&one.kustomize).next().is_some()
        });
        for (Application { applier, kustomize, components, .. }, directory) in built {
            applied.entry(Arc::clone(&applier.file)).or_default().push(Applied {
                by: applier.clone(),
                directory: directory.clone(),
                components: components.iter().map(|path| joined(directory, path)).collect(),
                changes: Arc::new(kustomize.clone()),
            });
        }
        for source in sources.iter_mut() {
            source.applied = applied.remove(&source.name).map(Arc::new);
            source.rendered = rendered.remove(&source.name).map(Arc::new);
            source.absent = absent.remove(&source.name).map(Arc::from);
        }
        builders.add_applications(found, &patches);
    }
    if builders.all.is_empty() {
        return notes;
    }
    let order = builders.order();
    let outputs = builders.outputs(&order);
    // The last directory, and what is built of it: files of one directory come one after the other.
    let mut last: (PathBuf, Option<&Output>) = (PathBuf::new(), None);
    // The files of which objects are removed.
    let mut reduced: Vec<(Source, &Output)> = Vec::new();
    for source in sources.iter_mut().filter(|source| !source.is_stdin()) {
        // What another program built is applied as a whole: by whoever applies its directory.
        let path = joined(&here, source.built_from().unwrap_or(&source.name));
        let found = outputs.get(path.as_os_str()).or_else(|| {
            let directory = path.parent().filter(|_| source.built_from().is_none())?;
            if last.0 != directory {
                // A directory means all files below it.
                let found = directory.ancestors().find_map(|path| outputs.get(path.as_os_str()));
                last = (directory.to_owned(), found);
            }
            last.1
        });
        let whole = |source: &Source| match &source.kustomization {
            Some(root) => kustomization::made(&(Arc::clone(&source.name), Arc::clone(root))),
            None => source.clone(),
        };
        reduced
            .extend(found.filter(|output| !output.removers.is_empty()).map(|output| (whole(source), output)));
        source.built = found.map(|output| output.built.clone()).unwrap_or_default();
    }
    clusters::assign(sources);
    let mut removed = builders.removed(&order, &reduced);
    if !builders.has_room() {
        notes.texts.push(
            "kustomizations and applications build from each other in too many ways to follow all: namespaces, names and labels that \
             they give may be missing"
                .to_owned(),
        );
    }
    for source in sources {
        source.removed = removed.remove(&source.name).map(Arc::new);
    }
    notes
}

/// The numbers of builders that are objects.
type Appliers = BTreeSet<usize>;

/// The namespaces, each with the file that gives it and the objects that apply what gets it.
type Namespaces = BTreeMap<Gift, (Arc<str>, Appliers)>;

fn join(namespaces: &mut Namespaces, others: &Namespaces) {
    for (gift, (file, by)) in others {
        namespaces.entry(gift.clone()).or_insert_with(|| (Arc::clone(file), Appliers::new())).1.extend(by);
    }
}

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
    labels: Option<Arc<GivenLabels>>,
    /// What it removes.
    removals: Vec<Selected>,
    /// The files and the directories that it lists.
    resources: Vec<PathBuf>,
    /// The directories of components.
    components: Vec<PathBuf>,
    /// The object that it is, and what that changes; `None` for a kustomization, which is none.
    applier: Option<(Applier, Arc<Node>)>,
    /// What it is if nothing builds from it.
    standing: Standing,
    /// Whether it makes objects of its own.
    generates: bool,
    /// Whether the input does not say what it builds from.
    is_open: bool,
    /// Whether it puts what another kustomization builds into a namespace, and so may be applied although a third one builds from it.
    is_overlay: bool,
}

impl Builder {
    fn of_kustomization(directory: &Path, file: &str, kustomization: &Node, patches: &PatchFiles) -> Self {
        let mut affixes = affixes(kustomization);
        let moves = moves::of(kustomization, directory, patches, &mut affixes);
        let resources = RESOURCES.into_iter().flat_map(|field| paths(kustomization, field, directory));
        let resources: Vec<PathBuf> = resources.collect();
        let mut namespace = gift(kustomization, "namespace", Gift::ToAll);
        let labels = added_metadata(kustomization).filter(|(field, ..)| *field == "labels");
        let mut labels: AddedLabels =
            labels.flat_map(|(_, labels, places)| added_labels(labels, places)).collect();
        // They come after what the fields do, and the last one wins (kustomize, api/internal/builtins).
        for transformer in transformers::of(kustomization, directory, |path| patches.at(path)) {
            let text = |field| view::text(&transformer, field);
            match text("kind") {
                "NamespaceTransformer" => {
                    let to =
                        if view::bool(&transformer, "unsetOnly") { Gift::ToUnnamed } else { Gift::ToAll };
                    namespace = match (namespace, gift(&transformer, "metadata.namespace", to)) {
                        (Some(own), Some(Gift::ToUnnamed(_))) => Some(own),
                        (own, next) => next.or(own),
                    };
                }
                "LabelTransformer" => {
                    let has = |word| {
                        let mut specs = view::list(&transformer, "fieldSpecs").iter();
                        specs.any(|spec| view::text(spec, "path").contains(word))
                    };
                    let places = [has("template"), has("spec/selector")];
                    labels.extend(
                        transformer.get("labels").into_iter().flat_map(|all| added_labels(all, places)),
                    );
                }
                "PrefixTransformer" | "PrefixSuffixTransformer" | "SuffixTransformer" => {
                    affixes.prefix.insert_str(0, text("prefix"));
                    affixes.suffix.push_str(text("suffix"));
                }
                _ => (),
            }
        }
        Self {
            file: file.into(),
            // Directories below its own are parts of it; of others, kustomize takes no files.
            is_overlay: namespace.is_some() && resources.iter().any(|path| !path.starts_with(directory)),
            namespace,
            affixes,
            moves,
            labels: GivenLabels::new([Arc::new(labels)]),
            removals: removals::of(kustomization, directory, patches),
            resources,
            components: paths(kustomization, "components", directory).collect(),
            standing: match view::text(kustomization, "kind") {
                "Component" => Standing::Component,
                _ => Standing::Kustomization,
            },
            generates: kustomization::makes(kustomization).next().is_some(),
            ..Self::default()
        }
    }
}

/// What the builders of a file, or of the files in a directory, make of it.
#[derive(Clone, Debug, Default)]
struct Reach {
    namespaces: Namespaces,
    /// The namespaces of the objects that patches move.
    moved: BTreeMap<PatchTarget, Namespaces>,
    /// What is made of names at each step, whether a build ends with it, and the objects that apply it then.
    affixes: BTreeMap<Affixes, (bool, Appliers)>,
    /// The labels that are added, which those that one builder lists share.
    labels: Option<Arc<GivenLabels>>,
    /// Those that remove objects.
    removers: BTreeSet<Remover>,
    /// The outermost builders, which are applied.
    roots: BTreeSet<usize>,
    /// What these are.
    standing: Standing,
}

/// What the outermost builders of a file are. Those that stand lower do not count beside others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Components, which are nothing by themselves.
    #[default]
    Component,
    /// Kustomizations.
    Kustomization,
    /// Objects that apply files, and overlays, which someone may apply.
    Applied,
}

/// A builder that removes objects, and which of its steps does so: itself, or one of its components.
type Remover = (usize, usize);

/// How much is followed of what builders make of what they build from: they may do so in so many ways
/// that there is no memory for all.
const MOST: usize = 1 << 22;

/// The weight of one namespace, name or label.
const WEIGHT: usize = 8;

/// The weight of namespaces, with the appliers of what gets them.
fn weight(namespaces: &Namespaces) -> usize {
    namespaces.values().map(|(_, by)| WEIGHT + by.len()).sum()
}

impl Reach {
    /// The weight that another one adds.
    fn weight_of(&self, other: &Self) -> usize {
        let own = if other.moved.is_empty() { 0 } else { weight(&self.namespaces) };
        let moved: usize = other.moved.values().map(|namespaces| own + weight(namespaces)).sum();
        let affixes = other.affixes.iter();
        let affixes = affixes.map(|(one, (_, by))| {
            WEIGHT * (1 + one.filled.len()) + one.prefix.len() + one.suffix.len() + by.len()
        });
        let labels = other.labels.iter().flat_map(|labels| labels.builds()).map(|labels| 1 + labels.len());
        weight(&other.namespaces) * (1 + self.moved.len())
            + moved
            + affixes.sum::<usize>()
            + WEIGHT * labels.sum::<usize>()
            + other.roots.len()
            + other.removers.len()
    }

    fn extend(&mut self, other: &Self) {
        match other.standing.cmp(&self.standing) {
            Ordering::Less => return,
            Ordering::Greater => return self.clone_from(other),
            Ordering::Equal => (),
        }
        let targets: BTreeSet<PatchTarget> = self.moved.keys().chain(other.moved.keys()).cloned().collect();
        for target in targets {
            let others = other.moved.get(&target).unwrap_or(&other.namespaces);
            join(self.moved.entry(target).or_insert_with(|| self.namespaces.clone()), others);
        }
        let is_first = self.namespaces.is_empty();
        join(&mut self.namespaces, &other.namespaces);
        self.removers.extend(&other.removers);
        self.roots.extend(&other.roots);
        self.add_affixes(other.affixes.clone());
        match (&mut self.labels, &other.labels) {
            (own, others) if is_first => own.clone_from(others),
            (None, None) => (),
            (Some(own), Some(others)) if Arc::ptr_eq(own, others) => (),
            (own, others) => {
                // One that adds none is one of the builds, too.
                if own.is_none() {
                    Arc::make_mut(own.get_or_insert_default()).add(None);
                }
                Arc::make_mut(own.get_or_insert_default()).add(others.as_deref());
            }
        }
    }

    fn add_affixes(&mut self, others: impl IntoIterator<Item = (Affixes, (bool, Appliers))>) {
        for (affixes, (is_final, by)) in others {
            let own = self.affixes.entry(affixes).or_default();
            own.0 |= is_final;
            own.1.extend(by);
        }
    }

    /// What is made of it for each object that applies it, if that differs.
    fn by_applier(&self) -> BTreeMap<usize, Self> {
        let mut each: BTreeMap<usize, Self> = BTreeMap::new();
        if self.namespaces.len() < 2 && self.affixes.len() < 2 && self.moved.is_empty() {
            return each;
        }
        let only = |file: &Arc<str>| (Arc::clone(file), Appliers::new());
        for (gift, (file, by)) in &self.namespaces {
            for one in by {
                each.entry(*one).or_default().namespaces.insert(gift.clone(), only(file));
            }
        }
        for (affixes, (is_final, by)) in &self.affixes {
            for one in by {
                let own = &mut each.entry(*one).or_default().affixes;
                own.insert(affixes.clone(), (*is_final, Appliers::new()));
            }
        }
        for (target, namespaces) in &self.moved {
            for (gift, (file, by)) in namespaces {
                for one in by {
                    let moved = &mut each.entry(*one).or_default().moved;
                    moved.entry(target.clone()).or_default().insert(gift.clone(), only(file));
                }
            }
        }
        each
    }

    /// Adds the labels of a builder where no outer builder sets them.
    fn add_labels(&mut self, labels: Option<&Arc<GivenLabels>>) {
        let Some(labels) = labels else { return };
        let Some(outer) = &self.labels else { return self.labels = Some(Arc::clone(labels)) };
        self.labels = GivenLabels::new(outer.builds().map(|build| {
            let mut build = Arc::clone(build);
            let own = Arc::make_mut(&mut build);
            for (key, label) in &**labels.all() {
                let one = own.entry(key.clone()).or_insert_with(|| label.clone());
                one.in_pods |= label.in_pods;
                one.in_selectors |= label.in_selectors;
            }
            build
        }));
    }
}

/// The labels of a map, and whether they are added to the templates of pods and to selectors.
fn added_labels(
    labels: &Node,
    [in_pods, in_selectors]: [bool; 2],
) -> impl Iterator<Item = (String, AddedLabel)> {
    labels.as_map().into_iter().flatten().filter_map(move |entry| {
        let value = Some(entry.value.as_str()?.to_owned());
        Some((entry.key.to_string(), AddedLabel { value, in_pods, in_selectors, is_in_all: true }))
    })
}

/// What is built of a file, or of the files in a directory.
#[derive(Clone, Default)]
struct Output {
    built: Built,
    /// The builders that list it.
    by: Vec<usize>,
    /// Those that remove objects.
    removers: BTreeSet<Remover>,
}

/// The objects of a file that some builders remove, with what the others make of them.
type Removed = std::collections::HashMap<OwnName, Option<Built>>;

/// The builders in an order in which those that list others come before them.
struct Order {
    all: Vec<usize>,
    /// The place of each in it.
    places: Vec<usize>,
    /// For each, those before it that list it. Kustomizations that list each other cannot be built; it is as if nothing listed the
    /// first of them.
    above: Vec<Vec<usize>>,
    /// Which of these list it as a resource; the others do so as a component, which is one of their steps.
    outer: Vec<Vec<usize>>,
}

/// Everything that builds from files.
#[derive(Debug, Default)]
struct Builders {
    all: Vec<Builder>,
    /// The kustomizations by their directories. Paths that are [`joined`] are equal if their texts are, which are hashed faster.
    at: HashMap<OsString, usize>,
    /// The applications that build from all files below a directory, because it has no kustomization.
    below: HashMap<OsString, Vec<usize>>,
    /// Whether applications say what is applied.
    is_applied: bool,
    /// How much was followed of what they make.
    followed: AtomicUsize,
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
    fn add_applications(&mut self, mut applications: Applications, patches: &PatchFiles) {
        self.is_applied = !(applications.placed.is_empty() && applications.open.is_empty());
        let placed = std::mem::take(&mut applications.placed);
        for (Application { applier, namespace, kustomize, components, takes, .. }, directory) in placed {
            let components = components.iter().map(|path| joined(&directory, path)).collect();
            if matches!(takes, Taken::All) && self.number(&directory).is_none() {
                self.below.entry(directory.clone().into()).or_default().push(self.all.len());
            }
            let own = Builder::of_kustomization(&directory, &applier.file, &kustomize, patches);
            let resources = self.taken(directory, &takes, &applications);
            let applier = Some((applier, Arc::new(kustomize)));
            let standing = Standing::Applied;
            self.all.push(Builder { namespace, resources, components, applier, standing, ..own });
        }
        self.add_open(&applications);
    }

    /// What an application takes of a directory: its kustomization, or its files.
    fn taken(&self, directory: PathBuf, takes: &Taken, applications: &Applications) -> Vec<PathBuf> {
        match takes {
            Taken::Manifests(filter) if filter.is_stated || self.number(&directory).is_none() => {
                let mut files = applications.directories.manifests(&directory, filter);
                files.retain(|file| !applications.unrendered.contains(file));
                files
            }
            _ => vec![directory],
        }
    }

    /// Adds the applications of which the input does not say what they build from. The namespace of objects that only these may
    /// apply is not known.
    fn add_open(&mut self, applications: &Applications) {
        let Applications { open, directories, .. } = applications;
        if open.is_empty() {
            return;
        }
        let children: HashSet<usize> =
            self.children().into_iter().flatten().map(|(child, _)| child).collect();
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
                standing: Standing::Applied,
                is_open: true,
                ..Builder::default()
            }));
            for directory in directories.below(root) {
                let below = directory.strip_prefix(root).unwrap_or(directory);
                if let Some(&at) = set.matches(below).first() {
                    let taken = self.taken(directory.to_owned(), &patterns[at].takes, applications);
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
                let mut all = by.iter().filter_map(|number| reach.get(number));
                let whole = match by.len() {
                    1 => all.next().map_or_else(Cow::default, Cow::Borrowed),
                    _ => Cow::Owned(self.whole(all)),
                };
                Output { built: self.of_reach(&whole), by: by.clone(), removers: whole.removers.clone() }
            });
            (path.to_owned(), output.clone())
        });
        let listed: Vec<(OsString, Output)> = listed.collect();
        let directories = self.at.keys().map(|directory| (directory.clone(), Output::default()));
        // What a generator makes is applied and renamed, too, and so is what patches set.
        let has_any = |number: &usize| self.is_applied || self.all[*number].generates;
        let files = self.at.iter().filter(|(_, number)| has_any(number));
        let files = files.filter_map(|(directory, number)| {
            let name = Path::new(&*self.all[*number].file).file_name()?;
            let reach = reach.get(number)?;
            let built = Built { labels: None, ..self.of_reach(reach) };
            let output = Output { built, by: vec![*number], removers: reach.removers.clone() };
            Some((Path::new(directory).join(name).into(), output))
        });
        directories.chain(listed).chain(files).collect()
    }

    /// The objects that some builders remove, by the names of their files, with what the others make of them.
    fn removed(&self, order: &Order, files: &[(Source, &Output)]) -> HashMap<Arc<str>, Removed> {
        let outputs: HashMap<&str, &Output> =
            files.iter().map(|(source, output)| (&*source.name, *output)).collect();
        let files: Vec<Source> = files.iter().map(|(source, _)| source.clone()).collect();
        let read = |object: &Object<'_>, found: &mut Vec<(Arc<str>, OwnName, BTreeSet<usize>)>| {
            let source = &object.document.source.name;
            let Some(output) = outputs.get(&**source) else { return };
            let removes = |(_, step): &&Remover| {
                self.all[*step].removals.iter().any(|one| removals::is_selected(one, object, &output.built))
            };
            let removers = output.removers.iter().filter(removes).map(|(builder, _)| *builder);
            let removers: BTreeSet<usize> = removers.collect();
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
        (!left.is_empty()).then(|| self.of_reach(&self.whole(left.into_iter())))
    }

    fn of_reach(&self, reach: &Reach) -> Built {
        let Reach { namespaces, moved, affixes, labels, .. } = reach;
        let moved =
            moved.iter().filter_map(|(target, namespaces)| Some((target.clone(), given_by(namespaces)?)));
        let applier = |number: usize| Some(self.all[number].applier.as_ref()?.0.clone());
        let appliers: Appliers = namespaces.values().flat_map(|(_, by)| by).copied().collect();
        let each = reach.by_applier();
        let each = each.iter().filter_map(|(number, reach)| Some((applier(*number)?, self.of_reach(reach))));
        let changes = appliers.iter().filter_map(|number| self.all[*number].applier.clone());
        let changes = changes.filter(|(_, changes)| kustomization::patches(changes).next().is_some());
        let affixes = (!affixes.keys().all(Affixes::is_empty)).then_some(affixes).into_iter().flatten();
        let affixes: Vec<Affixes> =
            affixes.map(|(one, (is_final, _))| Affixes { is_final: *is_final, ..one.clone() }).collect();
        let labels = filled_labels(labels.as_ref(), &affixes);
        Built {
            given: given_by(namespaces).map(Arc::new),
            moved: shared(moved),
            changes: shared(changes),
            affixes: shared(affixes.into_iter()),
            labels,
            roots: shared(reach.roots.iter().copied()),
            each: shared(each),
            appliers: shared(appliers.iter().copied().filter_map(applier)),
        }
    }

    fn order(&self) -> Order {
        let children = self.children();
        let count = self.all.len();
        let mut waiting = vec![0_usize; count];
        children.iter().flatten().for_each(|(child, _)| waiting[*child] += 1);
        let mut ready: Vec<usize> = (0..count).filter(|number| waiting[*number] == 0).collect();
        let mut rest = 0..count;
        let mut done = vec![false; count];
        let (above, outer) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut order = Order { all: Vec::new(), places: vec![0; count], above, outer };
        while let Some(number) = ready.pop().or_else(|| rest.find(|number| !done[*number])) {
            if std::mem::replace(&mut done[number], true) {
                continue;
            }
            order.places[number] = order.all.len();
            order.all.push(number);
            for (child, is_resource) in &children[number] {
                // Those that list each other are done already.
                if !done[*child] {
                    order.above[*child].push(number);
                    order.outer[*child].extend(is_resource.then_some(number));
                }
                waiting[*child] -= 1;
                if waiting[*child] == 0 {
                    ready.push(*child);
                }
            }
        }
        order
    }

    /// What each of these builders, in their order, makes of what it lists, without the `removers`, and without what only they
    /// list, but for overlays if nothing says what is applied.
    fn reach(&self, numbers: &[usize], order: &Order, removers: &BTreeSet<usize>) -> HashMap<usize, Reach> {
        let mut all: HashMap<usize, Reach> = HashMap::with_capacity(numbers.len());
        for &number in numbers.iter().filter(|number| !removers.contains(number)) {
            let mut outer = order.outer[number].iter().filter_map(|outer| all.get(outer)).peekable();
            let is_listed = outer.peek().is_some();
            // A component is none by itself.
            let is_left = !self.is_applied && self.all[number].is_overlay && !order.outer[number].is_empty();
            if is_listed || is_left || order.above[number].is_empty() {
                let mut whole = self.whole(outer);
                let by = self.all[number].applier.is_some().then_some(number);
                // What is open applies each directory by itself.
                let is_root = whole.roots.is_empty() && !self.all[number].is_open;
                whole.roots.extend(is_root.then_some(number));
                let own = &self.all[number];
                let may_be_applied =
                    self.is_applied && own.is_overlay && own.standing == Standing::Kustomization;
                let standing = if may_be_applied { Standing::Applied } else { own.standing };
                whole.standing = whole.standing.max(standing);
                whole.add_affixes([(Affixes::default(), (!is_listed, by.into_iter().collect()))]);
                self.build(number, &mut whole, &mut all);
            }
        }
        all
    }

    /// Whether all was followed so far.
    fn has_room(&self) -> bool {
        self.followed.load(atomic::Ordering::Relaxed) <= MOST
    }

    /// What some builders make together.
    fn whole<'r>(&self, all: impl Iterator<Item = &'r Reach>) -> Reach {
        let mut whole = Reach::default();
        all.for_each(|one| self.extend(&mut whole, one));
        whole
    }

    /// Adds what a builder makes to that of others, unless there is too much.
    fn extend(&self, reach: &mut Reach, other: &Reach) {
        self.followed.fetch_add(reach.weight_of(other), atomic::Ordering::Relaxed);
        if self.has_room() {
            reach.extend(other);
        }
    }

    /// Adds what a builder, and each component of it as one of its steps, makes of what it lists to that of others, given what is
    /// made afterwards. Components come before what lists them, and change what they and those before them list.
    fn build(&self, builder: usize, reach: &mut Reach, all: &mut HashMap<usize, Reach>) {
        let (mut steps, mut next) = (HashSet::new(), Some(builder));
        // The steps, each with the components that are left.
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        loop {
            if let Some(step) = next.take().filter(|step| self.has_room() && steps.insert(*step)) {
                self.change((builder, step), reach);
                let components = self.all[step].components.iter();
                open.push((step, components.filter_map(|path| self.number(path)).collect()));
            }
            let Some((step, left)) = open.last_mut() else { return };
            next = left.pop();
            if next.is_none() {
                self.extend(all.entry(*step).or_default(), reach);
                open.pop();
            }
        }
    }

    /// Adds what a step of a builder gives where no outer builder and no later step sets it.
    fn change(&self, (builder, step): Remover, reach: &mut Reach) {
        let Builder { file, namespace, affixes, moves, labels, removals, .. } = &self.all[step];
        if !affixes.is_empty() {
            let outer = std::mem::take(&mut reach.affixes).into_iter();
            reach.add_affixes(outer.map(|(outer, end)| (outer.around(affixes), end)));
            let moved = std::mem::take(&mut reach.moved).into_iter();
            reach.moved = moved.map(|(target, namespaces)| (target.before(affixes), namespaces)).collect();
        }
        let by = self.all[builder].applier.is_some().then_some(builder);
        for namespaces in reach.moved.values_mut().chain([&mut reach.namespaces]) {
            give(namespaces, namespace.clone(), file, by);
        }
        // Its patches come before its namespace.
        for (target, to) in moves {
            let namespaces = reach.moved.entry(target.clone()).or_insert_with(|| reach.namespaces.clone());
            give(namespaces, Some(Gift::ToAll(to.as_str().into())), file, by);
        }
        reach.add_labels(labels.as_ref());
        reach.removers.extend((!removals.is_empty()).then_some((builder, step)));
    }

    /// The kustomizations that each builder builds from, and whether they are resources or components.
    fn children(&self) -> Vec<Vec<(usize, bool)>> {
        let listed = |builder: &Builder| {
            let resources = builder.resources.iter().map(|path| (path, true));
            let all = resources.chain(builder.components.iter().map(|path| (path, false)));
            all.filter_map(|(path, is_resource)| Some((self.number(path)?, is_resource))).collect()
        };
        let mut children: Vec<Vec<(usize, bool)>> = self.all.iter().map(listed).collect();
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
                    .for_each(|flux| children[*flux].push((*number, true)));
            }
        }
        children
    }
}

/// A list that is shared; `None` if it is empty.
fn shared<T>(items: impl Iterator<Item = T>) -> Option<Arc<[T]>> {
    let mut items = items.peekable();
    items.peek().is_some().then(|| items.collect())
}

/// Adds the namespace that a builder gives where no outer builder sets it.
fn give(namespaces: &mut Namespaces, namespace: Option<Gift>, file: &Arc<str>, by: Option<usize>) {
    let is_to_unnamed = |gift: &Gift| matches!(gift, Gift::ToUnnamed(_));
    let gift = match namespace {
        Some(own) if namespaces.is_empty() || namespaces.keys().any(is_to_unnamed) => own,
        None if namespaces.is_empty() => Gift::ToUnnamed(DEFAULT_NAMESPACE.into()),
        _ => return,
    };
    let mut by: Appliers = by.filter(|_| namespaces.is_empty()).into_iter().collect();
    namespaces.retain(|gift, (_, others)| {
        let is_kept = !is_to_unnamed(gift);
        by.extend(others.iter().filter(|_| !is_kept));
        is_kept
    });
    namespaces.entry(gift).or_insert_with(|| (Arc::clone(file), Appliers::new())).1.extend(by);
}

/// The namespaces, if they are not only that of objects without one.
fn given_by(namespaces: &Namespaces) -> Option<GivenNamespaces> {
    let (mut to_all, mut to_unnamed) = (Vec::new(), Vec::new());
    for gift in namespaces.keys() {
        match gift {
            Gift::ToAll(name) => to_all.push(name.to_string()),
            Gift::ToUnnamed(name) => to_unnamed.push(name.to_string()),
        }
    }
    // Those that are given to all come first.
    let default = Gift::ToUnnamed(DEFAULT_NAMESPACE.into());
    let giver = namespaces.iter().find(|(gift, _)| **gift != default).map(|(_, (file, _))| file.to_string());
    GivenNamespaces::new(to_all, to_unnamed, giver?)
}

/// The labels with what Flux writes in their values.
fn filled_labels(labels: Option<&Arc<GivenLabels>>, affixes: &[Affixes]) -> Option<Arc<GivenLabels>> {
    let (labels, names) = (labels?, ObjectNames::new("", "", Some(affixes)));
    let is_open = |labels: &&Arc<AddedLabels>| labels.values().any(AddedLabel::is_open);
    if !names.are_filled() || !labels.builds().any(|labels| is_open(&labels)) {
        return Some(Arc::clone(labels));
    }
    let filled = |labels: &Arc<AddedLabels>, fill: &dyn Fn(&str) -> String| {
        let filled = |(key, label): (&String, &AddedLabel)| {
            let value = label.value.as_deref().map(fill);
            (key.clone(), AddedLabel { value, ..label.clone() })
        };
        Arc::new(labels.iter().map(filled).collect())
    };
    let known = labels.builds().filter(|labels| !is_open(labels)).cloned();
    let open = labels.builds().filter(is_open);
    GivenLabels::new(
        known.chain(open.flat_map(|labels| names.fillings().map(move |fill| filled(labels, &fill)))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
                Builder::of_kustomization(directory, &path.to_string_lossy(), &tree, &PatchFiles::default()),
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
    fn all_components_count() {
        let component = |at: usize| (format!("c{at}/kustomization.yaml"), "{kind: Component, namespace: x}");
        let all: Vec<(String, &str)> = (0..2000).map(component).collect();
        let names = (0..2000).map(|at| format!("../c{at}")).collect::<Vec<_>>().join(", ");
        let first = ("first/kustomization.yaml", "{kind: Component, resources: [a.yaml]}");
        let app = format!("{{components: [../first, {names}]}}");
        let mut all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        all.extend([first, ("app/kustomization.yaml", &app)]);
        check(&all, "first/a.yaml", Some(["x", "x"]));
    }

    /// A kustomization of a random tree, which lists its own file, and some of those before it.
    #[derive(Clone, Debug)]
    struct Random {
        is_component: bool,
        lists: [bool; 6],
        namespace: Option<u8>,
        has_prefix: bool,
        label: Option<u8>,
    }

    /// The file, the namespace, the name and the label of an object that is built.
    type BuiltObject = (usize, Option<u8>, String, Option<u8>);

    /// Builds as kustomize does: the resources, then the components one after the other, then its own changes. `None` if a component
    /// comes twice, whose objects would be there twice. `steps` are the components that have come.
    fn build(
        all: &[Random],
        number: usize,
        mut objects: Vec<BuiltObject>,
        steps: &mut Vec<usize>,
    ) -> Option<Vec<BuiltObject>> {
        if steps.contains(&number) {
            return None;
        }
        steps.push(number);
        let own = &all[number];
        let listed = |wanted| (0..number).filter(move |at| own.lists[*at] && all[*at].is_component == wanted);
        objects.push((number, None, "o".to_owned(), None));
        for child in listed(false) {
            objects.extend(build(all, child, Vec::new(), &mut Vec::new())?);
        }
        let mut objects =
            listed(true).try_fold(objects, |objects, component| build(all, component, objects, steps))?;
        for (_, namespace, name, label) in &mut objects {
            *namespace = own.namespace.or(*namespace);
            *label = own.label.or(*label);
            if own.has_prefix {
                name.insert_str(0, &format!("p{number}-"));
            }
        }
        Some(objects)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_tree_of_kustomizations_makes_what_a_build_of_each_root_does(
            all in prop::collection::vec(
                (any::<bool>(), any::<[bool; 6]>(), prop::option::of(0..3_u8), any::<bool>(), prop::option::of(0..2_u8)),
                1..6,
            )
        ) {
            let random = |(is_component, lists, namespace, has_prefix, label)| {
                Random { is_component, lists, namespace, has_prefix, label }
            };
            let all: Vec<Random> = all.into_iter().map(random).collect();
            let mut builders = Builders::default();
            for (number, one) in all.iter().enumerate() {
                let listed = |wanted: bool| {
                    let is_it = |at: &usize| one.lists[*at] && all[*at].is_component == wanted;
                    (0..number).filter(is_it).map(|at| whole(&at.to_string())).collect::<Vec<_>>()
                };
                let prefix = if one.has_prefix { format!("p{number}-") } else { String::new() };
                let label = |value: u8| AddedLabel {
                    value: Some(value.to_string()),
                    in_pods: false,
                    in_selectors: false,
                    is_in_all: true,
                };
                let builder = Builder {
                    namespace: one.namespace.map(|name| Gift::ToAll(format!("n{name}").into())),
                    affixes: Affixes { prefix, ..Affixes::default() },
                    labels: GivenLabels::new(
                        one.label.map(|value| Arc::new([("label".to_owned(), label(value))].into())),
                    ),
                    resources: [vec![whole(&format!("{number}/o.yaml"))], listed(false)].concat(),
                    components: listed(true),
                    ..Builder::default()
                };
                builders.add(&whole(&number.to_string()), builder);
            }
            let mut outputs = builders.outputs(&builders.order());
            let is_listed = |number: &usize| all[number + 1..].iter().any(|one| one.lists[*number]);
            let roots = (0..all.len()).filter(|number| !is_listed(number));
            let objects: Option<Vec<Vec<BuiltObject>>> =
                roots.map(|root| build(&all, root, Vec::new(), &mut Vec::new())).collect();
            prop_assume!(objects.is_some());
            let objects = objects.unwrap_or_default().concat();
            for number in 0..all.len() {
                let path = whole(&format!("{number}/o.yaml"));
                let built = outputs.remove(path.as_os_str()).unwrap_or_default().built;
                let own: Vec<&BuiltObject> = objects.iter().filter(|object| object.0 == number).collect();
                let namespaces: BTreeSet<String> = own
                    .iter()
                    .map(|object| object.1.map_or(DEFAULT_NAMESPACE.to_owned(), |name| format!("n{name}")))
                    .collect();
                let found = built.given.as_deref().map_or(DEFAULT_NAMESPACE, |given| given.of(None));
                prop_assert_eq!(found.split(',').map(str::to_owned).collect::<BTreeSet<_>>(), namespaces);
                let names: BTreeSet<String> = own.iter().map(|object| object.2.clone()).collect();
                let found = ObjectNames::new("ConfigMap", "o", built.affixes.as_deref()).built();
                let found = if found.is_empty() { BTreeSet::from(["o".to_owned()]) } else { found };
                prop_assert_eq!(found, names);
                let labels: BTreeSet<u8> = own.iter().filter_map(|object| object.3).collect();
                let value = labels.first().filter(|_| labels.len() == 1).map(u8::to_string);
                let label = built.labels.as_deref().and_then(|labels| labels.all().get("label"));
                prop_assert_eq!(label.map(|label| label.value.clone()), labels.first().map(|_| value));
            }
        }
    }

    #[test]
    fn kustomizations_that_list_each_other_end() {
        let a = ("a/kustomization.yaml", "{resources: [../b, a.yaml], namespace: a}");
        let b = ("b/kustomization.yaml", "{resources: [../a], components: [../b], namespace: b}");
        assert!(given(&[a, b], "a/a.yaml").is_some());
    }
}
