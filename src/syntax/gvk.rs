//! The identity of a kind: API group, version and kind.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::fmt;

use memchr::memchr_iter;

use text::go;

/// The group, version and kind that an object states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupVersionKind<'a> {
    /// The API group, `apps`; empty for the core group.
    pub group: &'a str,
    /// The version in the group, `v1`; empty if none is stated.
    pub version: &'a str,
    /// The kind, `Deployment`.
    pub kind: &'a str,
}

impl<'a> GroupVersionKind<'a> {
    /// Splits the `apiVersion` of an object.
    pub fn new(api_version: &'a str, kind: &'a str) -> Self {
        let (group, version) = split_api_version(api_version);
        Self { group, version, kind }
    }

    /// The kind as in `kind/name`: `pod`, `deployment.apps`.
    pub fn lower(&self) -> String {
        lower_kind(self.kind, self.group)
    }
}

/// Displayed as Go prints a schema.GroupVersionKind: `apps/v1, Kind=Deployment`; for the core group, `/v1, Kind=Pod`.
impl fmt::Display for GroupVersionKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// The group and the version of an `apiVersion`: `apps/v1` has the group `apps`; `v1` is in the core group, whose name
/// is empty. Both are empty if it has more than one slash (apimachinery, schema.ParseGroupVersion).
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    // This runs several times for each object, and the standard library is slow at searching for a `char`.
    let mut slashes = memchr_iter(b'/', api_version.as_bytes());
    match (slashes.next(), slashes.next()) {
        (None, _) => ("", api_version),
        (Some(at), None) => (&api_version[..at], &api_version[at + 1..]),
        (Some(_), Some(_)) => ("", ""),
    }
}

/// The `apiVersion` of a version in a group: `apps/v1`, and `v1` in the core group.
pub fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The lower-case kind, followed by its group unless that is the core group: `pod`, `deployment.apps` (cli-runtime,
/// printers/name.go). For display: unprintable characters are escaped.
pub fn lower_kind(kind: &str, group: &str) -> String {
    let mut lower = kind.to_lowercase();
    if !group.is_empty() {
        lower.push('.');
        lower.push_str(group);
    }
    match go::printable(&lower) {
        Cow::Borrowed(_) => lower,
        Cow::Owned(escaped) => escaped,
    }
}

/// The group of a kind today. Only kinds of `extensions` were ever moved to other groups.
pub fn successor<'a>(group: &'a str, kind: &str) -> &'a str {
    match (group, kind) {
        ("extensions", "DaemonSet" | "Deployment" | "ReplicaSet") => "apps",
        ("extensions", "Ingress" | "NetworkPolicy") => "networking.k8s.io",
        ("extensions", "PodSecurityPolicy") => "policy",
        ("extensions" | "apps", "Scale") => "autoscaling",
        _ => group,
    }
}

/// The order of preference of versions: general availability before beta before alpha, newer ones first; names of
/// another form come last, alphabetically (apimachinery, version.CompareKubeAwareVersionStrings).
pub fn by_priority(a: &str, b: &str) -> Ordering {
    match (stage(a), stage(b)) {
        (None, None) => a.cmp(b),
        (a, b) => Reverse(a).cmp(&Reverse(b)),
    }
}

/// Whether a text is a version as Kubernetes names them: `v1`, `v2beta1`.
pub fn is_version(version: &str) -> bool {
    stage(version).is_some()
}

/// The stability and numbers of a version like `v2beta1`; `None` for names of another form.
fn stage(version: &str) -> Option<(u8, u64, u64)> {
    let number =
        |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    let rest = version.strip_prefix('v')?;
    if let Some((major, minor)) = rest.split_once("beta") {
        return Some((1, number(major)?, number(minor)?));
    }
    if let Some((major, minor)) = rest.split_once("alpha") {
        return Some((0, number(major)?, number(minor)?));
    }
    Some((2, number(rest)?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api_version: &str, kind: &str, display: &str, lower: &str) {
        let gvk = GroupVersionKind::new(api_version, kind);
        assert_eq!((gvk.to_string().as_str(), gvk.lower().as_str()), (display, lower));
    }

    #[test]
    fn an_api_version_is_group_and_version() {
        check("v1", "Pod", "/v1, Kind=Pod", "pod");
        check("apps/v1", "Deployment", "apps/v1, Kind=Deployment", "deployment.apps");
        check(
            "a.example.com/v1beta1",
            "Éclair",
            "a.example.com/v1beta1, Kind=Éclair",
            "éclair.a.example.com",
        );
        check("", "Pod", "/, Kind=Pod", "pod");
        check("/v1", "Pod", "/v1, Kind=Pod", "pod");
    }

    #[test]
    fn a_kind_is_shown_without_what_a_terminal_obeys() {
        check("x/v1", "K\x1b[1m", "x/v1, Kind=K\x1b[1m", "k\\x1b[1m.x");
    }

    #[test]
    fn an_api_version_with_two_slashes_says_nothing() {
        check("a/b/c", "Pod", "/, Kind=Pod", "pod");
    }
}
