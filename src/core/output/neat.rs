//! `--neat`: objects without the fields that a server adds. In YAML text, whole lines are removed and every other byte
//! is unchanged; if a field shares its line with others, only the field is removed.

use std::borrow::Cow;
use std::ops::Range;

use syntax::emit::yaml;
use syntax::tree::{Entry, Map, Node};
use syntax::yaml as reader;
use text::lines;

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

/// The object without these fields.
pub fn tree(object: &Node) -> Cow<'_, Node> {
    let removals = removals(object);
    if removals.is_empty() {
        return Cow::Borrowed(object);
    }
    let paths: Vec<Vec<&str>> = removals.iter().map(|removal| removal.path.clone()).collect();
    let mut object = object.clone();
    for path in paths {
        let Some((last, parents)) = path.split_last() else { continue };
        let map =
            parents.iter().try_fold(object.as_map_mut(), |map, key| Some(map?.get_mut(key)?.as_map_mut()));
        if let Some(Some(map)) = map {
            map.remove(last);
        }
    }
    Cow::Owned(object)
}

/// The document of an object without these fields: `text` with the fields cut out, or kubectl's YAML if that would
/// change its meaning. `object` is the parsed text.
pub fn document<'t>(text: Cow<'t, [u8]>, object: &Node) -> Cow<'t, [u8]> {
    let neat = match tree(object) {
        Cow::Borrowed(_) => return text,
        Cow::Owned(neat) => neat,
    };
    match cut(&text, &neat) {
        Some(cut) => Cow::Owned(cut),
        None => Cow::Owned(written(&neat)),
    }
}

/// The object as kubectl's YAML, with its keys in their order.
pub fn written(object: &Node) -> Vec<u8> {
    let mut text = String::new();
    yaml::write(object, yaml::KeyOrder::AsRead, &mut text);
    text.into_bytes()
}

/// A field to remove.
struct Removal<'n> {
    /// Its keys from the root.
    path: Vec<&'n str>,
    /// Its parent map.
    parent: &'n Node,
    /// Its index among the entries of the parent.
    at: usize,
}

/// The fields to remove, none of them within another. A map that would become empty is removed as well.
fn removals(object: &Node) -> Vec<Removal<'_>> {
    let mut removals = Vec::new();
    for (at, entry) in entries(object) {
        match &*entry.key {
            "status" => removals.push(Removal { path: vec!["status"], parent: object, at }),
            "metadata" => {
                let inner = of_metadata(&entry.value);
                let is_all = inner.iter().filter(|removal| removal.path.len() == 1).count()
                    == entry.value.as_map().map_or(0, Map::len);
                if is_all && !inner.is_empty() {
                    removals.push(Removal { path: vec!["metadata"], parent: object, at });
                } else {
                    removals.extend(inner.into_iter().map(|removal| Removal {
                        path: [&["metadata"][..], &removal.path].concat(),
                        ..removal
                    }));
                }
            }
            _ => (),
        }
    }
    removals
}

fn of_metadata(metadata: &Node) -> Vec<Removal<'_>> {
    let mut removals = Vec::new();
    for (at, entry) in entries(metadata) {
        let key = entry.key.as_str();
        if METADATA.contains(&key) {
            removals.push(Removal { path: vec![key], parent: metadata, at });
        } else if key == "annotations" {
            let noted = entries(&entry.value).find(|(_, entry)| entry.key == LAST_APPLIED);
            match (noted, entry.value.as_map().map_or(0, Map::len)) {
                (Some(_), 1) => removals.push(Removal { path: vec![key], parent: metadata, at }),
                (Some((noted, _)), _) => {
                    removals.push(Removal { path: vec![key, LAST_APPLIED], parent: &entry.value, at: noted });
                }
                (None, _) => (),
            }
        }
    }
    removals
}

fn entries(node: &Node) -> impl DoubleEndedIterator<Item = (usize, &Entry)> {
    node.as_map().map(Map::iter).unwrap_or_default().enumerate()
}

/// `text` without the fields, if that means `neat`.
fn cut(text: &[u8], neat: &Node) -> Option<Vec<u8>> {
    let parsed = reader::parse(text).ok()??;
    let removals = removals(&parsed.root);
    let range = |removal: &Removal<'_>| {
        let same = removals.iter().filter(|other| std::ptr::eq(other.parent, removal.parent));
        let removed: Vec<usize> = same.map(|other| other.at).collect();
        range(text, removal, &removed)
    };
    let mut ranges: Vec<Range<usize>> = removals.iter().map(range).collect::<Option<_>>()?;
    ranges.sort_by_key(|range| range.start);
    let mut kept = Vec::with_capacity(text.len());
    let mut end = 0;
    for range in ranges {
        kept.extend_from_slice(text.get(end..range.start.max(end))?);
        end = range.end.max(end);
    }
    kept.extend_from_slice(text.get(end..)?);
    (reader::parse(&kept).ok()??.root == *neat).then_some(kept)
}

/// The bytes of a field: its lines, or within braces the field and a comma. `removed` holds the indexes of all fields
/// that are removed from the same map.
fn range(text: &[u8], removal: &Removal<'_>, removed: &[usize]) -> Option<Range<usize>> {
    let map = removal.parent.as_map()?;
    let entry = map.iter().nth(removal.at)?;
    let next = map.iter().nth(removal.at + 1);
    if text.get(removal.parent.span.start) == Some(&b'{') {
        let mut kept = entries(removal.parent).filter(|(at, _)| !removed.contains(at));
        return match (next, kept.next_back()) {
            // The comma after the last remaining field is removed with the fields after it.
            (_, Some((at, last))) if at < removal.at => Some(last.value.span.end..entry.value.span.end),
            (Some(next), _) => Some(entry.key_span.start..next.key_span.start),
            (None, _) => Some(entry.key_span.start..entry.value.span.end),
        };
    }
    let start = lines::start(text, entry.key_span.start);
    let column = entry.key_span.start - start;
    if !text[start..entry.key_span.start].iter().all(|byte| *byte == b' ') {
        return None;
    }
    let mut end = match next {
        Some(next) => lines::start(text, next.key_span.start),
        None => end_of_block(text, start, column),
    };
    // Blank lines and comments before the next field belong to that field.
    while end > start {
        let last = lines::start(text, end - 1);
        let line = text[last..end].trim_ascii_start();
        let indent = text[last..end].len() - line.len();
        if last == start || !(line.is_empty() || line[0] == b'#' && indent <= column) {
            break;
        }
        end = last;
    }
    Some(start..end)
}

/// The end of the last line of the field whose key is at `column` of the line at `start`.
fn end_of_block(text: &[u8], start: usize, column: usize) -> usize {
    let mut end = start;
    for (number, line) in text[start..].split_inclusive(|byte| *byte == b'\n').enumerate() {
        let content = line.trim_ascii_start();
        let indent = line.len() - content.len();
        let is_item = indent == column && content.starts_with(b"- ") || content == b"-" || content == b"-\n";
        let belongs = number == 0 || content.is_empty() || content[0] == b'#' || indent > column || is_item;
        if !belongs {
            break;
        }
        end += line.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let found = paths().map(|path| {
            let path = jsonpath::JsonPath::relaxed(&path).expect("a path");
            path.find(&object).expect("a map").into_iter().flatten().count()
        });
        assert_eq!(found.sum::<usize>(), removals(&object).len());
    }

    #[test]
    fn lines_of_a_server_are_cut_and_all_others_stay() {
        check(
            "# A pod.\nkind: Pod   # of ours\nmetadata:\n  annotations:\n    a: 'b'\n    \
             kubectl.kubernetes.io/last-applied-configuration: |\n      {\"a\":1}\n  creationTimestamp: null\n  # \
             The name.\n  name: web\n  managedFields:\n  - manager: kubectl\n    operation: Apply\n  uid: \"1\"\n\nspec: \
             {}\nstatus:\n  phase: Running\n  # well\n\n# The end.\n",
            "# A pod.\nkind: Pod   # of ours\nmetadata:\n  annotations:\n    a: 'b'\n  # The name.\n  name: web\n\nspec: \
             {}\n\n# The end.\n",
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
