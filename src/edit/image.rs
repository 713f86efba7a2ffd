//! Changes of container images: the arguments of `set image`, and the resulting steps for an object.
//!
//! An image is only replaced if the result is certain to be written like the old one, so that setting the old one again
//! gives the same text.

use std::collections::BTreeSet;

use crate::kinds;
use crate::manifest::gvk::{split_api_version, successor};
use crate::manifest::head::Head;
use crate::manifest::tree::{Node, Value};
use crate::text::excerpt;

use super::refusal::{ChangeError, Refusal};
use super::step::{Segment, Step};

/// The lists of a pod's spec that have containers with images of their own.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// The name that stands for all containers.
const ALL: &str = "*";

/// The images to set.
#[derive(Clone, Debug)]
pub struct Images(Vec<(String, NewImage)>);

/// A new image, or what its name ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NewImage {
    Whole(String),
    /// `:TAG`, `@DIGEST` or both, after the old repository.
    Version(String),
}

impl NewImage {
    fn parse(text: &str) -> Option<Self> {
        let is_valid = |c: char| c.is_ascii_alphanumeric() || "._/:@+-".contains(c);
        let (_, rest) = split(text);
        let has_empty_part = rest.split([':', '@']).skip(1).any(str::is_empty);
        if text.is_empty() || !text.chars().all(is_valid) || has_empty_part {
            return None;
        }
        match text.starts_with([':', '@']) {
            true => Some(Self::Version(text.to_owned())),
            false => Some(Self::Whole(text.to_owned())),
        }
    }

    fn replacing(&self, old: &str) -> String {
        match self {
            Self::Whole(image) => image.clone(),
            Self::Version(version) => format!("{}{version}", split(old).0),
        }
    }
}

/// The repository of an image, and its tag and digest with their separators.
fn split(image: &str) -> (&str, &str) {
    let name = image.split('@').next().unwrap_or_default();
    let host = name.rfind('/').map_or(0, |at| at + 1);
    image.split_at(name[host..].find(':').map_or(name.len(), |at| host + at))
}

/// Whether an argument is CONTAINER=IMAGE.
pub fn is_pair(argument: &str) -> bool {
    argument.find('=').is_some_and(|at| at > 0)
}

impl Images {
    /// Parses CONTAINER=IMAGE arguments.
    ///
    /// # Errors
    ///
    /// There is none, or an image is invalid.
    pub fn parse(pairs: &[String]) -> Result<Self, ChangeError> {
        let image = |pair: &String| {
            let (container, image) = pair.split_once('=').unwrap_or((pair, ""));
            let image = NewImage::parse(image)
                .ok_or_else(|| ChangeError(format!("invalid image: {}", excerpt::quote(pair))))?;
            Ok((container.to_owned(), image))
        };
        match pairs {
            [] => Err(ChangeError("at least one image update is required".to_owned())),
            _ => pairs.iter().map(image).collect::<Result<_, _>>().map(Self),
        }
    }

    /// The requested containers that are not among `names`; `*` if there is none at all.
    pub fn missing(&self, names: &BTreeSet<String>) -> Vec<&str> {
        let wanted = self.0.iter().map(|(container, _)| container.as_str());
        wanted.filter(|name| if *name == ALL { names.is_empty() } else { !names.contains(*name) }).collect()
    }

    /// The image for a container: by its name, or else by `*`; of several the last.
    fn of(&self, container: Option<&str>) -> Option<&NewImage> {
        let named = |name: &str| self.0.iter().rev().find(|(other, _)| other == name).map(|(_, image)| image);
        container.and_then(named).or_else(|| named(ALL))
    }

    /// The steps for an object, and the names of its containers.
    ///
    /// # Errors
    ///
    /// A container that is named has no image to replace.
    pub(super) fn steps(&self, head: &Head<'_>, tree: &Node) -> Result<(Vec<Step>, Vec<String>), Refusal> {
        let (mut steps, mut names) = (Vec::new(), Vec::new());
        for spec in pod_specs(head, tree) {
            for list in CONTAINERS {
                let containers = Segment::find(tree, &spec).and_then(|spec| spec.get(list));
                let Some(Value::Seq(containers)) = containers.map(|list| &list.value) else { continue };
                for (at, container) in containers.iter().enumerate() {
                    let name = container.get("name").and_then(Node::as_str);
                    names.push(name.unwrap_or_default().to_owned());
                    let Some(new) = self.of(name) else { continue };
                    let is_named = name.is_some_and(|name| self.0.iter().any(|(other, _)| other == name));
                    let Some(old) = container.get("image").and_then(Node::as_str) else {
                        if is_named {
                            return Err(Refusal::NoImage(name.unwrap_or_default().to_owned()));
                        }
                        continue;
                    };
                    let image = new.replacing(old);
                    if image != old {
                        let base =
                            [&spec[..], &[Segment::Key(list.to_owned()), Segment::Element(at)]].concat();
                        steps.push(Step::replacing(base, "image", image));
                    }
                }
            }
        }
        Ok((steps, names))
    }
}

/// The paths of the specs of pods in an object: that of its kind, or in a custom resource every map outside of
/// `metadata` and `status` that has `containers` with images.
fn pod_specs(head: &Head<'_>, tree: &Node) -> Vec<Vec<Segment>> {
    let (group, _) = split_api_version(head.api_version);
    let group = successor(group, head.kind);
    let known = kinds::built_in().find(|kind| kind.kind == head.kind && kind.group == group);
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

    #[track_caller]
    fn check(new: &str, old: &str, expected: &str) {
        assert_eq!(NewImage::parse(new).expect("an image").replacing(old), expected);
    }

    #[test]
    fn a_version_replaces_tag_and_digest() {
        check(":2", "web:1", "web:2");
        check(":2", "web", "web:2");
        check(":2", "localhost:5000/a/web", "localhost:5000/a/web:2");
        check(":2", "localhost:5000/a/web:1@sha256:ab", "localhost:5000/a/web:2");
        check("@sha256:cd", "a/web:1", "a/web@sha256:cd");
        check(":2@sha256:cd", "web@sha256:ab", "web:2@sha256:cd");
        check("b/api:3", "web:1", "b/api:3");
    }

    #[test]
    fn invalid_images_are_refused() {
        for text in ["", ":", "@", "web:", "web@", "a b", "web:1\n", "\"web\"", "{web}"] {
            assert_eq!(NewImage::parse(text), None, "{text:?}");
        }
    }
}
