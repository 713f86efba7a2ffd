//! `-o files`: the name of each file with a selected object, once.

use std::collections::HashSet;
use std::io::{self, Write};

use super::printer::{Context, Piece, PieceError, PieceWriter, Printer, text};
use manifest::object::Object;
use syntax::fields::FieldSet;
use text::go;

/// Prints file names.
#[derive(Debug)]
pub struct FilesPrinter {
    /// Whether each name ends with NUL and is not escaped, as `xargs -0` reads names.
    pub null: bool,
}

impl Printer for FilesPrinter {
    fn add_fields(&self, _: &mut FieldSet) {}

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        Ok(Piece::Text(object.document.source.name.as_bytes().to_vec()))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(Names { null: self.null, written: HashSet::new() })
    }
}

/// Writes each name once.
#[derive(Debug)]
struct Names {
    null: bool,
    written: HashSet<Vec<u8>>,
}

impl PieceWriter for Names {
    fn write(&mut self, piece: Piece, _: bool, out: &mut dyn Write) -> io::Result<()> {
        let name = text(piece);
        if !self.written.contains(&name) {
            match self.null {
                true => out.write_all(&[&name[..], &[0]].concat())?,
                false => writeln!(out, "{}", go::printable(&String::from_utf8_lossy(&name)))?,
            }
            self.written.insert(name);
        }
        Ok(())
    }
}
