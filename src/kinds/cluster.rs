//! Small groups for the cluster itself: coordination, nodes, aggregation, stored versions.

use std::borrow::Cow;

use super::columns::{
    AGE, CREATED_AT, NAME, UNSET, column, condition, first_or_unset, last_true, qualified, set_or,
};
use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::names::NameRule;
use super::release::Release;
use super::view::{self, View};

/// The properties shared by the group's kinds.
const APIREGISTRATION_V1: Kind = Kind { group: "apiregistration.k8s.io", versions: "v1", ..KIND };

pub const APIREGISTRATION: &[Kind] = &[Kind {
    kind: "APIService",
    plural: "apiservices",
    scope: Cluster,
    categories: "api-extensions",
    names: NameRule::PathSegment,
    columns: Some(&[
        NAME,
        column("SERVICE", |v| match v.at("spec.service") {
            Some(service) => {
                format!("{}/{}", view::text(service, "namespace"), view::text(service, "name")).into()
            }
            None => "Local".into(),
        }),
        column("AVAILABLE", available),
        AGE,
    ]),
    ..APIREGISTRATION_V1
}];

/// The properties shared by the group's kinds.
const APIEXTENSIONS_V1: Kind = Kind { group: "apiextensions.k8s.io", versions: "v1", ..KIND };

pub const APIEXTENSIONS: &[Kind] = &[Kind {
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    short_names: "crd,crds",
    scope: Cluster,
    categories: "api-extensions",
    // apiextensions-apiserver, pkg/registry/customresourcedefinition/tableconvertor
    columns: Some(&[
        NAME,
        column("GROUP", |v| v.text("spec.group").into()).since(Release::new(37)),
        column("SCOPE", |v| v.text("spec.scope").into()).since(Release::new(37)),
        column("VERSIONS", versions).since(Release::new(37)),
        CREATED_AT,
    ]),
    ..APIEXTENSIONS_V1
}];

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

/// The properties shared by the group's kinds.
const COORDINATION_V1: Kind = Kind { group: "coordination.k8s.io", versions: "v1", ..KIND };

pub const COORDINATION: &[Kind] = &[
    Kind {
        versions: "v1beta1,v1alpha2",
        kind: "LeaseCandidate",
        plural: "leasecandidates",
        // ValidateLeaseCandidateSpec does not look at the name.
        names: NameRule::PathSegment,
        columns: Some(&[
            NAME,
            column("LEASENAME", |v| v.text("spec.leaseName").into()),
            column("BINARYVERSION", |v| v.text("spec.binaryVersion").into()),
            column("EMULATIONVERSION", |v| v.text("spec.emulationVersion").into()),
            AGE,
        ]),
        ..COORDINATION_V1
    },
    Kind {
        kind: "Lease",
        plural: "leases",
        columns: Some(&[NAME, column("HOLDER", |v| v.text("spec.holderIdentity").into()), AGE]),
        ..COORDINATION_V1
    },
];

/// The properties shared by the group's kinds.
const NODE_V1: Kind = Kind { group: "node.k8s.io", versions: "v1", ..KIND };

pub const NODE: &[Kind] = &[Kind {
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    scope: Cluster,
    columns: Some(&[
        NAME,
        column("HANDLER", |v| match v.version {
            "v1alpha1" => v.text("spec.runtimeHandler").into(),
            _ => v.text("handler").into(),
        }),
        AGE,
    ]),
    ..NODE_V1
}];

/// The properties shared by the group's kinds.
const INTERNAL_V1: Kind = Kind { group: "internal.apiserver.k8s.io", versions: "v1", ..KIND };

pub const INTERNAL: &[Kind] = &[Kind {
    versions: "v1alpha1",
    kind: "StorageVersion",
    plural: "storageversions",
    scope: Cluster,
    columns: Some(&[
        NAME,
        column("COMMONENCODINGVERSION", |v| set_or(v.at("status.commonEncodingVersion"), UNSET)),
        column("STORAGEVERSIONS", |v| {
            let versions = v.list("status.storageVersions").iter();
            first_or_unset(versions.map(|version| {
                format!("{}={}", view::text(version, "apiServerID"), view::text(version, "encodingVersion"))
            }))
        }),
        AGE,
    ]),
    ..INTERNAL_V1
}];

/// The properties shared by the group's kinds.
const STORAGEMIGRATION_V1: Kind = Kind { group: "storagemigration.k8s.io", versions: "v1", ..KIND };

pub const STORAGEMIGRATION: &[Kind] = &[Kind {
    versions: "v1,v1beta1",
    kind: "StorageVersionMigration",
    plural: "storageversionmigrations",
    scope: Cluster,
    columns: Some(&[
        NAME,
        column("RESOURCE", |v| {
            qualified(v.text("spec.resource.resource"), v.text("spec.resource.group")).into()
        }),
        column("STATUS", |v| {
            last_true(v.list("status.conditions"), &["Running", "Failed", "Succeeded"])
                .unwrap_or("Unknown")
                .into()
        }),
    ]),
    ..STORAGEMIGRATION_V1
}];

/// The properties shared by the group's kinds.
const LIFECYCLE_V1: Kind = Kind { group: "lifecycle.k8s.io", versions: "v1alpha1", ..KIND };

pub const LIFECYCLE: &[Kind] = &[
    Kind { kind: "EvictionRequest", plural: "evictionrequests", ..LIFECYCLE_V1 },
    Kind { kind: "Eviction", plural: "evictions", ..LIFECYCLE_V1 },
];

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
