//! An object as the rules see it: who it is, where it stands, and of its content what some rule looks at.

use std::path::Path;

use memchr::memchr_iter;

use super::disabled::{self, Disabled};
use super::versions::Ending;
use crate::catalog::Catalog;
use crate::gvk::GroupVersionKind;
use crate::manifest::error::{Error, Place};
use crate::manifest::list::Object;
use crate::manifest::tree::{Map, Node, Span, Value};
use crate::relation::{links, references};
use crate::validation;
use crate::view;

/// Fields of an object's metadata that no rule reads and that may be long.
const UNREAD: [&str; 2] = ["annotations", "managedFields"];

pub(super) struct Subject {
    /// The group of today.
    pub group: String,
    pub version: String,
    pub kind: String,
    /// Empty for cluster-scoped kinds.
    pub namespace: String,
    /// Empty when there is none.
    pub name: String,
    /// Where it starts.
    pub place: Place,
    /// Whether its findings are asked for.
    pub selected: bool,
    /// The rules that are turned off for it.
    pub disabled: Vec<Disabled>,
    /// The end of its version, if it ends.
    pub ending: Option<Ending>,
    /// What the API server would refuse.
    pub refused: Vec<validation::Finding>,
    /// `metadata` and, of kinds that select or are selected by their content, all the rest.
    pub tree: Node,
    lines: Lines,
}

/// Where the lines of an object start, by the offsets of its spans.
pub(super) struct Lines {
    /// The line of the source on which the object starts, 1-based.
    first: usize,
    /// The object's own text.
    text: Span,
    /// The offsets of its line feeds.
    feeds: Vec<usize>,
}

impl Subject {
    /// What is kept of an object.
    pub(super) fn read(
        object: &Object<'_>,
        namespace: &str,
        selected: bool,
        catalog: &Catalog,
    ) -> Result<Self, Error> {
        let tree = object.tree()?;
        let owner = links::Subject::new(object.head, namespace);
        let place = object.place();
        let lines = Lines::of(object, tree);
        let line_of = |key: &str| {
            let span = tree.as_map().and_then(|map| map.entry(key)).map(|entry| entry.key_span);
            span.and_then(|span| lines.of_span(span)).or(place.line).unwrap_or(1)
        };
        let ending = Ending::of(object, tree, line_of);
        let GroupVersionKind { version, kind, .. } =
            GroupVersionKind::new(object.head.api_version, object.head.kind);
        Ok(Self {
            group: owner.group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: object.head.name.unwrap_or_default().to_owned(),
            selected,
            ending,
            disabled: disabled::disabled(object, tree, &lines, place.line.unwrap_or(1)),
            refused: validation::validate(object, catalog)?,
            tree: kept(tree, owner.may_select() || references::are_in(owner.group, owner.kind)),
            place,
            lines,
        })
    }

    /// The object as the one whose fields select others.
    pub(super) fn owner(&self) -> links::Subject<'_> {
        links::Subject {
            group: &self.group,
            version: &self.version,
            kind: &self.kind,
            namespace: &self.namespace,
        }
    }

    /// Which object of a cluster it is: group, kind, namespace and name.
    pub(super) fn identity(&self) -> [&str; 4] {
        [&self.group, &self.kind, &self.namespace, &self.name]
    }

    /// The directory of its file; empty for standard input.
    pub(super) fn directory(&self) -> &Path {
        Path::new(&*self.place.source).parent().unwrap_or(Path::new(""))
    }

    /// The line on which the object starts.
    pub(super) fn line(&self) -> usize {
        self.place.line.unwrap_or(1)
    }

    /// The line of the key at a dotted path, or of the last one on the way that is there.
    pub(super) fn line_at(&self, path: &str) -> usize {
        let (mut node, mut line) = (&self.tree, self.line());
        for key in path.split('.') {
            let Some(entry) = node.as_map().and_then(|map| map.entry(key)) else { break };
            line = self.line_of(entry.key_span);
            node = &entry.value;
        }
        line
    }

    /// The line of something in the object. What stands elsewhere, behind an alias, is where the object starts.
    pub(super) fn line_of(&self, span: Span) -> usize {
        self.lines.of_span(span).unwrap_or_else(|| self.line())
    }

    /// As in `deployment.apps/web`.
    pub(super) fn title(&self) -> String {
        format!("{}/{}", crate::gvk::lower_kind(&self.kind, &self.group), self.name)
    }

    /// `FILE:LINE`
    pub(super) fn location(&self) -> String {
        Place { document: None, ..self.place.clone() }.to_string()
    }
}

impl Lines {
    fn of(object: &Object<'_>, tree: &Node) -> Self {
        let (text, line) = object.spanned_text();
        let Span { start, end } = tree.span;
        let before = text.get(..start).unwrap_or_default();
        let own = text.get(start..end).unwrap_or_default();
        Self {
            first: line + memchr_iter(b'\n', before).count(),
            text: tree.span,
            feeds: memchr_iter(b'\n', own).map(|at| start + at).collect(),
        }
    }

    /// The line of a span; nothing where it is not in the object's text.
    pub(super) fn of_span(&self, span: Span) -> Option<usize> {
        let within = self.text.start <= span.start && span.start < self.text.end;
        within.then(|| self.first + self.feeds.partition_point(|&feed| feed < span.start))
    }
}

/// What rules read of an object.
fn kept(tree: &Node, whole: bool) -> Node {
    let mut kept = Map::new();
    for entry in tree.as_map().into_iter().flatten() {
        let mut value = match entry.key.as_str() {
            "metadata" => entry.value.clone(),
            _ if whole => entry.value.clone(),
            _ => continue,
        };
        if let ("metadata", Some(metadata)) = (entry.key.as_str(), value.as_map_mut()) {
            UNREAD.iter().for_each(|field| drop(metadata.remove(field)));
        }
        kept.insert(entry.key.clone(), entry.key_span, value);
    }
    Node { value: Value::Map(kept), span: tree.span }
}

/// The texts of a list below a subject's metadata, each with its node.
pub(super) fn texts<'a>(subject: &'a Subject, path: &str) -> impl Iterator<Item = (&'a Node, &'a str)> {
    view::list(&subject.tree, path).iter().filter_map(|node| Some((node, node.as_str()?)))
}
