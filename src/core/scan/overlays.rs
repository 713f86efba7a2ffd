//! What kustomizations set in the objects that they build from, so that a change of the same field in a file has no effect in
//! what they build.
//!
//! Everything that one sets is a partial object, as in a strategic merge patch: its patches, and what its `replicas`, `labels`,
//! `commonLabels` and `commonAnnotations` amount to. JSON patches become partial objects, too, but for relations, which see what patches
//! make of an object in each of its builds. Replacements are not followed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::{ptr, slice};

use super::graph::{ByPath, Fold, Graph, by_path};
use super::kustomization::{
    Holds, Patch, added_metadata, directory_of, documents, documents_in, each_document, files, filled,
    is_kustomization, joined, patches,
};
use super::removals::DIRECTIVE;
use super::selected::{Selected, texts};
use super::transformers::{self, Found};
use crate::words;
use change::patch::{json, merge_map};
use kinds::catalog::object::{DEFAULT_NAMESPACE, ObjectLabels};
use kinds::fields::{Shape, TypeId};
use kinds::{references, view};
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Applier, Source};
use syntax::MAX_DEPTH;
use syntax::error::Place;
use syntax::given::GivenNamespaces;
use syntax::head::Head;
use syntax::tree::{Entry, Map, Node, Span, Value};
use text::hash::HashSet;

/// The kinds whose `spec.replicas` a kustomization sets by name (kustomize, api/internal/konfig/builtinpluginconsts,
/// replicas.go).
pub(crate) const SCALED: [&str; 4] = ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"];

/// What patches of relations leave as it is: the build knows the names of an object.
const IDENTITY: [&str; 4] = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"];

/// What is said if replacements may set fields of objects that decide an answer.
pub const NOT_FOLLOWED: &str = "replacements of kustomizations are not followed, and may change these relations; -k DIR reads what kustomize builds";

/// What is said if objects are built in too many ways.
const TOO_MANY: &str = "kustomizations patch objects in too many ways to follow all: what some of these builds refer to may be missing";

/// What the kustomizations of an input set.
#[derive(Debug, Default)]
pub struct Overlays {
    /// What each kustomization sets by itself.
    pub(super) settings: Vec<Vec<Setting>>,
    /// The numbers of the kustomizations and of their settings by the objects that these are for, inner ones first.
    by_target: HashMap<Target, Vec<(usize, usize)>>,
    /// Where the ways end on which each kustomization's files are built.
    ends: OnceLock<Vec<Vec<End>>>,
    pub(super) graph: Graph,
    /// The file of each kustomization, and what applies what it builds.
    files: Vec<(Arc<str>, Arc<[Applier]>)>,
    /// What the objects that apply each file set.
    applied: HashMap<Arc<str>, Vec<(Applier, Arc<Applied>)>>,
    /// Of the file that was asked for last, those that list it, and all that build from it, outer ones first.
    last: Mutex<Arc<Above>>,
    /// Whether replacements may set fields of an object of which [`Overlays::ask`] was asked.
    replace: AtomicBool,
    /// Whether an object is built in too many ways to follow all.
    has_more: AtomicBool,
}

/// Those that list a file, all that build from it, and for each number whether it does so.
type Above = (Vec<usize>, Vec<usize>, Vec<bool>);

/// An end of the ways on which files are built: those that apply what comes there, and what they set.
type End = (Arc<[Applier]>, Option<Arc<Applied>>);

/// What an object that applies files sets in them.
type Applied = Vec<Setting>;

/// The objects that a patch is for: their kind and name, empty for any.
pub(super) type Target = (String, String);

/// The objects that apply some builds; `None` for all builds.
pub(crate) type Appliers = Option<Arc<[Applier]>>;

/// An object as it is built, and what applies these builds.
pub(crate) type Build<'t> = (Cow<'t, Node>, Appliers);

/// What the patches of kustomizations make of an object.
pub(crate) struct Builds<'t> {
    /// The object in each of its builds, but for those that remove it.
    pub(crate) all: Vec<Build<'t>>,
    /// Whether these are too many to follow. Then they are the object as it is written, and with as many patches as are followed.
    pub(crate) are_open: bool,
}

/// The ways to patch an object, each known by its number: the patches in their order.
#[derive(Default)]
struct Patched<'s> {
    all: Vec<Vec<&'s Setting>>,
    known: HashMap<Vec<*const Setting>, usize>,
}

/// How an object is patched in its builds.
struct Patching<'s, F> {
    /// What each kustomization sets in it.
    found: BTreeMap<usize, Vec<&'s Setting>>,
    /// What others do.
    none: Vec<&'s Setting>,
    /// Where the builds of each one end.
    ends: &'s [Vec<End>],
    /// Whether something is set in it.
    is_it: F,
    /// How many ways to patch it are followed, and whether there are more.
    most: usize,
    has_more: Cell<bool>,
    patched: RefCell<Patched<'s>>,
}

impl<'s, F: Fn(&&Setting) -> bool> Patching<'s, F> {
    /// The way to patch it by these, and then in some way `after`.
    fn way(&self, settings: &[&'s Setting], after: Option<usize>) -> usize {
        let Patched { all, known } = &mut *self.patched.borrow_mut();
        let patches = [settings, after.map_or(&[], |after| &all[after])].concat();
        let key = patches.iter().map(|setting| ptr::from_ref(*setting)).collect();
        *known.entry(key).or_insert_with(|| {
            all.push(patches);
            all.len() - 1
        })
    }

    /// How it is patched where builds of this kustomization end: each way, and the end.
    fn at_ends(&self, number: usize) -> BTreeSet<(usize, (usize, usize))> {
        let at_end = |(at, (_, applied)): (usize, &'s End)| {
            let settings = applied.iter().flat_map(|applied| &**applied).filter(&self.is_it);
            (self.way(&settings.collect::<Vec<_>>(), None), (number, at))
        };
        self.ends[number].iter().enumerate().map(at_end).collect()
    }
}

impl<'s, F: Fn(&&Setting) -> bool> Fold for Patching<'s, F> {
    type Reach = BTreeSet<(usize, (usize, usize))>;
    type Change = Vec<&'s Setting>;

    fn made(&self, number: usize, outer: Vec<&Self::Reach>) -> Self::Reach {
        let mut whole = self.at_ends(number);
        outer.into_iter().for_each(|one| self.extend(&mut whole, one));
        whole
    }

    fn change(&self, number: usize) -> &Self::Change {
        self.found.get(&number).unwrap_or(&self.none)
    }

    fn compose(&self, outer: &mut Self::Change, inner: &Self::Change) {
        if outer.len() <= self.most {
            outer.splice(0..0, inner.iter().copied());
        }
    }

    fn apply(&self, reach: &mut Self::Reach, change: &Self::Change) {
        if change.is_empty() {
            return;
        }
        *reach = reach.iter().map(|(way, end)| (self.way(change, Some(*way)), *end)).collect();
    }

    fn extend(&self, reach: &mut Self::Reach, other: &Self::Reach) {
        reach.extend(other);
        let ways = || reach.iter().map(|(way, _)| way).collect::<BTreeSet<_>>().len();
        if self.has_more.get() || reach.len() > self.most && ways() > self.most {
            self.has_more.set(true);
            reach.clear();
        }
    }
}

/// How many builds of an object are followed, and how long its text may be in all of them.
const MOST: (usize, usize) = (256, 1 << 24);

/// What a kustomization sets in some objects.
#[derive(Debug)]
pub struct Setting {
    /// The file, and the number of the document in it.
    source: Arc<Source>,
    document: usize,
    /// Where the partial object is written in a text within the document; `None` if its own places count.
    within: Option<usize>,
    target: Target,
    /// What its target selects; `None` for any.
    selected: Option<Selected>,
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
    /// What a replacement reads elsewhere, and the paths of its fields.
    Unknown(Vec<String>),
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
        if !self.is_for(names) || !self.selects(names, head, tree) {
            return None;
        }
        match &self.content {
            Content::Partial(partial) | Content::Field(partial) => Some(Cow::Borrowed(partial)),
            Content::Operations(operations) => {
                let mut partial = Node::new(Value::Map(Map::default()));
                operations.iter().for_each(|operation| apply(operation, tree, &mut partial));
                Some(Cow::Owned(partial))
            }
            Content::Unknown(_) | Content::Absent => None,
        }
    }

    /// Whether this is for an object with these names, as far as they and its kind tell.
    fn is_for(&self, names: ObjectNames<'_>) -> bool {
        let (kind, name) = &self.target;
        (kind.is_empty() || kind == names.kind()) && (name.is_empty() || names.has(name))
    }

    /// Whether the input says what it sets.
    fn is_known(&self) -> bool {
        !matches!(self.content, Content::Unknown(_) | Content::Absent)
    }

    /// Whether its target selects an object.
    fn selects(&self, names: ObjectNames<'_>, head: &Head<'_>, tree: &Node) -> bool {
        let given = head.given.into_iter().flat_map(GivenNamespaces::names);
        let mut namespaces = given.chain([head.namespace.unwrap_or(DEFAULT_NAMESPACE)]);
        self.selected.as_ref().is_none_or(|selected| {
            selected.has_type(head.api_version, head.kind)
                && names.all().chain([String::new()]).any(|name| selected.has_name(&name))
                && namespaces.any(|namespace| selected.has_namespace(namespace))
                && selected.has_labels(&ObjectLabels(head))
                && selected.has_annotations(&texts(tree, "metadata.annotations"))
        })
    }

    /// Patches an object; its type and its names stay. Returns whether it is not removed.
    fn patch(&self, tree: &mut Node, head: &Head<'_>) -> bool {
        match &self.content {
            Content::Partial(patch) if view::text(patch, DIRECTIVE.0) == DIRECTIVE.1 => return false,
            Content::Partial(patch) | Content::Field(patch) => {
                let mut patch = patch.clone();
                let metadata = patch.at_mut("metadata").and_then(Node::as_map_mut);
                metadata
                    .into_iter()
                    .for_each(|map| map.retain(|key, _| !matches!(key, "name" | "namespace")));
                patch
                    .as_map_mut()
                    .into_iter()
                    .for_each(|map| map.retain(|key, _| !matches!(key, "apiVersion" | "kind")));
                let shape = TypeId::of_kind(head.api_version, head.kind).map_or(Shape::Any, Shape::Struct);
                let merged = tree.as_map().cloned().zip(patch.as_map().cloned());
                match merged.map(|(own, patch)| merge_map(own, patch, &shape)) {
                    Some(Ok(merged)) => tree.value = Value::Map(merged),
                    // What does not apply may do so after what the input does not have.
                    _ => merge(tree, patch),
                }
            }
            Content::Operations(operations) => {
                for operation in operations {
                    let path = view::text(operation, "path");
                    // Copies of copies would have no end.
                    let is_followed = view::text(operation, "op") != "copy"
                        || json::find(tree, view::text(operation, "from"))
                            .is_none_or(|node| node.children().next().is_none());
                    if is_followed && !IDENTITY.contains(&path) && path.matches('/').count() < MAX_DEPTH {
                        _ = json::apply(tree, slice::from_ref(operation));
                    }
                }
            }
            Content::Unknown(_) | Content::Absent => (),
        }
        true
    }

    /// Whether this may change a field of an object with these names: `spec.generators`, `spec.ports[0].port`.
    pub(crate) fn may_change(&self, names: ObjectNames<'_>, field: &str) -> bool {
        self.is_for(names)
            && match &self.content {
                Content::Partial(partial) | Content::Field(partial) => sets(partial, field.split(['.', '['])),
                Content::Operations(operations) => operations.iter().any(|operation| {
                    let path = view::text(operation, "path").trim_start_matches('/').split('/');
                    // A number is that of an element, which may be another one then.
                    path.zip(field.split(['.', '[']))
                        .all(|(own, wanted)| own == wanted || wanted.ends_with(']'))
                }),
                Content::Unknown(paths) => paths.is_empty() || paths.iter().any(|path| may_be(path, field)),
                Content::Absent => true,
            }
    }

    /// Whether relations see what this sets.
    pub(super) fn is_followed(&self) -> bool {
        matches!(self.content, Content::Partial(_) | Content::Operations(_))
    }

    /// Whether this may change how objects are related to each other: their labels, selectors, ports, names or namespaces.
    pub(super) fn relates(&self) -> bool {
        match &self.content {
            Content::Partial(partial) => {
                partial.as_map().into_iter().flatten().any(|field| match &*field.key {
                    "apiVersion" | "kind" => false,
                    "metadata" => field.value.as_map().into_iter().flatten().any(|field| match &*field.key {
                        "name" | "namespace" => false,
                        "annotations" => names_others(&field.value),
                        key => may_relate(key, &field.value),
                    }),
                    key => !is_contents(key) && may_relate(key, &field.value),
                })
            }
            Content::Operations(operations) => operations.iter().any(|operation| {
                let relates_nothing = |path| {
                    let mut keys = view::text(operation, path).split('/');
                    keys.clone().nth(1).is_some_and(is_contents) || keys.any(is_unrelated)
                };
                let steps: Vec<String> = json::parts(view::text(operation, "path")).collect();
                match view::text(operation, "op") {
                    "test" => false,
                    _ if steps.starts_with(&["metadata".to_owned(), "annotations".to_owned()]) => {
                        match steps.get(2) {
                            Some(key) => references::is_annotation(key),
                            None => operation.get("value").is_some_and(names_others),
                        }
                    }
                    "copy" | "move" => !["path", "from"].into_iter().all(relates_nothing),
                    _ => !relates_nothing("path"),
                }
            }),
            // Fields have rules of their own.
            Content::Field(_) => false,
            Content::Unknown(paths) => {
                paths.is_empty() || paths.iter().any(|path| !path.split(['.', '[']).any(is_unrelated))
            }
            Content::Absent => true,
        }
    }

    /// Whether it is a patch or a replacement that the input has.
    pub fn is_patch(&self) -> bool {
        !matches!(self.content, Content::Field(_) | Content::Absent)
    }

    /// Whether it is a JSON patch that changes versions.
    pub(super) fn changes_version(&self) -> bool {
        let is_it = |operation: &Node| view::text(operation, "path") == "/apiVersion";
        matches!(&self.content, Content::Operations(operations) if operations.iter().any(is_it))
    }

    /// Whether this is a replacement of all of a field of an object with these names.
    fn replaces(&self, names: ObjectNames<'_>, field: &str) -> bool {
        let is_it = |path: &String| {
            !path.contains(['[', '*', '\\'])
                && path.split('.').count() == field.split(['.', '[']).count()
                && may_be(path, field)
        };
        matches!(&self.content, Content::Unknown(paths) if self.is_for(names) && paths.iter().any(is_it))
    }

    /// The kind that a JSON patch gives an object; `None` if that is not one.
    pub(crate) fn new_kind(&self) -> Option<&str> {
        let Content::Operations(operations) = &self.content else { return None };
        let of = operations.iter().find(|operation| view::text(operation, "path") == "/kind")?;
        Some(view::text(of, "value")).filter(|kind| !kind.is_empty())
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

/// Whether a path of a replacement, as `spec.ports.[name=a].port`, may be a field or one above or below it. What is escaped or in
/// brackets may be any.
fn may_be(path: &str, field: &str) -> bool {
    let mut is_within = false;
    let steps = path.split(|c| {
        is_within = c == '[' || is_within && c != ']';
        c == '.' && !is_within
    });
    for (own, wanted) in steps.zip(field.split(['.', '['])).filter(|(_, wanted)| !wanted.ends_with(']')) {
        if own.contains(['[', '*', '\\']) {
            return true;
        }
        if own != wanted {
            return false;
        }
    }
    true
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

/// Whether one of these annotations names an object.
fn names_others(annotations: &Node) -> bool {
    annotations.as_map().into_iter().flatten().any(|entry| references::is_annotation(&entry.key))
}

/// Whether a field of an object has the rules of a Role, or the contents of a ConfigMap or a Secret: no other kind has such a field
/// outside of its spec.
fn is_contents(key: &str) -> bool {
    matches!(key, "rules" | "data" | "binaryData" | "stringData")
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
    // The path in the object, and each element of a list that it goes through.
    let mut own = Some(object);
    let mut steps: Vec<(String, Option<Node>)> = Vec::new();
    for key in json::parts(view::text(operation, "path")) {
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
    /// Reads the kustomizations among the sources, and their patches, and what the objects that apply files set.
    pub fn read(sources: &[Source]) -> Self {
        let graph = Graph::of(&files(sources), Path::new("")).link();
        let mut overlays = Self { graph, ..Self::default() };
        let by_path = by_path(sources);
        let kustomizations =
            sources.iter().filter_map(|source| Some((source, &**source.kustomization.as_ref()?)));
        for (source, kustomization) in kustomizations {
            let appliers = source.built.appliers.clone().unwrap_or_default();
            overlays.files.push((Arc::clone(&source.name), appliers));
            overlays.settings.push(settings(source, kustomization, &directory_of(&source.name), &by_path));
        }
        for &number in overlays.graph.order.iter().rev() {
            for (at, setting) in overlays.settings[number].iter().enumerate() {
                overlays.by_target.entry(setting.target.clone()).or_default().push((number, at));
            }
        }
        let mut known: HashMap<*const Node, Arc<Applied>> = HashMap::new();
        for source in sources {
            let applied = |(by, changes): &(Applier, Arc<Node>)| {
                let known = known.entry(Arc::as_ptr(changes)).or_insert_with(|| {
                    Arc::new(settings(source, changes, Path::new(""), &ByPath::default()))
                });
                (by.clone(), Arc::clone(known))
            };
            if let Some(changes) = &source.built.changes {
                overlays.applied.insert(Arc::clone(&source.name), changes.iter().map(applied).collect());
            }
        }
        overlays
    }

    /// Whether what applies a file sets one of the fields of an object in it.
    pub(super) fn applied_set(source: &Source, names: ObjectNames<'_>, fields: &[&str]) -> bool {
        let changes = source.built.changes.iter().flat_map(|changes| changes.iter());
        let mut settings =
            changes.flat_map(|(_, changes)| settings(source, changes, Path::new(""), &ByPath::default()));
        settings.any(|setting| fields.iter().any(|field| setting.may_change(names, field)))
    }

    /// Whether a kustomization is in the directory of a file, or above it, and none lists the file.
    pub fn leave_out(&self, file: &str) -> bool {
        let is_below = |path: &Path| path.ancestors().skip(1).any(|above| self.graph.number(above).is_some());
        !self.settings.is_empty() && {
            let path = joined(Path::new(""), file);
            is_below(&path) && self.graph.listing(&path).is_empty()
        }
    }

    /// What each of the objects that apply a file sets.
    fn applied(&self, file: &str) -> impl Iterator<Item = &Setting> {
        self.applied.get(file).into_iter().flatten().flat_map(|(_, applied)| &**applied)
    }

    /// What the kustomizations that build from a file set, and what applies it.
    pub fn of_file(&self, file: &str) -> impl Iterator<Item = &Setting> {
        let builders = self.graph.building(self.listing_of(file));
        let settings = builders.into_iter().flat_map(|number| &self.settings[number]);
        settings.chain(self.applied(file))
    }

    /// What patches make of an object in each of its builds, as far as that may relate it to others; `None` if none does so.
    pub(crate) fn relating<'o>(&self, object: &'o Object<'_>) -> Option<Vec<Build<'o>>> {
        let builds = self.related(object, || object.value().ok())?;
        if builds.are_open {
            self.has_more.store(true, Ordering::Relaxed);
        }
        Some(builds.all)
    }

    /// The same of an object with this tree.
    pub(crate) fn related<'o>(
        &self,
        object: &Object<'_>,
        tree: impl FnOnce() -> Option<&'o Node>,
    ) -> Option<Builds<'o>> {
        let source = object.document.source;
        let most = (MOST.1 / object.document.text.len().max(1)).clamp(1, MOST.0);
        let appliers = object.built().and_then(|built| built.appliers.clone());
        let ends = || self.ends_of(&source.name, appliers.into_iter().flat_map(|all| all.to_vec()).collect());
        let read = || Some((object.head, tree()?));
        self.builds(&source.name, object.names(), read, ends, Setting::relates, most)
    }

    /// Whether replacements may set fields of an object that relate it to others: they are not followed.
    pub fn replace_in(&self, object: &Object<'_>) -> bool {
        let names = object.names();
        self.all_for(&object.document.source.name, names).any(|setting| {
            matches!(setting.content, Content::Unknown(_)) && setting.is_for(names) && setting.relates()
        })
    }

    /// Remembers whether replacements may set fields of an object that decides an answer.
    pub(crate) fn ask(&self, object: &Object<'_>) {
        if !self.replace.load(Ordering::Relaxed) && self.replace_in(object) {
            self.replace.store(true, Ordering::Relaxed);
        }
    }

    /// What is to be said once all objects that decide an answer were asked about; `None` for nothing.
    pub(crate) fn doubts(&self) -> impl Iterator<Item = &'static str> {
        let doubts = [(&self.replace, NOT_FOLLOWED), (&self.has_more, TOO_MANY)];
        doubts.into_iter().filter(|(holds, _)| holds.load(Ordering::Relaxed)).map(|(_, doubt)| doubt)
    }

    /// What all patches set, each with the file that says it.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Arc<str>, &Node)> {
        // Many files are applied by one.
        let mut seen = HashSet::default();
        let applied = self.applied.values().flatten().map(|(_, applied)| &**applied);
        let applied = applied.filter(move |applied| seen.insert(ptr::from_ref(*applied)));
        self.settings.iter().chain(applied).flatten().flat_map(|setting| {
            let (partial, operations) = match &setting.content {
                Content::Partial(partial) => (Some(partial), &[][..]),
                Content::Operations(operations) => (None, &operations[..]),
                Content::Field(_) | Content::Unknown(_) | Content::Absent => (None, &[][..]),
            };
            let values = operations.iter().filter_map(|operation| operation.get("value"));
            partial.into_iter().chain(values).map(|node| (&setting.source.name, node))
        })
    }

    /// What patches make of an object of a file in each of its builds, of which there may be so many, as far as they set one of the
    /// fields; `None` if none does so.
    pub(super) fn setting<'t>(
        &self,
        file: &str,
        object: &'t Node,
        fields: &[&str],
        most: usize,
    ) -> Option<Builds<'t>> {
        let head = Head::of(object.as_map()?).ok()?;
        let names = ObjectNames::new(head.kind, head.name.unwrap_or_default(), None);
        let counts = |setting: &Setting| fields.iter().any(|field| setting.may_change(names, field));
        let appliers = || self.applied.get(file).into_iter().flatten().map(|(by, _)| by.clone());
        let ends = || self.ends_of(file, appliers().collect());
        self.builds(file, names, || Some((&head, object)), ends, counts, most)
    }

    /// What patches that `count` make of an object of a file in each of its builds, of which there may be so many; `None` if none does
    /// anything. `ends` are those of a file that no kustomization lists.
    fn builds<'h, 't>(
        &self,
        file: &str,
        names: ObjectNames<'_>,
        read: impl FnOnce() -> Option<(&'h Head<'h>, &'t Node)>,
        ends: impl FnOnce() -> Vec<End>,
        count: impl Fn(&Setting) -> bool,
        most: usize,
    ) -> Option<Builds<'t>> {
        if self.settings.is_empty() && self.applied.is_empty() {
            return None;
        }
        let listing = self.listing_of(file);
        let may_count = |setting: &&Setting| setting.is_known() && setting.is_for(names) && count(setting);
        let mut found: BTreeMap<usize, Vec<&Setting>> = BTreeMap::new();
        for (number, setting) in self.settings_for(file, names).into_iter().filter(|(_, one)| may_count(one))
        {
            found.entry(number).or_default().push(setting);
        }
        if found.is_empty() && !self.applied(file).any(|one| may_count(&one)) {
            return None;
        }
        let (head, tree) = read()?;
        let is_it = |setting: &&Setting| may_count(setting) && setting.selects(names, head, tree);
        let has_more = found.len() > most;
        found.values_mut().filter(|_| !has_more).for_each(|settings| settings.retain(|one| is_it(one)));
        let own;
        let ends = match listing.is_empty() {
            true => {
                own = [ends()];
                &own[..]
            }
            false => self.ends(),
        };
        let patching = Patching {
            found,
            none: Vec::new(),
            ends,
            is_it: &is_it,
            most,
            has_more: Cell::new(has_more),
            patched: RefCell::default(),
        };
        patching.way(&[], None);
        let reach = match listing.is_empty() {
            true => patching.at_ends(0),
            false => {
                let (own, building) = self.above(listing);
                let reach = self.graph.fold(&building.1, &patching);
                own.iter().filter_map(|number| reach.get(number)).flatten().copied().collect()
            }
        };
        let mut all: BTreeMap<usize, Vec<&[Applier]>> = BTreeMap::new();
        for (way, (number, at)) in reach {
            all.entry(way).or_default().push(&ends[number][at].0);
        }
        let are_open = patching.has_more.get() || all.len() > most;
        if are_open {
            let settings: Vec<&Setting> =
                patching.found.values().flatten().copied().filter(is_it).take(most).collect();
            let unpatched = patching.way(&[], None);
            all = [patching.way(&settings, None), unpatched].map(|way| (way, Vec::new())).into();
        }
        let is_one = all.len() < 2 || are_open;
        let build = |(way, appliers): (usize, Vec<&[Applier]>)| {
            let mut built = Cow::Borrowed(tree);
            for setting in &patching.patched.borrow().all[way] {
                setting.patch(built.to_mut(), head).then_some(())?;
            }
            Some((built, (!is_one).then(|| appliers.concat().into())))
        };
        Some(Builds { all: all.into_iter().filter_map(build).collect(), are_open })
    }

    /// Those that apply what each kustomization builds, but not by another one.
    fn ends(&self) -> &[Vec<End>] {
        let of = |(number, (file, appliers)): (usize, &(Arc<str>, Arc<[Applier]>))| {
            let outer: HashSet<&Applier> =
                self.graph.builders(number).flat_map(|outer| &*self.files[outer].1).collect();
            let own: Vec<Applier> = appliers.iter().filter(|one| !outer.contains(one)).cloned().collect();
            let is_listed = self.graph.builders(number).next().is_some();
            if own.is_empty() && is_listed { Vec::new() } else { self.ends_of(file, own) }
        };
        self.ends.get_or_init(|| self.files.iter().enumerate().map(of).collect())
    }

    /// Those that apply a file or what its kustomization builds, with what they set.
    fn ends_of(&self, file: &str, appliers: Vec<Applier>) -> Vec<End> {
        let changing = self.applied.get(file).into_iter().flatten();
        let changing: HashMap<&Applier, &Arc<Applied>> =
            changing.map(|(by, applied)| (by, applied)).collect();
        let (others, own): (Vec<Applier>, Vec<Applier>) =
            appliers.into_iter().partition(|by| !changing.contains_key(by));
        let plain = (!others.is_empty() || own.is_empty()).then(|| (others.into(), None));
        let own = own.into_iter().map(|by| {
            let applied = changing.get(&by).map(|applied| Arc::clone(applied));
            ([by].into(), applied)
        });
        plain.into_iter().chain(own).collect()
    }

    /// Whether patches or replacements of kustomizations that build from a file, or of what applies it, are for an object with these
    /// names.
    pub(crate) fn patch(&self, file: &str, names: ObjectNames<'_>) -> bool {
        self.all_for(file, names).any(|setting| setting.is_patch() && setting.is_for(names))
    }

    /// Whether what kustomizations that build from a file set, or what applies it, may change a field of an object with these
    /// names.
    pub(crate) fn may_change(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.all_for(file, names).any(|setting| setting.may_change(names, field))
    }

    /// The same in each build, without what relations see.
    pub(crate) fn may_change_unseen(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.all_have(file, names, |setting| !setting.is_followed() && setting.may_change(names, field))
    }

    /// Whether each build replaces a field by what the input does not show.
    pub(crate) fn replace_all(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.all_have(file, names, |setting| setting.replaces(names, field))
    }

    /// Whether each build may change a field by what the input does not say.
    pub(crate) fn may_change_unknown(&self, file: &str, names: ObjectNames<'_>, field: &str) -> bool {
        self.all_have(file, names, |setting| !setting.is_known() && setting.may_change(names, field))
    }

    /// Whether each build of an object of a file has something that is not followed and may set fields that relate it to others.
    pub(crate) fn all_are_unknown(&self, object: &Object<'_>) -> bool {
        let names = object.names();
        self.all_have(&object.document.source.name, names, |setting| {
            !setting.is_known() && setting.is_for(names) && setting.relates()
        })
    }

    /// Whether each build of an object of a file has a setting that counts.
    fn all_have(&self, file: &str, names: ObjectNames<'_>, counts: impl Fn(&Setting) -> bool) -> bool {
        let found = self.settings_for(file, names).into_iter().filter(|(_, setting)| counts(setting));
        let found: Vec<usize> = found.map(|(number, _)| number).collect();
        let outermost = |listing: &[usize]| -> BTreeSet<usize> {
            let all = self.graph.building(listing).into_iter();
            all.filter(|number| self.graph.builders(*number).next().is_none()).collect()
        };
        self.applied(file).any(counts)
            || !found.is_empty() && outermost(self.listing_of(file)).is_subset(&outermost(&found))
    }

    /// The same with what applies the file sets in any object of it.
    fn all_for(&self, file: &str, names: ObjectNames<'_>) -> impl Iterator<Item = &Setting> {
        let settings = self.settings_for(file, names).into_iter().map(|(_, setting)| setting);
        settings.chain(self.applied(file))
    }

    /// What kustomizations that build from a file set in an object with these names, each with the number of its kustomization: inner
    /// ones first.
    pub(super) fn settings_for(&self, file: &str, names: ObjectNames<'_>) -> Vec<(usize, &Setting)> {
        let listing = self.listing_of(file);
        // What builds from a file may be many, and mostly none of them sets anything.
        if listing.is_empty() || self.by_target.is_empty() {
            return Vec::new();
        }
        let (_, building, builds) = &*self.above(listing).1;
        let place = |number: &usize| self.graph.places[*number];
        let kinds = [names.kind(), ""];
        let both = |name: String| kinds.map(|kind| (kind.to_owned(), name.clone()));
        let keys: BTreeSet<Target> = names.all().chain([String::new()]).flat_map(both).collect();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for all in keys.iter().filter_map(|key| self.by_target.get(key)) {
            if all.len() < building.len() {
                found.extend(all.iter().filter(|(number, _)| builds[*number]));
            } else {
                let of = |number: &usize| {
                    let start = all.partition_point(|(other, _)| place(other) > place(number));
                    &all[start..start + all[start..].partition_point(|(other, _)| other == number)]
                };
                found.extend(building.iter().flat_map(of));
            }
        }
        found.sort_unstable_by_key(|(number, at)| (Reverse(place(number)), *at));
        found.into_iter().map(|(number, at)| (number, &self.settings[number][at])).collect()
    }

    /// Those that list the same as these, or in their place others that list that and change as much; and all that build from it, outer
    /// ones first.
    fn above(&self, listing: &[usize]) -> (Vec<usize>, Arc<Above>) {
        let mut own = listing.to_vec();
        while let [one] = *own
            && self.settings[one].is_empty()
            && self.graph.components(one).next().is_none()
            && let [(outer, Holds::Resources)] = *self.graph.outer[one]
            && self.ends()[one].is_empty()
        {
            own = vec![outer];
        }
        // What builds from a component is all that builds from what lists it.
        let mut listing = own.clone();
        while let [one] = *listing
            && let [(outer, Holds::Components)] = *self.graph.outer[one]
        {
            listing = vec![outer];
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != listing {
            let all = self.graph.building(&listing);
            let mut builds = vec![false; self.settings.len()];
            all.iter().for_each(|number| builds[*number] = true);
            *last = Arc::new((listing, all, builds));
        }
        (own, Arc::clone(&last))
    }

    /// The kustomizations that list a file.
    pub(super) fn listing_of(&self, file: &str) -> &[usize] {
        if self.settings.is_empty() { &[] } else { self.graph.listing(&joined(Path::new(""), file)) }
    }

    /// Whether a file has a kustomization that builds from one of these files.
    pub(crate) fn builds_from<'f>(&self, files: impl Iterator<Item = &'f str>) -> impl Fn(&str) -> bool {
        let listing: BTreeSet<usize> = files.flat_map(|file| self.listing_of(file)).copied().collect();
        let listing: Vec<usize> = listing.into_iter().collect();
        let building: HashSet<usize> = self.graph.building(&listing).into_iter().collect();
        move |file| self.graph.number(&directory_of(file)).is_some_and(|number| building.contains(&number))
    }

    /// Whether a file has a kustomization that builds from none of these files, although others do.
    pub fn build_without<'f>(&self, files: impl Iterator<Item = &'f str> + Clone) -> impl Fn(&str) -> bool {
        let is_any = files.clone().any(|file| !self.listing_of(file).is_empty());
        let builds_from = self.builds_from(files);
        move |file| {
            let name = Path::new(file).file_name().and_then(OsStr::to_str);
            is_any && name.is_some_and(is_kustomization) && !builds_from(file)
        }
    }
}

/// What a kustomization sets by itself, given the files and the kustomizations of directories.
fn settings(source: &Source, kustomization: &Node, directory: &Path, files: &ByPath<'_>) -> Vec<Setting> {
    let (mut found, source) = (Vec::new(), Arc::new(source.clone()));
    let own = |target: Target, content: Content| {
        let source = Arc::clone(&source);
        let (document, within, selected, places) = (0, None, None, Mutex::default());
        Setting { source, document, within, target, selected, content, places }
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
    let find = |path: &Path| {
        let source = files.get(path.as_os_str())?;
        let root = source.kustomization.as_deref().map(Found::Kustomization);
        Some(root.unwrap_or_else(|| Found::Documents(documents(source).into())))
    };
    for transformer in transformers::of(kustomization, directory, find) {
        let namespace = filled(&transformer, "metadata.namespace").filter(|_| {
            view::text(&transformer, "kind") == "NamespaceTransformer"
                && !view::bool(&transformer, "unsetOnly")
        });
        let Some(namespace) = namespace else { continue };
        for spec in view::list(&transformer, "fieldSpecs").iter().filter(|spec| view::bool(spec, "create")) {
            // Those of the metadata are what the build makes of names.
            let Some(path) = filled(spec, "path").filter(|path| !path.starts_with("metadata/")) else {
                continue;
            };
            let value = Node { span: transformer.span, ..Node::text(namespace) };
            let partial = path.rsplit('/').fold(value, |value, key| Node::map([(key, value)]));
            let target = (view::text(spec, "kind").to_owned(), String::new());
            found.push(own(target, Content::Field(partial)));
        }
    }
    for replacement in view::list(kustomization, "replacements") {
        let file = replacement.get("path").and_then(Node::as_str);
        let of_file =
            file.and_then(|path| files.get(joined(directory, path).as_os_str())).map(|file| documents(file));
        let targets: Vec<(Target, Vec<String>)> = match (file, of_file) {
            (None, _) => replaced(replacement).collect(),
            (Some(_), Some(read)) => read.iter().flat_map(each_replacement).flat_map(replaced).collect(),
            // One that the input does not have may replace anything.
            (Some(_), None) => vec![Default::default()],
        };
        found.extend(targets.into_iter().map(|(target, paths)| own(target, Content::Unknown(paths))));
    }
    for Patch { target: selector, text: inline, path, .. } in patches(kustomization) {
        let mut add = |source: &Arc<Source>, document, within, root: Node| {
            // A strategic merge patch names its object.
            let named = || ["kind", "metadata.name"].map(|field| view::text(&root, field).to_owned()).into();
            let target = selector.map_or_else(named, target_of);
            let selected = selector.map_or_else(|| Some(Selected::named(&root)), Selected::by);
            let content = match root.value {
                Value::Seq(operations) => Content::Operations(operations),
                _ => Content::Partial(root),
            };
            let source = Arc::clone(source);
            found.push(Setting { source, document, within, selected, ..own(target, content) });
        };
        match (inline, path.and_then(Node::as_str)) {
            (Some(node), _) => {
                let documents = documents_in(node.as_str().unwrap_or_default()).into_iter();
                documents.for_each(|root| add(&source, 0, Some(node.span.start), root));
            }
            (None, Some(path)) => {
                let Some(source) = files.get(joined(directory, path).as_os_str()) else {
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

/// What a replacement may set fields of, and their paths.
fn replaced(replacement: &Node) -> impl Iterator<Item = (Target, Vec<String>)> {
    let paths = |target| view::list(target, "fieldPaths").iter().filter_map(Node::as_str).map(str::to_owned);
    let targets = view::list(replacement, "targets").iter();
    targets.filter_map(move |one| Some((target_of(one.get("select")?), paths(one).collect())))
}

/// The target of a patch or of a replacement. Kinds and names may be regular expressions, which may match any.
fn target_of(selector: &Node) -> Target {
    let is_plain =
        |text: &&str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let plain = |field| Some(view::text(selector, field)).filter(is_plain).unwrap_or_default().to_owned();
    (plain("kind"), plain("name"))
}
