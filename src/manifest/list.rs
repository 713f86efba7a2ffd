//! Lists whose items are read one by one, and the type that they give to items without one.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use syntax::emit::{self, yaml::KeyOrder};
use syntax::error::{ErrorKind, Place};
use syntax::head::Head;
use syntax::list::{ListStart, Notation};
use syntax::syntax::Syntax;
use syntax::tree::{Map, Node, Value};
use syntax::yaml::index::Index;
use syntax::{json, yaml};

/// The type that a typed List (`PodList`) gives to items that have neither field.
#[derive(Clone, Copy)]
pub(super) struct Inherited<'t> {
    pub(super) api_version: &'t str,
    pub(super) kind: &'t str,
    /// Whether the file states it; otherwise its path implies it.
    pub(super) is_stated: bool,
}

/// The List of the item being read.
#[derive(Clone, Copy)]
pub(super) enum Parent<'t> {
    /// A List whose type is known.
    Typed(Inherited<'t>),
    /// A List without a kind, which is reported once and not for each item that lacks one.
    Untyped,
    /// A List whose type has not been read yet. If an item lacks a type, this is set.
    Unread(&'t AtomicBool),
}

impl<'t> Parent<'t> {
    pub(super) fn typed(api_version: &'t str, kind: &'t str) -> Self {
        Self::Typed(Inherited { api_version, kind: item_kind(kind), is_stated: true })
    }

    /// Instead of a List, the type that the path of the file implies.
    pub(super) fn of_path((api_version, kind): &'t (String, String)) -> Self {
        Self::Typed(Inherited { api_version, kind, is_stated: false })
    }
}

/// The type of a List whose items are read one by one, perhaps before the type is known.
#[derive(Debug)]
pub struct ListType {
    pub(super) start: ListStart,
    /// The place at which the List starts.
    pub(super) place: Place,
    /// Whether its first item shows that it is meant as a List of objects.
    pub(super) holds_objects: bool,
    /// Its type by the path of its file, in case it states no kind; `None` if the path does not imply one.
    of_path: Option<(String, String)>,
    /// `apiVersion` and `kind`, once everything that may state them has been read; `None` inside if there is no kind.
    known: OnceLock<Option<(String, String)>>,
}

impl ListType {
    /// A List at `place` with this start, whose items begin the text `items`.
    pub(super) fn new(
        start: ListStart,
        place: Place,
        items: &[u8],
        of_path: Option<(String, String)>,
    ) -> Self {
        let (holds_objects, known) = (holds_objects(items), OnceLock::new());
        let list = Self { start, place, holds_objects, of_path, known };
        let ListStart { api_version, kind, .. } = &list.start;
        if !api_version.is_empty() && !kind.is_empty() {
            list.settle(Some((api_version.clone(), kind.clone())));
        }
        list
    }

    /// What the List gives to its items; `unread` if its type has not been determined.
    pub(super) fn parent<'t>(&'t self, unread: Parent<'t>) -> Option<Parent<'t>> {
        if self.start.notation == Notation::Table {
            return self.of_path.as_ref().map(Parent::of_path);
        }
        Some(match self.known.get() {
            Some(Some(known)) if self.of_path.as_ref() == Some(known) => Parent::of_path(known),
            Some(Some((api_version, kind))) => Parent::typed(api_version, kind),
            Some(None) => Parent::Untyped,
            None => unread,
        })
    }

    /// Whether it is JSON and not YAML.
    pub(super) fn is_json(&self) -> bool {
        self.start.notation.syntax() == Syntax::Json
    }

    /// The fields before its items.
    pub(super) fn fields(&self) -> [(&str, &str); 2] {
        [("apiVersion", &self.start.api_version), ("kind", &self.start.kind)]
    }

    /// Whether the type of its items has been determined.
    pub(super) fn is_known(&self) -> bool {
        self.known.get().is_some()
    }

    /// Sets the type, unless it has been determined.
    pub(super) fn settle(&self, known: Option<(String, String)>) {
        let _ = self.known.set(known);
    }

    /// The beginning of a List with the fields before its items, up to the first item, as lines of YAML. `one_line` is
    /// the length of a List in brackets before its next item if all of that may be a key. `anchored` are items that the
    /// next ones may refer to.
    pub(super) fn head(&self, one_line: Option<usize>, anchored: &[Cow<'_, str>]) -> String {
        let mut fields = self.fields();
        if matches!(self.start.notation, Notation::Block { .. }) {
            // Nobody reads the value of an unknown key.
            let other =
                if anchored.is_empty() { String::new() } else { format!("\"\":\n{}", anchored.concat()) };
            return yaml_fields(&fields) + &other + "items:\n";
        }
        let (mut open, mut items) = ("{", "items: [");
        if self.start.notation == Notation::Array {
            (open, items, fields) = ("[", "", Default::default());
        }
        let mut text = String::from(open);
        for (key, said) in fields.iter().filter(|(_, said)| !said.is_empty()) {
            text.push_str(key);
            text.push_str(": ");
            emit::kyaml::value(&Node::new(Value::String((*said).into())), 0, &mut text);
            text.push_str(", ");
        }
        text.push_str(items);
        match one_line {
            Some(len) => text.extend(iter::repeat_n(' ', len.saturating_sub(text.len()).max(1))),
            // The blank keeps a line of the rest from becoming a separator.
            None => text.push_str("\n "),
        }
        text
    }

    /// Determines the type from `tail`, the part of the List after its items. Returns whether that repeats a field before
    /// them. `is_one_line` is as for [`Tail::read`].
    ///
    /// *Compatibility* (anchors-in-items): what follows the items cannot refer to an anchor in one.
    ///
    /// # Errors
    ///
    /// The tail cannot be read or decoded, repeats an earlier field, or leaves the List without a kind. The number is an
    /// offset in the tail.
    pub(super) fn read_tail(&self, tail: &[u8], is_one_line: bool) -> Result<bool, (ErrorKind, usize)> {
        let read = Tail::read(tail, self.start.notation, is_one_line, self.fields());
        let read = read.or_else(|(kind, at)| match kind {
            ErrorKind::KindMissing { .. } => {
                let is_object = self.holds_objects && self.start.notation != Notation::Array;
                let missing = ErrorKind::KindMissing { is_object, is_part: false };
                let of_path = self.of_path.clone().ok_or((missing, at))?;
                Ok(Tail { list_type: of_path, is_repeated: false, check: Ok(()) })
            }
            _ => Err((kind, at)),
        });
        self.settle(read.as_ref().ok().map(|tail| tail.list_type.clone()));
        let Tail { is_repeated, check, .. } = read?;
        // A List that is read as a whole is checked then.
        if is_repeated { Ok(true) } else { check.map(|()| false) }
    }

    /// Determines the type from the fields of `list`, which is all of the List but the items that were read.
    pub(super) fn read_whole(&self, list: Option<&Map>) {
        let read = list.and_then(|map| Head::of_list(map).ok());
        self.settle(read.and_then(|read| match read.kind {
            "" => self.of_path.clone(),
            kind => Some((read.api_version.to_owned(), kind.to_owned())),
        }));
    }
}

/// Whether a List has other values for the fields `before` its items, or `items` again, at or after the offset `start`
/// of the first item.
pub(super) fn repeats(list: &Map, before: [(&str, &str); 2], start: usize) -> bool {
    let entry = |key: &str| list.entry(key).filter(|entry| entry.key_span.start >= start);
    let differs = |(key, text): &(&str, &str)| {
        !text.is_empty() && entry(key).is_some_and(|entry| entry.value.as_str() != Some(*text))
    };
    entry("items").is_some() || before.iter().any(differs)
}

/// What the part of a List after its items says.
struct Tail {
    /// The type of the List.
    list_type: (String, String),
    /// Whether it repeats a field that is before the items.
    is_repeated: bool,
    /// Whether the fields after the items can be read, or the error and its offset.
    check: Result<(), (ErrorKind, usize)>,
}

impl Tail {
    /// Reads `tail`, with the fields `before` before the items.
    ///
    /// `is_one_line` says that all before the tail may be a key, which is on one line and no longer than
    /// [`MAX_IMPLICIT_KEY`]: to goyaml, what follows the last brace matters only then.
    ///
    /// # Errors
    ///
    /// The tail cannot be read or decoded, repeats an earlier field, or leaves the List without a kind. The number is an
    /// offset in the tail.
    fn read(
        tail: &[u8],
        notation: Notation,
        is_one_line: bool,
        before: [(&str, &str); 2],
    ) -> Result<Self, (ErrorKind, usize)> {
        // Another key stands for `items`, which the tail may repeat.
        let head: &[u8] = match notation {
            Notation::Block { .. } => b"\"\": []\n",
            Notation::Flow if !is_one_line => b"{\"\":[]\n",
            Notation::Flow | Notation::Json | Notation::Table => b"{\"\":[]",
            Notation::Array if !is_one_line => b"[]\n",
            Notation::Array => b"[]",
        };
        let at = |offset: usize| offset.saturating_sub(head.len()).min(tail.len());
        let whole = [head, tail].concat();
        let syntax = notation.syntax();
        let parsed = match syntax {
            Syntax::Json => json::parse_or_yaml(&whole).map(Some),
            Syntax::Yaml => yaml::parse(&whole),
        };
        let parsed = parsed.map_err(|error| {
            let at = at(error.offset());
            (ErrorKind::unreadable(syntax, error), at)
        })?;
        let [(_, api_version), (_, kind)] = before;
        if notation == Notation::Array {
            if kind.is_empty() {
                return Err((ErrorKind::KindMissing { is_object: false, is_part: false }, 0));
            }
            let list_type = (api_version.to_owned(), kind.to_owned());
            return Ok(Self { list_type, is_repeated: false, check: Ok(()) });
        }
        let map = parsed.as_ref().and_then(|parsed| parsed.root.as_map()).ok_or((ErrorKind::ListTail, 0))?;
        let after = Head::of_list(map).map_err(|(kind, span)| (kind, at(span.start)))?;
        if repeats(map, before, 0) {
            return Err((ErrorKind::ListTail, 0));
        }
        let is_repeated = before.iter().any(|(key, text)| !text.is_empty() && map.get(key).is_some());
        let either = |before: &str, after: &str| if before.is_empty() { after } else { before }.to_owned();
        let list_type = (either(api_version, after.api_version), either(kind, after.kind));
        if list_type.1.is_empty() {
            return Err((ErrorKind::KindMissing { is_object: false, is_part: false }, 0));
        }
        let check = Head::check_list(map).map_err(|(kind, span)| (kind, at(span.start)));
        Ok(Self { list_type, is_repeated, check })
    }
}

/// The fields that are not empty, as lines of YAML.
pub(super) fn yaml_fields(fields: &[(&str, &str)]) -> String {
    let mut fields = fields.iter().filter(|(_, text)| !text.is_empty()).peekable();
    if fields.peek().is_none() {
        return String::new();
    }
    let map = Node::map(fields.map(|(key, text)| (*key, Node::text(text))));
    emit::yaml::text(&map, KeyOrder::AsRead)
}

/// A run of items of a List that is too large to be read as a whole.
#[derive(Debug)]
pub struct Items {
    /// The List of the items.
    pub(super) list: Arc<ListType>,
    /// The positions of the items in the text.
    pub(super) ranges: Vec<Range<usize>>,
    /// The index of the text, if it was used to cut the text.
    pub(super) index: Option<Index>,
    /// Whether an item that was read lacks a type, while the type of the List was unknown.
    lacks_type: AtomicBool,
}

impl Items {
    pub(super) fn new(list: Arc<ListType>, ranges: Vec<Range<usize>>, index: Option<Index>) -> Self {
        Self { list, ranges, index, lacks_type: AtomicBool::new(false) }
    }

    /// Whether an item that was read lacks a type, while the type of the List was unknown.
    pub(super) fn lacks_type(&self) -> bool {
        self.lacks_type.load(Ordering::Relaxed)
    }

    pub(super) fn parent(&self) -> Option<Parent<'_>> {
        self.list.parent(Parent::Unread(&self.lacks_type))
    }
}

/// How much of the items of a List is examined for the fields of objects, in bytes.
const ITEMS_EXAMINED: usize = 4 << 10;

/// Whether the items of a List, which begin this text, have fields of objects.
pub(super) fn holds_objects(items: &[u8]) -> bool {
    let items = &items[..items.len().min(ITEMS_EXAMINED)];
    let is_key = |end: usize| {
        let rest = items[end..].strip_prefix(b"\"").unwrap_or(&items[end..]);
        rest.trim_ascii_start().starts_with(b":")
    };
    let first = |key: &str| memmem::find_iter(items, key).find(|at| is_key(at + key.len()));
    // Items that begin with a kind and have no apiVersion are those of another tool. Behind the metadata, a kind is that of a reference.
    let is_of_reference = |metadata: usize| first("kind").is_none_or(|kind| metadata < kind);
    first("apiVersion").is_some() || first("metadata").is_some_and(is_of_reference)
}

/// The type that the elements of an array take from their siblings: that of the first one that has a type. `None` if
/// none has.
pub(super) fn siblings(items: &[Node]) -> Option<Parent<'_>> {
    items.iter().find_map(|item| {
        let text = |key: &str| item.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
        let (api_version, kind) = (text("apiVersion")?, text("kind")?);
        Some(Parent::Typed(Inherited { api_version, kind, is_stated: true }))
    })
}

/// The kind that a List gives to items without one: `Pod` for `PodList`. A plain `List` gives none.
pub(super) fn item_kind(list: &str) -> &str {
    list.strip_suffix("List").unwrap_or(list)
}
