//! The cells of groups that have a few: `admissionregistration.k8s.io`, `certificates.k8s.io`, `discovery.k8s.io`,
//! `flowcontrol.apiserver.k8s.io`, `rbac.authorization.k8s.io`, `scheduling.k8s.io`, `storage.k8s.io`, and the groups for the
//! cluster itself (aggregation, nodes, stored versions).
//!
//! *Compatibility* (flow-schemas): FlowSchemas are in the order of the input; the server sorts them by precedence.

use std::borrow::Cow;
use std::fmt::Write;

use super::columns::{
    Computed, NONE, UNSET, by_condition, condition, first_or_unset, join, last_true, or, qualified, quantity,
    shown, texts,
};
use super::defaults;
use super::networking::default_class;
use super::view::{self, View};
use syntax::tree::{Entry, Node};
use text::age;

/// The cells that are computed, for `kinds.txt`.
pub(super) const CELLS: &[(&str, Computed)] = &[
    ("param-kind", param_kind),
    ("param-ref", param_ref),
    ("request-signer", request_signer),
    ("requested-duration", |v| match v.at("spec.expirationSeconds").and_then(Node::as_int) {
        None => NONE.into(),
        Some(seconds) => age::human_duration(seconds).into(),
    }),
    ("request-condition", request_condition),
    ("pod-certificate-state", |v| {
        let states = v.list("status.conditions").iter().map(|condition| view::text(condition, "type"));
        states
            .rev()
            .find(|state| matches!(*state, "Issued" | "Denied" | "Failed"))
            .unwrap_or("Pending")
            .into()
    }),
    ("api-service", |v| match v.at("spec.service") {
        Some(service) => {
            format!("{}/{}", view::text(service, "namespace"), view::text(service, "name")).into()
        }
        None => "Local".into(),
    }),
    ("api-available", available),
    ("definition-versions", versions),
    ("runtime-handler", |v| match v.version {
        "v1alpha1" => v.text("spec.runtimeHandler").into(),
        _ => v.text("handler").into(),
    }),
    ("storage-versions", |v| {
        let versions = v.list("status.storageVersions").iter();
        first_or_unset(versions.map(|version| {
            format!("{}={}", view::text(version, "apiServerID"), view::text(version, "encodingVersion"))
        }))
    }),
    ("migration-resource", |v| {
        qualified(v.text("spec.resource.resource"), v.text("spec.resource.group")).into()
    }),
    ("migration-status", |v| {
        last_true(v.list("status.conditions"), &["Running", "Failed", "Succeeded"])
            .unwrap_or("Unknown")
            .into()
    }),
    ("slice-ports", ports),
    ("slice-endpoints", endpoints),
    ("distinguisher-method", |v| {
        v.at("spec.distinguisherMethod").map_or(NONE, |method| view::text(method, "type")).into()
    }),
    ("missing-priority-level", |v| {
        condition(v.list("status.conditions"), "Dangling").map_or("?", |c| view::text(c, "status")).into()
    }),
    ("concurrency-shares", shares),
    ("queues", |v| queuing(v, "queues")),
    ("hand-size", |v| queuing(v, "handSize")),
    ("queue-length-limit", |v| queuing(v, "queueLengthLimit")),
    ("binding-users", |v| join(subjects(v, "User").map(|subject| view::text(subject, "name")), ", ")),
    ("binding-groups", |v| join(subjects(v, "Group").map(|subject| view::text(subject, "name")), ", ")),
    ("binding-accounts", accounts),
    ("pod-group-policy", |v| match v.at("spec.schedulingPolicy.gang") {
        Some(_) => "Gang".into(),
        None => "Basic".into(),
    }),
    ("pod-group-workload", |v| {
        // v1alpha2 had it elsewhere.
        let places = ["spec.workloadRef.workloadName", "spec.podGroupTemplateRef.workload.workloadName"];
        or(
            places.map(|place| v.text(place)).into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
            NONE,
        )
    }),
    ("pod-group-status", group_status),
    ("token-requests", |v| match v.at("spec.tokenRequests") {
        None => UNSET.into(),
        Some(_) => {
            let requests = v.list("spec.tokenRequests").iter();
            join(requests.map(|request| view::text(request, "audience")), ",")
        }
    }),
    ("lifecycle-modes", |v| match join(texts(v.list("spec.volumeLifecycleModes")), ",") {
        modes if modes.is_empty() => NONE.into(),
        modes => modes,
    }),
    ("storage-capacity", |v| match v.at("capacity") {
        None => UNSET.into(),
        capacity => quantity(capacity),
    }),
    ("storage-class-name", |v| default_class(v, &DEFAULT_CLASS)),
];

fn param_kind<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.at("spec.paramKind") {
        Some(kind) => format!("{}/{}", view::text(kind, "apiVersion"), view::text(kind, "kind")).into(),
        None => UNSET.into(),
    }
}

/// The parameters of a binding: one object, in any namespace if none is given, or those that a selector selects, which
/// the API server prints as Go prints the struct.
fn param_ref<'a>(v: &View<'a>) -> Cow<'a, str> {
    let namespace = match v.text("spec.paramRef.namespace") {
        "" => "*",
        namespace => namespace,
    };
    match (v.text("spec.paramRef.name"), v.at("spec.paramRef.selector")) {
        ("", None) => UNSET.into(),
        ("", Some(selector)) => go_selector(selector).into(),
        (name, _) => format!("{namespace}/{name}").into(),
    }
}

/// Formats a LabelSelector as its generated String method does (apimachinery, apis/meta/v1/generated.pb.go).
fn go_selector(selector: &Node) -> String {
    const INFALLIBLE: &str = "impossible: a String";
    let mut labels: Vec<&Entry> =
        selector.get("matchLabels").and_then(Node::as_map).into_iter().flatten().collect();
    labels.sort_by_key(|entry| &entry.key);
    let mut text = "&LabelSelector{MatchLabels:map[string]string{".to_owned();
    for Entry { key, value, .. } in labels {
        write!(text, "{key}: {},", value.as_str().unwrap_or_default()).expect(INFALLIBLE);
    }
    text.push_str("},MatchExpressions:[]LabelSelectorRequirement{");
    for expression in view::list(selector, "matchExpressions") {
        let (key, operator) = (view::text(expression, "key"), view::text(expression, "operator"));
        let values = texts(view::list(expression, "values")).collect::<Vec<_>>().join(" ");
        write!(text, "LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
            .expect(INFALLIBLE);
    }
    text + "},}"
}

/// The signer. In version v1beta1, the request determines a missing signer (certificates/v1beta1/defaults.go).
///
/// *Compatibility* (request-signers): requests are not decoded, so those of kubelets are shown with an unknown signer.
fn request_signer<'a>(v: &View<'a>) -> Cow<'a, str> {
    match v.at("spec.signerName") {
        None if v.version == "v1beta1" => "kubernetes.io/legacy-unknown".into(),
        signer => or(signer.and_then(Node::as_str).unwrap_or_default(), NONE),
    }
}

/// The decision and its result (printers.go, extractCSRStatus). A condition of one of these types counts whatever its
/// status is.
fn request_condition<'a>(v: &View<'a>) -> Cow<'a, str> {
    let conditions = v.list("status.conditions");
    let has = |kind| condition(conditions, kind).is_some();
    let mut parts = vec![match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    }];
    parts.extend(has("Failed").then_some("Failed"));
    parts.extend((!v.text("status.certificate").is_empty()).then_some("Issued"));
    parts.join(",").into()
}

/// The names of the versions in alphabetical order.
fn versions<'a>(v: &View<'a>) -> Cow<'a, str> {
    let mut names: Vec<&str> =
        v.list("spec.versions").iter().map(|version| view::text(version, "name")).collect();
    if names.is_empty() {
        names.push(v.text("spec.version")); // v1beta1
    }
    names.sort_unstable();
    names.join(",").into()
}

/// Whether the service of an API is available, and why not.
fn available<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(condition) = condition(v.list("status.conditions"), "Available") else {
        return "Unknown".into();
    };
    match view::text(condition, "status") {
        "True" => "True".into(),
        status => format!("{status} ({})", view::text(condition, "reason")).into(),
    }
}

/// The number of a port, or else its name. The API's default for the name is empty (discovery/v1/defaults.go), so a
/// port with neither, which means all ports, is empty.
fn ports<'a>(v: &View<'a>) -> Cow<'a, str> {
    let port = |port: &Node| match port.get("port").and_then(Node::as_int) {
        Some(number) => number.to_string(),
        None => view::text(port, "name").to_owned(),
    };
    first_or_unset(v.list("ports").iter().map(port))
}

fn endpoints<'a>(v: &View<'a>) -> Cow<'a, str> {
    let addresses = v.list("endpoints").iter().flat_map(|endpoint| texts(view::list(endpoint, "addresses")));
    first_or_unset(addresses.map(str::to_owned))
}

/// The share of a limited level (flowcontrol/v1/defaults.go, and those of the beta versions, in which zero counts as
/// absent and which first had another name for it).
fn shares<'a>(v: &View<'a>) -> Cow<'a, str> {
    let Some(limited) = v.at("spec.limited") else { return NONE.into() };
    let shares = |key| limited.get(key).and_then(Node::as_int);
    let set = |shares: &i64| *shares != 0;
    let shares = match v.version {
        "v1beta1" | "v1beta2" => shares("assuredConcurrencyShares").filter(set),
        "v1beta3" if v.annotation(PRESERVE_ZERO).is_none() => shares("nominalConcurrencyShares").filter(set),
        _ => shares("nominalConcurrencyShares"),
    };
    shown(shares.unwrap_or_else(|| {
        defaults::number("flowcontrol", "LimitedPriorityLevelConfiguration", "nominalConcurrencyShares")
    }))
}

/// With this annotation, whatever its value, the share of a v1beta3 level may be zero.
const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// A number of a level that queues requests, with zero replaced by its default; `<none>` for other levels.
fn queuing<'a>(v: &View<'a>, key: &str) -> Cow<'a, str> {
    match v.at("spec.limited.limitResponse.queuing") {
        Some(queuing) => {
            let number = Some(view::int(queuing, key)).filter(|number| *number != 0);
            shown(number.unwrap_or_else(|| defaults::number("flowcontrol", "QueuingConfiguration", key)))
        }
        None => NONE.into(),
    }
}

/// The subjects of one kind.
fn subjects<'a>(v: &View<'a>, kind: &'static str) -> impl Iterator<Item = &'a Node> + use<'a> {
    v.list("subjects").iter().filter(move |subject| view::text(subject, "kind") == kind)
}

fn accounts<'a>(v: &View<'a>) -> Cow<'a, str> {
    let account = |account| format!("{}/{}", view::text(account, "namespace"), view::text(account, "name"));
    let accounts: Vec<String> = subjects(v, "ServiceAccount").map(account).collect();
    join(accounts.iter().map(String::as_str), ", ")
}

/// Whether the group is scheduled, or why it is to be preempted.
fn group_status<'a>(v: &View<'a>) -> Cow<'a, str> {
    let conditions = v.list("status.conditions");
    if let Some(disruption) = condition(conditions, "DisruptionTarget") {
        return view::text(disruption, "reason").into();
    }
    // v1alpha2 called it PodGroupScheduled.
    let names = ["PodGroupInitiallyScheduled", "PodGroupScheduled"];
    let name = names.into_iter().find(|name| condition(conditions, name).is_some()).unwrap_or_default();
    by_condition(conditions, name, ["Pending", "Scheduled", "Unschedulable"]).into()
}

/// The annotations of the StorageClass of claims without one (pkg/apis/storage/v1/util/helpers.go).
pub const DEFAULT_CLASS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

#[cfg(test)]
mod tests {
    use super::super::columns::testing::{check, check_row};

    #[test]
    fn configurations_count_their_webhooks() {
        for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
            check_row(
                &format!(
                    "{{apiVersion: admissionregistration.k8s.io/v1, kind: {kind}, metadata: {{name: w}}, webhooks: [{{}}, {{}}]}}"
                ),
                &["w", "2", "<unknown>"],
            );
        }
    }

    #[test]
    fn policies_count_what_they_do() {
        check_row(
            "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, \
              spec: {validations: [{}], paramKind: {apiVersion: v1, kind: ConfigMap}}}",
            &["p", "1", "v1/ConfigMap", "<unknown>"],
        );
        check_row(
            "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: p}, \
              spec: {mutations: [{}, {}]}}",
            &["p", "2", "<unset>", "<unknown>"],
        );
    }

    #[test]
    fn bindings_name_their_parameters() {
        for (reference, cell) in [
            ("null", "<unset>"),
            ("{}", "<unset>"),
            ("{name: p}", "*/p"),
            ("{name: p, namespace: n}", "n/p"),
            (
                "{selector: {matchLabels: {a: b}}}",
                "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}",
            ),
            (
                "{selector: {matchExpressions: [{key: k, operator: In, values: [x, y]}]}}",
                "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{\
                 LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
            ),
        ] {
            check_row(
                &format!(
                    "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, \
                      metadata: {{name: b}}, spec: {{policyName: q, paramRef: {reference}}}}}"
                ),
                &["b", "q", cell, "<unknown>"],
            );
        }
    }

    #[test]
    fn an_old_request_without_a_signer_has_one_that_is_not_known() {
        for (version, cell) in [("v1beta1", "kubernetes.io/legacy-unknown"), ("v1", "<none>")] {
            let request =
                format!("{{apiVersion: certificates.k8s.io/{version}, kind: CertificateSigningRequest}}");
            check(&request, &[("SIGNERNAME", cell)]);
        }
    }

    #[test]
    fn a_signing_request_tells_what_was_decided_and_what_came_of_it() {
        check_row(
            "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: c}, \
              spec: {signerName: s, username: u, expirationSeconds: 3600}, \
              status: {conditions: [{type: Approved}], certificate: Zm9v}}",
            &["c", "<unknown>", "s", "u", "60m", "Approved,Issued"],
        );
        for (conditions, cell) in [
            ("", "Pending"),
            ("{type: Approved}, {type: Denied}", "Denied"),
            ("{type: Approved}, {type: Failed}", "Approved,Failed"),
            ("{type: Failed}", "Pending,Failed"),
        ] {
            check(
                &format!(
                    "{{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, \
                      status: {{conditions: [{conditions}]}}}}"
                ),
                &[("CONDITION", cell), ("SIGNERNAME", "<none>"), ("REQUESTEDDURATION", "<none>")],
            );
        }
    }

    #[test]
    fn a_pod_certificate_request_is_in_the_last_state_it_reached() {
        check_row(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: PodCertificateRequest, metadata: {name: r}, spec: {podName: p, \
              serviceAccountName: a, nodeName: n, signerName: s, unverifiedUserAnnotations: {k: v}}, \
              status: {conditions: [{type: Denied}, {type: Issued}, {type: Odd}]}}",
            &["r", "p", "a", "n", "s", "Issued", "k=v"],
        );
        check(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: PodCertificateRequest}",
            &[("STATE", "Pending"), ("UNVERIFIEDUSERANNOTATIONS", "<none>")],
        );
        check(
            "{apiVersion: certificates.k8s.io/v1beta1, kind: ClusterTrustBundle}",
            &[("SIGNERNAME", "<none>")],
        );
    }

    #[test]
    fn leases_show_who_holds_them() {
        check_row(
            "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: {holderIdentity: h}}",
            &["l", "h", "<unknown>"],
        );
        check_row(
            "{apiVersion: coordination.k8s.io/v1beta1, kind: LeaseCandidate, metadata: {name: c}, \
              spec: {leaseName: l, binaryVersion: '1.36', emulationVersion: '1.35'}}",
            &["c", "l", "1.36", "1.35", "<unknown>"],
        );
    }

    #[test]
    fn a_runtime_class_shows_its_handler() {
        check_row(
            "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: r}, handler: runsc}",
            &["r", "runsc", "<unknown>"],
        );
    }

    #[test]
    fn an_api_service_tells_whether_it_is_available() {
        for (rest, cells) in [
            ("spec: {}", ["Local", "Unknown"]),
            (
                "spec: {service: {namespace: n, name: s}}, status: {conditions: [{type: Available, status: 'True', reason: x}]}",
                ["n/s", "True"],
            ),
            (
                "status: {conditions: [{type: Available, status: 'False', reason: Missing}]}",
                ["Local", "False (Missing)"],
            ),
        ] {
            check_row(
                &format!(
                    "{{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {{name: a}}, {rest}}}"
                ),
                &["a", cells[0], cells[1], "<unknown>"],
            );
        }
    }

    #[test]
    fn stored_versions_and_their_migrations() {
        check_row(
            "{apiVersion: internal.apiserver.k8s.io/v1alpha1, kind: StorageVersion, metadata: {name: s}, \
              status: {storageVersions: [{apiServerID: a, encodingVersion: v1}, {apiServerID: b, encodingVersion: v2}]}}",
            &["s", "<unset>", "a=v1,b=v2", "<unknown>"],
        );
        check_row(
            "{apiVersion: storagemigration.k8s.io/v1beta1, kind: StorageVersionMigration, metadata: {name: m}, \
              spec: {resource: {group: apps, resource: deployments}}, status: {conditions: \
              [{type: Running, status: 'False'}, {type: Succeeded, status: 'True'}]}}",
            &["m", "deployments.apps", "Succeeded"],
        );
    }

    #[test]
    fn a_slice_shows_the_first_three_of_ports_and_endpoints() {
        check_row(
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv4, \
              ports: [{name: a, port: 80}, {name: b}, {}, {port: 1}], \
              endpoints: [{addresses: [a, b]}, {addresses: [c]}, {addresses: [d, e]}]}",
            &["s", "IPv4", "80,b, + 1 more...", "a,b,c + 2 more...", "<unknown>"],
        );
        check_row(
            "{apiVersion: discovery.k8s.io/v1beta1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv6}",
            &["s", "IPv6", "<unset>", "<unset>", "<unknown>"],
        );
    }

    #[test]
    fn a_flow_schema_shows_where_it_leads() {
        check_row(
            "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: f}, \
              spec: {priorityLevelConfiguration: {name: p}}}",
            &["f", "p", "1000", "<none>", "<unknown>", "?"],
        );
        check(
            "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, spec: {matchingPrecedence: 5, \
              distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Dangling, status: 'False'}]}}",
            &[("MATCHINGPRECEDENCE", "5"), ("DISTINGUISHERMETHOD", "ByUser"), ("MISSINGPL", "False")],
        );
    }

    #[test]
    fn a_priority_level_shows_only_the_limits_it_has() {
        for (spec, cells) in [
            ("type: Exempt", ["Exempt", "<none>", "<none>", "<none>", "<none>"]),
            (
                "type: Limited, limited: {nominalConcurrencyShares: 5}",
                ["Limited", "5", "<none>", "<none>", "<none>"],
            ),
            (
                "type: Limited, limited: {limitResponse: {queuing: {queues: 16}}}",
                ["Limited", "30", "16", "8", "50"],
            ),
        ] {
            let [kind, shares, queues, hand, length] = cells;
            check_row(
                &format!(
                    "{{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, \
                      metadata: {{name: p}}, spec: {{{spec}}}}}"
                ),
                &["p", kind, shares, queues, hand, length, "<unknown>"],
            );
        }
    }

    #[test]
    fn a_binding_shows_its_subjects_by_kind() {
        check_row(
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {kind: Role, name: r}, \
              subjects: [{kind: User, name: u}, {kind: Group, name: g}, {kind: User, name: v}, \
              {kind: ServiceAccount, namespace: n, name: s}, {kind: ServiceAccount, namespace: n, name: t}]}",
            &["b", "Role/r", "<unknown>", "u, v", "g", "n/s, n/t"],
        );
        check_row(
            "{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: ClusterRoleBinding, metadata: {name: b}, \
              roleRef: {kind: ClusterRole, name: r}}",
            &["b", "ClusterRole/r", "<unknown>", "", "", ""],
        );
    }

    #[test]
    fn a_bare_priority_class_preempts() {
        check_row(
            "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 10}",
            &["p", "10", "false", "<unknown>", "PreemptLowerPriority"],
        );
    }

    #[test]
    fn a_pod_group_tells_policy_workload_and_status() {
        check_row(
            "{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: \
              {gang: {minCount: 2}}, podGroupTemplateRef: {workload: {workloadName: w}}}}",
            &["g", "Gang", "w", "Pending", "<unknown>"],
        );
        for (conditions, cell) in [
            ("{type: PodGroupScheduled, status: 'True'}", "Scheduled"),
            ("{type: PodGroupScheduled, status: 'False'}", "Unschedulable"),
            (
                "{type: PodGroupScheduled, status: 'True'}, {type: DisruptionTarget, reason: Preempted}",
                "Preempted",
            ),
        ] {
            check(
                &format!(
                    "{{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, spec: {{schedulingPolicy: {{basic: {{}}}}}}, \
                      status: {{conditions: [{conditions}]}}}}"
                ),
                &[("POLICY", "Basic"), ("WORKLOAD", "<none>"), ("STATUS", cell)],
            );
        }
        check_row(
            "{apiVersion: scheduling.k8s.io/v1alpha2, kind: Workload, metadata: {name: w}}",
            &["w", "<unknown>"],
        );
    }

    #[test]
    fn a_bare_storage_class_shows_its_defaults() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: p}",
            &["s", "p", "Delete", "Immediate", "false", "<unknown>"],
        );
        check(
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s, annotations: \
              {storageclass.beta.kubernetes.io/is-default-class: 'true'}}}",
            &[("NAME", "s (default)")],
        );
    }

    #[test]
    fn attachments_and_capacities_show_what_they_are_of() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: {attacher: d, nodeName: n, \
              source: {persistentVolumeName: p}}, status: {attached: true}}",
            &["a", "d", "p", "n", "true", "<unknown>"],
        );
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c}, storageClassName: s, \
              capacity: 2048Mi}",
            &["c", "s", "2Gi"],
        );
        check("{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity}", &[("CAPACITY", "<unset>")]);
        check(
            "{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, driverName: d}",
            &[("DRIVERNAME", "d")],
        );
        check(
            "{apiVersion: storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{}, {}]}}",
            &[("DRIVERS", "2")],
        );
    }

    #[test]
    fn a_bare_driver_shows_its_defaults() {
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}}",
            &["d", "true", "false", "false", "<unset>", "false", "Persistent", "<unknown>"],
        );
        check_row(
            "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}, spec: {attachRequired: false, \
              tokenRequests: [{audience: a}, {audience: b}], volumeLifecycleModes: [Ephemeral, Persistent]}}",
            &["d", "false", "false", "false", "a,b", "false", "Ephemeral,Persistent", "<unknown>"],
        );
    }
}
