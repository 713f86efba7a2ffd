//! Lists that are read item by item, although their text is available as a whole: those in JSON or KYAML, and those
//! with an item that only the full parser can read. They are read as large Lists are, so that the size makes no
//! difference.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::document::{Document, Syntax};
use super::error::{Error, ErrorKind};
use super::flatten::{Location, Part, cut_items, flatten, type_of_path};
use super::head::Head;
use super::json;
use super::json::entries::Json;
use super::json::kyaml::{self, Cutting};
use super::list::{MAX_IMPLICIT_KEY, Notation, Parent, holds_objects, repeats, tail_type};
use super::object::{Body, Object, TextPart, parse_text, whole};
use super::parsed::{self, Parsed};
use super::tree::{Node, Span, Value};
use super::yaml::head::{ListStart, list_start};
use super::yaml::list::{self, Cut, ListEnd};

/// A List whose items are cut off one by one.
pub(super) struct CutList<'t> {
    document: Document<'t>,
    notation: Notation,
    /// Its type before the items; empty if it comes after them.
    api_version: Cow<'t, str>,
    kind: Cow<'t, str>,
    /// The offset of the key `items`.
    key: usize,
    /// The offset of the first item.
    items: usize,
    /// The column of the items' content; 0 for items in braces.
    indent: usize,
    /// The items that could be cut; their offsets count from the first one.
    cut: Cut,
}

/// The type of a List, and whether it is repeated after the items; as for [`tail_type`].
type TypeRead = Result<((String, String), bool), (ErrorKind, usize)>;

/// The remaining items of a List and what follows them, parsed as a List of their own.
struct Rest {
    /// The ranges of the document that are left out.
    blank: [Range<usize>; 3],
    parsed: Result<Option<Parsed>, Error>,
    /// Text after the List; `None` if there is none.
    after_root: Option<Error>,
    /// Whether it repeats a field before the items.
    is_repeated: bool,
}

/// Whether a text has an alias whose anchor is not in it.
fn is_unknown_anchor(error: &Error) -> bool {
    match &error.kind {
        ErrorKind::Yaml(error) => matches!(error.kind(), parsed::ErrorKind::UnknownAnchor(_)),
        _ => false,
    }
}

impl<'t> CutList<'t> {
    /// The List that is the document; `None` if it is not a List, or this is uncertain.
    pub(super) fn of(document: Document<'t>) -> Option<Self> {
        let list = Self::in_brackets(document).or_else(|| Self::in_block(document))?;
        // What is not cut is read together with the anchors that it refers to.
        let refers_to_cut = list.cut.rest == ListEnd::Uncertain
            && !list.cut.anchored.is_empty()
            && (list.cut.refers_outside || list.rest().parsed.is_err_and(|error| is_unknown_anchor(&error)));
        Some(if refers_to_cut { Self { cut: list.cut.before_anchors(), ..list } } else { list })
    }

    /// As [`CutList::of`], for a List in block style.
    fn in_block(document: Document<'t>) -> Option<Self> {
        let ListStart { api_version, kind, key, items, dash } = list_start(document.text)?;
        let (cut, _) = list::cut(&document.text[items..], dash, true);
        let (api_version, kind, notation) = (api_version.into(), kind.into(), Notation::Block);
        Some(Self { document, notation, api_version, kind, key, items, indent: dash + 2, cut })
    }

    /// As [`CutList::of`], for a List in JSON or KYAML.
    fn in_brackets(document: Document<'t>) -> Option<Self> {
        let text = document.text;
        let (list, notation) = match document.syntax {
            Syntax::Json => {
                let list = json::list::list_start::<Json>(text)?;
                let notation = Notation::of_json(&list.api_version, &list.kind);
                (list, notation)
            }
            Syntax::Yaml => match kyaml::list_start(text) {
                Some(list) => (list, Notation::Flow),
                None => (kyaml::array_start(text).map(json::list::ListStart::of_array)?, Notation::Array),
            },
        };
        let json::list::ListStart { api_version, kind, key, items } = list;
        let cut = match document.syntax {
            Syntax::Json => json::list::cut(&text[items..], true, notation),
            Syntax::Yaml => Cutting::of(&text[items..]).cut,
        };
        let (api_version, kind) = (api_version.into(), kind.into());
        Some(Self { document, notation, api_version, kind, key, items, indent: 0, cut })
    }

    /// Visits all items.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        match self.is_whole() {
            true => self.visit_whole(self.type_of_whole(), visit),
            false => self.visit_with(self.rest(), visit),
        }
    }

    /// As [`CutList::visit`], but visits nothing and returns `false` if no item could be cut, or if a field is repeated
    /// after the items: the last one counts, which requires reading the List as a whole.
    pub(super) fn visit_unless_repeated(&self, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) -> bool {
        if self.is_whole() {
            let read = self.type_of_whole();
            let is_repeated = matches!(read, Ok((_, true)) | Err((ErrorKind::ListTail, _)));
            if !is_repeated {
                self.visit_whole(read, visit);
            }
            return !is_repeated;
        }
        let rest = (!self.cut.items.is_empty()).then(|| self.rest()).filter(|rest| !rest.is_repeated);
        rest.map(|rest| self.visit_with(rest, visit)).is_some()
    }

    /// Whether all items could be cut.
    fn is_whole(&self) -> bool {
        matches!(self.cut.rest, ListEnd::Ended | ListEnd::Followed)
    }

    /// The offset of the end of the items that were cut.
    fn end(&self) -> usize {
        self.items + self.cut.end
    }

    /// The type before the items; `None` if it is incomplete.
    fn type_before(&self) -> Option<(&str, &str)> {
        let is_known = !self.api_version.is_empty() && !self.kind.is_empty();
        is_known.then_some((&self.api_version, &self.kind))
    }

    /// The type of a List of which all items were cut.
    fn type_of_whole(&self) -> TypeRead {
        let (document, end) = (self.document, self.end());
        let before = &document.text[document.content()..end];
        let is_one_line = before.len() <= MAX_IMPLICIT_KEY && memchr(b'\n', before).is_none();
        tail_type(&document.text[end..], self.notation, is_one_line, (&self.api_version, &self.kind))
    }

    /// Visits the items that were cut, of a List with this type.
    fn visit_cut(&self, list: Option<(&str, &str)>, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        let of_path = if self.notation == Notation::Table { type_of_path(self.document) } else { None };
        let parent = match (self.notation, list) {
            (Notation::Table, _) => of_path.as_ref().map(Parent::of_path),
            (_, Some((api_version, kind))) => Some(Parent::typed(api_version, kind)),
            (_, None) => Some(Parent::Untyped),
        };
        let of_document = |item: &Range<usize>| self.items + item.start..self.items + item.end;
        let ranges: Vec<_> = self.cut.items.iter().map(of_document).collect();
        cut_items(self.document, parent, &ranges, self.indent, None, visit);
    }

    /// Visits the items of a List of which all were cut.
    fn visit_whole(&self, read: TypeRead, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        let document = self.document;
        let read = match read {
            Err((ErrorKind::KindMissing { .. }, at)) => {
                let is_object = holds_objects(&document.text[self.items..]);
                type_of_path(document).ok_or((ErrorKind::KindMissing { is_object }, at))
            }
            read => read.map(|(list, _)| list),
        };
        let after = || read.as_ref().ok().map(|(api_version, kind)| (&**api_version, &**kind));
        self.visit_cut(self.type_before().or_else(after), visit);
        if let Err((kind, at)) = read {
            let is_missing = matches!(kind, ErrorKind::KindMissing { .. });
            let at = if is_missing { document.content() } else { self.end() + at };
            visit(Err(document.error(at, kind)));
        }
    }

    /// Parses what was not cut.
    fn rest(&self) -> Rest {
        let document = self.document;
        // What precedes it becomes blank, except for the brace and the key `items`, so that positions remain.
        let brace = if self.notation == Notation::Block { 0 } else { document.content() };
        let start = if self.notation == Notation::Block { 0 } else { brace + 1 };
        let blank = [0..brace, start..self.key, self.items..self.end()];
        let text = TextPart { blank: &blank, ..whole(document) }.text(document);
        let (mut parsed, after_root) = match parse_text(document, &text) {
            Ok((parsed, after_root)) => (Ok(parsed), after_root),
            Err(error) => (Err(error), None),
        };
        let before = [("apiVersion", &*self.api_version), ("kind", &*self.kind)];
        let mut is_repeated = false;
        if let Ok(Some(parsed)) = &mut parsed
            && let Some(map) = parsed.root.as_map_mut()
        {
            is_repeated = repeats(map, before, self.items);
            for (key, text) in before {
                if !text.is_empty() && map.get(key).is_none() {
                    map.insert(key, Span::default(), Node::new(Value::String(text.into())));
                }
            }
        }
        Rest { blank, parsed, after_root, is_repeated }
    }

    /// Visits the items that were cut, and then the rest.
    fn visit_with(&self, rest: Rest, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        let document = self.document;
        let map = rest.parsed.as_ref().ok().and_then(Option::as_ref).and_then(|parsed| parsed.root.as_map());
        let head = map.and_then(|map| Head::of_list(map).ok());
        let of_path = head.as_ref().and_then(|_| type_of_path(document));
        let after = || match &head {
            Some(head) if !head.kind.is_empty() => Some((head.api_version, head.kind)),
            _ => of_path.as_ref().map(|(api_version, kind)| (&**api_version, &**kind)),
        };
        self.visit_cut(self.type_before().or_else(after), visit);
        match rest.parsed {
            Ok(None) => (),
            Ok(Some(parsed)) => {
                let mut location = Location::of(document, &rest.blank);
                flatten(document, Part::of(&parsed), Body::Document, None, &mut location, visit);
            }
            Err(error) => visit(Err(error)),
        }
        if let Some(error) = rest.after_root {
            visit(Err(error));
        }
    }
}
