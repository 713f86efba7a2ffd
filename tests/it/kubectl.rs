//! Compares how kselect and the kubectl on the PATH read generated manifests, if `KSELECT_KUBECTL=1` is set. Each
//! manifest is a file, and one call of kubectl reads all of them.

use std::collections::HashMap;
use std::env;
use std::fmt::Write as _;
use std::process::Command;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};

use crate::support::{self, Kselect};

/// The number of manifests.
const MANIFESTS: usize = 400;

/// Values and lines that have a meaning in YAML, or seem to.
const TEXTS: &[&str] = &[
    "web",
    "'q'",
    "\"q\"",
    "a b",
    "\"x",
    "'x",
    "x\"",
    "- x",
    "- \"x",
    "- |",
    "|",
    "|-",
    ">",
    ">-",
    ">2",
    ">1-",
    "|+2",
    "|# c",
    "\tx",
    "x\t",
    "x\t# c",
    "x # c",
    "x#c",
    "{a: b}",
    "{a: b,",
    "c: d}",
    "[a,",
    "b]",
    "{}",
    "'a''b'",
    "&a x",
    "*a",
    "!!str 1",
    "1",
    "yes",
    "~",
    "",
    "'",
    "# c",
    "k: v",
    "k:",
    "- k: v",
    "-",
    "? x",
    "%YAML 1.1",
    "x: y",
    "\"k\": v",
    "'k': |",
    "close\" # c",
    "---x",
    "...",
    "\t",
    "\t# c",
    "  \t",
];

/// Lines below a key at `column`, at that column or deeper.
fn lines(column: usize, most: usize) -> impl Strategy<Value = String> {
    let start = select(&["", "k: ", "l: ", "- ", "- k: "][..]);
    let line = (0..7_usize, start, select(TEXTS));
    prop::collection::vec(line, 0..most).prop_map(move |lines| {
        lines.into_iter().fold(String::new(), |mut text, (deeper, start, end)| {
            let _ = writeln!(text, "{:1$}{start}{end}", "", (column + deeper).saturating_sub(1));
            text
        })
    })
}

/// A ConfigMap with this name, possibly as an item of a List.
fn manifest(name: String) -> impl Strategy<Value = String> {
    let metadata =
        (lines(4, 3), select(&["", "\t", "\t# c", " # c"][..])).prop_map(move |(annotations, end)| {
            format!("metadata:\n  name: {name}\n  annotations:\n{annotations}  labels:\n    app: web{end}\n")
        });
    let data = lines(2, 5).prop_map(|lines| format!("data:\n{lines}"));
    let parts = (metadata, data).prop_flat_map(|(metadata, data)| {
        Just(vec!["apiVersion: v1\nkind: ConfigMap\n".to_owned(), metadata, data]).prop_shuffle()
    });
    (parts, prop_oneof![Just(None), select(&[0, 2, 62, 64][..]).prop_map(Some)]).prop_map(
        |(parts, column)| {
            let text = parts.concat();
            let Some(column) = column else { return text };
            let items = text.lines().enumerate().map(|(number, line)| {
                format!("{:column$}{}{line}\n", "", if number == 0 { "- " } else { "  " })
            });
            format!("apiVersion: v1\nkind: List\nitems:\n{}", items.collect::<String>())
        },
    )
}

#[test]
fn kubectl_reads_the_same_values() {
    if env::var_os("KSELECT_KUBECTL").is_none_or(|asked| asked != "1") {
        support::not_run("KSELECT_KUBECTL is not 1");
        return;
    }
    let seed = env::var("KSELECT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut runner = TestRunner::new(Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() });
    let mut texts = Vec::new();
    // The files are in its directory.
    let mut kselect = Kselect::get([]);
    for number in 0..MANIFESTS {
        let text = manifest(format!("n{number}")).new_tree(&mut runner).expect("a manifest").current();
        kselect = kselect.file(&format!("n{number}.yaml"), &text);
        texts.push(text);
    }
    let mut kubectl = Command::new("kubectl");
    kubectl.args(["label", "--local", "--dry-run=client", "-o", "json", "none-"]).current_dir(kselect.path());
    for number in 0..MANIFESTS {
        kubectl.args(["-f", &format!("n{number}.yaml")]);
    }
    let expected = values(&kubectl.output().expect("kubectl on the PATH").stdout);
    assert!(expected.len() > MANIFESTS / 10, "kubectl reads {} of {MANIFESTS}", expected.len());
    let mut differences = String::new();
    for (number, text) in texts.iter().enumerate() {
        let name = format!("n{number}");
        let Some(expected) = expected.get(&name) else { continue };
        let found = values(&Kselect::get(["-o", "json"]).stdin(text).run().stdout);
        let names = Kselect::get(["-o", "name", "-l", "app=web"]).stdin(text).run().stdout;
        let labelled = expected["metadata"]["labels"]["app"] == "web";
        if found.get(&name) != Some(expected) || names.is_empty() == labelled {
            let _ = writeln!(
                differences,
                "--- seed {seed}, kubectl reads {expected}, kselect {found:?}:\n{text}"
            );
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// The objects of a JSON stream, by name.
fn values(stream: &[u8]) -> HashMap<String, Value> {
    let values = serde_json::Deserializer::from_slice(stream).into_iter::<Value>().map_while(Result::ok);
    let objects = values.flat_map(|value| match value["items"].as_array() {
        Some(items) => items.clone(),
        None => vec![value],
    });
    let named = objects.map(|mut object| {
        // `kubectl label` leaves an empty map where there was none.
        if object["metadata"]["labels"] == json!({}) || object["metadata"]["labels"].is_null() {
            object["metadata"].as_object_mut().map(|metadata| metadata.remove("labels"));
        }
        (object["metadata"]["name"].as_str().unwrap_or_default().to_owned(), object)
    });
    named.collect()
}
