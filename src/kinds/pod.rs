//! Pods, whose status is computed from many fields.

use std::borrow::Cow;
use std::collections::HashSet;

use jiff::Timestamp;

use super::columns::{Computed, NONE, Timed, holds};
use super::requests::is_sidecar;
use super::view::{self, View};
use syntax::tree::Node;
use text::age::Aged;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("pod-ready", |v| {
        let PodState { ready, total, .. } = pod_state(v);
        format!("{ready}/{total}").into()
    }),
    ("pod-status", |v| pod_state(v).reason),
    ("readiness-gates", readiness_gates),
];

/// Those with ages.
pub(super) const TIMED: &[(&str, Timed)] = &[("pod-restarts", |v| pod_state(v).restarts.cell())];

/// The state of a pod (printers.go, printPod).
struct PodState<'a> {
    ready: usize,
    total: usize,
    reason: Cow<'a, str>,
    restarts: Restarts,
    sidecar_restarts: Restarts,
}

/// The number of restarts of containers, and when the last one happened.
#[derive(Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    /// Adds the restarts of a container.
    fn add(&mut self, status: &Node) {
        self.count = self.count.saturating_add(view::int(status, "restartCount"));
        let ended = view::text(status, "lastState.terminated.finishedAt").parse().ok();
        self.last = self.last.max(ended);
    }

    fn cell<'a>(&self) -> Aged<Cow<'a, str>> {
        match self.last {
            Some(last) if self.count != 0 => Aged::Last(Box::new((self.count, last))),
            _ => Aged::Text(self.count.to_string().into()),
        }
    }
}

fn pod_state<'a>(v: &View<'a>) -> PodState<'a> {
    let init_containers = v.list("spec.initContainers");
    let sidecar = |container: &&Node| is_sidecar(container);
    let sidecars: HashSet<&str> =
        init_containers.iter().filter(sidecar).map(|container| view::text(container, "name")).collect();
    let conditions = v.list("status.conditions");
    let phase = v.text("status.phase");
    let mut state = PodState {
        ready: 0,
        total: v.containers("spec").len() + init_containers.iter().filter(sidecar).count(),
        reason: match v.text("status.reason") {
            _ if gated(v) => "SchedulingGated".into(),
            "" => phase.into(),
            reason => reason.into(),
        },
        restarts: Restarts::default(),
        sidecar_restarts: Restarts::default(),
    };
    let initializing =
        initialize(&mut state, v.list("status.initContainerStatuses"), &sidecars, init_containers.len());
    if !initializing || holds(conditions, "Initialized") {
        // Restarts of finished init containers no longer count.
        state.restarts = std::mem::take(&mut state.sidecar_restarts);
        run(&mut state, v.list("status.containerStatuses"), conditions);
    }
    if v.at("metadata.deletionTimestamp").is_some() {
        if v.text("status.reason") == "NodeLost" {
            state.reason = "Unknown".into();
        } else if !matches!(phase, "Failed" | "Succeeded") {
            state.reason = "Terminating".into();
        }
    }
    state
}

/// Whether the scheduler ignores the pod for now. The server says so in a condition when it creates a pod with
/// scheduling gates (core/pod/strategy.go, applySchedulingGatedCondition).
fn gated(v: &View<'_>) -> bool {
    let conditions = v.list("status.conditions").iter();
    let mut scheduled =
        conditions.filter(|condition| view::text(condition, "type") == "PodScheduled").peekable();
    match scheduled.peek() {
        Some(_) => scheduled.any(|condition| view::text(condition, "reason") == "SchedulingGated"),
        None => !v.list("spec.schedulingGates").is_empty(),
    }
}

/// Applies the init containers, up to the first that has not finished; returns whether there is one.
fn initialize<'a>(
    state: &mut PodState<'a>,
    statuses: &'a [Node],
    sidecars: &HashSet<&str>,
    init_containers: usize,
) -> bool {
    for (i, status) in statuses.iter().enumerate() {
        let sidecar = sidecars.contains(view::text(status, "name"));
        state.restarts.add(status);
        if sidecar {
            state.sidecar_restarts.add(status);
        }
        let terminated = present(status, "state.terminated");
        if terminated.is_some_and(|terminated| view::int(terminated, "exitCode") == 0) {
            continue;
        }
        if sidecar && view::bool(status, "started") {
            state.ready += usize::from(view::bool(status, "ready"));
            continue;
        }
        state.reason = match (terminated, view::text(status, "state.waiting.reason")) {
            (Some(terminated), _) => format!("Init:{}", ended(terminated)).into(),
            (None, "" | "PodInitializing") => format!("Init:{i}/{init_containers}").into(),
            (None, reason) => format!("Init:{reason}").into(),
        };
        return true;
    }
    false
}

/// Applies the containers. The first one with a reason gives the reason.
fn run<'a>(state: &mut PodState<'a>, statuses: &'a [Node], conditions: &[Node]) {
    let mut has_running = false;
    let mut failure = None;
    for status in statuses.iter().rev() {
        state.restarts.add(status);
        let terminated = present(status, "state.terminated");
        match (view::text(status, "state.waiting.reason"), terminated) {
            ("", Some(terminated)) => {
                state.reason = ended(terminated);
                if view::int(terminated, "exitCode") != 0 {
                    failure = Some(state.reason.clone());
                }
            }
            ("", None) => {
                if view::bool(status, "ready") && present(status, "state.running").is_some() {
                    has_running = true;
                    state.ready += 1;
                }
            }
            (reason, _) => state.reason = reason.into(),
        }
    }
    // A finished container does not complete the pod while others run or have failed.
    if state.reason == "Completed" {
        // If there are several conditions, any of them may say it.
        let is_ready = |condition: &Node| {
            view::text(condition, "type") == "Ready" && view::text(condition, "status") == "True"
        };
        if has_running && conditions.iter().any(is_ready) {
            state.reason = "Running".into();
        } else if let Some(failure) = failure {
            state.reason = failure;
        } else if has_running {
            state.reason = "NotReady".into();
        }
    }
}

/// The reason why a container ended, or else its signal or exit code.
fn ended<'a>(terminated: &'a Node) -> Cow<'a, str> {
    match (view::text(terminated, "reason"), view::int(terminated, "signal")) {
        ("", 0) => format!("ExitCode:{}", view::int(terminated, "exitCode")).into(),
        ("", signal) => format!("Signal:{signal}").into(),
        (reason, _) => reason.into(),
    }
}

/// The value at a path below `node`, unless it is `null`.
fn present<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    node.at(path).filter(|node| !node.is_null())
}

fn readiness_gates<'a>(v: &View<'a>) -> Cow<'a, str> {
    let gates = v.list("spec.readinessGates");
    if gates.is_empty() {
        return NONE.into();
    }
    let conditions = v.list("status.conditions");
    let open = gates.iter().filter(|gate| holds(conditions, view::text(gate, "conditionType"))).count();
    format!("{open}/{}", gates.len()).into()
}

#[cfg(test)]
mod tests {
    use super::super::columns::testing::check;

    /// Checks READY, STATUS and RESTARTS of a pod with the containers `c` and `d`, the init containers `i` and `k`,
    /// and, if the status mentions it, the sidecar `s`.
    #[track_caller]
    fn check_pod(status: &str, cells: [&str; 3]) {
        let sidecar = if status.contains("name: s,") { ", {name: s, restartPolicy: Always}" } else { "" };
        let yaml = format!(
            "apiVersion: v1\nkind: Pod\nspec: {{containers: [{{name: c}}, {{name: d}}], \
             initContainers: [{{name: i}}, {{name: k}}{sidecar}]}}\nstatus: {{{status}}}"
        );
        check(&yaml, &[("READY", cells[0]), ("STATUS", cells[1]), ("RESTARTS", cells[2])]);
    }

    #[test]
    fn a_bare_pod_is_pending() {
        check_pod("", ["0/2", "Pending", "0"]);
    }

    #[test]
    fn a_waiting_container_gives_the_reason() {
        check_pod(
            "phase: Running, containerStatuses: [
               {name: c, ready: true, restartCount: 3, state: {running: {}},
                lastState: {terminated: {finishedAt: '2026-01-10T11:58:00Z'}}},
               {name: d, restartCount: 0, state: {waiting: {reason: CrashLoopBackOff}}}]",
            ["1/2", "CrashLoopBackOff", "3 (2m ago)"],
        );
    }

    #[test]
    fn restarts_tell_when_the_last_one_was_if_it_is_known() {
        check_pod(
            "phase: Running, containerStatuses: [
               {name: c, ready: true, restartCount: 1, state: {running: {}},
                lastState: {terminated: {finishedAt: '2026-01-10T10:00:00Z'}}},
               {name: d, ready: true, restartCount: 2, state: {running: {}},
                lastState: {terminated: {finishedAt: '2026-01-10T11:00:00Z'}}}]",
            ["2/2", "Running", "3 (60m ago)"],
        );
        check_pod(
            "phase: Running, containerStatuses: [{name: c, ready: true, restartCount: 1, state: {running: {}}}]",
            ["1/2", "Running", "1"],
        );
    }

    #[test]
    fn the_first_init_container_that_is_not_through_gives_the_reason() {
        let first = "{name: i, restartCount: 2, state: {terminated: {exitCode: 0}}}";
        for (second, status, restarts) in [
            ("{name: k, restartCount: 1, state: {running: {}}}", "Init:1/2", "3"),
            ("{name: k, state: {waiting: {reason: PodInitializing}}}", "Init:1/2", "2"),
            ("{name: k, state: {waiting: {reason: ImagePullBackOff}}}", "Init:ImagePullBackOff", "2"),
            ("{name: k, state: {terminated: {exitCode: 2}}}", "Init:ExitCode:2", "2"),
            ("{name: k, state: {terminated: {exitCode: 2, signal: 9}}}", "Init:Signal:9", "2"),
            ("{name: k, state: {terminated: {exitCode: 1, reason: Error}}}", "Init:Error", "2"),
        ] {
            check_pod(
                &format!("phase: Pending, initContainerStatuses: [{first}, {second}]"),
                ["0/2", status, restarts],
            );
        }
    }

    #[test]
    fn restarts_of_init_containers_that_are_through_do_not_count() {
        check_pod(
            "phase: Running, initContainerStatuses: [{name: i, restartCount: 2, state: {terminated: {exitCode: 0}}}],
             containerStatuses: [{name: c, ready: true, restartCount: 1, state: {running: {}}}]",
            ["1/2", "Running", "1"],
        );
    }

    #[test]
    fn a_started_sidecar_counts_as_a_container() {
        check_pod(
            "phase: Running, initContainerStatuses: [
               {name: s, started: true, ready: true, restartCount: 4, state: {running: {}},
                lastState: {terminated: {finishedAt: '2026-01-10T11:59:00Z'}}},
               {name: i, restartCount: 7, state: {terminated: {exitCode: 0}}}],
             containerStatuses: [{name: c, ready: true, restartCount: 1, state: {running: {}}}]",
            ["2/3", "Running", "5 (60s ago)"],
        );
        check_pod(
            "phase: Pending, initContainerStatuses: [{name: s, started: false, restartCount: 1, state: {running: {}}}]",
            ["0/3", "Init:0/3", "1"],
        );
    }

    #[test]
    fn the_status_has_a_reason_of_its_own() {
        check_pod("phase: Failed, reason: Evicted", ["0/2", "Evicted", "0"]);
    }

    #[test]
    fn completed_containers_do_not_hide_the_others() {
        let completed = "{name: d, state: {terminated: {exitCode: 0, reason: Completed}}}";
        let running = "{name: c, ready: true, state: {running: {}}}";
        for (statuses, conditions, cells) in [
            (format!("{running}, {completed}"), "", ["1/2", "NotReady", "0"]),
            (format!("{completed}, {running}"), "{type: Ready, status: 'True'}", ["1/2", "Running", "0"]),
            (
                "{name: c, state: {terminated: {exitCode: 0, reason: Completed}}}, \
                 {name: d, state: {terminated: {exitCode: 3, signal: 9}}}"
                    .to_owned(),
                "",
                ["0/2", "Signal:9", "0"],
            ),
            (completed.to_owned(), "", ["0/2", "Completed", "0"]),
        ] {
            check_pod(
                &format!("phase: Running, conditions: [{conditions}], containerStatuses: [{statuses}]"),
                cells,
            );
        }
    }

    #[test]
    fn a_gated_pod_says_so_with_and_without_a_status() {
        check_pod(
            "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]",
            ["0/2", "SchedulingGated", "0"],
        );
        check(
            "{apiVersion: v1, kind: Pod, spec: {schedulingGates: [{name: a}]}}",
            &[("STATUS", "SchedulingGated")],
        );
        check(
            "{apiVersion: v1, kind: Pod, spec: {schedulingGates: [{name: a}]}, \
              status: {conditions: [{type: PodScheduled, status: 'True'}]}}",
            &[("STATUS", "Pending")],
        );
    }

    #[test]
    fn a_pod_on_its_way_out_is_terminating() {
        for (status, cell) in [
            ("phase: Running", "Terminating"),
            ("phase: Succeeded", "Succeeded"),
            ("reason: NodeLost", "Unknown"),
        ] {
            check(
                &format!(
                    "{{apiVersion: v1, kind: Pod, metadata: {{deletionTimestamp: '2026-01-10T11:00:00Z'}}, \
                      status: {{{status}}}}}"
                ),
                &[("STATUS", cell)],
            );
        }
    }

    #[test]
    fn a_pod_tells_its_place_in_the_wide_table() {
        check(
            "{apiVersion: v1, kind: Pod, spec: {nodeName: n, readinessGates: [{conditionType: a}, {conditionType: b}]}, \
              status: {podIPs: [{ip: 10.0.0.1}], conditions: [{type: b, status: 'True'}, {type: a, status: 'False'}]}}",
            &[("IP", "10.0.0.1"), ("NODE", "n"), ("NOMINATED NODE", "<none>"), ("READINESS GATES", "1/2")],
        );
    }
}
