//! `kselect diff`.

use crate::support::Kselect;

const OLD: &str = "\
# The front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    chart: shop-1
spec:
  replicas: 1   # one will do
  paused: false
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gone, namespace: shop}
---
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: same}
spec: {a: 1, b: [x]}
";

const NEW: &str = "\
{apiVersion: networking.k8s.io/v1beta1, kind: Ingress, spec: {b: ['x'], a: 0x1, c: null}, metadata: {name: \"same\"}}
---
# The front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    chart: shop-2
spec:
  replicas: 2   # one will do
  paused: false
---
apiVersion: v1
kind: Service
metadata: {name: new, namespace: shop}
";

fn diff(args: &[&str], old: &str, new: &str) -> Kselect {
    Kselect::new(["diff", "a.yaml", "b.yaml"].iter().chain(args).copied())
        .file("a.yaml", old)
        .file("b.yaml", new)
}

#[test]
fn each_object_that_differs_is_shown_in_the_authors_words() {
    diff(&[], OLD, NEW).status(1).prints(
        "--- a.yaml:2\tshop/deployment.apps/web\n\
         +++ b.yaml:4\tshop/deployment.apps/web\n\
         @@ -5,7 +5,7 @@\n   name: web\n   namespace: shop\n   labels:\n-    chart: shop-1\n+    chart: shop-2\n spec:\n\
         -  replicas: 1   # one will do\n+  replicas: 2   # one will do\n   paused: false\n\
         --- a.yaml:13\tshop/configmap/gone\n\
         +++ /dev/null\n\
         @@ -1,3 +0,0 @@\n-apiVersion: v1\n-kind: ConfigMap\n-metadata: {name: gone, namespace: shop}\n\
         --- /dev/null\n\
         +++ b.yaml:15\tshop/service/new\n\
         @@ -0,0 +1,3 @@\n+apiVersion: v1\n+kind: Service\n+metadata: {name: new, namespace: shop}\n\
         1 changed, 1 added, 1 removed, 1 unchanged\n",
    );
}

#[test]
fn layout_and_order_do_not_matter() {
    let reordered = "kind: Pod\nmetadata:\n    name: 'a'\napiVersion: v1\n---\n";
    diff(&[], "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n", reordered)
        .prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
}

#[test]
fn fields_added_by_a_server_are_ignored_on_request() {
    let written = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {k: v}\n";
    let live = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    \
                kubectl.kubernetes.io/last-applied-configuration: x\n  creationTimestamp: '2026-01-01T00:00:00Z'\n  \
                name: a\n  uid: '1'\ndata:\n  k: v\nstatus: {a: b}\n";
    diff(&["--neat"], written, live).prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
    diff(&["--neat"], written, &live.replace("k: v", "k: w")).status(1).prints(
        "--- a.yaml:1\tdefault/configmap/a\n\
         +++ b.yaml:1\tdefault/configmap/a\n\
         @@ -2,4 +2,4 @@\n kind: ConfigMap\n metadata:\n   name: a\n-data: {k: v}\n+data: {k: w}\n\
         1 changed, 0 added, 0 removed, 0 unchanged\n",
    );
    diff(&["-o", "name"], written, live).status(1).prints("~ configmap/a\n");
}

#[test]
fn nodes_that_a_pod_fits_are_compared_and_all_namespaces_override_one() {
    let input = |range: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: a, labels: {{disk: ssd}}}}\nspec: {{podCIDR: {range}}}\n---\n\
             apiVersion: v1\nkind: Node\nmetadata: {{name: b}}\nspec: {{podCIDR: {range}}}\n---\n\
             apiVersion: v1\nkind: Pod\nmetadata: {{name: web, namespace: shop}}\n\
             spec: {{nodeSelector: {{disk: ssd}}, hostname: 'n{}'}}\n",
            range.len()
        )
    };
    let (old, new) = (input("10.0.0.0/24"), input("10.0.1.0/8"));
    diff(&["--fits", "shop/pod/web", "-o", "name"], &old, &new).status(1).prints("~ node/a\n");
    diff(&["pods", "-n", "other", "-A", "-o", "name"], &old, &new).status(1).prints("~ pod/web\n");
}

#[test]
fn ignored_fields_are_not_shown_and_do_not_count() {
    diff(&["deploy", "--ignore", "label:chart"], OLD, NEW).status(1).prints(
        "--- a.yaml:2\tshop/deployment.apps/web\n+++ b.yaml:4\tshop/deployment.apps/web\n\
         @@ -5,5 +5,5 @@\n   name: web\n   namespace: shop\n spec:\n-  replicas: 1   # one will do\n\
         +  replicas: 2   # one will do\n   paused: false\n1 changed, 0 added, 0 removed, 0 unchanged\n",
    );
    diff(&["deploy", "--ignore", "label:chart", "--ignore", ".spec.replicas", "-o", "name"], OLD, NEW)
        .prints("");
    diff(&["--ignore", ".a["], OLD, NEW)
        .status(2)
        .stderr("error: --ignore: unterminated array\n |\n | .a[\n |   ^\n")
        .prints_nothing();
}

#[test]
fn the_formats_name_count_and_list() {
    diff(&["-o", "name"], OLD, NEW)
        .status(1)
        .prints("~ deployment.apps/web\n- configmap/gone\n+ service/new\n");
    // Where an object has moved, its name is not enough.
    diff(&["-o", "name"], OLD, &OLD.replacen("shop", "lab", 1))
        .status(1)
        .prints("- shop/deployment.apps/web\n+ lab/deployment.apps/web\n");
    diff(&["-o", "wide"], OLD, NEW).status(1).prints(
        "CHANGE    NAMESPACE   NAME                  FIELDS\n\
         changed   shop        deployment.apps/web   .metadata.labels.chart,.spec.replicas\n\
         removed   shop        configmap/gone        <none>\n\
         added     shop        service/new           <none>\n",
    );
    diff(&["-o", "summary"], OLD, NEW).status(1).prints(
        "KIND                        CHANGED   ADDED   REMOVED   UNCHANGED\n\
         configmap                   0         0       1         0\n\
         deployment.apps             1         0       0         0\n\
         service                     0         1       0         0\n\
         ingress.networking.k8s.io   0         0       0         1\n",
    );
    diff(&["deploy", "-o", "json"], OLD, NEW).status(1).prints(
        "[\n    {\"change\": \"changed\", \"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"namespace\": \"shop\", \
         \"name\": \"web\", \"paths\": [{\"path\": \".metadata.labels.chart\", \"old\": \"shop-1\", \"new\": \"shop-2\"}, \
         {\"path\": \".spec.replicas\", \"old\": 1, \"new\": 2}]}\n]\n",
    );
}

#[test]
fn paths_show_the_old_and_the_new_value() {
    diff(&["-o", "paths"], OLD, NEW).status(1).prints(
        "~ shop/deployment.apps/web\n    metadata.labels.chart: shop-1 -> shop-2\n    spec.replicas: 1 -> 2\n\
         - shop/configmap/gone\n+ shop/service/new\n",
    );
    let pod = |spec: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n{spec}");
    let old = pod(
        "  containers:\n  - name: a\n    image: x:1\n    args: [--a, --b]\n  - {name: b}\n  note: \"1\"\n  text: |\n    x\n    y\n",
    );
    let new = pod(
        "  containers:\n  - name: b\n  - name: a\n    args: [--c, --b, --d]\n    image: x:2\n  note: 1\n  text: |\n    x\n    z\n  more: {a: [b]}\n",
    );
    diff(&["-o", "paths"], &old, &new).status(1).prints(
        "~ default/pod/a\n    spec.containers[*].name: [\"a\",\"b\"] -> [\"b\",\"a\"]\n    \
         spec.containers[?(@.name==\"a\")].image: x:1 -> x:2\n    \
         spec.containers[?(@.name==\"a\")].args[0]: --a -> --c\n    \
         spec.containers[?(@.name==\"a\")].args[2]: <none> -> --d\n    \
         spec.note: \"1\" -> 1\n    spec.text:\n      - y\n      + z\n    spec.more: <none> -> {\"a\":[\"b\"]}\n",
    );
    let text = |end: &str| pod(&format!("  text: |{end}\n    x\n"));
    diff(&["-o", "paths"], &text(""), &text("-"))
        .status(1)
        .prints("~ default/pod/a\n    spec.text: \"x\\n\" -> x\n");
    // A path can be ignored.
    let ignored = ["--ignore", "spec.containers[?(@.name==\"b\")].image", "-o", "name"];
    let spec =
        |image: &str| pod(&format!("  containers: [{{name: a, image: x}}, {{name: b, image: {image}}}]\n"));
    diff(&ignored, &spec("x"), &spec("y")).prints("");
    let secret = |value: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData: {{a: {value}, b: c}}\n")
    };
    diff(&["-o", "paths"], &secret("hunter2"), &secret("hunter3"))
        .status(1)
        .prints("~ default/secret/a\n    stringData.a: *** (before) -> *** (after)\n");
}

#[test]
fn live_objects_are_compared_without_what_always_differs() {
    let dump = |version: u32, phase: &str| {
        let lease = format!(
            "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {{name: l, uid: u1, resourceVersion: '{version}'}}\nspec: {{renewTime: '{version}'}}\n"
        );
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  uid: u2\n  resourceVersion: '{version}'\nstatus:\n  phase: {phase}\n"
        );
        [lease, pod].join("---\n")
    };
    let note = "kselect: both inputs are live, so resourceVersion, managedFields, heartbeats, Leases and Events are left out; --live=false compares them\n";
    let (old, new) = (dump(1, "Running"), dump(2, "Failed"));
    diff(&["-o", "paths"], &old, &new)
        .status(1)
        .stderr(note)
        .prints("~ default/pod/a\n    status.phase: Running -> Failed\n");
    diff(&["-o", "name"], &old, &dump(2, "Running")).stderr(note).prints("");
    diff(&["-o", "summary"], &old, &dump(2, "Running"))
        .stderr(note)
        .prints("KIND            CHANGED   ADDED   REMOVED   UNCHANGED\n(other kinds)   0         0       0         1\n");
    diff(&["-o", "name", "--live=false"], &old, &new)
        .status(1)
        .prints("~ lease.coordination.k8s.io/l\n~ pod/a\n");
    diff(&["lease", "-o", "name", "--live"], &old, &new).status(1).prints("~ lease.coordination.k8s.io/l\n");
}

#[test]
fn objects_are_paired_across_versions_of_a_group() {
    let old = "{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: a}}\n";
    let new = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}\n";
    diff(&["-o", "wide"], old, new).status(1).prints(
        "CHANGE    NAMESPACE   NAME                          FIELDS\n\
         changed   default     ingress.networking.k8s.io/a   .apiVersion\n",
    );
}

#[test]
fn of_copies_the_newest_counts() {
    let pod = |version: u32, phase: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: a, resourceVersion: '{version}'}}, status: {{phase: {phase}}}}}\n"
        )
    };
    let old = [pod(9, "Running"), pod(10, "Failed")].join("---\n");
    let new = [pod(10, "Failed"), pod(9, "Running"), pod(10, "Failed")].join("---\n");
    diff(&["-o", "name"], &old, &new)
        .stderr("kselect: left out 3 copies of objects; kselect get --all-copies shows them\n")
        .prints("");
}

#[test]
fn secrets_are_masked() {
    let secret = |password: &str, user: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  password: {password}\n  user: {user}\n"
        )
    };
    diff(&[], &secret("hunter2", "me"), &secret("hunter3", "me")).status(1).prints(
        "--- a.yaml:1\tdefault/secret/a\n+++ b.yaml:1\tdefault/secret/a\n@@ -2,5 +2,5 @@\n kind: Secret\n metadata: {name: a}\n \
         stringData:\n-  password: *** (before)\n+  password: *** (after)\n   user: ***\n\
         1 changed, 0 added, 0 removed, 0 unchanged\n",
    );
}

#[test]
fn json_and_yaml_are_compared_as_yaml() {
    Kselect::new(["diff", "a.json", "-"])
        .file("a.json", r#"{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"nodeName": "x"}}"#)
        .stdin("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  nodeName: z\n")
        .status(1)
        .prints(
            "--- a.json:1\tdefault/pod/a\n+++ STDIN:1\tdefault/pod/a\n@@ -3,4 +3,4 @@\n metadata:\n   name: a\n spec:\n\
             -  nodeName: x\n+  nodeName: z\n1 changed, 0 added, 0 removed, 0 unchanged\n",
        );
}

#[test]
fn trouble_is_status_2() {
    for args in [&["diff", "-", "-"][..], &["diff", "-f", "a.yaml", "a.yaml", "b.yaml"]] {
        let output = Kselect::new(args.iter().copied()).stdin(OLD).run();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    let output = diff(&[], OLD, "kind: [\n").run();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn manifests_that_say_the_same_name_are_paired_in_order() {
    let map = |name: &str, value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{{name}}}\ndata: {{a: '{value}'}}\n")
    };
    for name in ["name: t", "generateName: t-"] {
        let [old, new] = ["1", "9"].map(|first| [map(name, first), map(name, "2")].join("---\n"));
        let shown = if name == "name: t" { "~ configmap/t\n" } else { "~ configmap/<unknown>\n" };
        diff(&["-o", "name"], &old, &new).status(1).prints(shown);
        diff(&["-o", "name"], &old, &old).prints("");
    }
    let two = [map("name: t", "1"), map("name: t", "2")].join("---\n");
    diff(&["-o", "name"], &two, &map("name: t", "1")).status(1).prints("- configmap/t\n");
}

#[test]
fn an_input_that_cannot_be_read_is_an_error_and_its_objects_are_not_missing() {
    Kselect::new(["diff", "a.yaml", "b.yaml"])
        .file("a.yaml", OLD)
        .status(2)
        .stderr("error: the path \"b.yaml\" does not exist\n")
        .prints_nothing();
    let broken = "a: b: c\n";
    let error = |file: &str, line: usize, document: usize| {
        format!(
            "error: {file}:{line} (document {document}): error converting YAML to JSON: yaml: mapping values are not \
             allowed in this context\n   |\n{line:2} | a: b: c\n   |     ^\n"
        )
    };
    let first = error("a.yaml", 1, 1).replace("   |", "  |").replace(" 1 |", "1 |");
    diff(&[], broken, NEW).status(2).stderr(first).prints_nothing();
    // Objects of both inputs are compared; any of the others may be in the document that is broken.
    let note = |has: &str, lacks: &str| {
        format!("kselect: left out 1 object that only {has} has, because {lacks} has errors\n")
    };
    let old = format!("{OLD}---\n{broken}");
    diff(&["-o", "name"], &old, NEW)
        .status(2)
        .stderr(format!("{}{}", error("a.yaml", 22, 4), note("b.yaml", "a.yaml")))
        .prints("~ deployment.apps/web\n- configmap/gone\n");
    let new = format!("{NEW}---\n{broken}");
    diff(&["-o", "name"], OLD, &new)
        .status(2)
        .stderr(format!("{}{}", error("b.yaml", 19, 4), note("a.yaml", "b.yaml")))
        .prints("~ deployment.apps/web\n+ service/new\n");
}

#[test]
fn the_status_is_the_same_if_the_reader_stops_early() {
    let pods = |value: &str| -> String {
        let pod = |number| {
            format!("---\napiVersion: v1\nkind: Pod\nmetadata: {{name: a{number}}}\nspec: {value}\n")
        };
        (0..5000).map(pod).collect()
    };
    diff(&[], &pods("{a: b}"), &pods("{a: c}")).status(1).prints_first("--- a.yaml");
    diff(&["-o", "name"], &pods("{a: b}"), &pods("{a: c}")).status(1).prints_first("~ pod/a0\n");
}

#[test]
fn nothing_selected_is_status_4_on_request() {
    let stderr = "kselect: nothing is selected in a.yaml\nkselect: nothing is selected in b.yaml\n";
    let same = "0 changed, 0 added, 0 removed, 0 unchanged\n";
    diff(&["-l", "a=b"], OLD, NEW).stderr(stderr).prints(same);
    diff(&["-l", "a=b", "-e"], OLD, NEW).status(4).stderr(stderr).prints(same);
    diff(&["deploy", "-e"], OLD, OLD).prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
}

#[test]
fn kustomizations_alone_are_no_objects_but_can_be_built() {
    Kselect::new(["diff", "a", "b"])
        .file("a/kustomization.yaml", "resources: [../base]\n")
        .file("b/kustomization.yaml", "resources: [../base]\nnamespace: b\n")
        .status(2)
        .stderr(
            "kselect: skipped 2 kustomizations\nkselect: nothing is selected in a\nkselect: nothing is selected in b\n\
             error: no object was read, so nothing was compared\nhint: -k compares what kustomize builds: kselect diff -k a -k b\n",
        )
        .prints("0 changed, 0 added, 0 removed, 0 unchanged\n");
    Kselect::new(["diff", "a", "b"])
        .file("a/kustomization.yaml", "resources: [x]\n")
        .file("b/kustomization.yaml", "resources: [x]\n")
        .file("a/x/a.yaml", OLD)
        .status(2)
        .stderr(
            "kselect: skipped 2 kustomizations\nkselect: nothing is selected in a\nkselect: nothing is selected in b\n\
             error: no object was read, so nothing was compared\nhint: -k compares what kustomize builds: kselect diff -k a -k b; \
             -R compares the files below: kselect diff -R a b\n",
        )
        .prints("0 changed, 0 added, 0 removed, 0 unchanged\n");
    // Directories that others are in cannot be built.
    Kselect::new(["diff", "-R", "a", "b"])
        .file("a/x/kustomization.yaml", "resources: [../base]\n")
        .file("b/x/kustomization.yaml", "resources: [../base]\n")
        .status(2)
        .stderr(
            "kselect: skipped 2 kustomizations\nkselect: nothing is selected in a\nkselect: nothing is selected in b\n\
             error: no object was read, so nothing was compared\n",
        )
        .prints("0 changed, 0 added, 0 removed, 0 unchanged\n");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_status_2() {
    let host = Kselect::new([]).file("a.yaml", OLD).file("b.yaml", NEW);
    let full = std::fs::File::create("/dev/full").expect("a device");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kselect"));
    let output = command.args(["diff", "a.yaml", "b.yaml"]).current_dir(host.path()).stdout(full).output();
    let output = output.expect("kselect runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: no space left on device\n");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn inputs_are_arguments() {
    for args in [&["diff", "-f", "a.yaml", "b.yaml"][..], &["diff", "--filename=a.yaml"]] {
        Kselect::new(args.iter().copied())
            .status(2)
            .stderr(
                "error: unexpected argument '--filename' found\n\
                 hint: diff takes its two inputs as arguments, of which -k DIR may be one: kselect diff A B\n",
            )
            .prints("");
    }
}

#[test]
fn what_was_not_compared_is_said() {
    let map = |name: &str, data: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{data}'}}\n")
    };
    let compare = |args: &[&'static str]| {
        Kselect::new(["diff", "a", "b"].iter().chain(args).copied())
            .file("a/m.yaml", map("a", "1"))
            .file("a/config.yaml", "image: web\n")
            .file("b/m.yaml", map("a", "1"))
            .file("b/config.yaml", "image: web\n")
    };
    let same = "0 changed, 0 added, 0 removed, 1 unchanged\n";
    compare(&[]).stderr("kselect: skipped 2 documents that are not Kubernetes objects\n").prints(same);
    // Whether the inputs are the same is not known if a condition cannot be evaluated.
    let output = compare(&["--where", "spec.replicas > 1"]).run();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("error: left out 2 objects"), "{stderr}");

    let state = |uid: u8, version: u8| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, uid: u{uid}, resourceVersion: '{version}'}}\n"
        )
    };
    let old = [state(1, 5), state(2, 9)].join("---\n");
    diff(&["--live=false", "-o", "name"], &old, &state(2, 9))
        .stderr("kselect: left out 1 copy of an object; kselect get --all-copies shows it\n")
        .prints("");
}

#[test]
fn objects_named_after_their_contents_are_compared_with_those_they_replace() {
    let map = |hash: &str, value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{hash}\ndata:\n  a: \"{value}\"\n  b: x\n"
        )
    };
    let diff = |args: &[&str], old: String, new: String| {
        Kselect::new(["diff", "old.yaml", "new.yaml"].iter().chain(args).copied())
            .file("old.yaml", old)
            .file("new.yaml", new)
            .status(1)
    };
    diff(&["-o", "paths"], map("9bfbmfgt2f", "1"), map("296567ccmt", "2")).prints(
        "~ default/configmap/settings-296567ccmt\n    metadata.name: settings-9bfbmfgt2f -> settings-296567ccmt\n    \
         data.a: \"1\" -> \"2\"\n",
    );
    diff(&[], map("9bfbmfgt2f", "1"), map("296567ccmt", "2")).prints(
        "--- old.yaml:1\tdefault/configmap/settings-9bfbmfgt2f\n+++ new.yaml:1\tdefault/configmap/settings-296567ccmt\n\
         @@ -1,7 +1,7 @@\n apiVersion: v1\n kind: ConfigMap\n metadata:\n-  name: settings-9bfbmfgt2f\n\
         +  name: settings-296567ccmt\n data:\n-  a: \"1\"\n+  a: \"2\"\n   b: x\n\
         1 changed, 0 added, 0 removed, 0 unchanged\n",
    );
    // Which of several replaces which is not known, nor is any other name a hash.
    let two = [map("9bfbmfgt2f", "1"), map("8bfbmfgt2f", "1")].join("---\n");
    diff(&["-o", "name"], two, map("296567ccmt", "2")).prints(
        "- configmap/settings-9bfbmfgt2f\n- configmap/settings-8bfbmfgt2f\n+ configmap/settings-296567ccmt\n",
    );
    diff(&["-o", "name"], map("v1", "1"), map("v2", "1"))
        .prints("- configmap/settings-v1\n+ configmap/settings-v2\n");
}

#[test]
fn of_inputs_with_nothing_in_common_the_only_objects_of_a_kind_are_compared() {
    let app = |name: &str, value: u8| {
        let object = |kind: &str, name: &str| {
            format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n---\n")
        };
        [
            object("ConfigMap", &format!("{name}-{value}")),
            object("Service", name),
            object("Secret", &format!("a-{name}")),
            object("Secret", &format!("b-{name}")),
        ]
    };
    let diff = |old: &[String], new: &[String]| {
        Kselect::new(["diff", "old", "new", "-o", "summary"])
            .file("old/a.yaml", old.concat())
            .file("new/a.yaml", new.concat())
            .status(1)
    };
    let (one, other) = (app("web", 1), app("api", 2));
    let note = "kselect: no object has one name in both, so those that are the only ones of their kinds are compared\n";
    diff(&one, &other).stderr(note).prints(
        "KIND        CHANGED   ADDED   REMOVED   UNCHANGED\nsecret      0         2       2         0\nconfigmap   1         0       0         \
         0\nservice     1         0       0         0\n",
    );
    // One object may be replaced, and what has a name in common is one app.
    let (mut both, first) = (other.to_vec(), one[0].clone());
    diff(&one[..1], &other[..1]).prints(
        "KIND        CHANGED   ADDED   REMOVED   UNCHANGED\nconfigmap   0         1       1         0\n",
    );
    both.push(first);
    diff(&one[..2], &both[1..]).prints(
        "KIND        CHANGED   ADDED   REMOVED   UNCHANGED\nsecret      0         2       0         0\nservice     0         1       1         \
         0\nconfigmap   0         0       0         1\n",
    );
}

#[test]
fn a_kustomization_alone_is_compared_with_nothing() {
    for (args, both) in
        [(["built.yaml", "over"], "built.yaml -k over"), (["over", "built.yaml"], "-k over built.yaml")]
    {
        Kselect::new(["diff"].into_iter().chain(args))
            .file("built.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
            .file("over/kustomization.yaml", "resources: [../base]\n")
            .file("over/below/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n")
            .status(2)
            .stderr(format!(
                "error: one input is a kustomization alone, so nothing was compared\nhint: -k compares what kustomize builds: kselect diff {both}\n"
            ))
            .prints_nothing();
    }
}

#[test]
fn equal_manifests_that_say_the_same_name_are_paired_first() {
    let item = |version: &str, value: u8| {
        format!(
            "apiVersion: example.com/{version}\nkind: Item\nmetadata: {{name: a}}\nspec: {{value: {value}}}\n"
        )
    };
    let diff = |old: [String; 2], new: &[String]| {
        Kselect::new(["diff", "old.yaml", "new.yaml", "-o", "paths"])
            .file("old.yaml", old.join("---\n"))
            .file("new.yaml", new.join("---\n"))
    };
    diff([item("v1", 1), item("v2", 1)], &[item("v2", 1), item("v1", 1)]).prints_nothing();
    diff([item("v1", 1), item("v2", 1)], &[item("v2", 1), item("v1", 2)])
        .status(1)
        .prints("~ default/item.example.com/a\n    spec.value: 1 -> 2\n");
    diff([item("v1", 1), item("v2", 1)], &[item("v2", 1)]).status(1).prints("- default/item.example.com/a\n");
}

#[test]
fn two_namespaces_are_compared_as_one_if_each_input_has_one() {
    let config_map = |namespace: &str, name: &str, value: &str| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\ndata: {{a: {value}}}\n"
        )
    };
    let role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\n";
    let diff = |other: &[String]| {
        Kselect::new(["diff", "dev.yaml", "prod.yaml", "-o", "paths"])
            .file(
                "dev.yaml",
                [config_map("dev", "web", "b"), config_map("dev", "db", "b"), role.to_owned()].concat(),
            )
            .file("prod.yaml", other.concat())
            .status(1)
    };
    diff(&[config_map("prod", "web", "c"), config_map("prod", "new", "b"), role.to_owned()])
        .stderr(
            "kselect: namespaces dev and prod are compared as one; --ignore metadata.namespace leaves the field out\n",
        )
        .prints(
            "~ prod/configmap/web\n    metadata.namespace: dev -> prod\n    data.a: b -> c\n- dev/configmap/db\n+ prod/configmap/new\n",
        );
    // Not if they have several, or nothing in common.
    let apart = "- dev/configmap/web\n- dev/configmap/db\n+ prod/configmap/web\n+ test/configmap/web\n";
    diff(&[config_map("prod", "web", "c"), config_map("test", "web", "b"), role.to_owned()]).prints(apart);
    let others = "- dev/configmap/web\n- dev/configmap/db\n+ prod/configmap/new\n";
    diff(&[config_map("prod", "new", "c"), role.to_owned()]).prints(others);
}

#[test]
fn names_with_other_prefixes_and_suffixes_are_compared_as_one() {
    let config_map = |name: &str, value: &str| {
        format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: {value}}}\n")
    };
    let diff = |old: &[&str], new: &[&str]| {
        let all = |names: &[&str], value: &str| -> String {
            let namespace = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n".to_owned();
            names.iter().map(|name| config_map(name, value)).chain([namespace]).collect()
        };
        Kselect::new(["diff", "a.yaml", "b.yaml", "--ignore", "metadata.name", "-o", "paths"])
            .file("a.yaml", all(old, "b"))
            .file("b.yaml", all(new, "c"))
            .status(1)
    };
    let note = |one: &str, other: &str| {
        format!(
            "kselect: names {one} and {other} are compared as one; --ignore metadata.name leaves the field out\n"
        )
    };
    let changed = |name: &str| format!("~ default/configmap/{name}\n    data.a: b -> c\n");
    diff(&["web-dev", "worker-dev"], &["web-prod", "worker-prod"])
        .stderr(note("NAME-dev", "NAME-prod"))
        .prints([changed("web-prod"), changed("worker-prod")].concat());
    diff(&["web", "db"], &["x-web-y", "x-db-y"])
        .stderr(note("NAME", "x-NAME-y"))
        .prints([changed("x-web-y"), changed("x-db-y")].concat());
    // The hash that kustomize adds comes after the suffix.
    diff(&["dev-web", "dev-cm-5f7k2g92b6"], &["test-web", "test-cm-9t24d8b4mg"])
        .stderr(note("dev-NAME", "test-NAME"))
        .prints([changed("test-web"), changed("test-cm-9t24d8b4mg")].concat());
    let apart = |old: &str, new: &str| format!("- default/configmap/{old}\n+ default/configmap/{new}\n");
    diff(&["web"], &["new"]).prints(apart("web", "new"));
    diff(&["shop-web"], &["cart-db"]).prints(apart("shop-web", "cart-db"));
}

#[test]
fn what_is_below_a_directory_and_not_read_is_said() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let diff = |args: &[&str]| {
        let directories = ["a", "b"].into_iter().map(|name| (format!("{name}/a.yaml"), config_map));
        let kselect = Kselect::new(["diff", "a", "b"].iter().chain(args).copied());
        let kselect = directories.fold(kselect, |kselect, (path, text)| kselect.file(&path, text));
        kselect.file("b/c/b.yaml", config_map.replace("name: a", "name: b"))
    };
    diff(&[])
        .stderr("hint: there are manifests in subdirectories of b; -R reads them\n")
        .prints("0 changed, 0 added, 0 removed, 1 unchanged\n");
    diff(&["-R", "-o", "name"]).status(1).prints("+ configmap/b\n");
}

#[test]
fn definitions_of_either_input_and_of_others_say_the_scope() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: jobs.x.io}\n\
        spec: {group: x.io, scope: Cluster, names: {kind: XJob, plural: jobs}, versions: [{name: v1, served: true}]}\n";
    let job = "---\napiVersion: x.io/v1\nkind: XJob\nmetadata: {name: j}\nspec: {a: 1}\n";
    let placed = job.replace("name: j", "name: j, namespace: foo").replace("a: 1", "a: 2");
    let both = [definition, job].concat();
    let config = ["schemas: [jobs.yaml]\n", ""];
    let changed = "~ xjob.x.io/j\n";
    let run = |args: &[&str], old: &str, config: &str| {
        let kselect = diff(&[&["-o", "name"], args].concat(), old, &placed);
        kselect.file("jobs.yaml", definition).file(".kselect.yaml", config).status(1)
    };
    let left = "+ customresourcedefinition.apiextensions.k8s.io/jobs.x.io\n";
    run(&[], &both, config[1]).prints([&left.replace('+', "-"), changed].concat());
    diff(&["-o", "name"], job, &[definition, &*placed].concat()).status(1).prints([changed, left].concat());
    run(&["--schemas", "jobs.yaml"], job, config[1]).prints(changed);
    run(&[], job, config[0]).prints(changed);
    let note = "kselect: namespaces default and foo are compared as one; --ignore metadata.namespace leaves the field out\n";
    run(&["--no-config"], job, config[0]).stderr(note).prints(changed);
}

#[test]
fn what_moves_between_namespaces_that_other_builds_keep_is_noted() {
    let applied = |namespaces: [&str; 3]| -> String {
        let of = |(name, namespace): (&str, &str)| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: f}}\nspec: {{path: ./c, \
                 targetNamespace: {namespace}, sourceRef: {{kind: GitRepository, name: f}}}}\n---\n"
            )
        };
        ["a", "b", "c"].into_iter().zip(namespaces).map(of).collect()
    };
    let run = |new: [&str; 3]| {
        Kselect::new(["diff", "-R", "-o", "name", "old", "new"])
            .file("old/ks.yaml", applied(["x", "x", "y"]))
            .file("new/ks.yaml", applied(new))
            .file("old/c/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n")
            .file("new/c/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n")
    };
    run(["y", "x", "y"])
        .status(1)
        .stderr(
            "kselect: 1 object moves between namespaces in which its other builds stay; tree shows where\n",
        )
        .prints("~ kustomization.kustomize.toolkit.fluxcd.io/a\n");
    run(["x", "x", "y"]).prints_nothing();
}
