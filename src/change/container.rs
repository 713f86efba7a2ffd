//! The containers of objects, and which of them is requested.

use std::borrow::Cow;
use std::collections::BTreeSet;

use kinds::images::image_of;
use syntax::tree::Node;
use text::image::split;
use text::{excerpt, glob, plural, spelling};

/// The maximum number of containers that a hint lists.
const SHOWN: usize = 5;

/// A container of a selected object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its image; empty if it has none.
    pub(super) image: String,
    /// Whether it stands for an entry of a kustomization.
    pub(super) is_entry: bool,
}

impl Container {
    pub(super) fn of(node: &Node) -> Self {
        let image = node.as_map().and_then(|map| Some(image_of(map, "image", map.get("image")?)));
        let image = image.unwrap_or_default();
        Self { name: node.text_of("name").to_owned(), image, is_entry: false }
    }

    /// Whether `key` requests this container: by its name, or by its image, also without the tag or the digest, if no
    /// container can have the name. `*` requests no container by itself.
    pub(super) fn is(&self, key: &str) -> bool {
        is_image(key) && self.has_image(key) || self.name == key && !key.is_empty()
    }

    /// Whether its name matches the pattern of `--containers`, in which `*` stands for any characters.
    ///
    /// *Compatibility* (container-patterns): kubectl's `web*` also matches `my-web`.
    pub(super) fn matches(&self, pattern: &str) -> bool {
        glob::matches(pattern, &self.name)
    }

    /// Whether `image` is its image, also without the digest, or the repository of its image.
    pub fn has_image(&self, image: &str) -> bool {
        let tagged = self.image.split('@').next();
        self.whole_image() == image || tagged == Some(image) || split(&self.image).0 == image
    }

    /// Its image with a tag or a digest: without both, Kubernetes pulls the tag latest.
    pub(super) fn whole_image(&self) -> Cow<'_, str> {
        match split(&self.image).1 {
            "" if !self.is_entry => format!("{}:latest", self.image).into(),
            _ => (&*self.image).into(),
        }
    }
}

/// Whether this is an image: no container can have the name.
pub(super) fn is_image(key: &str) -> bool {
    key.contains(['/', '.', ':'])
}

/// The message about a container that no selected object has, with a hint; `None` inside if there are no containers.
/// `form` says how containers are requested.
pub(super) fn unfound(name: &str, containers: &BTreeSet<Container>, form: &str) -> (String, Option<String>) {
    let message = format!("unable to find container named {}", excerpt::quote(name));
    let names: BTreeSet<&str> =
        containers.iter().map(|container| &*container.name).filter(|name| !name.is_empty()).collect();
    if let Some(near) = spelling::nearest(name, names.iter().copied()) {
        return (message, Some(format!("did you mean {}?", excerpt::cut(near))));
    }
    let shown = plural::first(names.iter().map(|name| excerpt::cut(name)), SHOWN);
    let hint = format!("the containers are {shown}; {form}");
    (message, (!names.is_empty()).then_some(hint))
}

/// Why the pattern of `--containers` matches no container; `None` if it matches one.
pub(super) fn unmatched(pattern: &str, containers: &BTreeSet<Container>) -> Option<(String, Option<String>)> {
    match containers.iter().any(|container| container.matches(pattern)) {
        true => None,
        false if containers.is_empty() => Some(("the selected objects have no containers".to_owned(), None)),
        false => Some(unfound(pattern, containers, "* stands for any characters")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_requested_by_its_name_or_its_image() {
        let container =
            Container { name: "web".to_owned(), image: "localhost:5000/a/web:1".to_owned(), is_entry: false };
        for key in ["web", "localhost:5000/a/web", "localhost:5000/a/web:1"] {
            assert!(container.is(key), "{key}");
        }
        for key in ["", "*", "a/web", "localhost:5000/a/web:2", "a"] {
            assert!(!container.is(key), "{key}");
        }
    }
}
