//! Generates realistic manifests: the output of `helm template`, and pods as `kubectl get` dumps them. Every run on
//! every machine generates the same bytes.

use std::io::{self, Write};

use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};
use syntax::emit::yaml::{self, KeyOrder};
use syntax::json;

/// The label values that selectors choose from, all equally frequent.
const TIERS: [&str; 4] = ["frontend", "backend", "cache", "database"];
const ENVIRONMENTS: [&str; 3] = ["prod", "staging", "dev"];
const APPS: [&str; 8] = ["web", "cart", "checkout", "search", "ledger", "mailer", "gateway", "reports"];

/// A small generator of pseudorandom numbers (splitmix64): its sequence never changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    /// Lowercase letters and digits, as at the end of a pod's name.
    fn suffix(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..length).map(|_| char::from(LETTERS[self.below(LETTERS.len() as u64) as usize])).collect()
    }

    fn uid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        let (low, mid) = (a >> 32, (a >> 16) & 0xffff);
        format!("{low:08x}-{mid:04x}-4{:03x}-a{:03x}-{:012x}", a & 0xfff, b >> 52, b & 0xffff_ffff_ffff)
    }
}

/// An application as a chart would render it.
struct Release {
    app: &'static str,
    /// The name of its objects.
    name: String,
    namespace: String,
    version: String,
    tier: &'static str,
    environment: &'static str,
}

impl Release {
    fn new(number: usize, random: &mut Random) -> Self {
        let app = random.choose(&APPS);
        Self {
            app,
            name: format!("shop-{number}-{app}"),
            namespace: format!("team-{}", random.below(40)),
            version: format!("{}.{}.{}", random.below(4), random.below(20), random.below(10)),
            tier: random.choose(&TIERS),
            environment: random.choose(&ENVIRONMENTS),
        }
    }

    /// The `metadata` of one of its objects.
    fn metadata(&self) -> String {
        let Self { app, name, namespace, version, tier, environment } = self;
        format!(
            "metadata:
  name: {name}
  namespace: {namespace}
  labels:
    helm.sh/chart: {app}-{version}
    app.kubernetes.io/name: {app}
    app.kubernetes.io/instance: {name}
    app.kubernetes.io/version: \"{version}\"
    app.kubernetes.io/managed-by: Helm
    app.kubernetes.io/part-of: shop
    tier: {tier}
    env: {environment}
"
        )
    }
}

/// A template of the chart: the name of its file, and its output.
type Template = (&'static str, fn(&Release, &mut Random) -> String);

/// The chart's templates, each rendered once for a release.
const TEMPLATES: [Template; 9] = [
    ("serviceaccount.yaml", service_account),
    ("configmap.yaml", config_map),
    ("secret.yaml", secret),
    ("service.yaml", service),
    ("deployment.yaml", deployment),
    ("ingress.yaml", ingress),
    ("hpa.yaml", autoscaler),
    ("networkpolicy.yaml", network_policy),
    ("cronjob.yaml", cron_job),
];

fn service_account(release: &Release, _: &mut Random) -> String {
    format!(
        "apiVersion: v1\nkind: ServiceAccount\n{}automountServiceAccountToken: false\n",
        release.metadata()
    )
}

fn config_map(release: &Release, random: &mut Random) -> String {
    let mut text = format!("apiVersion: v1\nkind: ConfigMap\n{}data:\n", release.metadata());
    text.push_str("  LOG_LEVEL: info\n  FEATURES: \"checkout,search\"\n  application.yaml: |\n");
    // A few releases include long files, such as dashboards and rule sets.
    let sections = if random.below(10) == 0 { 300 } else { 6 + random.below(12) };
    for section in 0..sections {
        let (port, pool, timeout) = (8000 + random.below(1000), random.below(64), random.below(30_000));
        text.push_str(&format!(
            "    # What upstream {section} may use.\n    upstream-{section}:\n      url: http://backend-{section}\
             .{}.svc:{port}/api\n      pool: {pool}\n      timeout: {timeout}ms\n\n",
            release.namespace
        ));
    }
    text
}

fn secret(release: &Release, random: &mut Random) -> String {
    let (user, password) = (random.suffix(16), random.suffix(44));
    format!(
        "apiVersion: v1\nkind: Secret\n{}type: Opaque\ndata:\n  username: {user}\n  password: {password}\n",
        release.metadata()
    )
}

fn service(release: &Release, _: &mut Random) -> String {
    format!(
        "apiVersion: v1
kind: Service
{}spec:
  type: ClusterIP
  ports:
    - port: 80
      targetPort: http
      protocol: TCP
      name: http
  selector:
    app.kubernetes.io/name: {}
    app.kubernetes.io/instance: {}
",
        release.metadata(),
        release.app,
        release.name
    )
}

fn deployment(release: &Release, random: &mut Random) -> String {
    let Release { app, name, version, tier, .. } = release;
    let (replicas, cpu, memory) = (1 + random.below(9), 100 * (1 + random.below(9)), 64 << random.below(5));
    let mut variables = String::new();
    for variable in 0..random.below(12) {
        let value = random.suffix(12);
        variables
            .push_str(&format!("            - name: SETTING_{variable}\n              value: \"{value}\"\n"));
    }
    format!(
        "apiVersion: apps/v1
kind: Deployment
{}spec:
  replicas: {replicas}
  revisionHistoryLimit: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: {app}
      app.kubernetes.io/instance: {name}
  template:
    metadata:
      annotations:
        checksum/config: {:016x}{:016x}{:016x}{:016x}
        prometheus.io/scrape: \"true\"
      labels:
        app.kubernetes.io/name: {app}
        app.kubernetes.io/instance: {name}
        tier: {tier}
    spec:
      serviceAccountName: {name}
      securityContext:
        runAsNonRoot: true
        fsGroup: 2000
      containers:
        - name: {app}
          image: \"registry.example.com/shop/{app}:{version}\"
          imagePullPolicy: IfNotPresent
          args: [\"--config\", \"/etc/{app}/application.yaml\"]
          env:
            - name: NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
{variables}          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            initialDelaySeconds: 10
          readinessProbe:
            httpGet:
              path: /ready
              port: http
          resources:
            limits:
              memory: {memory}Mi
            requests:
              cpu: {cpu}m
              memory: {memory}Mi
          volumeMounts:
            - name: config
              mountPath: /etc/{app}
              readOnly: true
      volumes:
        - name: config
          configMap:
            name: {name}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    app.kubernetes.io/instance: {name}
",
        release.metadata(),
        random.next(),
        random.next(),
        random.next(),
        random.next()
    )
}

fn ingress(release: &Release, _: &mut Random) -> String {
    let Release { app, name, environment, .. } = release;
    format!(
        "apiVersion: networking.k8s.io/v1
kind: Ingress
{}  annotations:
    cert-manager.io/cluster-issuer: letsencrypt
    nginx.ingress.kubernetes.io/proxy-body-size: 8m
spec:
  ingressClassName: nginx
  tls:
    - hosts:
        - \"{app}.{environment}.example.com\"
      secretName: {name}-tls
  rules:
    - host: \"{app}.{environment}.example.com\"
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {name}
                port:
                  name: http
",
        release.metadata()
    )
}

fn autoscaler(release: &Release, random: &mut Random) -> String {
    format!(
        "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
{}spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {}
  minReplicas: 2
  maxReplicas: {}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: 80
",
        release.metadata(),
        release.name,
        3 + random.below(20)
    )
}

fn network_policy(release: &Release, _: &mut Random) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
{}spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/instance: {}
  policyTypes:
    - Ingress
  ingress:
    - from:
        - namespaceSelector:
            matchExpressions:
              - {{key: team, operator: In, values: [shop, platform]}}
      ports:
        - port: 8080
",
        release.metadata(),
        release.name
    )
}

fn cron_job(release: &Release, random: &mut Random) -> String {
    let Release { app, name, version, .. } = release;
    format!(
        "apiVersion: batch/v1
kind: CronJob
{}spec:
  schedule: \"{} {} * * *\"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          serviceAccountName: {name}
          containers:
            - name: clean
              image: \"registry.example.com/shop/{app}:{version}\"
              command:
                - /bin/sh
                - -ec
                - |
                  echo \"cleaning {name}\"
                  exec /app/clean --older-than 30d
",
        release.metadata(),
        random.below(60),
        random.below(24)
    )
}

/// An endless sequence of manifests with one object each, with the file that each would be in.
pub fn manifests() -> impl Iterator<Item = (&'static str, String)> {
    let mut random = Random(1);
    (0..).flat_map(move |number| {
        let release = Release::new(number, &mut random);
        TEMPLATES.map(|(file, template)| (file, template(&release, &mut random)))
    })
}

/// Writes a stream of at least `bytes` bytes, as `helm template` prints it.
pub fn helm(bytes: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut written = 0;
    for (file, manifest) in manifests() {
        let document = format!("---\n# Source: shop/templates/{file}\n{manifest}");
        out.write_all(document.as_bytes())?;
        written += document.len();
        if written >= bytes {
            break;
        }
    }
    Ok(())
}

/// The syntax of a List.
#[derive(Clone, Copy)]
pub enum Syntax {
    /// As by `kubectl get pods -o yaml`.
    Yaml,
    /// As by `kubectl get pods -o json`.
    Json,
}

/// Writes a List of `count` pods, which are the same in either syntax.
pub fn pod_list(count: usize, syntax: Syntax, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Random(2);
    let pods = (0..count).map(|number| pod(number, &mut random));
    match syntax {
        Syntax::Yaml => {
            out.write_all(b"apiVersion: v1\nitems:\n")?;
            for pod in pods {
                let lines = yaml::text(&tree(&pod), KeyOrder::Sorted);
                write_indented(&lines, "- ", "  ", out)?;
            }
            out.write_all(b"kind: List\nmetadata:\n  resourceVersion: \"\"\n")
        }
        Syntax::Json => {
            out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")?;
            for (number, pod) in pods.enumerate() {
                out.write_all(if number == 0 { b"" } else { b",\n" })?;
                write_indented(pretty(&pod).trim_end(), "        ", "        ", out)?;
            }
            out.write_all(b"\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n")?;
            out.write_all(b"        \"resourceVersion\": \"\"\n    }\n}\n")
        }
    }
}

fn write_indented(text: &str, first: &str, others: &str, out: &mut dyn Write) -> io::Result<()> {
    for (number, line) in text.split_inclusive('\n').enumerate() {
        out.write_all(if number == 0 { first } else { others }.as_bytes())?;
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn pretty(value: &Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"    "));
    serde::Serialize::serialize(value, &mut serializer).expect("impossible: memory takes all text");
    String::from_utf8(text).expect("impossible: JSON is UTF-8")
}

fn tree(value: &Value) -> syntax::tree::Node {
    json::parse(value.to_string().as_bytes()).expect("impossible: a value's own text is JSON").root
}

/// A pod as it is in a cluster, with the fields added by controllers, scheduler and kubelet.
fn pod(number: usize, random: &mut Random) -> Value {
    let app = random.choose(&APPS);
    let (tier, environment) = (random.choose(&TIERS), random.choose(&ENVIRONMENTS));
    let hash = random.suffix(10);
    let owner = format!("{app}-{number}-{hash}");
    let created = time(random.below(86_400 * 90));
    let phase = random.choose(&["Running", "Running", "Running", "Running", "Pending", "Succeeded"]);
    let names: &[&str] = if random.below(3) == 0 { &["main", "proxy"] } else { &["main"] };
    let host = format!("10.0.{}.{}", random.below(4), random.below(250));
    let address = format!("10.244.{}.{}", random.below(64), random.below(250));
    let containers: Vec<Value> = names.iter().map(|name| container(name, app, random)).collect();
    let statuses: Vec<Value> = names.iter().map(|name| status(name, app, &created, random)).collect();
    let tolerations = ["not-ready", "unreachable"].map(|condition| {
        let key = format!("node.kubernetes.io/{condition}");
        json!({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300})
    });
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        |kind| json!({"lastProbeTime": null, "lastTransitionTime": created, "status": "True", "type": kind}),
    );
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {
                "checksum/config": format!("{:016x}{:016x}", random.next(), random.next()),
                "prometheus.io/port": "8080",
                "prometheus.io/scrape": "true",
            },
            "creationTimestamp": created,
            "generateName": format!("{owner}-"),
            "labels": {
                "app.kubernetes.io/instance": format!("{app}-{number}"),
                "app.kubernetes.io/name": app,
                "env": environment,
                "pod-template-hash": hash,
                "tier": tier,
            },
            "managedFields": managed_fields(&created, names),
            "name": format!("{owner}-{}", random.suffix(5)),
            "namespace": format!("team-{}", random.below(40)),
            "ownerReferences": [{
                "apiVersion": "apps/v1",
                "blockOwnerDeletion": true,
                "controller": true,
                "kind": "ReplicaSet",
                "name": owner,
                "uid": random.uid(),
            }],
            "resourceVersion": (1_000_000 + random.below(9_000_000)).to_string(),
            "uid": random.uid(),
        },
        "spec": {
            "containers": containers,
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": true,
            "nodeName": format!("node-{}", random.below(100)),
            "preemptionPolicy": "PreemptLowerPriority",
            "priority": 0,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {"fsGroup": 2000, "runAsNonRoot": true},
            "serviceAccount": app,
            "serviceAccountName": app,
            "terminationGracePeriodSeconds": 30,
            "tolerations": tolerations,
            "volumes": [
                {"configMap": {"defaultMode": 420, "name": app}, "name": "config"},
                {
                    "name": "kube-api-access",
                    "projected": {
                        "defaultMode": 420,
                        "sources": [
                            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                            {"configMap": {
                                "items": [{"key": "ca.crt", "path": "ca.crt"}],
                                "name": "kube-root-ca.crt",
                            }},
                            {"downwardAPI": {"items": [{
                                "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                                "path": "namespace",
                            }]}},
                        ],
                    },
                },
            ],
        },
        "status": {
            "conditions": conditions,
            "containerStatuses": statuses,
            "hostIP": host,
            "hostIPs": [{"ip": host}],
            "phase": phase,
            "podIP": address,
            "podIPs": [{"ip": address}],
            "qosClass": "Burstable",
            "startTime": created,
        },
    })
}

fn container(name: &str, app: &str, random: &mut Random) -> Value {
    let variables = (0..random.below(8))
        .map(|number| json!({"name": format!("SETTING_{number}"), "value": random.suffix(12)}));
    json!({
        "args": ["--config", format!("/etc/{app}/application.yaml"), format!("--role={name}")],
        "env": variables.collect::<Vec<_>>(),
        "image": format!("registry.example.com/shop/{app}-{name}:1.{}", random.below(40)),
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": probe("/healthz"),
        "name": name,
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": probe("/ready"),
        "resources": {
            "limits": {"memory": "512Mi"},
            "requests": {"cpu": format!("{}m", 50 * (1 + random.below(20))), "memory": "256Mi"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": format!("/etc/{app}"), "name": "config", "readOnly": true},
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "kube-api-access",
                "readOnly": true,
            },
        ],
    })
}

fn probe(path: &str) -> Value {
    json!({
        "failureThreshold": 3,
        "httpGet": {"path": path, "port": "http", "scheme": "HTTP"},
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    })
}

fn status(name: &str, app: &str, started: &str, random: &mut Random) -> Value {
    json!({
        "containerID": format!("containerd://{:016x}{:016x}", random.next(), random.next()),
        "image": format!("registry.example.com/shop/{app}-{name}:1.0"),
        "imageID": format!("registry.example.com/shop/{app}@sha256:{:016x}{:016x}", random.next(), random.next()),
        "lastState": {},
        "name": name,
        "ready": random.below(20) > 0,
        "restartCount": random.below(3),
        "started": true,
        "state": {"running": {"startedAt": started}},
    })
}

/// The managed fields, as the API server keeps them: often half of a dump.
fn managed_fields(time: &str, containers: &[&str]) -> Value {
    let fields = |names: &[&str]| -> Value {
        names.iter().map(|name| (format!("f:{name}"), json!({}))).collect::<Map<_, _>>().into()
    };
    let with_self = |mut fields: Value| {
        fields["."] = json!({});
        fields
    };
    let of_containers: Map<String, Value> = containers
        .iter()
        .map(|name| {
            let mut own = with_self(fields(&[
                "args",
                "image",
                "imagePullPolicy",
                "name",
                "terminationMessagePath",
                "terminationMessagePolicy",
            ]));
            own["f:resources"] = with_self(fields(&["limits", "requests"]));
            for probe in ["f:livenessProbe", "f:readinessProbe"] {
                own[probe] = with_self(fields(&["failureThreshold", "periodSeconds", "timeoutSeconds"]));
                own[probe]["f:httpGet"] = with_self(fields(&["path", "port", "scheme"]));
            }
            own["f:ports"] = json!({
                ".": {},
                "k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":
                    with_self(fields(&["containerPort", "name", "protocol"])),
            });
            (format!("k:{{\"name\":\"{name}\"}}"), own)
        })
        .collect();
    let conditions: Map<String, Value> = ["ContainersReady", "Initialized", "Ready"]
        .map(|kind| {
            let own = with_self(fields(&["lastProbeTime", "lastTransitionTime", "status", "type"]));
            (format!("k:{{\"type\":\"{kind}\"}}"), own)
        })
        .into_iter()
        .collect();
    let mut spec = fields(&[
        "dnsPolicy",
        "enableServiceLinks",
        "restartPolicy",
        "schedulerName",
        "serviceAccountName",
        "terminationGracePeriodSeconds",
    ]);
    spec["f:containers"] = of_containers.into();
    let mut status = fields(&["containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "startTime"]);
    status["f:conditions"] = conditions.into();
    json!([
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {
                    "f:annotations": with_self(fields(&["checksum/config", "prometheus.io/scrape"])),
                    "f:generateName": {},
                    "f:labels": with_self(fields(&["app.kubernetes.io/name", "env", "tier"])),
                    "f:ownerReferences": {".": {}},
                },
                "f:spec": spec,
            },
            "manager": "kube-controller-manager",
            "operation": "Update",
            "time": time,
        },
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:status": status},
            "manager": "kubelet",
            "operation": "Update",
            "subresource": "status",
            "time": time,
        },
    ])
}

/// A time in the first months of 2025, given in seconds since their start.
fn time(seconds: u64) -> String {
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (month, day) = (day / 30 % 3 + 1, day % 28 + 1);
    format!("2025-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}
