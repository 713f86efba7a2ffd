//! `get --defaults`: objects as a server holds them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Kselect;

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
