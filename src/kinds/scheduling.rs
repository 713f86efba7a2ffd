//! The group `scheduling.k8s.io`.

use std::borrow::Cow;

use super::columns::{AGE, NAME, NONE, by_condition, column, condition, or, shown};
use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::view::{self, View};

/// The properties shared by the group's kinds.
const V1: Kind = Kind { group: "scheduling.k8s.io", versions: "v1", ..KIND };

pub const KINDS: &[Kind] = &[
    Kind { versions: "v1alpha3", kind: "CompositePodGroup", plural: "compositepodgroups", ..V1 },
    Kind {
        versions: "v1beta1,v1alpha3",
        kind: "PodGroup",
        plural: "podgroups",
        columns: Some(&[
            NAME,
            column("POLICY", |v| match v.at("spec.schedulingPolicy.gang") {
                Some(_) => "Gang".into(),
                None => "Basic".into(),
            }),
            column("WORKLOAD", |v| {
                // v1alpha2 had it elsewhere.
                let places =
                    ["spec.workloadRef.workloadName", "spec.podGroupTemplateRef.workload.workloadName"];
                or(
                    places
                        .map(|place| v.text(place))
                        .into_iter()
                        .find(|name| !name.is_empty())
                        .unwrap_or_default(),
                    NONE,
                )
            }),
            column("STATUS", group_status),
            AGE,
        ]),
        ..V1
    },
    Kind {
        kind: "PriorityClass",
        plural: "priorityclasses",
        short_names: "pc",
        scope: Cluster,
        columns: Some(&[
            NAME,
            column("VALUE", |v| shown(v.int("value"))),
            column("GLOBAL-DEFAULT", |v| shown(v.bool("globalDefault"))),
            AGE,
            column("PREEMPTIONPOLICY", |v| v.text("preemptionPolicy").into()),
        ]),
        ..V1
    },
    Kind {
        versions: "v1beta1,v1alpha3",
        kind: "Workload",
        plural: "workloads",
        columns: Some(&[NAME, AGE]),
        ..V1
    },
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
