//! A fast check whether an object is certainly valid, as most are: the tree that the cursor reads of its YAML is checked.
//!
//! If this is uncertain, the whole document is parsed, which also gives the problems and their places.

use super::checks::{of_tree, rules_of};
use kinds::catalog::Catalog;
use manifest::object::{Object, Spanned};

/// Whether `object` is valid; `false` if that is not certain.
pub(super) fn is_valid(object: &Object<'_>, catalog: &Catalog) -> bool {
    object.spanned_without(&[]).is_ok_and(|spanned| is_valid_tree(object, &spanned, catalog))
}

/// Whether an object is certainly valid, by its tree, if that is all of it.
pub(super) fn is_valid_tree(object: &Object<'_>, spanned: &Spanned<'_>, catalog: &Catalog) -> bool {
    // Rules need the whole object, with defaults.
    spanned.is_plain
        && rules_of(object.head, catalog).is_none()
        && of_tree(object.head, &spanned.tree, catalog).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::checks::refusals;
    use super::*;
    use kinds::MAX_ANNOTATIONS;
    use manifest::document::{Document, Syntax};
    use manifest::objects::objects;
    use manifest::source::Source;
    use syntax::emit::yaml::{self as emit, KeyOrder};
    use syntax::yaml as reader;

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
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kinds");
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
            emit::text(&root, KeyOrder::AsRead)
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
            let is_valid = refusals(object, catalog).is_ok_and(|found| found.is_empty());
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
                    valid += usize::from(refusals(object, &catalog).is_ok_and(|found| found.is_empty()));
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
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    k: {}\nspec:\n  containers:\n  - name: a\n    image: a\n",
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
