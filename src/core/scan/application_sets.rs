//! The Applications that ApplicationSets of Argo CD make of an input: by lists, by the directories and the files of its repository,
//! and by matrices and merges of these (argo-cd, applicationset/generators). Clusters count as one whose name is not known.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directories::{Directories, Listing};
use super::kustomization::{documents, filled, joined};
use super::overlays::{Overlays, Setting};
use expression::template::{NO_VALUE, Template};
use kinds::view;
use manifest::names::ObjectNames;
use manifest::source::{Applier, Rendered, Source};
use syntax::tree::{Map, Node, Span, Value};
use text::hash::{HashMap, HashMapExt};

/// The most Applications of an ApplicationSet.
const MOST: usize = 10_000;

/// How deep matrices and merges are followed; Argo CD allows two.
const DEPTH: usize = 4;

/// The fields of a template that say what an Application takes, where, and of which project. Others may use what only a cluster knows.
const FIELDS: [&str; 16] = [
    "chart",
    "destination",
    "directory",
    "drySource",
    "exclude",
    "include",
    "kustomize",
    "namespace",
    "path",
    "project",
    "recurse",
    "ref",
    "repoURL",
    "source",
    "sourceHydrator",
    "sources",
];

/// An ApplicationSet.
pub(super) struct ApplicationSet {
    pub(super) applier: Applier,
    /// Its `spec`.
    pub(super) spec: Node,
    /// A file that patches what its Applications take; `None` if the input has none.
    pub(super) patched_by: Option<Arc<str>>,
}

/// The Applications that an ApplicationSet makes, as their `spec`s with their names, as far as these say what is taken.
#[derive(Default)]
pub(super) struct Made {
    /// Those whose sources are known. A destination or a project that is not is left as a template.
    pub(super) known: Vec<Node>,
    /// Those of which only a cluster or a build knows the sources, or whether there are any: with templates left.
    pub(super) open: Vec<Node>,
    /// Whether the input says all.
    pub(super) is_all: bool,
    /// What its Git generators look into.
    pub(super) looked_into: BTreeSet<LookedInto>,
}

/// A directory that a Git generator looks into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LookedInto {
    /// The address of its repository.
    pub(super) url: String,
    /// The path as it is written, maybe with parameters of another generator.
    pub(super) stated: String,
    /// The part of it before any pattern.
    pub(super) path: PathBuf,
}

impl Made {
    /// What the templates in the fields of an ApplicationSet's `spec` that name objects become.
    pub(super) fn names(&self, set: &Node) -> Rendered {
        let mut names = Rendered::default();
        for (place, field) in [
            ("template.metadata.name", NAME),
            ("template.spec.destination.namespace", "destination.namespace"),
            ("template.spec.project", "project"),
        ] {
            let Some(text) = set.at(place).and_then(Node::as_str).filter(|text| text.contains("{{")) else {
                continue;
            };
            let specs = self.known.iter().chain(&self.open);
            let texts = specs.filter_map(|spec| spec.at(field)?.as_str()).map(str::to_owned);
            names.entry(text.to_owned()).or_default().extend(texts);
        }
        names
    }
}

/// The key of an Application's name beside what it takes.
const NAME: &str = "name";

/// The fields that say what the Applications of an ApplicationSet take.
const DECISIVE: [&str; 5] = [
    "spec.generators",
    "spec.template.spec.destination",
    "spec.template.spec.source",
    "spec.template.spec.sourceHydrator",
    "spec.template.spec.sources",
];

/// What generators read.
pub(super) struct Input<'i> {
    sources: &'i [Source],
    directories: &'i Directories,
    here: &'i Path,
    by_path: OnceCell<HashMap<PathBuf, &'i Source>>,
}

impl<'i> Input<'i> {
    /// The input of these sources, whose names are relative to `here`.
    pub(super) fn of(sources: &'i [Source], directories: &'i Directories, here: &'i Path) -> Self {
        Self { sources, directories, here, by_path: OnceCell::new() }
    }

    /// The first document of a file.
    fn document(&self, path: &Path) -> Option<Node> {
        let by_path = self.by_path.get_or_init(|| {
            let mut by_path = HashMap::with_capacity(self.sources.len());
            by_path.extend(self.sources.iter().map(|source| (joined(self.here, &source.name), source)));
            by_path
        });
        documents(by_path.get(path)?).into_iter().next()
    }
}

impl ApplicationSet {
    /// Learns whether kustomizations patch what its Applications take.
    pub(super) fn learn_patches(&mut self, overlays: &Overlays) {
        let Applier { file, kind, name, .. } = &self.applier;
        let names = ObjectNames::new(kind, name, None);
        let changes = |setting: &Setting| DECISIVE.iter().any(|field| setting.may_change(names, field));
        let mut settings = overlays.settings_for(file, names).into_iter();
        self.patched_by =
            settings.find(|(_, setting)| changes(setting)).map(|(_, setting)| setting.file().into());
    }

    /// The Applications that it makes.
    pub(super) fn applications(&self, input: &Input<'_>) -> Made {
        let generators = Generators {
            input,
            file: joined(input.here, &self.applier.file),
            is_go: view::bool(&self.spec, "goTemplate"),
            has_missing_keys: !view::list(&self.spec, "goTemplateOptions").iter().any(is_strict),
            knows_all: !has_clusters(&self.spec),
            looked_into: RefCell::default(),
        };
        // Its own patch may change what the Applications take.
        let patch = view::text(&self.spec, "templatePatch");
        let is_patched = ["source", "destination"].iter().any(|field| patch.contains(field));
        let mut made = Made { is_all: !is_patched, ..Made::default() };
        let Some(template) = self.spec.at("template.spec").map(taken) else { return made };
        let name = self.spec.at("template.metadata.name").map(|name| (NAME, name.clone()));
        let fields = template.as_map().into_iter().flatten();
        let template = Node::map(fields.map(|field| (&*field.key, field.value.clone())).chain(name));
        made.open.extend(self.patched_by.is_some().then(|| template.clone()));
        for generator in view::list(&self.spec, "generators") {
            generators.look_into(generator, generator);
            if is_set(generator, "template") {
                made.open.push(template.clone());
                continue;
            }
            // Whatever a generator that is not followed gives, what has no template stays as it is.
            let specs = generators.parameters(generator, 0).map_or(vec![template.clone()], |sets| {
                sets.iter().map(|parameters| generators.rendered_fields(&template, parameters)).collect()
            });
            for spec in specs {
                made.is_all &= is_complete(&spec, &[NAME, "project"]);
                let is_known = is_complete(&spec, &[NAME, "destination", "project"]);
                if is_known { &mut made.known } else { &mut made.open }.push(spec);
            }
        }
        made.is_all &= made.open.is_empty();
        made.looked_into = generators.looked_into.into_inner();
        made
    }
}

/// The fields of a template that say what is taken.
fn taken(node: &Node) -> Node {
    match &node.value {
        Value::Map(map) => {
            let fields = map.iter().filter(|entry| FIELDS.contains(&&*entry.key));
            Node::map(fields.map(|entry| (&*entry.key, taken(&entry.value))))
        }
        Value::Seq(items) => Node::new(Value::Seq(items.iter().map(taken).collect())),
        _ => node.clone(),
    }
}

fn is_strict(option: &Node) -> bool {
    option.as_str() == Some("missingkey=error")
}

/// Whether a generator, of any depth, lists clusters.
fn has_clusters(spec: &Node) -> bool {
    let is_of_clusters = |generator: &Node| {
        generator.get("clusters").is_some()
            || ["matrix", "merge"].iter().any(|field| generator.get(field).is_some_and(has_clusters))
    };
    view::list(spec, "generators").iter().any(is_of_clusters)
}

fn is_set(node: &Node, field: &str) -> bool {
    node.get(field).is_some_and(|value| !value.is_null())
}

/// Whether nothing is left to be replaced, except below some fields.
fn is_complete(node: &Node, except: &[&str]) -> bool {
    node.as_str().is_none_or(|text| !text.contains("{{"))
        && node.children().all(|(key, value)| except.contains(&key) || is_complete(value, except))
}

/// The generators of an ApplicationSet. Parameters are a tree for Go's templates, and otherwise a map of texts whose keys are what
/// stands in braces: `path.basename`.
struct Generators<'g, 'i> {
    input: &'g Input<'i>,
    /// The file of the ApplicationSet.
    file: PathBuf,
    /// Whether its templates are those of Go.
    is_go: bool,
    /// Whether parameters may be missing, which is no error.
    has_missing_keys: bool,
    /// Whether all parameters are known: not those of clusters, which functions must not take for missing.
    knows_all: bool,
    /// What those of Git look into.
    looked_into: RefCell<BTreeSet<LookedInto>>,
}

impl Generators<'_, '_> {
    /// The parameters that a generator makes; `None` if the input alone does not say.
    fn parameters(&self, generator: &Node, depth: usize) -> Option<Vec<Node>> {
        if ["selector", "template"].iter().any(|field| is_set(generator, field)) || depth > DEPTH {
            return None;
        }
        let found = if let Some(list) = generator.get("list") {
            let elements = view::list(list, "elements").iter().map(|element| self.element(element));
            list.get("elementsYaml").is_none().then(|| elements.collect())
        } else if let Some(git) = generator.get("git") {
            Some(self.of_repository(git)?)
        } else if let Some(clusters) = generator.get("clusters") {
            Some(vec![self.with_values(clusters, Node::new(Value::Map(Map::new())))?])
        } else if let Some(matrix) = generator.get("matrix") {
            self.matrix(matrix, depth + 1)
        } else {
            self.merge(generator.get("merge")?, depth + 1)
        };
        found.filter(|found| found.len() <= MOST)
    }

    /// Notes the directories of a Git generator, as it is written and as another one makes it.
    fn look_into(&self, written: &Node, rendered: &Node) {
        for (field, listing) in [("git.directories", Listing::Directories), ("git.files", Listing::Files)] {
            let items = view::list(written, field).iter().zip(view::list(rendered, field));
            for (written, item) in items.filter(|(_, item)| !view::bool(item, "exclude")) {
                let (stated, own) = (view::text(written, "path"), view::text(item, "path"));
                let path = joined(Path::new(""), &listing.fixed_part(own).to_string_lossy());
                if !own.contains("{{") && !path.as_os_str().is_empty() {
                    let url = view::text(rendered, "git.repoURL").to_owned();
                    let one = LookedInto { url, stated: stated.to_owned(), path };
                    self.looked_into.borrow_mut().insert(one);
                }
            }
        }
    }

    fn element(&self, element: &Node) -> Node {
        if self.is_go { element.clone() } else { flat(element) }
    }

    /// The parameters of each directory or file of the repository that the patterns name.
    fn of_repository(&self, git: &Node) -> Option<Vec<Node>> {
        let (directories, files) = (view::list(git, "directories"), view::list(git, "files"));
        let (listing, items) = match directories.is_empty() {
            true => (Listing::Files, files),
            false => (Listing::Directories, directories),
        };
        let excludes = |item: &&Node| view::bool(item, "exclude");
        let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
        for item in items.iter().filter(|item| !excludes(item)) {
            let pattern = view::text(item, "path").trim_matches('/');
            let root = match listing.fixed_part(pattern) {
                fixed if fixed.as_os_str().is_empty() => self.input.directories.top.clone(),
                fixed => self.input.directories.root(&self.file, &fixed).unwrap_or_default(),
            };
            let matching = self.input.directories.matching(&root, pattern, listing);
            found.extend(matching.into_iter().map(|path| (path, root.clone())));
        }
        // Of files alone, nothing is known about the directories beside them.
        if found.is_empty() && self.input.sources.iter().all(|source| source.named) {
            return None;
        }
        found.sort_unstable();
        found.dedup();
        let excluded: Vec<&str> =
            items.iter().filter(excludes).map(|item| view::text(item, "path")).collect();
        found.retain(|(path, _)| !excluded.iter().any(|pattern| listing.matches(pattern, path)));
        let mut all = Vec::new();
        for (path, root) in found {
            if listing == Listing::Directories {
                all.push(self.with_values(git, self.of_path(git, &path, None, Map::new()))?);
                continue;
            }
            let document = self.input.document(&root.join(&path))?;
            let (directory, name) = (path.parent()?, path.file_name()?.to_string_lossy());
            let items = document.as_seq().map_or(std::slice::from_ref(&document), |items| items);
            for item in items {
                let own = self.element(item).as_map().cloned().unwrap_or_default();
                all.push(self.with_values(git, self.of_path(git, directory, Some(&name), own))?);
            }
        }
        Some(all)
    }

    /// The parameters of a directory, or of a file in it, beside others.
    fn of_path(&self, git: &Node, directory: &Path, file: Option<&str>, mut all: Map) -> Node {
        let path = directory.to_string_lossy();
        let base = directory.file_name().unwrap_or_default().to_string_lossy();
        let parts: Vec<Node> = path.split('/').map(Node::text).collect();
        let mut own =
            vec![("basename", Node::text(&base)), ("basenameNormalized", Node::text(&normalized(&base)))];
        own.extend(file.into_iter().flat_map(|file| {
            [("filename", Node::text(file)), ("filenameNormalized", Node::text(&normalized(file)))]
        }));
        let prefix = filled(git, "pathParamPrefix");
        let mut add = |key: &str, value| {
            all.insert(key, Span::default(), value);
        };
        if self.is_go {
            own.extend([("path", Node::text(&path)), ("segments", Node::new(Value::Seq(parts)))]);
            match prefix {
                Some(prefix) => add(prefix, Node::map([("path", Node::map(own))])),
                None => add("path", Node::map(own)),
            }
        } else {
            let key = prefix.map_or("path".to_owned(), |prefix| format!("{prefix}.path"));
            add(&key, Node::text(&path));
            own.into_iter().for_each(|(name, value)| add(&format!("{key}.{name}"), value));
            parts.into_iter().enumerate().for_each(|(at, part)| add(&format!("{key}[{at}]"), part));
        }
        Node::new(Value::Map(all))
    }

    /// The parameters with those of the generator's `values`, which may use the others.
    fn with_values(&self, generator: &Node, parameters: Node) -> Option<Node> {
        let Some(values) = generator.get("values").filter(|values| values.as_map().is_some()) else {
            return Some(parameters);
        };
        let values = Node::map([("values", self.rendered(values, &parameters)?)]);
        Some(merged(&parameters, &self.element(&values)))
    }

    /// Each set of the first generator with each of the second, which may use the first.
    fn matrix(&self, matrix: &Node, depth: usize) -> Option<Vec<Node>> {
        let [first, second] = view::list(matrix, "generators") else { return None };
        [first, second].into_iter().for_each(|own| self.look_into(own, own));
        let mut all = Vec::new();
        for one in self.parameters(first, depth)? {
            let rendered = self.rendered(second, &one)?;
            self.look_into(second, &rendered);
            let others = self.parameters(&rendered, depth)?;
            all.extend(others.iter().map(|other| merged(other, &one)));
            if all.len() > MOST {
                return None;
            }
        }
        Some(all)
    }

    /// The sets of the first generator, changed by those of the others with the same values of the keys.
    fn merge(&self, merge: &Node, depth: usize) -> Option<Vec<Node>> {
        let keys: Vec<&str> = view::list(merge, "mergeKeys").iter().filter_map(Node::as_str).collect();
        let key = |one: &Node| keys.iter().map(|key| one.get(key).map(scalar)).collect::<Vec<_>>();
        let (first, others) = view::list(merge, "generators").split_first()?;
        let mut all = self.parameters(first, depth)?;
        for other in others {
            let sets = self.parameters(other, depth)?;
            let by_key: HashMap<_, &Node> = sets.iter().map(|one| (key(one), one)).collect();
            for one in &mut all {
                if let Some(other) = by_key.get(&key(one)) {
                    *one = merged(one, other);
                }
            }
        }
        Some(all)
    }

    /// A map with the parameters in its texts. A field that cannot be rendered does not hide the others.
    fn rendered_fields(&self, map: &Node, parameters: &Node) -> Node {
        Node::map(map.as_map().into_iter().flatten().map(|field| {
            let value = self.rendered(&field.value, parameters);
            (&*field.key, value.unwrap_or_else(|| field.value.clone()))
        }))
    }

    /// A tree with the parameters in its texts; `None` if a template cannot be executed.
    fn rendered(&self, node: &Node, parameters: &Node) -> Option<Node> {
        Some(match &node.value {
            Value::Map(map) => {
                let rendered = |value| self.rendered(value, parameters);
                let entries = map.iter().map(|entry| Some((&*entry.key, rendered(&entry.value)?)));
                Node::map(entries.collect::<Option<Vec<_>>>()?)
            }
            Value::Seq(items) => {
                let items = items.iter().map(|item| self.rendered(item, parameters));
                Node::new(Value::Seq(items.collect::<Option<_>>()?))
            }
            Value::String(text) if text.contains("{{") => Node::text(&self.rendered_text(text, parameters)?),
            _ => node.clone(),
        })
    }

    fn rendered_text(&self, text: &str, parameters: &Node) -> Option<String> {
        if self.is_go {
            let parse = if self.knows_all { Template::parse_with_sprig } else { Template::parse };
            let template = parse(text).ok()?.allow_missing_keys(self.knows_all && self.has_missing_keys);
            let mut out = Vec::new();
            template.execute(parameters, &mut out).ok()?;
            return String::from_utf8(out).ok().filter(|text| !text.contains(NO_VALUE));
        }
        let (mut rest, mut out) = (text, String::new());
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, next)) = after.split_once("}}") else { break };
            out.push_str(before);
            match parameters.get(name.trim()).and_then(Node::as_str) {
                Some(value) => out.push_str(value),
                // As Argo CD does, for a generator further in may know it.
                None => out.extend(["{{", name, "}}"]),
            }
            rest = next;
        }
        Some(out + rest)
    }
}

/// A tree in which the second one is laid over the first.
fn merged(below: &Node, above: &Node) -> Node {
    let (Some(first), Some(second)) = (below.as_map(), above.as_map()) else { return above.clone() };
    let mut all = first.clone();
    for entry in second.iter() {
        let value =
            first.get(&entry.key).map_or_else(|| entry.value.clone(), |own| merged(own, &entry.value));
        all.insert(entry.key.clone(), Span::default(), value);
    }
    Node::new(Value::Map(all))
}

/// A map of texts, whose keys are the paths of the scalars of a tree: `a.b`, `a.0`.
fn flat(node: &Node) -> Node {
    fn add(node: &Node, path: &str, all: &mut Map) {
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match &node.value {
            Value::Map(map) => map.iter().for_each(|entry| add(&entry.value, &below(&entry.key), all)),
            Value::Seq(items) => {
                items.iter().enumerate().for_each(|(at, item)| add(item, &below(&at.to_string()), all));
            }
            _ => {
                all.insert(path, Span::default(), Node::text(&scalar(node)));
            }
        }
    }
    let mut all = Map::new();
    add(node, "", &mut all);
    Node::new(Value::Map(all))
}

/// A scalar as Go prints it; empty for others.
fn scalar(node: &Node) -> String {
    match &node.value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::String(value) => value.to_string(),
        Value::Null => "<nil>".to_owned(),
        Value::Seq(_) | Value::Map(_) => String::new(),
    }
}

/// A text as a name of DNS (argo-cd, applicationset/utils, SanitizeName).
fn normalized(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    let name: String = name.to_lowercase().chars().map(|c| if is_kept(c) { c } else { '-' }).collect();
    name.chars().take(253).collect::<String>().trim_matches(['-', '.']).to_owned()
}
