//! The fields by which objects select others, with the meaning of absent and empty fields and the rule for namespaces.

/// A field that selects other objects.
#[derive(Clone, Copy, Debug)]
pub struct SelectorField {
    /// Its position: a dotted path, with `[]` for every element of a list. The other paths are relative to it.
    pub each: &'static str,
    /// Its path below that.
    pub path: &'static str,
    /// How it selects.
    pub form: Form,
    /// What it selects if it is absent or null.
    pub absent: Meaning,
    /// What it selects if it is empty.
    pub empty: Meaning,
    /// The objects among which it selects.
    pub selects: Whom,
    /// Their namespaces.
    pub within: Within,
    /// The field is ignored if this path has this text.
    pub unless: Option<(&'static str, &'static str)>,
}

/// The form of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Labels and the values they must have.
    Map,
    /// matchLabels and matchExpressions.
    LabelSelector,
    /// nodeSelectorTerms.
    NodeSelector,
    /// The nodeSelector and affinity of a pod spec.
    PodSpec,
    /// apiVersion, kind and name.
    Reference,
    /// A name.
    Name,
}

/// The meaning of an absent or empty field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// No object.
    Nothing,
    /// All objects.
    Everything,
    /// The labels of the pod template.
    Template,
    /// The same in this version; nothing in others.
    TemplateIn(&'static str),
    /// Everything, except in this version, in which it means nothing.
    EverythingUnless(&'static str),
    /// Everything if this path exists, or else nothing.
    EverythingWith(&'static str),
}

/// The objects that a field selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Those of a group and a kind.
    Kind(&'static str, &'static str),
    /// The objects that the admission rules at the first path match, and those at the second do not.
    Requests(&'static str, &'static str),
    /// The one that the reference names.
    Referenced,
}

/// The namespaces in which a field selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In its object's own.
    Own,
    /// Objects that are in none.
    Cluster,
    /// The namespaces that the label selector at the path selects; if it is absent, the object's own.
    Selected(&'static str),
    /// The namespaces in `namespaces` and those that `namespaceSelector` selects; without either, the object's own.
    Affinity,
    /// As in monitors of the Prometheus operator, at the path: `any` or `matchNames`; otherwise their own.
    Monitor(&'static str),
    /// The namespaces that the label selector at the path selects, or all if it is absent. Of cluster-scoped objects,
    /// only Namespaces are matched, by their own labels.
    Requests(&'static str),
}

/// The pods.
pub const PODS: Whom = Whom::Kind("", "Pod");
pub(super) const NODES: Whom = Whom::Kind("", "Node");

/// A label selector for which null selects nothing and an empty one everything.
pub(super) const fn by_labels(
    each: &'static str,
    path: &'static str,
    selects: Whom,
    within: Within,
) -> SelectorField {
    use Meaning::{Everything, Nothing};
    let form = Form::LabelSelector;
    SelectorField { each, path, form, absent: Nothing, empty: Everything, selects, within, unless: None }
}

/// The fields of a pod spec, in any object.
pub const POD_SPEC: &[SelectorField] = &[
    SelectorField { form: Form::PodSpec, ..by_labels("", "", NODES, Within::Cluster) },
    affinity("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    affinity("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    by_labels("topologySpreadConstraints[]", "labelSelector", PODS, Within::Own),
];

/// A term of a pod affinity, which selects pods.
pub const fn affinity(each: &'static str) -> SelectorField {
    by_labels(each, "labelSelector", PODS, Within::Affinity)
}
