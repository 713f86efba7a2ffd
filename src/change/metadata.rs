//! Edits a map of strings in `metadata` without a tree, if the cursor is certain about the object, as is usual.

use memchr::memmem;

use super::labels::{Current, Step};
use super::object::{Edit, Edited, ObjectEdit};
use super::refusal::EditError;
use edit::layout::{Layout, Place};
use edit::splices::{Splice, moved, splice, trimmed};
use manifest::object::{Object, TextPart};
use syntax::syntax::Form;
use syntax::syntax::Syntax;
use syntax::tree::Node;
use syntax::yaml::check::{self, Field, Metadata, TextEntry, TextMap};
use syntax::yaml::index::Index;

/// The splice that applies `steps` to `object`, and adds to `result` and `edited` what it does; `None` inside if that is
/// nothing, and `None` outside if the tree is needed for this. `index` provides memory for reading the new lines.
pub(super) fn edit(
    object: &Object<'_>,
    change: &dyn Edit,
    steps: &[Step],
    result: &mut ObjectEdit,
    edited: &mut Edited,
    index: &mut Index,
) -> Option<Option<Splice>> {
    let change = change.labels().filter(|change| !change.templates)?;
    if steps.is_empty() {
        return Some(None);
    }
    let TextPart { start, end, .. } = object.part();
    let document = object.document;
    let field = change.field.key();
    let may_be_sealed = || memmem::find(&document.text[start..end], b"sops").is_some();
    if document.syntax != Syntax::Yaml
        || steps.iter().any(|step| step.path != ["metadata", field])
        || may_be_sealed()
    {
        return None;
    }
    let metadata = match object.metadata(field) {
        Ok(metadata) => metadata?,
        Err(error) => {
            result.failed = true;
            edited.refusals.push(EditError::unreadable(error));
            return Some(None);
        }
    };
    let map = metadata.map.as_ref()?;
    let entries = map.entries.iter().map(|entry| (&*entry.key, entry.value.as_deref().map_or(0, str::len)));
    if change.annotations_overflow(entries) {
        return None;
    }
    let lines = &document.text[start + metadata.lines.start..start + metadata.lines.end];
    let mut found = change.done(steps, |step| current(map, step));
    let conflicts = std::mem::take(&mut found.conflicts);
    let mut splices: Option<Splice> = None;
    for step in steps.iter().filter(|step| conflicts.is_empty() && step.changes(current(map, step))) {
        splices = Some(match splices {
            None => apply(lines, &metadata, step, field, index)?,
            Some(done) => {
                let text = splice(lines, vec![done])?;
                let change = apply(&text, &read(&text, field, index)?, step, field, index)?;
                trimmed(lines, splice(&text, vec![change])?)
            }
        });
    }
    result.failed |= !conflicts.is_empty();
    edited.add_conflicts(document, start + metadata.lines.start, conflicts);
    result.done = found;
    Some(splices.map(|splice| moved(splice, start + metadata.lines.start)))
}

/// The splice that applies `step` to the lines of `metadata`, which it changes; `None` unless reading the new lines
/// certainly gives the old entries with exactly that change. These are the lines of the map, or all if there was none.
fn apply(lines: &[u8], before: &Metadata<'_>, step: &Step, field: &str, index: &mut Index) -> Option<Splice> {
    let map = before.map.as_ref()?;
    let layout = Layout { text: lines, json: false, list_step: 0 };
    let value = step.value.as_deref().map(Node::text);
    let is_intended = |after: &TextMap<'_>| {
        let set = current(after, step).map(|(_, value)| value);
        set == step.value.as_deref().map(Some) && others(map, step).eq(others(after, step))
    };
    let Some(own) = before.fields.iter().find(|other| other.key == field) else {
        let fields: Vec<Place<'_>> = before.fields.iter().map(place_of_field).collect();
        let labels = Node::map([(step.key.as_str(), value?)]);
        let change = layout.splice_in_metadata(&before.key_span, &fields, (field, &labels))?;
        let new = splice(lines, vec![change.clone()])?;
        let after = read(&new, field, index)?;
        let is_same = other_fields(before, lines, field).eq(other_fields(&after, &new, field));
        return (is_same && is_intended(after.map.as_ref()?)).then_some(change);
    };
    let entries: Vec<Place<'_>> = map.entries.iter().map(place).collect();
    let (range, text) = layout.splice_in_block(own.key_span.end, &entries, (&step.key, value.as_ref()))?;
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
    Place { key: &field.key, key_span, value, is_map: field.is_map, is_text: !field.is_map }
}

fn place<'m>(entry: &'m TextEntry<'_>) -> Place<'m> {
    let (key_span, value) = (entry.key_span.clone(), entry.span.clone());
    Place { key: &entry.key, key_span, value, is_map: false, is_text: entry.value.is_some() }
}
