//! Properties of an object that depend on its kind: its namespace and its labels.

use std::{iter, mem};

use super::Catalog;
use selector::labels::Labels;
use syntax::given::{AddedLabels, GivenLabels};
use syntax::head::Head;

/// The label that the control plane gives every Namespace
/// (apiserver, plugin/namespace/lifecycle; core/v1/defaults.go, SetDefaults_Namespace).
pub const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// The namespace of objects that name none, as after `kubectl apply`.
pub const DEFAULT_NAMESPACE: &str = "default";

/// The namespace an object is in: that of the kustomization that lists it, its own, that of the Application that applies it, or
/// else `default`; empty for cluster-scoped kinds, and for live objects without a namespace of kinds that are not known. If
/// several give it one, their namespaces are joined by commas ([`syntax::given`]).
///
/// *Compatibility* (default-namespace): an object without a namespace counts as being in that of `-n`, or else in `default`,
/// as after `kubectl apply`.
pub fn namespace_of<'a>(head: &Head<'a>, catalog: &Catalog, default: &'a str) -> &'a str {
    match catalog.of(head.api_version, head.kind) {
        Some(resource) if !resource.is_namespaced() => "",
        // If its kind is known to be namespaced, the namespace was probably removed after the object was created.
        None if head.is_cluster_scoped() => "",
        _ => match head.given {
            Some(given) => given.of(head.namespace),
            None => head.namespace.unwrap_or(default),
        },
    }
}

/// The labels of an object: those in its text, and for a Namespace also its name.
#[derive(Clone, Copy, Debug)]
pub struct ObjectLabels<'h, 't>(pub &'h Head<'t>);

/// The labels that an object has in one of the builds of its file, as selectors and label columns see them.
#[derive(Clone, Copy, Debug)]
pub struct BuiltLabels<'h, 't> {
    own: ObjectLabels<'h, 't>,
    /// Those that the build adds.
    added: Option<&'t AddedLabels>,
}

impl<'h, 't> ObjectLabels<'h, 't> {
    /// The labels in the order of the text.
    pub fn iter(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let name = self.namespace_name().map(|name| (NAMESPACE_NAME, name));
        let written = self.0.labels.iter().copied();
        written.filter(move |(key, _)| name.is_none() || *key != NAMESPACE_NAME).chain(name)
    }

    /// The value of a label; `None` if the object does not have it.
    pub fn get(&self, key: &str) -> Option<&'t str> {
        let name = self.namespace_name().filter(|_| key == NAMESPACE_NAME);
        name.or_else(|| self.0.label(key))
    }

    /// Those in each of its builds; those in its text if nothing adds any.
    ///
    /// *Compatibility* (given-labels): kubectl selects manifests by the labels in their text.
    pub fn builds(self) -> impl Iterator<Item = BuiltLabels<'h, 't>> {
        let mut given = self.0.given_labels.map(GivenLabels::builds);
        let mut is_text = given.is_none();
        let added = move || match &mut given {
            Some(given) => given.next().map(|added| Some(&**added)),
            None => mem::take(&mut is_text).then_some(None),
        };
        iter::from_fn(added).map(move |added| BuiltLabels { own: self, added })
    }

    /// The values of a label in its builds; `None` for those in which it has none.
    pub fn values<'k>(self, key: &'k str) -> impl Iterator<Item = Option<&'t str>> + use<'h, 't, 'k> {
        self.builds().map(move |labels| labels.get(key))
    }

    /// The name of a Namespace; `None` for other kinds.
    pub fn namespace_name(&self) -> Option<&'t str> {
        self.0.name.filter(|_| self.0.kind == "Namespace" && self.0.api_version == "v1")
    }
}

impl<'t> BuiltLabels<'_, 't> {
    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let added = self.added.into_iter().flatten();
        let added = added.filter_map(|(key, label)| Some((&**key, label.value.as_deref()?)));
        let is_own = move |(key, _): &(&str, &str)| self.added.is_none_or(|added| !added.contains_key(*key));
        self.own.iter().filter(is_own).chain(added)
    }

    /// The value of a label; `None` if the object does not have it.
    pub fn get(&self, key: &str) -> Option<&'t str> {
        self.added_value(key).or_else(|| self.own.get(key))
    }

    /// The value of a label that is added.
    pub fn added_value(&self, key: &str) -> Option<&'t str> {
        self.added?.get(key)?.value.as_deref()
    }
}

impl Labels for ObjectLabels<'_, '_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key)
    }
}

impl Labels for BuiltLabels<'_, '_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_has_its_name_as_a_label() {
        let labels = vec![(NAMESPACE_NAME, "stale"), ("a", "b")];
        let head =
            Head { api_version: "v1", kind: "Namespace", name: Some("shop"), labels, ..Head::default() };
        let labels = ObjectLabels(&head);
        assert_eq!(labels.get(NAMESPACE_NAME), Some("shop"));
        assert_eq!(labels.iter().collect::<Vec<_>>(), [("a", "b"), (NAMESPACE_NAME, "shop")]);
        let service = Head { kind: "Service", labels: Vec::new(), ..head };
        assert_eq!(ObjectLabels(&service).get(NAMESPACE_NAME), None);
    }
}
