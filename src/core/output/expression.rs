//! `-o jsonpath` and `-o go-template`: what an expression prints for an object, or for the List of all (cli-runtime,
//! printers/jsonpath.go and template.go).

use std::borrow::Cow;
use std::io::{self, Write};

use super::printer::{Arrangement, Context, Piece, PieceError, PieceWriter, Printer, TextWriter};
use expression::jsonpath::JsonPath;
use expression::template::Template;
use manifest::object::Object;
use syntax::fields::{FieldSet, Fields};
use syntax::tree::{Node, Value};
use text::{excerpt, go};

/// An expression of `-o`.
#[derive(Clone, Debug)]
pub enum Expression {
    /// The results of a template.
    JsonPath(JsonPath),
    /// The results of a template as JSON.
    JsonPathAsJson(JsonPath),
    /// The output of a Go template.
    Template(Template),
}

impl Expression {
    /// Sets whether missing keys are empty or errors.
    pub(super) fn allow_missing_keys(self, allow: bool) -> Self {
        match self {
            Self::JsonPath(path) => Self::JsonPath(path.allow_missing_keys(allow)),
            Self::JsonPathAsJson(path) => Self::JsonPathAsJson(path.allow_missing_keys(allow)),
            Self::Template(template) => Self::Template(template.allow_missing_keys(allow)),
        }
    }

    /// Appends what it prints for a value, including what a Go template prints before an error. The error is kubectl's
    /// message.
    fn render(&self, value: &Node, text: &mut Vec<u8>) -> Result<(), String> {
        let (path, rendered) = match self {
            Self::JsonPath(path) => (path, path.render(value)),
            Self::JsonPathAsJson(path) => (path, path.render_as_json(value)),
            Self::Template(template) => {
                return template.execute(value, text).map_err(|error| {
                    let template = go::quote(&template.to_string());
                    go::printable_lines(&format!("error executing template {template}: {error}")).into_owned()
                });
            }
        };
        let failure = |error| {
            let template = excerpt::quote(&path.to_string());
            format!("error executing jsonpath {template}: Error executing template: {error}")
        };
        text.extend_from_slice(rendered.map_err(failure)?.as_bytes());
        Ok(())
    }
}

/// Prints what an expression prints.
#[derive(Debug)]
pub struct ExpressionPrinter<'f> {
    /// The expression.
    pub expression: &'f Expression,
    /// Whether the expression gets all objects at once.
    pub arrangement: Arrangement,
}

impl Printer for ExpressionPrinter<'_> {
    fn is_stream(&self) -> bool {
        self.arrangement == Arrangement::EachAlone
    }

    fn add_fields(&self, fields: &mut FieldSet) {
        match (self.expression, self.arrangement) {
            (Expression::Template(_), _) => fields.add([]),
            (Expression::JsonPath(path) | Expression::JsonPathAsJson(path), Arrangement::Together) => {
                path.add_fields_of_list(fields);
            }
            (Expression::JsonPath(path) | Expression::JsonPathAsJson(path), Arrangement::EachAlone) => {
                path.add_fields(fields);
            }
        }
    }

    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError> {
        let value = match self.expression {
            Expression::Template(_) => Cow::Borrowed(object.value()?),
            _ => object.fields(Fields::only(context.fields))?,
        };
        if self.arrangement == Arrangement::Together {
            return Ok(Piece::Value(value.into_owned()));
        }
        let mut text = Vec::new();
        self.expression.render(&value, &mut text).map_err(PieceError::Template)?;
        Ok(Piece::Text(text))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        match self.arrangement {
            Arrangement::Together => {
                Box::new(Collected { expression: self.expression, values: Vec::new(), is_alone: false })
            }
            Arrangement::EachAlone => Box::new(TextWriter),
        }
    }
}

/// Collects values, and writes what an expression prints for a single one, or for the List of all. Text before an error
/// is written as well.
struct Collected<'f> {
    expression: &'f Expression,
    values: Vec<Node>,
    is_alone: bool,
}

impl PieceWriter for Collected<'_> {
    fn write(&mut self, piece: Piece, is_alone: bool, _: &mut dyn Write) -> io::Result<()> {
        if let Piece::Value(value) = piece {
            self.values.push(value);
        }
        self.is_alone = is_alone;
        Ok(())
    }

    fn finish(&mut self, _: jiff::Timestamp, out: &mut dyn Write) -> io::Result<()> {
        let mut values = std::mem::take(&mut self.values);
        let value = match values.pop() {
            Some(value) if values.is_empty() && self.is_alone => value,
            last => {
                values.extend(last);
                list(values)
            }
        };
        let mut text = Vec::new();
        let rendered = self.expression.render(&value, &mut text);
        out.write_all(&text)?;
        rendered.map_err(io::Error::other)
    }
}

/// The `v1` List that templates get for several objects.
fn list(items: Vec<Node>) -> Node {
    Node::map([
        ("apiVersion", Node::text("v1")),
        ("items", Node::new(Value::Seq(items))),
        ("kind", Node::text("List")),
        ("metadata", Node::map([("resourceVersion", Node::text(""))])),
    ])
}
