//! The time that ages are relative to: one for all commands.

use super::support::Kselect;

/// A live Pod, its certificate and a Lease of its node.
const DUMP: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, uid: a, resourceVersion: '1', creationTimestamp: '2021-08-03T09:00:00Z'}
status: {phase: Running}
---
apiVersion: example.com/v1
kind: Certificate
metadata: {name: web, uid: b, resourceVersion: '2', creationTimestamp: '2021-08-03T08:00:00Z'}
spec: {notBefore: '2021-09-03T08:00:00Z', time: '2022-08-03T08:00:00Z'}
status: {notAfter: '2023-08-03T08:00:00Z', renewalTime: '2021-10-03T08:00:00Z'}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: n1, namespace: kube-node-lease, uid: c, resourceVersion: '3'}
spec: {renewTime: '2021-08-03T12:00:00.123456Z'}
";

const GUESS: &str = "kselect: ages are as of 2021-08-03T12:00:00Z, the newest time in the input: a guess at when it was \
    taken\n";

#[test]
fn ages_of_a_dump_without_a_record_count_to_the_newest_time_of_its_cluster() {
    let table = "NAME   READY   STATUS    RESTARTS   AGE\nweb    0/0     Running   0          3h\n";
    Kselect::get(["pods", "-f", "dump.yaml"]).file("dump.yaml", DUMP).any_time().stderr(GUESS).prints(table);
    Kselect::get(["pods"]).stdin(DUMP).any_time().stderr(GUESS).prints(table);
    Kselect::get(["pods", "--as-of", "newest"])
        .stdin(DUMP)
        .stderr("kselect: ages are as of 2021-08-03T12:00:00Z, the newest time in the input\n")
        .prints(table);
}

#[test]
fn manifests_that_are_not_live_are_as_of_now() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: web, creationTimestamp: '2021-08-03T09:00:00Z'}}";
    let run = Kselect::get(["pods", "--no-headers"]).stdin(pod).any_time().run();
    assert!(run.stderr.is_empty());
    // Days, and from 2029 on, eight years.
    let ends = [b"d", b"y"].iter().any(|unit| run.stdout.trim_ascii_end().ends_with(*unit));
    assert!(ends, "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn every_command_counts_ages_in_expressions_to_the_same_moment() {
    let young = ["--where", "age(metadata) < duration('200m')", "-f", "dump.yaml", "pods"];
    let run = |command: &[&'static str], rest: &[&'static str]| {
        let args = command.iter().chain(&young).chain(rest).copied();
        Kselect::new(args).file("dump.yaml", DUMP).any_time().stderr(GUESS)
    };
    run(&["get"], &["-o", "name"]).prints("pod/web\n");
    run(&["count"], &[]).prints("COUNT   KIND\n1       pod\n");
    run(&["split", "-d", "out", "--dry-run"], &[]).prints("pod-web.yaml\n");
    run(&["label", "--list", "--all"], &[]).prints("Listing labels for Pod./web:\n");
    let out = "NAME      RELATION   READY   STATUS    AGE\npod/web   -          0/0     Running   3h\n";
    run(&["tree"], &[]).prints(out);
    let args = ["get", "--as-of", "2021-08-03T13:00:00Z", "-o", "name"].into_iter().chain(young);
    Kselect::new(args)
        .file("dump.yaml", DUMP)
        .stderr("kselect: read 3 objects, 1 of the requested type; --why shows why none is selected\n")
        .prints("");
}

#[test]
fn a_record_counts_in_what_is_read_and_not_above_it() {
    let at = |path: &str| {
        Kselect::get(["pods", "--no-headers", "-R", "-f", "dump/all"])
            .file("dump/all/core/pods.yaml", DUMP)
            .file(path, "2021-08-03 10:00:00.016988581 +0000 UTC m=+0.38\n")
            .any_time()
    };
    let row = |age: &str| format!("web   0/0   Running   0     {age}\n");
    at("dump/timestamp").stderr(GUESS).prints(row("3h"));
    for path in ["dump/all/timestamp", "dump/all/core/timestamp"] {
        let note = "kselect: ages are as of 2021-08-03T10:00:00.016988581Z, when the dump was taken\n";
        at(path).stderr(note).prints(row("60m"));
    }
}

#[test]
fn a_record_from_before_an_object_was_created_is_of_another_dump() {
    Kselect::get(["pods", "--no-headers", "-f", "pods.yaml"])
        .file("pods.yaml", DUMP)
        .file("timestamp", "2021-08-01 10:00:00 +0000 UTC\n")
        .any_time()
        .stderr(GUESS)
        .prints("web   0/0   Running   0     3h\n");
}

#[test]
fn a_value_that_is_not_a_time_is_refused_before_anything_is_read() {
    for command in [&["get"][..], &["label", "a=b"], &["split", "-d", "out"]] {
        let args = command.iter().copied().chain(["--as-of", "noon", "-f", "missing.yaml"]);
        Kselect::new(args)
            .status(2)
            .stderr(
                "error: --as-of: \"noon\" is not a time\nhint: valid values are dump, newest, now, or a time such as \
                 2024-05-06T07:08:09Z\n",
            )
            .prints("");
    }
}
