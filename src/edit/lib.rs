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
mod splices;
mod step;
mod target;
mod template;
mod tree;
pub mod write;

use memchr::{memchr_iter, memmem};

use manifest::object::Object;
use manifest::objects::objects_with;
use manifest::source::Source;
use manifest::stream::Block;
use syntax::error::Error;
use syntax::head::Head;
use syntax::yaml::scalar;

use self::change::{Change, Edit, Field};
use self::section::Section;
use self::splices::moved;
use self::target::EditTarget;

pub use self::splices::{Splice, splice};
pub use self::target::{Edited, ObjectEdit};

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
