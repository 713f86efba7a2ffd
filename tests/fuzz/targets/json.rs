//! JSON read in four ways: the parser accepts what serde_json accepts and returns the same value, the fast reader
//! returns the head of that value, and the items cut from a List are its items.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use syntax::emit::json::compact;
use syntax::head::Head;
use syntax::json;
use syntax::json::entries::Json;
use syntax::json::list::{cut, list_start};
use syntax::list::Notation;
use syntax::parsed::ErrorKind;
use syntax::tree::Node;
use syntax::yaml::list::ListEnd;

fuzz_target!(|text: &[u8]| {
    let parsed = json::parse(text).map(|parsed| parsed.root);
    let oracle = serde_json::from_slice::<Value>(text);
    match (&parsed, &oracle) {
        (Ok(root), Ok(value)) => assert!(is_same(&again(root), value), "{value}"),
        // serde_json reads 128 levels, and rejects invalid UTF-8 and lone surrogates.
        (Ok(_), Err(error)) => {
            let text = String::from_utf8_lossy(text);
            let known = error.to_string().contains("recursion limit")
                || text.contains('\u{fffd}')
                || text.contains("\\u");
            assert!(known, "{error}");
        }
        (Err(error), Ok(_)) => {
            let known = matches!(error.kind(), ErrorKind::Depth | ErrorKind::NumberOutOfRange);
            assert!(known, "{error}");
        }
        (Err(_), Err(_)) => (),
    }
    let mut head = Head::default();
    // An invalid body is only noticed when it is needed.
    if json::head::skim::<Json>(text, &mut head)
        && let Ok(root) = &parsed
    {
        let map = root.as_map().expect("what has a head is an object");
        assert_eq!(Head::of(map).as_ref().ok(), Some(&head));
        assert!(map.get("items").is_none(), "it is a List");
    }
    if let (Some(list), Ok(root)) = (list_start::<Json>(text, Notation::Json), &parsed) {
        items(&text[list.items..], root);
    }
});

/// Checks that the items cut from a text are those of the List.
fn items(text: &[u8], root: &Node) {
    let cut = cut(text, true, Notation::Json);
    if cut.rest != ListEnd::Followed {
        return; // Not objects only.
    }
    let Some(map) = root.as_map() else { panic!("a List is an object") };
    let parsed: Vec<Node> = cut
        .items
        .iter()
        .map(|item| json::parse(&text[item.clone()]).expect("an item of JSON is JSON").root)
        .collect();
    // Of two `items`, the last one counts; if they are cut one by one, this is an error.
    if text[cut.end..].windows(5).all(|bytes| bytes != b"items") && !text[cut.end..].contains(&b'\\') {
        assert_eq!(map.get("items").and_then(Node::as_seq), Some(parsed.as_slice()));
    }
}

/// The printed value as serde_json reads it.
fn again(node: &Node) -> Value {
    let mut text = String::new();
    compact(node, &mut text);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Whether two values are equal. For Go and the parser, `-0` is an integer and so 0; for serde_json it is not.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}
