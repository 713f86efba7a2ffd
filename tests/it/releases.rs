//! Kinds, versions and fields by release of Kubernetes: `--kubernetes` of `check` and `get`.

use std::collections::HashMap;
use std::fmt::Write as _;

use kinds::release::Release;

use crate::support::Kselect;

/// Every kind and field that changed since 1.34, from the definitions of the releases (`packaging/kubernetes-changes`):
/// apiVersion, kind, path, first and last release.
const CHANGES: &str = include_str!("../../fixtures/releases.tsv");

/// A line of [`CHANGES`].
struct Change {
    api_version: &'static str,
    kind: &'static str,
    path: &'static str,
    first: Release,
    last: Release,
}

fn changes() -> Vec<Change> {
    let release = |text: &str| text.parse().expect("a release");
    let change = |line: &'static str| match line.split('\t').collect::<Vec<_>>()[..] {
        [api_version, kind, path, first, last] => {
            Change { api_version, kind, path, first: release(first), last: release(last) }
        }
        _ => panic!("five columns: {line}"),
    };
    CHANGES.lines().map(change).collect()
}

impl Change {
    /// An object with the field, which has no value.
    fn object(&self) -> String {
        let mut value = "null".to_owned();
        for part in self.path.rsplit('.').filter(|part| !part.is_empty()) {
            let name = part.trim_end_matches(['[', ']', '{', '}']);
            for container in part.as_bytes()[name.len()..].rchunks(2) {
                value = if container == b"[]" { format!("[{value}]") } else { format!("{{\"k\":{value}}}") };
            }
            value = format!("{{\"{name}\":{value}}}");
        }
        let rest = value.strip_prefix('{').unwrap_or("\"spec\":null}");
        let Self { api_version, kind, .. } = self;
        format!(
            "{{\"apiVersion\":\"{api_version}\",\"kind\":\"{kind}\",\"metadata\":{{\"name\":\"a\"}},{rest}\n"
        )
    }

    /// The path in messages.
    fn shown(&self) -> String {
        self.path.replace("[]", "[0]").replace("{}", ".k")
    }

    /// The end of the finding for a release; `None` if it has the kind or the field.
    fn absence(&self, release: Release) -> Option<String> {
        if release < self.first {
            return Some(format!("new in Kubernetes {}, checked against {release}", self.first));
        }
        let gone = Release::known().find(|release| *release > self.last)?;
        (release >= gone).then(|| format!("gone since Kubernetes {gone}, checked against {release}"))
    }
}

#[test]
fn kinds_and_fields_are_known_in_their_releases_alone() {
    let changes = changes();
    assert!(changes.len() > 150, "{}", changes.len());
    let stream: String = changes.iter().map(Change::object).collect();
    let kinds: HashMap<_, _> = changes
        .iter()
        .filter(|change| change.path.is_empty())
        .map(|change| ((change.api_version, change.kind), change))
        .collect();
    for release in Release::known() {
        let flag = format!("--kubernetes={release}");
        let only = "unknown-kind,unknown-field,removed-api";
        let output = Kselect::new(["check", "--only", only, &flag]).stdin(&stream).run();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let mut problems = String::new();
        for (number, change) in changes.iter().enumerate() {
            let place = format!("STDIN:{}: ", number + 1);
            let found: Vec<&str> = text.lines().filter(|line| line.starts_with(&place)).collect();
            let kind = kinds.get(&(change.api_version, change.kind)).and_then(|kind| kind.absence(release));
            let is_right = match (change.path, change.absence(release), kind) {
                // Versions of which the server warned have a rule of their own.
                ("", Some(absence), _) => {
                    let [line] = found[..] else { continue };
                    line.contains(&format!("; {absence}")) || line.contains("[removed-api]")
                }
                (_, _, Some(_)) => true,
                (_, Some(absence), None) => {
                    let field = format!("unknown field \"{}\"; {absence}", change.shown());
                    // The release may lack what has the field.
                    let is_below = |line: &str| {
                        let path = line.split('"').nth(1).unwrap_or_default();
                        change.shown().strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']))
                    };
                    matches!(found[..], [line] if line.ends_with(&field) || is_below(line))
                }
                // The object has a spec, which not all kinds have.
                ("", None, _) => !found.iter().any(|line| line.contains("[unknown-kind]")),
                (_, None, None) => found.is_empty(),
            };
            if !is_right {
                let Change { api_version, kind, path, .. } = change;
                let _ = writeln!(problems, "{release} {api_version} {kind} {path}: {found:?}");
            }
        }
        assert!(problems.is_empty(), "{problems}");
    }
}

const WORKLOAD: &str = "apiVersion: scheduling.k8s.io/v1beta1\nkind: Workload\nmetadata: {name: a}\n\
                        spec: {podGroupTemplates: [{name: a, schedulingPolicy: {basic: {}}}]}\n";

#[test]
fn validation_is_for_a_release() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  scheduling: {}\n  \
               template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}\n";
    Kselect::new(["get", "-o", "name", "--validate=strict"]).stdin(job).prints("job.batch/a\n");
    Kselect::new(["get", "-o", "name", "--validate=strict", "--kubernetes=1.31"])
        .stdin(job)
        .stderr(
            "error: STDIN:5 (document 1): strict decoding error: unknown field \"spec.scheduling\"\n  \
             |\n5 |   scheduling\n  |   ^^^^^^^^^^\nhint: new in Kubernetes 1.37, checked against 1.31\n",
        )
        .status(1)
        .prints_nothing();
}

#[test]
fn a_kind_of_another_release_is_refused() {
    Kselect::new(["get", "-o", "name", "--validate=strict"])
        .stdin(WORKLOAD)
        .prints("workload.scheduling.k8s.io/a\n");
    Kselect::new(["get", "-o", "name", "--validate=strict", "--kubernetes=1.36"])
        .stdin(WORKLOAD)
        .stderr(
            "error: STDIN:1 (document 1): no matches for kind \"Workload\" in version \"scheduling.k8s.io/v1beta1\"\n\
             hint: new in Kubernetes 1.37, checked against 1.36; use scheduling.k8s.io/v1alpha2\n",
        )
        .status(1)
        .prints_nothing();
    // After a deprecation, the removal is left to check.
    let old = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n";
    Kselect::new(["get", "-o", "name", "--validate=strict"])
        .stdin(old)
        .prints("poddisruptionbudget.policy/a\n");
}

#[test]
fn what_a_newer_release_may_have_is_a_warning() {
    let stream = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nfuture: a\n---\n\
                  apiVersion: apps/v2\nkind: Deployment\nmetadata: {name: b}\n---\n\
                  apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: [a]\n";
    Kselect::new(["get", "-o", "name", "--validate=strict", "--kubernetes=1.99"])
        .stdin(stream)
        .stderr(
            "error: STDIN:13 (document 3): json: cannot unmarshal array into Go struct field ConfigMap.data of type \
             map[string]string\n   |\n13 | data\n   | ^^^^\n\
             warning: STDIN:4 (document 1): strict decoding error: unknown field \"future\"; the newest release that \
             kselect knows is 1.37\n\
             warning: STDIN:6 (document 2): no matches for kind \"Deployment\" in version \"apps/v2\"; the newest release \
             that kselect knows is 1.37\n",
        )
        .status(1)
        .prints("configmap/a\ndeployment.apps/b\n");
    let stream = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nfuture: a\n";
    Kselect::new(["check", "--kubernetes=1.99"]).stdin(stream).prints(
        "STDIN:4: warning [unknown-field] configmap/a: strict decoding error: unknown field \"future\"; the newest \
         release that kselect knows is 1.37\n",
    );
}

#[test]
fn objects_of_all_releases_are_printed() {
    let old = "apiVersion: networking.k8s.io/v1alpha1\nkind: ClusterCIDR\nmetadata: {name: a}\n";
    Kselect::new(["get", "clustercidrs", "-o", "name"])
        .stdin(old)
        .prints("clustercidr.networking.k8s.io/a\n");
    let old = "apiVersion: storage.k8s.io/v1beta1\nkind: VolumeAttributesClass\nmetadata: {name: a}\ndriverName: d\n";
    Kselect::new(["get", "volumeattributesclasses.v1beta1.storage.k8s.io", "--no-headers"])
        .stdin(old)
        .prints("a     d     <unknown>\n");
}

#[test]
fn definitions_have_the_columns_of_the_release_that_is_named() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: \
                      widgets.shop.example.com\n  creationTimestamp: \"2026-11-21T09:29:36Z\"\nspec:\n  group: \
                      shop.example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions: \
                      [{name: v1beta1}, {name: v1}]\n";
    let plain = "NAME                       CREATED AT\nwidgets.shop.example.com   2026-11-21T09:29:36Z\n";
    for args in [&["crd"][..], &["crd", "-o", "wide"], &["crd", "--kubernetes=1.36"]] {
        let args = args.iter().copied();
        Kselect::get(args).stdin(definition).prints(plain);
    }
    Kselect::get(["crd", "--kubernetes=1.37"]).stdin(definition).prints(
        "NAME                       GROUP              SCOPE        VERSIONS     CREATED AT\n\
         widgets.shop.example.com   shop.example.com   Namespaced   v1,v1beta1   2026-11-21T09:29:36Z\n",
    );
}

#[test]
fn values_are_those_that_the_release_takes() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports: [{port: 1}]\n  externalIPs: [10.0.0.01]\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  dnsConfig:\n    searches: [a_b.c]\n  \
               containers:\n  - {name: a, image: a, env: [{name: 1 a}]}\n";
    let stream = format!("{service}---\n{pod}");
    let errors = |release: &str| {
        let flag = format!("--kubernetes={release}");
        let args = ["check", "--only=invalid-value", &flag];
        let output = Kselect::new(args).stdin(&stream).run();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines()
            .map(|line| line.split(": ").skip(2).take(2).collect::<Vec<_>>().join(": "))
            .collect::<Vec<_>>()
    };
    let searches = "spec.dnsConfig.searches[0]: Invalid value";
    let variable = "spec.containers[0].env[0].name: Invalid value";
    let address = "spec.externalIPs[0]: Invalid value";
    assert_eq!(errors("1.31"), [searches, variable]);
    assert_eq!(errors("1.32"), [searches]);
    assert_eq!(errors("1.33"), [""; 0]);
    assert_eq!(errors("1.35"), [""; 0]);
    assert_eq!(errors("1.36"), [address]);
}

#[test]
fn a_claim_of_storage_is_valid_in_every_release() {
    let spec =
        "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}, limits: {storage: 2Gi}}}";
    let containers = "[{name: a, image: a, resources: {requests: {storage: 1Gi}}}]";
    let claims = format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec: {spec}\n---\n\
         apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: a}}\nspec:\n  serviceName: a\n  \
         selector: {{matchLabels: {{a: a}}}}\n  volumeClaimTemplates: [{{metadata: {{name: b}}, spec: {spec}}}]\n  \
         template:\n    metadata: {{labels: {{a: a}}}}\n    spec:\n      \
         volumes: [{{name: v, ephemeral: {{volumeClaimTemplate: {{spec: {spec}}}}}}}]\n      containers: {containers}\n"
    );
    let container = "error [invalid-value] statefulset.apps/a: spec.template.spec.containers[0].resources.requests[storage]: \
                     Invalid value: must be a standard resource for containers";
    for release in Release::known() {
        let flag = format!("--kubernetes={release}");
        Kselect::new(["check", "--only=invalid-value,missing-field,wrong-type,unknown-field", &flag])
            .stdin(&claims)
            .status(1)
            .prints(format!("STDIN:17: {container}\n"));
    }
}
