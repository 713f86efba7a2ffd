//! `kselect patch`: any field changes as kubectl would change it, and nothing else does.

use crate::support::Kselect;

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1 # for now
  template:
    spec:
      containers:
      # the shop
      - name: web
        image: shop/web:1.10
      - {name: proxy, image: \"envoy:1\"}
";

/// Patches the Deployment; in what is expected, `from` stands as `to`.
#[track_caller]
fn check(args: &[&str], changes: &[(&str, &str)]) {
    let expected = changes.iter().fold(WEB.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    });
    Kselect::new(["patch", "deploy/web"].iter().chain(args).copied())
        .stdin(WEB)
        .stderr("deployment.apps/web patched\n")
        .prints(&expected);
}

#[test]
fn a_strategic_patch_merges_lists_by_their_keys() {
    check(&["-p", r#"{"spec":{"replicas":3}}"#], &[("replicas: 1", "replicas: 3")]);
    check(
        &["-p", "spec: {template: {spec: {containers: [{name: web, resources: {limits: {memory: 1Gi}}}]}}}"],
        &[(
            "        image: shop/web:1.10\n",
            "        image: shop/web:1.10\n        resources:\n          limits:\n            memory: 1Gi\n",
        )],
    );
    check(
        &["-p", "spec: {template: {spec: {containers: [{name: proxy, $patch: delete}]}}}"],
        &[("      - {name: proxy, image: \"envoy:1\"}\n", "")],
    );
}

#[test]
fn a_merge_patch_removes_what_is_null() {
    check(
        &["--type", "merge", "-p", r#"{"spec":{"replicas":null,"paused":true}}"#],
        &[("  replicas: 1 # for now\n", "  paused: true\n")],
    );
}

#[test]
fn what_is_added_stands_before_what_is_removed_below_it() {
    check(
        &[
            "--type",
            "merge",
            "-p",
            r#"{"spec":{"replicas":null},"metadata":{"name":"web","labels":{"a":"b"}}}"#,
        ],
        &[("{name: web}", "{name: web, labels: {a: b}}"), ("  replicas: 1 # for now\n", "")],
    );
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    a: b\ndata:\n  x: y\n";
    Kselect::new(["patch", "-p", r#"{"data":null,"metadata":{"labels":{"c":"d"}}}"#])
        .stdin(text)
        .stderr("configmap/a patched\n")
        .prints(text.replace("data:\n  x: y\n", "    c: d\n"));
    Kselect::new(["patch", "-p", "{$retainKeys: [metadata]}", "--diff"])
        .stdin(text)
        .status(1)
        .stderr("error: STDIN:1 (document 1): Object 'Kind' is missing\n")
        .prints_nothing();
}

#[test]
fn what_is_added_before_the_first_field_is_printed() {
    let text = "---\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n";
    let patch = ["patch", "--type", "merge", "-p", r#"{"a":"b"}"#];
    Kselect::new(patch.into_iter().chain(["-o", "yaml"]))
        .stdin(text)
        .prints("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\na: b\n");
    let text = text.replace("kind: ConfigMap\napiVersion: v1\n", "apiVersion: v1\nkind: ConfigMap\n");
    Kselect::new(patch.into_iter().chain(["-o", "yaml"]))
        .stdin(&text)
        .prints("a: b\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
}

#[test]
fn metadata_stay_what_a_server_reads() {
    let two = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n";
    for (patch, path) in [
        (r#"{"metadata":{"labels":{"a":1}}}"#, "metadata.labels"),
        (r#"{"metadata":{"name":2}}"#, "metadata.name"),
        (r#"{"metadata":"x"}"#, "metadata"),
        (r#"{"metadata":{"creationTimestamp":1}}"#, "metadata.creationTimestamp"),
        (r#"{"metadata":{"creationTimestamp":"soon"}}"#, "metadata.creationTimestamp"),
        (r#"{"apiVersion":"a/b/c"}"#, "apiVersion"),
    ] {
        Kselect::new(["patch", "cm/a", "--type", "merge", "-p", patch, "-o", "name"])
            .stdin(two)
            .status(1)
            .stderr(format!("error: STDIN:1 (document 1): {path} would have a value that no server reads\n"))
            .prints_nothing();
    }
}

#[test]
fn operations_of_a_json_patch_are_applied_in_order() {
    let container = "/spec/template/spec/containers";
    let patch = format!(
        "[{{op: replace, path: {container}/0/image, value: shop/web:2}}, \
         {{op: add, path: {container}/1/args, value: [-v]}}]"
    );
    check(
        &["--type", "json", "-p", &patch],
        &[("shop/web:1.10", "shop/web:2"), ("\"envoy:1\"}", "\"envoy:1\", args: [\"-v\"]}")],
    );
}

#[test]
fn a_patch_that_does_not_apply_changes_nothing() {
    Kselect::new(["patch", "deploy/web", "--type", "json", "-p", "[{op: remove, path: /spec/nope}]"])
        .stdin(WEB)
        .status(1)
        .stderr(
            "error: STDIN:1 (document 1): error in remove for path: '/spec/nope': Unable to remove nonexistent key: \
             nope: missing value; the object is passed on unchanged\n",
        )
        .prints(WEB);
    for (patch, message) in [
        (
            "{$setElementOrder/containers: [{name: proxy}, {name: web}], containers: [{name: web}, {name: proxy}]}",
            "the order of the patch's list does not match its $setElementOrder",
        ),
        ("{$setElementOrder/containers: [web]}", "map does not contain declared merge key: name"),
        ("{$setElementOrder/volumes: [], volumes: []}", "no elements in any of the given slices"),
    ] {
        Kselect::new(["patch", "-p", &format!("spec: {{template: {{spec: {patch}}}}}"), "--diff"])
            .stdin(WEB)
            .status(1)
            .stderr(format!("error: STDIN:1 (document 1): {message}\n"))
            .prints_nothing();
    }
    let custom = "apiVersion: a.b/v1\nkind: X\nmetadata: {name: x}\n";
    Kselect::new(["patch", "-p", "{a: 1}"])
        .stdin(custom)
        .status(1)
        .stderr(
            "error: STDIN:1 (document 1): strategic merge patch is not supported for a.b/v1, Kind=X locally, try \
             --type merge; the object is passed on unchanged\n",
        )
        .prints(custom);
    Kselect::new(["patch", "-p", "{"])
        .stdin(custom)
        .status(2)
        .stderr("error: unable to parse \"{\": yaml: did not find expected node content\n")
        .prints_nothing();
}

#[test]
fn what_is_added_at_the_end_of_a_value_is_before_what_is_added_after_it() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nspec:\n  a:\n    b:\n      c: d # e\n";
    let added =
        text.replace("c: d # e\n", "c: # e\n        x: 1\n      w: 2\n    z: 3\n  k: 4\n") + "zone: 5\n";
    let patch = r#"{"spec":{"a":{"b":{"c":{"x":1},"w":2},"z":3},"k":4},"zone":5}"#;
    Kselect::new(["patch", "--type", "merge", "-p", patch])
        .stdin(text)
        .stderr("configmap/a patched\n")
        .prints(added);
}

#[test]
fn what_has_no_place_is_not_null() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n";
    for (path, error) in [
        (
            "/spec/containers/9",
            "error in test for path: '/spec/containers/9': Unable to access invalid index: 9: invalid index referenced",
        ),
        ("/status/x/y", "test operation does not apply: is missing path: /status/x/y: missing value"),
    ] {
        let patch = format!("[{{op: test, path: {path}, value: null}}]");
        Kselect::new(["patch", "pod/a", "--type=json", "-p", &patch, "-o", "name"])
            .stdin(text)
            .status(1)
            .stderr(format!("error: STDIN:1 (document 1): {error}\n"))
            .prints_nothing();
    }
    Kselect::new([
        "patch",
        "pod/a",
        "--type=json",
        "-p",
        "[{op: test, path: /spec/x, value: null}]",
        "-o",
        "name",
    ])
    .stdin(text)
    .prints("pod/a\n");
}
