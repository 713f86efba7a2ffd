//! `.kselect.yaml`: settings for a directory.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::environment;
use crate::support::{Kselect, without_summary};

/// A Service that selects nothing beside a pod.
fn service(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: other}}}}\nspec: {{containers: [{{name: a, image: a}}]}}\n"
    )
}

/// Status, output and messages of a run in a directory of a repository with this `.kselect.yaml`. Standard input is closed.
fn run(config: &str, directory: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let repository = Kselect::new([])
        .directory("repository/.git")
        .file("repository/.kselect.yaml", config)
        .file("repository/k8s/deep/new.yaml", service("new"))
        .file("repository/k8s/legacy/old.yaml", service("old"))
        .file("repository/schemas/shops.yaml", "")
        .file("outside.yaml", service("outside"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_kselect"));
    environment::fix(&mut command);
    let output = command
        .args(args)
        .current_dir(repository.path().join("repository").join(directory))
        .stdin(Stdio::null())
        .output()
        .expect("kselect runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), without_summary(&text(output.stderr)))
}

#[track_caller]
fn check(config: &str, directory: &str, args: &[&str], expected: (i32, &str, &str)) {
    let (status, stdout, stderr) = run(config, directory, args);
    assert_eq!((status, &*stdout, &*stderr), (Some(expected.0), expected.1, expected.2), "{args:?}");
}

const NAMES: &[&str] = &["get", "svc", "-o", "name"];
const OLD: &str =
    "legacy/old.yaml:4: warning [dangling-service] service/old: no pod of the input has the labels app=old; pod/old has app=other
";
const NEW: &str =
    "deep/new.yaml:4: warning [dangling-service] service/new: no pod of the input has the labels app=new; pod/new has app=other
";

#[test]
fn files_are_the_input_of_commands_that_have_none() {
    let config = "files: [k8s]\n";
    let both = "service/new\nservice/old\n";
    check(config, ".", NAMES, (0, both, "kselect: reading k8s, from .kselect.yaml\n"));
    check(config, "k8s/deep", NAMES, (0, both, "kselect: reading ../../k8s, from ../../.kselect.yaml\n"));
    check(config, ".", &["get", "svc", "-o", "name", "-R", "-f", "k8s/deep"], (0, "service/new\n", ""));
    check(config, ".", &["get", "svc", "-o", "name", "k8s/deep/new.yaml"], (0, "service/new\n", ""));
    let (status, _, message) = run(config, ".", &["get", "svc", "-o", "name", "--no-config"]);
    assert!(
        status == Some(0) && message == "kselect: standard input is empty; name files with -f\n",
        "{message}"
    );
}

#[test]
fn a_directory_after_a_type_is_the_input_of_commands_that_have_none() {
    check("", ".", &["get", "svc", "k8s/deep", "-o", "name"], (0, "service/new\n", ""));
    check("", "k8s", &["get", "svc", "deep", "-o", "name"], (0, "service/new\n", ""));
    check("", "k8s", &["label", "svc", "deep", "--all", "a=b", "-o", "name"], (0, "service/new\n", ""));
    // It is a NAME if there is another input.
    let missing = "kselect: reading ../k8s, from ../.kselect.yaml\nerror: services \"deep\" not found\n";
    check("files: [k8s]\n", "k8s", &["get", "svc", "deep", "-o", "name"], (1, "", missing));
}

#[test]
fn globs_are_relative_to_the_file() {
    let config = "files: [k8s]\nglobs: ['!/k8s/legacy/']\n";
    check(config, ".", NAMES, (0, "service/new\n", "kselect: reading k8s, from .kselect.yaml\n"));
    check(
        config,
        "k8s/deep",
        NAMES,
        (0, "service/new\n", "kselect: reading ../../k8s, from ../../.kselect.yaml\n"),
    );
    let flag = &["get", "svc", "-o", "name", "-g", "!deep/"];
    check(config, ".", flag, (0, "service/old\n", "kselect: reading k8s, from .kselect.yaml\n"));
}

#[test]
fn rules_hold_by_path_and_flags_replace_them() {
    let config = "files: [k8s]\ncheck:\n  fail-on: warning\n  paths:\n  - globs: [/k8s/legacy/]\n    disable: [dangling-service]\n";
    let note = "kselect: reading k8s, from .kselect.yaml\n";
    check(config, ".", &["check"], (1, &format!("k8s/{NEW}"), note));
    check(config, ".", &["check", "--fail-on", "error"], (0, &format!("k8s/{NEW}"), note));
    check(config, ".", &["check", "k8s/legacy/old.yaml"], (0, "", ""));
    check(config, "k8s/legacy", &["check", "old.yaml"], (0, "", ""));
    check(config, "k8s", &["check", "--no-config", "legacy/old.yaml"], (0, OLD, ""));

    let config =
        "check: {disable: [dangling-service], paths: [{globs: ['*.yaml'], only: [dangling-service]}]}";
    check(config, "k8s", &["check", "legacy/old.yaml"], (0, "", ""));
    check(config, "k8s", &["check", "legacy/old.yaml", "--disable", "invalid-name"], (0, OLD, ""));
    check(config, "k8s", &["check", "legacy/old.yaml", "--only", "dangling-service"], (0, OLD, ""));
    check(config, "k8s", &["check", "legacy/old.yaml", "--only", "invalid-name"], (0, "", ""));
}

#[test]
fn a_baseline_holds_in_all_directories() {
    let known = "[{\"file\": \"k8s/legacy/old.yaml\", \"id\": \"dangling-service\", \"kind\": \"service\", \"namespace\": \"default\", \
                 \"name\": \"old\", \"message\": \"no pod of the input has the labels app=old\"}]";
    let repository = Kselect::new([])
        .directory(".git")
        .file(".kselect.yaml", "files: [k8s]\ncheck: {baseline: known.json}\n")
        .file("known.json", known)
        .file("k8s/legacy/old.yaml", service("old"));
    for (directory, up) in [(".", ""), ("k8s", "../")] {
        let output = environment::kselect()
            .arg("check")
            .current_dir(repository.path().join(directory))
            .stdin(Stdio::null())
            .output()
            .expect("kselect runs");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            format!(
                "kselect: reading {up}k8s, from {up}.kselect.yaml\nchecked 2 objects in 1 file: no findings; left out: 1 finding of the baseline\n"
            )
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    }
}

#[test]
fn the_release_is_that_of_check_validation_and_api_resources() {
    let config = "kubernetes: 1.25\n";
    let (_, kinds, _) = run(config, ".", &["api-resources", "-o", "name", "k8s/deep/new.yaml"]);
    assert!(!kinds.contains("validatingadmissionpolicies"), "{kinds}");
    let flag = ["api-resources", "-o", "name", "--kubernetes", "1.37"];
    let (_, kinds, _) = run(config, ".", &flag);
    assert!(kinds.contains("validatingadmissionpolicies"), "{kinds}");
}

#[test]
fn errors_show_the_line() {
    let message = "\
error: .kselect.yaml:2: check: unknown key \"dissable\"
  |
2 |   dissable: [dangling-service]
  |   ^^^^^^^^
hint: did you mean disable?
";
    check("check:\n  dissable: [dangling-service]\n", ".", NAMES, (2, "", message));
    check("nonsense: [", ".", &["selector", "app=web"], (0, "app=web\n", ""));
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_outside() {
    let repository = Kselect::new([])
        .directory("repository/.git")
        .file("repository/.kselect.yaml", "files: [link.yaml]\n")
        .file("outside.yaml", service("outside"));
    let directory = repository.path().join("repository");
    std::os::unix::fs::symlink("../outside.yaml", directory.join("link.yaml")).expect("a link");
    Kselect::get([])
        .current_dir(&directory)
        .status(2)
        .stderr("error: .kselect.yaml: \"link.yaml\" is outside the directory of .kselect.yaml\n")
        .prints_nothing();
}

#[test]
fn above_a_directory_outside_of_a_repository_nothing_is_read() {
    let place = tempfile::tempdir().expect("a directory");
    fs::create_dir(place.path().join("below")).expect("a directory");
    fs::write(place.path().join(".kselect.yaml"), "nonsense: 1\n").expect("a file");
    Kselect::get(["-o", "name"])
        .stdin("")
        .current_dir(&place.path().join("below"))
        .stderr("kselect: standard input is empty; name files with -f\n")
        .prints_nothing();
}

/// The keys that a part of the schema has, by the key that leads to it.
fn schema_keys(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().expect("properties").keys().cloned().collect()
}

/// The keys that the reader knows, from its hint about an unknown one.
fn known_keys(config: &str) -> BTreeSet<String> {
    let (_, _, message) = run(config, ".", NAMES);
    let (_, hint) = message.split_once("hint: the keys are ").unwrap_or_else(|| panic!("{message}"));
    let (keys, _) = hint.split_once("; see").expect("the end of the keys");
    keys.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_schema_and_the_help_say_what_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(root.join("docs/config.schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let of_check = &schema["properties"]["check"];
    let of_path = &of_check["properties"]["paths"]["items"];
    for (part, config) in
        [(&schema, "zzzzzz: 1"), (of_check, "check: {zzzzzz: 1}"), (of_path, "check: {paths: [{zzzzzz: 1}]}")]
    {
        assert_eq!(schema_keys(part), known_keys(config));
        assert_eq!(part["additionalProperties"], false);
    }
    let rules: Vec<&str> = kselect_core::check::all_rules().map(|rule| rule.id).collect();
    assert_eq!(schema["$defs"]["rule"]["enum"], serde_json::json!(rules));

    // The example of the help has all keys, and can be read.
    let help = String::from_utf8(Kselect::new(["help", "config"]).run().stdout).expect("UTF-8");
    let (_, rest) = help.split_once("All keys are optional:\n").expect("the example");
    let lines = rest.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
    let example: String = lines.map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(""))).collect();
    let value: Value = serde_yaml::from_str(&example).expect("YAML");
    let keys = |value: &Value| value.as_object().expect("a map").keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&value), schema_keys(&schema));
    assert_eq!(keys(&value["check"]), schema_keys(of_check));
    assert_eq!(keys(&value["check"]["paths"][0]), schema_keys(of_path));
    let (status, _, message) = run(&example, ".", &["get", "-R", "-f", "k8s", "-o", "name"]);
    assert_eq!((status, &*message), (Some(0), ""));
}
