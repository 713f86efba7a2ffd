//! Flattens Lists, and other values that contain objects, into their items.
//!
//! *Compatibility* (nested-lists): Lists in Lists are flattened; kubectl reports an error.
//!
//! *Compatibility* (item-metadata): an item whose metadata has a wrong type keeps its text; kubectl drops its labels.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::document::{Document, Form, Syntax};
use super::error::{Error, ErrorKind};
use super::foreign::{self, Foreign};
use super::gvk;
use super::head::{Head, is_table};
use super::json;
use super::json::entries::Json;
use super::json::kyaml::Kyaml;
use super::list::{Parent, holds_objects, siblings};
use super::object::{Body, Content, Member, Object, TextPart, indented, parse_item, whole, with_type};
use super::parsed::{Duplicate, Parsed};
use super::tree::{Entry, Map, Node, Span, Value};
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

/// A position in the [`TextPart`] that is being flattened.
pub(super) struct Location<'l> {
    start: usize,
    end: usize,
    form: Form,
    /// The start, and the line of the source with it, 1-based.
    counted: (usize, usize),
    path: Vec<Member>,
    blank: &'l [Range<usize>],
    /// Whether it is in a watch event that tells of a deletion.
    is_deleted: bool,
}

impl<'l> Location<'l> {
    /// The start of a document, of which these ranges are left out.
    pub(super) fn of(document: Document<'_>, blank: &'l [Range<usize>]) -> Self {
        let TextPart { start, end, form, .. } = whole(document);
        let (counted, path) = ((start, document.line), Vec::new());
        Self { start, end, form, counted, path, blank, is_deleted: false }
    }

    fn part(&self) -> TextPart<'_> {
        let Self { start, end, form, ref path, blank, .. } = *self;
        TextPart { start, end, form, path, blank }
    }

    /// Converts an offset in the part to an offset in the document.
    fn offset(&self, document: Document<'_>, offset: usize) -> usize {
        self.start + indented(&document.text[self.start..self.end], self.form.column(), offset)
    }
}

/// Visits items that were cut from their List.
pub(super) fn cut_items(
    mut document: Document<'_>,
    parent: Option<Parent<'_>>,
    ranges: &[Range<usize>],
    form: Form,
    index: Option<&Index>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    let (mut head, mut own) = (Head::default(), Index::default());
    for range in ranges {
        let text = &document.text[range.clone()];
        let skimmed = match (document.syntax, form, index) {
            (Syntax::Json, ..) => json::head::skim::<Json>(text, &mut head),
            (Syntax::Yaml, Form::Document, _) => json::head::skim::<Kyaml>(text, &mut head),
            (Syntax::Yaml, Form::Item { .. }, Some(index)) => {
                skim_item(document.text, range.clone(), index, form, &mut head) == Skimmed::Object
            }
            (Syntax::Yaml, Form::Item { .. }, None) => {
                skim_with(&mut own, text, form, &mut head) == Skimmed::Object
            }
        };
        if skimmed && !head.api_version.is_empty() && !head.is_partial() {
            let part = TextPart { start: range.start, end: range.end, form, path: &[], blank: &[] };
            let mut object = Object::new(&head, document, Body::Item, None, part);
            object.view = match form {
                Form::Item { .. } => Some(index.map_or_else(|| own.part(0), |index| index.part(range.start))),
                Form::Document => None,
            };
            // Lines are counted from one item to the next.
            *object.counted.get_mut() = document.counted();
            visit(Ok(&object));
            document = document.with_counted(object.counted.get());
            continue;
        }
        document.count_lines_to(range.start);
        match parse_item(document, range.clone(), form) {
            Ok(parsed) => {
                let (start, end, counted) = (range.start, range.end, document.counted());
                let mut location = Location { start, end, form, counted, ..Location::of(document, &[]) };
                flatten(document, Part::of(&parsed), Body::Item, parent, &mut location, visit);
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
    if parent.is_some() && read.as_ref().is_ok_and(Head::is_discovery) {
        let is_not = error(location, node.span, ErrorKind::KindMissing { is_object: false });
        return visit(Err(is_not.of_foreign(Foreign::Discovery)));
    }
    let is_told = matches!(parent, Some(Parent::Typed(inherited)) if !inherited.kind.is_empty());
    let is_typed = read.as_ref().is_ok_and(|head| {
        !(head.kind.is_empty() || head.api_version.is_empty() || is_told && head.is_partial())
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
            let is_other = matches!(kind, ErrorKind::Field { field: "apiVersion", .. })
                && parent.is_none()
                && map.is_some_and(|map| map.get("kind").is_none());
            let error = error(location, span, kind);
            // Grafana and other tools number the versions of their files.
            return visit(Err(if is_other { error.of_foreign(Foreign::Configuration) } else { error }));
        }
        (Ok(_), None) => return,
    };
    let mut inherits = false;
    if let Some(from) = inherited {
        let is_free = head.kind.is_empty() && head.api_version.is_empty() || head.is_partial();
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
    // A file of a tool, such as a blueprint with metadata, may lie in a directory that is named like a resource.
    let is_dumped = || items.is_some() || head.name.is_some() && is_from_server(map);
    let of_path = if head.kind.is_empty() && is_dumped() { document.type_of_path() } else { None };
    if let Some((api_version, kind)) = &of_path {
        (head.api_version, head.kind) = (api_version, kind);
        inherits = items.is_none();
    }
    match items.map(|items| (items.span, &items.value)) {
        None if head.kind.is_empty() => visit(Err(match misspelt_kind(map) {
            Some(entry) => error(location, entry.key_span, ErrorKind::KindMisspelt(entry.key.to_string())),
            None => {
                let is_document = matches!(body, Body::Document);
                let start =
                    if is_document { document.content() } else { location.offset(document, node.span.start) };
                let is_object = has_kubernetes_version(map, head.api_version);
                document.error(start, ErrorKind::KindMissing { is_object })
            }
        })),
        None => {
            let tree =
                if inherits { Cow::Owned(with_type(map, &head, node.span)) } else { Cow::Borrowed(node) };
            let content = Content { tree, duplicates: Cow::Borrowed(duplicates) };
            let mut object = Object::new(&head, document, body, Some(content), location.part());
            (object.inherits, object.is_deleted) = (inherits, location.is_deleted);
            object.counted.set(location.counted);
            visit(Ok(&object));
        }
        Some((span, Value::Seq(_))) if location.path.len() == MAX_LISTS => {
            visit(Err(error(location, span, ErrorKind::Nested)));
        }
        Some((span, Value::Seq(items))) if head.kind.is_empty() => {
            flatten_items(document, items, duplicates, Parent::Untyped, location, visit);
            let is_object = items
                .first()
                .is_some_and(|_| holds_objects(&document.text[location.offset(document, span.start)..]));
            visit(Err(document.error(document.content(), ErrorKind::KindMissing { is_object })));
        }
        Some((_, Value::Seq(items))) => {
            let parent = match &of_path {
                Some(of_path) => Parent::of_path(of_path),
                None => Parent::typed(head.api_version, head.kind),
            };
            flatten_items(document, items, duplicates, parent, location, visit);
        }
        Some(_) if head.kind.is_empty() => {
            let kind = ErrorKind::KindMissing { is_object: false };
            visit(Err(document.error(document.content(), kind)));
        }
        Some((_, Value::Null)) => (),
        Some((span, _)) => {
            let found = items.map_or("null", Node::json_type);
            visit(Err(error(location, span, ErrorKind::Items(found))));
        }
    }
}

/// Whether the metadata has a field that a server writes.
fn is_from_server(map: &Map) -> bool {
    const WRITTEN: [&str; 4] = ["creationTimestamp", "managedFields", "resourceVersion", "uid"];
    let metadata = map.get("metadata");
    WRITTEN.iter().any(|key| metadata.and_then(|metadata| metadata.get(key)).is_some())
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

/// Fields of objects beside `spec` and data, at the top.
const FIELDS: [&str; 22] = [
    "addressType",
    "aggregationRule",
    "allowVolumeExpansion",
    "apiVersion",
    "automountServiceAccountToken",
    "binaryData",
    "description",
    "endpoints",
    "handler",
    "imagePullSecrets",
    "metadata",
    "parameters",
    "provisioner",
    "reclaimPolicy",
    "roleRef",
    "secrets",
    "status",
    "subjects",
    "subsets",
    "type",
    "value",
    "webhooks",
];

/// Whether a map without a `kind` has the `apiVersion` of an object. The indexes and descriptions of Helm charts and
/// kustomizations may have such an `apiVersion` without being objects.
fn has_kubernetes_version(map: &Map, api_version: &str) -> bool {
    let is_of_chart =
        map.get("entries").is_some() || map.get("name").is_some() && map.get("version").is_some();
    // Tools have versions, too: install-config.yaml of OpenShift. Seen in cuongvannguyen87/openshift-gitops-demo.
    let is_of_tool = || {
        ["spec", "data", "stringData", "rules"].iter().all(|key| map.get(key).is_none())
            && map.iter().any(|entry| !FIELDS.contains(&entry.key.as_str()))
    };
    let (group, version) = gvk::split_api_version(api_version);
    gvk::is_version(version) && group != "kustomize.config.k8s.io" && !is_of_chart && !is_of_tool()
}

/// A value other than a List that contains objects.
enum Envelope<'t> {
    /// A top-level array.
    Array(&'t [Node]),
    /// An event of a watch (apimachinery, meta/v1/watch.go, WatchEvent); `None` if it does not concern an object. The
    /// second field says whether the object was deleted.
    Event(Option<&'t Node>, bool),
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
                "ADDED" | "MODIFIED" => Some(Self::Event(object, false)),
                "DELETED" => Some(Self::Event(object, true)),
                "BOOKMARK" | "ERROR" => Some(Self::Event(None, false)),
                _ => None,
            };
        }
        is_table(text("apiVersion"), text("kind"))
            .then(|| Self::Rows(node.get("rows").and_then(Node::as_seq).unwrap_or_default()))
    }

    fn flatten(
        self,
        document: Document<'t>,
        part: Part<'t>,
        location: &mut Location<'_>,
        visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
    ) {
        let of_path = document.type_of_path();
        let of_path = of_path.as_ref().map(Parent::of_path);
        match self {
            Self::Array(items) => {
                let parent = siblings(items).or(of_path).unwrap_or(Parent::Untyped);
                flatten_items(document, items, part.duplicates, parent, location, visit);
            }
            Self::Event(object, is_deleted) => {
                location.is_deleted = is_deleted;
                object.into_iter().for_each(|object| enveloped(document, object, None, location, visit));
                location.is_deleted = false;
            }
            Self::Rows(rows) => {
                for (at, object) in
                    rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.get("object")?)))
                {
                    location.path.push(Member::Item(at));
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
    location.path.push(Member::Object);
    let part = Part { node: object, duplicates: &[] };
    flatten(document, part, Body::Parsed(span), parent, location, visit);
    location.path.pop();
}

/// Visits the items of a List that was parsed as a whole.
fn flatten_items<'t>(
    mut document: Document<'t>,
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
        // Aliases refer to earlier text.
        if span.start >= document.counted().0 {
            document.count_lines_to(span.start);
        }
        location.path.push(Member::Item(at));
        flatten(document, part, Body::Parsed(span), Some(parent), location, visit);
        location.path.pop();
    }
}
