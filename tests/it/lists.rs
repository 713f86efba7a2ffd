//! Lists are flattened into their items.

use crate::support::Kselect;

/// Checks the output of `-o yaml`.
#[track_caller]
fn check(text: &str, printed: &str) {
    Kselect::get(["-o", "yaml"]).stdin(text).prints(printed);
}

#[test]
fn items_are_documents_of_their_own_with_their_comments() {
    check(
        "\
apiVersion: v1
kind: List
items:
# the first
- apiVersion: v1
  kind: Secret
  metadata:
    name: a   # here
    # below

- kind: Service
  apiVersion: v1
  metadata: {name: b}
metadata:
  resourceVersion: \"\"
",
        "\
apiVersion: v1
kind: Secret
metadata:
  name: a   # here
  # below

---
kind: Service
apiVersion: v1
metadata: {name: b}
",
    );
}

#[test]
fn items_may_be_indented() {
    check(
        "items:\n    - apiVersion: v1\n      kind: Secret\n      data:\n        a: |\n          text\n\n            more\nkind: List\napiVersion: v1\n",
        "apiVersion: v1\nkind: Secret\ndata:\n  a: |\n    text\n\n      more\n",
    );
}

#[test]
fn items_of_a_typed_list_take_its_type() {
    check(
        "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n- metadata:\n    name: b\n",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n",
    );
    check(
        "items:\n- metadata: {name: a}\nkind: PodList\napiVersion: \"1\"\n",
        "apiVersion: \"1\"\nkind: Pod\nmetadata: {name: a}\n",
    );
}

#[test]
fn an_item_without_a_type_in_a_plain_list_is_an_error() {
    Kselect::get(["-o", "name"])
        .stdin(
            "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n- kind: Pod\n- 5\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
        )
        .status(1)
        .stderr(
            "error: STDIN:4 (document 1): an item of a list has no kind\n\
             error: STDIN:5 (document 1): an item of a list has no apiVersion\n\
             error: STDIN:6 (document 1): json: cannot unmarshal number into Go value of type unstructured.detector\n",
        )
        .prints("pod/b\n");
}

#[test]
fn lists_in_lists_are_taken_apart() {
    check(
        "\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: Pod
- apiVersion: v1
  kind: NodeList
  items: []
",
        "apiVersion: v1\nkind: Pod\n",
    );
}

#[test]
fn empty_lists_have_no_objects() {
    for items in [" []", "", " null"] {
        let list = format!("apiVersion: v1\nkind: List\nitems:{items}\n");
        Kselect::get(["-o", "name"]).stdin(list).prints_nothing();
    }
}

#[test]
fn items_that_are_not_a_list_are_an_error() {
    Kselect::get(["-o", "name"])
        .stdin("apiVersion: v1\nkind: List\nitems: {a: b}\n")
        .status(1)
        .stderr(
            "error: STDIN:3 (document 1): json: cannot unmarshal object into Go struct field decodeList.items of type \
             []json.RawMessage\n",
        )
        .prints_nothing();
}

#[test]
fn an_item_that_needs_the_anchors_of_another_is_rendered() {
    check(
        "\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: &m {name: a}}
- apiVersion: v1
  kind: Secret # with the same name
  metadata: *m
",
        "{apiVersion: v1, kind: Pod, metadata: &m {name: a}}\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n",
    );
}

#[test]
fn lists_of_json_are_taken_apart() {
    check(
        "{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n",
    );
}

#[test]
fn an_item_is_on_its_own_line() {
    Kselect::get(["--show-source", "--no-headers"])
        .stdin(
            "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n-\n  metadata: {name: b}\n",
        )
        .prints("a     0     <unknown>   STDIN:4\nb     0     <unknown>   STDIN:6\n");
}

#[test]
fn windows_line_ends_stay_in_items() {
    check(
        "apiVersion: v1\r\nkind: List\r\nitems:\r\n- apiVersion: v1\r\n  kind: Pod\r\n",
        "apiVersion: v1\r\nkind: Pod\r\n",
    );
}
