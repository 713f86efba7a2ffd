//! What objects are called, and what the API server refuses about their text.

use std::collections::HashMap;

use super::Findings;
use super::input::{Input, Together};
use super::subject::Subject;
use crate::validation::Problem;

/// Tells of what the API server refuses and is the business of the rule that asks.
pub(super) fn refused(input: &Input<'_>, findings: &mut Findings<'_>) {
    let rule = findings.rule.id;
    let is_meant = |problem: &Problem| {
        rule_of(problem) == rule && !is_placeholder(problem) && !is_of_a_fragment(problem)
    };
    for subject in input.subjects {
        for refused in subject.refused.iter().filter(|refused| is_meant(&refused.problem)) {
            findings.add(subject, refused.place.line.unwrap_or(subject.line()), &refused.problem);
        }
    }
}

/// The rule that tells of a problem.
fn rule_of(problem: &Problem) -> &'static str {
    match problem {
        Problem::Nameless
        | Problem::Invalid {
            path: "metadata.name" | "metadata.generateName" | "metadata.namespace", ..
        } => "invalid-name",
        // Of labels and annotations.
        Problem::Invalid { .. } | Problem::AnnotationsTooLong => "invalid-label",
        Problem::Repeated(_) => "repeated-key",
        Problem::NotSet(_) | Problem::Type(_) | Problem::Yaml(_) => "invalid-object",
        Problem::Unknown(_) => "unknown-field",
        Problem::Mistyped { .. } => "wrong-type",
        Problem::Missing(_) => "missing-field",
    }
}

/// Whether a field is missing without which a kind cannot be: the object is a patch or an example, which others complete.
fn is_of_a_fragment(problem: &Problem) -> bool {
    let Problem::Missing(path) = problem else { return false };
    path.strip_prefix("spec.")
        .is_some_and(|field| !field.contains('.') || field.ends_with("template.spec.containers"))
}

/// Whether something is yet to be put in the place of the value: `{{name}}`, `${NAME}`, `$(NAME)`,
/// `<name>`.
fn is_placeholder(problem: &Problem) -> bool {
    let (Problem::Invalid { value, .. } | Problem::Mistyped { text: Some(value), .. }) = problem else {
        return false;
    };
    ["{{", "${", "$(", "<"].iter().any(|mark| value.contains(mark))
}

pub(super) fn duplicates(input: &Input<'_>, findings: &mut Findings<'_>) {
    let mut met: HashMap<_, &Subject> = HashMap::new();
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    let mut shared: HashMap<(&str, &str), usize> = HashMap::new();
    let mut repeated = Vec::new();
    for subject in input.subjects.iter().filter(|subject| !subject.name.is_empty()) {
        *sizes.entry(&subject.place.source).or_default() += 1;
        let first = *met.entry(subject.identity()).or_insert(subject);
        if !std::ptr::eq(first, subject) {
            *shared.entry((&first.place.source, &subject.place.source)).or_default() += 1;
            repeated.push((first, subject));
        }
    }
    // Two files of which one says again at least half of what the other says are alternatives.
    let are_alternatives = |first: &Subject, subject: &Subject| {
        let files: [&str; 2] = [&first.place.source, &subject.place.source];
        let smaller = files.iter().filter_map(|file| sizes.get(file)).min().copied().unwrap_or_default();
        shared.get(&(files[0], files[1])).is_some_and(|shared| shared * 2 >= smaller)
    };
    for (first, subject) in repeated {
        let severity = match input.together(first, subject) {
            Together::Probably if are_alternatives(first, subject) => Together::Perhaps.severity(),
            together => together.severity(),
        };
        if let Some(severity) = severity {
            let message = format!("the object stands at {} already", first.location());
            findings.add_as(severity, subject, subject.line_at("metadata.name"), message);
        }
    }
}
