//! Kinds that are not part of Kubernetes, with facts that their definitions do not state. Projects with many kinds have
//! files of their own.

use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};
use super::names::NameRule;
use super::references::{CORE, SNAPSHOT, secret, to, typed};

/// A kind of OpenShift's own servers, with names such as `NAME:TAG` and `PROVIDER:USER` (openshift-apiserver,
/// pkg/*/apis/*/validation).
const fn openshift(group: &'static str, kind: &'static str) -> Kind {
    Kind { group, kind, names: NameRule::PathSegment, ..KIND }
}

const AUTOSCALER: Kind = Kind { group: "autoscaling.k8s.io", ..KIND };
const SNAPSHOTS: Kind = Kind { group: SNAPSHOT, ..KIND };
const BITNAMI: Kind = Kind { group: "bitnami.com", ..KIND };
const EXTERNAL_SECRETS: Kind = Kind { group: "external-secrets.io", ..KIND };
const ARGO: Kind = Kind { group: "argoproj.io", ..KIND };

pub const KINDS: &[Kind] = &[
    Kind {
        kind: "VerticalPodAutoscaler",
        references: &[typed("spec.targetRef", "apiVersion")],
        ..AUTOSCALER
    },
    Kind {
        kind: "VolumeSnapshot",
        references: &[
            to("spec", "volumeSnapshotClassName", SNAPSHOT, "VolumeSnapshotClass"),
            to("spec.source", "persistentVolumeClaimName", CORE, "PersistentVolumeClaim"),
            to("spec.source", "volumeSnapshotContentName", SNAPSHOT, "VolumeSnapshotContent"),
        ],
        ..SNAPSHOTS
    },
    Kind { kind: "VolumeSnapshotClass", scope: Cluster, ..SNAPSHOTS },
    Kind {
        kind: "VolumeSnapshotContent",
        scope: Cluster,
        references: &[
            to("spec", "volumeSnapshotClassName", SNAPSHOT, "VolumeSnapshotClass"),
            to("spec.volumeSnapshotRef", "name", SNAPSHOT, "VolumeSnapshot").at("namespace"),
        ],
        ..SNAPSHOTS
    },
    Kind { kind: "SealedSecret", references: &[secret("metadata", "name").made()], ..BITNAMI },
    Kind {
        kind: "ExternalSecret",
        references: &[secret("metadata", "name").made(), secret("spec.target", "name").made()],
        ..EXTERNAL_SECRETS
    },
    Kind {
        kind: "Application",
        references: &[
            to("spec", "project", "argoproj.io", "AppProject"),
            // It may be in another cluster, or be created when the application is synchronized.
            to("spec.destination", "namespace", CORE, "Namespace").made(),
        ],
        ..ARGO
    },
    Kind {
        kind: "ApplicationSet",
        references: &[
            to("spec.template.spec", "project", "argoproj.io", "AppProject"),
            to("spec.template.spec.destination", "namespace", CORE, "Namespace").made(),
        ],
        ..ARGO
    },
    openshift("authorization.openshift.io", "ClusterRole"),
    openshift("authorization.openshift.io", "ClusterRoleBinding"),
    openshift("authorization.openshift.io", "Role"),
    openshift("authorization.openshift.io", "RoleBinding"),
    openshift("image.openshift.io", "Image"),
    openshift("image.openshift.io", "ImageStreamImage"),
    openshift("image.openshift.io", "ImageStreamTag"),
    openshift("image.openshift.io", "ImageTag"),
    openshift("oauth.openshift.io", "OAuthAccessToken"),
    openshift("oauth.openshift.io", "OAuthAuthorizeToken"),
    openshift("oauth.openshift.io", "OAuthClientAuthorization"),
    openshift("oauth.openshift.io", "UserOAuthAccessToken"),
    openshift("user.openshift.io", "Group"),
    openshift("user.openshift.io", "Identity"),
    openshift("user.openshift.io", "User"),
    openshift("user.openshift.io", "UserIdentityMapping"),
];
