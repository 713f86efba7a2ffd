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
