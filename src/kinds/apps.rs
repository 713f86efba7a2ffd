//! The group `apps`.

use std::borrow::Cow;

use super::columns::{Computed, NONE, qualified};
use super::view::{self, View, label_selector};
use selector::labels::{LabelSelector, Selector};
use syntax::tree::Entry;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("revision-controller", controller),
    ("workload-selector", |v| selects(v).unwrap_or_default().to_string().into()),
    ("ready-replicas", ready),
    // This printer converts the selector itself instead of using the shared function.
    ("deployment-selector", |v| match selects(v).map(|selector| Selector::try_from(&selector)) {
        Some(Ok(selector)) => selector.to_string().into(),
        None => "".into(),
        Some(Err(_)) => "<invalid>".into(),
    }),
];

/// The selector of a workload. In version v1beta1, of this group and of `extensions`, it defaults to the labels of the
/// template (apps/v1beta1 and extensions/v1beta1, defaults.go).
fn selects(v: &View<'_>) -> Option<LabelSelector> {
    v.at("spec.selector").map(label_selector).or_else(|| {
        let labels = v.at("spec.template.metadata.labels").filter(|_| v.version == "v1beta1")?.as_map()?;
        let label = |entry: &Entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned()));
        let match_labels = labels.iter().filter_map(label).collect();
        Some(LabelSelector { match_labels, match_expressions: Vec::new() })
    })
}

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
    let name = view::text(owner, "name");
    match qualified(view::text(owner, "kind"), group).to_lowercase() {
        kind if kind.is_empty() => name.into(),
        kind => format!("{kind}/{name}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

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
    fn the_selector_of_old_versions_defaults_to_the_labels_of_the_template() {
        for (api_version, kind, cell) in [
            ("extensions/v1beta1", "Deployment", "a=b"),
            ("extensions/v1beta1", "DaemonSet", "a=b"),
            ("extensions/v1beta1", "ReplicaSet", "a=b"),
            ("apps/v1beta1", "Deployment", "a=b"),
            ("apps/v1beta2", "Deployment", ""),
            ("apps/v1", "ReplicaSet", "<none>"),
        ] {
            let template = "template: {metadata: {labels: {a: b}}}";
            check(
                &format!("{{apiVersion: {api_version}, kind: {kind}, spec: {{{template}}}}}"),
                &[("SELECTOR", cell)],
            );
            check(
                &format!(
                    "{{apiVersion: {api_version}, kind: {kind}, spec: {{selector: {{matchLabels: {{c: d}}}}, {template}}}}}"
                ),
                &[("SELECTOR", "c=d")],
            );
        }
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
            ("[{apiVersion: v1, name: n, controller: true}]", "n"),
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
