//! The interface of formats: how an object becomes a piece of output, and how pieces are joined.
//!
//! Pieces are made on any thread in any order; they are written by one thread in the requested order.

use std::io::{self, Write};

use jiff::Timestamp;

use super::row::Row;
use manifest::object::Object;
use syntax::error::Error;
use syntax::fields::FieldSet;
use syntax::tree::Node;

/// A format with its options. It reads only the parts of an object that it prints: the head, the text, some fields or
/// the whole value.
pub trait Printer: Sync {
    /// Whether pieces are written as they arrive. Otherwise they are kept until the last one has arrived.
    fn is_stream(&self) -> bool {
        true
    }

    /// Adds the fields that pieces are made of, except for those of the head. Adding no path means the whole object.
    fn add_fields(&self, fields: &mut FieldSet) {
        fields.add([]);
    }

    /// Makes the piece of an object.
    ///
    /// # Errors
    ///
    /// The object cannot be parsed, or a template cannot be evaluated for it.
    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError>;

    /// Creates a writer for the pieces of one output.
    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(TextWriter)
    }
}

/// How the pieces of an output begin, are joined, and end.
pub trait PieceWriter {
    /// Adds the next piece. `is_alone` means that a single piece is written alone rather than in a List.
    ///
    /// # Errors
    ///
    /// The output cannot be written, or a template fails.
    fn write(&mut self, piece: Piece, is_alone: bool, out: &mut dyn Write) -> io::Result<()>;

    /// Ends the output; ages count to `now`. Even an output without pieces may have text: an empty List, or headers.
    ///
    /// # Errors
    ///
    /// The output cannot be written, or a template fails.
    fn finish(&mut self, _now: Timestamp, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Facts about an object that the selection knows and the object does not contain.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The namespace of the object, even if it has none of its own.
    pub namespace: &'a str,
    /// The fields through which the object is related to another one; empty without such a selection.
    pub via: &'a str,
    /// The fields of an object that are read: those that were added, and possibly others.
    pub fields: &'a FieldSet,
}

/// The output for one object.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Text for a format that is written as a stream.
    Text(Vec<u8>),
    /// A row of kubectl's tables.
    Row(Row),
    /// The cells of a table with user-defined columns.
    Cells(Vec<String>),
    /// The object, for output that needs all objects at once.
    Value(Node),
}

impl Piece {
    /// Whether both are sorted together: rows of different resources are not.
    pub fn is_sorted_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Row(row), Self::Row(other)) => row.is_of_resource(other),
            _ => true,
        }
    }
}

/// Why there is no piece.
#[derive(Debug)]
pub enum PieceError {
    /// The object's text cannot be parsed.
    Unreadable(Error),
    /// A template fails for the object; the message does not include the place.
    Template(String),
}

impl From<Error> for PieceError {
    fn from(error: Error) -> Self {
        Self::Unreadable(error)
    }
}

/// How several objects are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Together in one output: a List, or a template for all.
    Together,
    /// Each as if it were the only one, as `kubectl label` prints them.
    EachAlone,
}

/// Writes texts unchanged, one after the other.
#[derive(Debug, Default)]
pub struct TextWriter;

impl PieceWriter for TextWriter {
    fn write(&mut self, piece: Piece, _: bool, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&text(piece))
    }
}

/// The text of a [`Piece::Text`].
pub(super) fn text(piece: Piece) -> Vec<u8> {
    match piece {
        Piece::Text(text) => text,
        other => unreachable!("impossible: a format gets the pieces that it makes, not {other:?}"),
    }
}
