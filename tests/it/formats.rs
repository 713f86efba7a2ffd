//! Formats and sort orders beyond kubectl's: KYAML, JSON lines, file names, a single CSV table, safe Markdown,
//! `--neat`, and sorting columns by meaning.

use crate::support::Kselect;

/// Two Pods and a Service as they are in a cluster.
const LIVE: &str = "\
# One.
apiVersion: v1
kind: Pod
metadata:
  creationTimestamp: \"2026-01-01T00:00:00Z\"
  name: b   # second
  uid: u-1
spec: {containers: [{name: c, image: <i>}]}
status:
  containerStatuses: [{restartCount: 2, ready: true, state: {running: {}}, name: c}]
---
apiVersion: v1
kind: Pod
metadata: {name: a, uid: u-2, creationTimestamp: \"2026-01-01T00:00:09Z\"}
spec: {containers: [{name: c}]}
status:
  containerStatuses: [{restartCount: 10, ready: false, state: {running: {}}, name: c}]
---
apiVersion: v1
kind: Service
metadata: {name: s_}
";

#[track_caller]
fn check(args: &[&str], expected: &str) {
    Kselect::get(args.iter().copied()).stdin(LIVE).now("2026-01-01T00:02:00Z").prints(expected);
}

#[test]
fn kyaml_is_a_list_or_an_object_as_in_json() {
    check(
        &["svc", "-o", "kyaml"],
        "---\n{\n  apiVersion: \"v1\",\n  items: [{\n    apiVersion: \"v1\",\n    kind: \"Service\",\n    metadata: {\n      \
         name: \"s_\",\n    },\n  }],\n  kind: \"List\",\n  metadata: {\n    resourceVersion: \"\",\n  },\n}\n",
    );
    check(
        &["svc/s_", "-o", "kyaml"],
        "---\n{\n  apiVersion: \"v1\",\n  kind: \"Service\",\n  metadata: {\n    name: \"s_\",\n  },\n}\n",
    );
    check(
        &["-q", "cm", "-o", "kyaml"],
        "---\n{\n  apiVersion: \"v1\",\n  items: [],\n  kind: \"List\",\n  metadata: {\n    resourceVersion: \"\",\n  },\n}\n",
    );
}

#[test]
fn lines_of_json_are_an_object_each_even_a_single_one() {
    check(
        &["svc/s_", "-o", "jsonl"],
        "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s_\"}}\n",
    );
    check(
        &["pods", "-o", "jsonl", "--neat", "--reverse"],
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}\n\
         {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"spec\":{\"containers\":[{\"image\":\"\\u003ci\\u003e\",\"name\":\"c\"}]}}\n",
    );
}

#[test]
fn neat_yaml_is_the_text_without_the_lines_of_a_server() {
    check(
        &["pods", "-o", "yaml", "--neat"],
        "# One.\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b   # second\nspec: {containers: [{name: c, image: <i>}]}\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}\n",
    );
}

#[test]
fn neat_is_for_whole_objects() {
    Kselect::get(["--neat"])
        .stdin(LIVE)
        .status(2)
        .stderr("error: --neat needs -o yaml, kyaml, json or jsonl\n")
        .prints_nothing();
}

#[test]
fn files_are_named_once() {
    Kselect::get(["-R", "-f", "d", "-l", "a=b", "-o", "files"])
        .file("d/none.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
        .file("d/one.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {a: b}}\n")
        .file(
            "d/two/two.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {a: b}}\n---\n".repeat(3),
        )
        .prints("d/one.yaml\nd/two/two.yaml\n");
}

/// A definition of a kind with a column SOURCE.
const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: subscriptions.operators.coreos.com}
spec:
  group: operators.coreos.com
  scope: Namespaced
  names: {kind: Subscription, plural: subscriptions, singular: subscription, shortNames: [sub], listKind: SubscriptionList}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    additionalPrinterColumns: [{name: Source, type: string, jsonPath: .spec.source}]
---
";

#[test]
fn the_file_of_an_object_has_a_header_of_its_own_in_csv() {
    let row = "{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a}, spec: {name: p, source: s, channel: c}}\n";
    let map = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}\n";
    let csv = |types: &str, expected: &str| {
        Kselect::get([types, "-o", "csv", "--show-source", "-f", "a.yaml"])
            .file("a.yaml", [DEFINITION, row, map].concat())
            .prints(expected);
    };
    csv("cm", "NAME,DATA,AGE,SOURCE\nm,0,<unknown>,a.yaml:17\n");
    csv("sub", "NAME,SOURCE,FILE\na,s,a.yaml:15\n");
    csv(
        "sub,cm",
        "KIND,NAME,SOURCE,FILE,DATA,AGE\nsubscription.operators.coreos.com,a,s,a.yaml:15,,\nconfigmap,m,,a.yaml:17,0,<unknown>\n",
    );
}

#[test]
fn csv_is_one_table() {
    check(
        &["-o", "csv"],
        "KIND,NAME,READY,STATUS,RESTARTS,AGE,TYPE,CLUSTER-IP,EXTERNAL-IP,PORT(S)\n\
         pod,b,1/1,Pending,2,2m,,,,\n\
         pod,a,0/1,Pending,10,111s,,,,\n\
         service,s_,,,,<unknown>,ClusterIP,<none>,<none>,<none>\n",
    );
    // The rows of all kinds are sorted together.
    check(
        &["-o", "csv", "--sort-by", "NAME", "--reverse"],
        "KIND,NAME,TYPE,CLUSTER-IP,EXTERNAL-IP,PORT(S),AGE,READY,STATUS,RESTARTS\n\
         service,s_,ClusterIP,<none>,<none>,<none>,<unknown>,,,\n\
         pod,b,,,,,2m,1/1,Pending,2\n\
         pod,a,,,,,111s,0/1,Pending,10\n",
    );
    check(&["pods", "-o", "csv=N:.metadata.name,I:.spec.containers[*].image"], "N,I\nb,<i>\na,<none>\n");
    check(
        &["svc", "-o", "csv=wide"],
        "NAME,TYPE,CLUSTER-IP,EXTERNAL-IP,PORT(S),AGE,SELECTOR\ns_,ClusterIP,<none>,<none>,<none>,<unknown>,<none>\n",
    );
}

#[test]
fn markdown_has_a_heading_for_each_kind_and_shows_what_is_there() {
    check(
        &["svc", "-o", "markdown=NAME:.metadata.name,IMAGE:.spec.x"],
        "| NAME | IMAGE        |\n|------|--------------|\n| s\\_  | &lt;none&gt; |\n",
    );
    Kselect::get(["cm,secret", "-o", "markdown"])
        .stdin(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
        )
        .prints(
            "### ConfigMap\n\n| NAME        | DATA | AGE             |\n|-------------|------|-----------------|\n\
             | configmap/a | 0    | &lt;unknown&gt; |\n\n### Secret\n\n\
             | NAME     | TYPE   | DATA | AGE             |\n|----------|--------|------|-----------------|\n\
             | secret/b | Opaque | 0    | &lt;unknown&gt; |\n",
        );
}

#[test]
fn columns_are_sorted_by_what_they_mean_in_every_format() {
    check(&["pods", "-o", "name", "--sort-by", "NAME"], "pod/a\npod/b\n");
    check(&["pods", "-o", "name", "--sort-by", "RESTARTS"], "pod/b\npod/a\n");
    check(&["pods", "-o", "name", "--sort-by", "RESTARTS", "--reverse"], "pod/a\npod/b\n");
    check(&["pods", "-o", "name", "--sort-by", "AGE"], "pod/a\npod/b\n");
    check(
        &["pods", "--sort-by", "READY", "--no-headers"],
        "a     0/1   Pending   10    111s\nb     1/1   Pending   2     2m\n",
    );
    Kselect::get(["pods", "--sort-by", "NOSUCH"])
        .stdin(LIVE)
        .status(1)
        .stderr("error: no selected object has a column \"NOSUCH\" to sort by\n")
        .prints_nothing();
}

#[test]
fn without_a_key_the_order_of_the_input_is_reversed() {
    check(&["-o", "name", "--reverse"], "service/s_\npod/a\npod/b\n");
}

#[test]
fn the_source_of_an_object_is_beside_it() {
    let pod = "# A pod.\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    Kselect::get(["-o", "jsonl", "--show-source", "-f", "p.yaml"]).file("p.yaml", pod).prints(
        "{\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}},\"source\":\"p.yaml:2\"}\n",
    );
}

#[test]
fn md_is_markdown() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    for (format, long) in [("md", "markdown"), ("md=N:.metadata.name", "markdown=N:.metadata.name")] {
        let long = Kselect::get(["-o", long]).stdin(pod).run().stdout;
        Kselect::get(["-o", format]).stdin(pod).prints(long);
    }
}

#[test]
fn a_template_for_several_objects_of_a_name_gets_their_list_and_that_is_said() {
    let map = |value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{x: '{value}'}}\n")
    };
    let get = |template: &'static str, files: &[&'static str]| {
        let files = files.iter().flat_map(|file| ["-f", file]);
        Kselect::get(["cm/a", "-o", template].into_iter().chain(files))
            .file("1.yaml", map("1"))
            .file("2.yaml", map("2"))
    };
    get("jsonpath={.data.x}", &["1.yaml"]).prints("1");
    let note = "kselect: the template is given the List of 2 objects with that name: {.items[*]...}; a file or -n chooses one\n";
    get("jsonpath={.data.x}", &["1.yaml", "2.yaml"]).stderr(note).prints("");
    get("jsonpath={.items[*].data.x}", &["1.yaml", "2.yaml"]).stderr(note).prints("1 2");
}
