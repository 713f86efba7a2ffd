//! The fields by which objects refer to others by name, which `references.txt` lists: those of built-in kinds, of pod specs, and of the
//! kinds of well-known projects.

use std::sync::LazyLock;

use text::hash::HashMap;

/// A field that names another object.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceField {
    /// Its position: a dotted path, with `[]` for every element of a list. The other paths are relative to it.
    pub each: &'static str,
    /// The path of the name; empty if the element is the name.
    pub name: &'static str,
    /// The kind of the other object.
    pub to: To,
    /// Its namespace.
    pub within: TargetNamespace,
    /// What it means that there is none.
    pub meaning: IfMissing,
}

/// The kind of the object that a field refers to.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// Always this group and kind.
    Kind(&'static str, &'static str),
    /// The `kind` beside the name, in the group or apiVersion at this path; this group and kind if they are missing.
    Typed(&'static str, &'static str, &'static str),
}

/// The namespace of the object, if its kind is namespaced.
#[derive(Clone, Copy, Debug)]
pub enum TargetNamespace {
    /// In the object's own.
    Own,
    /// In the one at this path, or else the object's own.
    At(&'static str),
    /// A namespace that only the cluster knows.
    Unknown,
    /// In the one that the name, that of a host in the cluster, ends with: `web.shop.svc`; without one, in the object's
    /// own. Other hosts are no references.
    Host,
}

/// The consequence of a missing object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMissing {
    /// Something does not work.
    Needed,
    /// None, if the boolean at this path is true.
    Optional(&'static str),
    /// None: the reader of the field creates the object, or works without it.
    Made,
}

/// The core API group.
pub const CORE: &str = "";
/// The API group of the Prometheus operator.
pub const MONITORING: &str = "monitoring.coreos.com";
/// The API group of roles and their bindings.
pub const RBAC: &str = "rbac.authorization.k8s.io";
/// The API group of storage classes.
pub const STORAGE: &str = "storage.k8s.io";

/// What the file says of a kind.
#[derive(Debug, Default)]
struct Fields {
    references: Vec<ReferenceField>,
    /// Whether its objects have names such as NAME:TAG.
    has_path_names: bool,
}

/// By kind, with the group.
static FIELDS: LazyLock<HashMap<&str, Vec<(&str, Fields)>>> = LazyLock::new(read);

fn find(group: &str, kind: &str) -> Option<&'static Fields> {
    FIELDS.get(kind)?.iter().find(|(of, _)| *of == group).map(|(_, fields)| fields)
}

/// The fields of a kind, besides those of its pod; empty if it refers to nothing.
pub fn of(group: &str, kind: &str) -> &'static [ReferenceField] {
    find(group, kind).map_or(&[], |fields| &fields.references)
}

/// The fields of a pod spec, in whatever object it is.
pub fn of_pod_spec() -> &'static [ReferenceField] {
    of("", "PodSpec")
}

/// Whether objects of a kind have names such as NAME:TAG.
pub(super) fn has_path_names(group: &str, kind: &str) -> bool {
    find(group, kind).is_some_and(|fields| fields.has_path_names)
}

impl ReferenceField {
    /// The object is in a namespace that only the cluster knows.
    pub const fn anywhere(self) -> Self {
        Self { within: TargetNamespace::Unknown, ..self }
    }
}

/// The lines of the file, which explains itself.
fn lines() -> impl Iterator<Item = &'static str> {
    include_str!("references.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read() -> HashMap<&'static str, Vec<(&'static str, Fields)>> {
    let mut found: HashMap<&str, Vec<(&str, Fields)>> = HashMap::default();
    let lines: Vec<&str> = lines().collect();
    for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
        let [kinds, fields @ ..] = block else { continue };
        let references: Vec<ReferenceField> =
            fields.iter().filter_map(|field| reference(&mut field.split_whitespace())).collect();
        let mut words = kinds.split_whitespace();
        let group = group_of(words.next().unwrap_or_default());
        let (flags, names): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        let has_path_names = flags.contains(&"names=path");
        for kind in names {
            let fields = Fields { references: references.clone(), has_path_names };
            found.entry(kind).or_default().push((group, fields));
        }
    }
    found
}

fn group_of(word: &'static str) -> &'static str {
    if word == "core" { "" } else { word }
}

/// A field as a line of `references.txt` has it; `None` if a word is missing.
fn reference(words: &mut dyn Iterator<Item = &'static str>) -> Option<ReferenceField> {
    let path = |word: &'static str| if word == "." { "" } else { word };
    let (each, name, target) = (path(words.next()?), path(words.next()?), words.next()?);
    let kind = |target: &'static str| {
        let (group, kind) = target.split_once('/').unwrap_or((target, ""));
        (group_of(group), kind)
    };
    let to = match target.strip_prefix("typed:") {
        None => To::Kind(kind(target).0, kind(target).1),
        Some(typed) => {
            let (field, default) = typed.split_once('=').unwrap_or((typed, "core"));
            To::Typed(field, kind(default).0, kind(default).1)
        }
    };
    let (mut within, mut meaning) = (TargetNamespace::Own, IfMissing::Needed);
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("at", path) => within = TargetNamespace::At(path),
            ("host", _) => within = TargetNamespace::Host,
            ("anywhere", _) => within = TargetNamespace::Unknown,
            ("optional", path) => meaning = IfMissing::Optional(path),
            _ => meaning = IfMissing::Made,
        }
    }
    Some(ReferenceField { each, name, to, within, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_of_known_kinds_and_well_formed() {
        for (kind, groups) in &*FIELDS {
            for (group, _) in groups {
                assert!(crate::find(group, kind).is_some() || *kind == "PodSpec", "{group} {kind}");
            }
        }
        for line in lines().filter(|line| line.starts_with(' ')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(reference(&mut words.iter().copied()).is_some(), "{line}");
            for word in &words[3..] {
                let known = ["at=", "optional=", "host", "anywhere", "made"];
                assert!(known.iter().any(|known| word.starts_with(known)), "{line}");
            }
        }
    }
}
