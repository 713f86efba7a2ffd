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
    check(&["--where", "spec.?replicas.orValue(1) > 2"], 0, "deployment.apps/web\n", "");
    check(&["--where", "annotations.?team.orValue('') == 'shop'"], 0, "deployment.apps/web\n", "");
    let image = "spec.template.spec.containers.exists(c, !c.image.startsWith('registry.example/'))";
    check(&["deploy", "--where", image], 0, "deployment.apps/web\n", "");
    let memory = "quantity(object.data.memory).isGreaterThan(quantity('1500Mi'))";
    check(&["cm", "--where", memory], 0, "configmap/settings\n", "");
}

#[test]
fn all_expressions_and_selectors_must_hold() {
    check(&["--where", "has(spec.replicas)", "--where", "spec.replicas < 2"], 0, "deployment.apps/api\n", "");
    check(&["-l", "app", "--where", "labels.app != 'web'"], 0, "deployment.apps/api\n", "");
    check(&["configmap", "--where", "kind != 'Secret'"], 0, "configmap/settings\n", "");
}

/// The note about objects that an expression has no answer for.
fn left_out(objects: &str, text: &str, reasons: &str) -> String {
    format!("left out {objects} for which --where \"{text}\" cannot be evaluated ({reasons}\n")
}

#[test]
fn objects_that_lack_a_field_are_neither_selected_nor_passed_over_in_silence() {
    let note =
        left_out("1 object", "spec.replicas > 2", "no spec.replicas); write spec.?replicas.orValue(...)");
    let expression = ["--where", "spec.replicas > 2"];
    check(&expression, 0, "deployment.apps/web\n", &format!("kselect: {note}"));
    let [flag, text] = expression;
    check(&[flag, text, "--invert-match"], 0, "deployment.apps/api\n", &format!("kselect: {note}"));
    check(&[flag, text, "-e"], 1, "deployment.apps/web\n", &format!("error: {note}"));
    check(&[flag, text, "-e", "-q"], 1, "deployment.apps/web\n", &format!("error: {note}"));
    // Written so that the field may be missing, it has an answer for all.
    check(&[flag, "spec.?replicas.orValue(1) > 2", "-e"], 0, "deployment.apps/web\n", "");
}

#[test]
fn an_object_that_another_condition_leaves_out_needs_no_answer() {
    check(&["-l", "app", "--where", "spec.replicas > 2"], 0, "deployment.apps/web\n", "");
    let both = ["--where", "spec.replicas > 2", "--where", "kind == 'Deployment'"];
    check(&both, 0, "deployment.apps/web\n", "");
}

#[test]
fn a_field_whose_parent_is_missing_is_missing() {
    let limits = "spec.template.spec.containers.exists(c, !has(c.resources.limits))";
    let deployments = "deployment.apps/web\ndeployment.apps/api\n";
    check(&["deploy", "--where", limits, "-e"], 0, deployments, "");
    check(
        &["deploy", "--where", "!has(spec.template.spec.securityContext.runAsNonRoot)", "-e"],
        0,
        deployments,
        "",
    );
    check(&["--where", "has(spec.template.spec.containers)", "-e"], 0, deployments, "");
    check(&["--where", "has(spec.template.spec.containers[0].image)", "-e"], 0, deployments, "");
    check(&["--where", "!has(spec.template.spec.containers[1].image)", "deploy", "-e"], 0, deployments, "");
}

#[test]
fn labels_and_annotations_are_empty_where_they_are_missing() {
    let unnamed = "configmap/settings\n";
    check(&["--where", "!('app' in metadata.labels)", "-e"], 0, unnamed, "");
    check(&["--where", "!('app' in object.metadata.labels)", "-e"], 0, unnamed, "");
    check(&["--where", "size(metadata.annotations) > 0", "-e"], 0, "deployment.apps/web\n", "");
    check(&["--where", "!has(metadata.labels)", "-e"], 0, unnamed, "");
    check(&["--where", "!has(metadata.labels.app)", "-e"], 0, unnamed, "");
    // A variable of a loop may have the same name.
    check(
        &["configmap", "--where", "[{'labels': 1}].all(metadata, metadata.labels == 1)", "-e"],
        0,
        unnamed,
        "",
    );
}

#[test]
fn fields_are_named_as_they_are_written() {
    let missing = |text: &str, reasons: &str| {
        let note = format!("kselect: {}", left_out("1 object", text, reasons));
        let nothing = "kselect: read 3 objects, 1 of the requested type; --why shows why none is selected\n";
        check(&["configmap", "--where", text], 0, "", &format!("{note}{nothing}"));
    };
    missing("object.data['a/b'] == ''", "no object.data['a/b']); write object.?data[?'a/b'].orValue(...)");
    missing(
        "object.spec.containers.all(c, true)",
        "no object.spec); write object.?spec.?containers.orValue([])",
    );
    missing("'a' in object.spec.list", "no object.spec); write object.?spec.?list.orValue([])");
    missing("labels.tier == 'fe'", "no labels.tier); write labels.?tier.orValue(...)");
    missing("[{'a': 1}].exists(c, c.b == 1)", "no c.b); write c.?b.orValue(...)");
    missing("[1][3] == 1", "no element 3)");
}

#[test]
fn a_wrong_type_is_reported_with_the_number_of_objects() {
    let text = "object.data.replicas > 2";
    let reasons = "2: no object.data; 1: found no matching overload for '_>_' applied to '(string, int)'); \
                   write object.?data.?replicas.orValue(...)";
    let nothing = "kselect: read 3 objects; --why shows why none is selected\n";
    let note = format!("kselect: {}{nothing}", left_out("3 objects", text, reasons));
    check(&["--where", text], 0, "", &note);
    check(&["--invert-match", "--where", text], 0, "", &note);
}

#[test]
fn an_error_of_age_is_reported_once() {
    let text = "age({'creationTimestamp': 'soon'}) > duration('1h')";
    let reasons = "Error executing function 'age': creationTimestamp is not a time)";
    let nothing = "kselect: read 3 objects; --why shows why none is selected\n";
    check(&["--where", text], 0, "", &format!("kselect: {}{nothing}", left_out("3 objects", text, reasons)));
}

#[test]
fn an_expression_that_is_not_a_condition_is_an_error() {
    let reasons = "it is not a condition: its value is of type string)";
    let error = format!("error: {}", left_out("1 object", "object.data.memory", reasons));
    check(&["configmap", "--where", "object.data.memory"], 1, "", &error);
}

#[test]
fn a_malformed_expression_is_a_usage_error_that_says_where() {
    let error = "error: the expression \"kind == 'Pod' and spec\" is not valid: unexpected 'and'\n \
                 |\n | kind == 'Pod' and spec\n |               ^\nhint: conditions are joined by &&\n";
    check(&["--where", "kind == 'Pod' and spec"], 2, "", error);
}

#[test]
fn an_unknown_name_is_a_usage_error() {
    let error = "error: the expression \"Spec.replicas > 1\" is not valid: unknown variable \"Spec\"; the variables are object, \
                 metadata, spec, status, kind, apiVersion, labels, annotations, podSpec, containers, now\n |\n | Spec.replicas > 1\n | ^^^^\n";
    check(&["--where", "Spec.replicas > 1"], 2, "", error);
}

#[test]
fn labels_are_changed_where_expressions_hold() {
    let args = ["label", "--where", "spec.?replicas.orValue(1) > 2", "tier=fe", "-o", "name"];
    Kselect::new(args).stdin(MANIFESTS).prints("deployment.apps/web\n");
}

#[test]
fn nothing_is_changed_where_expressions_fail() {
    let text = "object.data.replicas > 2";
    let reasons = "2: no object.data; 1: found no matching overload for '_>_' applied to '(string, int)'); \
                   write object.?data.?replicas.orValue(...)";
    let note = format!("kselect: {}", left_out("3 objects", text, reasons));
    let args = ["label", "--where", text, "tier=fe", "-q"];
    Kselect::new(args).stdin(MANIFESTS).prints(MANIFESTS);
    let args = ["label", "--where", text, "tier=fe", "-e", "-q"];
    Kselect::new(args)
        .stdin(MANIFESTS)
        .status(1)
        .stderr(note.replace("kselect: ", "error: "))
        .prints(MANIFESTS);
}

#[test]
fn a_field_that_field_selectors_do_not_have_is_left_to_expressions() {
    let error = "error: configmaps: \"data.memory\" is not a known field selector: only \"metadata.name\", \
                 \"metadata.namespace\"\nhint: configmaps can be selected by metadata.name, metadata.namespace; or use \
                 --where\n";
    check(&["configmap", "--field-selector", "data.memory=2Gi"], 1, "", error);
}

#[test]
fn an_unknown_name_may_be_a_field_of_the_object() {
    let error = "error: the expression \"rules.size() > 1\" is not valid: unknown variable \"rules\"; the variables are object, \
                 metadata, spec, status, kind, apiVersion, labels, annotations, podSpec, containers, now\n |\n | \
                 rules.size() > 1\n | ^^^^^\nhint: a field has its path before it: spec.rules, or object.rules\n";
    check(&["--where", "rules.size() > 1"], 2, "", error);
}

const PODS: &str = "\
{apiVersion: v1, kind: Pod, metadata: {name: good, uid: '1'}, spec: {containers: [{name: c}]}, status: {phase: Running, \
 containerStatuses: [{name: c, ready: true, restartCount: 1, state: {running: {}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bad, uid: '2'}, spec: {containers: [{name: c}]}, status: {phase: Running, \
 containerStatuses: [{name: c, ready: false, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff}}}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: web}}
";

#[track_caller]
fn check_pods(args: &[&str], status: i32, stdout: &str, stderr: &str) {
    let args = ["-o", "name"].iter().chain(args).copied();
    Kselect::get(args).stdin(PODS).status(status).stderr(stderr).prints(stdout);
}

#[test]
fn columns_of_the_table_are_variables() {
    let unwell = "STATUS != \"Running\" && STATUS != \"Completed\"";
    check_pods(&["pods", "--where", unwell, "-e"], 0, "pod/bad\n", "");
    check_pods(&["pods", "--where", "RESTARTS > 5", "-e"], 0, "pod/bad\n", "");
    check_pods(&["pods", "--where", "READY < 1 && READY == '0/1'", "-e"], 0, "pod/bad\n", "");
    check_pods(&["svc", "--where", "column('CLUSTER-IP') == '<none>'", "-e"], 0, "service/web\n", "");
    let note = "kselect: left out 1 object for which --where \"RESTARTS > 5\" cannot be evaluated (no column RESTARTS)\n";
    check_pods(&["--where", "RESTARTS > 5"], 0, "pod/bad\n", note);
}

#[test]
fn pods_of_any_workload_have_short_names() {
    check(
        &["--where", "containers.exists(c, c.image.startsWith('nginx:'))", "-e"],
        0,
        "deployment.apps/web\n",
        "",
    );
    check(
        &["deploy", "--where", "!has(podSpec.hostNetwork)", "-e"],
        0,
        "deployment.apps/web\ndeployment.apps/api\n",
        "",
    );
}
