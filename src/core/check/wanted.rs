//! The objects that kustomizations change or read, and that must be there: those of patches without a target, `replicas`, generators
//! that merge or replace, `vars`, and the sources of `replacements`.

use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};

use compact_str::{CompactString, format_compact};

use super::kustomizations::{Judge, Kustomization};
use super::resource_id::{Id, known_namespace};
use crate::scan::kustomization::{
    Patch, changes_another, documents, documents_in, filled, generators, is_malformed, joined, patches,
};
use crate::scan::overlays::SCALED;
use kinds::view;
use syntax::gvk;
use syntax::tree::Node;
use text::excerpt;
use text::hash::{HashSet, RandomState};
use text::placeholder::is_placeholder;

/// An object that a kustomization asks for.
pub(super) struct Wanted<'w> {
    /// Where it does so in its text.
    pub at: usize,
    /// The sentence up to the object: `a patch is for`.
    pub by: String,
    /// The file that asks, if it is another one.
    pub file: Option<Arc<str>>,
    /// Empty for any.
    pub api_version: &'w str,
    /// Any of these.
    pub kinds: &'w [&'w str],
    pub name: &'w str,
    /// `None` for any; empty for the default one.
    pub namespace: Option<CompactString>,
}

impl Wanted<'_> {
    /// The object as `kind/name`.
    pub(super) fn object(&self) -> String {
        let name = excerpt::identifier(self.name);
        match self.kinds {
            [kind] => {
                format!("{}/{name}", gvk::lower_kind(kind, gvk::split_api_version(self.api_version).0))
            }
            _ => format!("the workload {name}"),
        }
    }
}

/// The ids that the objects of a build have had, by all of which kustomize finds them (kustomize, api/resmap/reswrangler.go,
/// GetMatchingResourcesByAnyId). More may seem to be there than are, but not fewer.
#[derive(Default)]
pub(super) struct History {
    /// The hashes of the ids, each also without its namespace, its version, and both.
    ids: HashSet<u64>,
    /// The namespaces that kustomizations have given all objects or patches some, and the names and kinds that patches have given some.
    pub namespaces: HashSet<CompactString>,
    pub names: HashSet<CompactString>,
    pub kinds: HashSet<CompactString>,
    /// Whether there may be objects that are not known here.
    pub is_open: bool,
    /// Whether some of the objects that are known here may have been removed.
    pub may_lack: bool,
    /// Whether the objects here are not all, and others may have got or lost labels or annotations.
    pub is_reduced: bool,
    pub is_relabelled: bool,
    /// Whether patches have changed the namespaces of some.
    pub is_displaced: bool,
    /// The kinds and names of objects that patches, generators and `replicas` have changed.
    pub changed: HashSet<(CompactString, CompactString)>,
    /// The images that patches and `images` may have set.
    pub images: HashSet<CompactString>,
    /// Whether transformers may have changed fields, and any object may have got other fields.
    pub is_retouched: bool,
    pub is_rewritten: bool,
    /// The keys that transformers may have made besides those that they usually make.
    pub made: HashSet<CompactString>,
}

/// The namespace of what is in none.
pub(super) const CLUSTER: &str = "*";

impl History {
    pub(super) fn add(&mut self, id: &Id) {
        self.add_place(id);
        for version in [&*id.api_version, ""] {
            self.ids.insert(key(version, &id.kind, &id.name, None));
        }
    }

    /// Adds an id that differs from one that it has in nothing but the namespace.
    pub(super) fn add_place(&mut self, Id { api_version, kind, namespace, name }: &Id) {
        let namespace = Some(namespace.as_deref().unwrap_or(CLUSTER));
        for version in [&**api_version, ""] {
            self.ids.insert(key(version, kind, name, namespace));
        }
    }

    pub(super) fn add_namespace(&mut self, namespace: CompactString) {
        self.namespaces.insert(namespace);
    }

    /// Adds that of other objects.
    pub(super) fn absorb(&mut self, mut other: Self) {
        if other.ids.len() > self.ids.len() {
            std::mem::swap(self, &mut other);
        }
        self.extend(&other);
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.ids.extend(&other.ids);
        self.namespaces.extend(other.namespaces.iter().cloned());
        self.names.extend(other.names.iter().cloned());
        self.kinds.extend(other.kinds.iter().cloned());
        self.is_open |= other.is_open;
        self.may_lack |= other.may_lack;
        self.is_reduced |= other.is_reduced;
        self.is_relabelled |= other.is_relabelled;
        self.is_displaced |= other.is_displaced;
        self.changed.extend(other.changed.iter().cloned());
        self.images.extend(other.images.iter().cloned());
        self.is_retouched |= other.is_retouched;
        self.is_rewritten |= other.is_rewritten;
        self.made.extend(other.made.iter().cloned());
    }

    /// Whether an object that is still there has had this id.
    pub(super) fn has(&self, Id { api_version, kind, namespace, name }: &Id) -> bool {
        let namespace = namespace.as_deref().unwrap_or(CLUSTER);
        !(self.may_lack || self.is_reduced)
            && self.ids.contains(&key(api_version, kind, name, Some(namespace)))
    }

    /// Whether an object that was called `first` may have been changed. It may have had any name between that and its own.
    pub(super) fn may_have_changed(&self, Id { kind, name, .. }: &Id, first: &CompactString) -> bool {
        let is_of = |other: &CompactString| {
            other == first || name != first && other.contains(&**first) || is_placeholder(other)
        };
        self.is_rewritten || self.changed.iter().any(|(of, other)| of == kind && is_of(other))
    }

    /// Whether an object may be there.
    pub(super) fn may_have(&self, wanted: &Wanted<'_>) -> bool {
        let has =
            |kind: &str, namespace| self.ids.contains(&key(wanted.api_version, kind, wanted.name, namespace));
        let has_one = |kind: &&str| match wanted.namespace.as_deref() {
            None => has(kind, None),
            Some(own) => {
                [own, CLUSTER].into_iter().any(|namespace| has(kind, Some(namespace)))
                    || self.namespaces.contains(own) && has(kind, None)
            }
        };
        let texts = [wanted.api_version, wanted.namespace.as_deref().unwrap_or_default()];
        self.is_open
            || self.names.contains(wanted.name)
            || wanted.kinds.iter().any(|kind| self.kinds.contains(*kind))
            || texts.into_iter().chain(wanted.kinds.iter().copied()).any(is_placeholder)
            || wanted.kinds.iter().any(has_one)
    }
}

fn key(api_version: &str, kind: &str, name: &str, namespace: Option<&str>) -> u64 {
    /// The same for all histories.
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    STATE.hash_one((api_version, kind, name, namespace))
}

/// What a kustomization asks for before it changes namespaces and names: the objects of patches, and those that generators change.
pub(super) fn early(of: &Kustomization<'_>, judge: &Judge<'_>, ask: &mut dyn FnMut(Wanted<'_>)) {
    for (field, kind, entry) in generators(of.root).filter(|(_, _, entry)| changes_another(entry)) {
        let name = view::text(entry, "name");
        let does = if view::text(entry, "behavior") == "merge" { "merges into" } else { "replaces" };
        ask(Wanted {
            at: entry.span.start,
            by: format!("{} in {field} {does}", excerpt::identifier(name)),
            file: None,
            api_version: "v1",
            kinds: &[kind],
            name,
            namespace: Some(known_namespace(filled(entry, "namespace"))),
        });
    }
    for patch in patches(of.root).filter(|patch| patch.target.is_none()) {
        for document in patch_documents(of, judge, &patch).unwrap_or_default() {
            let metadata = |key| document.get("metadata").map_or("", |metadata| view::text(metadata, key));
            let (kind, name) = (view::text(&document, "kind"), metadata("name"));
            // The items of a List are patches.
            if kind.is_empty() || kind.ends_with("List") || name.is_empty() {
                continue;
            }
            let path = patch.path.and_then(Node::as_str);
            let by = match path {
                Some(path) => format!("{} in {} is for", excerpt::identifier(path), patch.field),
                None => "a patch is for".to_owned(),
            };
            let source = path.and_then(|path| judge.source(&joined(&of.directory, path)));
            ask(Wanted {
                at: patch.at(),
                by,
                file: source.map(|source| Arc::clone(&source.name)),
                api_version: view::text(&document, "apiVersion"),
                kinds: &[kind],
                name,
                namespace: Some(known_namespace(Some(metadata("namespace")))),
            });
        }
    }
}

/// What it asks for afterwards.
pub(super) fn late(of: &Kustomization<'_>, judge: &Judge<'_>, ask: &mut dyn FnMut(Wanted<'_>)) {
    // What scales other kinds may be in a file of `configurations`.
    let is_scaled = view::list(of.root, "configurations").is_empty();
    for entry in view::list(of.root, "replicas").iter().filter(|_| is_scaled) {
        ask(Wanted {
            at: entry.span.start,
            by: "an entry of replicas is for".to_owned(),
            file: None,
            api_version: "",
            kinds: &SCALED,
            name: view::text(entry, "name"),
            namespace: None,
        });
    }
    for var in view::list(of.root, "vars") {
        let by = format!("the var {} is read from", excerpt::identifier(view::text(var, "name")));
        ask_for_selected(var.get("objref"), var.span.start, by, ask);
    }
    for entry in view::list(of.root, "replacements") {
        let documents = match filled(entry, "path") {
            Some(path) => judge.source(&joined(&of.directory, path)).map(documents).unwrap_or_default(),
            None => vec![entry.clone()],
        };
        for document in &documents {
            let one = std::slice::from_ref(document);
            for replacement in document.as_seq().unwrap_or(one) {
                let by = "a replacement is read from".to_owned();
                ask_for_selected(replacement.get("source"), entry.span.start, by, ask);
            }
        }
    }
}

/// Asks for what a selector names, if it has a kind and a name.
fn ask_for_selected(selector: Option<&Node>, at: usize, by: String, ask: &mut dyn FnMut(Wanted<'_>)) {
    let Some(selector) = selector else { return };
    let text = |key| filled(selector, key);
    let (Some(kind), Some(name)) = (text("kind"), text("name")) else { return };
    let api_version: CompactString = match (text("apiVersion"), text("group"), text("version")) {
        (Some(whole), ..) => whole.into(),
        (None, Some(group), Some(version)) => format_compact!("{group}/{version}"),
        _ => CompactString::default(),
    };
    let namespace = text("namespace").map(|name| known_namespace(Some(name)));
    ask(Wanted { at, by, file: None, api_version: &api_version, kinds: &[kind], name, namespace });
}

/// The documents of a patch; `None` if they are not known.
pub(super) fn patch_documents(
    of: &Kustomization<'_>,
    judge: &Judge<'_>,
    patch: &Patch<'_>,
) -> Option<Vec<Node>> {
    match (patch.text.and_then(Node::as_str), patch.path.and_then(Node::as_str)) {
        // What applies a kustomization often has patches for all, whether it applies one of their objects or not.
        (Some(text), _) if is_placeholder(text) && (of.by.is_some() || is_malformed(text)) => None,
        (Some(text), _) => Some(documents_in(text)),
        (None, Some(path)) => judge.source(&joined(&of.directory, path)).map(documents),
        (None, None) => None,
    }
}
