//! What a kustomization says: its paths, its patches, and what its generators make.

use super::Scan;
use kinds::view;
use manifest::document::Document;
use manifest::names::Affixes;
use manifest::object;
use manifest::source::Source;
use manifest::stream::Blocks;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use syntax::emit::json;
use syntax::error::{Error, ErrorKind};
use syntax::foreign::KUSTOMIZATIONS;
use syntax::given::AddedLabel;
use syntax::parsed;
use syntax::tree::Node;
use text::hash::{HashMap, HashMapExt};

/// The group of the files of kustomize.
pub const GROUP: &str = "kustomize.config.k8s.io";

/// Whether a file with this name is a kustomization.
pub fn is_kustomization(name: &str) -> bool {
    KUSTOMIZATIONS.contains(&name)
}

/// The fields that list what the kustomization changes.
pub(super) const RESOURCES: [&str; 2] = ["resources", "bases"];

/// What a field of a kustomization holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// No paths.
    Plain,
    /// A map; the text at `path` in it is a file.
    Map,
    /// A list of files of objects, and of directories of kustomizations.
    Resources,
    /// A list of directories of components.
    Components,
    /// A list of files and directories of objects that configure plugins, and of such objects as texts.
    Plugins,
    /// A list of files.
    Files,
    /// A list of changes, which are files, texts, or maps; the text at `path` in these is a file.
    Changes,
    /// A list of generators of ConfigMaps or Secrets.
    Generators,
    /// A list of charts, which have files of values.
    Charts,
}

impl Holds {
    /// Whether it holds what is built from.
    pub(super) fn is_built(self) -> bool {
        matches!(self, Self::Resources | Self::Components)
    }
}

/// What a field does to what is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// It adds no objects but those listed, and changes nothing but what its own words say.
    Simple,
    /// It adds none either, and changes objects that it tells.
    Patches,
    /// The build may have anything more.
    Open,
}

/// The fields of a kustomization (kustomize, api/types/kustomization.go), also those that it replaces by others
/// (FixKustomizationPreUnmarshalling).
#[rustfmt::skip]
const FIELDS: [(&str, Holds, Effect); 34] = [
    ("apiVersion", Holds::Plain, Effect::Simple),
    ("bases", Holds::Resources, Effect::Simple),
    ("buildMetadata", Holds::Plain, Effect::Simple),
    ("commonAnnotations", Holds::Map, Effect::Simple),
    ("commonLabels", Holds::Map, Effect::Simple),
    ("components", Holds::Components, Effect::Simple),
    ("configMapGenerator", Holds::Generators, Effect::Simple),
    ("configurations", Holds::Files, Effect::Simple),
    ("crds", Holds::Files, Effect::Simple),
    ("generatorOptions", Holds::Map, Effect::Simple),
    ("generators", Holds::Plugins, Effect::Open),
    ("helmChartInflationGenerator", Holds::Plain, Effect::Open),
    ("helmCharts", Holds::Charts, Effect::Open),
    ("helmGlobals", Holds::Map, Effect::Open),
    ("imageTags", Holds::Plain, Effect::Open),
    ("images", Holds::Plain, Effect::Simple),
    ("kind", Holds::Plain, Effect::Simple),
    ("labels", Holds::Plain, Effect::Simple),
    ("metadata", Holds::Map, Effect::Simple),
    ("namePrefix", Holds::Plain, Effect::Simple),
    ("nameSuffix", Holds::Plain, Effect::Simple),
    ("namespace", Holds::Plain, Effect::Simple),
    ("openapi", Holds::Map, Effect::Open),
    ("patches", Holds::Changes, Effect::Patches),
    ("patchesJson6902", Holds::Changes, Effect::Patches),
    ("patchesStrategicMerge", Holds::Changes, Effect::Patches),
    ("replacements", Holds::Changes, Effect::Patches),
    ("replicas", Holds::Plain, Effect::Simple),
    ("resources", Holds::Resources, Effect::Simple),
    ("secretGenerator", Holds::Generators, Effect::Simple),
    ("sortOptions", Holds::Map, Effect::Simple),
    ("transformers", Holds::Plugins, Effect::Open),
    ("validators", Holds::Plugins, Effect::Open),
    ("vars", Holds::Plain, Effect::Open),
];

/// A path in a kustomization.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'n> {
    /// The field that has it, and what that holds.
    pub field: &'static str,
    pub holds: Holds,
    /// The path as written.
    pub path: &'n str,
    /// Where it is written in the text, in bytes.
    pub at: usize,
}

/// The paths in a kustomization, without texts in their place, in the order of the fields above.
pub(crate) fn listed(kustomization: &Node) -> Vec<Listed<'_>> {
    listed_as(kustomization, |_| true)
}

/// The paths in the fields that hold what is wanted.
pub(super) fn listed_as(kustomization: &Node, is_wanted: impl Fn(Holds) -> bool) -> Vec<Listed<'_>> {
    let mut found = Vec::new();
    for (field, holds, _) in FIELDS.into_iter().filter(|(_, holds, _)| is_wanted(*holds)) {
        let Some(value) = kustomization.get(field) else { continue };
        let items = value.as_seq().unwrap_or_default();
        let lists = |item| ["files", "envs"].into_iter().flat_map(move |list| view::list(item, list));
        let values =
            |chart| view::list(chart, "additionalValuesFiles").iter().chain(Node::get(chart, "valuesFile"));
        let paths: Vec<&Node> = match holds {
            Holds::Plain => Vec::new(),
            Holds::Map => value.get("path").into_iter().collect(),
            Holds::Resources | Holds::Components | Holds::Plugins | Holds::Files => items.iter().collect(),
            // Some list paths where kustomize wants maps.
            Holds::Changes => items.iter().map(|item| item.get("path").unwrap_or(item)).collect(),
            Holds::Generators => items.iter().flat_map(|item| lists(item).chain(item.get("env"))).collect(),
            Holds::Charts => items.iter().flat_map(values).collect(),
        };
        let paths = paths.into_iter().filter_map(|node| Some((node.as_str()?, node.span.start)));
        let paths = paths.filter(|(path, _)| !path.is_empty() && !is_inline(path));
        found.extend(paths.map(|(path, at)| Listed { field, holds, path, at }));
    }
    // `KEY=PATH`
    for listed in found.iter_mut().filter(|listed| listed.holds == Holds::Generators) {
        listed.path = listed.path.split_once('=').map_or(listed.path, |(_, path)| path);
    }
    found
}

/// An object that a generator makes.
#[derive(Debug)]
pub struct Generated {
    /// The file of the kustomization.
    pub file: Arc<str>,
    /// `ConfigMap` or `Secret`.
    pub kind: &'static str,
    /// Its name, without the hash.
    pub name: String,
    /// Whether a hash follows its name in what is built.
    pub is_hashed: bool,
    /// The namespace that the generator or its kustomization sets; `None` if neither does.
    pub namespace: Option<String>,
    /// The keys of its data; `None` if some are those in a file of variables.
    pub keys: Option<Vec<String>>,
}

impl Generated {
    /// What an entry of a generator makes; `None` if it has no name.
    fn of(file: &Arc<str>, kind: &'static str, kustomization: &Node, entry: &Node) -> Option<Self> {
        let text = |node, key| filled(node, key).map(str::to_owned);
        let name = text(entry, "name")?;
        let is_read = view::list(entry, "envs").is_empty() && entry.get("env").is_none();
        let keys = || keys(entry).filter_map(|(_, key)| key.map(str::to_owned)).collect();
        Some(Self {
            file: Arc::clone(file),
            kind,
            name,
            is_hashed: ![(entry, "options"), (kustomization, "generatorOptions")]
                .iter()
                .any(|(node, field)| view::bool(node, &format!("{field}.disableNameSuffixHash"))),
            namespace: text(entry, "namespace").or_else(|| text(kustomization, "namespace")),
            keys: is_read.then(keys),
        })
    }
}

/// The sources that are kustomizations by their names.
pub(super) fn named(sources: &[Source]) -> impl Iterator<Item = &Source> {
    sources.iter().filter(|source| is_named(source))
}

fn is_named(source: &Source) -> bool {
    Path::new(&*source.name).file_name().and_then(OsStr::to_str).is_some_and(is_kustomization)
}

/// Lets kustomizations be read as such even if they do not say their type, unless the user named them: kubectl refuses those.
pub fn mark_untyped(sources: &mut [Source]) {
    for source in sources.iter_mut().filter(|source| !source.named && is_named(source)) {
        source.is_kustomization = true;
    }
}

/// A kustomization with the name of its file.
pub type File = (Arc<str>, Arc<Node>);

/// Reads the kustomizations among the sources, once for all who ask for them.
pub fn read(sources: &mut [Source]) {
    let files: Vec<Source> = named(sources).cloned().collect();
    // `None` for those that cannot be read.
    let mut found: HashMap<Arc<str>, Option<Node>> = HashMap::new();
    let read =
        |document: Result<Document<'_>, Error>, read: &mut Vec<(Arc<str>, Option<Node>)>| match document {
            Ok(document) => {
                let root = object::value(document);
                if root.is_some() || object::parse(document).is_err() {
                    read.push((Arc::clone(&document.source.name), root));
                }
            }
            Err(error) => read.push((error.place.source, None)),
        };
    Scan::of(&files).documents(read, |read| {
        for (name, root) in read {
            let first = found.entry(name).or_default();
            *first = first.take().or(root);
        }
    });
    for source in sources.iter_mut().filter(|source| is_named(source)) {
        let root = found.remove(&source.name).unwrap_or_else(|| Some(Node::map([])));
        source.kustomization = root.map(Arc::new);
    }
}

/// The kustomizations among the sources that were read.
pub fn files(sources: &[Source]) -> Vec<File> {
    let read = |source: &Source| Some((Arc::clone(&source.name), Arc::clone(source.kustomization.as_ref()?)));
    sources.iter().filter_map(read).collect()
}

/// Marks the sources that the kustomizations list, and those that they list as patches and not as resources, unless the user named
/// them.
pub fn mark_patches(sources: &mut [Source]) {
    let files = files(sources);
    // Whether each is a resource.
    let mut listed: HashMap<OsString, bool> = HashMap::new();
    for (file, kustomization) in &files {
        let directory = directory_of(file);
        for one in listed_as(kustomization, |holds| matches!(holds, Holds::Changes | Holds::Resources)) {
            let path = joined(&directory, one.path).into_os_string();
            *listed.entry(path).or_default() |= one.holds == Holds::Resources;
        }
    }
    if listed.is_empty() {
        return;
    }
    for source in sources.iter_mut().filter(|source| !source.named) {
        let found = listed.get(joined(Path::new(""), &source.name).as_os_str());
        (source.is_listed, source.is_patch) = (found.is_some(), found == Some(&false));
    }
}

/// The ConfigMaps and Secrets that generators of these kustomizations make.
pub fn generated(kustomizations: &[File]) -> impl Iterator<Item = Generated> {
    kustomizations.iter().flat_map(|(file, kustomization)| {
        let made = makes(kustomization);
        made.filter_map(move |(_, kind, entry)| Generated::of(file, kind, kustomization, entry))
    })
}

/// What the generators of a kustomization make, in the place of its file.
pub(super) fn made(file: &File) -> Source {
    let mut text = String::new();
    for Generated { kind, name, namespace, .. } in generated(std::slice::from_ref(file)) {
        let namespace = namespace.as_deref().map(|namespace| ("namespace", Node::text(namespace)));
        let metadata = Node::map([("name", Node::text(&name))].into_iter().chain(namespace));
        let (version, kind) = (Node::text("v1"), Node::text(kind));
        let object = Node::map([("apiVersion", version), ("kind", kind), ("metadata", metadata)]);
        text += &format!("---\n{}\n", json::text(&object));
    }
    Source::memory(&file.0, text.as_bytes())
}

/// The entries of generators, each with its field and the kind of what it makes.
pub(crate) fn generators(kustomization: &Node) -> impl Iterator<Item = (&'static str, &'static str, &Node)> {
    let fields = [("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")];
    fields.into_iter().flat_map(move |(field, kind)| {
        view::list(kustomization, field).iter().map(move |entry| (field, kind, entry))
    })
}

/// Those that make something new.
pub(crate) fn makes(kustomization: &Node) -> impl Iterator<Item = (&'static str, &'static str, &Node)> {
    generators(kustomization).filter(|(_, _, entry)| !changes_another(entry))
}

/// Whether an entry of a generator changes an object that there is.
pub(crate) fn changes_another(generator: &Node) -> bool {
    matches!(view::text(generator, "behavior"), "merge" | "replace")
}

/// The literals and the files of an entry of a generator, each with its key: that before `=`, or the last part of a path. `None` if
/// a literal has none.
pub(crate) fn keys(entry: &Node) -> impl Iterator<Item = (&Node, Option<&str>)> {
    let texts = |field| view::list(entry, field).iter().filter_map(|node| Some((node, node.as_str()?)));
    let files = texts("files").map(move |(node, path)| {
        (node, path.split_once('=').map(|(key, _)| key).or(path.rsplit('/').next()))
    });
    let literals = texts("literals").map(|(node, literal)| {
        (node, literal.split_once('=').map(|(key, _)| key).filter(|key| !key.is_empty()))
    });
    files.chain(literals)
}

/// The files below its directory that the generators of a kustomization read.
pub fn generator_files(kustomization: &Node, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let listed = generators(kustomization)
        .flat_map(|(_, _, entry)| ["files", "envs"].into_iter().flat_map(|field| view::list(entry, field)));
    let paths =
        listed.filter_map(Node::as_str).map(|text| text.split_once('=').map_or(text, |(_, path)| path));
    let below = paths.map(|path| joined(Path::new(""), path));
    below.filter(|path| !(path.is_absolute() || path.starts_with(".."))).map(|path| directory.join(path))
}

/// What a kustomization puts around names.
pub(crate) fn affixes(kustomization: &Node) -> Affixes {
    let substitute = kustomization.at("postBuild.substitute").and_then(Node::as_map);
    Affixes {
        prefix: filled(kustomization, "namePrefix").unwrap_or_default().to_owned(),
        suffix: filled(kustomization, "nameSuffix").unwrap_or_default().to_owned(),
        filled: substitute
            .into_iter()
            .flatten()
            .filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned())))
            .collect(),
        is_filled_elsewhere: !view::list(kustomization, "postBuild.substituteFrom").is_empty(),
        ..Affixes::default()
    }
}

/// The Helm charts of these kustomizations, each with its file, as `NAME of REPOSITORY`.
pub fn charts(kustomizations: &[File]) -> impl Iterator<Item = (Arc<str>, String)> {
    const FIELDS: [(&str, &str, &str); 2] =
        [("helmCharts", "name", "repo"), ("helmChartInflationGenerator", "chartName", "chartRepoUrl")];
    kustomizations.iter().flat_map(|(file, kustomization)| {
        FIELDS.into_iter().flat_map(move |(field, name, repository)| {
            let named = view::list(kustomization, field).iter();
            named.map(move |chart| {
                let [name, repository] = [name, repository].map(|field| view::text(chart, field));
                (Arc::clone(file), format!("{name} of {repository}"))
            })
        })
    })
}

/// Whether kustomize may fetch this path (kustomize, api/internal/git/repospec.go): it has a scheme, is of a user at a host, or on
/// GitHub.
pub(crate) fn is_address(path: &str) -> bool {
    let is_of_user = path.split_once(':').is_some_and(|(host, _)| host.contains('@'));
    let is_on_github = path.get(..10).is_some_and(|host| host.eq_ignore_ascii_case("github.com"));
    path.contains("://") || path.starts_with("git::") || is_of_user || is_on_github
}

/// What these kustomizations list that kustomize fetches from elsewhere, each with the file that lists it.
pub fn remote(kustomizations: &[File]) -> impl Iterator<Item = (Arc<str>, String)> {
    kustomizations.iter().flat_map(|(file, kustomization)| {
        let listed = listed_as(kustomization, Holds::is_built).into_iter();
        listed.filter(|one| is_address(one.path)).map(|one| (Arc::clone(file), one.path.to_owned()))
    })
}

/// Whether what these kustomizations build may have more than the input.
pub(super) fn is_open(kustomizations: &[File]) -> bool {
    let is_open = |(_, kustomization): &File| effect(kustomization) == Effect::Open;
    kustomizations.iter().any(is_open) || remote(kustomizations).next().is_some()
}

/// The paths that a field lists, relative to the directory of its kustomization.
pub(crate) fn paths(kustomization: &Node, field: &str, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let listed = view::list(kustomization, field).iter().filter_map(Node::as_str);
    listed.map(|path| joined(directory, path))
}

/// The text of a field that is not empty.
pub(crate) fn filled<'n>(node: &'n Node, field: &str) -> Option<&'n str> {
    Some(view::text(node, field)).filter(|text| !text.is_empty())
}

/// The directory of a file.
pub(crate) fn directory_of(file: &str) -> PathBuf {
    let directory = Path::new(file).parent().unwrap_or(Path::new(""));
    joined(Path::new(""), &directory.to_string_lossy())
}

/// The annotation with the origin of an object (kustomize, `buildMetadata: [originAnnotations]`).
const ORIGIN: &str = "config.kubernetes.io/origin";

/// The file that an object comes from, as far as its annotation says: relative to the directory of the kustomization, which
/// is `built_from` if that is known, or with the address of its repository. That of a generated object is the kustomization.
pub fn origin(object: &Node, built_from: Option<&str>) -> Option<String> {
    let annotation = object.at("metadata.annotations")?.get(ORIGIN)?.as_str()?;
    let origin = documents_in(annotation).into_iter().next()?;
    let text = |field| filled(&origin, field);
    let path = text("path").or_else(|| text("configuredIn"))?;
    Some(match (text("repo"), text("ref")) {
        (Some(repository), Some(revision)) => format!("{repository}//{path}?ref={revision}"),
        (Some(repository), None) => format!("{repository}//{path}"),
        (None, _) => joined(Path::new(built_from.unwrap_or_default()), path).to_string_lossy().into_owned(),
    })
}

/// The maps of labels and annotations that a kustomization adds: the field of metadata, the map, and whether templates of pods get
/// it, too.
pub(crate) fn added_metadata(kustomization: &Node) -> impl Iterator<Item = (&'static str, &Node, [bool; 2])> {
    let labels = view::list(kustomization, "labels").iter().filter_map(|labels| {
        let in_selectors = view::bool(labels, "includeSelectors");
        let in_pods = in_selectors || view::bool(labels, "includeTemplates");
        Some(("labels", labels.get("pairs")?, [in_pods, in_selectors]))
    });
    let common = [("labels", "commonLabels"), ("annotations", "commonAnnotations")];
    let common =
        common.into_iter().filter_map(|(field, key)| Some((field, kustomization.get(key)?, [true; 2])));
    common.chain(labels).filter(|(_, values, _)| values.as_map().is_some())
}

/// The labels of a map, and whether they are added to the templates of pods and to selectors.
pub(super) fn added_labels(
    labels: &Node,
    [in_pods, in_selectors]: [bool; 2],
) -> impl Iterator<Item = (String, AddedLabel)> {
    labels.as_map().into_iter().flatten().filter_map(move |entry| {
        let value = Some(entry.value.as_str()?.to_owned());
        Some((entry.key.to_string(), AddedLabel { value, in_pods, in_selectors, is_in_all: true }))
    })
}

/// The patches of a kustomization that may be JSON patches.
pub(crate) fn json_patches(kustomization: &Node) -> impl Iterator<Item = &Node> {
    ["patches", "patchesJson6902"].into_iter().flat_map(|field| view::list(kustomization, field))
}

/// A patch of a kustomization.
#[derive(Clone, Copy)]
pub(crate) struct Patch<'n> {
    pub field: &'static str,
    pub entry: &'n Node,
    /// What it is for; `None` if its documents name their objects.
    pub target: Option<&'n Node>,
    /// The patch itself, or the path of its file.
    pub text: Option<&'n Node>,
    pub path: Option<&'n Node>,
}

impl Patch<'_> {
    /// Whether its options let it change names.
    pub(crate) fn allows_names(&self) -> bool {
        view::bool(self.entry, "options.allowNameChange")
    }

    /// Where it is written in the text, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.text.or(self.path).unwrap_or(self.entry).span.start
    }
}

/// All patches of a kustomization. Some list paths where kustomize wants maps.
pub(crate) fn patches(kustomization: &Node) -> impl Iterator<Item = Patch<'_>> {
    let fields = ["patches", "patchesJson6902", "patchesStrategicMerge"];
    let of_field = move |field| view::list(kustomization, field).iter().map(move |entry| (field, entry));
    fields.into_iter().flat_map(of_field).map(|(field, entry)| match entry.as_str() {
        Some(text) if is_inline(text) => Patch { field, entry, target: None, text: Some(entry), path: None },
        Some(_) => Patch { field, entry, target: None, text: None, path: Some(entry) },
        None => {
            let [target, text, path] = ["target", "patch", "path"].map(|key| entry.get(key));
            Patch { field, entry, target, text, path }
        }
    })
}

/// Whether this is a text in the place of a path.
pub(super) fn is_inline(path: &str) -> bool {
    path.contains('\n') || path.starts_with('{')
}

/// The documents of a text that can be read.
pub(crate) fn documents_in(text: &str) -> Vec<Node> {
    documents(&Source::memory("", text.as_bytes()))
}

/// Whether a text has a document that is neither YAML nor JSON to anyone.
pub(crate) fn is_malformed(text: &str) -> bool {
    let is_syntax = |error: &Error| matches!(&error.kind, ErrorKind::Yaml(error) if matches!(error.kind(), parsed::ErrorKind::Syntax(_)));
    let source = Source::memory("", text.as_bytes());
    let Ok(mut blocks) = Blocks::open(&source) else { return false };
    while let Ok(Some(block)) = blocks.next_block() {
        let mut documents = block.documents(&source);
        if documents.any(|document| document.and_then(object::parse).is_err_and(|error| is_syntax(&error))) {
            return true;
        }
    }
    false
}

/// The documents of a file that can be read.
pub fn documents(file: &Source) -> Vec<Node> {
    let mut found = Vec::new();
    each_document(file, |_, root| found.push(root));
    found
}

/// Visits the documents of a file that can be read.
pub(crate) fn each_document(file: &Source, mut visit: impl FnMut(Document<'_>, Node)) {
    let Ok(mut blocks) = Blocks::open(file) else { return };
    while let Ok(Some(block)) = blocks.next_block() {
        for document in block.documents(file).flatten() {
            if let Some(root) = object::value(document) {
                visit(document, root);
            }
        }
    }
}

/// What the fields of a kustomization do together: the most that one does.
pub(super) fn effect(kustomization: &Node) -> Effect {
    let of = |key: &str| FIELDS.iter().find(|(name, ..)| *name == key).map_or(Effect::Open, |field| field.2);
    let Some(fields) = kustomization.as_map() else { return Effect::Open };
    let set = fields.into_iter().filter(|entry| !entry.value.is_null());
    set.map(|entry| of(&entry.key)).max().unwrap_or(Effect::Simple)
}

/// A path relative to a directory, with `.` and `..` removed as far as possible. Two of them are the same path only if their texts
/// are equal.
pub(crate) fn joined(directory: &Path, path: &str) -> PathBuf {
    let whole = directory.join(path);
    let text = whole.as_os_str().as_encoded_bytes();
    let is_odd = |two: &[u8]| matches!(two, [b'/', b'.' | b'/']);
    if cfg!(unix) && !(text.starts_with(b".") || text.ends_with(b"/") || text.windows(2).any(is_odd)) {
        return whole;
    }
    let mut found = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if found.file_name().is_some() => drop(found.pop()),
            other => found.push(other),
        }
    }
    found
}
