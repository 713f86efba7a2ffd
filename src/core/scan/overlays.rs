//! What kustomizations set in the objects that they build from, so that a change of the same field in a file has no effect in
//! what they build.
//!
//! Everything that one sets is a partial object, as in a strategic merge patch: its patches, and what its `replicas`, `labels`,
//! `commonLabels` and `commonAnnotations` amount to. JSON patches become partial objects, too. Replacements are not followed.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::kustomization::{
    Patch, RESOURCES, Target, added_metadata, changes, directory_of, each_document, joined, named, paths,
    target_of, target_of_patch,
};
use kinds::catalog::object::ObjectLabels;
use kinds::view;
use manifest::document::Document;
use manifest::source::Source;
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
    /// The kustomizations that list each file and directory as a resource.
    listing: HashMap<PathBuf, Vec<usize>>,
    /// The components of each kustomization.
    components: Vec<Vec<usize>>,
}

/// What a kustomization sets in some objects.
#[derive(Debug)]
pub struct Setting {
    text: Arc<Text>,
    /// Where the partial object is written in a text within the text; `None` if its own places count.
    within: Option<usize>,
    target: Target,
    /// The labels of the objects; `None` for any.
    labels: Option<Selector>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A partial object.
    Partial(Node),
    /// The operations of a JSON patch.
    Operations(Vec<Node>),
}

/// The text of a document, for the lines of its values.
#[derive(Debug)]
struct Text {
    place: Place,
    text: Vec<u8>,
}

impl Text {
    fn of(document: &Document<'_>) -> Arc<Self> {
        Arc::new(Self { place: document.place(0), text: document.text.to_vec() })
    }
}

impl Setting {
    /// The partial object that this sets in an object; `None` if it sets nothing in it.
    pub fn partial<'s>(&'s self, head: &Head<'_>, object: &Node) -> Option<Cow<'s, Node>> {
        let labels = ObjectLabels(head);
        if !self.is_for(head.kind, head.name.unwrap_or_default())
            || !self.labels.as_ref().is_none_or(|selector| selector.matches(&labels))
        {
            return None;
        }
        Some(match &self.content {
            Content::Partial(partial) => Cow::Borrowed(partial),
            Content::Operations(operations) => {
                let mut partial = Node::new(Value::Map(Map::default()));
                operations.iter().for_each(|operation| apply(operation, object, &mut partial));
                Cow::Owned(partial)
            }
        })
    }

    /// Whether this is for objects of a kind and a name, as far as these tell.
    fn is_for(&self, kind: &str, name: &str) -> bool {
        let is_named = |own: &str, wanted: &str| wanted.is_empty() || own == wanted;
        is_named(kind, &self.target.0) && is_named(name, &self.target.1)
    }

    /// Whether this may change a field of an object of this kind and name: `spec.generators`.
    pub(super) fn may_change(&self, kind: &str, name: &str, field: &str) -> bool {
        self.is_for(kind, name)
            && match &self.content {
                Content::Partial(partial) => partial.at(field).is_some(),
                Content::Operations(operations) => operations.iter().any(|operation| {
                    let path = view::text(operation, "path").trim_start_matches('/').split('/');
                    path.zip(field.split('.')).all(|(own, wanted)| own == wanted)
                }),
            }
    }

    /// The file that says it.
    pub(super) fn file(&self) -> &str {
        &self.text.place.source
    }

    /// Where a value of the partial object is written.
    pub fn place(&self, value: &Node) -> Place {
        let at = self.within.unwrap_or(value.span.start).min(self.text.text.len());
        let lines = self.text.text[..at].iter().filter(|byte| **byte == b'\n').count();
        let place = self.text.place.clone().without_document();
        Place { line: place.line.map(|line| line + lines), ..place }
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
        let mut read = Vec::new();
        for source in named(sources) {
            each_document(source, |document, root| read.push((Text::of(&document), root)));
        }
        let directories = read.iter().map(|(text, _)| directory_of(&text.place.source));
        overlays.directories = directories.collect();
        let numbers: HashMap<&Path, usize> =
            overlays.directories.iter().enumerate().map(|(at, path)| (&**path, at)).collect();
        let files: HashMap<PathBuf, &Source> =
            sources.iter().map(|source| (joined(Path::new(""), &source.name), source)).collect();
        for (number, (text, kustomization)) in read.iter().enumerate() {
            let directory = &overlays.directories[number];
            for path in RESOURCES.iter().flat_map(|field| paths(kustomization, field, directory)) {
                overlays.listing.entry(path).or_default().push(number);
            }
            let components = paths(kustomization, "components", directory);
            let components = components.filter_map(|path| numbers.get(&*path).copied()).collect();
            overlays.components.push(components);
            overlays.settings.push(settings(text, kustomization, directory, &files));
        }
        overlays
    }

    /// What the kustomizations that build from a file set.
    pub fn of_file(&self, file: &str) -> impl Iterator<Item = &Setting> {
        let listing = |path: &Path| self.listing.get(path).map_or(&[][..], Vec::as_slice);
        let mut above = listing(&joined(Path::new(""), file)).to_vec();
        let mut seen: HashSet<usize> = above.iter().copied().collect();
        let mut at = 0;
        while let Some(&number) = above.get(at) {
            let others = listing(&self.directories[number]).iter();
            above.extend(others.filter(|&&other| seen.insert(other)));
            at += 1;
        }
        // A component changes what those that list it build.
        let mut at = 0;
        while let Some(&number) = above.get(at) {
            above.extend(self.components[number].iter().filter(|&&component| seen.insert(component)));
            at += 1;
        }
        above.into_iter().flat_map(|number| &self.settings[number])
    }
}

/// What a kustomization sets by itself.
fn settings(
    text: &Arc<Text>,
    kustomization: &Node,
    directory: &Path,
    files: &HashMap<PathBuf, &Source>,
) -> Vec<Setting> {
    let mut found = Vec::new();
    let own = |target: Target, partial: Node| Setting {
        text: Arc::clone(text),
        within: None,
        target,
        labels: None,
        content: Content::Partial(partial),
    };
    for entry in view::list(kustomization, "replicas") {
        let Some(count) = entry.get("count") else { continue };
        let partial = Node::map([("spec", Node::map([("replicas", count.clone())]))]);
        let name = view::text(entry, "name").to_owned();
        found.extend(SCALED.map(|kind| own((kind.to_owned(), name.clone()), partial.clone())));
    }
    for (field, values, in_pods) in added_metadata(kustomization) {
        let metadata = Node::map([("metadata", Node::map([(field, values.clone())]))]);
        let in_template = in_pods.then(|| ("spec", Node::map([("template", metadata.clone())])));
        let whole = [("metadata", Node::map([(field, values.clone())]))].into_iter().chain(in_template);
        found.push(own(Target::default(), Node::map(whole)));
    }
    for Patch { target: selector, text: inline, path, .. } in changes(kustomization) {
        let mut add = |text: &Arc<Text>, within, root: Node| {
            let target = selector.map_or_else(|| target_of_patch(&root), target_of);
            let labels =
                selector.and_then(|target| Selector::parse(view::text(target, "labelSelector")).ok());
            let content = match root.value {
                Value::Seq(operations) => Content::Operations(operations),
                _ => Content::Partial(root),
            };
            found.push(Setting { text: Arc::clone(text), within, target, labels, content });
        };
        match (inline, path.and_then(Node::as_str)) {
            (Some(node), _) => {
                let source = Source::memory("", node.as_str().unwrap_or_default().as_bytes());
                each_document(&source, |_, root| add(text, Some(node.span.start), root));
            }
            (None, Some(path)) => {
                let Some(source) = files.get(&joined(directory, path)) else { continue };
                each_document(source, |document, root| add(&Text::of(&document), None, root));
            }
            (None, None) => (),
        }
    }
    found
}
