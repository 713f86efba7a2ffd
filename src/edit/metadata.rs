//! Edits of the lines of `metadata`, if the cursor is certain about them and the map to be changed, as it mostly is: then
//! no tree is needed.

use crate::manifest::document::Document;
use crate::manifest::yaml::metadata::{TextEntry, TextMap, text_map};

use super::change::{Change, Current, Step};
use super::layout::{Layout, Place};
use super::{EditTarget, Edited, splice};

/// The text of the target, which is the lines of `metadata`, after its steps, or `None` in it if it does not change. `None`
/// if that takes a tree.
pub(super) fn edit(
    document: Document<'_>,
    target: &mut EditTarget,
    change: &Change,
    edited: &mut Edited,
) -> Option<Option<Vec<u8>>> {
    let field = change.field.key();
    if !target.narrow || target.steps.iter().any(|step| step.path != ["metadata", field]) {
        return None;
    }
    let lines = &document.text[target.range.clone()];
    let map = text_map(lines, field).ok()?;
    let entries = map.entries.iter().map(|entry| (&*entry.key, entry.value.as_deref().map_or(0, str::len)));
    if change.annotations_overflow(entries) {
        return None;
    }
    let conflicts = target.begin(document, change, |step| current(&map, step));
    let mut text: Option<Vec<u8>> = None;
    for step in target.steps.iter().filter(|_| !target.edit.failed) {
        let changed = match &text {
            None => apply(lines, &map, step, field)?,
            Some(text) => apply(text, &text_map(text, field).ok()?, step, field)?,
        };
        text = changed.or(text);
    }
    edited.conflicts.extend(conflicts);
    Some(text)
}

/// The text after `step`, or `None` in it if it does not change. `None` if the text that is read again is not certain to
/// be what it was with exactly that change.
fn apply(text: &[u8], before: &TextMap<'_>, step: &Step, field: &str) -> Option<Option<Vec<u8>>> {
    if !step.changes(current(before, step)) {
        return Some(None);
    }
    let layout = Layout { text, json: false };
    let entries: Vec<Place<'_>> = before.entries.iter().map(place).collect();
    let new = splice(text, layout.splices_in_block(before.key_end, &entries, step)?)?;
    let after = text_map(&new, field).ok()?;
    let set = current(&after, step).map(|(_, value)| value);
    let is_intended = set == step.value.as_deref().map(Some)
        && others(before, step).eq(others(&after, step))
        && before.others == after.others;
    is_intended.then_some(Some(new))
}

fn current<'m>(map: &'m TextMap<'_>, step: &Step) -> Option<Current<'m>> {
    let entry = map.entries.iter().find(|entry| entry.key == step.key)?;
    Some((entry.key_span.start, entry.value.as_deref()))
}

/// The entries that `step` does not change.
fn others<'m>(map: &'m TextMap<'_>, step: &Step) -> impl Iterator<Item = (&'m str, Option<&'m str>)> {
    let others = map.entries.iter().filter(|entry| entry.key != step.key);
    others.map(|entry| (&*entry.key, entry.value.as_deref()))
}

fn place<'m>(entry: &'m TextEntry<'_>) -> Place<'m> {
    let (key_span, value) = (entry.key_span.clone(), entry.span.clone());
    Place { key: &entry.key, key_span, value, is_map: false }
}
