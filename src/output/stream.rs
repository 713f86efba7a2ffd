//! Formats that are written as the objects come: `yaml`, `name` and `json`. Each object gives a piece of
//! text, and what stands between the pieces depends on the format.

use std::borrow::Cow;
use std::io::{self, Write};

use memchr::memchr;

use super::{json, yaml};
use crate::gvk;
use crate::manifest::error::Error;
use crate::manifest::list::Object;
use crate::manifest::tree::{Map, Node, Span, Value};

/// How far the items of a List are indented in JSON, in blanks.
const ITEM_INDENT: usize = 8;

/// A line of `-o name`.
pub fn name(object: &Object<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(type_and_name(object).as_bytes());
    out.push(b'\n');
}

/// The object as arguments name it, `deployment.apps/web`.
pub fn type_and_name(object: &Object<'_>) -> String {
    let head = object.head;
    let name = crate::go::printable(head.name.unwrap_or("<unknown>"));
    format!("{}/{name}", gvk::GroupVersionKind::new(head.api_version, head.kind).lower())
}

/// A document of `-o yaml`: the object's text as it stands in the input, or kubectl's YAML with the keys in
/// the input's order when the input has no YAML text for it.
///
/// # Errors
///
/// There is no such text, and the object's document cannot be parsed.
pub fn document(object: &Object<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    if let Some(text) = object.text() {
        out.extend_from_slice(&text);
        return Ok(());
    }
    let mut text = String::new();
    yaml::write(object.value()?, yaml::KeyOrder::AsRead, &mut text);
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// An item of the List that `-o json` writes, without a line end.
///
/// # Errors
///
/// The object's document cannot be parsed.
pub fn item(object: &Object<'_>, managed_fields: bool, out: &mut Vec<u8>) -> Result<(), Error> {
    let tree = object.value()?;
    let tree = if managed_fields { Cow::Borrowed(tree) } else { without_managed_fields(tree) };
    let mut text = String::new();
    json::pretty(&tree, ITEM_INDENT, &mut text);
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// The object without `metadata.managedFields`.
fn without_managed_fields(tree: &Node) -> Cow<'_, Node> {
    if tree.at("metadata.managedFields").is_none() {
        return Cow::Borrowed(tree);
    }
    let mut tree = tree.clone();
    if let Some(metadata) =
        tree.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Node::as_map_mut)
    {
        metadata.remove("managedFields");
    }
    Cow::Owned(tree)
}

/// Writes documents, `---` between them. The separator ends as the lines of the document before it do; where
/// its last line has no end, it is ended.
#[derive(Debug, Default)]
pub struct Documents {
    separator: Option<&'static [u8]>,
}

impl Documents {
    /// Writes the next document.
    pub fn write(&mut self, text: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if let Some(separator) = self.separator {
            out.write_all(separator)?;
        }
        let windows = memchr(b'\n', text).is_some_and(|at| text[..at].ends_with(b"\r"));
        self.separator = Some(match (text.ends_with(b"\n"), windows) {
            (true, false) => b"---\n",
            (true, true) => b"---\r\n",
            (false, false) => b"\n---\n",
            (false, true) => b"\r\n---\r\n",
        });
        out.write_all(text)
    }
}

/// Writes the items of a `v1` List, or one item bare.
#[derive(Debug, Default)]
pub struct JsonList {
    /// The first item, while it may turn out to be the only one.
    held: Option<Vec<u8>>,
    count: usize,
}

impl JsonList {
    /// Adds the next item; `alone` says that it is to stand bare unless another one follows.
    pub fn write(&mut self, item: &[u8], alone: bool, out: &mut dyn Write) -> io::Result<()> {
        self.count += 1;
        if self.count == 1 && alone {
            self.held = Some(item.to_owned());
            return Ok(());
        }
        if let Some(first) = self.held.take() {
            self.open(&first, out)?;
        }
        if self.count == 1 {
            return self.open(item, out);
        }
        write!(out, ",\n{:ITEM_INDENT$}", "")?;
        out.write_all(item)
    }

    fn open(&self, item: &[u8], out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n{:ITEM_INDENT$}", "")?;
        out.write_all(item)
    }

    /// Ends the List, or writes the item that stayed the only one; an empty List when there was none.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(item) = self.held.take() {
            // A string in JSON has no line breaks, so each line starts with the indent of the item.
            for (number, line) in item.split_inclusive(|&byte| byte == b'\n').enumerate() {
                out.write_all(if number == 0 { line } else { &line[ITEM_INDENT..] })?;
            }
            return out.write_all(b"\n");
        }
        match self.count {
            0 => out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n")?,
            _ => out.write_all(b"\n    ],\n")?,
        }
        out.write_all(
            b"    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
        )
    }
}

/// The `v1` List as which templates see several objects.
pub fn list(items: Vec<Node>) -> Node {
    let text = |text: &str| Node::new(Value::String(text.into()));
    let map = |entries: Vec<(&str, Node)>| {
        let mut map = Map::new();
        entries.into_iter().for_each(|(key, value)| map.insert(key.to_owned(), Span::default(), value));
        Node::new(Value::Map(map))
    };
    map(vec![
        ("apiVersion", text("v1")),
        ("items", Node::new(Value::Seq(items))),
        ("kind", text("List")),
        ("metadata", map(vec![("resourceVersion", text(""))])),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_documents(documents: &[&str], expected: &str) {
        let (mut writer, mut out) = (Documents::default(), Vec::new());
        documents.iter().for_each(|text| writer.write(text.as_bytes(), &mut out).unwrap());
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[track_caller]
    fn check_list(items: &[&str], alone: bool, expected: &str) {
        let (mut list, mut out) = (JsonList::default(), Vec::new());
        items.iter().for_each(|item| list.write(item.as_bytes(), alone, &mut out).unwrap());
        list.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_separator_ends_as_the_lines_above_it() {
        check_documents(&["a\n"], "a\n");
        check_documents(&["a\n", "b"], "a\n---\nb");
        check_documents(&["a", "b\n"], "a\n---\nb\n");
        check_documents(&["a\r\n", "b\n", "c\n"], "a\r\n---\r\nb\n---\nc\n");
        check_documents(&["a\r\nb", "c"], "a\r\nb\r\n---\r\nc");
    }

    const END: &str =
        "    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";

    #[test]
    fn an_item_stands_alone_unless_another_follows() {
        let item = "{\n            \"a\": 1\n        }";
        check_list(&[item], true, "{\n    \"a\": 1\n}\n");
        let list = format!(
            "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {item},\n        2\n    ],\n{END}"
        );
        check_list(&[item, "2"], true, &list);
        check_list(&[item, "2"], false, &list);
    }

    #[test]
    fn no_items_are_an_empty_list() {
        check_list(&[], true, &format!("{{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n{END}"));
    }
}
