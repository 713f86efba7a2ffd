//! The group `rbac.authorization.k8s.io`.

use std::borrow::Cow;

use super::columns::{Computed, join};
use super::view::{self, View};
use syntax::tree::Node;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("binding-users", |v| join(subjects(v, "User").map(|subject| view::text(subject, "name")), ", ")),
    ("binding-groups", |v| join(subjects(v, "Group").map(|subject| view::text(subject, "name")), ", ")),
    ("binding-accounts", accounts),
];

/// The subjects of one kind.
fn subjects<'a>(v: &View<'a>, kind: &'static str) -> impl Iterator<Item = &'a Node> + use<'a> {
    v.list("subjects").iter().filter(move |subject| view::text(subject, "kind") == kind)
}

fn accounts<'a>(v: &View<'a>) -> Cow<'a, str> {
    let account = |account| format!("{}/{}", view::text(account, "namespace"), view::text(account, "name"));
    let accounts: Vec<String> = subjects(v, "ServiceAccount").map(account).collect();
    join(accounts.iter().map(String::as_str), ", ")
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn a_binding_shows_its_subjects_by_kind() {
        check_row(
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: Role, name: r}, \
              subjects: [{kind: User, name: u}, {kind: Group, name: g}, {kind: User, name: v}, \
              {kind: ServiceAccount, namespace: n, name: s}, {kind: ServiceAccount, namespace: n, name: t}]}",
            &["b", "Role/r", "<unknown>", "u, v", "g", "n/s, n/t"],
        );
        check_row(
            "{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: ClusterRoleBinding, metadata: {name: b}, \
              roleRef: {kind: ClusterRole, name: r}}",
            &["b", "ClusterRole/r", "<unknown>", "", "", ""],
        );
    }
}
