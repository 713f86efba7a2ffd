//! `--neat`: objects without the fields that a server adds. In YAML text, whole lines are removed and every other byte
//! is unchanged; if a field shares its line with others, only the field is removed.

use std::borrow::Cow;

use syntax::emit::yaml;
use syntax::syntax::Syntax;
use syntax::tree::{Map, Node};

/// The fields of `metadata` that a server fills in.
const METADATA: [&str; 7] = [
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The annotation of `kubectl apply`.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The paths of these fields, as JSONPaths.
pub fn paths() -> impl Iterator<Item = String> {
    let metadata = METADATA.iter().map(|field| format!(".metadata.{field}"));
    let annotation = format!(".metadata.annotations.{}", LAST_APPLIED.replace('.', "\\."));
    metadata.chain([".status".to_owned(), annotation])
}

/// The object without these fields, and without maps that have nothing else.
pub fn tree(object: &Node) -> Cow<'_, Node> {
    let metadata = object.get("metadata");
    let last_applied = metadata.and_then(|metadata| metadata.get("annotations")?.get(LAST_APPLIED));
    let has_field =
        METADATA.iter().any(|field| metadata.is_some_and(|metadata| metadata.get(field).is_some()));
    if !has_field && last_applied.is_none() && object.get("status").is_none() {
        return Cow::Borrowed(object);
    }
    let mut neat = object.clone();
    remove(&mut neat, &["status"]);
    METADATA.iter().for_each(|field| remove(&mut neat, &["metadata", field]));
    remove(&mut neat, &["metadata", "annotations", LAST_APPLIED]);
    Cow::Owned(neat)
}

/// Removes the field at a path, and the maps on the way to it that become empty.
fn remove(node: &mut Node, path: &[&str]) {
    let (Some(map), Some((key, rest))) = (node.as_map_mut(), path.split_first()) else { return };
    let had_entries = map.get(key).and_then(Node::as_map).is_some_and(|map| !map.is_empty());
    if let Some(below) = map.get_mut(key).filter(|_| !rest.is_empty()) {
        remove(below, rest);
    }
    let is_emptied = had_entries && map.get(key).and_then(Node::as_map).is_some_and(Map::is_empty);
    if rest.is_empty() || is_emptied {
        map.remove(key);
    }
}

/// The document of an object without these fields: `text` with the fields cut out, or kubectl's YAML if that would
/// change its meaning. `object` is the parsed text.
pub fn document<'t>(text: Cow<'t, [u8]>, object: &Node) -> Cow<'t, [u8]> {
    let Cow::Owned(neat) = tree(object) else { return text };
    let edited = edit::edit(&text, Syntax::Yaml, |root| {
        root.clone_from(&neat);
        Ok(())
    });
    Cow::Owned(edited.map_or_else(|_| written(&neat), |edited| edited.text))
}

/// The object as kubectl's YAML, with its keys in their order.
pub fn written(object: &Node) -> Vec<u8> {
    yaml::text(object, yaml::KeyOrder::AsRead).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::yaml as reader;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let object = reader::parse(text.as_bytes()).expect("YAML").expect("an object").root;
        let neat = document(Cow::Borrowed(text.as_bytes()), &object);
        assert_eq!(String::from_utf8_lossy(&neat), expected);
        // Removing fields again changes nothing.
        let again = reader::parse(&neat).expect("YAML").expect("an object").root;
        assert!(matches!(document(neat.clone(), &again), text if text == neat));
    }

    #[test]
    fn the_paths_lead_to_what_is_left_out() {
        let object = "metadata:\n  annotations: {a: b, kubectl.kubernetes.io/last-applied-configuration: x}\n  \
                      name: a\n  uid: b\n  generation: 1\nspec: {}\nstatus: {c: d}\n";
        let object = reader::parse(object.as_bytes()).expect("YAML").expect("an object").root;
        let neat = tree(&object);
        for path in paths() {
            let path = expression::jsonpath::JsonPath::relaxed(&path).expect("a path");
            let found =
                |object: &Node| path.find(object).map_or(0, |found| found.into_iter().flatten().count());
            assert_eq!(found(&neat), 0, "{path}");
        }
    }

    #[test]
    fn lines_of_a_server_are_cut_and_all_others_stay() {
        check(
            "# A pod.\nkind: Pod   # of ours\nmetadata:\n  annotations:\n    a: 'b'\n    \
             kubectl.kubernetes.io/last-applied-configuration: |\n      {\"a\":1}\n  creationTimestamp: null\n  # \
             The name.\n  name: web\n  managedFields:\n  - manager: kubectl\n    operation: Apply\n  uid: \"1\"\n\nspec: \
             {}\nstatus:\n  phase: Running\n  # well\n\n# The end.\n",
            "# A pod.\nkind: Pod   # of ours\nmetadata:\n  annotations:\n    a: 'b'\n  # The name.\n  name: web\n\nspec: \
             {}\n  # well\n\n# The end.\n",
        );
    }

    #[test]
    fn a_map_that_would_be_empty_goes_too() {
        check(
            "kind: Pod\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: x\n  name: web\n",
            "kind: Pod\nmetadata:\n  name: web\n",
        );
        check("kind: Pod\nmetadata:\n  creationTimestamp: null\nspec: {}\n", "kind: Pod\nspec: {}\n");
    }

    #[test]
    fn fields_within_braces_go_with_their_commas() {
        check(
            "kind: Pod\nmetadata: {uid: a, name: web, labels: {a: b}, generation: 1}\n",
            "kind: Pod\nmetadata: {name: web, labels: {a: b}}\n",
        );
        check("kind: Pod\nmetadata: {name: a, uid: b, generation: 1}\n", "kind: Pod\nmetadata: {name: a}\n");
        check(
            "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"web\"}, \"status\": {}}\n",
            "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"web\"}}\n",
        );
    }

    #[test]
    fn a_status_that_an_anchor_needs_is_written_out() {
        check("kind: Pod\nstatus: &s\n  a: b\nspec: *s\n", "kind: Pod\nspec:\n  a: b\n");
    }

    #[test]
    fn line_ends_and_other_statuses_stay() {
        check(
            "kind: Pod\r\nmetadata:\r\n  uid: a\r\n  name: web\r\nspec:\r\n  status: x\r\nstatus: {}\r\n",
            "kind: Pod\r\nmetadata:\r\n  name: web\r\nspec:\r\n  status: x\r\n",
        );
    }
}
