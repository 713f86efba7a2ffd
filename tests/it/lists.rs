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
            "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n- apiVersion: v1\n- 5\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
        )
        .status(1)
        .stderr(
            "error: STDIN:4 (document 1): an item of a list has no kind\n\
             error: STDIN:5 (document 1): an item of a list has no kind\n\
             error: STDIN:6 (document 1): json: cannot unmarshal number into Go value of type unstructured.detector\n",
        )
        .prints("pod/b\n");
}

#[test]
fn a_list_gives_its_kind_to_items_whatever_else_is_in_it() {
    Kselect::get(["-o", "name"])
        .stdin(
            "kind: SecretList\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: &a {name: a}\n- metadata: {name: b}\n",
        )
        .prints("pod/a\nsecret/b\n");
}

/// Checks the names of the objects in a List with these items and `count` others, and the errors.
#[track_caller]
fn check_around(form: fn(&[String]) -> String, items: [&str; 2], count: usize, error: &str) {
    let pod = |name: &str| items[0].replace("NAME", name);
    let others = (0..count).map(|number| pod(&format!("p{number}")));
    let items: Vec<String> =
        [items[1].to_owned()].into_iter().chain(others).chain([items[0].replace("NAME", "z")]).collect();
    let names: String = (0..count).map(|number| format!("pod/p{number}\n")).collect();
    let command = Kselect::get(["-o", "name", "-l", "!x"]).stdin(form(&items));
    command.status(1).stderr(error).prints(format!("{names}pod/z\n"));
}

#[test]
fn a_broken_item_hides_no_other_in_lists_of_any_size() {
    let yaml = |items: &[String]| format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat());
    let item = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: NAME, labels: {a: b}}\n";
    let broken = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b: c: d}\n";
    let anchored = |items: &[String]| {
        let (last, others) = items.split_last().expect("impossible: there are items");
        let last = last.replace("metadata: ", "spec: &a b\n  metadata: ");
        format!("apiVersion: v1\nkind: List\nitems:\n{}{last}", others.concat())
    };
    let json = |items: &[String]| {
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{}\n]}}", items.join(",\n"))
    };
    let json_items = [
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME","labels":{"a":"b",},}}"#,
        r#"{"apiVersion":"v1","kind""Pod"}"#,
    ];
    for count in [1, 9_000] {
        let error = "\
error: STDIN:6 (document 1): error converting YAML to JSON: yaml: did not find expected ',' or '}'
  |
6 |   metadata: {name: b: c: d}
  |                     ^
";
        check_around(yaml, [item, broken], count, error);
        check_around(anchored, [item, broken], count, error);
        let error = "\
error: STDIN:2 (document 1): json: expected `:`
  |
2 | {\"apiVersion\":\"v1\",\"kind\"\"Pod\"},
  |                          ^
";
        check_around(json, json_items, count, error);
    }
}

#[test]
fn what_follows_an_error_in_a_list_is_handed_on() {
    let open = |labels: &str| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"a\"{labels}}}}},\n"
        )
    };
    let item = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"},\n";
    for count in [1, 30_000] {
        let rest = format!("{{\"kind\":\"Pod,\n{}]}}\n{{\"kind\":\"Pod\"}}\n", item.repeat(count));
        let error = "\
error: STDIN:3 (document 1): json: control character (\\u0000-\\u001F) found while parsing a string
  |
3 | {\"kind\":\"Pod,
  |             ^
";
        Kselect::new(["label", "-q", "b=c"])
            .stdin(open("") + &rest)
            .status(1)
            .stderr(error)
            .prints(open(",\"labels\":{\"b\":\"c\"}") + &rest);
    }
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
fn fields_of_objects_in_lists_in_lists_are_found_on_their_lines() {
    let yaml = "\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- apiVersion: v1
  kind: List
  items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: b}
    dota: 1
";
    let json = r#"{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
  {"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"},
     "dota": 1}]}]}
"#;
    for (list, line, key) in [(yaml, "11", "    dota"), (json, "5", "     \"dota\"")] {
        let margin = " ".repeat(line.len());
        let marks = key.replace(|c: char| c != ' ', "^");
        let error = format!(
            "\
error: STDIN:{line} (document 1): strict decoding error: unknown field \"dota\"
{margin} |
{line} | {key}
{margin} | {marks}
hint: did you mean data?
"
        );
        let command = Kselect::get(["-o", "name", "--validate=strict"]).stdin(list);
        command.status(1).stderr(error).prints("configmap/a\n");
    }
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
fn an_alias_without_an_anchor_hides_no_item_before_it() {
    for count in [1, 9_000] {
        let items =
            "- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: &a {}, status: *a}\n".repeat(count);
        for labels in ["", "labels: *a, "] {
            let metadata = format!("  metadata: {{{labels}name: *b}}");
            let list = format!(
                "apiVersion: v1\nkind: List\nitems:\n{items}- apiVersion: v1\n  kind: Pod\n{metadata}\n"
            );
            let line = count + 6;
            let (margin, column) = (" ".repeat(line.to_string().len()), " ".repeat(metadata.len() - 3));
            let error = format!(
                "\
error: STDIN:{line} (document 1): error converting YAML to JSON: yaml: unknown anchor 'b' referenced
{margin} |
{line} | {metadata}
{margin} | {column}^
"
            );
            Kselect::get(["-o", "name"]).stdin(list).status(1).stderr(error).prints("pod/a\n".repeat(count));
        }
    }
}

#[test]
fn lists_of_json_are_taken_apart() {
    check(
        "{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n",
    );
}

/// A List of Pods `p0`, `p1`, ... as kubectl writes KYAML, with `broken` after the first of them.
fn kyaml(pods: usize, broken: &str) -> String {
    let pod = |number| {
        format!(
            "{{\n    apiVersion: \"v1\",\n    kind: \"Pod\",\n    metadata: {{\n      labels: {{\n        app: \"web\",\n      }},\n      \
             name: \"p{number}\",\n    }},\n    note: \"\\\n       {}\\n\\\n      \\  ]}}\\n\\\n      \",\n  }}",
            "x".repeat(200)
        )
    };
    let pods: Vec<String> = (0..pods).map(pod).collect();
    let (first, rest) = pods.split_first().unwrap();
    let rest: String = rest.iter().map(|pod| format!(", {pod}")).collect();
    format!(
        "---\n{{\n  apiVersion: \"v1\",\n  items: [{first}{broken}{rest}],\n  kind: \"List\",\n  metadata: {{\n    resourceVersion: \"\",\n  }},\n}}\n"
    )
}

#[test]
fn items_of_kyaml_are_documents_of_their_own() {
    let pod = |name: &str| {
        format!(
            "{{\n  apiVersion: \"v1\",\n  kind: \"Pod\",\n  metadata: {{\n    labels: {{\n      app: \"web\",\n    }},\n    \
             name: \"{name}\",\n  }},\n  note: \"\\\n     {}\\n\\\n    \\  ]}}\\n\\\n    \",\n}}\n",
            "x".repeat(200)
        )
    };
    for (pods, shown) in [(2, 2), (9_000, 9_000)] {
        let list = kyaml(pods, "");
        let text: Vec<String> = (0..shown).map(|number| pod(&format!("p{number}"))).collect();
        check(&list, &text.join("---\n"));
        let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
        Kselect::get(["-o", "name", "-l", "app=web"]).stdin(&list).prints(&names);
        // What only the full parser reads gives the same objects.
        Kselect::get(["-o", "name"]).stdin(list.replacen("p1\"", "p1\", \"odd\" : 'one'", 1)).prints(&names);
        let tagged = list.replacen("name: \"p1\"", "name: !!str \"p1\"", 1);
        check(&tagged, &text.join("---\n").replacen("name: \"p1\"", "name: !!str \"p1\"", 1));
    }
}

#[test]
fn an_error_in_a_list_of_kyaml_is_on_its_line() {
    for pods in [2, 9_000] {
        let names: String = (0..pods).map(|number| format!("pod/p{number}\n")).collect();
        // The item is an error, and hides no other.
        Kselect::get(["-o", "name"])
            .stdin(kyaml(pods, ", {\n    apiVersion: \"v1\"}"))
            .status(1)
            .stderr("error: STDIN:17 (document 1): an item of a list has no kind\n")
            .prints(&names);
        // It never ends.
        let run = Kselect::get(["-o", "name"]).stdin(kyaml(pods, ", {\n    a: [")).run();
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.starts_with("error: STDIN:") && stderr.lines().count() < 5, "{stderr}");
        assert_eq!((String::from_utf8_lossy(&run.stdout).as_ref(), run.status.code()), ("pod/p0\n", Some(1)));
        let list = kyaml(pods, "").replace("kind: \"List\"", "kind: 5");
        let run = Kselect::get(["-o", "name"]).stdin(list).run();
        assert_eq!((String::from_utf8_lossy(&run.stdout).as_ref(), run.status.code()), (&*names, Some(1)));
    }
}

#[test]
fn labels_of_kyaml_change_and_nothing_else() {
    for pods in [2, 9_000] {
        let list = kyaml(pods, "");
        let run = Kselect::new(["label", "-f", "-", "--overwrite", "--name", "p1", "app=db"]);
        run.stdin(&list).stderr("pod/p1 labeled\n").prints(list.replacen(
            "\"web\",\n      },\n      name: \"p1\"",
            "\"db\",\n      },\n      name: \"p1\"",
            1,
        ));
    }
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

#[test]
fn an_item_may_refer_to_an_item_that_was_read_long_before() {
    let map = |number: usize, data: &str| {
        format!("- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a{number}\n  data: {data}\n")
    };
    let between: String = (1..20_000).map(|number| map(number, "{b: c}")).collect();
    let list =
        format!("apiVersion: v1\nkind: List\nitems:\n{}{between}{}", map(0, "&x {a: b}"), map(20_000, "*x"));
    Kselect::get(["-f", "a.yaml", "--name", "a20000", "-o", "jsonpath={.items[*].data}"])
        .file("a.yaml", &list)
        .prints("{\"a\":\"b\"}");
    Kselect::new(["count", "--no-headers", "-f", "a.yaml"])
        .file("a.yaml", &list)
        .prints("20001   configmap\n");
}

#[test]
fn the_objects_of_an_array_are_read_one_by_one() {
    let map = |number: usize| format!("{{\"metadata\": {{\"name\": \"a{number}\"}}}}");
    let others: Vec<String> = (1..20_000).map(map).collect();
    let first = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"a0\"}}";
    let array = format!("[{first},\n{}]\n", others.join(",\n"));
    Kselect::new(["count", "--no-headers", "-f", "a.json"])
        .file("a.json", &array)
        .prints("20000   configmap\n");
    let broken = array.replace("{\"name\": \"a700\"}", "{\"name\": a: b: c}");
    Kselect::new(["count", "--no-headers", "-f", "a.json"])
        .file("a.json", broken)
        .status(1)
        .stderr(
            "error: a.json:701 (document 1): error converting YAML to JSON: yaml: did not \
             find expected ',' or '}'\n    |\n701 | {\"metadata\": {\"name\": a: b: c}},\n    |                        ^\n",
        )
        .prints("19999   configmap\n");
}

#[test]
fn a_line_that_does_not_belong_to_an_item_is_an_error_in_lists_of_any_size() {
    let first = |items: &[String]| format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat());
    let last = |items: &[String]| format!("# c\n\nitems:\n{}apiVersion: v1\nkind: List\n", items.concat());
    let item = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: NAME, labels: {a: b}}\n";
    for (broken, line) in [
        ("-   apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n  spec: {}\n", 7),
        ("-   apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n   # c\n   spec: {}\n", 8),
        ("- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n spec: {}\n", 7),
        ("-\n    apiVersion: v1\n    kind: Pod\n  metadata: {name: a}\n", 7),
        ("-   apiVersion: v1\n    kind: Pod\n    spec: |\n      x\n  metadata: {name: a}\n", 8),
        ("- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n  spec: {}\n", 5),
    ] {
        let shown = broken.lines().nth(line - 4).unwrap_or_default();
        let column = shown.len() - shown.trim_start().len();
        let error = format!(
            "error: STDIN:{line} (document 1): error converting YAML to JSON: yaml: did not find expected '-' indicator\n  \
             |\n{line} | {shown}\n  | {}^\n",
            " ".repeat(column)
        );
        for count in [0, 1, 9_000] {
            check_around(first, [item, broken], count, &error);
            check_around(last, [item, broken], count, &error);
        }
    }
}

#[test]
fn the_content_of_an_item_may_be_at_any_column_behind_its_dash() {
    check(
        "apiVersion: v1\nkind: List\nitems:\n-\n apiVersion: v1\n kind: Secret\n data:\n  a: b\n-    apiVersion: v1\n     kind: Pod\n",
        "\napiVersion: v1\nkind: Secret\ndata:\n a: b\n---\n   apiVersion: v1\n   kind: Pod\n",
    );
}

#[test]
fn a_list_s_own_fields_are_checked_and_hide_no_item() {
    let field = "json: cannot unmarshal";
    for (own, line, error) in [
        (
            "metadata: foo\n",
            3,
            format!("{field} string into Go struct field detector.metadata of type v1.ObjectMeta"),
        ),
        (
            "metadata:\n  resourceVersion: 1\n",
            4,
            format!("{field} number into Go struct field ObjectMeta.metadata.resourceVersion of type string"),
        ),
        (
            "metadata: {labels: {a: 1}}\n",
            3,
            format!("{field} number into Go struct field ObjectMeta.metadata.labels of type string"),
        ),
    ] {
        let item = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n";
        for count in [1, 12_000] {
            let names = "pod/p\n".repeat(count);
            let items = item.repeat(count);
            let first = format!("apiVersion: v1\nkind: List\n{own}items:\n{items}");
            let last = format!("apiVersion: v1\nitems:\n{items}kind: List\n{own}");
            for (list, line) in [(first, line), (last, line + 3 * count + 1)] {
                let run = Kselect::get(["-o", "name"]).stdin(list).run();
                let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
                let first = stderr.lines().next().unwrap_or_default();
                assert_eq!(first, format!("error: STDIN:{line} (document 1): {error}"));
                assert_eq!(
                    (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned()),
                    (Some(1), names.clone())
                );
            }
        }
    }
    Kselect::get(["-o", "name"])
        .stdin("apiVersion: v1\nkind: List\nother : a: b\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n")
        .status(1)
        .stderr(
            "error: STDIN:3 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context\n  |\n3 | other : a: b\n  |          ^\n",
        )
        .prints("pod/p\n");
}

#[test]
fn a_number_out_of_range_is_an_error_in_an_item_of_a_json_list_as_well() {
    let pod = |name: &str, field: &str| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"{name}\"}}, \"spec\": {field}}}"
        )
    };
    Kselect::get(["-o", "jsonl"])
        .stdin(format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n{},\n{}]}}",
            pod("a", "1e400"),
            pod("b", "1")
        ))
        .status(1)
        .stderr("error: STDIN:2 (document 1): json: a number is out of range\n")
        .prints("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"spec\":1}\n");
}

#[test]
fn objects_without_a_version_can_be_read_again_from_their_list() {
    let printed = Kselect::get(["-o", "json"]).stdin("kind: Pod\nmetadata: {name: a}\n").run().stdout;
    Kselect::get(["-o", "name"]).stdin(printed).prints("pod/a\n");
}

#[test]
fn an_item_with_metadata_of_a_wrong_type_is_an_error_as_a_document_is() {
    Kselect::get(["-o", "yaml"])
        .stdin("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: |\n    name: a\n- apiVersion: v1\n  kind: Pod\n")
        .status(1)
        .stderr("error: STDIN:6 (document 1): json: cannot unmarshal string into Go struct field detector.metadata of type v1.ObjectMeta\n")
        .prints("apiVersion: v1\nkind: Pod\n");
}
