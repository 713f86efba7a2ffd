//! The rules, a row for each.

use super::finding::Findings;
use super::finding::Severity::{self, Advice, Warning};
use super::judged::Concern;
use super::kustomizations::INVALID_KUSTOMIZATION;
use super::reading::Reading;
use super::rule::Find::{self, All, One, Refused};
use super::rule::{Rule, likely, rule};
use super::{
    admission, containers, dangling, duplicates, invalid_selectors, labels, live, nodes, overlaps, owners,
    parts, paths, ports, references, refused, versions,
};
use text::{excerpt, go};

/// All rules, in the order in which they are listed.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    likely("dangling-service", All(dangling::services),
        "A Service selects no pods, although there are pods in its namespace."),
    likely("dangling-budget", All(dangling::budgets),
        "A PodDisruptionBudget selects no pods, although there are pods in its namespace."),
    likely("dangling-policy", All(dangling::policies),
        "A NetworkPolicy selects no pods, although there are pods in its namespace."),
    likely("dangling-monitor", All(dangling::monitors),
        "A ServiceMonitor or PodMonitor selects nothing, although there are Services or pods in its namespaces."),
    likely("dangling-autoscaler", All(references::scaled),
        "A HorizontalPodAutoscaler refers to a missing workload, although there are others in its namespace."),
    likely("dangling-reference", All(references::dangling),
        "An object refers to a missing object, although there are others of its kind."),
    likely("missing-path", One(paths::missing),
        "A Flux Kustomization, a HelmRelease or an Application builds from a path that its repository does not have."),
    likely("dangling-key", All(parts::missing),
        "An object refers to a key that its ConfigMap or Secret lacks, or to a listener that its Gateway lacks."),
    likely("dangling-peer", All(parts::peers),
        "A peer of a NetworkPolicy, an affinity or a spread constraint selects no pods, but nearly does."),
    likely("missing-grant", All(parts::grants),
        "A route refers to a Service in another namespace without a ReferenceGrant."),
    likely("dangling-port", All(ports::dangling),
        "An Ingress or a route refers to a port that its Service does not have, or a Service to one that its pods do not have."),
    likely("missing-request", All(dangling::requests),
        "A HorizontalPodAutoscaler scales by a resource that a container does not request."),
    rule("template-mismatch", Severity::Error, One(invalid_selectors::mismatches),
        "A workload's selector does not match the labels of its own pod template."),
    rule("invalid-selector", Severity::Error, One(invalid_selectors::invalid),
        "A selector is malformed, so it selects nothing or is rejected."),
    rule("impossible-selector", Severity::Error, One(invalid_selectors::impossible),
        "A selector cannot be satisfied by any labels."),
    rule("invalid-policy", Severity::Error, Refused(Concern::Policy),
        "A NetworkPolicy has an address range or a port that the API server rejects."),
    likely("overlapping-controllers", All(overlaps::controllers),
        "A workload's selector matches the pods of another one; advice in files that are not applied as a whole."),
    likely("overlapping-budgets", All(overlaps::budgets),
        "Two PodDisruptionBudgets select the same pod, which then cannot be evicted."),
    likely("overlapping-autoscalers", All(overlaps::autoscalers),
        "Two HorizontalPodAutoscalers scale the same workload."),
    likely("blocking-budget", One(overlaps::blocking),
        "A PodDisruptionBudget allows no eviction."),
    likely("unfit-nodes", All(nodes::unfit),
        "No node in the input satisfies a pod's nodeSelector and required node affinity."),
    likely("dangling-probe", One(containers::probes),
        "A probe or a hook names a port that its container does not declare."),
    rule("duplicate-variable", Warning, One(containers::environment),
        "A container defines an environment variable more than once; the last definition counts."),
    rule("invalid-label", Severity::Error, Refused(Concern::Label),
        "A label of an object or a pod template, or an annotation's key, is invalid."),
    likely("reserved-label", One(labels::reserved),
        "A label has a prefix that is reserved for Kubernetes, and is not a known label."),
    rule("missing-labels", Advice, One(labels::recommended),
        "A workload or Service does not have the recommended labels app.kubernetes.io/*."),
    rule("invalid-name", Severity::Error, Refused(Concern::Name),
        "A name or namespace is missing or invalid."),
    rule("repeated-key", Severity::Error, Refused(Concern::RepeatedKey),
        "A map has a key more than once; the last value counts."),
    rule(INVALID, Severity::Error, Refused(Concern::Other),
        "Another problem that kubectl reports: a missing apiVersion, a label that is not a string, unusual YAML."),
    rule("unknown-kind", Severity::Error, Refused(Concern::Kind),
        "A group of Kubernetes does not have the kind in this version; a warning for other releases than the latest known."),
    rule(refused::UNKNOWN_FIELD, Severity::Error, Refused(Concern::UnknownField),
        "A field that the kind does not have; the API server drops it or rejects the object."),
    rule(refused::TYPES, Severity::Error, Refused(Concern::Type),
        "A value does not have the type of its field."),
    rule("missing-field", Severity::Error, Refused(Concern::MissingField),
        "A required field is missing."),
    rule("crd-rule", Severity::Error, Refused(Concern::Rule),
        "An object violates a rule (x-kubernetes-validations) of its CustomResourceDefinition."),
    rule(admission::REFUSED, Severity::Error, One(admission::refused),
        "An object violates a ValidatingAdmissionPolicy; a warning or advice if the binding warns or audits."),
    rule(admission::INVALID_EXPRESSION, Severity::Error, Refused(Concern::Expression),
        "An expression of a policy, a definition, a webhook or a selector of devices does not compile."),
    likely(admission::UNBOUND_POLICY, Find::Nowhere,
        "A ValidatingAdmissionPolicy has no binding, so it has no effect."),
    rule("invalid-value", Severity::Error, Refused(Concern::Value),
        "A value that the API server refuses: not one of those allowed, out of range, malformed, repeated, or forbidden."),
    rule("removed-api", Severity::Error, One(versions::removed),
        "The release of --kubernetes, or a CustomResourceDefinition of the input, does not serve the kind in this version."),
    rule("deprecated-api", Warning, One(versions::deprecated),
        "The release of --kubernetes, or a CustomResourceDefinition of the input, warns about this version of the kind."),
    rule("server-warning", Warning, One(refused::warnings),
        "A field or an annotation about which the API server warns."),
    rule("duplicate-object", Severity::Error, All(duplicates::objects),
        "Two objects have the same kind, namespace and name; a warning in another file of a kustomization or chart, advice elsewhere."),
    rule(INVALID_KUSTOMIZATION, Severity::Error, Find::Nowhere,
        "A kustomization that kustomize refuses to build: a missing file, a circle, an object that is added twice, a change of a missing object."),
    likely("missing-owner", All(owners::missing),
        "An owner reference is to a missing object, although there are others of its kind."),
    rule("foreign-owner", Severity::Error, All(owners::foreign),
        "An owner reference is to an object in another namespace, so garbage collection deletes the dependent object."),
    rule("unqualified-finalizer", Severity::Error, One(owners::finalizers),
        "A finalizer is not of the form DOMAIN/NAME; a warning in custom resources."),
    rule("unknown-rule", Warning, One(unknown_rules),
        "An annotation or a comment disables an unknown rule."),
];

/// The rule about objects that kubectl cannot read, or that have no version.
pub(super) const INVALID: &str = "invalid-object";

/// Unreadable input is reported as findings with this id, but only in formats for programs: people get the errors.
pub static UNREADABLE: Rule = rule(
    "unreadable",
    Severity::Error,
    Find::Nowhere,
    "A document or file cannot be read, and was not checked.",
);

/// All rules, also those about live objects, in the order in which they are listed.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(live::LIVE.iter())
}

/// The rules that have a section or a row in `docs/check.md`.
pub fn documented_rules() -> impl Iterator<Item = &'static Rule> {
    all_rules().chain(std::iter::once(&UNREADABLE))
}

/// The rule with this id; `None` if there is none.
pub fn rule_of(id: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.id == id)
}

/// Reports unknown ids of rules to disable, which disable nothing.
fn unknown_rules(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let subject = &reading.subject;
    for disabled in
        subject.rare.iter().flat_map(|rare| &rare.disabled).filter(|one| rule_of(&one.id).is_none())
    {
        let id = go::quote(excerpt::identifier(&disabled.id));
        findings.add(subject, disabled.line, format_args!("disables the unknown rule {id}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::DOCUMENTATION;
    use super::*;

    #[test]
    fn every_rule_has_a_section_or_a_row_and_every_one_of_them_a_rule() {
        let id = |line: &'static str| {
            line.strip_prefix("## ").or_else(|| line.strip_prefix("| `")?.split('`').next())
        };
        let tables = ["One object", "Live objects"];
        let mut described: Vec<&str> =
            DOCUMENTATION.lines().filter_map(id).filter(|id| !tables.contains(id)).collect();
        let mut ids: Vec<&str> = documented_rules().map(|rule| rule.id).collect();
        described.sort_unstable();
        ids.sort_unstable();
        assert_eq!(described, ids);
        for rule in documented_rules() {
            let section = rule.section();
            let paragraphs: Vec<&str> = section.lines().collect();
            assert_eq!(paragraphs[0], rule.help, "{}", rule.id);
            assert!(paragraphs[1].starts_with("Why: ") && paragraphs[2].starts_with("Fix: "), "{section}");
            let is_exception = |text: &str| text.starts_with("Not reported ") || text.starts_with("Advice ");
            assert!(
                paragraphs.len() < 5 && paragraphs[3..].iter().all(|text| is_exception(text)),
                "{section}"
            );
        }
        let sections = DOCUMENTATION.split("\n## ").skip(1);
        let own = sections.filter(|section| tables.iter().all(|table| !section.starts_with(table)));
        assert!(own.map(|section| section.lines().count()).max() <= Some(12));
    }
}
