//! `kselect check` of live objects.

use super::support::Kselect;

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
fn what_is_not_well_is_listed_the_worst_first() {
    Kselect::new(["check", "--live", "-f", "dump.yaml"]).file("dump.yaml", DUMP).now("2026-01-10T12:00:00Z").status(1).prints(
        "dump.yaml:1: error [node-not-ready] node/n1: is not ready: NodeStatusUnknown, since 60m\n\
         dump.yaml:6: error [pod-failing] shop/pod/web-1: container web is in CrashLoopBackOff; last ended by OOMKilled with exit \
         code 137 3m ago (7 restarts), since 120m; event 2m ago: BackOff: Back-off restarting\n\
         dump.yaml:29: error [claim-not-bound] shop/persistentvolumeclaim/data: is Pending, of class fast, since 60m\n\
         dump.yaml:35: warning [quota-full] shop/resourcequota/team: is used up: pods 10 of 10\n\
         dump.yaml:40: warning [not-deleted] shop/configmap/stuck: is being deleted and waits for a.io/b, since 2d\n",
    );
}

#[test]
fn live_objects_have_these_findings_without_a_flag_and_manifests_do_not() {
    let only = ["check", "--only", "node-not-ready", "-f", "dump.yaml"];
    let finding = "dump.yaml:1: error [node-not-ready] node/n1: is not ready: NodeStatusUnknown, since 60m\n";
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
    let object = format!(
        "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a, uid: u, resourceVersion: '1'}}\n{rest}\n"
    );
    let output = Kselect::new(["check", "--live"]).stdin(object).now("2027-02-25T12:00:00Z").run();
    let found = String::from_utf8(output.stdout).expect("UTF-8");
    let found: Vec<String> =
        found.lines().map(|line| line.trim_start_matches("STDIN:1: ").replace("] default/", "] ")).collect();
    assert_eq!(found, expected, "{rest}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A condition that has changed two hours before the dump.
fn condition(of: &str, status: &str) -> String {
    let time = "2027-02-25T10:00:00Z";
    format!(
        "status: {{conditions: [{{type: {of}, status: '{status}', reason: Why, message: it is so, lastTransitionTime: '{time}'}}]}}"
    )
}

#[test]
fn conditions_of_live_objects_are_findings() {
    for (api_version, kind, of, status, expected) in [
        ("v1", "Node", "Ready", "True", None),
        ("v1", "Node", "Ready", "False", Some("error [node-not-ready] node/a: is not ready")),
        ("v1", "Node", "DiskPressure", "True", Some("warning [node-pressure] node/a: DiskPressure")),
        ("v1", "Node", "DiskPressure", "False", None),
        ("v1", "Pod", "PodScheduled", "False", Some("error [pod-unschedulable] pod/a: cannot be scheduled")),
        ("batch/v1", "Job", "Failed", "True", Some("error [job-failed] job.batch/a: failed")),
        ("batch/v1", "Job", "Complete", "True", None),
        (
            "apps/v1",
            "ReplicaSet",
            "ReplicaFailure",
            "True",
            Some("error [rollout-failed] replicaset.apps/a: cannot create its Pods"),
        ),
        (
            "apps/v1",
            "Deployment",
            "Progressing",
            "False",
            Some("error [rollout-failed] deployment.apps/a: does not progress"),
        ),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "AbleToScale",
            "False",
            Some("warning [autoscaler-limited] horizontalpodautoscaler.autoscaling/a: cannot scale"),
        ),
        (
            "apiregistration.k8s.io/v1",
            "APIService",
            "Available",
            "False",
            Some("error [webhook-unavailable] apiservice.apiregistration.k8s.io/a: is not available"),
        ),
        (
            "config.openshift.io/v1",
            "ClusterOperator",
            "Degraded",
            "True",
            Some("error [operator-degraded] clusteroperator.config.openshift.io/a: is degraded"),
        ),
        (
            "cert-manager.io/v1",
            "Certificate",
            "Ready",
            "False",
            Some("error [certificate-expiring] certificate.cert-manager.io/a: is not ready"),
        ),
    ] {
        let expected = expected.map(|start| format!("{start}: Why: it is so, since 120m"));
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_live(api_version, kind, &condition(of, status), &expected);
    }
}

#[test]
fn states_of_live_objects_are_findings() {
    let pod =
        |status: &str| format!("status: {{phase: Running, containerStatuses: [{{name: web, {status}}}]}}");
    check_live(
        "v1",
        "Pod",
        "status: {phase: Failed, reason: Evicted}",
        &["error [pod-failing] pod/a: failed: Evicted"],
    );
    check_live("v1", "Pod", "status: {phase: Succeeded}", &[]);
    let ended = "ready: true, restartCount: 1, lastState: {terminated: {exitCode: 1, finishedAt: '2027-02-25T11:30:00Z'}}";
    let restarted = "warning [pod-restarted] pod/a: container web ended with exit code 1 30m ago (1 restart)";
    check_live("v1", "Pod", &pod(ended), &[restarted]);
    check_live("v1", "Pod", &pod(&ended.replace("T11", "T09")), &[]);
    let unready = format!("{}\nspec: {{containers: [{{name: web}}]}}", condition("Ready", "False"));
    check_live("v1", "Pod", &unready, &["error [pod-not-ready] pod/a: is not ready, since 120m"]);
    check_live(
        "v1",
        "PersistentVolume",
        "status: {phase: Failed, message: gone}",
        &["warning [volume-failed] persistentvolume/a: failed: gone"],
    );
    let most = "spec: {minReplicas: 1, maxReplicas: 3}\nstatus: {currentReplicas: 3}";
    let limited =
        "warning [autoscaler-limited] horizontalpodautoscaler.autoscaling/a: is at its maximum of 3 replicas";
    check_live("autoscaling/v2", "HorizontalPodAutoscaler", most, &[limited]);
    check_live(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        &most.replace("currentReplicas: 3", "currentReplicas: 2"),
        &[],
    );
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
    let live = || Kselect::new(["check", "--live"]).now("2027-02-25T12:00:00Z");
    live().stdin(state("true")).prints("");
    live().stdin(state("false")).status(1).prints(
        "STDIN:16: error [webhook-unavailable] validatingwebhookconfiguration.admissionregistration.k8s.io/a: webhook a.io refuses \
         requests: its Service shop/web has 1 endpoint, which is not ready\n\
         STDIN:1: error [service-unavailable] shop/service/web: has 1 endpoint, which is not ready\n",
    );
}
