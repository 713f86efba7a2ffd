//! The edit of `set image`: its arguments, and the images of containers.

use std::collections::BTreeSet;
use std::sync::Arc;

use edit::refusal::Refused;
use manifest::object::Object;
use syntax::error::Place;
use syntax::tree::{Map, Node};
use text::image::split;
use text::{excerpt, go};

use super::container::{self, Container};
use super::object::{Done, Edit, Found, Origin};
use super::{places, pods};

pub use super::places::ImagePath;

/// The name that stands for all containers.
const ALL: &str = "*";

/// Where images may be besides containers.
const OTHER_FIELDS: &str = "values that are one text and other fields of custom resources are not searched; kselect patch changes them";

/// The images to set.
#[derive(Clone, Debug)]
pub struct Images {
    /// By the requested containers.
    changes: Vec<(String, NewImage)>,
    /// Further fields with images, in any object.
    pub paths: Vec<ImagePath>,
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
    pub fn parse(pairs: &[String]) -> Result<Self, String> {
        let image = |pair: &String| {
            let (container, image) = pair.split_once('=').unwrap_or((pair, ""));
            let image =
                NewImage::parse(image).ok_or_else(|| format!("invalid image: {}", excerpt::quote(pair)))?;
            Ok::<_, String>((container.to_owned(), image))
        };
        match pairs {
            [] => Err("at least one image update is required".to_owned()),
            _ => Ok(Self {
                changes: pairs.iter().map(image).collect::<Result<_, String>>()?,
                paths: Vec::new(),
            }),
        }
    }

    /// The image for a container: that of the last argument that requests it, or else of the last `*`.
    fn of(&self, container: &Container) -> Option<&NewImage> {
        let last = |is_for: &dyn Fn(&str) -> bool| self.changes.iter().rev().find(|(key, _)| is_for(key));
        last(&|key| container.is(key)).or_else(|| last(&|key| key == ALL)).map(|(_, image)| image)
    }

    /// Sets an image in the map that has it under this key.
    fn set(
        &self,
        (map, key): (&mut Map, &str),
        container: Container,
        at: usize,
        done: &mut Done,
    ) -> Result<(), Refused> {
        let image = self.image(&container, at)?;
        if let Some(image) = image.filter(|image| *image != container.image) {
            places::put(map, key, &image, done)?;
        }
        done.containers.push(container);
        Ok(())
    }

    /// The new image of a container; `None` if it is not requested.
    fn image(&self, container: &Container, at: usize) -> Result<Option<String>, Refused> {
        let Some(new) = self.of(container) else { return Ok(None) };
        let image = new.replacing(&container.image).ok_or_else(|| {
            let name = go::printable(&container.name);
            let message = format!("not edited: the container {name} has no image whose tag could be set");
            Refused::new(at, message)
        });
        image.map(Some)
    }

    /// Sets the images of the entries of a kustomization.
    fn set_replacements(&self, entries: &mut [Node]) -> Result<Done, Refused> {
        let mut done = Done { lacks: entries.is_empty(), ..Done::default() };
        for entry in entries {
            let container = places::replaced(entry);
            let image = self.image(&container, entry.span.start)?;
            if let Some(image) = image.filter(|image| *image != container.image) {
                places::replace(entry, &image, &mut done)?;
            }
            done.containers.push(container);
        }
        Ok(done)
    }
}

impl Edit for Images {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        if let Some(path) = places::of_replacements(origin.api_version, origin.kind) {
            return self.set_replacements(object.at_mut(path).map(Node::items_mut).unwrap_or_default());
        }
        let own = places::of(origin.api_version, origin.kind);
        let mut done = match own.is_empty() {
            true => pods::edit_each(object, origin, |node, container, done| {
                let at = node.span.start;
                let map = node.as_map_mut().map(|map| (map, "image"));
                map.map_or(Ok(()), |place| self.set(place, container, at, done))
            })?,
            false => Done { lacks: true, ..Done::default() },
        };
        let at = object.span.start;
        let mut set = |map: &mut Map, key: &str, container| {
            done.lacks = false;
            self.set((map, key), container, at, &mut done)
        };
        own.iter().chain(&self.paths).try_for_each(|path| places::each(object, path, &mut set))?;
        let mut values = object.as_map_mut().into_iter().flat_map(Map::values_mut);
        values.try_for_each(|value| places::each_inner(value, None, &mut set))?;
        Ok(done)
    }

    fn edits_tools(&self) -> bool {
        true
    }

    fn see(&self, object: &Object<'_>, is_selected: bool, found: &mut Found) {
        let Some(path) = places::of_replacements(object.head.api_version, object.head.kind) else {
            found.edited.extend(is_selected.then(|| Arc::clone(&object.document.source.name)));
            return;
        };
        let entries = object.tree().ok().and_then(|tree| tree.at(path)?.as_seq()).unwrap_or_default();
        let place = |entry: &Node| object.document.place(entry.span.start).without_document();
        for (entry, container) in entries.iter().map(|entry| (entry, places::replaced(entry))) {
            let is_asked = self.of(&container).is_some();
            if is_asked && !is_selected && found.entry.is_none() {
                found.entry = Some(place(entry));
            }
            let is_edited = is_selected && is_asked;
            found.replaced.entry(container.name).or_default().insert((place(entry), is_edited));
        }
    }

    fn warnings(&self, found: &Found) -> Vec<String> {
        // The repositories of the requested containers, before and after.
        let repositories = |container: &Container| {
            let new = self.of(container)?.replacing(&container.image)?;
            Some([&container.image, &new].map(|image| split(image).0.to_owned()))
        };
        let containers = found.containers.iter().filter(|container| !container.is_entry);
        let images: BTreeSet<[String; 2]> = containers.filter_map(repositories).collect();
        let places = |image: &String| found.replaced.get(image).into_iter().flatten();
        let warning = |[image, new]: &[String; 2], place: &Place| {
            let (image, is_kept, new) = (excerpt::cut(image), image == new, excerpt::cut(new));
            let then = match is_kept {
                true => format!("whatever its containers say; without TYPE, {image}=IMAGE sets it there"),
                false => format!(
                    "which the edit takes from containers, so it does nothing for them any more; for these, its name has to be {new}"
                ),
            };
            format!("{place}: replaces the image {image}, {then}")
        };
        let all = images.iter().flat_map(|both| {
            let dead = places(&both[0]).filter(|(_, is_edited)| !is_edited || both[0] != both[1]);
            dead.map(|(place, _)| warning(both, place))
        });
        all.collect()
    }

    /// kubectl, set_image.go, Run: only changes are reported.
    fn message(&self, done: &Done) -> Option<String> {
        done.is_changed().then(|| "image updated".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("containers")
    }

    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        let containers = &found.containers;
        let elsewhere = || Some(OTHER_FIELDS.to_owned());
        let has = |key: &str| match key {
            ALL => !containers.is_empty(),
            key => containers.iter().any(|container| container.is(key)),
        };
        let mut missing = self.changes.iter().map(|(key, _)| key.as_str()).filter(|key| !has(key)).peekable();
        if containers.is_empty() && missing.peek().is_some() {
            return vec![("the selected objects have no containers".to_owned(), elsewhere())];
        }
        let answer = |name: &str| {
            if container::is_image(name) {
                let entry = found.entry.as_ref();
                let hint =
                    entry.map(|place| format!("{place} sets it; without TYPE, the edit is made there"));
                return (
                    format!("no container has the image {}", excerpt::quote(name)),
                    hint.or(elsewhere()),
                );
            }
            let (message, hint) =
                container::unfound(name, containers, "write CONTAINER=IMAGE, or *=IMAGE for all");
            let user = containers.iter().find(|container| container.has_image(name)).map(|container| {
                let (own, image) = (excerpt::cut(&container.name), excerpt::cut(name));
                let whole = container.whole_image();
                format!(
                    "{image} is the image of the container {own}: {own}=IMAGE, or {}=IMAGE",
                    excerpt::cut(&whole)
                )
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
