//! What a cluster makes by itself, and nobody keeps in manifests: what a controller, an allocation or admission writes into
//! objects, and whole objects.

use std::sync::LazyLock;

use super::build::is_empty;
use crate::{table, view};
use syntax::tree::{Map, Node, Value};

/// The rows of `allocated.txt`, which explains them: what they are about, and their words, the missing ones empty.
static ROWS: LazyLock<Vec<(&str, [&str; 4])>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut words = line.split(' ').chain(std::iter::repeat(""));
        (words.next().unwrap_or_default(), std::array::from_fn(|_| words.next().unwrap_or_default()))
    };
    table::lines(include_str!("allocated.txt")).map(row).collect()
});

fn rows(of: &str) -> impl Iterator<Item = [&'static str; 4]> + Clone {
    ROWS.iter().filter(move |(what, _)| *what == of).map(|(_, words)| *words)
}

/// Whether a cluster makes a live object by itself.
pub fn is_made(object: &Node, kind: &str) -> bool {
    let text = |path| view::text(object, path);
    let has_controller =
        view::list(object, "metadata.ownerReferences").iter().any(|owner| owner.is_true("controller"));
    let is_named = |[of, namespace, name, _]: [&str; 4]| {
        let is_name = match name.strip_suffix('$') {
            Some(name) => text("metadata.name") == name,
            None => text("metadata.name").starts_with(name),
        };
        of == kind && is_name && (namespace == "*" || text("metadata.namespace") == namespace)
    };
    let has_mark = |[part, key, ..]: [&str; 4]| object.at(part).is_some_and(|map| map.get(key).is_some());
    !text("metadata.uid").is_empty()
        && (has_controller || rows("made").any(is_named) || rows("mark").any(has_mark))
}

/// The object without what admission sets where it is absent; `None` if it has nothing of that kind.
pub fn without_admitted(object: &Node, kind: &str) -> Option<Node> {
    let [_, field, ..] =
        rows("admitted").find(|[of, field, ..]| *of == kind && object.at(field).is_some())?;
    let mut sent = object.clone();
    remove_at(&mut sent, field);
    Some(sent)
}

/// Removes what is written into an object of a kind after its creation. Returns how many fields there were.
pub fn remove(object: &mut Node, kind: &str) -> usize {
    // A Service without an address was asked for.
    let is_headless = object.at("spec.clusterIP").and_then(Node::as_str) == Some("None");
    let is_asked_for = |field: &str| is_headless && field == "spec.clusterIP";
    let of_kind = |of| rows(of).filter(|[of, ..]| *of == kind);
    let fields = of_kind("field").filter(|[_, field, ..]| !is_asked_for(field));
    let mut count = fields.map(|[_, field, ..]| remove_at(object, field)).sum();
    for [_, path, key, start] in of_kind("item") {
        count += remove_items(object, path, &|item| {
            item.get(key).and_then(Node::as_str).is_some_and(|text| text.starts_with(start))
        });
    }
    if kind == "Pod" && view::text(object, "spec.serviceAccountName") == "default" {
        count += ["spec.serviceAccount", "spec.serviceAccountName"].map(|field| remove_at(object, field))[1];
    }
    let keys = rows("key").filter(|[_, of, ..]| of.is_empty() || *of == kind).map(|[key, ..]| key);
    for metadata in ["metadata", "spec.template.metadata"] {
        for part in ["labels", "annotations"] {
            count += each_at(object, &format!("{metadata}.{part}"), &mut |metadata, part| {
                let map = metadata.get_mut(part).and_then(Node::as_map_mut);
                let removed =
                    map.map_or(0, |map| keys.clone().filter(|key| map.remove(key).is_some()).count());
                remove_if_empty(metadata, part);
                removed
            });
        }
        let is_known = |name: &str| rows("finalizer").any(|[known, ..]| known == name);
        let finalizers = format!("{metadata}.finalizers");
        count += remove_items(object, &finalizers, &|item| item.as_str().is_some_and(is_known));
    }
    count
}

fn remove_at(node: &mut Node, path: &str) -> usize {
    each_at(node, path, &mut |map, key| usize::from(map.remove(key).is_some()))
}

/// Removes such items of the list at `path`.
fn remove_items(node: &mut Node, path: &str, is_removed: &dyn Fn(&Node) -> bool) -> usize {
    each_at(node, path, &mut |map, list| {
        let Some(Value::Seq(items)) = map.get_mut(list).map(|list| &mut list.value) else { return 0 };
        let before = items.len();
        items.retain(|item| !is_removed(item));
        let count = before - items.len();
        remove_if_empty(map, list);
        count
    })
}

/// Changes the maps that may have the last key of `path`. Returns the sum of what `change` returns.
fn each_at(node: &mut Node, path: &str, change: &mut dyn FnMut(&mut Map, &str) -> usize) -> usize {
    match path.split_once('.') {
        Some(("*", rest)) => node.items_mut().iter_mut().map(|item| each_at(item, rest, change)).sum(),
        Some((key, rest)) => {
            let below = node.as_map_mut().and_then(|map| map.get_mut(key));
            below.map_or(0, |below| each_at(below, rest, change))
        }
        None => node.as_map_mut().map_or(0, |map| change(map, path)),
    }
}

fn remove_if_empty(map: &mut Map, key: &str) {
    if map.get(key).is_some_and(|node| !node.is_null() && is_empty(Some(node))) {
        map.remove(key);
    }
}
