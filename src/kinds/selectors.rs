//! The fields by which objects select others, each with what it means when it is absent or empty and with its rule for
//! namespaces.

/// A field that selects other objects.
#[derive(Clone, Copy, Debug)]
pub struct SelectorField {
    /// Where it stands: a dotted path, `[]` for every element of a list. The other paths are below this one.
    pub each: &'static str,
    pub path: &'static str,
    pub form: Form,
    pub absent: Meaning,
    pub empty: Meaning,
    pub selects: Whom,
    pub within: Within,
    /// The field is ignored where this path has this text.
    pub unless: Option<(&'static str, &'static str)>,
}

/// What a field is written as.
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

/// What a field means that is absent, or empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Nothing,
    Everything,
    /// What the labels of the pod template say.
    Template,
    /// That in this version, nothing in others.
    TemplateIn(&'static str),
    /// Everything but in this version, in which it is nothing.
    EverythingUnless(&'static str),
    /// Everything if this path is there, else nothing.
    EverythingWith(&'static str),
}

/// Which objects a field is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Those of a group and a kind.
    Kind(&'static str, &'static str),
    /// Those that admission rules at the first path name, and those at the second do not.
    Requests(&'static str, &'static str),
    /// The one that the reference names.
    Referenced,
}

/// In which namespaces a field selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In its object's own.
    Own,
    /// Objects that are in none.
    Cluster,
    /// In those that the label selector at the path selects; when it is absent, in its object's own.
    Selected(&'static str),
    /// In those listed in `namespaces` and those that `namespaceSelector` selects; without both, in its
    /// object's own.
    Affinity,
    /// As the monitors of the Prometheus operator say it at the path: `any`, or `matchNames`; else in their own.
    Monitor(&'static str),
    /// In those that the label selector at the path selects, absent for all. Of cluster-scoped objects only
    /// Namespaces are asked, for their own labels.
    Requests(&'static str),
}

pub const PODS: Whom = Whom::Kind("", "Pod");
pub(super) const NODES: Whom = Whom::Kind("", "Node");

/// A label selector of which null selects nothing and the empty one everything.
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

/// The fields of a pod spec, in whatever object it stands.
pub const POD_SPEC: &[SelectorField] = &[
    SelectorField { form: Form::PodSpec, ..by_labels("", "", NODES, Within::Cluster) },
    affinity("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    affinity("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    by_labels("topologySpreadConstraints[]", "labelSelector", PODS, Within::Own),
];

const fn affinity(each: &'static str) -> SelectorField {
    by_labels(each, "labelSelector", PODS, Within::Affinity)
}
