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

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicUsize};

use super::Scan;
pub use super::applications::Notes;
use super::applications::{self, Application, Applications, Gift, OpenApplication, Taken, gift};
use super::clusters;
use super::graph::{Fold, Graph};
use super::kustomization::{
    self, Holds, RESOURCES, added_labels, added_metadata, affixes, directory_of, files, joined,
};
use super::moves;
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
use syntax::head::Head;
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

/// How many Flux Kustomizations may apply each other whose paths have variables that the outer one sets.
const MOST_ROUNDS: usize = 4;

/// Tells the `sources` what applies them, and gives their objects the namespaces. All files are read for the applications of
/// Flux and Argo CD, if they are asked for. Returns notes on those that may build from other repositories.
pub fn assign(sources: &mut [Source], asked: ApplicationFiles) -> Notes {
    let mut round = assign_written(sources, asked, true);
    let mut are_others = applications::are_patched(sources);
    // What is below what has its variables filled in has its own in the next round.
    for _ in 0..MOST_ROUNDS {
        if !(are_others || round.unfilled > 0 && applications::are_filled(sources)) {
            break;
        }
        let next = assign_written(sources, asked, true);
        are_others = false;
        let is_last = round.unfilled <= next.unfilled;
        round = next;
        if round.is_cut {
            // So many builds by their variables are followed no better than by patterns.
            round = assign_written(sources, asked, false);
            break;
        }
        if is_last {
            break;
        }
    }
    round.notes
}

/// What a round tells of what applies the sources.
#[derive(Default)]
struct Round {
    notes: Notes,
    /// How many appliers have variables left.
    unfilled: usize,
    /// Whether not all builds were followed.
    is_cut: bool,
}

/// The same as the applications are written, and as what is known to apply them patches them and, if asked to, fills in their variables.
fn assign_written(sources: &mut [Source], asked: ApplicationFiles, fills: bool) -> Round {
    let kustomizations = files(sources);
    if kustomizations.is_empty() && asked == ApplicationFiles::None {
        return Round::default();
    }
    // Asked once: it takes a call of the system.
    let here = env::current_dir().unwrap_or_default();
    let patches = removals::in_files(sources, &kustomizations, &here);
    let mut builders = Builders { graph: Graph::of(&kustomizations, &here), ..Builders::default() };
    for (file, kustomization) in &kustomizations {
        let directory = joined(&here, &directory_of(file).to_string_lossy());
        builders.add(Builder::of_kustomization(&directory, file, kustomization, &patches));
    }
    // Whether an overlay counts from which one builds that removes objects, depends on what is applied.
    let has = |is: fn(&Builder) -> bool| builders.all.iter().any(is);
    let read = match asked {
        ApplicationFiles::None
            if has(Builder::gives_namespace)
                && has(|one| one.reaches_elsewhere)
                && has(|one| !one.removals.is_empty()) =>
        {
            ApplicationFiles::Found
        }
        asked => asked,
    };
    let (mut notes, mut unfilled) = (Notes::default(), 0);
    if read != ApplicationFiles::None {
        let mut found = applications::read(sources, read == ApplicationFiles::All, fills, &here);
        unfilled = found.unfilled;
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
        return Round { notes, unfilled, is_cut: false };
    }
    let mut outputs = Outputs::of(builders);
    // The last directory, and what is built of it: files of one directory come one after the other.
    let mut last: (PathBuf, Option<Output>) = (PathBuf::new(), None);
    // The files of which objects are removed or get labels.
    let mut patched: Vec<(Source, Output)> = Vec::new();
    for source in sources.iter_mut().filter(|source| !source.is_stdin()) {
        // What another program built is applied as a whole: by whoever applies its directory.
        let path = joined(&here, source.built_from().unwrap_or(&source.name));
        let found = outputs.get(&path).or_else(|| {
            let directory = path.parent().filter(|_| source.built_from().is_none())?;
            if last.0 != directory {
                // A directory means all files below it.
                let found = directory.ancestors().find_map(|path| outputs.get(path));
                last = (directory.to_owned(), found);
            }
            last.1.clone()
        });
        source.built = Built::default();
        let Some(output) = found else { continue };
        if !output.patchers.is_empty() {
            let whole = match &source.kustomization {
                Some(root) => kustomization::made(&(Arc::clone(&source.name), Arc::clone(root))),
                None => source.clone(),
            };
            patched.push((whole, output.clone()));
        }
        source.built = output.built;
    }
    clusters::assign(sources);
    let mut patched = outputs.builders.patched(&patched);
    let is_cut = !outputs.builders.has_room();
    if is_cut {
        notes.texts.push(
            "kustomizations and applications build from each other in too many ways to follow all: namespaces, names and labels that \
             they give may be missing"
                .to_owned(),
        );
    }
    for source in sources {
        source.patched = patched.remove(&source.name).map(Arc::new);
    }
    Round { notes, unfilled, is_cut }
}

/// A kustomization, or an application.
#[derive(Debug, Default)]
struct Builder {
    /// Its file.
    file: Arc<str>,
    /// What it makes of what it builds from.
    change: Change,
    /// What it removes.
    removals: Vec<Selected>,
    /// The labels that its patches set, and the numbers of these by the only name that they are for, or an empty one.
    labels: Vec<(Selected, Arc<AddedLabels>)>,
    labels_by_name: HashMap<String, Vec<usize>>,
    /// The object that it is, and what that changes; `None` for a kustomization, which is none.
    applier: Option<(Applier, Arc<Node>)>,
    /// What it is if nothing builds from it.
    standing: Standing,
    /// Whether it makes objects of its own.
    generates: bool,
    /// Whether the input does not say what it builds from.
    is_open: bool,
    /// Whether it builds from what is not below its directory, or from what does. With a namespace, it is an overlay, which may be
    /// applied although another one builds from it or what the input applies is something else.
    reaches_elsewhere: bool,
}

impl Builder {
    fn of_kustomization(directory: &Path, file: &str, kustomization: &Node, patches: &PatchFiles) -> Self {
        let mut affixes = affixes(kustomization);
        let moves::Given { moves, labels: patched } =
            moves::of(kustomization, directory, patches, &mut affixes);
        let fields = RESOURCES.into_iter().chain(["components"]);
        let mut paths = fields.flat_map(|field| view::list(kustomization, field)).filter_map(Node::as_str);
        let is_elsewhere = |path: &str| {
            (path.contains("..") || path.starts_with('/')) && !joined(directory, path).starts_with(directory)
        };
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
        let file: Arc<str> = file.into();
        let mut labels_by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, (selected, _)) in patched.iter().enumerate() {
            let name = selected.only_name().unwrap_or_default().to_owned();
            labels_by_name.entry(name).or_default().push(number);
        }
        Self {
            // Directories below its own are parts of it; of others, kustomize takes no files.
            reaches_elsewhere: paths.any(is_elsewhere),
            change: Change {
                namespace: namespace.map(|gift| (gift, Arc::clone(&file))),
                affixes,
                moves: moves
                    .into_iter()
                    .map(|(one, to)| (one, (Gift::ToAll(to.into()), Arc::clone(&file))))
                    .collect(),
                labels: Arc::new(labels),
                patchers: BTreeSet::new(),
            },
            file,
            removals: removals::of(kustomization, directory, patches),
            labels: patched,
            labels_by_name,
            standing: match view::text(kustomization, "kind") {
                "Component" => Standing::Component,
                _ => Standing::Kustomization,
            },
            generates: kustomization::makes(kustomization).next().is_some(),
            ..Self::default()
        }
    }

    fn gives_namespace(&self) -> bool {
        self.change.namespace.is_some()
    }

    fn is_overlay(&self) -> bool {
        self.gives_namespace() && self.reaches_elsewhere
    }
}

/// What builders make of what they build from, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// The namespace that they give, and the file that says so.
    namespace: Option<Given>,
    /// What they make of names.
    affixes: Affixes,
    /// The namespaces of the objects that patches move.
    moves: BTreeMap<PatchTarget, Given>,
    /// The labels that they add.
    labels: Arc<AddedLabels>,
    /// Those of them that remove objects or set labels of some.
    patchers: BTreeSet<usize>,
}

/// A namespace, and the file that gives it.
type Given = (Gift, Arc<str>);

/// How labels that are added last add to those that are added first, for each of the former.
type Merged = HashMap<*const AddedLabels, Arc<AddedLabels>>;

impl Change {
    /// What `inner` changes first, and then this, which wins.
    fn after(&self, inner: &Self, merged: &mut Merged) -> Self {
        let namespace = match (&self.namespace, &inner.namespace) {
            (Some((Gift::ToAll(_), _)), _) | (_, None) => &self.namespace,
            (_, own) => own,
        };
        let mut moves = self.moves.clone();
        if !inner.affixes.is_empty() {
            moves = moves.into_iter().map(|(target, to)| (target.before(&inner.affixes), to)).collect();
        }
        // Patches come before the namespace.
        let last = namespace.as_ref().filter(|(gift, _)| matches!(gift, Gift::ToAll(_)));
        for (target, to) in &inner.moves {
            moves.entry(target.clone()).or_insert_with(|| last.unwrap_or(to).clone());
        }
        let labels =
            merged.entry(Arc::as_ptr(&self.labels)).or_insert_with(|| merge(&self.labels, &inner.labels));
        Self {
            namespace: namespace.clone(),
            affixes: self.affixes.around(&inner.affixes),
            moves,
            labels: Arc::clone(labels),
            patchers: &self.patchers | &inner.patchers,
        }
    }

    /// How much memory it takes.
    fn weight(&self) -> usize {
        let Affixes { prefix, suffix, renamed, filled, .. } = &self.affixes;
        let parts = renamed.len() + filled.len() + self.moves.len();
        WEIGHT * (4 + parts) + prefix.len() + suffix.len()
    }
}

/// The labels that builders add, of which outer ones win.
fn merge(outer: &Arc<AddedLabels>, inner: &Arc<AddedLabels>) -> Arc<AddedLabels> {
    if outer.is_empty() || inner.is_empty() {
        return Arc::clone(if outer.is_empty() { inner } else { outer });
    }
    let mut all = AddedLabels::clone(outer);
    for (key, label) in &**inner {
        let one = all.entry(key.clone()).or_insert_with(|| label.clone());
        one.in_pods |= label.in_pods;
        one.in_selectors |= label.in_selectors;
    }
    Arc::new(all)
}

/// What becomes of something until the end of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Build {
    change: Change,
    /// The outermost builder, which is applied; `None` if that applies each directory by itself.
    root: Option<usize>,
}

/// The builds of a file, or of the files in a directory.
#[derive(Clone, Debug, Default)]
struct Reach {
    builds: BTreeSet<Arc<Build>>,
    /// What is made of names at the end of other kustomizations.
    stages: BTreeSet<Affixes>,
    /// What the outermost builders are.
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

/// How much is followed of what builders make of what they build from: they may do so in so many ways
/// that there is no memory for all.
const MOST: usize = 1 << 22;

/// The weight of a namespace, a name or a label.
const WEIGHT: usize = 8;

/// What is built of a file, or of the files in a directory.
#[derive(Clone, Default)]
struct Output {
    built: Built,
    /// The builders that list it, if some patch objects.
    by: Vec<usize>,
    /// Those that remove objects or set labels of some.
    patchers: Arc<[usize]>,
}

/// What is built of all files.
struct Outputs {
    builders: Builders,
    reach: HashMap<usize, Arc<Reach>>,
    /// What is built of files that have all in common.
    known: HashMap<Vec<*const Reach>, Output>,
}

impl Outputs {
    fn of(mut builders: Builders) -> Self {
        builders.graph = builders.graph.link();
        let Builders { graph, all, .. } = &mut builders;
        for &number in graph.order.iter().rev() {
            let reaches = graph.inner[number].iter().any(|(inner, _)| all[*inner].reaches_elsewhere);
            all[number].reaches_elsewhere |= reaches;
        }
        Self {
            reach: builders.graph.fold(&builders.graph.order, &With::all(&builders)),
            builders,
            known: HashMap::new(),
        }
    }

    /// What is built of a file, or of the files in a directory; nothing of directories with a kustomization. `None` if nothing lists the path.
    fn get(&mut self, path: &Path) -> Option<Output> {
        let Self { builders, reach, known } = self;
        let Builders { graph, all, is_applied, .. } = &*builders;
        if graph.number(path).is_some() {
            return Some(Output::default());
        }
        // What a generator makes is applied and renamed, too, and so is what patches set.
        let has_any = |number: &usize| *is_applied || all[*number].generates;
        let is_it = |number: &usize| Path::new(&*all[*number].file).file_name() == path.file_name();
        let file = path.parent().and_then(|directory| graph.number(directory)).filter(is_it).filter(has_any);
        let by = file.as_ref().map_or(graph.listing(path), slice::from_ref);
        if by.is_empty() {
            return None;
        }
        let all: Vec<&Arc<Reach>> = by.iter().filter_map(|number| reach.get(number)).collect();
        let key = all.iter().map(|reach| Arc::as_ptr(reach)).collect();
        let mut output = known
            .entry(key)
            .or_insert_with(|| {
                let whole = With::all(builders).whole(all);
                let patchers = whole.builds.iter().flat_map(|build| &build.change.patchers).copied();
                let patchers = patchers.collect::<BTreeSet<usize>>().into_iter().collect();
                Output { built: builders.of_reach(&whole), patchers, by: Vec::new() }
            })
            .clone();
        if !output.patchers.is_empty() {
            output.by = by.to_vec();
        }
        output.built.labels.take_if(|_| file.is_some());
        Some(output)
    }
}

/// The objects of a file that patches remove or give labels, with what the builds make of them that have them.
type Patched = std::collections::HashMap<OwnName, Option<Built>>;

/// Everything that builds from files.
#[derive(Debug, Default)]
struct Builders {
    all: Vec<Builder>,
    graph: Graph,
    /// Whether applications say what is applied.
    is_applied: bool,
    /// How much was followed of what they make.
    followed: AtomicUsize,
}

impl Builders {
    fn add(&mut self, mut builder: Builder) {
        let is_patcher = !(builder.removals.is_empty() && builder.labels.is_empty());
        builder.change.patchers.extend(is_patcher.then_some(self.all.len()));
        self.all.push(builder);
    }

    /// Adds the applications that build from the input.
    fn add_applications(&mut self, mut applications: Applications, patches: &PatchFiles) {
        self.is_applied = !(applications.placed.is_empty() && applications.open.is_empty());
        let placed = std::mem::take(&mut applications.placed);
        for (Application { applier, namespace, kustomize, components, takes, .. }, directory) in placed {
            let mut own = Builder::of_kustomization(&directory, &applier.file, &kustomize, patches);
            own.change.namespace = namespace.map(|gift| (gift, Arc::clone(&own.file)));
            let components = components.iter().map(|path| (joined(&directory, path), Holds::Components));
            let resources = self.taken(directory.clone(), &takes, &applications).into_iter();
            let listed = resources.map(|path| (path, Holds::Resources)).chain(components);
            let number = self.graph.add(listed);
            if matches!(takes, Taken::All) && self.graph.number(&directory).is_none() {
                self.graph.add_above(&directory, number);
            }
            let applier = Some((applier, Arc::new(kustomize)));
            self.add(Builder { applier, standing: Standing::Applied, ..own });
        }
        self.add_open(&applications);
    }

    /// What an application takes of a directory: its kustomization, or its files.
    fn taken(&self, directory: PathBuf, takes: &Taken, applications: &Applications) -> Vec<PathBuf> {
        match takes {
            Taken::Manifests(filter) if filter.is_stated || self.graph.number(&directory).is_none() => {
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
        let graph = &self.graph;
        let is_file = |path: &Path| graph.number(path).is_none();
        let is_listed = |path: &Path| !graph.listing(path).is_empty();
        let is_free = |path: &PathBuf| match is_file(path) {
            true => !path.ancestors().any(|above| is_file(above) && is_listed(above)),
            false => !is_listed(path) && graph.above_of(path).next().is_none(),
        };
        // Of several with one pattern, the first counts.
        let mut roots: BTreeMap<&Path, BTreeMap<&str, &OpenApplication>> = BTreeMap::new();
        for one in open {
            roots.entry(&one.root).or_default().entry(&one.pattern).or_insert(one);
        }
        let mut found: Vec<(Builder, Vec<PathBuf>)> = Vec::new();
        for (root, patterns) in roots {
            let globs = patterns.keys().filter_map(|pattern| GlobBuilder::new(pattern).build().ok());
            let mut set = GlobSetBuilder::new();
            globs.for_each(|glob| _ = set.add(glob));
            let (set, patterns) =
                (set.build().unwrap_or_default(), patterns.into_values().collect::<Vec<_>>());
            let first = found.len();
            found.extend(patterns.iter().map(|one| {
                let namespace = Some((Gift::ToUnnamed(UNKNOWN.into()), Arc::clone(&one.file)));
                let change = Change { namespace, ..Change::default() };
                let (file, standing) = (Arc::clone(&one.file), Standing::Applied);
                (Builder { file, change, standing, is_open: true, ..Builder::default() }, Vec::new())
            }));
            for directory in directories.below(root) {
                let below = directory.strip_prefix(root).unwrap_or(directory);
                if let Some(&at) = set.matches(below).first() {
                    let taken = self.taken(directory.to_owned(), &patterns[at].takes, applications);
                    found[first + at].1.extend(taken.into_iter().filter(is_free));
                }
            }
        }
        for (builder, resources) in found {
            self.graph.add(resources.into_iter().map(|path| (path, Holds::Resources)));
            self.add(builder);
        }
    }

    /// The objects that patches remove or give labels, by the names of their files, with what is built of them.
    fn patched(&self, files: &[(Source, Output)]) -> HashMap<Arc<str>, Patched> {
        let outputs: HashMap<&str, &Output> =
            files.iter().map(|(source, output)| (&*source.name, output)).collect();
        let files: Vec<Source> = files.iter().map(|(source, _)| source.clone()).collect();
        let read = |object: &Object<'_>, found: &mut Vec<(Arc<str>, OwnName, Patches)>| {
            let source = &object.document.source.name;
            let Some(output) = outputs.get(&**source) else { return };
            let is_selected = |one: &Selected| removals::is_selected(one, object, &output.built);
            let Head { kind, name, .. } = object.head;
            let names =
                ObjectNames::new(kind, name.unwrap_or_default(), output.built.affixes.as_deref()).all();
            let names: BTreeSet<String> = names.chain([String::new()]).collect();
            let mut patches = Patches::default();
            for &number in &*output.patchers {
                let Builder { removals, labels, labels_by_name, .. } = &self.all[number];
                patches.removers.extend(removals.iter().any(is_selected).then_some(number));
                let set = names.iter().filter_map(|name| labels_by_name.get(name)).flatten().copied();
                let set = set.filter(|at| is_selected(&labels[*at].0));
                patches.labels.extend(set.map(|at| (number, at)));
            }
            if patches != Patches::default() {
                found.push((Arc::clone(source), own_name(object.head), patches));
            }
        };
        let mut known: HashMap<(&[usize], Patches), Option<Built>> = HashMap::new();
        let mut all: HashMap<Arc<str>, Patched> = HashMap::new();
        Scan::of(&files).objects(read, |found| {
            for (file, mut name, patches) in found {
                let Some(output) = outputs.get(&*file) else { continue };
                let known = known.entry((&output.by, patches));
                let built = known.or_insert_with_key(|(by, patches)| self.built_with(patches, by));
                if !self.has_room() {
                    continue;
                }
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

    /// What is built of an object with these patches in what some builders list; `None` if none is left.
    fn built_with(&self, patches: &Patches, by: &[usize]) -> Option<Built> {
        let mut changes: HashMap<usize, Change> = HashMap::new();
        for (number, at) in &patches.labels {
            let Builder { change, labels, .. } = &self.all[*number];
            let own =
                changes.entry(*number).or_insert_with(|| Change { labels: Arc::default(), ..change.clone() });
            own.labels = merge(&labels[*at].1, &own.labels);
        }
        // They come before what the other fields of a kustomization do.
        changes
            .iter_mut()
            .for_each(|(number, own)| own.labels = merge(&self.all[*number].change.labels, &own.labels));
        let built = |changes| {
            let with = With(self, patches.removers.clone(), changes);
            let reach = self.graph.fold(&self.graph.building(by), &with);
            let left = with.whole(by.iter().filter_map(|number| reach.get(number)).collect());
            (!left.builds.is_empty()).then(|| self.of_reach(&left))
        };
        let is_plain = changes.is_empty();
        let own = built(HashMap::new())?;
        let with_labels = if is_plain { None } else { built(changes)?.labels };
        Some(Built { patched_labels: with_labels, ..own })
    }

    fn of_reach(&self, reach: &Reach) -> Built {
        let applier = |number: usize| Some(self.all[number].applier.as_ref()?.0.clone());
        let roots: BTreeSet<usize> = reach.builds.iter().filter_map(|build| build.root).collect();
        let changes = roots.iter().filter_map(|number| self.all[*number].applier.clone());
        let changes = changes.filter(|(_, changes)| kustomization::patches(changes).next().is_some());
        let all = made(reach.builds.iter(), &reach.stages);
        let mut gifts = reach.builds.iter().filter_map(|build| Some(&build.change.namespace.as_ref()?.0));
        let first = gifts.next();
        let differ = all.moved.is_some()
            || all.affixes.as_ref().is_some_and(|affixes| affixes.len() > 1)
            || gifts.any(|gift| Some(gift) != first);
        let mut by_root: BTreeMap<usize, Vec<&Arc<Build>>> = BTreeMap::new();
        for build in reach.builds.iter().filter(|_| differ) {
            let root = build.root.filter(|root| self.all[*root].applier.is_some());
            root.into_iter().for_each(|root| by_root.entry(root).or_default().push(build));
        }
        let each = by_root.into_iter().filter_map(|(root, builds)| {
            Some((applier(root)?, Built { labels: None, ..made(builds.into_iter(), &BTreeSet::new()) }))
        });
        Built {
            each: shared(each),
            changes: shared(changes),
            roots: shared(roots.iter().copied()),
            appliers: shared(roots.iter().copied().filter_map(applier)),
            ..all
        }
    }

    /// Whether there is room for more.
    fn has_room(&self) -> bool {
        self.followed.load(atomic::Ordering::Relaxed) <= MOST
    }

    fn count(&self, weight: usize) {
        self.followed.fetch_add(weight, atomic::Ordering::Relaxed);
    }
}

/// The patches for an object: the builders that remove it, and those that set labels, with the numbers of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Patches {
    removers: BTreeSet<usize>,
    labels: BTreeSet<(usize, usize)>,
}

/// The builders without some that remove objects, and without what only these list, but for overlays if nothing says what is applied;
/// some may change something else.
struct With<'b>(&'b Builders, BTreeSet<usize>, HashMap<usize, Change>);

impl With<'_> {
    /// What becomes of what several builders list.
    fn whole(&self, all: Vec<&Arc<Reach>>) -> Arc<Reach> {
        let mut whole = Arc::default();
        all.into_iter().for_each(|one| self.extend(&mut whole, one));
        whole
    }
}

impl<'b> With<'b> {
    /// All of them as they are.
    fn all(builders: &'b Builders) -> Self {
        Self(builders, BTreeSet::new(), HashMap::new())
    }
}

impl Fold for With<'_> {
    type Reach = Arc<Reach>;
    type Change = Change;

    fn made(&self, number: usize, mut outer: Vec<&Arc<Reach>>) -> Arc<Reach> {
        let Builders { graph, all, is_applied, .. } = self.0;
        let own = &all[number];
        outer.retain(|outer| !outer.builds.is_empty());
        let is_listed = !outer.is_empty();
        // A component is none by itself.
        let is_resource = graph.outer[number].iter().any(|(_, holds)| *holds == Holds::Resources);
        let is_left = !is_applied && own.is_overlay() && is_resource;
        if !is_listed && !is_left && graph.builders(number).next().is_some() {
            return Arc::default();
        }
        let may_be_applied = *is_applied && own.is_overlay() && own.standing == Standing::Kustomization;
        let standing = if may_be_applied { Standing::Applied } else { own.standing };
        let mut whole = self.whole(outer);
        let has_root = whole.builds.iter().any(|build| build.root.is_some());
        if has_root && whole.standing >= standing && whole.stages.contains(&Affixes::default()) {
            return whole;
        }
        let reach = Arc::make_mut(&mut whole);
        reach.standing = reach.standing.max(standing);
        if is_listed {
            reach.stages.insert(Affixes::default());
        } else {
            let affixes = Affixes { is_final: true, ..Affixes::default() };
            let namespace = Some((Gift::ToUnnamed(DEFAULT_NAMESPACE.into()), Arc::clone(&own.file)));
            let change = Change { namespace, affixes, ..Change::default() };
            reach.builds.insert(Arc::new(Build { change, root: None }));
        }
        if !has_root && !own.is_open {
            let rooted =
                |build: Arc<Build>| Arc::new(Build { root: Some(number), ..Arc::unwrap_or_clone(build) });
            reach.builds = std::mem::take(&mut reach.builds).into_iter().map(rooted).collect();
        }
        whole
    }

    fn change(&self, number: usize) -> &Change {
        self.2.get(&number).unwrap_or(&self.0.all[number].change)
    }

    fn compose(&self, outer: &mut Change, inner: &Change) {
        if self.0.has_room() {
            *outer = outer.after(inner, &mut Merged::new());
            self.0.count(outer.weight() + WEIGHT * outer.labels.len());
        }
    }

    fn apply(&self, reach: &mut Arc<Reach>, inner: &Change) {
        if !inner.patchers.is_disjoint(&self.1) || !self.0.has_room() {
            *reach = Arc::default();
        } else if *inner != Change::default() {
            let Reach { builds, stages, .. } = Arc::make_mut(reach);
            let mut merged = Merged::new();
            let mut after = |build: Arc<Build>| {
                Arc::new(Build { change: build.change.after(inner, &mut merged), ..*build })
            };
            *builds = std::mem::take(builds).into_iter().map(&mut after).collect();
            if !inner.affixes.is_empty() {
                *stages = stages.iter().map(|outer| outer.around(&inner.affixes)).collect();
            }
            let labels =
                merged.values().filter(|one| !inner.labels.is_empty() && !Arc::ptr_eq(one, &inner.labels));
            let changes = builds.iter().map(|build| build.change.weight()).sum::<usize>();
            self.0
                .count(changes + WEIGHT * (labels.map(|labels| labels.len()).sum::<usize>() + stages.len()));
        }
    }

    fn extend(&self, reach: &mut Arc<Reach>, other: &Arc<Reach>) {
        if other.builds.is_empty() || other.standing < reach.standing || Arc::ptr_eq(reach, other) {
            return;
        }
        if reach.builds.is_empty() || other.standing > reach.standing {
            return reach.clone_from(other);
        }
        self.0.count(other.builds.len() + other.stages.len());
        if self.0.has_room() {
            let reach = Arc::make_mut(reach);
            reach.builds.extend(other.builds.iter().cloned());
            reach.stages.extend(other.stages.iter().cloned());
        }
    }
}

/// What builds make of objects, and what is made of names at the `stages` before.
fn made<'b>(builds: impl Iterator<Item = &'b Arc<Build>> + Clone, stages: &BTreeSet<Affixes>) -> Built {
    let changes = builds.map(|build| &build.change);
    let targets: BTreeSet<&PatchTarget> = changes.clone().flat_map(|change| change.moves.keys()).collect();
    let moved = targets.into_iter().filter_map(|target| {
        let given =
            changes.clone().filter_map(|change| change.moves.get(target).or(change.namespace.as_ref()));
        Some((target.clone(), given_by(given)?))
    });
    let mut affixes = BTreeSet::new();
    if !changes.clone().map(|change| &change.affixes).chain(stages).all(Affixes::is_empty) {
        affixes.extend(changes.clone().map(|change| change.affixes.clone()));
        for stage in stages {
            let is_end = affixes.contains(&Affixes { is_final: true, ..stage.clone() });
            affixes.extend((!is_end).then(|| stage.clone()));
        }
    }
    // Many builds share theirs.
    let mut labels: Vec<Arc<AddedLabels>> = changes.clone().map(filled_labels).collect();
    labels.dedup_by(|a, b| Arc::ptr_eq(a, b));
    Built {
        given: given_by(changes.clone().filter_map(|change| change.namespace.as_ref())).map(Arc::new),
        moved: shared(moved),
        labels: GivenLabels::new(labels),
        affixes: shared(affixes.into_iter()),
        ..Built::default()
    }
}

/// A list that is shared; `None` if it is empty.
fn shared<T>(items: impl Iterator<Item = T>) -> Option<Arc<[T]>> {
    let mut items = items.peekable();
    items.peek().is_some().then(|| items.collect())
}

/// The namespaces, if they are not only that of objects without one.
fn given_by<'g>(all: impl Iterator<Item = &'g Given>) -> Option<GivenNamespaces> {
    let mut namespaces: BTreeMap<&Gift, &Arc<str>> = BTreeMap::new();
    all.for_each(|(gift, file)| _ = namespaces.entry(gift).or_insert(file));
    let (mut to_all, mut to_unnamed) = (Vec::new(), Vec::new());
    for gift in namespaces.keys() {
        match gift {
            Gift::ToAll(name) => to_all.push(name.to_string()),
            Gift::ToUnnamed(name) => to_unnamed.push(name.to_string()),
        }
    }
    // Those that are given to all come first.
    let default = Gift::ToUnnamed(DEFAULT_NAMESPACE.into());
    let giver = namespaces.iter().find(|(gift, _)| ***gift != default).map(|(_, file)| file.to_string());
    GivenNamespaces::new(to_all, to_unnamed, giver?)
}

/// The labels with what Flux writes in their values.
fn filled_labels(Change { labels, affixes, .. }: &Change) -> Arc<AddedLabels> {
    if affixes.filled.is_empty() || !labels.values().any(AddedLabel::is_open) {
        return Arc::clone(labels);
    }
    let names = ObjectNames::new("", "", Some(slice::from_ref(affixes)));
    let filled = |(key, label): (&String, &AddedLabel)| {
        let value = label.value.as_ref().and_then(|value| names.filled(value).next());
        (key.clone(), AddedLabel { value, ..label.clone() })
    };
    Arc::new(labels.iter().map(filled).collect())
}

#[cfg(test)]
mod tests {
    use super::kustomization::File;
    use super::*;
    use proptest::prelude::*;

    fn whole(name: &str) -> PathBuf {
        joined(&env::current_dir().unwrap_or_default(), name)
    }

    /// The namespaces of objects in a file, one that names none and one that names `own`, given these kustomizations.
    fn given(kustomizations: &[(&str, &str)], file: &str) -> Option<[String; 2]> {
        let files: Vec<File> = kustomizations
            .iter()
            .map(|(path, text)| ((*path).into(), Arc::new(testing::tree(text))))
            .collect();
        let mut builders = Builders { graph: Graph::of(&files, &whole("")), ..Builders::default() };
        for (file, tree) in &files {
            let directory = whole(&directory_of(file).to_string_lossy());
            builders.add(Builder::of_kustomization(&directory, file, tree, &PatchFiles::default()));
        }
        let given = Outputs::of(builders).get(&whole(file))?.built.given?;
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
                let own = whole(&number.to_string());
                let others = (0..number).filter(|at| one.lists[*at]).map(|at| {
                    let holds = if all[at].is_component { Holds::Components } else { Holds::Resources };
                    (whole(&at.to_string()), holds)
                });
                builders.graph.add_at(&own, others.chain([(own.join("o.yaml"), Holds::Resources)]));
                let prefix = if one.has_prefix { format!("p{number}-") } else { String::new() };
                let label = |value: u8| AddedLabel {
                    value: Some(value.to_string()),
                    in_pods: false,
                    in_selectors: false,
                    is_in_all: true,
                };
                let labels = one.label.map(|value| ("label".to_owned(), label(value)));
                let change = Change {
                    namespace: one.namespace.map(|name| (Gift::ToAll(format!("n{name}").into()), "".into())),
                    affixes: Affixes { prefix, ..Affixes::default() },
                    labels: Arc::new(labels.into_iter().collect()),
                    ..Change::default()
                };
                builders.add(Builder { change, ..Builder::default() });
            }
            let mut outputs = Outputs::of(builders);
            let is_listed = |number: &usize| all[number + 1..].iter().any(|one| one.lists[*number]);
            let roots = (0..all.len()).filter(|number| !is_listed(number));
            let objects: Option<Vec<Vec<BuiltObject>>> =
                roots.map(|root| build(&all, root, Vec::new(), &mut Vec::new())).collect();
            prop_assume!(objects.is_some());
            let objects = objects.unwrap_or_default().concat();
            for number in 0..all.len() {
                let path = whole(&format!("{number}/o.yaml"));
                let built = outputs.get(&path).unwrap_or_default().built;
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
