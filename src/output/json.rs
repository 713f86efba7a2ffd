//! `-o json`: kubectl's JSON, one object bare, several as a `v1` List (cli-runtime, printers/json.go).

use std::borrow::Cow;
use std::io::{self, Write};

use super::printer::{Arrangement, Context, Piece, PieceError, PieceWriter, Printer, Texts, text};
use crate::manifest::emit::json;
use crate::manifest::fields::FieldSet;
use crate::manifest::list::Object;
use crate::manifest::tree::Node;

/// How far the items of a List are indented, in blanks.
const ITEM_INDENT: usize = 8;

/// Prints JSON.
#[derive(Debug)]
pub struct JsonPrinter {
    /// Whether `metadata.managedFields` is printed.
    pub managed_fields: bool,
    /// Whether several objects are a List.
    pub arrangement: Arrangement,
}

impl Printer for JsonPrinter {
    fn is_stream(&self) -> bool {
        true
    }

    fn add_fields(&self, fields: &mut FieldSet) {
        fields.add([]);
    }

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let tree = object.value()?;
        let tree = if self.managed_fields { Cow::Borrowed(tree) } else { without_managed_fields(tree) };
        let mut text = String::new();
        match self.arrangement {
            Arrangement::Together => json::pretty(&tree, ITEM_INDENT, &mut text),
            Arrangement::EachAlone => {
                json::pretty(&tree, 0, &mut text);
                text.push('\n');
            }
        }
        Ok(Piece::Text(text.into_bytes()))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        match self.arrangement {
            Arrangement::Together => Box::new(JsonList::default()),
            Arrangement::EachAlone => Box::new(Texts),
        }
    }
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

/// Writes the items of a `v1` List, or one item bare.
#[derive(Debug, Default)]
struct JsonList {
    /// The first item, while it may turn out to be the only one.
    held: Option<Vec<u8>>,
    count: usize,
}

impl PieceWriter for JsonList {
    fn write(&mut self, piece: Piece, is_alone: bool, out: &mut dyn Write) -> io::Result<()> {
        let item = text(piece);
        self.count += 1;
        if self.count == 1 && is_alone {
            self.held = Some(item);
            return Ok(());
        }
        if let Some(first) = self.held.take() {
            self.open(&first, out)?;
        }
        if self.count == 1 {
            return self.open(&item, out);
        }
        write!(out, ",\n{:ITEM_INDENT$}", "")?;
        out.write_all(&item)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
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

impl JsonList {
    fn open(&self, item: &[u8], out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n{:ITEM_INDENT$}", "")?;
        out.write_all(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_list(items: &[&str], alone: bool, expected: &str) {
        let (mut list, mut out) = (JsonList::default(), Vec::new());
        let pieces = items.iter().map(|item| Piece::Text(item.as_bytes().to_vec()));
        pieces.for_each(|piece| list.write(piece, alone, &mut out).unwrap());
        list.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
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
