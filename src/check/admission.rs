//! Admission policies and rules of custom resources: what they refuse, and errors in them.

use super::refused::{Concern, report};
use super::subject::Reading;
use super::{Finding, Findings, Severity};
use crate::kinds::view;
use crate::manifest::error::Place;
use crate::policy::verdict::{Action, ExpressionError};
use crate::policy::{Policies, Rules};
use crate::text::excerpt::{self, Excerpt};
use crate::text::go;

/// The id of the rule about expressions that do not compile.
pub(super) const INVALID_EXPRESSION: &str = "invalid-expression";

/// The id of the rule about policies without a binding.
pub(super) const UNBOUND_POLICY: &str = "unbound-policy";

/// What policies refuse.
pub(super) fn refused(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    for decision in &reading.decisions {
        let severity = match decision.action {
            Action::Deny => Severity::Error,
            Action::Warn => Severity::Warning,
            Action::Audit => Severity::Advice,
        };
        findings.add_as(severity, &reading.subject, reading.subject.line, decision);
    }
}

/// What the rules of a custom resource's definition refuse.
pub(super) fn rules(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Rule);
}

/// Rules of a definition that do not compile.
pub(super) fn expressions(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.subject.is("apiextensions.k8s.io", "CustomResourceDefinition") {
        return;
    }
    let versions = view::list(reading.tree, "spec.versions").iter();
    let schemas = versions.filter_map(|version| version.at("schema.openAPIV3Schema"));
    for error in schemas.flat_map(Rules::errors) {
        let line = reading.line_of(error.span);
        findings.add_with(&reading.subject, line, described(&error), shown(&error));
    }
}

/// The findings about policies themselves.
pub(super) fn about(policies: &Policies) -> impl Iterator<Item = Finding> {
    let finding = |id, severity, name: &str, place: &Place, message: String, excerpt| Finding {
        id,
        severity,
        place: place.clone(),
        kind: "validatingadmissionpolicy.admissionregistration.k8s.io".to_owned(),
        namespace: String::new(),
        name: name.to_owned(),
        message: go::printable(&excerpt::message(&message)).into_owned(),
        excerpt,
    };
    let errors = policies.errors.iter().map(move |error| {
        let (message, excerpt) = (described(&error.error), shown(&error.error));
        finding(INVALID_EXPRESSION, Severity::Error, &error.policy, &error.place, message, excerpt)
    });
    let unbound = policies.unbound().map(move |(name, place)| {
        let message = "no ValidatingAdmissionPolicyBinding uses the policy, so it has no effect".to_owned();
        finding(UNBOUND_POLICY, Severity::Warning, name, place, message, None)
    });
    errors.chain(unbound)
}

fn described(error: &ExpressionError) -> String {
    let ExpressionError { path, text, error, .. } = error;
    let text = excerpt::quote(text);
    let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
    format!("{path}the expression {text} is not valid: {error}")
}

/// The expression with a caret below the error.
fn shown(error: &ExpressionError) -> Option<Box<Excerpt>> {
    Excerpt::of(error.text.as_bytes(), error.error.span(), None).map(Box::new)
}
