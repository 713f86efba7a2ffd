//! Verdicts on the problems that validation found in an object.

use super::finding::Confidence;

/// Why a problem is no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unjudged {
    /// The value is a placeholder.
    Placeholder,
    /// The value is encrypted.
    Encrypted,
    /// What is missing is not expected of a patch.
    Patch,
    /// A path of a kustomization is an address, or not in the input.
    Outside,
    /// A path of a kustomization is not there, and an ignore file names it: something may make it.
    Ignored,
}

/// The verdicts on the problems of an object.
#[derive(Default)]
pub(super) struct Judged {
    /// For each finding, the rule that it is of, how certain it is, and the number of the problem.
    pub found: Vec<(&'static str, Confidence, usize)>,
    /// What is not judged.
    pub unjudged: Vec<Unjudged>,
}
