//! Suggestions for unknown fields.

use std::collections::{HashSet, VecDeque};

use crate::at::At;
use kinds::fields::{self, Shape, TypeId};
use kinds::release::Release;
use syntax::tree::Node;
use text::plural::article;
use text::spelling;

/// Fields that other versions of their type have: the type, the field, and what it is now.
const MOVED: [(&str, &str, &str); 6] = [
    ("IngressBackend", "serviceName", "service.name"),
    ("IngressBackend", "servicePort", "service.port.number or service.port.name"),
    ("IngressSpec", "backend", "defaultBackend"),
    ("ContainerResourceMetricSource", "targetAverageUtilization", "target.averageUtilization"),
    ("ResourceMetricSource", "targetAverageUtilization", "target.averageUtilization"),
    ("ResourceMetricSource", "targetAverageValue", "target.averageValue"),
];

/// Fields that hardly anyone means who writes their names in another place: the type and the field.
const RARE: [(&str, &str); 2] = [("PodSpec", "resources"), ("TypedLocalObjectReference", "name")];

/// A suggestion for `key` at `at`, which `release` does not have: the releases that have it; or else the nearest field
/// there; or else the place, in this kind or another one, that has a field with that name, first the object itself if it lacks
/// the field there. `None` if there is none.
pub(super) fn built_in(
    kind: TypeId,
    owner: TypeId,
    release: Release,
    at: &At<'_, '_>,
    key: &str,
    root: &Node,
) -> Option<String> {
    if let Some(field) = owner.get().field(key) {
        return Some(field.releases.absence(release));
    }
    if let Some((.., now)) = MOVED.iter().find(|(of, field, _)| *of == owner.get().name && *field == key) {
        return Some(format!("in this version, {key} is {now}"));
    }
    // The keys of maps are often written one level too high.
    if owner.get().name == "ObjectMeta" && key.contains('/') {
        return Some("a key with a / is one of metadata.annotations or metadata.labels".to_owned());
    }
    let names =
        owner.get().fields().iter().filter(|field| field.releases.has(release)).map(|field| field.name);
    did_you_mean(key, names.clone())
        // What ends with it is not the likeliest field of metadata.
        .or_else(|| if owner.get().name == "ObjectMeta" { None } else { the_longer(key, names) })
        .or_else(|| of_the_object(kind, key, root))
        .or_else(|| elsewhere(kind, &at.fields(), key))
        .or_else(|| of_another_kind(kind, &at.fields(), key))
}

/// That the field is one of the object itself, which does not have it, or is a `spec` where kinds have none.
fn of_the_object(kind: TypeId, key: &str, root: &Node) -> Option<String> {
    let name = kind.get().name;
    if key == "spec" && kind.get().field(key).is_none() {
        return Some(format!("{} {name} has no spec; its fields are beside metadata", article(name)));
    }
    let is_lacking = kind.get().field(key).is_some() && root.get(key).is_none();
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

/// The only one of `names` that ends with the key, in any case: `policyTypes` for `types`.
fn the_longer<'n>(key: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let mut longer = names.filter(|name| key.len() > 2 && name.to_ascii_lowercase().ends_with(&key));
    let only = longer.next().filter(|_| longer.next().is_none())?;
    Some(format!("did you mean {only}?"))
}

/// The nearest place with a field of that name: in what is beside or right below the fields that `path` goes through, from the
/// inside out; or else the one with the shortest path in the kind.
fn elsewhere(kind: TypeId, path: &[&str], key: &str) -> Option<String> {
    let mut around = vec![(kind, String::new())];
    for name in path {
        let (id, at) = around.last()?;
        let next = below(*id, at).find(|(field, ..)| field == name)?;
        around.push((next.1, next.2));
    }
    let near = around.iter().rev().enumerate().find_map(|(outwards, (id, at))| {
        let is_here = !at.is_empty() && has(*id, key);
        let below = || below(*id, at).filter(|(name, ..)| *name != "metadata" || outwards < 2);
        if is_here { Some(at.clone()) } else { below().find(|(_, id, _)| has(*id, key)).map(|(.., at)| at) }
    });
    near.or_else(|| anywhere(kind, key)).map(|place| format!("{key} is a field of {place}"))
}

/// The shortest path to a field with that name; `None` for `name`, `namespace` and the like, which references have everywhere.
fn anywhere(kind: TypeId, key: &str) -> Option<String> {
    if below(kind, "").any(|(name, id, _)| name == "metadata" && has(id, key)) {
        return None;
    }
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(kind, String::new())]);
    while let Some((id, at)) = queue.pop_front() {
        if !at.is_empty() && has(id, key) {
            return Some(at);
        }
        queue.extend(
            below(id, &at).filter(|(_, id, _)| seen.insert(id.get().name)).map(|(_, id, at)| (id, at)),
        );
    }
    None
}

/// The fields of a type at `at` that are objects or lists of them: name, type and path. What only the server writes is not
/// among them.
fn below(id: TypeId, at: &str) -> impl Iterator<Item = (&'static str, TypeId, String)> {
    let fields = id.get().fields().iter().filter(|field| !matches!(field.name, "status" | "managedFields"));
    fields.filter_map(move |field| {
        let Shape::Struct(id) = field.shape.innermost() else { return None };
        let dot = if at.is_empty() { "" } else { "." };
        let many = if matches!(field.shape, Shape::Struct(_)) { "" } else { "[]" };
        Some((field.name, *id, format!("{at}{dot}{}{many}", field.name)))
    })
}

fn has(id: TypeId, key: &str) -> bool {
    id.get().field(key).is_some() && !RARE.contains(&(id.get().name, key))
}

/// Another kind with the same apiVersion that has the field at the same path.
fn of_another_kind(kind: TypeId, path: &[&str], key: &str) -> Option<String> {
    let (api_version, ..) = fields::kinds().find(|(_, _, id)| *id == kind)?;
    // The kind with the most fields of this one is the likeliest to be meant; of those with as many, the first.
    let alike = |other: TypeId| {
        other.get().fields().iter().filter(|field| kind.get().field(field.name).is_some()).count()
    };
    let others = fields::kinds()
        .filter(|(version, _, id)| *version == api_version && has_field(*id, path, key))
        .map(|(_, name, id)| (std::cmp::Reverse(alike(id)), name));
    let (_, other) = others.min()?;
    let other = format!("{} {other}", article(other));
    let of = if path.is_empty() { other } else { format!("the {} of {other}", path.join(".")) };
    Some(format!("{key} is a field of {of}"))
}

fn has_field(kind: TypeId, path: &[&str], key: &str) -> bool {
    let mut at = kind;
    for name in path {
        let Some(field) = at.get().field(name) else { return false };
        let Shape::Struct(id) = field.shape.innermost() else { return false };
        at = *id;
    }
    at.get().field(key).is_some()
}
