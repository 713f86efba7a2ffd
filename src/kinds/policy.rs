//! The group `policy`.

use std::borrow::Cow;

use super::columns::{AGE, NAME, column, shown};
use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::names::NameRule;
use super::view::{self, View};

/// The properties shared by the group's kinds.
const V1: Kind = Kind { group: "policy", versions: "v1", ..KIND };

pub const KINDS: &[Kind] = &[
    Kind {
        kind: "PodDisruptionBudget",
        plural: "poddisruptionbudgets",
        short_names: "pdb",
        // ValidatePodDisruptionBudget does not look at the name.
        names: NameRule::PathSegment,
        columns: Some(&[
            NAME,
            column("MIN AVAILABLE", |v| pods(v, "spec.minAvailable")),
            column("MAX UNAVAILABLE", |v| pods(v, "spec.maxUnavailable")),
            column("ALLOWED DISRUPTIONS", |v| shown(v.int("status.disruptionsAllowed"))),
            AGE,
        ]),
        ..V1
    },
    Kind {
        versions: "v1beta1",
        kind: "PodSecurityPolicy",
        plural: "podsecuritypolicies",
        short_names: "psp",
        scope: Cluster,
        ..V1
    },
];

/// A number of pods or a percentage.
fn pods<'a>(v: &View<'a>, path: &str) -> Cow<'a, str> {
    v.at(path).and_then(view::scalar).unwrap_or("N/A".into())
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn a_budget_is_a_number_or_a_percentage() {
        check_row(
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 50%}}",
            &["b", "50%", "N/A", "0", "<unknown>"],
        );
        check_row(
            "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 0}, \
              status: {disruptionsAllowed: 2}}",
            &["b", "N/A", "0", "2", "<unknown>"],
        );
    }
}
