//! Fields with images in objects that write their pods in a form of their own, and in kustomizations.

use edit::refusal::Refused;
use kinds::images::{ImageForm, has_values, image_of, part};
use kinds::pod_specs::CONTAINERS;
use kinds::view;
use syntax::gvk::split_api_version;
use syntax::tree::{Entry, Map, Node};
use text::image::split;
use text::{go, table};

use super::container::Container;
use super::object::Done;
use super::tree;

/// A path to fields with images, such as `spec.steps[].image`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePath(Vec<PathStep>);

/// A key, and whether the path goes on in each element of its list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathStep {
    key: String,
    is_list: bool,
}

impl ImagePath {
    /// Parses keys that are separated by dots, with `[]` or `[*]` after those of lists, and perhaps a dot before the first;
    /// `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let step = |part: &str| {
            let list = part.strip_suffix("[]").or_else(|| part.strip_suffix("[*]"));
            let key = list.unwrap_or(part);
            let is_key = !key.is_empty() && !key.contains(['[', ']', '*']);
            is_key.then(|| PathStep { key: key.to_owned(), is_list: list.is_some() })
        };
        let text = text.strip_prefix('.').unwrap_or(text);
        let steps: Vec<PathStep> = text.split('.').map(step).collect::<Option<_>>()?;
        steps.last().is_some_and(|last| !last.is_list).then_some(Self(steps))
    }
}

/// The paths of the images of a kind, after `places.txt`; none if it writes its pods as others do.
pub(super) fn of(api_version: &str, kind: &str) -> Vec<ImagePath> {
    let (group, _) = split_api_version(api_version);
    let rows = table::lines(include_str!("places.txt"));
    let of_kind = rows.filter_map(|line| {
        let mut words = line.split(' ');
        let is_kind = words.next()? == group && words.next()?.split(',').any(|name| name == kind);
        is_kind.then_some((words.next()?, words.next()?))
    });
    let paths = of_kind.flat_map(|(below, fields)| {
        let of_part = move |part| fields.split(',').map(move |field| format!("{part}.{field}"));
        below.split(',').flat_map(of_part)
    });
    paths.filter_map(|path| ImagePath::parse(&path)).collect()
}

/// Calls `visit` with the map that has the last key of a path, that key, and the container that it stands for: its name is
/// the nearest `name` in the maps on the way, or else the key.
pub(super) fn each(
    object: &mut Node,
    path: &ImagePath,
    visit: &mut dyn FnMut(&mut Map, &str, Container) -> Result<(), Refused>,
) -> Result<(), Refused> {
    walk(object, &path.0, "", visit)
}

/// Does the same for the objects below an object that write their pods in a form of their own, such as what a trial makes, and
/// for all images in the values of a release: their containers have the key of the map, if `values` has one.
pub(super) fn each_inner(
    node: &mut Node,
    values: Option<&str>,
    visit: &mut dyn FnMut(&mut Map, &str, Container) -> Result<(), Refused>,
) -> Result<(), Refused> {
    for path in of(view::text(node, "apiVersion"), view::text(node, "kind")) {
        each(node, &path, visit)?;
    }
    node.items_mut().iter_mut().try_for_each(|item| each_inner(item, values, visit))?;
    let Some(map) = node.as_map_mut() else { return Ok(()) };
    let own = map.get("name").and_then(Node::as_str).or(values).unwrap_or_default().to_owned();
    let is_image = |entry: &&Entry| ImageForm::of(map, &entry.key, &entry.value).is_some();
    let images = map.iter().filter(|_| values.is_some()).filter(is_image).map(|entry| entry.key.clone());
    for field in images.collect::<Vec<_>>() {
        let image = map.get(&field).map(|value| image_of(map, &field, value)).unwrap_or_default();
        let name = if field == "image" { own.clone() } else { field.to_string() };
        visit(map, &field, Container { name, image, is_entry: false })?;
    }
    map.entries_mut().try_for_each(|(key, value)| {
        // The specs of pods were found by themselves.
        let is_list_of_pod = CONTAINERS.contains(&key) && value.as_seq().is_some();
        let values = values.map(|_| key).or_else(|| has_values(key).then_some(""));
        each_inner(value, values.filter(|_| !is_list_of_pod), visit)
    })
}

fn walk(
    node: &mut Node,
    steps: &[PathStep],
    name: &str,
    visit: &mut dyn FnMut(&mut Map, &str, Container) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let (Some(map), Some((first, rest))) = (node.as_map_mut(), steps.split_first()) else { return Ok(()) };
    let own = map.get("name").and_then(Node::as_str).map(str::to_owned);
    let name = own.unwrap_or_else(|| name.to_owned());
    let Some(value) = map.get_mut(&first.key) else { return Ok(()) };
    if rest.is_empty() {
        let image = value.as_str().unwrap_or_default().to_owned();
        let name = if name.is_empty() { first.key.clone() } else { name };
        return visit(map, &first.key, Container { name, image, is_entry: false });
    }
    match first.is_list {
        true => value.items_mut().iter_mut().try_for_each(|element| walk(element, rest, &name, visit)),
        false => walk(value, rest, &name, visit),
    }
}

/// The groups of kustomizations (kustomize, api/types), and of those of Flux, with the path of what replaces images.
const KUSTOMIZATIONS: [(&str, &str); 2] =
    [("kustomize.config.k8s.io", "images"), ("kustomize.toolkit.fluxcd.io", "spec.images")];

/// The path of the entries that replace images, such as in a kustomization, which may omit its version; `None` for other
/// objects.
pub(super) fn of_replacements(api_version: &str, kind: &str) -> Option<&'static str> {
    let group = match split_api_version(api_version).0 {
        "" if matches!(kind, "Kustomization" | "Component") => KUSTOMIZATIONS[0].0,
        group => group,
    };
    KUSTOMIZATIONS.iter().find(|(of, _)| *of == group).map(|(_, path)| *path)
}

/// An entry as a container with the name and the image that result from it.
pub(super) fn replaced(entry: &Node) -> Container {
    let part = |separator: &str, key| match entry.text_of(key) {
        "" => String::new(),
        part => format!("{separator}{part}"),
    };
    let key = if entry.text_of("newName").is_empty() { "name" } else { "newName" };
    let repository = entry.text_of(key);
    let image = format!("{repository}{}{}", part(":", "newTag"), part("@", "digest"));
    Container { name: entry.text_of("name").to_owned(), image, is_entry: true }
}

/// The repository, the tag and the digest of an image.
fn parts_of(image: &str) -> [&str; 3] {
    let (repository, version) = split(image);
    let (tag, digest) = version.split_once('@').unwrap_or((version, ""));
    [repository, tag.trim_start_matches(':'), digest]
}

/// Sets the fields of a map that are others, and removes those that shall be empty.
fn put_parts(map: &mut Map, parts: &[(&str, &str)], done: &mut Done) {
    for (field, value) in parts {
        if part(map, field) == *value {
            continue;
        }
        match *value {
            "" => _ = map.remove(field),
            value => tree::put(map, field, Node::text(value)),
        }
        done.set += 1;
    }
}

/// Makes an entry replace its image by `image`, which has a tag or a digest.
pub(super) fn replace(entry: &mut Node, image: &str, done: &mut Done) -> Result<(), Refused> {
    let at = entry.span.start;
    let [repository, tag, digest] = parts_of(image);
    if tag.is_empty() && digest.is_empty() {
        let message = format!(
            "not edited: a kustomization keeps the tag of {}, which has none; name a tag or a digest",
            go::printable(image)
        );
        return Err(Refused::new(at, message));
    }
    let Some(map) = entry.as_map_mut() else { return Ok(()) };
    let is_own = map.get("name").and_then(Node::as_str) == Some(repository);
    let new_name = if is_own { "" } else { repository };
    put_parts(map, &[("newName", new_name), ("newTag", tag), ("digest", digest)], done);
    Ok(())
}

/// Makes a map name another image in a field, in the form in which it names one.
pub(super) fn put(map: &mut Map, field: &str, image: &str, done: &mut Done) -> Result<(), Refused> {
    let at = map.get(field).map_or(0, |value| value.span.start);
    let form = map.get(field).and_then(|value| ImageForm::of(map, field, value));
    let [repository, tag, digest] = parts_of(image);
    let refused = |lack: &str| {
        let image = go::printable(image);
        Err(Refused::new(at, format!("not edited: the image is written in parts, and {image} has no {lack}")))
    };
    let parts = match form {
        None | Some(ImageForm::Text) => {
            tree::put(map, field, Node::text(image));
            done.set += 1;
            return Ok(());
        }
        Some(ImageForm::Parts) => map.get_mut(field).and_then(Node::as_map_mut),
        Some(ImageForm::Beside) => Some(&mut *map),
    };
    let Some(parts) = parts else { return Ok(()) };
    let has = |field| parts.get(field).is_some();
    let in_tag = match digest {
        "" => tag.to_owned(),
        digest => format!("{tag}@{digest}"),
    };
    if tag.is_empty() && (digest.is_empty() || !has("digest")) {
        // A chart has a tag of its own for an image without one.
        return refused("tag");
    }
    let (tag, digest) = if has("digest") { (tag, digest) } else { (&*in_tag, "") };
    if form == Some(ImageForm::Beside) {
        let Some((repository, name)) = repository.rsplit_once('/') else { return refused("repository") };
        let version = if has("version") { "version" } else { "tag" };
        put_parts(parts, &[("repository", repository), ("image", name), (version, tag)], done);
        return Ok(());
    }
    let registry = part(parts, "registry");
    let below = repository.strip_prefix(&*registry).and_then(|rest| rest.strip_prefix('/'));
    let is_host = |host: &str| host.contains(['.', ':']) || host == "localhost";
    let other = || repository.split_once('/').filter(|(host, _)| is_host(host));
    let (registry, repository) = match (&*registry, below) {
        ("", _) => ("", repository),
        (registry, Some(below)) => (registry, below),
        (_, None) => match other() {
            Some(other) => other,
            None => return refused("registry"),
        },
    };
    let fields = [("registry", registry), ("repository", repository), ("tag", tag), ("digest", digest)];
    put_parts(parts, &fields, done);
    Ok(())
}
