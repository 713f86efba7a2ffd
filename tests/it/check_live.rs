//! `kselect check` of live objects. `fixtures/live/faults.txt` has a kind of fault in each paragraph: what it is, the objects, what
//! to replace for its healthy counterpart (`~ OLD => NEW`), and what is found (`> `), which `KSELECT_UPDATE=1` writes anew.

use std::{env, fs};

use serde_json::Value;

use super::support::{Kselect, on_a_terminal};

const FAULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/live/faults.txt");

/// What `check --live` finds in objects of 10 January 2026, noon, which are made live: `severity [rule] namespace/kind/name:
/// message`.
fn found_in(objects: &str) -> Vec<String> {
    found_at(objects, "2026-01-10T12:00:00Z")
}

/// The same at a time.
fn found_at(objects: &str, now: &str) -> Vec<String> {
    let mut live = String::new();
    for (number, part) in objects.split("metadata: {").enumerate() {
        if number > 0 {
            live.push_str(&format!("metadata: {{uid: u{number}, resourceVersion: '1', "));
        }
        live.push_str(part);
    }
    let output = Kselect::new(["check", "--live", "-o", "json"]).stdin(live).now(now).run();
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {objects}: {}", String::from_utf8_lossy(&output.stderr)));
    let findings = found.as_array().or_else(|| found["findings"].as_array()).expect("findings");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let line = |finding: &Value| {
        let [severity, rule, namespace, kind, name, message] =
            ["severity", "id", "namespace", "kind", "name", "message"].map(|key| text(finding, key));
        let place = if namespace.is_empty() { namespace } else { format!("{namespace}/") };
        format!("{severity} [{rule}] {place}{kind}/{name}: {message}")
    };
    findings.iter().map(line).collect()
}

#[test]
fn each_fault_is_found_and_its_healthy_counterpart_is_not() {
    let text = fs::read_to_string(FAULTS).expect("the faults");
    let (mut written, mut noise) = (Vec::new(), Vec::new());
    for fault in text.trim_end().split("\n\n") {
        let (expected, rest): (Vec<&str>, Vec<&str>) = fault.lines().partition(|line| line.starts_with("> "));
        let objects = rest.iter().filter(|line| !line.starts_with(['#', '~'])).copied();
        let objects = objects.collect::<Vec<_>>().join("\n");
        let mut healthy = objects.clone();
        for line in rest.iter().filter_map(|line| line.strip_prefix("~ ")) {
            let (old, new) = line.split_once(" =>").expect("what to replace");
            assert!(healthy.contains(old), "{}: {old}", rest[0]);
            healthy = healthy.replace(old, new.trim_start());
        }
        let found = found_in(&objects);
        assert!(!found.is_empty(), "{}: nothing is found", rest[0]);
        noise.extend(found_in(&healthy).into_iter().map(|finding| format!("{}: {finding}", rest[0])));
        if env::var_os("KSELECT_UPDATE").is_none() {
            assert_eq!(found, expected.iter().map(|line| &line[2..]).collect::<Vec<_>>(), "{}", rest[0]);
        }
        let lines = rest.iter().map(|line| (*line).to_owned());
        written
            .push(lines.chain(found.iter().map(|line| format!("> {line}"))).collect::<Vec<_>>().join("\n"));
    }
    assert_eq!(noise, Vec::<String>::new());
    if env::var_os("KSELECT_UPDATE").is_some_and(|update| update == "1") {
        fs::write(FAULTS, format!("{}\n", written.join("\n\n"))).expect("the faults");
    }
}

/// What is no fault, although it looks like one.
#[test]
fn what_is_no_fault_is_not_found() {
    for objects in [
        "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: '2026-01-10T11:59:00Z'}, status: {phase: Pending, \
         conditions: [{type: Ready, status: 'False', lastTransitionTime: '2026-01-10T11:59:00Z'}], \
         containerStatuses: [{name: a, ready: false, state: {waiting: {reason: ContainerCreating}}}]}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, status: {phase: Succeeded, conditions: [{type: Ready, status: 'False'}]}}",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 0}, status: {observedGeneration: 1}}",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 2, paused: true}, status: {replicas: 1}}",
        "{apiVersion: example.com/v1, kind: A, metadata: {name: a}, status: {conditions: [{type: Ready, status: Unknown, reason: Progressing}, \
         {type: Upgradeable, status: 'False'}, {type: Progressing, status: 'True'}]}}",
        "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: None}}",
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, status: {expectedPods: 0, disruptionsAllowed: 0}}",
        "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: 0 2 * * *, timeZone: Asia/Tokyo}, \
         status: {lastScheduleTime: '2026-01-09T17:00:00Z'}}",
    ] {
        assert_eq!(
            found_in(&objects.replace("{name: a}", "{name: a, namespace: shop}")),
            Vec::<String>::new(),
            "{objects}"
        );
    }
}

const DUMP: &str = "\
apiVersion: v1
kind: Node
metadata: {name: n1, uid: a, resourceVersion: '1'}
status: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown, lastTransitionTime: '2026-01-10T11:00:00Z'}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, uid: b, resourceVersion: '1'}
spec: {containers: [{name: web, image: a}]}
status:
  phase: Running
  conditions: [{type: Ready, status: 'False', lastTransitionTime: '2026-01-10T10:00:00Z'}]
  containerStatuses:
  - name: web
    ready: false
    restartCount: 7
    state: {waiting: {reason: CrashLoopBackOff}}
    lastState: {terminated: {reason: OOMKilled, exitCode: 137, finishedAt: '2026-01-10T11:57:00Z'}}
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: shop, uid: c, resourceVersion: '1'}
type: Warning
reason: BackOff
message: Back-off restarting
involvedObject: {kind: Pod, name: web-1, namespace: shop}
lastTimestamp: '2026-01-10T11:58:00Z'
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, uid: d, resourceVersion: '1', creationTimestamp: '2026-01-10T11:00:00Z'}
spec: {storageClassName: fast}
status: {phase: Pending}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: shop, uid: e, resourceVersion: '1'}
status: {hard: {pods: '10', cpu: '2'}, used: {pods: '10', cpu: 1500m}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stuck, namespace: shop, uid: f, resourceVersion: '1', deletionTimestamp: '2026-01-08T12:00:00Z', finalizers: [a.io/b]}
";

#[test]
fn the_first_screen_says_what_is_not_well() {
    Kselect::new(["check", "--live", "-f", "dump.yaml"])
        .file("dump.yaml", DUMP)
        .now("2026-01-10T12:00:00Z")
        .status(1)
        .prints(
        "1 node (0 ready), 1 pod (1 not ready), 1 claim; as of 2026-01-10T12:00:00Z\n\
         not in the input, so not checked: workloads, Services, EndpointSlices, Jobs\n\
         NODES        1  node/n1: does not answer: NodeStatusUnknown, for 60m  (dump.yaml:1)\n\
         WORKLOADS    1  shop/pod/web-1: container web is in CrashLoopBackOff, last ended by OOMKilled with exit code 137 (killed, \
         SIGKILL), for 120m; last end 3m ago, 7 restarts; event 2m ago: BackOff: Back-off restarting  (dump.yaml:6)\n\
         STORAGE      1  shop/pvc/data: is Pending, of class fast, for 60m  (dump.yaml:29)\n\
         OTHERS       1  shop/quota/team: is used up: pods 10 of 10  (dump.yaml:35)\n\
         OTHERS       1  shop/cm/stuck: is being deleted and waits for a.io/b, for 2d  (dump.yaml:40)\n\
         next, with the same input: kselect logs -p shop/web-1; kselect events --for shop/pvc/data; kselect events --types Warning\n",
        );
}

#[test]
fn of_a_log_that_the_kubelet_copied_the_last_line_says_why() {
    let pod = |message: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, namespace: b}}\n\
             status: {{phase: Failed, containerStatuses: [{{name: c, state: {{terminated: {{exitCode: 1, message: '{message}'}}}}}}]}}\n"
        )
    };
    let found = |message: &str| found_in(&pod(message));
    let expected = |message: &str| {
        vec![format!("error [pod-failing] b/pod/a: failed: container c ended with exit code 1: {message}")]
    };
    assert_eq!(found("first, last"), expected("first, last"));
    let log = format!("{}\n\n    no route\n\n    ", "cut ".repeat(512));
    assert_eq!(found(&log), expected("no route"));
}

#[test]
fn rows_of_the_first_screen_keep_to_the_width_of_a_terminal() {
    let check = ["kselect", "check", "--live", "--as-of", "2026-01-10T12:00:00Z"];
    let printed = on_a_terminal(check, DUMP);
    let rows: Vec<&str> = printed.lines().skip(2).take_while(|line| !line.starts_with("STORAGE")).collect();
    assert_eq!(
        rows.join("\n"),
        "NODES        1  node/n1: does not answer: NodeStatusUnknown, for 60m  (STDIN:1)\n\
         WORKLOADS    1  shop/pod/web-1: container web is in CrashLoopBackOff, last ended\n\
         \x20               by OOMKilled with exit code 137 (killed, SIGKILL), for 120m;\n\
         \x20               last end 3m ago, 7 restarts; event 2m ago: BackOff: Back-off\n\
         \x20               restarting  (STDIN:6)"
    );
}

#[test]
fn the_first_screen_of_a_healthy_cluster_says_what_was_looked_at() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, uid: a, resourceVersion: '1'}\n\
                status: {conditions: [{type: Ready, status: 'True'}]}\n";
    Kselect::new(["check", "--live", "-f", "dump.yaml"])
        .file("dump.yaml", node)
        .now("2026-01-10T12:00:00Z")
        .prints(
        "1 node (1 ready); as of 2026-01-10T12:00:00Z\n\
         not in the input, so not checked: pods, workloads, Services, EndpointSlices, claims, Jobs, quotas, events\n\
         no problems found\n",
        );
}

#[test]
fn live_objects_have_these_findings_without_a_flag_and_manifests_do_not() {
    let only = ["check", "--only", "node-not-ready", "-f", "dump.yaml"];
    let finding =
        "dump.yaml:1: error [node-not-ready] node/n1: does not answer: NodeStatusUnknown, since 60m\n";
    Kselect::new(only).file("dump.yaml", DUMP).now("2026-01-10T12:00:00Z").status(1).prints(finding);
    let manifest = DUMP.replace("uid: a, ", "");
    Kselect::new(only).file("dump.yaml", manifest).now("2026-01-10T12:00:00Z").prints("");
}

/// The certificate of a server, which ends on 2027-03-03.
const CERTIFICATE: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJjakNDQVJtZ0F3SUJBZ0lVWVhNUXZ6TWNHcGEvUzNiTE83NDMwRHlveUhz\
    d0NnWUlLb1pJemowRUF3SXcKRHpFTk1Bc0dBMVVFQXd3RWMyaHZjREFlRncweU5qRXhNak14TlRReU1qbGFGdzB5TnpBek1ETXhO\
    VFF5TWpsYQpNQTh4RFRBTEJnTlZCQU1NQkhOb2IzQXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBVEVwL1gwCldE\
    WUVROGQ4OE1yRHRHMERKSGJQd0hhWnQrenhTdjdXMU15Qmx1bW1Wdk54VzN1SHF3S3pZa0hQUjhvcXM3T1cKZmQ0OERGV2RZcStQ\
    M04vbG8xTXdVVEFkQmdOVkhRNEVGZ1FVNi83UHRGTTNraStCRmFoL01CM0ZsekxEK3djdwpId1lEVlIwakJCZ3dGb0FVNi83UHRG\
    TTNraStCRmFoL01CM0ZsekxEK3djd0R3WURWUjBUQVFIL0JBVXdBd0VCCi96QUtCZ2dxaGtqT1BRUURBZ05IQURCRUFpQkRtb1RO\
    Y25QKzNjdjdwSUwzbVluVENPY3ZBcE5LWWRPbExUNFcKTk9UMEdRSWdZdWFnWHFranBWTktpdjBRTitBZGJEYUNENFR5TEhya1pP\
    YVR0WUJNMFdjPQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==";

/// Checks what `check --live` finds in an object that is live, after its type, namespace and name.
#[track_caller]
fn check_live(api_version: &str, kind: &str, rest: &str, expected: &[&str]) {
    let object = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n{rest}\n");
    let found = found_at(&object, "2027-02-25T12:00:00Z");
    let found: Vec<String> = found.iter().map(|line| line.replace("] default/", "] ")).collect();
    assert_eq!(found, expected, "{rest}");
}

#[test]
fn certificates_are_judged_by_their_dates_at_the_time_of_the_dump() {
    let end = |time: &str| format!("status: {{notAfter: '{time}'}}");
    let of_manager = "error [certificate-expiring] certificate.cert-manager.io/a: ";
    check_live("cert-manager.io/v1", "Certificate", &end("2027-03-20T12:00:00Z"), &[]);
    check_live(
        "cert-manager.io/v1",
        "Certificate",
        &end("2027-02-28T12:00:00Z"),
        &[&format!("{of_manager}ends in 3d")],
    );
    check_live(
        "cert-manager.io/v1",
        "Certificate",
        &end("2027-02-24T12:00:00Z"),
        &[&format!("{of_manager}ended 24h ago")],
    );
    let secret = |data: &str| format!("type: kubernetes.io/tls\ndata: {{tls.crt: {data}}}");
    check_live(
        "v1",
        "Secret",
        &secret(CERTIFICATE),
        &["error [certificate-expiring] secret/a: tls.crt ends in 6d3h"],
    );
    for unreadable in ["''", "aGVsbG8=", "'***'"] {
        check_live("v1", "Secret", &secret(unreadable), &[]);
    }
}

#[test]
fn services_are_judged_by_their_endpoints() {
    let state = |ready: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop, uid: a, resourceVersion: '1'}}\n\
             spec: {{selector: {{app: web}}}}\n---\n\
             apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: web-1\n  namespace: shop\n  uid: b\n  \
             resourceVersion: '1'\n  labels: {{kubernetes.io/service-name: web}}\n\
             endpoints: [{{conditions: {{ready: {ready}}}}}]\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n\
             metadata: {{name: a, uid: c, resourceVersion: '1'}}\n\
             webhooks: [{{name: a.io, clientConfig: {{service: {{namespace: shop, name: web}}}}}}]\n"
        )
    };
    assert_eq!(found_in(&state("true")), Vec::<String>::new());
    assert_eq!(
        found_in(&state("false")),
        [
            "error [webhook-unavailable] validatingwebhookconfiguration.admissionregistration.k8s.io/a: webhook a.io refuses \
             requests: its Service shop/web has 1 endpoint, which is not ready",
            "error [service-unavailable] shop/service/web: has 1 endpoint, which is not ready",
        ]
    );
}

/// Equal rows are one, and what follows from another row is left out.
#[test]
fn a_row_of_the_first_screen_tells_of_all_objects_with_the_same_cause() {
    let node = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, uid: {name}, resourceVersion: '1'}}, status: {{conditions: \
             [{{type: Ready, status: 'False', reason: KubeletNotReady, lastTransitionTime: '2026-01-09T22:00:00Z'}}]}}}}\n---\n"
        )
    };
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: shop, uid: {name}, resourceVersion: '1', ownerReferences: \
             [{{kind: StatefulSet, name: db, controller: true}}]}}, spec: {{nodeName: n1}}, status: {{phase: Running, conditions: \
             [{{type: Ready, status: 'False', lastTransitionTime: '2026-01-09T22:00:00Z'}}]}}}}\n---\n"
        )
    };
    let workload = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop, uid: s, resourceVersion: '1'}, \
                    spec: {replicas: 2}, status: {replicas: 2}}\n";
    let dump = ["n1", "n2"].map(node).concat() + &["db-0", "db-1"].map(pod).concat() + workload;
    Kselect::new(["check", "--live", "-f", "dump.yaml"]).file("dump.yaml", dump).now("2026-01-10T12:00:00Z").status(1).prints(
        "2 nodes (0 ready), 2 pods (2 not ready), 1 workload; as of 2026-01-10T12:00:00Z\n\
         not in the input, so not checked: Services, EndpointSlices, claims, Jobs, quotas, events\n\
         NODES        2  node/n1, node/n2: is not ready: KubeletNotReady, for 14h  (dump.yaml:1) and 1 more\n\
         WORKLOADS    1  shop/sts/db 0/2: 2 pods: is on node n1, which is not ready  (dump.yaml:9)\n\
         next, with the same input: kselect events --for shop/pod/db-0; kselect tree shop/sts/db; kselect events --types Warning\n",
    );
}
