//! YAML in which collectors of dumps have replaced values by `***HIDDEN***` or similar text. In YAML, `*` starts an
//! alias, so such a value makes its document invalid.

use memchr::memmem;

use super::parsed::{Error, Parsed};
use super::tree::{Node, Value};
use super::yaml;

/// The beginning and end of a redacted value.
const STARS: &str = "***";

/// Replaces the asterisks while the text is read: as long as they are, for private use, and valid in any plain scalar.
const STAND_IN: &str = "\u{e000}";

/// As [`yaml::parse`]. If the text cannot be read, it is read again with redacted values as strings.
///
/// # Errors
///
/// As for [`yaml::parse`].
pub fn parse(text: &[u8]) -> Result<Option<Parsed>, Error> {
    yaml::parse(text).or_else(|error| {
        let has = |word: &str| memmem::find(text, word.as_bytes()).is_some();
        if !has(STARS) || has(STAND_IN) {
            return Err(error);
        }
        let text = String::from_utf8_lossy(text).replace(STARS, STAND_IN);
        let mut parsed = yaml::parse(text.as_bytes()).map_err(|_| error)?;
        if let Some(parsed) = &mut parsed {
            restore(&mut parsed.root);
        }
        Ok(parsed)
    })
}

fn restore(node: &mut Node) {
    match &mut node.value {
        Value::String(text) if text.contains(STAND_IN) => *text = text.replace(STAND_IN, STARS).into(),
        Value::Seq(items) => items.iter_mut().for_each(restore),
        Value::Map(map) => {
            let keys: Vec<_> = map.iter().map(|entry| entry.key.clone()).collect();
            for key in keys {
                if let Some(value) = map.get_mut(&key) {
                    restore(value);
                }
            }
        }
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
}
