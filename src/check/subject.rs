//! An object while rules are applied to it ([`Reading`]), and the data kept of it afterwards ([`CheckedObject`]): its
//! identity, its position, and the [`Facts`] that matter to other objects. None of its text is kept, so inputs of any
//! size fit.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use compact_str::CompactString;
use memchr::memchr_iter;

use super::Checker;
use super::disabled::{self, Disabled};
use super::facts::{self, Facts, Selects, Special};
use super::refused;
use crate::catalog::Resource;
use crate::catalog::definition::Definition;
use crate::kinds::release::Release;
use crate::kinds::view;
use crate::manifest::error::{Error, Place};
use crate::manifest::gvk::{self, GroupVersionKind};
use crate::manifest::head::Head;
use crate::manifest::object::{Object, Spanned};
use crate::manifest::tree::{Node, Span};
use crate::policy::verdict::Decision;
use crate::relation::object_kind::ObjectKind;
use crate::relation::selectors::{self, SelectingFields};
use crate::scan::conventions;
use crate::scan::kustomization::Changes;
use crate::selector::labels::Selector;
use crate::text::excerpt;
use crate::validation;

/// Fields that no rule reads, and that may be long.
pub(super) const UNREAD: [&str; 5] = ["binaryData", "data", "managedFields", "status", "stringData"];

/// The type of an object.
pub(super) struct GroupKind {
    /// Today's group.
    pub group: CompactString,
    pub kind: CompactString,
}

/// The types that were met, so that many objects of one type share it.
#[derive(Default)]
pub(super) struct Kinds(Vec<Arc<GroupKind>>);

impl Kinds {
    /// How many types are looked at, the last ones first.
    const LOOKED_AT: usize = 16;

    fn get(&mut self, group: &str, kind: &str) -> Arc<GroupKind> {
        let mut known = self.0.iter().rev().take(Self::LOOKED_AT);
        if let Some(known) = known.find(|known| known.kind == kind && known.group == group) {
            return Arc::clone(known);
        }
        let new = Arc::new(GroupKind { group: group.into(), kind: kind.into() });
        self.0.push(Arc::clone(&new));
        new
    }
}

/// The data kept of an object.
pub(super) struct CheckedObject {
    pub of: Arc<GroupKind>,
    /// Empty for cluster-scoped kinds.
    pub namespace: CompactString,
    /// Empty if it has none.
    pub name: CompactString,
    /// The name of its source.
    pub source: Arc<str>,
    /// The line on which it starts, 1-based.
    pub line: usize,
    /// The line of its name.
    pub name_line: usize,
    /// Whether its text has a namespace. If not, it is decided when the object is applied.
    pub names_namespace: bool,
    /// Its uid from a server. `None` for a manifest.
    pub uid: Option<Box<str>>,
    /// Whether its kind is not built in.
    pub is_custom: bool,
    /// Whether its kind is namespaced. `None` if unknown.
    pub is_namespaced: Option<bool>,
    /// Whether findings about it are shown.
    pub selected: bool,
    /// The rules that are disabled for it.
    pub disabled: Box<[Disabled]>,
    /// Facts that matter to other objects. `None` for most kinds.
    pub facts: Option<Box<Facts>>,
}

impl CheckedObject {
    /// Its identity in a cluster: group, kind, namespace and name.
    pub(super) fn identity(&self) -> [&str; 4] {
        [&self.of.group, &self.of.kind, &self.namespace, &self.name]
    }

    pub(super) fn is(&self, group: &str, kind: &str) -> bool {
        self.of.kind == kind && self.of.group == group
    }

    /// Whether it comes from a server, as part of a dump.
    pub(super) fn is_live(&self) -> bool {
        self.uid.is_some()
    }

    /// The objects that its own selector selects; `None` if it has none.
    pub(super) fn selects(&self) -> Option<&Selects> {
        self.facts.as_ref()?.selects.as_deref()
    }

    /// What only a few kinds have.
    pub(super) fn special(&self) -> Option<&Special> {
        self.facts.as_ref()?.special.as_deref()
    }

    /// As in `deployment.apps/web`.
    pub(super) fn title(&self) -> String {
        format!("{}/{}", gvk::lower_kind(&self.of.kind, &self.of.group), excerpt::identifier(&self.name))
    }

    /// `FILE:LINE`
    pub(super) fn location(&self) -> String {
        self.place(self.line).to_string()
    }

    /// The place of a line in it.
    pub(super) fn place(&self, line: usize) -> Place {
        Place { source: Arc::clone(&self.source), line: Some(line), document: None }
    }
}

/// An object with its text, for the rules about single objects.
pub(super) struct Reading<'o> {
    pub subject: CheckedObject,
    /// The object as the owner of fields that select others.
    pub owner: ObjectKind<'o>,
    pub tree: &'o Node,
    pub head: &'o Head<'o>,
    /// The release of Kubernetes to check against.
    pub release: Release,
    /// What the input says of its kind. `None` of built-in kinds, and of kinds that nothing defines.
    pub definition: Option<&'o Definition>,
    /// Whether SOPS encrypted some of its values.
    pub is_encrypted: bool,
    /// Whether the user named its source.
    pub is_named: bool,
    /// What kustomizations do to it; `None` if none builds from its file.
    pub kustomized: Option<Changes>,
    /// Whether it may be a part of an object, to be completed.
    pub is_fragment: bool,
    /// The problems that the API server would report.
    pub refused: Vec<validation::Finding>,
    /// The policies that it violates.
    pub decisions: Vec<Decision>,
    lines: Lines<'o>,
    links: OnceCell<SelectingFields>,
}

impl<'o> Reading<'o> {
    /// Reads an object in `namespace`; `spanned` is without the fields of [`UNREAD`].
    pub(super) fn of(
        object: &'o Object<'_>,
        spanned: &'o Spanned<'_>,
        namespace: &'o str,
        selected: bool,
        Checker { catalog, policies, purposes, .. }: &'o Checker<'_>,
        kinds: &mut Kinds,
    ) -> Result<Self, Error> {
        let tree = &*spanned.tree;
        let head = object.head;
        let owner = ObjectKind::new(head, namespace);
        let lines = Lines::of(spanned);
        let line = lines.first;
        let GroupVersionKind { kind, .. } = GroupVersionKind::new(head.api_version, head.kind);
        let resource = catalog.of(head.api_version, head.kind);
        let uid = Some(view::text(tree, "metadata.uid")).filter(|uid| !uid.is_empty());
        let subject = CheckedObject {
            of: kinds.get(owner.group, kind),
            namespace: namespace.into(),
            name: head.name.unwrap_or_default().into(),
            source: Arc::clone(&object.document.source.name),
            line,
            name_line: line,
            names_namespace: head.namespace.is_some(),
            uid: uid.map(Box::from),
            is_custom: !owner.group.is_empty() && resource.is_none_or(|resource| !resource.is_built_in()),
            is_namespaced: resource.map(|resource| resource.is_namespaced()),
            selected,
            disabled: disabled::disabled(object, tree, &lines, line).into(),
            facts: None,
        };
        let refused =
            if selected { validation::validate_read(object, spanned, catalog)? } else { Vec::new() };
        let decisions = match selected && !policies.is_empty() {
            true => policies.decisions(object, namespace, catalog)?,
            false => Vec::new(),
        };
        let definition = resource.and_then(Resource::definition);
        let mut reading = Self {
            subject,
            owner,
            tree,
            head,
            release: catalog.release(),
            definition,
            is_encrypted: conventions::is_encrypted(tree),
            is_named: object.document.source.named,
            kustomized: purposes.kustomizations.changes(Path::new(&*object.document.source.name)),
            is_fragment: purposes.has_fragments(object.document.source)
                || !object.document.source.named && refused::is_patch(&refused, tree),
            refused,
            decisions,
            lines,
            links: OnceCell::new(),
        };
        reading.subject.name_line = reading.line_at("metadata.name");
        reading.subject.facts = facts::of(&reading, catalog).map(Box::new);
        Ok(reading)
    }

    /// Whether a server wrote the object. Fixtures made from a dump may show this without a uid.
    pub(super) fn is_from_server(&self) -> bool {
        const WRITTEN: [&str; 4] = ["deletionTimestamp", "generation", "resourceVersion", "selfLink"];
        let metadata = self.tree.get("metadata");
        let is_set =
            |key: &&str| metadata.and_then(|metadata| metadata.get(key)).is_some_and(|node| !node.is_null());
        self.subject.is_live() || WRITTEN.iter().any(is_set)
    }

    /// Everything that it selects.
    pub(super) fn links(&self) -> &SelectingFields {
        self.links.get_or_init(|| selectors::selecting_fields(self.owner, self.tree))
    }

    /// Its own selector. `None` if it has none, or one that is absent, empty or invalid.
    pub(super) fn own_selector(&self) -> Option<&Selector> {
        self.links().own_selector(self.owner)
    }

    /// The line of the key at a dotted path, or of the last key on the way that exists.
    pub(super) fn line_at(&self, path: &str) -> usize {
        let (mut node, mut line) = (self.tree, self.subject.line);
        for key in path.split('.') {
            let Some(entry) = node.as_map().and_then(|map| map.entry(key)) else { break };
            line = self.line_of(entry.key_span);
            node = &entry.value;
        }
        line
    }

    /// The line of a span in the object. The content of an alias is at the start of the object.
    pub(super) fn line_of(&self, span: Span) -> usize {
        self.lines.of_span(span).unwrap_or(self.subject.line)
    }
}

/// The line numbers of an object, by the offsets of its spans.
pub(super) struct Lines<'o> {
    /// The first line of the object in its source, 1-based.
    first: usize,
    /// The object's own text, and its place.
    text: &'o [u8],
    span: Span,
    /// The offsets of the line feeds in a long text.
    feeds: OnceCell<Vec<usize>>,
}

impl<'o> Lines<'o> {
    /// The length up to which line feeds are counted each time: that is faster than to collect and search them.
    const COUNTED: usize = 1 << 12;

    fn of(Spanned { tree, text, line, .. }: &'o Spanned<'_>) -> Self {
        let Span { start, end } = tree.span;
        let before = text.get(..start).unwrap_or_default();
        Self {
            first: line + memchr_iter(b'\n', before).count(),
            text: text.get(start..end).unwrap_or_default(),
            span: tree.span,
            feeds: OnceCell::new(),
        }
    }

    /// The line of a span. `None` if it is not in the object's text.
    pub(super) fn of_span(&self, span: Span) -> Option<usize> {
        let at = span.start.checked_sub(self.span.start).filter(|_| span.start < self.span.end)?;
        let before = match self.text.get(..at) {
            Some(before) if before.len() <= Self::COUNTED => memchr_iter(b'\n', before).count(),
            _ => {
                let feeds = self.feeds.get_or_init(|| memchr_iter(b'\n', self.text).collect());
                feeds.partition_point(|&feed| feed < at)
            }
        };
        Some(self.first + before)
    }
}

/// The strings of a list, each with its node.
pub(super) fn texts<'a>(tree: &'a Node, path: &str) -> impl Iterator<Item = (&'a Node, &'a str)> {
    view::list(tree, path).iter().filter_map(|node| Some((node, node.as_str()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_short_and_long_texts_are_counted_alike() {
        for length in [Lines::COUNTED / 2, Lines::COUNTED * 3] {
            let before = "# a\n---\n";
            let text = before.to_owned() + &"a: b\n\n".repeat(length / 6);
            let span = Span { start: before.len(), end: text.len() };
            let own = &text.as_bytes()[span.start..];
            let lines = Lines { first: 3, text: own, span, feeds: OnceCell::new() };
            for start in (0..text.len() + 9).step_by(7) {
                let expected = (span.start <= start && start < span.end)
                    .then(|| 1 + text[..start].matches('\n').count());
                assert_eq!(lines.of_span(Span { start, end: start }), expected, "{start} of {length}");
            }
        }
    }
}
