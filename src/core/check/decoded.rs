//! What kustomize refuses in a kustomization before it builds anything: a field that it does not know, a value of another type
//! (kustomize, api/types), nothing at all, and entries that cannot be right.

use std::collections::HashSet;

use super::finding::Claim;
use crate::scan::kustomization::{Holds, field, fields, filled, generators, is_malformed, keys, patches};
use kinds::view;
use syntax::tree::{Node, Value};
use text::excerpt;
use text::placeholder::is_placeholder;
use text::spelling;

/// The types of what fields hold.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Bool,
    Int,
    Map,
}

/// The types at paths in kustomizations; `*` is each item of a list, or each value of a map.
#[rustfmt::skip]
const TYPES: [(Type, &[&str]); 4] = [
    (Type::Text, &[
        "bases.*", "buildMetadata.*", "components.*", "configurations.*", "crds.*", "generators.*", "patchesStrategicMerge.*",
        "resources.*", "transformers.*", "validators.*",
        "commonAnnotations.*", "commonLabels.*", "labels.*.pairs.*", "openapi.*",
        "configMapGenerator.*.behavior", "configMapGenerator.*.env", "configMapGenerator.*.envs.*", "configMapGenerator.*.files.*",
        "configMapGenerator.*.literals.*", "configMapGenerator.*.name", "configMapGenerator.*.namespace",
        "configMapGenerator.*.options.annotations.*", "configMapGenerator.*.options.labels.*",
        "secretGenerator.*.behavior", "secretGenerator.*.env", "secretGenerator.*.envs.*", "secretGenerator.*.files.*",
        "secretGenerator.*.literals.*", "secretGenerator.*.name", "secretGenerator.*.namespace", "secretGenerator.*.type",
        "secretGenerator.*.options.annotations.*", "secretGenerator.*.options.labels.*",
        "generatorOptions.annotations.*", "generatorOptions.labels.*",
        "images.*.digest", "images.*.name", "images.*.newName", "images.*.newTag", "images.*.tagSuffix",
        "metadata.annotations.*", "metadata.labels.*", "metadata.name", "metadata.namespace",
        "patches.*.patch", "patches.*.path", "patches.*.target.annotationSelector", "patches.*.target.group",
        "patches.*.target.kind", "patches.*.target.labelSelector", "patches.*.target.name", "patches.*.target.namespace",
        "patches.*.target.version",
        "patchesJson6902.*.patch", "patchesJson6902.*.path", "patchesJson6902.*.target.group", "patchesJson6902.*.target.kind",
        "patchesJson6902.*.target.name", "patchesJson6902.*.target.namespace", "patchesJson6902.*.target.version",
        "replacements.*.path", "replicas.*.name",
    ]),
    (Type::Bool, &[
        "configMapGenerator.*.options.disableNameSuffixHash", "configMapGenerator.*.options.immutable",
        "generatorOptions.disableNameSuffixHash", "generatorOptions.immutable", "labels.*.includeSelectors",
        "labels.*.includeTemplates", "patches.*.options.*", "secretGenerator.*.options.disableNameSuffixHash",
        "secretGenerator.*.options.immutable",
    ]),
    (Type::Int, &["replicas.*.count"]),
    (Type::Map, &[
        "configMapGenerator.*", "images.*", "labels.*", "patches.*", "patchesJson6902.*", "replacements.*", "replicas.*",
        "secretGenerator.*", "vars.*",
    ]),
];

/// What is refused, each with its place in the text.
pub(super) fn find(root: &Node) -> Vec<(usize, Claim)> {
    let mut found = Vec::new();
    find_fields(root, &mut found);
    for (wanted, paths) in TYPES {
        for path in paths {
            find_types(root, path, String::new(), wanted, &mut found);
        }
    }
    find_entries(root, &mut found);
    found
}

/// The fields themselves.
fn find_fields(root: &Node, found: &mut Vec<(usize, Claim)>) {
    for entry in root.as_map().into_iter().flatten() {
        let key = excerpt::identifier(&entry.key);
        let wanted = match (field(&entry.key), &entry.value.value) {
            (None, _) => {
                let near = spelling::nearest(&entry.key, fields());
                let claim = Claim::new(format_args!("kustomizations have no field {key}"));
                let hint = near.map(|near| format!("did you mean {near}?"));
                found.push((entry.key_span.start, claim.hint(hint)));
                continue;
            }
            (Some(_), Value::Null)
            | (Some(Holds::Text), Value::String(_))
            | (Some(Holds::Map), Value::Map(_)) => continue,
            (Some(Holds::Text), _) => "a string",
            (Some(Holds::Map), _) => "a map",
            (Some(_), Value::Seq(_)) => continue,
            (Some(_), _) => "a list",
        };
        found.push((entry.key_span.start, Claim::new(format_args!("{key} is not {wanted}"))));
    }
    if let Some(kind) = root.get("kind").filter(|_| filled(root, "kind").is_some())
        && !matches!(kind.as_str(), Some("Kustomization" | "Component"))
    {
        let claim = Claim::new("the kind is neither Kustomization nor Component");
        found.push((kind.span.start, claim));
    }
    // The type is not asked for, and a list or a map without content counts as content.
    let is_unset = |node: &Node| node.is_null() || node.as_str() == Some("");
    let is_type = |key: &str| matches!(key, "apiVersion" | "kind");
    let mut entries = root.as_map().into_iter().flatten();
    if (root.is_null() || root.as_map().is_some())
        && entries.all(|entry| is_type(&entry.key) || is_unset(&entry.value))
    {
        found.push((0, Claim::new("kustomize refuses a kustomization without any field but its type")));
    }
}

/// The values of another type at this path below a node, which is at `place`.
fn find_types(node: &Node, path: &str, place: String, wanted: Type, found: &mut Vec<(usize, Claim)>) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    if path.is_empty() {
        let wanted = match (wanted, &node.value) {
            (_, Value::Null)
            | (Type::Text, Value::String(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Int, Value::Int(_))
            | (Type::Map, Value::Map(_)) => return,
            // Something fills it in before kustomize reads it.
            (_, Value::String(text)) if is_placeholder(text) => return,
            (Type::Text, _) => "a string",
            (Type::Bool, _) => "a boolean",
            (Type::Int, _) => "a whole number",
            (Type::Map, _) => "a map",
        };
        found.push((node.span.start, Claim::new(format_args!("{place} is not {wanted}"))));
        return;
    }
    for (at, item) in node.as_seq().into_iter().flatten().enumerate().filter(|_| first == "*") {
        find_types(item, rest, format!("{place}[{at}]"), wanted, found);
    }
    for entry in node.as_map().into_iter().flatten().filter(|entry| first == "*" || entry.key == first) {
        let dot = if place.is_empty() { "" } else { "." };
        let place = format!("{place}{dot}{}", excerpt::identifier(&entry.key));
        find_types(&entry.value, rest, place, wanted, found);
    }
}

/// Patches and generators that cannot be right.
fn find_entries(root: &Node, found: &mut Vec<(usize, Claim)>) {
    for patch in patches(root).filter(|patch| patch.as_map().is_some()) {
        let text = patch.get("patch").filter(|_| filled(patch, "patch").is_some());
        let claim = match (text.and_then(Node::as_str), filled(patch, "path")) {
            (None, None) => "a patch has neither patch nor path",
            (Some(_), Some(_)) => "a patch has both patch and path",
            (Some(text), None) if is_malformed(text) && !is_placeholder(text) => "a patch is not valid YAML",
            _ => continue,
        };
        found.push((text.unwrap_or(patch).span.start, Claim::new(claim)));
    }
    for entry in view::list(root, "replacements").iter().filter(|entry| filled(entry, "path").is_none()) {
        let has_source = entry.get("source").or(entry.get("sourceValue")).is_some();
        if entry.as_map().is_some() && (!has_source || view::list(entry, "targets").is_empty()) {
            found.push((entry.span.start, Claim::new("a replacement needs a source and targets")));
        }
    }
    for (field, _, entry) in generators(root) {
        let mut known = HashSet::new();
        for (node, key) in keys(entry) {
            let claim = match key {
                None => format!("a literal in {field} is not KEY=VALUE"),
                Some(key) if is_placeholder(key) || known.insert(key) => continue,
                Some(key) => format!("an entry of {field} has the key {} twice", excerpt::identifier(key)),
            };
            found.push((node.span.start, Claim::new(claim)));
        }
    }
}
