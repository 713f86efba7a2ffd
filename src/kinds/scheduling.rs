//! The group `scheduling.k8s.io`.

use std::borrow::Cow;

use super::columns::{Computed, NONE, by_condition, condition, or};
use super::view::{self, View};

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("pod-group-policy", |v| match v.at("spec.schedulingPolicy.gang") {
        Some(_) => "Gang".into(),
        None => "Basic".into(),
    }),
    ("pod-group-workload", |v| {
        // v1alpha2 had it elsewhere.
        let places = ["spec.workloadRef.workloadName", "spec.podGroupTemplateRef.workload.workloadName"];
        or(
            places.map(|place| v.text(place)).into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
            NONE,
        )
    }),
    ("pod-group-status", group_status),
];

/// Whether the group is scheduled, or why it is to be preempted.
fn group_status<'a>(v: &View<'a>) -> Cow<'a, str> {
    let conditions = v.list("status.conditions");
    if let Some(disruption) = condition(conditions, "DisruptionTarget") {
        return view::text(disruption, "reason").into();
    }
    // v1alpha2 called it PodGroupScheduled.
    let names = ["PodGroupInitiallyScheduled", "PodGroupScheduled"];
    let name = names.into_iter().find(|name| condition(conditions, name).is_some()).unwrap_or_default();
    by_condition(conditions, name, ["Pending", "Scheduled", "Unschedulable"]).into()
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn a_bare_priority_class_preempts() {
        check_row(
            "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 10}",
            &["p", "10", "false", "<unknown>", "PreemptLowerPriority"],
        );
    }

    #[test]
    fn a_pod_group_tells_policy_workload_and_status() {
        check_row(
            "{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: \
              {gang: {minCount: 2}}, podGroupTemplateRef: {workload: {workloadName: w}}}}",
            &["g", "Gang", "w", "Pending", "<unknown>"],
        );
        for (conditions, cell) in [
            ("{type: PodGroupScheduled, status: 'True'}", "Scheduled"),
            ("{type: PodGroupScheduled, status: 'False'}", "Unschedulable"),
            (
                "{type: PodGroupScheduled, status: 'True'}, {type: DisruptionTarget, reason: Preempted}",
                "Preempted",
            ),
        ] {
            check(
                &format!(
                    "{{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, spec: {{schedulingPolicy: {{basic: {{}}}}}}, \
                      status: {{conditions: [{conditions}]}}}}"
                ),
                &[("POLICY", "Basic"), ("WORKLOAD", "<none>"), ("STATUS", cell)],
            );
        }
        check_row(
            "{apiVersion: scheduling.k8s.io/v1alpha2, kind: Workload, metadata: {name: w}}",
            &["w", "<unknown>"],
        );
    }
}
