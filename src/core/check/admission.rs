//! Admission policies and rules of custom resources: what they refuse, and errors in them.

use std::collections::{HashMap, HashSet};

use super::finding::{Claim, Confidence, Finding, Findings, Severity};
use super::reading::Reading;
use super::rule::Rule;
use manifest::names::ObjectNames;
use manifest::source::Source;
use policy::verdict::{Action, ExpressionError, PolicyError};
use policy::{GROUP, POLICY, Policies};
use syntax::error::Place;
use syntax::gvk;
use text::go;

/// The id of the rule about what policies refuse.
pub(super) const REFUSED: &str = "admission-policy";

/// The id of the rule about expressions that do not compile.
pub(super) const INVALID_EXPRESSION: &str = "invalid-expression";

/// The id of the rule about policies without a binding.
pub(super) const UNBOUND_POLICY: &str = "unbound-policy";

/// The kind of a policy, with which that of a binding begins.
pub(super) const KIND: &str = "validatingadmissionpolicy";

/// What policies refuse. A policy that is bound twice refuses it once.
pub(super) fn refused(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let mut met: Vec<(&str, &str, Action)> = Vec::new();
    for decision in &reading.decisions {
        let same = (&*decision.policy, &*decision.message, decision.action);
        if met.contains(&same) {
            continue;
        }
        met.push(same);
        let confidence = match reading.is_patched || reading.is_placed_later && decision.is_of_namespace {
            true => Confidence::Possible,
            false => Confidence::Certain,
        };
        let severity = match decision.action {
            Action::Deny => Severity::Error,
            Action::Warn => Severity::Warning,
            Action::Audit => Severity::Advice,
        };
        let claim = Claim::new(decision).with_confidence(confidence).at_most(severity);
        findings.add(&reading.subject, reading.subject.line, claim);
    }
}

/// The findings of `rules` about policies themselves, whether they are checked or not.
pub(super) fn about<'p>(
    policies: &'p Policies,
    rules: &'p [&'p Rule],
    sources: &'p [Source],
) -> impl Iterator<Item = Finding> + 'p {
    let finding = |id: &str, (kind, name): (&str, &str), place: &Place, claim: Claim| {
        let rule = rules.iter().find(|rule| rule.id == id)?.most();
        let kind = gvk::lower_kind(kind, GROUP);
        Some(Finding { kind, name: name.to_owned(), ..claim.finding(rule, place.clone()) })
    };
    let in_expression = move |severity, found: &PolicyError, message: String| {
        let PolicyError { kind, policy, place, excerpt, error } = found;
        let claim = Claim::new(message).at_most(severity).hint(error.hint.clone());
        finding(INVALID_EXPRESSION, (kind, policy), place, claim.excerpt(excerpt.clone().map(Box::new)))
    };
    let errors = policies
        .errors
        .iter()
        .filter_map(move |found| in_expression(Severity::Error, found, found.error.to_string()));
    let doubts = policies.doubts.iter().filter_map(move |found| {
        let ExpressionError { path, message, .. } = &found.error;
        in_expression(Severity::Warning, found, format!("{path}: {message}"))
    });
    // A binding may have the name that a kustomization gives the policy: kustomize does not change it there.
    let affixes = sources.iter().filter_map(|source| Some((&*source.name, source.built.affixes.as_deref()?)));
    let (affixes, named): (HashMap<&str, _>, HashSet<&str>) = (affixes.collect(), policies.named().collect());
    let is_unbound = move |(name, place, _): &(&str, &Place, _)| {
        let affixes = affixes.get(&*place.source).copied();
        !ObjectNames::new(POLICY, name, affixes).given().any(|name| named.contains(&*name))
    };
    let unbound = policies.unbound().filter(is_unbound).filter_map(move |(name, place, near)| {
        let near = near.map(|(binding, of)| format!("{binding} names {}, which is not there", go::quote(of)));
        let message = "no ValidatingAdmissionPolicyBinding uses the policy, so it has no effect";
        finding(UNBOUND_POLICY, (POLICY, name), place, Claim::new(message).hint(near))
    });
    errors.chain(doubts).chain(unbound)
}
