//! What kustomize knows objects by (kustomize, kyaml/resid/resid.go).

use std::sync::Arc;

use crate::scan::kustomization::filled;
use compact_str::CompactString;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::catalog::{Catalog, Resource};
use manifest::names::{Affixes, ObjectNames};
use manifest::object::Object;
use syntax::gvk;
use text::excerpt;

/// An object of a file that a kustomization lists.
pub(super) struct ListedObject {
    pub id: Id,
    pub source: Arc<str>,
    pub line: usize,
}

impl ListedObject {
    /// What kustomize knows an object by; `None` if it has no name.
    pub(super) fn of(object: &Object<'_>, catalog: &Catalog) -> Option<Self> {
        let head = object.head;
        let resource = catalog.of(head.api_version, head.kind).filter(|resource| resource.is_built_in());
        // kustomize takes what it does not know as namespaced.
        let is_namespaced = resource.is_none_or(Resource::is_namespaced);
        // Patches know a Namespace by the name in its text, too.
        let written = head.given_names().and_then(|_| filled(object.value().ok()?, "metadata.name"));
        Some(Self {
            id: Id::new(head.api_version, head.kind, is_namespaced, head.namespace, written.or(head.name)?),
            source: Arc::clone(&object.document.source.name),
            line: object.place().line.unwrap_or_default(),
        })
    }
}

/// What kustomize knows an object by.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Id {
    pub api_version: CompactString,
    pub kind: CompactString,
    /// `None` in no namespace, whatever its text says; empty in the default one.
    pub namespace: Option<CompactString>,
    pub name: CompactString,
}

impl Id {
    /// That of an object whose text has this namespace.
    pub(super) fn new(
        api_version: &str,
        kind: &str,
        is_namespaced: bool,
        namespace: Option<&str>,
        name: &str,
    ) -> Self {
        Self {
            api_version: api_version.into(),
            kind: kind.into(),
            namespace: is_namespaced.then(|| known_namespace(namespace)),
            name: name.into(),
        }
    }

    /// It as `kind/name`.
    pub(super) fn title(&self) -> String {
        let kind = gvk::lower_kind(&self.kind, gvk::split_api_version(&self.api_version).0);
        format!("{kind}/{}", excerpt::identifier(&self.name))
    }

    /// Whether it is a Namespace, which gets the name of the namespace that a kustomization sets (kustomize,
    /// api/internal/konfig/builtinpluginconsts/namespace.go).
    pub(super) fn is_namespace(&self) -> bool {
        self.kind == "Namespace" && self.api_version == "v1"
    }

    /// It in another namespace, if it is in one.
    pub(super) fn moved(self, namespace: Option<&CompactString>) -> Self {
        if let Some(name) = namespace.filter(|_| self.is_namespace()) {
            let name = if name.is_empty() { DEFAULT_NAMESPACE.into() } else { name.clone() };
            return Self { name, ..self };
        }
        Self { namespace: self.namespace.map(|own| namespace.cloned().unwrap_or(own)), ..self }
    }

    /// It with what is put around names.
    pub(super) fn renamed(self, around: &[Affixes]) -> Self {
        let name = ObjectNames::new(&self.kind, &self.name, Some(around)).given().next().map(Into::into);
        Self { name: name.unwrap_or(self.name), ..self }
    }
}

/// The namespace that kustomize knows an object by whose text has this one.
pub(super) fn known_namespace(namespace: Option<&str>) -> CompactString {
    namespace.filter(|name| *name != DEFAULT_NAMESPACE).unwrap_or_default().into()
}
