//! What is wrong with a Pod, by its conditions and the states of its containers.

use jiff::{SignedDuration, Timestamp};

use super::words::{after, ago, join, reason_and_message, short, time};
use kinds::view;
use syntax::tree::Node;
use text::plural::counted;

/// How recent the end of a container of a ready Pod is that is reported.
const RECENT: SignedDuration = SignedDuration::from_hours(24);

/// How long a Pod may take to start without a finding.
const START: SignedDuration = SignedDuration::from_mins(2);

/// What is wrong with a Pod.
pub(super) struct Problem {
    pub rule: &'static str,
    pub since: Option<Timestamp>,
    /// What other Pods of the workload may have in common.
    pub words: String,
    /// The rest; may be empty.
    pub detail: String,
}

/// What is wrong with a Pod; `None` if nothing is, or it is being deleted.
pub(super) fn problem(pod: &Node, now: Timestamp) -> Option<Problem> {
    let phase = view::text(pod, "status.phase");
    if phase == "Succeeded" || !view::text(pod, "metadata.deletionTimestamp").is_empty() {
        return None;
    }
    let created = time(pod, "metadata.creationTimestamp");
    let problem = |rule, since, words: String, detail: String| Some(Problem { rule, since, words, detail });
    if let Some(condition) = condition(pod, "PodScheduled").filter(|one| view::text(one, "status") == "False")
    {
        let why = after(": ", &scheduler(&reason_and_message(condition)));
        let gated = view::text(condition, "reason") == "SchedulingGated";
        let words = if gated { "waits for its scheduling gates" } else { "cannot be scheduled" };
        return problem(
            "pod-unschedulable",
            time(condition, "lastTransitionTime"),
            format!("{words}{why}"),
            String::new(),
        );
    }
    let ready = condition(pod, "Ready");
    let since = ready.and_then(|ready| time(ready, "lastTransitionTime"));
    let failing: Vec<(String, String)> =
        containers(pod).filter_map(|status| failing(status, phase, now)).collect();
    let (words, details): (Vec<String>, Vec<String>) = failing.into_iter().unzip();
    let (words, details) = (join(words), join(details));
    match phase {
        "Failed" => {
            let reason = pod.at("status").map_or_else(String::new, reason_and_message);
            let words = ["failed".to_owned(), reason, words];
            let words: Vec<String> = words.into_iter().filter(|part| !part.is_empty()).collect();
            return problem("pod-failing", None, words.join(": "), details);
        }
        "Unknown" => {
            let reason = after(": ", &pod.at("status").map_or_else(String::new, reason_and_message));
            return problem("pod-not-ready", since, format!("is in an unknown state{reason}"), String::new());
        }
        _ if !words.is_empty() => return problem("pod-failing", since, words, details),
        _ => (),
    }
    let is_young = since.or(created).is_some_and(|time| time > now - START);
    if ready.is_some_and(|ready| view::text(ready, "status") != "True") {
        return not_ready(pod, now, since.or(created), is_young);
    }
    if phase == "Pending" && ready.is_none() {
        let words =
            if view::text(pod, "spec.nodeName").is_empty() { "is Pending" } else { "is Pending on its node" };
        let since = created.filter(|_| !is_young).or(created);
        return if is_young {
            None
        } else {
            problem("pod-not-ready", since, words.to_owned(), String::new())
        };
    }
    let ended: Vec<(String, String)> = containers(pod)
        .filter_map(|status| {
            ended(status, now, Some(RECENT)).map(|(words, detail)| (named(status, &words), detail))
        })
        .collect();
    let (words, details): (Vec<String>, Vec<String>) = ended.into_iter().unzip();
    if words.is_empty() { None } else { problem("pod-restarted", None, join(words), join(details)) }
}

/// A Pod whose condition `Ready` is not true, although no container fails.
fn not_ready(pod: &Node, now: Timestamp, since: Option<Timestamp>, is_young: bool) -> Option<Problem> {
    if is_young {
        return None;
    }
    let statuses: Vec<&Node> = view::list(pod, "status.containerStatuses").iter().collect();
    let of = |statuses: &[&Node], reason: &str| {
        statuses.iter().any(|status| view::text(status, "state.waiting.reason") == reason)
    };
    let init: Vec<&Node> = view::list(pod, "status.initContainerStatuses").iter().collect();
    let words = if of(&statuses, "ContainerCreating") || of(&init, "ContainerCreating") {
        "is in ContainerCreating".to_owned()
    } else if let Some(running) =
        init.iter().find(|status| status.at("state.running").is_some() && !view::bool(status, "ready"))
    {
        format!("waits for init container {}", view::text(running, "name"))
    } else {
        let waiting = statuses.iter().filter(|status| !view::bool(status, "ready"));
        let names: Vec<&str> = waiting.map(|status| view::text(status, "name")).collect();
        let gates =
            condition(pod, "Ready").filter(|ready| view::text(ready, "reason") == "ReadinessGatesNotReady");
        let why = gates.map_or_else(String::new, |ready| after(": ", view::text(ready, "message")));
        format!("is not ready{}{why}", after(": ", &names.join(", ")))
    };
    let last: Vec<String> = containers(pod)
        .filter_map(|status| ended(status, now, None))
        .map(|(words, detail)| format!("last {words} ({detail})"))
        .collect();
    Some(Problem { rule: "pod-not-ready", since, words, detail: join(last) })
}

fn containers(pod: &Node) -> impl Iterator<Item = &Node> {
    let lists = ["status.initContainerStatuses", "status.containerStatuses"];
    lists.into_iter().flat_map(|path| view::list(pod, path))
}

/// The condition of a type.
pub(super) fn condition<'t>(tree: &'t Node, of: &str) -> Option<&'t Node> {
    view::list(tree, "status.conditions").iter().find(|condition| view::text(condition, "type") == of)
}

/// What is wrong with a container that does not start or has failed; `None` if nothing is.
fn failing(status: &Node, phase: &str, now: Timestamp) -> Option<(String, String)> {
    if let Some(waiting) = status.at("state.waiting") {
        let reason = view::text(waiting, "reason");
        if matches!(reason, "" | "PodInitializing" | "ContainerCreating") {
            return None;
        }
        let (last, detail) = ended(status, now, None).unwrap_or_default();
        // Of a container that waits for its next start, the message says only how long.
        let message = if reason == "CrashLoopBackOff" {
            String::new()
        } else {
            after(": ", view::text(waiting, "message"))
        };
        return Some((named(status, &format!("is in {reason}{message}{}", after(", last ", &last))), detail));
    }
    let terminated = status.at("state.terminated")?;
    if view::int(terminated, "exitCode") == 0 || phase == "Succeeded" {
        return None;
    }
    let (words, detail) = termination(terminated, now);
    Some((named(status, &words), detail))
}

fn named(status: &Node, words: &str) -> String {
    format!("container {} {words}", view::text(status, "name"))
}

/// The last end of a container, within the time if one is given; `None` if it never ended.
fn ended(status: &Node, now: Timestamp, within: Option<SignedDuration>) -> Option<(String, String)> {
    let terminated = status.at("lastState.terminated")?;
    let finished = time(terminated, "finishedAt");
    // A ready container that ended without an error was told to.
    let is_fine = |within| {
        finished.is_none_or(|finished| finished < now - within) || view::int(terminated, "exitCode") == 0
    };
    if within.is_some_and(is_fine) {
        return None;
    }
    let (words, detail) = termination(terminated, now);
    let restarts = counted(view::int(status, "restartCount"), "restart");
    let detail = if detail.is_empty() { restarts } else { format!("last {detail}, {restarts}") };
    Some((words, detail))
}

/// `ended by OOMKilled with exit code 137 (killed, SIGKILL)`, and `3m ago`.
fn termination(terminated: &Node, now: Timestamp) -> (String, String) {
    let code = view::int(terminated, "exitCode");
    let mut meanings = include_str!("exit_codes.txt").lines().filter_map(|line| line.split_once(' '));
    let meaning = meanings.find(|(known, _)| *known == code.to_string());
    let meaning = meaning.map_or(String::new(), |(_, words)| format!(" ({words})"));
    let reason = match view::text(terminated, "reason") {
        "" | "Error" => String::new(),
        reason => format!(" by {reason}"),
    };
    let message = after(": ", ending(view::text(terminated, "message")));
    let when =
        time(terminated, "finishedAt").map_or_else(String::new, |time| format!("end {} ago", ago(time, now)));
    (format!("ended{reason} with exit code {code}{meaning}{message}"), when)
}

/// How much of a log the kubelet copies to the message of a container that ends (MaxContainerTerminationMessageLogLength).
const COPIED: usize = 2048;

/// The last line of a message that is the end of a longer log, or else all of it.
fn ending(message: &str) -> &str {
    let last = message.trim_end().lines().next_back().unwrap_or_default();
    if message.len() < COPIED { message } else { last }
}

/// The message of the scheduler, without what it says of preemption.
fn scheduler(message: &str) -> String {
    let end = message.find(" preemption:").unwrap_or(message.len());
    let text = message[..end].trim_end_matches('.');
    short(text.strip_prefix("Unschedulable: ").unwrap_or(text))
}
