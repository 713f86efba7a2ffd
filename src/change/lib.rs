//! Edits of objects in their text: labels, images and other fields, whichever objects are selected.
//!
//! An [`Edit`] says what an object shall be; the engine in [`mod@edit`] changes its text. Only objects that can be read
//! to their end are edited. Labels and annotations are usually set without a tree, by the cursor's positions in the lines of
//! `metadata` (`metadata.rs`); otherwise the document or the item of a List is parsed.
//!
//! ```
//! use kselect_change::edit;
//! use kselect_change::labels::{Change, Field};
//! use manifest::source::Source;
//! use manifest::stream::Blocks;
//!
//! let source = Source::memory("web.yaml", b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web # the first\n");
//! let block = Blocks::open(&source)?.next_block()?.expect("a block");
//! let change = Change::parse(Field::Labels, &["tier=fe".to_owned()])?;
//! let edited = edit(&block, &source, &change, |object| object.is_ok_and(|object| object.head.kind == "Pod"));
//! let text = block.spliced(&edited.splices).source_text().concat();
//! assert_eq!(text, b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web # the first\n  labels:\n    tier: fe\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod account;
pub mod container;
mod entries;
pub mod env;
pub mod fix;
pub mod image;
pub mod labels;
mod metadata;
mod object;
pub mod patch;
mod places;
mod pods;
pub mod refusal;
pub mod resources;
pub mod scale;
mod sops;
mod target;
mod template;
mod tree;

use std::path::Path;

use edit::splices::{self, moved};
use manifest::object::Object;
use manifest::objects::objects_with;
use manifest::source::Source;
use manifest::stream::Block;
use syntax::error::Error;
use syntax::head::Head;
use syntax::yaml::index::Index;

use self::labels::Change;
use self::target::EditTarget;

pub use self::object::{Done, Edit, Edited, Found, ObjectEdit, Origin};

/// The object as messages name it: a kustomization that has no name by its directory.
fn type_and_name(object: &Object<'_>) -> String {
    let source = &object.document.source;
    let directory = Path::new(&*source.name).parent().filter(|_| source.kustomization.is_some());
    let directory = directory.map(|path| path.strip_prefix(".").unwrap_or(path).to_string_lossy());
    let name = directory.as_deref().map(|path| if path.is_empty() { "." } else { path });
    Head { name: object.head.name.or(name), ..object.head.clone() }.type_and_name()
}

/// Edits those objects of `block` that `select` selects. `select` is called with every object or error.
pub fn edit(
    block: &Block,
    source: &Source,
    change: &dyn Edit,
    mut select: impl FnMut(Result<&Object<'_>, Error>) -> bool,
) -> Edited {
    let mut edited = Edited::default();
    let mut number = 0;
    let steps = change.labels().map(Change::steps).unwrap_or_default();
    let (mut head, mut index, mut new_index) = (Head::default(), Index::default(), Index::default());
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
            if object.as_ref().is_err_and(|error| document.items.is_none() && change.mends(error)) {
                targets.push(EditTarget::unread(document, number));
            }
            let is_selected = select(object);
            let Some(object) = known else { return };
            number += 1;
            if !is_selected {
                return;
            }
            let name = type_and_name(object);
            let mut result = ObjectEdit { number: number - 1, name, ..ObjectEdit::default() };
            match metadata::edit(object, change, &steps, &mut result, &mut edited, &mut new_index) {
                Some(splice) => {
                    edited.splices.extend(splice.map(|splice| moved(splice, start)));
                    edited.objects.push(result);
                }
                None => targets.push(EditTarget::of(object, result)),
            }
        });
        // The targets within one text are adjacent.
        for targets in targets.chunk_by_mut(|a, b| a.range == b.range) {
            let splices = target::edit(document, targets, change, &mut edited);
            edited.splices.extend(splices.into_iter().map(|splice| moved(splice, start)));
            edited.objects.extend(targets.iter().map(|target| target.edit.clone()));
        }
    }
    splices::sort(&mut edited.splices);
    edited.conflicts.sort_by_key(|conflict| conflict.place.line);
    edited
}
