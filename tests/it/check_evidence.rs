//! `check` on repositories: what a finding about something missing needs as evidence, and conventions that explain away
//! others.

use crate::support::Kselect;

/// Checks files below the current directory. `expected` are the findings without `./`.
#[track_caller]
fn check(args: &[&str], files: &[(&str, &str)], expected: &[&str]) {
    let args = ["check", "-R", "-f", "."].iter().chain(args).copied();
    let run = files.iter().fold(Kselect::new(args), |run, (path, text)| run.file(path, text));
    let mut run = run;
    let output = run.run();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let found: Vec<&str> = text.lines().map(|line| line.trim_start_matches("./")).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

/// A Deployment with labels `app: NAME`.
fn deployment(name: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  \
         template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec: {{containers: [{{name: a, image: a:1}}]}}\n"
    )
}

/// A Service that selects `app: APP`.
fn service(name: &str, app: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec:\n  selector: {{app: {app}}}\n  ports: [{{port: 80}}]\n"
    )
}

#[test]
fn fields_that_sops_adds_are_not_unknown() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n\
                  sops:\n  lastmodified: '2026-01-01T00:00:00Z'\n  mac: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\n";
    check(&[], &[("a.sops.yaml", secret)], &[]);
    let whole =
        secret.replace("v1\n", "ENC[AES256_GCM,data:v1=,iv:b,tag:c,type:str]\n").replace("Secret", "ENC[a]");
    check(&[], &[("a.sops.yaml", &whole)], &[]);
    let field = "a.yaml:6: error [unknown-field] secret/a: strict decoding error: unknown field \"sops\"";
    check(&[], &[("a.yaml", &secret[..secret.find("  lastmodified").expect("a field")])], &[field]);
}

#[test]
fn selectors_with_variables_are_not_invalid() {
    let text = deployment("${APP}").replace("${APP}", "'${APP}'");
    check(&[], &[("a.yaml", &text)], &[]);
}

#[test]
fn labels_that_controllers_add_are_not_missing() {
    let service = service("a-0", "a").replace("{app: a}", "{statefulset.kubernetes.io/pod-name: a-0}");
    check(&[], &[("a.yaml", &format!("{}---\n{service}", deployment("a")))], &[]);
}

#[test]
fn patches_of_definitions_lack_what_a_definition_needs() {
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.ex.io}\n\
                 spec: {conversion: {strategy: Webhook}}\n";
    check(&[], &[("config/crd/patches/webhook_in_a.yaml", patch), ("crd-part.yaml", patch)], &[]);
}

#[test]
fn patches_beside_a_kustomization_are_not_objects() {
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {metadata: {labels: {a: b}}}}\n";
    let files = [("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &deployment("a"))];
    check(&[], &[files[0], files[1], ("insecure-patch.yaml", patch)], &[]);
    let listed = "resources: [a.yaml]\npatches:\n- insecure.yaml\n";
    check(&[], &[("kustomization.yaml", listed), files[1], ("insecure.yaml", patch)], &[]);
}

#[test]
fn patches_have_values_of_the_types_of_their_fields() {
    let patch = |kind: &str| {
        format!(
            "{kind}\nmetadata: {{name: A_b, labels: {{app: '-'}}}}\nspec:\n  replicas: two\n  selector: {{matchLabels: {{a: b}}}}\n  \
             template:\n    spec:\n      nodeSelector: {{$patch: replace, a: null}}\n      unknown: 1\n      containers:\n      - \
             $patch: delete\n        ports: [{{containerPort: '80'}}, {{containerPort: '${{PORT}}'}}]\n      serviceAccountName: wbe\n"
        )
    };
    let deployment_patch = patch("apiVersion: apps/v1\nkind: Deployment");
    let custom = patch("apiVersion: example.com/v1\nkind: Web");
    let listed = "resources: [z.yaml]\npatches: [{path: listed.yaml}, {path: custom.yaml}]\n";
    let account = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\nsecrets: web\n";
    let z = deployment("a") + account;
    let disabled = format!("# kselect: disable=wrong-type\n{deployment_patch}");
    let files = [
        ("a/kustomization.yaml", listed),
        ("a/custom.yaml", custom.as_str()),
        ("a/listed.yaml", deployment_patch.as_str()),
        ("a/off-patch.yaml", disabled.as_str()),
        ("a/z.yaml", z.as_str()),
        ("z/webhook_in_a.yaml", deployment_patch.as_str()),
    ];
    // Its name, what it refers to and what it lacks are not reported, nor are placeholders and null.
    let found = |file: &str| {
        let start =
            "error [wrong-type] deployment.apps/A_b: json: cannot unmarshal string into Go struct field";
        let port = "spec.template.spec.containers";
        [
            format!("{file}:5: {start} DeploymentSpec.spec.replicas of type int32"),
            format!(
                "{file}:13: {start} ContainerPort.{port}.ports.containerPort of type int32 \
                 ({port}[0].ports[0].containerPort)"
            ),
        ]
    };
    let object = "a/z.yaml:13: error [wrong-type] serviceaccount/web: json: cannot unmarshal string into Go struct field \
                  ServiceAccount.secrets of type []v1.ObjectReference";
    let expected =
        [&found("a/listed.yaml")[..], &[object.to_owned()], &found("z/webhook_in_a.yaml")].concat();
    check(&[], &files, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    check(&["--disable=wrong-type"], &files, &[]);
    check(&["services"], &files, &[]);
}

#[test]
fn sources_of_others_are_not_checked() {
    let wrong = "apiVersion: v1\nkind: Sevice\nmetadata: {name: a}\n";
    check(
        &[],
        &[("vendor/a/b.yaml", wrong), ("a.yaml", &deployment("a")), ("vendor/a/c.yaml", "a: - b\n")],
        &[],
    );
}

#[test]
fn a_missing_secret_is_advice_unless_its_name_is_misspelt() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\n";
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  imagePullSecrets: [{{name: {name}}}]\n  containers: [{{name: a, image: a}}]\n"
        )
    };
    let used = pod("database").replace("name: a}", "name: b}");
    let files = |name| [("a.yaml", pod(name)), ("b.yaml", used.clone()), ("secret.yaml", secret.to_owned())];
    let check = |args: &[&str], name, expected: &[&str]| {
        let files = files(name);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        check(args, &files, expected);
    };
    check(&[], "registry", &[]);
    let rule = ["--only", "dangling-reference", "--advice"];
    let missing = "[dangling-reference] pod/a: spec.imagePullSecrets[].name: the input has no secret/";
    check(&rule, "registry", &[&format!("a.yaml:5: advice {missing}registry")]);
    check(&[], "databse", &[&format!("a.yaml:5: warning {missing}databse; did you mean database?")]);
}

#[test]
fn a_reference_needs_siblings_that_resolve() {
    let ingress = |name: &str, service: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {name}}}\nspec:\n  defaultBackend: {{service: {{name: \
             {service}, port: {{number: 80}}}}}}\n"
        )
    };
    let shop = ["a", "b"].map(|name| format!("{}---\n{}", deployment(name), service(name, name)));
    let routes = [ingress("route-x", "portal"), ingress("route-a", "a"), ingress("route-b", "b")];
    let missing = "x.yaml:5: warning [dangling-reference] ingress.networking.k8s.io/route-x: \
                   spec.defaultBackend.service.name: the input has no service/portal";
    let files = [
        ("shop-a.yaml", &*shop[0]),
        ("shop-b.yaml", &*shop[1]),
        ("x.yaml", &*routes[0]),
        ("route-a.yaml", &*routes[1]),
        ("route-b.yaml", &*routes[2]),
    ];
    check(&[], &files[..4], &[]);
    check(&[], &files, &[missing]);
}

#[test]
fn that_no_pod_has_the_labels_is_true() {
    let files =
        [("a/a.yaml", deployment("a")), ("a/s.yaml", service("a", "a")), ("b/b.yaml", deployment("b"))];
    let other = ("b/s.yaml", service("b", "a"));
    let files: Vec<(&str, &str)> =
        files.iter().chain([&other]).map(|(path, text)| (*path, text.as_str())).collect();
    check(&[], &files, &[]);
}

#[test]
fn an_unreadable_file_of_a_sibling_may_have_what_is_missing() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n";
    let other = budget.replace("web", "api");
    let files = [
        ("services/budgets/web.yaml", budget.to_owned()),
        ("services/budgets/api.yaml", format!("{other}---\n{}", deployment("api"))),
    ];
    let with = |text: &str| {
        let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        files.push(("services/web/web.yaml", text));
        let mut run = files
            .iter()
            .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
        String::from_utf8(run.run().stdout).expect("UTF-8")
    };
    assert_eq!(
        with("apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: {{app}}}}\nspec: [\n"),
        ""
    );
}

#[test]
fn autoscalers_of_one_directory_scale_workloads_of_another() {
    let autoscaler = |name: &str| {
        format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}}}\nspec:\n  maxReplicas: 2\n  \
             scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}\n"
        )
    };
    let names = ["carts", "orders", "users"];
    let manifests: Vec<(String, String)> =
        names.iter().map(|name| (format!("manifests/{name}.yaml"), deployment(name))).collect();
    let scaled: Vec<(String, String)> = ["cart", "orders", "users"]
        .iter()
        .map(|name| (format!("autoscaling/{name}.yaml"), autoscaler(name)))
        .collect();
    let files: Vec<(&str, &str)> =
        manifests.iter().chain(&scaled).map(|(path, text)| (path.as_str(), text.as_str())).collect();
    check(
        &[],
        &files,
        &[
            "autoscaling/cart.yaml:6: warning [dangling-autoscaler] horizontalpodautoscaler.autoscaling/cart: the input has no \
           Deployment cart to scale; did you mean carts?",
        ],
    );
}

#[test]
fn a_file_of_a_tool_in_a_directory_named_like_a_resource_is_not_an_object() {
    let blueprint = "version: 1\nmetadata: {name: groups}\nentries: []\n";
    check(&[], &[("cluster-roles/groups.yaml", blueprint), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn files_with_lines_to_be_replaced_are_templates() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    <ISSUER_ANNOTATION_1>\n    \
                <ISSUER_ANNOTATION_2>\ndata: {}\n";
    check(&[], &[("map.yaml", text), ("a.yaml", &deployment("a"))], &[]);
    // Seen in kai-bruell/k3s-iac-homelab.
    let variable = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n\n${extra_config}\n";
    check(&[], &[("map.yaml", variable), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn templates_of_ytt_are_not_objects() {
    let template = "#@ load('@ytt:data', 'data')\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: #@ data.values.name\n";
    check(&[], &[("namespace.yaml", template), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn files_that_a_kustomization_leaves_out_are_not_applied_with_the_others() {
    let (a, again) = (deployment("a"), deployment("a"));
    let files = [("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &*a), ("old.yaml", &*again)];
    check(&[], &files, &[]);
}

#[test]
fn files_that_are_called_as_alternatives_may_repeat_objects() {
    let more = format!("{}---\n{}---\n{}", deployment("a"), deployment("x"), deployment("y"));
    let other = more.replace(": x}", ": v}").replace(": y}", ": w}");
    check(&[], &[("dns-region1.yaml", &more), ("dns-region2.yaml", &other)], &[]);
}

#[test]
fn kustomizations_without_a_kind_are_not_objects() {
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nresources: [a.yaml]\n";
    let score = "apiVersion: score.dev/v1b1\nmetadata: {name: a}\n";
    let files = [("kustomization.yaml", kustomization), ("score.yaml", score), ("a.yaml", &deployment("a"))];
    check(&[], &files, &[]);
}

#[test]
fn names_of_openshift_have_underscores() {
    let stream = "apiVersion: image.openshift.io/v1\nkind: ImageStream\nmetadata: {name: label_sync}\n";
    check(&[], &[("a.yaml", stream)], &[]);
}

#[test]
fn a_selector_of_all_pods_of_a_namespace_needs_no_pods() {
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: b}\nspec: {podSelector: {}}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: c}\nspec: {containers: [{name: a, image: a:1}]}\n";
    check(&[], &[("a.yaml", &format!("{pod}---\n{policy}"))], &[]);
}

#[test]
fn placeholders_in_selectors_of_services_are_not_invalid() {
    for placeholder in ["<app>-api", "web-{ID}", "${APP}"] {
        check(&[], &[("a.yaml", &service("a", &format!("'{placeholder}'")))], &[]);
    }
    let wrong = service("a", "'-'").replace("{app: '-'}", "{'<app>': '-'}");
    let args = ["check", "-R", "-f", "."];
    let output = Kselect::new(args).file("a.yaml", &wrong).run();
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("[invalid-value] service/a: spec.selector: Invalid value")
    );
}

#[test]
fn files_of_tools_have_metadata_of_their_own() {
    let file = |metadata: &str| {
        format!(
            "apiVersion: tools.example.com/v1\nkind: Audit\nmetadata:\n  name: a\n  {metadata}\npolicy: a\n"
        )
    };
    check(&[], &[("a.yaml", &file("created: 2025-01-19\n  inventory: b"))], &[]);
    // Nearly the name of a field is a mistake.
    let near = "a.yaml:5: error [unknown-field] audit.tools.example.com/a: strict decoding error: unknown field \"metadata.label\"; \
                did you mean labels?";
    check(&[], &[("a.yaml", &file("label: {}\n  created: 2025-01-19"))], &[near]);
}

#[test]
fn kustomizations_complete_selectors_by_their_labels() {
    let empty = deployment("a").replace("{matchLabels: {app: a}}", "{}");
    let missing = deployment("a").replace("  selector: {matchLabels: {app: a}}\n", "");
    for labels in ["commonLabels: {a: b}", "labels: [{pairs: {a: b}, includeSelectors: true}]"] {
        let listed = format!("resources: [a.yaml]\n{labels}\n");
        for text in [&empty, &missing] {
            check(&[], &[("kustomization.yaml", &listed), ("a.yaml", text)], &[]);
        }
    }
    let other = "resources: [a.yaml]\nlabels: [{pairs: {a: b}}]\n";
    let found = "a.yaml:5: error [invalid-value] deployment.apps/a: spec.selector: Invalid value: empty selector is invalid for deployment";
    check(&[], &[("kustomization.yaml", other), ("a.yaml", &empty)], &[found]);
}

#[test]
fn kustomizations_set_the_namespaces_of_subjects() {
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\n\
                   roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects:\n- {kind: ServiceAccount, name: a}\n";
    let required = "clusterrolebinding.rbac.authorization.k8s.io/a: subjects[0].namespace: Required value";
    check(&[], &[("a.yaml", binding)], &[&format!("a.yaml:6: error [missing-field] {required}")]);
    let set = "resources: [a.yaml]\nnamespace: b\n";
    check(&["--advice"], &[("kustomization.yaml", set), ("a.yaml", binding)], &[]);
    let base = "resources: [a.yaml]\n";
    let advice = format!("a.yaml:6: advice [missing-field] {required}");
    check(&["--advice"], &[("kustomization.yaml", base), ("a.yaml", binding)], &[&advice]);
    check(&[], &[("kustomization.yaml", base), ("a.yaml", binding)], &[]);
}

#[test]
fn workloads_without_selector_and_images_are_patches() {
    let parts = |spec: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec: {{template: {{spec: {spec}}}}}\n"
        )
    };
    for spec in ["{initContainers: [{name: b, image: b:1}]}", "{containers: [{name: b, args: [a]}]}"] {
        check(&[], &[("a.yaml", &parts(spec))], &[]);
    }
    let missing = |field: &str| format!("error [missing-field] deployment.apps/a: {field}: Required value");
    let selector = missing("spec.selector");
    let whole = parts("{containers: [{name: b, image: b:1}]}");
    check(&[], &[("a.yaml", &whole)], &[&format!("a.yaml:4: {selector}")]);
    let nothing = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
    let containers = missing("spec.template.spec.containers");
    check(
        &[],
        &[("a.yaml", nothing)],
        &[&format!("a.yaml:1: {selector}"), &format!("a.yaml:1: {containers}")],
    );
}

#[test]
fn what_tests_of_programs_read_need_not_be_whole() {
    let part = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n";
    let untyped = "kind: Pod\nmetadata: {name: a}\n";
    let wrong = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: a}\n";
    let other = ("a.yaml", &*deployment("a"));
    check(&[], &[other, ("pkg/testdata/a.yaml", part), ("pkg/testdata/b.yaml", untyped)], &[]);
    let image = "testdata/a.yaml:4: error [missing-field] pod/a: spec.containers[0].image: Required value";
    check(&[], &[("testdata/a.yaml", part)], &[image]);
    check(&[], &[other, ("fixtures/valid/a.yaml", part), ("fixtures/invalid/a.yaml", wrong)], &[]);
    check(&[], &[other, ("fixtures/invalid/a.yaml", wrong)], &[]);
    let found = "fixtures/invalid/a.yaml:4: advice [wrong-type] pod/a: json: cannot unmarshal string into Go struct field \
                 PodSpec.spec.containers of type []v1.Container";
    check(&["--advice", "--only=wrong-type"], &[other, ("fixtures/invalid/a.yaml", wrong)], &[found]);
}

#[test]
fn what_has_no_word_as_its_kind_is_not_an_object() {
    check(&[], &[("a.json", "{\"kind\": [{\"a\": 1}], \"other\": []}\n"), ("b.yaml", &deployment("a"))], &[]);
}

#[test]
fn a_field_is_reported_once() {
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\n";
    let found = |field: &str| {
        format!(
            "a.yaml:1: error [missing-field] rolebinding.rbac.authorization.k8s.io/a: roleRef.{field}: Required value"
        )
    };
    check(&[], &[("a.yaml", binding)], &[&found("kind"), &found("name")]);
}

#[test]
fn a_missing_cluster_role_is_advice_unless_its_name_is_misspelt() {
    let role = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}}}\nrules: []\n"
        )
    };
    let binding = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: {name}}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}}}\n"
        )
    };
    let texts = [role("web"), role("api"), binding("web"), binding("api")];
    let files = |name: &str| {
        let mut text = texts.join("---\n");
        text += "---\n";
        (text, binding(name))
    };
    let found = |severity: &str, name: &str, hint: &str| {
        format!(
            "b.yaml:4: {severity} [dangling-reference] clusterrolebinding.rbac.authorization.k8s.io/{name}: roleRef.name: the \
             input has no clusterrole.rbac.authorization.k8s.io/{name}{hint}"
        )
    };
    let (text, missing) = files("argo-workflows-admin");
    check(
        &["--advice"],
        &[("a.yaml", &text), ("b.yaml", &missing)],
        &[&found("advice", "argo-workflows-admin", "")],
    );
    let (text, misspelt) = files("wbe");
    check(
        &[],
        &[("a.yaml", &text), ("b.yaml", &misspelt)],
        &[&found("warning", "wbe", "; did you mean web?")],
    );
}

#[test]
fn placeholders_in_lists_are_not_invalid() {
    let claim = |mode: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec:\n  accessModes: ['{mode}']\n  \
             resources: {{requests: {{storage: 1Gi}}}}\n"
        )
    };
    check(&[], &[("a.yaml", &claim("${MODES:-ReadWriteOnce}"))], &[]);
    let found = "a.yaml:5: error [invalid-value] persistentvolumeclaim/a: spec.accessModes: Unsupported value: supported values: \
                 \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"";
    check(&[], &[("a.yaml", &claim("ReadWrite"))], &[found]);
    for field in [
        "clusterIP: ${ADDRESS}",
        "clusterIPs: ['${ADDRESS}']",
        "type: LoadBalancer\n  loadBalancerSourceRanges: ['${RANGE}']",
    ] {
        let text = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: a}}\nspec:\n  {field}\n  ports: [{{port: 80}}]\n"
        );
        check(&[], &[("a.yaml", &text)], &[]);
    }
}

#[test]
fn only_fields_of_a_volume_are_its_types() {
    let volume = "    - name: a\n      emptyDir: {}\n      sizeLimit: 1Gi\n";
    let text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: a, image: a:1}}]\n  volumes:\n{volume}"
    );
    let found = "a.yaml:9: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.volumes[0].sizeLimit\"; sizeLimit is a \
                 field of spec.volumes[].emptyDir";
    check(&[], &[("a.yaml", &text)], &[found]);
    let second = text.replace("sizeLimit: 1Gi", "configMap: {name: a}");
    let found = "a.yaml:9: error [invalid-value] pod/a: spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type";
    check(&["--disable=dangling-reference"], &[("a.yaml", &second)], &[found]);
}

#[test]
fn words_in_braces_are_placeholders_also_as_maps() {
    let claim = |class: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: a}}\nspec:\n  accessModes: [ReadWriteOnce]\n  \
             resources: {{requests: {{storage: 1Gi}}}}\n  storageClassName: {class}\n"
        )
    };
    check(&[], &[("a.yaml", &claim("{CLASS_NAME}"))], &[]);
    let found = "a.yaml:7: error [wrong-type] persistentvolumeclaim/a: json: cannot unmarshal object into Go struct field \
                 PersistentVolumeClaimSpec.spec.storageClassName of type string";
    check(&[], &[("a.yaml", &claim("{name: a}"))], &[found]);
}

#[test]
fn examples_of_services_need_no_pods() {
    let text = deployment("web");
    let pods = [("examples/d/a.yaml", text.as_str())];
    let (web, api) = (service("web", "web") + "---\n" + &service("www", "web"), service("api", "api"));
    check(&[], &[pods[0], ("examples/d/b.yaml", &web), ("examples/d/c.yaml", &api)], &[]);
    let found =
        "d/c.yaml:5: warning [dangling-service] service/api: no pod of the input has the labels app=api";
    check(&[], &[("d/a.yaml", &text), ("d/b.yaml", &web), ("d/c.yaml", &api)], &[found]);
}

#[test]
fn ports_of_a_wrong_type_are_not_missing() {
    let text = service("a", "a").replace("[{port: 80}]", "{port: 80}");
    let found = "a.yaml:6: error [wrong-type] service/a: json: cannot unmarshal object into Go struct field ServiceSpec.spec.ports of type \
                 []v1.ServicePort; a list is needed; is a - missing?";
    check(&[], &[("a.yaml", &text)], &[found]);
}

#[test]
fn files_may_share_the_name_that_a_kustomization_sets() {
    let namespace = |name: &str| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n");
    let (own, shared) = (namespace("_"), namespace("a"));
    check(&[], &[("a/a.yaml", &own), ("a/b.yaml", &own)], &[]);
    let found =
        "a/b.yaml:3: advice [duplicate-object] namespace/a: the object is already defined at ./a/a.yaml:1";
    check(&["--advice"], &[("a/a.yaml", &shared), ("a/b.yaml", &shared)], &[found]);
    let named = namespace("changed_by_kustomize");
    check(&[], &[("kustomization.yaml", "resources: [a.yaml]\nnamespace: a\n"), ("a.yaml", &named)], &[]);
}

#[test]
fn ports_that_are_placeholders_are_not_missing() {
    let text = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  rules:\n  - http:\n      paths:\n      - path: \
                /\n        pathType: Prefix\n        backend: {service: {name: a, port: {number: <PORT>}}}\n";
    check(&[], &[("a.yaml", text)], &[]);
}

#[test]
fn charts_have_values_that_are_not_yaml() {
    let output = Kselect::new(["check", "-R", "-f", "."])
        .file("a/values.yaml", "image:\n  tag: %VERSION%\n")
        .file("a.yaml", deployment("a"))
        .run();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "kselect: skipped 1 file of a Helm chart\n");
}

#[test]
fn tools_have_kinds_of_their_own_in_v1() {
    let server = "apiVersion: v1\nkind: Server\nmetadata: {name: a}\nspec: {cpu: 2}\n";
    check(&[], &[("a.yaml", server)], &[]);
    let found = "no matches for kind \"Server\" in version \"v1\"";
    Kselect::new(["check"])
        .stdin(server)
        .status(1)
        .prints(format!("STDIN:2: error [unknown-kind] server/a: {found}\n"));
    let near = format!(
        "a.yaml:2: error [unknown-kind] sevice/a: {}; did you mean Service?",
        found.replace("Server", "Sevice")
    );
    check(&[], &[("a.yaml", &server.replace("Server", "Sevice"))], &[&near]);
}

#[test]
fn unreadable_texts_without_the_words_of_manifests_are_not_manifests() {
    let run = |text: &str| {
        let mut run =
            Kselect::new(["check", "-R", "-f", "."]).file("a.json", text).file("b.yaml", deployment("b"));
        String::from_utf8_lossy(&run.run().stderr).into_owned()
    };
    let skipped = "kselect: skipped 1 document that is not a Kubernetes object\n";
    assert_eq!(run("{\"a\": True}\n"), skipped);
    assert_eq!(run("#### 1. Create it\n| a | b |\n```\nkinds: a\n```\na: b: c\n"), skipped);
    let error = run("#### 1. Create it\n- kind : Pod\n  a: b: c\n");
    assert!(error.starts_with("error: ./a.json:"), "{error}");
    let error = run("{\"apiVersion\": \"v1\", \"kind\": True}\n");
    assert!(error.starts_with("error: ./a.json:1"), "{error}");
}

#[test]
fn patches_that_hive_applies_are_not_objects() {
    let patch = "apiVersion: v1\nkind: Namespace\nname: a\napplyMode: AlwaysApply\npatch: |-\n  {\"metadata\": {\"labels\": {}}}\npatchType: merge\n";
    check(&[], &[("a.yaml", patch), ("b.yaml", &deployment("b"))], &[]);
}

#[test]
fn patches_add_volumes_that_containers_mount() {
    let text =
        deployment("a").replace("image: a:1", "image: a:1, volumeMounts: [{name: data, mountPath: /data}]");
    let patched = "resources: [a.yaml]\npatches: [{patch: '{}'}]\n";
    check(&[], &[("kustomization.yaml", patched), ("a.yaml", &text)], &[]);
    let found = "a.yaml:8: error [invalid-value] deployment.apps/a: spec.template.spec.containers[0].volumeMounts[0].name: Not found";
    check(&[], &[("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &text)], &[found]);
}

#[test]
fn vault_labels_its_pods() {
    let service = service("a", "a").replace("{app: a}", "{app: a, vault-active: 'true'}");
    check(&[], &[("a.yaml", &format!("{}---\n{service}", deployment("a")))], &[]);
}

#[test]
fn texts_of_other_engines_are_templates() {
    let library = "#@ def labels(component):\n  app: web\n#@ end\n#@ def all():\n  - a: b\n#@ end\nb: c\n";
    check(&[], &[("_ytt.lib.yaml", library), ("b.yaml", &deployment("b"))], &[]);
    let output = Kselect::new(["check", "-R", "-f", "."])
        .file("a.ftl.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n<#if name??>\n  name: a\n</#if>\n")
        .file("b.yaml", deployment("b"))
        .run();
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.starts_with("kselect: skipped 1 template"), "{notes}");
}

/// An Ingress that leads to a Service.
fn ingress(name: &str, service: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {name}}}\nspec:\n  defaultBackend: {{service: {{name: \
         {service}, port: {{number: 80}}}}}}\n"
    )
}

/// A HorizontalPodAutoscaler that scales a Deployment.
fn autoscaler(name: &str) -> String {
    format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}}}\nspec:\n  maxReplicas: 2\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: {name}}}\n"
    )
}

#[test]
fn names_that_begin_unlike_all_others_may_be_those_of_a_chart() {
    let shop = ["shop-a", "shop-b"].map(|name| deployment(name) + "---\n" + &service(name, name));
    let routes = ["shop-a", "shop-b", "shop-c", "auth-http"].map(|name| ingress(name, name));
    let files = [
        ("a.yaml", &*shop[0]),
        ("b.yaml", &*shop[1]),
        ("route-a.yaml", &*routes[0]),
        ("route-b.yaml", &*routes[1]),
        ("route-c.yaml", &*routes[2]),
    ];
    let missing = |file: &str, severity: &str, name: &str| {
        format!(
            "{file}:5: {severity} [dangling-reference] ingress.networking.k8s.io/{name}: spec.defaultBackend.service.name: \
             the input has no service/{name}"
        )
    };
    check(&[], &files, &[&missing("route-c.yaml", "warning", "shop-c")]);
    let only = ["--only=dangling-reference"];
    let stranger = [&files[..4], &[("route-x.yaml", &*routes[3])]].concat();
    check(&[], &stranger, &[]);
    check(&["--advice", only[0]], &stranger, &[&missing("route-x.yaml", "advice", "auth-http")]);
}

/// Objects as above in a namespace.
fn within(text: impl AsRef<str>, namespace: &str) -> String {
    text.as_ref().replace("metadata: {", &format!("metadata: {{namespace: {namespace}, "))
}

#[test]
fn references_that_resolve_in_another_namespace_are_no_evidence() {
    let (a, b) = (service("a", "a"), service("b", "b"));
    let text = [
        within(deployment("a"), "x"),
        within(deployment("b"), "x"),
        within(a, "x"),
        within(b, "x"),
        within(ingress("a", "a"), "x"),
        within(ingress("b", "b"), "x"),
        within(deployment("c"), "z"),
        within(service("c", "c"), "z"),
    ]
    .join("---\n");
    let elsewhere = within(ingress("grafana", "grafana"), "z");
    check(&[], &[("a.yaml", &text), ("grafana.yaml", &elsewhere)], &[]);
    let beside = elsewhere.replace("namespace: z", "namespace: x");
    let found = "grafana.yaml:5: warning [dangling-reference] ingress.networking.k8s.io/grafana: \
                 spec.defaultBackend.service.name: the input has no service/grafana";
    check(&[], &[("a.yaml", &text), ("grafana.yaml", &beside)], &[found]);
}

#[test]
fn charts_bring_what_is_missing_in_their_namespaces() {
    let shop = ["a", "b"]
        .map(|name| deployment(name) + "---\n" + &service(name, name) + "---\n" + &ingress(name, name))
        .join("---\n");
    let lacking = [ingress("web", "web"), service("x", "x"), autoscaler("x"), autoscaler("z")].join("---\n");
    let (shop, lacking) = (within(shop, "shop"), within(lacking, "shop"));
    let files = [("a.yaml", &*shop), ("x.yaml", &*lacking)];
    let found = [
        "x.yaml:5: warning [dangling-reference] ingress.networking.k8s.io/web: spec.defaultBackend.service.name: the input has no \
         service/web",
    ];
    check(&["--only=dangling-reference"], &files, &found);
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: flux-system}\nspec: \
                   {targetNamespace: shop, chart: {spec: {chart: web}}}\n";
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: r, namespace: argocd}\nspec: {destination: \
                       {namespace: shop}, sources: [{path: a}, {chart: web, repoURL: 'https://example.com'}]}\n";
    for chart in [release, application] {
        check(&[], &[files[0], files[1], ("apps/chart.yaml", chart)], &[]);
        let other = chart.replace("amespace: shop", "amespace: other");
        check(&["--only=dangling-reference"], &[files[0], files[1], ("apps/chart.yaml", &other)], &found);
    }
    // A path in a repository is not a chart, and a misspelt name is one in any case.
    let path = application.replace("{chart: web, ", "{path: b, ");
    check(&["--only=dangling-reference"], &[files[0], files[1], ("apps/chart.yaml", &path)], &found);
    let misspelt = files[1].1.replace("web", "portale");
    let portal = within(service("portal", "a"), "shop");
    let found = "x.yaml:5: warning [dangling-reference] ingress.networking.k8s.io/portale: spec.defaultBackend.service.name: \
                 the input has no service/portale; did you mean portal?";
    let files = [files[0], ("portal.yaml", &*portal), ("x.yaml", &*misspelt), ("apps/chart.yaml", release)];
    check(&["--only=dangling-reference"], &files, &[found]);
    // Without a namespace, the chart must be in the same place.
    let text = ["a", "b"].map(|name| service(name, "a") + "---\n" + &ingress(name, name)).join("---\n");
    let open = [("a.yaml", deployment("a") + "---\n" + &text), ("x.yaml", ingress("web", "web"))];
    let release = release.replace("space: shop", "space: default");
    let with = |file: &str| {
        let files = [("a.yaml", &*open[0].1), ("x.yaml", &*open[1].1), (file, &*release)];
        let run = files
            .iter()
            .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
        let mut run = run;
        String::from_utf8(run.run().stdout).expect("UTF-8")
    };
    assert!(with("apps/chart.yaml").contains("no service/web"));
    assert_eq!(with("chart.yaml"), "");
}

#[test]
fn an_autoscaler_needs_evidence_that_its_workload_belongs_to_the_input() {
    let (web, db) = (deployment("web"), autoscaler("db"));
    let found = |file: &str, line: usize, severity: &str| {
        format!(
            "{file}:{line}: {severity} [dangling-autoscaler] horizontalpodautoscaler.autoscaling/db: the input has no Deployment db to scale"
        )
    };
    let only = "--only=dangling-autoscaler";
    check(&[only, "--advice"], &[("web.yaml", &web), ("db.yaml", &db)], &[&found("db.yaml", 6, "advice")]);
    let together = format!("{web}---\n{db}");
    let more = [("web.yaml", &*together), ("api.yaml", &*deployment("api"))];
    check(&[only], &more, &[&found("web.yaml", 15, "warning")]);
    let near = autoscaler("wbe");
    let hint = "wbe.yaml:6: warning [dangling-autoscaler] horizontalpodautoscaler.autoscaling/wbe: the input has no Deployment wbe to scale; \
                did you mean web?";
    check(&[only], &[("web.yaml", &web), ("wbe.yaml", &near)], &[hint]);
}

#[test]
fn clusters_have_the_services_of_their_control_planes() {
    let monitor = |label: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: m}}\nspec:\n  namespaceSelector: {{matchNames: \
             [kube-system]}}\n  selector: {{matchLabels: {{{label}}}}}\n"
        )
    };
    let beside =
        service("a", "a").replace("{name: a}", "{name: a, namespace: kube-system, labels: {k8s-app: a}}");
    let with = |label: &str| format!("{}---\n{beside}", monitor(label));
    for label in [
        "k8s-app: kubelet",
        "k8s-app: kube-scheduler",
        "component: apiserver",
        "app.kubernetes.io/name: kubelet",
    ] {
        check(&["--only=dangling-monitor"], &[("a.yaml", &with(label))], &[]);
    }
    let found = "a.yaml:6: warning [dangling-monitor] servicemonitor.monitoring.coreos.com/m: no Service of the input has the labels \
                 k8s-app=web";
    check(&["--only=dangling-monitor"], &[("a.yaml", &with("k8s-app: web"))], &[found]);
}

#[test]
fn files_with_the_same_service_and_pods_of_their_own_for_it_are_alternatives() {
    let of = |workload: &str| {
        let deployment = deployment("dns").replacen("name: dns", &format!("name: {workload}"), 1);
        let account = format!("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {workload}}}\n");
        [deployment, account, service("dns", "dns")].join("---\n")
    };
    check(&[], &[("coredns.yaml", &of("coredns")), ("kubedns.yaml", &of("kubedns"))], &[]);
    // A copy of the Service alone is a mistake.
    let copied = [deployment("a"), deployment("b"), service("dns", "dns")].join("---\n");
    let found = "web.yaml:21: warning [duplicate-object] service/dns: the object is already defined at ./coredns.yaml:14";
    check(&["--only=duplicate-object"], &[("coredns.yaml", &of("coredns")), ("web.yaml", &copied)], &[found]);
}

#[test]
fn files_called_templates_lack_names() {
    let text = autoscaler("").replace("{name: }", "{}").replace(", name: }", "}");
    check(&[], &[("hpa-template.yaml", &text), ("a.yaml", &deployment("a"))], &[]);
    let found = [
        "hpa.yaml:3: error [invalid-name] horizontalpodautoscaler.autoscaling/: metadata.name: Required value: name or generateName is required",
        "hpa.yaml:6: error [missing-field] horizontalpodautoscaler.autoscaling/: spec.scaleTargetRef.name: Required value",
    ];
    check(&[], &[("hpa.yaml", &text), ("a.yaml", &deployment("a"))], &found);
}

#[test]
fn files_of_a_chart_that_helm_does_not_install_are_not_applied_with_the_others() {
    let (a, chart) = (deployment("a"), "apiVersion: v2\nname: a\nversion: 1.0.0\n");
    let with = |file: &str| {
        let files = [("a/Chart.yaml", chart), ("a/templates/a.yaml", &*a), (file, &*a)];
        let run = files
            .iter()
            .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
        let mut run = run;
        String::from_utf8(run.run().stdout).expect("UTF-8")
    };
    assert_eq!(with("a/files/all.yaml"), "");
    assert!(with("a/crds/a.yaml").contains("[duplicate-object]"));
}

#[test]
fn an_archive_beside_manifests_is_a_copy_of_them() {
    let (list, a) = ("resources: [a.yaml]\n", deployment("a"));
    let bundle = crate::sources::tar(&[("a.yaml", &a)]);
    let with = |archive: &str| {
        let mut run = Kselect::new(["check", "-R", "-f", "."])
            .file("kustomization.yaml", list)
            .file("a.yaml", &a)
            .file(archive, &bundle);
        String::from_utf8(run.run().stdout).expect("UTF-8")
    };
    assert_eq!(with("old/files.tar"), "");
    let twice = format!("{a}---\n{a}");
    let within = crate::sources::tar(&[("a.yaml", &twice)]);
    let found = "./files.tar/a.yaml:12: error [duplicate-object] deployment.apps/a: the object is already defined at ./files.tar/a.yaml:1\n";
    let output =
        Kselect::new(["check", "--only=duplicate-object", "-R", "-f", "."]).file("files.tar", &within).run();
    assert_eq!(String::from_utf8_lossy(&output.stdout), found);
}

#[test]
fn patches_that_no_one_can_read_are_errors() {
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n        - name: \
                 a\n      - name: b\n";
    let list = ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: b.yaml}]\n");
    let a = deployment("a");
    let with = |patch: &str| {
        let mut run = Kselect::new(["check", "-R", "-f", "."])
            .file(list.0, list.1)
            .file("a.yaml", &a)
            .file("b.yaml", patch);
        let output = run.run();
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (status, errors) = with(patch);
    assert!(status == Some(1) && errors.contains("error: ./b.yaml:9"), "{errors}");
    assert_eq!(with(&patch.replace("        - name: a", "      - name: a")).0, Some(0));
    let template = patch.replace("      - name: b", "{{ if .b }}");
    assert_eq!(with(&template).0, Some(0));
}

#[test]
fn ports_of_placeholders_are_not_missing() {
    let text = |name: &str, port: &str| {
        format!(
            "{}---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: a}}\nspec:\n  defaultBackend: {{service: {{name: \
             {name}, port: {{name: {port}}}}}}}\n",
            service(name, "a")
        )
    };
    check(&["--only=dangling-port"], &[("a.yaml", &text("CHANGEME-service", "CHANGEPORT"))], &[]);
    let found = "a.yaml:12: warning [dangling-port] ingress.networking.k8s.io/a: service/web has no port http; it has 80";
    check(&["--only=dangling-port"], &[("a.yaml", &text("web", "http"))], &[found]);
}

#[test]
fn what_a_feature_gate_allows_is_advice() {
    let text = |metric: &str| {
        autoscaler("a")
            .replace("maxReplicas: 2", &format!("maxReplicas: 2\n  minReplicas: 0\n  metrics: [{metric}]"))
    };
    let only = "--only=invalid-value";
    let external = text(
        "{type: External, external: {metric: {name: m}, target: {type: AverageValue, averageValue: '1'}}}",
    );
    let found = |severity: &str| {
        format!(
            "a.yaml:6: {severity} [invalid-value] horizontalpodautoscaler.autoscaling/a: spec.minReplicas: Invalid value: must be greater \
             than or equal to 1"
        )
    };
    check(&[only, "--advice"], &[("a.yaml", &external)], &[&found("advice")]);
    let resource =
        text("{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 1}}}");
    check(&[only], &[("a.yaml", &resource)], &[&found("error")]);
}

#[test]
fn objects_that_are_kept_aside_are_not_applied_together() {
    let (a, b) = (deployment("a"), deployment("b"));
    let old = deployment("a") + "---\n" + &deployment("c");
    check(&[], &[("backup/a.yaml", &a), ("backup/my-cluster.yaml", &old), ("b.yaml", &b)], &[]);
    let found = "a/old.yaml:3: warning [duplicate-object] deployment.apps/a: the object is already defined at ./a/new.yaml:1";
    let new = deployment("a") + "---\n" + &deployment("d") + "---\n" + &deployment("e");
    let old = old + "---\n" + &deployment("f");
    check(&[], &[("a/new.yaml", &new), ("a/old.yaml", &old)], &[found]);
    check(&[], &[("archive/a/new.yaml", &new), ("archive/a/old.yaml", &old)], &[]);
}

#[test]
fn what_is_kept_aside_or_completed_by_someone_is_advice() {
    let (other, wrong) = (deployment("a"), "apiVersion: v1\nkind: Pd\nmetadata: {name: a}\n");
    let found = |file: &str, severity: &str| {
        format!(
            "{file}:2: {severity} [unknown-kind] pd/a: no matches for kind \"Pd\" in version \"v1\"; did you mean Pod?"
        )
    };
    for file in [
        "archive/a.yaml",
        "x/_old/y/a.yaml",
        "web-old/a.yaml",
        "webOLD/a.yaml",
        "_template_/a.yaml",
        "backup/a.yaml",
    ] {
        let files = [("b.yaml", &*other), (file, wrong)];
        check(&[], &files, &[]);
        check(&["--advice", "--only=unknown-kind"], &files, &[&found(file, "advice")]);
        // If there is nothing else, it was meant.
        check(&[], &[(file, wrong)], &[&found(file, "error")]);
    }
    for file in ["archiver/a.yaml", "household/a.yaml", "old-web/a.yaml", "templates/a.yaml"] {
        check(&[], &[("b.yaml", &other), (file, wrong)], &[&found(file, "error")]);
    }
    // An application that makes backups.
    let built = [
        ("b.yaml", &*other),
        ("backup/a.yaml", wrong),
        ("backup/kustomization.yaml", "resources: [a.yaml]\n"),
    ];
    check(&[], &built, &[&found("backup/a.yaml", "error")]);
    // A test and an environment.
    check(&[], &[("b.yaml", &other), ("test/a.yaml", wrong)], &[]);
    check(&[], &[("prod/b.yaml", &other), ("test/a.yaml", wrong)], &[&found("test/a.yaml", "error")]);
}

#[test]
fn files_of_a_directory_may_be_applied_one_at_a_time() {
    let (a, b) = (deployment("a"), deployment("b").replace("app: b", "app: a"));
    let found = |severity: &str| {
        format!(
            "x/b.yaml:5: {severity} [overlapping-controllers] deployment.apps/b: the pods are also matched by the selector app=a of \
             deployment.apps/a (./x/a.yaml:1)"
        )
    };
    let other = deployment("c");
    let files = [("x/a.yaml", &*a), ("x/b.yaml", &b), ("c.yaml", &other)];
    check(&[], &files, &[]);
    check(&["--advice", "--only=overlapping-controllers"], &files, &[&found("advice")]);
    let listed = |name, text| [files[0], files[1], files[2], (name, text)];
    check(&[], &listed("x/kustomization.yaml", "resources: [a.yaml, b.yaml]\n"), &[&found("warning")]);
    check(&[], &files[..2], &[&found("warning")]);
}

#[test]
fn of_three_objects_with_one_name_in_a_file_one_is_chosen() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let two = [config, config].join("---\n");
    let found = "a.yaml:7: error [duplicate-object] configmap/a: the object is already defined at ./a.yaml:1";
    let other = deployment("b");
    check(&[], &[("a.yaml", &two), ("b.yaml", &other)], &[found]);
    let three = [config, config, config].join("---\n");
    check(&[], &[("a.yaml", &three), ("b.yaml", &other)], &[]);
    check(&[], &[("a.yaml", &three)], &[found, &found.replacen('7', "11", 1)]);
}

#[test]
fn required_values_that_are_left_blank_are_those_of_a_form() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: a:1\n    ports:\n    - \
               containerPort: # the port\n";
    let found =
        "a.yaml:9: error [missing-field] pod/a: spec.containers[0].ports[0].containerPort: Required value";
    let other = deployment("b");
    check(&[], &[("a.yaml", pod), ("b.yaml", &other)], &[]);
    check(
        &["--advice", "--disable=missing-labels"],
        &[("a.yaml", pod), ("b.yaml", &other)],
        &[&found.replace("error", "advice")],
    );
    let unnamed = pod.replace("metadata: {name: a}", "metadata: {name: }").replace(": # the port", ": 80");
    check(&[], &[("a.yaml", &unnamed), ("b.yaml", &other)], &[]);
    let absent = pod.replace("containerPort: # the port", "name: web");
    check(&[], &[("a.yaml", &absent), ("b.yaml", &other)], &[found]);
    let output = Kselect::new(["check", "-f", "a.yaml"]).file("a.yaml", pod).run();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{found}\n"));
}

#[test]
fn values_that_kubesec_encrypted_are_not_base64() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: j5sqx7.iH.eAeg}\n";
    let encrypted = format!("{secret}# kubesec:v:3\n");
    check(&[], &[("a.yaml", &encrypted)], &[]);
    let found = "a.yaml:4: error [wrong-type] secret/a: data.a: illegal base64 data at input byte 6; plain text goes under stringData";
    check(&[], &[("a.yaml", secret)], &[found]);
}

#[test]
fn samples_that_nobody_completed_are_advice() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.ex.io}\nspec:\n  group: ex.io\n  \
                      scope: Namespaced\n  names: {kind: Web, plural: webs, singular: web, listKind: WebList}\n  versions:\n  - name: v1\n    \
                      served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n";
    let sample =
        "apiVersion: ex.io/v1\nkind: Web\nmetadata: {name: a}\nspec:\n  # Add fields here\n  foo: bar\n";
    let files = |text| [("config/crd/a.yaml", definition), ("config/samples/a.yaml", text)];
    check(&[], &files(sample), &[]);
    let completed = sample.replace("  # Add fields here\n", "");
    let found = "config/samples/a.yaml:5: error [unknown-field] web.ex.io/a: strict decoding error: unknown field \"spec.foo\"; its \
                 definition is at ./config/crd/a.yaml:1";
    check(&[], &files(&completed), &[found]);
}

#[test]
fn a_name_that_the_object_has_itself_is_not_misspelt() {
    let set = |name: &str, service: &str| {
        deployment(name).replacen("Deployment", "StatefulSet", 1).replacen(
            "spec:\n",
            &format!("spec:\n  serviceName: {service}\n"),
            1,
        )
    };
    let others = [service("controllers", "b"), deployment("b")].join("---\n");
    check(&[], &[("a.yaml", &set("controller", "controller")), ("b.yaml", &others)], &[]);
    let found = "a.yaml:5: warning [dangling-reference] statefulset.apps/web: spec.serviceName: the input has no service/controller; did you \
                 mean controllers?";
    check(&[], &[("a.yaml", &set("web", "controller")), ("b.yaml", &others)], &[found]);
}

#[test]
fn packages_of_charts_and_fixtures_are_aside() {
    let (other, wrong) = (deployment("a"), "apiVersion: v1\nkind: Pd\nmetadata: {name: a}\n");
    for file in ["charts/web-1.2.3.tgz/web/templates/a.yaml", "pkg/test-fixtures/a.json"] {
        check(&[], &[("b.yaml", &other), (file, wrong)], &[]);
    }
    let found = "charts/web-1.2.3/a.yaml:2: error [unknown-kind] pd/a: no matches for kind \"Pd\" in version \"v1\"; did you mean Pod?";
    check(&[], &[("b.yaml", &other), ("charts/web-1.2.3/a.yaml", wrong)], &[found]);
}

#[test]
fn states_of_a_few_kept_answers_are_advice() {
    let namespace = "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"a\", \"uid\": \"u\", \"creationTimestamp\": \
                     \"2026-01-01T00:00:00Z\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"}, \"spec\": {\"finalizers\": [\"kubernetes\"]}, \
                     \"status\": {\"phase\": \"Terminating\"}}\n";
    let text: Vec<String> = (0..12).map(|number| deployment(&format!("a{number}"))).collect();
    let many = text.join("---\n");
    let args = ["--as-of=2026-01-02T00:00:00Z", "--only=not-deleted"];
    let found = "b.json:1: warning [not-deleted] namespace/a: is being deleted and still exists";
    let run = |args: &[&str], files: &[(&str, &str)]| {
        let args = ["check", "-R", "-f", "."].iter().chain(args).copied();
        let run = files.iter().fold(Kselect::new(args), |run, (path, text)| run.file(path, text));
        let mut run = run;
        String::from_utf8(run.run().stdout).expect("UTF-8").lines().count()
    };
    assert_eq!(run(&args, &[("a.yaml", &many), ("b.json", namespace)]), 0, "{found}");
    assert_eq!(run(&args, &[("a.yaml", &text[0]), ("b.json", namespace)]), 1, "{found}");
    assert_eq!(run(&args, &[("backup/b.json", namespace), ("a.yaml", &text[0])]), 0, "{found}");
}

#[test]
fn a_service_needs_pods_of_its_name_beside_it() {
    let (web, other) = (deployment("web"), deployment("other"));
    let with = |service: &str| {
        [("a/web.yaml", &*web), ("a/service.yaml", service), ("b.yaml", &*other)]
            .map(|(path, text)| (path, text.to_owned()))
    };
    let run = |service: String| {
        let files = with(&service);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        let run = files
            .iter()
            .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
        let mut run = run;
        String::from_utf8(run.run().stdout).expect("UTF-8").lines().count()
    };
    assert_eq!(run(service("web", "shop")), 1);
    assert_eq!(run(service("proxy", "shop")), 0);
}

#[test]
fn types_that_only_a_path_says_are_not_certain() {
    let written =
        "metadata: {name: a, namespace: b, resourceVersion: '1', generation: 1}\nspec: {clusterIP: None}\n";
    check(&[], &[("services/data-nodes.yaml", written), ("b.yaml", &deployment("b"))], &[]);
}

#[test]
fn objects_of_metadata_alone_are_parts_of_others() {
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a, labels: {a: b}}\n";
    let other = deployment("a");
    check(&[], &[("claims.yaml", claim), ("b.yaml", &other)], &[]);
    let missing = |file: &str| {
        [
            format!(
                "{file}:1: error [missing-field] persistentvolumeclaim/a: spec.accessModes: Required value: at least 1 access mode is required"
            ),
            format!(
                "{file}:1: error [missing-field] persistentvolumeclaim/a: spec.resources[storage]: Required value"
            ),
        ]
    };
    let plain = claim.replace(", labels: {a: b}", "");
    let found = missing("claims.yaml");
    check(&[], &[("claims.yaml", &plain), ("b.yaml", &other)], &[&found[0], &found[1]]);
    let output = Kselect::new(["check", "-f", "claims.yaml"]).file("claims.yaml", claim).run();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        missing("claims.yaml").map(|line| line + "\n").concat()
    );
}

#[test]
fn what_tests_read_is_advice_and_need_not_be_yaml() {
    let (other, wrong) = (deployment("a"), "apiVersion: v1\nkind: Pd\nmetadata: {name: a}\n");
    let found = |file: &str, severity: &str| {
        format!(
            "{file}:2: {severity} [unknown-kind] pd/a: no matches for kind \"Pd\" in version \"v1\"; did you mean Pod?"
        )
    };
    for file in ["pkg/testdata/a.yaml", "src/test/resources/a.yaml"] {
        let files = [("a.yaml", &*other), (file, wrong)];
        check(&[], &files, &[]);
        check(&["--advice", "--only=unknown-kind"], &files, &[&found(file, "advice")]);
        check(&[], &[(file, wrong)], &[&found(file, "error")]);
    }
    check(
        &[],
        &[("a.yaml", &other), ("src/main/resources/a.yaml", wrong)],
        &[&found("src/main/resources/a.yaml", "error")],
    );
    let errors = |named: &[&str]| {
        let args = ["check"].iter().chain(named).copied();
        let mut run = Kselect::new(args).file("a.yaml", &other).file("testdata/b.yaml", "kind: \"a\n");
        String::from_utf8(run.run().stderr).expect("UTF-8")
    };
    assert_eq!(errors(&["-R", "-f", "."]), "kselect: skipped 1 document that is not a Kubernetes object\n");
    assert!(errors(&["-f", "a.yaml", "-f", "testdata/b.yaml"]).starts_with("error: testdata/b.yaml:1"));
}

#[test]
fn definitions_in_another_tree_may_be_of_another_release() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.ex.io}\nspec:\n  group: ex.io\n  \
                      scope: Namespaced\n  names: {kind: Web, plural: webs, singular: web, listKind: WebList}\n  versions:\n  - name: v1\n    \
                      served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, \
                      properties: {a: {type: string}}}}}}\n";
    let web = "apiVersion: ex.io/v1\nkind: Web\nmetadata: {name: a}\nspec: {profile: b}\n";
    let found = |severity: &str, file: &str| {
        format!(
            "apps/a.yaml:4: {severity} [unknown-field] web.ex.io/a: strict decoding error: unknown field \"spec.profile\"; its \
             definition is at ./{file}:1"
        )
    };
    let object = ("apps/a.yaml", web);
    for file in ["crds/web.yaml", "web.yaml", "apps/operator/web.yaml"] {
        check(&[], &[(file, definition), object], &[&found("error", file)]);
    }
    let elsewhere = [("pulumi/core/web.yaml", definition), object];
    check(&[], &elsewhere, &[]);
    check(&["--advice", "--only=unknown-field"], &elsewhere, &[&found("advice", elsewhere[0].0)]);
    // Another product may define the kind, too.
    let beside = |file| [(file, definition), ("infra/web/a.yaml", web)];
    let in_web = |file: &str| found("error", file).replacen("apps", "infra/web", 1);
    check(&[], &beside("infra/other/stack.yaml"), &[]);
    for file in ["infra/crds/web.yaml", "infra/flux-system/gotk-components.yaml", "infra/web/stack.yaml"] {
        check(&[], &beside(file), &[&in_web(file)]);
    }
}

#[test]
fn kustomizations_turn_annotations_into_strings() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {a: 2}\n";
    let status = |files: &[(&str, &str)]| {
        let run = files
            .iter()
            .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
        let mut run = run;
        run.run().status.code()
    };
    let other = deployment("b");
    assert_eq!(status(&[("a/a.yaml", config), ("b.yaml", &other)]), Some(1));
    let listed = ("a/kustomization.yaml", "resources: [a.yaml]\n");
    assert_eq!(status(&[("a/a.yaml", config), ("b.yaml", &other), listed]), Some(0));
}

#[test]
fn files_of_which_a_config_map_is_made_need_no_manifest() {
    let taken = |name: &str| format!("    - configMapRef: {{name: {name}}}\n");
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  - name: a\n    image: a:1\n    envFrom:\n{}{}",
        taken("one"),
        taken("two")
    );
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let (maps, other) = ([map("one"), map("two")].join("---\n"), deployment("b"));
    let files = |pod| [("a/a.yaml", pod), ("a/maps.yaml", &*maps), ("b.yaml", &*other)];
    let mounted = format!("{pod}  volumes: [{{name: a, configMap: {{name: scripts}}}}]\n");
    check(&[], &files(&mounted), &[]);
    let found = "a/a.yaml:11: warning [dangling-reference] pod/a: spec.containers[].envFrom[].configMapRef.name: the input has no configmap/scripts";
    check(&[], &files(&(pod + &taken("scripts"))), &[found]);
}

#[test]
fn placeholders_are_replaced_by_programs() {
    let text = service("replace_name", "a").replace("{port: 80}", "{port: replace_port}");
    check(&["--disable=dangling-service"], &[("a.yaml", &text)], &[]);
}

#[test]
fn files_of_a_directory_of_patches_lack_what_they_patch() {
    let patch = deployment("a").replace(", image: a:1", "");
    check(&[], &[("module/kustomize/a.yaml", &patch), ("b.yaml", &deployment("b"))], &[]);
    let found = "module/a.yaml:8: error [missing-field] deployment.apps/a: spec.template.spec.containers[0].image: Required value";
    check(&[], &[("module/a.yaml", &patch), ("b.yaml", &deployment("b"))], &[found]);
}

#[test]
fn what_helm_prints_is_not_a_manifest() {
    let text =
        "NAME: grafana\nLAST DEPLOYED: Thu Jul  4 14:04:47 2024\nNOTES:\n1. Get it: by running\n  a: b\n";
    let mut run =
        Kselect::new(["check", "-R", "-f", "."]).file("install.yaml", text).file("a.yaml", deployment("a"));
    assert_eq!(
        String::from_utf8_lossy(&run.run().stderr),
        "kselect: skipped 1 document that is not a Kubernetes object\n"
    );
}

#[test]
fn workloads_of_two_kinds_with_one_name_are_a_choice() {
    let (web, set) = (deployment("web"), deployment("web").replace("Deployment", "DaemonSet"));
    check(&[], &[("05-deployment.yaml", &web), ("06-daemonset.yaml", &set)], &[]);
    let other = set.replacen("name: web", "name: www", 1);
    let found = "b.yaml:5: warning [overlapping-controllers] daemonset.apps/www: the pods are also matched by the selector app=web of \
                 deployment.apps/web (./a.yaml:1)";
    check(&[], &[("a.yaml", &web), ("b.yaml", &other)], &[found]);
}

#[test]
fn several_files_may_bring_the_namespace_they_need() {
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: monitoring}\n";
    let file =
        |names: [&str; 2]| [namespace.to_owned(), deployment(names[0]), deployment(names[1])].join("---\n");
    let (loki, grafana) = (file(["a", "b"]), file(["c", "d"]));
    check(&[], &[("loki.yaml", &loki), ("grafana.yaml", &grafana)], &[]);
    let twice = format!("{namespace}---\n{namespace}");
    let found = "a.yaml:7: error [duplicate-object] namespace/monitoring: the object is already defined at ./a.yaml:1";
    check(&[], &[("a.yaml", &twice)], &[found]);
}

#[test]
fn kustomizations_replace_labels_and_values_that_are_placeholders() {
    let text = deployment("a").replace("{labels: {app: a}}", "{labels: {app: a, version: N/A}}");
    let list = "resources: [a.yaml]\nreplacements:\n- source: {kind: Deployment}\n  targets: []\n";
    check(&[], &[("kustomization.yaml", list), ("a.yaml", &text)], &[]);
    let without = "resources: [a.yaml]\n";
    let output = Kselect::new(["check", "--only=invalid-label", "-R", "-f", "."])
        .file("kustomization.yaml", without)
        .file("a.yaml", &text)
        .run();
    assert!(String::from_utf8_lossy(&output.stdout).contains("[invalid-label]"));
    let tolerant = deployment("a")
        .replace("{containers", "{tolerations: [{key: a, operator: Equal, value: '${TAINT}'}], containers");
    check(&[], &[("a.yaml", &tolerant)], &[]);
    assert!(tolerant.contains("${TAINT}"));
}

#[test]
fn copies_and_invalid_cases_of_tests_are_not_checked() {
    let a = deployment("a");
    let broken = "apiVersion: v1\nkind: Service\n  a: b\n";
    let errors = |file: &str| {
        let mut run = Kselect::new(["check", "-R", "-f", "."]).file("a.yaml", &a).file(file, broken);
        run.run().status.code()
    };
    assert_eq!(errors("deployment.yaml.bak-golden"), Some(0));
    assert_eq!(errors("tests/cases/invalid-syntax/a.yaml"), Some(0));
    assert_eq!(errors("cases/invalid-syntax/a.yaml"), Some(1));
}

#[test]
fn versions_of_a_patch_beside_the_listed_one_lack_its_labels() {
    let kustomization = "resources: [deployment.yaml]\npatchesStrategicMerge: [versions/v-2.yaml]\n";
    let whole = deployment("a");
    let patch = whole.replace("labels: {app: a}", "labels: {version: '1'}");
    let other = whole.replace("labels: {app: a}", "labels: {app: b}");
    let files = [
        ("kustomization.yaml", kustomization),
        ("deployment.yaml", &whole),
        ("versions/v-1.yaml", &*patch),
        ("versions/v-2.yaml", &*patch),
        ("versions/v-3.yaml", &*other),
    ];
    let mismatch = "versions/v-3.yaml:7: error [template-mismatch] deployment.apps/a: the selector app=a does not match the \
                    labels of the pod template";
    check(&[], &files, &[mismatch]);
}

#[test]
fn a_name_that_begins_otherwise_is_not_misspelt() {
    let maps = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dbcloud-config}\n";
    let user = |name: &str| {
        let from = format!("image: a:1, envFrom: [{{configMapRef: {{name: {name}}}}}]");
        deployment("a").replace("image: a:1", &from)
    };
    check(&[], &[("maps.yaml", maps), ("web.yaml", &user("webcloud-config"))], &[]);
    let misspelt = "db.yaml:8: warning [dangling-reference] deployment.apps/a: \
                    spec.template.spec.containers[].envFrom[].configMapRef.name: the input has no \
                    configmap/dbclod-config; did you mean dbcloud-config?";
    check(&[], &[("maps.yaml", maps), ("db.yaml", &user("dbclod-config"))], &[misspelt]);
}

#[test]
fn objects_to_delete_need_no_more_than_a_name() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
    check(&[], &[("step-7-cleanup.yaml", text)], &[]);
    let missing =
        |path: &str| format!("a.yaml:1: error [missing-field] deployment.apps/a: {path}: Required value");
    let found = [missing("spec.selector"), missing("spec.template.spec.containers")];
    check(&[], &[("a.yaml", text)], &[&found[0], &found[1]]);
}

#[test]
fn istioctl_reads_what_has_no_name() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                      metadata: {name: istiooperators.install.istio.io}\nspec:\n  group: install.istio.io\n  scope: Namespaced\n  \
                      names: {kind: IstioOperator, plural: istiooperators}\n  versions:\n  - name: v1alpha1\n    served: true\n    \
                      storage: true\n    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n";
    let operator =
        "apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nmetadata: {namespace: istio-system}\n";
    check(&[], &[("crd.yaml", definition), ("a.yaml", operator)], &[]);
}

#[test]
fn rows_of_a_database_are_not_manifests() {
    check(&[], &[("rows.json", "{rating: 5}\n{rating: 4}\n"), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn markdown_with_the_name_of_a_manifest_is_not_one() {
    let text = format!("# An application\n\n```yaml\n{}```\n", deployment("b"));
    check(&[], &[("notes.yaml", &text), ("a.yaml", &deployment("a"))], &[]);
    let output = Kselect::new(["check", "-f", "notes.yaml"]).file("notes.yaml", text).run();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("hint: this is Markdown, not a manifest"), "{errors}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_binding_names_the_namespace_of_a_chart() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec:\n  \
                       source: {chart: a, repoURL: https://charts.example.com}\n  destination: {namespace: a-system}\n";
    let account = |name: &str| {
        format!("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}, namespace: a-system}}\n")
    };
    let binding = |name: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: {name}}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}\n\
             subjects: [{{kind: ServiceAccount, name: {name}, namespace: a-system}}]\n"
        )
    };
    let resources =
        [account("one"), account("two"), binding("one"), binding("two"), binding("another")].join("---\n");
    check(&[], &[("apps/a.yaml", application), ("resources/a.yaml", &resources)], &[]);
    let missing = "resources/a.yaml:25: warning [dangling-reference] clusterrolebinding.rbac.authorization.k8s.io/another: \
                   subjects[].name: the input has no serviceaccount/another";
    check(&[], &[("apps/a.yaml", &deployment("a")), ("resources/a.yaml", &resources)], &[missing]);
}

#[test]
fn descriptions_of_apis_are_not_manifests() {
    let text = "# An API\nopenapi: 3.0.0\npaths:\n  schema:\n    kind:\n      - : \n    - $ref: '#/a'\n";
    check(&[], &[("openapi.yml", text), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn words_in_braces_as_names_are_those_of_templates() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {VALUE}\n  labels: {app: {VALUE}}\n";
    check(&[], &[("blank.yaml", text), ("a.yaml", &deployment("a"))], &[]);
    let output =
        Kselect::new(["check", "-f", "."]).file("blank.yaml", text.replace("{VALUE}", "{value}")).run();
    let error = "error: ./blank.yaml:4 (document 1): json: cannot unmarshal object into Go struct field \
                 ObjectMeta.metadata.name of type string\n";
    assert!(String::from_utf8_lossy(&output.stderr).starts_with(error), "{output:?}");
}

#[test]
fn parts_for_generators_and_files_of_tools_are_not_objects() {
    let part = "metadata:\n  labels: {expose: true}\nspec: {type: LoadBalancer}\n";
    let tool = "apiVersion: launchpad.mirantis.com/mke/v1.4\nkind: mke\nmetadata: {name: a}\n";
    let encrypted = "apiVersion: ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]\nkind: ENC[a]\nmetadata:\n  creationTimestamp: ENC[b]\n\
                     sops: {mac: 'ENC[c]'}\n";
    let answer = format!("{{exampledata: [{}]}}", "{a: 1, b: 'x'},\n".repeat(3000));
    let generated = "apiVersion: sextant.example.dev/v1\nkind: StateMachine\nmetadata:\n  name: ModelCache\n  group: a.example.dev\n";
    let files = [
        ("src/main/fabric8/service.yml", part),
        ("mke.yaml", tool),
        ("secret.yaml", encrypted),
        ("answer.json", &answer),
        ("a.sextant.yaml", generated),
        ("a.yaml", &deployment("a")),
    ];
    check(&[], &files, &[]);
    let output =
        Kselect::new(["get", "-f", ".", "-R", "-o", "name"]).file("src/main/fabric8/service.yml", part).run();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "kselect: skipped 1 document that is not a Kubernetes object\n"
    );
}

#[test]
fn kustomizations_change_names_by_patches_and_prefixes() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: manager-}\n";
    let invalid = "a.yaml:3: error [invalid-name] configmap/manager-: metadata.name: Invalid value: \"manager-\": a lowercase RFC \
                   1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an \
                   alphanumeric character (e.g. 'example.com', regex used for validation is \
                   '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    let resources = "resources: [a.yaml]\n";
    check(&[], &[("kustomization.yaml", resources), ("a.yaml", map)], &[invalid]);
    let patch = "patches:\n- target: {kind: ConfigMap}\n  patch: |\n    - op: replace\n      path: /metadata/name\n      value: a\n";
    for changes in [patch, "nameSuffix: a\n"] {
        check(&[], &[("kustomization.yaml", &format!("{resources}{changes}")), ("a.yaml", map)], &[]);
    }
}

#[test]
fn what_flux_merges_lacks_the_rest() {
    let whole = "apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: a\n  annotations: {kustomize.toolkit.fluxcd.io/ssa: merge}\n\
                 subsets: [{ports: [{port: 80}]}]\n";
    check(&["--disable", "deprecated-api"], &[("a.yaml", whole), ("b.yaml", &deployment("b"))], &[]);
}

#[test]
fn texts_that_are_left_blank_are_those_of_a_form() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ntype: kubernetes.io/dockerconfigjson\n\
                  stringData: {.dockerconfigjson: }\n";
    check(&[], &[("a.yaml", secret), ("b.yaml", &deployment("b"))], &[]);
    let found = "a.yaml:5: error [invalid-value] secret/a: data[.dockerconfigjson]: Invalid value: must be a JSON object";
    let wrong = secret.replace("json: }", "json: x}");
    check(&[], &[("a.yaml", &wrong), ("b.yaml", &deployment("b"))], &[found]);
}

#[test]
fn an_autoscaler_in_an_open_namespace_may_scale_what_is_elsewhere() {
    let scaler = autoscaler("b").replace("metadata: {", "metadata: {namespace: '${NAMESPACE}', ");
    let here = within(deployment("a"), "${NAMESPACE}").replace("${NAMESPACE}", "'${NAMESPACE}'");
    let there = within(deployment("b"), "shop");
    let text = format!("{here}---\n{scaler}");
    check(&[], &[("a.yaml", &text), ("c/b.yaml", &there)], &[]);
}

#[test]
fn classes_of_storage_that_clusters_come_with_are_not_missing() {
    let class = |name: &str| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}}}\nprovisioner: a.example.com\n"
        )
    };
    let claim = |name: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}}}\nspec: {{storageClassName: {name}, \
             accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}\n"
        )
    };
    let text = [class("one"), class("two"), claim("one"), claim("two"), claim("default"), claim("gp3")]
        .join("---\n");
    check(&[], &[("a.yaml", &text)], &[]);
}

#[test]
fn notes_without_an_extension_and_words_for_addresses_are_not_wrong() {
    let notes =
        format!("{}helm repo add a https://charts.example.com\n  helm: install: a\n", deployment("b"));
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  dnsConfig: {nameservers: [IAmIPaddress]}\n  \
               containers: [{name: a, image: a:1}]\n";
    check(&[], &[("notes", &notes), ("pod.yaml", pod), ("a.yaml", &deployment("a"))], &[]);
    let found = "pod.yaml:5: error [invalid-value] pod/a: spec.dnsConfig.nameservers[0]: Invalid value: must be a valid IP \
                 address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    check(
        &[],
        &[("pod.yaml", &pod.replace("IAmIPaddress", "10.0.0.300")), ("a.yaml", &deployment("a"))],
        &[found],
    );
}

#[test]
fn findings_that_follow_from_another_file_name_it() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.ex.io}\nspec:\n  \
                      group: ex.io\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions:\n  - name: v1\n    \
                      served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n";
    let widget = "apiVersion: ex.io/v1\nkind: Widget\nmetadata: {name: w}\nspec: {color: red}\n";
    let unknown = "w.yaml:4: error [unknown-field] widget.ex.io/w: strict decoding error: unknown field \"spec.color\"; its \
                   definition is at ./crd.yaml:1";
    check(&[], &[("crd.yaml", definition), ("w.yaml", widget)], &[unknown]);
    let scaler = autoscaler("a").replace(
        "maxReplicas: 2",
        "maxReplicas: 2\n  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]",
    );
    let request = "h.yaml:6: warning [missing-request] horizontalpodautoscaler.autoscaling/a: container a of deployment.apps/a \
                   (./a.yaml:1) requests no cpu, by which it is scaled";
    check(&[], &[("a.yaml", &deployment("a")), ("h.yaml", &scaler)], &[request]);
}

#[test]
fn an_object_without_a_namespace_may_need_what_has_one() {
    let map = |name: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: logs}}\n")
    };
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fluentbit-config}\n";
    let user = deployment("a")
        .replace("image: a:1", "image: a:1, envFrom: [{configMapRef: {name: fluentd-config}}]");
    let files = |name: &str| [("maps.yaml", format!("{}---\n{other}", map(name))), ("a.yaml", user.clone())];
    let run = |name: &str, expected: &[&str]| {
        let files = files(name);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        check(&[], &files, expected);
    };
    run("fluentd-config", &[]);
    let missing = "a.yaml:8: warning [dangling-reference] deployment.apps/a: \
                   spec.template.spec.containers[].envFrom[].configMapRef.name: the input has no configmap/fluentd-config; did you \
                   mean fluentbit-config?";
    run("elsewhere", &[missing]);
}

#[test]
fn transcripts_inventories_and_files_of_installers_are_not_manifests() {
    let transcript = format!("$ oc get deploy a -o yaml\n{}", deployment("b"));
    let inventory = "[masters]\na.example.com\nproviders=[{'name': 'a', 'kind': 'b'}]\nkind: a\n";
    let installer = "apiVersion: v1alpha1\nkind: AgentConfig\nmetadata: {name: a}\nrendezvousIP: 10.0.0.1\n";
    let keys = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {'${DOMAIN}/x': a}\n";
    let files = [
        ("svc.yaml", transcript.as_str()),
        ("hosts.yaml", inventory),
        ("agent-config.yaml", installer),
        ("keys.yaml", keys),
        ("a.yaml", &deployment("a")),
    ];
    check(&[], &files, &[]);
}

#[test]
fn forms_of_an_exercise_and_models_of_secrets_are_not_wrong() {
    let gap = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ???\n    - port: ???\n";
    let below =
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n\n  ???\n\n  ports:\n  - port: ???\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {password: b64pass1}\n";
    let wrong = secret.replace("b64pass1", "b64pass");
    let words = secret.replace("b64pass1", "base64 encoded key");
    let person = "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {name: [developer name]}\n";
    let pipeline = "pipeline {\n  agent { kubernetes { yaml '''\napiVersion: v1\nkind: Pod\n'''\n  } }\n}\n";
    let files = [
        ("service.yaml", gap),
        ("below.yaml", below),
        ("secrets.example.yaml", &*wrong),
        ("words.yaml", &words),
        ("csr.yaml", person),
        ("jenkins.yaml", pipeline),
        ("a.yaml", &deployment("a")),
    ];
    check(&[], &files, &[]);
    let found = "secrets.yaml:4: error [wrong-type] secret/a: data.password: illegal base64 data at input byte 4; plain text goes under stringData";
    check(&[], &[("secrets.yaml", &wrong), ("a.yaml", &deployment("a"))], &[found]);
}

#[test]
fn pods_of_operators_and_of_old_kinds_are_not_missing() {
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec:\n  \
                  podSelector: {matchLabels: {component: predictor}}\n";
    let server = "---\napiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: model}\nspec: {predictor: {}}\n";
    let finding = "a.yaml:14: warning [dangling-policy] networkpolicy.networking.k8s.io/a: no pod of the input has the labels \
                   component=predictor";
    let with = |more: &str| format!("{}---\n{policy}{more}", deployment("b"));
    check(&[], &[("a.yaml", &with(""))], &[finding]);
    check(&[], &[("a.yaml", &with(server))], &[]);
    let old = deployment("c")
        .replace("apps/v1", "v1")
        .replace("kind: Deployment", "kind: DeploymentConfig")
        .replace("{matchLabels: {app: c}}", "{app: c}");
    let files =
        format!("{}---\n{}---\n{}---\n{}", deployment("b"), old, service("b", "b"), service("c", "c"));
    check(&[], &[("a.yaml", &files)], &[]);
}

#[test]
fn what_a_server_accepted_is_advice_where_it_is_kept() {
    let exported =
        "apiVersion: v1\nkind: Service\nmetadata: {name: a, uid: 1-2-3}\nspec: {ports: [{port: 99999}]}\n";
    let files = [("crds/a.yaml", exported), ("b.yaml", &deployment("b")), ("c.yaml", &deployment("c"))];
    check(&["--live=false"], &files, &[]);
    let refused = "b.yaml:4: error [invalid-value] service/a: spec.ports[0].port: Invalid value: must be between 1 and 65535, inclusive";
    check(&["--live=false"], &[("b.yaml", &exported.replace(", uid: 1-2-3", ""))], &[refused]);
}

#[test]
fn an_overlay_may_add_one_of_several_fields() {
    let base = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec: {rules: []}\n";
    let patch = base.replace("[]", "[{host: a.example.com}]");
    let overlay = "resources: [../../base]\npatches: [{path: patch.yaml}]\n";
    let refused = "base/a.yaml:4: error [invalid-value] ingress.networking.k8s.io/a: spec: Invalid value: either `defaultBackend` \
                   or `rules` must be specified";
    let files = [("base/kustomization.yaml", "resources: [a.yaml]\n"), ("base/a.yaml", base)];
    check(&[], &files, &[refused]);
    let overlays = [("over/dev/kustomization.yaml", overlay), ("over/dev/patch.yaml", &patch)];
    check(&[], &[files, overlays].concat(), &[]);
}

#[test]
fn long_notes_and_the_data_of_tests_are_not_manifests() {
    let notes = format!("backlog:\n{}  - [ ] a task\n", "  - done\n".repeat(4000));
    let wrong = deployment("a").replace("spec:\n", "spec:\n  replicas: many\n");
    let files = [
        ("config/backlog.yaml", notes.as_str()),
        ("ci/negative-test-data/a.yaml", &wrong),
        ("b.yaml", &deployment("b")),
    ];
    check(&[], &files, &[]);
    let long = format!("apiVersion: v1\nkind: A\n{notes}");
    let mut run = Kselect::new(["check", "-R", "-f", "."]).file("a.yaml", &long);
    let errors = String::from_utf8(run.run().stderr).expect("UTF-8");
    assert!(errors.starts_with("error: ./a.yaml:4004 "), "{errors}");
}

#[test]
fn patches_of_a_kustomization_with_another_name_are_patches() {
    let part = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: ClusterIP}\n";
    let missing = "files/service.yaml:4: error [missing-field] service/a: spec.ports: Required value";
    check(&[], &[("files/service.yaml", part), ("b.yaml", &deployment("b"))], &[missing]);
    let kustomization =
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches: [{path: service.yaml}]\n";
    let files = [("files/service.yaml", part), ("files/argocd-kustomization.yaml", kustomization)];
    check(&[], &files, &[]);
}

#[test]
fn files_of_cloud_init_and_values_that_someone_replaces_are_not_broken() {
    let cloud = "#cloud-config\nwrite_files:\n  - content: |\n      apiVersion: v1\n      kind: Secret\n%{ if x ~}\n a\n%{ endif }\n";
    let terraform = "apiVersion: v1\nkind: Secret\nmetadata:\n%{ if name ~}\n  name: a\n%{ endif ~}\n";
    let braces =
        deployment("a").replace("matchLabels: {app: a}", "matchLabels:\n      app: {artifactId}-app\n");
    let brackets = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - image: [IMAGE]:1\n    name: a\n";
    let left_out = "apiVersion: v1\nkind: Pod\nmetadata:\n  ...\n  name: a\n";
    let files = [
        ("cloud.yaml", cloud),
        ("terraform.yaml", terraform),
        ("braces.yaml", &braces),
        ("brackets.yaml", brackets),
        ("left-out.yaml", left_out),
        ("b.yaml", &deployment("b")),
    ];
    check(&[], &files, &[]);
    for broken in [brackets.replace("[IMAGE]:1", "['a']:1"), left_out.replace("  ...", "...")] {
        let mut run = Kselect::new(["check", "-R", "-f", "."]).file("a.yaml", &broken);
        let errors = String::from_utf8(run.run().stderr).expect("UTF-8");
        assert!(errors.starts_with("error: ./a.yaml:"), "{errors}");
    }
}

#[test]
fn daemon_sets_of_different_nodes_do_not_overlap() {
    let set = |name: &str, more: &str| {
        format!(
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {name}}}\nspec:\n  selector: {{matchLabels: {{app: a}}}}\n  \
             template:\n    metadata: {{labels: {{app: a}}}}\n    spec: {{{more}, containers: [{{name: a, image: a:1}}]}}\n---\n"
        )
    };
    let arch = |arch: &str| set(arch, &format!("nodeSelector: {{kubernetes.io/arch: {arch}}}"));
    let within = |arch: &str| {
        let terms =
            format!("[{{matchExpressions: [{{key: kubernetes.io/arch, operator: In, values: [{arch}]}}]}}]");
        let affinity = format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"
        );
        set(arch, &affinity)
    };
    check(&[], &[("a.yaml", &(arch("amd64") + &arch("arm64") + &within("arm")))], &[]);
    let found = "a.yaml:14: error [overlapping-controllers] daemonset.apps/b: the pods are also matched by the selector app=a of \
                 daemonset.apps/arm64 (./a.yaml:1)";
    let other = set("b", "nodeSelector: {kubernetes.io/os: linux}");
    check(&[], &[("a.yaml", &(arch("arm64") + &other))], &[found]);
}

#[test]
fn what_a_kustomization_sets_is_not_missing_and_not_refused_by_policies_of_the_input() {
    let set = deployment("a").replace("    metadata: {labels: {app: a}}\n", "");
    let mismatch = "base/a.yaml:7: error [template-mismatch] deployment.apps/a: the selector app=a does not match the labels of \
                    the pod template";
    let kustomization = |more: &str| format!("resources: [a.yaml]\n{more}");
    let run = |more: &str, expected: &[&str]| {
        check(&[], &[("base/a.yaml", &set), ("base/kustomization.yaml", &kustomization(more))], expected);
    };
    run("", &[mismatch]);
    run("commonLabels: {app: a}\n", &[]);
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
                  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: \
                  [deployments]}]}\n  validations: [{expression: 'object.spec.template.spec.containers.all(c, c.image.contains(\"@\"))', \
                  message: no digest}]\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n\
                  metadata: {name: b}\nspec: {policyName: p, validationActions: [Deny]}\n";
    let refused = "base/b.yaml:1: error [admission-policy] deployment.apps/b: ValidatingAdmissionPolicy 'p' with binding 'b' denied \
                   request: no digest (object.spec.template.spec.containers.all(c, c.image.contains(\"@\")))";
    let files = |overlay: &str| {
        let overlay = format!("resources: [../base]\n{overlay}");
        [
            ("base/b.yaml", deployment("b")),
            ("base/kustomization.yaml", "resources: [b.yaml]\n".to_owned()),
            ("over/kustomization.yaml", overlay),
        ]
    };
    let run = |args: &[&str], overlay: &str, of_policy: &str, expected: &[&str]| {
        let mut run = Kselect::new(["check", "-R", "-f", "base", "-f", "over"].iter().chain(args).copied());
        run = files(overlay).iter().fold(run, |run, (path, text)| run.file(path, text));
        let output = run.file(of_policy, policy).run();
        assert_eq!(String::from_utf8(output.stdout).expect("UTF-8").lines().collect::<Vec<_>>(), expected);
    };
    run(&[], "", "over/p.yaml", &[refused]);
    run(&[], "images: [{name: b, digest: 'sha256:1'}]\n", "over/p.yaml", &[]);
    let mut noted = Kselect::new(["check", "-R", "-f", "base", "-f", "over"]);
    noted = files("images: [{name: b, digest: 'sha256:1'}]\n")
        .iter()
        .fold(noted, |run, (path, text)| run.file(path, text));
    let errors = String::from_utf8(noted.file("over/p.yaml", policy).run().stderr).expect("UTF-8");
    assert!(errors.contains("kselect: given as advice: 1 denial by policies of the input, "), "{errors}");
    run(&["--policies", "p.yaml"], "images: [{name: b, digest: 'sha256:1'}]\n", "p.yaml", &[refused]);
}

#[test]
fn what_argo_cd_makes_is_not_missing() {
    let project =
        "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: ops, namespace: argocd}\n---\n";
    let app = |project: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a, namespace: argocd}}\nspec: {{project: {project}}}\n"
        )
    };
    check(&[], &[("a.yaml", &(project.to_owned() + &app("default")))], &[]);
    let missing = "a.yaml:8: warning [dangling-reference] application.argoproj.io/a: spec.project: the input has no \
                   appproject.argoproj.io/op; did you mean ops?";
    check(&[], &[("a.yaml", &(project.to_owned() + &app("op")))], &[missing]);
}

#[test]
fn notes_with_rulers_and_files_of_grafana_are_not_manifests() {
    let ruler = "-".repeat(40);
    let notes = format!(
        "Key points:\n{ruler}\nhpa.yaml - the autoscaler\n{ruler}\n{}\n{ruler}\nNODEPORT\n\n{}",
        deployment("a"),
        service("a", "a")
    );
    let grafana = "apiVersion: 1\n\ndatasources:\n  - name: a\n    uid:b\n    type: c\n";
    let files = [("notes.yaml", notes.as_str()), ("d.yaml", grafana), ("b.yaml", &deployment("b"))];
    check(&[], &files, &[]);
    let objects = format!("{}{ruler}\n{}", deployment("a"), service("a", "a"));
    let mut run = Kselect::new(["check", "-R", "-f", "."]).file("a.yaml", &objects);
    let errors = String::from_utf8(run.run().stderr).expect("UTF-8");
    assert!(
        errors.starts_with("error: ./a.yaml:9 (document 1): invalid Yaml document separator: "),
        "{errors}"
    );
}

#[test]
fn texts_that_someone_completes_or_that_are_no_yaml_are_not_broken_manifests() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
    let tokens = [
        "$EXTRA",
        "@@EXTRA@@",
        "__EXTRA__",
        "%EXTRA%",
        "<insert labels here>",
        "<snip>",
        "[...]",
        "....",
        "<% if x %>",
    ];
    let values = ["@NAME@", "%NAME%: a", "<%= name %>: a", "a: b <1>"];
    let prose = [
        "Pod definition\n".to_owned() + pod + "a\n",
        "#!/bin/bash\nset -e\ncat > a.yaml <<EOF\n".to_owned() + pod + "EOF\n",
        "root@host:~# cat a.yaml\n".to_owned() + pod,
        "local k = import 'k.libsonnet';\n{\n  apiVersion: 'v1',\n  kind: 'Pod',\n}\n".to_owned(),
        "// the pod\n".to_owned() + pod,
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1 @@\n".to_owned() + pod,
    ];
    let with_tokens = tokens.map(|token| format!("{pod}{token}\nspec: {{}}\n"));
    let with_values = values.map(|value| pod.replace("name: a", &format!("name: {value}")));
    let texts = with_tokens.iter().chain(&with_values).chain(&prose);
    let named: Vec<(String, &String)> =
        texts.enumerate().map(|(at, text)| (format!("{at}.yaml"), text)).collect();
    let other = deployment("b");
    let files = named.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = files.chain([("b.yaml", other.as_str())]).collect();
    let run =
        files.iter().fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text));
    let mut run = run;
    let output = run.run();
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success() && !errors.contains("error: "), "{errors}");
    for mistaken in [
        "<<<<<<< HEAD\n".to_owned() + pod,
        "apiVersion v1\n".to_owned() + &pod[15..],
        format!("\u{feff}{pod}sdf\n"),
        pod.replace("name: a", "name: @all"),
        format!("{pod}data:\n<server>\n  a: b\n"),
        format!("{pod}sdf\n"),
    ] {
        let mut run =
            Kselect::new(["check", "-R", "-f", "."]).file("a.yaml", &mistaken).file("b.yaml", &other);
        let output = run.run();
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            errors.starts_with("error: ./a.yaml:") && output.status.code() == Some(1),
            "{mistaken}: {errors}"
        );
    }
}

#[test]
fn what_tests_compare_and_their_input_is_aside() {
    let part = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n";
    let other = deployment("b");
    let wrong = other.replace("spec:\n  sel", "spec:\n  replica: 1\n  sel");
    let files = [
        ("tests-of-tool/issue_1/deployment.yaml", part),
        ("tests-of-tool/issue_1/expected/deployment.yaml", part),
        (
            "policies/kyverno-test.yaml",
            "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: a}\n",
        ),
        ("policies/resource.yaml", &wrong),
        ("a.yaml", &other),
    ];
    check(&[], &files, &[]);
    let missing = "expected/a.yaml:4: error [missing-field] deployment.apps/a: spec.selector: Required value";
    let missing_template = "expected/a.yaml:4: error [missing-field] deployment.apps/a: spec.template.spec.containers: Required value";
    check(&[], &[("expected/a.yaml", part)], &[missing, missing_template]);
}

#[test]
fn versions_and_values_that_someone_replaces_and_reports_are_no_mistakes() {
    let version = deployment("a").replace("apps/v1", "DEPLOYMENT_API");
    let exercise = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - <EDIT: UPDATE WITH THE PORT>\n      <EDIT: AND THE NAME>\n";
    let report = "[{\"kind\": \"test\", \"evidence\": \"a\\|b\"}]\n";
    let files = [
        ("version.yaml", version.as_str()),
        ("exercise.yaml", exercise),
        ("report.json", report),
        ("b.yaml", &deployment("b")),
    ];
    check(&[], &files, &[]);
}

#[test]
fn objects_in_the_branches_of_a_template_are_no_duplicates() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let branches = format!("{{{{- if a}}}}\n---\n{map}---\n{{{{- end}}}}\n---\n{map}");
    check(&[], &[("parts/a.yaml", &branches), ("b.yaml", &deployment("b"))], &[]);
    let found = "parts/a.yaml:7: error [duplicate-object] configmap/a: the object is already defined at ./parts/a.yaml:1";
    check(&[], &[("parts/a.yaml", &format!("{map}---\n{map}")), ("b.yaml", &deployment("b"))], &[found]);
}

#[test]
fn a_policy_of_another_version_of_the_objects_is_not_applied() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
                  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: \
                  [deployments]}]}\n  validations: [{expression: 'object.spec.replicas > 1', message: too few}]\n---\n\
                  apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n\
                  spec: {policyName: p, validationActions: [Deny]}\n";
    let with = |name: &str| {
        let many = deployment(name).replace("spec:\n  sel", "spec:\n  replicas: 2\n  sel");
        format!("{many}---\n{policy}")
    };
    let refused = "x/a.yaml:1: error [admission-policy] deployment.apps/a: ValidatingAdmissionPolicy 'p' with binding 'b' denied \
                   request: too few (object.spec.replicas > 1)";
    check(&[], &[("x/a.yaml", &deployment("a")), ("y/b.yaml", &with("b"))], &[refused]);
    check(&[], &[("x/a.yaml", &deployment("a")), ("y/b.yaml", &with("a"))], &[]);
}

#[test]
fn results_of_tests_labels_of_a_tool_and_kinds_without_a_group_are_not_wrong() {
    let wrong = deployment("a").replace("spec:\n  sel", "spec:\n  replica: 1\n  sel");
    let labels =
        deployment("c").replace("metadata: {name: c}", "metadata: {name: c, labels: \"$(parent.labels)\"}");
    let park = "kind: AnimalPark\nmetadata: {name: park}\n";
    let files = [
        ("cases/expected.yaml", wrong.as_str()),
        ("cases/web.golden.yaml", &wrong),
        ("labels.yaml", &labels),
        ("park.yaml", park),
        ("b.yaml", &deployment("b")),
    ];
    check(&[], &files, &[]);
    let unset = "secret.yaml:1: error [invalid-object] secret/a: error validating data: apiVersion not set";
    check(
        &[],
        &[("secret.yaml", "kind: Secret\nmetadata: {name: a}\n"), ("b.yaml", &deployment("b"))],
        &[unset],
    );
}

#[test]
fn what_someone_is_to_mend_or_a_program_took_out_is_not_a_mistake() {
    let wrong = deployment("a").replace("spec:\n  sel", "spec:\n  replica: 1\n  sel");
    let redacted = deployment("b").replace("spec:\n  sel", "spec:\n  REDACTED_33feff97: 1\n  sel");
    let page = "<!DOCTYPE html>\n<html><head>\n<title>a: b: c</title>\n";
    let files = [
        ("exercises/broken-app.yaml", wrong.as_str()),
        ("exercises/b.yaml", &redacted),
        ("exercises/workflow.json", page),
    ];
    check(&[], &files, &[]);
    let unknown = "error [unknown-field] deployment.apps/a: strict decoding error: unknown field \"spec.replica\"; \
                   did you mean replicas?";
    check(&[], &[("app.yaml", &wrong), ("b.yaml", &redacted)], &[&format!("app.yaml:5: {unknown}")]);
    // One word says too little, and what cannot be read is never passed over.
    for path in ["broken/app.yaml", "broken.yaml", "invalid.yaml"] {
        check(&[], &[(path, &wrong), ("a.yaml", &redacted)], &[&format!("{path}:5: {unknown}")]);
    }
    let mut run = Kselect::new(["check", "-R", "-f", "."])
        .file("broken-app.yaml", "kind: [\n")
        .file("a.yaml", &redacted);
    assert_eq!(run.run().status.code(), Some(1));
    let mut run = Kselect::new(["check", "-R", "-f", "."]).file("pods.yaml", page).file("b.yaml", &redacted);
    let output = run.run();
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(errors.contains("error: ./pods.yaml:") && output.status.code() == Some(1), "{errors}");
}

#[test]
fn what_comments_call_intentional_and_exercises_with_a_solution_are_advice() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  # Intentional, the fix changes it.\n  # See run.sh.\n  prots: []\n  typ: ClusterIP\n  ports: [{port: 80}]\n";
    let unknown = "error [unknown-field] service/a: strict decoding error: unknown field";
    let found = [
        format!("a.yaml:7: {unknown} \"spec.prots\"; did you mean ports?"),
        format!("a.yaml:8: {unknown} \"spec.typ\"; did you mean type?"),
    ];
    let pods = deployment("b");
    check(&[], &[("a.yaml", service), ("b.yaml", &pods)], &[&found[1]]);
    let other = service.replace("Intentional", "Initial");
    check(&[], &[("a.yaml", &other), ("b.yaml", &pods)], &[&found[0], &found[1]]);
    let wrong = "# This is broken on purpose.\n".to_owned() + &other;
    check(&[], &[("a.yaml", &wrong), ("b.yaml", &pods)], &[]);
    let mended = other.replace("  prots: []\n  typ: ClusterIP\n", "");
    check(&[], &[("1/a.yaml", &other), ("1/solution/a.yaml", &mended), ("b.yaml", &pods)], &[]);
}

#[test]
fn exercises_with_blanks_and_mistakes_beside_their_corrections_are_aside() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: a, image: a}]\n";
    let wrong = pod.replace("spec:\n", "spec:\n  replica: 1\n");
    let (blank, asked) =
        (pod.replace("spec:\n", "spec:\n  ________: 1\n"), pod.replace("image: a", "image: ?"));
    let gap = pod.replace("  containers: [{name: a, image: a}]", "  containers: ________\n  replica: 1");
    let disk = pod.to_owned()
        + "  volumes: [{name: a, azureDisk: {diskURI: [URI to vhd], diskName: [name of vhd]}}]\n";
    let files = [
        ("1/error/deployment-error.yaml", wrong.as_str()),
        ("1/error/deployment.yaml", pod),
        ("2/a.yaml", &wrong),
        ("2/a-corrected.yaml", pod),
        ("3/exercise.yaml", &wrong),
        ("3/solution.yaml", pod),
        ("4/exercise/a.yaml", &wrong),
        ("4/solution/a.yaml", pod),
        ("5/a.yaml", &blank),
        ("6/a.yaml", &asked),
        ("7/a.yaml", &gap),
        ("8/a.yaml", &disk),
        ("validation-invalid-pod.yaml", &wrong),
    ];
    check(&[], &files, &[]);
    let unknown = "error [unknown-field] pod/a: strict decoding error: unknown field \"spec.replica\"";
    let files = [("error.yaml", wrong.as_str()), ("page-error.yaml", &wrong), ("b.yaml", pod)];
    check(&[], &files, &[&format!("error.yaml:5: {unknown}"), &format!("page-error.yaml:5: {unknown}")]);
}

#[test]
fn what_comments_say_of_an_object_or_a_value_is_believed() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n  replica: 1\n  containers: [{name: a, image: a}]\n";
    let unknown =
        "a.yaml:5: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.replica\"";
    check(&[], &[("a.yaml", pod)], &[unknown]);
    for said in [
        "# This will fail validation\n".to_owned() + pod,
        "# A wrong field on purpose.\n\n".to_owned() + pod,
        pod.replace("replica: 1", "replica: 1 # You need to configure this."),
        pod.replace("  replica", "  # This field doesn't exist.\n  replica"),
    ] {
        check(&[], &[("a.yaml", &said)], &[]);
    }
    for other in [
        "# This fails over to another one.\n".to_owned() + pod,
        "# A pod on purpose.\n".to_owned() + pod,
        pod.replace("spec:", "# change it\nspec:"),
    ] {
        let line = if other.starts_with('#') || other.contains("# change") { 6 } else { 5 };
        check(&[], &[("a.yaml", &other)], &[&unknown.replace(":5:", &format!(":{line}:"))]);
    }
    let old = "# This pod is a placeholder.\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n";
    let removed = "a.yaml:2: error [removed-api] poddisruptionbudget.policy/a: policy/v1beta1 PodDisruptionBudget is unavailable in \
                   v1.25+; use policy/v1 PodDisruptionBudget";
    check(&[], &[("a.yaml", old)], &[removed]);
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let twice = |comment: &str| format!("{map}---\n{comment}{map}");
    check(&[], &[("a.yaml", &twice("# Method 2\n"))], &[]);
    check(&[], &[("a.yaml", &twice("# The same in a different cluster\n"))], &[]);
    let found = "a.yaml:8: error [duplicate-object] configmap/a: the object is already defined at ./a.yaml:1";
    check(&[], &[("a.yaml", &twice("# The same\n"))], &[found]);
}

#[test]
fn patches_for_all_objects_pods_that_a_program_names_and_parts_in_templates_are_no_mistakes() {
    let all =
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: '*'}\nspec: {}\n";
    let agent =
        "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: jnlp, image: jenkins/inbound-agent}]\n";
    let volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec: {accessModes: [ReadWriteOnce], \
                  capacity: {storage: 1Gi}, nfs: {path: /a}}\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: b, namespace: NAMESPACE}\nspec: {ports: [{port: 80}], selector: {app: b}}\n";
    let pods = deployment("b").replace("name: b}", "name: b, namespace: c}");
    let both = format!("{service}---\n{pods}");
    let files = [
        ("patches/all.yaml", all),
        ("agent.yaml", agent),
        ("x/y-templates/volume.yaml", volume),
        ("b.yaml", both.as_str()),
    ];
    check(&[], &files, &[]);
    let missing = "volume.yaml:4: error [missing-field] persistentvolume/a: spec.nfs.server: Required value";
    check(&[], &[("volume.yaml", volume), ("b.yaml", &pods)], &[missing]);
    let found = "a.yaml:1: error [invalid-name] pod/: metadata.name: Required value: name or generateName is required";
    check(&[], &[("a.yaml", &agent.replace("jnlp", "a")), ("b.yaml", &pods)], &[found]);
    let output = Kselect::new(["check"]).stdin(agent).run();
    let nameless = "STDIN:1: error [invalid-name] pod/: metadata.name: Required value: name or generateName is required\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), nameless);
}

#[test]
fn a_json_patch_may_change_versions() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1}\n";
    let kustomization =
        "resources: [a.yaml]\npatches:\n- {path: version.yaml, target: {kind: PodDisruptionBudget}}\n";
    let inline = "resources: [a.yaml]\npatches:\n- {target: {kind: PodDisruptionBudget}, patch: '[{op: replace, path: /apiVersion, \
                  value: policy/v1}]'}\n";
    let patch = |path: &str| format!("- {{op: replace, path: {path}, value: policy/v1}}\n");
    let with = |kustomization: &str, path: &str, expected: &[&str]| {
        let files =
            [("kustomization.yaml", kustomization), ("version.yaml", &patch(path)), ("a.yaml", budget)];
        check(&[], &files, expected);
    };
    with(kustomization, "/apiVersion", &[]);
    with(inline, "/spec/a", &[]);
    let removed = "a.yaml:1: error [removed-api] poddisruptionbudget.policy/a: policy/v1beta1 PodDisruptionBudget is unavailable in \
                   v1.25+; use policy/v1 PodDisruptionBudget";
    with(kustomization, "/spec/apiVersion", &[removed]);
}

#[test]
fn a_file_with_services_that_mostly_select_nothing_is_a_collection_of_examples() {
    let service = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{ports: [{{port: 80}}], selector: {{app: {name}}}}}\n"
        )
    };
    let several = deployment("web") + &service("web") + &service("store") + &service("billing");
    check(&[], &[("a.yaml", &several), ("b.yaml", &deployment("other"))], &[]);
    let one = deployment("web") + &service("web") + &service("store");
    let found =
        "a.yaml:18: warning [dangling-service] service/store: no pod of the input has the labels app=store";
    check(&[], &[("a.yaml", &one), ("b.yaml", &deployment("b"))], &[found]);
}

#[test]
fn what_a_chart_reads_itself_is_aside() {
    let old = "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}\n";
    let files = [
        ("chart/Chart.yaml", "name: a\nversion: 1.0.0\n"),
        ("chart/crd/v1beta1/a.yaml", old),
        ("chart/charts/b/Chart.yaml", "name: b\nversion: 1.0.0\n"),
        ("chart/charts/b/files/a.yaml", old),
        ("c.yaml", &deployment("c")),
    ];
    check(&[], &files, &[]);
    let both = [("kustomization.yaml", "resources: [crd/a.yaml]\n"), ("crd/a.yaml", old), files[0], files[4]];
    let removed = "crd/a.yaml:1: error [removed-api] deployment.apps/a: apps/v1beta1 Deployment is unavailable in v1.16+; use \
                   apps/v1 Deployment; spec.selector is required there";
    let output = both
        .iter()
        .fold(Kselect::new(["check", "-R", "-f", "."]), |run, (path, text)| run.file(path, text))
        .run();
    let found = String::from_utf8_lossy(&output.stdout).replace("./", "");
    assert!(found.contains(removed), "{found}");
}

#[test]
fn environments_of_tanka_configure_a_tool() {
    let environment = "{\"apiVersion\": \"tanka.dev/v1alpha1\", \"kind\": \"Environment\", \"metadata\": {\"name\": \"environments/a\"}}\n";
    check(&[], &[("environments/a/spec.json", environment), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn the_findings_of_files_that_cannot_be_read_say_what_they_are() {
    let conflict = "apiVersion: v1\nkind: Service\n<<<<<<< HEAD\nmetadata: {name: a}\n=======\nmetadata: {name: b}\n>>>>>>> b\n";
    let command = "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Service\nEOF\n";
    let files = [("a.yaml", conflict), ("b.yaml", command)];
    let output = files
        .iter()
        .fold(Kselect::new(["check", "-o", "github", "-f", "."]), |run, (path, text)| run.file(path, text))
        .run();
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(found.contains("a merge left the marks of a conflict here"), "{found}");
    assert!(found.contains("this is a shell command that contains a manifest"), "{found}");
}

#[test]
fn endpoints_that_a_controller_made_are_not_someones_to_rewrite() {
    let endpoints = |more: &str| {
        format!(
            "apiVersion: v1\nkind: Endpoints\nmetadata: {{name: a}}\nsubsets:\n- addresses: [{{ip: 10.0.0.1{more}}}]\n"
        )
    };
    let made = endpoints(", targetRef: {kind: Pod, name: a-1, uid: 1-2}");
    let empty = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: b}\n";
    check(&[], &[("made.yaml", &made), ("empty.yaml", empty), ("b.yaml", &deployment("b"))], &[]);
    let deprecated = "a.yaml:1: warning [deprecated-api] endpoints/a: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 \
                      EndpointSlice";
    check(&[], &[("a.yaml", &endpoints("")), ("b.yaml", &deployment("b"))], &[deprecated]);
    let written = endpoints(", targetRef: {kind: Pod, name: a-1}");
    check(&[], &[("a.yaml", &written), ("b.yaml", &deployment("b"))], &[deprecated]);
}

#[test]
fn names_that_someone_completes_or_grafana_gives_are_not_wrong() {
    let named = |api_version: &str, kind: &str, name: &str| {
        format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{}}\n")
    };
    let dashboard = named("dashboard.grafana.app/v1beta1", "Dashboard", "eM7_f4V7z");
    let course = named("argoproj.io/v1alpha1", "Application", "trainingXX");
    check(&[], &[("d.yaml", &dashboard), ("course.yaml", &course), ("b.yaml", &deployment("b"))], &[]);
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {loadBalancerClass: a}\n";
    check(&[], &[("patches/a.yaml", service), ("b.yaml", &deployment("b"))], &[]);
}

#[test]
fn a_policy_of_the_input_for_some_namespaces_may_not_be_about_an_object_without_one() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
                  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: \
                  [deployments]}]}\n  validations: [{expression: 'false', message: never}]\n---\napiVersion: \
                  admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: \
                  p, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: \
                  default}}}}\n";
    let placed = deployment("a").replace("{name: a}\nspec", "{name: a, namespace: default}\nspec");
    assert_ne!(placed, deployment("a"));
    let denied = "a.yaml:1: error [admission-policy] deployment.apps/a: ValidatingAdmissionPolicy 'p' with binding 'b' denied \
                  request: never (false)";
    check(&[], &[("p.yaml", policy), ("a.yaml", &placed)], &[denied]);
    check(&[], &[("p.yaml", policy), ("a.yaml", &deployment("a"))], &[]);
}

#[test]
fn a_part_in_a_file_called_patch_needs_no_kind() {
    let part = "apiVersion: org.eclipse.che/v2\nspec: {networking: {}}\n";
    check(&[], &[("cr-patch.yaml", part), ("b.yaml", &deployment("b"))], &[]);
    let output =
        Kselect::new(["check", "-f", "."]).file("cr.yaml", part).file("b.yaml", deployment("b")).run();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.starts_with("error: ./cr.yaml:1 (document 1): Object 'Kind' is missing\n"), "{errors}");
}

#[test]
fn dumps_among_manifests_are_each_as_old_as_their_newest_time() {
    let node = |name: &str, year: u16| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {{\"name\": \"{name}\", \"uid\": \"u-{name}\", \"resourceVersion\": \"1\", \
             \"creationTimestamp\": \"{year}-01-01T00:00:00Z\"}}, \"status\": {{\"conditions\": [{{\"type\": \"Ready\", \"status\": \"False\", \
             \"lastTransitionTime\": \"{year}-01-01T00:00:00Z\", \"lastHeartbeatTime\": \"{year}-01-01T00:00:09Z\"}}]}}}}\n"
        )
    };
    let files =
        [("a/node.json", node("a", 2022)), ("b/node.json", node("b", 2024)), ("c.yaml", deployment("c"))];
    let found = |files: &[(&str, String)]| {
        let run = Kselect::new(["check", "-R", "-f", ".", "--live", "--as-of", "dump"]);
        let output = files.iter().fold(run, |run, (path, text)| run.file(path, text)).run();
        String::from_utf8(output.stdout).expect("UTF-8") + &String::from_utf8_lossy(&output.stderr)
    };
    let text = found(&files);
    assert_eq!(text.matches("is not ready, since 9s\n").count(), 2, "{text}");
    assert!(text.contains("kselect: ages are as of when each of 2 dumps was taken"), "{text}");
    // Of one cluster, all is of one time.
    let text = found(&files[..2]);
    assert!(text.contains("since 2y") && text.contains("ages are as of 2024-01-01T00:00:09Z"), "{text}");
}

#[test]
fn texts_under_a_kind_are_no_object() {
    let text = "kind: Secret\nemail: ${EMAIL}\nkey: ${KEY}\n";
    check(&[], &[("tmpl/a.yaml", text)], &[]);
    let [version, name] = [
        "error [invalid-object] secret/: error validating data: apiVersion not set",
        "error [invalid-name] secret/: metadata.name: Required value: name or generateName is required",
    ];
    let places = |message: &str| format!("tmpl/a.yaml:1: {message}");
    let mistaken = text.replace("key: ${KEY}", "data: {a: b}");
    check(&[], &[("tmpl/a.yaml", &mistaken)], &[&places(name), &places(version)]);
}

#[test]
fn the_owner_of_a_file_of_a_tool_is_no_misspelt_field() {
    let text = "apiVersion: a.factory/v1\nkind: Agent\nmetadata: {name: a, owner: b}\n";
    check(&[], &[("a.agent.yaml", text)], &[]);
}

#[test]
fn files_are_called_after_the_failure_that_they_show() {
    let bad = service("a_b", "c");
    let files = |name: &'static str| [("a.yaml", service("a", "c")), (name, bad.clone())];
    for (name, is_known) in [
        ("b-name-fail.yaml", true),
        ("b-port-fail2.yaml", true),
        ("restart-on-fail.yaml", false),
        ("fail.yaml", false),
    ] {
        let files = files(name);
        let files = files.each_ref().map(|(path, text)| (*path, &**text));
        let found = format!(
            "{name}:3: error [invalid-name] service/a_b: metadata.name: Invalid value: \"a_b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        );
        let found = [&*found];
        check(&[], &files, if is_known { &[] } else { &found });
    }
}

#[test]
fn documentation_has_commands_in_files_of_their_own() {
    let text = "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\nEOF\n";
    let args = ["check", "-R", "-f", "."];
    let mut run = Kselect::new(args).file("docs/a.yaml", text).file("b.yaml", service("b", "b"));
    assert_eq!(run.run().status.code(), Some(0));
    let mut run = Kselect::new(args).file("a.yaml", text).file("b.yaml", service("b", "b"));
    assert_eq!(run.run().status.code(), Some(1));
}

#[test]
fn a_guide_makes_what_a_selector_selects() {
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec:\n  \
                  podSelector: {matchLabels: {app: web-teir}}\n";
    let found = "lab/a.yaml:5: warning [dangling-policy] networkpolicy.networking.k8s.io/a: no pod of the input has the labels \
                 app=web-teir; did you mean app=web-tier?";
    let check = |guides: &[(&str, &str)], expected: &[&str]| {
        let pods = deployment("web-tier");
        let files = [("lab/a.yaml", policy), ("lab/web.yaml", &pods)];
        check(&[], &[&files, guides].concat(), expected);
    };
    check(&[], &[found]);
    for guide in [
        "Start a pod:\n```sh\nkubectl run test --image=a:1 \\\n  --labels=app=web-teir,tier=fe\n```\n",
        "`kubectl create deployment web-teir --image a`\n",
        "cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: web-teir}}\nEOF\n",
        "```yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: web-teir}}\n```\n",
        "```\nls\n```\n```\ncat <<EOF > a.yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: web-teir}}\nEOF\nls\n```\n",
    ] {
        for path in ["README.md", "lab/README.md", "scripts/make.sh"] {
            check(&[(path, guide)], &[]);
        }
        // It speaks for the manifests below it.
        check(&[("other/README.md", guide), ("other/b.yaml", &service("b", "b"))], &[found]);
    }
    check(&[("README.md", "kubectl get pods -l app=web-teir\n")], &[found]);
}

#[test]
fn a_guide_makes_or_installs_what_a_reference_names() {
    let binding = |name: &str, account: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: {name}, namespace: shop}}\nroleRef: \
             {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}\nsubjects:\n- {{kind: ServiceAccount, name: \
             {account}, namespace: shop}}\n---\n"
        )
    };
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: dns-controller, namespace: shop}\n";
    let text = format!("{}{}", binding("a", "dns-contoller"), account);
    let found = "a.yaml:6: warning [dangling-reference] rolebinding.rbac.authorization.k8s.io/a: subjects[].name: the input has no \
                 serviceaccount/dns-contoller; did you mean dns-controller?";
    let check = |guide: &str, expected: &[&str]| {
        check(&[], &[("a.yaml", &text), ("b.yaml", &service("b", "b")), ("make.sh", guide)], expected);
    };
    check("", &[found]);
    check("kubectl create serviceaccount -n shop dns-contoller\n", &[]);
    check("helm install dns repo/dns\n", &[]);
    // What is nearly the same is misspelt, whatever a chart brings.
    check("helm install other repo/other -n shop\n", &[found]);
    check("kubectl get serviceaccount dns-contoller\n", &[found]);
    // An object of another kind is none.
    check("kubectl create namespace dns-contoller\n", &[found]);
    check("```\nkind: Service\napiVersion: v1\nmetadata: {name: dns-contoller}\n```\n", &[found]);
    check("```\nkind: ServiceAccount\napiVersion: v1\nmetadata: {name: dns-contoller}\n```\n", &[]);
}

#[test]
fn what_a_guide_replaces_is_not_wrong() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  token: my-service-token\n";
    let found = "a.yaml:5: error [wrong-type] secret/a: data.token: illegal base64 data at input byte 2; plain text goes under stringData";
    let check = |guide: &str, expected: &[&str]| {
        check(&[], &[("a.yaml", secret), ("b.yaml", &service("b", "b")), ("README.md", guide)], expected);
    };
    check("", &[found]);
    check("```\nsed -i \"s/my-service-token/$TOKEN/\" a.yaml\n```\n", &[]);
    check("sed -i 's/other/a/' a.yaml\n", &[found]);
    // In another file, of what is piped, and of a key alone.
    check("sed -i 's/my-service-token/a/' c.yaml\n", &[found]);
    check("kubectl get secrets | sed 's/my-service-token/a/'\n", &[found]);
    check("sed -i 's/token: .*/token: a/' a.yaml\n", &[found]);
    check("sed -i 's/my-service-token/a/' *.yaml\n", &[]);
    let directory = Kselect::new(["check", "shop"])
        .file("shop/a.yaml", secret)
        .file("shop/README.md", "sed 's/my-service-token/a/' a.yaml")
        .run();
    assert_eq!(directory.status.code(), Some(0));
    // The file is named, so it is meant as it is.
    let output = Kselect::new(["check", "-f", "a.yaml"])
        .file("a.yaml", secret)
        .file("README.md", "sed 's/my-service-token/a/' a.yaml")
        .run();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_a_guide_gives_to_helm_is_no_manifest() {
    let values = deployment("a").replace("matchLabels: {app: a}", "matchLabels: {app: b}");
    let found = "apm/a.yaml:7: error [template-mismatch] deployment.apps/a: the selector app=b does not match the labels of the pod \
                 template";
    let check = |guide: &str, expected: &[&str]| {
        check(
            &[],
            &[("apm/a.yaml", &values), ("b.yaml", &service("b", "b")), ("install.sh", guide)],
            expected,
        );
    };
    check("kubectl apply -f apm/a.yaml\n", &[found]);
    check("helm install a repo/a -f ./apm/a.yaml\n", &[]);
    check("helm install a repo/a -f ./other/a.yaml\n", &[found]);
}

#[test]
fn a_guide_shows_the_errors_of_a_file() {
    let text = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selector: {app: a}}\n";
    let found = "a.yaml:4: error [missing-field] service/a: spec.ports: Required value";
    let check = |guide: &str, expected: &[&str]| {
        check(&[], &[("a.yaml", text), ("b.yaml", &service("b", "b")), ("README.md", guide)], expected);
    };
    check("$ kubectl apply -f a.yaml\n", &[found]);
    check("$ kubectl apply -f a.yaml\nThe Service \"a\" is invalid: spec.ports: Required value\n", &[]);
    check("$ kubectl apply -f a.yaml\nThe Service \"a\" is invalid: spec.type: Required value\n", &[found]);
    check("$ kubectl apply -f c.yaml\nThe Service \"a\" is invalid: spec.ports: Required value\n", &[found]);
    check("$ kubectl apply -f a.yaml\nIf there is an error, look at its ports.\n", &[found]);
    check("Apply `a.yaml`, which will fail.\n", &[]);
    check("Mended a broken link in `a.yaml`.\n", &[found]);
    check("Apply `a.yaml`.\n\nOthers will fail.\n", &[found]);
}

#[test]
fn values_called_dummy_stand_for_secrets() {
    let secret =
        |value: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\ndata: {{a: {value}}}\n");
    check(&[], &[("a.yaml", &secret("dummy-value"))], &[]);
}

#[test]
fn a_name_that_lacks_its_end_is_completed() {
    let text = service("bucket-", "a");
    check(&[], &[("a.yaml", &text), ("b.yaml", &service("b", "b"))], &[]);
    let output = Kselect::new(["check", "-f", "a.yaml"]).file("a.yaml", &text).run();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn dapr_reads_files_without_a_cluster() {
    let text = |address: &str| {
        format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Configuration\nmetadata: {{name: daprConfig}}\nspec: {{zipkin: {{endpointAddress: \
             '{address}'}}}}\n"
        )
    };
    check(&[], &[("a.yaml", &text("http://localhost:9411"))], &[]);
    let found = "a.yaml:3: warning [invalid-name] configuration.dapr.io/daprConfig: metadata.name: Invalid value: \"daprConfig\": a \
                 lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    check(&[], &[("a.yaml", &text("http://zipkin:9411"))], &[found]);
}

#[test]
fn a_file_without_an_extension_and_a_kind_is_none_of_manifests() {
    let text = "apiVersion: helm.toolkit.fluxcd.io/v2\n";
    check(&[], &[("a/1", text), ("a/a.yaml", &service("a", "a"))], &[]);
    let run = Kselect::new(["check", "-R", "-f", "."]).file("a/1.yaml", text).run();
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn what_is_laid_over_a_whole_object_lacks_fields() {
    let part = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: \
                a:2}]}}}\n";
    check(&[], &[("base/a.yaml", &deployment("a")), ("fault/a.yaml", part)], &[]);
    let found = "fault/a.yaml:4: error [missing-field] deployment.apps/a: spec.selector: Required value";
    check(&[], &[("base/a.yaml", &deployment("b")), ("fault/a.yaml", part)], &[found]);
    let labelled = part.replace("template: {", "template: {metadata: {labels: {app: a}}, ");
    check(&[], &[("base/a.yaml", &deployment("a")), ("fault/a.yaml", &labelled)], &[found]);
}

#[test]
fn jenkins_names_the_pods_of_its_agents() {
    let pod = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: a:1}]}\n";
    let check = |pipeline: &str, expected: &[&str]| {
        check(
            &[],
            &[("agent/pod.yaml", pod), ("b.yaml", &service("b", "b")), ("Jenkinsfile", pipeline)],
            expected,
        );
    };
    check("agent { kubernetes { yamlFile 'agent/pod.yaml' } }\n", &[]);
    let found = "agent/pod.yaml:1: error [invalid-name] pod/: metadata.name: Required value: name or generateName is required";
    check("sh 'cat agent/pod.yaml'\n", &[found]);
}

#[test]
fn the_pods_of_a_workload_with_the_name_of_a_service_are_named() {
    let text = format!("{}---\n{}", service("posts", "blog"), deployment("posts"));
    let found = "a.yaml:5: warning [dangling-service] service/posts: no pod of the input has the labels app=blog; the pods of \
                 deployment.apps/posts have app=posts";
    check(&[], &[("a.yaml", &text)], &[found]);
}

#[test]
fn items_with_a_kind_alone_are_those_of_another_tool() {
    let text = "items:\n- kind: Role\n  metadata: {name: a, priority: LOW}\n  rules: []\n";
    for path in ["a.yaml", "rbac/risky_roles.yaml"] {
        check(&[], &[(path, text), ("b.yaml", &service("b", "b"))], &[]);
        let many = format!("{text}{}", text.replace("items:\n", "").repeat(5_000));
        check(&[], &[(path, &many), ("b.yaml", &service("b", "b"))], &[]);
        let run = Kselect::new(["check", "-f", path]).file(path, text).run();
        assert_eq!(run.status.code(), Some(1));
    }
}

#[test]
fn items_without_their_types_are_objects_that_lack_them() {
    let text = "items:\n- metadata: {name: a}\n  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}\n";
    let run = Kselect::new(["check", "-f", "."]).file("a.yaml", text).file("b.yaml", service("b", "b")).run();
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn a_controller_reads_an_annotation_in_place_of_a_port() {
    let text = |port: &str| {
        format!(
            "{}---\n{}---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: a}}\nspec: {{defaultBackend: {{service: \
             {{name: a, port: {{name: {port}}}}}}}}}\n",
            deployment("a"),
            service("a", "a")
        )
    };
    check(&[], &[("a.yaml", &text("use-annotation"))], &[]);
    let found = "a.yaml:20: warning [dangling-port] ingress.networking.k8s.io/a: service/a has no port web; it has 80";
    check(&[], &[("a.yaml", &text("web"))], &[found]);
}

#[test]
fn what_old_fields_are_called_now_is_said() {
    let autoscaler = |version: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: a}}\nspec:\n  maxReplicas: 3\n  \
             scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}\n  metrics:\n  - type: Resource\n    resource:\n      \
             name: cpu\n      targetAverageUtilization: 50\n"
        )
    };
    let title = "horizontalpodautoscaler.autoscaling/a";
    let removed = format!(
        "a.yaml:1: error [removed-api] {title}: autoscaling/v2beta1 HorizontalPodAutoscaler is unavailable in v1.25+; use autoscaling/v2 \
         HorizontalPodAutoscaler; targetAverageUtilization is target.averageUtilization there, with target.type"
    );
    check(&[], &[("a.yaml", &autoscaler("v2beta1"))], &[&removed]);
    let unknown = format!(
        "a.yaml:11: error [unknown-field] {title}: strict decoding error: unknown field \
         \"spec.metrics[0].resource.targetAverageUtilization\"; in this version, targetAverageUtilization is target.averageUtilization"
    );
    check(&["--only", "unknown-field"], &[("a.yaml", &autoscaler("v2"))], &[&unknown]);
    let service = service("a", "a").replace("{name: a}", "{name: a, example.com/target: b}");
    let unknown = "a.yaml:3: error [unknown-field] service/a: strict decoding error: unknown field \"metadata.example.com/target\"; a key \
                   with a / is one of metadata.annotations or metadata.labels";
    check(&[], &[("a.yaml", &service)], &[unknown]);
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    name: a\n    image: a:1\n";
    let mistyped = "a.yaml:5: error [wrong-type] pod/a: json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type \
                    []v1.Container; a list is needed; is a - missing?";
    check(&[], &[("a.yaml", pod)], &[mistyped]);
}

#[test]
fn fields_of_another_object_in_the_document_are_unknown() {
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\nprovisioner: a/b\n";
    let text = format!("{class}{}", service("b", "b"));
    let found = "a.yaml:4: error [unknown-field] service/b: strict decoding error: unknown field \"provisioner\"; kind is repeated, so a \
                 line --- may be missing";
    check(&["--only", "unknown-field"], &[("a.yaml", &text)], &[found]);
}

#[test]
fn the_release_that_has_the_replacement_is_named() {
    let text = "apiVersion: admissionregistration.k8s.io/v1alpha1\nkind: MutatingAdmissionPolicy\nmetadata: {name: a}\nspec: \
                {reinvocationPolicy: Never, mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[]'}}]}\n";
    let found = "a.yaml:1: warning [deprecated-api] mutatingadmissionpolicy.admissionregistration.k8s.io/a: \
                 admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy is deprecated in v1.35+, unavailable in v1.38+; use \
                 admissionregistration.k8s.io/v1 MutatingAdmissionPolicy (since v1.36)";
    check(&["--only", "deprecated-api"], &[("a.yaml", text)], &[found]);
}
