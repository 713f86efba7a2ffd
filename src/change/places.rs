//! Fields with images in objects that write their pods in a form of their own, and in kustomizations.

use edit::refusal::Refused;
use kinds::view;
use syntax::gvk::split_api_version;
use syntax::tree::{Map, Node};
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

/// Does the same for the objects below an object that write their pods in a form of their own, such as what a trial makes.
pub(super) fn each_inner(
    node: &mut Node,
    visit: &mut dyn FnMut(&mut Map, &str, Container) -> Result<(), Refused>,
) -> Result<(), Refused> {
    for path in of(view::text(node, "apiVersion"), view::text(node, "kind")) {
        each(node, &path, visit)?;
    }
    node.items_mut().iter_mut().try_for_each(|item| each_inner(item, visit))?;
    let mut values = node.as_map_mut().into_iter().flat_map(Map::values_mut);
    values.try_for_each(|value| each_inner(value, visit))
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

/// Makes an entry replace its image by `image`, which has a tag or a digest.
pub(super) fn replace(entry: &mut Node, image: &str, done: &mut Done) -> Result<(), Refused> {
    let at = entry.span.start;
    let (repository, version) = split(image);
    let (tag, digest) = version.split_once('@').unwrap_or((version, ""));
    let tag = tag.trim_start_matches(':');
    if tag.is_empty() && digest.is_empty() {
        let message = format!(
            "not edited: a kustomization keeps the tag of {}, which has none; name a tag or a digest",
            go::printable(image)
        );
        return Err(Refused::new(at, message));
    }
    let Some(map) = entry.as_map_mut() else { return Ok(()) };
    let is_own = map.get("name").and_then(Node::as_str) == Some(repository);
    for (key, value) in
        [("newName", if is_own { "" } else { repository }), ("newTag", tag), ("digest", digest)]
    {
        if map.get(key).and_then(Node::as_str).unwrap_or_default() == value {
            continue;
        }
        match value {
            "" => _ = map.remove(key),
            value => tree::put(map, key, Node::text(value)),
        }
        done.set += 1;
    }
    Ok(())
}
