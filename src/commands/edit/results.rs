//! Processes the results of blocks in the order of the input: reports, counts, and passes the output to the sink.

use std::io::{self, Write};
use std::sync::Arc;

use super::batch::{Batch, End, Message, Mode, Origin, Seen, Sink};
use super::editor::Editor;
use crate::commands::diagnostic::Diagnostic;
use crate::commands::query::Tally;
use crate::commands::report::Report;
use change::refusal::EditError;
use change::{Edit, Found};
use manifest::once::Kept;
use manifest::source::Source;
use text::go;
use text::plural::{self, counted};

/// The maximum number of types that a note lists.
const SHOWN: usize = 5;

/// Processes batches in the order of the input.
pub struct EditResults<'a> {
    editor: &'a Editor<'a>,
    sources: &'a [Source],
    /// The index of the current source.
    at: usize,
    sink: Box<dyn Sink + 'a>,
    /// The output, if it is held until the end.
    held: Option<Kept>,
    out: &'a mut dyn Write,
    seen: Seen,
    has_errors: bool,
    has_conflicts: bool,
    /// Whether something was not edited that should have been, so that no file is rewritten.
    blocked: bool,
    messages: Vec<Message>,
    /// The number of objects that SOPS would no longer accept.
    sealed: usize,
}

impl<'a> EditResults<'a> {
    pub fn new(
        editor: &'a Editor<'a>,
        sources: &'a [Source],
        sink: Box<dyn Sink + 'a>,
        held: Option<Kept>,
        out: &'a mut dyn Write,
    ) -> Self {
        Self {
            editor,
            sources,
            at: 0,
            sink,
            held,
            out,
            seen: Seen::default(),
            has_errors: false,
            has_conflicts: false,
            blocked: false,
            messages: Vec::new(),
            sealed: 0,
        }
    }

    pub fn take(&mut self, mut batch: Batch, report: &mut Report) -> io::Result<()> {
        self.has_errors |= !batch.seen.errors.is_empty();
        batch.seen.errors.drain(..).for_each(|error| report.diagnostic(&error));
        batch.warnings.iter().for_each(|warning| report.document_warning(warning));
        self.seen.add(std::mem::take(&mut batch.seen));
        self.editor.report_conflicts(&batch.conflicts, report);
        self.has_conflicts |= !batch.conflicts.is_empty();
        self.blocked |= batch.invalid || self.has_conflicts || !batch.refusals.is_empty();
        for refusal in std::mem::take(&mut batch.refusals) {
            report.diagnostic(&self.diagnostic(refusal));
        }
        let Some(source) = &batch.source else { return Ok(()) };
        let is_other = |other: &Source| !Arc::ptr_eq(&other.name, source.container());
        while self.sources.get(self.at).is_some_and(is_other) {
            self.at += 1;
        }
        for (slot, object) in &batch.objects {
            self.sealed += usize::from(object.is_sealed);
            if object.failed || object.is_sealed || object.done.lacks {
                continue;
            }
            if let Some(message) = self.editor.message(object) {
                self.messages.push(Message {
                    slot: *slot,
                    source: self.at,
                    text: self.named(source, &message),
                    is_changed: object.done.is_changed(),
                });
                if object.done.selector {
                    let name = &object.name;
                    report.warning(format_args!(
                        "{name}: the selector is changed, which a cluster rejects for most existing workloads"
                    ));
                }
            }
        }
        let origin = Origin { source, number: self.at };
        let out = self.held.as_mut().map_or(&mut *self.out as &mut dyn Write, |held| held);
        self.sink.take(batch.part, origin, out)
    }

    /// The lines about an object, each after the name of its file if there are several, as grep prints lines.
    ///
    /// *Compatibility* (edited-files): kubectl does not name files.
    fn named(&self, source: &Source, lines: &str) -> String {
        if self.sources.len() < 2 {
            return lines.to_owned();
        }
        let name = go::printable(&source.name);
        lines.lines().map(|line| format!("{name}: {line}")).collect::<Vec<_>>().join("\n")
    }

    /// A refused edit, and what happens to the object in a stream.
    fn diagnostic(&self, refused: EditError) -> Diagnostic {
        // A text without a line is refused as a whole.
        let becomes = match (&self.editor.mode, refused.place.line) {
            (Mode::Stream, None) => "; it is left out",
            (Mode::Stream, Some(_)) => "; the object is passed on unchanged",
            _ => "",
        };
        let mut diagnostic = Diagnostic::from(refused);
        diagnostic.message.push_str(becomes);
        diagnostic
    }

    /// Notes which types of objects have nothing to edit, and are therefore unchanged.
    fn note_without(&self, report: &Report) {
        let Found { holders, without, .. } = &self.seen.found;
        let Some(subject) = self.editor.edit.subject().filter(|_| *holders > 0 && !without.is_empty()) else {
            return;
        };
        let objects = counted(without.values().sum::<usize>(), "object");
        let types = plural::first(without.keys().map(|name| go::printable(name)), SHOWN);
        report.note(format_args!("left {objects} without {subject} unchanged: {types}"));
    }

    /// Flushes the output before waiting for more input.
    pub fn show(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the output, and returns the counts of the objects; `None` if a value that may not be overwritten is all that there
    /// is to say.
    pub fn finish(mut self, report: &mut Report) -> io::Result<Option<Tally>> {
        if self.held.is_some() && self.has_conflicts {
            return Ok(None);
        }
        self.messages.sort_by_key(|message| message.slot);
        let has_named = self.editor.query.has_named(&self.seen.tally);
        let is_certain = if self.held.is_some() { has_named } else { !self.blocked };
        let lacks = self.seen.tally.selected > 0
            && is_certain
            && report_missing(self.editor.edit, &self.seen.found, report);
        if lacks {
            // What is missing may be in a patch.
            self.seen.overridden.warnings().for_each(|warning| report.warning(warning));
        }
        if let Some(held) = self.held.take() {
            if !has_named || lacks && !self.has_errors {
                self.seen.not_in_namespace.note(report);
                return Ok(Some(self.seen.tally));
            }
            held.write_to(self.out)?;
        }
        // What cannot be decided is an error then, and no file is changed unless all edits can be made.
        self.blocked |= lacks || !has_named || self.editor.query.is_error(&self.seen.tally.unanswered);
        let end = End { messages: &self.messages, blocked: self.blocked, report: &mut *report };
        self.sink.finish(end, self.out)?;
        self.out.flush()?;
        if self.sealed > 0 {
            let objects = counted(self.sealed, "object");
            report.note(format_args!(
                "{objects} with a SOPS signature left unchanged, because the signature covers the change"
            ));
        }
        if !self.blocked {
            let found = &mut self.seen.found;
            let edited = std::mem::take(&mut found.edited);
            found.leave_out(self.editor.overlays.build_without(edited.iter().map(|file| &**file)));
            self.editor.edit.warnings(&self.seen.found).iter().for_each(|warning| report.warning(warning));
            self.seen.overridden.warnings().for_each(|warning| report.warning(warning));
            self.seen.shared.warn(report);
            self.note_without(report);
        }
        self.seen.not_in_namespace.note(report);
        Ok(Some(self.seen.tally))
    }
}

/// Reports what the arguments ask for and no selected object has. Returns whether there is anything.
fn report_missing(edit: &dyn Edit, found: &Found, report: &mut Report) -> bool {
    let missing = if found.is_partial { Vec::new() } else { edit.missing(found) };
    for (message, hint) in &missing {
        report.diagnostic(&Diagnostic { hint: hint.clone(), ..Diagnostic::new(message) });
    }
    !missing.is_empty()
}
