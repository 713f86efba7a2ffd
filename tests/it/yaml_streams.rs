//! Whole streams as kubectl 1.32 read them: the same objects by value, and errors where kubectl has them.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

/// Streams that kselect reads differently on purpose: their objects, and the reasons.
const DIFFERENT: &[(&str, &[&str], &str)] = &[
    ("json then ---", &["x", "w"], "kubectl 1.36 reads on as YAML; the recording is of 1.32"),
    ("seq doc", &["x"], "dumps have lists of objects at the top"),
];

/// Streams with an error whose other documents are still read, where kubectl drops the rest: their names.
const READ_ON: &[(&str, &[&str])] = &[("--- in block scalar col0", &["x"]), ("%YAML directive", &["x"])];

#[test]
fn streams_are_read_as_kubectl_reads_them() {
    let recorded: Value = serde_json::from_str(include_str!("../../fixtures/conformance/yaml.json")).unwrap();
    let streams = recorded["docs"].as_array().unwrap();
    let differences: Vec<String> = streams.iter().filter_map(|stream| check(stream).err()).collect();
    assert_eq!(streams.len(), 44);
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// Compares one stream's objects and whether it has an error.
fn check(stream: &Value) -> Result<(), String> {
    let (name, text) = (stream["name"].as_str().unwrap(), stream["yaml"].as_str().unwrap());
    let (succeeded, objects, stderr) = read(text);
    let names =
        || objects.iter().map(|object| object["metadata"]["name"].as_str().unwrap_or("")).collect::<Vec<_>>();
    let fails = stream["code"] != 0;
    let difference = |what: &str| Err(format!("--- {name}: {what}\n{text}\n{}{stderr}", json!(objects)));
    if let Some((_, expected, why)) = DIFFERENT.iter().find(|(different, ..)| *different == name) {
        return if succeeded && names() == *expected { Ok(()) } else { difference(why) };
    }
    if fails == succeeded {
        return difference(if fails { "kubectl fails" } else { "kubectl succeeds" });
    }
    let same = match READ_ON.iter().find(|(damaged, _)| *damaged == name) {
        Some((_, expected)) => names() == *expected,
        None => {
            let expected = stream["json"].as_array().map_or(&[][..], Vec::as_slice);
            without_empty_labels(&objects) == without_empty_labels(expected)
        }
    };
    if same { Ok(()) } else { difference("other objects") }
}

/// The objects without empty labels: the recorder rewrote the labels of all objects, as `{}` if there were none, or
/// only nulls.
fn without_empty_labels(objects: &[Value]) -> Vec<Value> {
    let mut objects = objects.to_vec();
    for metadata in objects.iter_mut().filter_map(|object| object["metadata"].as_object_mut()) {
        let is_empty = match metadata.get("labels") {
            Some(Value::Object(labels)) => labels.values().all(Value::is_null),
            labels => labels.is_some_and(Value::is_null),
        };
        if is_empty {
            metadata.remove("labels");
        }
    }
    objects
}

/// Whether kselect succeeds, the objects it prints, and its messages.
fn read(text: &str) -> (bool, Vec<Value>, String) {
    let mut process = crate::environment::kselect()
        .args(["get", "-q", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kselect runs");
    process.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("kselect reads its input");
    let output = process.wait_with_output().expect("kselect ends");
    let list: Value = serde_json::from_slice(&output.stdout).expect("a List from standard input");
    let objects = list["items"].as_array().expect("items").clone();
    (output.status.success(), objects, String::from_utf8_lossy(&output.stderr).into_owned())
}
