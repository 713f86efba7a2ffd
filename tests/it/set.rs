//! `kselect set env`, `set resources`, `set serviceaccount` and `scale`: the fields change as kubectl would change them, and
//! nothing else does.

use crate::support::Kselect;

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1 # for now
  template:
    spec:
      initContainers:
      - {name: setup, image: busybox:1.36}
      containers:
      # the shop
      - name: web
        image: shop/web:1.10
        env:
        - name: LEVEL # of the log
          value: info
        - name: TOKEN
          valueFrom: {secretKeyRef: {name: shop, key: token}}
";

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";

const CONFIG: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {db.url: x, PORT: '80'}
";

/// Runs an edit of the Deployment; in what is expected, `from` stands as `to`.
#[track_caller]
fn check(args: &[&str], changes: &[(&str, &str)], said: &str) {
    let expected = changes.iter().fold(WEB.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    });
    let messages = if said.is_empty() { String::new() } else { format!("deployment.apps/web {said}\n") };
    Kselect::new(args.iter().copied()).stdin(WEB).stderr(messages).prints(&expected);
}

#[track_caller]
fn check_refused(args: &[&str], status: i32, message: &str) {
    Kselect::new(args.iter().copied()).stdin(WEB).status(status).stderr(message).prints_nothing();
}

#[test]
fn variables_are_set_and_removed_where_they_stand() {
    let (level, token) =
        ("          value: info\n", "          valueFrom: {secretKeyRef: {name: shop, key: token}}\n");
    check(
        &["set", "env", "deploy/web", "LEVEL=debug", "-c", "web"],
        &[("value: info", "value: debug")],
        "env updated",
    );
    check(
        &["set", "env", "LEVEL-", "PORT=80"],
        &[
            ("image: busybox:1.36}", "image: busybox:1.36, env: [{name: PORT, value: \"80\"}]}"),
            ("        - name: LEVEL # of the log\n          value: info\n", ""),
            (token, &format!("{token}        - name: PORT\n          value: \"80\"\n")),
        ],
        "env updated",
    );
    check(
        &["set", "env", "-c", "w*", "-e", "TOKEN=x", "--prefix", ""],
        &[(token, "          value: x\n")],
        "env updated",
    );
    check(
        &["set", "env", "LEVEL-", "TOKEN-"],
        &[(
            &format!(
                "        env:\n        - name: LEVEL # of the log\n{level}        - name: TOKEN\n{token}"
            ),
            "",
        )],
        "env updated",
    );
    // As it was: nothing is reported.
    check(&["set", "env", "LEVEL=info", "-c", "web"], &[], "");
    check_refused(
        &["set", "env", "LEVEL=debug", "--overwrite=false", "-o", "yaml"],
        1,
        "error: STDIN:15 (document 1): 'LEVEL' already has a value, and --overwrite is false\n",
    );
}

#[test]
fn variables_refer_to_the_keys_of_an_object_in_the_input() {
    let text = format!("{WEB}---\n{CONFIG}");
    let added = "        - name: APP_DB_URL\n          valueFrom:\n            configMapKeyRef:\n              \
                 name: settings\n              key: db.url\n";
    let token = "          valueFrom: {secretKeyRef: {name: shop, key: token}}\n";
    let args =
        ["set", "env", "deploy/web", "-c", "web", "--from", "cm/settings", "--keys", "db.url", "--prefix"];
    Kselect::new(args.into_iter().chain(["APP_"]))
        .stdin(&text)
        .stderr("warning: key db.url transferred to DB_URL\ndeployment.apps/web env updated\n")
        .prints(text.replace(token, &format!("{token}{added}")));
    check_refused(
        &["set", "env", "--from", "secret/none"],
        1,
        "error: secret/none not found\nhint: the object of --from must be in the input\n",
    );
    check_refused(
        &["set", "env", "--from", "svc/web"],
        2,
        "error: unsupported resource specified in --from\n",
    );
}

#[test]
fn variables_come_from_standard_input_and_are_listed() {
    let host = Kselect::new([]).file("web.yaml", WEB);
    Kselect::new(["set", "env", "-e", "-", "--list", "-f", "web.yaml"])
        .current_dir(host.path())
        .stdin("LEVEL=debug # new\n# nothing\nB=1\n")
        .prints(
            "# Deployment web, container web\nLEVEL=debug \n# TOKEN from secret shop, key token\nB=1\n\
             # Deployment web, container setup\nLEVEL=debug \nB=1\n",
        );
    check_refused(
        &["set", "env", "-e", "-"],
        2,
        "error: standard input cannot hold both variables and manifests\nhint: name the files with -f\n",
    );
}

#[test]
fn limits_and_requests_are_set_for_containers() {
    check(
        &[
            "set",
            "resources",
            "deploy/web",
            "-c",
            "web",
            "--limits",
            "memory=1Gi,cpu=1000m",
            "--requests=cpu=1",
        ],
        &[(
            "secretKeyRef: {name: shop, key: token}}\n",
            "secretKeyRef: {name: shop, key: token}}\n        resources:\n          limits:\n            cpu: \"1\"\n            \
             memory: 1Gi\n          requests:\n            cpu: \"1\"\n",
        )],
        "resource requirements updated",
    );
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    resources:\n      \
               limits: {cpu: 1, memory: 1024Mi}\n";
    // A quantity that means the same stays, and a number is replaced by a number.
    Kselect::new(["set", "resources", "--limits", "cpu=2,memory=1Gi"])
        .stdin(pod)
        .stderr("pod/a resource requirements updated\n")
        .prints(pod.replace("cpu: 1,", "cpu: 2,"));
    for (list, message) in [
        ("cpu=x", text_of_quantities()),
        ("cpu", "invalid argument syntax cpu, expected <resource>=<value>".to_owned()),
    ] {
        check_refused(&["set", "resources", "--limits", list], 2, &format!("error: {message}\n"));
    }
    check_refused(
        &["set", "resources", "-c", "webb", "--limits", "cpu=1"],
        1,
        "error: unable to find container named \"webb\"\nhint: did you mean web?\n",
    );
}

fn text_of_quantities() -> String {
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".to_owned()
}

#[test]
fn an_account_is_set_for_pods() {
    let token = "          valueFrom: {secretKeyRef: {name: shop, key: token}}\n";
    check(
        &["set", "sa", "deploy/web", "shop"],
        &[(token, &format!("{token}      serviceAccountName: shop\n"))],
        "serviceaccount updated",
    );
    // Init containers alone may be values of a chart, which are left as they are.
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  values:\n    \
        initContainers: [{name: a, image: 'x:1'}]\n";
    let output = Kselect::new(["set", "sa", "shop"]).stdin(release).run();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()), (Some(1), ""));
    check_refused(
        &["set", "serviceaccount"],
        2,
        "error: serviceaccount is required\nhint: the last argument is the name of the account\n",
    );
    check_refused(
        &["set", "sa", "deploy/web"],
        2,
        "error: \"deploy/web\" is not the name of an account\nhint: the last argument is the name of the account\n",
    );
    check_refused(
        &["set", "sa", "x", "--limits", "cpu=1"],
        2,
        "error: --limits is a flag of set resources\n",
    );
}

#[test]
fn replicas_are_set_if_they_are_as_expected() {
    check(&["scale", "deploy/web", "--replicas", "3"], &[("replicas: 1", "replicas: 3")], "scaled");
    check(&["scale", "--replicas=0", "--current-replicas=1"], &[("replicas: 1", "replicas: 0")], "scaled");
    Kselect::new(["scale", "--replicas=3", "--current-replicas=2", "--diff"])
        .stdin(WEB)
        .status(1)
        .stderr("error: STDIN:1 (document 1): Expected replicas to be 2, was 1\n")
        .prints_nothing();
    check_refused(
        &["scale", "--replicas=-1"],
        2,
        "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0\n",
    );
    check_refused(&["scale", "deploy/web"], 2, "error: required flag(s) \"replicas\" not set\n");
}

#[test]
fn kinds_without_the_field_are_named() {
    let text = format!("{WEB}---\n{SERVICE}---\n{CONFIG}");
    for (args, from, to, said) in [
        (&["scale", "--replicas=3"][..], "replicas: 1", "replicas: 3", "scaled"),
        (&["set", "env", "LEVEL=x", "-c", "web"], "value: info", "value: x", "env updated"),
        (&["set", "image", "web=:2"], "web:1.10", "web:2", "image updated"),
    ] {
        let subject = if args[0] == "scale" { "replicas" } else { "containers" };
        Kselect::new(args.iter().copied())
            .stdin(&text)
            .stderr(format!(
                "deployment.apps/web {said}\nkselect: left 2 objects without {subject} unchanged: configmap, service\n"
            ))
            .prints(text.replace(from, to));
    }
    Kselect::new(["scale", "svc/web", "--replicas=3"])
        .stdin(&text)
        .status(1)
        .stderr("error: the selected objects have no replicas\n")
        .prints_nothing();
    Kselect::new(["scale", "cluster/pg", "--replicas=3"])
        .stdin("apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: pg}\nspec: {instances: 1}\n")
        .status(1)
        .stderr(
            "error: the selected objects have no replicas\nhint: a CustomResourceDefinition in the input says which field has \
             their number; kselect patch changes any field\n",
        )
        .prints_nothing();
}

#[test]
fn replicas_are_where_the_definition_says() {
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Shop, plural: shops}
  versions:
  - {name: v1, served: true, storage: true, subresources: {scale: {specReplicasPath: .spec.web.size, statusReplicasPath: .status.size}}}
";
    let shop = |spec: &str| format!("apiVersion: example.com/v1\nkind: Shop\nmetadata: {{name: a}}\n{spec}");
    let scaled = |args: &[&str], spec: &str| {
        let args =
            ["scale", "--replicas=3", "-f", "shop.yaml", "--schemas", "crd.yaml"].iter().chain(args).copied();
        let run = Kselect::new(args).file("crd.yaml", definition).file("shop.yaml", shop(spec)).run();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(run.stdout), text(run.stderr), run.status.code())
    };
    let done = |spec: &str| (shop(spec), "shop.example.com/a scaled\n".to_owned(), Some(0));
    assert_eq!(
        scaled(&[], "spec:\n  replicas: 1\n  web:\n    size: 1 # few\n"),
        done("spec:\n  replicas: 1\n  web:\n    size: 3 # few\n")
    );
    assert_eq!(
        scaled(&["--current-replicas=0"], "spec:\n  a: b\n"),
        done("spec:\n  a: b\n  web:\n    size: 3\n")
    );
    let both = format!("{definition}---\n{}", shop("spec:\n  web: {size: 1}\n"));
    Kselect::new(["scale", "shop/a", "--replicas=3"])
        .stdin(&both)
        .stderr("shop.example.com/a scaled\n")
        .prints(both.replace("{size: 1}", "{size: 3}"));
}

#[test]
fn an_object_is_scaled_from_one_resource_version() {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, resourceVersion: \"5\"}\nspec: {replicas: 1}\n";
    let scale = |version: &'static str| {
        Kselect::new(["scale", "deploy/web", "--replicas=3", "--resource-version", version])
    };
    scale("5")
        .stdin(web)
        .stderr("deployment.apps/web scaled\n")
        .prints(web.replace("replicas: 1", "replicas: 3"));
    scale("4")
        .stdin(web)
        .status(1)
        .stderr("error: STDIN:1 (document 1): Expected resource version to be 4, was 5; the object is passed on unchanged\n")
        .prints(web);
    Kselect::new(["scale", "--all", "--replicas=3", "--resource-version=5"])
        .stdin(web)
        .status(2)
        .stderr("error: cannot use --resource-version with multiple resources\n")
        .prints("");
}
