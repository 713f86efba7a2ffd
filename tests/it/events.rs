//! `kselect events`.

use super::support::Kselect;

/// A Deployment's Pod, another Pod, and events about them and the Deployment.
const DUMP: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d}]
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1-a
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r}]
---
apiVersion: v1
kind: Event
metadata: {name: a, namespace: shop, uid: e1, resourceVersion: '1'}
type: Warning
reason: BackOff
message: |
  Back-off restarting failed container
involvedObject: {apiVersion: v1, kind: Pod, name: web-1-a, namespace: shop}
firstTimestamp: '2026-01-10T11:00:00Z'
lastTimestamp: '2026-01-10T11:58:00Z'
count: 12
---
apiVersion: v1
kind: Event
metadata: {name: b, namespace: shop, uid: e2}
type: Normal
reason: ScalingReplicaSet
message: Scaled up replica set web-1 to 1
involvedObject: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: shop}
firstTimestamp: '2026-01-10T11:00:00Z'
lastTimestamp: '2026-01-10T11:00:00Z'
count: 1
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: c, namespace: other, uid: e3}
type: Normal
reason: Scheduled
note: Assigned other/x to n1
regarding: {apiVersion: v1, kind: Pod, name: x, namespace: other}
eventTime: '2026-01-10T11:30:00.000000Z'
series: {count: 3, lastObservedTime: '2026-01-10T11:45:00.000000Z'}
---
apiVersion: v1
kind: Event
metadata: {name: a, namespace: shop, uid: e1, resourceVersion: '2'}
type: Warning
reason: BackOff
message: Back-off restarting failed container
involvedObject: {apiVersion: v1, kind: Pod, name: web-1-a, namespace: shop}
firstTimestamp: '2026-01-10T11:00:00Z'
lastTimestamp: '2026-01-10T11:59:00Z'
count: 13
";

/// One of the events is there in two states.
const COPY: &str = "kselect: left out 1 copy of an object; kselect get --all-copies shows it\n";

fn events(args: &[&'static str]) -> Kselect {
    Kselect::new(["events"].iter().chain(args).copied()).now("2026-01-10T12:00:00Z").stdin(DUMP).stderr(COPY)
}

#[test]
fn events_come_in_the_order_of_the_time_that_counts_each_once() {
    events(&["-A"]).prints(
        "\
NAMESPACE   LAST SEEN            TYPE      REASON              OBJECT           MESSAGE
shop        60m                  Normal    ScalingReplicaSet   Deployment/web   Scaled up replica set web-1 to 1
other       15m (x3 over 30m)    Normal    Scheduled           Pod/x            Assigned other/x to n1
shop        60s (x13 over 60m)   Warning   BackOff             Pod/web-1-a      Back-off restarting failed container
",
    );
}

#[test]
fn events_about_an_object_are_those_about_what_it_owns_too() {
    events(&["--for", "deploy/web", "--no-headers"]).prints(
        "\
60m                  Normal    ScalingReplicaSet   Deployment/web   Scaled up replica set web-1 to 1
60s (x13 over 60m)   Warning   BackOff             Pod/web-1-a      Back-off restarting failed container
",
    );
    // Only the events of a deleted object are left.
    events(&["--for", "pod/x", "--no-headers"])
        .prints("15m (x3 over 30m)   Normal   Scheduled   Pod/x   Assigned other/x to n1\n");
}

#[test]
fn types_are_those_of_kubectl() {
    events(&["--types", "warning", "--no-headers"]).prints(
        "60s (x13 over 60m)   Warning   BackOff   Pod/web-1-a   Back-off restarting failed container\n",
    );
    events(&["--types", "Error"])
        .status(2)
        .stderr("error: invalid value 'Error' for --types: valid --types are Normal or Warning\n")
        .prints_nothing();
}

#[test]
fn nothing_is_said_in_the_words_of_kubectl() {
    let hint = "hint: the input has no pods \"y\"\n";
    events(&["--for", "pod/y"]).stderr(format!("No events found.\n{hint}{COPY}")).prints_nothing();
    events(&["--for", "pod/y", "-q"]).stderr("").prints_nothing();
    events(&["-n", "empty"]).stderr(
        "No events found in empty namespace.\nkselect: read 6 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n",
    ).prints_nothing();
}

#[test]
fn messages_are_whole_and_each_event_is_one_line() {
    let event = "\
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: a}
type: Warning
reason: Unhealthy
note: \"Readiness probe failed:\\n  HTTP probe failed with statuscode: 503\\n\"
regarding: {kind: Pod, name: x}
";
    let run =
        |args: &[&'static str]| Kselect::new(["events"].into_iter().chain(args.iter().copied())).stdin(event);
    run(&["--no-headers"]).prints(
        "<unknown>   Warning   Unhealthy   Pod/x   Readiness probe failed: HTTP probe failed with statuscode: 503\n",
    );
    run(&["-o", "csv"]).prints(
        "LAST SEEN,TYPE,REASON,OBJECT,MESSAGE\n<unknown>,Warning,Unhealthy,Pod/x,\"Readiness probe failed:\n  HTTP probe failed \
         with statuscode: 503\"\n",
    );
}

#[test]
fn events_are_printed_in_the_formats_of_get_by_time() {
    let run = |args: &[&'static str]| {
        Kselect::new(["events"].into_iter().chain(args.iter().copied())).stdin(DUMP).stderr(COPY)
    };
    run(&["-o", "name"]).prints("event/b\nevent.events.k8s.io/c\nevent/a\n");
    run(&["-o", "custom-columns=R:.reason"]).prints("R\nScalingReplicaSet\nScheduled\nBackOff\n");
    run(&["-o", "name", "--sort-by", "REASON"]).prints("event/a\nevent/b\nevent.events.k8s.io/c\n");
    run(&["-o", "name", "--sort-by", ".metadata.name"]).prints("event/a\nevent/b\nevent.events.k8s.io/c\n");
    run(&["-o", "jsonpath={.items[*].metadata.name}", "--types", "Warning"]).prints("a");
    run(&["-o", "name", "--reverse"]).prints("event/a\nevent.events.k8s.io/c\nevent/b\n");
    run(&["-o", "name", "--sort-by", "COUNT", "--reverse"])
        .prints("event/a\nevent.events.k8s.io/c\nevent/b\n");
}

#[test]
fn events_of_objects_that_are_gone_count_for_what_made_them() {
    let event = |name: &str, kind: &str, object: &str| {
        format!(
            "---\napiVersion: v1\nkind: Event\nmetadata: {{name: {name}, namespace: shop}}\ninvolvedObject: {{kind: {kind}, name: \
             {object}, namespace: shop}}\n"
        )
    };
    let gone = event("g", "Pod", "web-1-bcdfg")
        + &event("h", "ReplicaSet", "web-5b6c7d8f9")
        + &event("i", "Pod", "other-1-bcdfg");
    let other = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-2-zzzzz, namespace: shop}\n".to_owned()
        + &event("j", "Pod", "web-2-zzzzz");
    let input = DUMP.to_owned() + &gone + &other;
    Kselect::new(["events", "--for", "deploy/web", "-o", "name"])
        .stdin(&input)
        .stderr(COPY)
        .prints("event/g\nevent/h\nevent/b\nevent/a\n");
    Kselect::new(["events", "--for", "shop/pod/web-1-bcdfg", "-o", "name"])
        .stdin(&input)
        .stderr(COPY)
        .prints("event/g\n");
}
