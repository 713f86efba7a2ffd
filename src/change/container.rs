//! The containers of objects: where the specs of pods are, and which container is requested.

use super::tree::Segment;
use kinds;
use syntax::gvk::{split_api_version, successor};
use syntax::tree::{Node, Value};

/// The lists of a pod's spec that have containers with images of their own.
pub(super) const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// A container of a selected object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its image; empty if it has none.
    pub(super) image: String,
}

impl Container {
    pub(super) fn of(node: &Node) -> Self {
        let text = |key| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        Self { name: text("name"), image: text("image") }
    }

    /// Whether `key` requests this container: by its name, or by the repository of its image or the whole image, if no
    /// container can have the name. `*` requests no container by itself.
    pub(super) fn is(&self, key: &str) -> bool {
        match key.contains(['/', '.', ':']) {
            true => self.has_image(key),
            false => self.name == key && !key.is_empty(),
        }
    }

    /// Whether `image` is its image, or the repository of its image.
    pub fn has_image(&self, image: &str) -> bool {
        self.image == image || split(&self.image).0 == image
    }
}

/// The repository of an image, and its tag and digest with their separators.
pub(super) fn split(image: &str) -> (&str, &str) {
    let name = image.split('@').next().unwrap_or_default();
    let host = name.rfind('/').map_or(0, |at| at + 1);
    image.split_at(name[host..].find(':').map_or(name.len(), |at| host + at))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_requested_by_its_name_or_its_image() {
        let container = Container { name: "web".to_owned(), image: "localhost:5000/a/web:1".to_owned() };
        for key in ["web", "localhost:5000/a/web", "localhost:5000/a/web:1"] {
            assert!(container.is(key), "{key}");
        }
        for key in ["", "*", "a/web", "localhost:5000/a/web:2", "a"] {
            assert!(!container.is(key), "{key}");
        }
    }
}
