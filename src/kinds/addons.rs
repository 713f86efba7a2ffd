//! Kinds that Kubernetes does not define, as far as their definitions do not say what is known of them.

use super::{KIND, Kind, NameRule};

/// What OpenShift's own servers serve under names such as `NAME:TAG` and `PROVIDER:USER`
/// (openshift-apiserver, pkg/*/apis/*/validation).
const fn openshift(group: &'static str, kind: &'static str) -> Kind {
    Kind { group, kind, names: NameRule::PathSegment, ..KIND }
}

pub const KINDS: &[Kind] = &[
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
