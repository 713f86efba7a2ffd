//! From documents to objects: skims heads where that is certain and parses them otherwise, and flattens Lists into
//! their items.
//!
//! *Compatibility* (nested-lists): Lists in Lists are flattened; kubectl reports an error.
//!
//! *Compatibility* (item-metadata): an item whose metadata has a wrong type keeps its text; kubectl drops its labels.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::cut_list::CutList;
use super::document::{Document, Syntax};
use super::error::{Error, ErrorKind};
use super::foreign;
use super::head::Head;
use super::json;
use super::json::entries::Json;
use super::json::kyaml::{self, Kyaml};
use super::list::{Inherited, Notation, Parent, siblings, tail_type};
use super::object::{
    Body, Content, ENVELOPED, Object, TextPart, indented, parse, parse_item, whole, with_type,
};
use super::parsed::{Duplicate, Parsed};
use super::source::Source;
use super::stream::Block;
use super::tree::{Entry, Map, Node, Span, Value};
use super::yaml::cursor::Reason;
use super::yaml::head::{Skimmed, skim_item, skim_with};
use super::yaml::index::Index;
use crate::text::spelling;

/// How deeply Lists may be nested.
const MAX_LISTS: usize = 16;

/// A value that is being flattened into objects, with its repeated keys.
#[derive(Clone, Copy)]
pub(super) struct Part<'t> {
    node: &'t Node,
    duplicates: &'t [Duplicate],
}

impl<'t> Part<'t> {
    pub(super) fn of(parsed: &'t Parsed) -> Self {
        Self { node: &parsed.root, duplicates: &parsed.duplicates }
    }
}

/// Calls `visit` with each object or error in the documents of `block`, in order.
pub fn objects_of(block: &Block, source: &Source, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
    let (mut head, mut index) = (Head::default(), Index::default());
    for document in block.documents(source) {
        match document {
            Ok(document) => objects_with(&mut head, &mut index, document, visit),
            Err(error) => visit(Err(error)),
        }
    }
}

/// Calls `visit` with each object or error in `document`, in order. A document without content has no objects.
pub fn objects(document: Document<'_>, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
    objects_with(&mut Head::default(), &mut Index::default(), document, visit);
}

/// As [`objects`], but reuses the memory of a head and an index.
pub fn objects_with<'t>(
    head: &mut Head<'t>,
    index: &mut Index,
    document: Document<'t>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    if let Some(items) = document.items {
        return cut_items(document, items.parent(), &items.ranges, items.indent, items.index.as_ref(), visit);
    }
    let skimmed = match document.syntax {
        Syntax::Yaml => match skim_with(index, document.text, 0, head) {
            Skimmed::Declined(Reason::Root) if is_kyaml(document, head) => Skimmed::Object,
            skimmed => skimmed,
        },
        Syntax::Json if json::head::skim::<Json>(document.text, head) => Skimmed::Object,
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
            // The cursor has only skipped what follows the items.
            let end = list.items.last().map_or(document.text.len(), |item| item.end);
            let tail = tail_type(&document.text[end..], Notation::Block, false, ("", ""));
            let is_read = matches!(tail, Ok(_) | Err((ErrorKind::KindMissing, _)));
            match CutList::of(document).filter(|_| !is_read) {
                Some(list) => list.visit(visit),
                None => {
                    let parent = Parent::typed(list.api_version, list.kind);
                    cut_items(document, parent, &list.items, list.indent, Some(index), visit);
                }
            }
        }
        Skimmed::Declined(_)
            if CutList::of(document).is_some_and(|list| list.visit_unless_repeated(visit)) => {}
        Skimmed::Declined(_) | Skimmed::Object => match parse(document) {
            Ok(Some(parsed)) => {
                let mut location = Location::of(document, &[]);
                flatten(document, Part::of(&parsed), Body::Document, None, &mut location, visit);
            }
            Ok(None) => (),
            Err(error) => match CutList::of(document) {
                Some(list) => list.visit(visit),
                None => visit(Err(error)),
            },
        },
    }
}

/// Reads the head of an object in KYAML. Returns whether this was possible.
fn is_kyaml<'t>(document: Document<'t>, head: &mut Head<'t>) -> bool {
    kyaml::object(document.text).is_some_and(|object| json::head::skim::<Kyaml>(object, head))
}

/// A position in the [`TextPart`] that is being flattened.
pub(super) struct Location<'l> {
    start: usize,
    end: usize,
    indent: usize,
    path: Vec<usize>,
    blank: &'l [Range<usize>],
}

impl<'l> Location<'l> {
    /// The start of a document, of which these ranges are left out.
    pub(super) fn of(document: Document<'_>, blank: &'l [Range<usize>]) -> Self {
        Self { start: 0, end: document.text.len(), indent: 0, path: Vec::new(), blank }
    }

    fn part(&self) -> TextPart<'_> {
        let Self { start, end, indent, ref path, blank } = *self;
        TextPart { start, end, indent, items: path, blank }
    }

    /// Converts an offset in the part to an offset in the document.
    fn offset(&self, document: Document<'_>, offset: usize) -> usize {
        match self.indent {
            0 => self.start + offset,
            indent => self.start + indented(&document.text[self.start..self.end], indent, offset),
        }
    }
}

/// Visits items that were cut from their List.
pub(super) fn cut_items(
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
            (Syntax::Yaml, _) if indent == 0 => json::head::skim::<Kyaml>(text, &mut head),
            (Syntax::Yaml, Some(index)) => {
                skim_item(document.text, range.clone(), index, indent, &mut head) == Skimmed::Object
            }
            (Syntax::Yaml, None) => skim_with(&mut own, text, indent, &mut head) == Skimmed::Object,
            (Syntax::Json, _) => json::head::skim::<Json>(text, &mut head),
        };
        if skimmed && !head.api_version.is_empty() {
            let part = TextPart { start: range.start, end: range.end, indent, items: &[], blank: &[] };
            let mut object = Object::new(&head, document, body, None, part);
            object.view = match document.syntax {
                Syntax::Yaml if indent > 0 => {
                    Some(index.map_or_else(|| own.part(0), |index| index.part(range.start)))
                }
                Syntax::Yaml | Syntax::Json => None,
            };
            // Lines are counted from one item to the next.
            *object.counted.get_mut() = counted;
            visit(Ok(&object));
            counted = object.counted.get();
            continue;
        }
        match parse_item(document, range.clone(), indent) {
            Ok(parsed) => {
                let (start, end) = (range.start, range.end);
                let mut location = Location { start, end, indent, path: Vec::new(), blank: &[] };
                flatten(document, Part::of(&parsed), body, Some(parent), &mut location, visit);
            }
            Err(error) => visit(Err(error)),
        }
    }
}

/// Visits the value if it is an object, or its items if it is a List (anything with `items`, as in kubectl). An OpenAPI
/// document has no objects; it describes kinds.
pub(super) fn flatten<'t>(
    document: Document<'t>,
    part: Part<'t>,
    body: Body,
    parent: Option<Parent<'t>>,
    location: &mut Location<'_>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let Part { node, duplicates } = part;
    if let Some(found) = Envelope::of(node, parent.is_none()) {
        return found.flatten(document, part, location, visit);
    }
    let error = |location: &Location<'_>, span: Span, kind| {
        document.error(location.offset(document, span.start), kind)
    };
    let map = node.as_map();
    // In an item, `items: null` is an ordinary field.
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
            // An error in the fields of a List does not hide its items.
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
        None if head.kind.is_empty() => visit(Err(match misspelt_kind(map) {
            Some(entry) => error(location, entry.key_span, ErrorKind::KindMisspelt(entry.key.to_string())),
            None => document.error(document.content(), ErrorKind::KindMissing),
        })),
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
            flatten_items(document, items, duplicates, Parent::Untyped, location, visit);
            visit(Err(document.error(document.content(), ErrorKind::KindMissing)));
        }
        Some((_, Value::Seq(items))) => {
            let parent = match &of_path {
                Some((api_version, kind)) => Parent::Typed(Inherited { api_version, kind }),
                None => Parent::typed(head.api_version, head.kind),
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

/// The entry of an object whose key is probably meant as `kind`; `None` if there is none, or if nothing else suggests
/// that the map is an object.
fn misspelt_kind(map: &Map) -> Option<&Entry> {
    let has_text = |entry: &Entry| entry.value.as_str().is_some_and(|text| !text.is_empty());
    let meant = |key: &str| {
        map.iter().find(|entry| has_text(entry) && spelling::difference(key, &entry.key).is_some())
    };
    map.get("metadata").and_then(Node::as_map).and(meant("apiVersion")).and(meant("kind"))
}

/// Descriptions of a server's kinds, which some collectors write as arrays; they are not objects (apimachinery,
/// meta/v1/types.go).
const DISCOVERY: &[&str] = &["APIGroup", "APIGroupList", "APIResourceList", "APIVersions"];

/// The type of objects that state none, by the path of the document's file.
pub(super) fn type_of_path(document: Document<'_>) -> Option<(String, String)> {
    (document.source.type_of_path)(&document.source.name)
}

/// Whether the type is one of those with which the API describes others.
fn is_of_meta(head: &Head<'_>) -> bool {
    head.api_version.starts_with("meta.k8s.io/")
}

/// Whether this is the response to kubectl's requests for tables (apimachinery, meta/v1/types.go, Table).
fn is_table(head: &Head<'_>) -> bool {
    head.kind == "Table" && is_of_meta(head)
}

/// A value other than a List that contains objects.
enum Envelope<'t> {
    /// A top-level array.
    Array(&'t [Node]),
    /// An event of a watch (apimachinery, meta/v1/watch.go, WatchEvent); `None` if it does not concern an object.
    Event(Option<&'t Node>),
    /// The rows of a Table.
    Rows(&'t [Node]),
}

impl<'t> Envelope<'t> {
    /// Recognizes a value that contains objects; `None` for other values. `top` means that it is not in a List.
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
        location: &mut Location<'_>,
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
    location: &mut Location<'_>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let Span { start, end } = object.span;
    let span = Span { start: location.offset(document, start), end: location.offset(document, end) };
    location.path.push(ENVELOPED);
    let part = Part { node: object, duplicates: &[] };
    flatten(document, part, Body::Parsed(span), parent, location, visit);
    location.path.pop();
}

/// Visits the items of a List that was parsed as a whole.
fn flatten_items<'t>(
    document: Document<'t>,
    items: &'t [Node],
    mut duplicates: &'t [Duplicate],
    parent: Parent<'t>,
    location: &mut Location<'_>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    for (at, item) in items.iter().enumerate() {
        // A key repeated between items, such as a second `items`, is reported with the next or last item.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::source::Source;

    /// The objects of a document at line 10, as `LINE KIND/NAME: TEXT`, or the errors' messages.
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
