//! Documents to objects: heads skimmed where that is certain and parsed where it is not, Lists taken apart
//! into their items.
//!
//! *Compatibility* (unread-bodies): kubectl parses whole files; here, a body is checked only when its fields are needed.
//!
//! *Compatibility* (nested-lists): Lists in Lists are flattened; kubectl reports an error.
//!
//! *Compatibility* (item-metadata): an item whose metadata has a wrong type keeps its text; kubectl drops its labels.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::document::{Document, Syntax};
use super::emit::{self, yaml::KeyOrder};
use super::error::{Error, ErrorKind, Place};
use super::fields::{FieldSet, Fields};
use super::foreign;
use super::head::Head;
use super::parsed::{self, Duplicate, Parsed};
use super::source::Source;
use super::stream::Block;
use super::tree::{Entry, Map, MapBuilder, Node, Span, Value};
use super::yaml::cursor::Reason;
use super::yaml::head::{Skimmed, skim_item, skim_with};
use super::yaml::index::{Index, View};
use super::yaml::list::{self, ListEnd};
use super::yaml::value;
use super::{json, redacted, yaml};

/// The fields that say what an object is.
const TYPE: [&str; 2] = ["apiVersion", "kind"];

/// The number that leads to what is under the key `object`.
pub const ENVELOPED: usize = usize::MAX;

/// How deeply Lists may nest.
const MAX_LISTS: usize = 16;

/// An object of a document: its head, its text and, once something has asked for it, its tree.
pub struct Object<'t> {
    /// What selecting needs to know.
    pub head: &'t Head<'t>,
    /// The document it is in.
    pub document: Document<'t>,
    body: Body,
    /// Whether `apiVersion` and `kind` come from the List.
    inherits: bool,
    content: OnceCell<Content<'t>>,
    outline: OnceCell<Node>,
    value: OnceCell<Node>,
    part: TextPart<'t>,
    /// What is where in the text, if its head was skimmed.
    view: Option<View<'t>>,
    /// A byte of the document's text that is not after the object's first one, and the line that it is on.
    counted: Cell<(usize, usize)>,
}

/// Which part of a document an object is: a text that can be read by itself, and the way to the object in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPart<'t> {
    /// Where in the document the text starts and ends.
    pub start: usize,
    /// The byte after the text's last one.
    pub end: usize,
    /// The column of the content of a List's item, whose text starts on its dash's line; 0 for a whole
    /// document.
    pub indent: usize,
    /// The numbers of the items that lead from there through Lists to the object; [`ENVELOPED`] leads from a watch event
    /// or the row of a Table to its object.
    pub items: &'t [usize],
}

/// What parsing an object gives.
struct Content<'t> {
    tree: Cow<'t, Node>,
    duplicates: Cow<'t, [Duplicate]>,
}

/// A value being taken apart into objects, and the repeated keys in it.
#[derive(Clone, Copy)]
struct Part<'t> {
    node: &'t Node,
    duplicates: &'t [Duplicate],
}

impl<'t> Part<'t> {
    fn of(parsed: &'t Parsed) -> Self {
        Self { node: &parsed.root, duplicates: &parsed.duplicates }
    }
}

/// Where the text of an object is.
#[derive(Clone)]
enum Body {
    /// It is the document's own.
    Document,
    /// It is this part of a YAML document, an item of a List whose content is in column `indent`.
    Item { range: Range<usize>, indent: usize },
    /// It is an item that was parsed with its List, from this span.
    Parsed(Span),
}

/// What the items of a typed List (`PodList`) take from it when they have neither of their own.
#[derive(Clone, Copy)]
struct Inherited<'t> {
    api_version: &'t str,
    kind: &'t str,
}

/// The List of an item that is read.
#[derive(Clone, Copy)]
enum Parent<'t> {
    /// Its type is known.
    Typed(Inherited<'t>),
    /// It has no kind. That is said once, and not of each item which it leaves without one.
    Untyped,
    /// Its type was not yet read; what has none of its own is to be noted here.
    Unread(&'t AtomicBool),
}

impl<'t> Parent<'t> {
    fn typed(api_version: &'t str, kind: &'t str) -> Self {
        Self::Typed(Inherited { api_version, kind: item_kind(kind) })
    }
}

/// The type of a large List, of which its items are read first.
#[derive(Debug)]
pub struct ListType {
    /// The `apiVersion` before the items; empty if there is none.
    api_version: String,
    /// The `kind` before the items; empty if there is none.
    kind: String,
    /// Where the List starts.
    pub(super) place: Place,
    /// What it is taken for if it says no kind: what the path of its file tells.
    of_path: Option<(String, String)>,
    /// `apiVersion` and `kind`, once all was read that may say them; `None` within it if there is no kind.
    known: OnceLock<Option<(String, String)>>,
}

impl ListType {
    /// The type of a List at `place` that says this much before its items.
    pub(super) fn new(
        api_version: String,
        kind: String,
        place: Place,
        of_path: Option<(String, String)>,
    ) -> Self {
        let list = Self { api_version, kind, place, of_path, known: OnceLock::new() };
        if !list.api_version.is_empty() && !list.kind.is_empty() {
            list.settle(Some((list.api_version.clone(), list.kind.clone())));
        }
        list
    }

    /// Whether the type of its items is known.
    pub(super) fn is_known(&self) -> bool {
        self.known.get().is_some()
    }

    /// Says what the type is, unless that is known.
    pub(super) fn settle(&self, known: Option<(String, String)>) {
        let _ = self.known.set(known);
    }

    /// What it says before its items, as lines of YAML.
    pub(super) fn head(&self) -> String {
        let fields = [("apiVersion", &self.api_version), ("kind", &self.kind)];
        yaml_fields(&fields.map(|(key, text)| (key, text.as_str())))
    }

    /// Reads `tail`, what the List says after its items, up to its end.
    ///
    /// # Errors
    ///
    /// It cannot be read, repeats what was said before, or leaves the List without a kind; and where in the tail.
    pub(super) fn read_tail(&self, tail: &[u8], syntax: Syntax) -> Result<(), (ErrorKind, usize)> {
        let read = tail_type(tail, syntax, (&self.api_version, &self.kind)).map(|(known, _)| known);
        let read = read.or_else(|(kind, at)| match kind {
            ErrorKind::KindMissing => self.of_path.clone().ok_or((kind, at)),
            _ => Err((kind, at)),
        });
        self.settle(read.as_ref().ok().cloned());
        read.map(drop)
    }

    /// Takes the type from `text`, the List with the rest of its items, which is read by itself.
    pub(super) fn read_whole(&self, text: &[u8]) {
        if !self.is_known() {
            let parsed = yaml::parse(text).ok().flatten();
            let head = parsed.as_ref().and_then(|parsed| Head::of_list(parsed.root.as_map()?).ok());
            self.settle(
                head.filter(|head| !head.kind.is_empty())
                    .map(|head| (head.api_version.to_owned(), head.kind.to_owned())),
            );
        }
    }
}

/// The type of a List that says `before` before its items and `tail` after them, and whether that says any of it again.
///
/// # Errors
///
/// As of [`ListType::read_tail`].
fn tail_type(
    tail: &[u8],
    syntax: Syntax,
    before: (&str, &str),
) -> Result<((String, String), bool), (ErrorKind, usize)> {
    let head: &[u8] = if syntax == Syntax::Json { b"{\"items\":[]" } else { b"items: []\n" };
    let at = |offset: usize| offset.saturating_sub(head.len()).min(tail.len());
    let whole = [head, tail].concat();
    let parsed = match syntax {
        Syntax::Json => json::parse(&whole).map(Some).map_err(|error| (at(offset_of(&error)), error)),
        Syntax::Yaml => yaml::parse(&whole).map_err(|error| (at(offset_of(&error)), error)),
    };
    let parsed = parsed.map_err(|(at, error)| match syntax {
        Syntax::Json => (ErrorKind::Json(Box::new(error)), at),
        Syntax::Yaml => (ErrorKind::Yaml(Box::new(error)), at),
    })?;
    let map = parsed.as_ref().and_then(|parsed| parsed.root.as_map()).ok_or((ErrorKind::ListTail, 0))?;
    let after = Head::of_list(map).map_err(|(kind, span)| (kind, at(span.start)))?;
    let both = [(before.0, after.api_version), (before.1, after.kind)];
    let repeats = || both.iter().filter(|(before, after)| !before.is_empty() && !after.is_empty());
    let items = map.get("items").and_then(Node::as_seq);
    if items.is_none_or(|items| !items.is_empty()) || repeats().any(|(before, after)| before != after) {
        return Err((ErrorKind::ListTail, 0));
    }
    let either = |before: &str, after: &str| if before.is_empty() { after } else { before }.to_owned();
    let (api_version, kind) = (either(before.0, after.api_version), either(before.1, after.kind));
    if kind.is_empty() {
        return Err((ErrorKind::KindMissing, 0));
    }
    Ok(((api_version, kind), repeats().next().is_some()))
}

/// Those of the fields that have a text, as lines of YAML.
fn yaml_fields(fields: &[(&str, &str)]) -> String {
    let mut map = MapBuilder::default();
    for (key, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
        map.insert((*key).into(), Span::default(), Node::new(Value::String((*text).into())));
    }
    let map = map.finish();
    let mut text = String::new();
    if !map.is_empty() {
        emit::yaml::write(&Node::new(Value::Map(map)), KeyOrder::AsRead, &mut text);
    }
    text
}

/// A run of the items of a List that is too large to be read as a whole, as they are in the text.
#[derive(Debug)]
pub struct Items {
    /// Their List.
    pub(super) list: Arc<ListType>,
    /// Where the items are in the text.
    pub(super) ranges: Vec<Range<usize>>,
    /// The column of the items' content in YAML, two after the dash; 0 in JSON.
    pub(super) indent: usize,
    /// The index of the text, if it was cut by one.
    index: Option<Index>,
    /// Whether one of them needs the type of its List, which was not known when it was read.
    lacks_type: AtomicBool,
}

impl Items {
    pub(super) fn new(
        list: Arc<ListType>,
        ranges: Vec<Range<usize>>,
        indent: usize,
        index: Option<Index>,
    ) -> Self {
        Self { list, ranges, indent, index, lacks_type: AtomicBool::new(false) }
    }

    /// Whether an item was read that has no type, while that of the List was not known.
    pub(super) fn lacks_type(&self) -> bool {
        self.lacks_type.load(Ordering::Relaxed)
    }

    fn parent(&self) -> Parent<'_> {
        match self.list.known.get() {
            Some(Some((api_version, kind))) => Parent::typed(api_version, kind),
            Some(None) => Parent::Untyped,
            None => Parent::Unread(&self.lacks_type),
        }
    }
}

/// Calls `visit` with every object of the documents of `block`, in order, or with what is wrong.
pub fn objects_of(block: &Block, source: &Source, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
    let (mut head, mut index) = (Head::default(), Index::default());
    for document in block.documents(source) {
        match document {
            Ok(document) => objects_with(&mut head, &mut index, document, visit),
            Err(error) => visit(Err(error)),
        }
    }
}

/// Calls `visit` with every object of `document`, in order, or with what is wrong. A document without content
/// has no objects.
pub fn objects(document: Document<'_>, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
    objects_with(&mut Head::default(), &mut Index::default(), document, visit);
}

/// As [`objects`], in the memory of a head and index that were used before.
fn objects_with<'t>(
    head: &mut Head<'t>,
    index: &mut Index,
    document: Document<'t>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    if let Some(items) = document.items {
        return cut_items(document, items.parent(), &items.ranges, items.indent, items.index.as_ref(), visit);
    }
    let skimmed = match document.syntax {
        Syntax::Yaml => skim_with(index, document.text, 0, head),
        Syntax::Json if json::head::skim(document.text, head) => Skimmed::Object,
        Syntax::Json => Skimmed::Declined(Reason::Root),
    };
    if !matches!(skimmed, Skimmed::List(_)) {
        index.keep_if_small();
    }
    match skimmed {
        Skimmed::Object if !is_table(head) => {
            let mut object = Object::new(head, document, Body::Document, None, whole(document));
            object.view = (document.syntax == Syntax::Yaml).then(|| index.part(0));
            visit(Ok(&object));
        }
        Skimmed::List(list) => {
            let parent = Parent::typed(list.api_version, list.kind);
            cut_items(document, parent, &list.items, list.indent, Some(index), visit);
        }
        Skimmed::Declined(_) if json_list(document, visit).is_some() => (),
        Skimmed::Declined(_) | Skimmed::Object => match parse(document) {
            Ok(Some(parsed)) => {
                let mut location =
                    Location { start: 0, end: document.text.len(), indent: 0, path: Vec::new() };
                flatten(document, Part::of(&parsed), Body::Document, None, &mut location, visit);
            }
            Ok(None) => (),
            Err(error) => {
                items_before_error(document, visit);
                visit(Err(error));
            }
        },
    }
}

/// Visits the items of a JSON List one by one, as those of a large one; `None` if the document is none.
fn json_list(document: Document<'_>, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) -> Option<()> {
    let text = (document.syntax == Syntax::Json).then_some(document.text)?;
    let list = json::list::list_start(text)?;
    let cut = json::list::cut(&text[list.items..], true);
    let end = (cut.rest == ListEnd::Followed).then_some(list.items + cut.end)?;
    let read = tail_type(&text[end..], Syntax::Json, (&list.api_version, &list.kind));
    // Of what is repeated, the last counts, which only reading it as a whole tells.
    if let Ok((_, true)) | Err((ErrorKind::ListTail, _)) = read {
        return None;
    }
    let read = read.or_else(|(kind, at)| match kind {
        ErrorKind::KindMissing => type_of_path(document).map(|of_path| (of_path, false)).ok_or((kind, at)),
        _ => Err((kind, at)),
    });
    let parent = match &read {
        Ok(((api_version, kind), _)) => Parent::typed(api_version, kind),
        Err(_) => Parent::Untyped,
    };
    let ranges: Vec<_> =
        cut.items.iter().map(|item| list.items + item.start..list.items + item.end).collect();
    cut_items(document, parent, &ranges, 0, None, visit);
    if let Err((kind, at)) = read {
        let at = if let ErrorKind::KindMissing = kind { document.content() } else { end + at };
        visit(Err(document.error(at, kind)));
    }
    Some(())
}

/// Visits those items of a List that come before the unreadable part: an error hides no other item.
fn items_before_error(document: Document<'_>, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
    let text = document.text;
    let Some(list) = (document.syntax == Syntax::Yaml).then(|| list::list_start(text)).flatten() else {
        return;
    };
    let (cut, _) = list::cut(&text[list.items..], list.dash, true);
    let is_typed = !list.api_version.is_empty() && !list.kind.is_empty();
    let parent = if is_typed { Parent::typed(list.api_version, list.kind) } else { Parent::Untyped };
    let ranges: Vec<_> =
        cut.items.iter().map(|item| list.items + item.start..list.items + item.end).collect();
    cut_items(document, parent, &ranges, list.dash + 2, None, visit);
}

/// The whole document.
fn whole(document: Document<'_>) -> TextPart<'static> {
    TextPart { start: 0, end: document.text.len(), indent: 0, items: &[] }
}

/// The [`TextPart`] that is being flattened, and where in it.
struct Location {
    start: usize,
    end: usize,
    indent: usize,
    path: Vec<usize>,
}

impl Location {
    fn part(&self) -> TextPart<'_> {
        TextPart { start: self.start, end: self.end, indent: self.indent, items: &self.path }
    }

    /// The offset in the document of a byte at `offset` of the part.
    fn offset(&self, document: Document<'_>, offset: usize) -> usize {
        match self.indent {
            0 => self.start + offset,
            indent => self.start + indented(&document.text[self.start..self.end], indent, offset),
        }
    }
}

/// A whole document, parsed; `None` if it has no content.
///
/// # Errors
///
/// It is neither YAML that kubectl reads nor JSON.
pub fn parse(document: Document<'_>) -> Result<Option<Parsed>, Error> {
    match document.syntax {
        Syntax::Yaml => redacted::parse(document.text)
            .map_err(|error| document.error(offset_of(&error), ErrorKind::Yaml(Box::new(error)))),
        Syntax::Json => json::parse(document.text)
            .map(Some)
            .map_err(|error| document.error(offset_of(&error), ErrorKind::Json(Box::new(error)))),
    }
}

fn offset_of(error: &parsed::Error) -> usize {
    error.position().map_or(0, |position| position.offset)
}

/// Visits items that were cut from their List.
fn cut_items(
    document: Document<'_>,
    parent: Parent<'_>,
    ranges: &[Range<usize>],
    indent: usize,
    index: Option<&Index>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let (mut head, mut own) = (Head::default(), Index::default());
    let mut counted = (0, document.line);
    for range in ranges {
        let body = Body::Item { range: range.clone(), indent };
        let text = &document.text[range.clone()];
        let skimmed = match (document.syntax, index) {
            (Syntax::Yaml, Some(index)) => {
                skim_item(document.text, range.clone(), index, indent, &mut head) == Skimmed::Object
            }
            (Syntax::Yaml, None) => skim_with(&mut own, text, indent, &mut head) == Skimmed::Object,
            (Syntax::Json, _) => json::head::skim(text, &mut head),
        };
        if skimmed && !head.api_version.is_empty() {
            let part = TextPart { start: range.start, end: range.end, indent, items: &[] };
            let mut object = Object::new(&head, document, body, None, part);
            object.view = match document.syntax {
                Syntax::Yaml => Some(index.map_or_else(|| own.part(0), |index| index.part(range.start))),
                Syntax::Json => None,
            };
            // Lines are counted on from one item to the next.
            *object.counted.get_mut() = counted;
            visit(Ok(&object));
            counted = object.counted.get();
            continue;
        }
        match parse_item(document, range.clone(), indent) {
            Ok(parsed) => {
                let mut location = Location { start: range.start, end: range.end, indent, path: Vec::new() };
                flatten(document, Part::of(&parsed), body, Some(parent), &mut location, visit);
            }
            Err(error) => visit(Err(error)),
        }
    }
}

/// An item that was cut from its List, parsed; its spans count in the item's own text.
fn parse_item(document: Document<'_>, range: Range<usize>, indent: usize) -> Result<Parsed, Error> {
    if document.syntax == Syntax::Json {
        let parsed = json::parse(&document.text[range.clone()]);
        let at = |error: &parsed::Error| range.start + offset_of(error);
        return parsed.map_err(|error| document.error(at(&error), ErrorKind::Json(Box::new(error))));
    }
    match redacted::parse(&dedent(&document.text[range.clone()], indent)) {
        Ok(parsed) => Ok(parsed.unwrap_or_else(nothing)),
        Err(error) => {
            let at = indented(&document.text[range.clone()], indent, offset_of(&error));
            Err(document.error(range.start + at, ErrorKind::Yaml(Box::new(error))))
        }
    }
}

/// What a text without content is parsed to.
fn nothing() -> Parsed {
    Parsed { root: Node::new(Value::Null), duplicates: Vec::new(), aliased: false, is_whole: true }
}

/// Visits the value if it is an object, its items if it is a List (anything with `items`, as in kubectl).
/// An OpenAPI document has no objects: it tells of kinds.
fn flatten<'t>(
    document: Document<'t>,
    part: Part<'t>,
    body: Body,
    parent: Option<Parent<'t>>,
    location: &mut Location,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let Part { node, duplicates } = part;
    if let Some(found) = Envelope::of(node, parent.is_none()) {
        return found.flatten(document, part, location, visit);
    }
    let error =
        |location: &Location, span: Span, kind| document.error(location.offset(document, span.start), kind);
    let map = node.as_map();
    // In an item, `items: null` is a field like others.
    let items = map.and_then(|map| map.get("items")).filter(|items| parent.is_none() || !items.is_null());
    let read = match map {
        None => Err((ErrorKind::NotAMap(node.json_type()), node.span)),
        Some(map) if items.is_some() => Head::of_list(map),
        Some(map) if parent.is_some() => Head::of_item(map),
        Some(map) => Head::of(map),
    };
    if parent.is_some() && read.as_ref().is_ok_and(|head| DISCOVERY.contains(&head.kind)) {
        return;
    }
    let is_partial = |head: &Head<'_>| head.kind == "PartialObjectMetadata" && is_of_meta(head);
    let is_told = matches!(parent, Some(Parent::Typed(inherited)) if !inherited.kind.is_empty());
    let is_typed = read.as_ref().is_ok_and(|head| {
        !(head.kind.is_empty() || head.api_version.is_empty() || is_told && is_partial(head))
    });
    let inherited = match parent {
        _ if is_typed => None,
        Some(Parent::Untyped) => return,
        Some(Parent::Unread(lacks_type)) => return lacks_type.store(true, Ordering::Relaxed),
        Some(Parent::Typed(inherited)) => Some(inherited),
        None => None,
    };
    let (mut head, map) = match (read, map) {
        (Ok(head), Some(map)) => (head, map),
        (Err((kind, span)), _) => {
            // What a List says of itself does not hide its items.
            if let Some(Value::Seq(items)) = items.map(|items| &items.value) {
                flatten_items(document, items, duplicates, Parent::Untyped, location, visit);
            }
            return visit(Err(error(location, span, kind)));
        }
        (Ok(_), None) => return,
    };
    let mut inherits = false;
    if let Some(from) = inherited {
        let is_free = head.kind.is_empty() && head.api_version.is_empty() || is_partial(&head);
        inherits = is_free && !from.kind.is_empty();
        if inherits {
            (head.api_version, head.kind) = (from.api_version, from.kind);
        } else {
            let missing = if head.kind.is_empty() { "kind" } else { "apiVersion" };
            return visit(Err(error(location, node.span, ErrorKind::ItemWithout(missing))));
        }
    }
    if head.kind.is_empty() && foreign::is_openapi(node) {
        return;
    }
    let of_path = if head.kind.is_empty() && (items.is_some() || head.name.is_some()) {
        type_of_path(document)
    } else {
        None
    };
    if let Some((api_version, kind)) = &of_path {
        (head.api_version, head.kind) = (api_version, kind);
        inherits = items.is_none();
    }
    match items.map(|items| (items.span, &items.value)) {
        None if head.kind.is_empty() => {
            visit(Err(document.error(document.content(), ErrorKind::KindMissing)));
        }
        None => {
            let tree =
                if inherits { Cow::Owned(with_type(map, &head, node.span)) } else { Cow::Borrowed(node) };
            let content = Content { tree, duplicates: Cow::Borrowed(duplicates) };
            let mut object = Object::new(&head, document, body, Some(content), location.part());
            object.inherits = inherits;
            visit(Ok(&object));
        }
        Some((span, Value::Seq(_))) if location.path.len() == MAX_LISTS => {
            visit(Err(error(location, span, ErrorKind::Nested)));
        }
        Some((_, Value::Seq(items))) if head.kind.is_empty() => {
            flatten_items(
                document,
                items,
                duplicates,
                siblings(items).unwrap_or(Parent::Untyped),
                location,
                visit,
            );
            visit(Err(document.error(document.content(), ErrorKind::KindMissing)));
        }
        Some((_, Value::Seq(items))) => {
            let parent = match &of_path {
                Some((api_version, kind)) => Parent::Typed(Inherited { api_version, kind }),
                None => siblings(items).unwrap_or(Parent::typed(head.api_version, head.kind)),
            };
            flatten_items(document, items, duplicates, parent, location, visit);
        }
        Some(_) if head.kind.is_empty() => {
            visit(Err(document.error(document.content(), ErrorKind::KindMissing)));
        }
        Some((_, Value::Null)) => (),
        Some((span, _)) => {
            let found = items.map_or("null", Node::json_type);
            visit(Err(error(location, span, ErrorKind::Items(found))));
        }
    }
}

/// What a server tells of its kinds, which some collectors write as arrays; they are not objects
/// (apimachinery, meta/v1/types.go).
const DISCOVERY: &[&str] = &["APIGroup", "APIGroupList", "APIResourceList", "APIVersions"];

/// The type of the objects of a document that say none, by the path of its file.
fn type_of_path(document: Document<'_>) -> Option<(String, String)> {
    (document.source.type_of_path)(&document.source.name)
}

/// Whether a type is one of those that the API answers with about others.
fn is_of_meta(head: &Head<'_>) -> bool {
    head.api_version.starts_with("meta.k8s.io/")
}

/// Whether it is what kubectl is answered that asks for tables (apimachinery, meta/v1/types.go, Table).
fn is_table(head: &Head<'_>) -> bool {
    head.kind == "Table" && is_of_meta(head)
}

/// What the items of a plain `List` take from each other: the type of the first that has one. `None` if none has.
fn siblings(items: &[Node]) -> Option<Parent<'_>> {
    items.iter().find_map(|item| {
        let text = |key: &str| item.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
        Some(Parent::Typed(Inherited { api_version: text("apiVersion")?, kind: text("kind")? }))
    })
}

/// What objects come in that is not a List.
enum Envelope<'t> {
    /// A top-level array.
    Array(&'t [Node]),
    /// An event of a watch (apimachinery, meta/v1/watch.go, WatchEvent); `None` if it is about no object.
    Event(Option<&'t Node>),
    /// The rows of a Table.
    Rows(&'t [Node]),
}

impl<'t> Envelope<'t> {
    /// What a value is that may hold objects; `top` if it is in no List.
    fn of(node: &'t Node, top: bool) -> Option<Self> {
        if let Value::Seq(items) = &node.value {
            let is_typed = |item: &Node| item.get("kind").is_some() && item.get("apiVersion").is_some();
            let is_object = |item: &Node| item.get("metadata").is_some() || is_typed(item);
            return (top && items.iter().any(is_object)).then_some(Self::Array(items));
        }
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
        if text("kind").is_empty() && node.get("object").is_some_and(|object| object.as_map().is_some()) {
            let object = node.get("object");
            return match text("type") {
                "ADDED" | "MODIFIED" | "DELETED" => Some(Self::Event(object)),
                "BOOKMARK" | "ERROR" => Some(Self::Event(None)),
                _ => None,
            };
        }
        let is_table = text("kind") == "Table" && text("apiVersion").starts_with("meta.k8s.io/");
        is_table.then(|| Self::Rows(node.get("rows").and_then(Node::as_seq).unwrap_or_default()))
    }

    fn flatten(
        self,
        document: Document<'t>,
        part: Part<'t>,
        location: &mut Location,
        visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
    ) {
        let of_path = type_of_path(document);
        let of_path =
            of_path.as_ref().map(|(api_version, kind)| Parent::Typed(Inherited { api_version, kind }));
        match self {
            Self::Array(items) => {
                let parent = siblings(items).or(of_path).unwrap_or(Parent::Untyped);
                flatten_items(document, items, part.duplicates, parent, location, visit);
            }
            Self::Event(object) => {
                object.into_iter().for_each(|object| enveloped(document, object, None, location, visit));
            }
            Self::Rows(rows) => {
                for (at, object) in
                    rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.get("object")?)))
                {
                    location.path.push(at);
                    enveloped(document, object, of_path, location, visit);
                    location.path.pop();
                }
            }
        }
    }
}

/// Visits the `object` of a watch event or of a row.
fn enveloped<'t>(
    document: Document<'t>,
    object: &'t Node,
    parent: Option<Parent<'t>>,
    location: &mut Location,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let Span { start, end } = object.span;
    let span = Span { start: location.offset(document, start), end: location.offset(document, end) };
    location.path.push(ENVELOPED);
    let part = Part { node: object, duplicates: &[] };
    flatten(document, part, Body::Parsed(span), parent, location, visit);
    location.path.pop();
}

/// Visits the items of a List that was parsed with them.
fn flatten_items<'t>(
    document: Document<'t>,
    items: &'t [Node],
    mut duplicates: &'t [Duplicate],
    parent: Parent<'t>,
    location: &mut Location,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    for (at, item) in items.iter().enumerate() {
        // A key repeated between items, as a second `items` would be, is reported with its neighbour.
        let last = at + 1 == items.len();
        let within = duplicates.partition_point(|key| last || key.span.start < item.span.end);
        let part = Part { node: item, duplicates: &duplicates[..within] };
        duplicates = &duplicates[within..];
        let Span { start, end } = item.span;
        let span = Span { start: location.offset(document, start), end: location.offset(document, end) };
        location.path.push(at);
        flatten(document, part, Body::Parsed(span), Some(parent), location, visit);
        location.path.pop();
    }
}

/// The kind of a List's items that have none: that of `PodList` is `Pod`, a plain `List` gives none.
fn item_kind(list: &str) -> &str {
    list.strip_suffix("List").unwrap_or(list)
}

/// An object, or most of it, with the text in which its spans count.
pub struct Spanned<'o> {
    /// The object.
    pub tree: Cow<'o, Node>,
    /// Its text.
    pub text: Cow<'o, [u8]>,
    /// The line on which the text starts, 1-based.
    pub line: usize,
    /// Whether this is known to be all of the object, and no map of it to have a key twice.
    pub is_plain: bool,
}

impl<'t> Object<'t> {
    fn new(
        head: &'t Head<'t>,
        document: Document<'t>,
        body: Body,
        content: Option<Content<'t>>,
        part: TextPart<'t>,
    ) -> Self {
        let content = content.map_or_else(OnceCell::new, OnceCell::from);
        let (outline, value) = Default::default();
        let counted = Cell::new((0, document.line));
        Self { head, document, body, content, outline, value, inherits: false, part, view: None, counted }
    }

    /// Which part of the document's text it is.
    pub fn part(&self) -> TextPart<'_> {
        self.part
    }

    /// How many bytes of text it was read from.
    pub fn text_len(&self) -> usize {
        self.part.end - self.part.start
    }

    /// Whether the object is a document of its own and no List's item.
    pub fn is_document(&self) -> bool {
        matches!(self.body, Body::Document)
    }

    /// The whole object, parsed when it is asked for the first time.
    ///
    /// # Errors
    ///
    /// The skimmed head was fine, but the rest of the text is not.
    pub fn tree(&self) -> Result<&Node, Error> {
        Ok(&self.content()?.tree)
    }

    /// The object as far as tables and field selectors of built-in kinds ask for it: perhaps without the lists and
    /// maps under the keys that they never show, whose values are null then. Most of a large dump need not be read so.
    /// The first answer is kept, so the keys have to be the same each time.
    ///
    /// # Errors
    ///
    /// As of [`Object::tree`], as far as the text is read.
    pub fn outline(&self, not_shown: &[&str]) -> Result<&Node, Error> {
        if let Some(node) = self.content.get().map(|content| &*content.tree).or(self.value.get()) {
            return Ok(node);
        }
        self.once(&self.outline, || self.read(Fields::without(not_shown)))
    }

    /// The object without the lists and maps under these keys, wherever they are, and the text in which the spans count.
    /// Nothing is kept: this is for a single look.
    ///
    /// # Errors
    ///
    /// As of [`Object::tree`], as far as the text is read.
    pub fn spanned_without(&self, keys: &[&str]) -> Result<Spanned<'_>, Error> {
        if self.document.syntax == Syntax::Yaml && self.content.get().is_none() {
            let (text, _) = self.text_and_indent();
            let line = match &self.body {
                Body::Item { range, .. } => self.line_of_item(range),
                Body::Document | Body::Parsed(_) => self.document.line,
            };
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
        Ok(Spanned { tree: Cow::Borrowed(self.tree()?), text, line, is_plain: false })
    }

    /// The whole object as [`Object::tree`] has it, where nobody asks for the places of its parts: they may be empty.
    ///
    /// # Errors
    ///
    /// As of [`Object::tree`].
    pub fn value(&self) -> Result<&Node, Error> {
        match self.document.syntax {
            Syntax::Yaml if self.content.get().is_none() => self.once(&self.value, || self.read(Fields::ALL)),
            _ => self.tree(),
        }
    }

    /// The object with at least these fields, where nobody asks for the places of its parts. Nothing is kept: this is for
    /// a single look.
    ///
    /// # Errors
    ///
    /// As of [`Object::tree`], as far as the text is read.
    pub fn fields(&self, fields: Fields<'_>) -> Result<Cow<'_, Node>, Error> {
        let is_whole = fields.without.is_empty() && fields.only.is_none_or(FieldSet::is_whole);
        let is_read = self.content.get().is_some() || self.value.get().is_some();
        let read = || if is_whole || is_read { None } else { self.read(fields) };
        read().map_or_else(|| self.value().map(Cow::Borrowed), |node| Ok(Cow::Owned(node)))
    }

    /// The object with at least the texts of its `metadata` that a server writes: what was read before, or else so little
    /// that nothing is kept of it. `None` if it cannot be read.
    pub fn with_metadata(&self) -> Option<Cow<'_, Node>> {
        static METADATA: LazyLock<FieldSet> = LazyLock::new(|| {
            let mut set = FieldSet::default();
            ["uid", "resourceVersion"].into_iter().for_each(|key| set.add(["metadata", key]));
            set
        });
        match self.outline.get() {
            Some(node) => Some(Cow::Borrowed(node)),
            None => self.fields(Fields::only(&METADATA)).ok(),
        }
    }

    /// What is in `cell`, or what `read` finds and is kept there; where that is nothing, the tree, with all that is to
    /// be said about the text.
    fn once<'o>(
        &'o self,
        cell: &'o OnceCell<Node>,
        read: impl FnOnce() -> Option<Node>,
    ) -> Result<&'o Node, Error> {
        if let Some(node) = cell.get() {
            return Ok(node);
        }
        match read() {
            Some(node) => Ok(cell.get_or_init(|| node)),
            None => self.tree(),
        }
    }

    /// The YAML of an object that was not parsed so far, and the column of its content; `None` of others. It may hold
    /// anything after the head.
    pub fn unread_yaml(&self) -> Option<(&'t [u8], usize)> {
        let is_unread = self.document.syntax == Syntax::Yaml && self.content.get().is_none();
        is_unread.then(|| self.text_and_indent())
    }

    /// These fields, as far as they can be read without a full parse.
    fn read(&self, fields: Fields<'_>) -> Option<Node> {
        self.parse_fields(fields).map(|parsed| parsed.root)
    }

    fn parse_fields(&self, fields: Fields<'_>) -> Option<Parsed> {
        let (text, indent) = self.text_and_indent();
        match (self.document.syntax, self.view) {
            (Syntax::Json, _) => json::value::read(text, fields).ok(),
            (Syntax::Yaml, Some(view)) => value::read_indexed(text, view, indent, fields).ok(),
            (Syntax::Yaml, None) => value::read(text, indent, fields).ok(),
        }
    }

    /// The text of a document or an item that was cut from its List, and the column of its content.
    fn text_and_indent(&self) -> (&'t [u8], usize) {
        match &self.body {
            Body::Item { range, indent } => (&self.document.text[range.clone()], *indent),
            Body::Document | Body::Parsed(_) => (self.document.text, 0),
        }
    }

    /// The keys that its maps have more than once, each repetition in the order of the text.
    ///
    /// # Errors
    ///
    /// As of [`Object::tree`].
    pub fn duplicates(&self) -> Result<&[Duplicate], Error> {
        Ok(&self.content()?.duplicates)
    }

    fn content(&self) -> Result<&Content<'t>, Error> {
        if let Some(content) = self.content.get() {
            return Ok(content);
        }
        let parsed = match &self.body {
            Body::Item { range, indent } => parse_item(self.document, range.clone(), *indent)?,
            _ => parse(self.document)?.unwrap_or_else(nothing),
        };
        let content = Content { tree: Cow::Owned(parsed.root), duplicates: Cow::Owned(parsed.duplicates) };
        Ok(self.content.get_or_init(|| content))
    }

    /// Where in its document another object seems to begin, of which only the last one counts: apiVersion and kind
    /// are there again, as where files were joined without a separator. Nothing of other objects.
    pub fn joined_at(&self) -> Option<Place> {
        // A head that was skimmed has its keys once.
        let duplicates = &self.content.get().filter(|_| self.is_document())?.duplicates;
        let again = |key: &str| {
            duplicates.iter().map(|repeated| (repeated, repeated.span.start)).find(|(repeated, at)| {
                repeated.key == key && *at > 0 && self.document.text.get(at - 1) == Some(&b'\n')
            })
        };
        let ((_, version), (_, kind)) = (again("apiVersion")?, again("kind")?);
        Some(self.document.place(version.min(kind)))
    }

    /// The text in which the spans of its tree and its duplicates count, and the line on which that starts.
    pub fn spanned_text(&self) -> (Cow<'t, [u8]>, usize) {
        match &self.body {
            Body::Item { range, indent } => {
                let text = dedent(&self.document.text[range.clone()], *indent);
                (text, self.line_of_item(range))
            }
            Body::Document | Body::Parsed(_) => (Cow::Borrowed(self.document.text), self.document.line),
        }
    }

    /// The line of the source on which an item's text starts, 1-based.
    fn line_of_item(&self, range: &Range<usize>) -> usize {
        let (from, line) = self.counted.get();
        let before = self.document.text.get(from..range.start).unwrap_or_default();
        let line = line + memchr_iter(b'\n', before).count();
        self.counted.set((range.start, line));
        line
    }

    /// The place at which the object starts; comments before it are skipped.
    pub fn place(&self) -> Place {
        self.document.place(match &self.body {
            Body::Document => self.document.content(),
            Body::Item { range, .. } => range.start + item_content(&self.document.text[range.clone()]),
            Body::Parsed(span) => span.start,
        })
    }

    /// The object's YAML as written in the input, comments included, perhaps without an end of its last line;
    /// an item of a List as a document of its own. Nothing when the input has no such text: it is JSON, or the
    /// item means something else when it is read alone.
    pub fn text(&self) -> Option<Cow<'t, [u8]>> {
        if self.document.syntax == Syntax::Json {
            return self.json_as_yaml();
        }
        let text = match &self.body {
            Body::Document => Cow::Borrowed(own_text(self.document.text)?),
            Body::Item { range, indent } => dedent(&self.document.text[range.clone()], *indent),
            Body::Parsed(span) => self.parsed_text(*span)?,
        };
        if !self.inherits {
            return Some(text);
        }
        let mut typed = String::new();
        emit::yaml::write(&with_type(&Map::new(), self.head, Span::default()), KeyOrder::AsRead, &mut typed);
        let typed = [typed.as_bytes(), &text].concat();
        // An item that says `kind: ""` would say it twice, and an item in braces takes no key before it.
        let is_same = yaml::parse(&typed).ok()??.root == *self.tree().ok()?;
        is_same.then_some(Cow::Owned(typed))
    }

    /// The text of a JSON value that is in a file of YAML, as its name says, and is the same there.
    fn json_as_yaml(&self) -> Option<Cow<'t, [u8]>> {
        let is_yaml = self.document.source.path()?.extension().is_some_and(|extension| extension != "json");
        let whole = is_yaml && self.is_document();
        let text = self.document.text;
        (whole && yaml::parse(text).ok()??.root == *self.tree().ok()?).then_some(Cow::Borrowed(text))
    }

    /// The text of an item that was parsed with its List, if that text read alone is the same object.
    fn parsed_text(&self, span: Span) -> Option<Cow<'t, [u8]>> {
        let whole = self.document.text;
        let line = memrchr(b'\n', whole.get(..span.start)?).map_or(0, |at| at + 1);
        let mut text = dedent(whole.get(line..span.end)?, span.start - line);
        if !text.ends_with(b"\n") {
            text.to_mut().push(b'\n');
        }
        let alone = yaml::parse(&text).ok()??.root;
        let alone = if self.inherits { with_type(alone.as_map()?, self.head, span) } else { alone };
        (alone == *self.tree().ok()?).then_some(text)
    }
}

/// An item with the type that it takes from its List, in kubectl's order.
fn with_type(item: &Map, head: &Head<'_>, span: Span) -> Node {
    let text = |text: &str| Node::new(Value::String(text.into()));
    let mut map = MapBuilder::default();
    map.insert("apiVersion".into(), Span::default(), text(head.api_version));
    map.insert("kind".into(), Span::default(), text(head.kind));
    for Entry { key, key_span, value } in item.iter().filter(|entry| !TYPE.contains(&&*entry.key)) {
        map.insert(key.clone(), *key_span, value.clone());
    }
    Node { value: Value::Map(map.finish()), span }
}

/// A document's text without the `---` line that may be before it. Nothing where dashes start its first key, `---#a`:
/// after other documents that line would separate them.
fn own_text(text: &[u8]) -> Option<&[u8]> {
    let Some(rest) = text.strip_prefix(b"---") else { return Some(text) };
    let is_marker = rest.first().is_none_or(u8::is_ascii_whitespace);
    is_marker.then(|| memchr(b'\n', text).map_or(&[][..], |end| &text[end + 1..]))
}

/// A List's item as a document of its own, without its dash and the indent of the lines below.
///
/// The indent stays where a line of dashes or dots, which may be in quotes, would come to separate documents.
fn dedent(item: &[u8], indent: usize) -> Cow<'_, [u8]> {
    if indent == 0 {
        return Cow::Borrowed(item);
    }
    if keeps_indent(item, indent) {
        let mut text = item.to_owned();
        text.iter_mut().take(indent).for_each(|byte| *byte = b' ');
        return Cow::Owned(text);
    }
    let mut text = Vec::with_capacity(item.len());
    indented_lines(item, indent).for_each(|(blanks, line)| text.extend_from_slice(&line[blanks..]));
    Cow::Owned(text)
}

/// Where the first line of an item starts that has more than its dash and comments; 0 if there is none.
fn item_content(item: &[u8]) -> usize {
    let mut at = 0;
    for (number, line) in item.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let content = line.trim_ascii_start();
        let content = if number == 0 { content.strip_prefix(b"-").unwrap_or(content) } else { content };
        if !matches!(content.trim_ascii_start(), [] | [b'#', ..]) {
            return at;
        }
        at += line.len();
    }
    0
}

/// Whether a line of an item would begin with `---` or `...` without its indent.
fn keeps_indent(item: &[u8], indent: usize) -> bool {
    let is_at_start = |at: usize| {
        let line = memrchr(b'\n', &item[..at]).map_or(0, |end| end + 1);
        at - line <= indent && (line == 0 || item[line..at].iter().all(|&byte| byte == b' '))
    };
    [&b"---"[..], b"..."].iter().any(|marker| memmem::find_iter(item, marker).any(is_at_start))
}

/// The lines of an item, and how much of each is its indent.
fn indented_lines(item: &[u8], indent: usize) -> impl Iterator<Item = (usize, &[u8])> {
    item.split_inclusive(|&byte| byte == b'\n').enumerate().map(move |(number, line)| {
        let blanks = line.iter().take(indent).take_while(|&&byte| byte == b' ').count();
        // The first line is the dash's. A line that is indented less is a comment, or the inside of quotes.
        (if number == 0 { indent.min(line.len()) } else { blanks }, line)
    })
}

/// The offset in an item of the byte that is at `offset` once the item is [dedented](dedent).
fn indented(item: &[u8], indent: usize, offset: usize) -> usize {
    if keeps_indent(item, indent) {
        return offset.min(item.len());
    }
    let (mut at, mut left) = (0, offset);
    for (blanks, line) in indented_lines(item, indent) {
        match left.checked_sub(line.len() - blanks) {
            Some(rest) => left = rest,
            None => return at + blanks + left,
        }
        at += line.len();
    }
    item.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::source::Source;

    /// What the objects of a document at line 10 are: `LINE KIND/NAME: TEXT`, or the errors' messages.
    fn read(text: &str, syntax: Syntax) -> Vec<String> {
        let source = Source::memory("s.yaml", b"");
        let document =
            Document { text: text.as_bytes(), syntax, source: &source, line: 10, number: 1, items: None };
        let mut found = Vec::new();
        objects(document, &mut |object| {
            found.push(match object {
                Ok(object) => {
                    let Head { kind, name, .. } = object.head;
                    let text = object.text().map(|text| String::from_utf8_lossy(&text).into_owned());
                    let text = text.as_deref().unwrap_or("(none)");
                    let line = object.place().line.unwrap_or_default();
                    format!("{line} {kind}/{}: {text}", name.unwrap_or(""))
                }
                Err(error) => error.to_string(),
            });
        });
        found
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(read(text, Syntax::Yaml), expected);
    }

    #[test]
    fn a_document_is_an_object_with_its_text() {
        check("# c\nkind: Pod\n", &["11 Pod/: # c\nkind: Pod\n"]);
        check("--- # c\nkind: &a Pod\n", &["11 Pod/: kind: &a Pod\n"]);
        check("---# c: d\nkind: Pod\n", &["11 Pod/: (none)"]);
        check("# nothing\n", &[]);
    }

    #[test]
    fn items_are_dedented() {
        check(
            "kind: List\napiVersion: v1\nitems:\n  - kind: Pod\n    apiVersion: v1\n    # c\n    data: \"a\n      b\"\n",
            &["13 Pod/: kind: Pod\napiVersion: v1\n# c\ndata: \"a\n  b\"\n"],
        );
    }

    #[test]
    fn items_that_were_parsed_with_their_list_have_their_text_too() {
        check(
            "kind: List\napiVersion: &v v1\nitems:\n- kind: Pod\n  apiVersion: v1\n- {kind: Pod, apiVersion: v1}\n- kind: Pod\n  \
             apiVersion: *v\n",
            &[
                "13 Pod/: kind: Pod\napiVersion: v1\n",
                "15 Pod/: {kind: Pod, apiVersion: v1}\n",
                "16 Pod/: (none)",
            ],
        );
    }

    #[test]
    fn a_type_that_the_list_gives_is_written_so_that_it_reads_back() {
        let items = "items:\n- metadata: {name: a}\n";
        check(
            &format!("kind: PodList\napiVersion: v1\n{items}"),
            &["13 Pod/a: apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"],
        );
        check(
            &format!("kind: noList\napiVersion: '1'\n{items}"),
            &["13 no/a: apiVersion: \"1\"\nkind: \"no\"\nmetadata: {name: a}\n"],
        );
        check(
            &format!("kind: PodList\n{items}"),
            &["12 Pod/a: apiVersion: \"\"\nkind: Pod\nmetadata: {name: a}\n"],
        );
    }

    #[test]
    fn an_item_does_not_say_its_type_twice() {
        check("kind: PodList\napiVersion: v1\nitems:\n- kind: ''\n  apiVersion: ''\n", &["13 Pod/: (none)"]);
    }

    #[test]
    fn an_item_in_braces_has_no_text_that_could_take_a_type() {
        check("{kind: PodList, apiVersion: v1,\nitems: [\n{metadata: {name: a}}]}\n", &["12 Pod/a: (none)"]);
    }

    #[test]
    fn an_error_in_an_item_stands_on_its_line() {
        check(
            "kind: List\napiVersion: v1\nitems:\n- kind: Pod\n  a: b: c\n- apiVersion: v1\n  kind: Pod\n",
            &[
                "s.yaml:14 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this \
                 context",
                "15 Pod/: apiVersion: v1\nkind: Pod\n",
            ],
        );
    }

    #[test]
    fn json_has_no_yaml_text() {
        assert_eq!(read("{\"kind\":\"Pod\"}", Syntax::Json), ["10 Pod/: (none)"]);
        let list = "{\"kind\":\"PodList\",\n\"items\":[{},\n5]}";
        let expected = [
            "11 Pod/: (none)",
            "s.yaml:12 (document 1): json: cannot unmarshal number into Go value of type unstructured.detector",
        ];
        assert_eq!(read(list, Syntax::Json), expected);
    }

    #[test]
    fn lists_that_nest_too_deeply_are_an_error() {
        let depth = 20;
        let list = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[".repeat(depth) + &"]}".repeat(depth);
        assert_eq!(read(&list, Syntax::Json), ["s.yaml:10 (document 1): Lists are nested too deeply"]);
    }
}
