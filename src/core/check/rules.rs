//! The rules, a row for each.

use super::finding::Severity::{self, Advice, Warning};
use super::finding::{Confidence, Findings};
use super::images::UNMATCHED_IMAGE;
use super::kustomizations::{INVALID_KUSTOMIZATION, UNMATCHED_PATCH};
use super::reading::Reading;
use super::rule::Find::{self, All, One, Refused};
use super::rule::{Rule, likely, rule};
use super::unlisted::UNLISTED_FILE;
use super::{
    admission, circles, containers, dangling, duplicates, invalid_selectors, labels, live, nodes, overlaps,
    owners, parts, paths, ports, references, refused, variables, versions,
};
use text::{excerpt, go};

/// All rules, in the order in which they are listed. What each finds is said in `docs/check.md`.
pub const RULES: &[Rule] = &[
    likely("dangling-service", All(dangling::services)),
    likely("dangling-budget", All(dangling::budgets)),
    likely("dangling-policy", All(dangling::policies)),
    likely("dangling-monitor", All(dangling::monitors)),
    likely("dangling-autoscaler", All(references::scaled)),
    likely("dangling-reference", All(references::dangling)),
    likely("circular-dependency", All(circles::dependencies)),
    likely("missing-path", One(paths::missing)),
    likely("unset-variable", One(variables::unset)),
    likely("dangling-key", All(parts::missing)),
    likely("dangling-peer", All(parts::peers)),
    likely("missing-grant", All(parts::grants)),
    likely("dangling-port", All(ports::dangling)),
    likely("missing-request", All(dangling::requests)),
    rule("template-mismatch", Severity::Error, One(invalid_selectors::mismatches)),
    rule("invalid-selector", Severity::Error, One(invalid_selectors::invalid)),
    rule("impossible-selector", Severity::Error, One(invalid_selectors::impossible)),
    rule("invalid-policy", Severity::Error, Refused),
    likely("overlapping-controllers", All(overlaps::controllers)),
    likely("overlapping-budgets", All(overlaps::budgets)),
    likely("overlapping-autoscalers", All(overlaps::autoscalers)),
    likely("blocking-budget", One(overlaps::blocking)),
    likely("unfit-nodes", All(nodes::unfit)),
    likely("dangling-probe", One(containers::probes)),
    rule("duplicate-variable", Warning, One(containers::environment)),
    rule("invalid-label", Severity::Error, Refused),
    likely("reserved-label", One(labels::reserved)),
    rule("missing-labels", Advice, One(labels::recommended)),
    rule("invalid-name", Severity::Error, Refused),
    rule("repeated-key", Severity::Error, Refused),
    rule(refused::INVALID, Severity::Error, Refused),
    rule("unknown-kind", Severity::Error, Refused),
    rule(refused::UNKNOWN_FIELD, Severity::Error, Refused),
    rule(refused::TYPES, Severity::Error, Refused),
    rule(refused::MISSING, Severity::Error, Refused),
    rule("crd-rule", Severity::Error, Refused),
    rule(admission::REFUSED, Severity::Error, One(admission::refused)),
    rule(admission::INVALID_EXPRESSION, Severity::Error, Refused),
    likely(admission::UNBOUND_POLICY, Find::Nowhere),
    rule(refused::VALUES, Severity::Error, Refused),
    rule("removed-api", Severity::Error, One(versions::removed)),
    rule("deprecated-api", Warning, One(versions::deprecated)),
    rule("server-warning", Warning, One(refused::warnings)),
    rule("duplicate-object", Severity::Error, All(duplicates::objects)),
    rule(INVALID_KUSTOMIZATION, Severity::Error, Find::Nowhere),
    likely(UNMATCHED_PATCH, Find::Nowhere),
    likely(UNMATCHED_IMAGE, Find::Nowhere),
    Rule { id: UNLISTED_FILE, confidence: Confidence::Possible, severity: Advice, find: Find::Nowhere },
    likely("missing-owner", All(owners::missing)),
    rule("foreign-owner", Severity::Error, All(owners::foreign)),
    rule("unqualified-finalizer", Severity::Error, One(owners::finalizers)),
    rule("unknown-rule", Warning, One(unknown_rules)),
];

/// Unreadable input is reported as findings with this id, but only in formats for programs: people get the errors.
pub static UNREADABLE: Rule = rule("unreadable", Severity::Error, Find::Nowhere);

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
        let described: Vec<&str> =
            DOCUMENTATION.lines().filter_map(id).filter(|id| !tables.contains(id)).collect();
        let ids: Vec<&str> = documented_rules().map(|rule| rule.id).collect();
        let undescribed = ids.iter().find(|id| !described.contains(id));
        assert_eq!(undescribed, None, "the rule without a section or a row in docs/check.md");
        let unknown = described.iter().find(|id| !ids.contains(id));
        assert_eq!(unknown, None, "the section or row of docs/check.md that is of no rule");
        assert_eq!(described.len(), ids.len(), "docs/check.md describes a rule twice");
        for rule in documented_rules() {
            let section = rule.section();
            let paragraphs: Vec<&str> = section.lines().collect();
            assert!(paragraphs[0] == rule.help() && paragraphs[0].ends_with('.'), "{section}");
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
