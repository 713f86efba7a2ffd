//! The group `storage.k8s.io`.

use super::columns::{AGE, NAME, NONE, UNSET, column, join, name, quantity, shown, texts};
use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::networking::default_class;
use crate::view;

/// The annotations of the StorageClass of claims without one (pkg/apis/storage/v1/util/helpers.go).
pub const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// The properties shared by the group's kinds.
const V1: Kind = Kind { group: "storage.k8s.io", versions: "v1", ..KIND };

pub(super) const KINDS: &[Kind] = &[
    Kind {
        kind: "CSIDriver",
        plural: "csidrivers",
        scope: Cluster,
        columns: Some(&[
            NAME,
            column("ATTACHREQUIRED", |v| shown(v.bool("spec.attachRequired"))),
            column("PODINFOONMOUNT", |v| shown(v.bool("spec.podInfoOnMount"))),
            column("STORAGECAPACITY", |v| shown(v.bool("spec.storageCapacity"))),
            column("TOKENREQUESTS", |v| match v.at("spec.tokenRequests") {
                None => UNSET.into(),
                Some(_) => {
                    let requests = v.list("spec.tokenRequests").iter();
                    join(requests.map(|request| view::text(request, "audience")), ",")
                }
            }),
            column("REQUIRESREPUBLISH", |v| shown(v.bool("spec.requiresRepublish"))),
            column("MODES", |v| match join(texts(v.list("spec.volumeLifecycleModes")), ",") {
                modes if modes.is_empty() => NONE.into(),
                modes => modes,
            }),
            AGE,
        ]),
        ..V1
    },
    Kind {
        kind: "CSINode",
        plural: "csinodes",
        scope: Cluster,
        columns: Some(&[NAME, column("DRIVERS", |v| shown(v.list("spec.drivers").len())), AGE]),
        ..V1
    },
    Kind {
        kind: "CSIStorageCapacity",
        plural: "csistoragecapacities",
        columns: Some(&[
            NAME,
            column("STORAGECLASSNAME", |v| v.text("storageClassName").into()),
            column("CAPACITY", |v| match v.at("capacity") {
                None => UNSET.into(),
                capacity => quantity(capacity),
            }),
        ]),
        ..V1
    },
    Kind {
        kind: "StorageClass",
        plural: "storageclasses",
        short_names: "sc",
        scope: Cluster,
        columns: Some(&[
            name(|v| default_class(v, &DEFAULT_CLASS)),
            column("PROVISIONER", |v| v.text("provisioner").into()),
            column("RECLAIMPOLICY", |v| v.text("reclaimPolicy").into()),
            column("VOLUMEBINDINGMODE", |v| v.text("volumeBindingMode").into()),
            column("ALLOWVOLUMEEXPANSION", |v| shown(v.bool("allowVolumeExpansion"))),
            AGE,
        ]),
        ..V1
    },
    Kind {
        kind: "VolumeAttachment",
        plural: "volumeattachments",
        scope: Cluster,
        columns: Some(&[
            NAME,
            column("ATTACHER", |v| v.text("spec.attacher").into()),
            column("PV", |v| v.text("spec.source.persistentVolumeName").into()),
            column("NODE", |v| v.text("spec.nodeName").into()),
            column("ATTACHED", |v| shown(v.bool("status.attached"))),
            AGE,
        ]),
        ..V1
    },
    Kind {
        kind: "VolumeAttributesClass",
        plural: "volumeattributesclasses",
        short_names: "vac",
        scope: Cluster,
        columns: Some(&[NAME, column("DRIVERNAME", |v| v.text("driverName").into()), AGE]),
        ..V1
    },
];

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn a_bare_storage_class_shows_its_defaults() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: p}",
            &["s", "p", "Delete", "Immediate", "false", "<unknown>"],
        );
        check(
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s, annotations: \
              {storageclass.beta.kubernetes.io/is-default-class: 'true'}}}",
            &[("NAME", "s (default)")],
        );
    }

    #[test]
    fn attachments_and_capacities_show_what_they_are_of() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: {attacher: d, nodeName: n, \
              source: {persistentVolumeName: p}}, status: {attached: true}}",
            &["a", "d", "p", "n", "true", "<unknown>"],
        );
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c}, storageClassName: s, \
              capacity: 2048Mi}",
            &["c", "s", "2Gi"],
        );
        check("{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity}", &[("CAPACITY", "<unset>")]);
        check(
            "{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, driverName: d}",
            &[("DRIVERNAME", "d")],
        );
        check(
            "{apiVersion: storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{}, {}]}}",
            &[("DRIVERS", "2")],
        );
    }

    #[test]
    fn a_bare_driver_shows_its_defaults() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}}",
            &["d", "true", "false", "false", "<unset>", "false", "Persistent", "<unknown>"],
        );
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}, spec: {attachRequired: false, \
              tokenRequests: [{audience: a}, {audience: b}], volumeLifecycleModes: [Ephemeral, Persistent]}}",
            &["d", "false", "false", "false", "a,b", "false", "Ephemeral,Persistent", "<unknown>"],
        );
    }
}
