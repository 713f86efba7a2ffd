//! Where the specs of pods are in objects.

use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Node, Value};

/// The lists of a pod's spec that have containers with images of their own.
pub const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// A step of a path through any values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// That to the value of a key.
    Key(String),
    /// That to an element of a list.
    Element(usize),
}

/// The value at a path.
pub fn find<'n>(node: &'n Node, path: &[Segment]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, segment| match (segment, &node.value) {
        (Segment::Key(key), Value::Map(map)) => map.get(key),
        (Segment::Element(at), Value::Seq(elements)) => elements.get(*at),
        _ => None,
    })
}

/// The value at a path, for modification.
pub fn find_mut<'n>(node: &'n mut Node, path: &[Segment]) -> Option<&'n mut Node> {
    path.iter().try_fold(node, |node, segment| match (segment, &mut node.value) {
        (Segment::Key(key), Value::Map(map)) => map.get_mut(key),
        (Segment::Element(at), Value::Seq(elements)) => elements.get_mut(*at),
        _ => None,
    })
}

/// The paths of the specs of pods in an object: that of its kind, or in a custom resource every map outside of
/// `metadata` and `status` that has containers with images.
pub fn pod_specs(api_version: &str, kind: &str, tree: &Node) -> Vec<Vec<Segment>> {
    let (group, _) = split_api_version(api_version);
    let group = successor(group, kind);
    let known = super::built_in().find(|row| row.kind == kind && row.group == group);
    if let Some(row) = known {
        let path = row.pod.map(|path| path.split('.').chain(["spec"]).filter(|key| !key.is_empty()));
        return path.map(|path| path.map(|key| Segment::Key(key.to_owned())).collect()).into_iter().collect();
    }
    let mut found = Vec::new();
    for entry in tree.as_map().into_iter().flatten() {
        if !["metadata", "status"].contains(&&*entry.key) {
            add_specs(&entry.value, &mut vec![Segment::Key(entry.key.to_string())], &mut found);
        }
    }
    found
}

fn add_specs(node: &Node, path: &mut Vec<Segment>, found: &mut Vec<Vec<Segment>>) {
    let step = |part: Segment, child: &Node, path: &mut Vec<Segment>, found: &mut Vec<Vec<Segment>>| {
        path.push(part);
        add_specs(child, path, found);
        path.pop();
    };
    match &node.value {
        Value::Map(map) => {
            let elements = |list: &&str| map.get(list).and_then(Node::as_seq).into_iter().flatten();
            let is_spec = CONTAINERS.iter().flat_map(elements).any(|element| element.get("image").is_some());
            if is_spec {
                found.push(path.clone());
            }
            let others = map.iter().filter(|entry| !is_spec || !CONTAINERS.contains(&&*entry.key));
            others.for_each(|entry| step(Segment::Key(entry.key.to_string()), &entry.value, path, found));
        }
        Value::Seq(elements) => {
            let elements = elements.iter().enumerate();
            elements.for_each(|(at, element)| step(Segment::Element(at), element, path, found));
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => (),
    }
}
