//! An object of a document: its head, its text, and whatever else has been read of it.
//!
//! *Compatibility* (unread-bodies): kubectl parses whole files; here, a body is only checked when its fields are
//! needed.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::sync::Arc;
use std::sync::LazyLock;

use memchr::memmem;

use super::document::{Document, Form, LineCount, Syntax};
use super::names::ObjectNames;
use super::source::{Built, Rendered};
use syntax::emit::{self, yaml::KeyOrder};
use syntax::error::{Error, ErrorKind, Place};
use syntax::fields::{FieldSet, Fields};
use syntax::given::{AddedLabels, GivenNamespaces};
use syntax::head::Head;
use syntax::parsed::{self, Duplicate, Parsed};
use syntax::tree::{Entry, Map, Node, Span, Value};
use syntax::yaml::check::{self, Metadata};
use syntax::yaml::index::View;
use syntax::yaml::marker;
use syntax::yaml::value;
use syntax::{json, redacted, yaml};
use text::lines;

/// The fields that state an object's type.
const TYPE: [&str; 2] = ["apiVersion", "kind"];

/// A step on the path from a text to the object in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The element with this index of a List, an array or the rows of a Table.
    Item(usize),
    /// The value of the key `object` of a watch event or a row.
    Object,
}

/// An object of a document: its head, its text and, once it has been needed, its tree.
pub struct Object<'t> {
    /// The fields that selection needs.
    pub head: &'t Head<'t>,
    /// The document it is in.
    pub document: Document<'t>,
    pub(super) body: Body,
    /// Whether `apiVersion` and `kind` are those given by the List.
    pub(super) inherits: bool,
    /// Whether it is the last state of an object, in a watch event that tells of the deletion.
    pub is_deleted: bool,
    /// Whether its value is another one than its text has.
    pub(super) is_changed: bool,
    /// The whole object as parsed, with its repeated keys.
    pub(super) content: OnceCell<Content<'t>>,
    /// The whole object, as read by the cursor.
    value: OnceCell<Node>,
    part: TextPart<'t>,
    /// The index of the text and what the head's reader found in it; `None` unless the head was skimmed.
    pub(super) view: Option<View<'t>>,
    /// How far lines of the document have been counted: not beyond the start of the part.
    pub(super) counted: Cell<LineCount>,
}

/// The part of a document that is an object: a text that can be read on its own, and the path from there to the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPart<'t> {
    /// The offset in the document of the text's first byte.
    pub start: usize,
    /// The byte after the text's last one.
    pub end: usize,
    /// How the text starts.
    pub form: Form,
    /// The path from the text to the object; empty if it is the object.
    pub path: &'t [Member],
    /// The ranges of the document that are blank in the text: the beginning of a List that cannot be read as a whole,
    /// except for its brace and the key `items`.
    pub blank: &'t [Range<usize>],
}

impl<'t> TextPart<'t> {
    /// Its bytes in the `document` that it belongs to.
    fn bytes<'d>(&self, document: Document<'d>) -> &'d [u8] {
        &document.text[self.start..self.end]
    }

    /// The text, from the `document` that the part belongs to.
    pub fn text<'d>(&self, document: Document<'d>) -> Cow<'d, [u8]> {
        let mut text = Cow::Borrowed(self.bytes(document));
        for range in self.blank {
            let blank = &mut text.to_mut()[range.start - self.start..range.end - self.start];
            blank.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        text
    }
}

/// Whether a text may have an escape that stands for a letter, a digit, a slash or a broken line. Those of quotes and of
/// breaks, which texts in JSON have, do not.
fn hides_letters(text: &[u8]) -> bool {
    let mut end = 0;
    memchr::memchr_iter(b'\\', text).any(|at| {
        // The character behind a backslash, possibly one itself, belongs to it.
        let is_escape = at >= end;
        end = if is_escape { at + 2 } else { end };
        is_escape && !matches!(text.get(at + 1), Some(b'"' | b'\\' | b'n' | b't' | b'r' | b'b' | b'f'))
    })
}

/// The result of parsing an object.
pub(super) struct Content<'t> {
    pub(super) tree: Cow<'t, Node>,
    pub(super) duplicates: Cow<'t, [Duplicate]>,
}

/// The text of an object.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// The whole document.
    Document,
    /// An item that was cut from its List: its [part](TextPart) of the document.
    Item,
    /// An item that was parsed together with its List, and its span.
    Parsed(Span),
}

/// An object, or most of it, with the text that its spans refer to.
pub struct Spanned<'o> {
    /// The object.
    pub tree: Cow<'o, Node>,
    /// Its text.
    pub text: Cow<'o, [u8]>,
    /// The line on which the text starts, 1-based.
    pub line: usize,
    /// Whether this is known to be the whole object, without repeated keys.
    pub is_plain: bool,
}

/// The annotation of the copy of a static pod with the uid of that pod (kubelet, types/constants.go,
/// ConfigMirrorAnnotationKey).
const MIRROR: &str = "kubernetes.io/config.mirror";

impl<'t> Object<'t> {
    pub(super) fn new(
        head: &'t Head<'t>,
        document: Document<'t>,
        body: Body,
        content: Option<Content<'t>>,
        part: TextPart<'t>,
    ) -> Self {
        let content = content.map_or_else(OnceCell::new, OnceCell::from);
        let value = OnceCell::new();
        let counted = Cell::new(document.counted);
        let (inherits, is_deleted, is_changed, view) = (false, false, false, None);
        Self { head, document, body, content, value, inherits, is_deleted, is_changed, part, view, counted }
    }

    /// The object with another value: it keeps its head and its place, and has no text.
    pub fn with_value(&self, value: Node) -> Self {
        let content = Content { tree: Cow::Owned(value), duplicates: Cow::Borrowed(&[]) };
        let mut changed = Self::new(self.head, self.document, self.body, Some(content), self.part);
        changed.is_changed = true;
        changed.is_deleted = self.is_deleted;
        changed
    }

    /// Whether the object has another value than its text.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Whether the object has a type of its own, and not that of its List or of the path of its file.
    pub fn has_type(&self) -> bool {
        !self.inherits
    }

    /// The part of the document's text that is the object.
    pub fn part(&self) -> TextPart<'_> {
        self.part
    }

    /// Whether all of the object has been parsed.
    pub fn is_parsed(&self) -> bool {
        self.content.get().is_some()
    }

    /// The length in bytes of the object's own text. Aliases in it may stand for more.
    pub fn text_len(&self) -> usize {
        match self.body {
            Body::Parsed(span) => span.end - span.start,
            Body::Document | Body::Item => self.part.end - self.part.start,
        }
    }

    /// Whether the object is a document of its own rather than an item of a List.
    pub fn is_document(&self) -> bool {
        matches!(self.body, Body::Document)
    }

    /// The whole object, which is parsed on first use.
    ///
    /// # Errors
    ///
    /// The text after the head cannot be read.
    pub fn tree(&self) -> Result<&Node, Error> {
        Ok(&self.content()?.tree)
    }

    /// The object, in which lists and maps under `keys` may be null at any depth, and the text that its spans refer to.
    /// The result is not kept.
    ///
    /// # Errors
    ///
    /// The text of these fields, or around them, is malformed.
    pub fn spanned_without(&self, keys: &[&str]) -> Result<Spanned<'_>, Error> {
        if self.document.syntax == Syntax::Yaml && !self.is_parsed() {
            let (text, line) = self.spanned_text();
            let text = Cow::Borrowed(text);
            if let Some(tree) = self.value.get() {
                return Ok(Spanned { tree: Cow::Borrowed(tree), text, line, is_plain: false });
            }
            if let Some(parsed) = self.parse_fields(Fields::without(keys)) {
                let is_plain = parsed.is_whole && parsed.duplicates.is_empty();
                return Ok(Spanned { tree: Cow::Owned(parsed.root), text, line, is_plain });
            }
        }
        let (text, line) = self.spanned_text();
        let content = self.content()?;
        // What was parsed of YAML may have come through an alias.
        let is_plain = self.document.syntax == Syntax::Json && content.duplicates.is_empty();
        Ok(Spanned { tree: Cow::Borrowed(&content.tree), text: Cow::Borrowed(text), line, is_plain })
    }

    /// The whole object as in [`Object::tree`], but its spans may be empty.
    ///
    /// # Errors
    ///
    /// The text after the head cannot be read.
    pub fn value(&self) -> Result<&Node, Error> {
        if let Some(node) = self.value.get() {
            return Ok(node);
        }
        let is_unread = self.document.syntax == Syntax::Yaml && !self.is_parsed();
        match is_unread.then(|| self.parse_fields(Fields::ALL)).flatten() {
            Some(parsed) => Ok(self.value.get_or_init(|| parsed.root)),
            None => self.tree(),
        }
    }

    /// The object with at least these fields; its spans may be empty. The result is not kept.
    ///
    /// # Errors
    ///
    /// The text of these fields, or around them, is malformed.
    pub fn fields(&self, fields: Fields<'_>) -> Result<Cow<'_, Node>, Error> {
        let is_whole = fields.without.is_empty() && fields.only.is_none_or(FieldSet::is_whole);
        let is_read = self.is_parsed() || self.value.get().is_some();
        let read = || if is_whole || is_read { None } else { self.parse_fields(fields) };
        read().map_or_else(|| self.value().map(Cow::Borrowed), |parsed| Ok(Cow::Owned(parsed.root)))
    }

    /// The uid of the static pod of which this is the API server's copy; `None` if it is none.
    pub fn mirrored(&self) -> Option<String> {
        static ANNOTATION: LazyLock<FieldSet> = LazyLock::new(|| {
            let mut set = FieldSet::default();
            set.add(["metadata", "annotations", MIRROR]);
            set
        });
        // A static pod is named by its file; what a controller makes has a generateName.
        let Head { kind, generate_name, .. } = self.head;
        let may_be = *kind == "Pod" && generate_name.is_none() && self.mentions(MIRROR);
        let read = may_be.then(|| self.fields(Fields::only(&ANNOTATION)).ok()).flatten()?;
        Some(read.at("metadata.annotations")?.get(MIRROR)?.as_str()?.to_owned())
    }

    /// Whether one of its values may be, or contain, this word: its text has it, or an escape in the place of a part of it.
    pub fn mentions(&self, word: &str) -> bool {
        let is_as_written = matches!(self.body, Body::Document | Body::Item) && !self.is_changed;
        let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte));
        let text = self.part_text();
        !is_as_written || !is_plain || memmem::find(text, word.as_bytes()).is_some() || hides_letters(text)
    }

    /// The YAML of an object that has not been parsed; `None` for other objects. Everything after the head is unchecked.
    pub fn unread_yaml(&self) -> Option<&'t [u8]> {
        let is_unread = self.document.syntax == Syntax::Yaml && !self.is_parsed();
        is_unread.then(|| self.part_text())
    }

    /// These fields; `None` if only a full parse can read them.
    fn parse_fields(&self, fields: Fields<'_>) -> Option<Parsed> {
        let (text, form) = (self.part_text(), self.part.form);
        match (self.document.syntax, self.view) {
            (Syntax::Json, _) => json::value::read(text, fields).ok(),
            (Syntax::Yaml, Some(view)) => value::read_indexed(text, view, form, fields).ok(),
            (Syntax::Yaml, None) => value::read(text, form, fields).ok(),
        }
    }

    /// The text of the object's part: a document, or an item that was cut from its List.
    fn part_text(&self) -> &'t [u8] {
        self.part.bytes(self.document)
    }

    /// Checks the whole text of the object, and returns its `metadata` with the map `field`; `None` if the object is
    /// JSON, or this is uncertain. The lines are those of the text of its [part](Object::part).
    ///
    /// # Errors
    ///
    /// The text after the head cannot be read.
    pub fn metadata(&self, field: &str) -> Result<Option<Metadata<'t>>, Error> {
        let certain = self.view.zip(simdutf8::basic::from_utf8(self.part_text()).ok());
        match certain.map(|(view, text)| check::metadata(text, view, self.part.form, field)) {
            Some(Ok(metadata)) => Ok(metadata),
            _ => self.tree().map(|_| None),
        }
    }

    /// The repeated keys of all maps, in the order of the text.
    ///
    /// # Errors
    ///
    /// The text after the head cannot be read.
    pub fn duplicates(&self) -> Result<&[Duplicate], Error> {
        Ok(&self.content()?.duplicates)
    }

    fn content(&self) -> Result<&Content<'t>, Error> {
        if let Some(content) = self.content.get() {
            return Ok(content);
        }
        let TextPart { start, end, form, .. } = self.part;
        let parsed = match self.body {
            Body::Item => parse_item(self.document, start..end, form)?,
            Body::Document | Body::Parsed(_) => parse(self.document)?.unwrap_or_else(nothing),
        };
        let content = Content { tree: Cow::Owned(parsed.root), duplicates: Cow::Owned(parsed.duplicates) };
        Ok(self.content.get_or_init(|| content))
    }

    /// The place in its document at which another object or List seems to begin because `apiVersion` and `kind` or `items` are
    /// repeated, as in files joined without a separator; only the last one counts. `None` if there is no such place.
    pub fn joined_at(&self) -> Option<Place> {
        // Skimmed heads have no repeated keys.
        let duplicates = &self.content.get().filter(|_| self.part.form == Form::Document)?.duplicates;
        let again = |key: &str| {
            let mut starts =
                duplicates.iter().filter(|repeated| repeated.key == key).map(|repeated| repeated.span.start);
            starts.find(|at| *at > 0 && self.part_text().get(at - 1) == Some(&b'\n'))
        };
        let (version, other) = (again("apiVersion")?, again("kind").or_else(|| again("items"))?);
        Some(self.document.place(self.part.start + version.min(other)))
    }

    /// The text that the spans of the tree and of the duplicates refer to, and its first line, 1-based. In an item of a
    /// List in block style, it begins with the line of the dash.
    pub fn spanned_text(&self) -> (&'t [u8], usize) {
        (self.part_text(), self.first_line())
    }

    /// The column of the [text](Object::spanned_text) at which the object's own lines start. Left of it, there are only
    /// blanks and the dash of an item.
    pub fn column(&self) -> usize {
        match self.part.form {
            Form::Document => 0,
            Form::Item { dash } => content_column(self.part_text(), dash),
        }
    }

    /// The line of the source on which the text of the object's part starts, 1-based.
    fn first_line(&self) -> usize {
        let counted = self.counted.get().to(self.part.start, self.document.text);
        self.counted.set(counted);
        counted.line
    }

    /// Its names: that in its file, and those that kustomizations give it.
    pub fn names(&self) -> ObjectNames<'_> {
        let affixes = self.built().and_then(|built| built.affixes.as_deref());
        ObjectNames::new(self.head.kind, self.head.name.unwrap_or_default(), affixes)
            .of_namespace(self.head.given_names())
    }

    /// Whether it is built under several names, of which only those of a Namespace are shown.
    pub fn has_several_names(&self) -> bool {
        let names = self.names();
        self.head.given_names().is_none() && names.given().next().is_some() && names.built().len() > 1
    }

    /// Its name and its namespaces in each of its builds; `None` if they do not differ, or are not known for each.
    pub fn each_build(&self) -> Option<impl Iterator<Item = (String, Option<&GivenNamespaces>)>> {
        let built = self.built()?;
        let each = built.each.as_deref()?;
        let is_each = built.roots.as_ref().is_some_and(|roots| roots.len() == each.len());
        let builds = each.iter().flat_map(move |(_, built)| {
            let names = self.names().built_with(built.affixes.as_deref()).last();
            names.into_iter().map(move |name| (name, built.given(self.head)))
        });
        is_each.then_some(builds)
    }

    /// What it is in what builds from its file; `None` if all of that removes it.
    pub fn built(&self) -> Option<&Built> {
        self.document.source.built_of(self.head)
    }

    /// The labels that kustomizations and what applies its file add to it; `None` if there are none.
    pub fn added_labels(&self) -> Option<&Arc<AddedLabels>> {
        Some(self.built()?.labels.as_ref()?.all())
    }

    /// What its templates become, if it is an ApplicationSet of which this is known.
    pub fn rendered(&self) -> Option<&Rendered> {
        let sets = self.document.source.rendered.as_ref().filter(|_| self.head.kind == "ApplicationSet")?;
        sets.get(self.head.name?)
    }

    /// The place at which the object starts, after any comments.
    pub fn place(&self) -> Place {
        let document = self.document;
        match self.body {
            Body::Document => document.place(document.content()),
            Body::Item => {
                self.first_line();
                let content = self.part.start + item_content(self.part_text());
                Document { counted: self.counted.get(), ..document }.place(content)
            }
            Body::Parsed(span) => document.place(span.start),
        }
    }

    /// The object's text with its syntax and form, if these alone say its value: equal ones have equal values. `None` if its
    /// List gives it a type, or it was parsed with its List.
    pub fn own_text(&self) -> Option<(Syntax, Form, &'t [u8])> {
        let is_alone = self.part.path.is_empty() && self.part.blank.is_empty();
        let is_own = is_alone && self.has_type() && !self.is_changed;
        is_own.then(|| (self.document.syntax, self.part.form, self.part_text()))
    }

    /// The object's YAML as in the input, comments included, possibly without a final newline; an item of a List
    /// becomes a document of its own. `None` if the input has no such text: it is JSON, or the item read alone would be
    /// a different object.
    pub fn text(&self) -> Option<Cow<'t, [u8]>> {
        if self.is_changed {
            return None;
        }
        if self.document.syntax == Syntax::Json {
            return self.json_as_yaml();
        }
        let text = match self.body {
            Body::Document => Cow::Borrowed(own_text(self.document.text)?),
            Body::Item => match self.part.form {
                Form::Document => Cow::Owned(outdented(self.part_text())),
                Form::Item { .. } => dedent(self.part_text(), self.column()),
            },
            Body::Parsed(span) => self.parsed_text(span)?,
        };
        if !self.inherits {
            return Some(text);
        }
        let typed = emit::yaml::text(&with_type(&Map::new(), self.head, Span::default()), KeyOrder::AsRead);
        let typed = [typed.as_bytes(), &text].concat();
        // An item with `kind: ""` would have the key twice, and no key can be put before an item in braces.
        let is_same = yaml::parse(&typed).ok()??.root == *self.tree().ok()?;
        is_same.then_some(Cow::Owned(typed))
    }

    /// The text of a JSON value in a file whose name is that of YAML; `None` if YAML would read it differently.
    fn json_as_yaml(&self) -> Option<Cow<'t, [u8]>> {
        let is_yaml = self.document.source.path()?.extension().is_some_and(|extension| extension != "json");
        let whole = is_yaml && self.is_document();
        let text = self.document.text;
        (whole && yaml::parse(text).ok()??.root == *self.tree().ok()?).then_some(Cow::Borrowed(text))
    }

    /// The text of an item that was parsed with its List; `None` if that text read alone would be a different object.
    fn parsed_text(&self, span: Span) -> Option<Cow<'t, [u8]>> {
        let whole = self.document.text;
        let line = lines::start(whole, span.start);
        let has_dash = whole.get(line..span.start)?.trim_ascii_start().starts_with(b"-");
        let text = if whole.get(span.start) == Some(&b'{') && !has_dash {
            Cow::Owned(outdented(whole.get(span.start..span.end)?))
        } else {
            let mut text = dedent(whole.get(line..span.end)?, span.start - line);
            if !text.ends_with(b"\n") {
                text.to_mut().push(b'\n');
            }
            text
        };
        let alone = yaml::parse(&text).ok()??.root;
        let alone = if self.inherits { with_type(alone.as_map()?, self.head, span) } else { alone };
        (alone == *self.tree().ok()?).then_some(text)
    }
}

/// Parses a whole document; `None` if it has no content.
///
/// # Errors
///
/// It is neither JSON nor YAML that kubectl accepts.
pub fn parse(document: Document<'_>) -> Result<Option<Parsed>, Error> {
    let (parsed, after_root) = parse_text(document, document.text)?;
    after_root.map_or(Ok(parsed), Err)
}

/// The value of a whole document that is read for its values alone; `None` if it has no content, or is neither JSON nor YAML that
/// kubectl accepts.
pub fn value(document: Document<'_>) -> Option<Node> {
    let read = match document.syntax {
        Syntax::Yaml => value::read(document.text, Form::Document, Fields::ALL).ok(),
        Syntax::Json => None,
    };
    read.or_else(|| parse(document).ok()?).map(|parsed| parsed.root)
}

/// Parses a text with the same positions as the document. Text after the root value is an error of its own.
pub(super) fn parse_text(
    document: Document<'_>,
    text: &[u8],
) -> Result<(Option<Parsed>, Option<Error>), Error> {
    let unreadable = |error| unreadable(document, 0, error);
    match document.syntax {
        Syntax::Yaml => {
            let parsed = redacted::parse(text).map_err(unreadable)?;
            let after = parsed.as_ref().and_then(|parsed| after_root(text, parsed.root.span));
            Ok((parsed, after.map(|at| document.error(at, ErrorKind::AfterRoot))))
        }
        Syntax::Json => {
            let parsed = json::parse(text).map_err(unreadable)?;
            Ok((Some(parsed).filter(|parsed| !parsed.root.is_null()), None))
        }
    }
}

/// The error of reading the part of a document that starts at `start`.
fn unreadable(document: Document<'_>, start: usize, error: parsed::Error) -> Error {
    document.error(start + error.offset(), ErrorKind::unreadable(document.syntax, error))
}

/// The offset of the text after the root value of a document, which goyaml ignores; `None` if there is none.
///
/// *Compatibility* (text-after-root): kubectl reads the rest of the document as if it were not there.
fn after_root(text: &[u8], root: Span) -> Option<usize> {
    // Nothing can follow a block in the first column.
    let is_in_first_column = root.start == 0 || text.get(root.start - 1) == Some(&b'\n');
    let is_flow = matches!(text.get(root.start), Some(b'{' | b'['));
    if is_in_first_column && !is_flow {
        return None;
    }
    marker::text_after(text, root.end)
}

/// Parses an item that was cut from its List; its spans refer to the item's own text. In block style, this is a list
/// with one element, so that lines that do not belong to the element are the error that they are in the List.
pub(super) fn parse_item(document: Document<'_>, range: Range<usize>, form: Form) -> Result<Parsed, Error> {
    let item = &document.text[range.clone()];
    let parsed = match document.syntax {
        Syntax::Json => json::parse_or_yaml(item),
        Syntax::Yaml => redacted::parse(item).map(|parsed| parsed.unwrap_or_else(nothing)),
    };
    let mut parsed = parsed.map_err(|error| unreadable(document, range.start, error))?;
    if let (Form::Item { .. }, Value::Seq(elements)) = (form, &mut parsed.root.value) {
        let element = elements.pop();
        parsed.root = element.unwrap_or_else(|| nothing().root);
    }
    Ok(parsed)
}

/// The result for a text without content.
pub(super) fn nothing() -> Parsed {
    Parsed { root: Node::new(Value::Null), duplicates: Vec::new(), aliased: false, is_whole: true }
}

/// The part that is the whole document.
pub(super) fn whole(document: Document<'_>) -> TextPart<'static> {
    TextPart { start: 0, end: document.text.len(), form: Form::Document, path: &[], blank: &[] }
}

/// An item with the type given by its List, in kubectl's order of keys.
pub(super) fn with_type(item: &Map, head: &Head<'_>, span: Span) -> Node {
    let mut map = Map::default();
    map.insert("apiVersion", Span::default(), Node::text(head.api_version));
    map.insert("kind", Span::default(), Node::text(head.kind));
    for Entry { key, key_span, value } in item.iter().filter(|entry| !TYPE.contains(&&*entry.key)) {
        map.insert(key.clone(), *key_span, value.clone());
    }
    Node { value: Value::Map(map), span }
}

/// A document's text without a `---` line before it. `None` if the dashes begin a key, as in `---#a`: after other
/// documents, that line would be a separator.
pub(super) fn own_text(text: &[u8]) -> Option<&[u8]> {
    let Some(rest) = text.strip_prefix(b"---") else { return Some(text) };
    let is_marker = rest.first().is_none_or(u8::is_ascii_whitespace);
    is_marker.then(|| &text[lines::next(text, 0)..])
}

/// A List's item as a document of its own, without its dash and the indentation of the lines below it.
pub(super) fn dedent(item: &[u8], indent: usize) -> Cow<'_, [u8]> {
    if indent == 0 {
        return Cow::Borrowed(item);
    }
    let mut lines = item.to_owned();
    lines.iter_mut().take(indent).for_each(|byte| *byte = b' ');
    Cow::Owned(outdent(lines, indent))
}

/// The lines without the blanks at the start of each that are left of the column `indent`.
///
/// All blanks are kept if a line of dashes or dots, possibly inside quotes, would otherwise become a separator.
pub fn outdent(lines: Vec<u8>, indent: usize) -> Vec<u8> {
    if keeps_indent(&lines, indent) {
        return lines;
    }
    let mut text = Vec::with_capacity(lines.len());
    for line in lines.split_inclusive(|&byte| byte == b'\n') {
        // Lines that are indented less are comments, or inside quotes.
        let blanks = line.iter().take(indent).take_while(|&&byte| byte == b' ').count();
        text.extend_from_slice(&line[blanks..]);
    }
    // A last line of blanks counts in a block scalar, even without a line ending.
    if text.ends_with(b"\n") && !lines.ends_with(b"\n") {
        text.push(b'\n');
    }
    text
}

/// The column at which the content of an item becomes that of a document of its own. Below a dash alone on its line, the
/// content may be at any column behind that of the dash.
fn content_column(item: &[u8], dash: usize) -> usize {
    let first = item_content(item);
    let column = item[first..].iter().take_while(|&&byte| byte == b' ').count();
    if first == 0 { dash + 2 } else { column.min(dash + 2) }
}

/// An item in braces of a List as a document of its own: its lines are shifted to the left until the last one, with the
/// closing brace, is not indented.
fn outdented(item: &[u8]) -> Vec<u8> {
    let last = lines::start(item, item.len());
    let indent = item[last..].iter().take_while(|&&byte| byte == b' ').count();
    let indent = if keeps_indent(item, indent) { 0 } else { indent };
    let mut text = Vec::with_capacity(item.len() + 1);
    for (number, line) in item.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let indent = if number == 0 { 0 } else { indent };
        let blanks = line.iter().take(indent).take_while(|&&byte| byte == b' ').count();
        text.extend_from_slice(&line[blanks..]);
    }
    text.push(b'\n');
    text
}

/// The offset of an item's first line with more than its dash and comments; 0 if there is none.
fn item_content(item: &[u8]) -> usize {
    let blanks =
        |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_whitespace() && **byte != b'\n').count();
    let mut at = 0;
    while at < item.len() {
        let mut content = &item[at + blanks(&item[at..])..];
        if at == 0
            && let Some(after) = content.strip_prefix(b"-")
        {
            content = &after[blanks(after)..];
        }
        if !matches!(content, [] | [b'#' | b'\n', ..]) {
            return at;
        }
        at = lines::next(item, at);
    }
    0
}

/// Whether a line of an item would begin with `---` or `...` without its indentation.
fn keeps_indent(item: &[u8], indent: usize) -> bool {
    let is_at_start = |at: usize| {
        let line = lines::start(item, at);
        at - line <= indent && (line == 0 || item[line..at].iter().all(|&byte| byte == b' '))
    };
    [&b"---"[..], b"..."].iter().any(|marker| memmem::find_iter(item, marker).any(is_at_start))
}
