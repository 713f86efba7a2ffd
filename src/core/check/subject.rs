//! The data kept of an object after rules were applied to it: its identity, its position, and the [`Facts`] that matter to
//! other objects. None of its text is kept, so inputs of any size fit.

use std::num::NonZeroU64;
use std::ops::Deref;
use std::sync::Arc;

use compact_str::CompactString;

use super::disabled::Disabled;
use super::facts::{Common, Facts, Known, Line, Pod, Selects, Special};
use super::home::{GroupKind, Home};
use crate::relation::object_kind::ObjectKind;
use kinds::catalog::Catalog;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use syntax::error::Place;
use syntax::given;
use syntax::gvk::{self, GroupVersionKind};
use syntax::head::Head;
use text::excerpt;

/// Fields that no rule reads, and that may be long.
pub(super) const UNREAD: [&str; 5] = ["status", "managedFields", "binaryData", "data", "stringData"];

/// Those of them that have the keys of a ConfigMap or a Secret.
pub(super) const KEYS: &[&str] = UNREAD.split_at(2).1;

/// The kind whose controller makes a Secret of its name, with its keys.
pub(super) const SEALED: (&str, &str) = ("bitnami.com", "SealedSecret");

/// What makes a Secret of what another system keeps.
pub(super) const EXTERNAL: (&str, &str) = ("external-secrets.io", "ExternalSecret");

/// The data kept of an object.
pub(super) struct CheckedObject {
    pub home: Arc<Home>,
    /// Empty if it has none.
    pub name: CompactString,
    /// The line on which it starts, 1-based.
    pub line: usize,
    /// The line of its name.
    pub name_line: Line,
    /// The hash of its uid from a server. `None` for a manifest.
    pub uid: Option<NonZeroU64>,
    /// Whether its text has a namespace. If not, it is decided when the object is applied.
    pub names_namespace: bool,
    /// Whether findings about it are shown.
    pub selected: bool,
    pub rare: Option<Box<Rare>>,
    /// Facts that matter to other objects. `None` for most kinds.
    pub facts: Option<Arc<Facts>>,
}

/// What most objects do not have.
#[derive(Default)]
pub(super) struct Rare {
    /// The file that kustomize says it built the object from; `None` if it says nothing.
    pub origin: Option<String>,
    /// The rules that are disabled for it.
    pub disabled: Vec<Disabled>,
    /// Whether it has none of what its kind requires, so that something may merge it into an object of its name.
    pub is_partial: bool,
    /// Whether something may change how it is related to others that is not followed, as replacements do.
    pub may_change: bool,
    /// Whether that may be its labels, or those of its pods.
    pub may_relabel: bool,
}

impl Rare {
    /// `None` if there is nothing.
    pub(super) fn of(origin: Option<String>, disabled: Vec<Disabled>) -> Option<Box<Self>> {
        (origin.is_some() || !disabled.is_empty())
            .then(|| Box::new(Self { origin, disabled, ..Self::default() }))
    }
}

impl Deref for CheckedObject {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.home
    }
}

impl CheckedObject {
    /// What the head of an object in a source says, without facts. It starts on this line.
    pub(super) fn of_head(
        head: &Head<'_>,
        (source, line): (&Arc<str>, usize),
        namespace: &str,
        selected: bool,
        catalog: &Catalog,
        known: &Known,
    ) -> Self {
        let group = ObjectKind::new(head, namespace).group;
        let GroupVersionKind { kind, .. } = GroupVersionKind::new(head.api_version, head.kind);
        let resource = catalog.of(head.api_version, head.kind);
        let is_custom = !group.is_empty() && resource.is_none_or(|resource| !resource.is_built_in());
        let (_, version) = gvk::split_api_version(head.api_version);
        let has_schema = || resource?.definition()?.version(version)?.schema.as_ref();
        let written = head.namespace.unwrap_or(DEFAULT_NAMESPACE);
        let is_moved = head.given.is_some() && !namespace.is_empty() && namespace != written;
        let home = Home {
            of: GroupKind::new(group, kind),
            namespace: namespace.into(),
            moved_from: is_moved.then(|| written.into()),
            names: head.given_names().filter(|names| names.contains(',')).map(CompactString::from),
            source: Arc::clone(source),
            is_custom,
            lacks_schema: is_custom && has_schema().is_none(),
            is_namespaced: resource.map(|resource| resource.is_namespaced()),
        };
        Self {
            home: known.homes.get(home),
            name: head.name.unwrap_or_default().into(),
            line,
            name_line: Line::default(),
            uid: head.uid.and_then(|uid| known.uids.of(uid)),
            names_namespace: head.namespace.is_some(),
            selected,
            rare: None,
            facts: None,
        }
    }

    /// A ConfigMap or a Secret that a generator in `file` makes. Without a namespace, whoever applies it chooses one.
    pub(super) fn generated(
        kind: &str,
        namespace: Option<&str>,
        name: &str,
        file: Arc<str>,
        keys: Option<Vec<String>>,
    ) -> Self {
        let parts = keys.map(|keys| keys.into_iter().map(CompactString::from).collect());
        let special = Some(Box::new(Special { parts, ..Special::default() }));
        let common = Arc::new(Common { special, ..Common::default() });
        let home = Home {
            of: GroupKind::new("", kind),
            namespace: namespace.unwrap_or(DEFAULT_NAMESPACE).into(),
            moved_from: None,
            names: None,
            source: file,
            is_custom: false,
            lacks_schema: false,
            is_namespaced: Some(true),
        };
        Self {
            home: Arc::new(home),
            name: name.into(),
            line: 1,
            name_line: Line::default(),
            uid: None,
            names_namespace: namespace.is_some(),
            selected: false,
            rare: None,
            facts: Some(Arc::new(Facts { common, ..Facts::default() })),
        }
    }

    /// Its identity in a cluster: group, kind, namespace and name.
    pub(super) fn identity(&self) -> [&str; 4] {
        [&self.of.group, &self.of.kind, &self.namespace, &self.name]
    }

    /// Whether its text or a kustomization says in which namespace it is.
    pub(super) fn is_placed(&self) -> bool {
        (self.names_namespace || self.moved_from.is_some()) && !given::has_unknown(&self.namespace)
    }

    pub(super) fn is(&self, group: &str, kind: &str) -> bool {
        self.of.kind == kind && self.of.group == group
    }

    /// Whether it comes from a server, as part of a dump.
    pub(super) fn is_live(&self) -> bool {
        self.uid.is_some()
    }

    /// Whether something may change how it is related to others that is not followed.
    pub(super) fn may_change(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.may_change)
    }

    /// Whether something of it is selected by labels.
    pub(super) fn is_selectable(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| !facts.selectable.is_empty())
    }

    /// The objects that its own selector selects; `None` if it has none.
    pub(super) fn selects(&self) -> Option<Selects<'_>> {
        let facts = self.facts.as_ref()?;
        let (line, within) = &facts.common.selects;
        let selector = facts.selector.as_ref()?.with(&self.name);
        Some(Selects { selector, line: line.after(self.line), within })
    }

    /// The pods that it is or makes.
    pub(super) fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.facts.iter().flat_map(|facts| facts.pods())
    }

    /// What only a few kinds have.
    pub(super) fn special(&self) -> Option<&Special> {
        self.facts.as_ref()?.common.special.as_deref()
    }

    /// Its name in findings, such as `deployment.apps/web`.
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
