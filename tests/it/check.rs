//! `kselect check`: each finding, with inputs that have it and others that do not; what is left out; formats, baselines and gates.

use std::fs;
use std::path::Path;

use crate::support::{COMPLETE, Kselect, WEB, gzip, in_process};

/// Turns off the rules about the values of an object: most objects of these tests only have the fields that matter.
const PARTS: &str = "--disable=missing-field,invalid-value";

/// Runs `kselect check` with these arguments and this input.
fn kselect(args: &[&str], stdin: &str) -> Kselect {
    Kselect::new(["check", PARTS].iter().chain(args).copied()).stdin(stdin)
}

/// Checks a stream by all rules. `expected` are the findings without `STDIN:`.
#[track_caller]
fn check_whole(stdin: &str, expected: &[&str]) {
    let lines = expected.iter().map(|line| format!("STDIN:{line}\n"));
    let status = i32::from(expected.iter().any(|line| line.contains(": error [")));
    Kselect::new(["check"]).stdin(stdin).status(status).prints(lines.collect::<String>());
}

/// Exit status, standard output and standard error, for output that cannot be stated as a whole.
fn run(args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let output = kselect(args, stdin).run();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Checks a stream. `expected` are the findings without `STDIN:`; they determine the exit status.
#[track_caller]
fn check_with(args: &[&str], stdin: &str, expected: &[&str]) {
    let lines = expected.iter().map(|line| format!("STDIN:{line}\n"));
    let status = i32::from(expected.iter().any(|line| line.contains(": error [")));
    kselect(args, stdin).status(status).prints(lines.collect::<String>());
}

#[track_caller]
fn check(stdin: &str, expected: &[&str]) {
    check_with(&[], stdin, expected);
}

/// Checks a directory of these files.
#[track_caller]
fn check_files(args: &[&str], files: &[(&str, &str)], expected: &[&str]) {
    let kselect = Kselect::new(["check", PARTS, "-R", "-f", "."].iter().chain(args).copied());
    let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
    let stdout = String::from_utf8_lossy(&output.stdout).replace("./", "");
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expected);
}

/// A Deployment on one line whose pods have the label app.
fn deployment(name: &str, app: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{selector: {{matchLabels: \
         {{app: {app}}}}}, template: {{metadata: {{labels: {{app: {app}}}}}, spec: {{containers: [{{name: a, image: a}}]}}}}}}}}\n"
    )
}

/// A Deployment followed, from line 3 on, by another object.
fn with_web(object: &str) -> String {
    format!("{}---\n{object}", deployment("web", "web"))
}

#[test]
fn a_service_that_selects_no_pod_is_found_where_there_are_pods() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: wbe}\n";
    check(
        &with_web(service),
        &["7: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did \
           you mean app=web?"],
    );
    check(&with_web(&service.replace("wbe", "web")), &[]);
    check(&with_web(&service.replace("name: web", "name: web, namespace: other")), &[]);
    check(&with_web(&service.replace("{app: wbe}", "{}")), &[]);
    check(service, &[]);
}

#[test]
fn operators_and_kustomizations_may_make_the_pods() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec:\n  selector: {cluster: main-db}\n";
    let custom = "---\napiVersion: example.com/v1\nkind: Cluster\nmetadata: {name: main}\n";
    check(&with_web(&format!("{service}{custom}")), &[]);
    check(&with_web(&format!("{service}{}", custom.replace("main", "main-db"))), &[]);
    let files =
        [("app/all.yaml", &*with_web(service)), ("app/kustomization.yaml", "resources: [all.yaml]\n")];
    let found = "app/all.yaml:7: warning [dangling-service] service/db: no pod of the input has the labels cluster=main-db";
    let found = [found];
    // A kustomization that only lists is a plain unit; one with patches may change anything.
    check_files(&[], &files, &found);
    let open = ("app/kustomization.yaml", "resources: [all.yaml]\npatches: [{path: p.yaml}]\n");
    check_files(&["--disable=invalid-kustomization"], &[files[0], open], &[]);
    check_files(
        &["--advice", "--only=dangling-service"],
        &[files[0], open],
        &[&found[0].replace("warning", "advice")],
    );
    check_files(
        &[],
        &files[..1],
        &["app/all.yaml:7: warning [dangling-service] service/db: no pod of the input has the labels \
           cluster=main-db"],
    );
}

#[test]
fn pods_of_another_directory_give_no_reason_unless_others_there_select_some() {
    let service = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{selector: {{app: {name}}}}}}}\n"
        )
    };
    let (deployment, web, db) = (deployment("web", "web"), service("web"), service("db"));
    let again = web.replace("name: web}", "name: again}");
    let files = [
        ("deploy/a.yaml", &*deployment),
        ("svc/db.yaml", &db),
        ("svc/web.yaml", &web),
        ("svc/again.yaml", &again),
    ];
    let finding =
        "svc/db.yaml:1: warning [dangling-service] service/db: no pod of the input has the labels app=db";
    check_files(&[], &files, &[finding]);
    check_files(&[], &files[..2], &[]);
}

#[test]
fn what_one_kustomization_builds_at_any_depth_is_judged_together() {
    let web = deployment("web", "web").replace("containers:", "serviceAccountName: runer, containers:");
    let account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner}}\n";
    let route = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {defaultBackend: {service: {name: wbe, port: {number: 80}}}}}\n";
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n";
    let base = [
        ("base/kustomization.yaml", "resources: [account, web, route, service]\n"),
        ("base/account/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/account/a.yaml", account),
        ("base/web/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/web/a.yaml", &web),
        ("base/route/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/route/a.yaml", route),
        ("base/service/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/service/a.yaml", service),
    ];
    let found = [
        "base/route/a.yaml:1: warning [dangling-reference] ingress.networking.k8s.io/web: spec.defaultBackend.service.name: \
         the input has no service/wbe; did you mean web?",
        "base/service/a.yaml:1: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?",
        "base/web/a.yaml:1: warning [dangling-reference] deployment.apps/web: spec.template.spec.serviceAccountName: \
         the input has no serviceaccount/runer; did you mean runner?",
    ];
    check_files(&[], &base, &found);
    // So is a base of several overlays.
    let overlays = [
        ("a/kustomization.yaml", "resources: [../base]\n"),
        ("b/kustomization.yaml", "resources: [../base]\n"),
    ];
    check_files(&[], &[&base[..], &overlays].concat(), &found);
}

#[test]
fn what_an_overlay_and_its_base_name_is_judged_together() {
    let base = [
        ("base/kustomization.yaml", "resources: [web.yaml]\n"),
        (
            "base/web.yaml",
            &*deployment("web", "web").replace("containers:", "serviceAccountName: runer, containers:"),
        ),
    ];
    let overlay = [
        ("a/kustomization.yaml", "resources: [../base, a.yaml]\n"),
        (
            "a/a.yaml",
            "{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner}}\n---\n\
             {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n",
        ),
    ];
    let found = [
        "a/a.yaml:3: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?",
        "base/web.yaml:1: warning [dangling-reference] deployment.apps/web: spec.template.spec.serviceAccountName: \
         the input has no serviceaccount/runer (a/a.yaml:1); did you mean runner?",
    ];
    let other = [("b/kustomization.yaml", "resources: [../base]\n")];
    check_files(&[], &[&base[..], &overlay, &other].concat(), &found);
    // What one of them has resolves.
    let right = ("b/b.yaml", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: runer}}\n");
    let other = [("b/kustomization.yaml", "resources: [../base, b.yaml]\n"), right];
    check_files(&[], &[&base[..], &overlay, &other].concat(), &found[..1]);
}

#[test]
fn a_misspelt_label_of_a_monitor_is_advice_if_another_kustomization_has_the_services() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: system, labels: {app: manager}}, spec: {ports: [{port: 80}]}}\n";
    let monitor = "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: m, namespace: system}, \
                   spec: {endpoints: [{}], selector: {matchLabels: {app: managr}}}}\n";
    let files = |namespace| {
        let app = ("app/kustomization.yaml", "namespace: sys\nresources: [s.yaml]\n");
        [app, ("app/s.yaml", service), ("mon/m.yaml", monitor), ("mon/kustomization.yaml", namespace)]
    };
    let found = "mon/m.yaml:1: advice [dangling-monitor] servicemonitor.monitoring.coreos.com/m: no Service of the input has \
                 the labels app=managr; did you mean app=manager?";
    let args = ["--advice", "--only=dangling-monitor"];
    check_files(&args, &files("namespace: sys\nresources: [m.yaml]\n"), &[found]);
    check_files(&args, &files("namespace: other\nresources: [m.yaml]\n"), &[]);
}

/// A Flux Kustomization that builds from a path of a repository.
fn flux(name: &str, path: &str) -> String {
    format!(
        "{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {name}, namespace: flux-system}}, \
         spec: {{interval: 1h, prune: true, path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}}}\n"
    )
}

#[test]
fn a_misspelt_name_in_another_unit_is_advice_unless_they_are_applied_together() {
    let release = "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: a, namespace: default}, spec: \
                   {interval: 5m, chart: {spec: {chart: x, sourceRef: {kind: HelmRepository, name: prometheus-comunity, namespace: flux-system}}}}}\n";
    let repository = "{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {name: prometheus-community, \
                      namespace: flux-system}, spec: {interval: 1h, url: https://x}}\n";
    let files = [("app/a.yaml", release), ("meta/r.yaml", repository)];
    let found = |severity: &str| {
        format!(
            "app/a.yaml:1: {severity} [dangling-reference] helmrelease.helm.toolkit.fluxcd.io/a: spec.chart.spec.sourceRef.name: \
             the input has no helmrepository.source.toolkit.fluxcd.io/prometheus-comunity (meta/r.yaml:1); did you mean prometheus-community?"
        )
    };
    check_files(&["--advice"], &files, &[&found("advice")]);
    let (app, meta) = (flux("app", "./app"), flux("meta", "./meta"));
    let apart = [("one/app.yaml", &*app), ("two/meta.yaml", &*meta)];
    check_files(&["--advice"], &[&files[..], &apart].concat(), &[&found("advice")]);
    // A Flux Kustomization builds both.
    let root = [("root.yaml", &*flux("root", "./one")), ("one/app.yaml", &*app), ("one/meta.yaml", &*meta)];
    check_files(&["--advice"], &[&files[..], &root].concat(), &[&found("warning")]);
    // The unit names the other one rightly, too.
    let right = release.replace("name: a,", "name: b,").replace("comunity", "community");
    check_files(&["--advice"], &[&files[..], &[("app/b.yaml", &*right)]].concat(), &[&found("warning")]);
    check_files(
        &["--advice"],
        &[("app/a.yaml", release), ("meta/r.yaml", &repository.replace("-community", "-operator"))],
        &[found("advice").split(" (").next().unwrap_or_default()],
    );
}

#[test]
fn a_name_that_is_looked_for_in_all_units_is_judged_in_any_kind() {
    let class =
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: x}\n";
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {storageClassName: fas, accessModes: \
                 [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}\n";
    let found = "a/c.yaml:1: advice [dangling-reference] persistentvolumeclaim/a: spec.storageClassName: the input has no \
                 storageclass.storage.k8s.io/fas (b/s.yaml:1); did you mean fast?";
    check_files(&["--advice"], &[("a/c.yaml", claim), ("b/s.yaml", class)], &[found]);
    // What an object makes is called after it in each of its builds, and a template runs in any namespace.
    let cluster = "{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: '${APP}-db'}, spec: {instances: 1}}\n";
    let template = "{apiVersion: argoproj.io/v1alpha1, kind: ClusterWorkflowTemplate, metadata: {name: t}, spec: {templates: [{name: t, \
                    container: {image: x, envFrom: [{secretRef: {name: web-db-ap}}]}}]}}\n";
    let flux = ["web", "api"].map(|app| {
        let text = flux(app, &format!("./{app}"));
        text.replace(
            "prune",
            &format!(
                "targetNamespace: {app}, components: [../c], postBuild: {{substitute: {{APP: {app}}}}}, prune"
            ),
        )
    });
    let files = [
        ("flux.yaml", &*flux.join("---\n")),
        ("c/kustomization.yaml", "kind: Component\nresources: [db.yaml]\n"),
        ("c/db.yaml", cluster),
        ("web/t.yaml", template),
        ("api/t.yaml", &*template.replace("web-db-ap", "api-db-app").replace("name: t}", "name: u}")),
    ];
    let found = "web/t.yaml:1: warning [dangling-reference] clusterworkflowtemplate.argoproj.io/t: spec.templates[].container.envFrom[].secretRef.name: the input has no secret/web-db-ap \
                 (c/db.yaml:1); did you mean web-db-app?";
    check_files(&["--advice", "--only=dangling-reference"], &files, &[found]);
}

#[test]
fn a_variable_that_a_kustomization_of_flux_does_not_set_is_replaced_by_nothing() {
    let check = |post_build: &str, text: &str, expected: &[&str]| {
        let flux =
            flux("web", "./a").replace("prune: true", &format!("prune: true, postBuild: {post_build}"));
        let map = format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p, labels: {{a: b}}}}, spec: {{\ncontainers: [{{name: c, image: '{text}'}}]}}}}\n"
        );
        check_files(
            &["--only=unset-variable", "--advice"],
            &[("flux.yaml", &*flux), ("a/p.yaml", &*map)],
            expected,
        );
    };
    let set = "{substitute: {VERSION: v1}}";
    let found = "a/p.yaml:2: warning [unset-variable] pod/p: spec.containers[].image: Flux writes nothing in the place of VERSIN, which its \
                 Kustomization does not set";
    check(set, "x:${VERSIN}", &[&format!("{found}; did you mean VERSION?")]);
    check(set, "x:${OTHER}", &[&found.replace("VERSIN", "OTHER").replace("warning", "advice")]);
    // One finding for each variable of an object.
    let twice = format!("{found}, nor in 1 other value; did you mean VERSION?");
    check(set, "x:${VERSIN}', command: ['${VERSIN}'], name: 'c", &[&twice]);
    for text in ["x:${VERSION}", "x:${VERSIN:=v1}", "x:$${VERSIN}", "x:${VERSIN"] {
        check(set, text, &[]);
    }
    for post_build in [
        "{}",
        "{substitute: {}}",
        "{substitute: {VERSION: v1}, substituteFrom: [{kind: ConfigMap, name: a}]}",
    ] {
        check(post_build, "x:${VERSIN}", &[]);
    }
    // A patch of another kustomization may say where more is set.
    let flux = flux("web", "./a").replace("prune: true", &format!("prune: true, postBuild: {set}"));
    let patch = "patches: [{target: {kind: Kustomization}, patch: '[{op: add, path: /spec/postBuild/substituteFrom, value: [{kind: Secret, name: \
                 a}]}]'}]\nresources: [flux.yaml]\n";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: '${VERSIN}'}}\n";
    let files = [("b/flux.yaml", &*flux), ("a/p.yaml", pod)];
    check_files(
        &["--only=unset-variable"],
        &files,
        &[
            "a/p.yaml:1: warning [unset-variable] pod/${VERSIN}: metadata.name: Flux writes nothing in the place of VERSIN, which its \
           Kustomization does not set; did you mean VERSION?",
        ],
    );
    let files = [files[0], files[1], ("b/kustomization.yaml", patch)];
    check_files(&["--only=unset-variable", "--advice"], &files, &[]);
    let off = "{a: b, kustomize.toolkit.fluxcd.io/substitute: disabled}";
    let pod = format!("{{apiVersion: v1, kind: Pod, metadata: {{name: '${{P}}', labels: {off}}}}}\n");
    check_files(&["--only=unset-variable"], &[("flux.yaml", &*flux), ("a/p.yaml", &*pod)], &[]);
}

#[test]
fn an_operation_that_json_patches_do_not_have_is_refused() {
    let patch = r#"[{"op": "replcae", "path": "/spec/replicas", "value": 2}]"#;
    let files = [
        ("d.yaml", &*deployment("web", "web")),
        (
            "kustomization.yaml",
            &*format!("resources: [d.yaml]\npatches: [{{target: {{kind: Deployment}}, patch: '{patch}'}}]\n"),
        ),
    ];
    let found =
        "kustomization.yaml:2: error [invalid-kustomization] unknown op replcae; did you mean replace?";
    check_files(&["--only=invalid-kustomization"], &files, &[found]);
}

#[test]
fn what_flux_waits_for_must_be_there() {
    let check = |name: &str, expected: &[&str]| {
        let checks = format!(
            "healthChecks: [{{apiVersion: apps/v1, kind: Deployment, name: {name}, namespace: default}}]"
        );
        let app = flux("app", "./app").replace("prune: true", &format!("prune: true, {checks}"));
        check_files(
            &["--only=dangling-reference"],
            &[("ks.yaml", &*app), ("app/d.yaml", &*deployment("storefront", "web"))],
            expected,
        );
    };
    check("storefront", &[]);
    // A chart may make it.
    check("controller", &[]);
    check(
        "storefrnt",
        &[
            "ks.yaml:1: warning [dangling-reference] kustomization.kustomize.toolkit.fluxcd.io/app: spec.healthChecks[].name: the \
           input has no deployment.apps/storefrnt (app/d.yaml:1); did you mean storefront?",
        ],
    );
}

#[test]
fn what_has_got_another_name_is_missing_beside_others_of_its_kind() {
    let database = |name: &str| {
        format!(
            "{{apiVersion: postgresql.cnpg.io/v1, kind: Database, metadata: {{name: {name}, namespace: db}}, spec: {{cluster: {{name: \
             shared}}, name: x, owner: x}}}}\n"
        )
    };
    let cluster = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {{name: {name}, namespace: {namespace}}}, spec: {{instances: 1}}}}\n"
        )
    };
    let check = |tenants: &str, count: usize, clusters: &str, made: &str, severity: &str| {
        let tenants = format!("resources: [{tenants}]\n");
        let resources = "resources: [c.yaml, https://x/y]\n".replace("https://x/y", made);
        let files = ["a", "b", "c"].map(|name| (format!("tenants/{name}.yaml"), database(name)));
        let files = files.iter().take(count).map(|(file, text)| (&**file, &**text));
        let others = [
            ("clusters/c.yaml", clusters),
            ("clusters/kustomization.yaml", &*resources),
            ("tenants/kustomization.yaml", &*tenants),
        ];
        let files: Vec<(&str, &str)> = files.chain(others).collect();
        let found = ["a", "b", "c"].map(|name| {
            format!(
                "tenants/{name}.yaml:1: {severity} [dangling-reference] database.postgresql.cnpg.io/{name}: spec.cluster.name: the input \
                 has no cluster.postgresql.cnpg.io/shared"
            )
        });
        let count = if severity.is_empty() { 0 } else { count };
        let expected: Vec<&str> = found.iter().take(count).map(String::as_str).collect();
        check_files(&["--advice", "--only=dangling-reference"], &files, &expected);
    };
    let other = cluster("pg", "db");
    check("a.yaml", 1, &other, "", "advice");
    check("a.yaml, b.yaml, c.yaml", 3, &other, "", "warning");
    // What is not known beside the others may be it.
    check("a.yaml, b.yaml, c.yaml", 3, &other, "https://x/y", "advice");
    check("a.yaml, b.yaml, c.yaml", 3, &cluster("${NAME}", "db"), "", "");
    check("a.yaml, b.yaml, c.yaml", 3, &cluster("pg", "other"), "", "");
    check("a.yaml, https://x/y", 1, &other, "", "advice");
}

#[test]
fn names_in_kube_system_are_found_if_they_are_nearly_those_of_the_input() {
    let web = deployment("web", "web")
        .replace("{name: web}", "{name: web, namespace: kube-system}")
        .replace("image: a", "image: a, envFrom: [{configMapRef: {name: web-confg}}]");
    let map =
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: web-config, namespace: kube-system}}\n";
    check(
        &format!("{web}{map}"),
        &[
            "1: warning [dangling-reference] deployment.apps/web: spec.template.spec.containers[].envFrom[].configMapRef.name: \
           the input has no configmap/web-confg; did you mean web-config?",
        ],
    );
    check(&format!("{}{map}", web.replace("web-confg", "coredns")), &[]);
}

#[test]
fn a_release_reads_what_its_unit_generates() {
    let release = "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: cilium}, spec: {interval: 5m, \
                   chart: {spec: {chart: x, sourceRef: {kind: HelmRepository, name: x}}}, valuesFrom: [{kind: ConfigMap, name: cilium-value}]}}\n";
    let files = [
        (
            "app/kustomization.yaml",
            "namespace: net\nresources: [a.yaml]\nconfigurations: [k.yaml]\nconfigMapGenerator:\n- {name: cilium-values, literals: [a=b]}\n",
        ),
        (
            "app/k.yaml",
            "nameReference:\n- {kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]}\n",
        ),
        ("app/a.yaml", release),
    ];
    check_files(
        &[],
        &files,
        &[
            "app/a.yaml:1: warning [dangling-reference] helmrelease.helm.toolkit.fluxcd.io/cilium: spec.valuesFrom[].name: \
           the input has no configmap/cilium-value; did you mean cilium-values?",
        ],
    );
}

#[test]
fn only_what_makes_objects_explains_a_missing_one_by_its_name() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x}], volumes: [{name: d, persistentVolumeClaim: {claimName: minio-dta}}]}\n\
               ---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: minio-data}\n---\n";
    let found = "4: warning [dangling-reference] pod/p: spec.volumes[].persistentVolumeClaim.claimName: the input has no \
                 persistentvolumeclaim/minio-dta; did you mean minio-data?";
    let route = "apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: minio}\n";
    check(&format!("{pod}{route}"), &[found]);
    check(
        &format!(
            "{pod}{}",
            route
                .replace("kind: Route", "kind: Tenant")
                .replace("route.openshift.io", "minio.min.io")
                .replace("name: minio", "name: minio-dta")
        ),
        &[],
    );
}

#[test]
fn what_is_called_as_a_resource_with_the_name_that_a_patch_gives_it_may_be_made_by_it() {
    let route = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {defaultBackend: {service: {name: \
                 llm-gpu-predictor, port: {number: 80}}}}}\n";
    let service =
        "{apiVersion: v1, kind: Service, metadata: {name: llm-cpu-predictor}, spec: {ports: [{port: 80}]}}\n";
    let found = |name: &str| {
        let overlay = format!(
            "resources: [../base, a.yaml]\npatches:\n- target: {{kind: InferenceService}}\n  options: {{allowNameChange: true}}\n  \
             patch: '{{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {{name: {name}}}}}'\n"
        );
        let mut kselect = Kselect::new(["check", "--only=dangling-reference", "-R", "-f", "."])
            .file("base/kustomization.yaml", "resources: [a.yaml]\n")
            .file(
                "base/a.yaml",
                "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: base}\n",
            )
            .file("o/kustomization.yaml", overlay)
            .file("o/a.yaml", format!("{route}---\n{service}"));
        String::from_utf8_lossy(&kselect.run().stdout).lines().count()
    };
    assert_eq!([found("llm-gpu"), found("llm-arm")], [0, 1]);
}

#[test]
fn what_a_patch_names_is_judged_as_if_its_object_named_it() {
    let web = deployment("web", "web");
    let found = |patch: &str, overlay: &str| {
        let mut kselect = Kselect::new(["check", "--only=dangling-reference", "-R", "-f", ".", "--advice"])
            .file("base/kustomization.yaml", "resources: [a.yaml]\n")
            .file("base/a.yaml", &*web)
            .file("o/kustomization.yaml", format!("resources: [../base]\nconfigMapGenerator: [{{name: web-config}}]\n{overlay}"))
            .file("o/p.yaml", format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template: {{spec: {{containers: [{patch}]}}}}\n"));
        String::from_utf8_lossy(&kselect.run().stdout).replace("./", "")
    };
    let of_file = "patches: [{path: p.yaml}]\n";
    let names = |name: &str| format!("{{name: a, envFrom: [{{configMapRef: {{name: {name}}}}}]}}");
    let missing = "[dangling-reference] deployment.apps/web: spec.template.spec.containers[].envFrom[].configMapRef.name: the input has no \
                   configmap/";
    assert_eq!(found(&names("web-config"), of_file), "");
    let near = format!("o/p.yaml:5: warning {missing}web-confgi; did you mean web-config?\n");
    assert_eq!(found(&names("web-confgi"), of_file), near);
    let inline = "patches:\n- target: {kind: Deployment}\n  patch: |\n    [{op: add, path: /spec/template/spec/containers/0/envFrom, value: \
                  [{configMapRef: {name: web-confgi}}]}]\n";
    assert_eq!(found("{name: a}", inline), near.replace("o/p.yaml:5", "o/kustomization.yaml:5"));
    // Without a similar name, something else may bring it.
    assert_eq!(found(&names("other"), of_file), format!("o/p.yaml:5: advice {missing}other\n"));
}

#[test]
fn what_a_patch_names_is_looked_for_in_each_namespace_of_its_object() {
    let web = deployment("web", "web");
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template: {spec: {volumes: [{name: c, configMap: \
                 {name: web-confgi}}]}}\n";
    let check = |base: &str, of_a: &str, expected: &[&str]| {
        let base = format!("resources: [a.yaml]\nconfigMapGenerator: [{{name: web-config}}]\n{base}");
        let overlay = |namespace: &str| format!("namespace: {namespace}\nresources: [../base]\n");
        let (a, b) = (overlay("a") + of_a, overlay("b"));
        let files = [
            ("base/kustomization.yaml", &*base),
            ("base/a.yaml", &*web),
            ("base/p.yaml", patch),
            ("a/kustomization.yaml", &*a),
            ("a/p.yaml", patch),
            ("b/kustomization.yaml", &*b),
        ];
        check_files(&["--only=dangling-reference"], &files, expected);
    };
    let patches = "patches: [{path: p.yaml}]\n";
    let found = "base/p.yaml:5: warning [dangling-reference] deployment.apps/web: spec.template.spec.volumes[].configMap.name: the input \
                 has no configmap/web-confgi; did you mean web-config?";
    check(patches, "", &[found]);
    // That of one overlay is for one of the namespaces.
    check("", patches, &[]);
}

#[test]
fn what_a_cluster_scoped_object_names_is_looked_for_in_all_namespaces() {
    let issuer = "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: prod}\nspec:\n  ca: {secretName: ca-pari}\n---\n";
    let secret = |name: &str, namespace: &str| {
        format!("{{apiVersion: v1, kind: Secret, metadata: {{name: {name}, namespace: {namespace}}}}}\n---\n")
    };
    let found = "5: warning [dangling-reference] clusterissuer.cert-manager.io/prod: spec.ca.secretName: the input has no secret/ca-pari; did \
                 you mean ca-pair?";
    let check = |input: &str, expected: &[&str]| {
        check_with(&["--only=dangling-reference"], &format!("{issuer}{input}"), expected);
    };
    check(&secret("ca-pair", "certs"), &[found]);
    check(&(secret("ca-pair", "certs") + &secret("ca-pari", "other")), &[]);
    check(&secret("other", "certs"), &[]);
    let certificate = "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c, namespace: other}, spec: {secretName: NAME}}\n";
    check(&(secret("ca-pair", "certs") + &certificate.replace("NAME", "ca-pari")), &[]);
    check(&certificate.replace("NAME", "ca-pair"), &[found]);
    // Only what the field is called says what it means.
    let engine = "apiVersion: example.com/v1\nkind: Engine\nmetadata: {name: e}\nspec: {serviceAccountName: robto}\n---\n\
                  {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: engines.example.com}, spec: {group: \
                  example.com, scope: Cluster, names: {kind: Engine, plural: engines}, versions: [{name: v1, served: true, storage: true, schema: \
                  {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}\n---\n";
    let account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: lab}}\n";
    let found = "4: warning [dangling-reference] engine.example.com/e: spec.serviceAccountName: the input has no serviceaccount/robto; did \
                 you mean robot?";
    check_with(&["--only=dangling-reference"], &format!("{engine}{account}"), &[found]);
    check_with(
        &["--only=dangling-reference"],
        &format!("{engine}{}", account.replace("robot", "robto")),
        &[],
    );
}

#[test]
fn what_objects_of_several_units_name_comes_from_elsewhere() {
    let route = |name: &str, own: &str, of_all: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: {name}}}, spec: {{rules: [{{http: {{paths: \
             [{{pathType: Prefix, path: /, backend: {{service: {{name: {own}, port: {{number: 80}}}}}}}}, {{pathType: Prefix, path: /a, \
             backend: {{service: {{name: {of_all}, port: {{number: 80}}}}}}}}]}}}}]}}}}\n---\n{{apiVersion: v1, kind: Service, metadata: \
             {{name: {own}}}, spec: {{ports: [{{port: 80}}]}}}}\n---\n{{apiVersion: v1, kind: Service, metadata: {{name: {own}-b}}, \
             spec: {{ports: [{{port: 80}}]}}}}\n---\n{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: {name}-b}}, \
             spec: {{defaultBackend: {{service: {{name: {own}-b, port: {{number: 80}}}}}}}}}}\n"
        )
    };
    let lines = |second: &str| {
        let mut kselect = Kselect::new(["check", "--only=dangling-reference", "-R", "-f", "."])
            .file("a/a.yaml", route("a", "web", "web-proxy"))
            .file("b/b.yaml", route(second, "api", "web-proxy"));
        String::from_utf8_lossy(&kselect.run().stdout).into_owned()
    };
    assert_eq!(lines("b"), "");
    // A copy of the object says nothing else.
    assert!(lines("a").contains("a/a.yaml:1: warning [dangling-reference]"), "{}", lines("a"));
}

#[test]
fn a_value_that_a_patch_sets_is_advice() {
    let web = deployment("web", "web").replace(
        "image: a",
        "image: a, envFrom: [{secretRef: {name: IN_OVERLAY}}], ports: [{containerPort: 99999}]",
    );
    let files = |patch| {
        [
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", &*web),
            ("o/kustomization.yaml", patch),
        ]
    };
    let found = |files: &[(&str, &str)]| {
        let args = ["check", "--only=invalid-value", "-R", "-f", ".", "--advice"];
        let mut kselect =
            files.iter().fold(Kselect::new(args), |kselect, (path, text)| kselect.file(path, text));
        let stdout = String::from_utf8_lossy(&kselect.run().stdout).into_owned();
        ["secretRef", "containerPort"].map(|field| {
            let line = stdout.lines().find(|line| line.contains(field)).unwrap_or_default();
            line.split(' ').nth(1).unwrap_or_default().to_owned()
        })
    };
    let partial = "resources: [../base]\npatches:\n- patch: |\n    {kind: Deployment, apiVersion: apps/v1, metadata: {name: web}, spec: \
                   {template: {spec: {containers: [{name: a, envFrom: [{secretRef: {name: real}}]}]}}}}\n";
    assert_eq!(found(&files(partial)), ["advice", "error"]);
    let operation = "resources: [../base]\npatches:\n- target: {kind: Deployment, name: web}\n  patch: |\n    \
                     [{op: replace, path: /spec/template/spec/containers/0/ports/0/containerPort, value: 80}]\n";
    assert_eq!(found(&files(operation)), ["error", "advice"]);
    assert_eq!(found(&files("resources: [../base]\n")), ["error", "error"]);
    // By the name that the base gives.
    let built = [("base/kustomization.yaml", "namePrefix: k-\nresources: [a.yaml]\n")];
    let by_name = operation.replace("name: web", "name: k-web");
    assert_eq!(found(&[&built[..], &files(&by_name)[1..]].concat()), ["error", "advice"]);
}

#[test]
fn what_other_units_have_tells_a_misspelt_reference() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
    let pod = |map: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, image: x, envFrom: [{{configMapRef: {{name: {map}}}}}]}}]}}\n"
        )
    };
    let misspelt = "a/pod.yaml:4: warning [dangling-reference] pod/p: spec.containers[].envFrom[].configMapRef.name: the input has no \
                    configmap/setting (c/cm.yaml:1); did you mean settings?";
    // A component that two namespaces list is in both.
    let files = [
        ("c/kustomization.yaml", "kind: Component\nresources: [cm.yaml]\n"),
        ("c/cm.yaml", map),
        ("a/kustomization.yaml", "namespace: a\nresources: [pod.yaml]\ncomponents: [../c]\n"),
        ("a/pod.yaml", &*pod("setting")),
        ("b/kustomization.yaml", "namespace: b\ncomponents: [../c]\n"),
    ];
    check_files(&[], &files, &[misspelt]);
    // What names an object where it was before a kustomization moved it.
    let binding = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager, namespace: system}\n---\napiVersion: \
                   rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: system}\nroleRef: {apiGroup: \
                   rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects: [{kind: ServiceAccount, name: managr, namespace: system}]\n";
    let moved = "o/b.yaml:9: warning [dangling-reference] rolebinding.rbac.authorization.k8s.io/b: subjects[].name: the input has no \
                 serviceaccount/managr; did you mean manager?";
    let files = [("o/kustomization.yaml", "namespace: sys\nresources: [b.yaml]\n"), ("o/b.yaml", binding)];
    check_files(&[], &files, &[moved]);
    // Argo CD's own names are known, and not all that begin like them.
    let argo = pod("argocd-cmm").replace("{name: p}", "{name: p, namespace: argocd}");
    let argo =
        format!("{argo}---\n{map}").replace("{name: settings}", "{name: argocd-cm, namespace: argocd}");
    check(
        &argo,
        &[
            "4: warning [dangling-reference] pod/p: spec.containers[].envFrom[].configMapRef.name: the input has no configmap/argocd-cmm; did you mean argocd-cm?",
        ],
    );
    // A base that an overlay lists has objects of the kind.
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: prom-sa}\n";
    let user = "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {serviceAccountName: prometheus-sa, containers: [{name: c, image: x}]}\n";
    let files = [
        ("base/kustomization.yaml", "resources: [sa.yaml]\n"),
        ("base/sa.yaml", account),
        ("o/kustomization.yaml", "resources: [../base, pod.yaml]\n"),
        ("o/pod.yaml", user),
        ("o2/kustomization.yaml", "resources: [../base]\n"),
    ];
    let lost = "o/pod.yaml:4: advice [dangling-reference] pod/q: spec.serviceAccountName: the input has no serviceaccount/prometheus-sa";
    check_files(&["--advice", "--disable=missing-labels"], &files, &[lost]);
    // What a Certificate makes is called as it says, and not as the Certificate.
    let certificate = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web-cert, namespace: shop}\nspec: {secretName: web-crt, \
                       issuerRef: {name: i}, dnsNames: [a.b]}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: \
                       {containers: [{name: c, image: x}], volumes: [{name: v, secret: {secretName: web-cert}}]}\n";
    check(
        certificate,
        &[
            "9: warning [dangling-reference] pod/p: spec.volumes[].secret.secretName: the input has no secret/web-cert; did you mean web-crt?",
        ],
    );
}

#[test]
fn what_selects_everything_is_no_evidence_and_a_near_label_is() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {ex.io/part: ui}}\nspec: {containers: [{name: c, image: x}]}\n---\n";
    let policy = |name: &str, selector: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: {name}}}, spec: {{podSelector: {selector}}}}}\n---\n"
        )
    };
    let others = ["a", "b", "c"].map(|name| policy(name, "{}")).concat();
    let files =
        [("pod.yaml", pod), ("policies.yaml", &*(policy("p", "{matchLabels: {app: driver}}") + &others))];
    check_files(&[], &files, &[]);
    // An operator may make pods with the labels of its group, but seldom with nearly those that there are.
    let definition = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.ex.io}, spec: {}}\n---\n";
    let service = "{apiVersion: v1, kind: Service, metadata: {name: p}, spec: {selector: {ex.io/part: uii}, ports: [{port: 80}]}}\n";
    let found = "8: warning [dangling-service] service/p: no pod of the input has the labels ex.io/part=uii; did you mean ex.io/part=ui?";
    check_with(&["--only=dangling-service"], &[pod, definition, service].concat(), &[found]);
}

#[test]
fn a_file_beside_a_kustomization_that_lists_no_file_is_not_applied_by_it() {
    let set = |name: &str| deployment(name, "app");
    let files = |listed: &str| {
        [
            ("o/kustomization.yaml".to_owned(), format!("resources: [{listed}]\n")),
            ("o/a.yaml".to_owned(), set("a")),
            ("o/b.yaml".to_owned(), set("b")),
            ("base/kustomization.yaml".to_owned(), "resources: [c.yaml]\n".to_owned()),
            ("base/c.yaml".to_owned(), deployment("c", "c")),
        ]
    };
    let check = |listed: &str, expected: &[&str]| {
        let files = files(listed);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        check_files(&["--only=overlapping-controllers"], &files, expected);
    };
    check("../base", &[]);
    let found = "o/b.yaml:1: warning [overlapping-controllers] deployment.apps/b: the pods are also matched by the selector app=app of \
                 deployment.apps/a (o/a.yaml:1)";
    check("../base, a.yaml, b.yaml", &[found]);
}

#[test]
fn ports_are_judged_as_patches_make_them() {
    let objects = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}\n---\n\
                   {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {defaultBackend: {service: {name: web, port: \
                   {number: 81}}}}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n";
    let found = |fields: &str| {
        let mut kselect = Kselect::new(["check", "--only=dangling-port", "-R", "-f", ".", "--advice"])
            .file("kustomization.yaml", format!("resources: [all.yaml]\n{fields}"))
            .file("all.yaml", objects);
        let stdout = String::from_utf8_lossy(&kselect.run().stdout).into_owned();
        stdout.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let of = |kind: &str, path: &str, value: &str| {
        format!(
            "patches: [{{target: {{kind: {kind}}}, patch: '[{{op: replace, path: {path}, value: {value}}}]'}}]\n"
        )
    };
    assert_eq!(found(""), "warning");
    assert_eq!(found(&of("Service", "/spec/ports/0/port", "82")), "warning");
    assert_eq!(found(&of("Service", "/spec/ports/0/port", "81")), "");
    assert_eq!(found(&of("Ingress", "/spec/defaultBackend/service/port/number", "80")), "");
    assert_eq!(found(&of("Ingress", "/spec/ingressClassName", "a")), "warning");
    assert_eq!(found(&of("'Conf.*'", "/data", "{}")), "warning");
    let replace = |kind: &str| {
        format!(
            "replacements: [{{source: {{kind: ConfigMap}}, targets: [{{select: {{kind: {kind}}}, fieldPaths: [spec.ports.0.port]}}]}}]\n"
        )
    };
    assert_eq!(found(&replace("Service")), "advice");
    assert_eq!(found(&replace("ConfigMap")), "warning");
    assert_eq!(found("patches: [{path: lost.yaml}]\n"), "advice");
    assert_eq!(found("helmCharts: [{name: a}]\n"), "advice");
}

#[test]
fn kustomize_writes_strings_for_what_only_older_yaml_takes_as_booleans() {
    let config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: on\n  b: No\n  c: True\n  d: 1\n";
    let found = |rest: &[(&str, &str)]| {
        let args = ["check", "--only=wrong-type", "-R", "-f", ".", "--advice"];
        let kselect = Kselect::new(args).file("a.yaml", config);
        let mut kselect = rest.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text));
        let stdout = String::from_utf8_lossy(&kselect.run().stdout).into_owned();
        stdout.lines().filter_map(|line| Some(line.split(' ').nth(1)?.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), ["error", "error", "error", "error"]);
    assert_eq!(
        found(&[("kustomization.yaml", "resources: [a.yaml]\n")]),
        ["advice", "advice", "error", "error"]
    );
}

#[test]
fn what_a_kustomization_with_a_prefix_lists_is_judged_with_what_it_lists_itself() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n";
    let lost = "base/net/service.yaml:1: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you \
                mean app=web?";
    let found = |fields: &str, expected: &[&str]| {
        let base = format!("{{resources: [net, web.yaml]{fields}}}\n");
        let files = [
            ("base/kustomization.yaml", &*base),
            ("base/web.yaml", &deployment("web", "web")),
            ("base/net/kustomization.yaml", "resources: [service.yaml]\n"),
            ("base/net/service.yaml", service),
        ];
        check_files(&[], &files, expected);
    };
    found("", &[lost]);
    found(", namePrefix: a-", &[lost]);
    found(", nameSuffix: -a", &[lost]);
}

#[test]
fn another_overlay_of_what_is_named_hides_no_misspelt_name() {
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager}\n";
    let overlay = |name: &str, bases: &str| {
        format!("{{namePrefix: {name}-, namespace: {name}, resources: [{bases}]}}\n")
    };
    let files = [
        ("rbac/kustomization.yaml", "resources: [account.yaml]\n"),
        ("rbac/account.yaml", account),
        ("manager/kustomization.yaml", "resources: [pod.yaml]\n"),
        (
            "manager/pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {serviceAccountName: manger}\n",
        ),
        ("one/kustomization.yaml", &overlay("one", "../rbac, ../manager")),
        ("two/kustomization.yaml", &overlay("two", "../rbac")),
    ];
    let found = "manager/pod.yaml:4: warning [dangling-reference] pod/p: spec.serviceAccountName: the input has no \
                 serviceaccount/manger (rbac/account.yaml:1); did you mean manager?";
    check_files(&["--only=dangling-reference"], &files, &[found]);
}

#[test]
fn a_prefix_in_one_base_hides_nothing_from_what_is_built_beside_it() {
    let found = |base: &str, beside: &str, expected: &[&str]| {
        let files = [
            ("top/kustomization.yaml", "resources: [../base, ../beside]\n"),
            ("base/kustomization.yaml", "{namePrefix: a-, resources: [web.yaml]}\n"),
            ("base/web.yaml", base),
            ("beside/kustomization.yaml", "resources: [it.yaml]\n"),
            ("beside/it.yaml", beside),
        ];
        check_files(&[], &files, expected);
    };
    let service = |app: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, labels: {{app: web}}}}, spec: {{selector: {{app: {app}}}, ports: \
             [{{name: http, port: 80}}]}}}}\n"
        )
    };
    let monitor = |app: &str, port: &str| {
        format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: web}}, spec: {{selector: {{matchLabels: \
             {{app: {app}}}}}, endpoints: [{{port: {port}}}]}}}}\n"
        )
    };
    let beside = |rule: &str, what: &str| format!("beside/it.yaml:1: warning [{rule}] {what}");
    found(
        &deployment("web", "web"),
        &service("wbe"),
        &[&beside(
            "dangling-service",
            "service/web: no pod of the input has the labels app=wbe; did you mean app=web?",
        )],
    );
    let both = with_web(&service("web"));
    let of = "servicemonitor.monitoring.coreos.com/web: no Service";
    found(&both, &monitor("web", "http"), &[]);
    found(
        &both,
        &monitor("wbe", "http"),
        &[&beside(
            "dangling-monitor",
            &format!("{of} of the input has the labels app=wbe; did you mean app=web?"),
        )],
    );
    found(
        &both,
        &monitor("web", "htp"),
        &[&beside(
            "dangling-port",
            &format!("{of} that it selects has a port named htp; did you mean http?"),
        )],
    );
}

#[test]
fn what_an_application_applies_is_judged_together_also_in_a_namespace_that_is_not_known() {
    for namespace in ["shop", "'{{ns}}'", "'${NS}'"] {
        let application = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\nspec: {{destination: {{namespace: \
             {namespace}}}, source: {{repoURL: r, path: apps/web, directory: {{recurse: true}}}}}}\n"
        );
        let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n";
        let files = [
            ("app.yaml", &*application),
            ("apps/web/svc.yaml", service),
            ("apps/web/x/web.yaml", &deployment("web", "web")),
        ];
        let lost = "apps/web/svc.yaml:1: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did \
                    you mean app=web?";
        check_files(&["--only=dangling-service"], &files, &[lost]);
    }
}

#[test]
fn a_name_that_must_agree_with_what_a_part_of_an_object_lacks_is_not_judged() {
    let part = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.a.io, annotations: {a: b}}\n";
    let whole = format!(
        "{part}spec: {{group: a.io, version: v1, groupPriorityMinimum: 1, versionPriority: 1, service: {{name: a, namespace: a}}}}\n"
    );
    let found = |text: &str| {
        let mut kselect = Kselect::new(["check", "--only=invalid-value", "-R", "-f", "."])
            .file("kustomization.yaml", "resources: [a.yaml]\n")
            .file("a.yaml", &*whole)
            .file("patch.yaml", text);
        String::from_utf8_lossy(&kselect.run().stdout).into_owned()
    };
    assert_eq!(found(part), "");
    let other = found(&whole.replace("name: v1.a.io", "name: v2.a.io"));
    assert!(
        other.contains("metadata.name: Invalid value: must be `spec.version+\".\"+spec.group`"),
        "{other}"
    );
}

/// Definitions of two kinds: one that requires two fields, one of which is a list whose items require one, and a Deployment's.
const REQUIRING: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.shop.io}\nspec:\n  \
    group: shop.io\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions:\n  - name: v1\n    served: true\n    \
    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size, parts], properties: \
    {size: {type: string}, color: {type: string}, parts: {type: array, items: {type: object, required: [name], properties: \
    {name: {type: string}, url: {type: string}}}}}}}}}\n";

#[test]
fn the_project_of_an_application_is_where_argo_cd_is_installed() {
    let object = |kind, place: &str, spec| {
        format!(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: {kind}\nmetadata: {{name: {place}}}\nspec: {spec}\n"
        )
    };
    let project = object("AppProject", "apps, namespace: argocd", "{}");
    let application = object("Application", "a, namespace: team", "{project: apps}");
    check(&format!("{project}{application}"), &[]);
    // Argo CD looks in the namespace that has projects.
    let other = object("AppProject", "other, namespace: team", "{}");
    check(
        &format!("{project}{application}{other}"),
        &[
            "10: warning [dangling-reference] application.argoproj.io/a: spec.project: appproject.argoproj.io/apps is in \
           namespace argocd, not in team",
        ],
    );
    // One without a namespace is beside them, wherever they are.
    let misspelt = "a.yaml:5: warning [dangling-reference] application.argoproj.io/a: spec.project: the input has no \
                    appproject.argoproj.io/appz; did you mean apps?";
    let find = |place: &str, project: &str, expected: &[&str]| {
        let application = object("Application", place, "{project: appz}");
        check_files(&[], &[("a.yaml", &application), ("p.yaml", project)], expected);
    };
    find("a", &project, &[misspelt]);
    find("a", &other, &[]);
    find("a, namespace: team", &project, &[]);
}

#[test]
fn a_misspelt_target_namespace_of_a_flux_kustomization_is_found() {
    let flux = |namespace: &str, more: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: flux-system}}\n\
             spec:\n  path: ./app\n  targetNamespace: {namespace}\n{more}"
        )
    };
    let check = |flux: &str, expected: &[&str]| {
        let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: media}\n";
        check_files(
            &[],
            &[("app/a.yaml", config_map), ("flux/n.yaml", namespace), ("flux/ks.yaml", flux)],
            expected,
        );
    };
    let found = "flux/ks.yaml:6: warning [dangling-reference] kustomization.kustomize.toolkit.fluxcd.io/a: spec.targetNamespace: the \
                 input has no namespace/medai; did you mean media?";
    check(&flux("medai", ""), &[found]);
    check(&flux("medai", "  kubeConfig: {secretRef: {name: b}}\n"), &[]);
    for there in ["media", "flux-system", "${NS}", "elsewhere"] {
        check(&flux(there, ""), &[]);
    }
}

#[test]
fn a_webhook_or_a_policy_may_set_what_is_missing_when_an_object_is_created() {
    const RULE: &str =
        "{apiGroups: [a.b, shop.io], apiVersions: [v1], operations: [CREATE], resources: [widgets]}";
    let webhook = |rule: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {{name: m}}\n\
             webhooks: [{{name: a.b.c}}, {{name: b.b.c, rules: [{rule}]}}]\n"
        )
    };
    let check = |by: &str, expected: &str| {
        let widget = "apiVersion: shop.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: s}\n";
        let kselect =
            Kselect::new(["check", "-q", "--advice", "--only=missing-field", "widgets", "-R", "-f", "."])
                .file("crd.yaml", REQUIRING)
                .file("a.yaml", widget);
        let found = kselect.file("by.yaml", by).run().stdout;
        let found = String::from_utf8_lossy(&found).replace("[missing-field] widget.shop.io/a: ", "");
        assert_eq!(found.trim_end(), format!("./a.yaml:4: {expected}"), "{by}");
    };
    let advice = "advice spec.parts: Required value; mutatingwebhookconfiguration.admissionregistration.k8s.io/m at \
                  ./by.yaml:1 may set it";
    check(&webhook(RULE), advice);
    check(&webhook(RULE).replace("[widgets]", "['*/*']").replace("shop.io", "'*'"), advice);
    let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\n\
                  spec: {matchConstraints: {resourceRules: [RULE]}}\n";
    check(&policy.replace("RULE", RULE), &advice.replace("webhookconfiguration", "admissionpolicy"));
    for (from, to) in [
        ("Mutating", "Validating"),
        ("CREATE", "UPDATE"),
        ("shop.io", "shop.com"),
        ("widgets", "gadgets"),
        ("widgets", "widgets/status"),
    ] {
        check(&webhook(RULE).replace(from, to), "error spec.parts: Required value");
    }
}

/// The fields that are missing in files, and the last line.
fn missing(files: &[(&str, &str)]) -> (String, String) {
    let kselect =
        Kselect::new(["check", "--only=missing-field", "-R", "-f", "."]).file("crd.yaml", REQUIRING);
    let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    (
        text(&output.stdout).replace("./", ""),
        text(&output.stderr).lines().last().unwrap_or_default().to_owned(),
    )
}

#[test]
fn a_listed_custom_resource_that_nothing_patches_is_whole() {
    let widget =
        ("a/widget.yaml", "apiVersion: shop.io/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: s}\n");
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f}\nspec: {path: a}\n";
    let check = |kustomization: &str, flux: &str| {
        missing(&[widget, ("a/kustomization.yaml", kustomization), ("flux.yaml", flux)])
    };
    let found = "a/widget.yaml:4: error [missing-field] widget.shop.io/a: spec.parts: Required value";
    assert_eq!(check("resources: [widget.yaml]\n", flux).0, found);
    let patch = "resources: [widget.yaml]\npatches: [{patch: '[]', target: {kind: Widget}}]\n";
    for (kustomization, flux) in [(patch, flux), ("resources: []\n", flux)] {
        assert!(check(kustomization, flux).1.contains(", 1 field that a patch lacks"));
    }
    // A base of another repository.
    let (found, last) = check("resources: [widget.yaml]\n", "");
    assert!(found.is_empty() && last.contains("1 piece of advice"), "{last}");
}

#[test]
fn so_is_a_listed_object_of_a_built_in_kind() {
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: \
                   rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects: [{kind: ServiceAccount, name: a}]\n";
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f}\nspec: {path: a}\n";
    let check = |kustomization: &str| {
        missing(&[("a/b.yaml", binding), ("a/kustomization.yaml", kustomization), ("flux.yaml", flux)])
    };
    let found = "a/b.yaml:5: error [missing-field] clusterrolebinding.rbac.authorization.k8s.io/b: subjects[0].namespace: Required value";
    assert_eq!(check("resources: [b.yaml]\n").0, found);
    // kustomize sets that of accounts that it builds.
    let (found, last) = check("namespace: x\nresources: [b.yaml]\n");
    assert!(found.is_empty() && last.contains("1 piece of advice"), "{last}");
    let (found, last) =
        check("resources: [b.yaml]\npatches: [{patch: '[]', target: {kind: ClusterRoleBinding}}]\n");
    assert!(found.is_empty() && last.contains("1 field that a patch lacks"), "{last}");
}

#[test]
fn an_object_with_nothing_that_is_required_is_a_part_of_one_of_its_name() {
    let widget =
        |spec: &str| format!("apiVersion: shop.io/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n");
    let whole = widget("{size: s, parts: []}").replace("name: a", "name: a, namespace: b");
    let of = |whole: &str, part: &str| missing(&[("a.yaml", whole), ("local/a.yaml", &widget(part))]);
    let (found, last) = of(&whole, "{color: red}");
    assert_eq!(found, "");
    assert!(last.ends_with("left out: 2 fields that patches lack"), "{last}");
    // What has one of them is complete but for the other.
    let lacks = |field: &str| {
        format!("local/a.yaml:4: error [missing-field] widget.shop.io/a: spec.{field}: Required value")
    };
    assert_eq!(of(&whole, "{size: s}").0, lacks("parts"));
    // So is what is alone, or in another namespace.
    let both = format!("{}\n{}", lacks("size"), lacks("parts"));
    assert_eq!(of(&whole.replace("name: a", "name: b"), "{color: red}").0, both);
    let part = whole.replace("size: s, parts: []", "color: red").replace("namespace: b", "namespace: c");
    assert_eq!(missing(&[("a.yaml", &whole), ("local/a.yaml", &part)]).0, both);
    // Two parts make no whole.
    assert!(of(&widget("{}"), "{color: red}").0.ends_with(&both));
}

#[test]
fn an_object_below_a_kustomization_with_what_its_kind_requires_is_judged_for_what_items_lack() {
    let found = |spec: &str| {
        let widget = format!("apiVersion: shop.io/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n");
        missing(&[("kustomization.yaml", "resources: [crd.yaml]\n"), ("samples/a.yaml", &widget)]).0
    };
    let line = "samples/a.yaml:4: error [missing-field] widget.shop.io/a: spec.parts[0].name: Required value";
    assert_eq!(found("{size: s, parts: [{url: b}]}"), line);
    for part in ["{color: red}", "{size: s}", "{parts: [{url: b}]}"] {
        assert_eq!(found(part), "");
    }
}

#[test]
fn keys_of_values_of_a_release_are_looked_up() {
    let release = |more: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{values.yaml: ''}}\n---\n\
             apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  valuesFrom:\n  \
             - {{kind: Secret, name: s, valuesKey: vals.yaml{more}}}\n"
        )
    };
    let found = "11: warning [dangling-key] helmrelease.helm.toolkit.fluxcd.io/a: spec.valuesFrom[].valuesKey: secret/s has no key \
                 vals.yaml (STDIN:1); did you mean values.yaml?";
    check(&release(""), &[found]);
    check(&release(", optional: true"), &[]);
    // So are those in the values, as far as the fields are called like those of pods, and in any custom resource.
    let values = |key: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{token: ''}}\n---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: \
             HelmRelease\nmetadata: {{name: a}}\nspec: {{values: {{env: {{T: {{valueFrom: {{secretKeyRef: {{name: s, key: {key}}}}}}}}}}}}}\n"
        )
    };
    let found = "9: warning [dangling-key] helmrelease.helm.toolkit.fluxcd.io/a: spec.values.env.T.valueFrom.secretKeyRef.key: secret/s has \
                 no key tokn (STDIN:1); did you mean token?";
    check(&values("tokn"), &[found]);
    check(&values("token"), &[]);
}

#[test]
fn replacements_in_a_file_of_the_input_open_what_they_may_change_alone() {
    let found = |kind: &str| {
        let objects = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sync}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: \
                       a}\nspec: {serviceAccountName: synk, containers: [{name: a, image: 'a:1'}]}\n";
        let replacement = format!(
            "- source: {{kind: Namespace, fieldPath: metadata.name}}\n  targets: [{{select: {{kind: {kind}}}, fieldPaths: \
             [spec.serviceAccountName]}}]\n"
        );
        let mut kselect = Kselect::new(["check", "--only=dangling-reference", "-R", "-f", "."])
            .file("all.yaml", objects)
            .file("r.yaml", replacement)
            .file("kustomization.yaml", "resources: [all.yaml]\nreplacements: [{path: r.yaml}]\n");
        String::from_utf8_lossy(&kselect.run().stdout).contains("did you mean sync?")
    };
    assert!(found("Deployment") && !found("Pod"));
}

#[test]
fn unknown_fields_of_patches_of_custom_resources_are_found() {
    let found = |spec: &str| {
        let patch = format!("apiVersion: shop.io/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n");
        let mut kselect = Kselect::new(["check", "-R", "-f", "."])
            .file("crd.yaml", REQUIRING)
            .file("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n")
            .file("a.yaml", patch.replace(spec, "{size: s, parts: []}"))
            .file("p.yaml", patch);
        String::from_utf8_lossy(&kselect.run().stdout).replace("./", "")
    };
    // The types of what it says are those of the object only once it is merged.
    assert_eq!(found("{size: null, parts: [{$patch: delete}], color: 1}"), "");
    let unknown = "p.yaml:4: error [unknown-field] widget.shop.io/a: strict decoding error: unknown field \"spec.colr\"; did you mean color?\n";
    assert_eq!(found("{colr: red}"), unknown);
}

#[test]
fn what_a_patch_of_a_flux_kustomization_gives_is_not_missing() {
    let found = |target: &str, ports: &str| {
        let apps = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec:\n  path: ./apps\n  \
                    sourceRef: {kind: GitRepository, name: all}\n  patches:\n";
        let patch = format!(
            "  - target: {{kind: {target}}}\n    patch: '{{spec: {{ports: [{{port: 80}}], sessionAffinity: None}}}}'\n"
        );
        let mut kselect = Kselect::new(["check", "--only=missing-field,invalid-value", "-R", "-f", "."])
            .file("apps.yaml", format!("{apps}{patch}"))
            .file(
                "apps/a.yaml",
                format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {ports}\n"),
            );
        kselect.run().status.code()
    };
    for ports in ["{}", "{ports: [{port: 80}], sessionAffinity: IN_PATCH}"] {
        assert_eq!(
            ["Service", "Deployment"].map(|target| found(target, ports)),
            [Some(0), Some(1)],
            "{ports}"
        );
    }
}

#[test]
fn what_a_build_renames_or_labels_apart_is_neither_repeated_nor_overlapping() {
    let (web, again) = (deployment("web", "web"), deployment("again", "web"));
    let root = ("kustomization.yaml", "resources: [a, b]\n");
    let files = |a, b| [root, ("a/kustomization.yaml", a), ("b/kustomization.yaml", b), ("a/w.yaml", &*web)];
    let renamed = files("{resources: [w.yaml], namePrefix: a-}", "{resources: [w.yaml], namePrefix: b-}");
    check_files(&[], &[&renamed[..], &[("b/w.yaml", &*web)]].concat(), &[]);
    let labelled =
        files("{resources: [w.yaml], commonLabels: {of: a}}", "{resources: [w.yaml], commonLabels: {of: b}}");
    check_files(&[], &[&labelled[..], &[("b/w.yaml", &*again)]].concat(), &[]);
    let plain = files("resources: [w.yaml]", "resources: [w.yaml]");
    let found = "b/w.yaml:1: warning [overlapping-controllers] deployment.apps/again: the pods are also matched by the selector \
                 app=web of deployment.apps/web (a/w.yaml:1)";
    check_files(&[], &[&plain[..], &[("b/w.yaml", &*again)]].concat(), &[found]);
}

#[test]
fn an_operator_makes_the_pods_beside_its_resource() {
    let policy = "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec:
  podSelector: {matchLabels: {app: database}}
";
    let found = "7: warning [dangling-policy] networkpolicy.networking.k8s.io/np: no pod of the input has the labels app=database";
    check(&with_web(policy), &[found]);
    for kind in [
        "apiVersion: example.com/v1, kind: Engine",
        "apiVersion: ceph.rook.io/v1, kind: CephCluster",
        "apiVersion: k8s.mariadb.com/v1alpha1, kind: MariaDB",
    ] {
        let resource = format!("---\n{{{kind}, metadata: {{name: main}}, spec: {{size: 3}}}}\n");
        check(&with_web(&format!("{policy}{resource}")), &[]);
    }
}

#[test]
fn a_binding_may_name_the_policy_as_a_kustomization_does() {
    let policy = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: v}, spec: {matchConstraints: \
                  {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: 'true'}]}}\n";
    let binding = |name: &str| {
        format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {{name: v}}, spec: {{policyName: {name}, \
             validationActions: [Deny]}}}}\n"
        )
    };
    let overlay = "{namePrefix: op-, resources: [../base, binding.yaml]}\n";
    let check_with = |name: &str, built: &str, expected: &[&str]| {
        let files = [
            ("base/kustomization.yaml", "resources: [policy.yaml]\n"),
            ("base/policy.yaml", policy),
            ("dist/built.yaml", built),
            ("overlay/binding.yaml", &binding(name)),
            ("overlay/kustomization.yaml", overlay),
        ];
        check_files(&["--only=unbound-policy"], &files, expected);
    };
    let check = |name: &str, expected: &[&str]| check_with(name, "", expected);
    check("op-v", &[]);
    // Also where what is built lies in another file.
    check_with("op-v", &policy.replace("name: v}", "name: op-v}"), &[]);
    let unbound = "base/policy.yaml:1: warning [unbound-policy] validatingadmissionpolicy.admissionregistration.k8s.io/v: no \
                   ValidatingAdmissionPolicyBinding uses the policy, so it has no effect; v names \"ap-v\", which is not there";
    check("ap-v", &[unbound.split("; v names").next().unwrap_or_default()]);
}

#[test]
fn budgets_and_policies_that_cover_no_pod_are_found() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec:\n  \
                  selector: {matchLabels: {app: x}}\n";
    check(
        &with_web(budget),
        &[
            "7: warning [dangling-budget] poddisruptionbudget.policy/a: no pod of the input has the labels app=x",
        ],
    );
    check(&with_web(&budget.replace("app: x", "app: web")), &[]);
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec:\n  \
                  podSelector: {matchLabels: {app: x}}\n  ingress: [{from: [{podSelector: {matchLabels: {y: z}}}]}]\n";
    check(
        &with_web(policy),
        &[
            "7: warning [dangling-policy] networkpolicy.networking.k8s.io/a: no pod of the input has the labels \
           app=x",
        ],
    );
    check(&with_web(&policy.replace("app: x", "app: web")), &[]);
    check(&with_web(&policy.replace("{matchLabels: {app: x}}", "{}")), &[]);
    for kind in ["AuthorizationPolicy", "PeerAuthentication", "RequestAuthentication"] {
        let policy = format!(
            "apiVersion: security.istio.io/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{app: x}}}}\n"
        );
        let object = format!("{}.security.istio.io/a", kind.to_lowercase());
        let found =
            format!("7: warning [dangling-policy] {object}: no pod of the input has the labels app=x");
        check(&with_web(&policy), &[&found]);
        // Those of the root namespace are for gateways anywhere, and those of a Gateway have pods that its controller makes.
        let of_gateway = policy.replace("app: x", "gateway.networking.k8s.io/gateway-name: x");
        for other in [
            policy.replace("app: x", "app: web"),
            policy.replace("name: a", "name: a, namespace: istio-system"),
            of_gateway,
        ] {
            check(&with_web(&other), &[]);
        }
    }
    let managed = |by: &str| policy.replace("app: x", &format!("app: x, app.kubernetes.io/managed-by: {by}"));
    check(&with_web(&managed("cloudnative-pg")), &[]);
    let web = deployment("b", "b").replace("app: b", "app: b, app.kubernetes.io/managed-by: me");
    let found = "9: warning [dangling-policy] networkpolicy.networking.k8s.io/a: no pod of the input has the labels \
                 app=x,app.kubernetes.io/managed-by=me";
    check(&format!("{}---\n{}", web, with_web(&managed("me"))), &[found]);
    for kind in ["CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"] {
        let policy = format!(
            "apiVersion: cilium.io/v2\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  endpointSelector: {{matchLabels: {{k8s:app: wbe}}}}\n"
        );
        let object = format!("{}.cilium.io/a", kind.to_lowercase());
        check(
            &with_web(&policy),
            &[&format!(
                "7: warning [dangling-policy] {object}: no pod of the input has the labels app=wbe; did you mean app=web?"
            )],
        );
        for other in
            ["{k8s:app: web}", "{reserved:init: ''}", "{app: wbe, k8s:io.kubernetes.pod.namespace: a}", "{}"]
        {
            check(&with_web(&policy.replace("{k8s:app: wbe}", other)), &[]);
        }
    }
}

#[test]
fn monitors_look_for_services_or_pods_in_their_namespaces() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web, labels: {app: web}}}\n---\n";
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m}\nspec:\n  \
                   selector: {matchLabels: {app: x}}\n";
    let finding = "7: warning [dangling-monitor] servicemonitor.monitoring.coreos.com/m: no Service of the \
                   input has the labels app=x";
    check(&format!("{service}{monitor}"), &[finding]);
    check(&format!("{service}{monitor}  namespaceSelector: {{any: true}}\n"), &[finding]);
    check(&format!("{service}{monitor}  namespaceSelector: {{matchNames: [elsewhere]}}\n"), &[]);
    check(&format!("{service}{}", monitor.replace("app: x", "app: web")), &[]);
    let pods = monitor.replace("ServiceMonitor", "PodMonitor");
    check(
        &with_web(&pods),
        &[
            "7: warning [dangling-monitor] podmonitor.monitoring.coreos.com/m: no pod of the input has the labels \
           app=x",
        ],
    );
    check(&with_web(&pods.replace("app: x", "app: web")), &[]);
}

#[test]
fn an_autoscaler_needs_its_workload() {
    let autoscaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  \
                      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: wbe}\n";
    check(
        &with_web(autoscaler),
        &[
            "7: warning [dangling-autoscaler] horizontalpodautoscaler.autoscaling/a: spec.scaleTargetRef.name: the input has no \
           deployment.apps/wbe; did you mean web?",
        ],
    );
    // Without metrics, the server scales by the cpu that is requested.
    let web = deployment("web", "web").replace("image: a}", "image: a, resources: {requests: {cpu: 1}}}");
    check(&format!("{web}---\n{}", autoscaler.replace("wbe", "web")), &[]);
    check(autoscaler, &[]);
}

#[test]
fn a_reference_to_a_missing_object_is_found_if_there_are_others_of_its_kind() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n---\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  volumes:\n  - name: v\n    configMap:\n      name: setings\n";
    let found = "12: warning [dangling-reference] pod/a: spec.volumes[].configMap.name: the input has no configmap/setings; \
                 did you mean settings?";
    check(&format!("{map}{pod}"), &[found]);
    check(&format!("{map}{}", pod.replace("setings", "settings")), &[]);
    // The namespace has no such object, or none is needed.
    check(pod, &[]);
    check(&format!("{map}{}", pod.replace("name: a", "name: a, namespace: other")), &[]);
    check(&format!("{map}{pod}      optional: true\n"), &[]);
    // It exists in every namespace, the template is not filled in, or the owner creates it.
    check(&format!("{map}{}", pod.replace("setings", "kube-root-ca.crt")), &[]);
    check(&format!("{map}{}", pod.replace("setings", "'$(NAME)'")), &[]);
}

#[test]
fn secrets_that_operators_make_are_not_missing() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n---\n";
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec:\n  tls:\n  - secretName: tls\n";
    let certificate = "---\napiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c}\nspec: {secretName: tls}\n";
    let found = "10: warning [dangling-reference] ingress.networking.k8s.io/a: spec.tls[].secretName: the input has no \
                 secret/tls; did you mean tsl?";
    // Secrets are usually not stored beside the objects that name them: one is missing only if its name is misspelt or
    // others are there.
    check(&format!("{secret}{ingress}"), &[]);
    check(&format!("{}{ingress}", secret.replace("other", "tsl")), &[found]);
    check(&format!("{}{ingress}{certificate}", secret.replace("other", "tsl")), &[]);
}

#[test]
fn a_workload_must_select_its_own_pods() {
    let mismatched = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: \
                      {matchLabels: {app: a}}\n  template:\n    metadata:\n      labels: {app: b}\n    spec: {containers: []}\n";
    check(
        mismatched,
        &[
            "8: error [template-mismatch] deployment.apps/a: the selector app=a does not match the labels of the \
           pod template",
        ],
    );
    check(&mismatched.replace("app: b", "app: a, b: c"), &[]);
    check(&mismatched.replace("      labels: {app: b}\n", "").replace(" {containers: []}", ""), &[]);
}

#[test]
fn selectors_that_are_malformed_or_impossible_are_found() {
    let budget = |selector: &str| {
        let kind = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}";
        format!("{kind}\nspec:\n  selector: {selector}\n")
    };
    check(
        &budget("{matchExpressions: [{key: a, operator: in, values: [b]}]}"),
        &["5: error [invalid-selector] poddisruptionbudget.policy/a: spec.selector: not a valid label \
           selector operator"],
    );
    check(
        &budget("{matchLabels: {a: b}, matchExpressions: [{key: a, operator: DoesNotExist}]}"),
        &["4: error [impossible-selector] poddisruptionbudget.policy/a: a=b and !a exclude each other"],
    );
    check(
        &with_web(&budget(
            "{matchExpressions: [{key: app, operator: In, values: [x]}, {key: app, operator: DoesNotExist}]}",
        )),
        &[
            "6: error [impossible-selector] poddisruptionbudget.policy/a: app in (x) and !app exclude each other",
        ],
    );
    check(&budget("{matchLabels: {a: b}, matchExpressions: [{key: a, operator: Exists}]}"), &[]);
    // Values of another type are the finding about types alone.
    let terms = |values: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: a, image: a}}]\n  affinity:\n    \
             nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n        - \
             matchExpressions: [{{key: a, operator: In, values: {values}}}]\n"
        )
    };
    check(
        &terms("[]"),
        &[
            "8: error [invalid-selector] pod/a: affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: \
           nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: for 'in', 'notin' operators, values set can't be empty",
        ],
    );
    check_with(&["--only=invalid-selector"], &terms("[true]"), &[]);
}

#[test]
fn only_a_controller_judges_the_selectors_of_its_resources() {
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\nspec:\n  selector: {matchExpressions: \
                   [{key: a, operator: Is}]}\n  podMetricsEndpoints: [{port: web}]\n";
    check_with(
        &["--only=invalid-selector"],
        monitor,
        &[
            "5: warning [invalid-selector] podmonitor.monitoring.coreos.com/a: spec.selector: not a valid label selector operator",
        ],
    );
}

#[test]
fn a_server_that_does_not_serve_a_version_warns_of_nothing_else() {
    let ingress = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a, annotations: {kubernetes.io/ingress.class: b}}\n\
                   spec: {backend: {serviceName: a, servicePort: 80}}\n";
    check_with(&["--only=server-warning"], ingress, &[]);
    let served = ingress.replace("extensions/v1beta1", "networking.k8s.io/v1");
    let warned = "3: warning [server-warning] ingress.networking.k8s.io/a: annotation \"kubernetes.io/ingress.class\" is deprecated, please \
                  use 'spec.ingressClassName' instead";
    check_with(&["--only=server-warning"], &served, &[warned]);
}

#[test]
fn controllers_whose_selectors_overlap_are_found() {
    let two = format!("{}---\n{}", deployment("a", "web"), deployment("b", "web"));
    check(
        &two,
        &[
            "3: warning [overlapping-controllers] deployment.apps/b: the pods are also matched by the selector \
           app=web of deployment.apps/a (STDIN:1)",
        ],
    );
    check(&format!("{}---\n{}", deployment("a", "web"), deployment("b", "db")), &[]);
    let elsewhere = deployment("b", "web").replace("name: b", "name: b, namespace: other");
    check(&format!("{}---\n{elsewhere}", deployment("a", "web")), &[]);
    let owner = "{apiVersion: apps/v1, kind: Deployment, name: a, uid: u}";
    let owned = deployment("b", "web").replace("name: b", &format!("name: b, ownerReferences: [{owner}]"));
    check(&format!("{}---\n{}", deployment("a", "web"), owned.replacen("Deployment", "ReplicaSet", 1)), &[]);
}

#[test]
fn what_may_not_be_applied_together_is_less_bad() {
    let (a, b) = (deployment("a", "web"), deployment("b", "web"));
    let message = "deployment.apps/b: the pods are also matched by the selector app=web of deployment.apps/a";
    let warning = format!("b.yaml:1: warning [overlapping-controllers] {message} (a.yaml:1)");
    check_files(&[], &[("a.yaml", &a), ("b.yaml", &b)], &[&warning]);
    let advice = format!("x/b.yaml:1: advice [overlapping-controllers] {message} (a.yaml:1)");
    let files = [("a.yaml", &*a), ("x/b.yaml", &b)];
    check_files(&["--advice", "--disable=missing-labels"], &files, &[&advice]);
    check_files(&[], &files, &[]);
}

#[test]
fn two_budgets_over_one_pod_are_found() {
    let budget = |name: &str, app: &str| {
        format!(
            "---\n{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: {name}}}, \
             spec: {{selector: {{matchLabels: {{app: {app}}}}}}}}}\n"
        )
    };
    let workloads = format!("{}---\n{}", deployment("web", "web"), deployment("db", "db"));
    check(
        &format!("{workloads}{}{}", budget("a", "web"), budget("b", "web")),
        &[
            "7: warning [overlapping-budgets] poddisruptionbudget.policy/b: deployment.apps/web is also covered \
           by poddisruptionbudget.policy/a (STDIN:5)",
        ],
    );
    check(&format!("{workloads}{}{}", budget("a", "web"), budget("b", "db")), &[]);
}

#[test]
fn two_autoscalers_of_one_workload_are_found() {
    let scaler = |name: &str| {
        format!(
            "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}}}\nspec:\n  maxReplicas: 3\n  \
             scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\n  metrics: [{{type: Pods}}]\n"
        )
    };
    let found = "16: warning [overlapping-autoscalers] horizontalpodautoscaler.autoscaling/b: Deployment web is also scaled by \
                 horizontalpodautoscaler.autoscaling/a (STDIN:3)";
    check(&format!("{}{}{}", deployment("web", "web"), scaler("a"), scaler("b")), &[found]);
    check(&format!("{}{}", deployment("web", "web"), scaler("a")), &[]);
}

#[test]
fn a_budget_that_allows_no_eviction_is_found() {
    let budget = |field: &str| {
        with_web(&format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  {field}\n"
        ))
    };
    let found = |field: &str| {
        format!(
            "8: warning [blocking-budget] poddisruptionbudget.policy/a: {field} allows no eviction, so that nodes cannot be drained"
        )
    };
    check(&budget("maxUnavailable: 0"), &[&found("maxUnavailable")]);
    check(&budget("minAvailable: 100%"), &[&found("minAvailable")]);
    check(&budget("minAvailable: 1"), &[]);
}

#[test]
fn a_probe_of_an_unknown_port_is_found() {
    let pod = |port: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  - name: c\n    ports: [{{name: http, containerPort: 80}}]\n    \
             livenessProbe: {{httpGet: {{path: /, port: {port}}}}}\n"
        )
    };
    let found = "8: warning [dangling-probe] pod/a: livenessProbe.httpGet.port: the container c has no port named htpp; did you mean http?";
    check(&pod("htpp"), &[found]);
    check(&pod("http"), &[]);
    check(&pod("80"), &[]);
}

#[test]
fn keys_that_a_config_map_or_a_secret_lacks_are_found() {
    let maps =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {host: a}, binaryData: {logo: YQ==}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: a}}
---
{apiVersion: v1, kind: Secret, metadata: {name: t}, type: kubernetes.io/service-account-token}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: e}}
---
";
    let pod = "apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: c
    image: i
    env:
    - {name: A, valueFrom: {configMapKeyRef: {name: c, key: hots}}}
    - {name: B, valueFrom: {secretKeyRef: {name: s, key: token}}}
    - {name: C, valueFrom: {secretKeyRef: {name: t, key: token}}}
    - {name: D, valueFrom: {configMapKeyRef: {name: c, key: port, optional: true}}}
    - {name: E, valueFrom: {configMapKeyRef: {name: e, key: a}}}
  volumes:
  - name: v
    configMap:
      name: c
      items:
      - {key: logo, path: a}
      - {key: lgo, path: b}
  - name: w
    projected:
      sources:
      - secret: {name: s, items: [{key: passwrd, path: a}]}
";
    let found = |line: usize, field: &str, rest: &str| {
        format!("{line}: warning [dangling-key] pod/a: spec.{field}: {rest}")
    };
    let expected = [
        found(
            17,
            "containers[].env[].valueFrom.configMapKeyRef.key",
            "configmap/c has no key hots (STDIN:1); did you mean host?",
        ),
        found(18, "containers[].env[].valueFrom.secretKeyRef.key", "secret/s has no key token (STDIN:3)"),
        found(
            28,
            "volumes[].configMap.items[].key",
            "configmap/c has no key lgo (STDIN:1); did you mean logo?",
        ),
        found(
            32,
            "volumes[].projected.sources[].secret.items[].key",
            "secret/s has no key passwrd (STDIN:3); did you mean password?",
        ),
    ];
    let all = format!("{maps}{pod}");
    check(&all, &expected.each_ref().map(String::as_str));
    let right = all.replace("hots", "host").replace("key: token", "key: password").replace("lgo", "logo");
    check(&right.replace("passwrd", "password"), &[]);
    // The keys of generators are known, and so are their names.
    let kustomization = "resources: [pod.yaml]
configMapGenerator:
- {name: c, literals: [host=a], files: [files/logo, lgo=files/logo]}
secretGenerator:
- {name: s, envs: [secret.env]}
- {name: t, literals: [token=a]}
- {name: u, literals: [token=a]}
";
    let found = "pod.yaml:9: warning [dangling-key] pod/a: spec.containers[].env[].valueFrom.configMapKeyRef.key: configmap/c has no key hots \
                 (kustomization.yaml:1); did you mean host?";
    let files =
        [("kustomization.yaml", kustomization), ("pod.yaml", pod), ("files/logo", ""), ("secret.env", "")];
    check_files(&[], &files, &[found]);
    let missing = pod.replace("{name: t, key", "{name: tt, key");
    let advice = [
        "pod.yaml:11: advice [dangling-reference] pod/a: spec.containers[].env[].valueFrom.secretKeyRef.name: the input has no secret/tt",
        "pod.yaml:13: advice [dangling-reference] pod/a: spec.containers[].env[].valueFrom.configMapKeyRef.name: the input has no configmap/e",
    ];
    let files = [("kustomization.yaml", kustomization), ("pod.yaml", &*missing)];
    check_files(&["--advice", "--only=dangling-reference"], &files, &advice);
}

#[test]
fn labels_and_names_that_kustomizations_give_are_those_that_are_compared() {
    let service = service("web", "web").replace("app: web}", "app: web, team: shop}");
    let pods = deployment("web", "web");
    let check = |kustomization: &str, expected: &[&str]| {
        let files = [("all.yaml", &*format!("{pods}---\n{service}")), ("kustomization.yaml", kustomization)];
        check_files(&[], &files, expected);
    };
    let found = "all.yaml:3: warning [dangling-service] service/web: no pod of the input has the labels app=web,team=shop; the pods of \
                 deployment.apps/web have app=web";
    check("resources: [all.yaml]\n", &[found]);
    check("resources: [all.yaml]\ncommonLabels: {team: shop}\n", &[]);
    check("resources: [all.yaml]\nlabels: [{pairs: {team: shop}, includeTemplates: true}]\n", &[]);
    check("resources: [all.yaml]\nlabels: [{pairs: {team: shop}}]\n", &[found]);
    // One that cannot be read may do anything.
    let kustomization = "resources: [all.yaml]\npatches: [\n";
    let files = [("all.yaml", &*format!("{pods}---\n{service}")), ("kustomization.yaml", kustomization)];
    let open = found.replace("warning", "advice");
    check_files(&["--advice", "--only=dangling-service"], &files, &[&open]);
    // Of two that one lists, each gives its own label; two that list one may give it either.
    let own = |value: &str| format!("resources: [all.yaml]\ncommonLabels: {{team: {value}}}\n");
    let other = |name: &str, value: &str| {
        format!("{}---\n{}", deployment(name, name), service.replace("web", name).replace("shop", value))
    };
    let (shop, bank) = (other("web", "shop"), other("till", "bank"));
    let files = [
        ("kustomization.yaml", "resources: [a, b]\n"),
        ("a/kustomization.yaml", &own("shop")),
        ("a/all.yaml", &*shop),
        ("b/kustomization.yaml", &own("bank")),
        ("b/all.yaml", &*bank),
    ];
    check_files(&[], &files, &[]);
    // What a kustomization replaces it replaces in selectors, too, but not if it adds labels to templates only.
    let of_bank = own("bank");
    let to_pods = "resources: [all.yaml]\nlabels: [{pairs: {team: bank}, includeTemplates: true}]\n";
    let found = "a/all.yaml:3: warning [dangling-service] service/web: no pod of the input has the labels app=web,team=shop; the pods of \
                 deployment.apps/web have app=web";
    for (kustomization, expected) in [(&*of_bank, &[][..]), (to_pods, &[found])] {
        let swapped = [files[0], ("a/kustomization.yaml", kustomization), files[2], files[3], files[4]];
        check_files(&[], &swapped, expected);
    }
    let db = deployment("db", "db");
    let alike = [
        ("kustomization.yaml", "resources: [all.yaml]\ncommonLabels: {app: shop}\n"),
        ("all.yaml", &*format!("{pods}---\n{db}")),
    ];
    let found = "all.yaml:3: warning [overlapping-controllers] deployment.apps/db: the pods are also matched by the selector app=shop of \
                 deployment.apps/web (all.yaml:1)";
    check_files(&[], &alike, &[found]);
    // A Service of an overlay selects what the overlay makes of its base.
    let overlay = [
        ("base/kustomization.yaml", "resources: [all.yaml]\n"),
        ("base/all.yaml", &*pods),
        ("a/kustomization.yaml", "resources: [../base, all.yaml]\ncommonLabels: {app: a}\n"),
        ("a/all.yaml", &*service.replace(", team: shop", "")),
        ("b/kustomization.yaml", "resources: [../base]\ncommonLabels: {app: b}\n"),
    ];
    check_files(&["--advice", "--only=dangling-service"], &overlay, &[]);
    let selected = Kselect::new(["get", "deploy", "--selected-by", "svc/web", "-R", "-f", ".", "-o", "name"]);
    overlay
        .iter()
        .fold(selected, |kselect, (path, text)| kselect.file(path, text))
        .stderr("kselect: skipped 3 kustomizations\n")
        .prints("deployment.apps/web\n");
    // A reference may have the name that the kustomization gives.
    let scaler = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {apiVersion: apps/v1, \
                  kind: Deployment, name: NAME}, maxReplicas: 2}}\n";
    let check = |name: &str, expected: &[&str]| {
        let scaler = scaler.replace("NAME", name);
        let kustomization = "{resources: [all.yaml, scaler.yaml], namePrefix: a-, nameSuffix: -b}\n";
        let files = [("all.yaml", &*pods), ("kustomization.yaml", kustomization), ("scaler.yaml", &*scaler)];
        check_files(&["--only=dangling-autoscaler", "--advice"], &files, expected);
    };
    check("a-web-b", &[]);
    check("web", &[]);
    let found = "scaler.yaml:1: advice [dangling-autoscaler] horizontalpodautoscaler.autoscaling/a: spec.scaleTargetRef.name: the input has no deployment.apps/a-db-b";
    check("a-db-b", &[found]);
}

#[test]
fn a_missing_object_that_is_elsewhere_is_said_to_be_there() {
    let role = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: {name}, namespace: {namespace}}}, rules: []}}\n"
        )
    };
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, namespace: a}, subjects: [], roleRef: \
                   {apiGroup: rbac.authorization.k8s.io, kind: Role, name: developer}}\n";
    let files = [
        ("a/binding.yaml", binding),
        ("a/role.yaml", &*role("viewer", "a")),
        ("b/role.yaml", &*role("developer", "b")),
    ];
    let found = "a/binding.yaml:1: advice [dangling-reference] rolebinding.rbac.authorization.k8s.io/b: roleRef.name: namespace a of the \
                 input has no role.rbac.authorization.k8s.io/developer, unlike namespace b (b/role.yaml:1)";
    check_files(&["--advice", "--only=dangling-reference"], &files, &[found]);
}

#[test]
fn a_binding_may_misspell_a_group_of_openshift() {
    let group = |name: &str| {
        format!(
            "{{apiVersion: user.openshift.io/v1, kind: Group, metadata: {{name: science}}, users: [a]}}\n---\n{{apiVersion: \
             rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {{name: b}}, roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: \
             ClusterRole, name: admin}}, subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: Group, name: {name}}}]}}\n"
        )
    };
    let found = "3: warning [dangling-reference] rolebinding.rbac.authorization.k8s.io/b: subjects[].name: the input has no \
                 group.user.openshift.io/sciense; did you mean science?";
    check_with(&["--advice"], &group("sciense"), &[found]);
    // An identity provider brings others.
    for name in ["science", "platform", "system:authenticated"] {
        check_with(&["--advice"], &group(name), &[]);
    }
}

#[test]
fn an_object_without_a_namespace_may_be_elsewhere_than_it_is_looked_for() {
    let objects = |namespace: &str| {
        format!(
            "{{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {{name: logs, namespace: logging}}, spec: {{interval: \
             1h, chartRef: {{kind: OCIRepository, name: chart}}}}}}\n---\n{{apiVersion: source.toolkit.fluxcd.io/v1, kind: \
             OCIRepository, metadata: {{name: chart{namespace}}}, spec: {{interval: 1h, url: 'oci://a/b'}}}}\n"
        )
    };
    let found = "1: advice [dangling-reference] helmrelease.helm.toolkit.fluxcd.io/logs: spec.chartRef.name: \
                 ocirepository.source.toolkit.fluxcd.io/chart is written without a namespace, and looked for in logging (STDIN:3)";
    check_with(&["--advice"], &objects(""), &[found]);
    check_with(&["--advice"], &objects(", namespace: logging"), &[]);
    // A kustomization gives both the same one.
    let files =
        [("kustomization.yaml", "namespace: logging\nresources: [a.yaml]\n"), ("a.yaml", &*objects(""))];
    check_files(&["--advice"], &files, &[]);
}

#[test]
fn a_namespace_of_which_the_input_has_nothing_is_misspelt() {
    let flux = |name: &str, rest: &str| {
        format!(
            "{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {name}}}, spec: {{interval: 1h, prune: \
             true, path: ./none, sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}{rest}}}}}\n"
        )
    };
    let kustomization = |namespace: &str| format!("namespace: {namespace}\nresources: [ks.yaml]\n");
    let check = |namespace: &str, expected: &[&str]| {
        let depends = format!(", dependsOn: [{{name: ceph, namespace: {namespace}}}]");
        let files = [
            ("apps/ceph/kustomization.yaml", &*kustomization("rook-ceph")),
            ("apps/ceph/ks.yaml", &*flux("ceph", "")),
            ("apps/web/kustomization.yaml", &*kustomization("web")),
            ("apps/web/ks.yaml", &*flux("web", &depends)),
        ];
        check_files(&["--advice", "--only=dangling-reference"], &files, expected);
    };
    let found = |severity: &str, namespace: &str, hint: &str| {
        format!(
            "apps/web/ks.yaml:1: {severity} [dangling-reference] kustomization.kustomize.toolkit.fluxcd.io/web: spec.dependsOn[].name: namespace \
             {namespace} of the input has no kustomization.kustomize.toolkit.fluxcd.io/ceph, unlike namespace rook-ceph \
             (apps/ceph/ks.yaml:1){hint}"
        )
    };
    check("rook-cep", &[&found("warning", "rook-cep", "; did you mean rook-ceph?")]);
    check("storage", &[&found("advice", "storage", "")]);
    check("rook-ceph", &[]);
    check("'${NAMESPACE}'", &[]);
}

#[test]
fn a_chart_does_not_bring_objects_of_flux() {
    let object = |kind: &str, name: &str, spec: &str| {
        let group = if kind == "HelmRelease" { "helm" } else { "kustomize" };
        format!(
            "apiVersion: {group}.toolkit.fluxcd.io/v2\nkind: {kind}\nmetadata: {{name: {name}, namespace: rook}}\nspec: {spec}\n---\n"
        )
    };
    let all = [
        object("HelmRelease", "rook-ceph", "{chart: {spec: {chart: c}}}"),
        object("Kustomization", "rook-ceph-cluster", "{}"),
        object("Kustomization", "web", "{dependsOn: [{name: rook-ceph-clustr}]}"),
    ];
    let found = "14: warning [dangling-reference] kustomization.kustomize.toolkit.fluxcd.io/web: spec.dependsOn[].name: the input has no \
                 kustomization.kustomize.toolkit.fluxcd.io/rook-ceph-clustr; did you mean rook-ceph-cluster?";
    check(&all.concat(), &[found]);
}

#[test]
fn a_catalog_of_which_the_name_is_misspelt_is_missing() {
    let objects = |source: &str| {
        format!(
            "{{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {{name: our-catalog, namespace: olm}}}}\n---\n\
             {{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {{name: s, namespace: a}}, spec: {{source: \
             {source}, sourceNamespace: olm, name: s}}}}\n"
        )
    };
    let found = "3: warning [dangling-reference] subscription.operators.coreos.com/s: spec.source: the input has no \
                 catalogsource.operators.coreos.com/our-catalgo; did you mean our-catalog?";
    check_with(&["--advice"], &objects("our-catalgo"), &[found]);
    check_with(&["--advice"], &objects("our-catalog"), &[]);
    check_with(&["--advice"], &objects("community-operators"), &[]);
}

#[test]
fn the_keys_of_a_sealed_secret_are_those_of_its_secret() {
    let objects = |key: &str, rest: &str| {
        format!(
            "{{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {{name: s}}, spec: {{encryptedData: {{password: AgB}}, template: \
             {{data: {{url: a}}{rest}}}}}}}\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{{name: c, image: i, \
             env: [{{name: A, valueFrom: {{secretKeyRef: {{name: s, key: {key}}}}}}}]}}]}}}}\n"
        )
    };
    let found = "3: warning [dangling-key] pod/a: spec.containers[].env[].valueFrom.secretKeyRef.key: secret/s has no key passwrd \
                 (STDIN:1); did you mean password?";
    check(&objects("passwrd", ""), &[found]);
    check(&objects("password", ""), &[]);
    check(&objects("url", ""), &[]);
    // Whoever applies the pod chooses its namespace.
    let placed = |key| objects(key, "").replacen("name: s}", "name: s, namespace: home}", 1);
    check(&placed("passwrd"), &[found]);
    check(&placed("password"), &[]);
    check(&placed("passwrd").replace("name: a}", "name: a, namespace: shop}"), &[]);
    let misspelt = "3: warning [dangling-reference] pod/a: spec.containers[].env[].valueFrom.secretKeyRef.name: the input has no \
                    secret/mqqt; did you mean mqtt?";
    check(
        &placed("x").replacen("{name: s,", "{name: mqtt,", 1).replace("{name: s,", "{name: mqqt,"),
        &[misspelt],
    );
    // It adds its keys to a Secret that there is.
    check(&objects("passwrd", ", metadata: {annotations: {sealedsecrets.bitnami.com/patch: 'true'}}"), &[]);
}

#[test]
fn a_namespace_that_several_kustomizations_rename_has_each_of_their_names() {
    let kustomization =
        |name: &str| format!("namespace: {name}\ncomponents: [../../common]\nresources: [ks.yaml]\n");
    let flux = |name: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: {name}}}\nspec: {{interval: 1h, \
             targetNamespace: {name}, path: ./apps/{name}, sourceRef: {{kind: GitRepository, name: x}}}}\n"
        )
    };
    let files = ["bar", "shop"].map(|name| {
        [
            (format!("apps/{name}/kustomization.yaml"), kustomization(name)),
            (format!("apps/{name}/ks.yaml"), flux(name)),
        ]
    });
    let namespace = |name: &str| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n");
    let component =
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [namespace.yaml]\n";
    let more = [
        ("common/kustomization.yaml".to_owned(), component.to_owned()),
        ("common/namespace.yaml".to_owned(), namespace("not-used")),
        // No kustomization lists it.
        ("apps/shop/namespace.yaml".to_owned(), namespace("shop")),
    ];
    let files: Vec<_> = files.iter().flatten().chain(&more).map(|(file, text)| (&**file, &**text)).collect();
    check_files(&["--only=dangling-reference", "--advice"], &files, &[]);
}

#[test]
fn a_chart_brings_no_sources_of_flux() {
    let release = |name: &str, namespace: &str, source: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{chart: \
             {{spec: {{chart: c, sourceRef: {{kind: HelmRepository, name: {source}, namespace: flux-system}}}}}}}}\n"
        )
    };
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts, namespace: flux-system}\nspec: {url: \
                      https://e.io}\n";
    let mut files = vec![("charts.yaml", repository.to_owned())];
    files.push(("operator.yaml", release("operator", "flux-system", "charts")));
    for (file, name) in [("a.yaml", "a"), ("b.yaml", "b"), ("c.yaml", "c")] {
        files.push((file, release(name, "home", "renamed")));
    }
    let found = ["a", "b", "c"].map(|name| {
        format!(
            "{name}.yaml:4: warning [dangling-reference] helmrelease.helm.toolkit.fluxcd.io/{name}: spec.chart.spec.sourceRef.name: the input has no \
             helmrepository.source.toolkit.fluxcd.io/renamed"
        )
    });
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, &**text)).collect();
    check_files(&["--only=dangling-reference"], &files, &found.each_ref().map(String::as_str));
}

#[test]
fn the_keys_of_an_external_secret_are_those_of_its_data_or_its_template() {
    let check = |target: &str, more: &str, expected: &[&str]| {
        let objects = format!(
            "{{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {{name: s, namespace: a}}, spec: {{secretStoreRef: {{kind: \
             ClusterSecretStore, name: op}}, target: {{{target}}}, data: [{{secretKey: password, remoteRef: {{key: x}}}}]{more}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: a}}, spec: {{containers: [{{name: c, image: i, env: [{{name: A, \
             valueFrom: {{secretKeyRef: {{name: s, key: passwrd}}}}}}]}}]}}}}\n"
        );
        check_with(&["--only=dangling-key"], &objects, expected);
    };
    let found = |rest: &str| {
        format!(
            "3: warning [dangling-key] pod/p: spec.containers[].env[].valueFrom.secretKeyRef.key: secret/s has no key passwrd (STDIN:1){rest}"
        )
    };
    let near = found("; did you mean password?");
    check("", "", &[&near]);
    check("creationPolicy: Owner, template: {metadata: {labels: {a: b}}}", "", &[&near]);
    check("template: {mergePolicy: Merge, data: {url: x}}", "", &[&near]);
    check("template: {data: {url: x}}", "", &[&found("")]);
    check("template: {data: {passwrd: x}}", "", &[]);
    check("template: {templateFrom: [{target: Data}]}", "", &[]);
    check("creationPolicy: Merge", "", &[]);
    let more = ", dataFrom: [{extract: {key: x}}]";
    check("", more, &[]);
    check("template: {mergePolicy: Merge, data: {url: x}}", more, &[]);
    check("template: {data: {url: x}}", more, &[&found("")]);
}

#[test]
fn listeners_and_grants_of_routes_are_needed() {
    let gateway = "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g, namespace: a}, spec: {gatewayClassName: c, listeners: [{name: web, port: 80, protocol: HTTP}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: b}, spec: {ports: [{port: 80}]}}
---
";
    let route = "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: a}
spec:
  parentRefs:
  - {name: g, sectionName: wbe}
  rules:
  - backendRefs:
    - {name: s, namespace: b, port: 80}
";
    let grant = "---
{apiVersion: gateway.networking.k8s.io/v1beta1, kind: ReferenceGrant, metadata: {name: x, namespace: b}, spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: a}], to: [{group: '', kind: Service}]}}
";
    let listener = "10: warning [dangling-key] httproute.gateway.networking.k8s.io/r: spec.parentRefs[].sectionName: \
                    gateway.gateway.networking.k8s.io/g has no listener wbe (STDIN:1); did you mean web?";
    let lacking = "13: warning [missing-grant] httproute.gateway.networking.k8s.io/r: service/s is in namespace b, and no \
                   ReferenceGrant there allows the reference";
    let both = format!("{gateway}{route}");
    check(&both, &[listener, lacking]);
    check(&format!("{}{grant}", both.replace("wbe", "web")), &[]);
}

#[test]
fn peers_and_constraints_nearly_select_pods() {
    let policy = "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
  - from:
    - podSelector: {matchLabels: {app: wbe}}
";
    let found = "8: warning [dangling-peer] networkpolicy.networking.k8s.io/np: spec.ingress[].from[].podSelector: no pod of the \
                 input has the labels app=wbe; did you mean app=web?";
    check(&with_web(policy), &[found]);
    check(&with_web(&policy.replace("wbe", "web")), &[]);
    check(&with_web(&policy.replace("wbe", "elsewhere")), &[]);
    let spread = "apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: db}}
spec:
  containers: [{name: c, image: i}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: wbe}}}
";
    let found = "6: warning [dangling-peer] pod/p: spec.topologySpreadConstraints[].labelSelector: no pod of the input has the \
                 labels app=wbe; did you mean app=web?";
    check(&with_web(spread), &[&found.replace("6:", "8:")]);
    check(&with_web(&spread.replace("wbe", "db")), &[]);
}

#[test]
fn what_an_overlay_adds_to_a_base_is_judged_with_it_also_beside_one_that_does_not() {
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: {name}}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}\n---\n"
        )
    };
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}\n";
    let added = "apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec:
  podSelector: {matchLabels: {app: pay}}
  ingress: [{from: [{podSelector: {matchLabels: {app: checkuot}}}]}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: i}
spec: {defaultBackend: {service: {name: web, port: {number: 8080}}}}
";
    let base = [service, "---\n", &pod("checkout"), &pod("pay")].concat();
    let files = [
        ("base/kustomization.yaml", "resources: [all.yaml]\n"),
        ("base/all.yaml", &*base),
        ("part/kustomization.yaml", "kind: Component\nresources: [added.yaml]\n"),
        ("part/added.yaml", added),
        ("overlay/kustomization.yaml", "resources: [../base]\ncomponents: [../part]\n"),
        ("plain/kustomization.yaml", "resources: [../base]\n"),
    ];
    let found = [
        "part/added.yaml:6: warning [dangling-peer] networkpolicy.networking.k8s.io/np: spec.ingress[].from[].podSelector: no pod of the \
         input has the labels app=checkuot; did you mean app=checkout?",
        "part/added.yaml:11: warning [dangling-port] ingress.networking.k8s.io/i: spec.defaultBackend: service/web has no port 8080 \
         (base/all.yaml:1); it has 80",
    ];
    check_files(&[], &files, &found);
}

#[test]
fn warnings_about_sizes_names_and_ports_are_those_of_the_server() {
    let set = "apiVersion: apps/v1
kind: StatefulSet
metadata: {name: a}
spec:
  serviceName: a
  selector: {matchLabels: {app: a}}
  volumeClaimTemplates:
  - metadata: {name: v}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1.5}}}
  template:
    metadata: {labels: {app: a}}
    spec:
      imagePullSecrets: [{name: ''}]
      volumes:
      - {name: zz, projected: {}}
      containers:
      - name: c
        image: i
        resources: {limits: {memory: 100u}}
        ports: [{containerPort: 81, hostIP: 10.0.0.1}]
";
    let found = |line: usize, message: &str| {
        format!("{line}: warning [server-warning] statefulset.apps/a: {message}")
    };
    let expected = [
        found(
            9,
            "spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value \"1500m\" is invalid, must be an integer",
        ),
        found(13, "spec.template.spec.imagePullSecrets[0].name: invalid empty name \"\""),
        found(15, "volume \"zz\" (Projected) has no sources provided"),
        found(
            19,
            "spec.template.spec.containers[0].resources.limits[memory]: fractional byte value \"1m\" is invalid, must be an integer",
        ),
        found(
            20,
            "spec.template.spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:10.0.0.1}",
        ),
    ];
    check_with(&["--only", "server-warning"], set, &expected.each_ref().map(String::as_str));
    // PEM blocks of a pair, and formats of schemas.
    let pair = |certificate: &str, key: &str| {
        let block =
            |kind: &str| format!("'-----BEGIN {kind}-----\\n-----END {kind}-----'").replace("\\n", " ");
        let (certificate, key) = (block(certificate), block(key));
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\ntype: kubernetes.io/tls\nstringData:\n  tls.crt: {certificate}\n  tls.key: {key}\n"
        )
    };
    let check_pair = |text: &str, found: &[&str]| {
        let found: Vec<String> = found
            .iter()
            .map(|found| {
                let (line, message) = found.split_once(' ').expect("a line");
                format!("{line}: warning [server-warning] secret/a: tls: {message}")
            })
            .collect();
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        check_with(&["--only", "server-warning"], text, &found);
    };
    check_pair(&pair("CERTIFICATE", "EC PRIVATE KEY"), &[]);
    let switched = "6 failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been \
                    switched";
    check_pair(&pair("PRIVATE KEY", "CERTIFICATE"), &[switched]);
    let key = "7 found a certificate rather than a key in the PEM for the private key";
    check_pair(&pair("CERTIFICATE", "CERTIFICATE"), &[key]);
    let none = "6 failed to find any PEM data in certificate input";
    let data = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ntype: kubernetes.io/tls\ndata:\n  tls.crt: aGVsbG8=\n  tls.key: aGVsbG8=\n";
    check_pair(data, &[none]);
    check_pair(&data.replace("aGVsbG8=", "${DATA}"), &[]);
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.b.io}\nspec:\n  group: b.io\n  \
                      scope: Cluster\n  names: {kind: A, plural: as}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
                      openAPIV3Schema:\n        type: object\n        properties:\n          a: {type: string, format: date-time}\n          \
                      b: {type: array, items: {type: string, format: int-or-string}}\n          c: {type: integer, format: uint8}\n";
    let format = |line: usize, format: &str| {
        format!(
            "{line}: warning [server-warning] customresourcedefinition.apiextensions.k8s.io/as.b.io: unrecognized format \"{format}\""
        )
    };
    let unknown = [format(17, "int-or-string"), format(18, "uint8")];
    check_with(&["--only", "server-warning"], definition, &unknown.each_ref().map(String::as_str));
    check_with(&["--only", "server-warning", "--kubernetes=1.35"], definition, &[]);
}

#[test]
fn what_the_server_warns_of_is_said_in_its_words() {
    let old = "apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata:
      labels: {app: a}
      annotations: {container.apparmor.security.beta.kubernetes.io/c: unconfined}
    spec:
      nodeSelector: {beta.kubernetes.io/os: linux}
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: failure-domain.beta.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
      volumes:
      - {name: v, glusterfs: {endpoints: e, path: p}}
      containers:
      - name: c
        image: i
        resources: {limits: {memory: 100m}}
        ports: [{containerPort: 80}, {containerPort: 80, name: http}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: b, annotations: {volume.beta.kubernetes.io/storage-class: fast}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: d, annotations: {kubernetes.io/ingress.class: nginx}}
spec: {defaultBackend: {service: {name: e, port: {number: 80}}}}
---
apiVersion: v1
kind: Service
metadata: {name: e}
spec:
  ports: [{port: 80}]
  clusterIP: None
  sessionAffinity: ClientIP
  externalIPs:
  - 192.0.2.1
";
    let found = |line: usize, object: &str, message: &str| {
        format!("{line}: warning [server-warning] {object}: {message}")
    };
    let of_pod =
        |line: usize, message: &str| found(line, "deployment.apps/a", &format!("spec.template.{message}"));
    let constraint = "spec.topologySpreadConstraints[0]";
    let expected = [
        of_pod(
            9,
            "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the \"appArmorProfile\" field instead",
        ),
        of_pod(
            11,
            "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead",
        ),
        of_pod(
            13,
            &format!(
                "{constraint}.topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
            ),
        ),
        of_pod(13, &format!("{constraint}.labelSelector: a null labelSelector results in matching no pod")),
        of_pod(15, "spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+"),
        of_pod(
            19,
            "spec.containers[0].resources.limits[memory]: fractional byte value \"100m\" is invalid, must be an integer",
        ),
        of_pod(
            20,
            "spec.containers[0].ports[1]: duplicate port definition with spec.template.spec.containers[0].ports[0]",
        ),
        found(
            24,
            "persistentvolumeclaim/b",
            "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use \"storageClassName\" attribute instead",
        ),
        found(
            29,
            "ingress.networking.k8s.io/d",
            "annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead",
        ),
        found(38, "service/e", "spec.SessionAffinity is ignored for headless services"),
        // At the line of the field, not at that of its first item.
        found(39, "service/e", "spec.externalIPs is ignored for headless services"),
    ];
    check_whole(old, &expected.each_ref().map(String::as_str));
    let new = "apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {container.apparmor.security.beta.kubernetes.io/c: unconfined}}
spec:
  nodeSelector: {kubernetes.io/os: linux}
  volumes: [{name: v, emptyDir: {}}]
  containers:
  - {name: c, image: i, resources: {limits: {memory: 100Mi}}, ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, uid: u, annotations: {security.alpha.kubernetes.io/sysctls: a}}, spec: {containers: [{name: c, image: i}]}}
";
    check_whole(new, &[]);
}

#[test]
fn a_pod_that_fits_no_node_is_found() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: node-a, labels: {disk: ssd}}}\n---\n";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {disk: hdd}}}\n";
    check(
        &format!("{node}{pod}"),
        &["3: warning [unfit-nodes] pod/p: no node in the input satisfies nodeSelector and node affinity"],
    );
    check(&format!("{node}{}", pod.replace("hdd", "ssd")), &[]);
    check(pod, &[]);
}

#[test]
fn labels_that_are_not_allowed_are_found_on_objects_and_templates() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    a/b/c: d\n";
    let (status, stdout, _) = run(&[], pod);
    assert_eq!(status, Some(1));
    let start =
        "STDIN:6: error [invalid-label] pod/a: metadata.labels: Invalid value: \"a/b/c\": a valid label";
    assert!(stdout.starts_with(start), "{stdout}");
    check(&pod.replace("a/b/c", "a/b"), &[]);
    check(&pod.replace("a/b/c: d", "a: '{{x}}'"), &[]);
    check(
        &deployment("a", "web").replace("labels: {app: web}", "labels: {app: web, size: 3}"),
        &["1: error [wrong-type] deployment.apps/a: json: cannot unmarshal number into Go struct field \
             ObjectMeta.spec.template.metadata.labels of type string (spec.template.metadata.labels.size)"],
    );
}

#[test]
fn prefixes_of_kubernetes_are_not_for_private_labels() {
    let pod =
        |key: &str| format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {{{key}: b}}\n");
    let finding = |key: &str| {
        format!("5: warning [reserved-label] pod/a: the prefix of label {key} is reserved for Kubernetes")
    };
    for key in ["kubernetes.io/app", "k8s.io/team", "shop.kubernetes.io/x"] {
        check(&pod(key), &[&finding(key)]);
    }
    check(
        &deployment("a", "a").replace("labels: {app: a}", "labels: {app: a, k8s.io/team: b}"),
        &[
            "1: warning [reserved-label] deployment.apps/a: the prefix of label k8s.io/team is reserved for Kubernetes",
        ],
    );
    for key in [
        "app.kubernetes.io/name",
        "kubernetes.io/metadata.name",
        "role.kubernetes.io/networking",
        "topology.kubernetes.io/zone",
        "rbac.authorization.k8s.io/aggregate-to-admin",
        "cluster.x-k8s.io/cluster-name",
        "notk8s.io/a",
        "app",
    ] {
        check(&pod(key), &[]);
    }
}

#[test]
fn recommended_labels_are_advice() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  labels: {app.kubernetes.io/name: a}\n";
    check(service, &[]);
    let lacking = "5: advice [missing-labels] service/a: lacks the labels \
                   app.kubernetes.io/{instance,version,component,part-of,managed-by}";
    check_with(&["--advice"], service, &[lacking]);
    check_with(&["--advice"], &service.replace("Service", "Secret"), &[]);
}

#[test]
fn names_and_keys_that_are_refused_are_found() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a_b\n";
    let (status, stdout, _) = run(&[], secret);
    assert_eq!(status, Some(1));
    assert!(stdout.starts_with("STDIN:4: error [invalid-name] secret/a_b: metadata.name: Invalid value"));
    check(&secret.replace("a_b", "a-b"), &[]);
    for placeholder in ["${NAME}", "$(NAME)", "{{name}}", "<name>"] {
        check(&secret.replace("a_b", &format!("'{placeholder}'")), &[]);
    }
    check(&(secret.replace("a_b", "a") + "data: {a: 'ref+vault://b#/c'}\n"), &[]);
    check(
        &secret.replace("a_b", "a\n  name: b"),
        &["5: error [repeated-key] secret/b: key \"name\" already set in map"],
    );
    check(
        "kind: Secret\nmetadata: {name: a}\n",
        &["1: error [invalid-object] secret/a: error validating data: apiVersion not set"],
    );
}

#[test]
fn kinds_and_versions_that_kubernetes_does_not_have_are_found() {
    let object = |api_version: &str, kind: &str| {
        format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    };
    for (api_version, kind, line, title, meant) in [
        ("apps/v1", "Deploymnt", 2, "deploymnt.apps/a", "; did you mean Deployment?"),
        ("v1", "Sevice", 2, "sevice/a", "; did you mean Service?"),
        ("apps/v2", "Deployment", 1, "deployment.apps/a", "; did you mean apps/v1?"),
        ("batch/v1beta9", "CronJob", 1, "cronjob.batch/a", "; did you mean batch/v1?"),
        ("networking.k8s.io/v1", "Ingres", 2, "ingres.networking.k8s.io/a", "; did you mean Ingress?"),
        ("v1", "Deployment", 1, "deployment/a", "; did you mean apps/v1?"),
        ("app/v1", "Deployment", 1, "deployment.app/a", "; did you mean apps/v1?"),
        ("v1", "Gizmo", 2, "gizmo/a", ""),
    ] {
        let finding = format!(
            "{line}: error [unknown-kind] {title}: no matches for kind \"{kind}\" in version \"{api_version}\"{meant}"
        );
        check(&object(api_version, kind), &[&finding]);
        let live = object(api_version, kind).replace("{name: a}", "{name: a, uid: x}");
        check(&live, &[&finding]);
    }
    for (api_version, kind) in [
        ("gateway.networking.k8s.io/v1", "Gatway"),
        ("metrics.k8s.io/v1beta1", "PodMetric"),
        ("shop.example.com/v1", "Deployment"),
        ("v1", "${KIND}"),
        ("v1", "Template"),
    ] {
        check(&object(api_version, kind), &[]);
    }
    check_with(
        &["--kubernetes=1.99"],
        &object("batch/v3alpha1", "CronJob"),
        &[
            "1: warning [unknown-kind] cronjob.batch/a: no matches for kind \"CronJob\" in version \"batch/v3alpha1\"; \
           the newest release that kselect knows is 1.37",
        ],
    );
}

#[test]
fn definitions_in_the_input_add_kinds_to_groups_of_kubernetes() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                      metadata: {name: widgets.storage.k8s.io}\nspec: {group: storage.k8s.io, scope: Cluster, \
                      names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, \
                      schema: {openAPIV3Schema: {type: object}}}]}\n";
    let widget = "apiVersion: storage.k8s.io/v1\nkind: Widget\nmetadata: {name: a}\n";
    check(
        widget,
        &["2: error [unknown-kind] widget.storage.k8s.io/a: no matches for kind \"Widget\" in version \
           \"storage.k8s.io/v1\""],
    );
    check(&format!("{widget}---\n{definition}"), &[]);
}

#[test]
fn definitions_that_say_the_same_are_one() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                      metadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Namespaced, \
                      names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, \
                      schema: {openAPIV3Schema: {type: object, description: of a, properties: {size: {type: integer}}}}}]}\n";
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nsize: large\n";
    let found = |second: &str| {
        let kselect = Kselect::new(["check", "-q", "--only=wrong-type", "-R", "-f", "."]);
        let kselect = kselect.file("a/crd.yaml", definition).file("b/crd.yaml", second);
        String::from_utf8(kselect.file("w.yaml", widget).run().stdout).expect("UTF-8")
    };
    let error = "./w.yaml:4: error [wrong-type] widget.example.com/w: size: Invalid value: \"string\": size in body must be of \
                 type integer: \"string\"\n";
    assert_eq!(found(definition), error);
    assert_eq!(found(&definition.replace("of a", "of b")), error);
    // Which one applies is not known.
    let other = definition.replace("integer", "boolean");
    assert_eq!(found(&other), "");
    // Of two, the one that a kustomization builds.
    for (built, is_found) in [("a", true), ("b", false)] {
        let kselect = Kselect::new(["check", "-q", "--only=wrong-type", "-R", "-f", "."]);
        let kselect =
            kselect.file("a/crd.yaml", definition).file("b/crd.yaml", &other).file("w.yaml", widget);
        let mut kselect = kselect.file("kustomization.yaml", format!("resources: [{built}/crd.yaml]"));
        let found = String::from_utf8(kselect.run().stdout).expect("UTF-8");
        assert_eq!(found == error, is_found, "{built}: {found}");
    }
}

#[test]
fn a_version_that_one_of_several_definitions_has_is_known_in_any_order() {
    let version = |name, field| {
        format!(
            "{{name: {name}, served: true, storage: {}, schema: {{openAPIV3Schema: {{type: object, properties: {{{field}: {{type: \
             integer}}}}}}}}}}",
            name == "v1"
        )
    };
    let definition = |versions: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\n\
             spec: {{group: example.com, scope: Namespaced, names: {{kind: Widget, plural: widgets}}, versions: [{versions}]}}\n"
        )
    };
    let old = definition(&version("v1", "size"));
    let new = definition(&format!("{}, {}", version("v1", "sizes"), version("v2", "size")));
    let widgets = "apiVersion: example.com/v2\nkind: Widget\nmetadata: {name: a}\nsise: 3\n---\n\
                   apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nsizes: 3\n";
    for order in [["old.yaml", "new.yaml"], ["new.yaml", "old.yaml"]] {
        let args = [
            "check",
            "-q",
            "--advice",
            "--only=unknown-field",
            "-f",
            "w.yaml",
            "-f",
            order[0],
            "-f",
            order[1],
        ];
        let kselect = Kselect::new(args).file("old.yaml", old.as_str()).file("new.yaml", new.as_str());
        kselect.file("w.yaml", widgets).prints(format!(
            "w.yaml:4: advice [unknown-field] widget.example.com/a: strict decoding error: unknown field \"sise\"; did you mean size?; its \
             definition is at {}:1\n", order[1]
        ));
    }
}

#[test]
fn misspelt_keys_of_the_type_are_found_in_directories_too() {
    let deployment = "metadata: {name: a}\napiVersion: apps/v1\nkind: Deployment\n";
    let files =
        [("a.yaml", &*deployment.replace("kind", "Kind")), ("b.yaml", TWO), ("values.yaml", "kidn: x\n")];
    let kselect = Kselect::new(["check", "--disable=repeated-key", "-f", "."]);
    files
        .iter()
        .fold(kselect, |kselect, (path, text)| kselect.file(path, text))
        .status(1)
        .stderr(
            "error: ./a.yaml:3 (document 1): Object 'Kind' is missing\n\
             hint: did you mean kind instead of Kind?\n\
             checked 1 object in 1 file: 1 error, 1 warning; left out: 1 file of a Helm chart, 1 custom resource without a schema (Queue; see --schemas), 1 finding by --only or --disable\n",
        )
        .prints(format!("./b.yaml:{WARNING}\n"));
    check_files(
        &[],
        &[("a.yaml", &deployment.replace("apiV", "apiv"))],
        &[
            "a.yaml:1: error [invalid-object] deployment/a: error validating data: apiVersion not set; did you mean \
           apiVersion instead of apiversion?",
        ],
    );
}

#[test]
fn an_object_that_is_there_twice_is_found() {
    let a = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
    let b = a.replace("name: a", "name: b");
    let error = "6: error [duplicate-object] secret/a: the object is already defined (STDIN:1)";
    check(&format!("{a}---\n{a}"), &[&error.replacen('6', "7", 1)]);
    check(&format!("{a}---\n{b}"), &[]);
    let extensions = deployment("a", "a").replace("apps/v1", "extensions/v1beta1");
    check_with(
        &["--disable=removed-api"],
        &format!("{}---\n{extensions}", deployment("a", "a")),
        &["3: error [duplicate-object] deployment.apps/a: the object is already defined (STDIN:1)"],
    );
    let warning = "2.yaml:3: warning [duplicate-object] secret/a: the object is already defined (1.yaml:1)";
    let others =
        |one: &str, two: &str| [a, &a.replace("name: a", one), &a.replace("name: a", two)].join("---\n");
    let (one, two) = (others("name: b", "name: c"), others("name: d", "name: e"));
    check_files(&[], &[("1.yaml", &one), ("2.yaml", &two)], &[warning]);
    check_files(&["--advice"], &[("1.yaml", a), ("2.yaml", a)], &[&warning.replace("warning", "advice")]);
    let advice = "x/2.yaml:3: advice [duplicate-object] secret/a: the object is already defined (1.yaml:1)";
    check_files(&["--advice"], &[("1.yaml", a), ("x/2.yaml", a)], &[advice]);
    // The same file twice has no duplicates.
    check_files(&["-f", "1.yaml"], &[("1.yaml", a)], &[]);
    // Alternatives, and parts of kustomizations.
    check_files(&[], &[("1.yaml", a), ("2.yaml", a), ("3.yaml", a)], &[]);
    let kustomization = ("prod/kustomization.yaml", "resources: [../base]\n");
    let args = ["--advice", "--disable=invalid-kustomization"];
    check_files(&args, &[("base/a.yaml", a), ("prod/a.yaml", a), kustomization], &[]);
}

#[test]
fn owners_must_be_there_and_in_the_same_namespace() {
    let owner = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: one}}\n---\n";
    let owned = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: one\n  ownerReferences:\n  - \
                 {apiVersion: v1, kind: ConfigMap, name: a, uid: u}\n";
    check(&format!("{owner}{owned}"), &[]);
    check(
        &format!("{owner}{}", owned.replace("name: a", "name: b")),
        &["9: warning [missing-owner] secret/s: the owner configmap/b is not in the input"],
    );
    check(&owned.replace("name: a", "name: b"), &[]);
    let missing = owned.replace("name: a", "name: b");
    check_files(&[], &[("one/a.yaml", owner), ("two/s.yaml", &missing)], &[]);
    check_files(
        &[],
        &[("one/a.yaml", owner), ("one/s.yaml", &missing)],
        &["one/s.yaml:7: warning [missing-owner] secret/s: the owner configmap/b is not in the input"],
    );
    check(
        &format!("{owner}{}", owned.replace("namespace: one", "namespace: two")),
        &[
            "9: error [foreign-owner] secret/s: the owner configmap/a is in namespace one, but this object is in two",
        ],
    );
}

#[test]
fn fields_of_built_in_kinds_are_those_of_the_release() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n";
    check(
        &format!("{service}  prots: []\n"),
        &[
            "5: error [unknown-field] service/a: strict decoding error: unknown field \"spec.prots\"; did you mean \
           ports?",
        ],
    );
    check(
        &format!("{service}  ports: [{{port: http}}]\n"),
        &["5: error [wrong-type] service/a: json: cannot unmarshal string into Go struct field \
           ServicePort.spec.ports.port of type int32 (spec.ports[0].port)"],
    );
    check(&format!("{service}  ports: [{{port: $(PORT)}}]\n"), &[]);
    check_whole(
        &format!("{service}  ports: [{{name: http}}]\n"),
        &["5: error [missing-field] service/a: spec.ports[0].port: Required value"],
    );
}

#[test]
fn a_complete_object_has_all_that_its_kind_requires() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 3}\n";
    let missing = |path: &str| format!("4: error [missing-field] deployment.apps/a: {path}: Required value");
    let paths = ["spec.selector", "spec.template", "spec.template.spec.containers"].map(missing);
    let paths: Vec<&str> = [&paths[0], &paths[2]].map(String::as_str).to_vec();
    check_whole(deployment, &paths);
    // A file beside a kustomization that does not list it may be a patch.
    let files = [("kustomization.yaml", "resources: [../base]\n"), ("more.yaml", deployment)];
    let kselect = Kselect::new(["check", "-R", "-f", "."]);
    let kselect = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text));
    kselect.prints_nothing();
}

#[test]
fn values_are_those_that_the_server_allows() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  type: Loadbalancer\n  ports:\n  - {name: a, \
                   port: 80}\n  - {name: a, port: 99999}\n";
    check_whole(
        service,
        &[
            "5: error [invalid-value] service/a: spec.type: Unsupported value: supported values: \"ClusterIP\", \
             \"ExternalName\", \"LoadBalancer\", \"NodePort\"",
            "8: error [invalid-value] service/a: spec.ports[1].name: Duplicate value",
            "8: error [invalid-value] service/a: spec.ports[1].port: Invalid value: must be between 1 and 65535, inclusive",
        ],
    );
}

#[test]
fn values_that_only_other_fields_forbid_are_found() {
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, annotations: {kubernetes.io/ingress.class: nginx}}\nspec:\n  \
                   ingressClassName: traefik\n  defaultBackend: {service: {name: a, port: {number: 80}}}\n";
    check_whole(
        ingress,
        &[
            "3: error [invalid-value] ingress.networking.k8s.io/a: annotations.kubernetes.io/ingress.class: Invalid value: must match \
           `ingressClassName` when both are specified",
        ],
    );
    check_whole(&ingress.replace("class: nginx", "class: traefik"), &[]);
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: \
               {a: b}}\n    spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}\n";
    check_whole(
        job,
        &[
            "5: error [invalid-value] job.batch/a: spec.selector: Invalid value: `selector` not auto-generated",
        ],
    );
    check_whole(&job.replace("spec:\n  selector", "spec:\n  manualSelector: true\n  selector"), &[]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostIPC: true\n  securityContext: {sysctls: [{name: kernel.shmmax, value: \
               '1'}]}\n  volumes: [{name: v, image: {pullPolicy: Always}}]\n  containers: [{name: a, image: 'a:1'}]\n";
    check_whole(
        pod,
        &[
            "6: error [invalid-value] pod/a: spec.securityContext.sysctls[0].name: Invalid value: may not be specified when 'hostIPC' is true",
            "7: error [missing-field] pod/a: spec.volumes[0].image.reference: Required value",
        ],
    );
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80, protocol: HTTP}]}\n";
    check_whole(
        service,
        &[
            "4: error [invalid-value] service/a: spec.ports[0].protocol: Unsupported value: supported values: \"SCTP\", \"TCP\", \"UDP\"",
        ],
    );
    let flow = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a}\nspec:\n  priorityLevelConfiguration: {name: a}\n  \
                rules:\n  - subjects: [{kind: User, user: {name: a}}]\n    nonResourceRules: [{verbs: ['*', get], nonResourceURLs: [a]}]\n";
    check_whole(
        flow,
        &[
            "8: error [invalid-value] flowschema.flowcontrol.apiserver.k8s.io/a: spec.rules[0].nonResourceRules[0].verbs: Invalid value: if '*' is \
             present, must not specify other verbs",
            "8: error [invalid-value] flowschema.flowcontrol.apiserver.k8s.io/a: spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid \
             value: must start with slash",
        ],
    );
}

#[test]
fn the_configuration_of_a_tool_is_skipped() {
    let note = "checked 3 objects in 1 file: no findings; left out: 1 kustomization (not built; see -k), 3 findings by --only or --disable\n";
    let kustomization =
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: A_b}\n";
    kselect(&[], &format!("{kustomization}---\n{WEB}")).stderr(note).prints_nothing();
}

#[test]
fn advice_of_rules_that_are_not_asked_for_is_left_out() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}\n";
    let policy = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: {app: db}}}}\n";
    let files = |args: &[&'static str]| {
        let check = Kselect::new(["check", "-R", "-f", "."].iter().chain(args).copied());
        check.file("a/pod.yaml", pod).file("a/budget.yaml", policy).file("b/pod.yaml", pod)
    };
    let says = |rest: &str| format!("checked 3 objects in 3 files: no findings{rest}\n");
    files(&[]).stderr(says("; 2 pieces of advice (--advice)")).prints_nothing();
    files(&["--only=dangling-port"])
        .stderr(says("; left out: 2 findings by --only or --disable"))
        .prints_nothing();
    files(&["--only=dangling-budget"])
        .stderr(says("; 1 piece of advice (--advice); left out: 1 finding by --only or --disable"))
        .prints_nothing();
}

#[test]
fn finalizers_have_a_domain_and_a_path() {
    let secret = |finalizer: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  finalizers:\n  - {finalizer}\n")
    };
    let found = |severity: &str, title: &str, finalizer: &str| {
        format!(
            "6: {severity} [unqualified-finalizer] {title}: the finalizer {finalizer} is not of the form DOMAIN/NAME"
        )
    };
    // In custom resources, the API server only warns; and a domain belongs to someone.
    let custom =
        |finalizer: &str| secret(finalizer).replace("v1", "example.com/v1").replace("Secret", "Queue");
    for (finalizer, severity) in [("wait", "warning"), ("example.com", "advice")] {
        check_with(&["--advice"], &secret(finalizer), &[&found("error", "secret/a", finalizer)]);
        check_with(&["--advice"], &custom(finalizer), &[&found(severity, "queue.example.com/a", finalizer)]);
    }
    check(&custom("${FINALIZER}"), &[]);
    check(&secret("example.com/wait"), &[]);
    check(&secret("foregroundDeletion"), &[]);
    // A server wrote it, whose controllers know it; the server refuses it in its own kinds all the same.
    check(&format!("{}  generation: 2\n", custom("wait")), &[]);
    // Those of Argo CD have no path, and are known.
    let argo = |finalizer: &str| {
        custom(finalizer).replace("example.com/v1", "argoproj.io/v1alpha1").replace("Queue", "Application")
    };
    let found = "6: warning [unqualified-finalizer] application.argoproj.io/a: the finalizer \
                 resources-finalizer.argocd.argocd.argoproj.io is not one of Argo CD, so nothing removes it; it has \
                 resources-finalizer.argocd.argoproj.io, pre-delete-finalizer.argocd.argoproj.io, post-delete-finalizer.argocd.argoproj.io";
    check_with(&["--advice"], &argo("resources-finalizer.argocd.argocd.argoproj.io"), &[found]);
    check_with(&["--advice"], &argo("resources-finalizer.argocd.argoproj.io"), &[]);
    check_with(&["--advice"], &argo("resources-finalizer.argocd.argoproj.io/background"), &[]);
}

#[test]
fn a_template_whose_head_can_be_read_is_skipped_in_directories() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  config: {{config_data}}\n";
    check_files(&[], &[("a.yaml", secret), ("b.yaml", deployment("web", "web").as_str())], &[]);
    let named = Kselect::new(["check", "-f", "a.yaml"]).file("a.yaml", secret).run();
    assert_eq!(named.status.code(), Some(1));
}

#[test]
fn references_are_reported_where_kustomizations_only_list() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: []\n  serviceAccountName: wbe\n";
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n";
    let missing = "base/pod.yaml:6: warning [dangling-reference] pod/a: spec.serviceAccountName: the input has no \
                   serviceaccount/wbe; did you mean web?";
    let base = "resources: [pod.yaml, account.yaml]\nnamespace: shop\ncommonLabels: {team: a}\n";
    let check_built = |base: &str, overlay: &str, other: &str, expected: &[&str]| {
        let files = [
            ("base/pod.yaml", pod),
            ("base/account.yaml", account),
            ("base/kustomization.yaml", base),
            ("overlay/kustomization.yaml", overlay),
            ("overlay/other.yaml", other),
        ];
        check_files(&["--disable=invalid-kustomization"], &files, expected);
    };
    let overlay = "resources: [../base, other.yaml]\n";
    let unrelated = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    check_built(base, overlay, unrelated, &[missing]);
    // The overlay has it, in whatever namespace.
    let added = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: wbe, namespace: shop}\n";
    check_built(base, overlay, added, &[]);
    // What is called nearly so is evidence in an open kustomization, too, unless a patch may set the name.
    for (open, expected) in [
        ("resources: [../base, other.yaml, ../elsewhere]\n", &[missing][..]),
        ("resources: [../base, other.yaml]\ngenerators: [other.yaml]\n", &[missing]),
        ("resources: [../base, other.yaml]\npatches: [{path: p.yaml}]\n", &[]),
    ] {
        check_built(base, open, unrelated, expected);
        let base = open.replace("../base, other.yaml", "pod.yaml, account.yaml");
        check_built(&base, overlay, unrelated, expected);
    }
    check_built(base, "resources: [../base\n", unrelated, &[missing]);
    // What no kustomization lists may be there for another one.
    check_built("resources: [account.yaml]\n", overlay, unrelated, &[]);
}

#[test]
fn only_what_may_make_a_missing_object_explains_it() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec:\n  containers: []\n  serviceAccountName: web-uesr\n---\n\
        {apiVersion: v1, kind: ServiceAccount, metadata: {name: web-user, namespace: shop}}\n---\n";
    let warning = "6: warning [dangling-reference] pod/a: spec.serviceAccountName: the input has no serviceaccount/web-uesr; did you mean \
        web-user?";
    let beside = |api_version: &str, kind: &str| {
        format!(
            "{pod}{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: web, namespace: shop}}}}\n"
        )
    };
    check_with(&[PARTS], &beside("example.com/v1", "Engine"), &[warning]);
    check_with(&[PARTS], &beside("example.com/v1", "Engine").replace("name: web,", "name: web-uesr,"), &[]);
    check_with(&[PARTS], &beside("cilium.io/v2", "CiliumNetworkPolicy"), &[warning]);
    check_with(&[PARTS], &beside("external-secrets.io/v1", "ExternalSecret"), &[warning]);
    let secret = beside("external-secrets.io/v1", "ExternalSecret");
    let secret = secret.replace("serviceAccountName: web-uesr", "imagePullSecrets: [{name: web-uesr}]");
    // It says what its Secret is called.
    let other = "6: warning [dangling-reference] pod/a: spec.imagePullSecrets[].name: the input has no secret/web-uesr; did you mean \
        web-user?";
    check_with(&[PARTS], &secret.replace("kind: ServiceAccount", "kind: Secret"), &[other]);
}

#[test]
fn a_config_map_that_is_missing_beside_another_is_found_in_a_single_source() {
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web-cfg}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  \
             containers: [{{name: a, image: a, envFrom: [{{configMapRef: {{name: {name}}}}}]}}]\n"
        )
    };
    check(
        &pod("web-settings"),
        &[
            "9: warning [dangling-reference] pod/a: spec.containers[].envFrom[].configMapRef.name: the input has no configmap/web-settings",
        ],
    );
    check(&pod("web-cfg"), &[]);
}

#[test]
fn a_missing_cluster_role_beside_others_is_advice() {
    let roles = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader}, rules: []}\n---\n\
        apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a}\nroleRef:\n  {apiGroup: \
        rbac.authorization.k8s.io, kind: ClusterRole, name: operator}\n";
    check(roles, &[]);
    check_with(
        &["--advice"],
        roles,
        &[
            "7: advice [dangling-reference] clusterrolebinding.rbac.authorization.k8s.io/a: roleRef.name: the input has no \
           clusterrole.rbac.authorization.k8s.io/operator",
        ],
    );
}

/// What applies two directories, each of which a Flux Kustomization of its own applies, with these objects.
#[track_caller]
fn check_two_of_one_system(one: &str, other: &str, args: &[&str], expected: &[&str]) {
    let applier = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: \
             {{interval: 1h, path: {path}, prune: true, targetNamespace: shop, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        )
    };
    let [root, a, b] =
        [("root", "./apps"), ("a", "./a"), ("b", "./b")].map(|(name, path)| applier(name, path));
    let files = [
        ("root.yaml", root.as_str()),
        ("apps/a.yaml", &a),
        ("apps/b.yaml", &b),
        ("a/kustomization.yaml", "resources: [one.yaml]\n"),
        ("a/one.yaml", one),
        ("b/kustomization.yaml", "resources: [other.yaml]\n"),
        ("b/other.yaml", other),
    ];
    check_files(args, &files, expected);
}

#[test]
fn a_kustomization_that_has_an_object_hides_no_others_of_its_name() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\n";
    for kustomized in ["a", "z"] {
        let [list, listed] = ["kustomization.yaml", "env.yaml"].map(|file| format!("{kustomized}/{file}"));
        check_files(
            &["--advice", "--only=duplicate-object"],
            &[(&list, "resources: [env.yaml]\n"), (&listed, map), ("b/1.yaml", map), ("b/2.yaml", map)],
            &[
                "b/2.yaml:3: advice [duplicate-object] configmap/env: the object is already defined (b/1.yaml:1)",
            ],
        );
    }
}

#[test]
fn files_below_different_kustomizations_that_do_not_list_them_are_not_applied_together() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\n";
    let generator = "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: g}\nfiles: [./kept/env.yaml]\n";
    let files = [
        ("a/kustomization.yaml", "generators: [generator.yaml]\n"),
        ("a/generator.yaml", generator),
        ("a/kept/env.yaml", map),
        ("b/kustomization.yaml", "generators: [generator.yaml]\n"),
        ("b/generator.yaml", generator),
        ("b/kept/env.yaml", map),
    ];
    check_files(&["--advice", "--only=duplicate-object"], &files, &[]);
    let files = [
        ("a/kustomization.yaml", "resources: []\n"),
        ("a/past/env.yaml", map),
        ("b/kustomization.yaml", "resources: []\n"),
        ("b/past/env.yaml", map),
    ];
    check_files(&["--advice", "--only=duplicate-object"], &files, &[]);
}

#[test]
fn what_only_another_namespace_has_is_advice_where_an_object_looks_in_its_own() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: a, image: 'a:1'}]\n  volumes: [{name: d, \
               persistentVolumeClaim: {claimName: data}}]\n";
    let claim = |namespace: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data, namespace: {namespace}}}\n"
        )
    };
    let found = |list: &str, claim: &str, expected: &[&str]| {
        let files = [
            ("app/kustomization.yaml", list),
            ("app/pod.yaml", pod),
            ("storage/kustomization.yaml", "resources: [data.yaml]\n"),
            ("storage/data.yaml", claim),
        ];
        check_files(&["--advice", "--only=dangling-reference"], &files, expected);
    };
    let list = "{namespace: shop, resources: [pod.yaml]}\n";
    let advice = "app/pod.yaml:6: advice [dangling-reference] pod/web: spec.volumes[].persistentVolumeClaim.claimName: namespace shop of the \
                  input has no persistentvolumeclaim/data, unlike namespace store (storage/data.yaml:1)";
    found(list, &claim("store"), &[advice]);
    found(list, &claim("shop"), &[]);
    // Whoever applies the pod chooses its namespace.
    found("resources: [pod.yaml]\n", &claim("store"), &[]);
    // What is remote may have the claim.
    found("{namespace: shop, resources: [pod.yaml, 'https://example.com/base']}\n", &claim("store"), &[]);
}

#[test]
fn labels_that_a_controller_gives_its_pods_are_not_missing() {
    for selector in [
        "leaderworkerset.sigs.k8s.io/name: web, role: leader",
        "cnpg.io/cluster: web",
        "strimzi.io/cluster: web",
        "jobset.sigs.k8s.io/jobset-name: web",
        "ray.io/node-type: head",
    ] {
        let service = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{selector: {{{selector}}}}}\n"
        );
        check(&with_web(&service), &[]);
    }
}

#[test]
fn what_one_object_applies_by_two_others_is_compared() {
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  defaultBackend:\n    service: {name: \
        oauth2-prxy, port: {number: 80}}\n";
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: oauth2-proxy}\nspec: {ports: [{port: 80}]}\n";
    let warning = "a/one.yaml:6: warning [dangling-reference] ingress.networking.k8s.io/web: spec.defaultBackend.service.name: the input has \
        no service/oauth2-prxy (./b/other.yaml:1); did you mean oauth2-proxy?";
    check_two_of_one_system(ingress, service, &[], &[&warning.replace("./", "")]);
    // Two appliers that bring the same object replace each other's, time and again.
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\n";
    check_two_of_one_system(
        map,
        map,
        &["--advice", "--only=duplicate-object"],
        &[
            "b/other.yaml:3: advice [duplicate-object] configmap/env: the object is already defined (a/one.yaml:1)",
        ],
    );
}

/// An object with a finding of severity error and one of warning.
const TWO: &str =
    "apiVersion: example.com/v1\nkind: Queue\nmetadata:\n  name: a\n  name: b\n  finalizers: [wait]\n";

const ERROR: &str = "5: error [repeated-key] queue.example.com/b: key \"name\" already set in map";
const WARNING: &str = "6: warning [unqualified-finalizer] queue.example.com/b: the finalizer wait is not of the form DOMAIN/NAME";

#[test]
fn rules_are_turned_off_by_flag_annotation_and_comment() {
    check(TWO, &[ERROR, WARNING]);
    check_with(&["--disable", "repeated-key"], TWO, &[WARNING]);
    check_with(&["--disable", "repeated-key,unqualified-finalizer"], TWO, &[]);
    check_with(&["--disable", "repeated-key", "--disable", "unqualified-finalizer"], TWO, &[]);
    check_with(&["--only", "repeated-key"], TWO, &[ERROR]);
    check_with(&["--only", "repeated-key,unqualified-finalizer"], TWO, &[ERROR, WARNING]);
    check_with(&["--only", "repeated-key", "--disable=repeated-key"], TWO, &[]);
    let annotated =
        format!("{TWO}  annotations: {{kselect.dev/disable: 'unqualified-finalizer, repeated-key'}}\n");
    check(&annotated, &[]);
    check(&format!("{TWO}# kselect: disable=unqualified-finalizer because\n"), &[ERROR]);
    check(&format!("{TWO}---\n# kselect: disable=repeated-key\n"), &[ERROR, WARNING]);
    check(&format!("{TWO}stringData: {{a: 'kselect: disable=repeated-key'}}\n"), &[ERROR, WARNING]);
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Queue\n  metadata:\n    name: a\n    \
                finalizers: [wait]  # kselect: disable=unqualified-finalizer\n- apiVersion: example.com/v1\n  kind: Queue\n  \
                metadata: {name: b, finalizers: [wait]}\n";
    check(list, &[&WARNING.replacen('6', "11", 1)]);
}

#[test]
fn an_object_that_turns_off_an_unknown_rule_is_told_so_there() {
    let annotated = format!("{TWO}  annotations:\n    a: b\n    kselect.dev/disable: nothing,repeated-key\n");
    let finding = "9: warning [unknown-rule] queue.example.com/b: disables the unknown rule \"nothing\"";
    check(&annotated, &[WARNING, finding]);
    let other = finding.replacen('9', "8", 1).replace("nothing", "other");
    check(
        &format!("---\n{TWO}# kselect: disable=repeated-key, other  why\n"),
        &[&WARNING.replacen('6', "7", 1), &other],
    );
    check(&format!("{TWO}# kselect: disable=unknown-rule,nothing\n"), &[ERROR, WARNING]);
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Queue\n  metadata:\n    name: b\n    \
                labels: {}  # kselect: disable=nothing\n";
    check(list, &[&finding.replacen('9', "8", 1)]);
    let json = r#"{"apiVersion": "example.com/v1", "kind": "Queue",
      "metadata": {"name": "b", "annotations": {
        "kselect.dev/disable": "nothing"}}}"#;
    check(json, &[&finding.replacen('9', "3", 1)]);
}

#[test]
fn an_unknown_rule_is_a_usage_error() {
    for (flag, id, hint) in [
        ("--disable", "nothing", "kselect check --list lists the rules"),
        ("--only", "danglin-service", "did you mean dangling-service?"),
    ] {
        kselect(&[flag, id], TWO)
            .status(2)
            .stderr(format!("error: {flag}: unknown rule \"{id}\"\nhint: {hint}\n"))
            .prints_nothing();
    }
}

#[test]
fn findings_are_shown_of_what_is_selected_and_all_is_read() {
    let input = format!("{}---\n{TWO}", deployment("web", "web"));
    check_with(&["deploy"], &input, &[]);
    check_with(
        &["-n", "other"],
        &input.replace("name: web", "namespace: x, name: web"),
        &[&ERROR.replacen('5', "7", 1), &WARNING.replacen('6', "8", 1)],
    );
    check_with(&["-l", "a=b"], &input, &[]);
    let service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}\n";
    check_with(&["svc/web"], &with_web(service), &[]);
}

#[test]
fn json_is_an_array_of_objects() {
    let json = r#"[
  {
    "id": "unqualified-finalizer",
    "confidence": "likely",
    "severity": "warning",
    "file": "STDIN",
    "line": 6,
    "kind": "queue.example.com",
    "namespace": "default",
    "name": "b",
    "message": "the finalizer wait is not of the form DOMAIN/NAME"
  }
]
"#;
    kselect(&["-o", "json", "--disable=repeated-key"], TWO).prints(json);
    kselect(&["-o", "json"], WEB).prints("[]\n");
}

#[test]
fn unreadable_input_is_a_finding_for_programs() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {a: 1}\n";
    let message =
        "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string";
    let (status, stdout, stderr) = run(&["-o", "json"], text);
    assert_eq!(
        (status, stderr.lines().next()),
        (Some(1), Some(&*format!("error: STDIN:4 (document 1): {message}")))
    );
    let findings: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    // Programs show it to more people, so the value is not named.
    let message = &*format!("{message}; without quotes, it is a number");
    let finding = serde_json::json!({
        "id": "unreadable", "confidence": "certain", "severity": "error", "file": "STDIN", "line": 4, "message": message
    });
    assert_eq!(findings, serde_json::json!([finding]));
    let (_, stdout, _) = run(&["-o", "json"], "apiVersion: v1\nKind: Pod\nmetadata: {name: a}\n");
    let message_of_kind = "Object 'Kind' is missing; did you mean kind instead of Kind?";
    assert!(stdout.contains(message_of_kind), "{stdout}");
    let (_, stdout, _) = run(&["-o", "sarif"], text);
    let log: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    let (result, rules) = (&log["runs"][0]["results"][0], &log["runs"][0]["tool"]["driver"]["rules"]);
    assert_eq!((&result["ruleId"], &result["message"]["text"]), (&"unreadable".into(), &message.into()));
    assert_eq!(
        rules.as_array().and_then(|rules| rules.last()).map(|rule| &rule["id"]),
        Some(&"unreadable".into())
    );
}

#[test]
fn sarif_has_the_rules_and_the_results() {
    let (status, stdout, stderr) = run(&["-o", "sarif"], TWO);
    assert_eq!(
        (status, stderr.as_str()),
        (
            Some(1),
            "checked 1 object in 1 file: 1 error, 1 warning; left out: 1 custom resource without a schema (Queue; see --schemas)\n"
        )
    );
    let log: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "kselect");
    assert_eq!(driver["rules"][0]["id"], "dangling-service");
    let help = driver["rules"][0]["help"]["text"].as_str().expect("a text");
    assert!(help.contains("\n\nWhy: No traffic reaches the Service: it has no endpoints.\n\n"), "{help}");
    let expected = serde_json::json!([
        {
            "ruleId": "repeated-key",
            "level": "error",
            "message": {"text": "queue.example.com/b: key \"name\" already set in map"},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "STDIN"}, "region": {"startLine": 5}
            }}],
            "partialFingerprints": {"primaryLocationLineHash": "68f1d313bd63a6f7:1"},
            "properties": {"confidence": "certain"}
        },
        {
            "ruleId": "unqualified-finalizer",
            "level": "warning",
            "message": {"text": "queue.example.com/b: the finalizer wait is not of the form DOMAIN/NAME"},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": "STDIN"}, "region": {"startLine": 6}
            }}],
            "partialFingerprints": {"primaryLocationLineHash": "f9da411b9a2ef569:1"},
            "properties": {"confidence": "likely"}
        }
    ]);
    assert_eq!(log["runs"][0]["results"], expected);
}

#[test]
fn the_rules_can_be_listed() {
    let (status, stdout, stderr) = run(&["--list"], "");
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let first = "dangling-service          warning   likely     A Service selects no pods, although there are pods in its namespace.";
    assert_eq!(stdout.lines().next(), Some(first));
    assert_eq!(stdout.lines().count(), kselect_core::check::all_rules().count());
}

#[test]
fn every_rule_has_an_example_among_these_tests() {
    let examples =
        [include_str!("check.rs"), include_str!("kustomizations.rs"), include_str!("policies.rs")].concat();
    for rule in kselect_core::check::RULES {
        assert!(
            examples.contains(&format!("[{}]", rule.id)),
            "neither tests/it/check.rs nor kustomizations.rs nor policies.rs shows a finding of {}",
            rule.id
        );
    }
}

#[test]
fn unreadable_input_fails_and_hides_no_finding() {
    let (status, stdout, stderr) = run(&["--disable=repeated-key"], &format!("{TWO}---\na: [\n"));
    assert_eq!((status, stdout), (Some(1), format!("STDIN:{WARNING}\n")));
    assert!(stderr.starts_with("error: STDIN:"), "{stderr}");
}

#[test]
fn a_name_that_is_not_found_is_an_error() {
    Kselect::new(["check", "svc", "nosuch"])
        .stdin(WEB)
        .status(1)
        .stderr("error: services \"nosuch\" not found\n")
        .prints_nothing();
    Kselect::new(["check", "svc/web", "svc/nosuch-*"]).stdin(COMPLETE).prints_nothing();
}

/// A Service on one line that selects by the label app.
fn service(name: &str, app: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{selector: {{app: {app}}}}}}}\n"
    )
}

#[test]
fn pods_of_another_environment_are_not_those_of_this_one() {
    let (deployment, right, wrong) = (deployment("web", "web"), service("web", "web"), service("web", "wbe"));
    let other = deployment.replace("app: web", "app: wbe");
    // Both directories have a service/web: they are alternatives.
    let files = [
        ("dev/d.yaml", &*deployment),
        ("dev/s.yaml", &wrong),
        ("prod/d.yaml", &other),
        ("prod/s.yaml", &wrong),
    ];
    let finding = "dev/s.yaml:1: warning [dangling-service] service/web: no pod applied together with it has the \
                   labels app=wbe; did you mean app=web?";
    check_files(&[], &files, &[finding]);
    check_files(&[], &[files[0], ("dev/s.yaml", &right), files[2], files[3]], &[]);
}

#[test]
fn a_selector_that_matches_in_another_namespace_alone_is_found() {
    let deployment = deployment("web", "web").replace("name: web", "name: web, namespace: shop");
    let service = service("web", "web");
    let named = service.replace("name: web", "name: web, namespace: lab");
    check(
        &format!("{deployment}---\n{named}"),
        &[
            "3: warning [dangling-service] service/web: the pods with the labels app=web are in namespace shop, but this object is in lab",
        ],
    );
    // The namespace of an object without one is decided when it is applied.
    check(&format!("{deployment}---\n{service}"), &[]);
    let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, namespace: shop}\nspec:\n  \
                   defaultBackend: {service: {name: web, port: {number: 80}}}\n";
    check(
        &format!("{named}---\n{ingress}"),
        &[
            "7: warning [dangling-reference] ingress.networking.k8s.io/i: spec.defaultBackend.service.name: service/web \
           is in namespace lab, not in shop",
        ],
    );
}

#[test]
fn a_stronger_finding_is_not_hidden_by_another_directory() {
    let (a, b) = (deployment("a", "web"), deployment("b", "web"));
    let both = format!("{a}---\n{b}");
    let message = "3: warning [overlapping-controllers] deployment.apps/b: the pods are also matched by the selector \
                   app=web of deployment.apps/a";
    let found = format!("z/both.yaml:{message} (z/both.yaml:1)");
    check_files(&[], &[("a/a.yaml", &deployment("c", "web")), ("z/both.yaml", &both)], &[&found]);
    let twice = format!("{a}---\n{a}");
    check_files(
        &[],
        &[("a/a.yaml", &a), ("z/twice.yaml", &twice)],
        &[
            "z/twice.yaml:3: error [duplicate-object] deployment.apps/a: the object is already defined (z/twice.yaml:1)",
        ],
    );
}

#[test]
fn what_tests_expect_is_not_checked() {
    let wrong = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: A\n";
    let note = |count: &str| format!("checked 3 objects in 1 file: no findings; left out: {count}\n");
    let run = |files: &[(&str, &str)]| {
        let kselect = Kselect::new(["check", "-R", "-f", "."]);
        files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text))
    };
    let expression = format!("{wrong}data:\n  (length(@)): 3\n").replace("data", "spec");
    run(&[("a.yaml", &expression), ("b.yaml", COMPLETE)]).stderr(note("1 step of a test")).prints_nothing();
    // Below the configuration of kuttl.
    let (suite, file) = ("apiVersion: kudo.dev/v1beta1\nkind: TestSuite\n", "b.yaml");
    run(&[("t/kuttl-test.yaml", suite), ("t/a/00-assert.yaml", wrong), (file, COMPLETE)])
        .stderr(note("1 step of a test, 1 configuration of a tool"))
        .prints_nothing();
    // Or beside another step of a test.
    run(&[("a/00-run.yaml", COMPLETE), ("a/00-assert.yaml", wrong), ("a/01-errors.yaml", wrong)])
        .stderr(note("2 steps of tests"))
        .prints_nothing();
    for step in ["t/a/00-install.yaml", "t/a/assert.yaml", "00-assert.yaml"] {
        let output = run(&[("t/kuttl-test.yaml", suite), (step, wrong), (file, COMPLETE)]).run();
        assert_eq!(output.status.code(), Some(1), "{step}");
    }
    // Patches of kustomizations are not objects.
    let kustomization = "patches: [{path: patch.yaml, target: {kind: Secret}}]\nresources: [b.yaml]\n";
    run(&[("kustomization.yaml", kustomization), ("patch.yaml", wrong), ("b.yaml", COMPLETE)])
        .stderr(note("1 kustomization (not built; see -k), 1 patch"))
        .prints_nothing();
}

#[test]
fn custom_workloads_make_pods() {
    let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r}\nspec:\n  selector: \
                   {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: []}\n";
    let input = |app: &str| format!("{rollout}---\n{}", service("web", app));
    check(&input("web"), &[]);
    check(
        &input("wbe"),
        &[
            "10: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean \
           app=web?",
        ],
    );
    check(
        &rollout.replace("labels: {app: web}", "labels: {app: x}"),
        &[
            "7: error [template-mismatch] rollout.argoproj.io/r: the selector app=web does not match the labels of \
           the pod template",
        ],
    );
    // Objects labelled with the group of an operator are created by it.
    let custom = "---\napiVersion: db.example.com/v1\nkind: Database\nmetadata: {name: main}\n";
    let made = service("db", "x").replace("{app: x}", "{db.example.com/cluster: main}");
    check(&format!("{}---\n{made}{custom}", deployment("web", "web")), &[]);
    // Every cluster has DNS.
    let dns = service("dns", "x")
        .replace("app: x", "k8s-app: kube-dns")
        .replace("name: dns", "name: dns, namespace: kube-system");
    let system = deployment("web", "web").replace("name: web", "name: web, namespace: kube-system");
    check(&format!("{system}---\n{dns}"), &[]);
}

#[test]
fn what_a_server_wrote_says_nothing_about_manifests() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: node-a, uid: u, labels: {disk: ssd}}}\n---\n";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {disk: hdd}}}\n";
    check(&format!("{node}{pod}"), &[]);
    // Mock nodes in another directory.
    let node = node.replace("uid: u, ", "");
    check_files(&[], &[("a/n.yaml", &node), ("b/p.yaml", pod)], &[]);
    let live = |uid: &str| format!("{{apiVersion: v1, kind: Secret, metadata: {{name: a, uid: {uid}}}}}\n");
    check(&format!("{}---\n{}", live("u1"), live("u2")), &[]);
    check(&format!("{}---\n{}", live("u1"), live("u1")), &[]);
    // A DaemonSet without a node is not an error.
    let set = deployment("a", "a").replace("Deployment", "DaemonSet").replace(
        "containers: [{name: a, image: a}]",
        "containers: [{name: a, image: a}], nodeSelector: {disk: hdd}",
    );
    check(&format!("{node}{set}"), &[]);
}

#[test]
fn the_scope_of_an_undefined_kind_is_unknown() {
    let owner = "{apiVersion: operator.example.com/v1, kind: Dns, metadata: {name: default}}\n---\n";
    let owned = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  namespace: one\n  ownerReferences:\n  - \
                 {apiVersion: operator.example.com/v1, kind: Dns, name: default, uid: u}\n";
    check(&format!("{owner}{owned}"), &[]);
    check(&format!("{}{owned}", owner.replace("name: default", "name: default, namespace: two")), &[]);
}

#[test]
fn variables_that_are_set_twice_are_found() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    env:\n    - \
               {name: PORT, value: x}\n    - {name: HOST, value: b}\n    - {name: PORT, value: z}\n";
    check(pod, &["10: warning [duplicate-variable] pod/a: the variable PORT is already set (line 8)"]);
    check(&pod.replace("HOST, value: b}\n    - {name: PORT", "PORT_2}\n    - {name: PORT_3"), &[]);
}

#[test]
fn policies_that_are_refused_are_found() {
    let policy = |block: &str, port: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: a}}\nspec:\n  podSelector: {{}}\n  \
             ingress:\n  - from:\n    - ipBlock: {{{block}}}\n    ports:\n    - {{{port}}}\n"
        )
    };
    let found = |line: u8, message: &str| {
        format!("{line}: error [invalid-policy] networkpolicy.networking.k8s.io/a: spec.ingress[0].{message}")
    };
    let subset = "from[0].ipBlock.except[0]: Invalid value: must be a strict subset of `cidr`";
    check(&policy("cidr: 10.0.0.0/8, except: [10.1.0.0/16]", "port: 80, endPort: 90"), &[]);
    check(&policy("cidr: \"${CIDR}\"", "port: http"), &[]);
    check(
        &policy("cidr: 10.0.0.0", "port: 80"),
        &[&found(
            8,
            "from[0].ipBlock.cidr: Invalid value: must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        )],
    );
    check(
        &policy("cidr: 10.0.0.0/8, except: [11.0.0.0/16]", "port: 90000"),
        &[
            &found(8, subset),
            &found(10, "ports[0].port: Invalid value: must be between 1 and 65535, inclusive"),
        ],
    );
    check(
        &policy("cidr: '2001:db8::/32', except: ['2001:db8::/32']", "port: http, endPort: 90"),
        &[
            &found(8, subset),
            &found(10, "ports[0].endPort: Invalid value: may not be specified when `port` is non-numeric"),
        ],
    );
    check(
        &policy("cidr: 0.0.0.0/0", "port: 90, endPort: 80"),
        &[&found(10, "ports[0].endPort: Invalid value: must be greater than or equal to `port`")],
    );
}

#[test]
fn missing_ports_are_found() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: web}\n  ports:\n  - \
                   {name: http, port: 80, targetPort: web}\n---\n";
    let deployment = deployment("web", "web").replace(
        "containers: [{name: a, image: a}]",
        "containers: [{name: c, ports: [{name: web, containerPort: 8080}]}]",
    );
    let ingress = |port: &str| {
        format!(
            "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: i}}\nspec:\n  defaultBackend:\n    \
             service: {{name: web, port: {{{port}}}}}\n"
        )
    };
    check(&format!("{service}{deployment}{}", ingress("number: 80")), &[]);
    check(&format!("{service}{deployment}{}", ingress("name: http")), &[]);
    let found = "16: warning [dangling-port] ingress.networking.k8s.io/i: spec.defaultBackend: service/web has no port";
    check(
        &format!("{service}{deployment}{}", ingress("number: 8080")),
        &[&format!("{found} 8080 (STDIN:1); it has 80")],
    );
    check(
        &format!("{service}{deployment}{}", ingress("name: web")),
        &[&format!("{found} web (STDIN:1); it has http")],
    );
    check(
        &format!("{}{deployment}", service.replace("targetPort: web", "targetPort: wbe")),
        &[
            "7: warning [dangling-port] service/web: no container of its pods has a port named wbe; did you mean web?",
        ],
    );
    let sidecar = "initContainers: [{name: s, image: i, restartPolicy: Always, ports: [{name: wbe, containerPort: 9}]}], containers:";
    let with = deployment.replace("containers:", sidecar);
    check(&format!("{}{with}", service.replace("targetPort: web", "targetPort: wbe")), &[]);
    let policy = "---\n{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np}, spec: {podSelector: {matchLabels: {app: \
                  web}}, ingress: [{ports: [{port: webb}]}]}}\n";
    check(
        &format!("{service}{deployment}{policy}"),
        &[
            "11: warning [dangling-port] networkpolicy.networking.k8s.io/np: no container of its pods has a port named webb; did you mean web?",
        ],
    );
    // A Job with the labels has no ports, unlike other pods, to which something may add them.
    let beside = |object: &str| {
        format!("{}{deployment}---\n{object}", service.replace("targetPort: web", "targetPort: wbe"))
    };
    let template = "template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
    check(
        &beside(&format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {{{template}}}}}\n"
        )),
        &[
            "7: warning [dangling-port] service/web: no container of its pods has a port named wbe; did you mean web?",
        ],
    );
    check(
        &beside(
            "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}\n",
        ),
        &[],
    );
    // A port may be a variable.
    check(
        &format!(
            "{}{deployment}{}",
            service.replace("port: 80", "port: \"${PORT:=80}\""),
            ingress("number: 80")
        ),
        &[],
    );
    let route = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r}\nspec:\n  rules:\n  - \
                 backendRefs: [{name: web, port: 81}]\n";
    check(
        &format!("{service}{deployment}{route}"),
        &[
            "16: warning [dangling-port] httproute.gateway.networking.k8s.io/r: spec.rules[].backendRefs[]: service/web has no port 81 \
             (STDIN:1); it has 80",
        ],
    );
    let traefik = |kind: &str, services: &str| {
        format!(
            "{service}{deployment}---\napiVersion: traefik.io/v1alpha1\nkind: {kind}\nmetadata: {{name: r}}\nspec:\n  routes:\n  - \
             services: [{services}]\n"
        )
    };
    for kind in ["IngressRoute", "IngressRouteTCP", "IngressRouteUDP"] {
        let found = format!(
            "16: warning [dangling-port] {}.traefik.io/r: spec.routes[].services[]: service/web has no port 81 (STDIN:1); it has 80",
            kind.to_lowercase()
        );
        check(&traefik(kind, "{name: web, port: 81}"), &[&found]);
        check(&traefik(kind, "{name: web, port: 80}, {name: web, port: http}"), &[]);
        check(&traefik(kind, "{kind: TraefikService, name: web, port: 81}"), &[]);
    }
    let virtual_service = |destination: &str| {
        format!(
            "{service}{deployment}---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{name: v}}\nspec:\n  http:\n  - \
             route: [{{destination: {{{destination}}}}}]\n"
        )
    };
    let found = "16: warning [dangling-port] virtualservice.networking.istio.io/v: spec.http[].route[].destination: service/web has no \
                 port 81 (STDIN:1); it has 80";
    check(&virtual_service("host: web, port: {number: 81}"), &[found]);
    check(&virtual_service("host: web.default.svc.cluster.local, port: {number: 81}"), &[found]);
    for right in ["host: web, port: {number: 80}", "host: web", "host: web.example.com, port: {number: 81}"] {
        check(&virtual_service(right), &[]);
    }
    let route = "---\napiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: r}\nspec:\n  to: {kind: Service, name: web}\n  \
                 port: {targetPort: htpp}\n";
    check(
        &format!("{service}{deployment}{route}"),
        &[
            "16: warning [dangling-port] route.route.openshift.io/r: spec.port.targetPort: service/web has no port htpp (STDIN:1); did \
             you mean http?",
        ],
    );
    check(&format!("{service}{deployment}{}", route.replace("htpp", "8080")), &[]);
}

#[test]
fn monitors_measure_ports_that_there_are() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, labels: {app: web}}\nspec:\n  ports:\n  - {name: metrics, \
                   port: 80}\n  selector: {app: web}\n---\n";
    let deployment = deployment("web", "web").replace(
        "containers: [{name: a, image: a}]",
        "containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]",
    );
    let monitor = |kind: &str, endpoints: &str| {
        format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: m}}\nspec:\n  selector: {{matchLabels: \
             {{app: web}}}}\n  {endpoints}\n"
        )
    };
    let check =
        |monitor: String, expected: &[&str]| check(&format!("{service}{deployment}{monitor}"), expected);
    check(monitor("ServiceMonitor", "endpoints: [{port: metrics}]"), &[]);
    check(monitor("PodMonitor", "podMetricsEndpoints: [{port: http}]"), &[]);
    check(
        monitor("ServiceMonitor", "endpoints: [{port: metircs}]"),
        &[
            "16: warning [dangling-port] servicemonitor.monitoring.coreos.com/m: no Service that it selects has a port named metircs; did \
             you mean metrics?",
        ],
    );
    check(
        monitor("PodMonitor", "podMetricsEndpoints: [{port: metrics}]"),
        &[
            "16: warning [dangling-port] podmonitor.monitoring.coreos.com/m: no container of its pods has a port named metrics",
        ],
    );
}

#[test]
fn an_autoscaler_measures_what_is_requested() {
    let autoscaler = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  \
                      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 3\n  metrics:\n  - \
                      {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}\n";
    let with = |resources: &str| {
        deployment("web", "web").replace(
            "containers: [{name: a, image: a}]",
            &format!("containers: [{{name: c, resources: {resources}}}]"),
        )
    };
    let found = "9: warning [missing-request] horizontalpodautoscaler.autoscaling/a: container c of \
                 deployment.apps/web requests no cpu, by which it is scaled";
    check(&format!("{}{autoscaler}", with("{requests: {memory: 1Gi}}")), &[found]);
    check(&format!("{}{autoscaler}", with("{requests: {cpu: 1}}")), &[]);
    check(&format!("{}{autoscaler}", with("{limits: {cpu: 1}}")), &[]);
    let by_value =
        autoscaler.replace("type: Utilization, averageUtilization", "type: AverageValue, averageValue");
    check(&format!("{}{by_value}", with("{}")), &[]);
    // Version 1 has cpu alone, by default, and other metrics in an annotation.
    let first =
        autoscaler.split("  metrics:").next().expect("a part").replace("autoscaling/v2", "autoscaling/v1");
    let memory = r#"[{"type": "Resource", "resource": {"name": "memory", "targetAverageUtilization": 50}}]"#;
    let annotated = first.replace(
        "{name: a}",
        &format!("{{name: a, annotations: {{autoscaling.alpha.kubernetes.io/metrics: '{memory}'}}}}"),
    );
    check(&format!("{}{first}", with("{requests: {memory: 1Gi}}")), &[&found.replace("9:", "6:")]);
    check(&format!("{}{annotated}", with("{requests: {memory: 1Gi}}")), &[]);
    let found = found.replace("9:", "6:").replace("no cpu", "no memory");
    check(&format!("{}{annotated}", with("{requests: {cpu: 1}}")), &[&found]);
    let limits = "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: l}}\n";
    check(&format!("{}{autoscaler}{limits}", with("{}")), &[]);
}

#[test]
fn objects_without_metadata_lack_a_name_in_directories_too() {
    let found = "a.yaml:1: error [invalid-name] deployment.apps/: metadata.name: Required value: name or generateName \
                 is required";
    check_files(&[], &[("a.yaml", "apiVersion: apps/v1\nkind: Deployment\n")], &[found]);
    // A List without items, and the file of a tool.
    check_files(&[], &[("a.yaml", "apiVersion: v1\nkind: PodList\nmetadata: {resourceVersion: '1'}\n")], &[]);
    check_files(
        &[],
        &[("a.yaml", "apiVersion: tool.example.com/v1\nkind: Config\nmetadata: {labels: {a: b}}\n")],
        &[],
    );
}

#[test]
fn placeholders_are_not_names() {
    let named = |name: &str| format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n");
    for name in ["app-${NAME}", "$(NAME)", "'{{ name }}'", "<your name>", "'%NAME%'", "'@NAME@'", "__NAME__"]
    {
        check(&named(name), &[]);
        check(&named(&format!("a\n  namespace: {name}")), &[]);
    }
    // A kind without a definition may have any scope.
    let (status, stdout, _) = run(&[], "apiVersion: ex.io/v1\nkind: Widget\nmetadata: {name: aB}\n");
    assert_eq!(status, Some(0));
    assert!(stdout.starts_with("STDIN:3: warning [invalid-name] widget.ex.io/aB: "), "{stdout}");
    // OpenShift's servers accept names with colons.
    let tag = "apiVersion: image.openshift.io/v1\nkind: ImageStreamTag\nmetadata: {name: 'a:latest'}\n";
    check(tag, &[]);
}

#[test]
fn a_kind_that_is_defined_twice_has_the_fields_of_either() {
    let definition = |file: &str| {
        let properties = if file == "b" { "size: {type: integer}" } else { "color: {type: string}" };
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.ex.io}}\nspec:\n  \
             group: ex.io\n  scope: Namespaced\n  names: {{kind: Widget, plural: widgets}}\n  versions:\n  - {{name: v1, \
             served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, \
             properties: {{{properties}}}}}}}}}}}}}\n"
        )
    };
    let widget = "apiVersion: ex.io/v1\nkind: Widget\nmetadata: {name: w}\nspec: {color: red}\n";
    let (a, b) = (definition("a"), definition("b"));
    check_files(&[], &[("a/d.yaml", &a), ("b/d.yaml", &b), ("w.yaml", widget)], &[]);
    check_files(
        &[],
        &[("b/d.yaml", &b), ("w.yaml", widget)],
        &[
            "w.yaml:4: error [unknown-field] widget.ex.io/w: strict decoding error: unknown field \"spec.color\"; its definition \
             is at b/d.yaml:1",
        ],
    );
}

/// A PodDisruptionBudget in a version that Kubernetes 1.25 no longer serves.
const OLD_BUDGET: &str = "\
# Of an old chart
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: a}
spec: {minAvailable: 1}
";

#[test]
fn versions_that_are_not_served_any_more_are_found() {
    let removed = "2: error [removed-api] poddisruptionbudget.policy/a: policy/v1beta1 PodDisruptionBudget is \
                   unavailable in v1.25+; use policy/v1 PodDisruptionBudget";
    check(OLD_BUDGET, &[removed]);
    check_with(&["--kubernetes", "v1.25.3"], OLD_BUDGET, &[removed]);
    check(&OLD_BUDGET.replace("v1beta1", "v1"), &[]);
    let ingress = "{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: a}}\n";
    check(
        ingress,
        &[
            "1: error [removed-api] ingress.networking.k8s.io/a: extensions/v1beta1 Ingress is unavailable in v1.22+; use \
           networking.k8s.io/v1 Ingress",
        ],
    );
    // A live object has the version that was asked for, and its manifest another one.
    let live = |version: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: a\n  uid: u\n  annotations:\n    \
             kubectl.kubernetes.io/last-applied-configuration: '{{\"apiVersion\":\"{version}\",\"kind\":\"Ingress\",\"metadata\":{{}}}}'\n"
        )
    };
    let found = "7: warning [removed-api] ingress.networking.k8s.io/a: the manifest that was applied last has another version: \
                 networking.k8s.io/v1beta1 Ingress is unavailable in v1.22+; use networking.k8s.io/v1 Ingress";
    check(&live("networking.k8s.io/v1beta1"), &[found]);
    check(&live("networking.k8s.io/v1"), &[]);
}

#[test]
fn versions_that_managers_of_fields_write_are_found() {
    let entry = |manager: &str, version: &str, subresource: &str| {
        format!("{{manager: {manager}, operation: Update, apiVersion: {version}{subresource}}}")
    };
    let live = |entries: &[String]| {
        format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: a\n  uid: u\n  managedFields: [{}]\nspec: \
             {{selector: {{matchLabels: {{a: b}}}}}}\n",
            entries.join(", ")
        )
    };
    let old = entry("helm", "policy/v1beta1", "");
    let found = "1: warning [removed-api] poddisruptionbudget.policy/a: \"helm\", which manages fields of it, wrote another \
                 version: policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use policy/v1 PodDisruptionBudget";
    check(&live(std::slice::from_ref(&old)), &[found]);
    check_with(&["--kubernetes", "1.25"], &live(&[entry("kubectl", "policy/v1", ""), old.clone()]), &[found]);
    // It has written the new version since, or the status alone.
    check(&live(&[old.clone(), entry("helm", "policy/v1", "")]), &[]);
    check(&live(&[entry("controller", "policy/v1beta1", ", subresource: status")]), &[]);
    check(&live(&[entry("helm", "policy/v1", "")]), &[]);
    check(&live(&[old]).replace("  uid: u\n", ""), &[]);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let of = |chunk: &[u8]| {
        let bits =
            (0..3).fold(0, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or_default()));
        let digit = |at: usize| DIGITS[(bits >> (18 - 6 * at)) as usize & 63] as char;
        (0..4).map(|at| if at <= chunk.len() { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(of).collect()
}

#[test]
fn versions_in_the_manifests_of_helm_releases_are_found() {
    let release = |status: &str, manifest: &str| {
        let json = serde_json::json!({"name": "web", "manifest": manifest}).to_string();
        let encoded = base64(base64(&gzip(json.as_bytes())).as_bytes());
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: sh.helm.release.v1.web.v2\n  uid: u\n  labels: {{owner: helm, status: \
             {status}}}\ntype: helm.sh/release.v1\ndata: {{release: {encoded}}}\n"
        )
    };
    let manifest = "---\n# Source: a.yaml\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: secret}\n---\n\
                    apiVersion: v1\nkind: Service\nmetadata: {name: a}\n";
    let found = "8: warning [removed-api] secret/sh.helm.release.v1.web.v2: the manifest of the Helm release has another version: \
                 policy/v1beta1 PodDisruptionBudget is unavailable in v1.25+; use policy/v1 PodDisruptionBudget; helm upgrade fails \
                 until the release has the new one (helm mapkubeapis)";
    check(&release("deployed", manifest), &[found]);
    check(&release("superseded", manifest), &[]);
    check(&release("deployed", &manifest.replace("v1beta1", "v1")), &[]);
    // What is hidden says nothing, and what cannot be read is counted.
    let broken = release("deployed", "").replace("release: ", "release: SGVsbG8h");
    check(&broken.replace("release: ", "other: "), &[]);
    let advice = "8: advice [removed-api] secret/sh.helm.release.v1.web.v2: the Helm release cannot be read, so the versions in its \
                  manifest are not checked";
    check_with(&["--advice"], &broken, &[advice]);
    check_with(&["--advice"], &release("deployed", "kind: [\n"), &[advice]);
}

#[test]
fn what_follows_from_one_wrong_indentation_is_counted() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n  image: a\n  ports: []\n  env: []\n";
    let found = "pod.yaml:7: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.image\"; did you mean \
                 imagePullSecrets?\n  and 3 more that follow from it; -o json lists all\n";
    let kselect = |args: &[&str]| {
        Kselect::new(["check", "-f", "pod.yaml"].iter().chain(args).copied()).file("pod.yaml", pod).status(1)
    };
    kselect(&[]).stderr("checked 1 object in 1 file: 4 errors\n").prints(found);
    kselect(&["--disable", "unknown-field"])
        .stderr("checked 1 object in 1 file: 1 error; left out: 3 findings by --only or --disable\n")
        .prints("pod.yaml:6: error [missing-field] pod/a: spec.containers[0].image: Required value\n");
}

#[test]
fn versions_of_custom_resources_are_those_that_their_definition_serves() {
    let definition = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.ex.io}
spec:
  group: ex.io
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true}
  - {name: v1beta2, served: true, storage: false, deprecated: true}
  - {name: v1beta1, served: true, storage: false, deprecated: true, deprecationWarning: Widgets are v1 now}
  - {name: v1alpha1, served: false, storage: false}
";
    let widget =
        |version: &str| format!("---\napiVersion: ex.io/{version}\nkind: Widget\nmetadata: {{name: w}}\n");
    let check_version = |version: &str, expected: &[&str]| {
        check(&format!("{definition}{}", widget(version)), expected);
    };
    check_version("v1", &[]);
    check_version(
        "v1beta2",
        &[
            "14: warning [deprecated-api] widget.ex.io/w: ex.io/v1beta2 Widget is deprecated; use ex.io/v1 Widget",
        ],
    );
    check_version("v1beta1", &["14: warning [deprecated-api] widget.ex.io/w: Widgets are v1 now"]);
    let unserved = "14: error [removed-api] widget.ex.io/w: no matches for kind \"Widget\" in version \"ex.io/v1alpha1\"; use ex.io/v1 Widget";
    check_version("v1alpha1", &[unserved]);
    // Another release of the definition may have it.
    check_version("v2", &[]);
    let other = definition.replace("served: false", "served: true");
    let files = [("a/d.yaml", definition), ("b/d.yaml", &other), ("w.yaml", &widget("v1alpha1"))];
    check_files(&[], &files, &[]);
}

#[test]
fn versions_that_the_server_warns_of_are_found() {
    let schema = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n\
                  spec: {priorityLevelConfiguration: {name: a}}\n";
    let deprecated = "1: warning [deprecated-api] flowschema.flowcontrol.apiserver.k8s.io/a: \
                      flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; \
                      use flowcontrol.apiserver.k8s.io/v1 FlowSchema";
    check_with(&["--kubernetes", "1.29"], schema, &[deprecated]);
    check_with(&["--kubernetes=1.28"], schema, &[]);
    let endpoints = "{apiVersion: v1, kind: Endpoints, metadata: {name: a}}\n";
    let deprecated = "1: warning [deprecated-api] endpoints/a: v1 Endpoints is deprecated in v1.33+; use \
                      discovery.k8s.io/v1 EndpointSlice";
    check(endpoints, &[deprecated]);
    check_with(&["--disable", "deprecated-api"], endpoints, &[]);
    // Objects from a cluster are in the requested version.
    check(&endpoints.replace("{name: a}", "{name: a, uid: 5-5}"), &[]);
}

#[test]
fn a_release_is_asked_for_by_its_number() {
    let error = "error: invalid value '2' for --kubernetes: not a release of Kubernetes such as 1.37\n";
    kselect(&["--kubernetes", "2"], OLD_BUDGET).status(2).stderr(error).prints_nothing();
    let error = "error: invalid value '1.24' for --kubernetes: kselect knows Kubernetes 1.25 to 1.37; use 1.25 for older \
                 releases\n";
    kselect(&["--kubernetes", "1.24"], OLD_BUDGET).status(2).stderr(error).prints_nothing();
}

#[test]
fn what_is_not_read_moves_no_line() {
    let item = "- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: a\n    finalizers: [wait]\n  status:\n    a: b\n";
    let found = |line: usize| {
        format!(
            "{line}: error [unqualified-finalizer] secret/a: the finalizer wait is not of the form DOMAIN/NAME"
        )
    };
    let items = format!("{item}{}", item.replace("    name: a", "    namespace: b\n    name: a"));
    let rules = ["--only=unqualified-finalizer"];
    check_with(&rules, &format!("apiVersion: v1\nkind: List\nitems:\n{items}"), &[&found(8), &found(16)]);
    check_with(&rules, &item.replace("- ", "").replace("\n  ", "\n"), &[&found(5)]);
}

#[test]
fn hints_name_the_likeliest_kind_and_where_a_field_moved() {
    let found = |text: &str, found: &[&str]| {
        let output =
            Kselect::new(["check", "--only", "unknown-field,removed-api", "-f", "-"]).stdin(text).run();
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let shown: Vec<&str> =
            text.lines().filter_map(|line| line.split_once(": error ")).map(|(_, rest)| rest).collect();
        assert_eq!(shown, found);
    };
    found(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, type: Opaque, data: {a: b}}",
        &[
            "[unknown-field] configmap/a: strict decoding error: unknown field \"type\"; type is a field of a Secret",
        ],
    );
    found(
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {rules: [{http: {paths: [{path: /, \
         pathType: Prefix, backend: {serviceName: a, servicePort: 80}}]}}]}}",
        &[
            "[unknown-field] ingress.networking.k8s.io/a: strict decoding error: unknown field \
             \"spec.rules[0].http.paths[0].backend.serviceName\"; in this version, serviceName is service.name",
            "[unknown-field] ingress.networking.k8s.io/a: strict decoding error: unknown field \
             \"spec.rules[0].http.paths[0].backend.servicePort\"; in this version, servicePort is service.port.number or \
             service.port.name",
        ],
    );
    found(
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 2, \
         scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: a}}}",
        &[
            "[removed-api] horizontalpodautoscaler.autoscaling/a: spec.scaleTargetRef: extensions/v1beta1 Deployment is unavailable \
             in v1.16+; use apps/v1 Deployment",
        ],
    );
}

#[test]
fn what_another_version_needs_besides_is_said() {
    let check_needs = |text: &str, needs: &str| {
        let mut run = Kselect::new(["check", "-f", "a.yaml"]).file("a.yaml", text);
        let output = String::from_utf8(run.run().stdout).expect("UTF-8");
        let removed = output.lines().find(|line| line.contains("[removed-api]")).expect("a finding");
        assert!(removed.ends_with(needs), "{removed}");
    };
    let deployment = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: a}\nspec: {}\n";
    check_needs(deployment, "; use apps/v1 Deployment; spec.selector is required there");
    check_needs(&deployment.replace("{}", "{selector: {}}"), "; use apps/v1 Deployment");
    let ingress = |backend: &str| {
        format!(
            "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {{name: a}}\nspec: {{rules: [{{http: {{paths: [{{backend: {backend}}}]}}}}]}}\n"
        )
    };
    check_needs(
        &ingress("{serviceName: a, servicePort: 80}"),
        "; use networking.k8s.io/v1 Ingress; serviceName and servicePort are service.name and service.port there, and \
         pathType is required",
    );
    check_needs(&ingress("{service: {name: a}}"), "; use networking.k8s.io/v1 Ingress");
    let definition = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: as.b.io}\nspec: {}\n";
    let needs = "; use apiextensions.k8s.io/v1 CustomResourceDefinition; every version of spec.versions needs a schema there";
    check_needs(definition, needs);
    let policy = "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n";
    check_needs(policy, " is unavailable in v1.25+; use Pod Security Admission");
}

#[test]
fn the_place_of_a_misplaced_field_is_the_likeliest_one() {
    let job = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: a\n  spec: {schedule: 1}\n";
    let mut run = Kselect::new(["check", "--only=unknown-field", "-f", "a.yaml"]).file("a.yaml", job);
    let found = String::from_utf8(run.run().stdout).expect("UTF-8");
    let spec = "a.yaml:5: error [unknown-field] cronjob.batch/a: strict decoding error: unknown field \"metadata.spec\"; spec is a \
                field of the CronJob itself\n";
    assert_eq!(found, spec);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  runtimeClass: a\n  containers: [{name: a, image: a:1}]\n  \
               volumes: [{name: a, emptyDir: {}, resources: {}}]\n";
    let mut run = Kselect::new(["check", "--only=unknown-field", "-f", "a.yaml"]).file("a.yaml", pod);
    let found = String::from_utf8(run.run().stdout).expect("UTF-8");
    let fields = "a.yaml:5: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.runtimeClass\"; did you mean \
                  runtimeClassName?\n\
                  a.yaml:7: error [unknown-field] pod/a: strict decoding error: unknown field \"spec.volumes[0].resources\"; \
                  resources is a field of spec.containers[]\n";
    assert_eq!(found, fields);
}

#[test]
fn what_runs_two_objects_together_or_misplaces_a_name_is_said() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a:1}]}\n";
    let key = |line: usize, key: &str, hint: &str| {
        format!("{line}: error [repeated-key] pod/a: key \"{key}\" already set in map{hint}")
    };
    let found = [
        key(5, "apiVersion", "; a line --- may be missing before it"),
        key(6, "kind", ""),
        key(7, "metadata", ""),
        key(8, "spec", ""),
    ];
    check(&format!("{pod}{pod}"), &found.each_ref().map(String::as_str));
    let beside = "apiVersion: v1\nkind: Secret\nmetadata:\nname: a\n";
    let mut run = Kselect::new(["check", "--only=invalid-name", "-f", "a.yaml"]).file("a.yaml", beside);
    let found = String::from_utf8(run.run().stdout).expect("UTF-8");
    let name = "a.yaml:3: error [invalid-name] secret/: metadata.name: Required value: name or generateName is required; name is \
                beside metadata and not in it\n";
    assert_eq!(found, name);
}

#[test]
fn json_that_is_not_strict_is_refused_for_releases_whose_kubectl_refuses_it() {
    let map = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}"#;
    let list = r#"{"apiVersion": "v1", "kind": "List", "items": ["#;
    let many = format!("{map}}},\n").repeat(9_000);
    for (line, text) in [
        (1, format!("{map},}}\n")),
        (1, format!("{map}, # c\n\"data\": {{}}}}\n")),
        (1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n".to_owned()),
        (2, format!("{map}}}\n---\n{map}}}\n")),
        (3, format!("{list}\n{map}}},\n]}}\n")),
        (3, format!("{list}\n{map}}},\n# c\n{map}}}]}}\n")),
        (2, format!("{list}\n{map},}}]}}\n")),
        (2, format!("{list}{map}}}],\nmetadata: {{}}}}\n")),
        (2, format!("{list}{map}}}],\n\"metadata\": {{}},}}\n")),
        (1, format!("{{\"apiVersion\": \"v1\", metadata: {{}}, {}{map}}}]}}\n", &list[21..])),
        (9_002, format!("{list}\n{many}]}}\n")),
        (4_002, format!("{list}\n{}# c\n{many}{map}}}]}}\n", &many[..many.len() / 9 * 4])),
        (9_003, format!("{list}\n{many}{map}}}\n], metadata: {{}}}}\n")),
    ] {
        let check = ["kselect", "check", "--only=invalid-object", "--kubernetes", "1.32"];
        let text = text.as_str();
        let (status, printed, errors) = in_process(check, text);
        let start = &text[..text.len().min(200)];
        assert_eq!((status, printed.lines().count()), (1, 1), "{start}\n{printed}{errors}");
        let words = "text that starts with a brace must be JSON for kubectl before 1.33";
        assert!(printed.contains(words), "{start}{printed}");
        assert!(printed.starts_with(&format!("STDIN:{line}: ")), "{start}\n{line} {printed}");
        let newer = ["kselect", "check", "--only=invalid-object", "--kubernetes", "1.33"];
        assert_eq!(in_process(newer, text).0, 0, "{start}");
        let separated = format!("---\n{text}");
        assert_eq!(in_process(check, separated).0, 0, "{start}");
    }
    let strict = ["kselect", "get", "-o", "name", "--kubernetes=1.32", "--validate=strict"];
    assert_eq!(in_process(strict, format!("{list}{map}}}],}}\n")).0, 1);
}

/// The line about a finding in `a.yaml`.
fn of_file(finding: &str) -> String {
    format!("a.yaml:{finding}\n")
}

/// `kselect check -f a.yaml` with these arguments and this text in the file.
fn check_file(args: &[&str], text: &str) -> Kselect {
    Kselect::new(["check", "-f", "a.yaml"].iter().chain(args).copied()).file("a.yaml", text)
}

#[test]
fn the_user_sets_what_fails() {
    let warns = TWO.replace("  name: a\n", "");
    let warning = of_file(&WARNING.replacen('6', "5", 1));
    check_file(&[], &warns).prints(warning.as_str());
    check_file(&["--fail-on", "error"], &warns).prints(warning.as_str());
    check_file(&["--fail-on=warning"], &warns).status(1).prints(warning);
    check_file(&["--fail-on=warning", "--only", "invalid-name"], &warns).prints_nothing();
    let advice = "a.yaml:1: advice [missing-labels] service/a: lacks the labels \
                  app.kubernetes.io/{name,instance,version,component,part-of,managed-by}\n";
    let service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}\n";
    check_file(&["--fail-on=warning"], service).prints_nothing();
    check_file(&["--fail-on=advice"], service).status(1).prints(advice);
    check_file(&["--only=missing-labels"], service).prints(advice);
    check_file(&["--fail-on=none", "--only", "repeated-key"], TWO).prints(of_file(ERROR));
}

#[test]
fn nothing_to_check_is_a_failure() {
    let error = "error: no object was read, so nothing was checked\n";
    let run = Kselect::new(["check"]).stdin("").run();
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    let hint = "hint: standard input is empty; name files with -f\n";
    assert_eq!((run.status.code(), messages), (Some(1), format!("{error}{hint}")));
    Kselect::new(["check", "-f", "."])
        .file("values.yaml", "a: b\n")
        .status(1)
        .stderr(format!(
            "{error}hint: name files or directories with -f; -R includes subdirectories\n\
             checked 0 objects in 0 files; left out: 1 file of a Helm chart\n"
        ))
        .prints_nothing();
    // Objects were read, even though the filter leaves them out.
    Kselect::new(["check", "secrets"]).stdin(WEB).prints_nothing();
}

#[test]
fn what_the_baseline_knows_does_not_fail() {
    let directory = std::env::temp_dir().join(format!("kselect-baseline-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    let baseline = directory.join("baseline.json");
    let path = baseline.to_str().expect("a path in UTF-8");
    check_file(&["--write-baseline", path], TWO)
        .stderr(format!("kselect: wrote 2 findings to {path}\n"))
        .prints_nothing();
    let left_out = "checked 1 object in 1 file: no findings; left out: 1 custom resource without a schema (Queue; see --schemas), 2 findings of the baseline\n";
    check_file(&["--baseline", path], TWO).stderr(left_out).prints_nothing();
    // On other lines, they are the same findings.
    check_file(&["--baseline", path], &format!("# first\n\n{TWO}")).stderr(left_out).prints_nothing();
    // New findings fail, even if there are similar ones.
    let more = TWO.replace("  name: a\n", "  name: a\n  name: a\n");
    check_file(&["--baseline", path], &more)
        .status(1)
        .stderr(left_out.replace("no findings", "1 error"))
        .prints(of_file(&ERROR.replacen('5', "6", 1)));
    let mended = TWO.replace("  name: a\n", "");
    check_file(&["--baseline", path], &mended)
        .stderr(
            "kselect: 1 finding of the baseline is gone; write it again\n\
             checked 1 object in 1 file: no findings; left out: 1 custom resource without a schema (Queue; see --schemas), 1 \
             finding of the baseline\n",
        )
        .prints_nothing();
    fs::write(&baseline, "[{}]").expect("a file");
    check_file(&["--baseline", path], TWO)
        .status(1)
        .stderr(format!(
            "error: --baseline: {path}:1: not a baseline\nhint: write it again with --write-baseline FILE\n"
        ))
        .prints_nothing();
    fs::remove_dir_all(&directory).expect("the directory");
    check_file(&["--baseline", path], TWO)
        .status(1)
        .stderr(format!(
            "error: --baseline: cannot read {path}: no such file\nhint: write it with --write-baseline FILE\n"
        ))
        .prints_nothing();
}

/// Runs `check` in the directory of `host`, and expects these messages, no output and this text in a file.
#[track_caller]
fn check_in(host: &Kselect, args: &[&str], status: i32, stderr: &str, (file, text): (&str, &str)) {
    let args = ["check"].iter().chain(args).copied();
    let output = Kselect::new(args).current_dir(host.path()).run();
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(output.status.code(), Some(status));
    assert_eq!(fs::read_to_string(host.path().join(file)).expect("a file"), text);
}

#[test]
fn a_baseline_replaces_no_input() {
    let host = Kselect::new([]).file("in.yaml", COMPLETE);
    let error = |path: &str| format!("error: --write-baseline: {path} is one of the inputs\n");
    let unchanged = ("in.yaml", COMPLETE);
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "in.yaml"], 1, &error("in.yaml"), unchanged);
    check_in(&host, &["-f", ".", "--write-baseline", "./in.yaml"], 1, &error("./in.yaml"), unchanged);
    // A baseline in the directory that is checked is written again.
    let wrote = "kselect: wrote 0 findings to .base.json\n";
    for _ in 0..2 {
        let args = ["-f", ".", "--hidden", "--write-baseline", ".base.json"];
        check_in(&host, &[&args[..], &["-q"]].concat(), 0, "", (".base.json", "[]\n"));
        fs::remove_file(host.path().join(".base.json")).expect("the file");
        check_in(&host, &args, 0, wrote, (".base.json", "[]\n"));
    }
}

#[test]
fn a_baseline_is_written_only_if_everything_was_read() {
    let host = Kselect::new([]).file("in.yaml", "kind: [\n").file("base.json", "[ ]");
    let stderr = "error: in.yaml:1 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  |\n1 | kind: [\n  |       ^\n\
                  kselect: no baseline was written because not all of the input could be read\n";
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "base.json"], 1, stderr, ("base.json", "[ ]"));
}

#[cfg(unix)]
#[test]
fn a_baseline_is_a_regular_file_in_an_existing_directory() {
    let host = Kselect::new([]).file("in.yaml", COMPLETE).file("d/real.json", "old");
    std::os::unix::fs::symlink("d/real.json", host.path().join("link.json")).expect("a link");
    let unchanged = ("in.yaml", COMPLETE);
    let error = |path: &str, why: &str| format!("error: --write-baseline: cannot write {path}: {why}\n");
    let device = error("/dev/null", "only regular files can be rewritten");
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "/dev/null"], 1, &device, unchanged);
    let missing = error("no/base.json", "no such file or directory");
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "no/base.json"], 1, &missing, unchanged);
    let wrote = "kselect: wrote 0 findings to link.json\n";
    check_in(&host, &["-f", "in.yaml", "--write-baseline", "link.json"], 0, wrote, ("d/real.json", "[]\n"));
    assert!(host.path().join("link.json").is_symlink());
}

#[test]
fn the_status_is_the_same_if_the_reader_stops_early() {
    let pods: String = (0..2000)
        .map(|number| format!("---\n{}", TWO.replace("name: a", &format!("name: a{number}"))))
        .collect();
    Kselect::new(["check", "-o", "json"]).stdin(pods).status(1).prints_first("[\n");
}

#[test]
fn github_shows_findings_beside_lines() {
    check_file(&["-o", "github"], TWO).status(1).prints(
        "::error file=a.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n\
         ::warning file=a.yaml,line=6,title=unqualified-finalizer::queue.example.com/b: the finalizer wait is not of the form \
         DOMAIN/NAME\n",
    );
    #[cfg(unix)]
    Kselect::new(["check", "-f", ".", "-o", "github", "--only=repeated-key"]).file("a,b:c%.yaml", TWO).status(1).prints(
        "::error file=a%2Cb%3Ac%25.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n",
    );
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_finding() {
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
               <testsuites name=\"kselect check\" tests=\"2\" failures=\"1\">\n\
               \x20 <testsuite name=\"a.yaml\" tests=\"2\" failures=\"1\">\n\
               \x20   <testcase classname=\"repeated-key\" name=\"queue.example.com/b (line 5)\">\n\
               \x20     <failure type=\"error\" message=\"queue.example.com/b: key &quot;name&quot; already set in map\">a.yaml:5</failure>\n\
               \x20   </testcase>\n\
               \x20   <testcase classname=\"unqualified-finalizer\" name=\"queue.example.com/b (line 6)\">\n\
               \x20     <system-out>a.yaml:6: warning: queue.example.com/b: the finalizer wait is not of the form DOMAIN/NAME</system-out>\n\
               \x20   </testcase>\n\
               \x20 </testsuite>\n\
               </testsuites>\n";
    check_file(&["-o", "junit"], TWO).status(1).prints(xml);
    check_file(&["-o", "junit"], COMPLETE).prints(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"kselect check\" tests=\"1\" failures=\"0\">\n\
         \x20 <testsuite name=\"kselect check\" tests=\"1\" failures=\"0\">\n\
         \x20   <testcase classname=\"kselect\" name=\"check\"/>\n\
         \x20 </testsuite>\n\
         </testsuites>\n",
    );
}

#[test]
fn a_finding_keeps_its_fingerprint_when_it_moves() {
    let fingerprints = |text: &str| {
        let output = check_file(&["-o", "sarif"], text).run();
        let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        let hash = |result: serde_json::Value| {
            result["partialFingerprints"]["primaryLocationLineHash"].as_str().expect("a text").to_owned()
        };
        results.into_iter().map(hash).collect::<Vec<_>>()
    };
    let found = fingerprints(TWO);
    assert_eq!(found, fingerprints(&format!("# first\n{TWO}")));
    assert_eq!(found.len(), 2);
    assert_ne!(found[0], found[1]);
    // Two equal findings are distinguished by their order.
    let more = fingerprints(&TWO.replace("  name: a\n", "  name: a\n  name: a\n"));
    assert_eq!(more.len(), 3);
    assert_eq!((&more[0], &more[2]), (&found[0], &found[1]));
    assert_eq!(more[1], found[0].replace(":1", ":2"));
}

/// A file of the repository, as JSON.
fn read(path: &str) -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_yaml::from_slice(&fs::read(path).expect("a file of the repository")).expect("YAML")
}

#[test]
fn the_schema_describes_what_is_printed() {
    let schema = &read("docs/check.schema.json")["items"];
    let texts = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let output = check_file(&["-o", "json"], &format!("{TWO}---\na: [\n")).run();
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = findings.as_array().expect("an array");
    assert_eq!(findings.len(), 3);
    for finding in findings {
        let finding = finding.as_object().expect("an object");
        let properties = schema["properties"].as_object().expect("properties");
        for (key, value) in finding {
            let property = &properties[key];
            let is_right = match property["type"].as_str() {
                Some("integer") => value.is_u64(),
                Some("string") => value.is_string(),
                _ => texts(&property["enum"]).contains(&value.as_str().unwrap_or_default().to_owned()),
            };
            assert!(is_right, "{key}: {value}");
        }
        assert!(texts(&schema["required"]).iter().all(|key| finding.contains_key(key)), "{finding:?}");
    }
    let severities: Vec<String> =
        kselect_core::check::all_rules().map(|rule| rule.severity.to_string()).collect();
    assert!(
        severities.iter().all(|severity| texts(&schema["properties"]["severity"]["enum"]).contains(severity))
    );
}

#[test]
fn the_hook_runs() {
    let hooks = read(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    assert_eq!((&hook["id"], &hook["language"]), (&"kselect-check".into(), &"rust".into()));
    let entry = hook["entry"].as_str().expect("an entry").split(' ').skip(1).map(str::to_owned);
    let args =
        hook["args"].as_array().expect("args").iter().filter_map(|arg| arg.as_str().map(str::to_owned));
    let words: Vec<String> = entry.chain(args).collect();
    Kselect::new(words.iter().map(String::as_str))
        .file("k8s/a.yaml", TWO)
        .status(1)
        .prints(format!("./k8s/a.yaml:{ERROR}\n./k8s/a.yaml:{WARNING}\n"));
}

#[cfg(unix)]
#[test]
fn the_action_runs_the_check() {
    let action = read("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let script = steps.last().expect("a step")["run"].as_str().expect("a script");
    let directory = std::env::temp_dir().join(format!("kselect-action-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("a.yaml"), TWO).expect("a file");
    let program = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .current_dir(&directory)
        .env("PATH", path)
        .envs([("CHECKED", "."), ("FAIL_ON", "error"), ("ONLY", "repeated-key"), ("DISABLE", "")])
        .envs([("BASELINE", ""), ("SARIF", "kselect.sarif")])
        .output()
        .expect("bash runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "::error file=a.yaml,line=5,title=repeated-key::queue.example.com/b: key \"name\" already set in map\n"
    );
    let sarif = fs::read(directory.join("kselect.sarif")).expect("the log");
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    fs::remove_dir_all(&directory).expect("the directory");
}

/// A Deployment that no server takes, and a valid object.
const WRONG: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: pay}\nspec:\n  replicas: \"3\"\n  selector: {matchLabels: {app: pay}}\n  \
                     template:\n    metadata: {labels: {app: pay}}\n    spec: {containers: [{name: c, image: i}]}\n";
const FOUND: &str = "error [wrong-type] deployment.apps/pay: json: cannot unmarshal string into Go struct field \
                     DeploymentSpec.spec.replicas of type int32\n";

/// `kselect check -R -f .` with these arguments in a directory with these files.
fn check_all(args: &[&str], files: &[(&str, &str)]) -> Kselect {
    let kselect = Kselect::new(["check", "-R", "-f", "."].iter().chain(args).copied());
    files.iter().fold(kselect.file("web.yaml", COMPLETE), |kselect, (path, text)| kselect.file(path, text))
}

#[test]
fn no_name_no_prose_and_no_comment_changes_a_finding() {
    for (path, text) in [
        ("test/invalid-pay.yaml", WRONG.to_owned()),
        ("k8s/old/pay.example.yaml", format!("# will fail on purpose, replace the placeholder\n{WRONG}")),
        (
            "overlays/x/a-patch.yaml",
            WRONG.replace("{name: pay}", "{name: pay, uid: u, annotations: {a: \"____\"}}"),
        ),
    ] {
        let readme = format!("`{path}` will fail: sed -i s/replicas/x/ {path}\n");
        let files = [(path, &*text), ("README.md", &readme), ("deploy.sh", &readme)];
        let line = text.lines().position(|line| line.contains("replicas")).map_or(0, |at| at + 1);
        check_all(&[], &files).status(1).prints(format!("./{path}:{line}: {FOUND}"));
    }
}

#[test]
fn selectors_and_pods_are_judged_as_patches_make_them() {
    let all = format!("{}---\n{}", deployment("web", "web"), service("web", "wbe"));
    let found = "all.yaml:3: SEVERITY [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?";
    let merge = |fields: &str| {
        format!("[{{patch: '{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, {fields}}}'}}]")
    };
    let json = |operation: &str| format!("[{{target: {{kind: Deployment}}, patch: '[{{{operation}}}]'}}]");
    let replace = |kind: &str, path: &str| {
        format!(
            "[]\nreplacements: [{{source: {{kind: Service}}, targets: [{{select: {{kind: {kind}}}, fieldPaths: [{path}]}}]}}]"
        )
    };
    let container =
        |fields: &str| format!("spec: {{template: {{spec: {{containers: [{{name: web, {fields}}}]}}}}}}");
    for (patches, severity) in [
        (merge("spec: {replicas: 2}"), "warning"),
        (merge(&container("image: b, resources: {limits: {cpu: 1}}")), "warning"),
        (merge(&container("ports: [{containerPort: 1}]")), "warning"),
        (merge("spec: {template: {metadata: {labels: {app: wbe}}}}"), ""),
        (json("\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 2"), "warning"),
        (
            json("\"op\": \"add\", \"path\": \"/spec/template/metadata/annotations\", \"value\": {}"),
            "warning",
        ),
        (
            json(
                "\"op\": \"copy\", \"from\": \"/metadata/name\", \"path\": \"/spec/template/metadata/labels/app\"",
            ),
            "warning",
        ),
        (
            json("\"op\": \"replace\", \"path\": \"/spec/template/metadata/labels/app\", \"value\": \"wbe\""),
            "",
        ),
        (replace("Deployment", "spec.template.metadata.labels.app"), "advice"),
        (replace("Service", "spec.selector.app"), "advice"),
        (replace("Service", "metadata.annotations.a"), "warning"),
        (replace("ConfigMap", "data.a"), "warning"),
        ("[{path: lost.yaml}]".to_owned(), "advice"),
        (
            "[{target: {kind: ClusterRole}, patch: '[{\"op\": \"remove\", \"path\": \"/rules/1\"}]'}]"
                .to_owned(),
            "warning",
        ),
    ] {
        let kustomization = format!("resources: [all.yaml]\npatches: {patches}\n");
        let files = [("all.yaml", &*all), ("kustomization.yaml", &*kustomization)];
        let found = found.replace("SEVERITY", severity);
        let found: &[&str] = if severity.is_empty() { &[] } else { &[&found] };
        check_files(&["--advice", "--only=dangling-service"], &files, found);
    }
}

#[test]
fn what_another_build_gains_makes_no_advice() {
    let all = format!("{}---\n{}", deployment("web", "web"), service("web", "wbe"));
    let found = "a/all.yaml:3: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?";
    let files = [
        ("a/kustomization.yaml", "{resources: [all.yaml], components: [../c]}\n"),
        ("a/all.yaml", &*all),
        ("b/kustomization.yaml", "{components: [../c], helmCharts: [{name: a}]}\n"),
        ("c/kustomization.yaml", "{kind: Component, resources: [c.yaml]}\n"),
        ("c/c.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n"),
    ];
    check_files(&["--only=dangling-service"], &files, &[found]);
}

#[test]
fn a_reference_is_doubtful_only_if_all_builds_may_have_another() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {serviceAccountName: wbe, volumes: [{name: a, secret: {secretName: \
               a}}]}}\n---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}\n";
    let check = |fields: [&str; 2], severity: &str| {
        let [dev, prod] = fields.map(|fields| format!("resources: [../base]\n{fields}\n"));
        let files = [
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", pod),
            ("dev/kustomization.yaml", &*dev),
            ("prod/kustomization.yaml", &*prod),
        ];
        let found = format!(
            "base/a.yaml:1: {severity} [dangling-reference] pod/p: spec.serviceAccountName: the input has no serviceaccount/wbe; \
             did you mean web?"
        );
        let found = if severity.is_empty() { Vec::new() } else { vec![&*found] };
        check_files(&["--advice", "--only=dangling-reference"], &files, &found);
    };
    let replace = |path: &str| {
        format!(
            "replacements: [{{source: {{kind: Pod}}, targets: [{{select: {{kind: Pod}}, fieldPaths: [{path}]}}]}}]"
        )
    };
    let remove = "patches: [{target: {kind: Pod}, patch: '[{op: remove, path: /spec/serviceAccountName}]'}]";
    check([remove, ""], "warning");
    for (path, severity) in [
        // Nothing of what is written is left.
        ("spec.serviceAccountName", ""),
        ("spec", "advice"),
        ("'spec.[a=b.c].d'", "advice"),
        ("'spec.volumes.[name=b.c].secret.secretName'", "warning"),
        ("'metadata.annotations.[a.b/c]'", "warning"),
    ] {
        check([&replace(path), &replace(path)], severity);
        check([&replace(path), ""], "warning");
    }
    let absent = "patches: [{target: {kind: Pod}, path: none.yaml}]";
    check([absent, absent], "advice");
    check([absent, ""], "warning");
}

#[test]
fn what_one_build_may_gain_is_no_doubt_about_another() {
    let base = "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n---\n\
                {apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web}}, spec: {containers: [{name: c, image: a:1}]}}\n";
    let check = |prod: &str, severity: &str| {
        let files = [
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", base),
            ("part/kustomization.yaml", "kind: Component\nhelmCharts: [{name: c, repo: 'https://a.b'}]\n"),
            ("dev/kustomization.yaml", "resources: [../base]\ncomponents: [../part]\n"),
            ("prod/kustomization.yaml", prod),
        ];
        let found = format!(
            "base/a.yaml:1: {severity} [dangling-service] service/s: no pod of the input has the labels app=wbe; did you mean app=web?"
        );
        check_files(&["--advice", "--only=dangling-service"], &files, &[&found]);
    };
    check("resources: [../base]\n", "warning");
    check("resources: [../base]\ncomponents: [../part]\n", "advice");
}

#[test]
fn a_patch_of_a_container_that_its_target_does_not_have_is_found() {
    let patch = |container: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{template: {{spec: {{containers: [{container}]}}}}}}}}"
        )
    };
    let check = |patches: &str, container: &str, line: Option<usize>| {
        let base = deployment("web", "web").replace("name: a, image", "name: nginx, image");
        let files = [
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", &*base),
            (
                "k/kustomization.yaml",
                &format!("resources: [../base]\nnamePrefix: dev-\npatches:\n{patches}\n"),
            ),
            ("k/p.yaml", &patch(container)),
        ];
        let found = line.map(|line| {
            format!(
                "k/kustomization.yaml:{line}: warning [unmatched-patch] this patch adds a container ngnix without an image to \
                 deployment.apps/web, which has none of that name; did you mean nginx?"
            )
        });
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        check_files(&["--only=unmatched-patch"], &files, &found);
    };
    let misspelt = "{name: ngnix, env: [{name: A, value: b}]}";
    let by_path = "- path: p.yaml";
    check(by_path, misspelt, Some(4));
    check("- target: {kind: Deployment, labelSelector: '!a'}\n  path: p.yaml", misspelt, Some(5));
    check(&format!("- patch: '{}'", patch(misspelt)), "{name: nginx}", Some(4));
    check("- target: {kind: Deployment, name: other-.*|web}\n  path: p.yaml", misspelt, Some(5));
    for container in ["{name: nginx, env: []}", "{name: ngnix, image: b}", "{name: ngnix, $patch: delete}"] {
        check(by_path, container, None);
    }
    // Another patch gives it one.
    let added = "- target: {kind: Deployment}\n  patch: |-\n    - op: add\n      path: /spec/template/spec/containers/-\n      \
                 value: {name: ngnix, image: b}\n- path: p.yaml";
    check(added, misspelt, None);
}

#[test]
fn annotations_that_kustomize_quotes_are_right() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    let check = |metadata: &str, kustomization: &str, refused: Option<[&str; 2]>| {
        let output = Kselect::new(["check", "--only=wrong-type", "-R", "-f", "k"])
            .file("k/kustomization.yaml", kustomization)
            .file("k/a.yaml", format!("{map}  {metadata}\n"))
            .file("k/b.yaml", map.replace("name: a", "name: b"))
            .run();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let found: Vec<&str> = stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        let error = refused.map(|[field, found]| {
            format!(
                "error: k/a.yaml:5 (document 1): json: cannot unmarshal {found} into Go struct field ObjectMeta.metadata.{field} of \
                 type string"
            )
        });
        assert_eq!(found, error.iter().collect::<Vec<_>>(), "{metadata}");
        assert_eq!(output.stdout, b"");
    };
    let (listed, unlisted) = ("resources: [a.yaml, b.yaml]\n", "resources: [b.yaml]\n");
    check("annotations: {a: true, b: 1.5}", listed, None);
    check(
        "annotations: {a: true}",
        "resources: [b.yaml]\npatches: [{path: a.yaml, target: {name: b}}]\n",
        None,
    );
    check("annotations: {a: true}", unlisted, Some(["annotations", "bool"]));
    check("annotations: {a: true, b: [1]}", listed, Some(["annotations", "array"]));
    check("labels: {a: true}", listed, Some(["labels", "bool"]));
}

#[test]
fn a_misspelt_name_of_what_another_kustomization_makes_is_found() {
    let makers = [
        "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, spec: {secretName: web-tls}}\n",
        "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: c}, spec: {target: {name: web-tls}}}\n",
    ];
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{name: a, secret: {secretName: web-tsl}}]}}\n";
    for maker in makers {
        let files = [
            ("all/kustomization.yaml", "resources: [../a, ../b]\n"),
            ("a/kustomization.yaml", "resources: [a.yaml]\n"),
            ("a/a.yaml", maker),
            ("a-alone/kustomization.yaml", "resources: [../a]\n"),
            ("b/kustomization.yaml", "resources: [b.yaml]\n"),
            ("b/b.yaml", pod),
        ];
        let found = "b/b.yaml:1: warning [dangling-reference] pod/p: spec.volumes[].secret.secretName: the input has no secret/web-tsl \
                     (a/a.yaml:1); did you mean web-tls?";
        check_files(&["--only=dangling-reference"], &files, &[found]);
    }
}

#[test]
fn what_an_operator_makes_is_not_what_is_nearly_called_so() {
    let check = |claim: &str, custom: &str, wanted: &str, severity: &str| {
        let text = format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {claim}}}}}\n---\n\
             {{apiVersion: a.example.com/v1, kind: Shop, metadata: {{name: {custom}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{volumes: [{{name: a, persistentVolumeClaim: {{claimName: \
             {wanted}}}}}]}}}}\n"
        );
        let found = format!(
            "a.yaml:5: {severity} [dangling-reference] pod/p: spec.volumes[].persistentVolumeClaim.claimName: the input has no \
             persistentvolumeclaim/{wanted}; did you mean {claim}?"
        );
        check_files(&["--advice", "--only=dangling-reference"], &[("a.yaml", &text)], &[&found]);
    };
    check("web-pvc", "web", "web-pvcc", "warning");
    check("web-pvc", "web-pvcc", "web-pvcc", "advice");
    check("cpu-data", "gpu", "gpu-data", "advice");
    check("web-pvc", "db", "web-pvcc", "warning");
}

#[test]
fn a_misspelt_account_in_a_namespace_with_nothing_is_found() {
    let text = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: manager, namespace: prod}}\n---\n\
                {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: b}, roleRef: {apiGroup: \
                rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: manger, namespace: NAME}]}\n";
    let found = "a.yaml:3: warning [dangling-reference] clusterrolebinding.rbac.authorization.k8s.io/b: subjects[].name: the input has no \
                 serviceaccount/manger; did you mean manager?";
    for (namespace, found) in [("system", &[found][..]), ("prod", &[found]), ("other", &[])] {
        let text = text.replace("NAME", namespace)
            + "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: other}}\n";
        check_files(&["--only=dangling-reference"], &[("a.yaml", &text)], found);
    }
}

#[test]
fn a_template_of_a_chart_says_nothing_about_what_is_beside_the_chart() {
    let chart = "apiVersion: v2\nname: a\nversion: 1.0.0\n";
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '{{ .Values.a }}'}\n";
    let all = format!("{}---\n{}", deployment("web", "web"), service("web", "wbe"));
    let found = "all.yaml:3: warning [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?";
    for (directory, chart_of_all) in [("k", None), ("a/templates", Some(("a/Chart.yaml", chart)))] {
        let path = format!("{directory}/all.yaml");
        let beside = [("b/Chart.yaml", chart), ("b/templates/cm.yaml", template), (&*path, &*all)];
        let files: Vec<(&str, &str)> = beside.into_iter().chain(chart_of_all).collect();
        check_files(&[], &files, &[&format!("{directory}/{found}")]);
    }
}

#[test]
fn what_cannot_be_read_is_an_error_whatever_its_file_is_called() {
    let broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n  spec: b\n";
    let error = "error converting YAML to JSON: yaml: did not find expected key";
    let kindless = "apiVersion: v1\nmetadata: {name: a}\ndata: {a: b}\n";
    for (path, text, line, error) in [
        ("values-prod.yaml", broken.to_owned(), 4, error),
        ("app.values.yaml", broken.to_owned(), 4, error),
        ("Chart.yaml", broken.to_owned(), 4, error),
        ("a.yaml", format!("#cloud-config\n#@ a\n# {{{{ a }}}}\n{broken}"), 7, error),
        ("b.yaml", format!("notes: |\n{}  {{{{ a }}}}\n{broken}", "  a\n".repeat(3)), 9, error),
        ("add-patch.yaml", kindless.to_owned(), 1, "Object 'Kind' is missing"),
        ("values.yaml", kindless.to_owned(), 1, "Object 'Kind' is missing"),
    ] {
        let output = check_all(&[], &[(path, &text)]).run();
        let first = format!("error: ./{path}:{line} (document 1): {error}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), stderr.lines().next()), (Some(1), Some(&*first)), "{text}");
    }
}

#[test]
fn what_is_left_out_is_counted_by_class_and_listed() {
    let settings =
        "check:\n  disable: [missing-field]\n  exclude:\n  - paths: [bad/]\n    reason: of tests\n";
    let files = [
        (".kselect.yaml", settings),
        ("bad/pay.yaml", WRONG),
        (".hidden.yaml", WRONG),
        (".ignore", "ignored.yaml\n"),
        ("ignored.yaml", WRONG),
        ("templates/a.yaml", "kind: {{ .Values.kind }}\n"),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
    ];
    let counted = "left out: 1 hidden file, 1 ignored file, 1 template, 1 document by .kselect.yaml, 1 finding by .kselect.yaml\n";
    let summary = format!("checked 4 objects in 2 files: no findings; {counted}");
    check_all(&[], &files).stderr(summary.as_str()).prints_nothing();
    let listed = "kselect: left out ./.hidden.yaml: hidden file\n\
                  kselect: left out ./ignored.yaml: ignored file\n\
                  kselect: left out ./templates/a.yaml:1 (document 1): template\n\
                  kselect: left out ./bad/pay.yaml:1 (document 1): document by .kselect.yaml\n\
                  kselect: left out ./pod.yaml:1 [missing-field]: finding by .kselect.yaml\n";
    check_all(&["--skipped"], &files).stderr(format!("{listed}{summary}")).prints_nothing();
    // Of strangers, structure alone is believed.
    let output = check_all(&["--untrusted"], &files).run();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = |path: &str| format!("./{path}:5: {FOUND}");
    let missing = "./pod.yaml:1: error [missing-field] pod/a: spec.containers: Required value\n";
    let all = [found(".hidden.yaml"), found("bad/pay.yaml"), found("ignored.yaml"), missing.to_owned()];
    assert_eq!((output.status.code(), stdout), (Some(1), all.concat()));
}

#[test]
fn equal_findings_are_shown_three_times_and_counted() {
    let all: String =
        (0..7).map(|number| format!("---\n{}", WRONG.replace("pay}", &format!("pay{number}}}")))).collect();
    let found = |number: usize| {
        format!("a.yaml:{}: {}", 6 + 10 * number, FOUND.replace("/pay", &format!("/pay{number}")))
    };
    let expected = format!("{}{}{}  and 4 more like it; -o json lists all\n", found(0), found(1), found(2));
    check_file(&["--only", "wrong-type"], &all).status(1).prints(expected);
}

#[test]
fn only_what_is_new_since_a_revision_is_reported() {
    let host = Kselect::new([]).file("old.yaml", WRONG).file("web.yaml", COMPLETE);
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.current_dir(host.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ]);
        command.args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        return crate::support::not_run("there is no git");
    }
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "a"]));
    fs::write(host.path().join("new.yaml"), WRONG.replace("pay", "new")).expect("a file");
    let args = ["check", "-R", "-f", ".", "--new-since", "HEAD"];
    Kselect::new(args)
        .current_dir(host.path())
        .status(1)
        .stderr("checked 5 objects in 3 files: 1 error; left out: 1 finding of HEAD\n")
        .prints(format!("./new.yaml:5: {}", FOUND.replace("/pay", "/new")));
    let unknown = Kselect::new(["check", "-f", ".", "--new-since", "nosuch"]).current_dir(host.path()).run();
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn settings_are_proposed_and_decided_by_the_owner() {
    let files = [("k8s/tests/a.yaml", WRONG), ("k8s/b.yaml", WRONG)];
    check_all(&["--init", "--dry-run"], &files).prints(
        "# Settings of kselect for this directory; kselect help config describes them.\n\
         # Remove the # from entries that are never applied. Excluded documents are counted, not checked.\n\
         # check:\n#   exclude:\n#   # 1 finding\n#   - paths: [\"k8s/tests/\"]\n#     reason: files of tests\n",
    );
}

#[test]
fn a_reference_that_a_patch_of_flux_overwrites_is_not_judged() {
    let flux = |name: &str, namespace: &str, spec: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: \
             {{interval: 1h, prune: true, sourceRef: {{kind: GitRepository, name: git}}, path: {spec}}}\n"
        )
    };
    let patch = "patches: [{target: {group: kustomize.toolkit.fluxcd.io, kind: Kustomization}, patch: '{apiVersion: \
                 kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: _}, spec: {sourceRef: {namespace: flux}}}'}]";
    let source = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: git, namespace: flux}\nspec: \
                  {interval: 1h, url: 'https://h/r'}\n";
    let check = |more: &str, expected: &[&str]| {
        let apps = flux("apps", "flux", &format!("./apps, {more}")) + source;
        let web = flux("web", "shop", "./web");
        let files = [
            ("flux.yaml", &*apps),
            ("apps/web.yaml", &web),
            ("web/cm.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}"),
        ];
        check_files(&["--only=dangling-reference", "--advice"], &files, expected);
    };
    check(patch, &[]);
    check(
        "force: true",
        &[
            "apps/web.yaml:4: advice [dangling-reference] kustomization.kustomize.toolkit.fluxcd.io/web: spec.sourceRef.name: namespace shop of the input has no gitrepository.source.toolkit.fluxcd.io/git, unlike namespace flux (flux.yaml:6)",
        ],
    );
}

#[test]
fn a_path_that_its_repository_does_not_have_is_found() {
    let flux = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec:\n  prune: true\n  interval: \
             1m\n  path: {path}\n  sourceRef: {{kind: GitRepository, name: r}}\n"
        )
    };
    let application = |source: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  destination: {{namespace: n}}\n  {source}\n"
        )
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    let check = |text: &str, expected: &[&str]| {
        let files = [("ks.yaml", text), ("envs/production/c.yaml", map), ("envs/dev/c.yaml", map)];
        check_files(&["--only=missing-path"], &files, expected);
    };
    let kustomization = "ks.yaml:7: warning [missing-path] kustomization.kustomize.toolkit.fluxcd.io/k: spec.path: the input has no directory envs/";
    check(&flux("k", "./envs/prod"), &[&format!("{kustomization}prod; did you mean envs/production?")]);
    check(&flux("k", "./envs/production"), &[]);
    // It may be elsewhere, unless another path shows that the input is the repository.
    check(&flux("k", "./envs/qa"), &[]);
    check(&flux("k", "./clusters/prod"), &[]);
    check(&(flux("k", "./envs/qa") + "---\n" + &flux("other", "envs/dev")), &[&format!("{kustomization}qa")]);
    check(&(flux("k", "./apps/qa") + "---\n" + &flux("other", "envs/dev")), &[]);
    // The directory of what applies it had nothing else.
    let both = flux("k", "./apps/web/app") + "---\n" + &flux("other", "./apps/ok");
    check_files(
        &["--only=missing-path"],
        &[("apps/web/ks.yaml", &both), ("apps/ok/c.yaml", map)],
        &[
            "apps/web/ks.yaml:7: warning [missing-path] kustomization.kustomize.toolkit.fluxcd.io/k: spec.path: the input has no directory apps/web/app",
        ],
    );
    // Someone still has to fill it in.
    for path in ["./envs/...", "./envs/${CLUSTER}"] {
        check(&(flux("k", path) + "---\n" + &flux("other", "envs/dev")), &[]);
    }
    check(
        &application("source: {repoURL: r, path: envs/prodution}"),
        &[
            "ks.yaml:6: warning [missing-path] application.argoproj.io/a: spec.source.path: the input has no directory envs/prodution; did you mean envs/production?",
        ],
    );
    check(&application("source: {repoURL: 'https://a/<ORG>/b', path: envs/prodution}"), &[]);
    check(
        &application("sources: [{repoURL: c, chart: prod}, {repoURL: r, path: envs/prod}]"),
        &[
            "ks.yaml:6: warning [missing-path] application.argoproj.io/a: spec.sources[].path: the input has no directory envs/prod; did you mean envs/production?",
        ],
    );
    check(
        &application(
            "sourceHydrator: {drySource: {repoURL: r, path: envs/prod}, syncSource: {targetBranch: b, path: any}}",
        ),
        &[
            "ks.yaml:6: warning [missing-path] application.argoproj.io/a: spec.sourceHydrator.drySource.path: the input has no directory envs/prod; did you mean envs/production?",
        ],
    );
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: h}\nspec:\n  interval: 1m\n  chart: {spec: \
        {chart: ./envs/prod, sourceRef: {kind: GitRepository, name: r}}}\n";
    check(
        release,
        &[
            "ks.yaml:6: warning [missing-path] helmrelease.helm.toolkit.fluxcd.io/h: spec.chart.spec.chart: the input has no directory envs/prod; did you mean envs/production?",
        ],
    );
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  generators: [{list: {elements: [{e: \
        production}, {e: prod}]}}]\n  template:\n    spec: {destination: {namespace: n}, source: {repoURL: r, path: 'envs/{{e}}'}}\n";
    let misspelt = "ks.yaml:7: warning [missing-path] applicationset.argoproj.io/s: spec.template.spec.source.path: the input has no directory envs/prod; did you mean envs/production?";
    check(set, &[misspelt]);
    let static_path =
        set.replace("list: {elements: [{e: production}, {e: prod}]}", "plugin: {}").replace("{{e}}", "prod");
    check(&static_path, &[misspelt]);
    // What applies it may say from where.
    let unsaid = flux("k", "./envs/prod").replace("sourceRef", "force: true # ");
    check(&unsaid, &[&format!("{kustomization}prod; did you mean envs/production?")]);
    check(&unsaid.replace("prod", "qa"), &[]);
    // Components, and what a generator looks for.
    let with_component = |path: &str| flux("k", "./envs/dev") + &format!("  components: [{path}]\n");
    check(
        &with_component("../prodution"),
        &[
            "ks.yaml:9: warning [missing-path] kustomization.kustomize.toolkit.fluxcd.io/k: spec.components[]: the input has no directory envs/prodution; did you mean envs/production?",
        ],
    );
    for path in ["../production", "../../../elsewhere", "../${CLUSTER}"] {
        check(&with_component(path), &[]);
    }
    let set = |generator: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s}}\nspec:\n  generators:\n  - {generator}\n  \
             template:\n    spec: {{destination: {{namespace: n}}, source: {{repoURL: r, path: '{{{{path}}}}'}}}}\n"
        )
    };
    let found = |field: &str, path: &str| {
        format!(
            "ks.yaml:6: warning [missing-path] applicationset.argoproj.io/s: spec.generators[].{field}[].path: the input has no directory {path}"
        )
    };
    let git = |items: &str| format!("git: {{repoURL: r, {items}}}");
    check(
        &set(&git("directories: [{path: envs/dev}, {path: envs/qa}]")),
        &[&found("git.directories", "envs/qa")],
    );
    let near = found("git.files", "envs/prod") + "; did you mean envs/production?";
    check(&set(&git("files: [{path: envs/dev/c.yaml}, {path: 'envs/prod/*.yaml'}]")), &[&near]);
    let matrix = git("directories: [{path: 'envs/prod/*'}]");
    let near = found("matrix.generators[].git.directories", "envs/prod") + "; did you mean envs/production?";
    check(&set(&format!("matrix: {{generators: [{{list: {{elements: []}}}}, {{{matrix}}}]}}")), &[&near]);
    check(
        &set(&git("directories: [{path: envs/*}, {path: envs/qa, exclude: true}, {path: 'envs/{{x}}'}]")),
        &[],
    );
    // Not every combination has to be there, unless it is misspelt; what another element means is no spelling of it.
    let each = |elements: &str| {
        let list = format!("{{list: {{elements: [{elements}]}}}}");
        set(&format!("matrix: {{generators: [{list}, {{{}}}]}}", git("directories: [{path: 'envs/{{e}}'}]")))
    };
    check(&each("{e: prod}"), &[&near]);
    check(&each("{e: qa}"), &[]);
    check(&each("{e: prod}, {e: production}"), &[]);
    // What is there and no part of the input is not missing.
    let both = flux("k", "./envs/production") + "---\n" + &flux("other", "envs/dev");
    let part = ["check", "--only=missing-path", "-f", "ks.yaml", "-R", "-f", "envs/dev"];
    let mut part = Kselect::new(part)
        .file("ks.yaml", both)
        .file("envs/production/c.yaml", map)
        .file("envs/dev/c.yaml", map);
    let found = String::from_utf8(part.run().stdout).expect("findings");
    assert_eq!(found, "");
}

#[test]
fn a_path_of_several_builds_is_missing_once_and_one_of_a_patch_is_reported_there() {
    let application = |path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  destination: {{namespace: n}}\n  \
             source:\n    path: {path}\n    repoURL: https://h/r\n"
        )
    };
    let check = |path: &str, patch: &str, expected: &[&str]| {
        let overlay = "resources: [../base]\npatches: [{path: p.yaml, target: {kind: Application}}]\n";
        let files = [
            ("live.yaml", &*application("envs/live").replace("name: a", "name: live")),
            ("envs/live/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"),
            ("base/a.yaml", &application(path)),
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("one/kustomization.yaml", "resources: [../base]\n"),
            ("two/kustomization.yaml", overlay),
            ("two/p.yaml", patch),
        ];
        check_files(&["--only=missing-path"], &files, expected);
    };
    let missing = "warning [missing-path] application.argoproj.io/a: spec.source.path: the input has no directory envs/prod";
    let moved = "- {op: replace, path: /spec/destination/namespace, value: m}\n";
    check("envs/prod", moved, &[&format!("base/a.yaml:7: {missing}")]);
    let operation = "- op: replace\n  path: /spec/source/path\n  value: envs/prod\n";
    check("envs/live", operation, &[&format!("two/p.yaml:3: {missing}")]);
    let partial = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    path: envs/prod\n";
    check("envs/live", partial, &[&format!("two/p.yaml:6: {missing}")]);
}

#[test]
fn a_volume_that_a_patch_mounts_is_one_of_the_build() {
    let check = |overlay: &str, volume: &str, expected: &[&str]| {
        let patch = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec:\n  template:\n    spec:\n      containers:\n      - \
             name: a\n        volumeMounts: [{{name: cert, mountPath: /c}}]\n      volumes: [{{name: {volume}, emptyDir: {{}}}}]\n"
        );
        let files = [
            ("base/a.yaml", &*deployment("a", "a")),
            ("base/kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"),
            ("base/p.yaml", &patch),
            ("kustomization.yaml", overlay),
        ];
        let kselect = Kselect::new(["check", "-R", "-f", ".", "--only=invalid-value"]);
        let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(), expected);
    };
    let alone = "resources: [base]\n";
    check(alone, "cert", &[]);
    let lost = "./base/p.yaml:9: warning [invalid-value] deployment.apps/a: no build has the volume cert, which the patch mounts; did you mean \
                certs?";
    check(alone, "certs", &[lost]);
    let added = "{op: add, path: /spec/template/spec/volumes/-, value: {name: cert, emptyDir: {}}}";
    check(&format!("{alone}patches:\n- target: {{kind: Deployment}}\n  patch: '- {added}'\n"), "certs", &[]);
}

#[test]
fn a_path_that_is_relative_to_a_subdirectory_of_its_repository_is_missing() {
    let application = |name: &str, path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  source: {{repoURL: 'https://h/r', \
             path: {path}}}\n---\n"
        )
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    let apps = ["one", "demo/two", "demo/three"].map(|path| application("a", path)).concat();
    let config = |url: &str| format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n");
    let check = |apps: &str, url: &str, expected: &[&str]| {
        let config = config(url);
        let files = [
            ("demo/apps.yaml", apps),
            ("demo/one/c.yaml", map),
            ("demo/two/c.yaml", map),
            ("demo/three/c.yaml", map),
            (".git/config", &config),
        ];
        check_files(&["--only=missing-path"], &files, expected);
    };
    let missing = "demo/apps.yaml:5: warning [missing-path] application.argoproj.io/a: spec.source.path: the input has no directory one; \
                   did you mean demo/one?";
    check(&apps, "https://h/other", &[missing]);
    let two = [application("a", "one"), application("b", "demo/two")].concat();
    check(&two, "https://h/other", &[]);
    check(&two, "git@h:r.git", &[missing]);
    // The input is the repository of what is there.
    let of_another = application("b", "demo/thre").replace("h/r", "h/third");
    check(&[application("a", "demo/two"), of_another.clone()].concat(), "https://h/other", &[]);
    let near = "demo/apps.yaml:5: warning [missing-path] application.argoproj.io/b: spec.source.path: the input has no directory \
                demo/thre; did you mean demo/three?";
    check(&of_another, "https://h/other", &[near]);
}

#[test]
fn an_object_that_overlays_put_into_several_namespaces_is_compared_with_each() {
    let map =
        |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: b}}\n");
    let overlay = |namespace: &str| format!("namespace: {namespace}\nresources: [../base, map.yaml]\n");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: c\n    image: x:1\n    \
               envFrom:\n    - {configMapRef: {name: own}}\n    - {configMapRef: {name: all}}\n    - {configMapRef: {name: kafka}}\n";
    let check = |other: &str| {
        Kselect::new(["check", "-R", "-f", ".", "--only", "dangling-reference", "--advice"])
            .file("base/kustomization.yaml", "resources: [pod.yaml, map.yaml]\n")
            .file("base/pod.yaml", pod)
            .file("base/map.yaml", map("own"))
            .file("a/kustomization.yaml", overlay("a"))
            .file("a/map.yaml", map("all") + "---\n" + &map(other))
            .file("b/kustomization.yaml", overlay("b"))
            .file("b/map.yaml", map("all") + "---\n" + &map("kafka"))
    };
    check("kafka")
        .stderr("checked 6 objects in 4 files: no findings; left out: 3 kustomizations (not built; see -k)\n")
        .prints_nothing();
    check("other")
        .stderr("checked 6 objects in 4 files: 1 piece of advice; left out: 3 kustomizations (not built; see -k)\n")
        .prints(
            "./base/pod.yaml:11: advice [dangling-reference] pod/web: spec.containers[].envFrom[].configMapRef.name: namespace a of the \
             input has no configmap/kafka, unlike namespace b (./b/map.yaml:6)\n",
        );
}

#[test]
fn a_key_is_looked_for_in_each_object_of_its_name() {
    let map =
        |key: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: app}}\ndata: {{{key}: b}}\n");
    let env = |key: &str| {
        format!("    - {{name: {key}, valueFrom: {{configMapKeyRef: {{name: app, key: {key}}}}}}}\n")
    };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: c\n    image: x:1\n    env:\n";
    let check = Kselect::new(["check", "-R", "-f", ".", "--only", "dangling-key", "--advice"])
        .file("dev/map.yaml", map("one"))
        .file("web/pod.yaml", pod.to_owned() + &env("one") + &env("two") + &env("three"));
    // However many there are.
    (1..20)
        .fold(check, |check, number| check.file(&format!("prod/{number}/map.yaml"), map("two")))
        .stderr("checked 21 objects in 21 files: 1 piece of advice; left out: 19 findings by --only or --disable\n")
        .prints(
            "./web/pod.yaml:11: advice [dangling-key] pod/web: spec.containers[].env[].valueFrom.configMapKeyRef.key: configmap/app has \
             no key three (./dev/map.yaml:1)\n",
        );
}

#[test]
fn objects_of_flux_that_wait_for_each_other_are_found() {
    let object = |kind: &str, name: &str, on: &str| {
        let group = if kind == "Kustomization" {
            "kustomize.toolkit.fluxcd.io/v1"
        } else {
            "helm.toolkit.fluxcd.io/v2"
        };
        format!(
            "apiVersion: {group}\nkind: {kind}\nmetadata: {{name: {name}, namespace: flux}}\nspec:\n  dependsOn: [{{name: {on}}}]\n---\n"
        )
    };
    for (kind, title) in [
        ("Kustomization", "kustomization.kustomize.toolkit.fluxcd.io"),
        ("HelmRelease", "helmrelease.helm.toolkit.fluxcd.io"),
    ] {
        let check = |objects: &[(&str, &str)], expected: Option<(usize, &str, &str)>| {
            let input: String = objects.iter().map(|(name, on)| object(kind, name, on)).collect();
            let expected = expected.map(|(line, name, on)| {
                format!("{line}: warning [circular-dependency] {title}/{name}: spec.dependsOn[].name: {title}/{on} waits for this object in turn")
            });
            check_with(
                &["--only=circular-dependency"],
                &input,
                &expected.as_deref().into_iter().collect::<Vec<_>>(),
            );
        };
        check(&[("a", "a")], Some((5, "a", "a")));
        check(&[("a", "b"), ("b", "c"), ("c", "b")], Some((17, "c", "b")));
        check(&[("a", "c"), ("b", "c"), ("c", "d")], None);
        check(&[("a", "b"), ("b", "flux/a")], None);
    }
    // Each of the objects that overlays make of one waits for another one.
    let base = object("HelmRelease", "base", "crds");
    let patch = "- op: add\n      path: /spec/dependsOn/-\n      value: {name: one-base}\n";
    let two = format!(
        "nameSuffix: -two\nresources: [../base]\npatches:\n- target: {{kind: HelmRelease}}\n  patch: |\n    {patch}"
    );
    let files = [
        ("base/kustomization.yaml", "resources: [a.yaml]\n"),
        ("base/a.yaml", &*base),
        ("one/kustomization.yaml", "namePrefix: one-\nresources: [../base]\n"),
        ("two/kustomization.yaml", &two),
    ];
    check_files(&["--only=circular-dependency"], &files, &[]);
    let both = object("Kustomization", "a", "b") + &object("HelmRelease", "b", "a");
    check_with(&["--only=circular-dependency"], &both, &[]);
}

#[test]
fn labels_that_kustomizations_add_are_recommended_ones_too() {
    check_files(
        &["--only=missing-labels"],
        &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nlabels: [{pairs: {app.kubernetes.io/name: a, app.kubernetes.io/version: b}}]\n",
            ),
            (
                "a.yaml",
                "{apiVersion: v1, kind: Service, metadata: {name: a, labels: {app.kubernetes.io/instance: a}}, spec: {ports: [{port: 1}]}}\n",
            ),
        ],
        &[
            "a.yaml:1: advice [missing-labels] service/a: lacks the labels app.kubernetes.io/{component,part-of,managed-by}",
        ],
    );
}

#[test]
fn a_replacement_in_the_pods_of_another_workload_is_no_doubt_about_their_labels() {
    let found = |fields: &str, level: &str| {
        let replaced = format!(
            "resources: [dep.yaml]\nconfigMapGenerator: [{{name: p, literals: [h=x]}}]\nreplacements: [{{source: {{kind: ConfigMap, name: p, fieldPath: \
             data.h}}, targets: [{{select: {{kind: Deployment}}, fieldPaths: [{fields}]}}]}}]\n"
        );
        let workload = |name: &str| {
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    \
                 metadata: {{labels: {{app: {name}}}}}\n    spec: {{containers: [{{name: a, image: 'a:1', env: [{{name: H, value: P}}]}}]}}\n"
            )
        };
        check_files(
            &["--only=dangling-service", "--advice"],
            &[
                ("all/kustomization.yaml", "resources: [../a, ../b]\n"),
                ("a/kustomization.yaml", "resources: [svc.yaml, dep.yaml]\n"),
                (
                    "a/svc.yaml",
                    "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: wbe}, ports: [{port: 80}]}}\n",
                ),
                ("a/dep.yaml", &workload("web")),
                ("b/kustomization.yaml", &replaced),
                ("b/dep.yaml", &workload("dash")),
            ],
            &[&format!(
                "a/svc.yaml:1: {level} [dangling-service] service/web: no pod of the input has the labels app=wbe; did you mean app=web?"
            )],
        );
    };
    found("spec.template.spec.containers.0.env.0.value", "warning");
    found("spec.template.metadata.labels.app", "advice");
}

#[test]
fn a_path_at_the_root_is_missing_in_a_clone() {
    let application = |path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {path}}}\nspec:\n  destination: {{namespace: n}}\n  source: {{path: \
             {path}, repoURL: 'https://a/b'}}\n"
        )
    };
    let files = [
        ("apps/dex.yaml", &*application("dex")),
        ("apps/lost.yaml", &*application("lost")),
        ("dex/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
    ];
    check_files(&["--only=missing-path"], &files, &[]);
    let clone = [&files[..], &[(".git/HEAD", "x")]].concat();
    let found = "apps/lost.yaml:6: warning [missing-path] application.argoproj.io/lost: spec.source.path: the input has no directory lost";
    check_files(&["--only=missing-path"], &clone, &[found]);
}

#[test]
fn a_kustomization_that_nothing_lists_beside_others_is_advice() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let check = |more: [(&str, &str); 2], expected: &[&str]| {
        let files = [
            ("kustomization.yaml", "resources: [./used]\n"),
            ("used/kustomization.yaml", "resources: [a.yaml]\n"),
            ("used/a.yaml", map),
            ("dead/a.yaml", map),
            more[0],
            more[1],
        ];
        check_files(&["--only=unlisted-file", "--advice"], &files, expected);
    };
    let dead = ("dead/kustomization.yaml", "resources: [a.yaml]\n");
    let found = "dead/kustomization.yaml:1: advice [unlisted-file] no kustomization lists this directory, and nothing else of the input applies it \
                 (kustomization.yaml)";
    check([dead, ("x.txt", "")], &[found]);
    // An overlay, what another one lists, and what is applied.
    check([("dead/kustomization.yaml", "resources: [a.yaml, ../used]\n"), ("x.txt", "")], &[]);
    check([dead, ("other/kustomization.yaml", "resources: [../dead]\n")], &[]);
    let flux = flux("web", "./dead");
    check([dead, ("flux/ks.yaml", &flux)], &[]);
    let files = [
        ("kustomization.yaml", "resources: [./used]\n"),
        ("used/kustomization.yaml", "resources: [a.yaml]\n"),
        ("used/a.yaml", map),
        dead,
        ("dead/a.yaml", map),
    ];
    check_files(&["--only=unlisted-file"], &files, &[found]);
}

#[test]
fn components_of_flux_are_those_of_the_kustomization_that_it_applies() {
    let check = |patched: &str, found: &str, expected: &[&str]| {
        let flux = flux("web", "./a").replace("prune: true", "prune: true, components: [../c]");
        let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: '{name}'}}\n");
        check_files(
            &["--only=invalid-kustomization"],
            &[
                ("flux.yaml", &*flux),
                ("a/kustomization.yaml", "resources: [own.yaml]\npatches: [{path: p.yaml}]\n"),
                ("a/own.yaml", &map("own")),
                ("a/p.yaml", &map(patched)),
                ("c/kustomization.yaml", "kind: Component\nresources: [b.yaml]\n"),
                ("c/b.yaml", &map(found)),
            ],
            expected,
        );
    };
    check("web", "web", &[]);
    check("own", "web", &[]);
    check("${APP}-web", "${APP}-web", &[]);
    let found = |wanted: &str, near: &str| {
        format!(
            "flux.yaml:1: error [invalid-kustomization] kustomization.kustomize.toolkit.fluxcd.io/web: kustomization in spec.path: p.yaml in patches is for \
             configmap/{wanted}, which this kustomization does not have (a/p.yaml){near}"
        )
    };
    check("other", "web", &[&found("other", "")]);
    check("${APP}-we", "${APP}-web", &[&found("${APP}-we", "; did you mean ${APP}-web?")]);
}

#[test]
fn a_role_that_a_patch_makes_a_cluster_role_is_not_missing() {
    let check = |kind: &str, expected: &[&str]| {
        let patch = format!(
            "resources: [a.yaml]\npatches: [{{target: {{kind: Role}}, options: {{allowKindChange: true}}, patch: '[{{op: replace, path: /kind, value: {kind}}}, \
             {{op: replace, path: /metadata/name, value: all}}]'}}]\n"
        );
        let objects = "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, rules: []}\n---\n{apiVersion: \
                       rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: other}, rules: []}\n---\n{apiVersion: \
                       rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, \
                       name: all}}\n";
        let files = [("kustomization.yaml", &*patch), ("a.yaml", objects)];
        check_files(&["--advice", "--only=dangling-reference"], &files, expected);
    };
    check("ClusterRole", &[]);
    let lost = "a.yaml:5: advice [dangling-reference] rolebinding.rbac.authorization.k8s.io/b: roleRef.name: the input has no \
                clusterrole.rbac.authorization.k8s.io/all";
    check("Role", &[lost]);
}

#[test]
fn a_reference_of_some_builds_names_none_of_their_namespaces() {
    let account = |name: &str, more: &str| {
        format!("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: {name}{more}}}}}\n")
    };
    check_files(
        &["--advice", "--only=dangling-reference"],
        &[
            ("base/kustomization.yaml", "resources: [pod.yaml, sa.yaml]\n"),
            (
                "base/pod.yaml",
                "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {serviceAccountName: own}}\n",
            ),
            ("base/sa.yaml", &account("real", "")),
            ("one/kustomization.yaml", "resources: [../base]\nnamespace: one\npatches: [{path: p.yaml}]\n"),
            (
                "one/p.yaml",
                "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {serviceAccountName: real}}\n",
            ),
            ("two/kustomization.yaml", "resources: [../base]\nnamespace: two\n"),
            ("beside/sa.yaml", &account("own", ", namespace: system")),
        ],
        &[
            "base/pod.yaml:1: advice [dangling-reference] pod/p: spec.serviceAccountName: no serviceaccount/own is applied together with it (beside/sa.yaml:1)",
        ],
    );
}
