//! The objects that the common flags select, for all commands that do not change them.

use super::argument_errors::{self, Near};
use super::arguments;
use super::as_of::{Ages, Moment, Search};
use super::diagnostic::{Diagnostic, ObjectError, Warning};
use super::input::{self, Knowledge, Purpose};
use super::names::MatchedNames;
use super::namespaces::NamespaceTally;
use super::report::{Outcome, Output, Report};
use super::unselected::{BlockStats, UnselectedStats};
use super::waiting::{Decided, Judged, Live, Part, Waiting};
use crate::cli::{Arguments, Validate, ValidationArgs};
use kinds::catalog::{Catalog, Resource};
use kselect_core::relation::Relation;
use kselect_core::relation::graph::Missing;
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::clock::ClusterTimes;
use kselect_core::scan::copies::{AsTheyAre, Hold, ObjectState};
use kselect_core::scan::survey::Survey;
use kselect_core::scan::{Item, Run, Scan, Skipped, SkippedDocuments};
use kselect_core::scan::{kustomization, outside};
use kselect_core::selection::{Selection, Slot, UnsupportedField};
use manifest::object::Object;
use manifest::source::{Applier, Built, Pass, Source};
use policy::Unanswered;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::ControlFlow;
use syntax::head::Head;
use text::go;
use text::plural::counted;

/// What a command does with its input besides selecting objects.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'a> {
    /// What has to be known of the kinds in the input besides what the selection needs.
    pub knowledge: Knowledge,
    /// What the output shows of ages.
    pub ages: Ages,
    /// In which files the output needs the applications of Flux and Argo CD to be known, besides what the selection needs.
    pub applications: ApplicationFiles,
    /// Whether each copy of an object is processed.
    pub all_copies: bool,
    /// How objects are validated; `None` if the command does not validate.
    pub validation: Option<&'a ValidationArgs>,
    /// Whether the sources are read again after [`Query::visit`].
    pub pass: Pass,
    /// Whether the command has `--why` and `--all-copies` itself.
    pub is_get: bool,
}

impl Default for Needs<'_> {
    fn default() -> Self {
        Self {
            knowledge: Knowledge::BuiltIn,
            ages: Ages::Selected,
            applications: ApplicationFiles::Found,
            all_copies: false,
            validation: None,
            pass: Pass::Last,
            is_get: false,
        }
    }
}

/// The evaluated arguments.
pub struct Query<'a> {
    /// The arguments.
    pub asked: Arguments<'a>,
    /// Their meaning.
    pub selection: Selection,
    /// All kinds.
    pub catalog: Catalog,
    /// The sources of the objects.
    pub sources: Vec<Source>,
    pass: Pass,
    /// Finds the time that ages are relative to.
    search: Search,
    /// The times in the input, if they were read in advance because ages select, sort or count.
    times: Option<ClusterTimes>,
    /// Whether the exit status is the answer, so that what is not known is an error.
    pub is_gate: bool,
    /// How objects are validated.
    pub validate: Validate,
    /// Whether only the newest of the copies of an object is processed.
    has_copies: bool,
    /// What stands before `--why` and `--all-copies`.
    get: &'static str,
    /// Collects facts for the case that nothing is selected.
    pub unselected: UnselectedStats,
}

/// Counts of the processed objects.
#[derive(Default)]
pub struct Tally {
    /// How many objects were selected.
    pub selected: usize,
    /// How many copies of objects were left out that the selection selects.
    copies: usize,
    /// The requests that they met, and those that objects meet that cannot be read.
    slots: BTreeSet<Slot>,
    /// The objects that are there, but cannot be read.
    pub unread: Vec<Missing>,
    /// Whether objects were refused before it was known whether they are selected.
    pub has_refused: bool,
    block_stats: BlockStats,
    /// Documents that are not Kubernetes objects.
    pub skipped: SkippedDocuments,
    /// The times of the cluster in the objects, if ages are shown.
    times: ClusterTimes,
    /// Objects for which expressions could not be evaluated.
    pub unanswered: Unanswered,
    /// The selected fields that kinds do not support, one for each kind.
    unsupported: Vec<UnsupportedField>,
    /// Whether a kind in the input supports all selected fields.
    has_fields: bool,
    /// The namespaces of `-n`, compared with those of the objects.
    namespaces: NamespaceTally,
    /// How many objects are not selected because the value of a label is not known, by its key.
    unknown_labels: BTreeMap<String, usize>,
}

/// The findings of a block.
#[derive(Default)]
struct FoundInBlock<T> {
    /// The results, in the order of the input.
    parts: Vec<Part<T>>,
    /// The requests that the current object meets.
    slots: Vec<Slot>,
    tally: Tally,
    errors: Vec<Diagnostic>,
    warnings: Vec<Warning>,
}

impl<'a> Query<'a> {
    /// What `visit` makes of an object as each of the objects that apply it has it, with its namespace there; none if these do not differ.
    pub fn applied<T>(
        &self,
        head: &Head<'_>,
        built: Option<&Built>,
        visit: impl Fn(&Applier, &Built, &Head<'_>, &str) -> T,
    ) -> Vec<T> {
        let each = built.and_then(|built| built.each.as_deref()).unwrap_or_default();
        let applied = |(applier, built): &(Applier, Built)| {
            let mut head = head.clone();
            head.give(built.given(&head));
            visit(applier, built, &head, self.selection.namespace_of(&head, &self.catalog))
        };
        each.iter().map(applied).collect()
    }

    /// Evaluates the arguments.
    ///
    /// # Errors
    ///
    /// An argument is invalid, a relation is to an object that is not in the input, or no TYPE supports a selected field.
    pub fn open(asked: Arguments<'a>, needs: Needs<'_>, report: &mut Report) -> anyhow::Result<Self> {
        let selection = arguments::selection(asked.filter, asked.resources)?;
        let applications = needs.applications.max(arguments::needed_applications(asked));
        let purpose = Purpose { edits: false, applications };
        let mut sources = input::sources(asked.input, asked.resources, purpose, report)?;
        // Those of kustomize need not say their type.
        if asked.resources.iter().any(|word| word.contains(kustomization::GROUP)) {
            kustomization::mark_untyped(&mut sources);
        }
        Self::of_sources(selection, sources, asked, needs, report)
    }

    /// Evaluates the rest of the arguments for these sources, which are read once for all that has to be known of them.
    ///
    /// # Errors
    ///
    /// Those of [`Query::open`].
    pub fn of_sources(
        selection: Selection,
        mut sources: Vec<Source>,
        asked: Arguments<'a>,
        needs: Needs<'_>,
        report: &mut Report,
    ) -> anyhow::Result<Self> {
        let schemas = input::schemas(asked.input, report)?;
        let knowledge = Knowledge::for_selection(&selection, asked).max(needs.knowledge);
        let timed = match knowledge {
            Knowledge::BuiltIn if schemas.is_empty() => needs.ages.searched(&sources),
            _ => Cow::Borrowed(&*sources),
        };
        let is_timed_first = needs.ages == Ages::Compared || selection.has_ages();
        let is_timed = needs.ages == Ages::Shown || is_timed_first;
        let search = Search::begin(asked.filter.conditions.as_of.as_deref(), is_timed, asked.input, &timed)?;
        let clock = search.clock.as_ref().filter(|_| is_timed_first);
        let survey = Survey::of(&sources).times(clock, &timed);
        let (mut selection, catalog) =
            arguments::resolve(selection, asked, (knowledge, &schemas), &survey, report)?;
        let has_types = !selection.requests.is_empty();
        let mut unsupported = selection.refuse_unsupported_fields();
        let last = unsupported.pop_if(|_| has_types && selection.requests.is_empty());
        unsupported.into_iter().for_each(|field| report.unsupported(field));
        if let Some(last) = last {
            return Err(report.refusal(last).into());
        }
        let times = is_timed_first.then(|| survey.cluster_times().clone());
        drop(timed);
        if let Some(times) = &times {
            selection.count_ages_to(search.end(times).time);
        }
        let (validate, release) =
            needs.validation.map_or((Validate::Ignore, None), |args| (args.validate, args.kubernetes));
        if validate == Validate::Strict {
            input::require_json(&mut sources, release);
        }
        Ok(Self {
            asked,
            unselected: UnselectedStats::new(&selection),
            selection,
            has_copies: !needs.all_copies,
            catalog: catalog.for_release(release),
            sources,
            pass: needs.pass,
            search,
            times,
            is_gate: asked.filter.conditions.exit_status,
            validate,
            get: if needs.is_get { "" } else { "kselect get " },
        })
    }

    /// The time that ages are relative to, once the objects of `tally` have been read.
    pub fn moment(&self, tally: &Tally) -> Moment {
        self.search.end(self.times.as_ref().unwrap_or(&tally.times))
    }

    /// The time that ages are relative to, for a command that compares them.
    pub fn moment_in_advance(&self) -> Moment {
        self.moment(&Tally::default())
    }

    /// Reads all sources, for output at the end. `each` adds a selected object to the result of its block, on several threads;
    /// `merge` takes the results in the order of the input on the calling thread. Errors are reported, and the rest is processed.
    ///
    /// # Errors
    ///
    /// Those of `merge`, the first of which stops the reading.
    pub fn run<T: Default + Send + 'static>(
        &self,
        report: &mut Report,
        each: impl Fn(&Object<'_>, &mut T) -> Result<(), Diagnostic> + Sync,
        merge: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let each = |object: &Object<'_>, is_selected: bool, found: &mut T| match is_selected {
            true => each(object, found),
            false => Ok(()),
        };
        self.run_all(report, each, AsTheyAre, merge)
    }

    /// Reads all sources. `each` sees all objects and whether they are selected, and `hold` keeps its results while they wait; the
    /// rest is as for [`Query::run`].
    ///
    /// # Errors
    ///
    /// Those of `merge`, the first of which stops the reading, and of `hold`.
    pub fn run_all<T: Default + Send + 'static>(
        &self,
        report: &mut Report,
        each: impl Fn(&Object<'_>, bool, &mut T) -> Result<(), Diagnostic> + Sync,
        hold: impl Hold<T>,
        mut merge: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let visit = |object: &Object<'_>, slots: &mut Vec<Slot>, result: &mut T| {
            self.selection.slots(object, &self.catalog, slots)?;
            each(object, !slots.is_empty(), result)?;
            Ok(!slots.is_empty())
        };
        self.visit(report, Output::AtTheEnd, (visit, hold), |result| result.map_or(Ok(()), &mut merge))
    }

    /// Reads all sources. `visit` sees all objects, adds the requests that one meets and returns whether it is selected, and `merge` is
    /// also called with `None` before waiting for more input; the rest is as for [`Query::run`].
    ///
    /// Of objects that may have copies, and of what follows them, the results wait for the end of the input: only then is it
    /// known which copy is the newest. `hold` keeps them.
    ///
    /// # Errors
    ///
    /// Those of `merge`, the first of which stops the reading, and of `hold`.
    pub fn visit<T: Default + Send + 'static>(
        &self,
        report: &mut Report,
        output: Output,
        (visit, hold): (
            impl Fn(&Object<'_>, &mut Vec<Slot>, &mut T) -> Result<bool, ObjectError> + Sync,
            impl Hold<T>,
        ),
        mut merge: impl FnMut(Option<T>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        let mut waiting = Waiting::of(&self.sources, output, hold);
        let mut merged = Ok(());
        report.start_progress(output);
        let take = |run: Option<Run<FoundInBlock<T>>>| {
            let Some(Run { bytes, found }) = run else {
                merged = merge(None);
                return if merged.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            };
            report.advance(bytes, &self.sources);
            found.errors.iter().for_each(|error| report.diagnostic(error));
            found.warnings.iter().for_each(|warning| report.document_warning(warning));
            tally.add(found.tally);
            merged = found.parts.into_iter().try_for_each(|part| {
                let decided = waiting.add(part)?;
                let result = decided.and_then(|decided| tally.count(decided, report));
                result.map_or(Ok(()), |result| merge(Some(result)))
            });
            if merged.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let scan = Scan::of(&self.sources).pass(self.pass).tool_files(self.selection.tool_files());
        scan.items_as_they_come(|item, batch| self.item(item, batch, &visit), take);
        report.end_of_input();
        merged?;
        for decided in waiting.finish() {
            let decided = decided?;
            if let (Some(judged), false) = (&decided.judged, decided.is_object) {
                tally.block_stats.leave_out(judged.counted);
            }
            tally.count(decided, report).map_or(Ok(()), |result| merge(Some(result)))?;
        }
        Ok(tally)
    }

    fn item<T: Default>(
        &self,
        item: Item<'_, '_>,
        batch: &mut FoundInBlock<T>,
        visit: &impl Fn(&Object<'_>, &mut Vec<Slot>, &mut T) -> Result<bool, ObjectError>,
    ) {
        let object = match item {
            Item::Object(object) => object,
            Item::Skipped(sort, place, _) => return batch.tally.skipped.add(sort, place),
            Item::Error(error) => {
                if let Some(head) = error.head() {
                    self.selection.candidate(&head, &self.catalog, &mut batch.slots);
                    batch.tally.slots.extend(batch.slots.drain(..));
                    let namespace = self.selection.namespace_of(&head, &self.catalog);
                    batch.tally.unread.push(Missing::unread(&head, namespace));
                }
                return batch.errors.push(error.into());
            }
        };
        batch.slots.clear();
        if let Some(clock) = self.search.clock.as_ref().filter(|_| self.times.is_none()) {
            clock.read(object, &mut batch.tally.times);
        }
        let state = if self.has_copies { ObjectState::of(object) } else { None };
        let live = state.map(|state| Live { state, judged: Judged::default(), error: None });
        let is_new = live.is_some() || batch.parts.last().is_none_or(|part| part.live.is_some());
        if is_new {
            batch.parts.push(Part { result: T::default(), live });
        }
        let Some(part) = batch.parts.last_mut() else { return };
        // What is wrong in a document is reported even if a newer copy is the object.
        if !self.admits(object, &mut batch.errors, &mut batch.warnings) {
            batch.tally.has_refused = true;
            if let Some(Live { judged, .. }) = &mut part.live {
                judged.is_refused = true;
                judged.is_selected = self.selection.slots(object, &self.catalog, &mut judged.slots).is_ok();
                judged.is_selected &= !judged.slots.is_empty();
            }
            return;
        }
        self.see(object, &mut batch.tally);
        let visited = visit(object, &mut batch.slots, &mut part.result);
        let is_selected = visited.as_ref().is_ok_and(|is_selected| *is_selected);
        let error = visited.err();
        let has_failed = matches!(error, Some(ObjectError::Failed(_)));
        match &mut part.live {
            Some(live) => {
                live.judged.is_selected = is_selected;
                live.judged.slots.clone_from(&batch.slots);
                live.error = error.map(Box::new);
            }
            None => {
                batch.tally.select(&batch.slots, is_selected);
                batch.errors.extend(error.and_then(|error| batch.tally.add_error(error)));
            }
        }
        if has_failed && batch.slots.is_empty() {
            return;
        }
        let before = batch.tally.block_stats.counts();
        self.judge(object, &mut batch.slots, &mut batch.tally);
        if let Some(live) = &mut part.live {
            let (objects, candidates) = batch.tally.block_stats.counts();
            live.judged.counted = (objects > before.0, candidates > before.1);
        }
    }

    /// Adds an object that is read to `tally`.
    pub fn see(&self, object: &Object<'_>, tally: &mut Tally) {
        if !tally.has_fields {
            tally.has_fields = self.selection.has_fields(object.head, &self.catalog);
        }
        if self.selection.namespace.is_some() {
            tally.namespaces.add_named(object.head);
            if self.selection.may_be_in_namespace(object.head, &self.catalog) {
                tally.namespaces.add_unknown(object.head);
            }
        }
    }

    /// Adds to `tally` in which namespace a selected object is, or why another one is not selected.
    fn judge(&self, object: &Object<'_>, slots: &mut Vec<Slot>, tally: &mut Tally) {
        let stats = &mut tally.block_stats;
        match slots.is_empty() {
            false => {
                if self.selection.namespace.is_some() {
                    tally.namespaces.add_selected(object.head, &self.catalog);
                }
                self.unselected.selected(stats);
            }
            true => {
                if let Some(key) = self.selection.unknown_label(object.head, &self.catalog) {
                    *tally.unknown_labels.entry(key.to_owned()).or_default() += 1;
                }
                self.unselected.unselected(object, &self.selection, &self.catalog, slots, stats);
            }
        }
    }

    /// Adds the requests that an object meets to `tally`, or why it is not selected.
    pub fn count(&self, object: &Object<'_>, slots: &mut Vec<Slot>, tally: &mut Tally) {
        tally.select(slots, !slots.is_empty());
        self.judge(object, slots, tally);
    }

    /// Reports names that were not found, and returns how the command ended. `out` is flushed first.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish(&self, tally: &Tally, report: &mut Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let nothing = |message: String, report: &mut Report| {
            report.say(message);
            self.report_unselected(tally, report);
        };
        let outcome = self.finish_with(tally, report, out, nothing)?;
        self.hint_at_more(tally, report);
        Ok(outcome)
    }

    /// Says that subdirectories are not part of an answer about everything of some kinds.
    pub fn hint_at_more(&self, tally: &Tally, report: &Report) {
        if tally.selected > 0 && !self.selection.has_names() {
            report.hint_at_unread(self.asked.input, tally.selected);
        }
    }

    /// Reports names that were not found, and returns how the command ended. `out` is flushed first, and `nothing` reports
    /// that nothing was selected, for which it is given kubectl's message.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish_with(
        &self,
        tally: &Tally,
        report: &mut Report,
        out: &mut dyn Write,
        nothing: impl FnOnce(String, &mut Report),
    ) -> anyhow::Result<Outcome> {
        out.flush()?;
        let found = self.found(tally);
        let unread = report.errors();
        self.report_input(&found, tally, report);
        let has_failed = report.has_failed();
        if has_failed && tally.selected == 0 && !found.missing(&self.selection).is_empty() {
            report.hint_at_unread(self.asked.input, 0);
        }
        if tally.selected > 0 || self.selection.has_ages() {
            self.moment(tally).note(report);
        }
        if tally.selected > 0 {
            return Ok(if has_failed { Outcome::Failed } else { Outcome::Done });
        }
        // What cannot be read may be what is asked for, unless it says that it is something else.
        let is_else = tally.slots.is_empty() && tally.block_stats.candidates == 0;
        let is_nothing = !has_failed || is_else && report.errors() == tally.unread.len();
        if self.asked.filter.conditions.ignore_not_found {
        } else if is_nothing {
            nothing(argument_errors::nothing_found(&self.selection), report);
        } else if report.errors() == unread && !tally.may_be_unread() && self.selection.relations.is_empty() {
            self.report_unselected(tally, report);
        }
        Ok(if has_failed { Outcome::Failed } else { Outcome::of_nothing(self.asked.filter.conditions) })
    }

    fn near(&self) -> Near<'_> {
        Near { sources: &self.sources, selection: &self.selection, catalog: &self.catalog }
    }

    /// The requests that objects meet.
    fn found(&self, tally: &Tally) -> MatchedNames {
        let mut found = MatchedNames::none(&self.selection);
        tally.slots.iter().for_each(|slot| found.add(*slot));
        found
    }

    /// Whether the input has what the arguments name: objects of each NAME, and kinds with the fields of selectors.
    pub fn has_named(&self, tally: &Tally) -> bool {
        let lacks_names = !self.asked.filter.conditions.ignore_not_found
            && !self.found(tally).missing(&self.selection).is_empty();
        let lacks_fields = self.selection.requests.is_empty() && !tally.has_fields;
        !lacks_names && (!lacks_fields || tally.unsupported.is_empty())
    }

    /// Reports names that were not found, and documents that were skipped.
    pub fn report_input(&self, found: &MatchedNames, tally: &Tally, report: &mut Report) {
        // Of an input that does not exist, that is said.
        let is_missing = self.sources.is_empty() && report.has_failed();
        if !self.asked.filter.conditions.ignore_not_found && !is_missing {
            let missing = found.missing(&self.selection);
            argument_errors::report_missing(&missing, &self.near(), self.asked.resources, report);
        }
        // Without a TYPE, fields select among the kinds that have them.
        if !self.selection.requests.is_empty() || !tally.has_fields {
            tally.unsupported.iter().for_each(|field| report.unsupported(field.clone()));
        } else {
            // Every object has metadata, so nobody expects that a kind lacks this field.
            let lacks_namespace = |field: &&UnsupportedField| {
                field.message.starts_with("field label not supported")
                    && field.message.ends_with(": metadata.namespace")
            };
            let fields = tally.unsupported.iter().filter(lacks_namespace);
            let kinds: Vec<_> = fields.map(|field| go::printable(&field.resource)).collect();
            if !kinds.is_empty() {
                report.note(format_args!("left out {}: no field metadata.namespace", kinds.join(", ")));
            }
        }
        self.selection.relations.iter().flat_map(Relation::doubts).for_each(|doubt| report.note_once(doubt));
        report.hint_at_fields();
        if let Some(namespaces) = &self.selection.namespace {
            tally.namespaces.report(namespaces, report);
        }
        for (key, &count) in &tally.unknown_labels {
            let (objects, verb) = (counted(count, "object"), if count == 1 { "is" } else { "are" });
            report.note(format_args!(
                "{objects} {verb} left out because only a build would tell the value of the label {key}"
            ));
        }
        report.note_empty_input(&self.sources);
        report.note_skipped(&tally.skipped);
        if tally.selected > 0 || self.selection.is_unused_alone() {
            self.near().generated_besides().iter().for_each(|note| report.note(note));
        }
        report.note_copies(tally.copies, &format!("{}--all-copies", self.get));
        report.note_unopened_if_little(tally.block_stats.objects, &self.sources);
        report.unanswered(&tally.unanswered, self.is_error(&tally.unanswered));
    }

    /// Whether it is an error that expressions could not be evaluated: if the exit status is the answer, and if an expression
    /// is wrong for any object.
    pub fn is_error(&self, unanswered: &Unanswered) -> bool {
        self.is_gate && !unanswered.is_empty() || unanswered.has_errors()
    }

    /// Reports why nothing was selected.
    pub fn report_unselected(&self, tally: &Tally, report: &mut Report) {
        let asked = (self.get, self.asked.filter.conditions.exit_status);
        self.unselected.report(&tally.block_stats, &self.selection, asked, report);
        let candidates = tally.block_stats.candidates;
        if candidates == 0 {
            report.note_unopened(&self.sources);
            self.near().generator_of_type().iter().for_each(|hint| report.hint(hint));
            let mut types = self.selection.requests.iter().map(|request| &request.resource);
            let is_of_flux = |of: &Resource| of.kind() == "Kustomization" && !of.is_configuration();
            let has_files = tally.block_stats.has_kustomizations || tally.skipped.has(Skipped::Kustomization);
            if has_files && types.any(is_of_flux) {
                report.hint("kustomization files are kustomizations.kustomize.config.k8s.io");
            }
        }
        let is_to_build = |source: &Source| !source.named && source.kustomization.is_some();
        let builds_more = || {
            let files = kustomization::files(&self.sources);
            kustomization::charts(&files).next().is_some()
                || kustomization::remote(&files).next().is_some()
                || !outside::sources(&self.sources).is_empty()
        };
        let build = || {
            report.only_hint(format_args!("{}-k DIR reads what kustomize builds from a directory", self.get));
        };
        let is_to_build = candidates == 0 && self.sources.iter().any(is_to_build);
        if is_to_build && builds_more() {
            build();
        }
        report.hint_at_unread(self.asked.input, candidates);
        if is_to_build && tally.objects() == 0 {
            build();
        }
    }
}

impl Tally {
    /// How many objects were read, selected or not.
    pub fn objects(&self) -> usize {
        self.block_stats.objects
    }

    /// Whether nothing could be read but objects that are perhaps what is asked for.
    fn may_be_unread(&self) -> bool {
        self.objects() == 0 || self.has_refused || !self.slots.is_empty()
    }

    /// Whether an object has a requested type, name and namespace, if only these select.
    pub fn has_met(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Counts the object of a result. Returns the result; `None` if it is of an older copy.
    fn count<T>(&mut self, decided: Decided<T>, report: &mut Report) -> Option<T> {
        let Decided { result, judged, error, is_object } = decided;
        let Some(Judged { slots, is_selected, is_refused, .. }) = judged else { return result };
        if !is_object {
            self.copies += usize::from(is_selected);
            return None;
        }
        if is_refused {
            return None;
        }
        self.select(&slots, is_selected);
        let error = error.and_then(|error| self.add_error(*error));
        error.iter().for_each(|error| report.diagnostic(error));
        result
    }

    /// Counts an object that meets these requests, and is selected unless it cannot be processed.
    fn select(&mut self, slots: &[Slot], is_selected: bool) {
        // An object that is requested repeatedly is still one object.
        self.selected += usize::from(is_selected);
        self.slots.extend(slots);
    }

    /// Adds why an object cannot be processed. Returns it if it is an error of this object.
    fn add_error(&mut self, error: ObjectError) -> Option<Diagnostic> {
        match error {
            ObjectError::Unknown(unknown) => self.unanswered.add(unknown),
            ObjectError::Unsupported(field) => self.add_unsupported(field),
            ObjectError::Failed(error) => return Some(error),
        }
        None
    }

    /// Adds an object that is not in the input, but is shown because others refer to it.
    pub fn add_named(&mut self, slot: Slot) {
        self.selected += 1;
        self.slots.insert(slot);
    }

    /// Leaves out copies of objects, by names, that were selected.
    pub fn leave_out(&mut self, copies: usize) {
        self.selected -= copies;
        self.copies += copies;
    }

    /// Adds the counts of other objects.
    pub fn add(&mut self, other: Self) {
        self.selected += other.selected;
        self.copies += other.copies;
        self.slots.extend(other.slots);
        self.unread.extend(other.unread);
        self.has_refused |= other.has_refused;
        self.block_stats.add(other.block_stats);
        self.skipped.extend(other.skipped);
        self.times.extend(other.times);
        self.unanswered.extend(other.unanswered);
        self.has_fields |= other.has_fields;
        self.namespaces.add(other.namespaces);
        for (key, count) in other.unknown_labels {
            *self.unknown_labels.entry(key).or_default() += count;
        }
        other.unsupported.into_iter().for_each(|field| self.add_unsupported(field));
    }

    /// Adds a selected field that a kind does not support.
    pub fn add_unsupported(&mut self, field: UnsupportedField) {
        if self.unsupported.iter().all(|known| known.resource != field.resource) {
            self.unsupported.push(field);
        }
    }
}
