//! What patches remove of what is built: those of kustomizations, Flux Kustomizations and Applications that say `$patch: delete`.
//!
//! Such a patch removes what its target selects, or else the object that it names (kustomize, api/internal/builtins,
//! PatchTransformer.go). JSON patches remove no objects.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::Scan;
use super::kustomization::{File, Patch, directory_of, documents_in, joined, patches};
use super::selected::{Selected, texts};
use super::transformers::{self, Found};
use kinds::catalog::object::{DEFAULT_NAMESPACE, ObjectLabels};
use kinds::view;
use manifest::document::Document;
use manifest::names::ObjectNames;
use manifest::object::{self, Object};
use manifest::source::{Built, Source};
use syntax::given::GivenNamespaces;
use syntax::head::Head;
use syntax::tree::Node;
use text::hash::HashMap;

/// The key and the value of the directive, at the top of a patch.
pub(super) const DIRECTIVE: (&str, &str) = ("$patch", "delete");

/// The field of labels.
pub(super) const LABELS: &str = "labels";

/// What a patch removes; `None` if it removes nothing, also because kustomize refuses its selectors.
fn removed(target: Option<&Node>, patch: &Node) -> Option<Selected> {
    let (key, value) = DIRECTIVE;
    if view::text(patch, key) != value {
        return None;
    }
    match target {
        Some(target) => Selected::by(target),
        None => Some(Selected::named(patch)),
    }
}

/// Whether an object is selected, of which `built` is what all builders make.
pub(super) fn is_selected(selected: &Selected, object: &Object<'_>, built: &Built) -> bool {
    let head = object.head;
    let (namespace, name) = (head.namespace.unwrap_or(DEFAULT_NAMESPACE), head.name.unwrap_or_default());
    let of_namespace = Head { given: built.given(head), ..head.clone() }.given_names();
    let names = ObjectNames::new(head.kind, name, built.affixes.as_deref()).of_namespace(of_namespace);
    let given = built.given.as_deref().into_iter().flat_map(GivenNamespaces::names);
    selected.has_type(head.api_version, head.kind)
        && [namespace].into_iter().chain(given).any(|one| selected.has_namespace(one))
        && [name.to_owned()].into_iter().chain(names.given()).any(|one| selected.has_name(&one))
        && selected.has_labels(&labels(object, built))
        && object.value().is_ok_and(|tree| selected.has_annotations(&texts(tree, "metadata.annotations")))
}

/// The labels of an object, with those that it gets.
fn labels(object: &Object<'_>, built: &Built) -> BTreeMap<String, String> {
    let own = ObjectLabels(object.head);
    let own = own.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let added = built.labels.iter().flat_map(|labels| labels.all().iter());
    own.chain(added.filter_map(|(key, label)| Some((key.clone(), label.value.clone()?)))).collect()
}

/// What kustomizations list that removes objects or changes their names, namespaces or labels, by paths.
#[derive(Default)]
pub(super) struct PatchFiles {
    /// The documents of files with patches or transformers.
    documents: HashMap<PathBuf, Vec<Node>>,
    /// The kustomizations, if one lists transformers.
    directories: HashMap<PathBuf, Arc<Node>>,
}

impl PatchFiles {
    /// What is at a path that is listed with transformers; `None` if that is not known.
    pub(super) fn at(&self, path: &Path) -> Option<Found<'_>> {
        let documents = || Some(Found::Documents(self.documents.get(path)?.into()));
        self.directories.get(path).map(|root| Found::Kustomization(root)).or_else(documents)
    }
}

/// Reads the files of patches that kustomizations list.
pub(super) fn in_files(sources: &[Source], kustomizations: &[File], here: &Path) -> PatchFiles {
    let directory = |file: &str| joined(here, &directory_of(file).to_string_lossy());
    let mut found = PatchFiles::default();
    if kustomizations.iter().any(|(_, kustomization)| kustomization.get("transformers").is_some()) {
        let all = kustomizations.iter().map(|(file, root)| (directory(file), Arc::clone(root)));
        found.directories = all.collect();
    }
    // Whether they may change names.
    let mut listed: HashMap<PathBuf, bool> = HashMap::default();
    for (file, kustomization) in kustomizations {
        for (path, patch) in patches(kustomization).filter_map(|patch| Some((patch.path?.as_str()?, patch))) {
            *listed.entry(joined(&directory(file), path)).or_default() |= patch.allows_names();
        }
        transformers::of(kustomization, &directory(file), |path| {
            let directory = found.at(path);
            if directory.is_none() {
                listed.insert(path.to_owned(), true);
            }
            directory
        });
    }
    if listed.is_empty() {
        return found;
    }
    let is_listed = |source: &&Source| listed.contains_key(&joined(here, &source.name));
    let files: Vec<Source> = sources.iter().filter(is_listed).cloned().collect();
    let decides = |one: &Document<'_>| {
        [DIRECTIVE.0, "/metadata/name", LABELS]
            .iter()
            .any(|text| memmem::find(one.text, text.as_bytes()).is_some())
            || listed.get(&joined(here, &one.source.name)) == Some(&true)
    };
    let read = |document: Result<Document<'_>, _>, found: &mut Vec<(Arc<str>, Node)>| {
        let document = document.ok().filter(decides);
        let patch = document.and_then(|one| Some((Arc::clone(&one.source.name), object::value(one)?)));
        found.extend(patch);
    };
    Scan::of(&files).documents(read, |patches| {
        for (file, patch) in patches {
            found.documents.entry(joined(here, &file)).or_default().push(patch);
        }
    });
    found
}

/// The documents of a patch in the directory of its kustomization; none of a text without the `word` that decides.
pub(super) fn documents_of<'p>(
    patch: &Patch<'p>,
    directory: &Path,
    files: &'p PatchFiles,
    word: &str,
) -> Cow<'p, [Node]> {
    match (patch.text.map(|text| text.as_str().unwrap_or_default()), patch.path.and_then(Node::as_str)) {
        (Some(text), _) if text.contains(word) => documents_in(text).into(),
        (Some(_), _) => Vec::new().into(),
        (None, Some(path)) => {
            files.documents.get(&joined(directory, path)).map_or(&[][..], Vec::as_slice).into()
        }
        // Flux takes such patches as maps.
        (None, None) => std::slice::from_ref(patch.entry).into(),
    }
}

/// What the patches of a kustomization, or of something with the same fields, remove.
pub(super) fn of(kustomization: &Node, directory: &Path, files: &PatchFiles) -> Vec<Selected> {
    let of_patch = |patch: Patch<'_>| {
        let documents = documents_of(&patch, directory, files, DIRECTIVE.0);
        documents.iter().filter_map(|document| removed(patch.target, document)).collect::<Vec<_>>()
    };
    patches(kustomization).flat_map(of_patch).collect()
}
