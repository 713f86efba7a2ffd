//! Versions of built-in kinds that the API server warns of, or no longer serves.

use super::Findings;
use super::subject::Reading;
use crate::kinds::lifecycle::{Lifecycle, Release};

pub(super) fn removed(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    find(reading, findings, Lifecycle::is_removed_in);
}

pub(super) fn deprecated(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    find(reading, findings, |lifecycle, release| !lifecycle.is_removed_in(release));
}

fn find(reading: &Reading<'_>, findings: &mut Findings<'_>, is_meant: fn(&Lifecycle, Release) -> bool) {
    // An object that a cluster handed out is in the version that was asked for, which says nothing about manifests.
    if reading.subject.is_live() {
        return;
    }
    if let Some(lifecycle) = Lifecycle::of(reading.head.api_version, reading.head.kind)
        && is_meant(lifecycle, reading.release)
        && let Some(warning) = lifecycle.warning(&reading.subject.of.kind, reading.release)
    {
        findings.add(&reading.subject, reading.line_at("apiVersion"), warning);
    }
}
