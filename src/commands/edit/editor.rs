//! Edits blocks, on several threads.

use std::collections::BTreeSet;

use super::batch::{Batch, Mode, NotInNamespace, Part, Seen};
use super::{diff, files, objects, stream};
use crate::commands::diagnostic::Diagnostic;
use crate::commands::names::MatchedNames;
use crate::commands::query::Query;
use crate::commands::report::Report;
use change::labels::Field;
use change::refusal::{Conflict, EditError};
use change::{self, Edit, Edited, ObjectEdit};
use kselect_core::check;
use kselect_core::output::printer::Printer;
use kselect_core::scan::overlays::Overlays;
use kselect_core::scan::{BlockOf, Item, Scan, Skipped, ToolFiles};
use kselect_core::selection::{SelectionError, Slot};
use manifest::object::Object;
use syntax::error::{Error, Place};
use text::go;

/// Why a text is not edited.
pub const ENCODING: &str = "not edited: the text is not UTF-8";
pub const COMPRESSED: &str = "not edited: the file is compressed, or in an archive";

/// Edits blocks and makes the output.
pub struct Editor<'a> {
    pub edit: &'a dyn Edit,
    pub query: &'a Query<'a>,
    /// The NAMEs that exist.
    pub named: MatchedNames,
    pub mode: &'a Mode,
    /// What kustomizations set in the files that are edited.
    pub overlays: &'a Overlays,
    /// The printer, if objects are printed.
    pub printer: &'a dyn Printer,
}

impl Editor<'_> {
    pub fn batch(&self, scan: Scan<'_>, work: BlockOf<'_>) -> Batch {
        let (block, source) = match work {
            Ok(work) => work,
            Err(error) => return Batch { seen: Seen::of(error), ..Batch::default() },
        };
        let length = block.source_len();
        let mut batch = Batch { source: Some(source.clone()), length, ..Batch::default() };
        let is_packed = block.is_compressed() || source.is_entry();
        let why = match self.mode {
            Mode::InPlace { .. } if is_packed => Some(COMPRESSED),
            mode if block.is_decoded() && mode.keeps_bytes() => Some(ENCODING),
            _ => None,
        };
        if let Some(why) = why {
            let place = Place { source: source.name.clone(), line: None, document: None };
            batch.refusals.push(EditError { place, message: why.to_owned(), excerpt: None });
            return batch;
        }
        let mut slots = Vec::new();
        let mut chosen = Vec::new();
        let mut left_out = BTreeSet::new();
        let is_left_out = !source.named && self.overlays.leave_out(&source.name);
        let select = |object: Result<&Object<'_>, Error>| {
            let number = match &object {
                Ok(object) => Some(object.document.number),
                Err(error) => error.place.document,
            };
            let item = match scan.item(object, source) {
                Item::Object(object) if is_left_out && check::is_part(object, &self.query.catalog) => {
                    Item::Skipped(Skipped::Patch, object.place(), Some(object))
                }
                item => item,
            };
            if let Item::Skipped(..) = item {
                // A stream that was named keeps what is not an object.
                left_out.extend(number.filter(|_| !source.named));
            }
            let Some(object) = object_of(item, &mut batch.seen) else { return false };
            if !self.query.admits(object, &mut batch.seen.errors, &mut batch.warnings) {
                (batch.invalid, batch.seen.tally.has_refused) = (true, true);
                return false;
            }
            self.meet(object, &mut slots, &mut batch.seen);
            self.edit.see(object, !slots.is_empty(), &mut batch.seen.found);
            // An object that was requested twice is changed once.
            chosen.extend(slots.first());
            let is_selected = !slots.is_empty();
            if is_selected {
                batch.seen.shared.see(object, &self.query.selection, &self.query.catalog);
            }
            if is_selected && self.mode.writes_files() {
                batch.seen.overridden.see(self.edit, object, self.overlays);
            }
            self.query.count(object, &mut slots, &mut batch.seen.tally);
            is_selected
        };
        let edited = change::edit(&block, source, self.edit, select);
        let Edited { splices, objects, conflicts, refusals, found } = edited;
        batch.seen.found.add(found);
        (batch.conflicts, batch.refusals) = (conflicts, refusals);
        // Refusals are reported before the other objects of their document.
        let mut objects = objects;
        objects.sort_by_key(|object| object.number);
        batch.objects = chosen.into_iter().zip(objects).collect();
        batch.part = match self.mode {
            Mode::Stream => stream::part(&block, source, splices, &left_out),
            Mode::Diff => Part::Both(diff::texts(&block, &splices)),
            Mode::InPlace { diff } => {
                let texts = diff.then(|| diff::texts(&block, &splices));
                files::part(&block, splices, length, texts)
            }
            Mode::DryRun => Part::Nothing,
            Mode::Print(_) | Mode::List => {
                let chosen = (&batch.objects[..], &mut batch.seen.errors);
                objects::part((self.printer, self.query), &block.spliced(&splices), source, chosen)
            }
        };
        batch
    }

    /// How files of tools are treated: only images in them are edited, and where text goes back to its files.
    pub fn tool_files(&self) -> ToolFiles {
        let selection = &self.query.selection;
        let has_types = !selection.requests.is_empty();
        let asks_for_them = || selection.requests.iter().any(|request| request.resource.is_configuration());
        match self.edit.labels().is_some() && (!has_types || asks_for_them()) {
            true => ToolFiles::Skipped,
            // A stream of objects that is meant for a cluster has none of them.
            false if self.edit.edits_tools() && self.mode.writes_files() => ToolFiles::Kept,
            false => selection.tool_files(),
        }
    }

    /// Adds the slots of an object if it is to be edited. Returns it if it is not because of its namespace alone.
    fn slots(&self, object: &Object<'_>, slots: &mut Vec<Slot>) -> Result<NotInNamespace, SelectionError> {
        let Query { selection, catalog, .. } = self.query;
        selection.slots(object, catalog, slots)?;
        slots.retain(|slot| self.named.admits(*slot));
        let mut left_alone = NotInNamespace::default();
        if selection.namespace.is_some() && !slots.is_empty() {
            let is_cluster_scoped = selection.namespace_of(object.head, catalog).is_empty();
            let is_unnamed = object.head.given.is_none() && object.head.namespace.is_none_or(str::is_empty);
            left_alone.cluster_scoped = usize::from(is_cluster_scoped);
            left_alone.unnamed = usize::from(is_unnamed && !is_cluster_scoped);
        }
        if left_alone != NotInNamespace::default() {
            slots.clear();
        }
        Ok(left_alone)
    }

    /// Adds an object that is read, and its slots if it is to be edited.
    fn meet(&self, object: &Object<'_>, slots: &mut Vec<Slot>, seen: &mut Seen) {
        slots.clear();
        self.query.see(object, &mut seen.tally);
        match self.slots(object, slots) {
            Ok(left_alone) => seen.not_in_namespace.add(left_alone),
            Err(SelectionError::Unsupported(field)) => seen.tally.add_unsupported(field),
            Err(SelectionError::Unknown(unknown)) => seen.tally.unanswered.add(unknown),
            Err(SelectionError::Unreadable(error)) => seen.errors.push(error.into()),
        }
    }

    /// Reports values that may not be overwritten.
    ///
    /// *Compatibility* (all-or-nothing): kubectl changes the objects without a conflict.
    pub fn report_conflicts(&self, conflicts: &[Conflict], report: &mut Report) {
        for conflict in conflicts {
            let place = &conflict.place;
            let message = match self.edit.labels().map(|change| change.field) {
                Some(Field::Annotations) => format!(
                    "{place}: --overwrite is false but found the following declared annotation(s): {conflict}"
                ),
                _ => format!("{place}: {conflict}, and --overwrite is false"),
            };
            // They are counted for all sources together.
            report.conflict(&Diagnostic::new(message));
        }
    }

    /// The lines about an object; `None` if kubectl says nothing of it.
    pub fn message(&self, object: &ObjectEdit) -> Option<String> {
        let is_dry_run = matches!(self.mode, Mode::DryRun);
        let dry_run = if is_dry_run { " (dry run)" } else { "" };
        let done = self.edit.message(&object.done)?;
        let is_of_labels = self.edit.labels().is_some_and(|change| change.field == Field::Labels);
        // kubectl doesn't look in a dry run (label.go, RunLabel).
        let absent = object.done.absent.iter().filter(|_| is_of_labels && !is_dry_run);
        let absent: String = absent.map(|key| format!("label {} not found.\n", go::quote(key))).collect();
        Some(format!("{absent}{} {done}{dry_run}", object.name))
    }
}

/// The object of an item; what is none is added.
fn object_of<'o, 't>(item: Item<'o, 't>, seen: &mut Seen) -> Option<&'o Object<'t>> {
    match item {
        Item::Object(object) => return Some(object),
        Item::Skipped(sort, place, _) => seen.tally.skipped.add(sort, place),
        Item::Error(error) => seen.errors.push(error.into()),
    }
    None
}
