//! The group `batch`.

use std::borrow::Cow;

use jiff::Timestamp;

use super::columns::{Computed, NONE, Timed, holds};
use super::view::View;
use syntax::tree::Node;
use text::age::{self, Aged};

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("suspended", |v| if v.bool("spec.suspend") { "True".into() } else { "False".into() }),
    ("job-status", |v| job_status(v).into()),
    ("job-completions", completions),
];

/// Those with ages.
pub(super) const TIMED: &[(&str, Timed)] = &[
    ("last-schedule", |v| match v.text("status.lastScheduleTime") {
        "" => Aged::Text(NONE.into()),
        then => Aged::since(then),
    }),
    ("job-duration", duration),
];

/// The first status that applies (printers.go, printJob).
fn job_status(v: &View<'_>) -> &'static str {
    let conditions = v.list("status.conditions");
    let first = |kinds: &[&'static str]| kinds.iter().copied().find(|kind| holds(conditions, kind));
    let deleted = v.at("metadata.deletionTimestamp").map(|_| "Terminating");
    first(&["Complete", "Failed"])
        .or(deleted)
        .or(first(&["Suspended", "FailureTarget", "SuccessCriteriaMet"]))
        .unwrap_or("Running")
}

fn completions<'a>(v: &View<'a>) -> Cow<'a, str> {
    let succeeded = v.int("status.succeeded");
    match (v.at("spec.completions").and_then(Node::as_int), v.int("spec.parallelism")) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}").into(),
        (None, parallelism @ 2..) => format!("{succeeded}/1 of {parallelism}").into(),
        (None, _) => format!("{succeeded}/1").into(),
    }
}

/// From the start to the end or to now; empty before the start.
fn duration<'a>(v: &View<'a>) -> Aged<Cow<'a, str>> {
    match (v.text("status.startTime"), v.text("status.completionTime").parse::<Timestamp>()) {
        ("", _) => Aged::Text("".into()),
        (start, Ok(end)) => Aged::Text(age::since(start, end).into()),
        (start, Err(_)) => Aged::since(start),
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[track_caller]
    fn check_job(spec: &str, status: &str, cells: [&str; 3]) {
        check(
            &format!("{{apiVersion: batch/v1, kind: Job, spec: {{{spec}}}, status: {{{status}}}}}"),
            &[("STATUS", cells[0]), ("COMPLETIONS", cells[1]), ("DURATION", cells[2])],
        );
    }

    #[test]
    fn a_job_completes_once_unless_it_says_otherwise() {
        check_job("", "", ["Running", "0/1", ""]);
        check_job("completions: 5", "succeeded: 2", ["Running", "2/5", ""]);
        check_job("completions: 5, parallelism: 3", "", ["Running", "0/5", ""]);
        check_job("parallelism: 3", "", ["Running", "0/1 of 3", ""]);
        check_job("parallelism: 1", "", ["Running", "0/1", ""]);
        check_job("parallelism: null", "", ["Running", "0/1", ""]);
    }

    #[test]
    fn a_job_runs_from_its_start_to_its_end_or_to_now() {
        check_job("", "startTime: '2026-01-10T11:59:00Z'", ["Running", "0/1", "60s"]);
        check_job(
            "",
            "startTime: '2026-01-10T10:00:00Z', completionTime: '2026-01-10T10:01:35Z'",
            ["Running", "0/1", "95s"],
        );
    }

    #[test]
    fn the_status_of_a_job_is_the_weightiest_of_its_conditions() {
        let deleted = "deletionTimestamp: '2026-01-10T11:00:00Z'";
        for (metadata, conditions, cell) in [
            ("", "{type: Odd, status: 'True'}", "Running"),
            ("", "{type: Complete, status: 'False'}", "Running"),
            ("", "{type: SuccessCriteriaMet, status: 'True'}", "SuccessCriteriaMet"),
            (
                "",
                "{type: SuccessCriteriaMet, status: 'True'}, {type: FailureTarget, status: 'True'}",
                "FailureTarget",
            ),
            ("", "{type: FailureTarget, status: 'True'}, {type: Suspended, status: 'True'}", "Suspended"),
            (deleted, "{type: Suspended, status: 'True'}", "Terminating"),
            (deleted, "{type: Failed, status: 'True'}", "Failed"),
            ("", "{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True'}", "Complete"),
        ] {
            check(
                &format!(
                    "{{apiVersion: batch/v1, kind: Job, metadata: {{{metadata}}}, \
                      status: {{conditions: [{conditions}]}}}}"
                ),
                &[("STATUS", cell)],
            );
        }
    }

    #[test]
    fn a_cron_job_shows_its_schedule_and_its_job() {
        check_row(
            "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {schedule: '@daily', jobTemplate: {spec: \
              {template: {spec: {containers: [{name: a, image: i}]}}}}}}",
            &["c", "@daily", "<none>", "False", "0", "<none>", "<unknown>", "a", "i", "<none>"],
        );
        check(
            "{apiVersion: batch/v1, kind: CronJob, spec: {suspend: true, timeZone: Etc/UTC}, \
              status: {active: [{name: j}], lastScheduleTime: '2026-01-10T11:00:00Z'}}",
            &[("TIMEZONE", "Etc/UTC"), ("SUSPEND", "True"), ("ACTIVE", "1"), ("LAST SCHEDULE", "60m")],
        );
    }
}
