//! `-o name`: `kind.group/name`, one per line (cli-runtime, printers/name.go).

use super::printer::{Context, Piece, PieceError, Printer};
use manifest::object::Object;
use syntax::fields::FieldSet;

/// Prints names.
#[derive(Debug)]
pub struct NamePrinter {
    /// Whether file and line are before the name, in the form that editors jump to.
    pub show_source: bool,
    /// Whether each line ends with NUL, as `xargs -0` reads names.
    pub null: bool,
}

impl Printer for NamePrinter {
    fn add_fields(&self, _: &mut FieldSet) {}

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let mut line = match self.show_source {
            true => format!("{}: ", object.place().without_document()),
            false => String::new(),
        };
        line.push_str(&object.head.type_and_name());
        line.push(if self.null { '\0' } else { '\n' });
        Ok(Piece::Text(line.into_bytes()))
    }
}
