//! Edits a map of strings in `metadata` without a tree, if the cursor is certain about the object, as is usual.

use crate::manifest::document::Document;
use crate::manifest::yaml::check::{self, Metadata, TextEntry, TextMap};
use crate::manifest::yaml::index::Index;

use super::change::{Change, Current, Step};
use super::layout::{Layout, Place};
use super::{EditTarget, Edited, Splice, splice, trimmed};

/// The splice that applies the steps of `target`, whose text is the lines of `metadata`; `None` inside if they change
/// nothing, and `None` outside if the tree is needed for this. `index` provides memory for reading the new lines.
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
    // The lines after the last step so far, and its splice.
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

/// The lines after `step`, which changes them, and the splice; `None` unless reading the new lines certainly gives the
/// old entries with exactly that change.
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
