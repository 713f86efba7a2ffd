//! `--uses` and `--used-by`, `--name` and several namespaces.

use crate::support::Kselect;

const SHOP: &str = "\
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: lab}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {volumes: [{configMap: {name: settings}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: lab}, spec: {containers: [{envFrom: [{configMapRef: {name: \
 settings}}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {nodeName: n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}}
";

#[track_caller]
fn check(args: &[&str], expected: &str) {
    Kselect::get(args.iter().copied().chain(["-o", "name"])).stdin(SHOP).prints(expected);
}

#[test]
fn what_an_object_uses_and_the_input_lacks_is_said() {
    Kselect::get(["secret", "--used-by", "pod/a", "-o", "name"])
        .stdin(
            "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {serviceAccountName: default, volumes: [{secret: {secretName: made}}, \
             {secret: {secretName: there}}, {secret: {secretName: all}}, {configMap: {name: lost}}, {configMap: {name: free, optional: true}}]}}\n---\n\
             {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e}, spec: {target: {name: made}}}\n---\n\
             {apiVersion: external-secrets.io/v1, kind: ClusterExternalSecret, metadata: {name: c}, spec: {externalSecretSpec: {target: {name: \
             all}}}}\n---\n\
             {apiVersion: v1, kind: Secret, metadata: {name: there}}\n---\n\
             {apiVersion: v1, kind: ConfigMap, metadata: {name: lost, namespace: other}}\n",
        )
        .stderr(
            "kselect: pods \"a\" also uses what is not in the input: configmap/lost, secret/made (made by \
             externalsecret.external-secrets.io/e), secret/all (made by clusterexternalsecret.external-secrets.io/c)\n",
        )
        .prints("secret/there\n");
}

#[test]
fn what_uses_an_object_and_what_it_uses() {
    check(&["--uses", "shop/cm/settings"], "pod/a\n");
    check(&["--uses", "cm/settings", "-n", "lab"], "pod/b\n");
    check(&["--uses", "node/n1"], "pod/c\n");
    check(&["--used-by", "pod/b"], "configmap/settings\n");
    check(&["--used-by", "pod/c"], "node/n1\n");
    check(&["cm", "--invert-match", "--uses", "node/n1"], "configmap/settings\nconfigmap/settings\n");
}

#[test]
fn what_cert_manager_injects_is_referred_to_by_annotations() {
    let of = |kind: &str, annotation: &str, name: &str| {
        format!(
            "{{kind: {kind}, metadata: {{name: a, annotations: {{cert-manager.io/{annotation}: {name}}}}}}}"
        )
    };
    let objects = [
        "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: serving, namespace: shop}}"
            .to_owned(),
        "{apiVersion: v1, kind: Secret, metadata: {name: ca, namespace: shop}}".to_owned(),
        of("APIService, apiVersion: apiregistration.k8s.io/v1", "inject-ca-from", "shop/serving"),
        of(
            "MutatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1",
            "inject-ca-from-secret",
            "shop/ca",
        ),
    ];
    for (used, user) in [
        ("shop/certificate/serving", "apiservice.apiregistration.k8s.io/a\n"),
        ("shop/secret/ca", "mutatingwebhookconfiguration.admissionregistration.k8s.io/a\n"),
    ] {
        Kselect::get(["--uses", used, "-o", "name"]).stdin(objects.join("\n---\n")).prints(user);
    }
}

#[test]
fn an_object_may_be_named_by_file_and_line() {
    check(&["--uses", "STDIN:3"], "pod/b\n");
    check(&["--uses", "STDIN:1"], "pod/a\n");
    Kselect::get(["--uses", "other.yaml:3"])
        .stdin(SHOP)
        .status(1)
        .stderr("error: other.yaml:3 not found\n")
        .prints_nothing();
}

#[test]
fn names_are_asked_for_in_all_kinds() {
    check(&["--name", "[ab]"], "pod/a\npod/b\n");
    check(&["--name", "n1", "--name", "set*"], "configmap/settings\nconfigmap/settings\nnode/n1\n");
    Kselect::get(["--name", "[a"])
        .stdin(SHOP)
        .status(2)
        .stderr(
            "error: --name: pattern \"[a\" is not valid: syntax error in pattern\nhint: not a valid glob: [abc] matches one of a, b and c, and \\[ matches [\n",
        )
        .prints_nothing();
}

#[test]
fn several_namespaces_and_patterns_are_any_of_them() {
    check(&["pods", "-n", "shop,lab"], "pod/a\npod/b\n");
    check(&["pods", "-n", "shop", "-n", "lab"], "pod/a\npod/b\n");
    check(&["pods", "-n", "s*"], "pod/a\n");
    // An object without a namespace is in default, unless there is exactly one that it can be in.
    check(&["pods", "-n", "default,shop"], "pod/a\npod/c\n");
    Kselect::get(["pods", "-n", "x", "-o", "name"])
        .stdin(SHOP)
        .stderr("kselect: 1 selected object names no namespace and counts as being in x\n")
        .prints("pod/c\n");
    Kselect::get(["cm", "-n", "x,y*"])
        .stdin(SHOP)
        .stderr(
            "No resources found in x,y* namespace.\n\
             kselect: read 6 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n",
        )
        .prints_nothing();
}

/// What kustomize builds of a Deployment that misspells what two generators make, with these affixes.
fn built(prefix: &str, suffix: &str) -> String {
    let named = |name: &str, hash: &str| format!("metadata: {{name: {prefix}{name}{suffix}{hash}}}\n");
    let map = String::from("apiVersion: v1\nkind: ConfigMap\n") + &named("app-config", "-b9t2424hkf");
    let secret = String::from("apiVersion: v1\nkind: Secret\n") + &named("db-secret", "-ht28g67h7c");
    let pod = String::from("apiVersion: v1\nkind: Pod\n") + &named("web", "");
    let env = "    env: [{name: P, valueFrom: {secretKeyRef: {name: db-secrets, key: password}}}]\n";
    let spec = "spec:\n  containers:\n  - name: web\n    image: nginx:1\n    envFrom: [{configMapRef: {name: app-confg}}]\n";
    [map, secret, pod + spec + env].join("---\n")
}

#[test]
fn the_hashes_and_the_affixes_of_kustomize_do_not_hide_a_misspelling() {
    for (prefix, suffix) in [("", ""), ("", "-prod"), ("eu-", ""), ("eu-", "-blue-prod")] {
        Kselect::new(["check"]).stdin(built(prefix, suffix)).stderr("checked 3 objects in 1 file: 2 warnings\n").prints(
            "STDIN:16: warning [dangling-reference] pod/NAME: spec.containers[].envFrom[].configMapRef.name: the input has no \
             configmap/app-confg; did you mean app-config?\n\
             STDIN:17: warning [dangling-reference] pod/NAME: spec.containers[].env[].valueFrom.secretKeyRef.name: the input has no \
             secret/db-secrets; did you mean db-secret?\n"
                .replace("NAME", &format!("{prefix}web{suffix}")),
        );
    }
}

#[test]
fn a_name_that_an_object_makes_is_there_and_explains_a_misspelling() {
    let certificate = "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: edge}, spec: {secretName: web-tls, dnsNames: \
                       [a.b], issuerRef: {name: ca}}}\n";
    let ingress = |secret: &str| {
        format!(
            "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {secret}}}\nspec:\n  tls:\n  - secretName: \
             {secret}\n  defaultBackend: {{resource: {{apiGroup: a.io, kind: Bucket, name: a}}}}\n"
        )
    };
    Kselect::new(["check"])
        .stdin(certificate.to_owned() + &ingress("web-tls") + &ingress("web-tsl"))
        .stderr(
            "checked 3 objects in 1 file: 1 warning; left out: 1 custom resource without a schema (Certificate; see --schemas)\n",
        )
        .prints(
            "STDIN:16: warning [dangling-reference] ingress.networking.k8s.io/web-tsl: spec.tls[].secretName: the input has no \
             secret/web-tsl; did you mean web-tls?\n",
        );
}
