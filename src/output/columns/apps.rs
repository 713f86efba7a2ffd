//! The group `apps`.

use std::borrow::Cow;

use crate::selector::labels::Selector;
use crate::view::label_selector;

use super::{AGE, CONTAINERS, IMAGES, Kind, NAME, NONE, SELECTOR, column, map, qualified, shown, wide};
use crate::view::{self, View};

pub const KINDS: &[Kind] = &[
    Kind {
        group: "apps",
        kind: "Deployment",
        columns: &[
            NAME,
            column("READY", ready),
            column("UP-TO-DATE", |v| shown(v.int("status.updatedReplicas"))),
            column("AVAILABLE", |v| shown(v.int("status.availableReplicas"))),
            AGE,
            CONTAINERS,
            IMAGES,
            // This printer converts the selector itself and leaves the words to nobody else.
            wide("SELECTOR", |v| {
                match v.at("spec.selector").map(|node| Selector::try_from(&label_selector(node))) {
                    Some(Ok(selector)) => selector.to_string().into(),
                    None => "".into(),
                    Some(Err(_)) => "<invalid>".into(),
                }
            }),
        ],
    },
    Kind {
        group: "apps",
        kind: "StatefulSet",
        columns: &[NAME, column("READY", ready), AGE, CONTAINERS, IMAGES],
    },
    Kind {
        group: "apps",
        kind: "DaemonSet",
        columns: &[
            NAME,
            column("DESIRED", |v| shown(v.int("status.desiredNumberScheduled"))),
            column("CURRENT", |v| shown(v.int("status.currentNumberScheduled"))),
            column("READY", |v| shown(v.int("status.numberReady"))),
            column("UP-TO-DATE", |v| shown(v.int("status.updatedNumberScheduled"))),
            column("AVAILABLE", |v| shown(v.int("status.numberAvailable"))),
            column("NODE SELECTOR", |v| map(v.at("spec.template.spec.nodeSelector"))),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    },
    Kind {
        group: "apps",
        kind: "ReplicaSet",
        columns: &[
            NAME,
            column("DESIRED", |v| shown(v.int("spec.replicas"))),
            column("CURRENT", |v| shown(v.int("status.replicas"))),
            column("READY", |v| shown(v.int("status.readyReplicas"))),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
    },
    Kind {
        group: "apps",
        kind: "ControllerRevision",
        columns: &[
            NAME,
            column("CONTROLLER", controller),
            column("REVISION", |v| shown(v.int("revision"))),
            AGE,
        ],
    },
];

fn ready<'a>(v: &View<'a>) -> Cow<'a, str> {
    format!("{}/{}", v.int("status.readyReplicas"), v.int("spec.replicas")).into()
}

/// The owner that controls the object, `daemonset.apps/node-agent`.
fn controller<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(owner) = v.list("metadata.ownerReferences").iter().find(|owner| view::bool(owner, "controller"))
    else {
        return NONE.into();
    };
    let (group, _) = view::text(owner, "apiVersion").split_once('/').unwrap_or_default();
    let kind = qualified(view::text(owner, "kind"), group).to_lowercase();
    format!("{kind}/{}", view::text(owner, "name")).into()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_row};

    #[test]
    fn a_bare_deployment_wants_one_replica_and_has_none() {
        check_row(
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {matchLabels: {a: b}, \
              matchExpressions: [{key: x, operator: Exists}]}, template: {spec: {containers: [{name: c, image: i}, \
              {name: d, image: j}]}}}}",
            &["d", "0/1", "0", "0", "<unknown>", "c,d", "i,j", "a=b,x"],
        );
    }

    #[test]
    fn a_deployments_selector_has_words_of_its_own() {
        for (spec, cell) in [
            ("{}", ""),
            ("{selector: {}}", ""),
            ("{selector: {matchExpressions: [{key: a, operator: Is}]}}", "<invalid>"),
        ] {
            check(&format!("{{apiVersion: apps/v1, kind: Deployment, spec: {spec}}}"), &[("SELECTOR", cell)]);
        }
        check("{apiVersion: apps/v1, kind: ReplicaSet}", &[("SELECTOR", "<none>"), ("DESIRED", "1")]);
    }

    #[test]
    fn a_stateful_set_shows_what_is_ready() {
        check_row(
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {replicas: 3}, status: {readyReplicas: 2}}",
            &["s", "2/3", "<unknown>", "", ""],
        );
    }

    #[test]
    fn a_bare_daemon_set_shows_its_node_selector() {
        check_row(
            "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {selector: {matchLabels: {a: b}}, \
              template: {spec: {nodeSelector: {os: linux, disk: ssd}}}}}",
            &["d", "0", "0", "0", "0", "0", "disk=ssd,os=linux", "<unknown>", "", "", "a=b"],
        );
    }

    #[test]
    fn a_revision_names_its_controller() {
        for (owners, cell) in [
            ("[]", "<none>"),
            ("[{kind: Other, name: o}]", "<none>"),
            (
                "[{kind: Other, name: o}, {apiVersion: apps/v1, kind: DaemonSet, name: d, controller: true}]",
                "daemonset.apps/d",
            ),
            ("[{apiVersion: v1, kind: Node, name: n, controller: true}]", "node/n"),
        ] {
            check(
                &format!(
                    "{{apiVersion: apps/v1, kind: ControllerRevision, metadata: {{ownerReferences: {owners}}}, revision: 3}}"
                ),
                &[("CONTROLLER", cell), ("REVISION", "3")],
            );
        }
    }
}
