//! Selection of objects.

use crate::support::{Kselect, WEB};

/// Checks the names of the objects selected from [`WEB`].
#[track_caller]
fn check(args: &[&str], names: &str) {
    Kselect::get(args.iter().copied().chain(["-o", "name"])).stdin(WEB).prints(names);
}

#[test]
fn without_a_condition_everything_is_selected() {
    check(&[], "service/web\nsecret/key\ndeployment.apps/web\n");
}

#[test]
fn a_label_selector_selects() {
    check(&["-l", "tier=fe"], "service/web\n");
    check(&["-l", "tier in (fe, be)"], "service/web\ndeployment.apps/web\n");
}

#[test]
fn not_equals_selects_objects_without_the_key() {
    check(&["-l", "tier!=fe"], "secret/key\ndeployment.apps/web\n");
}

#[test]
fn of_several_selectors_all_hold() {
    check(&["-l", "app=web", "-l", "!tier"], "secret/key\n");
}

#[test]
fn a_selector_may_start_with_a_negation_and_may_be_empty() {
    check(&["-l", "!tier"], "secret/key\n");
    check(&["-l", ""], "service/web\nsecret/key\ndeployment.apps/web\n");
}

#[test]
fn inversion_turns_the_selectors_and_nothing_else() {
    check(&["--invert-match", "-l", "app=web", "-l", "!tier"], "service/web\ndeployment.apps/web\n");
    check(&["svc", "--invert-match", "-l", "tier=be"], "service/web\n");
}

#[test]
fn inversion_needs_something_to_invert() {
    for args in [&["svc", "--invert-match"][..], &["--invert-match", "-l", "", "--exclude", "svc"]] {
        Kselect::get(args.iter().copied())
            .stdin(WEB)
            .status(2)
            .stderr(
                "error: --invert-match has nothing to invert\n\
                 hint: it inverts -l, --field-selector, --where and relations; --exclude TYPE/NAME leaves out objects\n",
            )
            .prints_nothing();
    }
}

#[test]
fn numbers_and_times_of_flags_that_change_nothing_are_checked_as_kubectl_checks_them() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    let accepted = [
        "-v=3",
        "--v=9",
        "--chunk-size=0",
        "--request-timeout=5",
        "--request-timeout=1m30s",
        "--log-flush-frequency=5s",
        "--profile=none",
        "--vmodule=a=1,b=2",
        "--cache-dir=x",
    ];
    for flag in accepted {
        Kselect::get(["-o", "name", flag]).stdin(pod).prints("pod/a\n");
    }
    let refused = ["-v=nonsense", "--chunk-size=x", "--request-timeout=x", "--disable-compression=x"];
    for flag in refused {
        let output = Kselect::get(["-o", "name", flag]).stdin(pod).run();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with("error: invalid value '"), "{flag}: {stderr}");
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{flag}");
    }
    let stderr = "error: invalid value 'nonsense' for --v: not an integer\n";
    let output = Kselect::get(["-v", "nonsense"]).stdin(pod).run();
    assert!(output.stderr.starts_with(stderr.as_bytes()), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_closed_pipe_is_quiet_in_every_format() {
    let many = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n".repeat(5000);
    for format in
        ["csv", "markdown", "wide", "name", "json", "yaml", "custom-columns=A:.kind", "jsonpath={.items[*]}"]
    {
        Kselect::get(["-f", "a.yaml", "-o", format]).file("a.yaml", &many).prints_into_a_closed_pipe();
    }
}

#[test]
fn excluded_types_and_names_are_left_out() {
    check(&["--exclude", "secrets"], "service/web\ndeployment.apps/web\n");
    check(&["--exclude", "svc,deploy/w*"], "secret/key\n");
    check(&["--exclude", "secrets", "--invert-match", "-l", "tier=fe"], "deployment.apps/web\n");
}

#[test]
fn without_a_type_fields_select_among_the_kinds_that_have_them() {
    check(&["--field-selector", "type=Opaque"], "secret/key\n");
    check(&["--field-selector", "spec.type=ClusterIP"], "service/web\n");
    check(&["--field-selector", "metadata.namespace=shop"], "secret/key\n");
    check(&["--field-selector", "type=x", "--invert-match"], "secret/key\n");
}

#[test]
fn kinds_without_the_field_of_a_namespace_are_said_to_be_left_out() {
    let objects = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n\
                   apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n";
    Kselect::get(["--field-selector", "metadata.namespace=", "-o", "name"])
        .stdin(objects)
        .stderr("kselect: left out namespaces: no field metadata.namespace\n")
        .prints("persistentvolume/v\n");
}

#[test]
fn a_namespace_admits_its_objects_and_those_without_one() {
    let note = "kselect: 2 selected objects name no namespace and count as being in shop\n";
    Kselect::get(["-n", "shop", "-o", "name"])
        .stdin(WEB)
        .stderr(note)
        .prints("service/web\nsecret/key\ndeployment.apps/web\n");
    Kselect::get(["-n", "shpo", "-o", "name"])
        .stdin(WEB)
        .stderr(
            "kselect: 2 selected objects name no namespace and count as being in shpo\n\
             hint: no object is in the namespace shpo; did you mean shop?\n",
        )
        .prints("service/web\ndeployment.apps/web\n");
    Kselect::new(["check", "-n", "shpo"])
        .stdin("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}")
        .stderr("hint: no object is in the namespace shpo; did you mean shop?\n")
        .prints("");
}

#[test]
fn a_live_object_of_an_unknown_kind_without_a_namespace_is_cluster_scoped() {
    let of = |metadata: &str| {
        format!("{{apiVersion: example.com/v1, kind: Shop, metadata: {{name: a, {metadata}}}}}\n")
    };
    Kselect::get(["-o", "name", "-n", "lab"]).stdin(of("uid: u")).prints("shop.example.com/a\n");
    Kselect::new(["count", "--no-headers", "--by", "namespace"]).stdin(of("uid: u")).prints("1     <none>\n");
    // A time of creation alone is also in manifests that were cleaned for another cluster.
    let cleaned = of("creationTimestamp: '2026-01-10T11:00:00Z'");
    Kselect::get(["-o", "name", "-n", "lab"])
        .stdin(cleaned)
        .stderr("kselect: 1 selected object names no namespace and counts as being in lab\n")
        .prints("shop.example.com/a\n");
}

#[test]
fn a_namespace_does_not_matter_to_cluster_scoped_kinds() {
    Kselect::get(["-n", "shop", "-o", "name"])
        .stdin("apiVersion: v1\nkind: Node\nmetadata: {name: one}\n")
        .prints("node/one\n");
}

#[test]
fn all_namespaces_overrule_one() {
    check(&["secret", "-n", "other", "-A"], "secret/key\n");
}

#[test]
fn the_name_of_a_namespace_is_a_label_of_it() {
    Kselect::get(["-l", "kubernetes.io/metadata.name=shop", "-o", "name"])
        .stdin("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n")
        .prints("namespace/shop\n");
}

#[test]
fn types_are_singular_plural_short_or_with_a_group() {
    for name in
        ["deployment", "deployments", "deploy", "Deployment", "deployments.apps", "deployments.v1.apps"]
    {
        check(&[name], "deployment.apps/web\n");
    }
}

#[test]
fn a_short_name_of_two_kinds_means_the_first_and_says_so() {
    let secret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: one}\n";
    let source = "apiVersion: argoproj.io/v1alpha1\nkind: EventSource\nmetadata: {name: two}\n";
    let get = |args: &[&str], input: &str| Kselect::get(args.iter().copied()).stdin(input);
    let warning = "warning: short name \"es\" could also match lower priority resource \
                   externalsecrets.external-secrets.io; took eventsources.argoproj.io\n";
    let both = format!("{secret}---\n{source}");
    get(&["es", "-o", "name"], secret).prints("externalsecret.external-secrets.io/one\n");
    get(&["es", "-o", "name"], &both).stderr(warning).prints("eventsource.argoproj.io/two\n");
    get(&["es", "two", "t*", "-o", "name"], &both)
        .stderr(warning)
        .prints("eventsource.argoproj.io/two\n".repeat(2));
    get(&["es.external-secrets.io", "-o", "name"], &both).prints("externalsecret.external-secrets.io/one\n");
    Kselect::new(["label", "es", "--all", "a=b", "--dry-run=client"])
        .stdin(both)
        .stderr(warning)
        .prints("eventsource.argoproj.io/two labeled (dry run)\n");
}

#[test]
fn a_name_of_two_kinds_means_the_first_and_says_so() {
    let [kube, istio] = ["gateway.networking.k8s.io", "networking.istio.io"]
        .map(|group| format!("apiVersion: {group}/v1\nkind: Gateway\nmetadata: {{name: web}}\n"));
    let both = format!("{istio}---\n{kube}");
    let get = |kind: &str, input: &str| Kselect::get([kind, "-o", "name"]).stdin(input);
    let warning = "warning: name \"gateway\" could also match lower priority resource gateways.networking.istio.io; took \
                   gateways.gateway.networking.k8s.io\n";
    get("gateway", &istio).prints("gateway.networking.istio.io/web\n");
    get("gateway", &both).stderr(warning).prints("gateway.gateway.networking.k8s.io/web\n");
    get("gateway.networking.istio.io", &both).prints("gateway.networking.istio.io/web\n");
    Kselect::new(["label", "gateway", "--all", "a=b", "--dry-run=client"])
        .stdin(both)
        .stderr(warning)
        .prints("gateway.gateway.networking.k8s.io/web labeled (dry run)\n");
    // Files that configure tools are not meant, and a name of Kubernetes means its own kind.
    let others = "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n---\n\
                  apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n---\napiVersion: serving.knative.dev/v1\n\
                  kind: Service\nmetadata: {name: fn}\n";
    get("kustomization", others).prints("kustomization.kustomize.toolkit.fluxcd.io/apps\n");
    get("service", &format!("{WEB}{others}")).prints("service/web\n");
}

#[test]
fn what_cannot_be_read_hides_no_note_about_the_rest() {
    let get = |args: &[&str]| {
        let error = "error: STDIN:5 (document 2): error converting YAML to JSON: yaml: did not find expected ',' or ']'\n  \
                     |\n5 | a: [b\n  |    ^\n";
        let map = |name: &str| {
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web, labels: {{app: {name}}}}}\n")
        };
        let run =
            Kselect::get(args.iter().copied()).stdin(format!("{}---\na: [b\n---\n{}", map("a"), map("web")));
        (run.status(1), error)
    };
    let (run, error) = get(&["cm", "-l", "app=wb"]);
    run.stderr(format!(
        "{error}kselect: read 2 objects; --why shows why none is selected\nhint: no object has app=wb; did you mean app=web?\n"
    ))
    .prints_nothing();
    let (run, error) = get(&["cm", "web", "-o", "jsonpath={.kind}"]);
    run.stderr(format!(
        "{error}kselect: the template is given the List of 2 objects with that name: {{.items[*]...}}; a file or -n chooses one\n"
    ))
    .prints("List");
    // It may be what is named.
    let (run, error) = get(&["cm", "wb"]);
    run.stderr(format!("{error}error: configmaps \"wb\" not found\nhint: did you mean configmap/web?\n"))
        .prints_nothing();
}

#[test]
fn types_and_names_set_the_order() {
    check(&["deploy,svc"], "deployment.apps/web\nservice/web\n");
    check(&["deploy/web", "secret/key", "svc/web"], "deployment.apps/web\nsecret/key\nservice/web\n");
    check(&["deploy,svc", "web"], "deployment.apps/web\nservice/web\n");
}

#[test]
fn a_name_may_be_a_glob() {
    check(&["secret", "k*"], "secret/key\n");
    check(&["deploy/w?b", "svc/[a-w]eb"], "deployment.apps/web\nservice/web\n");
}

#[test]
fn a_glob_without_a_match_is_not_an_error() {
    check(&["-q", "svc/x*"], "");
    Kselect::get(["svc/x*"])
        .stdin(WEB)
        .stderr(
            "No resources found\n\
             kselect: read 3 objects, none of the requested type and name; kselect count lists the kinds in the input\n",
        )
        .prints_nothing();
}

#[test]
fn a_name_that_is_also_a_pattern_is_a_name_first() {
    let rules = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'a*'}\n---\n\
                 apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: ab}\n";
    Kselect::get(["clusterrole/a*", "-o", "name"])
        .stdin(rules)
        .prints("clusterrole.rbac.authorization.k8s.io/a*\n");
}

#[test]
fn a_category_means_its_types() {
    check(&["all"], "service/web\ndeployment.apps/web\n");
    Kselect::get(["all", "-l", "a=b"])
        .stdin("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: b}}\n")
        .stderr(
            "No resources found\nkselect: read 1 object, none of the requested type; all means some types only, and without TYPE every \
             one is meant\n",
        )
        .prints_nothing();
}

#[test]
fn a_malformed_glob_is_a_name_that_is_not_found() {
    const HINT: &str = "hint: not a valid glob: [abc] matches one of a, b and c, and \\[ matches [\n";
    for (args, note) in [
        (&["get", "svc", "web["][..], ""),
        (&["get", "svc/web[", "-o", "name"], ""),
        (&["label", "svc", "web[", "a=b", "-i"], "kselect: no file was rewritten\n"),
    ] {
        Kselect::new(args.iter().copied().chain(["-f", "web.yaml"]))
            .file("web.yaml", WEB)
            .status(1)
            .stderr(format!("{note}error: services \"web[\" not found\n{HINT}"))
            .prints_nothing();
    }
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'a['}\n";
    for name in ["a[", "a\\[", "*[[]"] {
        Kselect::get(["clusterrole", name, "-o", "name"])
            .stdin(role)
            .prints("clusterrole.rbac.authorization.k8s.io/a[\n");
    }
    // Nothing that should be left out is shown.
    Kselect::get(["--exclude", "secrets/[a-"])
        .stdin(WEB)
        .status(2)
        .stderr(format!("error: --exclude: pattern \"[a-\" is not valid: syntax error in pattern\n{HINT}"))
        .prints_nothing();
}

#[test]
fn a_namespace_before_type_and_name_counts_for_that_argument() {
    let objects = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}}\n---\n\
                   {apiVersion: v1, kind: Service, metadata: {name: web, namespace: lab}}\n---\n\
                   {apiVersion: v1, kind: Secret, metadata: {name: web}}\n---\n\
                   {apiVersion: v1, kind: Node, metadata: {name: web}}\n";
    let prints = |args: &[&str], expected: &str| {
        let columns = "custom-columns=KIND:kind,NS:metadata.namespace";
        let rest = ["-o", columns, "-f", "in.yaml"];
        Kselect::get([args, &rest].concat()).file("in.yaml", objects).prints(expected);
    };
    prints(&["shop/svc/web"], "KIND      NS\nService   shop\n");
    prints(&["lab/services/w*", "default/secret/web"], "KIND      NS\nService   lab\nSecret    <none>\n");
    prints(&["any/no/web"], "KIND   NS\nNode   <none>\n");
    let excluded = ["--exclude", "shop/svc/web", "--exclude", "lab/secret/web", "-n", "shop,default"];
    prints(&excluded, "KIND     NS\nSecret   <none>\nNode     <none>\n");
    for args in [&["default/svc/web"][..], &["shop/svc/web", "-n", "lab"]] {
        Kselect::get([args, &["-o", "name", "-f", "in.yaml"]].concat())
            .file("in.yaml", objects)
            .status(1)
            .stderr("error: services \"web\" not found\nhint: it is in namespace lab and 1 other\n")
            .prints("");
    }
}
