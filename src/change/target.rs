//! The selected objects of a text that is parsed.

use std::borrow::Cow;
use std::ops::Range;

use super::object::{Done, Edit, Edited, Found, ObjectEdit, Origin, ValueConflict};
use super::refusal::EditError;
use super::{sops, tree};
use edit::refusal::Refused;
use edit::splices::{Splice, moved, trimmed};
use manifest::document::Document;
use manifest::object::{Member, Object, TextPart};
use syntax::syntax::Form;
use syntax::tree::Node;
use text::excerpt::Excerpt;

/// A selected object in the text of its document.
pub(super) struct EditTarget {
    /// The smallest text with the object that can be parsed alone: the document or an item of a List.
    pub range: Range<usize>,
    form: Form,
    path: Vec<Member>,
    /// The ranges of the document that are blank in that text.
    blank: Vec<Range<usize>>,
    api_version: String,
    kind: String,
    name: String,
    pub edit: ObjectEdit,
}

impl EditTarget {
    pub fn of(object: &Object<'_>, edit: ObjectEdit) -> Self {
        let TextPart { start, end, form, path, blank } = object.part();
        let (range, path, blank) = (start..end, path.to_vec(), blank.to_vec());
        let head = object.head;
        let (api_version, kind) = (head.api_version.to_owned(), head.kind.to_owned());
        let name = head.name.unwrap_or_default().to_owned();
        Self { range, form, path, blank, api_version, kind, name, edit }
    }

    /// A document that is no object yet.
    pub fn unread(document: Document<'_>, number: usize) -> Self {
        Self {
            range: 0..document.text.len(),
            form: Form::Document,
            path: Vec::new(),
            blank: Vec::new(),
            api_version: String::new(),
            kind: String::new(),
            name: String::new(),
            edit: ObjectEdit { number, ..ObjectEdit::default() },
        }
    }

    /// Where it comes from: a document, of which this text is a part.
    fn origin<'a>(&'a self, document: Document<'a>, text: &'a [u8]) -> Origin<'a> {
        let Self { api_version, kind, name, .. } = self;
        Origin { api_version, kind, name, source: &document.source.name, text }
    }

    /// The text of the range.
    fn text<'t>(&self, document: Document<'t>) -> Cow<'t, [u8]> {
        let Self { ref range, form, ref path, ref blank, .. } = *self;
        TextPart { start: range.start, end: range.end, form, path, blank }.text(document)
    }

    /// Changes the object within the value of its text, unless that has conflicts or SOPS would not accept it.
    fn apply(
        &mut self,
        root: &mut Node,
        (document, text): (Document<'_>, &[u8]),
        change: &dyn Edit,
        found: &mut Found,
    ) -> Result<Vec<ValueConflict>, Refused> {
        let Some(object) = tree::target(root, self.form, &self.path) else { return Ok(Vec::new()) };
        let mut wanted = object.clone();
        let mut done = change.apply(&mut wanted, self.origin(document, text))?;
        let conflicts = std::mem::take(&mut done.conflicts);
        found.record(&self.edit.name, &mut done);
        if !conflicts.is_empty() {
            self.edit.failed = true;
        } else if sops::is_sealed(object, &wanted) {
            self.edit.is_sealed = true;
        } else {
            *object = wanted;
            self.edit.done = done;
        }
        Ok(conflicts)
    }
}

/// Edits the text shared by `targets`, and returns the splices; none if it is refused or does not change.
pub(super) fn edit(
    document: Document<'_>,
    targets: &mut [EditTarget],
    change: &dyn Edit,
    edited: &mut Edited,
) -> Vec<Splice> {
    let Some(first) = targets.first() else { return Vec::new() };
    let (start, original) = (first.range.start, first.text(document));
    let is_unrepeated =
        targets.iter().any(|target| change.removes_repetitions(&target.origin(document, &original)));
    let unrepeated = is_unrepeated.then(|| edit::without_repetitions(&original, document.syntax)).flatten();
    let text = unrepeated.as_deref().unwrap_or(&original);
    let mut conflicts = Vec::new();
    let result = edit::edit(text, document.syntax, |root| {
        for target in targets.iter_mut() {
            conflicts.extend(target.apply(root, (document, text), change, &mut edited.found)?);
        }
        Ok(())
    });
    match result {
        Ok(done) => {
            edited.add_conflicts(document, start, conflicts);
            let splices = match unrepeated {
                Some(_) => {
                    targets.iter_mut().for_each(|target| target.edit.done.removed += 1);
                    vec![trimmed(&original, done.text)]
                }
                None => done.splices,
            };
            splices.into_iter().map(|splice| moved(splice, start)).collect()
        }
        Err(refusal) => {
            edited.found.is_partial = true;
            for target in targets.iter_mut() {
                (target.edit.failed, target.edit.done) = (true, Done::default());
            }
            edited.refusals.push(refused(document, start, refusal));
            Vec::new()
        }
    }
}

fn refused(document: Document<'_>, start: usize, Refused { at, message, is_syntax }: Refused) -> EditError {
    let at = start + at;
    let line = is_syntax.then(|| document.line_of(at));
    let excerpt = line.and_then(|line| Excerpt::at(document.text, at, line)).map(Box::new);
    EditError { place: document.place(at), message, excerpt }
}
