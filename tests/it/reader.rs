//! What a text means does not depend on how much of it is read, or in which order: the fast readers and the full ones
//! give one answer.

use crate::support::Kselect;

/// Checks that an object of these lines is `PodKIND/NAME` with the label `app=web`, for every question that reads no more
/// than its head, alone and as an item of a List.
#[track_caller]
fn check_labelled(text: &str, name: &str) {
    let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
    let item = format!("apiVersion: v1\nkind: List\nitems:\n- {}", indented.trim_start());
    for text in [text, &item] {
        let named = format!("{name}\n");
        Kselect::get(["-o", "name"]).stdin(text).prints(&named);
        Kselect::get(["-o", "name", "-l", "app=web"]).stdin(text).prints(&named);
        Kselect::get(["-o", "name", "-l", "!app"]).stdin(text).prints("");
        Kselect::get(["-o", "name", "--where", "labels.app == 'web'"]).stdin(text).prints(&named);
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

/// A List of so many Pods, `p0`, `p1`, ..., with `broken` after the first of them.
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
