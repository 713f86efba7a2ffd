//! Releases of Kubernetes, and the ranges of releases that have a kind, a version or a field.

use std::fmt;
use std::str::FromStr;

/// A release of Kubernetes, `1.N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(u16);

impl Release {
    /// The oldest release whose kinds and fields are known.
    pub const OLDEST: Self = Self(25);
    /// The newest one.
    pub const KNOWN: Self = Self(37);

    /// A release after all others.
    pub const NEVER: Self = Self(u16::MAX);

    /// The release `1.minor`.
    pub const fn new(minor: u16) -> Self {
        Self(minor)
    }

    /// The known releases, the oldest first.
    pub fn known() -> impl Iterator<Item = Self> {
        (Self::OLDEST.0..=Self::KNOWN.0).map(Self)
    }

    /// Whether it is newer than all known releases, so that it may have kinds and fields that are not known.
    pub fn is_newer_than_known(self) -> bool {
        self > Self::KNOWN
    }

    fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The newest known release.
impl Default for Release {
    fn default() -> Self {
        Self::KNOWN
    }
}

/// `1.36`
impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

/// `1.36`, `v1.36`, and versions as clusters report them: `v1.36.2`, `v1.36.2-eks-1de2ab1`, `1.36+`.
impl FromStr for Release {
    /// What is wrong.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || format!("not a release of Kubernetes such as {}", Self::KNOWN);
        let minor = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.").ok_or_else(malformed)?;
        let digits = minor.find(|char: char| !char.is_ascii_digit()).unwrap_or(minor.len());
        let (number, rest) = minor.split_at(digits);
        if !matches!(rest.as_bytes(), [] | [b'.', b'0'..=b'9', ..] | [b'+' | b'-', ..]) {
            return Err(malformed());
        }
        let release = number.parse().map(Self).map_err(|_| malformed())?;
        let (oldest, newest) = (Self::OLDEST, Self::KNOWN);
        let too_old =
            || format!("kselect knows Kubernetes {oldest} to {newest}; use {oldest} for older releases");
        if release < oldest { Err(too_old()) } else { Ok(release) }
    }
}

/// The releases that have a kind, a version or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases {
    first: Release,
    last: Release,
}

impl Releases {
    /// All known releases.
    pub const ALL: Self = Self { first: Release::OLDEST, last: Release::KNOWN };

    /// Reads a range as the table of fields has it: `28`, `-30`, `28-30`, both ends included.
    ///
    /// # Panics
    ///
    /// The range has another form.
    pub(super) fn read(text: &str) -> Self {
        let release = |minor: &str| Release(minor.parse().expect("impossible: fields.txt has numbers"));
        let (first, last) = match text.split_once('-') {
            None => (release(text), Release::KNOWN),
            Some(("", last)) => (Release::OLDEST, release(last)),
            Some((first, last)) => (release(first), release(last)),
        };
        Self { first, last }
    }

    /// Whether `release` is one of them. Releases newer than the known ones are taken to be like the newest.
    pub fn has(self, release: Release) -> bool {
        self.nearest(release) == release.min(Release::KNOWN)
    }

    /// The nearest one to `release`.
    pub fn nearest(self, release: Release) -> Release {
        release.clamp(self.first, self.last)
    }

    /// Why `release`, which is none of them, is not: `new in Kubernetes 1.37, checked against 1.31`.
    pub fn absence(self, release: Release) -> String {
        if release < self.first {
            format!("new in Kubernetes {}, checked against {release}", self.first)
        } else {
            format!("gone since Kubernetes {}, checked against {release}", self.last.next())
        }
    }
}

/// That a release newer than the known ones may have more.
pub fn newest_known() -> String {
    format!("the newest release that kselect knows is {}", Release::KNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_as_clusters_report_them() {
        for text in ["1.29", "v1.29", "1.29.3", "v1.29.3-gke.100", "v1.29+"] {
            assert_eq!(text.parse(), Ok(Release(29)), "{text}");
        }
        for text in ["", "1", "2.0", "1.", "1.x", "1.29x", "1.29.", "29", "1.99999999"] {
            let refusal = text.parse::<Release>().expect_err("an error");
            assert!(refusal.starts_with("not a release of Kubernetes"), "{text}");
        }
        assert!("1.24.9".parse::<Release>().is_err_and(|refusal| refusal.starts_with("kselect knows")));
        assert_eq!("1.99".parse(), Ok(Release(99)));
    }

    #[test]
    fn a_range_includes_both_ends() {
        let has = |range, minor| Releases::read(range).has(Release(minor));
        assert!(!has("28", 27) && has("28", 28) && has("28", 37) && has("28", 99));
        assert!(has("-30", 25) && has("-30", 30) && !has("-30", 31) && !has("-30", 99));
        assert!(!has("28-30", 27) && has("28-30", 28) && has("28-30", 30) && !has("28-30", 31));
    }

    #[test]
    fn an_absence_has_a_reason() {
        let absence = |range, minor| Releases::read(range).absence(Release(minor));
        assert_eq!(absence("28", 25), "new in Kubernetes 1.28, checked against 1.25");
        assert_eq!(absence("-30", 37), "gone since Kubernetes 1.31, checked against 1.37");
    }
}
