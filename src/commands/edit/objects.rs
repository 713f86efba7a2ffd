//! The selected objects as a format prints them, or their labels or annotations.

use std::io::{self, Write};

use super::batch::{End, Origin, Part, Sink};
use crate::commands::diagnostic::Diagnostic;
use crate::commands::query::Query;
use change::ObjectEdit;
use change::env;
use change::labels::Field;
use jiff::Timestamp;
use kselect_core::output::printer::{Context, Piece, PieceError, PieceWriter, Printer, TextWriter};
use kselect_core::selection::Slot;
use manifest::object::Object;
use manifest::objects::objects_of;
use manifest::source::Source;
use manifest::stream::Block;
use syntax::fields::FieldSet;
use syntax::gvk::GroupVersionKind;
use text::{go, terminal};

/// Prints the selected objects of the edited block, and adds their errors.
pub fn part(
    (printer, query): (&dyn Printer, &Query<'_>),
    block: &Block,
    source: &Source,
    (chosen, errors): (&[(Slot, ObjectEdit)], &mut Vec<Diagnostic>),
) -> Part {
    let mut number = 0;
    let mut chosen = chosen.iter().peekable();
    let mut printed = Vec::new();
    objects_of(block, source, &mut |object| {
        let Ok(object) = object else { return };
        if let Some((slot, edit)) = chosen.next_if(|(_, edit)| edit.number == number)
            && !(edit.failed || edit.done.lacks)
        {
            match print(printer, query, object) {
                Ok(piece) => printed.push((*slot, piece)),
                Err(diagnostic) => errors.push(diagnostic),
            }
        }
        number += 1;
    });
    Part::Objects(printed)
}

fn print(printer: &dyn Printer, query: &Query<'_>, object: &Object<'_>) -> Result<Piece, Diagnostic> {
    let namespace = query.selection.namespace_of(object.head, &query.catalog);
    let mut fields = FieldSet::default();
    printer.add_fields(&mut fields);
    let context = Context { namespace, via: "", fields: &fields };
    printer.piece(object, &context).map_err(|error| Diagnostic::of_piece(object, error))
}

/// Writes the objects in the requested order.
pub struct ObjectSink<'a> {
    /// Objects that must be written after others.
    waiting: Vec<(Slot, Piece)>,
    writer: Box<dyn PieceWriter + 'a>,
    now: Timestamp,
}

impl<'a> ObjectSink<'a> {
    /// Writes what `printer` makes; `now` is the time that ages are relative to.
    pub fn new(printer: &'a dyn Printer, now: Timestamp) -> Self {
        Self { waiting: Vec::new(), writer: printer.writer(), now }
    }
}

impl Sink for ObjectSink<'_> {
    fn take(&mut self, part: Part, _: Origin<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Part::Objects(printed) = part else { return Ok(()) };
        for (slot, piece) in printed {
            match slot {
                Slot::FIRST => self.writer.write(piece, true, out)?,
                _ => self.waiting.push((slot, piece)),
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: End<'_, '_>, out: &mut dyn Write) -> io::Result<()> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|(slot, _)| *slot);
        waiting.into_iter().try_for_each(|(_, piece)| self.writer.write(piece, true, out))?;
        self.writer.finish(self.now, out)
    }
}

/// What `--list` prints.
#[derive(Clone, Copy)]
pub enum Listed<'a> {
    /// Labels or annotations.
    Field(Field),
    /// The variables of the containers whose names match this pattern.
    Env(&'a str),
}

impl Listed<'_> {
    /// That of commands without `--list`.
    pub const NOTHING: Self = Self::Field(Field::Labels);
}

/// `--list`: the labels or annotations, below a header if there may be several objects; or the variables of containers.
///
/// *Compatibility* (sorted-labels): the lists are sorted; kubectl prints them in random order.
pub struct EditedListPrinter<'a> {
    pub listed: Listed<'a>,
    pub single: bool,
}

impl Printer for EditedListPrinter<'_> {
    fn add_fields(&self, _: &mut FieldSet) {}

    fn piece(&self, object: &Object<'_>, _: &Context<'_>) -> Result<Piece, PieceError> {
        let head = object.head;
        let field = match self.listed {
            Listed::Field(field) => field,
            Listed::Env(pattern) => {
                let (head, tree) = (object.head, object.tree()?);
                return Ok(Piece::Text(
                    terminal::lines(&env::listed(head, tree, pattern)).as_bytes().to_vec(),
                ));
            }
        };
        let mut entries: Vec<(&str, &str)> = match field {
            Field::Labels => head.labels.clone(),
            Field::Annotations => {
                let map = object.tree()?.at("metadata.annotations").and_then(|node| node.as_map());
                let entries = map.into_iter().flatten();
                entries.map(|entry| (entry.key.as_str(), entry.value.as_str().unwrap_or(""))).collect()
            }
        };
        entries.sort_unstable();
        let mut text = String::new();
        if !self.single {
            let GroupVersionKind { group, kind, .. } = GroupVersionKind::new(head.api_version, head.kind);
            let (kind, name) = (go::printable(kind), go::printable(head.name.unwrap_or("<unknown>")));
            text += &format!("Listing {} for {kind}.{group}/{name}:\n", field.key());
        }
        let indent = if self.single { "" } else { " " };
        for (key, value) in entries {
            text += &terminal::lines(&format!("{indent}{key}={value}\n"));
        }
        Ok(Piece::Text(text.into_bytes()))
    }

    fn writer(&self) -> Box<dyn PieceWriter + '_> {
        Box::new(TextWriter)
    }
}
