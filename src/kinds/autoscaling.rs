//! The group `autoscaling`.

use std::borrow::Cow;

use super::columns::{Computed, first, quantity};
use super::view::{self, View};
use syntax::json;
use syntax::tree::{Map, Node, Span, Value};
use text::age;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[("autoscaler-targets", targets)];

/// The type of a metric, the field that describes it, and the form of its cell.
const METRICS: &[(&str, &str, Form)] = &[
    ("Resource", "resource", Form::Named),
    ("ContainerResource", "containerResource", Form::Named),
    ("Pods", "pods", Form::AverageOnly),
    ("Object", "object", Form::Either),
    ("External", "external", Form::Either),
];

/// How the current and target values of a metric are written (printers.go, formatHPAMetrics).
#[derive(Clone, Copy)]
enum Form {
    /// The name of the resource and an average or a percentage: `cpu: 45%/80%`.
    Named,
    /// An average: `1/2`.
    AverageOnly,
    /// An average, `1/2 (avg)`, or a value, `1/2`.
    Either,
}

/// Annotations of version 1, which has fields only for cpu (autoscaling/annotations.go).
pub(crate) const METRICS_ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/metrics";
pub(crate) const CURRENT_METRICS_ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/current-metrics";

/// The target percentage of cpu if no metric is given (autoscaling/types.go, DefaultCPUUtilization).
pub(crate) const CPU: i64 = 80;

/// The annotation of version 1 with the behavior, for which only later versions have a field.
pub(crate) const BEHAVIOR_ANNOTATION: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// The metrics by which an autoscaler in a version scales, in the form of version 2, with the default (autoscaling/v1/conversion.go
/// and autoscaling/v2/defaults.go). `None` if they cannot be read.
pub fn metrics(autoscaler: &Node, version: &str) -> Option<Vec<Node>> {
    let mut metrics = match version {
        "v1" => {
            let annotation = || autoscaler.at("metadata.annotations")?.get(METRICS_ANNOTATION)?.as_str();
            annotation().and_then(objects).unwrap_or_default()
        }
        _ => view::list(autoscaler, "spec.metrics").to_vec(),
    };
    if matches!(version, "v1" | "v2beta1") {
        metrics.iter_mut().try_for_each(nest)?;
    }
    let of_cpu = autoscaler.at("spec.targetCPUUtilizationPercentage").and_then(Node::as_int);
    metrics.extend(of_cpu.filter(|_| version == "v1").map(cpu_metric));
    if metrics.is_empty() {
        metrics.push(cpu_metric(CPU));
    }
    Some(metrics)
}

/// The metric of version 2 by which pods use this percentage of the cpu that they request.
pub(crate) fn cpu_metric(percentage: i64) -> Node {
    let target =
        [("averageUtilization", Node::new(Value::Int(percentage))), ("type", Node::text("Utilization"))];
    let resource = Node::map([("name", Node::text("cpu")), ("target", Node::map(target))]);
    Node::map([("resource", resource), ("type", Node::text("Resource"))])
}

/// Makes an autoscaler of version 1 one of version 2; `None` if it states a behavior, or metrics that cannot be read.
pub(crate) fn to_v2(autoscaler: &mut Node) -> Option<()> {
    let metrics = metrics(autoscaler, "v1")?;
    if let Some(annotations) = autoscaler.at_mut("metadata.annotations").and_then(Node::as_map_mut) {
        annotations.remove(METRICS_ANNOTATION);
        if annotations.get(BEHAVIOR_ANNOTATION).is_some() {
            return None;
        }
    }
    let spec = autoscaler.as_map_mut()?.get_mut("spec")?.as_map_mut()?;
    spec.remove("targetCPUUtilizationPercentage");
    spec.insert("metrics", Span::default(), Node::new(Value::Seq(metrics)));
    Some(())
}

/// Makes an autoscaler of version 2 one of version 1; `None` if it has more than a target of cpu.
pub(crate) fn to_v1(autoscaler: &mut Node) -> Option<()> {
    let metrics = metrics(autoscaler, "v2")?;
    let [metric] = &metrics[..] else { return None };
    let percentage = metric.at("resource.target.averageUtilization").and_then(Node::as_int)?;
    let spec = autoscaler.as_map_mut()?.get_mut("spec")?.as_map_mut()?;
    if *metric != cpu_metric(percentage) || spec.get("behavior").is_some_and(|behavior| !behavior.is_null()) {
        return None;
    }
    spec.remove("metrics");
    spec.insert("targetCPUUtilizationPercentage", Span::default(), Node::new(Value::Int(percentage)));
    Some(())
}

/// Makes the metrics of an autoscaler of version 2beta1 those of version 2; `None` if something would be lost.
pub(crate) fn nest_metrics(autoscaler: &mut Node) -> Option<()> {
    let metrics = autoscaler.at_mut("spec.metrics").map(Node::items_mut).unwrap_or_default();
    metrics.iter_mut().try_for_each(nest)
}

/// Writes a metric, whose values are flat up to version 2beta1, as version 2 does (autoscaling/v2beta1/conversion.go).
fn nest(metric: &mut Node) -> Option<()> {
    for (key, source) in metric.as_map_mut()?.entries_mut() {
        let Some(source) = source.as_map_mut() else { continue };
        match key {
            "resource" | "containerResource" => {
                wanted(source, "targetAverageUtilization", "Utilization", "averageUtilization")?;
                wanted(source, "targetAverageValue", "AverageValue", "averageValue")?;
            }
            "pods" => {
                named(source, "selector")?;
                wanted(source, "targetAverageValue", "AverageValue", "averageValue")?;
            }
            "object" => {
                source.rename("target", "describedObject");
                named(source, "selector")?;
                wanted(source, "targetValue", "Value", "value")?;
                wanted(source, "averageValue", "AverageValue", "averageValue")?;
            }
            "external" => {
                named(source, "metricSelector")?;
                wanted(source, "targetAverageValue", "AverageValue", "averageValue")?;
                wanted(source, "targetValue", "Value", "value")?;
            }
            _ => (),
        }
    }
    Some(())
}

/// The value that is wanted of a metric, with its type; `None` if another one is wanted, too.
fn wanted(source: &mut Map, field: &str, sort: &str, name: &str) -> Option<()> {
    if source.get(field).is_none() {
        return Some(());
    }
    if !source.rename(field, "target") {
        return None;
    }
    let target = source.get_mut("target")?;
    let value = Node::new(target.value.clone());
    target.value = Node::map([("type", Node::text(sort)), (name, value)]).value;
    Some(())
}

/// The name of a metric, with the selector in this field.
fn named(source: &mut Map, selector: &str) -> Option<()> {
    let selector = source.remove(selector).map(|selector| ("selector", selector));
    if !source.rename("metricName", "metric") {
        return None;
    }
    let metric = source.get_mut("metric")?;
    let name = Node::new(metric.value.clone());
    metric.value = Node::map([("name", name)].into_iter().chain(selector)).value;
    Some(())
}

fn targets<'a>(v: &View<'a>) -> Cow<'a, str> {
    let cells = match v.version {
        "v1" => targets_of_v1(v),
        version => {
            let (metrics, statuses) = (v.list("spec.metrics"), v.list("status.currentMetrics"));
            match metrics {
                [] => vec![cpu(CPU, statuses.first())],
                _ => targets_of(metrics, statuses, version),
            }
        }
    };
    first(cells.iter().cloned(), 2, cells.len(), ", ").into()
}

/// The metrics in the annotation, followed by cpu (autoscaling/v1/conversion.go).
fn targets_of_v1(v: &View<'_>) -> Vec<String> {
    let metrics = v.annotation(METRICS_ANNOTATION).and_then(objects).unwrap_or_default();
    let statuses = v.annotation(CURRENT_METRICS_ANNOTATION).and_then(objects);
    let mut cells = targets_of(&metrics, statuses.as_deref().unwrap_or_default(), v.version);
    let wanted = v.at("spec.targetCPUUtilizationPercentage").and_then(Node::as_int);
    if let Some(wanted) = wanted.or(metrics.is_empty().then_some(CPU)) {
        cells.push(
            match (&statuses, v.at("status.currentCPUUtilizationPercentage").and_then(Node::as_int)) {
                (None, Some(current)) if metrics.is_empty() => format!("cpu: {current}%/{wanted}%"),
                (statuses, _) => {
                    cpu(wanted, statuses.as_ref().and_then(|statuses| statuses.get(metrics.len())))
                }
            },
        );
    }
    cells
}

/// The list of objects that an annotation is, as JSON; `None` if it is none.
fn objects(annotation: &str) -> Option<Vec<Node>> {
    let list = json::parse(annotation.as_bytes()).ok()?.root;
    let items = list.as_seq()?;
    items.iter().all(|item| item.as_map().is_some()).then(|| items.to_vec())
}

fn targets_of(metrics: &[Node], statuses: &[Node], version: &str) -> Vec<String> {
    metrics.iter().enumerate().map(|(at, metric)| target(metric, statuses.get(at), version)).collect()
}

/// The cpu utilization in percent.
fn cpu(wanted: i64, status: Option<&Node>) -> String {
    let current = status.and_then(|status| measure(status.get("resource")?, "current", "averageUtilization"));
    format!("cpu: {}/{wanted}%", or_unknown(percent(current)))
}

/// The `current/target` of a metric (printers.go, formatHPAMetrics).
fn target(metric: &Node, status: Option<&Node>, version: &str) -> String {
    let kind = view::text(metric, "type");
    let Some(&(_, field, form)) = METRICS.iter().find(|(name, _, _)| *name == kind) else {
        return "<unknown type>".to_owned();
    };
    let present = |node: &&Node| !node.is_null();
    let Some(wanted) = metric.get(field).filter(present) else {
        return format!("{0}/{0}", age::UNKNOWN);
    };
    let status = status.and_then(|status| status.get(field)).filter(present);
    // In versions with flat fields, some values are not pointers, and are zero if they are absent.
    let flat = matches!(version, "v1" | "v2beta1");
    let zero = || flat.then(|| quantity(None).into_owned());
    let amount = |node: Option<&Node>| node.map(|node| quantity(Some(node)).into_owned());
    let wanted_amount = |name| amount(measure(wanted, "target", name));
    let current_amount = |name| status.and_then(|status| amount(measure(status, "current", name)));
    // Go prints a nil pointer.
    let or_nil = |text: Option<String>| text.unwrap_or_else(|| "<nil>".to_owned());
    let current = |name| current_amount(name).or_else(|| status.map(|_| or_nil(zero())));
    match (form, wanted_amount("averageValue")) {
        (Form::Named, Some(average)) => {
            format!("{}: {}/{average}", view::text(wanted, "name"), or_unknown(current("averageValue")))
        }
        (Form::Named, None) => {
            let target = percent(measure(wanted, "target", "averageUtilization"));
            let current = status.and_then(|status| measure(status, "current", "averageUtilization"));
            let target = target.unwrap_or_else(|| "<auto>".to_owned());
            format!("{}: {}/{target}", view::text(wanted, "name"), or_unknown(percent(current)))
        }
        (Form::AverageOnly, average) => {
            format!("{}/{}", or_unknown(current("averageValue")), or_nil(average.or_else(zero)))
        }
        (Form::Either, Some(average)) => {
            format!("{}/{average} (avg)", or_unknown(current_amount("averageValue")))
        }
        (Form::Either, None) => {
            let zero = zero().filter(|_| kind == "Object");
            format!("{}/{}", or_unknown(current("value")), or_nil(wanted_amount("value").or(zero)))
        }
    }
}

fn percent(node: Option<&Node>) -> Option<String> {
    node.and_then(Node::as_int).map(|percentage| format!("{percentage}%"))
}

/// A value of a metric's `target` or `current` side: `target.averageValue`, or `targetAverageValue` in v1 and v2beta1,
/// or `averageValue` for metrics of objects; `None` if it is in none of these places.
fn measure<'a>(source: &'a Node, side: &str, name: &str) -> Option<&'a Node> {
    let nested = source.get(side).and_then(|side| side.get(name));
    let flat = || {
        let (initial, rest) = name.split_at_checked(1)?;
        source.get(&format!("{side}{}{rest}", initial.to_uppercase())).or_else(|| source.get(name))
    };
    nested.or_else(flat).filter(|node| !node.is_null())
}

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| age::UNKNOWN.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};
    use super::{CURRENT_METRICS_ANNOTATION, METRICS_ANNOTATION};

    #[track_caller]
    fn check_targets(spec: &str, status: &str, cell: &str) {
        let yaml = format!(
            "{{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {{{spec}}}, status: {{{status}}}}}"
        );
        check(&yaml, &[("TARGETS", cell)]);
    }

    #[test]
    fn an_autoscaler_without_metrics_goes_by_cpu() {
        check_row(
            "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, \
              spec: {maxReplicas: 4, scaleTargetRef: {kind: Deployment, name: web}}}",
            &["h", "Deployment/web", "cpu: <unknown>/80%", "1", "4", "0", "<unknown>"],
        );
        check_targets(
            "metrics: []",
            "currentMetrics: [{type: Resource, resource: {name: cpu, current: {averageUtilization: 7}}}]",
            "cpu: 7%/80%",
        );
    }

    #[test]
    fn version_1_states_a_percentage_of_cpu() {
        check(
            "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, spec: {targetCPUUtilizationPercentage: 50}, \
              status: {currentCPUUtilizationPercentage: 20}}",
            &[("TARGETS", "cpu: 20%/50%")],
        );
    }

    #[test]
    fn version_1_has_other_metrics_in_annotations() {
        let metrics = r#"[{"type": "Pods", "pods": {"metricName": "m", "targetAverageValue": "100m"}}]"#;
        let current = r#"[{"type": "Pods", "pods": {"currentAverageValue": "50m"}},
            {"type": "Resource", "resource": {"name": "cpu", "currentAverageUtilization": 30}}]"#;
        for (metrics, current, spec, cell) in [
            (metrics, "", "", "<unknown>/100m"),
            (metrics, current, "", "50m/100m"),
            (metrics, current, "targetCPUUtilizationPercentage: 60", "50m/100m, cpu: 30%/60%"),
            (metrics, "", "targetCPUUtilizationPercentage: 60", "<unknown>/100m, cpu: <unknown>/60%"),
            ("[]", "", "", "cpu: <unknown>/80%"),
            ("nonsense", "nonsense", "", "cpu: <unknown>/80%"),
            ("[1]", "", "", "cpu: <unknown>/80%"),
            (
                r#"[{"type": "Object", "object": {"target": {"name": "s"}, "averageValue": "5"}}]"#,
                "",
                "",
                "<unknown>/5 (avg)",
            ),
            (r#"[{"type": "Object", "object": {"target": {"name": "s"}}}]"#, "", "", "<unknown>/0"),
        ] {
            check(
                &format!(
                    "{{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, spec: {{{spec}}}, metadata: {{annotations: \
                      {{{METRICS_ANNOTATION}: '{metrics}', {CURRENT_METRICS_ANNOTATION}: '{current}'}}}}}}"
                ),
                &[("TARGETS", cell)],
            );
        }
    }

    #[test]
    fn a_metric_without_a_target_prints_what_go_prints() {
        check_targets("metrics: [{type: External, external: {}}]", "", "<unknown>/<nil>");
        check_targets("metrics: [{type: Pods, pods: {}}]", "", "<unknown>/<nil>");
        check_targets(
            "metrics: [{type: Pods, pods: {target: {averageValue: 1}}}]",
            "currentMetrics: [{type: Pods, pods: {current: {}}}]",
            "<nil>/1",
        );
    }

    #[test]
    fn each_type_of_metric_has_its_form() {
        for (metric, current, cell) in [
            (
                "type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}",
                "",
                "cpu: <unknown>/80%",
            ),
            (
                "type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}",
                "resource: {current: {averageUtilization: 45}}",
                "cpu: 45%/80%",
            ),
            ("type: Resource, resource: {name: cpu, target: {}}", "", "cpu: <unknown>/<auto>"),
            (
                "type: ContainerResource, containerResource: {name: memory, target: {averageValue: 1024Mi}}",
                "containerResource: {current: {averageValue: 512Mi}}",
                "memory: 512Mi/1Gi",
            ),
            (
                "type: Pods, pods: {target: {averageValue: 1000}}",
                "pods: {current: {averageValue: 500m}}",
                "500m/1k",
            ),
            ("type: Object, object: {target: {value: 10}}", "object: {current: {value: 3}}", "3/10"),
            (
                "type: Object, object: {target: {averageValue: 10}}",
                "object: {current: {averageValue: 3}}",
                "3/10 (avg)",
            ),
            ("type: External, external: {target: {value: 10}}", "", "<unknown>/10"),
            ("type: External, external: {target: {averageValue: '0.5'}}", "", "<unknown>/500m (avg)"),
            ("type: Odd", "", "<unknown type>"),
            ("type: Pods", "", "<unknown>/<unknown>"),
        ] {
            check_targets(
                &format!("metrics: [{{{metric}}}]"),
                &format!("currentMetrics: [{{{current}}}]"),
                cell,
            );
        }
    }

    #[test]
    fn version_2beta1_writes_measures_flat() {
        check(
            "{apiVersion: autoscaling/v2beta1, kind: HorizontalPodAutoscaler, spec: {metrics: [{type: Resource, \
              resource: {name: cpu, targetAverageUtilization: 50}}, {type: Pods, pods: {targetAverageValue: 10}}]}, \
              status: {currentMetrics: [{resource: {currentAverageUtilization: 30}}, {pods: {}}]}}",
            &[("TARGETS", "cpu: 30%/50%, 0/10")],
        );
    }

    #[test]
    fn only_two_metrics_are_shown() {
        let metric = "{type: Pods, pods: {target: {averageValue: 1}}}";
        check_targets(
            &format!("metrics: [{metric}, {metric}, {metric}]"),
            "",
            "<unknown>/1, <unknown>/1 + 1 more...",
        );
    }
}
