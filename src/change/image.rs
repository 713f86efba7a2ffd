//! The edit of `set image`: its arguments, and the images of containers.

use edit::refusal::{Refusal, Refused};
use syntax::tree::Node;
use text::{excerpt, go};

use super::container::{self, Container, split};
use super::object::{Done, Edit, Found, ObjectEdit, Origin};
use super::pods;
use super::refusal::ChangeError;
use super::tree;

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
        let is_whole = !text.starts_with([':', '@']);
        let version = if is_whole { split(text).1 } else { text };
        if text.is_empty() || !text.chars().all(is_valid) || !is_version(version) {
            return None;
        }
        Some(if is_whole { Self::Whole(text.to_owned()) } else { Self::Version(text.to_owned()) })
    }

    /// The image in the place of an old one; `None` if that has no repository to keep.
    fn replacing(&self, old: &str) -> Option<String> {
        match (self, split(old).0) {
            (Self::Whole(image), _) => Some(image.clone()),
            (Self::Version(_), "") => None,
            (Self::Version(version), repository) => Some(format!("{repository}{version}")),
        }
    }
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

    /// The image for a container that is requested itself; of several the last.
    fn of(&self, container: &Container) -> Option<&NewImage> {
        self.0.iter().rev().find(|(key, _)| container.is(key)).map(|(_, image)| image)
    }

    /// The image for all other containers.
    fn of_others(&self) -> Option<&NewImage> {
        self.0.iter().rev().find(|(key, _)| key == ALL).map(|(_, image)| image)
    }
}

impl Edit for Images {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        pods::edit_each(object, origin, |node, container, done| {
            let Some(new) = self.of(container).or_else(|| self.of_others()) else { return Ok(()) };
            let Some(image) = new.replacing(&container.image) else {
                let name = go::printable(&container.name);
                let message = format!("not edited: the container {name} has no image whose tag could be set");
                return Err(Refused { at: node.span.start, refusal: Refusal::Change(message) });
            };
            if container.image != image
                && let Some(map) = node.as_map_mut()
            {
                tree::put(map, "image", Node::text(&image));
                done.set += 1;
            }
            Ok(())
        })
    }

    /// kubectl, set_image.go, Run: only changes are reported.
    fn message(&self, done: &ObjectEdit) -> Option<String> {
        done.is_changed().then(|| "image updated".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("containers")
    }

    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        let containers = &found.containers;
        let has = |key: &str| match key {
            ALL => !containers.is_empty(),
            key => containers.iter().any(|container| container.is(key)),
        };
        let mut missing = self.0.iter().map(|(key, _)| key.as_str()).filter(|key| !has(key)).peekable();
        if containers.is_empty() && missing.peek().is_some() {
            return vec![("the selected objects have no containers".to_owned(), None)];
        }
        let answer = |name: &str| {
            let (message, hint) =
                container::unfound(name, containers, "write CONTAINER=IMAGE, or *=IMAGE for all");
            let user = containers.iter().find(|container| container.has_image(name)).map(|container| {
                let (container, image) = (excerpt::cut(&container.name), excerpt::cut(name));
                format!("{image} is the image of the container {container}: {container}=IMAGE")
            });
            (message, user.or(hint))
        };
        missing.map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(new: &str, old: &str, expected: &str) {
        assert_eq!(NewImage::parse(new).expect("an image").replacing(old).as_deref(), Some(expected));
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
        for text in
            ["", ":", "@", "web:", "web@", "a b", "web:1\n", "\"web\"", "{web}", ":a/b", "@ab", "web:-1"]
        {
            assert_eq!(NewImage::parse(text), None, "{text:?}");
        }
    }
}
