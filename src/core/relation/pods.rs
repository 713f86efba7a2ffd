//! Pods and their templates in objects, and values at paths with lists.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smallvec::SmallVec;
use syntax::tree::Node;

/// The pods of an object: itself, or templates, each with its path. Most have one.
pub(crate) type Pods<'o> = SmallVec<[(Cow<'static, str>, &'o Node); 1]>;

/// The labels of a pod or a template, by key; see [`each_label`].
pub(crate) fn labels(pod: &Node) -> BTreeMap<&str, &str> {
    each_label(pod).collect()
}

/// The labels of a pod or a template, in the order of the text; those that are not text are left out, null is the
/// empty text.
pub(crate) fn each_label(pod: &Node) -> impl Iterator<Item = (&str, &str)> {
    let labels = pod.at("metadata.labels").and_then(Node::as_map).into_iter().flatten();
    let value = |node: &'_ Node| node.is_null().then_some("");
    labels.filter_map(move |entry| {
        Some((entry.key.as_str(), entry.value.as_str().or_else(|| value(&entry.value))?))
    })
}

/// The node at a dotted path, which may be empty; null counts as absent.
pub(super) fn below<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    let found = match path {
        "" => Some(node),
        // The key of an annotation has dots itself.
        key if key.contains('/') => node.get(key),
        path => node.at(path),
    };
    found.filter(|node| !node.is_null())
}

/// A path below another one; each may be empty.
pub(super) fn joined(above: &str, path: &str) -> String {
    let dot = if above.is_empty() || path.is_empty() { "" } else { "." };
    [above, dot, path].concat()
}

/// The maximum depth at which the pod template of a custom resource is looked for.
const DEPTH: usize = 8;

/// The pod templates in an object of a custom kind, with their paths. A kind makes pods if it has what looks like their template:
/// a map whose `spec` has `containers`, or the `domain` of a virtual machine.
pub(super) fn of_custom(object: &Node) -> Pods<'_> {
    let mut found = Pods::new();
    if let Some(spec) = object.get("spec") {
        collect_templates(spec, &mut vec!["spec"], &mut found);
    }
    found
}

fn collect_templates<'a>(node: &'a Node, path: &mut Vec<&'a str>, found: &mut Pods<'a>) {
    let is_template = |spec: &Node| {
        spec.get("containers").and_then(Node::as_seq).is_some()
            || spec.get("domain").and_then(Node::as_map).is_some()
    };
    if node.get("spec").is_some_and(is_template) {
        found.push((path.join(".").replace(".[]", "[]").into(), node));
    } else if path.len() <= DEPTH {
        for (step, node) in node.children() {
            path.push(step);
            collect_templates(node, path, found);
            path.pop();
        }
    }
}

/// The nodes at a dotted path; each step that ends in `[]` means all elements of a list, as in `spec.ingress[].from[]`.
pub(crate) fn elements<'a>(node: &'a Node, path: &str) -> Vec<&'a Node> {
    let mut found = Vec::new();
    collect(node, path, &mut found);
    found
}

/// The nodes at a path as in [`elements`], each with its own path. Below `**`, what follows is at any depth; if nothing does, the
/// selectors of keys are meant, which have a `name` and a `key`.
pub(super) fn elements_with_paths<'a>(
    node: &'a Node,
    path: &'static str,
) -> Vec<(Cow<'static, str>, &'a Node)> {
    // A path is asked about for each object.
    let split = if path.bytes().any(|byte| byte == b'*') { path.split_once(".**") } else { None };
    let Some((top, last)) = split else {
        return elements(node, path).into_iter().map(|node| (path.into(), node)).collect();
    };
    let mut found = Vec::new();
    for node in elements(node, top) {
        collect_below(node, last, &mut top.to_owned(), &mut found);
    }
    found
}

fn collect_below<'a>(
    node: &'a Node,
    last: &str,
    path: &mut String,
    found: &mut Vec<(Cow<'static, str>, &'a Node)>,
) {
    let is_it = if last.is_empty() { is_key_selector(node) } else { path.ends_with(last) };
    if is_it {
        found.push((path.clone().into(), node));
    }
    let end = path.len();
    for (step, below) in node.children() {
        path.extend([if node.as_map().is_some() { "." } else { "" }, step]);
        collect_below(below, last, path, found);
        path.truncate(end);
    }
}

/// Whether this selects a key of a Secret or of a ConfigMap, as types of Kubernetes and of projects do.
fn is_key_selector(node: &Node) -> bool {
    let has = |key| node.get(key).is_some_and(|value| value.as_str().is_some());
    let is_field = |key: &str| matches!(key, "name" | "key" | "namespace" | "optional");
    has("name") && has("key") && node.as_map().into_iter().flatten().all(|entry| is_field(&entry.key))
}

/// Whether a selector of a key that was found at any depth is for a ConfigMap, as its field says: `configMapKeyRef`.
pub(super) fn is_of_config_map(path: &str, found: &str) -> bool {
    let last = found.rsplit('.').next().unwrap_or_default();
    path.ends_with("**") && last.to_ascii_lowercase().contains("configmap")
}

/// This is called with dozens of paths for every object, which has few of them.
fn collect<'a>(node: &'a Node, path: &str, found: &mut Vec<&'a Node>) {
    // Steps are short: looking at each byte finds their ends sooner than a search that is made for long texts.
    let end = path.bytes().position(|byte| byte == b'.');
    let (step, rest) = end.map_or((path, ""), |end| (&path[..end], &path[end + 1..]));
    let (key, is_list) = step.strip_suffix("[]").map_or((step, false), |key| (key, true));
    let below = if key.is_empty() { Some(node) } else { node.get(key) };
    let Some(below) = below.filter(|node| !node.is_null()) else { return };
    let elements = if is_list { below.as_seq().unwrap_or_default() } else { std::slice::from_ref(below) };
    for element in elements {
        match rest {
            "" if is_list && element.is_null() => {}
            "" => found.push(element),
            rest => collect(element, rest, found),
        }
    }
}
