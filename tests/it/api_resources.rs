//! `kselect api-resources`, as a user sees it.

use crate::support::Kselect;

fn api_resources(args: &[&str], stdin: &str) -> Kselect {
    Kselect::new(["api-resources"].iter().chain(args).copied()).stdin(stdin)
}

#[track_caller]
fn check(args: &[&str], stdin: &str, stdout: &str) {
    api_resources(args, stdin).prints(stdout);
}

/// The output without input.
fn listed(args: &[&str]) -> String {
    let output = api_resources(args, "").run();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    String::from_utf8(output.stdout).expect("UTF-8")
}

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.com}
spec:
  group: shop.example.com
  scope: Cluster
  names: {plural: widgets, kind: Widget, shortNames: [wd, wdg], categories: [all, shopping]}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .spec.color}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
";

const OPENAPI: &str = r#"{"openapi": "3.0.0", "components": {"schemas": {"com.example.shop.v2.Gizmo": {
    "type": "object",
    "x-kubernetes-group-version-kind": [{"group": "shop.example.com", "version": "v2", "kind": "Gizmo"}],
    "x-kubernetes-selectable-fields": [{"fieldPath": "spec.size"}]
}}}}"#;

#[test]
fn without_input_the_built_in_kinds_are_listed() {
    let stdout = listed(&[]);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "NAME                                SHORTNAMES   APIVERSION                           NAMESPACED   KIND",
            "bindings                                         v1                                   true         Binding",
            "componentstatuses                   cs           v1                                   false        ComponentStatus",
        ]
    );
}

#[test]
fn groups_are_by_alphabet_the_core_group_first() {
    let stdout = listed(&["-o", "name"]);
    let mut groups: Vec<&str> =
        stdout.lines().map(|name| name.split_once('.').map_or("", |(_, group)| group)).collect();
    groups.dedup();
    assert!(groups.is_sorted(), "{groups:?}");
}

#[test]
fn resources_are_filtered_as_by_kubectl() {
    check(
        &["--api-group", "apps"],
        "",
        "NAME                  SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
         controllerrevisions                apps/v1      true         ControllerRevision\n\
         daemonsets            ds           apps/v1      true         DaemonSet\n\
         deployments           deploy       apps/v1      true         Deployment\n\
         replicasets           rs           apps/v1      true         ReplicaSet\n\
         statefulsets          sts          apps/v1      true         StatefulSet\n",
    );
    let core = ["--api-group", "", "-o", "name"];
    check(
        &[&core[..], &["--namespaced=false"]].concat(),
        "",
        "componentstatuses\nnamespaces\nnodes\npersistentvolumes\n",
    );
    check(
        &[&core[..], &["--namespaced", "--categories", "all"]].concat(),
        "",
        "pods\nreplicationcontrollers\nservices\n",
    );
    check(&["--categories", "all,none", "-o", "name"], "", "");
}

#[test]
fn sorting_is_by_group_name_or_kind() {
    let networking = ["--api-group", "networking.k8s.io", "--no-headers", "--sort-by"];
    let names = |sort_by| {
        let stdout = listed(&[&networking[..], &[sort_by]].concat());
        stdout.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let by_name = ["ingressclasses", "ingresses", "ipaddresses", "networkpolicies", "servicecidrs"];
    assert_eq!(names("name"), by_name);
    // `IPAddress` is before `Ingress`, as in Go's comparison.
    assert_eq!(
        names("kind"),
        ["ipaddresses", "ingresses", "ingressclasses", "networkpolicies", "servicecidrs"]
    );
}

#[test]
fn the_input_teaches_kinds() {
    let input = format!("{DEFINITION}---\napiVersion: ex.io/v1beta1\nkind: Thing\nmetadata: {{name: a}}\n");
    check(&["--api-group", "shop.example.com", "-o", "name"], &input, "widgets.shop.example.com\n");
    check(
        &["-f", "-", "--api-group", "shop.example.com", "-o", "wide"],
        &input,
        "NAME      SHORTNAMES   APIVERSION            NAMESPACED   KIND     CATEGORIES     SELECTABLE FIELDS\n\
         widgets   wd,wdg       shop.example.com/v1   false        Widget   all,shopping   \
         metadata.name,spec.color\n",
    );
    check(&["--api-group", "ex.io", "--no-headers"], &input, "things         ex.io/v1beta1   true   Thing\n");
}

#[test]
fn openapi_documents_teach_selectable_fields() {
    check(
        &["--api-group", "shop.example.com", "-o", "wide", "--no-headers"],
        OPENAPI,
        "gizmos         shop.example.com/v2   true   Gizmo         \
         metadata.name,metadata.namespace,spec.size\n",
    );
}

#[test]
fn configuration_of_tools_is_not_a_resource() {
    let input = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    check(&["--api-group", "kustomize.config.k8s.io", "-o", "name"], input, "");
}

#[test]
fn broken_input_hides_nothing_and_is_reported() {
    let input = format!("kind: [\n---{DEFINITION}");
    let error = "error: STDIN:1 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  \
                 |\n1 | kind: [\n  |       ^\n";
    let args = ["--api-group", "shop.example.com", "-o", "name"];
    api_resources(&args, &input).status(1).stderr(error).prints("widgets.shop.example.com\n");
}

#[test]
fn unknown_formats_are_refused() {
    let error = "error: invalid value 'yaml' for --output\nhint: --output takes wide or name\n";
    api_resources(&["-o", "yaml"], "").status(2).stderr(error).prints_nothing();
}
