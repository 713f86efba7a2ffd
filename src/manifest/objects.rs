//! From documents to objects: skims heads where that is certain, and parses them otherwise.

use super::cut_list::{CutList, list_start};
use super::document::{Document, Form, Syntax};
use super::flatten::{Flattening, cut_items, type_of_kustomization};
use super::object::{Body, Object, parse, whole};
use super::source::Source;
use super::stream::Block;
use syntax::error::Error;
use syntax::head::{Head, is_table};
use syntax::json;
use syntax::json::entries::Json;
use syntax::json::kyaml::{self, Kyaml};
use syntax::yaml::cursor::Reason;
use syntax::yaml::head::{Skimmed, skim_with};
use syntax::yaml::index::Index;

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

/// Calls `visit` with the objects of a document, reusing the memory of a head and an index.
pub fn objects_with<'t>(
    head: &mut Head<'t>,
    index: &mut Index,
    document: Document<'t>,
    visit: &mut dyn FnMut(Result<&Object<'_>, Error>),
) {
    if let Some(items) = document.items {
        let (parent, form) = (items.parent(), items.list.start.notation.form());
        return cut_items(document, parent, &items.ranges, form, items.index.as_ref(), visit);
    }
    let skimmed = match document.syntax {
        Syntax::Yaml => match skim_with(index, document.text, Form::Document, head) {
            Skimmed::Declined(Reason::Root) if is_kyaml(document, head) => Skimmed::Object,
            skimmed => skimmed,
        },
        Syntax::Json if json::head::skim::<Json>(document.text, head) => Skimmed::Object,
        Syntax::Json => Skimmed::Declined(Reason::Root),
    };
    let is_typed = || type_of_kustomization(document.source, head).is_none();
    if skimmed == Skimmed::Object && !is_table(head.api_version, head.kind) && is_typed() {
        index.keep_if_small();
        document.source.give(head);
        let mut object = Object::new(head, document, Body::Document, None, whole(document));
        object.view = (document.syntax == Syntax::Yaml).then(|| index.part(0));
        return visit(Ok(&object));
    }
    let start = match skimmed {
        Skimmed::List(start) => Some(start),
        Skimmed::Object | Skimmed::Declined(_) => list_start(document.text, document.syntax),
    };
    let list = start.map(|start| CutList::new(document, start, index));
    if list.as_ref().is_some_and(|list| list.visit_unless_repeated(visit)) {
        return;
    }
    match (parse(document), list) {
        (Ok(Some(parsed)), _) => {
            Flattening::new(document, whole(document), visit).parsed(&parsed, Body::Document, None);
        }
        (Ok(None), _) => (),
        (Err(_), Some(list)) => list.visit(visit),
        (Err(error), None) => visit(Err(error)),
    }
}

/// Reads the head of an object in KYAML. Returns whether this was possible.
fn is_kyaml<'t>(document: Document<'t>, head: &mut Head<'t>) -> bool {
    kyaml::object(document.text).is_some_and(|object| json::head::skim::<Kyaml>(object, head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    /// The objects of a document at line 10, as `LINE KIND/NAME: TEXT`, or the errors' messages.
    fn read(text: &str, syntax: Syntax) -> Vec<String> {
        let source = Source::memory("s.yaml", b"");
        let document = Document::new(text.as_bytes(), syntax, &source).at(10, 1);
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
    fn an_error_in_an_item_hides_none_that_only_the_parser_can_read() {
        let broken = "s.yaml:12 (document 1): error converting YAML to JSON: yaml: did not find expected \
                      ',' or '}'";
        check(
            "items:\n- metadata: {a: b}\n- {b: c: d}\n- metadata: &a {}\n- metadata: {c: d}\nkind: PodList\n",
            &[
                "11 Pod/: apiVersion: \"\"\nkind: Pod\nmetadata: {a: b}\n",
                broken,
                "13 Pod/: apiVersion: \"\"\nkind: Pod\nmetadata: &a {}\n",
                "14 Pod/: apiVersion: \"\"\nkind: Pod\nmetadata: {c: d}\n",
            ],
        );
        check(
            "{\nitems: [ {kind: Pod, apiVersion: v1}, {b: c: d},\n{kind: 'Pod', apiVersion: v1}],\nkind: List}",
            &[
                "11 Pod/: {kind: Pod, apiVersion: v1}\n",
                &broken.replace(":12", ":11"),
                "12 Pod/: {kind: 'Pod', apiVersion: v1}\n",
            ],
        );
    }

    #[test]
    fn an_item_whose_first_line_cannot_be_read_does_not_hide_the_one_before() {
        check(
            "kind: PodList\napiVersion: v1\nitems:\n- metadata: {a: b}\n- a: \u{7}\n",
            &[
                "13 Pod/: apiVersion: v1\nkind: Pod\nmetadata: {a: b}\n",
                "s.yaml:14 (document 1): error converting YAML to JSON: yaml: control characters are not allowed",
            ],
        );
    }

    #[test]
    fn json_has_no_yaml_text() {
        assert_eq!(read("{\"kind\":\"Pod\"}", Syntax::Json), ["10 Pod/: (none)"]);
        assert_eq!(read("null", Syntax::Json), [""; 0]);
        let list = "{\"kind\":\"PodList\",\n\"items\":[{},\n5]}";
        let expected = [
            "11 Pod/: (none)",
            "s.yaml:12 (document 1): json: cannot unmarshal number into Go value of type unstructured.detector",
        ];
        assert_eq!(read(list, Syntax::Json), expected);
    }

    #[test]
    fn the_rows_of_a_table_are_read_one_by_one() {
        let table = "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"rows\":[\n\
                     {\"cells\":[],\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}},\n\
                     {\"cells\":[]},\n{\"object\":{\"kind\":5}},\n{\"object\":{5}},\n\
                     {\"object\":{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"}}],\"x\":1}";
        let expected = [
            "11 Pod/a: (none)",
            "s.yaml:13 (document 1): json: cannot unmarshal number into Go struct field kind of type string",
            "s.yaml:14 (document 1): Object 'Kind' is missing",
            "15 PartialObjectMetadata/: (none)",
        ];
        assert_eq!(read(table, Syntax::Json), expected);
    }

    #[test]
    fn lists_that_nest_too_deeply_are_an_error() {
        let depth = 20;
        let list = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[".repeat(depth) + &"]}".repeat(depth);
        assert_eq!(read(&list, Syntax::Json), ["s.yaml:10 (document 1): Lists are nested too deeply"]);
    }
}
