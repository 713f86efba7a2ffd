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
    object: Owner,
    pub(super) owners: Vec<Owner>,
}

/// An owner reference, or an object to which there may be some; the uid may be missing.
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
    Ok(Some(Owned { object: Owner::of(object.head, namespace), owners }))
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

/// The owners of an object, up to those that nothing owns, of which `objects` has all that have
/// owners themselves.
pub(super) fn above(object: Owner, objects: &[Owned]) -> Vec<Owner> {
    let mut by_identity: HashMap<&ObjectKey, Vec<&Owned>> = HashMap::new();
    objects.iter().for_each(|owned| by_identity.entry(&owned.object.identity).or_default().push(owned));
    let mut found: Vec<Owner> = Vec::new();
    let mut seen: HashSet<Owner> = HashSet::new();
    let (mut next, mut at) = (object, 0);
    loop {
        // A list is removed when it is followed, so each is followed once.
        let owned = by_identity.remove(&next.identity).unwrap_or_default().into_iter();
        for owner in owned.filter(|owned| next.is(&owned.object)).flat_map(|owned| &owned.owners) {
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
    /// What references to an object have.
    pub(super) fn of(head: &Head<'_>, namespace: &str) -> Self {
        let ObjectKind { group, kind, .. } = ObjectKind::new(head, namespace);
        let [group, kind, namespace, name] =
            [group, kind, namespace, head.name.unwrap_or_default()].map(CompactString::from);
        let identity = ObjectKey { group, kind, namespace, name };
        Self { identity, uid: known(head.uid.unwrap_or_default()) }
    }

    /// Whether both are the same object.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.identity == other.identity
            && self.uid.as_ref().zip(other.uid.as_ref()).is_none_or(|(own, other)| own == other)
    }
}

impl Lineage {
    /// These objects, and all in `objects` that they own, directly or not.
    pub(super) fn of(roots: &[Owner], objects: &[Owned]) -> Self {
        // By owner reference. A list is removed when it is followed, so each is followed once.
        let mut children: HashMap<&ObjectKey, HashMap<Option<&str>, Vec<&Owned>>> = HashMap::new();
        for object in objects {
            for owner in &object.owners {
                let by_uid = children.entry(&owner.identity).or_default();
                by_uid.entry(owner.uid.as_deref()).or_default().push(object);
            }
        }
        let mut found = Self::default();
        let mut pending: Vec<&Owner> = roots.iter().collect();
        while let Some(Owner { identity, uid }) = pending.pop() {
            let uids = found.uids.entry(identity.clone()).or_default();
            let by_uid = children.get_mut(identity);
            let mut next = Vec::new();
            match uid {
                Some(uid) => {
                    uids.known.insert(uid.to_owned());
                    if let Some(by_uid) = by_uid {
                        next.extend(by_uid.remove(&None));
                        next.extend(by_uid.remove(&Some(&**uid)));
                    }
                }
                None => {
                    uids.any = true;
                    next.extend(by_uid.map(std::mem::take).into_iter().flatten().map(|(_, objects)| objects));
                }
            }
            pending.extend(next.into_iter().flatten().map(|owned| &owned.object));
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
