//! What points at nothing, though there is something to point at.

use std::collections::HashSet;
use std::path::Path;

use super::Findings;
use super::input::{Input, Selectable};
use super::subject::Subject;
use crate::excerpt;
use crate::gvk;
use crate::relation::links;
use crate::selector::labels::Selector;
use crate::view;

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
    let subjects = of_kind(input, group, kind);
    let subjects: Vec<_> = subjects.map(|subject| (subject, vec![subject.namespace.as_str()])).collect();
    nothing_selected(input, &subjects, &input.pods, "pod", findings);
}

pub(super) fn monitors(input: &Input<'_>, findings: &mut Findings<'_>) {
    let kinds = [("ServiceMonitor", &input.services, "Service"), ("PodMonitor", &input.pods, "pod")];
    for (kind, targets, target) in kinds {
        let namespaces = |subject| (subject, monitored(subject, targets));
        let subjects: Vec<(&Subject, Vec<&str>)> =
            of_kind(input, links::MONITORING, kind).map(namespaces).collect();
        nothing_selected(input, &subjects, targets, target, findings);
    }
}

/// The namespaces in which a monitor looks.
fn monitored<'a>(subject: &'a Subject, targets: &Selectable<'a>) -> Vec<&'a str> {
    let names = view::list(&subject.tree, "spec.namespaceSelector.matchNames").iter();
    let names: Vec<&str> = names.filter_map(|name| name.as_str()).collect();
    match view::bool(&subject.tree, "spec.namespaceSelector.any") {
        true => targets.namespaces().collect(),
        false if names.is_empty() => vec![&subject.namespace],
        false => names,
    }
}

fn of_kind<'a>(input: &Input<'a>, group: &str, kind: &str) -> impl Iterator<Item = &'a Subject> {
    input.subjects.iter().filter(move |subject| subject.kind == kind && subject.group == group)
}

/// Tells of subjects, all of one kind, whose own selector selects no target in their namespaces.
///
/// There has to be reason to expect one: a target in the subject's directory, or another subject of that
/// directory that does select something.
fn nothing_selected(
    input: &Input<'_>,
    subjects: &[(&Subject, Vec<&str>)],
    targets: &Selectable<'_>,
    target: &str,
    findings: &mut Findings<'_>,
) {
    let mut expected: HashSet<(&Path, &str)> =
        targets.subjects().map(|target| (input.unit(target), &*target.namespace)).collect();
    let mut dangling = Vec::new();
    for (subject, namespaces) in subjects {
        // One that is absent, empty or invalid is not dangling.
        let Ok(selector) = links::own_selector(subject.owner(), &subject.tree) else { continue };
        if selector.contradiction().is_some() {
            continue;
        }
        match namespaces.iter().find(|namespace| targets.selected(namespace, &selector).next().is_some()) {
            Some(namespace) => drop(expected.insert((input.unit(subject), *namespace))),
            None => dangling.push((subject, namespaces, selector)),
        }
    }
    let customs = Customs::of(input);
    for (subject, namespaces, selector) in dangling {
        let is_expected = |namespace: &&str| expected.contains(&(input.unit(subject), *namespace));
        if namespaces.iter().any(is_expected)
            && !input.is_kustomized(subject)
            && !namespaces.iter().any(|namespace| customs.may_make(namespace, &selector))
        {
            let field = if subject.kind == "NetworkPolicy" { "spec.podSelector" } else { "spec.selector" };
            let message = format!("no {target} of the input has the labels {}", super::shown(&selector));
            findings.add(subject, subject.line_at(field), message);
        }
    }
}

/// The names of custom resources, by namespace: their operators make objects, and mostly label them so.
pub(super) struct Customs<'a>(HashSet<(&'a str, &'a str)>);

impl<'a> Customs<'a> {
    pub(super) fn of(input: &Input<'a>) -> Self {
        let is_custom = |subject: &&Subject| {
            let api_version = format!("{}/{}", subject.group, subject.version);
            let resource = input.catalog.of(&api_version, &subject.kind);
            !subject.group.is_empty() && resource.is_none_or(|resource| !resource.is_built_in())
        };
        let customs = input.subjects.iter().filter(is_custom);
        Self(customs.map(|subject| (&*subject.namespace, &*subject.name)).collect())
    }

    /// Whether the selector asks for a label whose value is such a name, or begins with one and a dash.
    fn may_make(&self, namespace: &str, selector: &Selector) -> bool {
        let values = selector.requirements().iter().flat_map(|requirement| requirement.values());
        values.map(String::as_str).any(|value| self.may_make_name(namespace, value))
    }

    /// Whether the text is such a name, or begins with one and a dash.
    pub(super) fn may_make_name(&self, namespace: &str, text: &str) -> bool {
        let beginnings = text.match_indices('-').filter_map(|(at, _)| text.get(..at));
        beginnings.chain([text]).any(|name| self.0.contains(&(namespace, name)))
    }
}

pub(super) fn autoscalers(input: &Input<'_>, findings: &mut Findings<'_>) {
    for subject in of_kind(input, "autoscaling", "HorizontalPodAutoscaler") {
        let Some(target) = subject.tree.at("spec.scaleTargetRef") else { continue };
        let (kind, name) = (view::text(target, "kind"), view::text(target, "name"));
        let (group, _) = gvk::split_api_version(view::text(target, "apiVersion"));
        let group = gvk::successor(group, kind);
        let expected =
            input.has_near([group, kind, &subject.namespace], subject) && !input.is_kustomized(subject);
        if expected && input.named([group, kind, &subject.namespace, name]).is_empty() {
            let line = subject.line_at("spec.scaleTargetRef");
            findings.add(
                subject,
                line,
                format_args!(
                    "the input has no {} {} to scale",
                    excerpt::identifier(kind),
                    excerpt::identifier(name)
                ),
            );
        }
    }
}
