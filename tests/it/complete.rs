//! The answers to shells that request completions: one candidate per line, then the directive.

use std::time::Duration;

use crate::support::Kselect;

const SHOP: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web, tier: fe}}
spec: {type: NodePort}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: data, labels: {app: db}, annotations: {example.com/owner: me, note: a b}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web, tier: be}}
---
apiVersion: example.com/v1
kind: Stall
metadata: {name: fruit}
---
apiVersion: v1
kind: Namespace
metadata: {name: empty}
";

/// Completes `kselect` followed by these words, the last of which is at the cursor.
fn complete<'a>(words: impl IntoIterator<Item = &'a str>) -> Kselect {
    let words: Vec<&str> = words.into_iter().collect();
    let index = words.len().to_string();
    Kselect::new(["__complete", &index, "kselect"].into_iter().chain(words)).file("shop.yaml", SHOP)
}

/// As [`complete`], for `get -f shop.yaml`.
fn get<'a>(words: impl IntoIterator<Item = &'a str>) -> Kselect {
    complete(["get", "-f", "shop.yaml"].into_iter().chain(words))
}

#[test]
fn commands_flags_and_fixed_values_are_those_of_the_program() {
    complete(["get", "--sel"]).prints(
        "--selected-by\tObjects that this object selects: svc/web\n\
         --selector\tBy labels: 'app=web,!old'; repeatable\n\
         --selects\tObjects that select this object: deploy/web\n:4\n",
    );
    complete(["an"]).prints("annotate\tChange annotations, leaving every other byte unchanged\n:4\n");
    complete(["help", "an"]).prints("annotate\tChange annotations, leaving every other byte unchanged\n:4\n");
    complete(["help", "sel"]).prints(
        "selection\tFlags that select objects\n\
         selector\tCheck a label selector and convert it between its forms\n\
         selectors\tLabel selectors, as -l takes them\n:4\n",
    );
    complete(["get", "--validate=s"]).prints("--validate=strict\tErrors; the object is left out\n:4\n");
    complete(["get", "--no-headers="]).prints("--no-headers=false\n--no-headers=true\n:4\n");
    complete(["get", "-o", "custom"]).prints("custom-columns-file=\ncustom-columns=\n:6\n");
    complete(["get", "-o", "w"]).prints("wide\n:4\n");
    complete(["label", "-o", "w"]).prints(":4\n");
    complete(["label", "-o", "js"]).prints("json\njsonl\njsonpath-as-json=\njsonpath-file=\njsonpath=\n:6\n");
    complete(["api-resources", "--sort-by", ""]).prints("kind\tThe kind\nname\tThe plural name\n:4\n");
    complete(["nonsense", ""]).prints(":4\n");
}

#[test]
fn paths_are_left_to_the_shell() {
    for words in [&["get", "-f", ""][..], &["get", "--filename=k8s/"], &["check", "-Rf", "k8"]] {
        complete(words.iter().copied()).prints(":0\n");
    }
}

#[test]
fn types_are_those_of_the_files() {
    get([""]).prints(
        "all\tcategory, 3 objects\n\
         deployments\tDeployment (deploy), 1 object\n\
         namespaces\tNamespace (ns), 1 object\n\
         services\tService (svc), 2 objects\n\
         stalls\tStall, 1 object\n:4\n",
    );
    get(["dep"]).prints("deploy\tdeployments, 1 object\ndeployments\tDeployment (deploy), 1 object\n:4\n");
    get(["svc,st"]).prints("svc,stalls\tStall, 1 object\n:4\n");
    get(["deploy/web", "na"]).prints("namespaces/\tNamespace (ns), 1 object\n:6\n");
}

#[test]
fn without_files_or_without_a_hit_all_known_types_are_offered() {
    complete(["get", "c"]).prints(
        "certificatesigningrequests\tCertificateSigningRequest (csr)\n\
         cj\tcronjobs\n\
         clustercidrs\tClusterCIDR\n\
         clusterrolebindings\tClusterRoleBinding\n\
         clusterroles\tClusterRole\n\
         clustertrustbundles\tClusterTrustBundle\n\
         cm\tconfigmaps\n\
         componentstatuses\tComponentStatus (cs)\n\
         compositepodgroups\tCompositePodGroup\n\
         configmaps\tConfigMap (cm)\n\
         controllerrevisions\tControllerRevision\n\
         crd\tcustomresourcedefinitions\n\
         crds\tcustomresourcedefinitions\n\
         cronjobs\tCronJob (cj)\n\
         cs\tcomponentstatuses\n\
         csidrivers\tCSIDriver\n\
         csinodes\tCSINode\n\
         csistoragecapacities\tCSIStorageCapacity\n\
         csr\tcertificatesigningrequests\n\
         customresourcedefinitions\tCustomResourceDefinition (crd, crds)\n:4\n",
    );
    get(["cron"]).prints("cronjobs\tCronJob (cj)\n:4\n");
    get(["cj"]).prints("cj\tcronjobs\n:4\n");
    complete(["get", "events."]).prints("events.events.k8s.io\tEvent (ev)\n:4\n");
}

#[test]
fn definitions_in_the_files_teach_types() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n\
        spec:\n  group: ex.io\n  scope: Namespaced\n  names: {kind: Shop, plural: shops, shortNames: [sp]}\n  \
        versions: [{name: v1, served: true, storage: true, selectableFields: [{jsonPath: .spec.color}]}]\n";
    let shop = "---\napiVersion: ex.io/v1\nkind: Shop\nmetadata: {name: corner}\nspec: {color: blue}\n";
    let crd = |words: &[&'static str]| {
        complete([&["get", "-f", "crd.yaml"], words].concat()).file("crd.yaml", format!("{definition}{shop}"))
    };
    crd(&["s"]).prints("shops\tShop (sp), 1 object\nsp\tshops, 1 object\n:4\n");
    crd(&["sp", ""]).prints("corner\n:4\n");
    crd(&["sp", "--field-selector", "s"]).prints("spec.color=\n:6\n");
    crd(&["sp", "--field-selector", "spec.color="]).prints("spec.color=blue\t1 object\n:4\n");
}

#[test]
fn names_are_those_of_the_type_in_the_namespace() {
    get(["svc", ""]).prints("db\tdata\nweb\tshop\n:4\n");
    get(["svc", "web", ""]).prints("db\tdata\n:4\n");
    get(["svc/"]).prints("svc/db\tdata\nsvc/web\tshop\n:4\n");
    get(["-n", "shop", "svc", ""]).prints("web\tshop\n:4\n");
    get(["-n", "shop", "-A", "svc", ""]).prints("db\tdata\nweb\tshop\n:4\n");
    get(["svc,deploy", "w"]).prints("web\tshop\n:4\n");
    get(["stalls", ""]).prints("fruit\n:4\n");
    get(["pods", ""]).prints(":4\n");
}

#[test]
fn flags_after_the_cursor_count() {
    let words = ["__complete", "3", "kselect", "get", "svc", "", "-n", "shop", "--filename=shop.yaml"];
    Kselect::new(words).file("shop.yaml", SHOP).prints("web\tshop\n:4\n");
}

#[test]
fn namespaces_are_those_of_objects_and_namespace_objects() {
    get(["-n", ""]).prints("data\t1 object\ndefault\t1 object\nempty\t0 objects\nshop\t2 objects\n:4\n");
    get(["--namespace=da"]).prints("--namespace=data\t1 object\n:4\n");
    // Objects that are not namespaced, or were not in a cluster, are not in the default namespace.
    let others = "kind: Node\napiVersion: v1\nmetadata: {name: a}\n---\n\
        kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: []\n";
    complete(["get", "-f", "others.yaml", "-n", ""]).file("others.yaml", others).prints(":4\n");
}

#[test]
fn label_selectors_are_completed_by_keys_and_values() {
    get(["-l", ""]).prints("app=\t3 objects\ntier=\t2 objects\n:6\n");
    get(["-lapp="]).prints("-lapp=db\t1 object\n-lapp=web\t2 objects\n:4\n");
    get(["-l", "app!=w"]).prints("app!=web\t2 objects\n:4\n");
    get(["-l", "app==w"]).prints("app==web\t2 objects\n:4\n");
    get(["-l", "app=web,ti"]).prints("app=web,tier=\t2 objects\n:6\n");
    get(["-l", "app=web, !ti"]).prints("app=web, !tier\t2 objects\n:4\n");
    get(["-l", "app in (web,"]).prints("app in (web,db\t1 object\n:4\n");
    get(["-l", "tier in (fe,be), app notin ( d"]).prints("tier in (fe,be), app notin ( db\t1 object\n:4\n");
    get(["deploy", "-l", "tier="]).prints("tier=be\t1 object\n:4\n");
    get(["-n", "data", "-l", ""]).prints("app=\t1 object\n:6\n");
    get(["-L", "app,"]).prints("app,tier\t2 objects\n:4\n");
}

#[test]
fn field_selectors_are_completed_by_fields_and_values() {
    get(["svc", "--field-selector", "s"]).prints("spec.clusterIP=\nspec.type=\n:6\n");
    get(["svc", "--field-selector", "spec.type="])
        .prints("spec.type=ClusterIP\t1 object\nspec.type=NodePort\t1 object\n:4\n");
    get(["--field-selector", "metadata.name!=w"]).prints("metadata.name!=web\t2 objects\n:4\n");
    get(["--field-selector", "spec.type=x,status"]).prints("spec.type=x,status.phase=\n:6\n");
    complete(["get", "nodes", "--field-selector", ""]).prints("metadata.name=\nspec.unschedulable=\n:6\n");
}

#[test]
fn objects_of_relations_and_exclusions_are_completed() {
    get(["--selected-by", "s"]).prints(
        "services/\tService (svc), 2 objects\nstalls/\tStall, 1 object\nsvc/\tservices, 2 objects\n:6\n",
    );
    get(["--owned-by", "deploy/"]).prints("deploy/web\tshop\n:4\n");
    get(["--selects", "shop/sv"]).prints("shop/svc/\tservices, 2 objects\n:6\n");
    get(["--selects", "shop/svc/"]).prints("shop/svc/web\n:4\n");
    get(["--selects", "deploy/web", "--via", "spec.s"]).prints("spec.selector\n:4\n");
    get(["--uses", "cm/web", "--via", "spec.template.spec.imageP"])
        .prints("spec.template.spec.imagePullSecrets[].name\n:4\n");
    get(["--exclude", "deploy,svc/d"]).prints("deploy,svc/db\tdata\n:4\n");
    complete(["selector", "-f", "shop.yaml", "--of", "svc/w"]).prints("svc/web\tshop\n:4\n");
}

#[test]
fn changes_of_labels_are_completed() {
    let label = |words: &[&'static str]| complete([&["label", "-f", "shop.yaml"], words].concat());
    label(&["svc", "web", "ti"]).prints("tier-\t1 object\ntier=\t1 object\n:6\n");
    label(&["svc", "web", "app="]).prints("app=db\t1 object\napp=web\t1 object\n:4\n");
    label(&["svc", "w"]).prints("web\tshop\n:4\n");
    label(&["tier=fe", ""])
        .prints("app-\t3 objects\napp=\t3 objects\ntier-\t2 objects\ntier=\t2 objects\n:6\n");
    complete(["annotate", "-f", "shop.yaml", "svc", "db", ""])
        .prints("example.com/owner-\t1 object\nexample.com/owner=\t1 object\nnote-\t1 object\nnote=\t1 object\nweb\tshop\n:6\n");
}

#[test]
fn rules_groups_and_categories_are_completed() {
    complete(["check", "--disable", "unfit-nodes,dangling-s"])
        .prints("unfit-nodes,dangling-service\tA Service selects no pods, although there are pods in its namespace.\n:4\n");
    complete(["api-resources", "-f", "shop.yaml", "--api-group", "ex"]).prints("example.com\n:4\n");
    complete(["api-resources", "--categories", ""]).prints("all\napi-extensions\n:4\n");
}

#[test]
fn what_a_shell_or_a_terminal_would_interpret_is_never_offered() {
    let hostile = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: \"$(reboot)\"
  namespace: \"a\\e[2Jb\"
  labels: {\"x;y\": z, good: \"`id`\", \"--in-place\": \"a b\", \"a\\tb\": \"c\\nd\", fine: \"1\"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fine, namespace: \"evil\\n:0\"}
---
apiVersion: ex.io/v1
kind: \"Ev\\e[31mil\"
metadata: {name: a}
";
    let hostile = |words: &[&'static str]| {
        complete([&["get", "-f", "hostile.yaml"], words].concat()).file("hostile.yaml", hostile)
    };
    hostile(&["cm", ""]).prints("fine\tevil\\n:0\n:4\n");
    hostile(&["-n", ""]).prints("default\t1 object\n:4\n");
    hostile(&["-l", ""]).prints("fine=\t1 object\ngood=\t1 object\n:6\n");
    hostile(&["-l", "good="]).prints(":4\n");
    hostile(&[""]).prints("configmaps\tConfigMap (cm), 2 objects\n:4\n");
}

#[test]
fn unreadable_files_are_skipped_silently() {
    let shop = |path: &'static str| complete(["get", "-f", path, "-f", "shop.yaml", "svc", ""]);
    let expected = "db\tdata\nweb\tshop\n:4\n";
    shop("missing.yaml").prints(expected);
    shop("broken.yaml").file("broken.yaml", "a: [\n---\nkind: {\n").prints(expected);
    shop("bytes.yaml").file("bytes.yaml", b"\xff\xfe\x00\0\0").prints(expected);
    shop("empty").directory("empty").prints(expected);
    shop("https://example.com/a.yaml").prints(expected);
    shop("[").prints(expected);
    Kselect::new(["__complete"]).prints(":4\n");
    Kselect::new(["__complete", "x", "kselect"]).prints(":4\n");
    Kselect::new(["__complete", "7", "kselect"]).prints(":4\n");
}

#[test]
fn standard_input_is_never_read() {
    // A reader would wait for late input.
    complete(["get", "-f", "-", "svc", ""]).stdin(SHOP).after(Duration::from_millis(50)).prints(":4\n");
    complete(["get", "svc", ""]).stdin(SHOP).after(Duration::from_millis(50)).prints(":4\n");
}

/// A reader of a pipe without a writer would wait forever.
#[cfg(unix)]
#[test]
fn pipes_are_never_opened() {
    let run = complete(["get", "-f", "pipe", "-f", "shop.yaml", "deploy", ""]);
    let made = std::process::Command::new("mkfifo").arg(run.path().join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    run.prints("web\tshop\n:4\n");
}

#[test]
fn each_script_is_that_of_the_repository() {
    for (shell, file) in [
        ("bash", "kselect.bash"),
        ("zsh", "_kselect"),
        ("fish", "kselect.fish"),
        ("powershell", "_kselect.ps1"),
        ("elvish", "kselect.elv"),
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("completions").join(file);
        Kselect::new(["completion", shell]).prints(std::fs::read(path).expect("a script"));
    }
}

#[test]
fn paths_of_columns_are_those_of_the_types() {
    get(["deploy", "-o", "custom-columns=N:.spec.rep"]).prints("custom-columns=N:.spec.replicas\n:4\n");
    get(["deploy", "-o", "custom-columns=N:.metadata.name,M:.spec.template.spec.c"])
        .prints("custom-columns=N:.metadata.name,M:.spec.template.spec.containers[*].\n:6\n");
    get(["deploy", "-o", "custom-columns=N:.st"]).prints("custom-columns=N:.status.\n:6\n");
    complete(["get", "po", "-o", "custom-columns=I:.spec.containers[*].im"]).prints(
        "custom-columns=I:.spec.containers[*].image\ncustom-columns=I:.spec.containers[*].imagePullPolicy\n:4\n",
    );
    // A header can be any text.
    get(["deploy", "-o", "custom-columns=N"]).prints(":4\n");
}

#[test]
fn paths_of_templates_go_through_items_and_ranges() {
    get(["svc", "-o", "jsonpath={.it"]).prints("jsonpath={.items[*].\tEach object\n:6\n");
    get(["svc", "-o", "jsonpath={.items[*].spec.ty"]).prints("jsonpath={.items[*].spec.type\n:6\n");
    get(["svc", "-o", "jsonpath={range .items[*]}{.metadata.name}{.spec.por"])
        .prints("jsonpath={range .items[*]}{.metadata.name}{.spec.ports[*].\n:6\n");
    get(["svc", "-o", "jsonpath={.items[*].spec.type} spec.ty"]).prints(":4\n");
    get(["svc/web", "-o", "jsonpath={.spec.clusterIP"])
        .prints("jsonpath={.spec.clusterIP\njsonpath={.spec.clusterIPs[*]\n:6\n");
}

#[test]
fn orders_groups_and_differences_go_by_paths() {
    get(["deploy", "--sort-by", ".status.re"]).prints(".status.readyReplicas\n.status.replicas\n:4\n");
    get(["deploy", "--sort-by", ".metadata.n"]).prints(".metadata.name\n.metadata.namespace\n:4\n");
    complete(["count", "-f", "shop.yaml", "svc", "--by", "kind,.spec.ty"]).prints("kind,.spec.type\n:4\n");
    complete(["diff", "--ignore", ".metadata.uid", "a.yaml", "b.yaml", "--ignore", ".metadata.gene"])
        .prints(".metadata.generateName\n.metadata.generation\n:4\n");
}

#[test]
fn paths_of_expressions_begin_with_parts_of_the_object() {
    get(["--where", "s"]).prints("spec.\nstatus.\n:6\n");
    get(["deploy", "--where", "spec.rep"]).prints("spec.replicas\n:4\n");
    get(["deploy", "--where", "kind == 'Deployment' && object.status.av"])
        .prints("kind == 'Deployment' && object.status.availableReplicas\n:4\n");
    get(["deploy", "--where", "spec.template.spec.containers.exists(c, c.imagePu"])
        .prints("spec.template.spec.containers.exists(c, c.imagePullPolicy\n:4\n");
    get(["--where", "labels."]).prints("labels.app\nlabels.tier\n:4\n");
    get(["--where", "nothing."]).prints(":4\n");
}

#[test]
fn without_types_paths_are_those_of_the_files() {
    // A Service and a Deployment have the fields of their types; a Stall has those in its text.
    get(["--sort-by", ".spec.re"]).prints(".spec.replicas\n.spec.revisionHistoryLimit\n:4\n");
    complete(["get", "--sort-by", ".spec."]).prints(":4\n");
    complete(["get", "--sort-by", ".metadata.res"]).prints(".metadata.resourceVersion\n:4\n");
    let stall = "apiVersion: example.com/v1\nkind: Stall\nmetadata: {name: a}\nspec:\n  fruit: {apples: 5}\n  \
                 crates: [{size: 1}]\n  \"$(reboot)\": 1\n  a b: 1\n";
    let stalls = |path: &'static str| {
        complete(["get", "-f", "stall.yaml", "stalls", "--sort-by", path]).file("stall.yaml", stall)
    };
    stalls(".spec.").prints(".spec.crates[*].\n.spec.fruit.\n:6\n");
    stalls(".spec.crates[*].").prints(".spec.crates[*].size\n:4\n");
}

#[test]
fn paths_of_custom_resources_are_those_of_their_definition() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n\
        spec:\n  group: ex.io\n  scope: Namespaced\n  names: {kind: Shop, plural: shops}\n  \
        versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: \
        {color: {type: string}, parts: {type: array, items: {type: object, properties: {size: {type: integer}}}}}}}}}}]\n";
    let shops = |path: &'static str| {
        complete(["get", "-f", "crd.yaml", "shops", "--sort-by", path]).file("crd.yaml", definition)
    };
    shops(".spec.").prints(".spec.color\n.spec.parts[*].\n:6\n");
    shops(".spec.parts[0].").prints(".spec.parts[0].size\n:4\n");
    shops(".metadata.sel").prints(".metadata.selfLink\n:4\n");
    shops(".sp").prints(".spec.\n:6\n");
}

#[test]
fn ignored_files_are_read_if_the_line_says_so_and_globs_count() {
    let line = |args: &[&'static str]| {
        complete(["get", "-f", "k8s"].iter().chain(args).chain(&["configmap/"]).copied())
            .file("k8s/.ignore", "i.yaml\n")
            .file("k8s/i.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: i}}\n")
            .file("k8s/v.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: v}}\n")
    };
    line(&[]).prints("configmap/v\n:4\n");
    line(&["--no-ignore"]).prints("configmap/i\nconfigmap/v\n:4\n");
    line(&["--no-ignore", "-g", "!v.yaml"]).prints("configmap/i\n:4\n");
}
