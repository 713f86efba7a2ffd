//! `--why`: the conditions that each unselected object does not meet.

use crate::support::Kselect;

const MANIFESTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {teir: fe}}
spec: {replicas: 3, template: {metadata: {labels: {app: web}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop, labels: {tier: fe}}
spec: {replicas: 1, template: {metadata: {labels: {app: api}}}}
---
# A comment.
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {tier: be}}
spec: {selector: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: old, labels: {tier: Fe}}
status: {phase: Pending}
";

#[track_caller]
fn check(args: &[&str], status: i32, stdout: &str, stderr: &str) {
    let args = ["--why"].iter().chain(args).copied();
    Kselect::get(args).stdin(MANIFESTS).status(status).stderr(stderr).prints(stdout);
}

#[test]
fn unselected_objects_are_listed_with_the_conditions_they_do_not_meet() {
    check(
        &["-l", "tier=fe"],
        0,
        "STDIN:1: deployment.apps/web: does not match tier=fe: no label tier, but teir=fe\n\
         STDIN:12: service/web: does not match tier=fe: tier=be\n\
         STDIN:17: pod/old: does not match tier=fe: tier=Fe is similar\n",
        "",
    );
}

#[test]
fn only_what_was_asked_for_is_listed_in_the_order_it_was_asked_for() {
    check(
        &["svc,deploy", "-n", "shop", "-l", "tier=fe"],
        0,
        "STDIN:12: service/web: does not match tier=fe: tier=be\n\
         STDIN:1: deployment.apps/web: does not match tier=fe: no label tier, but teir=fe\n",
        "",
    );
    check(&["deploy/api", "-l", "tier=fe"], 0, "", "");
    let web = "STDIN:1: deployment.apps/web: does not match tier=fe: no label tier, but teir=fe\n";
    check(&["--exclude", "svc,pod", "-l", "tier=fe"], 0, web, "");
}

#[test]
fn a_name_that_is_not_there_is_not_found() {
    let stderr = "error: deployments.apps \"wbe\" not found\n";
    check(&["deploy", "wbe", "api", "-l", "tier=fe"], 1, "", stderr);
}

#[test]
fn all_unmet_conditions_are_told() {
    check(
        &["pod", "-l", "app,tier=fe", "--field-selector", "status.phase=Running"],
        0,
        "STDIN:17: pod/old: does not match app: no label app; does not match tier=fe: tier=Fe is similar; \
         does not match status.phase=Running: status.phase=Pending\n",
        "",
    );
}

#[test]
fn expressions_are_told() {
    check(
        &["--where", "spec.replicas > 2"],
        0,
        "STDIN:6: deployment.apps/api: --where \"spec.replicas > 2\" is false\n\
         STDIN:12: service/web: --where \"spec.replicas > 2\" cannot be evaluated: there is no spec.replicas\n\
         STDIN:17: pod/old: --where \"spec.replicas > 2\" cannot be evaluated: there is no spec.replicas\n",
        "",
    );
}

#[test]
fn relations_by_another_field_are_told() {
    let policy = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}}}";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}}";
    Kselect::get(["netpol", "--selects", "pod/web", "--via", "from", "--why"]).stdin(format!("{policy}\n---\n{pod}")).prints(
        "STDIN:1: networkpolicy.networking.k8s.io/a: --selects pod/web holds via spec.podSelector, which --via leaves out\n",
    );
}

#[test]
fn relations_are_told() {
    check(
        &["deploy", "--selected-by", "svc/web"],
        0,
        "STDIN:6: deployment.apps/api: --selected-by svc/web does not hold\n",
        "",
    );
}

#[test]
fn the_file_that_uses_what_is_not_unused_is_told() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {volumes: [{configMap: {name: settings}}]}}";
    Kselect::get(["--unused", "--why", "-f", "."])
        .file("map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
        .file("pod.yaml", pod)
        .prints(
            "./map.yaml:1: configmap/settings: --unused: ./pod.yaml uses it\n\
             ./pod.yaml:1: pod/web: --unused: a Pod is not used by name alone\n",
        );
}

#[test]
fn that_no_object_was_asked_about_is_told() {
    let none = "kselect: read 4 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n";
    check(&["svc", "-n", "other"], 0, "", none);
}

#[test]
fn inverted_what_meets_the_conditions_is_left_out() {
    check(
        &["--invert-match", "-l", "tier=fe"],
        0,
        "STDIN:6: deployment.apps/api: meets all conditions, so --invert-match leaves it out\n",
        "",
    );
}

#[test]
fn the_exit_status_is_about_what_is_selected() {
    check(
        &["deploy", "-e", "-l", "tier=fe"],
        0,
        "STDIN:1: deployment.apps/web: does not match tier=fe: no label tier, but teir=fe\n",
        "",
    );
    check(
        &["pod", "-e", "-l", "tier=fe"],
        4,
        "STDIN:17: pod/old: does not match tier=fe: tier=Fe is similar\n",
        "",
    );
}

#[test]
fn errors_are_told_as_always() {
    let reason = "STDIN:12: service/web: --where \"spec.selector > 1\" cannot be evaluated: found no matching overload for \
                  '_>_' applied to '(map, int)'\n";
    check(&["svc", "--where", "spec.selector > 1"], 0, reason, "");
}
