//! Notes and progress, and turning them off.

use std::time::Duration;

use crate::support::{Kselect, WEB};

#[test]
fn quiet_leaves_notes_out() {
    Kselect::get(["-q", "-o", "name", "-f", "."])
        .file("values.yaml", "replicas: 1\n")
        .file("web.yaml", WEB)
        .prints("service/web\nsecret/key\ndeployment.apps/web\n");
    Kselect::get(["pods", "-f", "web.yaml", "--quiet"]).file("web.yaml", WEB).prints_nothing();
    Kselect::new(["--quiet", "selector", "a,!a"]).prints("a,!a\n");
    Kselect::new(["label", "-q", "svc/web", "a=b", "-o", "name", "-f", "web.yaml"])
        .file("web.yaml", WEB)
        .prints("service/web\n");
}

#[test]
fn quiet_leaves_errors_and_warnings_in() {
    Kselect::get(["-q", "svc/nosuch", "-o", "name"])
        .stdin(WEB)
        .status(1)
        .stderr("error: services \"nosuch\" not found\n")
        .prints_nothing();
    Kselect::get(["-q", "-o", "name", "--validate=warn"])
        .stdin("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, name: a}\n")
        .stderr("warning: STDIN:3 (document 1): key \"name\" already set in map\n")
        .prints("configmap/a\n");
}

#[test]
fn quiet_can_be_turned_off_again() {
    let stderr = "No resources found\n\
                  kselect: read 3 objects, none of the requested type; kselect count lists the kinds in the input\n";
    Kselect::get(["--quiet=false", "pods"]).stdin(WEB).stderr(stderr).prints_nothing();
}

#[test]
fn a_pipe_never_gets_a_line_of_progress() {
    // Longer than the delay of the progress line.
    Kselect::get(["secrets", "--no-headers"])
        .stdin(WEB)
        .after(Duration::from_millis(1100))
        .now("2024-01-01T00:00:00Z")
        .prints("key   Opaque   1     <unknown>\n");
}

#[test]
fn a_quiet_edit_of_files_says_nothing() {
    Kselect::new(["label", "-i", "-q", "a=b", "-f", "web.yaml"]).file("web.yaml", WEB).prints_nothing();
}

#[test]
fn many_changed_objects_are_counted() {
    let map =
        |number: usize| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n");
    let maps = |numbers: std::ops::Range<usize>| numbers.map(map).collect::<String>();
    let label = |args: &[&'static str]| {
        let args = ["label", "-f", "k8s", "a=b"].into_iter().chain(args.iter().copied());
        let run = Kselect::new(args).file("k8s/a.yaml", maps(0..15)).file("k8s/b.yaml", maps(15..25));
        run.file("k8s/c.yaml", map(25).replace("{name: c25", "{name: c25, labels: {a: b}"))
    };
    label(&["-i"]).prints("kselect: changed 25 of 26 objects in 2 files; --dry-run=client lists them\n");
    let output = label(&["--dry-run=client"]).run();
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 26);
}
