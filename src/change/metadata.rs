//! Edits labels or annotations in the lines of `metadata` alone, if the cursor is certain about the object, as is usual.

use memchr::memmem;

use super::object::{Edit, Edited, ObjectEdit, Origin};
use super::refusal::EditError;
use edit::splices::{Splice, moved};
use manifest::object::{Object, TextPart};
use syntax::syntax::Syntax;
use syntax::tree::{Node, Value};
use syntax::yaml::check::MetadataLines;

/// The splices that make `change` of `object`, and adds to `done` and `edited` what they do; `None` if the whole object has
/// to be parsed for this.
pub(super) fn edit(
    object: &Object<'_>,
    change: &dyn Edit,
    done: &mut ObjectEdit,
    edited: &mut Edited,
) -> Option<Vec<Splice>> {
    let labels = change.labels().filter(|change| !change.templates && change.resource_version.is_none())?;
    if labels.is_empty() {
        return Some(Vec::new());
    }
    let TextPart { start, end, .. } = object.part();
    let document = object.document;
    let may_be_sealed = || memmem::find(&document.text[start..end], b"sops").is_some();
    if document.syntax != Syntax::Yaml || may_be_sealed() {
        return None;
    }
    let MetadataLines { lines, is_field } = match object.metadata_lines(labels.field.key()) {
        Ok(found) => found?,
        Err(error) => {
            done.failed = true;
            edited.refusals.push(EditError::unreadable(error));
            return Some(Vec::new());
        }
    };
    let start = start + lines.start;
    let text = &document.text[start..start + lines.len()];
    let (api_version, kind) = (object.head.api_version, object.head.kind);
    let name = object.head.name.unwrap_or_default();
    let origin = Origin { api_version, kind, name, source: &document.source.name, text };
    let mut found = None;
    let result = edit::edit(text, Syntax::Yaml, |root| {
        let own = std::mem::replace(root, Node::new(Value::Null));
        let mut object = if is_field { Node::map([("metadata", own)]) } else { own };
        found = Some(change.apply(&mut object, origin)?);
        let metadata = object.as_map_mut().filter(|_| is_field).and_then(|map| map.remove("metadata"));
        *root = if is_field { metadata.unwrap_or_else(|| Node::map([])) } else { object };
        Ok(())
    });
    // What is refused here may be possible with the other lines, or is reported with its place there.
    let (splices, mut found) = (result.ok()?.splices, found?);
    let conflicts = std::mem::take(&mut found.conflicts);
    done.failed |= !conflicts.is_empty();
    edited.add_conflicts(document, start, conflicts);
    done.record(found);
    Some(splices.into_iter().map(|splice| moved(splice, start)).collect())
}
