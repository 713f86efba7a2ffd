//! `kselect logs`.

use super::support::Kselect;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop, labels: {app: web}}, spec: {containers: \
                   [{name: web}, {name: envoy}]}}";

/// A must-gather with logs of two containers.
fn must_gather<'a>(args: impl IntoIterator<Item = &'a str>) -> Kselect {
    let log = |container: &str, file: &str| {
        format!("mg/namespaces/shop/pods/web-1/{container}/{container}/logs/{file}")
    };
    Kselect::new(["logs"].into_iter().chain(args).chain(["-R", "-f", "mg"]))
        .file("mg/namespaces/shop/pods/web-1/web-1.yaml", POD)
        .file(&log("web", "current.log"), "2026-01-10T11:00:00Z a\n2026-01-10T11:59:00Z b\n")
        .file(&log("web", "previous.log"), "before\n")
        .file(&log("web", "previous.insecure.log"), "again\n")
        .file(&log("web", "rotated/0.log.20260109-101500"), "old\n")
        .file(&log("envoy", "current.log"), "no line break")
}

const DEFAULTED: &str = "Defaulted container \"web\" out of: web, envoy\n";

#[test]
fn a_log_is_printed_byte_for_byte_with_its_rotated_parts() {
    let whole = "old\n2026-01-10T11:00:00Z a\n2026-01-10T11:59:00Z b\n";
    for pod in ["shop/web-1", "web-1", "pod/web-1", "shop/pod/web-1"] {
        must_gather([pod]).stderr(DEFAULTED).prints(whole);
    }
    must_gather(["web-1", "-c", "envoy"]).prints("no line break");
    must_gather(["web-1", "-p"]).stderr(DEFAULTED).prints("before\n");
    must_gather(["web-1", "--tail", "1"]).stderr(DEFAULTED).prints("2026-01-10T11:59:00Z b\n");
    must_gather(["web-1", "--since", "30m", "--as-of", "2026-01-10T12:00:00Z"])
        .stderr(DEFAULTED)
        .prints("2026-01-10T11:59:00Z b\n");
}

#[test]
fn a_directory_may_have_logs_and_no_manifest() {
    Kselect::new(["logs", "web-1", "--since", "30m", "--as-of", "2026-01-10T12:00:00Z", "-f", "d"])
        .file("d/shop/web-1/logs.txt", "2026-01-10T11:00:00Z a\n2026-01-10T11:59:00Z b\n")
        .prints("2026-01-10T11:59:00Z b\n");
}

#[test]
fn a_line_of_any_length_is_cut_in_little_memory() {
    let long = "x".repeat(96 << 20);
    let text = format!("first\n2026-01-10T11:59:00Z {long}\nlast");
    let log = |args: &[&'static str]| {
        Kselect::new(["logs", "web-1", "-f", "d"].iter().chain(args).copied())
            .file("d/shop/web-1/logs.txt", &text)
            .memory(64)
    };
    for (args, expected) in [
        (&["--tail", "2"][..], &text["first\n".len()..]),
        (&["--tail", "1"], "last"),
        (&["--tail", "0"], ""),
        (&["--since", "1h", "--as-of", "2026-01-10T12:00:00Z"], &text["first\n".len()..]),
    ] {
        let run = log(args).run();
        assert!(run.stdout == expected.as_bytes(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    }
    let run = log(&["--prefix"]).run();
    let prefixed = format!("[pod/web-1] {}\n", text.replace('\n', "\n[pod/web-1] "));
    assert!(run.stdout == prefixed.as_bytes(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn several_logs_have_prefixes() {
    let both = "[pod/web-1/web] 2026-01-10T11:59:00Z b\n[pod/web-1/envoy] no line break\n";
    must_gather(["-l", "app=web", "--all-containers", "--tail", "1"]).prints(both);
}

#[test]
fn texts_beside_the_logs_of_a_pod_are_of_no_container() {
    let log = |name: &str| format!("support-bundle/cluster-resources/pods/logs/shop/web-1/{name}.log");
    let bundle = |args: &[&'static str]| {
        Kselect::new(["logs", "shop/web-1"].into_iter().chain(args.iter().copied()).chain([
            "-R",
            "-f",
            "support-bundle",
        ]))
        .file(
            "support-bundle/cluster-resources/pods/shop.json",
            POD.replace("{name: web}", "{name: web}, {name: x}"),
        )
        .file(&log("web"), "a\n")
        .file(&log("web-logs-errors"), "no such container")
        .file(&log("summary"), "text")
    };
    bundle(&[]).prints("a\n");
    bundle(&["--all-containers"]).prints("a\n");
}

#[test]
fn containers_have_the_order_of_their_pod_however_deep_that_is_in_a_directory() {
    let log = |name: &str| format!("bundle/cluster-resources/pods/logs/shop/web-1/{name}.log");
    let bundle = |args: &[&'static str]| {
        Kselect::new(["logs", "shop/web-1", "-f", "bundle"].into_iter().chain(args.iter().copied()))
            .file("bundle/cluster-resources/pods/shop.json", POD)
            .file(&log("envoy"), "b\n")
            .file(&log("web"), "a\n")
    };
    bundle(&[]).stderr(DEFAULTED).prints("a\n");
    bundle(&["--all-containers"]).prints("[pod/web-1/web] a\n[pod/web-1/envoy] b\n");
}

#[test]
fn times_are_printed_where_the_dump_has_them() {
    must_gather(["web-1", "--timestamps", "--tail", "1"])
        .stderr(DEFAULTED)
        .prints("2026-01-10T11:59:00Z b\n");
    must_gather(["web-1", "--timestamps", "-c", "envoy"])
        .stderr("kselect: mg/namespaces/shop/pods/web-1/envoy/envoy/logs/current.log: no line begins with a time\n")
        .prints("no line break");
}

#[test]
fn a_missing_log_is_an_error_that_names_those_that_are_there() {
    must_gather(["shop/web-1", "-c", "nosuch"])
        .status(1)
        .stderr("error: the input has no log of container \"nosuch\" of pod shop/web-1; it has logs of envoy, web\n")
        .prints("");
    for more in [&[][..], &["--since", "1h"], &["--since", "1h", "--as-of", "2026-01-10T12:00:00Z"]] {
        Kselect::new(["logs", "shop/web-1", "-f", "nosuch"].iter().chain(more).copied())
            .status(1)
            .stderr(
                "error: the path \"nosuch\" does not exist\n\
                 error: the input has no log of pod shop/web-1\n",
            )
            .prints("");
    }
    must_gather(["deploy/web"])
        .status(1)
        .stderr(
            "error: the input has no log of pod deploy/web\nhint: did you mean: kselect logs --owned-by deploy/web\n",
        )
        .prints("");
    Kselect::new(["logs", "-f", "web-1"])
        .status(2)
        .stderr(
            "error: -f names files, and the path \"web-1\" does not exist\n\
             hint: the log of a dump cannot be followed: kselect logs POD -f DUMP\n",
        )
        .prints("");
    for (pod, written) in [("lab/web-1", "lab/web-1"), ("shop/wbe-1", "shop/wbe-1"), ("web", "web")] {
        must_gather([pod])
            .status(1)
            .stderr(format!("error: the input has no log of pod {written}\nhint: did you mean shop/web-1?\n"))
            .prints("");
    }
}

#[test]
fn sections_of_a_cluster_info_dump_are_logs() {
    let dump = "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": []}\n==== START logs for container web of pod shop/web-1 \
                ====\na\n---\nb==== END logs for container web of pod shop/web-1 ====\n";
    Kselect::new(["logs", "shop/web-1", "-f", "dump.txt"]).file("dump.txt", dump).prints("a\n---\nb");
    Kselect::new(["logs", "shop/web-1"]).stdin(dump).prints("a\n---\nb");
    // Objects in one long line, and the start of a log that is not at the start of a line.
    let start = "==== START logs for container web of pod shop/web-1 ====";
    let long = format!("{{\"a\": \"{}{start}\"}}\n{dump}", "x".repeat(10_000));
    Kselect::new(["logs", "shop/web-1"]).stdin(long).prints("a\n---\nb");
}

#[test]
fn a_file_of_a_cluster_info_dump_has_the_logs_of_each_container() {
    let log = |container: &str, text: &str| {
        let of = format!("for container {container} of pod shop/web-1 ====\n");
        format!("==== START logs {of}{text}==== END logs {of}")
    };
    let dump = |args: &[&'static str]| {
        Kselect::new(["logs", "shop/web-1", "-R", "-f", "dump"].iter().chain(args).copied())
            .file("dump/shop/pods.json", POD)
            .file("dump/shop/web-1/logs.txt", log("web", "a\nb\n") + &log("envoy", "c"))
    };
    dump(&["-c", "envoy"]).prints("c");
    dump(&[]).stderr(DEFAULTED).prints("a\nb\n");
    dump(&["--all-containers", "--tail", "1"]).prints("[pod/web-1/web] b\n[pod/web-1/envoy] c\n");
}

#[test]
fn an_archive_on_standard_input_is_read_as_a_file_is() {
    let path = "must-gather/namespaces/shop/pods/web-1/web/web/logs/current.log";
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, &b"a\n"[..]).expect("memory");
    let archive = archive.into_inner().expect("memory");
    Kselect::new(["logs", "shop/web-1"]).stdin(archive).prints("a\n");
}

#[test]
fn files_that_a_list_names_and_globs_drop_are_as_in_other_commands() {
    let log =
        |container: &str| format!("namespaces/shop/pods/web-1/{container}/{container}/logs/current.log");
    let dump = |args: &[&'static str]| {
        Kselect::new(["logs", "shop/web-1", "--all-containers"].iter().chain(args).copied())
            .file(&log("web"), "a\n")
            .file(&log("envoy"), "b\n")
            .file("list", log("web"))
    };
    let both = "[pod/web-1/envoy] b\n[pod/web-1/web] a\n";
    dump(&["-f", "namespaces"]).prints(both);
    dump(&["-f", "namespaces", "-g", "!envoy", "-g", "*.yaml"]).prints("a\n");
    dump(&["--files-from", "list"]).prints("a\n");
    dump(&["--files-from", "-"]).stdin(log("envoy")).prints("b\n");
}

#[test]
fn what_the_selection_of_pods_lacks_is_said() {
    let unanswered = "spec.priority > 3 could not be evaluated for 1 object: there is no spec.priority; \
                      write spec.?priority.orValue(...) for a field that may be missing";
    let found = must_gather(["--where", "spec.priority > 3"]).run();
    assert!(found.status.success());
    let stderr = String::from_utf8_lossy(&found.stderr).into_owned();
    assert!(stderr.contains("kselect:") && stderr.contains("spec.priority"), "{stderr}, not {unanswered}");
    assert!(stderr.contains("No pods found."), "{stderr}");
    must_gather(["-l", "app=nosuch", "--ignore-not-found"]).prints("");
    assert_eq!(must_gather(["--where", "spec.priority > 3", "-e"]).run().status.code(), Some(1));
}
