//! What the input itself teaches of resources, learnt before objects are selected: CustomResourceDefinitions,
//! OpenAPI documents, and where an argument needs it the kinds of its objects.

use std::ops::ControlFlow;

use memchr::memmem;

use crate::catalog::{Catalog, openapi};
use crate::manifest::document::Document;
use crate::manifest::error::Error;
use crate::manifest::list::{self, Object, objects, objects_of};
use crate::manifest::source::Source;
use crate::manifest::tree::Node;
use crate::pipeline::{self, Work};

const DEFINITION: &str = "CustomResourceDefinition";

/// What a document teaches of resources.
enum Lesson {
    Definition(Node),
    OpenApi(Node),
}

/// Learns the CustomResourceDefinitions and the OpenAPI documents of `sources`. What is wrong with a source, a
/// document or a definition is passed over here: the objects are read once more, and told of then.
pub fn learn_definitions(catalog: &mut Catalog, sources: &[Source]) {
    pipeline::run(sources, lessons, |lessons| {
        for lesson in &lessons {
            match lesson {
                Lesson::Definition(definition) => drop(catalog.learn_definition(definition)),
                Lesson::OpenApi(document) => catalog.learn_openapi(document),
            }
        }
        ControlFlow::Continue(())
    });
}

fn lessons(work: Work<'_>) -> Vec<Lesson> {
    let is_definition = |object: &Object<'_>| {
        object.head.kind == DEFINITION && object.head.api_version.starts_with("apiextensions.k8s.io/")
    };
    let Ok((block, source)) = work else { return Vec::new() };
    let mut lessons = Vec::new();
    for document in block.documents(source).flatten() {
        let mentions = |word: &str| memmem::find(document.text, word.as_bytes()).is_some();
        if mentions(DEFINITION) {
            objects(document, &mut |object| {
                let definition = object.ok().filter(|object| is_definition(object));
                let tree = definition.and_then(|definition| definition.tree().ok().cloned());
                lessons.extend(tree.map(Lesson::Definition));
            });
        }
        if mentions(openapi::SELECTABLE_FIELDS)
            && let Ok(Some(parsed)) = list::parse(document)
            && openapi::is_openapi(&parsed.root)
        {
            lessons.push(Lesson::OpenApi(parsed.root));
        }
    }
    lessons
}

/// Learns the kinds of the objects of `sources`, so that a TYPE can be one that nothing defines.
pub fn learn_kinds(catalog: &mut Catalog, sources: &[Source]) {
    let known = catalog.clone();
    let kinds = |work: Work<'_>| {
        let Ok((block, source)) = work else { return Vec::new() };
        let mut kinds = Vec::new();
        let mut learn = |object: Result<&Object<'_>, Error>| {
            let head = object.ok().map(|object| object.head);
            let unknown = head.filter(|head| known.of(head.api_version, head.kind).is_none());
            kinds.extend(unknown.map(|head| (head.api_version.to_owned(), head.kind.to_owned())));
        };
        objects_of(&block, source, &mut learn);
        kinds.dedup();
        kinds
    };
    pipeline::run(sources, kinds, |kinds| {
        kinds.iter().for_each(|(api_version, kind)| catalog.learn_kind(api_version, kind));
        ControlFlow::Continue(())
    });
}

/// What `of` makes of the objects of those documents that `wanted` admits.
pub(crate) fn collect<T, I: IntoIterator<Item = T>>(
    work: Work<'_>,
    wanted: impl Fn(&Document<'_>) -> bool,
    of: impl Fn(&Object<'_>) -> I,
) -> Vec<T> {
    let Ok((block, source)) = work else { return Vec::new() };
    let mut found = Vec::new();
    for document in block.documents(source).flatten().filter(wanted) {
        objects(document, &mut |object| found.extend(object.ok().into_iter().flat_map(&of)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shops.example.com}\n\
        spec:\n  group: example.com\n  names: {kind: Shop, plural: shops}\n  scope: Cluster\n  \
        versions: [{name: v1, served: true, storage: true}]\n";

    /// The scopes of the kinds `Shop` and `Stall` after learning from streams; nothing for one that is unknown.
    fn learn(learn: fn(&mut Catalog, &[Source]), streams: &[&str]) -> [Option<bool>; 2] {
        let sources: Vec<Source> =
            streams.iter().map(|stream| Source::memory("s", stream.as_bytes())).collect();
        let mut catalog = Catalog::new();
        learn(&mut catalog, &sources);
        ["Shop", "Stall"]
            .map(|kind| catalog.of("example.com/v1", kind).map(|resource| resource.is_namespaced()))
    }

    #[test]
    fn definitions_are_learnt_wherever_they_stand() {
        assert_eq!(learn(learn_definitions, &["kind: Pod\n", DEFINITION]), [Some(false), None]);
        let list =
            format!("kind: List\napiVersion: v1\nitems:\n- {}", DEFINITION.trim_end().replace('\n', "\n  "));
        assert_eq!(learn(learn_definitions, &[&list]), [Some(false), None]);
    }

    #[test]
    fn a_definition_of_another_group_defines_nothing() {
        let other = DEFINITION.replace("apiextensions.k8s.io", "example.com");
        assert_eq!(learn(learn_definitions, &[&other]), [None, None]);
    }

    #[test]
    fn what_is_broken_is_passed_over() {
        let broken = format!("kind: CustomResourceDefinition\nspec: {{\n---\n- a\n---\n{DEFINITION}");
        assert_eq!(learn(learn_definitions, &[&broken]), [Some(false), None]);
    }

    #[test]
    fn kinds_that_nothing_defines_are_learnt_from_their_objects() {
        let objects = "apiVersion: example.com/v1\nkind: Stall\n---\napiVersion: v1\nkind: Pod\n";
        assert_eq!(learn(learn_kinds, &[objects]), [None, Some(true)]);
        assert_eq!(learn(learn_definitions, &[objects]), [None, None]);
    }
}
