//! The built-in kinds of Kubernetes: one row per kind, one file per API group or family of small groups.
//!
//! A row has the names of a kind, the rule for the names of its objects, the columns of its tables, the fields of field
//! selectors, the API's defaults, the position of pods, and the fields that select or name other objects. A
//! [`View`](view::View) is an object with its row. The fields of each kind and their types are in [`fields`], because a
//! script generates them.

mod addons;
mod admission;
mod apps;
mod autoscaling;
mod batch;
mod cert_manager;
mod certificates;
mod cluster;
pub mod columns;
mod core;
mod defaults;
mod discovery;
pub mod events;
pub mod fields;
mod flowcontrol;
mod gateway;
pub mod lifecycle;
mod monitoring;
mod names;
mod networking;
mod pod;
mod policy;
mod rbac;
pub(crate) mod references;
pub mod release;
pub mod requests;
mod resource;
mod reviews;
pub mod rules;
mod scheduling;
pub mod selectable;
pub(crate) mod selectors;
pub mod served;
mod storage;
pub mod view;

use columns::Column;
use defaults::FieldDefault;
pub use names::NameRule;
use references::ReferenceField;
use selectable::Selectable;
use selectors::SelectorField;

/// The facts about a kind.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Today's API group; empty for the core group.
    pub group: &'static str,
    /// The served versions, the preferred one first, separated by commas.
    pub versions: &'static str,
    /// The kind: `Deployment`.
    pub kind: &'static str,
    /// The plural name: `deployments`.
    pub plural: &'static str,
    /// The short names, separated by commas.
    pub short_names: &'static str,
    /// Whether its objects are namespaced.
    pub scope: Scope,
    /// The categories, such as `all`, separated by commas.
    pub categories: &'static str,
    /// The rule for names of its objects.
    pub names: NameRule,
    /// The columns of its wide table, including those with priority 1 that the plain table leaves out; `None` if the
    /// server has no printer for it.
    pub columns: Option<&'static [Column]>,
    /// The fields that field selectors accept.
    pub selectable: Selectable,
    /// The defaults of fields that a column or a field selector reads.
    defaults: &'static [FieldDefault],
    /// Where the pod of an object is, or its template, which has metadata and spec; empty if the object is one, `None` if
    /// it has none.
    pub(crate) pod: Option<&'static str>,
    /// The fields that select other objects, besides those of its pod.
    pub(crate) selectors: &'static [SelectorField],
    /// The fields that refer to other objects by name, besides those of its pod.
    pub(crate) references: &'static [ReferenceField],
}

/// Whether objects of a kind are namespaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Not namespaced.
    Cluster,
    /// Each in a namespace.
    Namespaced,
}

/// The properties of most kinds, for use in rows.
const KIND: Kind = Kind {
    group: "",
    versions: "",
    kind: "",
    plural: "",
    short_names: "",
    scope: Scope::Namespaced,
    categories: "",
    names: NameRule::Subdomain,
    columns: None,
    selectable: Selectable::NAMES,
    defaults: &[],
    pod: None,
    selectors: &[],
    references: &[],
};

/// The built-in kinds in discovery order, which resolves ambiguous names and orders categories: groups by priority
/// (kube-aggregator, apiserver's list of built-in groups), and plurals alphabetically within a group. Kinds that were
/// removed without a successor, such as PodSecurityPolicy, still occur in files and dumps.
const BUILT_IN: &[&[Kind]] = &[
    core::KINDS,
    cluster::APIREGISTRATION,
    apps::KINDS,
    events::KINDS,
    reviews::AUTHENTICATION,
    reviews::AUTHORIZATION,
    autoscaling::KINDS,
    batch::KINDS,
    certificates::KINDS,
    networking::KINDS,
    policy::KINDS,
    rbac::KINDS,
    storage::KINDS,
    admission::KINDS,
    cluster::APIEXTENSIONS,
    scheduling::KINDS,
    cluster::COORDINATION,
    cluster::NODE,
    discovery::KINDS,
    flowcontrol::KINDS,
    resource::KINDS,
    cluster::INTERNAL,
    cluster::STORAGEMIGRATION,
    cluster::LIFECYCLE,
];

/// Kinds that discovery does not list, and those defined by others.
const OTHERS: &[&[Kind]] = &[
    &[core::STATUS, autoscaling::SCALE],
    gateway::KINDS,
    cert_manager::KINDS,
    monitoring::KINDS,
    addons::KINDS,
];

/// The built-in kinds in discovery order.
pub fn built_in() -> impl Iterator<Item = &'static Kind> {
    BUILT_IN.iter().copied().flatten()
}

/// The row of a kind, built in or not; `None` if there is none. `group` is today's group.
///
/// There are few groups, and few kinds in each: a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    let of_group = BUILT_IN.iter().find(|kinds| kinds.first().is_some_and(|first| first.group == group));
    let built_in = of_group.and_then(|kinds| kinds.iter().find(|row| row.kind == kind));
    built_in.or_else(|| others().find(|row| row.kind == kind && row.group == group))
}

fn others() -> impl Iterator<Item = &'static Kind> {
    OTHERS.iter().copied().flatten()
}

/// Keys of large lists and maps that no column of a built-in kind and no field selector reads.
pub const NOT_SHOWN: &[&str] = &[
    "affinity",
    "args",
    "command",
    "env",
    "lifecycle",
    "livenessProbe",
    "managedFields",
    "readinessProbe",
    "resources",
    "securityContext",
    "startupProbe",
    "tolerations",
    "topologySpreadConstraints",
    "volumeClaimTemplates",
    "volumeMounts",
    "volumes",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_has_two_rows_and_no_field_two_defaults() {
        let rows: Vec<&Kind> = built_in().chain(others()).collect();
        for (at, row) in rows.iter().enumerate() {
            let is_new = rows[..at].iter().all(|other| (other.group, other.kind) != (row.group, row.kind));
            assert!(is_new, "{} {}", row.group, row.kind);
            for (at, field) in row.defaults.iter().enumerate() {
                let before = &row.defaults[..at];
                assert!(before.iter().all(|other| other.path != field.path), "{} {}", row.kind, field.path);
            }
        }
        for kinds in BUILT_IN {
            assert!(kinds.iter().all(|row| row.group == kinds[0].group), "{}", kinds[0].group);
        }
    }

    #[test]
    fn a_row_is_found_by_group_and_kind() {
        assert_eq!(find("apps", "Deployment").map(|row| row.plural), Some("deployments"));
        assert_eq!(find("events.k8s.io", "Event").map(|row| row.group), Some("events.k8s.io"));
        assert!(find("", "Deployment").is_none() && find("apps", "Deploymen").is_none());
    }
}
