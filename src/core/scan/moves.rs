//! The names and namespaces that patches give: those of kustomizations, Flux Kustomizations and Applications.
//!
//! A JSON patch may replace both. A strategic merge patch keeps the namespace of its target, and its name unless its `options`
//! say `allowNameChange` (kustomize, api/resource/resource.go, ApplySmPatch). Without a `target`, it is for the object whose name it
//! has. Patches come before the namespace and the affixes of their kustomization.

use std::path::Path;

use super::kustomization::{filled, patches};
use super::removals::{PatchFiles, documents_of};
use kinds::view;
use manifest::names::{Affixes, PatchTarget, Renamed};
use syntax::tree::Node;

/// The namespaces that patches give to some objects.
pub(super) type Moves = Vec<(PatchTarget, String)>;

/// Adds the names that the patches of a kustomization give to what it makes of names, and returns the namespaces. A patch that
/// selects by labels counts for all objects of its kind and name.
pub(super) fn of(kustomization: &Node, directory: &Path, files: &PatchFiles, affixes: &mut Affixes) -> Moves {
    let mut moves = Moves::new();
    for patch in patches(kustomization) {
        let Some(target) = patch.target else { continue };
        // Most patches give neither.
        let documents = documents_of(&patch, directory, files, "metadata");
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
        moves.extend(set("/metadata/namespace").map(|namespace| (target, namespace.to_owned())));
    }
    moves
}
