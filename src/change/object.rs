//! What an edit makes of an object, and the results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::container::Container;
use super::labels::Change;
use super::refusal::{Conflict, EditError};
use edit::refusal::Refused;
use edit::splices::Splice;
use manifest::document::Document;
use manifest::object::Object;
use syntax::error::{Error, Place};
use syntax::tree::Node;

/// An edit of objects, such as that of `label`: what each of them shall be.
pub trait Edit: Sync {
    /// Makes of an object what it shall be.
    ///
    /// # Errors
    ///
    /// It is not edited, for this reason.
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused>;

    /// kubectl's words about an object after the edit, such as `labeled`; `None` if nothing is said of it.
    fn message(&self, done: &Done) -> Option<String>;

    /// The change of labels or annotations, if it is one, which may be made without a tree.
    fn labels(&self) -> Option<&Change> {
        None
    }

    /// What an object must have to be edited, such as `containers`; `None` if any object can be.
    fn subject(&self) -> Option<&'static str> {
        None
    }

    /// Whether configuration of tools is edited as well, such as a kustomization.
    fn edits_tools(&self) -> bool {
        false
    }

    /// Whether keys that are repeated with the same value are removed from the text with this object.
    fn removes_repetitions(&self, _: &Origin<'_>) -> bool {
        false
    }

    /// Whether a document that is no object for this reason is edited, because it may be one then.
    fn mends(&self, _: &Error) -> bool {
        false
    }

    /// Adds what an object says about the edits of others, such as a kustomization that replaces images.
    fn see(&self, _: &Object<'_>, _is_selected: bool, _: &mut Found) {}

    /// Why edits of the selected objects may have no effect.
    fn warnings(&self, _: &Found) -> Vec<String> {
        Vec::new()
    }

    /// What the arguments ask for and no selected object has; each with a hint.
    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        let none = self.subject().filter(|_| found.holders == 0 && !found.without.is_empty());
        none.map(|subject| (format!("the selected objects have no {subject}"), None)).into_iter().collect()
    }
}

/// What the selected objects have of [what an edit is for](Edit::subject).
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The number of objects that have it.
    pub holders: usize,
    /// The number of objects that do not have it, by their types.
    pub without: BTreeMap<String, usize>,
    /// Their containers.
    pub containers: BTreeSet<Container>,
    /// Images that kustomizations replace, with the places of the entries and whether these are edited.
    pub(super) replaced: BTreeMap<String, BTreeSet<(Place, bool)>>,
    /// The first entry of a kustomization that was not selected and has an image that is asked for.
    pub(super) entry: Option<Place>,
    /// The files of selected objects that are no such kustomizations.
    pub edited: BTreeSet<Arc<str>>,
    /// Whether an object was refused, so that more may be there.
    pub is_partial: bool,
}

impl Found {
    /// Adds an object, such as `deployment.apps/web`.
    pub(super) fn record(&mut self, name: &str, done: &mut Done) {
        match done.lacks {
            true => *self.without.entry(name.split('/').next().unwrap_or(name).to_owned()).or_default() += 1,
            false => self.holders += 1,
        }
        self.containers.extend(std::mem::take(&mut done.containers));
    }

    /// Leaves out the images that kustomizations in these files replace.
    pub fn leave_out(&mut self, is_out: impl Fn(&str) -> bool) {
        self.replaced.values_mut().for_each(|places| places.retain(|(place, _)| !is_out(&place.source)));
    }

    /// Adds what others have.
    pub fn add(&mut self, other: Self) {
        self.holders += other.holders;
        other.without.into_iter().for_each(|(name, count)| *self.without.entry(name).or_default() += count);
        self.containers.extend(other.containers);
        for (image, places) in other.replaced {
            self.replaced.entry(image).or_default().extend(places);
        }
        self.entry = self.entry.take().or(other.entry);
        self.edited.extend(other.edited);
        self.is_partial |= other.is_partial;
    }
}

/// Where an object comes from.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// Its version and kind, which may be those of its List.
    pub api_version: &'a str,
    /// See above.
    pub kind: &'a str,
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// The name of its source.
    pub source: &'a Arc<str>,
    /// The text that its spans refer to.
    pub text: &'a [u8],
}

/// What an edit made of an object.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The number of keys that got a new value.
    pub set: usize,
    /// The number of keys that were removed.
    pub removed: usize,
    /// The keys to remove that its own metadata does not have.
    pub absent: Vec<String>,
    /// Whether the object's selector was changed.
    pub selector: bool,
    /// The values that must not be overwritten: the object is unchanged then.
    pub conflicts: Vec<ValueConflict>,
    /// Its containers, if they are edited.
    pub containers: Vec<Container>,
    /// Whether it does not have [what the edit is for](Edit::subject).
    pub lacks: bool,
}

impl Done {
    /// Whether anything of the object changes.
    pub fn is_changed(&self) -> bool {
        self.set + self.removed > 0
    }
}

/// A value that must not be overwritten.
#[derive(Clone, Debug)]
pub struct ValueConflict {
    /// The position of its key.
    pub at: usize,
    /// The key.
    pub key: String,
    /// The value if it may be shown.
    pub value: Option<String>,
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
    /// What the selected objects have of what the edit is for.
    pub found: Found,
}

/// The result for a selected object.
#[derive(Clone, Debug, Default)]
pub struct ObjectEdit {
    /// Its number in the block, from 0; objects that could not be read are not counted.
    pub number: usize,
    /// `deployment.apps/web`.
    pub name: String,
    /// Whether it has conflicts or was refused, and is unchanged.
    pub failed: bool,
    /// Whether it is unchanged because SOPS would no longer accept it.
    pub is_sealed: bool,
    /// What was done; nothing if it is unchanged.
    pub done: Done,
}

impl Edited {
    pub(super) fn add_conflicts(
        &mut self,
        document: Document<'_>,
        start: usize,
        conflicts: Vec<ValueConflict>,
    ) {
        self.conflicts.extend(conflicts.into_iter().map(|ValueConflict { at, key, value }| Conflict {
            place: document.place(start + at),
            key,
            value,
        }));
    }
}
