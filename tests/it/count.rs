//! `kselect count`.

use crate::support::Kselect;

const PODS: &str = "\
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, labels: {app: web}}, spec: {nodeName: n1, \
 containers: [{image: web:1}, {image: envoy:2}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: shop}, spec: {containers: [{image: web:1}, {image: web:1}]}, \
 status: {phase: Pending}}
---
{apiVersion: v1, kind: Pod, metadata: {name: c, labels: {app: web}}, spec: {nodeName: n1}, status: {phase: Running}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}}
";

fn count(args: &[&str]) -> Kselect {
    Kselect::new(["count"].iter().chain(args).copied()).stdin(PODS)
}

#[test]
fn kinds_are_counted_and_the_largest_comes_first() {
    count(&[]).prints("COUNT   KIND\n3       pod\n1       deployment.apps\n1       node\n");
}

#[test]
fn keys_are_combined_and_what_an_object_lacks_is_none() {
    count(&["pods", "--by", "namespace,.spec.nodeName"]).prints(
        "COUNT   NAMESPACE   NODENAME\n1       default     n1\n1       shop        <none>\n1       shop        n1\n",
    );
    count(&["--by", "namespace"])
        .prints("COUNT   NAMESPACE\n3       shop\n1       <none>\n1       default\n");
    count(&["pods", "-L", "app"]).prints("COUNT   APP\n2       web\n1       <none>\n");
    count(&["pods", "--by", "label:app", "--by", "kind"])
        .prints("COUNT   APP      KIND\n2       web      pod\n1       <none>   pod\n");
    count(&["--by", "source"]).prints("COUNT   SOURCE\n5       STDIN\n");
}

#[test]
fn columns_are_those_of_the_wide_table() {
    count(&["pods", "--by", "status"]).prints("COUNT   STATUS\n2       Running\n1       Pending\n");
    count(&["pods", "--by", "NODE"]).prints("COUNT   NODE\n2       n1\n1       <none>\n");
    // Objects of kinds without the column are counted under `<none>`.
    count(&["pods,deploy", "--by", "UP-TO-DATE"]).prints("COUNT   UP-TO-DATE\n3       <none>\n1       0\n");
}

#[test]
fn ages_are_relative_to_the_time_asked_for() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: '2024-05-06T07:00:00Z'}}";
    let count = |args: &[&str]| Kselect::new(["count"].iter().chain(args).copied()).stdin(pod);
    let hour = "2024-05-06T08:00:00Z";
    count(&["--by", "AGE", "--as-of", hour]).prints("COUNT   AGE\n1       60m\n");
    count(&["--as-of", "noon"])
        .status(2)
        .stderr(
            "error: --as-of: \"noon\" is not a time\nhint: valid values are dump, newest, now, or a time such as \
             2024-05-06T07:08:09Z\n",
        )
        .prints_nothing();
}

#[test]
fn ages_in_expressions_are_relative_to_the_time_asked_for() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, creationTimestamp: '2024-05-06T07:00:00Z'}}";
    for command in ["count", "tree"] {
        let run = |time: &str| {
            let args =
                [command, "-q", "--no-headers", "--as-of", time, "--where", "age(metadata) < duration('2h')"];
            Kselect::new(args).stdin(pod).run().stdout.is_empty()
        };
        assert!(!run("2024-05-06T08:00:00Z") && run("2024-05-06T10:00:00Z"), "{command}");
    }
}

#[test]
fn a_label_to_count_by_is_written_with_its_key() {
    count(&["pods", "--by", "label"])
        .status(1)
        .stderr(
            "error: --by: no counted object has a column \"LABEL\"\nhint: label:KEY counts by a label: --by label:app, or \
             -L app\n",
        )
        .prints_nothing();
}

#[test]
fn a_key_that_is_that_of_a_label_has_a_hint() {
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {Team: x, app.kubernetes.io/name: z}}}";
    let count = |key| Kselect::new(["count", "--by", key]).stdin(map);
    count("app.kubernetes.io/name")
        .stderr("hint: app.kubernetes.io/name is a label: --by label:app.kubernetes.io/name, or -L app.kubernetes.io/name\n")
        .prints("COUNT   NAME\n1       <none>\n");
    count("Team")
        .status(1)
        .stderr(
            "error: --by: no counted object has a column \"TEAM\"\nhint: Team is a label: --by label:Team, or -L Team\n",
        )
        .prints_nothing();
    count("spec.name").prints("COUNT   NAME\n1       <none>\n");
}

#[test]
fn images_are_counted_wherever_a_field_names_one() {
    let objects = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {initContainers: [{image: \
                   'a:1'}], containers: [{image: 'b:1'}, {image: 'b:1'}]}}}}\n---\n{apiVersion: helm.toolkit.fluxcd.io/v2, kind: \
                   HelmRelease, metadata: {name: b}, spec: {imageName: 'd:1', values: {image: {registry: r.io, repository: b, tag: 2, digest: \
                   'sha256:0'}, side: {sideImage: {repository: a, tag: '1'}}, other: {image: {pullPolicy: Always}}}}}\n---\n{apiVersion: \
                   v1, kind: Pod, metadata: {name: c}, spec: {containers: [{image: ''}]}, status: {containerStatuses: [{image: 'c:1'}]}}\n";
    let count = |key| Kselect::new(["count", "--by", key]).stdin(objects);
    count("image").prints(
        "COUNT   IMAGE\n2       a:1\n1       <none>\n1       b:1\n1       d:1\n1       r.io/b:2@sha256:0\n",
    );
    let others = "{apiVersion: coroot.com/v1, kind: Coroot, metadata: {name: a}, spec: {agent: {image: {name: 'r.io/a:1'}}, image: {name: b}}}\n\
                  ---\n{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: b}, spec: {driver: {repository: r.io/n, image: driver, \
                  version: '5.1'}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {volumes: [{image: {reference: 'r.io/c:1'}}]}}\n";
    Kselect::new(["count", "--by", "image", "-q"])
        .stdin(others)
        .prints("COUNT   IMAGE\n1       r.io/a:1\n1       r.io/c:1\n1       r.io/n/driver:5.1\n");
    Kselect::new(["count", "hr", "--by", "images"])
        .stdin(objects)
        .status(1)
        .stderr(
            "error: --by: no counted object has a column \"IMAGES\"\nhint: image counts by each image: --by image\n",
        )
        .prints_nothing();
}

#[test]
fn a_kind_that_a_definition_puts_into_no_namespace_is_in_none() {
    let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: profiles.a.b}\nspec: {group: a.b, scope: \
                Cluster, names: {kind: Profile, plural: profiles}, versions: [{name: v1, served: true, storage: true}]}\n---\napiVersion: \
                a.b/v1\nkind: Profile\nmetadata: {name: p}\n";
    let run = |args: &[&str]| Kselect::new(args.iter().copied().chain(["-f", "a.yaml"])).file("a.yaml", text);
    run(&["count", "--by", "namespace"]).prints("COUNT   NAMESPACE\n2       <none>\n");
    let row = |name: &str, age: &str| format!("      {name:<61}-     -     -     {age}\n");
    let definition = row("customresourcedefinition.apiextensions.k8s.io/profiles.a.b", "-");
    run(&["tree", "-A", "--no-headers"]).prints(definition + &row("profile.a.b/p", "<unknown>"));
}

#[test]
fn images_that_kustomizations_replace_are_noted() {
    let pod = |name: &str, image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: '{image}'}}]}}\n---\n"
        )
    };
    let count = |name: &str, note: &str| {
        Kselect::new(["count", "--by", "image", "-f", "."])
            .stderr(format!("{note}kselect: skipped 1 kustomization\n"))
            .file("a.yaml", ["controller:latest", "web"].map(|image| pod("a", image)).concat())
            .file(
                "kustomization.yaml",
                format!("resources: [a.yaml]\nimages: [{{name: {name}, newTag: v1}}]\n"),
            )
    };
    let counted = "COUNT   IMAGE\n1       controller:latest\n1       web\n";
    let note = "kselect: kustomizations may replace 1 of these images; -k DIR counts those that they build\n";
    count("controller", note).prints(counted);
    count("controll", "").prints(counted);
}

#[test]
fn a_column_that_no_object_has_is_an_error() {
    count(&["pods", "--by", "STATE"])
        .status(1)
        .stderr(
            "error: --by: no counted object has a column \"STATE\"\nhint: kselect get -o wide shows the columns \
             of each kind; a path begins with a dot: .spec.nodeName\n",
        )
        .prints_nothing();
}

#[test]
fn each_value_that_a_path_finds_counts_once_for_an_object() {
    count(&["pods", "--by", ".spec.containers[*].image"])
        .prints("COUNT   IMAGE\n2       web:1\n1       <none>\n1       envoy:2\n");
    count(&[
        "pods",
        "--by",
        "{.spec.containers[0,1].image}",
        "-n",
        "shop",
        "--where",
        "has(spec.containers)",
    ])
    .prints("COUNT   IMAGE\n2       web:1\n1       envoy:2\n");
}

#[test]
fn a_path_to_a_map_shows_all_of_it() {
    count(&["pod/a", "--by", ".metadata.labels,.spec.nodeName"])
        .prints("COUNT   LABELS          NODENAME\n1       {\"app\":\"web\"}   n1\n");
    count(&["pod/b", "--by", ".spec"])
        .prints("COUNT   SPEC\n1       {\"containers\":[{\"image\":\"web:1\"},{\"image\":\"web:1\"}]}\n");
}

#[test]
fn counts_are_written_for_other_programs() {
    count(&["--by", "kind,label:app", "-o", "csv"])
        .prints("COUNT,KIND,APP\n2,pod,web\n1,deployment.apps,<none>\n1,node,<none>\n1,pod,<none>\n");
    count(&["pods", "-o", "markdown"]).prints("| COUNT | KIND |\n|-------|------|\n| 3     | pod  |\n");
    count(&["pods", "--by", ".spec.nodeName,namespace", "-o", "json"]).prints(
        "[\n    {\"count\": 1, \"by\": {\".spec.nodeName\": null, \"namespace\": \"shop\"}},\n    \
         {\"count\": 1, \"by\": {\".spec.nodeName\": \"n1\", \"namespace\": \"default\"}},\n    \
         {\"count\": 1, \"by\": {\".spec.nodeName\": \"n1\", \"namespace\": \"shop\"}}\n]\n",
    );
    count(&["pods", "--no-headers"]).prints("3     pod\n");
}

#[test]
fn the_flags_of_selection_hold() {
    count(&["-l", "app=web"]).prints("COUNT   KIND\n2       pod\n");
    count(&["--exclude", "pods", "--where", "metadata.name == 'a'"])
        .prints("COUNT   KIND\n1       deployment.apps\n");
    count(&["pods", "--field-selector", "status.phase!=Running", "--by", "STATUS"])
        .prints("COUNT   STATUS\n1       Pending\n");
    // Repeated keys count once.
    count(&["pods,pods"]).prints("COUNT   KIND\n3       pod\n");
}

#[test]
fn input_without_objects_says_so() {
    let stderr = "No resources found\n\
                  kselect: read 5 objects, none of the requested type; kselect count lists the kinds in the input\n";
    count(&["svc"]).stderr(stderr).prints_nothing();
    let images = "No resources found\n\
                  kselect: read 5 objects, none of the requested type; kselect count --by image counts the images that objects name\n";
    count(&["images"]).stderr(images).prints_nothing();
    count(&["svc", "-o", "json", "-e"]).status(4).stderr(stderr).prints("[]\n");
    count(&["pod/x"]).status(1).stderr("error: pods \"x\" not found\n").prints_nothing();
    Kselect::new(["count"])
        .stdin("")
        .stderr("kselect: standard input is empty; name files with -f\nNo resources found\n")
        .prints_nothing();
}

#[test]
fn one_bad_document_hides_no_others() {
    Kselect::new(["count"])
        .stdin("kind: [\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
        .status(1)
        .stderr(
            "error: STDIN:1 (document 1): error converting YAML to JSON: yaml: did not find expected node content\n  |\n1 | kind: [\n  |       ^\n",
        )
        .prints("COUNT   KIND\n1       pod\n");
}

#[test]
fn a_malformed_path_is_a_usage_error() {
    count(&["--by", ".spec[", "pods"])
        .status(2)
        .stderr("error: --by: unterminated array\n |\n | .spec[\n |      ^\n")
        .prints_nothing();
}

/// Two nodes, one pod on each, one that has ended and one without a node; the first has a sidecar and an init container.
const CLUSTER: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '2', memory: 4Gi, pods: '2'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {capacity: {cpu: '4', memory: 4Gi, pods: '1'}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {nodeName: n1, overhead: {cpu: 50m}, \
 initContainers: [{resources: {requests: {memory: 2Gi}}}, {restartPolicy: Always, resources: {requests: {cpu: 200m}}}], \
 containers: [{resources: {requests: {cpu: '1', memory: 1Gi}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: lab}, spec: {nodeName: n2, \
 containers: [{ports: [{hostPort: 80}], resources: {limits: {cpu: '3'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: ended, namespace: shop}, spec: {nodeName: n1, \
 containers: [{resources: {requests: {cpu: '1'}}}]}, status: {phase: Succeeded}}
---
{apiVersion: v1, kind: Pod, metadata: {name: waiting, namespace: shop}, spec: {containers: [{resources: {requests: {cpu: '1'}}}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {resources: {requests: {storage: 512Mi}}}}
";

fn sum(args: &[&str]) -> Kselect {
    Kselect::new(["count"].iter().chain(args).copied()).stdin(CLUSTER)
}

/// The nodes of a cluster, and the pods of one namespace.
#[test]
fn sums_of_a_part_of_the_pods_say_so() {
    let live = |number: usize, kind: &str, name: &str, more: &str| {
        format!("{{apiVersion: v1, kind: {kind}, metadata: {{{name}, uid: u{number}}}, {more}}}\n---\n")
    };
    let node = |number, name| live(number, "Node", name, "status: {allocatable: {cpu: '4'}}");
    let pod = |number, name, node: &str| {
        let spec =
            format!("spec: {{nodeName: {node}, containers: [{{resources: {{requests: {{cpu: '1'}}}}}}]}}");
        live(number, "Pod", name, &spec)
    };
    let part = node(1, "name: n1") + &pod(2, "name: a, namespace: shop", "n1");
    let sum = |text: &str| Kselect::new(["count", "pods", "--sum", "requests.cpu"]).stdin(text);
    let table = |row: &str| format!("COUNT   KIND   REQUESTS.CPU\n{row}\n");
    sum(&part)
        .stderr("kselect: the input has 1 pod in 1 namespace; the nodes seem to run more\n")
        .prints(table("1       pod    1 (25%)"));
    let both = part + &pod(3, "name: p, namespace: kube-system", "n1");
    sum(&both).prints(table("2       pod    2 (50%)"));
    // A node without a pod.
    sum(&(both + &node(4, "name: n2")))
        .stderr("kselect: the input has 2 pods in 2 namespaces; the nodes seem to run more\n")
        .prints(table("2       pod    2 (25%)"));
}

#[test]
fn requests_are_added_up_as_the_scheduler_does_and_compared_with_what_nodes_have() {
    sum(&["pods", "--by", "namespace", "--sum", "requests.cpu,requests.memory"]).prints(
        "COUNT   NAMESPACE   REQUESTS.CPU   REQUESTS.MEMORY\n\
         1       lab         3 (50%)        0 (0%)\n\
         3       shop        2250m (37%)    2Gi (25%)\n",
    );
    sum(&["pods", "--by", "NODE", "--sum", "requests.cpu", "--sum", "limits.cpu"]).prints(
        "COUNT   NODE     REQUESTS.CPU   LIMITS.CPU\n\
         1       n2       3 (75%)        3 (75%)\n\
         2       n1       1250m (62%)    0 (0%)\n\
         1       <none>   1              0\n",
    );
    sum(&["pods", "-n", "shop", "--by", ".spec.nodeName", "--sum", "requests.cpu", "-o", "csv"])
        .prints("COUNT,NODENAME,REQUESTS.CPU\n2,n1,1250m\n1,<none>,1\n");
}

#[test]
fn quantities_at_a_path_are_added_up() {
    sum(&["pvc", "--sum", ".spec.resources.requests.storage"])
        .prints("COUNT   KIND                    STORAGE\n2       persistentvolumeclaim   1536Mi\n");
    sum(&["pvc,nodes", "--sum", "status.allocatable.cpu", "-o", "json"]).prints(
        "[\n    {\"count\": 2, \"by\": {\"kind\": \"node\"}, \"sum\": {\".status.allocatable.cpu\": \"2\"}},\n    \
         {\"count\": 2, \"by\": {\"kind\": \"persistentvolumeclaim\"}, \"sum\": {\".status.allocatable.cpu\": null}}\n]\n",
    );
}

#[test]
fn what_cannot_be_added_up_is_an_error() {
    sum(&["pod/a", "--sum", ".metadata.name"])
        .status(1)
        .stderr("error: STDIN:5 (document 3): .metadata.name is not a quantity\n")
        .prints_nothing();
    sum(&["pvc", "--sum", "requests.storage"])
        .status(1)
        .stderr(
            "error: --sum: requests.storage is of pods, and no counted object is a pod\nhint: count pods; of other objects, name \
             the path: --sum '.spec.resources.requests.storage'\n",
        )
        .prints_nothing();
    sum(&["pvc", "--sum", "cpu"])
        .status(1)
        .stderr(
            "error: --sum: no counted object has .cpu\nhint: requests.cpu is of pods; a path begins with a dot: \
             .spec.resources.requests.storage\n",
        )
        .prints_nothing();
    sum(&["nodes", "--sum", "limits.cpu"])
        .status(1)
        .stderr(
            "error: --sum: limits.cpu is of pods, and no counted object is a pod\nhint: count pods; of other objects, name the \
             path: --sum '.spec.template.spec.containers[*].resources.limits.cpu'\n",
        )
        .prints_nothing();
    sum(&["--sum", "{.a"])
        .status(2)
        .stderr("error: --sum: unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
             '{.name1.name2}'\n |\n | {.a\n | ^^^\n")
        .prints_nothing();
}
