//! Requests that a server answers and does not store: the groups `authentication.k8s.io` and `authorization.k8s.io`.

use super::kind::Scope::Cluster;
use super::kind::{KIND, Kind};

/// The properties shared by the group's kinds.
const AUTHENTICATION_V1: Kind = Kind { group: "authentication.k8s.io", versions: "v1", ..KIND };

pub const AUTHENTICATION: &[Kind] = &[
    Kind { kind: "SelfSubjectReview", plural: "selfsubjectreviews", scope: Cluster, ..AUTHENTICATION_V1 },
    Kind { kind: "TokenReview", plural: "tokenreviews", scope: Cluster, ..AUTHENTICATION_V1 },
];

/// The properties shared by the group's kinds.
const AUTHORIZATION_V1: Kind = Kind { group: "authorization.k8s.io", versions: "v1", ..KIND };

pub const AUTHORIZATION: &[Kind] = &[
    Kind { kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", ..AUTHORIZATION_V1 },
    Kind {
        kind: "SelfSubjectAccessReview",
        plural: "selfsubjectaccessreviews",
        scope: Cluster,
        ..AUTHORIZATION_V1
    },
    Kind {
        kind: "SelfSubjectRulesReview",
        plural: "selfsubjectrulesreviews",
        scope: Cluster,
        ..AUTHORIZATION_V1
    },
    Kind { kind: "SubjectAccessReview", plural: "subjectaccessreviews", scope: Cluster, ..AUTHORIZATION_V1 },
];
