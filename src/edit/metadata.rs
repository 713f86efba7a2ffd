//! Edits of a map of texts in `metadata` about which the cursor is certain, as it mostly is: then no tree is needed.

use crate::manifest::document::Document;
use crate::manifest::yaml::check::{self, Metadata, TextEntry, TextMap};
use crate::manifest::yaml::index::Index;

use super::change::{Change, Current, Step};
use super::layout::{Layout, Place};
use super::{EditTarget, Edited, Splice, splice, trimmed};

/// The splice of the steps of `target`, whose text is the lines of `metadata`, or `None` in it if they change nothing. `None`
/// if that takes a tree. The new lines are read in the memory of `index`.
pub(super) fn edit(
    document: Document<'_>,
    target: &mut EditTarget<'_>,
    metadata: Metadata<'_>,
    change: &Change,
    edited: &mut Edited,
    index: &mut Index,
) -> Option<Option<Splice>> {
    let field = change.field.key();
    if target.steps.iter().any(|step| step.path != ["metadata", field]) {
        return None;
    }
    let map = metadata.map.as_ref()?;
    let entries = map.entries.iter().map(|entry| (&*entry.key, entry.value.as_deref().map_or(0, str::len)));
    if change.annotations_overflow(entries) {
        return None;
    }
    let conflicts = target.begin(document, change, |step| current(map, step));
    let lines = &document.text[target.range.clone()];
    // The lines after the last step, and what that changed.
    let mut last: Option<(Vec<u8>, Splice)> = None;
    for step in target.steps.iter().filter(|step| !target.edit.failed && step.changes(current(map, step))) {
        last = Some(match &last {
            None => apply(lines, &metadata, step, field, index)?,
            Some((text, _)) => {
                let before = read(text, field, index)?;
                let (new, _) = apply(text, &before, step, field, index)?;
                (new.clone(), trimmed(lines, new))
            }
        });
    }
    edited.conflicts.extend(conflicts);
    Some(last.map(|(_, splice)| splice))
}

/// The lines after `step`, which changes them, and the splice. `None` if the lines that are read again are not certain to be
/// what they were with exactly that change.
fn apply(
    lines: &[u8],
    before: &Metadata<'_>,
    step: &Step,
    field: &str,
    index: &mut Index,
) -> Option<(Vec<u8>, Splice)> {
    let map = before.map.as_ref()?;
    let entries: Vec<Place<'_>> = map.entries.iter().map(place).collect();
    let change = Layout { text: lines, json: false }.splice_in_block(map.key_end, &entries, step)?;
    let new = splice(lines, vec![change.clone()])?;
    let after = read(&new, field, index)?;
    let set = current(after.map.as_ref()?, step).map(|(_, value)| value);
    let is_intended = set == step.value.as_deref().map(Some)
        && others(map, step).eq(others(after.map.as_ref()?, step))
        && before.others == after.others;
    is_intended.then_some((new, change))
}

/// Reads the edited lines of `metadata`.
fn read<'t>(lines: &'t [u8], field: &str, index: &mut Index) -> Option<Metadata<'t>> {
    index.mark(lines);
    let text = index.certain(lines).ok()?;
    check::metadata(text, index.part(0), 0, field).ok()?.filter(|read| read.lines == (0..lines.len()))
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
