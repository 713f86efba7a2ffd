//! What kustomize refuses in a kustomization before it builds anything: a field that it does not know, a value of another type
//! (kustomize, api/types), nothing at all, and entries that cannot be right.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::finding::Claim;
use crate::scan::kustomization::{filled, generators, is_malformed, json_patches, keys};
use kinds::view;
use syntax::tree::{Node, Value};
use text::excerpt;
use text::pattern::is_invalid;
use text::placeholder::is_placeholder;
use text::spelling;
use text::table;

/// The fields of each type, with the types that they have.
static TYPES: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut types: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for line in table::lines(include_str!("kustomization.txt")) {
        let mut words = line.split(' ');
        let of = words.next().unwrap_or_default();
        for word in words {
            let others = word.strip_prefix('+').and_then(|other| types.get(other).cloned());
            types
                .entry(of)
                .or_default()
                .extend(others.unwrap_or_default().into_iter().chain(word.split_once(':')));
        }
    }
    types
});

/// What is refused, each with its place in the text.
pub(super) fn find(root: &Node) -> Vec<(usize, Claim)> {
    let mut found = Vec::new();
    find_types(root, "Kustomization", String::new(), &mut found);
    find_type(root, &mut found);
    find_entries(root, &mut found);
    found
}

/// A kind that is not one of a kustomization, or no content at all.
fn find_type(root: &Node, found: &mut Vec<(usize, Claim)>) {
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

/// The fields that the type of a value at `place` does not have, and values of other types.
fn find_types(node: &Node, of: &'static str, place: String, found: &mut Vec<(usize, Claim)>) {
    let wanted = match (of.get(..2), of, &node.value) {
        (_, "any", _) | (_, _, Value::Null) => return,
        (_, "string", Value::String(_)) | (_, "bool", Value::Bool(_)) | (_, "int", Value::Int(_)) => return,
        // Something fills it in before kustomize reads it.
        (_, _, Value::String(text)) if is_placeholder(text) => return,
        (Some("[]"), _, Value::Seq(items)) => {
            for (at, item) in items.iter().enumerate() {
                find_types(item, &of[2..], format!("{place}[{at}]"), found);
            }
            return;
        }
        (_, _, Value::Map(map)) if !matches!(of, "string" | "bool" | "int") && !of.starts_with("[]") => {
            let fields = TYPES.get(of);
            for entry in map {
                let key = excerpt::identifier(&entry.key);
                // Go's decoder ignores the case of keys.
                let is_it = |(name, _): &&(&str, &str)| name.eq_ignore_ascii_case(&entry.key);
                let value = match fields {
                    None => Some(&of[2..]),
                    Some(fields) => fields.iter().find(is_it).map(|(_, of)| *of),
                };
                let Some(value) = value else {
                    let claim = match &*place {
                        "" => Claim::new(format_args!("kustomizations have no field {key}")),
                        place => Claim::new(format_args!("{place} has no field {key}")),
                    };
                    let near =
                        spelling::nearest(&entry.key, fields.into_iter().flatten().map(|(name, _)| *name));
                    found.push((
                        entry.key_span.start,
                        claim.hint(near.map(|near| format!("did you mean {near}?"))),
                    ));
                    continue;
                };
                let dot = if place.is_empty() { "" } else { "." };
                find_types(&entry.value, value, format!("{place}{dot}{key}"), found);
            }
            return;
        }
        (_, "string", _) => "a string",
        (_, "bool", _) => "a boolean",
        (_, "int", _) => "a whole number",
        (Some("[]"), ..) => "a list",
        _ => "a map",
    };
    let place = if place.is_empty() { "the kustomization" } else { &place };
    found.push((node.span.start, Claim::new(format_args!("{place} is not {wanted}"))));
}

/// Patches, generators and an order that cannot be right.
fn find_entries(root: &Node, found: &mut Vec<(usize, Claim)>) {
    if let Some(options) = root.get("sortOptions").filter(|options| options.as_map().is_some())
        && !matches!(view::text(options, "order"), "fifo" | "legacy")
    {
        found.push((options.span.start, Claim::new("sortOptions.order is neither fifo nor legacy")));
    }
    for target in json_patches(root).filter_map(|patch| patch.get("target")) {
        for key in ["group", "version", "kind", "name", "namespace"] {
            if filled(target, key).is_some_and(|text| !is_placeholder(text) && is_invalid(text)) {
                let claim = Claim::new(format_args!("the {key} of a target is not a regular expression"));
                found.push((target.get(key).unwrap_or(target).span.start, claim));
            }
        }
    }
    for patch in json_patches(root).filter(|patch| patch.as_map().is_some()) {
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
        if entry.as_map().is_some()
            && entry.get("name").is_none_or(|name| name.is_null() || name.as_str() == Some(""))
        {
            found.push((entry.span.start, Claim::new(format_args!("an entry of {field} has no name"))));
        }
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
