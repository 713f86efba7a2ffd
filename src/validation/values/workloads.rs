//! Workloads and budgets (apps/validation, policy/validation).

use super::field_error::{ErrorList, range};
use crate::at::At;
use crate::messages;
use kinds::form;
use syntax::tree::Value;

pub(super) fn replica_set(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    replicas(at, "deployment", errors);
}

pub(super) fn stateful_set(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    replicas(at, "statefulset", errors);
}

/// ValidateDeploymentSpec.
pub(super) fn deployment(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    replicas(at, "deployment", errors);
    let deadline = at.get("progressDeadlineSeconds");
    let ready = at.get("minReadySeconds").int().unwrap_or(0);
    // core/v1/defaults.go: 600
    if deadline.int().unwrap_or(600) <= ready {
        errors.invalid(&deadline, "must be greater than minReadySeconds");
    }
    let strategy = at.get("strategy");
    let kind = strategy.get("type");
    if !matches!(kind.text(), "" | "Recreate" | "RollingUpdate") {
        errors.unsupported(&strategy, &["Recreate", "RollingUpdate"]);
    }
}

/// ValidateDaemonSetSpec.
pub(super) fn daemon_set(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    replicas(at, "daemonset", errors);
    let strategy = at.get("updateStrategy");
    match strategy.get("type").text() {
        "" | "RollingUpdate" => daemon_update(&strategy.get("rollingUpdate"), errors),
        "OnDelete" => {}
        _ => errors.unsupported(&strategy, &["OnDelete", "RollingUpdate"]),
    }
}

/// The annotation that holds a field of an older version (apps/v1, conversion.go).
pub(super) fn template_generation(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    const GENERATION: &str = "deprecated.daemonset.template.generation";
    let metadata = at.get("metadata");
    let annotations = metadata.get("annotations");
    // The server reads null as an empty text.
    let value = annotations.entries().find_map(|(key, value)| (key == GENERATION).then_some(value));
    if value.is_some_and(|value| value.text().parse::<i64>().is_err()) {
        errors.invalid(&annotations.key(GENERATION), "strconv.ParseInt: invalid syntax");
    }
}

/// ValidateReplicaSetSpec, ValidateDaemonSetSpec: selector and pod template.
fn replicas(at: &At<'_, '_>, kind: &str, errors: &mut ErrorList<'_>) {
    let selector = at.get("selector");
    if selector.is_set() {
        if selector.get("matchLabels").is_zero() && selector.get("matchExpressions").is_zero() {
            errors.invalid(&selector, format!("{} for {kind}", messages::EMPTY_SELECTOR));
        }
        matches_template(at, form::label_selector(selector.node).ok(), errors);
    }
}

/// The labels of the pod template match the selector.
pub(super) fn matches_template(
    at: &At<'_, '_>,
    selector: Option<selector::labels::Selector>,
    errors: &mut ErrorList<'_>,
) {
    let Some(selector) = selector.filter(|selector| !selector.is_empty()) else { return };
    let template = at.get("template");
    let metadata = template.get("metadata");
    let labels = metadata.get("labels");
    let own: Vec<(&str, &str)> = labels
        .map()
        .iter()
        .map(|entry| (entry.key.as_str(), entry.value.as_str().unwrap_or_default()))
        .collect();
    if !selector.matches(&own[..]) {
        errors.invalid(&labels, messages::TEMPLATE_MISMATCH);
    }
}

/// ValidateReplicationControllerSpec.
pub(super) fn replication_controller(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (selector, template) = (at.get("selector"), at.get("template"));
    // core/v1/defaults.go: the labels of the template are the selector if there is none.
    let metadata = template.get("metadata");
    if selector.is_zero() && metadata.get("labels").is_zero() {
        errors.required(&selector, "");
    }
    matches_template(at, form::equality_map(selector.node).ok(), errors);
}

/// ValidateRollingUpdateDeployment.
pub(super) fn rolling_update(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !at.is_set() {
        return;
    }
    let (unavailable, surge) = (at.get("maxUnavailable"), at.get("maxSurge"));
    int_or_percent(&unavailable, errors);
    int_or_percent(&surge, errors);
    // apps/v1/defaults.go: 25% if missing.
    let is_zero = |at: &At<'_, '_>| at.is_set() && value(at) == 0;
    if is_zero(&unavailable) && is_zero(&surge) {
        errors.invalid(&unavailable, "may not be 0 when `maxSurge` is 0");
    }
}

/// ValidateDaemonSetUpdateStrategy.
fn daemon_update(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if !at.is_set() {
        return;
    }
    let (unavailable, surge) = (at.get("maxUnavailable"), at.get("maxSurge"));
    for field in [&unavailable, &surge] {
        int_or_percent(field, errors);
        at_most_100_percent(field, errors);
    }
    // apps/v1/defaults.go: 1 and 0.
    let is_unavailable = !unavailable.is_set() || value(&unavailable) != 0;
    let is_surging = surge.is_set() && value(&surge) != 0;
    match (is_unavailable, is_surging) {
        (true, true) => errors.invalid(&surge, "may not be set when maxUnavailable is non-zero"),
        (false, false) => errors.required(&unavailable, "cannot be 0 when maxSurge is 0"),
        _ => {}
    }
}

/// The number, or that before the percent sign; 0 for another text (getIntOrPercentValue).
fn value(at: &At<'_, '_>) -> i64 {
    match &at.node.value {
        Value::Int(number) => *number,
        Value::String(text) => text.strip_suffix('%').and_then(|number| number.parse().ok()).unwrap_or(0),
        _ => 0,
    }
}

/// ValidatePositiveIntOrPercent.
pub(super) fn int_or_percent(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    match &at.node.value {
        Value::Int(number) if *number < 0 => errors.invalid(at, range(0, i64::MAX)),
        Value::String(text) => {
            let is_number =
                |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            if !text.strip_suffix('%').is_some_and(is_number) {
                let words = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or \
                             '93%', regex used for validation is '[0-9]+%')";
                errors.invalid(at, words);
            }
        }
        _ => {}
    }
}

/// IsNotMoreThan100Percent.
pub(super) fn at_most_100_percent(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.text().ends_with('%') && value(at) > 100 {
        errors.invalid(at, "must not be greater than 100%");
    }
}
