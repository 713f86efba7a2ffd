//! The text of an object for a diff: the original text, without ignored fields and secrets.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use memchr::{memchr, memrchr};

use super::value::Ignored;
use crate::manifest::document::Syntax;
use crate::manifest::emit::yaml::{self, KeyOrder};
use crate::manifest::error::Error;
use crate::manifest::object::Object;
use crate::manifest::tree::{Node, Span, Value};

/// The fields of a Secret whose values are masked.
const SECRET: [&str; 2] = ["data", "stringData"];

/// The beginning of a masked value; a tag follows that is the same for equal values within a run.
const MASK: &str = "***";
const TAG: usize = 16;

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
        let is_secret = object.head.kind == "Secret" && object.head.api_version == "v1";
        let (text, _) = object.spanned_text();
        let stands_alone = object.document.syntax == Syntax::Yaml && object.part().items.is_empty();
        if let Some(cut) = stands_alone.then(|| self.cut(&text, tree, ignored, is_secret)).flatten() {
            return Ok(cut);
        }
        let mut pruned = ignored.prune(tree);
        if is_secret {
            self.mask(&mut pruned);
        }
        let mut text = String::new();
        yaml::write(&pruned, KeyOrder::Sorted, &mut text);
        Ok(text.into_bytes())
    }

    /// The author's text with lines removed and values masked. `None` if an ignored field shares a line with others.
    fn cut(&self, text: &[u8], tree: &Node, ignored: &Ignored, is_secret: bool) -> Option<Vec<u8>> {
        let mut changes: Vec<(Span, Vec<u8>)> = Vec::new();
        for span in ignored.spans(tree) {
            changes.push((whole_lines(text, span)?, Vec::new()));
        }
        if is_secret {
            for entry in SECRET.iter().filter_map(|field| tree.get(field)?.as_map()).flatten() {
                let span = entry.value.span;
                // The value of a block scalar begins on the line of its key.
                (span.start >= entry.key_span.end && span.end > span.start).then_some(())?;
                let is_block = matches!(text.get(span.start), Some(b'|' | b'>'));
                let end: &[u8] = if is_block && text[..span.end].ends_with(b"\n") { b"\n" } else { b"" };
                changes.push((span, [self.masked(&entry.value).as_bytes(), end].concat()));
            }
        }
        changes.sort_by_key(|(span, _)| span.start);
        let mut cut = Vec::with_capacity(text.len());
        let mut from = marker(text);
        for (span, replacement) in changes {
            // Fields within a removed field are already gone.
            if span.start >= from {
                cut.extend_from_slice(&text[from..span.start]);
                cut.extend_from_slice(&replacement);
            }
            from = from.max(span.end);
        }
        cut.extend_from_slice(text.get(from..).unwrap_or_default());
        Some(cut)
    }

    fn mask(&self, secret: &mut Node) {
        for field in SECRET {
            let Some(Value::Map(map)) =
                secret.as_map_mut().and_then(|map| map.get_mut(field)).map(|node| &mut node.value)
            else {
                continue;
            };
            let keys: Vec<String> = map.iter().map(|entry| entry.key.to_string()).collect();
            for key in keys {
                if let Some(value) = map.get_mut(&key) {
                    value.value = Value::String(self.masked(value).into());
                }
            }
        }
    }

    fn masked(&self, value: &Node) -> String {
        let text = match &value.value {
            Value::String(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        format!("{MASK}{:0TAG$x}", self.tags.hash_one(text))
    }
}

/// The length of the line of a marker at the beginning of the text.
fn marker(text: &[u8]) -> usize {
    let is_marker =
        text.strip_prefix(b"---").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
    if is_marker { memchr(b'\n', text).map_or(text.len(), |end| end + 1) } else { 0 }
}

/// The lines of a span, including blanks and a comment at their ends. `None` if they have anything else.
fn whole_lines(text: &[u8], span: Span) -> Option<Span> {
    let start = memrchr(b'\n', &text[..span.start]).map_or(0, |at| at + 1);
    // A block scalar may end after its last line.
    let last = if text[..span.end].ends_with(b"\n") { span.end - 1 } else { span.end };
    let end = memchr(b'\n', &text[last..]).map_or(text.len(), |at| last + at + 1);
    let rest = text[last..end].trim_ascii_start();
    let is_free = text[start..span.start].iter().all(|byte| *byte == b' ');
    (is_free && (rest.is_empty() || rest.starts_with(b"#"))).then_some(Span { start, end })
}

/// The two texts of an object for display: secrets are `***` if equal, and marked as before and after otherwise; if
/// there is only one text, they are just masked.
pub fn unmask(old: &[u8], new: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (before, after) = (" (before)", " (after)");
    match (old.is_empty(), new.is_empty()) {
        (false, false) => (shown(old, Some((new, before))), shown(new, Some((old, after)))),
        _ => (shown(old, None), shown(new, None)),
    }
}

fn shown(text: &[u8], other: Option<(&[u8], &str)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, MASK.as_bytes()) {
        let end = at + MASK.len();
        let tag = rest.get(end..end + TAG).filter(|tag| tag.iter().all(u8::is_ascii_hexdigit));
        out.extend_from_slice(&rest[..end]);
        rest = &rest[end..];
        if let Some(tag) = tag {
            rest = &rest[TAG..];
            let differs = other.filter(|(other, _)| memchr::memmem::find(other, tag).is_none());
            out.extend_from_slice(differs.map_or("", |(_, side)| side).as_bytes());
        }
    }
    out.extend_from_slice(rest);
    out
}
