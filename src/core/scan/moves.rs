//! The names, namespaces and labels that patches give: those of kustomizations, Flux Kustomizations and Applications.
//!
//! A JSON patch may replace both. A strategic merge patch keeps the namespace of its target, and its name unless its `options`
//! say `allowNameChange` (kustomize, api/resource/resource.go, ApplySmPatch). Without a `target`, it is for the object whose name it
//! has. Patches come before the namespace and the affixes of their kustomization.

use std::path::Path;
use std::sync::Arc;

use super::kustomization::{added_labels, filled, patches};
use super::removals::{LABELS, PatchFiles, documents_of};
use super::selected::Selected;
use change::patch::json;
use kinds::view;
use manifest::names::{Affixes, PatchTarget, Renamed};
use syntax::given::AddedLabels;
use syntax::tree::Node;

/// What patches give to some objects.
#[derive(Default)]
pub(super) struct Given {
    pub(super) moves: Vec<(PatchTarget, String)>,
    pub(super) labels: Vec<(Selected, Arc<AddedLabels>)>,
}

/// Adds the names that the patches of a kustomization give to what it makes of names, and returns what else they give. A patch that
/// selects by labels gives names and namespaces to all objects of its kind and name.
pub(super) fn of(kustomization: &Node, directory: &Path, files: &PatchFiles, affixes: &mut Affixes) -> Given {
    let mut given = Given::default();
    for patch in patches(kustomization) {
        // Most patches give none of them.
        let word = if patch.target.is_some() { "metadata" } else { LABELS };
        let documents = documents_of(&patch, directory, files, word);
        for document in &*documents {
            let selected = || patch.target.map_or_else(|| Some(Selected::named(document)), Selected::by);
            let labels = labels(document);
            given
                .labels
                .extend((!labels.is_empty()).then(selected).flatten().map(|one| (one, Arc::new(labels))));
        }
        let Some(target) = patch.target else { continue };
        let target = PatchTarget {
            kind: view::text(target, "kind").to_owned(),
            names: filled(target, "name").map(str::to_owned).into_iter().collect(),
            namespace: view::text(target, "namespace").to_owned(),
        };
        let set = |wanted: &str| {
            let is_it = |operation: &&Node| {
                matches!(view::text(operation, "op"), "add" | "replace")
                    && view::text(operation, "path") == wanted
            };
            let operations = documents.iter().flat_map(|document| document.as_seq().unwrap_or_default());
            operations.filter(is_it).filter_map(|operation| filled(operation, "value")).next_back()
        };
        let merged = || {
            documents
                .iter()
                .filter(|_| patch.allows_names())
                .find_map(|document| filled(document, "metadata.name"))
        };
        // The last patch counts.
        if let Some(name) = set("/metadata/name").or_else(merged) {
            affixes.renamed.insert(0, Renamed { target: target.clone(), to: affixes.surround(name) });
        }
        let namespace = set("/metadata/namespace");
        given.moves.extend(namespace.map(|namespace| (target, namespace.to_owned())));
    }
    given
}

/// The labels that a patch sets.
fn labels(patch: &Node) -> AddedLabels {
    let of_operation = |operation: &Node| {
        let value =
            operation.get("value").filter(|_| matches!(view::text(operation, "op"), "add" | "replace"))?;
        let path: Vec<String> = json::parts(view::text(operation, "path")).collect();
        match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["metadata", LABELS] => Some(value.clone()),
            ["metadata", LABELS, key] => Some(Node::map([(key, value.clone())])),
            _ => None,
        }
    };
    let all: Vec<Node> = match patch.as_seq() {
        Some(operations) => operations.iter().filter_map(of_operation).collect(),
        None => patch.at("metadata.labels").into_iter().cloned().collect(),
    };
    all.iter().flat_map(|labels| added_labels(labels, [false; 2])).collect()
}
