//! Names of objects, and problems that the API server reports.

use std::collections::HashMap;

use super::input::Input;
use super::placeholder::{is_name_placeholder, is_placeholder};
use super::subject::Reading;
use super::units::Id;
use super::{Findings, Severity};
use crate::validation::Violation;

/// The rules about the schema of a kind.
pub(super) const BY_SCHEMA: [&str; 5] =
    ["unknown-field", "wrong-type", "missing-field", "removed-api", "deprecated-api"];

/// Reports the problems found by validation that belong to the current rule.
pub(super) fn refused(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let rule = findings.rule.id;
    // Files of tools look like objects of undefined kinds, and need no name.
    let is_of_a_tool = |problem: &Violation| {
        matches!(problem, Violation::Nameless) && reading.subject.is_namespaced.is_none()
    };
    let is_meant = |problem: &Violation| {
        rule_of(problem) == rule
            && !is_of_a_placeholder(problem)
            && !is_of_a_fragment(problem)
            && !is_of_a_tool(problem)
    };
    for refused in reading.refused.iter().filter(|refused| is_meant(&refused.problem)) {
        let line = refused.place.line.unwrap_or(reading.subject.line);
        let hint = refused.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        // The server of an undefined kind may accept names that Kubernetes does not.
        let is_unsure = rule == "invalid-name" && reading.subject.is_namespaced.is_none();
        let severity = if is_unsure { Severity::Warning } else { findings.rule.severity };
        findings.add_as(severity, &reading.subject, line, format_args!("{}{hint}", refused.problem));
    }
}

/// The rule for a problem.
fn rule_of(problem: &Violation) -> &'static str {
    match problem {
        Violation::Nameless
        | Violation::Invalid {
            path: "metadata.name" | "metadata.generateName" | "metadata.namespace", ..
        } => "invalid-name",
        // For labels and annotations.
        Violation::Invalid { .. } | Violation::AnnotationsTooLong => "invalid-label",
        Violation::Repeated(_) => "repeated-key",
        Violation::NotSet(_) | Violation::Type(_) | Violation::Yaml(_) => "invalid-object",
        Violation::Unknown(_) => "unknown-field",
        Violation::Mistyped { .. } => "wrong-type",
        Violation::Missing(_) => "missing-field",
    }
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
        Violation::Mistyped { text: Some(value), .. } => is_name_placeholder(value),
        _ => false,
    }
}

/// Reports objects that occur more than once: in the same file, or else in the same unit, or else anywhere.
pub(super) fn duplicates(input: &Input<'_>, findings: &mut Findings<'_>) {
    for members in input.identities.repeated() {
        let mut by_source: HashMap<Id, usize> = HashMap::new();
        let mut by_unit: HashMap<Id, usize> = HashMap::new();
        for &number in members {
            let (source, unit) = (input.units.source(number), input.units.unit(number));
            let nearest = by_source.get(&source).or_else(|| by_unit.get(&unit));
            let first = nearest.copied().or_else(|| members.first().copied()).unwrap_or(number);
            by_source.entry(source).or_insert(number);
            by_unit.entry(unit).or_insert(number);
            let (subject, first_subject) = (&input.subjects[number], &input.subjects[first]);
            // A server has each object once: two of them are from two clusters or times.
            if first == number || subject.is_live() && first_subject.is_live() {
                continue;
            }
            if let Some(severity) = input.together(first, number).severity() {
                let message = format!("the object is already defined at {}", first_subject.location());
                findings.add_as(severity, subject, subject.name_line, message);
            }
        }
    }
}
