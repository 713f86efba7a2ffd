//! A fast check whether an object is certainly valid, as most are: one pass over the cursor of its YAML, without a
//! tree.
//!
//! If the pass is uncertain, the tree is checked, which also gives the problems and their places. This file has no
//! rules of its own: it uses those of [`super::schema`] and [`super`], and gives up if one of them might not hold.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::schema::{self, BuiltIn, Custom, Field, Schema, Shape, scalar};
use super::{KindSchema, MAX_ANNOTATIONS, names, no_match, rules_of, schema_of};
use crate::catalog::{Catalog, Resource};
use crate::kinds::fields::Scalar;
use crate::manifest::document::Syntax;
use crate::manifest::gvk;
use crate::manifest::head::Head;
use crate::manifest::object::{Object, Spanned};
use crate::manifest::tree::{Entry, Node, Span, Value};
use crate::manifest::yaml::cursor::{Cursor, Item, Key, Reason, is_text};
use crate::manifest::yaml::flow::Flow;
use crate::manifest::yaml::index::Index;
use crate::manifest::yaml::scalar::{self as yaml, resolve};
use crate::selector::validation;

/// The maximum nesting of lists and maps here.
const MAX_DEPTH: usize = 64;

/// A map with more keys is left to the tree, which compares them by hash.
const MAX_KEYS: usize = 64;

/// Whether `object` is valid; `false` if that is not certain.
pub(super) fn is_valid(object: &Object<'_>, catalog: &Catalog) -> bool {
    let Some((text, indent)) = object.unread_yaml() else { return false };
    is_valid_head(object.head, catalog)
        && memchr(b'\t', text).is_none()
        && walk(text, indent, object.head, catalog).is_ok()
}

/// As [`is_valid`], by the tree of an object, if that is all of it.
pub(super) fn is_valid_tree(object: &Object<'_>, spanned: &Spanned<'_>, catalog: &Catalog) -> bool {
    // Of escapes and tabs in YAML kubectl does not read all.
    let is_read = || object.document.syntax == Syntax::Json || memchr2(b'\t', b'\\', &spanned.text).is_none();
    spanned.is_plain
        && is_valid_head(object.head, catalog)
        && is_read()
        && has_valid_fields(&spanned.tree, object.head, catalog)
}

fn has_valid_fields(tree: &Node, head: &Head<'_>, catalog: &Catalog) -> bool {
    // The items of a List may inherit its type.
    let is_set = |field: &str| tree.get(field).is_some_and(|node| !node.is_null());
    let annotations = tree.at("metadata.annotations").and_then(Node::as_map).into_iter().flatten();
    let mut size = 0;
    let mut is_valid = is_set("apiVersion") && is_set("kind");
    for Entry { key, value, .. } in annotations {
        size += key.len() + value.as_str().map_or(0, str::len);
        is_valid &= validation::label_key(&key.to_lowercase()).is_empty();
    }
    is_valid &= size <= MAX_ANNOTATIONS && no_match(head, catalog).is_none();
    let mut found = |_| is_valid = false;
    let schema = schema_of(head, catalog);
    match schema {
        Some(KindSchema::BuiltIn(kind)) => schema::check(tree, kind, &mut found),
        Some(KindSchema::Custom(schema)) => schema::check(tree, schema, &mut found),
        None => {}
    }
    // The metadata has the same type for all kinds.
    if !matches!(schema, Some(KindSchema::BuiltIn(_)))
        && let Some(metadata) = tree.get("metadata")
    {
        schema::check(metadata, BuiltIn::metadata(), &mut found);
    }
    is_valid
}

/// Whether the type, the names and the labels are valid.
fn is_valid_head(head: &Head<'_>, catalog: &Catalog) -> bool {
    let (group, _) = gvk::split_api_version(head.api_version);
    let rule = names::rule(group, head.kind, catalog.release());
    let is_namespaced = || catalog.of(head.api_version, head.kind).is_none_or(Resource::is_namespaced);
    !head.api_version.is_empty()
        // Rules need the whole object, with defaults.
        && rules_of(head, catalog).is_none()
        && (head.name.or(head.generate_name).is_some() || !names::has_names(group, head.kind))
        && head.name.is_none_or(|name| rule.messages(name).is_empty())
        && head.generate_name.is_none_or(|prefix| rule.prefix_messages(prefix).is_empty())
        && head
            .namespace
            .is_none_or(|namespace| validation::dns1123_label(namespace).is_empty() || !is_namespaced())
        && head.labels.iter().all(|(key, value)| {
            validation::label_key(key).is_empty() && validation::label_value(value).is_empty()
        })
}

/// Something may be invalid.
struct Uncertain;

impl From<Reason> for Uncertain {
    fn from(_: Reason) -> Self {
        Self
    }
}

type Sure<T = ()> = Result<T, Uncertain>;

/// Fails unless a rule holds.
fn sure(holds: bool) -> Sure {
    if holds { Ok(()) } else { Err(Uncertain) }
}

fn walk(text: &[u8], indent: usize, head: &Head<'_>, catalog: &Catalog) -> Sure {
    let mut index = Index::default();
    index.mark(text);
    let text = index.certain(text)?;
    let cursor = Cursor::new(text, index.part(0), indent);
    let mut walk = Walk { cursor, keys: Vec::new(), depth: 0, annotations: 0 };
    let Item::Map { column, .. } = walk.cursor.root()? else { return Err(Uncertain) };
    sure(no_match(head, catalog).is_none())?;
    match schema_of(head, catalog) {
        Some(KindSchema::BuiltIn(kind)) => walk.map(column, Some(kind), Level::Root)?,
        Some(KindSchema::Custom(schema)) => walk.map(column, Some(schema), Level::Root)?,
        None => walk.map(column, None::<Custom<'_>>, Level::Root)?,
    }
    sure(walk.cursor.peek()?.is_none())
}

/// The part of an object, as far as rules depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The object itself.
    Root,
    /// Its metadata.
    Metadata,
    /// The annotations of its metadata.
    Annotations,
    /// Its status, which only the server writes.
    Status,
    /// Anything else.
    Body,
}

impl Level {
    /// The part of the value of `key`.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Root, "status") | (Self::Status, _) => Self::Status,
            (Self::Metadata, "annotations") => Self::Annotations,
            _ => Self::Body,
        }
    }
}

/// A key of one of the open maps.
struct SeenKey<'t> {
    key: Cow<'t, str>,
    is_null: bool,
}

struct Walk<'t, 'i> {
    cursor: Cursor<'t, 'i>,
    /// The keys of the open maps, the innermost last.
    keys: Vec<SeenKey<'t>>,
    depth: usize,
    /// The size of the annotations in bytes.
    annotations: usize,
}

impl<'t> Walk<'t, '_> {
    /// Walks a value, which can be anything if `schema` is `None`.
    fn value<S: Schema>(&mut self, item: Item<'t>, schema: Option<S>, level: Level) -> Sure {
        match item {
            Item::Missing(_) => Ok(()),
            Item::Plain(text, range) => {
                self.annotated(level, text.len())?;
                self.plain(text, range, schema)
            }
            Item::Text(text, range) => {
                self.annotated(level, text.len())?;
                self.unescaped(&range)?;
                match schema.map(S::shape) {
                    None | Some(Shape::Any | Shape::Scalar(Scalar::String)) => Ok(()),
                    Some(Shape::Scalar(scalar)) => {
                        scalar_fits(scalar, &Node::new(Value::String(text.into())))
                    }
                    Some(_) => Err(Uncertain),
                }
            }
            Item::Flow(start) => self.flow(start, schema, level),
            Item::Map { column, .. } => match schema.map(|schema| (schema, schema.shape())) {
                None | Some((_, Shape::Any)) => self.map(column, None::<S>, level),
                Some((_, Shape::Map(value))) => self.free_map(column, value, level),
                Some((schema, Shape::Object)) => self.map(column, Some(schema), level),
                Some((_, Shape::Scalar(_) | Shape::List(_))) => Err(Uncertain),
            },
            Item::Seq { column, .. } => match schema.map(S::shape) {
                None | Some(Shape::Any) => self.seq(column, None::<S>, level),
                Some(Shape::List(item)) => self.seq(column, Some(item), level),
                Some(Shape::Scalar(_) | Shape::Map(_) | Shape::Object) => Err(Uncertain),
            },
        }
    }

    fn plain<S: Schema>(&self, text: Cow<'t, str>, range: Range<usize>, schema: Option<S>) -> Sure {
        match schema.map(S::shape) {
            Some(Shape::Scalar(Scalar::String)) if is_text(&text) => Ok(()),
            shape => {
                let value = resolve(&text).value(text).map_err(|_| Uncertain)?;
                let node = Node { value, span: Span { start: range.start, end: range.end } };
                match shape {
                    None | Some(Shape::Any) => Ok(()),
                    // For Go's decoder, null is a field that is not set.
                    Some(_) if node.is_null() => Ok(()),
                    Some(Shape::Scalar(scalar)) => scalar_fits(scalar, &node),
                    Some(_) => Err(Uncertain),
                }
            }
        }
    }

    /// A flow collection is short, so its tree is checked.
    fn flow<S: Schema>(&mut self, start: usize, schema: Option<S>, level: Level) -> Sure {
        let mut duplicates = Vec::new();
        let node = Flow::read(self.cursor.text(), start, &mut duplicates)?;
        self.cursor.end_flow(node.span.end)?;
        let is_empty = node.as_map().is_some_and(|map| map.is_empty());
        let is_simple = match level {
            Level::Root | Level::Annotations => is_empty,
            Level::Metadata => node.get("annotations").is_none(),
            Level::Status | Level::Body => true,
        };
        let text = &self.cursor.text().as_bytes()[node.span.start..node.span.end];
        sure(is_simple && duplicates.is_empty() && memchr(b'\\', text).is_none())?;
        let Some(schema) = schema else { return Ok(()) };
        // Missing fields of a status are not reported; here they only cause a check of the tree.
        let mut is_clean = true;
        schema::check(&node, schema, &mut |_| is_clean = false);
        sure(is_clean)
    }

    fn map<S: Schema>(&mut self, column: usize, schema: Option<S>, level: Level) -> Sure {
        let first = self.enter()?;
        while let Some((key, item)) = self.cursor.next(column)? {
            let item = self.keyed(key, item, column, first)?;
            let key = self.keys.last().map_or("", |seen| &*seen.key);
            let below = level.below(key);
            match schema.map_or(Field::Free, |schema| schema.field(key)) {
                // The metadata has the same type for all kinds.
                _ if below == Level::Metadata => self.value(item, Some(BuiltIn::metadata()), below)?,
                Field::Known(schema) => self.value(item, Some(schema), below)?,
                Field::Free => self.value(item, None::<S>, below)?,
                Field::Unknown => return Err(Uncertain),
            }
        }
        let keys = &self.keys[first..];
        let is_set = |name: &str| keys.iter().any(|seen| !seen.is_null && seen.key == name);
        // The items of a List may inherit its type.
        sure(level != Level::Root || is_set("apiVersion") && is_set("kind"))?;
        let mut is_complete = true;
        if let Some(schema) = schema
            && level != Level::Status
        {
            schema.required(&is_set, &mut |_| is_complete = false);
        }
        sure(is_complete)?;
        self.leave(first);
        Ok(())
    }

    /// A map with arbitrary keys, and values with the same schema.
    fn free_map<S: Schema>(&mut self, column: usize, value: S, level: Level) -> Sure {
        let first = self.enter()?;
        while let Some((key, item)) = self.cursor.next(column)? {
            if level == Level::Annotations {
                sure(validation::label_key(&key.text.to_lowercase()).is_empty())?;
                self.annotated(level, key.text.len())?;
            }
            let item = self.keyed(key, item, column, first)?;
            self.value(item, Some(value), level)?;
        }
        self.leave(first);
        Ok(())
    }

    fn seq<S: Schema>(&mut self, column: usize, schema: Option<S>, level: Level) -> Sure {
        let first = self.enter()?;
        while self.cursor.item(column)?.is_some() {
            let item = self.cursor.item_value(column)?;
            self.value(item, schema, level)?;
        }
        self.leave(first);
        Ok(())
    }

    /// Adds a key of the map at `column`, whose keys start at `first`, and reads its value unless the key is repeated.
    fn keyed(&mut self, key: Key<'t>, item: Option<Item<'t>>, column: usize, first: usize) -> Sure<Item<'t>> {
        let keys = &self.keys[first..];
        sure(keys.len() < MAX_KEYS && keys.iter().all(|seen| seen.key != key.text))?;
        self.unescaped(&key.span)?;
        let item = match item {
            Some(item) => item,
            None => self.cursor.value(column)?,
        };
        let is_null = match &item {
            Item::Missing(_) => true,
            // Most texts do not begin like null.
            Item::Plain(text, _) => {
                matches!(text.as_bytes(), [] | [b'~' | b'n' | b'N', ..])
                    && resolve(text) == yaml::Scalar::Null
            }
            _ => false,
        };
        self.keys.push(SeenKey { key: key.text, is_null });
        Ok(item)
    }

    /// Adds to the size of the annotations.
    fn annotated(&mut self, level: Level, bytes: usize) -> Sure {
        if level == Level::Annotations {
            self.annotations += bytes;
        }
        sure(self.annotations <= MAX_ANNOTATIONS)
    }

    /// Fails if a scalar in double quotes has escapes, not all of which kubectl reads.
    fn unescaped(&self, range: &Range<usize>) -> Sure {
        let text = &self.cursor.text().as_bytes()[range.clone()];
        sure(text.first() != Some(&b'"') || memchr(b'\\', text).is_none())
    }

    /// Enters a level. Returns the start of its keys.
    fn enter(&mut self) -> Sure<usize> {
        self.depth += 1;
        sure(self.depth <= MAX_DEPTH)?;
        Ok(self.keys.len())
    }

    fn leave(&mut self, first: usize) {
        self.depth -= 1;
        self.keys.truncate(first);
    }
}

fn scalar_fits(scalar: Scalar, node: &Node) -> Sure {
    scalar::check(scalar, node).map_err(|_| Uncertain)
}

#[cfg(test)]
mod tests {
    use super::super::findings;
    use super::*;
    use crate::manifest::document::Document;
    use crate::manifest::emit::yaml::{self as emit, KeyOrder};
    use crate::manifest::objects::objects;
    use crate::manifest::source::Source;
    use crate::manifest::yaml as reader;

    /// A custom kind, in addition to the built-in ones.
    const DEFINITION: &str = "
        apiVersion: apiextensions.k8s.io/v1
        spec:
          group: shop.example.com
          scope: Namespaced
          names: {kind: Widget, plural: widgets}
          versions:
          - name: v1
            schema:
              openAPIV3Schema:
                type: object
                properties:
                  spec:
                    type: object
                    required: [color]
                    properties:
                      color: {type: string}
                      parts: {type: array, items: {type: object, properties: {size: {type: integer}}}}
                      free: {type: object, additionalProperties: {type: boolean}}
    ";

    const WIDGET: &str = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  annotations:\n    \
        a.b/c: d\nspec:\n  color: red\n  parts:\n  - size: 5\n  - {size: 6}\n  free:\n    a: true\n    b: no\n";

    const GADGET: &str = "apiVersion: shop.example.com/v1\nkind: Gadget\nmetadata:\n  name: a\nspec:\n- a: b\n  c: |\n    \\d\n";

    fn catalog() -> Catalog {
        let mut catalog = Catalog::new();
        let definition = reader::parse(DEFINITION.as_bytes()).expect("YAML").expect("content").root;
        catalog.learn_definition(&definition).expect("a definition");
        catalog
    }

    /// Calls `visit` for each object of a document.
    fn each(text: &str, visit: &mut dyn FnMut(&Object<'_>)) {
        let (source, syntax) = (Source::stdin(), Syntax::Yaml);
        let document = Document::new(text.as_bytes(), syntax, &source);
        objects(document, &mut |object| {
            if let Ok(object) = object {
                visit(object);
            }
        });
    }

    /// The documents of fixtures/kinds, in their original and in block style, and two custom resources.
    fn documents() -> Vec<String> {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/kinds");
        let paths =
            std::fs::read_dir(directory).expect("a directory").map(|file| file.expect("a file").path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
        paths.sort();
        let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("text"));
        let mut documents: Vec<String> =
            texts.flat_map(|text| text.split("---\n").map(str::to_owned).collect::<Vec<_>>()).collect();
        let in_blocks = documents.iter().map(|document| {
            let root = reader::parse(document.as_bytes()).expect("YAML").expect("content").root;
            let mut text = String::new();
            emit::write(&root, KeyOrder::AsRead, &mut text);
            text
        });
        documents.extend(in_blocks.collect::<Vec<_>>());
        documents.extend([WIDGET, GADGET].map(str::to_owned));
        documents
    }

    /// Checks that the tree agrees whenever this is certain. Returns the number of invalid objects.
    fn check(text: &str, catalog: &Catalog) -> usize {
        let mut wrong = 0;
        each(text, &mut |object| {
            let spanned = object.spanned_without(&["status"]);
            let is_certain = is_valid(object, catalog)
                || spanned.is_ok_and(|spanned| is_valid_tree(object, &spanned, catalog));
            let is_valid = findings(object, catalog).is_ok_and(|found| found.is_empty());
            assert!(is_valid || !is_certain, "{text}");
            wrong += usize::from(!is_valid);
        });
        wrong
    }

    #[test]
    fn what_is_certain_holds_for_the_tree_too() {
        let catalog = catalog();
        let changes: [fn(&str) -> String; 10] = [
            |_| String::new(),
            |line| format!("{line}\n{line}"),
            |line| line.replacen(':', "x:", 1),
            |line| line.split_inclusive(": ").next().unwrap_or(line).to_owned() + "5",
            |line| line.split_inclusive(": ").next().unwrap_or(line).to_owned() + "~",
            |line| line.split_inclusive(": ").next().unwrap_or(line).to_owned() + "{a: b}",
            |line| line.split_inclusive(": ").next().unwrap_or(line).to_owned() + "[yes]",
            |line| line.split_inclusive(": ").next().unwrap_or(line).to_owned() + "\"a\\/b\"",
            |line| line.replacen(": ", ": !!str ", 1),
            |line| line.replacen("- ", "-\t", 1).replace('a', "A"),
        ];
        let mut wrong = 0;
        for (number, document) in documents().iter().enumerate() {
            check(document, &catalog);
            let lines: Vec<&str> = document.lines().collect();
            for at in 0..lines.len() {
                // One change per line, with a different one in the next document.
                let change = changes[(at + number) % changes.len()];
                let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                changed[at] = change(lines[at]);
                wrong += check(&(changed.join("\n") + "\n"), &catalog);
            }
        }
        assert!(wrong > 1000, "{wrong} objects with mistakes");
    }

    #[test]
    fn most_valid_objects_are_certain() {
        let catalog = catalog();
        let (mut certain, mut plain, mut valid) = (0, 0, 0);
        for document in documents() {
            each(&document, &mut |object| {
                if object.unread_yaml().is_some() {
                    certain += usize::from(is_valid(object, &catalog));
                    plain += usize::from(
                        object
                            .spanned_without(&[])
                            .is_ok_and(|spanned| is_valid_tree(object, &spanned, &catalog)),
                    );
                    valid += usize::from(findings(object, &catalog).is_ok_and(|found| found.is_empty()));
                }
            });
        }
        assert!(valid > 100 && certain * 100 > valid * 95, "{certain} of {valid} valid objects");
        assert!(plain * 100 > valid * 95, "{plain} of {valid} valid objects");
        for text in [WIDGET, GADGET] {
            each(text, &mut |object| assert!(is_valid(object, &catalog), "{text}"));
        }
    }

    #[test]
    fn annotations_are_measured_as_they_are_read() {
        let catalog = Catalog::new();
        let text = |size: usize| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    k: {}\nspec:\n  containers: []\n",
                "x".repeat(size)
            )
        };
        let is_valid = |text: &str| {
            let mut valid = None;
            each(text, &mut |object| valid = Some(is_valid(object, &catalog)));
            valid
        };
        assert_eq!(is_valid(&text(MAX_ANNOTATIONS - 1)), Some(true));
        assert_eq!(is_valid(&text(MAX_ANNOTATIONS)), Some(false));
    }
}
