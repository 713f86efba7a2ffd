//! Reads heads without parsing: the fields that selection needs, borrowed from the text.
//!
//! The body after a complete head is not checked, so an invalid body goes unnoticed until it is needed.
//!
//! Quoted scalars and flow collections may continue at column 0, where their text may look like keys. Lines that are
//! skipped before apiVersion, kind and metadata are all known, or inside metadata or a List, are therefore examined for
//! values that are opened and not closed.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Certain, Cursor, Item, LineEntry, Reason, is_text};
use super::index::Index;
use super::scalar::{self, Scalar};
use crate::head::{Head, SeenKeys, is_group_version};
use crate::list::{ListStart, Notation};
use crate::object_meta::{METADATA, Type};
use crate::syntax::Form;

/// The result of reading a document's head.
#[derive(Debug, PartialEq, Eq)]
pub enum Skimmed {
    /// An object; its head has been filled in.
    Object,
    /// A List, which has been read up to its first item.
    List(ListStart),
    /// An uncertain document, and the reason: the full parser must read it.
    Declined(Reason),
}

/// Reads the head of `text`, which has this form, into `head`, which is cleared first.
pub fn skim<'t>(text: &'t [u8], form: Form, head: &mut Head<'t>) -> Skimmed {
    skim_with(&mut Index::default(), text, form, head)
}

/// Reads the head of a text, reusing the memory of `index`, which becomes the index of the text.
pub fn skim_with<'t>(index: &mut Index, text: &'t [u8], form: Form, head: &mut Head<'t>) -> Skimmed {
    index.mark(text);
    match index.certain(text) {
        Ok(text) => read(|| Cursor::new(text, index.part(0), form), form, head),
        Err(reason) => Skimmed::Declined(reason),
    }
}

/// Reads the head of the item `range` of a text that was [cut](super::list::cut) into items and has this `index`.
pub fn skim_item<'t>(
    text: &'t [u8],
    range: Range<usize>,
    index: &Index,
    form: Form,
    head: &mut Head<'t>,
) -> Skimmed {
    match simdutf8::basic::from_utf8(&text[range.clone()]) {
        Ok(item) => read(|| Cursor::new(item, index.part(range.start), form), form, head),
        Err(_) => Skimmed::Declined(Reason::Characters),
    }
}

fn read<'t, 'i>(cursor: impl Fn() -> Cursor<'t, 'i>, form: Form, head: &mut Head<'t>) -> Skimmed {
    let mut thorough = false;
    loop {
        head.clear();
        let (seen, unread, list) = (SeenKeys::default(), false, None);
        let mut reader = Reader { cursor: cursor(), column: form.column(), thorough, unread, seen, list };
        let read = reader.document(head);
        if let Some(list) = reader.list {
            return Skimmed::List(list);
        }
        match read {
            Ok(()) if head.kind.is_empty() || !is_group_version(head.api_version) => {
                return Skimmed::Declined(Reason::Head);
            }
            Ok(()) => return Skimmed::Object,
            // An apparent key may be inside quotes in lines that were not examined.
            Err(_) if reader.unread => thorough = true,
            Err(reason) => return Skimmed::Declined(reason),
        }
    }
}

/// Reads `text`, the beginning of a document, up to the first item of a List; `None` if it is not certainly a List.
pub fn list_start(text: &[u8]) -> Option<ListStart> {
    let mut index = Index::default();
    index.mark(text);
    let text = index.certain_lines(text);
    match read(|| Cursor::new(text, index.part(0), Form::Document), Form::Document, &mut Head::default()) {
        Skimmed::List(start) => Some(start),
        Skimmed::Object | Skimmed::Declined(_) => None,
    }
}

struct Reader<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    /// The column of the object's own keys.
    column: usize,
    /// Whether all skipped lines are examined.
    thorough: bool,
    /// Whether a line was skipped unexamined.
    unread: bool,
    seen: SeenKeys,
    /// The start of a List, at whose first item reading stops.
    list: Option<ListStart>,
}

impl<'t> Reader<'t, '_> {
    /// Reads the whole document.
    fn document(&mut self, head: &mut Head<'t>) -> Certain<()> {
        match self.cursor.root()? {
            Item::Map { column, .. } if column == self.column => (),
            _ => return Err(Reason::Root),
        }
        loop {
            let seen = &mut self.seen;
            self.cursor.line_entries(self.column, |entry| {
                match entry.key {
                    "apiVersion" => {
                        seen.once(SeenKeys::API_VERSION).ok_or(Reason::Head)?;
                        head.api_version = scalar_text(&entry)?.ok_or(Reason::Head)?;
                    }
                    "kind" => {
                        seen.once(SeenKeys::KIND).ok_or(Reason::Head)?;
                        head.kind = scalar_text(&entry)?.ok_or(Reason::Head)?;
                    }
                    "metadata" => {
                        seen.once(SeenKeys::METADATA).ok_or(Reason::Head)?;
                        is_null(&entry).then_some(()).ok_or(Reason::Head)?;
                    }
                    "items" => return Err(Reason::Head),
                    _ => (),
                }
                Ok(true)
            })?;
            let Some(key) = self.cursor.entry(self.column)? else { break };
            match &*key.text {
                "apiVersion" => {
                    self.seen.once(SeenKeys::API_VERSION).ok_or(Reason::Head)?;
                    head.api_version = text(self.cursor.value(self.column)?)?;
                }
                "kind" => {
                    self.seen.once(SeenKeys::KIND).ok_or(Reason::Head)?;
                    head.kind = text(self.cursor.value(self.column)?)?;
                }
                "metadata" => {
                    self.seen.once(SeenKeys::METADATA).ok_or(Reason::Head)?;
                    match self.cursor.value(self.column)? {
                        Item::Map { column, .. } => self.metadata(column, head)?,
                        item => self.nothing(item)?,
                    }
                }
                "items" => return self.items(key.span.start, head),
                _ if self.seen.has_head() && !self.thorough => {
                    self.unread |= self.cursor.skip_unread(self.column)?;
                }
                _ => self.cursor.skip_value(self.column)?,
            }
        }
        if self.cursor.peek()?.is_some() { Err(Reason::Indent) } else { Ok(()) }
    }

    /// Declines unless a value is null or an empty map.
    fn nothing(&mut self, item: Item<'t>) -> Certain<()> {
        match item {
            Item::Missing(_) => Ok(()),
            Item::Plain(text, _) if scalar::resolve(&text) == Scalar::Null => Ok(()),
            Item::Flow(start) if self.cursor.text()[start..].starts_with("{}") => {
                self.cursor.end_flow(start + 2)
            }
            _ => Err(Reason::Head),
        }
    }

    /// Reads the children of `metadata`.
    fn metadata(&mut self, column: usize, head: &mut Head<'t>) -> Certain<()> {
        let mut seen = SeenKeys::default();
        head.has_metadata = true;
        loop {
            self.cursor.line_entries(column, |entry| {
                let bit = SeenKeys::metadata_bit(entry.key);
                seen.once(bit).ok_or(Reason::Head)?;
                match bit {
                    SeenKeys::OTHER | SeenKeys::LABELS | SeenKeys::ANNOTATIONS => {
                        admits(METADATA.field(entry.key), &entry)?;
                    }
                    bit => head.set(bit, scalar_text(&entry)?).ok_or(Reason::Head)?,
                }
                Ok(true)
            })?;
            let Some(key) = self.cursor.entry(column)? else { return Ok(()) };
            let bit = SeenKeys::metadata_bit(&key.text);
            seen.once(bit).ok_or(Reason::Head)?;
            match bit {
                SeenKeys::OTHER | SeenKeys::ANNOTATIONS => {
                    self.skip_typed(column, METADATA.field(&key.text))?;
                }
                bit => match (bit, self.cursor.value(column)?) {
                    (SeenKeys::LABELS, Item::Map { column, .. }) => self.labels(column, head)?,
                    (SeenKeys::LABELS, item) => self.nothing(item)?,
                    (bit, item) => head.set(bit, text_or_null(item)?).ok_or(Reason::Head)?,
                },
            }
        }
    }

    /// Skips the value of the last key, in a block map at `column`, and declines unless it has this type.
    fn skip_typed(&mut self, column: usize, of: &Type) -> Certain<()> {
        match of {
            Type::Any => self.cursor.skip_value(column),
            Type::Text(_) => self.cursor.skip_text(column),
            _ => {
                let item = self.cursor.value(column)?;
                self.skip_item(item, of)
            }
        }
    }

    /// Skips a value of this type that has been read or begun.
    fn skip_item(&mut self, item: Item<'t>, of: &Type) -> Certain<()> {
        match (of, item) {
            (Type::Map(..), Item::Map { column, .. }) => loop {
                self.cursor
                    .line_entries(column, |entry| admits(of.field(entry.key), &entry).map(|()| true))?;
                let Some(key) = self.cursor.entry(column)? else { return Ok(()) };
                self.skip_typed(column, of.field(&key.text))?;
            },
            (Type::List(_, element), Item::Seq { column, .. }) => {
                while self.cursor.item(column)?.is_some() {
                    let item = self.cursor.item_value(column)?;
                    self.skip_item(item, element)?;
                }
                Ok(())
            }
            (Type::Map(..), item @ Item::Flow(_)) => self.nothing(item),
            (Type::List(..), Item::Flow(start)) if self.cursor.text()[start..].starts_with("[]") => {
                self.cursor.end_flow(start + 2)
            }
            (_, Item::Missing(_)) => Ok(()),
            (of, Item::Plain(text, _)) if of.admits(&text, false) => Ok(()),
            (of, Item::Text(text, _)) if of.admits(&text, true) => Ok(()),
            _ => Err(Reason::Head),
        }
    }

    /// Reads the entries of `labels`.
    fn labels(&mut self, column: usize, head: &mut Head<'t>) -> Certain<()> {
        // Objects rarely have more.
        head.labels.reserve(12);
        let mut alike = 0;
        loop {
            self.cursor.line_entries(column, |entry| {
                head.add_label(&mut alike, entry.key, scalar_text(&entry)?).ok_or(Reason::Head)?;
                Ok(true)
            })?;
            let Some(key) = self.cursor.entry(column)? else { return Ok(()) };
            let Cow::Borrowed(key) = key.text else { return Err(Reason::Head) };
            let value = text_or_null(self.cursor.value(column)?)?;
            head.add_label(&mut alike, key, value).ok_or(Reason::Head)?;
        }
    }

    /// Reads up to the first item of a List, whose key `items` is at the offset `key`.
    fn items(&mut self, key: usize, head: &Head<'t>) -> Certain<()> {
        if self.unread {
            return Err(Reason::Head);
        }
        let Item::Seq { column: dash, start } = self.cursor.value(self.column)? else {
            return Err(Reason::Head);
        };
        let (api_version, kind) = (head.api_version.to_owned(), head.kind.to_owned());
        let notation = Notation::Block { dash };
        self.list = Some(ListStart { notation, api_version, kind, key, items: start - dash });
        Ok(())
    }
}

/// The string of a scalar, as written in the document.
#[inline]
fn text(item: Item<'_>) -> Certain<&str> {
    match item {
        Item::Plain(Cow::Borrowed(text), _) if is_text(text) => Ok(text),
        Item::Text(Cow::Borrowed(text), _) => Ok(text),
        _ => Err(Reason::Head),
    }
}

/// Declines unless a scalar on the line of its key has this type.
#[inline]
fn admits(of: &Type, entry: &LineEntry<'_>) -> Certain<()> {
    of.admits(entry.text, entry.is_quoted).then_some(()).ok_or(Reason::Head)
}

/// Whether a scalar on the line of its key is null.
fn is_null(entry: &LineEntry<'_>) -> bool {
    !entry.is_quoted && scalar::resolve(entry.text) == Scalar::Null
}

/// The text of a scalar on the line of its key; `None` if it is null.
#[inline(always)]
fn scalar_text<'t>(entry: &LineEntry<'t>) -> Certain<Option<&'t str>> {
    if entry.is_quoted || is_text(entry.text) {
        return Ok(Some(entry.text));
    }
    if scalar::resolve(entry.text) == Scalar::Null { Ok(None) } else { Err(Reason::Head) }
}

/// The text of an item; `None` if it is null or missing.
#[inline]
fn text_or_null(item: Item<'_>) -> Certain<Option<&str>> {
    match item {
        Item::Missing(_) => Ok(None),
        Item::Plain(Cow::Borrowed(text), _) if !is_text(text) && scalar::resolve(text) == Scalar::Null => {
            Ok(None)
        }
        item => text(item).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::{self, ListEnd};
    use super::*;

    fn read(text: &str) -> (Skimmed, Head<'_>) {
        let mut head = Head::default();
        let skimmed = skim(text.as_bytes(), Form::Document, &mut head);
        (skimmed, head)
    }

    /// Checks that `text` is read as a Pod `web` in `shop` with the labels `app=web`.
    #[track_caller]
    fn check(text: &str) {
        let expected = Head {
            api_version: "v1",
            kind: "Pod",
            name: Some("web"),
            namespace: Some("shop"),
            labels: vec![("app", "web")],
            has_metadata: true,
            ..Head::default()
        };
        assert_eq!(read(text), (Skimmed::Object, expected), "{text}");
    }

    #[track_caller]
    fn check_declined(text: &str) {
        assert!(matches!(read(text).0, Skimmed::Declined(_)), "{text}");
    }

    const METADATA: &str = "metadata:\n  name: web\n  namespace: shop\n  labels:\n    app: web\n";

    /// A Pod with `body` before its metadata, where it is examined, and after it, where it is not.
    fn with(body: &str) -> [String; 2] {
        let head = "apiVersion: v1\nkind: Pod\n";
        [format!("{head}{body}{METADATA}"), format!("{head}{METADATA}{body}")]
    }

    #[track_caller]
    fn check_body(body: &str) {
        with(body).iter().for_each(|text| check(text));
    }

    /// Text that looks like keys of the head; after the head, they would be repeated keys.
    #[track_caller]
    fn check_before(body: &str) {
        check(&with(body)[0]);
    }

    #[track_caller]
    fn check_declined_body(body: &str) {
        check_declined(&with(body)[0]);
    }

    #[test]
    fn heads_are_read_in_any_order_and_layout() {
        check(&format!("kind: \"Pod\" # quoted\n{METADATA}apiVersion: 'v1'\n"));
        check(
            "---\n# of it\n\napiVersion: v1\nkind: Pod\nmetadata: # here\n      labels:\n          app: web\n\n  # there\n      \
             namespace: shop\n      name: web",
        );
        check(&format!("apiVersion: v1\r\nkind: Pod\r\n{}", METADATA.replace('\n', "\r\n")));
        check(&format!("apiVersion: v1\nkind: Pod\n{METADATA}...\nkind: Node\n"));
    }

    #[test]
    fn keys_of_labels_and_annotations_may_be_quoted() {
        check(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\n  labels:\n    \"app\": web\n  annotations:\n    \
             'helm.sh/hook': pre-install\n    \"a: b\":  \"c\" # d\n",
        );
        for labels in
            ["\"a\\x62\": c", "'a''b': c", "\"a\"b: c", "\"a\": b\n    a: c", "\"a\"", "\"a\n b\": c"]
        {
            check_declined(&format!("apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    {labels}\n"));
        }
    }

    #[test]
    fn bodies_are_passed_over() {
        check_body("spec:\n  a: b\n  c:\n  - d\n  - e: f\n");
        check_body("spec: {a: [b, 'c'], d: \"e\"} # all\n");
        check_body("data:\n  a: |\n    kind: Node\n\n  b: >-\n   kind: Node\n");
        check_body("spec:\n- a\n- - b\n- |\n kind: Node\n- c: d\n");
        check_body("spec: text\n  that goes on\n");
        check_body("spec: it's {not} [flow] \"text\"\n");
        check_body("spec: ü # ö\n");
    }

    #[test]
    fn a_plain_scalar_goes_on_whatever_its_lines_start_with() {
        for line in ["\"x", "'tis", "- 'x", "- |", "- - >", "{", "* x", "? x", "& x", "-", "| x"] {
            check_body(&format!("spec:\n  a: b\n   {line}\n"));
            check_body(&format!("spec:\n  a: b\n    {line}\n\n   c\n   {line}\n"));
            check_body(&format!("spec:\n- b\n  {line}\n- c: d\n   {line}\n"));
            check_body(&format!("spec:\n  b\n  {line}\n"));
        }
        // Not after a comment, which ends the scalar, nor where something else may begin.
        check_before("spec:\n- b # c\n- |\n  kind: Node\n- \"\nkind: Node\"\n");
        check_before("spec:\n  - a:\n    - \"b\nkind: Node\"\n    - 'b\nkind: Node'\n");
    }

    #[test]
    fn tabs_end_what_is_plain_and_begin_comments() {
        check(
            "apiVersion: v1\t# a\nkind:\tPod\t\nmetadata:\n  name: web\t # b\n  namespace: shop\n  labels:\t\n    app: web\n",
        );
    }

    #[test]
    fn quoted_scalars_may_reach_to_the_left() {
        check_before("spec: \"text\nkind: Node\nmetadata:\n  name: inner\"\n");
        check_before("spec:\n  a: 'it''s\n\nkind: Node'\n");
        check_before("spec:\n- \"\\\"\nkind: Node\" # end\n");
    }

    #[test]
    fn metadata_may_hold_anything_else() {
        check(&format!(
            "apiVersion: v1\nkind: Pod\n{METADATA}  annotations:\n    a: |\n      name: x\n    b: \"c\n name: d\"\n    \
             e: prefer f, g # h\n  ownerReferences:\n  - name: x\n  managedFields: []\n"
        ));
    }

    #[test]
    fn empty_metadata_is_none() {
        let (skimmed, head) = read("apiVersion: v1\nkind: Pod\nmetadata: {} # none\n");
        assert_eq!((skimmed, head.has_metadata), (Skimmed::Object, false));
        let (skimmed, head) = read("apiVersion: v1\nkind: Pod\nmetadata:\nspec: a\n");
        assert_eq!((skimmed, head.has_metadata), (Skimmed::Object, false));
    }

    #[test]
    fn values_that_may_be_no_strings_are_declined() {
        let labelled = |value: &str| {
            format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    b: {value}\n")
        };
        for value in ["1", "1.5", "yes", "0x1F", "a: b", "-", "@a", "a:", "a\n      b", "|\n      a", "{}"] {
            check_declined(&labelled(value));
        }
        for (value, label) in
            [("2024-01-01", "2024-01-01"), ("a b", "a b"), ("~", ""), ("null", ""), ("", "")]
        {
            assert_eq!(read(&labelled(value)).1.labels, [("b", label)], "{value}");
        }
    }

    #[test]
    fn words_are_told_from_text_at_a_glance() {
        let words = ["true", "yes", "y", "on", "false", "no", "n", "off", "null"];
        let spelt = |word: &str| {
            let (first, rest) = word.split_at(1);
            [word.to_owned(), word.to_uppercase(), first.to_uppercase() + rest, format!("{word}x")]
        };
        let others =
            ["web", "b2", "e5", "1e5", "0x1f", "Infinity", "nan", "~", ".inf", "-1", "a.b/c", "nullify", ""];
        for text in words.into_iter().flat_map(spelt).chain(others.map(str::to_owned)) {
            assert_eq!(is_text(&text), scalar::resolve(&text) == Scalar::Text, "{text}");
        }
    }

    #[test]
    fn what_anchors_tags_and_escapes_mean_is_left_to_the_parser() {
        check_declined_body("spec: &a b\n");
        check_declined_body("spec: *a\n");
        check_declined_body("spec: !!str 1\n");
        check_declined_body("spec:\n  <<: *a\n");
        check_declined_body("spec:\n  ? a\n  : b\n");
        check_declined("apiVersion: v1\nkind: \"P\\x6fd\"\n");
        check_declined("apiVersion: v1\nkind: 'P''d'\n");
    }

    #[test]
    fn flow_collections_may_reach_to_the_left() {
        check_before("spec: {a: b,\nkind: Node}\n");
        check_before("spec:\n- [a, 'b]',\nkind: Node, # ]\nb]\n");
        check_before("spec: # {\n  [a,\nkind: Node]\n");
        check_declined_body("spec: {a: &b c,\nd: e}\n");
    }

    #[test]
    fn flow_collections_in_the_head_are_declined() {
        check_declined("{apiVersion: v1, kind: Pod}");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {app: web}\n");
    }

    #[test]
    fn keys_that_come_twice_are_declined() {
        check_declined(&format!("apiVersion: v1\nkind: Pod\nkind: Pod\n{METADATA}"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}{METADATA}"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}  name: b\n"));
        check_declined(&format!("apiVersion: v1\nkind: Pod\n{METADATA}    app: b\n"));
    }

    #[test]
    fn odd_indents_tabs_and_characters_are_declined() {
        check_declined(" apiVersion: v1\n kind: Pod\n");
        check_declined("apiVersion: v1\nkind: Pod\nmetadata:\n    name: a\n  namespace: b\n");
        check_declined("apiVersion: v1\nkind: Pod\n  x: y\n");
        check_declined_body("spec:\n\ta: b\n");
        for unusual in ["\r", "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}"] {
            check_declined(&format!("apiVersion: v1\nkind: Pod\nspec: a{unusual}b\n"));
        }
        assert_eq!(
            skim(b"kind: Pod\nspec: \xff\n", Form::Document, &mut Head::default()),
            Skimmed::Declined(Reason::Characters)
        );
    }

    #[test]
    fn a_document_without_a_kind_is_declined() {
        check_declined("");
        check_declined("# nothing\n");
        check_declined("apiVersion: v1\n");
        check_declined("- kind: Pod\n");
        check_declined("text\n");
    }

    #[test]
    fn annotations_that_may_be_no_text_are_declined() {
        for value in ["1", "yes", "{}", "&a b", "[a]", "\n      b: c"] {
            check_declined(&format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a: {value}\n"
            ));
        }
    }

    /// The items of a List.
    #[track_caller]
    fn items(text: &str) -> Vec<&str> {
        let mut index = Index::default();
        let skimmed = skim_with(&mut index, text.as_bytes(), Form::Document, &mut Head::default());
        let Skimmed::List(ListStart { items: from, notation: Notation::Block { dash }, .. }) = skimmed else {
            panic!("no List")
        };
        let cut = list::cut(text.as_bytes(), &index, from, dash, true);
        assert!(matches!(cut.rest, ListEnd::Ended | ListEnd::Followed), "{text}");
        cut.items.iter().map(|range| &text[from..][range.clone()]).collect()
    }

    #[test]
    fn a_list_is_cut_into_items() {
        let text = "kind: List\nitems:\n  # one\n  - a: b\n\n  - c: |\n      - d\n    e: f\napiVersion: v1\n";
        assert_eq!(items(text), ["  - a: b\n\n", "  - c: |\n      - d\n    e: f\n"]);
    }

    #[test]
    fn anchors_aliases_and_redacted_values_do_not_affect_where_an_item_ends() {
        let first = "- &a\n  a: &b {c: [*a, !x d]}\n  <<: *b\n";
        let others = ["- &a !x\n  - *a\n", "- a: ***HIDDEN***:1\n", "- ***HIDDEN***\n"];
        let text = format!("kind: List\nitems:\n{first}{}apiVersion: v1\n", others.concat());
        assert_eq!(items(&text), [&[first][..], &others].concat());
    }

    #[test]
    fn other_lists_are_declined() {
        for items in ["items:\n", "items: null\n", "items: {}\n", "items: [] # none\n", "items: [a]\n"] {
            check_declined(&format!("apiVersion: v1\nkind: List\n{items}"));
        }
    }

    #[test]
    fn an_item_is_read_behind_its_dash() {
        let mut head = Head::default();
        assert_eq!(
            skim(b" - kind: Pod\n   metadata:\n     name: a\n", Form::Item { dash: 1 }, &mut head),
            Skimmed::Object
        );
        assert_eq!((head.kind, head.name), ("Pod", Some("a")));
    }
}
