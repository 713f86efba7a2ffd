//! What kustomizations set in the objects that they build from, so that a change of the same field in a file has no effect in
//! what they build.
//!
//! Everything that one sets is a partial object, as in a strategic merge patch: its patches, and what its `replicas`, `labels`,
//! `commonLabels` and `commonAnnotations` amount to. JSON patches become partial objects, too. Replacements are not followed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::kustomization::{
    Patch, RESOURCES, added_metadata, directory_of, documents, documents_in, each_document, joined, patches,
    paths,
};
use crate::words;
use kinds::catalog::object::ObjectLabels;
use kinds::view;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Applier, Source};
use selector::labels::Selector;
use syntax::error::Place;
use syntax::head::Head;
use syntax::tree::{Entry, Map, Node, Span, Value};

/// The kinds whose `spec.replicas` a kustomization sets by name (kustomize, api/internal/konfig/builtinpluginconsts,
/// replicas.go).
pub(crate) const SCALED: [&str; 4] = ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"];

/// What the kustomizations of an input set.
#[derive(Debug, Default)]
pub struct Overlays {
    /// What each kustomization sets by itself.
    settings: Vec<Vec<Setting>>,
    directories: Vec<PathBuf>,
    /// The same, to look for them.
    kustomized: HashSet<PathBuf>,
    /// The kustomizations that list each file and directory.
    listing: HashMap<PathBuf, Vec<usize>>,
    /// The components of each kustomization.
    components: Vec<Vec<usize>>,
    /// What the objects that apply each file set.
    applied: HashMap<Arc<str>, Vec<Arc<Applied>>>,
    /// What is set in the objects of the file that was asked for last.
    last: Mutex<Arc<ByTarget>>,
}

/// What is set in the objects of files that the same kustomizations list.
#[derive(Debug, Default)]
struct ByTarget {
    listing: Vec<usize>,
    /// The place of a kustomization among those that build from the files, its number, and that of its setting.
    settings: HashMap<Target, Vec<(usize, usize, usize)>>,
}

/// What an object that applies files sets in them.
#[derive(Debug, Default)]
pub(super) struct Applied {
    settings: Vec<Setting>,
    /// What it patches.
    pub(super) targets: HashSet<Target>,
}

/// The objects that a patch is for: their kind and name, empty for any.
pub(super) type Target = (String, String);

/// The objects that apply what the kustomization builds that sets something; `None` if one of them sets it.
pub(crate) type Appliers = Option<Arc<[Applier]>>;

/// A partial object, and what applies the build that it is for.
pub(crate) type Partial<'s> = (Cow<'s, Node>, Appliers);

/// What a kustomization sets in some objects.
#[derive(Debug)]
pub struct Setting {
    /// The file, and the number of the document in it.
    source: Arc<Source>,
    document: usize,
    /// Where the partial object is written in a text within the document; `None` if its own places count.
    within: Option<usize>,
    target: Target,
    /// The labels of the objects; `None` for any.
    labels: Option<Selector>,
    appliers: Appliers,
    content: Content,
    /// The places that are known, each by where it is in the document.
    places: Mutex<HashMap<usize, Place>>,
}

#[derive(Debug)]
enum Content {
    /// A partial object.
    Partial(Node),
    /// That of fields for all objects, or those of a name.
    Field(Node),
    /// The operations of a JSON patch.
    Operations(Vec<Node>),
    /// What a replacement reads elsewhere.
    Unknown,
    /// That of a patch whose file is not in the input.
    Absent,
}

impl Setting {
    /// The partial object that this sets in an object with these names; `None` if it sets nothing in it.
    pub fn partial<'s>(
        &'s self,
        names: ObjectNames<'_>,
        head: &Head<'_>,
        tree: &Node,
    ) -> Option<Cow<'s, Node>> {
        let labels = ObjectLabels(head);
        if !self.is_for(names) || !self.labels.as_ref().is_none_or(|selector| selector.matches(&labels)) {
            return None;
        }
        match &self.content {
            Content::Partial(partial) | Content::Field(partial) => Some(Cow::Borrowed(partial)),
            Content::Operations(operations) => {
                let mut partial = Node::new(Value::Map(Map::default()));
                operations.iter().for_each(|operation| apply(operation, tree, &mut partial));
                Some(Cow::Owned(partial))
            }
            Content::Unknown | Content::Absent => None,
        }
    }

    /// Whether this is for an object with these names, as far as they and its kind tell.
    fn is_for(&self, names: ObjectNames<'_>) -> bool {
        let (kind, name) = &self.target;
        (kind.is_empty() || kind == names.kind()) && (name.is_empty() || names.has(name))
    }

    /// Whether this may change a field of an object with these names: `spec.generators`, `spec.ports[0].port`.
    pub(super) fn may_change(&self, names: ObjectNames<'_>, field: &str) -> bool {
        self.is_for(names)
            && match &self.content {
                Content::Partial(partial) | Content::Field(partial) => sets(partial, field.split(['.', '['])),
                Content::Operations(operations) => operations.iter().any(|operation| {
                    let path = view::text(operation, "path").trim_start_matches('/').split('/');
                    // A number is that of an element, which may be another one then.
                    path.zip(field.split(['.', '[']))
                        .all(|(own, wanted)| own == wanted || wanted.ends_with(']'))
                }),
                Content::Unknown | Content::Absent => true,
            }
    }

    /// Whether this may change how objects are related to each other: their labels, selectors, ports, names or namespaces.
    pub(super) fn relates(&self) -> bool {
        match &self.content {
            Content::Partial(partial) => {
                partial.as_map().into_iter().flatten().any(|field| match &*field.key {
                    "apiVersion" | "kind" => false,
                    "metadata" => field.value.as_map().into_iter().flatten().any(|field| {
                        !matches!(&*field.key, "name" | "namespace") && may_relate(&field.key, &field.value)
                    }),
                    key => may_relate(key, &field.value),
                })
            }
            Content::Operations(operations) => operations.iter().any(|operation| {
                let relates_nothing = |path| view::text(operation, path).split('/').any(is_unrelated);
                match view::text(operation, "op") {
                    "test" => false,
                    "copy" | "move" => !["path", "from"].into_iter().all(relates_nothing),
                    _ => !relates_nothing("path"),
                }
            }),
            // Fields have rules of their own.
            Content::Field(_) => false,
            Content::Unknown | Content::Absent => true,
        }
    }

    /// The objects that a patch or a replacement changes; `None` of a field for all.
    pub(super) fn patched(&self) -> Option<&Target> {
        Some(&self.target).filter(|_| !matches!(self.content, Content::Field(_) | Content::Absent))
    }

    /// The kind that a patch or a replacement changes, also one whose file is not in the input; empty for any, and for a regular
    /// expression. `None` of a field.
    pub(super) fn patched_kind(&self) -> Option<&str> {
        let is_plain = |kind: &&str| kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let kind = Some(&*self.target.0).filter(is_plain).unwrap_or_default();
        Some(kind).filter(|_| !matches!(self.content, Content::Field(_)))
    }

    /// Whether it is a JSON patch that changes versions.
    pub(super) fn changes_version(&self) -> bool {
        let is_it = |operation: &Node| view::text(operation, "path") == "/apiVersion";
        matches!(&self.content, Content::Operations(operations) if operations.iter().any(is_it))
    }

    /// The file that says it.
    pub(super) fn file(&self) -> &str {
        &self.source.name
    }

    /// Where a value of the partial object is written.
    pub fn place(&self, value: &Node) -> Place {
        self.place_at(value.span.start)
    }

    /// Where something is written that begins at this byte of its text.
    pub(crate) fn place_at(&self, at: usize) -> Place {
        let at = self.within.unwrap_or(at);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let mut place = Place { source: Arc::clone(&self.source.name), line: None, document: None };
            let mut numbers = 0..;
            each_document(&self.source, |document, _| {
                if numbers.next() == Some(self.document) {
                    place = document.place(at).without_document();
                }
            });
            place
        };
        places.entry(at).or_insert_with(find).clone()
    }
}

/// Whether a field of a partial object may relate it to others, or one below it. The name of an element only says which one it is.
fn may_relate(key: &str, value: &Node) -> bool {
    match &value.value {
        _ if is_unrelated(key) => false,
        Value::Map(map) => map.iter().any(|field| may_relate(&field.key, &field.value)),
        Value::Seq(elements) => elements.iter().any(|element| match element.as_map() {
            Some(map) => map.iter().any(|field| field.key != "name" && may_relate(&field.key, &field.value)),
            None => true,
        }),
        _ => true,
    }
}

fn is_unrelated(key: &str) -> bool {
    static UNRELATED: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("fields that relate nothing"));
    UNRELATED.contains(&key)
}

/// Whether a partial object has a field, or a value in its place, at the rest of a path; in a list, any element may be meant.
fn sets<'p>(partial: &Node, mut rest: impl Iterator<Item = &'p str> + Clone) -> bool {
    match (&partial.value, rest.next()) {
        (Value::Map(_), Some(key)) => partial.get(key).is_some_and(|value| sets(value, rest)),
        (Value::Seq(elements), Some(_)) => elements.iter().any(|element| sets(element, rest.clone())),
        _ => true,
    }
}

/// Adds what an operation sets in an object to a partial object. An element of a list is known by its name.
fn apply(operation: &Node, object: &Node, partial: &mut Node) {
    let value = match view::text(operation, "op") {
        "add" | "replace" => operation.get("value"),
        "remove" => operation.get("path"),
        _ => None,
    };
    let Some(mut value) = value.cloned() else { return };
    if view::text(operation, "op") == "remove" {
        value.value = Value::Null;
    }
    let decoded = |part: &str| part.replace("~1", "/").replace("~0", "~");
    let path: Vec<String> = view::text(operation, "path").split('/').skip(1).map(decoded).collect();
    // The path in the object, and each element of a list that it goes through.
    let mut own = Some(object);
    let mut steps: Vec<(String, Option<Node>)> = Vec::new();
    for key in path {
        // A new element of a list, which has what the value says.
        if key == "-" {
            own = None;
            steps.push((key, None));
            continue;
        }
        let list = own.and_then(Node::as_seq);
        own = match list {
            Some(items) => key.parse().ok().and_then(|at: usize| items.get(at)),
            None => own.and_then(|node| node.get(&key)),
        };
        let name = own.filter(|_| list.is_some()).and_then(|element| element.get("name"));
        match (list, name) {
            (None, _) => steps.push((key, None)),
            (Some(_), Some(name)) => steps.push((String::new(), Some(name.clone()))),
            // An element without a name may be any.
            (Some(_), None) => return,
        }
    }
    for (key, name) in steps.into_iter().rev() {
        value = match name {
            None if key == "-" && value.as_map().is_none() => return,
            None if key == "-" => Node::new(Value::Seq(vec![value])),
            None => Node::map([(&*key, value)]),
            Some(name) => {
                let mut element = if value.as_map().is_some() { value } else { return };
                if let Some(map) = element.as_map_mut() {
                    map.insert("name", Span::default(), name);
                }
                Node::new(Value::Seq(vec![element]))
            }
        };
    }
    merge(partial, value);
}

/// Merges a partial object into another one.
fn merge(into: &mut Node, from: Node) {
    match (&mut into.value, from.value) {
        (Value::Map(into), Value::Map(from)) => {
            for Entry { key, value, .. } in &from {
                match into.get_mut(key) {
                    Some(own) => merge(own, value.clone()),
                    None => drop(into.insert(key.clone(), Span::default(), value.clone())),
                }
            }
        }
        (Value::Seq(into), Value::Seq(from)) => into.extend(from),
        (into, from) => *into = from,
    }
}

impl Overlays {
    /// Reads the kustomizations among the sources, and their patches.
    pub fn read(sources: &[Source]) -> Self {
        let mut overlays = Self::default();
        let kustomizations: Vec<(&Source, &Node)> =
            sources.iter().filter_map(|source| Some((source, &**source.kustomization.as_ref()?))).collect();
        if kustomizations.is_empty() {
            return overlays;
        }
        overlays.directories = kustomizations.iter().map(|(source, _)| directory_of(&source.name)).collect();
        overlays.kustomized = overlays.directories.iter().cloned().collect();
        let numbers: HashMap<&Path, usize> =
            overlays.directories.iter().enumerate().map(|(at, path)| (&**path, at)).collect();
        let files: HashMap<PathBuf, &Source> =
            sources.iter().map(|source| (joined(Path::new(""), &source.name), source)).collect();
        for (number, (source, kustomization)) in kustomizations.into_iter().enumerate() {
            let directory = &overlays.directories[number];
            let fields = RESOURCES.iter().chain([&"components"]);
            for path in fields.flat_map(|field| paths(kustomization, field, directory)) {
                overlays.listing.entry(path).or_default().push(number);
            }
            let components = paths(kustomization, "components", directory);
            let components = components.filter_map(|path| numbers.get(&*path).copied()).collect();
            overlays.components.push(components);
            let appliers = Some(source.built.appliers.clone().unwrap_or_default());
            overlays.settings.push(settings(source, kustomization, directory, &files, &appliers));
        }
        overlays
    }

    /// The same, with what the objects that apply files set.
    pub fn with_applied(sources: &[Source]) -> Self {
        let mut overlays = Self::read(sources);
        let mut known: HashMap<*const Node, Arc<Applied>> = HashMap::new();
        for source in sources {
            let applied = |changes: &Arc<Node>| {
                let known = known.entry(Arc::as_ptr(changes)).or_insert_with(|| {
                    let settings = settings(source, changes, Path::new(""), &HashMap::new(), &None);
                    let targets = settings.iter().filter_map(Setting::patched).cloned().collect();
                    Arc::new(Applied { settings, targets })
                });
                Arc::clone(known)
            };
            if let Some(changes) = &source.built.changes {
                overlays.applied.insert(Arc::clone(&source.name), changes.iter().map(applied).collect());
            }
        }
        overlays
    }

    /// Whether a kustomization is in the directory of a file, or above it, and none lists the file.
    pub fn leave_out(&self, file: &str) -> bool {
        let is_below = |path: &Path| path.ancestors().skip(1).any(|above| self.kustomized.contains(above));
        !self.kustomized.is_empty() && {
            let path = joined(Path::new(""), file);
            is_below(&path) && !self.listing.contains_key(&path)
        }
    }

    /// What each of the objects that apply a file sets.
    pub(super) fn applied(&self, file: &str) -> impl Iterator<Item = &Applied> {
        self.applied.get(file).into_iter().flatten().map(|applied| &**applied)
    }

    /// What each kustomization sets, with its directory.
    pub(super) fn each(&self) -> impl Iterator<Item = (&Path, &[Setting])> {
        self.directories.iter().map(PathBuf::as_path).zip(self.settings.iter().map(Vec::as_slice))
    }

    /// What the kustomizations that build from a file set, and what applies it.
    pub fn of_file(&self, file: &str) -> impl Iterator<Item = &Setting> {
        let builders = self.builders_of(self.listing_of(&joined(Path::new(""), file)));
        let settings = builders.into_iter().flat_map(|number| &self.settings[number]);
        settings.chain(self.applied(file).flat_map(|applied| &applied.settings))
    }

    /// What patches set in an object that can be read.
    pub(crate) fn patches(&self, object: &Object<'_>) -> Vec<Partial<'_>> {
        let names = object.names();
        let is_for = |setting: &&Setting| setting.patched().is_some() && setting.is_for(names);
        let mut settings = self.all_for(&object.document.source.name, names).filter(is_for).peekable();
        let Some(Ok(tree)) = settings.peek().is_some().then(|| object.value()) else { return Vec::new() };
        settings
            .filter_map(|one| Some((one.partial(names, object.head, tree)?, one.appliers.clone())))
            .collect()
    }

    /// Whether replacements may set fields of an object: they are not followed.
    pub fn replace_in(&self, object: &Object<'_>) -> bool {
        let names = object.names();
        let is_it = |setting: &Setting| matches!(setting.content, Content::Unknown) && setting.is_for(names);
        self.all_for(&object.document.source.name, names).any(is_it)
    }

    /// What all patches set, each with the file that says it.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Arc<str>, &Node)> {
        // Many files are applied by one.
        let mut seen = HashSet::new();
        let applied =
            self.applied.values().flatten().filter(move |applied| seen.insert(Arc::as_ptr(applied)));
        let applied = applied.map(|applied| &applied.settings);
        self.settings.iter().chain(applied).flatten().flat_map(|setting| {
            let (partial, operations) = match &setting.content {
                Content::Partial(partial) => (Some(partial), &[][..]),
                Content::Operations(operations) => (None, &operations[..]),
                Content::Field(_) | Content::Unknown | Content::Absent => (None, &[][..]),
            };
            let values = operations.iter().filter_map(|operation| operation.get("value"));
            partial.into_iter().chain(values).map(|node| (&setting.source.name, node))
        })
    }

    /// An object of a file as each kustomization that patches one of the fields builds it, as it is written if none does; `None`
    /// if these are more than are `left`.
    pub(super) fn builds<'t>(
        &self,
        file: &str,
        object: &'t Node,
        fields: &[&str],
        left: &mut usize,
    ) -> Option<Vec<Cow<'t, Node>>> {
        let written = vec![Cow::Borrowed(object)];
        let Some(Ok(head)) = object.as_map().map(Head::of) else { return Some(written) };
        let names = ObjectNames::new(head.kind, head.name.unwrap_or_default(), None);
        let patches = |setting: &Setting| fields.iter().any(|field| setting.may_change(names, field));
        let settings = self.settings_for(file, names);
        let patching = settings.iter().filter(|(_, setting)| patches(setting)).map(|(by, _)| *by);
        let patching: HashSet<usize> = patching.collect();
        *left = left.checked_sub(patching.len())?;
        let mut builds: BTreeMap<usize, Node> = patching.into_iter().map(|by| (by, object.clone())).collect();
        for (by, setting) in settings {
            if let Some((built, partial)) = builds.get_mut(&by).zip(setting.partial(names, &head, object)) {
                merge(built, partial.into_owned());
            }
        }
        let is_written = builds.is_empty();
        Some(if is_written { written } else { builds.into_values().map(Cow::Owned).collect() })
    }

    /// Whether what kustomizations that build from a file set, or what applies it, may change a field of an object with these
    /// names.
    pub(super) fn may_change(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.all_for(file, names).any(|setting| setting.may_change(names, field))
    }

    /// The same with what applies the file sets in any object of it.
    fn all_for(&self, file: &str, names: ObjectNames<'_>) -> impl Iterator<Item = &Setting> {
        let settings = self.settings_for(file, names).into_iter().map(|(_, setting)| setting);
        settings.chain(self.applied(file).flat_map(|applied| &applied.settings))
    }

    /// What kustomizations that build from a file set in an object with these names, each with the place of its kustomization
    /// among them.
    pub(super) fn settings_for(&self, file: &str, names: ObjectNames<'_>) -> Vec<(usize, &Setting)> {
        if self.settings.is_empty() {
            return Vec::new();
        }
        let by_target = self.by_target(self.listing_of(&joined(Path::new(""), file)));
        let kinds = [names.kind(), ""];
        let both = |name: String| kinds.map(|kind| (kind.to_owned(), name.clone()));
        let keys: BTreeSet<Target> = names.all().chain([String::new()]).flat_map(both).collect();
        let mut found: Vec<(usize, usize, usize)> =
            keys.iter().filter_map(|key| by_target.settings.get(key)).flatten().copied().collect();
        found.sort_unstable();
        found.into_iter().map(|(place, number, at)| (place, &self.settings[number][at])).collect()
    }

    fn by_target(&self, listing: &[usize]) -> Arc<ByTarget> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.listing != listing {
            let mut settings: HashMap<Target, Vec<(usize, usize, usize)>> = HashMap::new();
            for (place, number) in self.builders_of(listing).into_iter().enumerate() {
                for (at, setting) in self.settings[number].iter().enumerate() {
                    settings.entry(setting.target.clone()).or_default().push((place, number, at));
                }
            }
            *last = Arc::new(ByTarget { listing: listing.to_vec(), settings });
        }
        Arc::clone(&last)
    }

    /// Whether one kustomization alone lists a file.
    pub(super) fn is_listed_once(&self, file: &str) -> bool {
        self.listing_of(&joined(Path::new(""), file)).len() == 1
    }

    /// The kustomizations that list a file or a directory.
    fn listing_of(&self, path: &Path) -> &[usize] {
        self.listing.get(path).map_or(&[][..], Vec::as_slice)
    }

    /// The directories of the kustomizations that build from these files.
    pub(super) fn building<'f>(&self, files: impl Iterator<Item = &'f str>) -> HashSet<&Path> {
        let listing = files.flat_map(|file| self.listing_of(&joined(Path::new(""), file)));
        let listing: BTreeSet<usize> = listing.copied().collect();
        let builders = self.builders_of(&listing.into_iter().collect::<Vec<_>>());
        builders.into_iter().map(|number| &*self.directories[number]).collect()
    }

    /// The kustomizations that build from what some of them list.
    fn builders_of(&self, listing: &[usize]) -> Vec<usize> {
        let mut above = listing.to_vec();
        let mut seen: HashSet<usize> = above.iter().copied().collect();
        let mut at = 0;
        while let Some(&number) = above.get(at) {
            let others = self.listing_of(&self.directories[number]).iter();
            above.extend(others.filter(|&&other| seen.insert(other)));
            at += 1;
        }
        // A component changes what those that list it build.
        let mut at = 0;
        while let Some(&number) = above.get(at) {
            above.extend(self.components[number].iter().filter(|&&component| seen.insert(component)));
            at += 1;
        }
        above
    }
}

/// What a kustomization sets by itself.
fn settings(
    source: &Source,
    kustomization: &Node,
    directory: &Path,
    files: &HashMap<PathBuf, &Source>,
    appliers: &Appliers,
) -> Vec<Setting> {
    let (mut found, source) = (Vec::new(), Arc::new(source.clone()));
    let own = |target: Target, content: Content| {
        let (source, appliers) = (Arc::clone(&source), appliers.clone());
        let (document, within, labels, places) = (0, None, None, Mutex::default());
        Setting { source, document, within, target, labels, appliers, content, places }
    };
    for entry in view::list(kustomization, "replicas") {
        let Some(count) = entry.get("count") else { continue };
        let partial = Node::map([("spec", Node::map([("replicas", count.clone())]))]);
        let name = view::text(entry, "name").to_owned();
        found
            .extend(SCALED.map(|kind| own((kind.to_owned(), name.clone()), Content::Field(partial.clone()))));
    }
    for (field, values, [in_pods, _]) in added_metadata(kustomization) {
        let metadata = Node::map([("metadata", Node::map([(field, values.clone())]))]);
        let in_template = in_pods.then(|| ("spec", Node::map([("template", metadata.clone())])));
        let whole = [("metadata", Node::map([(field, values.clone())]))].into_iter().chain(in_template);
        found.push(own(Target::default(), Content::Field(Node::map(whole))));
    }
    for replacement in view::list(kustomization, "replacements") {
        let file = replacement.get("path").and_then(Node::as_str);
        let of_file = file.and_then(|path| files.get(&joined(directory, path))).map(|file| documents(file));
        let targets: Vec<Target> = match (file, of_file) {
            (None, _) => replaced(replacement).collect(),
            (Some(_), Some(read)) => read.iter().flat_map(each_replacement).flat_map(replaced).collect(),
            // One that the input does not have may replace anything.
            (Some(_), None) => vec![Target::default()],
        };
        found.extend(targets.into_iter().map(|target| own(target, Content::Unknown)));
    }
    for Patch { target: selector, text: inline, path, .. } in patches(kustomization) {
        let mut add = |source: &Arc<Source>, document, within, root: Node| {
            // A strategic merge patch names its object.
            let named = || ["kind", "metadata.name"].map(|field| view::text(&root, field).to_owned()).into();
            let target = selector.map_or_else(named, target_of);
            let labels =
                selector.and_then(|target| Selector::parse(view::text(target, "labelSelector")).ok());
            let content = match root.value {
                Value::Seq(operations) => Content::Operations(operations),
                _ => Content::Partial(root),
            };
            let source = Arc::clone(source);
            found.push(Setting { source, document, within, labels, ..own(target, content) });
        };
        match (inline, path.and_then(Node::as_str)) {
            (Some(node), _) => {
                let documents = documents_in(node.as_str().unwrap_or_default()).into_iter();
                documents.for_each(|root| add(&source, 0, Some(node.span.start), root));
            }
            (None, Some(path)) => {
                let Some(source) = files.get(&joined(directory, path)) else {
                    found.push(own(selector.map(target_of).unwrap_or_default(), Content::Absent));
                    continue;
                };
                let source = Arc::new((*source).clone());
                let documents = documents(&source).into_iter().enumerate();
                documents.for_each(|(number, root)| add(&source, number, None, root));
            }
            (None, None) => (),
        }
    }
    found
}

/// The replacements in a document of a file: one, or a list of them.
fn each_replacement(root: &Node) -> &[Node] {
    root.as_seq().unwrap_or(std::slice::from_ref(root))
}

/// What a replacement may set fields of.
fn replaced(replacement: &Node) -> impl Iterator<Item = Target> {
    let targets = view::list(replacement, "targets").iter();
    targets.filter_map(|one| one.get("select")).map(target_of)
}

/// The target of a patch or of a replacement. Names may be regular expressions, which may match any.
fn target_of(selector: &Node) -> Target {
    let name = view::text(selector, "name");
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let name = if is_plain { name.to_owned() } else { String::new() };
    (view::text(selector, "kind").to_owned(), name)
}
