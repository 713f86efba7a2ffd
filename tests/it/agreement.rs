//! What the skimmer has to have in common with the full parser, for the tests that ask it of many documents.

use kselect::manifest::head::Head;
use kselect::manifest::skim::{List, Skimmed, outline, skim};
use kselect::manifest::tree::{Map, MapBuilder, Node, Value};
use kselect::manifest::yaml;

/// How the two readings of a document compare.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The skimmer left the document to the parser.
    Declined,
    /// Both see the same object, or the same List item by item.
    Same,
    /// The skimmer accepts what the parser refuses, with the parser's reason: the body was not looked at.
    Unseen(String),
    /// They differ: a bug of the skimmer.
    Different(String),
}

/// Reads `text` in both ways.
pub fn compare(text: &[u8]) -> Verdict {
    let mut skimmed = Head::default();
    let list = match skim(text, 0, &mut skimmed) {
        Skimmed::Declined => return Verdict::Declined,
        Skimmed::Object => None,
        Skimmed::List(list) => Some(list),
    };
    let root = match yaml::parse(text) {
        Ok(Some(parsed)) => parsed.root,
        Ok(None) => return Verdict::Different("the document is empty".to_owned()),
        Err(error) if outline(text, 0, &[]).is_none() => return Verdict::Unseen(error.to_string()),
        Err(error) => {
            return Verdict::Different(format!("the parser refuses what was read as a whole: {error}"));
        }
    };
    let Some(map) = root.as_map() else { return Verdict::Different("the document is no map".to_owned()) };
    match list {
        None => match object(map, &skimmed, Head::of(map).map_err(|(kind, _)| kind.to_string())) {
            Verdict::Same => outlined(text, 0, &root),
            other => other,
        },
        Some(list) => items(text, &list, map),
    }
}

/// Whether an outline, if the skimmer gives one, has what the whole has. Perhaps it has more of what is not asked for.
fn outlined(text: &[u8], indent: usize, root: &Node) -> Verdict {
    for without in [&[][..], &["spec", "annotations", "env", "c", "e"]] {
        let expected = pruned(root, without);
        match outline(text, indent, without) {
            Some(outline) if pruned(&outline, without) != expected => {
                return Verdict::Different(format!("outlined {outline:?}, parsed {expected:?}"));
            }
            _ => (),
        }
    }
    Verdict::Same
}

/// The value with null for each list and map under one of the keys `without`.
fn pruned(node: &Node, without: &[&str]) -> Node {
    let value = match &node.value {
        Value::Seq(items) => Value::Seq(items.iter().map(|item| pruned(item, without)).collect()),
        Value::Map(map) => {
            let mut kept = MapBuilder::default();
            for entry in map {
                let value = match entry.value.value {
                    Value::Seq(_) | Value::Map(_) if without.contains(&entry.key.as_str()) => {
                        Node::new(Value::Null)
                    }
                    _ => pruned(&entry.value, without),
                };
                kept.insert(entry.key.clone(), entry.key_span, value);
            }
            Value::Map(kept.finish())
        }
        other => other.clone(),
    };
    Node { value, span: node.span }
}

fn object(map: &Map, skimmed: &Head<'_>, parsed: Result<Head<'_>, String>) -> Verdict {
    match parsed {
        Err(reason) => Verdict::Different(reason),
        Ok(_) if map.get("items").is_some() => Verdict::Different("it is a List".to_owned()),
        Ok(parsed) if parsed == *skimmed => Verdict::Same,
        Ok(parsed) => Verdict::Different(format!("skimmed {skimmed:?}, parsed {parsed:?}")),
    }
}

fn items(text: &[u8], list: &List<'_>, map: &Map) -> Verdict {
    let head = match Head::of(map) {
        Ok(head) => head,
        Err((kind, _)) => return Verdict::Different(kind.to_string()),
    };
    if (head.api_version, head.kind) != (list.api_version, list.kind) {
        return Verdict::Different(format!("skimmed {list:?}, parsed {head:?}"));
    }
    let Some(parsed) = map.get("items").and_then(Node::as_seq) else {
        return Verdict::Different("it has no items".to_owned());
    };
    if parsed.len() != list.items.len() {
        return Verdict::Different(format!("{} items skimmed, {} parsed", list.items.len(), parsed.len()));
    }
    for (range, parsed) in list.items.iter().zip(parsed) {
        let mut skimmed = Head::default();
        match skim(&text[range.clone()], list.indent, &mut skimmed) {
            Skimmed::Declined => continue,
            Skimmed::List(_) => match parsed.get("items").and_then(Node::as_seq) {
                Some(_) => continue,
                None => return Verdict::Different("an item is no List".to_owned()),
            },
            Skimmed::Object => (),
        }
        let Some(map) = parsed.as_map() else { return Verdict::Different("an item is no map".to_owned()) };
        match object(map, &skimmed, Head::of(map).map_err(|(kind, _)| kind.to_string())) {
            Verdict::Same => (),
            other => return other,
        }
        match outlined(&text[range.clone()], list.indent, parsed) {
            Verdict::Same => (),
            other => return other,
        }
    }
    Verdict::Same
}
