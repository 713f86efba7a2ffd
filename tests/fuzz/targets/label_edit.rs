//! Labels set in a text: only the labels change, a second change does nothing, and removing a new label restores the
//! original bytes. The first byte is the label, the rest is the text.

#![no_main]

use change::edit;
use change::labels::{Change, Field};
use libfuzzer_sys::fuzz_target;
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use syntax::tree::{Map, Node, Span, Value};

const PAIRS: [(&str, &str); 4] = [("a", "v"), ("app", "true"), ("m.n/o", ""), ("zz", "1.0")];

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else { return };
    let (key, value) = PAIRS[usize::from(choice) % PAIRS.len()];
    let Some(before) = trees(text) else { return };
    let Some(set) = edited(text, &format!("{key}={value}")) else { return };

    let expected: Vec<Node> = before.iter().map(|tree| labelled(tree, key, value)).collect();
    assert_eq!(trees(&set).as_ref(), Some(&expected), "{}", String::from_utf8_lossy(&set));
    let twice = edited(&set, &format!("{key}={value}"));
    assert!(twice.is_none_or(|twice| twice == set), "applied twice");

    // An empty map is removed with the last label, so it is not restored. In braces, `metadata` stays, because it may
    // have been `{}`.
    let is_new = |tree: &Node| match (tree.get("metadata"), tree.at("metadata.labels")) {
        (metadata, None) => {
            let is_filled = |metadata: &Node| metadata.as_map().is_some_and(|map| !map.is_empty());
            metadata.map_or(!text.contains(&b'{'), is_filled)
        }
        (_, Some(labels)) => labels.as_map().is_some_and(|map| !map.is_empty() && map.get(key).is_none()),
    };
    // After a carriage return at the very end, the new line forms a single line break with it, which is removed with
    // the line.
    if before.iter().all(is_new)
        && !text.ends_with(b"\r")
        && let Some(restored) = edited(&set, &format!("{key}-"))
    {
        assert!(
            restored == text,
            "{:?} became {:?} and then {:?}",
            String::from_utf8_lossy(text),
            String::from_utf8_lossy(&set),
            String::from_utf8_lossy(&restored)
        );
    }
});

/// The text with all its objects changed; `None` if something cannot be read or is refused.
fn edited(text: &[u8], pair: &str) -> Option<Vec<u8>> {
    let source = Source::memory("text", text);
    let mut change = Change::parse(Field::Labels, &[pair.to_owned()]).expect("impossible: a valid pair");
    change.overwrite = true;
    let mut blocks = Blocks::open(&source).expect("impossible: memory opens");
    let (mut edited_text, mut sound) = (Vec::new(), true);
    while let Some(block) = blocks.next_block().expect("impossible: memory is read") {
        let edited = edit(&block, &source, &change, |object| {
            sound &= object.is_ok();
            true
        });
        if block.is_decoded() || !sound || !edited.refusals.is_empty() || !edited.conflicts.is_empty() {
            return None;
        }
        edited_text.extend(block.spliced(&edited.splices).source_text().concat());
    }
    Some(edited_text)
}

/// The objects of a text; `None` if something cannot be read.
fn trees(text: &[u8]) -> Option<Vec<Node>> {
    let source = Source::memory("text", text);
    let mut blocks = Blocks::open(&source).expect("impossible: memory opens");
    let (mut trees, mut sound) = (Vec::new(), true);
    while let Some(block) = blocks.next_block().expect("impossible: memory is read") {
        for document in block.documents(&source) {
            objects(document.ok()?, &mut |object| match object.and_then(|object| object.tree().cloned()) {
                Ok(tree) => trees.push(tree),
                Err(_) => sound = false,
            });
        }
    }
    sound.then_some(trees)
}

/// The object with a label.
fn labelled(tree: &Node, key: &str, value: &str) -> Node {
    let mut tree = tree.clone();
    let metadata = child(&mut tree, "metadata");
    let labels = child(metadata, "labels").as_map_mut().expect("labels that can be set are a map");
    labels.insert(key.to_owned(), Span::default(), Node::new(Value::String(value.into())));
    tree
}

/// The map at `key`, created if missing.
fn child<'n>(node: &'n mut Node, key: &str) -> &'n mut Node {
    let map = node.as_map_mut().expect("what has children is a map");
    if map.get(key).is_none_or(Node::is_null) {
        map.insert(key.to_owned(), Span::default(), Node::new(Value::Map(Map::new())));
    }
    map.get_mut(key).expect("impossible: it was just put there")
}
