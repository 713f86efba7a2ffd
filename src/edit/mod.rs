//! Changes labels, annotations and images in the text of manifests, leaving every other byte unchanged.
//!
//! Only objects that can be read to their end are edited. Usually the cursor finds the positions in the lines of
//! `metadata` (`metadata.rs`); otherwise the document or the item of a List is parsed (`section.rs`). Each step becomes
//! splices (`layout.rs`), and the edited lines are read again: unless they are the original ones with exactly that
//! change, the edit is refused and the text is unchanged. Thus the layout may guess, but a wrong guess is never written.
//!
//! Nothing here serialises an original value, and only [`mod@write`] accesses the file system.
//!
//! These are refused, with their place: a map that is an alias or merged, an anchored value that is used elsewhere, a
//! repeated key whose first value would become visible, text that was not UTF-8, and a removal after which a workload's
//! selector would not match its template.

pub mod change;
pub mod image;
mod layout;
mod metadata;
pub mod refusal;
mod section;
mod sops;
mod template;
mod tree;
pub mod write;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::manifest::document::{Document, Syntax};
use crate::manifest::error::Error;
use crate::manifest::head::Head;
use crate::manifest::object::{Object, TextPart};
use crate::manifest::objects::objects_with;
use crate::manifest::source::Source;
use crate::manifest::stream::Block;
use crate::manifest::yaml::check::Metadata;
use crate::manifest::yaml::scalar;
use crate::selector::validation;

use self::change::{Change, Current, Edit, Field, Step};
use self::refusal::{Conflict, EditError};
use self::section::Section;

/// A range of bytes in a text, and their replacement.
pub type Splice = (Range<usize>, Vec<u8>);

/// Applies `splices` to the text; `None` if they overlap.
pub fn splice(text: &[u8], mut splices: Vec<Splice>) -> Option<Vec<u8>> {
    splices.sort_by_key(|(range, _)| range.start);
    let mut spliced = Vec::with_capacity(text.len() + 64 * splices.len());
    let mut copied = 0;
    for (range, new) in splices {
        spliced.extend_from_slice(text.get(copied..range.start)?);
        spliced.extend_from_slice(&new);
        copied = range.end;
    }
    spliced.extend_from_slice(text.get(copied..)?);
    Some(spliced)
}

/// Whether the labels in `head` show that `change` has no conflicts.
pub fn is_clear(change: &Change, head: &Head<'_>) -> bool {
    let differs = |(key, value): &(String, String)| head.label(key).is_some_and(|other| other != value);
    change.field == Field::Labels && !change.needs_body() && !change.set.iter().any(differs)
}

/// Whether an object in `text` may have a key that `change` sets, judging by the text alone: it has the key, or what may
/// stand for a part of it, which is an escape in a quoted key or the tag `!!binary`.
pub fn may_have_keys(change: &Change, text: &[u8]) -> bool {
    let is_escape = |at: usize| {
        matches!(text.get(at + 1), None | Some(b'x' | b'u' | b'U' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
    };
    // A key that is not a word may be written in several ways: `true` is `y` as well.
    let may_have = |key: &str| !scalar::is_plain_word(key) || memmem::find(text, key.as_bytes()).is_some();
    change.set.iter().any(|(key, _)| may_have(key))
        || memchr_iter(b'\\', text).any(is_escape)
        || memmem::find(text, b"binary").is_some()
}

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
    /// The names of the containers of the selected objects, if images are changed.
    pub containers: BTreeSet<String>,
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

/// Applies `change` to those objects of `block` that `select` selects. `select` is called with every object or error.
pub fn edit<'c>(
    block: &Block,
    source: &Source,
    change: impl Into<Edit<'c>>,
    mut select: impl FnMut(Result<&Object<'_>, Error>) -> bool,
) -> Edited {
    let mut edited = Edited::default();
    let mut number = 0;
    let change = change.into();
    let steps = match change {
        Edit::Entries(change) => change.steps(),
        Edit::Images(_) => Vec::new(),
    };
    let (mut head, mut index, mut new_index) = Default::default();
    for document in block.documents(source) {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                select(Err(error));
                continue;
            }
        };
        let start = block.start_of(&document);
        let mut targets = Vec::new();
        objects_with(&mut head, &mut index, document, &mut |object| {
            let known = object.as_ref().ok().copied();
            let is_selected = select(object);
            let Some(object) = known else { return };
            number += 1;
            if !is_selected {
                return;
            }
            let found = EditTarget::of(object, number - 1, change, &steps, &mut edited.containers);
            let (mut target, metadata) = match found {
                Ok(found) => found,
                Err(error) => return edited.refuse(error, ObjectEdit::of(object, number - 1)),
            };
            if target.steps.is_empty() {
                return edited.objects.push(target.edit);
            }
            let splice = match (metadata, change) {
                (Some(metadata), Edit::Entries(change)) => {
                    metadata::edit(document, &mut target, metadata, change, &mut edited, &mut new_index)
                }
                _ => None,
            };
            let Some(splice) = splice else { return targets.push(target) };
            edited.splices.extend(splice.map(|splice| moved(splice, start)));
            edited.objects.push(target.edit);
        });
        // The targets within one text are adjacent.
        for targets in targets.chunk_by_mut(|a, b| a.range == b.range) {
            if let Some(splice) = Section::edit(document, targets, change, &mut edited) {
                edited.splices.push(moved(splice, start));
            }
            edited.objects.extend(targets.iter().map(|target| target.edit.clone()));
        }
    }
    edited.splices.sort_by_key(|(range, _)| range.start);
    edited.conflicts.sort_by_key(|conflict| conflict.place.line);
    edited
}

impl Edited {
    fn refuse(&mut self, error: EditError, object: ObjectEdit) {
        self.refusals.push(error);
        self.objects.push(ObjectEdit { failed: true, ..object });
    }
}

/// The splice, shifted by `by` bytes.
fn moved((range, text): Splice, by: usize) -> Splice {
    (by + range.start..by + range.end, text)
}

/// The splice that turns `old` into `new`, without their common beginning and end.
fn trimmed(old: &[u8], mut new: Vec<u8>) -> Splice {
    let common = |(a, b): &(&u8, &u8)| a == b;
    let before = old.iter().zip(&new).take_while(common).count();
    let after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(common).count();
    new.truncate(new.len() - after);
    new.drain(..before);
    (before..old.len() - after, new)
}

/// A selected object in the text of its document.
struct EditTarget<'c> {
    /// The smallest text with the object that can be parsed alone: the document or an item of a List.
    range: Range<usize>,
    /// The column of the object's keys if that text starts with the dash of a List's item; otherwise 0.
    indent: usize,
    items: Vec<usize>,
    /// The ranges of the document that are blank in that text.
    blank: Vec<Range<usize>>,
    steps: Cow<'c, [Step]>,
    edit: ObjectEdit,
}

impl<'c> EditTarget<'c> {
    /// The target, with the metadata of the object if the cursor is certain about it. `steps` are those of `change` in
    /// metadata.
    fn of<'t>(
        object: &Object<'t>,
        number: usize,
        change: Edit<'_>,
        steps: &'c [Step],
        containers: &mut BTreeSet<String>,
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
        let TextPart { start, end, indent, items, blank } = object.part();
        let (range, items, blank) = (start..end, items.to_vec(), blank.to_vec());
        let edit = ObjectEdit { is_sealed, ..ObjectEdit::of(object, number) };
        Ok((Self { range, indent, items, blank, steps, edit }, metadata))
    }

    /// The text of the range.
    fn text<'t>(&self, document: Document<'t>) -> Cow<'t, [u8]> {
        let Self { ref range, indent, ref items, ref blank, .. } = *self;
        TextPart { start: range.start, end: range.end, indent, items, blank }.text(document)
    }

    /// Records the changes of the steps, given the current values of their keys, whose positions count from `start`.
    /// Returns the conflicts.
    fn begin<'n>(
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
    fn of(object: &Object<'_>, number: usize) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pair: &str, text: &str, expected: bool) {
        let change = Change::parse(Field::Labels, &[pair.to_owned()]).expect("a pair");
        assert_eq!(may_have_keys(&change, text.as_bytes()), expected, "{pair} in {text}");
    }

    #[test]
    fn a_text_without_a_key_has_it_in_no_form() {
        check("tier=web", "labels: {app: web}\n", false);
        check("tier=web", "labels: {app: web}\nnote: \"say \\\"a\\\"\\n\"\n", false);
        check("tier=web", "labels: {tier: web}\n", true);
        check("tier=web", "labels: {\"ti\\x65r\": web}\n", true);
        check("tier=web", "{\"labels\": {\"\\u0074ier\": \"web\"}}", true);
        check("a/b=c", "{\"labels\": {\"a\\/b\": \"c\"}}", true);
        check("tier=web", "labels:\n  \"ti\\\n    er\": web\n", true);
        check("tier=web", "labels: {!!binary dGllcg==: web}\n", true);
        // A number and a word that YAML reads as another key.
        check("16=a", "labels: {0x10: b}\n", true);
        check("true=a", "labels: {y: b}\n", true);
    }
}
