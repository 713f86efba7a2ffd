//! Tables: columns, headers, blanks, ages.

use std::env;
use std::fs;
use std::path::Path;

use crate::support::{Kselect, WEB, on_a_terminal};

#[test]
fn each_kind_has_a_table_of_its_own() {
    Kselect::get([]).stdin(WEB).prints(
        "\
NAME          TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
service/web   ClusterIP   <none>       <none>        <none>    <unknown>

NAME         TYPE     DATA   AGE
secret/key   Opaque   1      <unknown>

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   0/1     0            0           <unknown>
",
    );
}

#[test]
fn objects_of_a_kind_are_together_in_the_order_of_first_appearance() {
    let node = |name| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n---\n");
    let claim = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n";
    Kselect::get(["--no-headers"]).stdin([node("a"), claim.to_owned(), node("b")].concat()).prints(concat!(
        "node/a   Unknown   <none>   <unknown>   \n",
        "node/b   Unknown   <none>   <unknown>   \n",
        "configmap/c   0     <unknown>\n"
    ));
}

#[test]
fn the_table_of_one_type_has_bare_names() {
    Kselect::get(["secrets"]).stdin(WEB).prints(
        "\
NAME   TYPE     DATA   AGE
key    Opaque   1      <unknown>
",
    );
    Kselect::get(["secrets", "--show-kind"]).stdin(WEB).prints(
        "\
NAME         TYPE     DATA   AGE
secret/key   Opaque   1      <unknown>
",
    );
}

#[test]
fn all_namespaces_are_a_column() {
    Kselect::get(["svc,secrets", "-A", "--no-headers"]).stdin(WEB).prints(
        "\
default   service/web   ClusterIP   <none>   <none>   <none>   <unknown>
shop   secret/key   Opaque   1     <unknown>
",
    );
}

#[test]
fn wide_tables_have_more_columns() {
    Kselect::get(["svc", "-o", "wide"]).stdin(WEB).prints(
        "\
NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE         SELECTOR
web    ClusterIP   <none>       <none>        <none>    <unknown>   <none>
",
    );
}

#[test]
fn a_label_that_an_object_lacks_is_none() {
    Kselect::get(["secrets", "-L", "app,example.com/tier"]).stdin(WEB).prints(
        "\
NAME   TYPE     DATA   AGE         APP   TIER
key    Opaque   1      <unknown>   web   <none>
",
    );
}

#[test]
fn a_number_may_be_the_default_of_a_variable() {
    let service = "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: [{port: '${PORT:=6379}'}]}}\n---\n";
    let workload =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: ${REPLICAS:=3}\n";
    Kselect::new(["get"]).stdin(format!("{service}{workload}")).prints(
        "NAME        TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE\n\
         service/s   ClusterIP   <none>       <none>        6379/TCP   <unknown>\n\
         \n\
         NAME                READY   UP-TO-DATE   AVAILABLE   AGE\n\
         deployment.apps/d   0/3     0            0           <unknown>\n",
    );
}

#[test]
fn all_labels_are_a_column() {
    Kselect::get(["svc", "--show-labels", "-L", "tier"]).stdin(WEB).prints(
        "\
NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE         TIER   LABELS
web    ClusterIP   <none>       <none>        <none>    <unknown>   fe     app=web,tier=fe
",
    );
}

#[test]
fn the_source_is_a_column() {
    Kselect::get(["secrets", "--show-source", "-f", "web.yaml"]).file("web.yaml", WEB).prints(
        "\
NAME   TYPE     DATA   AGE         SOURCE
key    Opaque   1      <unknown>   web.yaml:6
",
    );
}

#[test]
fn ages_count_from_the_creation() {
    let secret =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a, creationTimestamp: \"2026-01-01T00:00:00Z\"}\n";
    Kselect::get(["secrets", "--no-headers"])
        .now("2026-01-01T03:07:00Z")
        .stdin(secret)
        .prints("a     Opaque   0     3h7m\n");
}

#[test]
fn a_clock_that_cannot_be_read_is_an_error() {
    Kselect::get(["secrets", "--no-headers"])
        .now("tomorrow")
        .stdin(WEB)
        .status(2)
        .stderr("error: KSELECT_NOW: \"tomorrow\" is not a time\nhint: write it as 2024-05-06T07:08:09Z\n")
        .prints_nothing();
}

/// Compares a table with `fixtures/golden/NAME.txt`. Set `KSELECT_UPDATE=1` to rewrite the file, and review the
/// difference.
#[track_caller]
fn check_golden(name: &str, args: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("fixtures/golden").join(name).with_extension("txt");
    let kselect = || Kselect::get(args.iter().copied()).current_dir(root);
    if env::var_os("KSELECT_UPDATE").is_some_and(|update| update == "1") {
        fs::write(&path, kselect().run().stdout).expect("a file that can be written");
    }
    let output = kselect().run();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let (table, expected) =
        (String::from_utf8_lossy(&output.stdout), fs::read_to_string(&path).unwrap_or_default());
    let first = table.lines().zip(expected.lines()).take_while(|(own, other)| own == other).count();
    // The tables are too long to be read in a message.
    assert!(
        table == expected,
        "{} differs from line {} on; if that is meant, write it anew and review the difference: KSELECT_UPDATE=1 cargo test --test it tables::",
        path.display(),
        first + 1,
    );
}

#[test]
fn whole_clusters_print_as_they_did() {
    for input in ["cluster", "bare"] {
        let path = format!("fixtures/conformance/{input}");
        check_golden(input, &["-f", &path, "-A"]);
        check_golden(&format!("{input}-wide"), &["-f", &path, "-A", "-o", "wide"]);
        check_golden(&format!("{input}-labels"), &["-q", "-f", &path, "-L", "app,tier", "--show-labels"]);
        check_golden(&format!("{input}-all"), &["-q", "all", "-f", &path, "--no-headers", "--show-source"]);
    }
}

/// Deployments of two sizes, and two Services, which have no size.
const SIZES: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: large}
spec: {replicas: 3}
---
apiVersion: v1
kind: Service
metadata: {name: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: small}
spec: {replicas: 1}
---
apiVersion: v1
kind: Service
metadata: {name: a}
";

#[test]
fn versions_of_a_kind_are_sorted_together() {
    let scaler = |version: &str, name: &str| {
        format!(
            "apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: {name}}}\n---\n"
        )
    };
    let same = [scaler("v2", "b"), scaler("v1", "a"), scaler("v2", "c")].concat();
    let header = "NAME   REFERENCE   TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\n";
    let row = |name| {
        format!("{name}      /           cpu: <unknown>/80%   1         0         0          <unknown>\n")
    };
    for types in [&[][..], &["hpa"]] {
        let get = |args: &[&'static str]| Kselect::get(types.iter().chain(args).copied()).stdin(&same);
        get(&[]).prints([header, &row("b"), &row("a"), &row("c")].concat());
        get(&["--sort-by", "NAME"]).prints([header, &row("a"), &row("b"), &row("c")].concat());
        get(&["--reverse"]).prints([header, &row("c"), &row("a"), &row("b")].concat());
    }
    let other = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shops.example.com}\n\
         spec:\n  group: example.com\n  names: {kind: Shop, plural: shops}\n  scope: Cluster\n  versions:\n  \
         - {name: v1, served: true, storage: true, additionalPrinterColumns: [{name: Size, type: string, jsonPath: .size}]}\n  \
         - {name: v2, served: true, storage: false}\n---\n\
         {apiVersion: example.com/v1, kind: Shop, metadata: {name: b}, size: 1}\n---\n\
         {apiVersion: example.com/v2, kind: Shop, metadata: {name: a}}\n---\n\
         {apiVersion: example.com/v1, kind: Shop, metadata: {name: a1}, size: 2}\n";
    Kselect::get(["shops", "--sort-by", ".metadata.name"]).stdin(other).prints(
        "NAME                 AGE\nshop.example.com/a   <unknown>\n\n\
         NAME                  SIZE\nshop.example.com/a1   2\nshop.example.com/b    1\n",
    );
}

#[test]
fn a_table_of_a_kind_without_the_path_to_sort_by_stays_as_it_is() {
    let tables = "\
NAME                    READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/small   0/1     0            0           <unknown>
deployment.apps/large   0/3     0            0           <unknown>

NAME        TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
service/b   ClusterIP   <none>       <none>        <none>    <unknown>
service/a   ClusterIP   <none>       <none>        <none>    <unknown>
";
    for types in [&[][..], &["deploy,svc"]] {
        let sorted = ["--sort-by", ".spec.replicas"];
        let get = || Kselect::get(types.iter().copied().chain(sorted)).stdin(SIZES);
        get().prints(tables);
    }
    Kselect::get(["--sort-by", ".spec.replicas", "-o", "name"])
        .stdin(SIZES)
        .prints("service/b\nservice/a\ndeployment.apps/small\ndeployment.apps/large\n");
    Kselect::get(["--sort-by", ".metadata.creationTimestamp"])
        .stdin(SIZES)
        .status(1)
        .stderr(
            "error: couldn't find any field with path \"{.metadata.creationTimestamp}\" in the list of objects\n\
             hint: manifests have no time of creation; leave the flag out to keep the order of the files\n",
        )
        .prints_nothing();
    // A header that no table has is an error in any format, even if each table has one row.
    for format in ["", "name", "csv"] {
        Kselect::get(["deploy/large", "svc/a", "--sort-by", ".spec.nosuch", "-o", format])
            .stdin(SIZES)
            .status(1)
            .stderr("error: couldn't find any field with path \"{.spec.nosuch}\" in the list of objects\n")
            .prints_nothing();
    }
}

#[test]
fn a_column_without_values_and_a_column_that_only_wide_tables_show_can_be_sorted_by() {
    let pods = "\
kind: List
apiVersion: v1
items:
- {apiVersion: v1, kind: Pod, metadata: {name: b}, status: {podIP: 10.0.0.2}}
- {apiVersion: v1, kind: Pod, metadata: {name: a, labels: {tier: fe}}, status: {podIP: 10.0.0.1}}
";
    let names = |args: &[&str], expected: &str| {
        Kselect::get(args.iter().copied().chain(["--no-headers", "-o", "name"])).stdin(pods).prints(expected);
    };
    names(&["--sort-by", "AGE"], "pod/b\npod/a\n");
    names(&["--sort-by", "IP"], "pod/a\npod/b\n");
    names(&["-L", "tier", "--sort-by", "TIER"], "pod/b\npod/a\n");
    names(&["--sort-by", ""], "pod/b\npod/a\n");
    Kselect::get(["--sort-by", "NOSUCH"])
        .stdin(pods)
        .status(1)
        .stderr("error: no selected object has a column \"NOSUCH\" to sort by\n")
        .prints_nothing();
}

#[test]
fn names_and_user_defined_columns_have_their_source() {
    let get = |args: &[&str]| {
        Kselect::get(args.iter().copied().chain(["--show-source", "-f", "a.yaml"])).file("a.yaml", WEB)
    };
    get(&["-o", "name"])
        .prints("a.yaml:2: service/web\na.yaml:6: secret/key\na.yaml:15: deployment.apps/web\n");
    get(&["-o", "custom-columns=K:.kind"]).prints(
        "K            SOURCE\nService      a.yaml:2\nSecret       a.yaml:6\nDeployment   a.yaml:15\n",
    );
    get(&["-o", "csv=K:.kind"]).prints("K,SOURCE\nService,a.yaml:2\nSecret,a.yaml:6\nDeployment,a.yaml:15\n");
}

#[test]
fn an_empty_label_key_is_no_column() {
    let pod = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    Kselect::get(["-L", ""]).stdin(pod).prints("NAME   STATUS   AGE\na      Active   <unknown>\n");
}

#[test]
fn on_a_terminal_copies_of_an_object_are_shown_with_their_places() {
    let service = |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}\n");
    let copies = [service("a"), service("b"), service("a")].join("---\n");
    let get = ["kselect", "get"];
    assert_eq!(
        on_a_terminal(get, &copies),
        "NAME   DATA   AGE         SOURCE\n\
         a      0      <unknown>   STDIN:1\n\
         b      0      <unknown>   STDIN:3\n\
         a      0      <unknown>   STDIN:5\n"
    );
    let one = "NAME   DATA   AGE\na      0      <unknown>\n";
    assert_eq!(on_a_terminal(get, service("a")), one);
    assert_eq!(on_a_terminal(["kselect", "get", "--fit"], service("a")), one);
    let plain =
        "NAME   DATA   AGE\na      0      <unknown>\nb      0      <unknown>\na      0      <unknown>\n";
    Kselect::get([]).stdin(&copies).prints(plain);
}

#[test]
fn cells_are_cut_to_fit_on_demand() {
    const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template: {spec: {containers: [{name: nginx, image: 'registry.example.com/shop/web:1.10'}]}}
";
    Kselect::get(["-o", "wide", "--fit=90"]).stdin(DEPLOYMENT).prints(
        "\
NAME   READY   UP-TO-DATE   AVAILABLE   AGE         CONTAINERS   IMAGES           SELECTOR
web    0/1     0            0           <unknown>   nginx        …shop/web:1.10   app=web
",
    );
    // Columns that people need least are left out if there is no room for them.
    Kselect::get(["-o", "wide", "--fit=64"]).stdin(DEPLOYMENT).prints(
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE         CONTAINERS\n\
         web    0/1     0            0           <unknown>   nginx\n",
    );
    Kselect::get(["-o", "wide", "--fit=30", "-L", "app"])
        .stdin(DEPLOYMENT)
        .prints("NAME   READY   APP\nweb    0/1     web\n");
    let file = "k8s/apps/very-long-name.yaml";
    Kselect::get(["-f", file, "--fit=60", "--show-source", "--no-headers"])
        .file(file, DEPLOYMENT)
        .prints("web   0/1   0     0     <unknown>   \u{2026}s/very-long-name.yaml:1\n");
    // If the width of the terminal is unknown, or other programs read the output, nothing is cut.
    let whole = Kselect::get(["-o", "wide"]).stdin(DEPLOYMENT).run();
    Kselect::get(["-o", "wide", "--fit"]).stdin(DEPLOYMENT).prints(whole.stdout);
    let csv = Kselect::get(["-o", "csv"]).stdin(DEPLOYMENT).run();
    Kselect::get(["-o", "csv", "--fit=10"]).stdin(DEPLOYMENT).prints(csv.stdout);
}

#[test]
fn a_cell_names_the_first_of_many_namespaces() {
    let table = |count: u8| {
        let overlay = |number: u8| {
            (format!("{number}/kustomization.yaml"), format!("resources: [../base]\nnamespace: n{number}\n"))
        };
        let mut kselect = Kselect::new(["get", "-A", "-R", "-f", ".", "--no-headers", "-q"])
            .file("base/kustomization.yaml", "resources: [a.yaml]\n")
            .file("base/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n");
        for (name, text) in (1..=count).map(overlay) {
            kselect = kselect.file(&name, text);
        }
        kselect
    };
    table(4).prints("n1,n2,n3,n4   a     0     <unknown>\n");
    table(5).prints("n1, n2, n3, 2 more   a     0     <unknown>\n");
}
