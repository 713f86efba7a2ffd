//! Which objects are meant: types, names, namespaces and selectors as one question.

use crate::catalog::Catalog;
use crate::catalog::grammar::Request;
use crate::glob;
use crate::manifest::head::Head;
use crate::selector::labels::{Labels, Selector};

/// The label that the control plane gives every Namespace
/// (apiserver, plugin/namespace/lifecycle; core/v1/defaults.go, SetDefaults_Namespace).
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// The namespace of objects that name none, as after `kubectl apply`.
pub const DEFAULT_NAMESPACE: &str = "default";

/// All conditions that an object has to meet.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// What was asked for by TYPE and NAME, in that order; empty for everything.
    pub requests: Vec<Request>,
    /// What is left out, whatever else holds.
    pub exclude: Vec<Request>,
    /// The namespace that namespaced objects must be in; nothing for all of them.
    pub namespace: Option<String>,
    /// Label selectors, all of which must hold.
    pub labels: Vec<Selector>,
    /// Whether the selectors are turned round.
    pub invert: bool,
}

/// Which of the requests an object meets, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The number of the request; 0 when there are none.
    pub request: usize,
    /// Whether the object's name matches the request's as a pattern only. Such objects count when none has
    /// exactly that name.
    pub by_pattern: bool,
}

impl Selection {
    /// Adds the slots of the output in which an object with this head belongs to `slots`: none when it is not
    /// selected, several when it was asked for repeatedly.
    pub fn slots(&self, head: &Head<'_>, catalog: &Catalog, slots: &mut Vec<Slot>) {
        if !self.is_in_namespace(head, catalog) || self.is_excluded(head, catalog) {
            return;
        }
        let labels = ObjectLabels(head);
        if self.has_selectors() && self.labels.iter().all(|selector| selector.matches(&labels)) == self.invert
        {
            return;
        }
        if self.requests.is_empty() {
            return slots.push(Slot { request: 0, by_pattern: false });
        }
        for (request, wanted) in
            self.requests.iter().enumerate().filter(|(_, wanted)| is_of(wanted, head, catalog))
        {
            let name = head.name.unwrap_or("");
            let by_pattern = match wanted.name.as_deref() {
                None => false,
                Some(wanted) if wanted == name => false,
                Some(pattern) if glob::is_pattern(pattern) && glob::matches(pattern, name) => true,
                Some(_) => continue,
            };
            slots.push(Slot { request, by_pattern });
        }
    }

    /// Whether there is a selector, which `invert` turns round.
    pub fn has_selectors(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The namespace an object is in, its own or the one it would be applied to; empty for cluster-scoped
    /// kinds.
    pub fn namespace_of<'a>(&'a self, head: &Head<'a>, catalog: &Catalog) -> &'a str {
        match catalog.of(head.api_version, head.kind) {
            Some(resource) if !resource.is_namespaced() => "",
            _ => head.namespace.unwrap_or(self.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE)),
        }
    }

    fn is_in_namespace(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        let Some(namespace) = &self.namespace else { return true };
        let own = self.namespace_of(head, catalog);
        own.is_empty() || own == namespace
    }

    fn is_excluded(&self, head: &Head<'_>, catalog: &Catalog) -> bool {
        let is_named = |request: &Request| match (&request.name, head.name) {
            (None, _) => true,
            (Some(pattern), Some(name)) => pattern == name || glob::matches(pattern, name),
            (Some(_), None) => false,
        };
        self.exclude.iter().any(|request| is_of(request, head, catalog) && is_named(request))
    }
}

/// Whether the object is of the requested resource and, where one was asked for, version.
fn is_of(request: &Request, head: &Head<'_>, catalog: &Catalog) -> bool {
    // The kinds are compared first because they mostly differ.
    request.resource.kind() == head.kind
        && catalog.of(head.api_version, head.kind) == Some(&request.resource)
        && request.api_version.as_deref().is_none_or(|api_version| api_version == head.api_version)
}

/// The labels of an object as selectors and label columns see them: those in its text, and of a Namespace
/// also its name.
#[derive(Clone, Copy, Debug)]
pub struct ObjectLabels<'h, 't>(pub &'h Head<'t>);

impl<'t> ObjectLabels<'_, 't> {
    /// The labels in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let name = self.namespace_name().map(|name| (NAMESPACE_NAME, name));
        let written = self.0.labels.iter().copied();
        written.filter(move |(key, _)| name.is_none() || *key != NAMESPACE_NAME).chain(name)
    }

    /// The value of a label; nothing when the object does not have it.
    pub fn get(&self, key: &str) -> Option<&'t str> {
        let name = self.namespace_name().filter(|_| key == NAMESPACE_NAME);
        name.or_else(|| self.0.label(key))
    }

    /// The name of a Namespace; nothing for other kinds.
    fn namespace_name(&self) -> Option<&'t str> {
        self.0.name.filter(|_| self.0.kind == "Namespace" && self.0.api_version == "v1")
    }
}

impl Labels for ObjectLabels<'_, '_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.get(key)
    }
}
