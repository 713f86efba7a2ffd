//! The group `storage.k8s.io`.

use super::columns::{Computed, NONE, UNSET, join, quantity, texts};
use super::networking::default_class;
use crate::view;

/// The annotations of the StorageClass of claims without one (pkg/apis/storage/v1/util/helpers.go).
pub const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("token-requests", |v| match v.at("spec.tokenRequests") {
        None => UNSET.into(),
        Some(_) => {
            let requests = v.list("spec.tokenRequests").iter();
            join(requests.map(|request| view::text(request, "audience")), ",")
        }
    }),
    ("lifecycle-modes", |v| match join(texts(v.list("spec.volumeLifecycleModes")), ",") {
        modes if modes.is_empty() => NONE.into(),
        modes => modes,
    }),
    ("storage-capacity", |v| match v.at("capacity") {
        None => UNSET.into(),
        capacity => quantity(capacity),
    }),
    ("storage-class-name", |v| default_class(v, &DEFAULT_CLASS)),
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
