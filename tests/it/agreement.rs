//! Compares the cursor with the full parser, for tests with many documents.

use manifest::document::Form;
use syntax::fields::Fields;
use syntax::head::Head;
use syntax::list::{ListStart, Notation};
use syntax::parsed::{Duplicate, Parsed};
use syntax::redacted;
use syntax::tree::{Map, Node, Span, Value};
use syntax::yaml::cursor::{Certain, Reason};
use syntax::yaml::head::{Skimmed, skim};
use syntax::yaml::index::Index;
use syntax::yaml::list::{Cut, ListEnd, cut};
use syntax::yaml::{check, value};

/// The result of comparing the two readings of a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cursor left the document to the parser.
    Declined(Reason),
    /// Both see the same object, or the same List item by item.
    Same,
    /// The parser rejects the document with a reason that the head does not depend on.
    Unseen(String),
    /// They differ, which is a bug in the cursor.
    Different(String),
}

/// Reads `text` in both ways: the whole document, its head and its items.
pub fn compare(text: &[u8]) -> Verdict {
    let parsed = redacted::parse(text);
    let whole = value::read(text, Form::Document, Fields::ALL);
    if let Some(difference) = checked(text, &whole) {
        return Verdict::Different(difference);
    }
    let declined = match (&whole, &parsed) {
        (Err(reason), _) => Some(*reason),
        (Ok(_), Ok(None)) => return Verdict::Different("the document is empty".to_owned()),
        (Ok(_), Err(error)) => {
            return Verdict::Different(format!("the parser refuses what was read: {error}"));
        }
        (Ok(whole), Ok(Some(parsed))) => match difference(whole, parsed) {
            Some(difference) => return Verdict::Different(difference),
            None => None,
        },
    };
    let mut skimmed = Head::default();
    let verdict = |reason| declined.map_or(Verdict::Same, |_| Verdict::Declined(reason));
    let list = match skim(text, Form::Document, &mut skimmed) {
        Skimmed::Declined(reason) => return verdict(reason),
        Skimmed::Object => None,
        Skimmed::List(start) => match items_of(text, &start) {
            cut if !matches!(cut.rest, ListEnd::Ended | ListEnd::Followed) => {
                return verdict(Reason::Indent);
            }
            cut => Some((start, cut)),
        },
    };
    let (root, duplicates) = match parsed {
        Ok(Some(parsed)) => (parsed.root, parsed.duplicates),
        Ok(None) => return Verdict::Different("the document is empty".to_owned()),
        Err(error) => return Verdict::Unseen(error.to_string()),
    };
    let Some(map) = root.as_map() else { return Verdict::Different("the document is no map".to_owned()) };
    let same = match list {
        None => match object(map, &skimmed, Head::of(map).map_err(|(kind, _)| kind.to_string())) {
            Verdict::Same => without(text, Form::Document, &root),
            other => other,
        },
        // A field that is repeated after the items counts; such a List is read as a whole.
        Some((start, list)) if duplicates.iter().any(|key| key.span.start >= start.items + list.end) => {
            Verdict::Same
        }
        Some((start, list)) => items(text, &start, &list, map, &duplicates),
    };
    match (same, declined) {
        (Verdict::Same, Some(reason)) => Verdict::Declined(reason),
        (verdict, _) => verdict,
    }
}

/// The difference between a text that is only checked and the same that is read, and between the metadata found there and
/// the metadata that was read.
fn checked(text: &[u8], whole: &Certain<Parsed>) -> Option<String> {
    let mut index = Index::default();
    index.mark(text);
    let certain = index.certain(text);
    let metadata =
        match certain.and_then(|text| check::metadata(text, index.part(0), Form::Document, "labels")) {
            Ok(metadata) if whole.is_ok() => metadata?,
            Err(reason) if whole.as_ref().err() == Some(&reason) => return None,
            other => return Some(format!("checked {other:?}, read {whole:?}")),
        };
    let whole = whole.as_ref().ok()?.root.get("metadata");
    let read = value::read(&text[metadata.lines.clone()], Form::Document, Fields::ALL);
    if read.as_ref().ok().and_then(|read| read.root.get("metadata")) != whole {
        return Some(format!("{metadata:?}, whose lines are read {read:?}"));
    }
    let start = metadata.lines.start;
    let place = |span: Span| span.start - start..span.end - start;
    let fields = whole.and_then(Node::as_map);
    let is_repeated = fields.is_none_or(|fields| fields.len() < metadata.fields.len());
    let fields = fields
        .into_iter()
        .flatten()
        .map(|entry| (entry.key.as_str(), place(entry.key_span), place(entry.value.span)));
    let found = metadata.fields.iter();
    // A field that is repeated is there once in the tree.
    let is_same = is_repeated
        || found.map(|field| (&*field.key, field.key_span.clone(), field.span.clone())).eq(fields);
    let labels = whole.and_then(|whole| whole.get("labels")?.as_map()).into_iter().flatten();
    let labels = labels.map(|entry| {
        (entry.key.as_str(), place(entry.key_span), entry.value.as_str(), place(entry.value.span))
    });
    let found = metadata.map.iter().flat_map(|map| &map.entries);
    let found =
        found.map(|entry| (&*entry.key, entry.key_span.clone(), entry.value.as_deref(), entry.span.clone()));
    let is_same = is_same && (metadata.map.is_none() || found.eq(labels));
    (!is_same).then(|| format!("{metadata:?}, read {whole:?}"))
}

/// The differences between the two readings in values, positions or repeated keys.
fn difference(read: &Parsed, parsed: &Parsed) -> Option<String> {
    let repeated = || {
        let (read, parsed) = (&read.duplicates, &parsed.duplicates);
        (read != parsed).then(|| format!("repeated keys {read:?}, parsed {parsed:?}"))
    };
    node_difference(&read.root, &parsed.root, "").or_else(repeated)
}

fn node_difference(read: &Node, parsed: &Node, path: &str) -> Option<String> {
    let within = match (&read.value, &parsed.value) {
        (Value::Map(read), Value::Map(parsed)) if read.len() == parsed.len() => {
            read.iter().zip(parsed).find_map(|(read, parsed)| {
                let path = format!("{path}.{}", parsed.key);
                let (key, expected) = ((&read.key, read.key_span), (&parsed.key, parsed.key_span));
                let keys = (key != expected).then(|| format!("{path}: {key:?}, parsed {expected:?}"));
                keys.or_else(|| node_difference(&read.value, &parsed.value, &path))
            })
        }
        (Value::Seq(read), Value::Seq(parsed)) if read.len() == parsed.len() => {
            let mut pairs = read.iter().zip(parsed).enumerate();
            pairs.find_map(|(at, (read, parsed))| node_difference(read, parsed, &format!("{path}[{at}]")))
        }
        (read, parsed) => (read != parsed).then(|| format!("{path}: {read:?}, parsed {parsed:?}")),
    };
    let spans =
        || (read.span != parsed.span).then(|| format!("{path}: {:?}, parsed {:?}", read.span, parsed.span));
    within.or_else(spans)
}

/// Whether the requested fields, if they can be read alone, equal those of the whole object. There may be more.
fn without(text: &[u8], form: Form, root: &Node) -> Verdict {
    for without in [&[][..], &["spec", "annotations", "env", "c", "e"]] {
        let expected = pruned(root, without);
        match value::read(text, form, Fields::without(without)) {
            Ok(read) if pruned(&read.root, without) != expected => {
                return Verdict::Different(format!("read {:?}, parsed {expected:?}", read.root));
            }
            _ => (),
        }
    }
    Verdict::Same
}

/// The value with null in place of each list and map under the keys in `without`.
fn pruned(node: &Node, without: &[&str]) -> Node {
    let value = match &node.value {
        Value::Seq(items) => Value::Seq(items.iter().map(|item| pruned(item, without)).collect()),
        Value::Map(map) => {
            let mut kept = Map::default();
            for entry in map {
                let value = match entry.value.value {
                    Value::Seq(_) | Value::Map(_) if without.contains(&entry.key.as_str()) => {
                        Node::new(Value::Null)
                    }
                    _ => pruned(&entry.value, without),
                };
                kept.insert(entry.key.clone(), entry.key_span, value);
            }
            Value::Map(kept)
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

/// The items of a List that begins like this.
fn items_of(text: &[u8], start: &ListStart) -> Cut {
    let mut index = Index::default();
    index.mark(text);
    let Notation::Block { dash } = start.notation else { panic!("impossible: the cursor reads block style") };
    cut(text, &index, start.items, dash, true)
}

fn items(text: &[u8], start: &ListStart, list: &Cut, map: &Map, duplicates: &[Duplicate]) -> Verdict {
    let head = match Head::of_list(map) {
        Ok(head) => head,
        // It is reported once the part after the items has been read.
        Err((kind, _)) => return Verdict::Unseen(kind.to_string()),
    };
    let stated = [(head.api_version, &start.api_version), (head.kind, &start.kind)];
    if stated.iter().any(|(parsed, skimmed)| !skimmed.is_empty() && parsed != skimmed) {
        return Verdict::Different(format!("skimmed {start:?}, parsed {head:?}"));
    }
    let Some(parsed) = map.get("items").and_then(Node::as_seq) else {
        return Verdict::Different("it has no items".to_owned());
    };
    if parsed.len() != list.items.len() {
        return Verdict::Different(format!("{} items skimmed, {} parsed", list.items.len(), parsed.len()));
    }
    for (range, parsed) in list.items.iter().zip(parsed) {
        let range = start.items + range.start..start.items + range.end;
        let mut skimmed = Head::default();
        match skim(&text[range.clone()], start.notation.form(), &mut skimmed) {
            Skimmed::Declined(_) => continue,
            Skimmed::List(_) => match parsed.get("items").and_then(Node::as_seq) {
                Some(_) => continue,
                // Its `items` may be repeated after the first ones.
                None if duplicates.iter().any(|key| range.contains(&key.span.start)) => continue,
                None => return Verdict::Different("an item is no List".to_owned()),
            },
            Skimmed::Object => (),
        }
        let Some(map) = parsed.as_map() else { return Verdict::Different("an item is no map".to_owned()) };
        match object(map, &skimmed, Head::of(map).map_err(|(kind, _)| kind.to_string())) {
            Verdict::Same => (),
            other => return other,
        }
        match without(&text[range.clone()], start.notation.form(), parsed) {
            Verdict::Same => (),
            other => return other,
        }
    }
    Verdict::Same
}
