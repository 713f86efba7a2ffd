//! The kinds in discovery order, and what follows from the row of a kind.

use jiff::Timestamp;

use super::columns::Column;
use super::kind::Kind;
use super::view::View;
use super::{
    admission, apps, autoscaling, batch, certificates, cluster, core, discovery, events, flowcontrol,
    networking, policy, projects, rbac, resource, reviews, scheduling, storage,
};
use syntax::gvk;
use syntax::tree::Node;

/// The built-in kinds in discovery order, which resolves ambiguous names and orders categories: groups by priority
/// (kube-aggregator, apiserver's list of built-in groups), and plurals alphabetically within a group. Kinds that were
/// removed without a successor, such as PodSecurityPolicy, still occur in files and dumps.
pub(super) const BUILT_IN: &[&[Kind]] = &[
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

/// Kinds that discovery does not list.
const OTHERS: [Kind; 2] = [core::STATUS, autoscaling::SCALE];

/// The built-in kinds in discovery order.
pub fn built_in() -> impl Iterator<Item = &'static Kind> {
    BUILT_IN.iter().copied().flatten()
}

/// The row of a kind, built in or of a well-known project; `None` if there is none. `group` is today's group.
///
/// There are few groups, and few kinds in each: a linear search takes nanoseconds.
pub fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    let of_group = BUILT_IN.iter().find(|kinds| kinds.first().is_some_and(|first| first.group == group));
    let built_in = of_group.and_then(|kinds| kinds.iter().find(|row| row.kind == kind));
    let other = || OTHERS.iter().find(|row| row.kind == kind && row.group == group);
    built_in.or_else(other).or_else(|| projects::find(group, kind))
}

/// The columns of a kind that has its own, in any version of the group; `None` for other kinds. Kinds in the obsolete
/// group `extensions` have the columns of their successors.
///
/// All columns are returned, in the order of the wide table; the plain table leaves out those of priority 1.
pub fn columns_of(group: &str, kind: &str) -> Option<&'static [Column]> {
    find(gvk::successor(group, kind), kind)?.columns
}

impl<'a> View<'a> {
    /// The object `tree` of this type. A kind that has moved to another group is looked up there.
    pub fn new(tree: &'a Node, api_version: &'a str, kind: &str, now: Timestamp) -> Self {
        let (group, version) = gvk::split_api_version(api_version);
        let row = find(gvk::successor(group, kind), kind);
        Self { tree, read: None, version, defaults: row.map(Kind::defaults).unwrap_or_default(), now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_has_two_rows() {
        let rows: Vec<&Kind> = built_in().chain(&OTHERS).collect();
        for (at, row) in rows.iter().enumerate() {
            let is_new = rows[..at].iter().all(|other| (other.group, other.kind) != (row.group, row.kind));
            assert!(is_new, "{} {}", row.group, row.kind);
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
