//! Changes labels and annotations in the text of manifests, leaving every other byte unchanged.
//!
//! A change is applied to the smallest text that can be parsed alone: the lines of `metadata` if the cursor is certain
//! about them, or else an item of a List or the document. Each step becomes splices (`layout.rs`), and the edited text
//! is parsed again: unless it is the original object with exactly that change, the edit is refused and the text is
//! unchanged. Thus the layout may guess, but a wrong guess is never written. Labels in plain metadata are read again by
//! the cursor, everything else by the parser.
//!
//! Nothing here serialises an original value, and only [`mod@write`] accesses the file system.
//!
//! These are refused, with their place: a map that is an alias or merged, an anchored value that is used elsewhere, a
//! repeated key whose first value would become visible, text that was not UTF-8, and a removal after which a workload's
//! selector would not match its template.

pub mod change;
mod layout;
pub mod refusal;
mod template;
mod tree;
pub mod write;

use std::ops::Range;

use crate::manifest::document::{Document, Syntax};
use crate::manifest::error::Error;
use crate::manifest::head::Head;
use crate::manifest::object::Object;
use crate::manifest::objects::objects;
use crate::manifest::source::Source;
use crate::manifest::stream::Block;
use crate::manifest::tree::Node;
use crate::manifest::yaml::head;
use crate::manifest::{json, yaml};
use crate::selector::validation;
use crate::text::excerpt::Excerpt;

use self::change::{Change, Field, Step};
use self::layout::Layout;
use self::refusal::{Conflict, EditError, Refusal};

/// A range of bytes in a text, and their replacement.
pub type Splice = (Range<usize>, Vec<u8>);

/// Whether the labels in `head` show that `change` has no conflicts.
pub fn is_clear(change: &Change, head: &Head<'_>) -> bool {
    let differs = |(key, value): &(String, String)| head.label(key).is_some_and(|other| other != value);
    change.field == Field::Labels && !change.needs_body() && !change.set.iter().any(differs)
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
}

/// The result for a selected object.
#[derive(Clone, Debug)]
pub struct ObjectEdit {
    /// Its number in the block, from 0; objects that could not be read are not counted.
    pub number: usize,
    /// `deployment.apps/web`.
    pub name: String,
    /// The number of keys that got a new value.
    pub set: usize,
    /// The number of keys that were removed.
    pub removed: usize,
    /// The keys to remove that its own metadata does not have.
    pub absent: Vec<String>,
    /// Whether the object's selector was changed.
    pub selector: bool,
    /// Whether it has conflicts or was refused, and is unchanged.
    pub failed: bool,
}

/// Applies `change` to those objects of `block` that `select` selects. `select` is called with every object or error.
pub fn edit(
    block: &Block,
    source: &Source,
    change: &Change,
    mut select: impl FnMut(Result<&Object<'_>, Error>) -> bool,
) -> Edited {
    let mut edited = Edited::default();
    let mut number = 0;
    for document in block.documents(source) {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                select(Err(error));
                continue;
            }
        };
        let mut targets = Vec::new();
        objects(document, &mut |object| {
            let known = object.as_ref().ok().copied();
            let selected = select(object);
            let Some(object) = known else { return };
            if selected {
                match EditTarget::of(object, number, change) {
                    Ok(target) => targets.push(target),
                    Err(error) => edited.refuse(error, ObjectEdit::of(object, number)),
                }
            }
            number += 1;
        });
        let start = block.start_of(&document);
        // The targets within one text are adjacent.
        for targets in targets.chunk_by_mut(|a, b| a.range == b.range) {
            if let Some(text) = Section::edit(document, targets, change, &mut edited) {
                let range = targets[0].range.clone();
                edited.splices.push(trimmed(&document.text[range.clone()], text, start + range.start));
            }
            edited.objects.extend(targets.iter().map(|target| target.edit.clone()));
        }
    }
    edited
}

impl Edited {
    fn refuse(&mut self, error: EditError, object: ObjectEdit) {
        self.refusals.push(error);
        self.objects.push(ObjectEdit { failed: true, ..object });
    }
}

/// The splice that turns `old`, at `start`, into `new`, without their common beginning and end.
fn trimmed(old: &[u8], mut new: Vec<u8>, start: usize) -> Splice {
    let common = |(a, b): &(&u8, &u8)| a == b;
    let before = old.iter().zip(&new).take_while(common).count();
    let after = old[before..].iter().rev().zip(new[before..].iter().rev()).take_while(common).count();
    new.truncate(new.len() - after);
    new.drain(..before);
    (start + before..start + old.len() - after, new)
}

/// A selected object in the text of its document.
struct EditTarget {
    /// The smallest text for its change that can be parsed alone.
    range: Range<usize>,
    /// Whether that text is only the object's `metadata`; then `part` is the whole object.
    narrow: bool,
    part: Range<usize>,
    /// The column of the object's keys if `part` starts with the dash of a List's item; otherwise 0.
    indent: usize,
    items: Vec<usize>,
    steps: Vec<Step>,
    edit: ObjectEdit,
}

impl EditTarget {
    fn of(object: &Object<'_>, number: usize, change: &Change) -> Result<Self, EditError> {
        let document = object.document;
        let refused = |refusal| EditError { place: object.place(), refusal, excerpt: None };
        let steps = match change.needs_body() {
            true => {
                let tree = object.tree().map_err(EditError::unreadable)?;
                template::steps(change, object.head, tree).map_err(refused)?
            }
            false => change.steps(),
        };
        let part = object.part();
        let range = part.start..part.end;
        let metadata = match (document.syntax, part.items) {
            (Syntax::Yaml, []) if steps.iter().all(Step::is_in_metadata) => {
                head::metadata(&document.text[range.clone()], part.indent)
            }
            _ => None,
        };
        Ok(Self {
            narrow: metadata.is_some(),
            range: metadata.map_or(range.clone(), |lines| part.start + lines.start..part.start + lines.end),
            part: range,
            indent: part.indent,
            items: part.items.to_vec(),
            steps,
            edit: ObjectEdit::of(object, number),
        })
    }
}

impl ObjectEdit {
    fn of(object: &Object<'_>, number: usize) -> Self {
        Self {
            number,
            name: object.head.type_and_name(),
            set: 0,
            removed: 0,
            absent: Vec::new(),
            selector: false,
            failed: false,
        }
    }
}

/// A text being edited, with its tree.
struct Section {
    text: Vec<u8>,
    syntax: Syntax,
    root: Node,
    /// Whether it has anchors, aliases or merges, and whether it has repeated keys.
    aliased: bool,
    repeats: bool,
}

impl Section {
    /// The text shared by `targets` after the change; `None` if it does not change.
    fn edit(
        document: Document<'_>,
        targets: &mut [EditTarget],
        change: &Change,
        edited: &mut Edited,
    ) -> Option<Vec<u8>> {
        match Self::try_edit(document, targets, change, edited) {
            Ok(text) => text,
            // An edit that fails for the metadata alone may work for the whole object.
            Err(_) if targets.iter().any(|target| target.narrow) => {
                for target in targets.iter_mut() {
                    (target.narrow, target.range) = (false, target.part.clone());
                }
                Self::edit(document, targets, change, edited)
            }
            Err((at, refusal)) => {
                for target in targets.iter_mut() {
                    (target.edit.failed, target.edit.set, target.edit.removed) = (true, 0, 0);
                }
                let at = targets.first().map_or(0, |target| target.range.start) + at;
                let line = refusal.is_syntax().then(|| document.line_of(at));
                let excerpt = line.and_then(|line| Excerpt::at(document.text, at, line)).map(Box::new);
                edited.refusals.push(EditError { place: document.place(at), refusal, excerpt });
                None
            }
        }
    }

    /// # Errors
    ///
    /// The first edit that cannot be made, with its position in the text.
    fn try_edit(
        document: Document<'_>,
        targets: &mut [EditTarget],
        change: &Change,
        edited: &mut Edited,
    ) -> Result<Option<Vec<u8>>, (usize, Refusal)> {
        let Some(EditTarget { range, .. }) = targets.first() else { return Ok(None) };
        let range = range.clone();
        let mut section = Self::read(document.text[range.clone()].to_vec(), document.syntax)?;
        let mut conflicts = Vec::new();
        for target in targets.iter_mut() {
            let Some(object) = tree::target(&section.root, target.is_dash(), &target.items) else { continue };
            (target.edit.set, target.edit.removed) = (0, 0);
            target.edit.absent.clear();
            for step in &target.steps {
                if !change.overwrite
                    && let Some((span, value)) = step.conflict(object)
                {
                    let place = document.place(range.start + span.start);
                    // Labels identify objects, so valid ones are shown.
                    let is_label = change.field == Field::Labels && validation::label_value(value).is_empty();
                    let value = is_label.then(|| value.to_owned());
                    conflicts.push(Conflict { place, key: step.key.clone(), value });
                    target.edit.failed = true;
                }
                if step.changes(object) {
                    match step.value {
                        Some(_) => target.edit.set += 1,
                        None => target.edit.removed += 1,
                    }
                    target.edit.selector |= step.is_selector;
                } else if step.value.is_none() && step.is_in_metadata() {
                    target.edit.absent.push(step.key.clone());
                }
            }
            if change.annotations_overflow(object) {
                return Err((object.span.start, Refusal::TooLarge));
            }
        }
        let rounds = targets.iter().filter(|target| !target.edit.failed).map(|target| target.steps.len());
        let mut changed = false;
        let rounds = rounds.max().unwrap_or(0);
        for round in 0..rounds {
            changed |= section.round(targets, round, round + 1 == rounds)?;
        }
        edited.conflicts.extend(conflicts);
        Ok(changed.then_some(section.text))
    }

    fn read(text: Vec<u8>, syntax: Syntax) -> Result<Self, (usize, Refusal)> {
        let parsed = match syntax {
            Syntax::Yaml => yaml::parse(&text),
            Syntax::Json => json::parse(&text).map(Some),
        };
        match parsed {
            Ok(Some(parsed)) => {
                let (aliased, repeats) = (parsed.aliased, !parsed.duplicates.is_empty());
                Ok(Self { text, syntax, root: parsed.root, aliased, repeats })
            }
            Ok(None) => Err((0, Refusal::NotConfirmed)),
            Err(error) => {
                let at = error.position().map_or(0, |position| position.offset);
                let is_syntax = error.kind().is_syntax();
                Err((at, Refusal::Unreadable { reason: error.to_string(), is_syntax }))
            }
        }
    }

    /// Applies step number `round` to the targets, and verifies the result. Returns whether there was anything to do.
    /// After the `last` round, the tree may be that of the previous text.
    fn round(&mut self, targets: &[EditTarget], round: usize, last: bool) -> Result<bool, (usize, Refusal)> {
        let layout = Layout { text: &self.text, json: self.syntax == Syntax::Json };
        let mut splices = Vec::new();
        let mut first = None;
        let steps = || {
            let wanted = targets.iter().filter(|target| !target.edit.failed);
            wanted.filter_map(|target| Some((target, target.steps.get(round)?)))
        };
        for (target, step) in steps() {
            let Some(object) = tree::target(&self.root, target.is_dash(), &target.items) else { continue };
            if !step.changes(object) {
                continue;
            }
            first.get_or_insert(object.span.start);
            splices.extend(layout.splices(object, step)?);
        }
        let Some(first) = first else { return Ok(false) };
        let text = layout::splice(&self.text, splices);
        if let (true, [EditTarget { narrow: true, indent, .. }], Some(text), Some((_, step))) =
            (last, targets, &text, steps().next())
            && is_confirmed(&self.text, text, *indent, step)
        {
            self.text.clone_from(text);
            return Ok(true);
        }
        for (target, step) in steps() {
            if let Some(object) = tree::target_mut(&mut self.root, target.is_dash(), &target.items)
                && step.changes(object)
            {
                step.apply(object, &self.text);
            }
        }
        let refused = match (self.aliased, self.repeats) {
            (true, _) => Refusal::Shared,
            (_, true) => Refusal::Repeated,
            _ => Refusal::NotConfirmed,
        };
        let Some(text) = text else { return Err((first, refused)) };
        match Self::read(text, self.syntax) {
            Ok(read) if read.root == self.root => {
                *self = read;
                Ok(true)
            }
            _ => Err((first, refused)),
        }
    }
}

/// Whether the cursor is certain that the lines of `metadata` have the same meaning as before, except for the label of
/// `step`. It finds everything else in its place, and that was not written to.
fn is_confirmed(before: &[u8], after: &[u8], indent: usize, step: &Step) -> bool {
    let heads = head::metadata_head(before, indent).zip(head::metadata_head(after, indent));
    let Some((mut before, mut after)) = heads.filter(|_| step.path == ["metadata", "labels"]) else {
        return false;
    };
    before.labels.retain(|(key, _)| *key != step.key);
    before.labels.extend(step.value.as_deref().map(|value| (step.key.as_str(), value)));
    before.labels.sort_unstable();
    after.labels.sort_unstable();
    before == after
}

impl EditTarget {
    /// Whether the edited text starts with the dash of a List's item.
    fn is_dash(&self) -> bool {
        self.indent > 0 && !self.narrow
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::change::Field;
    use super::*;
    use crate::manifest::stream::Blocks;
    use crate::manifest::walk::{self, WalkOptions};

    /// The text after changing all its objects, or the conflicts and refusals.
    fn edited(
        text: &[u8],
        field: Field,
        pairs: &[&str],
        options: impl Fn(&mut Change),
    ) -> Result<Vec<u8>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        std::fs::write(&path, text).unwrap();
        let pairs: Vec<String> = pairs.iter().map(|&pair| pair.to_owned()).collect();
        let mut change = Change::parse(field, &pairs).unwrap();
        change.overwrite = true;
        options(&mut change);
        edit_file(&path, &change)
    }

    fn edit_file(path: &Path, change: &Change) -> Result<Vec<u8>, String> {
        let (sources, _) = walk::expand(&[path.to_str().unwrap().to_owned()], &WalkOptions::default());
        let mut blocks = Blocks::open(&sources[0]).unwrap();
        let mut all = Vec::new();
        while let Some(block) = blocks.next_block().unwrap() {
            let mut errors = Vec::new();
            let edited = edit(&block, &sources[0], change, |object| {
                object.map_err(|error| errors.push(error.kind.to_string())).is_ok()
            });
            errors.extend(
                edited
                    .refusals
                    .iter()
                    .map(|error| format!("{}: {}", error.place.line.unwrap_or(0), error.refusal)),
            );
            let conflicts = edited.conflicts.iter();
            errors.extend(
                conflicts.map(|conflict| format!("{}: {conflict}", conflict.place.line.unwrap_or(0))),
            );
            if !errors.is_empty() {
                return Err(errors.join("\n"));
            }
            all.extend_from_slice(block.skipped_prefix());
            all.extend_from_slice(&block.spliced(&edited.splices).bytes()[block.synthetic_len()..]);
        }
        Ok(all)
    }

    fn labelled(text: &str, pairs: &[&str]) -> Result<String, String> {
        edited(text.as_bytes(), Field::Labels, pairs, |_| ()).map(|text| String::from_utf8(text).unwrap())
    }

    /// Checks the result for `metadata`, which follows `apiVersion` and `kind`, alone and as an item of a List, with LF
    /// and CRLF.
    #[track_caller]
    fn check(pairs: &[&str], metadata: &str, expected: &str) {
        let document = |text: &str| format!("apiVersion: v1\nkind: Pod\n{text}spec: {{}}\n");
        let item = |text: &str| {
            let indented: String =
                document(text).split_inclusive('\n').map(|line| format!("    {line}")).collect();
            format!("apiVersion: v1\nkind: List\nitems:\n  - {}", &indented[4..])
        };
        assert_eq!(labelled(&document(metadata), pairs), Ok(document(expected)));
        assert_eq!(labelled(&item(metadata), pairs), Ok(item(expected)));
        let windows = |text: &str| document(text).replace('\n', "\r\n");
        assert_eq!(labelled(&windows(metadata), pairs), Ok(windows(expected)));
    }

    #[track_caller]
    fn check_text(pairs: &[&str], text: &str, expected: &str) {
        assert_eq!(labelled(text, pairs), Ok(expected.to_owned()));
    }

    #[track_caller]
    fn check_refused(pairs: &[&str], text: &str, reason: &str) {
        assert_eq!(labelled(text, pairs), Err(reason.to_owned()));
    }

    #[test]
    fn a_new_label_goes_to_its_place_where_the_map_is_sorted_and_else_to_the_end() {
        check(
            &["b=1"],
            "metadata:\n  labels:\n    a: x # A\n    # C\n    c: w\n  name: p\n",
            "metadata:\n  labels:\n    a: x # A\n    b: \"1\"\n    # C\n    c: w\n  name: p\n",
        );
        check(
            &["b=v"],
            "metadata:\n    name: p\n    labels:\n        c: x\n        a: x\n        # end\n",
            "metadata:\n    name: p\n    labels:\n        c: x\n        a: x\n        b: v\n        # end\n",
        );
        check(
            &["a=v"],
            "metadata:\n  labels: # mine\n    b: x\n",
            "metadata:\n  labels: # mine\n    a: v\n    b: x\n",
        );
    }

    #[test]
    fn quotes_are_those_of_the_neighbours() {
        check(
            &["b=v"],
            "metadata:\n  labels:\n    'a': \"x\"\n",
            "metadata:\n  labels:\n    'a': \"x\"\n    'b': \"v\"\n",
        );
        check(&["a=v"], "metadata:\n  labels:\n    a: 'x'\n", "metadata:\n  labels:\n    a: 'v'\n");
        check(&["a=true"], "metadata:\n  labels:\n    a: x\n", "metadata:\n  labels:\n    a: \"true\"\n");
    }

    #[test]
    fn values_that_kubectl_does_not_read_as_text_are_quoted() {
        for value in ["true", "1.10", "0777", "yes", "null", "", "1e3", "n", "0x1f", "2024-01-01"] {
            let expected = format!("metadata:\n  labels:\n    a: \"{value}\"\n");
            check(&[&format!("a={value}")], "metadata:\n  labels:\n    a: x\n", &expected);
        }
    }

    #[test]
    fn missing_maps_are_made_as_deep_as_their_neighbours() {
        check(
            &["a=v"],
            "metadata:\n    name: p\n    namespace: ns\n    annotations:\n      x: w\n",
            "metadata:\n    name: p\n    namespace: ns\n    labels:\n      a: v\n    annotations:\n      x: w\n",
        );
        check(
            &["a=v"],
            "metadata:\n    generateName: p-\n",
            "metadata:\n    generateName: p-\n    labels:\n        a: v\n",
        );
        check(
            &["a=v"],
            "metadata:\n  annotations: {x: w}\n  name: p\n",
            "metadata:\n  annotations: {x: w}\n  labels:\n    a: v\n  name: p\n",
        );
        check(&["a=v"], "", "metadata:\n  labels:\n    a: v\n");
        check(&["a=v"], "metadata:\n", "metadata:\n  labels:\n    a: v\n");
        check(&["a=v"], "metadata: {} # m\n", "metadata: {labels: {a: v}} # m\n");
    }

    #[test]
    fn empty_maps_and_null_become_maps() {
        check(
            &["a=v"],
            "metadata:\n  labels: {} # e\n  name: p\n",
            "metadata:\n  labels: {a: v} # e\n  name: p\n",
        );
        for empty in ["labels: null # e", "labels: ~ # e", "labels: # e"] {
            check(
                &["a=v"],
                &format!("metadata:\n  {empty}\n  name: p\n"),
                "metadata:\n  labels: # e\n    a: v\n  name: p\n",
            );
        }
    }

    #[test]
    fn flow_maps_stay_flow_maps() {
        check(&["b=v"], "metadata: {labels: {a: x}}\n", "metadata: {labels: {a: x, b: v}}\n");
        check(&["b=v"], "metadata: {labels: { c: x }}\n", "metadata: {labels: { b: v, c: x }}\n");
        check(&["b=v"], "metadata: {name: p}\n", "metadata: {name: p, labels: {b: v}}\n");
        check(&["b=v"], "metadata: {labels: {}, name: p}\n", "metadata: {labels: { b: v }, name: p}\n");
        check(&["b-"], "metadata: {labels: { b: v }, name: p}\n", "metadata: {labels: {}, name: p}\n");
        check(&["b-"], "metadata: {labels: {b: v,}, name: p}\n", "metadata: {name: p}\n");
        check(&["b-"], "metadata:\n  labels: { b: v, }\n", "metadata:\n  labels: {}\n");
        check(&["a-"], "metadata: {labels: {a: x, b: w}}\n", "metadata: {labels: {b: w}}\n");
        check(&["b-"], "metadata: {labels: {a: x, b: w}}\n", "metadata: {labels: {a: x}}\n");
        check(&["a-"], "metadata: {name: p, labels: {a: x}}\n", "metadata: {name: p}\n");
        check(&["a-"], "metadata:\n  labels: {a: x}\n  name: p\n", "metadata:\n  labels: {}\n  name: p\n");
    }

    #[test]
    fn json_stays_json() {
        check_text(
            &["b=v"],
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x"}}}"#,
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"x","b":"v"}}}"#,
        );
        check_text(
            &["b=true"],
            "{\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"labels\": {\n      \"a\": \"x\"\n    }\n  }\n}\n",
            "{\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"labels\": {\n      \"a\": \"x\",\n      \"b\": \"true\"\n    }\n  }\n}\n",
        );
        check_text(
            &["b=v"],
            "{\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\n\t\t\"name\": \"p\"\n\t}\n}\n",
            "{\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\n\t\t\"name\": \"p\",\n\t\t\"labels\": {\"b\": \"v\"}\n\t}\n}\n",
        );
        check_text(
            &["b=v"],
            r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"},{"apiVersion":"v1","kind":"Pod","metadata":{}}]}"#,
            r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"v"}}},{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"b":"v"}}}]}"#,
        );
    }

    #[test]
    fn the_last_label_takes_the_map_away_and_comments_stay() {
        check(
            &["a-"],
            "metadata:\n  name: p\n  labels:\n    # about a\n    a: x\n",
            "metadata:\n  name: p\n    # about a\n",
        );
        check(
            &["a-", "b-"],
            "metadata:\n  labels:\n    a: x\n    b: w\n  name: p\n",
            "metadata:\n  name: p\n",
        );
        check(&["a-"], "metadata:\n  labels:\n    a: x\n", "");
    }

    #[test]
    fn a_text_without_a_last_line_end_keeps_having_none() {
        let text = "kind: Pod\nmetadata:\n  labels:\n    a: x";
        check_text(&["b=v"], text, "kind: Pod\nmetadata:\n  labels:\n    a: x\n    b: v");
        check_text(&["b-"], "kind: Pod\nmetadata:\n  labels:\n    a: x\n    b: v", text);
        check_text(
            &["a=v"],
            "kind: Pod\nmetadata:\n  name: p",
            "kind: Pod\nmetadata:\n  labels:\n    a: v\n  name: p",
        );
    }

    #[test]
    fn metadata_may_start_on_the_line_of_a_dash() {
        check_text(
            &["a=v"],
            "kind: List\napiVersion: v1\nitems:\n- metadata:\n    name: p\n  kind: Pod\n  apiVersion: v1\n",
            "kind: List\napiVersion: v1\nitems:\n- metadata:\n    name: p\n    labels:\n      a: v\n  kind: Pod\n  apiVersion: v1\n",
        );
    }

    #[test]
    fn anchors_and_aliases_are_left_alone_or_the_edit_is_refused() {
        let own = "kind: Pod\nmetadata:\n  name: &n p\n  labels:\n    a: *n\n";
        check_text(&["a=v"], own, &own.replace("*n", "v"));
        check_text(&["b=v"], own, &own.replace("a: *n\n", "a: *n\n    b: v\n"));
        let shared =
            "not edited: because of an anchor, an alias or a merge, more would change than was asked for";
        let anchored = "kind: Pod\nmetadata:\n  labels: &l\n    a: x\nspec:\n  selector: *l\n";
        check_refused(&["a=v"], anchored, &format!("1: {shared}"));
        check_refused(&["b=v"], anchored, &format!("1: {shared}"));
        check_refused(
            &["b=v"],
            "x: &l {a: x}\nkind: Pod\nmetadata:\n  labels: *l\n",
            "4: not edited: labels is an alias; another place would change too",
        );
        let merged = "x: &l {a: x}\nkind: Pod\nmetadata:\n  labels:\n    <<: *l\n    b: w\n";
        check_text(&["a=v"], merged, &format!("{merged}    a: v\n"));
        check_text(&["b=v"], merged, &merged.replace("b: w", "b: v"));
        check_refused(&["a-"], merged, "5: not edited: a comes from a merge (<<)");
    }

    #[test]
    fn repeated_keys_are_edited_where_they_count() {
        let text = "kind: Pod\nmetadata:\n  labels:\n    a: x\n    a: w\n";
        check_text(&["a=v"], text, &text.replace("a: w", "a: v"));
        check_refused(&["a-"], text, "1: not edited: a key is repeated");
    }

    #[test]
    fn annotations_hold_any_text_on_one_line() {
        let text = "kind: Pod\nmetadata:\n  annotations:\n    a: |\n      x\n      y\n    b: z\n";
        let annotated = |pair: &str| {
            edited(text.as_bytes(), Field::Annotations, &[pair], |_| ())
                .map(|text| String::from_utf8(text).unwrap())
        };
        let expected = |value: &str| Ok(text.replace("|\n      x\n      y", value));
        assert_eq!(annotated("a=me and you"), expected("me and you"));
        assert_eq!(annotated("a=x: \"y\"\n\u{1}\u{1f600}"), expected("\"x: \\\"y\\\"\\n\\u0001\u{1f600}\""));
        assert_eq!(
            annotated(&format!("a={}", "x".repeat(300_000))),
            Err("1: metadata.annotations: Too long: may not be more than 262144 bytes".to_owned())
        );
    }

    #[test]
    fn the_resource_version_is_set_beside_the_labels() {
        let text = "kind: Pod\nmetadata:\n  labels:\n    a: x\n  name: p\n";
        let set = |change: &mut Change| change.resource_version = Some("7".to_owned());
        let expected = "kind: Pod\nmetadata:\n  labels:\n    a: v\n  name: p\n  resourceVersion: \"7\"\n";
        assert_eq!(edited(text.as_bytes(), Field::Labels, &["a=v"], set), Ok(expected.as_bytes().to_owned()));
    }

    /// Manifests in many styles.
    fn manifest() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec!["app", "'tier'", "\"b\"", "example.com/z", "k8s-app", "m"]);
        let value =
            prop::sample::select(vec!["web", "'1'", "\"x y\"", "a # note", "", "|\n        t\n", "~"]);
        let labels = prop::collection::btree_map(key, value, 0..4);
        let comment = prop::sample::select(vec!["", "# one\n", "\n", "      # deep\n"]);
        let order = prop::sample::select(vec![0, 1, 2]);
        let ending = prop::sample::select(vec!["\n", "\r\n"]);
        (labels, comment, order, any::<bool>(), any::<bool>(), ending, 1..4usize).prop_map(
            |(labels, comment, order, flow, last_end, ending, documents)| {
                let mut map = String::new();
                let simple: Vec<_> = labels
                    .iter()
                    .filter(|(_, value)| !value.contains(['#', '|', '\n']) && !value.is_empty())
                    .collect();
                if flow {
                    let entries: Vec<String> =
                        simple.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                    map = format!("  labels: {{{}}}\n", entries.join(", "));
                } else if !labels.is_empty() {
                    map.push_str("  labels:\n");
                    for (key, value) in &labels {
                        map.push_str(&format!("    {key}: {}\n{comment}", value.trim_end()));
                    }
                }
                let metadata = match order {
                    0 => format!("metadata:\n{map}  name: p\n"),
                    1 => format!("metadata:\n  name: p\n{map}"),
                    _ => format!("metadata:\n  annotations: {{x: w}}\n{map}{comment}  name: p\n"),
                };
                let document = format!("apiVersion: v1\nkind: Pod\n{metadata}spec:\n- 1\n");
                let text = vec![document; documents].join("---\n").replace('\n', ending);
                if last_end { text } else { text.trim_end().to_owned() }
            },
        )
    }

    /// Objects without labels: with and without metadata, and with maps of labels that are empty, or `null`.
    fn unlabelled(labels: &'static [&'static str]) -> impl Strategy<Value = String> {
        let flow_labels = prop::sample::select(labels.to_vec());
        let style = prop::sample::select(vec![
            ("{", ", ", "}"),
            ("{ ", ", ", " }"),
            ("{", ",", ",}"),
            ("{\n  ", ",\n  ", "\n  }"),
        ]);
        let others = prop::sample::subsequence(vec!["name: p", "annotations: {a: b}", "uid: \"1\""], 0..3);
        let (layout, place, at) = (0..4_usize, 0..3_usize, 0..4_usize);
        let endings =
            prop::sample::select(vec![("\n", true), ("\n", false), ("\r\n", true), ("\r\n", false)]);
        (flow_labels, style, others, layout, place, at, endings).prop_map(
            |(labels, (open, comma, close), mut fields, layout, place, at, (ending, is_ended))| {
                if !labels.is_empty() {
                    fields.insert(at.min(fields.len()), labels);
                }
                let flow = match fields.is_empty() {
                    true => "{}".to_owned(),
                    false => format!("{open}{}{close}", fields.join(comma)),
                };
                let metadata = match layout {
                    _ if fields.is_empty() => "metadata: {}".to_owned(),
                    0 => format!("metadata:\n  {}", fields.join("\n  ")),
                    _ => format!("metadata: {flow}"),
                };
                let mut lines = vec!["apiVersion: v1", "kind: Pod"];
                lines.insert(place, &metadata);
                let text = match layout {
                    2 => format!("{{apiVersion: v1, kind: Pod, metadata: {flow}}}\n"),
                    3 => {
                        let item = lines.join("\n").replace('\n', "\n  ");
                        format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n")
                    }
                    _ => lines.join("\n") + "\n",
                };
                let text = text.replace('\n', ending);
                if is_ended { text } else { text.trim_end().to_owned() }
            },
        )
    }

    proptest! {
        #[test]
        fn an_object_without_labels_is_what_it_was_after_a_label_came_and_went(
            text in unlabelled(&["", "labels: {}", "labels: { }"])
        ) {
            let set = labelled(&text, &["new=v"]).map_err(TestCaseError::fail)?;
            prop_assert_eq!(labelled(&set, &["new-"]), Ok(text), "{}", set);
        }

        #[test]
        fn labels_that_are_null_come_and_go_without_a_trace(text in unlabelled(&["labels: null", "labels: ~"])) {
            let round = |text: &str| labelled(&labelled(text, &["new=v"])?, &["new-"]);
            let once = round(&text).map_err(TestCaseError::fail)?;
            prop_assert_eq!(round(&once), Ok(once.clone()));
            prop_assert!(!once.contains("new"), "{}", once);
        }

        #[test]
        fn a_label_set_and_then_removed_gives_the_bytes_back(text in manifest(), value in "[a-z0-9]{0,3}") {
            let Ok(set) = labelled(&text, &[&format!("new={value}")]) else { return Ok(()) };
            prop_assert_eq!(labelled(&set, &[&format!("new={value}")]), Ok(set.clone()), "applied twice");
            prop_assert_eq!(labelled(&set, &["new-"]), Ok(text), "{}", set);
        }

        #[test]
        fn an_edit_of_the_metadata_alone_is_that_of_the_whole_object(text in manifest(), key in "[a-z]{1,3}|tier|app") {
            for pair in [format!("{key}=v"), format!("{key}-")] {
                // A change to templates parses the whole object.
                let whole = edited(text.as_bytes(), Field::Labels, &[&pair], |change| change.templates = true);
                prop_assert_eq!(edited(text.as_bytes(), Field::Labels, &[&pair], |_| ()), whole);
            }
        }

        #[test]
        fn no_text_upsets_an_edit(text in "(kind: Pod\n)?(metadata:\n)?([ a-c:{}\\[\\]&*!|>'\"#,?-]|\n|labels|a: b\n)*") {
            let _ = labelled(&text, &["a=v"]);
            let _ = labelled(&text, &["a-"]);
        }
    }
}
