//! The meaning of a text does not depend on how much of it is read or in which order: fast and full readers agree.

use std::io::Write;

use crate::support::{Kselect, WEB, in_process};

/// Checks that an object with these lines is `PodKIND/NAME` with the label `app=web`, for all commands that only read
/// its head, alone and as an item of a List.
#[track_caller]
fn check_labelled(text: &str, name: &str) {
    let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
    let item = format!("apiVersion: v1\nkind: List\nitems:\n- {}", indented.trim_start());
    for text in [text, &item] {
        let named = format!("{name}\n");
        for (filter, expected) in [
            (&[][..], named.as_str()),
            (&["-l", "app=web"], &named),
            (&["-l", "!app"], ""),
            (&["--where", "labels.app == 'web'"], &named),
        ] {
            let answer = in_process([&["kselect", "get", "-q", "-o", "name"], filter].concat(), text);
            assert_eq!(answer, (0, expected.to_owned(), String::new()), "{filter:?} of {text}");
        }
    }
}

const LABELS: &str = "  name: x\n  labels:\n    app: web\n";

#[test]
fn quotes_in_lines_that_continue_a_plain_scalar_are_text() {
    for quote in ["'tis", "\"tis", "- 'tis", "- \"tis", "more\n      'tis", "\n      'tis", "- |"] {
        let note = format!("note: these\n      {quote}");
        check_labelled(
            &format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    {note}\n{LABELS}  uid: dogs'\"\n"
            ),
            "pod/x",
        );
        check_labelled(
            &format!(
                "apiVersion: v1\nkind: Pod\nspec:\n  a:\n  - b\n  - {note}\nmetadata:\n{LABELS}data: y'\"\n"
            ),
            "pod/x",
        );
        check_labelled(
            &format!(
                "apiVersion: v1\nkind: Pod\nspec:\n  a:\n    text\n    {quote}\nmetadata:\n{LABELS}data: y'\"\n"
            ),
            "pod/x",
        );
    }
}

#[test]
fn what_looks_like_items_within_quotes_is_text() {
    Kselect::get(["-o", "name"])
        .stdin(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: \"\nitems:\n- apiVersion: v1\n  kind: Pod\n  \
             metadata:\n    name: b\"\n",
        )
        .prints("configmap/a\n");
}

/// A List of this many Pods, `p0`, `p1`, ..., with `broken` after the first of them.
fn list(pods: usize, broken: &str) -> String {
    let pod = |number| {
        let padding = "x".repeat(200);
        format!("- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{number}\n  spec: {{a: {padding}}}\n")
    };
    let rest: String = (1..pods).map(pod).collect();
    format!("apiVersion: v1\nkind: List\nitems:\n{}{broken}{rest}", pod(0))
}

#[test]
fn items_below_something_else_are_an_error() {
    for broken in
        ["status: {}\n", "status: a\n", "metadata:\n  a: b\n", "metadata:\n  resourceVersion: \"\"\n"]
    {
        for pods in [2, 3000] {
            let run = Kselect::get(["-o", "name"]).stdin(list(pods, broken)).run();
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(1), "{broken} {pods}");
            assert!(stderr.starts_with("error: STDIN:"), "{broken} {pods}: {stderr}");
        }
    }
}

#[test]
fn a_document_is_handed_on_before_the_next_one_comes() {
    let pod = |name: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n");
    Kselect::get(["-o", "name"])
        .answers(&[(&(pod("a") + "---\n"), "pod/a\n"), (&(pod("b") + "---\n" + &pod("c")), "pod/b\n")]);
    let json = |name: &str| {
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"metadata\":{{\"name\":\"{name}\"}}}}\n")
    };
    Kselect::get(["-o", "name", "-l", "!app"]).answers(&[
        (&json("a"), "pod/a\n"),
        (&json("b"), "pod/b\n"),
        (&json("c"), "pod/c\n"),
    ]);
    Kselect::new(["label", "--all", "--overwrite", "-f", "-", "-o", "name", "a=b"])
        .answers(&[(&(pod("a") + "---\n"), "pod/a\n"), (&(pod("b") + "---\n"), "pod/b\n")]);
}

#[test]
fn a_pipe_that_gives_a_byte_at_a_time_gives_the_same_objects() {
    for text in [
        list(20, ""),
        WEB.to_owned(),
        WEB.replace("metadata: {", "metadata: {annotations: {a: \"\\u00e9\"}, "),
    ] {
        let bytes = text.clone();
        Kselect::get(["-o", "yaml"])
            .stdin_by(move |pipe| bytes.bytes().try_for_each(|byte| pipe.write_all(&[byte])))
            .prints(Kselect::get(["-o", "yaml"]).stdin(text).run().stdout);
    }
}

#[test]
fn what_a_list_says_after_its_items_counts_for_them_whatever_its_size() {
    let padding = "x".repeat(300);
    let item = |number: usize| match number % 2 {
        0 => format!(
            "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{number}\n  spec: {{a: {padding}}}\n"
        ),
        _ => format!("- metadata:\n    name: p{number}\n  spec: {{a: {padding}}}\n"),
    };
    for pods in [4, 3000] {
        let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
        let items: String = (0..pods).map(item).collect();
        for text in [
            format!("items:\n{items}apiVersion: v1\nkind: PodList\n"),
            format!("apiVersion: v1\nitems:\n{items}kind: PodList\nmetadata: {{}}\n"),
            format!("kind: PodList\nitems:\n{items}apiVersion: v1\n"),
        ] {
            Kselect::get(["-o", "name"]).stdin(text).prints(&names);
        }
        let item = |number: usize| match number % 2 {
            0 => format!(
                r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{number}","uid":"{padding}"}}}}"#
            ),
            _ => format!(r#"{{"metadata":{{"name":"p{number}","uid":"{padding}"}}}}"#),
        };
        let items: Vec<String> = (0..pods).map(item).collect();
        let text = format!("{{\"items\":[{}],\"apiVersion\":\"v1\",\"kind\":\"PodList\"}}", items.join(","));
        Kselect::get(["-o", "name"]).stdin(text).prints(&names);
    }
}

#[test]
fn a_list_without_a_kind_has_the_items_that_have_one() {
    for (end, reason) in [
        ("", "Object 'Kind' is missing"),
        ("kind: 5\n", "json: cannot unmarshal number into Go struct field kind of type string"),
    ] {
        for pods in [2, 3000] {
            let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
            let text = list(pods, "").replace("kind: List\n", "") + end;
            let run = Kselect::get(["-o", "name"]).stdin(text).run();
            assert_eq!(String::from_utf8_lossy(&run.stdout), names, "{end}");
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert!(stderr.contains(reason) && run.status.code() == Some(1), "{end}: {stderr}");
        }
    }
}

#[test]
fn an_error_in_a_list_hides_no_item_before_it() {
    for pods in [2, 3000] {
        let text = list(pods, "") + "status: {}\n- apiVersion: v1\n  kind: Pod\n";
        let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
        let run = Kselect::get(["-o", "name"]).stdin(text).run();
        assert_eq!((String::from_utf8_lossy(&run.stdout), run.status.code()), (names.into(), Some(1)));
        let line = 5 * pods + 5;
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.starts_with(&format!("error: STDIN:{line} (document 1):")), "{stderr}");
    }
}

#[test]
fn a_null_item_is_an_error_and_no_more() {
    let pod = |number: usize| {
        let padding = "x".repeat(300);
        format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{number}","uid":"{padding}"}}}}"#)
    };
    for pods in [2, 3000] {
        let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
        let items: Vec<String> = ["null".to_owned()].into_iter().chain((0..pods).map(pod)).collect();
        Kselect::get(["-o", "name"])
            .stdin(format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}", items.join(",\n")))
            .status(1)
            .stderr(
                "error: STDIN:1 (document 1): json: cannot unmarshal null into Go value of type unstructured.detector\n",
            )
            .prints(&names);
    }
}

#[test]
fn items_of_nested_lists_are_on_their_own_lines() {
    let pod = "  - apiVersion: v1\n    kind: Pod\n    metadata: {name: x}\n";
    let broken = "  - apiVersion: v1\n    metadata: {name: z}\n";
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n{pod}{broken}"
    );
    let run = Kselect::get(["-o", "name"]).stdin(text).run();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(stderr.starts_with("error: STDIN:10 (document 1): an item of a list has no kind"), "{stderr}");
}

#[test]
fn hundreds_of_quotes_that_go_on_at_the_column_of_their_key_are_read() {
    let entries: String =
        (0..2000).map(|n| format!("  k{n}: \"one two\n  three's\"\n  l{n}: 'a\n\n  b: \"c'\n")).collect();
    let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{entries}");
    Kselect::get(["-o", "jsonpath={.items[0].data.k1999} {.items[0].data.l1999}"])
        .stdin(text)
        .prints("one two three's a\nb: \"c");
}

#[test]
fn an_item_with_dashes_in_quotes_is_handed_on_so_that_it_reads_back() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data:\n    x: \"one\n  \
                --- two\"\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n";
    let printed = "  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data:\n    x: \"one\n  --- two\"\n---\napiVersion: \
                   v1\nkind: ConfigMap\nmetadata: {name: b}\n";
    Kselect::get(["-o", "yaml"]).stdin(text).prints(printed);
    Kselect::get(["-o", "jsonpath={.items[*].data.x}"]).stdin(printed).prints("one --- two");
}

/// Checks the data of a ConfigMap as kubectl reads it.
#[track_caller]
fn check_data(data: &str, json: &str) {
    let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}");
    Kselect::get(["-o", "jsonpath={.items[0].data}"]).stdin(text).prints(json);
}

#[test]
fn scalars_are_read_as_kubectl_reads_them() {
    check_data("  m:\n    a: >2\n      one\n      two\n", r#"{"m":{"a":"one two\n"}}"#);
    check_data("  m:\n    a: >1-\n      three\n", r#"{"m":{"a":" three"}}"#);
    check_data("  m:\n    a: |+2\n      four\n\n  b: c\n", r#"{"b":"c","m":{"a":"four\n\n"}}"#);
    check_data("  a: |# c\n    x\n", r#"{"a":"x\n"}"#);
    check_data("  a: \"x\"#c\n", r#"{"a":"x"}"#);
    check_data("  a: b\n%YAML 1.1\n  c: d\n", r#"{"a":"b"}"#);
    check_data("  a: \"x\n%YAML 1.1\"\n", r#"{"a":"x %YAML 1.1"}"#);
}

#[test]
fn input_that_kubectl_rejects_is_rejected() {
    for (text, reason) in [
        ("apiVersion: a/b/c\nkind: Pod\n", "1 (document 1): apiVersion: unexpected GroupVersion string"),
        (
            "apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: 2021-08-04T03:03Z\n",
            "4 (document 1): metadata.creationTimestamp: cannot parse",
        ),
    ] {
        let run = Kselect::get(["-o", "name"]).stdin(text).run();
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.starts_with(&format!("error: STDIN:{reason}")) && run.stdout.is_empty(), "{stderr}");
    }
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: >\n    \tx\n";
    let run = Kselect::get(["-o", "json"]).stdin(text).run();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(stderr.contains("found a tab character where an indentation space is expected"), "{stderr}");
}

#[test]
fn items_may_be_as_deep_as_they_like() {
    for column in [0, 55, 61, 62, 63, 64, 66, 75, 130] {
        let item = "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n    labels:\n      app: web\n  spec:\n    a: b\n  kind: Secret\n";
        let item: String = item.split_inclusive('\n').map(|line| format!("{:column$}{line}", "")).collect();
        Kselect::get(["-o", "name", "-l", "app=web"])
            .stdin(format!("apiVersion: v1\nkind: List\nitems:\n{item}{item}"))
            .prints("secret/a\nsecret/a\n");
    }
}

#[test]
fn an_item_may_have_items_that_are_null() {
    Kselect::get(["-o", "name"])
        .stdin("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  items:\n  metadata: {name: a}\n")
        .prints("pod/a\n");
}

#[test]
fn dashes_may_have_any_number_of_blanks_after_them() {
    for (dash, indent) in [("-   ", 4), ("- # c\n    ", 4), ("-\n  ", 2), ("-\n ", 1)] {
        let item =
            format!("{dash}apiVersion: v1\n{:indent$}kind: Pod\n{:indent$}metadata: {{name: a}}\n", "", "");
        Kselect::get(["-o", "name"])
            .stdin(format!("apiVersion: v1\nkind: List\nitems:\n{item}{item}"))
            .prints("pod/a\npod/a\n");
    }
}

#[test]
fn a_document_in_braces_that_cannot_be_read_hides_none_after_it() {
    let pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    for (broken, error) in [
        ("{a: b}: v1\n", "1 (document 1): json: key must be a string\n  |\n1 | {a: b}: v1\n  |  ^\n"),
        ("{\"a\": 1\n", "2 (document 1): json: expected `,` or `}`\n  |\n2 | ---\n  | ^\n"),
    ] {
        Kselect::new(["get", "-o", "name"])
            .stdin(format!("{broken}{pod}{pod}"))
            .stderr(format!("error: STDIN:{error}"))
            .status(1)
            .prints("pod/a\npod/a\n");
    }
}
