//! `-o yaml`: documents as they are in the input.

use crate::support::{Kselect, WEB};

/// Checks that the document `text` is printed unchanged.
#[track_caller]
fn check_untouched(text: impl AsRef<[u8]>) {
    Kselect::get(["-o", "yaml"]).stdin(&text).prints(&text);
}

/// Checks the output for a file.
#[track_caller]
fn check(name: &str, text: &str, printed: &str) {
    Kselect::get(["-o", "yaml", "-f", name]).file(name, text).prints(printed);
}

#[test]
fn a_document_is_handed_on_untouched() {
    check_untouched(
        "# The shop's front.\napiVersion: \"v1\" # today\n\nkind:   Pod\nmetadata: {name: 'web', }\nx: [1,\n  0x10, yes]\n# the end\n",
    );
    check_untouched(WEB);
}

#[test]
fn line_ends_of_windows_stay() {
    check_untouched(
        "apiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n---\r\napiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: b\r\n",
    );
}

#[test]
fn a_last_line_without_an_end_stays_so() {
    check_untouched("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a");
}

#[test]
fn a_document_without_an_end_of_its_last_line_is_ended_before_a_separator() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}";
    Kselect::get(["-o", "yaml", "-f", "a.yaml,b.yaml"])
        .file("a.yaml", pod)
        .file("b.yaml", pod)
        .prints(format!("{pod}\n---\n{pod}"));
}

#[test]
fn a_byte_order_mark_is_not_handed_on() {
    check("a.yaml", "\u{feff}apiVersion: v1\nkind: Pod\n", "apiVersion: v1\nkind: Pod\n");
}

#[test]
fn separators_are_only_between_documents() {
    let text = "---\n---\napiVersion: v1\nkind: Pod\n--- # next\n\n---\napiVersion: v1\nkind: Node\n---\n";
    check("a.yaml", text, "apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Node\n");
    check("a.yaml", "--- # first\napiVersion: v1\nkind: Pod\n", "apiVersion: v1\nkind: Pod\n");
}

#[test]
fn comments_before_a_separator_belong_to_the_document_above() {
    let text = "apiVersion: v1\nkind: Pod\n# of the Pod\n---\n# of the Node\napiVersion: v1\nkind: Node\n";
    Kselect::get(["node", "-o", "yaml"]).stdin(text).prints("# of the Node\napiVersion: v1\nkind: Node\n");
    Kselect::get(["pod", "-o", "yaml"]).stdin(text).prints("apiVersion: v1\nkind: Pod\n# of the Pod\n");
}

#[test]
fn only_selected_objects_are_printed() {
    Kselect::get(["secret", "-o", "yaml"]).stdin(WEB).prints(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: key   # not for everyone\n  namespace: shop\n  labels:\n    \
         app: web\nstringData: {a: 'b'}\n",
    );
    Kselect::get(["-q", "cm", "-o", "yaml"]).stdin(WEB).prints_nothing();
}

#[test]
fn json_is_written_as_yaml_in_its_own_order() {
    let json =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"yes\",\"managedFields\":[]}}\n";
    let yaml = "kind: Pod\napiVersion: v1\nmetadata:\n  name: \"yes\"\n  managedFields: []\n";
    check("a.json", json, yaml);
    Kselect::get(["-o", "yaml"]).stdin(json).prints(yaml);
}

#[test]
fn json_in_a_file_of_yaml_is_handed_on() {
    let json = "{\"kind\": \"Pod\",\n \"apiVersion\": \"v1\"}";
    check("a.yaml", json, json);
}

#[test]
fn json_that_is_not_yaml_is_rewritten() {
    check(
        "a.yaml",
        "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"x\": \"\u{7f}\"}",
        "kind: Pod\napiVersion: v1\nx: \"\\x7F\"\n",
    );
}

#[test]
fn utf_16_is_printed_as_utf_8() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: ü}\n";
    let utf_16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    Kselect::get(["-o", "yaml"]).stdin(utf_16).prints(text);
}

#[test]
fn invalid_utf_8_is_kept() {
    check_untouched(b"# caf\xe9\napiVersion: v1\nkind: Pod\n");
}
