//! `kselect get --validate`, as a user sees it.

use crate::support::Kselect;

#[track_caller]
fn check(args: &[&str], stdin: &str, (status, stdout, stderr): (i32, &str, &str)) {
    let args = ["-o", "name"].iter().chain(args).copied();
    Kselect::get(args).stdin(stdin).status(status).stderr(stderr).prints(stdout);
}

/// A valid ServiceAccount, and a ConfigMap with a repeated key.
const INPUT: &str = "\
apiVersion: v1
kind: ServiceAccount
metadata: {name: good}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: bad}
data:
  a: x
  a: z
";

const FINDING: &str = "STDIN:10 (document 2): key \"a\" already set in map\n";

/// The definition of Widgets, which have a colour, after an object.
const WIDGETS: &str = "\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";

#[test]
fn strict_makes_errors_and_leaves_objects_out() {
    let expected = (1, "serviceaccount/good\n", &*format!("error: {FINDING}"));
    check(&["--validate"], INPUT, expected);
    check(&["--validate=strict"], INPUT, expected);
    check(&["--validate=true"], INPUT, expected);
}

#[test]
fn a_kind_that_kubernetes_does_not_have_has_no_fields_to_check_so_it_is_an_error() {
    let misspelt = "apiVersion: v1\nkind: Sevice\nmetadata: {name: a}\nspec: {prots: []}\n";
    let finding = "STDIN:2 (document 1): no matches for kind \"Sevice\" in version \"v1\"\n";
    let error = format!("error: {finding}hint: did you mean Service?\n");
    check(&["--validate"], misspelt, (1, "", &error));
    check(&["--validate=warn"], misspelt, (0, "sevice/a\n", &format!("warning: {finding}")));
    let approved = "metadata: {annotations: {api-approved.kubernetes.io: unapproved}, name";
    let definition =
        WIDGETS.replace("shop.example.com", "storage.k8s.io").replace("metadata: {name", approved);
    let widget = format!("apiVersion: storage.k8s.io/v1\nkind: Widget\nmetadata: {{name: a}}\n{definition}");
    check(&["--validate", "widgets"], &widget, (0, "widget.storage.k8s.io/a\n", ""));
}

#[test]
fn warn_tells_and_keeps_objects() {
    let expected = (0, "serviceaccount/good\nconfigmap/bad\n", &*format!("warning: {FINDING}"));
    check(&["--validate=warn"], INPUT, expected);
}

#[test]
fn ignore_is_the_default() {
    let expected = (0, "serviceaccount/good\nconfigmap/bad\n", "");
    check(&[], INPUT, expected);
    check(&["--validate=ignore"], INPUT, expected);
    check(&["--validate=false"], INPUT, expected);
}

#[test]
fn other_words_are_refused() {
    let error =
        "error: invalid value 'maybe' for --validate\nhint: --validate takes strict, warn or ignore\n";
    check(&["--validate=maybe"], INPUT, (2, "", error));
}

#[test]
fn objects_that_are_not_selected_are_checked_too() {
    check(
        &["--validate", "serviceaccounts"],
        INPUT,
        (1, "serviceaccount/good\n", &format!("error: {FINDING}")),
    );
}

#[test]
fn a_body_that_is_not_looked_at_otherwise_is_parsed() {
    let broken = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: [\n";
    check(&[], broken, (0, "configmap/a\n", ""));
    let error = "error: STDIN:6 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  |\n\
                 6 |   b: [\n  |      ^\n";
    check(&["--validate=warn"], broken, (1, "", error));
}

#[test]
fn fields_that_a_definition_in_the_input_does_not_know_are_found() {
    let input = &format!(
        "{}{WIDGETS}",
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  colour: red\n"
    );
    check(
        &["--validate=warn", "-f", "-", "--exclude", "crd"],
        input,
        (
            0,
            "widget.shop.example.com/a\n",
            "warning: STDIN:5 (document 1): strict decoding error: unknown field \"spec.colour\"\n",
        ),
    );
}

#[test]
fn an_openapi_document_is_neither_an_object_nor_an_error() {
    let schemas = r#"{"openapi": "3.0.0", "components": {"schemas": {"Gizmo": {
        "x-kubernetes-group-version-kind": [{"group": "shop.example.com", "version": "v1", "kind": "Gizmo"}],
        "x-kubernetes-selectable-fields": [{"fieldPath": "spec.size"}]}}}}"#;
    let gizmo = |name, size| {
        format!(
            r#"{{"apiVersion": "shop.example.com/v1", "kind": "Gizmo", "metadata": {{"name": "{name}"}},
            "spec": {{"size": {size}}}}}"#
        )
    };
    let input = [schemas, &gizmo("small", 1), &gizmo("large", 2)].concat();
    let select = ["gizmos", "--field-selector", "spec.size=2"];
    let note = "kselect: skipped 1 description of the API\n";
    check(&[&select[..], &["--validate"]].concat(), &input, (0, "gizmo.shop.example.com/large\n", note));
}

/// Mistakes in a Deployment; the values must not be shown.
const MISTAKES: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: s3cret
  template:
    spec:
      containers:
      - name: web
        imagee: s3cret
";

#[test]
fn fields_of_built_in_kinds_are_validated_as_the_server_does() {
    let errors = "\
error: STDIN:4 (document 1): spec.selector: Required value
  |
4 | spec
  | ^^^^
error: STDIN:5 (document 1): json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32
  |
5 |   replicas
  |   ^^^^^^^^
error: STDIN:9 (document 1): spec.template.spec.containers[0].image: Required value
error: STDIN:10 (document 1): strict decoding error: unknown field \"spec.template.spec.containers[0].imagee\"
   |
10 |         imagee
   |         ^^^^^^
hint: did you mean image?
";
    check(&["--validate=strict"], MISTAKES, (1, "", errors));
    let warnings: String = errors
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .map(|line| format!("warning: {line}\n"))
        .collect();
    check(&["--validate=warn"], MISTAKES, (0, "deployment.apps/web\n", &warnings));
    check(&["--validate=ignore"], MISTAKES, (0, "deployment.apps/web\n", ""));
}

#[test]
fn keys_of_flow_style_are_shown_without_their_neighbours() {
    let text = "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {a: czNjcmV0}, tpye: s3cret}\n";
    let errors = "\
error: STDIN:1 (document 1): strict decoding error: unknown field \"tpye\"
  |
1 | tpye
  | ^^^^
hint: did you mean type?
";
    check(
        &["--validate"],
        &format!("# YAML\n{text}"),
        (1, "", &errors.replace(":1 ", ":2 ").replace("1 |", "2 |")),
    );
}

#[test]
fn versions_that_are_not_served_are_not_judged() {
    let old = MISTAKES.replace("apps/v1", "extensions/v1beta1");
    check(&["--validate"], &old, (0, "deployment.extensions/web\n", ""));
}

/// `kselect label` and `annotate` with these arguments, for the whole input.
#[track_caller]
fn edit(args: &[&str], stdin: &str, (status, stdout, stderr): (i32, &str, &str)) {
    Kselect::new(args.iter().copied()).stdin(stdin).status(status).stderr(stderr).prints(stdout);
}

#[test]
fn edits_leave_out_invalid_objects() {
    let labelled = INPUT.replace("{name: good}", "{name: good, labels: {a: b}}");
    let note = "serviceaccount/good labeled\n";
    let error = format!("error: {FINDING}{note}");
    for how in ["--validate", "--validate=strict", "--validate=true", "--validate=1"] {
        edit(&["label", "a=b", how], INPUT, (1, &labelled, &error));
    }
    let all = labelled.replace("{name: bad}", "{name: bad, labels: {a: b}}");
    let notes = format!("{note}configmap/bad labeled\n");
    edit(&["label", "a=b", "--validate=warn"], INPUT, (0, &all, &format!("warning: {FINDING}{notes}")));
    for how in ["--validate=ignore", "--validate=false", "--validate=F"] {
        edit(&["label", "a=b", how], INPUT, (0, &all, &notes));
    }
    let annotated = labelled.replace("labels", "annotations");
    let error = error.replace("labeled", "annotated");
    edit(&["annotate", "a=b", "--validate"], INPUT, (1, &annotated, &error));
    edit(
        &["label", "a=b", "--validate", "-o", "name"],
        INPUT,
        (1, "serviceaccount/good\n", &format!("error: {FINDING}")),
    );
}

#[test]
fn objects_that_are_not_edited_are_validated_too() {
    edit(
        &["label", "serviceaccount/good", "a=b", "--validate", "--dry-run=client"],
        INPUT,
        (1, "", &format!("error: {FINDING}")),
    );
}

#[test]
fn files_with_objects_that_are_not_valid_are_not_rewritten() {
    let host = Kselect::new([]).file("a.yaml", INPUT);
    let run = |args: &[&str]| {
        let output = Kselect::new(args.iter().copied()).current_dir(host.path()).run();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let error = format!("error: {}", FINDING.replace("STDIN", "a.yaml"));
    let (status, stderr) = run(&["label", "a=b", "-i", "-f", "a.yaml", "--validate"]);
    assert_eq!((status, stderr), (Some(1), format!("{error}kselect: no file was rewritten\n")));
    assert_eq!(std::fs::read_to_string(host.path().join("a.yaml")).unwrap(), INPUT);
    let (status, stderr) = run(&["label", "a=b", "-i", "-f", "a.yaml", "--validate=warn"]);
    assert_eq!((status, stderr), (Some(0), error.replace("error", "warning")));
}

#[test]
fn edits_validate_custom_resources_by_the_definitions_of_the_input() {
    let input = &format!(
        "{}{WIDGETS}",
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {colour: red}\n"
    );
    let error = "error: STDIN:4 (document 1): strict decoding error: unknown field \"spec.colour\"\n  |\n\
                 4 | colour\n  | ^^^^^^\nhint: did you mean color?\n";
    edit(&["label", "widgets", "--all", "a=b", "--validate"], input, (1, input, error));
}

/// A definition of `Widget` with the schema `schema`, followed by a `Widget` with this spec.
fn widget(schema: &str, spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.shop.example.com}}\n\
         spec:\n  group: shop.example.com\n  scope: Namespaced\n  names: {{plural: widgets, kind: Widget}}\n  versions:\n  \
         - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}\n---\n\
         apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n"
    )
}

#[test]
fn a_schema_that_refers_to_itself_is_an_error_or_judged_as_far_as_it_goes() {
    let reference = "{type: object, properties: {spec: {$ref: '#/'}}}";
    check(
        &["--validate", "-f", "-"],
        &widget(reference, "{a: {a: {a: b}}}"),
        (
            1,
            "widget.shop.example.com/a\n",
            "error: STDIN:9 (document 1): spec.versions[0].schema.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not \
             supported\n  |\n9 | $ref\n  | ^^^^\n",
        ),
    );
    let alias = "&schema {type: object, properties: {spec: *schema}}";
    let error = "error: STDIN:9 (document 1): error converting YAML to JSON: yaml: anchor 'schema' value contains itself\n";
    check(&["--validate", "-f", "-"], &widget(alias, "{a: b}"), (1, "widget.shop.example.com/a\n", error));
}

#[test]
fn null_is_a_value_of_a_required_field_that_is_nullable() {
    let schema = |field| {
        format!(
            "{{type: object, properties: {{spec: {{type: object, required: [color], properties: {{color: {field}}}}}}}}}"
        )
    };
    let definition = "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example.com\n";
    let both = format!("{definition}widget.shop.example.com/a\n");
    let nullable = widget(&schema("{type: string, nullable: true}"), "{color: null}");
    check(&["--validate", "-f", "-"], &nullable, (0, &both, ""));
    Kselect::new(["check", "-f", "-"]).stdin(&nullable).prints_nothing();
    let others = widget(&schema("{type: string}"), "{color: null}");
    let error = "error: STDIN:14 (document 2): spec.color: Required value\n   |\n14 | spec\n   | ^^^^\n";
    check(&["--validate", "-f", "-"], &others, (1, definition, error));
}

#[test]
fn the_server_drops_null_before_it_counts_and_compares_what_is_left() {
    let check = |fields: &str, spec: &str, found: &[&str]| {
        let schema =
            format!("{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}");
        let output = Kselect::new(["check", "-f", "-"]).stdin(widget(&schema, spec)).run();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let prefix = "STDIN:14: error [invalid-value] widget.shop.example.com/a: ";
        let shown: Vec<&str> = text.lines().map(|line| line.trim_start_matches(prefix)).collect();
        assert_eq!(shown, found, "{spec}");
    };
    let map = "m: {type: object, minProperties: 1, additionalProperties: {type: string}}";
    check(
        map,
        "{m: {a: null}}",
        &["spec.m: Invalid value: spec.m in body should have at least 1 properties"],
    );
    check(map, "{m: {a: b}}", &[]);
    let nullable = map.replace("string}", "string, nullable: true}");
    check(&nullable, "{m: {a: null}}", &[]);
    let choice = "c: {type: string, enum: [a, b]}";
    check(choice, "{c: null}", &[]);
    let nullable = choice.replace("string,", "string, nullable: true,");
    check(&nullable, "{c: null}", &["spec.c: Unsupported value: supported values: \"a\", \"b\""]);
    check("q: {x-kubernetes-int-or-string: true}", "{q: 1}", &[]);
    let mistyped = "spec.q: Invalid value: spec.q in body must be of type integer,string";
    check("q: {x-kubernetes-int-or-string: true}", "{q: 1.5}", &[mistyped]);
    // A branch of a list names its items.
    let list = "l: {type: array, items: {type: string}, allOf: [{items: {minLength: 2}}]}";
    let found = [
        "spec.l: Invalid value: \"spec.l\" must validate all the schemas (allOf)",
        "spec.l[0]: Invalid value: spec.l[0] in body should be at least 2 chars long",
    ];
    check(list, "{l: [a]}", &found);
}

#[test]
fn names_and_metadata_of_objects_within_are_validated() {
    let restricted = "{type: object, properties: {metadata: {type: object, properties: {name: {type: string, minLength: 2}}}, \
                      spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}";
    let found = "STDIN:13: error [invalid-value] widget.shop.example.com/a: metadata.name: Invalid value: metadata.name in body \
                 should be at least 2 chars long\n";
    Kselect::new(["check", "-f", "-"]).stdin(widget(restricted, "{}")).status(1).prints(found);
    let within = "{type: object, properties: {spec: {type: object, properties: {t: {type: object, \
                  x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}";
    let spec = "{t: {apiVersion: v1, kind: Pod, metadata: {name: a, foo: b, labels: {a: b c}}}}";
    let found = "STDIN:14: error [invalid-label] widget.shop.example.com/a: spec.t.metadata.labels: Invalid value: a valid label \
                 must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                 '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\nSTDIN:14: error [unknown-field] widget.shop.example.com/a: strict \
                 decoding error: unknown field \"spec.t.metadata.foo\"\n";
    Kselect::new(["check", "-f", "-"]).stdin(widget(within, spec)).status(1).prints(found);
    let spec = "{t: {apiVersion: a/b/c, kind: bad kind/, metadata: {name: a/b}}}";
    let found = [
        "apiVersion: Invalid value: unexpected GroupVersion string",
        "kind: Invalid value: may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case \
         alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. \
         'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "metadata.name: Invalid value: may not contain '/'",
    ];
    let found = found.map(|message| {
        format!("STDIN:14: error [invalid-value] widget.shop.example.com/a: spec.t.{message}\n")
    });
    Kselect::new(["check", "-f", "-"]).stdin(widget(within, spec)).status(1).prints(found.concat());
}

#[test]
fn a_schema_that_is_wrong_is_an_error_of_the_definition() {
    let error = "error: STDIN:9 (document 1): json: cannot unmarshal string into Go struct field \
                 CustomResourceValidation.spec.versions.schema.openAPIV3Schema of type v1.JSONSchemaProps \
                 (spec.versions[0].schema.openAPIV3Schema)\n  |\n\
                 9 | openAPIV3Schema\n  | ^^^^^^^^^^^^^^^\n";
    check(
        &["--validate", "-f", "-"],
        &widget("nothing", "{a: b}"),
        (1, "widget.shop.example.com/a\n", error),
    );
}

/// A schema of 2 MB, and an object with as many unknown fields. If each were looked for among all fields of the schema,
/// or compared with them, the run would not end in time.
#[test]
fn a_large_schema_and_a_large_object_take_time_in_proportion() {
    let properties = |name: &str| -> String {
        (0..60_000).map(|number| format!("{name}{number}: {{type: string}}, ")).collect()
    };
    let fields =
        |name: &str| -> String { (0..60_000).map(|number| format!("{name}{number}: a, ")).collect() };
    let schema = format!(
        "{{type: object, properties: {{spec: {{type: object, properties: {{{}}}}}}}}}",
        properties("aFieldOfThem")
    );
    assert!(schema.len() > 2_000_000, "{}", schema.len());
    let names =
        "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example.com\nwidget.shop.example.com/a\n";
    let known = widget(&schema, &format!("{{{}}}", fields("aFieldOfThem")));
    let unknown = format!(
        "---\napiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: b}}\nspec: {{{}}}\n",
        fields("another")
    );
    let output = Kselect::get(["-o", "name", "--validate"]).stdin(known + &unknown).run();
    assert_eq!(String::from_utf8_lossy(&output.stdout), names);
    let said = String::from_utf8_lossy(&output.stderr);
    let count = said.lines().filter(|line| line.contains("unknown field \"spec.another")).count();
    assert_eq!((output.status.code(), count), (Some(1), 100));
}

#[test]
fn objects_that_nest_deep_are_validated_or_refused() {
    let nested = |levels: usize| {
        format!(
            "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {}{}\n",
            "{a: ".repeat(levels),
            "}".repeat(levels)
        )
    };
    check(&["--validate"], &nested(900), (0, "widget.shop.example.com/a\n", ""));
    let schema = "{type: object, properties: {spec: {type: object, properties: {a: {type: object}}}}}";
    let deep = widget(schema, "{}").replace("spec: {}", nested(900).lines().last().unwrap());
    let errors = "error: STDIN:14 (document 2): strict decoding error: unknown field \"spec.a.a\"\n   |\n14 | a\n   | ^\n";
    let definition = "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example.com\n";
    check(&["--validate", "-f", "-"], &deep, (1, definition, errors));
    let error =
        "error: STDIN:4 (document 1): error converting YAML to JSON: yaml: exceeded max depth of 1000\n";
    check(&["--validate"], &nested(1_200), (1, "", error));
    // In a built-in kind.
    let pod = nested(900).replace("shop.example.com/v1", "v1").replace("Widget", "Pod");
    let errors = "error: STDIN:4 (document 1): spec.containers: Required value\n  |\n4 | spec\n  | ^^^^\n\
                  error: STDIN:4 (document 1): strict decoding error: unknown field \"spec.a\"\n  |\n4 | a\n  | ^\n";
    check(&["--validate"], &pod, (1, "", errors));
}
