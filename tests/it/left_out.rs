//! Every reason for which something of the input is not in the answer, and the line that says so.

use crate::support::{Kselect, gzip};

/// A ConfigMap of this name.
fn map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

/// An archive of a ConfigMap in a member of this type.
fn tar_of(kind: tar::EntryType, path: &str, link: Option<&str>) -> Vec<u8> {
    let text = map("a");
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_path(path).expect("a short path");
    header.set_entry_type(kind);
    header.set_size(if link.is_none() { text.len() as u64 } else { 0 });
    link.into_iter().for_each(|link| header.set_link_name(link).expect("a short path"));
    header.set_cksum();
    let contents = if link.is_none() { text.as_bytes() } else { &[] };
    archive.append(&header, contents).expect("in memory");
    archive.into_inner().expect("in memory")
}

/// A reason, the file that has it in the directory `in`, and the message, with the exit status.
type Row<'r> = (&'r str, &'r str, Vec<u8>, &'r str, i32);

/// Runs `get -R -f in` on the file and an object beside it.
#[track_caller]
fn check((reason, path, text, message, status): Row<'_>) {
    let message = if message.is_empty() { String::new() } else { format!("{message}\n") };
    let output = Kselect::get(["-o", "name", "-R", "-f", "in"])
        .file(&format!("in/{path}"), text)
        .file("in/z.yaml", map("z"))
        .run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), message, "{reason}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "configmap/z\n", "{reason}");
    assert_eq!(output.status.code(), Some(status), "{reason}");
}

#[test]
fn what_is_left_out_is_named_or_counted() {
    let rows: [Row<'_>; 11] = [
        ("values", "values.yaml", b"a: 1\n".to_vec(), "kselect: skipped 1 file of a Helm chart", 0),
        (
            "an array without kinds",
            "results.json",
            b"[{\"metadata\": {\"name\": \"a\"}}]".to_vec(),
            "kselect: skipped 1 document that is not a Kubernetes object",
            0,
        ),
        (
            "a template",
            "t.yaml",
            b"kind: {{ .Kind }}\n".to_vec(),
            "kselect: skipped 1 template; render templates first: helm template CHART | kselect ...",
            0,
        ),
        (
            "broken YAML",
            "b.yaml",
            b"kind: [\n".to_vec(),
            "error: in/b.yaml:1 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  |\n1 | kind: [\n  |       ^",
            1,
        ),
        (
            "a device in an archive",
            "a.tar",
            tar_of(tar::EntryType::Char, "a.yaml", Some("x")),
            "error: in/a.tar/a.yaml: this is a device or a pipe",
            1,
        ),
        (
            "a link out of an archive",
            "a.tar",
            tar_of(tar::EntryType::Symlink, "a.yaml", Some("/etc/passwd")),
            "error: in/a.tar/a.yaml: this links to a file that is not in the archive",
            1,
        ),
        (
            "the end of a file in another archive",
            "a.tar",
            tar_of(tar::EntryType::new(b'M'), "a.yaml", None),
            "error: in/a.tar/a.yaml: this is the end of a file in another archive",
            1,
        ),
        // The reasons that are not said unless nothing is found: what nobody takes for manifests.
        ("an empty archive", "a.tar", vec![0; 10240], "", 0),
        ("a file with another name", "a.rs", map("a").into_bytes(), "", 0),
        ("a hidden file", ".a.yaml", map("a").into_bytes(), "", 0),
        ("an ignored file", ".ignore", b"*.json\n".to_vec(), "", 0),
    ];
    rows.into_iter().for_each(check);
}

/// Members that are files, whatever their types.
#[test]
fn members_of_archives_are_read_if_they_can_be() {
    for (kind, path) in [(tar::EntryType::Continuous, "a.yaml"), (tar::EntryType::new(b'Z'), "a.yaml")] {
        Kselect::get(["-o", "name", "-f", "a.tar"])
            .file("a.tar", tar_of(kind, path, None))
            .prints("configmap/a\n");
    }
}

#[test]
fn a_named_array_without_kinds_is_an_error() {
    let item = "{\"metadata\": {\"name\": \"a\", \"uid\": \"u\"}}";
    let small = format!("[{item}]");
    let large = format!("[{}{item}]", format!("{item},").repeat(20_000));
    for text in [small, large] {
        let run = Kselect::get(["-o", "name", "-f", "results.json"]).file("results.json", &text);
        run.status(1)
            .stderr("error: results.json:1 (document 1): Object 'Kind' is missing\n")
            .prints_nothing();
    }
}

#[test]
fn kinds_of_arrays_are_told_by_names_in_any_case() {
    let pod = "[{\"metadata\": {\"name\": \"a\", \"uid\": \"u\"}}]";
    Kselect::get(["-o", "name", "-R", "-f", "."]).file("resources/ns/shop/Pods.json", pod).prints("pod/a\n");
}

#[test]
fn compressed_files_with_other_names_are_looked_at() {
    let object = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a\"}}\n";
    Kselect::get(["-o", "name", "-f", "in"])
        .file("in/objects.ndjson.gz", gzip(object.repeat(1000).as_bytes()))
        .prints("configmap/a\n".repeat(1000));
}

#[test]
fn json_in_a_block_scalar_is_no_document() {
    let live = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: live\n  annotations:\n    last: |\n      \
                {\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"old\"}}\n";
    let text = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {{\"name\": \"a\"}}}}\n{live}"
    );
    Kselect::get(["-o", "name", "-f", "a.txt"])
        .file("a.txt", text)
        .stderr("kselect: skipped 1 block of non-YAML text\n")
        .prints("configmap/a\n");
}

/// A static pod as the kubelet and as the API server know it.
#[test]
fn a_static_pod_and_its_mirror_are_one() {
    let pod = |uid: &str, more: &str| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"etcd-n1\", \"namespace\": \"kube-system\", \
             \"uid\": \"{uid}\"{more}}}}}"
        )
    };
    let mirror =
        pod("m", ", \"resourceVersion\": \"7\", \"annotations\": {\"kubernetes.io/config.mirror\": \"s\"}");
    Kselect::new(["count", "--no-headers", "-f", "in"])
        .file("in/kubelet.json", pod("s", ""))
        .file("in/server.json", mirror)
        .stderr("kselect: left out 1 copy of an object; kselect get --all-copies shows it\n")
        .prints("1     pod\n");
}

#[cfg(unix)]
#[test]
fn ignore_files_are_small_regular_files() {
    use std::os::unix::fs::symlink;
    let message = |path: &str| {
        format!(
            "error: {path}: ignore files are read only if they are regular files, and have at most 1 MiB together with \
             those of the directories above; its directory is not read\nhint: --no-ignore reads directories without ignore files\n"
        )
    };
    let run = Kselect::get(["-o", "name", "-R", "-f", "in"]).file("in/a.yaml", map("a")).directory("in/sub");
    symlink("/dev/zero", run.path().join("in/sub/.ignore")).expect("a link");
    run.status(1).stderr(message("in/sub/.ignore")).prints("configmap/a\n");
    Kselect::get(["-o", "name", "-f", "in"])
        .file("in/a.yaml", map("a"))
        .file("in/.kselectignore", "# c\n".repeat(1 << 19))
        .status(1)
        .stderr(message("in/.kselectignore"))
        .prints_nothing();
    // They take memory together.
    let half = "# c\n".repeat(3 << 16);
    Kselect::get(["-o", "name", "-R", "-f", "in"])
        .file("in/a.yaml", map("a"))
        .file("in/.gitignore", &*half)
        .file("in/sub/.gitignore", &*half)
        .file("in/sub/b.yaml", map("b"))
        .file("in/z/c.yaml", map("c"))
        .status(1)
        .stderr(message("in/sub/.gitignore"))
        .prints("configmap/a\nconfigmap/c\n");
    Kselect::get(["-o", "name", "-f", "in", "--no-ignore"])
        .file("in/a.yaml", map("a"))
        .file("in/.kselectignore", "# c\n".repeat(1 << 19))
        .prints("configmap/a\n");
}

#[cfg(unix)]
#[test]
fn a_sparse_file_is_refused_before_it_is_read() {
    let run = Kselect::get(["-f", "a.yaml"]).file("a.yaml", map("a"));
    let file = std::fs::File::options().write(true).open(run.path().join("a.yaml")).expect("a file");
    file.set_len(20 << 30).expect("a sparse file");
    run.status(1)
        .stderr("error: a.yaml: this file of 20 GiB is sparse: it has hardly any contents\n")
        .prints_nothing();
}

#[test]
fn configuration_without_a_name_is_no_object_of_a_requested_type() {
    let skipped = "kselect: skipped 1 configuration of a tool\n";
    let run = |args: &[&str]| {
        let configuration = "apiVersion: config.x.io/v1\nkind: Configuration\nwebhook: {port: 9443}\n";
        Kselect::new(args.iter().copied())
            .file("in/a.yaml", configuration)
            .file("in/z.yaml", map("z"))
            .stderr(skipped)
    };
    run(&["get", "configurations,cm", "-f", "in", "-o", "name", "--validate"]).prints("configmap/z\n");
    run(&[
        "label",
        "cm,configurations",
        "a=b",
        "--all",
        "-f",
        "in",
        "--validate",
        "--dry-run=client",
        "-o",
        "name",
    ])
    .prints("configmap/z\n");
}

#[test]
fn whoever_asks_about_all_objects_is_told_of_hidden_ones() {
    let hint = "hint: files in . are hidden or ignored; --hidden and --no-ignore read them\n";
    let run = |args: &[&str], hint: &str, hidden: &str, expected: &str| {
        let kselect = Kselect::new(args.iter().copied().chain(["-R", "-f", "."])).file("a.yaml", map("a"));
        kselect.file(".hidden/b.yaml", hidden).stderr(hint).prints(expected);
    };
    let count = "COUNT   KIND\n1       configmap\n";
    run(&["count"], hint, &map("b"), count);
    run(&["count"], "", "on: push\n", count);
    run(&["get", "cm", "--unused", "-o", "name"], hint, &map("b"), "configmap/a\n");
    run(&["get", "cm", "-o", "name"], "", &map("b"), "configmap/a\n");
    let diff = Kselect::new(["diff", "-R", "a", "b"]).file("a/m.yaml", map("a")).file("b/m.yaml", map("a"));
    diff.file("b/.c/n.yaml", map("b"))
        .stderr("hint: files in b are hidden or ignored; --hidden and --no-ignore read them\n")
        .prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
}

#[test]
fn kustomizations_that_differ_are_noted_as_their_builds_are_not_compared() {
    let diff = |tag: &str, patch: &str, variable: &str, note: &str| {
        let kustomization = |tag: &str| {
            format!(
                "resources: [m.yaml]\npatches: [{{path: p.yaml, target: {{name: a}}}}]\nimages: [{{name: a, newTag: {tag}}}]\n\
                 configMapGenerator: [{{name: g, envs: [g.env]}}]\n"
            )
        };
        let of_path = |path: &str| format!("[{{op: remove, path: {path}}}]\n");
        Kselect::new(["diff", "-R", "one", "two"])
            .file("one/k/m.yaml", map("a"))
            .file("two/k/m.yaml", map("a"))
            .file("one/k/kustomization.yaml", kustomization("v1"))
            .file("two/k/kustomization.yaml", kustomization(tag))
            .file("one/k/p.yaml", of_path("/data"))
            .file("two/k/p.yaml", of_path(patch))
            .file("one/k/g.env", "A=1")
            .file("two/k/g.env", variable)
            .stderr(format!("kselect: skipped 2 kustomizations, 2 patches\n{note}"))
            .prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
    };
    diff("v1", "/data", "A=1", "");
    let note = "kselect: 1 file of kustomizations, their patches and generators differs in the inputs; -k compares what kustomize builds\n";
    diff("v2", "/data", "A=1", note);
    diff("v1", "/spec", "A=1", note);
    diff("v1", "/data", "A=2", note);
}

#[test]
fn objects_that_a_kustomization_no_longer_lists_are_noted() {
    let added = "--- /dev/null\n+++ b/2.yaml:1\tdefault/configmap/two\n";
    let removed = "--- a/2.yaml:1\tmedia/configmap/two\n+++ /dev/null\n";
    let [plus, minus] =
        ["+", "-"].map(|sign| map("two").lines().map(|line| format!("{sign}{line}\n")).collect::<String>());
    let lines = map("two").lines().count();
    Kselect::new(["diff", "-R", "a", "b"])
        .file("a/kustomization.yaml", "namespace: media\nresources: [1.yaml, 2.yaml]\n")
        .file("b/kustomization.yaml", "namespace: media\nresources: [1.yaml]\n")
        .file("a/1.yaml", map("one"))
        .file("b/1.yaml", map("one"))
        .file("a/2.yaml", map("two"))
        .file("b/2.yaml", map("two"))
        .status(1)
        .stderr(
            "kselect: 1 object that only b has is not listed by the kustomization in its directory, so perhaps in no build\n\
             kselect: skipped 2 kustomizations\nhint: -k compares what kustomize builds: kselect diff -k a -k b\n",
        )
        .prints(format!(
            "{removed}@@ -1,{lines} +0,0 @@\n{minus}{added}@@ -0,0 +1,{lines} @@\n{plus}0 changed, 1 added, 1 removed, 1 unchanged\n"
        ));
}

#[test]
fn hidden_and_ignored_files_are_hinted_at_if_they_have_objects() {
    let hint = "hint: files in . are hidden or ignored; --hidden and --no-ignore read them\n";
    let run = |path: &str, text: &str, hint: &str| {
        let kselect =
            Kselect::new(["get", "pods", "-R", "-f", "."]).file("a.yaml", map("a")).file(path, text);
        kselect.file(".ignore", "ignored/\n").stderr(format!(
            "No resources found\nkselect: read 1 object, none of the requested type; kselect count lists the kinds in \
             the input\n{hint}"
        ))
        .prints_nothing();
    };
    for path in [".hidden/b.yaml", "ignored/b.yaml"] {
        run(path, &map("b"), hint);
        run(path, "on: push\n", "");
    }
}
