//! What Flux and Argo CD apply: Flux Kustomizations, Applications, and those that ApplicationSets make of the input, each with the directory of the input that it builds from.
//!
//! An application names a repository and a path in it. Of an input, neither the root of its repository nor its address is known, so
//! both follow from the paths. The root is the outermost directory above the application's file that has the path. A directory
//! is the root of one repository: of those whose paths are found from it, or from directories above or below it, the one with
//! most of them is meant. Applications of the others, whose paths are there by chance, build from nothing here.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem::Finder;

use super::application_sets::{self, ApplicationSet, LookedInto};
use super::directories::{Directories, ManifestFilter};
use super::kustomization::{filled, is_kustomization, joined};
use super::overlays::Overlays;
use super::{BlockOf, Scan};
use kinds::view;
use manifest::names::{Affixes, ObjectNames};
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::{Absent, Applier, MissingPath, Rendered, STDIN, Source};
use manifest::walk;
use syntax::given::UNKNOWN;
use syntax::tree::{Map, Node, Value};
use text::go;
use text::hash::{HashMap, HashMapExt, HashSet, HashSetExt};
use text::placeholder::is_placeholder;
use text::plural;

/// The group of Flux Kustomizations.
const FLUX: &str = "kustomize.toolkit.fluxcd.io/";

/// The group of what Flux Kustomizations build from.
const SOURCES: &str = "source.toolkit.fluxcd.io/";

/// The group of an ArtifactGenerator, which makes an ExternalArtifact of what it copies from a source.
const ARTIFACTS: &str = "source.extensions.fluxcd.io/";

/// The group of a FluxInstance, whose operator makes a source and a Flux Kustomization.
const INSTANCES: &str = "fluxcd.controlplane.io/";

/// The group of HelmReleases.
const HELM: &str = "helm.toolkit.fluxcd.io/";

/// The group of Argo CD's Applications.
const ARGO: &str = "argoproj.io/";

/// What begins all of these groups, or ends them.
const GROUPS: [&str; 3] = [".fluxcd.io/", INSTANCES, ARGO];

/// Argo CD does not read a file that has this (argo-cd, reposerver/repository, skipFileRenderingMarker).
const UNRENDERED: &str = "+argocd:skip-file-rendering";

/// A namespace that objects of a file get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gift {
    /// All of them.
    ToAll(Arc<str>),
    /// Those that name none.
    ToUnnamed(Arc<str>),
}

/// The namespace in a field; `None` if it is empty. One with a template or with a variable of Flux is not known.
pub(super) fn gift(node: &Node, field: &str, to: fn(Arc<str>) -> Gift) -> Option<Gift> {
    filled(node, field).map(|name| to(if is_open(name) { UNKNOWN } else { name }.into()))
}

/// What begins and ends a template of an ApplicationSet, and a variable of Flux.
const VARIABLES: [(&str, &str); 2] = [("{{", "}}"), (VARIABLE, "}")];

/// What begins a variable of Flux.
const VARIABLE: &str = "${";

/// Whether a text has parts that are not known.
fn is_open(text: &str) -> bool {
    VARIABLES.iter().any(|(start, _)| text.contains(start))
}

/// A path as a pattern that has a star for each part that is not known.
fn pattern(path: &str) -> String {
    let (mut rest, mut out) = (path, String::new());
    let next = |rest: &str| {
        let found = VARIABLES.iter().filter_map(|(start, end)| Some((rest.find(start)?, *end)));
        found.min()
    };
    while let Some((at, end)) = next(rest) {
        out.push_str(&globset::escape(&rest[..at]));
        out.push('*');
        rest = rest[at..].split_once(end).map_or("", |(_, rest)| rest);
    }
    out + &globset::escape(rest)
}

/// A Flux Kustomization, or what an Application of Argo CD takes from one source.
pub(super) struct Application {
    pub(super) applier: Applier,
    repository: Repository,
    /// Where it builds from, below the root of the repository. `None` is the root of a repository that is this one only if
    /// another path says so: Flux builds from many.
    path: Option<PathBuf>,
    /// The path as it is written. That of an ApplicationSet is evidence once, whatever it generates.
    stated: String,
    pub(super) namespace: Option<Gift>,
    /// What it changes, in the form of a kustomization.
    pub(super) kustomize: Node,
    /// Components, below the path.
    pub(super) components: Vec<String>,
    pub(super) takes: Taken,
}

/// The repository of an application.
#[derive(Clone)]
enum Repository {
    /// By its address, as it is written.
    Url(String),
    /// By the object that has it.
    Source { kind: String, name: String },
}

/// What is applied of a directory that has no kustomization.
pub(super) enum Taken {
    /// All files below it, and the kustomizations there as a whole (Flux, which makes a kustomization of it).
    All,
    /// The manifests that Argo CD reads (argo-cd, reposerver/repository, getPotentiallyValidManifests).
    Manifests(ManifestFilter),
    /// A chart, which is not rendered.
    Chart,
}

/// What a file says of applications.
#[derive(Default)]
struct Found {
    /// Flux Kustomizations, and Applications.
    written: Vec<(Applier, Node)>,
    applications: Vec<Application>,
    charts: Vec<Absent>,
    /// Those that kustomizations patch in too many ways.
    unfollowed: Vec<Applier>,
    /// How many have variables that are not filled in.
    unfilled: usize,
    sets: Vec<ApplicationSet>,
    /// What Flux Kustomizations build from: kind, name, file and address.
    sources: Vec<(String, String, Arc<str>, String)>,
    /// The ExternalArtifacts, by name, with the kind and the name of what each is copied from.
    artifacts: HashMap<String, (String, String)>,
    /// The files that Argo CD does not read.
    unrendered: Vec<Arc<str>>,
}

impl Found {
    /// Adds what an object says.
    fn add(&mut self, object: &Object<'_>) {
        let (version, kind) = (object.head.api_version, object.head.kind);
        let Some(name) = object.head.name else { return };
        let file = Arc::clone(&object.document.source.name);
        // A patch is for objects in any namespace.
        let namespace = object.head.namespace.filter(|_| !object.document.source.is_patch);
        let applier = || {
            let [kind, name] = [kind, name].map(str::to_owned);
            Applier { file: Arc::clone(&file), kind, name, namespace: namespace.map(str::to_owned) }
        };
        if version.starts_with(SOURCES) {
            let url = object.value().ok().and_then(|tree| filled(tree, "spec.url"));
            self.sources.extend(url.map(|url| (kind.to_owned(), name.to_owned(), file, address(url))));
        } else if version.starts_with(ARTIFACTS) && kind == "ArtifactGenerator" {
            let spec = object.value().ok().and_then(|tree| tree.get("spec"));
            self.artifacts.extend(spec.into_iter().flat_map(artifacts));
        } else if version.starts_with(INSTANCES) && kind == "FluxInstance" {
            let sync = object.value().ok().and_then(|tree| tree.at("spec.sync"));
            let text = |field, default: &str| {
                sync.and_then(|sync| filled(sync, field)).unwrap_or(default).to_owned()
            };
            let url = sync.and_then(|sync| filled(sync, "url"));
            let source = |url| {
                let name = text("name", namespace.unwrap_or("flux-system"));
                (text("kind", "GitRepository"), name, file, address(url))
            };
            self.sources.extend(url.map(source));
        } else if version.starts_with(FLUX) && kind == "Kustomization" {
            // A patch without a path says nothing of what is applied.
            let is_whole = |tree: &&Node| !object.document.source.is_patch || tree.at("spec.path").is_some();
            self.written.extend(object.value().ok().filter(is_whole).map(|tree| (applier(), tree.clone())));
        } else if version.starts_with(HELM) && kind == "HelmRelease" {
            self.applications
                .extend(object.value().ok().and_then(|tree| Application::of_chart(applier(), tree)));
        } else if version.starts_with(ARGO) && kind == "Application" {
            self.written.extend(object.value().ok().map(|tree| (applier(), tree.clone())));
        } else if version.starts_with(ARGO) && kind == "ApplicationSet" {
            let spec = object.value().ok().and_then(|tree| tree.get("spec"));
            let set =
                |spec: &Node| ApplicationSet { applier: applier(), spec: spec.clone(), patched_by: None };
            self.sets.extend(spec.map(set));
        }
    }

    /// Adds what a Flux Kustomization or an Application says as kustomizations patch it, of which so many may do so as are `left`, and as
    /// Flux fills in its variables where `affixes` are what is made of its file.
    fn build(
        &mut self,
        applier: Applier,
        written: &Node,
        affixes: Option<&[Affixes]>,
        overlays: &Overlays,
        left: &mut usize,
    ) {
        let builds = overlays.setting(&applier.file, written, fields_of(&applier), *left);
        if builds.as_ref().is_some_and(|builds| builds.are_open) {
            *left = 0;
            return self.unfollowed.push(applier);
        }
        *left -= builds.as_ref().map_or(0, |builds| builds.all.len());
        let builds = builds.map_or_else(|| vec![(Cow::Borrowed(written), None)], |builds| builds.all);
        let fields = fields_of(&applier);
        let trees: Vec<_> = builds
            .into_iter()
            .flat_map(|(tree, _)| filled_in(tree, fields, affixes.unwrap_or_default()))
            .collect();
        self.unfilled += usize::from(trees.iter().any(|tree| has_variable(tree, fields)));
        for tree in trees {
            if applier.kind == "Kustomization" {
                self.applications.push(Application::of_flux(applier.clone(), &tree));
            } else if let Some(spec) = tree.get("spec") {
                self.charts.extend(charts(&applier, spec));
                self.applications.extend(Application::of_argo(&applier, spec, spec));
            }
        }
    }
}

/// The artifacts that an ArtifactGenerator makes, by its `spec`, with the first source of each.
fn artifacts(spec: &Node) -> impl Iterator<Item = (String, (String, String))> {
    view::list(spec, "artifacts").iter().filter_map(|artifact| {
        let from = view::text(view::list(artifact, "copy").first()?, "from");
        let alias = from.strip_prefix('@')?.split('/').next()?;
        let source =
            view::list(spec, "sources").iter().find(|source| view::text(source, "alias") == alias)?;
        let [kind, name] = ["kind", "name"].map(|field| view::text(source, field).to_owned());
        Some((view::text(artifact, "name").to_owned(), (kind, name)))
    })
}

/// What Flux makes of the variables in fields of an object, in each build in which it has any.
fn filled_in<'t>(tree: Cow<'t, Node>, fields: &[&str], affixes: &[Affixes]) -> Vec<Cow<'t, Node>> {
    fn fill(node: &mut Node, affixes: &Affixes) {
        if let Some(text) = node.as_str().filter(|text| text.contains(VARIABLE)) {
            node.value = Value::String((&*affixes.fill(text)).into());
        }
        node.items_mut().iter_mut().for_each(|item| fill(item, affixes));
        node.as_map_mut().into_iter().flat_map(Map::values_mut).for_each(|value| fill(value, affixes));
    }
    if affixes.is_empty() || !has_variable(&tree, fields) {
        return vec![tree];
    }
    let mut built: Vec<_> = affixes
        .iter()
        .filter(|affixes| affixes.is_final)
        .map(|affixes| {
            let mut tree = tree.clone();
            for field in fields {
                tree.to_mut().at_mut(field).into_iter().for_each(|node| fill(node, affixes));
            }
            tree
        })
        .collect();
    built.dedup();
    built
}

/// Whether one of these fields has a variable of Flux.
fn has_variable(tree: &Node, fields: &[&str]) -> bool {
    fn has(node: &Node) -> bool {
        node.as_str().is_some_and(|text| text.contains(VARIABLE))
            || node.children().any(|(_, child)| has(child))
    }
    fields.iter().filter_map(|field| tree.at(field)).any(has)
}

/// Whether Flux fills in variables of what applies files.
pub(super) fn are_filled(sources: &[Source]) -> bool {
    let applies = |source: &&Source| source.applied.is_some() || source.absent.is_some();
    sources
        .iter()
        .filter(applies)
        .any(|source| ObjectNames::new("", "", source.built.affixes.as_deref()).are_filled())
}

/// The fields that say what an object applies, and from where.
fn fields_of(applier: &Applier) -> &'static [&'static str] {
    match &*applier.kind {
        "Kustomization" => &["spec.path", "spec.postBuild", "spec.sourceRef", "spec.targetNamespace"],
        "Application" => &["spec.source", "spec.sources", "spec.sourceHydrator", "spec.destination"],
        _ => &[],
    }
}

/// Whether what was found to apply files patches what others of the input apply.
pub(super) fn are_patched(sources: &[Source]) -> bool {
    sources.iter().filter(|source| source.built.changes.is_some()).any(|source| {
        let applied = source.applied.iter().flat_map(|all| all.iter()).map(|one| &one.by);
        let mut appliers = applied.chain(source.absent.iter().flat_map(|all| all.iter()).map(|one| &one.by));
        appliers.any(|by| {
            Overlays::applied_set(source, ObjectNames::new(&by.kind, &by.name, None), fields_of(by))
        })
    })
}

impl Application {
    fn of_flux(applier: Applier, tree: &Node) -> Self {
        let text = |field, default: &str| filled(tree, field).unwrap_or(default).to_owned();
        Self {
            applier,
            repository: Repository::Source {
                kind: text("spec.sourceRef.kind", "GitRepository"),
                name: text("spec.sourceRef.name", ""),
            },
            path: filled(tree, "spec.path").map(below_root).filter(|path| !path.as_os_str().is_empty()),
            stated: view::text(tree, "spec.path").to_owned(),
            namespace: gift(tree, "spec.targetNamespace", Gift::ToAll),
            kustomize: changes_of_flux(tree),
            components: view::texts(tree, "spec.components"),
            takes: Taken::All,
        }
    }

    /// The chart in a repository that a HelmRelease takes; `None` if it takes one from elsewhere.
    fn of_chart(applier: Applier, tree: &Node) -> Option<Self> {
        let chart = tree.at("spec.chart.spec")?;
        let [kind, name] =
            ["sourceRef.kind", "sourceRef.name"].map(|field| view::text(chart, field).to_owned());
        (kind == "GitRepository").then(|| Self {
            applier,
            repository: Repository::Source { kind, name },
            path: filled(chart, "chart").map(below_root).filter(|path| !path.as_os_str().is_empty()),
            stated: view::text(chart, "chart").to_owned(),
            namespace: None,
            kustomize: Node::map([]),
            components: Vec::new(),
            takes: Taken::Chart,
        })
    }

    /// What it takes, which the input does not have; `None` if it does not say from where, as a part of an object does not.
    fn absent(&self) -> Option<Absent> {
        match &self.repository {
            Repository::Url(url) => Some(self.absent_from(&format!(" of {url}"))),
            Repository::Source { name, .. } if name.is_empty() => None,
            Repository::Source { kind, name } => Some(self.absent_from(&format!(" of {kind}/{name}"))),
        }
    }

    /// What it takes, with words on from where.
    fn absent_from(&self, from: &str) -> Absent {
        let path = self.path.as_deref().filter(|path| !path.as_os_str().is_empty());
        let name = format!("{}{from}", path.unwrap_or(Path::new(".")).display());
        Absent { by: self.applier.clone(), kind: "path", name, missing: None }
    }

    /// What an Application takes from each of its sources, by its `spec`: nothing from charts and from those that others only
    /// refer to. `stated` is that spec as its author wrote it.
    fn of_argo<'t>(
        applier: &'t Applier,
        spec: &'t Node,
        stated: &'t Node,
    ) -> impl Iterator<Item = Self> + 't {
        let has_manifests = |(source, _): &(&Node, &Node)| {
            let has = |field| filled(source, field).is_some();
            source.as_map().is_some() && !has("chart") && !is_artifact(source) && (has("path") || !has("ref"))
        };
        sources(spec).zip(sources(stated)).filter(has_manifests).map(move |(source, stated)| {
            let own = gift(source, "kustomize.namespace", Gift::ToAll);
            Self {
                applier: applier.clone(),
                repository: Repository::Url(view::text(source, "repoURL").to_owned()),
                path: Some(below_root(view::text(source, "path"))),
                stated: view::text(stated, "path").to_owned(),
                namespace: own.or_else(|| gift(spec, "destination.namespace", Gift::ToUnnamed)),
                kustomize: source.get("kustomize").cloned().unwrap_or(Node::map([])),
                components: view::texts(source, "kustomize.components"),
                takes: Taken::Manifests(ManifestFilter::of(source)),
            }
        })
    }
}

/// What a Flux Kustomization changes, in the form of a kustomization.
fn changes_of_flux(tree: &Node) -> Node {
    const SAME: [&str; 7] = [
        "images",
        "namePrefix",
        "nameSuffix",
        "patches",
        "patchesJson6902",
        "patchesStrategicMerge",
        "postBuild",
    ];
    let spec = tree.get("spec");
    let same = SAME.into_iter().filter_map(|field| Some((field, spec?.get(field)?.clone())));
    let labels = tree.at("spec.commonMetadata.labels");
    let labels = labels.map(|labels| Node::new(Value::Seq(vec![Node::map([("pairs", labels.clone())])])));
    Node::map(same.chain(labels.map(|labels| ("labels", labels))))
}

/// The sources of an Application, by its `spec`. What Argo CD makes of a dry source is in the repository of that, on a branch that the
/// input need not have.
fn sources(spec: &Node) -> impl Iterator<Item = &Node> {
    let dry = spec.at("sourceHydrator.drySource");
    spec.get("source").into_iter().chain(view::list(spec, "sources")).chain(dry)
}

/// Whether a source is an artifact in a registry, whose paths are in no repository of Git.
fn is_artifact(source: &Node) -> bool {
    view::text(source, "repoURL").starts_with("oci://")
}

/// The charts and artifacts that an Application takes, by its `spec`.
fn charts(applier: &Applier, spec: &Node) -> impl Iterator<Item = Absent> {
    sources(spec).filter_map(|source| {
        let (kind, name) = match filled(source, "chart") {
            Some(chart) => ("chart", chart),
            None if is_artifact(source) => ("path", filled(source, "path").unwrap_or(".")),
            None => return None,
        };
        let name = format!("{name} of {}", view::text(source, "repoURL"));
        Some(Absent { by: applier.clone(), kind, name, missing: None })
    })
}

/// Adds what the Applications of ApplicationSets take to those that are known, and to those that may be anything. Returns the
/// rest of what is known of the sets.
fn add_applications_of<'s>(
    sets: &'s [ApplicationSet],
    input: &application_sets::Input<'_>,
    known: &mut Vec<Application>,
    open: &mut Vec<Application>,
    charts: &mut Vec<Absent>,
) -> OfSets<'s> {
    let mut found = OfSets::default();
    for set in sets {
        let Some(stated) = set.spec.at("template.spec") else { continue };
        let made = set.applications(input);
        charts.extend(made.known.iter().chain(&made.open).flat_map(|spec| self::charts(&set.applier, spec)));
        for (specs, all) in [(&made.known, &mut *known), (&made.open, &mut *open)] {
            all.extend(specs.iter().flat_map(|spec| Application::of_argo(&set.applier, spec, stated)));
        }
        found.unknown.extend((!made.is_all).then_some(set));
        found.rendered.push((set.applier.clone(), made.names(&set.spec)));
        found.looked_into.push((set, made.looked_into));
    }
    found
}

/// What is known of ApplicationSets besides their Applications.
#[derive(Default)]
struct OfSets<'s> {
    /// Those of which the input does not say it all.
    unknown: Vec<&'s ApplicationSet>,
    /// What they make of names.
    rendered: Vec<(Applier, Rendered)>,
    /// What their Git generators look into.
    looked_into: Vec<(&'s ApplicationSet, BTreeSet<LookedInto>)>,
}

/// Directories that an application may build from, but the input does not say which.
pub(super) struct OpenApplication {
    /// Its file.
    pub(super) file: Arc<str>,
    /// The directory that the pattern is relative to.
    pub(super) root: PathBuf,
    /// A pattern for their paths. A star matches slashes, too.
    pub(super) pattern: String,
    pub(super) takes: Taken,
}

impl OpenApplication {
    /// What may be taken from a repository with one of these addresses, unless there are none; `None` if it is another one, or
    /// not known, or what is taken gets no namespace.
    fn of(
        application: Application,
        known: &HashMap<&str, PathBuf>,
        directories: &Directories,
        here: &Path,
    ) -> Option<Self> {
        let Application { applier, repository, path, namespace, takes, .. } = application;
        let is_meant = match &repository {
            Repository::Url(url) => !is_open(url) && (known.is_empty() || known.contains_key(&*address(url))),
            Repository::Source { .. } => true,
        };
        let path = path.filter(|_| is_meant && namespace.is_some())?;
        let path = path.to_str()?;
        let fixed: PathBuf =
            Path::new(path).iter().take_while(|part| !is_open(&part.to_string_lossy())).collect();
        let root = match fixed.as_os_str().is_empty() {
            true => directories.top.clone(),
            false => directories.root(&joined(here, &applier.file), &fixed)?,
        };
        Some(Self { file: applier.file, root, pattern: pattern(path), takes })
    }
}

/// A path in a repository, relative to its root.
fn below_root(path: &str) -> PathBuf {
    joined(Path::new(""), path.trim_start_matches('/'))
}

/// The address of a repository, without what differs between addresses of one (argo-cd, util/git, NormalizeGitURL).
fn address(url: &str) -> String {
    let url = url.trim().to_lowercase();
    let (scheme, rest) = url.split_once("://").map_or((None, &*url), |(scheme, rest)| (Some(scheme), rest));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    // `git@host:path`
    if scheme.is_none() { rest.replacen(':', "/", 1) } else { rest.to_owned() }
}

/// The applications of an input that build from it.
pub(super) struct Applications {
    /// Each with the directory that it builds from.
    pub(super) placed: Vec<(Application, PathBuf)>,
    /// Those that may build from other directories.
    pub(super) open: Vec<OpenApplication>,
    /// What applications take that the input does not have.
    pub(super) absent: Vec<Absent>,
    /// What ApplicationSets make of names.
    pub(super) rendered: Vec<(Applier, Rendered)>,
    pub(super) directories: Directories,
    /// The files that Argo CD does not read.
    pub(super) unrendered: HashSet<PathBuf>,
    /// How many have variables that Flux does not fill in.
    pub(super) unfilled: usize,
    /// What is to be said about applications that may be of other repositories, or that the input does not say all of.
    pub(super) notes: Notes,
}

/// What is to be said about applications.
#[derive(Debug, Default)]
pub struct Notes {
    /// A sentence each.
    pub texts: Vec<String>,
    /// An ApplicationSet of which only a build says all, and a file that patches it; `None` if there is none.
    pub patched: Option<(String, Arc<str>)>,
}

/// Finds the applications in the files: also in those that the user named, if `with_named`, or if the input has others, from which
/// they may build. Their names are relative to `here`. If `fills`, what is known to apply them fills in their variables.
pub(super) fn read(sources: &[Source], with_named: bool, fills: bool, here: &Path) -> Applications {
    let Found {
        mut applications,
        artifacts,
        charts: mut absent,
        mut sets,
        sources: origins,
        unrendered,
        unfollowed,
        unfilled,
        ..
    } = found(sources, with_named, fills);
    for one in &mut applications {
        if let Repository::Source { kind, name } = &mut one.repository
            && let Some(source) = artifacts.get(name).filter(|_| kind == "ExternalArtifact")
        {
            (*kind, *name) = source.clone();
        }
    }
    let directories = match applications.is_empty() && sets.is_empty() {
        true => Directories::default(),
        false => Directories::of(sources, here),
    };
    if !sets.is_empty() {
        let overlays = Overlays::read(sources);
        sets.iter_mut().for_each(|set| set.learn_patches(&overlays));
    }
    let has_open_path =
        |one: &Application| one.path.as_ref().is_some_and(|path| is_open(&path.to_string_lossy()));
    let (mut open, mut applications): (Vec<_>, Vec<_>) = applications.into_iter().partition(has_open_path);
    let input = application_sets::Input::of(sources, &directories, here);
    let OfSets { unknown, rendered, looked_into } =
        add_applications_of(&sets, &input, &mut applications, &mut open, &mut absent);
    absent.extend(open.iter().filter_map(Application::absent));
    let unrendered = unrendered.iter().map(|file| joined(here, file)).collect();
    let repositories = repositories(&applications, &origins, here);
    if let Some(renamed) = renamed_root(&applications, &directories, here) {
        for path in applications.iter_mut().filter_map(|application| application.path.as_mut()) {
            *path = path.strip_prefix(&renamed).map(Path::to_owned).unwrap_or_default();
        }
    }
    let roots = roots(&applications, &repositories, &directories, here);
    let standings = standings(&applications, &repositories, &roots);
    let mut sorted = Sorted { absent, ..Sorted::default() };
    for (((application, repository), root), standing) in
        applications.into_iter().zip(&repositories).zip(roots).zip(standings)
    {
        sorted.add(application, repository, root, standing, &directories);
    }
    let paths: Vec<HashSet<&Path>> =
        looked_into.iter().map(|(_, all)| all.iter().map(|one| &*one.path).collect()).collect();
    for ((set, looked_into), paths) in looked_into.iter().zip(&paths) {
        looked_into
            .iter()
            .for_each(|one| sorted.add_looked_into(&set.applier, one, paths, &directories, here));
    }
    let Sorted { placed, mut absent, doubtful, others, known, unplaced, parts } = sorted;
    absent.extend(absent_parts(parts, unplaced, &known, &directories, here));
    let of_sets: Vec<Applier> = unknown.iter().map(|set| set.applier.clone()).collect();
    let notes = [
        note(
            "these apply files of another repository, so no file of the input is taken to be theirs:",
            &others,
        ),
        note("it is not known which of several repositories the input is, so each may be it for", &doubtful),
        note("the input alone does not say all that is applied by", &of_sets),
        note("too many kustomizations patch these to follow what they apply:", &unfollowed),
    ];
    let open =
        open.into_iter().filter_map(|one| OpenApplication::of(one, &known, &directories, here)).collect();
    let patched = unknown.iter().find_map(|set| Some((set.applier.name.clone(), set.patched_by.clone()?)));
    let notes = Notes { texts: notes.into_iter().flatten().collect(), patched };
    Applications { placed, open, absent, rendered, directories, unrendered, unfilled, notes }
}

/// Applications by whether the input is their repository.
#[derive(Default)]
struct Sorted<'r> {
    placed: Vec<(Application, PathBuf)>,
    absent: Vec<Absent>,
    /// Those of one of several repositories that the input may be.
    doubtful: Vec<Applier>,
    /// Those of other repositories.
    others: Vec<Applier>,
    /// The roots of the repositories that the input has.
    known: HashMap<&'r str, PathBuf>,
    /// Those of which no path is found, with their repositories.
    unplaced: Vec<(Application, &'r str)>,
    /// What else they take that is not found.
    parts: Vec<Part<'r>>,
}

impl<'r> Sorted<'r> {
    fn add(
        &mut self,
        application: Application,
        repository: &'r str,
        root: Option<PathBuf>,
        standing: Standing,
        directories: &Directories,
    ) {
        let Some(root) = root else { return self.unplaced.push((application, repository)) };
        match standing {
            Standing::First => _ = self.known.entry(repository).or_insert_with(|| root.clone()),
            Standing::Shared => self.doubtful.push(application.applier.clone()),
            Standing::Behind => {
                self.absent.extend(application.absent());
                return self.others.push(application.applier);
            }
        }
        let directory =
            application.path.as_ref().map_or(root.clone(), |path| joined(&root, &path.to_string_lossy()));
        for stated in &application.components {
            let path = joined(&directory, stated);
            let below = path.strip_prefix(&root).ok().filter(|_| !directories.has(&path));
            self.parts.extend(below.map(|below| Part {
                by: application.applier.clone(),
                root: Some(root.clone()),
                path: below.to_owned(),
                stated: stated.clone(),
                repository: repository.to_owned(),
                beside: None,
            }));
        }
        if let Taken::Manifests(filter) = &application.takes
            && directories.is_chart(&directory, filter)
        {
            let (by, name) = (application.applier.clone(), application.stated.clone());
            self.absent.push(Absent { by, kind: "chart", name, missing: None });
        }
        if !matches!(application.takes, Taken::Chart) {
            self.placed.push((application, directory));
        }
    }

    /// Adds what the generators of a set look into, beside other `paths`, if it is not found.
    fn add_looked_into(
        &mut self,
        set: &Applier,
        LookedInto { url, stated, path }: &LookedInto,
        paths: &'r HashSet<&'r Path>,
        directories: &Directories,
        here: &Path,
    ) {
        let (by, repository) = (set.clone(), address(url));
        let root = self.known.get(&*repository).cloned();
        let has_path = match &root {
            Some(root) => directories.has(&root.join(path)),
            None => directories.root(&joined(here, &by.file), path).is_some(),
        };
        let beside = stated.contains("{{").then_some(paths);
        let (path, stated) = (path.clone(), stated.clone());
        self.parts.extend((!has_path).then_some(Part { by, root, path, stated, repository, beside }));
    }
}

/// What is taken from paths that are not found, with what is near them.
fn absent_parts(
    parts: Vec<Part<'_>>,
    unplaced: Vec<(Application, &str)>,
    known: &HashMap<&str, PathBuf>,
    directories: &Directories,
    here: &Path,
) -> Vec<Absent> {
    let is_placed = unplaced.is_empty() && parts.is_empty();
    let names = if is_placed { HashMap::new() } else { directories.names() };
    let near = |by: &Applier, root: Option<&Path>, path: &Path| {
        directories.missing(&names, &joined(here, &by.file), root, path)
    };
    let parts = parts.into_iter().filter(|part| !is_unfinished(&part.path));
    let of_part = |Part { by, root, path, stated, repository, beside }: Part<'_>| {
        let is_other = |near: &Option<String>| match (beside, near) {
            (None, _) => true,
            (Some(beside), Some(near)) => !beside.contains(Path::new(near)),
            (Some(_), None) => false,
        };
        let near = near(&by, root.as_deref(), &path).filter(is_other)?;
        let name = format!("{} of {repository}", path.display());
        Some(Absent { by, kind: "path", name, missing: Some(MissingPath { stated, near }) })
    };
    let of_unplaced = |(application, repository): (Application, &str)| {
        let root = known.get(repository).map(PathBuf::as_path);
        // If the input is known to be another repository, the path is in a third one; or someone still has to fill in which it is.
        let is_stated = matches!(application.repository, Repository::Url(_));
        let is_judged = (root.is_some() || known.is_empty() || !is_stated) && !is_placeholder(repository);
        let path = application.path.as_deref().filter(|path| is_judged && !is_unfinished(path));
        let missing = path.and_then(|path| {
            let near = near(&application.applier, root, path)?;
            Some(MissingPath { stated: application.stated.clone(), near })
        });
        // What applies it may say from where, and the path is misspelt all the same.
        let misspelt = || {
            let is_near = missing.as_ref().is_some_and(|missing| missing.near.is_some());
            is_near.then(|| application.absent_from(""))
        };
        match application.takes {
            Taken::Chart if missing.is_none() => None,
            _ => application.absent().or_else(misspelt).map(|absent| Absent { missing, ..absent }),
        }
    };
    parts.filter_map(of_part).chain(unplaced.into_iter().filter_map(of_unplaced)).collect()
}

/// A path of which an object takes something, besides that from which it builds.
struct Part<'p> {
    by: Applier,
    /// The root of the repository; `None` if the input may not have it.
    root: Option<PathBuf>,
    path: PathBuf,
    stated: String,
    repository: String,
    /// Of a path that generators make of parameters, all that they make: not each has to be there, unless it is misspelt, and what
    /// another one means is no spelling of it. `None` for others.
    beside: Option<&'p HashSet<&'p Path>>,
}

/// Whether someone still has to fill in a path, so that it is not missing.
fn is_unfinished(path: &Path) -> bool {
    is_placeholder(&path.to_string_lossy()) || path.iter().any(|part| part == "...")
}

/// A note on some appliers; `None` if there are none.
fn note(text: &str, appliers: &[Applier]) -> Option<String> {
    /// How many are named.
    const NAMED: usize = 3;
    let name = |one: &Applier| {
        let text = format!("{}/{} ({})", one.kind.to_lowercase(), one.name, one.file);
        go::printable(&text).into_owned()
    };
    let mut seen = HashSet::new();
    let names: Vec<String> = appliers.iter().filter(|one| seen.insert(*one)).map(name).collect();
    (!names.is_empty()).then(|| format!("{text} {}", plural::few(names, NAMED)))
}

/// How many patched Flux Kustomizations and Applications are followed: many kustomizations may each patch many of them.
const MOST_BUILDS: usize = 1 << 15;

/// What the files say.
fn found(sources: &[Source], with_named: bool, fills: bool) -> Found {
    let has_found = sources.iter().any(|source| !source.named);
    let with_named = with_named || has_found;
    let is_read = |source: &&Source| {
        // Standard input is kept for those who read it again, beside what its applications may build from.
        let name = Path::new(&*source.name).file_name().and_then(|name| name.to_str());
        !name.is_some_and(is_kustomization)
            && match source.is_stdin() {
                true => has_found,
                false => (!source.named || with_named && !source.is_stream()) && !source.may_be_archive(),
            }
    };
    let files: Vec<Source> = sources.iter().filter(is_read).cloned().collect();
    let [files, unrendered] = Scan::of(&files).mentioning([&GROUPS, &[UNRENDERED]]);
    let groups = GROUPS.map(Finder::new);
    let read = |block: BlockOf<'_>| {
        let mut found = Found::default();
        let Ok((block, source)) = block else { return found };
        if groups.iter().any(|group| group.find(block.bytes()).is_some()) {
            objects_of(&block, source, &mut |object| object.into_iter().for_each(|object| found.add(object)));
        }
        found
    };
    let unrendered = unrendered.into_iter().map(|source| source.name).collect();
    let mut all = Found { unrendered, ..Found::default() };
    let (mut left, overlays) = (MOST_BUILDS, OnceCell::new());
    let of_file = |source: &'_ Source| Some((source.name.clone(), source.built.affixes.clone()?));
    let of_file: HashMap<Arc<str>, Arc<[Affixes]>> =
        sources.iter().filter(|_| fills).filter_map(of_file).collect();
    Scan::of(&files).blocks(read, |found| {
        for (applier, written) in found.written {
            let overlays = overlays.get_or_init(|| Overlays::read(sources));
            let affixes = of_file.get(&applier.file).map(|affixes| &**affixes);
            all.build(applier, &written, affixes, overlays, &mut left);
        }
        all.applications.extend(found.applications);
        all.charts.extend(found.charts);
        all.artifacts.extend(found.artifacts);
        all.sets.extend(found.sets);
        all.sources.extend(found.sources);
    });
    all
}

/// The address of each application's repository, or else the name of the object that has it. Of several objects of one name, as
/// clusters have them, the nearest is meant.
fn repositories(
    applications: &[Application],
    origins: &[(String, String, Arc<str>, String)],
    here: &Path,
) -> Vec<String> {
    let mut near: HashMap<(&str, &str, PathBuf), &str> = HashMap::new();
    for (kind, name, file, url) in origins {
        for above in joined(here, file).ancestors().skip(1) {
            near.entry((kind, name, above.to_owned())).or_insert(url);
        }
    }
    let repository = |Application { applier, repository, .. }: &Application| match repository {
        Repository::Url(url) => address(url),
        Repository::Source { kind, name } => {
            let file = joined(here, &applier.file);
            let mut above = file.ancestors().skip(1);
            let url = above.find_map(|above| near.get(&(kind, name, above.to_owned())));
            let unknown = || if name.is_empty() { String::new() } else { format!("{kind}/{name}") };
            url.map_or_else(unknown, |url| (*url).to_owned())
        }
    };
    applications.iter().map(repository).collect()
}

/// The first directories of all paths, if the input is what is in them, but called otherwise, as a copy is: it has none of the paths, and
/// all of them without these directories.
fn renamed_root(applications: &[Application], directories: &Directories, here: &Path) -> Option<PathBuf> {
    let stated = |one: &'_ Application| one.path.clone().filter(|path| !path.as_os_str().is_empty());
    let paths: BTreeSet<PathBuf> = applications.iter().filter_map(stated).collect();
    let has_path = |one: &Application| {
        stated(one).is_some_and(|path| directories.root(&joined(here, &one.applier.file), &path).is_some())
    };
    // One alone may be any.
    if paths.len() < 2 || applications.iter().any(has_path) {
        return None;
    }
    let is_it = |renamed: &&Path| {
        let has_below = |below: &Path| directories.has(&directories.found_top.join(below));
        paths.iter().all(|path| path.strip_prefix(renamed).is_ok_and(has_below))
    };
    let mut above = paths.first()?.ancestors().filter(|above| !above.as_os_str().is_empty());
    above.find(is_it).map(Path::to_owned)
}

/// The directory that is the root of each application's repository; `None` if the input does not have it.
fn roots(
    applications: &[Application],
    repositories: &[String],
    directories: &Directories,
    here: &Path,
) -> Vec<Option<PathBuf>> {
    let file = |application: &Application| joined(here, &application.applier.file);
    let clone = walk::clone_above(&directories.found_top);
    let remotes: HashSet<String> = clone.iter().flat_map(|(_, urls)| urls).map(|url| address(url)).collect();
    // What is not in the repository means that which is found in directories, unless this is a clone of another one.
    let beside = |path: &Path| {
        let file = Some(directories.found_top.join(STDIN)).filter(|_| remotes.is_empty());
        file.and_then(|file| directories.root(&file, path))
    };
    let of_path = |(application, repository): (&Application, &String)| {
        let path = application.path.as_ref().filter(|path| !path.as_os_str().is_empty())?;
        match &clone {
            Some((root, _)) if remotes.contains(repository) => {
                directories.has(&root.join(path)).then(|| (*root).to_owned())
            }
            _ if *application.applier.file == *STDIN => beside(path),
            _ => directories.root(&file(application), path).or_else(|| beside(path)),
        }
    };
    let mut roots: Vec<Option<PathBuf>> = applications.iter().zip(repositories).map(of_path).collect();
    // Argo CD takes all paths of an address from one root: not from a directory below that of more of them.
    let mut paths: HashMap<(&str, PathBuf), BTreeSet<&str>> = HashMap::new();
    let of_argo = |one: &Application| matches!(one.repository, Repository::Url(_));
    for ((application, repository), root) in applications.iter().zip(repositories).zip(&roots) {
        if let Some(root) = root.clone().filter(|_| of_argo(application)) {
            paths.entry((repository, root)).or_default().insert(&application.stated);
        }
    }
    for ((application, repository), root) in applications.iter().zip(repositories).zip(&mut roots) {
        let count = |root: &Path| paths.get(&(&**repository, root.to_owned())).map_or(0, BTreeSet::len);
        let is_outvoted = |root: &Path| root.ancestors().skip(1).any(|above| count(above) > count(root));
        root.take_if(|root| of_argo(application) && is_outvoted(root));
    }
    let known = repositories.iter().zip(&roots).filter_map(|(one, root)| Some((one, root.clone()?)));
    let known: HashSet<(&String, PathBuf)> = known.collect();
    for ((application, repository), root) in applications.iter().zip(repositories).zip(&mut roots) {
        if application.path.as_ref().is_none_or(|path| path.as_os_str().is_empty()) {
            let file = file(application);
            let is_root = |above: &&Path| known.contains(&(repository, (*above).to_owned()));
            let own = file.ancestors().filter(is_root).last().map(Path::to_owned);
            // That of other paths, or else all of the input.
            *root = own.or_else(|| application.path.as_ref().map(|_| directories.top.clone()));
        }
    }
    roots
}

/// How likely the repository of an application is that of the input.
#[derive(Clone, Copy)]
enum Standing {
    /// More than any other.
    First,
    /// As likely as another one.
    Shared,
    /// Less than another one.
    Behind,
}

/// How many paths of a repository are found, and how many are not.
type Evidence = (usize, Reverse<usize>);

/// The most evidence for a repository, and whether another one has as much.
struct Most<'r> {
    evidence: Evidence,
    repository: &'r str,
    is_shared: bool,
}

impl<'r> Most<'r> {
    fn add(most: &mut Option<Self>, evidence: Evidence, repository: &'r str) {
        match most {
            Some(known) if known.evidence == evidence => known.is_shared |= known.repository != repository,
            Some(known) if known.evidence > evidence => (),
            _ => *most = Some(Self { evidence, repository, is_shared: false }),
        }
    }
}

/// How the repository of each application stands beside those with a root in, below or above its own.
fn standings(
    applications: &[Application],
    repositories: &[String],
    roots: &[Option<PathBuf>],
) -> Vec<Standing> {
    let mut found: HashMap<(&str, &Path), BTreeSet<&str>> = HashMap::new();
    let mut missing: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    // A source that a build still has to add, or a word in its place, tells no repository from another.
    let is_stated = |one: &Application| match &one.repository {
        Repository::Url(url) => url.contains(['/', ':']),
        Repository::Source { name, .. } => !name.is_empty(),
    };
    for ((application, repository), root) in applications.iter().zip(repositories).zip(roots) {
        match root {
            _ if !is_stated(application) => continue,
            Some(root) => found.entry((repository, root)).or_default().insert(&application.stated),
            None => missing.entry(repository).or_default().insert(&application.stated),
        };
    }
    let evidence = |repository: &str, root: &Path| {
        let count = |paths: Option<&BTreeSet<&str>>| paths.map_or(0, BTreeSet::len);
        (count(found.get(&(repository, root))), Reverse(count(missing.get(repository))))
    };
    let (mut at, mut below) = (HashMap::new(), HashMap::new());
    for &(repository, root) in found.keys() {
        let evidence = evidence(repository, root);
        Most::add(at.entry(root).or_default(), evidence, repository);
        root.ancestors().for_each(|above| Most::add(below.entry(above).or_default(), evidence, repository));
    }
    let standing = |((application, repository), root): ((&Application, &String), &Option<PathBuf>)| {
        let Some(root) = root else { return Standing::Behind };
        if !is_stated(application) {
            return Standing::First;
        }
        let own = evidence(repository, root);
        let above = root.ancestors().filter_map(|above| at.get(above));
        let rivals: Vec<&Most<'_>> = above.chain(below.get(&**root)).flatten().collect();
        let is_shared = |rival: &&Most<'_>| {
            rival.evidence == own && (rival.is_shared || rival.repository != repository.as_str())
        };
        match () {
            () if rivals
                .iter()
                .any(|rival| rival.evidence > own && rival.repository != repository.as_str()) =>
            {
                Standing::Behind
            }
            () if rivals.iter().any(is_shared) => Standing::Shared,
            () => Standing::First,
        }
    };
    applications.iter().zip(repositories).zip(roots).map(standing).collect()
}
