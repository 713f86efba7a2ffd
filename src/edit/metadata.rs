//! Edits a map of strings in `metadata` without a tree, if the cursor is certain about the object, as is usual.

use manifest::document::{Document, Form};
use syntax::yaml::check::{self, Field, Metadata, TextEntry, TextMap};
use syntax::yaml::index::Index;

use super::change::Change;
use super::layout::{Layout, Place};
use super::splices::{Splice, moved, splice, trimmed};
use super::step::{Current, Step};
use super::target::{EditTarget, Edited};

/// The splice that applies the steps of `target`, which has this `metadata`; `None` inside if they change nothing, and
/// `None` outside if the tree is needed for this. `index` provides memory for reading the new lines.
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
    let start = target.range.start + metadata.lines.start;
    let conflicts = target.begin(document, start, change.into(), |step| current(map, step));
    let lines = &document.text[start..target.range.start + metadata.lines.end];
    let mut done: Option<Splice> = None;
    for step in target.steps.iter().filter(|step| !target.edit.failed && step.changes(current(map, step))) {
        done = Some(match done {
            None => apply(lines, &metadata, step, field, index)?,
            Some(done) => {
                let text = splice(lines, vec![done])?;
                let change = apply(&text, &read(&text, field, index)?, step, field, index)?;
                trimmed(lines, splice(&text, vec![change])?)
            }
        });
    }
    edited.conflicts.extend(conflicts);
    Some(done.map(|splice| moved(splice, start)))
}

/// The splice that applies `step` to the lines of `metadata`, which it changes; `None` unless reading the new lines
/// certainly gives the old entries with exactly that change. These are the lines of the map, or all if there was none.
fn apply(lines: &[u8], before: &Metadata<'_>, step: &Step, field: &str, index: &mut Index) -> Option<Splice> {
    let map = before.map.as_ref()?;
    let layout = Layout { text: lines, json: false };
    let is_intended = |after: &TextMap<'_>| {
        let set = current(after, step).map(|(_, value)| value);
        set == step.value.as_deref().map(Some) && others(map, step).eq(others(after, step))
    };
    let Some(own) = before.fields.iter().find(|other| other.key == field) else {
        let fields: Vec<Place<'_>> = before.fields.iter().map(place_of_field).collect();
        let change = layout.splice_in_metadata(&before.key_span, &fields, step)?;
        let new = splice(lines, vec![change.clone()])?;
        let after = read(&new, field, index)?;
        let is_same = other_fields(before, lines, field).eq(other_fields(&after, &new, field));
        return (is_same && is_intended(after.map.as_ref()?)).then_some(change);
    };
    let entries: Vec<Place<'_>> = map.entries.iter().map(place).collect();
    let (range, text) = layout.splice_in_block(own.key_span.end, &entries, step)?;
    let from = before.map_lines.start;
    let within = range.start.checked_sub(from)?..range.end.checked_sub(from)?;
    let new = splice(&lines[before.map_lines.clone()], vec![(within, text.clone())])?;
    index.mark(&new);
    let after = check::text_map(index.certain(&new).ok()?, index.part(0), field).ok()??;
    is_intended(&after).then_some((range, text))
}

/// Reads the edited lines of `metadata`.
fn read<'t>(lines: &'t [u8], field: &str, index: &mut Index) -> Option<Metadata<'t>> {
    index.mark(lines);
    let text = index.certain(lines).ok()?;
    check::metadata(text, index.part(0), Form::Document, field)
        .ok()?
        .filter(|read| read.lines == (0..lines.len()))
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

/// The keys of the other fields, and their texts.
fn other_fields<'m>(
    metadata: &'m Metadata<'_>,
    lines: &'m [u8],
    field: &str,
) -> impl Iterator<Item = (&'m str, &'m [u8])> {
    let others = metadata.fields.iter().filter(move |other| other.key != field);
    others.map(|other| (&*other.key, &lines[other.span.clone()]))
}

fn place_of_field<'m>(field: &'m Field<'_>) -> Place<'m> {
    let (key_span, value) = (field.key_span.clone(), field.span.clone());
    Place { key: &field.key, key_span, value, is_map: field.is_map }
}

fn place<'m>(entry: &'m TextEntry<'_>) -> Place<'m> {
    let (key_span, value) = (entry.key_span.clone(), entry.span.clone());
    Place { key: &entry.key, key_span, value, is_map: false }
}
