//! Contents of documents are not shown: messages and findings name keys and lines, never values. Only a syntax error
//! shows the line concerned.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::thread;

use serde::Deserialize;
use serde_yaml::{Mapping, Value};

use crate::support::Kselect;

/// The text that must not appear. It is not a label or a name, which identify objects.
const SECRET: &str = "s3cret, to nobody!";

/// Runs that may print a message about any document.
const RUNS: &[&[&str]] = &[
    &["get"],
    &["get", "-o", "wide", "--show-labels"],
    &["get", "-o", "yaml", "-l", "app=web"],
    &["get", "-o", "json", "--validate=strict"],
    &["get", "--validate=warn", "-L", "app"],
    &["get", "--sort-by", ".spec.replicas"],
    &["get", "--field-selector", "metadata.name=full"],
    &["get", "pods", "--field-selector", "spec.nodeName=a,status.phase!=Running"],
    &["get", "--where", "spec.replicas > 1 && labels.app.matches('w')"],
    &["get", "--where", "quantity(spec.x).sign() == 1 || spec.replicas / 0 == 1"],
    &["get", "--where", "object.metadata.annotations.x.matches(object.spec.x)"],
    &["get", "-o", "jsonpath={.items[*].spec[?(@.x==1)]}"],
    &["get", "-o", "jsonpath={.items[*].metadata.labels[0]}"],
    &["get", "-o", "custom-columns=A:.spec.replicas,B:.metadata.labels[?(@.a)]"],
    &["get", "--selects", "pod/full"],
    &["get", "--selected-by", "deployments/full"],
    &["get", "--selected-by", "networkpolicies/full"],
    &["get", "--owned-by", "deployments/full"],
    &["get", "nodes", "--fits", "pods/full"],
    &["get", "--why", "no/such"],
    &["label", "app=other"],
    &["label", "app=other", "--templates", "--selectors", "--overwrite", "--diff"],
    &["label", "app-", "--dry-run=client"],
    &["annotate", "note=other", "x=y"],
    &["annotate", "note=other", "--list"],
    &["check"],
    &["check", "--advice", "-o", "json"],
    &["check", "--advice", "-o", "sarif"],
    &["api-resources"],
    &["selector"],
    &["count", "--by", "namespace,.spec.replicas,STATUS"],
    &["count", "-L", "app", "-o", "json"],
    &["tree"],
    &["split", "-d", "out", "--dry-run"],
    &["diff", "1"],
    &["diff", "1", "-o", "json", "--ignore", ".spec.replicas"],
    &["label", "app=other", "--validate", "--overwrite"],
];

/// How a run gets its input.
fn with_input<'a>(run: &[&'a str], input: &'a str) -> Vec<&'a str> {
    match run {
        ["diff", other, flags @ ..] => [&["diff", other, input], flags].concat(),
        _ => [run, &["-f", input]].concat(),
    }
}

/// Documents of every kind with labels and annotations, and of shapes that have no kind at all.
fn documents() -> Vec<Value> {
    let mut texts: Vec<String> = Vec::new();
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kinds");
    let mut files: Vec<_> = fs::read_dir(kinds).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "yaml")) {
        texts.push(fs::read_to_string(file).unwrap());
    }
    texts.push(OTHERS.to_owned());
    let documents = texts.iter().flat_map(|text| serde_yaml::Deserializer::from_str(text));
    let mut documents: Vec<Value> =
        documents.map(|document| Value::deserialize(document).expect("YAML")).collect();
    for document in &mut documents {
        let metadata = document.get_mut("metadata").and_then(Value::as_mapping_mut);
        let Some(metadata) = metadata else { continue };
        let map = |key: &str, value: &str| Value::Mapping(Mapping::from_iter([(key.into(), value.into())]));
        metadata.entry("labels".into()).or_insert_with(|| map("app", "web"));
        metadata.entry("annotations".into()).or_insert_with(|| map("note", "a"));
    }
    documents
}

const OTHERS: &str = "\
password: a
---
a: {b: [c, {d: e}]}
---
[a, {b: c}]
---
a
---
apiVersion: v1
metadata: {name: full}
data: {a: b}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: full}}
- {kind: Pod, metadata: {name: full}}
- {data: {a: b}}
- a
---
apiVersion: v1
kind: PodList
items: [{metadata: {name: full}, spec: {a: b}}]
---
matchLabels: {a: b}
matchExpressions: [{key: a, operator: In, values: [b]}]
---
{a: b}
";

/// The positions of values, each as the keys and numbers that lead to it.
fn places(value: &Value, path: &[Value], found: &mut Vec<Vec<Value>>) {
    let mut below = |step: Value, value: &Value| places(value, &[path, &[step]].concat(), found);
    match value {
        Value::Mapping(map) => map.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Sequence(items) => items.iter().enumerate().for_each(|(at, item)| below(at.into(), item)),
        _ => (),
    }
    found.push(path.to_vec());
}

fn at<'v>(value: &'v mut Value, path: &[Value]) -> &'v mut Value {
    path.iter().fold(value, |value, step| match value {
        Value::Sequence(items) => &mut items[step.as_u64().unwrap() as usize],
        other => other.get_mut(step).unwrap(),
    })
}

/// Whether this is the name of an object, or an expression of a policy, of which messages show the line with an error of
/// syntax.
fn is_shown(path: &[Value]) -> bool {
    let ends = |end: &[&str]| {
        path.len() >= end.len()
            && path[path.len() - end.len()..].iter().zip(end).all(|(a, b)| a.as_str() == Some(b))
    };
    let names = [&["kind"][..], &["apiVersion"], &["metadata", "name"], &["metadata", "namespace"]];
    let expressions = [&["expression"][..], &["messageExpression"]];
    names.iter().chain(&expressions).any(|end| ends(end)) || ends(&["metadata", "generateName"])
}

/// The field at a path, which has the same meaning in all items of a list, and below `metadata` also in all kinds.
fn field(document: &Value, path: &[Value]) -> (Value, Vec<Value>) {
    let step = |step: &Value| if step.is_string() { step.clone() } else { Value::Null };
    let field: Vec<Value> = path.iter().map(step).collect();
    let is_of_all = field.len() > 1 && field[0] == "metadata";
    let kind = if is_of_all { Value::Null } else { document.get("kind").cloned().unwrap_or_default() };
    (kind, field)
}

/// Values with the secret in place of another one.
fn secrets() -> [Value; 4] {
    let secret = || Value::from(SECRET);
    let map = |key: &str| Value::Mapping(Mapping::from_iter([(key.into(), secret())]));
    [secret(), map("x"), Value::Sequence(vec![secret()]), Value::Sequence(vec![map("name")])]
}

/// Checks that no run shows any of the secrets in a directory in which each file has one.
#[test]
fn no_value_is_ever_in_a_message_or_a_finding() {
    let host = Kselect::new([]);
    let (mut number, mut fields) = (0, HashSet::new());
    for document in documents() {
        let mut found = Vec::new();
        places(&document, &[], &mut found);
        for path in found.iter().filter(|path| !is_shown(path)) {
            if document.is_mapping() && !fields.insert(field(&document, path)) {
                continue;
            }
            for (shape, secret) in secrets().into_iter().enumerate() {
                let mut document = document.clone();
                *at(&mut document, path) = secret;
                let text = match number % 2 {
                    0 => serde_yaml::to_string(&document).unwrap(),
                    _ => serde_json::to_string(&document).unwrap(),
                };
                fs::create_dir_all(host.path().join(shape.to_string())).unwrap();
                fs::write(host.path().join(format!("{shape}/{number}.yaml")), text).unwrap();
                number += 1;
            }
        }
    }
    assert!(number > 3_000, "{number}");
    // The last of the long tests: its runs are spread over the processors.
    thread::scope(|scope| {
        for input in ["0", "1", "2", "3"] {
            let directory = host.path();
            scope.spawn(move || RUNS.iter().for_each(|run| check_silent(run, input, directory)));
        }
    });
}

/// Checks that a run shows none of the secrets of `input`, a directory in `directory`.
fn check_silent(run: &[&str], input: &str, directory: &Path) {
    let output = Kselect::new(with_input(run, input)).current_dir(directory).run();
    let said = String::from_utf8_lossy(&output.stderr);
    let shown = if run[0] == "check" { String::from_utf8_lossy(&output.stdout) } else { "".into() };
    let told: Vec<&str> = said.lines().chain(shown.lines()).filter(|line| line.contains("s3cret")).collect();
    assert_eq!(told.first(), None, "{} of {run:?}", told.len());
    assert!(!said.contains("panicked"), "{run:?}: {said}");
}

/// The maximum number of characters of a document or argument in a message.
const WIDTH: usize = 170;

#[test]
fn the_line_of_an_error_of_syntax_is_cut() {
    let long = "x".repeat(300_000);
    for text in [
        format!("a: b: {long}\n"),
        format!("kind: Pod\nspec: \"{long}\n"),
        format!("--- {long}\nkind: Pod\n"),
        format!("{{\"a\": \"{long}\" \"b\"}}"),
        format!("*{long}\n"),
    ] {
        let output = Kselect::get([]).stdin(text).run();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: "), "{said}");
        let longest = said.lines().map(|line| line.matches('x').count()).max();
        assert!(longest < Some(WIDTH) && said.len() < 1000, "{said}");
    }
}

#[test]
fn arguments_are_cut() {
    let long = "x".repeat(100_000);
    for args in [
        vec!["get", "-l", &format!("a in ({long}")],
        vec!["get", "-l", &format!("a={long}")],
        vec!["get", "--field-selector", &long],
        vec!["get", "--where", &format!("{long} &&")],
        vec!["get", "--where", &format!("spec.{} == ", &long[..8000])],
        vec!["get", "-o", &long],
        vec!["get", "-o", &format!("jsonpath={{{long}")],
        vec!["get", &long],
        vec!["get", &format!("pods/{long}")],
        vec!["label", &format!("a={long}")],
        vec!["label", &format!("{long}=a")],
        vec!["selector", &format!("a={long}!")],
        vec!["check", "--disable", &long],
    ] {
        let output = Kselect::new(args.iter().copied()).stdin("kind: Pod\napiVersion: v1\n").run();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: ") && said.len() < 5000, "{} {:?}", said.len(), &args[..2]);
    }
}

#[test]
fn the_value_of_an_annotation_is_not_shown_where_it_may_not_be_overwritten() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    note: s3cret\n";
    Kselect::new(["annotate", "note=b"])
        .stdin(pod)
        .status(1)
        .stderr(
            "error: STDIN:6 (document 1): --overwrite is false but found the following declared annotation(s): 'note' \
             already has a value\n",
        )
        .prints_nothing();
}
