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
use super::kustomization::{File, Patch, directory_of, documents_in, is_inline, joined, patches, paths};
use super::selected::{Selected, texts};
use kinds::catalog::object::{DEFAULT_NAMESPACE, ObjectLabels};
use kinds::view;
use manifest::document::Document;
use manifest::names::ObjectNames;
use manifest::object::{self, Object};
use manifest::source::{Built, Source};
use syntax::given::GivenNamespaces;
use syntax::tree::Node;
use text::hash::{HashMap, HashMapExt};

/// The key and the value of the directive, at the top of a patch.
const DIRECTIVE: (&str, &str) = ("$patch", "delete");

/// The field with transformers besides those that kustomizations have fields for.
const TRANSFORMERS: &str = "transformers";

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
    let renamed = ObjectNames::new(head.kind, name, built.affixes.as_deref()).given();
    let given = built.given.as_deref().into_iter().flat_map(GivenNamespaces::names);
    selected.has_type(head.api_version, head.kind)
        && [namespace].into_iter().chain(given).any(|one| selected.has_namespace(one))
        && [name.to_owned()].into_iter().chain(renamed).any(|one| selected.has_name(&one))
        && selected.has_labels(&labels(object, built))
        && object.value().is_ok_and(|tree| selected.has_annotations(&texts(tree, "metadata.annotations")))
}

/// The labels of an object, with those that it gets.
fn labels(object: &Object<'_>, built: &Built) -> BTreeMap<String, String> {
    let own = ObjectLabels(object.head);
    let own = own.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let added = built.labels.as_deref().into_iter().flatten();
    own.chain(added.filter_map(|(key, label)| Some((key.clone(), label.value.clone()?)))).collect()
}

/// The files with patches that remove objects or change their names or namespaces, each with its documents, by their paths.
pub(super) type PatchFiles = HashMap<PathBuf, Vec<Node>>;

/// Reads the files of patches that kustomizations list.
pub(super) fn in_files(sources: &[Source], kustomizations: &[File], here: &Path) -> PatchFiles {
    // Whether they may change names.
    let mut listed: HashMap<PathBuf, bool> = HashMap::default();
    for (file, kustomization) in kustomizations {
        let directory = directory_of(file);
        for (path, patch) in patches(kustomization).filter_map(|patch| Some((patch.path?.as_str()?, patch))) {
            *listed.entry(joined(&directory, path)).or_default() |= patch.allows_names();
        }
        listed.extend(paths(kustomization, TRANSFORMERS, &directory).map(|path| (path, true)));
    }
    let is_listed = |source: &&Source| listed.contains_key(&joined(Path::new(""), &source.name));
    let files: Vec<Source> = sources.iter().filter(is_listed).cloned().collect();
    let mut found = PatchFiles::new();
    let decides = |one: &Document<'_>| {
        [DIRECTIVE.0, "/metadata/name"].iter().any(|text| memmem::find(one.text, text.as_bytes()).is_some())
            || listed.get(&joined(Path::new(""), &one.source.name)) == Some(&true)
    };
    let read = |document: Result<Document<'_>, _>, found: &mut Vec<(Arc<str>, Node)>| {
        let document = document.ok().filter(decides);
        let patch = document.and_then(|one| Some((Arc::clone(&one.source.name), object::value(one)?)));
        found.extend(patch);
    };
    Scan::of(&files).documents(read, |patches| {
        for (file, patch) in patches {
            found.entry(joined(here, &file)).or_default().push(patch);
        }
    });
    found
}

/// The transformers of a kustomization that it lists, in files or as texts.
pub(super) fn transformers(kustomization: &Node, directory: &Path, files: &PatchFiles) -> Vec<Node> {
    let listed = view::list(kustomization, TRANSFORMERS).iter().filter_map(Node::as_str);
    let each = |text| match is_inline(text) {
        true => documents_in(text),
        false => files.get(&joined(directory, text)).cloned().unwrap_or_default(),
    };
    listed.flat_map(each).collect()
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
        (None, Some(path)) => files.get(&joined(directory, path)).map_or(&[][..], Vec::as_slice).into(),
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
