//! What a format is: how an object becomes a piece of output, and how pieces become the output.
//!
//! Pieces are made on any thread and in any order; they are written by one thread, in the order asked for.

use std::io::{self, Write};

use super::rows::Row;
use crate::manifest::error::Error;
use crate::manifest::fields::FieldSet;
use crate::manifest::list::Object;
use crate::manifest::tree::Node;

/// A format with its options. It asks an object for no more than it prints of it: the head, the text, an outline or
/// the whole value.
pub trait Printer: Sync {
    /// Whether pieces are written as they come. Others are kept until the last one is there.
    fn is_stream(&self) -> bool;

    /// Adds the fields that pieces are made of, where they are not those of the head alone or of an outline: no path at
    /// all stands for the whole object.
    fn add_fields(&self, fields: &mut FieldSet);

    /// What is printed of an object.
    ///
    /// # Errors
    ///
    /// The object cannot be parsed, or has no value where a template wants one.
    fn piece(&self, object: &Object<'_>, context: &Context<'_>) -> Result<Piece, PieceError>;

    /// Writes pieces. One writer is for one output.
    fn writer(&self) -> Box<dyn PieceWriter + '_>;
}

/// How the pieces of an output begin, join and end.
pub trait PieceWriter {
    /// Adds the next piece. `is_alone` says that it is bare, rather than in a List, unless another one follows.
    ///
    /// # Errors
    ///
    /// The output cannot be written, or a template fails.
    fn write(&mut self, piece: Piece, is_alone: bool, out: &mut dyn Write) -> io::Result<()>;

    /// Ends the output. That of no pieces may be a text, too: an empty List, or headers.
    ///
    /// # Errors
    ///
    /// The output cannot be written, or a template fails.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// What the selection knows of an object and the object itself does not say.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The namespace it is in, also where it states none.
    pub namespace: &'a str,
    /// How well a node suits the pod that it is selected for; `None` where that was not asked.
    pub score: Option<i64>,
    /// The fields of an object that are read: those that were added, and perhaps others.
    pub fields: &'a FieldSet,
}

/// What is printed of one object.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Text for a format that writes as it goes.
    Text(Vec<u8>),
    /// A row of kubectl's tables.
    Row(Row),
    /// The cells of a table whose columns the user gives.
    Cells(Vec<String>),
    /// The object, for what is made of all objects at once.
    Value(Node),
}

impl Piece {
    /// Whether both are sorted in one run: rows are unless they are of different tables.
    pub fn is_sorted_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Row(row), Self::Row(other)) => row.is_same_kind(other),
            _ => true,
        }
    }
}

/// Why there is no piece.
#[derive(Debug)]
pub enum PieceError {
    /// The object's text cannot be parsed.
    Unreadable(Error),
    /// A template fails for the object; the reason does not say where it is.
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
    /// As one output: a List, a template of all.
    Together,
    /// Each as if it were the only one, one after the other, as `kubectl label` prints them.
    EachAlone,
}

/// Writes texts as they are, one after the other.
#[derive(Debug, Default)]
pub struct Texts;

impl PieceWriter for Texts {
    fn write(&mut self, piece: Piece, _: bool, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&text(piece))
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The text of a piece that is one.
pub(super) fn text(piece: Piece) -> Vec<u8> {
    match piece {
        Piece::Text(text) => text,
        other => unreachable!("impossible: a format gets the pieces that it makes, not {other:?}"),
    }
}
