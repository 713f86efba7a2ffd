//! `-o jsonpath`: the results of a template for an object, or for the List of all (cli-runtime, printers/jsonpath.go).

use std::fmt;
use std::io::{self, Write};

use super::printer::{Arrangement, Context, Piece, PieceError, PieceWriter, Printer, TextWriter};
use jsonpath::JsonPath;
use manifest::object::Object;
use syntax::fields::{FieldSet, Fields};
use syntax::tree::{Map, Node, Span, Value};
use text::excerpt;

/// Prints the results of a template.
#[derive(Debug)]
pub struct JsonPathPrinter<'f> {
    /// The template.
    pub path: &'f JsonPath,
    /// Whether the results are written as JSON.
    pub as_json: bool,
    /// Whether the template gets all objects at once.
    pub arrangement: Arrangement,
}

impl JsonPathPrinter<'_> {
    fn render(&self, value: &Node) -> Result<String, String> {
        match self.as_json {
            false => self.path.render(value).map_err(|error| self.failure(error)),
            true => self.path.render_as_json(value).map_err(|error| self.failure(error)),
        }
    }

    /// kubectl's message.
    fn failure(&self, error: impl fmt::Display) -> String {
        let template = excerpt::quote(&self.path.to_string());
        format!("error executing jsonpath {template}: Error executing template: {error}")
    }
}

impl Printer for JsonPathPrinter<'_> {
    fn is_stream(&self) -> bool {
        self.arrangement == Arrangement::EachAlone
    }

    fn add_fields(&self, fields: &mut FieldSet) {
        match self.arrangement {
            Arrangement::Together => self.path.add_fields_of_list(fields),
            Arrangement::EachAlone => self.path.add_fields(fields),
        }
    }

    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError> {
        let value = object.fields(Fields::only(context.fields))?;
        match self.arrangement {
            Arrangement::Together => Ok(Piece::Value(value.into_owned())),
            Arrangement::EachAlone => match self.render(&value) {
                Ok(text) => Ok(Piece::Text(text.into_bytes())),
                Err(reason) => Err(PieceError::Template(reason)),
            },
        }
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        match self.arrangement {
            Arrangement::Together => Box::new(Collected {
                values: Vec::new(),
                is_alone: false,
                render: |value: &Node, text: &mut Vec<u8>| {
                    text.extend_from_slice(self.render(value)?.as_bytes());
                    Ok(())
                },
            }),
            Arrangement::EachAlone => Box::new(TextWriter),
        }
    }
}

/// Collects values, and writes what `render` appends for a single one, or for the List of all. Text that was appended
/// before an error is written as well.
pub(super) struct Collected<F> {
    pub values: Vec<Node>,
    pub is_alone: bool,
    pub render: F,
}

impl<F: Fn(&Node, &mut Vec<u8>) -> Result<(), String>> PieceWriter for Collected<F> {
    fn write(&mut self, piece: Piece, is_alone: bool, _: &mut dyn Write) -> io::Result<()> {
        if let Piece::Value(value) = piece {
            self.values.push(value);
        }
        self.is_alone = is_alone;
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut values = std::mem::take(&mut self.values);
        let value = match values.pop() {
            Some(value) if values.is_empty() && self.is_alone => value,
            last => {
                values.extend(last);
                list(values)
            }
        };
        let mut text = Vec::new();
        let rendered = (self.render)(&value, &mut text);
        out.write_all(&text)?;
        rendered.map_err(io::Error::other)
    }
}

/// The `v1` List that templates get for several objects.
fn list(items: Vec<Node>) -> Node {
    let text = |text: &str| Node::new(Value::String(text.into()));
    let map = |entries: Vec<(&str, Node)>| {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, Span::default(), value);
        }
        Node::new(Value::Map(map))
    };
    map(vec![
        ("apiVersion", text("v1")),
        ("items", Node::new(Value::Seq(items))),
        ("kind", text("List")),
        ("metadata", map(vec![("resourceVersion", text(""))])),
    ])
}
