//! `kselect selector`: all conversions between the forms of a label selector.

use std::path::Path;

use crate::support::Kselect;

fn selector(args: &[&str], stdin: &str) -> Kselect {
    let kselect = Kselect::new(["selector"].iter().chain(args).copied()).stdin(stdin);
    kselect.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
}

#[track_caller]
fn check(args: &[&str], stdout: &str) {
    check_input(args, "", stdout);
}

#[track_caller]
fn check_input(args: &[&str], stdin: &str, stdout: &str) {
    selector(args, stdin).prints(stdout);
}

#[track_caller]
fn check_failure(args: &[&str], stdin: &str, status: i32, stderr: &str) {
    selector(args, stdin).status(status).stderr(stderr).prints_nothing();
}

#[test]
fn a_selector_prints_in_its_canonical_form() {
    check(&["env in (prod,qa),tier!=fe"], "env in (prod,qa),tier!=fe\n");
    check(&[" z = 1 , a in (c, b) "], "a in (b,c),z=1\n");
    check(&["!legacy"], "!legacy\n");
    check(&[""], "\n");
}

const YAML: &str = "\
matchLabels:
  app: web
  \"on\": \"true\"
matchExpressions:
- key: env
  operator: In
  values:
  - prod
  - qa
- key: gone
  operator: DoesNotExist
- key: tier
  operator: NotIn
  values:
  - fe
";

#[test]
fn the_object_form_is_written_and_read() {
    check(&["app=web,on=true,env in (qa,prod),tier!=fe,!gone", "-o", "yaml"], YAML);
    let canonical = "app=web,env in (prod,qa),!gone,on=true,tier notin (fe)\n";
    check_input(&["-f", "-"], YAML, canonical);
    let nested = format!("selector:\n{YAML}");
    check_input(&["-f", "-"], &nested.replace('\n', "\n  "), canonical);
    check_input(&["-f", "-"], r#"{"matchLabels": {"app": "web"}}"#, "app=web\n");
    check_input(&["-f", "-"], "selector: {app: web, tier: fe}\n", "app=web,tier=fe\n");
    check(&["", "-o", "yaml"], "{}\n");
    check_input(&["-f", "-", "-o", "explain"], "{}", "Every object is selected.\n");
}

#[test]
fn the_query_form_is_written_and_read() {
    let query = "labelSelector=environment+in+%28production%2Cqa%29%2Ctier+in+%28frontend%29\n";
    check(&["environment in (production,qa),tier in (frontend)", "-o", "query"], query);
    check(&["?labelSelector=a%3Db%2Cc%21%3Dd"], "a=b,c!=d\n");
    check(&["https://host/api/v1/pods?limit=5&labelSelector=env%20in+(qa)"], "env in (qa)\n");
    check(&[query.trim()], "environment in (production,qa),tier in (frontend)\n");
}

#[test]
fn each_requirement_is_explained() {
    check(
        &["a=1,b!=2,c in (x,y,),d notin (x,y),e,!f,g>5,h<7", "-o", "explain"],
        "\
The label a is 1.
The label b is absent, or is not 2.
The label c is empty, x or y.
The label d is absent, or is not x or y.
The label e exists, with any value.
The label f is absent.
The label g is an integer greater than 5.
The label h is an integer less than 7.
",
    );
}

#[test]
fn a_selector_that_can_never_match_is_reported() {
    let note = "kselect: this selector can never match: a=1 and a=2 exclude each other\n";
    selector(&["a=1,a=2,b=3"], "").stderr(note).prints("a=1,a=2,b=3\n");
    let yaml =
        "matchLabels:\n  a: \"1\"\nmatchExpressions:\n- key: a\n  operator: In\n  values:\n  - \"2\"\n";
    selector(&["a=1,a=2", "-o", "yaml"], "").stderr(note).prints(yaml);
}

#[test]
fn a_malformed_selector_is_an_error_with_a_caret() {
    check_failure(&["app in web"], "", 2, "\
error: the provided selector \"app in web\" is not valid: unable to parse requirement: found 'web' expected: '('
 |
 | app in web
 |        ^^^
hint: put the values of in and notin in parentheses: env in (prod, qa)
");
    check_failure(&["labelSelector=app+in+web"], "", 2, "\
error: the provided selector \"app in web\" is not valid: unable to parse requirement: found 'web' expected: '('
 |
 | app in web
 |        ^^^
hint: put the values of in and notin in parentheses: env in (prod, qa)
");
}

#[test]
fn a_selector_without_an_object_form_is_an_error() {
    check_failure(&["a>5", "-o", "yaml"], "", 2, "error: \"gt\" isn't supported in label selectors\n");
}

#[test]
fn a_malformed_object_form_is_an_error() {
    check_failure(&["-f", "-"], "\n# one\nmatchExpressions: [{key: a, operator: in, values: [b]}]\n", 2, {
        "error: STDIN:3 (document 1): not a valid label selector operator\n"
    });
    check_failure(&["-f", "-"], "matchLabel: {a: b}\n", 2, {
        "error: STDIN:1 (document 1): a label selector has no field \"matchLabel\"\n"
    });
    check_failure(&["-f", "-"], "matchLabels: {a: 1}\n", 2, {
        "error: STDIN:1 (document 1): matchLabels.a: expected a string, found number\n"
    });
    check_failure(&["-f", "-"], "selector: null\n", 2, {
        "error: STDIN:1 (document 1): expected a map, found null\n"
    });
    check_failure(&["-f", "-"], "", 1, "error: there is no selector in the input\n");
    check_failure(&["-f", "-"], "{}\n---\n{}\n", 1, {
        "error: there are several documents in the input, not one selector\n"
    });
    check_failure(
        &["-f", "fixtures/shop/web.yaml"],
        "",
        1,
        "\
error: fixtures/shop/web.yaml:2 (document 1): this is an object, not a selector
hint: name the object whose selector to use: --of TYPE/NAME
",
    );
}

#[test]
fn nothing_to_check_is_an_error() {
    check_failure(
        &[],
        "",
        2,
        "\
error: no selector to check
hint: give a SELECTOR, -f FILE with matchLabels and matchExpressions, or --of TYPE/NAME
",
    );
}

const CLUSTER: &str = "fixtures/conformance/cluster";

#[test]
fn the_selector_of_an_object_can_be_taken() {
    for (object, canonical) in [
        ("svc/web", "app=web\n"),
        ("shop/deploy/web", "app=web,track=stable\n"),
        ("deploy/web-canary", "app in (web),track in (beta,canary)\n"),
        ("rc/legacy", "app=legacy\n"),
        ("netpol/db-only-from-web", "app=orders-db,tier notin (frontend)\n"),
        ("netpol/deny-all", "\n"),
        ("pdb/web", "app=web\n"),
    ] {
        check(&["--of", object, "-f", CLUSTER], canonical);
    }
    check(&["--of", "deploy/web", "-n", "shop-staging", "-f", CLUSTER], "app=web\n");
    let service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {b: c}}}";
    check_input(&["--of", "svc/a"], service, "b=c\n");
}

#[test]
fn an_object_whose_selector_is_not_text_is_an_error_with_its_reason() {
    for (object, reason) in [
        ("cm/empty", "configmaps \"empty\" has no label selector; no ConfigMap has one"),
        (
            "hpa/orders",
            "horizontalpodautoscalers.autoscaling \"orders\" has no label selector; no HorizontalPodAutoscaler has one",
        ),
        ("svc/mail", "services \"mail\" selects nothing: its spec.selector is absent, empty or unusable"),
        (
            "job/migrate",
            "jobs.batch \"migrate\" selects nothing: its spec.selector is absent, empty or unusable",
        ),
        ("svc/nope", "services \"nope\" not found"),
        (
            "validatingwebhookconfigurations/shop-policy",
            "validatingwebhookconfigurations.admissionregistration.k8s.io \"shop-policy\" may have several \
             selectors: webhooks[].objectSelector",
        ),
    ] {
        check_failure(&["--of", object, "-f", CLUSTER], "", 1, &format!("error: {reason}\n"));
    }
}
