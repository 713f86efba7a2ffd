//! The group `autoscaling`.

use std::borrow::Cow;

use super::{AGE, Kind, NAME, column, first, quantity, shown};
use crate::age;
use crate::manifest::tree::Node;
use crate::view::{self, View};

pub const KINDS: &[Kind] = &[
    Kind {
        group: "autoscaling",
        kind: "HorizontalPodAutoscaler",
        columns: &[
            NAME,
            column("REFERENCE", |v| {
                format!("{}/{}", v.text("spec.scaleTargetRef.kind"), v.text("spec.scaleTargetRef.name"))
                    .into()
            }),
            column("TARGETS", targets),
            column("MINPODS", |v| shown(v.int("spec.minReplicas"))),
            column("MAXPODS", |v| shown(v.int("spec.maxReplicas"))),
            column("REPLICAS", |v| shown(v.int("status.currentReplicas"))),
            AGE,
        ],
    },
    Kind {
        group: "autoscaling",
        kind: "Scale",
        columns: &[
            NAME,
            column("DESIRED", |v| shown(v.int("spec.replicas"))),
            column("AVAILABLE", |v| shown(v.int("status.replicas"))),
            AGE,
        ],
    },
];

/// A metric's type, the field that describes it, and what is particular about its cell.
const METRICS: &[(&str, &str, Form)] = &[
    ("Resource", "resource", Form::Named),
    ("ContainerResource", "containerResource", Form::Named),
    ("Pods", "pods", Form::AverageOnly),
    ("Object", "object", Form::Either),
    ("External", "external", Form::Either),
];

/// How a metric's current and wanted value are written (printers.go, formatHPAMetrics).
#[derive(Clone, Copy)]
enum Form {
    /// The resource's name and an average or a percentage: `cpu: 45%/80%`.
    Named,
    /// An average: `1/2`.
    AverageOnly,
    /// An average, `1/2 (avg)`, or a value, `1/2`.
    Either,
}

fn targets<'a>(v: &View<'a>) -> Cow<'a, str> {
    let (metrics, statuses) = (v.list("spec.metrics"), v.list("status.currentMetrics"));
    if metrics.is_empty() {
        // An autoscaler of version 1, or one that leaves it to the API to choose the metric.
        let percentage = |node: &Node| node.as_int().map(|percentage| format!("{percentage}%"));
        let resource = statuses.first().and_then(|status| status.get("resource"));
        let current = v
            .at("status.currentCPUUtilizationPercentage")
            .or_else(|| measure(resource?, "current", "averageUtilization"))
            .and_then(percentage);
        let target = v.int("spec.targetCPUUtilizationPercentage");
        return format!("cpu: {}/{target}%", or_unknown(current)).into();
    }
    let cells = metrics.iter().enumerate().map(|(i, metric)| target(metric, statuses.get(i)));
    first(cells, 2, metrics.len(), ", ").into()
}

/// One metric's `current/target`.
fn target(metric: &Node, status: Option<&Node>) -> String {
    let kind = view::text(metric, "type");
    let Some(&(_, field, form)) = METRICS.iter().find(|(name, _, _)| *name == kind) else {
        return "<unknown type>".to_owned();
    };
    let Some(wanted) = metric.get(field) else {
        return format!("{0}/{0}", age::UNKNOWN);
    };
    let current = |name| status.and_then(|status| measure(status.get(field)?, "current", name));
    let amount = |node: Option<&Node>| or_unknown(node.map(|node| quantity(Some(node)).into_owned()));
    let average = measure(wanted, "target", "averageValue");
    let averages = || format!("{}/{}", amount(current("averageValue")), amount(average));
    match (form, average) {
        (Form::Named, Some(_)) => format!("{}: {}", view::text(wanted, "name"), averages()),
        (Form::Named, None) => {
            let percent = |node: Option<&Node>| node.and_then(Node::as_int).map(|n| format!("{n}%"));
            let target = percent(measure(wanted, "target", "averageUtilization"));
            let current = percent(current("averageUtilization"));
            let target = target.unwrap_or_else(|| "<auto>".to_owned());
            format!("{}: {}/{target}", view::text(wanted, "name"), or_unknown(current))
        }
        (Form::AverageOnly, _) => averages(),
        (Form::Either, Some(_)) => averages() + " (avg)",
        (Form::Either, None) => {
            format!("{}/{}", amount(current("value")), amount(measure(wanted, "target", "value")))
        }
    }
}

/// A measure of a metric's `target` or `current` side: `target.averageValue`, or `targetAverageValue` as
/// v2beta1 wrote it; nothing when it is in neither place.
fn measure<'a>(source: &'a Node, side: &str, name: &str) -> Option<&'a Node> {
    let nested = source.get(side).and_then(|side| side.get(name));
    let flat = || {
        let (initial, rest) = name.split_at_checked(1)?;
        source.get(&format!("{side}{}{rest}", initial.to_uppercase()))
    };
    nested.or_else(flat).filter(|node| !node.is_null())
}

fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| age::UNKNOWN.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_row};

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
        check_targets(
            "targetCPUUtilizationPercentage: 50",
            "currentCPUUtilizationPercentage: 20",
            "cpu: 20%/50%",
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
        check_targets(
            "metrics: [{type: Resource, resource: {name: cpu, targetAverageUtilization: 50}}, \
             {type: Pods, pods: {targetAverageValue: 10}}]",
            "currentMetrics: [{resource: {currentAverageUtilization: 30}}, {pods: {currentAverageValue: 3}}]",
            "cpu: 30%/50%, 3/10",
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
