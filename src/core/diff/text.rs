//! The text of an object for a diff: the original text, without ignored fields and secrets.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use memchr::memmem;

use super::hunks;
use super::paths::Difference;
use super::value::Ignored;
use manifest::document::Syntax;
use manifest::object::{Object, outdent};
use syntax::emit::scalar::{self, Quotes};
use syntax::emit::yaml::{self, KeyOrder};
use syntax::error::Error;
use syntax::tree::{Node, Value};
use syntax::yaml::scalar::plain_block;
use text::lines;

/// The fields of a Secret whose values are masked.
const SECRET: [&str; 2] = ["data", "stringData"];

/// The beginning of a masked value; a tag follows that is the same for equal values within a run. It needs no quotes.
const TOKEN: &str = "kselect.masked.";

/// A masked value for display.
const MASK: &str = "***";
const TAG: usize = 16;

/// What follows a masked value that differs.
const BEFORE: &str = " (before)";
const AFTER: &str = " (after)";

/// Makes texts of objects.
#[derive(Debug, Default)]
pub struct Texts {
    /// The hash of the tags is seeded randomly, so a tag does not reveal the value.
    tags: RandomState,
}

impl Texts {
    /// The text of `object`: the author's YAML without the lines of ignored fields. For JSON, and if the author's text
    /// cannot be used alone, it is kubectl's YAML. The values of a Secret are masked.
    ///
    /// # Errors
    ///
    /// The object's text cannot be parsed.
    pub fn of(&self, object: &Object<'_>, ignored: &Ignored) -> Result<Vec<u8>, Error> {
        let tree = object.tree()?;
        let (text, column) = (object.spanned_text().0, object.column());
        // A dash is layout.
        let text = [&b" ".repeat(column), text.get(column..).unwrap_or_default()].concat();
        let stands_alone =
            !object.is_changed() && object.document.syntax == Syntax::Yaml && object.part().path.is_empty();
        let shown = || self.value(object, tree, ignored);
        let cut = stands_alone.then(|| hunks::edited(&text[marker(&text)..], shown())).flatten();
        let mut text = match cut {
            Some(cut) => outdent(cut, column),
            None => yaml::text(&shown(), KeyOrder::Sorted).into_bytes(),
        };
        // How lines end is layout.
        text.retain(|byte| *byte != b'\r');
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        Ok(text)
    }

    /// The value of `object`, which is `tree`, without ignored fields. The values of a Secret are masked.
    pub fn value(&self, object: &Object<'_>, tree: &Node, ignored: &Ignored) -> Node {
        let mut value = ignored.prune(tree);
        if is_secret(object) {
            self.mask(&mut value);
        }
        value
    }

    fn mask(&self, secret: &mut Node) {
        for field in SECRET {
            let Some(Value::Map(map)) =
                secret.as_map_mut().and_then(|map| map.get_mut(field)).map(|node| &mut node.value)
            else {
                continue;
            };
            for value in map.values_mut() {
                value.value = Value::String(self.masked(value).into());
            }
        }
    }

    fn masked(&self, value: &Node) -> String {
        let text = match &value.value {
            Value::String(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        format!("{TOKEN}{:0TAG$x}", self.tags.hash_one(text))
    }
}

fn is_secret(object: &Object<'_>) -> bool {
    object.head.kind == "Secret" && object.head.api_version == "v1"
}

/// The length of the line of a marker at the beginning of the text.
fn marker(text: &[u8]) -> usize {
    let is_marker =
        text.strip_prefix(b"---").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
    if is_marker { lines::next(text, 0) } else { 0 }
}

/// The tags of masked values.
pub type Tags<'t> = HashSet<&'t [u8]>;

/// The tags in a text.
pub fn tags(text: &[u8]) -> Tags<'_> {
    let found = memmem::find_iter(text, TOKEN).map(|at| &text[at + TOKEN.len()..]);
    found.filter_map(tag).collect()
}

/// The tag at the start of a text.
fn tag(text: &[u8]) -> Option<&[u8]> {
    text.get(..TAG).filter(|tag| tag.iter().all(u8::is_ascii_hexdigit))
}

/// The diff of an object for display: secrets are `***` if equal, and marked as before and after otherwise. `tags` are
/// those of the object before and after; `None` if it is only in one input.
pub fn unmasked(diff: &[u8], tags: Option<(&Tags<'_>, &Tags<'_>)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(diff.len());
    for line in diff.split_inclusive(|byte| *byte == b'\n') {
        let side = match (line.first(), tags) {
            (Some(b'-'), Some((_, after))) => Some((after, BEFORE)),
            (Some(b'+'), Some((before, _))) => Some((before, AFTER)),
            _ => None,
        };
        let mut rest = line;
        while let Some(at) = memmem::find(rest, TOKEN.as_bytes()) {
            let (before, token) = rest.split_at(at);
            out.extend_from_slice(before);
            rest = &token[TOKEN.len()..];
            let Some(tag) = tag(rest) else {
                out.extend_from_slice(TOKEN.as_bytes());
                continue;
            };
            rest = &rest[TAG..];
            out.extend_from_slice(MASK.as_bytes());
            let differs = side.filter(|(others, _)| !others.contains(tag));
            out.extend_from_slice(differs.map_or("", |(_, side)| side).as_bytes());
        }
        out.extend_from_slice(rest);
    }
    out
}

/// A text as in YAML, on one line; a mask as it is.
pub fn on_one_line(text: &str) -> String {
    match text {
        "***" | "*** (before)" | "*** (after)" => text.to_owned(),
        _ if plain_block(text) => text.to_owned(),
        _ => scalar::write(text, Quotes::None, false),
    }
}

/// Replaces the tags of masked values in a field that differs by what is shown for them.
pub fn unmask(difference: &mut Difference) {
    let is_both = difference.old.is_some() && difference.new.is_some();
    for (value, side) in [(&mut difference.old, BEFORE), (&mut difference.new, AFTER)] {
        value.iter_mut().for_each(|value| hide(value, if is_both { side } else { "" }));
    }
}

fn hide(node: &mut Node, side: &str) {
    match &mut node.value {
        Value::String(text) => {
            if text
                .strip_prefix(TOKEN)
                .is_some_and(|rest| rest.len() == TAG && tag(rest.as_bytes()).is_some())
            {
                *text = format!("{MASK}{side}").into();
            }
        }
        Value::Seq(elements) => elements.iter_mut().for_each(|element| hide(element, "")),
        Value::Map(map) => map.values_mut().for_each(|value| hide(value, "")),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => (),
    }
}
