//! The kinds of documents that are skipped, and those that were skipped in an input.

use std::collections::BTreeMap;

use manifest::source::Source;
use syntax::error::{Error, ErrorKind, Place};
use syntax::foreign::Foreign;

/// The kinds of documents that are skipped and counted, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// A template, which only a template engine can read.
    Template,
    /// The values or the description of a Helm chart.
    Chart,
    /// A kustomization or one of its components.
    Kustomization,
    /// A patch.
    Patch,
    /// An object that all kustomizations which list it remove.
    Removed,
    /// A JSON schema.
    Schema,
    /// An expectation or a step of a test.
    Test,
    /// The configuration of a tool, which is not stored in a cluster.
    Configuration,
    /// A document whose type is encrypted.
    Encrypted,
    /// An entry of an API server's audit log.
    Audit,
    /// A description of the kinds that a server has.
    Discovery,
    /// Text between documents.
    Words,
    /// Anything else.
    Other,
}

impl Skipped {
    /// The kind of a document of `source` that cannot be read as an object; `None` if it is an error.
    pub fn of_error(error: &Error, source: &Source) -> Option<Self> {
        let foreign = error.foreign();
        match &error.kind {
            ErrorKind::Words => Some(Self::Words),
            // kubectl reads a description of the API in a file that is named.
            ErrorKind::KindMissing { .. } if foreign == Some(Foreign::Discovery) => Some(Self::Discovery),
            _ if source.named => None,
            ErrorKind::KindMissing { .. } if source.is_patch => Some(Self::Patch),
            ErrorKind::KindMissing { .. } if source.kustomization.is_some() => Some(Self::Kustomization),
            // Whatever has a list or a map as its kind is not an object.
            ErrorKind::Field { field: "kind", found: "array" | "object", .. } => Some(Self::of(foreign)),
            kind if kind.is_no_object() => Some(Self::of(foreign)),
            // Nothing builds from it, and no one could apply it.
            ErrorKind::KindMissing { is_part: true, .. } if source.built.roots.is_none() => Some(Self::Patch),
            ErrorKind::KindMissing { .. } => None,
            _ => match foreign? {
                foreign @ (Foreign::Template
                | Foreign::Placeholder
                | Foreign::Encrypted
                | Foreign::Unrelated
                | Foreign::Configuration) => Some(Self::of(Some(foreign))),
                _ => None,
            },
        }
    }

    fn of(foreign: Option<Foreign>) -> Self {
        match foreign {
            Some(Foreign::Template | Foreign::Placeholder) => Self::Template,
            Some(Foreign::Values | Foreign::Chart) => Self::Chart,
            Some(Foreign::Kustomization) => Self::Kustomization,
            Some(Foreign::Patch) => Self::Patch,
            Some(Foreign::Schema) => Self::Schema,
            Some(Foreign::Encrypted) => Self::Encrypted,
            Some(Foreign::Discovery) => Self::Discovery,
            Some(Foreign::Configuration) => Self::Configuration,
            _ => Self::Other,
        }
    }
}

/// Documents of one kind that follow each other in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRun {
    /// What they are.
    pub sort: Skipped,
    /// The place of the first one.
    pub first: Place,
    /// How many there are.
    pub count: usize,
}

/// The documents that were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedDocuments(Vec<SkippedRun>);

impl SkippedDocuments {
    /// Adds a document.
    pub fn add(&mut self, sort: Skipped, place: Place) {
        self.push(SkippedRun { sort, first: place, count: 1 });
    }

    /// Adds the documents that follow.
    pub fn extend(&mut self, others: Self) {
        others.0.into_iter().for_each(|run| self.push(run));
    }

    fn push(&mut self, run: SkippedRun) {
        match self.0.last_mut() {
            Some(last) if last.sort == run.sort && last.first.source == run.first.source => {
                last.count += run.count;
            }
            _ => self.0.push(run),
        }
    }

    /// Leaves out the kustomizations in these files, which are of use.
    pub fn leave_out_kustomizations(&mut self, is_of_use: impl Fn(&str) -> bool) {
        self.0.retain(|run| run.sort != Skipped::Kustomization || !is_of_use(&run.first.source));
    }

    /// The kinds that occurred, with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (Skipped, usize)> {
        let mut counts = BTreeMap::<Skipped, usize>::new();
        self.0.iter().for_each(|run| *counts.entry(run.sort).or_default() += run.count);
        counts.into_iter()
    }

    /// Whether any of this kind were.
    pub fn has(&self, sort: Skipped) -> bool {
        self.0.iter().any(|run| run.sort == sort)
    }

    /// The documents, in the order of the input.
    pub fn runs(&self) -> &[SkippedRun] {
        &self.0
    }
}
