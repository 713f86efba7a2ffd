//! Versions of built-in kinds that the API server warns of, or no longer serves.

use super::Findings;
use super::input::Input;
use crate::kinds::lifecycle::{Lifecycle, Release};
use crate::manifest::list::Object;
use crate::manifest::tree::Node;

/// A version that ends, as an object has it.
pub(super) struct Ending {
    lifecycle: &'static Lifecycle,
    /// The line of the apiVersion.
    line: usize,
}

impl Ending {
    /// The end of the version of `object`; `None` if it has none. An object that a cluster handed out is in the
    /// version that was asked for, which says nothing about manifests: `None`, too.
    pub(super) fn of(object: &Object<'_>, tree: &Node, line_of: impl Fn(&str) -> usize) -> Option<Self> {
        let lifecycle = Lifecycle::of(object.head.api_version, object.head.kind)?;
        let is_live = tree.at("metadata.uid").is_some_and(|uid| !uid.is_null());
        (!is_live).then(|| Self { lifecycle, line: line_of("apiVersion") })
    }
}

pub(super) fn removed(input: &Input<'_>, findings: &mut Findings<'_>) {
    find(input, findings, Lifecycle::is_removed_in);
}

pub(super) fn deprecated(input: &Input<'_>, findings: &mut Findings<'_>) {
    find(input, findings, |lifecycle, release| !lifecycle.is_removed_in(release));
}

fn find(input: &Input<'_>, findings: &mut Findings<'_>, is_meant: fn(&Lifecycle, Release) -> bool) {
    for subject in input.subjects {
        if let Some(Ending { lifecycle, line }) = &subject.ending
            && is_meant(lifecycle, input.release)
            && let Some(warning) = lifecycle.warning(&subject.kind, input.release)
        {
            findings.add(subject, *line, warning);
        }
    }
}
