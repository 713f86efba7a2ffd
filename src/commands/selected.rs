//! The objects that the flags of every command select: what the commands besides `get` are built on.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;

use crate::catalog::Catalog;
use crate::manifest::list::Object;
use crate::manifest::source::Source;
use crate::scan::copies::LeftOut;
use crate::scan::{Item, Run, Scan, SkippedCounts};
use crate::selection::{Selection, SelectionError, Slot, UnsupportedField};

use super::found::Found;
use super::input::{self, Knowledge, Near};
use super::report::{Outcome, Output, Problem, Report};
use super::survey::{Survey, Surveyed};
use crate::cli::{FilterArgs, InputArgs};

/// What is asked for, ready to be looked for.
pub struct Query<'a> {
    /// TYPE and NAME as they were typed.
    pub resources: &'a [String],
    /// The selection flags as they were typed.
    pub filter: &'a FilterArgs,
    /// What they mean.
    pub selection: Selection,
    /// The kinds there are.
    pub catalog: Catalog,
    /// Where the objects are.
    pub sources: Vec<Source>,
    /// The copies of objects that are not looked at.
    copies: LeftOut,
    /// What is learnt for when nothing is selected.
    survey: Survey,
}

/// What became of the objects besides results.
#[derive(Default)]
pub struct Tally {
    /// How many objects were selected.
    pub selected: usize,
    /// The requests that they meet.
    slots: BTreeSet<Slot>,
    surveyed: Surveyed,
    skipped: SkippedCounts,
}

/// What a block of the input came to.
#[derive(Default)]
struct Batch<T> {
    result: T,
    /// The requests that the object at hand meets.
    slots: Vec<Slot>,
    tally: Tally,
    errors: Vec<Problem>,
    warnings: Vec<String>,
    unsupported: Vec<UnsupportedField>,
}

impl<'a> Query<'a> {
    /// What the arguments ask for. `None` if each TYPE lacks a field that is selected by, which is reported.
    ///
    /// # Errors
    ///
    /// An argument means nothing, or a relation is to an object that is not in the input.
    pub fn new(
        input: &InputArgs,
        filter: &'a FilterArgs,
        resources: &'a [String],
        report: &mut Report,
    ) -> anyhow::Result<Option<Self>> {
        let selection = input::selection(filter, resources)?;
        let sources = input::sources(input, resources, report)?;
        Self::of_sources(selection, sources, filter, resources, report)
    }

    /// As [`Query::new`], of these sources.
    ///
    /// # Errors
    ///
    /// As of [`Query::new`].
    pub fn of_sources(
        selection: Selection,
        mut sources: Vec<Source>,
        filter: &'a FilterArgs,
        resources: &'a [String],
        report: &mut Report,
    ) -> anyhow::Result<Option<Self>> {
        let all_kinds = resources.is_empty();
        let needed = if all_kinds && !selection.fields.is_empty() {
            Knowledge::Kinds
        } else if all_kinds && selection.namespace.is_some()
            || input::has_category(&Catalog::new(), resources)
            || input::has_relations(filter)
        {
            Knowledge::Definitions
        } else {
            Knowledge::BuiltIn
        };
        let query = input::query(selection, resources, filter, needed, &mut sources, report)?;
        Ok(query.map(|(selection, catalog)| {
            let (copies, survey) = (LeftOut::find(&sources), Survey::new(&selection));
            Self { resources, filter, selection, catalog, sources, copies, survey }
        }))
    }

    /// Reads all sources. `each` adds a selected object to the result of its block, on several threads; `merge`
    /// takes the results in the order of the input and on the calling thread. What is wrong is reported, and the
    /// rest is processed.
    ///
    /// # Errors
    ///
    /// Those of `merge`, the first of which stops the reading.
    pub fn run<T: Default + Send>(
        &self,
        report: &mut Report,
        output: Output,
        each: impl Fn(&Object<'_>, &mut T) -> Result<(), Problem> + Sync,
        merge: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let selected = |object: &Object<'_>, is_selected: bool, result: &mut T| {
            if is_selected { each(object, result) } else { Ok(()) }
        };
        self.run_all(report, output, selected, merge)
    }

    /// As [`Query::run`], with all objects; `each` is told whether one is selected.
    ///
    /// # Errors
    ///
    /// As of [`Query::run`].
    pub fn run_all<T: Default + Send>(
        &self,
        report: &mut Report,
        output: Output,
        each: impl Fn(&Object<'_>, bool, &mut T) -> Result<(), Problem> + Sync,
        mut merge: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        let mut merged = Ok(());
        report.start_progress(output);
        let take = |run: Run<Batch<T>>| {
            report.advance(run.bytes, &self.sources);
            let batch = run.found;
            batch.errors.iter().for_each(|error| report.problem(error));
            batch.warnings.iter().for_each(|warning| report.warning(warning));
            batch.unsupported.into_iter().for_each(|field| report.unsupported(field));
            tally.add(batch.tally);
            merged = merge(batch.result);
            if merged.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let scan = Scan::of(&self.sources).tool_files(self.selection.tool_files());
        scan.items(|item, batch| self.item(item, batch, &each), take);
        report.end_of_input();
        merged.map(|()| tally)
    }

    fn item<T>(
        &self,
        item: Item<'_, '_>,
        batch: &mut Batch<T>,
        each: &impl Fn(&Object<'_>, bool, &mut T) -> Result<(), Problem>,
    ) {
        let object = match item {
            Item::Object(object) => object,
            Item::Skipped(sort) => return batch.tally.skipped.add(sort),
            Item::Error(error) => return batch.errors.push(error.into()),
        };
        if self.copies.has(object) {
            return;
        }
        batch.warnings.extend(input::joined(object));
        batch.slots.clear();
        match self.selection.slots(object, &self.catalog, &mut batch.slots) {
            Ok(()) => (),
            Err(SelectionError::Unsupported(field)) => return batch.unsupported.push(field),
            Err(error) => return batch.errors.push(error.into()),
        }
        // An object that is asked for repeatedly is one object nevertheless.
        let is_selected = !batch.slots.is_empty();
        match each(object, is_selected, &mut batch.result) {
            Ok(()) => batch.tally.selected += usize::from(is_selected),
            Err(error) => batch.errors.push(error),
        }
        batch.tally.slots.extend(&batch.slots);
        let (slots, surveyed) = (&mut batch.slots, &mut batch.tally.surveyed);
        match is_selected {
            true => self.survey.selected(surveyed),
            false => self.survey.unselected(object, &self.selection, &self.catalog, slots, surveyed),
        }
    }

    /// Reports what was not found, and says how the command ended. `out` is flushed before.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish(
        &self,
        tally: &Tally,
        input: &InputArgs,
        report: &mut Report,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        self.finish_with(tally, input, report, out, |found| found)
    }

    /// As [`Query::finish`]; `name` makes the message that nothing was found one about what the command shows.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish_with(
        &self,
        tally: &Tally,
        input: &InputArgs,
        report: &mut Report,
        out: &mut dyn Write,
        name: impl Fn(String) -> String,
    ) -> anyhow::Result<Outcome> {
        out.flush()?;
        let mut found = Found::none(&self.selection);
        tally.slots.iter().for_each(|slot| found.add(*slot));
        if !self.filter.ignore_not_found {
            let near = Near { sources: &self.sources, selection: &self.selection, catalog: &self.catalog };
            input::tell_missing(&found.missing(&self.selection), &near, self.resources, report);
        }
        report.hint_at_fields();
        report.note_empty_input(&self.sources);
        report.note_skipped(&tally.skipped);
        if report.has_failed() {
            return Ok(Outcome::Failed);
        }
        if tally.selected > 0 {
            return Ok(Outcome::Done);
        }
        if !self.filter.ignore_not_found {
            report.note(name(input::nothing_found(self.filter, &self.selection)));
            let (survey, is_condition) = ((&self.survey, &tally.surveyed), self.filter.exit_status);
            report.nothing_selected(survey, &self.selection, "kselect get --why", is_condition);
            report.hint_at_unread(input);
        }
        Ok(if self.filter.exit_status { Outcome::NothingSelected } else { Outcome::Done })
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.selected += other.selected;
        self.slots.extend(other.slots);
        self.surveyed.add(other.surveyed);
        self.skipped.extend(&other.skipped);
    }
}
