//! `-o go-template`: the output of a Go template for an object, or for the List of all (cli-runtime,
//! printers/template.go).

use super::jsonpath::Collected;
use super::printer::{Arrangement, Context, Piece, PieceError, PieceWriter, Printer, TextWriter};
use manifest::object::Object;
use syntax::fields::FieldSet;
use syntax::tree::Node;
use template::Template;
use text::go;

/// Prints the output of a Go template.
#[derive(Debug)]
pub struct TemplatePrinter<'f> {
    /// The template.
    pub template: &'f Template,
    /// Whether the template gets all objects at once.
    pub arrangement: Arrangement,
}

impl TemplatePrinter<'_> {
    /// Appends the output of the template, including that before an error. The error is kubectl's message.
    fn render(&self, value: &Node, text: &mut Vec<u8>) -> Result<(), String> {
        self.template.execute(value, text).map_err(|error| {
            let template = go::quote(&self.template.to_string());
            go::printable_lines(&format!("error executing template {template}: {error}")).into_owned()
        })
    }
}

impl Printer for TemplatePrinter<'_> {
    fn is_stream(&self) -> bool {
        self.arrangement == Arrangement::EachAlone
    }

    fn add_fields(&self, fields: &mut FieldSet) {
        fields.add([]);
    }

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let value = object.value()?;
        match self.arrangement {
            Arrangement::Together => Ok(Piece::Value(value.clone())),
            Arrangement::EachAlone => {
                let mut text = Vec::new();
                self.render(value, &mut text).map_err(PieceError::Template)?;
                Ok(Piece::Text(text))
            }
        }
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        match self.arrangement {
            Arrangement::Together => Box::new(Collected {
                values: Vec::new(),
                is_alone: false,
                render: |value: &Node, text: &mut Vec<u8>| self.render(value, text),
            }),
            Arrangement::EachAlone => Box::new(TextWriter),
        }
    }
}
