//! Who points at whom: one table of the fields by which objects select others, each with what it means when it
//! is absent or empty and with its rule for namespaces.

use std::collections::HashMap;

use super::fits::NodeRequirements;
use super::form;
use super::pods::{self, below, elements};
use super::references::joined;
use crate::catalog::Catalog;
use crate::catalog::object::ObjectLabels;
use crate::kinds::view;
use crate::manifest::gvk::{self, GroupVersionKind};
use crate::manifest::head::Head;
use crate::manifest::tree::Node;
use crate::selector::labels::{Labels, Selector};
use crate::selector::{Operator, Requirement};

/// A field that selects other objects.
#[derive(Clone, Copy)]
struct Field {
    /// Where it stands: a dotted path, `[]` for every element of a list. The other paths are below this one.
    each: &'static str,
    path: &'static str,
    form: Form,
    absent: Meaning,
    empty: Meaning,
    selects: Whom,
    within: Within,
    /// The field is ignored where this path has this text.
    unless: Option<(&'static str, &'static str)>,
}

/// What a field is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whom {
    /// Those of a group and a kind.
    Kind(&'static str, &'static str),
    /// Those that admission rules at the first path name, and those at the second do not.
    Requests(&'static str, &'static str),
    /// The one that the reference names.
    Referenced,
}

/// In which namespaces a field selects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
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

const PODS: Whom = Whom::Kind("", "Pod");
const NODES: Whom = Whom::Kind("", "Node");
/// The API group of the Prometheus operator.
pub(crate) const MONITORING: &str = "monitoring.coreos.com";

/// A label selector of which null selects nothing and the empty one everything.
const fn selector(each: &'static str, path: &'static str, selects: Whom, within: Within) -> Field {
    use Meaning::{Everything, Nothing};
    let form = Form::LabelSelector;
    Field { each, path, form, absent: Nothing, empty: Everything, selects, within, unless: None }
}

/// The selector of a workload. The API refuses one that is absent or empty, except in versions of old, where it defaults
/// to the template's labels (apps/v1beta1 and extensions/v1beta1, defaults.go).
const WORKLOAD: Field = Field {
    absent: Meaning::TemplateIn("v1beta1"),
    empty: Meaning::Nothing,
    ..selector("", "spec.selector", PODS, Within::Own)
};

/// A peer of a network policy: without a podSelector all pods of the namespaces it selects.
const fn peer(each: &'static str) -> Field {
    let field = selector(each, "podSelector", PODS, Within::Selected("namespaceSelector"));
    Field { absent: Meaning::EverythingWith("namespaceSelector"), ..field }
}

/// The namespaces of a network policy's peer.
const fn peer_namespaces(each: &'static str) -> Field {
    selector(each, "namespaceSelector", Whom::Kind("", "Namespace"), Within::Cluster)
}

const WEBHOOKS: &[Field] = &[Field {
    absent: Meaning::Everything,
    ..selector(
        "webhooks[]",
        "objectSelector",
        Whom::Requests("rules", "excludeResourceRules"),
        Within::Requests("namespaceSelector"),
    )
}];

const ADMISSION_POLICY: &[Field] = &[Field {
    absent: Meaning::Everything,
    ..selector(
        "spec.matchConstraints",
        "objectSelector",
        Whom::Requests("resourceRules", "excludeResourceRules"),
        Within::Requests("namespaceSelector"),
    )
}];

/// What one of the Prometheus operator's own kinds collects.
const fn collected(path: &'static str, kind: &'static str, namespaces: &'static str) -> Field {
    selector("spec", path, Whom::Kind(MONITORING, kind), Within::Selected(namespaces))
}

const PROMETHEUS: &[Field] = &[
    collected("serviceMonitorSelector", "ServiceMonitor", "serviceMonitorNamespaceSelector"),
    collected("podMonitorSelector", "PodMonitor", "podMonitorNamespaceSelector"),
    collected("probeSelector", "Probe", "probeNamespaceSelector"),
    collected("ruleSelector", "PrometheusRule", "ruleNamespaceSelector"),
];

const MONITOR_NAMESPACES: Within = Within::Monitor("namespaceSelector");

/// The fields of each kind, by the group of today.
const KINDS: &[(&str, &str, &[Field])] = &[
    (
        "",
        "Service",
        &[Field {
            form: Form::Map,
            empty: Meaning::Nothing,
            // Such a service is another name for a host, and nobody reads its selector.
            unless: Some(("spec.type", "ExternalName")),
            ..selector("", "spec.selector", PODS, Within::Own)
        }],
    ),
    (
        "",
        "ReplicationController",
        &[Field {
            form: Form::Map,
            absent: Meaning::Template,
            empty: Meaning::Template,
            ..selector("", "spec.selector", PODS, Within::Own)
        }],
    ),
    ("apps", "DaemonSet", &[WORKLOAD]),
    ("apps", "Deployment", &[WORKLOAD]),
    ("apps", "ReplicaSet", &[WORKLOAD]),
    ("apps", "StatefulSet", &[WORKLOAD]),
    // The server makes one with the job's uid where there is none.
    ("batch", "Job", &[selector("", "spec.selector", PODS, Within::Own)]),
    ("batch", "CronJob", &[selector("", "spec.jobTemplate.spec.selector", PODS, Within::Own)]),
    (
        "policy",
        "PodDisruptionBudget",
        &[Field {
            empty: Meaning::EverythingUnless("v1beta1"),
            ..selector("", "spec.selector", PODS, Within::Own)
        }],
    ),
    (
        "networking.k8s.io",
        "NetworkPolicy",
        &[
            Field { absent: Meaning::Everything, ..selector("", "spec.podSelector", PODS, Within::Own) },
            peer("spec.ingress[].from[]"),
            peer("spec.egress[].to[]"),
            peer_namespaces("spec.ingress[].from[]"),
            peer_namespaces("spec.egress[].to[]"),
        ],
    ),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        &[Field {
            form: Form::Reference,
            ..selector("", "spec.scaleTargetRef", Whom::Referenced, Within::Own)
        }],
    ),
    (
        "",
        "PersistentVolumeClaim",
        &[
            // A claim that names its volume asks for no other one. Class, size and mode are not looked at.
            Field {
                form: Form::Name,
                ..selector("", "spec.volumeName", Whom::Kind("", "PersistentVolume"), Within::Cluster)
            },
            Field {
                absent: Meaning::Everything,
                ..selector("", "spec.selector", Whom::Kind("", "PersistentVolume"), Within::Cluster)
            },
        ],
    ),
    (
        "",
        "PersistentVolume",
        &[Field {
            form: Form::NodeSelector,
            ..selector("", "spec.nodeAffinity.required", NODES, Within::Cluster)
        }],
    ),
    ("storage.k8s.io", "CSIStorageCapacity", &[selector("", "nodeTopology", NODES, Within::Cluster)]),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", WEBHOOKS),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", WEBHOOKS),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy", ADMISSION_POLICY),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", ADMISSION_POLICY),
    (
        "rbac.authorization.k8s.io",
        "ClusterRole",
        &[selector(
            "aggregationRule.clusterRoleSelectors[]",
            "",
            Whom::Kind("rbac.authorization.k8s.io", "ClusterRole"),
            Within::Cluster,
        )],
    ),
    (
        MONITORING,
        "ServiceMonitor",
        &[selector("spec", "selector", Whom::Kind("", "Service"), MONITOR_NAMESPACES)],
    ),
    (MONITORING, "PodMonitor", &[selector("spec", "selector", PODS, MONITOR_NAMESPACES)]),
    (
        MONITORING,
        "Probe",
        &[selector(
            "spec.targets.ingress",
            "selector",
            Whom::Kind("networking.k8s.io", "Ingress"),
            MONITOR_NAMESPACES,
        )],
    ),
    (MONITORING, "Prometheus", PROMETHEUS),
    (MONITORING, "PrometheusAgent", PROMETHEUS),
    (
        MONITORING,
        "Alertmanager",
        &[collected(
            "alertmanagerConfigSelector",
            "AlertmanagerConfig",
            "alertmanagerConfigNamespaceSelector",
        )],
    ),
];

/// The fields of a pod spec, in whatever object it stands.
const POD_SPEC: &[Field] = &[
    Field { form: Form::PodSpec, ..selector("", "", NODES, Within::Cluster) },
    affinity("affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    affinity("affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[]"),
    affinity("affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm"),
    selector("topologySpreadConstraints[]", "labelSelector", PODS, Within::Own),
];

const fn affinity(each: &'static str) -> Field {
    selector(each, "labelSelector", PODS, Within::Affinity)
}

/// The fields of a pod spec that select nodes, together; the first one that is there names both.
const NODE_FIELDS: [&str; 2] = ["nodeSelector", "affinity.nodeAffinity"];

/// Label keys of a pod affinity term or a spread constraint whose values come from the pod itself.
const POD_KEYS: [(&str, Operator); 2] =
    [("matchLabelKeys", Operator::In), ("mismatchLabelKeys", Operator::NotIn)];

fn fields(group: &str, kind: &str) -> Option<&'static [Field]> {
    KINDS.iter().find(|row| row.1 == kind && row.0 == group).map(|row| row.2)
}

/// The paths of the fields by which objects of this kind may select others.
pub(super) fn paths(group: &str, kind: &str) -> Vec<String> {
    let own = fields(group, kind).unwrap_or_default().iter().map(|field| joined(field.each, field.path));
    let spec = pods::spec_path(group, kind).into_iter();
    let of_pods = spec.flat_map(|spec| {
        let paths = POD_SPEC.iter().flat_map(|field| match field.form {
            Form::PodSpec => NODE_FIELDS.map(str::to_owned).into(),
            _ => vec![joined(field.each, field.path)],
        });
        paths.map(move |path| joined(&spec, &path)).collect::<Vec<_>>()
    });
    own.chain(of_pods).collect()
}

/// The kind of an object and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The group of today.
    pub group: &'a str,
    pub version: &'a str,
    pub kind: &'a str,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(head: &Head<'a>, namespace: &'a str) -> Self {
        let GroupVersionKind { group, version, kind } = GroupVersionKind::new(head.api_version, head.kind);
        Self { group: gvk::successor(group, kind), version, kind, namespace }
    }

    /// Whether objects of this kind make pods.
    pub(crate) fn is_workload(&self) -> bool {
        self.kind != "Pod" && pods::are_in(self.group, self.kind)
    }

    /// Whether objects of this kind may select others.
    pub(crate) fn may_select(&self) -> bool {
        fields(self.group, self.kind).is_some() || pods::are_in(self.group, self.kind)
    }
}

/// All that an object selects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    links: Vec<Link>,
    /// What in the object cannot be understood; such a field selects nothing.
    pub problems: Vec<String>,
}

/// What one field of an object selects.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// Where the field is, and its path below that.
    field: (&'static str, &'static str),
    /// Where the pod or pod template is that has the field; `None` if the object itself has it.
    template: Option<&'static str>,
    targets: Targets,
    test: Test,
    within: Namespaces,
}

#[derive(Clone, Debug)]
enum Targets {
    Kind(&'static str, &'static str),
    Object { group: String, kind: String, name: String },
    Requests { rules: Vec<Rule>, excluded: Vec<Rule> },
}

#[derive(Clone, Debug)]
enum Test {
    Labels(Selector),
    Nodes(NodeRequirements),
}

#[derive(Clone, Debug)]
enum Namespaces {
    One(String),
    /// Also that of objects which are in none.
    Any,
    Listed {
        names: Vec<String>,
        selector: Selector,
    },
    OfRequests(Selector),
}

/// The resources of an admission rule.
#[derive(Clone, Debug)]
struct Rule {
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    scope: String,
}

/// Everything that `object` selects.
pub(crate) fn links(subject: Subject<'_>, object: &Node) -> Links {
    let mut found = own_links(subject, object);
    let pod = pods::of(subject.group, subject.kind, object);
    let reader = Reader { subject, pod, template: pods::path(subject.group, subject.kind) };
    if let Some(spec) = pod.and_then(|pod| pod.get("spec")) {
        POD_SPEC.iter().for_each(|field| reader.read(field, spec, &mut found));
    }
    found
}

/// What `object` itself selects, and not the pods that it is or makes.
pub(super) fn own_links(subject: Subject<'_>, object: &Node) -> Links {
    let mut found = Links::default();
    let reader = Reader { subject, pod: pods::of(subject.group, subject.kind, object), template: None };
    for field in fields(subject.group, subject.kind).unwrap_or_default() {
        reader.read(field, object, &mut found);
        // A claim that names its volume.
        if field.form == Form::Name && !found.links.is_empty() {
            break;
        }
    }
    found
}

/// Why the selector of an object cannot be given as a text.
pub(crate) enum NoSelector {
    /// The kind has no label selector.
    Kind,
    /// The kind may have several, at these paths.
    Several(Vec<String>),
    /// What is at this path, or is not, selects nothing.
    Nothing(String),
    /// It is invalid; the path and the reason.
    Invalid(String),
}

/// The one label selector that objects of this kind have.
pub(crate) fn own_selector(subject: Subject<'_>, object: &Node) -> Result<Selector, NoSelector> {
    let fields = fields(subject.group, subject.kind).unwrap_or_default();
    let with_labels = |field: &&Field| matches!(field.form, Form::Map | Form::LabelSelector);
    // Those in lists come after a kind's own.
    let own = |field: &&Field| !field.each.contains("[]");
    let all: Vec<&Field> = fields.iter().filter(with_labels).collect();
    let field = match all.iter().copied().filter(own).collect::<Vec<_>>()[..] {
        [field] => field,
        _ if all.is_empty() => return Err(NoSelector::Kind),
        _ => {
            return Err(NoSelector::Several(
                all.into_iter().map(|field| joined(field.each, field.path)).collect(),
            ));
        }
    };
    let reader = Reader { subject, pod: pods::of(subject.group, subject.kind, object), template: None };
    let root = below(object, field.each);
    let selector = root.map(|root| reader.selector(field, root)).transpose();
    let selector = selector.map_err(|invalid| NoSelector::Invalid(invalid.at(field.each)))?;
    selector.flatten().ok_or_else(|| NoSelector::Nothing(joined(field.each, field.path)))
}

/// Reads fields of one object.
struct Reader<'a> {
    subject: Subject<'a>,
    /// The object's pod or pod template.
    pod: Option<&'a Node>,
    /// Where that pod is if it is its fields that are read; `None` if they are the object's own.
    template: Option<&'static str>,
}

/// What is wrong with a part of a field.
struct Invalid {
    /// Below the field's element.
    path: &'static str,
    reason: String,
}

impl Invalid {
    /// Path and reason, for elements at `each`.
    fn at(&self, each: &str) -> String {
        format!("{}: {}", joined(each, self.path), self.reason)
    }
}

impl Reader<'_> {
    fn read(&self, field: &Field, root: &Node, found: &mut Links) {
        for element in elements(root, field.each) {
            match self.link(field, element, &mut found.problems) {
                Ok(link) => found.links.extend(link),
                Err(invalid) => found.problems.push(invalid.at(field.each)),
            }
        }
    }

    /// What the field of this element selects; nothing when it selects nothing.
    fn link(
        &self,
        field: &Field,
        element: &Node,
        problems: &mut Vec<String>,
    ) -> Result<Option<Link>, Invalid> {
        let Some(within) = self.namespaces(field.within, element)? else { return Ok(None) };
        let value = below(element, field.path);
        let test = match field.form {
            Form::Map | Form::LabelSelector => self.selector(field, element)?.map(Test::Labels),
            Form::NodeSelector => {
                value.map(|value| Test::Nodes(NodeRequirements::of_selector(value, field.path)))
            }
            // One that asks nothing points at no node; which ones it fits is another question.
            Form::PodSpec => Some(NodeRequirements::of_pod(element))
                .filter(NodeRequirements::is_restricting)
                .map(Test::Nodes),
            Form::Reference | Form::Name => value.map(|_| Test::Labels(Selector::everything())),
        };
        let Some(test) = test else { return Ok(None) };
        if let Test::Nodes(nodes) = &test {
            problems.extend(nodes.problems().iter().cloned());
        }
        let targets = match (field.selects, value) {
            (Whom::Kind(group, kind), Some(name)) if field.form == Form::Name => Targets::Object {
                group: group.to_owned(),
                kind: kind.to_owned(),
                name: name.as_str().unwrap_or_default().to_owned(),
            },
            (Whom::Referenced, Some(reference)) => {
                let (group, _) = gvk::split_api_version(view::text(reference, "apiVersion"));
                let kind = view::text(reference, "kind");
                Targets::Object {
                    group: gvk::successor(group, kind).to_owned(),
                    kind: kind.to_owned(),
                    name: view::text(reference, "name").to_owned(),
                }
            }
            (Whom::Referenced, None) => return Ok(None),
            (Whom::Kind(group, kind), _) => Targets::Kind(group, kind),
            (Whom::Requests(rules, excluded), _) => Targets::Requests {
                rules: view::list(element, rules).iter().map(rule).collect(),
                excluded: view::list(element, excluded).iter().map(rule).collect(),
            },
        };
        let path = match field.form {
            Form::PodSpec => {
                NODE_FIELDS.into_iter().find(|path| below(element, path).is_some()).unwrap_or_default()
            }
            _ => field.path,
        };
        Ok(Some(Link { field: (field.each, path), template: self.template, targets, test, within }))
    }

    /// The labels that a field asks for; nothing when it selects nothing.
    fn selector(&self, field: &Field, element: &Node) -> Result<Option<Selector>, Invalid> {
        if field.unless.is_some_and(|(path, text)| view::text(element, path) == text) {
            return Ok(None);
        }
        let Some(value) = below(element, field.path) else {
            return Ok(self.meaning(field.absent, element));
        };
        let selector =
            if field.form == Form::Map { form::equality_map(value) } else { form::label_selector(value) };
        let selector = selector.map_err(|reason| Invalid { path: field.path, reason })?;
        if selector.is_empty() {
            return Ok(self
                .meaning(field.empty, element)
                .map(|selector| self.with_pod_keys(selector, element)));
        }
        Ok(Some(self.with_pod_keys(selector, element)))
    }

    fn meaning(&self, meaning: Meaning, element: &Node) -> Option<Selector> {
        let selects = match meaning {
            Meaning::Nothing => false,
            Meaning::Everything => true,
            Meaning::EverythingUnless(version) => self.subject.version != version,
            Meaning::EverythingWith(path) => below(element, path).is_some(),
            Meaning::TemplateIn(version) if self.subject.version != version => false,
            Meaning::Template | Meaning::TemplateIn(_) => {
                let labels = self.pod.map(pods::labels).filter(|labels| !labels.is_empty())?;
                return Some(Selector::from_set(labels));
            }
        };
        selects.then(Selector::everything)
    }

    /// The selector together with what the pod's own labels add to it. A key that the pod lacks adds nothing
    /// (Kubernetes, pkg/registry/core/pod/strategy.go, applyLabelKeysToLabelSelector).
    fn with_pod_keys(&self, selector: Selector, element: &Node) -> Selector {
        let Some(pod) = self.pod else { return selector };
        let labels = pods::labels(pod);
        let of_keys = |(field, operator): (&str, Operator)| {
            let keys = view::list(element, field).iter().filter_map(Node::as_str);
            keys.filter_map(|key| Requirement::new(key, operator, [*labels.get(key)?]).ok())
                .collect::<Vec<_>>()
        };
        let added = POD_KEYS.into_iter().flat_map(of_keys);
        selector.requirements().iter().cloned().chain(added).collect()
    }

    /// The namespaces in which a field of this element selects.
    fn namespaces(&self, within: Within, element: &Node) -> Result<Option<Namespaces>, Invalid> {
        let own = || Namespaces::One(self.subject.namespace.to_owned());
        let labels = |path: &'static str| -> Result<Option<Selector>, Invalid> {
            let selector = below(element, path).map(form::label_selector).transpose();
            selector.map_err(|reason| Invalid { path, reason })
        };
        let names = |path: &str| -> Vec<String> {
            view::list(element, path).iter().filter_map(Node::as_str).map(str::to_owned).collect()
        };
        Ok(Some(match within {
            Within::Own => own(),
            Within::Cluster => Namespaces::Any,
            Within::Selected(path) => match labels(path)? {
                Some(selector) => Namespaces::Listed { names: Vec::new(), selector },
                None => own(),
            },
            Within::Affinity => match (names("namespaces"), labels("namespaceSelector")?) {
                (names, None) if names.is_empty() => own(),
                (names, selector) => {
                    let selector = selector.unwrap_or_else(Selector::nothing);
                    Namespaces::Listed { names, selector }
                }
            },
            Within::Monitor(path) => {
                let names = names(&format!("{path}.matchNames"));
                if view::bool(element, &format!("{path}.any")) {
                    Namespaces::Any
                } else if names.is_empty() {
                    own()
                } else {
                    Namespaces::Listed { names, selector: Selector::nothing() }
                }
            }
            Within::Requests(path) => Namespaces::OfRequests(labels(path)?.unwrap_or_default()),
        }))
    }
}

fn rule(node: &Node) -> Rule {
    let texts = |path| view::list(node, path).iter().filter_map(Node::as_str).map(str::to_owned).collect();
    Rule {
        groups: texts("apiGroups"),
        resources: texts("resources"),
        names: texts("resourceNames"),
        scope: view::text(node, "scope").to_owned(),
    }
}

/// The labels of the Namespaces in the input.
#[derive(Clone, Debug, Default)]
pub(super) struct NamespaceLabels {
    by_name: HashMap<String, Vec<(String, String)>>,
}

impl NamespaceLabels {
    /// Learns a Namespace.
    pub(super) fn learn(&mut self, name: String, labels: Vec<(String, String)>) {
        self.by_name.insert(name, labels);
    }

    /// Whether the selector selects the namespace. One that has no object in the input has just its name as a
    /// label.
    fn are_selected(&self, namespace: &str, by: &Selector) -> bool {
        match self.by_name.get(namespace) {
            Some(labels) => by.matches(labels.as_slice()),
            None => by.matches([(crate::catalog::object::NAMESPACE_NAME, namespace)].as_slice()),
        }
    }
}

/// An object as one that may be selected.
pub(super) struct Target<'a> {
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    /// The resource's plural name; empty when it is not known.
    pub(super) plural: &'a str,
    /// Empty for a pod that is yet to be made.
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    pub(super) labels: Vec<(&'a str, &'a str)>,
}

impl<'a> Target<'a> {
    /// The object itself.
    pub(super) fn object(head: &Head<'a>, namespace: &'a str, catalog: &'a Catalog) -> Self {
        let (group, _) = gvk::split_api_version(head.api_version);
        Self {
            group: gvk::successor(group, head.kind),
            kind: head.kind,
            plural: catalog.of(head.api_version, head.kind).map_or("", |resource| resource.plural()),
            name: head.name.unwrap_or(""),
            namespace,
            labels: ObjectLabels(head).iter().collect(),
        }
    }

    /// The pod that a workload would make from its template.
    pub(super) fn pod(template: &'a Node, namespace: &'a str) -> Self {
        let labels = pods::labels(template).into_iter().collect();
        Self { group: "", kind: "Pod", plural: "pods", name: "", namespace, labels }
    }
}

impl Labels for Target<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.labels.as_slice().label(key)
    }
}

impl Links {
    /// The label selectors among the fields.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.links.iter().filter_map(|link| match &link.test {
            Test::Labels(selector) => Some(selector),
            Test::Nodes(_) => None,
        })
    }

    /// The fields.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// Whether there is nothing that could be selected.
    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Whether a pod may be selected, so that the pods of workloads have to be looked at.
    pub(super) fn may_select_pods(&self) -> bool {
        self.links.iter().any(|link| match link.targets {
            Targets::Kind(group, kind) => PODS == Whom::Kind(group, kind),
            Targets::Requests { .. } => true,
            Targets::Object { .. } => false,
        })
    }

    /// Gives `enough` each of the fields that selects the target, until that says so. Returns whether it did.
    pub(super) fn visit(
        &self,
        target: &Target<'_>,
        namespaces: &NamespaceLabels,
        enough: &mut dyn FnMut(&dyn Fn() -> String) -> bool,
    ) -> bool {
        let mut selecting = self.links.iter().filter(|link| link.selects(target, namespaces));
        selecting.any(|link| enough(&|| link.field()))
    }
}

impl Link {
    /// The field: `spec.podSelector`, `spec.ingress[].from[].podSelector`.
    pub(super) fn field(&self) -> String {
        let field = joined(self.field.0, self.field.1);
        self.template.map_or(field.clone(), |template| joined(&joined(template, "spec"), &field))
    }

    /// The group and kind of what it selects by labels. `None` if it selects by something else.
    pub(super) fn target_kind(&self) -> Option<(&'static str, &'static str)> {
        match (&self.targets, &self.test) {
            (Targets::Kind(group, kind), Test::Labels(_)) => Some((group, kind)),
            _ => None,
        }
    }

    /// The labels that it asks for. `None` if it selects by something else.
    pub(super) fn selector(&self) -> Option<&Selector> {
        match &self.test {
            Test::Labels(selector) => Some(selector),
            Test::Nodes(_) => None,
        }
    }

    pub(super) fn selects(&self, target: &Target<'_>, namespaces: &NamespaceLabels) -> bool {
        let is_meant = match &self.targets {
            Targets::Kind(group, kind) => target.kind == *kind && target.group == *group,
            Targets::Object { group, kind, name } => {
                target.name == name && target.kind == kind && target.group == group
            }
            Targets::Requests { rules, excluded } => {
                let admits = |rule: &Rule| rule.admits(target);
                rules.iter().any(admits) && !excluded.iter().any(admits)
            }
        };
        let passes = || match &self.test {
            Test::Labels(selector) => selector.matches(target),
            Test::Nodes(nodes) => nodes.admit(target.name, target),
        };
        is_meant && self.within.admit(target, namespaces) && passes()
    }
}

impl Namespaces {
    fn admit(&self, target: &Target<'_>, namespaces: &NamespaceLabels) -> bool {
        match self {
            Self::One(namespace) => target.namespace == namespace,
            Self::Any => true,
            Self::Listed { names, selector } => {
                names.iter().any(|name| name == target.namespace)
                    || namespaces.are_selected(target.namespace, selector)
            }
            Self::OfRequests(selector) if target.namespace.is_empty() => {
                let is_namespace = target.group.is_empty() && target.kind == "Namespace";
                !is_namespace || selector.matches(target)
            }
            Self::OfRequests(selector) => namespaces.are_selected(target.namespace, selector),
        }
    }
}

impl Rule {
    /// Whether a request about the target falls under the rule. Subresources are other requests, and versions
    /// are converted into each other (apiserver, plugin/webhook/predicates/rules).
    fn admits(&self, target: &Target<'_>) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|item| item == "*" || item == text);
        let is_resource = has(&self.resources, target.plural) || has(&self.resources, "*/*");
        let in_scope = match self.scope.as_str() {
            "Cluster" => target.namespace.is_empty(),
            "Namespaced" => !target.namespace.is_empty(),
            _ => true,
        };
        let is_named = self.names.is_empty() || self.names.iter().any(|name| name == target.name);
        has(&self.groups, target.group) && is_resource && in_scope && is_named
    }
}
