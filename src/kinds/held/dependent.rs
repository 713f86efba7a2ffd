//! Defaults that depend on other fields, by type (Kubernetes, pkg/apis/*/*/defaults.go and conversion.go).

use super::build::{at, bool, default, insert, int, is_empty, list, map_at, text_of};
use super::pod;
use crate::autoscaling::{BEHAVIOR_ANNOTATION, CPU, METRICS_ANNOTATION, cpu_metric};
use crate::defaults::{Constant, SAME, completions, constants};
use crate::fields::Type;
use syntax::fields::Fields;
use syntax::tree::{Map, Node, Value};
use syntax::{emit, json};
use text::quantity::Quantity;

/// Fields with amounts of resources.
const AMOUNTS: [&str; 6] = ["allocatable", "capacity", "hard", "limits", "overhead", "requests"];

/// The defaults of a type.
pub struct Defaults {
    constants: &'static [Constant],
    same: Vec<(&'static str, &'static str)>,
    /// Fills in those that depend on fields of the type, when the others are there.
    dependent: Option<fn(&mut Map)>,
    /// Of the fields with amounts of resources, those that the type has.
    amounts: Vec<&'static str>,
}

impl Defaults {
    /// Those of a type.
    pub fn of(of: &Type) -> Self {
        let same = SAME.iter().filter(|(group, name, ..)| (*group, *name) == (of.group(), of.name));
        let amounts = AMOUNTS.into_iter().filter(|name| of.group() == "core" && of.field(name).is_some());
        Self {
            constants: constants(of.group(), of.name),
            same: same.map(|&(.., field, source)| (field, source)).collect(),
            dependent: dependent(of),
            amounts: amounts.collect(),
        }
    }

    /// Fills them in.
    pub fn fill(&self, map: &mut Map) {
        for Constant { field, value, .. } in self.constants {
            default(map, field, || value.clone());
        }
        for (field, source) in &self.same {
            if is_empty(map.get(field))
                && let Some(value) = at(map, source).cloned()
            {
                insert(map, field, value);
            }
        }
        if let Some(fill) = self.dependent {
            fill(map);
        }
        self.amounts.iter().for_each(|field| round_amounts(map, field));
    }
}

/// The fields of an object or a part of it that are needed to fill these in: all where defaults depend on lists and maps of others.
pub fn needed<'f>(of: &Type, fields: Fields<'f>) -> Fields<'f> {
    if fields.only.is_none() {
        return fields;
    }
    let asks = |field| fields.of(field).is_some();
    let is_whole = match (of.group(), of.name) {
        ("autoscaling", "HorizontalPodAutoscaler") => asks("spec"),
        ("batch", "Job") => true,
        ("core", "Pod") => asks("spec") || asks("status"),
        ("core", "ReplicationController" | "ReplicationControllerSpec" | "Secret") => true,
        ("core", "NodeStatus" | "PersistentVolumeClaimSpec" | "ServiceSpec") => true,
        ("networking", "NetworkPolicySpec") => true,
        _ => false,
    };
    if is_whole { Fields::ALL } else { fields }
}

/// What fills in the defaults of a type that depend on its fields; `None` if there are none.
fn dependent(of: &Type) -> Option<fn(&mut Map)> {
    Some(match (of.group(), of.name) {
        ("admissionregistration", "ParamRef") if of.version() == "v1alpha1" => {
            |map| _ = default(map, "parameterNotFoundAction", || Node::text("Deny"))
        }
        ("apiextensions", "CustomResourceDefinitionNames") => names,
        ("apps", "DaemonSet") => daemon_set,
        ("apps", "DaemonSetUpdateStrategy" | "DeploymentStrategy") => |map| {
            if text_of(map, "type") == "RollingUpdate" {
                default(map, "rollingUpdate", || Node::map([]));
            }
        },
        ("apps", "StatefulSetUpdateStrategy") => |map| {
            if map.get("type").is_none() {
                insert(map, "type", Node::text("RollingUpdate"));
                default(map, "rollingUpdate", || Node::map([]));
            }
        },
        ("apps", "StatefulSetSpec") => claim_templates,
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaler,
        ("autoscaling", "HorizontalPodAutoscalerBehavior") => behavior,
        ("batch", "Job") => job,
        ("core", "Container" | "EphemeralContainer") => {
            |map| pod::pull_policy(map, "image", "imagePullPolicy")
        }
        ("core", "ImageVolumeSource") => |map| pod::pull_policy(map, "reference", "pullPolicy"),
        ("core", "LimitRangeItem") => limits,
        ("core", "Namespace") => namespace,
        ("core", "PersistentVolumeClaim") => claim,
        ("core", "NodeSpec") => node,
        ("core", "Pod") => pod::pod,
        ("core", "PodSpec") => |map| {
            if let Some(account) = map.get("serviceAccountName").cloned() {
                insert(map, "serviceAccount", account);
            }
        },
        ("core", "ReplicationController") => labels_of_template,
        ("core", "ServiceSpec") => service,
        ("core", "Volume") => |map| {
            if map.iter().all(|entry| entry.key == "name") {
                insert(map, "emptyDir", Node::map([]));
            }
        },
        ("networking", "NetworkPolicySpec") => policy_types,
        ("rbac", "Subject") => |map| {
            if matches!(text_of(map, "kind"), "User" | "Group") {
                default(map, "apiGroup", || Node::text("rbac.authorization.k8s.io"));
            }
        },
        // A request of later versions is a choice of others, of which one is exact.
        ("resource", "DeviceRequest") if of.field("exactly").is_some() => return None,
        ("resource", "DeviceRequest" | "ExactDeviceRequest" | "DeviceSubRequest") => request,
        _ => return None,
    })
}

/// Amounts of resources are rounded up to thousandths (core/v1/defaults.go, SetDefaults_ResourceList).
fn round_amounts(map: &mut Map, field: &str) {
    for value in map.get_mut(field).and_then(Node::as_map_mut).into_iter().flat_map(Map::values_mut) {
        let Some(quantity) = value.as_str().and_then(Quantity::parse) else { continue };
        value.value = Value::String(quantity.rounded_as_resource().to_string().into());
    }
}

/// The labels of the pods are those of the object if it has none.
fn labels_of_template(map: &mut Map) {
    let Some(labels) = at(map, "spec.template.metadata.labels").cloned() else { return };
    let metadata = map_at(map, "metadata");
    if let Some(metadata) = metadata.filter(|metadata| is_empty(metadata.get("labels"))) {
        insert(metadata, "labels", labels);
    }
}

fn names(map: &mut Map) {
    let kind = text_of(map, "kind").to_owned();
    default(map, "singular", || Node::text(&kind.to_lowercase()));
    default(map, "listKind", || Node::text(&format!("{kind}List")));
}

/// Of the version that had a number of the template (apps/v1/conversion.go).
fn daemon_set(map: &mut Map) {
    const ANNOTATION: &str = "deprecated.daemonset.template.generation";
    let annotations = map_at(map, "metadata").and_then(|map| map_at(map, "annotations"));
    annotations.and_then(|annotations| default(annotations, ANNOTATION, || Node::text("1")));
}

fn claim_templates(map: &mut Map) {
    for claim in map.get_mut("volumeClaimTemplates").map(Node::items_mut).unwrap_or_default() {
        let Some(claim) = claim.as_map_mut() else { continue };
        insert(claim, "apiVersion", Node::text("v1"));
        insert(claim, "kind", Node::text("PersistentVolumeClaim"));
        let status = map_at(claim, "status");
        status.and_then(|status| default(status, "phase", || Node::text("Pending")));
    }
}

/// Writes the JSON in an annotation anew.
fn rewrite(annotations: &mut Map, key: &str, change: fn(Node) -> Node) {
    let Some(Node { value: Value::String(text), .. }) = annotations.get_mut(key) else { return };
    if let Ok(parsed) = json::parse(text.as_bytes()) {
        let mut written = String::new();
        write_in_order(&change(parsed.root), &mut written);
        *text = written.into();
    }
}

/// Appends JSON with keys in their own order, as Go writes the fields of a struct.
fn write_in_order(node: &Node, out: &mut String) {
    match &node.value {
        Value::Map(map) => {
            for (at, entry) in map.iter().enumerate() {
                out.push(if at == 0 { '{' } else { ',' });
                emit::json::compact(&Node::text(&entry.key), out);
                out.push(':');
                write_in_order(&entry.value, out);
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
        Value::Seq(items) => {
            for (at, item) in items.iter().enumerate() {
                out.push(if at == 0 { '[' } else { ',' });
                write_in_order(item, out);
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        _ => emit::json::compact(node, out),
    }
}

/// Metrics with canonical quantities.
fn canonical_metrics(mut metrics: Node) -> Node {
    for (_, source) in metrics.items_mut().iter_mut().filter_map(Node::as_map_mut).flat_map(Map::entries_mut)
    {
        let fields = source.as_map_mut().into_iter().flat_map(Map::entries_mut);
        for (_, value) in fields.filter(|(key, _)| key.ends_with("Value")) {
            if let Some(quantity) = value.as_str().and_then(Quantity::parse) {
                value.value = Value::String(quantity.to_string().into());
            }
        }
    }
    metrics
}

/// The behavior with its defaults, in the words of Go's internal type, which has no names for JSON.
fn filled_behavior(behavior: Node) -> Node {
    let policy = |kind, value, seconds| {
        Node::map([("Type", Node::text(kind)), ("Value", int(value)), ("PeriodSeconds", int(seconds))])
    };
    let rules = |direction: &str, window: Node, policies: Vec<Node>| {
        let given = behavior.get(direction);
        let field = |key, otherwise| {
            let value = given.and_then(|given| given.get(key)).filter(|value| !is_empty(Some(value)));
            (key, value.cloned().unwrap_or(otherwise))
        };
        Node::map([
            field("StabilizationWindowSeconds", window),
            field("SelectPolicy", Node::text("Max")),
            field("Policies", list(policies)),
            field("Tolerance", Node::new(Value::Null)),
        ])
    };
    let percent = || policy("Percent", 100, 15);
    Node::map([
        ("ScaleUp", rules("ScaleUp", int(0), vec![policy("Pods", 4, 15), percent()])),
        ("ScaleDown", rules("ScaleDown", Node::new(Value::Null), vec![percent()])),
    ])
}

/// autoscaling/v1/conversion.go and autoscaling/v2/defaults.go
fn autoscaler(map: &mut Map) {
    let is_old = text_of(map, "apiVersion") == "autoscaling/v1";
    let annotations =
        map.get_mut("metadata").and_then(|metadata| metadata.at_mut("annotations")?.as_map_mut());
    let mut has_others = false;
    if let Some(annotations) = annotations.filter(|_| is_old) {
        has_others = annotations.get(METRICS_ANNOTATION).is_some();
        rewrite(annotations, METRICS_ANNOTATION, canonical_metrics);
        rewrite(annotations, BEHAVIOR_ANNOTATION, filled_behavior);
    }
    let Some(spec) = map.get_mut("spec").and_then(Node::as_map_mut) else { return };
    if is_old && has_others {
        // They are targets, too.
    } else if is_old {
        default(spec, "targetCPUUtilizationPercentage", || int(CPU));
    } else if is_empty(spec.get("metrics")) {
        insert(spec, "metrics", list([cpu_metric(CPU)]));
    }
}

fn behavior(map: &mut Map) {
    let policy = |kind, value| {
        Node::map([("periodSeconds", int(15)), ("type", Node::text(kind)), ("value", int(value))])
    };
    for direction in ["scaleUp", "scaleDown"] {
        let Some(rules) = map_at(map, direction) else { continue };
        let is_up = direction == "scaleUp";
        default(rules, "selectPolicy", || Node::text("Max"));
        if is_up {
            default(rules, "stabilizationWindowSeconds", || int(0));
        }
        let pods = is_up.then(|| policy("Pods", 4));
        default(rules, "policies", || list(pods.into_iter().chain([policy("Percent", 100)])));
    }
}

fn job(map: &mut Map) {
    labels_of_template(map);
    let Some(spec) = map.get_mut("spec").and_then(Node::as_map_mut) else { return };
    if let Some(number) = completions(spec.get("parallelism")).cloned() {
        default(spec, "completions", || number);
    }
    let limit = if spec.get("backoffLimitPerIndex").is_some() { i64::from(i32::MAX) } else { 6 };
    let replacement = if spec.get("podFailurePolicy").is_some() { "Failed" } else { "TerminatingOrFailed" };
    for (key, value) in [
        ("parallelism", int(1)),
        ("backoffLimit", int(limit)),
        ("completionMode", Node::text("NonIndexed")),
        ("suspend", bool(false)),
        ("manualSelector", bool(false)),
        ("podReplacementPolicy", Node::text(replacement)),
    ] {
        default(spec, key, || value);
    }
}

fn limits(map: &mut Map) {
    if text_of(map, "type") != "Container" {
        return;
    }
    for (key, sources) in [("default", &["max"][..]), ("defaultRequest", &["default", "min"])] {
        for source in sources {
            let Some(from) = map.get(source).and_then(Node::as_map).cloned() else { continue };
            let Some(to) = map_at(map, key) else { continue };
            for entry in from {
                default(to, &entry.key, || entry.value);
            }
        }
    }
}

fn namespace(map: &mut Map) {
    let Some(metadata) = map.get_mut("metadata").and_then(Node::as_map_mut) else { return };
    let name = text_of(metadata, "name").to_owned();
    if !name.is_empty() {
        let labels = map_at(metadata, "labels").into_iter();
        labels.for_each(|labels| insert(labels, "kubernetes.io/metadata.name", Node::text(&name)));
    }
    let Some(spec) = map_at(map, "spec") else { return };
    let Some(finalizers) = default(spec, "finalizers", || list([])) else { return };
    if let Value::Seq(items) = &mut finalizers.value
        && !items.iter().any(|item| item.as_str() == Some("kubernetes"))
    {
        items.push(Node::text("kubernetes"));
    }
}

fn node(map: &mut Map) {
    if let Some(range) = map.get("podCIDR").cloned() {
        default(map, "podCIDRs", || list([range]));
    }
}

/// The two sources of a claim are the same; the older one must be a claim or a snapshot (pkg/api/persistentvolumeclaim,
/// EnforceDataSourceBackwardsCompatibility and NormalizeDataSources).
fn claim(map: &mut Map) {
    let Some(spec) = map.get_mut("spec").and_then(Node::as_map_mut) else { return };
    let of = |source: &Node, key| source.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let is_allowed = |source: &Node| {
        let of = (of(source, "apiGroup"), of(source, "kind"));
        matches!(
            (of.0.as_str(), of.1.as_str()),
            ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
        )
    };
    if spec.get("dataSource").is_some_and(|source| !is_allowed(source)) {
        spec.remove("dataSource");
    }
    for (from, to) in [("dataSource", "dataSourceRef"), ("dataSourceRef", "dataSource")] {
        let source = spec.get(from).filter(|source| source.get("namespace").is_none());
        if let Some(source) = source.cloned() {
            default(spec, to, || source);
        }
    }
}

fn service(map: &mut Map) {
    match text_of(map, "sessionAffinity") {
        "None" => _ = map.remove("sessionAffinityConfig"),
        "ClientIP" => {
            let is_set = map
                .get("sessionAffinityConfig")
                .is_some_and(|node| node.at("clientIP.timeoutSeconds").is_some());
            if !is_set {
                let seconds = Node::map([("timeoutSeconds", int(10800))]);
                insert(map, "sessionAffinityConfig", Node::map([("clientIP", seconds)]));
            }
        }
        _ => (),
    }
    let of_type = text_of(map, "type").to_owned();
    let is_external = matches!(of_type.as_str(), "LoadBalancer" | "NodePort")
        || of_type == "ClusterIP" && !is_empty(map.get("externalIPs"));
    if is_external {
        default(map, "externalTrafficPolicy", || Node::text("Cluster"));
    }
    if matches!(of_type.as_str(), "LoadBalancer" | "NodePort" | "ClusterIP") {
        default(map, "internalTrafficPolicy", || Node::text("Cluster"));
    }
    if of_type == "LoadBalancer" {
        default(map, "allocateLoadBalancerNodePorts", || bool(true));
    }
}

fn policy_types(map: &mut Map) {
    if is_empty(map.get("policyTypes")) {
        let egress = (!is_empty(map.get("egress"))).then(|| Node::text("Egress"));
        insert(map, "policyTypes", list([Node::text("Ingress")].into_iter().chain(egress)));
    }
}

/// resource/*/defaults.go
fn request(map: &mut Map) {
    // In v1beta1, a request may be a choice of others.
    if is_empty(map.get("firstAvailable")) {
        default(map, "allocationMode", || Node::text("ExactCount"));
        if text_of(map, "allocationMode") == "ExactCount" {
            default(map, "count", || int(1));
        }
    }
}
