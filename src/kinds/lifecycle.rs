//! The releases that deprecated and removed versions of built-in kinds, and their replacements, which `lifecycle.txt` lists.

use std::sync::LazyLock;

use super::fields::TypeId;
use super::release::Release;
use text::table;

/// The end of a version of kinds.
#[derive(Debug)]
pub struct Lifecycle {
    api_version: &'static str,
    kinds: Vec<&'static str>,
    /// The first release whose API server warns about it.
    pub deprecated: Release,
    /// The first release that does not serve it; `None` if none is announced.
    pub removed: Option<Release>,
    /// The apiVersion that replaced it, with the kind if that differs, as of its deprecation; `None` if there is none.
    replacement: Option<&'static str>,
}

/// All deprecated versions, by group.
static LIFECYCLES: LazyLock<Vec<Lifecycle>> =
    LazyLock::new(|| table::lines(include_str!("lifecycle.txt")).map(Lifecycle::read).collect());

impl Lifecycle {
    fn read(line: &'static str) -> Self {
        let mut fields = line.splitn(5, ' ').map(|field| Some(field).filter(|field| *field != "-"));
        let mut field = || fields.next().flatten();
        let minor = |text: &str| text.strip_prefix("1.")?.parse().ok();
        let release = |text| Release::new(minor(text).expect("impossible: the table has releases"));
        Self {
            api_version: field().unwrap_or_default(),
            kinds: field().unwrap_or_default().split(',').collect(),
            deprecated: release(field().unwrap_or_default()),
            removed: field().map(release),
            replacement: field(),
        }
    }

    /// The end of a kind in a version; `None` if it is not deprecated.
    pub fn of(api_version: &str, kind: &str) -> Option<&'static Self> {
        LIFECYCLES.iter().find(|row| row.api_version == api_version && row.kinds.contains(&kind))
    }

    /// The ends of the versions of a kind that `release` no longer serves.
    pub fn removed(kind: &str, release: Release) -> impl Iterator<Item = &'static Self> {
        LIFECYCLES.iter().filter(move |row| row.is_removed_in(release) && row.kinds.contains(&kind))
    }

    /// The version.
    pub fn api_version(&self) -> &'static str {
        self.api_version
    }

    /// Whether `release` no longer serves it.
    pub fn is_removed_in(&self, release: Release) -> bool {
        self.removed.is_some_and(|removed| removed <= release)
    }

    /// The apiVersion and kind to use instead in `release`: of several successors, the first that is not deprecated
    /// itself. `None` if there is none.
    pub fn replacement<'k>(&self, kind: &'k str, release: Release) -> Option<(&'static str, &'k str)> {
        let replacement = self.replacement?;
        let (api_version, kind) = replacement.split_once(' ').unwrap_or((replacement, kind));
        match Self::of(api_version, kind) {
            Some(next) if next.deprecated <= release => next.replacement(kind, release),
            _ => Some((api_version, kind)),
        }
    }

    /// The first release that serves what [`Self::replacement`] returns, if it is one of the newest three, which are those that
    /// Kubernetes supports; `None` if it is older, or if there is no replacement.
    pub fn replaced_since(&self, kind: &str, release: Release) -> Option<Release> {
        let kind = *self.kinds.iter().find(|known| **known == kind)?;
        let (api_version, kind) = self.replacement(kind, release)?;
        let releases = TypeId::of_kind(api_version, kind)?.get().releases;
        let first = Release::known().position(|known| releases.has(known))?;
        Release::known().nth(first).filter(|_| first + 3 >= Release::known().count())
    }

    /// The warning of the API server of `release` about objects of `kind` (apiserver, endpoints/deprecation); `None` if
    /// it is neither deprecated nor removed.
    pub fn warning(&'static self, kind: &str, release: Release) -> Option<String> {
        if self.deprecated > release && !self.is_removed_in(release) {
            return None;
        }
        let kind = *self.kinds.iter().find(|known| **known == kind)?;
        let mut warning = format!("{} {kind} is ", self.api_version);
        match self.removed {
            Some(removed) if removed <= release => warning += &format!("unavailable in v{removed}+"),
            Some(removed) => {
                warning += &format!("deprecated in v{}+, unavailable in v{removed}+", self.deprecated);
            }
            None => warning += &format!("deprecated in v{}+", self.deprecated),
        }
        if let Some((api_version, kind)) = self.replacement(kind, release) {
            warning += &format!("; use {api_version} {kind}");
        }
        Some(warning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(minor: u16, api_version: &str, kind: &str, warning: Option<&str>) {
        let release = Release::new(minor);
        let found = Lifecycle::of(api_version, kind).and_then(|row| row.warning(kind, release));
        assert_eq!(found.as_deref(), warning);
    }

    #[test]
    fn a_version_is_deprecated_and_then_removed() {
        let budget = |minor, warning| check(minor, "policy/v1beta1", "PodDisruptionBudget", warning);
        budget(20, None);
        let deprecated = "policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; \
                          use policy/v1 PodDisruptionBudget";
        budget(21, Some(deprecated));
        budget(24, Some(deprecated));
        budget(
            25,
            Some(
                "policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use policy/v1 PodDisruptionBudget",
            ),
        );
        check(36, "policy/v1", "PodDisruptionBudget", None);
    }

    #[test]
    fn what_replaces_a_version_is_served_in_that_release() {
        let words = "extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io";
        for (minor, version) in [(16, "v1beta1"), (19, "v1")] {
            let words = format!("{words}/{version} Ingress");
            check(minor, "extensions/v1beta1", "Ingress", Some(&words));
        }
        let policy = "PodSecurityPolicy is unavailable in v1";
        let used = Some("; use policy/v1beta1 PodSecurityPolicy");
        for (minor, replacement) in [(16, used), (36, None)] {
            let words = format!("extensions/v1beta1 {policy}.16+{}", replacement.unwrap_or_default());
            check(minor, "extensions/v1beta1", "PodSecurityPolicy", Some(&words));
        }
    }

    #[test]
    fn a_kind_may_be_replaced_by_another_one() {
        let words = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
        check(36, "v1", "Endpoints", Some(words));
        check(32, "v1", "Endpoints", None);
    }

    #[test]
    fn versions_are_served_until_they_are_removed() {
        for row in &*LIFECYCLES {
            for kind in &row.kinds {
                let releases = TypeId::of_kind(row.api_version, kind).map(|id| id.get().releases);
                for release in Release::known() {
                    let is_served = releases.is_some_and(|releases| releases.has(release));
                    let is_new = releases.is_some_and(|releases| releases.nearest(release) > release);
                    let is_removed = row.is_removed_in(release);
                    assert_eq!(is_served, !is_removed && !is_new, "{} {kind} {release}", row.api_version);
                }
            }
        }
    }

    #[test]
    fn replacements_are_served_when_a_version_is_deprecated_and_end_later() {
        for row in &*LIFECYCLES {
            for kind in &row.kinds {
                let Some((api_version, kind)) = row.replacement(kind, row.deprecated) else { continue };
                let is_served = TypeId::of_kind(api_version, kind).is_some();
                let next = Lifecycle::of(api_version, kind);
                assert!(is_served || next.is_some(), "{api_version} {kind}");
                assert!(next.is_none_or(|next| next.deprecated > row.deprecated), "{api_version} {kind}");
            }
        }
    }
}
