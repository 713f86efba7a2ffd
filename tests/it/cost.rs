//! Processor time and memory grow in proportion to the input, also for inputs that leave the fast paths: a square would
//! make a run that hangs of a file that is merely large.
//!
//! Each row is a kind of input, with the commands whose paths differ for it. The input is read once in a small size and
//! once eight times as large, which may take twenty times the processor time, where a square takes 64 times. A new path
//! (a kind of input that is read, compared or printed in a way of its own) is a new row.

#![cfg(unix)]

use std::process::Command;

use crate::environment;
use crate::support::{Kselect, gzip};

/// How many times larger the large input is, and how many times more processor time it may take.
const GROWTH: usize = 8;
const MAX_RATIO: f64 = 20.0;

/// Shorter times count as this long, in seconds: starting takes as long, and the clock is coarse.
const SHORTEST: f64 = 0.04;

/// The maximum memory of a run with a large input, in MiB: all inputs have at most 4 MiB.
const MEMORY: usize = 320;

/// A kind of input: a function that makes one with this many parts, the number of parts of the small input, and the
/// commands.
type CostRow = (&'static str, fn(usize) -> String, usize, &'static [&'static str]);

const ROWS: &[CostRow] = &[
    (
        "a List",
        list,
        400,
        &[
            "get",
            "get -o yaml",
            "get -o json",
            "get -l app=x --why",
            "count",
            "check",
            "label --all a=b",
            "serve -f in.yaml -- true",
        ],
    ),
    ("a JSON array", array, 400, &["get", "get -o yaml", "get -o name", "check", "label --all a=b"]),
    ("a Table", table, 400, &["get", "get -o yaml", "check"]),
    ("a list of internal types", internal, 400, &["get", "get -o name", "check"]),
    (
        "watch events",
        events,
        400,
        &["get", "get -o name", "get -o json", "count", "serve -f in.yaml -- true"],
    ),
    (
        "an anchor in the first item",
        anchor,
        400,
        &["get", "get -o yaml", "get -l app=web", "check", "label --all a=b"],
    ),
    (
        "an anchor of the first item in the last",
        alias,
        400,
        &["get", "get -o yaml", "serve -f in.yaml -- true"],
    ),
    (
        "a chain of kustomizations",
        chain,
        100,
        &["get -R -f k", "check -R -f k", "scale cm --all --replicas 2 --diff -R -f k"],
    ),
    (
        "a base with many overlays",
        overlays,
        100,
        &["get -R -f k", "check -R -f k", "scale cm --all --replicas 2 --diff -R -f k"],
    ),
    ("misspelt names in other units", misspelt_apart, 100, &["check -R -f k"]),
    ("a Secret that is made in each namespace", made_in_each, 500, &["tree", "tree secret/s --up", "check"]),
    (
        "overlays that applications apply",
        applied_overlays,
        60,
        &["get -A -R -f k", "tree -R -f k", "check -R -f k"],
    ),
    (
        "applications that overlays patch",
        patched_applications,
        90,
        &["get -A -R -f k", "tree -R -f k", "check -R -f k"],
    ),
    ("transformers of a directory that all kustomizations list", transformers, 100, &["get -A -R -f k"]),
    (
        "overlays of many directories",
        directories,
        60,
        &["get -R -f k", "tree -R -f k", "check -R -f k", "scale cm --all --replicas 2 --diff -R -f k"],
    ),
    ("components of overlays", components, 60, &["get -A -R -f k", "check -R -f k"]),
    ("images that nothing has", lost_images, 400, &["check -R -f k"]),
    ("dependencies on itself", own_dependencies, 2_000, &["check"]),
    ("patches that each change an object", json_patches, 400, &["check -R -f k"]),
    ("misspelt names of what a component has in many namespaces", misspelt_parts, 100, &["check -R -f k"]),
    (
        "patches that name objects",
        naming_patches,
        200,
        &[
            "tree -R -f k",
            "get --uses cm/c0 -R -f k",
            "get cm --used-by pod/p0 -R -f k",
            "get cm --unused -R -f k",
        ],
    ),
    ("paths outside of the input", outside, 100, &["get -A -R -f k", "tree -R -f k", "check -R -f k"]),
    (
        "applications and a set of them",
        applications,
        100,
        &["get -A -R -f k", "tree -R -f k", "check -R -f k"],
    ),
    ("sets that each find something else", sets, 100, &["get -A -R -f k", "tree -R -f k"]),
    ("redacted values", hidden, 400, &["get", "get -o yaml", "check"]),
    ("a List in braces", flow_list, 400, &["get", "get -o yaml", "check"]),
    (
        "an anchor in the first item in braces",
        flow_anchor,
        400,
        &["get", "get -o yaml", "check", "label --all a=b"],
    ),
    (
        "two objects with many keys",
        keys,
        2_000,
        &["diff other.yaml in.yaml", "diff other.yaml in.yaml -o name"],
    ),
    ("two objects with many lines", lines, 2_000, &["diff other.yaml in.yaml"]),
    ("misspelt fields", misspelt_fields, 100, &["check", "check --fix --diff"]),
    ("merges of merges", merges, 60, &["get -o json", "check"]),
    (
        "items merged from the first",
        merged_items,
        400,
        &["get -o json", "check", "diff other.yaml in.yaml", "serve -f in.yaml -- true"],
    ),
    ("policies that select all pods", policies, 12, &["tree"]),
    (
        "items that cannot be read",
        broken,
        400,
        &["get", "get -o name", "check", "count", "serve -f in.yaml -- true"],
    ),
    ("separators", separators, 50_000, &["get", "count", "check", "get -f in.yaml.gz", "check in.yaml.gz"]),
    ("documents that cannot be read", broken_documents, 1_500, &["get", "check", "count"]),
    (
        "lines that begin with a quote in a plain scalar",
        continued,
        4_000,
        &["get -o name", "get -o json", "check", "label --all a=b"],
    ),
    (
        "items whose second line is in quotes",
        quoted_items,
        2_500,
        &["get -o name", "get -o json", "check", "label --all a=b"],
    ),
    ("doubtful lines below a key", doubtful, 4_000, &["get -o name", "check"]),
    ("a long line", long_line, 4_000, &["get -o name", "get -o json", "check"]),
    ("nested maps", nested, 12, &["get -o json", "check"]),
    ("many keys", keys, 4_000, &["get -o name", "get -o json", "check", "label --all a=b"]),
    (
        "a patch that removes many keys",
        nulls,
        4_000,
        &["patch cm/a --type merge --patch-file in.yaml", "patch cm/a --patch-file in.yaml"],
    ),
    (
        "a JSON patch that removes many keys",
        removals,
        4_000,
        &["patch cm/a --type json --patch-file in.yaml -f in.yaml"],
    ),
    (
        "a patch of one element of many",
        variables,
        2_000,
        &[r#"patch pod/a -p '{"spec":{"containers":[{"name":"c","env":[{"name":"k1","value":"b"}]}]}}'"#],
    ),
    ("ClusterRoles with the rules of others", aggregations, 1_000, &["get --unused"]),
    ("many labels", labels, 2_000, &["get --show-labels", "get -l k1=v", "label --all a=b"]),
    ("objects of one name", one_name, 600, &["check in.yaml other.yaml", "get", "diff other.yaml in.yaml"]),
    ("copies of an object", copies, 600, &["get", "get -o name", "count", "check"]),
    (
        "a pod with many parts",
        large_pod,
        150,
        &["get", "get --validate=strict", "check", "set image --all *=:2", "diff other.yaml in.yaml", "tree"],
    ),
    ("Services and their pods", services, 150, &["tree", "get --selected-by service/s1", "check"]),
    ("owners of owners", owners, 150, &["tree", "get --owned-by pod/p0"]),
    ("a cluster in which nothing is ready", unready, 150, &["check --live"]),
    ("misspelt labels and names", misspelt, 300, &["check"]),
    ("budgets of some values and their pods", budgets, 200, &["check"]),
    ("policies of all pods but some", exceptions, 200, &["check"]),
    ("Services of one label and their pods", one_label, 200, &["check"]),
    ("copies of a workload", workloads, 300, &["check"]),
    ("pods that fit no node", nodes, 300, &["check"]),
    ("resources of one name", customs, 200, &["check"]),
];

const POD: &str = "  kind: Pod\n  metadata:\n    name: p%\n    labels:\n      app: web\n  spec:\n    containers:\n    - name: c\n      image: nginx\n";

fn parts(count: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

/// A block List of pods with this text after the dash and after the pod.
fn block_list(
    count: usize,
    first: impl Fn(usize) -> &'static str,
    last: impl Fn(usize) -> &'static str,
) -> String {
    let pod = |number: usize| {
        let pod = POD.replace('%', &number.to_string());
        format!("- apiVersion: v1{}{pod}{}", first(number), last(number))
    };
    format!("apiVersion: v1\nkind: List\nitems:\n{}", parts(count, "", pod))
}

fn list(count: usize) -> String {
    block_list(count, |_| "\n", |_| "")
}

fn anchor(count: usize) -> String {
    block_list(count, |number| if number == 0 { " \n  x: &x {a: b}\n" } else { "\n" }, |_| "")
}

fn alias(count: usize) -> String {
    let last = |number: usize| if number + 1 == count { "    x: *x\n" } else { "" };
    block_list(count, |number| if number == 0 { " \n  x: &x {a: b}\n" } else { "\n" }, last)
}

fn hidden(count: usize) -> String {
    block_list(count, |_| "\n", |_| "      env:\n      - name: A\n        value: ***HIDDEN***\n")
}

fn json_pod(number: usize) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{number}","uid":"u{number}","labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"c","image":"nginx"}}]}}}}"#
    )
}

fn array(count: usize) -> String {
    format!("[{}]\n", parts(count, ",\n", json_pod))
}

fn table(count: usize) -> String {
    let row = |number| format!(r#"{{"cells":["p"],"object":{}}}"#, json_pod(number));
    format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[],"rows":[{}]}}"#,
        parts(count, ",\n", row)
    )
}

fn internal(count: usize) -> String {
    let pod = |number| {
        format!(
            r#"{{"name":"p{number}","uid":"u{number}","Spec":{{"Containers":[{{"Name":"c","Image":"nginx"}}]}}}}"#
        )
    };
    format!(r#"{{"selfLink":"/api/v1/pods","Items":[{}]}}"#, parts(count, ",\n", pod))
}

fn events(count: usize) -> String {
    parts(count, "\n", |number| format!(r#"{{"type":"ADDED","object":{}}}"#, json_pod(number)))
}

fn flow_list(count: usize) -> String {
    format!("---\n{{apiVersion: v1, kind: List, items: [{}]}}\n", parts(count, ",\n", json_pod))
}

fn flow_anchor(count: usize) -> String {
    flow_list(count).replacen(r#""labels":"#, r#""labels": &x "#, 1)
}

/// Each merged from the one before, up to 16.
fn merges(count: usize) -> String {
    let map = |number: usize| match number % 16 {
        0 => format!("x{number}: &x{number} {{k: v}}\n"),
        _ => format!("x{number}: &x{number} {{<<: *x{}, k{number}: v}}\n", number - 1),
    };
    config_map(&parts(count, "", map))
}

fn merged_items(count: usize) -> String {
    let item = |number| format!("- <<: *x\n  metadata:\n    name: m{number}\n    x: v\n");
    block_list(1, |_| " &x\n", |_| "").replacen("- apiVersion: v1 &x\n", "- &x\n  apiVersion: v1\n", 1)
        + &parts(count, "", item)
}

/// A pod with as many containers, mounts, volumes, claims, variables, ports and owners.
fn large_pod(count: usize) -> String {
    let list = |indent: &str, name: &str, item: &str| {
        let items =
            parts(count, "", |number| format!("{indent}- {}\n", item.replace('%', &number.to_string())));
        format!("{indent}{name}:\n{items}")
    };
    [
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n".to_owned(),
        list("  ", "ownerReferences", "{apiVersion: v1, kind: Pod, name: o%, uid: u%}"),
        list("  ", "finalizers", "x.io/f%"),
        "spec:\n".to_owned(),
        list("  ", "containers", "{name: c%, image: \"i:1\"}"),
        "  - name: last\n    image: i:1\n".to_owned(),
        list("    ", "volumeMounts", "{name: v%, mountPath: /m%}"),
        list("    ", "env", "{name: E%, value: v}"),
        list("    ", "ports", "{name: p%, containerPort: 8%}"),
        list("  ", "ephemeralContainers", "{name: e%, image: i, targetContainerName: c%}"),
        list("  ", "volumes", "{name: v%, configMap: {name: m%}}"),
        list("  ", "tolerations", "{key: k%, operator: Exists}"),
        list("  ", "imagePullSecrets", "{name: s%}"),
    ]
    .concat()
}

/// The output has as many lines as there are pairs, so the square of the count grows.
fn policies(count: usize) -> String {
    let side = (count * 12).isqrt();
    let both = |number| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: n{number}}}\nspec: {{podSelector: {{}}}}\n---\n\
             apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}}}\nspec: {{}}\n"
        )
    };
    parts(side, "---\n", both)
}

fn lines(count: usize) -> String {
    config_map(&format!("data:\n  x: |\n{}", parts(count, "", |number| format!("    {number}: v\n"))))
}

fn broken(count: usize) -> String {
    // The small input, too, is longer than what is searched for the cause of an error.
    let item = format!("- a: b: {}\n", "c".repeat(100));
    format!("apiVersion: v1\nkind: List\nitems:\n{}", item.repeat(count))
}

fn broken_documents(count: usize) -> String {
    "a: b: c\n---\n".repeat(count) + "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: a\n"
}

/// Secrets of one name, each made in a namespace where a pod uses it.
fn made_in_each(count: usize) -> String {
    let each = |number: usize| {
        format!(
            "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: s, namespace: n{number}}}\nspec: {{target: {{name: \
             s}}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: n{number}}}\nspec: {{containers: [], \
             imagePullSecrets: [{{name: s}}]}}\n---\n"
        )
    };
    (0..count).map(each).collect()
}

/// Kustomizations below each other, as a text of files: `#file PATH` before each.
fn chain(count: usize) -> String {
    let each = |number: usize| {
        let next = number + 1;
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [cm.yaml, ../{next}]\nnamespace: n{number}\ncommonLabels: {{l: a{number}}}\n"
        ) + &format!(
            "#file k/{number}/cm.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\n"
        )
    };
    (0..count).map(each).collect()
}

fn overlays(count: usize) -> String {
    let base = "#file k/base/kustomization.yaml\nresources: [cm.yaml]\n#file k/base/cm.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";
    let each = |number: usize| {
        format!(
            "#file k/{number}/kustomization.yaml\npatches: [{{patch: \"{{$patch: delete, kind: A}}\", target: {{name: b}}}}, {{patch: \"{{kind: ConfigMap, metadata: {{name: a, labels: {{m: a{number}}}}}}}\"}}, {{patch: '[]', target: {{name: a.*c, labelSelector: a}}}}]\nresources: [../base]\nnamespace: n{number}\ncommonLabels: {{l: a{number}}}\n"
        )
    };
    base.to_owned() + &(0..count).map(each).collect::<String>()
}

/// Applications that build from directories, and an ApplicationSet that finds as many, as a text of files.
fn applications(count: usize) -> String {
    let source = |path: &str, namespace: &str| {
        format!("{{source: {{repoURL: r, path: {path}}}, destination: {{namespace: {namespace}}}}}\n")
    };
    let set = "#file k/set.yaml\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  generators: [{git: {directories: [{path: 'sets/*'}]}}]\n  template:\n    spec: "
        .to_owned() + &source("'{{path}}'", "'{{path.basename}}'");
    let each = |number: usize| {
        let files = ["apps", "sets"].map(|directory| {
            format!(
                "#file k/{directory}/{number}/cm.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\n"
            )
        });
        let application = format!(
            "#file k/{number}.yaml\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a{number}}}\nspec: "
        ) + &source(&format!("apps/{number}"), &format!("n{number}"));
        files.concat() + &application
    };
    set + &(0..count).map(each).collect::<String>()
}

/// ApplicationSets that each find a directory and a file anywhere, or nothing that is known, as a text of files.
fn sets(count: usize) -> String {
    let each = |number: usize| {
        let generators = format!(
            "[{{git: {{directories: [{{path: '*/s{number}'}}]}}}}, {{git: {{files: [{{path: '*/c{number}.yaml'}}]}}}}, \
             {{plugin: {{}}}}]"
        );
        format!(
            "#file k/{number}.yaml\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s{number}}}\nspec:\n  \
             generators: {generators}\n  template: {{spec: {{source: {{repoURL: r, path: '{{{{path}}}}/o{number}'}}, \
             destination: {{namespace: a}}}}}}\n#file k/d{number}/s{number}/o{number}/cm.yaml\napiVersion: v1\nkind: ConfigMap\n\
             metadata: {{name: a{number}}}\n#file k/d{number}/s{number}/c{number}.yaml\na: b\n"
        )
    };
    (0..count).map(each).collect()
}

/// Overlays of a base, each applied by an Application.
fn applied_overlays(count: usize) -> String {
    let service = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{selector: {{app: wbe{name}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web{name}}}}}, spec: {{containers: [{{name: a, image: a}}]}}}}\n---\n"
        )
    };
    let each = |number: usize| {
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [../base, a.yaml]\nnamePrefix: p{number}-\n#file k/{number}/a.yaml\n{}\
             #file k/apps/{number}.yaml\n{{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {{name: a{number}}}, spec: \
             {{source: {{repoURL: r, path: k/{number}}}, destination: {{namespace: n{number}}}}}}}\n",
            service(&format!("s{number}"))
        )
    };
    let base = service("base");
    format!("#file k/base/kustomization.yaml\nresources: [a.yaml]\n#file k/base/a.yaml\n{base}")
        + &(0..count).map(each).collect::<String>()
}

/// Applications of a base, each of which each overlay patches.
fn patched_applications(count: usize) -> String {
    let application = |number| {
        format!(
            "{{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {{name: a{number}}}, spec: \
             {{source: {{repoURL: r, path: apps/0}}, destination: {{namespace: n{number}}}}}}}\n---\n"
        )
    };
    let overlay = |number| {
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [../base]\npatches: [{{target: {{kind: Application}}, patch: '[{{op: replace, \
             path: /spec/source/path, value: apps/{number}}}]'}}]\n#file k/apps/{number}/cm.yaml\n\
             {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{number}}}}}\n"
        )
    };
    format!(
        "#file k/base/kustomization.yaml\nresources: [a.yaml]\n#file k/base/a.yaml\n{}",
        parts(count, "", application)
    ) + &(0..count).map(overlay).collect::<String>()
}

/// Overlays that list a component with many others, as a text of files.
fn components(count: usize) -> String {
    let component = |number: usize| {
        format!(
            "#file k/c{number}/kustomization.yaml\nkind: Component\nresources: [a.yaml]\nlabels: [{{pairs: {{l{number}: a}}}}]\n\
             #file k/c{number}/a.yaml\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{number}}}}}\n"
        )
    };
    let overlay =
        |number| format!("#file k/{number}/kustomization.yaml\nnamespace: n{number}\ncomponents: [../all]\n");
    let all = parts(count, ", ", |number| format!("../c{number}"));
    format!("#file k/all/kustomization.yaml\nkind: Component\ncomponents: [{all}]\n")
        + &(0..count).map(component).collect::<String>()
        + &(0..count).map(overlay).collect::<String>()
}

/// Overlays of a kustomization of many directories, each of which patches an object in one of them.
fn directories(count: usize) -> String {
    let directory = |number: usize| {
        format!(
            "#file k/d{number}/kustomization.yaml\nresources: [a.yaml]\n\
             #file k/d{number}/a.yaml\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{number}}}}}\n"
        )
    };
    let overlay = |number| {
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [../all]\npatches: [{{target: {{kind: ConfigMap, name: c{number}}}, patch: \
             '[{{op: add, path: /data, value: {{a: b}}}}]'}}]\n"
        )
    };
    let all = parts(count, ", ", |number| format!("../d{number}"));
    format!("#file k/all/kustomization.yaml\nresources: [{all}]\n")
        + &(0..count).map(directory).collect::<String>()
        + &(0..count).map(overlay).collect::<String>()
}

fn transformers(count: usize) -> String {
    let transformer = |number: usize| {
        format!(
            "#file k/t/t{number}.yaml\n{{apiVersion: builtin, kind: NamespaceTransformer, metadata: {{name: t{number}, namespace: n}}, unsetOnly: true}}\n"
        )
    };
    let kustomization = |number| {
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [a.yaml]\ntransformers: [../t]\n#file k/{number}/a.yaml\n{{apiVersion: v1, kind: \
             ConfigMap, metadata: {{name: c{number}}}}}\n"
        )
    };
    let all = parts(count, ", ", |number| format!("t{number}.yaml"));
    format!("#file k/t/kustomization.yaml\nresources: [{all}]\n")
        + &(0..count).map(transformer).collect::<String>()
        + &(0..count).map(kustomization).collect::<String>()
}

/// JSON patches of a kustomization, each of an object of its own that does not have what it removes.
fn json_patches(count: usize) -> String {
    let object = |number| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m{number}}}, data: {{a: b}}}}\n---\n")
    };
    let patch = |number| {
        format!(
            "- {{target: {{name: m{number}}}, patch: '[{{\"op\": \"remove\", \"path\": \"/data/x\"}}]'}}\n"
        )
    };
    let (objects, patches) = (parts(count, "", object), parts(count, "", patch));
    format!(
        "#file k/all.yaml\n{objects}#file k/kustomization.yaml\nresources: [all.yaml]\npatches:\n{patches}"
    )
}

/// Images of a kustomization, none of which its pods have.
fn lost_images(count: usize) -> String {
    let pod = |number| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p{number}}}, spec: {{containers: [{{name: c, image: 'r{number}/b:1'}}]}}}}\n---\n"
        )
    };
    let image = |number| format!("- {{name: other{number}/b, newTag: '2'}}\n");
    let (pods, images) = (parts(count, "", pod), parts(count, "", image));
    format!("#file k/all.yaml\n{pods}#file k/kustomization.yaml\nresources: [all.yaml]\nimages:\n{images}")
}

/// An object of Flux that waits for itself again and again.
fn own_dependencies(count: usize) -> String {
    let names = parts(count, ", ", |_| "{name: a}".to_owned());
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: f}}\nspec: {{path: ./x, dependsOn: \
         [{names}]}}\n"
    )
}

/// Overlays that list a component and misspell the names of what that has.
fn misspelt_parts(count: usize) -> String {
    let settings =
        |number| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: settings{number}}}}}\n---\n");
    let overlay = |number| {
        format!(
            "#file k/{number}/kustomization.yaml\nnamespace: n{number}\nresources: [pod.yaml]\ncomponents: [../c]\n#file \
             k/{number}/pod.yaml\n{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, image: x, \
             envFrom: [{{configMapRef: {{name: seting{}}}}}]}}]}}}}\n",
            number % 20
        )
    };
    let component =
        "#file k/c/kustomization.yaml\nkind: Component\nresources: [all.yaml]\n#file k/c/all.yaml\n";
    component.to_owned() + &parts(20, "", settings) + &parts(count, "", overlay)
}

/// Pods that a kustomization patches, each with a reference of its own.
fn naming_patches(count: usize) -> String {
    let pod = |number: usize, spec: &str| {
        format!("---\n{{apiVersion: v1, kind: Pod, metadata: {{name: p{number}}}, spec: {{{spec}}}}}\n")
    };
    let pods = parts(count, "", |number| pod(number, "containers: [{name: c}]"));
    let patches =
        parts(count, "", |number| pod(number, &format!("volumes: [{{configMap: {{name: c{number}}}}}]")));
    format!(
        "#file k/kustomization.yaml\nresources: [pods.yaml]\npatches: [{{path: patches.yaml}}]\n#file k/pods.yaml\n{pods}#file \
         k/patches.yaml\n{patches}"
    )
}

/// Kustomizations and Applications that build from what the input does not have.
fn outside(count: usize) -> String {
    let each = |number: usize| {
        format!(
            "#file k/d{number}/kustomization.yaml\nresources: [../../out{number}, cm.yaml, cn.yaml]\n#file k/d{number}/cm.yaml\n\
             {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{number}}}}}\n#file k/{number}.yaml\n\
             {{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {{name: a{number}}}, spec: \
             {{source: {{repoURL: r, path: k/e{number}}}, destination: {{namespace: n}}}}}}\n"
        )
    };
    (0..count).map(each).collect()
}

fn separators(count: usize) -> String {
    "---\n".repeat(count) + "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
}

fn misspelt_fields(count: usize) -> String {
    let container = |number| format!("  - {{name: c{number}, image: i, comand: [a]}}\n");
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n".to_owned()
        + &parts(count, "", container)
}

fn config_map(rest: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n{rest}")
}

fn continued(count: usize) -> String {
    config_map(&format!("x:\n  y: a\n{}", "    'b c d e\n".repeat(count)))
}

fn quoted_items(count: usize) -> String {
    config_map(&format!("x:\n{}", "  - b\n    \"c\" d\n".repeat(count)))
}

fn doubtful(count: usize) -> String {
    config_map(&format!("x:\n  - a\n{}", "      [b\n      | c\n      !d e\n".repeat(count)))
}

fn long_line(count: usize) -> String {
    config_map(&format!("data: {{{}}}\n", parts(count, ", ", |number| format!("k{number}: \"a, b: {{c}}\""))))
}

fn nested(count: usize) -> String {
    config_map(&parts(count * 8, "", |level| format!("{:level$}x:\n", "")))
}

fn keys(count: usize) -> String {
    config_map(&format!("data:\n{}", parts(count, "", |number| format!("  k{number}: v\n"))))
}

/// As a patch, this removes the keys that it has.
fn nulls(count: usize) -> String {
    let keys = parts(count, "", |number| format!("  k{number}:\n"));
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{keys}")
}

/// A JSON patch that removes all keys of its first operation, which is an object as well.
fn removals(count: usize) -> String {
    let keys = parts(count, ",", |number| format!("\"k{number}\":\"v\""));
    let others =
        parts(count - 1, "", |number| format!(",\n{{\"op\":\"remove\",\"path\":\"/data/k{}\"}}", number + 1));
    format!(
        "[{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"a\"}},\"data\":{{{keys}}},\
         \"op\":\"remove\",\"path\":\"/data/k0\"}}{others}]\n"
    )
}

fn variables(count: usize) -> String {
    let variables = parts(count, "", |number| format!("    - {{name: k{number}, value: v}}\n"));
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n  - name: c\n    image: b\n    env:\n{variables}"
    )
}

fn aggregations(count: usize) -> String {
    let role = |number| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {{name: r{number}, labels: {{of: a{number}}}}}, \
             aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{of: a{number}}}}}]}}}}\n"
        )
    };
    parts(count, "---\n", role)
}

fn labels(count: usize) -> String {
    config_map(&format!("  labels:\n{}", parts(count, "", |number| format!("    k{number}: v\n"))))
}

fn one_name(count: usize) -> String {
    parts(count, "---\n", |_| config_map("data:\n  x: v\n"))
}

fn copies(count: usize) -> String {
    parts(count, "\n", |number| {
        json_pod(number / 4).replace(r#""labels""#, &format!(r#""resourceVersion":"{number}","labels""#))
    })
}

fn services(count: usize) -> String {
    let both = |number| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: s{number}}}\nspec: {{selector: {{app: a{number}}}}}\n---\n\
             apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, labels: {{app: a{number}}}}}\nspec: {{}}\n"
        )
    };
    parts(count, "---\n", both)
}

/// Services that all select every pod, workloads without a ready one, Ingresses of each Service and warnings about each pod.
fn unready(count: usize) -> String {
    parts(count, "---\n", |number| {
        let metadata = |kind: &str, more: &str| {
            format!(
                "metadata: {{name: {kind}{number}, namespace: shop, uid: {kind}{number}, resourceVersion: '1'{more}}}"
            )
        };
        let owner = format!(
            ", labels: {{app: web, n: a{number}}}, ownerReferences: [{{kind: StatefulSet, name: s{number}, controller: true}}]"
        );
        let (pod, set, service, ingress, event) = (
            metadata("p", &owner),
            metadata("s", ""),
            metadata("v", ""),
            metadata("i", ""),
            metadata("e", ""),
        );
        format!(
            "{{apiVersion: v1, kind: Pod, {pod}, status: {{phase: Running, conditions: [{{type: Ready, status: 'False', reason: r{number}}}]}}}}\n---\n\
             {{apiVersion: apps/v1, kind: StatefulSet, {set}, spec: {{replicas: 2}}, status: {{replicas: 1, conditions: [{{type: \
             ReplicaFailure, status: 'True', message: m{number}}}]}}}}\n---\n\
             {{apiVersion: v1, kind: Service, {service}, spec: {{selector: {{app: web}}}}}}\n---\n\
             {{apiVersion: networking.k8s.io/v1, kind: Ingress, {ingress}, spec: {{defaultBackend: {{service: {{name: v{number}}}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Event, {event}, type: Warning, reason: r, message: m, involvedObject: {{kind: Pod, name: p{number}, \
             namespace: shop}}}}\n"
        )
    })
}

fn owners(count: usize) -> String {
    // Four chains, so that the tree is not as deep as the input is long.
    let pod = |number: usize| {
        let owner = number / 4;
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p{number}\n  uid: u{number}\n  ownerReferences:\n  \
             - {{apiVersion: v1, kind: Pod, name: p{owner}, uid: u{owner}}}\n"
        )
    };
    parts(count, "---\n", pod)
}

/// Each Service selects what a Deployment nearly has, and each Deployment refers to an account that nearly exists.
fn misspelt(count: usize) -> String {
    let letters = |number: usize| {
        let letter = |shift: usize| char::from(b'a' + u8::try_from(number / shift % 26).unwrap_or_default());
        [676, 26, 1].map(letter).iter().collect::<String>()
    };
    let part = |number| {
        let name = letters(number);
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: s{name}}}, spec: {{selector: {{app: x{name}wbe}}, ports: [{{port: 80}}]}}}}\n\
             ---\n{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: y{name}web}}}}\n---\napiVersion: v1\nkind: Pod\n\
             metadata: {{name: q{name}, labels: {{app: x{name}web}}}}\nspec: {{serviceAccountName: y{name}wbe, containers: [{{name: a, image: a}}]}}\n"
        )
    };
    parts(count, "---\n", part)
}

/// Overlays of one base, each applied by an object that another one applies, with misspelt names of what the base has, and of what another one applies.
fn misspelt_apart(count: usize) -> String {
    let flux = |name: &str, path: &str| {
        format!(
            "{{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {{name: {name}, namespace: f}}, spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: g}}}}}}\n---\n"
        )
    };
    let letters = |number: usize| {
        let letter = |shift: usize| char::from(b'a' + u8::try_from(number / shift % 26).unwrap_or_default());
        [676, 26, 1].map(letter).iter().collect::<String>()
    };
    let each = |number: usize| {
        let name = letters(number);
        format!(
            "#file k/{number}/kustomization.yaml\nresources: [../base, a.yaml]\n#file k/{number}/a.yaml\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{selector: {{app: wbe}}}}}}\n---\n\
             {{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {{name: {name}, namespace: n}}, spec: {{chart: {{spec: {{chart: c, sourceRef: {{kind: HelmRepository, name: y{name}wbe, namespace: f}}}}}}}}}}\n\
             #file k/apps/{number}.yaml\n{}#file k/more/{number}.yaml\n\
             {{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {{name: y{name}web, namespace: f}}, spec: {{url: u}}}}\n",
            flux(&name, &format!("./k/{number}"))
        )
    };
    let root = format!("#file k/root.yaml\n{}{}", flux("apps", "./k/apps"), flux("more", "./k/more"));
    let base = "#file k/base/kustomization.yaml\nresources: [a.yaml]\n#file k/base/a.yaml\n\
                {apiVersion: v1, kind: Pod, metadata: {name: web, labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}\n";
    root + base + &(0..count).map(each).collect::<String>()
}

const CONTAINERS: &str = "containers: [{name: c, image: i, ports: [{name: http, containerPort: 80}]}]";

/// Pods with a label each, and with each an object whose selector is this.
fn selecting(count: usize, label: fn(usize) -> String, object: fn(usize) -> String) -> String {
    parts(count, "---\n", |number| {
        let labels = label(number);
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p{number}, labels: {{app: {labels}}}}}, spec: {{{CONTAINERS}}}}}\n---\n{}\n",
            object(number)
        )
    })
}

fn budgets(count: usize) -> String {
    let budget = |number| {
        format!(
            "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: b{number}}}, spec: {{minAvailable: 1, selector: \
             {{matchExpressions: [{{key: app, operator: In, values: [a{number}, b{number}]}}]}}}}}}"
        )
    };
    selecting(count, |number| format!("a{number}"), budget)
}

fn exceptions(count: usize) -> String {
    let policy = |number| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: n{number}}}, spec: {{podSelector: \
             {{matchExpressions: [{{key: app, operator: NotIn, values: [a{number}]}}]}}}}}}"
        )
    };
    selecting(count, |number| format!("a{number}"), policy)
}

/// The port that each Service leads to is not that of the pods.
fn one_label(count: usize) -> String {
    let service = |number| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: s{number}}}, spec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: htp}}]}}}}"
        )
    };
    selecting(count, |_| "web".to_owned(), service)
}

fn workloads(count: usize) -> String {
    let workload = |_| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{selector: {{matchLabels: {{app: web}}}}, template: \
             {{metadata: {{labels: {{app: web}}}}, spec: {{{CONTAINERS}}}}}}}}}\n---\n{{apiVersion: policy/v1, kind: PodDisruptionBudget, \
             metadata: {{name: b}}, spec: {{minAvailable: 1, selector: {{matchLabels: {{app: web}}}}}}}}\n"
        )
    };
    parts(count, "---\n", workload)
}

fn nodes(count: usize) -> String {
    let both = |number| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{number}, labels: {{kubernetes.io/hostname: n{number}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Pod, metadata: {{name: p{number}}}, spec: {{nodeSelector: {{kubernetes.io/hostname: m{number}}}, {CONTAINERS}}}}}\n"
        )
    };
    parts(count, "---\n", both)
}

/// What the Services select may be what one of the resources makes.
fn customs(count: usize) -> String {
    let service = |number| {
        format!(
            "{{apiVersion: example.com/v1, kind: K{number}, metadata: {{name: main}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: s{number}}}, spec: {{selector: {{app: main-{number}}}, ports: [{{port: 80}}]}}}}"
        )
    };
    selecting(count, |number| format!("q{number}"), service)
}

/// The processor time that a command takes for `text`, in seconds.
fn processor_time(args: &str, text: &str) -> f64 {
    let other = text.replace(": v\n", ": w\n");
    let mut kselect = Kselect::new([]).file("in.yaml", text).file("other.yaml", &other);
    if args.contains(".gz") {
        kselect = kselect.file("in.yaml.gz", gzip(text.as_bytes()));
    }
    for file in text.split("#file ").skip(1) {
        let (path, text) = file.split_once('\n').expect("a path and a text");
        kselect = kselect.file(path, text);
    }
    let input = if args.contains("in.yaml") || args.contains("-f k") { "" } else { "-f in.yaml" };
    // The shell reports the times of its children in the second line.
    let script = format!("ulimit -d {}; \"$0\" {args} {input} >/dev/null 2>&1; echo $?; times", MEMORY << 10);
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_kselect")).current_dir(kselect.path());
    environment::fix(&mut command);
    let output = command.output().expect("a shell");
    let output = String::from_utf8_lossy(&output.stdout);
    let mut lines = output.lines();
    let status = lines.next().unwrap_or_default();
    assert!(matches!(status, "0" | "1"), "kselect {args} ends with {status}");
    let seconds = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let times = lines.nth(1).unwrap_or_default().split_whitespace().map(seconds);
    times.sum::<Option<f64>>().expect("the times of the children")
}

#[test]
fn processor_time_and_memory_grow_with_the_input() {
    let only = std::env::var("KSELECT_COST").unwrap_or_default();
    let mut steep = Vec::new();
    for (kind, make, count, commands) in ROWS.iter().filter(|(kind, ..)| kind.contains(&only)) {
        let (small, large) = (make(*count), make(count * GROWTH));
        for args in *commands {
            let ratio = || processor_time(args, &large) / processor_time(args, &small).max(SHORTEST);
            let mut least = ratio();
            // On a busy machine, one run may be slow.
            if least > MAX_RATIO {
                least = least.min(ratio());
            }
            if !only.is_empty() {
                eprintln!("{kind}, {args}: {least:.1} times, {} and {} bytes", small.len(), large.len());
            }
            if least > MAX_RATIO {
                steep.push(format!("{kind}, {args}: {least:.0} times the time for {GROWTH} times the input"));
            }
        }
    }
    assert!(steep.is_empty(), "{}", steep.join("\n"));
}
