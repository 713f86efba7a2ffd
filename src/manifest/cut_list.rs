//! Lists that are read item by item, although their text is available as a whole. They are read as large Lists are, so
//! that the size makes no difference.

use std::cell::OnceCell;
use std::mem;
use std::ops::Range;

use memchr::memchr;

use super::document::{Document, Syntax};
use super::flatten::{Flattening, cut_items};
use super::list::{ListType, Parent, repeats};
use super::object::{Body, Object, TextPart, parse_text, whole};
use syntax::error::{Error, ErrorKind};
use syntax::json;
use syntax::json::entries::Json;
use syntax::json::kyaml::{self, Cutting};
use syntax::list::{ListStart, MAX_IMPLICIT_KEY, Notation};
use syntax::parsed::Parsed;
use syntax::tree::{Node, Span, Value};
use syntax::yaml;
use syntax::yaml::index::Index;
use syntax::yaml::list::{self, Cut, ListEnd};

/// The start of the List that begins this text, all of a document or only its beginning; `None` if it is not a List, or
/// this is uncertain.
pub(super) fn list_start(text: &[u8], syntax: Syntax) -> Option<ListStart> {
    match syntax {
        Syntax::Json => json::list::list_start::<Json>(text, Notation::Json),
        Syntax::Yaml => kyaml::list_start(text)
            .or_else(|| kyaml::array_start(text))
            .or_else(|| yaml::head::list_start(text)),
    }
}

/// A List whose items are cut off one by one.
pub(super) struct CutList<'t, 'i> {
    document: Document<'t>,
    /// The index of the document, if it is YAML.
    index: &'i Index,
    list: ListType,
    /// The items that could be cut; their offsets count from the first one.
    cut: Cut,
    /// What could not, once it has been read.
    rest: OnceCell<Rest>,
}

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

impl<'t, 'i> CutList<'t, 'i> {
    /// The List that is the document, which has this start and this index.
    pub(super) fn new(document: Document<'t>, start: ListStart, index: &'i Index) -> Self {
        let items = &document.text[start.items..];
        let cut = match start.notation {
            Notation::Block { dash } => list::cut(document.text, index, start.items, dash, true),
            Notation::Flow | Notation::Array => Cutting::of(items).cut,
            Notation::Json | Notation::Table => json::list::cut(items, true, start.notation),
        };
        let place = document.place(document.content());
        let list = ListType::new(start, place, items, document.type_of_path());
        let mut list = Self { document, index, list, cut, rest: OnceCell::new() };
        // What is not cut is read together with the anchors that it may refer to.
        if list.cut.rest == ListEnd::Uncertain
            && let Some(earlier) = list.cut.before_anchors()
            && (list.cut.refers_outside || list.rest().parsed.is_err())
        {
            let cut = mem::replace(&mut list.cut, earlier);
            list.rest.take();
            // If that is an error, too, it hides no item before it.
            if list.rest().parsed.is_err() {
                list.cut = cut;
            }
        }
        list
    }

    /// Visits all items.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        match self.is_whole() {
            true => self.visit_whole(self.read_tail(), visit),
            false => self.visit_with(self.rest(), visit),
        }
    }

    /// Visits the items; visits nothing and returns `false` if no item could be cut, or if a field is repeated after the
    /// items: the last one counts, which requires reading the List as a whole.
    pub(super) fn visit_unless_repeated(&self, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) -> bool {
        if self.is_whole() {
            let read = self.read_tail();
            let is_repeated = matches!(read, Ok(true) | Err((ErrorKind::ListTail, _)));
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
        self.list.start.items + self.cut.end
    }

    /// Reads the text after the items of a List of which all were cut. Returns whether a field is repeated.
    fn read_tail(&self) -> Result<bool, (ErrorKind, usize)> {
        let (document, end) = (self.document, self.end());
        let before = &document.text[document.content()..end];
        let is_one_line = before.len() <= MAX_IMPLICIT_KEY && memchr(b'\n', before).is_none();
        self.list.read_tail(&document.text[end..], is_one_line)
    }

    /// Visits the items that were cut, once the type of the List has been read, after an error in the fields before them.
    fn visit_cut(&self, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        if let Err((kind, at)) = self.list.start.check(self.document.text) {
            visit(Err(self.document.error(at, kind)));
        }
        let ListStart { notation, items, .. } = self.list.start;
        let of_document = |item: &Range<usize>| items + item.start..items + item.end;
        let ranges: Vec<_> = self.cut.items.iter().map(of_document).collect();
        let parent = self.list.parent(Parent::Untyped);
        cut_items(self.document, parent, &ranges, notation.form(), Some(self.index), visit);
    }

    /// Visits the items of a List of which all were cut, whose tail was `read`.
    fn visit_whole(
        &self,
        read: Result<bool, (ErrorKind, usize)>,
        visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
    ) {
        self.visit_cut(visit);
        if let Err((kind, at)) = read {
            let is_missing = matches!(kind, ErrorKind::KindMissing { .. });
            let at = if is_missing { self.document.content() } else { self.end() + at };
            visit(Err(self.document.error(at, kind)));
        }
    }

    /// What was not cut.
    fn rest(&self) -> &Rest {
        self.rest.get_or_init(|| self.parse_rest())
    }

    fn parse_rest(&self) -> Rest {
        let document = self.document;
        // What precedes it becomes blank, except for the brace and the key `items`, so that positions remain.
        let ListStart { notation, key, items, .. } = self.list.start;
        let (brace, start) = match notation {
            Notation::Block { .. } => (0, 0),
            _ => (document.content(), document.content() + 1),
        };
        let blank = [0..brace, start..key, items..self.end()];
        let text = TextPart { blank: &blank, ..whole(document) }.text(document);
        let (mut parsed, after_root) = match parse_text(document, &text) {
            Ok((parsed, after_root)) => (Ok(parsed), after_root),
            Err(error) => (Err(error), None),
        };
        let before = self.list.fields();
        let mut is_repeated = false;
        if let Ok(Some(parsed)) = &mut parsed
            && let Some(map) = parsed.root.as_map_mut()
        {
            is_repeated = repeats(map, before, items);
            for (key, text) in before {
                if !text.is_empty() && map.get(key).is_none() {
                    map.insert(key, Span::default(), Node::new(Value::String(text.into())));
                }
            }
        }
        Rest { blank, parsed, after_root, is_repeated }
    }

    /// Visits the items that were cut, and then the rest.
    fn visit_with(&self, rest: &Rest, visit: &mut dyn FnMut(Result<&Object<'_>, Error>)) {
        let document = self.document;
        let parsed = rest.parsed.as_ref().ok().and_then(Option::as_ref);
        self.list.read_whole(parsed.and_then(|parsed| parsed.root.as_map()));
        self.visit_cut(visit);
        match &rest.parsed {
            Ok(None) => (),
            Ok(Some(parsed)) => {
                let text = TextPart { blank: &rest.blank, ..whole(document) };
                Flattening::new(document, text, visit).parsed(parsed, Body::Document, None);
            }
            Err(error) => visit(Err(error.clone())),
        }
        if let Some(error) = &rest.after_root {
            visit(Err(error.clone()));
        }
    }
}
