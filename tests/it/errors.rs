//! Errors in input and command lines, and exit statuses.

use crate::support::{EMPTY_LIST, Kselect, WEB};

#[test]
fn a_bad_document_does_not_hide_the_others() {
    Kselect::get(["-f", "s.yaml", "-o", "name"])
        .file("s.yaml", "\
apiVersion: v1
kind: Service
metadata: {name: a}
---
apiVersion: v1
kind: Service
metadata: {name: b, labels: {x: 1}}
---
apiVersion: v1
 kind: Service
---
- a
---
apiVersion: v1
kind: Service
metadata: {name: c}
")
        .status(1)
        .stderr(
            "error: s.yaml:7 (document 2): json: cannot unmarshal number into Go struct field \
             ObjectMeta.metadata.labels of type string\n\
             hint: without quotes, 1 is a number; write \"1\" in quotes\n\
             error: s.yaml:10 (document 3): error converting YAML to JSON: yaml: mapping values are not allowed in \
             this context\n   |\n10 |  kind: Service\n   |      ^\n\
             error: s.yaml:12 (document 4): json: cannot unmarshal array into Go value of type \
             unstructured.detector\n",
        )
        .prints("service/a\nservice/c\n");
}

#[test]
fn a_broken_separator_costs_the_documents_beside_it() {
    Kselect::get(["-o", "name"])
        .stdin("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---foo\nx\n---\napiVersion: v1\nkind: Service\nmetadata: {name: c}\n")
        .status(1)
        .stderr("error: STDIN:4 (document 1): invalid Yaml document separator: foo\n  |\n4 | ---foo\n  |    ^\n")
        .prints("service/c\n");
}

#[test]
fn a_broken_body_is_reported_when_it_is_needed() {
    let text = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec: a: b\n";
    Kselect::get(["-o", "name"]).stdin(text).prints("service/a\n");
    Kselect::get(["-o", "json", "-f", "s.yaml"])
        .file("s.yaml", text)
        .status(1)
        .stderr(
            "error: s.yaml:5 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this \
             context\n  |\n5 | spec: a: b\n  |        ^\n",
        )
        .prints(EMPTY_LIST);
}

#[test]
fn a_document_without_a_kind_is_an_error_where_the_file_was_named() {
    Kselect::get(["-f", "values.yaml"])
        .file("values.yaml", "# Defaults.\nreplicas: 1\n")
        .status(1)
        .stderr(
            "error: values.yaml:2 (document 1): Object 'Kind' is missing\n\
             hint: these are values of a Helm chart; render it first: helm template CHART -f VALUES | kselect ...\n",
        )
        .prints_nothing();
}

#[test]
fn an_unknown_type_is_an_error_and_nothing_is_printed() {
    Kselect::get(["svc,nosuch"])
        .stdin(WEB)
        .status(1)
        .stderr("error: the server doesn't have a resource type \"nosuch\"\n")
        .prints_nothing();
}

#[test]
fn a_name_that_is_not_found_is_reported_after_those_that_were() {
    Kselect::get(["svc/nosuch", "deploy/web", "-o", "name"])
        .stdin(WEB)
        .status(1)
        .stderr("error: services \"nosuch\" not found\n")
        .prints("deployment.apps/web\n");
    Kselect::get(["deploy/nosuch", "--ignore-not-found"]).stdin(WEB).prints_nothing();
}

#[test]
fn an_empty_result_is_not_a_failure() {
    Kselect::get(["svc", "-l", "x"]).stdin(WEB).stderr(
        "No resources found\nkselect: read 3 objects, 1 of the requested type; --why shows why none is selected\n\
         hint: no object has the label x\n",
    ).prints_nothing();
    Kselect::get(["cm", "-n", "shop"])
        .stdin(WEB)
        .stderr(
            "No resources found in shop namespace.\n\
             kselect: read 3 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n",
        )
        .prints_nothing();
}

#[test]
fn nothing_found_is_exit_status_4_where_that_is_asked_for() {
    let ignored = ["svc", "-l", "x", "-e", "-o", "name", "--ignore-not-found"];
    Kselect::get(ignored).stdin(WEB).status(4).prints_nothing();
    Kselect::get(["svc", "-e", "-o", "name"]).stdin(WEB).prints("service/web\n");
}

#[test]
fn a_failure_beats_nothing_found() {
    Kselect::get(["-e", "-o", "name"])
        .stdin("- a\n")
        .status(1)
        .stderr(
            "error: STDIN:1 (document 1): json: cannot unmarshal array into Go value of type unstructured.detector\n",
        )
        .prints_nothing();
}

#[test]
fn a_malformed_selector_is_a_usage_error_with_a_caret() {
    Kselect::get(["-l", "a in b"])
        .stdin(WEB)
        .status(2)
        .stderr(
            "error: the provided selector \"a in b\" is not valid: unable to parse requirement: found 'b' expected: \
             '('\n |\n | a in b\n |      ^\n\
             hint: put the values of in and notin in parentheses: env in (prod, qa)\n",
        )
        .prints_nothing();
}

#[test]
fn an_unknown_format_is_a_usage_error() {
    let mut kselect = Kselect::get(["-o", "nosuch"]).stdin(WEB);
    let output = kselect.run();
    let message = String::from_utf8_lossy(&output.stderr);
    let expected =
        "error: unable to match a printer suitable for the output format \"nosuch\", allowed formats are: ";
    assert!(message.starts_with(expected), "{message}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
}

#[test]
fn flags_that_do_not_go_together_are_a_usage_error() {
    Kselect::get(["--show-labels", "-o", "name"])
        .stdin(WEB)
        .status(2)
        .stderr("error: --show-labels option cannot be used with name printer\n")
        .prints_nothing();
}

#[test]
fn an_unknown_flag_is_a_usage_error() {
    let output = Kselect::get(["--nosuch"]).run();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("error: unexpected argument '--nosuch' found\n"), "{message}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]));
}

#[test]
fn a_closed_pipe_is_success() {
    Kselect::get(["-f", "s.yaml", "-o", "yaml"])
        .file("s.yaml", format!("{WEB}---\n").repeat(1000))
        .prints_into_a_closed_pipe();
}

#[test]
fn escapes_in_data_do_not_reach_the_terminal() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"\\e[31m\"\n  labels: {a: \"\\e[1m\"}\n";
    Kselect::get(["--show-labels"]).stdin(pod).prints(
        "NAME     READY   STATUS    RESTARTS   AGE         LABELS\n\
         ^[[31m   0/0     Pending   0          <unknown>   a=^[[1m\n",
    );
    Kselect::get(["-o", "name"]).stdin(pod).prints("pod/\\x1b[31m\n");
    Kselect::get(["pod/\u{1b}1m"])
        .stdin(pod)
        .status(1)
        .stderr("error: pods \"\\x1b1m\" not found\n")
        .prints_nothing();
    Kselect::get(["\u{1b}[1m"])
        .stdin(pod)
        .status(1)
        .stderr("error: the server doesn't have a resource type \"\\x1b[1m\"\n")
        .prints_nothing();
    Kselect::get([])
        .stdin("a: \"\\e[1m\"\n")
        .status(1)
        .stderr("error: STDIN:1 (document 1): Object 'Kind' is missing\n")
        .prints_nothing();
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_cannot_be_written_does_not_crash() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut command = crate::environment::kselect();
    let status =
        command.args(["get", "-f", "no-such-file.yaml"]).stderr(full).status().expect("kselect runs");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn objects_without_a_separator_between_them_are_reported() {
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n";
    let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n{service}");
    let warning = "warning: STDIN:5 (document 1): apiVersion and kind are repeated: without --- between objects, only the last one is read\n";
    Kselect::get(["-o", "name"]).stdin(&text).stderr(warning).prints("service/web\n");
    Kselect::new(["label", "a=b", "-o", "name"]).stdin(&text).stderr(warning).prints("service/web\n");
    Kselect::get(["-o", "name"]).stdin(service).prints("service/web\n");
    // Below the top level, it has another meaning.
    let nested = "apiVersion: v1\nkind: Pod\nspec:\n  kind: a\n  apiVersion: b\n  kind: c\n  apiVersion: d\n";
    Kselect::get(["-o", "name"]).stdin(nested).prints("pod/<unknown>\n");
}
