//! Admission policies and rules of custom resources: what they refuse, and errors in them.

use super::finding::{Finding, Findings, Severity};
use super::reading::Reading;
use super::refused::{Concern, report};
use policy::Policies;
use policy::verdict::{Action, ExpressionError, PolicyError};
use syntax::error::Place;
use text::excerpt;
use text::go;

/// The id of the rule about what policies refuse.
pub(super) const REFUSED: &str = "admission-policy";

/// The id of the rule about expressions that do not compile.
pub(super) const INVALID_EXPRESSION: &str = "invalid-expression";

/// The id of the rule about policies without a binding.
pub(super) const UNBOUND_POLICY: &str = "unbound-policy";

/// The kind of a policy, with which that of a binding begins.
pub(super) const KIND: &str = "validatingadmissionpolicy";

/// What policies refuse.
pub(super) fn refused(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    for decision in &reading.decisions {
        let severity = match decision.action {
            // Overlays set images and more. Seen in anselem-okeke/ai-platform-gitops.
            _ if reading.is_decided_later => Severity::Advice,
            // Seen in kastl-ars/kubernetes-training.
            _ if reading.is_placed_later && decision.is_of_namespace => Severity::Advice,
            Action::Deny => Severity::Error,
            Action::Warn => Severity::Warning,
            Action::Audit => Severity::Advice,
        };
        findings.add_as(severity, &reading.subject, reading.subject.line, decision);
    }
}

/// The name of the policy that a finding of [`refused`] is about.
pub(super) fn policy_of(finding: &Finding) -> Option<&str> {
    finding.message.split('\'').nth(1)
}

/// Whether a finding of [`refused`] is a denial that is advice.
pub(super) fn is_undecided(finding: &Finding) -> bool {
    let is_denial = finding.message.starts_with("ValidatingAdmissionPolicy ");
    finding.id == REFUSED && finding.severity == Severity::Advice && is_denial
}

/// What the rules of a custom resource's definition refuse.
pub(super) fn rules(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Rule);
}

/// Expressions that the server does not compile.
pub(super) fn expressions(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    report(reading, findings, Concern::Expression);
}

/// The findings about policies themselves, whether they are checked or not.
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
    let in_expression = move |severity, found: &PolicyError, message: String| {
        let PolicyError { policy, place, excerpt, .. } = found;
        finding(INVALID_EXPRESSION, severity, policy, place, message, excerpt.clone().map(Box::new))
    };
    let errors = policies.errors.iter().map(move |found| {
        let hint = found.error.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        in_expression(Severity::Error, found, format!("{}{hint}", found.error))
    });
    let doubts = policies.doubts.iter().map(move |found| {
        let ExpressionError { path, message, hint, .. } = &found.error;
        let hint = hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        in_expression(Severity::Warning, found, format!("{path}: {message}{hint}"))
    });
    let unbound = policies.unbound().map(move |(name, place, near)| {
        let near =
            near.map(|(binding, of)| format!("; {binding} names {}, which is not there", go::quote(of)));
        let message = "no ValidatingAdmissionPolicyBinding uses the policy, so it has no effect";
        let message = format!("{message}{}", near.unwrap_or_default());
        finding(UNBOUND_POLICY, Severity::Warning, name, place, message, None)
    });
    errors.chain(doubts).chain(unbound)
}
