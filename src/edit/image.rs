//! Changes of container images: the arguments of `set image`, and the resulting steps for an object.
//!
//! An image is only replaced if the result is certain to be written like the old one, so that setting the old one again
//! gives the same text.

use kinds;
use manifest::object::Object;
use std::collections::BTreeSet;
use syntax::gvk::{split_api_version, successor};
use syntax::head::Head;
use syntax::tree::{Node, Value};
use text::excerpt;

use super::refusal::{ChangeError, Refusal};
use super::step::{Segment, Step};

/// The lists of a pod's spec that have containers with images of their own.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];

/// The name that stands for all containers.
const ALL: &str = "*";

/// The images to set.
#[derive(Clone, Debug)]
pub struct Images(Vec<(String, NewImage)>);

/// A container of a selected object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its image; empty if it has none.
    image: String,
}

impl Container {
    fn of(node: &Node) -> Self {
        let text = |key| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        Self { name: text("name"), image: text("image") }
    }

    /// Whether `key` requests this container: by its name, or by the repository of its image or the whole image, if no
    /// container can have the name. `*` requests no container by itself.
    fn is(&self, key: &str) -> bool {
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
        let is_whole = !text.starts_with([':', '@']);
        let version = if is_whole { split(text).1 } else { text };
        if text.is_empty() || !text.chars().all(is_valid) || !is_version(version) {
            return None;
        }
        Some(if is_whole { Self::Whole(text.to_owned()) } else { Self::Version(text.to_owned()) })
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

/// Whether a text is nothing, `:TAG`, `@ALGORITHM:HEX`, or both (distribution/reference, the grammar of references).
fn is_version(text: &str) -> bool {
    let (tag, digest) = text.split_once('@').map_or((text, None), |(tag, digest)| (tag, Some(digest)));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_tag = |tag: &str| tag.starts_with(is_word) && tag.chars().all(|c| is_word(c) || ".-".contains(c));
    let is_digest = |digest: &str| {
        digest.split_once(':').is_some_and(|(algorithm, hex)| {
            !algorithm.is_empty() && !hex.is_empty() && hex.chars().all(|c| c.is_ascii_hexdigit())
        })
    };
    (tag.is_empty() || tag.strip_prefix(':').is_some_and(is_tag)) && digest.is_none_or(is_digest)
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

    /// The requests without a container among `containers`; `*` if there is none at all.
    pub fn missing(&self, containers: &BTreeSet<Container>) -> Vec<&str> {
        let has = |key: &str| match key {
            ALL => !containers.is_empty(),
            key => containers.iter().any(|container| container.is(key)),
        };
        self.0.iter().map(|(key, _)| key.as_str()).filter(|key| !has(key)).collect()
    }

    /// The image for a container that is requested itself; of several the last.
    fn of(&self, container: &Container) -> Option<&NewImage> {
        self.0.iter().rev().find(|(key, _)| container.is(key)).map(|(_, image)| image)
    }

    /// The image for all other containers.
    fn of_others(&self) -> Option<&NewImage> {
        self.0.iter().rev().find(|(key, _)| key == ALL).map(|(_, image)| image)
    }

    /// The containers of an object; none if it cannot be parsed.
    pub fn containers(&self, object: &Object<'_>) -> Vec<Container> {
        let Ok(tree) = object.tree() else { return Vec::new() };
        let specs = pod_specs(object.head, tree);
        let lists = specs.iter().filter_map(|spec| Segment::find(tree, spec));
        let lists = lists.flat_map(|spec| CONTAINERS.iter().filter_map(|list| spec.get(list)?.as_seq()));
        lists.flatten().map(Container::of).collect()
    }

    /// The steps for an object, and its containers.
    ///
    /// # Errors
    ///
    /// A container that is named has no image to replace.
    pub(super) fn steps(&self, head: &Head<'_>, tree: &Node) -> Result<(Vec<Step>, Vec<Container>), Refusal> {
        let (mut steps, mut found) = (Vec::new(), Vec::new());
        for spec in pod_specs(head, tree) {
            for list in CONTAINERS {
                let containers = Segment::find(tree, &spec).and_then(|spec| spec.get(list));
                let Some(Value::Seq(containers)) = containers.map(|list| &list.value) else { continue };
                for (at, node) in containers.iter().enumerate() {
                    let container = Container::of(node);
                    let own = self.of(&container);
                    found.push(container.clone());
                    let Some(new) = own.or_else(|| self.of_others()) else { continue };
                    let Some(old) = node.get("image").and_then(Node::as_str) else {
                        if own.is_some() {
                            return Err(Refusal::NoImage(container.name));
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
        Ok((steps, found))
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
    fn a_container_is_requested_by_its_name_or_its_image() {
        let container = Container { name: "web".to_owned(), image: "localhost:5000/a/web:1".to_owned() };
        for key in ["web", "localhost:5000/a/web", "localhost:5000/a/web:1"] {
            assert!(container.is(key), "{key}");
        }
        for key in ["", "*", "a/web", "localhost:5000/a/web:2", "a"] {
            assert!(!container.is(key), "{key}");
        }
    }

    #[test]
    fn invalid_images_are_refused() {
        for text in
            ["", ":", "@", "web:", "web@", "a b", "web:1\n", "\"web\"", "{web}", ":a/b", "@ab", "web:-1"]
        {
            assert_eq!(NewImage::parse(text), None, "{text:?}");
        }
    }
}
