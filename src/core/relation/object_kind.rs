//! The kind of an object, and what the tables of kinds know of it.

use super::pods::{self, Pods, below};
use crate::scan::kustomization;
use kinds::Kind;
use kinds::references::{IfMissing, ReferenceField};
use kinds::selectors::SelectorField;
use syntax::given::GivenNamespaces;
use syntax::gvk::{self, GroupVersionKind};
use syntax::head::Head;
use syntax::tree::Node;

/// The kind of an object, with what is known of it, and the namespace of the object.
#[derive(Clone, Copy)]
pub(crate) struct ObjectKind<'a> {
    /// The row of a built-in kind; `None` for other kinds.
    known: Option<&'static Kind>,
    /// The group of today.
    pub group: &'a str,
    pub version: &'a str,
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
    /// The namespaces that its file's objects get; `None` if they keep theirs.
    pub given: Option<&'a GivenNamespaces>,
}

impl<'a> ObjectKind<'a> {
    pub(crate) fn new(head: &Head<'a>, namespace: &'a str) -> Self {
        Self { given: head.given, ..Self::of(head.api_version, head.kind, namespace) }
    }

    pub(crate) fn of(api_version: &'a str, kind: &'a str, namespace: &'a str) -> Self {
        let GroupVersionKind { group, version, kind } = GroupVersionKind::new(api_version, kind);
        let group = gvk::successor(group, kind);
        Self { known: kinds::find(group, kind), group, version, kind, namespace, given: None }
    }

    /// Any object of a kind; `group` is the group of today.
    pub(super) fn of_kind(group: &'a str, kind: &'a str) -> Self {
        Self { known: kinds::find(group, kind), group, version: "", kind, namespace: "", given: None }
    }

    /// The same for what an object of the kind has in another namespace.
    pub(super) fn within(self, namespace: &'a str) -> Self {
        Self { namespace, ..self }
    }

    /// The fields of its kind that select.
    pub(super) fn selectors(&self) -> &'static [SelectorField] {
        self.known.map_or(&[], Kind::selectors)
    }

    /// The fields of its kind that refer to others, besides those of its pod.
    pub(crate) fn references(&self) -> &'static [ReferenceField] {
        self.known.map_or(&[], Kind::references)
    }

    /// Where the pod of such an object is, or its template; empty if the object is one.
    pub(crate) fn pod_path(&self) -> Option<&'static str> {
        self.known.and_then(|kind| kind.pod)
    }

    /// The pod of the object: itself, or its template; `None` if it has none, or its kind is custom.
    pub(crate) fn pod<'o>(&self, object: &'o Node) -> Option<&'o Node> {
        below(object, self.pod_path()?)
    }

    /// The same with its path, or what look like the templates of pods in an object of a custom kind.
    pub(crate) fn pods<'o>(&self, object: &'o Node) -> Pods<'o> {
        match self.pod_path() {
            Some(path) => below(object, path).map(|pod| (path.into(), pod)).into_iter().collect(),
            None if self.is_custom() => pods::of_custom(object),
            None => Pods::new(),
        }
    }

    /// Where the spec of the pod of the object is; `None` if it has none.
    pub(crate) fn pod_spec_path(&self) -> Option<String> {
        self.pod_path().map(|path| if path.is_empty() { "spec".to_owned() } else { format!("{path}.spec") })
    }

    /// Whether it is no kind of Kubernetes, so that not all fields by which its objects name others are known.
    pub(super) fn is_custom(&self) -> bool {
        self.known.is_none() || !kinds::is_own_group(self.group)
    }

    /// Whether it is a file of kustomize.
    pub(super) fn is_of_kustomize(&self) -> bool {
        self.group == kustomization::GROUP
    }

    /// Whether objects of this kind may name others.
    pub(super) fn may_refer(&self) -> bool {
        !self.references().is_empty() || self.pod_path().is_some() || self.is_custom()
    }

    /// Whether objects of this kind make others, whose names follow from their fields.
    pub(super) fn may_make(&self) -> bool {
        self.references().iter().any(|field| matches!(field.meaning, IfMissing::Makes | IfMissing::Issued))
    }

    /// Whether objects of this kind make pods.
    pub(crate) fn is_workload(&self) -> bool {
        self.kind != "Pod" && self.pod_path().is_some()
    }

    /// Whether objects of this kind may make pods.
    pub(super) fn may_be_workload(&self) -> bool {
        self.is_workload() || self.is_custom()
    }

    /// The templates of pods by whose labels an object is selected: those without labels, which policies and pipelines of custom
    /// kinds have, are not meant by a selector that selects everything.
    pub(super) fn templates<'o>(&self, object: &'o Node) -> impl Iterator<Item = &'o Node> {
        let [may_be, is_custom] = [self.may_be_workload(), self.is_custom()];
        let is_it = move |pod: &&Node| may_be && (!is_custom || pods::each_label(pod).next().is_some());
        self.pods(object).into_iter().map(|(_, pod)| pod).filter(is_it)
    }

    /// Whether objects of this kind may select others.
    pub(crate) fn may_select(&self) -> bool {
        !self.selectors().is_empty() || self.pod_path().is_some()
    }
}
