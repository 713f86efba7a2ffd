//! Objects as `kubectl cluster-info dump` printed them up to 1.10: values of Go's internal types, which have no names for JSON
//! (Kubernetes 1.8, pkg/api/types.go). A list has `Items` and tells its kind by its `selfLink`, metadata is among the other fields,
//! and what is not set is null.

use syntax::tree::{Entry, Map, Node, Span, Value};

/// Fields whose names in JSON differ by more than capitals.
const RENAMED: [(&str, &str); 3] =
    [("CephFS", "cephfs"), ("LastTerminationState", "lastState"), ("StorageOS", "storageos")];

/// Fields with keys of users.
const OF_USERS: [&str; 9] =
    ["Allocatable", "Capacity", "Data", "Hard", "Limits", "NodeSelector", "Requests", "Selector", "Used"];

/// Fields of pods that the internal types have in the security context.
const OF_POD: [&str; 4] = ["hostIPC", "hostNetwork", "hostPID", "shareProcessNamespace"];

/// The items of a list, and the resource in its link; `None` of other values, such as an object with a type.
pub(super) fn items(list: &Node) -> Option<(&[Node], &str)> {
    if ["apiVersion", "kind"].iter().any(|key| list.get(key).is_some()) {
        return None;
    }
    let (_, resource) = list.get("selfLink")?.as_str()?.rsplit_once('/')?;
    Some((list.get("Items")?.as_seq()?, resource))
}

/// An item as an object of this type.
pub(super) fn object(item: &Node, api_version: &str, kind: &str) -> Node {
    let mut object = Map::new();
    object.insert("apiVersion", Span::default(), Node::text(api_version));
    object.insert("kind", Span::default(), Node::text(kind));
    item.as_map().into_iter().for_each(|map| add(map, true, &mut object));
    Node { value: Value::Map(object), span: item.span }
}

/// Adds fields with their names in JSON. `has_metadata` is whether fields of metadata are among them.
fn add(fields: &Map, has_metadata: bool, to: &mut Map) {
    let mut metadata = Map::new();
    for Entry { key, key_span, value } in fields.iter().filter(|entry| !entry.value.is_null()) {
        if !key.starts_with(|first: char| first.is_ascii_uppercase()) {
            let part = if has_metadata { &mut metadata } else { &mut *to };
            part.insert(key.clone(), *key_span, value.clone());
            continue;
        }
        let mut value = if OF_USERS.contains(&&**key) { value.clone() } else { converted(value) };
        if let Some(context) = value.as_map_mut().filter(|_| key == "SecurityContext") {
            for field in OF_POD {
                context.remove(field).and_then(|set| to.insert(field, Span::default(), set));
            }
        }
        to.insert(name(key), *key_span, value);
    }
    if has_metadata {
        to.insert("metadata", Span::default(), Node::new(Value::Map(metadata)));
    }
}

fn converted(node: &Node) -> Node {
    let value = match &node.value {
        Value::Map(fields) => {
            let mut map = Map::new();
            // A template of pods has metadata.
            add(fields, fields.get("Spec").is_some(), &mut map);
            Value::Map(map)
        }
        Value::Seq(items) => Value::Seq(items.iter().map(converted).collect()),
        scalar => scalar.clone(),
    };
    Node { value, span: node.span }
}

/// The name in JSON: the first word is in lowercase, as in `dnsPolicy`, `tty` and `podIP`.
fn name(field: &str) -> String {
    if let Some((_, name)) = RENAMED.iter().find(|(own, _)| *own == field) {
        return (*name).to_owned();
    }
    let capitals = field.bytes().take_while(u8::is_ascii_uppercase).count();
    let is_one_word = capitals == 1 || capitals == field.len();
    let (first, rest) = field.split_at(if is_one_word { capitals } else { capitals - 1 });
    first.to_lowercase() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_a_word_in_lowercase() {
        for (field, expected) in [
            ("Spec", "spec"),
            ("TTY", "tty"),
            ("DNSPolicy", "dnsPolicy"),
            ("PodCIDR", "podCIDR"),
            ("ExternalIPs", "externalIPs"),
            ("SELinuxOptions", "seLinuxOptions"),
            ("CephFS", "cephfs"),
        ] {
            assert_eq!(name(field), expected);
        }
    }
}
