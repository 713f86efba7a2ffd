//! What the target of a patch selects (kustomize, api/resmap/reswrangler.go, Select).

use std::collections::BTreeMap;

use kinds::view;
use selector::labels::{Labels, Selector};
use syntax::gvk;
use syntax::tree::Node;
use text::pattern;

/// The texts of a map in an object.
pub(crate) fn texts(object: &Node, field: &str) -> BTreeMap<String, String> {
    let all = object.at(field).and_then(Node::as_map).into_iter().flatten();
    all.filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned()))).collect()
}

/// What a target selects, or the object that a patch names.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    /// The group, version, kind, namespace and name of the objects; empty for any.
    names: [String; 5],
    /// Whether these are regular expressions.
    is_pattern: bool,
    labels: Option<Selector>,
    annotations: Option<Selector>,
}

impl Selected {
    /// The fields of a target that are regular expressions.
    pub(crate) const FIELDS: [&str; 5] = ["group", "version", "kind", "namespace", "name"];

    /// What a target selects; `None` if kustomize refuses its selectors.
    pub(crate) fn by(target: &Node) -> Option<Self> {
        let selector = |field| match view::text(target, field) {
            "" => Some(None),
            selector => Selector::parse(selector).ok().map(Some),
        };
        let anchored = |text: &str| if text.is_empty() { String::new() } else { format!("^(?:{text})$") };
        Some(Self {
            names: Self::FIELDS.map(|field| anchored(view::text(target, field))),
            is_pattern: true,
            labels: selector("labelSelector")?,
            annotations: selector("annotationSelector")?,
        })
    }

    /// The object that a patch names.
    pub(crate) fn named(patch: &Node) -> Self {
        let group = view::text(patch, "apiVersion").split_once('/').map_or("", |(group, _)| group);
        let text = |field| view::text(patch, field);
        let names = [group, "", text("kind"), text("metadata.namespace"), text("metadata.name")];
        Self { names: names.map(str::to_owned), is_pattern: false, labels: None, annotations: None }
    }

    pub(crate) fn has_type(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = gvk::split_api_version(api_version);
        self.is_named(2, kind) && self.is_named(0, group) && self.is_named(1, version)
    }

    pub(crate) fn has_namespace(&self, namespace: &str) -> bool {
        self.is_named(3, namespace)
    }

    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.is_named(4, name)
    }

    /// The only name that it selects, if its expression is plain text.
    pub(crate) fn only_name(&self) -> Option<&str> {
        if !self.is_pattern {
            return Some(&self.names[4]);
        }
        let name = self.names[4].strip_prefix("^(?:")?.strip_suffix(")$")?;
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-').then_some(name)
    }

    pub(crate) fn has_labels(&self, labels: &impl Labels) -> bool {
        self.labels.as_ref().is_none_or(|selector| selector.matches(labels))
    }

    pub(crate) fn has_annotations(&self, annotations: &impl Labels) -> bool {
        self.annotations.as_ref().is_none_or(|selector| selector.matches(annotations))
    }

    /// Whether it selects by what names and types do not say.
    pub(crate) fn is_by_labels(&self) -> bool {
        self.labels.is_some() || self.annotations.is_some()
    }

    /// Compiles its regular expressions. Returns what this costs; `None` if one of them cannot be compiled.
    pub(crate) fn compile(&self) -> Option<usize> {
        let mut cost = 0;
        for pattern in self.names.iter().filter(|pattern| self.is_pattern && !pattern.is_empty()) {
            pattern::compiled(pattern, |size| cost += size)?;
        }
        Some(cost)
    }

    /// It without the name.
    pub(crate) fn of_any_name(mut self) -> Self {
        self.names[4].clear();
        self
    }

    fn is_named(&self, field: usize, own: &str) -> bool {
        let wanted = &*self.names[field];
        wanted.is_empty()
            || match self.is_pattern {
                true => pattern::compiled(wanted, |_| ()).is_some_and(|regex| regex.is_match(own)),
                false => wanted == own,
            }
    }
}
