//! The data kept of an object after rules were applied to it: its identity, its position, and the [`Facts`] that matter to
//! other objects. None of its text is kept, so inputs of any size fit.

use std::sync::Arc;

use compact_str::CompactString;

use super::disabled::Disabled;
use super::facts::{Facts, Selects, Special};
use super::group_kind::{GroupKind, Kinds};
use crate::relation::object_kind::ObjectKind;
use kinds::catalog::Catalog;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use manifest::object::Object;
use syntax::error::Place;
use syntax::gvk::{self, GroupVersionKind};
use text::excerpt;

/// Fields that no rule reads, and that may be long.
pub(super) const UNREAD: [&str; 5] = ["status", "managedFields", "binaryData", "data", "stringData"];

/// Those of them that have the keys of a ConfigMap or a Secret.
pub(super) const KEYS: &[&str] = UNREAD.split_at(2).1;

/// The data kept of an object.
pub(super) struct CheckedObject {
    pub of: Arc<GroupKind>,
    /// Empty for cluster-scoped kinds.
    pub namespace: CompactString,
    /// Empty if it has none.
    pub name: CompactString,
    /// The name of its source.
    pub source: Arc<str>,
    /// The file that kustomize says it built the object from; `None` if it says nothing.
    pub origin: Option<Box<str>>,
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
    /// Whether its kind is not built in, and nothing says what fields it has in this version.
    pub lacks_schema: bool,
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
    /// What the head of an object says, without facts.
    pub(super) fn of_head(
        object: &Object<'_>,
        namespace: &str,
        selected: bool,
        catalog: &Catalog,
        kinds: &mut Kinds,
    ) -> Self {
        let head = object.head;
        let group = ObjectKind::new(head, namespace).group;
        let GroupVersionKind { kind, .. } = GroupVersionKind::new(head.api_version, head.kind);
        let resource = catalog.of(head.api_version, head.kind);
        let line = object.place().line.unwrap_or_default();
        let is_custom = !group.is_empty() && resource.is_none_or(|resource| !resource.is_built_in());
        let (_, version) = gvk::split_api_version(head.api_version);
        let has_schema = || resource?.definition()?.version(version)?.schema.as_ref();
        Self {
            of: kinds.get(group, kind),
            namespace: namespace.into(),
            name: head.name.unwrap_or_default().into(),
            source: Arc::clone(&object.document.source.name),
            origin: None,
            line,
            name_line: line,
            names_namespace: head.namespace.is_some(),
            uid: head.uid.filter(|uid| !uid.is_empty()).map(Box::from),
            is_custom,
            lacks_schema: is_custom && has_schema().is_none(),
            is_namespaced: resource.map(|resource| resource.is_namespaced()),
            selected,
            disabled: Box::default(),
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
        let special = Special { parts, ..Special::default() };
        Self {
            of: Arc::new(GroupKind { group: CompactString::default(), kind: kind.into() }),
            namespace: namespace.unwrap_or(DEFAULT_NAMESPACE).into(),
            name: name.into(),
            source: file,
            origin: None,
            line: 1,
            name_line: 1,
            names_namespace: namespace.is_some(),
            uid: None,
            is_custom: false,
            lacks_schema: false,
            is_namespaced: Some(true),
            selected: false,
            disabled: Box::default(),
            facts: Some(Box::new(Facts { special: Some(Box::new(special)), ..Facts::default() })),
        }
    }

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
