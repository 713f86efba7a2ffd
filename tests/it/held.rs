//! `get --defaults`: objects as a server holds them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Kselect, in_process};

/// The object without what only a cluster knows.
fn cleaned(mut object: Value) -> Value {
    let of_cluster =
        ["uid", "creationTimestamp", "resourceVersion", "managedFields", "generation", "selfLink"];
    object.as_object_mut().expect("a map").remove("status");
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    of_cluster.iter().for_each(|key| _ = metadata.remove(*key));
    if metadata.get("namespace").is_some_and(|namespace| namespace == "default") {
        metadata.remove("namespace");
    }
    object
}

/// The answers of kube-apiserver 1.36.2 to the creation of objects.
#[test]
fn objects_are_those_that_a_server_held() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance/held.jsonl");
    let recorded = fs::read_to_string(path).expect("the recording");
    let rows: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let sent: String = rows.iter().map(|row| format!("{}\n", row["sent"])).collect();
    let output = Kselect::get(["--defaults", "-o", "jsonl"]).stdin(sent).run();
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    let got: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(got.len(), rows.len());
    for (got, row) in got.into_iter().zip(&rows) {
        assert_eq!(cleaned(got), cleaned(row["held"].clone()), "{}", row["sent"]);
    }
}

const IN_GIT: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {}}
spec:
  selector: {matchLabels: {app: web}}
  minReadySeconds: 0
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1', resources: {limits: {cpu: 1000m}}}]}
";

#[test]
fn quantities_defaults_and_empty_values_are_those_of_a_server() {
    Kselect::get(["--defaults", "deploy", "-o", "jsonpath={.items[0].spec.template.spec.containers[0]}"])
        .stdin(IN_GIT)
        .prints(
            "{\"image\":\"nginx:1\",\"imagePullPolicy\":\"IfNotPresent\",\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"1\"}},\
             \"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\"}",
        );
    Kselect::get(["--defaults", "-o", "name", "--where", "spec.replicas == 1"])
        .status(2)
        .stdin(IN_GIT)
        .stderr("error: --defaults needs -o yaml, kyaml, json, jsonl or a template\n")
        .prints_nothing();
    Kselect::get([
        "--defaults",
        "-o",
        "jsonpath={.items[*].kind}",
        "--where",
        "has(spec.replicas) && !has(spec.minReadySeconds)",
    ])
    .stdin(IN_GIT)
    .prints("Deployment");
}

#[test]
fn a_repository_and_its_cluster_differ_in_what_differs() {
    let output = Kselect::get(["--defaults", "-o", "yaml"]).stdin(IN_GIT).run();
    let held = String::from_utf8(output.stdout).expect("UTF-8");
    let live = held
        .replace("metadata:\n  name: web\n", "metadata:\n  name: web\n  namespace: default\n  uid: u\n")
        .replace("  selector:\n    app: web\n", "  selector:\n    app: web\n  clusterIP: 10.0.0.1\n");
    let diff = |live: String| {
        Kselect::new(["diff", "--defaults", "git.yaml", "dump.yaml", "-o", "paths"])
            .file("git.yaml", IN_GIT)
            .file("dump.yaml", live)
    };
    let note = "kselect: left out 1 field that a controller or an allocation wrote\n";
    diff(live.clone()).stderr(note).prints_nothing();
    diff(live.replace("replicas: 1", "replicas: 2"))
        .status(1)
        .stderr(note)
        .prints("~ default/deployment.apps/web\n    spec.replicas: 1 -> 2\n");
}

/// Objects of 18 kinds that say little.
const BARE: &str = "
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {serviceAccountName: sa, hostNetwork: true, containers: [
  {name: c, image: nginx, ports: [{containerPort: 80}], resources: {limits: {cpu: 1000m}}, livenessProbe: {httpGet: {port: 80}},
   env: [{name: E, valueFrom: {fieldRef: {fieldPath: metadata.name}}}], lifecycle: {preStop: {httpGet: {port: 1}}}},
  {name: d, image: 'nginx:1.2'}], volumes: [{name: e}, {name: s, secret: {secretName: s}}, {name: h, hostPath: {path: /x}},
  {name: p, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {paused: false, minReadySeconds: 0,
  selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: 'x:latest'}]}}}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x@sha256:0}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}},
  volumeClaimTemplates: [{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce]}}]}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}}}
---
{apiVersion: v1, kind: ReplicationController, metadata: {name: a}, spec: {template: {metadata: {labels: {a: b}}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec:
  {restartPolicy: Never, containers: [{name: c, image: x}]}}}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: LoadBalancer, sessionAffinity: ClientIP, ports: [{port: 80}]}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, scaleTargetRef:
  {kind: Deployment, name: a}, behavior: {scaleUp: {stabilizationWindowSeconds: 5}}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, egress: [{ports: [{port: 53}]}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1024Mi}},
  dataSource: {kind: PersistentVolumeClaim, name: b}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: x}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a}, spec: {}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: w.x.io,
  clientConfig: {service: {name: s, namespace: n}}, rules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {kind: Role, name: r},
  subjects: [{kind: User, name: u}, {kind: ServiceAccount, name: s}]}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: a}, spec: {limits: [{type: Container, max: {cpu: 2000m}, min: {cpu: '0.5'}}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
";

/// What a server fills in, by kind (Kubernetes, pkg/apis/*/*/defaults.go and *_generated.defaults.go).
const DEFAULTS: [(&str, &[&str]); 18] = [
    (
        "Pod",
        &[
            "spec.restartPolicy == 'Always'",
            "spec.dnsPolicy == 'ClusterFirst'",
            "spec.schedulerName == 'default-scheduler'",
            "spec.terminationGracePeriodSeconds == 30",
            "spec.securityContext == {}",
            "spec.enableServiceLinks",
            "spec.serviceAccount == 'sa'",
            "spec.containers[0].terminationMessagePath == '/dev/termination-log'",
            "spec.containers[0].terminationMessagePolicy == 'File'",
            "spec.containers[0].imagePullPolicy == 'Always'",
            "spec.containers[1].imagePullPolicy == 'IfNotPresent'",
            "spec.containers[0].ports[0].protocol == 'TCP'",
            "spec.containers[0].ports[0].hostPort == 80",
            "spec.containers[0].resources.limits.cpu == '1'",
            "spec.containers[0].resources.requests.cpu == '1'",
            "spec.containers[1].resources == {}",
            "spec.containers[0].livenessProbe.httpGet.path == '/'",
            "spec.containers[0].livenessProbe.httpGet.scheme == 'HTTP'",
            "spec.containers[0].livenessProbe.timeoutSeconds == 1",
            "spec.containers[0].livenessProbe.periodSeconds == 10",
            "spec.containers[0].livenessProbe.successThreshold == 1",
            "spec.containers[0].livenessProbe.failureThreshold == 3",
            "spec.containers[0].lifecycle.preStop.httpGet.scheme == 'HTTP'",
            "spec.containers[0].env[0].valueFrom.fieldRef.apiVersion == 'v1'",
            "spec.volumes[0].emptyDir == {}",
            "spec.volumes[1].secret.defaultMode == 420",
            "spec.volumes[2].hostPath.type == ''",
            "spec.volumes[3].projected.defaultMode == 420",
            "spec.volumes[3].projected.sources[0].serviceAccountToken.expirationSeconds == 3600",
        ],
    ),
    (
        "Deployment",
        &[
            "spec.replicas == 1",
            "spec.revisionHistoryLimit == 10",
            "spec.progressDeadlineSeconds == 600",
            "spec.strategy.type == 'RollingUpdate'",
            "spec.strategy.rollingUpdate.maxSurge == '25%'",
            "spec.strategy.rollingUpdate.maxUnavailable == '25%'",
            "!has(spec.paused) && !has(spec.minReadySeconds)",
            "spec.template.spec.containers[0].imagePullPolicy == 'Always'",
            "!has(spec.template.spec.enableServiceLinks)",
        ],
    ),
    (
        "DaemonSet",
        &[
            "spec.updateStrategy.type == 'RollingUpdate'",
            "spec.updateStrategy.rollingUpdate.maxUnavailable == 1",
            "spec.updateStrategy.rollingUpdate.maxSurge == 0",
            "spec.revisionHistoryLimit == 10",
            "metadata.annotations['deprecated.daemonset.template.generation'] == '1'",
            "spec.template.spec.containers[0].imagePullPolicy == 'IfNotPresent'",
        ],
    ),
    (
        "StatefulSet",
        &[
            "spec.replicas == 1",
            "spec.podManagementPolicy == 'OrderedReady'",
            "spec.updateStrategy.type == 'RollingUpdate'",
            "spec.updateStrategy.rollingUpdate.partition == 0",
            "spec.revisionHistoryLimit == 10",
            "spec.persistentVolumeClaimRetentionPolicy.whenDeleted == 'Retain'",
            "spec.persistentVolumeClaimRetentionPolicy.whenScaled == 'Retain'",
            "spec.volumeClaimTemplates[0].spec.volumeMode == 'Filesystem'",
            "spec.volumeClaimTemplates[0].status.phase == 'Pending'",
            "spec.volumeClaimTemplates[0].kind == 'PersistentVolumeClaim'",
        ],
    ),
    ("ReplicaSet", &["spec.replicas == 1"]),
    (
        "ReplicationController",
        &["spec.replicas == 1", "spec.selector == {'a': 'b'}", "metadata.labels == {'a': 'b'}"],
    ),
    (
        "Job",
        &[
            "spec.completions == 1",
            "spec.parallelism == 1",
            "spec.backoffLimit == 6",
            "spec.completionMode == 'NonIndexed'",
            "!spec.suspend",
            "!spec.manualSelector",
            "spec.podReplacementPolicy == 'TerminatingOrFailed'",
        ],
    ),
    (
        "CronJob",
        &[
            "spec.concurrencyPolicy == 'Allow'",
            "!spec.suspend",
            "spec.successfulJobsHistoryLimit == 3",
            "spec.failedJobsHistoryLimit == 1",
            "spec.jobTemplate.spec.template.spec.dnsPolicy == 'ClusterFirst'",
        ],
    ),
    (
        "Service",
        &[
            "spec.externalTrafficPolicy == 'Cluster'",
            "spec.internalTrafficPolicy == 'Cluster'",
            "spec.allocateLoadBalancerNodePorts",
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds == 10800",
            "spec.ports[0].protocol == 'TCP'",
            "spec.ports[0].targetPort == 80",
        ],
    ),
    (
        "HorizontalPodAutoscaler",
        &[
            "spec.minReplicas == 1",
            "spec.metrics[0].resource.name == 'cpu'",
            "spec.metrics[0].resource.target.averageUtilization == 80",
            "spec.behavior.scaleUp.stabilizationWindowSeconds == 5",
            "spec.behavior.scaleUp.selectPolicy == 'Max'",
            "spec.behavior.scaleUp.policies.size() == 2",
            "spec.behavior.scaleDown.policies[0].value == 100",
            "!has(spec.behavior.scaleDown.stabilizationWindowSeconds)",
        ],
    ),
    (
        "NetworkPolicy",
        &["spec.policyTypes == ['Ingress', 'Egress']", "spec.egress[0].ports[0].protocol == 'TCP'"],
    ),
    (
        "PersistentVolumeClaim",
        &[
            "spec.volumeMode == 'Filesystem'",
            "spec.resources.requests.storage == '1Gi'",
            "spec.dataSourceRef.name == 'b'",
        ],
    ),
    ("StorageClass", &["object.reclaimPolicy == 'Delete'", "object.volumeBindingMode == 'Immediate'"]),
    (
        "CSIDriver",
        &[
            "spec.attachRequired && !spec.podInfoOnMount && !spec.storageCapacity",
            "spec.volumeLifecycleModes == ['Persistent']",
            "spec.fsGroupPolicy == 'ReadWriteOnceWithFSType'",
        ],
    ),
    (
        "ValidatingWebhookConfiguration",
        &[
            "object.webhooks[0].failurePolicy == 'Fail'",
            "object.webhooks[0].matchPolicy == 'Equivalent'",
            "object.webhooks[0].timeoutSeconds == 10",
            "object.webhooks[0].namespaceSelector == {} && object.webhooks[0].objectSelector == {}",
            "object.webhooks[0].clientConfig.service.port == 443",
            "object.webhooks[0].rules[0].scope == '*'",
        ],
    ),
    (
        "RoleBinding",
        &[
            "object.roleRef.apiGroup == 'rbac.authorization.k8s.io'",
            "object.subjects[0].apiGroup == 'rbac.authorization.k8s.io'",
            "!has(object.subjects[1].apiGroup)",
        ],
    ),
    (
        "LimitRange",
        &[
            "spec.limits[0].default.cpu == '2'",
            "spec.limits[0].defaultRequest.cpu == '2'",
            "spec.limits[0].min.cpu == '500m'",
        ],
    ),
    (
        "Namespace",
        &["metadata.labels['kubernetes.io/metadata.name'] == 'a'", "spec.finalizers == ['kubernetes']"],
    ),
];

/// Objects with what defaults depend on.
const SAID: &str = "
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {serviceAccount: old, containers: [
  {name: c, image: 'x:1', startupProbe: {grpc: {port: 1}}, readinessProbe: {tcpSocket: {port: 2}}, livenessProbe: {exec: {command: [a]}},
   lifecycle: {postStart: {httpGet: {port: 3}}}, resources: {requests: {cpu: '0.5'}, limits: {cpu: 1, memory: 1024Mi}}, securityContext: {privileged: false},
   env: [{name: E, value: ''}, {name: F, valueFrom: {fileKeyRef: {volumeName: v, path: p, key: k}}}]}],
  initContainers: [{name: i, image: 'y@sha256:0'}], imagePullSecrets: [], nodeSelector: {}, volumes: [{name: c, configMap: {name: c}}, {name: d, downwardAPI: {}},
  {name: i, iscsi: {targetPortal: p, iqn: q, lun: 0}}, {name: r, rbd: {monitors: [m], image: i}}, {name: s, scaleIO: {gateway: g, system: s, secretRef: {name: s}}},
  {name: a, azureDisk: {diskName: d, diskURI: u}}, {name: o, image: {reference: 'r:latest'}},
  {name: e, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1}}}}}}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}, spec: {strategy: {type: Recreate}, selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {a: b}}, spec: {serviceAccountName: sa, containers: [{name: c, image: 'x', ports: [{containerPort: 1}], resources: {limits: {cpu: 1}}}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: b}, spec: {updateStrategy: {type: RollingUpdate}, replicas: 0, selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}, persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: b}, spec: {updateStrategy: {type: OnDelete}, selector: {matchLabels: {a: b}},
  template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, containers: [{name: c, image: x, ports: [{containerPort: 1}]}]}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {parallelism: 2, completions: 3, completionMode: Indexed, backoffLimitPerIndex: 1,
  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: T}]}]}, template: {metadata: {labels: {x: z}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: c}, spec: {parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: b}, spec: {ports: [{port: 80, targetPort: web}, {name: d, port: 53, protocol: UDP}], publishNotReadyAddresses: false}}
---
{apiVersion: v1, kind: Service, metadata: {name: c}, spec: {type: ExternalName, externalName: x.io}}
---
{apiVersion: v1, kind: Service, metadata: {name: d}, spec: {type: NodePort, externalTrafficPolicy: Local, ports: [{port: 1}]}}
---
{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: b}, spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: a}}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: c}, spec: {minReplicas: 2, maxReplicas: 3, scaleTargetRef: {kind: D, name: a}, metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1500m}}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: b}, spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: b}, spec: {rules: [{host: h, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: b}, spec: {controller: x.io/c, parameters: {kind: P, name: n}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {}}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: b}, rules: []}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: Group, name: g}, {kind: ServiceAccount, name: s, namespace: n}]}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gs.x.io}, spec: {group: x.io, scope: Namespaced, names: {kind: Gg, plural: gs}, versions: [{name: v1, served: true, storage: true,
  schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, default: {}, properties: {size: {type: integer, default: 3}, mode: {type: string, default: Auto}, list: {type: array, items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}}}}}}}}}}]}}
---
{apiVersion: x.io/v1, kind: Gg, metadata: {name: b}, spec: {list: [{port: 1}], unknown: 1}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: b}, spec: {capacity: {storage: 1024Mi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1.5Gi}}, dataSourceRef: {apiGroup: x.io, kind: K, name: n}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: b}, value: 1, globalDefault: false}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: b}, addressType: IPv4, endpoints: [], ports: [{port: 1}]}
---
{apiVersion: v1, kind: Secret, metadata: {name: b}, stringData: {a: b}, data: {c: 'ZGQ='}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {}}, data: {a: null}, immutable: false}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: b}, automountServiceAccountToken: false, secrets: [{name: s, kind: Secret}]}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: b}, spec: {hard: {cpu: 1000m, pods: '10'}}}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: b}, spec: {limits: [{type: Pod, max: {cpu: 1}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: b}, webhooks: [{name: w.x.io, admissionReviewVersions: [v1], sideEffects: None, clientConfig: {url: 'https://x'}, rules: []}]}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: p, validationActions: [Deny], matchResources: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, paramRef: {name: x, parameterNotFoundAction: Deny}}}
---
{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: b}, spec: {priorityLevelConfiguration: {name: p}}}
---
{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: {name: b}, spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {}}}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, spec: {podCIDR: 10.0.0.0/24}, status: {capacity: {cpu: 1000m}}}
";

/// What a server makes of them, by kind.
const OF_SAID: &[(&str, &str)] = &[
    ("Pod", "spec.containers[0].startupProbe.grpc.service == ''"),
    ("Pod", "spec.containers[0].startupProbe.periodSeconds == 10"),
    ("Pod", "!has(spec.containers[0].readinessProbe.tcpSocket.host)"),
    ("Pod", "spec.containers[0].livenessProbe.failureThreshold == 3"),
    ("Pod", "spec.containers[0].lifecycle.postStart.httpGet.path == '/'"),
    ("Pod", "spec.containers[0].resources.requests == {'cpu': '500m', 'memory': '1Gi'}"),
    ("Pod", "spec.containers[0].securityContext.privileged == false"),
    ("Pod", "!has(spec.containers[0].env[0].value)"),
    ("Pod", "spec.containers[0].env[1].valueFrom.fileKeyRef.optional == false"),
    ("Pod", "spec.serviceAccountName == 'old' && spec.serviceAccount == 'old'"),
    ("Pod", "spec.initContainers[0].imagePullPolicy == 'IfNotPresent'"),
    ("Pod", "metadata.name == 'b' && !has(spec.imagePullSecrets) && !has(spec.nodeSelector)"),
    ("Pod", "spec.volumes[0].configMap.defaultMode == 420"),
    ("Pod", "spec.volumes[1].downwardAPI.defaultMode == 420"),
    ("Pod", "spec.volumes[2].iscsi.iscsiInterface == 'default' && spec.volumes[2].iscsi.lun == 0"),
    (
        "Pod",
        "spec.volumes[3].rbd.pool == 'rbd' && spec.volumes[3].rbd.user == 'admin' && spec.volumes[3].rbd.keyring == '/etc/ceph/keyring'",
    ),
    (
        "Pod",
        "spec.volumes[4].scaleIO.storageMode == 'ThinProvisioned' && spec.volumes[4].scaleIO.fsType == 'xfs'",
    ),
    (
        "Pod",
        "spec.volumes[5].azureDisk.cachingMode == 'ReadWrite' && spec.volumes[5].azureDisk.kind == 'Shared' && spec.volumes[5].azureDisk.readOnly == false",
    ),
    ("Pod", "spec.volumes[6].image.pullPolicy == 'Always'"),
    ("Pod", "spec.volumes[7].ephemeral.volumeClaimTemplate.spec.volumeMode == 'Filesystem'"),
    ("Deployment", "!has(spec.strategy.rollingUpdate)"),
    ("Deployment", "spec.template.spec.serviceAccount == 'sa'"),
    ("Deployment", "metadata.name == 'b' && !has(spec.template.spec.containers[0].resources.requests)"),
    ("Deployment", "spec.template.spec.containers[0].ports[0].protocol == 'TCP'"),
    ("StatefulSet", "!has(spec.updateStrategy.rollingUpdate) && spec.replicas == 0"),
    ("StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenScaled == 'Retain'"),
    ("DaemonSet", "!has(spec.updateStrategy.rollingUpdate)"),
    ("DaemonSet", "!has(spec.template.spec.containers[0].ports[0].hostPort) && metadata.name == 'b'"),
    ("Job", "spec.backoffLimit == 2147483647"),
    (
        "Job",
        "spec.podReplacementPolicy == 'Failed' && spec.podFailurePolicy.rules[0].onPodConditions[0].status == 'True'",
    ),
    ("Job", "metadata.labels == {'x': 'z'}"),
    ("Job", "metadata.name == 'c' && !has(spec.completions) && spec.backoffLimit == 6"),
    (
        "Service",
        "spec.type == 'ClusterIP' && spec.sessionAffinity == 'None' && !has(spec.externalTrafficPolicy)",
    ),
    (
        "Service",
        "metadata.name == 'b' && spec.ports[0].targetPort == 'web' && spec.ports[1].targetPort == 53 && spec.ports[1].protocol == 'UDP'",
    ),
    (
        "Service",
        "metadata.name == 'b' && !has(spec.publishNotReadyAddresses) && !has(spec.allocateLoadBalancerNodePorts)",
    ),
    ("Service", "metadata.name == 'c' && !has(spec.internalTrafficPolicy) && !has(spec.ports)"),
    ("Service", "spec.externalTrafficPolicy == 'Local' && !has(spec.allocateLoadBalancerNodePorts)"),
    ("HorizontalPodAutoscaler", "spec.targetCPUUtilizationPercentage == 80 && spec.minReplicas == 1"),
    ("HorizontalPodAutoscaler", "spec.metrics[0].pods.target.averageValue == '1500m' && !has(spec.behavior)"),
    ("NetworkPolicy", "spec.policyTypes == ['Ingress'] && spec.ingress[0].from[0].podSelector == {}"),
    (
        "Ingress",
        "spec.rules[0].http.paths[0].backend.service.port.number == 80 && !has(spec.ingressClassName)",
    ),
    ("IngressClass", "spec.parameters.scope == 'Cluster'"),
    ("PodDisruptionBudget", "spec.minAvailable == 1 && spec.selector == {}"),
    (
        "ClusterRoleBinding",
        "object.subjects[0].apiGroup == 'rbac.authorization.k8s.io' && !has(object.subjects[1].apiGroup)",
    ),
    (
        "CustomResourceDefinition",
        "spec.names.singular == 'gg' && spec.names.listKind == 'GgList' && spec.conversion.strategy == 'None'",
    ),
    ("Gg", "spec.size == 3 && spec.mode == 'Auto' && spec.list[0].protocol == 'TCP' && !has(spec.unknown)"),
    (
        "PersistentVolume",
        "spec.persistentVolumeReclaimPolicy == 'Retain' && spec.volumeMode == 'Filesystem' && spec.capacity.storage == '1Gi' && spec.hostPath.type == ''",
    ),
    ("PersistentVolumeClaim", "spec.resources.requests.storage == '1536Mi' && spec.dataSource.kind == 'K'"),
    ("PriorityClass", "object.preemptionPolicy == 'PreemptLowerPriority' && !has(object.globalDefault)"),
    ("EndpointSlice", "object.ports[0].name == '' && object.ports[0].protocol == 'TCP'"),
    (
        "Secret",
        "object.type == 'Opaque' && object.data == {'a': 'Yg==', 'c': 'ZGQ='} && !has(object.stringData)",
    ),
    ("ConfigMap", "!has(metadata.labels) && object.data.a == '' && object.immutable == false"),
    ("ServiceAccount", "object.automountServiceAccountToken == false && object.secrets == [{'name': 's'}]"),
    ("ResourceQuota", "spec.hard.cpu == '1' && spec.hard.pods == '10'"),
    ("LimitRange", "!has(spec.limits[0].default)"),
    (
        "MutatingWebhookConfiguration",
        "object.webhooks[0].reinvocationPolicy == 'Never' && object.webhooks[0].timeoutSeconds == 10",
    ),
    (
        "ValidatingAdmissionPolicyBinding",
        "spec.matchResources.matchPolicy == 'Equivalent' && spec.matchResources.resourceRules[0].scope == '*'",
    ),
    ("FlowSchema", "spec.matchingPrecedence == 1000"),
    (
        "PriorityLevelConfiguration",
        "spec.limited.nominalConcurrencyShares == 30 && spec.limited.lendablePercent == 0",
    ),
    (
        "PriorityLevelConfiguration",
        "spec.limited.limitResponse.queuing.queues == 64 && spec.limited.limitResponse.queuing.handSize == 8",
    ),
    ("Node", "spec.podCIDRs == ['10.0.0.0/24'] && object.status.allocatable.cpu == '1'"),
];

#[test]
fn expressions_see_what_a_server_fills_in() {
    let bare = DEFAULTS.iter().flat_map(|(kind, rows)| rows.iter().map(move |row| (*kind, *row, BARE)));
    let said = OF_SAID.iter().map(|(kind, row)| (*kind, *row, SAID));
    let (mut count, mut wrong) = (0, Vec::new());
    for (kind, expression, objects) in bare.chain(said) {
        let condition = format!("kind == '{kind}' && {expression}");
        let args = ["kselect", "get", "--defaults", "-o", "jsonpath={.items[*].kind}", "--where", &condition];
        let (_, found, errors) = in_process(args, objects);
        count += 1;
        if found != kind {
            wrong.push(format!("{kind}: {expression}: {errors}"));
        }
    }
    assert!(count > 160 && wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

/// The manifests of `fixtures/conformance`, and what the cluster had after they were applied.
#[test]
fn a_repository_and_a_dump_of_its_cluster_have_no_noise() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/conformance");
    let [git, dump] = ["cluster", "dump.json"].map(|name| format!("{fixtures}/{name}"));
    Kselect::new(["diff", "--defaults", "-o", "name", &git, &dump])
        .stderr(
            "kselect: left out 124 fields that a controller or an allocation wrote\n\
             kselect: left out 19 objects that only one input has and a cluster makes by itself\n",
        )
        .prints_nothing();
}

#[test]
fn what_admission_sets_counts_if_both_inputs_have_it() {
    let claim = |class: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data}}\nspec:\n  accessModes: [ReadWriteOnce]\n{class}"
        )
    };
    let diff = |old: &str, new: &str| {
        Kselect::new(["diff", "--defaults", "old.yaml", "new.yaml", "-o", "name"])
            .file("old.yaml", claim(old))
            .file("new.yaml", claim(new))
    };
    let (fast, slow) = ("  storageClassName: fast\n", "  storageClassName: slow\n");
    diff("", fast).prints_nothing();
    diff(fast, fast).prints_nothing();
    diff(fast, slow).status(1).prints("~ persistentvolumeclaim/data\n");
}

#[test]
fn defaults_of_a_schema_are_filled_in_before_anything_is_judged() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.x.io}\nspec:\n  \
        group: x.io\n  names: {kind: A, plural: as}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    \
        storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            \
        type: object\n            properties: {n: {type: integer}, type: {type: string, default: A}}\n            \
        oneOf: [{properties: {type: {enum: [A]}}}, {properties: {type: {enum: [B]}}}]\n          other:\n            \
        type: object\n            properties: {n: {type: integer}, type: {type: string, default: A}}\n            \
        not: {required: [type]}\n---\n";
    let object = |field: &str| {
        format!("{definition}apiVersion: x.io/v1\nkind: A\nmetadata: {{name: a}}\n{field}: {{n: 1}}\n")
    };
    let check = |text: String| Kselect::new(["check", "--only", "invalid-value", "-f", "-"]).stdin(text);
    assert!(check(object("spec")).run().status.success());
    let refused = check(object("other")).run();
    let found = String::from_utf8(refused.stdout).expect("UTF-8");
    assert!(found.contains("\"other\" must not validate the schema (not)"), "{found}");
}
