//! The edits that have no effect in what a kustomization builds, because it sets the same fields to other values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use change::{Edit, Origin};
use expression::jsonpath::JsonPath;
use kselect_core::diff::paths::{Difference, differences};
use kselect_core::scan::overlays::Overlays;
use manifest::object::Object;
use syntax::tree::{Node, Value};
use text::excerpt;
use text::plural::counted;

/// The fields that are set again: the place and the path of each, the first object that has it, and how many do.
#[derive(Default)]
pub struct Overridden(BTreeMap<(String, String), (String, usize)>);

impl Overridden {
    /// Adds the fields of an object that `edit` sets and that kustomizations set again. An object that cannot be parsed or edited
    /// is reported when it is edited.
    pub fn see(&mut self, edit: &dyn Edit, object: &Object<'_>, overlays: &Overlays) {
        let (head, source) = (object.head, &object.document.source.name);
        let mut settings = overlays.of_file(source).peekable();
        let Some(old) = settings.peek().and_then(|_| object.tree().ok()) else { return };
        let name = head.name.unwrap_or_default();
        let origin = Origin { api_version: head.api_version, kind: head.kind, name, source, text: &[] };
        let changes = |old: &Node| {
            let mut new = old.clone();
            edit.apply(&mut new, origin).map(|_| differences(old, &new))
        };
        let Ok(in_file) = changes(old) else { return };
        for setting in settings {
            let Some(partial) = setting.partial(object.names(), head, old) else { continue };
            // The edit may find what it is for in the patch alone, such as an image.
            let in_patch =
                if setting.is_patch() { changes(&partial).unwrap_or_default() } else { Vec::new() };
            let set_again = in_file
                .iter()
                .chain(&in_patch)
                .find_map(|change| Some((&change.path, setting.place(&again(&partial, change)?))));
            if let Some((path, place)) = set_again {
                let key = (place.to_string(), path.clone());
                self.0.entry(key).or_insert_with(|| (head.type_and_name(), 0)).1 += 1;
            }
        }
    }

    /// Adds what was seen elsewhere.
    pub fn add(&mut self, other: Self) {
        for (key, (name, count)) in other.0 {
            self.0.entry(key).or_insert((name, 0)).1 += count;
        }
    }

    /// A warning about each.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|((place, path), (name, count))| {
            let path = excerpt::cut(path);
            match count - 1 {
                0 => format!("{place}: sets {path} of {name}, whatever its file says"),
                more => {
                    let more = counted(more, "other object");
                    format!("{place}: sets {path} of {name} and {more}, whatever their files say")
                }
            }
        })
    }
}

/// The value in a partial object that takes the place of a change; `None` if there is none.
fn again(partial: &Node, change: &Difference) -> Option<Node> {
    let at = |path: &str| {
        let path = JsonPath::relaxed(path).ok()?;
        path.find(partial).ok()?.into_iter().flatten().next().map(Cow::into_owned)
    };
    let Some(found) = at(&change.path) else {
        // What a patch removes, or puts something else in the place of, has no field of the file.
        let mut above = change.path.char_indices().rev().filter(|(_, c)| *c == '.');
        return above.find_map(|(end, _)| at(&change.path[..end])?.get("$patch").cloned());
    };
    let Some(new) = &change.new else {
        // A map that is removed is as good as its entries.
        let entries = change.old.as_ref().and_then(Node::as_map).zip(found.as_map());
        return match entries {
            Some((old, set)) => {
                set.iter().find(|entry| old.get(&entry.key).is_some()).map(|entry| entry.value.clone())
            }
            None => Some(found),
        };
    };
    other_value(&found, new).cloned()
}

/// The first value of a partial object in the place of another one. Elements of lists are known by their names.
fn other_value<'p>(partial: &'p Node, new: &Node) -> Option<&'p Node> {
    match (&partial.value, &new.value) {
        (Value::Map(partial), Value::Map(new)) => {
            partial.iter().find_map(|entry| other_value(&entry.value, new.get(&entry.key)?))
        }
        (Value::Seq(partial), Value::Seq(new))
            if partial.iter().all(|element| element.get("name").is_some()) =>
        {
            let same = |element: &Node| new.iter().find(|other| other.get("name") == element.get("name"));
            partial.iter().find_map(|element| other_value(element, same(element)?))
        }
        _ => (partial != new).then_some(partial),
    }
}
