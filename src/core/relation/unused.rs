//! Objects that nothing in the input refers to: `--unused`.
//!
//! Only kinds whose purpose is to be named by others can be unused. A Service may be reached by its host name, and what no
//! selector selects is a finding of `check`.

use std::collections::{HashMap, HashSet};

use super::object_kind::ObjectKind;
use super::pods::{below, elements};
use super::uses;
use kinds::catalog::Catalog;
use kinds::references::{CORE, RBAC, STORAGE};
use kinds::view;
use syntax::given;
use syntax::tree::Node;

/// The kinds that can be unused: group, kind and plural.
pub const KINDS: &[(&str, &str, &str)] = &[
    (CORE, "ConfigMap", "configmaps"),
    (CORE, "PersistentVolumeClaim", "persistentvolumeclaims"),
    (CORE, "Secret", "secrets"),
    (CORE, "ServiceAccount", "serviceaccounts"),
    ("node.k8s.io", "RuntimeClass", "runtimeclasses"),
    (RBAC, "ClusterRole", "clusterroles"),
    (RBAC, "Role", "roles"),
    ("scheduling.k8s.io", "PriorityClass", "priorityclasses"),
    (STORAGE, "StorageClass", "storageclasses"),
];

/// The annotations of the classes that objects without one use.
const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// The types of Secrets that nothing names: tokens belong to their ServiceAccount or to a joining node, releases to Helm.
const UNNAMED_SECRETS: [&str; 3] =
    ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"];

/// Names of objects that a cluster makes in every namespace, for every pod.
const MADE: [(&str, &str); 2] = [("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")];

/// Whether objects of a kind can be unused; `group` is today's.
pub fn can_be_unused(group: &str, kind: &str) -> bool {
    KINDS.iter().any(|known| (known.0, known.1) == (group, kind))
}

/// An object that another one names. A claim that a StatefulSet makes is named up to its ordinal: `data-web-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct UsedName {
    group: String,
    kind: String,
    name: String,
}

/// The names that the input refers to, with their namespaces; `None` is any namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct UsedNames(HashMap<UsedName, HashSet<Option<String>>>);

/// The objects that an object names, of the kinds that can be unused.
pub(super) fn used(
    object_kind: ObjectKind<'_>,
    object: &Node,
    catalog: &Catalog,
) -> Vec<(UsedName, Option<String>)> {
    let name = |object: &'_ Node| {
        below(object, "metadata.name").and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    let mut found = Vec::new();
    let mut add = |group: &str, kind: &str, name: &str, namespace: Option<&str>| {
        let (group, kind, name) = (group.to_owned(), kind.to_owned(), name.to_owned());
        found.push((UsedName { group, kind, name }, namespace.map(str::to_owned)));
    };
    for reference in uses::references(object_kind, object, catalog) {
        if can_be_unused(reference.group, reference.kind) {
            add(reference.group, reference.kind, reference.name, reference.namespace);
        }
    }
    if object_kind.kind == "StatefulSet" {
        let stateful_set = name(object);
        for template in elements(object, "spec.volumeClaimTemplates[]") {
            let name = format!("{}-{stateful_set}-", name(template));
            add(CORE, "PersistentVolumeClaim", &name, Some(object_kind.namespace));
        }
    }
    found
}

impl UsedNames {
    pub(super) fn add(&mut self, (used, namespace): (UsedName, Option<String>)) {
        let namespaces = self.0.entry(used).or_default();
        match namespace {
            Some(joined) => namespaces.extend(given::each(&joined).map(|name| Some(name.to_owned()))),
            None => _ = namespaces.insert(None),
        }
    }

    /// Whether nothing in the input refers to an object that something could refer to.
    pub(super) fn lack(&self, object_kind: ObjectKind<'_>, name: &str, object: &Node) -> bool {
        let kind = object_kind.kind;
        let annotations = below(object, "metadata.annotations");
        let is_default = |key: &&str| annotations.and_then(|all| all.get(key)?.as_str()) == Some("true");
        let is_used_unnamed = MADE.contains(&(kind, name))
            || match kind {
                "StorageClass" => DEFAULT_CLASS.iter().any(is_default),
                "PriorityClass" => view::bool(object, "globalDefault"),
                "Secret" => UNNAMED_SECRETS.contains(&view::text(object, "type")),
                "PersistentVolumeClaim" => {
                    name.rfind('-').is_some_and(|at| self.have(object_kind, &name[..=at]))
                }
                _ => false,
            };
        can_be_unused(object_kind.group, kind) && !is_used_unnamed && !self.have(object_kind, name)
    }

    fn have(&self, object_kind: ObjectKind<'_>, name: &str) -> bool {
        let ObjectKind { group, kind, namespace, .. } = object_kind;
        let (group, kind, name) = (group.to_owned(), kind.to_owned(), name.to_owned());
        self.0.get(&UsedName { group, kind, name }).is_some_and(|namespaces| {
            namespaces.contains(&None)
                || given::each(namespace).any(|name| namespaces.contains(&Some(name.to_owned())))
        })
    }
}
