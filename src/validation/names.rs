//! What objects of each kind may be called.

use crate::catalog::builtin;
use crate::selector::validation;

/// What a name has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// A DNS subdomain of RFC 1123: `a.example-1`.
    Subdomain,
    /// A DNS label of RFC 1123: no dot.
    Label,
    /// A DNS label of RFC 1035: one that begins with a letter.
    Label1035,
    /// Anything that can be one segment of a URL's path.
    PathSegment,
}

/// The API groups and kinds whose names are no DNS subdomains (Kubernetes, pkg/apis/*/validation).
const RULES: &[(&str, &str, Rule)] = &[
    ("", "Namespace", Rule::Label),
    ("", "Service", Rule::Label1035),
    ("rbac.authorization.k8s.io", "ClusterRole", Rule::PathSegment),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", Rule::PathSegment),
    ("rbac.authorization.k8s.io", "Role", Rule::PathSegment),
    ("rbac.authorization.k8s.io", "RoleBinding", Rule::PathSegment),
    ("apiregistration.k8s.io", "APIService", Rule::PathSegment),
    ("certificates.k8s.io", "CertificateSigningRequest", Rule::PathSegment),
    // SIGNER:NAME, the domain of the signer with a slash made a colon.
    ("certificates.k8s.io", "ClusterTrustBundle", Rule::PathSegment),
    // The address itself, with the colons of IPv6.
    ("networking.k8s.io", "IPAddress", Rule::PathSegment),
];

/// The same of what OpenShift's own servers serve (openshift-apiserver, pkg/*/apis/*/validation): `NAME:TAG`,
/// `PROVIDER:USER`. All of it is a path segment.
const OPENSHIFT: &[(&str, &[&str])] = &[
    ("authorization.openshift.io", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    ("image.openshift.io", &["Image", "ImageStreamImage", "ImageStreamTag", "ImageTag"]),
    (
        "oauth.openshift.io",
        &["OAuthAccessToken", "OAuthAuthorizeToken", "OAuthClientAuthorization", "UserOAuthAccessToken"],
    ),
    ("user.openshift.io", &["Group", "Identity", "User", "UserIdentityMapping"]),
];

/// The rule for names of a kind: that of DNS subdomains unless the kind is known to have another one.
pub(super) fn rule(group: &str, kind: &str) -> Rule {
    let row = RULES.iter().find(|row| row.0 == group && row.1 == kind);
    let is_openshift = || OPENSHIFT.iter().any(|row| row.0 == group && row.1.contains(&kind));
    row.map_or_else(|| if is_openshift() { Rule::PathSegment } else { Rule::Subdomain }, |row| row.2)
}

/// Whether objects of a kind have names: reviews are questions that are answered and not kept, and a List is no object of
/// its own, though it may have no items.
pub(super) fn has_names(group: &str, kind: &str) -> bool {
    let is_list =
        kind.strip_suffix("List").is_some_and(|item| item.is_empty() || builtin::find(group, item).is_some());
    !is_list && !matches!(group, "authentication.k8s.io" | "authorization.k8s.io")
}

impl Rule {
    /// What is wrong with `name`; no messages when nothing is.
    pub(super) fn messages(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => validation::dns1123_subdomain(name),
            Self::Label => validation::dns1123_label(name),
            Self::Label1035 => validation::dns1035_label(name),
            Self::PathSegment => validation::path_segment_name(name),
        }
    }

    /// What is wrong with `prefix`, to which the API server appends letters and digits.
    pub(super) fn prefix_messages(self, prefix: &str) -> Vec<String> {
        self.messages(&format!("{prefix}x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::builtin;

    #[track_caller]
    fn check(group: &str, kind: &str, name: &str, allowed: bool) {
        assert_eq!(rule(group, kind).messages(name).is_empty(), allowed, "{kind} {name}");
    }

    #[test]
    fn each_kind_has_one_of_four_rules() {
        check("", "ConfigMap", "a.b", true);
        check("", "ConfigMap", "a:b", false);
        check("", "Namespace", "a.b", false);
        check("", "Namespace", "1a", true);
        check("", "Service", "1a", false);
        check("", "Service", "a1", true);
        check("rbac.authorization.k8s.io", "ClusterRole", "system:Admin", true);
        check("rbac.authorization.k8s.io", "ClusterRole", "a/b", false);
        check("networking.k8s.io", "IPAddress", "2001:db8::1", true);
        check("serving.knative.dev", "Service", "1a", true);
    }

    #[test]
    fn rows_are_about_built_in_kinds() {
        for (group, kind, _) in RULES {
            assert!(builtin::find(group, kind).is_some(), "{group} {kind}");
        }
    }

    #[test]
    fn a_prefix_may_end_with_what_a_name_may_not() {
        assert!(Rule::Subdomain.prefix_messages("web-").is_empty());
        assert!(!Rule::Subdomain.prefix_messages("web_").is_empty());
        assert!(!Rule::Subdomain.messages("web-").is_empty());
    }
}
