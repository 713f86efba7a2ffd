//! What a document is, and what is said of text that is none.

use crate::support::{EMPTY_LIST, Kselect};

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {p: c2VjcmV0}\n";

#[test]
fn text_after_the_end_of_a_document_is_an_error_and_never_printed() {
    let text = format!("{MAP}...\n# c\n{SECRET}---\n{}", MAP.replace("name: a", "name: b"));
    let error = "error: s.yaml:6 (document 1): this text after '...' is not read; write --- before it\n";
    let run =
        |args: &[&str]| Kselect::new(args.iter().copied()).file("s.yaml", &text).file("d/s.yaml", &text);
    run(&["get", "-f", "s.yaml", "-o", "name"]).status(1).stderr(error).prints("configmap/a\nconfigmap/b\n");
    run(&["get", "-f", "d", "-o", "yaml", "--exclude", "secrets"])
        .status(1)
        .stderr(error.replace("s.yaml", "d/s.yaml"))
        .prints(format!("{MAP}...\n# c\n---\n{}", MAP.replace("name: a", "name: b")));
    run(&["count", "-f", "s.yaml"]).status(1).stderr(error).prints("COUNT   KIND\n2       configmap\n");
    run(&["check", "-f", "s.yaml"]).status(1).stderr(error).prints_nothing();
}

#[test]
fn text_after_the_end_of_a_large_list_is_an_error() {
    let item = |at: usize| format!("- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a{at}\n");
    let items: String = (0..60_000).map(item).collect();
    let line = 3 + 4 * 60_000 + 2;
    for tail in ["", "kind: List\n"] {
        let list = format!("apiVersion: v1\nkind: List\nitems:\n{items}{tail}...\n{SECRET}---\n{MAP}");
        let line = line + tail.lines().count();
        Kselect::new(["count", "-f", "s.yaml"])
            .file("s.yaml", list)
            .status(1)
            .stderr(format!(
                "error: s.yaml:{line} (document 1): this text after '...' is not read; write --- before it\n"
            ))
            .prints("COUNT   KIND\n60001   configmap\n");
    }
}

#[test]
fn directives_and_comments_may_follow_the_end_of_a_document() {
    let text = format!("{MAP}...\n# c\n%YAML 1.1\n---\n{SECRET}...\n");
    Kselect::get(["-f", "s.yaml", "-o", "name"]).file("s.yaml", text).prints("configmap/a\nsecret/s\n");
}

#[test]
fn text_that_ends_the_root_of_a_document_is_an_error() {
    let error = |line: usize| {
        format!(
            "error: d/s.yaml:{line} (document 1): the document ends before this line, which is indented less or follows a \
             closing bracket\n"
        )
    };
    for (text, line) in [
        (" apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", 2),
        ("# c\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n# c\ndata:\n  a: b\n", 7),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}} # c\ndata: {}\n", 2),
    ] {
        for args in [["-f", "d/s.yaml", "-o", "json"], ["-f", "d", "-o", "json"]] {
            Kselect::get(args).file("d/s.yaml", text).status(1).stderr(error(line)).prints(EMPTY_LIST);
        }
    }
    let indented = "  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n  data:\n    a: |\n      b\n\n      # c\n# d\n";
    Kselect::get(["-f", "s.yaml", "-o", "name"]).file("s.yaml", indented).prints("configmap/a\n");
}

#[test]
fn a_document_with_an_api_version_alone_is_an_error_in_a_directory_too() {
    Kselect::get(["-f", "d", "-o", "name"])
        .file("d/a.yaml", "apiVersion: apps/v1\nmetadata: {name: a}\n")
        .file("d/b.yaml", "apiVersion: v1\nentries: {}\n")
        .file("d/c.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n")
        .status(1)
        .stderr(
            "error: d/a.yaml:1 (document 1): Object 'Kind' is missing\n\
             kselect: skipped 2 documents that are not Kubernetes objects\n",
        )
        .prints_nothing();
}

#[test]
fn a_list_without_a_kind_has_one_answer() {
    let objects = [
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}",
        "{\"metadata\":{\"name\":\"b\"}}",
    ];
    let json = format!("{{\"items\":[{}]}}", objects.join(","));
    let yaml = format!("items:\n- {}\n", objects.join("\n- "));
    let many = vec![objects[0]; 30_000];
    let (large_json, large_yaml) =
        (format!("{{\"items\":[{}]}}", many.join(",")), format!("items:\n- {}\n", many.join("\n- ")));
    for (file, text, count) in [
        ("d/s.json", &json, 1),
        ("d/s.yaml", &yaml, 1),
        ("d/s.json", &large_json, 30_000),
        ("d/s.yaml", &large_yaml, 30_000),
    ] {
        for input in [file, "d"] {
            Kselect::new(["count", "-f", input, "-o", "csv"])
                .file(file, text)
                .status(1)
                .stderr(format!("error: {file}:1 (document 1): Object 'Kind' is missing\n"))
                .prints(format!("COUNT,KIND\n{count},configmap\n"));
        }
    }
    Kselect::get(["-f", "d", "-o", "name"])
        .file("d/menu.yaml", "items:\n- title: a\n")
        .stderr("kselect: skipped 1 document that is not a Kubernetes object\n")
        .prints_nothing();
}

#[test]
fn carriage_returns_are_read_as_kubectl_reads_them() {
    let text = format!("{MAP}data:\n  a: |\n    b\n    c\n  d: e\n    f\n  g: \"h\n    i\"\n")
        .replace('\n', "\r\r\n");
    Kselect::get(["-f", "s.yaml", "-o", "jsonl"])
        .file("s.yaml", text)
        .prints("{\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\\nc\\n\",\"d\":\"e f\",\"g\":\"h i\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n");
}

#[test]
fn an_escaped_apostrophe_is_read_as_kubectl_reads_it() {
    let text = format!("{MAP}data:\n  a: \"it\\'s \\\"\\'\\\"\"\n  b: 'it\\'\n");
    Kselect::get(["-f", "s.yaml", "-o", "jsonl"])
        .file("s.yaml", text)
        .prints("{\"apiVersion\":\"v1\",\"data\":{\"a\":\"it's \\\"'\\\"\",\"b\":\"it\\\\\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n");
}
