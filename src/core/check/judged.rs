//! Verdicts on the problems that validation found in an object.

use super::finding::Confidence;

/// The concern of a problem.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Concern {
    Kind,
    Name,
    Label,
    RepeatedKey,
    UnknownField,
    Type,
    MissingField,
    Rule,
    Expression,
    Policy,
    Value,
    Other,
}

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
}

/// The verdicts on the problems of an object.
#[derive(Default)]
pub(super) struct Judged {
    /// For each finding, its concern, how certain it is, and the number of the problem.
    pub found: Vec<(Concern, Confidence, usize)>,
    /// What is not judged.
    pub unjudged: Vec<Unjudged>,
}
