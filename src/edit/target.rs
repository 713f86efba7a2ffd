//! A selected object and what is changed in it, and the result of an edit.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use manifest::document::{Document, Form, Syntax};
use manifest::object::{Member, Object, TextPart};
use selector::validation;
use syntax::yaml::check::Metadata;

use super::change::Edit;
use super::image::Container;
use super::refusal::{Conflict, EditError};
use super::splices::Splice;
use super::step::{Current, Step};
use super::{sops, template};

/// The result of editing a run of documents.
#[derive(Debug, Default)]
pub struct Edited {
    /// The replacements, in the order of the text.
    pub splices: Vec<Splice>,
    /// The results for the selected objects, in the order of the text.
    pub objects: Vec<ObjectEdit>,
    /// Conflicts: values that must not be overwritten.
    pub conflicts: Vec<Conflict>,
    /// Edits that were not made.
    pub refusals: Vec<EditError>,
    /// The containers of the selected objects, if images are changed.
    pub containers: BTreeSet<Container>,
}

/// The result for a selected object.
#[derive(Clone, Debug)]
pub struct ObjectEdit {
    /// Its number in the block, from 0; objects that could not be read are not counted.
    pub number: usize,
    /// `deployment.apps/web`.
    pub name: String,
    /// The number of keys that got a new value.
    pub set: usize,
    /// The number of keys that were removed.
    pub removed: usize,
    /// The keys to remove that its own metadata does not have.
    pub absent: Vec<String>,
    /// Whether the object's selector was changed.
    pub selector: bool,
    /// Whether it has conflicts or was refused, and is unchanged.
    pub failed: bool,
    /// Whether it is unchanged because SOPS would no longer accept it.
    pub is_sealed: bool,
}

impl Edited {
    pub(super) fn refuse(&mut self, error: EditError, object: ObjectEdit) {
        self.refusals.push(error);
        self.objects.push(ObjectEdit { failed: true, ..object });
    }
}

/// A selected object in the text of its document.
pub(super) struct EditTarget<'c> {
    /// The smallest text with the object that can be parsed alone: the document or an item of a List.
    pub range: Range<usize>,
    pub form: Form,
    pub path: Vec<Member>,
    /// The ranges of the document that are blank in that text.
    pub blank: Vec<Range<usize>>,
    pub steps: Cow<'c, [Step]>,
    pub edit: ObjectEdit,
}

impl<'c> EditTarget<'c> {
    /// The target, with the metadata of the object if the cursor is certain about it. `steps` are those of `change` in
    /// metadata.
    pub fn of<'t>(
        object: &Object<'t>,
        number: usize,
        change: Edit<'_>,
        steps: &'c [Step],
        containers: &mut BTreeSet<Container>,
    ) -> Result<(Self, Option<Metadata<'t>>), EditError> {
        let refused = |refusal| EditError { place: object.place(), refusal, excerpt: None };
        let mut steps: Cow<'c, [Step]> = match change {
            Edit::Entries(change) if change.needs_body() => {
                let tree = object.tree().map_err(EditError::unreadable)?;
                template::steps(change, object.head, tree).map_err(refused)?.into()
            }
            Edit::Entries(_) => Cow::Borrowed(steps),
            Edit::Images(images) => {
                let tree = object.tree().map_err(EditError::unreadable)?;
                let (steps, names) = images.steps(object.head, tree).map_err(refused)?;
                containers.extend(names);
                steps.into()
            }
        };
        let is_sealed = sops::is_sealed(object, &steps).map_err(EditError::unreadable)?;
        if is_sealed {
            steps = Cow::Borrowed(&[]);
        }
        let metadata = match (object.document.syntax, change) {
            (Syntax::Yaml, Edit::Entries(change)) if !steps.is_empty() => {
                object.metadata(change.field.key()).map_err(EditError::unreadable)?
            }
            _ => None,
        };
        let metadata = metadata.filter(|_| steps.iter().all(Step::is_in_metadata));
        let TextPart { start, end, form, path, blank } = object.part();
        let (range, path, blank) = (start..end, path.to_vec(), blank.to_vec());
        let edit = ObjectEdit { is_sealed, ..ObjectEdit::of(object, number) };
        Ok((Self { range, form, path, blank, steps, edit }, metadata))
    }

    /// The text of the range.
    pub fn text<'t>(&self, document: Document<'t>) -> Cow<'t, [u8]> {
        let Self { ref range, form, ref path, ref blank, .. } = *self;
        TextPart { start: range.start, end: range.end, form, path, blank }.text(document)
    }

    /// The steps that are applied at once. Texts that are replaced do not depend on each other, and there may be any number of
    /// them; a key that is set or removed may change what the next step finds.
    pub fn rounds(&self) -> impl ExactSizeIterator<Item = &[Step]> {
        let is_independent = self.steps.iter().all(|step| !step.base.is_empty());
        self.steps.chunks(if is_independent { self.steps.len().max(1) } else { 1 })
    }

    /// Records the changes of the steps, given the current values of their keys, whose positions count from `start`.
    /// Returns the conflicts.
    pub fn begin<'n>(
        &mut self,
        document: Document<'_>,
        start: usize,
        change: Edit<'_>,
        current: impl Fn(&Step) -> Option<Current<'n>>,
    ) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        let edit = &mut self.edit;
        (edit.set, edit.removed) = (0, 0);
        edit.absent.clear();
        for step in &*self.steps {
            let current = current(step);
            if let Some((at, value)) = step.conflict(current).filter(|_| !change.overwrites()) {
                let place = document.place(start + at);
                // Labels identify objects, so valid ones are shown.
                let is_label = change.is_of_labels() && validation::label_value(value).is_empty();
                let value = is_label.then(|| value.to_owned());
                conflicts.push(Conflict { place, key: step.key.clone(), value });
                edit.failed = true;
            }
            if step.changes(current) {
                match step.value {
                    Some(_) => edit.set += 1,
                    None => edit.removed += 1,
                }
                edit.selector |= step.is_selector;
            } else if step.value.is_none() && step.is_in_metadata() {
                edit.absent.push(step.key.clone());
            }
        }
        conflicts
    }
}

impl ObjectEdit {
    pub(super) fn of(object: &Object<'_>, number: usize) -> Self {
        Self {
            number,
            name: object.head.type_and_name(),
            set: 0,
            removed: 0,
            absent: Vec::new(),
            selector: false,
            failed: false,
            is_sealed: false,
        }
    }
}
