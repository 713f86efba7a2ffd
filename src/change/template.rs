//! The pod templates and selectors of workloads, and whether they still match after a change.

use kinds::selectors::{Form, PODS};
use kinds::view;
use selector::labels::{LabelSelector, Selector};
use syntax::gvk::{split_api_version, successor};
use syntax::tree::Node;

use super::labels::{Change, Field, Step};
use super::object::Origin;

/// The paths of a kind's pod template and of its selector's labels; none for kinds without a selector.
struct Workload {
    template: Vec<&'static str>,
    selector: Option<Vec<&'static str>>,
}

/// The workload that an object is; a custom resource counts as one if its `spec.template` has containers.
fn workload(origin: Origin<'_>, tree: &Node) -> Option<Workload> {
    let (group, _) = split_api_version(origin.api_version);
    let path = |path: &'static str| path.split('.').collect::<Vec<_>>();
    let of_labels = |field: &'static str| [path(field), vec!["matchLabels"]].concat();
    let kind = kinds::find(successor(group, origin.kind), origin.kind);
    let Some((kind, template)) = kind.and_then(|kind| Some((kind, kind.pod.filter(|pod| !pod.is_empty())?)))
    else {
        let custom = Workload { template: path("spec.template"), selector: Some(of_labels("spec.selector")) };
        return tree.at("spec.template.spec.containers").map(|_| custom);
    };
    let selector = kind.selectors().iter().find(|field| field.each.is_empty() && field.selects == PODS);
    let selector = selector.and_then(|field| match field.form {
        Form::LabelSelector => Some(of_labels(field.path)),
        Form::Map => Some(path(field.path)),
        _ => None,
    });
    Some(Workload { template: path(template), selector })
}

fn at<'n>(node: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, key| node.get(key))
}

/// The steps for an object and, if `change` includes them, its pod template and selector.
///
/// # Errors
///
/// The selector matches the labels of the template and would no longer after the change, or it would be empty.
pub(super) fn steps(change: &Change, origin: Origin<'_>, tree: &Node) -> Result<Vec<Step>, &'static str> {
    let mut steps = change.steps();
    let Some(workload) = workload(origin, tree) else { return Ok(steps) };
    if at(tree, &workload.template).is_some_and(|node| node.as_map().is_some()) {
        let path = [&workload.template[..], &["metadata", change.field.key()]].concat();
        steps.extend(change.steps_at(&path, false));
    }
    let selector = workload
        .selector
        .as_deref()
        .filter(|path| change.field == Field::Labels && selector(tree, path).is_some());
    let Some(path) = selector else { return Ok(steps) };
    if change.selectors {
        steps.extend(change.steps_at(path, true));
    }
    let mut changed = tree.clone();
    // What cannot be changed is refused when the object is.
    steps.iter().for_each(|step| _ = step.apply(&mut changed, &[]));
    let Ok(before) = Selector::try_from(&selector_of(tree, path)) else { return Ok(steps) };
    let after = selector_of(&changed, path);
    if after == LabelSelector::default() && !before.is_empty() {
        return Err("not edited: the selector would be empty and match everything");
    }
    let after = Selector::try_from(&after).unwrap_or(Selector::nothing());
    let fits = |selector: &Selector, tree| selector.matches(template_labels(tree, &workload).as_slice());
    if fits(&before, tree) && !fits(&after, &changed) {
        return Err("not edited: the selector would no longer match the pod template (see --selectors)");
    }
    Ok(steps)
}

/// The selector whose labels are at `path`, if it is not empty.
fn selector<'n>(tree: &'n Node, path: &[&str]) -> Option<&'n Node> {
    let path = path.strip_suffix(&["matchLabels"]).unwrap_or(path);
    at(tree, path).filter(|node| node.as_map().is_some_and(|map| !map.is_empty()))
}

fn selector_of(tree: &Node, path: &[&str]) -> LabelSelector {
    let Some(node) = selector(tree, path) else { return LabelSelector::default() };
    match path.ends_with(&["matchLabels"]) {
        true => view::label_selector(node),
        false => LabelSelector { match_labels: texts(node), match_expressions: Vec::new() },
    }
}

fn template_labels(tree: &Node, workload: &Workload) -> Vec<(String, String)> {
    let path = [&workload.template[..], &["metadata", "labels"]].concat();
    at(tree, &path).map(texts).unwrap_or_default()
}

/// The entries of a map of strings; other values are skipped.
fn texts(node: &Node) -> Vec<(String, String)> {
    let entries = node.as_map().into_iter().flatten();
    entries.filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned()))).collect()
}
