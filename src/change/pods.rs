//! The pods of objects: where their specs are, and edits of their containers.

use super::container::Container;
use super::object::{Done, Origin};
use super::tree::{Segment, find_mut};
use edit::refusal::Refused;
use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Node, Value};

/// The lists of a pod's spec that have containers with images of their own.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// Changes the containers in the specs of pods of an object. `change` adds to what is done, containers included.
pub(super) fn edit_each(
    object: &mut Node,
    origin: Origin<'_>,
    mut change: impl FnMut(&mut Node, Container, &mut Done) -> Result<(), Refused>,
) -> Result<Done, Refused> {
    let specs = pod_specs(origin.api_version, origin.kind, object);
    let mut done = Done { lacks: specs.is_empty(), ..Done::default() };
    for spec in specs {
        for list in CONTAINERS {
            let containers = find_mut(object, &spec).and_then(|spec| spec.as_map_mut()?.get_mut(list));
            for node in containers.map(Node::items_mut).unwrap_or_default() {
                let container = Container::of(node);
                change(node, container, &mut done)?;
            }
        }
    }
    Ok(done)
}

/// The paths of the specs of pods in an object: that of its kind, or in a custom resource every map outside of
/// `metadata` and `status` that has `containers` with images.
pub(super) fn pod_specs(api_version: &str, name: &str, tree: &Node) -> Vec<Vec<Segment>> {
    let (group, _) = split_api_version(api_version);
    let group = successor(group, name);
    let known = kinds::built_in().find(|kind| kind.kind == name && kind.group == group);
    if let Some(kind) = known {
        let path = kind.pod.map(|path| path.split('.').chain(["spec"]).filter(|key| !key.is_empty()));
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
    let mut step = |part: Segment, child: &Node, path: &mut Vec<Segment>| {
        path.push(part);
        add_specs(child, path, found);
        path.pop();
    };
    match &node.value {
        Value::Map(map) => {
            let has_image = |list: &Node| match &list.value {
                Value::Seq(elements) => elements.iter().any(|element| element.get("image").is_some()),
                _ => false,
            };
            if map.get("containers").is_some_and(has_image) {
                found.push(path.clone());
                return;
            }
            map.iter().for_each(|entry| step(Segment::Key(entry.key.to_string()), &entry.value, path));
        }
        Value::Seq(elements) => {
            elements.iter().enumerate().for_each(|(at, element)| step(Segment::Element(at), element, path));
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_) => (),
    }
}
