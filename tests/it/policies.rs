//! ValidatingAdmissionPolicies and the rules of custom resources in `kselect check` and `--validate`.

use crate::support::Kselect;

/// A policy that Deployments have at most five replicas, with a binding that does `actions`.
fn policy(actions: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: few}}\nspec:\n  \
         failurePolicy: Fail\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [apps], apiVersions: [v1], \
         operations: [CREATE], resources: [deployments]}}\n  validations:\n  - expression: object.spec.replicas <= 5\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: \
         few-everywhere}}\nspec: {{policyName: few, validationActions: [{actions}]}}\n"
    )
}

/// A Deployment on one line with this number of replicas.
fn deployment(name: &str, replicas: usize) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{replicas: {replicas}, selector: \
         {{matchLabels: {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: \
         [{{name: {name}, image: {name}}}]}}}}}}}}\n"
    )
}

#[track_caller]
fn check(args: &[&str], stdin: &str, status: i32, stdout: &str, stderr: &str) {
    Kselect::new(["check"].iter().chain(args).copied())
        .stdin(stdin)
        .status(status)
        .stderr(stderr)
        .prints(stdout);
}

#[test]
fn an_object_that_violates_a_policy_is_denied_warned_about_or_noted() {
    let of = |actions: &str| {
        format!("{}---\n{}---\n{}", deployment("many", 6), deployment("few", 5), policy(actions))
    };
    let denied = "STDIN:1: error [admission-policy] deployment.apps/many: ValidatingAdmissionPolicy 'few' with binding \
                  'few-everywhere' denied request: failed expression: object.spec.replicas <= 5\n";
    check(&[], &of("Deny"), 1, denied, "");
    check(&[], &of("Audit, Deny"), 1, denied, "");
    let warned = "STDIN:1: warning [admission-policy] deployment.apps/many: Validation failed for \
                  ValidatingAdmissionPolicy 'few' with binding 'few-everywhere': failed expression: object.spec.replicas <= 5\n";
    check(&[], &of("Warn"), 0, warned, "");
    check(&[], &of("Audit"), 0, "", "");
    let noted = warned.replace("warning [", "advice [");
    check(&["--advice", "--only", "admission-policy"], &of("Audit"), 0, &noted, "");
    check(&["--disable", "admission-policy"], &of("Deny"), 0, "", "");
}

#[test]
fn an_object_is_created_in_each_namespace_that_a_kustomization_gives_it() {
    let policies = policy("Deny").replace("object.spec.replicas <= 5", "object.metadata.namespace != 'live'");
    Kselect::new(["check", "-R", "-f", "apps", "--policies", "policies.yaml"])
        .file("policies.yaml", policies)
        .file("apps/base/kustomization.yaml", "resources: [web.yaml]\n")
        .file("apps/base/web.yaml", deployment("web", 1))
        .file("apps/dev/kustomization.yaml", "resources: [../base]\nnamespace: dev\n")
        .file("apps/live/kustomization.yaml", "resources: [../base]\nnamespace: live\n")
        .status(1)
        .stderr("checked 1 object in 1 file: 1 error; left out: 3 kustomizations (not built; see -k)\n")
        .prints(
            "apps/base/web.yaml:1: error [admission-policy] deployment.apps/web: ValidatingAdmissionPolicy 'few' with binding \
             'few-everywhere' denied request: failed expression: object.metadata.namespace != 'live'\n",
        );
}

#[test]
fn defaults_of_the_api_count() {
    let object = deployment("web", 1).replace("replicas: 1, ", "");
    let one = policy("Deny").replace("object.spec.replicas <= 5", "object.spec.replicas == 1");
    check(&[], &format!("{object}---\n{one}"), 0, "", "");
}

#[test]
fn policies_may_be_in_files_of_their_own() {
    let directory = || {
        Kselect::new(["check", "-f", "k8s", "--policies", "policies", "-o", "json"])
            .file("k8s/web.yaml", deployment("web", 6))
            .file("policies/deep/few.yaml", policy("Deny"))
    };
    directory().status(1).prints(
        "[\n  {\n    \"id\": \"admission-policy\",\n    \"confidence\": \"certain\",\n    \"severity\": \"error\",\n    \"file\": \"k8s/web.yaml\",\n    \
         \"line\": 1,\n    \"kind\": \"deployment.apps\",\n    \"namespace\": \"default\",\n    \"name\": \"web\",\n    \
         \"message\": \"ValidatingAdmissionPolicy 'few' with binding 'few-everywhere' denied request: failed expression: \
         object.spec.replicas <= 5\"\n  }\n]\n",
    );
    Kselect::new(["check", "--policies", "policies"])
        .file("policies/few.yaml", policy("Deny"))
        .stdin(deployment("web", 3))
        .prints("");
    let none = "error: --policies: there is no ValidatingAdmissionPolicy in the files\n";
    Kselect::new(["check", "--policies", "policies"])
        .file("policies/web.yaml", deployment("web", 1))
        .stdin(deployment("web", 3))
        .status(1)
        .stderr(none)
        .prints("");
}

#[test]
fn policies_are_explained_by_what_they_matched() {
    let input = format!("{}---\n{}---\n{}", deployment("many", 6), deployment("few", 5), policy("Deny"));
    let unbound = "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: \
                   unbound}, spec: {validations: [{expression: 'true'}]}}\n";
    check(
        &["--explain-policies"],
        &(input + unbound),
        1,
        "POLICY    BINDING          MATCHED   EXCLUDED   PASSED   FAILED   NOT EVALUATED\n\
         few       few-everywhere   2         0          1        1        0\n\
         unbound   <none>           0         0          0        0        0\n",
        "",
    );
    let condition = "spec:\n  matchConditions: [{name: few, expression: object.metadata.name != 'many'}]\n";
    let policy = policy("Deny").replacen("spec:\n", condition, 1);
    check(
        &["--explain-policies"],
        &format!("{}---\n{}---\n{policy}", deployment("many", 6), deployment("few", 5)),
        0,
        "POLICY   BINDING          MATCHED   EXCLUDED   PASSED   FAILED   NOT EVALUATED\n\
         few      few-everywhere   2         1          1        0        0\n",
        "",
    );
}

/// Says how many objects the policy with this rule and expression matched, passed, failed and did not evaluate.
#[track_caller]
fn check_converted(object: &str, rule: &str, expression: &str, counts: [usize; 4], stderr: &str) {
    let of_deployments =
        "apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]";
    let rule = format!("{rule}, operations: [CREATE]");
    let policy = policy("Deny").replace(of_deployments, &rule);
    let policy = policy.replace("object.spec.replicas <= 5", &format!(">-\n      {expression}"));
    let [matched, passed, failed, unknown] = counts;
    check(
        &["--explain-policies", "--only", "admission-policy"],
        &format!("{object}\n---\n{policy}"),
        i32::from(failed > 0),
        &format!(
            "POLICY   BINDING          MATCHED   EXCLUDED   PASSED   FAILED   NOT EVALUATED\n\
             few      few-everywhere   {matched}         0          {passed}        {failed}        {unknown}\n"
        ),
        stderr,
    );
}

const NOT_CONVERTED: &str = "kselect: the policy few was not evaluated completely for 1 object: it uses objects converted to another version\n";

const AUTOSCALERS: &str =
    "apiGroups: [autoscaling], apiVersions: [v2], resources: [horizontalpodautoscalers]";

#[test]
fn policies_see_an_object_in_the_version_that_they_name() {
    let autoscaler = |version: &str, metadata: &str, spec: &str| {
        format!(
            "{{apiVersion: autoscaling/{version}, kind: HorizontalPodAutoscaler, metadata: {{name: a{metadata}}}, spec: \
             {{maxReplicas: 3, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: a}}{spec}}}}}"
        )
    };
    let by_cpu = "object.apiVersion == 'autoscaling/v2' && object.spec.metrics.size() == 1 && \
                  object.spec.metrics[0].resource.name == 'cpu' && object.spec.metrics[0].resource.target.averageUtilization == 80 \
                  && request.kind.version == 'v2' && request.resource.version == 'v2' && request.requestKind.version == 'v1' \
                  && !has(object.spec.targetCPUUtilizationPercentage)";
    check_converted(&autoscaler("v1", "", ""), AUTOSCALERS, by_cpu, [1, 1, 0, 0], "");
    let memory = r#", annotations: {autoscaling.alpha.kubernetes.io/metrics: '[{"type": "Resource", "resource":
        {"name": "memory", "targetAverageValue": "1024Mi"}}]'}"#;
    let target = ", targetCPUUtilizationPercentage: 50";
    let by_both = "object.spec.metrics[0].resource.target.averageValue == '1Gi' && \
                   object.spec.metrics[1].resource.target.averageUtilization == 50 && !has(object.metadata.annotations)";
    check_converted(&autoscaler("v1", memory, target), AUTOSCALERS, by_both, [1, 1, 0, 0], "");
    let behavior = ", annotations: {autoscaling.alpha.kubernetes.io/behavior: '{}'}";
    check_converted(&autoscaler("v1", behavior, ""), AUTOSCALERS, "false", [1, 0, 0, 1], NOT_CONVERTED);
    let first = AUTOSCALERS.replace("v2", "v1");
    let percentage = "object.spec.targetCPUUtilizationPercentage == 80";
    check_converted(&autoscaler("v2", "", ""), &first, percentage, [1, 1, 0, 0], "");
    let pods =
        ", metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}]";
    check_converted(&autoscaler("v2", "", pods), &first, "false", [1, 0, 0, 1], NOT_CONVERTED);
}

#[test]
fn versions_of_other_groups_are_the_same_resource() {
    let ingress = "{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: a}, spec: {backend: {serviceName: s, \
                   servicePort: 80}}}";
    let rule = "apiGroups: [networking.k8s.io], apiVersions: [v1], resources: [ingresses]";
    let backend = "object.spec.defaultBackend == {'service': {'name': 's', 'port': {'number': 80}}}";
    check_converted(ingress, rule, backend, [1, 1, 0, 0], "");
    let deployment = "{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}, spec: {progressDeadlineSeconds: 1, \
                      revisionHistoryLimit: 2, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}, template: {}}}";
    let rule = "apiGroups: [apps], apiVersions: [v1], resources: [deployments]";
    check_converted(deployment, rule, "object.spec.revisionHistoryLimit == 2", [1, 1, 0, 0], "");
    let bare =
        "{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}, spec: {template: {}}}";
    check_converted(bare, rule, "false", [1, 0, 0, 1], NOT_CONVERTED);
    let event = "{apiVersion: v1, kind: Event, metadata: {name: a}, involvedObject: {kind: Pod, name: p}, message: m, count: 2, \
                 source: {component: kubelet}}";
    let rule = "apiGroups: [events.k8s.io], apiVersions: [v1], resources: [events]";
    let renamed = "object.note == 'm' && object.regarding.name == 'p' && object.deprecatedCount == 2 && \
                   object.deprecatedSource.component == 'kubelet' && !has(object.message)";
    check_converted(event, rule, renamed, [1, 1, 0, 0], "");
    let event = "{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: a}, regarding: {kind: Pod, name: p}, note: m}";
    let rule = "apiGroups: [''], apiVersions: [v1], resources: [events]";
    check_converted(
        event,
        rule,
        "object.involvedObject.kind == 'Pod' && object.message == ''",
        [1, 0, 1, 0],
        "",
    );
    let budget = |selector: &str| {
        format!(
            "{{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {{name: a}}, spec: {{selector: {selector}}}}}"
        )
    };
    let rule = "apiGroups: [policy], apiVersions: [v1], resources: [poddisruptionbudgets]";
    check_converted(
        &budget("{matchLabels: {a: b}}"),
        rule,
        "object.apiVersion == 'policy/v1'",
        [1, 1, 0, 0],
        "",
    );
    check_converted(&budget("{}"), rule, "false", [1, 0, 0, 1], NOT_CONVERTED);
    let address = "{apiVersion: networking.k8s.io/v1beta1, kind: IPAddress, metadata: {name: 10.0.0.1}, spec: {parentRef: \
                   {resource: services, name: a, namespace: b}}}";
    let rule = "apiGroups: [networking.k8s.io], apiVersions: [v1], resources: [ipaddresses]";
    check_converted(address, rule, "has(object.status)", [1, 0, 1, 0], "");
}

#[test]
fn rules_that_match_exactly_do_not_convert() {
    let event = "{apiVersion: v1, kind: Event, metadata: {name: a}}";
    let policy = policy("Deny")
        .replace("    resourceRules:", "    matchPolicy: Exact\n    resourceRules:")
        .replace("apiGroups: [apps]", "apiGroups: [events.k8s.io]")
        .replace("deployments", "events");
    check(
        &["--explain-policies"],
        &format!("{event}\n---\n{policy}"),
        0,
        "POLICY   BINDING          MATCHED   EXCLUDED   PASSED   FAILED   NOT EVALUATED\n\
         few      few-everywhere   0         0          0        0        0\n",
        "",
    );
}

#[test]
fn a_policy_without_a_binding_is_reported() {
    let policy = policy("Deny");
    let (policy, _) = policy.split_once("---\n").expect("two documents");
    check(
        &[],
        &format!("{}---\n{policy}", deployment("many", 6)),
        0,
        "STDIN:3: warning [unbound-policy] validatingadmissionpolicy.admissionregistration.k8s.io/few: no \
         ValidatingAdmissionPolicyBinding uses the policy, so it has no effect\n",
        "",
    );
}

#[test]
fn an_expression_that_does_not_compile_is_shown_with_its_line() {
    let wrong = policy("Deny").replace("object.spec.replicas <= 5", "object.spec.replicas <= nosuch");
    check(
        &[],
        &wrong,
        1,
        "STDIN:10: error [invalid-expression] validatingadmissionpolicy.admissionregistration.k8s.io/few: \
         spec.validations[0].expression: Invalid value: compilation failed: undeclared reference to 'nosuch' (in \
         container ''); the variables are object, oldObject, request, namespaceObject, authorizer\n   |\n10 | \
         object.spec.replicas <= nosuch\n   |                         ^^^^^^\n",
        "",
    );
}

#[test]
fn what_only_a_server_knows_is_not_evaluated() {
    let policy = policy("Deny").replace(
        "expression: object.spec.replicas <= 5",
        "expression: authorizer.group('apps').resource('deployments').check('create').allowed()",
    );
    let note = "kselect: the policy few was not evaluated completely for 1 object: it uses authorizer\n";
    check(&[], &format!("{}---\n{policy}", deployment("web", 1)), 0, "", note);
}

#[test]
fn parameters_variables_and_messages_are_evaluated() {
    let policy = policy("Deny").replace(
        "  validations:\n  - expression: object.spec.replicas <= 5",
        "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  variables:\n  - {name: most, expression: \
         int(params.data.most)}\n  - {name: twice, expression: variables.most * 2}\n  validations:\n  - expression: \
         object.spec.replicas <= variables.twice\n    messageExpression: \"'at most ' + string(variables.twice)\"",
    );
    let policy = policy.replace(
        "policyName: few,",
        "policyName: few, paramRef: {name: limits, parameterNotFoundAction: Deny},",
    );
    let limits = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: '2'}}\n";
    let input = format!("{}---\n{}---\n{policy}", deployment("a", 4), deployment("b", 5));
    let denied = |name: &str, line: usize, message: &str| {
        format!(
            "STDIN:{line}: error [admission-policy] deployment.apps/{name}: ValidatingAdmissionPolicy 'few' with binding \
             'few-everywhere' denied request: {message}\n"
        )
    };
    let message = "at most 4 (object.spec.replicas <= variables.twice)";
    check(&[], &(input.clone() + limits), 1, &denied("b", 3, message), "");
    let missing =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    check(&[], &input, 1, &(denied("a", 1, missing) + &denied("b", 3, missing)), "");
    let allowed = input.replace("parameterNotFoundAction: Deny", "parameterNotFoundAction: Allow");
    check(&[], &allowed, 0, "", "");
    // What a build of kustomizations makes is not known.
    let left_out = "1 kustomization (not built; see -k)";
    let built = |kustomization: &str, left_out: &str, status, found: &str, stdout: &str| {
        Kselect::new(["check", "-f", "."])
            .file("a.yaml", &input)
            .file("kustomization.yaml", kustomization)
            .status(status)
            .stderr(format!("{found}; left out: {left_out}\n"))
            .prints(stdout);
    };
    let note = "kselect: the policy few was not evaluated completely for 2 objects: it uses parameters that only a build of \
                kustomizations shows\nchecked 4 objects in 1 file: no findings";
    built("configMapGenerator: [{name: limits}]", left_out, 0, note, "");
    let elsewhere = format!("{left_out}, 1 path of a kustomization outside the input");
    built("resources: ['https://example.com/limits']", &elsewhere, 0, note, "");
    let denied = (denied("a", 1, missing) + &denied("b", 3, missing)).replace("STDIN", "./a.yaml");
    let found = "checked 4 objects in 1 file: 2 errors";
    for unrelated in ["configMapGenerator: [{name: others}]", "configMapGenerator: [{name: mit}]"] {
        built(unrelated, left_out, 1, found, &denied);
    }
    built("configMapGenerator: [{name: mits}]\nnamePrefix: li", left_out, 0, note, "");
}

#[test]
fn namespaces_of_the_input_are_known_and_others_have_their_name() {
    let policy = policy("Deny")
        .replace("expression: object.spec.replicas <= 5", "expression: namespaceObject.metadata.labels.?env != optional.of('prod')")
        .replace("  matchConstraints:\n", "  matchConstraints:\n    namespaceSelector: {matchExpressions: [{key: free, operator: DoesNotExist}]}\n");
    let object = deployment("web", 1).replace("name: web}", "name: web, namespace: shop}");
    let namespace = "---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {env: prod}}}\n";
    let input = format!("{object}---\n{policy}");
    let denied = "STDIN:1: error [admission-policy] deployment.apps/web: ValidatingAdmissionPolicy 'few' with binding \
                  'few-everywhere' denied request: failed expression: namespaceObject.metadata.labels.?env != \
                  optional.of('prod')\n";
    check(&[], &format!("{input}{namespace}"), 1, denied, "");
    check(
        &[],
        &format!("{input}{}", namespace.replace("env: prod", "env: prod, free: yes-it-is")),
        0,
        "",
        "",
    );
    let note = "kselect: policies use labels of the namespace shop, but the input does not have them\n";
    check(&[], &input, 0, "", note);
}

#[test]
fn fields_that_no_kind_of_a_policy_has_are_doubted() {
    let typed = |expression: &str| {
        policy("Deny")
            .replace("resources: [deployments]", "resources: [deployments, statefulsets]")
            .replace("expression: object.spec.replicas <= 5", &format!("expression: {expression}"))
    };
    let doubt = |message: &str, expression: &str, mark: &str| {
        let line = 1 + typed(expression).lines().position(|line| line.contains(expression)).expect("a line");
        let (number, margin) = (line.to_string(), " ".repeat(line.to_string().len()));
        format!(
            "STDIN:{line}: warning [invalid-expression] validatingadmissionpolicy.admissionregistration.k8s.io/few: \
             spec.validations[0].expression: {message}, for every kind that the policy names; the API server only warns of \
             it\n{margin} |\n{number} | {expression}\n{margin} | {mark}\n"
        )
    };
    let misspelt = "object.spec.replcas <= 5";
    let mark = "            ^^^^^^^";
    let doubted = doubt("undefined field 'replcas'", misspelt, mark);
    let hinted = doubted.replace("warns of it\n", "warns of it; did you mean replicas?\n");
    check(&[], &typed(misspelt), 0, &hinted, "");
    let compared = "object.spec.paused < 5";
    let message = "found no matching overload for '_<_' applied to '(bool, int)'";
    // StatefulSets cannot be paused, so there it is another mistake.
    check(&[], &typed(compared), 0, "", "");
    let compared = compared.replace("paused", "minReadySeconds").replace('5', "'5'");
    let message = message.replace("(bool, int)", "(int, string)");
    let mark = "                            ^";
    check(&[], &typed(&compared), 0, &doubt(&message, &compared, mark), "");
    // One of the kinds has it.
    check(&[], &typed("has(object.spec.serviceName)"), 0, "", "");
}

#[test]
fn fields_of_custom_resources_in_policies_are_those_of_the_definition() {
    let of_shops = |expression: &str| {
        let policy = policy("Deny")
            .replace("apiGroups: [apps]", "apiGroups: [example.com]")
            .replace("resources: [deployments]", "resources: [shops]")
            .replace("expression: object.spec.replicas <= 5", &format!("expression: {expression}"));
        format!("{CRD}---\n{policy}")
    };
    let right =
        "object.metadata.labels.size() > 0 && object.metadata.namespace != 'a' && object.spec.open < 9";
    check(&[], &of_shops(right), 0, "", "");
    check(
        &[],
        &of_shops("object.spec.closes > 20"),
        0,
        "STDIN:33: warning [invalid-expression] validatingadmissionpolicy.admissionregistration.k8s.io/few: \
         spec.validations[0].expression: undefined field 'closes', for every kind that the policy names; the API server only \
         warns of it; did you mean close?\n   |\n33 | object.spec.closes > 20\n   |             ^^^^^^\n",
        "",
    );
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  names: {kind: Shop, plural: shops}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: self.open <= self.close, message: closes before it opens}
            properties:
              open: {type: integer, default: 8}
              close: {type: integer}
";

#[test]
fn rules_of_definitions_are_applied_by_check_and_validate() {
    let shop = |close: &str| {
        format!(
            "{CRD}---\napiVersion: example.com/v1\nkind: Shop\nmetadata: {{name: a}}\nspec:\n  close: {close}\n"
        )
    };
    check(
        &[],
        &shop("7"),
        1,
        "STDIN:28: error [crd-rule] shop.example.com/a: spec: Invalid value: closes before it opens\n",
        "",
    );
    check(&[], &shop("9"), 0, "", "");
    Kselect::get(["-o", "name", "--validate=strict", "shops"])
        .stdin(shop("7"))
        .status(1)
        .stderr("error: STDIN:28 (document 2): spec: Invalid value: closes before it opens\n")
        .prints("");
}

#[test]
fn rules_that_do_not_compile_are_found() {
    check(
        &[],
        &CRD.replace("self.open <= self.close", "self.open <= close"),
        1,
        "STDIN:19: error [invalid-expression] customresourcedefinition.apiextensions.k8s.io/shops.example.com: \
         spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: compilation \
         failed: undeclared reference to 'close' (in container ''); the variables are self, oldSelf\n   |\n19 | \
         self.open <= close\n   |              ^^^^^\n",
        "",
    );
}

#[test]
fn strict_validation_refuses_the_expressions_that_check_reports() {
    let of = |spec: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: few}}\nspec:\n  \
             failurePolicy: Fail\n  matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: \
             [CREATE], resources: [deployments]}}]}}\n{spec}"
        )
    };
    // Answers of a server to the same expressions.
    let rows = [
        (
            "  validations:\n  - expression: 1 + 1\n",
            "spec.validations[0].expression",
            "must evaluate to bool but got int",
        ),
        (
            "  validations:\n  - {expression: 'true', messageExpression: '1'}\n",
            "spec.validations[0].messageExpression",
            "must evaluate to string but got int",
        ),
        (
            "  validations:\n  - expression: params.x == 1\n",
            "spec.validations[0].expression",
            "compilation failed: undeclared reference to 'params' (in container '')",
        ),
        (
            "  validations:\n  - expression: request.foo == 1\n",
            "spec.validations[0].expression",
            "compilation failed: undefined field 'foo'",
        ),
        (
            "  validations:\n  - expression: namespaceObject.foo == 'x'\n",
            "spec.validations[0].expression",
            "compilation failed: undefined field 'foo'",
        ),
        (
            "  auditAnnotations:\n  - {key: a, valueExpression: '1'}\n",
            "spec.auditAnnotations[0].valueExpression",
            "must evaluate to one of [string null_type] but got int",
        ),
        (
            "  matchConditions:\n  - {name: a, expression: \"'x'\"}\n  validations:\n  - expression: 'true'\n",
            "spec.matchConditions[0].expression",
            "must evaluate to bool but got string",
        ),
        (
            "  variables:\n  - {name: a, expression: \"'x'\"}\n  validations:\n  - expression: variables.a == 1\n",
            "spec.validations[0].expression",
            "compilation failed: found no matching overload for '_==_' applied to '(string, int)'",
        ),
        (
            "  variables:\n  - {name: a, expression: \"'x'\"}\n  validations:\n  - expression: variables.b == 1\n",
            "spec.validations[0].expression",
            "compilation failed: undefined field 'b'",
        ),
    ];
    for (spec, path, words) in rows {
        let input = of(spec);
        let first = |output: &std::process::Output, stream: &[u8]| {
            assert_eq!(output.status.code(), Some(1));
            String::from_utf8_lossy(stream).lines().next().unwrap_or_default().to_owned()
        };
        let strict = Kselect::get(["-o", "name", "--validate=strict"]).stdin(&input).run();
        let line = first(&strict, &strict.stderr);
        let message = format!("{path}: Invalid value: {words}");
        assert_eq!(line.split_once("(document 1): ").map(|(_, message)| message), Some(&*message), "{spec}");
        let check = Kselect::new(["check", "--only", "invalid-expression"]).stdin(&input).run();
        let line = first(&check, &check.stdout);
        // After the message, check has a hint.
        let line =
            line.split_once("/few: ").map(|(_, line)| line.split("; there").next().unwrap_or_default());
        let line = line.map(|line| line.split("; params need").next());
        assert_eq!(line, Some(Some(&*message)), "{spec}");
    }
}

#[test]
fn expressions_of_webhooks_devices_and_mutating_policies_are_compiled() {
    let rows = [
        (
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n  - cel: \
             {expression: 'device.driver =='}\n",
            "STDIN:6 (document 1): spec.selectors[0].cel.expression: Invalid value: compilation failed: Syntax error: unexpected end",
        ),
        (
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n  - cel: \
             {expression: device.drive == 'a'}\n",
            "STDIN:6 (document 1): spec.selectors[0].cel.expression: Invalid value: compilation failed: undefined field 'drive'",
        ),
        (
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks:\n- \
             name: a.example.com\n  admissionReviewVersions: [v1]\n  sideEffects: None\n  clientConfig: {url: \
             'https://a.example.com/b'}\n  matchConditions:\n  - {name: a, expression: nope == 1}\n",
            "STDIN:10 (document 1): webhooks[0].matchConditions[0].expression: Invalid value: compilation failed: undeclared \
             reference to 'nope' (in container '')",
        ),
    ];
    for (input, message) in rows {
        let strict = Kselect::get(["-o", "name", "--validate=strict"]).stdin(input).run();
        let stderr = String::from_utf8_lossy(&strict.stderr).into_owned();
        assert_eq!(stderr.lines().next(), Some(&*format!("error: {message}")));
    }
    let mutating = |expression: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: a}}\nspec:\n  \
             reinvocationPolicy: Never\n  matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], operations: \
             [CREATE], resources: [deployments]}}]}}\n  mutations:\n  - patchType: ApplyConfiguration\n    \
             applyConfiguration:\n      expression: |\n        {expression}\n"
        )
    };
    let patch = "Object{spec: Object.spec{replicas: object.spec.replicas + 1}}";
    check(&["--only", "invalid-expression"], &mutating(patch), 0, "", "");
    let place = "STDIN:11: error [invalid-expression] mutatingadmissionpolicy.admissionregistration.k8s.io/a: \
                 spec.mutations[0].applyConfiguration.expression: Invalid value: ";
    for (expression, message) in [
        ("object", "must evaluate to Object but got dyn"),
        ("Object.spec{replicas: 1}", "must evaluate to Object but got Object.spec"),
        ("[JSONPatch{op: 'remove', path: '/a'}]", "must evaluate to Object but got list(JSONPatch)"),
    ] {
        let output =
            Kselect::new(["check", "--only", "invalid-expression"]).stdin(mutating(expression)).run();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(stdout.lines().next(), Some(&*format!("{place}{message}")));
    }
    // The server accepts these, and then each patch fails.
    for (expression, message) in [
        (
            "Object{spec: Object.spec{replicas: '3'}}",
            "expected type of field 'replicas' is 'int' but provided type is 'string'",
        ),
        ("Object{spec: Object.spec{replica: 3}}", "undefined field 'replica'"),
        (
            "Object{spec: Object.metadata{}}",
            "unexpected type name \"Object.metadata\", expected \"Object.spec\"",
        ),
    ] {
        let output =
            Kselect::new(["check", "--only", "invalid-expression"]).stdin(mutating(expression)).run();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            stdout.starts_with(&place.replace("error", "warning").replace("Invalid value: ", "")),
            "{stdout}"
        );
        assert!(
            stdout.contains(&format!("{message}, for every kind that the policy names; each patch fails")),
            "{stdout}"
        );
    }
    let patches = |expression: &str| {
        mutating(expression)
            .replace("ApplyConfiguration", "JSONPatch")
            .replace("applyConfiguration", "jsonPatch")
    };
    check(
        &["--only", "invalid-expression"],
        &patches("[JSONPatch{op: 'add', path: '/a', value: object.metadata.name}]"),
        0,
        "",
        "",
    );
    let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(patches("'hello'")).run();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.contains("must evaluate to list(JSONPatch) but got string"), "{stdout}");
    let wrong = mutating("Object{spec: Object.spec{replicas: objekt.spec.replicas}}");
    let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(wrong).run();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.starts_with("STDIN:11: error [invalid-expression] mutatingadmissionpolicy"), "{stdout}");
    assert!(
        stdout.contains("undeclared reference to 'objekt' (in container ''); did you mean object?"),
        "{stdout}"
    );
}

#[test]
fn mistakes_of_authors_have_a_hint() {
    let rows = [
        ("object.spec.replicas => 2", "greater than or equal is written >="),
        ("object.a == 1 and object.b == 2", "conditions are joined by &&"),
        ("params.a == 1", "params need spec.paramKind"),
        ("objet.spec.replicas == 1", "did you mean object?"),
        (
            "quantity('1') < quantity('2')",
            "quantities have isLessThan, isGreaterThan, compareTo, add and sub",
        ),
    ];
    for (expression, hint) in rows {
        let policy = policy("Deny").replace("object.spec.replicas <= 5", &format!("\"{expression}\""));
        let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(policy).run();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stdout.lines().next().is_some_and(|line| line.ends_with(hint)), "{stdout}");
    }
}

#[test]
fn names_that_are_nearly_right_have_a_hint() {
    let rows = [
        ("object.metadata.name.startWith('a')", "did you mean startsWith?"),
        (
            "cel.bind(x, object.spec.replicas, x > 1)",
            "undeclared reference to 'cel' (in container ''); the API server has cel.bind for selectors of devices alone; \
             policies have spec.variables",
        ),
        ("request.operatoin == 'CREATE'", "undefined field 'operatoin'; did you mean operation?"),
    ];
    for (expression, hint) in rows {
        let policy = policy("Deny").replace("object.spec.replicas <= 5", &format!("\"{expression}\""));
        let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(policy).run();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stdout.lines().next().is_some_and(|line| line.ends_with(hint)), "{stdout}");
    }
    let device = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n  - cel: \
                  {expression: \"cel.bind(d, device.driver, d == 'a')\"}\n";
    check(&["--only", "invalid-expression"], device, 0, "", "");
}

#[test]
fn the_order_of_variables_has_a_hint() {
    let with = |parts: &str| {
        let policy = policy("Deny").replace("  validations:", &format!("{parts}\n  validations:"));
        let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(policy).run();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        stdout.lines().next().unwrap_or_default().rsplit("; ").next().unwrap_or_default().to_owned()
    };
    let later = "a variable can only use those before it";
    assert_eq!(
        with("  variables:\n  - {name: a, expression: variables.b}\n  - {name: b, expression: '1'}"),
        later
    );
    let third = "  variables:\n  - {name: a, expression: '1'}\n  - {name: b, expression: variables.c}\n  - {name: c, \
                 expression: '1'}";
    assert_eq!(with(third), later);
    assert_eq!(
        with("  matchConditions:\n  - {name: a, expression: variables.b == 1}"),
        "match conditions are evaluated before variables"
    );
}

#[test]
fn mistakes_in_the_files_of_policies_are_found() {
    let policy = policy("Deny").replace("- expression:", "- expresion:");
    Kselect::new(["check", "--policies", "policies", "--only", "unknown-field,missing-field"])
        .file("policies/few.yaml", policy)
        .stdin(deployment("web", 6))
        .status(1)
        .prints(
            "policies/few.yaml:10: error [unknown-field] validatingadmissionpolicy.admissionregistration.k8s.io/few: strict \
             decoding error: unknown field \"spec.validations[0].expresion\"; did you mean expression?\npolicies/few.yaml:10: error [missing-field] \
             validatingadmissionpolicy.admissionregistration.k8s.io/few: spec.validations[0].expression: Required value\n",
        );
    let wrong = self::policy("Deny").replace("policyName: few", "policyName: fewer");
    Kselect::new(["check", "--policies", "policies", "--only", "unbound-policy"])
        .file("policies/few.yaml", wrong.replace("{name: few}", "{name: fewest}"))
        .stdin(deployment("web", 6))
        .status(0)
        .prints(
            "policies/few.yaml:1: warning [unbound-policy] \
             validatingadmissionpolicy.admissionregistration.k8s.io/fewest: no ValidatingAdmissionPolicyBinding uses the \
             policy, so it has no effect; few-everywhere names \"fewer\", which is not there\n",
        );
}

#[test]
fn a_rule_that_is_not_evaluated_fails_the_check() {
    let deep = format!("{}self.open <= self.close{}", "(self.open > 0 || ".repeat(45), ")".repeat(45));
    let definition = CRD.replace("self.open <= self.close", &deep);
    let output = Kselect::new(["check", "--only", "invalid-expression"]).stdin(definition).status(1).run();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let words =
        "error [invalid-expression] customresourcedefinition.apiextensions.k8s.io/shops.example.com: ";
    assert!(
        stdout.contains(words) && stdout.contains("cannot be evaluated here: it is nested too deeply"),
        "{stdout}"
    );
}
