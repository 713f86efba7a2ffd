//! Ownership: owner references, followed from one object down.
//!
//! A reference matches by group, kind, name and namespace; the uid counts only if both sides have one, because
//! manifests rarely do. An owner is in the namespace of the objects it owns, or cluster-scoped (Kubernetes,
//! pkg/controller/garbagecollector).

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use compact_str::CompactString;

use kinds::catalog::{Catalog, Resource};
use kinds::view::{self, OwnerReference};
use manifest::object::Object;
use syntax::error::Error;
use syntax::fields::{FieldSet, Fields};
use syntax::head::Head;
use syntax::tree::Node;
use text::go;

use super::object_kind::ObjectKind;

/// Where an object names its owners.
pub(super) const OWNER_REFERENCES: [&str; 2] = ["metadata", "ownerReferences"];

/// The identity of an object for owner references, as text: it is shown, and compared with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectKey {
    pub(super) group: CompactString,
    pub(super) kind: CompactString,
    /// Empty for cluster-scoped kinds.
    pub(super) namespace: CompactString,
    pub(super) name: CompactString,
}

/// An object that has owners.
#[derive(Clone, Debug)]
pub(super) struct Owned {
    identity: ObjectKey,
    uid: Option<String>,
    pub(super) owners: Vec<Owner>,
}

/// An owner reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    pub(super) identity: ObjectKey,
    pub(super) uid: Option<String>,
}

/// An object and all objects that it owns, directly or not.
#[derive(Clone, Debug, Default)]
pub(super) struct Lineage {
    uids: HashMap<ObjectKey, Uids>,
}

/// The uids of the objects with one identity, usually one object.
#[derive(Clone, Debug, Default)]
struct Uids {
    /// Whether one of the objects has no uid, so that it matches every reference.
    any: bool,
    known: HashSet<String>,
}

/// `replicaset.apps/web-1`
impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, kind, name, .. } = self;
        let dot = if group.is_empty() { "" } else { "." };
        write!(f, "{}", go::printable(&format!("{}{dot}{group}/{name}", kind.to_lowercase())))
    }
}

impl ObjectKey {
    /// Group, kind, namespace and name.
    pub(super) fn parts(&self) -> [&str; 4] {
        let Self { group, kind, namespace, name } = self;
        [group, kind, namespace, name].map(CompactString::as_str)
    }
}

/// The identity of an object and its uid, which may be missing.
pub(super) fn identity(head: &Head<'_>, namespace: &str) -> (ObjectKey, Option<String>) {
    let ObjectKind { group, kind, .. } = ObjectKind::new(head, namespace);
    let identity = ObjectKey {
        group: group.into(),
        kind: kind.into(),
        namespace: namespace.into(),
        name: head.name.unwrap_or_default().into(),
    };
    (identity, known(head.uid.unwrap_or_default()))
}

fn known(uid: &str) -> Option<String> {
    Some(uid).filter(|uid| !uid.is_empty()).map(str::to_owned)
}

/// The object with its owners; `None` if it has none. Most objects have none, as a text search shows without parsing them.
///
/// # Errors
///
/// The text cannot be parsed.
pub(super) fn owned(object: &Object<'_>, namespace: &str, catalog: &Catalog) -> Result<Option<Owned>, Error> {
    if !object.mentions(OWNER_REFERENCES[1]) {
        return Ok(None);
    }
    static OWNERS: LazyLock<FieldSet> = LazyLock::new(|| FieldSet::of(&["metadata.ownerReferences"]));
    let owners = owners(&*object.fields(Fields::only(&OWNERS))?, namespace, catalog);
    if owners.is_empty() {
        return Ok(None);
    }
    let (identity, uid) = identity(object.head, namespace);
    Ok(Some(Owned { identity, uid, owners }))
}

/// The owners of an object in `namespace`.
pub(super) fn owners(object: &Node, namespace: &str, catalog: &Catalog) -> Vec<Owner> {
    let owner = |reference: OwnerReference<'_>| {
        let OwnerReference { api_version, group, kind, name, uid, .. } = reference;
        let namespaced = catalog.of(api_version, kind).is_none_or(Resource::is_namespaced);
        let identity = ObjectKey {
            group: group.into(),
            kind: kind.into(),
            namespace: if namespaced { namespace.into() } else { CompactString::default() },
            name: name.into(),
        };
        Owner { identity, uid: known(uid) }
    };
    view::owners(object).map(owner).collect()
}

/// The owners of the object with this identity, up to those that nothing owns, of which `objects` has all that have
/// owners themselves.
pub(super) fn above((identity, uid): (ObjectKey, Option<String>), objects: &[Owned]) -> Vec<Owner> {
    let mut by_identity: HashMap<&ObjectKey, Vec<&Owned>> = HashMap::new();
    objects.iter().for_each(|object| by_identity.entry(&object.identity).or_default().push(object));
    let mut found: Vec<Owner> = Vec::new();
    let mut seen: HashSet<Owner> = HashSet::new();
    let mut next = Owner { identity, uid };
    let mut at = 0;
    loop {
        // A list is removed when it is followed, so each is followed once.
        let owned = by_identity.remove(&next.identity).unwrap_or_default().into_iter();
        let is_it = |object: &&Owned| match (&object.uid, &next.uid) {
            (Some(uid), Some(other)) => uid == other,
            _ => true,
        };
        for owner in owned.filter(is_it).flat_map(|object| &object.owners) {
            if seen.insert(owner.clone()) {
                found.push(owner.clone());
            }
        }
        let Some(owner) = found.get(at) else { return found };
        next = owner.clone();
        at += 1;
    }
}

impl Owner {
    /// Whether this is an object with the identity and the uid.
    pub(super) fn is(&self, identity: &ObjectKey, uid: Option<&str>) -> bool {
        self.identity == *identity
            && match (self.uid.as_deref(), uid) {
                (Some(own), Some(other)) => own == other,
                _ => true,
            }
    }
}

impl Lineage {
    /// The objects with these identities, and all objects in `objects` that they own, directly or not.
    pub(super) fn of(roots: &[(ObjectKey, Option<String>)], objects: &[Owned]) -> Self {
        // By owner reference. A list is removed when it is followed, so each is followed once.
        let mut children: HashMap<&ObjectKey, HashMap<Option<&str>, Vec<&Owned>>> = HashMap::new();
        for object in objects {
            for owner in &object.owners {
                let by_uid = children.entry(&owner.identity).or_default();
                by_uid.entry(owner.uid.as_deref()).or_default().push(object);
            }
        }
        let mut found = Self::default();
        let mut pending: Vec<_> = roots.iter().map(|(identity, uid)| (identity, uid.as_deref())).collect();
        while let Some((identity, uid)) = pending.pop() {
            let uids = found.uids.entry(identity.clone()).or_default();
            let by_uid = children.get_mut(identity);
            let mut next = Vec::new();
            match uid {
                Some(uid) => {
                    uids.known.insert(uid.to_owned());
                    if let Some(by_uid) = by_uid {
                        next.extend(by_uid.remove(&None));
                        next.extend(by_uid.remove(&Some(uid)));
                    }
                }
                None => {
                    uids.any = true;
                    next.extend(by_uid.map(std::mem::take).into_iter().flatten().map(|(_, objects)| objects));
                }
            }
            pending
                .extend(next.into_iter().flatten().map(|object| (&object.identity, object.uid.as_deref())));
        }
        found
    }

    /// Whether it has an object with this identity.
    pub(super) fn contains(&self, identity: &ObjectKey) -> bool {
        self.uids.contains_key(identity)
    }

    /// Whether one of these owns the object.
    pub(super) fn own(&self, object: &Owned) -> bool {
        object.owners.iter().any(|owner| {
            let uids = self.uids.get(&owner.identity);
            uids.is_some_and(|uids| match &owner.uid {
                Some(uid) => uids.any || uids.known.contains(uid),
                None => true,
            })
        })
    }
}
