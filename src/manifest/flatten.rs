//! Flattens Lists, and other values that contain objects, into their items.
//!
//! **Invariants:** an item is visited once, in the order of the text, as an object or as an error with its place, and an
//! error hides no other item. Its fields decide whether a value is an object or contains objects; the path of the file only
//! gives a type to what a dump has left without one.
//!
//! *Compatibility* (nested-lists): Lists in Lists are flattened; kubectl reports an error.
//!
//! *Compatibility* (item-metadata): an item with fields of its metadata of a wrong type keeps its text; kubectl drops its
//! labels. Metadata that is not a map is an error.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::document::{Document, Form, LineCount, Syntax};
use super::internal;
use super::kindless::{described, has_kubernetes_version, is_from_server, misspelt_kind, type_of_fields};
use super::list::{Parent, holds_objects, siblings};
use super::object::{Body, Content, Member, Object, TextPart, parse_item, with_type};
use super::source::Source;
use syntax::error::{Error, ErrorKind};
use syntax::foreign::{self, Foreign};
use syntax::head::{Head, is_table};
use syntax::json;
use syntax::json::entries::Json;
use syntax::json::kyaml::Kyaml;
use syntax::parsed::{Duplicate, Parsed};
use syntax::tree::{Node, Span, Value};
use syntax::yaml::head::{Skimmed, skim_item};
use syntax::yaml::index::Index;

/// How deeply Lists may be nested.
const MAX_LISTS: usize = 16;

/// Visits items in these ranges of the document, which were cut from their List. They are read with the `index` of the
/// document, if it is known.
pub(super) fn cut_items(
    mut document: Document<'_>,
    parent: Option<Parent<'_>>,
    ranges: &[Range<usize>],
    form: Form,
    index: Option<&Index>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let (mut head, mut own) = (Head::default(), Index::default());
    let index = match (index, form) {
        (None, Form::Item { .. }) => {
            own.mark(document.text);
            &own
        }
        (index, _) => index.unwrap_or(&own),
    };
    for range in ranges {
        let text = &document.text[range.clone()];
        let item = TextPart { start: range.start, end: range.end, form, path: &[], blank: &[] };
        let skimmed = match (document.syntax, form) {
            (Syntax::Json, _) => json::head::skim::<Json>(text, &mut head),
            (Syntax::Yaml, Form::Document) => json::head::skim::<Kyaml>(text, &mut head),
            (Syntax::Yaml, Form::Item { .. }) => {
                skim_item(document.text, range.clone(), index, form, &mut head) == Skimmed::Object
            }
        };
        if skimmed && !head.api_version.is_empty() && !head.is_partial() {
            document.source.give(&mut head);
            let mut object = Object::new(&head, document, Body::Item, None, item);
            object.view = match form {
                Form::Item { .. } => Some(index.part(range.start)),
                Form::Document => None,
            };
            visit(Ok(&object));
            // Lines are counted from one item to the next.
            document.counted = object.counted.get();
            continue;
        }
        document.count_lines_to(range.start);
        match parse_item(document, range.clone(), form) {
            Ok(parsed) => Flattening::new(document, item, visit).parsed(&parsed, Body::Item, parent),
            Err(error) => visit(Err(error)),
        }
    }
}

/// The type of a kustomization that does not say it all: kustomize knows it by the name of its file (api/types,
/// Kustomization.FixKustomizationPostUnmarshalling). `None` in other files.
pub(super) fn type_of_kustomization(source: &Source, head: &Head<'_>) -> Option<(String, String)> {
    let is_whole = !head.api_version.is_empty() && !head.kind.is_empty();
    let is_one = || source.is_kustomization || !head.kind.is_empty() && source.kustomization.is_some();
    if is_whole || !is_one() {
        return None;
    }
    let or = |own: &str, default: &str| if own.is_empty() { default.to_owned() } else { own.to_owned() };
    Some((or(head.api_version, "kustomize.config.k8s.io/v1beta1"), or(head.kind, "Kustomization")))
}

/// A value that is being flattened into objects, with its repeated keys.
#[derive(Clone, Copy)]
struct Part<'p> {
    node: &'p Node,
    duplicates: &'p [Duplicate],
}

/// Flattens the value of a text into objects.
pub(super) struct Flattening<'t, 'v> {
    /// The document, with the lines counted up to the value.
    document: Document<'t>,
    text: TextPart<'t>,
    /// The start of the text, and its line.
    counted: LineCount,
    /// The path from the text to the value.
    path: Vec<Member>,
    /// Whether the value is in a watch event that tells of a deletion.
    is_deleted: bool,
    visit: &'v mut dyn FnMut(Result<&Object<'_>, Error>),
}

impl<'t, 'v> Flattening<'t, 'v> {
    /// The flattening of a text of the document, whose lines are counted up to it.
    pub(super) fn new(
        document: Document<'t>,
        text: TextPart<'t>,
        visit: &'v mut dyn FnMut(Result<&Object<'_>, Error>),
    ) -> Self {
        let (counted, path) = (document.counted, Vec::new());
        Self { document, text, counted, path, is_deleted: false, visit }
    }

    /// Visits the objects in the parsed text.
    pub(super) fn parsed(mut self, parsed: &Parsed, body: Body, parent: Option<Parent<'_>>) {
        self.value(Part { node: &parsed.root, duplicates: &parsed.duplicates }, body, parent);
    }

    /// Visits the value if it is an object, or its items if it is a List (anything with `items`, as in kubectl). An
    /// OpenAPI document has no objects; it describes kinds.
    fn value(&mut self, part: Part<'_>, body: Body, parent: Option<Parent<'_>>) {
        let node = part.node;
        if let Some(envelope) = Envelope::of(node, parent.is_none()) {
            return self.envelope(envelope, part.duplicates);
        }
        if let Some((items, resource)) = internal::items(node) {
            return self.internal(items, resource);
        }
        if let Some(described) = described(node) {
            return described.iter().for_each(|object| self.described(object, body));
        }
        // In an item, `items: null` is an ordinary field.
        let items = node.get("items").filter(|items| parent.is_none() || !items.is_null());
        let Some((mut head, mut inherits)) = self.head(part, items, parent) else { return };
        self.document.source.give(&mut head);
        if head.kind.is_empty() && foreign::is_openapi(node) {
            return self.describes_kinds(node.span);
        }
        // A file of a tool, such as a blueprint with metadata, may lie in a directory that is named like a resource.
        let is_dumped = || items.is_some() || head.name.is_some() && is_from_server(node);
        let is_untyped = head.kind.is_empty() && is_dumped();
        let of_path =
            is_untyped.then(|| type_of_fields(node).or_else(|| self.document.type_of_path())).flatten();
        let of_path = of_path.or_else(|| type_of_kustomization(self.document.source, &head));
        if let Some((api_version, kind)) = &of_path {
            (head.api_version, head.kind) = (api_version, kind);
            inherits = true;
        }
        match items {
            None => self.object(&head, inherits, part, body),
            Some(items) => {
                if let Some(Err((kind, span))) = node.as_map().map(Head::check_list) {
                    self.report(span, kind);
                }
                let parent = match &of_path {
                    _ if head.kind.is_empty() => Parent::Untyped,
                    Some(of_path) => Parent::of_path(of_path),
                    None => Parent::typed(head.api_version, head.kind),
                };
                self.list(items, part.duplicates, parent);
            }
        }
    }

    /// The head of an object or a List, and whether its type is the one that `parent` gives to items. `None` if it has
    /// none: either this is reported here, or with its List, or it will be read again.
    fn head<'p>(
        &mut self,
        part: Part<'p>,
        items: Option<&Node>,
        parent: Option<Parent<'p>>,
    ) -> Option<(Head<'p>, bool)> {
        let node = part.node;
        let read = match node.as_map() {
            None => Err((ErrorKind::NotAMap(node.json_type()), node.span)),
            Some(map) if items.is_some() => Head::of_list(map),
            Some(map) if parent.is_some() => Head::of_item(map),
            Some(map) => match Some(map).filter(|_| self.document.source.is_listed).and_then(Head::quoted) {
                Some(quoted) => Head::of(&quoted).map(drop).and_then(|()| Head::of_item(map)),
                None => Head::of(map),
            },
        };
        let gives_type = matches!(parent, Some(Parent::Typed(list)) if !list.kind.is_empty());
        let is_typed = |head: &Head<'_>| !head.kind.is_empty() && !head.api_version.is_empty();
        let is_untyped = |head: &Head<'_>| head.kind.is_empty() && head.api_version.is_empty();
        match (read, parent) {
            (Ok(head), Some(_)) if head.is_discovery() => {
                self.describes_kinds(node.span);
                None
            }
            (Ok(head), _) if is_typed(&head) && !(gives_type && head.is_partial()) => Some((head, false)),
            // kubectl does not ask for a version.
            (Ok(head), Some(Parent::Typed(list))) if !head.kind.is_empty() && list.is_stated => {
                Some((head, false))
            }
            (_, Some(Parent::Untyped)) => None,
            (_, Some(Parent::Unread(lacks_type))) => {
                lacks_type.store(true, Ordering::Relaxed);
                None
            }
            (Ok(head), None) => Some((head, false)),
            (Ok(head), Some(Parent::Typed(list)))
                if gives_type && (is_untyped(&head) || head.is_partial()) =>
            {
                Some((Head { api_version: list.api_version, kind: list.kind, ..head }, true))
            }
            (Ok(head), Some(Parent::Typed(list))) => {
                let missing = if head.kind.is_empty() { "kind" } else { "apiVersion" };
                let error = self.error(node.span, ErrorKind::ItemWithout(missing));
                // What a path implies of items that state half of it is not so.
                (self.visit)(Err(if list.is_stated { error } else { error.of_foreign(Foreign::Unrelated) }));
                None
            }
            (Err((kind, span)), _) => {
                // An error in the fields of a List does not hide its items.
                if let Some(items) = items.and_then(Node::as_seq) {
                    self.items(items, part.duplicates, Parent::Untyped);
                }
                // Grafana and other tools number the versions of their files.
                let is_other = matches!(kind, ErrorKind::Field { field: "apiVersion", .. })
                    && parent.is_none()
                    && node.get("kind").is_none();
                let error = self.error(span, kind);
                let whole = node.as_map().filter(|_| items.is_none()).map(Head::of_item);
                (self.visit)(Err(match whole {
                    _ if is_other => error.of_foreign(Foreign::Configuration),
                    Some(Ok(mut head)) if is_typed(&head) && head.name.is_some() => {
                        self.document.source.give(&mut head);
                        error.of_object(&head)
                    }
                    _ => error,
                }));
                None
            }
        }
    }

    /// Visits an object, or the error that it has no `kind`.
    fn object(&mut self, head: &Head<'_>, inherits: bool, part: Part<'_>, body: Body) {
        let Part { node, duplicates } = part;
        let Some(map) = node.as_map() else { return };
        if head.kind.is_empty() {
            if let Some(entry) = misspelt_kind(map) {
                return self.report(entry.key_span, ErrorKind::KindMisspelt(entry.key.to_string()));
            }
            let start = match body {
                Body::Document => self.document.content(),
                Body::Item | Body::Parsed(_) => self.offset(node.span.start),
            };
            let is_object = has_kubernetes_version(map, head.api_version);
            let is_part = ["metadata", "items"].iter().all(|key| map.get(key).is_none());
            let missing = ErrorKind::KindMissing { is_object, is_part };
            return (self.visit)(Err(self.document.error(start, missing)));
        }
        let tree = if inherits { Cow::Owned(with_type(map, head, node.span)) } else { Cow::Borrowed(node) };
        let content = Content { tree, duplicates: Cow::Borrowed(duplicates) };
        let text = TextPart { path: &self.path, ..self.text };
        let mut object = Object::new(head, self.document, body, Some(content), text);
        (object.inherits, object.is_deleted) = (inherits, self.is_deleted);
        object.counted.set(self.counted);
        (self.visit)(Ok(&object));
    }

    /// Visits an object that the document only describes.
    fn described(&mut self, object: &Node, body: Body) {
        let Some(Ok(mut head)) = object.as_map().map(Head::of) else { return };
        head.given = self.document.source.given(&head);
        let content = Content { tree: Cow::Borrowed(object), duplicates: Cow::Borrowed(&[]) };
        let text = TextPart { path: &self.path, ..self.text };
        let mut object = Object::new(&head, self.document, body, Some(content), text);
        object.is_changed = true;
        object.counted.set(self.counted);
        (self.visit)(Ok(&object));
    }

    /// Visits the items of a list of internal types, whose kind the name of its resource tells.
    fn internal(&mut self, items: &[Node], resource: &str) {
        let Some((api_version, kind)) = (self.document.source.type_of_path)(resource) else {
            return self.report_missing_kind(false);
        };
        for (at, item) in items.iter().enumerate() {
            let span = Span { start: self.offset(item.span.start), end: self.offset(item.span.end) };
            self.document.count_lines_to(span.start);
            self.path.push(Member::Item(at));
            self.described(&internal::object(item, &api_version, &kind), Body::Parsed(span));
            self.path.pop();
        }
    }

    /// Visits the items of a List, and the error that they are none, or that the List has no `kind`.
    fn list(&mut self, items: &Node, duplicates: &[Duplicate], parent: Parent<'_>) {
        let is_untyped = matches!(parent, Parent::Untyped);
        let is_repeated = |key: &str| duplicates.iter().any(|own| own.key == key);
        match &items.value {
            Value::Seq(_) if self.path.len() == MAX_LISTS => {
                return self.report(items.span, ErrorKind::Nested);
            }
            // Of Lists that were joined, the last one would hide the others.
            Value::Seq(seq) if seq.is_empty() && is_repeated("apiVersion") && is_repeated("items") => {
                self.report(items.span, ErrorKind::ListTail);
            }
            Value::Seq(items) => self.items(items, duplicates, parent),
            Value::Null => (),
            _ if is_untyped => (),
            _ => self.report(items.span, ErrorKind::Items(items.json_type())),
        }
        if is_untyped {
            let has_items = items.as_seq().is_some_and(|items| !items.is_empty());
            let is_object = has_items && holds_objects(&self.document.text[self.offset(items.span.start)..]);
            self.report_missing_kind(is_object);
        }
    }

    /// Visits the items of a List that was parsed as a whole.
    fn items(&mut self, items: &[Node], mut duplicates: &[Duplicate], parent: Parent<'_>) {
        for (at, item) in items.iter().enumerate() {
            // A key repeated between items, such as a second `items`, is reported with the next or last item.
            let last = at + 1 == items.len();
            let within = duplicates.partition_point(|key| last || key.span.start < item.span.end);
            let part = Part { node: item, duplicates: &duplicates[..within] };
            duplicates = &duplicates[within..];
            self.member(Member::Item(at), part, Some(parent));
        }
    }

    /// Visits the objects in a value that contains them.
    fn envelope(&mut self, envelope: Envelope<'_>, duplicates: &[Duplicate]) {
        let of_path = self.document.type_of_path();
        let of_path = of_path.as_ref().map(Parent::of_path);
        let part = |node| Part { node, duplicates: &[] };
        match envelope {
            Envelope::Array(items) => {
                let parent = siblings(items).or(of_path).unwrap_or(Parent::Untyped);
                self.items(items, duplicates, parent);
                if let Parent::Untyped = parent {
                    self.report_missing_kind(false);
                }
            }
            Envelope::Event { object, is_deleted } => {
                self.is_deleted = is_deleted;
                self.member(Member::Object, part(object), None);
                self.is_deleted = false;
            }
            Envelope::OtherEvent => (),
            Envelope::Rows(rows) => {
                for (at, row) in rows.iter().enumerate() {
                    let Some(object) = row.get("object") else { continue };
                    self.path.push(Member::Item(at));
                    self.member(Member::Object, part(object), of_path);
                    self.path.pop();
                }
            }
        }
    }

    /// Visits the objects in a member of the value.
    fn member(&mut self, member: Member, part: Part<'_>, parent: Option<Parent<'_>>) {
        let Span { start, end } = part.node.span;
        let span = Span { start: self.offset(start), end: self.offset(end) };
        // Aliases refer to earlier text.
        if span.start >= self.document.counted.at {
            self.document.count_lines_to(span.start);
        }
        self.path.push(member);
        self.value(part, Body::Parsed(span), parent);
        self.path.pop();
    }

    /// Converts an offset in the text to an offset in the document.
    fn offset(&self, offset: usize) -> usize {
        self.text.start + offset
    }

    fn error(&self, span: Span, kind: ErrorKind) -> Error {
        self.document.error(self.offset(span.start), kind)
    }

    /// Says that a value is no object, but describes kinds.
    fn describes_kinds(&mut self, span: Span) {
        let is_not = self.error(span, ErrorKind::KindMissing { is_object: false, is_part: false });
        (self.visit)(Err(is_not.of_foreign(Foreign::Discovery)));
    }

    fn report_missing_kind(&mut self, is_object: bool) {
        let missing = ErrorKind::KindMissing { is_object, is_part: false };
        (self.visit)(Err(self.document.error(self.document.content(), missing)));
    }

    fn report(&mut self, span: Span, kind: ErrorKind) {
        let error = self.error(span, kind);
        (self.visit)(Err(error));
    }
}

/// A value other than a List that contains objects.
enum Envelope<'t> {
    /// A top-level array.
    Array(&'t [Node]),
    /// An event of a watch that tells of an object (apimachinery, meta/v1/watch.go, WatchEvent).
    Event { object: &'t Node, is_deleted: bool },
    /// An event of a watch that does not.
    OtherEvent,
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
        let object = node.get("object").filter(|object| object.as_map().is_some());
        if let Some(object) = object.filter(|_| node.text_of("kind").is_empty()) {
            return match node.text_of("type") {
                "ADDED" | "MODIFIED" => Some(Self::Event { object, is_deleted: false }),
                "DELETED" => Some(Self::Event { object, is_deleted: true }),
                "BOOKMARK" | "ERROR" => Some(Self::OtherEvent),
                _ => None,
            };
        }
        is_table(node.text_of("apiVersion"), node.text_of("kind"))
            .then(|| Self::Rows(node.get("rows").and_then(Node::as_seq).unwrap_or_default()))
    }
}
