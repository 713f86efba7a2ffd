//! What the skimmer has to have in common with the full parser, for the tests that ask it of many documents.

use kselect::manifest::head::Head;
use kselect::manifest::skim::{List, Skimmed, skim};
use kselect::manifest::tree::{Map, Node};
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
        Err(error) => return Verdict::Unseen(error.to_string()),
    };
    let Some(map) = root.as_map() else { return Verdict::Different("the document is no map".to_owned()) };
    match list {
        None => object(map, &skimmed, Head::of(map).map_err(|(kind, _)| kind.to_string())),
        Some(list) => items(text, &list, map),
    }
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
    }
    Verdict::Same
}
