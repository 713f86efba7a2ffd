//! The rules for names of objects, by kind.

use kinds::NameRule;
use kinds::catalog::builtin;
use kinds::release::Release;

/// The rule of `release` for names of a kind: that of DNS subdomains unless the kind has another one.
pub(super) fn rule(group: &str, kind: &str, release: Release) -> NameRule {
    match kinds::find(group, kind) {
        Some(row) => row.names.in_release(release),
        // OpenShift's own kinds have names such as `label_sync`; seen in operate-first/apps.
        None if group.ends_with(".openshift.io") => NameRule::PathSegment,
        None => NameRule::Subdomain,
    }
}

/// Whether objects of a kind have names: reviews are requests that are not stored, and a List is not an object, even
/// without items.
pub(super) fn has_names(group: &str, kind: &str) -> bool {
    let is_list =
        kind.strip_suffix("List").is_some_and(|item| item.is_empty() || builtin::find(group, item).is_some());
    !is_list && !matches!(group, "authentication.k8s.io" | "authorization.k8s.io")
}

/// Whether the prefix of a generated name has a rule: the declared validation of DeviceClasses only has one for names.
pub(super) fn has_prefixes(group: &str, kind: &str) -> bool {
    (group, kind) != ("resource.k8s.io", "DeviceClass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(group: &str, kind: &str, name: &str, allowed: bool) {
        let rule = rule(group, kind, Release::KNOWN);
        assert_eq!(rule.messages(name).is_empty(), allowed, "{kind} {name}");
    }

    #[test]
    fn services_may_start_with_a_digit_since_1_36() {
        let allowed = |minor| rule("", "Service", Release::new(minor)).messages("1a").is_empty();
        assert!(!allowed(35) && allowed(36) && allowed(99));
    }

    #[test]
    fn prefixes_have_rules_except_for_device_classes() {
        assert!(has_prefixes("resource.k8s.io", "ResourceClaim"));
        assert!(!has_prefixes("resource.k8s.io", "DeviceClass"));
    }

    #[test]
    fn each_kind_has_one_of_four_rules() {
        check("", "ConfigMap", "a.b", true);
        check("", "ConfigMap", "a:b", false);
        check("", "Namespace", "a.b", false);
        check("", "Namespace", "1a", true);
        check("", "Service", "1a", true);
        check("", "Service", "a.b", false);
        check("", "Service", "a1", true);
        check("rbac.authorization.k8s.io", "ClusterRole", "system:Admin", true);
        check("rbac.authorization.k8s.io", "ClusterRole", "a/b", false);
        check("networking.k8s.io", "IPAddress", "2001:db8::1", true);
        check("serving.knative.dev", "Service", "1a", true);
    }
}
