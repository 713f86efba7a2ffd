//! What selects what: reads the fields by which objects select others, of which `kinds/selectors.rs` has the
//! data.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::argument::ObjectArgument;
use super::fits::{NodeRequirements, Problem};
use super::label_map::{ANY, KeptSelector, equality, may_match};
use super::object_kind::ObjectKind;
use super::pods::{self, below, elements, joined};
use kinds::catalog::Catalog;
use kinds::catalog::object::{NAMESPACE_NAME, ObjectLabels};
use kinds::form;
use kinds::selectors::{Form, Meaning, PODS, SelectorField, Whom, Within, of_pod_spec};
use kinds::view;
use manifest::object::Object;
use selector::labels::{Labels, Selector};
use selector::{Operator, Requirement};
use syntax::given::{self, AddedLabels};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::Node;
use text::go;
use text::plural::article;
use text::shared::Shared;

/// The fields of a pod spec that select nodes, combined; the first existing one is the name of both.
const NODE_FIELDS: [&str; 2] = ["nodeSelector", "affinity.nodeAffinity"];

/// The fields of a pod affinity term or a spread constraint whose label values come from the pod itself.
const POD_KEYS: [(&str, Operator); 2] =
    [("matchLabelKeys", Operator::In), ("mismatchLabelKeys", Operator::NotIn)];

/// The paths of the fields by which objects of this kind may select others.
pub(super) fn paths(object_kind: ObjectKind<'_>) -> Vec<String> {
    let own = object_kind.selectors().iter().map(|field| joined(field.each, field.path));
    let of_pods = object_kind.pod_spec_path().into_iter().flat_map(|spec| {
        let paths = of_pod_spec().iter().flat_map(|field| match field.form {
            Form::PodSpec => NODE_FIELDS.map(str::to_owned).into(),
            _ => vec![joined(field.each, field.path)],
        });
        paths.map(move |path| joined(&spec, &path)).collect::<Vec<_>>()
    });
    own.chain(of_pods).collect()
}

/// Everything that an object selects.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelectingFields {
    pub(super) fields: Vec<SelectingField>,
    /// Errors in the object; an invalid field selects nothing.
    pub problems: Vec<Problem>,
}

/// What a field of an object selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SelectingField {
    /// The position of the field, and its path below that.
    field: (&'static str, &'static str),
    /// The path of the pod or pod template that has the field; `None` if the object itself has it.
    template: Option<&'static str>,
    selected: Selected,
    criterion: Criterion,
    within: Namespaces,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Selected {
    Kind(&'static str, &'static str),
    Object { group: String, kind: String, name: String },
    Requests { rules: Vec<AdmissionRule>, excluded: Vec<AdmissionRule> },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Criterion {
    Labels(Selector),
    Nodes(NodeRequirements),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Namespaces {
    One(String),
    /// Any namespace, and cluster-scoped objects.
    Any,
    Listed {
        names: Vec<String>,
        selector: Selector,
    },
    OfRequests(Selector),
}

/// The resources of an admission rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AdmissionRule {
    groups: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    scope: String,
}

/// Everything that `object`, to which kustomizations add labels, selects.
pub(crate) fn selecting_fields(
    object_kind: ObjectKind<'_>,
    object: &Node,
    added: Option<&Arc<AddedLabels>>,
) -> SelectingFields {
    let mut found = own_selecting_fields(object_kind, object, added);
    let pod = object_kind.pod(object);
    let reader = Reader { object_kind, pod, template: object_kind.pod_path(), added };
    if let Some(spec) = pod.and_then(|pod| pod.get("spec")) {
        of_pod_spec().iter().for_each(|field| reader.read(field, spec, &mut found));
    }
    found
}

/// Everything that `object` itself selects, without its pods.
pub(super) fn own_selecting_fields(
    object_kind: ObjectKind<'_>,
    object: &Node,
    added: Option<&Arc<AddedLabels>>,
) -> SelectingFields {
    let mut found = SelectingFields::default();
    let reader = Reader { object_kind, pod: object_kind.pod(object), template: None, added };
    for field in object_kind.selectors() {
        reader.read(field, object, &mut found);
        // The claim names its volume.
        if field.form == Form::Name && !found.fields.is_empty() {
            break;
        }
    }
    found
}

/// The field with the only label selector of objects of this kind, or else all that there are.
fn own_field(object_kind: ObjectKind<'_>) -> Result<&'static SelectorField, Vec<&'static SelectorField>> {
    let fields = object_kind.selectors().iter();
    let all = fields.filter(|field| matches!(field.form, Form::Map | Form::LabelSelector | Form::Endpoints));
    // Fields in lists come after those of the kind itself.
    let mut own = all.clone().filter(|field| !field.each.contains("[]"));
    match (own.next(), own.next()) {
        (Some(field), None) => Ok(field),
        _ => Err(all.collect()),
    }
}

/// The message about an object of a kind without a label selector.
pub(super) fn no_selector(argument: &ObjectArgument, object_kind: ObjectKind<'_>) -> String {
    let kind = go::printable(object_kind.kind);
    match object_kind.is_custom() {
        true => format!("{argument}: what {} {kind} selects is not known", article(&kind)),
        false => format!("{argument} has no label selector; no {kind} has one"),
    }
}

/// The only label selector of an object.
///
/// # Errors
///
/// Its kind has none or several, or it is missing, invalid or selects nothing; the message names the argument.
pub(super) fn own_selector(
    argument: &ObjectArgument,
    object_kind: ObjectKind<'_>,
    object: &Node,
) -> Result<Selector, String> {
    let field = own_field(object_kind).map_err(|several| match &several[..] {
        [] => no_selector(argument, object_kind),
        _ => {
            let paths: Vec<String> = several.iter().map(|field| joined(field.each, field.path)).collect();
            format!("{argument} may have several selectors: {}", paths.join(", "))
        }
    })?;
    let reader = Reader { object_kind, pod: object_kind.pod(object), template: None, added: None };
    let root = below(object, field.each);
    let selecting = root.map(|root| reader.selecting_field(field, root, &mut Vec::new())).transpose();
    let invalid =
        |invalid: InvalidField| format!("{argument}: {}", go::printable(&invalid.at(field.each).to_string()));
    let selector = selecting.map_err(invalid)?.flatten().and_then(|field| field.selector().cloned());
    selector.ok_or_else(|| {
        let path = joined(field.each, field.path);
        format!("{argument} selects nothing: its {path} is absent, empty or unusable")
    })
}

/// Whether an object has a label selector in any field.
pub(super) fn has_label_selector(object: &Node) -> bool {
    object.children().filter(|(key, _)| !matches!(*key, "metadata" | "status")).any(
        |(key, value)| match key {
            "matchLabels" => value.as_map().is_some(),
            "matchExpressions" => value.as_seq().is_some(),
            _ => has_label_selector(value),
        },
    )
}

/// Reads the fields of an object.
struct Reader<'a> {
    object_kind: ObjectKind<'a>,
    /// The object's pod or pod template.
    pod: Option<&'a Node>,
    /// The path of that pod if its fields are read; `None` if the object's own fields are read.
    template: Option<&'static str>,
    /// The labels that kustomizations add to the object.
    added: Option<&'a Arc<AddedLabels>>,
}

/// An error in a part of a field.
struct InvalidField {
    /// Below the field's element.
    path: &'static str,
    reason: String,
}

impl InvalidField {
    /// The problem, for elements at `each`.
    fn at(self, each: &str) -> Problem {
        Problem::new(joined(each, self.path), self.reason)
    }
}

impl Reader<'_> {
    fn read(&self, field: &SelectorField, root: &Node, found: &mut SelectingFields) {
        for element in elements(root, field.each) {
            match self.selecting_field(field, element, &mut found.problems) {
                Ok(selecting) => found.fields.extend(selecting),
                Err(invalid) => found.problems.push(invalid.at(field.each)),
            }
        }
    }

    /// What the field of this element selects; `None` if it selects nothing.
    fn selecting_field(
        &self,
        field: &SelectorField,
        element: &Node,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<SelectingField>, InvalidField> {
        let Some(mut within) = self.namespaces(field.within, element)? else { return Ok(None) };
        let value = below(element, field.path);
        let criterion = match field.form {
            Form::Map | Form::LabelSelector => self.selector(field, element)?.map(Criterion::Labels),
            Form::Endpoints => match value.map(|value| self.endpoints(value)) {
                Some(Ok((selector, namespaces))) => {
                    within = namespaces;
                    Some(Criterion::Labels(selector))
                }
                Some(Err(reason)) => return Err(InvalidField { path: field.path, reason }),
                None => None,
            },
            Form::NodeSelector => {
                value.map(|value| Criterion::Nodes(NodeRequirements::of_selector(value, field.path)))
            }
            // Without requirements, it selects no nodes; which nodes it fits is a different question.
            Form::PodSpec => Some(NodeRequirements::of_pod(element))
                .filter(NodeRequirements::is_restricting)
                .map(Criterion::Nodes),
            Form::Reference | Form::Name => value.map(|_| Criterion::Labels(Selector::everything())),
        };
        let Some(criterion) = criterion else { return Ok(None) };
        if let Criterion::Nodes(nodes) = &criterion {
            problems.extend(nodes.problems().iter().cloned());
        }
        let selected = match (field.selects, value) {
            (Whom::Kind(group, kind), Some(name)) if field.form == Form::Name => Selected::Object {
                group: group.to_owned(),
                kind: kind.to_owned(),
                name: name.as_str().unwrap_or_default().to_owned(),
            },
            (Whom::Referenced, Some(reference)) => {
                let (group, _) = gvk::split_api_version(view::text(reference, "apiVersion"));
                let kind = view::text(reference, "kind");
                Selected::Object {
                    group: gvk::successor(group, kind).to_owned(),
                    kind: kind.to_owned(),
                    name: view::text(reference, "name").to_owned(),
                }
            }
            (Whom::Referenced, None) => return Ok(None),
            (Whom::Kind(group, kind), _) => Selected::Kind(group, kind),
            (Whom::Requests(rules, excluded), _) => Selected::Requests {
                rules: view::list(element, rules).iter().map(rule).collect(),
                excluded: view::list(element, excluded).iter().map(rule).collect(),
            },
        };
        let path = match (field.form, field.within) {
            (Form::PodSpec, _) => {
                NODE_FIELDS.into_iter().find(|path| below(element, path).is_some()).unwrap_or_default()
            }
            (_, Within::Requests(namespaces)) if value.is_none() => namespaces,
            _ => field.path,
        };
        Ok(Some(SelectingField {
            field: (field.each, path),
            template: self.template,
            selected,
            criterion,
            within,
        }))
    }

    /// The labels that a field requires; `None` if it selects nothing.
    fn selector(&self, field: &SelectorField, element: &Node) -> Result<Option<Selector>, InvalidField> {
        let has = |(path, text): (&str, &str)| view::text(element, path) == text;
        if field.unless.is_some_and(has) || !field.only.is_none_or(has) {
            return Ok(None);
        }
        let added = self.added(field, element);
        let made = (!added.is_empty()).then(|| Selector::from_set(added.clone()));
        let Some(value) = below(element, field.path) else {
            return Ok(made.or_else(|| self.meaning(field.absent, element)));
        };
        let selector =
            if field.form == Form::Map { form::equality_map(value) } else { form::label_selector(value) };
        let selector = selector.map_err(|reason| InvalidField { path: field.path, reason })?;
        if selector.is_empty() {
            return Ok(made
                .or_else(|| self.meaning(field.empty, element))
                .map(|selector| self.with_pod_keys(selector, element)));
        }
        let selector = match made.filter(|_| !selector.requirements().is_empty()) {
            Some(made) => {
                let is_kept = |one: &&Requirement| !added.contains_key(one.key()) || equality(one).is_none();
                let kept = selector.requirements().iter().filter(is_kept);
                kept.chain(made.requirements()).cloned().collect()
            }
            None => selector,
        };
        Ok(Some(self.with_pod_keys(selector, element)))
    }

    /// The labels that kustomizations add to the selector of a field, which some kinds get if they have none (kustomize,
    /// api/internal/konfig/builtinpluginconsts/commonlabels.go). Those that not all builds add alike are left out.
    fn added(&self, field: &SelectorField, element: &Node) -> BTreeMap<&str, &str> {
        let Some(added) = self.added.filter(|_| !self.object_kind.is_custom() && field.selects == PODS)
        else {
            return BTreeMap::new();
        };
        let kind = self.object_kind.kind;
        let gets = match (field.form, self.template) {
            (Form::Map, _) => true,
            (Form::LabelSelector, Some(_)) if !matches!(kind, "Deployment" | "StatefulSet") => false,
            (Form::LabelSelector, None)
                if matches!(kind, "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet") =>
            {
                true
            }
            (Form::LabelSelector, _) => below(element, &joined(field.path, "matchLabels")).is_some(),
            _ => false,
        };
        let known = added.iter().filter(|(_, label)| gets && label.in_selectors && label.is_in_all);
        known.filter_map(|(key, label)| Some((&**key, label.value.as_deref()?))).collect()
    }

    /// What Cilium requires of the labels of pods, and in which namespaces they are: those that the selector names, or that of the
    /// policy (cilium, pkg/k8s/apis/cilium.io/utils, getEndpointSelector).
    fn endpoints(&self, value: &Node) -> Result<(Selector, Namespaces), String> {
        // Labels of other sources, as `reserved:host`, are none of pods.
        let key_of = |key: String| match key.split_once(':') {
            Some(("k8s" | "any", key)) => key.to_owned(),
            _ => key.replace(':', "."),
        };
        let selector = form::label_selector_of(value, key_of)?;
        let of_namespace = |requirement: &Requirement| {
            let key = match requirement.key() {
                "io.kubernetes.pod.namespace" => NAMESPACE_NAME,
                key => key.strip_prefix("io.cilium.k8s.namespace.labels.")?,
            };
            let values = requirement.values().iter().map(String::as_str);
            Requirement::new(key, requirement.operator(), values).ok()
        };
        let (mut pods, mut namespaces) = (Vec::new(), Vec::new());
        for requirement in selector.requirements() {
            match of_namespace(requirement) {
                Some(requirement) => namespaces.push(requirement),
                None => pods.push(requirement.clone()),
            }
        }
        let own = self.object_kind.namespace;
        let within = match namespaces.is_empty() {
            true if own.is_empty() => Namespaces::Any,
            true => Namespaces::Listed { names: vec![own.to_owned()], selector: Selector::nothing() },
            false => Namespaces::Listed { names: Vec::new(), selector: namespaces.into_iter().collect() },
        };
        Ok((pods.into_iter().collect(), within))
    }

    fn meaning(&self, meaning: Meaning, element: &Node) -> Option<Selector> {
        let selects = match meaning {
            Meaning::Nothing => false,
            Meaning::Everything => true,
            Meaning::EverythingUnless(version) => self.object_kind.version != version,
            Meaning::EverythingWith(path) => below(element, path).is_some(),
            Meaning::EverythingWithout(paths) => paths.split(',').all(|path| below(element, path).is_none()),
            Meaning::TemplateIn(version) if self.object_kind.version != version => false,
            Meaning::Template | Meaning::TemplateIn(_) => {
                let labels = self.pod.map(pods::labels).filter(|labels| !labels.is_empty())?;
                return Some(Selector::from_set(labels));
            }
        };
        selects.then(Selector::everything)
    }

    /// The selector, extended by the pod's own labels. A key that the pod does not have adds nothing (Kubernetes,
    /// pkg/registry/core/pod/strategy.go, applyLabelKeysToLabelSelector).
    fn with_pod_keys(&self, selector: Selector, element: &Node) -> Selector {
        let has_keys = POD_KEYS.iter().any(|(field, _)| element.get(field).is_some());
        let Some(pod) = self.pod.filter(|_| has_keys) else { return selector };
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
    fn namespaces(&self, within: Within, element: &Node) -> Result<Option<Namespaces>, InvalidField> {
        let own = || Namespaces::One(self.object_kind.namespace.to_owned());
        let labels = |path: &'static str| -> Result<Option<Selector>, InvalidField> {
            let selector = below(element, path).map(form::label_selector).transpose();
            selector.map_err(|reason| InvalidField { path, reason })
        };
        Ok(Some(match within {
            Within::Own => own(),
            Within::Cluster => Namespaces::Any,
            Within::Root(root) if self.object_kind.namespace == root => Namespaces::Any,
            Within::AnyIf(path) if view::bool(element, path) => Namespaces::Any,
            Within::Root(_) | Within::AnyIf(_) => own(),
            Within::Selected(path) => match labels(path)? {
                Some(selector) => Namespaces::Listed { names: Vec::new(), selector },
                None => own(),
            },
            Within::Affinity => match (view::texts(element, "namespaces"), labels("namespaceSelector")?) {
                (names, None) if names.is_empty() => own(),
                (names, selector) => {
                    let selector = selector.unwrap_or_else(Selector::nothing);
                    Namespaces::Listed { names, selector }
                }
            },
            Within::Monitor(path) => {
                let names = view::texts(element, &format!("{path}.matchNames"));
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

fn rule(node: &Node) -> AdmissionRule {
    AdmissionRule {
        groups: view::texts(node, "apiGroups"),
        resources: view::texts(node, "resources"),
        names: view::texts(node, "resourceNames"),
        scope: view::text(node, "scope").to_owned(),
    }
}

/// The labels of the Namespaces in the input.
#[derive(Clone, Debug, Default)]
pub(super) struct NamespaceLabels {
    by_name: HashMap<String, Vec<(String, String)>>,
}

impl NamespaceLabels {
    /// Adds a Namespace.
    pub(super) fn learn(&mut self, name: String, labels: Vec<(String, String)>) {
        self.by_name.insert(name, labels);
    }

    /// Whether the input has no Namespace.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Whether the selector selects the namespace. A Namespace that is not in the input has only the label with its
    /// name.
    fn are_selected(&self, namespace: &str, by: &Selector) -> bool {
        given::each(namespace).any(|namespace| match self.by_name.get(namespace) {
            Some(labels) => may_match(by, labels.as_slice()),
            None => by.matches([(NAMESPACE_NAME, namespace)].as_slice()),
        })
    }
}

/// Labels as kustomizations leave them, if they are those of the template of pods or not: what all builds set alike replaces what
/// the text says, and what they set differently may have any value.
pub(crate) fn effective<'l>(
    own: impl Iterator<Item = (&'l str, &'l str)>,
    added: Option<&'l Arc<AddedLabels>>,
    is_template: bool,
) -> Vec<(&'l str, &'l str)> {
    let Some(added) = added else { return own.collect() };
    let mut all: BTreeMap<&str, &str> = own.collect();
    for (key, label) in added.iter().filter(|(_, label)| label.in_pods || !is_template) {
        all.insert(key, label.value.as_deref().filter(|_| label.is_in_all).unwrap_or(ANY));
    }
    all.into_iter().collect()
}

/// An object that may be selected.
pub(super) struct SelectableObject<'a> {
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    /// The plural name of the resource; empty if it is unknown.
    pub(super) plural: &'a str,
    /// Empty for a pod that does not exist yet.
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    /// As kustomizations leave them.
    pub(super) labels: Vec<(&'a str, &'a str)>,
}

impl<'a> SelectableObject<'a> {
    /// The object itself.
    pub(super) fn object(object: &'a Object<'_>, namespace: &'a str, catalog: &'a Catalog) -> Self {
        Self::of(object.head, namespace, catalog, object.added_labels())
    }

    /// The object with this head, to which kustomizations add labels.
    pub(super) fn of(
        head: &Head<'a>,
        namespace: &'a str,
        catalog: &'a Catalog,
        added: Option<&'a Arc<AddedLabels>>,
    ) -> Self {
        let (group, _) = gvk::split_api_version(head.api_version);
        Self {
            group: gvk::successor(group, head.kind),
            kind: head.kind,
            plural: catalog.of(head.api_version, head.kind).map_or("", |resource| resource.plural()),
            name: head.name.unwrap_or(""),
            namespace,
            labels: effective(ObjectLabels(head).iter(), added, false),
        }
    }

    /// The pod that a workload would create from its template.
    pub(super) fn pod(template: &'a Node, namespace: &'a str, added: Option<&'a Arc<AddedLabels>>) -> Self {
        Self::of_template(namespace, effective(pods::each_label(template), added, true))
    }

    /// The pod that a template with these labels would make.
    pub(super) fn of_template(namespace: &'a str, labels: Vec<(&'a str, &'a str)>) -> Self {
        Self { group: "", kind: "Pod", plural: "pods", name: "", namespace, labels }
    }
}

impl Labels for SelectableObject<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.labels.as_slice().label(key)
    }
}

impl SelectingFields {
    /// The field with the only label selector of the object, whose kind this is, and the selector; `None` if it has none or several,
    /// or an invalid one.
    pub(crate) fn own(&self, object_kind: ObjectKind<'_>) -> Option<(&SelectingField, &Selector)> {
        let field = own_field(object_kind).ok()?;
        let is_own =
            |other: &&SelectingField| other.template.is_none() && other.field == (field.each, field.path);
        let own = self.fields.iter().find(is_own)?;
        Some((own, own.selector()?))
    }

    /// Whether it may select more if the labels of namespaces were known, because a selector asks for other labels than their names.
    pub(super) fn ask_for_namespaces(&self) -> bool {
        let selectors = self.fields.iter().filter_map(|field| match &field.within {
            Namespaces::Listed { selector, .. } | Namespaces::OfRequests(selector) => Some(selector),
            Namespaces::One(_) | Namespaces::Any => None,
        });
        selectors.flat_map(Selector::requirements).any(|one| one.key() != NAMESPACE_NAME)
    }

    /// The selectors of pods in one namespace besides the object's own, each with its field and the namespace.
    pub(crate) fn of_other_pods(
        &self,
        object_kind: ObjectKind<'_>,
    ) -> impl Iterator<Item = (String, &Selector, &str)> {
        let own = own_field(object_kind).ok().map(|field| (field.each, field.path));
        let others =
            self.fields.iter().filter(move |field| field.template.is_some() || Some(field.field) != own);
        others.filter_map(|field| match (&field.selected, &field.criterion, &field.within) {
            (Selected::Kind("", "Pod"), Criterion::Labels(selector), Namespaces::One(namespace)) => {
                Some((field.path(), selector, &**namespace))
            }
            _ => None,
        })
    }

    /// The label selectors among the fields.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.fields.iter().filter_map(SelectingField::selector)
    }

    /// Whether pods may be selected, so that the pod templates of workloads are needed.
    pub(super) fn may_select_pods(&self) -> bool {
        self.fields.iter().any(|field| match field.selected {
            Selected::Kind(group, kind) => PODS == Whom::Kind(group, kind),
            Selected::Requests { .. } => true,
            Selected::Object { .. } => false,
        })
    }

    /// Calls `enough` with each field that selects the object, until it returns true. Returns whether it did.
    pub(super) fn visit(
        &self,
        object: &SelectableObject<'_>,
        namespaces: &NamespaceLabels,
        enough: &mut dyn FnMut(&dyn Fn() -> String) -> bool,
    ) -> bool {
        let mut selecting = self.fields.iter().filter(|field| field.selects(object, namespaces));
        selecting.any(|field| enough(&|| field.path()))
    }
}

impl SelectingField {
    /// The labels that everything it selects has.
    pub(super) fn fixed_labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let requirements = self.selector().into_iter().flat_map(|selector| selector.requirements());
        requirements.filter_map(equality)
    }

    /// It without the labels that it requires, and these.
    pub(super) fn without_labels(mut self, name: &str, keys: &Shared<String>) -> (Self, KeptSelector) {
        let required = match &mut self.criterion {
            Criterion::Labels(selector) => std::mem::take(selector),
            Criterion::Nodes(_) => Selector::everything(),
        };
        (self, KeptSelector::of(&required, name, keys))
    }

    /// The field: `spec.podSelector`, `spec.ingress[].from[].podSelector`.
    pub(crate) fn path(&self) -> String {
        let field = joined(self.field.0, self.field.1);
        self.template.map_or(field.clone(), |template| joined(&joined(template, "spec"), &field))
    }

    /// The names of the namespaces in which it selects; `None` for any.
    pub(crate) fn namespaces(&self) -> Option<&[String]> {
        match &self.within {
            Namespaces::One(name) => Some(std::slice::from_ref(name)),
            Namespaces::Listed { names, .. } => Some(names),
            Namespaces::Any | Namespaces::OfRequests(_) => None,
        }
    }

    /// The group and kind of the objects that it selects by labels; `None` if it selects in another way.
    pub(super) fn selected_kind(&self) -> Option<(&'static str, &'static str)> {
        match (&self.selected, &self.criterion) {
            (Selected::Kind(group, kind), Criterion::Labels(_)) => Some((group, kind)),
            _ => None,
        }
    }

    /// The labels that it requires; `None` if it selects in another way.
    pub(super) fn selector(&self) -> Option<&Selector> {
        match &self.criterion {
            Criterion::Labels(selector) => Some(selector),
            Criterion::Nodes(_) => None,
        }
    }

    pub(super) fn selects(&self, object: &SelectableObject<'_>, namespaces: &NamespaceLabels) -> bool {
        let is_meant = match &self.selected {
            Selected::Kind(group, kind) => object.kind == *kind && object.group == *group,
            Selected::Object { group, kind, name } => {
                object.name == name && object.kind == kind && object.group == group
            }
            Selected::Requests { rules, excluded } => {
                let admits = |rule: &AdmissionRule| rule.admits(object);
                rules.iter().any(admits) && !excluded.iter().any(admits)
            }
        };
        let passes = || match &self.criterion {
            Criterion::Labels(selector) => may_match(selector, object),
            Criterion::Nodes(nodes) => nodes.admit(object.name, object),
        };
        is_meant && self.within.admit(object, namespaces) && passes()
    }
}

impl Namespaces {
    fn admit(&self, object: &SelectableObject<'_>, namespaces: &NamespaceLabels) -> bool {
        match self {
            Self::One(namespace) => given::meet(namespace, object.namespace),
            Self::Any => true,
            Self::Listed { names, selector } => {
                names.iter().any(|name| given::meet(name, object.namespace))
                    || namespaces.are_selected(object.namespace, selector)
            }
            Self::OfRequests(selector) if object.namespace.is_empty() => {
                let is_namespace = object.group.is_empty() && object.kind == "Namespace";
                !is_namespace || may_match(selector, object)
            }
            Self::OfRequests(selector) => namespaces.are_selected(object.namespace, selector),
        }
    }
}

impl AdmissionRule {
    /// Whether the rule matches a request about the object. Subresources are other requests, and versions are converted
    /// into each other (apiserver, plugin/webhook/predicates/rules).
    fn admits(&self, object: &SelectableObject<'_>) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|item| item == "*" || item == text);
        let is_resource = has(&self.resources, object.plural) || has(&self.resources, "*/*");
        let in_scope = match self.scope.as_str() {
            "Cluster" => object.namespace.is_empty(),
            "Namespaced" => !object.namespace.is_empty(),
            _ => true,
        };
        let is_named = self.names.is_empty() || self.names.iter().any(|name| name == object.name);
        has(&self.groups, object.group) && is_resource && in_scope && is_named
    }
}
