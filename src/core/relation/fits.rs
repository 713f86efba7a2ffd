//! The nodes that a pod may be scheduled on, according to node selectors, node affinity, taints and `unschedulable`. What
//! other pods take of a node is a question to the scheduler.

use std::fmt;
use std::sync::LazyLock;

use super::object_kind::ObjectKind;
use crate::words;
use kinds::catalog::object::ObjectLabels;
use kinds::form;
use kinds::view;
use manifest::object::Object;
use selector::Requirement;
use selector::labels::{Labels, Selector};
use selector::nodes::{NodeSelector, NodeSelectorTerm};
use syntax::error::Error;
use syntax::head::Head;
use syntax::tree::{Node, Value};
use text::go;

/// The required terms below `affinity.nodeAffinity`. The second name is from the original proposal and was never
/// served; it is read like the first.
const REQUIRED: [&str; 2] =
    ["requiredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingRequiredDuringExecution"];

pub(super) fn is_node(head: &Head<'_>) -> bool {
    head.kind == "Node" && head.api_version == "v1"
}

/// What a pod needs of a node.
#[derive(Clone, Debug)]
pub(super) struct Fitting {
    pub(super) nodes: NodeRequirements,
    tolerations: Tolerations,
}

impl Fitting {
    /// What an object needs as a pod, or by its pod template; `None` if it has none.
    pub(super) fn of(object_kind: ObjectKind<'_>, object: &Node) -> Option<Self> {
        let nothing = Node::new(Value::Null);
        let spec = object_kind.pod(object)?.get("spec").unwrap_or(&nothing);
        let (nodes, tolerations) = (NodeRequirements::of_pod(spec), Tolerations::of_pod(object_kind, spec));
        Some(Self { nodes, tolerations })
    }

    /// Whether the object is a node on which the pod can be scheduled.
    pub(super) fn admits(&self, object: &Object<'_>) -> Result<bool, Error> {
        let head = object.head;
        let may_fit = is_node(head) && self.nodes.admit(head.name.unwrap_or(""), &ObjectLabels(head));
        Ok(may_fit && self.obstacles(head, object.value()?).is_empty())
    }

    /// Why the pod cannot be scheduled on this node.
    pub(super) fn obstacles(&self, head: &Head<'_>, node: &Node) -> Vec<String> {
        let name = head.name.unwrap_or("");
        let mut obstacles: Vec<String> = self
            .nodes
            .unmet(name, &ObjectLabels(head))
            .map(|part| format!("{part} does not match"))
            .collect();
        let taint = self.tolerations.untolerated(node);
        obstacles.extend(taint.map(|taint| format!("taint {} is not tolerated", go::printable(&taint))));
        obstacles
    }
}

/// What is wrong in a field that selects, which then selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Problem {
    /// The path of the field: `spec.ingress[].from[].podSelector`.
    pub path: String,
    reason: String,
}

/// `PATH: reason`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl Problem {
    pub(super) fn new(path: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self { path: path.into(), reason: reason.to_string() }
    }
}

/// The requirements of a pod, or a volume, for nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NodeRequirements {
    labels: Selector,
    /// All of them must match.
    required: Vec<NodeSelector>,
    problems: Vec<Problem>,
}

impl NodeRequirements {
    /// The requirements of a pod spec: all entries of `nodeSelector`, and the node affinity if there is one
    /// (component-helpers, scheduling/corev1/nodeaffinity, GetRequiredNodeAffinity).
    pub(crate) fn of_pod(spec: &Node) -> Self {
        let mut asked = Self::default();
        if let Some(labels) = spec.get("nodeSelector").filter(|node| !node.is_null()) {
            asked.labels = form::equality_map(labels).unwrap_or_else(|reason| {
                asked.problems.push(Problem::new("nodeSelector", reason));
                Selector::nothing()
            });
        }
        let Some(affinity) = spec.at("affinity.nodeAffinity") else { return asked };
        for field in REQUIRED {
            if let Some(selector) = affinity.get(field).filter(|node| !node.is_null()) {
                asked.require(selector, &format!("affinity.nodeAffinity.{field}"));
            }
        }
        asked
    }

    /// The requirements of a node selector at `path`, as in a volume.
    pub(super) fn of_selector(selector: &Node, path: &str) -> Self {
        let mut asked = Self::default();
        asked.require(selector, path);
        asked
    }

    fn require(&mut self, selector: &Node, path: &str) {
        let terms: Vec<_> = view::list(selector, "nodeSelectorTerms").iter().map(term).collect();
        let selector = NodeSelector::new(&terms);
        self.problems.extend(selector.errors().map(|errors| Problem::new(path, errors.without_values())));
        self.required.push(selector);
    }

    /// Whether any node may be rejected.
    pub(crate) fn is_restricting(&self) -> bool {
        !(self.labels.is_empty() && self.required.is_empty())
    }

    /// Whether no node meets the requirements of both, because they allow different values of a label.
    pub(crate) fn exclude(&self, other: &Self) -> bool {
        let differ = |a: &Requirement, b: &Requirement| {
            a.key() == b.key() && !a.values().iter().any(|value| b.values().contains(value))
        };
        self.allowed().any(|a| other.allowed().any(|b| differ(a, b)))
    }

    /// The labels for which every node has one of some values.
    pub(crate) fn allowed(&self) -> impl Iterator<Item = &Requirement> {
        let required = self.required.iter().filter_map(NodeSelector::labels);
        let all = [&self.labels].into_iter().chain(required).flat_map(Selector::requirements);
        all.filter(|requirement| requirement.is_of_values())
    }

    /// Errors in the requirements. Invalid terms match no node.
    pub(super) fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether the node with this name and these labels meets all requirements.
    pub(crate) fn admit(&self, name: &str, labels: &(impl Labels + ?Sized)) -> bool {
        self.unmet(name, labels).next().is_none()
    }

    /// The requirements that the node does not meet.
    fn unmet(&self, name: &str, labels: &(impl Labels + ?Sized)) -> impl Iterator<Item = &'static str> {
        let matches = |selector: &NodeSelector| selector.matches(name, labels).unwrap_or(false);
        let selector = (!self.labels.matches(labels)).then_some("nodeSelector");
        let affinity = (!self.required.iter().all(matches)).then_some("required node affinity");
        selector.into_iter().chain(affinity)
    }
}

/// The taint of an unschedulable node (Kubernetes, plugins/nodeunschedulable).
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The taints that the pods of a DaemonSet tolerate.
static DAEMON: LazyLock<Vec<&str>> = LazyLock::new(|| words::of("taints of daemons"));
const HOST_NETWORK: &str = "node.kubernetes.io/network-unavailable";

/// The taints that a pod tolerates: by key, operator, value and effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Tolerations(Vec<[String; 4]>);

impl Tolerations {
    /// The tolerations of the pod spec, and those that a DaemonSet adds to its pods.
    pub(super) fn of_pod(object_kind: ObjectKind<'_>, spec: &Node) -> Self {
        let written = |node| ["key", "operator", "value", "effect"].map(|field| view::text(node, field));
        let mut tolerations: Vec<[&str; 4]> = view::list(spec, "tolerations").iter().map(written).collect();
        if object_kind.kind == "DaemonSet" && object_kind.group == "apps" {
            let host_network = view::bool(spec, "hostNetwork").then_some(&HOST_NETWORK);
            let keys = DAEMON.iter().chain(host_network);
            tolerations.extend(keys.map(|key| [key, "Exists", "", ""]));
        }
        Self(tolerations.into_iter().map(|toleration| toleration.map(str::to_owned)).collect())
    }

    /// The first taint that the pod does not tolerate, `KEY=VALUE:EFFECT`; `None` if there is none.
    pub(super) fn untolerated(&self, node: &Node) -> Option<String> {
        let taints = view::list(node, "spec.taints").iter();
        let taints = taints
            .map(|taint| [view::text(taint, "key"), view::text(taint, "value"), view::text(taint, "effect")]);
        let unschedulable =
            view::bool(node, "spec.unschedulable").then_some([UNSCHEDULABLE, "", "NoSchedule"]);
        let keeps_away = |[_, _, effect]: &[&str; 3]| matches!(*effect, "NoSchedule" | "NoExecute");
        let mut taints = taints.chain(unschedulable).filter(keeps_away);
        let [key, value, effect] = taints.find(|taint| !self.tolerate(taint))?;
        let equals = if value.is_empty() { "" } else { "=" };
        Some(format!("{key}{equals}{value}:{effect}"))
    }

    /// Whether the taint is tolerated (k8s.io/api, core/v1/toleration.go, ToleratesTaint).
    fn tolerate(&self, [key, value, effect]: &[&str; 3]) -> bool {
        self.0.iter().any(|[own_key, operator, own_value, own_effect]| {
            (own_effect.is_empty() || own_effect == effect)
                && (own_key.is_empty() || own_key == key)
                && match operator.as_str() {
                    "" | "Equal" => own_value == value,
                    "Exists" => true,
                    _ => false,
                }
        })
    }
}

fn term(node: &Node) -> NodeSelectorTerm {
    let expressions = |field| view::list(node, field).iter().map(view::expression).collect();
    NodeSelectorTerm {
        match_expressions: expressions("matchExpressions"),
        match_fields: expressions("matchFields"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::tree;

    const NODES: [(&str, &[(&str, &str)]); 3] = [
        ("a", &[("disk", "ssd"), ("cpus", "8"), ("zone", "1")]),
        ("b", &[("disk", "ssd"), ("cpus", "2"), ("zone", "2")]),
        ("c", &[("disk", "hdd"), ("cpus", "8"), ("zone", "1")]),
    ];

    /// Checks the nodes that fit, followed by errors.
    #[track_caller]
    fn check(spec: &str, fitting: &str) {
        let asked = NodeRequirements::of_pod(&tree(spec));
        let fits = NODES.iter().filter(|(name, labels)| asked.admit(name, *labels));
        let fits = fits.map(|(name, _)| (*name).to_owned());
        let found: Vec<String> = fits.chain(asked.problems().iter().map(Problem::to_string)).collect();
        assert_eq!(found.join(" "), fitting);
    }

    fn required(terms: &str) -> String {
        let field = "requiredDuringSchedulingIgnoredDuringExecution";
        format!("{{affinity: {{nodeAffinity: {{{field}: {{nodeSelectorTerms: {terms}}}}}}}}}")
    }

    #[test]
    fn a_taint_that_is_not_tolerated_keeps_pods_away() {
        let check = |kind: &str, spec: &str, node: &str, expected: Option<&str>| {
            let object_kind = ObjectKind::of("apps/v1", kind, "shop");
            let found = Tolerations::of_pod(object_kind, &tree(spec)).untolerated(&tree(node));
            assert_eq!(found.as_deref(), expected, "{spec} {node}");
        };
        let tainted =
            "{spec: {taints: [{key: a, value: b, effect: NoSchedule}, {key: c, effect: PreferNoSchedule}]}}";
        check("Deployment", "{}", tainted, Some("a=b:NoSchedule"));
        check("Deployment", "{tolerations: [{key: a, value: b}]}", tainted, None);
        check("Deployment", "{tolerations: [{key: a, value: x}]}", tainted, Some("a=b:NoSchedule"));
        check(
            "Deployment",
            "{tolerations: [{key: a, operator: Exists, effect: NoExecute}]}",
            tainted,
            Some("a=b:NoSchedule"),
        );
        check("Deployment", "{tolerations: [{operator: Exists}]}", tainted, None);
        let cordoned = "{spec: {unschedulable: true}}";
        check("Deployment", "{}", cordoned, Some("node.kubernetes.io/unschedulable:NoSchedule"));
        check("DaemonSet", "{}", cordoned, None);
    }

    #[test]
    fn a_pod_that_asks_nothing_fits_everywhere() {
        check("{}", "a b c");
        check("{nodeSelector: null, affinity: {nodeAffinity: null}}", "a b c");
        check("{nodeSelector: {}, affinity: {}}", "a b c");
    }

    #[test]
    fn all_labels_of_the_node_selector_must_be_there() {
        check("{nodeSelector: {disk: ssd}}", "a b");
        check("{nodeSelector: {disk: ssd, zone: '2'}}", "b");
        check("{nodeSelector: {gpu: ''}}", "");
    }

    #[test]
    fn one_of_the_required_terms_must_match_as_a_whole() {
        check(&required("[{matchExpressions: [{key: cpus, operator: Gt, values: ['4']}]}]"), "a c");
        check(
            &required(
                "[{matchExpressions: [{key: cpus, operator: Lt, values: ['4']}]}, \
                 {matchFields: [{key: metadata.name, operator: In, values: [c]}]}]",
            ),
            "b c",
        );
        check(
            &required(
                "[{matchExpressions: [{key: disk, operator: Exists}, {key: zone, operator: NotIn, values: ['1']}]}]",
            ),
            "b",
        );
    }

    #[test]
    fn no_terms_and_empty_terms_match_no_node() {
        check(&required("[]"), "");
        check(&required("null"), "");
        check(&required("[{}]"), "");
        check(&required("[{}, {matchExpressions: [{key: zone, operator: In, values: ['2']}]}]"), "b");
    }

    #[test]
    fn the_proposal_s_required_during_execution_is_read_too_and_both_must_hold() {
        let of = |key: &str, value: &str| {
            format!(
                "{{nodeSelectorTerms: [{{matchExpressions: [{{key: {key}, operator: In, values: ['{value}']}}]}}]}}"
            )
        };
        let [ignored, execution] = REQUIRED;
        let spec = format!("{{affinity: {{nodeAffinity: {{{execution}: {}}}}}}}", of("disk", "ssd"));
        check(&spec, "a b");
        let both = format!("{ignored}: {}, {execution}: {}", of("zone", "1"), of("disk", "ssd"));
        check(&format!("{{affinity: {{nodeAffinity: {{{both}}}}}}}"), "a");
    }

    #[test]
    fn an_invalid_term_is_reported_and_does_not_hide_others() {
        let integer = "Invalid value: for 'Gt', 'Lt' operators, the value must be an integer";
        check(
            &required(
                "[{matchExpressions: [{key: cpus, operator: Gt, values: [x]}]}, \
                 {matchExpressions: [{key: zone, operator: In, values: ['2']}]}]",
            ),
            &format!(
                "b affinity.nodeAffinity.{}: nodeSelectorTerms[0].matchExpressions[0].values[0]: {integer}",
                REQUIRED[0]
            ),
        );
    }
}
