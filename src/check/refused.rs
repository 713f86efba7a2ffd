//! Problems that the API server reports about an object, one rule for each concern.

use super::placeholder::{is_name_placeholder, is_placeholder};
use super::subject::Reading;
use super::{Findings, Severity};
use crate::scan::conventions;
use crate::validation::Violation;

/// The rules about the schema of a kind.
pub(super) const BY_SCHEMA: [&str; 6] =
    ["unknown-field", "wrong-type", "missing-field", "crd-rule", "removed-api", "deprecated-api"];

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
    Other,
}

impl Concern {
    fn of(problem: &Violation) -> Self {
        match problem {
            Violation::NoMatch { .. } => Self::Kind,
            Violation::Nameless
            | Violation::Invalid {
                path: "metadata.name" | "metadata.generateName" | "metadata.namespace",
                ..
            } => Self::Name,
            // For labels and annotations.
            Violation::Invalid { .. } | Violation::AnnotationsTooLong => Self::Label,
            Violation::Repeated(_) => Self::RepeatedKey,
            Violation::Unknown(_) => Self::UnknownField,
            Violation::Mistyped { .. } => Self::Type,
            Violation::Missing(_) => Self::MissingField,
            Violation::Rule(_) => Self::Rule,
            Violation::NotSet(_) | Violation::Type(_) | Violation::Yaml(_) => Self::Other,
        }
    }
}

pub(super) fn kinds(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Kind);
}

pub(super) fn names(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    // The server of an undefined kind may accept names that Kubernetes does not.
    let is_unsure = reading.subject.is_namespaced.is_none();
    report_as(severity(findings, is_unsure), reading, findings, Concern::Name);
}

pub(super) fn labels(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Label);
}

pub(super) fn repeated_keys(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::RepeatedKey);
}

pub(super) fn unknown_fields(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::UnknownField);
}

pub(super) fn types(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Type);
}

pub(super) fn missing_fields(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::MissingField);
}

pub(super) fn others(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Other);
}

fn severity(findings: &Findings<'_>, is_unsure: bool) -> Severity {
    if is_unsure { Severity::Warning } else { findings.rule.severity }
}

pub(super) fn report(reading: &Reading<'_>, findings: &mut Findings<'_>, concern: Concern) {
    report_as(findings.rule.severity, reading, findings, concern);
}

/// Reports the problems found by validation that are about `concern`.
fn report_as(severity: Severity, reading: &Reading<'_>, findings: &mut Findings<'_>, concern: Concern) {
    for refused in &reading.refused {
        let problem = &refused.problem;
        if Concern::of(problem) == concern
            && !is_of_a_placeholder(problem)
            && !is_of_a_fragment(problem)
            && !is_of_a_tool(problem, reading)
            && !is_hidden_by_encryption(problem, reading)
            && !may_be_added_by_a_patch(problem, reading)
        {
            let line = refused.place.line.unwrap_or(reading.subject.line);
            // What a newer release may accept is not certain.
            let severity = if refused.is_certain { severity } else { severity.max(Severity::Warning) };
            let hint = refused.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
            findings.add_as(severity, &reading.subject, line, format_args!("{problem}{hint}"));
        }
    }
}

/// Whether something that looks like an object of an undefined kind only lacks a name, which files of tools do not
/// need.
fn is_of_a_tool(problem: &Violation, reading: &Reading<'_>) -> bool {
    matches!(problem, Violation::Nameless) && reading.subject.is_namespaced.is_none()
}

/// Whether the problem is about a value that SOPS encrypted, about the field that it adds, or about the type of a file of
/// values.
fn is_hidden_by_encryption(problem: &Violation, reading: &Reading<'_>) -> bool {
    match problem {
        _ if !reading.is_encrypted => false,
        Violation::Unknown(path) => conventions::is_of_encryption(path),
        Violation::NoMatch { .. }
        | Violation::Nameless
        | Violation::NotSet(_)
        | Violation::Mistyped { .. } => true,
        _ => false,
    }
}

/// Whether a field is missing that a patch of a kustomization may add.
fn may_be_added_by_a_patch(problem: &Violation, reading: &Reading<'_>) -> bool {
    reading.may_be_patched && matches!(problem, Violation::Missing(_))
}

/// Whether a field is missing that every object of the kind needs: then the object is a patch or an example, to be
/// completed.
fn is_of_a_fragment(problem: &Violation) -> bool {
    let Violation::Missing(path) = problem else { return false };
    path.strip_prefix("spec.")
        .is_some_and(|field| !field.contains('.') || field.ends_with("template.spec.containers"))
}

/// Whether the value is a placeholder.
fn is_of_a_placeholder(problem: &Violation) -> bool {
    match problem {
        Violation::Invalid { path: "metadata.labels" | "metadata.annotations", value, .. } => {
            is_placeholder(value)
        }
        Violation::Invalid { value, .. } => is_name_placeholder(value),
        Violation::NoMatch { kind, api_version } => is_placeholder(kind) || is_placeholder(api_version),
        Violation::Mistyped { text: Some(value), .. } => is_name_placeholder(value),
        _ => false,
    }
}
