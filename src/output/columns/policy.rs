//! The group `policy`.

use std::borrow::Cow;

use super::{AGE, Kind, NAME, column, shown};
use crate::kinds::view::{self, View};

pub const KINDS: &[Kind] = &[Kind {
    group: "policy",
    kind: "PodDisruptionBudget",
    columns: &[
        NAME,
        column("MIN AVAILABLE", |v| pods(v, "spec.minAvailable")),
        column("MAX UNAVAILABLE", |v| pods(v, "spec.maxUnavailable")),
        column("ALLOWED DISRUPTIONS", |v| shown(v.int("status.disruptionsAllowed"))),
        AGE,
    ],
}];

/// A number of pods or a percentage.
fn pods<'a>(v: &View<'a>, path: &str) -> Cow<'a, str> {
    v.at(path).and_then(view::scalar).unwrap_or("N/A".into())
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_row;

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
