//! `kselect get --validate`, as a user sees it.

use crate::support::Kselect;

#[track_caller]
fn check(args: &[&str], stdin: &str, (status, stdout, stderr): (i32, &str, &str)) {
    let args = ["-o", "name"].iter().chain(args).copied();
    Kselect::get(args).stdin(stdin).status(status).stderr(stderr).prints(stdout);
}

/// A Service that is as it should be and a ConfigMap with a key that is there twice.
const INPUT: &str = "\
apiVersion: v1
kind: Service
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: bad}
data:
  a: 1
  a: 2
";

const FINDING: &str = "STDIN:10 (document 2): key \"a\" already set in map\n";

#[test]
fn strict_makes_errors_and_leaves_objects_out() {
    let expected = (1, "service/good\n", &*format!("error: {FINDING}"));
    check(&["--validate"], INPUT, expected);
    check(&["--validate=strict"], INPUT, expected);
    check(&["--validate=true"], INPUT, expected);
}

#[test]
fn warn_tells_and_keeps_objects() {
    let expected = (0, "service/good\nconfigmap/bad\n", &*format!("warning: {FINDING}"));
    check(&["--validate=warn"], INPUT, expected);
}

#[test]
fn ignore_is_the_default() {
    let expected = (0, "service/good\nconfigmap/bad\n", "");
    check(&[], INPUT, expected);
    check(&["--validate=ignore"], INPUT, expected);
    check(&["--validate=false"], INPUT, expected);
}

#[test]
fn other_words_are_refused() {
    let error = "error: invalid value 'maybe' for '--validate[=<HOW>]'\n  [possible values: strict, warn, ignore]\n\n\
                 For more information, try '--help'.\n";
    check(&["--validate=maybe"], INPUT, (2, "", error));
}

#[test]
fn objects_that_are_not_selected_are_checked_too() {
    check(&["--validate", "services"], INPUT, (1, "service/good\n", &format!("error: {FINDING}")));
}

#[test]
fn a_body_that_is_not_looked_at_otherwise_is_parsed() {
    let broken = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: [\n";
    check(&[], broken, (0, "configmap/a\n", ""));
    let error = "error: STDIN:6 (document 1): error converting YAML to JSON: yaml: unclosed bracket '['\n  |\n\
                 6 |   b: [\n  |      ^\n";
    check(&["--validate=warn"], broken, (1, "", error));
}

#[test]
fn fields_that_a_definition_in_the_input_does_not_know_are_found() {
    let input = "\
apiVersion: shop.example.com/v1
kind: Widget
metadata: {name: a}
spec:
  colour: red
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";
    check(
        &["--validate=warn", "-f", "-", "--exclude", "crd"],
        input,
        (0, "widget.shop.example.com/a\n", "warning: STDIN:5 (document 1): unknown field \"spec.colour\"\n"),
    );
}

#[test]
fn an_openapi_document_is_no_object_and_no_error() {
    let schemas = r#"{"openapi": "3.0.0", "components": {"schemas": {"Gizmo": {
        "x-kubernetes-group-version-kind": [{"group": "shop.example.com", "version": "v1", "kind": "Gizmo"}],
        "x-kubernetes-selectable-fields": [{"fieldPath": "spec.size"}]}}}}"#;
    let gizmo = |name, size| {
        format!(
            r#"{{"apiVersion": "shop.example.com/v1", "kind": "Gizmo", "metadata": {{"name": "{name}"}},
            "spec": {{"size": {size}}}}}"#
        )
    };
    let input = [schemas, &gizmo("small", 1), &gizmo("large", 2)].concat();
    let select = ["gizmos", "--field-selector", "spec.size=2"];
    check(&[&select[..], &["--validate"]].concat(), &input, (0, "gizmo.shop.example.com/large\n", ""));
}
