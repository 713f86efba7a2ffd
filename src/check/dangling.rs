//! What points at nothing, though there is something to point at.

use super::Findings;
use super::input::{Input, Selectable};
use super::subject::Subject;
use crate::gvk;
use crate::relation::links;
use crate::selector::labels::Selector;
use crate::view;

const MONITORING: &str = "monitoring.coreos.com";

pub(super) fn services(input: &Input<'_>, findings: &mut Findings<'_>) {
    without_pods(input, "", "Service", findings);
}

pub(super) fn budgets(input: &Input<'_>, findings: &mut Findings<'_>) {
    without_pods(input, "policy", "PodDisruptionBudget", findings);
}

pub(super) fn policies(input: &Input<'_>, findings: &mut Findings<'_>) {
    without_pods(input, "networking.k8s.io", "NetworkPolicy", findings);
}

/// Objects of a kind that select no pod of their namespace, which has some.
fn without_pods(input: &Input<'_>, group: &str, kind: &str, findings: &mut Findings<'_>) {
    for subject in of_kind(input, group, kind) {
        let own = [subject.namespace.as_str()];
        nothing_selected(subject, &input.pods, &own, "pod", findings);
    }
}

pub(super) fn monitors(input: &Input<'_>, findings: &mut Findings<'_>) {
    let kinds = [("ServiceMonitor", &input.services, "Service"), ("PodMonitor", &input.pods, "pod")];
    for (kind, targets, target) in kinds {
        for subject in of_kind(input, MONITORING, kind) {
            let names = view::list(&subject.tree, "spec.namespaceSelector.matchNames").iter();
            let mut namespaces: Vec<&str> = names.filter_map(|name| name.as_str()).collect();
            if view::bool(&subject.tree, "spec.namespaceSelector.any") {
                namespaces = targets.namespaces().collect();
            } else if namespaces.is_empty() {
                namespaces.push(&subject.namespace);
            }
            nothing_selected(subject, targets, &namespaces, target, findings);
        }
    }
}

fn of_kind<'a>(input: &Input<'a>, group: &str, kind: &str) -> impl Iterator<Item = &'a Subject> {
    input.subjects.iter().filter(move |subject| subject.kind == kind && subject.group == group)
}

/// Tells if the subject's own selector selects none of the targets, of which there are some in the namespaces.
fn nothing_selected(
    subject: &Subject,
    targets: &Selectable<'_>,
    namespaces: &[&str],
    target: &str,
    findings: &mut Findings<'_>,
) {
    // One that is absent, empty or invalid is not dangling.
    let Ok(selector) = links::own_selector(subject.owner(), &subject.tree) else { return };
    let selects = |namespace: &&str| targets.selected(namespace, &selector).next().is_some();
    let may_select = |namespace: &&str| targets.are_in(namespace);
    if selector.contradiction().is_none()
        && namespaces.iter().any(|namespace| may_select(namespace))
        && !namespaces.iter().any(|namespace| selects(namespace))
    {
        findings.add(subject, line(subject), describe(&selector, target));
    }
}

fn describe(selector: &Selector, target: &str) -> String {
    format!("no {target} of the input has the labels {selector}")
}

fn line(subject: &Subject) -> usize {
    let field = if subject.kind == "NetworkPolicy" { "spec.podSelector" } else { "spec.selector" };
    subject.line_at(field)
}

pub(super) fn autoscalers(input: &Input<'_>, findings: &mut Findings<'_>) {
    for subject in of_kind(input, "autoscaling", "HorizontalPodAutoscaler") {
        let Some(target) = subject.tree.at("spec.scaleTargetRef") else { continue };
        let (kind, name) = (view::text(target, "kind"), view::text(target, "name"));
        let (group, _) = gvk::split_api_version(view::text(target, "apiVersion"));
        let others = input.of_kind(view::successor(group, kind), kind, &subject.namespace);
        if !others.is_empty() && others.iter().all(|other| other.name != name) {
            let line = subject.line_at("spec.scaleTargetRef");
            findings.add(subject, line, format_args!("the input has no {kind} {name} to scale"));
        }
    }
}
