//! Jobs and CronJobs (batch/validation).

use std::collections::HashSet;

use super::field_error::ErrorList;
use crate::at::At;
use kinds::form;
use text::cron::Schedule;
use text::is_among;

/// validateJobSpec.
pub(super) fn job(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    if at.get("completionMode").text() == "Indexed" {
        indexes(at, errors);
    }
    failure_policy(at, errors);
    success_policy(at, errors);
}

/// The limits of an Indexed job that depend on each other.
fn indexes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let (parallelism, most) = (at.get("parallelism"), at.get("maxFailedIndexes"));
    let Some(number) = at.get("completions").int() else { return };
    if most.int().is_some_and(|failed| failed > number) {
        errors.invalid(&most, "must be less than or equal to completions");
    }
    if number <= 100_000 || !at.get("backoffLimitPerIndex").is_set() {
        return;
    }
    if !most.is_set() {
        errors.required(&most, "must be specified when completions is above 100000");
    }
    for field in [&parallelism, &most] {
        if field.int().is_some_and(|number| number > 10_000) {
            let words = "must be less than or equal to 10000 when completions are above 100000 and used with backoff \
                         limit per index";
            errors.invalid(field, words);
        }
    }
}

/// validatePodFailurePolicy: rules that depend on the rest of the Job.
fn failure_policy(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let policy = at.get("podFailurePolicy");
    let rules = policy.get("rules");
    let template = at.get("template");
    let spec = template.get("spec");
    for rule in rules.items() {
        let action = rule.get("action");
        if action.text() == "FailIndex" && !at.get("backoffLimitPerIndex").is_set() {
            errors.invalid(&action, "requires the backoffLimitPerIndex to be set");
        }
        let codes = rule.get("onExitCodes");
        let name = codes.get("containerName");
        let exists =
            |list: &str| spec.get(list).items().any(|container| container.node_text("name") == name.text());
        if name.is_set() && !exists("containers") && !exists("initContainers") {
            errors.invalid(&name, "must be one of the container or initContainer names in the pod template");
        }
    }
}

/// validateSuccessPolicyRule.
fn success_policy(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let policy = at.get("successPolicy");
    let rules = policy.get("rules");
    let completions = at.get("completions").int().unwrap_or(0);
    if at.get("completionMode").text() != "Indexed" {
        return;
    }
    for rule in rules.items() {
        let (count, indexes) = (rule.get("succeededCount"), rule.get("succeededIndexes"));
        if count.int().is_some_and(|count| count > completions) {
            let words =
                format!("must be less than or equal to {completions} (the number of specified completions)");
            errors.invalid(&count, words);
        }
        if !indexes.is_set() {
            continue;
        }
        match total_indexes(indexes.text(), completions) {
            Err(message) => errors.invalid(&indexes, format!("error parsing succeededIndexes: {message}")),
            Ok(total) if count.int().is_some_and(|count| count > total) => {
                let words = format!(
                    "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
                );
                errors.invalid(&count, words);
            }
            Ok(_) => {}
        }
    }
}

/// How many indexes `1,3-5` has (validateIndexesFormat).
fn total_indexes(text: &str, completions: i64) -> Result<i64, &'static str> {
    let (mut total, mut last) = (0, -1);
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let number =
            |text: &str| text.parse::<i64>().map_err(|_| "cannot convert string to integer for index");
        let (first, end) = match part.split_once('-') {
            Some((first, end)) => (number(first)?, number(end)?),
            None => (number(part)?, number(part)?),
        };
        if first < 0 || end >= completions {
            return Err("too large index");
        }
        if first <= last {
            return Err("non-increasing order");
        }
        if first > end || part.contains('-') && first == end {
            return Err("non-increasing order");
        }
        total += end - first + 1;
        last = end;
    }
    Ok(total)
}

/// ValidateJobSpec: what holds for a Job and not for the template of a CronJob.
pub(super) fn job_selector(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let spec = at.get("spec");
    let selector = spec.get("selector");
    if !spec.get("manualSelector").is_true() {
        // ValidateGeneratedSelector: the server adds the labels of its own, and the selector may have no others.
        const OWN: &str =
            "batch.kubernetes.io/controller-uid batch.kubernetes.io/job-name controller-uid job-name";
        let (labels, expressions) = (selector.get("matchLabels"), selector.get("matchExpressions"));
        if labels.entries().any(|(key, _)| !is_among(OWN, key)) || expressions.len() > 0 {
            errors.invalid(&selector, "`selector` not auto-generated");
        }
        return;
    }
    if !selector.is_set() {
        errors.required(&selector, "");
    }
    super::workloads::matches_template(&spec, form::label_selector(selector.node).ok(), errors);
}

/// validatePodFailurePolicyRuleOnExitCodes.
pub(super) fn exit_codes(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let values = at.get("values");
    let mut seen = HashSet::new();
    let mut numbers = Vec::new();
    for value in values.items() {
        let Some(number) = value.int() else { continue };
        if number == 0 && at.get("operator").text() == "In" {
            errors.invalid(&value, "must not be 0 for the In operator");
        }
        if !seen.insert(number) {
            errors.duplicate(&value);
        }
        numbers.push(number);
    }
    if !numbers.is_sorted() {
        errors.invalid(&values, "must be ordered");
    }
}

/// validateScheduleFormat.
pub(super) fn cron(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let schedule = at.text();
    if schedule.is_empty() {
        return;
    }
    if let Err(message) = Schedule::parse(schedule) {
        errors.invalid(at, message);
    }
    if schedule.contains("TZ") {
        errors.invalid(at, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
}

/// validateTimeZone.
pub(super) fn time_zone(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let Some(name) = at.node.as_str() else { return };
    let is_part = |part: &str| {
        !matches!(part, "." | ".." | "")
            && !part.starts_with('-')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
    };
    let words = if name.is_empty() {
        "timeZone must be nil or non-empty string"
    } else if name.eq_ignore_ascii_case("local") {
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
    } else if !name.split('/').all(is_part) || !is_known_zone(name) {
        "unknown time zone"
    } else {
        return;
    };
    errors.invalid(at, words);
}

/// Whether the database of time zones has the name; without a database, every name is known.
fn is_known_zone(name: &str) -> bool {
    // Go reads these two without a database.
    matches!(name, "UTC" | "")
        || jiff::tz::TimeZone::get(name).is_ok()
        || jiff::tz::TimeZone::get("Europe/Berlin").is_err()
}

/// ValidateCronJobCreate and ValidateJobTemplateSpec.
pub(super) fn cron_job(at: &At<'_, '_>, errors: &mut ErrorList<'_>) {
    let metadata = at.get("metadata");
    let name = metadata.get("name");
    if name.text().len() > 52 {
        errors.invalid(&name, "must be no more than 52 characters");
    }
}
