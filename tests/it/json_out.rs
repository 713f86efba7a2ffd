//! `-o json`: kubectl's JSON, a single object or a List.

use crate::support::{EMPTY_LIST, Kselect};

const POD: &str =
    "kind: Pod\napiVersion: v1\nmetadata:\n  name: a\n  managedFields: [{manager: x}]\nx: <&>\n";

const ALONE: &str = "\
{
    \"apiVersion\": \"v1\",
    \"kind\": \"Pod\",
    \"metadata\": {
        \"name\": \"a\"
    },
    \"x\": \"\\u003c\\u0026\\u003e\"
}
";

/// A List of [`POD`], `count` times.
fn list(count: usize) -> String {
    let item = ALONE.trim_end().replace('\n', "\n        ");
    let items = vec![item; count].join(",\n        ");
    EMPTY_LIST.replace("[]", &format!("[\n        {items}\n    ]"))
}

/// Checks the output for one file.
#[track_caller]
fn check(args: &[&str], text: &str, printed: &str) {
    Kselect::get(["-o", "json", "-f", "a.yaml"].into_iter().chain(args.iter().copied()))
        .file("a.yaml", text)
        .prints(printed);
}

#[test]
fn a_file_of_one_document_is_a_bare_object() {
    check(&[], POD, ALONE);
}

#[test]
fn whatever_selects_makes_a_list() {
    check(&["pods"], POD, &list(1));
    check(&["-l", "!a"], POD, &list(1));
    check(&["-n", "default"], POD, &list(1));
    check(&["--exclude", "nodes"], POD, &list(1));
}

#[test]
fn one_name_is_a_bare_object_and_a_pattern_is_not() {
    check(&["pod/a"], POD, ALONE);
    check(&["pod", "a", "-l", "!x"], POD, ALONE);
    check(&["pod/*"], POD, &list(1));
    check(&["pod/a", "node/a", "--ignore-not-found"], POD, &list(1));
}

#[test]
fn several_objects_are_a_list() {
    let two = format!("{POD}---\n{POD}");
    check(&[], &two, &list(2));
    check(&["pod/a"], &two, &list(2));
}

#[test]
fn a_list_in_the_input_stays_one() {
    let item = POD.replace('\n', "\n  ");
    check(&[], &format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", item.trim_end()), &list(1));
}

#[test]
fn standard_input_is_a_list() {
    Kselect::get(["-o", "json"]).stdin(POD).prints(list(1));
}

#[test]
fn nothing_is_an_empty_list() {
    check(&["-q", "nodes"], POD, EMPTY_LIST);
    Kselect::get(["-q", "-o", "json"]).stdin("").prints(EMPTY_LIST);
}

#[test]
fn nothing_is_printed_for_a_name_that_is_not_found() {
    Kselect::get(["node/a", "-o", "json"])
        .stdin(POD)
        .status(1)
        .stderr("error: nodes \"a\" not found\n")
        .prints_nothing();
    Kselect::get(["node/a", "-o", "json", "--ignore-not-found"]).stdin(POD).prints_nothing();
}

#[test]
fn managed_fields_are_shown_on_demand() {
    Kselect::get(["pod/a", "-o", "json", "--show-managed-fields"])
        .stdin("apiVersion: v1\nkind: Pod\nmetadata: {name: a, managedFields: []}\n")
        .prints(
            "\
{
    \"apiVersion\": \"v1\",
    \"kind\": \"Pod\",
    \"metadata\": {
        \"managedFields\": [],
        \"name\": \"a\"
    }
}
",
        );
}

#[test]
fn scalars_are_read_as_kubectl_reads_them() {
    Kselect::get(["pod/y", "-o", "json"])
        .stdin("apiVersion: v1\nkind: Pod\nmetadata: {name: 'y'}\nx: [yes, 0777, 1e3, 12e03, ~, 1.0, 0x1F]\n")
        .prints(
            "\
{
    \"apiVersion\": \"v1\",
    \"kind\": \"Pod\",
    \"metadata\": {
        \"name\": \"y\"
    },
    \"x\": [
        true,
        511,
        1000,
        12000,
        null,
        1,
        31
    ]
}
",
        );
}
