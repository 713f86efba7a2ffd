//! The rules for names of objects (Kubernetes, pkg/apis/*/validation).

use super::release::Release;
use selector::validation;

/// A rule for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain of RFC 1123: `a.example-1`.
    Subdomain,
    /// A DNS label of RFC 1123: no dot.
    Label,
    /// A DNS label of RFC 1035, which begins with a letter.
    Label1035,
    /// [`NameRule::Label`] since a release, and [`NameRule::Label1035`] before it.
    LabelSince(Release),
    /// Anything that can be one segment of a URL path.
    PathSegment,
}

impl NameRule {
    /// Reads a rule as the table of kinds has it; `None` if it is unknown.
    pub(super) fn read(word: &str) -> Option<Self> {
        match word {
            "label" => Some(Self::Label),
            "path-segment" => Some(Self::PathSegment),
            _ => word.strip_prefix("label-since-")?.parse().ok().map(Self::LabelSince),
        }
    }

    /// The rule as `release` has it.
    pub fn in_release(self, release: Release) -> Self {
        match self {
            Self::LabelSince(first) if release < first => Self::Label1035,
            rule => rule,
        }
    }

    /// The messages about `name`; empty if it is valid.
    pub fn messages(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => validation::dns1123_subdomain(name),
            Self::Label | Self::LabelSince(_) => validation::dns1123_label(name),
            Self::Label1035 => validation::dns1035_label(name),
            Self::PathSegment => validation::path_segment_name(name),
        }
    }

    /// The messages about `prefix`, to which the API server appends letters and digits.
    pub fn prefix_messages(self, prefix: &str) -> Vec<String> {
        self.messages(&format!("{prefix}x"))
    }
}

#[cfg(test)]
mod tests {
    use super::NameRule;

    #[test]
    fn a_prefix_may_end_with_what_a_name_may_not() {
        assert!(NameRule::Subdomain.prefix_messages("web-").is_empty());
        assert!(!NameRule::Subdomain.prefix_messages("web_").is_empty());
        assert!(!NameRule::Subdomain.messages("web-").is_empty());
    }
}
