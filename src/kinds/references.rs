//! The fields by which objects refer to others by name, which `references.txt` lists: those of built-in kinds, of pod specs, and of the
//! kinds of well-known projects.

use std::sync::LazyLock;

use super::table::{Table, kind_of, path_of};
use text::hash::{HashMap, HashSet};

/// A field that names another object.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceField {
    /// Its position: a dotted path, with `[]` for every element of a list, and `**` for any depth. The other paths are
    /// relative to it.
    pub each: &'static str,
    /// The first key of both paths: an object without it has no such field.
    pub first_key: &'static str,
    /// The path of the name; empty if the element is the name.
    pub name: &'static str,
    /// What follows the name.
    pub suffix: &'static str,
    /// The kind of the other object.
    pub to: To,
    /// Its namespace.
    pub within: TargetNamespace,
    /// What kustomizations that set namespaces make of it.
    pub kustomized: Kustomized,
    /// What it means that there is none.
    pub meaning: IfMissing,
    /// The boolean that says that the kind is the one of the cluster: ClusterAnalysisTemplate. Empty if there is none.
    pub of_cluster: &'static str,
    /// What must be so for this one to count.
    pub conditions: [Option<Condition>; 2],
}

/// Whether a field of the object must be set, or must not be.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// The field.
    pub path: &'static str,
    /// The values that count, separated by `|`; empty if any does.
    pub values: &'static str,
    /// Whether it must be set.
    pub is_wanted: bool,
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
    /// Always in this one.
    Fixed(&'static str),
    /// A namespace that only the cluster knows.
    Unknown,
    /// In the object's own. Of a cluster-scoped object, only the cluster knows it, but it is this one by default.
    Usually(&'static str),
    /// Where the controller is installed, usually the object's own.
    Installed,
    /// In the one that the name, that of a host in the cluster, ends with: `web.shop.svc`; without one, in the object's
    /// own. Other hosts are no references.
    Host,
    /// In the one before the slash of `NAMESPACE/NAME`; without one, in the object's own.
    Qualified,
    /// In the one before a dash of `NAMESPACE-NAME@kubernetescrd`, of which there may be several after commas.
    Joined,
    /// In the one at `namespace`, or else the object's own; the name is before the colon of `NAME:TAG`, beside the kind
    /// ImageStreamTag.
    Tag,
}

/// What becomes of the namespace in a field where a kustomization sets that of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kustomized {
    /// It stays.
    Kept,
    /// It is the one that is set.
    Given,
    /// It is that of the object, if the build has it. That of ServiceAccounts called `default` is set.
    Followed,
}

/// The consequence of a missing object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMissing {
    /// Something does not work.
    Needed,
    /// None, if the boolean at this path is true.
    Optional(&'static str),
    /// None: someone creates the object, or the reader of the field works without it.
    Made,
    /// None: the reader of the field creates the object.
    Makes,
    /// As for [`Self::Makes`] if an annotation of the reader names an issuer, or else as for [`Self::Needed`].
    Issued,
}

/// The core API group.
pub const CORE: &str = "";
/// The API group of the Prometheus operator.
pub const MONITORING: &str = "monitoring.coreos.com";
/// The API group of roles and their bindings.
pub const RBAC: &str = "rbac.authorization.k8s.io";
/// The API group of storage classes.
pub const STORAGE: &str = "storage.k8s.io";

static FIELDS: LazyLock<Table<ReferenceField>> =
    LazyLock::new(|| Table::of_text(include_str!("references.txt"), reference));

/// The fields of a kind, besides those of its pod; empty if it refers to nothing.
pub fn of(group: &str, kind: &str) -> &'static [ReferenceField] {
    FIELDS.of(group, kind)
}

/// The fields of a pod spec, in whatever object it is.
pub fn of_pod_spec() -> &'static [ReferenceField] {
    of("", "PodSpec")
}

/// The fields of any custom resource that begin with this key, in whatever map they are.
pub fn of_custom_resource(key: &str) -> &'static [ReferenceField] {
    static BY_KEY: LazyLock<HashMap<&str, Vec<ReferenceField>>> = LazyLock::new(|| {
        let mut by_key: HashMap<&str, Vec<ReferenceField>> = HashMap::default();
        for field in of(CORE, "CustomResource") {
            by_key.entry(field.first_key).or_default().push(*field);
        }
        by_key
    });
    BY_KEY.get(key).map_or(&[], Vec::as_slice)
}

/// The fields that a map under a key means in any custom resource by the end of that key, as `passwordSecretKeyRef` is a
/// `secretKeyRef`. Their paths are relative to the map.
pub fn of_suffix(key: &str) -> impl Iterator<Item = ReferenceField> {
    let whole = [("SecretKeyRef", "secretKeyRef"), ("ConfigMapKeyRef", "configMapKeyRef")]
        .into_iter()
        .find_map(|(suffix, whole)| key.ends_with(suffix).then_some(whole));
    let fields = whole.map_or(&[][..], of_custom_resource).iter();
    fields.map(|field| ReferenceField { each: "", first_key: field.name, ..*field })
}

/// Whether an annotation with this key names an object, on some kind.
pub fn is_annotation(key: &str) -> bool {
    static KEYS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let annotations = all().filter(|field| field.each == "metadata.annotations");
        annotations.map(|field| field.name).collect()
    });
    KEYS.contains(key)
}

/// The fields of all kinds.
fn all() -> impl Iterator<Item = &'static ReferenceField> {
    FIELDS.kinds().flat_map(|(group, kind)| of(group, kind))
}

/// Whether a namespace is that in which objects of a kind usually are, of which only the cluster knows it.
pub fn is_usual(kind: &str, namespace: &str) -> bool {
    static USUAL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let usual = |field: &ReferenceField| match (field.within, field.to) {
            (TargetNamespace::Usually(namespace), _) => Some(namespace),
            (TargetNamespace::Installed, To::Kind(_, kind)) => Some(kind),
            _ => None,
        };
        all().filter_map(usual).collect()
    });
    USUAL.contains(namespace) || USUAL.contains(kind)
}

/// A field as a line of `references.txt` has it; `None` if a word is missing.
fn reference(words: &mut dyn Iterator<Item = &'static str>) -> Option<ReferenceField> {
    let (each, name, target) = (path_of(words.next()?), path_of(words.next()?), words.next()?);
    let to = match target.strip_prefix("typed:") {
        None => To::Kind(kind_of(target).0, kind_of(target).1),
        Some(typed) => {
            let (field, default) = typed.split_once('=').unwrap_or((typed, "core"));
            To::Typed(field, kind_of(default).0, kind_of(default).1)
        }
    };
    let (within, meaning) = (TargetNamespace::Own, IfMissing::Needed);
    let path = if each.is_empty() { name } else { each };
    let first_key = path.split(['.', '[']).next()?;
    let mut field = ReferenceField {
        each,
        first_key,
        name,
        suffix: "",
        to,
        within,
        kustomized: Kustomized::Kept,
        meaning,
        of_cluster: "",
        conditions: [None; 2],
    };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("at", path) => field.within = TargetNamespace::At(path),
            ("in", namespace) => field.within = TargetNamespace::Fixed(namespace),
            ("usually", "") => field.within = TargetNamespace::Installed,
            ("usually", namespace) => field.within = TargetNamespace::Usually(namespace),
            ("host", _) => field.within = TargetNamespace::Host,
            ("qualified", _) => field.within = TargetNamespace::Qualified,
            ("joined", _) => field.within = TargetNamespace::Joined,
            ("tag", _) => field.within = TargetNamespace::Tag,
            ("given", _) => field.kustomized = Kustomized::Given,
            ("followed", _) => field.kustomized = Kustomized::Followed,
            ("anywhere", _) => field.within = TargetNamespace::Unknown,
            ("optional", path) => field.meaning = IfMissing::Optional(path),
            ("made", _) => field.meaning = IfMissing::Made,
            ("makes", suffix) => (field.meaning, field.suffix) = (IfMissing::Makes, suffix),
            ("issued", _) => field.meaning = IfMissing::Issued,
            ("cluster", path) => field.of_cluster = path,
            ("if" | "unless", condition) => {
                let (path, values) = condition.split_once('=').unwrap_or((condition, ""));
                let free = field.conditions.iter_mut().find(|condition| condition.is_none())?;
                *free = Some(Condition { path, values, is_wanted: word.starts_with("if") });
            }
            _ => return None,
        }
    }
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::lines;

    #[test]
    fn references_are_of_known_kinds_and_well_formed() {
        for (group, kind) in FIELDS.kinds() {
            assert!(
                crate::find(group, kind).is_some() || matches!(kind, "PodSpec" | "CustomResource"),
                "{group} {kind}"
            );
            assert_eq!(FIELDS.kinds().filter(|known| *known == (group, kind)).count(), 1, "{group} {kind}");
        }
        for line in lines(include_str!("references.txt")).filter(|line| line.starts_with(' ')) {
            assert!(reference(&mut line.split_whitespace()).is_some(), "{line}");
        }
    }
}
