//! `-o json`: kubectl's JSON, a single object or a `v1` List (cli-runtime, printers/json.go), and `-o jsonl`, one
//! object per line.

use super::list::{ListSyntax, Omitted};
use super::printer::{Context, Piece, PieceError, Printer};
use manifest::object::Object;
use syntax::emit::json;

/// The List of `-o json`.
pub static JSON: ListSyntax = ListSyntax {
    document: "",
    open: "{\n    \"apiVersion\": \"v1\",\n    \"items\": [",
    first: "\n        ",
    between: ",\n        ",
    last: "\n    ",
    close: "],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
    indent: 8,
    write: json::pretty,
};

/// Prints each object as compact JSON on a line of its own, with sorted keys.
#[derive(Debug)]
pub struct JsonLinesPrinter {
    /// The fields that are left out.
    pub omitted: Omitted,
    /// Whether each line is `{"object":...,"source":"file:line"}`. The object cannot hold the source itself: Events have a
    /// field of that name.
    pub show_source: bool,
}

impl Printer for JsonLinesPrinter {
    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let mut text = json::text(&self.omitted.of(object.value()?));
        if self.show_source {
            // The object is a text already, which is much faster to write than to read again.
            let source = object.place().without_document().to_string();
            text = format!("{{\"object\":{text},\"source\":{}}}", serde_json::Value::String(source));
        }
        text.push('\n');
        Ok(Piece::Text(text.into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::list::List;
    use crate::output::printer::PieceWriter;

    #[track_caller]
    fn check_list(items: &[&str], alone: bool, expected: &str) {
        let (mut list, mut out) = (List { syntax: &JSON, held: None, count: 0 }, Vec::new());
        let pieces = items.iter().map(|item| Piece::Text(item.as_bytes().to_vec()));
        pieces.for_each(|piece| list.write(piece, alone, &mut out).unwrap());
        list.finish(jiff::Timestamp::UNIX_EPOCH, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    const END: &str =
        "    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";

    #[test]
    fn an_item_is_alone_unless_another_follows() {
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
