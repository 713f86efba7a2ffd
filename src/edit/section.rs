//! Edits any text that can be parsed, by its tree: JSON, flow style, anchors, and changes outside metadata.

use manifest::document::{Document, Syntax};
use syntax::tree::{Entry, Node};
use syntax::{json, yaml};
use text::excerpt::Excerpt;

use super::change::Edit;
use super::layout::Layout;
use super::refusal::{EditError, Refusal};
use super::splices::{Splice, moved, splice, trimmed};
use super::step::Segment;
use super::target::{EditTarget, Edited};
use super::tree;

/// A text being edited, with its tree.
pub(super) struct Section {
    text: Vec<u8>,
    syntax: Syntax,
    root: Node,
    /// Whether it has anchors, aliases or merges, and whether it has repeated keys.
    aliased: bool,
    repeats: bool,
}

impl Section {
    /// The splice that changes the text shared by `targets`; `None` if it does not change.
    pub fn edit(
        document: Document<'_>,
        targets: &mut [EditTarget<'_>],
        change: Edit<'_>,
        edited: &mut Edited,
    ) -> Option<Splice> {
        match Self::try_edit(document, targets, change, edited) {
            Ok(splice) => splice,
            Err((at, refusal)) => {
                for target in targets.iter_mut() {
                    (target.edit.failed, target.edit.set, target.edit.removed) = (true, 0, 0);
                }
                let at = targets.first().map_or(0, |target| target.range.start) + at;
                let line = refusal.is_syntax().then(|| document.line_of(at));
                let excerpt = line.and_then(|line| Excerpt::at(document.text, at, line)).map(Box::new);
                edited.refusals.push(EditError { place: document.place(at), refusal, excerpt });
                None
            }
        }
    }

    /// # Errors
    ///
    /// The first edit that cannot be made, with its position in the text.
    fn try_edit(
        document: Document<'_>,
        targets: &mut [EditTarget<'_>],
        change: Edit<'_>,
        edited: &mut Edited,
    ) -> Result<Option<Splice>, (usize, Refusal)> {
        let Some(target) = targets.first() else { return Ok(None) };
        let (start, text) = (target.range.start, target.text(document));
        let mut section = Self::read(text.to_vec(), document.syntax)?;
        let mut conflicts = Vec::new();
        for target in targets.iter_mut() {
            let Some(object) = tree::target(&mut section.root, target.form, &target.path) else {
                continue;
            };
            conflicts.extend(target.begin(document, start, change, |step| step.current(object)));
            let annotations = object.at("metadata.annotations").and_then(Node::as_map).into_iter().flatten();
            let text = |entry: &Entry| entry.value.as_str().map_or(0, str::len);
            if change.annotations_overflow(annotations.map(|entry| (&*entry.key, text(entry)))) {
                return Err((object.span.start, Refusal::TooLarge));
            }
        }
        let rounds = targets.iter().filter(|target| !target.edit.failed).map(|target| target.rounds().len());
        let mut changed = false;
        for round in 0..rounds.max().unwrap_or(0) {
            changed |= section.round(targets, round)?;
        }
        edited.conflicts.extend(conflicts);
        Ok(changed.then(|| moved(trimmed(&text, section.text), start)))
    }

    fn read(text: Vec<u8>, syntax: Syntax) -> Result<Self, (usize, Refusal)> {
        let parsed = match syntax {
            Syntax::Yaml => yaml::parse(&text),
            Syntax::Json => json::parse_or_yaml(&text).map(Some),
        };
        match parsed {
            Ok(Some(parsed)) => {
                let (aliased, repeats) = (parsed.aliased, !parsed.duplicates.is_empty());
                Ok(Self { text, syntax, root: parsed.root, aliased, repeats })
            }
            Ok(None) => Err((0, Refusal::NotConfirmed)),
            Err(error) => {
                let is_syntax = error.kind().is_syntax();
                Err((error.offset(), Refusal::Unreadable { reason: error.to_string(), is_syntax }))
            }
        }
    }

    /// Applies the steps of this round to the targets, and verifies the result. Returns whether there was anything to do.
    fn round(&mut self, targets: &[EditTarget<'_>], round: usize) -> Result<bool, (usize, Refusal)> {
        let layout = Layout { text: &self.text, json: self.syntax == Syntax::Json };
        let mut splices = Vec::new();
        let mut first = None;
        let steps = || {
            let wanted = targets.iter().filter(|target| !target.edit.failed);
            let steps = |target| EditTarget::rounds(target).nth(round).into_iter().flatten();
            wanted.flat_map(move |target| steps(target).map(move |step| (target, step)))
        };
        for (target, step) in steps() {
            let Some(object) = tree::target(&mut self.root, target.form, &target.path) else {
                continue;
            };
            if !step.changes(step.current(object)) {
                continue;
            }
            first.get_or_insert(object.span.start);
            let Some(base) = Segment::find(object, &step.base) else { continue };
            splices.extend(match step.base.is_empty() {
                true => layout.splices(base, step)?,
                false => vec![layout.replace_text(base, step)?],
            });
        }
        let Some(first) = first else { return Ok(false) };
        let text = splice(&self.text, splices);
        for (target, step) in steps() {
            if let Some(object) = tree::target(&mut self.root, target.form, &target.path)
                && step.changes(step.current(object))
            {
                step.apply(object, &self.text);
            }
        }
        let refused = match (self.aliased, self.repeats) {
            (true, _) => Refusal::Shared,
            (_, true) => Refusal::Repeated,
            _ => Refusal::NotConfirmed,
        };
        let Some(text) = text else { return Err((first, refused)) };
        match Self::read(text, self.syntax) {
            Ok(read) if read.root == self.root => {
                *self = read;
                Ok(true)
            }
            _ => Err((first, refused)),
        }
    }
}
