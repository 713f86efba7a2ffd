//! YAML in which collectors of dumps have replaced values by `***HIDDEN***` or similar text. In YAML, `*` starts an
//! alias, so such a value makes its document invalid.

use memchr::memmem;

use super::parsed::{Error, Parsed};
use super::tree::{Node, Value};
use super::yaml;

/// The beginning and end of a redacted value.
const STARS: &str = "***";

/// One of these characters, which the text does not have, replaces the asterisks while it is read: as long as they are, for
/// private use, and valid in any plain scalar.
const STAND_INS: [char; 4] = ['\u{e000}', '\u{e001}', '\u{e002}', '\u{e003}'];

/// Parses YAML. If the text cannot be read, it is read again with redacted values as strings.
///
/// # Errors
///
/// The text is malformed, also with strings in the places of redacted values.
pub fn parse(text: &[u8]) -> Result<Option<Parsed>, Error> {
    yaml::parse(text).or_else(|error| {
        let has = |word: &str| memmem::find(text, word.as_bytes()).is_some();
        let is_free = |stand_in: &char| !has(stand_in.encode_utf8(&mut [0; 4]));
        let stand_in = if has(STARS) { STAND_INS.into_iter().find(is_free) } else { None };
        let Some(stand_in) = stand_in else { return Err(error) };
        // Both are three bytes long, so spans are those of the original, also in a text that is not UTF-8.
        let mut marked = text.to_owned();
        for at in memmem::find_iter(text, STARS) {
            stand_in.encode_utf8(&mut marked[at..]);
        }
        let mut parsed = yaml::parse(&marked).map_err(|_| error)?;
        if let Some(parsed) = &mut parsed {
            restore(&mut parsed.root, stand_in);
        }
        Ok(parsed)
    })
}

fn restore(node: &mut Node, stand_in: char) {
    match &mut node.value {
        Value::String(text) if text.contains(stand_in) => *text = text.replace(stand_in, STARS).into(),
        Value::Seq(items) => items.iter_mut().for_each(|item| restore(item, stand_in)),
        Value::Map(map) => map.values_mut().for_each(|value| restore(value, stand_in)),
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacted_values_are_text() {
        let parsed = parse(b"a: ***HIDDEN***:10000\nb: [***X***]\nc: 1\n").unwrap().unwrap().root;
        assert_eq!(parsed.get("a").and_then(Node::as_str), Some("***HIDDEN***:10000"));
        assert_eq!(
            parsed,
            yaml::parse(b"a: '***HIDDEN***:10000'\nb: ['***X***']\nc: 1\n").unwrap().unwrap().root
        );
        assert!(parse(b"a: b: ***HIDDEN***\n").is_err());
    }

    #[test]
    fn spans_are_those_of_the_text_even_if_it_is_not_utf_8() {
        let text = b"a: \xba\xdb****\nb: ***X***\n";
        let root = parse(text).unwrap().unwrap().root;
        assert_eq!(root.get("a").and_then(Node::as_str), Some("\u{fffd}\u{fffd}****"));
        let span = root.get("b").unwrap().span;
        assert_eq!((root.span.end, &text[span.start..span.end]), (text.len() - 1, &b"***X***"[..]));
    }
}
