//! The transformers that kustomizations list: as texts, in files, and as what the kustomization of a directory builds.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::kustomization::{Effect, RESOURCES, documents_in, effect, filled, is_inline, joined, paths};
use kinds::view;
use syntax::given::UNKNOWN;
use syntax::tree::{Node, Span, Value};

/// How many paths below directories are followed for a kustomization: many may list one directory with many transformers.
const MOST: usize = 100;

/// What is at a path that a kustomization lists.
pub(super) enum Found<'f> {
    Kustomization(&'f Node),
    Documents(Cow<'f, [Node]>),
}

/// The transformers of a kustomization, each with the span of what lists it, given what is at paths. In the place of those that are not
/// known, or are too many, is one that gives objects without a namespace an unknown one.
pub(super) fn of<'f>(
    kustomization: &Node,
    directory: &Path,
    mut find: impl FnMut(&Path) -> Option<Found<'f>>,
) -> Vec<Node> {
    let mut all = Vec::new();
    for item in view::list(kustomization, "transformers") {
        let Some(text) = item.as_str() else { continue };
        if is_inline(text) {
            all.extend(documents_in(text).into_iter().map(|object| Node { span: item.span, ..object }));
            continue;
        }
        // The outermost namespace wins.
        let mut left: Vec<(PathBuf, Option<&str>)> = vec![(joined(directory, text), None)];
        let (mut seen, mut followed) = (HashSet::new(), 0);
        while let Some((path, namespace)) = left.pop() {
            match find(&path) {
                Some(Found::Kustomization(other)) if seen.insert(path.clone()) => {
                    let is_changed = effect(other) != Effect::Simple;
                    let own = filled(other, "namespace").or(is_changed.then_some(UNKNOWN));
                    let fields = RESOURCES.into_iter().chain(["components"]);
                    let listed = fields.flat_map(|field| paths(other, field, &path));
                    let listed = listed.take(MOST + 1).collect::<Vec<_>>();
                    followed += listed.len();
                    if followed > MOST {
                        return vec![unknown(item.span)];
                    }
                    left.extend(listed.into_iter().rev().map(|path| (path, namespace.or(own))));
                }
                Some(Found::Kustomization(_)) => (),
                Some(Found::Documents(objects)) => all.extend(objects.iter().map(|object| {
                    let mut object = Node { span: item.span, ..object.clone() };
                    let metadata = object.at_mut("metadata").and_then(Node::as_map_mut);
                    if let Some((name, metadata)) = namespace.zip(metadata) {
                        metadata.insert("namespace", Span::default(), Node::text(name));
                    }
                    object
                })),
                None => all.push(unknown(item.span)),
            }
        }
    }
    all
}

/// A transformer that gives objects without a namespace an unknown one.
fn unknown(span: Span) -> Node {
    let namespace = Node::map([("namespace", Node::text(UNKNOWN))]);
    let unset_only = Node::new(Value::Bool(true));
    let kind = Node::text("NamespaceTransformer");
    Node { span, ..Node::map([("kind", kind), ("metadata", namespace), ("unsetOnly", unset_only)]) }
}
