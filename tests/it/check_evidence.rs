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
