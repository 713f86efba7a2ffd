//! Selectors that are wrong regardless of other objects.

use std::borrow::Cow;

use super::finding::{Claim, Confidence, Findings};
use super::reading::Reading;
use super::shown;
use crate::relation::label_map::may_match;
use crate::relation::{pods, selects};
use kinds::form;
use selector::Requirement;
use selector::labels::Selector;
use syntax::tree::{Node, Value};
use text::placeholder::is_placeholder;

pub(super) fn mismatches(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    let Some((selector, template)) = of_workload(reading) else { return };
    // A patch contains only what it changes, so it may have no labels.
    let labels = template.at("metadata.labels").filter(|labels| !labels.is_null());
    let Some(labels) = labels.or_else(|| is_whole(template).then_some(template)) else { return };
    let added = reading.added.filter(|_| !reading.subject.is_custom);
    let own = selects::effective(pods::each_label(template), added, true);
    // What a placeholder stands for may match.
    let is_unknown = || {
        let is_open = |one: &Requirement| {
            let own = own.iter().find(|(key, _)| *key == one.key());
            own.is_some_and(|(_, value)| is_placeholder(value))
                || one.values().iter().any(|value| is_placeholder(value))
        };
        own.iter().any(|(key, _)| is_placeholder(key)) || selector.requirements().iter().any(is_open)
    };
    // What is merged into another object may leave its labels there, and a kustomization may set them.
    let is_left_out = || {
        let mut keys = selector.requirements().iter().map(Requirement::key);
        let is_set_later = reading.kustomized.is_some_and(|changes| changes.selectors);
        (reading.is_fragment || is_set_later) && !keys.any(|key| own.iter().any(|(label, _)| *label == key))
    };
    if !may_match(&selector, &own[..]) && !is_unknown() && !is_left_out() {
        let selector = shown::selector(&selector);
        let message = format!("the selector {selector} does not match the labels of the pod template");
        findings.add(&reading.subject, reading.line_of(labels.span), message);
    }
}

/// The selector and the pod template of a workload. Custom workloads may have both in the same places as built-in ones.
fn of_workload<'r, 'o>(reading: &'r Reading<'o>) -> Option<(Cow<'r, Selector>, &'o Node)> {
    let (owner, tree) = (reading.owner, reading.tree);
    if reading.subject.is_custom {
        let template = tree.at("spec.template").filter(|template| template.get("spec").is_some())?;
        let selector = tree.at("spec.selector")?;
        // OpenShift's DeploymentConfig has a map of labels, like a ReplicationController.
        let selector = match owner.kind {
            "DeploymentConfig" => form::equality_map(selector),
            _ => form::label_selector(selector.get("matchLabels").map(|_| selector)?),
        };
        return Some((Cow::Owned(selector.ok()?), template));
    }
    let template = owner.pod(tree).filter(|_| owner.is_workload())?;
    Some((Cow::Borrowed(reading.own_selector()?), template))
}

/// Whether a pod template has everything that is required.
fn is_whole(template: &Node) -> bool {
    template.at("spec.containers").is_some()
}

pub(super) fn invalid(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.owner.may_select() {
        return;
    }
    for problem in &reading.links().problems {
        // The line is that of the first list. The paths of the fields of pods are those in the pod.
        let path = problem.path.split('[').next().unwrap_or_default();
        let of_pod = || Some(format!("{}.{path}", reading.owner.pod_spec_path()?));
        let at = if reading.tree.at(path).is_some() { None } else { of_pod() };
        let at = at.as_deref().unwrap_or(path);
        let field = reading.tree.at(at);
        // wrong-type
        let is_mistyped = |field: &Node| {
            let is_whole = path == problem.path;
            !reading.subject.is_custom
                && (is_whole && field.as_map().is_none() || has_value_of_another_type(field))
        };
        if field.is_some_and(|field| has_placeholder(field) || is_mistyped(field)) {
            continue;
        }
        // A server takes any selector in a custom resource whose schema does; its controller does not.
        let confidence = if reading.subject.is_custom { Confidence::Likely } else { Confidence::Certain };
        let claim = Claim::new(problem).with_confidence(confidence);
        findings.add(&reading.subject, reading.line_at(at), claim);
    }
}

/// Whether one of the `values` of an expression in it is no string.
fn has_value_of_another_type(node: &Node) -> bool {
    match &node.value {
        Value::Seq(items) => items.iter().any(has_value_of_another_type),
        Value::Map(map) => map.iter().any(|entry| match &*entry.key {
            "values" => {
                entry.value.as_seq().is_some_and(|values| values.iter().any(|one| one.as_str().is_none()))
            }
            _ => has_value_of_another_type(&entry.value),
        }),
        _ => false,
    }
}

/// Whether a value in it, or a key, is a placeholder, as in `app: ${APP}`.
fn has_placeholder(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => is_placeholder(text),
        Value::Seq(items) => items.iter().any(has_placeholder),
        Value::Map(map) => {
            map.iter().any(|entry| is_placeholder(&entry.key) || has_placeholder(&entry.value))
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => false,
    }
}

pub(super) fn impossible(reading: &Reading<'_>, findings: &mut Findings<'_>) {
    if !reading.owner.may_select() {
        return;
    }
    for requirements in reading.links().selectors().filter_map(Selector::contradiction) {
        let joined = requirements
            .iter()
            .map(|one: &Requirement| shown::requirement(one))
            .collect::<Vec<_>>()
            .join(" and ");
        findings.add(&reading.subject, reading.line_at("spec"), format_args!("{joined} exclude each other"));
    }
}
