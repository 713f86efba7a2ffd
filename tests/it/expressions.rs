//! `--where`: selection by expressions, their errors, and combinations with other flags.

use crate::support::Kselect;

const MANIFESTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {team: shop}}
spec: {replicas: 3, template: {spec: {containers: [{name: c, image: 'nginx:1.25'}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, labels: {app: api}}
spec: {replicas: 1, template: {spec: {containers: [{name: c, image: 'registry.example/api:2'}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {replicas: many, memory: 2Gi}
";

#[track_caller]
fn check(args: &[&str], status: i32, stdout: &str, stderr: &str) {
    let args = ["-o", "name"].iter().chain(args).copied();
    Kselect::get(args).stdin(MANIFESTS).status(status).stderr(stderr).prints(stdout);
}

#[test]
fn objects_are_selected_by_any_field() {
    check(&["--where", "spec.replicas > 2"], 0, "deployment.apps/web\n", "");
    check(&["--where", "annotations.team == 'shop'"], 0, "deployment.apps/web\n", "");
    let image = "spec.template.spec.containers.exists(c, !c.image.startsWith('registry.example/'))";
    check(&["--where", image], 0, "deployment.apps/web\n", "");
    let memory = "quantity(object.data.memory).isGreaterThan(quantity('1500Mi'))";
    check(&["--where", memory], 0, "configmap/settings\n", "");
}

#[test]
fn all_expressions_and_selectors_must_hold() {
    check(&["--where", "has(spec.replicas)", "--where", "spec.replicas < 2"], 0, "deployment.apps/api\n", "");
    check(&["-l", "app", "--where", "labels.app != 'web'"], 0, "deployment.apps/api\n", "");
    check(&["configmap", "--where", "kind != 'Secret'"], 0, "configmap/settings\n", "");
}

#[test]
fn objects_without_the_field_match_only_inverted() {
    let inverted = "deployment.apps/api\nconfigmap/settings\n";
    check(&["--invert-match", "--where", "spec.replicas > 2"], 0, inverted, "");
}

#[test]
fn an_expression_that_makes_no_sense_for_an_object_is_an_error_of_that_object() {
    let error = "error: STDIN:11 (document 3): --where \"object.data.replicas > 2\": found no matching overload for \
                 '_>_' applied to '(string, int)'\n";
    check(&["--where", "object.data.replicas > 2"], 1, "", error);
    check(
        &["--invert-match", "--where", "object.data.replicas > 2"],
        1,
        "deployment.apps/web\ndeployment.apps/api\n",
        error,
    );
}

#[test]
fn an_expression_that_is_not_a_condition_is_an_error() {
    let error = "error: STDIN:11 (document 3): --where \"object.data.memory\": it is not a condition: its value is of type string\n";
    check(&["configmap", "--where", "object.data.memory"], 1, "", error);
}

#[test]
fn a_malformed_expression_is_a_usage_error_that_says_where() {
    let error = "error: the expression \"kind == 'Pod' and spec\" is not valid: unexpected 'and'\n \
                 |\n | kind == 'Pod' and spec\n |               ^\nhint: conditions are joined by &&\n";
    check(&["--where", "kind == 'Pod' and spec"], 2, "", error);
}

#[test]
fn an_unknown_name_is_a_usage_error() {
    let error = "error: the expression \"Spec.replicas > 1\" is not valid: unknown variable \"Spec\"; there are object, \
                 metadata, spec, status, kind, apiVersion, labels, annotations\n |\n | Spec.replicas > 1\n | ^^^^\n";
    check(&["--where", "Spec.replicas > 1"], 2, "", error);
}

#[test]
fn labels_are_changed_where_expressions_hold() {
    let args = ["label", "--where", "spec.replicas > 2", "tier=fe", "-o", "name"];
    Kselect::new(args).stdin(MANIFESTS).prints("deployment.apps/web\n");
}

#[test]
fn nothing_is_changed_where_expressions_fail() {
    let args = ["label", "--where", "object.data.replicas > 2", "tier=fe"];
    let error = "error: STDIN:11 (document 3): --where \"object.data.replicas > 2\": found no matching overload for \
                 '_>_' applied to '(string, int)'\n";
    Kselect::new(args).stdin(MANIFESTS).status(1).stderr(error).prints(MANIFESTS);
}

#[test]
fn a_field_that_field_selectors_do_not_have_is_left_to_expressions() {
    let error = "error: configmaps: \"data.memory\" is not a known field selector: only \"metadata.name\", \
                 \"metadata.namespace\"\nhint: configmaps can be selected by metadata.name, metadata.namespace; or use \
                 --where\n";
    check(&["configmap", "--field-selector", "data.memory=2Gi"], 1, "", error);
}
