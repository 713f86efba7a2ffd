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
fn an_object_of_which_another_field_cannot_be_read_is_there() {
    let input = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: web, labels: {x: false}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, image: 'i:1', envFrom: [{configMapRef: {name: web}}, {configMapRef: {name: other}}]}]}
";
    let run = |args: &[&str]| Kselect::new(args.iter().copied()).file("in.yaml", input);
    let error = "error: in.yaml:3 (document 1): json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string\n\
                 hint: without quotes, false is a bool; write \"false\" in quotes\n";
    for args in ["cm web", "cm -l a=b", "cm/web --ignore-not-found", "-l a=b"] {
        let args: Vec<&str> = ["get", "-f", "in.yaml"].into_iter().chain(args.split(' ')).collect();
        run(&args).status(1).stderr(error).prints_nothing();
    }
    // It does not hide that there is nothing of another type.
    run(&["get", "secret", "-f", "in.yaml"])
        .status(1)
        .stderr(format!(
            "{error}No resources found\nkselect: read 2 objects, none of the requested type; kselect count lists the kinds in the input\n"
        ))
        .prints_nothing();
    run(&["get", "cm/none", "-f", "in.yaml"])
        .status(1)
        .stderr(format!("{error}error: configmaps \"none\" not found\n"))
        .prints_nothing();
    run(&["tree", "pod/a", "-f", "in.yaml", "--no-headers"]).status(1).stderr(error).prints(
        "pod/a                              -      0/1   Pending   <unknown>\n\
         ├─configmap/web (cannot be read)   uses   -     -         -\n\
         └─configmap/other                  uses   -     -         <unknown>\n",
    );
    run(&["check", "-f", "in.yaml", "--only", "dangling-reference"])
        .status(1)
        .stderr(format!("{error}checked 2 objects in 1 file: 1 error\n"))
        .prints_nothing();
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

/// A directory with one document of each kind that is skipped, beside one object.
fn repository(args: &[&str]) -> Kselect {
    let object = |name: &str| MAP.replace("name: a", &format!("name: {name}"));
    Kselect::new(args.iter().copied())
        .file("d/a.yaml", MAP)
        .file("d/chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n")
        .file("d/chart/templates/head.yaml", "kind: Service\nmetadata:\n  name: {{ .Values.name }}\n")
        .file(
            "d/chart/templates/body.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - targetPort: {{ .Values.port }}\n",
        )
        .file(
            "d/chart/templates/lines.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  {{- toYaml .Values.spec | nindent 2 }}\n",
        )
        .file("d/encrypted.json", "{\"data\": \"ENC[AES256_GCM,data:YQ==,type:str]\", \"sops\": {}}")
        .file(
            "d/encrypted.yaml",
            "apiVersion: ENC[AES256_GCM,data:YQ/b/c==,type:str]\nkind: ENC[AES256_GCM,data:YQ==,type:str]\nmetadata:\n  name: a\n",
        )
        .file("d/grafana.yaml", "apiVersion: 1\ndatasources: []\n")
        .file("d/kustomize/kustomization.yaml", "resources: [https://example.com/base]\npatches:\n- path: patch.yaml\n")
        .file("d/kustomize/patch.yaml", object("patched"))
        .file("d/schema.json", "{\"$schema\": \"http://json-schema.org/schema#\", \"type\": \"object\"}")
        .file("d/strategic.yaml", object("b") + "$patch: delete\n")
        .file("d/test/00-assert.yaml", object("expected") + "(length(spec.a)): 1\n")
        .file("d/test/01-apply.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: |\n    {{ x }}\n")
        .file("d/tsconfig.json", "{\n  // c\n  \"files\": [], // d\n}\n")
}

#[test]
fn a_document_is_the_same_for_every_command_and_format() {
    let skipped = "\
kselect: skipped 3 templates, 1 file of a Helm chart, 1 kustomization, 2 patches, 1 JSON schema, 1 step of a test, 1 \
configuration of a tool, 2 encrypted documents, 1 document that is not a Kubernetes object; render templates first: helm template CHART | kselect ...
";
    for (args, printed) in [
        (&["get", "-o", "name"][..], "configmap/a\nconfigmap/c\n"),
        (&["get"], "NAME   DATA   AGE\na      0      <unknown>\nc      1      <unknown>\n"),
        (&["get", "-o", "jsonpath={.items[*].metadata.name}"], "a c"),
        (&["get", "-o", "files", "--validate"], "d/a.yaml\nd/test/01-apply.yaml\n"),
        (&["count"], "COUNT   KIND\n2       configmap\n"),
    ] {
        let args = [args, &["-R", "-f", "d"]].concat();
        repository(&args).stderr(skipped).prints(printed);
    }
    let counted = "checked 2 objects in 2 files: no findings; left out: 3 templates, 1 file of a Helm chart, 2 patches, 2 \
                   encrypted documents, and 6 more (--skipped)\n";
    repository(&["check", "-R", "-f", "d"]).stderr(counted).prints_nothing();
    repository(&["label", "-R", "-f", "d", "--all", "x=y", "--dry-run=client"]).stderr(skipped).prints(
        "d/a.yaml: configmap/a labeled (dry run)\nd/test/01-apply.yaml: configmap/c labeled (dry run)\n",
    );
}

#[test]
fn an_object_that_holds_patches_is_none() {
    let of =
        |group: &str, rest: &str| format!("apiVersion: {group}/v1\nkind: A\nmetadata: {{name: a}}\n{rest}\n");
    let anchor =
        "spec:\n  rules:\n  - mutate:\n      patchStrategicMerge:\n        spec:\n        - (name): b";
    let removes = "spec:\n  patches:\n  - $patch: delete";
    let check = |text: String, note: &str| {
        let printed = if note.is_empty() { "a.kyverno.io/a\n" } else { "" };
        Kselect::new(["get", "-R", "-f", ".", "-o", "name"])
            .file("a.yaml", text)
            .stderr(note)
            .prints(printed);
    };
    check(of("kyverno.io", anchor), "");
    check(of("kyverno.io", removes), "");
    check(of("example.com", anchor), "kselect: skipped 1 step of a test\n");
    check(of("example.com", removes), "kselect: skipped 1 patch\n");
    check(of("kyverno.io", "$patch: delete"), "kselect: skipped 1 patch\n");
    let proxy = of("kyverno.io", "spec:\n  patch:\n    value: {$patch: delete}")
        .replace("kyverno.io/v1", "example.com/v1");
    Kselect::new(["get", "-f", "-", "-o", "name"]).stdin(proxy).prints("a.example.com/a\n");
}

#[test]
fn skipped_documents_are_listed_with_the_reason() {
    repository(&["get", "-o", "name", "-R", "-f", "d", "--skipped"])
        .stderr(
            "\
kselect: skipped d/chart/Chart.yaml:1 (document 1): file of a Helm chart
kselect: skipped d/chart/templates/body.yaml:7 (document 1): template
kselect: skipped d/chart/templates/head.yaml:3 (document 1): template
kselect: skipped d/chart/templates/lines.yaml:6 (document 1): template
kselect: skipped d/encrypted.json:1 (document 1): encrypted document
kselect: skipped d/encrypted.yaml:1 (document 1): encrypted document
kselect: skipped d/grafana.yaml:1 (document 1): configuration of a tool
kselect: skipped d/kustomize/kustomization.yaml:1 (document 1): kustomization
kselect: skipped d/kustomize/patch.yaml:1 (document 1): patch
kselect: skipped d/schema.json:1 (document 1): JSON schema
kselect: skipped d/strategic.yaml:1 (document 1): patch
kselect: skipped d/test/00-assert.yaml:1 (document 1): step of a test
kselect: skipped d/tsconfig.json:2 (document 1): document that is not a Kubernetes object
",
        )
        .prints("configmap/a\nconfigmap/c\n");
}

#[test]
fn a_template_that_is_named_is_an_error_in_every_format() {
    for output in ["name", "json", "yaml", "jsonl"] {
        let printed = if output == "json" { EMPTY_LIST } else { "" };
        repository(&["get", "-o", output, "-f", "d/chart/templates/lines.yaml"])
            .status(1)
            .stderr(
                "\
error: d/chart/templates/lines.yaml:6 (document 1): error converting YAML to JSON: yaml: did not find expected node content
  |
6 |   {{- toYaml .Values.spec | nindent 2 }}
  |     ^
hint: this looks like a Helm template; render it first: helm template CHART | kselect ...
",
            )
            .prints(printed);
    }
}

#[test]
fn a_pod_without_a_kind_is_one_whatever_its_file_is_called() {
    let object = |spec: &str| {
        format!("{{\"metadata\": {{\"name\": \"etcd-nodes\", \"uid\": \"a\"}}, \"spec\": {spec}}}")
    };
    let read = |spec: &str| {
        Kselect::get(["-o", "name", "-R", "-f", "b"]).file("b/etcd-nodes/etcd-nodes.json", object(spec))
    };
    read("{\"containers\": []}").prints("pod/etcd-nodes\n");
    read("{\"unschedulable\": true}").prints("node/etcd-nodes\n");
}

#[test]
fn audit_logs_and_descriptions_of_the_api_are_said_to_be_that() {
    let entry = "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"auditID\":\"a\"}\n";
    Kselect::get(["events", "-A", "-R", "-f", "d"])
        .file("d/audit.json", entry.repeat(3))
        .file(
            "d/apis.json",
            "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"v1\",\"resources\":[]}",
        )
        .file("d/swagger.json", "{\"swagger\": \"2.0\", \"info\": {\"title\": \"a\"}, \"paths\": {}}")
        .stderr("kselect: skipped 3 entries of audit logs, 2 descriptions of the API\nNo resources found\n")
        .prints_nothing();
    // Support bundles have them as arrays.
    let resources = "[{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[]},\
                     {\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"apps/v1\",\"resources\":[]}]";
    let groups = "[{\"name\":\"\",\"versions\":[{\"groupVersion\":\"v1\",\"version\":\"v1\"}],\
                  \"preferredVersion\":{\"groupVersion\":\"v1\",\"version\":\"v1\"}}]";
    let bundle = |args: &[&'static str]| {
        Kselect::get(args.iter().copied())
            .file("b/cluster-resources/resources.json", resources)
            .file("b/cluster-resources/groups.json", groups)
    };
    bundle(&["-R", "-f", "b"])
        .stderr("kselect: skipped 3 descriptions of the API\nNo resources found\n")
        .prints_nothing();
    bundle(&["-f", "b/cluster-resources/resources.json"])
        .stderr("kselect: skipped 2 descriptions of the API\nNo resources found\n")
        .prints_nothing();
}

#[test]
fn an_error_of_kubectl_in_a_dump_is_said_to_be_one() {
    let forbidden =
        "Error from server (Forbidden): secrets is forbidden: User \"x\" cannot list resource \"secrets\"\n";
    Kselect::get(["-o", "name", "-f", "d"])
        .file("d/a.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: a}}")
        .file("d/secrets.yaml", forbidden)
        .status(1)
        .stderr(
            "\
error: d/secrets.yaml:1 (document 1): error converting YAML to JSON: yaml: mapping values are not allowed in this context
  |
1 | Error from server (Forbidden): secrets is forbidden: User \"x\" cannot list resource \"secrets\"
  |                                                    ^
hint: kubectl printed this error in place of objects, so the input lacks them
",
        )
        .prints("pod/a\n");
}

/// Troubleshoot notes a ConfigMap or a Secret that was asked for in a file of its own (pkg/collect/configmap.go, secret.go).
#[test]
fn what_troubleshoot_notes_of_config_maps_and_secrets_is_these_objects() {
    let bundle = |args: &[&'static str]| {
        Kselect::new(args.iter().copied().chain(["-A", "-R", "-f", "bundle"]))
            .file(
                "bundle/configmaps/shop/web.json",
                r#"{"namespace": "shop", "name": "web", "key": "", "configMapExists": true, "keyExists": false, "data": {"a": "b"}}"#,
            )
            .file(
                "bundle/secrets/shop/db/password.json",
                r#"{"namespace": "shop", "name": "db", "key": "password", "secretExists": true, "keyExists": true}"#,
            )
            .file(
                "bundle/secrets/shop/gone.json",
                r#"{"namespace": "shop", "name": "gone", "key": "", "secretExists": false, "keyExists": false}"#,
            )
    };
    bundle(&["get", "cm,secret", "-o", "name"]).prints("configmap/web\nsecret/db\n");
    bundle(&["get", "cm", "-o", "jsonl"]).prints(
        "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\"}}\n",
    );
}

/// A field of a note, or of a list of internal types, makes neither of an object or of a file of another tool.
#[test]
fn fields_of_notes_and_of_internal_types_hide_no_object() {
    for fields in ["secretExists: false", "configMapExists: true", "selfLink: /api/v1/pods\nItems: []"] {
        // The anchor has the full parser read it.
        let object = format!(
            "x: &x 1\napiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nname: a\nkeyExists: true\n{fields}\nspec: {{}}\n"
        );
        Kselect::new(["get", "-o", "name"]).stdin(object).prints("pod/a\n");
    }
    for values in ["secretExists: true\nname: a\n", "configMapExists: false\nkeyExists: true\n"] {
        Kselect::new(["get", "-o", "name", "-R", "-f", "."])
            .file("values.yaml", values)
            .stderr("kselect: skipped 1 file of a Helm chart\n")
            .prints("");
    }
}

/// kubectl up to 1.10 printed internal types, whose fields have the names that Go has.
#[test]
fn lists_of_internal_types_are_read_as_those_of_the_api() {
    let pods = r#"{"selfLink": "/api/v1/namespaces/shop/pods", "resourceVersion": "7", "Items": [
  {"name": "web", "namespace": "shop", "uid": "u", "labels": {"App": "web"},
   "Spec": {"NodeSelector": {"Disk": "ssd"}, "SecurityContext": {"HostNetwork": true, "FSGroup": 1},
    "Containers": [{"Name": "c", "Image": "i", "TTY": false, "Command": null, "Resources": {"Limits": {"cpu": "1"}}}]},
   "Status": {"PodIP": "10.0.0.1", "ContainerStatuses": [{"Name": "c", "LastTerminationState": {"Terminated": {"ExitCode": 1}}}]}}]}"#;
    let deployments = r#"{"selfLink": "/apis/extensions/v1beta1/namespaces/shop/deployments", "Items": [{"name": "web",
   "Spec": {"Selector": {"matchLabels": {"a": "b"}}, "Template": {"labels": {"a": "b"}, "Spec": {"DNSPolicy": "Default"}}}}]}"#;
    let dump = |args: &[&'static str]| {
        Kselect::new(args.iter().copied().chain(["-A", "-R", "-f", "dump"]))
            .file("dump/shop/pods.json", pods)
            .file("dump/shop/deployments.json", deployments)
    };
    dump(&["get", "pods", "-o", "jsonl"]).prints(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"labels\":{\"App\":\"web\"},\"name\":\"web\",\"namespace\":\"shop\",\
         \"uid\":\"u\"},\"spec\":{\"containers\":[{\"image\":\"i\",\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"1\"}},\
         \"tty\":false}],\"hostNetwork\":true,\"nodeSelector\":{\"Disk\":\"ssd\"},\"securityContext\":{\"fsGroup\":1}},\"status\":\
         {\"containerStatuses\":[{\"lastState\":{\"terminated\":{\"exitCode\":1}},\"name\":\"c\"}],\"podIP\":\"10.0.0.1\"}}\n",
    );
    dump(&["get", "deploy", "-o", "jsonl"]).prints(
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\"},\"spec\":{\"selector\":{\"matchLabels\":\
         {\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"dnsPolicy\":\"Default\"}}}}\n",
    );
    dump(&["get", "pods", "-o", "jsonpath={.items[0].metadata.name}"]).prints("web");
}
