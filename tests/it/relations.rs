//! Which objects select, own and fit each other, on the command line. Each rule in the table of selecting fields is
//! tested in both directions: `--selected-by` for the selecting object, `--selects` for all others.

use crate::support::{Kselect, in_process};

/// `kselect get` with these arguments and this input.
fn get(args: &[&str], manifests: &str) -> Kselect {
    Kselect::get(args.iter().copied()).stdin(manifests)
}

/// The lines that `get ARGS -o name` prints, with nothing on standard error.
#[track_caller]
fn names(args: &[&str], manifests: &str) -> Vec<String> {
    let (_, stdout, stderr) = in_process([&["kselect", "get", "-q", "-o", "name"], args].concat(), manifests);
    assert_eq!(stderr, "", "{args:?}");
    stdout.lines().map(str::to_owned).collect()
}

/// Checks that `reference` selects exactly these objects of the manifests, and that `--selects` agrees for each object.
#[track_caller]
fn check(manifests: &[&str], reference: &str, selected: &[&str]) {
    let manifests = manifests.join("\n---\n");
    assert_eq!(names(&["--selected-by", reference], &manifests), selected, "selected by {reference}");
    for object in names(&[], &manifests) {
        let selecting = names(&["--selects", &object], &manifests).iter().any(|name| name == reference);
        assert_eq!(selecting, selected.contains(&object.as_str()), "{reference} selects {object}");
    }
}

fn pod(name: &str, namespace: &str, labels: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}, labels: {labels}}}}}"
    )
}

fn namespace(name: &str, labels: &str) -> String {
    format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {labels}}}}}")
}

/// Pods `web` and `db` in `shop`, `far` with web's labels in `lab`.
fn pods() -> String {
    [pod("web", "shop", "{app: web}"), pod("db", "shop", "{app: db}"), pod("far", "lab", "{app: web}")]
        .join("\n---\n")
}

/// An object in `shop` with this spec.
fn object(api_version: &str, kind: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: it, namespace: shop}}, spec: {spec}}}"
    )
}

/// Checks which of [`pods`] an object with this spec selects.
#[track_caller]
fn check_pods(api_version: &str, kind: &str, spec: &str, selected: &[&str]) {
    let group = api_version.split_once('/').map_or(String::new(), |(group, _)| format!(".{group}"));
    let reference = format!("{}{group}/it", kind.to_lowercase());
    check(&[&pods(), &object(api_version, kind, spec)], &reference, selected);
}

#[test]
fn a_service_selects_the_pods_of_its_namespace_that_have_all_its_labels() {
    check_pods("v1", "Service", "{selector: {app: web}}", &["pod/web"]);
    check_pods("v1", "Service", "{selector: {app: web, tier: fe}}", &[]);
}

#[test]
fn what_selects_pods_selects_custom_resources_by_any_of_their_pod_templates() {
    let set = "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: set, namespace: shop}, spec: \
               {leaderWorkerTemplate: {leaderTemplate: {metadata: {labels: {app: db}}, spec: {containers: [{name: a}]}}, \
               workerTemplate: {metadata: {labels: {app: web}}, spec: {containers: [{name: a}]}}}}}";
    let sealed = "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: sealed, namespace: shop}, spec: \
                  {template: {metadata: {labels: {app: web}}}}}";
    let pipeline = "{apiVersion: example.com/v1, kind: Pipeline, metadata: {name: pipeline, namespace: shop}, spec: {steps: [{spec: \
                    {containers: [{name: a}]}}]}}";
    let service = object("v1", "Service", "{selector: {app: web}}");
    let input = [set, sealed, pipeline, &service].join("\n---\n");
    let everything = object("networking.k8s.io/v1", "NetworkPolicy", "{podSelector: {}}");
    check(
        &[&input, &everything],
        "networkpolicy.networking.k8s.io/it",
        &["leaderworkerset.leaderworkerset.x-k8s.io/set"],
    );
    check(&[&input], "service/it", &["leaderworkerset.leaderworkerset.x-k8s.io/set"]);
    Kselect::new(["tree", "svc", "-n", "shop"]).stdin(&input).prints(
        "NAME                                             RELATION   READY   STATUS   AGE\n\
         service/it                                       -          -       -        <unknown>\n\
         └─leaderworkerset.leaderworkerset.x-k8s.io/set   selects    -       -        <unknown>\n",
    );
}

#[test]
fn a_service_without_selector_selects_nothing() {
    for spec in ["{}", "{selector: null}", "{selector: {}}", "{type: ExternalName, selector: {app: web}}"] {
        check_pods("v1", "Service", spec, &[]);
    }
}

#[test]
fn a_workload_is_selected_through_its_pod_template() {
    let service = object("v1", "Service", "{selector: {app: web}}");
    let template = "template: {metadata: {labels: {app: web}}}";
    for (api_version, kind, spec, name) in [
        ("apps/v1", "Deployment", format!("{{{template}}}"), "deployment.apps/it"),
        ("apps/v1", "ReplicaSet", format!("{{{template}}}"), "replicaset.apps/it"),
        ("apps/v1", "StatefulSet", format!("{{{template}}}"), "statefulset.apps/it"),
        ("apps/v1", "DaemonSet", format!("{{{template}}}"), "daemonset.apps/it"),
        ("batch/v1", "Job", format!("{{{template}}}"), "job.batch/it"),
        ("batch/v1", "CronJob", format!("{{jobTemplate: {{spec: {{{template}}}}}}}"), "cronjob.batch/it"),
        ("extensions/v1beta1", "Deployment", format!("{{{template}}}"), "deployment.extensions/it"),
    ] {
        let manifests = [service.as_str(), &object(api_version, kind, &spec)].join("\n---\n");
        assert_eq!(names(&["--selected-by", "svc/it"], &manifests), [name]);
        assert_eq!(names(&["--selects", &name.replace(".extensions", "")], &manifests)[0], "service/it");
        // Its own labels are not those of its pods.
        let bare = format!(
            "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: it, namespace: shop, labels: {{app: web}}}}}}"
        );
        let manifests = [service.as_str(), &bare].join("\n---\n");
        assert!(names(&["--selected-by", "svc/it"], &manifests).is_empty());
    }
}

#[test]
fn a_label_of_a_template_that_is_null_is_the_empty_text() {
    let deployment = object("apps/v1", "Deployment", "{template: {metadata: {labels: {app: null}}}}");
    let service = |value: &str| object("v1", "Service", &format!("{{selector: {{app: {value}}}}}"));
    for (value, selected) in
        [("''", &["deployment.apps/it"][..]), ("null", &["deployment.apps/it"]), ("web", &[])]
    {
        check(&[&deployment, &service(value)], "service/it", selected);
    }
}

#[test]
fn a_replication_controller_without_selector_takes_the_labels_of_its_template() {
    let kind = "ReplicationController";
    let template = "template: {metadata: {labels: {app: db}}}";
    let it = "replicationcontroller/it";
    check_pods("v1", kind, &format!("{{selector: {{app: web}}, {template}}}"), &["pod/web"]);
    check_pods("v1", kind, &format!("{{{template}}}"), &["pod/db", it]);
    check_pods("v1", kind, &format!("{{selector: {{}}, {template}}}"), &["pod/db", it]);
    check_pods("v1", kind, "{}", &[]);
}

#[test]
fn workloads_select_by_label_selectors_that_must_say_something() {
    for kind in ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"] {
        check_pods("apps/v1", kind, "{selector: {matchLabels: {app: web}}}", &["pod/web"]);
        let expression = "{selector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}}";
        check_pods("apps/v1", kind, expression, &["pod/db"]);
        for spec in ["{}", "{selector: null}", "{selector: {}}", "{selector: {matchLabels: {}}}"] {
            check_pods("apps/v1", kind, spec, &[]);
        }
    }
}

#[test]
fn a_job_selects_by_its_selector_if_it_has_one() {
    check_pods("batch/v1", "Job", "{selector: {matchLabels: {app: web}}}", &["pod/web"]);
    check_pods("batch/v1", "Job", "{}", &[]);
    let spec = "{jobTemplate: {spec: {selector: {matchLabels: {app: web}}}}}";
    check_pods("batch/v1", "CronJob", spec, &["pod/web"]);
    check_pods("batch/v1", "CronJob", "{jobTemplate: {spec: {}}}", &[]);
}

#[test]
fn an_empty_disruption_budget_is_for_all_pods_but_in_v1beta1() {
    let kind = "PodDisruptionBudget";
    check_pods("policy/v1", kind, "{selector: {matchLabels: {app: web}}}", &["pod/web"]);
    check_pods("policy/v1", kind, "{selector: {}}", &["pod/web", "pod/db"]);
    check_pods("policy/v1beta1", kind, "{selector: {}}", &[]);
    check_pods("policy/v1", kind, "{}", &[]);
}

#[test]
fn a_network_policy_is_for_the_pods_it_selects_or_for_all_of_its_namespace() {
    let (api_version, kind) = ("networking.k8s.io/v1", "NetworkPolicy");
    check_pods(api_version, kind, "{podSelector: {matchLabels: {app: web}}}", &["pod/web"]);
    check_pods(api_version, kind, "{podSelector: {}}", &["pod/web", "pod/db"]);
    check_pods(api_version, kind, "{}", &["pod/web", "pod/db"]);
}

/// Checks which pods a policy for no pod admits, in namespaces `shop` (without labels), `lab` (team a) and `ops`
/// (without an object); egress is the same.
#[track_caller]
fn check_peers(peers: &str, selected: &[&str]) {
    let nobody = "podSelector: {matchLabels: {nobody: ''}}";
    let objects =
        [namespace("shop", "{}"), namespace("lab", "{team: a}"), pods(), pod("op", "ops", "{app: db}")];
    for spec in [format!("ingress: [{{from: {peers}}}]"), format!("egress: [{{to: {peers}}}]")] {
        let policy = object("networking.k8s.io/v1", "NetworkPolicy", &format!("{{{nobody}, {spec}}}"));
        let manifests: Vec<&str> = objects.iter().map(String::as_str).chain([policy.as_str()]).collect();
        check(&manifests, "networkpolicy.networking.k8s.io/it", selected);
    }
}

#[test]
fn a_peer_with_a_pod_selector_only_is_in_the_policy_s_namespace() {
    check_peers("[{podSelector: {matchLabels: {app: web}}}]", &["pod/web"]);
    check_peers("[{podSelector: {}}]", &["pod/web", "pod/db"]);
}

#[test]
fn a_peer_with_a_namespace_selector_is_all_pods_there() {
    check_peers("[{namespaceSelector: {matchLabels: {team: a}}}]", &["namespace/lab", "pod/far"]);
    let all = ["namespace/shop", "namespace/lab", "pod/web", "pod/db", "pod/far", "pod/op"];
    check_peers("[{namespaceSelector: {}}]", &all);
}

#[test]
fn a_peer_with_both_selectors_needs_both_and_peers_are_alternatives() {
    let web = "podSelector: {matchLabels: {app: web}}";
    let lab = "namespaceSelector: {matchLabels: {team: a}}";
    check_peers(&format!("[{{{web}, {lab}}}]"), &["namespace/lab", "pod/far"]);
    check_peers(&format!("[{{{web}}}, {{{lab}}}]"), &["namespace/lab", "pod/web", "pod/far"]);
}

#[test]
fn peers_that_say_nothing_of_pods_select_none() {
    for peers in ["null", "[]", "[{}]", "[{ipBlock: {cidr: 10.0.0.0/8}}]"] {
        check_peers(peers, &[]);
    }
}

#[test]
fn every_namespace_has_its_name_as_a_label_even_without_an_object() {
    let name = "matchLabels: {kubernetes.io/metadata.name: ops}";
    check_peers(&format!("[{{namespaceSelector: {{{name}}}}}]"), &["pod/op"]);
    let name = "matchLabels: {kubernetes.io/metadata.name: lab}";
    check_peers(&format!("[{{namespaceSelector: {{{name}}}}}]"), &["namespace/lab", "pod/far"]);
}

#[test]
fn an_autoscaler_selects_the_workload_that_it_names() {
    let deployment = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}, namespace: {namespace}}}}}"
        )
    };
    let target = "{scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: web}}";
    let autoscaler = object("autoscaling/v2", "HorizontalPodAutoscaler", target);
    let it = "horizontalpodautoscaler.autoscaling/it";
    check(
        &[&deployment("web", "shop"), &deployment("db", "shop"), &autoscaler],
        it,
        &["deployment.apps/web"],
    );
    check(&[&deployment("web", "lab"), &autoscaler], it, &[]);
    check(&[&object("autoscaling/v2", "HorizontalPodAutoscaler", "{}")], it, &[]);
}

#[test]
fn a_claim_selects_volumes_by_labels_or_the_one_it_names() {
    let volume = |name: &str, labels: &str| {
        format!("{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}, labels: {labels}}}}}")
    };
    let volumes = [volume("fast", "{media: ssd}"), volume("slow", "{media: hdd}")].join("\n---\n");
    let check = |spec: &str, selected: &[&str]| {
        let claim = object("v1", "PersistentVolumeClaim", spec);
        check(&[&volumes, &claim], "persistentvolumeclaim/it", selected);
    };
    check("{selector: {matchLabels: {media: ssd}}}", &["persistentvolume/fast"]);
    check("{volumeName: slow, selector: {matchLabels: {media: ssd}}}", &["persistentvolume/slow"]);
    check("{selector: {}}", &["persistentvolume/fast", "persistentvolume/slow"]);
    // A volume is made for it, or bound to it by class and size.
    check("{}", &[]);
}

/// Nodes `fast` and `slow`.
const NODES: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: fast, labels: {disk: ssd}}}
---
{apiVersion: v1, kind: Node, metadata: {name: slow, labels: {disk: hdd}}}";

const SSD: &str = "{nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}";

#[test]
fn volumes_and_capacities_select_nodes() {
    let volume = |affinity: &str| {
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: it}}, spec: {{nodeAffinity: {affinity}}}}}"
        )
    };
    check(&[NODES, &volume(&format!("{{required: {SSD}}}"))], "persistentvolume/it", &["node/fast"]);
    check(&[NODES, &volume("{required: {nodeSelectorTerms: []}}")], "persistentvolume/it", &[]);
    check(&[NODES, &volume("null")], "persistentvolume/it", &[]);
    let capacity = |topology: &str| {
        format!(
            "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: it}}, nodeTopology: {topology}}}"
        )
    };
    let it = "csistoragecapacity.storage.k8s.io/it";
    check(&[NODES, &capacity("{matchLabels: {disk: hdd}}")], it, &["node/slow"]);
    check(&[NODES, &capacity("{}")], it, &["node/fast", "node/slow"]);
    check(&[NODES, &capacity("null")], it, &[]);
}

#[test]
fn pods_select_the_nodes_that_they_ask_for() {
    let check = |spec: &str, selected: &[&str]| {
        check(&[NODES, &object("v1", "Pod", spec)], "pod/it", selected);
        let workload = object("apps/v1", "Deployment", &format!("{{template: {{spec: {spec}}}}}"));
        self::check(&[NODES, &workload], "deployment.apps/it", selected);
    };
    check("{nodeSelector: {disk: ssd}}", &["node/fast"]);
    let affinity = format!("{{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {SSD}}}}}");
    check(&format!("{{affinity: {affinity}}}"), &["node/fast"]);
    check("{}", &[]);
}

/// Checks which of [`pods`] are selected by an affinity term of a pod `it` in `shop` with labels `app: it` and `track:
/// a`, in any of the four lists.
#[track_caller]
fn check_term(term: &str, selected: &[&str]) {
    let objects = [namespace("lab", "{team: a}"), pods()].join("\n---\n");
    for kind in ["podAffinity", "podAntiAffinity"] {
        for list in [
            format!("requiredDuringSchedulingIgnoredDuringExecution: [{term}]"),
            format!(
                "preferredDuringSchedulingIgnoredDuringExecution: [{{weight: 1, podAffinityTerm: {term}}}]"
            ),
        ] {
            let it = format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: it, namespace: shop, labels: {{app: it, track: a}}}}, \
                 spec: {{affinity: {{{kind}: {{{list}}}}}}}}}"
            );
            check(&[&objects, &it], "pod/it", selected);
        }
    }
}

#[test]
fn an_affinity_term_selects_pods_in_the_namespaces_it_says() {
    let web = "labelSelector: {matchLabels: {app: web}}";
    check_term(&format!("{{{web}}}"), &["pod/web"]);
    check_term(&format!("{{{web}, namespaces: [lab]}}"), &["pod/far"]);
    check_term(&format!("{{{web}, namespaces: []}}"), &["pod/web"]);
    check_term(&format!("{{{web}, namespaceSelector: {{matchLabels: {{team: a}}}}}}"), &["pod/far"]);
    check_term(&format!("{{{web}, namespaceSelector: {{}}}}"), &["pod/web", "pod/far"]);
    let both = "namespaces: [shop], namespaceSelector: {matchLabels: {team: a}}";
    check_term(&format!("{{{web}, {both}}}"), &["pod/web", "pod/far"]);
}

#[test]
fn an_affinity_term_without_selector_selects_no_pod_and_with_an_empty_one_all() {
    check_term("{}", &[]);
    check_term("{labelSelector: {}}", &["pod/web", "pod/db", "pod/it"]);
}

#[test]
fn the_pod_s_own_labels_join_an_affinity_term() {
    let some = "labelSelector: {matchExpressions: [{key: app, operator: Exists}]}";
    check_term(&format!("{{{some}, matchLabelKeys: [track]}}"), &["pod/it"]);
    check_term(&format!("{{{some}, mismatchLabelKeys: [track]}}"), &["pod/web", "pod/db"]);
    check_term(&format!("{{{some}, matchLabelKeys: [pod-template-hash]}}"), &["pod/web", "pod/db", "pod/it"]);
}

#[test]
fn spread_constraints_select_pods_of_the_namespace() {
    let check = |selector: &str, selected: &[&str]| {
        let it = object("v1", "Pod", &format!("{{topologySpreadConstraints: [{{{selector}}}]}}"));
        check(&[&pods(), &it], "pod/it", selected);
    };
    check("labelSelector: {matchLabels: {app: web}}", &["pod/web"]);
    check("labelSelector: {}", &["pod/web", "pod/db", "pod/it"]);
    check("maxSkew: 1", &[]);
}

/// Checks which of some objects a webhook of each kind, and a policy of each kind, applies to.
#[track_caller]
fn check_admission(rules: &str, selectors: &str, selected: &[&str]) {
    let selectors = if selectors.is_empty() { ", objectSelector: {}" } else { selectors };
    let objects = [
        namespace("lab", "{team: a}"),
        pods(),
        "{apiVersion: v1, kind: Node, metadata: {name: fast, labels: {app: web}}}".to_owned(),
    ]
    .join("\n---\n");
    for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
        let it = format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: {kind}, metadata: {{name: it}}, \
             webhooks: [{{rules: {rules}{selectors}}}]}}"
        );
        check(
            &[&objects, &it],
            &format!("{}.admissionregistration.k8s.io/it", kind.to_lowercase()),
            selected,
        );
    }
    for kind in ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"] {
        let it = format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: {kind}, metadata: {{name: it}}, \
             spec: {{matchConstraints: {{resourceRules: {rules}{selectors}}}}}}}"
        );
        check(
            &[&objects, &it],
            &format!("{}.admissionregistration.k8s.io/it", kind.to_lowercase()),
            selected,
        );
    }
}

const CORE: &str = "[{apiGroups: [''], resources: ['*']}]";

#[test]
fn admission_is_asked_for_the_resources_of_its_rules() {
    let pods = ["pod/web", "pod/db", "pod/far"];
    check_admission("[{apiGroups: [''], resources: [pods, pods/status]}]", "", &pods);
    check_admission("[{apiGroups: ['*'], resources: ['*/*'], scope: Namespaced}]", "", &pods);
    check_admission(
        "[{apiGroups: [''], resources: ['*'], scope: Cluster}]",
        "",
        &["namespace/lab", "node/fast"],
    );
    check_admission("[{apiGroups: [apps], resources: [pods]}]", "", &[]);
    check_admission("[{apiGroups: [''], resources: [pods/exec]}]", "", &[]);
    check_admission("[]", "", &[]);
}

#[test]
fn admission_can_be_restricted_to_objects_and_to_namespaces() {
    let web = ", objectSelector: {matchLabels: {app: web}}";
    check_admission(CORE, web, &["pod/web", "pod/far", "node/fast"]);
    // Cluster-scoped objects other than Namespaces always match.
    let lab = ", namespaceSelector: {matchLabels: {team: a}}";
    check_admission(CORE, lab, &["namespace/lab", "pod/far", "node/fast"]);
    let all = ["namespace/lab", "pod/web", "pod/db", "pod/far", "node/fast"];
    check_admission(CORE, ", objectSelector: {}, namespaceSelector: {}", &all);
    // Without both, it is for all, of which it selects none by labels; the field that is there is what selects.
    check_admission(CORE, ", objectSelector: null", &[]);
    let policy = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: it}, spec: \
        {matchConstraints: {resourceRules: [{apiGroups: [''], resources: [pods]}], namespaceSelector: {}}}}";
    Kselect::get(["--selects", "shop/pod/web", "-o", "wide", "--no-headers"])
        .stdin(format!("{}\n---\n{policy}", pods()))
        .prints("it    0     <unset>   <unknown>   spec.matchConstraints.namespaceSelector\n");
}

#[test]
fn a_cluster_role_aggregates_those_that_one_of_its_selectors_selects() {
    let role = |name: &str, rest: &str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {{name: {name}, labels: {{role: {name}}}}}{rest}}}"
        )
    };
    let rule =
        ", aggregationRule: {clusterRoleSelectors: [{matchLabels: {role: a}}, {matchLabels: {role: b}}]}";
    let roles = [role("a", ""), role("b", ""), role("c", ""), role("it", rule)].join("\n---\n");
    let group = "rbac.authorization.k8s.io";
    let [a, b] = ["a", "b"].map(|name| format!("clusterrole.{group}/{name}"));
    check(&[&roles], &format!("clusterrole.{group}/it"), &[&a, &b]);
}

fn monitoring(kind: &str, spec: &str) -> String {
    object("monitoring.coreos.com/v1", kind, spec)
}

#[test]
fn monitors_select_in_their_own_namespace_in_those_listed_or_in_any() {
    let service = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}, namespace: {namespace}, labels: {{app: web}}}}}}"
        )
    };
    let ingress = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{name: {name}, namespace: {namespace}, labels: {{app: web}}}}}}"
        )
    };
    let objects = [
        service("web", "shop"),
        service("far", "lab"),
        pods(),
        ingress("web", "shop"),
        ingress("far", "lab"),
    ]
    .join("\n---\n");
    let web = "selector: {matchLabels: {app: web}}";
    for (namespaces, names) in [
        ("", &["web"][..]),
        (", namespaceSelector: {}", &["web"]),
        (", namespaceSelector: {matchNames: [lab]}", &["far"]),
        (", namespaceSelector: {any: true}", &["web", "far"]),
    ] {
        for (kind, selects) in
            [("ServiceMonitor", "service"), ("PodMonitor", "pod"), ("Probe", "ingress.networking.k8s.io")]
        {
            let spec = match kind {
                "Probe" => format!("{{targets: {{ingress: {{{web}{namespaces}}}}}}}"),
                _ => format!("{{{web}{namespaces}}}"),
            };
            let selected: Vec<String> = names.iter().map(|name| format!("{selects}/{name}")).collect();
            let selected: Vec<&str> = selected.iter().map(String::as_str).collect();
            let reference = format!("{}.monitoring.coreos.com/it", kind.to_lowercase());
            check(&[&objects, &monitoring(kind, &spec)], &reference, &selected);
        }
    }
}

#[test]
fn policies_of_cilium_select_pods_by_labels_of_any_source_in_the_namespaces_that_they_name() {
    let pod = |name, namespace| pod(name, namespace, "{app: web}");
    let objects = [namespace("lab", "{team: a}"), pod("near", "shop"), pod("far", "lab")].join("\n---\n");
    let check = |kind: &str, spec: &str, selected: &[&str]| {
        let policy = object("cilium.io/v2", kind, spec);
        let reference = format!("{}.cilium.io/it", kind.to_lowercase());
        check(&[&objects, &policy], &reference, selected);
    };
    let (policy, of_cluster) = ("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy");
    for key in ["app", "'k8s:app'", "'any:app'"] {
        let spec = format!("{{endpointSelector: {{matchLabels: {{{key}: web}}}}}}");
        check(policy, &spec, &["pod/near"]);
        check(of_cluster, &spec, &["pod/near", "pod/far"]);
    }
    check(policy, "{endpointSelector: {}}", &["pod/near"]);
    check(policy, "{endpointSelector: {matchLabels: {'reserved:ingress': ''}}}", &[]);
    check(policy, "{ingress: [{fromEntities: [all]}]}", &[]);
    for peers in
        ["{'k8s:io.kubernetes.pod.namespace': lab, app: web}", "{io.cilium.k8s.namespace.labels.team: a}"]
    {
        let endpoints = format!("{{matchLabels: {peers}}}");
        check(policy, &format!("{{ingress: [{{fromEndpoints: [{endpoints}]}}]}}"), &["pod/far"]);
        check(policy, &format!("{{egress: [{{toEndpoints: [{endpoints}]}}]}}"), &["pod/far"]);
    }
}

#[test]
fn policies_of_envoy_gateway_select_routes_and_gateways_of_a_kind() {
    let input = "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, labels: {app: web}}}\n---\n\
        {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: web, labels: {app: web}}}\n---\n\
        {apiVersion: gateway.envoyproxy.io/v1alpha1, kind: ClientTrafficPolicy, metadata: {name: it}, spec: \
        {targetSelectors: [{group: gateway.networking.k8s.io, kind: Gateway, matchLabels: {app: web}}]}}";
    assert_eq!(
        names(&["--selected-by", "clienttrafficpolicy/it"], input),
        ["gateway.gateway.networking.k8s.io/web"]
    );
}

#[test]
fn resources_of_istio_select_pods_of_their_namespace_or_of_all_from_that_of_the_mesh() {
    let select = |[api_version, kind]: [&str; 2], spec: &str, selected: &[&str], of_root: &[&str]| {
        let own = object(api_version, kind, spec);
        let (group, _) = api_version.split_once('/').expect("a group");
        let reference = format!("{}.{group}/it", kind.to_lowercase());
        check(&[&pods(), &own], &reference, selected);
        check(&[&pods(), &own.replace("namespace: shop", "namespace: istio-system")], &reference, of_root);
    };
    let (web, all) = (["pod/web", "pod/far"], ["pod/web", "pod/db", "pod/far"]);
    let (near, shop) = (&web[..1], &all[..2]);
    for kind in [
        ["extensions.istio.io/v1alpha1", "WasmPlugin"],
        ["networking.istio.io/v1beta1", "ProxyConfig"],
        ["security.istio.io/v1", "AuthorizationPolicy"],
        ["security.istio.io/v1", "PeerAuthentication"],
        ["security.istio.io/v1", "RequestAuthentication"],
        ["telemetry.istio.io/v1", "Telemetry"],
    ] {
        select(kind, "{selector: {matchLabels: {app: web}}}", near, &web);
        select(kind, "{}", shop, &all);
    }
    let attached = "{targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: g}]}";
    select(["security.istio.io/v1", "AuthorizationPolicy"], attached, &[], &[]);
    let labels = "{workloadSelector: {labels: {app: web}}}";
    for kind in [["networking.istio.io/v1alpha3", "EnvoyFilter"], ["networking.istio.io/v1", "Sidecar"]] {
        select(kind, labels, near, &web);
        select(kind, "{}", shop, &all);
    }
    select(["networking.istio.io/v1", "ServiceEntry"], labels, near, &[]);
    select(["networking.istio.io/v1", "ServiceEntry"], "{}", &[], &[]);
    let of_clients = "{workloadSelector: {matchLabels: {app: web}}}";
    select(["networking.istio.io/v1", "DestinationRule"], of_clients, near, &[]);
    select(["networking.istio.io/v1", "Gateway"], "{selector: {app: web}}", &web, &web);
}

#[test]
fn labels_of_namespaces_that_the_input_lacks_are_not_known() {
    let policy = object(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        "{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: a}}}]}]}",
    );
    let note = "kselect: networkpolicies.networking.k8s.io \"it\" selects by labels of namespaces, which are not known: the input has no \
                Namespace\n";
    let stderr = |manifests: &[&str]| {
        let args = ["kselect", "get", "pods", "-A", "-o", "name", "--selected-by", "networkpolicy/it"];
        in_process(args.to_vec(), manifests.join("\n---\n")).2
    };
    assert_eq!(stderr(&[&pods(), &policy]), note);
    assert_eq!(stderr(&[&pods(), &policy, &namespace("lab", "{team: a}")]), "");
    assert_eq!(stderr(&[&pods(), &policy.replace("team: a", "kubernetes.io/metadata.name: lab")]), "");
}

#[test]
fn what_a_kind_selects_that_is_not_known_is_not_denied() {
    let input = "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n\
        {apiVersion: example.com/v1, kind: Guard, metadata: {name: it}, spec: {selector: 'app == \"web\"'}}";
    get(&["guard", "--selects", "pod/a", "--why"], input)
        .prints("STDIN:3: guard.example.com/it: --selects pod/a: what a Guard selects is not known\n");
    check_failure(&["--selected-by", "guard/it"], input, 1, {
        "error: guards.example.com \"it\": what a Guard selects is not known\n"
    });
    check_failure(&["--selected-by", "audit/it"], &input.replace("Guard", "Audit"), 1, {
        "error: audits.example.com \"it\": what an Audit selects is not known\n"
    });
}

#[test]
fn a_prometheus_selects_what_its_selectors_say_in_its_own_namespace_or_those_selected() {
    let made = |kind: &str, name: &str, namespace: &str| {
        format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: {kind}, metadata: {{name: {name}, namespace: {namespace}, labels: {{app: web}}}}}}"
        )
    };
    for (owner, field, kind) in [
        ("Prometheus", "serviceMonitor", "ServiceMonitor"),
        ("Prometheus", "podMonitor", "PodMonitor"),
        ("Prometheus", "probe", "Probe"),
        ("Prometheus", "rule", "PrometheusRule"),
        ("PrometheusAgent", "podMonitor", "PodMonitor"),
        ("Alertmanager", "alertmanagerConfig", "AlertmanagerConfig"),
    ] {
        let objects = [namespace("lab", "{team: a}"), made(kind, "near", "shop"), made(kind, "far", "lab")]
            .join("\n---\n");
        let [near, far] =
            ["near", "far"].map(|name| format!("{}.monitoring.coreos.com/{name}", kind.to_lowercase()));
        let check = |spec: &str, selected: &[&str]| {
            let reference = format!("{}.monitoring.coreos.com/it", owner.to_lowercase());
            check(&[&objects, &monitoring(owner, spec)], &reference, selected);
        };
        let web = format!("{field}Selector: {{matchLabels: {{app: web}}}}");
        check(&format!("{{{web}}}"), &[&near]);
        check(&format!("{{{web}, {field}NamespaceSelector: {{}}}}"), &[&near, &far]);
        check(&format!("{{{web}, {field}NamespaceSelector: {{matchLabels: {{team: a}}}}}}"), &[&far]);
        check(&format!("{{{field}Selector: {{}}}}"), &[&near]);
        check("{}", &[]);
    }
}

/// A Deployment `web` in `shop` with a ReplicaSet and its Pod, objects with the same names in `lab`, and a Pod of a
/// node.
const FAMILY: &str = "\
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, uid: u1}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1-a, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: u2}]}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-0, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u0}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: lab, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: u2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: mirror, namespace: kube-system, ownerReferences: [{apiVersion: v1, kind: Node, name: n1, uid: u3}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}}";

#[test]
fn ownership_is_followed_within_the_namespace() {
    assert_eq!(names(&["--owned-by", "deploy/web"], FAMILY), ["replicaset.apps/web-1", "pod/web-1-a"]);
    assert_eq!(names(&["--owned-by", "rs/web-1"], FAMILY), ["pod/web-1-a"]);
    assert_eq!(names(&["--owned-by", "node/n1"], FAMILY), ["pod/mirror"]);
    assert_eq!(names(&["--owned-by", "pod/other"], FAMILY), [""; 0]);
}

#[test]
fn owners_are_selected_up_to_the_root() {
    assert_eq!(
        names(&["--owns", "shop/pod/web-1-a"], FAMILY),
        ["deployment.apps/web", "replicaset.apps/web-1"]
    );
    assert_eq!(names(&["--owns", "rs/web-1"], FAMILY), ["deployment.apps/web"]);
    assert_eq!(names(&["--owns", "pod/mirror"], FAMILY), ["node/n1"]);
    // Its Deployment has another uid.
    assert_eq!(names(&["--owns", "rs/web-0"], FAMILY), [""; 0]);
}

#[test]
fn references_to_an_object_that_is_not_in_the_input_are_found_by_its_name() {
    let user = |namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web, namespace: {namespace}}}\nspec: {{volumes: [{{name: a, secret: \
             {{secretName: db}}}}]}}\n"
        )
    };
    let input = user("shop") + &user("lab");
    let run = |args: &[&'static str]| {
        let args = args.iter().copied().chain(["-o", "custom-columns=N:.metadata.namespace", "--no-headers"]);
        Kselect::get(args).stdin(&input)
    };
    let note = "kselect: secrets \"db\" is not in the input; objects that refer to that name are selected\n";
    run(&["--uses", "secret/db"]).stderr(note).prints("shop\nlab\n");
    run(&["--uses", "lab/secret/db"]).stderr(note).prints("lab\n");
    let nothing = "kselect: secrets \"other\" is not in the input; objects that refer to that name are selected\n\
        kselect: read 2 objects; --why shows why none is selected\n";
    run(&["--uses", "secret/other"]).stderr(nothing).prints("");
}

#[test]
fn the_uid_of_an_owner_counts_when_both_sides_say_it() {
    let without = FAMILY.replace(", uid: u1}}", "}}");
    let all = ["replicaset.apps/web-1", "pod/web-1-a", "replicaset.apps/web-0"];
    assert_eq!(names(&["--owned-by", "deploy/web"], &without), all);
}

#[test]
fn objects_that_own_each_other_are_followed_once() {
    let config = |name: &str, owner: &str| {
        format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: {owner}}}]}}}}"
        )
    };
    let ring = [config("a", "b"), config("b", "c"), config("c", "a")].join("\n---\n");
    assert_eq!(names(&["--owned-by", "cm/a"], &ring), ["configmap/a", "configmap/b", "configmap/c"]);
}

const CLUSTER: [&str; 2] = ["-f", concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/conformance/cluster")];

/// The output of `get ARGS` for the recorded cluster.
#[track_caller]
fn check_cluster(args: &[&str], stdout: &str) {
    get(&[args, &CLUSTER].concat(), "").prints(stdout);
}

#[test]
fn the_shop_s_service_selects_workloads_and_pods_in_its_namespace() {
    check_cluster(
        &["deploy,rs,pods", "--selected-by", "svc/web", "-n", "shop", "-o", "name"],
        "\
deployment.apps/web
deployment.apps/web-canary
replicaset.apps/web-7d4b9c
replicaset.apps/web-5f6f7d
pod/web-7d4b9c-aaaaa
pod/web-7d4b9c-bbbbb
pod/web-canary-0
",
    );
}

#[test]
fn the_shop_s_deployment_is_selected_by_services_policies_and_a_budget() {
    check_cluster(
        &["svc,netpol,pdb", "--selects", "deploy/web", "-n", "shop", "-o", "name"],
        "\
service/web
service/web-public
networkpolicy.networking.k8s.io/deny-all
poddisruptionbudget.policy/web
",
    );
}

#[test]
fn a_pod_fits_the_nodes_that_have_what_it_asks_for() {
    get(&[&["nodes", "--fits", "pod/bare"][..], &CLUSTER].concat(), "")
        .stderr("kselect: what pods request, volumes, spread constraints and affinity between pods were not considered
")
        .prints(
            "\
NAME     STATUS   ROLES    AGE         VERSION
node-b   Ready    worker   <unknown>   v1.29.2
",
        );
}

/// A node with a taint that a pod does not tolerate, and one without.
const TAINTED: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: busy}, spec: {taints: [{key: a, value: b, effect: NoSchedule}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: free}}
---
{apiVersion: v1, kind: Pod, metadata: {name: it}, spec: {}}";

#[test]
fn a_pod_does_not_fit_nodes_with_taints_that_it_does_not_tolerate() {
    assert_eq!(names(&["--fits", "pod/it"], TAINTED), ["node/free"]);
    get(&["nodes", "--fits", "pod/it", "--why"], TAINTED).prints(
        "STDIN:1: node/busy: --fits pod/it: taint a=b:NoSchedule is not tolerated
",
    );
}

/// A policy that is for the pods of `web` and lets in those of `db`, one the other way round, and a Deployment `web` that
/// reads the ConfigMap `web` twice.
fn policies() -> String {
    let policy = |name: &str, of: &str, from: &str| {
        format!(
            "{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: {name}, namespace: shop}}, spec: {{
  podSelector: {{matchLabels: {{app: {of}}}}}, ingress: [{{from: [{{podSelector: {{matchLabels: {{app: {from}}}}}}}]}}]}}}}"
        )
    };
    let web = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {
  metadata: {labels: {app: web}}, spec: {volumes: [{name: a, configMap: {name: web}}], containers: [{name: a, envFrom: [{configMapRef: {name: web}}]}],
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: db}}, topologyKey: a}]}}}}}}";
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}}";
    [&pods(), &policy("into-web", "web", "db"), &policy("into-db", "db", "web"), web, map].join("\n---\n")
}

#[test]
fn via_tells_a_policy_that_is_for_a_workload_from_one_that_lets_it_in() {
    let args = |via| ["netpol", "--selects", "deploy/web", "--via", via];
    assert_eq!(names(&args("spec.podSelector"), &policies()), ["networkpolicy.networking.k8s.io/into-web"]);
    assert_eq!(names(&args("ingress.from"), &policies()), ["networkpolicy.networking.k8s.io/into-db"]);
    assert_eq!(
        names(&args("spec.podSelector,from"), &policies()),
        ["networkpolicy.networking.k8s.io/into-web", "networkpolicy.networking.k8s.io/into-db"]
    );
    get(&args("egress"), &policies())
        .stderr(
            "No resources found\nkselect: read 7 objects, 2 of the requested type; --why shows why none is selected\n",
        )
        .prints("");
}

#[test]
fn wide_tables_show_the_fields_of_relations() {
    get(&["netpol", "--selects", "deploy/web", "-o", "wide"], &policies()).prints(
        "\
NAME       POD-SELECTOR   AGE         VIA
into-web   app=web        <unknown>   spec.podSelector
into-db    app=db         <unknown>   spec.ingress[].from[].podSelector
",
    );
    get(&["deploy", "--uses", "cm/web", "--via", "volumes", "-o", "csv=wide", "--no-headers"], &policies())
        .prints("web,0/1,0,0,<unknown>,a,,,spec.template.spec.volumes[].configMap.name\n");
    get(&["cm", "--used-by", "deploy/web", "-o", "wide"], &policies()).prints(
        "\
NAME   DATA   AGE         VIA
web    0      <unknown>   spec.template.spec.containers[].envFrom[].configMapRef.name,spec.template.spec.volumes[].configMap.name
",
    );
    get(&["pods", "--selected-by", "deploy/web", "-o", "wide", "--sort-by", "VIA", "--no-headers"], &policies()).prints(
        "db    0/0   Pending   0     <unknown>   <none>   <none>   <none>   <none>   spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector\n",
    );
}

#[test]
fn via_needs_a_relation_by_fields_and_the_path_of_one() {
    let hint = "hint: write the path of a field, or keys of it: --via spec.podSelector, --via ingress.from\n";
    check_failure(
        &["--via", "spec..a", "--selects", "pod/web"],
        &policies(),
        2,
        &format!("error: --via: \"spec..a\" is not a field\n{hint}"),
    );
    for args in [&["--via", "spec.podSelector"][..], &["--via", "a", "--owned-by", "deploy/web"]] {
        check_failure(
            args,
            &policies(),
            2,
            "error: --via needs --selected-by, --selects, --uses or --used-by\n",
        );
    }
}

#[test]
fn invert_match_turns_relations_round_too() {
    let manifests = [NODES, &object("v1", "Pod", "{nodeSelector: {disk: ssd}}")].join("\n---\n");
    assert_eq!(names(&["nodes", "--fits", "pod/it", "--invert-match"], &manifests), ["node/slow"]);
    let args = ["pods", "--selected-by", "svc/it", "--invert-match"];
    let service = object("v1", "Service", "{selector: {app: web}}");
    assert_eq!(
        names(&args, &[&pods(), service.as_str()].map(|text| text.to_owned()).join("\n---\n")),
        ["pod/db", "pod/far"]
    );
}

#[test]
fn relations_hold_together_with_selectors_and_each_other() {
    let service = object("v1", "Service", "{selector: {app: web}}");
    let budget = object("policy/v1", "PodDisruptionBudget", "{selector: {}}");
    let manifests = [pods(), service, budget].join("\n---\n");
    assert_eq!(names(&["--selected-by", "pdb/it", "-l", "app=db"], &manifests), ["pod/db"]);
    assert_eq!(names(&["--selected-by", "pdb/it", "--selected-by", "svc/it"], &manifests), ["pod/web"]);
}

/// The message of a failing command.
#[track_caller]
fn check_failure(args: &[&str], manifests: &str, status: i32, stderr: &str) {
    get(args, manifests).status(status).stderr(stderr).prints_nothing();
}

#[test]
fn the_copies_of_an_object_in_a_dump_are_one() {
    let pod = |version: u32, app: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: web, namespace: shop, uid: u1, resourceVersion: '{version}', labels: {{app: {app}}}}}}}\n"
        )
    };
    let service = |app: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {app}, namespace: shop}}, spec: {{selector: {{app: {app}}}}}}}\n"
        )
    };
    let dump = |args: &[&str]| {
        Kselect::get(args.iter().copied())
            .file("d/core/pods.yaml", pod(3, "new"))
            .file("d/raw/web.yaml", pod(1, "old"))
            .file("d/core/services.yaml", service("old") + "---\n" + &service("new"))
    };
    dump(&["-R", "-f", "d", "--selects", "pod/web", "-o", "name"]).prints("service/new\n");
    let line = ["-R", "-f", "d", "--selects", "d/raw/web.yaml:1", "-o", "name"];
    dump(&line).prints("service/old\n");
    // Another uid is another object.
    let several = "error: there are several pods \"web\": shop (d/core/pods.yaml:1), shop (d/other.yaml:1), \
                   choose one with -n, or write NAMESPACE/TYPE/NAME or FILE:LINE\n";
    dump(&["-R", "-f", "d", "--selects", "pod/web"])
        .file("d/other.yaml", pod(3, "new").replace("u1", "u2"))
        .status(1)
        .stderr(several.replace("1), choose", "1); choose"))
        .prints_nothing();
}

#[test]
fn a_reference_must_be_to_one_object() {
    let service = |namespace: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: {namespace}}}, spec: {{selector: {{app: web}}}}}}"
        )
    };
    let manifests = [service("shop"), service("lab"), pods()].join("\n---\n");
    check_failure(&["--selected-by", "svc/web"], &manifests, 1, "\
error: there are several services \"web\": shop (STDIN:1), lab (STDIN:3); choose one with -n, or write NAMESPACE/TYPE/NAME or FILE:LINE
");
    check_failure(&["--selected-by", "svc/x"], &manifests, 1, "error: services \"x\" not found\n");
    check_failure(
        &["--selected-by", "svc/web", "-n", "ops"],
        &manifests,
        1,
        "error: services \"web\" not found\n",
    );
    check_failure(&["--selected-by", "svc"], &manifests, 2, {
        "error: --selected-by: \"svc\" is not TYPE/NAME\nhint: name an object: --selected-by TYPE/svc\n"
    });
    assert_eq!(names(&["--selected-by", "lab/svc/web"], &manifests), ["pod/far"]);
    assert_eq!(names(&["--selected-by", "svc/web", "-n", "shop"], &manifests), ["pod/web"]);
    assert_eq!(names(&["--selected-by", "lab/svc/web", "-n", "shop"], &manifests), [""; 0]);
}

#[test]
fn unreadable_input_is_reported_once_even_if_the_reference_is_not_found() {
    let broken = "{apiVersion: v1, kind: Service, metadata: {name: web}";
    let manifests = [&pods(), broken].map(str::to_owned).join("\n---\n");
    let unreadable = "error: STDIN:7 (document 4): error converting YAML to JSON: yaml: did not find expected ',' or '}'\n  |\n\
                      7 | {apiVersion: v1, kind: Service, metadata: {name: web}\n  | ^\n";
    let not_found = format!("{unreadable}error: services \"web\" not found\n");
    check_failure(&["--selected-by", "svc/web"], &manifests, 1, &not_found);
    check_failure(&["--selects", "pod/web"], &manifests, 1, unreadable);
}

#[test]
fn objects_without_a_namespace_are_in_that_of_n_or_in_default() {
    let manifests = "\
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: here, labels: {app: web}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: there, namespace: shop, labels: {app: web}}}";
    assert_eq!(names(&["--selected-by", "svc/web"], manifests), ["pod/here"]);
    assert_eq!(names(&["--selected-by", "default/svc/web"], manifests), ["pod/here"]);
    assert_eq!(names(&["--selected-by", "svc/web", "-n", "shop"], manifests), ["pod/here", "pod/there"]);
}

#[test]
fn a_relation_that_a_kind_cannot_have_is_an_error() {
    let config = object("v1", "ConfigMap", "{}");
    check_failure(&["--selected-by", "cm/it"], &config, 1, {
        "error: configmaps \"it\" has no label selector; no ConfigMap has one\n"
    });
    check_failure(
        &["--fits", "cm/it"],
        &config,
        1,
        "error: configmaps \"it\" is not a pod and has no pod template\n",
    );
}

#[test]
fn an_invalid_selector_selects_nothing_and_is_reported() {
    let deployment = object("apps/v1", "Deployment", "{selector: {matchLabels: {version: 1}}}");
    let manifests = [pods(), deployment].join("\n---\n");
    check_failure(&["-o", "name", "--selected-by", "deploy/it"], &manifests, 1, {
        "error: deployments.apps \"it\": spec.selector: matchLabels.version: expected a string, found number\n"
    });
    assert_eq!(names(&["--selects", "pod/web"], &manifests), [""; 0]);
    let peer = "{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: [a]}}]}]}";
    let policy = object("networking.k8s.io/v1", "NetworkPolicy", peer);
    let error = "error: networkpolicies.networking.k8s.io \"it\": spec.ingress[].from[].namespaceSelector: \
                 matchLabels: expected a map, found array\n";
    // The other fields are still read.
    let args = ["-o", "name", "--selected-by", "netpol/it"];
    get(&args, &[pods(), policy].join("\n---\n")).status(1).stderr(error).prints("pod/web\npod/db\n");
}

#[test]
fn owners_that_are_not_in_the_input_are_named() {
    let owned = |kind: &str, name: &str, by: &str, owner: &str| {
        format!(
            "{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, ownerReferences: [{{apiVersion: apps/v1, kind: {by}, name: \
             {owner}}}]}}}}\n---\n"
        )
    };
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n";
    let input = owned("Pod", "web-c4-x", "ReplicaSet", "web-c4") + deployment;
    let run = |args: &[&'static str]| Kselect::get(args.iter().copied().chain(["-o", "name"])).stdin(&input);
    run(&["--owned-by", "rs/web-c4"])
        .stderr(
            "kselect: replicasets.apps \"web-c4\" is not in the input; objects that have an owner of that name are selected\n",
        )
        .prints("pod/web-c4-x\n");
    run(&["--owned-by", "rs/nosuch"])
        .status(1)
        .stderr("error: replicasets.apps \"nosuch\" not found\n")
        .prints_nothing();
    run(&["--owned-by", "deploy/web"])
        .stderr(
            "kselect: replicaset.apps/web-c4, which by its name belongs to deployments.apps \"web\", is not in the input; what \
             it owns is not selected\nkselect: read 2 objects; --why shows why none is selected\n",
        )
        .prints("");
    run(&["--owns", "pod/web-c4-x"])
        .stderr(
            "kselect: replicaset.apps/web-c4, which owns pods \"web-c4-x\", is not in the input\n\
             kselect: read 2 objects; --why shows why none is selected\n",
        )
        .prints("");
    run(&["--used-by", "deploy/nosuch"])
        .status(1)
        .stderr(
            "error: deployments.apps \"nosuch\" not found; what an object refers to is known from its own text alone\n",
        )
        .prints_nothing();
}

#[test]
fn parameters_annotations_and_tags_name_objects() {
    let class = |name: &str| {
        format!(
            "{{csi.storage.k8s.io/{name}-secret-name: x, csi.storage.k8s.io/{name}-secret-namespace: shop}}"
        )
    };
    let ingress = |annotation: &str, value: &str| {
        let group = if annotation.starts_with("router") { "traefik" } else { "nginx" };
        format!(
            "networking.k8s.io/v1 Ingress metadata: {{name: a, namespace: shop, annotations: {{{group}.ingress.kubernetes.io/{annotation}: '{value}'}}}}"
        )
    };
    let parameters =
        |version: &str, name: &str| format!("{version} metadata: {{name: a}}, parameters: {}", class(name));
    let of_build = |rest: &str| {
        format!("build.openshift.io/v1 BuildConfig metadata: {{name: a, namespace: shop}}, spec: {rest}")
    };
    for (by, kind) in [
        (parameters("storage.k8s.io/v1 StorageClass", "provisioner"), "v1 Secret"),
        (parameters("storage.k8s.io/v1 StorageClass", "node-stage"), "v1 Secret"),
        (parameters("snapshot.storage.k8s.io/v1 VolumeSnapshotClass", "snapshotter"), "v1 Secret"),
        (ingress("auth-secret", "x"), "v1 Secret"),
        (ingress("auth-tls-secret", "shop/x"), "v1 Secret"),
        (ingress("proxy-ssl-secret", "shop/x"), "v1 Secret"),
        (ingress("custom-headers", "shop/x"), "v1 ConfigMap"),
        (
            ingress("router.middlewares", "a-b@kubernetescrd, shop-x@kubernetescrd"),
            "traefik.io/v1alpha1 Middleware",
        ),
        (ingress("router.tls.options", "shop-x@kubernetescrd"), "traefik.io/v1alpha1 TLSOption"),
        (
            of_build("{output: {to: {kind: ImageStreamTag, name: 'x:latest'}}}"),
            "image.openshift.io/v1 ImageStream",
        ),
        (
            of_build(
                "{strategy: {dockerStrategy: {from: {kind: ImageStreamTag, name: 'x:1', namespace: shop}}}}",
            ),
            "image.openshift.io/v1 ImageStream",
        ),
        (of_build("{output: {pushSecret: {name: x}}}"), "v1 Secret"),
    ] {
        let words: Vec<&str> = by.splitn(3, ' ').collect();
        let (version, kind) = kind.split_once(' ').expect("a kind");
        let object = |name: &str, namespace: &str| {
            format!(
                "{{apiVersion: {version}, kind: {kind}, metadata: {{name: {name}, namespace: {namespace}}}}}"
            )
        };
        let by = format!("{{apiVersion: {}, kind: {}, {}}}", words[0], words[1], words[2]);
        let input = [by, object("x", "shop"), object("x", "lab"), object("other", "shop")].join("\n---\n");
        let uses = |object: &str| {
            names(
                &[
                    "--uses",
                    &format!(
                        "{object}/{}.{}/x",
                        kind.to_lowercase(),
                        version.split_once('/').map_or("", |(group, _)| group)
                    )
                    .replace("./", "/"),
                ],
                &input,
            )
            .len()
        };
        assert_eq!([uses("shop"), uses("lab")], [1, 0], "{input}");
    }
    // Images of registries are no tags.
    let image = of_build("{strategy: {dockerStrategy: {from: {kind: DockerImage, name: 'x:1'}}}}");
    let words: Vec<&str> = image.splitn(3, ' ').collect();
    let input = format!(
        "{{apiVersion: {}, kind: {}, {}}}\n---\n{{apiVersion: image.openshift.io/v1, kind: ImageStream, metadata: {{name: x, namespace: shop}}}}",
        words[0], words[1], words[2]
    );
    assert_eq!(names(&["--uses", "imagestream/x"], &input), [""; 0]);
}

#[test]
fn an_account_without_a_namespace_is_in_that_of_its_binding_if_that_has_one() {
    // A server refuses it in a ClusterRoleBinding; kustomize adds the namespace of the account that it builds.
    let account = |namespace: &str| {
        format!("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: x, namespace: {namespace}}}}}")
    };
    for (kind, is_used) in [("RoleBinding", [0, 1]), ("ClusterRoleBinding", [1, 1])] {
        let binding = |subject: &str| {
            format!(
                "{{apiVersion: rbac.authorization.k8s.io/v1, kind: {kind}, metadata: {{name: b, namespace: lab}}, roleRef: {{apiGroup: \
                 rbac.authorization.k8s.io, kind: ClusterRole, name: view}}, subjects: [{{kind: ServiceAccount, name: x{subject}}}]}}"
            )
        };
        let uses = |account: &str, input: &str| names(&["--uses", account], input).len();
        let input = [binding(""), account("shop"), account("lab")].join("\n---\n");
        assert_eq!(["shop/sa/x", "lab/sa/x"].map(|account| uses(account, &input)), is_used, "{kind}");
        let input = [binding(", namespace: shop"), account("shop"), account("lab")].join("\n---\n");
        assert_eq!(["shop/sa/x", "lab/sa/x"].map(|account| uses(account, &input)), [1, 0], "{kind}");
    }
}

#[test]
fn what_rules_of_roles_name_is_used() {
    let map = |name: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: shop}}}}\n---\n")
    };
    let role = |kind: &str, rest: &str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: {kind}, metadata: {{name: r, namespace: {rest}}}, rules: \
             [{{apiGroups: [''], resources: [configmaps, pods], resourceNames: [pub], verbs: [get]}}, \
             {{apiGroups: [apps], resources: [configmaps], resourceNames: [other], verbs: [get]}}]}}"
        )
    };
    let maps = [map("pub"), map("other")].concat();
    let unused = |role: String| names(&["cm", "--unused"], &[&*maps, &role].concat());
    assert_eq!(unused(role("Role", "shop")), ["configmap/other"]);
    assert_eq!(unused(role("ClusterRole", "''")), ["configmap/other"]);
    assert_eq!(unused(role("Role", "lab")), ["configmap/pub", "configmap/other"]);
}

#[test]
fn what_nothing_refers_to_is_unused() {
    let object = |kind: &str, name: &str, rest: &str| {
        format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, namespace: shop}}{rest}}}")
    };
    let manifests = [
        object("ConfigMap", "web", ""),
        object("ConfigMap", "old", ""),
        object("ConfigMap", "kube-root-ca.crt", ""),
        object("Secret", "key", ""),
        object("Secret", "sh.helm.release.v1.web.v1", ", type: helm.sh/release.v1"),
        object("Secret", "web-token", ", type: kubernetes.io/service-account-token"),
        object("ConfigMap", "argocd-rbac-cm", ""),
        object("Secret", "repo, labels: {argocd.argoproj.io/secret-type: repository}", ""),
        object("ServiceAccount", "default", ""),
        object("ServiceAccount", "web", ""),
        object("PersistentVolumeClaim", "data-db-0", ""),
        object("PersistentVolumeClaim", "data-other-0", ""),
        object("Service", "web", ""),
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: slow}}".to_owned(),
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: std, annotations: \
         {storageclass.kubernetes.io/is-default-class: 'true'}}}"
            .to_owned(),
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop}, spec: {volumeClaimTemplates: \
         [{metadata: {name: data}}], template: {spec: {serviceAccountName: web, volumes: [{configMap: {name: web}}]}}}}"
            .to_owned(),
        // Their rules become those of another ClusterRole.
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: part, labels: {part-of: whole}}}".to_owned(),
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: viewer, labels: \
         {rbac.authorization.k8s.io/aggregate-to-view: 'true'}}}".to_owned(),
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: whole}, aggregationRule: \
         {clusterRoleSelectors: [{matchLabels: {part-of: whole}}]}}".to_owned(),
        // In another namespace, the same names are others.
        "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: lab}, spec: {imagePullSecrets: [{name: key}]}}"
            .to_owned(),
        "{apiVersion: image.toolkit.fluxcd.io/v1, kind: ImageRepository, metadata: {name: app, namespace: shop}}".to_owned(),
        "{apiVersion: image.toolkit.fluxcd.io/v1, kind: ImageRepository, metadata: {name: past, namespace: shop}}".to_owned(),
        "{apiVersion: image.toolkit.fluxcd.io/v1, kind: ImagePolicy, metadata: {name: app, namespace: shop}, spec: \
         {imageRepositoryRef: {name: app}}}".to_owned(),
    ]
    .join("\n---\n");
    let unused = [
        "configmap/old",
        "secret/key",
        "persistentvolumeclaim/data-other-0",
        "storageclass.storage.k8s.io/slow",
        "clusterrole.rbac.authorization.k8s.io/whole",
        "imagerepository.image.toolkit.fluxcd.io/past",
    ];
    assert_eq!(names(&["--unused"], &manifests), unused);
    assert_eq!(names(&["cm,secret", "--unused"], &manifests), unused[..2]);
    assert_eq!(
        names(&["sa,secret", "--unused", "--invert-match"], &manifests),
        [
            "serviceaccount/default",
            "serviceaccount/web",
            "secret/sh.helm.release.v1.web.v1",
            "secret/web-token",
            "secret/repo",
        ]
    );
    get(&["cm,svc", "--unused", "-o", "name"], &manifests)
        .stderr("kselect: --unused: services are not used by name alone\n")
        .prints(format!("{}\n", unused[0]));
    get(&["svc", "--unused"], &manifests)
        .status(2)
        .stderr(
            "error: --unused: services are not used by name alone\n\
             hint: it selects configmaps, persistentvolumeclaims, secrets, serviceaccounts, runtimeclasses, clusterroles, \
             roles, priorityclasses, imagerepositories, buckets, gitrepositories, helmrepositories, ocirepositories, storageclasses\n",
        )
        .prints_nothing();
}

#[test]
fn what_an_object_without_a_namespace_names_may_be_in_any() {
    let secret = |name: &str, namespace: &str| {
        format!("{{apiVersion: v1, kind: Secret, metadata: {{name: {name}{namespace}}}}}\n---\n")
    };
    let pod = |name: &str, namespace: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}{namespace}}}, spec: {{imagePullSecrets: [{{name: {name}}}]}}}}\n---\n"
        )
    };
    let (here, there, default) = (", namespace: ldap", ", namespace: web", ", namespace: default");
    let input = [
        secret("user-open", here),
        pod("user-open", ""),
        secret("used-open", ""),
        pod("used-open", here),
        secret("both", ""),
        pod("both", ""),
        secret("default", default),
        pod("default", ""),
        secret("apart", here),
        pod("apart", there),
    ]
    .concat();
    Kselect::get(["secret", "--unused", "-o", "name"])
        .stdin(&input)
        .stderr(
            "kselect: 2 objects (secret/used-open, secret/user-open) are left out that may be used: that depends on the namespaces to which objects without one are \
             applied\n",
        )
        .prints("secret/apart\n");
    Kselect::get(["secret", "--unused", "-n", "ldap", "-o", "name", "-q"])
        .stdin(&input)
        .prints("secret/apart\n");
}

#[test]
fn what_names_an_object_of_another_kind_does_not_use_one_of_the_same_name() {
    let input = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: registry}}\n---\n\
        {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: gone}}\n---\n\
        {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r}, spec: {rules: [{backendRefs: [{name: registry}]}]}}\n";
    Kselect::get(["pvc", "--unused", "-o", "name"])
        .stdin(input)
        .stderr("")
        .prints("persistentvolumeclaim/registry\npersistentvolumeclaim/gone\n");
    // What is in the input and not selected is not a misspelt name.
    let used = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{persistentVolumeClaim: {claimName: registry}}]}}";
    Kselect::get(["pvc/registry", "--unused", "-o", "name"])
        .stdin(format!("{input}---\n{used}"))
        .status(1)
        .stderr(
            "error: persistentvolumeclaims \"registry\" not found\n\
             hint: persistentvolumeclaim/registry does not meet the other conditions; kselect get --why shows why\n",
        )
        .prints_nothing();
}

#[test]
fn the_value_of_a_label_in_a_custom_resource_is_no_name() {
    let input = "{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: web, namespace: flux-system}}\n---\n\
        {apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: web, namespace: web}}\n---\n\
        {apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: web, namespace: web}, \
        spec: {commonMetadata: {labels: {app: web}}, sourceRef: {kind: GitRepository, name: web}}}\n";
    Kselect::get(["gitrepo", "--unused", "-o", "jsonpath={.items[*].metadata.namespace}"])
        .stdin(input)
        .prints("flux-system");
}

#[test]
fn pods_name_the_groups_in_which_they_are_scheduled() {
    let input = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}\n---\n\
        {apiVersion: scheduling.k8s.io/v1alpha3, kind: Workload, metadata: {name: w}, spec: {podGroupTemplates: [{name: t}]}}\n---\n\
        {apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: g}, spec: {priorityClassName: high, \
        workloadRef: {workloadName: w, templateName: t}}}\n---\n\
        {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulingGroup: {podGroupName: g}}}\n";
    assert_eq!(names(&["--uses", "podgroup/g"], input), ["pod/p"]);
    assert_eq!(names(&["--uses", "workload/w"], input), ["podgroup.scheduling.k8s.io/g"]);
    assert_eq!(names(&["--unused"], input), [""; 0]);
}

#[test]
fn of_an_object_in_an_unknown_namespace_a_note_says_so() {
    let input = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: '${NS}', labels: {app: a}}}\n---\n\
        {apiVersion: v1, kind: Service, metadata: {name: here, namespace: '${NS}'}, spec: {selector: {app: a}}}\n---\n\
        {apiVersion: v1, kind: Service, metadata: {name: there, namespace: shop}, spec: {selector: {app: a}}}\n";
    let note = |object: &str, verb: &str| {
        format!(
            "kselect: the namespace of {object} is not known (${{NS}}); it may also {verb} objects in other namespaces\n"
        )
    };
    Kselect::get(["--selects", "pod/a", "-o", "name"])
        .stdin(input)
        .stderr(note("pods \"a\"", "be selected by"))
        .prints("service/here\n");
    Kselect::get(["--selected-by", "svc/here", "-o", "name"])
        .stdin(input)
        .stderr(note("services \"here\"", "select"))
        .prints("pod/a\n");
}

#[test]
fn what_a_cluster_issuer_names_is_where_cert_manager_looks_if_it_is_there() {
    let secret = |namespace: &str| {
        format!("---\n{{apiVersion: v1, kind: Secret, metadata: {{name: tok, namespace: {namespace}}}}}\n")
    };
    let issuer = "{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: ci}, spec: {acme: {solvers: [{dns01: {cloudflare: \
        {apiTokenSecretRef: {name: tok}}}}]}}}\n";
    let users = |secrets: &[&str]| {
        let input =
            issuer.to_owned() + &secrets.iter().map(|namespace| secret(namespace)).collect::<String>();
        let one = |namespace: &&str| names(&["--uses", &format!("{namespace}/secret/tok")], &input).len();
        let shown = Kselect::new(["tree", "clusterissuer/ci", "--no-headers"]).stdin(&input).run();
        let rows = String::from_utf8_lossy(&shown.stdout).lines().count() - 1;
        let used = names(&["--used-by", "clusterissuer/ci"], &input).len();
        (secrets.iter().map(one).collect::<Vec<_>>(), rows, used)
    };
    assert_eq!(users(&["cert-manager", "dns"]), (vec![1, 0], 1, 1));
    // Where it is not, only the cluster knows where cert-manager looks.
    assert_eq!(users(&["dns", "web"]), (vec![1, 1], 2, 2));
}

#[test]
fn groups_of_openshift_are_subjects_of_bindings() {
    let binding = "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, namespace: shop}, roleRef: \
        {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{apiGroup: rbac.authorization.k8s.io, \
        kind: Group, name: users}]}\n";
    let group = "---\n{apiVersion: user.openshift.io/v1, kind: Group, metadata: {name: users}}\n";
    let both = binding.to_owned() + group;
    let uses = ["--uses", "group/users", "-o", "name"];
    Kselect::get(uses).stdin(&both).stderr("").prints("rolebinding.rbac.authorization.k8s.io/b\n");
    let absent = "kselect: groups.user.openshift.io \"users\" is not in the input; objects that refer to that name are selected\n";
    Kselect::get(uses).stdin(binding).stderr(absent).prints("rolebinding.rbac.authorization.k8s.io/b\n");
    let used_by = ["groups", "--used-by", "rolebinding/b", "-o", "name"];
    Kselect::get(used_by).stdin(&both).stderr("").prints("group.user.openshift.io/users\n");
    Kselect::new(["tree", "rolebinding/b", "--no-headers"]).stdin(&both).prints(
        "rolebinding.rbac.authorization.k8s.io/b                         -      -     -     <unknown>\n\
         ├─clusterrole.rbac.authorization.k8s.io/view (of the cluster)   uses   -     -     -\n\
         └─group.user.openshift.io/users                                 uses   -     -     <unknown>\n",
    );
}

/// A release whose values name claims, one of them by a template, and a Secret beside other texts.
const RELEASE: &str = "\
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: a}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: app-cache, namespace: a}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: b}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: a}
spec:
  chart: {spec: {chart: app, sourceRef: {kind: HelmRepository, name: charts}}}
  values:
    persistence: {config: {volume: data}, cache: {volume: '{{ .Release.Name }}-cache'}}
    labels: {app: charts}
---
{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {name: charts, namespace: a}}
---
{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmRepository, metadata: {name: other, namespace: a}}
";

#[test]
fn objects_that_name_another_in_unknown_fields_are_counted() {
    let note = |claim: &str, field: &str| {
        format!(
            "kselect: 1 object names persistentvolumeclaim/{claim} in a field whose meaning is unknown: helmrelease.helm.toolkit.fluxcd.io/app \
             spec.values.persistence.{field}.volume\n"
        )
    };
    for (claim, field) in [("data", "config"), ("app-cache", "cache")] {
        let said = format!("{}No resources found\n", note(claim, field));
        let output = Kselect::get(["--uses", &format!("a/pvc/{claim}")]).stdin(RELEASE).run();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.starts_with(&said), "{stderr}");
        Kselect::new(["tree", "--up", "--no-headers", &format!("a/pvc/{claim}")])
            .stdin(RELEASE)
            .stderr(note(claim, field))
            .prints(format!("persistentvolumeclaim/{claim}   -     -     Pending   <unknown>\n"));
    }
    // Of the fields of one object, that which is called a reference is said; names of namespaces are none of others.
    let input = "{apiVersion: example.com/v1, kind: App, metadata: {name: a}, spec: {alias: web, targetRef: {name: web}, \
        namespaceSelector: {matchNames: [web]}}}\n---\n{apiVersion: example.com/v1, kind: App, metadata: {name: b}, spec: \
        {namespaceSelector: {matchNames: [web]}}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}}";
    Kselect::new(["tree", "--up", "--no-headers", "svc/web"])
        .stdin(input)
        .stderr("kselect: 1 object names service/web in a field whose meaning is unknown: app.example.com/a spec.targetRef.name\n")
        .prints("service/web   -     -     -     <unknown>\n");
    // The namespace beside a name is that of what it means.
    let app = |name: &str, beside: &str| {
        format!(
            "---\n{{apiVersion: example.com/v1, kind: App, metadata: {{name: {name}, namespace: far}}, spec: {{to: [{{name: web{beside}}}]}}}}\n"
        )
    };
    Kselect::new(["tree", "--up", "--no-headers", "svc/web"])
        .stdin(format!("{{apiVersion: v1, kind: Service, metadata: {{name: web}}}}\n{}{}", app("a", ""), app("b", ", namespace: default")))
        .stderr("kselect: 1 object names service/web in a field whose meaning is unknown: app.example.com/b spec.to[].name\n")
        .prints("service/web   -     -     -     <unknown>\n");
    // A kustomization is called by its file; the name of what it makes or patches names nothing else.
    Kselect::new(["tree", "--up", "--no-headers", "cm/web", "-R", "-f", "."])
        .file(
            "kustomization.yaml",
            "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, configMapGenerator: [{name: web}], patches: [{target: {kind: Pod, name: db}, patch: '[]'}], helmCharts: [{name: c, valuesInline: \
             {auth: {existing: db}}}]}\n",
        )
        .stderr("")
        .prints("configmap/web (made by ./kustomization.yaml)   -     -     -     -\n");
    Kselect::new(["tree", "--up", "--no-headers", "secret/db", "-R", "-f", "."])
        .file(
            "kustomization.yaml",
            "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, patches: [{target: {kind: Pod, name: db}, patch: '[]'}], helmCharts: [{name: c, valuesInline: {auth: {existing: db}}}]}\n",
        )
        .file("secret.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: db}}\n")
        .stderr(
            "kselect: 1 object names secret/db in a field whose meaning is unknown: ./kustomization.yaml \
             helmCharts[].valuesInline.auth.existing\n",
        )
        .prints("secret/db   -     -     -     <unknown>\n");
    // In another namespace, and by fields that are known, nothing else is meant.
    Kselect::new(["tree", "--up", "--no-headers", "b/pvc/data"])
        .stdin(RELEASE)
        .stderr("")
        .prints("persistentvolumeclaim/data   -     -     Pending   <unknown>\n");
    Kselect::get(["--uses", "helmrepo/charts", "-o", "name"])
        .stdin(RELEASE)
        .stderr("")
        .prints("helmrelease.helm.toolkit.fluxcd.io/app\n");
}

#[test]
fn a_namespace_that_is_called_like_an_object_does_not_use_it() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    let get = |file: &str, text: &str| {
        Kselect::get(["cm", "--unused", "-o", "name", "-q", "-R", "-f", "k"])
            .file("k/web.yaml", map)
            .file(file, text)
    };
    let kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml, web]\nnamespace: web\n";
    get("k/kustomization.yaml", kustomization).prints("configmap/web\n");
    let custom =
        |field: &str| format!("apiVersion: a.b/v1\nkind: C\nmetadata: {{name: c}}\nspec: {{{field}: web}}\n");
    get("k/c.yaml", &custom("targetNamespace")).prints("configmap/web\n");
    get("k/c.yaml", &custom("config")).prints_nothing();
}

#[test]
fn claims_that_templates_name_and_repositories_of_charts_are_used() {
    Kselect::get(["pvc,helmrepo", "--unused", "-o", "name"])
        .stdin(RELEASE)
        .stderr("kselect: 2 objects (persistentvolumeclaim/app-cache, persistentvolumeclaim/data) are left out whose name is a text in Helm values or templates (STDIN): a chart may use it\n")
        .prints("persistentvolumeclaim/data\nhelmrepository.source.toolkit.fluxcd.io/other\n");
    // The name of a chart is none of an object.
    let named = |source: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: web}}\n---\napiVersion: \
             helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec: {source}\n"
        )
    };
    let by_name = named("{chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: charts}}}}");
    let unused = "ocirepository.source.toolkit.fluxcd.io/web\n";
    Kselect::get(["ocirepo", "--unused", "-o", "name"]).stdin(by_name).stderr("").prints(unused);
    Kselect::get(["ocirepo", "--unused", "-o", "name", "-q"])
        .stdin(named("{chartRef: {kind: OCIRepository, name: web}}"))
        .prints_nothing();
}

const SKIPPED: &str = "kselect: skipped 2 kustomizations\n";

/// Two applications with the same labels, which kustomizations tell apart, and a monitor that asks for a label that one of them adds.
fn labelled<'a>(args: impl IntoIterator<Item = &'a str>) -> Kselect {
    let app = |name: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}}}, spec: {{selector: {{matchLabels: {{app: x}}}}, \
             template: {{metadata: {{labels: {{app: x}}}}}}}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: {name}, labels: {{app: x}}}}, spec: {{selector: {{app: x}}}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: all-{name}}}}}\n"
        )
    };
    Kselect::new(args.into_iter().chain(["-R", "-f", "."]))
        .file("a/kustomization.yaml", "commonLabels: {of: a}\nresources: [a.yaml]\n")
        .file("a/a.yaml", app("a"))
        .file("b/kustomization.yaml", "labels: [{pairs: {of: b}, includeSelectors: true}, {pairs: {t: b}, includeTemplates: true}]\nresources: [b.yaml]\n")
        .file("b/b.yaml", app("b"))
        .file(
            "m/m.yaml",
            "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: m}, spec: {selector: {matchLabels: {app: x, of: a}}}}\n\
             ---\n{apiVersion: v1, kind: Service, metadata: {name: t}, spec: {selector: {app: x, t: b}}}\n",
        )
}

#[test]
fn labels_that_kustomizations_add_to_objects_and_selectors_count() {
    for (args, expected) in [
        (["get", "svc", "--selected-by", "servicemonitor/m"], "service/a\n"),
        (["get", "servicemonitors,svc", "--selects", "svc/a"], "servicemonitor.monitoring.coreos.com/m\n"),
        (["get", "deploy", "--selected-by", "svc/b"], "deployment.apps/b\n"),
        (["get", "deploy", "--selected-by", "svc/all-a"], "deployment.apps/a\n"),
        (["get", "svc", "--selects", "deploy/b"], "service/b\nservice/all-b\nservice/t\n"),
    ] {
        labelled(args.into_iter().chain(["-o", "name"])).stderr(SKIPPED).prints(expected);
    }
    labelled(["tree", "deploy/a", "--up", "--no-headers"]).prints(
        "deployment.apps/a                            -             0/1   -     <unknown>\n\
         ├─service/a                                  selected by   -     -     <unknown>\n\
         │ └─servicemonitor.monitoring.coreos.com/m   selected by   -     -     <unknown>\n\
         └─service/all-a                              selected by   -     -     <unknown>\n",
    );
}

#[test]
fn a_label_that_overlays_set_differently_may_have_any_value() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: x}}}\n";
    let service = "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: x}}}\n";
    let overlay =
        |name: &str, more: &str| format!("commonLabels: {{env: {name}}}\nresources: [../base{more}]\n");
    Kselect::get(["svc", "--selects", "pod/a", "-R", "-f", ".", "-o", "name"])
        .file("base/kustomization.yaml", "resources: [a.yaml]\n")
        .file("base/a.yaml", pod)
        .file("dev/kustomization.yaml", overlay("dev", ", s.yaml"))
        .file("dev/s.yaml", service)
        .file("prod/kustomization.yaml", overlay("prod", ""))
        .stderr("kselect: skipped 3 kustomizations\n")
        .prints("service/s\n");
}

#[test]
fn the_project_of_an_application_is_in_any_namespace_unless_its_own_has_it() {
    let object = |kind: &str, place: &str, spec: &str| {
        format!(
            "{{apiVersion: argoproj.io/v1alpha1, kind: {kind}, metadata: {{name: {place}}}, spec: {{{spec}}}}}"
        )
    };
    let objects = [
        object("AppProject", "apps, namespace: argocd", ""),
        object("AppProject", "own, namespace: argocd", ""),
        object("AppProject", "own, namespace: team", ""),
        object("Application", "a, namespace: team", "project: apps"),
        object("Application", "b, namespace: team", "project: own"),
    ];
    let objects = objects.join("\n---\n");
    let [a, b] = ["a", "b"].map(|name| format!("application.argoproj.io/{name}"));
    assert_eq!(names(&["application", "--uses", "argocd/appproject/apps"], &objects), [&*a]);
    assert_eq!(names(&["application", "--uses", "argocd/appproject/own"], &objects), [""; 0]);
    assert_eq!(names(&["application", "--uses", "team/appproject/own"], &objects), [&*b]);
    assert_eq!(names(&["appproject", "--used-by", &a], &objects), ["appproject.argoproj.io/apps"]);
    assert_eq!(names(&["appproject", "--used-by", &b], &objects), ["appproject.argoproj.io/own"]);
    Kselect::new(["tree", "application/a", "-q"]).stdin(objects).prints(
        "NAME                            RELATION   READY   STATUS   AGE\n\
         application.argoproj.io/a       -          -       -        -\n\
         └─appproject.argoproj.io/apps   uses       -       -        <unknown>\n",
    );
}

#[test]
fn selectors_and_labels_are_those_that_patches_make() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {tier: web}}\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {metadata: {labels: {a: b}}}}\n";
    let get = |relation: &str, object: &str, patches: &str, expected: &str| {
        Kselect::new(["get", relation, object, "-R", "-f", ".", "-o", "name", "-q"])
            .file("base/kustomization.yaml", "resources: [all.yaml]\n")
            .file("base/all.yaml", format!("{service}---\n{deployment}"))
            .file("prod/kustomization.yaml", format!("resources: [../base]\npatches: [{patches}]\n"))
            .prints(expected);
    };
    let label = "{target: {kind: Deployment}, patch: '[{op: add, path: /spec/template/metadata/labels/tier, value: web}]'}";
    let selector = "{patch: '{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {tier: null, a: b}}}'}";
    for patches in [label, selector] {
        get("--selected-by", "svc/s", patches, "deployment.apps/d\n");
        get("--selects", "deploy/d", patches, "service/s\n");
    }
    let priority = "{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {priorityClassName: high}}}}'}";
    get("--uses", "priorityclass/high", priority, "deployment.apps/d\n");
    get("--selected-by", "svc/s", "", "");
    get("--selects", "deploy/d", "", "");
}

#[test]
fn a_line_means_the_object_that_it_is_in() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: two}}]}]}\n";
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n---\n");
    let all = map("one") + &map("two") + pod;
    for (line, file, expected) in [
        ("a.yaml:2", "a.yaml", ""),
        ("a.yaml:6", "a.yaml", "pod/p\n"),
        ("a.yaml:6", ".", "pod/p\n"),
        ("./a.yaml:6", ".", "pod/p\n"),
    ] {
        Kselect::new(["get", "--uses", line, "-f", file, "-o", "name", "-q"])
            .file("a.yaml", &all)
            .prints(expected);
    }
}

#[test]
fn selectors_of_projects_are_known() {
    let check = |text: &str, selecting: &str, selected: &str| {
        let run = |args: &[&str]| Kselect::new(["get", "-o", "name"].iter().chain(args).copied()).stdin(text);
        run(&["--selected-by", selecting]).prints(format!("{selected}\n"));
        run(&["--selects", selected]).prints(format!("{selecting}\n"));
    };
    check(
        "apiVersion: cilium.io/v2\nkind: CiliumBGPAdvertisement\nmetadata: {name: a, labels: {b: c}}\n---\napiVersion: cilium.io/v2\n\
         kind: CiliumBGPPeerConfig\nmetadata: {name: p}\nspec: {families: [{advertisements: {matchLabels: {b: c}}}]}\n",
        "ciliumbgppeerconfig.cilium.io/p",
        "ciliumbgpadvertisement.cilium.io/a",
    );
    check(
        "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: a, labels: {b: c}}\n---\napiVersion: \
         addons.cluster.x-k8s.io/v1beta2\nkind: ClusterResourceSet\nmetadata: {name: p}\nspec: {clusterSelector: {matchLabels: {b: c}}}\n",
        "clusterresourceset.addons.cluster.x-k8s.io/p",
        "cluster.cluster.x-k8s.io/a",
    );
    let dashboard = |more: &str| {
        format!(
            "apiVersion: grafana.integreatly.org/v1beta1\nkind: Grafana\nmetadata: {{name: a, namespace: m, labels: {{b: c}}}}\n---\napiVersion: \
             grafana.integreatly.org/v1beta1\nkind: GrafanaDashboard\nmetadata: {{name: p{more}}}\n"
        )
    };
    const SELECTOR: &str = "instanceSelector: {matchLabels: {b: c}}";
    let names = ["grafanadashboard.grafana.integreatly.org/p", "grafana.grafana.integreatly.org/a"];
    check(&(dashboard(", namespace: m") + &format!("spec: {{{SELECTOR}}}\n")), names[0], names[1]);
    let anywhere = format!("spec: {{{SELECTOR}, allowCrossNamespaceImport: true}}\n");
    check(&(dashboard("") + &anywhere), names[0], names[1]);
    Kselect::new(["get", "-o", "name", "--selects", "grafana/a"])
        .stdin(dashboard("") + &format!("spec: {{{SELECTOR}}}\n"))
        .stderr("kselect: read 2 objects; --why shows why none is selected\n")
        .prints_nothing();
}

#[test]
fn label_selectors_of_unknown_kinds_are_noted() {
    Kselect::new(["get", "-o", "name", "--selects", "pod/a"])
        .stdin(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: c}}\n---\napiVersion: a.b/v1\nkind: Group\nmetadata: {name: g}\n\
             spec: {deep: [{members: {matchLabels: {b: c}}}]}\n---\napiVersion: a.b/v1\nkind: Other\nmetadata: {name: g}\nspec: {matchLabels: b}\n",
        )
        .stderr(
            "kselect: these kinds have label selectors, and what they select is not known: Group\n\
             kselect: read 3 objects; --why shows why none is selected\n",
        )
        .prints_nothing();
}
