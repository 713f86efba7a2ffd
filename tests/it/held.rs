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
