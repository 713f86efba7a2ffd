//! `check --fix`: what has one right answer is mended, and nothing else changes.

use std::fs;

use crate::support::Kselect;

/// Checks what `check --fix -i` makes of a file and which findings remain; that `--diff` alone writes nothing; and that a second run
/// changes nothing.
#[track_caller]
fn check(text: &str, fixed: &str, findings: &str) {
    check_with(&[], text, fixed, findings);
}

#[track_caller]
fn check_with(flags: &[&str], text: &str, fixed: &str, findings: &str) {
    let host = Kselect::new([]).file("a.yaml", text);
    let run = |args: &[&str]| {
        let args = ["check", "-f", "a.yaml", "--fix"].iter().chain(args).chain(flags).copied();
        let output = Kselect::new(args).current_dir(host.path()).run();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (stdout, stderr, output.status.code())
    };
    let read = || fs::read_to_string(host.path().join("a.yaml")).unwrap();
    let status = Some(i32::from(findings.contains("error")));
    let (diff, _, code) = run(&["--diff"]);
    assert_eq!((diff.is_empty(), code, read()), (text == fixed, status, text.to_owned()), "{diff}");
    let (stdout, stderr, code) = run(&["-i"]);
    assert_eq!(read(), fixed, "{stderr}");
    assert_eq!((stdout.as_str(), code), (findings, status), "{stderr}");
    let (stdout, stderr, _) = run(&["-i", "--diff"]);
    assert!(stdout.is_empty() && read() == fixed && stderr.contains("nothing to fix"), "{stdout}{stderr}");
}

#[test]
fn versions_with_the_same_fields_are_replaced() {
    let budget = |version: &str, selector: &str| {
        format!(
            "# of web\napiVersion: policy/{version} # old\nkind: PodDisruptionBudget\nmetadata: {{name: web}}\n\
             spec: {{minAvailable: 1, selector: {selector}}}\n"
        )
    };
    check(&budget("v1beta1", "{matchLabels: {a: b}}"), &budget("v1", "{matchLabels: {a: b}}"), "");
    // It selects nothing there, and all pods in the other version.
    let empty = budget("v1beta1", "{}");
    let finding = "a.yaml:2: error [removed-api] poddisruptionbudget.policy/web: policy/v1beta1 PodDisruptionBudget is \
                   unavailable in v1.25+; use policy/v1 PodDisruptionBudget\n";
    check(&empty, &empty, finding);
}

#[test]
fn everything_in_a_document_that_could_not_be_read_is_fixed_at_once() {
    let job = |version: &str, label: &str, containers: &str| {
        format!(
            "apiVersion: batch/{version}\nkind: CronJob\nmetadata: {{name: a, labels: {{v: {label}}}}}\nspec:\n  schedule: '* * * * *'\n  \
             jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, {containers}: [{{name: c, image: i}}]}}}}}}}}\n"
        )
    };
    check(&job("v1beta1", "1.10", "contaners"), &job("v1", "\"1.10\"", "containers"), "");
}

#[test]
fn a_version_with_other_defaults_is_replaced_where_the_fields_are_set() {
    let set = |version: &str, strategy: &str| {
        format!(
            "apiVersion: {version}\nkind: DaemonSet\nmetadata: {{name: a}}\nspec:\n{strategy}  selector:\n    \
             matchLabels: {{app: a}}\n  template:\n    metadata: {{labels: {{app: a}}}}\n    spec:\n      containers:\n      \
             - {{name: a, image: b}}\n"
        )
    };
    let strategy = "  updateStrategy: {type: OnDelete}\n";
    check(&set("extensions/v1beta1", strategy), &set("apps/v1", strategy), "");
    let old = set("extensions/v1beta1", "");
    let finding = "a.yaml:1: error [removed-api] daemonset.apps/a: extensions/v1beta1 DaemonSet is unavailable in v1.16+; use \
                   apps/v1 DaemonSet\n";
    check(&old, &old, finding);
}

#[test]
fn an_ingress_gets_the_backends_and_types_of_paths_of_its_new_version() {
    let old = "\
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: fallback
    servicePort: http
  rules:
  - http:
      paths:
      - path: /
        backend:
          serviceName: web # main
          servicePort: 80
      - backend: {serviceName: web, servicePort: 80}
        path: /b
";
    let new = "\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  defaultBackend:
    service:
      name: fallback
      port:
        name: http
  rules:
  - http:
      paths:
      - path: /
        pathType: ImplementationSpecific
        backend:
          service: # main
            name: web
            port:
              number: 80
      - backend: {service: {name: web, port: {number: 80}}}
        path: /b
        pathType: ImplementationSpecific
";
    check(old, new, "");
    // The version is right, but not the fields.
    check(&old.replace("v1beta1", "v1"), new, "");
    check(
        &old.replace("networking.k8s.io", "extensions").replace('\n', "\r\n"),
        &new.replace('\n', "\r\n"),
        "",
    );
}

#[test]
fn an_autoscaler_gets_the_metrics_of_its_new_version() {
    let of = |version: &str, target: &str, metrics: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web}}\nspec:\n  scaleTargetRef:\n    \
             apiVersion: {target}\n    kind: Deployment\n    name: web\n  maxReplicas: 5\n  metrics:\n{metrics}"
        )
    };
    let old = "  - type: Resource
    resource:
      name: cpu
      targetAverageUtilization: 80 # percent
  - type: Pods
    pods: {metricName: packets, selector: {matchLabels: {a: b}}, targetAverageValue: 1k}
  - type: Object
    object:
      target:
        kind: Ingress # of web
        name: main
      metricName: requests
      targetValue: 10k
  - type: External
    external:
      metricName: queue
      targetAverageValue: 30
";
    let new = "  - type: Resource
    resource:
      name: cpu
      target: # percent
        type: Utilization
        averageUtilization: 80
  - type: Pods
    pods: {metric: {name: packets, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 1k}}
  - type: Object
    object:
      describedObject:
        kind: Ingress # of web
        name: main
      metric:
        name: requests
      target:
        type: Value
        value: 10k
  - type: External
    external:
      metric:
        name: queue
      target:
        type: AverageValue
        averageValue: 30
";
    check(&of("v2beta1", "extensions/v1beta1", old), &of("v2", "apps/v1", new), "");
    check(&of("v2beta2", "apps/v1", new), &of("v2", "apps/v1", new), "");
}

#[test]
fn a_misspelt_field_is_renamed_if_only_one_is_meant() {
    let pod = |containers: &str, image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  {containers}: # all\n  # the main one\n  - name: a\n    \
             {image}: b\n"
        )
    };
    check(&pod("contianers", "imge"), &pod("containers", "image"), "");
    // The value is a list in the one field, and this is none.
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {port: 80, clusterIP: None}\n";
    let finding = "a.yaml:4: error [unknown-field] service/a: strict decoding error: unknown field \"spec.port\"; did you mean ports?\n";
    check(service, service, finding);
    // Both are there.
    let twice = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b, imagee: b}]}\n";
    let finding = "a.yaml:4: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.containers[0].imagee\"; did you mean image?\n";
    check(twice, twice, finding);
    // Either may be meant.
    let autoscaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {mxReplicas: 3, maxReplicas: 5, \
                      scaleTargetRef: {kind: Deployment, name: a, apiVersion: apps/v1}}\n";
    let finding = "a.yaml:4: error [unknown-field] horizontalpodautoscaler.autoscaling/a: strict decoding error: unknown field \
                   \"spec.mxReplicas\"; did you mean maxReplicas?\n";
    check(autoscaler, autoscaler, finding);
}

#[test]
fn scalars_get_or_lose_their_quotes() {
    let object = |version: &str, scrape: &str, replicas: &str, stdin: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    version: {version}\nspec:\n  replicas: {replicas} \
             # few\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata:\n      labels: {{app: web}}\n      annotations: \
             {{prometheus.io/scrape: {scrape}}}\n    spec:\n      containers: [{{name: web, image: b, stdin: {stdin}}}]\n"
        )
    };
    check(&object("1.10", "yes", "\"3\"", "'true'"), &object("\"1.10\"", "\"yes\"", "3", "true"), "");
    // It is no number, and nobody knows what it should be.
    let other = object("a", "\"true\"", "\"three\"", "'yes'");
    check(&other, &other, &findings_of(&other));
}

/// What `check` says about a text.
fn findings_of(text: &str) -> String {
    let output = Kselect::new(["check", "-f", "a.yaml"]).file("a.yaml", text).run();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn keys_that_are_repeated_with_the_same_value_are_removed() {
    let map = |data: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}");
    let finding = "a.yaml:8: error [repeated-key] configmap/a: key \"x\" already set in map\n";
    let (old, new) =
        ("  k: v # one\n  x: a\n  k: v # two\n  x: b\n  k: \"v\"\n", "  k: v # one\n  x: a\n  x: b\n");
    check(&map(old), &map(new), &finding.replace(":8", ":7"));
    let json = |data: &str| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {{\"name\": \"a\"}}, \"data\": {data}}}\n"
        )
    };
    check(&json("{\"a\": \"b\", \"c\": \"d\", \"a\": \"b\"}"), &json("{\"a\": \"b\", \"c\": \"d\"}"), "");
    let anchored = map("  a: &x v\n  b: *x\n  a: &x v\n");
    check(&anchored, &map("  a: &x v\n  b: *x\n"), "");
}

#[test]
fn only_what_is_asked_for_is_fixed() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, imge: b, stdin: 'true'}]}\n";
    let renamed = text.replace("imge", "image");
    check_with(&["--only", "unknown-field"], text, &renamed, "");
    let disabled =
        text.replace("metadata", "# kselect: disable=unknown-field\nmetadata").replace("'true'", "true");
    let missing = "a.yaml:5: error [missing-field] pod/a: spec.containers[0].image: Required value\n";
    check(&disabled, &disabled, missing);
}

#[test]
fn a_fix_with_which_another_problem_comes_to_light_is_not_made() {
    let pod = |field: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{{field}: [{{name: a, image: b, {more}}}]}}\n"
        )
    };
    check(&pod("container", "stdin: 'true'"), &pod("containers", "stdin: true"), "");
    let text = pod("container", "zzz: 1");
    check(&text, &text, &findings_of(&text));
}

#[test]
fn fixes_go_to_files_or_are_shown() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, imge: b}]}\n";
    let usage = |args: &[&str], stderr: &str| {
        Kselect::new(["check"].iter().chain(args).copied()).stdin(text).status(2).stderr(stderr).prints("");
    };
    usage(
        &["--fix"],
        "error: --fix needs --diff or --in-place\nhint: --diff shows the fixes, -i writes them to the files\n",
    );
    usage(
        &["--fix", "-i"],
        "error: --in-place cannot rewrite standard input\nhint: name the files with -f\n",
    );
    let diff = "--- a/STDIN\n+++ b/STDIN\n@@ -1,4 +1,4 @@\n apiVersion: v1\n kind: Pod\n metadata: {name: a}\n\
                -spec: {containers: [{name: a, imge: b}]}\n+spec: {containers: [{name: a, image: b}]}\n";
    let stderr = "kselect: 1 object in 1 input can be fixed\nchecked 1 object in 1 file: no findings\n";
    Kselect::new(["check", "--fix", "--diff"]).stdin(text).stderr(stderr).prints(diff);
    let stderr = "warning: a.yaml.gz: not edited: the file is compressed, or in an archive\n\
                  checked 1 object in 1 file: 2 errors\n";
    let stdout = "a.yaml.gz:4: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.containers[0].imge\"; did you mean image?\n\
                  a.yaml.gz:4: error [missing-field] pod/a: spec.containers[0].image: Required value\n";
    let packed = Kselect::new(["check", "--fix", "-i", "-f", "a.yaml.gz"]);
    let packed = packed.file("a.yaml.gz", crate::support::gzip(text.as_bytes()));
    packed.status(1).stderr(stderr).prints(stdout);
}
