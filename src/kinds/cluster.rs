//! Small groups for the cluster itself: coordination, nodes, aggregation, stored versions.

use std::borrow::Cow;

use super::columns::{Computed, condition, first_or_unset, last_true, qualified};
use super::view::{self, View};

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("api-service", |v| match v.at("spec.service") {
        Some(service) => {
            format!("{}/{}", view::text(service, "namespace"), view::text(service, "name")).into()
        }
        None => "Local".into(),
    }),
    ("api-available", available),
    ("definition-versions", versions),
    ("runtime-handler", |v| match v.version {
        "v1alpha1" => v.text("spec.runtimeHandler").into(),
        _ => v.text("handler").into(),
    }),
    ("storage-versions", |v| {
        let versions = v.list("status.storageVersions").iter();
        first_or_unset(versions.map(|version| {
            format!("{}={}", view::text(version, "apiServerID"), view::text(version, "encodingVersion"))
        }))
    }),
    ("migration-resource", |v| {
        qualified(v.text("spec.resource.resource"), v.text("spec.resource.group")).into()
    }),
    ("migration-status", |v| {
        last_true(v.list("status.conditions"), &["Running", "Failed", "Succeeded"])
            .unwrap_or("Unknown")
            .into()
    }),
];

/// The names of the versions in alphabetical order.
fn versions<'a>(v: &View<'a>) -> Cow<'a, str> {
    let mut names: Vec<&str> =
        v.list("spec.versions").iter().map(|version| view::text(version, "name")).collect();
    if names.is_empty() {
        names.push(v.text("spec.version")); // v1beta1
    }
    names.sort_unstable();
    names.join(",").into()
}

/// Whether the service of an API is available, and why not.
fn available<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(condition) = condition(v.list("status.conditions"), "Available") else {
        return "Unknown".into();
    };
    match view::text(condition, "status") {
        "True" => "True".into(),
        status => format!("{status} ({})", view::text(condition, "reason")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check_row;

    #[test]
    fn leases_show_who_holds_them() {
        check_row(
            "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: {holderIdentity: h}}",
            &["l", "h", "<unknown>"],
        );
        check_row(
            "{apiVersion: coordination.k8s.io/v1beta1, kind: LeaseCandidate, metadata: {name: c}, \
              spec: {leaseName: l, binaryVersion: '1.36', emulationVersion: '1.35'}}",
            &["c", "l", "1.36", "1.35", "<unknown>"],
        );
    }

    #[test]
    fn a_runtime_class_shows_its_handler() {
        check_row(
            "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: r}, handler: runsc}",
            &["r", "runsc", "<unknown>"],
        );
    }

    #[test]
    fn an_api_service_tells_whether_it_is_available() {
        for (rest, cells) in [
            ("spec: {}", ["Local", "Unknown"]),
            (
                "spec: {service: {namespace: n, name: s}}, status: {conditions: [{type: Available, status: 'True', reason: x}]}",
                ["n/s", "True"],
            ),
            (
                "status: {conditions: [{type: Available, status: 'False', reason: Missing}]}",
                ["Local", "False (Missing)"],
            ),
        ] {
            check_row(
                &format!(
                    "{{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {{name: a}}, {rest}}}"
                ),
                &["a", cells[0], cells[1], "<unknown>"],
            );
        }
    }

    #[test]
    fn stored_versions_and_their_migrations() {
        check_row(
            "{apiVersion: internal.apiserver.k8s.io/v1alpha1, kind: StorageVersion, metadata: {name: s}, \
              status: {storageVersions: [{apiServerID: a, encodingVersion: v1}, {apiServerID: b, encodingVersion: v2}]}}",
            &["s", "<unset>", "a=v1,b=v2", "<unknown>"],
        );
        check_row(
            "{apiVersion: storagemigration.k8s.io/v1beta1, kind: StorageVersionMigration, metadata: {name: m}, \
              spec: {resource: {group: apps, resource: deployments}}, status: {conditions: \
              [{type: Running, status: 'False'}, {type: Succeeded, status: 'True'}]}}",
            &["m", "deployments.apps", "Succeeded"],
        );
    }
}
