//! Suggestions for unknown fields.

use std::collections::{HashSet, VecDeque};

use super::path::Path;
use crate::kinds::fields::{self, Shape, TypeId};
use crate::kinds::release::Release;
use crate::manifest::tree::Node;
use crate::text::spelling;

/// Fields that other versions of their type have: the type, the field, and what it is now.
const MOVED: [(&str, &str, &str); 3] = [
    ("IngressBackend", "serviceName", "service.name"),
    ("IngressBackend", "servicePort", "service.port.number or service.port.name"),
    ("IngressSpec", "backend", "defaultBackend"),
];

/// Fields that hardly anyone means who writes their names in another place: the type and the field.
const RARE: [(&str, &str); 1] = [("PodSpec", "resources")];

/// A suggestion for `key` at `path`, which `release` does not have: the releases that have it; or else the nearest field
/// there; or else the place, in this kind or another one, that has a field with that name, first the object itself if it lacks
/// the field there. `None` if there is none.
pub(super) fn built_in(
    kind: TypeId,
    owner: TypeId,
    release: Release,
    path: &Path<'_>,
    key: &str,
    root: &Node,
) -> Option<String> {
    if let Some(field) = owner.get().field(key) {
        return Some(field.releases.absence(release));
    }
    if let Some((.., now)) = MOVED.iter().find(|(of, field, _)| *of == owner.get().name && *field == key) {
        return Some(format!("in this version, {key} is {now}"));
    }
    let names =
        owner.get().fields().iter().filter(|field| field.releases.has(release)).map(|field| field.name);
    did_you_mean(key, names)
        .or_else(|| of_the_object(kind, key, root))
        .or_else(|| elsewhere(kind, key))
        .or_else(|| of_another_kind(kind, path, key))
}

/// That the field is one of the object itself, which does not have it.
fn of_the_object(kind: TypeId, key: &str, root: &Node) -> Option<String> {
    let is_lacking = kind.get().field(key).is_some() && root.get(key).is_none();
    let name = kind.get().name;
    is_lacking.then(|| format!("{key} is a field of the {name} itself"))
}

/// The nearest of `names`, or else the only one that begins with the key; `None` if there is neither.
pub(super) fn did_you_mean<'n>(key: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    let longer = || {
        let mut longer = names.iter().filter(|name| key.len() > 2 && name.starts_with(key));
        longer.next().filter(|_| longer.next().is_none()).copied()
    };
    let name = spelling::nearest(key, names.iter().copied()).or_else(longer)?;
    Some(format!("did you mean {name}?"))
}

/// The shortest path to a field with that name in the kind.
fn elsewhere(kind: TypeId, key: &str) -> Option<String> {
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(kind, String::new())]);
    while let Some((id, path)) = queue.pop_front() {
        let is_rare = RARE.contains(&(id.get().name, key));
        if !path.is_empty() && id.get().field(key).is_some() && !is_rare {
            return Some(format!("{key} is a field of {path}"));
        }
        for field in
            id.get().fields().iter().filter(|field| !matches!(field.name, "status" | "managedFields"))
        {
            let Shape::Struct(id) = field.shape.innermost() else { continue };
            if seen.insert(id.get().name) {
                let dot = if path.is_empty() { "" } else { "." };
                let many = if matches!(field.shape, Shape::Struct(_)) { "" } else { "[]" };
                queue.push_back((*id, format!("{path}{dot}{}{many}", field.name)));
            }
        }
    }
    None
}

/// Another kind with the same apiVersion that has the field at the same path.
fn of_another_kind(kind: TypeId, path: &Path<'_>, key: &str) -> Option<String> {
    let (api_version, ..) = fields::kinds().find(|(_, _, id)| *id == kind)?;
    let place: Vec<&str> = path.fields().collect();
    // The kind with the most fields of this one is the likeliest to be meant; of those with as many, the first.
    let alike = |other: TypeId| {
        other.get().fields().iter().filter(|field| kind.get().field(field.name).is_some()).count()
    };
    let others = fields::kinds()
        .filter(|(version, _, id)| *version == api_version && has_field(*id, &place, key))
        .map(|(_, name, id)| (std::cmp::Reverse(alike(id)), name));
    let (_, other) = others.min()?;
    let other = format!("{} {other}", article(other));
    let of = if place.is_empty() { other } else { format!("the {} of {other}", place.join(".")) };
    Some(format!("{key} is a field of {of}"))
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" }
}

fn has_field(kind: TypeId, place: &[&str], key: &str) -> bool {
    let mut at = kind;
    for name in place {
        let Some(field) = at.get().field(name) else { return false };
        let Shape::Struct(id) = field.shape.innermost() else { return false };
        at = *id;
    }
    at.get().field(key).is_some()
}
