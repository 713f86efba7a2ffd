//! What objects are called, and what the API server refuses about their text.

use std::collections::HashMap;

use super::input::{Input, Together};
use super::subject::Subject;
use super::{Findings, Severity};
use crate::validation::Problem;

pub(super) fn invalid(input: &Input<'_>, findings: &mut Findings<'_>) {
    const NAMES: [&str; 3] = ["metadata.name", "metadata.generateName", "metadata.namespace"];
    refused(input, findings, |problem| match problem {
        Problem::Nameless => true,
        Problem::Invalid { path, .. } => NAMES.contains(path),
        _ => false,
    });
}

pub(super) fn repeated_keys(input: &Input<'_>, findings: &mut Findings<'_>) {
    refused(input, findings, |problem| matches!(problem, Problem::Repeated(_)));
}

pub(super) fn others(input: &Input<'_>, findings: &mut Findings<'_>) {
    refused(input, findings, |problem| {
        matches!(problem, Problem::NotSet(_) | Problem::Type(_) | Problem::Unknown(_) | Problem::Yaml(_))
    });
}

/// Tells of what the API server refuses and `is_meant` admits.
pub(super) fn refused(input: &Input<'_>, findings: &mut Findings<'_>, is_meant: fn(&Problem) -> bool) {
    for subject in input.subjects {
        for refused in subject.refused.iter().filter(|refused| is_meant(&refused.problem)) {
            findings.add(subject, refused.place.line.unwrap_or(subject.line()), &refused.problem);
        }
    }
}

pub(super) fn duplicates(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut met: HashMap<_, &Subject> = HashMap::new();
    for subject in input.subjects.iter().filter(|subject| !subject.name.is_empty()) {
        let identity = (&subject.group, &subject.kind, &subject.namespace, &subject.name);
        let first = *met.entry(identity).or_insert(subject);
        if std::ptr::eq(first, subject) {
            continue;
        }
        let severity = match input.together(first, subject) {
            Together::Surely => Severity::Error,
            Together::Perhaps => Severity::Warning,
            Together::Never => continue,
        };
        let message = format!("the object stands at {} already", first.location());
        findings.add_as(severity, subject, subject.line_at("metadata.name"), message);
    }
}
