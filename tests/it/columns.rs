//! Compares tables recorded from kubectl 1.36 and a real API server, cell by cell, with the columns for the same
//! objects.

use std::collections::HashSet;
use std::fs;

use jiff::{SignedDuration, Timestamp};
use kinds::view::View;
use kinds::{
    self,
    columns::{self, Column},
};
use serde::Deserialize;
use serde_json::Value as Json;
use syntax::tree::{Map, Node, Span, Value};

/// One recorded command.
struct Case {
    args: Vec<String>,
    succeeded: bool,
    stdout: String,
    now: Timestamp,
}

/// The types of the recordings, with their groups and kinds.
const TYPES: &[(&str, &str, &str)] = &[
    ("cm", "", "ConfigMap"),
    ("configmaps", "", "ConfigMap"),
    ("crd", "apiextensions.k8s.io", "CustomResourceDefinition"),
    ("cronjobs", "batch", "CronJob"),
    ("deployments", "apps", "Deployment"),
    ("ds", "apps", "DaemonSet"),
    ("endpoints", "", "Endpoints"),
    ("endpointslices", "discovery.k8s.io", "EndpointSlice"),
    ("events", "", "Event"),
    ("hpa", "autoscaling", "HorizontalPodAutoscaler"),
    ("ingress", "networking.k8s.io", "Ingress"),
    ("ingressclasses", "networking.k8s.io", "IngressClass"),
    ("jobs", "batch", "Job"),
    ("lease", "coordination.k8s.io", "Lease"),
    ("limits", "", "LimitRange"),
    ("netpol", "networking.k8s.io", "NetworkPolicy"),
    ("nodes", "", "Node"),
    ("ns", "", "Namespace"),
    ("pdb", "policy", "PodDisruptionBudget"),
    ("pods", "", "Pod"),
    ("priorityclasses", "scheduling.k8s.io", "PriorityClass"),
    ("pv", "", "PersistentVolume"),
    ("pvc", "", "PersistentVolumeClaim"),
    ("quota", "", "ResourceQuota"),
    ("rc", "", "ReplicationController"),
    ("rolebindings", "rbac.authorization.k8s.io", "RoleBinding"),
    ("roles", "rbac.authorization.k8s.io", "Role"),
    ("rs", "apps", "ReplicaSet"),
    ("sa", "", "ServiceAccount"),
    ("sc", "storage.k8s.io", "StorageClass"),
    ("secrets", "", "Secret"),
    ("sts", "apps", "StatefulSet"),
    ("svc", "", "Service"),
    ("validatingwebhookconfigurations", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    // These are requested by name.
    ("clusterrolebindings shop-readers", "rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("clusterroles shop-reader", "rbac.authorization.k8s.io", "ClusterRole"),
];

/// A table: its header and its rows, sorted.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The request of a command, and kubectl's table.
struct Recorded {
    group: &'static str,
    kind: &'static str,
    name: Option<String>,
    namespace: Option<String>,
    wide: bool,
    table: Table,
}

/// The table of a command that requests one type and selects only by name and namespace; `None` for others.
fn recorded(case: &Case) -> Option<Recorded> {
    let line = format!("{} ", case.args.join(" "));
    let &(asked, group, kind) =
        TYPES.iter().find(|(asked, ..)| line.starts_with(&format!("get {asked} ")))?;
    let options: Vec<&str> = line["get ".len() + asked.len()..].split_whitespace().collect();
    let (options, wide) = match options.as_slice() {
        [options @ .., "-o", "wide"] => (options, true),
        options => (options, false),
    };
    let namespace = match options {
        [] | ["-A"] => None,
        ["-n", namespace] => Some(namespace.to_string()),
        _ => return None,
    };
    let mut lines = case.stdout.lines();
    let header = lines.next().filter(|_| case.succeeded)?;
    let begins = |&i: &usize| !header[i..].starts_with(' ') && (i == 0 || header[..i].ends_with("   "));
    let starts: Vec<usize> = (0..header.len()).filter(begins).collect();
    let cut = |line: &str| -> Vec<String> {
        let ends = starts.iter().skip(1).copied().chain([line.len()]);
        starts.iter().zip(ends).map(|(&start, end)| line[start..end].trim().to_owned()).collect()
    };
    let mut table = Table { header: cut(header), rows: lines.map(cut).collect() };
    table.rows.sort();
    let name = asked.split_once(' ').map(|(_, name)| name.to_owned());
    Some(Recorded { group, kind, name, namespace, wide, table })
}

/// The table of our columns for the requested `objects`.
fn printed(asked: &Recorded, objects: &[Json], now: Timestamp) -> Table {
    let with_namespace = asked.table.header.first().is_some_and(|name| name == "NAMESPACE");
    let columns =
        kinds::columns_of(asked.group, asked.kind).unwrap_or_else(|| columns::WITHOUT_PRINTER.to_vec());
    let columns = columns.iter().filter(|column| column.is_in(None));
    let columns: Vec<&Column> = columns.filter(|column| asked.wide || column.priority == 0).collect();
    let mut header: Vec<String> = columns.iter().map(|column| column.name.to_owned()).collect();
    if with_namespace {
        header.insert(0, "NAMESPACE".to_owned());
    }
    let mut rows = Vec::new();
    for object in objects.iter().filter(|object| object["kind"] == asked.kind) {
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or("default");
        let named = asked.name.as_ref().is_none_or(|name| metadata["name"] == name.as_str());
        if !named || asked.namespace.as_ref().is_some_and(|asked| asked != namespace) {
            continue;
        }
        let tree = node(object);
        let view = View::new(&tree, object["apiVersion"].as_str().unwrap_or_default(), asked.kind);
        let mut row: Vec<String> =
            columns.iter().map(|column| column.cell(&view).at(now).into_owned()).collect();
        if with_namespace {
            row.insert(0, namespace.to_owned());
        }
        rows.push(row);
    }
    rows.sort();
    Table { header, rows }
}

fn node(json: &Json) -> Node {
    Node::new(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().expect("a number")),
        },
        Json::String(text) => Value::String(text.into()),
        Json::Array(items) => Value::Seq(items.iter().map(node).collect()),
        Json::Object(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                map.insert(key.clone(), Span::default(), node(value));
            }
            Value::Map(map)
        }
    })
}

fn read(path: &str) -> String {
    let path = format!("{}/fixtures/conformance/{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|err| panic!("{path}: {err}"))
}

fn json(path: &str) -> Json {
    serde_json::from_str(&read(path)).expect("JSON")
}

fn cases(path: &str) -> Vec<Case> {
    let text = |json: &Json| json.as_str().expect("a text").to_owned();
    let case = |case: &Json| Case {
        args: case["args"].as_array().expect("arguments").iter().map(text).collect(),
        succeeded: case["code"] == 0,
        stdout: text(&case["stdout"]),
        now: text(&case["now"]).parse().expect("a moment"),
    };
    json(path).as_array().expect("cases").iter().map(case).collect()
}

#[test]
fn the_objects_of_a_cluster_are_shown_as_kubectl_shows_them() {
    let dump = json("dump.json");
    let objects = dump["items"].as_array().expect("items");
    let mut kinds = HashSet::new();
    for case in cases("get.json") {
        let Some(asked) = recorded(&case) else { continue };
        kinds.insert((asked.group, asked.kind));
        // The time was recorded before the command ran.
        let later = |seconds| case.now + SignedDuration::from_secs(seconds);
        let answers = [0, 1, 2].map(|seconds| printed(&asked, objects, later(seconds)));
        assert!(
            answers.contains(&asked.table),
            "{:?}\nkubectl: {:#?}\nwe: {:#?}",
            case.args,
            asked.table,
            answers[0]
        );
    }
    let all: HashSet<_> = TYPES.iter().map(|&(_, group, kind)| (group, kind)).collect();
    assert_eq!(kinds, all);
}

#[test]
fn bare_manifests_are_shown_as_kubectl_shows_them_once_applied() {
    let files = ["00-cluster-scoped", "10-workloads", "20-pods", "30-network-config", "40-custom"];
    let texts: Vec<String> = files.iter().map(|file| read(&format!("bare/{file}.yaml"))).collect();
    let documents = texts.iter().flat_map(|text| serde_yaml::Deserializer::from_str(text));
    let objects: Vec<Json> =
        documents.map(|document| Json::deserialize(document).expect("an object")).collect();
    let ours: HashSet<&str> =
        objects.iter().filter_map(|object| object["metadata"]["name"].as_str()).collect();

    let mut compared = 0;
    for case in cases("bare.json") {
        let Some(asked) = recorded(&case) else { continue };
        // Only the wide table has the names of events.
        let Some(name) = asked.table.header.iter().position(|column| column == "NAME") else {
            continue;
        };
        // Facts that only a server knows: when it created an object, the selector it gives to a job, and the default
        // storage class of the claim named `waiting`.
        let ages = ["AGE", "CREATED AT"];
        let known = |column: &str| !ages.contains(&column) && (asked.kind != "Job" || column != "SELECTOR");
        let comparable = |table: &Table| -> Vec<Vec<String>> {
            let rows = table.rows.iter().filter(|row| {
                let name = row[name].trim_end_matches(" (default)");
                ours.contains(name) && name != "waiting"
            });
            let cells = |row: &Vec<String>| {
                let cells = row.iter().zip(&asked.table.header).filter(|(_, column)| known(column));
                cells.map(|(cell, _)| cell.clone()).collect()
            };
            rows.map(cells).collect()
        };
        let printed = printed(&asked, &objects, case.now);
        assert_eq!(printed.header, asked.table.header, "{:?}", case.args);
        assert_eq!(comparable(&printed), comparable(&asked.table), "{:?}", case.args);
        compared += 1;
    }
    assert!(compared >= 40, "only {compared} tables were compared");
}
